//! Who is who: names grouped into mentions, mentions into persons, and every part of a name renamed.
//!
//! Neighbouring `GivenName`, `FamilyName` and `Initials` entities make one mention. Each word of it is brought to
//! its canonical form: a name of the known identity first (case, accents, hyphens aside, and one typing error from
//! six letters on), else the whole name that a familiar form is short for, where the document or the record has it (`Trini`
//! beside `Trinidad`), else a more frequent form of the same document one typing error away. The canonical word is
//! what the key sees, so every form of a name gives the same surrogate. Persons serve to find a gender for initials
//! and ambiguous names, and to number tags, and to tell staff, whose names are drawn once for the release, from patients and
//! their relatives.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use taire_text::{
    Entity, Gender, Identity, KnownIdentity, Label, Language, Note, Role, Sex, fold, fold_hash,
};

use crate::names::{NameKind, Names, gender_by_letter};
use crate::person_index::{NameQuery, PersonIndex};
use crate::pools;
use crate::shape;
use crate::words::{self, Piece};

/// What a word of a name is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Family,
    Given,
    FamilyLetter,
    GivenLetter,
    /// A title or a particle: written as it was.
    Kept,
    /// A particle inside a given name (`María del Carmen`): goes with the name.
    Dropped,
}

struct NameWord {
    /// Which entity of the note.
    entity: usize,
    /// Where in the entity's text.
    range: std::ops::Range<usize>,
    part: Part,
    /// Folded, then canonical.
    canonical: String,
}

struct Mention {
    words: Vec<NameWord>,
    title: Option<Gender>,
    person: usize,
    /// The strongest of its entities' roles.
    role: Role,
    /// A title of a caregiver stands before it or in it.
    of_caregiver: bool,
}

struct Person {
    families: BTreeSet<String>,
    givens: Vec<String>,
    sex: Option<Gender>,
    known: bool,
    role: Role,
}

impl Person {
    fn unknown() -> Person {
        Person { families: BTreeSet::new(), givens: Vec::new(), sex: None, known: false, role: Role::Unknown }
    }
}

/// One person's name is no longer than this many findings, and one person has no more names: a text made of names is a
/// register, which must not take time with the square of its length.
const MOST_MEMBERS: usize = 32;
const MOST_NAMES: usize = 64;
/// How many forms of one length less a letter a word is compared with.
const MOST_ALIKE: usize = 64;
/// As few words are compared one by one.
const FEW_WORDS: usize = 64;
/// The longest name that is looked for inside other words, in bytes.
const LONGEST_NAME: usize = 64;

/// The forms of a note's names and how often each is written, looked up by what is left of them when one letter goes.
struct Forms<'a> {
    all: Vec<(&'a str, usize)>,
    /// Hashes of the forms and of the forms less one letter; empty where there are few forms.
    shorter: Vec<(u64, u32)>,
}

impl<'a> Forms<'a> {
    fn new(counts: &'a BTreeMap<String, usize>) -> Forms<'a> {
        // A form becomes a more frequent one, so those that are written once are nobody's.
        let often = counts.iter().filter(|(_, n)| **n > 1);
        let all: Vec<(&str, usize)> = often.map(|(form, &n)| (form.as_str(), n)).collect();
        let mut shorter = Vec::new();
        if all.len() > FEW_WORDS {
            for (i, (form, _)) in all.iter().enumerate() {
                less_one_letter(form, |hash| shorter.push((hash, i as u32)));
            }
            shorter.sort_unstable();
        }
        Forms { all, shorter }
    }

    /// The forms one typing error away, some of them more than once. Two such words are alike once a letter of each, or of
    /// one, goes.
    fn one_edit_away<'b>(&'b self, form: &'b str) -> impl Iterator<Item = (&'a str, usize)> + 'b {
        let mut near: Vec<u32> = Vec::new();
        if self.shorter.is_empty() {
            near.extend(0..self.all.len() as u32);
        } else {
            less_one_letter(form, |hash| {
                let from = self.shorter.partition_point(|&(h, _)| h < hash);
                let alike = self.shorter[from..].iter().take_while(|&&(h, _)| h == hash);
                near.extend(alike.take(MOST_ALIKE).map(|&(_, i)| i));
            });
        }
        let forms = near.into_iter().map(|i| self.all[i as usize]);
        forms.filter(move |(other, _)| words::one_edit(form, other))
    }
}

