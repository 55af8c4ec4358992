//! `risk`: what an attacker can still do with documents that were de-identified.
//!
//! Both corpora are read and the program's own detectors look at them; documents are put side by side by their ids.
//! The measures are those of `taire-risk`.

mod assess;
mod observe;
mod print;

use std::sync::Arc;

use taire::Engine;
use taire_formats::{AtomicFile, Identities, ReadOptions};

use crate::args::{OutputFormat, RiskArgs};
use crate::{Outcome, Usage};

pub(crate) use assess::{Assessment, Settings, assess, days};
pub(crate) use observe::{Observed, REPORTS, corpus, day_of, observe};

pub(crate) fn risk(args: &RiskArgs) -> Result<Outcome, Usage> {
    let assessment = of_corpora(args)?;
    let markdown = print::markdown(&assessment);
    let json = serde_json::to_string_pretty(&assessment)? + "\n";
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder)
            .map_err(|e| Usage(format!("{}: cannot be made: {}", folder.display(), e.kind())))?;
        for (name, content) in [("risk.md", &markdown), ("risk.json", &json)] {
            let mut file = AtomicFile::create(&folder.join(name))?;
            file.write_all(content.as_bytes())?;
            file.finish()?;
        }
    }
    match (args.run.format, &args.output) {
        (Some(OutputFormat::Json), _) => print!("{json}"),
        (_, None) => print!("{markdown}"),
        _ => {}
    }
    Ok(if assessment.refused > 0 { Outcome::SomeRefused } else { Outcome::Done })
}

fn of_corpora(args: &RiskArgs) -> Result<Assessment, Usage> {
    let engine = Engine::with_words(args.run.policy.as_deref(), &args.run.words, args.run.lang.0, None)?;
    let patients = match &args.patients {
        Some(path) => Some(Arc::new(Identities::load(path)?)),
        None => None,
    };
    let options = ReadOptions { patients, ..ReadOptions::default() };
    let jobs = args.run.jobs();
    let (original, mut refused) = corpus(&engine, &args.original, &options, jobs)?;
    let mut releases = Vec::new();
    for path in &args.deidentified {
        let (release, unread) = corpus(&engine, path, &ReadOptions::default(), jobs)?;
        refused += unread;
        releases.push(release);
    }
    let settings = Settings {
        tolerance: args.tolerance,
        seed: args.seed,
        policy: engine.policies().next().cloned(),
        key: args.key.as_deref().map(taire::SecretKey::read).transpose()?,
        reviewed: args.reviewed.as_deref().map(taire_eval::Corpus::read).transpose()?,
        refused,
    };
    assess(&original, &releases, &settings)
}
