//! A run of digits on one line: groups of digits and what separates them.
//!
//! Matchers ask a run for exactly so many digits from a group on, whatever the grouping ("01 42 34 56 78",
//! "0 1 4 2 3 4 5 6 7 8", "0142 345 678"). A letter O typed among digits counts as a zero, and the `A` or `B` of
//! Corsica's 2A and 2B stays in place.

use taire_text::{Kind, Token};

/// What comes before a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sep {
    /// Nothing: the group opens the run.
    Start,
    Space,
    /// A tab or three blanks and more: another column.
    Wide,
    Dot,
    Dash,
    Slash,
    Comma,
    Paren,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) first: usize,
    pub(super) last: usize,
    /// Offset of its digits in [`Run::digits`].
    pub(super) at: usize,
    pub(super) len: usize,
    pub(super) sep: Sep,
    /// No blank around the separator.
    pub(super) tight: bool,
}

#[derive(Default, Debug)]
pub(super) struct Run {
    pub(super) groups: Vec<Group>,
    digits: Vec<u8>,
}

const MAX_GROUPS: usize = 48;

fn is_letter_o(text: &str) -> bool {
    matches!(text, "O" | "o" | "OO")
}

impl Run {
    /// Reads the run that starts at token `first`; returns the token after it.
    pub(super) fn read(&mut self, text: &str, tokens: &[Token], first: usize) -> usize {
        self.groups.clear();
        self.digits.clear();
        let (mut i, mut sep, mut tight) = (first, Sep::Start, false);
        let mut gap = 0;
        loop {
            let last = self.group(text, tokens, i, sep, tight);
            if self.groups.len() == MAX_GROUPS {
                return last + 1;
            }
            match separator(text, tokens, last) {
                Some((next, s, t)) => {
                    let blanks = tokens[next].start() - tokens[last].end();
                    // Digits typed one by one, then a wider gap: the next column begins.
                    let column = s == Sep::Space
                        && blanks > 1
                        && gap == 1
                        && self.groups.last().is_some_and(|g| g.len == 1);
                    (i, sep, tight) = (next, if column { Sep::Wide } else { s }, t);
                    gap = blanks;
                }
                None => return last + 1,
            }
        }
    }

