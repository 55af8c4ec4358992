//! `medicine-*.fst`: terms of medicine in their simple form, each with what it is.
//!
//! French diseases are the labels of ICD-10, cut to the words a letter would use: what is in brackets, after a comma
//! or after "avec", "sans", "au cours de" goes. Where several codes share a term, the one with the shortest label has it.
//! External causes and reasons for contact (V to Z) are no diseases. No free table of Spanish labels was found, so the
//! Spanish ones are written by hand, as are acts, analytes and the abbreviations of both languages.

use std::collections::{BTreeMap, BTreeSet};

use taire_lexicon::{Family, Term, TermKind, term_key};
use taire_text::{Language, fold};

use super::fetch::{self, Lists};
use super::sources::Counts;
use super::words::Words;
use super::{Output, Result, fst_bytes, hand, read};

/// A first word shared by so many families is too general by itself.
const TOO_WIDE: usize = 25;
/// Longer labels are descriptions, which no letter holds word for word.
const MOST_WORDS: usize = 7;

/// Words that label a group of diseases and no disease.
const GENERIC: &[&str] = &[
    "absence",
    "acces",
    "accident",
    "affection",
    "agent",
    "anomalie",
    "antecedent",
    "arret",
    "atteinte",
    "autre",
    "baisse",
    "besoin",
    "cause",
    "certain",
    "changement",
    "complication",
    "conduite",
    "contact",
    "corps",
    "defaut",
    "deficience",
    "degenerescence",
    "demande",
    "difficulte",
    "effet",
    "enfant",
    "etat",
    "examen",
    "exposition",
    "facteur",
    "forme",
    "gene",
    "groupe",
    "histoire",
    "incident",
    "introduction",
    "lesion",
    "mal",
    "maladie",
    "malformation",
    "manifestation",
    "manque",
    "mere",
    "mode",
    "mort",
    "naissance",
    "niveau",
    "nouveau",
    "objet",
    "observation",
    "patient",
    "personne",
    "perte",
    "phase",
    "position",
    "prelevement",
    "presence",
    "presentation",
    "probleme",
    "produit",
    "reaction",
    "resistance",
    "retard",
    "resultat",
    "score",
    "sequelle",
    "signe",
    "soin",
    "sujet",
    "surveillance",
    "symptome",
    "syndrome",
    "taux",
    "traitement",
    "travail",
    "trouble",
    "tumeur",
    "usage",
    "valeur",
    "variation",
    "zone",
    "bloc",
    "liquide",
    "chute",
    "pied",
    "main",
    "dent",
    "doigt",
    "oeil",
    "oreille",
    "bruit",
    "voix",
    "toxicite",
    "foetu",
    "ne",
    "peau",
    "conflit",
];

/// Where a label goes on about circumstances.
const CUTS: &[&str] = &[
    "avec",
    "sans",
    "au cours",
    "dû",
    "due",
    "dus",
    "dues",
    "non",
    "autre",
    "autres",
    "et",
    "ou",
    "chez",
    "pendant",
    "après",
    "associé",
    "associée",
    "lié",
    "liée",
    "liés",
    "liées",
    "classé",
    "classée",
    "consécutif",
    "consécutive",
    "causé",
    "causée",
    "précisé",
    "précisée",
    "précisés",
    "précisées",
    "affectant",
    "entraînant",
    "sauf",
    "survenant",
    "localisé",
    "localisée",
];

pub(crate) fn write(
    lists: &Lists,
    language: Language,
    words: &Words,
    counts: &mut Counts,
    output: &mut Output,
) -> Result<()> {
    let mut terms: BTreeMap<String, u64> = BTreeMap::new();
    if language == Language::Fr {
        let found = diseases(&read::icd10(lists)?, words);
        counts.add(fetch::EDSNLP, "terms of ICD-10 labels", found.len());
        terms.extend(found);
    }
    let mut several = 0;
    for drug in read::drugs(lists)? {
        let key = term_key(&drug, language);
        // Single words are among the facts of words.
        if key.contains(' ') && key.len() < 40 && key.split(' ').any(|w| words.get(w).is_drug()) {
            terms.insert(key, Term { kind: TermKind::Drug, family: None }.value());
            several += 1;
        }
    }
    counts.add(fetch::EDSNLP, format!("drugs of several words ({language})"), several);
    for line in hand::lines(hand::diseases(language)) {
        let (code, names) = line.split_once(' ').ok_or_else(|| format!("`{line}` has no code"))?;
        let family = Family::of(code).ok_or_else(|| format!("`{code}` is no family of ICD-10"))?;
        written(&mut terms, names, language, Term { kind: TermKind::Disease, family: Some(family) });
    }
    for (list, kind) in [(hand::acts(language), TermKind::Act), (hand::analytes(language), TermKind::Analyte)]
    {
        hand::lines(list).for_each(|line| written(&mut terms, line, language, Term { kind, family: None }));
    }
    output.insert(format!("medicine-{}.fst", language.key()), fst_bytes(&terms)?);
    Ok(())
}

