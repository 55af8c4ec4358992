//! Plain CSV that this program writes for itself and its operator: commas, UTF-8, a header.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::Error;
use crate::error::{input_error, reason};
use crate::table::{Record, Records, push_cell};

/// Adds one row and its line end.
pub fn push_csv_row(out: &mut Vec<u8>, cells: &[&str]) {
    for (i, cell) in cells.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        push_cell(out, cell, b',', false);
    }
    out.push(b'\n');
}

/// Every row after the header, in order.
pub fn each_csv_row(path: &Path, mut take: impl FnMut(&[String])) -> Result<(), Error> {
    let failed = |e: std::io::Error| input_error(path, format!("cannot read it: {}", reason(&e)));
    let file = File::open(path).map_err(failed)?;
    let mut records = Records::new(Box::new(BufReader::with_capacity(1 << 16, file)), b',');
    let mut is_header = true;
    loop {
        match records.next().map_err(failed)? {
            Record::End => return Ok(()),
            Record::TooLong => return Err(input_error(path, "a row is too long; a quote may be open")),
            Record::Whole if std::mem::take(&mut is_header) => {}
            Record::Whole => {
                let (cells, _) = records.decoded().map_err(|why| input_error(path, why))?;
                take(&cells);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_whatever_they_hold() {
        let rows = [["a,b", "\"q\"\nline", "Élodie"], ["", " x ", "c"]];
        let mut out = b"one,two,three\n".to_vec();
        rows.iter().for_each(|row| push_csv_row(&mut out, row));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        std::fs::write(&path, out).unwrap();
        let mut back: Vec<Vec<String>> = Vec::new();
        each_csv_row(&path, |cells| back.push(cells.to_vec())).unwrap();
        assert_eq!(back, rows.map(|row| row.map(str::to_owned).to_vec()));
    }
}
