//! What values are drawn from: the lexicons, lists by origin, words that are kept.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use taire_lexicon::Lexicon;
use taire_text::{Gender, Language, fold};

use crate::generate::names::{Names, capitalised, gender_index};

const ORIGINS: &str = include_str!("origins.txt");
const KEPT: &str = include_str!("words.txt");
const PLACES: &str = include_str!("places.txt");
const FRENCH: &str = include_str!("../generate/templates/fr/words.txt");
const SPANISH: &str = include_str!("../generate/templates/es/words.txt");

/// Names that come from one part of the world.
#[derive(Default, Debug)]
pub(super) struct Origin {
    pub(super) family: Vec<String>,
    pub(super) given: [Vec<String>; 2],
}

#[derive(Debug)]
pub(super) struct Stock {
    pub(super) language: Language,
    pub(super) lexicon: &'static Lexicon,
    pub(super) names: Names,
    pub(super) origins: Vec<Origin>,
    family_origins: FxHashMap<String, usize>,
    given_origins: FxHashMap<String, (usize, Gender)>,
    /// Given names that are also words: Rose, Prudence, Consuelo.
    pub(super) word_given: [Vec<String>; 2],
    kept: [FxHashSet<&'static str>; 3],
    /// Ends of streets by their way: `rue` → `des Lilas`.
    pub(super) streets: FxHashMap<String, Vec<&'static str>>,
    pub(super) ways: Vec<&'static str>,
    /// Professions by their last letters, which tell their gender.
    pub(super) professions: FxHashMap<String, Vec<String>>,
    pub(super) abroad: Vec<String>,
    pub(super) houses: Vec<String>,
    pub(super) hamlets: Vec<String>,
    pub(super) regions: Vec<&'static str>,
    pub(super) countries: Vec<&'static str>,
}

impl Stock {
    pub(super) fn of_language(language: Language) -> &'static Stock {
        static FR: OnceLock<Stock> = OnceLock::new();
        static ES: OnceLock<Stock> = OnceLock::new();
        match language {
            Language::Fr => FR.get_or_init(|| Stock::new(language)),
            Language::Es => ES.get_or_init(|| Stock::new(language)),
        }
    }

    fn new(language: Language) -> Stock {
        let lexicon = Lexicon::of(language);
        let (templates, houses, hamlets, abroad) = match language {
            Language::Fr => (FRENCH, "house", "hamlet", "abroad"),
            Language::Es => (SPANISH, "casa", "lugar", "extranjero"),
        };
        let mut stock = Stock {
            language,
            lexicon,
            names: Names::of(language),
            origins: Vec::new(),
            family_origins: FxHashMap::default(),
            given_origins: FxHashMap::default(),
            word_given: Default::default(),
            kept: Default::default(),
            streets: FxHashMap::default(),
            ways: Vec::new(),
            professions: FxHashMap::default(),
            abroad: list(PLACES, abroad),
            houses: list(PLACES, houses),
            hamlets: list(PLACES, hamlets),
            regions: template_list(templates, "region"),
            countries: template_list(templates, "country"),
        };
        stock.read_origins();
        for line in lines(KEPT) {
            let mut words = line.split(' ');
            let group = match words.next() {
                Some("facility") => KeptWords::Facility,
                Some("street") => KeptWords::Street,
                _ => KeptWords::Contact,
            };
            stock.kept[group as usize].extend(words);
        }
        for street in lexicon.pools().streets() {
            if let Some((way, tail)) = street.split_once(' ') {
                stock.streets.entry(fold(way)).or_default().push(tail);
                stock.ways.push(street);
            }
        }
        lexicon.for_each_word(|word, facts| {
            if word.chars().count() < 4 || !word.chars().all(char::is_alphabetic) {
                return;
            }
            if let (3.., 1 | 2, Some(gender)) = (facts.given_tier(), facts.word_class(), facts.gender()) {
                stock.word_given[gender_index(gender)].push(capitalised(word));
            }
            if facts.is_profession() && !facts.is_medical() {
                stock.professions.entry(ending(word)).or_default().push(word.to_owned());
            }
        });
        stock
    }

    fn read_origins(&mut self) {
        let mut index: FxHashMap<&str, usize> = FxHashMap::default();
        for line in lines(ORIGINS) {
            let mut words = line.split(' ');
            let (name, what) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let at = *index.entry(name).or_insert_with(|| {
                self.origins.push(Origin::default());
                self.origins.len() - 1
            });
            for name in words.map(|w| w.replace('_', " ")) {
                let key = fold(name.rsplit([' ', '\'']).next().unwrap_or(&name));
                match what {
                    "family" => {
                        self.family_origins.entry(key).or_insert(at);
                        self.origins[at].family.push(name);
                    }
                    what => {
                        let gender = if what == "female" { Gender::Female } else { Gender::Male };
                        self.given_origins.entry(key).or_insert((at, gender));
                        self.origins[at].given[gender_index(gender)].push(name);
                    }
                }
            }
        }
    }

    /// Where a folded word of a family name comes from, if a list says so.
    pub(super) fn family_origin(&self, folded: &str) -> Option<usize> {
        self.family_origins.get(folded).copied()
    }

    pub(super) fn given_origin(&self, folded: &str) -> Option<(usize, Gender)> {
        self.given_origins.get(folded).copied()
    }

    /// Whether a folded word says what a thing is, not which one.
    pub(super) fn is_kept(&self, group: KeptWords, folded: &str) -> bool {
        self.kept[group as usize].contains(folded)
    }
}

/// The lists of `words.txt`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeptWords {
    Facility,
    Street,
    Contact,
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|l| !l.starts_with('#') && !l.is_empty())
}

fn list(text: &'static str, name: &str) -> Vec<String> {
    let line = lines(text).find_map(|l| l.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().map(|w| w.replace('_', " ")).collect()
}

/// The plain entries of a list of the templates.
fn template_list(text: &'static str, name: &str) -> Vec<&'static str> {
    let head = format!("@@ {name}");
    let entries = text.lines().skip_while(|l| *l != head).skip(1).take_while(|l| !l.starts_with("@@"));
    entries.filter(|l| !l.is_empty() && !l.contains(['{', '[', '#'])).collect()
}

/// The last three letters of a word.
pub(super) fn ending(folded: &str) -> String {
    let skip = folded.chars().count().saturating_sub(3);
    folded.chars().skip(skip).collect()
}
