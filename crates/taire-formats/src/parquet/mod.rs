//! Parquet: a table of documents by columns, read and written in batches of rows.
//!
//! Only the columns that have a role are read. What is written is a new file: the columns the output may hold, without
//! the statistics and the metadata of the original, which may quote it. Text stays text, the date's column keeps its
//! type, whole numbers of documents, patients and visits are written in 64 bits, kept columns pass as they are.

mod batch;
mod read;
mod rekey;
mod write;

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use crate::Reason;
use crate::table::{Columns, Role};

pub use batch::{BatchRow, BatchTable, BatchWriter};
pub(crate) use read::{Rows, Source, Step, each_row};
pub(crate) use rekey::{column_names, rekey};
pub(crate) use write::TableWriter;

/// The columns of a table that pass unread, for the rows of one batch.
pub(crate) type Rest = Arc<[ArrayRef]>;

/// What a written column is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Made {
    Text,
    Id,
    Patient,
    Visit,
    Date,
    Language,
    /// A column of [`Rest`].
    Passed(usize),
}

/// The columns of a file and what each becomes.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Columns,
    /// The columns read, by their place in the file.
    read: Vec<usize>,
    made: Vec<Made>,
    written: SchemaRef,
}

impl Table {
    fn new(columns: Columns, schema: &Schema) -> Result<Self, Reason> {
        let (mut read, mut made, mut fields, mut passed) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (i, (field, role)) in schema.fields().iter().zip(columns.roles()).enumerate() {
            if *role == Role::Dropped {
                continue;
            }
            check(field, role)?;
            read.push(i);
            let how = match role {
                Role::Text => Made::Text,
                Role::Id => Made::Id,
                Role::Patient => Made::Patient,
                Role::Visit => Made::Visit,
                Role::Date => Made::Date,
                Role::Language => Made::Language,
                Role::Kept => {
                    passed += 1;
                    Made::Passed(passed - 1)
                }
                Role::Known(_) | Role::Dropped => continue,
            };
            made.push(how);
            fields.push(Field::new(field.name(), written_type(how, field.data_type()), true));
        }
        Ok(Table { columns, read, made, written: Arc::new(Schema::new(fields)) })
    }
}

fn written_type(made: Made, read: &DataType) -> DataType {
    match made {
        Made::Text | Made::Language => DataType::Utf8,
        Made::Passed(_) => read.clone(),
        Made::Id | Made::Patient | Made::Visit => match read {
            DataType::UInt64 | DataType::Float64 => read.clone(),
            t if t.is_integer() => DataType::Int64,
            DataType::Float32 => DataType::Float64,
            DataType::Decimal128(..) => read.clone(),
            _ => DataType::Utf8,
        },
        Made::Date => match read {
            DataType::Date32 | DataType::Date64 => DataType::Date32,
            DataType::Timestamp(unit, zone) => DataType::Timestamp(*unit, zone.clone()),
            t if t.is_integer() => DataType::Int64,
            _ => DataType::Utf8,
        },
    }
}

fn is_text(kind: &DataType) -> bool {
    use DataType::{LargeUtf8, Utf8, Utf8View};
    matches!(kind, Utf8 | LargeUtf8 | Utf8View)
}

/// Refuses a column whose type its role cannot have.
fn check(field: &Field, role: &Role) -> Result<(), Reason> {
    use DataType::{Binary, Date32, Date64, Decimal128, Float32, Float64, LargeBinary, Null, Timestamp};
    let (name, kind) = (field.name(), field.data_type());
    if kind.is_nested() {
        return Err(format!(
            "column `{name}` is nested: it holds lists or structures, which can be left out but not read or kept; \
             flatten it first"
        ).into());
    }
    let number = |k: &DataType| k.is_integer() || matches!(k, Float32 | Float64 | Decimal128(_, 0));
    let dated = |k: &DataType| matches!(k, Date32 | Date64 | Timestamp(..));
    let fits = match role {
        Role::Text => is_text(kind) || matches!(kind, Binary | LargeBinary | Null),
        Role::Id | Role::Patient | Role::Visit => is_text(kind) || number(kind) || *kind == Null,
        Role::Date => is_text(kind) || dated(kind) || kind.is_integer() || *kind == Null,
        Role::Language => is_text(kind) || *kind == Null,
        Role::Known(_) => is_text(kind) || number(kind) || dated(kind) || *kind == Null,
        Role::Kept | Role::Dropped => true,
    };
    match fits {
        true => Ok(()),
        false => Err(format!("column `{name}` holds {}, which its use does not allow", plain(kind)).into()),
    }
}

/// The same for a column of identities.
fn check_known(field: &Field) -> Result<(), Reason> {
    match crate::identity::FlatKey::parse(field.name()) {
        Some(key) => check(field, &Role::Known(key)),
        None => Ok(()),
    }
}

fn plain(kind: &DataType) -> String {
    match kind {
        DataType::Boolean => "yes/no values".into(),
        k if k.is_numeric() => "numbers".into(),
        k if k.is_temporal() => "dates or times".into(),
        _ => "bytes".into(),
    }
}

/// How many of a unit make a day.
fn per_day(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 86_400,
        TimeUnit::Millisecond => 86_400_000,
        TimeUnit::Microsecond => 86_400_000_000,
        TimeUnit::Nanosecond => 86_400_000_000_000,
    }
}
