//! The allow-list system measured as its paper does (Chazard et al. 2014): how many identifying words are hidden, and
//! how many medical codes can still be read afterwards, on our own generated letters.
//!
//! Identifying words are the words and numbers inside the spans that the paper lists (names, places, dates, ages,
//! facilities, numbers; not sex, kinship, profession or "depuis trois mois"), articles and prepositions aside. A
//! medical code is what a coder would code: a diagnosis or an act, known by its form (appendicite, coloscopie), so
//! that the lexicons that the list is made of do not judge themselves; and a result or a dose, a word with a number and a
//! unit. It is kept if nothing of it is hidden.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use taire_eval::Corpus;
use taire_text::{Kind, Language, fold, tokenise};

use super::figures::{Figure, Set};
use super::run::Taire;
use taire_corpus::generate::{Generated, Request, documents};

const DOCUMENTS: u64 = 600;
const SEED: u64 = 11;

static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let endings = "ite|ose|ome|pathie|émie|algie|ectomie|scopie|graphie|tomie|plastie|plégie|urie|pnée|rragie|rrhée|\
                   cardie|phasie|trophie|lyse|mégalie|isme|cèle|stomie|thérapie";
    Regex::new(&format!(r"(?i)\b[\p{{L}}-]{{3,}}(?:{endings})s?\b")).ok()
});
static RESULT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let units = "mg/dl|g/dl|g/l|mg/l|µg/l|ng/ml|pg/ml|mmol/l|µmol/l|ui/l|u/l|ui|/mm3|mmhg|mg/j|mg|µg|g|ml|cp|%|bpm|\
                 kg|cm|mm|°c|ml/min";
    Regex::new(&format!(
        r"(?i)(\p{{L}}[\p{{L}}\d-]*)(?: à| de| :|:| =| )? ?(\d+(?:[.,]\d+)?) ?(?:{units})(?:\W|$)"
    ))
    .ok()
});

/// One family of letters, scored.
pub(super) fn set(taire: &Taire, name: &str, held_out: bool, prose: &Path) -> Result<Set, String> {
    let request =
        Request { language: Language::Fr, held_out, documents: DOCUMENTS, seed: SEED, prose: Some(prose) };
    let letters = documents(&request)?;
    let input = taire.scratch(&format!("letters-{}.jsonl", if held_out { "out" } else { "in" }));
    let mut lines = String::new();
    for letter in &letters {
        lines.push_str(&serde_json::json!({ "id": letter.id, "text": letter.text }).to_string());
        lines.push('\n');
    }
    fs::write(&input, lines).map_err(|e| format!("{}: {e}", input.display()))?;
    let output = taire.detect(
        &input,
        &format!("fasdim-{}.jsonl", if held_out { "out" } else { "in" }),
        &["--to", "jsonl", "--policy", "fasdim", "--lang", "fr"],
    )?;
    let found = Corpus::read(&output.path).map_err(|e| e.to_string())?;
    let mut counts = Counts::default();
    for (letter, doc) in letters.iter().zip(found.docs()) {
        if letter.id != doc.id {
            return Err(format!("document `{}` was not treated", letter.id));
        }
        let spans: Vec<_> = doc.spans.iter().map(|s| (s.start, s.end)).collect();
        counts.add(letter, &spans);
    }
    let share = |part: u64, whole: u64| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    Ok(Set {
        name: name.into(),
        data: format!(
            "generated letters, seed {SEED}, {} documents, {} identifying words",
            letters.len(),
            counts.identifying
        ),
        command: output.command,
        seconds: output.seconds,
        figures: vec![
            Figure::high("identifying words hidden", share(counts.hidden, counts.identifying)),
            Figure::high("medical codes kept", share(counts.codes_kept, counts.codes)),
            Figure::high("words that identify nobody, kept", share(counts.others_kept, counts.others)),
        ],
        evaluation: None,
    })
}

#[derive(Default, Debug, PartialEq)]
struct Counts {
    identifying: u64,
    hidden: u64,
    others: u64,
    others_kept: u64,
    codes: u64,
    codes_kept: u64,
}

impl Counts {
    fn add(&mut self, letter: &Generated, spans: &[(usize, usize)]) {
        let text = &letter.text;
        let mut points: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        points.push(text.len());
        let length = points.len() - 1;
        let (mut gold, mut any, mut gone) = (vec![false; length], vec![false; length], vec![false; length]);
        let paint = |cells: &mut [bool], from: usize, to: usize| {
            cells[from.min(length)..to.min(length)].iter_mut().for_each(|c| *c = true);
        };
        for (from, to, label) in &letter.spans {
            paint(&mut any, *from, *to);
            if identifies(label.split(':').next().unwrap_or(label)) {
                paint(&mut gold, *from, *to);
            }
        }
        for &(from, to) in spans {
            paint(&mut gone, from, to);
        }
        let range = |from: usize, to: usize| {
            let point = |byte: usize| points.partition_point(|&b| b < byte);
            point(from)..point(to)
        };
        for token in tokenise(text).iter().filter(|t| matches!(t.kind, Kind::Word | Kind::Number)) {
            let cells = range(token.start(), token.end());
            let hidden = cells.clone().all(|i| gone[i]);
            if gold[cells.start] {
                if !is_small(&fold(token.of(text))) {
                    self.identifying += 1;
                    self.hidden += u64::from(hidden);
                }
            } else if !any[cells.start] {
                self.others += 1;
                self.others_kept += u64::from(!cells.clone().any(|i| gone[i]));
            }
        }
        let mut code = |parts: &[std::ops::Range<usize>]| {
            let cells = || parts.iter().cloned().flatten();
            if cells().any(|i| any[i]) {
                return;
            }
            self.codes += 1;
            self.codes_kept += u64::from(!cells().any(|i| gone[i]));
        };
        if let Some(form) = &*FORM {
            form.find_iter(text).for_each(|m| code(&[range(m.start(), m.end())]));
        }
        if let Some(result) = &*RESULT {
            for found in result.captures_iter(text) {
                if let (Some(word), Some(number)) = (found.get(1), found.get(2)) {
                    code(&[range(word.start(), word.end()), range(number.start(), number.end())]);
                }
            }
        }
    }
}

fn identifies(label: &str) -> bool {
    !matches!(label, "Sex" | "Kinship" | "Profession" | "RelativeDate")
}

fn is_small(folded: &str) -> bool {
    matches!(
        folded,
        "de" | "du"
            | "des"
            | "d"
            | "la"
            | "le"
            | "les"
            | "l"
            | "et"
            | "a"
            | "au"
            | "aux"
            | "en"
            | "sur"
            | "sous"
            | "par"
            | "pour"
            | "y"
            | "un"
            | "une"
            | "lez"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hidden_and_codes_kept_are_counted() {
        let letter = Generated {
            id: "a".into(),
            text: "M. de Brix : appendicite, CRP à 120 mg/l. Fille de M. Brix".into(),
            spans: vec![
                (3, 10, "FamilyName:Patient".into()),
                (42, 47, "Kinship:Relative".into()),
                (54, 58, "FamilyName".into()),
            ],
        };
        let mut counts = Counts::default();
        counts.add(&letter, &[(6, 10), (32, 35)]);
        assert_eq!((counts.identifying, counts.hidden), (2, 1));
        assert_eq!((counts.codes, counts.codes_kept), (2, 1));
        assert!(counts.others > counts.others_kept);
    }
}
