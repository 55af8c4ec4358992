//! What somebody who reads a document learns from it, found by the detectors of the program itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use taire::batch::ordered;
use taire::run::{Event, Reading};
use taire::{Engine, Error};
use taire_eval::retain::{Family, families};
use taire_formats::{Document, ReadOptions, discover};
use taire_lang::{Gender, Vocabulary, WordRole};
use taire_surrogate::{RecordNames, Rewriter};
use taire_text::{
    Entity, Label, Language, Note, PatientId, Role, Score, Source, SourceSet, Span, date, fold,
};

/// The identifying parts of one document, in the order of its text.
pub struct Observed {
    pub(crate) id: String,
    pub(crate) patient: Option<String>,
    pub(crate) date: Option<Date>,
    pub(crate) language: Language,
    /// The sex of the patient, from the civil titles of the text.
    pub(crate) sex: Option<Gender>,
    /// Years of birth, from birth dates, social security numbers, and ages beside a year.
    pub(crate) birth_years: Vec<i32>,
    pub(crate) known_birth: Option<Date>,
    pub(crate) known_town: Option<String>,
    pub(crate) found: Vec<ObservedSpan>,
    /// Folded words outside what was found.
    pub(crate) words: Vec<String>,
    /// Diseases it names.
    pub(crate) families: BTreeSet<Family>,
}

/// Shows nothing of the document.
impl std::fmt::Debug for Observed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observed").finish_non_exhaustive()
    }
}

/// One identifier that was found in a document.
pub(crate) struct ObservedSpan {
    pub(crate) label: Label,
    pub(crate) role: Role,
    pub(crate) text: String,
    /// The day of a date written whole.
    pub(crate) day: Option<i32>,
    /// Year and, where it is written, month of a date.
    pub(crate) month: Option<(i32, Option<u8>)>,
    pub(crate) sources: SourceSet,
    /// Code points.
    pub(crate) span: (usize, usize),
}

impl Observed {
    /// What a reader learns from a document in which the identifying spans are known.
    pub fn read(note: &Note, entities: &[Entity]) -> Observed {
        read(note, entities)
    }

    /// What a reader learns from what a rewriter makes of the documents of one patient, whose identifying spans are known.
    pub fn read_release(rewriter: &Rewriter, record: &[(Note, Vec<Entity>)]) -> Result<Vec<Observed>, Error> {
        let is_name = |e: &&Entity| matches!(e.label, Label::FamilyName | Label::GivenName);
        let names = record
            .iter()
            .flat_map(|(note, entities)| entities.iter().filter(is_name).map(|e| e.span.of(note.raw())));
        let names = RecordNames::new(names);
        record.iter().map(|(note, entities)| Observed::released(rewriter, note, entities, &names)).collect()
    }

    fn released(
        rewriter: &Rewriter,
        note: &Note,
        entities: &[Entity],
        names: &RecordNames,
    ) -> Result<Observed, Error> {
        let rewritten = rewriter.rewrite_in_record(note, entities, names)?;
        let (text, places) = rewritten.apply(note.raw());
        let mut kept = entities.iter().peekable();
        let mut shown: Vec<Entity> = Vec::with_capacity(entities.len());
        // Where the last replacement ended, in the original and in the release.
        let (mut from, mut to) = (0, 0);
        for (replacement, place) in rewritten.replacements.iter().zip(&places) {
            while let Some(entity) = kept.next_if(|e| e.span.start() <= replacement.span.start()) {
                if entity.span.start() < replacement.span.start() {
                    shown.push(moved(
                        entity,
                        to + entity.span.start() - from,
                        entity.span.of(note.raw()).len(),
                    ));
                } else {
                    shown.push(moved(entity, place.start, place.len()));
                }
            }
            (from, to) = (replacement.span.end() + replacement.mend.after, place.end);
        }
        shown.extend(kept.map(|e| moved(e, to + e.span.start() - from, e.span.of(note.raw()).len())));
        let patient = rewriter.patient_column(note);
        let released = Note::builder(note.id.clone(), text)
            .patient(patient.as_deref().and_then(PatientId::parse))
            .date(rewriter.document_date(note))
            .language(Some(note.language))
            .build()?;
        Ok(read(&released, &shown))
    }

    /// Joins the document with the others of a patient, whatever the release did to keep them apart.
    pub fn link_to_patient(mut self, patient: &str) -> Observed {
        self.patient = Some(patient.to_owned());
        self
    }

    /// The spans of one label.
    pub(crate) fn spans_of(&self, label: Label) -> impl Iterator<Item = &ObservedSpan> {
        self.found.iter().filter(move |f| f.label == label)
    }

    /// The patient's record, or the document where nothing says whose it is.
    pub(crate) fn record(&self) -> &str {
        self.patient.as_deref().unwrap_or(&self.id)
    }

