//! Telephones: the numbering plans of France and Spain, international forms, internal extensions.

use taire_text::{Kind as TokenKind, Label};

use super::context::{Context, LookBack};
use super::keywords::{KeywordKind, Strength};
use super::run::{Run, Sep};
use super::{Scan, Step};

fn between(sep: Sep) -> bool {
    matches!(sep, Sep::Space | Sep::Dot | Sep::Dash | Sep::Slash | Sep::Paren)
}

impl Scan<'_> {
    pub(super) fn phone(&mut self, run: &Run, g: usize, context: Option<Context>) -> Option<Step> {
        let said = context
            .filter(|c| matches!(c.kind, KeywordKind::Phone | KeywordKind::Fax | KeywordKind::Extension));
        if let Some((h, first)) = self.international(run, g) {
            return Some(self.say_phone(run, g, h, first, said, 0.95, "international telephone"));
        }
        let first = run.groups[g].first;
        if let Some((h, score)) = self.french(run, g) {
            return Some(self.say_phone(run, g, h, first, said, score, "French telephone"));
        }
        if let Some((h, score)) = self.iberian(run, g, said.is_some(), context) {
            return Some(self.say_phone(run, g, h, first, said, score, "Spanish telephone"));
        }
        let said = said?;
        let h = self.announced(run, g, said).filter(|_| said.names(run.total()))?;
        let first = self.opening_paren(run, g, h).unwrap_or(first);
        Some(self.say_phone(run, g, h, first, Some(said), 0.85, "number after a telephone keyword"))
    }

    /// `+33 1 …`, `0033 1 …`, `(33) 1 …`, `+33 (0)1 …`, and other countries after a plus sign.
    fn international(&self, run: &Run, g: usize) -> Option<(usize, usize)> {
        let first = run.groups[g].first;
        let rest = run.rest(g);
        let mark = first.checked_sub(1).map(|i| self.text_of(i));
        match mark {
            Some("+") => {
                let h = french_or_spanish_abroad(run, g, 0)
                    .or_else(|| (8..=15).rev().find_map(|n| run.exact(g, n, between)))?;
                if !self.glued_or_plain(run, g, h) {
                    return None;
                }
                let paren = first >= 2 && self.text_of(first - 2) == "(" && inside_paren(run, g, h);
                let start = if paren { first - 2 } else { first - 1 };
                (rest[0] != b'0').then_some((h, start))
            }
            Some("(") if inside_paren(run, g, run.len()) => {
                let code = run.groups[g..].iter().skip(1).position(|x| x.sep == Sep::Paren)? + g + 1;
                let digits = run.digits(g, code);
                let h = match digits.len() {
                    2 => french_or_spanish_abroad(run, g, 0)?,
                    4 if digits.starts_with(b"00") => french_or_spanish_abroad(run, g, 2)?,
                    _ => return None,
                };
                Some((h, first - 1))
            }
            _ if rest.starts_with(b"0033") || rest.starts_with(b"0034") => {
                Some((french_or_spanish_abroad(run, g, 2)?, first))
            }
            _ => None,
        }
    }

    /// Whether a plus sign belongs to the number after it: "2 cart. + 1/200 000 1", "++ 4.000-11.000" are sums and flags.
    fn glued_or_plain(&self, run: &Run, g: usize, h: usize) -> bool {
        let first = run.groups[g].first;
        let gap = self.tokens[first].start() - self.tokens[first - 1].end();
        let tab = self.text[..self.tokens[first].start()].ends_with('\t');
        let seps = &run.groups[g + 1..h];
        let alike = seps.iter().all(|x| x.sep == seps[0].sep && x.sep != Sep::Slash);
        gap == 0 || gap <= 2 && !tab && alike
    }

    fn french(&self, run: &Run, g: usize) -> Option<(usize, f32)> {
        let rest = run.rest(g);
        if rest.len() < 10 || rest[0] != b'0' {
            return None;
        }
        let h = run.exact(g, 10, between)?;
        let groups = &run.groups[g..h];
        let regular = h - g == 1
            || run.singles(g, h)
            || (h - g <= 6
                && groups[1..].iter().all(|x| x.len >= 2)
                && (run.shaped(g, h, &[2; 5]) || groups[1..].iter().all(|x| x.sep != Sep::Slash)));
        // A row of readings: "06 7134 58 22 91 0 4 212 0 1".
        let usual =
            h - g == 1 || run.singles(g, h) || run.shaped(g, h, &[2; 5]) || run.shaped(g, h, &[4, 2, 2, 2]);
        if !usual && (run.len() - h >= 3 || g >= 3) || rest[..10].iter().all(|&d| d == rest[0]) {
            return None;
        }
        let scale = h - g == 10 && rest[..10].windows(2).all(|w| w[1] == w[0] + 1);
        if !regular || scale || !rest[..10].iter().all(u8::is_ascii_digit) {
            return None;
        }
        if run.looks_like_date(g) {
            let whole_year = groups.len() > 2 && groups[2].len == 4;
            let changes = groups.len() > 3 && groups[3].sep != groups[2].sep;
            let continues = run.sep_at(h).is_some_and(|(s, _)| s == groups[1].sep && s != Sep::Space);
            if whole_year || (changes && groups[2].sep != Sep::Space) || continues {
                return None;
            }
        }
        if run.sep_at(h).is_some_and(|(s, tight)| tight && matches!(s, Sep::Comma | Sep::Dot)) {
            return None;
        }
        Some((h, if rest[1] == b'0' { 0.6 } else { 0.9 }))
    }

    fn iberian(&self, run: &Run, g: usize, said: bool, context: Option<Context>) -> Option<(usize, f32)> {
        let rest = run.rest(g);
        if rest.len() < 9 || !matches!(rest[0], b'6'..=b'9') || !rest[..9].iter().all(u8::is_ascii_digit) {
            return None;
        }
        let h = run.exact(g, 9, |s| between(s) && s != Sep::Slash)?;
        let shapes: [&[usize]; 9] = [
            &[9],
            &[3, 3, 3],
            &[3, 2, 2, 2],
            &[2, 3, 2, 2],
            &[2, 3, 4],
            &[3, 6],
            &[2, 7],
            &[3, 2, 4],
            &[3, 4, 2],
        ];
        let shaped = shapes.iter().any(|s| run.shaped(g, h, s)) || run.singles(g, h);
        if said {
            return Some((h, 0.95)).filter(|_| shaped);
        }
        let measured =
            context.is_some_and(|c| c.kind == KeywordKind::Measure) || self.unit_after(run, h).is_some();
        let round = rest[..9].ends_with(b"000");
        let free = !run.sep_at(h).is_some_and(|(_, tight)| tight);
        if !self.spanish() || !shaped || measured || round || !free || context.is_some() {
            return None;
        }
        Some((h, if h - g == 1 { 0.55 } else { 0.75 }))
    }

    /// Any number after a telephone keyword.
    fn announced(&self, run: &Run, g: usize, said: Context) -> Option<usize> {
        let (least, most) = match (said.kind, said.strength) {
            (KeywordKind::Extension, _) => (3, 7),
            (_, Strength::Strong) if said.gap == 0 && said.mark => (4, 15),
            (_, Strength::Strong) if said.gap == 0 => (5, 15),
            (_, Strength::Strong) if said.mark => (6, 13),
            (_, Strength::Near | Strength::Marked) => (6, 13),
            _ => (8, 13),
        };
        if run.looks_like_date(g) {
            return None;
        }
        let (mut sum, mut h) = (0, g);
        for (i, group) in run.groups.iter().enumerate().skip(g) {
            let stops = i > g
                && (!between(group.sep)
                    // "BIP 53 (48e)": a diameter and its percentile.
                    || said.kind == KeywordKind::Extension && group.sep == Sep::Paren
                    || sum + group.len > most
                    || (group.sep == Sep::Slash && sum >= 6)
                    || (sum >= 8 && run.looks_like_date(i)));
            if stops {
                break;
            }
            sum += group.len;
            h = i + 1;
        }
        let year = h - g == 1
            && sum == 4
            && (run.rest(g).starts_with(b"19") || run.rest(g).starts_with(b"20"))
            && !said.mark;
        (least..=most).contains(&sum).then_some(h).filter(|_| !year && self.unit_after(run, h).is_none())
    }

    fn opening_paren(&self, run: &Run, g: usize, h: usize) -> Option<usize> {
        let before = run.groups[g].first.checked_sub(1)?;
        (self.text_of(before) == "(" && inside_paren(run, g, h)).then_some(before)
    }

    #[allow(clippy::too_many_arguments)]
    fn say_phone(
        &mut self,
        run: &Run,
        g: usize,
        mut h: usize,
        first: usize,
        said: Option<Context>,
        score: f32,
        why: &'static str,
    ) -> Step {
        let kind = match said.map(|c| c.kind) {
            Some(KeywordKind::Fax) => {
                let look = LookBack { text: self.text, tokens: self.tokens, keys: self.keys };
                if look.shared_with_phone(first, &mut self.word) {
                    KeywordKind::Phone
                } else {
                    KeywordKind::Fax
                }
            }
            _ => KeywordKind::Phone,
        };
        // "05.50.04.00.05/06" names two lines at once.
        let pair = run.sep_at(h) == Some((Sep::Slash, true))
            && matches!(run.groups[h].len, 2..=4)
            && run.sep_at(h + 1).is_none_or(|(s, _)| s != Sep::Slash)
            && run.groups[g..h].iter().skip(1).all(|x| x.sep != Sep::Slash);
        if pair {
            h += 1;
        }
        let (_, mut end) = self.bounds(run, g, h);
        let mut last = run.groups[h - 1].last;
        let mut step = Step::Group(h);
        if h == run.len()
            && let Some(extension) = self.extension_after(last)
        {
            last = extension;
            end = self.tokens[last].end();
            step = Step::Token(last + 1);
        }
        let start = self.tokens[first].start();
        let score = if said.is_some() { (score + 0.04).min(0.99) } else { score };
        let label = if kind == KeywordKind::Fax { Label::Fax } else { Label::Phone };
        self.say(start, end, label, score, why);
        self.chain = Some((last, kind));
        step
    }

    /// "poste 22", "DECT 45": an internal number of two digits right after its keyword. "BIP 53" is a diameter, and a
    /// single digit needs a telephone before the keyword, which [`Scan::say_phone`] reads.
    pub(super) fn short_extension(&mut self, run: &Run) -> Option<usize> {
        let group = run.groups.first().filter(|g| run.len() == 1 && g.len == 2)?;
        let (first, last) = (group.first, group.last);
        let said = self.context(first).filter(|c| c.kind == KeywordKind::Extension && c.gap == 0)?;
        let key = (0..first).rev().map(|i| self.text_of(i)).take(3);
        let diameter = key.into_iter().any(|word| word.eq_ignore_ascii_case("bip"));
        if diameter || !said.names(2) || self.unit_after(run, 1).is_some() || self.text_of(last + 1) == "%" {
            return None;
        }
        let end = self.tokens[last].end();
        self.say(self.tokens[first].start(), end, Label::Phone, 0.7, "internal number after its keyword");
        Some(last + 1)
    }

    /// "… ext 1530", "… poste 12": the last token of the extension that follows a telephone.
    fn extension_after(&self, last: usize) -> Option<usize> {
        let mut i = last + 1;
        if matches!(self.text_of(i), "-" | "," | "(" | ".") {
            i += 1;
        }
        let word = self.text_of(i);
        let is_extension =
            ["ext", "extension", "extensión", "poste"].iter().any(|w| word.eq_ignore_ascii_case(w));
        if !is_extension {
            return None;
        }
        i += 1;
        while matches!(self.text_of(i), "." | ":") {
            i += 1;
        }
        let number = self.tokens.get(i)?;
        (number.kind == TokenKind::Number && number.end() - number.start() <= 6).then_some(i)
    }
}

/// A closing parenthesis is between two of the first groups.
fn inside_paren(run: &Run, g: usize, h: usize) -> bool {
    run.groups[g..h].iter().skip(1).take(4).any(|x| x.sep == Sep::Paren)
}

/// Country code of two digits, then the national number, with or without its leading zero.
fn french_or_spanish_abroad(run: &Run, g: usize, prefix: usize) -> Option<usize> {
    let rest = run.rest(g);
    let body = rest.get(prefix + 2..)?;
    let zero = body.first() == Some(&b'0');
    let long = || run.exact(g, prefix + 12, between);
    let short = || run.exact(g, prefix + 11, between);
    if zero { long().or_else(short) } else { short() }
}
