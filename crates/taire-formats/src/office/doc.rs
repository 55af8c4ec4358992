//! Word 97-2003 (.doc), read to text: the letter with its headers, footers, notes, comments and text boxes. It is
//! written as plain text, because nothing in the binary format can be changed with safety.
//!
//! The text of such a file lies in pieces; a table says where. Offsets and counts come from the file and are checked
//! against it before they are used.

use std::io::{Cursor, Read};
use std::ops::Range;

use super::{Back, Counts, LeftOut, Opened, count};
use crate::Reason;

const DAMAGED: &str = "it is a Word 97-2003 file that is damaged or cut short";

pub(crate) fn open(bytes: &[u8]) -> Result<Opened, Reason> {
    let mut file = cfb::CompoundFile::open(Cursor::new(bytes)).map_err(|_| DAMAGED)?;
    refuse_parts(&file)?;
    let word = stream(&mut file, "WordDocument")?;
    let fib = Fib::read(&word)?;
    let table = stream(&mut file, fib.table)?;
    let pieces = Pieces::read(&word, &table, &fib)?;
    let deleted = deleted_ranges(&word, &table, &fib)?;
    let mut counts = Counts::new();
    count(&mut counts, LeftOut::Properties);
    let mut text = String::new();
    // Headers first, as they stand above the letter.
    for part in [2, 0, 6, 1, 5, 4, 7] {
        let story = pieces.story(&word, fib.parts[part].clone(), &deleted, &mut counts)?;
        push_story(&mut text, &story, &mut counts);
    }
    Ok(Opened { text, back: Back::Text, left_out: counts, pages: Vec::new() })
}

fn refuse_parts(file: &cfb::CompoundFile<Cursor<&[u8]>>) -> Result<(), Reason> {
    if file.exists("/EncryptedPackage") || file.exists("/EncryptionInfo") {
        return Err("it is encrypted; remove its password first".into());
    }
    if file.exists("/Macros") || file.exists("/_VBA_PROJECT_CUR") {
        return Err("it holds macros; save it without them".into());
    }
    if file.exists("/ObjectPool")
        && file.read_storage("/ObjectPool").is_ok_and(|mut entries| entries.next().is_some())
    {
        return Err("it holds an embedded object, which is not treated; remove it".into());
    }
    if !file.exists("/WordDocument") {
        return Err("it is an Office 97-2003 file without a Word document, which is not read".into());
    }
    Ok(())
}

