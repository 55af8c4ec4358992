//! The normalised view that detectors read, and its map back to the bytes as read.
//!
//! Accents are composed, apostrophes, dashes and spaces made plain, ligatures opened, invisible characters
//! dropped, control characters blanked, character references of HTML (`&eacute;`) resolved, letters and digits that a scanner
//! confused put right ([`scanned`](crate::scanned)). Word field codes (`DOCVARIABLE NOM \* MERGEFORMAT`) are blanked too, so
//! that they neither look like names nor glue to what is beside them.

use memchr::{memchr, memmem};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::reference::whole_reference;
use crate::scanned::repairs;
use crate::{Norm, Raw, Span};

/// The normalised text of a document with its offset map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Normalised {
    /// `None` when the raw text is already normal.
    pub text: Option<String>,
    pub map: OffsetMap,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Edit {
    norm: (u32, u32),
    raw: (u32, u32),
}

/// Where the normalised text and the raw text differ in length. Between two edits offsets move in step.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OffsetMap {
    edits: Vec<Edit>,
}

impl OffsetMap {
    /// The raw bytes a normalised span came from. A span that cuts a ligature takes the whole of it.
    pub fn to_raw(&self, span: Span<Norm>) -> Span<Raw> {
        let (start, end) = (span.start() as u32, span.end() as u32);
        let raw_start = match self.edits.partition_point(|e| e.norm.0 <= start).checked_sub(1) {
            None => start,
            Some(i) => {
                let e = self.edits[i];
                if start < e.norm.1 { e.raw.0 } else { e.raw.1 + (start - e.norm.1) }
            }
        };
        if span.is_empty() {
            return Span::new(raw_start as usize, raw_start as usize);
        }
        let raw_end = match self.edits.partition_point(|e| e.norm.0 < end).checked_sub(1) {
            None => end,
            Some(i) => {
                let e = self.edits[i];
                if end <= e.norm.1 { e.raw.1 } else { e.raw.1 + (end - e.norm.1) }
            }
        };
        Span::new(raw_start as usize, raw_end as usize)
    }

    /// The normalised bytes that a raw span became.
    pub fn to_norm(&self, span: Span<Raw>) -> Span<Norm> {
        let (start, end) = (span.start() as u32, span.end() as u32);
        let norm_start = match self.edits.partition_point(|e| e.raw.0 <= start).checked_sub(1) {
            None => start,
            Some(i) => {
                let e = self.edits[i];
                if start < e.raw.1 { e.norm.0 } else { e.norm.1 + (start - e.raw.1) }
            }
        };
        let norm_end = match self.edits.partition_point(|e| e.raw.0 < end).checked_sub(1) {
            None => end,
            Some(i) => {
                let e = self.edits[i];
                if end <= e.raw.1 { e.norm.1 } else { e.norm.1 + (end - e.raw.1) }
            }
        };
        Span::new(norm_start as usize, norm_end.max(norm_start) as usize)
    }
}

/// What one character becomes. `None`: itself.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{00b4}' | '\u{ff07}' => "'",
        '\u{201c}'..='\u{201f}' | '\u{2033}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => "-",
        'œ' => "oe",
        'Œ' => "OE",
        'æ' => "ae",
        'Æ' => "AE",
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{2026}' => "...",
        '\u{2028}' | '\u{2029}' | '\u{85}' => "\n",
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => "",
        '\u{ff10}'..='\u{ff19}' => {
            return ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"].get(c as usize - 0xff10).copied();
        }
        '\u{80}'..='\u{9f}' => " ",
        _ => return None,
    })
}

/// A control character becomes a blank, or a line end where printers break the line.
fn plain_control(b: u8) -> Option<u8> {
    match b {
        0x0b | 0x0c => Some(b'\n'),
        b'\n' | b'\t' | b'\r' => None,
        0..0x20 | 0x7f => Some(b' '),
        _ => None,
    }
}

/// Field names of word processors that may leave their code in extracted text.
const FIELDS: &[&str] = &[
    "DOCVARIABLE",
    "DOCPROPERTY",
    "MERGEFIELD",
    "INCLUDETEXT",
    "FORMTEXT",
    "FORMCHECKBOX",
    "FORMDROPDOWN",
    "NUMPAGES",
    "SECTIONPAGES",
    "PAGEREF",
    "PAGE",
    "FILENAME",
    "SAVEDATE",
    "PRINTDATE",
    "CREATEDATE",
    "DATE",
    "TIME",
    "AUTHOR",
    "TITLE",
    "SUBJECT",
    "REF",
    "ASK",
    "QUOTE",
];

