//! New names: of the same case, particles, length class, sex and origin.

use taire_lang::{Vocabulary, WordRole};
use taire_text::{Gender, Language, fold, fold_hash};

use super::Redraw;
use super::words::{
    Case, Onset, case_of, cased_like, first_word, onset, pieces, without_accents, word_before,
};
use crate::generate::names::gender_index;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum NameKind {
    Given,
    Family,
}

/// What follows `del`, `de la`, `de los` in given names of women.
const AFTER_DEL: &[&str] =
    &["Carmen", "Pilar", "Rosario", "Mar", "Rocío", "Amparo", "Valle", "Consuelo", "Prado"];
const AFTER_DE_LOS: &[&str] =
    &["Ángeles", "Dolores", "Remedios", "Reyes", "Llanos", "Milagros", "Desamparados"];

/// Short, middle or long.
fn length_class(word: &str) -> u8 {
    match word.chars().count() {
        0..=4 => 0,
        5..=8 => 1,
        _ => 2,
    }
}

/// One word of a name to be redrawn.
struct Wanted<'a> {
    kind: NameKind,
    folded: &'a str,
    onset: Onset,
    gender: Option<Gender>,
    /// The only word of its span: it may become a name of two words.
    alone: bool,
}

impl Redraw {
    /// A name in the form of the old one. `before` is the text up to it.
    pub(super) fn name(&mut self, kind: NameKind, old: &str, before: &str) -> String {
        let parts = pieces(old);
        let words: Vec<usize> = (0..parts.len()).filter(|&i| parts[i].is_word).collect();
        let asked = self.onsets.get(&first_word(old)).copied().unwrap_or(onset(before, self.stock.language));
        let by_title = title_gender(before, self.stock.language);
        let mut out = String::with_capacity(old.len() + 8);
        let mut last = String::new();
        for (i, part) in parts.iter().enumerate() {
            if !part.is_word {
                out.push_str(part.text);
                continue;
            }
            let folded = fold(part.text);
            let is_last = words.last() == Some(&i);
            let elided =
                parts.get(i + 1).is_some_and(|p| p.text.starts_with(['\'', '’'])) && folded.len() <= 2;
            if (!is_last && (elided || Vocabulary::any().has(&folded, WordRole::Particle)))
                || folded.chars().all(|c| c.is_ascii_digit())
            {
                out.push_str(part.text);
                last = folded;
                continue;
            }
            let dot = parts.get(i + 1).is_some_and(|p| p.text.starts_with('.')) || old.ends_with('.');
            let new = if kind == NameKind::Given && matches!(last.as_str(), "del" | "los") {
                let list = if last == "del" { AFTER_DEL } else { AFTER_DE_LOS };
                let key = (kind, format!("{last} {folded}"));
                let drawn = self.rng.pick(list);
                self.names.entry(key).or_insert_with(|| drawn.to_owned()).clone()
            } else {
                let wanted = Wanted {
                    kind,
                    folded: &folded,
                    onset: if words.first() == Some(&i) { asked } else { Onset::Any },
                    gender: by_title,
                    alone: words.len() == 1,
                };
                self.name_word(&wanted)
            };
            let new = if dot && is_last {
                // `Steph.` is a name cut short.
                new.chars().take(part.text.chars().count()).collect()
            } else {
                new
            };
            out.push_str(&self.written_like(&new, part.text));
            last = folded;
        }
        out
    }

    /// A word in the case of the old one, with scanning errors where it had some.
    fn written_like(&self, new: &str, old: &str) -> String {
        let mut text = match case_of(old) {
            Case::Mixed => {
                let spaced = new.contains(' ') || new.contains('\'');
                if spaced || new.chars().skip(1).any(char::is_uppercase) {
                    new.to_owned()
                } else {
                    title(new)
                }
            }
            _ => cased_like(new, old),
        };
        if self.plain {
            text = without_accents(&text);
        }
        if old.chars().any(|c| c.is_ascii_digit()) && old.chars().any(char::is_alphabetic) {
            for (letter, digit) in [("O", "0"), ("o", "0"), ("l", "1"), ("I", "1")] {
                if text.contains(letter) {
                    return text.replacen(letter, digit, 1);
                }
            }
        }
        text
    }

    fn name_word(&mut self, wanted: &Wanted<'_>) -> String {
        let key = (wanted.kind, wanted.folded.to_owned());
        if let Some(known) = self.names.get(&key) {
            return known.clone();
        }
        let mut new = String::new();
        for attempt in 0..40 {
            new = match wanted.kind {
                NameKind::Given => self.draw_given(wanted.folded, wanted.gender),
                NameKind::Family => self.draw_family(wanted.folded),
            };
            let same_length = length_class(&new) == length_class(wanted.folded) || attempt >= 8;
            let single = wanted.alone || !new.contains([' ', '-', '\'']);
            let folded = fold(&new);
            if same_length
                && single
                && wanted.onset.admits(&new)
                && folded != wanted.folded
                && !self.used.contains(&folded)
            {
                break;
            }
        }
        self.used.insert(fold(&new));
        self.drawn.push((wanted.kind, wanted.folded.to_owned(), new.clone()));
        self.names.insert(key, new.clone());
        new
    }