/// The hash of a word, and of the word without each of its letters.
fn less_one_letter(word: &str, mut say: impl FnMut(u64)) {
    if word.len() > LONGEST_NAME {
        return;
    }
    say(fold_hash(word));
    let mut less = String::with_capacity(word.len());
    for (at, c) in word.char_indices() {
        less.clear();
        less.push_str(&word[..at]);
        less.push_str(&word[at + c.len_utf8()..]);
        say(fold_hash(&less));
    }
}

/// The names of one note: a patient's and relatives' are drawn for the patient, those of staff for the release.
pub(crate) struct NameScopes<'a> {
    pub(crate) patient: Names<'a>,
    pub(crate) staff: Names<'a>,
}

impl<'a> NameScopes<'a> {
    fn of(&self, role: Role) -> &Names<'a> {
        match role {
            Role::Caregiver => &self.staff,
            Role::Patient | Role::Relative | Role::Unknown => &self.patient,
        }
    }
}

/// Of two roles, the one that decides: a name that is a patient's anywhere is a patient's.
fn stronger(a: Role, b: Role) -> Role {
    let rank = |role: Role| match role {
        Role::Patient => 3,
        Role::Relative => 2,
        Role::Caregiver => 1,
        Role::Unknown => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}

/// Who has the patient's family name and no title of a caregiver is a relative: `Personne à prévenir : Mme DUPONT` beside a
/// patient called so. Staff are drawn for the release, and the family would have two names.
fn join_relatives(mentions: &[Mention], persons: &mut [Person]) {
    let family = persons.iter().filter(|p| matches!(p.role, Role::Patient | Role::Relative));
    let families: BTreeSet<String> = family.flat_map(|p| p.families.iter().cloned()).collect();
    let mut titled = vec![false; persons.len()];
    mentions.iter().for_each(|mention| titled[mention.person] |= mention.of_caregiver);
    for (person, titled) in persons.iter_mut().zip(titled) {
        let shares = || person.families.iter().any(|name| families.contains(name));
        if person.role == Role::Caregiver && !person.known && !titled && shares() {
            person.role = Role::Relative;
        }
    }
}

/// The people of one note, with what their names become.
pub(crate) struct People {
    /// By index of entity: the new text, or `None` where no surrogate could be made.
    texts: Vec<Option<String>>,
    /// By index of entity: the number of its person, from 1; 0 for what is no name.
    numbers: Vec<usize>,
    /// Canonical word → surrogate, folded, and whose it is, for mail addresses.
    book: HashMap<String, (String, Role)>,
}

impl People {
    pub(crate) fn text(&self, entity: usize) -> Option<&str> {
        self.texts.get(entity).and_then(Option::as_deref)
    }

    pub(crate) fn number(&self, entity: usize) -> Option<usize> {
        self.numbers.get(entity).copied().filter(|number| *number > 0)
    }

    /// The surrogate of a word of a mail address: a name of the note, two of them run together, or an initial
    /// and a name. `role` is of whoever the address names.
    pub(crate) fn mail_word(&self, word: &str, role: Role, names: &NameScopes<'_>) -> Option<String> {
        let letter = |c: char| names.of(role).initial(c, NameKind::Given(gender_by_letter(c)));
        let direct = |w: &str| match (self.book.get(w), w.chars().count()) {
            (Some((new, _)), _) => Some(new.clone()),
            (None, 1) => letter(w.chars().next()?).map(String::from),
            _ => None,
        };
        direct(word).or_else(|| {
            if word.len() > 2 * LONGEST_NAME {
                return None;
            }
            let cuts = word.char_indices().map(|(i, _)| i).skip(1);
            cuts.filter(|&i| i > 1 || word.len() - i > 2)
                .find_map(|i| Some(format!("{}{}", direct(&word[..i])?, direct(&word[i..])?)))
        })
    }

    /// The role of whoever a mail address names.
    pub(crate) fn role_in_mail(&self, address: &str) -> Role {
        let folded = fold(address);
        let folded = folded.as_str();
        let decide = |role: Role, other: &(String, Role)| stronger(role, other.1);
        if self.book.len() <= FEW_WORDS {
            let named = self.book.iter().filter(|(word, _)| word.len() > 2 && folded.contains(word.as_str()));
            return named.map(|(_, other)| other).fold(Role::Unknown, decide);
        }
        // A register of names: each piece of the address is looked up instead.
        let ends = |from: usize| from + 3..=folded.len().min(from + LONGEST_NAME);
        let pieces = (0..folded.len()).flat_map(|from| ends(from).filter_map(move |to| folded.get(from..to)));
        pieces.filter_map(|word| self.book.get(word)).fold(Role::Unknown, decide)
    }

    /// Reads the people of a note. `entities` are disjoint and sorted.
    pub(crate) fn read(note: &Note, entities: &[Entity], names: &NameScopes<'_>) -> People {
        let known = known_persons(&note.known, note.language);
        let mut mentions = gather(note, entities);
        expand_diminutives(&mut mentions, note.language, &names.patient);
        canonise(&mut mentions, &known);
        let mut index = PersonIndex::default();
        let mut persons: Vec<Person> = known;
        for mention in &mut mentions {
            mention.person = settle(mention, &mut persons, &mut index, note.language);
        }
        join_relatives(&mentions, &mut persons);
        let genders: Vec<Option<Gender>> = persons.iter().map(|p| gender_of(p, note.language)).collect();

        let mut people = People {
            texts: vec![None; entities.len()],
            numbers: vec![0; entities.len()],
            book: HashMap::new(),
        };
        let mut numbers = vec![0; persons.len()];
        let mut numbered = 0;
        for mention in &mentions {
            let person = mention.person;
            if numbers[person] == 0 {
                numbered += 1;
                numbers[person] = numbered;
            }
            let number = numbers[person];
            let gender = match (persons[person].known, mention_gender(mention, note.language)) {
                (true, own) => genders[person].or(own),
                (false, own) => own.or(genders[person]),
            };
            let mut by_entity: BTreeMap<usize, Vec<&NameWord>> = BTreeMap::new();
            for word in &mention.words {
                by_entity.entry(word.entity).or_default().push(word);
            }
            let role = persons[person].role;
            for (entity, words) in by_entity {
                let text = note.to_norm(entities[entity].span).of(note.norm());
                people.numbers[entity] = number;
                let mut book = BTreeMap::new();
                let new = render(text, &words, gender, names.of(role), &mut book);
                people.texts[entity] = new;
                for (word, new) in book {
                    people.book.entry(word).or_insert((new, role));
                }
            }
        }
        people
    }
}

/// Writes the new text of one entity; `None` if some word has no surrogate, or the text holds digits.
fn render(
    text: &str,
    words: &[&NameWord],
    gender: Option<Gender>,
    names: &Names<'_>,
    book: &mut BTreeMap<String, String>,
) -> Option<String> {
    if text.chars().any(|c| c.is_numeric()) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut from = 0;
    let mut renamed = false;
    for word in words {
        out.push_str(&text[from..word.range.start]);
        from = word.range.end;
        let written = &text[word.range.clone()];
        let first = word.canonical.chars().next()?;
        let given = NameKind::Given(gender.unwrap_or_else(|| gender_by_letter(first)));
        match word.part {
            Part::Kept => out.push_str(written),
            Part::Dropped => {
                from += text[from..].len() - text[from..].trim_start().len();
            }
            Part::Family | Part::Given => {
                let kind = if word.part == Part::Family { NameKind::Family } else { given };
                let name = names.word(&word.canonical, kind)?;
                book.entry(word.canonical.clone()).or_insert_with(|| fold(name));
                unelide(&mut out, name);
                out.push_str(&shape::dress(name, written));
                renamed = true;
            }
            Part::FamilyLetter | Part::GivenLetter => {
                let kind = if word.part == Part::FamilyLetter { NameKind::Family } else { given };
                let letter = names.initial(first, kind)?;
                if written.starts_with(char::is_uppercase) {
                    out.extend(letter.to_uppercase());
                } else {
                    out.push(letter);
                }
                renamed = true;
            }
        }
    }
    out.push_str(&text[from..]);
    renamed.then_some(out)
}

/// `d'` before a consonant becomes `de`.
fn unelide(out: &mut String, name: &str) {
    let vowel = name.chars().next().is_some_and(|c| "aeiouyh".contains(taire_text::fold_char(c).0[0]));
    let joint = [("d'", "de "), ("D'", "DE ")].into_iter().find(|(d, _)| out.ends_with(d));
    if let (false, Some((_, full))) = (vowel, joint) {
        out.truncate(out.len() - 2);
        out.push_str(full);
    }
}

fn gather(note: &Note, entities: &[Entity]) -> Vec<Mention> {
    let text = note.norm();
    let mut mentions: Vec<Mention> = Vec::new();
    let mut last_end = None;
    let mut members: Vec<usize> = Vec::new();
    for (i, entity) in entities.iter().enumerate() {
        if !matches!(entity.label, Label::GivenName | Label::FamilyName | Label::Initials) {
            last_end = None;
            continue;
        }
        let span = note.to_norm(entity.span);
        let joins = last_end.is_some_and(|end: usize| {
            members.len() < MOST_MEMBERS
                && end <= span.start()
                && words::joins_name(&text[end..span.start()])
                && members.last().is_some_and(|&m| {
                    same_role(entities[m].role, entity.role)
                        || is_letter(note.to_norm(entities[m].span).of(text))
                })
                && (!text[end..span.start()].contains(',')
                    || after_comma(note, entities, &members, entity.label))
        });
        if !joins {
            if let Some(mention) = build(note, entities, &members) {
                mentions.push(mention);
            }
            members.clear();
        }
        members.push(i);
        last_end = Some(span.end());
    }
    mentions.extend(build(note, entities, &members));
    mentions
}

/// `DUPONT, Jean` is one person; `Jean, Paul` and `J. Dupont, Paul` are two.
fn after_comma(note: &Note, entities: &[Entity], members: &[usize], label: Label) -> bool {
    let family_alone = |&m: &usize| {
        let text = entities[m].span.of(note.raw());
        entities[m].label == Label::FamilyName && !text.contains('.')
    };
    label != Label::FamilyName && members.iter().all(family_alone)
}

/// `S.` before a family name belongs to it, whatever each was taken for.
fn is_letter(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).count() == 1
}

