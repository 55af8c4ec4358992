//! Postal addresses: the way and its number, the postal code, the town, what stands after it.

use std::sync::LazyLock;

use taire_text::{Kind, Label, Language, Role, Shape};

use super::Reader;
use crate::folded::{PARTICLES, WordSet};

/// Ways that are hardly anything else.
static WAYS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "rue avenue av ave boulevard bd blvd boul allee allees impasse chemin ruelle faubourg fbg esplanade lotissement hameau lieudit venelle sentier avn avdc chem imp",
        "calle avenida avda avd carretera ctra carrer glorieta travesia trav urbanizacion urb camino cami avinguda rua bulevar barriada poligono kalea cl callejon rambla pza plza",
    ])
});
/// Ways that are ordinary or medical words too: a number or a key must back them.
static LOOSE_WAYS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "r place pl cours quai route rte passage square voie residence villa cite rond sente montee cote traverse parvis res resid zone za zi clos mail domaine",
        "paseo plaza ronda via pasaje pasaxe parque cuesta c p pso po praza placa passeig sector barrio bloque edificio colonia conjunto grupo finca partida lugar",
    ])
});
/// Lower-case words inside the name of a way or a town.
static INSIDE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "de du des d la le les l et y del los las el sur sous en aux au lez lès a i e sainte saint st san santa",
    ])
});
/// What may follow the number: floor, door, stairs.
static FLOOR: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "bis ter quater bat batiment appt apt appartement app studio logement lot esc escalier etage bp cs rdc porte cedex tsa",
        "bajo bajos bj izq izqda izda izquierda dcha der derecha esc escalera piso puerta pta pt planta portal bloque bl local km nº n num numero s sn apto apartamento despacho dpto consultorio atico entresuelo principal kilometro interior letra duplicado dpdo mod no",
    ])
});
/// House numbers in letters.
static UNITS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt vingts trente quarante cinquante soixante cent",
    ])
});
static COUNTRIES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "france espagne espana italie portugal belgique suisse allemagne maroc algerie tunisie luxembourg mexico argentina chile colombia peru venezuela ecuador bolivia cuba uruguay paraguay italia francia alemania marruecos rumania brasil spain",
    ])
});

pub(super) fn way_hashes() -> impl Iterator<Item = u64> {
    WAYS.hashes().chain(LOOSE_WAYS.hashes())
}

