//! The lexicon detector: names, towns, countries and facilities by lists, triggers and neighbours.
//!
//! One pass over the tokens. A word on a list of names counts by itself only if it is nothing else; a word that is
//! also common, a drug or an eponym needs a title or a name beside it. After "maladie de", "score de" a name
//! is an eponym and is declared clear.

use std::sync::LazyLock;

use taire_lexicon::{Facility, Lexicon, PlaceKind};
use taire_text::{Calendar, Kind, Label, Language, Mention, Note, Role, Shape, Source, Token, fold};

use crate::citations::citations;
use crate::details::{Detail, Reading};
use crate::facilities::{abbreviated, acronym_after, facility};
use crate::folded::{WordSet, token_hash};
use crate::names::{NameUnit, Order, Run, Trust, is_nickname};
use crate::organisations::organisation;
use crate::places::{code_after, code_before, town};
use crate::words::{WordClass, is_office, medical_name};
use crate::{Detector, Error};

/// Finds by what words are and what is beside them.
#[derive(Debug, Default)]
pub struct Lexical;

impl Detector for Lexical {
    fn source(&self) -> Source {
        Source::Lexicon
    }

    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), Error> {
        for (note, out) in notes.iter().zip(out) {
            citations(note, out);
            Reader { note, lexicon: Lexicon::of(note.language), run: Run::default(), out }.read();
        }
        Ok(())
    }
}

