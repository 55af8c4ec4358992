//! The documents of all inputs as one stream of events, so that threads are shared by many small files.

use std::sync::atomic::{AtomicUsize, Ordering};

use taire::batch::{Shard, Weigh};
use taire::journal::Place;
use taire_formats::{Document, InputFile, Layout, ReadOptions, ReadSummary, Reader, Refusal, open};

/// What happens while inputs are read, in order.
pub(crate) enum Event {
    /// Input `0` is open.
    Open(usize, Layout),
    Document(Box<Document>),
    /// A document, or a whole input, cannot be read.
    Refused(Refusal),
    Close(ReadSummary),
}

/// An event, and the place in the inputs that is reached once it is dealt with.
pub(crate) struct Step {
    pub(crate) event: Event,
    pub(crate) after: Place,
}

impl Weigh for Step {
    fn weight(&self) -> usize {
        match &self.event {
            Event::Document(document) => document.weight(),
            _ => 0,
        }
    }
}

/// Reads the inputs one after the other, until there are no more or a signal says stop.
pub(crate) struct Feed<'a> {
    inputs: &'a [InputFile],
    options: &'a ReadOptions,
    shard: Option<Shard>,
    /// The signal that asked to stop; 0 for none.
    stop: Option<&'a AtomicUsize>,
    at: Place,
    reader: Option<Reader>,
}

impl<'a> Feed<'a> {
    /// All documents of the inputs.
    pub(crate) fn new(inputs: &'a [InputFile], options: &'a ReadOptions) -> Self {
        Feed { inputs, options, shard: None, stop: None, at: Place::default(), reader: None }
    }

    /// Only one share of them.
    pub(crate) fn share(self, shard: Option<Shard>) -> Self {
        Feed { shard, ..self }
    }

    /// Only what comes after a place an earlier run had reached.
    pub(crate) fn after(self, at: Place) -> Self {
        Feed { at, ..self }
    }

    /// Only until a signal comes.
    pub(crate) fn until(self, stop: &'a AtomicUsize) -> Self {
        Feed { stop: Some(stop), ..self }
    }

    /// Where the signal is told.
    pub(crate) fn signal(&self) -> Option<&'a AtomicUsize> {
        self.stop
    }

    /// The same, from its beginning, of the inputs that can be read more than once.
    pub(crate) fn first_reading<'b>(&self, inputs: &'b [InputFile], options: &'b ReadOptions) -> Feed<'b>
    where
        'a: 'b,
    {
        Feed { inputs, options, at: Place::default(), reader: None, ..*self }
    }

    pub(crate) fn options(&self) -> &'a ReadOptions {
        self.options
    }

    pub(crate) fn inputs(&self) -> &'a [InputFile] {
        self.inputs
    }

    fn step(&self, event: Event) -> Option<Step> {
        Some(Step { event, after: self.at })
    }

    fn next_input(&mut self) {
        self.reader = None;
        self.at = Place { input: self.at.input + 1, items: 0 };
    }

    fn is_elsewhere(&self, document: &Document) -> bool {
        self.shard.is_some_and(|shard| !shard.holds(document.patient.as_deref(), &document.id))
    }
}

impl Iterator for Feed<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        while self.stop.is_none_or(|stop| stop.load(Ordering::Relaxed) == 0) {
            let Some(reader) = &mut self.reader else {
                let input = self.inputs.get(self.at.input)?;
                match open(input, self.options) {
                    Ok(mut reader) => {
                        let event = Event::Open(self.at.input, reader.layout().clone());
                        (0..self.at.items).for_each(|_| drop(reader.next()));
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
            self.at.items += 1;
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
