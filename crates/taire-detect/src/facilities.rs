//! Hospitals, health centres and institutions, by their head word and the proper name after it.

use taire_lexicon::Lexicon;
use taire_text::{Kind, Label, Language, Mention, Note, Shape, Source, Token, fold};

use crate::words::WordClass;

/// The most tokens read after a head word.
const REACH: usize = 14;

/// A facility whose head word is token `at`, with the index of the token after it.
pub(crate) fn facility(
    note: &Note,
    lexicon: &Lexicon,
    at: usize,
    class: WordClass,
) -> Option<(Mention, usize)> {
    if note.language == Language::Es && is_adjective(note, at) {
        return None;
    }
    let (class, from) = match class {
        WordClass::CentreHead => centre(note, at)?,
        class => (class, at + 1),
    };
    named(note, lexicon, at, class, from)
}

/// `C.S. Pilarica`: a health centre as Spanish forms shorten it, with the index of the token after it.
pub(crate) fn abbreviated(note: &Note, lexicon: &Lexicon, at: usize) -> Option<(Mention, usize)> {
    let head = note.tokens.get(at..at + 4).filter(|_| note.language == Language::Es)?;
    let is_head = head.iter().map(|t| t.of(note.norm())).eq(["C", ".", "S", "."]);
    if !is_head || !note.tokens.get(at + 4)?.is_capitalised() {
        return None;
    }
    named(note, lexicon, at, WordClass::HealthCentreHead, at + 4)
}

/// The proper name that starts at or after token `i` and belongs to the head at token `at`.
fn named(
    note: &Note,
    lexicon: &Lexicon,
    at: usize,
    class: WordClass,
    mut i: usize,
) -> Option<(Mention, usize)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let mut last = None;
    let mut proper = 0;
    let named_body = note.language == Language::Es
        && class == WordClass::InstitutionHead
        && tokens[at].shape == Shape::Title;
    while let Some(token) = tokens.get(i).filter(|_| i <= at + REACH) {
        let word = token.of(text);
        match token.kind {
            Kind::Word
                if WordClass::of(token).is_some_and(|c| c.is_title()) && token.shape != Shape::Single =>
            {
                // "Hôpital Docteur Schaffner" but not "CHU, Dr X"; "Hospital Nuestra Señora del Prado".
                let ours = matches!(tokens[i - 1].of(text), "Nuestra" | "NUESTRA" | "Ntra" | "NTRA");
                if proper > 0 && !ours {
                    break;
                }
            }
            Kind::Word if note.language == Language::Es && ends_spanish_name(note, i, proper, named_body) => {
                break;
            }
            Kind::Word if proper == 0 && is_kind_word(&fold(word)) => {}
            Kind::Word
                if (WordClass::of(token) == Some(WordClass::Particle) && token.shape != Shape::Title)
                    || matches!(word, "et" | "en" | "au" | "sur") => {}
            // "l'association Ciprofloxacine et Amikacine"
            Kind::Word
                if proper == 0
                    && class == WordClass::InstitutionHead
                    && token.facts.is_drug()
                    && !token.facts.is_name() =>
            {
                return None;
            }
            Kind::Word if token.is_capitalised() => {
                if !(names_it(note, i, proper) || named_body && token.shape == Shape::Title) {
                    break;
                }
                proper += 1;
                last = Some(i);
                if let Some(taken) = lexicon.longest_town(text, tokens, i) {
                    i += taken - 1;
                    last = Some(i);
                }
            }
            Kind::Mark if matches!(word, "-" | "'") && token.glued => {}
            Kind::Mark if word == "." && token.glued && tokens[i - 1].end() - tokens[i - 1].start() <= 3 => {}
            _ => break,
        }
        i += 1;
    }
    let last = last.filter(|_| proper > 0)?;
    let head = &tokens[at];
    let short_head = head.end() - head.start() <= 3;
    if short_head && head.shape == Shape::Lower {
        return None;
    }
    let (label, score) = match class {
        WordClass::HospitalHead => (Label::Hospital, 0.85),
        WordClass::HealthCentreHead => (Label::HealthCentre, 0.7),
        // "Asociación Europea de Urología" writes guidelines and treats nobody.
        _ if named_body && matches!(fold(head.of(text)).as_str(), "asociacion" | "sociedad") => {
            (Label::Institution, 0.45)
        }
        _ if named_body => (Label::Institution, 0.7),
        _ if head.is_capitalised() => (Label::Institution, 0.6),
        _ => (Label::Institution, 0.55),
    };
    let mention = Mention::phi(
        note.raw_of_tokens(at, last),
        label,
        score,
        Source::Lexicon,
        "proper name after a word for a facility",
    );
    Some((mention, last + 1))
}

/// "centre hospitalier", "maison de santé", "centro de salud": which facility, and where its name starts.
fn centre(note: &Note, at: usize) -> Option<(WordClass, usize)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let mut i = at + 1;
    for _ in 0..2 {
        let word = fold(tokens.get(i)?.of(text));
        match word.as_str() {
            "de" | "d" => i += 1,
            "hospitalier" | "hospitaliere" | "hospitalario" => return Some((WordClass::HospitalHead, i + 1)),
            "nacional" | "penitenciario" | "transfusion" | "hemodialisis" | "investigacion" | "deportivo"
                if note.language == Language::Es && tokens[at].shape == Shape::Title =>
            {
                return Some((WordClass::InstitutionHead, i));
            }
            "sante" | "salud" | "medical" | "medico" | "reeducation" | "soins" | "dialyse" | "dialisis"
            | "convalescence" | "retraite" | "radiologie" | "imagerie" | "especialidades" => {
                return Some((WordClass::HealthCentreHead, i + 1));
            }
            _ => return None,
        }
    }
    None
}

