//! What a key announces, and the tree that finds keys in a run of tokens.
//!
//! Keys are data: each language has a table of groups, a group gives what the value is, whose it is and where the
//! key counts. In a key, `#` stands for the ways to write "number of" or
//! nothing, `##` for those ways only, and `(s)` for an ending that may be left out.

use rustc_hash::FxHashMap;
use taire_text::{Label, Language, Note, Role, tokenise};

use super::{keys_es, keys_fr};
use crate::folded::{Filter, token_hash, word_hash};

/// What stands after a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Family,
    Given,
    /// One or several people, any order of names.
    People,
    /// Family name first.
    FamilyFirst,
    Date,
    BirthDate,
    Age,
    Sex,
    Id(Label),
    Address,
    PostalCode,
    City,
    Region,
    Country,
    Phone,
    Fax,
    Email,
    Url,
    Facility(Label),
    Profession,
    /// Nothing that identifies; the key still ends the value before it.
    Nothing,
}

/// Where a key counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Place {
    /// With a colon.
    Colon,
    /// With a colon, or at the start of a line or column.
    Line,
    /// Anywhere: the value has a shape that prose does not have.
    Free,
}

pub(super) struct Group {
    pub(super) value: Value,
    pub(super) role: Role,
    pub(super) place: Place,
    /// Keys, separated by `|`.
    pub(super) keys: &'static str,
}

pub(super) const fn group(value: Value, role: Role, place: Place, keys: &'static str) -> Group {
    Group { value, role, place, keys }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) value: Value,
    pub(super) role: Role,
    pub(super) place: Place,
    pub(super) language: Language,
}

/// A key found at tokens `first..=last`.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) last: usize,
    pub(super) key: Key,
}

/// All keys of both languages, by their words.
pub(super) struct Keys {
    edges: FxHashMap<(u32, u64), u32>,
    ends: Vec<[Option<Key>; 2]>,
    /// Every second or later word of a key, after the word before it.
    pairs: Filter,
}

const NUMBER_OF: &[&str] = &[
    "",
    "n° ",
    "n ",
    "no ",
    "num ",
    "numero ",
    "n° de ",
    "numero de ",
    "no de ",
    "n° d'",
    "numero d'",
    "num. ",
    "n.° ",
    "n° du ",
    "numero du ",
    "n° de la ",
    "n.",
    "nº.",
];

/// The ways to write a key: `(s)` gone, joined or in parentheses, then `#` spelt out.
fn spellings(key: &str) -> Vec<String> {
    let mut forms = vec![key.to_owned()];
    while let Some(at) = forms.iter().position(|f| f.contains('(') && !f.contains('\u{1}')) {
        let form = forms.swap_remove(at);
        let (head, rest) = form.split_once('(').unwrap_or((&form, ""));
        let (inside, tail) = rest.split_once(')').unwrap_or((rest, ""));
        forms.push(format!("{head}{tail}"));
        forms.push(format!("{head}{inside}{tail}"));
        forms.push(format!("{head}\u{1}{inside}\u{2}{tail}"));
    }
    let forms = forms.into_iter().map(|f| f.replace('\u{1}', "(").replace('\u{2}', ")"));
    forms
        .flat_map(|form| match form.strip_prefix('#') {
            None => vec![form],
            Some(rest) if rest.starts_with('#') => {
                NUMBER_OF[1..].iter().map(|n| format!("{n}{}", rest[1..].trim_start())).collect()
            }
            Some(rest) => NUMBER_OF.iter().map(|n| format!("{n}{}", rest.trim_start())).collect(),
        })
        .collect()
}