fn same_role(a: Role, b: Role) -> bool {
    a == b || a == Role::Unknown || b == Role::Unknown
}

fn build(note: &Note, entities: &[Entity], members: &[usize]) -> Option<Mention> {
    let (&first, text) = (members.first()?, note.norm());
    let start = note.to_norm(entities[first].span).start();
    let has = |label| members.iter().any(|&m| entities[m].label == label);
    let (has_given, has_family) = (has(Label::GivenName), has(Label::FamilyName));
    let end = members.last().map_or(start, |&m| note.to_norm(entities[m].span).end());
    let title = words::title_before(&text[..start], note.language)
        .or_else(|| words::agreement_after(&text[end..], note.language));
    let role = members.iter().fold(Role::Unknown, |role, &m| stronger(role, entities[m].role));
    let of_caregiver = words::caregiver_title_before(&text[..start], note.language);
    let mut mention = Mention { words: Vec::new(), title, person: 0, role, of_caregiver };
    for &m in members {
        let entity = &entities[m];
        let text = note.to_norm(entity.span).of(text);
        let pieces = words::pieces(text);
        let count = pieces.len();
        let mut leading = true;
        for (i, piece) in pieces.iter().enumerate() {
            let last = i + 1 == count;
            let own = || mention.words.iter().rev().take_while(|w| w.entity == m);
            leading &= piece.hyphened || own().all(|w| w.part == Part::Kept);
            for (range, part) in
                classify(piece, text, entity.label, last, leading, has_given, has_family, note.language)
            {
                let written = &text[range.clone()];
                mention.of_caregiver |=
                    part == Part::Kept && words::is_caregiver_title(written, note.language);
                let canonical = words::expand(written).map_or_else(|| fold(written), str::to_owned);
                mention.words.push(NameWord { entity: m, range, part, canonical });
            }
        }
    }
    assign_letters(&mut mention, note.language);
    Some(mention)
}

