//! Ages and durations: `74 ans`, `de 7 meses de edad`, `il y a 15 ans`, `desde hace 5 años`, `octogénaire`.
//!
//! The span is the number with its unit, which is what changes; the cue before it (`il y a`) is told apart.
//! A duration that is neither an age nor a distance to an event identifies nobody and is marked so.

use std::fmt;

use super::letters;
use super::scan::Scan;
use super::surface::{Case, write_cased};
use super::words::Folded;
use crate::{Calendar, Kind, Language, Norm, Shape, Span, Token, normalise, tokenise};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LapseKind {
    Age,
    /// `il y a 15 ans`, `hace 3 meses`
    Ago,
    /// `dans 3 jours`
    In,
    /// `depuis 12 ans`
    Since,
    /// A length of time only: it identifies nobody.
    Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// An age or a duration in a text.
#[derive(Clone, PartialEq)]
pub struct Lapse {
    /// The number and its unit.
    pub span: Span<Norm>,
    /// The same with the words that lead to it.
    pub context: Span<Norm>,
    pub first_token: usize,
    /// Included.
    pub last_token: usize,
    pub kind: LapseKind,
    pub value: u16,
    pub unit: Unit,
    /// `3 ans et 8 mois`: the eight months.
    pub minor: Option<(u16, Unit)>,
    pub surface: LapseSurface,
    pub confidence: f32,
}

#[derive(Clone, PartialEq, Eq)]
enum Part {
    Text(Box<str>),
    /// Digits, or letters with their case.
    Number {
        minor: bool,
        spelt: Option<Case>,
    },
    Unit {
        minor: bool,
        unit: Unit,
        case: Case,
        accents: bool,
    },
    Decade {
        case: Case,
        feminine: bool,
    },
}

/// The shape of a written age or duration.
#[derive(Clone, PartialEq, Eq)]
pub struct LapseSurface {
    language: Language,
    parts: Vec<Part>,
}

const FRENCH_DECADES: [&str; 8] = [
    "trentenaire",
    "quadragénaire",
    "quinquagénaire",
    "sexagénaire",
    "septuagénaire",
    "octogénaire",
    "nonagénaire",
    "centenaire",
];
const SPANISH_DECADES: [&str; 8] = [
    "treintañero",
    "cuadragenario",
    "quincuagenario",
    "sexagenario",
    "septuagenario",
    "octogenario",
    "nonagenario",
    "centenario",
];

/// The same as [`Folded`] has them.
const FOLDED_DECADES: [[&str; 8]; 2] = [
    [
        "trentenaire",
        "quadragenaire",
        "quinquagenaire",
        "sexagenaire",
        "septuagenaire",
        "octogenaire",
        "nonagenaire",
        "centenaire",
    ],
    [
        "treintanero",
        "cuadragenario",
        "quincuagenario",
        "sexagenario",
        "septuagenario",
        "octogenario",
        "nonagenario",
        "centenario",
    ],
];

impl LapseSurface {
    /// Writes another number in the same shape; the unit stays and agrees with it. A second number that the
    /// shape has no room for is left out.
    pub fn print(&self, value: u16, minor: Option<u16>) -> String {
        let mut out = String::with_capacity(16);
        let mut unit = Unit::Year;
        for (i, part) in self.parts.iter().enumerate() {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Number { minor: second, spelt } => {
                    let number = if *second { minor.unwrap_or(0) } else { value };
                    if let Some(Part::Unit { unit: next, .. }) =
                        self.parts[i..].iter().find(|p| matches!(p, Part::Unit { .. }))
                    {
                        unit = *next;
                    }
                    match spelt {
                        None => out.push_str(&number.to_string()),
                        Some(case) => write_cased(&spell(number, self.language, unit), *case, true, &mut out),
                    }
                }
                Part::Unit { minor: second, unit, case, accents } => {
                    let number = if *second { minor.unwrap_or(0) } else { value };
                    write_cased(unit_word(*unit, number, self.language), *case, *accents, &mut out);
                }
                Part::Decade { case, feminine } => {
                    let index = (usize::from(value) / 10).clamp(3, 10) - 3;
                    match self.language {
                        Language::Fr => write_cased(FRENCH_DECADES[index], *case, true, &mut out),
                        Language::Es => {
                            let word = SPANISH_DECADES[index];
                            let ending = if *feminine { "a" } else { "o" };
                            write_cased(
                                &format!("{}{ending}", &word[..word.len() - 1]),
                                *case,
                                true,
                                &mut out,
                            );
                        }
                    }
                }
            }
        }
        out
    }
}

