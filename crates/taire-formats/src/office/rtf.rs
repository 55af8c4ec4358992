//! RTF: shown text, headers, footers, notes and comments as one text, written back in place.
//!
//! The file is read token by token, groups kept on a stack of bounded depth. Groups of destinations that hold no shown
//! text are left out unless they are known to be layout; an embedded object refuses the document.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use encoding_rs::Encoding;

use crate::Format;
use crate::Reason;
use crate::decode::is_no_pair_of_letters;
use crate::splice::{Code, Gatherer};
use crate::well_known::is_built_in;

use super::docx_rules::is_plain_instruction;
use super::rtf_rules::{Destination, character, charset_page, code_page, destination, is_control_word};
use super::{Back, Counts, LeftOut, Opened, count};

const DEEPEST: usize = 500;
/// The character set of fonts that hold signs.
const SYMBOLS: i32 = 2;
const NO_RTF: &str = "it starts like RTF but is not";
const CUT_SHORT: &str = "it is an RTF file that is cut short";

pub(crate) fn open(bytes: &[u8]) -> Result<Opened, Reason> {
    let first = bytes.trim_ascii_start().strip_prefix(b"{\\rtf");
    if first.is_none_or(|rest| rest.first().is_some_and(u8::is_ascii_alphabetic)) {
        return Err(NO_RTF.into());
    }
    let mut out = Gatherer::new();
    out.source(bytes.to_vec());
    let mut rtf = Rtf {
        bytes,
        out: &mut out,
        counts: Counts::new(),
        groups: Vec::new(),
        state: State { kind: Kind::Text, skip: 1, font: None, deleted: false },
        page: code_page(1252),
        default_font: None,
        fonts: BTreeMap::new(),
        symbols: BTreeSet::new(),
        run: None,
        fresh: false,
        starred: false,
        glued: false,
    };
    rtf.read()?;
    let counts = std::mem::take(&mut rtf.counts);
    let (text, places) = out.finish();
    Ok(Opened { text, back: Back::One(Format::Rtf, places), left_out: counts, pages: Vec::new() })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Table,
    Fonts,
    Dropped,
}

#[derive(Clone, Copy)]
struct State {
    kind: Kind,
    /// Characters to pass over after `\u`.
    skip: usize,
    font: Option<i32>,
    deleted: bool,
}

struct Group {
    start: usize,
    before: State,
    nested: bool,
    /// Where the group is left out from its start.
    cut: Option<&'static [u8]>,
    /// A control word stands right before it.
    glued: bool,
}

/// Text that is being read, without any control word in between.
struct Run {
    at: Range<usize>,
    text: String,
    /// Bytes of the code page not decoded yet.
    raw: Vec<u8>,
    /// It is not left as it is: bytes of it read otherwise in another code page, or a letter stands for a character of
    /// Unicode in readers that do not know it.
    anew: bool,
    glued: bool,
}

enum Token<'b> {
    Open,
    Close,
    Word(&'b str, Option<i32>),
    Symbol(u8),
    Hex(u8),
    Byte(u8),
    LineEnd,
}

struct Rtf<'b, 'o> {
    bytes: &'b [u8],
    out: &'o mut Gatherer,
    counts: Counts,
    groups: Vec<Group>,
    state: State,
    page: Option<&'static Encoding>,
    default_font: Option<i32>,
    fonts: BTreeMap<i32, Option<&'static Encoding>>,
    /// Fonts whose bytes are signs, not letters of a code page.
    symbols: BTreeSet<i32>,
    run: Option<Run>,
    /// Nothing but `\*` was seen in the group that is open.
    fresh: bool,
    starred: bool,
    /// What was last is a control word that stays, with nothing that ends it.
    glued: bool,
}

