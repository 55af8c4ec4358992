//! The allow-list (FASDIM, Chazard et al. 2014): every word nobody allowed goes, and every digit that no pattern
//! protects.
//!
//! A word is looked up folded, so case and accents do not count. What a person judged ([`list`]) comes first; then
//! terms of medicine written in full ("bacille de Koch"), then the starter list ([`starter`]), drawn from the
//! medical and common lexicons. Numbers are protected by patterns
//! ([`numbers`]). Names after titles, known names and dates are other detectors' business: a word that is allowed
//! here may still be somebody's name to them.

mod list;
mod numbers;
mod starter;
mod titles;

use taire_lexicon::Lexicon;
use taire_text::{Kind, Label, Language, Mention, Note, Shape, Source, fold_into};

pub use list::{Judgement, Judgements, WordEntry, WordList};
pub use titles::mask_titles;

use crate::{Detector, Error};
use numbers::{Protection, Reading};

const UNKNOWN: f32 = 0.6;
const REFUSED: f32 = 0.95;

/// The detector of what nobody allowed.
#[derive(Debug, Default)]
pub struct AllowList {
    judged: Judgements,
    /// Patterns around numbers that a person accepted, and those refused.
    accepted: Option<Protection>,
    refused: Option<Protection>,
    /// Nothing is allowed but what a person judged.
    empty: bool,
}

/// Why a word stays or goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Allowed,
    Unknown,
    Refused,
}

impl AllowList {
    pub fn new(judged: Judgements) -> Self {
        let compile = |judgement: Judgement| {
            let mut patterns = judged.patterns(judgement).peekable();
            patterns.peek().is_some().then(|| Protection::judged(patterns))
        };
        let (accepted, refused) = (compile(Judgement::Accept), compile(Judgement::Refuse));
        AllowList { accepted, refused, judged, empty: false }
    }

    /// Starts from nothing: no ready words, no ready patterns.
    pub fn without_starter(self) -> Self {
        AllowList { empty: true, ..self }
    }

    /// Whether a person has judged this folded word.
    pub fn is_judged(&self, folded: &str) -> bool {
        self.judged.get(folded).is_some()
    }

    fn verdict(&self, note: &Note, at: usize, folded: &str, is_term: bool) -> Verdict {
        match self.judged.get(folded) {
            Some(Judgement::Accept) => Verdict::Allowed,
            Some(Judgement::Refuse) => Verdict::Refused,
            None if self.empty => Verdict::Unknown,
            None if is_term => Verdict::Allowed,
            None if starter::allows(note.language, note.tokens[at].facts, folded) => Verdict::Allowed,
            None if note.tokens[at].shape == Shape::Lower
                && starter::is_medical_form(note.language, note.tokens[at].facts, folded) =>
            {
                Verdict::Allowed
            }
            None => Verdict::Unknown,
        }
    }

    fn read(&self, note: &Note, out: &mut Vec<Mention>) {
        let tokens = &note.tokens;
        let mut protected = vec![false; tokens.len()];
        let mut reading = Reading { text: note.norm(), tokens, word: String::new() };
        if !self.empty {
            Protection::shipped().mark(&mut reading, &mut protected);
        }
        if let Some(refused) = &self.refused {
            let mut masked = vec![false; tokens.len()];
            refused.mark(&mut reading, &mut masked);
            protected.iter_mut().zip(&masked).for_each(|(slot, masked)| *slot &= !masked);
        }
        if let Some(accepted) = &self.accepted {
            accepted.mark(&mut reading, &mut protected);
        }
        let mut folded = reading.word;
        let terms = if self.empty { vec![false; tokens.len()] } else { terms(note) };
        let mut says = |first: usize, last: usize, score: f32, why: &'static str| {
            let span = note.raw_of_tokens(first, last);
            out.push(Mention::phi(span, Label::OtherDetail, score, Source::AllowList, why));
        };
        let mut unknown = vec![false; tokens.len()];
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Number if !terms[at] && (!protected[at] || is_code(note, at)) => {
                    // `SN4482X`: the letters of a series or a plate go with its digits, as one.
                    let (first, last) = with_letters_of_code(note, at);
                    says(first, last, UNKNOWN, "number that no pattern protects");
                }
                Kind::Word => {
                    folded.clear();
                    fold_into(token.of(note.norm()), &mut folded);
                    match self.verdict(note, at, &folded, terms[at]) {
                        Verdict::Allowed => {}
                        Verdict::Unknown => {
                            unknown[at] = token.is_capitalised();
                            says(at, at, UNKNOWN, "word not on the allowed list");
                        }
                        Verdict::Refused => {
                            unknown[at] = token.is_capitalised();
                            says(at, at, REFUSED, "word refused by a person");
                        }
                    }
                }
                Kind::Number | Kind::Mark | Kind::Newline => {}
            }
        }
        for (at, token) in tokens.iter().enumerate() {
            if token.shape == Shape::Single
                && !protected.get(at + 1).is_some_and(|&p| p)
                && beside(note, at, &unknown)
            {
                says(at, at, UNKNOWN, "initial beside a word not on the allowed list");
            }
        }
    }
}

