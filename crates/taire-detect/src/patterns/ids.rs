//! Identifiers: those a keyword names, and those whose own layout or check digits give them away.

use taire_text::{Kind as TokenKind, Label, Shape};

use super::checks;
use super::context::Context;
use super::keywords::{KeywordKind, Strength};
use super::run::{Run, Sep};
use super::{Scan, Step};
use crate::MAX_TOKENS;

fn between(sep: Sep) -> bool {
    matches!(sep, Sep::Space | Sep::Dot | Sep::Dash | Sep::Slash)
}

fn label(kind: KeywordKind) -> Option<Label> {
    Some(match kind {
        KeywordKind::Nir | KeywordKind::Nass => Label::SocialSecurity,
        KeywordKind::Patient | KeywordKind::Ip => Label::PatientId,
        KeywordKind::Visit => Label::VisitId,
        KeywordKind::Plan => Label::HealthPlan,
        KeywordKind::Licence | KeywordKind::Rpps | KeywordKind::Adeli => Label::ProfessionalLicence,
        KeywordKind::Employee => Label::EmployeeId,
        KeywordKind::Account => Label::AccountNumber,
        KeywordKind::Vehicle => Label::VehicleId,
        KeywordKind::Device | KeywordKind::Mac => Label::DeviceId,
        KeywordKind::NationalId | KeywordKind::Finess | KeywordKind::Other => Label::OtherId,
        KeywordKind::Phone
        | KeywordKind::Fax
        | KeywordKind::Extension
        | KeywordKind::Measure
        | KeywordKind::Reference
        | KeywordKind::Birth
        | KeywordKind::Postal => return None,
    })
}

/// The lengths a number of this kind has when it is whole, longest first.
fn lengths(kind: KeywordKind) -> &'static [usize] {
    match kind {
        KeywordKind::Nir => &[15, 13],
        KeywordKind::Nass => &[14, 13, 12],
        KeywordKind::Rpps => &[11],
        KeywordKind::Adeli => &[9],
        KeywordKind::Finess => &[14, 9],
        KeywordKind::Licence => &[11, 9],
        KeywordKind::Account => &[23, 20, 16],
        _ => &[],
    }
}

/// The fewest digits a named value has.
fn least(context: Context) -> usize {
    match context.kind {
        KeywordKind::Other if context.strength == Strength::Near => 4,
        KeywordKind::Nir | KeywordKind::Nass | KeywordKind::Ip | KeywordKind::Mac => 7,
        KeywordKind::Other => 6,
        KeywordKind::Plan | KeywordKind::Account | KeywordKind::NationalId | KeywordKind::Finess => 5,
        KeywordKind::Device | KeywordKind::Vehicle => 3,
        _ => 4,
    }
}

/// Words before `n°` that make what follows public, or count sessions and mutual insurers.
const PUBLIC_TEXTS: &[&str] = &[
    "loi",
    "decret",
    "circulaire",
    "arrete",
    "cerfa",
    "directive",
    "instruction",
    "dgs",
    "dhos",
    "ley",
    "decreto",
    "orden",
    "reglamento",
    "directiva",
    "seance",
    "seances",
    "sesion",
    "cure",
    "ciclo",
    "cycle",
    "article",
    "articulo",
    "ep",
    "boe",
];

