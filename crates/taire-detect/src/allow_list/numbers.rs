//! Protection of numbers: which digits measure something and identify nobody.
//!
//! The patterns are data (`numbers.txt`, which tells their syntax). One that starts with a number is tried at each
//! number, one that starts with a word at each of its words; what a pattern covers is protected.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use taire_text::{Kind, Token, fold_into};

use crate::Error;
use crate::patterns::keywords::{self, Keywords};

const TABLE: &str = include_str!("numbers.txt");
/// How many tokens `~` may step over.
const GAP: usize = 6;
/// How many numbers one measure may be made of: `3 x 4 x 2`.
const PARTS: usize = 4;

/// Medical to a lexicon drawn from labels of diseases, but used in ages and dates.
const TIMES: &[&str] = &[
    "an", "ans", "annee", "annees", "mois", "jour", "jours", "semaine", "semaines", "heure", "heures", "ano",
    "anos", "mes", "meses", "dia", "dias", "semana", "semanas", "hora", "horas",
];

type Words = FxHashSet<Box<str>>;

#[derive(Debug)]
enum Part {
    Number,
    /// At most two digits, and not a day of a month.
    Small,
    Digit,
    Minute,
    Gap,
    Unit,
    Measure,
    Medical,
    Drug,
    Words {
        words: Words,
        glued: bool,
    },
}

impl Part {
    fn is_number(&self) -> bool {
        matches!(self, Part::Number | Part::Small | Part::Digit | Part::Minute)
    }
}

/// The patterns, compiled.
#[derive(Debug)]
pub(super) struct Protection {
    keys: Keywords,
    patterns: Vec<Vec<Part>>,
    /// Patterns that start with a number, a measure, a drug.
    by_number: Vec<usize>,
    by_measure: Vec<usize>,
    by_drug: Vec<usize>,
    by_word: FxHashMap<Box<str>, Vec<usize>>,
    gap: Words,
    literals: Words,
    /// Whether digits on the heels of a few letters are protected (`T3`, `CD20`).
    codes: bool,
}

/// The text and tokens of a note, and a buffer to fold words in.
pub(super) struct Reading<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) word: String,
}

impl Reading<'_> {
    fn fold(&mut self, at: usize) -> &str {
        self.word.clear();
        if let Some(token) = self.tokens.get(at) {
            fold_into(token.of(self.text), &mut self.word);
        }
        &self.word
    }

    fn str_at(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |t| t.of(self.text))
    }

    fn is_number(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|t| t.kind == Kind::Number)
    }

    fn glued(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|t| t.glued)
    }

    fn digits(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(0, |t| t.end() - t.start())
    }

    fn year(&self, at: usize) -> bool {
        self.digits(at) == 4 && matches!(&self.str_at(at)[..2], "18" | "19" | "20")
    }
}

