//! Dates typed one digit per box: `1 4 0 7 1 9 8 8`, `2 3 . 0 8 . 1 9 7 4`.
//!
//! Forms print several such fields in one line (a date, a social security number, a phone number): the digits
//! are dates only if the whole run splits into fields of known sizes.

use super::scan::{Draft, Piece, Scan};
use super::surface::{Part, Width};
use super::value::Partial;
use crate::Kind;

const MOST: usize = 64;

/// The digits of a run, with the token that holds each.
struct Boxes {
    digits: [u8; MOST],
    tokens: [usize; MOST],
    count: usize,
    next: usize,
}

/// The sizes a date may have in boxes, and its order.
#[derive(Clone, Copy)]
struct Layout {
    day: (usize, usize),
    month: (usize, usize),
    year: (usize, usize),
    size: usize,
}

const LAYOUTS: [Layout; 5] = [
    Layout { day: (0, 2), month: (2, 4), year: (4, 8), size: 8 },
    Layout { day: (2, 4), month: (0, 2), year: (4, 8), size: 8 },
    Layout { day: (6, 8), month: (4, 6), year: (0, 4), size: 8 },
    Layout { day: (0, 1), month: (1, 3), year: (3, 7), size: 7 },
    Layout { day: (0, 2), month: (2, 4), year: (4, 7), size: 7 },
];

impl Scan<'_> {
    /// Reads digits in boxes from token `i`. `None`: this is no such run.
    pub(super) fn spaced_digits(&mut self, i: usize) -> Option<usize> {
        if self.len(i) > 2 || self.len(i + 1) != 1 || self.len(i + 2) != 1 {
            return None;
        }
        let mut boxes = self.boxes(i)?;
        if boxes.count < 7 {
            return None;
        }
        let mut ways = split(&boxes);
        // The last digit may be the first group of a number behind: `1 96 01 74 …`.
        let behind = boxes.next;
        if ways[boxes.count] == 0
            && self.kind(behind) == Some(Kind::Number)
            && !self.glued(behind)
            && self.len(behind) > 1
            && ways[boxes.count - 1] != 0
        {
            boxes.count -= 1;
            boxes.next -= 1;
            ways = split(&boxes);
        }
        if ways[boxes.count] == 0 {
            return Some(boxes.next);
        }
        let mut cuts = [0usize; MOST];
        let (mut fields, mut end) = (0, boxes.count);
        while end > 0 {
            end -= ways[end] as usize;
            cuts[fields] = end;
            fields += 1;
        }
        let mut stop = boxes.count;
        let mut dates = [(0usize, 0usize); 8];
        let mut count = 0;
        for &start in &cuts[..fields] {
            if matches!(stop - start, 7 | 8) && count < dates.len() {
                dates[count] = (start, stop - start);
                count += 1;
            }
            stop = start;
        }
        for &(start, size) in dates[..count].iter().rev() {
            if let Some(layout) = layout(&boxes.digits[start..start + size], boxes.count) {
                let confidence = if fields == 1 { 0.9 } else { 0.75 };
                let draft = self.boxed_draft(&boxes, start, layout, confidence);
                self.emit(draft);
            }
        }
        Some(boxes.next)
    }

    fn boxes(&self, i: usize) -> Option<Boxes> {
        let mut boxes = Boxes { digits: [0; MOST], tokens: [0; MOST], count: 0, next: i };
        let mut at = i;
        loop {
            let token = self.tokens.get(at)?;
            let size = self.len(at);
            if size != 1 && !(size == 2 && at == i) {
                break;
            }
            for b in token.of(self.text).bytes() {
                if boxes.count == MOST {
                    return None;
                }
                boxes.digits[boxes.count] = b - b'0';
                boxes.tokens[boxes.count] = at;
                boxes.count += 1;
            }
            boxes.next = at + 1;
            let mut next = at + 1;
            if matches!(self.mark(next), b'.' | b'/' | b'-')
                && !self.glued(next)
                && matches!(boxes.count, 2 | 4)
            {
                next += 1;
            }
            let boxed = self.kind(next) == Some(Kind::Number) && self.len(next) == 1 && !self.glued(next);
            if !boxed
                || self.separator(next).is_some_and(|_| self.glued(next + 1))
                || self.wide_gap(i, at, next)
            {
                break;
            }
            at = next;
        }
        Some(boxes)
    }

    /// The blank before `next` is wider than the one after the first box.
    fn wide_gap(&self, first: usize, at: usize, next: usize) -> bool {
        let blank = |a: usize, b: usize| self.tokens[b].start() - self.tokens[a].end();
        next == at + 1 && at > first && blank(at, next) > blank(first, first + 1)
    }

    fn boxed_draft(&self, boxes: &Boxes, start: usize, layout: Layout, confidence: f32) -> Draft {
        let digits = &boxes.digits[start..start + layout.size];
        let place = |(from, to): (usize, usize)| {
            let (first, last) = (boxes.tokens[start + from], boxes.tokens[start + to - 1]);
            let gap =
                if first == last { 0 } else { self.tokens[first + 1].start() - self.tokens[first].end() };
            (self.tokens[first].start(), self.tokens[last].end(), gap.min(9) as u8)
        };
        let piece = |range: (usize, usize), make: fn(Width, u8) -> Part| {
            let (start, end, gap) = place(range);
            let width = if range.1 - range.0 == 1 { Width::One } else { Width::Two };
            Piece { start, end, part: make(width, gap) }
        };
        let mut pieces = vec![
            piece(layout.day, |width, gap| Part::Day { width, gap }),
            piece(layout.month, |width, gap| Part::Month { width, gap }),
            piece(layout.year, |_, gap| Part::Year { digits: 4, gap }),
        ];
        pieces.sort_by_key(|p| p.start);
        let value = Partial {
            day: Some(number(digits, layout.day) as u8),
            month: Some(number(digits, layout.month) as u8),
            year: Some(number(digits, layout.year) as i16).filter(|&year| year > 999),
            ..Partial::default()
        };
        let confidence = if value.year.is_some() { confidence } else { 0.5 };
        let (first, last) = (boxes.tokens[start], boxes.tokens[start + layout.size - 1]);
        Draft { first, last, value, pieces, confidence, bare_month: false }
    }
}