impl Scan<'_> {
    /// A number whose keyword says what it is.
    pub(super) fn named(
        &mut self,
        run: &Run,
        g: usize,
        start: usize,
        context: Option<Context>,
    ) -> Option<Step> {
        let context = context?;
        let label = label(context.kind)?;
        if context.kind == KeywordKind::Ip
            && let Some(step) = self.ip_v4(run, g, Some(context))
        {
            return Some(step);
        }
        let from = if g == 0 { start } else { run.groups[g].first };
        if context.kind == KeywordKind::Vehicle
            && let Some(next) = self.old_plate(run, g)
        {
            return Some(Step::Token(next));
        }
        if from == run.groups[g].first
            && context.names(run.total())
            && let Some(h) = lengths(context.kind).iter().find_map(|&n| run.exact(g, n, between))
            && (h == run.len() || run.sep_at(h).is_some_and(|(_, tight)| !tight))
        {
            let (score, why) = self.checked(context.kind, run.digits(g, h));
            return Some(self.say_groups(run, g, h, label, score, why));
        }
        if let Some(step) = self.iban(run, g).or_else(|| self.dni(run, g, start)) {
            return Some(step);
        }
        let day_and_month = run.groups[g].len <= 2
            && run.sep_at(g + 1).is_some_and(|(s, _)| s == Sep::Slash)
            && run.groups[g + 1].len <= 2;
        let dated = run.groups[g].len <= 2 && self.date_starts(run.groups[g].first);
        if run.looks_like_date(g) || day_and_month || dated || self.decimal(run, g) {
            return None;
        }
        let doubtful = context.strength != Strength::Strong
            || matches!(context.kind, KeywordKind::Adeli | KeywordKind::Rpps | KeywordKind::Finess);
        if doubtful && self.is_phone(run, g) {
            return None;
        }
        let opening = self.prefix_word(from, context);
        let context = if opening < from { Context { gap: 0, ..context } } else { context };
        let h = self.spaced_end(run, g, context, opening < from);
        let from = opening;
        let last = self.value_end(run.groups[h - 1].last);
        let (begin, end) = (self.tokens[from].start(), self.tokens[last].end());
        let digits = self.text[begin..end].bytes().filter(u8::is_ascii_digit).count();
        let letters = self.text[begin..end].bytes().any(|b| b.is_ascii_alphabetic());
        let least = if letters { 3 } else { least(context) };
        let year = digits == 4
            && h - g == 1
            && (run.rest(g).starts_with(b"19") || run.rest(g).starts_with(b"20"))
            && (!context.mark || context.kind == KeywordKind::Other);
        if digits < least || !context.names(digits) || year || (context.gap > 0 && digits < 6) {
            return None;
        }
        if !context.mark && digits < 7 && self.unit_after(run, h).is_some() {
            return None;
        }
        let score = if context.gap == 0 { 0.95 } else { 0.85 };
        self.say(begin, end, label, score, "number after its keyword");
        Some(if last == run.groups[h - 1].last { Step::Group(h) } else { Step::Token(last + 1) })
    }

    /// A number behind `n°` that no keyword names: a file, a ruling, a form filled in. Texts of law are public, and one or two
    /// digits count something.
    pub(super) fn numbered(
        &mut self,
        run: &Run,
        g: usize,
        start: usize,
        context: Option<Context>,
    ) -> Option<Step> {
        let measured =
            context.is_some_and(|c| matches!(c.kind, KeywordKind::Measure | KeywordKind::Reference));
        if g > 0 || measured || run.looks_like_date(0) || self.decimal(run, 0) {
            return None;
        }
        let mark = self.number_mark_before(start)?;
        let subject = (mark.saturating_sub(2)..mark).any(|i| {
            self.word.clear();
            taire_text::fold_into(self.tokens[i].of(self.text), &mut self.word);
            PUBLIC_TEXTS.contains(&self.word.as_str())
        });
        if subject {
            return None;
        }
        let near = Context { kind: KeywordKind::Other, strength: Strength::Near, gap: 0, mark: true };
        let h = self.spaced_end(run, 0, near, start < run.groups[0].first);
        let last = self.value_end(run.groups[h - 1].last);
        let (begin, end) = (self.tokens[start].start(), self.tokens[last].end());
        let digits = self.text[begin..end].bytes().filter(u8::is_ascii_digit).count();
        if digits < 3 || self.unit_follows(last) {
            return None;
        }
        self.say(begin, end, Label::OtherId, 0.8, "number after n°");
        Some(if last == run.groups[h - 1].last { Step::Group(h) } else { Step::Token(last + 1) })
    }

    /// The first token of the `n°` right before a value: `n° 12`, `Nº : 12`.
    fn number_mark_before(&self, start: usize) -> Option<usize> {
        let mut at = start.checked_sub(1)?;
        if matches!(self.text_of(at), ":" | ".") {
            at = at.checked_sub(1)?;
        }
        let sign = matches!(self.text_of(at), "°" | "º");
        let mut n = at.checked_sub(1)?;
        if self.text_of(n) == "." {
            n = n.checked_sub(1)?;
        }
        (sign && matches!(self.text_of(n), "n" | "N")).then_some(n)
    }

    fn checked(&self, kind: KeywordKind, digits: &[u8]) -> (f32, &'static str) {
        let good = match kind {
            KeywordKind::Nir => checks::nir(digits) || (digits.len() == 13 && checks::nir_layout(digits)),
            KeywordKind::Nass => checks::nass(digits),
            KeywordKind::Rpps => checks::luhn(digits),
            _ => false,
        };
        if good { (0.99, "keyword and check digits agree") } else { (0.95, "number after its keyword") }
    }

    fn is_phone(&self, run: &Run, g: usize) -> bool {
        let rest = run.rest(g);
        let whole = |h: usize| run.shaped(g, h, &[2; 5]) || (h == g + 1 && matches!(rest[1], b'1'..=b'9'));
        rest.starts_with(b"0") && run.exact(g, 10, between).is_some_and(whole)
    }

    /// A number with a decimal part that no identifier has: "3,5", "12.25".
    fn decimal(&self, run: &Run, g: usize) -> bool {
        run.groups[g].len <= 3 && run.sep_at(g + 1).is_some_and(|(s, tight)| tight && s == Sep::Comma)
    }

    /// How far a value goes on through blanks: short groups go on, a group of five digits or more is whole.
    fn spaced_end(&self, run: &Run, g: usize, context: Context, lettered: bool) -> usize {
        let most = match context.kind {
            KeywordKind::Account => 27,
            KeywordKind::Nir | KeywordKind::Plan => 15,
            KeywordKind::Nass => 14,
            KeywordKind::Licence => 11,
            _ => 12,
        };
        if run.groups.len() >= g + 3 && run.shaped(g, g + 3, &[2, 8, 2]) {
            return g + 3;
        }
        if run.groups[g].len == 1 {
            let singles =
                run.groups[g + 1..].iter().take_while(|x| x.len == 1 && x.sep == Sep::Space).count();
            if singles >= 5 {
                return g + 1 + singles;
            }
        }
        let (mut sum, mut h) = (run.groups[g].len, g + 1);
        while let Some(group) = run.groups.get(h) {
            let goes_on = match group.sep {
                Sep::Space => {
                    let before = run.groups[h - 1].len;
                    let short = before <= 4
                        || lettered
                        || matches!(
                            context.kind,
                            KeywordKind::Nir
                                | KeywordKind::Nass
                                | KeywordKind::Account
                                | KeywordKind::Licence
                        );
                    let next_is_other = run.looks_like_date(h)
                        || self.date_starts(group.first)
                        || run.sep_at(h + 1).is_some_and(|(s, t)| t && matches!(s, Sep::Slash | Sep::Comma));
                    short && !next_is_other && context.gap == 0 && !self.unit_follows(group.last)
                }
                Sep::Dot | Sep::Dash | Sep::Slash => group.tight && !run.looks_like_date(h),
                _ => false,
            };
            if !goes_on || sum + group.len > most {
                break;
            }
            sum += group.len;
            h += 1;
        }
        h
    }

    /// The last token of the value that token `last` is part of: glued capitals and digits, also after `-`, `/`.
    fn value_end(&self, mut last: usize) -> usize {
        let farthest = last + MAX_TOKENS;
        loop {
            let step = match self.tokens.get(last + 1).filter(|_| last < farthest) {
                Some(t) if t.glued && t.kind == TokenKind::Number => 1,
                Some(t)
                    if t.glued && t.kind == TokenKind::Word && value_word(t.shape, t.end() - t.start()) =>
                {
                    1
                }
                Some(t) if t.glued && matches!(t.of(self.text), "-" | "/" | "_" | ".") => {
                    match self.tokens.get(last + 2) {
                        Some(n) if n.glued && n.kind == TokenKind::Number => 2,
                        Some(n)
                            if n.glued
                                && matches!(t.of(self.text), "-" | "_")
                                && n.kind == TokenKind::Word
                                && value_word(n.shape, n.end() - n.start())
                                && n.end() - n.start() <= 3 =>
                        {
                            2
                        }
                        _ => 0,
                    }
                }
                _ => 0,
            };
            if step == 0 {
                return last;
            }
            last += step;
        }
    }

    /// Letters that open a card number, apart from its digits ("CIP: MAGA 1 780512 00 3").
    fn prefix_word(&self, from: usize, context: Context) -> usize {
        if !matches!(
            context.kind,
            KeywordKind::Patient | KeywordKind::Plan | KeywordKind::Device | KeywordKind::NationalId
        ) || context.gap == 0
        {
            return from;
        }
        match from.checked_sub(1).map(|i| (i, &self.tokens[i])) {
            Some((i, t))
                if t.kind == TokenKind::Word
                    && matches!(t.shape, Shape::Upper | Shape::Single)
                    && t.end() - t.start() <= 4
                    && context.gap == 1 =>
            {
                i
            }
            _ => from,
        }
    }

    /// A number that gives itself away without a keyword.
    pub(super) fn by_form(&mut self, run: &Run, g: usize, context: Option<Context>) -> Option<Step> {
        let measured = context.is_some_and(|c| c.kind == KeywordKind::Measure);
        self.nir(run, g)
            .or_else(|| self.iban(run, g))
            .or_else(|| self.nass(run, g))
            .or_else(|| self.dni(run, g, run.groups[g].first))
            .or_else(|| self.cif(run, g))
            .or_else(|| if measured { None } else { self.rpps(run, g) })
    }

    fn nir(&mut self, run: &Run, g: usize) -> Option<Step> {
        let rest = run.rest(g);
        if rest.len() < 13 || !matches!(rest[0], b'1' | b'2') || !checks::nir_layout(&rest[..13]) {
            return None;
        }
        let holds_date = |h: usize| {
            (g..h.saturating_sub(2)).any(|i| run.looks_like_date(i) && run.groups[i + 1].sep != Sep::Space)
        };
        let whole = |n: usize| run.exact(g, n, between).filter(|&h| !holds_date(h) && cut_as_nir(run, g, h));
        let (long, short) = (whole(15), whole(13));
        if let Some(h) = long.filter(|&h| checks::nir(run.digits(g, h))) {
            return Some(self.say_groups(
                run,
                g,
                h,
                Label::SocialSecurity,
                0.99,
                "social security number, key agrees",
            ));
        }
        // Without the right key, two digits more may be the day of a date that follows.
        let ends_before_date = |h: &usize| {
            run.looks_like_date(*h) || run.groups.get(*h).is_some_and(|x| self.date_starts(x.first))
        };
        let h = short.filter(ends_before_date).or(long).or(short)?;
        Some(self.say_groups(run, g, h, Label::SocialSecurity, 0.85, "layout of a social security number"))
    }

    fn nass(&mut self, run: &Run, g: usize) -> Option<Step> {
        let h = run.exact(g, 12, between)?;
        let good = checks::nass(run.digits(g, h));
        let shaped =
            run.shaped(g, h, &[2, 8, 2]) || run.shaped(g, h, &[2, 10]) || run.shaped(g, h, &[2, 7, 2]);
        let expected = good || (shaped && self.spanish());
        if !expected || !(shaped || h - g == 1) {
            return None;
        }
        let score = if good { 0.95 } else { 0.7 };
        Some(self.say_groups(
            run,
            g,
            h,
            Label::SocialSecurity,
            score,
            "layout of a Spanish social security number",
        ))
    }

    fn rpps(&mut self, run: &Run, g: usize) -> Option<Step> {
        let digits = run.digits(g, g + 1);
        let is = digits.len() == 11 && matches!(&digits[..2], b"10" | b"81") && checks::luhn(digits);
        (is && !self.spanish()).then(|| {
            self.say_groups(
                run,
                g,
                g + 1,
                Label::ProfessionalLicence,
                0.75,
                "RPPS number, check digit agrees",
            )
        })
    }

    /// `12345678Z`, `12.345.678-Z`, `X-1234567-L`: eight characters and a control letter.
    fn dni(&mut self, run: &Run, g: usize, start: usize) -> Option<Step> {
        let mut number = [0u8; 9];
        let (h, first, n) = match run.exact(g, 8, |s| s == Sep::Dot) {
            Some(h) => (h, run.groups[g].first, 8),
            None => {
                let h = run.exact(g, 7, |s| s == Sep::Dot)?;
                let before = run.groups[g].first.checked_sub(1)?;
                let letter = if self.text_of(before) == "-" { before.checked_sub(1)? } else { before };
                let text = self.text_of(letter);
                if !matches!(text, "X" | "Y" | "Z" | "x" | "y" | "z") || !self.tokens[before + 1].glued {
                    return None;
                }
                number[0] = text.as_bytes()[0];
                (h, letter, 7)
            }
        };
        number[8 - n..8].copy_from_slice(run.digits(g, h));
        let mut last = run.groups[h - 1].last + 1;
        let mut glued = self.tokens.get(last)?.glued;
        if matches!(self.text_of(last), "-" | "/") {
            last += 1;
            glued = true;
        }
        let letter = self.tokens.get(last)?;
        if letter.kind != TokenKind::Word || letter.end() - letter.start() != 1 {
            return None;
        }
        number[8] = self.text.as_bytes()[letter.start()];
        let alone = !self
            .tokens
            .get(last + 1)
            .is_some_and(|t| t.glued && matches!(t.kind, TokenKind::Number | TokenKind::Word));
        if !alone || !checks::dni(&number) || !(glued || self.spanish()) || start > first + 2 {
            return None;
        }
        let (begin, end) = (self.tokens[first].start(), letter.end());
        self.say(begin, end, Label::OtherId, 0.97, "Spanish identity number, control letter agrees");
        Some(Step::Token(last + 1))
    }

    /// The tax number of a company: a letter, seven digits, a control digit or letter.
    fn cif(&mut self, run: &Run, g: usize) -> Option<Step> {
        let group = run.groups[g];
        let token = &self.tokens[group.first];
        let first = group.first.checked_sub(1).filter(|&i| token.glued && self.text_of(i).len() == 1)?;
        let last = match group.len {
            8 => group.last,
            7 => group.last + 1,
            _ => return None,
        };
        let (begin, end) = (self.tokens[first].start(), self.tokens.get(last)?.end());
        checks::cif(&self.text.as_bytes()[begin..end]).then(|| {
            self.say(begin, end, Label::OtherId, 0.9, "Spanish tax number, control agrees");
            Step::Token(last + 1)
        })
    }

    /// An account number with its country, in blocks of four or in one piece.
    fn iban(&mut self, run: &Run, g: usize) -> Option<Step> {
        let first = run.groups[g].first;
        let country = first.checked_sub(1)?;
        let token = &self.tokens[country];
        if token.kind != TokenKind::Word
            || token.end() - token.start() != 2
            || !self.text_of(country).bytes().all(|b| b.is_ascii_uppercase())
            || run.groups[g].len < 2
        {
            return None;
        }
        let mut number = [0u8; 34];
        let (mut n, mut last, mut found) = (0, country, None);
        for i in country..self.tokens.len() {
            let token = &self.tokens[i];
            let text = token.of(self.text).as_bytes();
            if matches!(token.kind, TokenKind::Mark | TokenKind::Newline) && text != b"-" {
                break;
            }
            if text == b"-" {
                continue;
            }
            let Some(room) = number.get_mut(n..n + text.len()) else { break };
            room.copy_from_slice(text);
            n += text.len();
            last = i;
            if checks::iban(&number[..n]) {
                found = Some(last);
            }
        }
        let last = found.unwrap_or(last);
        found?;
        self.say(
            self.tokens[country].start(),
            self.tokens[last].end(),
            Label::AccountNumber,
            0.99,
            "IBAN, check digits agree",
        );
        Some(Step::Token(last + 1))
    }
}

/// Whether blanks fall only where a NIR is cut (1 79 06 67 195 382 65), or between all digits.
fn cut_as_nir(run: &Run, g: usize, h: usize) -> bool {
    let start = run.groups[g].at;
    run.singles(g, h)
        || run.groups[g..h].iter().all(|x| matches!(x.at + x.len - start, 1 | 3 | 5 | 7 | 10 | 13 | 15))
}

fn value_word(shape: Shape, len: usize) -> bool {
    matches!(shape, Shape::Upper | Shape::Single) || (shape == Shape::Lower && len == 1)
}
