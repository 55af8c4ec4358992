//! Tables without text by columns: see [`crate::rekey`].

use std::fs::File;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowTimestampType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use jiff::civil::Date;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::read::{BATCH_ROWS, DAMAGED, builder, cell, check_dictionaries};
use super::write::{dates, ids};
use super::{Made, per_day, written_type};
use crate::date;
use crate::rekey::{Plan, Rekey, Rekeyed, Use};
use crate::{AtomicFile, Error};

/// Where the writer puts its bytes.
struct Target(AtomicFile);

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(bytes).map_err(|_| io::Error::other("the table cannot be written"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The names of the columns of a file.
pub(crate) fn column_names(file: File) -> Result<Vec<String>, Error> {
    let named = catch_unwind(AssertUnwindSafe(|| {
        let builder = builder(&Arc::new(file)).map_err(Error::input)?;
        Ok(builder.schema().fields().iter().map(|f| f.name().clone()).collect())
    }));
    named.unwrap_or_else(|_| Err(Error::input(DAMAGED)))
}

pub(crate) fn rekey(
    file: File,
    target: &Path,
    kept: &[String],
    rekey: &dyn Rekey,
    done: &mut Rekeyed,
) -> Result<(), Error> {
    let whole = catch_unwind(AssertUnwindSafe(|| {
        let file = Arc::new(file);
        let builder = builder(&file).map_err(Error::input)?;
        let names: Vec<String> = builder.schema().fields().iter().map(|f| f.name().clone()).collect();
        let plan = Plan::new(&names, kept, done)?;
        let schema = written_schema(builder.schema(), &plan);
        check_dictionaries(&file, &builder, &ProjectionMask::all()).map_err(Error::input)?;
        let damaged = |_| Error::input(DAMAGED);
        let failed = |_| Error::from(io::Error::other("the table cannot be written")).in_file(target);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        let out = Target(AtomicFile::create(target)?);
        let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(failed)?;
        for batch in builder.with_batch_size(BATCH_ROWS).build().map_err(damaged)? {
            let batch = rekey_batch(&batch.map_err(|_| Error::input(DAMAGED))?, &plan, &schema, rekey, done)?;
            writer.write(&batch).map_err(failed)?;
        }
        writer.into_inner().map_err(failed)?.0.finish()
    }));
    whole.unwrap_or_else(|_| Err(Error::input(DAMAGED)))
}

fn written_schema(schema: &Schema, plan: &Plan) -> Arc<Schema> {
    let fields = schema.fields().iter().zip(&plan.uses).filter_map(|(field, column)| {
        let made = match column {
            Use::LeftOut => return None,
            Use::Kept => Made::Passed(0),
            Use::Code if field.data_type().is_numeric() => Made::Passed(0),
            Use::Date => Made::Date,
            Use::Code | Use::Id(_) | Use::BirthYear | Use::BirthMonth | Use::BirthDay => Made::Patient,
        };
        Some(Field::new(field.name(), written_type(made, field.data_type()), true))
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn rekey_batch(
    batch: &RecordBatch,
    plan: &Plan,
    schema: &Arc<Schema>,
    rekey: &dyn Rekey,
    done: &mut Rekeyed,
) -> Result<RecordBatch, Error> {
    let mut rows: Vec<Vec<Option<String>>> = Vec::with_capacity(batch.num_rows());
    for row in 0..batch.num_rows() {
        let used = |column: &Use, array: &ArrayRef| match column {
            Use::Kept | Use::LeftOut => false,
            Use::Code => !array.data_type().is_numeric(),
            _ => true,
        };
        let mut cells: Vec<Option<String>> = plan
            .uses
            .iter()
            .zip(batch.columns())
            .map(|(column, array)| cell(array.as_ref(), row).filter(|_| used(column, array)))
            .collect();
        plan.rekey(&mut cells, rekey, done);
        rows.push(cells);
    }
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(schema.fields().len());
    for (i, (column, array)) in plan.uses.iter().zip(batch.columns()).enumerate() {
        let cells = || rows.iter().map(|cells| cells[i].clone());
        let kind = match schema.fields().get(columns.len()) {
            Some(field) if *column != Use::LeftOut => field.data_type(),
            _ => continue,
        };
        columns.push(match column {
            Use::LeftOut | Use::Kept => array.clone(),
            Use::Code if array.data_type().is_numeric() => array.clone(),
            Use::Date => dates_of(array.as_ref(), cells(), kind)?,
            Use::Code | Use::Id(_) | Use::BirthYear | Use::BirthMonth | Use::BirthDay => {
                let values: Vec<Option<String>> = cells().collect();
                let made = ids(&values, kind).map_err(|()| Error::input(DAMAGED))?;
                if made.null_count() > values.iter().filter(|v| v.is_none()).count() {
                    return Err(Error::policy(format!(
                        "column `{}` holds numbers, and the new ids are none: use `rewrite.ids = \"permute\"`, or write the \
                         column as text",
                        batch.schema().field(i).name()
                    )));
                }
                made
            }
        });
    }
    RecordBatch::try_new(schema.clone(), columns).map_err(|_| Error::input(DAMAGED))
}

/// Moved dates in the type of their column; the time of day of a timestamp stays.
fn dates_of(
    old: &dyn Array,
    cells: impl Iterator<Item = Option<String>>,
    kind: &DataType,
) -> Result<ArrayRef, Error> {
    let days = cells.map(|cell| cell.as_deref().and_then(date::parse));
    let DataType::Timestamp(unit, zone) = kind else {
        let days: Vec<_> = days.collect();
        return dates(&days, kind).map_err(|()| Error::input(DAMAGED));
    };
    let ticks = per_day(*unit);
    let starts: Vec<Option<i64>> = days
        .map(|day| {
            day.map(|(day, _)| i64::from((day - Date::constant(1970, 1, 1)).get_days()).saturating_mul(ticks))
        })
        .collect();
    fn moved<T: ArrowTimestampType>(
        old: &dyn Array,
        starts: &[Option<i64>],
        ticks: i64,
        zone: &Option<Arc<str>>,
    ) -> ArrayRef {
        let old = old.as_primitive::<T>();
        let with_time = |(row, start): (usize, &Option<i64>)| {
            start.map(|start| start.saturating_add(old.value(row).rem_euclid(ticks)))
        };
        let new: PrimitiveArray<T> = starts.iter().enumerate().map(with_time).collect();
        Arc::new(new.with_timezone_opt(zone.clone()))
    }
    Ok(match unit {
        TimeUnit::Second => moved::<TimestampSecondType>(old, &starts, ticks, zone),
        TimeUnit::Millisecond => moved::<TimestampMillisecondType>(old, &starts, ticks, zone),
        TimeUnit::Microsecond => moved::<TimestampMicrosecondType>(old, &starts, ticks, zone),
        TimeUnit::Nanosecond => moved::<TimestampNanosecondType>(old, &starts, ticks, zone),
    })
}
