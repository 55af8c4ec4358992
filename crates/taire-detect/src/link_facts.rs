//! What a document says for certain of who its patient is: numbers with their key word, names, birth date, sex.
//!
//! Only what joins documents is read, and in doubt nothing is: two different numbers of a kind, several birth dates or
//! given names that do not agree join nobody.

use std::collections::BTreeMap;

use jiff::civil::Date;
use taire_text::{
    Entity, KnownIdentity, Label, Language, Norm, Note, Role, Sex, Source, Span, date, fold, is_placeholder,
};

use crate::metadata::id_label;

/// The systems that number patients. Numbers of different systems do not contradict each other. The order is that of
/// trust: the first names a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NumberKind {
    /// IPP, NIP: a French hospital's own.
    Ipp,
    /// NHC: a Spanish hospital's own.
    Nhc,
    /// A patient number without the name of its system.
    Patient,
    /// CIP, NUHSA, SIP: a health card of Spain.
    Card,
    /// NIR, INS, NSS: social security. Children may go by a parent's.
    Social,
}

impl NumberKind {
    pub const ALL: [NumberKind; 5] =
        [NumberKind::Ipp, NumberKind::Nhc, NumberKind::Patient, NumberKind::Card, NumberKind::Social];

    /// Its usual short name.
    pub fn name(self) -> &'static str {
        match self {
            NumberKind::Ipp => "IPP",
            NumberKind::Nhc => "NHC",
            NumberKind::Patient => "patient number",
            NumberKind::Card => "health card",
            NumberKind::Social => "social security",
        }
    }

    /// Whether it may equal a patient id of a table.
    pub fn is_local(self) -> bool {
        matches!(self, NumberKind::Ipp | NumberKind::Nhc | NumberKind::Patient)
    }

    /// By a folded key word.
    fn of_key(word: &str) -> Option<NumberKind> {
        Some(match word {
            "ipp" | "ippr" | "ippn" | "nip" | "nipp" | "permanent" => NumberKind::Ipp,
            "nhc" | "nhce" | "hc" | "hce" | "historia" | "clinica" => NumberKind::Nhc,
            "cip" | "cipa" | "autcip" | "cips" | "nuhsa" | "sip" | "cite" | "tsi" => NumberKind::Card,
            "nir" | "ins" | "nss" | "nass" | "nuss" | "naf" | "secu" | "sociale" | "social" | "vitale"
            | "afiliacion" => NumberKind::Social,
            "patient" | "patiente" | "paciente" | "identifiant" | "identificador" | "idpat" | "mrn"
            | "pid" => NumberKind::Patient,
            _ => return None,
        })
    }
}

/// A birth date whose year has two digits: `17/02/41` is a day of 1941 or of 2041, and nothing in it tells which.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShortBirth {
    pub year: u8,
    pub month: u8,
    pub day: u8,
}

impl From<Date> for ShortBirth {
    fn from(day: Date) -> ShortBirth {
        let year = day.year().rem_euclid(100).unsigned_abs() as u8;
        ShortBirth { year, month: day.month().unsigned_abs(), day: day.day().unsigned_abs() }
    }
}

impl std::fmt::Debug for ShortBirth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<ShortBirth>")
    }
}

/// What is certain of the patient of one document or of one row. Prints nothing of it.
#[derive(Clone, Default, PartialEq)]
pub struct LinkFacts {
    /// One number of each kind at most, letters and digits only.
    pub numbers: BTreeMap<NumberKind, String>,
    /// Days that the document calls the patient's birth.
    pub births: Vec<Date>,
    /// The same of those that it writes with two digits of the year.
    pub short_births: Vec<ShortBirth>,
    pub sex: Option<Sex>,
    /// Family names, folded, letters only; where there is a birth date and a given name.
    pub family: Vec<String>,
    /// All given names as one, folded, letters only.
    pub given: Option<String>,
}

impl std::fmt::Debug for LinkFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let births = self.births.len() + self.short_births.len();
        write!(f, "LinkFacts({} numbers, {births} births)", self.numbers.len())
    }
}

