//! What words are: names, towns, drugs, common words, embedded as FSTs.
//!
//! One look-up of a folded word gives its [`Facts`]; [`Annotator`] does it for the tokens of a note. Names of
//! several words (towns, regions and countries, known facilities, terms of medicine) are found by walking an FST over tokens.
//! [`Pools`] holds what surrogates are drawn from. The data are written by `cargo xtask lexicons` and read in
//! place: opening a lexicon parses nothing. `data/SOURCES.md` says where each list comes from.

mod affixes;
mod annotate;
mod embedded;
mod medicine;
mod phrases;
mod pools;
mod towns;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use fst::Map;
use taire_text::{Facts, Language, Token};

pub use annotate::Annotator;
pub use medicine::{Family, Term, TermKind, term_key};
pub use pools::Pools;
pub use towns::{Town, TownKind};

use phrases::{Heads, longest};
use towns::Table;

/// What a region's or a country's name denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    /// A region, department, province or island.
    Region,
    Country,
}

/// A region or country found by name, with its code (INSEE, INE or ISO 3166; old regions carry an `R` and the
/// code of the region of today).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RegionOrCountry {
    pub kind: PlaceKind,
    code: [u8; 4],
}

impl RegionOrCountry {
    fn from_value(value: u64) -> RegionOrCountry {
        let kind = if value >> 32 == 1 { PlaceKind::Country } else { PlaceKind::Region };
        RegionOrCountry { kind, code: (value as u32).to_be_bytes() }
    }

    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.code).unwrap_or_default().trim_start_matches('\0')
    }
}

impl std::fmt::Debug for RegionOrCountry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Place({:?} {})", self.kind, self.code())
    }
}

/// What a known facility is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Facility {
    Hospital,
    HealthCentre,
    Institution,
}

impl Facility {
    fn from_value(value: u64) -> Facility {
        match value as u8 {
            b'h' => Facility::Hospital,
            b'c' => Facility::HealthCentre,
            _ => Facility::Institution,
        }
    }
}

/// The lists of one language.
pub struct Lexicon {
    language: Language,
    words: Map<&'static [u8]>,
    town_names: Map<&'static [u8]>,
    places: Map<&'static [u8]>,
    facilities: Map<&'static [u8]>,
    medicine: Map<&'static [u8]>,
    /// How the entries of `places` and `facilities` begin.
    heads: [Heads; 2],
    /// How those of `town_names` begin, once so many were looked for that the list of it pays.
    town_heads: OnceLock<Heads>,
    towns_sought: AtomicU32,
    table: Table,
    pools: OnceLock<Pools>,
}

