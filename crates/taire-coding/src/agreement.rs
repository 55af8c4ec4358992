//! Two files of codes of the same documents, by people or by a coder: what was coded before de-identification and what after
//! (Tchouka 2022, table 4 and figure 8).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// Codes by document.
pub type Codes = BTreeMap<String, BTreeSet<String>>;

/// How far the second coding agrees with the first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CodeAgreement {
    /// Documents that both files have; what one file alone has is not compared.
    pub documents: usize,
    pub only_before: usize,
    pub only_after: usize,
    /// Documents with the same codes in both.
    pub equal: usize,
    /// Over all codes of all documents, the first file taken for right.
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
    /// The mean over documents of codes in both over codes in either.
    pub jaccard: f64,
    /// Documents by that index, in ten steps from 0 to 1; the last has the documents coded alike.
    pub by_jaccard: [usize; 11],
    pub each: Vec<DocumentAgreement>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DocumentAgreement {
    pub id: String,
    pub before: usize,
    pub after: usize,
    pub common: usize,
    pub jaccard: f64,
}

/// Compares whole codes, or their families of three characters.
pub fn compare_codes(before: &Codes, after: &Codes, families: bool) -> CodeAgreement {
    let grain = |codes: &BTreeSet<String>| -> BTreeSet<String> {
        let cut = |code: &String| if families { code.chars().take(3).collect() } else { code.clone() };
        codes.iter().map(cut).collect()
    };
    let mut each = Vec::new();
    for (id, codes) in before {
        let Some(others) = after.get(id) else { continue };
        let (a, b) = (grain(codes), grain(others));
        let common = a.intersection(&b).count();
        let either = a.union(&b).count().max(1);
        each.push(DocumentAgreement {
            id: id.clone(),
            before: a.len(),
            after: b.len(),
            common,
            jaccard: common as f64 / either as f64,
        });
    }
    let sum = |count: fn(&DocumentAgreement) -> usize| each.iter().map(count).sum::<usize>() as f64;
    let share = |part: f64, whole: f64| if whole == 0.0 { 0.0 } else { part / whole };
    let (common, precision_of, recall_of) = (sum(|d| d.common), sum(|d| d.after), sum(|d| d.before));
    let mut by_jaccard = [0; 11];
    each.iter().for_each(|d| by_jaccard[(d.jaccard * 10.0) as usize] += 1);
    CodeAgreement {
        documents: each.len(),
        only_before: before.keys().filter(|id| !after.contains_key(*id)).count(),
        only_after: after.keys().filter(|id| !before.contains_key(*id)).count(),
        equal: by_jaccard[10],
        precision: share(common, precision_of),
        recall: share(common, recall_of),
        f1: share(2.0 * common, precision_of + recall_of),
        jaccard: share(each.iter().map(|d| d.jaccard).sum(), each.len() as f64),
        by_jaccard,
        each,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(lines: &str) -> Codes {
        crate::read_codes(lines).unwrap()
    }

    #[test]
    fn figures_by_hand() {
        let before = codes("a\tI10\na\tE11.9\nb\tJ18.9\nc\tN39.0");
        let after = codes("a\tI10\na\tE11.8\nb\tJ18.9\nd\tI10");
        let found = compare_codes(&before, &after, false);
        assert_eq!((found.documents, found.equal, found.only_before, found.only_after), (2, 1, 1, 1));
        assert!((found.precision - 2.0 / 3.0).abs() < 1e-12 && (found.recall - 2.0 / 3.0).abs() < 1e-12);
        assert!((found.jaccard - (1.0 / 3.0 + 1.0) / 2.0).abs() < 1e-12);
        assert_eq!((found.by_jaccard[3], found.by_jaccard[10]), (1, 1));
        assert_eq!(compare_codes(&before, &after, true).equal, 2);
    }
}
