//! False alarms on medical prose that names nobody: how many words are taken for a person's name.

use std::collections::BTreeMap;

use taire_eval::{Corpus, Doc};
use taire_lang::Vocabulary;
use taire_text::{Kind, Language, fold, fold_hash, tokenise};

use super::figures::{Figure, Set};
use super::run::Output;

struct Alarms {
    words: u64,
    names: u64,
    /// Initials after a title or before an age: the patient of the case is really there.
    patients: u64,
    by_word: BTreeMap<String, u64>,
}

pub(super) fn set(name: &str, output: &Output, show_words: bool) -> Result<Set, String> {
    let corpus = Corpus::read(&output.path).map_err(|e| e.to_string())?;
    let alarms = count(corpus.docs());
    let mut frequent: Vec<_> = alarms.by_word.iter().map(|(word, n)| (*n, word)).collect();
    frequent.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    if show_words {
        frequent.iter().take(60).for_each(|(n, word)| println!("{n:>6}  {word}"));
    }
    let top: u64 = frequent.iter().take(20).map(|(n, _)| n).sum();
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    Ok(Set {
        name: name.into(),
        data: format!("e3c-fr/cases.jsonl, {} documents, {} words", corpus.len(), alarms.words),
        command: output.command.clone(),
        seconds: output.seconds,
        figures: vec![
            Figure::low("words taken for a name, per 1000", 1000.0 * share(alarms.names, alarms.words), 0.1),
            Figure::low(
                "the same without the initials that the reports give their patients, per 1000",
                1000.0 * share(alarms.names - alarms.patients, alarms.words),
                0.1,
            ),
            Figure::low("distinct words taken for a name", frequent.len() as f64, 20.0),
            Figure::low("share of the 20 most frequent", share(top, alarms.names), 1.0),
        ],
        evaluation: None,
    })
}

fn count<'a>(docs: impl Iterator<Item = &'a Doc>) -> Alarms {
    let mut alarms = Alarms { words: 0, names: 0, patients: 0, by_word: BTreeMap::new() };
    for doc in docs {
        let Some(text) = doc.text.as_deref() else { continue };
        let (mut byte, mut point) = (0, 0);
        for token in tokenise(text).iter().filter(|t| t.kind == Kind::Word) {
            point += text[byte..token.start()].chars().count();
            byte = token.start();
            alarms.words += 1;
            let is_name = |label: &str| matches!(label, "GivenName" | "FamilyName" | "Initials");
            let span = doc.spans.iter().find(|s| is_name(&s.label) && s.start <= point && point < s.end);
            if let Some(span) = span {
                alarms.names += 1;
                let before = text[..byte].chars().rev().take(point - span.start + 12).collect::<String>();
                let before: String = before.chars().rev().collect();
                let head: String =
                    before.chars().take(before.chars().count() - (point - span.start)).collect();
                if span.label == "Initials" && is_title(&head) {
                    alarms.patients += 1;
                    continue;
                }
                *alarms.by_word.entry(fold(token.of(text))).or_default() += 1;
            }
        }
    }
    alarms
}

/// Whether what comes before ends with a title: "Mme ", "Mr. ", "Monsieur M.".
fn is_title(before: &str) -> bool {
    let word = before.trim_end_matches([' ', '.']).rsplit([' ', '\n', '(', ',']).next().unwrap_or("");
    let title = |w: &str| Vocabulary::of(Language::Fr).roles(fold_hash(w)).is_title();
    title(word) || word.rsplit('.').next().is_some_and(title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_eval::Tag;

    #[test]
    fn words_inside_names_are_counted() {
        let doc = Doc {
            id: "a".into(),
            text: Some("Âgé, Hodgkin à Paris, stade d’Hodgkin".into()),
            spans: vec![
                Tag::new(5, 12, "FamilyName"),
                Tag::new(15, 20, "City"),
                Tag::new(30, 37, "FamilyName"),
            ],
        };
        let alarms = count([doc].iter());
        assert_eq!((alarms.words, alarms.names, alarms.by_word["hodgkin"]), (7, 2, 2));
    }
}
