//! What must hold for every format: bytes are read or refused, the same way each time; what is read can be rewritten; and
//! a name that was replaced is in no part of what is written.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::LazyLock;

use taire_formats::{
    Document, ErrorKind, Format, InputFile, NewFields, Ocr, OutSpan, ReadOptions, Stage, WriteOptions,
    Writer, read_bytes,
};

use crate::parts::{pack, unpack};
use crate::seeds::NAMES;

const INSTEAD: &str = "Vaucanson";

pub(crate) fn doc(bytes: &[u8]) {
    single(Format::Doc, bytes);
}

pub(crate) fn pdf(bytes: &[u8]) {
    single(Format::Pdf, bytes);
}

pub(crate) fn image(bytes: &[u8]) {
    single(Format::Image, bytes);
}

pub(crate) fn rtf(bytes: &[u8]) {
    single(Format::Rtf, bytes);
}

pub(crate) fn html(bytes: &[u8]) {
    single(Format::Html, bytes);
}

pub(crate) fn docx(flat: &[u8]) {
    single(Format::Docx, &pack(flat));
}

pub(crate) fn xlsx(flat: &[u8]) {
    single(Format::Xlsx, &pack(flat));
}

pub(crate) fn pptx(flat: &[u8]) {
    single(Format::Pptx, &pack(flat));
}

pub(crate) fn odt(flat: &[u8]) {
    single(Format::Odt, &pack(flat));
}

pub(crate) fn cda(bytes: &[u8]) {
    single(Format::Cda, bytes);
}

pub(crate) fn fhir(bytes: &[u8]) {
    single(Format::Fhir, bytes);
}

pub(crate) fn fhir_xml(bytes: &[u8]) {
    single(Format::FhirXml, bytes);
}

pub(crate) fn fhir_lines(bytes: &[u8]) {
    table(Format::FhirLines, bytes);
}

pub(crate) fn hl7_batch(bytes: &[u8]) {
    table(Format::Hl7Batch, bytes);
}

pub(crate) fn hl7(bytes: &[u8]) {
    single(Format::Hl7, bytes);
}

pub(crate) fn mail(bytes: &[u8]) {
    single(Format::Mail, bytes);
}

pub(crate) fn msg(bytes: &[u8]) {
    single(Format::Msg, bytes);
}

pub(crate) fn mbox(bytes: &[u8]) {
    table(Format::Mailbox, bytes);
}

pub(crate) fn csv(bytes: &[u8]) {
    table(Format::Csv { delimiter: b',' }, bytes);
}

pub(crate) fn jsonl(bytes: &[u8]) {
    table(Format::Jsonl, bytes);
}

pub(crate) fn parquet(bytes: &[u8]) {
    table(Format::Parquet, bytes);
}

/// A text that may be HTML, RTF or base64.
pub(crate) fn cell(bytes: &[u8]) {
    let sent = String::from_utf8_lossy(bytes);
    let open = |text: &str| {
        let mut document = Document::new("a", text);
        document.open_text().map(|()| document)
    };
    let document = match open(&sent) {
        Ok(document) => document,
        Err(why) => return check_refusal(&why.to_string()),
    };
    let (text, spans) = replaced(&document.text);
    let written = match document.written_text(&text, &spans) {
        Ok(written) => written,
        Err(error) => return check_refusal(&error.to_string()),
    };
    if document.form.is_plain() {
        assert!(written == text, "plain text was changed by writing");
        return;
    }
    if document.form.name() != "base64" {
        check_gone(&document.text, written.as_bytes());
    }
    if let Ok(back) = open(&written) {
        let left = NAMES.iter().any(|name| back.text.contains(name));
        assert!(misread(&document.text) || !left, "a name is read back");
    }
}

fn input(format: Format) -> InputFile {
    InputFile::new("input", "input", format)
}

/// A refusal says why, and not by quoting.
fn check_refusal(said: &str) {
    assert!(!said.contains("internal fault"), "a reader fell over: {said}");
    assert!(!NAMES.iter().any(|name| said.contains(name)), "a refusal quotes the document");
}