impl Protection {
    /// The shipped patterns, compiled once.
    pub(super) fn shipped() -> &'static Protection {
        static SHIPPED: OnceLock<Protection> = OnceLock::new();
        SHIPPED.get_or_init(|| Protection::parse(TABLE).expect("a test reads the shipped patterns"))
    }

    /// Patterns that a person judged; they protect nothing else.
    pub(super) fn judged<'a>(patterns: impl Iterator<Item = &'a str>) -> Protection {
        let mut protection = Protection::empty();
        protection.gap = Protection::shipped().gap.clone();
        for pattern in patterns {
            // Read once before, by the list that they stand in.
            let _ = protection.add(pattern);
        }
        protection
    }

    /// Why a text is no pattern, if it is none.
    pub(super) fn check(pattern: &str) -> Result<(), &'static str> {
        Protection::empty().add(pattern)
    }

    fn empty() -> Protection {
        Protection {
            keys: Keywords::new(),
            patterns: Vec::new(),
            by_number: Vec::new(),
            by_measure: Vec::new(),
            by_drug: Vec::new(),
            by_word: FxHashMap::default(),
            gap: Words::default(),
            literals: Words::default(),
            codes: false,
        }
    }

    fn parse(table: &str) -> Result<Protection, Error> {
        let mut protection = Protection { codes: true, ..Protection::empty() };
        for (number, line) in table.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(';') {
                continue;
            }
            if let Some(words) = line.strip_prefix("~ ") {
                protection.gap.extend(words.split('|').map(Box::from));
                continue;
            }
            protection
                .add(line)
                .map_err(|why| Error::new(format!("number patterns: line {}: {why}", number + 1)))?;
        }
        Ok(protection)
    }

    fn add(&mut self, line: &str) -> Result<(), &'static str> {
        let parts: Vec<Part> = line.split_whitespace().map(part).collect::<Result<_, _>>()?;
        let at = self.patterns.len();
        match parts.first() {
            Some(first) if first.is_number() => self.by_number.push(at),
            Some(Part::Measure) => self.by_measure.push(at),
            Some(Part::Drug) => self.by_drug.push(at),
            Some(Part::Words { words, .. }) => {
                for word in words {
                    self.by_word.entry(word.clone()).or_default().push(at);
                }
            }
            _ => return Err("a pattern starts with a number, a word, {measure} or {drug}"),
        }
        if !parts.iter().any(Part::is_number) {
            return Err("a pattern holds a number: #, #small or #digit");
        }
        for part in &parts {
            if let Part::Words { words, .. } = part {
                self.literals.extend(words.iter().filter(|w| w.chars().all(char::is_alphabetic)).cloned());
            }
        }
        self.patterns.push(parts);
        Ok(())
    }

    /// Whether a folded word belongs to the patterns or to the keywords of paperwork: safe by itself.
    pub(super) fn knows(&self, folded: &str) -> bool {
        self.literals.contains(folded)
            || self.gap.contains(folded)
            || self.keys.is_unit(folded)
            || self.keys.connector(folded).is_some()
            || !self.keys.ending_with(folded).is_empty()
    }

    /// Marks the protected tokens of a note; `protected` has one slot for each.
    pub(super) fn mark(&self, reading: &mut Reading<'_>, protected: &mut [bool]) {
        for at in 0..reading.tokens.len() {
            let token = reading.tokens[at];
            match token.kind {
                Kind::Number => {
                    if self.codes {
                        self.code(reading, at, protected);
                    }
                    if !inside_number(reading, at) {
                        self.try_all(&self.by_number, reading, at, protected);
                    }
                }
                Kind::Word => {
                    reading.fold(at);
                    let measure = self.is_measure(&reading.word);
                    if let Some(patterns) = self.by_word.get(reading.word.as_str()) {
                        self.try_all(patterns, reading, at, protected);
                    }
                    if measure {
                        self.try_all(&self.by_measure, reading, at, protected);
                    }
                    if token.facts.is_drug() {
                        self.try_all(&self.by_drug, reading, at, protected);
                    }
                }
                Kind::Mark | Kind::Newline => {}
            }
        }
    }

    fn is_measure(&self, folded: &str) -> bool {
        self.keys.ending_with(folded).iter().any(|p| p.kind == keywords::KeywordKind::Measure)
    }

    /// `T3`, `L4`, `CD20`, `HbA1`, `mm3`: one or two digits on the heels of a few letters.
    fn code(&self, reading: &Reading<'_>, at: usize, protected: &mut [bool]) {
        if !reading.glued(at) || at == 0 || reading.digits(at) > 2 {
            return;
        }
        let before = reading.tokens[at - 1];
        let hyphen = reading.str_at(at - 1) == "-" && before.glued && at >= 2;
        let letters = if hyphen { reading.tokens[at - 2] } else { before };
        let short = letters.end() - letters.start() <= 4;
        let more =
            reading.glued(at + 1) && matches!(reading.str_at(at + 1), "/" | ".") && reading.is_number(at + 2);
        let power = !hyphen && reading.digits(at) == 1 && self.keys.is_unit(letters.of(reading.text));
        if letters.kind == Kind::Word && short && (letters.is_capitalised() || power) && !more {
            protected[at] = true;
        }
    }

    fn try_all(&self, patterns: &[usize], reading: &mut Reading<'_>, at: usize, protected: &mut [bool]) {
        for &pattern in patterns {
            if let Some(end) = self.matches(&self.patterns[pattern], reading, at) {
                for (i, slot) in protected.iter_mut().enumerate().take(end).skip(at) {
                    *slot |= reading.tokens[i].kind == Kind::Number;
                }
            }
        }
    }

    /// The token after the pattern, if the pattern matches at `at`.
    fn matches(&self, parts: &[Part], reading: &mut Reading<'_>, at: usize) -> Option<usize> {
        let mut i = at;
        let number_first = parts.first().is_some_and(Part::is_number);
        for part in parts {
            let token = reading.tokens.get(i).filter(|t| t.kind != Kind::Newline);
            let word = token.filter(|t| t.kind == Kind::Word);
            i = match part {
                Part::Gap => self.gap(reading, i),
                Part::Number => number(reading, i, number_first)?,
                Part::Digit => (reading.is_number(i) && reading.digits(i) == 1).then_some(i + 1)?,
                Part::Minute => minute(reading, i).then_some(i + 1)?,
                Part::Small => small(reading, i).then_some(i + 1)?,
                Part::Unit => {
                    let word = word?.of(reading.text);
                    self.keys.is_unit(word).then_some(i + 1)?
                }
                Part::Measure => {
                    word?;
                    reading.fold(i);
                    self.is_measure(&reading.word).then_some(i + 1)?
                }
                Part::Medical => {
                    let medical = word?.facts.is_medical();
                    (medical && !TIMES.contains(&reading.fold(i))).then_some(i + 1)?
                }
                Part::Drug => word?.facts.is_drug().then_some(i + 1)?,
                Part::Words { words, glued } => {
                    if *glued && !token?.glued {
                        return None;
                    }
                    token?;
                    words.contains(reading.fold(i)).then_some(i + 1)?
                }
            };
        }
        Some(i)
    }

    fn gap(&self, reading: &mut Reading<'_>, at: usize) -> usize {
        let mut i = at;
        while i < at + GAP
            && let Some(token) = reading.tokens.get(i)
        {
            let steps = match token.kind {
                Kind::Mark => matches!(
                    token.of(reading.text),
                    ":" | "="
                        | "<"
                        | ">"
                        | "≤"
                        | "≥"
                        | "~"
                        | "("
                        | ")"
                        | "±"
                        | "+"
                        | "-"
                        | "'"
                        | "°"
                        | "*"
                        | ","
                        | "."
                ),
                Kind::Word => self.gap.contains(reading.fold(i)),
                Kind::Number | Kind::Newline => false,
            };
            if !steps {
                break;
            }
            i += 1;
        }
        i
    }
}

