//! Tables of known identities: `--patients`, and files that stand beside documents.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use taire_text::{Identity, KnownIdentity, fold};

use crate::error::reason;
use crate::identity::{self, Builder, FlatKey};
use crate::rows::{self, RowSink};
use crate::spill::{Spill, SpillWriter};
use crate::titles::person_key;
use crate::{Error, Position, Reason};

/// So many patients are kept in memory; beyond, all go to a temporary file.
const IN_MEMORY: usize = 20_000;

/// Known identities, found by patient number or by row.
#[derive(Default)]
pub struct Identities {
    /// By patient number; rows without one by a key of their own.
    by_key: HashMap<String, Arc<KnownIdentity>>,
    growing: Option<SpillWriter>,
    spilled: Option<Spill>,
    by_document: HashMap<String, Arc<KnownIdentity>>,
    /// The only row, when there is one and it names no document.
    only: Option<Arc<KnownIdentity>>,
    rows: usize,
    /// While reading: what each column holds, and the names of each patient number.
    columns: Vec<(String, Option<FlatKey>)>,
    names: HashMap<u64, RowNames>,
    hasher: RandomState,
}

/// The names of the first row of a patient number, hashed.
struct RowNames {
    at: u32,
    family: [u32; 2],
    given: u32,
}

/// Where a row stands among the rows of its table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowKey {
    /// It has a patient number, which all rows of that number share.
    Patient,
    /// It has none: its number in the table, from 1.
    Row(u32),
}

impl RowKey {
    /// The number of a row without a patient number, else 0.
    pub fn number(&self) -> u32 {
        match self {
            RowKey::Patient => 0,
            RowKey::Row(number) => *number,
        }
    }

    fn text(&self, patient: Option<&str>) -> String {
        match (self, patient) {
            (RowKey::Row(number), _) => format!("\0row {number}"),
            (RowKey::Patient, patient) => patient.unwrap_or_default().to_owned(),
        }
    }
}

