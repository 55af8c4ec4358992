//! Clinical values by their form: the table `clinical.txt`, compiled once.

use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use rustc_hash::FxHashMap;

use crate::Error;

const TABLE: &str = include_str!("clinical.txt");

/// One rule that recognises a clinical value by its form.
#[derive(Debug)]
pub struct ClinicalRule {
    /// Names the rule in reasons.
    pub id: &'static str,
    /// What it recognises.
    pub about: &'static str,
    /// Texts that it clears.
    pub examples: Vec<&'static str>,
    /// The number must stand alone.
    alone: bool,
    /// A bare year at the end is no value.
    no_year: bool,
}

/// The rules and their patterns as one automaton.
#[derive(Debug)]
pub(crate) struct ClinicalRules {
    rules: Vec<ClinicalRule>,
    /// The rule of each pattern.
    rule_of: Vec<usize>,
    regex: Regex,
}

/// Where a clinical value is, in the normalised text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClinicalMatch {
    pub(crate) range: Range<usize>,
    pub(crate) rule: &'static str,
}

/// Every rule for clinical values, in the order of their table.
pub fn clinical_rules() -> &'static [ClinicalRule] {
    &ClinicalRules::shipped().rules
}

impl ClinicalRules {
    pub(crate) fn shipped() -> &'static ClinicalRules {
        static SHIPPED: LazyLock<ClinicalRules> =
            LazyLock::new(|| ClinicalRules::parse(TABLE).expect("a test reads the shipped table"));
        &SHIPPED
    }

    fn parse(table: &'static str) -> Result<ClinicalRules, Error> {
        let bad = |line: usize, why: &str| Error::new(format!("clinical values: line {}: {why}", line + 1));
        let mut parts: FxHashMap<&str, String> = FxHashMap::default();
        let (mut rules, mut rule_of, mut patterns) = (Vec::<ClinicalRule>::new(), Vec::new(), Vec::new());
        let mut folds = false;
        for (number, line) in table.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(part) = line.strip_prefix('$') {
                let (name, pattern) =
                    part.split_once(" = ").ok_or_else(|| bad(number, "a part is `$name = pattern`"))?;
                let pattern = expand(pattern, &parts).ok_or_else(|| bad(number, "names an unknown part"))?;
                parts.insert(name, pattern);
            } else if let Some(pattern) = line.strip_prefix("  ") {
                if rules.is_empty() {
                    return Err(bad(number, "a pattern needs a rule before it"));
                }
                let pattern = expand(pattern, &parts).ok_or_else(|| bad(number, "names an unknown part"))?;
                patterns.push(compiled_form(&pattern, folds));
                rule_of.push(rules.len() - 1);
            } else {
                let fields: Vec<&'static str> = line.splitn(4, '|').map(str::trim).collect();
                let [id, flags, about, examples] = fields[..] else {
                    return Err(bad(number, "a rule is `id | flags | what it is | examples`"));
                };
                folds = flags.contains('i');
                rules.push(ClinicalRule {
                    id,
                    about,
                    examples: examples.split(" ; ").collect(),
                    alone: flags.contains('n'),
                    no_year: flags.contains('y'),
                });
            }
        }
        let regex = Regex::builder()
            .configure(Regex::config().nfa_size_limit(Some(64 << 20)).hybrid_cache_capacity(16 << 20))
            .syntax(syntax::Config::new().nest_limit(400))
            .build_many(&patterns)
            .map_err(|e| Error::new(format!("clinical values: {e}")))?;
        Ok(ClinicalRules { rules, rule_of, regex })
    }

    /// Every clinical value of a text, in order and disjoint.
    ///
    /// A value begins where a word may begin, so every such place is tried by itself: an automaton that looked for
    /// all beginnings at once would have far more states than fit into its cache.
    pub(crate) fn find(&self, text: &str) -> Vec<ClinicalMatch> {
        let bytes = text.as_bytes();
        let mut found = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let end = match may_begin(bytes, at) {
                true => self.value_at(text, at, &mut found),
                false => None,
            };
            at = end.unwrap_or_else(|| at + 1);
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
        found
    }

    /// Adds the value that begins here, if there is one, and returns where it ends.
    fn value_at(&self, text: &str, at: usize, found: &mut Vec<ClinicalMatch>) -> Option<usize> {
        let input = Input::new(text).range(at..).anchored(Anchored::Yes);
        let hit = self.regex.search(&input)?;
        let rule = &self.rules[self.rule_of[hit.pattern().as_usize()]];
        let range = trimmed(text, hit.range());
        if range.is_empty() || !stands_alone(text, &range, rule) {
            return None;
        }
        let end = range.end;
        found.push(ClinicalMatch { range, rule: rule.id });
        Some(end)
    }
}