/// For each length of prefix, the size of its last field in some split into fields; zero if there is none.
fn split(boxes: &Boxes) -> [u8; MOST + 1] {
    let mut ways = [0u8; MOST + 1];
    ways[0] = 1;
    for end in 1..=boxes.count {
        for size in [8, 13, 15, 10, 7] {
            if size <= end && ways[end - size] != 0 && is_field(&boxes.digits[end - size..end], boxes.count) {
                ways[end] = size as u8;
                break;
            }
        }
    }
    ways
}

/// A date, a social security number with or without its key, a phone number.
fn is_field(digits: &[u8], all: usize) -> bool {
    match digits.len() {
        7 | 8 => layout(digits, all).is_some(),
        13 | 15 => matches!(digits[0], 1 | 2),
        10 => digits[0] == 0,
        _ => false,
    }
}

fn number(digits: &[u8], (from, to): (usize, usize)) -> u32 {
    digits[from..to].iter().fold(0, |n, &d| n * 10 + u32::from(d))
}

/// How digits read as a date. A year cut short is allowed to digits that stand by themselves.
fn layout(digits: &[u8], all: usize) -> Option<Layout> {
    let fits = |l: &Layout| {
        l.size == digits.len()
            && (1..=31).contains(&number(digits, l.day))
            && (1..=12).contains(&number(digits, l.month))
            && match number(digits, l.year) {
                1880..=2099 => true,
                190..=209 => all == digits.len(),
                _ => false,
            }
    };
    LAYOUTS.into_iter().find(fits)
}
