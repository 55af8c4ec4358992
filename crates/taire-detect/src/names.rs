//! Reading a run of name words and telling given names from family names.
//!
//! A run is what could be one person's name: capitalised words, particles between them, parts joined by hyphens
//! and apostrophes, single capitals. Its units are split into given and family names by case ("DURAND Charles"),
//! by what the lexicons know, and by the order that is usual in the language.

use taire_lang::{Vocabulary, WordRole};
use taire_text::{Kind, Label, Language, Note, Raw, Shape, Span, Token};

use crate::MAX_TOKENS;
use crate::folded::token_hash;
use crate::words::WordClass;

/// The most units one person's name is read to have.
const MAX_UNITS: usize = 6;

/// One part of a name: `Jean-Pierre`, `de la Cruz`, `L'Hostis`, `J.`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NameUnit {
    pub first: usize,
    pub last: usize,
    pub initial: bool,
    pub upper: bool,
    particle: bool,
    given: u8,
    family: u8,
    /// In a dictionary, or a medical word: being capitalised is no proof.
    pub ordinary: bool,
    /// In no list at all.
    pub unknown: bool,
}

/// How freely a run takes words that are not in the lists of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// A title or a key announces a name: the first word counts whatever it is.
    Announced,
    /// Nothing says so: only words that look like names.
    Alone,
}

/// A run of name words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub units: Vec<NameUnit>,
    /// Index of the unit followed by a comma ("DURAND, Charles").
    pub comma: Option<usize>,
}

impl Run {
    pub fn first(&self) -> usize {
        self.units.first().map_or(0, |u| u.first)
    }

    pub fn last(&self) -> usize {
        self.units.last().map_or(0, |u| u.last)
    }

    /// Reads the longest run that starts at token `at`; leaves it empty if none does.
    pub fn read(&mut self, note: &Note, at: usize, trust: Trust) {
        self.units.clear();
        self.comma = None;
        let tokens = &note.tokens;
        let mut i = at;
        while self.units.len() < MAX_UNITS {
            if !self.units.is_empty() && column_before(note, i) {
                break;
            }
            let Some(unit) = read_unit(note, i, trust, self.units.is_empty()) else { break };
            if !self.units.is_empty() && changes_person(&self.units, &unit) {
                break;
            }
            i = unit.last + 1;
            self.units.push(unit);
            if let Some(comma) = tokens.get(i)
                && comma.kind == Kind::Mark
                && comma.of(note.norm()) == ","
                && self.comma.is_none()
                && self.units.iter().all(|u| !u.initial)
                && read_unit(note, i + 1, Trust::Alone, false).is_some_and(|next| {
                    next.given >= 3 && next.given > next.family && !unit.is_given_rather()
                })
            {
                self.comma = Some(self.units.len());
                i += 1;
            }
        }
    }

    /// How the run looks as a person's name, from 0 to 1, when nothing announces it.
    pub fn plausibility(&self) -> f32 {
        let full = || self.units.iter().filter(|u| !u.initial);
        let clear_given = full().filter(|u| !u.ordinary).map(|u| u.given).max().unwrap_or(0);
        let any_given = full().map(|u| u.given).max().unwrap_or(0);
        let support = full().filter(|u| !u.ordinary && (u.family >= 1 || u.given >= 1 || u.unknown)).count();
        let backed = full().filter(|u| u.family >= 3 || u.unknown).count();
        let with_initial = self.units.iter().any(|u| u.initial);
        match (clear_given, full().count()) {
            (5.., 2..) if support >= 2 => 0.9,
            (3.., 2..) if support >= 2 || backed >= 2 => 0.8,
            (3.., 2..) if backed >= 1 => 0.7,
            (1.., 2..) if support >= 2 => 0.6,
            (_, 2..) if any_given >= 5 && backed >= 2 => 0.55,
            (5.., 1) if with_initial => 0.65,
            (6.., 1) => 0.45,
            (_, 1) if with_initial && full().any(|u| u.family >= 4 && !u.ordinary) => 0.6,
            _ => 0.2,
        }
    }

    /// Given and family parts as raw spans, in order. Neighbouring units of one kind join.
    pub fn split(&self, note: &Note, order: Order) -> Vec<(Span<Raw>, Label)> {
        let labels = self.labels(note.language, order);
        let mut parts: Vec<(usize, usize, Label)> = Vec::new();
        for (unit, label) in self.units.iter().zip(labels) {
            match parts.last_mut() {
                Some((_, last, l)) if *l == label => *last = unit.last,
                _ => parts.push((unit.first, unit.last, label)),
            }
        }
        parts.into_iter().map(|(first, last, label)| (note.raw_of_tokens(first, last), label)).collect()
    }