impl<'b> Rtf<'b, '_> {
    fn read(&mut self) -> Result<(), Reason> {
        let mut at = 0;
        let mut begun = false;
        while at < self.bytes.len() {
            let (token, end) = token(self.bytes, at)?;
            match token {
                Token::Open => {
                    self.end_run()?;
                    if self.groups.len() >= DEEPEST {
                        return Err(format!("its groups nest more than {DEEPEST} deep").into());
                    }
                    self.groups.push(Group {
                        start: at,
                        before: self.state,
                        nested: false,
                        cut: None,
                        glued: self.glued,
                    });
                    self.glued = false;
                    self.fresh = true;
                    self.starred = false;
                    begun = true;
                }
                Token::Close => {
                    self.end_run()?;
                    self.close(end)?;
                    if self.groups.is_empty() {
                        self.out.cut(end..self.bytes.len(), *b"");
                        return Ok(());
                    }
                }
                _ if !begun => return Err(NO_RTF.into()),
                Token::Symbol(b'*') => (self.starred, self.glued) = (self.fresh, false),
                Token::Word("bin", count) => {
                    if self.state.kind != Kind::Dropped {
                        return Err("it holds binary data outside of pictures, which is not treated".into());
                    }
                    at = end + usize::try_from(count.unwrap_or(0)).unwrap_or(0);
                    continue;
                }
                Token::Word(word, number) => {
                    let fresh = std::mem::take(&mut self.fresh);
                    let starred = std::mem::take(&mut self.starred);
                    if let Some(next) = self.word(word, number, at..end, fresh, starred)? {
                        at = next;
                        continue;
                    }
                }
                token => {
                    (self.fresh, self.starred) = (false, false);
                    self.plain(token, at..end)?;
                    self.glued = false;
                }
            }
            at = end;
        }
        Err(CUT_SHORT.into())
    }

    fn close(&mut self, end: usize) -> Result<(), Reason> {
        self.fresh = false;
        let group = self.groups.pop().ok_or("its groups do not match")?;
        self.glued = group.glued && group.cut == Some(b"");
        if let Some(with) = group.cut {
            self.out.cut(group.start..end, with);
        }
        if group.nested {
            self.out.unnest();
        }
        self.state = group.before;
        Ok(())
    }

    /// Takes a control word; gives the place to go on where that is not right after it.
    fn word(
        &mut self,
        word: &'b str,
        number: Option<i32>,
        at: Range<usize>,
        fresh: bool,
        starred: bool,
    ) -> Result<Option<usize>, Reason> {
        if self.state.kind == Kind::Dropped {
            return Ok(None);
        }
        if self.state.kind == Kind::Text && word == "u" {
            self.unicode(number.unwrap_or(0), at.start, at.end)?;
            return Ok(self.run.as_ref().map(|run| run.at.end));
        }
        if let Some(c) = character(word).filter(|_| self.state.kind == Kind::Text) {
            self.push(c, at);
            return Ok(None);
        }
        self.end_run()?;
        if !is_control_word(word) && !starred {
            count(&mut self.counts, LeftOut::UnknownMarkup);
            self.out.cut(at, *b"{}");
            self.glued = false;
            return Ok(None);
        }
        self.glued = self.bytes.get(at.end - 1) != Some(&b' ');
        // The document's code page is declared in its head, not in a group that may go.
        let in_head = self.groups.len() == 1;
        match word {
            "ansicpg" if in_head => self.page = code_page(number.unwrap_or(1252)),
            "mac" if in_head => self.page = code_page(10000),
            "pc" | "pca" if in_head => self.page = None,
            "deff" => self.default_font = number,
            "f" => self.state.font = number,
            "fcharset" if self.state.kind == Kind::Fonts => {
                if number == Some(SYMBOLS) {
                    self.symbols.extend(self.state.font);
                }
                if let (Some(font), Some(page)) = (self.state.font, number.and_then(charset_page)) {
                    self.fonts.insert(font, code_page(page));
                }
            }
            "cpg" if self.state.kind == Kind::Fonts => {
                if let (Some(font), Some(page)) = (self.state.font, number) {
                    self.fonts.insert(font, code_page(page));
                }
            }
            "uc" => self.state.skip = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(16),
            "plain" => (self.state.deleted, self.state.font) = (false, None),
            "deleted" => self.state.deleted = number != Some(0),
            "par" | "sect" => self.shown(Gatherer::end_paragraph),
            "row" | "nestrow" => self.shown(Gatherer::end_row),
            "line" | "page" | "column" => self.shown(|out| out.brk('\n')),
            "tab" | "cell" | "nestcell" => self.shown(|out| out.brk('\t')),
            _ => {}
        }
        if fresh { self.destination(word, starred) } else { Ok(None) }
    }

    fn shown(&mut self, write: impl FnOnce(&mut Gatherer)) {
        if self.state.kind == Kind::Text {
            write(self.out);
        }
    }

    fn destination(&mut self, word: &str, starred: bool) -> Result<Option<usize>, Reason> {
        let in_table = matches!(self.state.kind, Kind::Table | Kind::Fonts);
        let found = match destination(word, starred) {
            // Entries of tables are starred too: `{\*\cs10 …}`.
            Destination::Drop(None) if in_table && is_control_word(word) => Destination::Same,
            found => found,
        };
        let Some(group) = self.groups.last_mut() else { return Ok(None) };
        match found {
            Destination::Same => {}
            Destination::Nested => {
                group.nested = true;
                self.out.nest();
                self.state.kind = Kind::Text;
            }
            Destination::Table => self.state.kind = Kind::Table,
            Destination::Fonts => self.state.kind = Kind::Fonts,
            Destination::Drop(what) => {
                if let Some(what) = what {
                    count(&mut self.counts, what);
                }
                group.cut = Some(b"");
                self.state.kind = Kind::Dropped;
            }
            Destination::Revisers => {
                group.cut = Some(b"{\\*\\revtbl {Unknown;}}");
                self.state.kind = Kind::Dropped;
            }
            Destination::Refuse(why) => return Err(why.into()),
            Destination::Instruction => {
                let end = group_end(self.bytes, group.start)?;
                if !is_plain_instruction(&bare(&self.bytes[group.start..end])) {
                    count(&mut self.counts, LeftOut::FieldCodes);
                    group.cut = Some(b"{\\*\\fldinst }");
                }
                self.state.kind = Kind::Dropped;
                return Ok(Some(end - 1));
            }
            Destination::ShapeProperty => {
                let end = group_end(self.bytes, group.start)?;
                match property_name(&self.bytes[group.start..end]) {
                    Some(name) => {
                        let at = group.start + name.start..group.start + name.end;
                        let text = String::from_utf8_lossy(&self.bytes[at.clone()]).into_owned();
                        self.out.watched_inside(at, &text);
                    }
                    None => {
                        count(&mut self.counts, LeftOut::UnknownMarkup);
                        group.cut = Some(b"");
                    }
                }
                self.state.kind = Kind::Dropped;
                return Ok(Some(end - 1));
            }
        }
        Ok(None)
    }

    /// Bytes and symbols between control words.
    fn plain(&mut self, token: Token<'_>, at: Range<usize>) -> Result<(), Reason> {
        match self.state.kind {
            Kind::Dropped => return Ok(()),
            Kind::Table | Kind::Fonts => {
                match token {
                    Token::Byte(b) => self.push_raw(b, at),
                    Token::Hex(b) => self.push_raw(b, at),
                    _ => self.end_run()?,
                }
                return Ok(());
            }
            Kind::Text => {}
        }
        match token {
            Token::Byte(b'\t') => {
                self.end_run()?;
                self.out.brk('\t');
            }
            Token::Byte(b) | Token::Hex(b) => self.push_raw(b, at),
            Token::Symbol(b'~') => self.push('\u{a0}', at),
            Token::Symbol(b'_') => self.push('-', at),
            Token::Symbol(b'-') => self.push('\u{ad}', at),
            Token::Symbol(c @ (b'\\' | b'{' | b'}')) => self.push(c as char, at),
            Token::Symbol(b'\n' | b'\r') => {
                self.end_run()?;
                self.out.end_paragraph();
            }
            Token::Symbol(_) => self.end_run()?,
            Token::LineEnd | Token::Open | Token::Close | Token::Word(..) => {}
        }
        Ok(())
    }

    fn font(&self) -> Option<i32> {
        self.state.font.or(self.default_font)
    }

    fn encoding(&self) -> Option<&'static Encoding> {
        self.font().and_then(|f| self.fonts.get(&f).copied()).unwrap_or(self.page)
    }

    fn open_run(&mut self, at: Range<usize>) -> &mut Run {
        let glued = self.glued;
        let run = self.run.get_or_insert_with(|| Run {
            at: at.clone(),
            text: String::new(),
            raw: Vec::new(),
            anew: false,
            glued,
        });
        run.at.end = at.end;
        run
    }

    fn push_raw(&mut self, byte: u8, at: Range<usize>) {
        self.open_run(at).raw.push(byte);
    }

    fn push(&mut self, c: char, at: Range<usize>) {
        let encoding = self.encoding();
        let run = self.open_run(at);
        let _ = settle(run, encoding);
        run.text.push(c);
    }

    /// `\u` with its number, and the characters after it that stand for it elsewhere.
    fn unicode(&mut self, number: i32, start: usize, mut end: usize) -> Result<(), Reason> {
        let unit = number as u16;
        let mut stand_in = false;
        for _ in 0..self.state.skip {
            if end >= self.bytes.len() {
                break;
            }
            match token(self.bytes, end)? {
                (Token::Open | Token::Close, _) => break,
                (Token::Word("u", _), _) => break,
                (token, after) => {
                    stand_in |= match token {
                        Token::Byte(b) | Token::Hex(b) => b.is_ascii_alphanumeric(),
                        Token::Word(..) => true,
                        _ => false,
                    };
                    end = after;
                }
            }
        }
        let encoding = self.encoding();
        let run = self.open_run(start..end);
        run.anew |= stand_in;
        settle(run, encoding)?;
        // A character beyond 16 bits comes as two numbers: the first waits as a private mark.
        match char::from_u32(unit.into()) {
            Some(c) => run.text.push(c),
            None if (0xd800..0xdc00).contains(&unit) => {
                run.text.push(char::from_u32(0xf0000 + u32::from(unit - 0xd800)).unwrap_or('\u{FFFD}'));
            }
            None => {
                let high = run.text.pop().map_or(0, |c| c as u32);
                let full = high
                    .checked_sub(0xf0000)
                    .filter(|h| *h < 0x400)
                    .map(|h| 0x10000 + (h << 10) + u32::from(unit - 0xdc00));
                run.text.push(full.and_then(char::from_u32).unwrap_or('\u{FFFD}'));
            }
        }
        Ok(())
    }

    fn end_run(&mut self) -> Result<(), Reason> {
        let encoding = self.encoding();
        let Some(mut run) = self.run.take() else { return Ok(()) };
        settle(&mut run, encoding)?;
        // Written in ASCII, letters are the same whatever becomes of code pages and fonts.
        let signs = self.font().is_some_and(|font| self.symbols.contains(&font));
        let anew = run.anew || !signs && !run.text.is_ascii();
        match self.state.kind {
            Kind::Text if self.state.deleted => {
                count(&mut self.counts, LeftOut::DeletedText);
                self.out.cut(run.at, *b"");
            }
            Kind::Text => {
                let code = Code::Rtf { skip: self.state.skip, anew, glued: run.glued };
                self.out.run(run.at, run.text, code);
            }
            Kind::Table | Kind::Fonts => {
                let name = run.text.trim_end_matches(';');
                let end = run.at.end - (run.text.len() - name.len()).min(run.at.len());
                // What is written in UTF-8 under another code page tells no less.
                let bytes = self.bytes.get(run.at.clone()).unwrap_or_default();
                let value = match name.is_ascii() {
                    true => name.to_owned(),
                    false => format!("{name} {}", String::from_utf8_lossy(bytes)),
                };
                match is_built_in(name) {
                    true => self.out.watched_inside(run.at.start..end, &value),
                    false => self.out.named(run.at.start..end, &value),
                }
            }
            Kind::Dropped => {}
        }
        Ok(())
    }
}

