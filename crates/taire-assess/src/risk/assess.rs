//! From two corpora to the measures.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use taire::Error;
use taire::{Policy, SecretKey};
use taire_eval::retain::Family;
use taire_surrogate::{Dates, Rewriter};
use taire_text::{Label, Note, PatientId, Role, fold};

use super::observe::{Observed, ObservedSpan, certain, day_number, first_number};
use super::print;
use super::threats::{Others, ThreatAssessment, threats};
use crate::Share;
use crate::anonymity::{Anonymity, Profile, Quasi, anonymity};
use crate::attacks::{
    Averaged, Initial, Inverse, Moved, Person, Released, Success, Victim, averaging, initials, known_date,
    known_intervals, known_number, linkage, register,
};
use crate::json::to_json;
use crate::missed::{Captures, Missed, capture_recapture, reviewed};
use crate::uniqueness::{Uniqueness, intervals, uniqueness, whole_sequences};

const LONGEST: usize = 5;
/// Names tried against the known patient number.
const CANDIDATES: usize = 400;
const VICTIMS: usize = 200;

/// What [`assess`] needs besides the documents.
#[derive(Debug)]
pub struct RiskSettings {
    /// Days by which a known interval may be off.
    pub tolerance: u32,
    /// Seed of the samples.
    pub seed: u64,
    /// What the release was made with, as far as it is known.
    pub policy: Option<Policy>,
    /// The secret key of the release, to show what it protects.
    pub key: Option<SecretKey>,
    /// Annotations of a sample that a person has read.
    pub reviewed: Option<taire_eval::Corpus>,
    /// Documents that could not be read.
    pub refused: usize,
}

impl Default for RiskSettings {
    fn default() -> Self {
        RiskSettings { tolerance: 3, seed: 1, policy: None, key: None, reviewed: None, refused: 0 }
    }
}

/// The documents that attackers and the truth are taken from.
#[derive(Clone, Copy, Debug)]
pub struct ObservedCorpora<'a> {
    /// The originals.
    pub original: &'a [Observed],
    /// Releases of them; attacks on one release see the first.
    pub releases: &'a [Vec<Observed>],
    /// A release under the same key as the first and another policy.
    pub same_key: Option<&'a [Observed]>,
}

/// What an attacker can still do, in figures.
#[derive(Debug, Serialize)]
pub struct RiskAssessment {
    /// Documents found in both corpora.
    pub documents: usize,
    /// Patient records that they belong to.
    pub records: usize,
    /// Documents of the original that the release does not hold.
    pub not_released: usize,
    /// Documents that could not be read.
    pub refused: usize,
    /// The policy that the attacker is given.
    pub policy: Option<String>,
    /// Seed of the samples.
    pub seed: u64,
    /// Days by which a known interval may be off.
    pub tolerance: u32,
    /// Intervals between dates.
    pub intervals: IntervalResults,
    /// Documents that look like others.
    pub anonymity: Anonymity,
    /// The attacks that were run.
    pub attacks: AttackResults,
    /// What detection probably left.
    pub missed: MissedResults,
}

/// How rare the intervals between dates of a record are, for runs of one to five intervals.
#[derive(Debug, Serialize)]
pub struct IntervalResults {
    /// In the originals, exact.
    pub before: Vec<Uniqueness>,
    /// In the release, exact.
    pub after: Vec<Uniqueness>,
    /// In the originals, within the tolerance.
    pub before_within: Vec<Uniqueness>,
    /// In the release, within the tolerance.
    pub after_within: Vec<Uniqueness>,
    /// Whole sequences that no other record has, in the originals.
    pub whole_before: Share,
    /// The same in the release.
    pub whole_after: Share,
    /// A few true intervals known: the record found.
    pub found: Vec<Success>,
    /// The same, within the tolerance.
    pub found_within: Vec<Success>,
}