/// Whether a field's code holds its name, switches and the name of a variable, and nothing that somebody wrote: quoted
/// text and addresses must stay visible to the detectors.
fn is_plain_code(code: &str) -> bool {
    const LONGEST: usize = 100;
    let words =
        code.split_whitespace().filter(|w| !w.starts_with('\\') && w.chars().any(char::is_alphabetic));
    code.len() <= LONGEST && !code.contains(['"', '“', '«', '@']) && words.count() <= 2
}

/// Byte ranges of `raw` that hold field codes: from the field's name to its `MERGEFORMAT` switch on the same
/// line, and what is between the binary field-begin and field-separator characters.
fn field_codes(raw: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    let switch = memmem::Finder::new("MERGEFORMAT");
    while let Some(at) = switch.find(&raw.as_bytes()[from..]).map(|i| i + from) {
        let end = at + "MERGEFORMAT".len();
        let line = raw[from..at].rfind(['\n', '\r']).map_or(from, |i| from + i + 1);
        let code = &raw[line..at];
        let field = FIELDS
            .iter()
            .filter_map(|f| code.rfind(f).filter(|&i| starts_word(code, i)))
            .min_by_key(|&i| code.len() - i);
        if let Some(i) = field.filter(|&i| code.contains('\\') && is_plain_code(&code[i..])) {
            found.push((line + i, end));
        } else {
            found.push((at, end));
        }
        from = end;
    }
    from = 0;
    while let Some(begin) = memchr(0x13, &raw.as_bytes()[from..]).map(|i| i + from) {
        from = begin + 1;
        let Some(separator) = raw[from..].find(['\u{14}', '\u{15}', '\u{13}', '\n']).map(|i| i + from) else {
            break;
        };
        let code = &raw[begin + 1..separator];
        let closed = !raw[separator..].starts_with('\n');
        if closed && FIELDS.iter().any(|f| code.trim_start().starts_with(f)) && is_plain_code(code) {
            found.push((begin, separator));
        }
        from = separator;
    }
    found.sort_unstable();
    found
}

fn starts_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Whether a byte may begin a character that is rewritten: a control, a reference, or not ASCII.
const MAY_BE_SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = b >= 0x7f || b == b'&' as usize || b < 0x20 && !matches!(b as u8, b'\n' | b'\t' | b'\r');
        b += 1;
    }
    table
};

/// The first byte that [`MAY_BE_SPECIAL`] has, eight plain ones stepped over at a time.
fn next_candidate(bytes: &[u8]) -> Option<usize> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const SPACES: u64 = 0x2020_2020_2020_2020;
    const ONES: u64 = 0x0101_0101_0101_0101;
    const REFERENCES: u64 = 0x2626_2626_2626_2626;
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        let reference = word ^ REFERENCES;
        let reference = reference.wrapping_sub(ONES) & !reference;
        // Not ASCII, before the space, a delete or `&`: the first of these is classified rightly, those after it may not be.
        let doubtful = (word | !((word | HIGH) - SPACES) | ((word & !HIGH) + ONES) | reference) & HIGH;
        if doubtful == 0 {
            at += 8;
            continue;
        }
        at += doubtful.trailing_zeros() as usize / 8;
        if MAY_BE_SPECIAL[usize::from(bytes[at])] {
            return Some(at);
        }
        at += 1;
    }
    bytes[at..].iter().position(|&b| MAY_BE_SPECIAL[usize::from(b)]).map(|ahead| at + ahead)
}

/// Where the first character at or after `from` starts that is rewritten.
fn next_special(raw: &str, from: usize) -> usize {
    let bytes = raw.as_bytes();
    let mut at = from;
    while let Some(ahead) = bytes.get(at..).and_then(next_candidate) {
        at += ahead;
        match (bytes[at], bytes.get(at + 1).copied().unwrap_or(0)) {
            // The accented letters of Latin-1 but æ and Æ.
            (0xc3, second) if second != 0xa6 && second != 0x86 => at += 2,
            (0xc2, second) if second > 0xa0 && second != 0xad && second != 0xb4 => at += 2,
            (b'&', _) if whole_reference(&raw[at..]).is_none() => at += 1,
            (..0x80, _) => return at,
            _ => match raw[at..].chars().next() {
                Some(c) if plain(c).is_none() && !is_combining_mark(c) => at += c.len_utf8(),
                _ => return at,
            },
        }
    }
    raw.len()
}

