//! What somebody who reads a document learns from it, found by the detectors of the program itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use taire::batch::ordered;
use taire::run::{Event, Reading};
use taire::{Engine, Error};
use taire_eval::retain::{Family, families};
use taire_formats::{Document, ReadOptions, discover};
use taire_text::{Entity, Label, Language, Note, Source, SourceSet, date, fold};

/// The identifying parts of one document, in the order of its text.
#[derive(Default)]
pub(crate) struct Observed {
    pub(crate) id: String,
    pub(crate) patient: Option<String>,
    pub(crate) date: Option<Date>,
    pub(crate) known_birth: Option<Date>,
    pub(crate) known_town: Option<String>,
    pub(crate) found: Vec<ObservedSpan>,
    /// Folded words outside what was found.
    pub(crate) words: Vec<String>,
    /// Diseases it names.
    pub(crate) families: BTreeSet<Family>,
}

/// One identifier that was found in a document.
pub(crate) struct ObservedSpan {
    pub(crate) label: Label,
    pub(crate) text: String,
    /// The day of a date written whole.
    pub(crate) day: Option<i32>,
    pub(crate) sources: SourceSet,
    /// Code points.
    pub(crate) span: (usize, usize),
}

impl Observed {
    pub(crate) fn of(&self, label: Label) -> impl Iterator<Item = &ObservedSpan> {
        self.found.iter().filter(move |f| f.label == label)
    }

    /// The patient's record, or the document where nothing says whose it is.
    pub(crate) fn record(&self) -> &str {
        self.patient.as_deref().unwrap_or(&self.id)
    }

    /// Whether rules found it, and whether a learned detector did: two groups that look in different ways.
    pub(crate) fn captured(sources: SourceSet) -> (bool, bool) {
        let learned = sources.iter().any(Source::is_learned);
        let rules = [Source::Metadata, Source::Structure, Source::Pattern, Source::Lexicon, Source::Initials];
        (rules.into_iter().any(|s| sources.contains(s)), learned)
    }
}

/// Days since the first of the Gregorian calendar's common years; any fixed day would do.
pub(crate) fn number(day: Date) -> i32 {
    jiff::civil::date(1600, 1, 1).until(day).map_or(0, |span| span.get_days())
}

/// The day of a date written whole.
pub(crate) fn day_of(text: &str, language: Language) -> Option<i32> {
    let (partial, _) = date::parse(text, language)?;
    let year = match (partial.year?, partial.two_digit_year) {
        (year, true) if year <= 30 => 2000 + year,
        (year, true) => 1900 + year,
        (year, false) => year,
    };
    Date::new(year, partial.month? as i8, partial.day? as i8).ok().map(number)
}

/// What commands write beside the documents of a run.
pub(crate) const REPORTS: [&str; 8] = [
    "report.json",
    "report.md",
    "manifest.json",
    "risk.json",
    "risk.md",
    "retain.json",
    "retain.md",
    "retain-lost.csv",
];

/// Every document of a file or folder. Documents that cannot be read are counted.
pub(crate) fn corpus(
    engine: &Engine,
    path: &Path,
    options: &ReadOptions,
    jobs: usize,
) -> Result<(Vec<Observed>, usize), Error> {
    let mut options = options.clone();
    options.exclude.extend(REPORTS.iter().map(|report| path.join(report)));
    let discovery = discover(&[PathBuf::from(path)], &options);
    let mut refused = discovery.refused.len();
    let mut out = Vec::new();
    ordered(
        jobs,
        Reading::new(&discovery.inputs, &options).feed(),
        |step| match step.event {
            Event::Document(document) => {
                observe(engine, *document).map_or(Seen::Refused, |o| Seen::Document(Box::new(o)))
            }
            Event::Refused(_) => Seen::Refused,
            Event::Open(..) | Event::Close(_) => Seen::Nothing,
        },
        |seen| -> Result<(), Error> {
            match seen {
                Seen::Document(document) => out.push(*document),
                Seen::Refused => refused += 1,
                Seen::Nothing => {}
            }
            Ok(())
        },
    )?;
    if out.is_empty() {
        return Err(Error::usage(format!("{}: there is no document that can be read", path.display())));
    }
    Ok((out, refused))
}

/// What one event of the reading gave.
enum Seen {
    Document(Box<Observed>),
    Refused,
    Nothing,
}

/// What a reader learns from one document; nothing where it cannot be read.
pub(crate) fn observe(engine: &Engine, document: Document) -> Option<Observed> {
    let note = document.into_note(engine.language()).ok()?;
    let (note, entities) = engine.detect(note).ok()?;
    Some(read(&note, &entities))
}

fn read(note: &Note, entities: &[Entity]) -> Observed {
    let places: BTreeMap<usize, usize> =
        note.raw().char_indices().enumerate().map(|(point, (byte, _))| (byte, point)).collect();
    let point = |byte: usize| places.get(&byte).copied().unwrap_or(places.len());
    let found = entities.iter().map(|e| {
        let text = e.span.of(note.raw());
        let is_date = matches!(e.label, Label::Date | Label::BirthDate);
        ObservedSpan {
            label: e.label,
            text: text.to_owned(),
            day: is_date.then(|| day_of(text, note.language)).flatten(),
            sources: e.sources,
            span: (point(e.span.start()), point(e.span.end())),
        }
    });
    let mut words = Vec::new();
    let mut from = 0;
    for until in entities.iter().map(|e| e.span.start()).chain([note.raw().len()]) {
        let kept = note.raw().get(from..until).unwrap_or("");
        let long = kept.split(|c: char| !c.is_alphabetic()).filter(|w| w.chars().count() >= 4);
        words.extend(long.map(fold));
        from = entities.iter().find(|e| e.span.start() == until).map_or(until, |e| e.span.end());
    }
    Observed {
        id: note.id.clone(),
        patient: note.patient.clone().map(String::from),
        date: note.date,
        known_birth: note.known.birth_date,
        known_town: note.known.address.as_ref().and_then(|a| a.city.as_deref()).map(fold),
        found: found.collect(),
        words,
        families: families(note),
    }
}
