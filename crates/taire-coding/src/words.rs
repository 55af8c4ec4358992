//! The words of a document as the coder reads them: folded, numbers by their size, marks left out.

use rustc_hash::FxHashMap;
use taire_text::{Kind, fold_into, tokenise};

/// Letters of the beginning of a word that stands for it and its inflections.
const STEM: usize = 6;

/// What a number is read as: two digits by the first of them, since ages are such; others by how many they have.
fn number(digits: &str) -> &'static str {
    const TENS: [&str; 10] = ["#0_", "#1_", "#2_", "#3_", "#4_", "#5_", "#6_", "#7_", "#8_", "#9_"];
    match *digits.as_bytes() {
        [_] => "#",
        [tens @ b'0'..=b'9', _] => TENS[usize::from(tens - b'0')],
        [_, _, _] => "#__",
        _ => "#___",
    }
}

/// A document's words, one after the other, and where they were.
#[derive(Default)]
pub(crate) struct Words {
    folded: String,
    ends: Vec<u32>,
    /// Bytes of the text.
    pub(crate) places: Vec<(u32, u32)>,
}

impl Words {
    pub(crate) fn read(text: &str) -> Words {
        let mut words = Words::default();
        for token in tokenise(text) {
            match token.kind {
                Kind::Word => fold_into(token.of(text), &mut words.folded),
                Kind::Number => words.folded.push_str(number(token.of(text))),
                _ => continue,
            }
            words.ends.push(words.folded.len() as u32);
            words.places.push((token.start() as u32, token.end() as u32));
        }
        words
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.folded[start as usize..self.ends[i] as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }
}

/// The beginning of a word, if it is shorter than the word or of its length.
pub(crate) fn stem(word: &str) -> &str {
    word.char_indices().nth(STEM).map_or(word, |(end, _)| &word[..end])
}

/// Words and stems with their numbers. Number 0 is for what is not known.
#[derive(Default)]
pub(crate) struct Vocabulary {
    /// Words, then stems.
    pub(crate) entries: Vec<String>,
    /// How many of the entries are words.
    pub(crate) words: usize,
    word_numbers: FxHashMap<String, u32>,
    stem_numbers: FxHashMap<String, u32>,
}

impl Vocabulary {
    /// What occurs at least `least` times in these documents, in the order of letters.
    pub(crate) fn of<'a>(documents: impl Iterator<Item = &'a Words>, least: usize) -> Vocabulary {
        let mut counts: FxHashMap<String, usize> = FxHashMap::default();
        let mut stems: FxHashMap<String, usize> = FxHashMap::default();
        for words in documents {
            for word in words.iter() {
                for (counts, key) in [(&mut counts, word), (&mut stems, stem(word))] {
                    match counts.get_mut(key) {
                        Some(count) => *count += 1,
                        None => drop(counts.insert(key.to_owned(), 1)),
                    }
                }
            }
        }
        let kept = |counts: FxHashMap<String, usize>| {
            let mut kept: Vec<String> =
                counts.into_iter().filter(|(_, n)| *n >= least).map(|(word, _)| word).collect();
            kept.sort();
            kept
        };
        let mut entries = kept(counts);
        let words = entries.len();
        entries.extend(kept(stems));
        Vocabulary::new(entries, words)
    }

    pub(crate) fn new(entries: Vec<String>, words: usize) -> Vocabulary {
        let numbers = |from: usize, to: usize| {
            (from..to).map(|i| (entries[i].clone(), i as u32 + 1)).collect::<FxHashMap<_, _>>()
        };
        let (word_numbers, stem_numbers) = (numbers(0, words), numbers(words, entries.len()));
        Vocabulary { words, word_numbers, stem_numbers, entries }
    }

    /// Rows of a table for it, number 0 included.
    pub(crate) fn rows(&self) -> usize {
        self.entries.len() + 1
    }

    pub(crate) fn word(&self, word: &str) -> u32 {
        self.word_numbers.get(word).copied().unwrap_or(0)
    }

    /// The numbers of a word and of its stem.
    pub(crate) fn pair(&self, word: &str) -> [u32; 2] {
        [self.word(word), self.stem_numbers.get(stem(word)).copied().unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_keep_their_place() {
        let text = "Fièvre à 39,5 °C,\nHÉMATURIE";
        let words = Words::read(text);
        assert_eq!(words.iter().collect::<Vec<_>>(), ["fievre", "a", "#3_", "#", "c", "hematurie"]);
        let (start, end) = words.places[5];
        assert_eq!(&text[start as usize..end as usize], "HÉMATURIE");
    }

    #[test]
    fn an_unknown_inflection_has_its_stem() {
        let documents = [Words::read("hématurie hématurie douleur")];
        let vocabulary = Vocabulary::of(documents.iter(), 2);
        assert_eq!(vocabulary.entries, ["hematurie", "hematu"]);
        assert_eq!(vocabulary.pair("hematurie"), [1, 2]);
        assert_eq!(vocabulary.pair("hematuries"), [0, 2]);
        assert_eq!(vocabulary.pair("douleur"), [0, 0]);
    }
}