fn stream(file: &mut cfb::CompoundFile<Cursor<&[u8]>>, name: &str) -> Result<Vec<u8>, Reason> {
    let stream = file.open_stream(format!("/{name}")).map_err(|_| DAMAGED)?;
    let mut bytes = Vec::new();
    stream.take(crate::LIMIT as u64).read_to_end(&mut bytes).map_err(|_| DAMAGED)?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, Reason> {
    let two = bytes.get(at..).and_then(|b| b.first_chunk::<2>()).ok_or(DAMAGED)?;
    Ok(u16::from_le_bytes(*two))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<usize, Reason> {
    let four = bytes.get(at..).and_then(|b| b.first_chunk::<4>()).ok_or(DAMAGED)?;
    Ok(u32::from_le_bytes(*four) as usize)
}

/// The file information block: what lies where.
struct Fib {
    table: &'static str,
    /// Character positions of the letter, footnotes, headers, macros, comments, endnotes, text boxes, and text boxes of
    /// headers.
    parts: [Range<usize>; 8],
    pieces: Range<usize>,
    characters: Range<usize>,
}

impl Fib {
    fn read(word: &[u8]) -> Result<Fib, Reason> {
        const COUNTS: usize = 76;
        const PIECES: usize = 154 + 33 * 8;
        const CHARACTERS: usize = 154 + 12 * 8;
        let (magic, version, flags) = (u16_at(word, 0)?, u16_at(word, 2)?, u16_at(word, 10)?);
        if magic != 0xA5EC || version < 0xC1 {
            return Err(
                "it is a Word file older than Word 97, which is not read; save it again in Word".into()
            );
        }
        if flags & 0x0100 != 0 {
            return Err("it is encrypted; remove its password first".into());
        }
        let mut parts: [Range<usize>; 8] = Default::default();
        let mut at = 0usize;
        for (i, part) in parts.iter_mut().enumerate() {
            let length = u32_at(word, COUNTS + 4 * i)?;
            // No text can be longer than the stream it lies in.
            if length > word.len() {
                return Err(DAMAGED.into());
            }
            *part = at..at + length;
            at += length;
        }
        let range = |at: usize| {
            Ok::<_, Reason>(u32_at(word, at)?..u32_at(word, at)?.saturating_add(u32_at(word, at + 4)?))
        };
        let table = if flags & 0x0200 != 0 { "1Table" } else { "0Table" };
        Ok(Fib { table, parts, pieces: range(PIECES)?, characters: range(CHARACTERS)? })
    }
}

struct Piece {
    characters: Range<usize>,
    /// Where its first character lies.
    at: usize,
    wide: bool,
}

struct Pieces(Vec<Piece>);

impl Pieces {
    fn read(word: &[u8], table: &[u8], fib: &Fib) -> Result<Pieces, Reason> {
        let mut rest = table.get(fib.pieces.clone()).ok_or(DAMAGED)?;
        while rest.first() == Some(&1) {
            let length = usize::from(u16_at(rest, 1)?);
            rest = rest.get(3 + length..).ok_or(DAMAGED)?;
        }
        if rest.first() != Some(&2) {
            return Err(DAMAGED.into());
        }
        let length = u32_at(rest, 1)?;
        let list = rest.get(5..).and_then(|r| r.get(..length)).ok_or(DAMAGED)?;
        let count = list.len().saturating_sub(4) / 12;
        let mut pieces = Vec::with_capacity(count);
        for i in 0..count {
            let (start, end) = (u32_at(list, 4 * i)?, u32_at(list, 4 * i + 4)?);
            let place = u32_at(list, 4 * (count + 1) + 8 * i + 2)?;
            let wide = place & 0x4000_0000 == 0;
            let place = place & 0x3fff_ffff;
            let at = if wide { place } else { place / 2 };
            let size = end.checked_sub(start).ok_or(DAMAGED)?.saturating_mul(if wide { 2 } else { 1 });
            if pieces.last().is_some_and(|p: &Piece| p.characters.end != start)
                || at.saturating_add(size) > word.len()
            {
                return Err(DAMAGED.into());
            }
            pieces.push(Piece { characters: start..end, at, wide });
        }
        Ok(Pieces(pieces))
    }

    /// The characters of one part of the document, without passages marked as deleted.
    fn story(
        &self,
        word: &[u8],
        range: Range<usize>,
        deleted: &[Range<usize>],
        counts: &mut Counts,
    ) -> Result<Vec<char>, Reason> {
        let mut out = Vec::new();
        let mut was_deleted = false;
        for piece in &self.0 {
            let (start, end) = (range.start.max(piece.characters.start), range.end.min(piece.characters.end));
            let mut high = None;
            for character in start..end {
                let offset = character - piece.characters.start;
                let at = piece.at + if piece.wide { 2 * offset } else { offset };
                let is_deleted = in_ranges(deleted, at);
                if is_deleted && !was_deleted {
                    count(counts, LeftOut::DeletedText);
                }
                was_deleted = is_deleted;
                if is_deleted {
                    continue;
                }
                if piece.wide {
                    match char::decode_utf16(high.take().into_iter().chain([u16_at(word, at)?])).next() {
                        Some(Ok(c)) => out.push(c),
                        Some(Err(e)) if (0xd800..0xdc00).contains(&e.unpaired_surrogate()) => {
                            high = Some(e.unpaired_surrogate());
                        }
                        _ => out.push('\u{FFFD}'),
                    }
                } else {
                    let byte = [*word.get(at).ok_or(DAMAGED)?];
                    out.extend(encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte).0.chars());
                }
            }
        }
        Ok(out)
    }
}

fn in_ranges(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|r| r.end <= at);
    ranges.get(next).is_some_and(|r| r.contains(&at))
}

