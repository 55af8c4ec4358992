//! Phase 1 of the allow-list work: the words of documents that nobody has judged, with contexts that show no other
//! unknown word and no number.

use std::collections::BTreeMap;
use std::fmt;

use taire_detect::{Judgements, WordEntry, WordList};
use taire_text::{Entity, Kind, Note, Source, fold};

/// How many tokens a context shows on each side.
const AROUND: usize = 7;
const MASK: &str = "@@@";

/// How often a word was seen, and where first.
#[derive(Clone, PartialEq, Eq)]
struct Seen {
    count: u64,
    context: String,
}

/// Unjudged words of one document or of many, and how much of the text was masked. Prints counts only.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct UnjudgedWords {
    seen: BTreeMap<String, Seen>,
    /// Documents that were read.
    pub documents: usize,
    /// Words read, and those of them that do not come out.
    pub words: u64,
    /// Words that are masked.
    pub words_masked: u64,
    /// The same for numbers.
    pub numbers: u64,
    /// Numbers that are masked.
    pub numbers_masked: u64,
}

impl fmt::Debug for UnjudgedWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UnjudgedWords({} words of {} documents)", self.seen.len(), self.documents)
    }
}

impl UnjudgedWords {
    /// Words that only the allow-list masks and that `judged` does not know. Words that other detectors took for
    /// names need nobody's judgement.
    pub fn of(note: &Note, entities: &[Entity], judged: &Judgements) -> UnjudgedWords {
        let mut found = UnjudgedWords { documents: 1, ..UnjudgedWords::default() };
        let covered = coverage(note, entities);
        for (at, token) in note.tokens.iter().enumerate() {
            let entity = covered[at].map(|i| &entities[i]);
            match token.kind {
                Kind::Number => {
                    found.numbers += 1;
                    found.numbers_masked += u64::from(entity.is_some());
                    let alone = entity.is_some_and(|e| e.sources.iter().eq([Source::AllowList]));
                    let pattern = if alone { pattern_around(note, &covered, at) } else { None };
                    if let Some(pattern) = pattern.filter(|p| judged.get(p).is_none()) {
                        let seen = || Seen { count: 1, context: context(note, &covered, at) };
                        found.seen.entry(pattern).and_modify(|seen| seen.count += 1).or_insert_with(seen);
                    }
                }
                Kind::Word => {
                    found.words += 1;
                    let Some(entity) = entity else { continue };
                    found.words_masked += 1;
                    let word = fold(token.of(note.norm()));
                    let alone = entity.sources.iter().eq([Source::AllowList]);
                    if !alone || word.chars().nth(1).is_none() || judged.get(&word).is_some() {
                        continue;
                    }
                    found
                        .seen
                        .entry(word)
                        .and_modify(|seen| seen.count += 1)
                        .or_insert_with(|| Seen { count: 1, context: context(note, &covered, at) });
                }
                Kind::Mark | Kind::Newline => {}
            }
        }
        found
    }

    /// Adds the words of documents read later.
    pub fn add(&mut self, later: UnjudgedWords) {
        self.documents += later.documents;
        self.words += later.words;
        self.words_masked += later.words_masked;
        self.numbers += later.numbers;
        self.numbers_masked += later.numbers_masked;
        for (word, seen) in later.seen {
            self.seen.entry(word).and_modify(|known| known.count += seen.count).or_insert(seen);
        }
    }

    /// How many different words are left to judge.
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether no word is left to judge.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The list to sort, most frequent first.
    pub fn into_list(self) -> WordList {
        let entry = |(word, seen): (String, Seen)| WordEntry {
            word,
            judgement: None,
            count: seen.count,
            context: seen.context,
        };
        let mut entries: Vec<_> = self.seen.into_iter().map(entry).collect();
        entries.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.word.cmp(&b.word)));
        WordList { entries }
    }
}

/// The pattern that would protect a masked number: with the word after it, else with the word before.
fn pattern_around(note: &Note, covered: &[Option<usize>], at: usize) -> Option<String> {
    let word = |i: usize| {
        let token = note.tokens.get(i).filter(|t| t.kind == Kind::Word && covered[i].is_none())?;
        Some(fold(token.of(note.norm()))).filter(|w| w.chars().all(char::is_alphabetic))
    };
    let after = word(at + 1).map(|w| format!("# {w}"));
    after.or_else(|| word(at.checked_sub(1)?).map(|w| format!("{w} #")))
}

