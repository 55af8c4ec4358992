//! The names of months, week days and seasons of all languages, as they are read and as they are written.
//!
//! A date is read in any language and written back in the style it was read in. A style is a row of names; a set of rows is a
//! bit set, because one reading often fits several (`mai` is long and short).

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::parse::{DataFile, array};
use crate::{Language, fold_hash, vocabulary};

/// Names in the order of the calendar, in one style.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameRow<const N: usize> {
    /// Written in full, not shortened.
    pub full: bool,
    pub names: [Box<str>; N],
    /// The language that writes so; `None` for rows that belong to none.
    pub language: Option<Language>,
    hashes: [u64; N],
}

impl<const N: usize> NameRow<N> {
    pub(crate) fn parse(style: &str, names: &str) -> Result<NameRow<N>, &'static str> {
        let full = match style {
            "full" => true,
            "short" => false,
            _ => return Err("a style is full or short"),
        };
        let names: [Box<str>; N] = array(names)?;
        let hashes = std::array::from_fn(|i| fold_hash(&names[i]));
        Ok(NameRow { full, names, language: None, hashes })
    }

    /// Whether the name at an index is this one, case and accents aside. `hash` is the [`fold_hash`] of a word.
    pub fn is(&self, index: usize, hash: u64) -> bool {
        self.hashes[index] == hash
    }
}

/// What a word is in the calendar. `mar` is a month and a week day.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CalendarWord {
    /// From 1.
    pub month: Option<u8>,
    /// From 0, Monday first.
    pub weekday: Option<u8>,
    /// From 0, spring first.
    pub season: Option<u8>,
}

/// The calendars of all languages.
#[derive(Debug)]
pub struct CalendarNames {
    months: Vec<NameRow<12>>,
    weekdays: Vec<NameRow<7>>,
    seasons: Vec<NameRow<4>>,
    words: FxHashMap<u64, CalendarWord>,
}

impl CalendarNames {
    /// The calendars of the embedded data files.
    pub fn get() -> &'static CalendarNames {
        static CALENDAR: LazyLock<CalendarNames> =
            LazyLock::new(|| CalendarNames::build(vocabulary::files()));
        &CALENDAR
    }

    pub(crate) fn build<'a>(files: impl Iterator<Item = (Option<Language>, &'a DataFile)>) -> CalendarNames {
        let (mut months, mut weekdays, mut seasons) = (Vec::new(), Vec::new(), Vec::new());
        let mut words: FxHashMap<u64, CalendarWord> = FxHashMap::default();
        for (language, file) in files {
            add(&mut months, &file.months, language, |hash, i| {
                words.entry(hash).or_default().month.get_or_insert(i + 1);
            });
            add(&mut weekdays, &file.weekdays, language, |hash, i| {
                words.entry(hash).or_default().weekday.get_or_insert(i);
            });
            add(&mut seasons, &file.seasons, language, |hash, i| {
                words.entry(hash).or_default().season.get_or_insert(i);
            });
            for word in &file.words {
                if let Some(month) = word.month {
                    words.entry(word.hash).or_default().month.get_or_insert(month);
                }
            }
        }
        CalendarNames { months, weekdays, seasons, words }
    }

    /// What a word is, by its [`fold_hash`].
    #[inline]
    pub fn word(&self, hash: u64) -> CalendarWord {
        self.words.get(&hash).copied().unwrap_or_default()
    }

    pub fn months(&self) -> &[NameRow<12>] {
        &self.months
    }

    pub fn weekdays(&self) -> &[NameRow<7>] {
        &self.weekdays
    }

    pub fn seasons(&self) -> &[NameRow<4>] {
        &self.seasons
    }

    /// The months of a language in full, as it writes them.
    pub fn full_months(&self, language: Language) -> Option<&NameRow<12>> {
        self.months.iter().find(|row| row.full && row.language == Some(language))
    }
}

fn add<const N: usize>(
    rows: &mut Vec<NameRow<N>>,
    new: &[NameRow<N>],
    language: Option<Language>,
    mut each: impl FnMut(u64, u8),
) {
    for row in new {
        for (i, &hash) in row.hashes.iter().enumerate() {
            each(hash, i as u8);
        }
        rows.push(NameRow { language, ..row.clone() });
    }
}