struct Reader<'a> {
    note: &'a Note,
    lexicon: &'static Lexicon,
    run: Run,
    out: &'a mut Vec<Mention>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let french = self.note.language == Language::Fr;
        let mut i = 0;
        while let Some(token) = self.note.tokens.get(i)
            && !self.note.is_cancelled()
        {
            let says_nothing = french && token.facts.keyword() == 0 && !token.is_capitalised();
            if token.kind != Kind::Word || says_nothing {
                i += 1;
                continue;
            }
            i = match WordClass::of(token) {
                Some(class)
                    if class.is_title()
                        && !(token.shape == Shape::Lower && token.end() - token.start() == 1) =>
                {
                    self.title(i, class)
                }
                Some(WordClass::RoleWord) => self.role_word(i, Role::Caregiver),
                Some(WordClass::PatientWord) => self.role_word(i, Role::Patient),
                Some(WordClass::Kinship) => self.kinship(i),
                Some(WordClass::SexWord) => self.sex_word(i),
                Some(WordClass::EponymHead) => self.eponym(i),
                Some(WordClass::DetailHead) => self.detail(Reading { note: self.note }.announced(i), i),
                Some(WordClass::DetailWord) => self.detail(Reading { note: self.note }.status(i), i),
                Some(class) if class.is_facility() => match facility(self.note, self.lexicon, i, class) {
                    Some((mention, next)) => {
                        self.acronym(&mention, next);
                        self.out.push(mention);
                        next
                    }
                    None => self.organisation(i).unwrap_or(i + 1),
                },
                _ if token.is_capitalised() => self.capitalised(i),
                _ if self.note.language == Language::Es => {
                    self.detail(Reading { note: self.note }.bare(i), i)
                }
                _ => i + 1,
            };
        }
    }

    fn title(&mut self, at: usize, class: WordClass) -> usize {
        let note = self.note;
        let (tokens, text) = (&note.tokens, note.norm());
        let mut next = at + 1;
        let short = tokens[at].shape == Shape::Single;
        let mut dotted = false;
        while tokens.get(next).is_some_and(|t| t.glued && matches!(t.of(text), "." | "ª" | "º" | "ª.")) {
            dotted = true;
            next += 1;
        }
        // `(a)`, `/a` of "Dr./Dra." and a second title: "M. le Docteur", "Monsieur le Pr".
        let joins = |t: &Token| matches!(t.of(text), "le" | "la" | "/" | "et" | "el");
        if tokens.get(next).is_some_and(joins) && self.title_follows(next + 1) {
            return next + 1;
        }
        if tokens
            .get(next)
            .is_some_and(|t| WordClass::of(t).is_some_and(WordClass::is_title) && t.shape != Shape::Single)
        {
            return next;
        }
        if short && note.language == Language::Es && !dotted {
            return at + 1;
        }
        if tokens.get(next + 1).is_some_and(|t| joins(&tokens[next]) && is_office(t.of(text))) {
            return next + 2;
        }
        if tokens.get(next + 1).is_some_and(|t| matches!(t.of(text), "®" | "™")) {
            return next;
        }
        self.run.read(note, next, Trust::Announced);
        if self.run.units.is_empty() {
            return self.lower_case_name(at, next, class);
        }
        if short && !dotted && self.run.units.len() == 1 && self.run.units[0].initial {
            return at + 1;
        }
        if self.run.units.iter().all(|u| u.initial) && short && !dotted {
            return at + 1;
        }
        let role = match class {
            WordClass::TitleCaregiver | WordClass::TitleCaregiverFemale => Role::Caregiver,
            _ => Role::Unknown,
        };
        let score = if short && !dotted { 0.8 } else { 0.95 };
        self.emit(Order::Free, role, score, "after a title");
        self.run.last() + 1
    }

    fn title_follows(&self, at: usize) -> bool {
        self.note.tokens.get(at).is_some_and(|t| WordClass::of(t).is_some_and(WordClass::is_title))
    }

    /// `mme dupont`, typed without capitals: only words that are names and nothing else.
    fn lower_case_name(&mut self, at: usize, next: usize, class: WordClass) -> usize {
        let note = self.note;
        let Some(token) = note.tokens.get(next) else { return next };
        let facts = token.facts;
        if token.kind == Kind::Word
            && token.shape == Shape::Lower
            && note.tokens[at].shape != Shape::Single
            && facts.is_name()
            && facts.careful().is_none()
            && token.end() - token.start() >= 4
        {
            let label =
                if facts.given_tier() > facts.family_tier() { Label::GivenName } else { Label::FamilyName };
            let role = if class == WordClass::TitleCaregiver { Role::Caregiver } else { Role::Unknown };
            let mention = Mention::phi(
                note.raw_of_tokens(next, next),
                label,
                0.75,
                Source::Lexicon,
                "name in lower case after a title",
            );
            self.out.push(mention.with_role(role));
            return next + 1;
        }
        next.max(at + 1)
    }

    fn role_word(&mut self, at: usize, role: Role) -> usize {
        let (tokens, text) = (&self.note.tokens, self.note.norm());
        let mut next = at + 1;
        while tokens
            .get(next)
            .is_some_and(|t| matches!(t.of(text), ":" | "(" | "," | "." | "traitant" | "referent"))
        {
            next += 1;
        }
        // A colon announces who it is.
        let colon = next > at + 1 && tokens[at + 1].of(text) == ":";
        // "le cadre de Mayfield"
        let name = next + usize::from(tokens.get(next).is_some_and(|t| t.of(text) == "de"));
        if !colon && self.note.language == Language::Fr && medical_name(self.note, name).is_some() {
            return name;
        }
        self.run.read(self.note, next, if colon { Trust::Announced } else { Trust::Alone });
        let full = self.run.units.iter().filter(|u| !u.initial).count();
        let known =
            self.run.units.iter().any(|u| !u.initial && !u.unknown && (!u.ordinary || u.is_frequent_given()));
        if full == 0 || !known {
            return at + 1;
        }
        self.emit(Order::Free, role, 0.8, "after a word for a person");
        self.run.last() + 1
    }

    /// The acronym of a facility stands for it.
    fn acronym(&mut self, of: &Mention, next: usize) {
        let at = acronym_after(self.note, next).filter(|_| self.note.language == Language::Es);
        if let (Some(at), Some(label)) = (at, of.label()) {
            let span = self.note.raw_of_tokens(at, at);
            let why = "acronym of the facility before it";
            self.out.push(Mention::phi(span, label, of.score.get(), Source::Lexicon, why));
        }
    }

    fn organisation(&mut self, at: usize) -> Option<usize> {
        let spanish = self.note.language == Language::Es && self.note.tokens[at].is_capitalised();
        let (mention, next) = organisation(self.note, at).filter(|_| spanish)?;
        self.out.push(mention);
        Some(next)
    }

    fn detail(&mut self, detail: Option<Detail>, at: usize) -> usize {
        let Some(Detail { first, last, label, score, why }) = detail else { return at + 1 };
        let role = if matches!(label, Label::Kinship | Label::Age) { Role::Relative } else { Role::Patient };
        let span = self.note.raw_of_tokens(first, last);
        self.out.push(Mention::phi(span, label, score, Source::Lexicon, why).with_role(role));
        last + 1
    }

    fn kinship(&mut self, at: usize) -> usize {
        let note = self.note;
        let at = if note.language == Language::Es {
            let reading = Reading { note };
            let Some(relative) = reading.relative(at) else { return at + 1 };
            self.detail(Some(relative), at);
            if relative.label != Label::Kinship {
                return relative.last + 1;
            }
            for age in reading.relatives_ages(relative.last) {
                self.detail(Some(age), at);
            }
            relative.last
        } else {
            let span = note.raw_of_tokens(at, at);
            let why = "word for a relative";
            self.out.push(
                Mention::phi(span, Label::Kinship, 0.6, Source::Lexicon, why).with_role(Role::Relative),
            );
            at
        };
        // "sa fille Rose", "Rose, son épouse": a given name counts even if it is also a word.
        let given = |t: &Token| {
            let unlisted = note.language == Language::Es
                && t.shape == Shape::Title
                && (is_nickname(note, t) || t.facts.bits() == 0);
            t.is_capitalised() && t.shape != Shape::Single && (t.facts.given_tier() >= 4 || unlisted)
        };
        if note.tokens.get(at + 1).is_some_and(given) {
            self.run.read(note, at + 1, Trust::Announced);
            if !self.run.units.is_empty() {
                self.emit(Order::GivenFirst, Role::Relative, 0.75, "given name after a word for a relative");
                return self.run.last() + 1;
            }
        }
        if at >= 3
            && matches!(note.tokens[at - 1].of(note.norm()), "son" | "sa" | "su")
            && note.tokens[at - 2].of(note.norm()) == ","
            && given(&note.tokens[at - 3])
        {
            let span = note.raw_of_tokens(at - 3, at - 3);
            let why = "given name before a word for a relative";
            self.out.push(
                Mention::phi(span, Label::GivenName, 0.75, Source::Lexicon, why).with_role(Role::Relative),
            );
        }
        self.role_word(at, Role::Relative)
    }

    fn sex_word(&mut self, at: usize) -> usize {
        let span = self.note.raw_of_tokens(at, at);
        self.out.push(
            Mention::phi(span, Label::Sex, 0.6, Source::Lexicon, "word for a sex").with_role(Role::Patient),
        );
        at + 1
    }

    /// "maladie de Charcot-Marie-Tooth", "score de Glasgow": the capitalised words are clear.
    fn eponym(&mut self, at: usize) -> usize {
        let note = self.note;
        let (tokens, text) = (&note.tokens, note.norm());
        let mut i = at + 1;
        let mut first = None;
        let mut last = at;
        let mut grade = false;
        let thing = is_thing(tokens[at].of(text));
        let given = |t: &Token| t.facts.given_tier() >= 4 && t.facts.careful().is_none();
        while let Some(token) = tokens.get(i).filter(|_| i <= at + 14) {
            let word = token.of(text);
            match token.kind {
                // "triangle de Jean-Louis Petit"
                Kind::Word
                    if thing
                        && token.shape == Shape::Title
                        && last + 1 == i
                        && first.is_some_and(|f| tokens[f..i].iter().any(|t| t.facts.given_tier() >= 4))
                        && tokens[last].shape == Shape::Title =>
                {
                    last = i;
                }
                // "type A d'Antoni", "stade 2 de Sarnat", "classe II Lucas"
                Kind::Word | Kind::Number if i == at + 1 && is_grade(token, word) => grade = true,
                Kind::Word
                    if WordClass::of(token).is_some_and(|c| c.is_title() && token.shape != Shape::Single) =>
                {
                    break;
                }
                // After an eponym only another goes on, or what a hyphen joins: "maladie de Charcot DUPONT".
                Kind::Word
                    if token.is_capitalised()
                        && first.is_some()
                        && !token.glued
                        && !token.facts.is_eponym() =>
                {
                    break;
                }
                Kind::Word if token.is_capitalised() => {
                    first.get_or_insert(i);
                    last = i;
                }
                Kind::Word
                    if WordClass::of(token) == Some(WordClass::Particle)
                        || matches!(word, "et" | "selon" | "of") => {}
                // An adjective between head and name: "maladie auto-immune de Basedow".
                Kind::Word if first.is_none() && i <= at + 3 && token.shape == Shape::Lower => {}
                Kind::Mark if matches!(word, "-" | "'" | "/") => {}
                _ => break,
            }
            i += 1;
        }
        // "en classe de Martin"
        if !grade && matches!(tokens[at].of(text), "classe" | "Classe" | "CLASSE") {
            return at + 1;
        }
        // Without a name the grade itself is what is meant: "hépatite de type A".
        let first = match first {
            None if grade && tokens[at + 1].kind == Kind::Word => {
                last = at + 1;
                at + 1
            }
            None => return at + 1,
            Some(first) => first,
        };
        // A given name makes it a person again: "la maladie de Jean DUPONT".
        let person = tokens[first..=last].iter().any(given)
            && last > first
            && !tokens[first..=last].iter().any(|t| t.facts.is_eponym());
        // "Jean DUPONT"
        let full = tokens[last].facts.given_tier() >= 5
            && tokens[last].shape == Shape::Title
            && !tokens[last].facts.is_eponym()
            && tokens.get(last + 1).is_some_and(|t| t.shape == Shape::Upper && !t.facts.is_eponym());
        if person && !thing || full {
            return at + 1;
        }
        let span = note.raw_of_tokens(first, last);
        // A patient may bear the name of a disease: the disease stays one.
        let known = tokens[first..=last].iter().any(|t| t.facts.is_eponym());
        let score = if known || thing { 0.97 } else { 0.85 };
        self.out.push(Mention::clear(span, score, Source::Lexicon, "eponym after a medical word"));
        last + 1
    }

    /// `COLLIN, COLLIN Yves`: the name at birth and the name in use, then the given names.
    fn doubled(&mut self, at: usize) -> Option<usize> {
        let (tokens, text) = (&self.note.tokens, self.note.norm());
        let token = &tokens[at];
        let comma = usize::from(tokens.get(at + 1)?.of(text) == ",");
        let again = tokens.get(at + 1 + comma)?;
        let same = again.kind == Kind::Word
            && token.shape != Shape::Single
            && token.end() - token.start() >= 3
            && again.of(text) == token.of(text);
        let given = tokens.get(at + 2 + comma)?;
        if !same || given.kind != Kind::Word || !given.is_capitalised() || again.facts.word_class() == 3 {
            return None;
        }
        self.run.read(self.note, at + 2 + comma, Trust::Announced);
        let last = self.run.units.last()?.last;
        let why = "the same name twice: at birth and in use";
        for i in [at, at + 1 + comma] {
            let span = self.note.raw_of_tokens(i, i);
            self.out.push(Mention::phi(span, Label::FamilyName, 0.9, Source::Lexicon, why));
        }
        let initials = self.run.units.iter().all(|u| u.initial);
        let label = if initials { Label::Initials } else { Label::GivenName };
        let span = self.note.raw_of_tokens(at + 2 + comma, last);
        self.out.push(Mention::phi(span, label, 0.9, Source::Lexicon, "after a name given twice"));
        Some(last + 1)
    }

    /// `née QUERROUIL`, `épouse QUERROUIL`: the other family name, on whatever list it is or is not.
    fn other_name(&mut self, at: usize) -> Option<usize> {
        let note = self.note;
        let shouting = announces_other_name(note, at)?;
        self.run.read(note, at, Trust::Announced);
        let first = self.run.units.first()?;
        let token = &note.tokens[first.last];
        let facts = token.facts;
        let word = facts.word_class() > 0 || facts.is_medical() || facts.is_drug() || facts.is_country();
        let place = facts.is_town() && facts.family_tier() < 3;
        if first.initial
            || token.shape == Shape::Single
            || token.end() - token.start() < 3
            || token.calendar == Calendar::Yes
            || (word || place) && (shouting || facts.family_tier() < 3)
        {
            return None;
        }
        let upper = first.upper;
        let goes_on = |u: &NameUnit| !shouting && !u.initial && (upper || !u.upper);
        let kept = 1 + self.run.units[1..].iter().take_while(|u| goes_on(u)).count();
        self.run.units.truncate(kept);
        self.run.comma = None;
        self.emit(Order::FamilyFirst, Role::Unknown, 0.85, "after a word for another family name");
        Some(self.run.last() + 1)
    }

    fn capitalised(&mut self, at: usize) -> usize {
        let note = self.note;
        if let Some(next) = self.other_name(at) {
            return next;
        }
        if note.language == Language::Es {
            if is_scale(note, at) {
                let span = note.raw_of_tokens(at, at);
                self.out.push(Mention::clear(span, 0.92, Source::Lexicon, "acronym of a scale or a test"));
                return at + 1;
            }
            if let Some((mention, next)) = abbreviated(note, self.lexicon, at) {
                self.out.push(mention);
                return next;
            }
            if let Some(next) = self.organisation(at) {
                return next;
            }
        } else if let Some(next) = self.doubled(at) {
            return next;
        } else if is_scale(note, at) && after_science(note, at) {
            let span = note.raw_of_tokens(at, at);
            self.out.push(Mention::clear(span, 0.995, Source::Lexicon, "acronym of a scale or a test"));
            return at + 1;
        } else if let Some((last, why)) = medical_name(note, at) {
            self.out.push(Mention::clear(note.raw_of_tokens(at, last), 0.94, Source::Lexicon, why));
            return last + 1;
        }
        if let Some((mention, next)) = town(note, self.lexicon, at) {
            self.out.push(mention);
            self.out.extend(code_before(note, self.lexicon, at));
            self.out.extend(code_after(note, self.lexicon, at, next));
            return next;
        }
        if note.tokens[at].facts.starts_facility()
            && let Some((taken, facility)) = self.lexicon.longest_facility(note.norm(), &note.tokens, at)
        {
            let label = match facility {
                Facility::Hospital => Label::Hospital,
                Facility::HealthCentre => Label::HealthCentre,
                Facility::Institution => Label::Institution,
            };
            let span = note.raw_of_tokens(at, at + taken - 1);
            self.out.push(Mention::phi(span, label, 0.8, Source::Lexicon, "well-known facility"));
            return at + taken;
        }
        if note.tokens[at].shape != Shape::Single
            && let Some((taken, place)) = self.lexicon.longest_place(note.norm(), &note.tokens, at)
        {
            let label = match place.kind {
                PlaceKind::Country => Label::Country,
                _ => Label::Region,
            };
            let span = note.raw_of_tokens(at, at + taken - 1);
            self.out.push(Mention::phi(span, label, 0.8, Source::Lexicon, "name of a country or region"));
            return at + taken;
        }
        if note.language == Language::Es && is_called(note, at) {
            let span = note.raw_of_tokens(at, at);
            let why = "given name after a verb of speaking to somebody";
            self.out.push(Mention::phi(span, Label::GivenName, 0.7, Source::Lexicon, why));
        }
        self.run.read(note, at, Trust::Alone);
        if self.run.units.is_empty() {
            return at + 1;
        }
        let score = self.run.plausibility();
        if score >= 0.3 {
            self.emit(Order::Free, Role::Unknown, score, "given and family name side by side");
            return self.run.last() + 1;
        }
        at + 1
    }

    fn emit(&mut self, order: Order, role: Role, score: f32, why: &'static str) {
        for (span, label) in self.run.split(self.note, order) {
            self.out.push(Mention::phi(span, label, score, Source::Lexicon, why).with_role(role));
        }
    }
}

