//! Documents that an envelope carries, in base64 or as plain text: opened, and closed again with their new text.
//!
//! What kind they are is told by their content. Word processors' documents and PDFs come back in their format; those that are
//! only read (Word 97-2003) come back as plain text. What cannot be treated, scans among them, refuses the whole envelope.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use taire_text::Given;

use crate::Reason;
use crate::decode::decode;
use crate::office::{self, Back, Counts};
use crate::sniff::{HEAD, recognise};
use crate::{Format, LIMIT, Ocr, OutSpan, ReadOptions};

/// A document inside.
#[derive(Debug)]
pub(crate) struct Inside {
    pub(crate) text: String,
    pub(crate) back: Back,
    pub(crate) media: &'static str,
    pub(crate) left_out: Counts,
    /// What its layout tells of its text, as the columns of a workbook do.
    pub(crate) given: Vec<Given>,
}

/// Decodes base64 with blanks in it.
pub(crate) fn from_base64(text: &str) -> Result<Vec<u8>, Reason> {
    let packed: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    if packed.len() / 4 * 3 > LIMIT {
        return Err(format!("the document it carries is over {} MB", LIMIT >> 20).into());
    }
    STANDARD.decode(packed).map_err(|_| "the document it carries is cut short or is no base64".into())
}

pub(crate) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Opens a document by its content.
pub(crate) fn open(bytes: &[u8]) -> Result<Inside, Reason> {
    let refused = |why: Reason| why.prefixed("the document it carries cannot be treated: ");
    let head = &bytes[..bytes.len().min(HEAD)];
    let format = recognise(head, Path::new("inside"), &ReadOptions::default()).map_err(refused)?;
    let media = match format {
        Format::Text | Format::Doc => "text/plain",
        Format::Pdf => "application/pdf",
        Format::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Format::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Format::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        Format::Odt => "application/vnd.oasis.opendocument.text",
        Format::Html => "text/html",
        Format::Rtf => "text/rtf",
        other => {
            return Err(refused(format!("it is {}, which is not opened there", other.name()).into()));
        }
    };
    if format == Format::Text {
        let text = decode(bytes).map_err(|why| refused(why.into()))?.text.into_owned();
        return Ok(Inside { text, back: Back::Text, media, left_out: Counts::new(), given: Vec::new() });
    }
    let mut opened = office::open(format, bytes, &Ocr::off()).map_err(refused)?;
    let given = opened.back.take_given();
    Ok(Inside { text: opened.text, back: opened.back, media, left_out: opened.left_out, given })
}

/// A document with its new text, in base64.
pub(crate) fn close(back: &Back, text: &str, spans: &[OutSpan]) -> Result<String, &'static str> {
    back.write(text, spans).map(|bytes| to_base64(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_opened_is_refused_without_a_word_of_it() {
        for bytes in [&b"PAR1dupont"[..], b"\x89PNGdupont", b"\0\0dupont", b"{\"resourceType\":\"Bundle\"}"] {
            let why = open(bytes).unwrap_err();
            assert!(
                !why.to_string().contains("dupont") && why.to_string().starts_with("the document it carries"),
                "{why}"
            );
        }
        for text in ["SGVsbG8", "SGVs!G8=", "é"] {
            assert!(from_base64(text).is_err(), "{text}");
        }
        let inside = open(&from_base64("TW1l IER1\ncG9udA==").unwrap()).unwrap();
        assert_eq!((inside.text.as_str(), inside.media), ("Mme Dupont", "text/plain"));
    }
}
