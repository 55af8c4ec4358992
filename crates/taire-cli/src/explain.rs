//! `explain`: one document, each span with who found it and why, who was overruled, and what was left in the text all the
//! same. It prints the text of the spans: that is its job.

use serde_json::json;
use taire::run::Reading;
use taire::{Error, Findings, Records, Report, Run, Task};
use taire_formats::{Document, discover, open};
use taire_text::scheme::Scheme;
use taire_text::{Entity, Mention, Note};

use crate::args::{ExplainArgs, OutputFormat};
use crate::{Outcome, to_json};

pub(crate) fn explain(args: &ExplainArgs) -> Result<Outcome, Error> {
    let document = find(args)?;
    let options = args.input.options()?;
    let (engine, _) = args.run.engine(None)?;
    let note = document.into_note(engine.language())?;
    let mut records = Records::default();
    if note.patient.is_some() {
        let discovery = discover(&args.input.inputs, &options);
        let run = Run::new(&engine, Task::Detect { scheme: Scheme::Taire }).jobs(args.run.jobs());
        let reading = Reading::new(&discovery.inputs, &options);
        records = run.first_reading_of_files(&reading, &mut Report::default());
    }
    let others = records.record_of(note.patient.as_deref());
    let (note, Findings { entities, below_threshold, .. }) = engine.find_with(note, &others)?;
    if args.run.format == Some(OutputFormat::Json) {
        let spans: Vec<_> = entities.iter().map(|e| as_json(&note, e)).collect();
        let below_threshold: Vec<_> = below_threshold.iter().map(|e| as_json(&note, e)).collect();
        let all = json!({"id": note.id, "language": note.language, "spans": spans, "below_threshold": below_threshold});
        out!("{}", to_json(&all)?);
    } else {
        outln!("{}: {} spans, read as {}", note.id, entities.len(), note.language);
        entities.iter().for_each(|entity| print_entity(&note, entity));
        if !below_threshold.is_empty() {
            outln!(
                "\nLeft in the text, because too few were sure enough. The score is the chance that it identifies somebody."
            );
            below_threshold.iter().for_each(|candidate| print_entity(&note, candidate));
        }
    }
    Ok(Outcome::Done)
}

fn find(args: &ExplainArgs) -> Result<Document, Error> {
    let options = args.input.options()?;
    let discovery = discover(&args.input.inputs, &options);
    for input in &discovery.inputs {
        for document in open(input, &options)? {
            let document = document.map_err(|refusal| Error::usage(refusal.to_string()))?;
            if args.id.as_ref().is_none_or(|id| *id == document.id) {
                return Ok(document);
            }
        }
    }
    if let Some(refusal) = discovery.refused.first() {
        return Err(Error::usage(refusal.to_string()));
    }
    Err(Error::usage("there is no such document in what was given; --id names one of them"))
}

fn code_points(note: &Note, entity: &Entity) -> (usize, usize) {
    let start = note.raw()[..entity.span.start()].chars().count();
    (start, start + entity.span.of(note.raw()).chars().count())
}

fn print_entity(note: &Note, entity: &Entity) {
    let (start, end) = code_points(note, entity);
    let text = note.phi(entity.span).reveal().replace('\n', "⏎");
    outln!("\n{start}–{end}  {text}\n  {} ({}), score {:.2}", entity.label, entity.role, entity.score.get());
    for mention in &entity.mentions {
        let label = mention.label().map_or("clear", |l| l.name());
        let lost = if overruled(entity, mention) { " (overruled)" } else { "" };
        outln!("  - {}: {label}, {:.2}: {}{lost}", mention.source.key(), mention.score.get(), mention.why);
    }
}

/// Whether a mention has another label than its entity.
fn overruled(entity: &Entity, mention: &Mention) -> bool {
    mention.label() != Some(entity.label)
}

fn as_json(note: &Note, entity: &Entity) -> serde_json::Value {
    let (start, end) = code_points(note, entity);
    let mentions: Vec<_> = entity
        .mentions
        .iter()
        .map(|v| {
            json!({
                "source": v.source.key(), "label": v.label().map(|l| l.name()), "score": v.score.get(),
                "why": v.why.to_string(), "overruled": overruled(entity, v),
            })
        })
        .collect();
    json!({
        "start": start, "end": end, "text": note.phi(entity.span).reveal(), "label": entity.label.name(),
        "role": entity.role.name(), "score": entity.score.get(),
        "sources": entity.sources.iter().map(|s| s.key()).collect::<Vec<_>>(), "mentions": mentions,
    })
}
