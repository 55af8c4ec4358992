//! Streets: another street of the same kind, another number. Whatever else stands in an address line (a residence, a
//! building's name) does not stay.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use taire_lexicon::Lexicon;
use taire_text::{Language, fold};

use crate::gazetteer::search_form;
use crate::key::{Draw, Purpose, Scope, Streams};
use crate::places::dress_place;

/// Kinds of ways with the forms they are written in; the first is the pool's.
const WAYS: &[&[&str]] = &[
    &["rue", "r"],
    &["avenue", "av", "ave"],
    &["boulevard", "bd", "bld", "blvd", "boul"],
    &["place", "pl"],
    &["allee", "allees", "all"],
    &["chemin", "che", "ch", "chem"],
    &["impasse", "imp"],
    &["route", "rte"],
    &["quai"],
    &["cours"],
    &["square", "sq"],
    &["passage", "pass"],
    &["faubourg", "fbg", "fg"],
    &["residence", "res"],
    &["lotissement", "lot"],
    &["hameau"],
    &["calle", "c", "cl"],
    &["avenida", "avda", "av", "avd"],
    &["plaza", "pza", "plza"],
    &["paseo", "po", "pso"],
    &["carretera", "ctra", "crta"],
    &["camino", "cno"],
    &["travesia", "trva"],
    &["ronda", "rda"],
    &["glorieta", "gta"],
    &["urbanizacion", "urb"],
    &["pasaje", "pje"],
];

/// The kind of way that a word means: of two languages' kinds, the one that has streets in this language.
fn way(word: &str, language: Language) -> Option<&'static str> {
    let mut kinds = WAYS.iter().filter(|forms| forms.contains(&word)).map(|forms| forms[0]);
    let first = kinds.clone().next();
    kinds.find(|kind| of_kind(language).contains_key(*kind)).or(first)
}

/// A street of the pool in the shape of the original. `None` when the pool is empty.
pub(crate) fn surrogate(
    streams: &Streams,
    scope: Scope<'_>,
    language: Language,
    text: &str,
) -> Option<String> {
    let mut out: Vec<String> = Vec::new();
    let mut named = false;
    for segment in text.split([',', '\n', ';']) {
        if let Some(way) = find_way(segment, language) {
            out.push(rename(streams, scope, language, segment, Some(way))?);
            named = true;
        } else if is_number(segment) {
            let mut draw = streams.draw(Purpose::Street, scope, &fold(text));
            out.push(renumber(segment, &mut draw));
        }
    }
    if !named {
        out.insert(0, rename(streams, scope, language, text, None)?);
    }
    let joined = out.iter().map(|s| s.trim()).filter(|s| !s.is_empty()).collect::<Vec<_>>().join(", ");
    let lead = &text[..text.len() - text.trim_start().len()];
    Some(format!("{lead}{joined}"))
}

/// Where a way word stands in a segment: its kind, and its byte offset.
fn find_way(segment: &str, language: Language) -> Option<(&'static str, usize)> {
    crate::words::pieces(segment).iter().find_map(|p| {
        let word = fold(&segment[p.range.clone()]);
        // A lone `r`, `c` or `ch` needs a mark after it, as in `C/`, and two letters that or nothing but a number before them.
        let marked = segment[p.range.end..].starts_with(['/', '.']);
        let before = segment[..p.range.start].trim();
        let leads = word.len() == 2 && (before.is_empty() || is_number(before));
        way(&word, language).filter(|_| word.len() > 2 || marked || leads).map(|w| (w, p.range.start))
    })
}

/// `12`, `12 bis`, `3º B`, `nº 7`, `s/n`: numbers and letters of doors, no name.
fn is_number(segment: &str) -> bool {
    crate::words::pieces(segment).iter().all(|p| {
        let word = fold(&segment[p.range.clone()]);
        word.len() <= 2
            || matches!(word.as_str(), "bis" | "ter" | "num" | "piso" | "dcha" | "izq" | "izda" | "esc")
    }) && segment.chars().any(char::is_alphanumeric)
}

/// Where the name begins in a segment whose way is not known: behind the number of a door.
fn name_start(segment: &str) -> usize {
    let names = crate::words::pieces(segment);
    let first = names.iter().find(|p| !is_number(&segment[p.range.clone()]));
    first
        .filter(|p| segment[..p.range.start].contains(|c: char| c.is_ascii_digit()))
        .map_or(0, |p| p.range.start)
}

