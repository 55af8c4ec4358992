//! Streaming the documents of one file, one in memory at a time, and joining what is known of each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;
use taire_text::{KnownIdentity, Note, PatientId};

use crate::Reason;
use crate::batch::Messages;
use crate::decode::{BOM, decode};
use crate::document::Spot;
use crate::error::reason;
use crate::jsonl::{self, Keys};
use crate::lines::{Line, read_line};
use crate::mailbox::Mailbox;
use crate::packed::{Packing, gunzip};
use crate::parquet::{self, Step, Table};
use crate::table::{Columns, Record, Records, Style};
use crate::{
    Document, Encoding, Error, Format, Identities, InputFile, LIMIT, Ocr, Place, Position, ReadOptions,
    Refusal, brat, encoded, envelope, identity, office,
};

/// What a writer in kind must know of the file that was read.
#[derive(Clone, Debug)]
pub struct Layout {
    pub(crate) format: Format,
    pub(crate) title: String,
    pub(crate) keys: Option<Arc<Keys>>,
    pub(crate) columns: Option<Arc<Columns>>,
    pub(crate) table: Option<Arc<Table>>,
    /// A JSON file that holds a list.
    pub(crate) list: bool,
    pub(crate) private: bool,
}

impl Layout {
    /// The layout of a file before it is read: enough for annotations.
    pub fn new(file: &InputFile) -> Self {
        Layout {
            format: file.format,
            title: file.stem(),
            keys: None,
            columns: None,
            table: None,
            list: false,
            private: false,
        }
    }

    /// What is written will hold names: only its owner may read it.
    pub fn private(self) -> Layout {
        Layout { private: true, ..self }
    }

    /// The name that what is written gives itself.
    pub fn titled(self, title: &str) -> Layout {
        Layout { title: title.to_owned(), ..self }
    }

    /// Several documents share the file.
    pub(crate) fn is_many(&self) -> bool {
        !self.format.is_single()
    }
}

/// What was seen while reading, for the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSummary {
    pub documents: u64,
    pub refused: u64,
    /// Columns or keys left out of the output.
    pub dropped: BTreeSet<String>,
    /// Dates beside documents that could not be read; they are written empty.
    pub unread_dates: u64,
    /// Documents whose patient id had blanks around it, which do not count.
    pub trimmed_patients: u64,
    /// Documents by how their bytes were read.
    pub encodings: BTreeMap<Encoding, u64>,
}

/// Opens a file. An error here concerns the whole file: it cannot be read, or lacks the text column.
pub fn open(file: &InputFile, options: &ReadOptions) -> Result<Reader, Error> {
    if let Some(head) = &file.head {
        let source = Cursor::new(head.0.clone()).chain(io::stdin());
        return read_from(file, Box::new(source), options);
    }
    let failed =
        |e: io::Error| crate::error::input_error(&file.path, format!("cannot read it: {}", reason(&e)));
    match (&file.packing, file.format) {
        (Packing::Plain, Format::Parquet) => {
            let source = File::open(&file.path).map_err(failed)?;
            open_table(file, parquet::Source::File(source), options)
        }
        (Packing::Plain, _) => read_from(file, Box::new(File::open(&file.path).map_err(failed)?), options),
        (Packing::Gzip, _) => {
            let source = File::open(&file.path).and_then(gunzip).map_err(failed)?;
            read_from(file, Box::new(source), options)
        }
        (packing, format) => {
            let bytes = packing.bytes(u64::MAX).map_err(failed)?;
            match format {
                Format::Parquet => open_table(file, parquet::Source::Memory(bytes.into()), options),
                _ => read_from(file, Box::new(Cursor::new(bytes)), options),
            }
        }
    }
}