fn part(text: &str) -> Result<Part, &'static str> {
    Ok(match text {
        "#" => Part::Number,
        "#small" => Part::Small,
        "#digit" => Part::Digit,
        "#minute" => Part::Minute,
        "~" => Part::Gap,
        "{unit}" => Part::Unit,
        "{measure}" => Part::Measure,
        "{medical}" => Part::Medical,
        "{drug}" => Part::Drug,
        text if text.starts_with(['{', '#']) => {
            return Err(
                "unknown class; known: #, #small, #digit, #minute, ~, {unit}, {measure}, {medical}, {drug}",
            );
        }
        text => {
            let (words, glued) = text.strip_prefix('^').map_or((text, false), |w| (w, true));
            Part::Words { words: words.split('|').map(Box::from).collect(), glued }
        }
    })
}

/// Whether a number continues the one before it: `2010` in `05/2010`.
fn inside_number(reading: &Reading<'_>, at: usize) -> bool {
    at >= 2
        && reading.glued(at)
        && reading.glued(at - 1)
        && reading.is_number(at - 2)
        && matches!(reading.str_at(at - 1), "/" | "." | "," | "-")
}

/// The token after one number with its decimals or thousands.
fn value(reading: &Reading<'_>, at: usize) -> Option<usize> {
    if !reading.is_number(at) {
        return None;
    }
    let mut end = at + 1;
    if reading.digits(at) <= 3 {
        let thousands = |i: usize| {
            reading.is_number(i)
                && reading.digits(i) == 3
                && !reading.glued(i)
                && reading.tokens[i].start() - reading.tokens[i - 1].end() <= 2
        };
        while thousands(end) && end <= at + 2 {
            end += 1;
        }
    }
    let dot = |i: usize| matches!(reading.str_at(i), "." | ",") && reading.glued(i);
    if dot(end)
        && reading.is_number(end + 1)
        && reading.glued(end + 1)
        && !(dot(end + 2) && reading.is_number(end + 3))
    {
        end += 2;
    }
    Some(end)
}

/// The token after one number or several of one measure: `120/80`, `3 x 4 x 2`, `10 a 20`.
fn number(reading: &Reading<'_>, at: usize, unit_follows: bool) -> Option<usize> {
    let mut end = value(reading, at)?;
    let mut joiner = "";
    let mut parts = 1;
    let times = |mark: &str| matches!(mark, "x" | "X" | "×" | "*");
    let mut years = reading.year(at);
    while parts < PARTS {
        let mark = reading.str_at(end);
        if !matches!(mark, "/" | "-" | "x" | "X" | "×" | "à" | "a" | "±" | "*")
            || !(joiner.is_empty() || joiner == mark || times(joiner) && times(mark))
        {
            break;
        }
        let Some(next) = value(reading, end + 1) else { break };
        years |= reading.year(end + 1);
        joiner = mark;
        let power = times(mark) && reading.str_at(end + 1) == "10" && next == end + 2;
        end = next;
        parts += 1;
        if power && reading.is_number(end) && reading.digits(end) <= 2 {
            // `13,9x10 6`
            end += 1;
        }
    }
    let date = years && (!unit_follows || parts > 1 && matches!(joiner, "/" | "-"));
    // `21/11/25 cm` is a size.
    let size = matches!(reading.str_at(end), "cm" | "mm");
    let dotted = parts == 3 && matches!(joiner, "/") && !size
        || reading.str_at(end) == "." && reading.is_number(end + 1) && reading.glued(end + 1);
    (!date && !dotted).then_some(end)
}

