//! The two methods that live on a hospital's own lists, with lists made from the gold of the documents: what Bigeard's
//! policy covers when every person and number is known, and what FASDIM's hides once a person has judged every word.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use taire::{Engine, Judgement, Judgements, SecretKey, UnjudgedWords, WordList};
use taire_corpus::{MarkedDocument, MarkedSpan, OpenCorpus, Split, shipped_root};
use taire_eval::{Corpus, Doc, Offsets, Tag, Words, hidden_words};
use taire_formats::{Directory, DirectoryEntry};
use taire_text::{Address, Identity, KnownIdentity, Label, Language, Note, fold};

use crate::corpus::score::{self, Scores};
use crate::corpus::{Stop, commit, in_parallel, note, predicted};

#[derive(Args, Debug)]
pub(crate) struct ListsArgs {
    /// Language of the documents
    #[arg(long, default_value = "fr")]
    lang: Language,
    /// The split to measure on
    #[arg(long, default_value = "dev")]
    split: Split,
    /// Where the table goes; `scores/` of the repository if not named
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// What one policy covers with some lists.
#[derive(Serialize, Debug)]
struct Row {
    policy: &'static str,
    lists: &'static str,
    scores: Scores,
    words: Words,
}

pub(crate) fn run(args: &ListsArgs) -> Result<(), Stop> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let corpus = OpenCorpus::open(&shipped_root())?;
    let documents: Vec<&MarkedDocument> = corpus.split(args.lang, args.split).collect();
    let mut rows = Vec::new();
    let mut engine = engine("bigeard", args.lang, &[])?;
    rows.push(row("bigeard", "none", &documents, |d| Ok(engine.detect(note(d)?)?.1))?);
    engine.use_directory(&directory(&documents));
    rows.push(row("bigeard", "directory of all people", &documents, |d| Ok(engine.detect(note(d)?)?.1))?);
    let known = |d: &MarkedDocument| -> Result<Note, Stop> {
        let builder = Note::builder(&d.id, &d.text).language(Some(d.language));
        Ok(builder.known(Some(Arc::new(identity(d)))).build()?)
    };
    rows.push(row(
        "bigeard",
        "directory, and the people of each document in its metadata",
        &documents,
        |d| Ok(engine.detect(known(d)?)?.1),
    )?);
    rows.extend(judged(args, &documents)?);
    let stamp = format!(
        "`cargo measure lists{}`, {}, commit {}",
        if args.lang == Language::Fr { "" } else { " --lang es" },
        jiff::Timestamp::now().to_string().chars().take(10).collect::<String>(),
        commit(&root)
    );
    let folder = args.output.clone().unwrap_or_else(|| root.join("scores"));
    std::fs::create_dir_all(&folder)?;
    let page = markdown(&stamp, documents.len(), &rows)?;
    print!("{page}");
    std::fs::write(folder.join("lists.md"), page)?;
    let json = serde_json::json!({"stamp": stamp, "split": args.split.name(), "rows": rows});
    std::fs::write(folder.join("lists.json"), format!("{}\n", serde_json::to_string_pretty(&json)?))?;
    Ok(())
}

fn engine(policy: &str, language: Language, words: &[PathBuf]) -> Result<Engine, Stop> {
    let key = SecretKey::from_bytes(&[7; 32])?;
    Ok(Engine::with_words(Some(policy), words, Some(language), Some(&key))?)
}

