//! Tables of known identities: `--patients`, and files that stand beside documents.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use taire_text::KnownIdentity;

use crate::decode::decode_field;
use crate::error::reason;
use crate::identity::{self, Builder, FlatKey};
use crate::lines::{Line, read_line};
use crate::spill::{Spill, SpillWriter};
use crate::table::{Record, Records, sniff_delimiter};
use crate::{Error, LIMIT, Position, parquet};

/// So many patients are kept in memory; beyond, all go to a temporary file.
const IN_MEMORY: usize = 20_000;

/// Known identities, found by patient number.
#[derive(Default)]
pub struct Identities {
    by_patient: HashMap<String, Arc<KnownIdentity>>,
    growing: Option<SpillWriter>,
    spilled: Option<Spill>,
    by_document: HashMap<String, Arc<KnownIdentity>>,
    /// The only row, when there is one and it names no document.
    only: Option<Arc<KnownIdentity>>,
    rows: usize,
}

impl Identities {
    /// Reads a CSV, JSONL or JSON file of identities, each with its `patient`.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let table = Identities::load_any(path)?;
        match table.rows > 0 && table.by_patient.is_empty() && table.spilled.is_none() {
            true => Err(Error::usage_at(path, "no row has a `patient`; identities are joined by it")),
            false => Ok(table),
        }
    }

    /// What is known of a patient.
    pub fn get(&self, patient: &str) -> Result<Option<Arc<KnownIdentity>>, Error> {
        let Some(spilled) = &self.spilled else { return Ok(self.by_patient.get(patient).cloned()) };
        let found = spilled.get(patient).map_err(|e| {
            Error::usage(format!("the table of identities cannot be looked up: {}", reason(&e)))
        })?;
        Ok(found.into_iter().reduce(|first, second| identity::merge(&first, &second)).map(Arc::new))
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    fn load_any(path: &Path) -> Result<Self, Error> {
        let file =
            File::open(path).map_err(|e| Error::input(path, format!("cannot read it: {}", reason(&e))))?;
        Identities::read_any(path, Box::new(BufReader::with_capacity(1 << 16, file)))
    }

    fn read_any(path: &Path, mut input: Box<dyn BufRead + Send>) -> Result<Self, Error> {
        let mut head = Vec::new();
        let failed = |e: std::io::Error| Error::input(path, format!("cannot read it: {}", reason(&e)));
        input.by_ref().take(1 << 16).read_to_end(&mut head).map_err(failed)?;
        let start = head.iter().find(|b| !b.is_ascii_whitespace() && !b"\xEF\xBB\xBF".contains(b)).copied();
        let packed = head.starts_with(b"PAR1");
        let mut whole = std::io::Cursor::new(head.clone()).chain(input);
        let mut table = Identities::default();
        match start {
            _ if packed => table.read_columns(path)?,
            None => {}
            Some(b'{') if is_lines(&head) => table.read_lines(path, &mut whole)?,
            Some(b'{' | b'[') => {
                let mut bytes = Vec::new();
                whole.take(LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
                if bytes.len() > LIMIT {
                    return Err(Error::input(
                        path,
                        "this JSON file is too large; write one object per line (.jsonl)",
                    ));
                }
                table.read_json(path, &bytes)?;
            }
            Some(_) => table.read_table(path, Box::new(whole), sniff_delimiter(&head))?,
        }
        if table.rows != 1 {
            table.only = None;
        }
        if let Some(growing) = table.growing.take() {
            table.spilled = Some(growing.finish().map_err(|e| spill_failed(path, &e))?);
        }
        Ok(table)
    }

    fn read_columns(&mut self, path: &Path) -> Result<(), Error> {
        let file =
            File::open(path).map_err(|e| Error::input(path, format!("cannot read it: {}", reason(&e))))?;
        let mut keys: Option<Vec<(String, Option<FlatKey>)>> = None;
        let mut number = 0;
        parquet::each_row(file, |names, cells| {
            number += 1;
            if keys.is_none() {
                keys = Some(header_keys(names)?);
            }
            let keys = keys.as_deref().unwrap_or_default();
            self.add_cells(path, keys, cells).map_err(|why| format!("row {number}: {why}"))
        })
        .map_err(|why| Error::input(path, why))
    }

    /// One row of a table.
    fn add_cells(
        &mut self,
        path: &Path,
        keys: &[(String, Option<FlatKey>)],
        cells: &[String],
    ) -> Result<(), String> {
        let mut builder = Builder::default();
        let mut documents = Vec::new();
        for (cell, (name, key)) in cells.iter().zip(keys) {
            match key {
                Some(key) => builder.cell(key, cell).map_err(|why| format!("column `{name}` {why}"))?,
                None => {
                    documents.extend(cell.split(';').map(|d| d.trim().to_owned()).filter(|d| !d.is_empty()));
                }
            }
        }
        self.add(builder.build(), documents).map_err(|e| spill_failed(path, &e).to_string())
    }

    fn read_lines(&mut self, path: &Path, input: &mut dyn std::io::BufRead) -> Result<(), Error> {
        let mut buffer = Vec::new();
        let mut number = 0;
        loop {
            number += 1;
            let at = |why: String| Error::input(path, why).at(Position::Line(number));
            match read_line(input, &mut buffer, LIMIT).map_err(|e| at(reason(&e)))? {
                Line::End => return Ok(()),
                Line::TooLong(_) => return Err(at("this line is too long".into())),
                Line::Whole => {}
            }
            let line = buffer.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&buffer);
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let map: Map<String, Value> =
                serde_json::from_slice(line).map_err(|_| at("this is not a JSON object in UTF-8".into()))?;
            self.add_object(map).map_err(at)?;
        }
    }

    fn read_json(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let value: Value = serde_json::from_slice(bytes).map_err(|e| {
            Error::input(path, "this is not valid JSON in UTF-8").at(Position::Line(e.line() as u64))
        })?;
        let items = match value {
            Value::Array(items) => items,
            item => vec![item],
        };
        for (i, item) in items.into_iter().enumerate() {
            let at = |why: String| Error::input(path, why).at(Position::Item(i as u64 + 1));
            let Value::Object(map) = item else { return Err(at("this is not a JSON object".into())) };
            self.add_object(map).map_err(at)?;
        }
        Ok(())
    }

    fn read_table(
        &mut self,
        path: &Path,
        input: Box<dyn std::io::BufRead + Send>,
        delimiter: u8,
    ) -> Result<(), Error> {
        let mut records = Records::new(input, delimiter);
        let mut keys: Option<Vec<(String, Option<FlatKey>)>> = None;
        loop {
            let line = |records: &Records| Position::Line(records.lines().0);
            match records.next() {
                Err(e) => return Err(Error::input(path, format!("cannot read it: {}", reason(&e)))),
                Ok(Record::End) => return Ok(()),
                Ok(Record::TooLong) => {
                    return Err(
                        Error::input(path, "this row is too long; a quote may be open").at(line(&records))
                    );
                }
                Ok(Record::Whole) => {}
            }
            let fail = |why: String| Error::input(path, why).at(line(&records));
            let (cells, _) = records.decoded().map_err(|why| fail(why.into()))?;
            let Some(keys) = &keys else {
                let parsed = header_keys(&cells).map_err(|why| fail_header(path, why))?;
                keys = Some(parsed);
                continue;
            };
            if cells.len() != keys.len() {
                return Err(fail(format!(
                    "this row has {} fields; the header has {}",
                    cells.len(),
                    keys.len()
                )));
            }
            self.add_cells(path, keys, &cells).map_err(fail)?;
        }
    }

    fn add_object(&mut self, mut map: Map<String, Value>) -> Result<(), String> {
        let documents = match map.shift_remove("document") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) if names.iter().all(Value::is_string) => {
                names.iter().filter_map(|n| n.as_str().map(str::to_owned)).collect()
            }
            Some(_) => return Err("key `document` must be a file name or a list of them".into()),
        };
        let known = identity::known_from_map(&map).map_err(|problem| problem.to_string())?;
        self.add(known, documents).map_err(|e| format!("no room for the identities: {}", reason(&e)))
    }

    fn add(&mut self, known: KnownIdentity, documents: Vec<String>) -> std::io::Result<()> {
        self.rows += 1;
        let known = Arc::new(known);
        let join = |table: &mut HashMap<String, Arc<KnownIdentity>>, key: String| {
            table
                .entry(key)
                .and_modify(|first| *first = Arc::new(identity::merge(first, &known)))
                .or_insert_with(|| known.clone());
        };
        match (&known.patient, &mut self.growing) {
            (Some(patient), Some(growing)) => growing.add(patient, &known)?,
            (Some(patient), None) => join(&mut self.by_patient, patient.clone()),
            (None, _) => {}
        }
        if self.by_patient.len() > IN_MEMORY {
            let mut growing = SpillWriter::new()?;
            for (patient, known) in self.by_patient.drain() {
                growing.add(&patient, &known)?;
            }
            self.by_patient = HashMap::new();
            self.growing = Some(growing);
        }
        if documents.is_empty() {
            self.only = Some(known.clone());
        }
        for name in documents {
            join(&mut self.by_document, name);
        }
        Ok(())
    }
}