impl Identities {
    /// Reads a CSV, JSONL, JSON or Parquet file of identities.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let table = Identities::load_any(path)?;
        let mut useful = table.rows == 0;
        table.each(|_, known| useful |= known.patient.is_some() || known.person() != Identity::default())?;
        match useful {
            true => Ok(table),
            false => {
                Err(crate::error::usage_error(path, "no row says who a patient is; give names or numbers"))
            }
        }
    }

    /// What is known of a patient.
    pub fn get(&self, patient: &str) -> Result<Option<Arc<KnownIdentity>>, Error> {
        self.get_row(&RowKey::Patient, Some(patient))
    }

    /// What a row says; rows of one patient number are one.
    pub fn get_row(&self, key: &RowKey, patient: Option<&str>) -> Result<Option<Arc<KnownIdentity>>, Error> {
        let key = key.text(patient);
        let Some(spilled) = &self.spilled else { return Ok(self.by_key.get(&key).cloned()) };
        let found = spilled.get(&key).map_err(|e| cannot_look_up(&e))?;
        Ok(found.into_iter().reduce(|first, second| identity::merge(&first, &second)).map(Arc::new))
    }

    /// Calls `take` for every row, in no order. Rows of one patient number may come together or one by one.
    pub fn each(&self, mut take: impl FnMut(RowKey, &KnownIdentity)) -> Result<(), Error> {
        let mut one = |key: &str, known: &KnownIdentity| {
            let row = key.strip_prefix("\0row ").and_then(|number| number.parse().ok());
            take(row.map_or(RowKey::Patient, RowKey::Row), known);
        };
        match &self.spilled {
            Some(spilled) => spilled.each(one).map_err(|e| cannot_look_up(&e)),
            None => {
                self.by_key.iter().for_each(|(key, known)| one(key, known));
                Ok(())
            }
        }
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    fn load_any(path: &Path) -> Result<Self, Error> {
        let mut table = Identities::default();
        rows::read_file(path, &mut table)?;
        table.finish(path)
    }

    fn read_any(path: &Path, input: Box<dyn BufRead + Send>) -> Result<Self, Error> {
        let mut table = Identities::default();
        rows::read_stream(path, input, &mut table)?;
        table.finish(path)
    }

    fn finish(mut self, path: &Path) -> Result<Self, Error> {
        if self.rows != 1 {
            self.only = None;
        }
        if let Some(growing) = self.growing.take() {
            self.spilled = Some(growing.finish().map_err(|e| spill_failed(path, &e))?);
        }
        self.names = HashMap::new();
        Ok(self)
    }

    fn add(&mut self, known: KnownIdentity, documents: Vec<String>, at: Position) -> Result<(), Reason> {
        self.rows += 1;
        self.check_names(&known, at)?;
        let known = Arc::new(known);
        let join = |table: &mut HashMap<String, Arc<KnownIdentity>>, key: String| {
            table
                .entry(key)
                .and_modify(|first| *first = Arc::new(identity::merge(first, &known)))
                .or_insert_with(|| known.clone());
        };
        let row = match known.patient {
            Some(_) => RowKey::Patient,
            None => RowKey::Row(u32::try_from(self.rows).map_err(|_| "this table has too many rows")?),
        };
        let key = row.text(known.patient.as_deref());
        let no_room = |e: &std::io::Error| Reason::from(format!("no room for the identities: {}", reason(e)));
        match &mut self.growing {
            Some(growing) => growing.add(&key, &known).map_err(|e| no_room(&e))?,
            None => join(&mut self.by_key, key),
        }
        if self.by_key.len() > IN_MEMORY {
            let mut growing = SpillWriter::new().map_err(|e| no_room(&e))?;
            for (key, known) in std::mem::take(&mut self.by_key) {
                growing.add(&key, &known).map_err(|e| no_room(&e))?;
            }
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

    /// Refuses two rows that give one patient number to people of different names.
    fn check_names(&mut self, known: &KnownIdentity, at: Position) -> Result<(), Reason> {
        let Some(patient) = &known.patient else { return Ok(()) };
        let hash = |name: Option<&str>| {
            let plain: String =
                fold(name.unwrap_or_default()).chars().filter(|c| c.is_alphanumeric()).collect();
            if plain.is_empty() { 0 } else { self.hasher.hash_one(plain) as u32 | 1 }
        };
        let family = [hash(known.family_name.as_deref()), hash(known.birth_name.as_deref())];
        let given = hash(known.given_names.first().map(String::as_str));
        let (Position::Line(number) | Position::Item(number) | Position::Row(number)) = at;
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let id = self.hasher.hash_one(patient.as_str());
        let Some(first) = self.names.get(&id) else {
            self.names.insert(id, RowNames { at: number, family, given });
            return Ok(());
        };
        let named = |names: &[u32; 2]| names.iter().any(|n| *n != 0);
        let shares = family.iter().any(|n| *n != 0 && first.family.contains(n));
        let differ = named(&family) && named(&first.family) && !shares
            || given != 0 && first.given != 0 && given != first.given;
        match differ {
            false => Ok(()),
            true => Err(format!(
                "this row and that of {} have one patient id and different names; give each patient an id of their own",
                match at {
                    Position::Line(_) => Position::Line(first.at.into()),
                    Position::Item(_) => Position::Item(first.at.into()),
                    Position::Row(_) => Position::Row(first.at.into()),
                }
            )
            .into()),
        }
    }
}

impl RowSink for Identities {
    fn header(&mut self, names: &[String]) -> Result<(), Reason> {
        self.columns = header_keys(names)?;
        Ok(())
    }

    fn cells(&mut self, cells: &[String], at: Position) -> Result<(), Reason> {
        let mut builder = Builder::default();
        let mut documents = Vec::new();
        for (cell, (name, key)) in cells.iter().zip(&self.columns) {
            match key {
                Some(key) => builder.cell(key, cell).map_err(|why| format!("column `{name}` {why}"))?,
                None => {
                    documents.extend(cell.split(';').map(|d| d.trim().to_owned()).filter(|d| !d.is_empty()));
                }
            }
        }
        self.add(builder.build(), documents, at)
    }

    fn object(&mut self, mut map: Map<String, Value>, at: Position) -> Result<(), Reason> {
        let documents = match map.shift_remove("document") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) if names.iter().all(Value::is_string) => {
                names.iter().filter_map(|n| n.as_str().map(str::to_owned)).collect()
            }
            Some(_) => return Err("key `document` must be a file name or a list of them".into()),
        };
        let map = map.into_iter().map(|(name, value)| match identity::is_key(&name) {
            true => (name, value),
            false => (person_key(&name).map_or(name, str::to_owned), value),
        });
        let known = identity::known_from_map(&map.collect()).map_err(|problem| problem.to_string())?;
        self.add(known, documents, at)
    }
}

