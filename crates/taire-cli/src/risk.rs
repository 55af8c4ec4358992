//! `risk`: what an attacker can still do with documents that were de-identified.

use taire::{Engine, Error, SecretKey};
use taire_assess::{RiskOptions, measure_risk, save_files};

use crate::Outcome;
use crate::args::{OutputFormat, RiskArgs};

pub(crate) fn risk(args: &RiskArgs) -> Result<Outcome, Error> {
    let engine = Engine::with_words(args.run.policy.as_deref(), &args.run.words, args.run.lang.0, None)?;
    let options = RiskOptions {
        patients: args.patients.clone(),
        reviewed: args.reviewed.clone(),
        key: args.key.as_deref().map(SecretKey::read).transpose()?,
        same_key: args.same_key.clone(),
        tolerance: args.tolerance,
        seed: args.seed,
        jobs: args.run.jobs(),
    };
    let assessment = measure_risk(&engine, &args.original, &args.deidentified, &options)?;
    let (markdown, json) = (assessment.to_markdown(), assessment.to_json()?);
    if let Some(folder) = &args.output {
        save_files(folder, &[("risk.md", &markdown), ("risk.json", &json)])?;
    }
    match (args.run.format, &args.output) {
        (Some(OutputFormat::Json), _) => out!("{json}"),
        (_, None) => out!("{markdown}"),
        _ => {}
    }
    Ok(if assessment.refused > 0 { Outcome::SomeRefused } else { Outcome::Done })
}
