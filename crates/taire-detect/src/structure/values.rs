//! Values that are not names or addresses: dates, ages, numbers, contacts, facilities, professions.

use std::sync::LazyLock;

use taire_text::{Kind, Label, Language, Role, Shape, date};

use super::Reader;
use super::keys::{Key, Place, Value};
use crate::folded::WordSet;
use crate::plain_date::date_at;

static SEXES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "f m h v masculin feminin homme femme garcon fille masculino femenino hombre mujer varon hembra male female masc fem",
    ])
});
static AGE_UNITS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&["ans an mois jours jour semaines semaine anos ano meses mes dias dia semanas semana a"])
});
static BLANKS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "oui non aucun aucune neant inconnu inconnue idem sans nc si no ninguno ninguna desconocido desconocida nr voir",
    ])
});
/// Names of numbers that are sometimes typed again before the number itself.
static NUMBER_WORDS: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(&["n no num numero nhc nass ipp nip cipa nda es le la n°"]));

impl Reader<'_> {
    pub(super) fn read_simple(
        &mut self,
        value: Value,
        key: Key,
        at: usize,
        end: usize,
        colon: bool,
    ) -> usize {
        let sure = colon || key.place == Place::Free;
        match value {
            Value::BirthDate => self.read_date(at, end, Label::BirthDate, key.role),
            Value::Date => self.read_date(at, end, Label::Date, key.role),
            Value::Age => self.read_age(at, end),
            Value::Sex => self.read_sex(at, end),
            Value::Id(label) => self.read_id(at, end, label, key.role, sure),
            Value::Phone => self.read_phones(at, end, Label::Phone),
            Value::Fax => self.read_phones(at, end, Label::Fax),
            Value::Email => self.read_email(at, end),
            Value::Url => self.read_url(at, end),
            Value::Facility(label) => self.read_words(at, end, label, key.role, 10, true),
            Value::Profession => self.read_words(at, end, Label::Profession, key.role, 6, false),
            _ => at,
        }
    }

    fn read_date(&mut self, at: usize, end: usize, label: Label, role: Role) -> usize {
        let mut i = at;
        while i < end
            && i < at + 3
            && (self.kind(i) == Kind::Mark || matches!(self.text(i), "le" | "el" | "Le" | "du" | "the"))
        {
            i += 1;
        }
        if i >= end {
            return at;
        }
        let last = date_at(self.note, i).map(|d| d.last).or_else(|| self.written_date(i));
        let Some(last) = last.filter(|&last| last < end) else { return at };
        self.emit(i, last, label, role, if label == Label::BirthDate { 0.98 } else { 0.95 });
        let mut next = last + 1;
        // "Né le 3/5/1950 à Paris", "(Madrid)"
        if label == Label::BirthDate
            && next < end
            && matches!(self.text(next), "à" | "a" | "en" | "À" | "A" | "EN")
            && self.is_name_like(next + 1)
        {
            next = self.read_places(next + 1, end, Role::Patient, Label::City);
        }
        next
    }

    /// A date in letters or with a misspelt month, read by the date grammar once a key asks for one.
    fn written_date(&mut self, at: usize) -> Option<usize> {
        let note = self.note;
        let dates = self.dates.get_or_insert_with(|| {
            let mut dates = Vec::new();
            date::find(note.norm(), &note.tokens, note.language, &mut dates);
            dates.iter().map(|d| (d.first_token, d.last_token, d.value.year.is_some())).collect()
        });
        let i = dates.binary_search_by_key(&at, |d| d.0).ok()?;
        dates[i].2.then_some(dates[i].1)
    }

    fn read_age(&mut self, at: usize, end: usize) -> usize {
        if self.kind(at) != Kind::Number || self.note.tokens[at].end() - self.note.tokens[at].start() > 3 {
            return at;
        }
        let unit = at + 1 < end && self.kind(at + 1) == Kind::Word && AGE_UNITS.has(self.hash(at + 1));
        let mut last = at + usize::from(unit);
        // "2 años y 3 meses", "3 ans et 2 mois"
        if unit
            && last + 3 < end
            && matches!(self.text(last + 1), "y" | "et")
            && self.kind(last + 2) == Kind::Number
            && AGE_UNITS.has(self.hash(last + 3))
        {
            last += 3;
        }
        self.emit(at, last, Label::Age, Role::Patient, 0.95);
        // "Edad/Sexo: 70 años / H"
        if last + 2 < end && self.is_mark(last + 1, "/") && SEXES.has(self.hash(last + 2)) {
            return self.read_sex(last + 2, end);
        }
        last + 1
    }

    fn read_sex(&mut self, at: usize, end: usize) -> usize {
        if self.kind(at) != Kind::Word || !SEXES.has(self.hash(at)) {
            return at;
        }
        let alone = at + 1 >= end
            || !self.note.tokens[at + 1].glued
            || self.kind(at + 1) == Kind::Mark
            || self.kind(at + 1) == Kind::Newline;
        if alone {
            self.emit(at, at, Label::Sex, Role::Patient, 0.95);
        }
        at + 1
    }

    /// Letters and digits with single separators; a blank only between digits or after a short prefix.
    fn read_id(&mut self, at: usize, end: usize, label: Label, role: Role, sure: bool) -> usize {
        let tokens = &self.note.tokens;
        let mut i = at;
        while i < end
            && i < at + 6
            && (matches!(self.text(i), "n" | "N" | "°" | "º" | ":" | "#" | "." | "=")
                || self.kind(i) == Kind::Word
                    && NUMBER_WORDS.has(self.hash(i))
                    && i + 1 < end
                    && (self.kind(i + 1) != Kind::Word))
        {
            i += 1;
            if i < end && self.is_mark(i, "-") && i > at {
                i += 1;
            }
        }
        let first = i;
        let (mut last, mut digits) = (None, 0);
        while i < end && i < first + 40 {
            let token = &tokens[i];
            let glued = i == first || token.glued;
            if i > first && self.is_column(i) {
                break;
            }
            match token.kind {
                Kind::Number => {
                    if !glued && digits > 0 && !self.continues_number(i, last) {
                        break;
                    }
                    digits += token.end() - token.start();
                    last = Some(i);
                }
                Kind::Word
                    if token.is_capitalised() && token.end() - token.start() <= 6 || glued && i > first =>
                {
                    let follows = tokens
                        .get(i + 1)
                        .is_some_and(|t| t.kind == Kind::Number || t.glued && t.kind == Kind::Mark);
                    let closes = glued && i > first
                        || token.shape == Shape::Single && label != Label::VisitId && !follows && digits >= 7;
                    if !(closes || follows && (i == first || glued)) || token.end() - token.start() > 8 {
                        break;
                    }
                    last = if digits > 0 { Some(i) } else { last };
                }
                Kind::Word
                    if i == first
                        && token.end() - token.start() <= 4
                        && tokens.get(i + 1).is_some_and(|t| t.glued) => {}
                Kind::Mark if matches!(self.text(i), "-" | "/" | "." | "_") && i > first => {
                    let next = tokens.get(i + 1);
                    let joins = next.is_some_and(|t| {
                        matches!(t.kind, Kind::Number | Kind::Word)
                            && (t.glued || self.is_mark(i, "-") || self.is_mark(i, "/"))
                    });
                    let wide = !glued && !next.is_some_and(|t| t.glued);
                    if !joins
                        || wide && next.is_none_or(|t| t.kind != Kind::Number)
                        || self.is_mark(i, ".") && next.is_none_or(|t| !t.glued || t.kind != Kind::Number)
                    {
                        break;
                    }
                    if !glued && next.is_some_and(|t| t.kind == Kind::Word && !t.glued) {
                        break;
                    }
                }
                _ => break,
            }
            i += 1;
        }
        let enough = if sure { 2 } else { 4 };
        let Some(last) = last.filter(|_| digits >= enough && first < end) else { return at };
        // A date or a measure is no number of a file.
        if date_at(self.note, first).is_some_and(|d| d.last == last && self.text(first).len() <= 2)
            && label != Label::SocialSecurity
            && last > first
        {
            return at;
        }
        // "N° d'identification 1 85 07 …": thirteen or fifteen digits from 1 or 2 are the number everybody has.
        let national = label == Label::PatientId
            && self.note.language == Language::Fr
            && matches!(digits, 13 | 15)
            && self.text(first).starts_with(['1', '2']);
        let label = if national { Label::SocialSecurity } else { label };
        self.emit(first, last, label, role, if digits >= 4 { 0.97 } else { 0.85 });
        last + 1
    }

    /// Whether a number after a blank still belongs to the number before it: no unit or month follows.
    fn continues_number(&self, at: usize, last: Option<usize>) -> bool {
        let beside = last.is_some_and(|l| at - l <= 2);
        let before_word = self
            .note
            .tokens
            .get(at + 1)
            .is_some_and(|t| t.kind == Kind::Word && t.shape == Shape::Lower && !t.glued);
        beside && !before_word
    }

    fn read_phones(&mut self, at: usize, end: usize, label: Label) -> usize {
        let mut next = at;
        let mut i = at;
        for _ in 0..4 {
            let Some((first, last)) = self.phone_at(i, end) else { break };
            self.emit(first, last, label, Role::Unknown, 0.95);
            next = last + 1;
            let Some(mark) = (next..end)
                .next()
                .filter(|&m| matches!(self.text(m), "/" | "-" | "ou" | "y" | "o" | "et" | "," | ";"))
            else {
                break;
            };
            i = mark + 1;
        }
        next
    }

    fn phone_at(&self, at: usize, end: usize) -> Option<(usize, usize)> {
        let tokens = &self.note.tokens;
        let mut first = at;
        while first < end
            && first < at + 3
            && !matches!(self.kind(first), Kind::Number)
            && !self.is_mark(first, "+")
            && !self.is_mark(first, "(")
        {
            if self.kind(first) == Kind::Word && !matches!(self.text(first), "n" | "N" | "au" | "al" | "le") {
                return None;
            }
            first += 1;
        }
        let (mut last, mut digits, mut i) = (first, 0, first);
        while i < end && digits < 15 {
            let token = &tokens[i];
            match token.kind {
                Kind::Number => {
                    let wide = i > first && self.is_column(i);
                    if wide || digits >= 9 && i > first && !token.glued && token.end() - token.start() > 4 {
                        break;
                    }
                    digits += token.end() - token.start();
                    last = i;
                }
                Kind::Word
                    if matches!(self.text(i), "O" | "o")
                        && tokens.get(i + 1).is_some_and(|t| t.kind == Kind::Number) =>
                {
                    digits += 1
                }
                Kind::Mark if matches!(self.text(i), "." | "-" | "+" | "(" | ")") => {
                    if digits >= 9 && !token.glued {
                        break;
                    }
                }
                Kind::Mark if self.is_mark(i, "/") && digits < 9 => {}
                _ => break,
            }
            i += 1;
        }
        (digits >= 6 && first < end).then_some((first, last))
    }

    fn read_email(&mut self, at: usize, end: usize) -> usize {
        let Some(sign) = (at..end.min(at + 24)).find(|&i| self.is_mark(i, "@")) else { return at };
        let tokens = &self.note.tokens;
        let mut first = sign;
        while first > at
            && tokens[first].glued
            && !matches!(self.text(first - 1), ":" | "(" | "<" | "," | ";" | "[")
        {
            first -= 1;
        }
        let mut last = sign;
        while last + 1 < end
            && tokens[last + 1].glued
            && !matches!(self.text(last + 1), ")" | ">" | "," | ";" | "]" | ":")
        {
            last += 1;
        }
        while last > sign && self.kind(last) == Kind::Mark {
            last -= 1;
        }
        if first < sign && last > sign {
            self.emit(first, last, Label::Email, Role::Unknown, 0.97);
        }
        last + 1
    }

    fn read_url(&mut self, at: usize, end: usize) -> usize {
        let tokens = &self.note.tokens;
        let mut last = at;
        while last + 1 < end && tokens[last + 1].glued {
            last += 1;
        }
        while last > at && self.kind(last) == Kind::Mark {
            last -= 1;
        }
        if self.kind(at) == Kind::Word && (at..=last).any(|i| self.is_mark(i, ".")) {
            self.emit(at, last, Label::Url, Role::Unknown, 0.9);
            return last + 1;
        }
        at
    }

    /// A phrase up to a comma, a full stop, a parenthesis or a wide blank.
    fn read_words(
        &mut self,
        at: usize,
        end: usize,
        label: Label,
        role: Role,
        most: usize,
        capital: bool,
    ) -> usize {
        let tokens = &self.note.tokens;
        if self.kind(at) != Kind::Word || capital && !self.is_name_like(at) || BLANKS.has(self.hash(at)) {
            return at;
        }
        let mut last = at;
        let mut words = 0;
        for (i, token) in tokens.iter().enumerate().take(end).skip(at) {
            if i > at && self.is_column(i) {
                break;
            }
            match token.kind {
                Kind::Word => {
                    words += 1;
                    last = i;
                }
                Kind::Number if capital => last = i,
                Kind::Mark
                    if matches!(self.text(i), "'" | "\"")
                        || matches!(self.text(i), "-" | "/") && token.glued => {}
                Kind::Mark
                    if self.is_mark(i, ".") && self.text(i - 1).chars().count() <= 3 && i + 1 < end => {}
                _ => break,
            }
        }
        if words == 0 || words > most {
            return at;
        }
        // A sentence after "Profession :" tells more than the profession.
        self.emit_trimmed(at, last + 1, label, role, if capital { 0.85 } else { 0.8 });
        last + 1
    }
}