/// Four digits or more on the heels of capitals are a series or a plate, and no measure.
fn is_code(note: &Note, at: usize) -> bool {
    let token = &note.tokens[at];
    let before = at.checked_sub(1).map(|i| note.tokens[i].shape);
    token.glued && token.end() - token.start() >= 4 && matches!(before, Some(Shape::Upper | Shape::Single))
}

/// A number of three digits or more with the capital letters glued to it: first and last token.
fn with_letters_of_code(note: &Note, number: usize) -> (usize, usize) {
    let tokens = &note.tokens;
    let long = tokens[number].end() - tokens[number].start() >= 3;
    let capital = |at: usize| matches!(tokens.get(at).map(|t| t.shape), Some(Shape::Upper | Shape::Single));
    let before = long && number > 0 && tokens[number].glued && capital(number - 1);
    let after = long && capital(number + 1) && tokens[number + 1].glued;
    (number - usize::from(before), number + usize::from(after))
}

/// Tokens that belong to terms of medicine. A term of one word that is also a name or a town is left to the starter list,
/// unless it is typed as neither is ("IgE") or has a score ("EVA à 7/10").
fn terms(note: &Note) -> Vec<bool> {
    let (lexicon, text) = (Lexicon::of(note.language), note.norm());
    let mut out = vec![false; note.tokens.len()];
    let mut at = 0;
    while let Some(token) = note.tokens.get(at) {
        let found =
            if token.kind == Kind::Word { lexicon.longest_term(text, &note.tokens, at) } else { None };
        let length = found.map_or(0, |(length, _)| length);
        let doubtful = token.facts.is_name() || token.facts.is_town();
        if length > 1 || length == 1 && (!doubtful || token.shape == Shape::Mixed || has_score(note, at)) {
            out[at..at + length].fill(true);
        }
        at += length.max(1);
    }
    out
}

/// Whether capitals precede a score, `7/10`, which is no date.
fn has_score(note: &Note, at: usize) -> bool {
    let word = |i: usize| note.tokens.get(i).map_or("", |t| t.of(note.norm()));
    let number = |i: usize| note.tokens.get(i).is_some_and(|t| t.kind == Kind::Number);
    let from = at + 1 + usize::from(matches!(word(at + 1), ":" | "=" | "à" | "A" | "a"));
    note.tokens[at].shape == Shape::Upper
        && number(from)
        && word(from + 1) == "/"
        && matches!(word(from + 2), "10" | "100")
        && !matches!(word(from + 3), "/" | "." | "-")
}

/// Whether a lone capital touches an unknown capitalised word: `J. Xyz`, `Xyz P.`, `J.-P. Xyz`.
fn beside(note: &Note, at: usize, unknown: &[bool]) -> bool {
    let text = note.norm();
    if note.tokens.get(at + 1).is_some_and(|t| matches!(t.of(text), "'")) {
        return false;
    }
    let link = |i: usize| {
        let token = &note.tokens[i];
        matches!(token.of(text), "." | "-") || token.shape == Shape::Single
    };
    let after = (at + 1..note.tokens.len().min(at + 6)).find(|&i| !link(i));
    let before = (at.saturating_sub(5)..at).rev().find(|&i| !link(i));
    let dotted = note.tokens.get(at + 1).is_some_and(|t| t.glued && t.of(text) == ".");
    after.is_some_and(|i| unknown[i]) && dotted || before.is_some_and(|i| unknown[i] && i + 1 == at)
}

impl Detector for AllowList {
    fn source(&self) -> Source {
        Source::AllowList
    }

    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), Error> {
        for (note, out) in notes.iter().zip(out) {
            self.read(note, out);
        }
        Ok(())
    }
}

