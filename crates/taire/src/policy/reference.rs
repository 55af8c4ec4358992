//! Every key of a policy, with what it is for and an example. A test compares the list with the types, so that none is
//! missing, and the book's page is written from it.

use std::fmt::Write as _;

use taire_text::{Group, Label, Source};
use toml::Value;

use super::Policy;
use crate::Error;

/// One key of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolicyKey {
    /// Its path. `LABEL`, `GROUP` and `SOURCE` stand for any name of that kind.
    pub path: &'static str,
    /// What it is for, and what it may be.
    pub about: &'static str,
    /// A piece of TOML that uses it.
    pub example: &'static str,
}

const fn key(path: &'static str, about: &'static str, example: &'static str) -> PolicyKey {
    PolicyKey { path, about, example }
}

/// All keys, in the order of the book.
pub const POLICY_KEYS: &[PolicyKey] = &[
    key(
        "extends",
        "The policy it begins from: a shipped name, or a file beside this one. Say only what differs: tables are joined key by key, lists and methods are replaced, own patterns, deny-lists and allowed words add up.",
        "extends = \"fr\"",
    ),
    key("name", "How reports call it; without one, the name of its file.", "name = \"rheumatology\""),
    key("description", "What it is for, in a line.", "description = \"letters of one department\""),
    key(
        "language",
        "`fr` or `es`; without it each document is read in its own language.",
        "language = \"fr\"",
    ),
    key(
        "keep_columns",
        "Columns of tables and keys of objects passed through as they are; others that are not known are left out.",
        "keep_columns = [\"unit\"]",
    ),
    key(
        "detect.sources",
        "Who looks: `metadata`, `structure`, `pattern`, `lexicon`, `initials`, `student`, `crf`, `transformer`, `trusted`, `allow-list`.",
        "detect.sources = [\"metadata\", \"pattern\", \"lexicon\", \"student\"]",
    ),
    key("detect.threshold", "How sure a source must be to count, from 0 to 1.", "detect.threshold = 0.4"),
    key("detect.thresholds.LABEL", "The same for one label.", "detect.thresholds.Institution = 0.6"),
    key(
        "detect.order",
        "Whom to believe when two sources disagree, the most reliable first.",
        "detect.order = [\"metadata\", \"student\", \"pattern\"]",
    ),
    key(
        "detect.labels.LABEL",
        "The same order for one label.",
        "detect.labels.Date = [\"metadata\", \"pattern\", \"student\"]",
    ),
    key(
        "detect.trusted",
        "Where what is certain is looked for again: in the `document`, or in all documents of the patient (`record`).",
        "detect.trusted = \"document\"",
    ),
    key(
        "detect.ignore",
        "Labels that are found but left alone and not reported.",
        "detect.ignore = [\"Profession\"]",
    ),
    key(
        "detect.parts.header",
        "The sources that count in the header of a report. With `parts`, give all three.",
        "detect.parts = { header = [\"metadata\"], body = [\"metadata\"], footer = [\"metadata\"] }",
    ),
    key(
        "detect.parts.body",
        "The same for the body.",
        "detect.parts = { header = [\"metadata\"], body = [\"metadata\", \"crf\"], footer = [\"metadata\"] }",
    ),
    key(
        "detect.parts.footer",
        "The same for the footer.",
        "detect.parts = { header = [\"metadata\"], body = [\"metadata\"], footer = [\"pattern\"] }",
    ),
    key(
        "detect.patterns.name",
        "`[[detect.patterns]]`: a pattern of your own. Its name is given as the reason of what it finds.",
        "[[detect.patterns]]\nname = \"study number\"\nlabel = \"OtherId\"\nregex = 'ESS-\\d{6}'",
    ),
    key(
        "detect.patterns.label",
        "What it finds.",
        "[[detect.patterns]]\nname = \"room\"\nlabel = \"OtherDetail\"\nregex = '(?i)chambre (\\d+)'",
    ),
    key(
        "detect.patterns.regex",
        "A regular expression, case-sensitive unless it says `(?i)`; where it has a group, the first group is what is found.",
        "[[detect.patterns]]\nname = \"badge\"\nlabel = \"EmployeeId\"\nregex = 'badge\\s+([A-Z]\\d{4})'",
    ),
    key(
        "detect.patterns.score",
        "How sure it is, from 0 to 1.",
        "[[detect.patterns]]\nname = \"badge\"\nlabel = \"EmployeeId\"\nregex = '[A-Z]\\d{4}'\nscore = 0.6",
    ),
    key(
        "detect.patterns.role",
        "Whose it is: `Patient`, `Caregiver`, `Relative`, `Unknown`.",
        "[[detect.patterns]]\nname = \"badge\"\nlabel = \"EmployeeId\"\nregex = '[A-Z]\\d{4}'\nrole = \"Caregiver\"",
    ),
    key(
        "detect.deny.label",
        "`[[detect.deny]]`: words that are always hidden, whatever the case, accents and hyphens. The label is what they are.",
        "[[detect.deny]]\nlabel = \"Institution\"\nwords = [\"Les Glycines\"]",
    ),
    key(
        "detect.deny.words",
        "The words. Reports count them and do not show them.",
        "[[detect.deny]]\nlabel = \"City\"\nwords = [\"Kerlouan\"]",
    ),
    key(
        "detect.deny.file",
        "A file of them, one a line, beside the policy; `#` begins a comment.",
        "[[detect.deny]]\nlabel = \"Hospital\"\nfile = \"sites.txt\"",
    ),
    key(
        "detect.deny.role",
        "Whose they are.",
        "[[detect.deny]]\nlabel = \"FamilyName\"\nfile = \"staff.txt\"\nrole = \"Caregiver\"",
    ),
    key(
        "detect.allow.words",
        "`[[detect.allow]]`: words that stay where a detector would hide them, if they are the whole of what it found. Known identities and deny-lists outweigh them.",
        "[[detect.allow]]\nwords = [\"Orphée\", \"unité Charcot\"]",
    ),
    key("detect.allow.file", "A file of them, as for `deny`.", "[[detect.allow]]\nfile = \"protocols.txt\""),
    key(
        "detect.allow.labels",
        "Only where they were found under one of these labels.",
        "[[detect.allow]]\nwords = [\"Charcot\"]\nlabels = [\"FamilyName\"]",
    ),
    key(
        "detect.allow_lists",
        "Lists of judged words for the source `allow-list` (`taire words`), beside the policy.",
        "detect.allow_lists = [\"words.tsv\"]",
    ),
    key(
        "detect.model",
        "A model of `taire train crf` for the source `crf`, instead of the one that ships.",
        "detect.model = \"ours.crf\"",
    ),
    key(
        "detect.transformer",
        "The folder of a model of `taire train transformer` for the source `transformer`, instead of the one that ships.",
        "detect.transformer = \"ours\"",
    ),
    key(
        "detect.student",
        "A model for the source `student`, instead of the one that ships.",
        "detect.student = \"ours.student\"",
    ),
    key(
        "detect.pool",
        "Lets `crf` and `transformer` decide together: the share of the CRF, from 0 to 1.",
        "detect.pool = 0.8",
    ),
    key(
        "detect.cascade",
        "Lets `transformer` read only what `student` leaves in doubt: words with this chance or more of being part of an identifier, and rules' finds that `student` does not confirm. From 0 to 1; without it `transformer` reads everything.",
        "detect.cascade = 0.005",
    ),
    key(
        "detect.starter",
        "Whether `allow-list` starts from the words and number patterns that ship. `false`: only what a person judged is allowed, as FASDIM began.",
        "detect.starter = true",
    ),
    key(
        "detect.long_numbers",
        "Whether runs of more than five digits that nothing protects are identifiers, and post boxes, flats and buildings parts of an address (Bigeard 2015, 3.2.4).",
        "detect.long_numbers = true",
    ),
    key(
        "detect.guard",
        "Whether clinical values, eponyms and forms are protected. `false` only to measure what that does.",
        "detect.guard = true",
    ),
    key(
        "detect.source_thresholds.SOURCE",
        "The score from which a mention of one source counts, from 0 to 1. Formerly `detect.voices`.",
        "detect.source_thresholds.lexicon = 0.6",
    ),
    key(
        "rewrite.scope",
        "Which documents share invented people: `document`, `patient`, `corpus`.",
        "rewrite.scope = \"patient\"",
    ),
    key(
        "rewrite.all",
        "One action for every label that `groups` and `labels` do not name: `surrogate`, `generalise`, `tag`, `numbered-tag`, `mask`, `bar`, `remove`, `keep`. A label for which there is no such value gets its tag.",
        "rewrite.all = \"tag\"",
    ),
    key(
        "rewrite.groups.GROUP",
        "The action for a group of labels.",
        "rewrite.groups.Organisation = \"generalise\"",
    ),
    key(
        "rewrite.labels.LABEL",
        "The action for one label; it outweighs its group. An action that makes no sense for it is an error. A kept or generalised town takes its postal code and department with it.",
        "rewrite.labels.BirthDate = \"generalise\"",
    ),
    key(
        "rewrite.generalise.dates",
        "What `generalise` leaves of a date: its `year` or its `month`.",
        "rewrite.generalise.dates = \"month\"",
    ),
    key(
        "rewrite.generalise.age_band",
        "Years in a band of ages, 2 to 50.",
        "rewrite.generalise.age_band = 5",
    ),
    key(
        "rewrite.generalise.towns",
        "What `generalise` writes for a town: its `department`, or its `size`.",
        "rewrite.generalise.towns = \"size\"",
    ),
    key(
        "rewrite.dates.method",
        "How dates move: `shift`, `blur`, `warp`, `ldp`, `metric`, `year`.",
        "rewrite.dates = { method = \"shift\" }",
    ),
    key(
        "rewrite.dates.min_days",
        "Least days that dates move, 30 or more; not for `year`.",
        "rewrite.dates = { method = \"warp\", min_days = 400 }",
    ),
    key(
        "rewrite.dates.max_days",
        "Most days, 60 more than the least.",
        "rewrite.dates = { method = \"warp\", max_days = 2000 }",
    ),
    key(
        "rewrite.dates.base_days",
        "`warp`: days between the nearest knots of the noise.",
        "rewrite.dates = { method = \"warp\", base_days = 30 }",
    ),
    key(
        "rewrite.dates.scales",
        "`warp`: how many noises, each twice as slow as the one before.",
        "rewrite.dates = { method = \"warp\", scales = 8 }",
    ),
    key(
        "rewrite.dates.slope",
        "`warp`: the steepest the calendar is bent, under 0.5.",
        "rewrite.dates = { method = \"warp\", slope = 0.2 }",
    ),
    key(
        "rewrite.dates.every",
        "`blur`: one day more for so many days back from the anchor.",
        "rewrite.dates = { method = \"blur\", every = 30 }",
    ),
    key(
        "rewrite.dates.anchor",
        "`blur`: the day it counts from.",
        "rewrite.dates = { method = \"blur\", anchor = \"2020-12-31\" }",
    ),
    key(
        "rewrite.dates.epsilon",
        "`ldp`, `metric`: the loss ε of a document's dates.",
        "rewrite.dates = { method = \"ldp\", epsilon = 0.75 }",
    ),
    key(
        "rewrite.dates.classes",
        "`ldp`: the reach of its three classes of intervals, in days.",
        "rewrite.dates = { method = \"ldp\", classes = [61, 660, 36000] }",
    ),
    key(
        "rewrite.dates.birth_days",
        "`ldp`: how far apart two birth dates, or two ages, may be for their loss to hold, in days.",
        "rewrite.dates = { method = \"ldp\", birth_days = 366 }",
    ),
    key(
        "rewrite.places.method",
        "How towns are drawn: `list`, `geo`, `health`, `health-strict`.",
        "rewrite.places = { method = \"geo\" }",
    ),
    key(
        "rewrite.places.epsilon",
        "`geo`: ε per kilometre; `health`, `health-strict`: ε per distance of profiles.",
        "rewrite.places = { method = \"geo\", epsilon = 0.25 }",
    ),
    key(
        "rewrite.places.k",
        "`health`: how many towns it draws among.",
        "rewrite.places = { method = \"health\", k = 10 }",
    ),
    key(
        "rewrite.places.radius_km",
        "`health`: how far they may lie.",
        "rewrite.places = { method = \"health\", radius_km = 100.0 }",
    ),
    key(
        "rewrite.indicators",
        "A table of towns that `health` and `health-strict` compare instead of the shipped one, beside the policy.",
        "rewrite.indicators = \"towns.csv\"",
    ),
    key(
        "rewrite.tags",
        "What tags are called: `label` writes `<FamilyName>`, `category` writes `<PER>`.",
        "rewrite.tags = \"category\"",
    ),
    key(
        "rewrite.ids",
        "How ids that join tables are replaced: `permute` keeps their shape, `token` writes a keyed token.",
        "rewrite.ids = \"token\"",
    ),
    key(
        "rewrite.numbers",
        "Telephones and numbers in a text: `consistent` gives each one surrogate, `random` another at each place (Bigeard 2015, table 3.1). Numbers of the social security and ids that join tables stay consistent.",
        "rewrite.numbers = \"random\"",
    ),
    key("rewrite.old_age", "Ages from here on are pooled, 18 to 130.", "rewrite.old_age = 90"),
    key(
        "rewrite.response.LABEL",
        "ε of a randomised response, for `Sex` and `Kinship`.",
        "rewrite.response.Sex = 1.0",
    ),
    key(
        "rewrite.budget.pure",
        "What one document may lose, in ε, all that is released together; what exceeds it becomes a tag.",
        "rewrite.budget.pure = 0.75",
    ),
    key("rewrite.budget.day", "The same in ε per day.", "rewrite.budget.day = 0.75"),
    key("rewrite.budget.week", "The same in ε per week.", "rewrite.budget.week = 0.75"),
    key("rewrite.budget.month", "The same in ε per month.", "rewrite.budget.month = 0.75"),
    key("rewrite.budget.year", "The same in ε per year.", "rewrite.budget.year = 0.75"),
    key("rewrite.budget.kilometre", "The same in ε per kilometre.", "rewrite.budget.kilometre = 1.0"),
    key("rewrite.budget.profile", "The same in ε per distance of profiles.", "rewrite.budget.profile = 1.0"),
];

