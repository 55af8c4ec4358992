//! The attacks of the threat model (the book's page `threats.md`), from observed documents to the inputs of each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Serialize;
use taire::{Error, SecretKey};
use taire_eval::retain::Family;
use taire_lexicon::Lexicon;
use taire_surrogate::Rewriter;
use taire_text::{Label, Language, Role, fold};

use super::assess::{Pair, RiskSettings, by_record};
use super::observe::{Observed, ObservedSpan, day_number, first_number};
use super::simulate;
use crate::attacks::{
    Attribute, AttributeValue, Constant, Inference, MovedMonth, NamesOfRecord, OldPerson, RegisterPerson,
    Success, Timelines, TownLetters, TwoSurrogates, corrected, exclusion, inference,
    intervals_within_release, joined, old_ages, real_names, same_key, season, shared_file_name,
    town_within_release,
};

/// An attack of the threat model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Threat {
    /// The department of a place that many records hold.
    ExclusionPlace,
    /// The initial of a caregiver who occurs in many records.
    ExclusionInitial,
    /// A birth date, from all letters of a patient.
    AveragingBirth,
    /// The home town, from all letters of a patient.
    AveragingTown,
    /// The same surrogate under another policy.
    SameKey,
    /// A birth date, from the corrected versions of a letter.
    Correction,
    /// The age of the very old.
    OldAge,
    /// The calendar of another letter of the same file name.
    FileName,
    /// A true name of the record, written for somebody else.
    RealName,
    /// The true month of a date.
    Season,
    /// Two releases under different keys.
    JoinedReleases,
    /// A release and a register of stays.
    JoinedRegister,
    /// A register of what is known of people.
    Inference,
}

impl Threat {
    /// All of them, in the order of the threat model.
    pub const ALL: [Threat; 13] = [
        Threat::ExclusionPlace,
        Threat::ExclusionInitial,
        Threat::AveragingBirth,
        Threat::AveragingTown,
        Threat::SameKey,
        Threat::Correction,
        Threat::OldAge,
        Threat::FileName,
        Threat::RealName,
        Threat::Season,
        Threat::JoinedReleases,
        Threat::JoinedRegister,
        Threat::Inference,
    ];

    /// Who attacks, with what, and what they find: "somebody who …".
    pub fn attacker(self) -> &'static str {
        match self {
            Threat::ExclusionPlace => {
                "looks for the department that is never written for one place in many records: finds the true one"
            }
            Threat::ExclusionInitial => {
                "looks for the initial that is never written for one doctor in many records: finds the true one"
            }
            Threat::AveragingBirth => {
                "takes the middle of a patient's letters in one release: finds the birth date"
            }
            Threat::AveragingTown => {
                "takes the town that a patient's letters in one release show most often: finds the home town"
            }
            Threat::SameKey => {
                "holds a release under the same key and another policy: finds the same surrogate in both"
            }
            Threat::Correction => "gets a letter again after each correction: finds the birth date",
            Threat::OldAge => "reads everything that tells an age over 89: finds it to a year",
            Threat::FileName => {
                "knows a date of one letter and holds another person's letter of the same file name: undoes its dates"
            }
            Threat::RealName => "knows the people of a record: finds one of them as the surrogate of another",
            Threat::Season => "knows how such calendars move dates: finds the true month of a date",
            Threat::JoinedReleases => {
                "holds two releases under different keys: joins them by the intervals between dates"
            }
            Threat::JoinedRegister => {
                "holds a register of stays with names: joins it with the release by the intervals between dates"
            }
            Threat::Inference => {
                "holds a register of age bands, sex, departments, professions, rare diseases and years: singles a patient out"
            }
        }
    }
}

/// An attack that was run, or why it was not.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ThreatResult {
    /// Who attacks, with what.
    pub attacker: &'static str,
    /// How it went.
    #[serde(flatten)]
    pub success: Option<Success>,
    /// Whether the lower end of its interval lies above blind guessing.
    pub better_than_chance: bool,
    /// Why it was not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_run: Option<&'static str>,
}

