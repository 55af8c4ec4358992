//! Development documents: how many spans a model finds in them, and how sure it may be.

use std::collections::BTreeSet;
use std::ops::Range;

use super::chain::{Chain, Labels, Trellis};
use super::clues::Words;
use super::tagger::{Buffers, Cut, Tagger};
use crate::train::{GoldDocument, Tally};

/// Gold of a document: ranges of tokens, with their classes.
type Gold = Vec<(Range<usize>, usize)>;

/// The labels that gold gives the words.
pub(crate) fn labelling(labels: Labels, words: &Words, gold: &Gold) -> Vec<usize> {
    let mut out = vec![0; words.len()];
    for (range, class) in gold {
        let at = |token: usize| words.tokens.partition_point(|&t| (t as usize) < token);
        for (i, label) in out[at(range.start)..at(range.end)].iter_mut().enumerate() {
            *label = if i == 0 { labels.begin(*class) } else { labels.inside(*class) };
        }
    }
    out
}

/// A model as it is now, and how many threads may read.
pub(crate) struct Judge<'a> {
    pub(crate) tagger: &'a Tagger,
    pub(crate) threads: usize,
}

impl Judge<'_> {
    /// Scores of some documents, in order, on all threads.
    fn scores(&self, documents: &[GoldDocument], which: &[usize]) -> Vec<(Words, Vec<f32>)> {
        let work = |shard: usize| {
            let mine = which.iter().enumerate().skip(shard).step_by(self.threads);
            let mut buffers = Buffers::default();
            let score = |(place, &i): (usize, &usize)| {
                let document = &documents[i];
                let words = Words::read(&document.note, &document.mentions);
                let all = [words.all()];
                let cut = Cut::new(&self.tagger.tokeniser, &document.note, words, &all);
                let scores =
                    self.tagger.scores(&cut, &self.tagger.windows(&cut, &all), &mut buffers, || false);
                (place, (cut.words, scores))
            };
            mine.map(score).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = std::thread::scope(|scope| {
            let work = &work;
            let shards: Vec<_> = (0..self.threads).map(|s| scope.spawn(move || work(s))).collect();
            shards.into_iter().flat_map(|s| s.join().unwrap_or_default()).collect()
        });
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, found)| found).collect()
    }

    /// Exact matches over all classes, and for each class.
    pub(crate) fn tally(
        &self,
        documents: &[GoldDocument],
        gold: &[Gold],
        which: &[usize],
    ) -> (Tally, Vec<Tally>) {
        let chain = self.tagger.chain();
        let mut by_class = vec![Tally::default(); self.tagger.classes.len()];
        let mut trellis = Trellis::default();
        for ((words, scores), &i) in self.scores(documents, which).iter().zip(which) {
            let best = chain.best(scores);
            chain.sum(scores, &mut trellis);
            let mut found = BTreeSet::new();
            for segment in chain.segments(&best, &trellis) {
                let token = |w: usize| words.tokens[w] as usize;
                found.insert((token(segment.words.start), token(segment.words.end - 1) + 1, segment.class));
                by_class[segment.class].found += 1;
            }
            Tally::count_gold(&mut by_class, &gold[i], &found);
        }
        (Tally::sum(&by_class), by_class)
    }

    /// The temperature under which the gold is likeliest; 1 where there is none.
    pub(crate) fn temperature(&self, documents: &[GoldDocument], gold: &[Gold], which: &[usize]) -> f32 {
        let labels = self.tagger.labels();
        let scored = self.scores(documents, which).into_iter().zip(which);
        let sets: Vec<(Vec<f32>, Vec<usize>)> =
            scored.map(|((words, scores), &i)| (scores, labelling(labels, &words, &gold[i]))).collect();
        let head = &self.tagger.head;
        let transitions = &head.numbers[head.shape.transitions()];
        let cool = |values: &[f32], by: f32| values.iter().map(|v| v / by).collect::<Vec<f32>>();
        let loss = |temperature: f32| {
            let chain = Chain::new(labels, &cool(transitions, temperature));
            let one = |(scores, labelling): &(Vec<f32>, Vec<usize>)| {
                let scores = cool(scores, temperature);
                chain.sum(&scores, &mut Trellis::default()) - chain.score(&scores, labelling)
            };
            sets.iter().map(one).sum::<f64>()
        };
        if sets.is_empty() {
            return 1.0;
        }
        let steps = (0..=14).map(|i| 0.7f32 + i as f32 * 0.15);
        let losses: Vec<(f32, f64)> = steps.map(|t| (t, loss(t))).collect();
        losses.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1.0, |best| best.0)
    }
}
