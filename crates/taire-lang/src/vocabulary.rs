//! The words of one language, and of all at once.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::calendar::CalendarNames;
use crate::parse::{DataError, DataFile, WordRow};
use crate::{Gender, Language, Number, WordRole, WordRoles, fold_hash};

/// What is known of one word.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Word {
    pub roles: WordRoles,
    /// The sex of the person it denotes: `madame`, `hermano`.
    pub gender: Option<Gender>,
    /// Its part in a number in letters.
    pub number: Option<Number>,
    class: u8,
}

/// Participles that agree with the person before them: `née le`, `fue intervenido`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Participles {
    /// What a woman's and a man's add to the stem.
    pub endings: [Box<str>; 2],
    pub stems: Vec<Box<str>>,
    /// Words between the person and the participle.
    pub auxiliaries: Vec<Box<str>>,
}

/// The words of one language with their roles, each found by one look-up of its [`fold_hash`].
#[derive(Debug)]
pub struct Vocabulary {
    words: FxHashMap<u64, Word>,
    /// Each word as the data files write it, in their order.
    forms: Vec<(Box<str>, u64)>,
    calendar: CalendarNames,
    thirds: [Box<str>; 3],
    sexes: Vec<[Box<str>; 2]>,
    relations: Vec<[Vec<Box<str>>; 2]>,
    participles: Participles,
    abbreviated: Vec<[Box<str>; 2]>,
    /// By the short form, the whole names.
    diminutives: FxHashMap<Box<str>, Vec<Box<str>>>,
}

/// The embedded data files: one for each language, in the order of [`Language::ALL`], then what they share.
static FILES: LazyLock<Vec<(Option<Language>, DataFile)>> = LazyLock::new(|| {
    let read =
        |text| DataFile::parse(text).expect("the embedded vocabularies are well-formed, a test reads them");
    let own = Language::ALL.iter().map(|&language| (Some(language), read(language.data())));
    own.chain([(None, read(SHARED))]).collect()
});

const SHARED: &str = include_str!("../data/any.tsv");

pub(crate) fn files() -> impl Iterator<Item = (Option<Language>, &'static DataFile)> {
    FILES.iter().map(|(language, file)| (*language, file))
}

impl Vocabulary {
    /// The vocabulary of a language, with the words that all share.
    #[inline]
    pub fn of(language: Language) -> &'static Vocabulary {
        static ALL: LazyLock<Vec<Vocabulary>> = LazyLock::new(|| {
            let own = |&language| files().filter(move |(l, _)| l.is_none_or(|l| l == language));
            Language::ALL.iter().map(|language| Vocabulary::build(own(language).collect())).collect()
        });
        &ALL[language as usize]
    }

    /// The words of all languages: a word has the roles that any of them gives it.
    #[inline]
    pub fn any() -> &'static Vocabulary {
        static ANY: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::build(files().collect()));
        &ANY
    }

    /// Reads a vocabulary from the text of a data file, with the words that all languages share.
    pub fn parse(text: &str) -> Result<Vocabulary, DataError> {
        let own = DataFile::parse(text)?;
        let mut both = vec![(None, &own)];
        for shared in files().filter(|(language, _)| language.is_none()) {
            both.push(shared);
        }
        Ok(Vocabulary::build(both))
    }

    fn build(files: Vec<(Option<Language>, &DataFile)>) -> Vocabulary {
        let mut words: FxHashMap<u64, Word> = FxHashMap::default();
        let mut forms = Vec::new();
        for row in files.iter().flat_map(|(_, file)| &file.words) {
            let known = words.entry(row.hash).or_insert_with(|| {
                forms.push((row.form.clone(), row.hash));
                Word::default()
            });
            known.join(row);
        }
        let own = |pick: fn(&DataFile) -> &Vec<[Box<str>; 2]>| {
            files.iter().flat_map(|(_, f)| pick(f).clone()).collect()
        };
        let mut diminutives: FxHashMap<Box<str>, Vec<Box<str>>> = FxHashMap::default();
        for [short, whole] in files.iter().flat_map(|(_, file)| &file.diminutives) {
            diminutives.entry(short.clone()).or_default().push(whole.clone());
        }
        Vocabulary {
            diminutives,
            words,
            forms,
            thirds: files.iter().find_map(|(_, f)| f.thirds.clone()).unwrap_or_default(),
            sexes: own(|file| &file.sexes),
            relations: files.iter().flat_map(|(_, f)| f.relations.clone()).collect(),
            participles: files.first().map(|(_, f)| f.participles.clone()).unwrap_or_default(),
            abbreviated: own(|file| &file.abbreviated),
            calendar: CalendarNames::build(files.into_iter()),
        }
    }

    /// What is known of a word, by its [`fold_hash`].
    #[inline]
    pub fn word(&self, hash: u64) -> Option<Word> {
        self.words.get(&hash).copied()
    }

    /// The roles of a word, by its [`fold_hash`]; none if it is not in the vocabulary.
    #[inline]
    pub fn roles(&self, hash: u64) -> WordRoles {
        self.word(hash).unwrap_or_default().roles
    }

    /// Whether a word, in any case and with or without accents, has a role.
    #[inline]
    pub fn has(&self, word: &str, role: WordRole) -> bool {
        self.roles(fold_hash(word)).has(role)
    }

    /// The class of a word as it is written into the facts of a token, by its [`fold_hash`]: 0 for none.
    #[inline]
    pub fn class(&self, hash: u64) -> u8 {
        self.words.get(&hash).map_or(0, |word| word.class)
    }

    /// The words of a role, as the data files write them and in their order.
    pub fn words_with(&self, role: WordRole) -> impl Iterator<Item = &str> {
        self.words().filter(move |(_, word)| word.roles.has(role)).map(|(form, _)| form)
    }

    /// Every word.
    pub fn words(&self) -> impl Iterator<Item = (&str, Word)> {
        self.forms.iter().map(|(form, hash)| (&**form, self.words[hash]))
    }

    /// The months, week days and seasons of this vocabulary alone.
    pub fn calendar(&self) -> &CalendarNames {
        &self.calendar
    }

    /// How the start, the middle and the end of a month or a year are written before it: `début `, `mi-`, `fin `.
    pub fn thirds(&self) -> &[Box<str>; 3] {
        &self.thirds
    }

    /// Words for a woman and a man: `femme` and `homme`, `F` and `M`.
    pub fn sexes(&self) -> &[[Box<str>; 2]] {
        &self.sexes
    }

    /// Relations: the words for a woman and those for a man. The first is the one that is written.
    pub fn relations(&self) -> &[[Vec<Box<str>>; 2]] {
        &self.relations
    }

    pub fn participles(&self) -> &Participles {
        &self.participles
    }

    /// The whole name that a customary abbreviation stands for, folded: `Mª` is `maria`.
    pub fn expand(&self, written: &str) -> Option<&str> {
        self.abbreviated.iter().find(|[short, _]| **short == *written).map(|[_, whole]| &**whole)
    }

    /// The given names that a familiar form is short for, folded as it is: `trini` is `trinidad`, `toni` `antonio` or `antonia`.
    pub fn whole_names(&self, short: &str) -> &[Box<str>] {
        self.diminutives.get(short).map_or(&[], Vec::as_slice)
    }
}

