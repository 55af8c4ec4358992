//! `cargo data calibrate`: fits how sure a decision is, and measures whether that holds.
//!
//! Documents are split in two by their id. One half fits the weights that ship (`crates/taire-detect/data`), the other is
//! what `scores/calibration.md` and `.json` report: never the same. For each language an annotated corpus, generated
//! documents of held-out templates and the letters of the open corpus for development take part. `--check` measures the shipped weights again without fitting.
//!
//! A span is *right* when most of its letters and digits lie in gold of the same group of labels; a candidate below the threshold
//! *identifies* when most of it lies in gold of any label. What the corpus has no label for is not judged.

mod fit;
mod gold;
mod reliability;

use std::fs;
use std::path::PathBuf;

use taire::{Pipeline, Policy, Records};
use taire_detect::{Calibration, Evidence};
use taire_text::scheme::Scheme;
use taire_text::{Entity, Language, Note};

use gold::{Document, Set};
use reliability::{Case, Measured};

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let mut check = false;
    for arg in args {
        match arg.as_str() {
            "--check" => check = true,
            other => return Err(format!("unknown option `{other}`; known: --check")),
        }
    }
    let root = crate::root();
    let corpora =
        std::env::var_os("TAIRE_CORPORA").map_or_else(|| root.join("../shared/corpora"), PathBuf::from);
    if !corpora.is_dir() {
        println!("calibrate: skipped, no corpora at ../shared/corpora (or TAIRE_CORPORA)");
        return Ok(());
    }
    let mut measured = Vec::new();
    for &language in Language::ALL {
        let sets = gold::sets(language, &corpora)?;
        let judged = sets.iter().map(|set| judge(language, set)).collect::<Result<Vec<_>, _>>()?;
        let calibration = if check {
            Calibration::shipped(language).map_err(|e| e.to_string())?
        } else {
            let fitted = fit::fit(judged.iter().flatten().filter(|d| d.fits));
            let text =
                fitted.to_text("Written by `cargo data calibrate`; measured in scores/calibration.md.");
            let file = root.join(format!("crates/taire-detect/data/calibration-{}.txt", language.key()));
            fs::write(&file, &text).map_err(|e| format!("{}: {e}", file.display()))?;
            // What ships is what is measured, rounding and all.
            Calibration::parse(&text).map_err(|e| e.to_string())?
        };
        for (set, documents) in sets.iter().zip(&judged) {
            let other: Vec<_> = documents.iter().filter(|d| !d.fits).collect();
            measured.push(Measured::of(language, set.name, documents.len(), &other, &calibration));
        }
    }
    let markdown = reliability::markdown(&measured);
    println!("{markdown}");
    let json = serde_json::to_string_pretty(&measured).map_err(|e| e.to_string())? + "\n";
    for (name, content) in [("calibration.md", markdown), ("calibration.json", json)] {
        fs::write(root.join("scores").join(name), content).map_err(|e| format!("scores/{name}: {e}"))?;
    }
    Ok(())
}

/// One document after detection, judged against its gold.
struct Judged {
    /// It takes part in fitting; else in measuring.
    fits: bool,
    invented: bool,
    found: Vec<Case>,
    below_threshold: Vec<Case>,
    /// No identifying letter or digit is left in its text.
    clean: bool,
}

fn judge(language: Language, set: &Set) -> Result<Vec<Judged>, String> {
    let policy = Policy::shipped(language.key()).map_err(|e| e.to_string())?;
    let pipeline = Pipeline::from_policy(&policy, language, None).map_err(|e| e.to_string())?;
    set.documents.iter().map(|document| one(&pipeline, set, document)).collect()
}

fn one(pipeline: &Pipeline, set: &Set, document: &Document) -> Result<Judged, String> {
    let fail = |e: &dyn std::fmt::Display| format!("{}: {e}", document.id);
    let language = pipeline.policy().language;
    let note =
        Note::builder(&document.id, &document.text).language(language).build().map_err(|e| fail(&e))?;
    let mut notes = [note];
    let findings = pipeline.find(&mut notes, &Records::default()).map_err(|e| fail(&e))?;
    let findings = findings.into_iter().next().unwrap_or_default();
    let said =
        |e: &&Entity| set.scheme.to_scheme(e.label, e.role).is_some() && !set.unmarked.contains(&e.label);
    let case = |e: &Entity, right: bool| Case { evidence: Evidence::of(e), raw: raw(e), right };
    let found = findings.entities.iter().filter(said);
    let below_threshold = findings.below_threshold.iter().filter(said);
    Ok(Judged {
        fits: half(&document.id),
        invented: set.scheme == Scheme::Taire,
        found: found.map(|e| case(e, document.holds(e.span, Some(e.label.group())))).collect(),
        below_threshold: below_threshold.map(|e| case(e, document.holds(e.span, None))).collect(),
        clean: document.is_clean(&findings.entities),
    })
}

/// The score before calibration: agreeing sources as independent evidence.
fn raw(entity: &Entity) -> f32 {
    let mut by_source = std::collections::BTreeMap::new();
    for mention in
        entity.mentions.iter().filter(|v| v.label().map(|l| l.group()) == Some(entity.label.group()))
    {
        let slot = by_source.entry(mention.source).or_insert(0.0f32);
        *slot = slot.max(mention.score.get());
    }
    1.0 - by_source.values().map(|p| 1.0 - p).product::<f32>()
}

/// Half of the documents, by a hash of their id (FNV-1a).
fn half(id: &str) -> bool {
    let hash =
        id.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    hash >> 40 & 1 == 0
}