/// Shows the place and the kind, not the number: an age may identify somebody.
impl fmt::Debug for Lapse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lapse").field("span", &self.span).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Shows the number of parts only.
impl fmt::Debug for LapseSurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LapseSurface({} parts)", self.parts.len())
    }
}

fn spell(value: u16, language: Language, unit: Unit) -> String {
    let mut word = letters::spell(u32::from(value), language, 0, false);
    match language {
        Language::Fr if unit == Unit::Week && word.ends_with("un") => word.push('e'),
        Language::Es if word.ends_with("veintiuno") && unit != Unit::Week => {
            word.truncate(word.len() - 3);
            word.push_str("ún");
        }
        Language::Es if word.ends_with("uno") => {
            word.pop();
            if unit == Unit::Week {
                word.push('a');
            }
        }
        _ => {}
    }
    word
}

fn unit_word(unit: Unit, value: u16, language: Language) -> &'static str {
    let one = value == 1 || value == 0 && language == Language::Fr;
    match (language, unit) {
        (Language::Fr, Unit::Day) => {
            if one {
                "jour"
            } else {
                "jours"
            }
        }
        (Language::Fr, Unit::Week) => {
            if one {
                "semaine"
            } else {
                "semaines"
            }
        }
        (Language::Fr, Unit::Month) => "mois",
        (Language::Fr, Unit::Year) => {
            if one {
                "an"
            } else {
                "ans"
            }
        }
        (Language::Es, Unit::Day) => {
            if one {
                "día"
            } else {
                "días"
            }
        }
        (Language::Es, Unit::Week) => {
            if one {
                "semana"
            } else {
                "semanas"
            }
        }
        (Language::Es, Unit::Month) => {
            if one {
                "mes"
            } else {
                "meses"
            }
        }
        (Language::Es, Unit::Year) => {
            if one {
                "año"
            } else {
                "años"
            }
        }
    }
}

enum Found {
    Unit(Unit),
    Aged,
    Decade { value: u16, feminine: bool },
}

fn quick(word: &[u8]) -> bool {
    match *word {
        [a, b, ..] => matches!(
            [a | 0x20, b | 0x20],
            [b'a', b'n' | b'g' | 0xe3]
                | [b'm', b'o' | b'e']
                | [b's', b'e']
                | [b'j', b'o']
                | [b'd', b'i' | 0xe3]
                | [b'e', b'd']
                | [0xe3, 0xa2]
                | [b'o', b'c']
                | [b'n', b'o']
                | [b'c', b'e' | b'u']
                | [b'q', b'u']
                | [b't', b'r']
        ),
        _ => false,
    }
}

fn classify(word: &str, language: Language) -> Option<Found> {
    let folded = Folded::new(word)?;
    Some(match (language, folded.bytes()) {
        (Language::Fr, b"an" | b"ans") | (Language::Es, b"ano" | b"anos") => Found::Unit(Unit::Year),
        (Language::Fr, b"mois") | (Language::Es, b"mes" | b"meses") => Found::Unit(Unit::Month),
        (Language::Fr, b"semaine" | b"semaines") | (Language::Es, b"semana" | b"semanas") => {
            Found::Unit(Unit::Week)
        }
        (Language::Fr, b"jour" | b"jours") | (Language::Es, b"dia" | b"dias") => Found::Unit(Unit::Day),
        (_, b"age" | b"edad") => Found::Aged,
        (_, bytes) if bytes.len() >= 10 => {
            let bytes = folded_singular(bytes);
            let feminine = bytes.ends_with(b"a");
            let table = match language {
                Language::Fr => &FOLDED_DECADES[0],
                Language::Es => &FOLDED_DECADES[1],
            };
            let at = table.iter().map(|name| name.as_bytes()).position(|n| {
                n == bytes || language == Language::Es && n[..n.len() - 1] == bytes[..bytes.len() - 1]
            })?;
            Found::Decade { value: at as u16 * 10 + 30, feminine }
        }
        _ => return None,
    })
}

/// Whether [`find_durations`] stops at a word, in either language.
pub(super) fn is_time_word(word: &str) -> bool {
    word.len() <= 16
        && quick(word.as_bytes())
        && Language::ALL.iter().any(|&language| classify(word, language).is_some())
}

fn folded_singular(bytes: &[u8]) -> &[u8] {
    match bytes {
        [head @ .., b's'] => head,
        _ => bytes,
    }
}

/// The greatest number of units worth reading; an age is smaller still.
const MOST: u32 = 999;

/// A number before a unit.
struct Count {
    first: usize,
    value: u16,
    spelt: bool,
}