fn cannot_look_up(error: &std::io::Error) -> Error {
    Error::usage(format!("the table of identities cannot be looked up: {}", reason(error)))
}

fn spill_failed(path: &Path, error: &std::io::Error) -> Error {
    let why = format!("no room for the identities in the folder for temporary files: {}", reason(error));
    crate::error::usage_error(path, why)
}

/// What each column of a table of identities holds; `None` is the document's name.
fn header_keys(names: &[String]) -> Result<Vec<(String, Option<FlatKey>)>, Reason> {
    let clean = |n: &String| n.trim().trim_start_matches('\u{FEFF}').trim_start_matches("known.").to_owned();
    let parse = |n: &str| FlatKey::parse(n).or_else(|| FlatKey::parse(person_key(n)?));
    if !names.iter().map(clean).any(|n| n == "document" || parse(&n).is_some()) {
        return Err(identity::no_header().into());
    }
    let key = |name: &String| {
        let name = clean(name);
        let key = parse(&name);
        match key.is_none() && name != "document" {
            true => Err(Reason::from(identity::unknown(&name).to_string())),
            false => Ok((name, key)),
        }
    };
    names.iter().map(key).collect()
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
    pub(crate) table: Arc<Identities>,
    /// The file is one patient's: its only row is that of every document of the folder.
    of_one: bool,
}

impl Sidecar {
    /// `identity.json`, `identities.jsonl`, `patients.csv` and their kin.
    pub(crate) fn is_name(path: &Path) -> bool {
        let stem = path.file_stem().and_then(|s| s.to_str()).map(str::to_lowercase);
        let extension = path.extension().and_then(|s| s.to_str()).map(str::to_lowercase);
        matches!(stem.as_deref(), Some("identity" | "identities" | "patients"))
            && matches!(extension.as_deref(), Some("json" | "jsonl" | "csv" | "tsv" | "parquet"))
    }

    fn new(path: &Path, table: Identities) -> Self {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let of_one = path.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("identity"));
        Sidecar { folder, table: Arc::new(table), of_one }
    }

    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        Ok(Sidecar::new(path, Identities::load_any(path)?))
    }

    /// The same, from bytes that are already there.
    pub(crate) fn read(path: &Path, bytes: Vec<u8>) -> Result<Self, Error> {
        Ok(Sidecar::new(path, Identities::read_any(path, Box::new(std::io::Cursor::new(bytes)))?))
    }

    /// What it knows of a document: by name, then by patient. The only row of `identity.json` is that of every document in
    /// the folder, unless the document says it is another patient's; rows of other files are joined by what the documents
    /// say (see `taire::links`).
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
        let only =
            table.only.as_ref().filter(|_| self.of_one).filter(|only| match (patient, &only.patient) {
                (Some(mine), Some(theirs)) => mine == theirs.as_str(),
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
            ("b.csv", "N° IPP;Nom;Prénom;Date de naissance\n1;A;Zoé;03/05/1950\n2;B;-;inconnue\n"),
            ("c.csv", "NHC,Primer apellido,Segundo apellido,Nombre\n1,A,C,Ana\n2,B,,Inés\n"),
            ("d.jsonl", "{\"IPP\":1,\"Nom\":\"A\"}\n{\"IPP\":\"2\",\"Nom\":\"B\",\"Ville\":\"Brest\"}"),
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
            ("a.csv", "patient,statut\n1,Durand\n", ["`statut`", "family_name"]),
            ("a.csv", "IPP;Nom\n1;Durand\n2;Petit\n1;Morel\n", ["line 4", "line 2"]),
            (
                "a.jsonl",
                "{\"IPP\":\"1\",\"Prénom\":\"A\"}\n{\"IPP\":1,\"Prénom\":\"Durand\"}",
                ["line 2", "line 1"],
            ),
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