    fn labels(&self, language: Language, order: Order) -> Vec<Label> {
        use Label::{FamilyName, GivenName};
        let n = self.units.len();
        if let Some(comma) = self.comma {
            return (0..n).map(|i| if i < comma { FamilyName } else { GivenName }).collect();
        }
        let full: Vec<&NameUnit> = self.units.iter().filter(|u| !u.initial).collect();
        let mixed_case = full.iter().any(|u| u.upper) && full.iter().any(|u| !u.upper && !u.particle);
        if mixed_case {
            return self
                .units
                .iter()
                .map(|u| {
                    if u.initial {
                        Label::Initials
                    } else if u.upper || u.particle {
                        FamilyName
                    } else {
                        GivenName
                    }
                })
                .collect();
        }
        if full.is_empty() {
            return vec![Label::Initials; n];
        }
        if full.len() == 1 {
            let alone = if matches!(order, Order::GivenOnly | Order::GivenFirst)
                || (order != Order::FamilyFirst
                    && full[0].given > full[0].family + if n == 1 { 3 } else { 1 })
            {
                GivenName
            } else {
                FamilyName
            };
            return self.units.iter().map(|u| if u.initial { Label::Initials } else { alone }).collect();
        }
        // The best split point in either order.
        let mut best = (f32::MIN, 1, false);
        for cut in 1..n {
            for family_first in [false, true] {
                let mut score = match (order, family_first) {
                    (Order::FamilyFirst, true) | (Order::GivenFirst, false) => 2.0,
                    (Order::Free, false) => 0.6,
                    _ => 0.0,
                };
                if language == Language::Es && !family_first && n - cut == 2 {
                    score += 1.0;
                }
                for (i, unit) in self.units.iter().enumerate() {
                    let is_family = (i < cut) == family_first;
                    score += unit.fit(is_family);
                }
                if score > best.0 {
                    best = (score, cut, family_first);
                }
            }
        }
        let (_, cut, family_first) = best;
        (0..n).map(|i| if (i < cut) == family_first { FamilyName } else { GivenName }).collect()
    }
}

/// Which part of a name comes first, when something tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Free,
    GivenFirst,
    FamilyFirst,
    GivenOnly,
}

impl NameUnit {
    pub fn is_frequent_given(&self) -> bool {
        self.given >= 5
    }

    fn is_given_rather(&self) -> bool {
        self.given > self.family + 1
    }

    fn fit(&self, as_family: bool) -> f32 {
        let (given, family) = (f32::from(self.given), f32::from(self.family));
        match (as_family, self.initial, self.particle) {
            (true, true, _) => -2.0,
            (false, true, _) => 1.0,
            (true, _, true) => 2.0,
            (false, _, true) => -2.0,
            (true, ..) if self.unknown => 1.5,
            (false, ..) if self.unknown => -0.5,
            (true, ..) => 0.6 * family - 0.3 * given,
            (false, ..) => 0.6 * given - 0.3 * family,
        }
    }
}

/// Two blanks or a tab before a token: another column of a flattened table.
fn column_before(note: &Note, at: usize) -> bool {
    let (Some(before), Some(token)) = (at.checked_sub(1).map(|i| &note.tokens[i]), note.tokens.get(at))
    else {
        return false;
    };
    let gap = &note.norm()[before.end()..token.start()];
    gap.len() >= 2 || gap.contains('\t')
}

/// `Jean DUPONT Marie LEGRAND`: a second change from capitals to title case starts another person.
fn changes_person(units: &[NameUnit], next: &NameUnit) -> bool {
    if next.initial {
        return false;
    }
    let mut changes = 0;
    let mut last: Option<bool> = None;
    for unit in units.iter().filter(|u| !u.initial && !u.particle).chain([next]) {
        if last.is_some_and(|upper| upper != unit.upper) {
            changes += 1;
        }
        last = Some(unit.upper);
    }
    changes > 1
}

