//! What is found of each tier of the annotation guidelines, and what is found that is nothing.

use std::collections::BTreeMap;
use std::fmt;

use taire::Pipeline;
use taire_corpus::MarkedDocument;
use taire_text::scheme::{Scheme, SchemeSpan, project};
use taire_text::{Label, Note, Tier};

use crate::error::Error;

/// A share.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Share {
    pub(crate) hits: usize,
    pub(crate) all: usize,
}

impl Share {
    fn count(&mut self, hit: bool) {
        self.hits += usize::from(hit);
        self.all += 1;
    }

    pub(crate) fn value(self) -> f64 {
        if self.all == 0 { 1.0 } else { self.hits as f64 / self.all as f64 }
    }
}

/// The figures of some letters.
#[derive(Clone, Default, Debug)]
pub(crate) struct Figures {
    pub(crate) direct: Share,
    pub(crate) indirect: Share,
    pub(crate) detail: Share,
    pub(crate) clean: Share,
    /// Letters and digits that were found, and those of them that are marked.
    pub(crate) precision: Share,
    pub(crate) covered: Share,
    pub(crate) labels: BTreeMap<Label, Share>,
    /// Found where nothing is marked, by label and sources.
    pub(crate) wrong: BTreeMap<(Label, String), usize>,
    pub(crate) mistakes: Vec<String>,
}

impl Figures {
    /// One number to choose models by.
    pub(crate) fn value(&self) -> f32 {
        let value = 4.0 * self.direct.value()
            + self.clean.value()
            + self.indirect.value()
            + 0.5 * self.detail.value()
            + 2.0 * self.precision.value();
        value as f32
    }

    /// Adds one letter.
    pub(crate) fn add(&mut self, letter: &MarkedDocument, spans: &[SchemeSpan]) {
        let text = &letter.text;
        let mut found = vec![false; text.len()];
        let mut marked = vec![false; text.len()];
        for span in spans {
            found[span.span.range()].fill(true);
        }
        for span in &letter.spans {
            marked[span.start..span.end].fill(true);
        }
        let mut clean = true;
        for span in &letter.spans {
            let (range, label) = (span.start..span.end, &span.label);
            let words = span.of(text);
            let hit = words.char_indices().all(|(i, c)| !c.is_alphanumeric() || found[range.start + i]);
            let tier = Tier::of_span(*label, Some(words));
            self.labels.entry(*label).or_default().count(hit);
            match tier {
                Some(Tier::Direct) => self.direct.count(hit),
                Some(Tier::Indirect) => self.indirect.count(hit),
                Some(Tier::Detail) => self.detail.count(hit),
                None => {}
            }
            clean &= hit || tier != Some(Tier::Direct);
            if !hit {
                self.mistakes
                    .push(format!("missed {label} {}", shown(text, range.start, range.end, &letter.id)));
            }
        }
        if !letter.spans.is_empty() {
            self.clean.count(clean);
        }
        for found in spans {
            let Ok(label) = found.label.parse::<Label>() else { continue };
            if Tier::of_span(label, None).is_none() {
                continue;
            }
            let range = found.span.range();
            let mut any = false;
            for (i, _) in text[range.clone()].char_indices().filter(|(_, c)| c.is_alphanumeric()) {
                any |= marked[range.start + i];
                self.precision.count(marked[range.start + i]);
            }
            if !any {
                let sources: Vec<_> = found.sources.iter().map(|s| s.key()).collect();
                let sources = sources.join("+");
                self.mistakes.push(format!(
                    "wrong {} {sources} {:.2} {}",
                    label,
                    found.score.get(),
                    shown(text, range.start, range.end, &letter.id)
                ));
                *self.wrong.entry((label, sources)).or_default() += 1;
            }
        }
        for (i, _) in text.char_indices().filter(|(i, c)| c.is_alphanumeric() && marked[*i]) {
            self.covered.count(found[i]);
        }
    }
}

/// A stretch with its neighbours, on one line. The letters are invented.
fn shown(text: &str, start: usize, end: usize, id: &str) -> String {
    let from = text[..start].char_indices().rev().nth(24).map_or(0, |(i, _)| i);
    let to = text[end..].char_indices().nth(24).map_or(text.len(), |(i, _)| end + i);
    let line = format!("{}⟦{}⟧{} ({id})", &text[from..start], &text[start..end], &text[end..to]);
    line.replace('\n', "⏎")
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "direct {:.4} clean {:.3} indirect {:.4} detail {:.4} precision {:.4} covered {:.4}",
            self.direct.value(),
            self.clean.value(),
            self.indirect.value(),
            self.detail.value(),
            self.precision.value(),
            self.covered.value()
        )
    }
}

/// Runs the pipeline over the letters of its language.
pub(crate) fn measure(pipeline: &Pipeline, letters: &[&MarkedDocument]) -> Result<Figures, Error> {
    let mut figures = Figures::default();
    for letter in letters {
        let mut notes = [Note::builder(&letter.id, &letter.text).language(Some(letter.language)).build()?];
        let entities = pipeline.detect(&mut notes)?.pop().unwrap_or_default();
        figures.add(letter, &project(Scheme::Taire, &letter.text, &entities));
    }
    Ok(figures)
}
