//! How far two people agree on the same texts: spans, words, and words corrected for chance (Cohen's kappa).

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use taire_text::{Kind, Label, tokenise};

use crate::mark::Mark;

/// What one has, the other has, and both have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) both: usize,
}

impl Tally {
    /// The same whoever is taken as right; 1 where neither has anything.
    pub(crate) fn f1(self) -> f64 {
        match self.a + self.b {
            0 => 1.0,
            all => 2.0 * self.both as f64 / all as f64,
        }
    }

    /// The share of what `a` has that `b` has too.
    pub(crate) fn of_a(self) -> f64 {
        if self.a == 0 { 1.0 } else { self.both as f64 / self.a as f64 }
    }

    pub(crate) fn of_b(self) -> f64 {
        if self.b == 0 { 1.0 } else { self.both as f64 / self.b as f64 }
    }
}

/// Counts over texts.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Agreement {
    pub(crate) documents: usize,
    pub(crate) alike: usize,
    /// Same borders and label.
    pub(crate) spans: Tally,
    /// Words and numbers under the same label.
    pub(crate) tokens: Tally,
    pub(crate) labels: BTreeMap<Label, Tally>,
    /// Words and numbers in all, and under the same label or under none on both sides.
    words: usize,
    agreed: usize,
    /// How often each class was given, by either side; the last is "none".
    given: BTreeMap<Option<Label>, (usize, usize)>,
    /// Words that `a` marked and `b` left bare.
    pub(crate) bare: usize,
}

impl Agreement {
    /// Adds one text that both have marked.
    pub(crate) fn add(&mut self, text: &str, a: &[Mark], b: &[Mark]) {
        self.documents += 1;
        self.alike += usize::from(crate::mark::alike(a, b));
        let same = |x: &Mark, y: &Mark| x.range() == y.range() && x.label == y.label;
        for mark in a {
            self.spans.a += 1;
            self.labels.entry(mark.label).or_default().a += 1;
            if b.iter().any(|other| same(mark, other)) {
                self.spans.both += 1;
                self.labels.entry(mark.label).or_default().both += 1;
            }
        }
        for mark in b {
            self.spans.b += 1;
            self.labels.entry(mark.label).or_default().b += 1;
        }
        let (mut a, mut b) = (Walk(a), Walk(b));
        for token in tokenise(text).iter().filter(|t| matches!(t.kind, Kind::Word | Kind::Number)) {
            let range = token.start()..token.end();
            let (x, y) = (a.label(&range), b.label(&range));
            self.words += 1;
            self.agreed += usize::from(x == y);
            self.given.entry(x).or_default().0 += 1;
            self.given.entry(y).or_default().1 += 1;
            self.tokens.a += usize::from(x.is_some());
            self.tokens.b += usize::from(y.is_some());
            self.tokens.both += usize::from(x.is_some() && x == y);
            self.bare += usize::from(x.is_some() && y.is_none());
        }
    }

    /// Cohen's kappa over words; `None` without any.
    pub(crate) fn kappa(&self) -> Option<f64> {
        if self.words == 0 {
            return None;
        }
        let all = self.words as f64;
        let observed = self.agreed as f64 / all;
        let chance: f64 = self.given.values().map(|&(a, b)| (a as f64 / all) * (b as f64 / all)).sum();
        match chance < 1.0 {
            true => Some((observed - chance) / (1.0 - chance)),
            // Both gave one class to everything.
            false => Some(1.0),
        }
    }
}

/// Labels of words, left to right.
struct Walk<'m>(&'m [Mark]);

impl Walk<'_> {
    fn label(&mut self, word: &Range<usize>) -> Option<Label> {
        while self.0.first().is_some_and(|m| m.end <= word.start) {
            self.0 = &self.0[1..];
        }
        self.0.first().filter(|m| m.overlaps(word)).map(|m| m.label)
    }
}

/// A place where two see different things.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Difference {
    pub(crate) a: Vec<Mark>,
    pub(crate) b: Vec<Mark>,
}

/// What both say, and the places where they differ, left to right.
pub(crate) fn differences(a: &[Mark], b: &[Mark]) -> (Vec<Mark>, Vec<Difference>) {
    let lone = |marks: &[Mark], others: &[Mark]| -> Vec<Mark> {
        marks.iter().filter(|m| !others.iter().any(|o| o.says(m))).cloned().collect()
    };
    let shared: Vec<Mark> = a.iter().filter(|m| b.iter().any(|o| o.says(m))).cloned().collect();
    let mut all: Vec<(bool, Mark)> = lone(a, b).into_iter().map(|m| (true, m)).collect();
    all.extend(lone(b, a).into_iter().map(|m| (false, m)));
    all.sort_by_key(|(_, m)| (m.start, m.end));
    let mut out: Vec<Difference> = Vec::new();
    let mut end = 0;
    for (first, mark) in all {
        if out.is_empty() || mark.start >= end {
            out.push(Difference { a: Vec::new(), b: Vec::new() });
        }
        end = end.max(mark.end);
        if let Some(last) = out.last_mut() {
            (if first { &mut last.a } else { &mut last.b }).push(mark);
        }
    }
    (shared, out)
}

