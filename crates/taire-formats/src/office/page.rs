//! HTML pages: shown text, titles and alternative texts as one text, written back in place.
//!
//! A tolerant reader, as browsers are: whatever is not known to be layout is left out. Tags that are not known lose
//! their brackets and keep their text; attributes that are not known go; scripts, comments and pictures go.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::Format;
use crate::Reason;
use crate::decode::decode_field;
use crate::splice::{Code, Gatherer};
use taire_text::unescape_html;

use super::css::{CssNames, read_sheet, read_style};
use super::page_rules::{Attr, Element, attribute, element, is_block};
use super::{Back, Counts, LeftOut, Opened, count};

pub(crate) fn open(bytes: &[u8]) -> Result<Opened, Reason> {
    let html = decode(bytes)?;
    open_page(&html, Whole::Page)
}

/// Opens HTML that is part of a page. Where hardly a tag in it breaks lines, its own line ends do.
pub(crate) fn open_fragment(html: &str) -> Result<Opened, Reason> {
    let breaks = tags(html).filter(|name| is_block(name)).count();
    let lines = html.matches('\n').count();
    open_page(html, if lines > breaks * 2 || breaks == 0 { Whole::Lines } else { Whole::Fragment })
}

/// Whether a text holds tags of HTML: known ones, closed, and those of one letter in pairs (`a <b> c` is none). Where more of
/// its tags are not known, it is another markup, and text to us.
pub(crate) fn has_tags(text: &str) -> bool {
    let (mut known, mut unknown, mut letters) = (0usize, 0usize, BTreeSet::new());
    for name in tags(text) {
        match element(&name) {
            Element::DropTag => unknown += usize::from(!name.contains(':')),
            _ if name.len() > 1 || name == "p" => known += 1,
            _ => drop(letters.insert(name)),
        }
    }
    if known == 0 && !letters.is_empty() {
        let lower = text.to_ascii_lowercase();
        known += letters.iter().filter(|name| lower.contains(&format!("</{name}>"))).count();
    }
    known > 0 && known >= unknown
}

/// The names of the start and end tags.
fn tags(html: &str) -> impl Iterator<Item = String> {
    const LONGEST: usize = 4096;
    const LONGEST_NAME: usize = 40;
    memchr::memchr_iter(b'<', html.as_bytes()).filter_map(|at| {
        let rest = &html[at + 1..];
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let letter = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':');
        let length = rest.bytes().take(LONGEST_NAME).take_while(letter).count();
        let name = rest[..length].to_ascii_lowercase();
        let after = rest.as_bytes().get(length)?;
        let ends = matches!(after, b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r');
        let closed = rest.bytes().take(LONGEST).take_while(|b| *b != b'<').any(|b| b == b'>');
        (ends && closed && name.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(name)
    })
}

/// What the HTML is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Page,
    Fragment,
    /// A fragment whose line ends are shown.
    Lines,
}

fn open_page(html: &str, whole: Whole) -> Result<Opened, Reason> {
    let mut out = Gatherer::new();
    out.source(html.as_bytes().to_vec());
    let mut page = Page {
        html,
        out: &mut out,
        counts: Counts::new(),
        pending: None,
        begun: false,
        keeps_space: usize::from(whole == Whole::Lines),
        blocks: 0,
        charset: whole != Whole::Page,
        ends_blank: false,
    };
    page.read()?;
    let counts = std::mem::take(&mut page.counts);
    let (text, places) = out.finish();
    Ok(Opened { text, back: Back::One(Format::Html, places), left_out: counts, pages: Vec::new() })
}

