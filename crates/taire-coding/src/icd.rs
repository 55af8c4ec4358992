//! Labels of ICD-10 codes: the embedded tables of codes of three and four characters in French and Spanish, or a file
//! of the user's.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use taire_text::{Language, Position};

use crate::Error;

const FR: &[u8] = include_bytes!("../data/icd10-fr.tsv.gz");
const ES: &[u8] = include_bytes!("../data/icd10-es.tsv.gz");

/// Codes without their point, upper case, each with its label.
#[derive(Clone, Debug, Default)]
pub struct Table {
    labels: BTreeMap<String, String>,
}

fn plain(code: &str) -> String {
    code.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_uppercase()).collect()
}

impl Table {
    /// The embedded table of a language.
    pub fn embedded(language: Language) -> Result<Table, Error> {
        let packed = match language {
            Language::Fr => FR,
            Language::Es => ES,
        };
        let mut text = String::new();
        GzDecoder::new(packed)
            .read_to_string(&mut text)
            .map_err(|e| Error::internal(format!("the embedded table of ICD-10 cannot be read: {e}")))?;
        Table::read(&text)
    }

    /// Lines of code, tab, label.
    pub fn read(text: &str) -> Result<Table, Error> {
        let mut labels = BTreeMap::new();
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let (code, label) = line.split_once('\t').ok_or_else(|| {
                Error::usage("a code and its label are needed, with a tab between them")
                    .at(Position::Line(number as u64 + 1))
            })?;
            let code = plain(code);
            if code.len() < 3 {
                let why = "the first field is no code of ICD-10";
                return Err(Error::usage(why).at(Position::Line(number as u64 + 1)));
            }
            labels.insert(code, label.trim().to_owned());
        }
        match labels.is_empty() {
            true => Err(Error::usage("it holds no labels; lines of code, tab, label are expected")),
            false => Ok(Table { labels }),
        }
    }

    /// The label of a code, or of the nearest code above it in the table.
    pub fn label(&self, code: &str) -> Option<&str> {
        let code = plain(code);
        (3..=code.len()).rev().find_map(|end| self.labels.get(&code[..end])).map(String::as_str)
    }

    /// Everything the table says of a code: its own label first, then those of the codes below it.
    pub fn texts(&self, code: &str) -> Vec<&str> {
        let code = plain(code);
        if code.len() < 3 {
            return Vec::new();
        }
        let below = self.labels.range(code.clone()..).take_while(|(c, _)| c.starts_with(&code));
        let mut out: Vec<&str> = below.map(|(_, label)| label.as_str()).collect();
        if out.is_empty() {
            out.extend(self.label(&code));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_know_their_codes() {
        let fr = Table::embedded(Language::Fr).unwrap();
        let es = Table::embedded(Language::Es).unwrap();
        assert_eq!(fr.label("A00"), Some("Choléra"));
        assert_eq!(es.label("a01.0"), Some("Fiebre tifoidea"));
        // A code the table does not have gets the label of the one above.
        assert_eq!(fr.label("I10.99X"), fr.label("I10"));
        assert_eq!((fr.label("other"), fr.label("X"), fr.label("é1é")), (None, None, None));
        assert!(fr.texts("A01").len() > 3 && fr.texts("A01")[0].starts_with("Fièvres"));
    }

    #[test]
    fn a_table_of_the_user_is_checked() {
        assert_eq!(Table::read("I10\tTension\n").unwrap().label("I10.9"), Some("Tension"));
        for text in ["", "I10 Tension\n", "I\tTension\n"] {
            assert!(Table::read(text).is_err());
        }
    }
}