/// Every attack of the threat model with its result.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct ThreatResults(BTreeMap<Threat, ThreatResult>);

impl ThreatResults {
    /// How an attack went.
    pub fn get(&self, threat: Threat) -> Option<&ThreatResult> {
        self.0.get(&threat)
    }

    /// All of them, in the order of the threat model.
    pub fn iter(&self) -> impl Iterator<Item = (Threat, &ThreatResult)> {
        self.0.iter().map(|(threat, result)| (*threat, result))
    }

    fn add(&mut self, threat: Threat, outcome: Result<Success, &'static str>) {
        let (success, not_run) = match outcome {
            Ok(success) => (Some(success), None),
            Err(why) => (None, Some(why)),
        };
        let better_than_chance = success.is_some_and(|s| s.beats_chance());
        self.0.insert(
            threat,
            ThreatResult { attacker: threat.attacker(), success, better_than_chance, not_run },
        );
    }
}

/// What the attacks found, with the figures that are not shares.
#[derive(Clone, Debug, Serialize)]
pub struct ThreatAssessment {
    /// Every attack.
    pub results: ThreatResults,
    /// Months of twelve that can be excluded for a date; `None` where there are too few dates.
    pub months_excluded: Option<usize>,
    /// Who is singled out by a register, before and after.
    pub inference: Inference,
}

/// Other releases than the first.
pub(super) struct Others<'a> {
    /// Under another key.
    pub(super) second: Option<&'a BTreeMap<&'a str, &'a Observed>>,
    /// Under the same key and another policy.
    pub(super) same_key: Option<&'a BTreeMap<&'a str, &'a Observed>>,
}

/// Runs every attack of the threat model.
pub(super) fn threats(
    pairs: &[Pair<'_>],
    others: &Others<'_>,
    settings: &RiskSettings,
) -> Result<ThreatAssessment, Error> {
    let seed = settings.seed;
    let mut results = ThreatResults::default();
    let unless_empty = |success: Success, nothing: &'static str| {
        if success.attack.tries == 0 { Err(nothing) } else { Ok(success) }
    };
    results.add(
        Threat::ExclusionPlace,
        unless_empty(
            exclusion(&places(pairs), seed),
            "no postal code is held by five records with a postal code after",
        ),
    );
    results.add(
        Threat::ExclusionInitial,
        unless_empty(
            exclusion(&caregivers(pairs), seed),
            "no caregiver's name is held by five records with a name after",
        ),
    );
    const UNJOINED: &str = "no two released letters have a patient id in common, so nothing joins them";
    let joined_letters = letters_by_released_patient(pairs);
    let births: Vec<Vec<i32>> = joined_letters
        .iter()
        .map(|l| l.iter().filter_map(|p| interval_error(p.before, p.after)).collect())
        .collect();
    let unjoined = match joined_letters.iter().any(|letters| letters.len() > 1) {
        true => "the letters of a patient do not show the value",
        false => UNJOINED,
    };
    results.add(Threat::AveragingBirth, unless_empty(intervals_within_release(&births), unjoined));
    results.add(
        Threat::AveragingTown,
        unless_empty(town_within_release(&home_towns(&joined_letters)), unjoined),
    );
    results.add(
        Threat::SameKey,
        match others.same_key {
            Some(other) => {
                let second = |pair: &Pair<'_>| others.second?.get(pair.before.id.as_str()).copied();
                let under_other_key: Vec<Pair<'_>> = pairs
                    .iter()
                    .filter_map(|pair| Some(Pair { before: pair.before, after: second(pair)? }))
                    .collect();
                let control = two_surrogates(&under_other_key, other);
                unless_empty(
                    same_key(&two_surrogates(pairs, other), &control),
                    "no value could be put side by side",
                )
            }
            None => Err("needs a release under the same key and another policy: give it with `--same-key`"),
        },
    );
    simulated(&mut results, pairs, settings)?;
    let old_age = settings.policy.as_ref().map_or(90, |p| i32::from(p.rewrite.old_age));
    results.add(Threat::OldAge, unless_empty(old_ages(&old_people(pairs, old_age)), "nobody is that old"));
    results.add(
        Threat::RealName,
        unless_empty(real_names(&names_of_records(pairs)), "no name could be put side by side"),
    );
    let season = season(&months(pairs));
    results.add(Threat::Season, unless_empty(season.month, "no date shows its month before and after"));
    const NO_DATES: &str = "no record has three dates";
    let grain = Grain::of(pairs);
    results.add(
        Threat::JoinedReleases,
        match others.second {
            Some(second) => {
                let units = timelines(pairs, grain, |p| second.get(p.before.id.as_str()).copied());
                unless_empty(joined(&units, seed), NO_DATES)
            }
            None => Err("needs a second release under another key: give it after the first"),
        },
    );
    let register = timelines(pairs, grain, |p| Some(p.before));
    results.add(Threat::JoinedRegister, unless_empty(joined(&register, seed), NO_DATES));
    let inference = inference(&register_people(pairs), seed);
    results
        .add(Threat::Inference, unless_empty(inference.after, "no document tells anything of its patient"));
    Ok(ThreatAssessment { results, months_excluded: season.months_excluded, inference })
}

