//! Writing a Parquet table, resumable. Each row group is a small file of its own in the stage; at the end they are
//! joined byte by byte under the target's name. So a run that is killed loses the rows of one group at most, and the
//! output is the same as if it had not been. Rows are packed a few at a time: what waits in memory for its group to be
//! full is packed already.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{
    Array, ArrayRef, Date32Array, Decimal128Array, Float64Array, Int64Array, NullArray, PrimitiveArray,
    RecordBatch, StringArray, TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt64Array,
};
use arrow_schema::{DataType, TimeUnit};
use arrow_select::interleave::interleave;
use jiff::civil::Date;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use super::{Made, Rest, Table, per_day};
use crate::date::{self, DateShape};
use crate::document::Spot;
use crate::{Document, Error, NewFields, Stage};

/// A row group is written at so much text, if not before at its rows.
const GROUP_BYTES: usize = 32 << 20;
/// Rows are packed at so many, or at so much text.
const BATCH_ROWS: usize = 256;
const BATCH_BYTES: usize = 1 << 20;

/// Collects rows and writes them by groups.
#[derive(Debug)]
pub(crate) struct TableWriter {
    target: PathBuf,
    stage: Stage,
    folder: PathBuf,
    table: Arc<Table>,
    group_rows: usize,
    groups: u64,
    open: Option<OpenGroup>,
    waiting: Batch,
}

/// The row group being packed.
struct OpenGroup {
    out: ArrowWriter<File>,
    rows: usize,
    bytes: usize,
}

impl std::fmt::Debug for OpenGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OpenGroup({} rows)", self.rows)
    }
}

/// Rows not packed yet.
#[derive(Default)]
pub(super) struct Batch {
    text: StringBuilder,
    ids: Vec<Option<String>>,
    patients: Vec<Option<String>>,
    visits: Vec<Option<String>>,
    dates: Vec<Option<(Date, DateShape)>>,
    languages: Vec<Option<&'static str>>,
    /// The batches rows pass columns from, and each row's batch and place in it.
    batches: Vec<Rest>,
    picks: Vec<(usize, usize)>,
}

impl std::fmt::Debug for Batch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Batch({} rows)", self.picks.len())
    }
}

