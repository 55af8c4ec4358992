//! Other languages are refused: a document that is neither French nor Spanish is not read as one of them.
//!
//! The function words of each language are data (`languages.txt`). A document is foreign where another language's words
//! clearly outnumber those of French and of Spanish; too few function words say nothing.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use taire_text::{Kind, Note, fold_hash};

/// How many words a text needs before its language is judged.
const FEWEST_WORDS: usize = 20;
/// How many function words another language must show.
const FEWEST_HITS: f32 = 8.0;
/// How many times those of French or Spanish.
const CLEARLY: f32 = 1.35;
/// The languages beside Spanish need more text: a few lines are met in Spanish documents.
const NEIGHBOUR_HITS: f32 = 25.0;
const MOST_WORDS: usize = 4_000;

struct Profiles {
    names: Vec<&'static str>,
    /// The languages of each word.
    words: FxHashMap<u64, Vec<u8>>,
}

static PROFILES: LazyLock<Profiles> = LazyLock::new(|| {
    let mut profiles = Profiles { names: Vec::new(), words: FxHashMap::default() };
    let lines = include_str!("languages.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    for (name, words) in lines.filter_map(|l| l.split_once(": ")) {
        let language = profiles.names.len() as u8;
        profiles.names.push(name);
        for word in words.split_whitespace() {
            let list = profiles.words.entry(fold_hash(word)).or_default();
            if !list.contains(&language) {
                list.push(language);
            }
        }
    }
    profiles
});

/// The language of a note that is neither French nor Spanish, by its English name.
pub fn foreign_language(note: &Note) -> Option<&'static str> {
    let profiles = &*PROFILES;
    let mut hits = vec![0.0f32; profiles.names.len()];
    let mut words = 0;
    for token in note.tokens.iter().filter(|t| t.kind == Kind::Word).take(MOST_WORDS) {
        words += 1;
        let hash = if token.hash != 0 { token.hash } else { fold_hash(token.of(note.norm())) };
        if let Some(languages) = profiles.words.get(&hash) {
            // A word of many languages says little.
            let weight = if languages.len() == 1 { 1.0 } else { 0.6 };
            languages.iter().for_each(|&l| hits[usize::from(l)] += weight);
        }
    }
    if words < FEWEST_WORDS {
        return None;
    }
    let score = |name: &str| profiles.names.iter().position(|n| *n == name).map_or(0.0, |i| hits[i]);
    let ours = score("French").max(score("Spanish"));
    let (best, most) = profiles
        .names
        .iter()
        .zip(&hits)
        .filter(|(name, _)| !matches!(**name, "French" | "Spanish"))
        .fold(("", 0.0), |best, (name, &hits)| if hits > best.1 { (*name, hits) } else { best });
    let neighbour = matches!(best, "Catalan" | "Galician" | "Basque" | "Portuguese");
    let least = if neighbour { NEIGHBOUR_HITS.min(words as f32 * 0.3).max(FEWEST_HITS) } else { FEWEST_HITS };
    (most >= least && most > ours * CLEARLY).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Option<&'static str> {
        foreign_language(&Note::builder("t", text).build().unwrap())
    }

    #[test]
    fn other_languages_are_named() {
        for (text, language) in [
            (
                "The patient was admitted to the hospital with chest pain and shortness of breath. She has a history of diabetes and was treated with metformin for the last two years.",
                "English",
            ),
            (
                "Der Patient wurde mit starken Schmerzen in der Brust in die Klinik aufgenommen. Er hat eine Vorgeschichte von Diabetes und wird seit zwei Jahren mit Metformin behandelt.",
                "German",
            ),
            (
                "Il paziente è stato ricoverato in ospedale per dolore toracico e dispnea. Ha una storia di diabete ed è stato trattato con metformina negli ultimi due anni della sua vita.",
                "Italian",
            ),
            (
                "O doente foi internado no hospital com dor torácica e dispneia. Tem história de diabetes e foi tratado com metformina nos últimos dois anos. Não fuma e não tem alergias, mas a mãe tem asma.",
                "Portuguese",
            ),
            (
                "De patiënt werd opgenomen in het ziekenhuis met pijn op de borst en kortademigheid. Zij heeft een voorgeschiedenis van diabetes en wordt sinds twee jaar behandeld met metformine.",
                "Dutch",
            ),
            (
                "El pacient va ingressar a l'hospital amb dolor toràcic i dispnea. Té antecedents de diabetis i ha estat tractat amb metformina els darrers dos anys. No fuma ni té al·lèrgies conegudes, però la seva mare és asmàtica i el pare va morir d'un infart.",
                "Catalan",
            ),
            (
                "Pazientea ospitalean sartu da bularreko minarekin eta arnasa hartzeko zailtasunekin. Diabetesa du eta metformina hartzen du azken bi urteetan. Ez du erretzen eta ez du alergiarik. Bere ama asmatikoa da.",
                "Basque",
            ),
        ] {
            assert_eq!(judged(text), Some(language), "{text}");
        }
    }

    #[test]
    fn french_and_spanish_are_read_with_foreign_parts_too() {
        for text in [
            "Patient de 54 ans hospitalisé pour une douleur thoracique avec dyspnée. Il est diabétique et prend de la metformine depuis deux ans. Pas d'allergie connue, la mère est asthmatique.",
            "Paciente de 54 años que ingresa por dolor torácico y disnea. Es diabético y toma metformina desde hace dos años. No fuma y no tiene alergias conocidas; la madre es asmática.",
            "Paciente de 54 años que ingresa por dolor torácico y disnea. Es diabético y toma metformina desde hace dos años. Abstract: the patient was admitted with chest pain. Se trata con aspirina y se da de alta a los tres días con buena evolución.",
            "Doliprane 1 g, Kardegic 75 mg, Lasilix 40 mg, Bisoprolol 2,5 mg, Ramipril 5 mg, Crestor 10 mg, Metformine 1000 mg, Lantus, Novorapid, Xarelto, Amiodarone, Levothyrox, Inexium, Tahor, Plavix",
            "The patient",
        ] {
            assert_eq!(judged(text), None, "{text}");
        }
    }
}