/// Attacks that need documents rewritten again: under the policy, with a key of this program's own.
fn simulated(results: &mut ThreatResults, pairs: &[Pair<'_>], settings: &RiskSettings) -> Result<(), Error> {
    const NO_POLICY: &str = "the policy of the release is not known";
    const NO_DATES: &str = "no document has the dates that it needs";
    let Some(policy) = &settings.policy else {
        results.add(Threat::Correction, Err(NO_POLICY));
        results.add(Threat::FileName, Err(NO_POLICY));
        return Ok(());
    };
    let key = SecretKey::from_bytes(&[0x6b; 32])?;
    let rewriter = Rewriter::new(key, policy.rewrite.clone())?;
    let originals: Vec<&Observed> = pairs.iter().map(|p| p.before).collect();
    let tried = |success: Success| if success.attack.tries == 0 { Err(NO_DATES) } else { Ok(success) };
    results.add(
        Threat::Correction,
        tried(corrected(&simulate::corrections(&rewriter, &originals, settings.seed))),
    );
    let (same, strangers) = simulate::shared_names(&rewriter, &originals, settings.seed);
    results.add(Threat::FileName, tried(shared_file_name(&same, &strangers)));
    Ok(())
}

/// Records that must share a value for it to be a constant of the corpus.
const CONSTANT: usize = 5;

/// The surrogates of the values of one label, by true value: one for each record.
fn constants<'a>(
    pairs: &'a [Pair<'a>],
    label: Label,
    keep: impl Fn(&ObservedSpan) -> bool,
) -> BTreeMap<(Language, String), BTreeMap<&'a str, &'a str>> {
    let mut out: BTreeMap<(Language, String), BTreeMap<&str, &str>> = BTreeMap::new();
    for pair in pairs {
        for (before, after) in pair.aligned(&[label]).unwrap_or_default() {
            if keep(before) {
                let value = (pair.before.language, fold(&before.text));
                out.entry(value).or_default().entry(pair.before.record()).or_insert(&after.text);
            }
        }
    }
    out.retain(|_, records| records.len() >= CONSTANT);
    out
}

