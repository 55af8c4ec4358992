//! Many people and places at once: the institution's directory, and patients that no document was joined to. Every word of
//! a note is looked up by its hash, so that 200,000 rows cost no more than ten.
//!
//! A name on such a list is weaker evidence than the name of the document's own patient: a family name must be
//! capitalised, one that is also a word needs capitals of its own, a title or its owner's given name beside it, and a
//! given name needs the family name or a title.

use rustc_hash::{FxHashMap, FxHashSet};
use taire_lexicon::Lexicon;
use taire_text::{
    Careful, Kind, KnownIdentity, Label, Language, Mention, Note, Role, Shape, Source, fold, is_placeholder,
};

use crate::folded::{PARTICLES, title_before, token_hash, word_hash};
use crate::metadata::{id_label, phone_forms};

const FAMILY: u8 = 1;
const GIVEN: u8 = 2;
const CITY: u8 = 4;

/// The longest number that is looked for, in letters and digits.
const LONGEST_CODE: usize = 40;
/// The most words of a name of a place.
const MOST_WORDS: usize = 12;

/// Words that institutions write in place of a name, folded.
const JUNK: &[&str] = &[
    "interne",
    "externe",
    "interno",
    "residente",
    "remplacant",
    "remplacante",
    "vacataire",
    "secretariat",
    "secretaria",
    "test",
    "prueba",
    "doublon",
    "duplicado",
    "medecin",
    "medico",
    "docteur",
    "anonyme",
    "anonimo",
    "archive",
    "ferme",
    "baja",
];

/// What a word or a run of words is on the list.
struct Phrase {
    words: Box<[u64]>,
    label: Label,
}

/// People and places to look for in every document.
#[derive(Default)]
pub struct PeopleIndex {
    /// Single words, and what they are.
    words: FxHashMap<u64, u8>,
    /// Family and given names that one person bears.
    pairs: FxHashSet<u64>,
    phrases: Vec<Phrase>,
    by_first: FxHashMap<u64, Vec<u32>>,
    codes: FxHashMap<u64, Label>,
    code_lengths: u64,
    role: Option<Role>,
    why: &'static str,
    junk: usize,
    people: usize,
}

impl std::fmt::Debug for PeopleIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PeopleIndex({} people, {} words)", self.people, self.words.len())
    }
}