/// How often each attack succeeded.
#[derive(Debug, Serialize)]
pub struct AttackResults {
    /// Documents whose dates could be put side by side, among those that hold dates.
    pub dates_aligned: Share,
    /// One true date known: the others, to the day.
    pub known_date: Success,
    /// The same, within a week.
    pub known_date_week: Success,
    /// One true date and the setting of the calendar known; where that setting can be undone.
    pub known_date_informed: Option<Success>,
    /// Patient number known, key unknown: the family name.
    pub known_number: Option<Success>,
    /// The same with the secret key; where it was given.
    pub known_number_with_key: Option<Success>,
    /// Frequency of letters: the initial of the family name.
    pub initials: Success,
    /// An interval, by the middle of several releases.
    pub averaging: Vec<Averaged>,
    /// Two documents of one patient joined by the words left.
    pub linkage: Success,
    /// A register of birth dates and towns: the person.
    pub register: Success,
    /// The attacks of the threat model.
    pub threats: ThreatAssessment,
}

/// What detection probably missed.
#[derive(Debug, Serialize)]
pub struct MissedResults {
    /// By kind of identifier: what rules and model found together and alone, and what neither probably did.
    pub estimate: BTreeMap<&'static str, Missed>,
    /// All kinds together.
    pub all: Missed,
    /// Identifiers left in the sample that a person has read.
    pub reviewed: Option<Share>,
}

impl RiskAssessment {
    /// The assessment as Markdown, for a doctor or an ethics board.
    pub fn to_markdown(&self) -> String {
        print::markdown(self)
    }

    /// The assessment as JSON, with a line end.
    pub fn to_json(&self) -> Result<String, Error> {
        to_json(self)
    }
}

/// One document before and after.
pub(super) struct Pair<'a> {
    pub(super) before: &'a Observed,
    pub(super) after: &'a Observed,
}

impl<'a> Pair<'a> {
    /// The identifiers of some labels before and after, pair by pair, if there are as many.
    pub(super) fn aligned(&self, labels: &[Label]) -> Option<Vec<(&'a ObservedSpan, &'a ObservedSpan)>> {
        let of = |o: &'a Observed| o.found.iter().filter(|f| labels.contains(&f.label)).collect::<Vec<_>>();
        let (before, after) = (of(self.before), of(self.after));
        (before.len() == after.len()).then(|| before.into_iter().zip(after).collect())
    }
}

/// Runs every attack on documents that were read already: [`crate::measure_risk`] for documents in memory, and for documents whose
/// identifying spans are known.
pub fn assess(corpora: ObservedCorpora<'_>, settings: &RiskSettings) -> Result<RiskAssessment, Error> {
    let ObservedCorpora { original, releases, same_key } = corpora;
    let released: Vec<BTreeMap<&str, &Observed>> = releases.iter().map(|r| by_id(r)).collect();
    let same_key: Option<BTreeMap<&str, &Observed>> = same_key.map(by_id);
    let Some(first) = released.first() else {
        return Err(Error::usage("there is no de-identified corpus"));
    };
    let pairs: Vec<Pair<'_>> = original
        .iter()
        .filter_map(|before| Some(Pair { before, after: first.get(before.id.as_str())? }))
        .collect();
    if pairs.is_empty() {
        return Err(Error::usage(
            "no document of the original has its id in the de-identified corpus; give the folder that `taire deid -o` wrote",
        ));
    }
    let records: BTreeSet<&str> = pairs.iter().map(|p| p.before.record()).collect();
    let moved = moved(&pairs);
    Ok(RiskAssessment {
        documents: pairs.len(),
        records: records.len(),
        not_released: original.len() - pairs.len(),
        refused: settings.refused,
        policy: settings.policy.as_ref().map(|p| p.name.clone()),
        seed: settings.seed,
        tolerance: settings.tolerance,
        intervals: of_intervals(&pairs, settings),
        anonymity: anonymity(&profiles(&pairs)),
        attacks: attacks(
            &pairs,
            &moved,
            &Releases { all: &released, same_key: same_key.as_ref() },
            settings,
        )?,
        missed: missing(&pairs, settings),
    })
}

fn by_id(release: &[Observed]) -> BTreeMap<&str, &Observed> {
    release.iter().map(|o| (o.id.as_str(), o)).collect()
}

/// Not the birth date: with great ages it is pooled, and is the register's matter.
const DATES: &[Label] = &[Label::Date];

