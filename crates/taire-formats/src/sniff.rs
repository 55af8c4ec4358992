//! Recognising a file by what its first bytes say, then by its name.

use std::path::Path;

use crate::Reason;
use crate::decode::{BOM, has_utf16_mark, is_binary};
use crate::rows::is_lines;
use crate::table::{is_document_header, sniff_delimiter};
use crate::{Format, ReadOptions};

/// Extensions of files that hold something even where they say nothing.
const BINARY: [&str; 15] = [
    "doc", "docx", "gz", "jpeg", "jpg", "odt", "parquet", "pdf", "png", "pptx", "rtf", "tif", "tiff", "xlsx",
    "zip",
];
/// How many bytes are looked at.
pub(crate) const HEAD: usize = 1 << 16;

/// The format, or why the file is refused.
pub(crate) fn recognise(head: &[u8], name: &Path, options: &ReadOptions) -> Result<Format, Reason> {
    if head.starts_with(b"PAR1") {
        return Ok(Format::Parquet);
    }
    let extension = name.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    if head.is_empty() && BINARY.contains(&extension.as_str()) {
        return Err("it is empty, which no file of its kind is".into());
    }
    if let Some(format) = office(head, name)? {
        return Ok(format);
    }
    if is_page_image(head) {
        return Ok(Format::Image);
    }
    if let Some(format) = envelope(head)? {
        return Ok(format);
    }
    match mail(head) {
        Some(MAIL) => return Ok(Format::Mail),
        Some(MAILBOX) => return Ok(Format::Mailbox),
        _ if extension == "eml" => return Ok(Format::Mail),
        _ => {}
    }
    if let Some(what) = mail(head).or_else(|| foreign(head)) {
        return Err(format!("it is {what}, which is not read yet; convert it to text").into());
    }
    if has_utf16_mark(head) {
        return match extension.as_str() {
            "jsonl" | "ndjson" | "json" | "csv" | "tsv" | "tab" | "psv" => {
                Err("it is in UTF-16; save it as UTF-8".into())
            }
            _ => Ok(Format::Text),
        };
    }
    let head = head.strip_prefix(BOM).unwrap_or(head);
    if is_binary(head) {
        return Err("it is binary, not text; only text documents are read".into());
    }
    let start = head.trim_ascii_start();
    match (extension.as_str(), start.first()) {
        ("jsonl" | "ndjson", _) => Ok(Format::Jsonl),
        ("json", Some(b'{')) if is_lines(start) => Ok(Format::Jsonl),
        ("json", _) => Ok(Format::Json),
        (_, Some(b'{')) if is_lines(start) && has_text_key(start, options) => Ok(Format::Jsonl),
        ("csv" | "psv", _) => Ok(Format::Csv { delimiter: sniff_delimiter(head) }),
        ("tsv" | "tab", _) => {
            let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
            let delimiter = if line.contains(&b'\t') { b'\t' } else { sniff_delimiter(head) };
            Ok(Format::Csv { delimiter })
        }
        _ => Ok(headed_table(head).unwrap_or(Format::Text)),
    }
}

/// Documents of word processors, by their first bytes; the name decides only where these do not tell.
fn office(head: &[u8], name: &Path) -> Result<Option<Format>, Reason> {
    let has = |what: &[u8]| memchr::memmem::find(head, what).is_some();
    if head.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        let extension = name.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let outlook = b"_\0_\0p\0r\0o\0p\0e\0r\0t\0i\0e\0s\0_\0v\0e\0r\0s\0i\0o\0n\0";
        let message = extension.eq_ignore_ascii_case("msg") || has(outlook);
        return Ok(Some(if message { Format::Msg } else { Format::Doc }));
    }
    if head.get(..1024).unwrap_or(head).windows(5).any(|w| w == b"%PDF-")
        && (head.starts_with(b"%PDF-") || is_binary(head))
    {
        return Ok(Some(Format::Pdf));
    }
    if head.starts_with(b"PK\x03\x04") {
        let extension = name.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        return match extension.as_str() {
            _ if has(b"xl/workbook") || has(b"xl/worksheets/") || has(b"xl/_rels/") => Ok(Some(Format::Xlsx)),
            _ if has(b"ppt/presentation") || has(b"ppt/slides/") || has(b"ppt/_rels/") => {
                Ok(Some(Format::Pptx))
            }
            _ if has(b"word/document.xml") || has(b"word/_rels/") => Ok(Some(Format::Docx)),
            _ if has(b"mimetypeapplication/vnd.oasis.opendocument.text") => Ok(Some(Format::Odt)),
            _ if has(b"mimetypeapplication/vnd.oasis.opendocument") => {
                Err("it is an OpenDocument file of another kind than text, which is not read".into())
            }
            "odt" => Ok(Some(Format::Odt)),
            "xlsx" | "xlsm" | "xltx" | "xlsb" => Ok(Some(Format::Xlsx)),
            "pptx" | "pptm" | "potx" | "ppsx" => Ok(Some(Format::Pptx)),
            "docx" | "docm" | "dotx" => Ok(Some(Format::Docx)),
            _ => Ok(None),
        };
    }
    let start = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    if start.starts_with(b"{\\rtf") {
        return Ok(Some(Format::Rtf));
    }
    let opening: Vec<u8> = start.iter().take(2048).map(u8::to_ascii_lowercase).collect();
    let html = memchr::memmem::find(&opening, b"<html").is_some() && opening.starts_with(b"<");
    let xhtml = !opening.starts_with(b"<?xml") || memchr::memmem::find(&opening, b"/xhtml").is_some();
    let extension = name.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let fragment = matches!(extension.as_str(), "html" | "htm") && opening.starts_with(b"<");
    if opening.starts_with(b"<!doctype html") || ((html || fragment) && xhtml) {
        return Ok(Some(Format::Html));
    }
    Ok(None)
}