/// Builds the normalised view.
pub fn normalise(raw: &str) -> Normalised {
    let fields = field_codes(raw);
    let special = next_special(raw, 0);
    if fields.is_empty() && special == raw.len() {
        return Normalised { text: repaired(raw), map: OffsetMap::default() };
    }
    let mut view = View { raw, text: String::with_capacity(raw.len() + 16), edits: Vec::new() };
    let mut at = 0;
    for (from, end) in fields {
        if end > at {
            let from = from.max(at);
            view.copy(at, from);
            // One blank for each byte: offsets keep in step.
            view.text.extend(std::iter::repeat_n(' ', end - from));
            at = end;
        }
    }
    view.copy(at, raw.len());
    let text = repaired(&view.text).unwrap_or(view.text);
    Normalised { text: Some(text), map: OffsetMap { edits: view.edits } }
}

/// A text with what a scanner confused put right; `None` where nothing is.
fn repaired(text: &str) -> Option<String> {
    let repairs = repairs(text);
    if repairs.is_empty() {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    repairs.iter().for_each(|repair| bytes[repair.at] = repair.byte);
    // Only ASCII takes the place of ASCII.
    String::from_utf8(bytes).ok()
}

struct View<'a> {
    raw: &'a str,
    text: String,
    edits: Vec<Edit>,
}

