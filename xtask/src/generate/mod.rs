//! `cargo xtask generate`: invented hospital documents with their spans, to train and measure on.
//!
//! Templates are data (`templates/`, see [`template`]); people, numbers and dates are invented ([`people`],
//! [`numbers`], [`dates`]); medical prose may be given to carry them ([`prose`]); [`noise`] spoils the result as
//! software and scanners do. The same seed gives the same bytes. Families marked held-out are never mixed with
//! the others: they are what a model trained on this text is measured on.

mod cells;
mod dates;
mod names;
mod noise;
mod numbers;
mod people;
mod prose;
mod render;
mod rng;
mod slots;
mod template;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use taire_text::Language;

use cells::Span;
use names::Names;
use prose::Prose;
use render::{Lists, Stock};
pub(crate) use rng::Rng;
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

const USAGE: &str = "generate --lang fr|es --documents N --seed S -o FILE.jsonl \
                     [--families held-in|held-out] [--prose PATH] [--counts]";

struct Options {
    language: Language,
    documents: u64,
    seed: u64,
    output: PathBuf,
    held_out: bool,
    prose: Option<PathBuf>,
    counts: bool,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let (mut language, mut documents, mut seed, mut output) = (None, None, 1, None);
        let (mut held_out, mut prose, mut counts) = (false, None, false);
        let mut rest = args.iter();
        while let Some(option) = rest.next() {
            if option == "--counts" {
                counts = true;
                continue;
            }
            let value = rest.next().ok_or(format!("`{option}` lacks its value; usage: {USAGE}"))?;
            let number =
                || value.parse::<u64>().map_err(|_| format!("`{option} {value}` is no whole number"));
            match option.as_str() {
                "--lang" if value == "fr" => language = Some(Language::Fr),
                "--lang" if value == "es" => language = Some(Language::Es),
                "--lang" => return Err(format!("unknown language `{value}`; known: fr, es")),
                "--documents" => documents = Some(number()?),
                "--seed" => seed = number()?,
                "-o" => output = Some(PathBuf::from(value)),
                "--families" if value == "held-in" => held_out = false,
                "--families" if value == "held-out" => held_out = true,
                "--families" => return Err(format!("unknown families `{value}`; known: held-in, held-out")),
                "--prose" => prose = Some(PathBuf::from(value)),
                other => return Err(format!("unknown option `{other}`; usage: {USAGE}")),
            }
        }
        match (language, documents, output) {
            (Some(language), Some(documents), Some(output)) => {
                Ok(Options { language, documents, seed, output, held_out, prose, counts })
            }
            _ => Err(format!("--lang, --documents and -o are needed; usage: {USAGE}")),
        }
    }
}

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
pub(crate) struct Request<'a> {
    pub(crate) language: Language,
    pub(crate) held_out: bool,
    pub(crate) documents: u64,
    pub(crate) seed: u64,
    /// Where the medical prose comes from; without it, the project's own.
    pub(crate) prose: Option<&'a Path>,
}

/// A generated document. Spans count code points; labels are written `Label:Role`.
pub(crate) struct Generated {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) spans: Vec<(usize, usize, String)>,
}

/// Generates documents; the same request gives the same ones.
pub(crate) fn documents(request: &Request<'_>) -> Result<Vec<Generated>, String> {
    let generator = Generator::new(request.language, request.held_out, request.seed, request.prose)?;
    let mut out = Vec::new();
    generator.each(request.documents, |document| {
        let spans = document.spans.iter().map(|s| (s.start, s.end, s.mark.name())).collect();
        out.push(Generated { id: document.id, text: document.text, spans });
        Ok(())
    })?;
    Ok(out)
}

/// Runs the chore.
pub(super) fn run(args: &[String]) -> Result<(), String> {
    let options = Options::parse(args)?;
    let generator =
        Generator::new(options.language, options.held_out, options.seed, options.prose.as_deref())?;
    let fail = |e: std::io::Error| format!("cannot write {}: {e}", options.output.display());
    let mut out = std::io::BufWriter::new(std::fs::File::create(&options.output).map_err(fail)?);
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    let mut families: BTreeMap<String, usize> = BTreeMap::new();
    generator.each(options.documents, |document| {
        if options.counts {
            *families.entry(document.family.to_owned()).or_default() += 1;
            for span in &document.spans {
                *labels.entry(span.mark.name()).or_default() += 1;
            }
        }
        let line = serde_json::to_string(&document).map_err(|e| e.to_string())?;
        writeln!(out, "{line}").map_err(fail)
    })?;
    out.flush().map_err(fail)?;
    for (name, count) in labels.iter().chain(&families) {
        println!("{count:>8}  {name}");
    }
    Ok(())
}
