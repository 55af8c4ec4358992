//! The loop around the detectors and the rewriter: first reading, order, refusals, counts, checkpoints.
//!
//! A [`Run`] is one task of one engine. [`Run::files`] reads files and writes them back, [`Run::each`] treats documents
//! that are at hand. The command line, `compare`, `code utility`, the review page and Python all call it; there is no
//! second loop.

mod feed;
mod files;
mod fingerprint;
mod first_reading;
mod journal;
mod manifest;
mod names;
mod private;
mod rekey;
mod reviewed;
mod sink;
mod uniqueness;

pub use feed::{Event, Feed, InputPosition, Reading, Step};
pub use files::{Ended, Files, Finished, check_output};
pub use fingerprint::Fingerprint;
pub use journal::{Checkpoint, Journal};
pub use manifest::{Manifest, ManifestFile};
pub use private::PrivateMarks;
pub use reviewed::{ReviewedDocument, ReviewedSpans};
pub use taire_formats::Refusal;

use std::path::PathBuf;

use taire_detect::{PeopleIndex, TrustedRecord};
use taire_formats::{BatchRow, Discovery, Document, OutSpan, ReadOptions, Reason, discover};
use taire_surrogate::IdKind;
use taire_text::scheme::Scheme;
use taire_text::{CancelFlag, Language, Note, PatientId};

use crate::batch::{Weigh, ordered};
use crate::{Deidentified, Engine, Error, Records, found_spans};

/// What is done to each document.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Task {
    /// Find what identifies people, and rewrite it.
    Deid {
        /// Documents less sure than this are refused.
        refuse_below: Option<f32>,
    },
    /// Find it, and say where it is.
    Detect {
        /// The labels to say it in.
        scheme: Scheme,
    },
}

impl Task {
    /// The command that does it.
    pub fn name(self) -> &'static str {
        match self {
            Task::Deid { .. } => "deid",
            Task::Detect { .. } => "detect",
        }
    }
}

/// A document to treat, or the reason why it cannot be.
#[derive(Debug)]
pub struct Item {
    /// The document; without its text where it is refused.
    pub document: Document,
    /// Why it is refused unread.
    pub refused: Option<Reason>,
}

impl Item {
    fn patient(&self) -> Option<&PatientId> {
        self.document.patient_id().filter(|_| self.refused.is_none())
    }

    fn into_document(self) -> Option<Document> {
        Some(self.document).filter(|_| self.refused.is_none())
    }
}

impl From<Document> for Item {
    fn from(document: Document) -> Self {
        Item { document, refused: None }
    }
}

impl From<BatchRow> for Item {
    fn from(row: BatchRow) -> Self {
        Item { document: row.document, refused: row.refused }
    }
}

impl Weigh for Item {
    fn weight(&self) -> usize {
        self.document.weight()
    }
}

/// A treated document.
#[derive(Debug)]
pub struct Treated<K = ()> {
    /// What was done; for [`Task::Detect`] the text is the original.
    pub done: Deidentified,
    /// The spans to write with it, in bytes of its text.
    pub spans: Vec<OutSpan>,
    /// The language it was read in.
    pub language: Language,
    /// Its spans came with it and were final.
    pub reviewed: bool,
    /// What the caller wanted of it, see [`Run::keeping`].
    pub kept: K,
}

/// Where what is certain of patients is looked up.
pub trait PatientRecords: Sync {
    /// What is certain of a patient over all their documents.
    fn trusted(&self, patient: Option<&PatientId>) -> Result<TrustedRecord, Error>;

    /// Known people whose documents are not known: they are looked for everywhere.
    fn people(&self) -> Option<&PeopleIndex> {
        None
    }
}

impl PatientRecords for Records {
    fn trusted(&self, patient: Option<&PatientId>) -> Result<TrustedRecord, Error> {
        Ok(self.record_of(patient.map(PatientId::as_str)))
    }
}

/// Callbacks of [`Run::files`] as the run goes on.
pub trait Listener<K> {
    /// The inputs are known; so many documents were treated by the unfinished run that this one continues.
    fn started(&mut self, _inputs: &Discovery, _resumed: Option<usize>) {}

    /// A document is not written.
    fn refused(&mut self, _refusal: &Refusal) {}

    /// So many bytes of text were treated.
    fn treated(&mut self, _bytes: usize) {}

    /// A document is written; `kept` is what [`Run::keeping`] made of it.
    fn written(&mut self, _kept: K) -> Result<(), Error> {
        Ok(())
    }

