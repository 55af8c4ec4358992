//! A run's settings, scores, risk and kept content in one document for an ethics board.
//!
//! It reads what other commands wrote, as JSON, and names what is missing with the command that makes it. It holds counts
//! only: no text, no name of a document, no path of a file.

mod read;
mod risk;
mod run;

use std::path::PathBuf;
use taire_text::counted;

use taire::Error;
use taire_eval::retain::Category;

use crate::page::{Block, Page, Table, percent};
use read::Figures;

/// The files that a board report is made from.
#[derive(Clone, Debug, Default)]
pub struct BoardFiles {
    /// The folder that de-identification wrote, with its `report.json`.
    pub run: PathBuf,
    /// `risk.json`; by default the one in the run's folder, if there is one.
    pub risk: Option<PathBuf>,
    /// `retain.json`; by default the one in the run's folder, if there is one.
    pub retain: Option<PathBuf>,
    /// Scores that `taire evaluate --format json` printed; by default `eval.json` in the run's folder, if there is one.
    pub scores: Option<PathBuf>,
}

/// Settings, scores, risk and kept content of a run in one page for an ethics board. It holds counts only: no text, no
/// name of a document, no path of a file. What is missing is named with the command that makes it.
pub fn board_report(files: &BoardFiles) -> Result<Page, Error> {
    let run = Figures::needed(
        &files.run.join("report.json"),
        "taire deid -o",
        &["documents", "labels", "policies"],
    )?;
    let part = |given: &Option<PathBuf>, name: &str, made_by, keys: &[&str]| match given {
        Some(path) => Figures::needed(path, made_by, keys).map(Some),
        None => Figures::optional(&files.run.join(name), made_by, keys),
    };
    let risk = part(&files.risk, "risk.json", "taire risk -o", &["attacks", "intervals", "anonymity"])?;
    let retain = part(&files.retain, "retain.json", "taire retain -o", &["categories"])?;
    let scores = part(&files.scores, "eval.json", "taire evaluate --format json", &["leak", "strict"])?;

    let mut page = Page::new("Report for the ethics board");
    page.text(risk::lead(risk.as_ref()));
    page.text(
        "What was done to make these documents safe to share, how well it was measured to work, what an attacker could still \
         do, and what was kept for medicine. It holds counts only: no text of a document, no name.",
    );
    summary(&mut page, &run, scores.as_ref(), risk.as_ref(), retain.as_ref());
    run::sections(&mut page, &run);
    detection(&mut page, scores.as_ref());
    match &risk {
        Some(risk) => risk::section(&mut page, risk),
        None => {
            page.heading("What an attacker could still do");
            missing(
                &mut page,
                "The risk was not measured.",
                "taire risk ORIGINALS RUN_FOLDER -o risk",
                "--risk risk/risk.json",
            );
        }
    }
    kept(&mut page, retain.as_ref());
    limits(&mut page, scores.is_some(), risk.as_ref());
    Ok(page)
}

fn missing(page: &mut Page, what: &str, command: &str, option: &str) {
    page.notice(format!("{what} `{command}` measures it; then give this command `{option}`."));
}

fn summary(
    page: &mut Page,
    run: &Figures,
    scores: Option<&Figures>,
    risk: Option<&Figures>,
    retain: Option<&Figures>,
) {
    page.heading("In short");
    let mut items = vec![format!(
        "{} read, {} written and {} refused: a refused document is not shared.",
        counted(run.count("/documents/read"), "document was", "documents were"),
        run.count("/documents/written"),
        run.count("/documents/refused")
    )];
    items.push(match scores.and_then(|s| s.number("/leak/documents_clean_rate")) {
        Some(clean) => format!(
            "In documents annotated by hand, nothing was missed in {} of them. Something was missed in the others.",
            percent(clean)
        ),
        None => "How much was missed was not measured on documents annotated by hand.".to_owned(),
    });
    items.insert(
        0,
        match risk.and_then(risk::strongest) {
            Some((who, share)) => {
                format!("The strongest attack that was tried succeeds in {share}: somebody who {who}.")
            }
            None => "What an attacker could do was not measured, or there was nothing to try.".to_owned(),
        },
    );
    items.push(match retain.and_then(read::kept_share) {
        Some(kept) => format!("Of the medical content that can be recognised, {} was kept.", percent(kept)),
        None => "How much medical content was kept was not measured.".to_owned(),
    });
    page.blocks.push(Block::List(items));
}

