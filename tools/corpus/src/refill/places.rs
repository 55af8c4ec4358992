//! New towns with their postal codes, streets, regions and countries.

use taire_text::{Label, Language, fold};

use super::Redraw;
use super::names::any;
use super::stock::KeptWords;
use super::words::{Case, Onset, case_of, cased_like, first_word, onset, pieces, word_before};
use crate::{MarkedDocument, MarkedSpan};

/// What a town became.
#[derive(Clone, Debug)]
pub(super) struct NewTown {
    name: String,
    postal: Option<&'static str>,
}

/// A town's own part of a span: `LYON` of `LYON Cedex 03`, `Paris` of `Paris 13e`.
fn own_part(text: &str) -> (&str, &str) {
    let lower = text.to_lowercase();
    let cut = lower
        .find(" cedex")
        .filter(|_| lower.len() == text.len())
        .or_else(|| text.find(|c: char| c.is_ascii_digit()).filter(|i| *i > 1));
    match cut {
        Some(at) => {
            let head = text[..at].trim_end();
            (head, &text[head.len()..])
        }
        None => (text, ""),
    }
}

/// Words of a name, folded and joined by one blank.
fn key(text: &str) -> String {
    let words: Vec<String> = pieces(text).iter().filter(|p| p.is_word).map(|p| fold(p.text)).collect();
    words.join(" ")
}

impl Redraw {
    pub(super) fn city(&mut self, old: &str, before: &str) -> String {
        let (own, tail) = own_part(old);
        // `au Mans`, `du Havre`, `aux Abymes`: the article is outside the span.
        let article = match (self.stock.language, word_before(before).as_str()) {
            (Language::Fr, "au" | "du") => "Le ",
            (Language::Fr, "aux" | "des") => "Les ",
            _ => "",
        };
        let name = self.town(own, before, article);
        format!("{}{tail}", self.has_accents(&cased_like(&name, own)))
    }

    fn town(&mut self, old: &str, before: &str, article: &str) -> String {
        let key = key(old);
        if let Some(known) = self.towns.get(&key) {
            return known.name.clone();
        }
        let asked = self.onsets.get(&first_word(old)).copied().unwrap_or(onset(before, self.stock.language));
        let asked = if article.is_empty() { asked } else { Onset::Any };
        let mut new = NewTown { name: old.to_owned(), postal: None };
        for _ in 0..400 {
            let drawn = self.draw_town(&key);
            let name = match drawn.name.strip_prefix(article) {
                Some(name) if !name.is_empty() => name.to_owned(),
                _ => continue,
            };
            if asked.admits(&name)
                && fold(&name) != key
                && !name.contains("Arrondissement")
                && !name.contains('/')
            {
                new = NewTown { name, ..drawn };
                break;
            }
        }
        let name = new.name.clone();
        self.towns.insert(key, new);
        name
    }

    fn draw_town(&mut self, key: &str) -> NewTown {
        let stock = self.stock;
        let size = stock.lexicon.towns_named(key).map(|t| t.population()).max();
        let rng = &mut self.rng;
        let names = &stock.names;
        let list = match size {
            Some(8_001..) => &names.cities,
            Some(_) => &names.villages,
            None if rng.percent(65) => {
                return NewTown { name: any(rng, &stock.abroad).to_owned(), postal: None };
            }
            None => &names.villages,
        };
        let town = &list[rng.below(list.len())];
        NewTown { name: town.name.to_owned(), postal: Some(rng.pick(&town.postal)) }
    }

    /// What a town of the document became; a known town that is no span of it becomes another.
    pub(super) fn town_inside(&mut self, text: &str) -> Option<String> {
        let key = key(text);
        if self.towns.contains_key(&key) {
            return Some(self.town(text, "", ""));
        }
        let known = key.len() > 3 && self.stock.lexicon.towns_named(&key).any(|t| t.population() > 4_000);
        known.then(|| self.town(text, "", ""))
    }

    /// The code of the town beside it; elsewhere other digits.
    pub(super) fn postal_code(&mut self, span: &MarkedSpan, old: &str, document: &MarkedDocument) -> String {
        let near = |other: &&MarkedSpan| {
            other.label == Label::City
                && (other.start.checked_sub(span.end).is_some_and(|gap| gap <= 6)
                    || span.start.checked_sub(other.end).is_some_and(|gap| gap <= 6))
        };
        let town = document.spans.iter().find(near).map(|s| key(own_part(s.of(&document.text)).0));
        let postal = town.and_then(|key| self.towns.get(&key)).and_then(|town| town.postal);
        let digits = old.chars().filter(char::is_ascii_digit).count();
        match postal {
            Some(code) if digits == code.len() => {
                let mut code = code.chars();
                old.chars().map(|c| if c.is_ascii_digit() { code.next().unwrap_or(c) } else { c }).collect()
            }
            _ => self.digits_like(old),
        }
    }