/// Opens a Parquet table, which is not read as a stream.
fn open_table(file: &InputFile, source: parquet::Source, options: &ReadOptions) -> Result<Reader, Error> {
    let rows =
        parquet::Rows::open(source, options).map_err(|why| crate::error::usage_error(&file.path, why))?;
    let mut summary = ReadSummary::default();
    rows.columns().note_dropped(&mut summary.dropped);
    Ok(Reader {
        file: file.clone(),
        stem: file.stem(),
        patients: options.patients.clone(),
        layout: Layout { table: Some(rows.table().clone()), ..Layout::new(file) },
        state: State::Table(Box::new(rows)),
        summary,
    })
}

/// Reads documents from bytes in memory, named and understood as `file` says.
pub fn read_bytes(file: &InputFile, bytes: Vec<u8>, options: &ReadOptions) -> Result<Reader, Error> {
    match file.format {
        Format::Parquet => open_table(file, parquet::Source::Memory(bytes.into()), options),
        _ => read_from(file, Box::new(Cursor::new(bytes)), options),
    }
}

/// Reads documents from any stream, named and understood as `file` says.
pub fn read_from(
    file: &InputFile,
    source: Box<dyn Read + Send>,
    options: &ReadOptions,
) -> Result<Reader, Error> {
    let mut input: Box<dyn BufRead + Send> = Box::new(BufReader::with_capacity(1 << 17, source));
    let mut layout = Layout::new(file);
    let mut dropped = BTreeSet::new();
    let state = match file.format {
        Format::Docx
        | Format::Xlsx
        | Format::Pptx
        | Format::Odt
        | Format::Html
        | Format::Rtf
        | Format::Doc
        | Format::Pdf
        | Format::Image => State::Office { input: Some(input), ocr: options.ocr.clone() },
        Format::Cda | Format::Fhir | Format::FhirXml | Format::Hl7 | Format::Mail | Format::Msg => {
            State::Envelope { input: Some(input) }
        }
        Format::FhirLines => State::Resources { input, buffer: Vec::new(), line: 0 },
        Format::Hl7Batch => State::Messages(Messages::new(input)),
        Format::Mailbox => State::Mails(Mailbox::new(input)),
        Format::Text | Format::Brat => State::Text { input: Some(input), gold: options.gold },
        Format::Jsonl => {
            let keys = Arc::new(Keys::new(options)?);
            layout.keys = Some(keys.clone());
            State::Lines { input, buffer: Vec::new(), line: 0, keys }
        }
        Format::Json => {
            let keys = Arc::new(Keys::new(options)?);
            let items = json_items(&file.path, input)?;
            layout.keys = Some(keys.clone());
            layout.list = items.1;
            State::Items { items: items.0.into_iter(), item: 0, keys }
        }
        Format::Csv { delimiter } => {
            let style = Style::sniff(input.fill_buf().unwrap_or_default());
            let mut records = Box::new(Records::new(input, delimiter));
            let names = header(&file.path, &mut records)?;
            let columns = Columns::new(names, delimiter, style, options)
                .map_err(|why| crate::error::usage_error(&file.path, why))?;
            columns.note_dropped(&mut dropped);
            let columns = Arc::new(columns);
            layout.columns = Some(columns.clone());
            State::Rows { records, row: 0, columns }
        }
        Format::Parquet => {
            return Err(crate::error::input_error(
                &file.path,
                "a Parquet file cannot be read from a stream; give the file",
            ));
        }
    };
    Ok(Reader {
        file: file.clone(),
        stem: file.stem(),
        patients: options.patients.clone(),
        layout,
        state,
        summary: ReadSummary { dropped, ..Default::default() },
    })
}

fn header(path: &Path, records: &mut Records) -> Result<Vec<String>, Error> {
    match records.next() {
        Err(e) => Err(crate::error::input_error(path, format!("cannot read it: {}", reason(&e)))),
        Ok(Record::TooLong) => {
            Err(crate::error::input_error(path, "its header is too long; a quote may be open"))
        }
        Ok(Record::End) => Err(crate::error::input_error(path, "it is empty; a table needs a header")),
        Ok(Record::Whole) => {
            let (mut names, _) = records.decoded().map_err(|why| crate::error::input_error(path, why))?;
            if let Some(first) = names.first_mut().filter(|n| n.starts_with('\u{FEFF}')) {
                *first = first.trim_start_matches('\u{FEFF}').trim_matches('"').to_owned();
            }
            Ok(names)
        }
    }
}