/// Whether a word may begin at this byte: it is no blank, and no letter or digit of ASCII comes right before it.
fn may_begin(bytes: &[u8], at: usize) -> bool {
    let joins = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    !bytes[at].is_ascii_whitespace() && !at.checked_sub(1).is_some_and(|before| joins(bytes[before]))
}

/// Writes the parts that a pattern names in full.
fn expand(pattern: &str, parts: &FxHashMap<&str, String>) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let close = open + rest[open..].find('}')?;
        let name = &rest[open + 1..close];
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            out.push_str(parts.get(name)?);
        } else {
            out.push_str(&rest[open..=close]);
        }
        rest = &rest[close + 1..];
    }
    out.push_str(rest);
    Some(out)
}

/// A pattern with its borders, plain digits, and letters that stand for their accented forms where the rule folds.
fn compiled_form(pattern: &str, folds: bool) -> String {
    let mut out = String::from(r"(?-u:\b{start-half})(?:");
    if folds {
        out.push_str("(?i)");
    }
    let mut chars = pattern.chars();
    let mut in_class = 0;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') => out.push_str("[0-9]"),
                Some('w') => out.push_str("[0-9A-Za-z_]"),
                Some('p') => {
                    chars.next();
                    out.push_str("[A-Za-zÀ-ÖØ-öø-ÿµμ]");
                }
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            // The flags of a group are no letters.
            '?' if out.ends_with('(') => {
                out.push(c);
                for flag in chars.by_ref() {
                    out.push(flag);
                    if flag == ':' {
                        break;
                    }
                }
            }
            '[' => {
                in_class += 1;
                out.push(c);
            }
            ']' => {
                in_class -= 1;
                out.push(c);
            }
            c if folds && in_class == 0 => match accented(c) {
                Some(forms) => out.push_str(forms),
                None => out.push(c),
            },
            c => out.push(c),
        }
    }
    out.push_str(r")(?-u:\b{end-half})");
    out
}

fn accented(c: char) -> Option<&'static str> {
    Some(match c {
        'a' => "[aàáâä]",
        'e' => "[eéèêë]",
        'i' => "[iíîï]",
        'o' => "[oóôö]",
        'u' => "[uúùûü]",
        'n' => "[nñ]",
        'c' => "[cç]",
        _ => return None,
    })
}

/// Without the blanks and commas that a repetition left at the end.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let kept = inside.trim_end_matches([' ', '\t', ',', ';', '|', '/']);
    let lead = kept.len() - kept.trim_start_matches([' ', '\t']).len();
    range.start + lead..range.start + kept.len()
}

/// Whether the borders of a match are no part of something longer.
fn stands_alone(text: &str, range: &Range<usize>, rule: &ClinicalRule) -> bool {
    let (before, inside, after) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let starts_plain = letter(inside.chars().next());
    let ends_plain = letter(inside.chars().next_back());
    if starts_plain && letter(before.chars().next_back()) || ends_plain && letter(after.chars().next()) {
        return false;
    }
    // "12 l'escale", "M. Durand": an elided article and a title are no units.
    let next = after.chars().next();
    let short = inside.ends_with(|c: char| c.is_ascii_alphabetic())
        && inside[..inside.len() - 1].ends_with(|c: char| c.is_ascii_digit() || c == ' ');
    if short && matches!(next, Some('\'' | '’')) {
        return false;
    }
    if rule.no_year && ends_with_year(inside) && rule.id != "classification" {
        return false;
    }
    // "51°03'.2N": a place on a chart.
    if inside.ends_with('°') && after.trim_start_matches(' ').starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    if rule.id == "reference-range" && (!rises(inside) || goes_on_as_code(after))
        || rule.id == "pressures" && may_be_date(inside)
    {
        return false;
    }
    // "ADN 2024-00441": the number of a sample, whatever was measured in it.
    if rule.id == "analyte" && ends_in_sample_number(inside) {
        return false;
    }
    // "21G-04471", "H-08-2217": the head or the tail of a longer code.
    let joint = |c: Option<char>| matches!(c, Some('-' | '/' | '_'));
    let coded = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
    if matches!(
        rule.id,
        "catheter"
            | "protocol"
            | "gene"
            | "gene-point"
            | "stage"
            | "public-code"
            | "popq"
            | "suture"
            | "hour"
            | "mic"
    ) {
        let (mut forth, mut back) = (after.chars(), before.chars().rev());
        if joint(forth.next()) && coded(forth.next()) || joint(back.next()) && coded(back.next()) {
            return false;
        }
    }
    if !rule.alone {
        return true;
    }
    let mut back = before.chars().rev();
    let (first, second) = (back.next(), back.next());
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let joined_before = inside.starts_with(|c: char| c.is_ascii_digit())
        && matches!(first, Some(' ' | '.' | ',' | '/' | '-'))
        && digit(second);
    let mut forth = after.chars();
    let (first, second) = (forth.next(), forth.next());
    let joined_after = inside.ends_with(|c: char| c.is_ascii_digit())
        && matches!(first, Some('.' | ',' | '/' | '-'))
        && digit(second);
    !joined_before && !joined_after
}

