//! Small words around names: titles, particles, abbreviations; cutting a name into words; one typing error.

use std::ops::Range;

use taire_lang::{Participles, Vocabulary, WordRole};
use taire_text::{Gender, Language, fold_hash};

/// One word of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) range: Range<usize>,
    /// An apostrophe follows: `D'`Angelo.
    pub(crate) elided: bool,
    /// A hyphen stands before: Jean-`Pierre`.
    pub(crate) hyphened: bool,
}

/// The runs of letters of a text.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((start, c)) = chars.next() {
        if !c.is_alphabetic() {
            if !matches!(c, '.' | ' ') {
                before = c;
            }
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some(&(i, c)) = chars.peek() {
            if !c.is_alphabetic() {
                break;
            }
            end = i + c.len_utf8();
            chars.next();
        }
        let elided = matches!(chars.peek(), Some((_, '\'' | '’')));
        out.push(Piece { range: start..end, elided, hyphened: before == '-' });
        before = ' ';
    }
    out
}

/// Whether what lies between two names leaves them one name.
pub(crate) fn joins_name(gap: &str) -> bool {
    gap.chars().count() <= 4
        && gap.chars().all(|c| matches!(c, ' ' | '\t' | '.' | ',' | '-' | '\'' | '\u{a0}'))
}

/// `de`, `van`, `y`: kept where another word follows.
pub(crate) fn is_particle(word: &str, language: Language) -> bool {
    Vocabulary::of(language).has(word, WordRole::KeptParticle)
}

/// A title that ran into a name: written as it was.
pub(crate) fn is_title(word: &str) -> bool {
    Vocabulary::any().has(word, WordRole::KeptTitle)
}

/// The sex that the words just before a name tell. Reads at most two words back, so that `Sra. Dra.` and
/// `Madame le Docteur` are understood.
pub(crate) fn title_before(before: &str, language: Language) -> Option<Gender> {
    let mut rest = before;
    for _ in 0..3 {
        rest =
            rest.trim_end_matches(|c: char| c.is_whitespace() && c != '\n' || matches!(c, '.' | ':' | ','));
        let start =
            rest.char_indices().rev().find(|(_, c)| !c.is_alphabetic()).map_or(0, |(i, c)| i + c.len_utf8());
        let mut word = &rest[start..];
        // `D.ª` is `Da`.
        if matches!(word, "ª" | "a" | "A") && rest[..start].ends_with("D.") {
            word = "Da";
        }
        let hash = fold_hash(word);
        // A word of another language counts too, but a letter of one (`M.`, `D.`) is an initial in the other.
        let foreign = || Vocabulary::any().word(hash).filter(|_| word.chars().nth(1).is_some());
        let known = Vocabulary::of(language).word(hash).or_else(foreign)?;
        if known.gender.is_some() || !known.roles.has(WordRole::SexSkip) {
            return known.gender;
        }
        rest = &rest[..start];
    }
    None
}

/// Whether a word is a title of those who care: `Dr`, `Professeur`, `Dra.`
pub(crate) fn is_caregiver_title(word: &str, language: Language) -> bool {
    let known = Vocabulary::of(language).word(fold_hash(word));
    known.is_some_and(|known| {
        known.roles.has(WordRole::TitleCaregiver) || known.roles.has(WordRole::TitleCaregiverFemale)
    })
}

/// How far before a name titles are read, in characters.
const TITLES: usize = 40;

