//! Coverage by group: label, tier, role, part of the document; and identifying words hidden.
//!
//! A span is *wholly* covered when predictions, whatever their label, leave no letter or digit of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taire_text::{Label, Tier};

use crate::compare::word_ranges;
use crate::corpus::{Pair, Tag, pair};
use crate::intervals::Ranges;
use crate::token_table::in_points;
use crate::{Corpus, Error, Offsets, PartsOf};

/// What spans are grouped by.
#[derive(Clone, Copy, Debug)]
pub enum GroupBy {
    Label,
    Tier,
    Role,
    /// Head (the first ten lines that are not empty), foot (the last five), body.
    Part,
    /// The parts that a function names.
    Named(PartsOf),
}

/// How much of a group is covered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// Spans of the gold.
    pub n: u64,
    pub wholly: u64,
    pub chars: u64,
    pub chars_covered: u64,
    /// Documents that hold the group, and those of them with all of it covered.
    pub documents: u64,
    pub documents_clean: u64,
}

impl Coverage {
    /// The share of spans wholly covered; all of nothing is all.
    pub fn share(&self) -> f64 {
        if self.n == 0 { 1.0 } else { self.wholly as f64 / self.n as f64 }
    }
}

/// Coverage of the three tiers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Tiers {
    pub direct: Coverage,
    pub indirect: Coverage,
    pub detail: Coverage,
}