/// What a piece of an entity is. A run of two or three capitals in `Initials` gives one part per letter.
#[allow(clippy::too_many_arguments)]
fn classify(
    piece: &Piece,
    text: &str,
    label: Label,
    last: bool,
    leading: bool,
    has_given: bool,
    has_family: bool,
    language: Language,
) -> Vec<(std::ops::Range<usize>, Part)> {
    let word = &text[piece.range.clone()];
    let one = |part| vec![(piece.range.clone(), part)];
    if !last && words::is_title(word) {
        return one(Part::Kept);
    }
    let single = word.chars().count() == 1;
    if single && !last && (piece.elided || (word == "y" || word == "e" || word == "i")) {
        return one(Part::Kept);
    }
    if label == Label::Initials || single {
        return word
            .char_indices()
            .map(|(i, c)| {
                let start = piece.range.start + i;
                (start..start + c.len_utf8(), Part::GivenLetter)
            })
            .collect();
    }
    if !last && words::is_particle(word, language) {
        return one(if label == Label::GivenName { Part::Dropped } else { Part::Kept });
    }
    let facts = pools::facts(language, &fold(word));
    match label {
        // A whole name under one label, as schemes that join names give it.
        Label::FamilyName if !has_given && leading && !last => {
            let given = facts.given_tier() >= 4 && facts.given_tier() >= facts.family_tier();
            one(if given { Part::Given } else { Part::Family })
        }
        Label::GivenName if !has_family && last && !leading && !piece.hyphened => {
            one(if facts.family_tier() > 0 && facts.given_tier() == 0 { Part::Family } else { Part::Given })
        }
        Label::GivenName => one(Part::Given),
        _ => one(Part::Family),
    }
}