    fn draw_family(&mut self, folded: &str) -> String {
        let stock = self.stock;
        let facts = stock.lexicon.facts(folded);
        let pool = stock.lexicon.pools().family();
        let rng = &mut self.rng;
        if let Some(origin) = stock.family_origin(folded)
            && rng.percent(usize::from(self.options.same_origin))
        {
            return any(rng, &stock.origins[origin].family).to_owned();
        }
        if facts.word_class() > 0 && rng.percent(55) && !stock.names.word_family.is_empty() {
            return any(rng, &stock.names.word_family).to_owned();
        }
        if facts.family_tier() >= 5 && rng.percent(35) {
            return pool[rng.below(pool.len().min(2000))].to_owned();
        }
        // The Spanish lexicon's rare names come from all over Europe.
        let rare = if stock.language == Language::Fr { 30 } else { 12 };
        match rng.below(100) {
            n if n < rare && !stock.names.rare_family.is_empty() => {
                any(rng, &stock.names.rare_family).to_owned()
            }
            30..40 if !stock.names.word_family.is_empty() => any(rng, &stock.names.word_family).to_owned(),
            40..60 => {
                let origin = rng.below(stock.origins.len());
                any(rng, &stock.origins[origin].family).to_owned()
            }
            60..66 if stock.names.rare_family.len() > 100 => stock.names.invented_family(rng),
            66..78 => pool[rng.below(pool.len().min(600))].to_owned(),
            _ => pool[rng.below(pool.len())].to_owned(),
        }
    }

    fn draw_given(&mut self, folded: &str, by_title: Option<Gender>) -> String {
        let stock = self.stock;
        let facts = stock.lexicon.facts(folded);
        let origin = stock.given_origin(folded);
        let rng = &mut self.rng;
        // `Mª` is María.
        let maria = folded == "ma" && stock.language == Language::Es;
        let gender = maria.then_some(Gender::Female);
        let gender = gender.or(facts.gender()).or(origin.map(|o| o.1)).or(by_title);
        let gender = gender.unwrap_or(if rng.percent(50) { Gender::Female } else { Gender::Male });
        if let Some((origin, _)) = origin
            && facts.given_tier() < 7
            && rng.percent(usize::from(self.options.same_origin))
        {
            return any(rng, &stock.origins[origin].given[gender_index(gender)]).to_owned();
        }
        let pool = stock.lexicon.pools().given(gender);
        let rare = &stock.names.rare_given[gender_index(gender)];
        let words = &stock.word_given[gender_index(gender)];
        if facts.word_class() > 0 && rng.percent(40) && !words.is_empty() {
            return any(rng, words).to_owned();
        }
        match rng.below(100) {
            0..28 if !rare.is_empty() => any(rng, rare).to_owned(),
            28..34 if !words.is_empty() => any(rng, words).to_owned(),
            34..50 => {
                let origin = rng.below(stock.origins.len());
                any(rng, &stock.origins[origin].given[gender_index(gender)]).to_owned()
            }
            50..75 => pool[rng.below(pool.len().min(300))].to_owned(),
            _ => pool[rng.below(pool.len())].to_owned(),
        }
    }

    /// What a word of the document became as a name, if it was one.
    pub(super) fn known_name(&self, folded: &str) -> Option<&str> {
        let get = |kind| self.names.get(&(kind, folded.to_owned()));
        get(NameKind::Family).or_else(|| get(NameKind::Given)).map(String::as_str)
    }

    /// Letters that stand for people: those of the new names, where the old ones are known.
    pub(super) fn initials(&mut self, old: &str) -> String {
        let mut out = String::with_capacity(old.len());
        let mut chars = old.chars().peekable();
        while let Some(c) = chars.next() {
            if !c.is_alphabetic() {
                out.push(c);
                continue;
            }
            let new = self.initial(noise_free(c));
            out.push(if c.is_uppercase() { new.to_ascii_uppercase() } else { new });
            // `Ph.`, `Ch.`: the second letter goes with some first letters only.
            if c.is_uppercase() && chars.peek() == Some(&'h') && !matches!(new, 'p' | 'c' | 't') {
                chars.next();
            }
        }
        out
    }

    pub(super) fn initial(&mut self, letter: char) -> char {
        if let Some(&known) = self.letters.get(&letter) {
            return known;
        }
        let begins = |word: &str| word.starts_with(letter);
        let drawn = self.drawn.iter().find(|(kind, old, _)| *kind == NameKind::Given && begins(old));
        let drawn = drawn.or_else(|| self.drawn.iter().find(|(_, old, _)| begins(old)));
        let new = drawn.and_then(|(_, _, new)| fold(new).chars().next()).filter(char::is_ascii_alphabetic);
        let new = new.unwrap_or_else(|| self.rng.letter().to_ascii_lowercase());
        self.letters.insert(letter, new);
        new
    }
}

/// A letter, small and without its accent.
fn noise_free(c: char) -> char {
    fold(&c.to_string()).chars().next().unwrap_or('x')
}

fn title(word: &str) -> String {
    crate::generate::names::capitalised(word)
}

pub(super) fn any<'a>(rng: &mut crate::Rng, list: &'a [String]) -> &'a str {
    &list[rng.below(list.len())]
}

/// The sex that the word before a name tells: a title, a relative.
fn title_gender(before: &str, language: Language) -> Option<Gender> {
    let word = word_before(before.trim_end_matches(['.', ' ', ':', ',']));
    Vocabulary::of(language).word(fold_hash(&word))?.gender
}
