//! Letters and digits that a scanner confused: `G0URDY`, `bou1evard`, `35.7l.40.66`, `593OO`.
//!
//! Detectors read the repaired text; the document itself is not changed. Each byte is replaced by one byte, so
//! offsets are unchanged. A zero inside a word is nearly always a misread letter, and is always repaired. What may
//! also be a unit (`5l`), a vertebra (`l4-l5`) or a gene (`SCN1A`) is repaired only in a document that shows several
//! such confusions, and only inside a longer word or number.

/// From so many confusions on, a document counts as scanned.
const SCANNED_FROM: usize = 3;

/// One byte of the text and what it should have been.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Repair {
    pub(crate) at: usize,
    pub(crate) byte: u8,
}

/// Letters and digits without anything between them.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    start: usize,
    text: &'a str,
}

impl Chunk<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Digits, and letters that a scanner reads for digits; at least one digit.
    fn is_numeric(&self) -> bool {
        self.text.bytes().all(|b| as_digit(b).is_some()) && self.text.bytes().any(|b| b.is_ascii_digit())
    }
}

/// The digit that a byte is, or that a scanner may have misread as it.
fn as_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte),
        b'O' | b'o' => Some(b'0'),
        b'l' | b'I' => Some(b'1'),
        _ => None,
    }
}

/// What to repair in a text, in order.
pub(crate) fn repairs(text: &str) -> Vec<Repair> {
    if !has_mixed_chunk(text.as_bytes()) {
        return Vec::new();
    }
    let (mut sure, mut doubtful) = (Vec::new(), Vec::new());
    let chunks = chunks(text);
    let mut confusions = 0;
    for (i, chunk) in chunks.iter().enumerate() {
        let mixed = chunk.text.bytes().any(|b| b.is_ascii_digit())
            && chunk.text.bytes().any(|b| b.is_ascii_alphabetic() || b >= 0x80);
        if !mixed {
            continue;
        }
        let before = (sure.len(), doubtful.len());
        if chunk.is_numeric() {
            repair_number(text, &chunks, i, &mut sure, &mut doubtful);
        } else {
            repair_word(chunk, &mut sure, &mut doubtful);
        }
        confusions += usize::from((sure.len(), doubtful.len()) != before);
    }
    if confusions >= SCANNED_FROM {
        sure.append(&mut doubtful);
        sure.sort_unstable_by_key(|repair| repair.at);
    }
    sure
}

/// Whether a letter touches a digit anywhere.
fn has_mixed_chunk(bytes: &[u8]) -> bool {
    let is_letter = |b: u8| b.is_ascii_alphabetic() || b >= 0x80;
    bytes.windows(2).any(|pair| {
        pair[0].is_ascii_digit() && is_letter(pair[1]) || is_letter(pair[0]) && pair[1].is_ascii_digit()
    })
}

fn chunks(text: &str) -> Vec<Chunk<'_>> {
    let (mut out, mut start) = (Vec::new(), None);
    for (i, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphanumeric(), start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                out.push(Chunk { start: from, text: &text[from..i] });
                start = None;
            }
            _ => {}
        }
    }
    out
}

/// The letters of a word as they are written, digits aside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Upper,
    Lower,
    Title,
    Other,
}

fn case_of(word: &str) -> Case {
    // A lower-case `l` among capitals is a misread `I`.
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    let capitals = letters().filter(|c| c.is_uppercase()).count();
    let small = letters().filter(|c| c.is_lowercase() && *c != 'l').count();
    let first = letters().next().is_some_and(char::is_uppercase);
    match (capitals, small) {
        (0, _) => Case::Lower,
        (_, 0) if capitals >= 2 => Case::Upper,
        (1, _) if first => Case::Title,
        _ => Case::Other,
    }
}

fn repair_word(chunk: &Chunk<'_>, sure: &mut Vec<Repair>, doubtful: &mut Vec<Repair>) {
    let word = chunk.text;
    let bytes = word.as_bytes();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    let case = case_of(word);
    let misread = |b: &u8| matches!(b, b'0' | b'1') || *b == b'5' && case == Case::Upper && letters >= 6;
    let all_misread = bytes.iter().all(|b| !b.is_ascii_digit() || misread(b));
    // `T0N0M0` and codes have more digits than a misread word.
    if !all_misread || letters < 4 || digits * 3 > letters || case == Case::Other {
        return;
    }
    let is_letter = |i: usize| !bytes[i].is_ascii_digit();
    for (i, &byte) in bytes.iter().enumerate().filter(|(_, b)| b.is_ascii_digit()) {
        let before = (0..i).rev().take_while(|&j| is_letter(j)).count();
        let after = (i + 1..bytes.len()).take_while(|&j| is_letter(j)).count();
        let zero = byte == b'0';
        let letter = match (case, zero) {
            (Case::Upper, false) if byte == b'5' => b'S',
            (Case::Upper, true) => b'O',
            (Case::Upper, false) => b'I',
            (_, true) if i == 0 && case == Case::Title => b'O',
            (_, true) => b'o',
            (_, false) => b'l',
        };
        let repair = Repair { at: chunk.start + i, byte: letter };
        match () {
            _ if zero && before >= 1 && after >= 2 || zero && before >= 2 && after >= 1 => sure.push(repair),
            _ if byte == b'5' && before >= 2 && after >= 2 => sure.push(repair),
            // `SCN1A` and `HNF1B` end in one letter.
            _ if before >= 1 && after >= 2 => doubtful.push(repair),
            _ if i == 0 && after >= 4 => doubtful.push(repair),
            _ if case == Case::Title && before >= 4 && after == 0 => doubtful.push(repair),
            _ => {}
        }
    }
    if case == Case::Upper {
        let small = bytes.iter().enumerate().filter(|(_, b)| **b == b'l');
        doubtful.extend(small.map(|(i, _)| Repair { at: chunk.start + i, byte: b'I' }));
    }
}

