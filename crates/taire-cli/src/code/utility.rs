//! `code utility`: the same coder trained on the original, on surrogates, on tags and on releases of other policies.

use std::collections::BTreeSet;

use taire::{Error, SecretKey};
use taire_assess::{UtilityOptions, measure_utility};
use taire_coding::short_id;

use super::args::UtilityArgs;
use super::{ProgressDisplay, label_texts, read};
use crate::args::OutputFormat;
use crate::{Outcome, print_refusal};

pub(super) fn utility(args: &UtilityArgs) -> Result<Outcome, Error> {
    let read = read::cases(&args.cases)?;
    let options = UtilityOptions {
        coder: args.learn.options(),
        labels: label_texts(&args.learn)?,
        policy: args.policy.clone(),
        also: args.also.clone(),
        key: match &args.key {
            Some(path) => SecretKey::read(path)?,
            None => SecretKey::generate()?,
        },
        seeds: args.seeds,
        test: tested(args, &read)?,
    };
    let show = ProgressDisplay::new(args.learn.quiet);
    let report = measure_utility(&read.coded, &options, &mut print_refusal, &mut |arm, seed, p| {
        show.step(&format!("{arm}, seed {seed}: "), p);
    })?;
    drop(show);
    let (page, json) = (report.to_page(), report.to_json()?);
    if let Some(folder) = &args.output {
        page.save(folder, "utility", Some(&json))?;
    }
    match (args.format, &args.output) {
        (Some(OutputFormat::Json), _) => out!("{json}"),
        (_, None) => out!("{}", page.markdown()),
        _ => {}
    }
    Ok(if report.refused > 0 { Outcome::SomeRefused } else { read.outcome() })
}

/// The cases whose documents the user set aside for testing, if some are named.
fn tested(args: &UtilityArgs, read: &read::CasesRead) -> Result<Option<BTreeSet<String>>, Error> {
    let Some(path) = &args.test else { return Ok(None) };
    let (documents, _) = read::documents(std::slice::from_ref(path))?;
    let ids: BTreeSet<&str> = documents.iter().map(|d| short_id(&d.id)).collect();
    let cases = read.coded.cases.iter().filter(|c| ids.contains(short_id(&c.id)));
    Ok(Some(cases.map(|c| c.id.clone()).collect()))
}