/// "Nutrición Clínica", "Clínica y Dietética": no facility.
fn is_adjective(note: &Note, at: usize) -> bool {
    let text = note.norm();
    let next = note.tokens.get(at + 1).map_or("", |t| t.of(text));
    let before = at.checked_sub(1).map(|i| &note.tokens[i]).filter(|t| t.kind == Kind::Word);
    matches!(next, "y" | "e")
        || fold(note.tokens[at].of(text)) == "clinica"
            && before.is_some_and(|t| {
                let facts = t.facts;
                t.shape == Shape::Title && facts.careful().is_some() && !facts.is_name()
            })
}

/// A way, a ward or another facility ends the name of the one before it: "Hospital de Segovia Carretera Ávila".
fn ends_spanish_name(note: &Note, at: usize, proper: usize, body: bool) -> bool {
    let token = &note.tokens[at];
    let before = note.tokens[at - 1].of(note.norm());
    if proper == 0 || !token.is_capitalised() {
        return matches!(before, "y" | "e") && WordClass::of(token) == Some(WordClass::HospitalHead);
    }
    let word = fold(token.of(note.norm()));
    let head = matches!(
        word.as_str(),
        "hospital"
            | "ciudad"
            | "palacio"
            | "clinica"
            | "complejo"
            | "servicio"
            | "servei"
            | "departamento"
            | "asociacion"
            | "edificio"
            | "consulta"
            | "unidad"
    );
    let way = matches!(
        word.as_str(),
        "calle"
            | "avda"
            | "avd"
            | "avenida"
            | "carretera"
            | "ctra"
            | "paseo"
            | "plaza"
            | "pza"
            | "carrer"
            | "avinguda"
            | "c"
    );
    let linked = WordClass::of(&note.tokens[at - 1]) == Some(WordClass::Particle);
    let place = |t: &Token| t.facts.is_town() || t.facts.is_region();
    // "Instituto Oncológico de Segovia Peñaflor", "Instituto Andino del Sueño Medellín".
    let after_place = !linked
        && place(&note.tokens[at - 1])
        && at >= 2
        && WordClass::of(&note.tokens[at - 2]) == Some(WordClass::Particle);
    let new_place = !linked && body && proper >= 2 && place(token) && !token.facts.is_name();
    head || after_place || new_place || way && !linked
}

/// The acronym in brackets after a name: "Instituto del Riñón (INDERI)".
pub(crate) fn acronym_after(note: &Note, next: usize) -> Option<usize> {
    let text = note.norm();
    let is = |i: usize, mark: &str| note.tokens.get(i).is_some_and(|t| t.of(text) == mark);
    let acronym = note.tokens.get(next + 1)?;
    let upper = acronym.shape == Shape::Upper && (3..=10).contains(&(acronym.end() - acronym.start()));
    (is(next, "(") && upper && is(next + 2, ")")).then_some(next + 1)
}

/// Whether a capitalised word belongs to the proper name. In capitals every word is one, so ordinary words end
/// the name there; in title case they may be its heart ("Hôpital de la Source"), save for kinds of hospital.
fn names_it(note: &Note, at: usize, proper: usize) -> bool {
    let token = &note.tokens[at];
    let facts = token.facts;
    let before = note.tokens[at - 1].of(note.norm());
    if is_generic(token.of(note.norm())) {
        return false;
    }
    match token.shape {
        Shape::Upper => {
            facts.is_name() || facts.is_town() || facts.starts_town() || facts.careful().is_none()
        }
        _ if facts.is_name() || facts.careful().is_none() => true,
        _ if facts.word_class() == 3 => before == "'" || proper == 0,
        _ => {
            !facts.is_medical()
                || WordClass::of(&note.tokens[at - 1]) == Some(WordClass::Particle)
                || before == "'"
        }
    }
}

/// What an hospital or a ward may be without being one in particular.
fn is_generic(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "jour"
            | "semaine"
            | "nuit"
            | "proximité"
            | "ville"
            | "urgences"
            | "service"
            | "pôle"
            | "día"
            | "urgencias"
            | "servicio"
            | "unidad"
            | "adultes"
            | "consultation"
            | "informe"
    )
}

/// Words between a head and its proper name.
fn is_kind_word(folded: &str) -> bool {
    matches!(
        folded,
        "hospitalier"
            | "hospitaliere"
            | "universitaire"
            | "universitario"
            | "universitaria"
            | "universidad"
            | "regional"
            | "general"
            | "prive"
            | "privee"
            | "clinico"
            | "privado"
            | "privada"
            | "intercommunal"
            | "specialise"
            | "militar"
            | "comarcal"
            | "provincial"
            | "medical"
            | "chirurgicale"
            | "mutualiste"
            | "militaire"
            | "instruction"
            | "reference"
            | "psychiatrique"
            | "local"
    )
}
