//! Clusters of words, learned from unlabelled text by the exchange algorithm (Kneser & Ney 1993; Martin et al. 1998).
//!
//! Every word moves to the cluster under which the text is likeliest to a bigram model of clusters, again and again.
//! The number of passes is fixed and ties keep the lower cluster, so the same text gives the same clusters.

use rustc_hash::FxHashMap;
use taire_text::{Kind, normalise, tokenise};

use crate::crf::ln;
use crate::features::word_hashes;

const PASSES: usize = 8;

/// Words and their clusters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clusters {
    /// Hash of the folded word, cluster from 1 on; sorted.
    words: Vec<(u64, u16)>,
}

impl Clusters {
    /// Clusters the words that come at least `min_count` times, into so many clusters.
    pub fn learn<'t>(texts: impl Iterator<Item = &'t str>, clusters: usize, min_count: u32) -> Clusters {
        let (sentences, names) = read(texts, min_count);
        if names.is_empty() || clusters == 0 {
            return Clusters::default();
        }
        let mut exchange = Exchange::new(&sentences, names.len(), clusters.min(1 << 14));
        for _ in 0..PASSES {
            if !exchange.pass() {
                break;
            }
        }
        // Word 0 is the border and the rare words.
        let clusters = exchange.cluster[1..].iter().map(|&c| c + 1);
        let mut words: Vec<_> = names.into_iter().zip(clusters).collect();
        words.sort_unstable();
        Clusters { words }
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u16)> + '_ {
        self.words.iter().copied()
    }
}

/// Texts as numbers of words, the most frequent word first; 0 is the border of a line or of a rare word.
fn read<'t>(texts: impl Iterator<Item = &'t str>, min_count: u32) -> (Vec<u32>, Vec<u64>) {
    let mut stream: Vec<u64> = vec![0];
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    let mut folded = Vec::new();
    for text in texts {
        let normalised = normalise(text).text;
        let view = normalised.as_deref().unwrap_or(text);
        for token in tokenise(view) {
            let word = match token.kind {
                Kind::Newline => 0,
                Kind::Number => 1,
                _ => word_hashes(token.of(view), &mut folded).word,
            };
            *counts.entry(word).or_default() += 1;
            stream.push(word);
        }
        stream.push(0);
    }
    let mut names: Vec<(u32, u64)> =
        counts.iter().filter(|&(&w, &n)| w > 1 && n >= min_count).map(|(&w, &n)| (n, w)).collect();
    names.sort_unstable_by_key(|&(n, w)| (std::cmp::Reverse(n), w));
    let numbers: FxHashMap<u64, u32> = names.iter().enumerate().map(|(i, n)| (n.1, i as u32 + 1)).collect();
    let stream = stream.iter().map(|w| numbers.get(w).copied().unwrap_or(0)).collect();
    (stream, names.into_iter().map(|n| n.1).collect())
}

struct Exchange {
    /// Neighbours of each word, with how often: before it, after it.
    before: Vec<Vec<(u32, u32)>>,
    after: Vec<Vec<(u32, u32)>>,
    /// How often the word follows itself.
    twice: Vec<u32>,
    total: Vec<u32>,
    cluster: Vec<u16>,
    clusters: usize,
    pairs: Vec<u32>,
    sizes: Vec<u32>,
    /// `n·ln n` of small whole numbers.
    entropy: Vec<f64>,
}

impl Exchange {
    fn new(stream: &[u32], words: usize, clusters: usize) -> Exchange {
        let mut counts: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut total = vec![0u32; words + 1];
        for pair in stream.windows(2) {
            *counts.entry((pair[0], pair[1])).or_default() += 1;
        }
        stream.iter().for_each(|&w| total[w as usize] += 1);
        let mut sorted: Vec<_> = counts.into_iter().collect();
        sorted.sort_unstable();
        let (mut before, mut after) = (vec![Vec::new(); words + 1], vec![Vec::new(); words + 1]);
        let mut twice = vec![0; words + 1];
        // The last cluster is word 0's alone.
        let all = clusters + 1;
        let start = |w: u32| if w == 0 { clusters as u16 } else { ((w - 1) as usize % clusters) as u16 };
        let cluster: Vec<u16> = (0..=words as u32).map(start).collect();
        let (mut pairs, mut sizes) = (vec![0; all * all], vec![0; all]);
        for ((a, b), n) in sorted {
            let (ca, cb) = (usize::from(cluster[a as usize]), usize::from(cluster[b as usize]));
            pairs[ca * all + cb] += n;
            if a == b {
                twice[a as usize] = n;
            } else {
                before[b as usize].push((a, n));
                after[a as usize].push((b, n));
            }
        }
        (0..=words).for_each(|w| sizes[usize::from(cluster[w])] += total[w]);
        let entropy = (0..1 << 16).map(|n| if n == 0 { 0.0 } else { f64::from(n) * ln(n.into()) }).collect();
        Exchange { before, after, twice, total, cluster, clusters, pairs, sizes, entropy }
    }

