//! Small words around names: titles, particles, abbreviations; cutting a name into words; one typing error.

use std::ops::Range;

use taire_text::{Gender, Language, fold};

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

const PARTICLES: &[&str] = &[
    "al", "ben", "bin", "d", "da", "das", "de", "del", "della", "den", "der", "des", "di", "do", "dos", "du",
    "e", "el", "i", "la", "las", "le", "les", "los", "van", "vande", "vanden", "ver", "von", "y", "zu",
];

/// `de`, `van`, `y`: kept where another word follows.
pub(crate) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&fold(word).as_str())
}

const TITLES: &[(&str, Option<Gender>)] = &[
    ("d", Some(Gender::Male)),
    ("da", Some(Gender::Female)),
    ("docteur", None),
    ("docteure", Some(Gender::Female)),
    ("doctor", Some(Gender::Male)),
    ("doctora", Some(Gender::Female)),
    ("don", Some(Gender::Male)),
    ("dona", Some(Gender::Female)),
    ("dr", None),
    ("dra", Some(Gender::Female)),
    ("drs", None),
    ("m", Some(Gender::Male)),
    ("madame", Some(Gender::Female)),
    ("mademoiselle", Some(Gender::Female)),
    ("melle", Some(Gender::Female)),
    ("mlle", Some(Gender::Female)),
    ("mme", Some(Gender::Female)),
    ("monsieur", Some(Gender::Male)),
    ("mr", Some(Gender::Male)),
    ("mrs", Some(Gender::Female)),
    ("paciente", None),
    ("patient", Some(Gender::Male)),
    ("patiente", Some(Gender::Female)),
    ("pr", None),
    ("prof", None),
    ("professeur", None),
    ("professeure", Some(Gender::Female)),
    ("senor", Some(Gender::Male)),
    ("senora", Some(Gender::Female)),
    ("senorita", Some(Gender::Female)),
    ("sr", Some(Gender::Male)),
    ("sra", Some(Gender::Female)),
    ("srta", Some(Gender::Female)),
    ("nee", Some(Gender::Female)),
    ("soeur", Some(Gender::Female)),
    ("frere", Some(Gender::Male)),
];

/// A title of more than one letter.
pub(crate) fn is_title(word: &str) -> bool {
    let folded = fold(word);
    folded.len() > 1
        && !matches!(folded.as_str(), "da" | "don" | "patient" | "patiente" | "paciente" | "soeur" | "frere")
        && TITLES.iter().any(|(t, _)| *t == folded)
}

/// The sex of a relative: `sa fille Lise`, `su hermano Iker`.
fn kin_gender(folded: &str) -> Option<Gender> {
    const WOMEN: &str = "fille soeur mere maman epouse femme tante cousine niece compagne conjointe \
                         hija madre hermana esposa mujer tia prima sobrina abuela nieta";
    const MEN: &str = "fils frere pere papa epoux mari oncle cousin neveu compagnon conjoint \
                       hijo padre hermano esposo marido tio primo sobrino abuelo nieto";
    let holds = |words: &str| words.split(' ').any(|w| w == folded);
    match (holds(WOMEN), holds(MEN)) {
        (true, _) => Some(Gender::Female),
        (_, true) => Some(Gender::Male),
        _ => None,
    }
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
        let word = fold(&rest[start..]);
        // `D.` and `D.ª` are titles in Spanish, `M.` in French; elsewhere a letter is an initial.
        let other_language = match word.as_str() {
            "d" | "da" => language == Language::Fr,
            "m" => language == Language::Es,
            _ => false,
        };
        if other_language {
            return None;
        }
        if word == "a" && rest[..start].ends_with("D.") && language == Language::Es {
            return Some(Gender::Female);
        }
        if language == Language::Es && word == "dr" {
            return Some(Gender::Male);
        }
        match TITLES.iter().find(|(t, _)| *t == word) {
            Some((_, Some(gender))) => return Some(*gender),
            Some((_, None)) => {}
            None if matches!(word.as_str(), "le" | "la" | "el") => {}
            None => return kin_gender(&word),
        }
        rest = &rest[..start];
    }
    None
}

/// The sex that the words just behind a name tell: `, née le`, `a été opérée`, `, ingresado el`.
pub(crate) fn agreement_after(after: &str, language: Language) -> Option<Gender> {
    const FRENCH: &str = "né hospitalisé opéré âgé adressé transféré décédé vu revu suivi venu connu admis";
    const SPANISH: &str =
        "nacid ingresad intervenid operad remitid derivad diagnosticad valorad trasladad fallecid";
    const SKIPPED: &str = "est a été etait était fut sera es fue ha sido está estaba qui que";
    let line = after.split(['\n', '.', ';']).next()?;
    let word = line
        .split(|c: char| !c.is_alphabetic())
        .filter(|w| !w.is_empty())
        .take(4)
        .find(|w| !SKIPPED.split(' ').any(|s| s == *w))?
        .to_lowercase();
    let (female, male) = match language {
        Language::Fr => (word.strip_suffix('e').or(word.strip_suffix("ee")), Some(word.as_str())),
        Language::Es => (word.strip_suffix('a'), word.strip_suffix('o')),
    };
    let stems = if language == Language::Fr { FRENCH } else { SPANISH };
    let known = |stem: Option<&str>| stem.is_some_and(|stem| stems.split(' ').any(|s| s == stem));
    match (known(female), known(male)) {
        (true, _) => Some(Gender::Female),
        (_, true) => Some(Gender::Male),
        _ => None,
    }
}

/// The whole name that a customary abbreviation stands for.
pub(crate) fn expand(written: &str) -> Option<&'static str> {
    Some(match written {
        "Mª" | "MARIª" | "Mº" => "maria",
        "Fco" | "FCO" => "francisco",
        "Fca" | "FCA" => "francisca",
        _ => return None,
    })
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