fn spill_failed(path: &Path, error: &std::io::Error) -> Error {
    let why = format!("no room for the identities in the folder for temporary files: {}", reason(error));
    Error::usage_at(path, why)
}

/// What each column of a table of identities holds; `None` is the document's name.
fn header_keys(names: &[String]) -> Result<Vec<(String, Option<FlatKey>)>, String> {
    let clean = |n: &String| n.trim().trim_start_matches('\u{FEFF}').trim_start_matches("known.").to_owned();
    if !names.iter().map(clean).any(|n| n == "document" || FlatKey::parse(&n).is_some()) {
        return Err(identity::no_header());
    }
    let key = |name: &String| {
        let name = clean(name);
        let key = FlatKey::parse(&name);
        match key.is_none() && name != "document" {
            true => Err(identity::unknown(&name).to_string()),
            false => Ok((name, key)),
        }
    };
    names.iter().map(key).collect()
}

fn fail_header(path: &Path, why: String) -> Error {
    Error::input(path, why).at(Position::Line(1))
}

/// Whether the first line is a whole JSON object, so that the file holds one per line.
pub(crate) fn is_lines(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
    if line.len() == head.len() && head.len() >= 1 << 15 {
        return true;
    }
    let Ok((line, _)) = decode_field(line) else { return false };
    serde_json::from_str::<serde::de::IgnoredAny>(&line).is_ok()
}

