//! `evaluate`: scores of one corpus against another.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use taire::{Error, Sections};
use taire_eval::{
    Corpus, Coverage, GroupBy, Offsets, Options, PartsOf, Words, by_group, evaluate as compare, hidden_words,
    mistakes, print_mistakes, require_common_label, token_tables,
};

use crate::Outcome;
use crate::args::{EvaluateArgs, Grouping, OutputFormat};

pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<Outcome, Error> {
    let gold = Corpus::read(&args.gold)?;
    let predicted = Corpus::read(&args.predicted)?;
    require_common_label(&gold, &predicted)?;
    let options = Options { resamples: args.resamples, ..Options::default() };
    let evaluation = compare(&gold, &predicted, &options)?;
    let mut groups = BTreeMap::new();
    for &by in &args.by {
        let group_by = match by {
            Grouping::Label => GroupBy::Label,
            Grouping::Tier => GroupBy::Tier,
            Grouping::Role => GroupBy::Role,
            Grouping::Part => GroupBy::Part,
            Grouping::Section => GroupBy::Named(sections),
        };
        groups.insert(by.key(), by_group(&gold, &predicted, group_by, Offsets::CodePoints)?);
    }
    let parts = args.by.contains(&Grouping::Section).then_some(sections as PartsOf);
    let tokens =
        args.tokens.then(|| token_tables(&gold, &predicted, Offsets::CodePoints, parts)).transpose()?;
    let words = args.words.then(|| hidden_words(&gold, &predicted, Offsets::CodePoints)).transpose()?;
    match args.format {
        Some(OutputFormat::Json) => {
            let mut all = serde_json::to_value(&evaluation).map_err(crate::json_error)?;
            if let Value::Object(keys) = &mut all {
                if !groups.is_empty() {
                    keys.insert("by".into(), json!(groups));
                }
                keys.extend(tokens.map(|tables| ("tokens".to_owned(), json!(tables))));
                keys.extend(words.map(|words| ("words".to_owned(), json!(words))));
            }
            out!("{}", crate::to_json(&all)?);
        }
        _ => {
            out!("{}", evaluation.table());
            for (by, table) in &groups {
                print_coverage(by, table);
            }
            for (name, table) in tokens.iter().flatten() {
                out!("\n{}", table.print(name));
            }
            words.iter().for_each(print_words);
        }
    }
    if args.errors {
        let list = mistakes(&gold, &predicted, Offsets::CodePoints)?;
        let texts = args.show_text.then_some(&gold);
        print_mistakes(&mut std::io::stdout().lock(), &list, texts)?;
    }
    Ok(Outcome::Done)
}

/// The parts of a report, as the policy `cordoba` reads it.
fn sections(text: &str) -> Vec<(usize, &'static str)> {
    Sections::of_text(text).starts()
}

/// Each group with its support: spans, documents that hold it.
fn print_coverage(by: &str, table: &BTreeMap<String, Coverage>) {
    let head = format!("coverage by {by}");
    let width = table.keys().map(|k| k.chars().count()).max().unwrap_or(0).max(head.len());
    outln!("\n{head:<width$} {:>7} {:>7} {:>8} {:>9} {:>9}", "spans", "wholly", "%", "documents", "clean");
    for (name, c) in table {
        let share = 100.0 * c.share();
        outln!(
            "{name:<width$} {:>7} {:>7} {share:>8.1} {:>9} {:>9}",
            c.n,
            c.wholly,
            c.documents,
            c.documents_clean
        );
    }
}

fn print_words(words: &Words) {
    let share = |part: u64, whole: u64| if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 };
    outln!(
        "\nidentifying words hidden {} of {} ({:.1} %); other words hidden {} of {} ({:.1} %)",
        words.identifying_hidden,
        words.identifying,
        share(words.identifying_hidden, words.identifying),
        words.others_hidden,
        words.others,
        share(words.others_hidden, words.others)
    );
    let a_document = |n: u64| n as f64 / words.documents.max(1) as f64;
    outln!(
        "by word: precision {:.1} %, recall {:.1} %, F1 {:.1} %; a document has {:.0} words and {:.1} identifiers",
        100.0 * words.precision(),
        100.0 * words.recall(),
        100.0 * words.f1(),
        a_document(words.identifying + words.others),
        a_document(words.spans)
    );
}
