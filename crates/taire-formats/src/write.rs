//! Writing documents, in kind or as annotations. Nothing appears under its final name before it is whole.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::atomic::new_file;
use crate::html::Page;
use crate::json_write;
use crate::jsonl::Keys;
use crate::offsets::floor;
use crate::parquet::TableWriter;
use crate::paths::writes_brat;
use crate::table::Columns;
use crate::{
    AtomicFile, Document, Error, Format, Layout, NewFields, Offsets, OutSpan, ReadOptions, Stage, To, batch,
    brat, mailbox, xml,
};

/// What is written, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    pub to: To,
    pub offsets: Offsets,
    /// Rows of one row group of a Parquet table.
    pub group_rows: usize,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { to: To::InKind, offsets: Offsets::CodePoints, group_rows: 8192 }
    }
}

/// Writes the documents of one file, in the order they are given. Dropped before [`Writer::finish`], it leaves
/// something in its stage only.
#[derive(Debug)]
pub struct Writer {
    kind: Kind,
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum Kind {
    Text(AtomicFile),
    /// One document with markup.
    Markup(AtomicFile),
    /// Mails one after the other.
    Mails(AtomicFile),
    /// Resources, one a line.
    Lines(AtomicFile),
    /// Messages of a batch.
    Messages(AtomicFile),
    Brat {
        text: AtomicFile,
        ann: AtomicFile,
    },
    BratFolder(Folder),
    Objects {
        file: AtomicFile,
        keys: Arc<Keys>,
        list: Option<u64>,
    },
    Table {
        file: AtomicFile,
        columns: Arc<Columns>,
    },
    Annotations {
        file: AtomicFile,
        offsets: Offsets,
    },
    Xml {
        file: AtomicFile,
        many: bool,
    },
    Html {
        file: AtomicFile,
        page: Page,
    },
    Parquet(Box<TableWriter>),
}

impl Writer {
    /// Starts the output of a file read with `layout`, at the target [`crate::OutputPlan`] gave it.
    pub fn create(
        target: &Path,
        options: WriteOptions,
        layout: &Layout,
        stage: &Stage,
    ) -> Result<Self, Error> {
        Writer::open(target, options, layout, stage, None)
    }

    /// Goes on with the output of a run that stopped at a [`Writer::mark`]: what came after it is written again.
    pub fn resume(
        target: &Path,
        options: WriteOptions,
        layout: &Layout,
        stage: &Stage,
        mark: u64,
    ) -> Result<Self, Error> {
        Writer::open(target, options, layout, stage, Some(mark))
    }

    fn open(
        target: &Path,
        options: WriteOptions,
        layout: &Layout,
        stage: &Stage,
        mark: Option<u64>,
    ) -> Result<Self, Error> {
        let WriteOptions { to, offsets, group_rows } = options;
        let mut buffer = Vec::new();
        let private = layout.private;
        if writes_brat(layout.format, to) {
            let staged = |name, target: &Path| AtomicFile::staged(stage, name, target, private, None);
            let kind = match layout.is_many() {
                true => Kind::BratFolder(Folder::create(target, stage, private)?),
                false => Kind::Brat {
                    text: staged("part", target)?,
                    ann: staged("ann", &target.with_extension("ann"))?,
                },
            };
            return Ok(Writer { kind, buffer });
        }
        if let (To::InKind, Some(table)) = (to, &layout.table) {
            let table = TableWriter::create(target, table.clone(), stage, mark.unwrap_or(0), group_rows)?;
            let kind = Kind::Parquet(Box::new(table));
            return Ok(Writer { kind, buffer });
        }
        let mut file = AtomicFile::staged(stage, "part", target, private, mark)?;
        let begins = mark.is_none();
        let kind = match (to, layout.format) {
            (To::Jsonl, _) => Kind::Annotations { file, offsets },
            (To::Xml, _) => {
                let many = layout.is_many();
                if begins {
                    file.write_all(xml::HEADER)?;
                }
                if many && begins {
                    file.write_all(b"<documents>\n")?;
                }
                Kind::Xml { file, many }
            }
            (To::Html, _) => {
                Page::push_head(&mut buffer, &layout.title);
                file.write_all(&buffer)?;
                Kind::Html { file, page: Page::default() }
            }
            (To::InKind | To::Brat, Format::Jsonl | Format::Json) => {
                let keys = match &layout.keys {
                    Some(keys) => keys.clone(),
                    None => Arc::new(Keys::new(&ReadOptions::default())?),
                };
                let written = mark.unwrap_or(0).min(1);
                Kind::Objects { file, keys, list: layout.list.then_some(written) }
            }
            (To::InKind | To::Brat, Format::Csv { .. }) => {
                let Some(columns) = &layout.columns else {
                    return Err(Error::usage("a table can only be written after its header was read"));
                };
                if begins {
                    columns.push_header(&mut buffer);
                    file.write_all(&buffer)?;
                }
                Kind::Table { file, columns: columns.clone() }
            }
            (To::InKind | To::Brat, Format::Text | Format::Brat) => Kind::Text(file),
            (
                To::InKind | To::Brat,
                Format::Docx
                | Format::Xlsx
                | Format::Pptx
                | Format::Odt
                | Format::Html
                | Format::Rtf
                | Format::Doc
                | Format::Pdf
                | Format::Image
                | Format::Cda
                | Format::Fhir
                | Format::FhirXml
                | Format::Hl7
                | Format::Mail
                | Format::Msg,
            ) => Kind::Markup(file),
            (To::InKind | To::Brat, Format::FhirLines) => Kind::Lines(file),
            (To::InKind | To::Brat, Format::Hl7Batch) => {
                if begins {
                    file.write_all(batch::HEADER)?;
                }
                Kind::Messages(file)
            }
            (To::InKind | To::Brat, Format::Mailbox) => Kind::Mails(file),
            (To::InKind | To::Brat, Format::Parquet) => {
                return Err(Error::usage("a table can only be written after its columns were read"));
            }
        };
        Ok(Writer { kind, buffer })
    }

