//! New addresses of mail and web: the names inside follow the names of the document.

use taire_text::fold;

use super::Redraw;
use super::names::NameKind;
use super::stock::KeptWords;
use super::words::{pieces, without_accents};

/// Small letters and digits only.
fn bare(text: &str) -> String {
    without_accents(text).chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

impl Redraw {
    pub(super) fn email(&mut self, old: &str) -> String {
        self.contact(old)
    }

    pub(super) fn url(&mut self, old: &str) -> String {
        self.contact(old)
    }

    fn contact(&mut self, old: &str) -> String {
        let mut out = String::with_capacity(old.len() + 8);
        for part in pieces(old) {
            if !part.is_word {
                out.push_str(part.text);
                continue;
            }
            let folded = fold(part.text);
            if folded.chars().all(|c| c.is_ascii_digit()) {
                out.push_str(&self.digits_like(part.text));
                continue;
            }
            out.push_str(&self.contact_word(part.text, &folded));
        }
        out
    }

    fn contact_word(&mut self, word: &str, folded: &str) -> String {
        if let Some(new) = self.address_word(folded) {
            return if word.chars().any(char::is_uppercase) && word.len() > 2 {
                super::words::cased_like(&new, word)
            } else {
                new
            };
        }
        if self.stock.is_kept(KeptWords::Contact, folded) || self.stock.is_kept(KeptWords::Facility, folded) {
            return word.to_owned();
        }
        if folded.chars().count() == 1 {
            return self.initial(folded.chars().next().unwrap_or('x')).to_string();
        }
        if folded.chars().any(|c| c.is_ascii_digit()) {
            return self.digits_like(word);
        }
        if let Some(town) = self.town_inside(word) {
            return bare(&town);
        }
        let facts = self.stock.lexicon.facts(folded);
        if folded.chars().count() <= 3 || (facts.word_class() > 0 && !facts.is_name()) || facts.is_medical() {
            return word.to_owned();
        }
        let kind = if facts.given_tier() > facts.family_tier() { NameKind::Given } else { NameKind::Family };
        let new = bare(&self.name(kind, word, ""));
        if new.is_empty() { word.to_owned() } else { new }
    }

    /// A word of an address or a login that holds a name of the document: `odupont`, `dupont`, `jeandupont`.
    pub(super) fn address_word(&mut self, folded: &str) -> Option<String> {
        if folded.chars().count() < 3 {
            return None;
        }
        if let Some(new) = self.known_name(folded) {
            return Some(bare(new));
        }
        let fits = |old: &str| old.len() >= 4 && folded.len() > old.len();
        let (old, new) = self
            .drawn
            .iter()
            .filter(|(_, old, _)| {
                fits(old) && (folded.ends_with(old.as_str()) || folded.starts_with(old.as_str()))
            })
            .max_by_key(|(_, old, _)| old.len())
            .map(|(_, old, new)| (old.clone(), bare(new)))?;
        let (before, after) = match folded.strip_suffix(old.as_str()) {
            Some(before) => (before.to_owned(), String::new()),
            None => (String::new(), folded[old.len()..].to_owned()),
        };
        let mut beside = |text: &str| -> String {
            match text.chars().count() {
                0 => String::new(),
                1 | 2 => {
                    text.chars().map(|c| if c.is_ascii_alphabetic() { self.initial(c) } else { c }).collect()
                }
                _ => self.known_name(text).map_or_else(|| text.to_owned(), bare),
            }
        };
        let (before, after) = (beside(&before), beside(&after));
        Some(format!("{before}{new}{after}"))
    }
}