/// FASDIM: words judged as its authors judged theirs, by reading where they stand. A word that identifies somebody in at
/// least one of four places is refused. Patterns around numbers are judged by the same rule.
fn judged(args: &ListsArgs, documents: &[&MarkedDocument]) -> Result<Vec<Row>, Stop> {
    let plain = engine("fasdim", args.lang, &[])?;
    let first = row("fasdim", "none", documents, |d| Ok(plain.detect(note(d)?)?.1))?;
    let unjudged = in_parallel(documents, |d| {
        let (note, entities) = plain.detect(note(d)?)?;
        Ok(UnjudgedWords::of(&note, &entities, &Judgements::default()))
    })?;
    let mut all = UnjudgedWords::default();
    unjudged.into_iter().for_each(|words| all.add(words));
    let mut list = all.into_list();
    let places = places_of_words(documents);
    // Words on the starting list that identify somebody here are refused as well.
    for (word, (inside, outside)) in &places {
        if *inside * 3 >= *outside && *inside > 0 && list.entries.iter().all(|e| e.word != *word) {
            let mut more = WordList::parse(&format!("{word}\trefuse\n"), "gold")?;
            list.entries.append(&mut more.entries);
        }
    }
    for entry in list.entries.iter_mut().filter(|e| e.judgement.is_none() && !e.word.contains('#')) {
        let (inside, outside) = places.get(&entry.word).copied().unwrap_or_default();
        let refused = inside * 3 >= outside && inside > 0;
        entry.judgement = Some(if refused { Judgement::Refuse } else { Judgement::Accept });
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("words.tsv");
    std::fs::write(&file, list.to_tsv())?;
    let engine = engine("fasdim", args.lang, &[file])?;
    let second = row("fasdim", "every word judged", documents, |d| Ok(engine.detect(note(d)?)?.1))?;
    Ok(vec![first, second])
}

/// How often each word stands inside a marked span and outside of all.
fn places_of_words(documents: &[&MarkedDocument]) -> BTreeMap<String, (u64, u64)> {
    let mut places: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for document in documents {
        let mut inside = vec![false; document.text.len()];
        document.spans.iter().for_each(|s| inside[s.start..s.end].fill(true));
        for token in taire_text::tokenise(&document.text).iter().filter(|t| t.kind == taire_text::Kind::Word)
        {
            let entry = places.entry(fold(token.of(&document.text))).or_default();
            match inside[token.start()] {
                true => entry.0 += 1,
                false => entry.1 += 1,
            }
        }
    }
    places
}

fn row(
    policy: &'static str,
    lists: &'static str,
    documents: &[&MarkedDocument],
    detect: impl Fn(&MarkedDocument) -> Result<Vec<taire_text::Entity>, Stop> + Sync,
) -> Result<Row, Stop> {
    let found = in_parallel(documents, |d| Ok(predicted(d, &detect(d)?)))?;
    let words = hidden_words(
        &as_corpus(documents, |d, _| tags(d, &d.spans, |s| (s.start, s.end, s.label)))?,
        &as_corpus(documents, |d, i| tags(d, &found[i], |p| (p.start, p.end, p.label)))?,
        Offsets::Bytes,
    )?;
    Ok(Row { policy, lists, scores: score::score(documents, &found), words })
}

fn tags<T>(_: &MarkedDocument, spans: &[T], of: impl Fn(&T) -> (usize, usize, Label)) -> Vec<Tag> {
    let counts = |label: Label| !matches!(label, Label::Sex | Label::Kinship);
    spans
        .iter()
        .map(of)
        .filter(|s| counts(s.2))
        .map(|(start, end, label)| Tag::new(start, end, label.name()))
        .collect()
}

fn as_corpus(
    documents: &[&MarkedDocument],
    spans: impl Fn(&MarkedDocument, usize) -> Vec<Tag>,
) -> Result<Corpus, Stop> {
    let docs = documents.iter().enumerate().map(|(i, d)| Doc {
        id: d.id.clone(),
        text: Some(d.text.clone()),
        spans: spans(d, i),
    });
    Ok(Corpus::new(docs)?)
}

/// People of a document: names side by side are one person's.
fn people(document: &MarkedDocument) -> BTreeSet<(String, String)> {
    let named = |s: &&MarkedSpan| matches!(s.label, Label::GivenName | Label::FamilyName);
    let names: Vec<&MarkedSpan> = document.spans.iter().filter(named).collect();
    let mut out = BTreeSet::new();
    let mut at = 0;
    while at < names.len() {
        let (one, two) = (names[at], names.get(at + 1));
        let text = |s: &MarkedSpan| s.of(&document.text).to_owned();
        match two.filter(|two| two.label != one.label && two.start - one.end <= 2) {
            Some(two) if one.label == Label::FamilyName => out.insert((text(one), text(two))),
            Some(two) => out.insert((text(two), text(one))),
            None if one.label == Label::FamilyName => out.insert((text(one), String::new())),
            None => out.insert((String::new(), text(one))),
        };
        at += 1 + usize::from(two.is_some_and(|two| two.label != one.label && two.start - one.end <= 2));
    }
    out
}

fn values(document: &MarkedDocument, wanted: fn(Label) -> bool) -> impl Iterator<Item = String> {
    document.spans.iter().filter(move |s| wanted(s.label)).map(|s| s.of(&document.text).to_owned())
}

fn is_phone(label: Label) -> bool {
    matches!(label, Label::Phone | Label::Fax)
}

fn is_number(label: Label) -> bool {
    use Label::*;
    matches!(
        label,
        PatientId
            | VisitId
            | SocialSecurity
            | HealthPlan
            | ProfessionalLicence
            | EmployeeId
            | OtherId
            | AccountNumber
            | DeviceId
            | VehicleId
    )
}

/// The hospital's list: everybody and every contact of all documents.
fn directory(documents: &[&MarkedDocument]) -> Directory {
    let mut directory = Directory::default();
    for document in documents {
        for (family_name, given_name) in people(document) {
            directory.entries.push(DirectoryEntry { family_name, given_name, ..DirectoryEntry::default() });
        }
        directory.entries.push(DirectoryEntry {
            phones: values(document, is_phone).collect(),
            emails: values(document, |l| l == Label::Email).collect(),
            ids: values(document, is_number).collect(),
            facilities: values(document, |l| matches!(l, Label::Hospital | Label::HealthCentre)).collect(),
            ..DirectoryEntry::default()
        });
    }
    directory
}

/// What the metadata of one document tell: its people, numbers and contacts. The gold does not say who the patient is; the
/// first person is taken for the patient, which changes roles and not what is found.
fn identity(document: &MarkedDocument) -> KnownIdentity {
    let mut people = people(document).into_iter().map(|(family, given)| Identity {
        family_name: Some(family).filter(|f| !f.is_empty()),
        given_names: Some(given).filter(|g| !g.is_empty()).into_iter().collect(),
        ..Identity::default()
    });
    let patient = people.next().unwrap_or_default();
    // Addresses and birth dates belong to people too; whose they are changes nothing here.
    let mut others: Vec<Identity> = people.collect();
    let address = |street: Option<String>, postal_code: Option<String>, city: Option<String>| Identity {
        address: Some(Address { street, postal_code, city, ..Address::default() }),
        ..Identity::default()
    };
    others.extend(values(document, |l| l == Label::Street).map(|s| address(Some(s), None, None)));
    others.extend(values(document, |l| l == Label::PostalCode).map(|c| address(None, Some(c), None)));
    others.extend(values(document, |l| l == Label::City).map(|c| address(None, None, Some(c))));
    let births =
        values(document, |l| l == Label::BirthDate).filter_map(|text| whole_date(&text, document.language));
    others.extend(births.map(|date| Identity { birth_date: Some(date), ..Identity::default() }));
    KnownIdentity {
        family_name: patient.family_name,
        given_names: patient.given_names,
        caregivers: others,
        ids: values(document, is_number).enumerate().map(|(i, id)| (format!("id{i}"), id)).collect(),
        phones: values(document, is_phone).collect(),
        emails: values(document, |l| l == Label::Email).collect(),
        ..KnownIdentity::default()
    }
}

/// A date with its day, month and four digits of a year.
fn whole_date(text: &str, language: Language) -> Option<jiff::civil::Date> {
    let (value, _) = taire_text::date::parse(text, language)?;
    let year = value.year.filter(|_| !value.two_digit_year)?;
    jiff::civil::Date::new(year, value.month? as i8, value.day? as i8).ok()
}

fn markdown(stamp: &str, documents: usize, rows: &[Row]) -> Result<String, Stop> {
    let mut out = String::new();
    writeln!(
        out,
        "# Policies that live on a hospital's lists\n\n{stamp}. {documents} documents of `corpus/`. The lists are made from the gold of the same \
         documents, which is what a hospital's own lists tell at best: read these rows as the most that the method gives, not as what it finds \
         alone.\n\n\
         *Directory*: everybody named in any document, with telephones, addresses of mail, numbers and hospitals. *Metadata*: the people of the document itself, with numbers, \
         contacts, addresses and birth dates. *Judged*: a word that identifies somebody in at least one of four places is refused, any other allowed. Direct: wholly covered, as in \
         `corpus.md`. Words: every word and number; sex and kinship do not count.\n"
    )?;
    writeln!(
        out,
        "| policy | lists | direct, wholly | indirect | clean documents | identifying words hidden | of the hidden words, identifying |\n|---|---|---:|---:|---:|---:|---:|"
    )?;
    for r in rows {
        let s = &r.scores;
        writeln!(
            out,
            "| `{}` | {} | {:.2} % of {} | {:.2} % of {} | {:.1} % | {:.2} % of {} | {:.2} % |",
            r.policy,
            r.lists,
            s.direct.percent(),
            s.direct.n,
            s.indirect.percent(),
            s.indirect.n,
            s.clean(),
            100.0 * r.words.recall(),
            r.words.identifying,
            100.0 * r.words.precision()
        )?;
    }
    writeln!(
        out,
        "\n## By label, wholly covered\n\n| label | spans |{}",
        rows.iter().map(|r| format!(" `{}`, {} |", r.policy, r.lists)).collect::<String>()
    )?;
    writeln!(out, "|---|---:|{}", "---:|".repeat(rows.len()))?;
    let labels: BTreeSet<&String> = rows.iter().flat_map(|r| r.scores.labels.keys()).collect();
    for label in labels {
        let cell = |r: &Row| {
            r.scores.labels.get(label).map_or(" – |".to_owned(), |c| format!(" {:.1} % |", c.percent()))
        };
        let n = rows[0].scores.labels.get(label).map_or(0, |c| c.n);
        writeln!(out, "| {label} | {n} |{}", rows.iter().map(cell).collect::<String>())?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_side_by_side_are_one_person() {
        let source = "<!-- kind: note -->\nMme [Léa](GivenName) [Roux](FamilyName), Dr [PETIT](FamilyName) [Jean](GivenName), [Zoé](GivenName)";
        let document = MarkedDocument::parse("fr/a/1", Language::Fr, source).unwrap();
        let found: Vec<(String, String)> = people(&document).into_iter().collect();
        let wanted = [("", "Zoé"), ("PETIT", "Jean"), ("Roux", "Léa")];
        assert_eq!(found, wanted.map(|(f, g)| (f.to_owned(), g.to_owned())));
        let known = identity(&document);
        assert_eq!(known.caregivers.len(), 2);
        assert_eq!(whole_date("3/5/1950", Language::Fr), jiff::civil::Date::new(1950, 5, 3).ok());
        assert!(whole_date("3/5/50", Language::Fr).is_none());
    }
}
