//! What was done: settings in plain words, counts, losses, doubts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::read::Figures;
use crate::page::{Page, Table};

pub(super) fn sections(page: &mut Page, run: &Figures) {
    counts(page, run);
    settings(page, run);
    found(page, run);
    losses(page, run);
    doubts(page, run);
}

fn counts(page: &mut Page, run: &Figures) {
    page.heading("What was done");
    let text = |pointer: &str| run.at(pointer).and_then(Value::as_str).unwrap_or("?").to_owned();
    page.text(format!(
        "`taire {}`, version {}, with policy {}.",
        text("/command"),
        text("/version"),
        run.list("/policies")
            .iter()
            .filter_map(Value::as_str)
            .map(|p| format!("`{p}`"))
            .collect::<Vec<_>>()
            .join(", ")
    ));
    let mut table = Table::new("", &["documents", ""]);
    for (name, key) in [
        ("read", "read"),
        ("written", "written"),
        ("refused, not written", "refused"),
        ("in which nothing was found", "with_nothing_found"),
    ] {
        table.row([name.into(), run.count(&format!("/documents/{key}")).to_string()]);
    }
    for (language, n) in run.counts("/languages") {
        table.row([format!("read as {language}"), n.to_string()]);
    }
    page.table(table);
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for refused in run.list("/refused") {
        let why = refused.get("why").and_then(Value::as_str).unwrap_or_default();
        *reasons.entry(kind_of(why)).or_default() += 1;
    }
    if !reasons.is_empty() {
        let mut table =
            Table::new("Why documents were refused. The run's own report names them.", &["why", "documents"]);
        reasons.into_iter().for_each(|(why, n)| table.row([why.to_owned(), n.to_string()]));
        page.table(table);
    }
}

/// Reasons without their particulars, which may name a file.
fn kind_of(why: &str) -> &'static str {
    if why.contains("least sure span") || why.contains("left in the text may identify") {
        "not sure enough for the threshold that was set"
    } else if why.contains("internal fault") {
        "an internal fault"
    } else {
        "it could not be read or treated"
    }
}

fn settings(page: &mut Page, run: &Figures) {
    page.heading("Settings");
    let settings = run.list("/settings");
    if settings.is_empty() {
        page.notice(
            "The run's report does not hold its settings; it was made by an older version. `taire policy show NAME` prints a shipped policy.",
        );
        return;
    }
    for policy in settings {
        let name = policy.get("name").and_then(Value::as_str).unwrap_or("?");
        let mut table = Table::of_prose(format!("Policy `{name}`."), &["question", "answer"]);
        let at = |pointer: &str| policy.pointer(pointer).filter(|v| !v.is_null());
        let words = |pointer: &str| at(pointer).and_then(Value::as_str).unwrap_or_default();
        let names = |value: Option<&Value>| {
            let list = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            list.collect::<Vec<_>>().join(", ")
        };
        table.row(["who looks for identifiers".into(), names(at("/detect/sources"))]);
        let threshold = at("/detect/threshold").and_then(Value::as_f64).unwrap_or_default();
        table.row(["how sure a finding must be, 0 to 1".into(), format!("{threshold:.2}")]);
        let ignored = names(at("/detect/ignore"));
        table.row([
            "found but left alone".into(),
            if ignored.is_empty() { "nothing".to_owned() } else { ignored },
        ]);
        table.row(["one invented identity for".into(), scope(words("/rewrite/scope")).into()]);
        table.row(["dates".into(), dates(words("/rewrite/dates/method")).into()]);
        table.row(["towns".into(), places(words("/rewrite/places/method")).into()]);
        let old = at("/rewrite/old_age").and_then(Value::as_u64).unwrap_or_default();
        table.row(["ages pooled from".into(), format!("{old} years")]);
        if let Some(all) = at("/rewrite/all").and_then(Value::as_str) {
            table.row(["everything found".into(), action(all).into()]);
        }
        for part in ["groups", "labels"] {
            let chosen = at(&format!("/rewrite/{part}")).and_then(Value::as_object);
            for (label, what) in chosen.into_iter().flatten() {
                table.row([label.clone(), action(what.as_str().unwrap_or_default()).into()]);
            }
        }
        page.table(table);
    }
    page.text("The settings in full are in the run's `report.json`, under `settings`.");
}

fn scope(kind: &str) -> &'static str {
    match kind {
        "document" => "each document: two documents of one patient cannot be joined by it",
        "patient" => "each patient, through all documents",
        "corpus" => "all documents together",
        _ => "not told",
    }
}

fn dates(method: &str) -> &'static str {
    match method {
        "shift" => {
            "all dates of a patient move by one secret number of days: intervals stay exact, and one known date undoes it"
        }
        "blur" => {
            "moved back by a secret number of days, then stretched a little: who knows the setting undoes it"
        }
        "warp" => "moved by a secret number of days, then bent within bounds: intervals are roughly kept",
        "ldp" => "intervals, birth dates and ages carry bounded noise with a declared privacy loss",
        "metric" => "intervals carry noise in their own unit with a declared privacy loss for each unit",
        "year" => "the year alone",
        _ => "not told",
    }
}

