//! The documents that calibration is fitted and measured on, with their gold in our labels.

use std::path::Path;

use taire_eval::Corpus;
use taire_text::scheme::{Scheme, read_gold};
use taire_text::{Entity, Group, Language, Raw, Span};

use taire_corpus::generate::{self, Request};

pub(super) struct Set {
    pub(super) name: &'static str,
    /// What gold can say.
    pub(super) scheme: Scheme,
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
    let annotated = Set { name, scheme, documents: read.collect::<Result<_, _>>()? };
    let request = Request { language, held_out: true, documents: GENERATED, seed: SEED, prose };
    let read = generate::documents(&request)?.into_iter().map(|doc| {
        let plain = |label: &str| label.split(':').next().unwrap_or(label).to_owned();
        let spans: Vec<_> = doc.spans.iter().map(|(a, b, label)| (*a, *b, plain(label))).collect();
        Document::read(Scheme::Taire, &doc.id, &doc.text, &spans)
    });
    let documents = read.collect::<Result<_, _>>()?;
    Ok(vec![annotated, Set { name: invented, scheme: Scheme::Taire, documents }])
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