impl Lexicon {
    /// The embedded lists of a language, opened once.
    pub fn of(language: Language) -> &'static Lexicon {
        static FR: OnceLock<Lexicon> = OnceLock::new();
        static ES: OnceLock<Lexicon> = OnceLock::new();
        match language {
            Language::Fr => FR.get_or_init(|| Lexicon::open(language)),
            Language::Es => ES.get_or_init(|| Lexicon::open(language)),
        }
    }

    fn open(language: Language) -> Lexicon {
        let data = embedded::data_of_language(language);
        let map = |bytes| Map::new(bytes).expect("the embedded lexicons are well-formed, a test opens them");
        let (town_names, places, facilities) = (map(data.town_names), map(data.places), map(data.facilities));
        Lexicon {
            language,
            words: map(data.words),
            heads: [&places, &facilities].map(Heads::of),
            town_heads: OnceLock::new(),
            towns_sought: AtomicU32::new(0),
            town_names,
            places,
            facilities,
            medicine: map(data.medicine),
            table: Table::new(data.towns, data.town_index),
            pools: OnceLock::new(),
        }
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// What the lists know of a folded word, else what its parts say; nothing is [`Facts::default`].
    pub fn facts(&self, folded: &str) -> Facts {
        match self.words.get(folded) {
            Some(bits) => Facts::from_bits(bits),
            None => affixes::guess(folded, self.language),
        }
    }

    /// What the lists know of a folded word, by itself and not by its parts.
    pub fn listed(&self, folded: &str) -> Option<Facts> {
        self.words.get(folded).map(Facts::from_bits)
    }

    /// Every word of the lists with its facts, in order.
    pub fn for_each_word(&self, mut each: impl FnMut(&str, Facts)) {
        use fst::Streamer;
        let mut stream = self.words.stream();
        while let Some((word, bits)) = stream.next() {
            each(std::str::from_utf8(word).unwrap_or_default(), Facts::from_bits(bits));
        }
    }

    /// Towns that go by a folded name, words joined by one space (`aix en provence`).
    pub fn towns_named(&self, folded: &str) -> impl Iterator<Item = Town<'static>> + use<> {
        self.table.run(self.town_names.get(folded).unwrap_or(0))
    }

    /// Whether a folded name is a town's or a foreign city's.
    pub fn is_town_name(&self, folded: &str) -> bool {
        self.town_names.contains_key(folded)
    }

    /// How many tokens, from `at` on, the longest town name takes. Hyphens, apostrophes and spaces are alike.
    pub fn longest_town(&self, norm: &str, tokens: &[Token], at: usize) -> Option<usize> {
        self.longest_town_name(norm, tokens, at).map(|(length, _)| length)
    }

    /// The longest town name from `at` on, and the towns that bear it (none for a foreign city).
    pub fn town_at(
        &self,
        norm: &str,
        tokens: &[Token],
        at: usize,
    ) -> Option<(usize, impl Iterator<Item = Town<'static>> + use<>)> {
        let (length, run) = self.longest_town_name(norm, tokens, at)?;
        Some((length, self.table.run(run)))
    }

    fn longest_town_name(&self, norm: &str, tokens: &[Token], at: usize) -> Option<(usize, u64)> {
        if self.town_heads().is_some_and(|heads| !heads.may_start(norm, tokens, at)) {
            return None;
        }
        longest(self.town_names.as_fst(), norm, tokens, at)
    }

    fn town_heads(&self) -> Option<&Heads> {
        const PAYS: u32 = 20_000;
        match self.town_heads.get() {
            None if self.towns_sought.fetch_add(1, Ordering::Relaxed) < PAYS => None,
            None => Some(self.town_heads.get_or_init(|| Heads::of(&self.town_names))),
            heads => heads,
        }
    }

    /// Towns served by a postal code of five digits.
    pub fn towns_by_postal(&self, code: &str) -> impl Iterator<Item = Town<'static>> + use<> {
        self.table.by_postal(code)
    }

    /// The town of an INSEE or INE code.
    pub fn town_by_code(&self, code: &str) -> Option<Town<'static>> {
        self.table.by_code(code)
    }

    pub fn town(&self, index: usize) -> Option<Town<'static>> {
        self.table.get(index)
    }

    pub fn town_count(&self) -> usize {
        self.table.len()
    }

    /// Every town: those of today by code, then arrondissements, then former towns.
    pub fn towns(&self) -> impl Iterator<Item = Town<'static>> + use<> {
        self.table.all()
    }

    /// The region, department, province or country of a folded name.
    pub fn place(&self, folded: &str) -> Option<RegionOrCountry> {
        self.places.get(folded).map(RegionOrCountry::from_value)
    }

    /// The longest name of a region or country from token `at` on.
    pub fn longest_place(&self, norm: &str, tokens: &[Token], at: usize) -> Option<(usize, RegionOrCountry)> {
        self.heads[0].may_start(norm, tokens, at).then_some(())?;
        longest(self.places.as_fst(), norm, tokens, at)
            .map(|(n, value)| (n, RegionOrCountry::from_value(value)))
    }

    /// What a folded name is, if it is a known facility's.
    pub fn facility(&self, folded: &str) -> Option<Facility> {
        self.facilities.get(folded).map(Facility::from_value)
    }

    /// The longest name of a known facility from token `at` on.
    pub fn longest_facility(&self, norm: &str, tokens: &[Token], at: usize) -> Option<(usize, Facility)> {
        self.heads[1].may_start(norm, tokens, at).then_some(())?;
        longest(self.facilities.as_fst(), norm, tokens, at).map(|(n, value)| (n, Facility::from_value(value)))
    }

    /// The longest term of medicine from token `at` on. Articles and the plural do not count.
    pub fn longest_term(&self, norm: &str, tokens: &[Token], at: usize) -> Option<(usize, Term)> {
        medicine::longest(self.medicine.as_fst(), self.language, norm, tokens, at)
    }

    pub fn pools(&self) -> &Pools {
        self.pools.get_or_init(|| Pools::parse(embedded::data_of_language(self.language).pools))
    }
}

impl std::fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lexicon").field("language", &self.language).finish_non_exhaustive()
    }
}