/// Where the name of a shape's property stands in its group, if the group is that name and numbers and nothing else.
fn property_name(group: &[u8]) -> Option<Range<usize>> {
    let (sn, sv) = (memchr::memmem::find(group, b"\\sn ")?, memchr::memmem::find(group, b"\\sv")?);
    let name = sn + 4..sn + 4 + group.get(sn + 4..sv)?.iter().position(|b| !b.is_ascii_alphanumeric())?;
    let is_layout = |bytes: &[u8]| bytes.iter().all(|b| b" {}\r\n".contains(b));
    let is_number = |b: &u8| b.is_ascii_digit() || b" -;,(){}\r\n".contains(b);
    let before = group[..sn].strip_prefix(b"{\\sp").or_else(|| group[..sn].strip_prefix(b"{\\*\\sp"))?;
    let plain = is_layout(before) && is_layout(&group[name.end..sv]) && group[sv + 3..].iter().all(is_number);
    (plain && name.len() <= 40).then_some(name)
}

fn settle(run: &mut Run, encoding: Option<&'static Encoding>) -> Result<(), Reason> {
    let raw = std::mem::take(&mut run.raw);
    if raw.is_ascii() {
        run.text.extend(raw.iter().map(|b| *b as char));
        return Ok(());
    }
    let encoding = encoding.ok_or("it is written in a code page that is not known; save it again in Word")?;
    // Under a code page of two bytes, letters that belong to nothing could spell a name in another page.
    run.anew |= !encoding.is_single_byte();
    let decode = |bytes: &[u8]| encoding.decode_without_bom_handling(bytes).0.into_owned();
    let (mut from, mut at) = (0, 0);
    while at < raw.len() && encoding.is_single_byte() {
        match mistaken(&raw[at..]) {
            Some(c) => {
                run.text.push_str(&decode(&raw[from..at]));
                run.text.push(c);
                at += c.len_utf8();
                from = at;
            }
            None => at += 1,
        }
    }
    run.text.push_str(&decode(&raw[from..]));
    Ok(())
}