/// Postal codes that many records hold, by department. Candidates are the departments of the regions that were written.
fn places(pairs: &[Pair<'_>]) -> Vec<Constant> {
    let constant = |((language, code), written): ((Language, String), BTreeMap<&str, &str>)| {
        let truth = department(&code, language)?;
        let released: Vec<String> = written.values().filter_map(|code| department(code, language)).collect();
        let regions: BTreeSet<&str> = released.iter().filter_map(|d| region(d, language)).collect();
        let departments = REGIONS.get(&language)?;
        let candidates = departments.iter().filter(|(_, r)| regions.contains(*r));
        let candidates = candidates.map(|(d, _)| ((*d).to_owned(), 1.0)).collect();
        (released.len() >= CONSTANT).then_some(Constant { truth, released, candidates })
    };
    constants(pairs, Label::PostalCode, |_| true).into_iter().filter_map(constant).collect()
}

/// Departments with their regions.
static REGIONS: LazyLock<BTreeMap<Language, BTreeMap<&'static str, &'static str>>> = LazyLock::new(|| {
    let departments = |&language| {
        let towns = Lexicon::of(language).towns().map(|t| (t.department(), t.region()));
        (language, towns.filter(|(d, r)| !d.is_empty() && !r.is_empty()).collect())
    };
    Language::ALL.iter().map(departments).collect()
});

fn region(department: &str, language: Language) -> Option<&'static str> {
    REGIONS.get(&language)?.get(department).copied()
}

/// The department of a postal code.
fn department(code: &str, language: Language) -> Option<String> {
    let digits: String = code.chars().filter(char::is_ascii_digit).collect();
    let town = Lexicon::of(language).towns_by_postal(&digits).next().map(|t| t.department().to_owned());
    let start = |n: usize| digits.get(..n).filter(|d| region(d, language).is_some()).map(str::to_owned);
    town.or_else(|| start(3)).or_else(|| start(2)).filter(|_| digits.len() == 5)
}

/// Names of caregivers that many records hold, by initial. Candidates are weighted by their frequency among all surrogates.
fn caregivers(pairs: &[Pair<'_>]) -> Vec<Constant> {
    let mut usual: BTreeMap<String, f64> = ('a'..='z').map(|c| (c.to_string(), 0.5)).collect();
    for span in pairs.iter().flat_map(|p| p.after.spans_of(Label::FamilyName)) {
        if let Some(count) = initial(&span.text).and_then(|c| usual.get_mut(&c)) {
            *count += 1.0;
        }
    }
    let constant = |((_, name), written): ((Language, String), BTreeMap<&str, &str>)| Constant {
        truth: initial(&name).unwrap_or_default(),
        released: written.values().filter_map(|name| initial(name)).collect(),
        candidates: usual.clone(),
    };
    let names = constants(pairs, Label::FamilyName, |span| span.role == Role::Caregiver);
    names.into_iter().map(constant).filter(|c| c.released.len() >= CONSTANT).collect()
}

fn initial(name: &str) -> Option<String> {
    fold(name).chars().next().filter(char::is_ascii_lowercase).map(String::from)
}

/// Letters with the same patient id in the release.
fn letters_by_released_patient<'a, 'b>(pairs: &'b [Pair<'a>]) -> Vec<Vec<&'b Pair<'a>>> {
    let mut out: BTreeMap<&str, Vec<&Pair<'_>>> = BTreeMap::new();
    for pair in pairs {
        if let Some(patient) = pair.after.patient.as_deref() {
            out.entry(patient).or_default().push(pair);
        }
    }
    out.into_values().collect()
}

/// An interval of a document: from the birth date to its first date, or between its first two dates.
pub(super) fn interval<'a>(spans: impl Iterator<Item = (Label, Option<i32>)> + Clone + 'a) -> Option<i32> {
    let days = |label| spans.clone().filter(move |(l, _)| *l == label).filter_map(|(_, day)| day);
    let mut dates = days(Label::Date);
    let first = dates.next()?;
    match days(Label::BirthDate).next() {
        Some(birth) => Some(first - birth),
        None => Some(dates.next()? - first),
    }
}

