//! `cargo corpus generate`: invented hospital documents with their spans, to train and measure on.
//!
//! Templates are data (`templates/`, see [`template`]); people, numbers and dates are invented ([`people`],
//! [`numbers`], [`dates`]); medical prose may be given to carry them ([`prose`]); [`crate::noise`] spoils the result as
//! software and scanners do. The same seed gives the same bytes. Families marked held-out are never mixed with
//! the others: they are what a model trained on this text is measured on.

mod dates;
pub(crate) mod names;
mod numbers;
mod people;
mod prose;
mod render;
mod slots;
mod template;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use taire_text::Language;

use crate::{Error, Rng};

use crate::cells::Span;
use names::Names;
use prose::Prose;
use render::{Lists, Stock};
use template::Library;

const FRENCH: &[(&str, &str)] = &[
    ("fr/words.txt", include_str!("templates/fr/words.txt")),
    ("fr/letters.txt", include_str!("templates/fr/letters.txt")),
    ("fr/forms.txt", include_str!("templates/fr/forms.txt")),
    ("fr/notes.txt", include_str!("templates/fr/notes.txt")),
    ("fr/results.txt", include_str!("templates/fr/results.txt")),
    ("fr/snippets.txt", include_str!("templates/fr/snippets.txt")),
    ("fr/prose.txt", include_str!("templates/fr/prose.txt")),
];

const SPANISH: &[(&str, &str)] = &[
    ("es/words.txt", include_str!("templates/es/words.txt")),
    ("es/letters.txt", include_str!("templates/es/letters.txt")),
    ("es/notes.txt", include_str!("templates/es/notes.txt")),
    ("es/snippets.txt", include_str!("templates/es/snippets.txt")),
    ("es/prose.txt", include_str!("templates/es/prose.txt")),
];

#[derive(Serialize)]
struct Document<'a> {
    id: String,
    text: String,
    family: &'a str,
    spans: Vec<Span>,
}

struct Generator {
    language: Language,
    library: Library,
    names: Names,
    prose: Prose,
    held_out: bool,
    seed: u64,
}

impl Generator {
    fn new(language: Language, held_out: bool, seed: u64, prose: Option<&Path>) -> Result<Generator, String> {
        let (files, own) = match language {
            Language::Fr => (FRENCH, include_str!("templates/fr/cases.txt")),
            Language::Es => (SPANISH, include_str!("templates/es/cases.txt")),
        };
        let library = Library::read(files)?;
        let prose = match prose {
            Some(path) => Prose::read(path, language, held_out)?,
            None => Prose::from_texts(own.split("\n\n"), language)?,
        };
        Ok(Generator { language, library, names: Names::of(language), prose, held_out, seed })
    }

    fn each(
        &self,
        count: u64,
        mut take: impl FnMut(Document<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        let stock = Stock {
            library: &self.library,
            names: &self.names,
            prose: &self.prose,
            lists: Lists::of(&self.library)?,
        };
        let families: Vec<_> = self.library.families.iter().filter(|f| f.held_out == self.held_out).collect();
        for index in 0..count {
            let mut rng = Rng::of_document(self.seed, index);
            let family = families[rng.weighted(families.iter().map(|f| f.weight))];
            let variant = &family.variants[rng.below(family.variants.len())];
            let (text, spans) = render::document(&stock, variant, rng).finish();
            let id = format!(
                "{}-{}-{index:06}",
                if self.language == Language::Fr { "fr" } else { "es" },
                self.seed
            );
            take(Document { id, text, family: &family.name, spans })?;
        }
        Ok(())
    }
}

/// What to generate, for those who want documents and no file.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub language: Language,
    pub held_out: bool,
    pub documents: u64,
    pub seed: u64,
    /// Where the medical prose comes from; without it, the project's own.
    pub prose: Option<&'a Path>,
}

/// A generated document. Spans count code points; labels are written `Label:Role`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    pub id: String,
    pub text: String,
    pub spans: Vec<(usize, usize, String)>,
}

/// Generates documents; the same request gives the same ones.
pub fn documents(request: &Request<'_>) -> Result<Vec<Generated>, Error> {
    let generator = Generator::new(request.language, request.held_out, request.seed, request.prose)?;
    let mut out = Vec::new();
    generator.each(request.documents, |document| {
        let spans = document.spans.iter().map(|s| (s.start, s.end, s.mark.name())).collect();
        out.push(Generated { id: document.id, text: document.text, spans });
        Ok(())
    })?;
    Ok(out)
}

/// How often each label and each family occurred.
pub type Tally = BTreeMap<String, usize>;

/// Writes documents as JSONL and counts what they hold.
pub fn write(request: &Request<'_>, output: &Path) -> Result<Tally, Error> {
    let generator = Generator::new(request.language, request.held_out, request.seed, request.prose)?;
    let fail = |e: std::io::Error| format!("cannot write {}: {e}", output.display());
    let mut out = std::io::BufWriter::new(std::fs::File::create(output).map_err(fail)?);
    let mut tally = Tally::new();
    generator.each(request.documents, |document| {
        *tally.entry(format!("family {}", document.family)).or_default() += 1;
        for span in &document.spans {
            *tally.entry(format!("label {}", span.mark.name())).or_default() += 1;
        }
        let line = serde_json::to_string(&document).map_err(|e| e.to_string())?;
        writeln!(out, "{line}").map_err(fail)
    })?;
    out.flush().map_err(fail)?;
    Ok(tally)
}
