//! What the parts of a report tell once detectors have spoken (Córdoba §4.4): in the header the whole value of a key, in the
//! footer what stands between the things already found there.

use std::sync::LazyLock;

use taire_text::{Entity, Kind, Label, Mention, Note, Role, Source, Span};

use crate::folded::{PARTICLES, WordSet, token_hash};
use crate::sections::Sections;
use crate::structure::{HeaderValue, header_value, is_way_word};

/// A value of a header has no more characters than this.
const LONGEST_VALUE: usize = 70;

/// Words that open the name of a department, which identifies nobody.
static SERVICES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "servicio servei unidad departamento seccion area catedra jefe cp codigo postal apdo tel tlf telf tfno telefono fax email mail correo electronico www",
    ])
});
/// Words that open the name of a hospital, and of other institutions.
static HOSPITALS: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(&["hospital clinica complejo complexo hospitalario policlinica"]));
static INSTITUTIONS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&["fundacion fundacio instituto institut centro centros universidad facultad"])
});
/// Lower-case words inside a name of a place.
static INSIDE: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(&["de del la las los el y i e d a en san santa sta sto"]));
/// What may stand around a house number.
static FLOOR: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "bajo izq izqda izda dcha der derecha izquierda esc escalera piso puerta pta planta portal bloque local km n no num numero s letra y o",
    ])
});

/// Adds the values of header keys that no mention covers whole.
pub fn header_values(note: &Note, sections: &Sections, out: &mut Vec<Mention>) {
    let text = note.raw();
    let covered: Vec<Span<taire_text::Raw>> =
        out.iter().filter(|m| m.label().is_some()).map(|m| m.span).collect();
    let mut start = 0;
    for line in text[..sections.body_start()].split_inclusive('\n') {
        for (key, value) in pairs(line) {
            let value = (start + value.0, start + value.1);
            let is_hole = |(at, c): (usize, char)| {
                c.is_alphanumeric()
                    && !covered.iter().any(|s| s.start() <= value.0 + at && value.0 + at < s.end())
            };
            let words = &text[value.0..value.1];
            if words.is_empty() || words.chars().count() > LONGEST_VALUE || !words.char_indices().any(is_hole)
            {
                continue;
            }
            match header_value(&line[key.0..key.1]) {
                HeaderValue::Whole(label, role) => push_value(text, value, label, role, out),
                HeaderValue::Person(role) => push_person(text, value, role, out),
                HeaderValue::Other => {}
            }
        }
        start += line.len();
    }
}

/// Keys and values of a line, in bytes. A key may be glued to the value before it (`MartínezNºCol:`).
fn pairs(line: &str) -> Vec<((usize, usize), (usize, usize))> {
    let mut keys: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    for (colon, _) in line.match_indices(':') {
        let starts = line[from..colon].char_indices().filter(|&(at, c)| {
            let before = line[..from + at].chars().next_back();
            c.is_alphabetic()
                && before.is_none_or(|b| !b.is_alphanumeric() || b.is_lowercase() && c.is_uppercase())
        });
        let key =
            starts.map(|(at, _)| from + at).find(|&at| crate::structure::is_header_key(&line[at..colon]));
        if let Some(key) = key {
            keys.push((key, colon));
            from = colon + 1;
        }
    }
    let ends = keys.iter().skip(1).map(|k| k.0).chain([line.len()]);
    let value = |start: usize, end: usize| {
        let blank = |c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';' | '-');
        let words = line[start..end].trim_end_matches(blank);
        let trimmed = words.trim_start_matches(blank);
        (start + words.len() - trimmed.len(), start + words.len())
    };
    keys.iter().zip(ends).map(|(&key, end)| (key, value(key.1 + 1, end))).collect()
}

