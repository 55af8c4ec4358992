//! What typing, scanning, extraction and old software do to a text.
//!
//! [`apply`] does one [`NoiseKind`] to a document, [`mixed`] a mix of them as real files show it. Spans are carried:
//! what is written into or beside a span keeps its borders, and no span is lost.

use taire_text::Label;

use crate::cells::{Cell, Cells};
use crate::{MarkedDocument, Rng};

/// One way in which text is spoilt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NoiseKind {
    /// All in small letters.
    LowerCase,
    NoAccents,
    /// All in capitals, accents kept.
    Capitals,
    /// All in capitals without accents, as old software prints.
    PlainCapitals,
    /// `O` for `0`, `l` for `1`, `rn` for `m`, split and glued words.
    Ocr,
    /// Lines cut at a width; long words are cut with a hyphen now and then.
    BrokenLines,
    /// Lines and columns run into one line.
    FlattenedColumns,
    /// No space after marks, here and there none between words.
    MissingSpaces,
    /// `&eacute;` for `é`. In no mix: only when asked for.
    Entities,
}

impl NoiseKind {
    pub const ALL: [NoiseKind; 9] = [
        NoiseKind::LowerCase,
        NoiseKind::NoAccents,
        NoiseKind::Capitals,
        NoiseKind::PlainCapitals,
        NoiseKind::Ocr,
        NoiseKind::BrokenLines,
        NoiseKind::FlattenedColumns,
        NoiseKind::MissingSpaces,
        NoiseKind::Entities,
    ];
}

/// A document with one kind of noise. The same seed gives the same bytes.
pub fn apply(document: &MarkedDocument, kind: NoiseKind, seed: u64) -> MarkedDocument {
    let mut rng = Rng::of_document(seed, 1 + kind as u64);
    edit_cells(document, |cells| spoil(&mut rng, cells, kind))
}

/// A document with the mix of noise that templates get: most get little or none.
pub fn mixed(document: &MarkedDocument, seed: u64) -> MarkedDocument {
    let mut rng = Rng::of_document(seed, 0);
    edit_cells(document, |cells| mix(&mut rng, cells))
}

fn edit_cells(document: &MarkedDocument, change: impl FnOnce(&mut Cells)) -> MarkedDocument {
    let mut cells = Cells::from_document(document);
    change(&mut cells);
    let (text, spans) = cells.into_text();
    MarkedDocument { text, spans, ..document.clone() }
}

fn spoil(rng: &mut Rng, out: &mut Cells, kind: NoiseKind) {
    match kind {
        NoiseKind::LowerCase => each(out, |c, _| lower(c)),
        NoiseKind::NoAccents => each(out, |c, _| without_accents(c)),
        NoiseKind::Capitals => capitals(out),
        NoiseKind::PlainCapitals => {
            capitals(out);
            each(out, |c, _| without_accents(c));
        }
        NoiseKind::Ocr => {
            scan(rng, out);
            misread(rng, out);
        }
        NoiseKind::BrokenLines => {
            wrap(rng, out);
            hyphenate(rng, out);
        }
        NoiseKind::FlattenedColumns => flatten(rng, out),
        NoiseKind::MissingSpaces => {
            spacing(rng, out);
            glue(rng, out);
        }
        NoiseKind::Entities => entities(out),
    }
}

