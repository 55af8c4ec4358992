//! `reveal`: what one surrogate stands for, once the question is on record. Also the vault's side of `deid`.

use std::path::Path;

use jiff::civil::Date;
use serde_json::json;
use taire::{Deidentified, SecretKey};
use taire_text::{Label, Note};
use taire_vault::{Entry, Error, Sealed, Sealer, Vault};

use crate::args::{OutputFormat, RevealArgs, VaultArgs};
use crate::{Outcome, Usage};

pub(crate) fn reveal(args: &RevealArgs) -> Result<Outcome, Usage> {
    let mut vault = Vault::open(&args.vault, &SecretKey::read(&args.vault_key)?)?;
    let as_json = args.format == Some(OutputFormat::Json);
    let (Some(surrogate), Some(reason)) = (&args.surrogate, &args.reason) else {
        for line in vault.audit()? {
            if as_json {
                let (number, results) = (line.number, line.results);
                let line = json!({"number": number, "time": line.time, "user": line.user, "reason": line.reason, "results": results});
                println!("{line}");
            } else {
                println!(
                    "{}\t{}\t{}\t{} shown\t{}",
                    line.number, line.time, line.user, line.results, line.reason
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
            println!("{line}");
        } else {
            let whose = match (&one.patient, &one.document) {
                (Some(patient), _) => format!("patient {patient}"),
                (None, Some(document)) => format!("document {document}"),
                (None, None) => String::new(),
            };
            println!("{}\t{}\t{whose}", one.original, one.label);
        }
    }
    if found.is_empty() {
        eprintln!("taire: the vault holds no such surrogate; the question is on record all the same");
        return Ok(Outcome::SomeRefused);
    }
    Ok(Outcome::Done)
}

/// The vault `deid` adds to, if asked for.
pub(crate) fn vault(args: &VaultArgs, key: &SecretKey, output: &Path) -> Result<Option<Vault>, Usage> {
    let (Some(path), Some(key_path)) = (&args.vault, &args.vault_key) else { return Ok(None) };
    let vault_key = SecretKey::read(key_path)?;
    if vault_key.is_same(key) {
        return Err(Usage(
            "the vault key is the key of the surrogates: who held one would hold both; make another with `taire key new`"
                .into(),
        ));
    }
    if std::path::absolute(path)?.starts_with(std::path::absolute(output)?) {
        return Err(Usage(format!(
            "{}: the vault would lie in the output, which is to be shared; keep it elsewhere",
            path.display()
        )));
    }
    Ok(Some(Vault::open_or_create(path, &vault_key)?))
}

/// What the vault needs of a document before it is treated.
pub(crate) struct Original<'a> {
    sealer: &'a Sealer,
    id: String,
    raw: String,
    patient: Option<String>,
    date: Option<Date>,
}

impl<'a> Original<'a> {
    pub(crate) fn new(sealer: &'a Sealer, note: &Note) -> Self {
        let (id, raw, patient) = (note.id.clone(), note.raw().to_owned(), note.patient.clone());
        Original { sealer, id, raw, patient, date: note.date }
    }

    /// The entries of a treated document: each thing written in place of another, its patient and its date.
    pub(crate) fn seal(&self, done: &Deidentified) -> Result<Vec<Sealed>, Error> {
        let entry = |label: Label, surrogate, original| {
            self.sealer.seal(&Entry {
                label: label.name(),
                surrogate,
                original,
                patient: self.patient.as_deref(),
                patient_surrogate: done.patient.as_deref(),
                document: &self.id,
            })
        };
        let mut sealed = Vec::with_capacity(done.written.len() + 2);
        for written in &done.written {
            let (found, surrogate) = (&done.entities[written.entity], &done.text[written.range.clone()]);
            if !surrogate.is_empty() {
                sealed.push(entry(found.label, surrogate, found.span.of(&self.raw))?);
            }
        }
        if let (Some(surrogate), Some(original)) = (&done.patient, &self.patient) {
            sealed.push(entry(Label::PatientId, surrogate, original)?);
        }
        if let (Some(surrogate), Some(original)) = (done.date, self.date) {
            sealed.push(entry(Label::Date, &surrogate.to_string(), &original.to_string())?);
        }
        Ok(sealed)
    }
}