fn rename(
    streams: &Streams,
    scope: Scope<'_>,
    language: Language,
    segment: &str,
    way: Option<(&'static str, usize)>,
) -> Option<String> {
    let start = way.map_or_else(|| name_start(segment), |(_, at)| at);
    let (before, rest) = segment.split_at(start);
    let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
    let (name, after) = if way.is_some() { rest.split_at(end) } else { (rest, "") };
    let value = search_form(name);
    let pool = Lexicon::of(language).pools().streets();
    let same_kind = way.and_then(|(kind, _)| of_kind(language).get(kind));
    let pool = same_kind.filter(|streets| streets.len() >= 5).map_or(pool, Vec::as_slice);
    let mut draw = streams.draw(Purpose::Street, scope, &value);
    let new = (0..64).find_map(|_| draw.pick(pool).copied().filter(|s| last_word(s) != last_word(name)))?;
    let mut new = new.to_owned();
    if name.trim_start().starts_with(char::is_uppercase)
        && let Some(first) = new.get(..1).map(str::to_uppercase)
    {
        new.replace_range(..1, &first);
    }
    let new = if name.chars().any(char::is_lowercase) { new } else { dress_place(&new, name) };
    let before = if is_number(before) { renumber(before, &mut draw) } else { String::new() };
    let gap = if name.ends_with(' ') { " " } else { "" };
    let after = if is_number(after) { renumber(after, &mut draw) } else { String::new() };
    Some(format!("{before}{new}{gap}{after}"))
}

/// The streets of the pool by their kind, folded.
fn of_kind(language: Language) -> &'static BTreeMap<String, Vec<&'static str>> {
    type ByKind = BTreeMap<String, Vec<&'static str>>;
    static BY_KIND: [OnceLock<ByKind>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    BY_KIND[language as usize].get_or_init(|| {
        let mut by_kind = ByKind::new();
        for &street in Lexicon::of(language).pools().streets() {
            by_kind.entry(fold(street.split(' ').next().unwrap_or(""))).or_default().push(street);
        }
        by_kind
    })
}

fn last_word(street: &str) -> String {
    search_form(street).rsplit(' ').next().unwrap_or_default().to_owned()
}

/// Numbers of doors, drawn anew about as great as they were, never the same.
fn renumber(text: &str, draw: &mut Draw) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        out.push_str(&rest[..start]);
        let end = rest[start..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| start + n);
        let old = rest[start..end].parse::<i64>().unwrap_or(0).clamp(0, 9_999);
        let new = draw.within(1, (old * 2).max(9));
        out.push_str(&(if new == old { new + 1 } else { new }).to_string());
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::test_streams;

    fn make(text: &str, language: Language) -> String {
        surrogate(&test_streams(6), Scope::Patient("p"), language, text).unwrap()
    }

    #[test]
    fn the_kind_of_way_and_the_place_of_the_number_stay() {
        let new = make("12 bis rue Victor Hugo", Language::Fr);
        assert!(new.contains(" bis rue ") && !new.contains("Hugo") && !new.starts_with("12 "), "{new}");
        let rare = make("27 venelle du Korrigan", Language::Fr);
        assert!(rare.starts_with(|c: char| c.is_ascii_digit()) && !rare.starts_with("27 "), "{rare}");
        assert!(!rare.contains("Korrigan") && rare.split(' ').count() > 2, "{rare}");
        let upper = make("12 RUE VICTOR HUGO", Language::Fr);
        assert_eq!(upper, upper.to_uppercase());
        let spanish = make("Calle Mayor 25, 3º B", Language::Es);
        assert!(
            spanish.starts_with("Calle ") && spanish.ends_with("º B") && !spanish.contains("Mayor 25"),
            "{spanish}"
        );
    }

    /// Defect: "12 AV DES ETATS UNIS" became "19 AV AVENUE DE VERDUN".
    #[test]
    fn short_words_for_ways_go_with_their_street() {
        let new = make("12 AV DES ETATS UNIS", Language::Fr);
        assert!(new.contains(" AVENUE ") && !new.contains("AV AV"), "{new}");
        let spanish = make("Av Constitución 4", Language::Es);
        assert!(spanish.starts_with("Avenida "), "{spanish}");
    }

    #[test]
    fn names_beside_the_street_do_not_stay() {
        let new = make("Villa Zyxwia, 4 avenue Foch", Language::Fr);
        assert!(!new.contains("Zyxwia") && !new.contains("Foch"), "{new}");
        let bare = make("Le Bourg Zyxwia", Language::Fr);
        assert!(!bare.contains("Zyxwia"), "{bare}");
    }

    #[test]
    fn one_street_is_one_street_whatever_the_number() {
        let name = |t: &str| make(t, Language::Fr).split_once("rue").unwrap().1.to_owned();
        assert_eq!(name("3 rue des Acacias"), name("15 rue des Acacias"));
    }
}