/// Decides which single letters stand for given names and which for family names.
fn assign_letters(mention: &mut Mention, language: Language) {
    let has = |part| mention.words.iter().any(|w| w.part == part);
    let (has_given, has_family) = (has(Part::Given), has(Part::Family));
    if has_family {
        return;
    }
    let letters: Vec<usize> =
        (0..mention.words.len()).filter(|&i| mention.words[i].part == Part::GivenLetter).collect();
    let family_from = match (letters.len(), has_given) {
        (0, _) => return,
        (_, true) => letters.len() - 1,
        (1, false) => 0,
        (3.., false) if language == Language::Es => 1,
        (n, false) => n - 1,
    };
    for &i in &letters[family_from..] {
        mention.words[i].part = Part::FamilyLetter;
    }
}

/// Reads a familiar form of a given name as the whole name, where that is written too. Which one a form is short for is otherwise not
/// certain, and it stays a name of its own.
fn expand_diminutives(mentions: &mut [Mention], language: Language, names: &Names<'_>) {
    for word in mentions.iter_mut().flat_map(|m| &mut m.words).filter(|w| w.part == Part::Given) {
        let all = words::whole_names(&word.canonical, language);
        let mut whole = all.iter().filter(|name| names.is_written(name));
        if let (Some(only), None) = (whole.next(), whole.next()) {
            word.canonical = only.to_string();
        }
    }
}

/// Brings every word to the form the key sees.
fn canonise(mentions: &mut [Mention], known: &[Person]) {
    let families: BTreeSet<&str> = known.iter().flat_map(|p| p.families.iter().map(String::as_str)).collect();
    let givens: BTreeSet<&str> = known.iter().flat_map(|p| p.givens.iter().map(String::as_str)).collect();
    let mut counts: [BTreeMap<String, usize>; 2] = Default::default();
    for word in mentions.iter_mut().flat_map(|m| &mut m.words) {
        let (own, other, swapped) = match word.part {
            Part::Family => (&families, &givens, Part::Given),
            Part::Given => (&givens, &families, Part::Family),
            _ => continue,
        };
        if !own.contains(word.canonical.as_str()) {
            if other.contains(word.canonical.as_str()) {
                word.part = swapped;
            } else if let Some(&canonical) = own.iter().find(|k| words::one_edit(&word.canonical, k)) {
                word.canonical = canonical.to_owned();
            }
        }
        *counts[usize::from(word.part == Part::Given)].entry(word.canonical.clone()).or_default() += 1;
    }
    let merged: [BTreeMap<String, String>; 2] = std::array::from_fn(|side| {
        let known = if side == 0 { &families } else { &givens };
        let counts = &counts[side];
        let forms = Forms::new(counts);
        counts
            .iter()
            .filter(|(form, _)| !known.contains(form.as_str()))
            .filter_map(|(form, &n)| {
                let best = forms
                    .one_edit_away(form)
                    .filter(|&(_, m)| m > n)
                    .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)))?;
                Some((form.clone(), best.0.to_owned()))
            })
            .collect()
    });
    for word in mentions.iter_mut().flat_map(|m| &mut m.words) {
        let side = match word.part {
            Part::Family => 0,
            Part::Given => 1,
            _ => continue,
        };
        if let Some(canonical) = merged[side].get(&word.canonical) {
            word.canonical = canonical.clone();
        }
    }
}

