//! Which of many spans overlap a stretch of text, without looking at all of them.

use taire_text::{Raw, Span};

/// Spans by their start, with the farthest end of every stretch of them.
#[derive(Debug)]
pub struct SpanIndex {
    /// Start, end and number of each span, sorted.
    spans: Vec<(usize, usize, usize)>,
    /// A complete binary tree over `spans`: the farthest end below each node.
    farthest: Vec<usize>,
    leaves: usize,
}

impl SpanIndex {
    /// Numbers the spans in the order given.
    pub fn new(spans: impl IntoIterator<Item = Span<Raw>>) -> SpanIndex {
        let mut spans: Vec<_> =
            spans.into_iter().enumerate().map(|(i, span)| (span.start(), span.end(), i)).collect();
        spans.sort_unstable();
        let leaves = spans.len().next_power_of_two();
        let mut farthest = vec![0; 2 * leaves];
        for (leaf, &(_, end, _)) in farthest[leaves..].iter_mut().zip(&spans) {
            *leaf = end;
        }
        for node in (1..leaves).rev() {
            farthest[node] = farthest[2 * node].max(farthest[2 * node + 1]);
        }
        SpanIndex { spans, farthest, leaves }
    }

    /// Whether a span that overlaps `span` passes; spans are asked by their number, in the order of their start.
    pub fn any_overlapping(&self, span: Span<Raw>, mut passes: impl FnMut(usize) -> bool) -> bool {
        let until = self.spans.partition_point(|&(start, ..)| start < span.end());
        let mut nodes: Vec<usize> = vec![1];
        while let Some(node) = nodes.pop() {
            // The first leaf below the node.
            let level = self.leaves.ilog2() - node.ilog2();
            let first = (node << level) - self.leaves;
            if first >= until || self.farthest[node] <= span.start() {
                continue;
            }
            if node < self.leaves {
                nodes.extend([2 * node + 1, 2 * node]);
                continue;
            }
            let (start, end, number) = self.spans[first];
            if Span::<Raw>::new(start, end).overlaps(span) && passes(number) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_look_at_all_of_them_finds(
            spans in proptest::collection::vec((0..60usize, 0..20usize), 0..40),
            asked in (0..70usize, 0..12usize),
        ) {
            let spans: Vec<Span<Raw>> = spans.iter().map(|&(at, n)| Span::new(at, at + n)).collect();
            let asked = Span::<Raw>::new(asked.0, asked.0 + asked.1);
            let mut found = Vec::new();
            SpanIndex::new(spans.iter().copied()).any_overlapping(asked, |i| { found.push(i); false });
            found.sort_unstable();
            let wanted: Vec<usize> = (0..spans.len()).filter(|&i| spans[i].overlaps(asked)).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