/// The objects of a JSON file, and whether they stood in a list.
fn json_items(path: &Path, input: Box<dyn BufRead + Send>) -> Result<(Vec<Box<RawValue>>, bool), Error> {
    let bytes = read_whole(input)
        .map_err(|e| crate::error::input_error(path, format!("cannot read it: {}", reason(&e))))?;
    let Some(bytes) = bytes else {
        let why = format!("this JSON file is over {} MB; write one object per line (.jsonl)", LIMIT >> 20);
        return Err(crate::error::input_error(path, why));
    };
    let bytes = bytes.strip_prefix(BOM).unwrap_or(&bytes);
    let bad = |e: serde_json::Error| {
        crate::error::input_error(path, "this is not valid JSON in UTF-8").at(Position::Line(e.line() as u64))
    };
    match bytes.trim_ascii_start().first() {
        Some(b'[') => Ok((serde_json::from_slice(bytes).map_err(bad)?, true)),
        _ => Ok((vec![serde_json::from_slice(bytes).map_err(bad)?], false)),
    }
}

/// All bytes of a stream, or `None` beyond the limit.
fn read_whole(input: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    input.take(LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= LIMIT).then_some(bytes))
}

enum State {
    Office { input: Option<Box<dyn BufRead + Send>>, ocr: Ocr },
    Envelope { input: Option<Box<dyn BufRead + Send>> },
    Text { input: Option<Box<dyn BufRead + Send>>, gold: bool },
    Lines { input: Box<dyn BufRead + Send>, buffer: Vec<u8>, line: u64, keys: Arc<Keys> },
    Items { items: std::vec::IntoIter<Box<RawValue>>, item: u64, keys: Arc<Keys> },
    Mails(Mailbox),
    Messages(Messages),
    Resources { input: Box<dyn BufRead + Send>, buffer: Vec<u8>, line: u64 },
    Rows { records: Box<Records>, row: u64, columns: Arc<Columns> },
    Table(Box<parquet::Rows>),
    Done,
}

/// The documents of one file. A bad line or row is an `Err` item, and reading goes on.
pub struct Reader {
    file: InputFile,
    stem: String,
    patients: Option<Arc<Identities>>,
    layout: Layout,
    state: State,
    summary: ReadSummary,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("file", &self.file.path).finish_non_exhaustive()
    }
}

type Item = Result<(Document, Option<KnownIdentity>), Refusal>;

impl Reader {
    /// For the writer.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Whether a document that follows can belong to a patient.
    pub fn may_have_patient(&self) -> bool {
        let columns = match &self.state {
            State::Rows { columns, .. } => columns,
            State::Table(rows) => rows.columns(),
            _ => return self.file.may_have_patient(),
        };
        columns.name_patients() || !self.file.sidecars.is_empty()
    }

    /// What was seen so far; whole once the iterator has ended.
    pub fn summary(&self) -> &ReadSummary {
        &self.summary
    }