    /// Whether rules found it, and whether a learned detector found it: the two groups of a capture-recapture estimate.
    pub(crate) fn found_by_rules_and_models(sources: SourceSet) -> (bool, bool) {
        let learned = sources.iter().any(Source::is_learned);
        let rules = [Source::Metadata, Source::Structure, Source::Pattern, Source::Lexicon, Source::Initials];
        (rules.into_iter().any(|s| sources.contains(s)), learned)
    }
}

/// Days since 1 January 1600; any fixed day would do.
pub(crate) fn day_number(day: Date) -> i32 {
    jiff::civil::date(1600, 1, 1).until(day).map_or(0, |span| span.get_days())
}

/// The day of a date written whole.
pub(crate) fn day_of(text: &str, language: Language) -> Option<i32> {
    let (partial, _) = date::parse(text, language)?;
    Date::new(year_of(&partial)?, partial.month? as i8, partial.day? as i8).ok().map(day_number)
}

fn year_of(partial: &date::Partial) -> Option<i16> {
    Some(match (partial.year?, partial.two_digit_year) {
        (year, true) if year <= 30 => 2000 + year,
        (year, true) => 1900 + year,
        (year, false) => year,
    })
}

/// An entity at its place in the release.
fn moved(entity: &Entity, start: usize, length: usize) -> Entity {
    Entity { span: Span::new(start, start + length), mentions: Vec::new(), ..entity.clone() }
}

/// An entity that is certain, for texts whose spans are known.
pub(crate) fn certain(label: Label, role: Role, start: usize, end: usize) -> Entity {
    Entity {
        span: Span::new(start, end),
        label,
        role,
        score: Score::CERTAIN,
        sources: [Source::Metadata].into_iter().collect(),
        doubtful_value: false,
        mentions: Vec::new(),
    }
}

/// The first number of a text: of `70-79 ans`, 70.
pub(crate) fn first_number(text: &str) -> Option<i32> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
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
    let points: BTreeMap<usize, usize> =
        note.raw().char_indices().enumerate().map(|(point, (byte, _))| (byte, point)).collect();
    let point = |byte: usize| points.get(&byte).copied().unwrap_or(points.len());
    let found = entities.iter().map(|e| {
        let text = e.span.of(note.raw());
        let is_date = matches!(e.label, Label::Date | Label::BirthDate);
        let partial = if is_date { date::parse(text, note.language) } else { None };
        let year = partial.as_ref().and_then(|(partial, _)| year_of(partial));
        ObservedSpan {
            label: e.label,
            role: e.role,
            text: text.to_owned(),
            day: is_date.then(|| day_of(text, note.language)).flatten(),
            month: year.map(|year| (i32::from(year), partial.and_then(|(p, _)| p.month))),
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
        language: note.language,
        sex: sex_of(note),
        birth_years: birth_years(note, entities),
        known_birth: note.known.birth_date,
        known_town: note.known.address.as_ref().and_then(|a| a.city.as_deref()).map(fold),
        found: found.collect(),
        words,
        families: families(note),
    }
}

/// The sex of most civil titles in a text.
fn sex_of(note: &Note) -> Option<Gender> {
    let vocabulary = Vocabulary::of(note.language);
    let (mut women, mut men) = (0, 0);
    for word in note.norm().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
        let is = |role| vocabulary.has(word, role);
        women += u32::from(is(WordRole::TitleFemale));
        // `M` and `D` alone are as often something else.
        men += u32::from(is(WordRole::TitleMale) && word.chars().count() > 1);
    }
    match women.cmp(&men) {
        std::cmp::Ordering::Greater => Some(Gender::Female),
        std::cmp::Ordering::Less => Some(Gender::Male),
        std::cmp::Ordering::Equal => None,
    }
}

/// Words between an age and the year it belongs to: `7 ans en 1929`.
const LONGEST_GAP: usize = 8;

/// Years of birth in a text, other than from the present age.
fn birth_years(note: &Note, entities: &[Entity]) -> Vec<i32> {
    let mut out = Vec::new();
    let year = |text: &str| date::parse(text, note.language).and_then(|(p, _)| year_of(&p)).map(i32::from);
    for (i, entity) in entities.iter().enumerate() {
        let text = entity.span.of(note.raw());
        match entity.label {
            Label::BirthDate => out.extend(year(text)),
            Label::SocialSecurity => {
                let digits: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
                // A French number: sex, two digits of the year of birth.
                if matches!(digits.len(), 13 | 15) {
                    out.extend(digits.get(1..3).and_then(|yy| yy.parse::<i32>().ok()).map(|yy| 1900 + yy));
                }
            }
            Label::Age => {
                let next = entities.get(i + 1).filter(|n| n.label == Label::Date);
                let gap = next.and_then(|n| note.raw().get(entity.span.end()..n.span.start()));
                if gap.is_some_and(|gap| gap.len() <= LONGEST_GAP && !gap.contains(['.', ',', ';', '\n']))
                    && let (Some(age), Some(year)) =
                        (first_number(text), next.and_then(|n| year(n.span.of(note.raw()))))
                {
                    out.push(year - age);
                }
            }
            _ => {}
        }
    }
    out
}