impl TableWriter {
    /// Goes on after `groups` that are already in the stage; with none, anew.
    pub(crate) fn create(
        target: &Path,
        table: Arc<Table>,
        stage: &Stage,
        groups: u64,
        group_rows: usize,
    ) -> Result<Self, Error> {
        let folder = stage.path("groups");
        let fail = |e| crate::error::output_error(target, "write here", &e);
        if let Some(parent) = target.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(parent)
                .map_err(|e| crate::error::output_error(parent, "make this folder", &e))?;
        }
        if groups == 0 && folder.exists() {
            fs::remove_dir_all(&folder).map_err(fail)?;
        }
        fs::create_dir_all(&folder).map_err(fail)?;
        let (target, stage) = (target.into(), stage.clone());
        Ok(TableWriter {
            target,
            stage,
            folder,
            table,
            group_rows,
            groups,
            open: None,
            waiting: Batch::default(),
        })
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    fn group_path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:08}"))
    }

    pub(crate) fn write(
        &mut self,
        document: &Document,
        text: &str,
        new: &NewFields<'_>,
    ) -> Result<(), Error> {
        self.waiting.push(document, Some(text), new)?;
        let (waiting, bytes) = (self.waiting.rows(), self.waiting.bytes());
        let (packed, packed_bytes) = self.open.as_ref().map_or((0, 0), |open| (open.rows, open.bytes));
        if packed + waiting >= self.group_rows || packed_bytes + bytes >= GROUP_BYTES {
            return self.flush();
        }
        if waiting >= BATCH_ROWS || bytes >= BATCH_BYTES { self.pack() } else { Ok(()) }
    }

    /// How many groups are on disk, if no row waits to join them.
    pub(crate) fn mark(&self) -> Option<u64> {
        (self.waiting.picks.is_empty() && self.open.is_none()).then_some(self.groups)
    }

    /// Packs the rows that wait into the open group.
    fn pack(&mut self) -> Result<(), Error> {
        let group = std::mem::take(&mut self.waiting);
        let (rows, bytes) = (group.rows(), group.bytes());
        let batch = group.batch(&self.table).map_err(|()| self.failed(None))?;
        let pack = |this: &mut Self| -> Result<(), ParquetError> {
            let mut open = match this.open.take() {
                Some(open) => open,
                None => {
                    let file = File::create(this.group_path(this.groups))?;
                    let out =
                        ArrowWriter::try_new(file, this.table.written.clone(), Some(this.properties()))?;
                    OpenGroup { out, rows: 0, bytes: 0 }
                }
            };
            open.out.write(&batch)?;
            this.open = Some(OpenGroup { rows: open.rows + rows, bytes: open.bytes + bytes, ..open });
            Ok(())
        };
        pack(self).map_err(|e| self.failed(Some(&e)))
    }

    /// Ends the open group.
    fn flush(&mut self) -> Result<(), Error> {
        self.pack()?;
        let Some(open) = self.open.take() else { return Ok(()) };
        let end = || -> Result<(), ParquetError> {
            let file = open.out.into_inner()?;
            file.sync_data()?;
            Ok(())
        };
        end().map_err(|e| self.failed(Some(&e)))?;
        self.groups += 1;
        Ok(())
    }

    fn properties(&self) -> WriterProperties {
        let text = self.table.made.iter().position(|m| *m == Made::Text);
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_created_by(concat!("taire ", env!("CARGO_PKG_VERSION")).to_owned());
        if let Some(text) = text {
            let name = self.table.written.field(text).name().clone();
            properties = properties.set_column_dictionary_enabled(ColumnPath::new(vec![name]), false);
        }
        properties.build()
    }

    /// Joins the groups under the target's name.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        if self.mark().is_none() || self.groups == 0 {
            self.flush()?;
        }
        let whole = self.stage.path("whole");
        self.join(&whole).map_err(|e| self.failed(Some(&e)))?;
        fs::rename(&whole, &self.target)
            .map_err(|e| crate::error::output_error(&self.target, "finish writing", &e))?;
        fs::remove_dir_all(&self.folder)
            .map_err(|e| crate::error::output_error(&self.target, "tidy up after", &e))
    }

    fn join(&self, whole: &Path) -> Result<(), ParquetError> {
        let first = File::open(self.group_path(0))?;
        let about = ParquetMetaDataReader::new().parse_and_finish(&first)?;
        let file = about.file_metadata();
        let properties = WriterProperties::builder()
            .set_created_by(concat!("taire ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(file.key_value_metadata().cloned())
            .build();
        let out = File::create(whole)?;
        let mut writer = SerializedFileWriter::new(
            std::io::BufWriter::with_capacity(1 << 18, &out),
            file.schema_descr().root_schema_ptr(),
            Arc::new(properties),
        )?;
        for number in 0..self.groups {
            let part = File::open(self.group_path(number))?;
            let about = ParquetMetaDataReader::new().parse_and_finish(&part)?;
            for group in about.row_groups() {
                let mut rows = writer.next_row_group()?;
                for column in group.columns() {
                    let close = ColumnCloseResult {
                        bytes_written: column.compressed_size() as u64,
                        rows_written: group.num_rows() as u64,
                        metadata: column.clone(),
                        bloom_filter: None,
                        column_index: None,
                        offset_index: None,
                    };
                    rows.append_column(&part, close)?;
                }
                rows.close()?;
            }
        }
        writer.into_inner()?.flush()?;
        out.sync_data()?;
        Ok(())
    }

    /// The kind of a failure; its own text may quote values.
    fn failed(&self, error: Option<&ParquetError>) -> Error {
        if let Some(ParquetError::External(source)) = error
            && let Some(io) = source.downcast_ref::<std::io::Error>()
        {
            return crate::error::output_error(&self.target, "write", io);
        }
        crate::error::output_error(&self.target, "write", &std::io::ErrorKind::Other.into())
    }
}

impl Batch {
    pub(super) fn push(
        &mut self,
        document: &Document,
        text: Option<&str>,
        new: &NewFields<'_>,
    ) -> Result<(), Error> {
        let Spot::Record { date: shape, rest, row, without_text } = &document.place.0 else {
            return Err(Error::usage("a row of a table by columns can only come from one"));
        };
        self.text.append_option(text.filter(|_| !without_text));
        self.ids.push((!document.named_by_place).then(|| new.id.to_owned()));
        self.patients.push(new.patient.map(str::to_owned));
        self.visits.push(new.visit.map(str::to_owned));
        self.dates.push(new.date.map(|d| (d, *shape)));
        self.languages.push(document.language.map(taire_text::Language::key));
        if !self.batches.last().is_some_and(|last| Arc::ptr_eq(last, rest)) {
            self.batches.push(rest.clone());
        }
        self.picks.push((self.batches.len() - 1, *row));
        Ok(())
    }

    pub(super) fn rows(&self) -> usize {
        self.picks.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.values_slice().len()
    }

    pub(super) fn batch(mut self, table: &Table) -> Result<RecordBatch, ()> {
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(table.made.len());
        for (made, field) in table.made.iter().zip(table.written.fields()) {
            columns.push(match made {
                Made::Text => Arc::new(self.text.finish()),
                Made::Language => Arc::new(StringArray::from(std::mem::take(&mut self.languages))),
                Made::Id => ids(&self.ids, field.data_type())?,
                Made::Patient => ids(&self.patients, field.data_type())?,
                Made::Visit => ids(&self.visits, field.data_type())?,
                Made::Date => dates(&self.dates, field.data_type())?,
                Made::Passed(i) => self.passed(*i, field.data_type())?,
            });
        }
        RecordBatch::try_new(table.written.clone(), columns).map_err(|_| ())
    }

    fn passed(&self, column: usize, kind: &DataType) -> Result<ArrayRef, ()> {
        let batches: Vec<&dyn Array> = self.batches.iter().map(|b| b[column].as_ref()).collect();
        match batches.is_empty() {
            true => Ok(arrow_array::new_empty_array(kind)),
            false if *kind == DataType::Null => Ok(Arc::new(NullArray::new(self.picks.len()))),
            false => interleave(&batches, &self.picks).map_err(|_| ()),
        }
    }
}

/// Numbers that do not fit their column are left empty: never the original's.
pub(super) fn ids(values: &[Option<String>], kind: &DataType) -> Result<ArrayRef, ()> {
    fn parsed<T: std::str::FromStr>(values: &[Option<String>]) -> impl Iterator<Item = Option<T>> {
        values.iter().map(|v| v.as_ref().and_then(|v| v.parse().ok()))
    }
    Ok(match kind {
        DataType::Int64 => Arc::new(parsed::<i64>(values).collect::<Int64Array>()),
        DataType::UInt64 => Arc::new(parsed::<u64>(values).collect::<UInt64Array>()),
        DataType::Float64 => Arc::new(parsed::<f64>(values).collect::<Float64Array>()),
        DataType::Decimal128(precision, scale) => {
            let made: Decimal128Array = parsed::<i128>(values).collect();
            Arc::new(made.with_precision_and_scale(*precision, *scale).map_err(|_| ())?)
        }
        _ => Arc::new(values.iter().map(|v| v.as_deref()).collect::<StringArray>()),
    })
}

pub(super) fn dates(values: &[Option<(Date, DateShape)>], kind: &DataType) -> Result<ArrayRef, ()> {
    let days = || {
        let since = |d: &Date| (*d - Date::constant(1970, 1, 1)).get_days();
        values.iter().map(move |v| v.as_ref().map(|(d, _)| since(d)))
    };
    let printed = || values.iter().map(|v| v.as_ref().map(|(d, shape)| date::print(*d, *shape)));
    fn zoned<T: arrow_array::types::ArrowTimestampType>(
        array: PrimitiveArray<T>,
        zone: &Option<Arc<str>>,
    ) -> ArrayRef {
        Arc::new(array.with_timezone_opt(zone.clone()))
    }
    Ok(match kind {
        DataType::Date32 => Arc::new(days().collect::<Date32Array>()),
        DataType::Int64 => {
            Arc::new(printed().map(|p| p.and_then(|p| p.parse().ok())).collect::<Int64Array>())
        }
        DataType::Timestamp(unit, zone) => {
            let ticks = days().map(|d| d.map(|d| i64::from(d).saturating_mul(per_day(*unit))));
            match unit {
                TimeUnit::Second => zoned(ticks.collect::<TimestampSecondArray>(), zone),
                TimeUnit::Millisecond => zoned(ticks.collect::<TimestampMillisecondArray>(), zone),
                TimeUnit::Microsecond => zoned(ticks.collect::<TimestampMicrosecondArray>(), zone),
                TimeUnit::Nanosecond => zoned(ticks.collect::<TimestampNanosecondArray>(), zone),
            }
        }
        _ => Arc::new(printed().collect::<StringArray>()),
    })
}