    fn step(&mut self) -> Option<Item> {
        let path = &self.file.path;
        match &mut self.state {
            State::Done => None,
            State::Office { input, ocr } => {
                let (input, ocr) = (input.take(), ocr.clone());
                self.state = State::Done;
                Some(read_office(&self.file, &self.stem, input?, &ocr).map(|document| (document, None)))
            }
            State::Envelope { input } => {
                let input = input.take();
                self.state = State::Done;
                Some(read_envelope(&self.file, &self.stem, input?))
            }
            State::Text { input, gold } => {
                let (input, gold) = (input.take(), *gold);
                self.state = State::Done;
                Some(read_text(&self.file, &self.stem, input?, gold).map(|document| (document, None)))
            }
            State::Lines { input, buffer, line, keys } => loop {
                *line += 1;
                let at = Some(Position::Line(*line));
                let bytes = match read_line(input, buffer, LIMIT) {
                    Ok(Line::End) => return None,
                    Ok(Line::TooLong(n)) => return Some(Err(Refusal::new(path, at, too_long(n)))),
                    Ok(Line::Whole) => buffer.strip_prefix(BOM).filter(|_| *line == 1).unwrap_or(buffer),
                    Err(e) => {
                        let refusal = Refusal::stopped(path, at, &e);
                        self.state = State::Done;
                        return Some(Err(refusal));
                    }
                };
                let unasked = self.file.sidecars.is_empty() && keys.passes_over(bytes);
                if unasked || bytes.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                let Ok(json) = simdutf8::basic::from_utf8(bytes) else {
                    let why = "this line is not UTF-8; convert the file to UTF-8";
                    return Some(Err(Refusal::new(path, at, why)));
                };
                let id = || format!("{}:{line}", self.stem);
                return Some(
                    object(json, keys, &mut self.summary, id).map_err(|w| Refusal::new(path, at, w)),
                );
            },
            State::Mails(mailbox) => {
                let mail = mailbox.next()?;
                let at = Some(Position::Item(mailbox.count()));
                let id = format!("{}:{}", self.stem, mailbox.count());
                match mail {
                    Ok(bytes) => Some(
                        envelope_document(Format::Mail, &id, &bytes).map_err(|w| Refusal::new(path, at, w)),
                    ),
                    Err(why) => Some(Err(Refusal::new(path, at, why))),
                }
            }
            State::Messages(messages) => {
                let message = messages.next()?;
                let at = Some(Position::Item(messages.count()));
                let id = format!("{}:{}", self.stem, messages.count());
                let document = message.and_then(|bytes| envelope_document(Format::Hl7, &id, &bytes));
                Some(document.map_err(|why| Refusal::new(path, at, why)))
            }
            State::Resources { input, buffer, line } => loop {
                *line += 1;
                let at = Some(Position::Line(*line));
                match read_line(input, buffer, LIMIT) {
                    Ok(Line::End) => return None,
                    Ok(Line::TooLong(n)) => return Some(Err(Refusal::new(path, at, too_long(n)))),
                    Ok(Line::Whole) => {}
                    Err(e) => {
                        let refusal = Refusal::stopped(path, at, &e);
                        self.state = State::Done;
                        return Some(Err(refusal));
                    }
                }
                if buffer.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                let id = format!("{}:{line}", self.stem);
                let document = envelope_document(Format::FhirLines, &id, buffer);
                return Some(document.map_err(|why| Refusal::new(path, at, why)));
            },
            State::Items { items, item, keys } => {
                let json = items.next()?;
                *item += 1;
                let at = Some(Position::Item(*item));
                let single = !self.layout.list;
                let id = || if single { self.stem.clone() } else { format!("{}:{item}", self.stem) };
                Some(object(json.get(), keys, &mut self.summary, id).map_err(|w| Refusal::new(path, at, w)))
            }
            State::Table(rows) => {
                let step = rows.next(&self.stem);
                let at = Some(Position::Row(rows.row));
                match step {
                    Step::End => None,
                    Step::Broken(why) => {
                        let after = Some(Position::Row(rows.row + 1));
                        let why = format!("{why}; what follows was not read");
                        self.state = State::Done;
                        Some(Err(Refusal { rest_lost: true, ..Refusal::new(path, after, why) }))
                    }
                    Step::Row(Err(why)) => Some(Err(Refusal::new(path, at, why))),
                    Step::Row(Ok(read)) => {
                        self.summary.unread_dates += u64::from(read.unread_date);
                        self.summary.trimmed_patients += u64::from(read.trimmed_patient);
                        Some(Ok((read.document, read.known)))
                    }
                }
            }
            State::Rows { records, row, columns } => {
                let record = records.next();
                let lines = &*records;
                let at = || Some(Position::Line(lines.lines().0));
                let refuse = |why: Reason| Some(Err(Refusal::new(path, at(), why)));
                match record {
                    Ok(Record::End) => return None,
                    Ok(Record::TooLong) => {
                        let why = format!(
                            "this row, up to line {}, is over {} MB; a quote may be open",
                            records.lines().1,
                            LIMIT >> 20
                        );
                        return refuse(why.into());
                    }
                    Ok(Record::Whole) => {}
                    Err(e) => {
                        let refusal = Refusal::stopped(path, at(), &e);
                        self.state = State::Done;
                        return Some(Err(refusal));
                    }
                }
                *row += 1;
                if records.len() != columns.len() {
                    let why = format!(
                        "this row, up to line {}, has {} fields; the header has {}: check quotes and delimiters",
                        records.lines().1,
                        records.len(),
                        columns.len()
                    );
                    return refuse(why.into());
                }
                let (cells, encoding) = match records.decoded() {
                    Ok(decoded) => decoded,
                    Err(why) => return refuse(why.into()),
                };
                match columns.document(cells, encoding, || format!("{}:{row}", self.stem)) {
                    Ok(read) => {
                        self.summary.unread_dates += u64::from(read.unread_date);
                        self.summary.trimmed_patients += u64::from(read.trimmed_patient);
                        Some(Ok((read.document, read.known)))
                    }
                    Err(why) => refuse(why),
                }
            }
        }
    }

