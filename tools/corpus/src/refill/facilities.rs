//! New names of hospitals, practices, employers: the words that say what they are stay, the others change.

use taire_text::{Label, fold};

use super::Redraw;
use super::names::{NameKind, any};
use super::stock::{KeptWords, ending};
use super::words::{Case, case_of, cased_like, pieces};

const MOST_WORDS_OF_A_TOWN: usize = 5;

impl Redraw {
    pub(super) fn facility(&mut self, label: Label, old: &str) -> String {
        if self.rng.percent(15)
            && let Some(whole) = self.same_head(label, old)
        {
            return self.has_accents(&cased_like(&whole, old));
        }
        let new = self.renamed(old);
        if new == old
            && self.rng.percent(60)
            && let Some(whole) = self.same_head(label, old)
        {
            return self.has_accents(&cased_like(&whole, old));
        }
        new
    }

    /// Another facility that begins with the same word, so that articles before it still agree.
    fn same_head(&mut self, label: Label, old: &str) -> Option<String> {
        let pools = self.stock.lexicon.pools();
        let list = match label {
            Label::Hospital => pools.hospitals(),
            Label::HealthCentre => pools.health_centres(),
            _ => pools.institutions(),
        };
        let head = |text: &str| fold(text.split([' ', '-']).next().unwrap_or_default());
        let wanted = head(old);
        let fitting: Vec<&str> =
            list.iter().copied().filter(|f| head(f) == wanted && fold(f) != fold(old)).collect();
        (!fitting.is_empty()).then(|| self.rng.pick(&fitting).to_owned())
    }

    fn renamed(&mut self, old: &str) -> String {
        let parts = pieces(old);
        let whole_case = case_of(old);
        let mut out = String::with_capacity(old.len() + 8);
        let mut i = 0;
        let mut saint = false;
        while i < parts.len() {
            let part = parts[i];
            if !part.is_word {
                out.push_str(part.text);
                i += 1;
                continue;
            }
            let folded = fold(part.text);
            if folded.chars().all(|c| c.is_ascii_digit()) {
                out.push_str(&if folded.len() > 1 {
                    self.digits_like(part.text)
                } else {
                    part.text.to_owned()
                });
                i += 1;
                continue;
            }
            let name = self.known_name(&folded).map(str::to_owned);
            if let Some(name) = name.filter(|_| folded.len() > 2) {
                out.push_str(&self.has_accents(&cased_like(&name, part.text)));
                i += 1;
                continue;
            }
            if let Some((end, town)) = self.town_at(&parts, i) {
                let run: String = parts[i..end].iter().map(|p| p.text).collect();
                out.push_str(&self.has_accents(&cased_like(&town, &run)));
                i = end;
                continue;
            }
            let is_saint =
                matches!(folded.as_str(), "saint" | "sainte" | "st" | "ste" | "san" | "santa" | "sant");
            out.push_str(&self.facility_word(part.text, &folded, whole_case, saint));
            saint = is_saint;
            i += 1;
        }
        out
    }

    /// A town of the document, or one that is large enough to be meant, from a word on.
    fn town_at(&mut self, parts: &[super::words::Piece<'_>], at: usize) -> Option<(usize, String)> {
        if self.stock.is_kept(KeptWords::Facility, &fold(parts[at].text)) && parts[at].text.len() > 3 {
            return None;
        }
        let mut ends = Vec::new();
        for (end, part) in parts.iter().enumerate().skip(at) {
            if part.is_word {
                ends.push(end + 1);
            } else if !matches!(part.text, " " | "-" | "'" | "’") {
                break;
            }
            if ends.len() == MOST_WORDS_OF_A_TOWN {
                break;
            }
        }
        for end in ends.into_iter().rev() {
            let run: String = parts[at..end].iter().map(|p| p.text).collect();
            if let Some(town) = self.town_inside(&run) {
                return Some((end, town));
            }
        }
        None
    }

    fn facility_word(&mut self, word: &str, folded: &str, whole: Case, after_saint: bool) -> String {
        let stock = self.stock;
        let facts = stock.lexicon.facts(folded);
        let small = whole == Case::Mixed && case_of(word) == Case::Lower;
        if small || folded.chars().count() < 3 || stock.is_kept(KeptWords::Facility, folded) {
            return word.to_owned();
        }
        if after_saint {
            return self.name_inside(NameKind::Given, word);
        }
        let acronym = whole != Case::Upper && case_of(word) == Case::Upper && folded.len() <= 6;
        if acronym {
            return self.letters_like(word);
        }
        if facts.is_medical() || facts.is_profession() || (facts.word_class() > 0 && !facts.is_name()) {
            return word.to_owned();
        }
        if facts.given_tier() >= 4 && facts.family_tier() < facts.given_tier() {
            return self.name_inside(NameKind::Given, word);
        }
        if facts.is_name() || self.rng.percent(60) {
            return self.name_inside(NameKind::Family, word);
        }
        let stock = self.stock;
        let house = any(&mut self.rng, &stock.houses);
        let bare = house.rsplit([' ', '\'']).next().unwrap_or(house);
        self.has_accents(&cased_like(bare, word))
    }

    fn name_inside(&mut self, kind: NameKind, word: &str) -> String {
        self.name(kind, word, "")
    }

    /// One word of the same ending, which keeps the gender; longer descriptions stay.
    pub(super) fn profession(&mut self, old: &str) -> String {
        let folded = fold(old);
        let stock = self.stock;
        if !stock.lexicon.facts(&folded).is_profession() {
            return old.to_owned();
        }
        let vowel = |word: &str| word.starts_with(['a', 'e', 'i', 'o', 'u', 'h']);
        let fitting: Vec<&String> = match stock.professions.get(&ending(&folded)) {
            Some(list) => list.iter().filter(|w| vowel(w) == vowel(&folded)).collect(),
            None => return old.to_owned(),
        };
        if fitting.len() < 2 {
            return old.to_owned();
        }
        let new = fitting[self.rng.below(fitting.len())].clone();
        match case_of(old) {
            Case::Mixed => crate::generate::names::capitalised(&new),
            _ => cased_like(&new, old),
        }
    }
}