fn pair(family: u64, given: u64) -> u64 {
    family.rotate_left(17) ^ given.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn words_of(text: &str) -> Vec<String> {
    let folded = fold(text);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

/// Whether a cell for a name holds something else: a remark, an account, a function.
fn is_junk_name(words: &[String]) -> bool {
    let letters: usize = words.iter().map(|w| w.chars().count()).sum();
    let has_digit = words.iter().any(|w| w.bytes().any(|b| b.is_ascii_digit()));
    if letters < 2 || has_digit || words.len() > 6 || words.iter().any(|w| JUNK.contains(&w.as_str())) {
        return true;
    }
    let facts = |word: &str| Language::ALL.iter().map(|&l| Lexicon::of(l).facts(word)).collect::<Vec<_>>();
    let mut parts = words.iter().filter(|w| !PARTICLES.has(word_hash(w))).peekable();
    if words.len() < 2 || parts.peek().is_none() {
        return false;
    }
    // "ne plus écrire": every word is one of the language, and some are nobody's name.
    let ordinary = |word: &&String| facts(word).iter().any(|f| f.word_class() > 0);
    let nobody = |word: &&String| facts(word).iter().all(|f| !f.is_name());
    let parts: Vec<_> = parts.collect();
    parts.iter().all(ordinary) && parts.iter().any(nobody)
}

impl PeopleIndex {
    /// An empty list of people who care for patients.
    pub fn of_staff() -> PeopleIndex {
        PeopleIndex {
            role: Some(Role::Caregiver),
            why: "on the institution's directory",
            ..PeopleIndex::default()
        }
    }

    /// An empty list of patients whose documents are not known.
    pub fn of_patients() -> PeopleIndex {
        PeopleIndex { why: "on the list of known patients", ..PeopleIndex::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty() && self.codes.is_empty()
    }

    /// How many values were no names: `ne plus écrire`, `interne4`.
    pub fn junk(&self) -> usize {
        self.junk
    }

    /// How many people are on it.
    pub fn people(&self) -> usize {
        self.people
    }

    /// A person by family names and given names, each as one string.
    pub fn add_person(&mut self, families: &[&str], given: &str) {
        let given = self.name_words(given);
        let mut any = !given.is_empty();
        for family in families {
            let words = self.name_words(family);
            let Some(first) = words.first() else { continue };
            any = true;
            for name in &given {
                self.pairs.insert(pair(word_hash(first), word_hash(name)));
                self.pairs.insert(pair(word_hash(&words[words.len() - 1]), word_hash(name)));
            }
            self.add_words(&words, Label::FamilyName, FAMILY);
        }
        given.iter().for_each(|name| *self.words.entry(word_hash(name)).or_default() |= GIVEN);
        self.people += usize::from(any);
    }

    /// A person by all names together, in an order that is not known: each is looked for beside another.
    pub fn add_full_name(&mut self, name: &str) {
        let words = self.name_words(name);
        let parts: Vec<u64> = words.iter().filter(|w| w.chars().count() > 2).map(|w| word_hash(w)).collect();
        for &one in &parts {
            *self.words.entry(one).or_default() |= GIVEN;
            for &other in parts.iter().filter(|other| **other != one) {
                self.pairs.insert(pair(one, other));
            }
        }
        self.people += usize::from(!parts.is_empty());
    }

    /// A site or a service by its name; one word alone is too ordinary to be looked for.
    pub fn add_facility(&mut self, name: &str) {
        let words = words_of(name);
        if (2..=MOST_WORDS).contains(&words.len()) && !is_placeholder(name) {
            self.add_words(&words, Label::Hospital, 0);
        }
    }

    /// A town.
    pub fn add_city(&mut self, name: &str) {
        let words = words_of(name);
        if name.chars().count() >= 3 && words.len() <= MOST_WORDS && !is_placeholder(name) {
            self.add_words(&words, Label::City, CITY);
        }
    }

    /// A number or an address.
    pub fn add_code(&mut self, code: &str, label: Label) {
        let plain: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
        let enough = plain.len() >= 6 && plain.len() <= LONGEST_CODE;
        if enough && (plain.bytes().any(|b| b.is_ascii_digit()) || code.contains('@')) {
            self.code_lengths |= 1 << plain.len();
            self.codes.insert(word_hash(&plain), label);
        }
    }

    /// A telephone number, in the ways it is dialled.
    pub fn add_phone(&mut self, phone: &str) {
        phone_forms(phone, |form| self.add_code(form, Label::Phone));
    }

    /// A known patient: names, numbers, telephones and mail addresses. Dates and towns are too common to be looked for.
    pub fn add_patient(&mut self, known: &KnownIdentity) {
        let families: Vec<&str> =
            [&known.family_name, &known.birth_name].into_iter().flatten().map(String::as_str).collect();
        self.add_person(&families, &known.given_names.join(" "));
        if let Some(id) = &known.patient {
            self.add_code(id, Label::PatientId);
        }
        known.ids.iter().for_each(|(name, value)| self.add_code(value, id_label(name)));
        known.phones.iter().for_each(|phone| self.add_phone(phone));
        known.emails.iter().for_each(|mail| self.add_code(mail, Label::Email));
    }

    /// The words of a name, none where the cell holds no name.
    fn name_words(&mut self, name: &str) -> Vec<String> {
        let words = words_of(name);
        if name.trim().is_empty() {
            return words;
        }
        if is_placeholder(name) || is_junk_name(&words) {
            self.junk += 1;
            return Vec::new();
        }
        words
    }

    fn add_words(&mut self, words: &[String], label: Label, single: u8) {
        let hashes: Box<[u64]> = words.iter().map(|w| word_hash(w)).collect();
        match *hashes {
            [] => {}
            [one] => *self.words.entry(one).or_default() |= single,
            [first, ..] => {
                let same = self.by_first.get(&first).into_iter().flatten();
                if !same.into_iter().any(|&p| self.phrases[p as usize].words == hashes) {
                    self.by_first.entry(first).or_default().push(self.phrases.len() as u32);
                    self.phrases.push(Phrase { words: hashes, label });
                }
            }
        }
    }

    /// Adds what is found in a note.
    pub fn find(&self, note: &Note, out: &mut Vec<Mention>) {
        let mut at = 0;
        while at < note.tokens.len() {
            let kind = note.tokens[at].kind;
            let found = match kind {
                Kind::Word | Kind::Number => self.code_at(note, at).or_else(|| self.phrase_at(note, at)),
                _ => None,
            };
            let found = found.or_else(|| (kind == Kind::Word).then(|| self.word_at(note, at)).flatten());
            let Some((last, label, score)) = found else {
                at += 1;
                continue;
            };
            let span = note.raw_of_tokens(at, last);
            let role = self.role.filter(|_| matches!(label, Label::FamilyName | Label::GivenName));
            let mention = Mention::phi(span, label, score, Source::Metadata, self.why);
            out.push(mention.with_role(role.unwrap_or(Role::Unknown)));
            at = last + 1;
        }
    }

    fn code_at(&self, note: &Note, first: usize) -> Option<(usize, Label, f32)> {
        const MOST_GAP: usize = 1;
        if self.codes.is_empty()
            || first > 0 && note.tokens[first].glued && note.tokens[first - 1].kind == Kind::Number
        {
            return None;
        }
        let (text, mut plain, mut best, mut gap) = (note.norm(), String::new(), None, 0);
        for (at, token) in note.tokens.iter().enumerate().skip(first) {
            let part = token.of(text);
            match token.kind {
                Kind::Word | Kind::Number if part.is_ascii() => plain.push_str(part),
                Kind::Mark if gap < MOST_GAP && " .-/_@".contains(part) => {
                    gap += 1;
                    continue;
                }
                _ => break,
            }
            gap = 0;
            if plain.len() > LONGEST_CODE {
                break;
            }
            let goes_on = note.tokens.get(at + 1).is_some_and(|t| t.glued && t.kind != Kind::Mark);
            if !goes_on
                && self.code_lengths & 1 << plain.len() != 0
                && let Some(&label) = self.codes.get(&word_hash(&plain))
            {
                best = Some((at, label, 0.97));
            }
        }
        best
    }

    fn phrase_at(&self, note: &Note, first: usize) -> Option<(usize, Label, f32)> {
        let text = note.norm();
        let same_first = self.by_first.get(&token_hash(&note.tokens[first], text))?;
        let follow = |words: &[u64]| {
            let mut at = first;
            for &word in &words[1..] {
                at += 1;
                while note.tokens.get(at).is_some_and(|t| t.kind == Kind::Mark && "-'.’".contains(t.of(text)))
                {
                    at += 1;
                }
                let token = note.tokens.get(at).filter(|t| matches!(t.kind, Kind::Word | Kind::Number))?;
                (token_hash(token, text) == word).then_some(())?;
            }
            Some(at)
        };
        let ends = same_first.iter().filter_map(|&p| {
            let phrase = &self.phrases[p as usize];
            Some((follow(&phrase.words)?, phrase.label))
        });
        let (last, label) = ends.max_by_key(|(last, _)| *last)?;
        let capital = note.tokens[first..=last].iter().any(|t| t.is_capitalised());
        capital.then_some((last, label, 0.92))
    }

    fn word_at(&self, note: &Note, at: usize) -> Option<(usize, Label, f32)> {
        let token = &note.tokens[at];
        let hash = token_hash(token, note.norm());
        let uses = *self.words.get(&hash)?;
        if self.is_beside_own(note, at, hash) {
            let label = if uses & FAMILY != 0 { Label::FamilyName } else { Label::GivenName };
            return Some((at, label, 0.97));
        }
        if !token.is_capitalised() || token.end() - token.start() < 3 {
            return None;
        }
        let titled = title_before(note, at).is_some();
        let stands_out = match token.facts.careful() {
            None => true,
            Some(Careful::CommonWord | Careful::Medical) => has_own_capitals(note, at),
            Some(Careful::Drug | Careful::Eponym) => false,
        };
        if uses & FAMILY != 0 && (titled || stands_out) {
            return Some((at, Label::FamilyName, if titled { 0.95 } else { 0.85 }));
        }
        if uses & GIVEN != 0 && titled {
            return Some((at, Label::GivenName, 0.9));
        }
        (uses & CITY != 0 && token.facts.careful().is_none()).then_some((at, Label::City, 0.85))
    }

    /// Whether the other name of the same person is before or after it.
    fn is_beside_own(&self, note: &Note, at: usize, hash: u64) -> bool {
        let text = note.norm();
        let neighbour = |step: isize| {
            let mut other = at.checked_add_signed(step)?;
            let mark = note.tokens.get(other)?;
            if mark.kind == Kind::Mark && ",-.".contains(mark.of(text)) {
                other = other.checked_add_signed(step)?;
            }
            note.tokens
                .get(other)
                .filter(|t| t.kind == Kind::Word)
                .map(|t| (token_hash(t, text), t.is_capitalised()))
        };
        let own = note.tokens[at].is_capitalised();
        [-1, 1].into_iter().filter_map(neighbour).any(|(other, capital)| {
            (own || capital)
                && (self.pairs.contains(&pair(hash, other)) || self.pairs.contains(&pair(other, hash)))
        })
    }
}

/// A word in capitals among others that are not, or capitalised where no sentence begins.
fn has_own_capitals(note: &Note, at: usize) -> bool {
    let shape = |i: Option<usize>| i.and_then(|i| note.tokens.get(i)).map(|t| t.shape);
    let (before, after) = (shape(at.checked_sub(1)), shape(Some(at + 1)));
    match note.tokens[at].shape {
        Shape::Upper => before != Some(Shape::Upper) && after != Some(Shape::Upper),
        Shape::Title => before == Some(Shape::Lower),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_lexicon::Annotator;

    fn found(index: &PeopleIndex, text: &str) -> Vec<String> {
        let mut note = Note::builder("a", text).language(Some(Language::Fr)).build().unwrap();
        Annotator::new(Language::Fr, |word| crate::words::keyword(Language::Fr, word)).annotate(&mut note);
        let mut out = Vec::new();
        index.find(&note, &mut out);
        out.iter().map(|m| m.span.of(note.raw()).to_owned()).collect()
    }

    #[test]
    fn names_that_are_words_or_eponyms_need_company() {
        let mut index = PeopleIndex::of_staff();
        index.add_person(&["Petit"], "Zoé");
        index.add_person(&["Parkinson"], "Alan");
        index.add_person(&["Quintrec"], "Yann");
        index.add_person(&["LE GOFF"], "Maël");
        index.add_facility("Pavillon des Tilleuls Blancs");
        index.add_code("10003456789", Label::ProfessionalLicence);
        assert_eq!(found(&index, "un petit foyer, maladie de Parkinson, urine"), [""; 0]);
        assert_eq!(
            found(&index, "vu par Quintrec et le Dr Petit, avec Alan Parkinson"),
            ["Quintrec", "Petit", "Alan", "Parkinson"]
        );
        assert_eq!(found(&index, "avis PETIT demandé, yann quintrec absent"), ["PETIT"]);
        assert_eq!(
            found(&index, "LE GOFF au Pavillon des tilleuls blancs, RPPS 100 0345 6789"),
            ["LE GOFF", "Pavillon des tilleuls blancs", "100 0345 6789"]
        );
    }

    #[test]
    fn junk_is_counted_and_not_looked_for() {
        let mut index = PeopleIndex::of_staff();
        for junk in ["ne plus écrire", "interne4", "-", "N/A", "inconnu", "secrétariat"] {
            index.add_person(&[junk], "");
        }
        assert_eq!((index.junk(), index.people(), index.is_empty()), (6, 0, true));
        for name in ["Le Petit", "Dos Santos", "Bon", "Grand"] {
            index.add_person(&[name], "");
        }
        assert_eq!((index.junk(), index.people()), (6, 4));
    }

    #[test]
    fn many_rows_are_looked_up_by_hash() {
        let mut index = PeopleIndex::of_staff();
        let letters = |mut n: usize| -> String {
            (0..6)
                .map(|_| {
                    let c = b'a' + (n % 26) as u8;
                    n /= 26;
                    c as char
                })
                .collect()
        };
        (0..200_000).for_each(|i| index.add_person(&[&format!("Zk{}", letters(i))], "Yann"));
        let text = format!("Vu par Zk{} ce jour. ", letters(199_999)).repeat(500);
        let started = std::time::Instant::now();
        assert_eq!(found(&index, &text).len(), 500);
        assert!(started.elapsed().as_secs() < 20);
    }
}