/// An image of a kind that scanners write.
fn is_page_image(head: &[u8]) -> bool {
    const MAGIC: [&[u8]; 4] = [b"\x89PNG\r\n\x1A\n", b"\xFF\xD8\xFF", b"II*\0", b"MM\0*"];
    MAGIC.iter().any(|magic| head.starts_with(magic))
}

/// A whole page of HTML.
pub(crate) fn is_page(head: &[u8]) -> bool {
    matches!(office(head, Path::new("text")), Ok(Some(Format::Html)))
}

/// Bytes that are a document of a word processor.
pub(crate) fn is_document(head: &[u8]) -> bool {
    matches!(office(&head[..head.len().min(HEAD)], Path::new("bytes")), Ok(Some(_)) | Err(_))
}

/// A text that carries a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Carrier {
    /// An envelope or a mail, which is opened.
    Opened(Format),
    /// Something that is not opened in a text.
    Refused(&'static str),
}

/// What carries a document, where a text is one such: an envelope, a mail, a file.
pub(crate) fn carrier(head: &[u8]) -> Option<Carrier> {
    use Carrier::{Opened, Refused};
    match mail(head) {
        Some(MAIL) => return Some(Opened(Format::Mail)),
        Some(what) => return Some(Refused(what)),
        None => {}
    }
    match envelope(head) {
        Ok(Some(format @ (Format::Cda | Format::Hl7 | Format::Fhir | Format::FhirXml))) => {
            return Some(Opened(format));
        }
        Ok(Some(_)) | Err(_) => return Some(Refused("a batch of messages or resources")),
        Ok(None) => {}
    }
    if head.starts_with(b"%PDF-") {
        return Some(Refused("a PDF file"));
    }
    foreign(head).map(Refused)
}

const MAIL: &str = "a mail";
const MAILBOX: &str = "a mailbox";

/// Mail and what travels with it, by the first lines.
fn mail(head: &[u8]) -> Option<&'static str> {
    let start = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    let begins =
        |what: &str| start.get(..what.len()).is_some_and(|s| s.eq_ignore_ascii_case(what.as_bytes()));
    if begins("BEGIN:VCARD") {
        return Some("a vCard");
    }
    if begins("BEGIN:VCALENDAR") {
        return Some("a calendar");
    }
    let first = &start[..memchr::memchr(b'\n', start).unwrap_or(start.len())];
    if is_mbox_line(first) {
        return Some(MAILBOX);
    }
    let mut mime = false;
    for line in start.split(|b| *b == b'\n').take(200) {
        let line = line.trim_ascii_end();
        let folded = line.first().is_some_and(|b| matches!(b, b' ' | b'\t'));
        let name = &line[..memchr::memchr(b':', line).unwrap_or(0)];
        let is_header = !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
        if !(folded || is_header) {
            break;
        }
        let known = [
            "mime-version",
            "content-type",
            "content-transfer-encoding",
            "received",
            "return-path",
            "message-id",
        ];
        mime |= known.iter().any(|k| name.eq_ignore_ascii_case(k.as_bytes()));
    }
    mime.then_some(MAIL)
}