impl Word {
    /// The first row of a word decides what only one can: a language before what all share.
    fn join(&mut self, row: &WordRow) {
        self.roles = self.roles.union(row.roles);
        self.gender = self.gender.or(row.gender);
        self.number = self.number.or(row.number);
        if self.class == 0 {
            self.class = row.class;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_vocabularies_are_read() {
        for &language in Language::ALL {
            let vocabulary = Vocabulary::of(language);
            assert!(vocabulary.words().count() > 600, "{language}");
            assert!(!vocabulary.sexes().is_empty());
            assert_eq!(vocabulary.relations().len(), 8);
            assert!(vocabulary.thirds().iter().all(|word| !word.is_empty()));
            assert!(!vocabulary.participles().stems.is_empty());
            assert!(CalendarNames::get().full_months(language).is_some());
        }
        assert_eq!(Vocabulary::any().expand("Mª"), Some("maria"));
        let spanish = Vocabulary::of(Language::Es);
        assert_eq!(spanish.whole_names("toni"), [Box::from("antonio"), Box::from("antonia")]);
        assert!(spanish.whole_names("trinidad").is_empty());
    }

    #[test]
    fn diminutives_are_folded_and_lead_to_whole_names() {
        for vocabulary in Language::ALL.iter().map(|&language| Vocabulary::of(language)) {
            for (short, whole) in &vocabulary.diminutives {
                let folded = |name: &str| crate::fold(name) == name;
                assert!(folded(short) && whole.iter().all(|name| folded(name)), "{short}");
                let short_again = whole.iter().any(|name| vocabulary.diminutives.contains_key(name));
                assert!(!short_again, "{short} leads to another short form");
            }
        }
    }

    #[test]
    fn every_role_is_borne_by_some_word() {
        for &role in WordRole::ALL {
            assert!(Vocabulary::any().words_with(role).next().is_some(), "no word is a {}", role.key());
        }
    }

    #[test]
    fn the_first_class_of_a_row_counts_and_a_language_comes_before_what_all_share() {
        let spanish = Vocabulary::of(Language::Es);
        let class = |word| spanish.class(fold_hash(word));
        assert_eq!(class("residente"), WordRole::RoleWord as u8 + 1);
        assert_eq!(class("D"), WordRole::TitleMale as u8 + 1);
        assert_eq!(class("VON"), WordRole::Particle as u8 + 1);
        assert_eq!(class("plaquetas"), 0);
    }

    #[test]
    fn a_wrong_line_is_refused_with_its_number() {
        for (text, line) in [
            ("# words\nvon\tparticle\nzu\tpartikel\n", 3),
            ("!months\tfull\tuno duo tres\n", 1),
            ("!feasts\tnoël\n", 1),
            ("von\tparticle\n\nVon\tparticle\n", 3),
            ("vier\tnumber=four\n", 1),
        ] {
            assert_eq!(DataFile::parse(text).unwrap_err().line, line, "{text}");
        }
    }
}