fn letters(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

impl LinkFacts {
    /// The birth date, where there is one and no other.
    pub fn birth(&self) -> Option<Date> {
        match self.births.as_slice() {
            [only] if self.short_births.iter().all(|short| *short == ShortBirth::from(*only)) => Some(*only),
            _ => None,
        }
    }

    /// The birth date without its century, where there is one and no other.
    pub fn short_birth(&self) -> Option<ShortBirth> {
        match (self.births.as_slice(), self.short_births.as_slice()) {
            ([], [only]) => Some(*only),
            _ => self.birth().map(ShortBirth::from),
        }
    }

    /// The days of birth, without their centuries.
    pub fn all_short_births(&self) -> impl Iterator<Item = ShortBirth> {
        self.births.iter().map(|&day| ShortBirth::from(day)).chain(self.short_births.iter().copied())
    }

    /// The day of birth with the given names and each family name: what may join documents without a number.
    pub fn names_with_birth(&self) -> impl Iterator<Item = (Date, &str, &str)> {
        let sure = self.birth().zip(self.given.as_deref());
        sure.into_iter()
            .flat_map(|(birth, given)| self.family.iter().map(move |f| (birth, given, f.as_str())))
    }

    /// The same without the century: what may join a document to a person whose birth date others write in full.
    pub fn names_with_short_birth(&self) -> impl Iterator<Item = (ShortBirth, &str, &str)> {
        let sure = self.short_birth().zip(self.given.as_deref());
        sure.into_iter()
            .flat_map(|(birth, given)| self.family.iter().map(move |f| (birth, given, f.as_str())))
    }

    /// What a known identity says.
    pub fn of_identity(known: &KnownIdentity) -> LinkFacts {
        let mut facts = LinkFacts { sex: known.sex, ..LinkFacts::default() };
        facts.births.extend(known.birth_date);
        facts.family = known.family_name.iter().chain(&known.birth_name).map(|name| letters(name)).collect();
        facts.given = Some(letters(&known.given_names.concat())).filter(|given| !given.is_empty());
        for (name, value) in &known.ids {
            let kind = match id_label(name) {
                Label::SocialSecurity => Some(NumberKind::Social),
                Label::PatientId => {
                    fold(name).split(|c: char| !c.is_alphanumeric()).find_map(NumberKind::of_key)
                }
                _ => None,
            };
            if let Some((kind, number)) = kind.and_then(|kind| Some((kind, certain_number(kind, value)?))) {
                facts.numbers.insert(kind, number);
            }
        }
        facts.check_social();
        facts.tidy();
        facts
    }

    /// What the entities of a note say, as the rules found them.
    pub fn read(note: &Note, entities: &[Entity]) -> LinkFacts {
        let reader = Reader::new(note, entities);
        let mut facts = LinkFacts { numbers: reader.numbers(), ..LinkFacts::default() };
        let births = reader.births();
        facts.births = births.iter().filter_map(|birth| birth.day).collect();
        facts.short_births =
            births.iter().filter(|birth| birth.day.is_none()).map(|birth| birth.short).collect();
        facts.tidy();
        facts.sex = reader.sex(&births);
        if let (Some(_), Some(first)) = (facts.short_birth(), births.first()) {
            (facts.family, facts.given) = reader.names(first.span);
        }
        facts.check_social();
        facts.tidy();
        facts
    }

    /// Adds what is known beforehand: it is the source's word, and goes before what the text seems to say.
    pub fn and_known(mut self, known: &KnownIdentity) -> LinkFacts {
        let other = LinkFacts::of_identity(known);
        self.numbers.extend(other.numbers);
        if !other.births.is_empty() {
            self.births = other.births;
            self.short_births.clear();
        }
        self.sex = other.sex.or(self.sex);
        if other.given.is_some() {
            self.given = other.given;
            self.family = other.family;
        }
        self
    }

    /// A social security number tells sex, year and month of birth: one that tells others is a parent's.
    fn check_social(&mut self) {
        let Some(number) = self.numbers.get(&NumberKind::Social).filter(|n| n.len() == 13) else { return };
        let digit = |at: usize| number.as_bytes().get(at).map_or(0, |b| i32::from(b.saturating_sub(b'0')));
        let (year, month) = (digit(1) * 10 + digit(2), digit(3) * 10 + digit(4));
        let born = |birth: ShortBirth| {
            i32::from(birth.year) == year && (month > 12 || i32::from(birth.month) == month)
        };
        let mut births = self.all_short_births().peekable();
        let sex = match digit(0) {
            1 => Some(Sex::M),
            2 => Some(Sex::F),
            _ => None,
        };
        let other_sex = sex.zip(self.sex).is_some_and(|(a, b)| a != b);
        if other_sex || births.peek().is_some() && !births.any(born) {
            drop(births);
            self.numbers.remove(&NumberKind::Social);
        }
    }

    fn tidy(&mut self) {
        self.births.sort_unstable();
        self.births.dedup();
        self.short_births.sort_unstable();
        self.short_births.dedup();
        self.family.retain(|name| name.len() > 1);
        self.family.sort_unstable();
        self.family.dedup();
    }
}

/// Letters and digits of a number that can be nobody else's; `None` for what is too short, or no number.
fn certain_number(kind: NumberKind, text: &str) -> Option<String> {
    let plain: String =
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let same = plain.bytes().all(|b| Some(b) == plain.bytes().next());
    let fits = match kind {
        NumberKind::Social => (11..=15).contains(&plain.len()) && digits >= 10,
        _ => (5..=20).contains(&plain.len()) && digits >= 4,
    };
    if !fits || same || is_placeholder(&plain) {
        return None;
    }
    // The key of a NIR is written or not.
    Some(if kind == NumberKind::Social && plain.len() == 15 { plain[..13].to_owned() } else { plain })
}

/// How many lines the patient's name may be away from the birth date; a name of which nothing says whose it is stands on the
/// same line or the next.
const NEAR_LINES: usize = 3;

/// How far before a number its key word is looked for, in characters.
const KEY_REACH: usize = 120;

/// A day that the text calls the patient's birth.
struct WrittenBirth {
    /// `None` where the year has two digits.
    day: Option<Date>,
    short: ShortBirth,
    span: Span<Norm>,
}

struct Reader<'a> {
    note: &'a Note,
    entities: &'a [Entity],
    /// By entity: a relative stands before it on its line.
    after_relative: Vec<bool>,
}