    /// Writes one document: its new text, the spans in it (sorted, disjoint), and what stands for its fields. What the original said of these is never written. An error of kind [`crate::ErrorKind::Refused`]
    /// concerns this document alone.
    pub fn write(
        &mut self,
        document: &Document,
        text: &str,
        spans: &[OutSpan],
        new: &NewFields<'_>,
    ) -> Result<(), Error> {
        const KEEP: usize = 4 << 20;
        let out = &mut self.buffer;
        out.clear();
        out.shrink_to(KEEP);
        let in_form = || document.written_text(text, spans);
        match &mut self.kind {
            Kind::Text(file) => file.write_all(in_form()?.as_bytes()),
            Kind::Markup(file) | Kind::Lines(file) | Kind::Messages(file) => {
                let bytes = document.rewritten(text, spans);
                file.write_all(&bytes.unwrap_or(Err(Error::refused("its markup was not read")))?)
            }
            Kind::Mails(file) => {
                let bytes = document.rewritten(text, spans);
                mailbox::push(out, &bytes.unwrap_or(Err(Error::refused("its markup was not read")))?);
                if !mailbox::reads_as(out, text) {
                    return Err(Error::refused(
                        "its markup is damaged: what would be written cannot be read again",
                    ));
                }
                file.write_all(out)
            }
            Kind::Brat { text: file, ann } => {
                brat::push_ann(out, text, spans);
                file.write_all(text.as_bytes())?;
                ann.write_all(out)
            }
            Kind::BratFolder(folder) => {
                brat::push_ann(out, text, spans);
                folder.write(new.id, text, out)
            }
            Kind::Objects { file, keys, list } => {
                let text = &*in_form()?;
                if let Some(count) = list {
                    out.extend_from_slice(if *count == 0 { b"[\n" } else { b",\n" });
                    *count += 1;
                }
                json_write::push_in_kind(out, keys, document, text, new);
                if list.is_none() {
                    out.push(b'\n');
                }
                file.write_all(out)
            }
            Kind::Table { file, columns } => {
                columns.push_document(out, document, &in_form()?, new);
                file.write_all(out)
            }
            Kind::Annotations { file, offsets } => {
                json_write::annotation_line(out, new.id, text, spans, *offsets);
                out.push(b'\n');
                file.write_all(out)
            }
            Kind::Xml { file, .. } => {
                xml::push_document(out, new.id, text, spans);
                file.write_all(out)
            }
            Kind::Html { file, page } => {
                page.push_document(out, new.id, text, spans);
                file.write_all(out)
            }
            Kind::Parquet(table) => table.write(document, &in_form()?, new),
        }
    }

    /// Whether other documents are in what was written so far: a refused one leaves them there.
    pub fn holds_many(&self) -> bool {
        !matches!(self.kind, Kind::Text(_) | Kind::Markup(_) | Kind::Brat { .. })
    }

    /// Where an unfinished output can be gone on from, once that is on disk; `None` where it cannot, or not now.
    pub fn mark(&mut self) -> Result<Option<u64>, Error> {
        match &mut self.kind {
            Kind::Objects { file, .. }
            | Kind::Table { file, .. }
            | Kind::Annotations { file, .. }
            | Kind::Mails(file)
            | Kind::Lines(file)
            | Kind::Messages(file)
            | Kind::Xml { file, many: true } => file.mark().map(Some),
            Kind::Parquet(table) => Ok(table.mark()),
            Kind::Text(_)
            | Kind::Markup(_)
            | Kind::Brat { .. }
            | Kind::BratFolder(_)
            | Kind::Xml { many: false, .. }
            | Kind::Html { .. } => Ok(None),
        }
    }

