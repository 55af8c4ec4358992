//! One walk over the tokens of a document: codes, terms of the lists, values with units, words known by their form.

use std::collections::BTreeSet;

use taire_lexicon::{Family, Lexicon, TermKind};
use taire_text::{Facts, Kind, Note, fold_into};

use super::quantity::{Quantity, Reading};
use super::{Category, Item, Terms, code, form};

/// Words of medicine shorter than this are mostly abbreviations of everything.
const SHORTEST: usize = 4;

/// The medical terms of a document.
pub fn terms(note: &Note) -> Terms {
    let mut scan = Scan {
        note,
        reading: Reading { norm: note.norm(), tokens: &note.tokens },
        lexicon: Lexicon::of(note.language),
        folded: String::new(),
        terms: Terms::default(),
    };
    let mut at = 0;
    while at < note.tokens.len() {
        at = scan.step(at).max(at + 1);
    }
    scan.terms.sort();
    scan.terms
}

/// The families of ICD-10 that a document names. Symptoms (chapter R) are none: everybody has some.
pub fn families(note: &Note) -> BTreeSet<Family> {
    let (lexicon, tokens) = (Lexicon::of(note.language), &note.tokens);
    let mut out = BTreeSet::new();
    let mut at = 0;
    while at < tokens.len() {
        let found = lexicon.longest_term(note.norm(), tokens, at);
        out.extend(found.and_then(|(_, term)| term.family).filter(|f| !f.code().starts_with('R')));
        at += found.map_or(1, |(length, _)| length);
    }
    out
}

struct Scan<'a> {
    note: &'a Note,
    reading: Reading<'a>,
    lexicon: &'static Lexicon,
    folded: String,
    terms: Terms,
}