impl<'a> Reader<'a> {
    fn new(note: &'a Note, entities: &'a [Entity]) -> Reader<'a> {
        let mut reader = Reader { note, entities, after_relative: Vec::with_capacity(entities.len()) };
        let mut line_of_relative = None;
        for entity in entities {
            let line = Some(reader.line(entity));
            reader.after_relative.push(line == line_of_relative);
            if entity.label == Label::Kinship || entity.role == Role::Relative {
                line_of_relative = line;
            }
        }
        reader
    }

    fn norm(&self, entity: &Entity) -> Span<Norm> {
        self.note.to_norm(entity.span)
    }

    fn text(&self, entity: &Entity) -> &'a str {
        self.norm(entity).of(self.note.norm())
    }

    fn line(&self, entity: &Entity) -> usize {
        self.note.line_at(self.norm(entity).start())
    }

    /// The entities that may be the patient's own: no relative stands before them on their line.
    fn own(&self, labels: &'static [Label]) -> impl Iterator<Item = &'a Entity> {
        let all = self.entities.iter().zip(&self.after_relative);
        all.filter(move |(e, after_relative)| {
            labels.contains(&e.label) && matches!(e.role, Role::Patient | Role::Unknown) && !**after_relative
        })
        .map(|(e, _)| e)
    }

    /// The words before an entity on its line, nearest first; those of the line above where it begins its line.
    fn words_before(&self, entity: &Entity) -> Vec<String> {
        const REACH: usize = 5;
        let text = self.note.norm();
        let start = self.norm(entity).start();
        let line = self.note.line_at(start);
        let mut before = &text[self.note.line(line).start()..start];
        if before.trim().is_empty() && line > 0 {
            before = self.note.line(line - 1).of(text);
        }
        if let Some((from, _)) = before.char_indices().rev().nth(KEY_REACH) {
            before = &before[from..];
        }
        let dotted: String = fold(before).replace('.', "");
        let words = dotted.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
        words.rev().take(REACH).map(str::to_owned).collect()
    }

    fn numbers(&self) -> BTreeMap<NumberKind, String> {
        let mut all: BTreeMap<NumberKind, Option<String>> = BTreeMap::new();
        for entity in self.own(&[Label::PatientId, Label::SocialSecurity]) {
            let sure = [Source::Structure, Source::Pattern, Source::Metadata];
            if !sure.iter().any(|&source| entity.sources.contains(source)) {
                continue;
            }
            let words = self.words_before(entity);
            let Some(kind) = words.iter().find_map(|word| NumberKind::of_key(word)) else { continue };
            if (kind == NumberKind::Social) != (entity.label == Label::SocialSecurity) {
                continue;
            }
            let Some(number) = certain_number(kind, self.text(entity)) else { continue };
            let slot = all.entry(kind).or_insert_with(|| Some(number.clone()));
            if slot.as_ref() != Some(&number) {
                *slot = None;
            }
        }
        all.into_iter().filter_map(|(kind, number)| Some((kind, number?))).collect()
    }

    /// Days of birth, each with its place.
    fn births(&self) -> Vec<WrittenBirth> {
        let day = |entity: &Entity| {
            let (value, _) = date::parse(self.text(entity), self.note.language)?;
            let (month, day) = (i8::try_from(value.month?).ok()?, i8::try_from(value.day?).ok()?);
            // Which century does not matter, but for the days of February: 2000 has all of them.
            let year = value.year? + if value.two_digit_year { 2000 } else { 0 };
            let date = Date::new(year, month, day).ok()?;
            let (short, span) = (ShortBirth::from(date), self.norm(entity));
            Some(WrittenBirth { day: Some(date).filter(|_| !value.two_digit_year), short, span })
        };
        self.own(&[Label::BirthDate]).filter_map(day).collect()
    }

    /// Family names and given names near the birth date; no given name where they do not agree.
    fn names(&self, birth: Span<Norm>) -> (Vec<String>, Option<String>) {
        let at = self.note.line_at(birth.start());
        let near = |e: &&Entity| {
            let certain = e.sources.contains(Source::Structure) || e.sources.contains(Source::Metadata);
            let lines = if e.role == Role::Patient { NEAR_LINES } else { 1 };
            certain && self.line(e).abs_diff(at) <= lines
        };
        let (mut family, mut given) = (Vec::new(), Vec::new());
        for entity in self.own(&[Label::FamilyName, Label::GivenName]).filter(near) {
            let name = letters(self.text(entity));
            match entity.label {
                Label::FamilyName => family.push(name),
                _ => given.push(name),
            }
        }
        let longest = given.iter().max_by_key(|name| name.len()).cloned();
        let agree = longest.as_ref().is_some_and(|l| given.iter().all(|name| l.contains(name.as_str())));
        (family, longest.filter(|name| agree && name.len() > 1))
    }

    fn sex(&self, births: &[WrittenBirth]) -> Option<Sex> {
        let written = self.own(&[Label::Sex]).filter(|e| e.role == Role::Patient);
        let mut all: Vec<Sex> = written.filter_map(|e| sex_word(self.text(e), self.note.language)).collect();
        if let [WrittenBirth { span: birth, .. }] = births {
            let text = &self.note.norm()[..birth.start()];
            let start = self.note.line(self.note.line_at(birth.start())).start();
            let before = text[start..].to_lowercase();
            let words: Vec<&str> =
                before.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()).collect();
            all.extend(words.iter().rev().take(3).find_map(|word| match *word {
                "née" | "nacida" => Some(Sex::F),
                "né" | "nacido" if !before.contains("né(e") && !before.contains("nacido/a") => Some(Sex::M),
                _ => None,
            }));
        }
        let first = *all.first()?;
        all.iter().all(|sex| *sex == first).then_some(first)
    }
}

