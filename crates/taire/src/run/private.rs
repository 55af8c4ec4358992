//! `OUT.private/`: what the owner of the documents needs and nobody else may see.
//!
//! | file | holds |
//! |---|---|
//! | `crosswalk.csv` | each file, document, patient and stay with what replaces it in the output |
//! | `refused.csv` | what was not written, and why |
//! | `doubtful.csv` | written documents, the most doubtful first, with the line of the worst place, and its page where there are pages |
//! | `remarks.csv` | what was skipped or left out, by name |
//!
//! `links.csv` comes beside them (see [`taire_formats::OutputPlan::private_file`]). Files are written in a stage of their own and appear when the
//! run is done. A row of the crosswalk is written before the document that it names is released.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use taire_formats::{AtomicFile, Document, OutputPlan, Refusal, Setting, Stage, each_csv_row, push_csv_row};
use taire_surrogate::IdKind;

use super::uniqueness::{SurrogateCheck, id_hash};
use crate::{Doubt, Error};

const CROSSWALK: &str = "crosswalk.csv";
const REFUSED: &str = "refused.csv";
const DOUBTFUL: &str = "doubtful.csv";
const REMARKS: &str = "remarks.csv";
/// Documents listed in `doubtful.csv`; those left out are less doubtful than all of these.
const MOST_DOUBTFUL: usize = 10_000;
/// Patients and stays that are remembered, so that each has one row. Beyond it rows may come twice.
const MOST_REMEMBERED: usize = 1 << 22;

/// How much of each file belongs to a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PrivateMarks {
    crosswalk: u64,
    refused: u64,
    doubtful: u64,
    remarks: u64,
}

/// The private files of a run under way.
#[derive(Debug)]
pub(super) struct PrivateFiles {
    stage: Stage,
    crosswalk: AtomicFile,
    refused: AtomicFile,
    doubtful: AtomicFile,
    remarks: AtomicFile,
    check: SurrogateCheck,
    remembered: HashSet<u64>,
    row: Vec<u8>,
}

/// The name of a kind of id in the crosswalk.
fn kind_name(kind: IdKind) -> &'static str {
    match kind {
        IdKind::Patient => "patient",
        IdKind::Visit => "visit",
        IdKind::Document => "document",
        IdKind::File => "file",
    }
}

impl PrivateFiles {
    /// Makes the folder, readable by its owner alone, and the files in its stage; or takes up those of an unfinished run.
    pub(super) fn open(
        plan: &OutputPlan,
        stage: Stage,
        marks: Option<PrivateMarks>,
    ) -> Result<PrivateFiles, Error> {
        let file = |name: &str, mark: fn(PrivateMarks) -> u64| {
            AtomicFile::staged(&stage, name, &plan.private_file(name), true, marks.map(mark))
        };
        let mut files = PrivateFiles {
            crosswalk: file(CROSSWALK, |m| m.crosswalk)?,
            refused: file(REFUSED, |m| m.refused)?,
            doubtful: file(DOUBTFUL, |m| m.doubtful)?,
            remarks: file(REMARKS, |m| m.remarks)?,
            check: SurrogateCheck::new(stage.path("")),
            stage,
            remembered: HashSet::new(),
            row: Vec::new(),
        };
        match marks {
            None => files.write_headers()?,
            Some(_) => files.read_crosswalk()?,
        }
        Ok(files)
    }

    fn write_headers(&mut self) -> Result<(), Error> {
        self.crosswalk.write_all(b"kind,original,new\n")?;
        self.refused.write_all(b"document,place,why\n")?;
        self.doubtful.write_all(DOUBTFUL_HEADER)?;
        self.remarks.write_all(b"document,remark\n")?;
        self.crosswalk.flush()
    }

