//! Documents in and out, one file per format.
//!
//! [`discover`] finds and recognises what the user gave; [`open`] streams the documents of one file, one in
//! memory at a time; a [`Writer`] writes them back in kind or as annotations, under the final name only when
//! whole. Known identities come with the documents (`known`), from files beside them, or from `--patients`.
//!
//! What cannot be read is a [`Refusal`] with its place and reason; the other documents are read all the same.
//! Fields this crate does not know are left out of the output and named, unless asked for: a column that
//! nobody looked at is a leak. No message quotes a document.

mod atomic;
mod batch;
mod brat;
mod csv_rows;
mod date;
mod decode;
mod directory;
mod discover;
mod document;
mod encoded;
mod envelope;
mod error;
mod html;
mod identity;
mod json_write;
mod jsonl;
mod lines;
mod mailbox;
mod markup;
mod office;
mod offsets;
mod packed;
mod parquet;
mod paths;
mod read;
mod rekey;
mod rows;
mod sealed_file;
mod sidecar;
mod sniff;
mod spill;
mod splice;
mod stage;
mod table;
mod text_edit;
mod text_form;
mod titles;
mod well_known;
mod write;
mod xml;

use std::path::PathBuf;
use std::sync::Arc;

pub use atomic::AtomicFile;
pub use brat::push_ann as push_brat;
pub use csv_rows::{each_csv_row, push_csv_row};
pub use date::read as read_date;
pub use decode::Encoding;
pub use directory::{Directory, DirectoryEntry};
pub use discover::{Discovery, InputFile, discover, ids_of_files};
pub use document::{Document, FinalSpan, GoldSpan, NewFields, OutSpan, Place};
pub use error::{Error, ErrorKind, Position, Reason, Refusal, Setting};
pub use identity::{Problem, known_from_json, merge as merge_known};
pub use json_write::{annotation_line, push_annotation, push_string, push_text_in_form};
pub use jsonl::{Request, RequestParser, final_spans_from_json};
pub use office::LeftOut;
pub use office::scan::{Ocr, OcrProgram, UnreadParts};
pub use offsets::{Offsets, from_bytes, to_bytes};
pub use parquet::{BatchRow, BatchTable, BatchWriter};
pub use paths::OutputPlan;
pub use read::{Layout, ReadSummary, Reader, open, read_bytes, read_from};
pub use rekey::{JoinId, Rekey, Rekeyed, check_table, rekey_table};
pub use sealed_file::{SealedFile, SealedRecords};
pub use sidecar::{Identities, RowKey};
pub use stage::Stage;
pub use text_form::TextForm;
pub use write::{FileNames, WriteOptions, Writer};

use taire_text::Note;

/// The most bytes one document may take in its file; beyond it is refused unread.
pub(crate) const LIMIT: usize = Note::MAX_BYTES + (8 << 20);

/// The formats that are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Text,
    /// A text with its annotations beside it in a `.ann` file.
    Brat,
    /// One JSON object per line.
    Jsonl,
    /// One JSON object, or an array of them.
    Json,
    Csv {
        delimiter: u8,
    },
    /// Word since 2007.
    Docx,
    /// Excel since 2007.
    Xlsx,
    /// PowerPoint since 2007.
    Pptx,
    /// OpenDocument text.
    Odt,
    Html,
    Rtf,
    /// Word 97-2003.
    Doc,
    Pdf,
    /// A page as PNG, JPEG or TIFF.
    Image,
    /// A table by columns.
    Parquet,
    /// Clinical Document Architecture, release 2.
    Cda,
    /// A FHIR R4 resource in JSON.
    Fhir,
    /// A FHIR R4 resource in XML.
    FhirXml,
    /// FHIR R4 resources, one a line (Bulk Data).
    FhirLines,
    /// One HL7 v2 message.
    Hl7,
    /// HL7 v2 messages one after the other, as a batch or without its header.
    Hl7Batch,
    /// One mail.
    Mail,
    /// A message of Outlook.
    Msg,
    /// Mails one after the other.
    Mailbox,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Brat => "brat",
            Format::Jsonl => "jsonl",
            Format::Json => "json",
            Format::Csv { delimiter: b'\t' } => "tsv",
            Format::Csv { .. } => "csv",
            Format::Docx => "docx",
            Format::Xlsx => "xlsx",
            Format::Pptx => "pptx",
            Format::Odt => "odt",
            Format::Html => "html",
            Format::Rtf => "rtf",
            Format::Doc => "doc",
            Format::Pdf => "pdf",
            Format::Image => "image",
            Format::Parquet => "parquet",
            Format::Cda => "cda",
            Format::Fhir => "fhir",
            Format::FhirXml => "fhir-xml",
            Format::FhirLines => "fhir-ndjson",
            Format::Hl7 => "hl7",
            Format::Hl7Batch => "hl7-batch",
            Format::Mail => "eml",
            Format::Msg => "msg",
            Format::Mailbox => "mbox",
        }
    }

    /// Whether one file holds one document.
    pub fn is_single(self) -> bool {
        !matches!(
            self,
            Format::Jsonl
                | Format::Json
                | Format::Csv { .. }
                | Format::Parquet
                | Format::Mailbox
                | Format::FhirLines
                | Format::Hl7Batch
        )
    }

    /// The usual ending of a file of this format.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Text | Format::Brat => "txt",
            Format::Cda | Format::FhirXml => "xml",
            Format::Fhir => "json",
            Format::FhirLines => "ndjson",
            Format::Hl7Batch => "hl7",
            Format::Image => "png",
            other => other.name(),
        }
    }
}

impl Format {
    /// Read to text and written as such: `name.doc` becomes `name.doc.txt`.
    pub(crate) fn becomes_text(self) -> bool {
        self == Format::Doc
    }
}

/// What to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum To {
    /// The format that was read.
    #[default]
    InKind,
    Jsonl,
    Brat,
    Xml,
    Html,
}

/// How files are read: which columns or keys mean what, and what is known beforehand.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    pub text_column: Option<String>,
    pub id_column: Option<String>,
    pub patient_column: Option<String>,
    pub date_column: Option<String>,
    pub visit_column: Option<String>,
    /// Columns or keys passed through unread. Others that are not known are left out.
    pub keep_columns: Vec<String>,
    /// Read the annotations that come with documents (`spans`, `.ann`).
    pub gold: bool,
    /// Documents without a patient may be passed over, where that saves reading them.
    pub patients_only: bool,
    /// How scans are read.
    pub ocr: Ocr,
    /// `--patients`.
    pub patients: Option<Arc<Identities>>,
    /// Folders not to walk into and files not to read: the output, when it lies inside an input, and reports in it.
    pub exclude: Vec<PathBuf>,
}
