//! Training data in flat arrays, and the shape of the label lattice.

/// Sequences of tokens with their active features (all of value 1) and their gold labels.
#[derive(Debug, Clone)]
pub struct Dataset {
    features: Vec<u32>,
    token_ends: Vec<u32>,
    labels: Vec<u8>,
    sequence_ends: Vec<u32>,
    feature_count: usize,
}

impl Default for Dataset {
    fn default() -> Self {
        Dataset {
            features: Vec::new(),
            token_ends: vec![0],
            labels: Vec::new(),
            sequence_ends: vec![0],
            feature_count: 0,
        }
    }
}

impl Dataset {
    /// Adds one token to the sequence being written.
    pub fn push_token(&mut self, features: &[u32], label: u8) {
        self.features.extend_from_slice(features);
        self.token_ends.push(self.features.len() as u32);
        self.labels.push(label);
        let seen = features.iter().max().map_or(0, |&m| m as usize + 1);
        self.feature_count = self.feature_count.max(seen);
    }

    /// Closes the sequence being written; an empty one is not kept.
    pub fn end_sequence(&mut self) {
        let end = self.labels.len() as u32;
        if self.sequence_ends.last() != Some(&end) {
            self.sequence_ends.push(end);
        }
    }

    pub fn sequences(&self) -> usize {
        self.sequence_ends.len() - 1
    }

    pub fn tokens(&self) -> usize {
        self.labels.len()
    }

    /// Active features summed over all tokens.
    pub fn features(&self) -> usize {
        self.features.len()
    }

    /// Different features.
    pub fn feature_count(&self) -> usize {
        self.feature_count
    }

    pub(crate) fn sequence(&self, index: usize) -> std::ops::Range<usize> {
        self.sequence_ends[index] as usize..self.sequence_ends[index + 1] as usize
    }

    pub(crate) fn token_features(&self, token: usize) -> &[u32] {
        &self.features[self.token_ends[token] as usize..self.token_ends[token + 1] as usize]
    }

    pub(crate) fn label(&self, token: usize) -> usize {
        usize::from(self.labels[token])
    }
}

/// Which label may follow which.
///
/// The first `dense` labels may follow every label; each later one has two predecessors only. In a
/// begin/inside/outside lattice the labels are `O`, all the `B`s, then all the `I`s, and an `I` follows its own `B`
/// or itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lattice {
    labels: usize,
    dense: usize,
}

impl Lattice {
    /// Every label may follow every other.
    pub fn free(labels: usize) -> Self {
        Lattice { labels, dense: labels }
    }

    /// Begin/inside/outside for so many classes.
    pub fn bio(classes: usize) -> Self {
        Lattice { labels: 1 + 2 * classes, dense: 1 + classes }
    }

    pub fn labels(self) -> usize {
        self.labels
    }

    pub(crate) fn dense(self) -> usize {
        self.dense
    }

    /// The two predecessors of a label that is not dense: its begin label and itself.
    #[inline]
    pub(crate) fn inside_predecessors(self, label: usize) -> [usize; 2] {
        [label + 1 - self.dense, label]
    }

    /// Number of allowed transitions. They are numbered: dense targets row by row of their source, then the pairs.
    pub(crate) fn transitions(self) -> usize {
        self.labels * self.dense + 2 * (self.labels - self.dense)
    }

    /// The number of a transition, if it is allowed.
    pub(crate) fn transition(self, from: usize, to: usize) -> Option<usize> {
        if to < self.dense {
            return Some(from * self.dense + to);
        }
        let pair = self.inside_predecessors(to).iter().position(|&p| p == from)?;
        Some(self.labels * self.dense + 2 * (to - self.dense) + pair)
    }
}
