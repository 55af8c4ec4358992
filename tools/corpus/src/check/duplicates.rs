//! Near copies, by shingles: runs of words that two documents share.
//!
//! Values of spans count as their label, so that one template filled twice is found.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use taire_text::fold;

use super::{Finding, Problem};
use crate::MarkedDocument;

/// Words of a shingle.
const WORDS: usize = 5;
/// Two documents share at most this part of the shingles of the smaller one, in percent.
const MOST_SHARED: usize = 25;
/// Documents with fewer shingles are too short to judge by a share alone.
const FEWEST: usize = 12;
/// A shingle of more documents is a phrase of the trade.
const COMMON: usize = 40;

pub(super) fn shingles(document: &MarkedDocument) -> FxHashSet<u64> {
    let mut words: Vec<String> = Vec::new();
    let mut push = |text: &str| {
        words.extend(text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(fold));
    };
    let gaps = document.gaps();
    for (i, gap) in gaps.iter().enumerate() {
        push(gap);
        if let Some(span) = document.spans.get(i) {
            push(span.label.name());
        }
    }
    let hash = |run: &[String]| {
        let mut hasher = FxHasher::default();
        run.hash(&mut hasher);
        hasher.finish()
    };
    words.windows(WORDS).map(hash).collect()
}

pub(super) fn check<'a>(documents: impl Iterator<Item = &'a MarkedDocument>, findings: &mut Vec<Finding>) {
    let all: Vec<(&str, FxHashSet<u64>)> = documents.map(|d| (&*d.id, shingles(d))).collect();
    let mut index: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (i, (_, set)) in all.iter().enumerate() {
        for &shingle in set {
            index.entry(shingle).or_default().push(i);
        }
    }
    let mut shared: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for holders in index.values().filter(|h| (2..=COMMON).contains(&h.len())) {
        for (n, &a) in holders.iter().enumerate() {
            for &b in &holders[n + 1..] {
                *shared.entry((a.min(b), a.max(b))).or_default() += 1;
            }
        }
    }
    for ((a, b), n) in shared {
        let smaller = all[a].1.len().min(all[b].1.len());
        if smaller >= FEWEST && n * 100 > smaller * MOST_SHARED {
            let detail = format!("shares {} % of its runs of words with {}", n * 100 / smaller, all[b].0);
            findings.push(Finding::new(all[a].0, Problem::NearDuplicate, detail));
        }
    }
}
