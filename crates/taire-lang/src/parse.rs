//! Reading the data files. `data/README.md` describes them.

use std::fmt;

use rustc_hash::FxHashSet;

use crate::calendar::NameRow;
use crate::vocabulary::Participles;
use crate::{Gender, Number, WordRole, WordRoles, fold_hash};

/// A line of a data file that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataError {
    /// From 1.
    pub line: usize,
    pub problem: &'static str,
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vocabulary, line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for DataError {}

/// One row of words.
#[derive(Debug)]
pub(crate) struct WordRow {
    pub(crate) form: Box<str>,
    pub(crate) hash: u64,
    pub(crate) roles: WordRoles,
    /// The first class of the row, as it is written into the facts of a token: 0 for none.
    pub(crate) class: u8,
    pub(crate) gender: Option<Gender>,
    pub(crate) number: Option<Number>,
    pub(crate) month: Option<u8>,
}

/// A data file as it is written.
#[derive(Default, Debug)]
pub(crate) struct DataFile {
    pub(crate) words: Vec<WordRow>,
    pub(crate) letters: Vec<char>,
    pub(crate) months: Vec<NameRow<12>>,
    pub(crate) weekdays: Vec<NameRow<7>>,
    pub(crate) seasons: Vec<NameRow<4>>,
    pub(crate) thirds: Option<[Box<str>; 3]>,
    pub(crate) sexes: Vec<[Box<str>; 2]>,
    pub(crate) relations: Vec<[Vec<Box<str>>; 2]>,
    pub(crate) participles: Participles,
    pub(crate) abbreviated: Vec<[Box<str>; 2]>,
    pub(crate) diminutives: Vec<[Box<str>; 2]>,
}

impl DataFile {
    pub(crate) fn parse(text: &str) -> Result<DataFile, DataError> {
        let mut file = DataFile::default();
        let mut seen = FxHashSet::default();
        for (at, line) in text.lines().enumerate() {
            let read = match line.strip_prefix('!') {
                Some(list) => file.list(list),
                None if line.is_empty() || line.starts_with('#') => Ok(()),
                None => {
                    file.word(line).and_then(|hash| seen.insert(hash).then_some(()).ok_or("duplicate word"))
                }
            };
            read.map_err(|problem| DataError { line: at + 1, problem })?;
        }
        Ok(file)
    }

    /// The hash of the word of a row.
    fn word(&mut self, line: &str) -> Result<u64, &'static str> {
        let mut columns = line.split('\t');
        let form = columns.next().filter(|f| !f.is_empty()).ok_or("a row begins with a word")?;
        let keys = columns.next().ok_or("a word has roles behind a tab")?;
        let mut row = WordRow {
            form: form.into(),
            hash: fold_hash(form),
            roles: WordRoles::default(),
            class: 0,
            gender: None,
            number: None,
            month: None,
        };
        for key in keys.split(' ') {
            match (key, key.split_once('=')) {
                ("f", _) => row.gender = Some(Gender::Female),
                ("m", _) => row.gender = Some(Gender::Male),
                (_, Some(("month", month))) => {
                    let month = month.parse().ok().filter(|m| (1..=12).contains(m));
                    row.month = Some(month.ok_or("a month is a number from 1 to 12")?);
                }
                (_, Some(("number", number))) => {
                    row.number = Some(match number {
                        "hundred" => Number::Hundred,
                        "thousand" => Number::Thousand,
                        "and" => Number::And,
                        value => Number::Value(value.parse().map_err(|_| "unknown number")?),
                    });
                }
                _ => {
                    let role = WordRole::from_key(key).ok_or("unknown role")?;
                    if role.is_class() && row.class == 0 {
                        row.class = role as u8 + 1;
                    }
                    row.roles.insert(role);
                }
            }
        }
        let hash = row.hash;
        self.words.push(row);
        Ok(hash)
    }

    fn list(&mut self, line: &str) -> Result<(), &'static str> {
        let columns: Vec<&str> = line.split('\t').collect();
        match columns[..] {
            ["letters", letters] => self.letters = letters.split(' ').flat_map(str::chars).collect(),
            ["months", style, names] => self.months.push(NameRow::parse(style, names)?),
            ["weekdays", style, names] => self.weekdays.push(NameRow::parse(style, names)?),
            ["seasons", names] => self.seasons.push(NameRow::parse("full", names)?),
            ["thirds", words] => self.thirds = Some(array(words)?),
            ["sexes", pairs] => self.sexes = parse_pairs(pairs, '/')?,
            ["relation", women, men] => self.relations.push([forms(women), forms(men)]),
            ["participles", female, male, stems] => {
                let ending = |ending: &str| Box::from(ending.trim_matches('-'));
                self.participles.endings = [ending(female), ending(male)];
                self.participles.stems = forms(stems);
            }
            ["auxiliaries", words] => self.participles.auxiliaries = forms(words),
            ["abbreviated", pairs] => self.abbreviated = parse_pairs(pairs, '=')?,
            ["diminutives", pairs] => self.diminutives.extend(parse_pairs(pairs, '=')?),
            _ => return Err("unknown list"),
        }
        Ok(())
    }
}

/// Words separated by spaces; `_` is a space inside one.
fn forms(words: &str) -> Vec<Box<str>> {
    words.split(' ').map(|w| w.replace('_', " ").into()).collect()
}

pub(crate) fn array<const N: usize>(words: &str) -> Result<[Box<str>; N], &'static str> {
    forms(words).try_into().map_err(|_| "a list has too few or too many words")
}

fn parse_pairs(pairs: &str, between: char) -> Result<Vec<[Box<str>; 2]>, &'static str> {
    pairs
        .split(' ')
        .map(|pair| {
            pair.split_once(between).map(|(a, b)| [a.into(), b.into()]).ok_or("a pair lacks its second word")
        })
        .collect()
}