/// Which tokens of a note are numbers that measure something, by the patterns of the allow-list.
pub(crate) fn protected_numbers(note: &Note) -> Vec<bool> {
    let mut protected = vec![false; note.tokens.len()];
    let mut reading = Reading { text: note.norm(), tokens: &note.tokens, word: String::new() };
    Protection::shipped().mark(&mut reading, &mut protected);
    protected
}

/// Whether the starter list of a language allows a word as it is typed.
pub fn starter_allows(language: Language, word: &str) -> bool {
    let folded = taire_text::fold(word);
    let facts = taire_lexicon::Lexicon::of(language).facts(&folded);
    let facts = facts.with_keyword(crate::words::keyword(language, &folded));
    starter::allows(language, facts, &folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_lexicon::Annotator;

    fn masked(text: &str, list: &str) -> String {
        let mut note = Note::builder("t", text).language(Some(Language::Fr)).build().unwrap();
        Annotator::new(Language::Fr, |w| crate::words::keyword(Language::Fr, w)).annotate(&mut note);
        let judged = WordList::judgements([&WordList::parse(list, "l").unwrap()]);
        let mut out = [Vec::new()];
        AllowList::new(judged).detect(std::slice::from_ref(&note), &mut out).unwrap();
        let mut result = text.to_owned();
        let mut spans: Vec<_> = out[0].iter().map(|m| m.span).collect();
        spans.sort_unstable();
        for span in spans.iter().rev() {
            result.replace_range(span.range(), "@");
        }
        result
    }

    #[test]
    fn words_nobody_allowed_go() {
        assert_eq!(
            masked(
                "Cher confrère, votre patient DUPPONT, admis en chirurgie pour douleurs épigastriques",
                ""
            ),
            "Cher confrère, votre patient @, admis en chirurgie pour douleurs épigastriques"
        );
        assert_eq!(masked("J.-P. Zwrkowski et l'intervention", ""), "@.-@. @ et l'intervention");
        assert_eq!(masked("une petite rose, la pierre", ""), "une petite rose, la pierre");
    }

    #[test]
    fn patterns_of_ones_own_protect_and_unprotect_numbers() {
        assert_eq!(
            masked("prendre 3 zwrk, dossier 4512", "zwrk\taccept\n# zwrk\taccept"),
            "prendre 3 zwrk, dossier @"
        );
        assert_eq!(masked("Hb 13 g/l", "# g\trefuse"), "Hb @ g/l");
        assert_eq!(masked("série SN4482X", ""), "série @");
    }

    #[test]
    fn an_empty_start_allows_nothing_but_what_was_judged() {
        let mut note = Note::builder("t", "patient vu, 3 mg").language(Some(Language::Fr)).build().unwrap();
        Annotator::new(Language::Fr, |w| crate::words::keyword(Language::Fr, w)).annotate(&mut note);
        let judged =
            WordList::judgements([&WordList::parse("vu\taccept\n# mg\taccept\nmg\taccept", "l").unwrap()]);
        let mut out = [Vec::new()];
        let list = AllowList::new(judged).without_starter();
        list.detect(std::slice::from_ref(&note), &mut out).unwrap();
        let words: Vec<&str> = out[0].iter().map(|m| m.span.of("patient vu, 3 mg")).collect();
        assert_eq!(words, ["patient"]);
    }

    #[test]
    fn people_overrule_the_starter_list() {
        assert_eq!(masked("le zwrk de la pierre", "ZWRK\taccept\npierre\trefuse"), "le zwrk de la @");
    }

    #[test]
    fn terms_of_medicine_are_allowed_as_a_whole() {
        let text = "trisomie 21, bacilles de Koch, FOGD et LBA, IgE élevées, hématome extradural, EVA à 7/10";
        assert_eq!(masked(text, ""), text);
        assert_eq!(masked("docteur Koch, 21 et Igé, EVA", ""), "docteur @, @ et @, @");
        assert_eq!(masked("bacille de Koch", "koch\trefuse"), "bacille de @");
    }

    #[test]
    fn names_of_many_people_are_not_allowed_by_a_rare_meaning() {
        for name in ["Martin", "Marie", "Thomas", "Bernard", "Lefebvre", "Nicolas", "Simon", "Bou", "Vanden"]
        {
            assert!(!starter_allows(Language::Fr, name), "{name}");
        }
        for word in
            ["patient", "HTA", "petit", "traitement", "paracétamol", "mmHg", "Charcot", "l", "von", "II"]
        {
            assert!(starter_allows(Language::Fr, word), "{word}");
        }
    }
}
