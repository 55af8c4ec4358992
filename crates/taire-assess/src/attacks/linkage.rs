//! Two documents of one patient, released under different surrogates, put together again by what was left in them.
//!
//! Each document is the set of its words; the nearest is the one that shares the rarest (cosine over inverse document
//! frequency). Medicine that is kept links documents: this says how much.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Success;
use taire_text::SplitMix64;

use crate::Share;

/// Documents tried.
const SAMPLE: usize = 1000;
/// A word that more documents hold than one in so many links nobody.
const COMMON: usize = 20;

/// A released document: whose it is, in truth, and its words.
#[derive(Clone, Default)]
pub struct Released {
    /// Whose it is, in truth.
    pub patient: String,
    /// The words that were left in it.
    pub words: Vec<String>,
}

impl std::fmt::Debug for Released {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Released").finish_non_exhaustive()
    }
}

/// Joins documents by the words left in them; a success is a pair of one patient.
pub fn linkage(documents: &[Released], seed: u64) -> Success {
    let mut postings: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, document) in documents.iter().enumerate() {
        let words: FxHashSet<&str> = document.words.iter().map(String::as_str).collect();
        words.into_iter().for_each(|w| postings.entry(w).or_default().push(at));
    }
    let n = documents.len();
    postings.retain(|_, at| at.len() > 1 && at.len() <= (n / COMMON).max(3));
    let weight = |holders: usize| (n as f64 / holders as f64).ln();
    let mut norm = vec![0.0; n];
    for holders in postings.values() {
        holders.iter().for_each(|&at| norm[at] += weight(holders.len()).powi(2));
    }
    let mut of_patient: FxHashMap<&str, usize> = FxHashMap::default();
    documents.iter().for_each(|d| *of_patient.entry(&d.patient).or_default() += 1);
    let linkable: Vec<usize> = (0..n).filter(|&i| of_patient[&*documents[i].patient] > 1).collect();
    let sample = SplitMix64::new(seed).sample(linkable.len(), SAMPLE);
    let (mut hits, mut tries, mut blind) = (0, 0, 0.0);
    for at in sample.into_iter().map(|i| linkable[i]) {
        let nearest = nearest(documents, &postings, &norm, at, &weight);
        tries += 1;
        hits += u64::from(nearest.is_some_and(|other| documents[other].patient == documents[at].patient));
        blind += (of_patient[&*documents[at].patient] - 1) as f64 / (n - 1) as f64;
    }
    let blind = (tries > 0).then(|| blind / tries as f64);
    Success { attack: Share::new(hits, tries), blind }
}

fn nearest(
    documents: &[Released],
    postings: &FxHashMap<&str, Vec<usize>>,
    norm: &[f64],
    at: usize,
    weight: &impl Fn(usize) -> f64,
) -> Option<usize> {
    let mut words: Vec<&str> = documents[at].words.iter().map(String::as_str).collect();
    words.sort_unstable();
    words.dedup();
    let mut scores: FxHashMap<usize, f64> = FxHashMap::default();
    for holders in words.iter().filter_map(|w| postings.get(w)) {
        let gain = weight(holders.len()).powi(2);
        holders.iter().filter(|&&o| o != at).for_each(|&o| *scores.entry(o).or_default() += gain);
    }
    let cosine = |(other, score): (usize, f64)| (score / (norm[other].max(1e-9)).sqrt(), other);
    let best = scores.into_iter().map(cosine).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    best.map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(marked: bool) -> Vec<Released> {
        let mut draw = SplitMix64::new(2);
        let mut one = |patient: usize| {
            let mut words: Vec<String> = (0..30).map(|_| format!("w{}", draw.below(400))).collect();
            if marked {
                words.push(format!("rare{patient}"));
                words.push(format!("syndrome{patient}"));
            }
            Released { patient: patient.to_string(), words }
        };
        (0..200).flat_map(|p| [one(p), one(p)]).collect()
    }

    #[test]
    fn rare_words_left_in_place_link_documents() {
        let found = linkage(&documents(true), 1);
        assert!(found.attack.share > 0.9, "{found}");
    }

    #[test]
    fn without_them_it_is_a_guess() {
        let found = linkage(&documents(false), 1);
        assert!(found.attack.share < 0.05, "{found}");
        assert!(found.blind.is_some_and(|b| b < 0.01));
    }
}