impl Reader<'_> {
    pub(super) fn is_country(&self, at: usize) -> bool {
        self.is_name_like(at) && (self.note.tokens[at].facts.is_country() || COUNTRIES.has(self.hash(at)))
    }

    /// Five digits that stand alone, as a postal code does.
    pub(super) fn is_postal_code(&self, at: usize) -> bool {
        let Some(token) = self.note.tokens.get(at) else { return false };
        let digits = token.end() - token.start();
        if token.kind != Kind::Number || digits != 5 && !(digits == 4 && self.text(at).starts_with('0')) {
            return false;
        }
        let joined = |i: usize| {
            self.note.tokens.get(i).is_some_and(|t| t.glued)
                && (self.kind(i) == Kind::Word
                    || matches!(self.text(i), "," | "." | "/" | "-")
                        && self.note.tokens.get(i + 1).is_some_and(|t| t.glued && t.kind == Kind::Number))
        };
        let before = at > 0
            && token.glued
            && !matches!(self.text(at - 1), "-" | "(" | "," | ":" | "." | ";")
            && self.kind(at - 1) != Kind::Newline;
        !joined(at + 1) && !before
    }

    /// Where a postal code is expected, it may be typed in two groups (`92 100`) or be Corsican (`2A004`).
    fn postal_code_end(&self, at: usize) -> Option<usize> {
        if self.is_postal_code(at) {
            return Some(at);
        }
        let digits = |i: usize| {
            self.note.tokens.get(i).filter(|t| t.kind == Kind::Number).map_or(0, |t| t.end() - t.start())
        };
        let town_after = |i: usize| self.is_name_like(i) || self.is_mark(i, ",") && self.is_name_like(i + 1);
        if self.note.language != Language::Fr {
            return None;
        }
        if digits(at) == 2 && digits(at + 1) == 3 && town_after(at + 2) {
            return Some(at + 1);
        }
        let corsican = digits(at) == 1 && self.is_name_like(at + 1) && matches!(self.text(at + 1), "A" | "B");
        (corsican && digits(at + 2) == 3 && town_after(at + 3)).then_some(at + 2)
    }

    pub(super) fn is_way(&self, at: usize) -> bool {
        self.note.tokens.get(at).is_some_and(|t| t.kind == Kind::Word)
            && (self.note.tokens[at].facts.is_way()
                || WAYS.has(self.hash(at))
                || LOOSE_WAYS.has(self.hash(at)))
    }

    /// The value of an address key.
    pub(super) fn read_address(&mut self, at: usize, end: usize, role: Role) -> usize {
        let mut at = at;
        while at < end && self.kind(at) == Kind::Mark && !self.is_mark(at, "(") {
            at += 1;
        }
        let line = end.min(at + 32);
        let code = (at..line).find(|&i| {
            self.is_postal_code(i) && (i > at || self.is_name_like(i + 1)) && !(i == at && self.is_way(i + 1))
        });
        let stop = (at..line)
            .find(|&i| self.is_mark(i, "@") || self.is_mark(i, ";") || self.is_column(i) && i > at + 1)
            .unwrap_or(line);
        let street_end = code.unwrap_or(stop).min(stop);
        let mut next = street_end;
        let has_way = (at..street_end).any(|i| self.is_way(i));
        let has_digit = (at..street_end).any(|i| self.kind(i) == Kind::Number);
        let capital = (at..street_end).any(|i| self.is_name_like(i));
        if (has_way || has_digit) && capital || has_way && has_digit {
            let (street, town) = self.cut_town(at, street_end);
            self.emit_trimmed(at, street, Label::Street, role, 0.97);
            if let Some((first, last)) = town {
                self.emit(first, last, Label::City, role, 0.9);
            }
        } else if street_end > at && self.is_name_like(at) && street_end - at <= 6 {
            next = self.read_places(at, street_end, role, Label::City);
        }
        match code {
            Some(code) if code <= stop => self.read_code_and_town(code, end, role),
            _ => {
                // The town on the line below.
                if next >= end && self.kind_is(next, Kind::Newline) && self.is_postal_code(next + 1) {
                    return self.read_code_and_town(next + 1, self.line_end(next + 1), role);
                }
                next.max(at)
            }
        }
    }

    /// French addresses often leave out the postal code: "12 rue des Lilas, Paris".
    fn cut_town(&self, at: usize, end: usize) -> (usize, Option<(usize, usize)>) {
        if self.note.language != Language::Fr {
            return (end, None);
        }
        let Some(comma) = (at + 1..end)
            .rev()
            .find(|&i| self.is_mark(i, ",") || self.is_mark(i, "-") && !self.note.tokens[i].glued)
        else {
            return (end, None);
        };
        let words = comma + 1..end;
        let only_words = words.clone().all(|i| {
            self.kind(i) == Kind::Word || self.is_mark(i, "-") || self.is_mark(i, ".") || self.is_mark(i, "'")
        });
        let way_before = (at..comma).any(|i| self.is_way(i));
        if !only_words
            || !way_before
            || words.is_empty()
            || self.is_way(comma + 1)
            || !self.is_name_like(comma + 1)
        {
            return (end, None);
        }
        let last = words.clone().rev().find(|&i| self.kind(i) == Kind::Word).unwrap_or(comma + 1);
        (comma, Some((comma + 1, last)))
    }

    /// A postal code and the town after it; gives the next token.
    pub(super) fn read_code_and_town(&mut self, code: usize, end: usize, role: Role) -> usize {
        let last = self.postal_code_end(code).unwrap_or(code);
        self.emit(code, last, Label::PostalCode, role, 0.97);
        let mut at = last + 1;
        while at < end && (self.is_mark(at, ",") || self.is_mark(at, "-") || self.is_mark(at, ".")) {
            at += 1;
        }
        self.read_places(at, end, role, Label::City)
    }

    /// Towns, regions and a country, one after the other: `Getafe - Madrid (España)`.
    pub(super) fn read_places(&mut self, at: usize, end: usize, role: Role, label: Label) -> usize {
        let mut at = at;
        let mut found = 0;
        while at < end && found < 4 {
            if self.is_postal_code(at) {
                self.emit(at, at, Label::PostalCode, role, 0.95);
                at += 1;
                continue;
            }
            let Some(last) = self.town_end(at, end) else { break };
            let country = last == at && self.is_country(at);
            self.emit(at, last, if country { Label::Country } else { label }, role, 0.92);
            found += 1;
            at = last + 1;
            let mut skipped = at;
            while skipped < end && ["(", ")", ",", "-", "/", "."].iter().any(|m| self.is_mark(skipped, m)) {
                // A full stop ends the address unless a country follows.
                if self.is_mark(skipped, ".")
                    && !self.is_country(skipped + 1 + usize::from(self.is_mark(skipped + 1, "(")))
                {
                    return at;
                }
                skipped += 1;
            }
            if skipped == at && !self.is_country(at) && !self.is_postal_code(at) {
                break;
            }
            at = skipped;
        }
        at
    }

    /// The last token of the place name that starts here.
    fn town_end(&self, at: usize, end: usize) -> Option<usize> {
        let mut last = None;
        let mut words = 0;
        let mut i = at;
        while i < end && words < 6 {
            let token = &self.note.tokens[i];
            match token.kind {
                Kind::Word if i > at && self.is_column(i) => break,
                // `CHARENTON LE PONT`, `La Roche`: small words count with what follows them.
                Kind::Word
                    if INSIDE.has(self.hash(i))
                        && (i > at || token.is_capitalised())
                        && !self.is_mark(i + 1, ".") => {}
                Kind::Word if token.is_capitalised() => {
                    if last.is_some() && self.is_country(i) || self.is_key(i) || self.ends_place(i) {
                        break;
                    }
                    last = Some(i);
                    words += 1;
                }
                Kind::Mark if matches!(self.text(i), "-" | "'") && token.glued && i > at => {
                    if !self.note.tokens.get(i + 1).is_some_and(|t| t.glued && t.kind == Kind::Word) {
                        break;
                    }
                }
                Kind::Mark if self.is_mark(i, "'") => {}
                Kind::Mark
                    if self.is_mark(i, ".")
                        && last.is_some_and(|l| matches!(self.text(l), "St" | "Ste" | "ST" | "STE")) => {}
                Kind::Number
                    if last.is_some_and(|l| self.text(l).eq_ignore_ascii_case("cedex"))
                        && token.end() - token.start() <= 2 =>
                {
                    last = Some(i);
                    break;
                }
                _ => break,
            }
            i += 1;
        }
        last.filter(|&l| l > at || self.text(l).chars().count() >= 2)
    }

    fn ends_place(&self, at: usize) -> bool {
        static ENDS: LazyLock<WordSet> = LazyLock::new(|| {
            WordSet::new(&[
                "tel fax telephone email mail ne nee telefono tfno tlf telf correo e dr dra docteur medecin service nass nhc cp cip madame monsieur",
            ])
        });
        ENDS.has(self.hash(at)) && !self.is_mark(at + 1, "-")
    }

    /// An address that no key announces, at a way word. Gives the token after it.
    pub(super) fn read_free_street(&mut self, way: usize) -> Option<usize> {
        let end = self.line_end(way);
        let hash = self.hash(way);
        let loose = !WAYS.has(hash);
        if loose && !LOOSE_WAYS.has(hash) {
            return None;
        }
        let token = self.note.tokens[way];
        if token.glued && way > 0 && self.kind(way - 1) != Kind::Mark {
            return None;
        }
        let (first, numbered) = self.house_number(way);
        let slash = self.is_mark(way + 1, "/") && token.end() - token.start() <= 2;
        // "12 r des Lilas"
        let named =
            self.is_name_like(way + 1) || PARTICLES.has(self.hash(way + 1)) || self.is_mark(way + 1, ".");
        if matches!(self.text(way), "r" | "R") && !(numbered && named && self.note.language == Language::Fr) {
            return None;
        }
        if matches!(self.text(way), "c" | "C" | "p" | "P" | "pl" | "po") && !slash {
            return None;
        }
        let abbreviated = token.end() - token.start() <= 5 && self.is_mark(way + 1, ".");
        let name_from = way + 1 + usize::from(slash || abbreviated);
        let name_from = name_from + usize::from(self.is_mark(name_from, "/") || self.is_mark(name_from, "."));
        let name_end = match self.way_name_end(name_from, end) {
            Some(found) if self.postal_code_end(found + 1).is_some() || !numbered => found,
            found => self.words_to_code(name_from, end).filter(|_| numbered).or(found)?,
        };
        // `AV` is also visual acuity, `Cl` chloride: short ways need a dot, a slash or a number, and a word.
        let short = token.end() - token.start() <= 2;
        let has_word = (name_from..=name_end).any(|i| {
            matches!(self.note.tokens[i].shape, Shape::Title | Shape::Upper)
                && self.text(i).chars().count() >= 3
        });
        if short && !has_word && !(numbered && self.postal_code_end(name_end + 1).is_some())
            || short && token.shape == Shape::Upper && !(slash || abbreviated || numbered)
        {
            return None;
        }
        let last = self.floor_end(name_end, end);
        let spanish_number = last > name_end;
        if self.note.language == Language::Es {
            if !(token.is_capitalised() || slash || spanish_number)
                || loose && !slash && !spanish_number && !numbered
            {
                return None;
            }
        } else if loose && !numbered
            || !numbered && !spanish_number && self.note.tokens[name_end].shape == Shape::Lower
        {
            return None;
        }
        let score = if numbered || spanish_number { 0.9 } else { 0.7 };
        self.emit_trimmed(first, last + 1, Label::Street, Role::Unknown, score);
        let mut next = last + 1;
        while next < self.note.tokens.len()
            && (self.is_mark(next, ",")
                || self.is_mark(next, "-")
                || self.is_mark(next, ".")
                || self.is_mark(next, "(")
                || self.kind_is(next, Kind::Newline))
            && next < last + 4
        {
            next += 1;
        }
        if next + 1 < self.note.tokens.len() && self.text(next).len() == 1 && self.is_mark(next + 1, "-") {
            // `E-08035`, `F-75012`
            next += 2;
        }
        if self.postal_code_end(next).is_some() {
            let end = self.line_end(next);
            return Some(self.read_code_and_town(next, end, Role::Unknown));
        }
        if spanish_number
            && self.note.language == Language::Es
            && self.is_name_like(next)
            && self.kind(next - 1) == Kind::Mark
        {
            // `C/ Mayor, 4. Barcelona 08017`
            if let Some(town) =
                self.town_end(next, self.line_end(next)).filter(|&t| self.is_postal_code(t + 1))
            {
                self.emit(next, town, Label::City, Role::Unknown, 0.85);
                return Some(self.read_code_and_town(town + 1, self.line_end(next), Role::Unknown));
            }
        }
        Some(last + 1)
    }

    /// A street without its way before a postal code: `. Colón, 28, 1º. 36201 Vigo`. Its first and last token.
    pub(super) fn bare_street(&self, code: usize, floor: usize) -> Option<(usize, usize)> {
        let is_short = |i: usize| {
            self.kind(i) == Kind::Number && self.note.tokens[i].end() - self.note.tokens[i].start() <= 3
        };
        let mut i = code.checked_sub(1).filter(|&i| i >= floor)?;
        let mut number = None;
        while i > floor && code - i < 12 {
            match self.kind(i) {
                Kind::Number if is_short(i) => number = Some(i),
                Kind::Mark if matches!(self.text(i), "," | "." | "-" | "º" | "ª" | "°") => {}
                Kind::Word if FLOOR.has(self.hash(i)) || self.note.tokens[i].shape == Shape::Single => {}
                _ => break,
            }
            i -= 1;
        }
        let number = number?;
        if self.kind(i) != Kind::Word || !self.is_name_like(i) || i + 2 < number {
            return None;
        }
        let (mut first, mut words) = (i, 0);
        loop {
            match self.kind(i) {
                Kind::Word if self.is_name_like(i) && !self.is_facility(i) && !self.is_key(i) => {
                    first = i;
                    words += 1;
                }
                Kind::Word if INSIDE.has(self.hash(i)) => {}
                Kind::Mark if matches!(self.text(i), "." | "," | ")") => break,
                Kind::Newline => break,
                _ => return None,
            }
            if words > 4 {
                return None;
            }
            match i.checked_sub(1).filter(|&i| i >= floor) {
                Some(before) => i = before,
                None => break,
            }
        }
        let last = (number..code)
            .rev()
            .find(|&i| self.kind(i) != Kind::Mark || self.is_mark(i, "º") || self.is_mark(i, "ª"))?;
        Some((first, last))
    }

    /// The last word before a postal code, if words alone stand between: "deux bd emile combes 16000".
    fn words_to_code(&self, from: usize, end: usize) -> Option<usize> {
        let code = (from + 1..end.min(from + 7)).find(|&i| self.postal_code_end(i).is_some())?;
        (from..code)
            .all(|i| self.kind(i) == Kind::Word || self.is_mark(i, "-") || self.is_mark(i, "'"))
            .then(|| code - 1)
    }

    /// `12 bis,` or `deux` before the way: its first token.
    fn house_number(&self, way: usize) -> (usize, bool) {
        let mut i = way;
        let mut budget = 6;
        let mut first = way;
        while i > 0 && budget > 0 {
            i -= 1;
            budget -= 1;
            let gap = self.note.tokens[i + 1].start() - self.note.tokens[i].end();
            if gap > 1 {
                break;
            }
            match self.kind(i) {
                Kind::Number if self.note.tokens[i].end() - self.note.tokens[i].start() <= 4 => first = i,
                Kind::Mark if matches!(self.text(i), "," | "-" | "/") => {}
                Kind::Word
                    if self.note.language == Language::Fr
                        && UNITS.has(self.hash(i))
                        && (i + 1 == way || first == i + 1 || self.is_mark(i + 1, "-")) =>
                {
                    first = i;
                }
                Kind::Word
                    if matches!(
                        self.text(i).to_ascii_lowercase().as_str(),
                        "bis" | "ter" | "quater" | "b" | "t" | "a"
                    ) && i > 0
                        && self.kind(i - 1) == Kind::Number => {}
                _ => break,
            }
            let goes_on = i > 0
                && (matches!(self.text(i - 1), "-" | "/")
                    || self.kind(i) == Kind::Word && UNITS.has(self.hash(i - 1)));
            if first == i && !goes_on {
                break;
            }
        }
        (first, first < way)
    }

    /// The last word of a way's name: capitalised words with small words between.
    fn way_name_end(&self, from: usize, end: usize) -> Option<usize> {
        let mut last = None;
        let mut i = from;
        let mut small = 0;
        while i < end && i < from + 14 {
            let token = &self.note.tokens[i];
            match token.kind {
                Kind::Word if token.is_capitalised() && !PARTICLES.has(self.hash(i)) => {
                    if last.is_some() && (self.is_key(i) || self.is_facility(i) || self.ends_place(i)) {
                        break;
                    }
                    last = Some(i);
                    small = 0;
                }
                Kind::Word if PARTICLES.has(self.hash(i)) || INSIDE.has(self.hash(i)) => {
                    small += 1;
                    if small > 3 {
                        break;
                    }
                }
                // "Paseo de los olivos", "rue de la république": one lower word after an article.
                Kind::Word if last.is_none() && small > 0 && token.end() - token.start() > 3 => {
                    last = Some(i);
                }
                Kind::Mark if matches!(self.text(i), "-" | "'") => {}
                Kind::Mark
                    if self.is_mark(i, ".")
                        && i > from
                        && self.text(i - 1).chars().count() <= 3
                        && self.note.tokens.get(i + 1).is_some_and(|t| t.is_capitalised()) => {}
                Kind::Number if last.is_none() && self.is_name_like(i + 1) | INSIDE.has(self.hash(i + 1)) => {
                    last = Some(i)
                }
                // "rue du 8 Mai 1945", "calle 2 de mayo"
                Kind::Number
                    if small > 0 && self.note.tokens.get(i + 1).is_some_and(|t| t.kind == Kind::Word) => {}
                Kind::Number
                    if self.note.language == Language::Fr
                        && self.note.tokens[i].end() - self.note.tokens[i].start() == 4
                        && last.is_some_and(|l| l + 1 == i) =>
                {
                    last = Some(i)
                }
                _ => break,
            }
            i += 1;
        }
        last
    }

    /// After the name of a way: number, floor, door. The last token that belongs to it.
    fn floor_end(&self, name_end: usize, end: usize) -> usize {
        let mut last = name_end;
        let mut i = name_end + 1;
        while i < end && i < name_end + 18 {
            let token = &self.note.tokens[i];
            match token.kind {
                Kind::Number => {
                    if self.postal_code_end(i).is_some() || token.end() - token.start() > 4 {
                        break;
                    }
                    // "C/ Belgrano, 212. 4400 Salta": a postal code of another country.
                    let foreign = last > name_end && token.end() - token.start() == 4;
                    if foreign && self.is_name_like(i + 1) && self.note.language == Language::Es {
                        break;
                    }
                    last = i;
                }
                Kind::Word if FLOOR.has(self.hash(i)) && !token.is_capitalised() => last = i,
                Kind::Word if self.is_mark(i + 1, "/") && matches!(self.text(i), "s" | "S") => {}
                Kind::Word if matches!(self.text(i), "n" | "N") && i > 0 && self.is_mark(i - 1, "/") => {
                    last = i
                }
                Kind::Word
                    if FLOOR.has(self.hash(i))
                        && self.note.tokens.get(i + 1).is_some_and(|t| t.kind != Kind::Word) =>
                {
                    last = i
                }
                // `, 2. C.P. 41001`: the postal code's key.
                Kind::Word
                    if matches!(self.text(i), "C" | "c")
                        && self.is_mark(i + 1, ".")
                        && matches!(self.text(i + 2), "P" | "p") =>
                {
                    break;
                }
                Kind::Word if token.shape == Shape::Single && last > name_end => last = i,
                // `4o B`, `5b`
                Kind::Word
                    if token.glued
                        && token.end() - token.start() <= 2
                        && self.kind(i - 1) == Kind::Number =>
                {
                    last = i
                }
                Kind::Mark if matches!(self.text(i), "º" | "ª" | "°") => {
                    last = if last > name_end { i } else { last };
                }
                Kind::Mark if matches!(self.text(i), "," | "-" | "." | "/") => {}
                _ => break,
            }
            i += 1;
        }
        last
    }
}