/// Reads one isolated age or duration, what rewriting gets back from an entity: `74 ans`, `il y a 15 ans`, `56`.
///
/// `None` if the text holds none, several, or digits beside it.
pub fn parse(surface_text: &str, language: Language) -> Option<Lapse> {
    let view = normalise(surface_text);
    let text = view.text.as_deref().unwrap_or(surface_text);
    let tokens = tokenise(text);
    let mut found = Vec::new();
    find_durations(text, &tokens, language, &mut found);
    let mut lapse = match found.len() {
        0 => {
            let mut none = Vec::new();
            let scan = Scan::new(text, &tokens, language, true, &mut none);
            let number = tokens.iter().position(|t| t.kind == Kind::Number)?;
            let value = scan.value(number).filter(|&v| v <= 120)? as u16;
            let parts = vec![Part::Number { minor: false, spelt: None }];
            scan.make(LapseKind::Age, number, number, number, (value, Unit::Year), None, parts, 0.5)
        }
        1 => found.pop()?,
        _ => return None,
    };
    let mut around = tokens[..lapse.first_token].iter().chain(&tokens[lapse.last_token + 1..]);
    if around.any(|t| t.kind == Kind::Number) {
        return None;
    }
    let (before, after) = (&text[..lapse.span.start()], &text[lapse.span.end()..]);
    if !before.is_empty() {
        lapse.surface.parts.insert(0, Part::Text(before.into()));
    }
    if !after.is_empty() {
        lapse.surface.parts.push(Part::Text(after.into()));
    }
    Some(lapse)
}

/// Appends the ages and durations of a text to `out`, in order and disjoint.
pub fn find_durations(text: &str, tokens: &[Token], language: Language, out: &mut Vec<Lapse>) {
    let mut no_dates = Vec::new();
    let scan = Scan::new(text, tokens, language, false, &mut no_dates);
    let mut floor = 0;
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        i += 1;
        if token.calendar == Calendar::No
            || token.kind != Kind::Word
            || token.end() - token.start() > 16
            || !quick(&text.as_bytes()[token.start()..token.end()])
        {
            continue;
        }
        let lapse = match classify(token.of(text), language) {
            None => None,
            Some(Found::Unit(unit)) => scan.lapse(i - 1, unit, floor, out),
            Some(Found::Aged) => scan.bare_age(i - 1),
            Some(Found::Decade { value, feminine }) => {
                (token.shape == Shape::Lower).then(|| scan.decade(i - 1, value, feminine))
            }
        };
        if let Some(lapse) = lapse {
            floor = lapse.last_token + 1;
            i = floor;
            out.push(lapse);
        }
    }
}

