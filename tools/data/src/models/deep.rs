//! `cargo xtask models es --encoder FOLDER -o FOLDER`: a transformer from the gold that the CRFs learn from.

use std::path::Path;

use taire::training::{TransformerOptions, TransformerProgress, train_transformer};
use taire_text::Language;

use super::{Request, french_gold, spanish_gold};

pub(super) fn train(encoder: &Path, corpora: &Path, request: &Request) -> Result<(), String> {
    let (&[language], Some(output)) = (request.languages.as_slice(), &request.output) else {
        return Err(format!(
            "a transformer is trained for one language, into -o FOLDER; usage: {}",
            super::USAGE
        ));
    };
    let (gold, dev) = match language {
        Language::Fr => french_gold(corpora, request, 1200.0)?,
        Language::Es => spanish_gold(corpora, request, 0.0)?,
    };
    // What the tables of scores were made with.
    let usual = TransformerOptions {
        epochs: 3,
        encoder_rate: 3e-4,
        head_rate: 3e-3,
        negative_rate: 0.2,
        ..TransformerOptions::default()
    };
    let whole = |key: &str, usual: usize| request.setting(key, usual as f64) as usize;
    let part = |key: &str, usual: f32| request.setting(key, usual.into()) as f32;
    let options = TransformerOptions {
        epochs: whole("epochs", usual.epochs),
        batch: whole("batch", usual.batch),
        encoder_rate: part("rate", usual.encoder_rate),
        head_rate: part("head-rate", usual.head_rate),
        dropout: part("dropout", usual.dropout),
        patience: whole("patience", usual.patience),
        layers: Some(whole("layers", 8)),
        negative_rate: part("negative-rate", usual.negative_rate),
        dev_sample: whole("dev-sample", usual.dev_sample),
        seed: whole("seed", 1) as u64,
        threads: whole("threads", usual.threads),
        ..usual
    };
    let report = train_transformer(encoder, &gold, &dev, &options, output, &mut show)
        .map_err(|e| format!("training the transformer `{}`: {e}", language.key()))?;
    print!("{report}");
    Ok(())
}

fn show(progress: TransformerProgress) {
    let TransformerProgress { step, steps, epoch, loss, left, dev_f1 } = progress;
    match dev_f1 {
        Some(f1) => eprintln!("epoch {epoch}: loss {loss:.4}, dev F1 {f1:.4}"),
        None if step.is_multiple_of(10) || step < 4 => {
            eprintln!("step {step} of {steps}: loss {loss:.4}, {} s left", left.as_secs());
        }
        None => {}
    }
}