impl Keys {
    pub(super) fn new() -> Self {
        let mut keys = Keys {
            edges: FxHashMap::default(),
            ends: vec![[None; 2]],
            pairs: Filter::new(std::iter::empty()),
        };
        for (language, table) in [(Language::Fr, keys_fr::TABLE), (Language::Es, keys_es::TABLE)] {
            for group in table {
                let key = Key { value: group.value, role: group.role, place: group.place, language };
                for text in group.keys.split('|') {
                    spellings(text.trim()).iter().for_each(|spelling| keys.add(spelling, key));
                }
            }
        }
        keys
    }

    /// The first words of keys, and the keys that are one word.
    pub(super) fn first_words(&self) -> impl Iterator<Item = (u64, [Option<Key>; 2])> + '_ {
        self.edges.iter().filter(|e| e.0.0 == 0).map(|(&(_, hash), &node)| (hash, self.ends[node as usize]))
    }

    /// Whether the second word may follow the first in a key.
    #[inline]
    pub(super) fn may_go_on(&self, first: u64, second: u64) -> bool {
        self.pairs.may_have(pair(first, second))
    }

    fn add(&mut self, spelling: &str, key: Key) {
        let mut node = 0;
        let mut before = None;
        for token in tokenise(spelling) {
            let hash = word_hash(token.of(spelling));
            if let Some(before) = before.replace(hash) {
                self.pairs.add(pair(before, hash));
            }
            let next = self.ends.len() as u32;
            node = *self.edges.entry((node, hash)).or_insert(next);
            if node == next {
                self.ends.push([None; 2]);
            }
        }
        let slot = &mut self.ends[node as usize][key.language as usize];
        if slot.is_none() {
            *slot = Some(key);
        }
    }

    /// The key that a whole text is, in any language.
    pub(super) fn whole(&self, text: &str) -> Option<Key> {
        let mut node = 0;
        for token in tokenise(text) {
            node = *self.edges.get(&(node, word_hash(token.of(text))))?;
        }
        self.ends[node as usize].iter().flatten().next().copied()
    }

    /// The longest key that starts at a token, of the note's language first. `hash` is that of the token.
    pub(super) fn at(&self, note: &Note, first: usize, mut hash: u64) -> Option<Found> {
        let text = note.norm();
        let mut node = *self.edges.get(&(0, hash))?;
        let (mut best, mut at) = (None, first);
        loop {
            let ends = &self.ends[node as usize];
            let own = note.language as usize;
            if let Some(key) = ends[own].or(ends[1 - own]) {
                best = Some(Found { last: at, key });
            }
            at += 1;
            let Some(token) = note.tokens.get(at) else { break };
            let before = std::mem::replace(&mut hash, token_hash(token, text));
            if !self.pairs.may_have(pair(before, hash)) {
                break;
            }
            match self.edges.get(&(node, hash)) {
                Some(&next) => node = next,
                None => break,
            }
        }
        best
    }
}

fn pair(before: u64, hash: u64) -> u64 {
    before.rotate_left(7) ^ hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_their_keys() {
        for table in [keys_fr::TABLE, keys_es::TABLE] {
            let n: usize = table.iter().map(|g| g.keys.split('|').count()).sum();
            assert!(n >= 150, "{n} keys");
        }
    }

    #[test]
    fn endings_and_numbers_are_spelt_out() {
        assert_eq!(spellings("ne(e) le"), ["ne le", "nee le", "ne(e) le"]);
        assert!(spellings("# dossier").contains(&"n° de dossier".to_owned()));
    }

    #[test]
    fn a_whole_text_is_a_key_or_not() {
        let keys = Keys::new();
        assert_eq!(keys.whole("Localidad/ Provincia").map(|k| k.value), Some(Value::City));
        assert!(keys.whole("Pruebas raras").is_none() && keys.whole("").is_none());
    }

    #[test]
    fn the_longest_key_wins() {
        let keys = Keys::new();
        let note = Note::builder("a", "Date de naissance du patient : 3").build().unwrap();
        let found = keys.at(&note, 0, word_hash("Date")).unwrap();
        assert_eq!((found.last, found.key.value), (4, Value::BirthDate));
    }
}
