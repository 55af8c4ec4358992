//! What the lexicons know of one word, packed so that one look-up answers every question.

use std::fmt;

use taire_lang::Gender;

/// Why an entry of a name list needs a trigger or a neighbour before it counts as a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Careful {
    CommonWord,
    Drug,
    Eponym,
    Medical,
}

/// Facts about one folded word. Zero means: unknown to every list.
///
/// | bits | fact |
/// |---|---|
/// | 0–2 | given name, tier 1 (rare) to 7 (most frequent), 0 none |
/// | 3–9 | share of women among its bearers, in percent |
/// | 10–12 | family name, tier as above |
/// | 13–14 | ordinary word: 0 no, 1 in the dictionary, 2 frequent, 3 function word |
/// | 15 drug, 16 eponym, 17 medical term, 18 profession, 19 country, 20 demonym | |
/// | 21 a town by itself, 22 first word of a longer town name, 23 way type (rue, calle) | |
/// | 24 region, department or province, 25 first word of a known facility's name | |
/// | 48–55 | keyword class, given by the detectors' own tables, 0 none |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Facts(u64);

macro_rules! flags {
    ($($bit:literal $get:ident $with:ident;)+) => {
        $(
            #[inline]
            pub fn $get(self) -> bool { self.0 & (1 << $bit) != 0 }
            #[inline]
            pub fn $with(self) -> Self { Facts(self.0 | (1 << $bit)) }
        )+
    };
}

impl Facts {
    #[inline]
    pub fn from_bits(bits: u64) -> Self {
        Facts(bits)
    }

    #[inline]
    pub fn bits(self) -> u64 {
        self.0
    }

    flags! {
        15 is_drug with_drug;
        16 is_eponym with_eponym;
        17 is_medical with_medical;
        18 is_profession with_profession;
        19 is_country with_country;
        20 is_demonym with_demonym;
        21 is_town with_town;
        22 starts_town with_town_start;
        23 is_way with_way;
        24 is_region with_region;
        25 starts_facility with_facility_start;
    }

    #[inline]
    fn field(self, shift: u32, bits: u32) -> u8 {
        (self.0 >> shift & ((1 << bits) - 1)) as u8
    }

    #[inline]
    fn set(self, shift: u32, bits: u32, value: u8) -> Self {
        let mask = ((1u64 << bits) - 1) << shift;
        Facts(self.0 & !mask | (u64::from(value) << shift & mask))
    }

    /// 0 if no given name, else 1 (rare) to 7 (most frequent).
    #[inline]
    pub fn given_tier(self) -> u8 {
        self.field(0, 3)
    }

    #[inline]
    pub fn with_given(self, tier: u8, female_percent: u8) -> Self {
        self.set(0, 3, tier.min(7)).set(3, 7, female_percent.min(100))
    }

    /// Share of women among the bearers of this given name, in percent.
    #[inline]
    pub fn female_percent(self) -> u8 {
        self.field(3, 7)
    }

    /// The sex of a given name borne by one sex nine times in ten or more.
    #[inline]
    pub fn gender(self) -> Option<Gender> {
        match (self.given_tier(), self.female_percent()) {
            (0, _) => None,
            (_, 90..) => Some(Gender::Female),
            (_, ..=10) => Some(Gender::Male),
            _ => None,
        }
    }

    /// 0 if no family name, else 1 (rare) to 7 (most frequent).
    #[inline]
    pub fn family_tier(self) -> u8 {
        self.field(10, 3)
    }

    #[inline]
    pub fn with_family(self, tier: u8) -> Self {
        self.set(10, 3, tier.min(7))
    }

    /// 0 no, 1 in the dictionary, 2 frequent, 3 function word.
    #[inline]
    pub fn word_class(self) -> u8 {
        self.field(13, 2)
    }

    #[inline]
    pub fn with_word_class(self, class: u8) -> Self {
        self.set(13, 2, class.min(3))
    }

    #[inline]
    pub fn keyword(self) -> u8 {
        self.field(48, 8)
    }

    #[inline]
    pub fn with_keyword(self, class: u8) -> Self {
        self.set(48, 8, class)
    }

    #[inline]
    pub fn is_name(self) -> bool {
        self.given_tier() > 0 || self.family_tier() > 0
    }

    /// Why this word needs more than being on a list of names.
    #[inline]
    pub fn careful(self) -> Option<Careful> {
        if self.is_drug() {
            Some(Careful::Drug)
        } else if self.is_eponym() {
            Some(Careful::Eponym)
        } else if self.is_medical() {
            Some(Careful::Medical)
        } else if self.word_class() > 0 {
            Some(Careful::CommonWord)
        } else {
            None
        }
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Facts(given {} {}%f, family {}, word {}, {:?}, keyword {}, {:#x})",
            self.given_tier(),
            self.female_percent(),
            self.family_tier(),
            self.word_class(),
            self.careful(),
            self.keyword(),
            self.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_disturb_each_other() {
        let facts = Facts::default()
            .with_given(7, 97)
            .with_family(3)
            .with_word_class(2)
            .with_town()
            .with_keyword(200);
        assert_eq!((facts.given_tier(), facts.female_percent(), facts.family_tier()), (7, 97, 3));
        assert_eq!((facts.word_class(), facts.keyword()), (2, 200));
        assert_eq!(facts.gender(), Some(Gender::Female));
        assert_eq!(facts.careful(), Some(Careful::CommonWord));
        assert!(facts.is_town() && !facts.starts_town() && !facts.is_drug());
    }
}
