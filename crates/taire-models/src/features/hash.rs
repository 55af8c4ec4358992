//! Hashes of words and of features. Fast, the same on every machine, not meant to resist an adversary.

use taire_text::fold_char;

const K: u64 = 0x9e37_79b9_7f4a_7c15;

/// Folds one more value into a hash.
#[inline]
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(23) ^ value).wrapping_mul(K)
}

/// The 48 bits under which a feature is known to a model.
#[inline]
pub(crate) fn finish(hash: u64) -> u64 {
    ((hash ^ (hash >> 29)).wrapping_mul(K)) >> 16
}

/// Longest prefix and suffix, in characters, that has a hash of its own.
pub(crate) const AFFIX: usize = 5;

/// Hashes of one word: folded whole, folded prefixes and suffixes, exact form, spelled-out shape.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct WordHashes {
    pub(crate) word: u64,
    pub(crate) form: u64,
    pub(crate) shape: u64,
    pub(crate) prefixes: [u64; AFFIX],
    pub(crate) suffixes: [u64; AFFIX],
    pub(crate) length: u8,
}

/// Reads a word once and gives all its hashes. Affixes of words shorter than the affix are 0.
pub(crate) fn word_hashes(text: &str, folded: &mut Vec<u32>) -> WordHashes {
    folded.clear();
    let mut out = WordHashes { word: K, form: K, shape: K, ..WordHashes::default() };
    let mut length = 0usize;
    let mut last_class = 0;
    for c in text.chars() {
        out.form = mix(out.form, c as u64);
        let class = if c.is_ascii_digit() {
            1
        } else if c.is_lowercase() {
            2
        } else if c.is_uppercase() {
            3
        } else {
            c as u64
        };
        // Long runs of one class look alike beyond four characters, digits excepted.
        if class != last_class || class == 1 || length < 4 {
            out.shape = mix(out.shape, class);
        }
        last_class = class;
        let (pair, n) = fold_char(c);
        for &f in &pair[..n] {
            out.word = mix(out.word, f as u64);
            if folded.len() < AFFIX {
                out.prefixes[folded.len()] = out.word;
            }
            folded.push(f as u32);
        }
        length += 1;
    }
    let mut suffix = !K;
    for (i, &f) in folded.iter().rev().take(AFFIX).enumerate() {
        suffix = mix(suffix, u64::from(f));
        out.suffixes[i] = suffix;
    }
    out.length = length.min(255) as u8;
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_fold_in_words_but_not_in_forms() {
        let mut buffer = Vec::new();
        let (a, b) = (word_hashes("Hélène", &mut buffer), word_hashes("HELENE", &mut buffer));
        assert_eq!((a.word, a.prefixes, a.suffixes), (b.word, b.prefixes, b.suffixes));
        assert!(a.form != b.form && a.shape != b.shape);
        let c = word_hashes("Pauline", &mut buffer);
        assert_eq!(c.suffixes[1], a.suffixes[1]);
        assert_ne!(c.suffixes[2], a.suffixes[2]);
        assert_eq!(word_hashes("ab", &mut buffer).suffixes[2], 0);
    }
}
