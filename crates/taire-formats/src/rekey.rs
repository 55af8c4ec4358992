//! Tables without text, such as OMOP's `person`, `visit_occurrence` and `condition_occurrence`: ids and dates are written anew,
//! so that they still join with documents that were treated with the same key. Columns whose meaning is not known are left
//! out.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use jiff::civil::Date;

use crate::date;
use crate::table::{Record, Records, Style, push_cell, sniff_delimiter};
use crate::{AtomicFile, Error};

/// What an id names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinId {
    Patient,
    Visit,
    /// A row, a document, a provider: anything else that has an id.
    Other,
}

/// Gives ids and days their new values.
pub trait Rekey {
    fn id(&self, kind: JoinId, id: &str) -> Option<String>;

    /// `None` where the day cannot be moved: it is left empty then.
    fn day(&self, patient: &str, day: Date) -> Option<Date>;
}

/// What was done to one table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rekeyed {
    pub rows: u64,
    /// Names of columns that were left out.
    pub left_out: BTreeSet<String>,
    /// Dates that could not be read or moved, and were left empty.
    pub empty_dates: u64,
    /// Cells of code columns that hold something else than a whole number, and were left empty.
    pub empty_codes: u64,
    /// Times of day beside dates, which stay as they are.
    pub times: u64,
}

/// What a column is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Id(JoinId),
    Date,
    BirthYear,
    BirthMonth,
    BirthDay,
    /// A whole number of a vocabulary, which names nobody.
    Code,
    Kept,
    LeftOut,
}

const PATIENTS: &[&str] =
    &["person_id", "patient", "patient_id", "subject_id", "ipp", "nip", "nhc", "person_source_value"];
const VISITS: &[&str] = &[
    "visit_occurrence_id",
    "preceding_visit_occurrence_id",
    "visit_source_value",
    "visit_id",
    "visit",
    "encounter_id",
    "encounter",
    "stay_id",
    "hadm_id",
];

impl Use {
    pub(crate) fn of(name: &str, kept: &[String]) -> Use {
        let name = name.trim().to_lowercase();
        match name.as_str() {
            n if kept.iter().any(|k| k.trim().to_lowercase() == n) => Use::Kept,
            n if PATIENTS.contains(&n) => Use::Id(JoinId::Patient),
            n if VISITS.contains(&n) => Use::Id(JoinId::Visit),
            n if n.ends_with("_concept_id") => Use::Code,
            "year_of_birth" => Use::BirthYear,
            "month_of_birth" => Use::BirthMonth,
            "day_of_birth" => Use::BirthDay,
            "id" => Use::Id(JoinId::Other),
            n if n.ends_with("_id") => Use::Id(JoinId::Other),
            "date" => Use::Date,
            n if n.ends_with("_date") || n.ends_with("_datetime") => Use::Date,
            _ => Use::LeftOut,
        }
    }
}

/// The columns of one table.
pub(crate) struct Plan {
    pub(crate) uses: Vec<Use>,
    /// The column that says whose a row is.
    patient: usize,
}

impl Plan {
    pub(crate) fn new(names: &[String], kept: &[String], done: &mut Rekeyed) -> Result<Plan, Error> {
        let uses: Vec<Use> = names.iter().map(|name| Use::of(name, kept)).collect();
        // A row may name its patient twice; the first title of the list is the one that joins tables.
        let titled = |title: &&str| {
            let is_it = |(name, column): (&String, &Use)| {
                *column == Use::Id(JoinId::Patient) && name.trim().to_lowercase() == **title
            };
            names.iter().zip(&uses).position(is_it)
        };
        let Some(patient) = PATIENTS.iter().find_map(titled) else {
            return Err(Error::input(format!(
                "no column names the patient, so that its dates cannot move with the documents; give it one of: {}",
                PATIENTS.join(", ")
            )));
        };
        let left_out = names.iter().zip(&uses).filter(|(_, u)| **u == Use::LeftOut);
        done.left_out.extend(left_out.map(|(name, _)| name.clone()));
        Ok(Plan { uses, patient })
    }

