//! What a policy looks for by itself: its own patterns and deny-lists, and text it allows to stay.

use regex::{Regex, RegexBuilder};
use taire_text::{Label, Mention, Note, Raw, Role, Source, Span};

use crate::Error;
use crate::phrases::{Known, Phrases};

/// How sure a deny-list is: surer than any rule that guesses.
const DENIED: f32 = 0.99;

/// Patterns, deny-lists and allowed text of one policy. Built once, shared by all threads.
#[derive(Default)]
pub struct OwnRules {
    patterns: Vec<OwnPattern>,
    denied: Phrases,
    allowed: Vec<Allowed>,
}

struct OwnPattern {
    regex: Regex,
    label: Label,
    role: Role,
    score: f32,
    why: String,
}

struct Allowed {
    phrases: Phrases,
    /// Empty for all.
    labels: Vec<Label>,
}

impl std::fmt::Debug for OwnRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OwnRules({} patterns)", self.patterns.len())
    }
}

impl OwnRules {
    /// Adds a pattern. Where it has a group, the first group is what is found, else the whole match.
    pub fn add_pattern(
        &mut self,
        name: &str,
        regex: &str,
        label: Label,
        role: Role,
        score: f32,
    ) -> Result<(), Error> {
        let built = RegexBuilder::new(regex).size_limit(1 << 20).build();
        let regex = built.map_err(|e| Error::new(format!("pattern `{name}`: {e}")))?;
        if regex.is_match("") {
            return Err(Error::new(format!(
                "pattern `{name}` matches the empty text: it would be found everywhere; ask for one character at least"
            )));
        }
        let why = format!("pattern of the policy: {name}");
        self.patterns.push(OwnPattern { regex, label, role, score, why });
        Ok(())
    }

    /// Adds words that are hidden wherever they occur; case, accents and hyphens do not count.
    pub fn deny<'w>(&mut self, words: impl Iterator<Item = &'w str>, label: Label, role: Role) {
        for word in words {
            let known = Known::new(label, role);
            self.denied.add_phrase(word, known);
            if word.contains(|c: char| c.is_ascii_digit()) {
                self.denied.add_code(word, known);
            }
        }
    }

    /// Adds words that stay where a detector would hide them, under these labels or, without any, under all.
    pub fn allow<'w>(&mut self, words: impl Iterator<Item = &'w str>, labels: &[Label]) {
        let mut phrases = Phrases::default();
        words.for_each(|word| phrases.add_phrase(word, Known::new(Label::OtherDetail, Role::Unknown)));
        phrases.build();
        if !phrases.is_empty() {
            self.allowed.push(Allowed { phrases, labels: labels.to_vec() });
        }
    }

    /// Prepares the look-up; to be called once after the last word.
    #[must_use]
    pub fn built(mut self) -> Self {
        self.denied.build();
        self
    }

    /// Adds what patterns and deny-lists find in an annotated note.
    pub fn find(&self, note: &Note, out: &mut Vec<Mention>) {
        for pattern in &self.patterns {
            for found in pattern.regex.captures_iter(note.norm()) {
                let Some(at) = found.get(1).or_else(|| found.get(0)).filter(|m| !m.is_empty()) else {
                    continue;
                };
                let span = note.to_raw(Span::new(at.start(), at.end()));
                let mention =
                    Mention::phi(span, pattern.label, pattern.score, Source::Pattern, pattern.why.clone());
                out.push(mention.with_role(pattern.role));
            }
        }
        if !self.denied.is_empty() {
            self.denied.search(note, |hit| {
                let span = note.raw_of_tokens(hit.first, hit.last);
                let why = "deny-list of the policy";
                let mention = Mention::phi(span, hit.known.label, DENIED, Source::Metadata, why);
                out.push(mention.with_role(hit.known.role));
            });
        }
    }

    /// Where the note holds text that is allowed to stay.
    pub fn allowed_spans(&self, note: &Note) -> AllowedSpans<'_> {
        let mut spans = Vec::new();
        for allowed in &self.allowed {
            let push = |hit: crate::phrases::Hit| {
                spans.push((note.raw_of_tokens(hit.first, hit.last), &*allowed.labels));
            };
            allowed.phrases.search(note, push);
        }
        AllowedSpans(spans)
    }
}

/// Text of one note that is allowed to stay.
#[derive(Debug)]
pub struct AllowedSpans<'a>(Vec<(Span<Raw>, &'a [Label])>);

impl AllowedSpans<'_> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a finding lies wholly inside allowed text.
    pub fn hold(&self, span: Span<Raw>, label: Label) -> bool {
        self.0.iter().any(|(at, labels)| at.contains(span) && (labels.is_empty() || labels.contains(&label)))
    }
}
