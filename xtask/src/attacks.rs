//! `cargo xtask attacks`: the attacks of the threat model on what shipped policies make of the invented hospital, written to
//! `scores/attacks.md` and `scores/attacks.json`; the table of the book's page on the threat model is written with them.
//!
//! Identifying spans are those of the generator, so what is measured is rewriting, whatever detection would miss.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};
use taire::{Policy, SecretKey};
use taire_assess::{Observed, ObservedCorpora, RiskAssessment, RiskSettings, Threat, assess};
use taire_corpus::hospital::notes::notes;
use taire_surrogate::Rewriter;
use taire_text::{Entity, Note};

const PATIENTS: u64 = 3000;
const SEED: u64 = 2015;

/// The coarser values that one thinks of first: true months and true departments.
const MONTHS_AND_DEPARTMENTS: &str = "extends = \"share-fr\"\n[rewrite.labels]\nCity = \"generalise\"\n[rewrite.generalise]\ndates = \"month\"\n";

type Record = Vec<(Note, Vec<Entity>)>;

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let patients = match args {
        [] => PATIENTS,
        [option, n] if option == "--patients" => {
            n.parse().map_err(|_| format!("`--patients {n}` is no whole number"))?
        }
        _ => return Err("usage: attacks [--patients N]".into()),
    };
    let records: Vec<Record> =
        (0..patients).map(|i| notes(SEED, i)).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let original: Vec<Observed> = records.iter().flatten().map(|(n, e)| Observed::read(n, e)).collect();
    let load = |name: &str| Policy::load(name).map_err(|e| e.to_string());
    let mut columns = vec![("`fr`", load("fr")?)];
    let wide = Policy::from_toml(MONTHS_AND_DEPARTMENTS).map_err(|e| e.to_string())?;
    columns.push(("`share-fr`", load("share-fr")?));
    columns.push(("`share-fr`, months and departments", wide));
    for (title, name) in [("`bigeard`", "bigeard"), ("`hybrid`", "hybrid"), ("`metric`", "metric")] {
        columns.push((title, load(name)?));
    }
    let mut measured = Vec::new();
    for (title, policy) in &columns {
        let other = load(if *title == "`bigeard`" { "fr" } else { "bigeard" })?;
        let releases = [release(policy, 1, &records)?, release(policy, 2, &records)?];
        let same_key = release(&other, 1, &records)?;
        let corpora = ObservedCorpora { original: &original, releases: &releases, same_key: Some(&same_key) };
        let settings = RiskSettings { policy: Some(policy.clone()), seed: SEED, ..RiskSettings::default() };
        measured.push((*title, assess(corpora, &settings).map_err(|e| e.to_string())?));
        eprintln!("{title}: measured");
    }
    let text = markdown(patients, original.len(), &measured);
    fs::write("scores/attacks.md", &text).map_err(|e| format!("scores/attacks.md: {e}"))?;
    let policies: serde_json::Map<String, Value> =
        measured.iter().map(|(title, risk)| (title.replace('`', ""), json!(risk.attacks.threats))).collect();
    let all =
        json!({"command": "cargo xtask attacks", "patients": patients, "seed": SEED, "policies": policies});
    let all = serde_json::to_string_pretty(&all).map_err(|e| e.to_string())? + "\n";
    fs::write("scores/attacks.json", all).map_err(|e| format!("scores/attacks.json: {e}"))?;
    let page = fs::read_to_string(PAGE).map_err(|e| format!("{PAGE}: {e}"))?;
    fs::write(PAGE, with_table(&page, &measured)?).map_err(|e| format!("{PAGE}: {e}"))?;
    print!("{text}");
    Ok(())
}

const PAGE: &str = "docs/book/src/threats.md";
/// What stands around the table of the page.
const TABLE: [&str; 2] = ["<!-- written by `cargo xtask attacks` -->\n", "<!-- end of the table -->\n"];