fn read_unit(note: &Note, at: usize, trust: Trust, first: bool) -> Option<NameUnit> {
    let (tokens, text) = (&note.tokens, note.norm());
    let token = tokens.get(at)?;
    if token.kind != Kind::Word {
        return None;
    }
    let class = WordClass::of(token);
    if token.shape == Shape::Single {
        // `M. Joël`: a title where a name would start.
        let title =
            first && class.is_some_and(WordClass::is_title) && token_text(tokens, text, at + 1) == ".";
        return if title { None } else { read_initial(tokens, text, at) };
    }
    let mut start = at;
    let mut particle = false;
    if class == Some(WordClass::Particle) {
        start = skip_particles(note, at)?;
        particle = true;
    } else if let Some(next) = joined_by_apostrophe(tokens, text, at).filter(|_| is_elided(token)) {
        start = next;
        particle = true;
    } else if class.is_some_and(|c| c.is_title() || c.is_facility() || c == WordClass::Born && !first) {
        return None;
    }
    let token = &tokens[start];
    if token.shape == Shape::Single {
        // `D'Artagnan`, `L'Hostis`, `O'Brien`: the letter belongs to what its apostrophe joins.
        return joined_by_apostrophe(tokens, text, start)
            .and_then(|next| finish(note, at, next, trust, first, particle));
    }
    finish(note, at, start, trust, first, particle)
}

fn token_text<'a>(tokens: &[Token], text: &'a str, at: usize) -> &'a str {
    tokens.get(at).map_or("", |t| t.of(text))
}

/// The token after one to three particles, if it is a capitalised word.
fn skip_particles(note: &Note, at: usize) -> Option<usize> {
    let (tokens, text) = (&note.tokens, note.norm());
    let mut i = at;
    for _ in 0..3 {
        let token = tokens.get(i)?;
        if WordClass::of(token) != Some(WordClass::Particle) {
            break;
        }
        i += 1;
        if tokens.get(i).is_some_and(|t| t.glued && matches!(t.of(text), "'" | "-")) {
            i += 1;
        }
    }
    let next = tokens.get(i)?;
    // `Le Dr Paul Martin`: an article before a title is no particle.
    let title = WordClass::of(next).is_some_and(WordClass::is_title);
    (i > at && next.kind == Kind::Word && next.is_capitalised() && next.shape != Shape::Single && !title)
        .then_some(i)
}

/// The `d` of `d'Ors`, which is a title in Spanish when it is a capital.
fn is_elided(token: &Token) -> bool {
    token.shape == Shape::Lower && token.end() - token.start() == 1
}

fn joined_by_apostrophe(tokens: &[Token], text: &str, at: usize) -> Option<usize> {
    let mark = tokens.get(at + 1)?;
    let next = tokens.get(at + 2)?;
    (mark.glued && mark.of(text) == "'" && next.glued && next.kind == Kind::Word && next.is_capitalised())
        .then_some(at + 2)
}

fn read_initial(tokens: &[Token], text: &str, at: usize) -> Option<NameUnit> {
    if let Some(next) = joined_by_apostrophe(tokens, text, at) {
        // `D'ALMEIDA` in capitals.
        let token = &tokens[next];
        return Some(NameUnit {
            first: at,
            last: next,
            initial: false,
            upper: token.shape == Shape::Upper,
            particle: false,
            given: token.facts.given_tier(),
            family: token.facts.family_tier().max(2),
            ordinary: false,
            unknown: !token.facts.is_name(),
        });
    }
    // The `E` of "E-mail".
    let mail = tokens.get(at + 1).is_some_and(|t| t.glued && t.of(text) == "-")
        && tokens.get(at + 2).is_some_and(|t| t.glued && t.of(text).eq_ignore_ascii_case("mail"));
    if mail {
        return None;
    }
    let stuck = |t: &Token| {
        t.glued && (t.kind != Kind::Mark || matches!(t.of(text), "º" | "°" | "ª" | "/" | "+" | "%"))
    };
    if tokens.get(at + 1).is_some_and(stuck) {
        return None;
    }
    let mut last = at;
    // `J.`, `J.-P.`, `J-P`, `JP` is no single letter and is read as a word.
    while last - at < MAX_TOKENS {
        if tokens.get(last + 1).is_some_and(|t| t.glued && t.of(text) == ".") {
            last += 1;
        }
        let joined = tokens.get(last + 1).is_some_and(|t| t.glued && t.of(text) == "-")
            && tokens.get(last + 2).is_some_and(|t| t.glued && t.shape == Shape::Single);
        if !joined {
            break;
        }
        last += 2;
    }
    Some(NameUnit {
        first: at,
        last,
        initial: true,
        upper: true,
        particle: false,
        given: 0,
        family: 0,
        ordinary: false,
        unknown: false,
    })
}

