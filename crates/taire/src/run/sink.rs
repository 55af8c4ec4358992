//! Receives treated documents in order: writes them, counts them, and saves how far the run is.

use std::sync::atomic::Ordering;
use std::time::Instant;
use taire_text::counted;

use taire_formats::{
    Document, Encoding, ErrorKind, InputFile, Layout, NewFields, OutputPlan, ReadSummary, Reason, Refusal,
    Setting, Stage, Writer,
};
use taire_surrogate::IdKind;

use super::manifest::WriteLog;
use super::private::PrivateFiles;
use super::{Checkpoint, Files, InputPosition, Journal, Listener, Treated};
use crate::losses::PatientAccounts;
use crate::{Deidentified, Error, Report};

/// An event of reading, once the threads have dealt with it.
pub(super) enum Done<K> {
    Open(usize, Layout),
    Treated {
        document: Box<Document>,
        bytes: usize,
        treated: Box<Result<Treated<K>, Error>>,
    },
    Refused(Refusal),
    Close(ReadSummary),
    /// The document was given up, because a signal asked the run to stop.
    Cancelled,
}

/// Writes the outputs of a run.
pub(super) struct Sink<'a, K> {
    pub(super) inputs: &'a [InputFile],
    pub(super) plan: &'a OutputPlan,
    pub(super) files: &'a Files<'a>,
    /// The outputs hold the text as it was, for the owner of the documents.
    pub(super) is_for_owner: bool,
    /// What documents without an id of their own are called in the output, for each input.
    pub(super) new_stems: &'a [String],
    pub(super) outputs: Outputs,
    pub(super) private: PrivateFiles,
    pub(super) log: WriteLog,
    pub(super) report: &'a mut Report,
    /// What patients lost, over all documents.
    pub(super) accounts: PatientAccounts,
    pub(super) listener: &'a mut dyn Listener<K>,
    pub(super) stage: Stage,
    pub(super) journal: Option<Journal>,
    /// A document was given up: it and all after it are for the run that continues this one.
    pub(super) cancelled: bool,
}

/// How far the outputs are.
pub(super) struct Outputs {
    /// The output of the input being read, or of all inputs, made at its first document.
    writer: Option<Writer>,
    layout: Option<(usize, Layout)>,
    position: InputPosition,
    /// How much of an unfinished output an earlier run left.
    mark: Option<u64>,
    /// Documents written from the input being read.
    rows: u64,
    saved: Instant,
    started: Instant,
    seconds_before: f64,
}

impl Outputs {
    /// At the beginning, or where an earlier run stopped.
    pub(super) fn new(checkpoint: &Checkpoint) -> Self {
        let now = Instant::now();
        Outputs {
            writer: None,
            layout: None,
            position: checkpoint.position,
            mark: checkpoint.mark,
            rows: checkpoint.rows,
            saved: now,
            started: now,
            seconds_before: checkpoint.report.seconds,
        }
    }

    fn seconds(&self) -> f64 {
        self.seconds_before + self.started.elapsed().as_secs_f64()
    }
}