/// For each token, the entity that covers it.
fn coverage(note: &Note, entities: &[Entity]) -> Vec<Option<usize>> {
    let mut covered = vec![None; note.tokens.len()];
    for (i, entity) in entities.iter().enumerate() {
        let span = note.to_norm(entity.span);
        let first = note.tokens.partition_point(|t| t.end() <= span.start());
        for (slot, token) in covered[first..].iter_mut().zip(&note.tokens[first..]) {
            if token.start() >= span.end() {
                break;
            }
            *slot = Some(i);
        }
    }
    covered
}

/// The words around a token. It never starts with a mark that a spreadsheet takes for a formula.
fn context(note: &Note, covered: &[Option<usize>], at: usize) -> String {
    let mut out = String::from("…");
    let mut last = None;
    let tokens = note.tokens.iter().zip(covered).enumerate();
    for (i, (token, &covered)) in tokens.take(at + AROUND + 1).skip(at.saturating_sub(AROUND)) {
        if token.kind == Kind::Newline {
            last = None;
            continue;
        }
        // One mask for all words of one entity.
        if i != at && covered.is_some() && covered == last {
            continue;
        }
        if !token.glued || out.ends_with('…') {
            out.push(' ');
        }
        if i == at {
            out.push('[');
            out.push_str(if token.kind == Kind::Number { "#" } else { token.of(note.norm()) });
            out.push(']');
            last = None;
        } else if covered.is_some() || token.kind == Kind::Number {
            if last.is_none() || covered != last {
                out.push_str(MASK);
            }
            last = covered;
        } else {
            out.push_str(token.of(note.norm()));
            last = None;
        }
    }
    out.push_str(" …");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use taire_text::Language;

    fn words(text: &str) -> UnjudgedWords {
        let engine = Engine::new(Some("fasdim"), Some(Language::Fr), None).unwrap();
        let note = Note::builder("a", text).language(Some(Language::Fr)).build().unwrap();
        let (note, entities) = engine.detect(note).unwrap();
        UnjudgedWords::of(&note, &entities, &Judgements::default())
    }

    #[test]
    fn contexts_show_one_unknown_word_and_no_number() {
        let list =
            words("Vu par zwrkab avec qxtyl pour 14 acacias du 12/05/2010, zwrkab stable.").into_list();
        assert_eq!(list.entries[0].word, "zwrkab");
        assert_eq!(list.entries[0].count, 2);
        assert_eq!(list.entries[0].context, "… Vu par [zwrkab] avec @@@ pour @@@ acacias du @@@ …");
        assert!(list.entries.iter().all(|e| !e.context.contains(['0', '1', '2'])));
        assert!(!format!("{:?}", words("Vu par zwrkab")).contains("zwrkab"));
    }

    #[test]
    fn contexts_of_masked_numbers_are_patterns_to_judge() {
        let list = words("chambre 4512 puis 23 zwrks et 7 zwrks").into_list();
        let patterns: Vec<(&str, u64)> = list
            .entries
            .iter()
            .filter(|e| e.word.contains('#'))
            .map(|e| (e.word.as_str(), e.count))
            .collect();
        // An unknown word beside a number is not shown: the word before stands for it.
        assert_eq!(patterns, [("# puis", 1), ("et #", 1), ("puis #", 1)]);
        assert!(list.entries.iter().all(|e| !e.context.contains("4512")));
    }

    #[test]
    fn names_that_others_find_need_no_judgement() {
        let list = words("Madame Zwrkab est venue. Docteur Jean Qxtyl").into_list();
        assert!(list.entries.is_empty(), "{} words", list.entries.len());
    }

    #[test]
    fn documents_add_up_in_any_grouping() {
        let texts = ["le zwrk", "un zwrk et un qxt", "la qxt zwrk"];
        let mut all = UnjudgedWords::default();
        texts.iter().for_each(|t| all.add(words(t)));
        assert_eq!((all.len(), all.documents, all.words_masked), (2, 3, 5));
        let list = all.into_list();
        assert_eq!(list.entries.iter().map(|e| e.count).collect::<Vec<_>>(), [3, 2]);
    }
}
