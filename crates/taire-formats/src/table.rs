//! CSV and TSV: a header, then one document per row.

use std::collections::BTreeSet;
use std::io::{self, BufRead};

use taire_text::{KnownIdentity, Language, PatientId};

use crate::date::{self, DateShape};
use crate::decode::{BOM, Encoding, decode_field};
use crate::document::{Spot, is_trimmed};
use crate::identity::{Builder, FlatKey, looks_like_key};
use crate::{Document, LIMIT, NewFields, Place, ReadOptions};
use crate::{Reason, Setting};

const TEXT_NAMES: &[&str] =
    &["text", "note_text", "texte", "texto", "contenu", "contenido", "note", "document_text"];
const ID_NAMES: &[&str] = &["id", "note_id", "doc_id", "document_id", "id_document", "id_documento"];
const PATIENT_NAMES: &[&str] =
    &["patient", "patient_id", "person_id", "id_patient", "paciente", "ipp", "nhc"];
const DATE_NAMES: &[&str] = &["date", "note_date", "date_document", "document_date", "fecha"];
const VISIT_NAMES: &[&str] = &[
    "visit",
    "visit_id",
    "visit_occurrence_id",
    "encounter_id",
    "id_sejour",
    "sejour",
    "nda",
    "iep",
    "episodio",
    "id_episodio",
];
const LANGUAGE_NAMES: &[&str] = &["lang", "language", "langue", "idioma"];

/// Whether a header looks like one of a table of documents, for files whose name does not say it.
pub(crate) fn is_document_header(names: &[&str]) -> bool {
    let has = |list: &[&str]| names.iter().any(|n| list.contains(&n.trim().to_lowercase().as_str()));
    names.len() > 1 && has(TEXT_NAMES) && (has(ID_NAMES) || has(PATIENT_NAMES) || has(DATE_NAMES))
}

/// The columns for a message. A table without a header has data in their place: shown are the names that are known, and
/// others in small letters if every column is named like that.
fn listed(names: &[String], lower: &[String]) -> String {
    let lists = [TEXT_NAMES, ID_NAMES, PATIENT_NAMES, VISIT_NAMES, DATE_NAMES, LANGUAGE_NAMES];
    let usual =
        |n: &str| lists.iter().any(|l| l.contains(&n)) || looks_like_key(n) && FlatKey::parse(n).is_some();
    let header = names.len() > 1 && names.iter().zip(lower).all(|(n, low)| looks_like_key(n) || usual(low));
    let shown: Vec<_> = names
        .iter()
        .zip(lower)
        .filter(|(_, low)| header || usual(low))
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    match (shown.len(), names.len() - shown.len()) {
        (0, others) => format!("{others}, without the looks of a header, so they are not shown"),
        (_, 0) => shown.join(", "),
        (_, others) => format!("{}, and {others} with other names", shown.join(", ")),
    }
}

/// Bounded reading of records: memory stays under the limit whatever a quote left open swallows.
pub(crate) struct Records {
    input: Box<dyn BufRead + Send>,
    core: csv_core::Reader,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    fields: usize,
    used: usize,
    /// The line the last record ends on.
    last_line: u64,
    /// The line a record that was not kept starts on.
    lost_line: Option<u64>,
    last_byte: u8,
}

pub(crate) enum Record {
    Whole,
    TooLong,
    End,
}

impl Records {
    pub(crate) fn new(input: Box<dyn BufRead + Send>, delimiter: u8) -> Self {
        let core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        Records {
            input,
            core,
            bytes: vec![0; 1 << 14],
            ends: vec![0; 64],
            fields: 0,
            used: 0,
            last_line: 1,
            lost_line: None,
            last_byte: 0,
        }
    }