    /// Gives the cells of a row their new values. Cells that are kept or left out are not looked at.
    pub(crate) fn rekey(&self, cells: &mut [Option<String>], rekey: &dyn Rekey, done: &mut Rekeyed) {
        let patient = cells[self.patient].as_deref().map(str::trim).filter(|p| !p.is_empty());
        let patient = patient.map(str::to_owned);
        let move_day = |day: Date| rekey.day(patient.as_deref()?, day);
        let birth = self.birth(cells).and_then(move_day);
        for (cell, column) in cells.iter_mut().zip(&self.uses) {
            let Some(old) = cell.take().filter(|c| !c.trim().is_empty()) else { continue };
            *cell = match column {
                // As it is in the documents: an id with a blank beside it is another id.
                Use::Id(kind) => rekey.id(*kind, &old),
                Use::Date => {
                    let new = moved(old.trim(), move_day);
                    done.times += u64::from(new.as_ref().is_some_and(|new| new.contains(':')));
                    new
                }
                Use::BirthYear => birth.map(|b| b.year().to_string()),
                Use::BirthMonth => birth.map(|b| b.month().to_string()),
                Use::BirthDay => birth.map(|b| b.day().to_string()),
                Use::Code => Some(old).filter(|code| is_code(code)),
                Use::Kept | Use::LeftOut => Some(old),
            };
            if cell.is_none() {
                match column {
                    Use::Date | Use::BirthYear | Use::BirthMonth | Use::BirthDay => done.empty_dates += 1,
                    Use::Code => done.empty_codes += 1,
                    Use::Id(_) | Use::Kept | Use::LeftOut => {}
                }
            }
        }
        done.rows += 1;
    }

    /// The birth that three columns tell; the middle of the year or month where one is empty.
    fn birth(&self, cells: &[Option<String>]) -> Option<Date> {
        let number = |column: Use| {
            let at = self.uses.iter().position(|u| *u == column)?;
            cells[at].as_deref()?.trim().parse::<i16>().ok()
        };
        let part = |column, middle| number(column).and_then(|n| i8::try_from(n).ok()).unwrap_or(middle);
        let (month, day) = (part(Use::BirthMonth, 7), part(Use::BirthDay, 15));
        Date::new(number(Use::BirthYear)?, month, day).ok()
    }
}

/// A date, or a date with a time behind it, which stays.
fn moved(text: &str, move_day: impl Fn(Date) -> Option<Date>) -> Option<String> {
    let timed = text.split_at_checked(10).filter(|(_, time)| is_time(time));
    let (day, time) = timed.unwrap_or((text, ""));
    let (day, shape) = date::parse(day)?;
    Some(format!("{}{time}", date::print(move_day(day)?, shape)))
}

/// A time of day behind a date, with its zone: whatever else stands there does not pass.
fn is_time(text: &str) -> bool {
    let is_mark = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | '+' | '-' | 'Z');
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.strip_prefix(['T', ' ']).is_some_and(|time| time.contains(':') && time.chars().all(is_mark))
        && digits <= 19
}

