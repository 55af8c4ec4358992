//! `cargo xtask risk`: what each calendar leaves to an attacker, on the invented hospital, written to `scores/risk.md`
//! and `scores/risk.json`.
//!
//! Every patient's stays are written as the dates of one document and rewritten by each calendar as a policy would.
//! Then Bigeard's table 0.1, before and after; a few known intervals; one known date; and repeated releases.

use std::fmt::Write as _;
use std::fs;

use jiff::civil::{Date, date};
use serde_json::{Value, json};
use taire_assess::attacks::{Inverse, Moved, averaging, known_date, known_intervals};
use taire_assess::uniqueness::{intervals, uniqueness, whole_sequences};
use taire_surrogate::{Dates, Rewriter, ScopeKind, SecretKey, Settings};
use taire_text::{Entity, Label, Language, Note, PatientId, Role, Score, Source, Span};

use taire_corpus::hospital;

const PATIENTS: u64 = 100_000;
const SEED: u64 = 2015;
const LONGEST: usize = 5;
const TOLERANCE: u32 = 3;
const RELEASES: u8 = 64;
/// Patients whose record is released again and again.
const RELEASED: usize = 400;

/// Days of one record, before, and after where one could be written.
type Record = Vec<(Date, Option<Date>)>;
/// A calendar, the intervals it left, and its records.
type Table<'a> = (&'a str, Vec<Vec<i32>>, Vec<Record>);

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let patients = match args {
        [] => PATIENTS,
        [option, n] if option == "--patients" => {
            n.parse().map_err(|_| format!("`--patients {n}` is no whole number"))?
        }
        _ => return Err("usage: risk [--patients N]".into()),
    };
    let days: Vec<Vec<Date>> =
        (0..patients).map(|i| hospital::patient(SEED, i).stays.iter().map(|s| s.entry).collect()).collect();
    let (text, json) = measure(&days)?;
    fs::create_dir_all("scores").map_err(|e| e.to_string())?;
    fs::write("scores/risk.md", &text).map_err(|e| format!("scores/risk.md: {e}"))?;
    let json = serde_json::to_string_pretty(&json).map_err(|e| e.to_string())? + "\n";
    fs::write("scores/risk.json", json).map_err(|e| format!("scores/risk.json: {e}"))?;
    print!("{text}");
    Ok(())
}

fn calendars() -> Vec<(&'static str, Dates)> {
    let (min_days, max_days) = (360, 1090);
    let anchor = date(2020, 12, 31);
    vec![
        ("shift", Dates::Shift { min_days, max_days }),
        ("blur", Dates::Blur { min_days, max_days, every: 30, anchor }),
        ("warp", Settings::default().dates),
        (
            "ldp",
            Dates::Ldp { epsilon: 0.75, min_days, max_days, classes: [61, 660, 36_000], birth_days: 366 },
        ),
        ("metric", Dates::Metric { epsilon: 0.75, min_days, max_days }),
    ]
}

fn rewriter(dates: Dates, key: u8) -> Result<Rewriter, String> {
    let scope = if dates.by_document() { ScopeKind::Document } else { ScopeKind::Patient };
    let key = SecretKey::from_bytes(&[key; 32]).map_err(|e| e.to_string())?;
    Rewriter::new(key, Settings { dates, scope, ..Settings::default() }).map_err(|e| e.to_string())
}

/// One patient's days as the dates of a document, rewritten.
fn release(rewriter: &Rewriter, patient: usize, days: &[Date]) -> Result<Record, String> {
    let mut text = String::new();
    let mut entities = Vec::with_capacity(days.len());
    for day in days {
        let start = text.len();
        let _ = write!(text, "{:02}/{:02}/{}", day.day(), day.month(), day.year());
        entities.push(Entity {
            span: Span::new(start, text.len()),
            label: Label::Date,
            role: Role::Unknown,
            score: Score::CERTAIN,
            sources: [Source::Metadata].into_iter().collect(),
            doubtful_value: false,
            mentions: Vec::new(),
        });
        text.push_str(", ");
    }
    let note = Note::builder(patient.to_string(), text)
        .patient(PatientId::parse(&patient.to_string()))
        .date(days.last().copied())
        .language(Some(Language::Fr))
        .build()
        .map_err(|e| e.to_string())?;
    let new = rewriter.rewrite(&note, &entities).map_err(|e| e.to_string())?.apply(note.raw()).0;
    let parsed = new.split(", ").map(|written| Date::strptime("%d/%m/%Y", written).ok());
    Ok(days.iter().copied().zip(parsed).collect())
}