fn push_value(text: &str, value: (usize, usize), label: Label, role: Role, out: &mut Vec<Mention>) {
    let words = &text[value.0..value.1];
    let digits = words.chars().any(|c| c.is_ascii_digit());
    let letters = words.chars().any(char::is_alphabetic);
    let label = match label {
        // `CP: Valladolid`, `Localidad: 47002`
        Label::PostalCode if !digits => Label::City,
        Label::City if !letters => Label::PostalCode,
        label => label,
    };
    let fits = match label {
        Label::City
        | Label::Region
        | Label::Country
        | Label::GivenName
        | Label::FamilyName
        | Label::Street => letters,
        _ => digits,
    };
    if !fits {
        return;
    }
    // `NHC: nhc-150679`: the name of the number typed again is no part of it.
    let start = if label == Label::PatientId { value.0 + repeated_key(words) } else { value.0 };
    let why = "the value of a key of the header";
    let mut push = |start: usize, end: usize| {
        let span = Span::new(start, end);
        out.push(Mention::phi(span, label, 0.99, Source::Structure, why).with_role(role));
    };
    if !matches!(label, Label::City | Label::Country | Label::Region) {
        return push(start, value.1);
    }
    // `Monterrey. Nuevo León`, `Getafe (Madrid)`: each place by itself.
    let mut start = value.0;
    for part in words.split_inclusive(['.', ',', '(', ')', '/', ';']) {
        let name = part.trim_matches(|c: char| !c.is_alphanumeric());
        if name.chars().count() > 2 {
            let at = start + part.find(name).unwrap_or(0);
            push(at, at + name.len());
        }
        start += part.len();
    }
}

/// Bytes of the name of a number before the number itself.
fn repeated_key(words: &str) -> usize {
    let letters = words.len() - words.trim_start_matches(char::is_alphabetic).len();
    let marks = words[letters..].len() - words[letters..].trim_start_matches(['-', '/', ' ', '.', ':']).len();
    let named = matches!(words[..letters].to_lowercase().as_str(), "nhc" | "cipa" | "cip" | "no" | "n");
    if named && marks > 0 { letters + marks } else { 0 }
}

/// The family name goes on to the end of the value when all of it looks like a name.
fn push_person(text: &str, value: (usize, usize), role: Role, out: &mut Vec<Mention>) {
    let words = &text[value.0..value.1];
    let named =
        |w: &str| w.starts_with(char::is_uppercase) || matches!(w, "de" | "del" | "la" | "y" | "i" | "e");
    if words.split_whitespace().count() > 6
        || !words.split_whitespace().all(named)
        || words.contains(['.', ':', ','])
    {
        return;
    }
    let inside = |m: &&Mention| m.span.start() >= value.0 && m.span.end() <= value.1;
    let family = out
        .iter()
        .filter(inside)
        .filter(|m| m.label() == Some(Label::FamilyName))
        .map(|m| m.span.start())
        .min();
    let given =
        out.iter().filter(inside).filter(|m| m.label() == Some(Label::GivenName)).map(|m| m.span.end()).max();
    let after_given = given.map(|end| end + text[end..].len() - text[end..].trim_start().len());
    let start = family.or(after_given).filter(|&s| s < value.1).unwrap_or(value.0);
    let why = "the rest of the name after a key of the header";
    out.push(
        Mention::phi(Span::new(start, value.1), Label::FamilyName, 0.99, Source::Structure, why)
            .with_role(role),
    );
}

/// Adds what the footer holds beside the entities found in it: streets without a word for a way, whole names of
/// hospitals, towns by themselves, postal codes of other countries.
pub fn footer_values(note: &Note, sections: &Sections, entities: &[Entity], out: &mut Vec<Mention>) {
    let start = sections.footer_start();
    if start >= note.raw().len() {
        return;
    }
    let mut footer = Footer::new(note, note.to_norm(Span::new(start, note.raw().len())).start(), entities);
    footer.facilities(out);
    footer.streets(out);
    footer.before_codes(out);
    footer.towns(out);
}

struct Footer<'a> {
    note: &'a Note,
    /// First token after the key and the name that follows it.
    from: usize,
    /// For each token the label of what covers it, and its first token.
    covered: Vec<Option<(Label, usize)>>,
}

impl<'a> Footer<'a> {
    fn new(note: &'a Note, start: usize, entities: &[Entity]) -> Footer<'a> {
        let mut covered = vec![None; note.tokens.len()];
        for entity in entities {
            let norm = note.to_norm(entity.span);
            let (first, end) = (note.token_at(norm.start()), note.token_at(norm.end()));
            covered[first.min(end)..end].fill(Some((entity.label, first)));
        }
        let mut footer = Footer { note, from: note.token_at(start), covered };
        footer.from = footer.after_name(footer.from);
        footer
    }

    /// The token after the key of the footer and the people named there.
    fn after_name(&self, start: usize) -> usize {
        let end = self.note.tokens.len();
        let person =
            |i: usize| matches!(self.label(i), Some(Label::GivenName | Label::FamilyName | Label::Initials));
        let first = (start..end.min(start + 20)).find(|&i| person(i));
        let Some(mut at) = first else { return start };
        while at < end && (person(at) || person(at + 1) && self.kind(at) == Some(Kind::Mark)) {
            at += 1;
        }
        at
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.note.tokens.get(at).map(|t| t.kind)
    }

    fn word(&self, at: usize) -> &'a str {
        self.note.tokens.get(at).map_or("", |t| t.of(self.note.norm()))
    }