impl Tiers {
    pub fn named(&self) -> [(&'static str, &Coverage); 3] {
        [("direct", &self.direct), ("indirect", &self.indirect), ("detail", &self.detail)]
    }

    pub(crate) fn of_pairs(pairs: &[Pair<'_>]) -> Option<Tiers> {
        let groups = group(pairs, |pair, tag| tier(pair, tag).map(|t| t.key().to_owned()));
        let of = |tier: Tier| groups.get(tier.key()).copied().unwrap_or_default();
        (!groups.is_empty()).then(|| Tiers {
            direct: of(Tier::Direct),
            indirect: of(Tier::Indirect),
            detail: of(Tier::Detail),
        })
    }
}

/// Documents of which no direct identifier is left.
pub(crate) fn documents_direct_clean(pairs: &[Pair<'_>]) -> u64 {
    let clean = |pair: &&Pair<'_>| {
        let covered = Cover::of_pair(pair);
        pair.gold.iter().filter(|t| tier(pair, t) == Some(Tier::Direct)).all(|t| covered.holes(t) == 0)
    };
    pairs.iter().filter(clean).count() as u64
}

/// The tier of a span whose label is one of ours, with or without a role behind it.
fn tier(pair: &Pair<'_>, tag: &Tag) -> Option<Tier> {
    let name = tag.label.split(':').next().unwrap_or_default();
    let label: Label = name.parse().ok()?;
    let text = pair.text.map(|t| t.chars().skip(tag.start).take(tag.end - tag.start).collect::<String>());
    Tier::of_span(label, text.as_deref())
}

/// What the predictions of one document cover.
struct Cover {
    ranges: Ranges,
    alphanumeric: Option<Vec<bool>>,
}

impl Cover {
    fn of_pair(pair: &Pair<'_>) -> Cover {
        Cover {
            ranges: Ranges::of(pair.predicted.iter()),
            alphanumeric: pair.text.map(|text| text.chars().map(char::is_alphanumeric).collect()),
        }
    }

    /// Characters of a span left uncovered, in stretches that hold a letter or a digit.
    fn holes(&self, tag: &Tag) -> usize {
        let identifies = |hole: &&(usize, usize)| {
            self.alphanumeric.as_ref().is_none_or(|table| table[hole.0..hole.1].contains(&true))
        };
        self.ranges.holes(tag.start, tag.end).iter().filter(identifies).map(|h| h.1 - h.0).sum()
    }
}

fn group(pairs: &[Pair<'_>], name: impl Fn(&Pair<'_>, &Tag) -> Option<String>) -> BTreeMap<String, Coverage> {
    let mut groups: BTreeMap<String, Coverage> = BTreeMap::new();
    for pair in pairs {
        let cover = Cover::of_pair(pair);
        let mut here: BTreeMap<String, bool> = BTreeMap::new();
        for tag in &pair.gold {
            let Some(name) = name(pair, tag) else { continue };
            let missed = cover.holes(tag);
            let entry = groups.entry(name.clone()).or_default();
            entry.n += 1;
            entry.wholly += u64::from(missed == 0);
            entry.chars += (tag.end - tag.start) as u64;
            entry.chars_covered += (tag.end - tag.start - missed) as u64;
            *here.entry(name).or_insert(true) &= missed == 0;
        }
        for (name, clean) in here {
            let entry = groups.entry(name).or_default();
            entry.documents += 1;
            entry.documents_clean += u64::from(clean);
        }
    }
    groups
}

/// Coverage of each group of the gold.
pub fn by_group(
    gold: &Corpus,
    predicted: &Corpus,
    by: GroupBy,
    offsets: Offsets,
) -> Result<BTreeMap<String, Coverage>, Error> {
    let pairs = pair(gold, predicted, offsets)?.pairs;
    Ok(match by {
        GroupBy::Label => group(&pairs, |_, tag| Some(tag.label.clone())),
        GroupBy::Tier => group(&pairs, |pair, tag| tier(pair, tag).map(|t| t.key().to_owned())),
        GroupBy::Role => group(&pairs, |pair, tag| Some(gold.role(pair.id, tag).name().to_owned())),
        GroupBy::Part => group(&pairs, |pair, tag| Some(part(pair.text?, tag.start).to_owned())),
        GroupBy::Named(parts) => {
            let starts: BTreeMap<&str, Vec<(usize, &'static str)>> = pairs
                .iter()
                .filter_map(|p| p.text.map(|text| (p.id, in_points(text, parts(text)))))
                .collect();
            group(&pairs, |pair, tag| {
                let starts = starts.get(pair.id)?;
                let at = starts.partition_point(|part| part.0 <= tag.start);
                starts[..at].last().map(|part| part.1.to_owned())
            })
        }
    })
}

/// Coverage of the three tiers in each document of the gold.
pub fn by_document(
    gold: &Corpus,
    predicted: &Corpus,
    offsets: Offsets,
) -> Result<BTreeMap<String, Tiers>, Error> {
    let pairs = pair(gold, predicted, offsets)?.pairs;
    let tiers = |pair: &Pair<'_>| Tiers::of_pairs(std::slice::from_ref(pair)).unwrap_or_default();
    Ok(pairs.iter().map(|pair| (pair.id.to_owned(), tiers(pair))).collect())
}

const HEAD_LINES: usize = 10;
const FOOT_LINES: usize = 5;

/// Where a character of a document lies.
fn part(text: &str, at: usize) -> &'static str {
    let is_line = |line: &&str| !line.trim().is_empty();
    let byte = text.char_indices().nth(at).map_or(text.len(), |(i, _)| i);
    let start = text[..byte].rfind('\n').map_or(0, |i| i + 1);
    let before = text[..start].lines().filter(is_line).count();
    let after = text[byte..].lines().skip(1).filter(is_line).count();
    if before < HEAD_LINES {
        "head"
    } else if after < FOOT_LINES {
        "foot"
    } else {
        "body"
    }
}

/// FASDIM's measure: words that identify, and how many of them are hidden; the others, and how many of those.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Words {
    /// Documents with a text, and the identifiers marked in them.
    pub documents: u64,
    pub spans: u64,
    pub identifying: u64,
    pub identifying_hidden: u64,
    pub others: u64,
    pub others_hidden: u64,
}

impl Words {
    /// Of the words that identify, the share hidden; all of nothing is all.
    pub fn recall(&self) -> f64 {
        if self.identifying == 0 { 1.0 } else { self.identifying_hidden as f64 / self.identifying as f64 }
    }

    /// Of the words hidden, the share that identify.
    pub fn precision(&self) -> f64 {
        let hidden = self.identifying_hidden + self.others_hidden;
        if hidden == 0 { 1.0 } else { self.identifying_hidden as f64 / hidden as f64 }
    }

    pub fn f1(&self) -> f64 {
        let (p, r) = (self.precision(), self.recall());
        if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) }
    }
}

