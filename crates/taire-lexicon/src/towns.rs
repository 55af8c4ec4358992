//! The table of towns, read in place.
//!
//! Four sections after their lengths: records of [`RECORD`] bytes, postal codes of 5 bytes in the order of the
//! towns, names, and pairs of postal code and town sorted by code. `cargo xtask lexicons` writes it.

use std::fmt;

use taire_text::{Kind, fold_into, tokenise};

const RECORD: usize = 34;
const PAIR: usize = 9;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TownKind {
    /// A town of today.
    Town,
    /// A part of a city (`Paris 13e Arrondissement`).
    Arrondissement,
    /// A town that has since joined another.
    Former,
}

/// One town.
#[derive(Clone, Copy)]
pub struct Town<'a> {
    table: Table,
    index: usize,
    record: &'a [u8],
}

impl Town<'static> {
    fn number(&self, at: usize) -> u32 {
        number(self.record, at)
    }

    fn code_at(&self, at: usize, width: usize) -> &'static str {
        text(&self.record[at..at + width]).trim_end_matches('\0')
    }

    /// Its place in [`crate::Lexicon::towns`].
    pub fn index(&self) -> usize {
        self.index
    }

    pub fn name(&self) -> &'static str {
        let start = self.number(0) as usize;
        text(&self.table.names[start..start + usize::from(self.record[20])])
    }

    /// The name as it is searched: folded words joined by one space.
    pub fn folded(&self) -> String {
        let name = self.name();
        let mut folded = String::with_capacity(name.len());
        for token in tokenise(name).iter().filter(|t| matches!(t.kind, Kind::Word | Kind::Number)) {
            if !folded.is_empty() {
                folded.push(' ');
            }
            fold_into(token.of(name), &mut folded);
        }
        folded
    }

    pub fn kind(&self) -> TownKind {
        match self.record[22] {
            0 => TownKind::Town,
            1 => TownKind::Arrondissement,
            _ => TownKind::Former,
        }
    }

    /// INSEE or INE code.
    pub fn code(&self) -> &'static str {
        self.code_at(23, 5)
    }

    /// Department or province.
    pub fn department(&self) -> &'static str {
        self.code_at(28, 3)
    }

    /// Region or autonomous community.
    pub fn region(&self) -> &'static str {
        self.code_at(31, 3)
    }

    /// Degrees north.
    pub fn latitude(&self) -> f64 {
        f64::from(self.number(8) as i32) / 1e5
    }

    /// Degrees east.
    pub fn longitude(&self) -> f64 {
        f64::from(self.number(12) as i32) / 1e5
    }

    /// Inhabitants; 0 if unknown.
    pub fn population(&self) -> u32 {
        self.number(16)
    }

    pub fn postal_codes(&self) -> impl ExactSizeIterator<Item = &'static str> + use<> {
        let start = self.number(4) as usize * 5;
        self.table.postal[start..start + usize::from(self.record[21]) * 5].chunks_exact(5).map(text)
    }
}

impl PartialEq for Town<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.record, other.record)
    }
}

impl Eq for Town<'_> {}

/// A town may be somebody's home: only its code is shown.
impl fmt::Debug for Town<'static> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Town(#{})", self.index)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Table {
    records: &'static [u8],
    postal: &'static [u8],
    names: &'static [u8],
    pairs: &'static [u8],
    index: &'static [u8],
}

impl Table {
    pub(crate) fn new(bytes: &'static [u8], index: &'static [u8]) -> Table {
        let (lengths, mut rest) = bytes.split_at(16);
        let mut section = |i: usize| {
            let (section, after) = rest.split_at(number(lengths, 4 * i) as usize);
            rest = after;
            section
        };
        Table { records: section(0), postal: section(1), names: section(2), pairs: section(3), index }
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len() / RECORD
    }

    pub(crate) fn get(&self, index: usize) -> Option<Town<'static>> {
        let record = self.records.get(index * RECORD..(index + 1) * RECORD)?;
        Some(Town { table: *self, index, record })
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Town<'static>> + use<> {
        let table = *self;
        (0..self.len()).filter_map(move |i| table.get(i))
    }

    /// The towns of a run of the name index: its start, then 12 bits of length.
    pub(crate) fn run(&self, value: u64) -> impl Iterator<Item = Town<'static>> + use<> {
        let table = *self;
        let (start, length) = ((value >> 12) as usize, (value & 0xfff) as usize);
        (start..start + length).filter_map(move |i| table.get(number(table.index, 4 * i) as usize))
    }

    pub(crate) fn by_postal(&self, code: &str) -> impl Iterator<Item = Town<'static>> + use<> {
        let table = *self;
        let pair = move |i: usize| &table.pairs[i * PAIR..(i + 1) * PAIR];
        let count = self.pairs.len() / PAIR;
        let mut wanted = [0; 5];
        let known = code.len() == 5;
        if known {
            wanted.copy_from_slice(code.as_bytes());
        }
        let start = if known { partition(count, |i| pair(i)[..5] < wanted[..]) } else { count };
        (start..count)
            .take_while(move |&i| pair(i)[..5] == wanted)
            .filter_map(move |i| table.get(number(pair(i), 5) as usize))
    }

    pub(crate) fn by_code(&self, code: &str) -> Option<Town<'static>> {
        // Each kind is sorted by code, kinds one after the other.
        let mut start = 0;
        for kind in [TownKind::Town, TownKind::Arrondissement, TownKind::Former] {
            let rest = self.len() - start;
            let end = start + partition(rest, |i| self.get(start + i).is_some_and(|t| t.kind() <= kind));
            let at = start + partition(end - start, |i| self.get(start + i).is_some_and(|t| t.code() < code));
            if let Some(town) = self.get(at).filter(|t| at < end && t.code() == code) {
                return Some(town);
            }
            start = end;
        }
        None
    }
}

/// First index for which the test fails, of a run whose front passes it.
fn partition(count: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}