impl View<'_> {
    /// Appends the plain form of `raw[from..end]`: stretches that need no rewriting are copied whole.
    fn copy(&mut self, from: usize, end: usize) {
        let raw = &self.raw[..end];
        let mut at = from;
        while at < end {
            let mut special = next_special(raw, at);
            // A mark composes with the character before it.
            if let Some(c) = raw[special..].chars().next()
                && is_combining_mark(c)
                && let Some(base) = raw[at..special].chars().next_back().filter(|c| !c.is_control())
            {
                special -= base.len_utf8();
            }
            self.text.push_str(&raw[at..special]);
            at = special;
            if let Some(c) = raw[at..].chars().next() {
                at = self.special(raw, at, c);
            }
        }
    }

    /// Appends one character that is rewritten, with the marks on it; gives the offset after them.
    fn special(&mut self, raw: &str, start: usize, c: char) -> usize {
        let norm = self.text.len();
        let after = start + c.len_utf8();
        let marks: usize =
            raw[after..].chars().take_while(|&c| is_combining_mark(c)).map(char::len_utf8).sum();
        if marks > 0 && !c.is_control() {
            let end = after + marks;
            let cluster = &raw[start..end];
            self.text.extend(cluster.nfc());
            if &self.text[norm..] != cluster {
                self.edit(norm, start, end);
            }
            return end;
        }
        if let Some((resolved, length)) = whole_reference(&raw[start..]) {
            for c in resolved.chars() {
                match plain(c) {
                    Some(new) => self.text.push_str(new),
                    None if c.is_control() => self.text.push(if c == '\n' { c } else { ' ' }),
                    None => self.text.push(c),
                }
            }
            self.edit(norm, start, start + length);
            return start + length;
        }
        match plain(c) {
            None if c.is_ascii() => self.text.push(plain_control(c as u8).map_or(c, char::from)),
            None => self.text.push(c),
            Some(new) => {
                self.text.push_str(new);
                self.edit(norm, start, after);
            }
        }
        after
    }

    fn edit(&mut self, norm: usize, start: usize, end: usize) {
        self.edits
            .push(Edit { norm: (norm as u32, self.text.len() as u32), raw: (start as u32, end as u32) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn norm(raw: &str) -> String {
        normalise(raw).text.unwrap_or_else(|| raw.to_owned())
    }

    /// The raw slice behind the first occurrence of `needle` in the normalised text.
    fn back<'a>(raw: &'a str, needle: &str) -> &'a str {
        let view = normalise(raw);
        let text = view.text.as_deref().unwrap_or(raw);
        let at = text.find(needle).expect("the needle is in the normalised text");
        view.map.to_raw(Span::new(at, at + needle.len())).of(raw)
    }

    #[test]
    fn every_byte_to_look_at_is_seen() {
        for b in 0..=255u8 {
            for at in 0..19 {
                let mut bytes = *b"Rien\td'autre ici.\n.";
                bytes[at] = b;
                let first = bytes.iter().position(|&b| MAY_BE_SPECIAL[usize::from(b)]);
                assert_eq!(next_candidate(&bytes), first, "{b} at {at}");
            }
        }
    }

    #[test]
    fn characters_become_plain() {
        assert_eq!(norm("l’œil\u{a0}: Rene\u{301}\u{ad}e–x\u{0}y"), "l'oeil : Renée-x y");
        assert_eq!(normalise("déjà normal").text, None);
    }

    #[test]
    fn spans_come_back_to_the_bytes_as_read() {
        let raw = "Mme\u{a0}Rene\u{301}e L’Hœuilleux\u{200b}, née";
        assert_eq!(back(raw, "Renée"), "Rene\u{301}e");
        assert_eq!(back(raw, "L'Hoeuilleux"), "L’Hœuilleux");
        assert_eq!(back(raw, "e L"), "e\u{301}e L".strip_prefix("e\u{301}").unwrap());
        assert_eq!(back(raw, "o"), "œ");
        assert_eq!(back(raw, " née"), " née");
    }

    #[test]
    fn references_are_resolved_and_their_spans_come_back() {
        let raw = "M.&nbsp;Lef&egrave;vre, n&#233;e LE GO&Eacute;&Iuml;C &amp;eacute; R&D &lt;5 g&zzz;";
        assert_eq!(norm(raw), "M. Lefèvre, née LE GOÉÏC é R&D <5 g&zzz;");
        assert_eq!(back(raw, "Lefèvre"), "Lef&egrave;vre");
        assert_eq!(back(raw, "GOÉÏC"), "GO&Eacute;&Iuml;C");
        assert_eq!(back(raw, "R&D"), "R&D");
        assert_eq!(back("e&rsquo;&#769;x", "x"), "x");
        assert_eq!(normalise("R&D & Cie").text, None);
    }

    #[test]
    fn field_codes_are_blanked_and_their_result_kept() {
        let raw = "Nom : DOCVARIABLE NOMPATIENT \\? 1001/000.0 \\* MERGEFORMAT LEFEBRE né\u{a0}le";
        let text = norm(raw);
        assert!(!text.contains("NOMPATIENT") && !text.contains("1001"));
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["Nom", ":", "LEFEBRE", "né", "le"]);
        assert_eq!(back(raw, "LEFEBRE"), "LEFEBRE");
        assert_eq!(
            norm("a \u{13} PAGE \u{14}2\u{15} b").split_whitespace().collect::<Vec<_>>(),
            ["a", "2", "b"]
        );
        // What somebody may have written is searched.
        for kept in [
            "\u{13} Mme Kervadec\n vue",
            "\u{13} Mme Kervadec \u{14}2\u{15}",
            "\u{13} QUOTE \"Kervadec\" \u{14}2\u{15}",
            "QUOTE \"Mme Kervadec\" \\* MERGEFORMAT",
            "PAGE vue par Mme Kervadec \\* MERGEFORMAT",
        ] {
            assert!(norm(kept).contains("Kervadec"), "{kept}");
        }
    }

    proptest! {
        #[test]
        fn every_normalised_character_maps_into_bounds(raw in "([&](eacute|#233|amp|oelig);|[a-zéÉ œ’\u{a0}\u{301}\u{200b}\u{0}\n\u{fb01}…0-9&;]){0,40}") {
            let view = normalise(&raw);
            let text = view.text.clone().unwrap_or_else(|| raw.clone());
            let mut last = 0;
            for (i, c) in text.char_indices() {
                let span = view.map.to_raw(Span::new(i, i + c.len_utf8()));
                prop_assert!(raw.get(span.range()).is_some());
                prop_assert!(span.start() >= last || view.map.to_raw(Span::new(i, i)).start() <= last);
                last = span.start();
                let round = view.map.to_norm(span);
                prop_assert!(round.start() <= i && round.end() >= i + c.len_utf8());
            }
            let whole = view.map.to_raw(Span::new(0, text.len()));
            prop_assert!(whole.end() <= raw.len());
        }
    }
}
