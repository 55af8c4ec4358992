//! Entities as a scheme would write them: its names, and its borders.
//!
//! MEDDOCAN joins a person's names and keeps streets and hospitals whole; EDS splits names and drops the word
//! `Hôpital` unless `de` follows it. Neighbours never grow into each other: the result is disjoint and sorted.

use super::Scheme;
use super::words::{
    Head, facility_head, is_age_unit, is_caregiver_title, is_civil_title, is_door, is_particle, line_start,
    previous_word, word_after,
};
use crate::{Entity, Label, Raw, Role, Score, SourceSet, Span, date, fold};

/// One span under the labels and borders of a scheme.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SchemeSpan {
    pub span: Span<Raw>,
    pub label: &'static str,
    pub role: Role,
    pub score: Score,
    pub sources: SourceSet,
}

struct Piece {
    start: usize,
    end: usize,
    /// The label of the last entity that went into it.
    from: Label,
    out: SchemeSpan,
}

/// Writes disjoint, sorted entities of `text` under a scheme. [`Scheme::Taire`] joins the two ends of a range of dates.
pub fn project(scheme: Scheme, text: &str, entities: &[Entity]) -> Vec<SchemeSpan> {
    let patient = if scheme == Scheme::Meddocan { patient_words(text, entities) } else { Vec::new() };
    let named = |entity: &Entity| {
        let role = match entity.role {
            Role::Unknown if is_patient(text, entity, &patient) => Role::Patient,
            role => role,
        };
        let label = scheme.to_scheme(entity.label, role)?;
        Some(SchemeSpan { span: entity.span, label, role, score: entity.score, sources: entity.sources })
    };
    if scheme == Scheme::Taire {
        return join_ranges(text, entities.iter().filter_map(named));
    }
    let mut pieces: Vec<Piece> = Vec::with_capacity(entities.len());
    for (i, entity) in entities.iter().enumerate() {
        if is_left_alone(scheme, entity.label, entity.span.of(text)) {
            continue;
        }
        let Some(out) = named(entity) else { continue };
        let floor = if i == 0 { 0 } else { entities[i - 1].span.end() };
        let ceiling = entities.get(i + 1).map_or(text.len(), |next| next.span.start());
        let mut piece = Piece { start: entity.span.start(), end: entity.span.end(), from: entity.label, out };
        trim(text, &mut piece);
        match scheme {
            Scheme::Meddocan => meddocan(text, floor, ceiling, &mut piece),
            Scheme::Eds => eds(text, floor, ceiling, &mut piece),
            _ => {}
        }
        // Growing to the left is bounded by the entity before, which may itself have grown to the right.
        let start = pieces.last().map_or(piece.start, |before| piece.start.max(before.end));
        if start >= piece.end {
            continue;
        }
        piece.start = start;
        match pieces.last_mut() {
            Some(before) if joins(scheme, text, before, &piece) => {
                before.end = piece.end;
                before.from = piece.from;
                before.out.score = before.out.score.max(piece.out.score);
                before.out.sources = before.out.sources.iter().chain(piece.out.sources.iter()).collect();
                if before.out.role == Role::Unknown {
                    before.out.role = piece.out.role;
                }
            }
            _ => pieces.push(piece),
        }
    }
    pieces.into_iter().map(|p| SchemeSpan { span: Span::new(p.start, p.end), ..p.out }).collect()
}

/// `du [3 au 5 avril]`: one span, as the annotation guidelines say.
fn join_ranges(text: &str, spans: impl Iterator<Item = SchemeSpan>) -> Vec<SchemeSpan> {
    let mut out: Vec<SchemeSpan> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(before)
                if before.label == Label::Date.name()
                    && span.label == before.label
                    && date::links(text, before.span.range(), span.span.range()) =>
            {
                before.span = Span::new(before.span.start(), span.span.end());
                before.score = before.score.max(span.score);
                before.sources = before.sources.iter().chain(span.sources.iter()).collect();
            }
            _ => out.push(span),
        }
    }
    out
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn is_name(label: Label) -> bool {
    matches!(label, Label::GivenName | Label::FamilyName | Label::Initials)
}

fn name_words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(fold)
}

/// The words of the names that are known to be the patient's.
fn patient_words(text: &str, entities: &[Entity]) -> Vec<String> {
    let of_patient = entities.iter().filter(|e| is_name(e.label) && e.role == Role::Patient);
    of_patient.flat_map(|e| name_words(e.span.of(text))).collect()
}

/// Whether a name without a role repeats the patient's.
fn is_patient(text: &str, entity: &Entity, patient: &[String]) -> bool {
    let mut words = name_words(entity.span.of(text));
    is_name(entity.label)
        && !patient.is_empty()
        && words.next().is_some_and(|first| patient.contains(&first))
        && words.all(|word| patient.contains(&word))
}

