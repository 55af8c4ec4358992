//! A directory of the institution: its staff, sites and services, given with `--directory`.

use std::fmt;
use std::path::Path;

use serde_json::{Map, Value};
use taire_text::is_placeholder;

use crate::rows::{self, RowSink};
use crate::titles::directory_key;
use crate::{Error, Position, Reason};

/// A row of a directory. Empty where a cell is.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct DirectoryEntry {
    pub family_name: String,
    pub birth_name: String,
    pub given_name: String,
    /// Family and given names together, in either order.
    pub full_name: String,
    /// Sites and services.
    pub facilities: Vec<String>,
    pub city: String,
    pub phones: Vec<String>,
    pub emails: Vec<String>,
    /// Numbers of the profession or of the establishment.
    pub ids: Vec<String>,
}

impl fmt::Debug for DirectoryEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<DirectoryEntry>")
    }
}

/// The rows of a directory.
#[derive(Default)]
pub struct Directory {
    pub entries: Vec<DirectoryEntry>,
    /// How many columns have a title that is not known; they are not used.
    pub unknown_columns: usize,
    /// How many cells hold no value (`-`, `N/A`, `inconnu`).
    pub placeholders: usize,
    keys: Vec<Option<&'static str>>,
}

impl Directory {
    /// Reads a CSV, JSONL, JSON or Parquet file.
    pub fn load(path: &Path) -> Result<Directory, Error> {
        let mut directory = Directory::default();
        rows::read_file(path, &mut directory)?;
        Ok(directory)
    }

    fn cell(&mut self, entry: &mut DirectoryEntry, key: &str, cell: &str) {
        let cell = cell.trim();
        if cell.is_empty() {
            return;
        }
        if is_placeholder(cell) {
            self.placeholders += 1;
            return;
        }
        let list = || cell.split(';').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
        match key {
            "family_name" | "second_family_name" => {
                if !entry.family_name.is_empty() {
                    entry.family_name.push(' ');
                }
                entry.family_name.push_str(cell);
            }
            "birth_name" => entry.birth_name = cell.to_owned(),
            "given_names" => entry.given_name = cell.to_owned(),
            "full_name" => entry.full_name = cell.to_owned(),
            "facility" => entry.facilities.extend(list()),
            "address.city" => entry.city = cell.to_owned(),
            "phones" => entry.phones.extend(list()),
            "emails" => entry.emails.extend(list()),
            "ids.RPPS" => entry.ids.push(cell.to_owned()),
            // A role is part of nobody's name.
            _ => {}
        }
    }

    fn add(&mut self, entry: DirectoryEntry) {
        if entry != DirectoryEntry::default() {
            self.entries.push(entry);
        }
    }
}

impl RowSink for Directory {
    fn header(&mut self, names: &[String]) -> Result<(), Reason> {
        self.keys = names.iter().map(|name| directory_key(name.trim_start_matches('\u{FEFF}'))).collect();
        self.unknown_columns = self.keys.iter().filter(|key| key.is_none()).count();
        match self.keys.iter().any(Option::is_some) {
            true => Ok(()),
            false => Err("the first line is no header; known columns: family_name, given_name, role, facility, service, \
                          city, phone, email (French and Spanish titles are understood)"
                .into()),
        }
    }

    fn cells(&mut self, cells: &[String], _: Position) -> Result<(), Reason> {
        let mut entry = DirectoryEntry::default();
        for (at, cell) in cells.iter().enumerate() {
            if let Some(key) = self.keys.get(at).copied().flatten() {
                self.cell(&mut entry, key, cell);
            }
        }
        self.add(entry);
        Ok(())
    }

    fn object(&mut self, map: Map<String, Value>, _: Position) -> Result<(), Reason> {
        let mut entry = DirectoryEntry::default();
        for (name, value) in &map {
            let Some(key) = directory_key(name) else { continue };
            let items = match value {
                Value::Array(items) => items.as_slice(),
                one => std::slice::from_ref(one),
            };
            for item in items {
                match item {
                    Value::Null => {}
                    Value::String(text) => self.cell(&mut entry, key, text),
                    Value::Number(number) => self.cell(&mut entry, key, &number.to_string()),
                    _ => return Err("a value of a directory must be a string or a list of strings".into()),
                }
            }
        }
        self.add(entry);
        Ok(())
    }
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Directory({} rows)", self.entries.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str, content: &str) -> Result<Directory, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        Directory::load(&path)
    }

    #[test]
    fn tables_and_lines_in_two_languages_are_read() {
        let french = "Nom;Prénom;Fonction;Service;Code UF\nABGRALL;Yann;PH;Neurologie;12\nN/A;-;interne;;\n";
        let read = directory("a.csv", french).unwrap();
        assert_eq!((read.entries.len(), read.unknown_columns, read.placeholders), (1, 1, 2));
        assert_eq!(read.entries[0].family_name, "ABGRALL");
        assert_eq!(read.entries[0].facilities, ["Neurologie"]);
        let lines =
            "{\"Apellidos\":\"Moreno Gil\",\"Nombre\":\"Inés\",\"Centro\":[\"Hospital del Norte\"]}\n";
        let read = directory("a.jsonl", lines).unwrap();
        assert_eq!(read.entries[0].given_name, "Inés");
        let error = directory("a.csv", "Durand;Zoé\n").unwrap_err().to_string();
        assert!(error.contains("no header") && !error.contains("Durand"), "{error}");
    }
}