fn minute(reading: &Reading<'_>, at: usize) -> bool {
    reading.is_number(at)
        && reading.glued(at)
        && reading.digits(at) == 2
        && reading.str_at(at).as_bytes()[0] < b'6'
}

fn small(reading: &mut Reading<'_>, at: usize) -> bool {
    if !reading.is_number(at) || reading.digits(at) > 2 || (at > 0 && reading.glued(at)) {
        return false;
    }
    at == 0 || !matches!(reading.fold(at - 1), "le" | "du" | "au" | "el" | "del" | "al" | "dia" | "n" | "no")
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_lexicon::Annotator;
    use taire_text::{Language, Note};

    /// The text with every unprotected number as `@`.
    fn masked(text: &str) -> String {
        let mut note = Note::builder("t", text).language(Some(Language::Fr)).build().unwrap();
        Annotator::new(Language::Fr, |_| 0).annotate(&mut note);
        let mut protected = vec![false; note.tokens.len()];
        let mut reading = Reading { text: note.norm(), tokens: &note.tokens, word: String::new() };
        Protection::shipped().mark(&mut reading, &mut protected);
        let mut out = String::new();
        let mut last = 0;
        for (token, protected) in note.tokens.iter().zip(protected) {
            if token.kind == Kind::Number && !protected {
                out.push_str(&note.norm()[last..token.start()]);
                out.push('@');
                last = token.end();
            }
        }
        out + &note.norm()[last..]
    }

    #[test]
    fn measures_doses_and_scores_stay() {
        for text in [
            "plaquettes 251 000/mm3, Hb 12,5 g/dl",
            "PREVISCAN : 1/2 par jour",
            "une CRP inférieure à 3.",
            "paracétamol 1 g 3 fois par jour pendant 7 jours",
            "TA 14/8, FC 72/min, SpO2 98 %, T° 37,2",
            "Glasgow 15/15, MMSE à 24/30",
            "diabète de type 2, stade 3, grade II",
            "masse de 3 x 4 x 2 cm",
            "amoxicilline 500 mg 1-0-1",
            "L4-L5, T3N0M0, CD20, vitamine B12, J3",
            "10 à 20 mg/kg/j",
            "créatinine = 87 µmol/l",
            "3 nodules hépatiques",
            "ferritine 14 µg/L (VN : 22-61)",
            "à 13:37, 70 Gy en 35 fractions",
            "SaO2 à 96 %, PCO2:29, FiO2 = 40%",
            "TSH à 60µUI/ml, leucocytes 17,5 Giga/l, glycémie à 0,74 gramme par litre",
            "mesurant 21/11/25 cm, puis 6/5,5/4 cm et 15x12×11 mm",
            "neutrophiles à 13,92x10 6 globules, CD4 < 800/mm 3",
            "taux de prothrombine : 60 pour cent, vitesse de sédimentation à 56",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn dates_ages_addresses_and_numbers_go() {
        for (text, left) in [
            ("le 12/05/2010 à 14h45", "le @/@/@ à 14h45"),
            ("vu le 12/05/2010 à 10 mg", "vu le @/@/@ à 10 mg"),
            ("12-05-2010", "@-@-@"),
            ("le 21/11/25 : 3 cm", "le @/@/@ : 3 cm"),
            ("âgé de 72 ans", "âgé de @ ans"),
            ("dans 3 mois", "dans @ mois"),
            ("14 rue des Acacias 59000", "@ rue des Acacias @"),
            ("dossier 4512, le 12 scanner", "dossier @, le @ scanner"),
            ("ferritine en 2012", "ferritine en @"),
            ("2016: 10 selles", "@: 10 selles"),
            ("05/2010 : 10 mg", "@/@ : 10 mg"),
        ] {
            assert_eq!(masked(text), left);
        }
    }
}