fn decode(bytes: &[u8]) -> Result<String, Reason> {
    let declared = || {
        let head = bytes[..bytes.len().min(1024)].to_ascii_lowercase();
        let at = memchr::memmem::find(&head, b"charset=")? + 8;
        let label = head.get(at..)?.trim_ascii_start();
        let label = label.strip_prefix(b"\"").or(label.strip_prefix(b"'")).unwrap_or(label);
        let end = label
            .iter()
            .position(|b| !(b.is_ascii_alphanumeric() || b"-_:".contains(b)))
            .unwrap_or(label.len());
        encoding_rs::Encoding::for_label(&label[..end])
    };
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        return Ok(encoding.decode(bytes).0.into_owned());
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(text.to_owned());
    }
    match declared().filter(|e| *e != encoding_rs::UTF_8 && e.is_ascii_compatible()) {
        Some(encoding) => Ok(encoding.decode_without_bom_handling(bytes).0.into_owned()),
        None => Ok(decode_field(bytes)?.0.into_owned()),
    }
}

struct Page<'h, 'o> {
    html: &'h str,
    out: &'o mut Gatherer,
    counts: Counts,
    /// A break to be written before the next text.
    pending: Option<char>,
    begun: bool,
    /// How many elements that keep their blanks are open.
    keeps_space: usize,
    /// Blocks with text in the cell that is open.
    blocks: usize,
    charset: bool,
    /// The text so far ends with a blank, which takes those that follow.
    ends_blank: bool,
}