/// By how many days the release is wrong about that interval; nothing where dates cannot be put side by side.
fn interval_error(before: &Observed, after: &Observed) -> Option<i32> {
    let spans = |o: &Observed| o.found.iter().map(|f| (f.label, f.day)).collect::<Vec<_>>();
    let count = |o: &Observed, label| o.spans_of(label).count();
    let same = [Label::Date, Label::BirthDate].iter().all(|&l| count(before, l) == count(after, l));
    let (truth, released) = (interval(spans(before).into_iter())?, interval(spans(after).into_iter())?);
    same.then_some(released - truth)
}

fn home_towns(letters: &[Vec<&Pair<'_>>]) -> Vec<TownLetters> {
    let of_patient = |letters: &Vec<&Pair<'_>>| {
        let towns: Vec<(String, String)> = letters
            .iter()
            .flat_map(|p| p.aligned(&[Label::City]).unwrap_or_default())
            .map(|(before, after)| (fold(&before.text), fold(&after.text)))
            .collect();
        let known = letters.iter().find_map(|p| p.before.known_town.clone());
        let truth = known.or_else(|| towns.first().map(|(truth, _)| truth.clone()))?;
        let released = towns.into_iter().filter(|(town, _)| *town == truth).map(|(_, new)| new).collect();
        Some(TownLetters { truth, released })
    };
    letters.iter().filter_map(of_patient).collect()
}

/// Labels whose surrogates are drawn from the key, once for each value of a record.
const DRAWN: &[Label] = &[
    Label::FamilyName,
    Label::GivenName,
    Label::Phone,
    Label::PatientId,
    Label::VisitId,
    Label::SocialSecurity,
    Label::OtherId,
];

fn two_surrogates(pairs: &[Pair<'_>], other: &BTreeMap<&str, &Observed>) -> Vec<TwoSurrogates> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for pair in pairs {
        let Some(other) = other.get(pair.before.id.as_str()) else { continue };
        let second = Pair { before: pair.before, after: other };
        for &label in DRAWN {
            let (Some(ours), Some(theirs)) = (pair.aligned(&[label]), second.aligned(&[label])) else {
                continue;
            };
            for ((truth, ours), (_, theirs)) in ours.into_iter().zip(theirs) {
                let hidden = is_hidden(&ours.text) || is_hidden(&theirs.text);
                if !hidden && seen.insert((pair.before.record(), label, fold(&truth.text))) {
                    out.push(TwoSurrogates {
                        kind: label.name(),
                        ours: fold(&ours.text),
                        other: fold(&theirs.text),
                    });
                }
            }
        }
        if let (Some(ours), Some(theirs)) = (&pair.after.patient, &other.patient)
            && seen.insert((pair.before.record(), Label::PatientId, String::new()))
        {
            out.push(TwoSurrogates { kind: "column", ours: ours.clone(), other: theirs.clone() });
        }
    }
    out
}

/// A tag, a mask or a bar: nothing can be read.
fn is_hidden(text: &str) -> bool {
    text.is_empty() || text.starts_with(['<', '[', '@']) || text.chars().all(|c| c == '█')
}

fn old_people(pairs: &[Pair<'_>], old_age: i32) -> Vec<OldPerson> {
    let of_record = |record: Vec<&Pair<'_>>| {
        let birth = record.iter().find_map(|p| p.before.known_birth.map(|d| i32::from(d.year())));
        let birth = birth.or_else(|| record.iter().find_map(|p| p.before.birth_years.first().copied()));
        let ages_in = |o: &Observed| -> Vec<i32> {
            let written =
                o.spans_of(Label::Age).filter(|f| is_in_years(&f.text)).filter_map(|f| first_number(&f.text));
            let years = year_written(o)
                .into_iter()
                .flat_map(|seen| o.birth_years.iter().map(move |year| seen - year));
            written.chain(years).filter(|age| (0..130).contains(age)).collect()
        };
        let last = record.iter().max_by_key(|p| year_written(p.before))?;
        let by_birth = birth.zip(year_written(last.before)).map(|(birth, seen)| seen - birth);
        let age = by_birth.or_else(|| ages_in(last.before).into_iter().max())?;
        (age >= old_age).then(|| OldPerson { age, released_ages: ages_in(last.after) })
    };
    by_record(pairs).into_values().filter_map(of_record).collect()
}

