//! What medicine is kept: terms read in a document before and after ([`terms`]), counted by category as multisets
//! (FASDIM's second step, Chazard et al. 2014).
//!
//! A term is kept as often as both texts hold it. Terms are found by the lists of `taire-lexicon` and by their form
//! ([`scan`]), never by the detectors that decide what is hidden.

mod code;
mod form;
mod quantity;
mod scan;

use std::cmp::Ordering;
use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

pub use scan::{families, terms};
pub use taire_lexicon::Family;

/// What a term is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Diseases, symptoms, reasons to come.
    Disease,
    Drug,
    /// Acts and examinations.
    Act,
    /// What a laboratory or a bedside measured, with its value and unit.
    Result,
    /// Any other value with a unit: doses, sizes.
    Measure,
    /// A code of ICD-10, CCAM or ATC.
    Code,
    /// Other words of medicine.
    Other,
}

impl Category {
    pub const ALL: [Category; 7] = [
        Category::Disease,
        Category::Drug,
        Category::Act,
        Category::Result,
        Category::Measure,
        Category::Code,
        Category::Other,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Category::Disease => "disease",
            Category::Drug => "drug",
            Category::Act => "act",
            Category::Result => "result",
            Category::Measure => "measure",
            Category::Code => "code",
            Category::Other => "other",
        }
    }

    /// In plain words.
    pub fn words(self) -> &'static str {
        match self {
            Category::Disease => "diseases and symptoms (ICD-10)",
            Category::Drug => "drugs",
            Category::Act => "acts and examinations",
            Category::Result => "results with value and unit",
            Category::Measure => "doses, sizes, other values with a unit",
            Category::Code => "codes (ICD-10, CCAM, ATC)",
            Category::Other => "other medical words",
        }
    }
}

/// The medical terms of one document, sorted. They may hold an eponym that was somebody's name: `Debug` shows their
/// number only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Terms {
    text: String,
    items: Vec<Item>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Item {
    category: Category,
    start: u32,
    end: u32,
}

impl Terms {
    fn category_and_text(&self, item: &Item) -> (Category, &str) {
        (item.category, &self.text[item.start as usize..item.end as usize])
    }

    pub fn iter(&self) -> impl Iterator<Item = (Category, &str)> {
        self.items.iter().map(|item| self.category_and_text(item))
    }

    fn sort(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.items.sort_unstable_by(|a, b| {
            let of = |i: &Item| (i.category, &text[i.start as usize..i.end as usize]);
            of(a).cmp(&of(b))
        });
        self.text = text;
    }
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Terms({})", self.items.len())
    }
}

/// Counts of one category.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize)]
pub struct Tally {
    pub before: u64,
    pub kept: u64,
    pub lost: u64,
    /// Terms that only the text after holds: part of a longer term before, or part of a surrogate.
    pub added: u64,
}

impl Tally {
    /// The share that was kept; nothing where there was nothing to keep.
    pub fn share(&self) -> Option<f64> {
        (self.before > 0).then(|| self.kept as f64 / self.before as f64)
    }
}

/// Counts of all categories over some documents.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Retention {
    tallies: [Tally; Category::ALL.len()],
}

impl Retention {
    /// Counts one document; `lost` gets each term that is gone.
    pub fn add<'t>(&mut self, before: &'t Terms, after: &Terms, mut lost: impl FnMut(Category, &'t str)) {
        let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(a), Some(b)) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            let gone = if order != Ordering::Greater { old.next() } else { None };
            let come = if order != Ordering::Less { new.next() } else { None };
            match (gone, come) {
                (Some((category, _)), Some(_)) => {
                    self.tally_of_mut(category).before += 1;
                    self.tally_of_mut(category).kept += 1;
                }
                (Some((category, term)), None) => {
                    self.tally_of_mut(category).before += 1;
                    self.tally_of_mut(category).lost += 1;
                    lost(category, term);
                }
                (None, Some((category, _))) => self.tally_of_mut(category).added += 1,
                (None, None) => return,
            }
        }
    }

    pub fn merge(&mut self, other: &Retention) {
        for category in Category::ALL {
            let (to, from) = (self.tally_of_mut(category), other.tally_of(category));
            to.before += from.before;
            to.kept += from.kept;
            to.lost += from.lost;
            to.added += from.added;
        }
    }

    pub fn tally_of(&self, category: Category) -> Tally {
        self.tallies[category as usize]
    }

    fn tally_of_mut(&mut self, category: Category) -> &mut Tally {
        &mut self.tallies[category as usize]
    }

    /// All categories together.
    pub fn all(&self) -> Tally {
        let mut out = Tally::default();
        for t in &self.tallies {
            out.before += t.before;
            out.kept += t.kept;
            out.lost += t.lost;
            out.added += t.added;
        }
        out
    }
}

impl Serialize for Retention {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Category::ALL.len()))?;
        for category in Category::ALL {
            let Tally { before, kept, lost, added } = self.tally_of(category);
            let share = self.tally_of(category).share();
            map.serialize_entry(
                category.name(),
                &serde_json::json!({"before": before, "kept": kept, "lost": lost, "added": added, "share": share}),
            )?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Language, Note};

    fn read(text: &str) -> Terms {
        terms(&Note::builder("a", text).language(Some(Language::Fr)).build().unwrap())
    }

    #[test]
    fn what_is_gone_is_lost_as_often_as_it_stood() {
        let before = read("Pneumopathie, pneumopathie. CRP à 120 mg/l. Maladie de Crohn sous mésalazine.");
        let after = read("Pneumopathie, @@@. CRP à @@@ mg/l. Maladie de Martin sous mésalazine.");
        let mut retention = Retention::default();
        let mut lost = Vec::new();
        retention.add(&before, &after, |category, term| lost.push((category.name(), term.to_owned())));
        assert_eq!(
            lost,
            [
                ("disease", "maladie de crohn".to_owned()),
                ("disease", "pneumopathie".to_owned()),
                ("result", "crp 120 mg/l".to_owned())
            ]
        );
        let disease = retention.tally_of(Category::Disease);
        assert_eq!((disease.before, disease.kept, disease.lost, disease.added), (3, 1, 2, 1));
        assert_eq!(retention.tally_of(Category::Drug).share(), Some(1.0));
        assert_eq!(retention.tally_of(Category::Code).share(), None);
        let mut twice = retention;
        twice.merge(&retention);
        assert_eq!(twice.all().lost, 2 * retention.all().lost);
    }

    #[test]
    fn debug_shows_no_term() {
        assert_eq!(format!("{:?}", read("Maladie de Crohn")), "Terms(1)");
    }
}
