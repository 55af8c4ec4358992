//! The small words that must agree with what follows them: `d'octobre` but `de mars`, `au printemps` but `à l'été`,
//! `à Lyon` but `au Mans`, `y Ana` but `e Isabel`. When a word is replaced, [`mend`] says how the end of the text before
//! it changes.

use crate::{Language, fold, fold_char};

/// How the text around a replaced word changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joint {
    /// Bytes to take off the end of the text before.
    pub take: usize,
    /// What is written there instead.
    pub put: String,
    /// Bytes to take off the head of the new word: the `Le ` of `Le Mans` behind `au`.
    pub skip: usize,
}

/// What follows the joint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follows {
    Season,
    Town,
    /// A word for a woman: `sa mère`, `son épouse`.
    Woman,
    /// A name, a month, anything else.
    Other,
}

/// How the end of `before` must change when `new` replaces `old`; `None` if it may stay.
pub fn mend(before: &str, old: &str, new: &str, follows: Follows, language: Language) -> Option<Joint> {
    match (language, follows) {
        (Language::Fr, Follows::Season) => french_season(before, new),
        (Language::Fr, Follows::Town) => contraction(before, new).or_else(|| elision(before, old, new)),
        (Language::Fr, Follows::Woman) => possessive(before, new).or_else(|| elision(before, old, new)),
        (Language::Fr, Follows::Other) => elision(before, old, new),
        (Language::Es, Follows::Season) => spanish_season(before, new),
        (Language::Es, _) => conjunction(before, old, new),
    }
}

/// Writes a word behind what was written, with the joint between them mended.
pub fn push(out: &mut String, new: &str, follows: Follows, language: Language) {
    let skip = match mend(out, "", new, follows, language) {
        Some(joint) => {
            out.truncate(out.len() - joint.take);
            out.push_str(&joint.put);
            joint.skip
        }
        None => 0,
    };
    out.push_str(&new[skip..]);
}

fn first(word: &str) -> char {
    word.chars().next().map_or(' ', |c| fold_char(c).0[0])
}