/// `From somebody@somewhere Thu Jan  1 00:00:00 1970`
pub(crate) fn is_mbox_line(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else { return false };
    let rest = rest.trim_ascii();
    let year = rest.len() > 16 && rest[rest.len() - 4..].iter().all(u8::is_ascii_digit);
    let zone = rest.len() > 16 && matches!(rest[rest.len() - 5], b'+' | b'-' | b' ');
    let time = rest
        .windows(6)
        .any(|w| w[0] == b':' && w[3] == b':' && w[1].is_ascii_digit() && w[4].is_ascii_digit());
    year && zone && time
}

/// Envelopes of hospital systems.
fn envelope(head: &[u8]) -> Result<Option<Format>, Reason> {
    let start = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    let has = |what: &[u8]| memchr::memmem::find(start, what).is_some();
    if start.starts_with(b"<") && has(b"ClinicalDocument") && has(b"urn:hl7-org:v3") {
        return Ok(Some(Format::Cda));
    }
    let message = start.strip_prefix(b"\x0B").unwrap_or(start);
    let mark =
        |name: &[u8]| message.starts_with(name) && message.get(3).is_some_and(u8::is_ascii_punctuation);
    if mark(b"MSH") {
        let another = [&b"\rMSH"[..], b"\nMSH", b"\x0BMSH"].iter().any(|m| {
            let rest = &message[3..];
            memchr::memmem::find(rest, m).is_some_and(|at| rest.get(at + m.len()) == message.get(3))
        });
        return Ok(Some(if another { Format::Hl7Batch } else { Format::Hl7 }));
    }
    if mark(b"FHS") || mark(b"BHS") {
        return Ok(Some(Format::Hl7Batch));
    }
    if start.starts_with(b"<") && (has(b"\"http://hl7.org/fhir\"") || has(b"'http://hl7.org/fhir'")) {
        return Ok(Some(Format::FhirXml));
    }
    if start.starts_with(b"<") && has(b"urn:oasis:names:tc:ebxml-regrep:") {
        return Err(EXCHANGE.into());
    }
    if matches!(start.first(), Some(b'{' | b'[')) && is_resource(start) {
        let many = is_lines(start) && memchr::memchr(b'\n', start.trim_ascii_end()).is_some();
        return Ok(Some(if many { Format::FhirLines } else { Format::Fhir }));
    }
    Ok(None)
}

const EXCHANGE: &str = "it is the metadata of an exchange of documents (XDM), which names the patient and repeats its documents; \
                        it is not written: make it anew from the documents that are";

/// Files of an exchange of documents (XDM, IHE) that are made from its documents or show them: they hold none.
pub(crate) fn serves_exchange(head: &[u8], name: &Path) -> Option<&'static str> {
    let named =
        |what: &str| name.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.eq_ignore_ascii_case(what));
    let start = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    let has = |what: &[u8]| memchr::memmem::find(start, what).is_some();
    let xml = start.starts_with(b"<");
    if xml && named("METADATA.XML") && has(b"urn:oasis:names:tc:ebxml-regrep:") {
        return Some(EXCHANGE);
    }
    (xml && has(b"http://www.w3.org/1999/XSL/Transform") && has(b"stylesheet"))
        .then_some("it is a style sheet; it is not written")
}

/// Whether JSON says that it is a FHIR resource.
fn is_resource(json: &[u8]) -> bool {
    memchr::memmem::find_iter(json, b"\"resourceType\"").any(|at| {
        let rest = json[at + 14..].trim_ascii_start();
        let value = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        value.and_then(|v| v.strip_prefix(b"\"")).and_then(<[u8]>::first).is_some_and(u8::is_ascii_uppercase)
    })
}

/// A table under another name: its first line is a header of documents, whole.
fn headed_table(head: &[u8]) -> Option<Format> {
    let line = &head[..memchr::memchr(b'\n', head)?];
    if line.len() > 1000 {
        return None;
    }
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let delimiter = sniff_delimiter(line.as_bytes());
    let names: Vec<&str> = line.split(delimiter as char).map(|n| n.trim_matches('"')).collect();
    is_document_header(&names).then_some(Format::Csv { delimiter })
}

fn has_text_key(start: &[u8], options: &ReadOptions) -> bool {
    let key = options.text_column.as_deref().unwrap_or("text");
    let first = &start[..memchr::memchr(b'\n', start).unwrap_or(start.len())];
    memchr::memmem::find(first, format!("\"{key}\":").as_bytes()).is_some()
        || memchr::memmem::find(first, format!("\"{key}\" :").as_bytes()).is_some()
}

