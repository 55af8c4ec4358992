//! Envelopes of hospital information systems: CDA-R2, FHIR, HL7 v2 and mail. A header of fields, and a letter inside.
//!
//! Header and letter are read as one text, so that one rewriting gives both the same invented person; the values then
//! go back to their places. What is known of the people in the header helps to find them in the letter.

mod cda;
mod cda_rules;
mod cda_write;
mod fhir;
mod fhir_rules;
mod fhir_write;
mod fhir_xml;
mod form;
mod hl7;
mod hl7_rules;
mod hl7_text;
pub(crate) mod inside;
mod json;
pub(crate) mod mail;
mod mail_write;
pub(crate) mod msg;
mod sheet;
mod values;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::Reason;
use crate::office::Counts;
use crate::{Format, OutSpan};

use form::Read;

/// An envelope as one text.
pub(crate) struct Enveloped {
    pub(crate) text: String,
    pub(crate) left_out: Counts,
    pub(crate) read: Read,
    pub(crate) way: Way,
}

/// The way back into the format.
#[derive(Debug)]
pub(crate) enum Way {
    Cda(cda_write::Cda),
    Fhir(fhir::Fhir),
    Hl7(hl7::Hl7),
    Mail(mail_write::Mail),
}

impl Way {
    /// Bytes held while the document is treated.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Way::Cda(cda) => cda.weight(),
            Way::Fhir(resource) => resource.weight(),
            Way::Hl7(message) => message.weight(),
            Way::Mail(mail) => mail.weight(),
        }
    }

    /// The file with its new text, or why it cannot be written. It is opened once more: what damaged markup became may be
    /// nothing that can be read.
    pub(crate) fn write(&self, text: &str, spans: &[OutSpan]) -> Result<Vec<u8>, &'static str> {
        let work = || match self {
            Way::Cda(cda) => Ok((Format::Cda, cda.write(text, spans)?)),
            Way::Fhir(resource) => Ok((resource.format(), resource.write(text, spans)?)),
            Way::Hl7(message) => Ok((Format::Hl7, message.write(text, spans)?)),
            Way::Mail(mail) => Ok((Format::Mail, mail.write(text, spans)?)),
        };
        let written = catch_unwind(AssertUnwindSafe(work));
        let (format, bytes) = written.unwrap_or(Err("an internal fault stopped its writing"))?;
        match open(format, &bytes) {
            Ok(_) => Ok(bytes),
            Err(_) => Err("its markup is damaged: with its new text it could not be read"),
        }
    }
}

/// Opens an envelope. The reason of a refusal quotes nothing of it.
pub(crate) fn open(format: Format, bytes: &[u8]) -> Result<Enveloped, Reason> {
    let work = || match format {
        Format::Cda => cda::open(bytes),
        Format::Hl7 => hl7::open(bytes),
        Format::Fhir => fhir::open(bytes),
        Format::FhirLines => fhir::open_line(bytes),
        Format::FhirXml => fhir_xml::open(bytes),
        Format::Mail => mail::open(bytes),
        Format::Msg => msg::open(bytes),
        _ => Err("it is no envelope".into()),
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err("an internal fault stopped its reading; please report its format and size".into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Damaged in many places: read or refused, never a fault, and what is read can be written.
    #[test]
    fn damage_is_no_fault() {
        type Open = fn(&[u8]) -> Result<Enveloped, Reason>;
        let samples: [(&[u8], Open); 3] = [
            (include_bytes!("../../../../examples/fr/echanges-5512/lettre-cda.xml"), cda::open),
            (include_bytes!("../../../../examples/fr/echanges-5512/dossier-fhir.json"), fhir::open),
            (include_bytes!("../../../../examples/fr/echanges-5512/resultats.hl7"), hl7::open),
        ];
        for (sample, open) in samples {
            assert!(open(sample).is_ok());
            let mut damaged = Vec::new();
            for (n, at) in (0..sample.len()).step_by(7).enumerate() {
                damaged.clear();
                damaged.extend_from_slice(sample);
                match n % 5 {
                    0 => damaged.truncate(at),
                    1 => drop(damaged.remove(at)),
                    2 => damaged[at] = b"<>\"|^&\\{}[],:#"[n % 14],
                    3 => damaged.splice(at..at, [0xC3]).for_each(drop),
                    _ => drop(damaged.drain(at..(at + 40).min(sample.len()))),
                }
                if let Ok(opened) = open(&damaged) {
                    let mut from = 0;
                    for given in &opened.read.given {
                        assert!(given.span.start() >= from && given.span.end() <= opened.text.len());
                        from = given.span.end();
                    }
                    let _ = opened.way.write(&opened.text, &[]);
                }
            }
        }
    }
}
