//! What an attacker could still do, from what `taire risk` measured.

use serde_json::Value;
use taire_text::counted;

use super::read::{Figures, share};
use crate::page::{Block, Page, Table, percent};

const ATTACKS: &[(&str, &str)] = &[
    ("knows one true date of the patient, and works out the others to the day", "known_date/attack"),
    ("the same, within a week", "known_date_week/attack"),
    ("knows one true date and the setting of the calendar", "known_date_informed/attack"),
    ("knows the patient number and this program, not the key: finds the family name", "known_number/attack"),
    ("the same with the secret key", "known_number_with_key/attack"),
    ("counts letters: finds the initial of a family name", "initials/attack"),
    ("puts two documents of one patient together by the words left", "linkage/attack"),
    ("holds a register of birth dates and towns: finds the person", "register/attack"),
];

/// It shows what the key protects; whoever has the key needs no attack.
const NEEDS_KEY: &str = "known_number_with_key/attack";

/// One attack that was run.
struct Attack<'a> {
    name: String,
    result: &'a Value,
    needs_key: bool,
}

impl Attack<'_> {
    /// How often it succeeded; nothing where there was nothing to try.
    fn success(&self) -> Option<f64> {
        share(self.result)?;
        self.result.get("share").and_then(Value::as_f64)
    }
}

/// All attacks that were run, the strongest first; those that need the key, and those with nothing to try, last.
fn attacks(risk: &Figures) -> Vec<Attack<'_>> {
    let mut all: Vec<Attack<'_>> = Vec::new();
    for (name, path) in ATTACKS {
        if let Some(result) = risk.at(&format!("/attacks/{path}")) {
            all.push(Attack { name: (*name).to_owned(), result, needs_key: *path == NEEDS_KEY });
        }
    }
    for averaged in risk.list("/attacks/averaging") {
        let releases = averaged.get("releases").and_then(Value::as_u64).unwrap_or_default();
        let name = format!("has {releases} releases of the same documents: finds an interval");
        all.extend(averaged.get("exact").map(|result| Attack { name, result, needs_key: false }));
    }
    for (_, threat) in threats(risk) {
        let name = threat.get("attacker").and_then(Value::as_str).unwrap_or("attacks").to_owned();
        all.extend(threat.get("attack").map(|result| Attack { name, result, needs_key: false }));
    }
    if let Some(result) = risk.at("/intervals/found/2/attack") {
        let name = "knows three true intervals between visits: finds the record".to_owned();
        all.push(Attack { name, result, needs_key: false });
    }
    let strength = |a: &Attack<'_>| a.success().filter(|_| !a.needs_key).unwrap_or(-1.0);
    all.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    all
}

/// The attacks of the threat model by their keys.
fn threats(risk: &Figures) -> impl Iterator<Item = (&String, &Value)> {
    risk.at("/attacks/threats/results").and_then(Value::as_object).into_iter().flatten()
}

/// The paragraph that the report begins with: the strongest attack, then what no setting of a calendar stops.
pub(super) fn lead(risk: Option<&Figures>) -> String {
    let Some(risk) = risk else {
        return "What an attacker could still do was not measured: nothing here says how safe these documents are.".to_owned();
    };
    let mut out = match strongest(risk) {
        Some((who, share)) => {
            format!("The strongest attack that was tried succeeds in {share}: somebody who {who}.")
        }
        None => "Attacks were looked for, and there was nothing to try them on.".to_owned(),
    };
    let figure = |key: &str| risk.share(&format!("/attacks/threats/results/{key}/attack"));
    let not_run = || "a share that was not measured".to_owned();
    let (releases, register) = (figure("joined_releases"), figure("joined_register"));
    if releases.is_some() || register.is_some() {
        out += &format!(
            " Somebody who holds another release of these records under another key joins the two by the intervals between dates in {}; \
             somebody who holds a register of stays finds the person in {}. No calendar that keeps intervals can stop that: only \
             coarser dates can, as the policies `share-fr` and `share-es` write them.",
            releases.unwrap_or_else(not_run),
            register.unwrap_or_else(not_run)
        );
    }
    if let Some(month) = figure("season") {
        let chance = risk.number("/attacks/threats/results/season/blind");
        let chance = chance.map(|c| format!("; chance: {}", percent(c))).unwrap_or_default();
        out += &format!(" The true month of a date is guessed in {month}{chance}.");
    }
    out
}

