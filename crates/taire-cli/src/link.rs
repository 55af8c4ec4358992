//! `link`: which documents belong to which patient and why. It prints the ids of documents and patients: that is its job.

use taire::run::Reading;
use taire::{Error, Report, Run, Task};
use taire_formats::discover;
use taire_text::counted;
use taire_text::scheme::Scheme;

use crate::Outcome;
use crate::args::{LinkArgs, OutputFormat};

pub(crate) fn link(args: &LinkArgs) -> Result<Outcome, Error> {
    let options = args.input.options()?;
    let (engine, _) = args.run.engine(None)?;
    let discovery = discover(&args.input.inputs, &options);
    let run = Run::new(&engine, Task::Detect { scheme: Scheme::Taire }).jobs(args.run.jobs());
    let tables = options.patients.iter().chain(&discovery.tables).cloned().collect();
    let mut report = Report::default();
    let links = run.link_files(&Reading::new(&discovery.inputs, &options), tables, None, &mut report)?;
    match args.run.format {
        Some(OutputFormat::Json) => out!("{}", crate::to_json(links.counts())?),
        _ => {
            let mut table = Vec::new();
            links.write_csv(&mut table)?;
            out!("{}", String::from_utf8_lossy(&table));
        }
    }
    if !args.run.quiet {
        let counts = links.counts();
        let joined = counts.by_patient_id + counts.by_number + counts.by_name_and_birth_date;
        eprintln!(
            "taire: {} of {}, {} alone; known people: {} joined, {} not",
            counted(joined, "document", "documents"),
            counted(counts.records, "patient", "patients"),
            counted(counts.alone + counts.contradicted, "document", "documents"),
            counts.known_joined,
            counts.known_unjoined
        );
        report.remarks.iter().for_each(|remark| eprintln!("taire: {remark}"));
    }
    discovery.refused.iter().for_each(crate::print_refusal);
    Ok(if discovery.refused.is_empty() { Outcome::Done } else { Outcome::SomeRefused })
}