    /// Joins what the document, the identity files and `--patients` know.
    fn join(&self, document: &mut Document, own: Option<KnownIdentity>) -> Result<(), Error> {
        let mut known = own.filter(|k| !k.is_empty()).map(Arc::new);
        if let Some(of_text) = document.known.take() {
            known = Some(known.map_or_else(|| of_text.clone(), |k| Arc::new(identity::merge(&k, &of_text))));
        }
        let mut patient = document.patient.clone().or_else(|| known.as_ref()?.patient.clone());
        let mut add = |more: &Arc<KnownIdentity>, patient: &mut Option<PatientId>| {
            known = Some(match &known {
                None => more.clone(),
                Some(first) => Arc::new(identity::merge(first, more)),
            });
            if patient.is_none() {
                patient.clone_from(&more.patient);
            }
        };
        for sidecar in &self.file.sidecars {
            if let Some(more) = sidecar.of(&self.file.path, &document.id, patient.as_deref())? {
                add(&more, &mut patient);
            }
        }
        let listed = self.patients.as_ref().zip(patient.clone());
        if let Some(more) = listed.map(|(table, patient)| table.get(&patient)).transpose()?.flatten() {
            add(&more, &mut patient);
        }
        document.known = known;
        document.patient = patient;
        Ok(())
    }
}

impl Iterator for Reader {
    type Item = Result<Document, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.step()?.and_then(|(document, known)| {
            if document.text.len() <= Note::MAX_BYTES {
                return Ok((document, known));
            }
            let why = too_long(document.text.len() as u64);
            Err(Refusal::new(&self.file.path, None, why))
        });
        let item = item.and_then(|(mut document, known)| match self.join(&mut document, known) {
            Ok(()) => Ok(document),
            Err(error) => {
                let why = error.reason().clone().prefixed("a file of known identities cannot be used: ");
                Err(Refusal::new(&self.file.path, None, why))
            }
        });
        Some(match item {
            Ok(document) => {
                self.summary.documents += 1;
                *self.summary.encodings.entry(document.encoding).or_default() += 1;
                Ok(document)
            }
            Err(refusal) => {
                self.summary.refused += 1;
                Err(refusal)
            }
        })
    }
}

pub(crate) fn too_long(bytes: u64) -> String {
    format!(
        "this document holds {:.1} MB; the limit is {} MB: split it into its letters",
        (bytes as f64 / 104857.6).ceil() / 10.0,
        Note::MAX_BYTES >> 20
    )
}