/// Whether `née`, `ép.`, `viuda de` or the like ends right before a token, and whether it is in capitals.
fn announces_other_name(note: &Note, at: usize) -> Option<bool> {
    static BIRTH: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&["nee"]));
    static MARRIAGE: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&["epouse veuve vve"]));
    static WIDOW: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&["viuda vda"]));
    let (tokens, text) = (&note.tokens, note.norm());
    let mut i = at.checked_sub(1)?;
    let mut dotted = false;
    while tokens[i].kind == Kind::Mark && matches!(tokens[i].of(text), "." | ":") {
        dotted |= tokens[i].of(text) == ".";
        i = i.checked_sub(1)?;
    }
    if note.language == Language::Es {
        let de = i.checked_sub(1).filter(|_| tokens[i].of(text) == "de")?;
        let word = &tokens[de - usize::from(de > 0 && tokens[de].of(text) == ".")];
        return (word.kind == Kind::Word && WIDOW.has(token_hash(word, text))).then_some(false);
    }
    let token = &tokens[i];
    if token.kind != Kind::Word || at - i > 2 {
        return None;
    }
    let hash = token_hash(token, text);
    let short = token.end() - token.start() <= 3;
    let shouting = token.shape == Shape::Upper;
    if dotted && !short {
        return None;
    }
    if BIRTH.has(hash) {
        return Some(shouting);
    }
    let marriage = MARRIAGE.has(hash) || dotted && matches!(token.of(text), "ép" | "ep" | "Ep" | "Ép");
    // "son épouse Martine" is a given name, "Mme KERFOURN épouse QUERROUIL" is not.
    let named = i
        .checked_sub(1)
        .is_some_and(|b| tokens[b].is_capitalised() || matches!(tokens[b].of(text), "(" | "," | ")" | "/"));
    (marriage && named && !(tokens[at].shape == Shape::Title && tokens[at].facts.given_tier() >= 4))
        .then_some(shouting)
}