    /// Reads the rows of an earlier run, so that its ids are checked together with the new ones.
    fn read_crosswalk(&mut self) -> Result<(), Error> {
        let mut failed = None;
        each_csv_row(&self.stage.path(CROSSWALK), |cells| {
            let [kind, original, new] = cells else { return };
            let kinds = [IdKind::Patient, IdKind::Visit, IdKind::Document, IdKind::File];
            if let Some(kind) = kinds.into_iter().find(|k| kind_name(*k) == kind) {
                self.remember(kind, original);
                failed = self.check.add(kind, original, new).err().or(failed.take());
            }
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Whether a patient or stay was not seen before.
    fn remember(&mut self, kind: IdKind, id: &str) -> bool {
        match kind {
            IdKind::Document | IdKind::File => true,
            IdKind::Patient | IdKind::Visit => {
                let hash = id_hash(kind, id);
                if self.remembered.len() < MOST_REMEMBERED {
                    self.remembered.insert(hash)
                } else {
                    !self.remembered.contains(&hash)
                }
            }
        }
    }

    /// Writes an id and its surrogate to the crosswalk.
    pub(super) fn add_to_crosswalk(&mut self, kind: IdKind, original: &str, new: &str) -> Result<(), Error> {
        if !self.remember(kind, original) {
            return Ok(());
        }
        self.check.add(kind, original, new)?;
        write_row(&mut self.crosswalk, &mut self.row, &[kind_name(kind), original, new])
    }

    pub(super) fn refuse(
        &mut self,
        refusal: &Refusal,
        name: impl Fn(Setting) -> &'static str,
    ) -> Result<(), Error> {
        let place = refusal.place.map(|p| p.to_string()).unwrap_or_default();
        let why = refusal.reason.in_words(name);
        write_row(&mut self.refused, &mut self.row, &[&refusal.document, &place, &why])
    }

    pub(super) fn remark(&mut self, document: &str, remark: &str) -> Result<(), Error> {
        write_row(&mut self.remarks, &mut self.row, &[document, remark])
    }

    pub(super) fn doubt(&mut self, document: &Document, new: &str, doubt: Doubt) -> Result<(), Error> {
        let figure = |x: Option<f32>| x.map(|x| format!("{x:.3}")).unwrap_or_default();
        let (page, line) = match doubt.line.map(|line| document.page_and_line(line)) {
            Some((page, line)) => (page.map(|page| page.to_string()).unwrap_or_default(), line.to_string()),
            None => Default::default(),
        };
        let (least, left) = (figure(doubt.least_sure), figure(doubt.below_threshold));
        let harm = format!("{:.3}", doubt.figure());
        write_row(&mut self.doubtful, &mut self.row, &[&document.id, new, &line, &harm, &least, &left, &page])
    }

    /// Writes buffered rows to disk; called before a document is released.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.crosswalk.flush()
    }

    /// How far the files are, once that is on disk.
    pub(super) fn marks(&mut self) -> Result<PrivateMarks, Error> {
        Ok(PrivateMarks {
            crosswalk: self.crosswalk.mark()?,
            refused: self.refused.mark()?,
            doubtful: self.doubtful.mark()?,
            remarks: self.remarks.mark()?,
        })
    }

    /// Checks the ids and puts the files under their names.
    pub(super) fn finish(mut self, plan: &OutputPlan) -> Result<(), Error> {
        self.doubtful.flush()?;
        self.check.finish()?;
        self.crosswalk.finish()?;
        self.refused.finish()?;
        self.remarks.finish()?;
        sort_doubts(&self.stage.path(DOUBTFUL), &plan.private_file(DOUBTFUL))
    }
}

const DOUBTFUL_HEADER: &[u8] = b"document,new,line,doubt,least_sure,left_in_text,page\n";

fn write_row(file: &mut AtomicFile, row: &mut Vec<u8>, cells: &[&str]) -> Result<(), Error> {
    row.clear();
    push_csv_row(row, cells);
    file.write_all(row)
}

/// The most doubtful documents first, in little memory.
fn sort_doubts(from: &Path, to: &Path) -> Result<(), Error> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let order = |a: &Vec<String>, b: &Vec<String>| -> Ordering {
        let harm = |row: &Vec<String>| row.get(3).and_then(|x| x.parse::<f32>().ok()).unwrap_or(0.0);
        harm(b).total_cmp(&harm(a)).then_with(|| a.cmp(b))
    };
    each_csv_row(from, |cells| {
        rows.push(cells.to_vec());
        if rows.len() >= 2 * MOST_DOUBTFUL {
            rows.sort_by(order);
            rows.truncate(MOST_DOUBTFUL);
        }
    })?;
    rows.sort_by(order);
    rows.truncate(MOST_DOUBTFUL);
    let mut out = AtomicFile::create_private(to)?;
    out.write_all(DOUBTFUL_HEADER)?;
    let mut line = Vec::new();
    for row in &rows {
        write_row(&mut out, &mut line, &row.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    out.finish()
}

/// Creates a folder that only its owner may open; an existing one gets these permissions.
pub(super) fn make_private_folder(folder: &Path) -> Result<(), Error> {
    let fail = |e: std::io::Error| {
        Error::from(e)
            .prefixed("the private folder of the run cannot be made, so nothing is written: ")
            .in_file(folder)
    };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        if let Some(above) = folder.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(above).map_err(fail)?;
        }
        builder.mode(0o700).create(folder).map_err(fail)?;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).map_err(fail)
    }
    #[cfg(not(unix))]
    builder.create(folder).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_doubtful_come_first_and_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        let rows = (0..25_000).map(|i| format!("d{i:05},n,1,0.{:03},,\n", i % 500));
        std::fs::write(&from, std::iter::once("h\n".to_owned()).chain(rows).collect::<String>()).unwrap();
        sort_doubts(&from, &to).unwrap();
        let mut back = Vec::new();
        each_csv_row(&to, |cells| back.push((cells[0].clone(), cells[3].clone()))).unwrap();
        assert_eq!(back.len(), MOST_DOUBTFUL);
        assert_eq!(back[0], ("d00499".to_owned(), "0.499".to_owned()));
        assert!(back[MOST_DOUBTFUL - 1].1.as_str() >= "0.299");
    }
}