/// A whole number, as vocabularies have them.
fn is_code(text: &str) -> bool {
    let digits = text.trim().trim_start_matches('-');
    (1..=10).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a table can be re-keyed, by the names of its columns.
pub fn check_table(path: &Path, kept: &[String]) -> Result<(), Error> {
    let names = match open(path)? {
        Opened::Columns(file) => crate::parquet::column_names(file).map_err(|e| e.in_file(path))?,
        Opened::Text(mut table) => table.names().map_err(|e| e.in_file(path))?,
    };
    Plan::new(&names, kept, &mut Rekeyed::default()).map(drop).map_err(|e| e.in_file(path))
}

enum Opened {
    Columns(File),
    Text(Box<TextTable>),
}

fn open(path: &Path) -> Result<Opened, Error> {
    let input_error = |e: std::io::Error| Error::from(e).prefixed("cannot read it: ").in_file(path);
    let mut input = BufReader::new(File::open(path).map_err(input_error)?);
    let head = input.fill_buf().map_err(input_error)?;
    if head.starts_with(b"PAR1") {
        return Ok(Opened::Columns(input.into_inner()));
    }
    let (delimiter, style) = (sniff_delimiter(head), Style::sniff(head));
    let records = Records::new(Box::new(input), delimiter);
    Ok(Opened::Text(Box::new(TextTable { records, delimiter, style })))
}

/// Writes a table (CSV, TSV or Parquet) to `target` with its ids and dates anew. Nothing is there when it fails.
pub fn rekey_table(path: &Path, target: &Path, kept: &[String], rekey: &dyn Rekey) -> Result<Rekeyed, Error> {
    let mut done = Rekeyed::default();
    match open(path)? {
        Opened::Columns(file) => crate::parquet::rekey(file, target, kept, rekey, &mut done),
        Opened::Text(mut table) => table.rekey(target, kept, rekey, &mut done),
    }
    .map_err(|e| e.in_file(path))?;
    Ok(done)
}

struct TextTable {
    records: Records,
    delimiter: u8,
    style: Style,
}

impl TextTable {
    fn next(&mut self) -> Result<Option<Vec<String>>, Error> {
        let line = |records: &Records| records.lines().0;
        match self.records.next().map_err(Error::from)? {
            Record::End => Ok(None),
            Record::TooLong => {
                Err(Error::input(format!("the row of line {} is too long", line(&self.records))))
            }
            Record::Whole => match self.records.decoded() {
                Ok((cells, _)) => Ok(Some(cells)),
                Err(why) => Err(Error::input(format!("line {}: {why}", line(&self.records)))),
            },
        }
    }

    /// The header.
    fn names(&mut self) -> Result<Vec<String>, Error> {
        let mut names = self.next()?.ok_or_else(|| Error::input("the table is empty"))?;
        if let Some(first) = names.first_mut() {
            *first = first.trim_start_matches('\u{feff}').to_owned();
        }
        Ok(names)
    }

    fn rekey(
        &mut self,
        target: &Path,
        kept: &[String],
        rekey: &dyn Rekey,
        done: &mut Rekeyed,
    ) -> Result<(), Error> {
        let names = self.names()?;
        let plan = Plan::new(&names, kept, done)?;
        let mut out = AtomicFile::create(target)?;
        let mut row = Vec::new();
        self.push(&mut row, &plan, names.iter().map(String::as_str));
        out.write_all(&row)?;
        while let Some(cells) = self.next()? {
            if cells.len() != names.len() {
                let (line, _) = self.records.lines();
                return Err(Error::input(format!(
                    "line {line} has {} cells, and the header has {}",
                    cells.len(),
                    names.len()
                )));
            }
            let mut cells: Vec<Option<String>> = cells.into_iter().map(Some).collect();
            plan.rekey(&mut cells, rekey, done);
            row.clear();
            self.push(&mut row, &plan, cells.iter().map(|c| c.as_deref().unwrap_or_default()));
            out.write_all(&row)?;
        }
        out.finish()
    }

    fn push<'c>(&self, row: &mut Vec<u8>, plan: &Plan, cells: impl Iterator<Item = &'c str>) {
        let written = cells.zip(&plan.uses).filter(|(_, u)| **u != Use::LeftOut);
        for (i, (cell, _)) in written.enumerate() {
            if i > 0 {
                row.push(self.delimiter);
            }
            push_cell(row, cell, self.delimiter, self.style.quoted);
        }
        row.extend_from_slice(if self.style.crlf { b"\r\n" } else { b"\n" });
    }
}
