//! Phones, mail, links and network addresses that lead nowhere.
//!
//! French numbers fall in the ranges Arcep keeps for fiction: 01 99 00, 02 61 91, 03 53 01, 04 65 71, 05 36 49 and
//! 06 39 98. Spain keeps none; its surrogates fall in codes that the national plan gives to no province and no
//! operator: 99 for fixed lines, 75 for mobiles. Mail and links use the domains of RFC 2606, network addresses the
//! blocks of RFC 5737 and RFC 3849.

use taire_text::Language;

use crate::key::{Purpose, Scope, Streams};
use crate::numbers;

/// Where a national number stands in the digits of a text: what comes before it, and what follows.
struct Parts<'a> {
    /// `+33`, `0034`, empty.
    country: &'a str,
    /// National digits without the leading 0 of France.
    national: &'a str,
    /// A second line (`05.50.04.00.05/06`) or an extension.
    rest: &'a str,
    /// The trunk 0 is written.
    trunk: bool,
}

fn french(digits: &str) -> Option<Parts<'_>> {
    let (country, rest) = ["0033", "33"]
        .into_iter()
        .find(|p| digits.starts_with(p) && digits.len() >= p.len() + 9)
        .map_or(("", digits), |p| digits.split_at(p.len()));
    let trunk = rest.starts_with('0');
    let rest = if trunk { &rest[1..] } else { rest };
    let known =
        rest.len() >= 9 && matches!(rest.as_bytes()[0], b'1'..=b'9') && (trunk || !country.is_empty());
    known.then(|| Parts { country, national: &rest[..9], rest: &rest[9..], trunk })
}

fn spanish(digits: &str) -> Option<Parts<'_>> {
    let (country, rest) = ["0034", "34"]
        .into_iter()
        .find(|p| digits.starts_with(p) && digits.len() >= p.len() + 9)
        .map_or(("", digits), |p| digits.split_at(p.len()));
    let known = rest.len() >= 9 && matches!(rest.as_bytes()[0], b'6'..=b'9');
    known.then(|| Parts { country, national: &rest[..9], rest: &rest[9..], trunk: false })
}

/// A number of the same layout. `O` typed for 0 is read as 0.
pub(crate) fn phone(
    streams: &Streams,
    scope: Scope<'_>,
    text: &str,
    language: Language,
    avoid: &[String],
) -> Option<String> {
    let typed: String = text.chars().map(|c| if matches!(c, 'O' | 'o') { '0' } else { c }).collect();
    if typed.chars().any(char::is_alphabetic) {
        return numbers::surrogate(streams, scope, text, avoid);
    }
    let digits: String = typed.chars().filter(char::is_ascii_digit).collect();
    let international = typed.trim_start().starts_with('+') || digits.starts_with("00");
    let french_first = language == Language::Fr;
    let parts = if international {
        let bare = digits.trim_start_matches("00");
        if bare.starts_with("33") {
            french(&digits).map(|p| (p, true))
        } else if bare.starts_with("34") {
            spanish(&digits).map(|p| (p, false))
        } else {
            None
        }
    } else if french_first {
        french(&digits).map(|p| (p, true)).or_else(|| spanish(&digits).map(|p| (p, false)))
    } else {
        spanish(&digits).map(|p| (p, false)).or_else(|| french(&digits).map(|p| (p, true)))
    };
    let Some((parts, is_french)) = parts else { return numbers::surrogate(streams, scope, &typed, avoid) };

    let mut draw = streams.draw(Purpose::Phone, scope, parts.national);
    for _ in 0..64 {
        let national = if is_french {
            let range = match parts.national.as_bytes()[0] {
                b'1' => "19900",
                b'2' => "26191",
                b'3' => "35301",
                b'4' => "46571",
                b'5' => "53649",
                b'6' | b'7' => "63998",
                _ => draw.pick(&["19900", "26191", "35301", "46571", "53649"])?,
            };
            format!("{range}{}", draw.digits(4))
        } else {
            let range = if matches!(parts.national.as_bytes()[0], b'6' | b'7') { "75" } else { "99" };
            format!("{range}{}", draw.digits(7))
        };
        if national == parts.national || avoid.iter().any(|a| a.ends_with(&national)) {
            continue;
        }
        let rest = numbers::like(parts.rest, &mut draw);
        let trunk = if parts.trunk { "0" } else { "" };
        return numbers::lay_out(&format!("{}{trunk}{national}{rest}", parts.country), &typed);
    }
    None
}

const DOMAINS: &[&str] = &["example.org", "example.com", "example.net"];