/// What a scheme counts only for some values: ages from 90 on, countries other than France.
fn is_left_alone(scheme: Scheme, label: Label, text: &str) -> bool {
    match (scheme, label) {
        (Scheme::Hipaa | Scheme::Bigeard, Label::Age) => {
            let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let value = digits[..end].parse::<u32>().ok();
            // An age in letters is kept: better one too many.
            value.is_some_and(|years| years < 90)
        }
        (Scheme::Bigeard, Label::Country) => fold(text) == "france",
        (Scheme::Eds, Label::HealthCentre) => facility_head(&word_after(text, 0).1) == Some(Head::Centre),
        _ => false,
    }
}

fn trim(text: &str, piece: &mut Piece) {
    let is_edge = |c: char| c.is_whitespace() || ",;:".contains(c);
    let slice = &text[piece.start..piece.end];
    piece.start += slice.len() - slice.trim_start_matches(is_edge).len();
    let kept = text[piece.start..piece.end].trim_end_matches(is_edge);
    piece.end = piece.start + kept.len();
    if is_name(piece.from) {
        drop_titles(text, piece);
    } else if let Some(rest) = kept.strip_suffix('.') {
        // The dot of `EE.UU.` and of `3º izq.` is the word's, not the sentence's.
        let word = rest.rsplit(char::is_whitespace).next().unwrap_or_default();
        let abbreviated = word.contains('.') || (piece.from == Label::Street && is_door(&fold(word)));
        if !rest.is_empty() && !abbreviated {
            piece.end -= 1;
        }
    }
}

/// `Dr. Durand` names `Durand`.
fn drop_titles(text: &str, piece: &mut Piece) {
    loop {
        let (end, word) = word_after(text, piece.start);
        let is_title = is_caregiver_title(&word) || (is_civil_title(&word) && word != "m" && word != "d");
        if end >= piece.end || !is_title {
            return;
        }
        let rest = text[end..piece.end].trim_start_matches(|c: char| c == '.' || c.is_whitespace());
        if rest.is_empty() {
            return;
        }
        piece.start = piece.end - rest.len();
    }
}

fn meddocan(text: &str, floor: usize, ceiling: usize, piece: &mut Piece) {
    match piece.from {
        // The guidelines reserve it for numbers, but annotators put origin, marital status and the like there
        // four times in five.
        Label::OtherDetail => piece.out.label = "ID_SUJETO_ASISTENCIA",
        Label::Hospital => {
            let (start, word) = previous_word(text, piece.start);
            let is_head = facility_head(&word) == Some(Head::Hospital);
            if start >= floor && is_head && !text[start..piece.start].contains(['.', ':']) {
                piece.start = start;
            }
        }
        Label::Street => {
            grow_street(text, ceiling, piece);
            // The `E` of `E-28040` is the postal code's.
            let postal = text[piece.end..].strip_prefix('-').is_some_and(|t| t.starts_with(is_digit));
            if let Some(street) = text[piece.start..piece.end].strip_suffix(" E").filter(|_| postal) {
                piece.end = piece.start + street.trim_end_matches([' ', ',', '.', ';']).len();
            }
        }
        Label::Phone | Label::Fax => {
            let number = text[piece.start..piece.end].trim_start_matches(['+', ' ']);
            piece.start = piece.end - number.len();
        }
        Label::Age => {
            for cut in [" de edad", " de vida"] {
                if text[piece.start..piece.end].ends_with(cut) {
                    piece.end -= cut.len();
                }
            }
            let blanks = text[piece.end..].chars().take_while(|&c| c == ' ').count();
            let (end, word) = word_after(text, piece.end + blanks);
            let ends_in_digit = text[..piece.end].ends_with(|c: char| c.is_ascii_digit());
            if ends_in_digit && end <= ceiling && is_age_unit(&word) {
                piece.end = end;
            }
        }
        // The street before may reach to the `E`; it is cut there.
        Label::PostalCode if floor < piece.start && text[..piece.start].ends_with("E-") => piece.start -= 2,
        // `28 28 20943`: province, province of the college, number.
        Label::ProfessionalLicence => {
            let line = line_start(text, piece.start).max(floor);
            let before = &text[line..piece.start];
            let kept = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
            let run = &before[kept.len()..];
            piece.start -= run.trim_start().len();
        }
        _ => {}
    }
}

/// Takes in `, 23, 4 D`, `s/n`, `nº 5, 2º izq` after a street's name, and stops at what may be a postal code.
fn grow_street(text: &str, ceiling: usize, piece: &mut Piece) {
    let mut at = piece.end;
    let mut numbered = text[piece.start..piece.end].ends_with(|c: char| c.is_ascii_digit());
    while at < ceiling {
        let rest = &text[at..ceiling];
        let skipped = rest.len() - rest.trim_start_matches([' ', ',', '/', 'º', 'ª', '-']).len();
        let start = at + skipped;
        let rest = &text[start..ceiling];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            if digits > 4 {
                return;
            }
            at = start + digits;
            numbered = true;
        } else {
            let (end, word) = word_after(text, start);
            let is_letter = numbered && word.len() == 1 && end == start + 1 && word != "y";
            if end > ceiling || word.is_empty() || !(is_letter || is_door(&word)) {
                // `4º`, `5ª` end in the mark itself.
                if text[piece.end..start].starts_with(['º', 'ª']) {
                    piece.end += 'º'.len_utf8();
                }
                return;
            }
            at = end;
        }
        piece.end = at;
    }
}