/// Reads the word at `start` and what hyphens and apostrophes glue to it.
fn finish(
    note: &Note,
    first: usize,
    start: usize,
    trust: Trust,
    opens: bool,
    particle: bool,
) -> Option<NameUnit> {
    let (tokens, text) = (&note.tokens, note.norm());
    let token = &tokens[start];
    // `OMS2`, `PAX8`: a code, no name.
    if token.shape == Shape::Upper && tokens.get(start + 1).is_some_and(|t| t.glued && t.kind == Kind::Number)
    {
        return None;
    }
    let ends = tokens.get(start + 1).is_none_or(|t| t.kind != Kind::Word);
    let rare_word =
        trust == Trust::Announced && ends && token.facts.word_class() < 2 && !token.facts.is_medical();
    let nickname = is_nickname(note, token);
    // Contact keys after a name, immunoglobulins, greetings.
    let contact = matches!(
        token.of(text),
        "Email"
            | "EMAIL"
            | "Mail"
            | "MAIL"
            | "Tel"
            | "TEL"
            | "Fax"
            | "FAX"
            | "Tlf"
            | "Telf"
            | "Tfno"
            | "IgG"
            | "IgM"
            | "IgA"
            | "IgE"
    ) || trust == Trust::Alone
        && matches!(token.of(text), "Bonjour" | "BONJOUR" | "Bonsoir" | "BONSOIR");
    if contact
        || !token.is_capitalised()
        || !(nickname || may_be_name(token, trust, opens) || rare_word && !is_acronym(token))
    {
        return None;
    }
    let facts = token.facts;
    let mut unit = NameUnit {
        first,
        last: start,
        initial: false,
        upper: token.shape == Shape::Upper,
        particle,
        given: if nickname { 6 } else { facts.given_tier() },
        family: facts.family_tier(),
        ordinary: !nickname && (facts.careful().is_some() || facts.is_country() || facts.is_demonym()),
        unknown: !facts.is_name() && facts.careful().is_none() && !facts.is_town(),
    };
    while let (Some(mark), Some(next)) = (tokens.get(unit.last + 1), tokens.get(unit.last + 2)) {
        let joins = mark.glued && matches!(mark.of(text), "-" | "'") && next.glued && next.kind == Kind::Word;
        if unit.last - start >= MAX_TOKENS
            || !joins
            || !(next.is_capitalised() || WordClass::of(next) == Some(WordClass::Particle))
        {
            break;
        }
        unit.last += 2;
        unit.given = unit.given.max(next.facts.given_tier());
        unit.family = unit.family.max(next.facts.family_tier());
        unit.ordinary &= next.facts.careful().is_some();
        unit.unknown &= !next.facts.is_name() && next.facts.careful().is_none();
    }
    Some(unit)
}

/// `Manolo`, `Encarna`: short forms of given names that no register lists.
pub(crate) fn is_nickname(note: &Note, token: &Token) -> bool {
    matches!(token.shape, Shape::Title | Shape::Upper)
        && token.facts.given_tier() < 4
        && token.facts.word_class() < 3
        && Vocabulary::of(note.language).roles(token_hash(token, note.norm())).has(WordRole::Nickname)
}

fn may_be_name(token: &Token, trust: Trust, opens: bool) -> bool {
    let facts = token.facts;
    if facts.word_class() == 3 && !facts.is_name() {
        return false;
    }
    let named = facts.is_name();
    match (trust, opens) {
        (Trust::Announced, true) => {
            facts.word_class() < 3 || facts.given_tier() >= 4 || facts.family_tier() >= 4
        }
        (Trust::Announced, false) => {
            !facts.is_drug()
                && (facts.family_tier() >= 4 || facts.given_tier() >= 4 || named && !facts.is_medical() || {
                    facts.careful().is_none() && !is_acronym(token)
                })
        }
        (Trust::Alone, true) => {
            !facts.is_drug()
                && !facts.is_eponym()
                && !facts.is_medical()
                && !is_acronym(token)
                && (named && (facts.word_class() < 2 || facts.given_tier() >= 5) || facts.careful().is_none())
        }
        (Trust::Alone, false) => {
            !facts.is_drug()
                && !is_acronym(token)
                && (facts.family_tier() >= 5
                    || named && !facts.is_eponym() && !facts.is_medical() && facts.word_class() < 2
                    || facts.careful().is_none())
        }
    }
}

/// Up to three capitals that no list of names knows.
fn is_acronym(token: &Token) -> bool {
    token.shape == Shape::Upper
        && token.end() - token.start() <= 3
        && token.facts.given_tier() < 3
        && token.facts.family_tier() < 4
}