/// The person a mention speaks of, added if new.
fn settle(
    mention: &Mention,
    persons: &mut Vec<Person>,
    index: &mut PersonIndex,
    language: Language,
) -> usize {
    let of = |part| mention.words.iter().filter(move |w| w.part == part).map(|w| w.canonical.as_str());
    let letter = |part| of(part).filter_map(|w| w.chars().next()).collect::<Vec<char>>();
    let (families, givens): (Vec<_>, Vec<_>) = (of(Part::Family).collect(), of(Part::Given).collect());
    let (family_letters, given_letters) = (letter(Part::FamilyLetter), letter(Part::GivenLetter));
    let gender = mention_gender(mention, language);

    let fits = |p: &Person| {
        let shared = families.iter().any(|f| p.families.contains(*f))
            || family_letters.iter().any(|&l| p.families.iter().any(|f| f.starts_with(l)));
        let family = (families.is_empty() && family_letters.is_empty()) || p.families.is_empty() || shared;
        let given = match (givens.first(), given_letters.first()) {
            (Some(g), _) => p.givens.is_empty() || p.givens.iter().any(|x| x == g),
            (None, Some(&l)) => p.givens.is_empty() || p.givens.iter().any(|x| x.starts_with(l)),
            (None, None) => true,
        };
        let named = shared
            || (families.is_empty()
                && family_letters.is_empty()
                && givens.iter().any(|g| p.givens.iter().any(|x| x == g)));
        let agrees = match (gender, p.sex) {
            (Some(a), Some(b)) => {
                a == b || (p.known && givens.iter().any(|g| p.givens.iter().any(|x| x == g)))
            }
            _ => true,
        };
        family && given && named && agrees
    };
    let query = NameQuery {
        families: families.clone(),
        family_letters: family_letters.clone(),
        given: givens.first().copied(),
        given_letter: given_letters.first().copied(),
        sex: gender,
    };
    // Those who are known come first, and are few.
    let known = persons.iter().take_while(|p| p.known).position(fits);
    let found = known.or_else(|| index.first_match(&query)).unwrap_or_else(|| {
        persons.push(Person::unknown());
        index.add_person(persons.len() - 1);
        persons.len() - 1
    });
    let person = &mut persons[found];
    if !person.known {
        person.role = stronger(person.role, mention.role);
        for family in families {
            if person.families.len() < MOST_NAMES && !person.families.contains(family) {
                person.families.insert(family.to_owned());
                index.add_family(found, family);
            }
        }
        for given in givens.into_iter().take(MOST_NAMES.saturating_sub(person.givens.len())) {
            if !person.givens.iter().any(|g| g == given) {
                person.givens.push(given.to_owned());
                index.add_given(found, given);
            }
        }
        if let (None, Some(sex)) = (person.sex, gender) {
            person.sex = Some(sex);
            index.set_sex(found, sex);
        }
    }
    found
}

/// What the mention itself says: a given name borne by one sex, else the title before it.
fn mention_gender(mention: &Mention, language: Language) -> Option<Gender> {
    let given = mention.words.iter().find(|w| w.part == Part::Given);
    given.and_then(|w| pools::facts(language, &w.canonical).gender()).or(mention.title)
}

fn gender_of(person: &Person, language: Language) -> Option<Gender> {
    person.sex.or_else(|| {
        let facts = pools::facts(language, person.givens.first()?);
        match (facts.given_tier(), facts.female_percent()) {
            (0, _) => None,
            (_, 50..) => Some(Gender::Female),
            _ => Some(Gender::Male),
        }
    })
}

fn known_persons(known: &KnownIdentity, language: Language) -> Vec<Person> {
    let patient = known.person();
    let mut all = vec![(&patient, Role::Patient)];
    all.extend(known.caregivers.iter().map(|c| (c, Role::Caregiver)));
    all.extend(known.relatives.iter().map(|r| (r, Role::Relative)));
    let persons = all.into_iter().map(|(identity, role)| known_person(identity, role, language));
    persons.filter(|p| !p.families.is_empty() || !p.givens.is_empty()).collect()
}

fn known_person(identity: &Identity, role: Role, language: Language) -> Person {
    let words = |text: &str| -> Vec<String> {
        let pieces = words::pieces(text);
        let count = pieces.len();
        pieces
            .iter()
            .enumerate()
            .map(|(i, p)| (i + 1 == count, &text[p.range.clone()]))
            .filter(|&(last, w)| last || !(words::is_particle(w, language) || words::is_title(w)))
            .filter(|(_, w)| w.chars().count() > 1)
            .map(|(_, w)| fold(w))
            .collect()
    };
    Person {
        families: identity.family_name.iter().chain(&identity.birth_name).flat_map(|n| words(n)).collect(),
        givens: identity.given_names.iter().flat_map(|n| words(n)).collect(),
        sex: identity.sex.map(|s| match s {
            Sex::F => Gender::Female,
            Sex::M => Gender::Male,
        }),
        known: true,
        role,
    }
}

/// Folded name words of the known identity, which no surrogate may equal.
pub(crate) fn known_words(known: &KnownIdentity, language: Language) -> HashSet<String> {
    let persons = known_persons(known, language);
    persons.iter().flat_map(|p| p.families.iter().chain(&p.givens)).cloned().collect()
}

/// Folded name words as a note writes them: a surrogate that is another real name of the note would name the wrong person.
pub(crate) fn written_names(note: &Note, entities: &[Entity]) -> HashSet<String> {
    let named = entities.iter().filter(|e| matches!(e.label, Label::GivenName | Label::FamilyName));
    named.flat_map(|e| name_words(note.to_norm(e.span).of(note.norm()))).collect()
}

