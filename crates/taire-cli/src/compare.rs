//! `compare`: several policies on one corpus, side by side.

use taire::{Error, SecretKey};
use taire_assess::{CompareOptions, compare_policies};

use crate::args::{CompareArgs, OutputFormat, jobs};
use crate::{Outcome, print_refusal};

pub(crate) fn compare(args: &CompareArgs) -> Result<Outcome, Error> {
    let mut read = args.input.options()?;
    read.exclude.extend(args.output.clone());
    let options = CompareOptions {
        inputs: args.input.inputs.clone(),
        read,
        policies: args.policies.clone(),
        key: args.key.as_deref().map(SecretKey::read).transpose()?,
        seed: args.seed,
        tolerance: args.tolerance,
        language: args.lang.0,
        jobs: jobs(args.jobs),
    };
    let comparison = compare_policies(&options, &mut print_refusal)?;
    let (page, json) = (comparison.to_page(), comparison.to_json()?);
    if let Some(folder) = &args.output {
        page.save(folder, "compare", Some(&json))?;
    }
    match args.format {
        Some(OutputFormat::Json) => out!("{json}"),
        _ => out!("{}", page.markdown()),
    }
    Ok(if comparison.has_refusals() { Outcome::SomeRefused } else { Outcome::Done })
}
