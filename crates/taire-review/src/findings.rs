//! What the detectors found in a document, as it is stored beside it: marks to start from, and each detector's mention with
//! its reason.

use serde::{Deserialize, Serialize};
use taire::Findings;
use taire_text::{Entity, Label, Mention, Role, Score, Source, SourceSet, Span};

use crate::mark::{By, Mark};

/// Everything found in one document, in bytes of its text.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoredFindings {
    pub(crate) spans: Vec<FoundSpan>,
    /// Candidates left in the text. `spared` and `voices` are the names in older review files.
    #[serde(alias = "spared")]
    pub(crate) below_threshold: Vec<FoundSpan>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct FoundSpan {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) label: Label,
    pub(crate) role: Role,
    pub(crate) score: f32,
    pub(crate) sources: Vec<String>,
    #[serde(alias = "voices")]
    pub(crate) mentions: Vec<StoredMention>,
}

/// One detector's mention, with its reason.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct StoredMention {
    pub(crate) source: String,
    /// `None` where it said that this identifies nobody.
    pub(crate) label: Option<Label>,
    pub(crate) score: f32,
    pub(crate) why: String,
    start: usize,
    end: usize,
}

impl StoredFindings {
    pub(crate) fn of(findings: &Findings) -> StoredFindings {
        let spans = |entities: &[Entity]| entities.iter().map(FoundSpan::of).collect();
        StoredFindings { spans: spans(&findings.entities), below_threshold: spans(&findings.below_threshold) }
    }

    /// Where a reviewer starts.
    pub(crate) fn marks(&self) -> Vec<Mark> {
        let mark =
            |s: &FoundSpan| Mark { start: s.start, end: s.end, label: s.label, role: s.role, by: By::Found };
        self.spans.iter().map(mark).collect()
    }

    /// Marks as the rewriter takes them; what was found with the same borders and label keeps its mentions.
    pub(crate) fn entities(&self, marks: &[Mark]) -> Vec<Entity> {
        marks.iter().map(|mark| self.entity(mark)).collect()
    }

    fn entity(&self, mark: &Mark) -> Entity {
        let known = self.spans.iter().find(|s| (s.start..s.end) == mark.range() && s.label == mark.label);
        let mentions =
            known.map(|s| s.mentions.iter().filter_map(StoredMention::mention).collect()).unwrap_or_default();
        Entity {
            span: Span::new(mark.start, mark.end),
            label: mark.label,
            role: mark.role,
            score: Score::CERTAIN,
            sources: SourceSet::from_iter([Source::Reviewer]),
            doubtful_value: false,
            mentions,
        }
    }
}

impl FoundSpan {
    fn of(entity: &Entity) -> FoundSpan {
        let mention = |v: &Mention| StoredMention {
            source: v.source.key().to_owned(),
            label: v.label(),
            score: v.score.get(),
            why: v.why.to_string(),
            start: v.span.start(),
            end: v.span.end(),
        };
        FoundSpan {
            start: entity.span.start(),
            end: entity.span.end(),
            label: entity.label,
            role: entity.role,
            score: entity.score.get(),
            sources: entity.sources.iter().map(|s| s.key().to_owned()).collect(),
            mentions: entity.mentions.iter().map(mention).collect(),
        }
    }
}

impl StoredMention {
    fn mention(&self) -> Option<Mention> {
        let source = Source::from_key(&self.source).ok()?;
        let span = Span::new(self.start, self.end.max(self.start));
        Some(match self.label {
            Some(label) => Mention::phi(span, label, self.score, source, self.why.clone()),
            None => Mention::clear(span, self.score, source, self.why.clone()),
        })
    }
}
