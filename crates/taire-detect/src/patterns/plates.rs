//! Number plates of both countries and eras. Only the present forms of France and Spain are recognised alone; the others
//! need a keyword before them.

use taire_text::{Kind as TokenKind, Label};

use super::Scan;
use super::run::Run;

/// Three consonants after a number that measure it.
const UNITS: [&str; 14] =
    ["MCG", "MGR", "MGS", "GRS", "KGS", "BPM", "LPM", "RPM", "CMS", "MMS", "KMS", "HRS", "PTS", "CTS"];

impl Scan<'_> {
    fn letters(&self, i: usize, lengths: std::ops::RangeInclusive<usize>) -> bool {
        let text = self.text_of(i);
        lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase())
    }

    fn digits(&self, i: usize, lengths: std::ops::RangeInclusive<usize>) -> bool {
        self.tokens
            .get(i)
            .is_some_and(|t| t.kind == TokenKind::Number && lengths.contains(&(t.end() - t.start())))
    }

    fn dash(&self, i: usize) -> usize {
        usize::from(self.text_of(i) == "-")
    }

    /// `AB-123-CD`, without the letters that plates never bear.
    pub(super) fn plate(&mut self, run: &Run) -> Option<usize> {
        let i = run.groups[0].first;
        if run.groups[0].len != 3 || i < 2 || self.text_of(i - 1) != "-" || self.text_of(i + 1) != "-" {
            return None;
        }
        let plain = |t: &str| t.bytes().all(|b| !matches!(b, b'I' | b'O' | b'U'));
        let glued = self.tokens[i - 1..=i + 1].iter().all(|t| t.glued) && self.tokens.get(i + 2)?.glued;
        let is = glued
            && self.letters(i - 2, 2..=2)
            && self.letters(i + 2, 2..=2)
            && plain(self.text_of(i - 2))
            && plain(self.text_of(i + 2));
        is.then(|| self.say_plate(i - 2, i + 2, 0.85))
    }

    /// `1234 BCD`, `1234-BCD`: four digits and three capital consonants, as Spain has issued since 2000. Units that are
    /// written in three consonants are left.
    pub(super) fn spanish_plate(&mut self, run: &Run) -> Option<usize> {
        if !self.spanish() || run.len() != 1 || run.groups[0].len != 4 {
            return None;
        }
        let first = run.groups[0].first;
        let last = first + 1 + self.dash(first + 1);
        let letters = self.text_of(last);
        let alone = !self.tokens[first].glued
            && !self.tokens.get(last + 1).is_some_and(|t| t.glued && t.kind != TokenKind::Mark);
        let consonants =
            |b: u8| b.is_ascii_uppercase() && !matches!(b, b'A' | b'E' | b'I' | b'O' | b'U' | b'Q');
        let same_line = !self.text[self.tokens[first].end()..self.tokens.get(last)?.start()].contains('\n');
        let is_plate = alone
            && same_line
            && letters.len() == 3
            && letters.bytes().all(consonants)
            && !UNITS.contains(&letters);
        is_plate.then(|| self.say_plate(first, last, 0.7))
    }

    /// Any plate after a keyword: `AB 123 CD`, `1234 AB 75`, `1234 BCD`, `M-1234-AB`.
    pub(super) fn old_plate(&mut self, run: &Run, g: usize) -> Option<usize> {
        let i = run.groups[g].first;
        let next = i + 1 + self.dash(i + 1);
        let before = i.checked_sub(1).and_then(|b| b.checked_sub(self.dash(b)));
        if let Some(b) = before
            && self.digits(i, 3..=4)
            && self.letters(b, 1..=2)
            && self.letters(next, 1..=2)
        {
            return Some(self.say_plate(b, next, 0.95));
        }
        if self.digits(i, 2..=4) && self.letters(next, 1..=3) {
            let department = next + 1 + self.dash(next + 1);
            if self.text_of(department) == "2" && matches!(self.text_of(department + 1), "A" | "B") {
                return Some(self.say_plate(i, department + 1, 0.95));
            }
            if self.digits(department, 2..=3) {
                return Some(self.say_plate(i, department, 0.95));
            }
            if self.letters(next, 3..=3) {
                return Some(self.say_plate(i, next, 0.95));
            }
        }
        None
    }

    fn say_plate(&mut self, first: usize, last: usize, score: f32) -> usize {
        let (start, end) = (self.tokens[first].start(), self.tokens[last].end());
        self.say(start, end, Label::VehicleId, score, "number plate");
        last + 1
    }
}