/// Formats of other families, by their first bytes.
fn foreign(head: &[u8]) -> Option<&'static str> {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"PK\x03\x04", "a zip file"),
        (b"PK\x05\x06", "an empty zip file"),
        (b"PARE", "an encrypted Parquet file"),
        (b"\x1F\x8B", "a packed file inside another"),
        (b"\x89PNG", "an image"),
        (b"\xFF\xD8\xFF", "an image"),
        (b"GIF8", "an image"),
        (b"II*\0", "an image"),
        (b"MM\0*", "an image"),
        (b"\x7FELF", "a program"),
    ];
    let magic = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
    // "PARENTS" begins a letter too.
    if let Some((_, what)) = magic.filter(|(magic, _)| *magic != b"PARE" || is_binary(head)) {
        return Some(what);
    }
    let start = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    let opening: Vec<u8> = start.iter().take(1024).map(u8::to_ascii_lowercase).collect();
    if opening.starts_with(b"<?xml") || opening.starts_with(b"<clinicaldocument") {
        return Some("an XML file");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_content_then_by_name() {
        let csv = |delimiter| Ok::<_, ()>(Format::Csv { delimiter });
        for (name, head, format) in [
            ("a.txt", "Cher confrère,", Ok(Format::Text)),
            ("a.txt", "", Ok(Format::Text)),
            ("README", "read me", Ok(Format::Text)),
            ("a.dat", "{\"id\":1,\"text\":\"x\"}\n{", Ok(Format::Jsonl)),
            ("a.txt", "{sic} \"text\":", Ok(Format::Text)),
            ("a.jsonl", "broken", Ok(Format::Jsonl)),
            ("a.json", "{\"text\":\"x\"}", Ok(Format::Jsonl)),
            ("a.json", "{\n \"text\":\"x\"}", Ok(Format::Json)),
            ("a.json", "[{\"text\":\"x\"}]", Ok(Format::Json)),
            ("a.csv", "id;text\n", csv(b';')),
            ("a.TSV", "id\ttext\n", csv(b'\t')),
            ("a.txt", "note_id|person_id|note_text\n1|2|x", csv(b'|')),
            ("a.txt", "Texte, date et lieu\n", Ok(Format::Text)),
            ("a.txt", "%PDF-1.4", Ok(Format::Pdf)),
            ("a.txt", "<?xml version=\"1.0\"?><note/>", Err(())),
            ("a.txt", "<?xml version=\"1.0\"?><ClinicalDocument xmlns=\"urn:hl7-org:v3\"/>", Ok(Format::Cda)),
            ("a.txt", "MSH|^~\\&|A", Ok(Format::Hl7)),
            ("a.txt", "MSH rappelé", Ok(Format::Text)),
            ("a.txt", "BHS|^~\\&|A", Ok(Format::Hl7Batch)),
            ("a.txt", "MSH|^~\\&|A\rPID|1\rMSH|^~\\&|B\r", Ok(Format::Hl7Batch)),
            (
                "a.ndjson",
                "{\"resourceType\":\"Patient\"}\n{\"resourceType\":\"Patient\"}\n",
                Ok(Format::FhirLines),
            ),
            ("a.xml", "<Patient xmlns=\"http://hl7.org/fhir\"/>", Ok(Format::FhirXml)),
            ("a.xml", "<a xmlns=\"urn:oasis:names:tc:ebxml-regrep:xsd:lcm:3.0\"/>", Err(())),
            ("a.vcf", "BEGIN:VCARD\nFN:x", Err(())),
            ("a.mht", "From: <Saved>\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p>", Ok(Format::Mail)),
            ("a.rtf", "{\\rtf1 x}", Ok(Format::Rtf)),
            ("a.txt", "<!DOCTYPE html><p>x", Ok(Format::Html)),
            ("a.doc", "PK\x03\x04....word/document.xml", Ok(Format::Docx)),
            ("a.bin", "PK\x03\x04....xl/workbook.xml", Ok(Format::Xlsx)),
            ("a.pptx", "PK\x03\x04....", Ok(Format::Pptx)),
            ("a.txt", "PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.text", Ok(Format::Odt)),
            ("a.json", "{\"resourceType\":\"Bundle\",\"text\":{}}", Ok(Format::Fhir)),
            ("a.bin", "a\0b", Err(())),
        ] {
            let found = recognise(head.as_bytes(), Path::new(name), &ReadOptions::default());
            assert_eq!(found.map_err(|_| ()), format, "{name}: {head}");
        }
    }
}
