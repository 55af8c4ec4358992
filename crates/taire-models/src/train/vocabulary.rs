//! The vocabulary of a model: clusters of words from unlabelled text, and which words the gold shows to be loud.

use rustc_hash::FxHashMap;
use taire_text::{Kind, Shape};

use super::GoldDocument;
use super::clusters::Clusters;
use super::corpus::gold_spans;
use crate::features::{Document, Entry, Reach, Settings, Vocabulary, finish, word_hashes};

/// A word is loud when more than one in so many of its places lies inside a span.
const LOUD_SHARE: u32 = 8;
/// A word seen so often, and never loud, is ordinary.
const ORDINARY: u32 = 3;

#[derive(Default, Clone, Copy)]
struct Count {
    lower: u32,
    total: u32,
    inside: u32,
}

/// Learns the vocabulary. Every gold span is then inside what the features call a piece.
pub(super) fn vocabulary(
    gold: &[GoldDocument],
    classes: &[String],
    clusters: &Clusters,
    settings: Settings,
) -> Vec<Entry> {
    let mut counts: FxHashMap<u64, Count> = FxHashMap::default();
    let mut folded = Vec::new();
    let spans: Vec<_> = gold.iter().map(|g| gold_spans(g, classes).spans).collect();
    for (g, spans) in gold.iter().zip(&spans) {
        let mut next = 0;
        for (i, token) in g.note.tokens.iter().enumerate() {
            if token.kind != Kind::Word || !matches!(token.shape, Shape::Lower | Shape::Title) {
                continue;
            }
            while spans.get(next).is_some_and(|(range, _)| range.end <= i) {
                next += 1;
            }
            let inside = spans.get(next).is_some_and(|(range, _)| range.contains(&i));
            let count = counts.entry(word_hashes(token.of(g.note.norm()), &mut folded).word).or_default();
            count.total += 1;
            count.lower += u32::from(token.shape == Shape::Lower);
            count.inside += u32::from(inside);
        }
    }
    let mut entries: FxHashMap<u64, Entry> = FxHashMap::default();
    for (word, cluster) in clusters.iter() {
        entries.insert(word, Entry { word: finish(word), cluster, loud: false });
    }
    for (&word, count) in &counts {
        let loud = count.inside * LOUD_SHARE > count.total;
        if loud || count.lower >= ORDINARY {
            let none = Entry { word: finish(word), cluster: 0, loud: false };
            entries.entry(word).or_insert(none).loud = loud;
        }
    }
    for _ in 0..8 {
        if !raise(gold, &spans, settings, &mut entries, &counts) {
            break;
        }
    }
    sorted(&entries)
}

/// Makes loud the rarest word of every span that the pieces do not hold whole; says whether there was one.
fn raise(
    gold: &[GoldDocument],
    spans: &[Vec<(std::ops::Range<usize>, usize)>],
    settings: Settings,
    entries: &mut FxHashMap<u64, Entry>,
    counts: &FxHashMap<u64, Count>,
) -> bool {
    let vocabulary = Vocabulary::new(&sorted(entries));
    let mut document = Document::default();
    let mut changed = false;
    for (g, spans) in gold.iter().zip(spans) {
        document.read(&g.note, &g.mentions, settings, &vocabulary, Reach::Wide);
        for (range, _) in spans {
            let next = document.pieces.partition_point(|p| p.tokens.end <= range.start);
            let held = |i: usize| {
                document.pieces[next..]
                    .iter()
                    .take_while(|p| p.tokens.start <= i)
                    .any(|p| p.tokens.contains(&i))
            };
            if range.clone().all(held) {
                continue;
            }
            let words = range.clone().map(|i| document.items[i].hashes.word);
            let known = words.filter_map(|word| counts.get(&word).map(|count| (count.total, word)));
            if let Some((_, word)) = known.filter(|&(_, w)| !entries.get(&w).is_some_and(|e| e.loud)).min() {
                let none = Entry { word: finish(word), cluster: 0, loud: false };
                entries.entry(word).or_insert(none).loud = true;
                changed = true;
            }
        }
    }
    changed
}

fn sorted(entries: &FxHashMap<u64, Entry>) -> Vec<Entry> {
    let mut all: Vec<Entry> = entries.values().copied().collect();
    all.sort_unstable();
    all.dedup_by_key(|e| e.word);
    all
}