impl Page<'_, '_> {
    fn read(&mut self) -> Result<(), Reason> {
        let bytes = self.html.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let next = memchr::memchr(b'<', &bytes[at..]).map_or(bytes.len(), |i| at + i);
            if next > at {
                self.text(at..next);
            }
            if next == bytes.len() {
                break;
            }
            at = match bytes.get(next + 1) {
                Some(b'!') if self.html[next..].starts_with("<!--") => {
                    let end = find(bytes, next + 4, b"-->").map_or(bytes.len(), |i| i + 3);
                    count(&mut self.counts, LeftOut::Comments);
                    self.out.cut(next..end, *b"");
                    end
                }
                Some(b'!' | b'?') => {
                    let end = find(bytes, next, b">").map_or(bytes.len(), |i| i + 1);
                    let doctype =
                        self.html.get(next..next + 9).is_some_and(|s| s.eq_ignore_ascii_case("<!doctype"));
                    self.out.cut(next..end, if doctype { &b"<!DOCTYPE html>"[..] } else { b"" });
                    end
                }
                Some(b'/') if bytes.get(next + 2).is_some_and(u8::is_ascii_alphabetic) => {
                    let end = find(bytes, next, b">").map_or(bytes.len(), |i| i + 1);
                    self.close(next..end);
                    end
                }
                Some(b) if b.is_ascii_alphabetic() => self.tag(next)?,
                _ => {
                    self.text(next..next + 1);
                    next + 1
                }
            };
        }
        if !self.charset {
            self.out.cut(0..0, *b"<meta charset=\"utf-8\">");
        }
        Ok(())
    }

    fn text(&mut self, at: Range<usize>) {
        let mut text = unescape_html(&self.html[at.clone()]);
        if self.keeps_space == 0 {
            let starts_line = self.pending.is_some() || !self.begun || self.ends_blank;
            text = collapsed(&text, starts_line);
        }
        if text.is_empty() || (text == " " && self.pending.is_some()) {
            return;
        }
        self.ends_blank = text.ends_with(' ');
        self.flush();
        self.out.run(at, text, Code::Xml);
    }

    fn flush(&mut self) {
        if let Some(c) = self.pending.take()
            && self.begun
        {
            self.out.brk(c);
        }
        self.begun = true;
    }

    fn boundary(&mut self, name: &str, closing: bool) {
        match name {
            "td" | "th" => {
                if closing || self.pending.is_none() {
                    self.pending = Some(if self.blocks > 1 { '\n' } else { '\t' });
                }
                self.blocks = 0;
            }
            "tr" | "table" => {
                self.pending = Some('\n');
                self.blocks = 0;
            }
            _ if is_block(name) => {
                if self.pending.is_none() {
                    self.blocks += 1;
                    self.pending = Some('\n');
                } else if self.pending == Some('\n') && name == "br" && self.begun {
                    self.out.brk('\n');
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, at: Range<usize>) {
        let name = tag_name(&self.html[at.start + 2..at.end]);
        match element(&name) {
            Element::Keep => {
                // Attributes of an end tag mean nothing and might say something.
                self.out.cut(at, format!("</{name}>"));
                self.boundary(&name, true);
                if matches!(name.as_str(), "pre" | "textarea") {
                    self.keeps_space = self.keeps_space.saturating_sub(1);
                }
            }
            _ => self.out.cut(at, *b""),
        }
    }

    /// Reads a start tag and, where its content is no markup, that too; gives the place after it.
    fn tag(&mut self, start: usize) -> Result<usize, Reason> {
        let bytes = self.html.as_bytes();
        let name = tag_name(&self.html[start + 1..]);
        let (attributes, end) = attributes(self.html, start + 1 + name.len());
        let rest = |name: &str| {
            let at = find_ignoring_case(bytes, end, format!("</{name}").as_bytes()).unwrap_or(bytes.len());
            let close = find(bytes, at, b">").map_or(bytes.len(), |i| i + 1);
            (at, close)
        };
        match element(&name) {
            Element::Refuse(why) => return Err(why.into()),
            Element::DropTag => {
                let block = is_block(&name);
                self.out.cut(start..end, if block { &b" "[..] } else { b"" });
                if block {
                    self.boundary(&name, false);
                }
                return Ok(end);
            }
            Element::Drop(what) => {
                count(&mut self.counts, what);
                let close = rest(&name).1;
                self.out.cut(start..close, *b"");
                return Ok(close);
            }
            Element::Style => {
                let (at, close) = rest(&name);
                self.style(start, end..at, close);
                return Ok(close);
            }
            Element::Keep => {}
        }
        if name == "input"
            && attributes.iter().any(|a| a.name == "type" && a.value.eq_ignore_ascii_case("hidden"))
        {
            self.out.cut(start..end, *b"");
            return Ok(end);
        }
        self.boundary(&name, false);
        for attr in attributes {
            self.attribute(&name, &attr);
        }
        match name.as_str() {
            "head" => {
                self.out.cut(end..end, *b"<meta charset=\"utf-8\">");
                self.charset = true;
            }
            "pre" => self.keeps_space += 1,
            "title" | "textarea" => {
                let (at, close) = rest(&name);
                self.pending = self.pending.or(Some('\n'));
                self.text(end..at);
                self.pending = Some('\n');
                self.out.cut(at..close, format!("</{name}>"));
                return Ok(close);
            }
            _ => {}
        }
        Ok(end)
    }

    fn attribute(&mut self, tag: &str, attr: &Attribute) {
        match attribute(tag, &attr.name, &attr.value) {
            Attr::Keep if attr.name == "style" => self.css(attr.at.clone(), read_style),
            Attr::Keep => self.out.watched(attr.at.clone(), &attr.value),
            Attr::Named => self.names(attr),
            Attr::Remove(what) => {
                if let Some(what) = what {
                    count(&mut self.counts, what);
                }
                self.out.cut(attr.whole.clone(), *b"");
            }
            Attr::Text if attr.value.trim().is_empty() => {}
            Attr::Text => {
                let before = self.pending;
                self.pending = self.pending.or(Some(' '));
                self.flush();
                if !attr.quoted {
                    self.out.cut(attr.at.start..attr.at.start, *b"\"");
                    self.out.cut(attr.at.end..attr.at.end, *b"\"");
                }
                self.out.run(attr.at.clone(), attr.value.replace(['\n', '\r', '\t'], " "), Code::Xml);
                self.ends_blank = false;
                self.pending = before.or(Some(' '));
            }
        }
    }

    /// Classes, ids and names: one, or several with blanks between them, or the target of a link.
    fn names(&mut self, attr: &Attribute) {
        let raw = &self.html[attr.at.clone()];
        let several = matches!(attr.name.as_str(), "class" | "headers");
        if raw != attr.value || attr.name == "face" {
            self.out.named(attr.at.clone(), &attr.value);
        } else if let Some(target) = raw.strip_prefix('#') {
            self.out.named(attr.at.start + 1..attr.at.end, target);
        } else if several {
            let mut at = attr.at.start;
            for part in raw.split_inclusive(|c: char| c.is_ascii_whitespace()) {
                let name = part.trim_end();
                self.out.named(at..at + name.len(), name);
                at += part.len();
            }
        } else {
            self.out.named(attr.at.clone(), raw);
        }
    }

    /// Names in a style sheet or in the style of an element; the rest is watched.
    fn css(&mut self, at: Range<usize>, read: fn(&str) -> CssNames) {
        let css = &self.html[at.clone()];
        let CssNames { names, cuts } = read(css);
        let mut rest = css.to_owned();
        for part in names.iter().chain(&cuts) {
            rest.replace_range(part.clone(), &" ".repeat(part.len()));
        }
        for name in names {
            self.out.named(at.start + name.start..at.start + name.end, &css[name]);
        }
        cuts.into_iter().for_each(|cut| self.out.cut(at.start + cut.start..at.start + cut.end, *b""));
        self.out.watched(at, &rest);
    }

    /// Style sheets stay without their comments, and go whole when they fetch or write something or are no style sheets.
    fn style(&mut self, start: usize, at: Range<usize>, close: usize) {
        let css = &self.html[at.clone()];
        let lower = css.to_ascii_lowercase();
        let bad = ["url(", "@import", "expression", "content:", "behavior", "\\"];
        let is_markup = lower.matches('<').count() > lower.matches("<!--").count();
        if !css.is_ascii() || is_markup || bad.iter().any(|bad| lower.contains(bad)) {
            count(&mut self.counts, LeftOut::Scripts);
            self.out.cut(start..close, *b"");
            return;
        }
        let bytes = self.html.as_bytes();
        let mut from = at.start;
        while from < at.end {
            let comment = find(&bytes[..at.end], from, b"/*").unwrap_or(at.end);
            self.css(from..comment, read_sheet);
            let end = find(&bytes[..at.end], comment, b"*/").map_or(at.end, |i| i + 2);
            if comment < at.end {
                self.out.cut(comment..end, *b"");
            }
            from = end;
        }
        self.out.cut(start..at.start, *b"<style>");
        if at.end < close {
            self.out.cut(at.end..close, *b"</style>");
        }
    }
}

/// Blanks of the source as a browser shows them: one for many, none where a line starts.
fn collapsed(text: &str, starts_line: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = starts_line;
    for c in text.chars() {
        let is_blank = matches!(c, ' ' | '\n' | '\r' | '\t' | '\u{c}');
        if !(is_blank && blank) {
            out.push(if is_blank { ' ' } else { c });
        }
        blank = is_blank;
    }
    out
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes.get(from..)?, what).map(|i| from + i)
}

fn find_ignoring_case(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let mut at = from;
    loop {
        at = find(bytes, at, &what[..2])?;
        if bytes.get(at..at + what.len())?.eq_ignore_ascii_case(what) {
            return Some(at);
        }
        at += 2;
    }
}

fn tag_name(rest: &str) -> String {
    let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(rest.len());
    rest[..end].to_ascii_lowercase()
}

struct Attribute {
    name: String,
    value: String,
    at: Range<usize>,
    whole: Range<usize>,
    quoted: bool,
}

/// The attributes that follow a tag name, and where the tag ends.
fn attributes(html: &str, from: usize) -> (Vec<Attribute>, usize) {
    let bytes = html.as_bytes();
    let skip = |mut i: usize, stop: &dyn Fn(u8) -> bool| {
        while i < bytes.len() && !stop(bytes[i]) {
            i += 1;
        }
        i
    };
    let blank = |b: u8| b.is_ascii_whitespace();
    let mut found = Vec::new();
    let mut i = from;
    loop {
        let whole = i;
        i = skip(i, &|b| !blank(b) && b != b'/');
        if i >= bytes.len() {
            return (found, bytes.len());
        }
        if bytes[i] == b'>' {
            return (found, i + 1);
        }
        let key = i;
        i = skip(i + 1, &|b| blank(b) || matches!(b, b'=' | b'>' | b'/'));
        let name = html[key..i].to_ascii_lowercase();
        let equals = skip(i, &|b| !blank(b));
        let (at, quoted) = if bytes.get(equals) == Some(&b'=') {
            i = skip(equals + 1, &|b| !blank(b));
            match bytes.get(i) {
                Some(&quote @ (b'"' | b'\'')) => {
                    let end = skip(i + 1, &|b| b == quote);
                    let at = i + 1..end;
                    i = (end + 1).min(bytes.len());
                    (at, true)
                }
                _ => {
                    let start = i;
                    i = skip(i, &|b| blank(b) || b == b'>');
                    (start..i, false)
                }
            }
        } else {
            (i..i, true)
        };
        let value = unescape_html(&html[at.clone()]);
        found.push(Attribute { name, value, at, whole: whole..i, quoted });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> (String, String) {
        let opened = open(html.as_bytes()).unwrap();
        let back = opened.back.write(&opened.text, &[]).unwrap();
        (opened.text, String::from_utf8(back).unwrap())
    }

    #[test]
    fn shown_text_is_read_and_the_rest_is_left_out() {
        let (text, back) = read(
            "<!doctype html PUBLIC 'x'><html><head><title>Lettre de M. X</title><meta name=author content=Dupont>\
             <script>var n='Dupont'</script><style>p{color:red}/* Dupont */</style></head>\
             <body onload='f()' data-n=Dupont><!-- Dupont --><p class=MsoNormal>Mme&nbsp;<b>Escoub&egrave;s</b>\nAnne</p>\
             <table><tr><td><p>Nom</p></td><td><p>PETIT</p></td></tr></table>\
             <a href='mailto:x@y.fr'>x@y.fr</a><img src=data:Dupont alt='Photo de Zoé'><o:p>fin</o:p> a < b</body></html>",
        );
        assert_eq!(text, "Lettre de M. X\nMme\u{a0}Escoubès Anne\nNom\tPETIT\nx@y.fr Photo de Zoé fin a < b");
        assert!(!back.contains("Dupont") && !back.contains("mailto") && !back.contains("onload"), "{back}");
        assert!(back.contains("<p class=MsoNormal>Mme&nbsp;<b>Escoub&egrave;s</b>"), "{back}");
        assert!(back.starts_with("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>"), "{back}");
        assert!(back.contains("<style>p{color:red}</style>"), "{back}");
        let (_, back) = read("<p style=\"color: red>Mme <b>Dupont</b></p><p align=\"center\">RAS</p>");
        assert!(!back.contains("Dupont"), "{back}");
        let (text, back) = read("<ruby>Zo\u{e9}<rt>Dupont</rt></ruby>");
        assert!(text == "Zo\u{e9}\nDupont" && back.contains("Zo\u{e9} Dupont"), "{back}");
        for (sheet, stays) in
            [("p{} <meta content='Dupont'>", false), ("p{} Guézennec", false), ("<!-- p{} -->", true)]
        {
            let (_, back) = read(&format!("<style>{sheet}</style><p>RAS</p>"));
            assert_eq!(back.contains("p{}"), stays, "{back}");
        }
    }

    #[test]
    fn embedded_things_refuse_and_nothing_hangs_on_bad_markup() {
        for html in ["<html><object data=x>", "<p><iframe src=x>", "<embed>"] {
            assert!(open(html.as_bytes()).is_err());
        }
        for html in [
            "<",
            "<a",
            "<a b",
            "<a b=",
            "<a b='",
            "</",
            "</a",
            "<!--",
            "<!",
            "<script",
            "<title>x",
            "<p <b>x</p",
            "&#",
            "&",
        ] {
            let opened = open(html.as_bytes()).unwrap();
            assert!(opened.back.write(&opened.text, &[]).is_ok(), "{html}");
        }
    }
}
