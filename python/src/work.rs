//! Documents through [`taire::Run`], with records of this process or sealed ones of a cluster.

use taire::run::{Item, PatientRecords};
use taire::{Engine, Error, Run, SecretKey, Task, TrustedRecord, text_id};
use taire_formats::Document;
use taire_text::PatientId;

use crate::records::{SealedRecords, Sealer, too_many};

/// One policy, ready.
pub(crate) struct Worker {
    pub(crate) engine: Engine,
    pub(crate) sealer: Sealer,
    pub(crate) key: SecretKey,
    pub(crate) jobs: usize,
    /// Documents less sure than this are refused.
    pub(crate) refuse_below: Option<f32>,
}

/// Sealed records, and what opens them.
pub(crate) struct Opened<'a> {
    pub(crate) records: &'a SealedRecords,
    pub(crate) sealer: &'a Sealer,
}

impl PatientRecords for Opened<'_> {
    fn trusted(&self, patient: Option<&PatientId>) -> Result<TrustedRecord, Error> {
        self.records.record_of(self.sealer, patient)
    }
}

impl Worker {
    pub(crate) fn deid(&self) -> Run<'_> {
        self.run(Task::Deid { refuse_below: self.refuse_below })
    }

    pub(crate) fn run(&self, task: Task) -> Run<'_> {
        Run::new(&self.engine, task).jobs(self.jobs)
    }

    /// A document that has no id is named after its text: two of them share their surrogates only if they are the same.
    pub(crate) fn named(&self, item: impl Into<Item>) -> Item {
        let Item { mut document, mut refused } = item.into();
        if document.id.is_empty() && refused.is_none() {
            match text_id(&self.key, &document.text) {
                Ok(id) => {
                    document.id = id;
                    document.named_by_place = true;
                }
                Err(error) => {
                    document = Document { text: String::new(), ..document };
                    refused = Some(error.reason().clone());
                }
            }
        }
        Item { document, refused }
    }

    /// The first reading of a part of the documents, sealed for the way to those that use it.
    pub(crate) fn partial_reading(&self, items: impl Iterator<Item = Item> + Send) -> Result<SealedRecords, Error> {
        match self.engine.trusts_records() {
            true => SealedRecords::seal(&self.sealer, self.deid().partial_reading(items)),
            false => Ok(SealedRecords::default()),
        }
    }

    /// The first reading of documents that are all here.
    pub(crate) fn first_reading<I>(&self, items: impl Fn() -> I) -> Result<taire::Records, Error>
    where
        I: Iterator<Item = Item> + Send,
    {
        let records = self.deid().first_reading(items);
        if records.left_out() > 0 { Err(too_many()) } else { Ok(records) }
    }
}