fn number(day: Date) -> i32 {
    date(1900, 1, 1).until(day).map_or(0, |span| span.get_days())
}

fn before(record: &Record) -> Vec<i32> {
    record.iter().map(|(day, _)| number(*day)).collect()
}

fn after(record: &Record) -> Vec<i32> {
    record.iter().filter_map(|(_, new)| new.map(number)).collect()
}

fn measure(days: &[Vec<Date>]) -> Result<(String, Value), String> {
    let mut text = format!(
        "# What a calendar leaves to an attacker\n\nMade by `cargo xtask risk` on the invented hospital (`cargo corpus hospital \
         --patients {} --seed {SEED}`): {} patients, {} stays. Each patient's stays are the dates of one document, rewritten \
         by each calendar at its default setting.\n",
        days.len(),
        days.len(),
        days.iter().map(Vec::len).sum::<usize>()
    );
    let mut all =
        json!({"command": "cargo xtask risk", "patients": days.len(), "seed": SEED, "calendars": {}});
    let original: Vec<Vec<i32>> =
        days.iter().map(|d| intervals(&d.iter().map(|&d| number(d)).collect::<Vec<_>>())).collect();
    let mut tables: Vec<Table<'_>> = vec![("original", original.clone(), Vec::new())];
    for (name, dates) in calendars() {
        let rewriter = rewriter(dates, 1)?;
        let records: Vec<Record> =
            days.iter().enumerate().map(|(i, days)| release(&rewriter, i, days)).collect::<Result<_, _>>()?;
        tables.push((name, records.iter().map(|r| intervals(&after(r))).collect(), records));
    }
    own_uniqueness(&mut text, &mut all, &tables);
    found_by_intervals(&mut text, &mut all, &original, &tables);
    found_by_a_date(&mut text, &mut all, &tables);
    repeated(&mut text, &mut all, days)?;
    Ok((text, all))
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

fn heads(text: &mut String, first: &str) {
    let _ = writeln!(text, "| {first} | 1 interval | 2 | 3 | 4 | 5 |\n|---|---:|---:|---:|---:|---:|");
}

fn own_uniqueness(text: &mut String, all: &mut Value, tables: &[Table<'_>]) {
    let _ = writeln!(
        text,
        "\n## How rare a sequence of intervals is (Bigeard, table 0.1)\n\nOf all runs of so many consecutive intervals, those that one \
         patient alone has, or a group of at most two or three. This is about the released record by itself: noise makes \
         sequences rarer, not commoner; what it takes away is that they are the true ones (next table).\n"
    );
    heads(text, "held by");
    for (name, records, _) in tables {
        let columns: Vec<_> = (1..=LONGEST).map(|n| uniqueness(records, n, 0, SEED)).collect();
        for (group, label) in ["1 patient", "1 to 2", "1 to 3"].into_iter().enumerate() {
            let cells: Vec<_> = columns.iter().map(|c| percent(c.held_by_at_most[group].share)).collect();
            let _ = writeln!(text, "| `{name}`, {label} | {} |", cells.join(" | "));
        }
        let whole = whole_sequences(records);
        all["calendars"][*name]["uniqueness"] = json!(columns);
        all["calendars"][*name]["whole_sequences_unique"] = json!(whole);
    }
    let _ =
        writeln!(text, "\nHeld by one patient alone when each interval may be off by {TOLERANCE} days:\n");
    heads(text, "calendar");
    for (name, records, _) in tables {
        let columns: Vec<_> = (1..=LONGEST).map(|n| uniqueness(records, n, TOLERANCE, SEED)).collect();
        let cells: Vec<_> = columns.iter().map(|c| percent(c.held_by_at_most[0].share)).collect();
        let _ = writeln!(text, "| `{name}` | {} |", cells.join(" | "));
        all["calendars"][*name]["uniqueness_within_days"] = json!(columns);
    }
}

fn found_by_intervals(text: &mut String, all: &mut Value, original: &[Vec<i32>], tables: &[Table<'_>]) {
    let _ = writeln!(
        text,
        "\n## Finding a patient by true intervals\n\nThe attacker knows so many consecutive true intervals and searches the released \
         records for them: the share of patients whose record alone fits. To the day, then within {TOLERANCE} days.\n"
    );
    heads(text, "calendar");
    for tolerance in [0, TOLERANCE as i32] {
        for (name, records, _) in &tables[1..] {
            let found: Vec<_> =
                (1..=LONGEST).map(|n| known_intervals(original, records, n, tolerance, SEED)).collect();
            let cells: Vec<_> = found.iter().map(|s| percent(s.attack.share)).collect();
            let within = if tolerance == 0 { "to the day".into() } else { format!("± {tolerance} days") };
            let _ = writeln!(text, "| `{name}`, {within} | {} |", cells.join(" | "));
            all["calendars"][*name][format!("known_intervals_within_{tolerance}")] = json!(found);
        }
    }
}

fn found_by_a_date(text: &mut String, all: &mut Value, tables: &[Table<'_>]) {
    let _ = writeln!(
        text,
        "\n## One known date\n\nThe attacker knows one true date of the record and where it stands in the released one, and guesses the \
         others. *All alike*: everything moved by the same number of days. *Informed*: the policy's setting is known, the \
         key is not. 95 % intervals.\n\n| calendar | attacker | to the day | within a week |\n|---|---|---:|---:|"
    );
    for (name, _, records) in &tables[1..] {
        let moved: Vec<Vec<Moved>> = records
            .iter()
            .map(|r| {
                let both = r.iter().filter_map(|&(day, new)| Some((day, new?)));
                both.map(|(day, new)| Moved { true_day: number(day), released: number(new) }).collect()
            })
            .collect();
        let informed = match *name {
            "blur" => Some(Inverse::Blur { every: 30, anchor: number(date(2020, 12, 31)) }),
            _ => None,
        };
        for (who, inverse) in [("all alike", Some(Inverse::Constant)), ("informed", informed)]
            .into_iter()
            .filter_map(|(w, i)| Some((w, i?)))
        {
            let (exact, week) =
                (known_date(&moved, inverse, 0).attack, known_date(&moved, inverse, 7).attack);
            let show = |s: taire_assess::Share| {
                format!("{:.1} % ({:.1}–{:.1})", 100.0 * s.share, 100.0 * s.low, 100.0 * s.high)
            };
            let _ = writeln!(text, "| `{name}` | {who} | {} | {} |", show(exact), show(week));
            all["calendars"][*name][format!("known_date, {who}")] = json!({"exact": exact, "week": week});
        }
    }
}

fn repeated(text: &mut String, all: &mut Value, days: &[Vec<Date>]) -> Result<(), String> {
    let _ = writeln!(
        text,
        "\n## The same records released again\n\n{RELEASED} records with two stays or more, released up to {RELEASES} times under fresh \
         keys; the attacker takes the middle value of each interval. Under one key all releases are the same, and more of them \
         tell nothing more.\n\n| calendar | 1 release | 4 | 16 | 64 |\n|---|---:|---:|---:|---:|"
    );
    let chosen: Vec<(usize, &Vec<Date>)> =
        days.iter().enumerate().filter(|(_, d)| d.len() > 1).take(RELEASED).collect();
    for (name, dates) in calendars() {
        let mut truth = Vec::new();
        let mut releases = Vec::new();
        for key in 1..=RELEASES {
            let rewriter = rewriter(dates, key)?;
            let mut seen = Vec::new();
            truth.clear();
            for (i, days) in &chosen {
                let record = release(&rewriter, *i, days)?;
                let (old, new) = (before(&record), after(&record));
                if old.len() == new.len() {
                    truth.extend(old.windows(2).map(|w| w[1] - w[0]));
                    seen.extend(new.windows(2).map(|w| w[1] - w[0]));
                }
            }
            releases.push(seen);
        }
        if releases.iter().any(|r| r.len() != truth.len()) {
            return Err(format!("`{name}` wrote tags for some dates; releases cannot be compared"));
        }
        let rows = averaging(&truth, &releases);
        let cells: Vec<_> = rows.iter().map(|r| percent(r.exact.share)).collect();
        let _ = writeln!(text, "| `{name}` | {} |", cells.join(" | "));
        all["calendars"][name]["averaging"] = json!(rows);
    }
    Ok(())
}
