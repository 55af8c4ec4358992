//! From pieces of text with places on a page to lines in reading order.
//!
//! Pieces on one baseline make a line, wide gaps become tabs. Where several lines in a row leave the same stretch of
//! the page empty and both sides hold running text, the left column is read before the right one; short cells, as in
//! a table of names and values, stay on their line.

use std::collections::BTreeMap;
use std::ops::Range;

use super::font::Look;

/// A word, or a part of one, as it was set: in points from the lower left corner, seen upright.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) end: f32,
    /// Where its last letter ends; a blank may follow.
    pub(crate) ink: f32,
    pub(crate) size: f32,
    pub(crate) text: String,
    pub(crate) look: Look,
    /// Which glyph of the file it starts with.
    pub(crate) order: usize,
}

/// A piece of the text with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    /// Bytes of the text, with the blank that follows.
    pub(crate) text: Range<usize>,
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) ink: f32,
    pub(crate) size: f32,
    pub(crate) look: Look,
}

/// Runs of a line without wide gaps between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) runs: Vec<Run>,
    /// Where the next one of the line starts.
    pub(crate) next: Option<f32>,
}

/// A stretch of a line without wide gaps.
struct Segment {
    x: f32,
    end: f32,
    text: String,
    /// Runs of `text`, from its start.
    runs: Vec<Run>,
    next: Option<f32>,
}

struct Line {
    y: f32,
    size: f32,
    segments: Vec<Segment>,
}

/// Adds the text of a page, and where it stands there.
pub(crate) fn push_page(out: &mut String, stretches: &mut Vec<Stretch>, pieces: Vec<Piece>) {
    let lines = lines(pieces);
    let mut at = 0;
    while at < lines.len() {
        match columns(&lines[at..]) {
            Some((count, gutter)) => {
                for left in [true, false] {
                    for line in &lines[at..at + count] {
                        let side = line.segments.iter().filter(|s| (s.end <= gutter) == left);
                        push_line(out, stretches, side);
                    }
                }
                at += count;
            }
            None => {
                if at > 0 && lines[at - 1].y - lines[at].y > 2.2 * lines[at].size {
                    out.push('\n');
                }
                push_line(out, stretches, lines[at].segments.iter());
                at += 1;
            }
        }
    }
}

/// How a new file tells where a line or a cell starts: as marked points of its content, so that it reads in the order it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Line,
    Cell,
}

impl Mark {
    pub(crate) const ALL: [Mark; 2] = [Mark::Line, Mark::Cell];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Mark::Line => "TaireLine",
            Mark::Cell => "TaireCell",
        }
    }
}

/// Adds the text of a page in the order it is drawn in. Each mark comes with the order of the piece that follows it.
pub(crate) fn push_drawn(
    out: &mut String,
    texts: &mut Vec<(i32, Vec<Stretch>)>,
    pieces: BTreeMap<i32, Vec<Piece>>,
    marks: &[(usize, Mark)],
) {
    let each = pieces.into_iter().flat_map(|(angle, list)| list.into_iter().map(move |piece| (angle, piece)));
    let mut pieces: Vec<(i32, Piece)> = each.filter(|(_, piece)| !piece.text.is_empty()).collect();
    pieces.sort_by_key(|(_, piece)| piece.order);
    let mut pieces = pieces.into_iter().peekable();
    let from = out.len();
    let mut marks = marks.iter().peekable();
    while let Some((angle, first)) = pieces.next() {
        // A cell may be empty now; what follows it is on its line, unless a line starts too.
        let mut passed = Vec::new();
        while let Some((_, mark)) = marks.next_if(|(at, _)| *at <= first.order) {
            passed.push(*mark);
        }
        let cell = !passed.is_empty() && !passed.contains(&Mark::Line);
        let until = marks.peek().map_or(usize::MAX, |(at, _)| *at);
        let mut segment = Segment::new(&first);
        segment.push(first);
        while let Some((_, piece)) = pieces.next_if(|(a, piece)| *a == angle && piece.order < until) {
            segment.push(piece);
        }
        if out.len() > from {
            out.push(if cell { '\t' } else { '\n' });
        }
        let next = pieces.peek().filter(|_| marks.peek().is_some_and(|(_, mark)| *mark == Mark::Cell));
        segment.next = next.map(|(_, piece)| piece.x);
        if texts.last().is_none_or(|(last, _)| *last != angle) {
            texts.push((angle, Vec::new()));
        }
        if let Some((_, stretches)) = texts.last_mut() {
            segment.push_text(out, stretches);
        }
    }
    if out.len() > from {
        out.push('\n');
    }
}

fn push_line<'a>(
    out: &mut String,
    stretches: &mut Vec<Stretch>,
    segments: impl Iterator<Item = &'a Segment>,
) {
    let from = out.len();
    for segment in segments {
        if out.len() > from {
            out.push('\t');
        }
        segment.push_text(out, stretches);
    }
    if out.len() > from {
        out.push('\n');
    }
}

fn lines(mut pieces: Vec<Piece>) -> Vec<Line> {
    pieces.retain(|p| !p.text.is_empty());
    pieces.sort_by(|a, b| b.y.total_cmp(&a.y).then(a.x.total_cmp(&b.x)));
    let mut rows: Vec<Vec<Piece>> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some(row) if (row[0].y - piece.y).abs() < 0.45 * row[0].size.min(piece.size).max(1.0) => {
                row.push(piece)
            }
            _ => rows.push(vec![piece]),
        }
    }
    rows.into_iter().map(line).collect()
}

