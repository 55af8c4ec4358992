//! Whether a score means what it says: reliability by bins, the expected calibration error, and what holding back
//! doubtful documents buys.

use std::fmt::Write;

use serde::Serialize;
use taire_detect::{Calibration, Evidence};
use taire_eval::{Bin, Interval, bins, calibration_error, interval};
use taire_text::{Language, Score};

use super::Judged;

/// One decision beside what gold says of it.
pub(super) struct Case {
    pub(super) evidence: Evidence,
    pub(super) raw: f32,
    pub(super) right: bool,
}

const RESAMPLES: usize = 500;
const SEED: u64 = 1;

#[derive(Serialize)]
pub(super) struct Measured {
    language: Language,
    data: String,
    found: Reliability,
    below_threshold: Reliability,
    held_back: Vec<HeldBack>,
}

#[derive(Serialize)]
struct Reliability {
    cases: usize,
    /// Expected calibration error: the mean over cases of how far their bin's mean score is from what was observed.
    ece: f64,
    ece_interval: Option<Interval>,
    /// The same for the score before calibration.
    ece_raw: f64,
    bins: Vec<Bin>,
}

/// What `deid --refuse-below` does at one setting.
#[derive(Serialize)]
struct HeldBack {
    below: f32,
    /// Share of documents held back.
    held: f64,
    /// Documents with nothing missed among those that pass.
    clean: f64,
}

impl Measured {
    pub(super) fn of(
        language: Language,
        name: &str,
        all: usize,
        documents: &[&Judged],
        calibration: &Calibration,
    ) -> Measured {
        let found = |e: &Evidence| calibration.found_chance(e);
        let below_threshold = |e: &Evidence| calibration.below_threshold_chance(e);
        let held_back = [0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map(|below| {
            let sure = |d: &&&Judged| {
                d.found.iter().all(|c| found(&c.evidence).get() >= below)
                    && d.below_threshold.iter().all(|c| below_threshold(&c.evidence).get() <= 1.0 - below)
            };
            let passed: Vec<_> = documents.iter().filter(sure).collect();
            let clean = passed.iter().filter(|d| d.clean).count();
            let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
            HeldBack {
                below,
                held: 1.0 - share(passed.len(), documents.len()),
                clean: share(clean, passed.len()),
            }
        });
        Measured {
            language,
            data: format!("{name}: {} of {all} documents", documents.len()),
            found: Reliability::of(documents, |d| &d.found, found),
            below_threshold: Reliability::of(documents, |d| &d.below_threshold, below_threshold),
            held_back: held_back.into(),
        }
    }
}

impl Reliability {
    fn of(
        documents: &[&Judged],
        cases: impl Fn(&Judged) -> &[Case],
        score: impl Fn(&Evidence) -> Score,
    ) -> Reliability {
        let pairs = |raw: bool| -> Vec<Vec<(f64, bool)>> {
            let one = |c: &Case| (f64::from(if raw { c.raw } else { score(&c.evidence).get() }), c.right);
            documents.iter().map(|d| cases(d).iter().map(one).collect()).collect()
        };
        let by_document = pairs(false);
        let all: Vec<usize> = (0..documents.len()).collect();
        let whole = drawn(&by_document, &all);
        Reliability {
            cases: by_document.iter().map(Vec::len).sum(),
            ece: calibration_error(&whole),
            ece_interval: interval(documents.len(), RESAMPLES, SEED, |draw| {
                calibration_error(&drawn(&by_document, draw))
            }),
            ece_raw: calibration_error(&drawn(&pairs(true), &all)),
            bins: whole,
        }
    }
}

fn drawn(documents: &[Vec<(f64, bool)>], draw: &[usize]) -> Vec<Bin> {
    bins(draw.iter().flat_map(|&i| documents[i].iter().copied()))
}

pub(super) fn markdown(measured: &[Measured]) -> String {
    let mut out = String::from(
        "# Calibration\n\nWritten by `cargo data calibrate`. Weights were fitted on one half of the documents; these are the \
         others. The corpora are for development: they steered rules and thresholds, and generated documents are easier \
         than real ones.\n\nA *score* is the chance that a span is right: that most of its letters and digits identify \
         somebody, in its group of labels. Candidates *below the threshold* were left in the text; theirs is the chance that most of \
         their letters and digits identify somebody. ECE is the expected calibration error, with its 95 % interval over \
         documents, and that of the score before calibration.\n",
    );
    for m in measured {
        let _ = writeln!(out, "\n## {}, {}", m.language, m.data);
        for (what, r) in [("Spans found", &m.found), ("Candidates below the threshold", &m.below_threshold)] {
            let bounds = r.ece_interval.map_or(String::new(), |i| format!(" ({:.3}–{:.3})", i.0, i.1));
            let _ = writeln!(
                out,
                "\n{what}: {} cases, ECE {:.3}{bounds}, uncalibrated {:.3}.\n\n| score from | cases | mean score | observed \
                 |\n|---:|---:|---:|---:|",
                r.cases, r.ece, r.ece_raw
            );
            for b in r.bins.iter().filter(|b| b.cases > 0) {
                let _ = writeln!(out, "| {:.2} | {} | {:.3} | {:.3} |", b.from, b.cases, b.mean, b.observed);
            }
        }
        let _ = writeln!(
            out,
            "\n`deid --refuse-below X`:\n\n| X | documents held back | nothing missed among the others |\n|---:|---:|---:|"
        );
        for h in &m.held_back {
            let _ = writeln!(out, "| {:.1} | {:.1} % | {:.1} % |", h.below, 100.0 * h.held, 100.0 * h.clean);
        }
    }
    out
}