/// The page with a new table between its marks.
fn with_table(page: &str, measured: &[(&str, RiskAssessment)]) -> Result<String, String> {
    let missing = || format!("{PAGE} has no marks around the table of attacks");
    let (before, rest) = page.split_once(TABLE[0]).ok_or_else(missing)?;
    let (_, after) = rest.split_once(TABLE[1]).ok_or_else(missing)?;
    let titles: Vec<&str> = measured.iter().map(|(title, _)| *title).collect();
    let mut table = format!(
        "| somebody who … | {} | chance, `fr` |\n|---|{}---:|\n",
        titles.join(" | "),
        "---:|".repeat(titles.len())
    );
    for threat in Threat::ALL {
        let success = |risk: &RiskAssessment| {
            risk.attacks.threats.results.get(threat).map(|r| (r.success, r.better_than_chance))
        };
        let shown = |risk: &RiskAssessment| match success(risk) {
            Some((Some(s), true)) => format!("**{}**", percent(s.attack.share)),
            Some((Some(s), false)) => percent(s.attack.share),
            _ => "–".to_owned(),
        };
        let cells: Vec<String> = measured.iter().map(|(_, risk)| shown(risk)).collect();
        let chance = measured.first().and_then(|(_, risk)| success(risk)?.0?.blind);
        let chance = chance.map_or("–".to_owned(), percent);
        let _ = writeln!(table, "| {} | {} | {chance} |", threat.attacker(), cells.join(" | "));
    }
    let mut originals = measured.iter().map(|(_, risk)| risk.attacks.threats.inference.before.share);
    let originals = originals.next().map_or("–".to_owned(), percent);
    let _ = writeln!(table, "\nThe register singles out {originals} of the patients in the originals.");
    Ok(format!("{before}{}{table}{}{after}", TABLE[0], TABLE[1]))
}

fn release(policy: &Policy, key: u8, records: &[Record]) -> Result<Vec<Observed>, String> {
    let key = SecretKey::from_bytes(&[key; 32]).map_err(|e| e.to_string())?;
    let rewriter = Rewriter::new(key, policy.rewrite.clone()).map_err(|e| e.to_string())?;
    let mut out = Vec::new();
    for record in records {
        out.extend(Observed::read_release(&rewriter, record).map_err(|e| e.to_string())?);
    }
    Ok(out)
}

fn markdown(patients: u64, letters: usize, measured: &[(&str, RiskAssessment)]) -> String {
    let mut out = format!(
        "# What attackers reach against each policy\n\nMade by `cargo xtask attacks` on the invented hospital (`cargo corpus hospital --patients \
         {patients} --seed {SEED}`): {patients} patients, {letters} letters. Identifying spans are known, so this is about rewriting alone. \
         The second release has another key; the release under the same key is `bigeard`'s, and for `bigeard` that of `fr`. Each \
         cell: success with its 95 % interval, then chance: blind guessing, one letter alone where several are averaged, and for one key the second \
         release in place of the first. \
         **Bold** is better than chance: the whole interval lies above. *Months and departments* is `share-fr` with true months and \
         departments.\n\n"
    );
    let titles: Vec<&str> = measured.iter().map(|(title, _)| *title).collect();
    let _ =
        writeln!(out, "| somebody who … | {} |\n|---|{}", titles.join(" | "), "---|".repeat(titles.len()));
    for threat in Threat::ALL {
        let cells: Vec<String> = measured.iter().map(|(_, risk)| cell(risk, threat)).collect();
        let _ = writeln!(out, "| {} | {} |", threat.attacker(), cells.join(" | "));
    }
    let row = |out: &mut String, name: &str, figure: &dyn Fn(&RiskAssessment) -> String| {
        let cells: Vec<String> = measured.iter().map(|(_, risk)| figure(risk)).collect();
        let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
    };
    let _ = writeln!(
        out,
        "\n## By a register of what is known of people\n\nAge band, sex, department, profession, rare disease family and year of stay of every \
         patient, against one letter of each.\n\n| | {} |\n|---|{}",
        titles.join(" | "),
        "---|".repeat(titles.len())
    );
    row(&mut out, "singled out in the originals", &|r| percent(r.attacks.threats.inference.before.share));
    row(&mut out, "singled out in the release", &|r| percent(r.attacks.threats.inference.after.attack.share));
    row(&mut out, "what the release leaves usable", &|r| r.attacks.threats.inference.usable.join(", "));
    row(&mut out, "months of twelve that can be excluded for a date", &|r| {
        r.attacks.threats.months_excluded.map_or("–".into(), |n| n.to_string())
    });
    let _ = writeln!(out, "\n## What was not run\n");
    for (title, risk) in measured {
        for (threat, result) in risk.attacks.threats.results.iter() {
            if let Some(why) = result.not_run {
                let _ = writeln!(out, "- {title}, {threat:?}: {why}.");
            }
        }
    }
    out
}

fn cell(risk: &RiskAssessment, threat: Threat) -> String {
    let Some(result) = risk.attacks.threats.results.get(threat) else { return "–".into() };
    let Some(success) = result.success else { return "not run".into() };
    let a = success.attack;
    let share = format!("{} ({:.1}–{:.1})", percent(a.share), 100.0 * a.low, 100.0 * a.high);
    let share = if result.better_than_chance { format!("**{share}**") } else { share };
    format!("{share}; {}", success.blind.map_or("–".into(), percent))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