fn eds(text: &str, floor: usize, ceiling: usize, piece: &mut Piece) {
    match piece.from {
        Label::GivenName | Label::Initials => {
            let last =
                text[piece.start..piece.end].rsplit([' ', '.', '-', '\u{a0}']).next().unwrap_or_default();
            if last.chars().count() == 1 && text[piece.end..ceiling].starts_with('.') {
                piece.end += 1;
            }
        }
        Label::FamilyName if text[piece.start..piece.end].ends_with('.') => piece.end -= 1,
        Label::City => {
            if !text[piece.end..ceiling].starts_with(' ') {
                return;
            }
            let (end, word) = word_after(text, piece.end + 1);
            if word == "cedex" && end <= ceiling {
                let rest = &text[end..ceiling];
                let number = rest
                    .strip_prefix(' ')
                    .map_or(0, |r| r.len() - r.trim_start_matches(|c: char| c.is_ascii_digit()).len());
                piece.end = if matches!(number, 1 | 2) { end + 1 + number } else { end };
            }
        }
        Label::Hospital | Label::HealthCentre => eds_hospital(text, floor, piece),
        _ => {}
    }
}

/// `Hôpital Bichat` gives `Bichat`; `Hôpital de la Timone` stays whole, as does `HOP Avicenne`; the town of a
/// `CHU de Lille` is a town.
fn eds_hospital(text: &str, floor: usize, piece: &mut Piece) {
    let article = ["l'", "L'", "l’", "L’"].iter().find(|a| text[piece.start..piece.end].starts_with(**a));
    piece.start += article.map_or(0, |a| a.len());
    let (head_end, word) = word_after(text, piece.start);
    let Some(head) = facility_head(&word) else {
        if text[piece.start..piece.end].starts_with("de ") {
            let (start, word) = previous_word(text, piece.start);
            if start >= floor && facility_head(&word) == Some(Head::Hospital) {
                piece.start = start;
            }
        }
        return;
    };
    let rest = text.get(head_end..piece.end).unwrap_or_default().trim_start();
    let name = piece.end - rest.len();
    if rest.is_empty() {
        return;
    }
    let linked = ["de ", "du ", "des ", "d'", "d’"].iter().find(|link| rest.starts_with(**link));
    match (head, linked) {
        (Head::Short, _) | (Head::Hospital, Some(_)) => {}
        (Head::University, Some(link)) => {
            piece.start = name + link.len();
            piece.out.label = "VILLE";
        }
        _ => piece.start = name,
    }
}

/// Whether two neighbours are one span of the scheme.
fn joins(scheme: Scheme, text: &str, a: &Piece, b: &Piece) -> bool {
    let gap = &text[a.end..b.start];
    if a.out.label != b.out.label || gap.contains('\n') || gap.len() > 24 {
        return false;
    }
    let roles = a.out.role == b.out.role || a.out.role == Role::Unknown || b.out.role == Role::Unknown;
    match (a.from, b.from) {
        (x, y) if is_name(x) && is_name(y) => {
            let twice = text[a.start..a.end] == text[b.start..b.end];
            roles && !twice && is_name_glue(text, a, b)
        }
        (Label::Street, Label::Street) => {
            let next = &text[b.start..b.end];
            let is_rest = next.starts_with(|c: char| c.is_ascii_digit()) || is_door(&word_after(next, 0).1);
            gap.chars().all(|c| c == ' ' || c == ',') && (is_rest || !gap.contains(','))
        }
        (Label::ProfessionalLicence, Label::ProfessionalLicence) => {
            scheme == Scheme::Meddocan && gap.chars().all(|c| c == ' ')
        }
        _ => false,
    }
}

/// Blanks, hyphens, a dot after an initial, and particles; `y` only between family names.
fn is_name_glue(text: &str, a: &Piece, b: &Piece) -> bool {
    let gap = &text[a.end..b.start];
    if gap.starts_with('.') {
        let last = text[a.start..a.end].rsplit([' ', '.', '-']).next().unwrap_or_default();
        if last.chars().count() > 2 {
            return false;
        }
    }
    let families = a.from == Label::FamilyName && b.from == Label::FamilyName;
    gap.split(|c: char| c.is_whitespace() || "-.'’".contains(c)).all(|word| {
        let word = fold(word);
        word.is_empty() || (is_particle(&word) && (families || !matches!(&*word, "y" | "e" | "i")))
    })
}

#[cfg(test)]
#[path = "borders_tests.rs"]
mod tests;
