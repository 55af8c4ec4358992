//! Rows of a table of people or places, read one by one: CSV, JSONL, JSON or Parquet.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use serde_json::{Map, Value};

use crate::decode::decode_field;
use crate::error::{input_error, reason};
use crate::lines::{Line, read_line};
use crate::table::{Record, Records, sniff_delimiter};
use crate::{Error, LIMIT, Position, Reason, parquet};

/// Takes the rows of a table. Reasons name keys and columns, never values.
pub(crate) trait RowSink {
    /// The names of the columns, before the first row.
    fn header(&mut self, names: &[String]) -> Result<(), Reason>;
    /// A row, with one cell for each column.
    fn cells(&mut self, cells: &[String], at: Position) -> Result<(), Reason>;
    /// A row of a JSON file.
    fn object(&mut self, map: Map<String, Value>, at: Position) -> Result<(), Reason>;
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    input_error(path, format!("cannot read it: {}", reason(error)))
}

/// Reads a file whose form its first bytes tell.
pub(crate) fn read_file(path: &Path, sink: &mut dyn RowSink) -> Result<(), Error> {
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    read_stream(path, Box::new(BufReader::with_capacity(1 << 16, file)), sink)
}

/// The same, from a stream that is named `path` in messages. Parquet is read from the file of that name.
pub(crate) fn read_stream(
    path: &Path,
    mut input: Box<dyn BufRead + Send>,
    sink: &mut dyn RowSink,
) -> Result<(), Error> {
    let mut head = Vec::new();
    input.by_ref().take(1 << 16).read_to_end(&mut head).map_err(|e| unreadable(path, &e))?;
    let start = head.iter().find(|b| !b.is_ascii_whitespace() && !b"\xEF\xBB\xBF".contains(b)).copied();
    if head.starts_with(b"PAR1") {
        return read_columns(path, sink);
    }
    let mut whole = Cursor::new(head.clone()).chain(input);
    match start {
        None => Ok(()),
        Some(b'{') if is_lines(&head) => read_lines(path, &mut whole, sink),
        Some(b'{' | b'[') => {
            let mut bytes = Vec::new();
            whole.take(LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(|e| unreadable(path, &e))?;
            if bytes.len() > LIMIT {
                let why = "this JSON file is too large; write one object per line (.jsonl)";
                return Err(input_error(path, why));
            }
            read_json(path, &bytes, sink)
        }
        Some(_) => read_table(path, Box::new(whole), sniff_delimiter(&head), sink),
    }
}

fn read_columns(path: &Path, sink: &mut dyn RowSink) -> Result<(), Error> {
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let mut number = 0;
    parquet::each_row(file, |names, cells| {
        if number == 0 {
            sink.header(names)?;
        }
        number += 1;
        sink.cells(cells, Position::Row(number)).map_err(|why| why.prefixed(&format!("row {number}: ")))
    })
    .map_err(|why| input_error(path, why))
}

fn read_lines(path: &Path, input: &mut dyn BufRead, sink: &mut dyn RowSink) -> Result<(), Error> {
    let mut buffer = Vec::new();
    let mut number = 0;
    loop {
        number += 1;
        let place = Position::Line(number);
        let at = |why: Reason| input_error(path, why).at(place);
        match read_line(input, &mut buffer, LIMIT).map_err(|e| at(reason(&e).into()))? {
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
        sink.object(map, place).map_err(at)?;
    }
}

fn read_json(path: &Path, bytes: &[u8], sink: &mut dyn RowSink) -> Result<(), Error> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|e| {
        input_error(path, "this is not valid JSON in UTF-8").at(Position::Line(e.line() as u64))
    })?;
    let items = match value {
        Value::Array(items) => items,
        item => vec![item],
    };
    for (i, item) in items.into_iter().enumerate() {
        let place = Position::Item(i as u64 + 1);
        let at = |why: Reason| input_error(path, why).at(place);
        let Value::Object(map) = item else { return Err(at("this is not a JSON object".into())) };
        sink.object(map, place).map_err(at)?;
    }
    Ok(())
}

fn read_table(
    path: &Path,
    input: Box<dyn BufRead + Send>,
    delimiter: u8,
    sink: &mut dyn RowSink,
) -> Result<(), Error> {
    let mut records = Records::new(input, delimiter);
    let mut columns = None;
    loop {
        match records.next() {
            Err(e) => return Err(unreadable(path, &e)),
            Ok(Record::End) => return Ok(()),
            Ok(Record::TooLong) => {
                return Err(input_error(path, "this row is too long; a quote may be open")
                    .at(Position::Line(records.lines().0)));
            }
            Ok(Record::Whole) => {}
        }
        let place = Position::Line(records.lines().0);
        let fail = |why: Reason| input_error(path, why).at(place);
        let (cells, _) = records.decoded().map_err(|why| fail(why.into()))?;
        let Some(columns) = columns else {
            sink.header(&cells).map_err(fail)?;
            columns = Some(cells.len());
            continue;
        };
        if cells.len() != columns {
            return Err(fail(
                format!("this row has {} fields; the header has {columns}", cells.len()).into(),
            ));
        }
        sink.cells(&cells, place).map_err(fail)?;
    }
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