/// A program in place of tesseract that reads one name, over the whole page, unless the page is black.
const STAND_IN: &str = r"#!/bin/sh
ink=$(tr -d '\000' | wc -c)
printf 'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n'
[ $ink -gt 40 ] && printf '5\t1\t1\t1\t1\t1\t0\t0\t100000\t100000\t95\tLannemezan\n'
exit 0
";

static OCR: LazyLock<Ocr> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder").keep();
    let path = folder.join("ocr");
    fs::write(&path, STAND_IN).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script that runs");
    Ocr::at(path)
});

fn options() -> ReadOptions {
    ReadOptions { ocr: OCR.clone(), ..ReadOptions::default() }
}

fn read(format: Format, bytes: &[u8]) -> Vec<Document> {
    let mut documents = Vec::new();
    match read_bytes(&input(format), bytes.to_vec(), &options()) {
        Err(error) => check_refusal(&error.to_string()),
        Ok(reader) => {
            for item in reader.take(200) {
                match item {
                    Ok(document) => documents.push(document),
                    Err(refusal) => check_refusal(&refusal.to_string()),
                }
            }
        }
    }
    documents
}

fn check_fields(document: &Document) {
    let mut from = 0;
    for given in &document.given {
        let span = given.span.start()..given.span.end();
        assert!(span.start >= from && document.text.get(span.clone()).is_some(), "a field is out of place");
        from = span.end;
    }
}

/// The text with every known name replaced, and the spans of that.
fn replaced(text: &str) -> (String, Vec<OutSpan>) {
    let mut found: Vec<(usize, usize)> = NAMES
        .iter()
        .flat_map(|name| text.match_indices(name).map(|(at, was)| (at, at + was.len())))
        .collect();
    found.sort_unstable();
    let (mut out, mut spans, mut from) = (String::new(), Vec::new(), 0);
    for (start, end) in found {
        if start < from {
            continue;
        }
        out.push_str(&text[from..start]);
        let at = out.len();
        out.push_str(INSTEAD);
        from = end;
        spans.push(OutSpan {
            start: at,
            end: out.len(),
            original: start..end,
            took: 0,
            put: 0,
            label: "FamilyName".into(),
            role: None,
            score: 1.0,
            sources: Default::default(),
        });
    }
    out.push_str(&text[from..]);
    (out, spans)
}

/// Whether the bytes contain a name. Letters in the middle of base64 spell nothing, nor do digits of `\'cE` and `&#xC8E`.
fn contains(bytes: &[u8], name: &str) -> bool {
    const LONG: usize = 60;
    let coded = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let found = bytes.windows(name.len()).enumerate().filter(|(_, w)| *w == name.as_bytes());
    found.into_iter().any(|(at, _)| {
        let before = bytes[..at].iter().rev().take_while(coded).count();
        let after = bytes[at + name.len()..].iter().take_while(coded).count();
        let in_hex = bytes[..at].ends_with(b"\\'") || at > 0 && bytes[..at - 1].ends_with(b"\\'");
        let digits = bytes[..at].iter().rev().take(6).take_while(|b| b.is_ascii_hexdigit()).count();
        let in_reference = bytes[..at - digits].ends_with(b"&#x");
        !in_hex && !in_reference && (before.min(after) == 0 || before + name.len() + after < LONG)
    })
}

/// Text in one encoding read as another: bytes of a name that the text does not hold may be in the file, or be the name
/// again once what did not fit is gone.
fn misread(text: &str) -> bool {
    text.contains('Ã')
}

/// Names that were found in the text are in no part of the file.
fn check_gone(text: &str, written: &[u8]) {
    if misread(text) {
        return;
    }
    for name in NAMES.iter().filter(|name| text.contains(**name)) {
        for (part, bytes) in unpack(written) {
            assert!(!contains(&bytes, name) && !part.contains(name), "a replaced name is still in a part");
        }
    }
}