fn line(mut row: Vec<Piece>) -> Line {
    row.sort_by(|a, b| a.x.total_cmp(&b.x));
    let (y, size) = (row[0].y, row.iter().map(|p| p.size).fold(1.0, f32::max));
    let mut segments: Vec<Segment> = Vec::new();
    for piece in row {
        let wide = 1.6 * piece.size.max(1.0);
        match segments.last_mut() {
            Some(last) if piece.x - last.end < wide => {
                let apart = piece.x - last.end > 0.18 * piece.size;
                if apart && !last.text.ends_with(' ') && !piece.text.starts_with(' ') {
                    last.text.push(' ');
                }
                // A blank belongs to what it follows.
                if let Some(run) = last.runs.last_mut() {
                    run.text.end = last.text.len();
                }
                last.push(piece);
            }
            _ if piece.text.trim().is_empty() => {}
            last => {
                if let Some(last) = last {
                    last.next = Some(piece.x);
                }
                let mut segment =
                    Segment { x: piece.x, end: piece.end, text: String::new(), runs: Vec::new(), next: None };
                let text = piece.text.trim_start().to_owned();
                segment.push(Piece { text, ..piece });
                segments.push(segment);
            }
        }
    }
    Line { y, size, segments }
}

impl Segment {
    fn new(first: &Piece) -> Segment {
        Segment { x: first.x, end: first.end, text: String::new(), runs: Vec::new(), next: None }
    }

    fn push_text(&self, out: &mut String, stretches: &mut Vec<Stretch>) {
        let start = out.len();
        out.push_str(self.text.trim_end());
        let placed = self.runs.iter().map(|run| {
            let text = start + run.text.start..(start + run.text.end).min(out.len());
            Run { text, ..run.clone() }
        });
        let runs = placed.filter(|run| !run.text.is_empty()).collect();
        stretches.push(Stretch { runs, next: self.next });
    }

    fn push(&mut self, piece: Piece) {
        let start = self.text.len();
        self.text.push_str(&piece.text);
        self.end = self.end.max(piece.end);
        let Piece { x, y, ink, size, look, .. } = piece;
        match self.runs.last_mut() {
            Some(last) if piece.text.trim().is_empty() => last.text.end = self.text.len(),
            _ => self.runs.push(Run { text: start..self.text.len(), x, y, ink, size, look }),
        }
    }
}

/// How many lines from here on stand in two columns, and a place between these.
fn columns(lines: &[Line]) -> Option<(usize, f32)> {
    const FEWEST: usize = 3;
    let mut gutter: Option<(f32, f32)> = None;
    let (mut count, mut both) = (0, 0);
    let (mut left, mut right) = (0, 0);
    for line in lines {
        let next = match line.segments.as_slice() {
            [a, b] => {
                let (start, end) = gutter.unwrap_or((f32::MIN, f32::MAX));
                let joined = (start.max(a.end), end.min(b.x));
                if joined.1 - joined.0 < line.size {
                    break;
                }
                both += 1;
                left += a.text.chars().count();
                right += b.text.chars().count();
                Some(joined)
            }
            [a] => match gutter {
                Some((start, end)) if a.end <= end && a.end >= start => Some((a.end, end)),
                Some((start, _)) if a.end < start => gutter,
                Some((start, end)) if a.x >= start => Some((start, end.min(a.x.max(start)))),
                _ => break,
            },
            _ => break,
        };
        if next.is_some_and(|(start, end)| end - start < 1.0) {
            break;
        }
        gutter = next;
        count += 1;
    }
    let (start, _) = gutter?;
    let running = both >= FEWEST && left >= 14 * both && right >= 12 * both;
    running.then_some((count, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(x: f32, y: f32, text: &str) -> Piece {
        let end = x + 5.0 * text.len() as f32;
        Piece { x, y, end, ink: end, size: 10.0, text: text.into(), look: Look::default(), order: 0 }
    }

    fn page(pieces: Vec<Piece>) -> String {
        let mut out = String::new();
        let mut stretches = Vec::new();
        push_page(&mut out, &mut stretches, pieces);
        let placed: String =
            stretches.iter().flat_map(|s| &s.runs).map(|run| &out[run.text.clone()]).collect();
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(letters(&placed), letters(&out), "every letter has its place, in order");
        out
    }

    #[test]
    fn two_columns_are_read_one_after_the_other() {
        let text = page(vec![
            piece(300.0, 700.0, "Madame Anne PETIT"),
            piece(50.0, 700.0, "Centre hospitalier de X"),
            piece(50.0, 688.0, "Service de rhumatologie"),
            piece(300.0, 688.0, "12 rue des Lilas, bat. B"),
            piece(50.0, 676.0, "Secrétariat 01 02 03"),
            piece(300.0, 676.0, "65300 LANNEMEZAN"),
            piece(50.0, 640.0, "Cher confrère, je vous remercie de m'avoir adressé cette patiente."),
        ]);
        assert_eq!(
            text,
            "Centre hospitalier de X\nService de rhumatologie\nSecrétariat 01 02 03\nMadame Anne PETIT\n\
             12 rue des Lilas, bat. B\n65300 LANNEMEZAN\n\nCher confrère, je vous remercie de m'avoir adressé cette patiente.\n"
        );
    }

    #[test]
    fn cells_stay_on_their_line_and_pieces_of_a_word_together() {
        let text = page(vec![
            piece(50.0, 700.0, "Nom"),
            piece(200.0, 700.0, "ESC"),
            piece(215.0, 700.2, "OUBES"),
            piece(243.0, 700.0, "Anne"),
            piece(50.0, 688.0, "Ne(e) le"),
            piece(200.0, 688.0, "04/11/1952"),
        ]);
        assert_eq!(text, "Nom\tESCOUBES Anne\nNe(e) le\t04/11/1952\n");
    }
}