fn detection(page: &mut Page, scores: Option<&Figures>) {
    page.heading("How well identifiers are found");
    let Some(scores) = scores else {
        missing(
            page,
            "No scores were given.",
            "taire evaluate GOLD FOUND --format json > eval.json",
            "--scores eval.json",
        );
        return;
    };
    let missed = |missed: &str, all: &str| {
        let (missed, all) = (scores.count(missed), scores.count(all));
        format!("{missed} of {all} ({})", percent(missed as f64 / all.max(1) as f64))
    };
    let mut table = Table::new(
        "Against documents that people annotated. The figures hold for documents like those.",
        &["", "figure"],
    );
    table.row(["documents scored".into(), scores.count("/documents").to_string()]);
    let interval = match (
        scores.number("/leak/documents_clean_interval/0"),
        scores.number("/leak/documents_clean_interval/1"),
    ) {
        (Some(low), Some(high)) => format!(" (95 %: {} to {})", percent(low), percent(high)),
        _ => String::new(),
    };
    let clean = scores.number("/leak/documents_clean_rate").unwrap_or_default();
    table.row(["documents with nothing missed".into(), format!("{}{interval}", percent(clean))]);
    table.row(["identifiers not wholly hidden".into(), missed("/leak/spans_missed", "/leak/spans")]);
    table.row(["identifying characters missed".into(), missed("/leak/chars_missed", "/leak/chars")]);
    for (name, path) in [("precision, strict", "p"), ("recall, strict", "r"), ("F1, strict", "f1")] {
        let figure = scores.number(&format!("/strict/micro/{path}")).unwrap_or_default();
        table.row([name.into(), format!("{figure:.3}")]);
    }
    page.table(table);
    let labels = scores.counts("/leak/labels");
    if !labels.is_empty() {
        let mut table = Table::new("What was not wholly hidden, by kind.", &["kind", "identifiers"]);
        labels.into_iter().for_each(|(label, n)| table.row([label, n.to_string()]));
        page.table(table);
    }
}

fn kept(page: &mut Page, retain: Option<&Figures>) {
    page.heading("What was kept for medicine");
    let Some(retain) = retain else {
        missing(
            page,
            "Kept medical content was not measured.",
            "taire retain ORIGINALS RUN_FOLDER -o retain",
            "--retain retain/retain.json",
        );
        return;
    };
    let mut table = Table::new(
        "Medical content recognised in the originals, and found again after the work.",
        &["kind", "before", "kept", "lost", "share kept"],
    );
    for (name, before, kept) in read::categories(retain) {
        let share = if before == 0 { "–".to_owned() } else { percent(kept as f64 / before as f64) };
        let words = Category::ALL.iter().find(|c| c.name() == name).map(|c| c.words().to_owned());
        table.row([
            words.unwrap_or(name),
            before.to_string(),
            kept.to_string(),
            (before - kept.min(before)).to_string(),
            share,
        ]);
    }
    page.table(table);
}

fn limits(page: &mut Page, scored: bool, risk: Option<&Figures>) {
    page.heading("What this report does not show");
    let mut items = vec![
        "No method finds everything. Have a person read a sample of what is to be shared, and decide with the data protection \
         officer."
            .to_owned(),
        "Replacing names and numbers is not anonymity in the sense of the GDPR by itself: a rare disease, an unusual story or \
         exact intervals may still point to somebody who knows them."
            .to_owned(),
        "Whoever holds the secret key and knows an identity can tell its surrogate: the key must stay where the shared \
         documents are not."
            .to_owned(),
        "The attacks are those named here; others exist, and what was shared before or elsewhere may help an attacker.".to_owned(),
        "Medical content is recognised by word lists and forms: what they do not know is not counted, kept or lost.".to_owned(),
    ];
    items.push(if scored {
        "Scores come from annotated documents, which may differ from those of this run, and which people annotated with errors of \
         their own."
            .to_owned()
    } else {
        "Nothing here measures what was missed in these documents: only annotations by people can.".to_owned()
    });
    if risk.is_some_and(|r| r.share("/missed/reviewed").is_none()) {
        items.push(
            "What is left was looked for by the detectors that did the work: what they cannot see is missing from the risk too. A \
             sample read by a person (`taire risk --reviewed`) would tell."
                .to_owned(),
        );
    }
    page.blocks.push(Block::List(items));
}
