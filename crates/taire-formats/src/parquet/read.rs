//! Rows of a Parquet file as documents, a small batch in memory at a time.
//!
//! The reader below may panic on damaged files; that is caught here and refuses the rest of the file.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use bytes::Bytes;
use jiff::civil::Date;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use taire_text::Note;

use super::{Rest, Table, per_day};
use crate::ReadOptions;
use crate::Reason;
use crate::decode::{Encoding, decode_field};
use crate::document::{Place, Spot};
use crate::table::{Columns, Read, Role, Style};

/// Rows decoded at once: enough to read fast, few enough for long documents.
pub(super) const BATCH_ROWS: usize = 128;
pub(super) const DAMAGED: &str =
    "this Parquet file is damaged, encrypted, or packed in a way that is not known";

/// Where the bytes are.
pub(crate) enum Source {
    File(File),
    Memory(Bytes),
}

/// The rows of one file, in order.
pub(crate) struct Rows {
    table: Arc<Table>,
    batches: Option<ParquetRecordBatchReader>,
    batch: Option<(RecordBatch, Rest)>,
    at: usize,
    /// Rows given so far.
    pub(crate) row: u64,
}

/// One step of reading.
pub(crate) enum Step {
    Row(Result<Box<Read>, Reason>),
    /// What follows cannot be read.
    Broken(&'static str),
    End,
}

impl Rows {
    pub(crate) fn open(source: Source, options: &ReadOptions) -> Result<Self, Reason> {
        let opened = catch_unwind(AssertUnwindSafe(|| match source {
            Source::File(file) => begin(file, options),
            Source::Memory(bytes) => begin(bytes, options),
        }));
        let (table, batches) = opened.unwrap_or_else(|_| Err(DAMAGED.into()))?;
        Ok(Rows { table: Arc::new(table), batches: Some(batches), batch: None, at: 0, row: 0 })
    }

    pub(crate) fn table(&self) -> &Arc<Table> {
        &self.table
    }

    pub(crate) fn columns(&self) -> &Columns {
        &self.table.columns
    }

    /// The next row; `stem` names rows without an id.
    pub(crate) fn next(&mut self, stem: &str) -> Step {
        while self.batch.as_ref().is_none_or(|(batch, _)| self.at == batch.num_rows()) {
            self.batch = None;
            let Some(batches) = &mut self.batches else { return Step::End };
            match catch_unwind(AssertUnwindSafe(|| batches.next())) {
                Ok(None) => {
                    self.batches = None;
                    return Step::End;
                }
                Ok(Some(Ok(batch))) => {
                    let rest = self.table.rest(&batch);
                    self.batch = Some((batch, rest));
                    self.at = 0;
                }
                Ok(Some(Err(_))) | Err(_) => {
                    self.batches = None;
                    return Step::Broken(DAMAGED);
                }
            }
        }
        let Some((batch, rest)) = &self.batch else { return Step::End };
        let at = self.at;
        self.at += 1;
        self.row += 1;
        let read = self.table.document(batch, rest, at, || format!("{stem}:{}", self.row));
        Step::Row(read.map(Box::new))
    }
}

/// One source for two readers.
pub(super) struct Shared<T>(Arc<T>);

impl<T: Length> Length for Shared<T> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<T: ChunkReader> ChunkReader for Shared<T> {
    type T = T::T;

    fn get_read(&self, start: u64) -> parquet::errors::Result<T::T> {
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

pub(super) type Builder<T> = ParquetRecordBatchReaderBuilder<Shared<T>>;

pub(super) fn builder<T: ChunkReader + 'static>(source: &Arc<T>) -> Result<Builder<T>, &'static str> {
    // The types the writing program noted for itself are not needed, and are one more thing to trust.
    let reading = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    Builder::try_new_with_options(Shared(source.clone()), reading).map_err(|_| DAMAGED)
}

/// Space is made for a dictionary by what it says of itself: it may not say more than it holds.
pub(super) fn check_dictionaries<T: ChunkReader + 'static>(
    source: &Arc<T>,
    builder: &Builder<T>,
    mask: &ProjectionMask,
) -> Result<(), &'static str> {
    for group in builder.metadata().row_groups() {
        let rows = usize::try_from(group.num_rows()).map_err(|_| DAMAGED)?;
        for (_, column) in group.columns().iter().enumerate().filter(|(i, _)| mask.leaf_included(*i)) {
            let pages = SerializedPageReader::new(source.clone(), column, rows, None);
            if !pages.map_or(Ok(true), dictionaries_fit).unwrap_or(true) {
                return Err(DAMAGED);
            }
        }
    }
    Ok(())
}

/// An error is one that reading the rows will meet as well.
fn dictionaries_fit<T: ChunkReader>(mut pages: SerializedPageReader<T>) -> Result<bool, ParquetError> {
    while let Some(page) = pages.peek_next_page()? {
        if !page.is_dict {
            pages.skip_next_page()?;
            continue;
        }
        if let Some(Page::DictionaryPage { buf, num_values, .. }) = pages.get_next_page()?
            && num_values as usize > buf.len()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn begin<T: ChunkReader + 'static>(
    source: T,
    options: &ReadOptions,
) -> Result<(Table, ParquetRecordBatchReader), Reason> {
    let source = Arc::new(source);
    let builder = builder(&source)?;
    let names = builder.schema().fields().iter().map(|f| f.name().clone()).collect();
    let columns = Columns::new(names, b',', Style::default(), options)?;
    let table = Table::new(columns, builder.schema())?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), table.read.iter().copied());
    check_dictionaries(&source, &builder, &mask)?;
    let batches = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build().map_err(|_| DAMAGED)?;
    Ok((table, batches))
}