    /// Drawn only where nothing before it must agree: `(Mali)`, `né à Oran, Algérie`.
    pub(super) fn region(&mut self, label: Label, old: &str, before: &str) -> String {
        let stock = self.stock;
        let list = if label == Label::Region { &stock.regions } else { &stock.countries };
        let free =
            before.is_empty() || before.trim_end_matches(' ').ends_with(['(', ',', ':', '/', '\n', ';']);
        let known = list.iter().any(|r| fold(r) == fold(old));
        if !free || !known || list.is_empty() {
            return old.to_owned();
        }
        let new = self.rng.pick(list);
        self.has_accents(&cased_like(new, old))
    }

    /// `12 bis, rue des Lilas, bât. C`: numbers and names change, what says how to get there stays.
    pub(super) fn street(&mut self, old: &str) -> String {
        let parts = pieces(old);
        let stock = self.stock;
        let is_way =
            |folded: &str| stock.lexicon.facts(folded).is_way() || stock.streets.contains_key(folded);
        let way = parts.iter().position(|p| p.is_word && is_way(&fold(p.text)));
        let mut out = String::with_capacity(old.len() + 8);
        let mut i = 0;
        while i < parts.len() {
            let part = parts[i];
            let folded = fold(part.text);
            if !part.is_word {
                out.push_str(part.text);
            } else if folded.chars().any(|c| c.is_ascii_digit()) {
                out.push_str(&self.digits_like(part.text));
            } else if Some(i) == way {
                out.push_str(part.text);
                // The name runs to a comma, a number or the end.
                let ends = |p: &super::words::Piece<'_>| {
                    p.text.contains([',', ';', '(', '/', '\n']) || p.text.chars().any(|c| c.is_ascii_digit())
                };
                let end = (i + 1..parts.len()).find(|&j| ends(&parts[j])).unwrap_or(parts.len());
                let name: String = parts[i + 1..end].iter().map(|p| p.text).collect();
                let (blank, name) =
                    name.split_at(name.len() - name.trim_start_matches([' ', '.', '/']).len());
                let trailing = &name[name.trim_end_matches([' ', '-', '.']).len()..];
                if name.trim().is_empty() {
                    out.push_str(blank);
                } else {
                    let tail = self.street_name(&folded);
                    out.push_str(blank);
                    out.push_str(&self.has_accents(&cased_like(&tail, name)));
                }
                out.push_str(trailing);
                i = end;
                continue;
            } else if way.is_none() && !stock.is_kept(KeptWords::Street, &folded) && folded.len() > 2 {
                // A hamlet or a house: its words give way to another's.
                let end = (i..parts.len())
                    .find(|&j| {
                        parts[j].text.contains(',') || parts[j].text.chars().any(|c| c.is_ascii_digit())
                    })
                    .unwrap_or(parts.len());
                let run: String = parts[i..end].iter().map(|p| p.text).collect();
                let trailing = &run[run.trim_end_matches([' ', '-', '.']).len()..];
                out.push_str(&self.house(&run, i > 0));
                out.push_str(trailing);
                i = end;
                continue;
            } else {
                out.push_str(part.text);
            }
            i += 1;
        }
        out
    }

    fn street_name(&mut self, way: &str) -> String {
        let stock = self.stock;
        let tails = stock.streets.get(way);
        match (self.rng.below(10), tails) {
            (0..5, Some(tails)) => self.rng.pick(tails).to_owned(),
            (5..8, _) => {
                let street = stock.ways[self.rng.below(stock.ways.len())];
                street.split_once(' ').map_or(street, |(_, tail)| tail).to_owned()
            }
            _ => {
                // A person's name: `rue Aldegonde Quillien`.
                let gender =
                    if self.rng.percent(40) { taire_text::Gender::Female } else { taire_text::Gender::Male };
                let given = self.rng.pick(&stock.lexicon.pools().given(gender)[..300]);
                let family = self.rng.pick(stock.lexicon.pools().family());
                format!("{given} {family}")
            }
        }
    }

    /// A house or hamlet; inside a longer address without its article.
    pub(super) fn house(&mut self, old: &str, inside: bool) -> String {
        let stock = self.stock;
        let list = if self.rng.percent(50) { &stock.houses } else { &stock.hamlets };
        let new = any(&mut self.rng, list);
        const ARTICLES: [&str; 8] = ["Les ", "Le ", "La ", "L'", "Los ", "Las ", "El ", "A "];
        let new = match ARTICLES.iter().find_map(|a| new.strip_prefix(a)) {
            Some(bare) if inside => bare,
            _ => new,
        };
        let model = if case_of(old) == Case::Lower { "a" } else { old };
        self.has_accents(&cased_like(new, model))
    }
}