fn object(
    json: &str,
    keys: &Keys,
    summary: &mut ReadSummary,
    id: impl FnOnce() -> String,
) -> Result<(Document, Option<KnownIdentity>), Reason> {
    let mut parsed = jsonl::parse(json, keys, &mut summary.dropped)?;
    summary.unread_dates += u64::from(parsed.unread_date);
    summary.trimmed_patients += u64::from(parsed.trimmed_patient);
    let known = parsed.known.take();
    let mut document = parsed.into_document(id);
    // Annotations count in the text as it stands.
    if document.gold.is_empty() {
        document.open_text()?;
    }
    Ok((document, known))
}

/// A document of a word processor: its text, and the way back into its file.
fn read_office(file: &InputFile, stem: &str, input: impl Read, ocr: &Ocr) -> Result<Document, Refusal> {
    let refuse = |why: Reason| Refusal::new(&file.path, None, why);
    let bytes = read_whole(input).map_err(|e| refuse(format!("cannot read it: {}", reason(&e)).into()))?;
    let bytes = bytes
        .ok_or_else(|| refuse(format!("it is over {} MB; split it into its letters", LIMIT >> 20).into()))?;
    let mut opened = office::open(file.format, &bytes, ocr).map_err(refuse)?;
    encoded::check(&opened.text).map_err(refuse)?;
    let mut document = Document::of_file(stem, opened.text);
    document.left_out = opened.left_out;
    document.pages = opened.pages;
    document.given = opened.back.take_given();
    document.place = Place(Spot::Markup(Box::new(opened.back)));
    Ok(document)
}

/// An envelope: its header and its letter as one text, with what the header knows.
fn read_envelope(file: &InputFile, stem: &str, input: impl Read) -> Item {
    let refuse = |why: Reason| Refusal::new(&file.path, None, why);
    let bytes = read_whole(input).map_err(|e| refuse(format!("cannot read it: {}", reason(&e)).into()))?;
    let bytes = bytes
        .ok_or_else(|| refuse(format!("it is over {} MB; split it into its letters", LIMIT >> 20).into()))?;
    envelope_document(file.format, stem, &bytes).map_err(refuse)
}

fn envelope_document(
    format: Format,
    id: &str,
    bytes: &[u8],
) -> Result<(Document, Option<KnownIdentity>), Reason> {
    let opened = envelope::open(format, bytes)?;
    let mut document = Document::of_file(id, opened.text);
    document.left_out = opened.left_out;
    document.given = opened.read.given;
    document.language = opened.read.language;
    document.date = opened.read.date;
    document.place = Place(Spot::Envelope(Box::new(opened.way)));
    Ok((document, Some(opened.read.known)))
}

fn read_text(
    file: &InputFile,
    stem: &str,
    input: Box<dyn BufRead + Send>,
    gold: bool,
) -> Result<Document, Refusal> {
    let refuse = |path: &PathBuf, line, why: String| Refusal::new(path, line, why);
    let read = |path: &PathBuf, input: Box<dyn Read + Send>| match read_whole(input) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(refuse(
            path,
            None,
            format!("it is over {} MB; split it into its letters", Note::MAX_BYTES >> 20),
        )),
        Err(e) => Err(refuse(path, None, format!("cannot read it: {}", reason(&e)))),
    };
    let bytes = read(&file.path, Box::new(input))?;
    let decoded = decode(&bytes).map_err(|why| refuse(&file.path, None, why.into()))?;
    let mut document = Document::of_file(stem, decoded.text.into_owned());
    document.encoding = decoded.encoding;
    if file.format == Format::Text {
        document.open_text().map_err(|why| Refusal::new(&file.path, None, why))?;
    }
    if let Some(path) = file.ann.as_ref().filter(|_| gold) {
        let ann =
            File::open(path).map_err(|e| refuse(path, None, format!("cannot read it: {}", reason(&e))))?;
        let ann = read(path, Box::new(ann))?;
        let ann = decode(&ann).map_err(|why| refuse(path, None, why.into()))?;
        document.gold = brat::parse(&ann.text, &document.text)
            .map_err(|(line, why)| refuse(path, Some(Position::Line(line)), why.into()))?;
    }
    Ok(document)
}