/// Counts words and numbers; one is hidden when a prediction touches it. Documents without a text are not counted.
pub fn hidden_words(gold: &Corpus, predicted: &Corpus, offsets: Offsets) -> Result<Words, Error> {
    let mut words = Words::default();
    for pair in pair(gold, predicted, offsets)?.pairs {
        let Some(text) = pair.text else { continue };
        words.documents += 1;
        words.spans += pair.gold.len() as u64;
        let (gold, hidden) = (Ranges::of(pair.gold.iter()), Ranges::of(pair.predicted.iter()));
        for (start, end) in word_ranges(text) {
            let is_hidden = u64::from(hidden.touches(start, end));
            if gold.touches(start, end) {
                words.identifying += 1;
                words.identifying_hidden += is_hidden;
            } else {
                words.others += 1;
                words.others_hidden += is_hidden;
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, evaluate, require_common_label};

    const TEXT: &str = "Mme Roux Léa, 92 ans, boulangère à Brest";

    fn corpus(spans: &str) -> Corpus {
        Corpus::from_jsonl("x", &format!("{{\"id\":\"a\",\"text\":\"{TEXT}\",\"spans\":{spans}}}")).unwrap()
    }

    fn gold() -> Corpus {
        corpus(
            r#"[{"start":4,"end":8,"label":"FamilyName","role":"Patient"},[9,12,"GivenName"],[14,20,"Age"],[22,32,"Profession"],[35,40,"City"]]"#,
        )
    }

    #[test]
    fn tiers_and_clean_documents() {
        let all = evaluate(&gold(), &gold(), &Options::default()).unwrap();
        assert_eq!(all.documents_direct_clean, Some(1));
        let some = corpus(r#"[[4,8,"FamilyName"],[9,11,"City"],[35,40,"City"]]"#);
        let found = evaluate(&gold(), &some, &Options::default()).unwrap();
        let tiers = found.tiers.unwrap();
        assert_eq!((tiers.direct.n, tiers.direct.wholly), (2, 1));
        // The age is over 89: indirect beside the town.
        assert_eq!((tiers.indirect.n, tiers.indirect.wholly), (2, 1));
        assert_eq!((tiers.detail.n, tiers.detail.wholly), (1, 0));
        assert_eq!(found.documents_direct_clean, Some(0));
        let json = serde_json::to_value(&found).unwrap();
        assert_eq!(json["tiers"]["direct"]["wholly"], 1);
    }

    #[test]
    fn no_label_in_common_is_an_error_that_names_the_option() {
        let foreign = corpus(r#"[[4,8,"NOM"]]"#);
        let error = require_common_label(&gold(), &foreign).unwrap_err().to_string();
        assert!(error.contains("--scheme") && error.contains("NOM"), "{error}");
        assert!(require_common_label(&gold(), &corpus("[]")).is_ok());
    }

    #[test]
    fn groups_by_role_and_part() {
        let some = corpus(r#"[[4,8,"FamilyName"]]"#);
        let roles = by_group(&gold(), &some, GroupBy::Role, Offsets::CodePoints).unwrap();
        assert_eq!((roles["Patient"].n, roles["Patient"].wholly, roles["Unknown"].n), (1, 1, 4));
        let parts = by_group(&gold(), &some, GroupBy::Part, Offsets::CodePoints).unwrap();
        assert_eq!(parts.keys().collect::<Vec<_>>(), ["head"]);
        let lines = "x\n".repeat(20);
        assert_eq!((part(&lines, 0), part(&lines, 24), part(&lines, 38)), ("head", "body", "foot"));
    }

    #[test]
    fn words_hidden() {
        let some = corpus(r#"[[4,8,"FamilyName"],[0,3,"FamilyName"]]"#);
        let words = hidden_words(&gold(), &some, Offsets::CodePoints).unwrap();
        assert_eq!((words.recall(), words.precision()), (1.0 / 6.0, 0.5));
        assert_eq!(
            words,
            Words {
                documents: 1,
                spans: 5,
                identifying: 6,
                identifying_hidden: 1,
                others: 2,
                others_hidden: 1
            }
        );
    }
}