    pub(crate) fn next(&mut self) -> io::Result<Record> {
        const MOST_FIELDS: usize = 1 << 16;
        let (mut used, mut fields, mut too_long) = (0, 0, false);
        let first = self.core.line() + u64::from(self.last_byte == b'\r');
        if self.bytes.len() > 4 << 20 {
            self.bytes = vec![0; 1 << 14];
        }
        loop {
            let input = match self.input.fill_buf() {
                Ok(input) => input,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            let (result, read, wrote, ended) =
                self.core.read_record(input, &mut self.bytes[used..], &mut self.ends[fields..]);
            if read > 0 {
                self.last_byte = input[read - 1];
            }
            self.input.consume(read);
            used += wrote;
            fields += ended;
            match result {
                csv_core::ReadRecordResult::InputEmpty => {}
                csv_core::ReadRecordResult::OutputFull => {
                    too_long |= self.bytes.len() >= LIMIT;
                    if too_long { used = 0 } else { self.bytes.resize((self.bytes.len() * 2).min(LIMIT), 0) }
                }
                csv_core::ReadRecordResult::OutputEndsFull => {
                    too_long |= self.ends.len() >= MOST_FIELDS;
                    if too_long { fields = 0 } else { self.ends.resize(self.ends.len() * 2, 0) }
                }
                csv_core::ReadRecordResult::Record => {
                    self.fields = fields;
                    self.used = used;
                    self.lost_line = too_long.then_some(first);
                    self.last_line =
                        self.core.line() - u64::from(self.last_byte == b'\n' && self.core.line() > 1);
                    return Ok(if too_long { Record::TooLong } else { Record::Whole });
                }
                csv_core::ReadRecordResult::End => return Ok(Record::End),
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.fields
    }

    /// The lines the last record starts and ends on.
    pub(crate) fn lines(&self) -> (u64, u64) {
        let inside = memchr::memchr_iter(b'\n', &self.bytes[..self.used]).count() as u64;
        let first = self.lost_line.unwrap_or(self.last_line.saturating_sub(inside).max(1));
        (first, self.last_line)
    }

    pub(crate) fn field(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// All fields decoded the same way: one stray byte makes the record, not the cell, Windows-1252.
    pub(crate) fn decoded(&self) -> Result<(Vec<String>, Encoding), &'static str> {
        let (text, encoding) =
            decode_field(&self.bytes[..self.fields.checked_sub(1).map_or(0, |i| self.ends[i])])?;
        if encoding == Encoding::Utf8 {
            let cell = |i| {
                Ok(std::str::from_utf8(self.field(i))
                    .map_err(|_| "a field ends inside a character")?
                    .to_owned())
            };
            return Ok(((0..self.fields).map(cell).collect::<Result<_, &'static str>>()?, encoding));
        }
        drop(text);
        let mut cells = Vec::with_capacity(self.fields);
        for i in 0..self.fields {
            let field = self.field(i);
            cells.push(match encoding {
                Encoding::Windows1252 => {
                    encoding_rs::WINDOWS_1252.decode_without_bom_handling(field).0.into_owned()
                }
                _ => decode_field(field)?.0.into_owned(),
            });
        }
        Ok((cells, encoding))
    }
}

/// What a column is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Text,
    Id,
    Patient,
    Visit,
    Date,
    Language,
    Known(FlatKey),
    Kept,
    Dropped,
}

/// The columns of a table and what each is for.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    names: Vec<String>,
    roles: Vec<Role>,
    delimiter: u8,
    /// Every field is quoted.
    quoted: bool,
    crlf: bool,
}

/// How a table writes its lines, seen in its first bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Style {
    pub(crate) quoted: bool,
    pub(crate) crlf: bool,
}

impl Style {
    pub(crate) fn sniff(head: &[u8]) -> Self {
        let head = head.strip_prefix(BOM).unwrap_or(head);
        let line = memchr::memchr(b'\n', head);
        Style {
            quoted: head.first() == Some(&b'"'),
            crlf: line.is_some_and(|i| i > 0 && head[i - 1] == b'\r'),
        }
    }
}

impl Columns {
    /// Gives each column its role.
    pub(crate) fn new(
        names: Vec<String>,
        delimiter: u8,
        style: Style,
        options: &ReadOptions,
    ) -> Result<Self, Reason> {
        let lower: Vec<String> = names.iter().map(|n| n.trim().to_lowercase()).collect();
        let listed = || listed(&names, &lower);
        let mut roles = vec![Role::Dropped; names.len()];
        let mut pick = |given: &Option<String>, usual: &[&str], role: Role, setting: Setting| {
            let found = match given {
                Some(given) => {
                    let exact = names.iter().position(|n| n.trim() == given.trim());
                    let found =
                        exact.or_else(|| lower.iter().position(|n| *n == given.trim().to_lowercase()));
                    if found.is_none() {
                        let why = format!(": no column `{given}`; columns found: {}", listed());
                        return Err(Reason::naming("", setting, &why));
                    }
                    found
                }
                None => usual.iter().find_map(|u| lower.iter().position(|n| n == u)),
            };
            match found {
                Some(i) if roles[i] == Role::Dropped => roles[i] = role,
                Some(i) if given.is_some() => {
                    let why = format!(": column `{}` already has another use", names[i]);
                    return Err(Reason::naming("", setting, &why));
                }
                _ => {}
            }
            Ok(found)
        };
        if pick(&options.text_column, TEXT_NAMES, Role::Text, Setting::TextColumn)?.is_none() {
            let found = format!("no text column; columns found: {}; name it with ", listed());
            return Err(Reason::naming(found, Setting::TextColumn, ""));
        }
        pick(&options.id_column, ID_NAMES, Role::Id, Setting::IdColumn)?;
        pick(&options.patient_column, PATIENT_NAMES, Role::Patient, Setting::PatientColumn)?;
        pick(&options.date_column, DATE_NAMES, Role::Date, Setting::DateColumn)?;
        let passed = |name: &&&str| options.keep_columns.iter().any(|k| k.trim().to_lowercase() == **name);
        let visits: Vec<&str> = VISIT_NAMES.iter().filter(|name| !passed(name)).copied().collect();
        pick(&options.visit_column, &visits, Role::Visit, Setting::VisitColumn)?;
        let language = LANGUAGE_NAMES.iter().find_map(|u| lower.iter().position(|n| n == u));
        if let Some(i) = language.filter(|&i| roles[i] == Role::Dropped) {
            roles[i] = Role::Language;
        }
        for (i, name) in names.iter().enumerate() {
            if roles[i] != Role::Dropped {
                continue;
            }
            let kept = options.keep_columns.iter().any(|k| k.trim() == name.trim());
            let prefixed = name.trim().strip_prefix("known.");
            match (FlatKey::parse(prefixed.unwrap_or(name.trim())), kept) {
                (Some(key), true) if !key.is_sex() => {
                    return Err(format!("column `{name}` is a known identity and cannot be kept").into());
                }
                (_, true) => roles[i] = Role::Kept,
                (Some(key), false) => roles[i] = Role::Known(key),
                (None, false) if prefixed.is_some() => {
                    return Err(format!(
                        "column {} begins with `known.` and goes on with what is no key of an identity; rename it",
                        i + 1
                    ).into());
                }
                (None, false) => {}
            }
        }
        Ok(Columns { names, roles, delimiter, quoted: style.quoted, crlf: style.crlf })
    }

    /// Columns that are not written, for the report.
    pub(crate) fn note_dropped(&self, dropped: &mut BTreeSet<String>) {
        for (name, role) in self.names.iter().zip(&self.roles) {
            if *role == Role::Dropped {
                crate::jsonl::note_dropped(dropped, name);
            }
        }
    }

    /// Whether one of them holds patient ids.
    pub(crate) fn name_patients(&self) -> bool {
        self.roles.iter().any(|role| matches!(role, Role::Patient | Role::Known(FlatKey::Patient)))
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// Makes the document of one row.
    pub(crate) fn document(
        &self,
        cells: Vec<String>,
        encoding: Encoding,
        id: impl FnOnce() -> String,
    ) -> Result<Read, Reason> {
        let mut document = Document::new("", "");
        document.encoding = encoding;
        let mut builder: Option<Builder> = None;
        let (mut shape, mut kept) = (DateShape::Iso, Vec::new());
        let (mut unread_date, mut trimmed_patient) = (false, false);
        for ((cell, role), name) in cells.into_iter().zip(&self.roles).zip(&self.names) {
            let filled = !cell.trim().is_empty();
            match role {
                Role::Text => document.text = cell,
                Role::Id => document.id = cell,
                Role::Patient => {
                    document.patient = PatientId::parse(&cell);
                    trimmed_patient = is_trimmed(document.patient.as_ref(), Some(&cell));
                }
                Role::Visit => document.visit = Some(cell).filter(|c| !c.is_empty()),
                Role::Date => {
                    let found = date::parse(&cell);
                    unread_date = found.is_none() && filled;
                    (document.date, shape) = found.map_or((None, shape), |(d, s)| (Some(d), s));
                }
                Role::Language => document.language = cell.trim().to_lowercase().parse().ok(),
                Role::Known(key) if filled => builder
                    .get_or_insert_default()
                    .cell(key, &cell)
                    .map_err(|why| format!("column `{name}` {why}"))?,
                Role::Kept => kept.push(cell),
                Role::Known(_) | Role::Dropped => {}
            }
        }
        if document.id.is_empty() {
            document.id = id();
            document.named_by_place = true;
        }
        document.open_text()?;
        document.place = Place(Spot::Row { date: shape, kept });
        Ok(Read { document, known: builder.map(Builder::build), unread_date, trimmed_patient })
    }

    pub(crate) fn push_header(&self, out: &mut Vec<u8>) {
        let names = self.names.iter().zip(&self.roles).filter(|(_, role)| self.is_written(role));
        self.push_row(out, names.map(|(name, _)| name.as_str()));
    }

    fn is_written(&self, role: &Role) -> bool {
        !matches!(role, Role::Known(_) | Role::Dropped)
    }

    pub(crate) fn push_document(
        &self,
        out: &mut Vec<u8>,
        document: &Document,
        text: &str,
        new: &NewFields<'_>,
    ) {
        let (shape, kept) = match &document.place.0 {
            Spot::Row { date, kept } => (*date, kept.as_slice()),
            _ => (DateShape::Iso, &[][..]),
        };
        let date = new.date.map(|d| date::print(d, shape)).unwrap_or_default();
        let mut kept = kept.iter();
        let cells = self.roles.iter().filter(|role| self.is_written(role)).map(|role| match role {
            Role::Text => text,
            Role::Id if document.named_by_place => "",
            Role::Id => new.id,
            Role::Patient => new.patient.unwrap_or_default(),
            Role::Visit => new.visit.unwrap_or_default(),
            Role::Date => date.as_str(),
            Role::Language => document.language.map_or("", Language::key),
            _ => kept.next().map_or("", String::as_str),
        });
        self.push_row(out, cells);
    }

    fn push_row<'a>(&self, out: &mut Vec<u8>, cells: impl Iterator<Item = &'a str>) {
        let start = out.len();
        for (i, cell) in cells.enumerate() {
            if i > 0 {
                out.push(self.delimiter);
            }
            push_cell(out, cell, self.delimiter, self.quoted);
        }
        if out.len() == start {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(if self.crlf { b"\r\n" } else { b"\n" });
    }
}

/// A document read from a row, before identities from elsewhere join it.
pub(crate) struct Read {
    pub(crate) document: Document,
    pub(crate) known: Option<KnownIdentity>,
    pub(crate) unread_date: bool,
    /// Its patient id had blanks around it.
    pub(crate) trimmed_patient: bool,
}

pub(crate) fn push_cell(out: &mut Vec<u8>, cell: &str, delimiter: u8, quoted: bool) {
    let bytes = cell.as_bytes();
    let special = |b: &u8| matches!(*b, b'"' | b'\n' | b'\r') || *b == delimiter;
    if !quoted && !bytes.iter().any(special) {
        out.extend_from_slice(bytes);
        return;
    }
    out.push(b'"');
    let mut from = 0;
    for at in memchr::memchr_iter(b'"', bytes) {
        out.extend_from_slice(&bytes[from..=at]);
        out.push(b'"');
        from = at + 1;
    }
    out.extend_from_slice(&bytes[from..]);
    out.push(b'"');
}

/// The delimiter of a header line: the candidate that cuts it most often outside quotes.
pub(crate) fn sniff_delimiter(head: &[u8]) -> u8 {
    const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];
    let mut counts = [0usize; 4];
    let mut inside = false;
    for &byte in head {
        match byte {
            b'"' => inside = !inside,
            b'\n' if !inside => break,
            _ if !inside => {
                if let Some(i) = CANDIDATES.iter().position(|c| *c == byte) {
                    counts[i] += 1;
                }
            }
            _ => {}
        }
    }
    let best = (0..4).rev().max_by_key(|&i| counts[i]).unwrap_or(0);
    CANDIDATES[best]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(header: &str, options: &ReadOptions) -> Result<Columns, Reason> {
        let names = header.split(',').map(str::to_owned).collect();
        Columns::new(names, b',', Style::default(), options)
    }

    #[test]
    fn delimiters() {
        for (head, delimiter) in [
            ("id;text;\"a,b,c\"\n1,1,1,1,1", b';'),
            ("id\ttext\n", b'\t'),
            ("a|b|c", b'|'),
            ("text\nx;y", b','),
        ] {
            assert_eq!(sniff_delimiter(head.as_bytes()), delimiter, "{head}");
        }
    }

    #[test]
    fn roles_by_name_and_by_option() {
        let found = columns(
            "Note_ID,person_id,NOTE_TEXT,ward,known.family_name,address.city",
            &ReadOptions::default(),
        );
        let roles = found.unwrap().roles;
        assert_eq!(roles[..4], [Role::Id, Role::Patient, Role::Text, Role::Dropped]);
        assert!(matches!(roles[4], Role::Known(_)) && matches!(roles[5], Role::Known(_)));

        let missing = columns("a,b", &ReadOptions::default()).unwrap_err();
        assert!(
            missing.to_string().contains("`a`, `b`") && missing.to_string().contains("`text_column`"),
            "{missing}"
        );
        let some = columns("Note_ID,Ward,service", &ReadOptions::default()).unwrap_err();
        assert!(some.to_string().contains("`Note_ID`, and 2 with other names"), "{some}");
        for line in ["12,Durand,Zoé Durand a 3 ans", "Durand,Zoé", "id,Durand,Zoé", "id,ids.30600 Durand"]
        {
            let data = columns(line, &ReadOptions::default()).unwrap_err();
            assert!(!data.to_string().contains("Durand") && !data.to_string().contains("Zoé"), "{data}");
        }
        let options = ReadOptions { text_column: Some("body".into()), ..Default::default() };
        assert!(columns("a,text", &options).unwrap_err().to_string().contains("no column `body`"));
        let options = ReadOptions { keep_columns: vec!["family_name".into()], ..Default::default() };
        assert!(columns("text,family_name", &options).unwrap_err().to_string().contains("cannot be kept"));
    }
}
