//! The documents of all inputs as one stream of events, so that threads are shared by many small files.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use taire_formats::{Document, InputFile, Layout, ReadOptions, ReadSummary, Reader, Refusal, open};

use crate::batch::{Shard, Weigh};

/// How far the inputs are read: so many items of this input, and all inputs before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct InputPosition {
    /// The number of the input, from 0.
    pub input: usize,
    /// Items of it that are done.
    pub items: u64,
}

/// What happens while inputs are read, in order.
#[derive(Debug)]
pub enum Event {
    /// The input of this number is open.
    Open(usize, Layout),
    /// A document was read.
    Document(Box<Document>),
    /// A document, or a whole input, cannot be read.
    Refused(Refusal),
    /// The input that was open is read to its end.
    Close(ReadSummary),
}

/// An event, and the position in the inputs once it is dealt with.
#[derive(Debug)]
pub struct Step {
    /// What happened.
    pub event: Event,
    /// Where a later run continues after it.
    pub after: InputPosition,
}

impl Weigh for Step {
    fn weight(&self) -> usize {
        match &self.event {
            Event::Document(document) => document.weight(),
            _ => 0,
        }
    }
}

/// What is read: inputs, how, and which part of their documents.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The files.
    pub inputs: &'a [InputFile],
    /// How they are read.
    pub options: &'a ReadOptions,
    /// Only the documents of one share.
    pub shard: Option<Shard>,
    /// Holds the signal that asks to stop, 0 for none.
    pub stop: Option<&'a AtomicUsize>,
}

impl<'a> Reading<'a> {
    /// All documents of the inputs.
    pub fn new(inputs: &'a [InputFile], options: &'a ReadOptions) -> Self {
        Reading { inputs, options, shard: None, stop: None }
    }

    /// From its beginning.
    pub fn feed(&self) -> Feed<'a> {
        self.feed_after(InputPosition::default())
    }

    /// From a position that an earlier run had reached.
    pub fn feed_after(&self, position: InputPosition) -> Feed<'a> {
        Feed { reading: *self, position, reader: None }
    }
}

/// Reads the inputs one after the other, until there are no more or a signal asks to stop.
#[derive(Debug)]
pub struct Feed<'a> {
    reading: Reading<'a>,
    position: InputPosition,
    reader: Option<Reader>,
}

impl Feed<'_> {
    fn step(&self, event: Event) -> Option<Step> {
        Some(Step { event, after: self.position })
    }

    fn next_input(&mut self) {
        self.reader = None;
        self.position = InputPosition { input: self.position.input + 1, items: 0 };
    }

    fn is_elsewhere(&self, document: &Document) -> bool {
        let patient = document.patient_id().map(|id| id.as_str());
        self.reading.shard.is_some_and(|shard| !shard.holds(patient, &document.id))
    }
}

impl Iterator for Feed<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        while self.reading.stop.is_none_or(|stop| stop.load(Ordering::Relaxed) == 0) {
            let Some(reader) = &mut self.reader else {
                let input = self.reading.inputs.get(self.position.input)?;
                match open(input, self.reading.options) {
                    Ok(reader) if self.reading.options.patients_only && !reader.may_have_patient() => {
                        self.next_input();
                        continue;
                    }
                    Ok(mut reader) => {
                        let event = Event::Open(self.position.input, reader.layout().clone());
                        (0..self.position.items).for_each(|_| drop(reader.next()));
                        self.reader = Some(reader);
                        return self.step(event);
                    }
                    Err(error) => {
                        self.next_input();
                        return self.step(Event::Refused(error.into()));
                    }
                }
            };
            let item = reader.next();
            let summary = item.is_none().then(|| reader.summary().clone());
            self.position.items += 1;
            match item {
                Some(Ok(document)) if self.is_elsewhere(&document) => {}
                Some(Ok(document)) => return self.step(Event::Document(Box::new(document))),
                Some(Err(refusal)) => return self.step(Event::Refused(refusal)),
                None => {
                    self.next_input();
                    return self.step(Event::Close(summary.unwrap_or_default()));
                }
            }
        }
        None
    }
}