/// The days of whole dates in some documents, and of the documents themselves.
pub(crate) fn days<'a>(observed: impl Iterator<Item = &'a Observed>) -> Vec<i32> {
    let mut out = Vec::new();
    for document in observed {
        out.extend(document.spans_of(Label::Date).filter_map(|f| f.day));
        out.extend(document.date.map(day_number));
    }
    out
}

/// Documents of each record, in the order of the records' names.
pub(super) fn by_record<'a, 'b>(pairs: &'b [Pair<'a>]) -> BTreeMap<&'a str, Vec<&'b Pair<'a>>> {
    let mut out: BTreeMap<&str, Vec<&Pair<'_>>> = BTreeMap::new();
    pairs.iter().for_each(|p| out.entry(p.before.record()).or_default().push(p));
    out
}

fn of_intervals(pairs: &[Pair<'_>], settings: &RiskSettings) -> IntervalResults {
    let records = by_record(pairs);
    let before: Vec<Vec<i32>> =
        records.values().map(|r| intervals(&days(r.iter().map(|p| p.before)))).collect();
    let after: Vec<Vec<i32>> =
        records.values().map(|r| intervals(&days(r.iter().map(|p| p.after)))).collect();
    let (near, seed) = (settings.tolerance, settings.seed);
    let table = |records: &[Vec<i32>], tolerance| -> Vec<Uniqueness> {
        (1..=LONGEST).map(|n| uniqueness(records, n, tolerance, seed)).collect()
    };
    let found = |tolerance| -> Vec<Success> {
        (1..=LONGEST).map(|n| known_intervals(&before, &after, n, tolerance, seed)).collect()
    };
    IntervalResults {
        before: table(&before, 0),
        after: table(&after, 0),
        before_within: table(&before, near),
        after_within: table(&after, near),
        whole_before: whole_sequences(&before),
        whole_after: whole_sequences(&after),
        found: found(0),
        found_within: found(near as i32),
    }
}

/// What a released document shows of its patient. A disease is rare when one document in a hundred names its family, or two.
fn profiles(pairs: &[Pair<'_>]) -> Vec<Profile> {
    let mut spread: BTreeMap<Family, usize> = BTreeMap::new();
    pairs.iter().flat_map(|p| &p.after.families).for_each(|&f| *spread.entry(f).or_default() += 1);
    let few = (pairs.len() / 100).max(2);
    let profile = |pair: &Pair<'_>| {
        let after = pair.after;
        let first = |label| after.spans_of(label).map(|f| fold(&f.text)).next();
        let years = |text: String| first_number(&text).map(|n| n.to_string());
        let year = after.date.map(|d| d.year().to_string());
        let rare = after.families.iter().filter(|f| spread[*f] <= few);
        let disease = rare.map(Family::code).collect::<Vec<_>>().join(" ");
        let values = [
            (Quasi::Age, first(Label::Age).and_then(years)),
            (Quasi::Sex, first(Label::Sex).map(|s| s.chars().take(1).collect())),
            (Quasi::Town, first(Label::City)),
            (Quasi::Year, year),
            (Quasi::Profession, first(Label::Profession)),
            (Quasi::RareDisease, Some(disease).filter(|d| !d.is_empty())),
        ];
        let values = values.into_iter().filter_map(|(q, v)| Some((q, v?))).collect();
        Profile { id: after.id.clone(), values }
    };
    pairs.iter().map(profile).collect()
}

/// Dates before and after, record by record.
fn moved(pairs: &[Pair<'_>]) -> (Vec<Vec<Moved>>, Share) {
    let mut out = Vec::new();
    let (mut aligned, mut with_dates) = (0, 0);
    for record in by_record(pairs).into_values() {
        let mut days = Vec::new();
        for pair in record {
            with_dates += u64::from(pair.before.found.iter().any(|f| DATES.contains(&f.label)));
            let Some(dates) = pair.aligned(DATES) else { continue };
            aligned += u64::from(!dates.is_empty());
            let both = dates.iter().filter_map(|(b, a)| Some((b.day?, a.day?)));
            days.extend(both.map(|(true_day, released)| Moved { true_day, released }));
        }
        days.sort_unstable_by_key(|m| (m.true_day, m.released));
        days.dedup();
        out.push(days);
    }
    (out, Share::new(aligned, with_dates))
}

/// Every release by the ids of its documents.
struct Releases<'a> {
    all: &'a [BTreeMap<&'a str, &'a Observed>],
    same_key: Option<&'a BTreeMap<&'a str, &'a Observed>>,
}

fn attacks(
    pairs: &[Pair<'_>],
    moved: &(Vec<Vec<Moved>>, Share),
    released: &Releases<'_>,
    settings: &RiskSettings,
) -> Result<AttackResults, Error> {
    let rewrite = settings.policy.as_ref().map(|p| &p.rewrite);
    let informed = match rewrite.map(|r| r.dates) {
        Some(Dates::Blur { every, anchor, .. }) => {
            Some(Inverse::Blur { every: every as i32, anchor: day_number(anchor) })
        }
        _ => None,
    };
    let (number_without, number_with) = match rewrite {
        Some(rewrite) => {
            let attacker = SecretKey::from_bytes(&[0x5a; 32])?;
            let victims = victims(pairs);
            let candidates = candidates(pairs);
            let run = |key: SecretKey| -> Result<Success, Error> {
                let rewriter = Rewriter::new(key, rewrite.clone())?;
                Ok(known_number(&victims, &candidates, |number, name| predict(&rewriter, number, name)))
            };
            let with_key = settings.key.clone().map(run).transpose()?;
            (Some(run(attacker)?), with_key)
        }
        None => (None, None),
    };
    Ok(AttackResults {
        dates_aligned: moved.1,
        known_date: known_date(&moved.0, Inverse::Constant, 0),
        known_date_week: known_date(&moved.0, Inverse::Constant, 7),
        known_date_informed: informed.map(|inverse| known_date(&moved.0, inverse, 0)),
        known_number: number_without,
        known_number_with_key: number_with,
        initials: letters(pairs),
        averaging: over_releases(pairs, released.all),
        linkage: linkage(&documents(pairs), settings.seed),
        register: register(&people(pairs)),
        threats: threats(
            pairs,
            &Others { second: released.all.get(1), same_key: released.same_key },
            settings,
        )?,
    })
}

fn names<'a>(pairs: &'a [Pair<'a>]) -> impl Iterator<Item = (&'a Pair<'a>, &'a str, &'a str)> {
    pairs.iter().flat_map(|pair| {
        let aligned = pair.aligned(&[Label::FamilyName]).unwrap_or_default();
        aligned.into_iter().map(move |(b, a)| (pair, b.text.as_str(), a.text.as_str()))
    })
}

fn victims(pairs: &[Pair<'_>]) -> Vec<Victim> {
    let mut seen = BTreeSet::new();
    let with_number = names(pairs).filter(|(p, ..)| p.before.patient.is_some());
    let first = with_number.filter(|(p, ..)| seen.insert(p.before.record().to_owned()));
    let victim = |(pair, truth, released): (&Pair<'_>, &str, &str)| Victim {
        number: pair.before.record().to_owned(),
        truth: fold(truth),
        released: fold(released),
    };
    first.map(victim).take(VICTIMS).collect()
}

fn candidates(pairs: &[Pair<'_>]) -> Vec<String> {
    let all: BTreeSet<String> = names(pairs).map(|(_, truth, _)| fold(truth)).collect();
    all.into_iter().take(CANDIDATES).collect()
}

/// The surrogate of one family name in one patient's record, with the key at hand.
fn predict(rewriter: &Rewriter, number: &str, name: &str) -> String {
    let note = Note::builder("", name).patient(PatientId::parse(number)).build();
    let entity = certain(Label::FamilyName, Role::Patient, 0, name.len());
    let written = note.ok().and_then(|note| {
        let rewritten = rewriter.rewrite(&note, &[entity]).ok()?;
        Some(rewritten.apply(note.raw()).0)
    });
    fold(&written.unwrap_or_default())
}

fn letters(pairs: &[Pair<'_>]) -> Success {
    let first = |name: &str| fold(name).chars().next().map(|c| c.to_ascii_uppercase());
    let mut seen = BTreeSet::new();
    let mut people = Vec::new();
    for (pair, truth, released) in names(pairs) {
        if seen.insert((pair.before.record(), fold(truth)))
            && let (Some(truth), Some(released)) = (first(truth), first(released))
        {
            people.push(Initial { truth, released });
        }
    }
    let mut population: BTreeMap<char, f64> = BTreeMap::new();
    people.iter().for_each(|p| *population.entry(p.truth).or_default() += 1.0);
    initials(&people, &population)
}

fn over_releases(pairs: &[Pair<'_>], released: &[BTreeMap<&str, &Observed>]) -> Vec<Averaged> {
    if released.len() < 2 {
        return Vec::new();
    }
    let whole = |observed: &Observed| -> Option<Vec<i32>> {
        observed.spans_of(Label::Date).map(|f| f.day).collect::<Option<Vec<i32>>>()
    };
    let gaps = |days: &[i32]| days.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>();
    let mut truth = Vec::new();
    let mut releases = vec![Vec::new(); released.len()];
    for pair in pairs {
        let after: Option<Vec<Vec<i32>>> =
            released.iter().map(|r| whole(r.get(pair.before.id.as_str())?)).collect();
        let (Some(before), Some(after)) = (whole(pair.before), after) else { continue };
        if after.iter().all(|days| days.len() == before.len()) {
            truth.extend(gaps(&before));
            releases.iter_mut().zip(&after).for_each(|(all, days)| all.extend(gaps(days)));
        }
    }
    averaging(&truth, &releases)
}

fn documents(pairs: &[Pair<'_>]) -> Vec<Released> {
    let one = |p: &Pair<'_>| Released { patient: p.before.record().to_owned(), words: p.after.words.clone() };
    pairs.iter().map(one).collect()
}

fn people(pairs: &[Pair<'_>]) -> Vec<Person> {
    let first = |o: &Observed, label| o.spans_of(label).next().map(|f| fold(&f.text));
    let birth = |o: &Observed| o.spans_of(Label::BirthDate).find_map(|f| f.day);
    let one = |record: Vec<&Pair<'_>>| Person {
        birth: record.iter().find_map(|p| p.before.known_birth.map(day_number).or_else(|| birth(p.before))),
        town: record
            .iter()
            .find_map(|p| p.before.known_town.clone().or_else(|| first(p.before, Label::City))),
        released_birth: record.iter().find_map(|p| birth(p.after)),
        released_town: record.iter().find_map(|p| first(p.after, Label::City)),
    };
    by_record(pairs).into_values().map(one).collect()
}

fn missing(pairs: &[Pair<'_>], settings: &RiskSettings) -> MissedResults {
    let mut captures: BTreeMap<&'static str, Captures> = BTreeMap::new();
    let mut all = Captures::default();
    for found in pairs.iter().flat_map(|p| &p.before.found) {
        for slot in [captures.entry(found.label.group().name()).or_default(), &mut all] {
            match Observed::found_by_rules_and_models(found.sources) {
                (true, true) => slot.both += 1,
                (true, false) => slot.first_only += 1,
                (false, true) => slot.second_only += 1,
                (false, false) => {}
            }
        }
    }
    let estimate = captures.into_iter().map(|(group, c)| (group, capture_recapture(c))).collect();
    MissedResults {
        estimate,
        all: capture_recapture(all),
        reviewed: settings.reviewed.as_ref().map(|gold| left_in_sample(pairs, gold)),
    }
}

fn left_in_sample(pairs: &[Pair<'_>], gold: &taire_eval::Corpus) -> Share {
    let (mut left, mut all) = (0, 0);
    for pair in pairs {
        let Some(document) = gold.get(&pair.before.id) else { continue };
        for tag in &document.spans {
            let mut at = tag.start;
            for found in &pair.before.found {
                if found.span.0 <= at && at < found.span.1 {
                    at = found.span.1;
                }
            }
            all += 1;
            left += u64::from(at < tag.end);
        }
    }
    reviewed(left, all)
}