/// A character that a careless program wrote in UTF-8 under another code page.
fn mistaken(raw: &[u8]) -> Option<char> {
    let start = raw.get(..raw.len().min(4))?.utf8_chunks().next()?.valid();
    start.chars().next().filter(|c| is_no_pair_of_letters(*c))
}

/// The token at a place, and the place after it.
fn token(bytes: &[u8], at: usize) -> Result<(Token<'_>, usize), Reason> {
    Ok(match bytes[at] {
        b'{' => (Token::Open, at + 1),
        b'}' => (Token::Close, at + 1),
        b'\r' | b'\n' => (Token::LineEnd, at + 1),
        b'\\' => {
            let next = *bytes.get(at + 1).ok_or(CUT_SHORT)?;
            if next == b'\'' {
                let digits = bytes.get(at + 2..at + 4).and_then(|d| std::str::from_utf8(d).ok());
                return Ok(match digits.and_then(|d| u8::from_str_radix(d, 16).ok()) {
                    Some(byte) => (Token::Hex(byte), at + 4),
                    None => (Token::Symbol(b'\''), at + 2),
                });
            }
            if !next.is_ascii_alphabetic() {
                return Ok((Token::Symbol(next), at + 2));
            }
            let length = bytes[at + 1..].iter().take(64).take_while(|b| b.is_ascii_alphabetic()).count();
            let word = std::str::from_utf8(&bytes[at + 1..at + 1 + length]).unwrap_or_default();
            let mut end = at + 1 + length;
            let minus = bytes.get(end) == Some(&b'-') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
            let from = end + usize::from(minus);
            let digits = bytes
                .get(from..)
                .unwrap_or_default()
                .iter()
                .take(10)
                .take_while(|b| b.is_ascii_digit())
                .count();
            let number = (digits > 0).then(|| {
                let value = bytes[from..from + digits].iter().fold(0i64, |n, b| n * 10 + i64::from(b - b'0'));
                let value = if minus { -value } else { value };
                value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
            });
            if digits > 0 {
                end = from + digits;
            }
            end += usize::from(bytes.get(end) == Some(&b' '));
            (Token::Word(word, number), end)
        }
        byte => (Token::Byte(byte), at + 1),
    })
}

