//! What reviewers say of words, as a list that policies and `taire words` read.
//!
//! A word that the detectors hid and no accepted document hides is accepted; one that a reviewer had to mark and that no
//! accepted document shows bare is refused. What accepted documents do both with is on no list. A judgement made by hand
//! comes before all of that.

use std::collections::BTreeMap;

use rusqlite::params;
use taire::{Judgement, WordEntry, WordList};
use taire_text::{Group, Kind, fold, tokenise};

use crate::Error;
use crate::gold::Gold;
use crate::mark::{By, Mark};
use crate::store::Store;

/// What happened to a word in the accepted documents.
#[derive(Default)]
struct Seen {
    /// Inside marks, and outside.
    hidden: u64,
    bare: u64,
    /// Inside something found that no reviewer kept.
    freed: bool,
    /// Inside a mark that a reviewer set on a person, a place or an organisation.
    caught: bool,
}

pub(crate) fn list(gold: &Gold, judged: &BTreeMap<String, Judgement>) -> WordList {
    let mut words: BTreeMap<String, Seen> = BTreeMap::new();
    for document in &gold.documents {
        let found = document.found.marks();
        let within = |marks: &[Mark], start: usize, end: usize| {
            marks.iter().find(|m| m.overlaps(&(start..end))).cloned()
        };
        for token in tokenise(&document.text).iter().filter(|t| t.kind == Kind::Word) {
            let word = fold(token.of(&document.text));
            if word.chars().nth(1).is_none() {
                continue;
            }
            let seen = words.entry(word).or_default();
            match within(&document.marks, token.start(), token.end()) {
                None => {
                    seen.bare += 1;
                    seen.freed |= within(&found, token.start(), token.end()).is_some();
                }
                Some(mark) => {
                    seen.hidden += 1;
                    let names =
                        matches!(mark.label.group(), Group::Person | Group::Place | Group::Organisation);
                    let missed = within(&found, token.start(), token.end()).is_none();
                    seen.caught |= names && missed && mark.by == By::Reviewer;
                }
            }
        }
    }
    let mut entries = Vec::new();
    for (word, seen) in &words {
        let judgement = match seen {
            Seen { freed: true, hidden: 0, .. } => Judgement::Accept,
            Seen { caught: true, bare: 0, .. } => Judgement::Refuse,
            _ => continue,
        };
        if !judged.contains_key(word) {
            entries.push(entry(word, judgement, seen.hidden + seen.bare));
        }
    }
    for (word, &judgement) in judged {
        let count = words.get(word).map_or(0, |seen| seen.hidden + seen.bare);
        entries.push(entry(word, judgement, count));
    }
    entries.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.word.cmp(&b.word)));
    WordList { entries }
}

fn entry(word: &str, judgement: Judgement, count: u64) -> WordEntry {
    WordEntry { word: word.to_owned(), judgement: Some(judgement), count, context: String::new() }
}

/// The one word of a text, as lists have it.
pub(crate) fn one_word(text: &str) -> Option<String> {
    match tokenise(text.trim()).as_slice() {
        [token] if token.kind == Kind::Word => Some(fold(text.trim())),
        _ => None,
    }
}

impl Store {
    /// What was said by hand.
    pub(crate) fn judged(&self) -> Result<BTreeMap<String, Judgement>, Error> {
        let file = self.read();
        let mut ask = file.prepare("SELECT word, judgement FROM word")?;
        let rows = ask.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut out = BTreeMap::new();
        for row in rows {
            let (word, judgement) = row?;
            let judgement =
                if judgement == Judgement::Accept.key() { Judgement::Accept } else { Judgement::Refuse };
            out.insert(word, judgement);
        }
        Ok(out)
    }

    /// Says something of a word by hand, or takes it back.
    pub(crate) fn judge(&self, reviewer: i64, word: &str, judgement: Option<Judgement>) -> Result<(), Error> {
        self.write(|all| {
            match judgement {
                Some(judgement) => all.execute(
                    "INSERT OR REPLACE INTO word VALUES (?1, ?2, ?3, ?4)",
                    params![word, judgement.key(), reviewer, crate::store::now()],
                )?,
                None => all.execute("DELETE FROM word WHERE word = ?1", [word])?,
            };
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::StoredFindings;
    use crate::gold::GoldDoc;
    use crate::mark::tests::read;

    fn document(found: &str, marked: &str) -> GoldDoc {
        let (text, mut marks) = read(marked);
        let (same, before) = read(found);
        assert_eq!(text, same);
        marks.iter_mut().for_each(|m| {
            m.by = if before.iter().any(|b| b.says(m)) { By::Found } else { By::Reviewer };
        });
        let span = |m: &Mark| {
            serde_json::json!({"start": m.start, "end": m.end, "label": m.label, "role": m.role,
            "score": 0.5, "sources": ["crf"], "mentions": []})
        };
        let json =
            serde_json::json!({"spans": before.iter().map(span).collect::<Vec<_>>(), "below_threshold": []});
        let found: StoredFindings = serde_json::from_value(json).unwrap();
        GoldDoc { name: "a".into(), text, language: None, marks, found }
    }

    #[test]
    fn words_that_reviewers_freed_or_caught_come_out_and_doubtful_ones_do_not() {
        let gold = Gold {
            documents: vec![
                document(
                    "[Scope](FamilyName) normale chez Mme Kerzu, [Rose](GivenName), le mai",
                    "Scope normale chez Mme [Kerzu](FamilyName), [Rose](GivenName), le [mai](Date)",
                ),
                document("[Rose](GivenName) fanée, [ORL](Hospital)", "Rose fanée, [ORL](Hospital)"),
            ],
            unsettled: Vec::new(),
        };
        let say = |list: &WordList| -> Vec<String> {
            list.entries.iter().map(|e| format!("{} {}", e.word, e.judgement.unwrap().key())).collect()
        };
        let own = BTreeMap::from([("rose".to_owned(), Judgement::Refuse)]);
        assert_eq!(say(&list(&gold, &BTreeMap::new())), ["kerzu refuse", "scope accept"]);
        let all = list(&gold, &own);
        assert_eq!(say(&all), ["rose refuse", "kerzu refuse", "scope accept"]);
        assert_eq!(WordList::parse(&all.to_tsv(), "x").unwrap(), all);
    }

    #[test]
    fn one_word_is_one_word() {
        assert_eq!(one_word(" Scopé ").as_deref(), Some("scope"));
        assert!(one_word("deux mots").is_none() && one_word("12").is_none() && one_word("").is_none());
    }
}
