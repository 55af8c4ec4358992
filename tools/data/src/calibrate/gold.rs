//! The documents that calibration is fitted and measured on, with their gold in our labels.

use std::path::Path;

use taire_eval::Corpus;
use taire_text::scheme::{Scheme, read_gold};
use taire_text::{Entity, Group, Label, Language, Raw, Span};

use taire_corpus::Split;
use taire_corpus::generate::{self, Request};

use crate::letters;

pub(super) struct Set {
    pub(super) name: &'static str,
    /// What gold can say.
    pub(super) scheme: Scheme,
    /// Labels of the scheme that its annotators left unmarked.
    pub(super) unmarked: &'static [Label],
    pub(super) documents: Vec<Document>,
}

pub(super) struct Document {
    pub(super) id: String,
    pub(super) text: String,
    spans: Vec<(Span<Raw>, Group)>,
}

/// Seeds other than those of training.
const GENERATED: u64 = 400;
const SEED: u64 = 20_261_201;

pub(super) fn sets(language: Language, corpora: &Path) -> Result<Vec<Set>, String> {
    let prose = corpora.join("e3c-fr/cases.jsonl");
    let (name, invented, scheme, path, prose) = match language {
        Language::Fr => {
            let path = corpora.join("eds-notes/dev.jsonl");
            ("eds-notes dev", "generated French, held-out templates", Scheme::Eds, path, Some(&*prose))
        }
        Language::Es => {
            let path = corpora.join("meddocan/dev");
            ("MEDDOCAN dev", "generated Spanish, held-out templates", Scheme::Meddocan, path, None)
        }
    };
    let corpus = Corpus::read(&path).map_err(|e| e.to_string())?;
    let tags = |doc: &taire_eval::Doc| doc.spans.iter().map(|t| (t.start, t.end, t.label.clone())).collect();
    let read = corpus.docs().map(|doc| {
        let spans: Vec<_> = tags(doc);
        Document::read(scheme, &doc.id, doc.text.as_deref().unwrap_or(""), &spans)
    });
    let annotated = Set { name, scheme, unmarked: &[], documents: read.collect::<Result<_, _>>()? };
    let request = Request { language, held_out: true, documents: GENERATED, seed: SEED, prose };
    let read = generate::documents(&request)?.into_iter().map(|doc| {
        let plain = |label: &str| label.split(':').next().unwrap_or(label).to_owned();
        let spans: Vec<_> = doc.spans.iter().map(|(a, b, label)| (*a, *b, plain(label))).collect();
        Document::read(Scheme::Taire, &doc.id, &doc.text, &spans)
    });
    let documents = read.collect::<Result<_, _>>()?;
    let generated = Set { name: invented, scheme: Scheme::Taire, unmarked: &[], documents };
    Ok(vec![annotated, generated, letters(language)?])
}

/// The letters of the open corpus for development, and its documents without identities.
fn letters(language: Language) -> Result<Set, String> {
    let corpus = crate::root().join("corpus");
    let failed = |e: crate::error::Error| e.to_string();
    let mut letters = letters::read(&corpus, Split::Dev).map_err(failed)?;
    letters.extend(letters::read_untouched(&corpus, Split::Dev).map_err(failed)?);
    let read = letters.into_iter().filter(|letter| letter.language == language).map(|letter| {
        let spans = letter.spans.iter().map(|s| (Span::new(s.start, s.end), s.label.group())).collect();
        Document { id: letter.id, text: letter.text, spans }
    });
    let name = match language {
        Language::Fr => "French letters of the open corpus, dev",
        Language::Es => "Spanish letters of the open corpus, dev",
    };
    let unmarked = &[Label::Sex, Label::Kinship];
    Ok(Set { name, scheme: Scheme::Taire, unmarked, documents: read.collect() })
}

impl Document {
    fn read(
        scheme: Scheme,
        id: &str,
        text: &str,
        tags: &[(usize, usize, String)],
    ) -> Result<Document, String> {
        let places: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
        let place = |p: usize| places.get(p).copied().ok_or(format!("{id}: a span lies outside the text"));
        let mut spans = Vec::with_capacity(tags.len());
        for (start, end, label) in tags {
            spans.push((Span::new(place(*start)?, place(*end)?), label.as_str()));
        }
        let gold = read_gold(scheme, text, &spans).map_err(|e| format!("{id}: {e}"))?;
        let spans = gold.iter().map(|g| (g.span, g.label.group())).collect();
        Ok(Document { id: id.to_owned(), text: text.to_owned(), spans })
    }

    fn identifying_bytes(&self, span: Span<Raw>) -> impl Iterator<Item = usize> + '_ {
        let alphanumeric = |&(_, c): &(usize, char)| c.is_alphanumeric();
        span.of(&self.text).char_indices().filter(alphanumeric).map(move |(i, _)| span.start() + i)
    }

    /// Whether most letters and digits of a span lie in gold, of a group if one is asked.
    pub(super) fn holds(&self, span: Span<Raw>, group: Option<Group>) -> bool {
        let gold = |at: usize| {
            self.spans.iter().any(|(s, g)| s.range().contains(&at) && group.is_none_or(|asked| asked == *g))
        };
        let (mut all, mut inside) = (0, 0);
        for at in self.identifying_bytes(span) {
            all += 1;
            inside += usize::from(gold(at));
        }
        2 * inside > all
    }

    /// Whether the entities cover every letter and digit of the gold.
    pub(super) fn is_clean(&self, entities: &[Entity]) -> bool {
        let covered = |at: usize| entities.iter().any(|e| e.span.range().contains(&at));
        self.spans.iter().all(|(span, _)| self.identifying_bytes(*span).all(covered))
    }
}