impl fmt::Debug for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identities({} rows)", self.rows)
    }
}

/// A table of identities in a folder, for the documents of that folder and below.
#[derive(Debug)]
pub(crate) struct Sidecar {
    pub(crate) folder: PathBuf,
    table: Identities,
}

impl Sidecar {
    /// `identity.json`, `identities.jsonl`, `patients.csv` and their kin.
    pub(crate) fn is_name(path: &Path) -> bool {
        let stem = path.file_stem().and_then(|s| s.to_str()).map(str::to_lowercase);
        let extension = path.extension().and_then(|s| s.to_str()).map(str::to_lowercase);
        matches!(stem.as_deref(), Some("identity" | "identities" | "patients"))
            && matches!(extension.as_deref(), Some("json" | "jsonl" | "csv" | "tsv" | "parquet"))
    }

    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Sidecar { folder, table: Identities::load_any(path)? })
    }

    /// The same, from bytes that are already there.
    pub(crate) fn read(path: &Path, bytes: Vec<u8>) -> Result<Self, Error> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Sidecar { folder, table: Identities::read_any(path, Box::new(std::io::Cursor::new(bytes)))? })
    }

    /// What it knows of a document: by name, then by patient; a single row is everybody's in the folder, unless
    /// the document says it is another patient's.
    pub(crate) fn of(
        &self,
        file: &Path,
        id: &str,
        patient: Option<&str>,
    ) -> Result<Option<Arc<KnownIdentity>>, Error> {
        let table = &self.table;
        if !table.by_document.is_empty() {
            let inside = file.strip_prefix(&self.folder).unwrap_or(file);
            let named = |p: &Path| p.to_str().and_then(|name| table.by_document.get(name));
            let by_name = named(inside)
                .or_else(|| named(&inside.with_extension("")))
                .or_else(|| table.by_document.get(id));
            if by_name.is_some() {
                return Ok(by_name.cloned());
            }
        }
        if let Some(known) = patient.map(|p| table.get(p)).transpose()?.flatten() {
            return Ok(Some(known));
        }
        let only = table.only.as_ref().filter(|only| match (patient, &only.patient) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => true,
        });
        Ok(only.cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, content: &str) -> Result<Identities, Error> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        Identities::load_any(&path)
    }

    #[test]
    fn every_shape_is_read() {
        for (name, content) in [
            (
                "a.jsonl",
                "{\"patient\":\"1\",\"family_name\":\"A\"}\n\n{\"patient\":\"2\",\"family_name\":\"B\"}\n",
            ),
            (
                "a.json",
                "[\n {\"patient\":\"1\",\"family_name\":\"A\"},\n{\"patient\":2,\"family_name\":\"B\"}]",
            ),
            ("a.csv", "\u{FEFF}patient;family_name\r\n1;A\r\n2;B\r\n"),
        ] {
            let table = table(name, content).unwrap();
            assert_eq!(table.len(), 2);
            assert_eq!(table.get("2").unwrap().unwrap().family_name.as_deref(), Some("B"), "{name}");
            assert!(table.only.is_none());
        }
        assert!(table("identity.json", "{\n\"family_name\": \"A\"\n}").unwrap().only.is_some());
        assert!(table("identity.json", "").unwrap().is_empty());
    }

    #[test]
    fn problems_give_line_and_key_without_the_value() {
        for (name, content, parts) in [
            ("a.csv", "patient,birth_date\n1,2000-01-01\n2,Durand\n", ["line 3", "`birth_date`"]),
            ("a.csv", "patient,nom\n1,Durand\n", ["`nom`", "family_name"]),
            ("a.csv", "12,Durand\n13,Petit\n", ["line 1", "no header"]),
            ("a.csv", "patient,sex\n1,F,Durand\n", ["line 2", "3 fields"]),
            ("a.jsonl", "{\"patient\":\"1\"}\n{\"sex\":\"Durand\"}", ["line 2", "`sex`"]),
            ("a.jsonl", "{\"patient\":\"1\"}\n{\"Durand", ["line 2", "not a JSON object"]),
            ("a.json", "[{\"patient\":\"1\"},\n\"Durand\"]", ["item 2", "not a JSON object"]),
        ] {
            let error = table(name, content).unwrap_err().to_string();
            assert!(parts.iter().all(|p| error.contains(p)) && !error.contains("Durand"), "{error}");
        }
    }
}
