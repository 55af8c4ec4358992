//! The look of a word: case and accents, taken from one word and given to another.

use taire_text::fold_char;

/// How a word is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Case {
    Upper,
    Title,
    Lower,
}

pub(crate) fn case_of(word: &str) -> Case {
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    let Some(first) = letters.next() else { return Case::Title };
    if !first.is_uppercase() {
        return Case::Lower;
    }
    let (mut upper, mut lower) = (0, 0);
    for c in letters {
        if c.is_uppercase() {
            upper += 1;
        } else {
            lower += 1;
        }
    }
    if upper > 0 && lower == 0 { Case::Upper } else { Case::Title }
}

pub(crate) fn has_accent(word: &str) -> bool {
    word.chars().any(|c| !c.is_ascii() && c.is_alphabetic())
}

pub(crate) fn strip_accents(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        let (folded, n) = fold_char(c);
        for &f in &folded[..n] {
            if c.is_uppercase() { out.extend(f.to_uppercase()) } else { out.push(f) }
        }
    }
    out
}

/// `word` in the case asked for. A word in title case is capitalised after each hyphen, apostrophe and space.
pub(crate) fn set_case(word: &str, case: Case) -> String {
    match case {
        Case::Upper => word.to_uppercase(),
        Case::Lower => word.to_lowercase(),
        Case::Title => {
            let mut out = String::with_capacity(word.len());
            let mut start = true;
            for c in word.chars() {
                if start {
                    out.extend(c.to_uppercase())
                } else {
                    out.extend(c.to_lowercase())
                }
                start = !c.is_alphanumeric();
            }
            out
        }
    }
}

/// Gives `word` the case of `model`; capitals without accents stay without.
pub(crate) fn dress(word: &str, model: &str) -> String {
    let case = case_of(model);
    if case == Case::Upper && !has_accent(model) {
        set_case(&strip_accents(word), case)
    } else {
        set_case(word, case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_follow_the_model() {
        assert_eq!(dress("Hélène", "DUPONT"), "HELENE");
        assert_eq!(dress("Hélène", "ÉLOÏSE"), "HÉLÈNE");
        assert_eq!(dress("hélène", "Dupont"), "Hélène");
        assert_eq!(dress("Martin", "dupont"), "martin");
        assert_eq!(dress("le goff", "McAdam"), "Le Goff");
    }
}