    fn hash(&self, at: usize) -> u64 {
        self.note.tokens.get(at).map_or(0, |t| token_hash(t, self.note.norm()))
    }

    fn label(&self, at: usize) -> Option<Label> {
        self.covered.get(at).copied().flatten().map(|c| c.0)
    }

    fn is_named(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Word) && self.note.tokens[at].is_capitalised()
    }

    fn is_inside(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Word) && (INSIDE.has(self.hash(at)) || PARTICLES.has(self.hash(at)))
    }

    fn is_head(&self, at: usize) -> bool {
        HOSPITALS.has(self.hash(at)) || INSTITUTIONS.has(self.hash(at))
    }

    fn is_service(&self, at: usize) -> bool {
        SERVICES.has(self.hash(at))
    }

    fn digits(&self, at: usize) -> usize {
        if self.kind(at) == Some(Kind::Number) { self.word(at).len() } else { 0 }
    }

    /// `s/n`, `s / n`
    fn is_unnumbered(&self, at: usize) -> bool {
        self.word(at).eq_ignore_ascii_case("s")
            && self.word(at + 1) == "/"
            && self.word(at + 2).eq_ignore_ascii_case("n")
    }

    fn add(&mut self, first: usize, last: usize, label: Label, why: &'static str, out: &mut Vec<Mention>) {
        let span = self.note.raw_of_tokens(first, last);
        out.push(Mention::phi(span, label, 0.96, Source::Structure, why));
        self.covered[first..=last].fill(Some((label, first)));
    }

    /// Whole names of hospitals and institutions, generic ones too: a footer says where the author works.
    fn facilities(&mut self, out: &mut Vec<Mention>) {
        let mut i = self.from;
        while i < self.note.tokens.len() {
            // `Nutrición Clínica`: no head of a name.
            let begins = match self.covered[i] {
                Some((label, first)) => first == i && is_facility(label),
                None => !(self.is_named(i.wrapping_sub(1)) && self.label(i - 1).is_none()),
            };
            if !(self.is_named(i) && self.is_head(i) && begins) {
                i += 1;
                continue;
            }
            let last = self.facility_end(i);
            let known = (i..=last).take_while(|&j| self.label(j).is_some_and(is_facility)).last();
            // `Complejo Hospitalario de Albacete Hermanos Falcó, s/n`: the rest is a street.
            let number = |j: usize| matches!(self.digits(j), 1..=4) || self.is_unnumbered(j);
            let street =
                known.is_some() && (last + 1..last + 5).take_while(|&j| self.word(j) != ".").any(number);
            if last > i && known.is_none_or(|k| k < last) && !street {
                let label = if HOSPITALS.has(self.hash(i)) { Label::Hospital } else { Label::Institution };
                self.add(i, last, label, "a facility in the footer", out);
            }
            i = last + 1;
        }
    }

    fn facility_end(&self, head: usize) -> usize {
        let (mut last, mut i) = (head, head + 1);
        while i < self.note.tokens.len() && i < head + 12 {
            let crossed = self.label(i).is_none_or(|label| {
                is_facility(label)
                    || matches!(label, Label::GivenName | Label::FamilyName)
                    || label == Label::City && self.is_inside(i - 1)
            });
            let same = self.covered[i].is_some_and(|c| Some(c) == self.covered[head]);
            // `Universidad de Chile y Hospital San José`, `Hospital Virgen del Puerto Plasencia`
            let other = self.is_head(i) && !self.is_head(i - 1)
                || i > head + 1
                    && self.note.tokens[i].facts.is_town()
                    && self.is_named(i)
                    && !self.is_inside(i - 1);
            if !crossed
                || self.is_service(i)
                || is_way_word(self.hash(i)) && !self.is_inside(i)
                || other && !same
            {
                break;
            }
            let glued = self.note.tokens[i].glued;
            match self.kind(i) {
                Some(Kind::Word) if self.is_named(i) && self.word(i).chars().count() > 1 => last = i,
                Some(Kind::Word) if self.is_inside(i) => {}
                // `Hospital 12 de Octubre`
                Some(Kind::Number) if self.digits(i) <= 2 && self.is_inside(i + 1) => {}
                Some(Kind::Mark) if matches!(self.word(i), "-" | "'") && glued => {}
                Some(Kind::Mark) if matches!(self.word(i), "\"" | "“" | "”" | "«" | "»") => {}
                _ => break,
            }
            i += 1;
        }
        let quoted = (head..last).any(|j| matches!(self.word(j), "\"" | "“" | "«"));
        last + usize::from(quoted && matches!(self.word(last + 1), "\"" | "”" | "»"))
    }

    /// Names before a house number: `Doctor Esquerdo, 46`, `Hermanos Falcó, s/n`.
    fn streets(&mut self, out: &mut Vec<Mention>) {
        for n in self.from..self.note.tokens.len() {
            let boxed = self.word(n.saturating_sub(1)).eq_ignore_ascii_case("correos");
            let number = self.digits(n) > 0 && (self.digits(n) <= 4 || boxed) || self.is_unnumbered(n);
            if !number
                || self.label(n).is_some()
                || matches!(self.kind(n + 1), Some(Kind::Number)) && !boxed && self.digits(n + 1) < 5
            {
                continue;
            }
            let Some(first) = self.street_start(n) else { continue };
            let last = self.street_end(n);
            if self.is_before_place(last + 1) || (first..n).any(|i| is_way_word(self.hash(i))) {
                self.add(first, last, Label::Street, "a name and a house number in the footer", out);
            }
        }
    }

    fn street_start(&self, number: usize) -> Option<usize> {
        let (mut first, mut i) = (None, number);
        while i > self.from && number - i < 12 {
            i -= 1;
            let label = self.label(i);
            if label == Some(Label::Street) {
                return self.covered[i].map(|c| c.1);
            }
            let crossed = matches!(
                label,
                None | Some(Label::GivenName | Label::FamilyName | Label::City | Label::Kinship)
            );
            if !crossed || self.is_service(i) || self.is_head(i) {
                break;
            }
            let before_number = first.is_none();
            match self.kind(i) {
                Some(Kind::Word) if is_way_word(self.hash(i)) && self.is_named(i) => return Some(i),
                Some(Kind::Word) if self.is_named(i) => first = Some(i),
                Some(Kind::Word) if self.is_inside(i) => {}
                Some(Kind::Word) if before_number && FLOOR.has(self.hash(i)) => {}
                Some(Kind::Word) if before_number && self.is_named(i - 1) => {}
                Some(Kind::Mark) if matches!(self.word(i), "º" | "ª" | "°" | "/" | "-") => {}
                Some(Kind::Mark) if self.word(i) == "," && before_number => {}
                // `Avda. Prof. Martín Lagos`
                Some(Kind::Mark)
                    if self.word(i) == "."
                        && (before_number || self.word(i - 1).chars().count() <= 5)
                        && self.is_named(i - 1) =>
                {
                    if !before_number && !is_short(self.word(i - 1)) {
                        break;
                    }
                }
                _ => break,
            }
        }
        first.filter(|&f| (f..number).any(|j| self.word(j).chars().count() >= 3))
    }

    fn street_end(&self, number: usize) -> usize {
        let mut last = number + if self.is_unnumbered(number) { 2 } else { 0 };
        let mut i = last + 1;
        while i < self.note.tokens.len() && i < number + 16 && self.label(i).is_none() {
            let short = self.word(i).chars().count() == 1;
            match self.kind(i) {
                Some(Kind::Number) if self.digits(i) <= 3 => last = i,
                Some(Kind::Word) if short || FLOOR.has(self.hash(i)) => {
                    // `E-20012` begins the postal code.
                    if short && self.word(i + 1) == "-" && self.digits(i + 2) == 5 {
                        break;
                    }
                    last = i;
                }
                Some(Kind::Mark) if matches!(self.word(i), "º" | "ª" | "°") => last = i,
                Some(Kind::Mark) if matches!(self.word(i), "," | "." | "-" | "/") => {}
                _ => break,
            }
            i += 1;
        }
        last
    }

    fn is_before_place(&self, at: usize) -> bool {
        let mut i = at;
        while matches!(self.word(i), "," | "." | "-" | ";" | "(" | "E") && i < at + 5 {
            i += 1;
        }
        match self.kind(i) {
            None | Some(Kind::Newline) => true,
            Some(Kind::Number) => (4..=7).contains(&self.digits(i)),
            Some(Kind::Word) => {
                matches!(
                    self.label(i),
                    Some(Label::City | Label::Region | Label::Country | Label::PostalCode)
                ) || self.is_named(i) && self.note.tokens[i].facts.is_town()
            }
            _ => false,
        }
    }

    /// Names right before a postal code or a country: `Celestino Villamil, 33006`, `Managua, Nicaragua`.
    fn before_codes(&mut self, out: &mut Vec<Mention>) {
        for at in self.from..self.note.tokens.len() {
            let Some((label, first)) = self.covered[at] else { continue };
            if first != at || !matches!(label, Label::PostalCode | Label::Country) {
                continue;
            }
            let mut last = at;
            while last > self.from && matches!(self.word(last - 1), "," | "." | "(" | "-") {
                last -= 1;
            }
            let Some((first, last)) = self.run_before(last) else { continue };
            let town = label == Label::Country || first == last && self.note.tokens[first].facts.is_town();
            let label = if town { Label::City } else { Label::Street };
            self.add(first, last, label, "names before a postal code or a country in the footer", out);
        }
    }

    /// Capitalised words that end before a token, that nothing covers, after a mark or something found.
    fn run_before(&self, end: usize) -> Option<(usize, usize)> {
        let (mut first, mut i) = (None, end);
        while i > self.from && end - i < 6 {
            i -= 1;
            if self.label(i).is_some() {
                break;
            }
            if self.is_named(i) && !self.is_service(i) && !self.is_head(i) && self.word(i).chars().count() > 2
            {
                first = Some(i);
            } else if !self.is_inside(i) {
                let bounded = matches!(self.kind(i), Some(Kind::Mark | Kind::Newline | Kind::Number));
                return first.filter(|_| bounded).map(|f| (f, end - 1));
            }
        }
        first.map(|f| (f, end - 1))
    }

    /// A municipality between two marks, and the postal codes of other countries before a place.
    fn towns(&mut self, out: &mut Vec<Mention>) {
        for at in self.from..self.note.tokens.len() {
            if self.label(at).is_some() {
                continue;
            }
            let bounded = |i: usize| {
                !matches!(self.kind(i), Some(Kind::Word | Kind::Number)) || self.label(i).is_some()
            };
            let alone = bounded(at.wrapping_sub(1))
                && bounded(at + 1)
                && !matches!(self.word(at + 1), "@" | "-" | "/" | "'");
            if alone && self.is_named(at) && self.note.tokens[at].facts.is_town() && self.word(at).len() > 3 {
                self.add(at, at, Label::City, "a municipality by itself in the footer", out);
            } else if (4..=7).contains(&self.digits(at))
                && bounded(at.wrapping_sub(1))
                && (self.label(at + 1) == Some(Label::City)
                    || self.is_named(at + 1) && self.is_before_place(at + 2))
            {
                self.add(at, at, Label::PostalCode, "a code before a place in the footer", out);
                if self.label(at + 1).is_none() {
                    self.add(at + 1, at + 1, Label::City, "a place after a code in the footer", out);
                }
            }
        }
    }
}