impl Scan<'_> {
    /// Reads what starts at a token; returns where it ends.
    fn step(&mut self, at: usize) -> usize {
        let (norm, tokens) = (self.reading.norm, self.reading.tokens);
        match tokens[at].kind {
            Kind::Mark | Kind::Newline => return at + 1,
            Kind::Number => return self.number(at),
            Kind::Word => {}
        }
        if let Some(length) = code::code(norm, tokens, at, &mut self.folded) {
            return self.push(Category::Code, at..at + length, None);
        }
        let listed = self.lexicon.longest_term(norm, tokens, at);
        let eponym = form::eponym(norm, tokens, at, &mut self.folded);
        if let Some((length, category)) = eponym
            && listed.is_none_or(|(listed, _)| listed < length)
        {
            return self.push(category, at..at + length, None);
        }
        match listed {
            Some((length, term)) => {
                let end = at + length;
                let category = match term.kind {
                    TermKind::Disease => Category::Disease,
                    TermKind::Act => Category::Act,
                    TermKind::Drug => Category::Drug,
                    TermKind::Analyte => {
                        return match self.reading.value_after(end, &mut self.folded) {
                            Some((number, quantity)) => {
                                self.push(Category::Result, at..end, Some((number, &quantity)))
                            }
                            None => self.word(at).max(end),
                        };
                    }
                };
                self.push(category, at..end, None)
            }
            None => self.word(at),
        }
    }

    fn number(&mut self, at: usize) -> usize {
        let Some(quantity) = self.reading.quantity(at, &mut self.folded) else { return at + 1 };
        if !quantity.has_unit() {
            return quantity.value_end;
        }
        let category = if quantity.laboratory { Category::Result } else { Category::Measure };
        self.push(category, at..at, Some((at, &quantity)))
    }

    fn word(&mut self, at: usize) -> usize {
        let word = self.reading.tokens[at].of(self.reading.norm);
        self.folded.clear();
        fold_into(word, &mut self.folded);
        let facts = self.lexicon.facts(&self.folded);
        let by_ending = form::by_ending(self.note.language, facts, word, &self.folded);
        let category = by_ending.or_else(|| self.by_facts(facts));
        match category {
            Some(category) => self.push(category, at..at + 1, None),
            None => at + 1,
        }
    }

    fn by_facts(&self, facts: Facts) -> Option<Category> {
        if self.folded.len() < SHORTEST || facts.word_class() >= 2 || facts.is_country() {
            None
        } else if facts.is_drug() {
            Some(Category::Drug)
        } else {
            facts.is_medical().then_some(Category::Other)
        }
    }

    /// A term with the words that a hyphen glues to it: `insulino-dépendant` with its first half masked is lost.
    fn with_glued_parts(&self, words: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let (norm, tokens) = (self.reading.norm, self.reading.tokens);
        if words.is_empty() {
            return words;
        }
        let joined = |hyphen: usize, word: usize| {
            tokens.get(hyphen).is_some_and(|t| t.glued && t.of(norm) == "-")
                && tokens.get(word).is_some_and(|t| t.kind == Kind::Word)
        };
        let (mut first, mut end) = (words.start, words.end);
        while first >= 2 && tokens[first].glued && joined(first - 1, first - 2) {
            first -= 2;
        }
        while joined(end, end + 1) && tokens[end + 1].glued {
            end += 2;
        }
        first..end
    }

    /// Keeps a term: folded tokens, then the value as it was typed and its unit.
    fn push(
        &mut self,
        category: Category,
        words: std::ops::Range<usize>,
        value: Option<(usize, &Quantity)>,
    ) -> usize {
        let (norm, tokens) = (self.reading.norm, self.reading.tokens);
        let start = self.terms.text.len();
        let mut end = words.end;
        for token in &tokens[self.with_glued_parts(words)] {
            if self.terms.text.len() > start && !token.glued {
                self.terms.text.push(' ');
            }
            fold_into(token.of(norm), &mut self.terms.text);
        }
        if let Some((number, quantity)) = value {
            for (from, until) in [(number, quantity.value_end), (quantity.value_end, quantity.end)] {
                if self.terms.text.len() > start && from < until {
                    self.terms.text.push(' ');
                }
                tokens[from..until].iter().for_each(|t| fold_into(t.of(norm), &mut self.terms.text));
            }
            end = quantity.end;
        }
        let (start, stop) = (start as u32, self.terms.text.len() as u32);
        self.terms.items.push(Item { category, start, end: stop });
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::Language;

    fn read(text: &str, language: Language) -> Vec<(&'static str, String)> {
        let note = Note::builder("a", text).language(Some(language)).build().unwrap();
        terms(&note).iter().map(|(c, t)| (c.name(), t.to_owned())).collect()
    }

    fn has(text: &str, language: Language, expected: &[(&'static str, &str)]) {
        let found = read(text, language);
        for (category, term) in expected {
            assert!(found.contains(&(category, (*term).to_owned())), "{term} in {found:?}");
        }
    }

    #[test]
    fn terms_of_a_letter_are_found_by_category() {
        has(
            "Pt de 67 ans, BPCO et diabète de type 2, fractures du col du fémur en 2011, syndrome de Xynthos. TDM puis \
             coelioscopie, cholécystectomie. Sous amiodarone 200 mg/j. CRP à 112 mg/l, plaquettes : 251 000/mm3, \
             pH 7,32, T° 38,5 °C, masse de 3 x 4 cm. DP : K80.0, acte HMFC004.",
            Language::Fr,
            &[
                ("disease", "bpco"),
                ("disease", "diabete de type 2"),
                ("disease", "fractures du col du femur"),
                ("disease", "syndrome de xynthos"),
                ("act", "tdm"),
                ("act", "coelioscopie"),
                ("act", "cholecystectomie"),
                ("drug", "amiodarone"),
                ("measure", "200 mg/j"),
                ("result", "crp 112 mg/l"),
                ("result", "plaquettes 251000 /mm3"),
                ("result", "ph 7,32"),
                ("measure", "38,5 °c"),
                ("measure", "3x4 cm"),
                ("code", "k80.0"),
                ("code", "hmfc004"),
            ],
        );
        has(
            "Varón con EPOC e hipertensión arterial, enfermedad de Zwirner. TAC y nefrectomía. Hb 9,8 g/dl, PSA de 12 ng/ml.",
            Language::Es,
            &[
                ("disease", "epoc"),
                ("disease", "hipertension arterial"),
                ("disease", "enfermedad de zwirner"),
                ("act", "tac"),
                ("act", "nefrectomia"),
                ("result", "hb 9,8 g/dl"),
                ("result", "psa 12 ng/ml"),
            ],
        );
    }

    #[test]
    fn a_term_with_a_glued_part_masked_is_another_term() {
        // FASDIM's letter.
        let before = read("accident thrombo-embolique", Language::Fr);
        let after = read("accident thrombo-@@@", Language::Fr);
        let lost = before.iter().filter(|t| !after.contains(t)).count();
        assert!(lost == 1, "{before:?} {after:?}");
        assert!(before.iter().any(|(_, t)| t.contains("thrombo-embolique")), "{before:?}");
    }

    #[test]
    fn families_are_reported_and_symptoms_are_not() {
        let text = "Fièvre et toux chez un patient suivi pour une mucoviscidose et une BPCO";
        let note = Note::builder("a", text).language(Some(Language::Fr)).build().unwrap();
        let codes: Vec<_> = families(&note).iter().map(|f| f.code().to_owned()).collect();
        assert_eq!(codes, ["E84", "J44"]);
    }

    #[test]
    fn addresses_are_no_medicine() {
        let found = read(
            "Calle Mayor 5 3º G, 08907 L'Hospitalet. Nacida en Maspalomas. Temperatura 38,5 ºC",
            Language::Es,
        );
        assert!(found.contains(&("result", "temperatura 38,5 oc".to_owned())), "{found:?}");
        assert!(found.iter().all(|(c, _)| !matches!(*c, "disease" | "measure")), "{found:?}");
    }

    #[test]
    fn people_dates_and_ages_are_no_medicine() {
        let text = "Mme Marguerite Brunet, née le 12/05/1950, 72 ans, vue le 3 mai 2010 à 14h par le Dr Salomé, tél 0140506070, \
                    maladie de Monsieur Brunet, CRP en 2012, maternité";
        let found = read(text, Language::Fr);
        assert!(found.iter().all(|(_, t)| !t.contains("brunet") && !t.contains("salome")), "{found:?}");
        assert!(
            found.iter().all(|(c, _)| !matches!(*c, "disease" | "result" | "measure" | "code" | "drug")),
            "{found:?}"
        );
    }
}
