//! The risk report as Markdown, for a doctor or an ethics board.

use std::fmt::Write as _;
use taire_text::counted;

use super::RiskAssessment;
use crate::Share;
use crate::attacks::Success;
use crate::page::escape_markdown;
use crate::uniqueness::Uniqueness;

pub(crate) fn markdown(a: &RiskAssessment) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "# What an attacker can still do\n\n{} in {} compared with the originals{}. Shares come with \
         their 95 % interval; samples are drawn with seed {}.",
        counted(a.documents, "document", "documents"),
        counted(a.records, "record was", "records were"),
        a.policy.as_ref().map(|p| format!(" (policy {})", escape_markdown(p))).unwrap_or_default(),
        a.seed
    );
    if a.not_released > 0 || a.refused > 0 {
        let _ = writeln!(
            out,
            "\n{} not in the release; {} could not be read. Nothing is said of them.",
            counted(a.not_released, "document of the original is", "documents of the original are"),
            a.refused
        );
    }
    threats(&mut out, a);
    intervals(&mut out, a);
    attacks(&mut out, a);
    anonymity(&mut out, a);
    missed(&mut out, a);
    let _ = writeln!(
        out,
        "\n## What this does not tell\n\nThe attacks are those listed here; others exist. The detectors that look for what is left are \
         those that did the work, so what they cannot see is missing here too, unless a person has read a sample. Prose may \
         single somebody out by what happened, whatever the names."
    );
    out
}

fn row(out: &mut String, name: &str, shares: impl Iterator<Item = Share>) {
    let cells: Vec<_> = shares
        .map(|s| if s.tries == 0 { "–".to_owned() } else { format!("{:.2} %", 100.0 * s.share) })
        .collect();
    let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
}

fn intervals(out: &mut String, a: &RiskAssessment) {
    let i = &a.intervals;
    let _ = writeln!(
        out,
        "\n## Intervals between dates\n\nOf all runs of so many consecutive intervals in a record, those that no other record has; then how \
         often somebody who knows so many true intervals finds the one record that shows them.\n\n\
         | | 1 interval | 2 | 3 | 4 | 5 |\n|---|---:|---:|---:|---:|---:|"
    );
    let alone = |table: &[Uniqueness]| table.iter().map(|u| u.held_by_at_most[0]).collect::<Vec<_>>();
    row(out, "unique before", alone(&i.before).into_iter());
    row(out, "unique after", alone(&i.after).into_iter());
    row(out, &format!("unique before, ± {} days", a.tolerance), alone(&i.before_within).into_iter());
    row(out, &format!("unique after, ± {} days", a.tolerance), alone(&i.after_within).into_iter());
    row(out, "record found", i.found.iter().map(|s| s.attack));
    row(out, &format!("record found, ± {} days", a.tolerance), i.found_within.iter().map(|s| s.attack));
    let _ = writeln!(
        out,
        "\nWhole sequences that no other record has: before {}, after {}.",
        i.whole_before, i.whole_after
    );
}

fn threats(out: &mut String, a: &RiskAssessment) {
    let threats = &a.attacks.threats;
    let _ = writeln!(
        out,
        "\n## The threat model\n\nSomebody without the key, with this program and its lists. *Chance* is what guessing reaches, or what one letter \
         alone gives where many are averaged; an attack is better than chance when its whole interval lies above.\n\n\
         | somebody who … | success | chance | |\n|---|---|---:|---|"
    );
    for (_, result) in threats.results.iter() {
        let Some(success) = result.success else { continue };
        let chance = success.blind.map_or("–".to_owned(), |blind| format!("{:.1} %", 100.0 * blind));
        let verdict = if result.better_than_chance { "better than chance" } else { "no better than chance" };
        let _ = writeln!(out, "| {} | {} | {chance} | {verdict} |", result.attacker, success.attack);
    }
    let not_run: Vec<_> =
        threats.results.iter().filter_map(|(_, r)| Some((r.attacker, r.not_run?))).collect();
    if !not_run.is_empty() {
        let _ = writeln!(out, "\nNot run:\n");
        not_run.iter().for_each(|(attacker, why)| {
            let _ = writeln!(out, "- {attacker}: {why}.");
        });
    }
    if let Some(excluded) = threats.months_excluded {
        let _ = writeln!(out, "\nMonths of twelve that can be excluded for a date: {excluded}.");
    }
    let usable = match threats.inference.usable.as_slice() {
        [] => "nothing".to_owned(),
        usable => usable.join(", "),
    };
    let _ = writeln!(
        out,
        "\nBy the register of age bands, sex, departments, professions, rare diseases and years, singled out in the originals: {}; in \
         the release: {}. The release leaves usable: {usable}.",
        threats.inference.before, threats.inference.after.attack
    );
    let _ = writeln!(
        out,
        "\nNo calendar that keeps intervals can stop two sources from being joined by them: for wider sharing use coarser dates \
         (policies `share-fr` and `share-es`)."
    );
}

