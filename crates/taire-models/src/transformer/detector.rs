//! The transformer as a detector.

use std::path::Path;
use std::sync::{Arc, Mutex};

use taire_detect::Detector;
use taire_encoder::ModelFiles;
use taire_text::{Language, Mention, Note, Source};

use super::chain::{Chain, Trellis};
use super::clues::Words;
use super::file::read_model;
use super::pool::Pool;
use super::tagger::{Buffers, Cut, Tagger};
use crate::detector::{append_found, push_mentions};
use crate::shipped::TEACHER;
use crate::{CrfDetector, Error, ReadShare};

/// Finds what its model was trained to find. It reads the mentions that the rules left in the output.
///
/// One call runs on the thread it comes on; documents are read side by side.
pub struct TransformerDetector {
    tagger: Arc<Tagger>,
    chain: Chain,
    pool: Option<Pool>,
    /// Buffers at rest; a call takes one and gives it back.
    buffers: Mutex<Vec<Buffers>>,
}

impl std::fmt::Debug for TransformerDetector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TransformerDetector").field("encoder", &self.tagger.encoder).finish_non_exhaustive()
    }
}

impl TransformerDetector {
    /// Reads a folder written by training.
    pub fn read(folder: &Path) -> Result<TransformerDetector, Error> {
        Ok(TransformerDetector::new(Arc::new(read_model(&ModelFiles::Folder(folder))?)))
    }

    /// The one that ships. It is read once and shared.
    pub fn shipped() -> Result<TransformerDetector, Error> {
        static SHIPPED: Mutex<Option<Arc<Tagger>>> = Mutex::new(None);
        let mut shipped = SHIPPED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let tagger = match &*shipped {
            Some(tagger) => Arc::clone(tagger),
            None => Arc::clone(shipped.insert(Arc::new(read_model(&ModelFiles::Embedded(TEACHER))?))),
        };
        Ok(TransformerDetector::new(tagger))
    }

    fn new(tagger: Arc<Tagger>) -> TransformerDetector {
        let chain = tagger.chain();
        TransformerDetector { tagger, chain, pool: None, buffers: Mutex::default() }
    }

    /// Lets a CRF decide with it; `share`, from 0 to 1, is how much of a decision is the CRF's. A class that one of them
    /// does not know is decided by the other.
    pub fn beside(mut self, crf: CrfDetector, share: f32) -> TransformerDetector {
        let pool = Pool::new(crf, share, &self.tagger.classes);
        self.chain = pool.chain(&self.tagger);
        self.pool = Some(pool);
        self
    }

    /// The languages the model was trained for.
    pub fn languages(&self) -> &[Language] {
        &self.tagger.languages
    }

    /// Finds in a note, or only around its tokens that are in doubt. A pool with a CRF reads whole notes.
    pub(crate) fn find(
        &self,
        note: &Note,
        mentions: &[Mention],
        doubts: Option<(&[bool], &ReadShare)>,
        out: &mut Vec<Mention>,
    ) {
        let words = Words::read(note, mentions);
        let ranges = match doubts {
            Some((doubts, _)) => words.around(doubts),
            None => Vec::from([words.all()]),
        };
        let all = words.len();
        let cut = Cut::new(&self.tagger.tokeniser, note, words, &ranges);
        let windows = self.tagger.windows(&cut, &ranges);
        if let Some((_, share)) = doubts {
            share.add(windows.iter().map(|(window, _)| window.words.len()).sum(), all);
        }
        if windows.is_empty() {
            return;
        }
        let lock = || self.buffers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut buffers = lock().pop().unwrap_or_default();
        let mut scores = self.tagger.scores(&cut, &windows, &mut buffers, || note.is_cancelled());
        lock().push(buffers);
        if note.is_cancelled() {
            // Not every word has its scores.
            return;
        }
        if let Some(pool) = &self.pool {
            pool.join(note, mentions, &cut.words, &mut scores);
        }
        let labels = self.tagger.head.shape.labels;
        let mut trellis = Trellis::default();
        let mut from = 0;
        for range in ranges {
            let scores = &scores[from * labels..(from + range.len()) * labels];
            from += range.len();
            let labelling = self.chain.best(scores);
            self.chain.sum(scores, &mut trellis);
            for segment in self.chain.segments(&labelling, &trellis) {
                let token = |word: usize| cut.words.tokens[range.start + word] as usize;
                let (first, last) = (token(segment.words.start), token(segment.words.end - 1));
                let class = self.tagger.classes[segment.class];
                push_mentions(note, (first, last), class, segment.probability, Source::Transformer, out);
            }
        }
        if let Some(pool) = &self.pool {
            pool.rest(&self.tagger, note, mentions, out);
        }
    }
}

impl Detector for TransformerDetector {
    fn source(&self) -> Source {
        Source::Transformer
    }

    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), taire_detect::Error> {
        append_found(notes, out, |note, before, found| self.find(note, before, None, found));
        Ok(())
    }
}