    fn entropy(&self, n: u32) -> f64 {
        match self.entropy.get(n as usize) {
            Some(&e) => e,
            None => f64::from(n) * ln(n.into()),
        }
    }

    /// Offers every word every cluster; says whether one moved.
    fn pass(&mut self) -> bool {
        let all = self.clusters + 1;
        let (mut left, mut right) = (vec![0u32; all], vec![0u32; all]);
        let mut moved = false;
        for word in 1..self.total.len() {
            left.fill(0);
            right.fill(0);
            for &(w, n) in &self.before[word] {
                left[usize::from(self.cluster[w as usize])] += n;
            }
            for &(w, n) in &self.after[word] {
                right[usize::from(self.cluster[w as usize])] += n;
            }
            let from = usize::from(self.cluster[word]);
            self.shift(word, from, &left, &right, false);
            let near: Vec<usize> = (0..all).filter(|&c| left[c] + right[c] > 0).collect();
            let mut best = (f64::NEG_INFINITY, 0);
            for to in 0..self.clusters {
                let gain = self.gain(word, to, &near, &left, &right);
                if gain > best.0 {
                    best = (gain, to);
                }
            }
            self.shift(word, best.1, &left, &right, true);
            self.cluster[word] = best.1 as u16;
            moved |= best.1 != from;
        }
        moved
    }

    /// What the likelihood gains when a word that is in no cluster joins one.
    fn gain(&self, word: usize, to: usize, near: &[usize], left: &[u32], right: &[u32]) -> f64 {
        let all = self.clusters + 1;
        let grow = |old: u32, by: u32| self.entropy(old + by) - self.entropy(old);
        let mut gain = -2.0 * grow(self.sizes[to], self.total[word]);
        for &c in near.iter().filter(|&&c| c != to) {
            gain += grow(self.pairs[c * all + to], left[c]) + grow(self.pairs[to * all + c], right[c]);
        }
        gain + grow(self.pairs[to * all + to], left[to] + right[to] + self.twice[word])
    }

    /// Takes a word out of a cluster's counts, or adds it.
    fn shift(&mut self, word: usize, to: usize, left: &[u32], right: &[u32], add: bool) {
        let all = self.clusters + 1;
        let change = |count: &mut u32, by: u32| *count = if add { *count + by } else { *count - by };
        change(&mut self.sizes[to], self.total[word]);
        for c in 0..all {
            change(&mut self.pairs[c * all + to], left[c]);
            change(&mut self.pairs[to * all + c], right[c]);
        }
        change(&mut self.pairs[to * all + to], self.twice[word]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_the_same_contexts_share_a_cluster() {
        let verbs = ["canta", "duerme", "corre"];
        let nouns = ["gato", "perro", "lobo"];
        let text: String =
            (0..90).map(|i| format!("el {} {} mucho\n", nouns[i % 3], verbs[i / 3 % 3])).collect();
        let clusters = Clusters::learn([text.as_str()].into_iter(), 4, 2);
        let mut folded = Vec::new();
        let mut of = |word: &str| {
            let hash = word_hashes(word, &mut folded).word;
            clusters.iter().find(|c| c.0 == hash).map(|c| c.1).unwrap()
        };
        assert!(of("gato") == of("perro") && of("perro") == of("lobo"));
        assert!(of("canta") == of("duerme") && of("duerme") == of("corre"));
        assert!(of("gato") != of("canta") && of("el") != of("gato"));
        assert_eq!(clusters.len(), 8);
    }
}