/// A part of the body, an instrument or a method, which no patient gives a name to: what follows is an eponym even if it holds a
/// given name.
fn is_thing(word: &str) -> bool {
    matches!(
        word,
        "triangle"
            | "trigone"
            | "ligament"
            | "triangulo"
            | "ligamento"
            | "clamp"
            | "ecarteur"
            | "écarteur"
            | "pessaire"
            | "têtière"
            | "méthode"
            | "methode"
            | "classification"
    )
}

/// `2`, `A`, `IV`: how far or which, between a head and its eponym.
fn is_grade(token: &Token, word: &str) -> bool {
    match token.kind {
        Kind::Number => word.len() <= 2,
        _ => {
            token.shape == Shape::Single && word.is_ascii()
                || token.shape == Shape::Upper && word.len() <= 4 && word.bytes().all(|b| b"IVX".contains(&b))
        }
    }
}

/// "EVA 7/10", "IgG ELISA": acronyms that are given names too, in a line that is not all in capitals.
fn is_scale(note: &Note, at: usize) -> bool {
    let (tokens, text) = (&note.tokens, note.norm());
    let token = &tokens[at];
    if token.shape != Shape::Upper || !matches!(token.of(text), "EVA" | "ELISA" | "ROSA" | "ALMA" | "LOLA") {
        return false;
    }
    let near = |i: usize| tokens.get(i).filter(|t| t.kind == Kind::Word);
    let named = |i: usize| {
        near(i).is_some_and(|t| t.is_capitalised() && t.facts.is_name() && t.facts.careful().is_none())
    };
    let title = at > 0
        && (near(at - 1).and_then(WordClass::of).is_some_and(WordClass::is_title)
            || at > 1 && near(at - 2).and_then(WordClass::of).is_some_and(WordClass::is_title));
    let key = at > 0 && tokens[at - 1].of(text) == ":";
    let shouts = |i: usize| near(i).is_some_and(|t| t.shape == Shape::Upper);
    !title && !key && !named(at + 1) && !(at > 0 && (named(at - 1) || shouts(at - 1))) && !shouts(at + 1)
}

/// "(ELISA", "par ELISA", "technique ELISA": contexts of an acronym, not of a name.
fn after_science(note: &Note, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |i| note.tokens[i].of(note.norm()));
    matches!(
        before,
        "(" | "par" | "en" | "technique" | "test" | "méthode" | "kit" | "type" | "sérologie" | "dosage"
    )
}

/// "Llamar a Pilar", "hablado con Dolores": somebody, though the word is also a thing.
fn is_called(note: &Note, at: usize) -> bool {
    let (tokens, text) = (&note.tokens, note.norm());
    let token = &tokens[at];
    if token.shape != Shape::Title || token.facts.given_tier() < 5 || at < 2 {
        return false;
    }
    let verb = fold(tokens[at - 2].of(text));
    matches!(tokens[at - 1].of(text), "a" | "con")
        && ["llam", "avis", "habl", "coment", "inform", "contact", "cita", "pregunt"]
            .iter()
            .any(|stem| verb.starts_with(stem))
}
