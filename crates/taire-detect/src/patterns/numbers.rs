//! What is left: a long number is an identifier unless its surroundings say that it measures something.

use taire_text::{Kind as TokenKind, Label, Shape};

use super::context::Context;
use super::keywords::KeywordKind;
use super::run::{Run, Sep};
use super::{Scan, Step};
use crate::MAX_TOKENS;

/// A number of more digits than this is suspect.
const LONG: usize = 5;

impl Scan<'_> {
    pub(super) fn left_over(
        &mut self,
        run: &Run,
        g: usize,
        start: usize,
        context: Option<Context>,
    ) -> Option<Step> {
        let group = run.groups[g];
        let measured = context
            .is_some_and(|c| matches!(c.kind, KeywordKind::Measure | KeywordKind::Postal) && c.gap <= 3);
        let thousands = thousands_end(run, g);
        if let Some(h) = thousands.filter(|&h| run.digits(g, h).len() > 3) {
            return self.formatted(run, g, h, measured);
        }
        if run.looks_like_date(g) {
            return Some(Step::Group(g + 3));
        }
        if group.len > LONG {
            return Some(self.in_one_piece(run, g, if g == 0 { start } else { group.first }, measured));
        }
        if let Some(last) = self.mixed(group.last, if g == 0 { start } else { group.first }) {
            let (begin, end) =
                (self.tokens[if g == 0 { start } else { group.first }].start(), self.tokens[last].end());
            self.say(begin, end, Label::OtherId, 0.55, "long mix of digits and capitals");
            return Some(Step::Token(last + 1));
        }
        if let Some(step) = self.sample_number(run, g) {
            return Some(step);
        }
        if (measured && group.len >= 4) || self.unit_after(run, g + 1).is_some() && group.len >= 3 {
            let (begin, end) = self.bounds(run, g, g + 1);
            self.clear(begin, end, 0.8, "measurement");
            return Some(Step::Group(g + 1));
        }
        self.spaced(run, g)
    }

    /// "2024-00441": a year and the number of a sample in it, whatever was measured. Two years are none.
    fn sample_number(&mut self, run: &Run, g: usize) -> Option<Step> {
        let year = run.digits(g, g + 1);
        let tail =
            run.groups.get(g + 1).filter(|x| x.tight && x.sep == Sep::Dash && (3..=6).contains(&x.len))?;
        let number = run.digits(g + 1, g + 2);
        let is_year = |d: &[u8]| d.len() == 4 && (d.starts_with(b"19") || d.starts_with(b"20"));
        let ends = run.sep_at(g + 2).is_none_or(|(_, tight)| !tight);
        let alone = run.groups[g].sep != Sep::Dash || g == 0;
        if !is_year(year) || is_year(number) || tail.len == 3 && number[0] != b'0' || !ends || !alone {
            return None;
        }
        Some(self.say_groups(run, g, g + 2, Label::OtherId, 0.7, "year and number of a sample"))
    }

    /// "150 000", "4.860.000".
    fn formatted(&mut self, run: &Run, g: usize, h: usize, measured: bool) -> Option<Step> {
        let digits = run.digits(g, h);
        let (begin, end) = self.bounds(run, g, h);
        let dotted = run.groups[g + 1].sep == Sep::Dot;
        let round = digits.ends_with(b"00");
        let unit = self.unit_after(run, h).is_some();
        // "130-170 104": the end of a range and the value behind it.
        let ranged =
            g > 0 && run.groups[g].tight && run.groups[g].sep == Sep::Dash && run.groups[g - 1].len <= 3;
        if measured
            || unit
            || ranged
            || (digits.len() <= 7 && (round || dotted))
            || (digits.ends_with(b"000") && digits.len() <= 9)
        {
            self.clear(begin, end, if measured || unit { 0.9 } else { 0.6 }, "number written in thousands");
            return Some(Step::Group(h));
        }
        if digits.len() > LONG && !self.table_line(run.groups[g].first) {
            return Some(self.say_groups(run, g, h, Label::OtherId, 0.5, "more than five digits"));
        }
        Some(Step::Group(h))
    }

    fn in_one_piece(&mut self, run: &Run, g: usize, start: usize, measured: bool) -> Step {
        let group = run.groups[g];
        let (mut begin, mut end) = self.bounds(run, g, g + 1);
        let digits = run.digits(g, g + 1);
        let public = self.public_prefix(group.first);
        let zeros = digits.iter().rev().take_while(|&&d| d == b'0').count();
        let round = digits.len() <= 7 && (zeros >= 4 || (zeros == 3 && digits.len() == 6));
        let unit = self.unit_after(run, g + 1).is_some();
        let fraction = run
            .sep_at(g + 1)
            .is_some_and(|(s, tight)| tight && s == Sep::Comma && run.groups[g + 1].len <= 2);
        let decimals =
            g > 0 && group.tight && matches!(group.sep, Sep::Comma | Sep::Dot) && run.groups[g - 1].len <= 2;
        if public
            || (unit && digits.len() <= 9)
            || (measured && digits.len() <= 7)
            || round
            || decimals
            || fraction
        {
            let why = if public { "public reference" } else { "measurement" };
            self.clear(begin, end, if unit || public { 0.9 } else { 0.7 }, why);
            return Step::Group(g + 1);
        }
        let last = self.mixed_end(group.last);
        begin = begin.min(self.tokens[start].start());
        // "12-345678", "345678-12": short groups hang on by a dash.
        if g > 0 && group.tight && group.sep == Sep::Dash {
            let before = self.tokens[run.groups[g - 1].first].start();
            begin = if before >= self.done { before } else { begin };
        }
        end = end.max(self.tokens[last].end());
        // "en 200610": a year and the number of a footnote.
        let noted = digits.len() == 6
            && (digits.starts_with(b"19") || digits.starts_with(b"20"))
            && start == group.first
            && start > 0
            && matches!(self.text_of(start - 1), "en" | "de" | "el" | "del" | "depuis" | "desde");
        if noted {
            return Step::Group(g + 1);
        }
        let score = if digits.len() >= 8 { 0.65 } else { 0.55 };
        match self.strip_label(start) {
            Some(label) => self.say(begin, end, label, 0.75, "number in an identity strip"),
            None => self.say(begin, end, Label::OtherId, score, "more than five digits"),
        }
        if last == group.last { Step::Group(g + 1) } else { Step::Token(last + 1) }
    }

    /// Groups of digits with blanks between, eight digits or more, or digits one by one.
    fn spaced(&mut self, run: &Run, g: usize) -> Option<Step> {
        let mut h = g + 1;
        let allowed = |s: Sep| matches!(s, Sep::Space | Sep::Dot);
        while run.groups.get(h).is_some_and(|x| allowed(x.sep)) {
            h += 1;
        }
        if run.groups.get(h).is_some_and(|x| matches!(x.sep, Sep::Comma | Sep::Slash)) && h > g + 1 {
            h -= 1;
        }
        let digits = run.digits(g, h);
        let groups = &run.groups[g..h];
        let singles = run.singles(g, h);
        let scale = singles && digits.windows(2).all(|w| w[1] == w[0] + 1 || w[1] == w[0]);
        let blocks = groups.iter().all(|x| (2..=4).contains(&x.len)) && groups.len() >= 3;
        let years = groups.iter().all(|x| x.len == 4);
        let suspect = (singles && digits.len() > LONG && !scale)
            || (blocks && !years && (8..=20).contains(&digits.len()) && digits[0] != b'0'
                || digits.len() >= 13 && blocks);
        if !suspect || self.table_line(groups[0].first) || self.unit_after(run, h).is_some() {
            return None;
        }
        Some(self.say_groups(run, g, h, Label::OtherId, 0.5, "more than five digits, spaced"))
    }

    /// Digits and capitals glued together, more than five digits in all; returns the last token.
    fn mixed(&self, last: usize, start: usize) -> Option<usize> {
        let end = self.mixed_end(last);
        if end == last && start == last {
            return None;
        }
        let text = &self.text[self.tokens[start].start()..self.tokens[end].end()];
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        (digits > LONG && !text.contains(['.', '/']) && !self.public_prefix(start)).then_some(end)
    }

    fn mixed_end(&self, mut last: usize) -> usize {
        let farthest = last + MAX_TOKENS;
        while let Some(t) = self.tokens.get(last + 1).filter(|t| t.glued && last < farthest) {
            let joins = match t.kind {
                TokenKind::Number => true,
                TokenKind::Word => {
                    matches!(t.shape, Shape::Upper | Shape::Single) && t.end() - t.start() <= 4
                }
                _ => false,
            };
            if !joins {
                break;
            }
            last += 1;
        }
        last
    }

    /// A trial, a gene variant, a sequence: letters glued before the digits say that the number is public.
    fn public_prefix(&self, first: usize) -> bool {
        let glued = |i: usize| self.tokens[i].glued && i > 0;
        let mut i = first;
        if glued(i) && matches!(self.text_of(i - 1), "_" | ":" | "-") {
            i -= 1;
        }
        let word = if i > 0 && (glued(i) || i == first) { self.text_of(i - 1) } else { "" };
        let own = self.text_of(first);
        [word, own].iter().any(|w| {
            matches!(
                *w,
                "NCT"
                    | "rs"
                    | "NM"
                    | "NP"
                    | "NG"
                    | "NC"
                    | "chr"
                    | "PMC"
                    | "PMID"
                    | "ISRCTN"
                    | "MIM"
                    | "OMIM"
                    | "ORPHA"
            )
        })
    }

    /// A number after "PMID", "doi" and their like: public to the next blank.
    pub(super) fn reference(&mut self, run: &Run, g: usize, start: usize) -> Option<Step> {
        let mut last = run.groups[g].last;
        while self.tokens.get(last + 1).is_some_and(|t| t.glued && t.kind != TokenKind::Newline) {
            last += 1;
        }
        while last > run.groups[g].last && matches!(self.text_of(last), "." | "," | ";" | ")" | ":") {
            last -= 1;
        }
        self.clear(self.tokens[start].start(), self.tokens[last].end(), 0.9, "public reference");
        Some(Step::Token(last + 1))
    }

    /// A unit of measurement right after group `h - 1`.
    pub(super) fn unit_after(&self, run: &Run, h: usize) -> Option<()> {
        let last = run.groups[h - 1].last;
        if run.sep_at(h).is_some_and(|(s, _)| !matches!(s, Sep::Space | Sep::Dash | Sep::Paren)) {
            return None;
        }
        self.unit_follows(last).then_some(())
    }

    pub(super) fn unit_follows(&self, last: usize) -> bool {
        let Some(mut next) = self.tokens.get(last + 1) else { return false };
        let mut at = last + 1;
        match next.of(self.text) {
            "%" | "€" | "$" | "£" | "×" | "°" => return true,
            "/" | "*" => {
                at += 1;
                match self.tokens.get(at) {
                    Some(t) => next = t,
                    None => return false,
                }
            }
            _ => {}
        }
        if next.kind != TokenKind::Word || next.end() - next.start() > 20 {
            return false;
        }
        let word = next.of(self.text);
        let after = self.text_of(at + 1);
        let per = after == "/";
        if per && self.keys.is_unit(self.text_of(at + 2)) {
            return true;
        }
        if word.chars().count() == 1 {
            let whole = !self.tokens.get(at + 1).is_some_and(|t| t.glued && t.kind != TokenKind::Mark);
            let close = next.shape == Shape::Lower || next.glued;
            let digits = self.tokens[last].end() - self.tokens[last].start();
            let free = !matches!(after, "'" | ".");
            return self.keys.is_unit(word)
                && (per || at > last + 1 || (close && whole && free && digits <= 7));
        }
        if word.eq_ignore_ascii_case("par") || word.eq_ignore_ascii_case("por") {
            return self.keys.is_unit(self.text_of(at + 1));
        }
        self.keys.is_unit(word)
    }

    /// Whether the line around a token is made mostly of numbers, as a flattened table is.
    fn table_line(&self, at: usize) -> bool {
        let (mut numbers, mut words) = (0, 0);
        let forward = self.tokens[at..].iter().take(40).take_while(|t| t.kind != TokenKind::Newline);
        let backward = self.tokens[..at].iter().rev().take(40).take_while(|t| t.kind != TokenKind::Newline);
        for token in forward.chain(backward).filter(|t| t.start() >= self.done) {
            match token.kind {
                TokenKind::Number if token.end() - token.start() <= LONG => numbers += 1,
                TokenKind::Word => words += 1,
                _ => {}
            }
        }
        numbers >= 8 && words * 3 <= numbers && self.has_long_group(at)
    }

    /// A line of single digits is an identifier typed with blanks, not a table.
    fn has_long_group(&self, at: usize) -> bool {
        let line = self.tokens[at..].iter().take(12).take_while(|t| t.kind != TokenKind::Newline);
        line.filter(|t| t.kind == TokenKind::Number).any(|t| t.end() - t.start() > 1)
    }
}

/// The end of a number written in thousands from group `g` on.
fn thousands_end(run: &Run, g: usize) -> Option<usize> {
    let first = run.groups[g];
    let sep = run.sep_at(g + 1)?.0;
    if first.len > 3 || !matches!(sep, Sep::Space | Sep::Dot) || run.digits(g, g + 1)[0] == b'0' {
        return None;
    }
    let mut h = g + 1;
    while run.groups.get(h).is_some_and(|x| x.sep == sep && x.len == 3 && (x.tight || sep == Sep::Space)) {
        h += 1;
    }
    let ends = run.groups.get(h).is_none_or(|x| x.sep != sep || x.sep == Sep::Space && x.len > 3);
    (h > g + 1 && ends).then_some(h)
}