/// The attack that succeeds most often without the key, and how often.
pub(super) fn strongest(risk: &Figures) -> Option<(String, String)> {
    let first = attacks(risk).into_iter().find(|a| !a.needs_key && a.success().is_some())?;
    Some((first.name, share(first.result)?))
}

pub(super) fn section(page: &mut Page, risk: &Figures) {
    page.heading("What an attacker could still do");
    page.text(format!(
        "{} in {} compared with the originals. Each line is an attack that was run, and how often it succeeded.",
        counted(risk.count("/documents"), "document", "documents"),
        counted(risk.count("/records"), "record was", "records were")
    ));
    let unseen = risk.count("/not_released") + risk.count("/refused");
    if unseen > 0 {
        page.notice(format!("Documents that could not be compared, and of which nothing is said: {unseen}."));
    }
    let nothing = || "nothing to try".to_owned();
    let mut table = Table::of_prose("The strongest attack first.", &["somebody who …", "succeeds"]);
    for attack in attacks(risk) {
        table.row([attack.name, share(attack.result).unwrap_or_else(nothing)]);
    }
    page.table(table);
    let not_run: Vec<String> = threats(risk)
        .filter_map(|(_, threat)| {
            let text = |key: &str| threat.get(key).and_then(Value::as_str);
            Some(format!("{}: {}.", text("attacker")?, text("not_run")?))
        })
        .collect();
    if !not_run.is_empty() {
        page.text("Attacks that were not run, and why:");
        page.blocks.push(Block::List(not_run));
    }
    singled_out(page, risk);
    let mut table = Table::of_prose(
        "How rare things are in what is shared. What only one record has can single it out.",
        &["", "before", "after"],
    );
    for (name, before, after) in [
        ("one interval between dates that no other record has", "before/0", "after/0"),
        ("three intervals in a row that no other record has", "before/2", "after/2"),
    ] {
        let at = |p: &str| risk.share(&format!("/intervals/{p}/held_by_at_most/0")).unwrap_or_else(nothing);
        table.row([name.into(), at(before), at(after)]);
    }
    let whole = |p: &str| risk.share(&format!("/intervals/{p}")).unwrap_or_else(nothing);
    table.row([
        "whole sequences of intervals that no other record has".into(),
        whole("whole_before"),
        whole("whole_after"),
    ]);
    let alone = |p: &str| risk.share(&format!("/anonymity/{p}")).unwrap_or_else(nothing);
    table.row([
        "documents alone with their age, sex, town, year, profession, rare disease".into(),
        "–".into(),
        alone("alone"),
    ]);
    table.row(["documents in groups below five".into(), "–".into(), alone("in_groups_below_5")]);
    page.table(table);
    left(page, risk);
}

fn singled_out(page: &mut Page, risk: &Figures) {
    let at = |key: &str| risk.share(&format!("/attacks/threats/inference/{key}"));
    if let (Some(before), Some(after)) = (at("before"), at("attack")) {
        page.text(format!(
            "By a register of age bands, sex, departments, professions, rare diseases and years, a patient is singled out in {before} of the \
             originals and in {after} of what is shared."
        ));
    }
}

fn left(page: &mut Page, risk: &Figures) {
    let number = |p: &str| risk.number(&format!("/missed/all/left/{p}"));
    let estimate = match (number("missed"), number("low"), number("high")) {
        (Some(missed), Some(low), Some(high)) => format!(
            "Two kinds of detectors looked, rules and a model; from what each found alone, about {missed:.0} identifiers were probably \
             missed by both (95 %: {low:.0} to {high:.0}). They err on the same hard cases, so the true figure is more likely above."
        ),
        _ => "How many identifiers both kinds of detectors missed cannot be told from what they found."
            .to_owned(),
    };
    page.text(estimate);
    match risk.share("/missed/reviewed") {
        Some(share) => page.text(format!("In the sample that a person has read, not wholly hidden: {share}.")),
        None => page.notice(
            "No sample read by a person was given. `taire risk ORIGINALS RUN_FOLDER --reviewed GOLD -o risk` measures what is left in one.",
        ),
    }
}
