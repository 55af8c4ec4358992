//! Cases with their codes, and the labels a coder learns to give.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use taire::Position;
use taire::batch::stable_hash;

use crate::Error;

/// The label of documents that have codes beyond the most frequent ones.
pub const OTHER: &str = "other";

/// A document and the codes it was given.
#[derive(Clone, PartialEq, Eq)]
pub struct Case {
    pub id: String,
    pub text: String,
    pub codes: Vec<String>,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Case({} bytes, {} codes)", self.text.len(), self.codes.len())
    }
}

/// Codes by document: lines of `document<TAB>code` (or with a comma), in any order. A first line `id code`, or the like,
/// is a heading where its second field has no digit.
pub fn read_codes(text: &str) -> Result<BTreeMap<String, BTreeSet<String>>, Error> {
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let mut fields = line.split(['\t', ',', ';']).map(|f| f.trim().trim_matches('"'));
        let (Some(id), Some(code)) = (fields.next(), fields.next()) else {
            let why = "a document and a code are needed, with a tab between them";
            return Err(Error::usage(why).at(Position::Line(number as u64 + 1)));
        };
        let is_code = code.len() >= 3 && code.len() <= 12 && code.bytes().any(|b| b.is_ascii_digit());
        if !is_code {
            if number == 0 {
                continue;
            }
            let why = "the second field is no code of ICD-10";
            return Err(Error::usage(why).at(Position::Line(number as u64 + 1)));
        }
        out.entry(id.to_owned()).or_default().insert(code.to_uppercase());
    }
    match out.is_empty() {
        true => Err(Error::usage("it holds no codes; lines of document, tab, code are expected")),
        false => Ok(out),
    }
}

/// Which labels a case gets for its codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Grain {
    /// Families of three characters instead of whole codes.
    pub families: bool,
    /// Only the so many most frequent, and [`OTHER`].
    pub top: Option<usize>,
}

impl Grain {
    pub const FAMILIES: Grain = Grain { families: true, top: None };

    fn name<'a>(&self, code: &'a str) -> &'a str {
        match self.families {
            true => code.char_indices().nth(3).map_or(code, |(end, _)| &code[..end]),
            false => code,
        }
    }
}

impl fmt::Display for Grain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.families { "three-character families" } else { "whole codes" })?;
        match self.top {
            Some(k) => write!(f, ", the {k} most frequent and other"),
            None => Ok(()),
        }
    }
}

/// The labels of a coder, in order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Labels {
    pub grain: Grain,
    pub names: Vec<String>,
}

impl Labels {
    /// The labels of training cases.
    pub fn of(cases: &[&Case], grain: Grain) -> Labels {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for case in cases {
            let names: BTreeSet<&str> = case.codes.iter().map(|c| grain.name(c)).collect();
            names.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let mut names: Vec<String> = match grain.top {
            None => counts.keys().map(|&n| n.to_owned()).collect(),
            Some(k) => {
                let mut ranked: Vec<_> = counts.iter().map(|(&n, &count)| (usize::MAX - count, n)).collect();
                ranked.sort_unstable();
                ranked.truncate(k);
                ranked.into_iter().map(|(_, n)| n.to_owned()).collect()
            }
        };
        names.sort();
        if grain.top.is_some_and(|k| k < counts.len()) {
            names.push(OTHER.to_owned());
        }
        Labels { grain, names }
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The labels of a case, by name: those the coder does not know too, unless they fall under [`OTHER`].
    pub fn names_of(&self, case: &Case) -> BTreeSet<String> {
        let of = |code: &String| {
            let name = self.grain.name(code);
            match self.grain.top.is_some() && self.place(name).is_none() {
                true => OTHER.to_owned(),
                false => name.to_owned(),
            }
        };
        case.codes.iter().map(of).collect()
    }

    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        if self.names.last().is_some_and(|last| last == OTHER) {
            if name == OTHER {
                return Some(self.names.len() - 1);
            }
            return self.names[..self.names.len() - 1].binary_search_by(|n| n.as_str().cmp(name)).ok();
        }
        self.names.binary_search_by(|n| n.as_str().cmp(name)).ok()
    }

    /// The same as numbers, sorted; only those the coder knows.
    pub(crate) fn numbers_of(&self, case: &Case) -> Vec<usize> {
        self.names_of(case).iter().filter_map(|name| self.place(name)).collect()
    }
}

/// Takes one case of `share` away, by the seed and the case's name, not by the order of files.
pub fn set_aside(cases: &[Case], share: usize, seed: u64) -> [Vec<&Case>; 2] {
    let mut ranked: Vec<(u64, &Case)> = cases
        .iter()
        .map(|case| (stable_hash([&seed.to_le_bytes()[..], case.id.as_bytes()].into_iter()), case))
        .collect();
    ranked.sort_by(|a, b| (a.0, &a.1.id).cmp(&(b.0, &b.1.id)));
    let aside = (cases.len() / share.max(1)).max(1).min(cases.len().saturating_sub(1));
    let all: Vec<&Case> = ranked.into_iter().map(|(_, case)| case).collect();
    let (kept, away) = all.split_at(all.len() - aside);
    let mut parts = [kept.to_vec(), away.to_vec()];
    parts.iter_mut().for_each(|part| part.sort_by(|a, b| a.id.cmp(&b.id)));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, codes: &[&str]) -> Case {
        Case { id: id.into(), text: String::new(), codes: codes.iter().map(|c| c.to_string()).collect() }
    }

