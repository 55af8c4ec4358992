//! Where in the line's stretches between commas, stops and brackets a token is.

use taire_text::{Kind, Shape};

use super::document::{Item, Line};

#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Segment {
    pub(crate) first: u64,
    pub(crate) before: u64,
    since: u32,
    first_done: bool,
    starts: bool,
    /// The last word with a capital that began a segment or followed a lower-case word.
    pub(crate) trigger: u64,
    /// The class of the last word before this one that has one, and how far back it is.
    pub(crate) class: u64,
    pub(crate) class_since: u64,
}

impl Segment {
    /// Goes on to token `i` of the line.
    pub(crate) fn step(&mut self, items: &[Item], line: &Line, i: usize) {
        let item = &items[i];
        if i == line.line_start || self.starts {
            self.before = self.first;
            self.first = item.hashes.word;
            self.since = 0;
            self.first_done = i != line.line_start;
            self.starts = false;
        } else {
            self.since += 1;
        }
        self.class_since += 1;
        if i > line.line_start {
            let last = &items[i - 1];
            if last.class != 0 {
                self.class = last.class;
                self.class_since = 1;
            }
            let capital = last.kind == Kind::Word && last.shape != Shape::Lower;
            if capital && last.hashes.length > 1 && (self.since <= 1 || !self.first_done) {
                self.trigger = last.hashes.word;
            }
        }
        if item.kind == Kind::Mark {
            let next_glued = items.get(i + 1).is_some_and(|n| n.glued);
            self.starts = !next_glued || !item.glued;
        }
    }
}
