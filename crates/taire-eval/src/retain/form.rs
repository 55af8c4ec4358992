//! Words of medicine that their endings give away, and names of diseases after somebody.

use taire_lang::Vocabulary;
use taire_text::{Facts, Kind, Language, Shape, Token, fold_hash, fold_into};

use super::Category;

/// Shorter words end so by chance.
const SHORTEST: usize = 7;

const DISEASES_FR: &[&str] = &[
    "ite", "ose", "ome", "pathie", "emie", "algie", "plegie", "urie", "pnee", "rragie", "rrhee", "cardie",
    "phasie", "trophie", "megalie", "cele", "penie", "plasie",
];
const ACTS_FR: &[&str] =
    &["ectomie", "scopie", "graphie", "tomie", "plastie", "stomie", "therapie", "centese", "desse"];
const DISEASES_ES: &[&str] = &[
    "itis", "osis", "oma", "patia", "emia", "algia", "plejia", "uria", "rragia", "rrea", "cardia", "fasia",
    "trofia", "megalia", "cele", "penia", "plasia",
];
const ACTS_ES: &[&str] =
    &["ectomia", "scopia", "grafia", "tomia", "plastia", "stomia", "terapia", "centesis", "desis"];

/// What a word is by its ending. Ordinary words and names that end alike are not meant.
pub(super) fn by_ending(language: Language, facts: Facts, word: &str, folded: &str) -> Option<Category> {
    if folded.len() < SHORTEST || facts.word_class() >= 2 || facts.is_name() || facts.is_town() {
        return None;
    }
    // `maternité` is no inflammation.
    if word.trim_end_matches('s').ends_with('é') {
        return None;
    }
    // Nor is `Maspalomas` a tumour.
    let capital = word.starts_with(char::is_uppercase);
    let known = facts.is_medical() && (language == Language::Fr || facts.word_class() > 0);
    if !known && capital || facts.word_class() == 1 && !facts.is_medical() {
        return None;
    }
    let (diseases, acts) = match language {
        Language::Fr => (DISEASES_FR, ACTS_FR),
        Language::Es => (DISEASES_ES, ACTS_ES),
    };
    let ends = |list: &[&str]| {
        let one = folded.strip_suffix('s').unwrap_or(folded);
        list.iter().any(|e| folded.ends_with(e) || one.ends_with(e))
    };
    if ends(acts) {
        Some(Category::Act)
    } else if ends(diseases) {
        Some(Category::Disease)
    } else {
        None
    }
}

const HEADS: &[&str] = &[
    "maladie",
    "maladies",
    "syndrome",
    "syndromes",
    "tumeur",
    "sarcome",
    "lymphome",
    "purpura",
    "paralysie",
    "fracture",
    "hernie",
    "diverticule",
    "kyste",
    "goitre",
    "chancre",
    "thyroidite",
    "choree",
    "enfermedad",
    "sindrome",
    "tumor",
    "linfoma",
    "paralisis",
    "fractura",
    "tiroiditis",
    "corea",
];
const OTHER_HEADS: &[&str] = &[
    "signe",
    "signes",
    "test",
    "score",
    "echelle",
    "classification",
    "triade",
    "criteres",
    "manoeuvre",
    "reflexe",
    "nodules",
    "corps",
    "signo",
    "escala",
    "clasificacion",
    "triada",
    "criterios",
    "maniobra",
    "reflejo",
];

/// Tokens that "maladie de Crohn", "signe de Babinski-Weil" take from `at` on, whoever that was.
pub(super) fn eponym(
    norm: &str,
    tokens: &[Token],
    at: usize,
    folded: &mut String,
) -> Option<(usize, Category)> {
    let mut is = |i: usize, list: &[&str]| {
        folded.clear();
        if let Some(token) = tokens.get(i).filter(|t| t.kind == Kind::Word) {
            fold_into(token.of(norm), folded);
        }
        list.contains(&folded.as_str())
    };
    let category = if is(at, HEADS) {
        Category::Disease
    } else if is(at, OTHER_HEADS) {
        Category::Other
    } else {
        return None;
    };
    let is_mark = |i: usize, marks: &[&str]| tokens.get(i).is_some_and(|t| marks.contains(&t.of(norm)));
    let mut i = at + 1;
    if is(i, &["de", "d", "du", "von", "del"]) {
        i += 1 + usize::from(is_mark(i + 1, &["'"]));
    }
    let is_name = |i: usize| {
        let named = |t: &Token| matches!(t.shape, Shape::Title | Shape::Mixed | Shape::Upper);
        tokens.get(i).is_some_and(|t| named(t) && t.end() - t.start() >= 3)
    };
    let is_title =
        |i: usize| tokens.get(i).is_some_and(|t| Vocabulary::any().roles(fold_hash(t.of(norm))).is_title());
    if !is_name(i) || is_title(i) {
        return None;
    }
    i += 1;
    while is_mark(i, &["-"]) && is_name(i + 1) {
        i += 2;
    }
    Some((i - at, category))
}