fn name_words(text: &str) -> impl Iterator<Item = String> + '_ {
    words::pieces(text).into_iter().map(|p| fold(&text[p.range])).filter(|w| w.chars().count() > 1)
}

/// Folded words of the names that a patient's documents hold. Prints their number only.
#[derive(Clone, Default, PartialEq)]
pub struct RecordNames(BTreeSet<String>);

impl RecordNames {
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> RecordNames {
        RecordNames(names.into_iter().flat_map(name_words).collect())
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl std::fmt::Debug for RecordNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RecordNames({} words)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::key::{Scope, test_streams};
    use crate::testing::{entities, note};

    fn scopes<'a>(streams: &'a crate::key::Streams, note: &Note) -> NameScopes<'a> {
        let names = |scope| {
            Names::new(streams, scope, note.language, Arc::new(known_words(&note.known, note.language)))
        };
        NameScopes { patient: names(Scope::Patient("p")), staff: names(Scope::Corpus) }
    }

    fn rename(source: &str, known: KnownIdentity, language: Language) -> Vec<(String, String)> {
        let streams = test_streams(4);
        let (text, entities) = entities(source);
        let note = note(&text, language, Arc::new(known));
        let names = scopes(&streams, &note);
        let people = People::read(&note, &entities, &names);
        let texts = entities.iter().enumerate();
        texts.map(|(i, e)| (e.span.of(&text).to_owned(), people.text(i).unwrap_or("-").to_owned())).collect()
    }

    fn dupont() -> KnownIdentity {
        KnownIdentity {
            family_name: Some("Lefèvre".into()),
            given_names: vec!["Marie-Claude".into()],
            sex: Some(Sex::F),
            ..KnownIdentity::default()
        }
    }

    #[test]
    fn every_form_of_a_person_has_one_surrogate() {
        let source = "Mme [LEFEVRE](FamilyName) [Marie-Claude](GivenName), [M.-C.](Initials) [Lefevre](FamilyName), \
                      [Lefebvre](FamilyName) [marie claude](GivenName), Mme [L.](Initials), [M.-C. L.](Initials), \
                      [MCL](Initials), [Lefèvre](GivenName)";
        let got = rename(source, dupont(), Language::Fr);
        let new = |i: usize| got[i].1.as_str();
        let family = fold(new(0));
        assert_eq!(new(0), shape::set_case(&shape::strip_accents(new(0)), shape::Case::Upper));
        for i in [3, 4, 9] {
            assert_eq!(fold(new(i)), family, "{:?}", got[i]);
        }
        assert_eq!(fold(new(5)).replace(' ', "-"), fold(new(1)));
        let [g1, g2] = [0, 1].map(|i| new(1).split('-').nth(i).unwrap().chars().next().unwrap());
        let (g1, g2) = (shape::strip_accents(&g1.to_string()), shape::strip_accents(&g2.to_string()));
        let f = family[..1].to_uppercase();
        assert_eq!(new(2), format!("{g1}.-{g2}."));
        assert_eq!(new(6), format!("{f}."));
        assert_eq!(new(7), format!("{g1}.-{g2}. {f}."));
        assert_eq!(new(8), format!("{g1}{g2}{f}"));
    }

    #[test]
    fn a_rarer_form_one_error_away_is_the_same_name() {
        let got = rename(
            "[Bertrand](FamilyName) vu. [Bertrand](FamilyName). [Betrrand](FamilyName). [Bertin](FamilyName)",
            KnownIdentity::default(),
            Language::Fr,
        );
        assert_eq!(got[0].1, got[2].1);
        assert_ne!(got[0].1, got[3].1);
    }

    #[test]
    fn particles_apostrophes_and_case_stay() {
        let got = rename(
            "[de La Tour](FamilyName) et [d'Angelo](FamilyName) et [GARCÍA y LÓPEZ](FamilyName) [María del Carmen](GivenName)",
            KnownIdentity::default(),
            Language::Es,
        );
        assert!(got[0].1.starts_with("de La ") && !got[0].1.ends_with("Tour"), "{got:?}");
        assert!(
            got[1].1.starts_with(['d']) && got[1].1.contains(['\'', ' ']) && !got[1].1.ends_with("Angelo"),
            "{got:?}"
        );
        assert!(got[2].1.contains(" y ") && got[2].1.split(" y ").all(|w| w == w.to_uppercase()), "{got:?}");
        assert_eq!(got[3].1.split(' ').count(), 2, "{got:?}");
    }

    #[test]
    fn gender_is_kept_by_title_and_by_name() {
        let got = rename(
            "M. [Zyx](GivenName) [Abc](FamilyName), Mme [Zyx](GivenName) [Def](FamilyName), [Jeanne](GivenName), [Paul](GivenName)",
            KnownIdentity::default(),
            Language::Fr,
        );
        let sex = |i: usize| pools::facts(Language::Fr, &fold(&got[i].1)).gender();
        assert_eq!(sex(0), Some(Gender::Male));
        assert_eq!(sex(2), Some(Gender::Female));
        assert_eq!(sex(4), Some(Gender::Female));
        assert_eq!(sex(5), Some(Gender::Male));
    }

    #[test]
    fn families_share_their_name_and_whole_names_under_one_label_are_cut() {
        let got = rename(
            "[Jean](GivenName) [Dupont](FamilyName) et [Anne](GivenName) [DUPONT](FamilyName), Dr [Paul Dupont](FamilyName)",
            KnownIdentity::default(),
            Language::Fr,
        );
        assert_eq!(fold(&got[1].1), fold(&got[3].1));
        assert!(got[4].1.ends_with(&got[1].1), "{got:?}");
        let whole = rename("[Pr Jean-Paul Dupont](FamilyName)", KnownIdentity::default(), Language::Fr);
        assert!(whole[0].1.starts_with("Pr ") && whole[0].1.ends_with(&got[1].1), "{whole:?}");
        assert!(whole[0].1.contains(&format!("{}-", got[0].1)), "{whole:?}");
        assert_eq!(got[4].1.split(' ').count(), 2);
    }

    /// Defect: "personne à prévenir : Mme BENSALEM", taken for staff, had another family name than the patient.
    #[test]
    fn who_bears_the_patients_name_without_a_title_is_of_the_family() {
        let streams = test_streams(4);
        let source = "[Abdel](GivenName) [BENSALEM](FamilyName). Mme [BENSALEM](FamilyName) [Samira](GivenName). \
                      Dr [BENSALEM](FamilyName) [Nora](GivenName)";
        let (text, mut entities) = entities(source);
        let roles = [
            Role::Patient,
            Role::Patient,
            Role::Caregiver,
            Role::Caregiver,
            Role::Caregiver,
            Role::Caregiver,
        ];
        entities.iter_mut().zip(roles).for_each(|(entity, role)| entity.role = role);
        let note = note(&text, Language::Fr, Arc::new(KnownIdentity::default()));
        let people = People::read(&note, &entities, &scopes(&streams, &note));
        let name = |i: usize| fold(people.text(i).unwrap());
        assert_eq!(name(1), name(2));
        assert_ne!(name(1), name(4), "a doctor of that name is drawn for the release");
    }

    /// Defect: of more than 64 people of one family name those in the middle were not found again, and were other people.
    #[test]
    fn everybody_of_a_large_family_is_found_again() {
        let givens: Vec<String> = (0..200)
            .map(|i| format!("{}{}ric", ['B', 'D', 'F', 'G'][i % 4], "aeiou".repeat(1 + i / 4)))
            .collect();
        let line = |given: &String| format!("[{given}](GivenName) [Dupont](FamilyName), ");
        let source: String = givens.iter().chain(&givens).map(line).collect();
        let streams = test_streams(4);
        let (text, entities) = entities(&source);
        let note = note(&text, Language::Fr, Arc::new(KnownIdentity::default()));
        let people = People::read(&note, &entities, &scopes(&streams, &note));
        let numbers: Vec<usize> = (0..entities.len()).filter_map(|i| people.number(i)).collect();
        assert_eq!(numbers[..400], numbers[400..]);
        assert_eq!(numbers.iter().max(), Some(&200));
    }

    #[test]
    fn digits_inside_a_name_are_not_guessed_at() {
        assert_eq!(rename("[Dupont2](FamilyName)", KnownIdentity::default(), Language::Fr)[0].1, "-");
    }

    #[test]
    fn an_initial_belongs_to_the_name_behind_it_whatever_each_was_taken_for() {
        let streams = test_streams(4);
        let (text, mut entities) =
            entities("[Marie-Claude](GivenName) va mieux. [M.](Initials) [LEFEVRE](FamilyName)");
        entities[1].role = Role::Caregiver;
        entities[2].role = Role::Patient;
        let note = note(&text, Language::Fr, Arc::new(dupont()));
        let names = scopes(&streams, &note);
        let people = People::read(&note, &entities, &names);
        let first = |i: usize| fold(people.text(i).unwrap()).chars().next().unwrap();
        assert_eq!(first(0), first(1));
        assert_eq!(people.number(1), people.number(2));
    }
}