/// Bytes of the text stream that change tracking marks as deleted.
fn deleted_ranges(word: &[u8], table: &[u8], fib: &Fib) -> Result<Vec<Range<usize>>, Reason> {
    const PAGE: usize = 512;
    let list = table.get(fib.characters.clone()).ok_or(DAMAGED)?;
    let pages = list.len().saturating_sub(4) / 8;
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for i in 0..pages {
        let number = u32_at(list, 4 * (pages + 1) + 4 * i)? & 0x003f_ffff;
        let page = word.get(number.saturating_mul(PAGE)..).and_then(|w| w.get(..PAGE)).ok_or(DAMAGED)?;
        let runs = usize::from(page[PAGE - 1]);
        for run in 0..runs {
            let (start, end) = (u32_at(page, 4 * run)?, u32_at(page, 4 * run + 4)?);
            let at = 2 * usize::from(*page.get(4 * (runs + 1) + run).ok_or(DAMAGED)?);
            if at == 0 || end <= start {
                continue;
            }
            let length = usize::from(*page.get(at).ok_or(DAMAGED)?);
            let properties = page.get(at + 1..at + 1 + length).ok_or(DAMAGED)?;
            if is_deleted(properties) {
                ranges.push(start..end);
            }
        }
    }
    ranges.sort_by_key(|r| (r.start, r.end));
    ranges.dedup_by(|next, last| {
        let joined = next.start <= last.end;
        if joined {
            last.end = last.end.max(next.end);
        }
        joined
    });
    Ok(ranges)
}

/// Whether a list of character properties says "deleted".
fn is_deleted(mut properties: &[u8]) -> bool {
    const DELETED: u16 = 0x0800;
    while let [low, high, rest @ ..] = properties {
        let code = u16::from_le_bytes([*low, *high]);
        if code == DELETED {
            return rest.first().is_some_and(|value| *value != 0);
        }
        let size = match code >> 13 {
            0 | 1 => 1,
            2 | 4 | 5 => 2,
            3 => 4,
            7 => 3,
            _ => 1 + usize::from(rest.first().copied().unwrap_or(0)),
        };
        properties = rest.get(size..).unwrap_or_default();
    }
    false
}

/// Adds a part as text: marks become lines and tabs, instructions of fields go, what they show stays.
fn push_story(text: &mut String, story: &[char], counts: &mut Counts) {
    let from = text.len();
    // For each open field, whether it shows its result yet.
    let mut fields: Vec<bool> = Vec::new();
    let mut last_cell = false;
    for &c in story {
        match c {
            '\u{13}' => {
                fields.push(false);
                continue;
            }
            '\u{14}' => {
                if let Some(shows) = fields.last_mut() {
                    count(counts, LeftOut::FieldCodes);
                    *shows = true;
                }
                continue;
            }
            '\u{15}' => {
                fields.pop();
                continue;
            }
            _ if fields.contains(&false) => continue,
            _ => {}
        }
        let cell = c == '\u{7}';
        match c {
            // The mark that ends a row follows that of its last cell.
            '\u{7}' if last_cell => {
                text.pop();
                text.push('\n');
            }
            '\u{7}' => text.push('\t'),
            '\r' | '\u{b}' | '\u{c}' | '\u{e}' if text[from..].ends_with("\n\n") => {}
            '\r' | '\u{b}' | '\u{c}' | '\u{e}' => text.push('\n'),
            '\u{1}' | '\u{8}' => count(counts, LeftOut::Pictures),
            '\u{1e}' => text.push('-'),
            '\t' => text.push('\t'),
            '\0'..='\u{1f}' => {}
            c => text.push(c),
        }
        last_cell = cell && !last_cell;
    }
    if text[from..].trim().is_empty() {
        text.truncate(from);
    } else if !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_lines_and_tabs() {
        let story: Vec<char> =
            "Nom\u{7}PETIT\u{7}\u{7}Le \u{13} HYPERLINK \"x\" \u{14}lien\u{15}\rfin\u{1}".chars().collect();
        let (mut text, mut counts) = (String::new(), Counts::new());
        push_story(&mut text, &story, &mut counts);
        assert_eq!(text, "Nom\tPETIT\nLe lien\nfin\n");
        assert_eq!(counts.len(), 2);
    }

    #[test]
    fn deletion_is_found_among_properties() {
        assert!(is_deleted(&[0x43, 0x4a, 24, 0, 0x00, 0x08, 1]));
        assert!(!is_deleted(&[0x43, 0x4a, 24, 0, 0x00, 0x08, 0]));
        assert!(!is_deleted(&[0x01, 0x08, 1, 0x00]));
    }

    #[test]
    fn noise_is_refused() {
        assert!(open(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 nothing").is_err());
    }
}
