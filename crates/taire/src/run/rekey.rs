//! Companion tables: re-keyed with the key and the calendar of the documents, so that they still join.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use taire_formats::{JoinId, OutputPlan, Rekey, Rekeyed, Stage, check_table, rekey_table};
use taire_surrogate::{IdKind, Rewriter};
use taire_text::{PatientId, counted};

use super::manifest::WriteLog;
use super::private::PrivateFiles;
use crate::{Engine, Error, Report};

/// Gives new ids, and writes those of patients and stays to the crosswalk.
struct Keyed<'a> {
    rewriter: &'a Rewriter,
    private: RefCell<&'a mut PrivateFiles>,
    /// Why the crosswalk could not be written.
    failed: RefCell<Option<Error>>,
}

impl Keyed<'_> {
    fn surrogate_id(&self, kind: IdKind, id: &str) -> String {
        let new = self.rewriter.join_key(kind, id);
        if let Err(error) = self.private.borrow_mut().add_to_crosswalk(kind, id, &new) {
            self.failed.borrow_mut().get_or_insert(error);
        }
        new
    }
}

impl Rekey for Keyed<'_> {
    fn id(&self, kind: JoinId, id: &str) -> Option<String> {
        match kind {
            JoinId::Patient => Some(self.surrogate_id(IdKind::Patient, PatientId::parse(id)?.as_str())),
            JoinId::Visit => Some(self.surrogate_id(IdKind::Visit, id)),
            JoinId::Other => Some(self.rewriter.join_key(IdKind::Document, id)),
        }
    }

    fn day(&self, patient: &str, day: Date) -> Option<Date> {
        self.rewriter.record_day(PatientId::parse(patient)?.as_str(), day)
    }
}

/// Tables that can be re-keyed, and where they go.
pub(super) struct Companions<'a> {
    rewriter: Option<&'a Rewriter>,
    tables: Vec<(&'a Path, PathBuf)>,
    kept: &'a [String],
    folder: &'a Path,
}

impl<'a> Companions<'a> {
    /// Looks at each table before anything is written; an error says what to change. `name` gives a table its new name.
    pub(super) fn new(
        engine: &'a Engine,
        tables: &'a [PathBuf],
        name: impl Fn(&Path) -> PathBuf,
        kept: &'a [String],
        plan: &'a OutputPlan,
    ) -> Result<Self, Error> {
        let folder = plan.folder.as_path();
        let mut companions = Companions { rewriter: None, tables: Vec::new(), kept, folder };
        if tables.is_empty() {
            return Ok(companions);
        }
        companions.rewriter = Some(engine.companion_rewriter()?);
        if plan.is_file {
            return Err(Error::usage("re-keyed tables need a folder to be written to, not a file"));
        }
        for table in tables {
            let target = folder.join(name(table));
            if plan.targets.contains(&target) || companions.tables.iter().any(|(_, other)| *other == target) {
                return Err(Error::usage(
                    "another output has the name of this table; give it once, or rename it",
                )
                .in_file(table));
            }
            check_table(table, kept)?;
            companions.tables.push((table, target));
        }
        Ok(companions)
    }

    /// Writes the tables beside the documents, and says so in the report.
    pub(super) fn write(
        &self,
        stage: &Stage,
        private: &mut PrivateFiles,
        mut report: Report,
    ) -> Result<Report, Error> {
        let Some(rewriter) = self.rewriter else { return Ok(report) };
        let mut log = WriteLog::open(stage, self.folder)?;
        for (table, target) in &self.tables {
            log.add(std::slice::from_ref(target))?;
            let name = target.strip_prefix(self.folder).unwrap_or(target).to_string_lossy().into_owned();
            private.add_to_crosswalk(IdKind::File, &table.display().to_string(), &name)?;
            let keyed = Keyed { rewriter, private: RefCell::new(&mut *private), failed: RefCell::default() };
            let done = rekey_table(table, target, self.kept, &keyed)?;
            if let Some(error) = keyed.failed.into_inner() {
                return Err(error);
            }
            self.tell(table, target, &done, private, &mut report)?;
        }
        report.remark(
            "birth dates in re-keyed tables move with the calendar and are not pooled for the very old, as they are in texts: \
             check them before you share",
        );
        Ok(report)
    }

    fn tell(
        &self,
        table: &Path,
        target: &Path,
        done: &Rekeyed,
        private: &mut PrivateFiles,
        report: &mut Report,
    ) -> Result<(), Error> {
        let name = target.strip_prefix(self.folder).unwrap_or(target).display();
        let mut remark = format!("{name}: re-keyed, {}", counted(done.rows, "row", "rows"));
        if !done.left_out.is_empty() {
            remark.push_str(&format!("; columns left out: {}", done.left_out.len()));
            let names: Vec<_> = done.left_out.iter().map(String::as_str).collect();
            let remark = format!("left out of the output: {}", names.join(", "));
            private.remark(&table.display().to_string(), &remark)?;
        }
        if done.empty_dates > 0 {
            remark.push_str(&format!(
                "; {} empty",
                counted(done.empty_dates, "date could not be read and is", "dates could not be read and are")
            ));
        }
        if done.empty_codes > 0 {
            remark.push_str(&format!(
                "; {} empty",
                counted(
                    done.empty_codes,
                    "code was no whole number and is",
                    "codes were no whole numbers and are"
                )
            ));
        }
        if done.times > 0 {
            remark.push_str(&format!(
                "; {} as before",
                counted(done.times, "time of day stays", "times of day stay")
            ));
        }
        report.remark(remark);
        Ok(())
    }
}
