//! The detectors with a trained model that a policy asks for: its own file, or the model that ships.

use std::path::Path;

use taire_models::{CrfDetector, StudentDetector, TransformerDetector};
use taire_text::{Language, Source};

use crate::{Error, Policy};

/// The sources a policy may name.
pub(crate) const KNOWN_SOURCES: &[Source] = &[
    Source::Metadata,
    Source::Structure,
    Source::Pattern,
    Source::Lexicon,
    Source::Initials,
    Source::Crf,
    Source::Student,
    Source::Transformer,
    Source::Trusted,
    Source::AllowList,
];

/// The CRF of a policy: its own model, else the one that ships.
pub(crate) fn crf(policy: &Policy, language: Language) -> Result<CrfDetector, Error> {
    if let Some(path) = &policy.detect.model {
        let model_error =
            |e: &dyn std::fmt::Display| Error::policy(format!("detect.model {}: {e}", path.display()));
        let bytes = std::fs::read(path).map_err(|e| model_error(&e))?;
        let detector = CrfDetector::from_bytes(&bytes).map_err(|e| model_error(&e))?;
        return match detector.language() {
            of if of == language => Ok(detector),
            of => Err(model_error(&format!(
                "it was trained for language `{of}` and cannot read `{language}`; \
                 give the policy `language = \"{of}\"`"
            ))),
        };
    }
    let missing =
        || Error::policy(format!("detect.sources names `crf`, but no model ships for language `{language}`"));
    Ok(CrfDetector::shipped(language).ok_or_else(missing)??)
}

/// The student of a policy: its own model, else the one that ships.
pub(crate) fn student(policy: &Policy) -> Result<StudentDetector, Error> {
    let Some(path) = &policy.detect.student else {
        return Ok(StudentDetector::shipped()?);
    };
    let failed = |e: &dyn std::fmt::Display| Error::policy(format!("detect.student {}: {e}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| failed(&e))?;
    StudentDetector::from_bytes(&bytes).map_err(|e| failed(&e))
}

/// The transformer of a policy: its own model, else the one that ships.
pub(crate) fn transformer(policy: &Policy, language: Language) -> Result<TransformerDetector, Error> {
    let detector = match &policy.detect.transformer {
        None => TransformerDetector::shipped()?,
        Some(folder) => own_transformer(policy, folder, language)?,
    };
    match policy.detect.pool {
        None => Ok(detector),
        Some(share) => Ok(detector.beside(crf(policy, language)?, share)),
    }
}

/// A transformer in a folder that the policy names.
fn own_transformer(policy: &Policy, folder: &Path, language: Language) -> Result<TransformerDetector, Error> {
    if let Some(missing) = policy.missing_model() {
        return Err(Error::policy(missing));
    }
    let failed = |e: &dyn std::fmt::Display| Error::policy(format!("detect.transformer: {e}"));
    let detector = TransformerDetector::read(folder).map_err(|e| failed(&e))?;
    if !detector.languages().contains(&language) {
        let languages: Vec<_> = detector.languages().iter().map(|l| l.key()).collect();
        let languages = languages.join("+");
        return Err(failed(&format!(
            "{} was trained for language `{languages}` and cannot read `{language}`",
            folder.display()
        )));
    }
    Ok(detector)
}
