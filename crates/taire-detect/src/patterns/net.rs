//! Addresses of the network: e-mail, URL, bare domains, IP and MAC.

use taire_text::{Kind as TokenKind, Label, Shape, Token};

use super::context::Context;
use super::keywords::KeywordKind;
use super::run::{Run, Sep};
use super::{Scan, Step};
use crate::MAX_TOKENS;

/// Endings that make a bare `word.ending` a domain. `es` is also a word: it asks for more.
const DOMAINS: &[&str] = &[
    "fr", "com", "org", "net", "eu", "es", "cat", "gouv", "edu", "bzh", "ovh", "info", "it", "be", "ch",
    "de", "uk", "pt",
];

fn local_mark(text: &str) -> bool {
    matches!(text, "." | "_" | "-" | "+" | "'" | "%" | "&")
}

impl Scan<'_> {
    fn alnum(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| matches!(t.kind, TokenKind::Word | TokenKind::Number))
    }

    fn glued(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.glued)
    }

    pub(super) fn net_mark(&mut self, i: usize) -> usize {
        match self.text.as_bytes()[self.tokens[i].start()] {
            b'@' => self.email(i, i).or_else(|| self.handle(i)).unwrap_or(i + 1),
            b'.' if self.glued(i) && self.glued(i + 1) => {
                self.file_name(i).or_else(|| self.bare_domain(i)).unwrap_or(i + 1)
            }
            b'_' => self.login(i).unwrap_or(i + 1),
            _ => i + 1,
        }
    }

    /// By its length and first letter.
    #[inline]
    pub(super) fn may_be_net(&self, word: &Token) -> bool {
        let first = self.text.as_bytes()[word.start()] | 0x20;
        matches!((word.end() - word.start(), first), (2 | 6 | 7, b'a') | (3, b'w') | (4 | 5, b'h'))
    }

    pub(super) fn net_word(&mut self, i: usize) -> usize {
        let text = self.text_of(i);
        let found = match text.len() {
            2 if text.eq_ignore_ascii_case("at") => {
                let open = i > 0 && matches!(self.text_of(i - 1), "(" | "[" | "{" | "<");
                let close = matches!(self.text_of(i + 1), ")" | "]" | "}" | ">");
                if open && close { self.email(i - 1, i + 1) } else { None }
            }
            3 if text.eq_ignore_ascii_case("www") => self.url(i),
            4 | 5 if text.eq_ignore_ascii_case("http") || text.eq_ignore_ascii_case("https") => self.url(i),
            6 | 7 if ["arroba", "arobas", "arobase"].iter().any(|w| text.eq_ignore_ascii_case(w)) => {
                self.email(i, i)
            }
            _ => None,
        };
        found.unwrap_or(i + 1)
    }

    /// `[point]`, `(dot)`: a point that robots shall not read.
    fn is_bracketed_point(&self, open: usize) -> bool {
        let words = ["point", "punto", "dot"];
        matches!(self.text_of(open), "(" | "[" | "{")
            && words.iter().any(|w| self.text_of(open + 1).eq_ignore_ascii_case(w))
            && matches!(self.text_of(open + 2), ")" | "]" | "}")
    }

    /// An e-mail address around an at sign that takes the tokens `at..=end`.
    fn email(&mut self, at: usize, end: usize) -> Option<usize> {
        let mut first = at.checked_sub(1)?;
        if self.glued(at) && matches!(self.text_of(first), "_" | "-" | ".") && self.glued(first) {
            first = first.checked_sub(1)?;
        }
        if !self.alnum(first) {
            return None;
        }
        let spaced = !self.glued(at) || !self.glued(end + 1);
        loop {
            if first >= 1 && self.glued(first) && self.alnum(first - 1) {
                first -= 1;
            } else if first >= 2 && local_mark(self.text_of(first - 1)) && self.alnum(first - 2) {
                let close = self.glued(first) && self.glued(first - 1);
                let lone = !self.glued(first)
                    && !self.glued(first - 1)
                    && spaced
                    && matches!(self.text_of(first - 1), "." | "_");
                let half =
                    spaced && self.glued(first) != self.glued(first - 1) && self.text_of(first - 1) == "_";
                if !(close || lone || half) {
                    break;
                }
                first -= 2;
            } else if first >= 1 && self.glued(first) && matches!(self.text_of(first - 1), "_" | "+") {
                first -= 1;
            } else {
                break;
            }
        }
        let mut last = end + 1;
        if !self.alnum(last) {
            return None;
        }
        let mut dots = 0;
        loop {
            let mark = self.text_of(last + 1);
            if self.glued(last + 1) && self.alnum(last + 1) {
                last += 1;
            } else if matches!(mark, "." | "-" | "_") && self.alnum(last + 2) {
                let close = self.glued(last + 1) && self.glued(last + 2);
                let ending =
                    DOMAINS.contains(&self.text_of(last + 2)) || self.tokens[last + 2].shape == Shape::Lower;
                let lone =
                    mark == "." && ending && (spaced || dots == 0) && (dots == 0 || !self.glued(last + 1));
                if !(close || lone) {
                    break;
                }
                dots += usize::from(mark == ".");
                last += 2;
            } else if self.is_bracketed_point(last + 1) && self.alnum(last + 4) {
                dots += 1;
                last += 4;
            } else {
                break;
            }
        }
        // "K 43,75@88": a corneal radius at its axis.
        let lettered = self.tokens[end + 1..=last].iter().any(|t| t.kind == TokenKind::Word);
        // "V@ms": a threshold in volts at its width.
        let short = dots == 0
            && (self.tokens[last].end() - self.tokens[end + 1].start() < 3
                || first + 1 == at && self.tokens[first].end() - self.tokens[first].start() < 2);
        if dots == 0 && spaced || dots < 3 && !lettered || short {
            return None;
        }
        // "E-mail.durand@…", "mail-durand@…": the keyword is glued to the address.
        for prefix in [["E", "-", "mail"], ["e", "-", "mail"], ["E", "-", "MAIL"]] {
            if (0..3).all(|i| self.text_of(first + i) == prefix[i]) && first + 4 < at {
                first += 4;
            }
        }
        let start = self.tokens[first].start();
        let stop = self.cut_ending(last);
        let score = if dots > 0 { 0.99 } else { 0.8 };
        self.say(start, stop, Label::Email, score, "e-mail address");
        let end = self.tokens[last].end();
        if stop < end && !self.spanish() {
            self.say(stop, end, Label::FamilyName, 0.7, "capitalised word glued to an e-mail address");
        }
        Some(last + 1)
    }

    /// The end of the address, before a capitalised word glued to its ending ("…@chu-x.frDupont").
    fn cut_ending(&self, last: usize) -> usize {
        let token = &self.tokens[last];
        if token.shape == Shape::Mixed {
            let text = token.of(self.text);
            let cut =
                text.find(|c: char| c.is_uppercase()).filter(|&n| n > 0 && DOMAINS.contains(&&text[..n]));
            if let Some(n) = cut {
                return token.start() + n;
            }
        }
        token.end()
    }

    /// `www.…`, `http://…`: to the next blank, without the sentence's own punctuation.
    fn url(&mut self, i: usize) -> Option<usize> {
        let start = self.tokens[i].start();
        let rest = &self.text[start..];
        let lower = |p: &str| rest.get(..p.len()).is_some_and(|r| r.eq_ignore_ascii_case(p));
        if !(lower("www.") || lower("http://") || lower("https://") || lower("http:/") || lower("http : //"))
        {
            return None;
        }
        let skip = if lower("http : //") { "http : //".len() } else { 0 };
        let end = rest[skip..]
            .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '|'))
            .map_or(rest.len(), |n| n + skip);
        let url = rest[..end].trim_end_matches(['.', ',', ';', ':', ')', ']', '\'', '!', '?']);
        if url.len() < 8 {
            return None;
        }
        let stop = start + url.len();
        self.say(start, stop, Label::Url, 0.97, "web address");
        Some(self.note.token_at(stop).max(i + 1))
    }

    /// `chu-ville.fr`, `hospital.example.com/path`, seen from its dot.
    fn bare_domain(&mut self, dot: usize) -> Option<usize> {
        let mut first = dot.checked_sub(1).filter(|&i| self.alnum(i))?;
        let mut last = dot + 1;
        if !self.alnum(last) {
            return None;
        }
        while last - dot < MAX_TOKENS
            && self.glued(last + 1)
            && matches!(self.text_of(last + 1), "." | "-")
            && self.glued(last + 2)
            && self.alnum(last + 2)
        {
            last += 2;
        }
        let ending = self.text_of(last);
        if !DOMAINS[..10].contains(&ending) || self.text_of(last + 1) == "@" {
            return None;
        }
        while first > 0 && dot - first < MAX_TOKENS && self.glued(first) {
            if self.alnum(first - 1) {
                first -= 1;
            } else if first >= 2
                && matches!(self.text_of(first - 1), "-" | ".")
                && self.glued(first - 1)
                && self.alnum(first - 2)
            {
                first -= 2;
            } else {
                break;
            }
        }
        let labels = &self.text[self.tokens[first].start()..self.tokens[last].end()];
        let slash = self.glued(last + 1) && self.text_of(last + 1) == "/";
        let doubtful = matches!(ending, "es" | "net" | "cat" | "eu");
        let parts = labels.split('.').count();
        let short = labels.split('.').next().is_none_or(|l| l.len() < 3);
        if (doubtful && !slash && parts < 3 && !labels.contains('-'))
            || (short && parts < 3)
            || labels.contains(char::is_uppercase) && doubtful
        {
            return None;
        }
        if self.tokens[last].shape != Shape::Lower {
            return None;
        }
        let start = self.tokens[first].start();
        let mut end = self.tokens[last].end();
        if slash {
            let rest = &self.text[end..];
            let path = rest.find(char::is_whitespace).map_or(rest, |n| &rest[..n]);
            end += path.trim_end_matches(['.', ',', ';', ')', ':']).len();
        }
        if self.text[end..].starts_with('@') {
            return None;
        }
        self.say(start, end, Label::Url, 0.75, "web address without its scheme");
        Some(self.note.token_at(end).max(dot + 1))
    }

    pub(super) fn ip_v4(&mut self, run: &Run, g: usize, context: Option<Context>) -> Option<Step> {
        let groups = run.groups.get(g..g + 4)?;
        let dotted = groups[1..].iter().all(|x| x.sep == Sep::Dot && x.tight);
        let byte = |i: usize| {
            let d = run.digits(g + i, g + i + 1);
            (d.len() <= 3)
                .then(|| d.iter().fold(0u32, |n, b| n * 10 + u32::from(b - b'0')))
                .filter(|&n| n < 256)
        };
        if !dotted
            || !(0..4).all(|i| byte(i).is_some())
            || run.sep_at(g + 4).is_some_and(|(s, t)| t && s == Sep::Dot)
        {
            return None;
        }
        let named = context.is_some_and(|c| c.kind == KeywordKind::Ip);
        if !named && groups.iter().all(|x| x.len < 3) {
            return None;
        }
        let score = if named { 0.98 } else { 0.75 };
        Some(self.say_groups(run, g, g + 4, Label::IpAddress, score, "network address"))
    }

    /// IPv6 (eight groups, or `::`) and MAC addresses (six pairs), seen from a number inside them.
    pub(super) fn hex_address(&mut self, at: usize) -> Option<usize> {
        let colon = |i: usize| self.text_of(i) == ":" && self.glued(i);
        let beside = colon(at + 1) && self.glued(at + 2)
            || self.glued(at) && at > 0 && self.text_of(at - 1) == ":"
            || self.glued(at) && at > 1 && self.text_of(at - 2) == ":"
            || self.alnum(at + 1) && colon(at + 2);
        if !beside {
            return None;
        }
        let hex = |i: usize| self.alnum(i) && self.text_of(i).bytes().all(|b| b.is_ascii_hexdigit());
        let (mut first, mut last) = (at, at);
        while first > 0
            && at - first < MAX_TOKENS
            && self.glued(first)
            && (hex(first - 1) || self.text_of(first - 1) == ":")
        {
            first -= 1;
        }
        while last - at < MAX_TOKENS
            && self.glued(last + 1)
            && (hex(last + 1) || self.text_of(last + 1) == ":")
        {
            last += 1;
        }
        let whole = &self.text[self.tokens[first].start()..self.tokens[last].end()];
        let text = whole.trim_end_matches(':');
        let (groups, double) = (text.split(':').count(), text.matches("::").count());
        let short = text.split(':').all(|x| x.len() <= 4);
        let v6 = short && (groups == 8 || double == 1 && groups >= 4) && text.len() >= 9;
        let mac = groups == 6 && text.split(':').all(|x| x.len() == 2);
        let (start, end) = (self.tokens[first].start(), self.tokens[first].start() + text.len());
        if v6 {
            self.say(start, end, Label::IpAddress, 0.9, "network address");
        } else if mac {
            self.say(start, end, Label::DeviceId, 0.9, "address of a network device");
        } else {
            return None;
        }
        Some(last + 1)
    }
}
