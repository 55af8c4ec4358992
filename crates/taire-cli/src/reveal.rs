//! `reveal`: what one surrogate stands for, once the question is on record. Also the vault's side of `deid`.

use std::path::Path;

use serde_json::json;
use taire::{Deidentified, Error, SecretKey};
use taire_text::{Label, Note};
use taire_vault::{Entry, Sealed, Sealer, Vault};

use crate::Outcome;
use crate::args::{OutputFormat, RevealArgs, VaultArgs};

pub(crate) fn reveal(args: &RevealArgs) -> Result<Outcome, Error> {
    let mut vault = Vault::open(&args.vault, &SecretKey::read(&args.vault_key)?)?;
    let as_json = args.format == Some(OutputFormat::Json);
    let (Some(surrogate), Some(reason)) = (&args.surrogate, &args.reason) else {
        for line in vault.audit()? {
            if as_json {
                let (number, results) = (line.number, line.results);
                let line = json!({"number": number, "time": line.time, "user": line.user, "reason": line.reason, "results": results});
                outln!("{line}");
            } else {
                outln!(
                    "{}\t{}\t{}\t{} shown\t{}",
                    line.number,
                    line.time,
                    line.user,
                    line.results,
                    line.reason
                );
            }
        }
        return Ok(Outcome::Done);
    };
    let found = vault.reveal(surrogate, args.patient.as_deref(), reason)?;
    for one in &found {
        if as_json {
            let (label, original) = (&one.label, &one.original);
            let line = json!({"label": label, "original": original, "patient": one.patient, "document": one.document});
            outln!("{line}");
        } else {
            let whose = match (&one.patient, &one.document) {
                (Some(patient), _) => format!("patient {patient}"),
                (None, Some(document)) => format!("document {document}"),
                (None, None) => String::new(),
            };
            outln!("{}\t{}\t{whose}", one.original, one.label);
        }
    }
    if found.is_empty() {
        eprintln!("taire: the vault holds no such surrogate; the question is on record all the same");
        return Ok(Outcome::SomeRefused);
    }
    Ok(Outcome::Done)
}

/// The vault `deid` adds to, if asked for.
pub(crate) fn vault(args: &VaultArgs, key: &SecretKey, output: &Path) -> Result<Option<Vault>, Error> {
    let (Some(path), Some(key_path)) = (&args.vault, &args.vault_key) else { return Ok(None) };
    let vault_key = SecretKey::read(key_path)?;
    if vault_key.is_same(key) {
        return Err(Error::usage(
            "the vault key is the key of the surrogates: who held one would hold both; make another with `taire key new`",
        ));
    }
    if std::path::absolute(path)?.starts_with(std::path::absolute(output)?) {
        return Err(Error::usage(format!(
            "{}: the vault would lie in the output, which is to be shared; keep it elsewhere",
            path.display()
        )));
    }
    Ok(Some(Vault::open_or_create(path, &vault_key)?))
}

/// The vault's entries of a treated document: each thing written in place of another, its patient and its date.
pub(crate) fn seal(
    sealer: &Sealer,
    note: &Note,
    done: &Deidentified,
) -> Result<Vec<Sealed>, taire_vault::Error> {
    let patient = note.patient.as_deref();
    let entry = |label: Label, surrogate, original| {
        let (label, document) = (label.name(), note.id.as_str());
        let patient_surrogate = done.patient.as_deref();
        sealer.seal(&Entry { label, surrogate, original, patient, patient_surrogate, document })
    };
    let mut sealed = Vec::with_capacity(done.written.len() + 2);
    for written in &done.written {
        let (found, surrogate) = (&done.entities[written.entity], &done.text[written.range.clone()]);
        if !surrogate.is_empty() {
            sealed.push(entry(found.label, surrogate, found.span.of(note.raw()))?);
        }
    }
    if let (Some(surrogate), Some(original)) = (&done.patient, patient) {
        sealed.push(entry(Label::PatientId, surrogate, original)?);
    }
    if let (Some(surrogate), Some(original)) = (done.date, note.date) {
        sealed.push(entry(Label::Date, &surrogate.to_string(), &original.to_string())?);
    }
    Ok(sealed)
}