    /// The files that [`Writer::finish`] makes.
    pub fn outputs(&self) -> Vec<PathBuf> {
        match &self.kind {
            Kind::Text(file)
            | Kind::Markup(file)
            | Kind::Mails(file)
            | Kind::Lines(file)
            | Kind::Messages(file)
            | Kind::Objects { file, .. }
            | Kind::Table { file, .. }
            | Kind::Annotations { file, .. }
            | Kind::Xml { file, .. }
            | Kind::Html { file, .. } => vec![file.target().to_owned()],
            Kind::Brat { text, ann } => vec![text.target().to_owned(), ann.target().to_owned()],
            Kind::BratFolder(folder) => folder.outputs(),
            Kind::Parquet(table) => vec![table.target().to_owned()],
        }
    }

    /// Puts the whole output under its name.
    pub fn finish(mut self) -> Result<(), Error> {
        self.buffer.clear();
        match self.kind {
            Kind::Text(file)
            | Kind::Markup(file)
            | Kind::Mails(file)
            | Kind::Lines(file)
            | Kind::Table { file, .. }
            | Kind::Annotations { file, .. } => file.finish(),
            Kind::Messages(mut file) => {
                file.write_all(batch::TRAILER)?;
                file.finish()
            }
            Kind::Brat { text, ann } => {
                text.finish()?;
                ann.finish()
            }
            Kind::BratFolder(folder) => folder.finish(),
            Kind::Parquet(table) => table.finish(),
            Kind::Objects { mut file, list, .. } => {
                match list {
                    Some(0) => file.write_all(b"[]\n")?,
                    Some(_) => file.write_all(b"\n]\n")?,
                    None => {}
                }
                file.finish()
            }
            Kind::Xml { mut file, many } => {
                if many {
                    file.write_all(b"</documents>\n")?;
                }
                file.finish()
            }
            Kind::Html { mut file, page } => {
                page.push_foot(&mut self.buffer);
                file.write_all(&self.buffer)?;
                file.finish()
            }
        }
    }
}

/// A folder of files filled under another name.
#[derive(Debug)]
struct Folder {
    target: PathBuf,
    temporary: PathBuf,
    names: FileNames,
    private: bool,
}

impl Folder {
    fn create(target: &Path, stage: &Stage, private: bool) -> Result<Self, Error> {
        let temporary = stage.path("folder");
        let fail = |e: std::io::Error| crate::error::output_error(target, "make this folder", &e);
        if temporary.exists() {
            fs::remove_dir_all(&temporary).map_err(fail)?;
        }
        fs::create_dir_all(&temporary).map_err(fail)?;
        if let Some(parent) = target.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(fail)?;
        }
        Ok(Folder { target: target.into(), temporary, names: FileNames::default(), private })
    }

    fn write(&mut self, id: &str, text: &str, ann: &[u8]) -> Result<(), Error> {
        let name = self.names.free(id);
        let fail = |e: std::io::Error| crate::error::output_error(&self.target, "write in this folder", &e);
        let put =
            |name: String, bytes: &[u8]| new_file(&self.temporary.join(name), self.private)?.write_all(bytes);
        put(format!("{name}.txt"), text.as_bytes()).map_err(fail)?;
        put(format!("{name}.ann"), ann).map_err(fail)
    }

    fn outputs(&self) -> Vec<PathBuf> {
        let both = |name: &String| ["txt", "ann"].map(|e| self.target.join(format!("{name}.{e}")));
        self.names.asked.keys().flat_map(both).collect()
    }

    fn finish(self) -> Result<(), Error> {
        let fail = |e: std::io::Error| crate::error::output_error(&self.target, "finish writing", &e);
        if !self.target.exists() {
            return fs::rename(&self.temporary, &self.target).map_err(fail);
        }
        for entry in fs::read_dir(&self.temporary).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            fs::rename(entry.path(), self.target.join(entry.file_name())).map_err(fail)?;
        }
        Ok(())
    }
}

/// File names made of ids, each once.
#[derive(Debug, Default)]
pub struct FileNames {
    /// How often each name was asked for.
    asked: BTreeMap<String, u64>,
}

impl FileNames {
    /// A file name made of the id; a second document of that name gets a number.
    pub fn free(&mut self, id: &str) -> String {
        const LONGEST: usize = 100;
        let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
        let mut base: String = id.chars().map(safe).collect();
        base.truncate(floor(&base, LONGEST));
        if base.starts_with('.') || base.is_empty() {
            base.insert(0, '_');
        }
        let mut name = base.clone();
        while self.asked.contains_key(&name) {
            let count = self.asked.entry(base.clone()).or_insert(1);
            *count += 1;
            name = format!("{base}-{count}");
        }
        self.asked.insert(name.clone(), 1);
        name
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.temporary);
    }
}