/// "90" of "90.H.11873".
fn goes_on_as_code(after: &str) -> bool {
    let mut chars = after.chars();
    matches!(chars.next(), Some('.' | '-' | '/')) && chars.next().is_some_and(char::is_alphanumeric)
}

/// Whether a value ends in a year or a number and a number with leading zeros, joined by a dash: no range of values.
fn ends_in_sample_number(inside: &str) -> bool {
    let Some((head, tail)) = inside.rsplit_once(['-', '–']) else { return false };
    let digits = head.bytes().rev().take_while(u8::is_ascii_digit).count();
    let year = &head[head.len() - digits..];
    let is_year = digits == 4 && (year.starts_with("19") || year.starts_with("20"));
    let plain = !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit());
    plain && digits > 0 && (tail.len() > 1 && tail.starts_with('0') || is_year && tail.len() >= 3)
}

/// Whether a reference range goes upward and is made of values: no years, no leading zeros.
fn rises(inside: &str) -> bool {
    let tail = inside.trim_start_matches(|c: char| !c.is_ascii_digit());
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let numbers: Vec<&str> =
        tail.split(|c| !plain(c)).filter(|n| n.starts_with(|c: char| c.is_ascii_digit())).collect();
    let [low, high, ..] = numbers[..] else { return true };
    let value = |n: &str| n.replace(',', ".").parse::<f64>().unwrap_or(f64::from(0u8));
    let zeros = |n: &str| n.len() > 1 && n.starts_with('0') && !n[1..].starts_with(['.', ',']);
    let year = |n: &str| n.len() == 4 && (n.starts_with("19") || n.starts_with("20"));
    let thousands = low.matches('.').count() + high.matches('.').count() > 1;
    !(zeros(low) || zeros(high) || year(low) && year(high)) && (thousands || value(low) < value(high))
}

/// Whether numbers between slashes can be a day, a month and a year in some order, or hold a year.
fn may_be_date(inside: &str) -> bool {
    let numbers: Vec<u32> = inside.split('/').filter_map(|n| n.parse().ok()).collect();
    let year = |n: &u32| (1900..=2099).contains(n);
    let zeros = inside.split('/').any(|n| n.len() > 1 && n.starts_with('0'));
    let day_and_month = |day: u32, month: u32| (1..=31).contains(&day) && (1..=12).contains(&month);
    let [a, b, c] = numbers[..] else { return zeros || numbers.iter().any(year) };
    zeros
        || numbers.iter().any(year)
        || c <= 99 && (day_and_month(a, b) || day_and_month(b, a))
        || a <= 99 && day_and_month(c, b)
}

fn ends_with_year(inside: &str) -> bool {
    let digits = inside.bytes().rev().take_while(u8::is_ascii_digit).count();
    let year = &inside[inside.len() - digits..];
    let cut = inside.as_bytes().get((inside.len() - digits).wrapping_sub(1));
    digits == 4 && (year.starts_with("19") || year.starts_with("20")) && !matches!(cut, Some(b'.' | b','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_a_value_of_its_rule() {
        let rules = ClinicalRules::shipped();
        let mut failures = Vec::new();
        for rule in &rules.rules {
            assert!(!rule.about.is_empty() && !rule.examples.is_empty(), "{}", rule.id);
            for example in &rule.examples {
                let text = format!("vu {example}.");
                let found = rules.find(&text);
                let digits = |s: &str| s.bytes().filter(u8::is_ascii_digit).count();
                let kept: usize = found.iter().map(|m| digits(&text[m.range.clone()])).sum();
                let whole = if digits(example) > 0 { kept == digits(example) } else { !found.is_empty() };
                if !whole {
                    failures.push(format!("{}: {example}: {found:?}", rule.id));
                }
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    #[test]
    fn numbers_of_people_are_no_values() {
        for text in [
            "Tél : 06 12 34 56 78",
            "tel 91 234 56 78",
            "le 12/05/2010",
            "12-05-2010",
            "IPP 4512087",
            "ADN 2024-00441",
            "Réf.: 90.H.11873",
            "NHC 812345",
            "29200 BREST",
            "12 rue des Lilas",
            "14 l'escale",
            "né le 3/4/1950",
            "12.531.909-2",
            "2 72 08 29 114 226 51",
            "1-2-3-4-5-6",
            "72 ans",
            "AB-123-CD",
            "le 12/05/84",
            "84/05/12",
            "28/02/2010",
            "10 mai",
            "X1234567L",
            "FR76 3000 6000 0112 3456 7890 189",
        ] {
            let found = ClinicalRules::shipped().find(text);
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }
}