/// `M` is a man in French and a woman or a man in Spanish.
fn sex_word(text: &str, language: Language) -> Option<Sex> {
    match fold(text).as_str() {
        "f" | "feminin" | "femme" | "femenino" | "mujer" | "hembra" | "fille" | "nina" => Some(Sex::F),
        "h" | "v" | "homme" | "hombre" | "varon" | "masculin" | "masculino" | "garcon" | "nino" => {
            Some(Sex::M)
        }
        "m" if language == Language::Fr => Some(Sex::M),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Score, SourceSet};

    fn facts(text: &str, marks: &[(&str, Label)]) -> LinkFacts {
        let note = Note::builder("a", text).language(Some(Language::Fr)).build().unwrap();
        let mut from = 0;
        let entities: Vec<Entity> = marks
            .iter()
            .map(|&(mark, label)| {
                let start = from + text[from..].find(mark).unwrap();
                from = start + mark.len();
                Entity {
                    span: Span::new(start, from),
                    label,
                    role: if label == Label::Kinship { Role::Relative } else { Role::Patient },
                    score: Score::CERTAIN,
                    sources: SourceSet::from_iter([Source::Structure]),
                    doubtful_value: false,
                    mentions: Vec::new(),
                }
            })
            .collect();
        LinkFacts::read(&note, &entities)
    }

    #[test]
    fn an_identity_block_is_read_and_a_relative_is_not() {
        let read = facts(
            "Mme Aldegonde KERVADEC\nnée le 17/02/1941\nI.P.P. : 80 04 17\n\n\nMère : Jeanne LE BIHAN née le 01/01/1920",
            &[
                ("Aldegonde", Label::GivenName),
                ("KERVADEC", Label::FamilyName),
                ("17/02/1941", Label::BirthDate),
                ("80 04 17", Label::PatientId),
                ("Mère", Label::Kinship),
                ("Jeanne", Label::GivenName),
                ("LE BIHAN", Label::FamilyName),
                ("01/01/1920", Label::BirthDate),
            ],
        );
        assert_eq!(read.numbers, [(NumberKind::Ipp, "800417".to_owned())].into());
        assert_eq!((read.births.len(), read.sex), (1, Some(Sex::F)));
        let names: Vec<_> = read.names_with_birth().collect();
        assert_eq!(names, [(Date::constant(1941, 2, 17), "aldegonde", "kervadec")]);
        assert_eq!(format!("{read:?}"), "LinkFacts(1 numbers, 1 births)");
    }

    #[test]
    fn a_two_digit_year_tells_no_century() {
        let names = [
            ("Aldegonde", Label::GivenName),
            ("KERVADEC", Label::FamilyName),
            ("LE BIHAN", Label::FamilyName),
        ];
        let text = "Mme Aldegonde KERVADEC née LE BIHAN, née le 17/02/41";
        let read = facts(text, &[names[0], names[1], names[2], ("17/02/41", Label::BirthDate)]);
        assert_eq!((read.birth(), read.sex), (None, Some(Sex::F)));
        let full = ShortBirth::from(Date::constant(1941, 2, 17));
        let found: Vec<_> = read.names_with_short_birth().collect();
        assert_eq!(found, [(full, "aldegonde", "kervadec"), (full, "aldegonde", "lebihan")]);
        assert!(read.names_with_birth().next().is_none());
        let other = facts(
            "Mme Aldegonde KERVADEC née le 17/02/1941\nnée le 18/02/41",
            &[names[0], names[1], ("17/02/1941", Label::BirthDate), ("18/02/41", Label::BirthDate)],
        );
        assert!(other.names_with_short_birth().next().is_none(), "two different days");
    }

    #[test]
    fn what_is_doubtful_joins_nobody() {
        let two =
            facts("IPP 800417\nIPP 900417", &[("800417", Label::PatientId), ("900417", Label::PatientId)]);
        assert!(two.numbers.is_empty());
        let no_key = facts("800417", &[("800417", Label::PatientId)]);
        assert!(no_key.numbers.is_empty());
        let parent = facts(
            "Né le 03/05/2015\nNIR 2 80 02 29 019 123",
            &[("03/05/2015", Label::BirthDate), ("2 80 02 29 019 123", Label::SocialSecurity)],
        );
        assert!(parent.numbers.is_empty(), "a child's letter with the mother's number");
        assert!(facts("IPP 00000", &[("00000", Label::PatientId)]).numbers.is_empty());
    }
}
