//! The towns of one language, grouped so that a town finds others of its size in a department.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use taire_lexicon::{Lexicon, Town, TownKind};
use taire_text::{Kind, Language, fold, fold_into, tokenise};

use crate::areas;
use crate::wider::Size;

pub(crate) type AnyTown = Town<'static>;

/// Towns smaller than this are not drawn: too few people live there to hide among.
const SMALLEST: u32 = 300;

pub(crate) struct Gazetteer {
    language: Language,
    lexicon: &'static Lexicon,
    /// Towns that may be drawn, with their inhabitants, by department.
    by_department: BTreeMap<&'static str, Vec<(usize, u32)>>,
    /// Departments by region, in order.
    by_region: BTreeMap<&'static str, Vec<&'static str>>,
}

impl Gazetteer {
    pub(crate) fn of(language: Language) -> &'static Gazetteer {
        static FRENCH: OnceLock<Gazetteer> = OnceLock::new();
        static SPANISH: OnceLock<Gazetteer> = OnceLock::new();
        match language {
            Language::Fr => FRENCH.get_or_init(|| Gazetteer::build(language)),
            Language::Es => SPANISH.get_or_init(|| Gazetteer::build(language)),
        }
    }

    fn build(language: Language) -> Gazetteer {
        let lexicon = Lexicon::of(language);
        let mut by_department: BTreeMap<_, Vec<(usize, u32)>> = BTreeMap::new();
        let mut by_region: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for town in lexicon.towns().filter(|t| t.kind() == TownKind::Town) {
            let plain = town.name().chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\''));
            if inhabitants(&town) >= SMALLEST && plain && town.postal_codes().len() > 0 {
                by_department.entry(town.department()).or_default().push((town.index(), inhabitants(&town)));
                let departments = by_region.entry(town.region()).or_default();
                if let Err(at) = departments.binary_search(&town.department()) {
                    departments.insert(at, town.department());
                }
            }
        }
        Gazetteer { language, lexicon, by_department, by_region }
    }

    /// Departments of the region that holds this one, itself included, in order.
    pub(crate) fn siblings(&self, department: &str) -> &[&'static str] {
        self.by_region.values().find(|d| d.contains(&department)).map_or(&[], Vec::as_slice)
    }

    /// Departments of the area that holds this one: its region, or several regions that have few departments each.
    pub(crate) fn area(&self, department: &str) -> Vec<&'static str> {
        match self.region_of(department).and_then(|region| areas::joined(region, self.language)) {
            Some(regions) => {
                regions.iter().filter_map(|r| self.by_region.get(r)).flatten().copied().collect()
            }
            None => self.siblings(department).to_vec(),
        }
    }

    /// The code of the region that holds a department.
    pub(crate) fn region_of(&self, department: &str) -> Option<&'static str> {
        self.by_region.iter().find(|(_, d)| d.contains(&department)).map(|(region, _)| *region)
    }

    /// The departments of a region, in order.
    pub(crate) fn departments_of(&self, region: &str) -> &[&'static str] {
        self.by_region.get(region).map_or(&[], Vec::as_slice)
    }

    /// The towns of a region that may be drawn, in order. They do not depend on the town that is replaced.
    pub(crate) fn of_region(&self, region: &str) -> Vec<AnyTown> {
        let departments = self.by_region.get(region).map_or(&[][..], Vec::as_slice);
        let towns = departments.iter().filter_map(|d| self.by_department.get(d)).flatten();
        towns.filter_map(|&(i, _)| self.lexicon.town(i)).collect()
    }

    pub(crate) fn regions(&self) -> impl Iterator<Item = &'static str> {
        self.by_region.keys().copied()
    }

    pub(crate) fn departments(&self) -> impl Iterator<Item = &'static str> {
        self.by_department.keys().copied()
    }

    /// Towns of a department that may be drawn for one of a size: those of the same size, or where there are fewer than
    /// `at_least`, those nearest to what is usual for it. Towns of one size have the same candidates: an exact
    /// population would show in the smallest and largest town ever drawn.
    pub(crate) fn alike(&self, department: &str, size: Size, at_least: usize) -> Vec<AnyTown> {
        let all = self.by_department.get(department).map_or(&[][..], Vec::as_slice);
        let mut towns: Vec<usize> = all.iter().filter(|t| Size::of(t.1) == size).map(|t| t.0).collect();
        if towns.len() < at_least {
            // In thousandths.
            let ratio = |inhabitants: u32| {
                let (a, b) = (u64::from(inhabitants.max(1)), u64::from(size.usual()));
                a.max(b) * 1000 / a.min(b)
            };
            let mut ordered: Vec<(u64, usize)> = all.iter().map(|&(i, n)| (ratio(n), i)).collect();
            ordered.sort_unstable();
            ordered.truncate(at_least);
            towns = ordered.into_iter().map(|(_, i)| i).collect();
        }
        towns.into_iter().filter_map(|i| self.lexicon.town(i)).collect()
    }

    /// Towns that go by a name as written, with `St` and `Ste` read in full.
    pub(crate) fn named(&self, written: &str) -> Vec<AnyTown> {
        let folded = search_form(written);
        let mut found: Vec<_> = self.lexicon.towns_named(&folded).collect();
        if found.is_empty() {
            let full: Vec<&str> = folded
                .split(' ')
                .map(|w| match w {
                    "st" => "saint",
                    "ste" => "sainte",
                    "sta" => "santa",
                    "s" => "sur",
                    w => w,
                })
                .collect();
            found = self.lexicon.towns_named(&full.join(" ")).collect();
        }
        found
    }

    /// The largest town served by a postal code.
    pub(crate) fn served_by(&self, code: &str) -> Option<AnyTown> {
        self.lexicon.towns_by_postal(code).max_by_key(|t| (inhabitants(t), std::cmp::Reverse(t.index())))
    }
}

/// How many people live there; where no source says, guessed from the postal codes, which great towns have many of.
pub(crate) fn inhabitants(town: &AnyTown) -> u32 {
    match (town.population(), town.postal_codes().len()) {
        (0, codes @ 0..=1) => 1_000 * codes as u32,
        (0, codes) => 12_000 * codes as u32,
        (known, _) => known,
    }
}

/// Folded words joined by one space, as towns are searched.
pub(crate) fn search_form(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokenise(text).iter().filter(|t| matches!(t.kind, Kind::Word | Kind::Number)) {
        if !out.is_empty() {
            out.push(' ');
        }
        fold_into(token.of(text), &mut out);
    }
    out
}

/// The department a postal code of five digits belongs to.
pub(crate) fn department_of_postal(code: &str, language: Language) -> Option<&str> {
    let two = code.get(..2)?;
    Some(match (language, two) {
        (Language::Fr, "97") => code.get(..3)?,
        (Language::Fr, "20") if fold(code) < fold("20200") => "2A",
        (Language::Fr, "20") => "2B",
        _ => two,
    })
}