fn is_in_years(age: &str) -> bool {
    let words = fold(age);
    !["mois", "semaine", "jour", "mes", "dia", "heure", "hora"].iter().any(|unit| words.contains(unit))
}

/// The year a document was written in, or the latest year in its text.
fn year_written(observed: &Observed) -> Option<i32> {
    let own = observed.date.map(|d| i32::from(d.year()));
    own.or_else(|| observed.spans_of(Label::Date).filter_map(|f| f.month).map(|(year, _)| year).max())
}

fn names_of_records(pairs: &[Pair<'_>]) -> Vec<NamesOfRecord> {
    const NAMES: &[Label] = &[Label::FamilyName, Label::GivenName];
    let words = |text: &str| -> Vec<String> {
        fold(text).split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 3).map(str::to_owned).collect()
    };
    let of_record = |record: Vec<&Pair<'_>>| {
        let mut names = NamesOfRecord::default();
        for pair in record {
            let real = pair.before.found.iter().filter(|f| NAMES.contains(&f.label));
            names.real.extend(real.flat_map(|f| words(&f.text)));
            for (before, after) in NAMES.iter().filter_map(|l| pair.aligned(&[*l])).flatten() {
                if fold(&before.text) != fold(&after.text) && !is_hidden(&after.text) {
                    names.written.extend(words(&after.text));
                }
            }
        }
        names
    };
    let all = by_record(pairs).into_values().map(of_record);
    all.filter(|n| !n.real.is_empty() && !n.written.is_empty()).collect()
}

fn months(pairs: &[Pair<'_>]) -> Vec<Vec<MovedMonth>> {
    let month = |span: &ObservedSpan| span.month.and_then(|(_, month)| month);
    let of_record = |record: Vec<&Pair<'_>>| -> Vec<MovedMonth> {
        let dates = record.iter().filter_map(|p| p.aligned(&[Label::Date])).flatten();
        let moved = dates.filter_map(|(b, a)| Some(MovedMonth { truth: month(b)?, released: month(a)? }));
        moved.collect::<BTreeSet<_>>().into_iter().collect()
    };
    by_record(pairs).into_values().map(of_record).filter(|r| !r.is_empty()).collect()
}

/// How finely a release shows its dates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grain {
    Day,
    Month,
    Year,
}

impl Grain {
    fn of(pairs: &[Pair<'_>]) -> Grain {
        let (mut days, mut months, mut all) = (0, 0, 0);
        for span in pairs.iter().flat_map(|p| p.after.spans_of(Label::Date)) {
            all += 1;
            days += usize::from(span.day.is_some());
            months += usize::from(matches!(span.month, Some((_, Some(_)))));
        }
        match (2 * days >= all, 2 * months >= all) {
            (true, _) => Grain::Day,
            (false, true) => Grain::Month,
            (false, false) => Grain::Year,
        }
    }

    fn value(self, span: &ObservedSpan) -> Option<i32> {
        match (self, span.month) {
            (Grain::Day, _) => span.day,
            (Grain::Month, Some((year, Some(month)))) => Some(12 * year + i32::from(month)),
            (Grain::Year, Some((year, _))) => Some(year),
            _ => None,
        }
    }

    fn of_document(self, date: jiff::civil::Date) -> i32 {
        match self {
            Grain::Day => day_number(date),
            Grain::Month => 12 * i32::from(date.year()) + i32::from(date.month()),
            Grain::Year => i32::from(date.year()),
        }
    }

    fn timeline<'a>(self, documents: impl Iterator<Item = &'a Observed>) -> Vec<i32> {
        let mut out = BTreeSet::new();
        for document in documents {
            out.extend(document.spans_of(Label::Date).filter_map(|f| self.value(f)));
            out.extend(document.date.map(|d| self.of_document(d)));
        }
        out.into_iter().collect()
    }
}