    fn group(&mut self, text: &str, tokens: &[Token], first: usize, sep: Sep, tight: bool) -> usize {
        let at = self.digits.len();
        let mut last = first;
        loop {
            let token = &tokens[last];
            match token.kind {
                Kind::Number => self.digits.extend_from_slice(token.of(text).as_bytes()),
                _ if is_letter_o(token.of(text)) => self.digits.extend(token.of(text).bytes().map(|_| b'0')),
                _ => self.digits.extend(token.of(text).bytes().map(|b| b.to_ascii_uppercase())),
            }
            let Some(next) = tokens.get(last + 1).filter(|t| t.glued) else { break };
            let joins = match next.kind {
                Kind::Number => true,
                Kind::Word => {
                    let after = tokens.get(last + 2);
                    (is_letter_o(next.of(text)) && after.is_none_or(|t| !t.glued || t.kind != Kind::Word))
                        || (matches!(next.of(text), "A" | "B" | "a" | "b")
                            && self.digits.len() - at <= 7
                            && self.digits.last() == Some(&b'2')
                            && after.is_some_and(|t| t.kind == Kind::Number && t.end() - t.start() >= 3))
                }
                _ => false,
            };
            if !joins {
                break;
            }
            last += 1;
        }
        self.groups.push(Group { first, last, at, len: self.digits.len() - at, sep, tight });
        last
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Digits of the whole run.
    pub(super) fn total(&self) -> usize {
        self.digits.len()
    }

    /// The digits of the groups `g..h`.
    pub(super) fn digits(&self, g: usize, h: usize) -> &[u8] {
        match (self.groups.get(g), h.checked_sub(1).and_then(|l| self.groups.get(l))) {
            (Some(a), Some(b)) if g < h => &self.digits[a.at..b.at + b.len],
            _ => &[],
        }
    }

    /// All digits from group `g` on.
    pub(super) fn rest(&self, g: usize) -> &[u8] {
        self.groups.get(g).map_or(&[], |a| &self.digits[a.at..])
    }

    /// The group after those that hold exactly `n` digits from `g` on, if every separator inside is allowed.
    pub(super) fn exact(&self, g: usize, n: usize, allowed: impl Fn(Sep) -> bool) -> Option<usize> {
        let mut sum = 0;
        for (i, group) in self.groups.iter().enumerate().skip(g) {
            if i > g && !allowed(group.sep) {
                return None;
            }
            sum += group.len;
            if sum >= n {
                return (sum == n).then_some(i + 1);
            }
        }
        None
    }

    /// The lengths of the groups `g..h` are these.
    pub(super) fn shaped(&self, g: usize, h: usize, lengths: &[usize]) -> bool {
        h - g == lengths.len() && self.groups[g..h].iter().map(|x| x.len).eq(lengths.iter().copied())
    }

    pub(super) fn singles(&self, g: usize, h: usize) -> bool {
        self.groups[g..h].iter().all(|x| x.len == 1)
    }

    /// How many single digits follow each other from group `g` on, in the same column.
    pub(super) fn singles_from(&self, g: usize) -> usize {
        let column = |(i, x): &(usize, &Group)| x.len == 1 && (*i == 0 || x.sep != Sep::Wide);
        self.groups[g..].iter().enumerate().take_while(column).count()
    }

    /// What separates group `h` from the one before, if there is such a group.
    pub(super) fn sep_at(&self, h: usize) -> Option<(Sep, bool)> {
        self.groups.get(h).map(|g| (g.sep, g.tight))
    }

    /// The end of a date typed digit by digit from `g` on ("1 4 0 7 1 9 8 8"), unless the digits make up a
    /// telephone or a social security number as a whole.
    pub(super) fn spaced_date(&self, g: usize) -> Option<usize> {
        self.groups.get(g)?;
        let singles = self.singles_from(g);
        if singles < 8
            || matches!(singles, 10 | 13 | 15)
            || !self.groups[g + 1..g + 8].iter().all(|x| x.sep == Sep::Space)
        {
            return None;
        }
        let d = |i: usize| u32::from(self.digits[self.groups[g].at + i].wrapping_sub(b'0'));
        let (day, month) = (d(0) * 10 + d(1), d(2) * 10 + d(3));
        let year = d(4) * 1000 + d(5) * 100 + d(6) * 10 + d(7);
        let plausible = (1..=31).contains(&day) && (1..=12).contains(&month) && (1880..=2100).contains(&year);
        plausible.then_some(g + 8)
    }

    /// Whether the three groups from `g` on look like a day, a month and a year.
    pub(super) fn looks_like_date(&self, g: usize) -> bool {
        let Some([a, b, c]) = self.groups.get(g..g + 3) else { return false };
        if b.sep != c.sep || !matches!(b.sep, Sep::Dot | Sep::Dash | Sep::Slash | Sep::Space) {
            return false;
        }
        let value = |x: &Group| {
            self.digits[x.at..x.at + x.len]
                .iter()
                .fold(0u32, |n, d| n.saturating_mul(10).saturating_add(u32::from(d.wrapping_sub(b'0') % 10)))
        };
        let (x, y, z) = (value(a), value(b), value(c));
        let year = |v: u32, len: usize| len == 4 && (1880..=2100).contains(&v);
        let day_first = a.len <= 2
            && b.len <= 2
            && (1..=31).contains(&x)
            && (1..=12).contains(&y)
            && (year(z, c.len) || (c.len == 2 && b.sep != Sep::Space));
        let year_first = year(x, a.len)
            && b.len == 2
            && c.len == 2
            && (1..=12).contains(&y)
            && (1..=31).contains(&z)
            && b.sep != Sep::Space;
        day_first || year_first
    }
}

/// The next group of the run after token `last`: its first token, and what lies between.
fn separator(text: &str, tokens: &[Token], last: usize) -> Option<(usize, Sep, bool)> {
    let mut next = last + 1;
    let mut sep = Sep::Space;
    let mut tight = true;
    let mut marks = 0;
    loop {
        let token = tokens.get(next)?;
        tight &= token.glued;
        match token.kind {
            Kind::Newline => return None,
            Kind::Number => break,
            Kind::Word => {
                let number_follows = tokens.get(next + 1).is_some_and(|t| t.glued && t.kind == Kind::Number);
                if !(is_letter_o(token.of(text)) && number_follows) {
                    return None;
                }
                break;
            }
            Kind::Mark => {
                marks += 1;
                let this = match token.of(text).as_bytes()[0] {
                    b'.' => Sep::Dot,
                    b'-' | b'_' => Sep::Dash,
                    b'/' => Sep::Slash,
                    b',' => Sep::Comma,
                    b'(' | b')' => Sep::Paren,
                    _ => return None,
                };
                sep = match (marks, sep, this) {
                    (1, _, this) => this,
                    (2 | 3, Sep::Paren, Sep::Paren | Sep::Dot | Sep::Dash) => Sep::Paren,
                    (2, Sep::Dot | Sep::Dash, Sep::Paren) => Sep::Paren,
                    _ => return None,
                };
                next += 1;
            }
        }
    }
    if marks == 0 {
        let gap = &text[tokens[last].end()..tokens[next].start()];
        if gap.len() > 2 || gap.contains('\t') {
            sep = Sep::Wide;
        }
    }
    Some((next, sep, tight))
}