fn repair_number(
    text: &str,
    chunks: &[Chunk<'_>],
    i: usize,
    sure: &mut Vec<Repair>,
    doubtful: &mut Vec<Repair>,
) {
    let chunk = &chunks[i];
    let bytes = chunk.text.as_bytes();
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    let repair = |(j, byte): (usize, u8)| Repair { at: chunk.start + j, byte };
    let misread = bytes.iter().enumerate().filter(|(_, b)| !b.is_ascii_digit());
    let misread = misread.filter_map(|(j, &b)| as_digit(b).map(|digit| (j, digit)));
    let zeros = bytes.iter().all(|b| b.is_ascii_digit() || matches!(b, b'O' | b'o'));
    let inner = bytes[0].is_ascii_digit() && bytes[bytes.len() - 1].is_ascii_digit();
    // An `I` may be a month in Roman numerals: `7III1900`.
    let roman = bytes.contains(&b'I');
    if digits >= 2 && !roman && (zeros && bytes.len() >= 3 || inner) {
        sure.extend(misread.map(repair));
        return;
    }
    let joined = |a: Option<&Chunk<'_>>, b: &Chunk<'_>, marks: &[&str]| {
        a.is_some_and(|a| {
            a.is_numeric() && marks.contains(&&text[a.end().min(b.start)..b.start.max(a.end())])
        })
    };
    let follows = |marks: &[&str]| joined(i.checked_sub(1).map(|h| &chunks[h]), chunk, marks);
    let goes_on = |marks: &[&str]| chunks.get(i + 1).is_some_and(|next| joined(Some(chunk), next, marks));
    let has_three = |from: usize| {
        chunks.get(from..from + 3).is_some_and(|three| {
            three.windows(2).all(|pair| pair[1].is_numeric() && joined(Some(&pair[0]), &pair[1], &["."]))
        })
    };
    // A date or a telephone of three groups or more, or a group between two others.
    let grouped = (i.saturating_sub(2)..=i).any(has_three);
    let between = follows(&[" ", ".", "-"]) && goes_on(&[" ", ".", "-"]);
    if grouped || between && !matches!(chunk.text, "O2" | "o2") {
        doubtful.extend(misread.map(repair));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for Repair { at, byte } in repairs(text) {
            bytes[at] = byte;
        }
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn zeros_inside_words_and_letters_inside_numbers_are_repaired() {
        assert_eq!(repaired("Mme G0URDY, 593OO Valenciennes"), "Mme GOURDY, 59300 Valenciennes");
        assert_eq!(repaired("dossier 448l2"), "dossier 44812");
        assert_eq!(repaired("Mme TRE5CARTES"), "Mme TRESCARTES");
    }

    #[test]
    fn what_may_be_medicine_stays_in_a_clean_document() {
        for text in [
            "pT0N0M0, CT0N0",
            "SCN1A et BRCA1, HNF1B",
            "5l d'O2, 3l/min",
            "hernie l4-l5",
            "HbA1c 7 %",
            "SpO2 98",
            "H1N1, CA19-9, CD10",
            "alpha1-antitrypsine",
            "G0P0",
            "1,5l",
            "IL1R",
            "COVID19",
            "J0, J1",
        ] {
            assert_eq!(repaired(text), text);
        }
    }

    #[test]
    fn a_scanned_document_is_repaired_further() {
        let text = "M. HAUSW1RTH, bou1evard de la Gare, né le l9.O2.3l, tél. 35.7l.40.66, R0UEN, sous O2 3l/min, SCN1A";
        let wanted = "M. HAUSWIRTH, boulevard de la Gare, né le 19.02.31, tél. 35.71.40.66, ROUEN, sous O2 3l/min, SCN1A";
        assert_eq!(repaired(text), wanted);
    }
}