/// True days that a record needs to be tried: many records share a single interval.
const FEWEST_DAYS: usize = 3;

/// Dates in the release, at its grain, and the same dates in another source. Documents that the release joins by a patient id are
/// one timeline, others one each. The other source is a second release, or a register with the dates of earlier stays.
fn timelines<'a>(
    pairs: &'a [Pair<'a>],
    grain: Grain,
    other: impl Fn(&Pair<'a>) -> Option<&'a Observed>,
) -> Vec<Timelines> {
    let owners: BTreeMap<&str, usize> =
        by_record(pairs).into_keys().enumerate().map(|(i, r)| (r, i)).collect();
    let mut units: BTreeMap<(&str, &str), Vec<&Pair<'_>>> = BTreeMap::new();
    for pair in pairs {
        units.entry((pair.before.record(), pair.after.record())).or_default().push(pair);
    }
    let unit = |((record, _), documents): ((&str, &str), Vec<&Pair<'a>>)| {
        let days = Grain::Day.timeline(documents.iter().map(|p| p.before));
        let shown = grain.timeline(documents.iter().map(|p| p.after));
        Timelines {
            owner: owners[record],
            ours: if days.len() >= FEWEST_DAYS { shown } else { Vec::new() },
            theirs: grain.timeline(documents.iter().filter_map(|p| other(p))),
        }
    };
    units.into_iter().map(unit).collect()
}

/// A disease is rare when at most one record in so many names it.
const RARE: usize = 100;

/// One letter of each patient, as a register and as the release show it.
fn register_people(pairs: &[Pair<'_>]) -> Vec<RegisterPerson> {
    let letters: Vec<&Pair<'_>> =
        by_record(pairs).into_values().filter_map(|record| record.first().copied()).collect();
    let mut spread: BTreeMap<Family, usize> = BTreeMap::new();
    letters.iter().flat_map(|p| &p.before.families).for_each(|&f| *spread.entry(f).or_default() += 1);
    let few = (letters.len() / RARE).max(2);
    let rare = |family: &Family| spread.get(family).is_some_and(|&n| n <= few);
    let person = |p: &&Pair<'_>| RegisterPerson {
        truth: attributes(p.before, &rare),
        released: attributes(p.after, &rare),
    };
    letters.iter().map(person).collect()
}

fn attributes(observed: &Observed, rare: &impl Fn(&Family) -> bool) -> BTreeMap<Attribute, AttributeValue> {
    let shown = |value: Option<String>| value.map_or(AttributeValue::Absent, AttributeValue::Shown);
    let first = |label, read: &dyn Fn(&str) -> Option<String>| {
        let text = observed.spans_of(label).next().map(|f| f.text.as_str());
        match text {
            None => AttributeValue::Absent,
            Some(text) => read(text).map_or(AttributeValue::Hidden, AttributeValue::Shown),
        }
    };
    let plain = |text: &str| (!is_hidden(text)).then(|| fold(text));
    let band = |text: &str| {
        first_number(text).map(|age| if is_in_years(text) { age / 10 * 10 } else { 0 }.to_string())
    };
    let diseases: Vec<&str> = observed.families.iter().filter(|f| rare(f)).map(Family::code).collect();
    let postal = first(Label::PostalCode, &|code| department(code, observed.language));
    let place = match postal {
        AttributeValue::Absent => first(Label::City, &plain),
        postal => postal,
    };
    [
        (Attribute::AgeBand, first(Label::Age, &band)),
        (Attribute::Sex, shown(observed.sex.map(|sex| format!("{sex:?}")))),
        (Attribute::Department, place),
        (Attribute::Profession, first(Label::Profession, &plain)),
        (Attribute::RareDisease, shown((!diseases.is_empty()).then(|| diseases.join(" ")))),
        (Attribute::Year, shown(year_written(observed).map(|year| year.to_string()))),
    ]
    .into_iter()
    .collect()
}
