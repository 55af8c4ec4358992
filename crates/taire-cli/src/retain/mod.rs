//! `retain`: what medicine is kept in documents that were de-identified.
//!
//! Both corpora are read, documents are put side by side by their ids, and their medical terms are counted as
//! `taire-eval` does. What was lost is listed for a person in a file of their own: a lost term may be an eponym that
//! was also somebody's name.

mod print;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use taire::batch::ordered;
use taire_eval::retain::{Category, Retention, Terms, terms};
use taire_formats::{AtomicFile, Document, ReadOptions, discover};
use taire_text::{Language, Note};

use crate::args::{Lang, OutputFormat, jobs, language, share};
use crate::feed::{Event, Feed};
use crate::risk::REPORTS;
use crate::{Outcome, Usage};

#[derive(Args, Debug)]
pub(crate) struct RetainArgs {
    /// The original documents: a file or a folder
    original: PathBuf,
    /// The same documents, de-identified
    deidentified: PathBuf,
    /// Folder for retain.md, retain.json and retain-lost.csv; without it the report is printed
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Print the lost terms too; one of them may be a name
    #[arg(long)]
    show_lost: bool,
    /// Exit with status 1 if less than this share of a category is kept, 0 to 1
    #[arg(long, value_name = "X", value_parser = share)]
    at_least: Option<f32>,
    /// Language of the documents
    #[arg(long, value_name = "fr|es|auto", default_value = "auto", value_parser = language)]
    lang: Lang,
    /// Threads; by default one for each core
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Print the counts as JSON on standard output
    #[arg(long, value_enum)]
    format: Option<OutputFormat>,
}

/// All that is told, for a program.
#[derive(Serialize)]
pub(crate) struct Kept {
    command: &'static str,
    version: &'static str,
    documents: usize,
    /// Documents of the original that the release does not hold.
    not_released: usize,
    refused: usize,
    categories: Retention,
    all: taire_eval::retain::Tally,
}

/// A term that is gone from a document, and how often.
type Lost = BTreeMap<(String, Category, String), usize>;

pub(crate) fn retain(args: &RetainArgs) -> Result<Outcome, Usage> {
    let (kept, lost) = of_corpora(args)?;
    let markdown = print::markdown(&kept, &lost);
    let json = serde_json::to_string_pretty(&kept)? + "\n";
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder)
            .map_err(|e| Usage(format!("{}: cannot be made: {}", folder.display(), e.kind())))?;
        for (name, content) in [("retain.md", &markdown), ("retain.json", &json)] {
            let mut file = AtomicFile::create(&folder.join(name))?;
            file.write_all(content.as_bytes())?;
            file.finish()?;
        }
        let mut file = AtomicFile::create_private(&folder.join("retain-lost.csv"))?;
        file.write_all(print::list(&lost).as_bytes())?;
        file.finish()?;
    }
    match (args.format, &args.output) {
        (Some(OutputFormat::Json), _) => print!("{json}"),
        (_, None) => print!("{markdown}"),
        _ => {}
    }
    if args.show_lost {
        print!("{}", print::list(&lost));
    }
    let below = |least: f32| {
        Category::ALL.iter().any(|&c| kept.categories.of(c).share().is_some_and(|s| s < f64::from(least)))
    };
    Ok(if kept.refused > 0 || args.at_least.is_some_and(below) {
        Outcome::SomeRefused
    } else {
        Outcome::Done
    })
}

fn of_corpora(args: &RetainArgs) -> Result<(Kept, Lost), Usage> {
    let mut originals = BTreeMap::new();
    let mut seen = BTreeMap::new();
    let read = |document: Document| {
        let note = note(document, args.lang.0)?;
        Some((note.language, terms(&note), note.id))
    };
    let mut refused = corpus(args, &args.original, read, |(language, terms, id)| {
        originals.insert(numbered(&mut seen, id), (language, terms));
    })?;
    let mut retention = Retention::default();
    let (mut lost, mut seen, mut documents) = (Lost::new(), BTreeMap::new(), 0);
    // What was masked must not change the language that a document is read in.
    let languages: BTreeMap<&str, Language> =
        originals.iter().map(|((id, _), (language, _))| (id.as_str(), *language)).collect();
    let read = |document: Document| {
        let language = languages.get(document.id.as_str()).copied();
        let note = note(document, language)?;
        Some((terms(&note), note.id))
    };
    refused += corpus(args, &args.deidentified, read, |(after, id): (Terms, String)| {
        let Some((_, before)) = originals.get(&numbered(&mut seen, id.clone())) else { return };
        documents += 1;
        retention.add(before, &after, |category, term| {
            *lost.entry((id.clone(), category, term.to_owned())).or_default() += 1;
        });
    })?;
    if documents == 0 {
        return Err(Usage(
            "no document of the original has its id in the de-identified corpus; give the folder that `taire deid -o` wrote".into(),
        ));
    }
    let kept = Kept {
        command: "retain",
        version: env!("CARGO_PKG_VERSION"),
        documents,
        not_released: originals.len() - documents,
        refused,
        categories: retention,
        all: retention.all(),
    };
    Ok((kept, lost))
}

/// An id with its number among documents of that id.
fn numbered(seen: &mut BTreeMap<String, usize>, id: String) -> (String, usize) {
    let n = seen.entry(id.clone()).or_default();
    *n += 1;
    (id, *n)
}

fn note(document: Document, language: Option<Language>) -> Option<Note> {
    Note::builder(document.id, document.text).language(language.or(document.language)).build().ok()
}

/// Reads every document of a file or folder, and tells how many could not be.
fn corpus<T: Send>(
    args: &RetainArgs,
    path: &Path,
    read: impl Fn(Document) -> Option<T> + Sync,
    mut each: impl FnMut(T),
) -> Result<usize, Usage> {
    let mut options = ReadOptions::default();
    options.exclude.extend(REPORTS.iter().map(|report| path.join(report)));
    options.exclude.extend(args.output.clone());
    let discovery = discover(&[PathBuf::from(path)], &options);
    let mut refused = 0;
    let mut refuse = |why: &str| {
        eprintln!("taire: refused {why}");
        refused += 1;
    };
    discovery.refused.iter().for_each(|refusal| refuse(&refusal.to_string()));
    let mut all = 0;
    ordered(
        jobs(args.jobs),
        Feed::new(&discovery.inputs, &options),
        |step| match step.event {
            Event::Document(document) => {
                let id = document.id.clone();
                read(*document).map(Some).ok_or_else(|| format!("{id}: it cannot be read"))
            }
            Event::Refused(refusal) => Err(refusal.to_string()),
            Event::Open(..) | Event::Close(_) => Ok(None),
        },
        |seen| -> Result<(), Usage> {
            match seen {
                Ok(Some(found)) => {
                    all += 1;
                    each(found);
                }
                Ok(None) => {}
                Err(why) => refuse(&why),
            }
            Ok(())
        },
    )?;
    if all == 0 {
        return Err(Usage(format!("{}: there is no document that can be read", path.display())));
    }
    Ok(refused)
}
