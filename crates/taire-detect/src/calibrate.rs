//! Calibration: from the detectors' raw scores to the chance that an entity is right.
//!
//! Detectors give raw scores of their own making; thresholds of policies are about those. Once everything is decided,
//! [`Calibration`] turns the mentions of an entity into the chance that it is right: a logistic model (Platt scaling,
//! widened) over the label, the sources, their scores, a source that is alone, and whether another source gave a label
//! of another group or cleared the text.
//! A second model of the same form gives the chance that a candidate *below the threshold*, which was left in the text,
//! identifies somebody. `cargo data calibrate` fits both on development documents and measures them on others; the
//! weights are text, one line each, in `data/`.

use taire_text::{Entity, Group, Label, Language, Score, Source};

use crate::Error;

const VERSION: &str = "taire-calibration 1";
const LABELS: usize = Label::ALL.len();
const SOURCES: usize = Source::ALL.len();
const GROUPS: usize = Group::ALL.len();

// Where each kind of feature begins.
const BIAS: usize = 0;
const DISPUTED: usize = 1;
const CLEARED: usize = 2;
const LABEL: usize = 3;
const SOURCE: usize = LABEL + LABELS;
const SCORE: usize = SOURCE + SOURCES;
const ALONE: usize = SCORE + SOURCES;
const PAIR: usize = ALONE + SOURCES;
/// How many features there are.
pub const FEATURES: usize = PAIR + GROUPS * SOURCES;

/// Nothing is surer than this: no development set is large enough to tell.
const MOST: f32 = 0.999;
/// A raw score of 0 or 1 is no infinite evidence.
const LOGIT: f32 = 4.0;

/// The model of one language.
#[derive(Clone, PartialEq, Debug)]
pub struct Calibration {
    found: Weights,
    below_threshold: Weights,
}

/// One logistic model. It weighs only the sources that it was fitted with.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    weights: Vec<f32>,
    known: [bool; SOURCES],
}

/// What a model sees of an entity, as (feature, value); and the raw scores of sources.
#[derive(Clone, PartialEq, Debug)]
pub struct Evidence {
    label: Label,
    /// The highest score of each source that gave a label of the same group.
    scores: [Option<Score>; SOURCES],
    disputed: bool,
    cleared: bool,
}

impl Evidence {
    pub fn of(entity: &Entity) -> Evidence {
        let mut scores = [None; SOURCES];
        let (mut disputed, mut cleared) = (false, false);
        for mention in &entity.mentions {
            let Some(label) = mention.label() else {
                cleared = true;
                continue;
            };
            if label.group() == entity.label.group() {
                let slot: &mut Option<Score> = &mut scores[mention.source.index()];
                *slot = Some(slot.map_or(mention.score, |s| s.max(mention.score)));
            } else {
                disputed = true;
            }
        }
        for source in entity.sources.iter() {
            scores[source.index()].get_or_insert(entity.score);
        }
        Evidence { label: entity.label, scores, disputed, cleared }
    }

    /// The sources that gave a label of this group.
    pub fn sources(&self) -> impl Iterator<Item = Source> + '_ {
        Source::ALL.iter().copied().filter(|s| self.scores[s.index()].is_some())
    }

    /// Calls `put` with each feature that is not zero. Sources for which `counts` is false are left out.
    pub fn features(&self, counts: impl Fn(Source) -> bool, mut put: impl FnMut(usize, f32)) {
        put(BIAS, 1.0);
        if self.disputed {
            put(DISPUTED, 1.0);
        }
        if self.cleared {
            put(CLEARED, 1.0);
        }
        put(LABEL + self.label.index(), 1.0);
        let mut last = None;
        let mut count = 0;
        for source in self.sources().filter(|&s| counts(s)) {
            let Some(score) = self.scores[source.index()] else { continue };
            let at = source.index();
            put(SOURCE + at, 1.0);
            put(SCORE + at, logit(score.get()));
            put(PAIR + self.label.group().index() * SOURCES + at, 1.0);
            last = Some(at);
            count += 1;
        }
        if let (Some(at), 1) = (last, count) {
            put(ALONE + at, 1.0);
        }
    }
}

fn logit(p: f32) -> f32 {
    let p = p.clamp(1e-4, 1.0 - 1e-4);
    (p / (1.0 - p)).ln().clamp(-LOGIT, LOGIT)
}

/// The name of a feature in the files of weights.
pub fn feature_name(index: usize) -> String {
    let source = |at: usize| Source::ALL[at].key();
    match index {
        BIAS => "bias".into(),
        DISPUTED => "disputed".into(),
        CLEARED => "cleared".into(),
        i if i < SOURCE => format!("label.{}", Label::ALL[i - LABEL]),
        i if i < SCORE => format!("source.{}", source(i - SOURCE)),
        i if i < ALONE => format!("score.{}", source(i - SCORE)),
        i if i < PAIR => format!("alone.{}", source(i - ALONE)),
        i => format!("pair.{}.{}", Group::ALL[(i - PAIR) / SOURCES], source((i - PAIR) % SOURCES)),
    }
}

impl Weights {
    /// Weights by feature; `known` are the sources they were fitted with.
    pub fn new(weights: Vec<f32>, known: impl Fn(Source) -> bool) -> Weights {
        let mut table = [false; SOURCES];
        Source::ALL.iter().for_each(|&s| table[s.index()] = known(s));
        Weights { weights, known: table }
    }