/// Every row of a file as cells of text, for tables that are no documents.
pub(crate) fn each_row(
    file: File,
    mut take: impl FnMut(&[String], &[String]) -> Result<(), Reason>,
) -> Result<(), Reason> {
    let whole = catch_unwind(AssertUnwindSafe(|| {
        let file = Arc::new(file);
        let builder = builder(&file)?;
        let names: Vec<String> = builder.schema().fields().iter().map(|f| f.name().clone()).collect();
        for field in builder.schema().fields() {
            super::check_known(field)?;
        }
        check_dictionaries(&file, &builder, &ProjectionMask::all())?;
        let mut cells = vec![String::new(); names.len()];
        for batch in builder.with_batch_size(BATCH_ROWS).build().map_err(|_| DAMAGED)? {
            let batch = batch.map_err(|_| DAMAGED)?;
            for row in 0..batch.num_rows() {
                for (text, column) in cells.iter_mut().zip(batch.columns()) {
                    *text = cell(column.as_ref(), row).unwrap_or_default();
                }
                take(&names, &cells)?;
            }
        }
        Ok(())
    }));
    whole.unwrap_or_else(|_| Err(DAMAGED.into()))
}

impl Table {
    /// The columns of a batch that pass unread.
    pub(super) fn rest(&self, batch: &RecordBatch) -> Rest {
        let passed = |role: &Role| *role == Role::Kept;
        let columns = self.read.iter().zip(batch.columns());
        columns.filter(|(i, _)| passed(&self.columns.roles()[**i])).map(|(_, c)| c.clone()).collect()
    }

    pub(super) fn document(
        &self,
        batch: &RecordBatch,
        rest: &Rest,
        row: usize,
        id: impl FnOnce() -> String,
    ) -> Result<Read, Reason> {
        let mut cells = vec![String::new(); self.columns.len()];
        let (mut encoding, mut without_text) = (Encoding::Utf8, false);
        for (&i, column) in self.read.iter().zip(batch.columns()) {
            match self.columns.roles()[i] {
                Role::Text => match text(column.as_ref(), row)? {
                    Some((text, read_as)) => (cells[i], encoding) = (text, read_as),
                    None => without_text = true,
                },
                Role::Kept | Role::Dropped => {}
                _ => cells[i] = cell(column.as_ref(), row).unwrap_or_default(),
            }
        }
        let mut read = self.columns.document(cells, encoding, id)?;
        let date = match &read.document.place.0 {
            Spot::Row { date, .. } => *date,
            _ => Default::default(),
        };
        read.document.place = Place(Spot::Record { date, rest: rest.clone(), row, without_text });
        Ok(read)
    }
}

/// The text of a row; columns of plain bytes are decoded as files are.
fn text(column: &dyn Array, row: usize) -> Result<Option<(String, Encoding)>, Reason> {
    if column.is_null(row) || *column.data_type() == DataType::Null {
        return Ok(None);
    }
    let bytes = match column.data_type() {
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        _ => return Ok(cell(column, row).map(|text| (text, Encoding::Utf8))),
    };
    if bytes.len() > Note::MAX_BYTES {
        return Err(crate::read::too_long(bytes.len() as u64).into());
    }
    let (text, encoding) = decode_field(bytes)?;
    Ok(Some((text.into_owned(), encoding)))
}

/// A cell as a table of text would hold it.
pub(super) fn cell(column: &dyn Array, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    macro_rules! number {
        ($t:ty) => {
            Some(column.as_primitive::<$t>().value(row).to_string())
        };
    }
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().value(row).to_owned()),
        DataType::LargeUtf8 => Some(column.as_string::<i64>().value(row).to_owned()),
        DataType::Utf8View => Some(column.as_string_view().value(row).to_owned()),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        // Whole numbers with gaps are often kept as floating point: 12.0 is patient 12.
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        DataType::Decimal128(..) => number!(Decimal128Type),
        DataType::Date32 => day(i64::from(column.as_primitive::<Date32Type>().value(row))),
        DataType::Date64 => {
            day(column.as_primitive::<Date64Type>().value(row).div_euclid(per_day(TimeUnit::Millisecond)))
        }
        DataType::Timestamp(unit, _) => {
            let ticks = match unit {
                TimeUnit::Second => column.as_primitive::<TimestampSecondType>().value(row),
                TimeUnit::Millisecond => column.as_primitive::<TimestampMillisecondType>().value(row),
                TimeUnit::Microsecond => column.as_primitive::<TimestampMicrosecondType>().value(row),
                TimeUnit::Nanosecond => column.as_primitive::<TimestampNanosecondType>().value(row),
            };
            day(ticks.div_euclid(per_day(*unit)))
        }
        _ => None,
    }
}

/// A day counted from 1970, as text.
fn day(days: i64) -> Option<String> {
    let span = jiff::Span::new().try_days(days).ok()?;
    Some(Date::constant(1970, 1, 1).checked_add(span).ok()?.to_string())
}
