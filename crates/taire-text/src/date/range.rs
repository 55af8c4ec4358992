//! Ranges of dates: `3 au 5 avril 2010`, `1966 à 1978`, `del 23 de junio al 3 de julio`.
//!
//! A range is one span for an annotator and several dates for a calendar: [`links`] says whether two dates form one,
//! [`parse_range`] takes it apart again.

use std::ops::Range;

use super::surface::Surface;
use super::value::Partial;
use super::words::Folded;
use super::{parse, tokenise};
use crate::{Kind, Language, Token, fold};

/// Words that join the two ends of a range.
const TO: [&str; 6] = ["au", "a", "al", "hasta", "jusqu", "jusque"];
/// Words that join two dates, of a range only after `entre` or behind a day alone.
const AND: [&str; 5] = ["et", "y", "e", "ou", "o"];
/// Words that may come with them.
const BESIDE: [&str; 8] = ["le", "el", "les", "los", "du", "del", "dia", "en"];
/// Tokens between two ends, at most.
const MOST: usize = 4;

/// What joins two dates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Link {
    To,
    And,
}

fn link(gap: &str) -> Option<Link> {
    if gap.contains(['\n', '\r']) || gap.len() > 24 {
        return None;
    }
    let tokens = tokenise(gap);
    link_of(gap, &tokens)
}

fn link_of(text: &str, tokens: &[Token]) -> Option<Link> {
    let mut found = None;
    if tokens.is_empty() || tokens.len() > MOST {
        return None;
    }
    for token in tokens {
        let word = token.of(text);
        let folded = Folded::new(word)?;
        let folded = std::str::from_utf8(folded.bytes()).ok()?;
        match token.kind {
            Kind::Word if TO.contains(&folded) => found = Some(Link::To),
            Kind::Word if AND.contains(&folded) => found = found.or(Some(Link::And)),
            Kind::Word if BESIDE.contains(&folded) => {}
            Kind::Mark if matches!(word, "'" | "’") => {}
            _ => return None,
        }
    }
    found
}

/// Whether two dates of a text, one after the other, are the ends of one range.
pub fn links(text: &str, first: Range<usize>, second: Range<usize>) -> bool {
    let Some(gap) = text.get(first.end..second.start) else { return false };
    match link(gap) {
        Some(Link::To) => true,
        Some(Link::And) => {
            let day = without_ordinal(&text[first.clone()]);
            let day_alone = day.bytes().all(|b| b.is_ascii_digit()) && day.len() <= 2;
            day_alone || before_is(&text[..first.start], &["entre"])
        }
        None => false,
    }
}

/// Whether the last words before a date, articles aside, are one of these.
fn before_is(text: &str, wanted: &[&str]) -> bool {
    let words = text.rsplit(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let mut words = words.take(2).map(fold).skip_while(|w| BESIDE.contains(&w.as_str()));
    words.next().is_some_and(|w| wanted.contains(&w.as_str()))
}

/// The dates of a range, each with its place in the text; nothing unless all of the text is dates and what joins them.
pub fn parse_range(text: &str, language: Language) -> Option<Vec<(Range<usize>, Partial, Surface)>> {
    let tokens = tokenise(text);
    let mut out = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while at < tokens.len() {
        let end = (at + 1..=tokens.len().min(at + MOST)).rev().find(|&end| {
            let is_word = |t: &Token| t.kind == Kind::Word;
            is_word(&tokens[at]) && link_of(text, &tokens[at..end]).is_some()
        });
        match end {
            Some(end) if at > from => {
                out.push(piece(text, &tokens[from..at], language)?);
                (from, at) = (end, end);
            }
            _ => at += 1,
        }
    }
    if out.is_empty() || from >= tokens.len() {
        return None;
    }
    out.push(piece(text, &tokens[from..], language)?);
    Some(out)
}

fn piece(text: &str, tokens: &[Token], language: Language) -> Option<(Range<usize>, Partial, Surface)> {
    let range = tokens.first()?.start()..tokens.last()?.end();
    let (value, surface) = parse(without_ordinal(&text[range.clone()]), language)?;
    Some((range, value, surface))
}

/// `1er` alone is the day 1; another day needs no ordinal.
fn without_ordinal(day: &str) -> &str {
    if day.eq_ignore_ascii_case("1er") { &day[..1] } else { day }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_taken_apart_and_put_together() {
        for (text, language, parts) in [
            ("3 au 5 avril 2010", Language::Fr, vec!["3", "5 avril 2010"]),
            ("01/09/2020 au 28/09/2020", Language::Fr, vec!["01/09/2020", "28/09/2020"]),
            ("25 et le 29 octobre", Language::Fr, vec!["25", "29 octobre"]),
            ("1er au 9 mars 2023", Language::Fr, vec!["1er", "9 mars 2023"]),
            ("1er et le 3 mars", Language::Fr, vec!["1er", "3 mars"]),
            ("1966 à 1978", Language::Fr, vec!["1966", "1978"]),
            ("novembre à avril", Language::Fr, vec!["novembre", "avril"]),
            ("mars 2019 jusqu'au 4 mai 2020", Language::Fr, vec!["mars 2019", "4 mai 2020"]),
            (
                "23 de junio al 3 de diciembre de 2015",
                Language::Es,
                vec!["23 de junio", "3 de diciembre de 2015"],
            ),
            ("1961 a 1979", Language::Es, vec!["1961", "1979"]),
        ] {
            let found = parse_range(text, language).unwrap_or_default();
            let got: Vec<_> = found.iter().map(|(range, ..)| &text[range.clone()]).collect();
            assert_eq!(got, parts);
            let joined = found.windows(2).all(|w| links(text, w[0].0.clone(), w[1].0.clone()));
            assert!(joined, "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_range() {
        for text in ["5 avril 2010", "le soir de Noël", "au 5 avril", "3 au 5 comprimés", ""] {
            assert!(parse_range(text, Language::Fr).is_none(), "{text}");
        }
        let text = "vu le 3 mai 2019 et le 5 juin 2019";
        assert!(!links(text, 7..17, 24..35));
        let text = "entre mai 2019 et juin 2019";
        assert!(links(text, 6..14, 18..27));
        assert!(!links("le 3\nau 5 mai", 3..4, 8..13));
    }
}