impl<K> Sink<'_, K> {
    /// Whether a signal asked the run to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.files.stop.is_some_and(|stop| stop.load(Ordering::Relaxed) != 0)
    }

    pub(super) fn take(&mut self, done: Done<K>, after: InputPosition) -> Result<(), Error> {
        self.cancelled |= matches!(done, Done::Cancelled);
        if self.cancelled {
            return Ok(());
        }
        match done {
            Done::Cancelled => {}
            Done::Open(index, layout) => {
                let layout = layout.titled(&self.new_stems[index]);
                let layout = if self.is_for_owner { layout.private() } else { layout };
                if after.items == 0 {
                    self.outputs.rows = 0;
                }
                self.resume(index, &layout)?;
                self.outputs.layout = Some((index, layout));
            }
            Done::Refused(refusal) => {
                if refusal.rest_lost && !self.plan.merged {
                    self.outputs.writer = None;
                }
                if refusal.rest_lost {
                    self.outputs.layout = None;
                }
                self.refuse(&refusal)?;
            }
            Done::Close(summary) => self.close(&summary)?,
            Done::Treated { document, bytes, treated } => {
                self.listener.treated(bytes);
                self.document(&document, bytes, *treated)?;
            }
        }
        self.outputs.position = after;
        if self.journal.is_some() && self.outputs.saved.elapsed() >= self.files.checkpoint_every {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// A document that is not written: reported to the listener at once, and counted in the report.
    fn refuse(&mut self, refusal: &Refusal) -> Result<(), Error> {
        self.listener.refused(refusal);
        self.report.refuse(refusal, self.files.words);
        self.private.refuse(refusal, self.files.words)
    }

    /// What a document is called in the output. Rows that have no id are counted as they are written.
    fn new_id(&self, document: &Document, done: &Deidentified) -> String {
        let Some((index, _)) = &self.outputs.layout else { return done.id.clone() };
        if self.is_for_owner || self.files.keep_ids {
            document.id.clone()
        } else if !document.named_by_place {
            done.id.clone()
        } else if self.inputs[*index].format.is_single() || !document.id.contains(':') {
            self.new_stems[*index].clone()
        } else {
            format!("{}:{}", self.new_stems[*index], self.outputs.rows + 1)
        }
    }

    /// Writes the ids of a document and their surrogates to the crosswalk, before the document is written.
    fn add_to_crosswalk(&mut self, document: &Document, new: &NewFields<'_>) -> Result<(), Error> {
        let Some((index, _)) = &self.outputs.layout else { return Ok(()) };
        if self.is_for_owner {
            return Ok(());
        }
        if self.outputs.rows == 0 {
            let target = &self.plan.targets[*index];
            let target = target.strip_prefix(&self.plan.folder).unwrap_or(target);
            let original = self.inputs[*index].path.display().to_string();
            self.private.add_to_crosswalk(IdKind::File, &original, &target.to_string_lossy())?;
        }
        self.private.add_to_crosswalk(IdKind::Document, &document.id, new.id)?;
        let patient = document.patient_id().map(|id| id.as_str());
        let visit = document.visit.as_deref();
        for (kind, original, new) in
            [(IdKind::Patient, patient, new.patient), (IdKind::Visit, visit, new.visit)]
        {
            if let (Some(original), Some(new)) = (original, new) {
                self.private.add_to_crosswalk(kind, original, new)?;
            }
        }
        Ok(())
    }

    /// Takes up the unfinished output of an earlier run.
    fn resume(&mut self, index: usize, layout: &Layout) -> Result<(), Error> {
        if let Some(mark) = self.outputs.mark.take() {
            let target = &self.plan.targets[index];
            self.outputs.writer = Some(Writer::resume(target, self.files.write, layout, &self.stage, mark)?);
        }
        Ok(())
    }

    fn writer(&mut self) -> Result<Option<&mut Writer>, Error> {
        let Some((index, layout)) = &self.outputs.layout else { return Ok(None) };
        if self.outputs.writer.is_none() {
            let target = &self.plan.targets[*index];
            self.outputs.writer = Some(Writer::create(target, self.files.write, layout, &self.stage)?);
        }
        Ok(self.outputs.writer.as_mut())
    }

    fn document(
        &mut self,
        document: &Document,
        bytes: usize,
        treated: Result<Treated<K>, Error>,
    ) -> Result<(), Error> {
        let refusal = |error: &Error| Refusal::of_document(&*document.id, error.reason().clone());
        let Treated { spans, done, language, reviewed, kept } = match treated {
            Ok(treated) => treated,
            Err(error) => {
                return self.refuse(&refusal(&error));
            }
        };
        let id = self.new_id(document, &done);
        let visit = if self.files.keep_ids { document.visit.as_deref() } else { done.visit.as_deref() };
        let new = NewFields { id: &id, patient: done.patient.as_deref(), visit, date: done.date };
        if self.writer()?.is_some() {
            self.add_to_crosswalk(document, &new)?;
        }
        if let Some(writer) = self.writer()? {
            match writer.write(document, &done.text, &spans, &new) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Refused => {
                    self.outputs.writer = self.outputs.writer.take().filter(Writer::holds_many);
                    return self.refuse(&refusal(&error));
                }
                Err(error) => return Err(error),
            }
            self.outputs.rows += 1;
            self.listener.written(kept)?;
        }
        self.remark(document)?;
        self.report.count_rewritten(language, bytes, &done);
        self.accounts.add(document.patient_id().map(|id| id.as_str()), &done.releases);
        self.report.documents.from_reviewed_spans += usize::from(reviewed);
        self.report.doubt(done.doubt);
        self.private.doubt(document, &id, done.doubt)
    }

    /// What else a person should know of a written document.
    fn remark(&mut self, document: &Document) -> Result<(), Error> {
        if !document.left_out.is_empty() {
            for (heading, shown) in [("left out", false), ("not treated", true)] {
                let counts = document.left_out.iter().filter(|(what, _)| what.is_shown() == shown);
                let what: Vec<_> = counts.map(|(what, n)| format!("{} ({n})", what.name())).collect();
                if !what.is_empty() {
                    self.private.remark(&document.id, &format!("{heading}: {}", what.join(", ")))?;
                }
            }
            document.left_out.iter().for_each(|(what, n)| match what.is_shown() {
                true => self.report.leave_untreated(what.name(), *n),
                false => self.report.leave_out(what.name(), *n),
            });
        }
        if document.encoding != Encoding::Utf8 {
            let encoding = document.encoding.name();
            self.report.count_encoding(encoding);
            self.private.remark(&document.id, &format!("read as {encoding}"))?;
        }
        Ok(())
    }

    fn close(&mut self, summary: &ReadSummary) -> Result<(), Error> {
        if let Some((index, _)) = &self.outputs.layout
            && !summary.dropped.is_empty()
        {
            let names: Vec<_> = summary.dropped.iter().map(String::as_str).collect();
            let remark = Reason::naming(
                format!(
                    "{} left out of the output (",
                    counted(names.len(), "column or key of a table was", "columns or keys of a table were")
                ),
                Setting::KeepColumns,
                " passes them through; `remarks.csv` in the private folder names them)",
            );
            self.report.remark(remark.in_words(self.files.words));
            let input = self.inputs[*index].path.display().to_string();
            self.private.remark(&input, &format!("left out of the output: {}", names.join(", ")))?;
        }
        if summary.unread_dates > 0 {
            self.report.remark(format!(
                "{} written empty",
                counted(
                    summary.unread_dates,
                    "date beside a document could not be read and is",
                    "dates beside documents could not be read and are"
                )
            ));
        }
        if summary.trimmed_patients > 0 {
            self.report.remark(format!(
                "{} had blanks around them, which do not count: ids that differ in them alone are one patient",
                counted(summary.trimmed_patients, "patient id", "patient ids")
            ));
        }
        self.outputs.layout = None;
        if self.plan.merged { Ok(()) } else { self.finish_writer() }
    }

    fn finish_writer(&mut self) -> Result<(), Error> {
        match self.outputs.writer.take() {
            Some(writer) => {
                self.private.flush()?;
                self.log.add(&writer.outputs())?;
                writer.finish()
            }
            None => Ok(()),
        }
    }

    /// Saves how far the run is, where the output can be continued from here.
    pub(super) fn checkpoint(&mut self) -> Result<(), Error> {
        let mark = match &mut self.outputs.writer {
            Some(writer) => match writer.mark()? {
                Some(mark) => Some(mark),
                None => return Ok(()),
            },
            None => None,
        };
        self.listener.checkpoint()?;
        self.report.seconds = self.outputs.seconds();
        if let Some(journal) = &self.journal {
            let position = self.outputs.position;
            let rows = self.outputs.rows;
            let private = self.private.marks()?;
            journal.save(Checkpoint { position, mark, rows, private, report: self.report.clone() })?;
        }
        self.outputs.saved = Instant::now();
        Ok(())
    }

    /// All inputs are done.
    pub(super) fn finish(mut self) -> Result<PrivateFiles, Error> {
        if let Some((index, last)) = self.inputs.iter().enumerate().next_back() {
            self.resume(index, &Layout::new(last))?;
        }
        self.finish_writer()?;
        self.listener.checkpoint()?;
        self.report.settle_patient_losses(&self.accounts);
        self.report.seconds = self.outputs.seconds();
        Ok(self.private)
    }
}