    /// All that was written so far must be safe before this returns.
    fn checkpoint(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// A listener that wants to know nothing.
impl Listener<()> for () {}

type Keep<'a, K> = &'a (dyn Fn(&Note, &Deidentified) -> Result<K, Error> + Sync);

/// One task of one engine, over any number of documents.
pub struct Run<'a, K = ()> {
    engine: &'a Engine,
    task: Task,
    jobs: usize,
    keep: Keep<'a, K>,
    cancel: Option<CancelFlag>,
}

impl<K> std::fmt::Debug for Run<'_, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("task", &self.task).field("jobs", &self.jobs).finish_non_exhaustive()
    }
}

impl<'a> Run<'a> {
    /// A task on one thread.
    pub fn new(engine: &'a Engine, task: Task) -> Self {
        Run { engine, task, jobs: 1, keep: &|_, _| Ok(()), cancel: None }
    }
}

impl<'a, K: Send> Run<'a, K> {
    /// On so many threads. The output does not depend on it.
    #[must_use]
    pub fn jobs(self, jobs: usize) -> Self {
        Run { jobs: jobs.max(1), ..self }
    }

    /// Makes something of each treated document beside its output, on the thread that treats it. An error refuses the
    /// document.
    pub fn keeping<L: Send>(self, keep: Keep<'a, L>) -> Run<'a, L> {
        Run { engine: self.engine, task: self.task, jobs: self.jobs, keep, cancel: self.cancel }
    }

    /// Gives up what is under way once `cancel` is set. Documents that were given up are neither written nor refused.
    #[must_use]
    pub fn cancelled_by(self, cancel: CancelFlag) -> Self {
        Run { cancel: Some(cancel), ..self }
    }

    /// Whether what is under way was given up.
    fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(CancelFlag::is_cancelled)
    }

    /// Treats one document, whose text and fields are taken out of it.
    pub fn treat(&self, document: &mut Document, records: &dyn PatientRecords) -> Result<Treated<K>, Error> {
        let settled = document.final_spans.take();
        let reviewed = settled.is_some();
        let has_patient = document.patient_id().is_some();
        let mut note = document.take_note(self.engine.language())?;
        note.cancel = self.cancel.clone();
        let visit = document.visit.as_deref();
        let visit = visit.and_then(|id| self.engine.join_key(note.language, IdKind::Visit, id));
        let others = records.trusted(note.patient.as_ref())?;
        let language = note.language;
        let (note, findings) = match settled {
            Some(spans) => self.engine.settled(note, &spans, &others)?,
            None => self.engine.find_among(note, &others, records.people())?,
        };
        let (spans, mut done, kept) = match self.task {
            Task::Deid { refuse_below } => {
                let done = Deidentified { visit, ..self.engine.rewrite_findings(&note, findings)? };
                if let Some(why) =
                    refuse_below.filter(|_| !reviewed).and_then(|below| done.doubt.refusal(below))
                {
                    return Err(Error::refused(why));
                }
                let kept = (self.keep)(&note, &done)?;
                (done.written_spans(), done, kept)
            }
            Task::Detect { scheme } => {
                let spans = found_spans(scheme, note.raw(), &findings.entities);
                let done = Deidentified::unchanged(&note, findings);
                let kept = (self.keep)(&note, &done)?;
                (spans, done, kept)
            }
        };
        if !has_patient {
            // The name of a record that the text was joined to is no patient id: it is not written.
            done.patient = None;
        }
        Ok(Treated { done, spans, language, reviewed, kept })
    }

    /// Treats documents that are at hand and gives them to `sink` in their order, with what was done. The first error of
    /// `sink` ends the run.
    pub fn each<E>(
        &self,
        items: impl Iterator<Item = Item> + Send,
        records: &dyn PatientRecords,
        mut sink: impl FnMut(Document, Result<Treated<K>, Error>) -> Result<(), E>,
    ) -> Result<(), E> {
        let work = |item: Item| {
            let Item { mut document, refused } = item;
            let treated = match refused {
                Some(reason) => Err(Error::refused(reason)),
                None => self.treat(&mut document, records),
            };
            (document, treated)
        };
        ordered(self.jobs, items, work, |(document, treated)| sink(document, treated))
    }
}

/// Every document of files and folders, and what could not be read.
pub fn read_all(inputs: &[PathBuf], options: &ReadOptions) -> (Vec<Document>, Vec<Refusal>) {
    let discovery = discover(inputs, options);
    let (mut documents, mut refused) = (Vec::new(), discovery.refused.clone());
    for step in Reading::new(&discovery.inputs, options).feed() {
        match step.event {
            Event::Document(document) => documents.push(*document),
            Event::Refused(refusal) => refused.push(refusal),
            Event::Open(..) | Event::Close(_) => {}
        }
    }
    (documents, refused)
}