fn is_vowel(word: &str) -> bool {
    matches!(first(word), 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// The end of a text that is one of the joints, by whole words, with its replacement in the same case.
fn swap(before: &str, new: &str, table: &[(&str, &str)]) -> Option<(usize, String)> {
    // Apostrophes and blanks are typed in many ways.
    let plain = |c: char| match c {
        '’' | 'ʼ' => '\'',
        c if c.is_whitespace() && c != '\n' => ' ',
        c => c.to_lowercase().next().unwrap_or(c),
    };
    let found = table.iter().filter_map(|&(joint, put)| {
        let mut at = before.len();
        let mut typed = before.char_indices().rev();
        for wanted in joint.chars().rev() {
            let (i, c) = typed.next()?;
            if plain(c) != wanted {
                return None;
            }
            at = i;
        }
        let (head, tail) = before.split_at(at);
        (!head.ends_with(|c: char| c.is_alphanumeric() || c == '-')).then_some((tail, put))
    });
    let (tail, put) = found.max_by_key(|(tail, _)| tail.len())?;
    let upper = |text: &str| {
        let mut letters = text.chars().filter(|c| c.is_alphabetic());
        letters.clone().count() > 1 && letters.all(char::is_uppercase)
    };
    let put = match tail.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase) {
        true if upper(tail) || upper(new) => put.to_uppercase(),
        true => {
            let mut chars = put.chars();
            chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
        }
        false => put.to_owned(),
    };
    Some((tail.len(), put))
}

fn joint((take, put): (usize, String)) -> Joint {
    Joint { take, put, skip: 0 }
}

const ELIDED: &[(&str, &str)] =
    &[("d'", "de "), ("qu'", "que "), ("lorsqu'", "lorsque "), ("puisqu'", "puisque ")];
const WHOLE: &[(&str, &str)] =
    &[("de ", "d'"), ("que ", "qu'"), ("lorsque ", "lorsqu'"), ("puisque ", "puisqu'")];

fn elision(before: &str, old: &str, new: &str) -> Option<Joint> {
    match first(new) {
        // Mute or not, nobody can tell.
        'h' => None,
        _ if is_vowel(new) => swap(before, new, WHOLE).filter(|_| !is_vowel(old)).map(joint),
        _ => swap(before, new, ELIDED).map(joint),
    }
}

fn contraction(before: &str, new: &str) -> Option<Joint> {
    let head = |article: &str| new.len() > article.len() && new.to_lowercase().starts_with(article);
    let with =
        |table: &[(&str, &str)], skip| swap(before, new, table).map(|(take, put)| Joint { take, put, skip });
    if head("le ") {
        return with(&[("de ", "du "), ("d'", "du "), ("à ", "au "), ("du ", "du "), ("au ", "au ")], 3);
    }
    if head("les ") {
        return with(&[("de ", "des "), ("d'", "des "), ("à ", "aux "), ("du ", "des "), ("au ", "aux ")], 4);
    }
    match is_vowel(new) {
        true => with(&[("du ", "d'"), ("au ", "à ")], 0),
        false => with(&[("du ", "de "), ("au ", "à ")], 0),
    }
}

fn possessive(before: &str, new: &str) -> Option<Joint> {
    let table: &[(&str, &str)] = match is_vowel(new) {
        true => &[("sa ", "son "), ("ma ", "mon "), ("ta ", "ton "), ("la ", "l'")],
        false => &[("son ", "sa "), ("mon ", "ma "), ("ton ", "ta "), ("l'", "la ")],
    };
    swap(before, new, table).map(joint)
}

fn french_season(before: &str, new: &str) -> Option<Joint> {
    let table: &[(&str, &str)] = match first(new) {
        'p' => &[
            ("à l'", "au "),
            ("a l'", "au "),
            ("en ", "au "),
            ("de l'", "du "),
            ("l'", "le "),
            ("cet ", "ce "),
            ("d'", "de "),
        ],
        _ => &[("au ", "à l'"), ("du ", "de l'"), ("le ", "l'"), ("ce ", "cet "), ("de ", "d'")],
    };
    swap(before, new, table).map(joint)
}

fn spanish_season(before: &str, new: &str) -> Option<Joint> {
    let table: &[(&str, &str)] = match fold(new).starts_with('p') {
        true => &[
            ("el ", "la "),
            ("del ", "de la "),
            ("al ", "a la "),
            ("este ", "esta "),
            ("aquel ", "aquella "),
            ("pasado ", "pasada "),
        ],
        false => &[
            ("la ", "el "),
            ("de la ", "del "),
            ("a la ", "al "),
            ("esta ", "este "),
            ("aquella ", "aquel "),
            ("pasada ", "pasado "),
        ],
    };
    swap(before, new, table).map(joint)
}

/// `e` before the sound of i, `y` before all else.
fn conjunction(before: &str, old: &str, new: &str) -> Option<Joint> {
    let sounds = |word: &str| {
        let word = fold(word);
        (word.starts_with('i') && !word.starts_with("ie"))
            || (word.starts_with("hi") && !word.starts_with("hie"))
    };
    match (sounds(new), sounds(old)) {
        (true, false) => swap(before, new, &[("y ", "e ")]).map(joint),
        (false, true) => swap(before, new, &[("e ", "y ")]).map(joint),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(before: &str, old: &str, new: &str, follows: Follows, language: Language) -> String {
        match mend(before, old, new, follows, language) {
            Some(j) => format!("{}{}{}", &before[..before.len() - j.take], j.put, &new[j.skip..]),
            None => format!("{before}{new}"),
        }
    }

    #[test]
    fn french_joints_follow_the_new_word() {
        use Follows::*;
        for (before, old, new, follows, wanted) in [
            ("au mois d'", "octobre", "mars", Other, "au mois de mars"),
            ("au mois de ", "mars", "août", Other, "au mois d'août"),
            ("FIN D'", "AVRIL", "MARS", Other, "FIN DE MARS"),
            ("la fille d'", "Aldegonde", "Florence", Other, "la fille de Florence"),
            ("la fille de ", "Marie", "Élise", Other, "la fille d'Élise"),
            ("parce qu'", "Anne", "Lise", Other, "parce que Lise"),
            ("Dominique ", "Petit", "Aubert", Other, "Dominique Aubert"),
            ("venu de ", "Orléans", "Amiens", Town, "venu de Amiens"),
            ("vu à ", "Lyon", "Le Mans", Town, "vu au Mans"),
            ("natif de ", "Lyon", "Le Havre", Town, "natif du Havre"),
            ("natif du ", "Mans", "Angers", Town, "natif d'Angers"),
            ("vu au ", "Mans", "Tours", Town, "vu à Tours"),
            ("habite à ", "Lyon", "Les Sables", Town, "habite aux Sables"),
            ("en cure au ", "printemps", "été", Season, "en cure à l'été"),
            ("en cure à l'", "été", "printemps", Season, "en cure au printemps"),
            ("opéré en ", "hiver", "printemps", Season, "opéré au printemps"),
            ("opéré en ", "hiver", "automne", Season, "opéré en automne"),
            ("à la fin du ", "printemps", "hiver", Season, "à la fin de l'hiver"),
            ("Cet ", "été", "printemps", Season, "Ce printemps"),
            ("Au ", "printemps", "hiver", Season, "À l'hiver"),
            ("vit avec sa ", "mère", "épouse", Woman, "vit avec son épouse"),
            ("vit avec son ", "épouse", "sœur", Woman, "vit avec sa sœur"),
        ] {
            assert_eq!(mended(before, old, new, follows, Language::Fr), wanted, "{before}{old}");
        }
    }

    #[test]
    fn spanish_joints_follow_the_new_word() {
        use Follows::*;
        for (before, old, new, follows, wanted) in [
            ("en la ", "primavera", "verano", Season, "en el verano"),
            ("desde el ", "otoño", "primavera", Season, "desde la primavera"),
            ("a finales del ", "verano", "primavera", Season, "a finales de la primavera"),
            ("sus hijos Juan y ", "Pedro", "Iker", Other, "sus hijos Juan e Iker"),
            ("sus hijos Juan e ", "Iker", "Pedro", Other, "sus hijos Juan y Pedro"),
        ] {
            assert_eq!(mended(before, old, new, follows, Language::Es), wanted, "{before}{old}");
        }
    }
}
