//! What the encoder's own pieces do not show of a word: its place on the line, its case, what the lexicons and the
//! rules know of it. Each is a number; the model has a vector for each, added to the word's embedding, and a row of
//! scores for the labels.

use std::ops::Range;

use rustc_hash::FxHashMap;
use taire_text::{Kind, Label, Mention, Note, Source, Token};

const LABELS: usize = Label::ALL.len();

/// Words that are read with a word in doubt, on either side: what it belongs to, as a rule.
const AROUND: usize = 6;
/// Ranges that are no further apart become one: both would read the words between them as context.
const GAP: usize = 8;

const FORM: usize = 0;
const GLUED: usize = FORM + 24;
const LINE: usize = GLUED + 2;
const BLANK_LINE: usize = LINE + 1;
const DIGITS: usize = BLANK_LINE + 1;
const GIVEN: usize = DIGITS + 13;
const FAMILY: usize = GIVEN + 8;
const WORD: usize = FAMILY + 8;
const FLAGS: usize = WORD + 4;
const KEYWORD: usize = FLAGS + 11;
const SAID: usize = KEYWORD + 256;
const ELSEWHERE: usize = SAID + CLUE_SOURCES.len() * LABELS * 2;
/// How many clues there are.
pub(crate) const CLUES: usize = ELSEWHERE + LABELS;

/// The rules whose mentions are clues.
pub(crate) const CLUE_SOURCES: [Source; 2] = [Source::Structure, Source::Pattern];

/// The words of a note: its tokens but the line ends, with the clues of each.
#[derive(Clone, Default, Debug)]
pub(crate) struct Words {
    /// Index of each word's token.
    pub(crate) tokens: Vec<u32>,
    /// Where the clues of each word end.
    ends: Vec<u32>,
    clues: Vec<u16>,
}

impl Words {
    pub(crate) fn read(note: &Note, mentions: &[Mention]) -> Words {
        let mut said: Vec<(usize, u16)> = Vec::new();
        let mut known: FxHashMap<u64, u16> = FxHashMap::default();
        for mention in mentions {
            let source = CLUE_SOURCES.iter().position(|&s| s == mention.source);
            let (Some(source), Some(label)) = (source, mention.label()) else { continue };
            let span = note.to_norm(mention.span);
            let from = note.tokens.partition_point(|t| t.end() <= span.start());
            let to = note.tokens.partition_point(|t| t.start() < span.end());
            for token in from..to {
                let inside = usize::from(token > from);
                said.push((token, (SAID + (source * LABELS + label.index()) * 2 + inside) as u16));
                let word = &note.tokens[token];
                if word.kind == Kind::Word && word.is_capitalised() && word.end() - word.start() > 3 {
                    known.entry(word.hash).or_insert((ELSEWHERE + label.index()) as u16);
                }
            }
        }
        said.sort_unstable();
        said.dedup();
        let mut out = Words::default();
        let (mut lines, mut next) = (2, 0);
        for (i, token) in note.tokens.iter().enumerate() {
            if token.kind == Kind::Newline {
                lines += 1;
                continue;
            }
            out.tokens.push(i as u32);
            out.form(token, lines, token.end() - token.start());
            while next < said.len() && said[next].0 < i {
                next += 1;
            }
            let from = next;
            while next < said.len() && said[next].0 == i {
                out.clues.push(said[next].1);
                next += 1;
            }
            if from == next
                && token.is_capitalised()
                && let Some(&clue) = known.get(&token.hash)
            {
                out.clues.push(clue);
            }
            out.ends.push(out.clues.len() as u32);
            lines = 0;
        }
        out
    }

    fn form(&mut self, token: &Token, lines: usize, length: usize) {
        let mut put = |clue: usize| self.clues.push(clue as u16);
        put(FORM + token.kind as usize * 6 + token.shape as usize);
        put(GLUED + usize::from(token.glued && lines == 0));
        if lines > 0 {
            put(LINE);
        }
        if lines > 1 {
            put(BLANK_LINE);
        }
        if token.kind == Kind::Number {
            put(DIGITS + length.min(12));
        }
        if token.kind != Kind::Word {
            return;
        }
        let facts = token.facts;
        put(GIVEN + usize::from(facts.given_tier()));
        put(FAMILY + usize::from(facts.family_tier()));
        put(WORD + usize::from(facts.word_class()));
        for flag in 0..11 {
            if facts.bits() >> (15 + flag) & 1 == 1 {
                put(FLAGS + flag);
            }
        }
        if facts.keyword() > 0 {
            put(KEYWORD + usize::from(facts.keyword()));
        }
    }

    /// The range of all words.
    pub(crate) fn all(&self) -> Range<usize> {
        0..self.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Ranges of words around the tokens in doubt: [`AROUND`] words to either side.
    pub(crate) fn around(&self, doubts: &[bool]) -> Vec<Range<usize>> {
        let mut out: Vec<Range<usize>> = Vec::new();
        for (word, _) in self.tokens.iter().enumerate().filter(|(_, token)| doubts[**token as usize]) {
            let range = word.saturating_sub(AROUND)..(word + AROUND + 1).min(self.len());
            match out.last_mut() {
                Some(last) if range.start <= last.end + GAP => last.end = range.end,
                _ => out.push(range),
            }
        }
        out
    }

    pub(crate) fn clues(&self, word: usize) -> &[u16] {
        let from = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.clues[from as usize..self.ends[word] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_words_in_doubt_with_their_neighbours() {
        // Every third token is a line end.
        let words = Words { tokens: (0..300).filter(|t| t % 3 != 2).collect(), ..Words::default() };
        let around = |tokens: &[usize]| {
            let mut doubts = vec![false; 300];
            tokens.iter().for_each(|&t| doubts[t] = true);
            words.around(&doubts)
        };
        assert!(around(&[]).is_empty());
        // Token 150 is word 100; a line end is no word.
        assert_eq!(around(&[150, 152]).as_slice(), std::slice::from_ref(&(100 - AROUND..101 + AROUND)));
        assert_eq!(around(&[0, 150, 299]), [0..1 + AROUND, 100 - AROUND..101 + AROUND]);
        let far = 100 + 2 * AROUND + GAP + 2;
        assert_eq!(around(&[150, 150 + 3]).as_slice(), std::slice::from_ref(&(100 - AROUND..103 + AROUND)));
        assert_eq!(words.tokens[far] % 3, 0);
        assert_eq!(around(&[150, words.tokens[far] as usize]).len(), 2);
        assert_eq!(around(&[150, words.tokens[far - 2] as usize]).len(), 1);
    }
}