/// One document that fills its file.
fn single(format: Format, bytes: &[u8]) {
    let Some(document) = read(format, bytes).pop() else { return };
    check_fields(&document);
    // A reader with a time limit may refuse what it read before.
    if let Some(again) = read(format, bytes).pop() {
        assert!(again.text == document.text, "the same bytes were read otherwise");
    }
    let (text, spans) = replaced(&document.text);
    let written = match document.rewritten(&text, &spans) {
        None => panic!("a document that was read has no way back"),
        Some(Err(error)) => return check_refusal(&error.to_string()),
        Some(Ok(written)) => written,
    };
    let again = document.rewritten(&text, &spans).and_then(Result::ok);
    assert!(again.as_ref() == Some(&written), "the same document was written otherwise");
    check_gone(&document.text, &written);
    if format != Format::Doc {
        // A message of Outlook is written as mail.
        let read_back = read(if format == Format::Msg { Format::Mail } else { format }, &written);
        // Bytes that are hardly text may not pass for it once there is less text around them.
        let hardly_text = std::str::from_utf8(&written).is_err()
            || written.iter().any(|b| matches!(b, 0..=8 | 14..=31 | 127));
        if read_back.is_empty() && hardly_text {
            return;
        }
        assert!(read_back.len() == 1, "what was written cannot be read");
        let left = NAMES.iter().any(|name| read_back[0].text.contains(name));
        assert!(misread(&document.text) || !left, "a name is read back");
    }
}

thread_local! {
    static PLACE: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// A folder in memory where there is one: nothing here is worth a disk.
pub(crate) fn with_folder<T>(work: impl FnOnce(&Path) -> T) -> T {
    PLACE.with_borrow_mut(|place| {
        let memory = Path::new("/dev/shm");
        let make = || if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let folder = place.get_or_insert_with(|| make().expect("a folder for the outputs"));
        work(folder.path())
    })
}

/// Many documents in one file.
fn table(format: Format, bytes: &[u8]) {
    let written = with_folder(|folder| {
        let layout = match read_bytes(&input(format), bytes.to_vec(), &ReadOptions::default()) {
            Ok(reader) => reader.layout().clone(),
            Err(error) => {
                check_refusal(&error.to_string());
                return None;
            }
        };
        let documents = read(format, bytes);
        let again = read(format, bytes);
        let same = |(a, b): (&Document, &Document)| a.text == b.text && a.id == b.id;
        assert!(documents.len() == again.len() && documents.iter().zip(&again).all(same), "read otherwise");
        let stage = Stage::open(&folder.join("stage")).expect("a stage");
        let target = folder.join("written");
        let mut writer = Writer::create(&target, WriteOptions::default(), &layout, &stage).expect("a writer");
        let mut kept = Vec::new();
        for document in &documents {
            let (text, spans) = replaced(&document.text);
            let new = NewFields { id: "7", patient: Some("12"), visit: None, date: document.date };
            match writer.write(document, &text, &spans, &new) {
                Err(error) if error.kind() == ErrorKind::Refused => check_refusal(&error.to_string()),
                written => {
                    written.expect("a row that was read is written");
                    kept.push(document.form.is_plain().then_some(text));
                }
            }
        }
        writer.finish().expect("a table that was read is written");
        let written = std::fs::read(&target).expect("the table");
        Some((kept, written))
    });
    let Some((kept, written)) = written else { return };
    let back = read(format, &written);
    // Markup that was damaged may be another thing once it is mended.
    let plain = kept.iter().all(Option::is_some);
    assert!(!plain || back.len() == kept.len(), "rows were lost or made");
    for (was, is) in kept.iter().flatten().zip(&back).filter(|_| plain) {
        // Mail ends its lines in its own way, and layouts may add blanks.
        let shown = |c: &char| !c.is_whitespace() && !c.is_control();
        let same = match format {
            Format::Mailbox => is.text.chars().filter(shown).eq(was.chars().filter(shown)),
            // Values that are no code any more are left out.
            Format::FhirLines | Format::Hl7Batch => {
                misread(was) || !NAMES.iter().any(|name| is.text.contains(name))
            }
            _ => is.text == *was,
        };
        assert!(same, "a text was changed by writing");
    }
}
