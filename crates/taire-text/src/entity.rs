//! What detectors say (mentions) and what is decided from it (entities).

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::label::closed_set;
use crate::{Error, Label, Raw, Role, Span};
use serde::{Deserialize, Serialize};

closed_set! {
    /// Who saw a mention.
    Source, "source" {
        Metadata, Structure, Pattern, Lexicon, Initials, Crf, Transformer, AllowList, Trusted, Reviewer, Guard, Student,
    }
}

impl Source {
    /// The name written in annotations and policies.
    pub fn key(self) -> &'static str {
        match self {
            Source::Metadata => "metadata",
            Source::Structure => "structure",
            Source::Pattern => "pattern",
            Source::Lexicon => "lexicon",
            Source::Initials => "initials",
            Source::Crf => "crf",
            Source::Transformer => "transformer",
            Source::AllowList => "allow-list",
            Source::Trusted => "trusted",
            Source::Reviewer => "reviewer",
            Source::Guard => "guard",
            Source::Student => "student",
        }
    }

    /// Whether it is a model that learned from annotated documents.
    pub fn is_learned(self) -> bool {
        matches!(self, Source::Crf | Source::Transformer | Source::Student)
    }

    /// The source of that name.
    pub fn from_key(key: &str) -> Result<Source, Error> {
        Source::ALL
            .iter()
            .copied()
            .find(|s| s.key() == key)
            .ok_or_else(|| Error::unknown("source", key, Source::ALL.iter().map(|s| s.key())))
    }
}

/// A small set of sources, printed in the order of [`Source::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct SourceSet(u16);

impl SourceSet {
    pub fn insert(&mut self, source: Source) {
        self.0 |= 1 << source.index();
    }

    pub fn contains(self, source: Source) -> bool {
        self.0 & (1 << source.index()) != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Source> {
        Source::ALL.iter().copied().filter(move |&s| self.contains(s))
    }
}

impl FromIterator<Source> for SourceSet {
    fn from_iter<I: IntoIterator<Item = Source>>(sources: I) -> Self {
        let mut set = SourceSet::default();
        sources.into_iter().for_each(|s| set.insert(s));
        set
    }
}

impl fmt::Debug for SourceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Source::key)).finish()
    }
}

/// How sure a detector is, from 0 to 1.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize, Deserialize)]
pub struct Score(f32);

impl Score {
    pub const CERTAIN: Score = Score(1.0);

    pub const fn new(value: f32) -> Score {
        Score(if value < 0.0 {
            0.0
        } else if value > 1.0 {
            1.0
        } else {
            value
        })
    }

    pub fn get(self) -> f32 {
        self.0
    }

    /// The chance that at least one of two independent mentions is right.
    pub fn either(self, other: Score) -> Score {
        Score(1.0 - (1.0 - self.0) * (1.0 - other.0))
    }

    pub fn max(self, other: Score) -> Score {
        if other.0 > self.0 { other } else { self }
    }
}

/// What a detector says of a stretch of text: it identifies somebody, or it certainly does not
/// (an eponym, a measurement, the date of a law).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Phi(Label),
    Clear,
}

/// A reason a person can read. It names the rule, never the text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Why(Cow<'static, str>);

impl From<&'static str> for Why {
    fn from(s: &'static str) -> Self {
        Why(Cow::Borrowed(s))
    }
}

impl From<String> for Why {
    fn from(s: String) -> Self {
        Why(Cow::Owned(s))
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One detector's mention of a span.
#[derive(Clone, PartialEq, Debug)]
pub struct Mention {
    pub span: Span<Raw>,
    pub verdict: Verdict,
    pub role: Role,
    pub score: Score,
    pub source: Source,
    pub why: Why,
}

impl Mention {
    pub fn phi(span: Span<Raw>, label: Label, score: f32, source: Source, why: impl Into<Why>) -> Self {
        Mention {
            span,
            verdict: Verdict::Phi(label),
            role: Role::Unknown,
            score: Score::new(score),
            source,
            why: why.into(),
        }
    }

    pub fn clear(span: Span<Raw>, score: f32, source: Source, why: impl Into<Why>) -> Self {
        Mention {
            span,
            verdict: Verdict::Clear,
            role: Role::Unknown,
            score: Score::new(score),
            source,
            why: why.into(),
        }
    }

    pub fn with_role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    pub fn label(&self) -> Option<Label> {
        match self.verdict {
            Verdict::Phi(label) => Some(label),
            Verdict::Clear => None,
        }
    }
}

/// What was decided of a stretch of text. Entities of a note are disjoint and sorted.
#[derive(Clone, PartialEq, Debug)]
pub struct Entity {
    pub span: Span<Raw>,
    pub label: Label,
    pub role: Role,
    pub score: Score,
    pub sources: SourceSet,
    /// It may be a clinical value and is not sure: a tag is written for it, never another value.
    pub doubtful_value: bool,
    /// Every mention of its text, for `explain`.
    pub mentions: Vec<Mention>,
}