fn attacks(out: &mut String, a: &RiskAssessment) {
    let t = &a.attacks;
    let _ = writeln!(out, "\n## Other attacks that were run\n\n| attack | success |\n|---|---|");
    let mut line = |name: &str, success: &Success| {
        let _ = writeln!(out, "| {name} | {success} |");
    };
    line("one true date known: the others, to the day", &t.known_date);
    line("the same, within a week", &t.known_date_week);
    if let Some(success) = &t.known_date_informed {
        line("one true date and the policy's setting known: the others, to the day", success);
    }
    if let Some(success) = &t.known_number {
        line("patient number and program known, key unknown: the family name", success);
    }
    if let Some(success) = &t.known_number_with_key {
        line("the same with the secret key", success);
    }
    line("frequency of letters: the initial of the family name", &t.initials);
    line("documents of one patient put together by the words left", &t.linkage);
    line("a register of birth dates and towns", &t.register);
    for averaged in &t.averaging {
        let name = format!("an interval, by the middle of {} releases", averaged.releases);
        let _ = writeln!(out, "| {name} | {} |", averaged.exact);
    }
    let _ = writeln!(
        out,
        "\nDates could be put side by side in {} of the documents that hold some.",
        t.dates_aligned
    );
    if t.averaging.is_empty() {
        let _ = writeln!(out, "Averaging needs several releases: give them one after the other.");
    }
}

fn anonymity(out: &mut String, a: &RiskAssessment) {
    let k = &a.anonymity;
    let _ = writeln!(
        out,
        "\n## Who looks like whom\n\nDocuments by what they show of age, sex, town, year, profession and rare words of medicine: {} groups; \
         the smallest holds {}. Alone: {}. In groups below five: {}.\n\n| without | alone |\n|---|---|",
        k.groups, k.k, k.alone, k.in_groups_below_5
    );
    for (name, share) in &k.alone_without {
        let _ = writeln!(out, "| {name} | {share} |");
    }
    if !k.smallest.is_empty() {
        let _ = writeln!(out, "\nThe smallest groups, by document:\n");
        for group in &k.smallest {
            let group: Vec<String> = group.iter().map(|id| escape_markdown(id)).collect();
            let _ = writeln!(out, "- {}", group.join(", "));
        }
    }
}

fn missed(out: &mut String, a: &RiskAssessment) {
    let m = &a.missed;
    let _ = writeln!(
        out,
        "\n## What detection probably left\n\nRules and model look in different ways; what each found that the other did not tells how much \
         neither did (capture–recapture). They err on the same hard cases, so the true figure is more likely above than \
         below.\n\n| | found by both | rules alone | model alone | probably left | 95 % |\n|---|---:|---:|---:|---:|---:|"
    );
    for (name, estimate) in m.estimate.iter().map(|(n, e)| (*n, e)).chain([("all", &m.all)]) {
        let c = estimate.captures;
        let left = match estimate.left {
            Some(left) => format!("{:.1} | {:.1}–{:.1}", left.missed, left.low, left.high),
            None => "cannot be told | –".to_owned(),
        };
        let _ = writeln!(out, "| {name} | {} | {} | {} | {left} |", c.both, c.first_only, c.second_only);
    }
    match &m.reviewed {
        Some(share) => {
            let _ = writeln!(out, "\nIn the sample a person has read, not wholly covered: {share}.");
        }
        None => {
            let _ = writeln!(
                out,
                "\nNo sample read by a person was given (`--reviewed`): only the estimate above."
            );
        }
    }
}