impl Scan<'_> {
    fn count(&self, last: usize, floor: usize) -> Option<Count> {
        if last < floor {
            return None;
        }
        match self.kind(last)? {
            Kind::Number => {
                let value = self.value(last).filter(|&v| v <= MOST)?;
                let part = self.inside_number(last) && !matches!(self.mark(last - 1), b'-' | b'/');
                (!part).then_some(Count { first: last, value: value as u16, spelt: false })
            }
            Kind::Word => {
                let (first, value) = self.spelt_number(last, 120)?;
                (first >= floor).then_some(Count { first, value: value as u16, spelt: true })
            }
            _ => None,
        }
    }

    fn unit_parts(&self, count: &Count, unit_token: usize, unit: Unit, minor: bool, parts: &mut Vec<Part>) {
        let typed = self.str(unit_token);
        let number_end = self.tokens[unit_token - 1].end();
        let spelt = count.spelt.then(|| Case::of(self.str(count.first)));
        let accents = !typed.is_ascii() || unit_word(unit, count.value, self.language).is_ascii();
        parts.push(Part::Number { minor, spelt });
        if self.tokens[unit_token].start() > number_end {
            parts.push(Part::Text(self.text[number_end..self.tokens[unit_token].start()].into()));
        }
        parts.push(Part::Unit { minor, unit, case: Case::of(typed), accents });
    }

    fn lapse(&self, unit_token: usize, unit: Unit, floor: usize, out: &mut Vec<Lapse>) -> Option<Lapse> {
        let count = self.count(unit_token.checked_sub(1)?, floor)?;
        let mut parts = Vec::with_capacity(3);
        self.unit_parts(&count, unit_token, unit, false, &mut parts);
        let (mut last, mut minor) = (unit_token, None);
        if let Some((token, number, small)) = self.minor(unit_token, unit) {
            let text = &self.text[self.tokens[last].end()..self.tokens[number.first].start()];
            parts.push(Part::Text(text.into()));
            self.unit_parts(&number, token, small, true, &mut parts);
            minor = Some((number.value, small));
            last = token;
        } else if self.is_word(last + 1, &["y", "et"])
            && self.is_word(last + 2, &["medio", "media", "demi", "demie"])
        {
            let text = &self.text[self.tokens[last].end()..self.tokens[last + 2].end()];
            parts.push(Part::Text(text.into()));
            last += 2;
        }
        let joined = self.joined_number(count.first, floor);
        let mut reading = self.read_context(joined.unwrap_or(count.first), last, unit);
        reading.from = reading.from.min(count.first);
        if let Some((number, value)) =
            joined.filter(|_| reading.kind == LapseKind::Age).and_then(|n| Some((n, self.value(n)?)))
        {
            let parts = vec![Part::Number { minor: false, spelt: None }];
            out.push(self.make(
                LapseKind::Age,
                number,
                number,
                number,
                (value as u16, unit),
                None,
                parts,
                0.6,
            ));
        }
        Some(self.make(
            reading.kind,
            reading.from,
            count.first,
            last,
            (count.value, unit),
            minor,
            parts,
            reading.confidence,
        ))
    }

    #[allow(clippy::too_many_arguments)]
    fn make(
        &self,
        kind: LapseKind,
        from: usize,
        first: usize,
        last: usize,
        (value, unit): (u16, Unit),
        minor: Option<(u16, Unit)>,
        parts: Vec<Part>,
        confidence: f32,
    ) -> Lapse {
        let end = self.tokens[last].end();
        Lapse {
            span: Span::new(self.tokens[first].start(), end),
            context: Span::new(self.tokens[from.min(first)].start(), end),
            first_token: first,
            last_token: last,
            kind,
            value,
            unit,
            minor,
            surface: LapseSurface { language: self.language, parts },
            confidence,
        }
    }

    /// `… y 8 meses`: the unit's token, its number, the unit.
    fn minor(&self, unit_token: usize, unit: Unit) -> Option<(usize, Count, Unit)> {
        let mut at = unit_token + 1;
        if self.is_word(at, &["y", "et"]) || self.mark(at) == b',' {
            at += 1;
        }
        for token in at + 1..=at + 3 {
            let small = match classify(self.str(token), self.language) {
                Some(Found::Unit(small)) if small < unit => small,
                _ => continue,
            };
            let number = self.count(token - 1, at)?;
            return (number.first == at).then_some((token, number, small));
        }
        None
    }

    /// `a los 6 y 8 años`: the first of two numbers that share their unit.
    fn joined_number(&self, first: usize, floor: usize) -> Option<usize> {
        let joint = first.checked_sub(1)?;
        let number = joint.checked_sub(1).filter(|&n| n >= floor)?;
        let fits = self.is_word(joint, &["y", "et", "o", "ou"])
            && self.value(number).is_some_and(|v| v <= 120)
            && !self.inside_number(number);
        fits.then_some(number)
    }

    /// `Edad: 56`, `Âge : 74`, `Edad: 41 A`: a number behind the word, with no unit or its initial.
    fn bare_age(&self, word: usize) -> Option<Lapse> {
        let number = if matches!(self.mark(word + 1), b':' | b'=') { word + 2 } else { return None };
        let value = self.value(number).filter(|&v| v <= 120)?;
        let is_unit = matches!(classify(self.str(number + 1), self.language), Some(Found::Unit(_)));
        if self.measured(number) && !is_unit {
            return None;
        }
        let runs_on = self.kind(number + 2) == Some(Kind::Number) && self.glued(number + 2);
        if matches!(self.mark(number + 1), b'/' | b'-' | b',' | b'.') && self.glued(number + 1) && runs_on {
            return None;
        }
        let mut last = number;
        let mut parts = vec![Part::Number { minor: false, spelt: None }];
        if self.kind(number + 1) == Some(Kind::Word) {
            if self.is_word(number + 1, &["a"]) && self.len(number + 1) == 1 {
                last = number + 1;
                let text = &self.text[self.tokens[number].end()..self.tokens[last].end()];
                parts.push(Part::Text(text.into()));
            } else if is_unit {
                return None;
            }
        }
        Some(self.make(LapseKind::Age, number, number, last, (value as u16, Unit::Year), None, parts, 0.9))
    }

    fn decade(&self, at: usize, value: u16, feminine: bool) -> Lapse {
        let parts = vec![Part::Decade { case: Case::of(self.str(at)), feminine }];
        self.make(LapseKind::Age, at, at, at, (value, Unit::Year), None, parts, 0.8)
    }
}

#[cfg(test)]
mod tests;