fn lower(c: char) -> char {
    let mut all = c.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

fn capitals(out: &mut Cells) {
    each(out, |c, label| if is_contact(label) || c == 'µ' { c } else { upper(c) });
}

/// What scanners read for pairs of letters, and blanks they see or lose.
fn misread(rng: &mut Rng, out: &mut Cells) {
    let rate = rng.between(80, 400);
    let mut cells = Vec::with_capacity(out.cells.len() + 16);
    let mut i = 0;
    while i < out.cells.len() {
        let cell = out.cells[i];
        let next = out.cells.get(i + 1).copied();
        let same = next.is_some_and(|n| n.span == cell.span);
        let push = |cells: &mut Vec<Cell>, text: &str| {
            cells.extend(text.chars().map(|char| Cell { char, span: cell.span }));
        };
        if !rng.one_in(rate) {
            cells.push(cell);
        } else {
            match (cell.char, next.map(|n| n.char)) {
                ('m', _) => push(&mut cells, "rn"),
                ('w', _) => push(&mut cells, "vv"),
                ('d', _) => push(&mut cells, "cl"),
                ('r', Some('n')) if same => {
                    push(&mut cells, "m");
                    i += 1;
                }
                ('e', _) => push(&mut cells, "c"),
                ('a', _) => push(&mut cells, "o"),
                // A blank inside a word.
                (c, Some(n)) if same && c.is_alphabetic() && n.is_alphabetic() => {
                    cells.push(cell);
                    push(&mut cells, " ");
                }
                _ => cells.push(cell),
            }
        }
        i += 1;
    }
    out.cells = cells;
}

/// Words cut at the end of a line: `Skrzyp-\nczak`.
fn hyphenate(rng: &mut Rng, out: &mut Cells) {
    let mut cells = Vec::with_capacity(out.cells.len() + 16);
    let mut word = 0;
    for (i, &cell) in out.cells.iter().enumerate() {
        cells.push(cell);
        word = if cell.char.is_alphabetic() { word + 1 } else { 0 };
        let after: Vec<_> = out.cells[i + 1..].iter().take(3).collect();
        let inside = after.len() == 3 && after.iter().all(|c| c.char.is_alphabetic() && c.span == cell.span);
        if word >= 3 && inside && rng.one_in(150) {
            cells.extend(['-', '\n'].map(|char| Cell { char, span: cell.span }));
            word = 0;
        }
    }
    out.cells = cells;
}

/// Words run together. A span keeps its own letters.
fn glue(rng: &mut Rng, out: &mut Cells) {
    let rate = rng.between(25, 90);
    let mut cells = Vec::with_capacity(out.cells.len());
    for (i, &cell) in out.cells.iter().enumerate() {
        let between_words = cell.char == ' '
            && i > 0
            && out.cells[i - 1].char.is_alphanumeric()
            && out.cells.get(i + 1).is_some_and(|n| n.char.is_alphanumeric());
        if !(between_words && rng.one_in(rate)) {
            cells.push(cell);
        }
    }
    out.cells = cells;
}

fn entities(out: &mut Cells) {
    const NAMES: &[(char, &str)] = &[
        ('é', "&eacute;"),
        ('è', "&egrave;"),
        ('ê', "&ecirc;"),
        ('ë', "&euml;"),
        ('à', "&agrave;"),
        ('â', "&acirc;"),
        ('ç', "&ccedil;"),
        ('î', "&icirc;"),
        ('ï', "&iuml;"),
        ('ô', "&ocirc;"),
        ('ù', "&ugrave;"),
        ('û', "&ucirc;"),
        ('É', "&Eacute;"),
        ('á', "&aacute;"),
        ('í', "&iacute;"),
        ('ó', "&oacute;"),
        ('ú', "&uacute;"),
        ('ñ', "&ntilde;"),
        ('Ñ', "&Ntilde;"),
        ('ü', "&uuml;"),
        ('Á', "&Aacute;"),
        ('Í', "&Iacute;"),
        ('Ó', "&Oacute;"),
        ('Ú', "&Uacute;"),
        ('&', "&amp;"),
        ('<', "&lt;"),
        ('>', "&gt;"),
        ('\'', "&#39;"),
        ('’', "&rsquo;"),
        ('«', "&laquo;"),
        ('»', "&raquo;"),
        ('\u{a0}', "&nbsp;"),
        ('°', "&deg;"),
        ('œ', "&oelig;"),
        ('µ', "&micro;"),
    ];
    let mut cells = Vec::with_capacity(out.cells.len() + 16);
    for &cell in &out.cells {
        match NAMES.iter().find(|(c, _)| *c == cell.char) {
            Some((_, name)) => cells.extend(name.chars().map(|char| Cell { char, span: cell.span })),
            None => cells.push(cell),
        }
    }
    out.cells = cells;
}

/// A letter without its accent; ligatures stay.
pub(crate) fn without_accents(c: char) -> char {
    const FROM: &str = "àâäáãåçéèêëíìîïñóòôöõúùûüýÿÀÂÄÁÃÅÇÉÈÊËÍÌÎÏÑÓÒÔÖÕÚÙÛÜÝŸćčłńśşžżğıőțș";
    const TO: &str = "aaaaaaceeeeiiiinooooouuuuyyAAAAAACEEEEIIIINOOOOOUUUUYYcclnsszzgiots";
    if c.is_ascii() {
        return c;
    }
    FROM.chars().position(|f| f == c).and_then(|i| TO.chars().nth(i)).unwrap_or(c)
}

fn upper(c: char) -> char {
    let mut all = c.to_uppercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Labels whose case is kept: addresses of mail and web.
fn is_contact(label: Option<Label>) -> bool {
    matches!(label, Some(Label::Email | Label::Url))
}

/// Applies a random mix of noise to one document; most get little or none.
pub(crate) fn mix(rng: &mut Rng, out: &mut Cells) {
    if rng.percent(7) {
        capitals(out);
        if rng.percent(80) {
            each(out, |c, _| without_accents(c));
        }
    } else if rng.percent(3) {
        each(out, |c, _| lower(c));
    }
    if rng.percent(10) {
        each(out, |c, _| without_accents(c));
    }
    if rng.percent(20) {
        each(out, |c, _| if c == '\'' { '’' } else { c });
    }
    if rng.percent(6) {
        scan(rng, out);
    }
    if rng.percent(10) {
        spacing(rng, out);
    }
    if rng.percent(10) {
        flatten(rng, out);
    } else if rng.percent(8) {
        wrap(rng, out);
    }
    if rng.percent(6) {
        each_space(rng, out, 30, '\u{a0}');
    }
    if rng.percent(4) {
        tabs(rng, out);
    }
    if rng.percent(5) {
        windows_lines(out);
    }
}

fn each(out: &mut Cells, change: impl Fn(char, Option<Label>) -> char) {
    for i in 0..out.cells.len() {
        let Cell { char, span } = out.cells[i];
        out.cells[i].char = change(char, out.label_of(span));
    }
}

/// Scanned pages: `O` for `0`, `l` for `1`, lost accents, here and there.
fn scan(rng: &mut Rng, out: &mut Cells) {
    let rate = rng.between(60, 300);
    for cell in &mut out.cells {
        if rng.one_in(rate) {
            cell.char = match cell.char {
                '0' => 'O',
                'O' => '0',
                '1' => 'l',
                'l' => '1',
                'I' => 'l',
                '5' => 'S',
                'é' | 'è' => 'e',
                ',' => '.',
                other => other,
            };
        }
    }
}

/// Doubled spaces, and none after a mark.
fn spacing(rng: &mut Rng, out: &mut Cells) {
    let (doubled, lost) = (rng.between(8, 60), rng.between(3, 12));
    let mut cells = Vec::with_capacity(out.cells.len() + 16);
    for (i, &cell) in out.cells.iter().enumerate() {
        let before = i.checked_sub(1).map(|p| out.cells[p].char);
        if cell.char == ' ' {
            if cell.span == 0 && matches!(before, Some(',' | ':' | '.')) && rng.one_in(lost) {
                continue;
            }
            if rng.one_in(doubled) {
                cells.push(cell);
            }
        }
        cells.push(cell);
    }
    out.cells = cells;
}

/// Lines joined by spaces, as extraction from a table or a page does.
fn flatten(rng: &mut Rng, out: &mut Cells) {
    let gap = rng.pick(&[" ", " ", " ", "  ", "    ", " | ", " - "]);
    let mut cells = Vec::with_capacity(out.cells.len() + 16);
    for &cell in &out.cells {
        if cell.char == '\n' {
            cells.extend(gap.chars().map(|char| Cell { char, span: cell.span }));
        } else {
            cells.push(cell);
        }
    }
    out.cells = cells;
}

/// Lines cut at a width, words or not, spans or not.
fn wrap(rng: &mut Rng, out: &mut Cells) {
    let width = rng.between(38, 96);
    let mut column = 0;
    for cell in &mut out.cells {
        column += 1;
        match cell.char {
            '\n' => column = 0,
            ' ' if column >= width => {
                cell.char = '\n';
                column = 0;
            }
            _ => {}
        }
    }
}

fn each_space(rng: &mut Rng, out: &mut Cells, chance: usize, to: char) {
    for cell in &mut out.cells {
        if cell.char == ' ' && rng.percent(chance) {
            cell.char = to;
        }
    }
}

fn tabs(rng: &mut Rng, out: &mut Cells) {
    for i in 1..out.cells.len() {
        let after_mark = matches!(out.cells[i - 1].char, ':' | ',') && out.cells[i].span == 0;
        if out.cells[i].char == ' ' && after_mark && rng.percent(60) {
            out.cells[i].char = '\t';
        }
    }
}

fn windows_lines(out: &mut Cells) {
    let mut cells = Vec::with_capacity(out.cells.len() + 16);
    for &cell in &out.cells {
        if cell.char == '\n' {
            cells.push(Cell { char: '\r', span: cell.span });
        }
        cells.push(cell);
    }
    out.cells = cells;
}