    #[test]
    fn codes_are_read_by_document_and_bad_lines_are_reported() {
        let codes = read_codes("id\tcode\na\tn44.8\nb;I10\na\tR60.9\na\tn44.8\n").unwrap();
        assert_eq!(codes["a"].iter().collect::<Vec<_>>(), ["N44.8", "R60.9"]);
        assert_eq!(codes["b"].len(), 1);
        for (text, says) in [
            ("", "no codes"),
            ("a\tI10\nb\n", "line 2"),
            ("a\tI10\nb\tdouleur\n", "line 2"),
            ("id\tcode\n", "no codes"),
        ] {
            let message = read_codes(text).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
            assert!(!message.contains("douleur"));
        }
    }

    #[test]
    fn labels_are_codes_families_or_the_most_frequent() {
        let cases =
            [case("a", &["I10", "E11.9", "E11.2"]), case("b", &["I10", "Z99"]), case("c", &["E11.9"])];
        let refs: Vec<&Case> = cases.iter().collect();
        let codes = Labels::of(&refs, Grain { families: false, top: None });
        assert_eq!(codes.names, ["E11.2", "E11.9", "I10", "Z99"]);
        assert_eq!(codes.numbers_of(&cases[0]), [0, 1, 2]);
        let families = Labels::of(&refs, Grain::FAMILIES);
        assert_eq!(families.names, ["E11", "I10", "Z99"]);
        assert_eq!(families.numbers_of(&cases[0]), [0, 1]);
        let top = Labels::of(&refs, Grain { families: true, top: Some(2) });
        assert_eq!(top.names, ["E11", "I10", "other"]);
        assert_eq!(top.numbers_of(&cases[1]), [1, 2]);
        // A code nobody trained on counts as missed, or as other.
        let new = case("d", &["C50.1"]);
        assert_eq!(families.names_of(&new).into_iter().collect::<Vec<_>>(), ["C50"]);
        assert!(families.numbers_of(&new).is_empty());
        assert_eq!(top.numbers_of(&new), [2]);
    }

    #[test]
    fn what_is_set_aside_does_not_depend_on_the_order() {
        let cases: Vec<Case> = (0..40).map(|i| case(&format!("c{i}"), &[])).collect();
        let mut turned = cases.clone();
        turned.reverse();
        let ids = |parts: [Vec<&Case>; 2]| parts.map(|p| p.iter().map(|c| c.id.clone()).collect::<Vec<_>>());
        let [kept, away] = ids(set_aside(&cases, 5, 1));
        assert_eq!((kept.len(), away.len()), (32, 8));
        assert_eq!([kept, away.clone()], ids(set_aside(&turned, 5, 1)));
        assert_ne!(away, ids(set_aside(&cases, 5, 2))[1]);
    }
}