/// A mail address at an example domain. `rename` gives the surrogate of a name found in the local part.
pub(crate) fn mail(
    streams: &Streams,
    scope: Scope<'_>,
    text: &str,
    mut rename: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    let (local, domain) = text.trim().split_once('@')?;
    let folded = taire_text::fold(text.trim());
    let mut draw = streams.draw(Purpose::Mail, scope, &folded);
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let mut flush = |word: &mut String, out: &mut String| {
        if !word.is_empty() {
            match rename(word) {
                Some(name) => out.push_str(&name),
                None => out.extend(word.chars().map(|_| draw.letter().to_ascii_lowercase())),
            }
            word.clear();
        }
    };
    let mut digits = streams.draw(Purpose::Number, scope, &folded);
    for c in taire_text::fold(local).chars() {
        if c.is_alphabetic() {
            word.push(c);
            continue;
        }
        flush(&mut word, &mut out);
        match c {
            '.' | '_' | '-' | '+' => out.push(c),
            _ if c.is_numeric() => out.push(digits.digit()),
            _ => {}
        }
    }
    flush(&mut word, &mut out);
    if out.is_empty() {
        return None;
    }
    let host = streams.draw(Purpose::Link, scope, &taire_text::fold(domain)).below(DOMAINS.len() as u64);
    Some(format!("{out}@{}", DOMAINS[host as usize]))
}

/// `https://www.example.org/…`; the scheme and the `www` are written where the original had them.
pub(crate) fn link(streams: &Streams, scope: Scope<'_>, text: &str) -> String {
    let folded = taire_text::fold(text.trim());
    let mut draw = streams.draw(Purpose::Link, scope, &folded);
    let (scheme, rest) = match folded.split_once("://") {
        Some((scheme, rest)) => (if scheme == "http" { "http://" } else { "https://" }, rest),
        None => ("", folded.as_str()),
    };
    let www = if rest.starts_with("www.") { "www." } else { "" };
    let host = DOMAINS[draw.below(DOMAINS.len() as u64) as usize];
    let path: String = match rest.trim_end_matches('/').split_once('/') {
        Some(_) => std::iter::once('/').chain((0..8).map(|_| draw.letter().to_ascii_lowercase())).collect(),
        None => String::new(),
    };
    format!("{scheme}{www}{host}{path}")
}

/// An address of a block kept for documentation.
pub(crate) fn ip(streams: &Streams, scope: Scope<'_>, text: &str) -> String {
    let mut draw = streams.draw(Purpose::Link, scope, &taire_text::fold(text.trim()));
    if text.contains(':') {
        format!("2001:db8::{:x}:{:x}", draw.within(1, 0xffff), draw.within(1, 0xffff))
    } else {
        let block = draw.pick(&["192.0.2", "198.51.100", "203.0.113"]).copied().unwrap_or("192.0.2");
        format!("{block}.{}", draw.within(1, 254))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::test_streams;

    fn call(text: &str, language: Language) -> String {
        phone(&test_streams(5), Scope::Patient("p"), text, language, &[]).unwrap()
    }

    #[test]
    fn french_numbers_fall_in_the_fiction_ranges_in_every_layout() {
        let spaced = call("05 50 04 00 05", Language::Fr);
        assert!(spaced.starts_with("05 36 49 "), "{spaced}");
        let tail = &spaced[9..];
        assert_eq!(call("05.50.04.00.05", Language::Fr), format!("05.36.49.{}", tail.replace(' ', ".")));
        assert_eq!(call("+33 5 50 04 00 05", Language::Fr), format!("+33 5 36 49 {tail}"));
        assert_eq!(call("+33 (0)5 50 04 00 05", Language::Es), format!("+33 (0)5 36 49 {tail}"));
        assert_eq!(call("O5 5O O4 OO O5", Language::Fr), spaced);
        let two = call("05.50.04.00.05/06", Language::Fr);
        assert!(two.starts_with("05.36.49.") && two.len() == 17, "{two}");
        assert!(call("0612345678", Language::Fr).starts_with("063998"));
    }

    #[test]
    fn spanish_numbers_fall_in_codes_of_no_province() {
        assert!(call("91 123 45 67", Language::Es).starts_with("99"));
        assert!(call("+34 612 345 678", Language::Es).starts_with("+34 75"));
    }

    #[test]
    fn extensions_and_foreign_numbers_keep_their_shape() {
        let short = call("4512", Language::Fr);
        assert!(short.len() == 4 && short != "4512");
        let foreign = call("+44 20 7946 0000", Language::Fr);
        assert!(foreign.starts_with('+') && foreign.len() == 16 && foreign != "+44 20 7946 0000");
    }

    #[test]
    fn mail_links_and_addresses_lead_nowhere() {
        let streams = test_streams(5);
        let rename = |w: &str| (w == "dupont").then(|| "martin".to_owned());
        let mail = mail(&streams, Scope::Corpus, "Jo.Dupont42@chu-lyon.fr", rename).unwrap();
        let (local, domain) = mail.split_once('@').unwrap();
        assert!(local[2..].starts_with(".martin") && DOMAINS.contains(&domain), "{mail}");
        assert!(!mail.contains("42@") && !mail.starts_with("jo."), "{mail}");
        assert!(
            link(&streams, Scope::Corpus, "https://www.chu-lyon.fr/dupont")
                .starts_with("https://www.example.")
        );
        assert!(ip(&streams, Scope::Corpus, "fe80::1").starts_with("2001:db8::"));
    }
}