/// Whether one of the two words before a name is such a title: `Dr X`, `Docteur Mme X`.
pub(crate) fn caregiver_title_before(before: &str, language: Language) -> bool {
    let near = before.char_indices().rev().take(TITLES).take_while(|(_, c)| *c != '\n').last();
    let near = near.map_or("", |(at, _)| &before[at..]);
    let mut words = near.rsplit(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.by_ref().take(2).any(|word| is_caregiver_title(word, language))
}

/// How far behind a name words are read that agree with it, in characters.
const AGREEMENT: usize = 200;

/// The sex that the words just behind a name tell: `, née le`, `a été opérée`, `, ingresado el`.
pub(crate) fn agreement_after(after: &str, language: Language) -> Option<Gender> {
    let Participles { endings, stems, auxiliaries } = Vocabulary::of(language).participles();
    // Four words are read: what lies farther away is no part of them.
    let near = after.char_indices().nth(AGREEMENT).map_or(after, |(at, _)| &after[..at]);
    let line = near.split(['\n', '.', ';']).next()?;
    let word = line
        .split(|c: char| !c.is_alphabetic())
        .filter(|w| !w.is_empty())
        .take(4)
        .find(|w| !auxiliaries.iter().any(|a| **a == **w))?
        .to_lowercase();
    let known =
        |ending: &str| word.strip_suffix(ending).is_some_and(|stem| stems.iter().any(|s| **s == *stem));
    match (known(&endings[0]), known(&endings[1])) {
        (true, _) => Some(Gender::Female),
        (_, true) => Some(Gender::Male),
        _ => None,
    }
}

/// The whole name that a customary abbreviation stands for.
pub(crate) fn expand(written: &str) -> Option<&'static str> {
    Vocabulary::any().expand(written)
}

/// The given names that a folded familiar form is short for.
pub(crate) fn whole_names(short: &str, language: Language) -> &'static [Box<str>] {
    Vocabulary::of(language).whole_names(short)
}

/// Whether two folded words of six letters or more are one insertion, deletion, change or swap apart.
pub(crate) fn one_edit(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if short.len() < 6 || long.len() - short.len() > 1 || short == long {
        return false;
    }
    let head = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let tail = short[head..].iter().rev().zip(long[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (short, long) = (&short[head..short.len() - tail], &long[head..long.len() - tail]);
    match (short, long) {
        ([], [_]) | ([_], [_]) => true,
        ([x, y], [u, v]) => x == v && y == u,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_tell_the_sex() {
        use Gender::*;
        for (before, language, want) in [
            ("vu ce jour Mme ", Language::Fr, Some(Female)),
            ("chez M. ", Language::Fr, Some(Male)),
            ("Madame le Docteur ", Language::Fr, Some(Female)),
            ("Dr ", Language::Fr, None),
            ("la Dra. ", Language::Es, Some(Female)),
            ("Paciente: D.ª ", Language::Es, Some(Female)),
            ("Paciente: D. ", Language::Es, Some(Male)),
            ("avec D. ", Language::Fr, None),
            ("", Language::Fr, None),
        ] {
            assert_eq!(title_before(before, language), want, "{before}");
        }
    }

    #[test]
    fn participles_behind_a_name_tell_the_sex() {
        use Gender::*;
        for (after, language, want) in [
            (", née le 3 mai", Language::Fr, Some(Female)),
            (", né le 3 mai", Language::Fr, Some(Male)),
            (" ne souffre pas", Language::Fr, None),
            (" a été hospitalisée", Language::Fr, Some(Female)),
            (" est admis ce jour", Language::Fr, Some(Male)),
            (". Opérée", Language::Fr, None),
            (", nacida el", Language::Es, Some(Female)),
            (" fue intervenido", Language::Es, Some(Male)),
            (" toma", Language::Es, None),
        ] {
            assert_eq!(agreement_after(after, language), want, "{after}");
        }
    }

    #[test]
    fn one_typing_error_from_six_letters_on() {
        assert!(
            one_edit("lefevre", "lefebvre")
                && one_edit("lefevre", "lefvere")
                && one_edit("bernard", "bermard")
        );
        assert!(
            !one_edit("dupon", "dupont")
                && !one_edit("lefevre", "lefevre")
                && !one_edit("bernard", "bermart")
        );
    }

    #[test]
    fn names_are_cut_at_hyphens_and_apostrophes() {
        let text = "J.-P. d'Angelo";
        let got: Vec<_> = pieces(text).into_iter().map(|p| (&text[p.range], p.elided, p.hyphened)).collect();
        assert_eq!(
            got,
            [("J", false, false), ("P", false, true), ("d", true, false), ("Angelo", false, false)]
        );
    }
}
