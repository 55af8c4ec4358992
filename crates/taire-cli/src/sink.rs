//! Receives treated documents in order: writes them, counts them, and notes how far the run is.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use taire::journal::{Checkpoint, Journal, Place};
use taire::{Error, Report};
use taire_formats::{
    Document, Encoding, ErrorKind, InputFile, Layout, OutputPlan, ReadSummary, Stage, WriteOptions, Writer,
};
use taire_text::Language;
use taire_vault::Vault;

use crate::Usage;
use crate::feed::Event;
use crate::run::{Treated, Treatment, refuse};

/// Beyond so many remarks, documents are no longer named one by one.
const MOST_REMARKS: usize = 200;

/// What the outputs are made with.
pub(crate) struct Sink<'a> {
    pub(crate) inputs: &'a [InputFile],
    pub(crate) plan: &'a OutputPlan,
    pub(crate) options: WriteOptions,
    /// The outputs hold the text as it was.
    pub(crate) private: bool,
    pub(crate) report: &'a mut Report,
    pub(crate) progress: &'a ProgressBar,
    pub(crate) stage: Stage,
    pub(crate) journal: Option<Journal>,
    pub(crate) every: Duration,
    pub(crate) vault: Option<Vault>,
    pub(crate) at: Outputs,
}

/// Where the outputs are.
pub(crate) struct Outputs {
    /// The output of the input being read, or of all inputs, made at its first document.
    writer: Option<Writer>,
    layout: Option<(usize, Layout)>,
    place: Place,
    /// An unfinished output of an earlier run.
    mark: Option<u64>,
    saved: Instant,
    begun: Instant,
    seconds_before: f64,
}

impl Outputs {
    /// At the beginning, or where an earlier run stopped.
    pub(crate) fn new(place: Place, mark: Option<u64>, seconds_before: f64) -> Self {
        let now = Instant::now();
        Outputs { writer: None, layout: None, place, mark, saved: now, begun: now, seconds_before }
    }
}

impl Sink<'_> {
    pub(crate) fn take(&mut self, (result, after): (Treatment, Place)) -> Result<(), Usage> {
        match result {
            Treatment::Pass(Event::Open(index, layout)) => {
                let layout = if self.private { layout.private() } else { layout };
                self.resume(index, &layout)?;
                self.at.layout = Some((index, layout));
            }
            Treatment::Pass(Event::Refused(refusal)) => {
                refuse(self.report, String::new(), &refusal.to_string());
                if refusal.rest_lost && !self.plan.merged {
                    self.at.writer = None;
                }
                if refusal.rest_lost {
                    self.at.layout = None;
                }
            }
            Treatment::Pass(Event::Close(summary)) => self.close(&summary)?,
            Treatment::Pass(Event::Document(_)) => {}
            Treatment::Done { document, language, bytes, treated } => {
                self.document(&document, language, bytes, treated)?;
            }
        }
        self.at.place = after;
        if self.journal.is_some() && self.at.saved.elapsed() >= self.every {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Takes up the unfinished output of an earlier run.
    fn resume(&mut self, index: usize, layout: &Layout) -> Result<(), Usage> {
        if let Some(mark) = self.at.mark.take() {
            let target = &self.plan.targets[index];
            self.at.writer = Some(Writer::resume(target, self.options, layout, &self.stage, mark)?);
        }
        Ok(())
    }

    fn writer(&mut self) -> Result<Option<&mut Writer>, Usage> {
        let Some((index, layout)) = &self.at.layout else { return Ok(None) };
        if self.at.writer.is_none() {
            let target = &self.plan.targets[*index];
            self.at.writer = Some(Writer::create(target, self.options, layout, &self.stage)?);
        }
        Ok(self.at.writer.as_mut())
    }

    fn document(
        &mut self,
        document: &Document,
        language: Language,
        bytes: usize,
        treated: Result<Treated, Error>,
    ) -> Result<(), Usage> {
        self.progress.inc(bytes as u64);
        let Treated { spans, done, sealed } = match treated {
            Ok(treated) => treated,
            Err(error) => {
                refuse(self.report, document.id.clone(), &error.to_string());
                return Ok(());
            }
        };
        if let Some(writer) = self.writer()? {
            match writer.write(document, &done.text, &spans, done.patient.as_deref(), done.date) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Input => {
                    self.at.writer = None;
                    refuse(self.report, document.id.clone(), &error.to_string());
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
            if let Some(vault) = &mut self.vault {
                vault.add(sealed)?;
            }
        }
        if !document.left_out.is_empty() {
            let what: Vec<_> =
                document.left_out.iter().map(|(what, n)| format!("{} ({n})", what.name())).collect();
            self.report.leave_out(document.id.clone(), what.join(", "));
        }
        if document.encoding != Encoding::Utf8 {
            let encoding = document.encoding.name();
            self.report.remark(match self.report.remarks.len() < MOST_REMARKS {
                true => format!("{}: read as {encoding}", document.id),
                false => format!("other documents were read as {encoding} too"),
            });
        }
        if done.id_tells {
            self.report.remark(
                "some file names or document ids hold a name found in the document; they are kept as they are: rename them \
                 before you share",
            );
        }
        self.report.count_rewritten(language, bytes, &done);
        self.report.doubt(&document.id, done.doubt);
        Ok(())
    }

    fn close(&mut self, summary: &ReadSummary) -> Result<(), Usage> {
        if let Some((index, _)) = &self.at.layout
            && !summary.dropped.is_empty()
        {
            let names: Vec<_> = summary.dropped.iter().map(String::as_str).collect();
            self.report.remark(format!(
                "{}: left out of the output: {} (--keep-columns passes them through)",
                self.plan.targets[*index].display(),
                names.join(", ")
            ));
        }
        if summary.unread_dates > 0 {
            self.report.remark(format!(
                "{} dates beside documents could not be read and are written empty",
                summary.unread_dates
            ));
        }
        self.at.layout = None;
        if self.plan.merged { Ok(()) } else { self.finish_writer() }
    }

    fn finish_writer(&mut self) -> Result<(), Usage> {
        match self.at.writer.take() {
            Some(writer) => Ok(writer.finish()?),
            None => Ok(()),
        }
    }

    /// Writes down how far the run is, where the output can be gone on with from here.
    pub(crate) fn checkpoint(&mut self) -> Result<(), Usage> {
        let mark = match &mut self.at.writer {
            Some(writer) => match writer.mark()? {
                Some(mark) => Some(mark),
                None => return Ok(()),
            },
            None => None,
        };
        if let Some(vault) = &mut self.vault {
            vault.commit()?;
        }
        self.report.seconds = self.at.seconds_before + self.at.begun.elapsed().as_secs_f64();
        if let Some(journal) = &self.journal {
            journal.save(Checkpoint { place: self.at.place, mark, report: self.report.clone() })?;
        }
        self.at.saved = Instant::now();
        Ok(())
    }

    /// All inputs are done.
    pub(crate) fn finish(mut self) -> Result<(), Usage> {
        if let Some((index, last)) = self.inputs.iter().enumerate().next_back() {
            self.resume(index, &Layout::new(last))?;
        }
        self.finish_writer()?;
        if let Some(vault) = &mut self.vault {
            vault.commit()?;
        }
        self.report.seconds = self.at.seconds_before + self.at.begun.elapsed().as_secs_f64();
        Ok(())
    }
}