/// The place after the group that opens at `start`.
fn group_end(bytes: &[u8], start: usize) -> Result<usize, Reason> {
    let (mut at, mut depth) = (start, 0usize);
    while at < bytes.len() {
        let (token, end) = token(bytes, at)?;
        match token {
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            Token::Word("bin", count) => {
                at = end + usize::try_from(count.unwrap_or(0)).unwrap_or(0);
                continue;
            }
            _ => {}
        }
        at = end;
        if depth == 0 {
            return Ok(at);
        }
    }
    Err(CUT_SHORT.into())
}

/// The plain characters of a group, without control words.
fn bare(bytes: &[u8]) -> String {
    let (mut at, mut out) = (0, String::new());
    while at < bytes.len() {
        let Ok((token, end)) = token(bytes, at) else { break };
        match token {
            Token::Byte(b) | Token::Hex(b) => out.push(if b.is_ascii() { b as char } else { '?' }),
            Token::Symbol(c @ (b'\\' | b'{' | b'}')) => out.push(c as char),
            Token::Word("u", _) => out.push('?'),
            _ => {}
        }
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rtf: &str) -> (String, String) {
        let opened = open(rtf.as_bytes()).unwrap();
        let back = opened.back.write(&opened.text, &[]).unwrap();
        (opened.text, String::from_utf8_lossy(&back).into_owned())
    }

    #[test]
    fn properties_of_shapes_are_a_name_and_numbers() {
        for (group, name) in [
            (r"{\sp{\sn dxTextRight}{\sv 0}}", Some("dxTextRight")),
            (r"{\sp{\sn wzName}{\sv Cadre Dupont}}", None),
            (r"{\sp{\sn dxTextRighde Dupont \tab}{\sv 0}}", None),
            (r"{\sp{\sn dxTextRight Dupont}}", None),
            (r"{\sp Dupont{\sn dxTextRight}{\sv 0}}", None),
            (r"{\sp{\sv 0}{\sn Dupont}}", None),
        ] {
            assert_eq!(property_name(group.as_bytes()).map(|at| &group[at]), name, "{group}");
        }
    }

    #[test]
    fn shown_text_is_read_in_its_code_pages() {
        let (text, back) = read(
            "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fnil Arial;}{\\f1\\fcharset238 Times;}}\
             {\\info{\\author Dupont}{\\title Dupont}}{\\*\\generator Dupont;}{\\*\\revtbl {Unknown;}{Dupont;}}\
             {\\header Service de M\\'e9decine\\par}\\pard Mme {\\b DU}PONT n\\'e9e \\u201\\'c9lo\\uc0\\u239 se\\uc1 \\f1\\'f8\\plain\\par\
             {\\field{\\*\\fldinst{HYPERLINK \"mailto:dupont@x.fr\"}}{\\fldrslt lien}}\\tab{\\deleted Dupont}\
             {\\*\\bkmkstart Dupont}Nom\\cell A\\cell\\row{\\pict\\pngblip 0102}{\\footnote note\\par}\\line fin\\par}\0Dupont",
        );
        assert_eq!(text, "Mme DUPONT née Éloïseř\nService de Médecine\nlien\tNom\tA\n\nfin\nnote\n");
        assert!(!back.contains("Dupont") && !back.contains("dupont") && !back.contains("0102"), "{back}");
        assert!(back.contains("{\\*\\fldinst }") && back.contains("{\\f0\\fnil Arial;}"), "{back}");
    }

    #[test]
    fn letters_in_utf_8_under_a_code_page_are_read() {
        for (rtf, expected) in [
            ("{\\rtf1\\ansi\\ansicpg1252 Mme ESCOUBÈS n\\'e9e à l’\\'c9cole}", "Mme ESCOUBÈS née à l’École"),
            ("{\\rtf1\\ansi\\ansicpg1251 ESCOUBÈS \\'c8}", "ESCOUBÈS И"),
            ("{\\rtf1\\ansi\\ansicpg1252 \\'abCAF\\'c9\\'bb}", "«CAFÉ»"),
        ] {
            assert_eq!(read(rtf).0.trim_end(), expected);
        }
    }

    #[test]
    fn letters_are_written_without_code_page_and_signs_stay() {
        let (text, back) = read(
            "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}{\\f3\\fcharset2 Symbol;}}\\f3\\'b7\\f0 n\\'e9e \u{e0} Nantes}",
        );
        assert_eq!(text, "·née à Nantes");
        assert!(back.contains("\\f3\\'b7\\f0 n\\u233?e \\u224? Nantes"), "{back}");
    }

    #[test]
    fn a_surrogate_does_not_join_the_control_word_before_it() {
        for (rtf, expected) in [
            ("{\\rtf1{\\b\\'c9lodie}}", "{\\b Luce}"),
            ("{\\rtf1{\\b{\\*\\foo x}\\'c9lodie}}", "{\\b Luce}"),
            ("{\\rtf1{\\b\\u201?lodie}}", "{\\b Luce}"),
            ("{\\rtf1{\\b \\'c9lodie}}", "{\\b Luce}"),
            ("{\\rtf1{\\b\n\\'c9lodie}}", "{\\b\nLuce}"),
            ("{\\rtf1{\\celX\\'c9lodie}}", "{{}Luce}"),
        ] {
            let opened = open(rtf.as_bytes()).unwrap();
            assert_eq!(opened.text, "Élodie");
            let (new, spans) = crate::text_edit::tests::replace_once(&opened.text, &[("Élodie", "Luce")]);
            let back = opened.back.write(&new, &spans).unwrap();
            assert!(String::from_utf8_lossy(&back).contains(expected), "{rtf}");
        }
    }

    #[test]
    fn a_control_word_that_is_none_does_not_stay() {
        let (text, back) = read("{\\rtf1 Nom\\celDupont {\\b\\trftsWidth3 Mme\\par}\\clNoWrap}");
        assert_eq!(text, "NomMme\n");
        assert!(!back.contains("Dupont") && back.contains("Nom{}{\\b\\trftsWidth3 Mme"), "{back}");
    }

    #[test]
    fn bad_files_are_refused() {
        let deep = "{\\rtf1 ".to_owned() + &"{".repeat(100_000);
        for rtf in [
            deep.as_str(),
            "{\\rtf1 cut short",
            "{\\*\\bkmkstart a}",
            "{\\rtfDupont}",
            "{\\rtf1 a\\",
            "{\\rtf1 {\\object{\\*\\objdata 01}}}",
            "{\\rtf1 \\bin4 abcd}",
            "{\\rtf1\\pca \\'82}",
            "{\\rtf1 {\\*\\fldinst {",
        ] {
            assert!(open(rtf.as_bytes()).is_err(), "{rtf:.40}");
        }
    }
}