/// Who is right where two see different things.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Take {
    A,
    B,
    /// What either marked is hidden.
    Either,
}

/// The marks that hold if all differences are decided in one way.
pub(crate) fn settle_all(text: &str, a: &[Mark], b: &[Mark], take: Take) -> Vec<Mark> {
    let (mut marks, places) = differences(a, b);
    for Difference { a, b } in places {
        match take {
            Take::A => marks.extend(a),
            Take::B => marks.extend(b),
            Take::Either => marks.extend(join(text, a, b)),
        }
    }
    marks.sort_by_key(|m| (m.start, m.end));
    marks
}

/// All that two marked in one place: the marks that cover more, and what the others cover beside them.
fn join(text: &str, a: Vec<Mark>, b: Vec<Mark>) -> Vec<Mark> {
    let length = |marks: &[Mark]| marks.iter().map(|m| m.range().len()).sum::<usize>();
    let (mut marks, others) = if length(&b) > length(&a) { (b, a) } else { (a, b) };
    for other in others {
        let mut from = other.start;
        let mut uncovered = Vec::new();
        for mark in marks.iter().filter(|m| m.overlaps(&other.range())) {
            uncovered.push(from..mark.start.max(from));
            from = from.max(mark.end);
        }
        uncovered.push(from..other.end.max(from));
        for range in uncovered {
            let piece = text.get(range.clone()).unwrap_or_default();
            let start = range.start + piece.len() - piece.trim_start().len();
            let end = start + piece.trim().len();
            if piece.contains(char::is_alphanumeric) {
                marks.push(Mark { start, end, ..other.clone() });
            }
        }
        marks.sort_by_key(|m| m.start);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mark::tests::read;

    #[test]
    fn what_either_marked_is_hidden_and_nothing_overlaps() {
        let (_, a) = read("[Jean Le](GivenName) Gall vit à [Brest](City) le 3 mai");
        let (text, b) = read("Jean [Le Gall](FamilyName) vit à [Brest](City) le [3 mai](Date)");
        let slices = |marks: &[Mark]| marks.iter().map(|m| text[m.range()].to_owned()).collect::<Vec<_>>();
        assert_eq!(slices(&settle_all(&text, &a, &b, Take::A)), ["Jean Le", "Brest"]);
        assert_eq!(slices(&settle_all(&text, &a, &b, Take::B)), ["Le Gall", "Brest", "3 mai"]);
        for (x, y) in [(&a, &b), (&b, &a)] {
            let marks = settle_all(&text, x, y, Take::Either);
            assert!(crate::mark::check(&text, &marks).is_ok());
            assert_eq!(slices(&marks).concat().replace(' ', ""), "JeanLeGallBrest3mai");
        }
    }

    #[test]
    fn kappa_is_the_textbook_one() {
        // Ten words; both mark three, two of them the same: po 0.8, pe 0.3² + 0.7² = 0.58.
        let (text, a) = read("[aa](City) [bb](City) [cc](City) dd ee ff gg hh ii jj");
        let (_, b) = read("[aa](City) [bb](City) cc [dd](City) ee ff gg hh ii jj");
        let mut all = Agreement::default();
        all.add(&text, &a, &b);
        assert!((all.kappa().unwrap() - (0.8 - 0.58) / 0.42).abs() < 1e-12);
        assert!((all.tokens.f1() - 2.0 / 3.0).abs() < 1e-12 && (all.spans.f1() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!((all.documents, all.alike, all.bare), (1, 0, 1));
        let mut same = Agreement::default();
        same.add(&text, &a, &a);
        assert_eq!((same.kappa(), same.alike), (Some(1.0), 1));
        let mut none = Agreement::default();
        none.add("aa bb", &[], &[]);
        assert_eq!((none.kappa(), none.spans.f1()), (Some(1.0), 1.0));
        assert_eq!(Agreement::default().kappa(), None);
    }

    #[test]
    fn differences_gather_what_touches() {
        let (_, a) = read("[Jean Le Gall](FamilyName) à [Brest](City) le [3 mai](Date)");
        let (text, b) = read("[Jean](GivenName) [Le Gall](FamilyName) à [Brest](City) le 3 mai");
        let (shared, differ) = differences(&a, &b);
        assert_eq!(shared.len(), 1);
        let slices = |marks: &[Mark]| marks.iter().map(|m| text[m.range()].to_owned()).collect::<Vec<_>>();
        assert_eq!(differ.len(), 2);
        assert_eq!(
            (slices(&differ[0].a), slices(&differ[0].b)),
            (vec!["Jean Le Gall".into()], vec!["Jean".into(), "Le Gall".into()])
        );
        assert_eq!((slices(&differ[1].a), differ[1].b.len()), (vec!["3 mai".into()], 0));
    }
}
