//! The documents of all inputs as one stream of events, so that threads are shared by many small files.

use taire::batch::Weigh;
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

impl Weigh for Event {
    fn weight(&self) -> usize {
        match self {
            Event::Document(document) => document.weight(),
            _ => 0,
        }
    }
}

/// Reads the inputs one after the other.
pub(crate) struct Feed<'a> {
    inputs: std::iter::Enumerate<std::slice::Iter<'a, InputFile>>,
    options: &'a ReadOptions,
    reader: Option<Reader>,
}

impl<'a> Feed<'a> {
    pub(crate) fn new(inputs: &'a [InputFile], options: &'a ReadOptions) -> Self {
        Feed { inputs: inputs.iter().enumerate(), options, reader: None }
    }
}

impl Iterator for Feed<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if let Some(reader) = &mut self.reader {
            let event = match reader.next() {
                Some(Ok(document)) => Event::Document(Box::new(document)),
                Some(Err(refusal)) => Event::Refused(refusal),
                None => {
                    let summary = reader.summary().clone();
                    self.reader = None;
                    Event::Close(summary)
                }
            };
            return Some(event);
        }
        let (index, input) = self.inputs.next()?;
        Some(match open(input, self.options) {
            Ok(reader) => {
                let layout = reader.layout().clone();
                self.reader = Some(reader);
                Event::Open(index, layout)
            }
            Err(error) => Event::Refused(error.into()),
        })
    }
}
