//! How sure the treatment of one document is.
//!
//! Two things can be wrong: a span that was hidden may be no identifier or not the one it was taken for, and something
//! that was left in the text may be one. Both are calibrated chances (`scores/calibration.md`), so one figure can say
//! how doubtful the worst decision of a document is.

use serde::{Deserialize, Serialize};
use taire_text::Entity;

/// What was decided of one note.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// What identifies somebody, with the chance that this is right.
    pub entities: Vec<Entity>,
    /// Candidates that were left in the text, with the chance that they identify somebody.
    pub spared: Vec<Entity>,
}

/// The worst decisions of one document.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Doubt {
    /// The score of the least sure span.
    pub least_sure: Option<f32>,
    /// The highest chance, among candidates left in the text, of identifying somebody.
    pub spared: Option<f32>,
}

impl Findings {
    pub fn doubt(&self) -> Doubt {
        let scores = |entities: &[Entity]| entities.iter().map(|e| e.score.get()).collect::<Vec<_>>();
        Doubt {
            least_sure: scores(&self.entities).into_iter().min_by(f32::total_cmp),
            spared: scores(&self.spared).into_iter().max_by(f32::total_cmp),
        }
    }
}

impl Doubt {
    /// The chance that the worst decision is wrong; 0 where nothing was found and nothing spared.
    pub fn figure(self) -> f32 {
        self.least_sure.map_or(0.0, |s| 1.0 - s).max(self.spared.unwrap_or(0.0))
    }

    /// Why a document that must be sure to `below` is held back, if it is: a span is less sure than that, or something
    /// left in the text identifies with a chance over the rest.
    pub fn refusal(self, below: f32) -> Option<String> {
        let found = self.least_sure.filter(|&s| s < below);
        let spared = self.spared.filter(|&s| s > 1.0 - below);
        let found = found.map(|s| format!("least sure span {s:.2} below {below:.2}"));
        let spared = spared.map(|s| {
            format!("something left in the text may identify, chance {s:.2} over {:.2}", 1.0 - below)
        });
        match (found, spared) {
            (Some(a), Some(b)) => Some(format!("{a}; {b}")),
            (a, b) => a.or(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_both_kinds_counts() {
        let sure = Doubt { least_sure: Some(0.97), spared: Some(0.1) };
        assert!((sure.figure() - 0.1).abs() < 1e-6 && sure.refusal(0.6).is_none());
        let unsure = Doubt { least_sure: Some(0.41), spared: Some(0.1) };
        assert_eq!(unsure.refusal(0.6).unwrap(), "least sure span 0.41 below 0.60");
        let missing = Doubt { least_sure: None, spared: Some(0.55) };
        assert!(missing.refusal(0.6).unwrap().contains("chance 0.55 over 0.40"));
        assert!(missing.refusal(0.4).is_none());
        assert_eq!(Doubt::default().figure(), 0.0);
        assert!(Doubt::default().refusal(1.0).is_none());
    }
}