    /// The chance that this is right. Sources the model does not know add their own raw score to it, as an
    /// independent mention would; a reviewer's mention is certain.
    pub fn chance(&self, evidence: &Evidence) -> Score {
        if evidence.scores[Source::Reviewer.index()].is_some() {
            return Score::CERTAIN;
        }
        let knows = |s: Source| self.known[s.index()];
        let raw = evidence
            .sources()
            .filter(|&s| !knows(s))
            .filter_map(|s| evidence.scores[s.index()])
            .fold(Score::new(0.0), Score::either);
        if !evidence.sources().any(knows) {
            return Score::new(raw.get().min(MOST));
        }
        let mut sum = 0.0;
        evidence.features(knows, |i, value| sum += self.weights[i] * value);
        let fitted = Score::new(1.0 / (1.0 + (-sum).exp()));
        Score::new(fitted.either(raw).get().clamp(1.0 - MOST, MOST))
    }

    fn push(&self, out: &mut String, name: &str) {
        use std::fmt::Write;
        for &source in Source::ALL.iter().filter(|s| self.known[s.index()]) {
            let _ = writeln!(out, "{name} knows.{} 1", source.key());
        }
        for (i, weight) in self.weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let _ = writeln!(out, "{name} {} {weight:.4}", feature_name(i));
        }
    }
}

impl Calibration {
    pub fn new(found: Weights, below_threshold: Weights) -> Calibration {
        Calibration { found, below_threshold }
    }

    /// The one that ships for a language.
    pub fn shipped(language: Language) -> Result<Calibration, Error> {
        Calibration::parse(match language {
            Language::Fr => include_str!("../data/calibration-fr.txt"),
            Language::Es => include_str!("../data/calibration-es.txt"),
        })
    }

    /// Reads a file of weights.
    pub fn parse(text: &str) -> Result<Calibration, Error> {
        let mut lines = text.lines();
        if lines.next() != Some(VERSION) {
            return Err(Error::new(format!("calibration: the first line must be `{VERSION}`")));
        }
        let none = || Weights { weights: vec![0.0; FEATURES], known: [false; SOURCES] };
        let (mut found, mut below_threshold) = (none(), none());
        for line in lines.filter(|l| !l.starts_with('#')) {
            let bad = || Error::new(format!("calibration: unknown line `{line}`"));
            let mut fields = line.split(' ');
            let (Some(model), Some(name), Some(value), None) =
                (fields.next(), fields.next(), fields.next(), fields.next())
            else {
                return Err(bad());
            };
            let model = match model {
                "found" => &mut found,
                "below_threshold" => &mut below_threshold,
                _ => return Err(bad()),
            };
            if let Some(source) = name.strip_prefix("knows.") {
                let source = Source::from_key(source).map_err(|_| bad())?;
                model.known[source.index()] = true;
                continue;
            }
            let index = (0..FEATURES).find(|&i| feature_name(i) == name).ok_or_else(bad)?;
            model.weights[index] = value.parse().map_err(|_| bad())?;
        }
        Ok(Calibration { found, below_threshold })
    }

    /// As a file of weights, that [`Calibration::parse`] reads.
    pub fn to_text(&self, remark: &str) -> String {
        let mut out = format!("{VERSION}\n# {remark}\n");
        self.found.push(&mut out, "found");
        self.below_threshold.push(&mut out, "below_threshold");
        out
    }

    /// The chance that an entity is right: that most of what it covers identifies somebody, in its kind.
    pub fn found(&self, entity: &Entity) -> Score {
        self.found_chance(&Evidence::of(entity))
    }

    /// The chance that something left in the text identifies somebody.
    pub fn below_threshold(&self, candidate: &Entity) -> Score {
        self.below_threshold_chance(&Evidence::of(candidate))
    }

    pub fn found_chance(&self, evidence: &Evidence) -> Score {
        self.found.chance(evidence)
    }

    pub fn below_threshold_chance(&self, evidence: &Evidence) -> Score {
        self.below_threshold.chance(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Mention, Role, SourceSet, Span};

    fn entity(label: Label, mentions: &[(Source, f32)]) -> Entity {
        let span = Span::new(0, 6);
        Entity {
            span,
            label,
            role: Role::Unknown,
            score: Score::new(0.9),
            sources: mentions.iter().map(|v| v.0).collect::<SourceSet>(),
            doubtful_value: false,
            mentions: mentions.iter().map(|&(s, p)| Mention::phi(span, label, p, s, "test")).collect(),
        }
    }

    #[test]
    fn names_tell_features_apart_and_files_come_back() {
        let names: std::collections::BTreeSet<_> = (0..FEATURES).map(feature_name).collect();
        assert_eq!(names.len(), FEATURES);
        for &language in Language::ALL {
            let shipped = Calibration::shipped(language).unwrap();
            assert_eq!(Calibration::parse(&shipped.to_text("again")).unwrap(), shipped);
        }
        for bad in [
            "",
            "taire-calibration 2",
            &format!("{VERSION}\nfound label.Sirname 1"),
            &format!("{VERSION}\nx"),
        ] {
            assert!(Calibration::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn shipped_chances_make_sense() {
        use Source::*;
        for &language in Language::ALL {
            let c = Calibration::shipped(language).unwrap();
            let alone = c.found(&entity(Label::FamilyName, &[(Lexicon, 0.5)]));
            let agreed =
                c.found(&entity(Label::FamilyName, &[(Lexicon, 0.9), (Structure, 0.95), (Crf, 0.99)]));
            assert!(agreed.get() > 0.9 && alone < agreed, "{language}: {alone:?} {agreed:?}");
            assert_eq!(c.found(&entity(Label::City, &[(Reviewer, 1.0)])), Score::CERTAIN);
            // What no development document has keeps its own word, and adds to the others.
            let known = c.found(&entity(Label::City, &[(Metadata, 0.98)]));
            assert!((known.get() - 0.98).abs() < 1e-6);
            assert!(c.found(&entity(Label::City, &[(Metadata, 0.98), (Lexicon, 0.5)])) >= known);
        }
    }
}