/// The names that may follow a path, with those of labels, groups and sources in place of `LABEL`, `GROUP` and `SOURCE`.
pub(super) fn children(below: &str) -> Vec<&'static str> {
    let mut out: Vec<&'static str> = Vec::new();
    for key in POLICY_KEYS {
        let rest = match below {
            "" => Some(key.path),
            below => key.path.strip_prefix(below).and_then(|rest| rest.strip_prefix('.')),
        };
        match rest.and_then(|rest| rest.split('.').next()) {
            Some("LABEL") => out.extend(Label::ALL.iter().map(|l| l.name())),
            Some("GROUP") => out.extend(Group::ALL.iter().map(|g| g.name())),
            Some("SOURCE") => out.extend(Source::ALL.iter().map(|s| s.key())),
            Some(name) if !out.contains(&name) => out.push(name),
            _ => {}
        }
    }
    out
}

/// The known name nearest to one that nobody knows, if it is near.
pub(super) fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let near = known.iter().map(|k| (edits(&lower, &k.to_lowercase()), *k)).min()?;
    (near.0 <= 1 + name.chars().count() / 3).then_some(near.1)
}

/// How many letters must be inserted, left out or exchanged.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let exchanged = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The page of the book: every key with its default and an example.
pub fn policy_reference() -> Result<String, Error> {
    let empty = Policy::parse("name = \"\"", "of the defaults")?;
    let defaults: Value =
        Value::try_from(&empty).map_err(|_| Error::internal("the defaults of a policy cannot be printed"))?;
    let mut out = String::from(
        "# Keys of a policy\n\nWritten by a test from the program itself. `taire policy check FILE` opens every file that a policy \
         names and reports keys that are not here; `taire policy show NAME|FILE` prints what is done with each label. The default is \
         what holds where neither the policy nor the one it extends says anything.\n",
    );
    for key in POLICY_KEYS {
        let default = lookup(&defaults, key.path)
            .filter(|d| d != "\"\"")
            .map_or("none".to_owned(), |d| format!("`{d}`"));
        let _ = write!(
            out,
            "\n## {}\n\n{}\n\nDefault: {default}.\n\n```toml\n{}\n```\n",
            key.path, key.about, key.example
        );
    }
    Ok(out)
}