fn is_facility(label: Label) -> bool {
    matches!(label, Label::Hospital | Label::Institution | Label::HealthCentre)
}

/// `Prof`, `Dr`, `Gral`, `Sta`: words that a dot shortens.
fn is_short(word: &str) -> bool {
    word.chars().count() <= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_be_glued_to_a_name() {
        let line = "Médico: Ana Gómez MartínezNºCol: 28 31 23567.\n";
        let found: Vec<(&str, &str)> =
            pairs(line).into_iter().map(|(k, v)| (&line[k.0..k.1], &line[v.0..v.1])).collect();
        assert_eq!(found, [("Médico", "Ana Gómez Martínez"), ("NºCol", "28 31 23567")]);
    }

    #[test]
    fn the_whole_value_of_a_key_counts() {
        let text = "CIPA: nhc-150679.\nCP: 3400.\nLocalidad/ Provincia: Cdad. Real.\nMédico: Begoña Iza.\nHistoria: x\n";
        let note = Note::builder("a", text).build().unwrap();
        let mut out = Vec::new();
        header_values(&note, &Sections::of(&note), &mut out);
        let found: Vec<(&str, Label)> = out.iter().map(|m| (m.span.of(text), m.label().unwrap())).collect();
        assert_eq!(
            found,
            [
                ("150679", Label::PatientId),
                ("3400", Label::PostalCode),
                ("Cdad", Label::City),
                ("Real", Label::City),
                ("Begoña Iza", Label::FamilyName)
            ]
        );
    }
}
