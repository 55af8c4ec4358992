//! How sure the treatment of one document is.
//!
//! Two things can be wrong: a span that was hidden may be no identifier or not the one it was taken for, and something
//! that was left in the text may be one. Both are calibrated chances (`scores/calibration.md`). What the policy keeps in any
//! case is not in doubt. The figure that orders documents weighs each chance by the harm: a name that is still there is
//! worse than a word that is hidden without need.

use serde::{Deserialize, Serialize};
use taire_surrogate::RecordNames;
use taire_text::{Entity, Label, Tier};

/// What was decided of one note.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// What identifies somebody, with the chance that this is right.
    pub entities: Vec<Entity>,
    /// Candidates that were left in the text, with the chance that they identify somebody.
    pub below_threshold: Vec<Entity>,
    /// The worst of these decisions.
    pub doubt: Doubt,
    /// The names in the patient's documents, which no surrogate may equal.
    pub record_names: RecordNames,
}

/// The worst decisions of one document.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Doubt {
    /// The score of the least sure span.
    pub least_sure: Option<f32>,
    /// The highest chance, among candidates left in the text, of identifying somebody.
    #[serde(alias = "spared")]
    pub below_threshold: Option<f32>,
    /// How much harm the worst decision may do, 0 to 1.
    pub harm: f32,
    /// The line of the text that the worst decision is on, from 1.
    pub line: Option<u32>,
}

/// A word hidden without need costs the reader, not the patient.
const HARM_OF_HIDING: f32 = 0.5;

/// What it means for the patient that something of this label is left in the text.
fn harm_of_leaving(label: Label, text: &str) -> f32 {
    match Tier::of_span(label, Some(text)) {
        Some(Tier::Direct) => 1.0,
        Some(Tier::Indirect) => 0.6,
        Some(Tier::Detail) | None => 0.3,
    }
}

impl Doubt {
    /// The worst decisions of a text. Labels that the policy does not change are passed over.
    pub fn of(
        text: &str,
        entities: &[Entity],
        below_threshold: &[Entity],
        changes: impl Fn(Label) -> bool,
    ) -> Doubt {
        let hidden = || entities.iter().filter(|e| changes(e.label));
        let left = || below_threshold.iter().filter(|e| changes(e.label));
        let harms = hidden()
            .map(|e| (HARM_OF_HIDING * (1.0 - e.score.get()), e))
            .chain(left().map(|e| (harm_of_leaving(e.label, e.span.of(text)) * e.score.get(), e)));
        let worst = harms.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.span.start().cmp(&a.1.span.start())));
        let line = |e: &Entity| {
            let before = text.get(..e.span.start()).unwrap_or_default();
            before.bytes().filter(|b| *b == b'\n').count() as u32 + 1
        };
        Doubt {
            least_sure: hidden().map(|e| e.score.get()).min_by(f32::total_cmp),
            below_threshold: left().map(|e| e.score.get()).max_by(f32::total_cmp),
            harm: worst.map_or(0.0, |(harm, _)| harm),
            line: worst.map(|(_, e)| line(e)),
        }
    }

    /// What documents are ordered by, the worst first: the harm that the worst decision may do; 0 where nothing is in doubt.
    pub fn figure(self) -> f32 {
        self.harm
    }

    /// Why a document that must be sure to `below` is held back, if it is: a span is less sure than that, or something
    /// left in the text identifies with a chance over the rest.
    pub fn refusal(self, below: f32) -> Option<String> {
        let found = self.least_sure.filter(|&s| s < below);
        let below_threshold = self.below_threshold.filter(|&s| s > 1.0 - below);
        let found = found.map(|s| format!("least sure span {s:.2} below {below:.2}"));
        let below_threshold = below_threshold.map(|s| {
            format!("something left in the text may identify, chance {s:.2} over {:.2}", 1.0 - below)
        });
        match (found, below_threshold) {
            (Some(a), Some(b)) => Some(format!("{a}; {b}")),
            (a, b) => a.or(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Role, Score, Source, SourceSet, Span};

    fn entity(label: Label, start: usize, score: f32) -> Entity {
        Entity {
            span: Span::new(start, start + 1),
            label,
            role: Role::Unknown,
            score: Score::new(score),
            sources: SourceSet::from_iter([Source::Lexicon]),
            doubtful_value: false,
            mentions: Vec::new(),
        }
    }

    /// Defect: the list of doubtful documents was led by the `F` of a sex field, which stays in any case.
    #[test]
    fn what_the_policy_keeps_is_not_in_doubt_and_a_missed_name_weighs_most() {
        let text = "F\nab\ncd";
        let changes = |label| label != Label::Sex;
        let sex = [entity(Label::Sex, 0, 0.3)];
        let kept = Doubt::of(text, &sex, &sex, changes);
        assert_eq!(kept, Doubt::default());
        assert!(kept.refusal(1.0).is_none());
        let hidden = Doubt::of(text, &[entity(Label::FamilyName, 2, 0.5)], &[], changes);
        let missed = Doubt::of(text, &[], &[entity(Label::FamilyName, 5, 0.5)], changes);
        let town = Doubt::of(text, &[], &[entity(Label::City, 5, 0.5)], changes);
        assert!(missed.figure() > town.figure() && town.figure() > hidden.figure());
        assert_eq!((hidden.line, missed.line), (Some(2), Some(3)));
    }

    #[test]
    fn the_worst_of_both_kinds_counts() {
        let doubt = |least_sure, below_threshold| Doubt { least_sure, below_threshold, ..Doubt::default() };
        assert!(doubt(Some(0.97), Some(0.1)).refusal(0.6).is_none());
        assert_eq!(doubt(Some(0.41), Some(0.1)).refusal(0.6).unwrap(), "least sure span 0.41 below 0.60");
        let missing = doubt(None, Some(0.55));
        assert!(missing.refusal(0.6).unwrap().contains("chance 0.55 over 0.40"));
        assert!(missing.refusal(0.4).is_none());
        assert!(Doubt::default().refusal(1.0).is_none());
    }
}