fn written(terms: &mut BTreeMap<String, u64>, names: &str, language: Language, term: Term) {
    let keys = names.split(" | ").map(|name| term_key(name, language)).filter(|k| !k.is_empty());
    terms.extend(keys.map(|key| (key, term.value())));
}

/// Terms of labels with their families.
fn diseases(labels: &[(String, String)], words: &Words) -> BTreeMap<String, u64> {
    let mut best: BTreeMap<String, (usize, Family)> = BTreeMap::new();
    let mut under: BTreeMap<String, BTreeSet<Family>> = BTreeMap::new();
    for (code, label) in labels {
        let Some(family) = Family::of(code).filter(|f| f.code() < "U") else { continue };
        for short in cut(label) {
            let key = term_key(&short, Language::Fr);
            if let Some(first) = key.split(' ').next() {
                under.entry(first.to_owned()).or_default().insert(family);
            }
            let candidate = (label.len(), family);
            let slot = best.entry(key).or_insert(candidate);
            *slot = (*slot).min(candidate);
        }
    }
    let wide = |word: &str| under.get(word).is_some_and(|f| f.len() > TOO_WIDE);
    let keeps = |key: &str| {
        let mut parts = key.split(' ');
        let (first, more) = (parts.next().unwrap_or_default(), parts.count());
        match more {
            0 => {
                let facts = words.get(first);
                first.len() >= 5
                    && !GENERIC.contains(&first)
                    && !wide(first)
                    && facts.word_class() < 2
                    && facts.given_tier() < 4
                    && facts.family_tier() < 4
            }
            1.. => more < MOST_WORDS,
        }
    };
    let disease = |family| Term { kind: TermKind::Disease, family: Some(family) }.value();
    best.into_iter().filter(|(key, _)| keeps(key)).map(|(key, (_, f))| (key, disease(f))).collect()
}

/// The shorter ways to say a label.
fn cut(label: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let plain = without(label, '(', ')');
    let plain = without(&plain, '[', ']').replace("***", "");
    let open: String = without(label, '[', ']').replace(['(', ')'], "").replace("***", "");
    for text in [plain, open] {
        let head = text.split([',', ':', ';', '—']).next().unwrap_or_default();
        let words: Vec<&str> = head.split_whitespace().skip_while(|w| leads(w)).collect();
        out.insert(words.join(" "));
        for at in 1..words.len() {
            let two = words[at..].iter().take(2).copied().collect::<Vec<_>>().join(" ");
            if CUTS.contains(&words[at]) || CUTS.contains(&two.as_str()) {
                out.insert(words[..at].join(" "));
            }
        }
    }
    out.retain(|short| !short.is_empty() && !CUTS.contains(&short.rsplit(' ').next().unwrap_or_default()));
    out
}

/// Words before the term itself.
fn leads(word: &str) -> bool {
    let word = fold(word);
    matches!(
        word.as_str(),
        "autre" | "autres" | "certains" | "certaines" | "antecedents" | "sequelles" | "de" | "d'un"
    ) || word.starts_with("d'autres")
        || word.starts_with("su") && word[2..].bytes().all(|b| b.is_ascii_digit()) && word.len() > 2
}

fn without(text: &str, open: char, close: char) -> String {
    let mut depth = 0usize;
    let mut out = String::new();
    for c in text.chars() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
        } else if depth == 0 {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_cut_to_what_letters_say() {
        let short = |label: &str| cut(label).into_iter().collect::<Vec<_>>();
        assert_eq!(short("Choléra, sans précision"), ["Choléra"]);
        assert_eq!(
            short("Infarctus (aigu) du myocarde"),
            ["Infarctus aigu du myocarde", "Infarctus du myocarde"]
        );
        assert_eq!(
            short("Autres maladies de Crohn avec fistule [code]"),
            ["maladies de Crohn", "maladies de Crohn avec fistule"]
        );
        assert_eq!(short("*** SU11 *** Histiocytose, non classée ailleurs"), ["Histiocytose"]);
    }
}