fn places(method: &str) -> &'static str {
    match method {
        "list" => "another town of the region",
        "geo" => "a town near a point drawn at random, with a declared privacy loss",
        "health" => "a town alike in health figures; its privacy loss has no bound",
        "health-strict" => "a town drawn by health figures, with a declared privacy loss",
        _ => "not told",
    }
}

fn action(name: &str) -> &'static str {
    match name {
        "surrogate" => "replaced by an invented value",
        "tag" => "replaced by a tag",
        "numbered-tag" => "replaced by a numbered tag",
        "mask" => "replaced by `@@@`",
        "bar" => "blacked out",
        "remove" => "removed",
        "keep" => "kept as it is",
        "generalise" => "made wider: a year, a band of ages, a department",
        _ => "not told",
    }
}

fn found(page: &mut Page, run: &Figures) {
    page.heading("What was found and treated");
    let mut table = Table::new("Hidden.", &["kind", "places in the texts"]);
    run.counts("/labels").into_iter().for_each(|(label, n)| table.row([label, n.to_string()]));
    page.table(table);
    let kept = run.counts("/kept");
    if !kept.is_empty() {
        let mut table = Table::new(
            "Found and kept, as the settings say or because the right value is the same: it can still be read.",
            &["kind", "places in the texts"],
        );
        kept.into_iter().for_each(|(label, n)| table.row([label, n.to_string()]));
        page.table(table);
    }
    let fallbacks: u64 = run.counts("/fallbacks").iter().map(|(_, n)| n).sum();
    if fallbacks > 0 {
        page.text(format!(
            "In {fallbacks} places no invented value could be made, and a tag was written instead."
        ));
    }
}

fn losses(page: &mut Page, run: &Figures) {
    page.heading("Privacy loss that was declared");
    let kinds = run.at("/losses").and_then(Value::as_object).filter(|kinds| !kinds.is_empty());
    let Some(kinds) = kinds else {
        page.text(
            "None: these settings make no mathematical promise (ε). Their protection rests on the secret key and on the measures below.",
        );
        return;
    };
    let mut table = Table::new(
        "By document. A smaller ε hides more. Each ε holds between the inputs that its words name, and losses of different words are not \
         added; words that place events without a date are outside of them.",
        &["kind", "documents", "mean", "most"],
    );
    for (kind, labels) in kinds {
        let all = labels.get("all");
        let figure = |key: &str| figure(all.unwrap_or(&Value::Null), key);
        let documents = all.and_then(|a| a.get("documents")).and_then(Value::as_u64).unwrap_or_default();
        table.row([kind.clone(), documents.to_string(), figure("mean"), figure("max")]);
    }
    page.table(table);
    patient_losses(page, run);
}

/// What one patient lost over all documents: the most and the mean.
fn patient_losses(page: &mut Page, run: &Figures) {
    let kinds = run.at("/patient_losses").and_then(Value::as_object).filter(|kinds| !kinds.is_empty());
    let Some(kinds) = kinds else { return };
    let mut table = Table::new(
        "By patient, all documents together. A value that comes back as the same draw is counted once.",
        &["kind", "patients", "mean", "most"],
    );
    for (kind, spent) in kinds {
        let patients = spent.get("patients").and_then(Value::as_u64).unwrap_or_default();
        table.row([kind.clone(), patients.to_string(), figure(spent, "mean"), figure(spent, "max")]);
    }
    page.table(table);
}

/// A figure of a loss; what is no number has no bound.
fn figure(spent: &Value, key: &str) -> String {
    match spent.get(key) {
        Some(Value::Number(n)) => n.as_f64().map_or_else(String::new, |x| format!("{x:.3}")),
        _ => "no bound".to_owned(),
    }
}

fn doubts(page: &mut Page, run: &Figures) {
    let doubts: Vec<f64> =
        run.list("/doubtful").iter().filter_map(|d| d.get("doubt").and_then(Value::as_f64)).collect();
    if doubts.is_empty() {
        return;
    }
    page.heading("How sure the program was");
    let mut table = Table::new(
        "Written documents by the chance, as the program estimates it, that its worst decision in them is wrong. The run's own \
         report names them, the most doubtful first: those are to be read by a person.",
        &["chance", "documents"],
    );
    for (name, from, to) in [
        ("one in two or more", 0.5, f64::MAX),
        ("from one in ten to one in two", 0.1, 0.5),
        ("less than one in ten", f64::MIN, 0.1),
    ] {
        let n = doubts.iter().filter(|&&d| from <= d && d < to).count();
        table.row([name.into(), n.to_string()]);
    }
    page.table(table);
}
