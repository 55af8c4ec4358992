//! What typing, scanning, extraction and old software do to a text.

use taire_text::Label;

use super::cells::{Cell, Cells};
use super::rng::Rng;

/// A letter without its accent; ligatures stay.
pub(super) fn without_accents(c: char) -> char {
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

/// Labels whose case carries no letters people change.
fn is_contact(label: Option<Label>) -> bool {
    matches!(label, Some(Label::Email | Label::Url))
}

/// Applies what befalls one document; most get little or nothing.
pub(super) fn apply(rng: &mut Rng, out: &mut Cells) {
    if rng.percent(7) {
        each(out, |c, label| if is_contact(label) || c == 'µ' { c } else { upper(c) });
        if rng.percent(80) {
            each(out, |c, _| without_accents(c));
        }
    } else if rng.percent(3) {
        each(out, |c, _| c.to_lowercase().next().unwrap_or(c));
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
