//! Agreement of the first marking with a second one that was made blind, from plain text (`tools/corpus/second`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use taire_text::{Label, Language};

use crate::{Error, LANGUAGES, MarkedDocument, OpenCorpus, read_folder};

/// How far two markings of the same documents agree.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Agreement {
    pub documents: usize,
    /// Spans of the first marking, of the second, and the same in both: borders and label.
    pub spans: [usize; 3],
    /// Letters and digits inside spans: first, second, both.
    pub characters: [usize; 3],
    /// Spans of which the other marking has nothing, by label: first only, second only.
    pub alone: BTreeMap<Label, [usize; 2]>,
}

impl Agreement {
    pub fn strict_f1(&self) -> f64 {
        f1(self.spans)
    }

    pub fn character_f1(&self) -> f64 {
        f1(self.characters)
    }

    fn add(&mut self, first: &MarkedDocument, second: &MarkedDocument) {
        let spans = |d: &MarkedDocument| d.spans.iter().copied().collect::<BTreeSet<_>>();
        let (a, b) = (spans(first), spans(second));
        self.documents += 1;
        self.spans[0] += a.len();
        self.spans[1] += b.len();
        self.spans[2] += a.intersection(&b).count();
        let covered = [cover(first), cover(second)];
        for (i, _) in first.text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
            self.characters[0] += usize::from(covered[0][i]);
            self.characters[1] += usize::from(covered[1][i]);
            self.characters[2] += usize::from(covered[0][i] && covered[1][i]);
        }
        for (side, document) in [first, second].into_iter().enumerate() {
            let other = &covered[1 - side];
            for span in document.spans.iter().filter(|s| !other[s.start..s.end].contains(&true)) {
                self.alone.entry(span.label).or_default()[side] += 1;
            }
        }
    }
}

fn f1([first, second, both]: [usize; 3]) -> f64 {
    if first + second == 0 { 1.0 } else { 2.0 * both as f64 / (first + second) as f64 }
}

fn cover(document: &MarkedDocument) -> Vec<bool> {
    let mut out = vec![false; document.text.len()];
    for span in &document.spans {
        out[span.start..span.end].fill(true);
    }
    out
}

/// Compares the second marking of a language with the corpus. Texts must be the same.
pub fn agreement(corpus: &OpenCorpus, language: Language) -> Result<Agreement, Error> {
    let mut out = Agreement::default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("second").join(language.key());
    let folders = std::fs::read_dir(&root).map_err(|e| Error::io(&root, &e))?;
    for folder in folders {
        let folder = folder.map_err(|e| Error::io(&root, &e))?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for second in read_folder(&folder, &format!("{}/{name}", language.key()), language)? {
            let first = corpus.documents.iter().find(|d| d.id == second.id);
            let first = first.ok_or_else(|| Error::new(format!("{}: not in the corpus", second.id)))?;
            if first.text.trim_end() != second.text.trim_end() {
                return Err(Error::new(format!("{}: the second marking has another text", second.id)));
            }
            out.add(first, &second);
        }
    }
    Ok(out)
}

/// The table of `scores/agreement.md`.
pub fn agreement_table(corpus: &OpenCorpus) -> Result<String, Error> {
    let mut out = String::from(
        "# Agreement of two markings\n\n`cargo corpus agreement --write`. The second marking (`tools/corpus/second`) was made from \
         plain text without sight of the first, under `corpus/GUIDELINES.md`, by a language model, as the first was: two annotators of \
         one kind agree more than two people would. *Strict*: same borders and label; *characters*: letters and \
         digits inside spans, whatever the label.\n\n| language | documents | spans, first / second | strict F1 | characters F1 |\n\
         |---|---:|---:|---:|---:|\n",
    );
    let mut alone = String::new();
    for language in LANGUAGES {
        let found = agreement(corpus, language)?;
        let _ = writeln!(
            out,
            "| {language} | {} | {} / {} | {:.4} | {:.4} |",
            found.documents,
            found.spans[0],
            found.spans[1],
            found.strict_f1(),
            found.character_f1()
        );
        for (label, [first, second]) in &found.alone {
            let _ = writeln!(alone, "| {language} | {label} | {first} | {second} |");
        }
    }
    out.push_str("\nSpans of which the other marking has nothing:\n\n| language | label | first only | second only |\n|---|---|---:|---:|\n");
    out.push_str(&alone);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped_root;

    #[test]
    fn two_markings_agree_on_what_identifies() {
        let corpus = OpenCorpus::open(&shipped_root()).unwrap();
        for language in LANGUAGES {
            let found = agreement(&corpus, language).unwrap();
            assert!(found.documents >= 60, "{language}: {}", found.documents);
            assert!(found.character_f1() >= 0.96, "{language}: {:.4}", found.character_f1());
        }
    }
}