fn lookup(value: &Value, path: &str) -> Option<String> {
    match path {
        "detect.patterns.score" => return Some("0.9".into()),
        "detect.patterns.role" | "detect.deny.role" => return Some("\"Unknown\"".into()),
        "detect.guard" => return Some("true".into()),
        "detect.long_numbers" => return Some("false".into()),
        "detect.starter" => return Some("true".into()),
        "rewrite.numbers" => return Some("\"consistent\"".into()),
        _ => {}
    }
    let found = path.split('.').try_fold(value, |at, name| at.get(name))?;
    match found {
        // The defaults of numbers are written as people write them.
        Value::Float(x) => Some(format!("{}", (x * 1e4).round() / 1e4)),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::{AllowedWords, DenyList, Detect, Parts, PatternRule, SourceKey, TrustedScope};
    use super::*;
    use taire_surrogate::{
        Action, Dates, Limits, NumberStyle, Places, ScopeKind, Settings, TagNames, Widths,
    };
    use taire_text::{Language, Role};

    /// A policy in which every key is said. The types have no `..` here, so that a new one does not compile until it is.
    fn full(dates: Dates, places: Places) -> Policy {
        let s = || vec![SourceKey(Source::Crf)];
        Policy {
            name: "x".into(),
            extends: None,
            description: String::new(),
            language: Some(Language::Fr),
            keep_columns: Vec::new(),
            detect: Detect {
                sources: s(),
                threshold: 0.5,
                thresholds: BTreeMap::from([(Label::City, 0.5)]),
                order: s(),
                labels: BTreeMap::from([(Label::City, s())]),
                trusted: TrustedScope::Record,
                ignore: Vec::new(),
                parts: Some(Parts { header: s(), body: s(), footer: s() }),
                allow_lists: Vec::new(),
                model: Some("m".into()),
                transformer: Some("t".into()),
                student: Some("s".into()),
                pool: Some(0.5),
                cascade: Some(0.5),
                guard: false,
                long_numbers: true,
                starter: false,
                source_thresholds: BTreeMap::from([(SourceKey(Source::Crf), 0.5)]),
                patterns: vec![PatternRule {
                    name: "a".into(),
                    label: Label::City,
                    regex: "a".into(),
                    score: 0.9,
                    role: Role::Unknown,
                }],
                deny: vec![DenyList {
                    label: Label::City,
                    words: vec!["a".into()],
                    file: Some("a".into()),
                    role: Role::Unknown,
                }],
                allow: vec![AllowedWords {
                    words: vec!["a".into()],
                    file: Some("a".into()),
                    labels: vec![Label::City],
                }],
            },
            rewrite: Settings {
                scope: ScopeKind::Patient,
                dates,
                places,
                indicators: Some("i".into()),
                tags: TagNames::Label,
                ids: Default::default(),
                numbers: NumberStyle::Random,
                old_age: 90,
                all: Some(Action::Tag),
                groups: BTreeMap::from([(Group::Place, Action::Tag)]),
                labels: BTreeMap::from([(Label::City, Action::Tag)]),
                generalise: Widths::default(),
                response: BTreeMap::from([(Label::Sex, 1.0)]),
                budget: Limits {
                    pure: Some(1.0),
                    day: Some(1.0),
                    week: Some(1.0),
                    month: Some(1.0),
                    year: Some(1.0),
                    kilometre: Some(1.0),
                    profile: Some(1.0),
                },
            },
            notes: Vec::new(),
        }
    }

    fn paths(value: &Value, below: &str, out: &mut BTreeSet<String>) {
        match value {
            Value::Table(table) => {
                for (name, value) in table {
                    let name = match name.as_str() {
                        n if n.parse::<Label>().is_ok() => "LABEL",
                        n if n.parse::<Group>().is_ok() => "GROUP",
                        n if below == "detect.source_thresholds" && Source::from_key(n).is_ok() => "SOURCE",
                        n => n,
                    };
                    paths(value, [below, name].join(".").trim_start_matches('.'), out);
                }
            }
            Value::Array(items) if items.iter().any(Value::is_table) => {
                items.iter().for_each(|item| paths(item, below, out));
            }
            _ => drop(out.insert(below.to_owned())),
        }
    }

    #[test]
    fn the_reference_has_every_key_of_the_types_and_no_other() {
        let mut typed = BTreeSet::from(["extends".to_owned()]);
        let dates: Vec<Dates> = ["shift", "blur", "warp", "ldp", "metric", "year"]
            .iter()
            .map(|method| toml::from_str(&format!("method = \"{method}\"")).unwrap())
            .collect();
        let places: Vec<Places> = ["list", "geo", "health", "health-strict"]
            .iter()
            .map(|method| toml::from_str(&format!("method = \"{method}\"")).unwrap())
            .collect();
        for (i, &dates) in dates.iter().enumerate() {
            let value = Value::try_from(full(dates, places[i % places.len()])).unwrap();
            paths(&value, "", &mut typed);
        }
        let listed: BTreeSet<String> = POLICY_KEYS.iter().map(|k| k.path.to_owned()).collect();
        assert_eq!(
            typed.difference(&listed).collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "not in the reference"
        );
        assert_eq!(listed.difference(&typed).collect::<Vec<_>>(), Vec::<&String>::new(), "in no type");
    }

    #[test]
    fn every_example_is_read_and_uses_its_key() {
        for key in POLICY_KEYS {
            let policy = toml::from_str::<Policy>(key.example);
            assert!(policy.is_ok(), "{}: {:?}", key.path, policy.err());
            let value: Value = Value::Table(key.example.parse().unwrap());
            let mut used = BTreeSet::new();
            paths(&value, "", &mut used);
            assert!(used.contains(key.path), "{} is not in its example: {used:?}", key.path);
            assert!(!key.about.is_empty());
        }
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("lables", &["labels", "groups"]), Some("labels"));
        assert_eq!(nearest("familyname", &["FamilyName", "City"]), Some("FamilyName"));
        assert_eq!(nearest("wholly", &["labels", "groups"]), None);
    }
}
