//! `evaluate`: scores of one corpus against another.

use taire_eval::{Corpus, Offsets, Options, evaluate as compare, mistakes, print_mistakes};

use crate::args::{EvaluateArgs, OutputFormat};
use crate::{Outcome, Usage};

pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<Outcome, Usage> {
    let gold = Corpus::read(&args.gold)?;
    let predicted = Corpus::read(&args.predicted)?;
    let options = Options { resamples: args.resamples, ..Options::default() };
    let evaluation = compare(&gold, &predicted, &options)?;
    match args.format {
        Some(OutputFormat::Json) => println!("{}", serde_json::to_string_pretty(&evaluation)?),
        _ => print!("{}", evaluation.table()),
    }
    if args.errors {
        let list = mistakes(&gold, &predicted, Offsets::CodePoints)?;
        let texts = args.show_text.then_some(&gold);
        print_mistakes(&mut std::io::stdout().lock(), &list, texts)?;
    }
    Ok(Outcome::Done)
}
