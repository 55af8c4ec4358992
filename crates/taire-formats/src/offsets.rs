//! Offsets between the units people count in: bytes, Unicode code points, UTF-16 units. One pass over the
//! text whatever the number of spans.

/// The unit of `start` and `end` in annotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Offsets {
    /// What Python and BRAT count.
    #[default]
    CodePoints,
    Bytes,
    /// What JavaScript and Java count.
    Utf16,
}

impl Offsets {
    fn count(self, text: &str) -> usize {
        match self {
            Offsets::CodePoints => text.chars().count(),
            Offsets::Bytes => text.len(),
            Offsets::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Offsets::CodePoints => 1,
            Offsets::Bytes => c.len_utf8(),
            Offsets::Utf16 => c.len_utf16(),
        }
    }
}

/// The start of the character that holds a byte offset; the end of the text beyond it.
pub(crate) fn floor(text: &str, byte: usize) -> usize {
    let byte = byte.min(text.len());
    (0..=byte).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// Turns byte offsets into another unit, left to right. Going backwards is right too, but starts over.
pub(crate) struct FromBytes<'t> {
    text: &'t str,
    unit: Offsets,
    same: bool,
    byte: usize,
    count: usize,
}

impl<'t> FromBytes<'t> {
    pub(crate) fn new(text: &'t str, unit: Offsets) -> Self {
        let same = unit == Offsets::Bytes || text.is_ascii();
        FromBytes { text, unit, same, byte: 0, count: 0 }
    }

    /// An offset past the end or inside a character counts up to the character that holds it.
    pub(crate) fn get(&mut self, byte: usize) -> usize {
        let byte = floor(self.text, byte);
        if self.same {
            return byte;
        }
        if byte < self.byte {
            (self.byte, self.count) = (0, 0);
        }
        self.count += self.unit.count(&self.text[self.byte..byte]);
        self.byte = byte;
        self.count
    }
}

/// Byte offsets of sorted or unsorted offsets in another unit; `None` for one outside the text.
pub fn to_bytes(text: &str, unit: Offsets, offsets: &[usize]) -> Vec<Option<usize>> {
    if unit == Offsets::Bytes || text.is_ascii() {
        return offsets.iter().map(|&o| (o <= text.len() && text.is_char_boundary(o)).then_some(o)).collect();
    }
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|&i| offsets[i]);
    let mut found = vec![None; offsets.len()];
    let mut chars = text.char_indices();
    let (mut count, mut byte) = (0, 0);
    for i in order {
        while count < offsets[i] {
            let Some((at, c)) = chars.next() else { return found };
            count += unit.width(c);
            byte = at + c.len_utf8();
        }
        if count == offsets[i] {
            found[i] = Some(byte);
        }
    }
    found
}

/// Offsets in another unit of sorted or unsorted byte offsets.
pub fn from_bytes(text: &str, unit: Offsets, bytes: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bytes.len()).collect();
    order.sort_by_key(|&i| bytes[i]);
    let mut found = vec![0; bytes.len()];
    let mut walk = FromBytes::new(text, unit);
    for i in order {
        found[i] = walk.get(bytes[i]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_units_differ_where_they_should() {
        let text = "é😀a";
        assert_eq!(from_bytes(text, Offsets::CodePoints, &[7, 0, 2, 6]), [3, 0, 1, 2]);
        assert_eq!(from_bytes(text, Offsets::Utf16, &[0, 2, 6, 7]), [0, 1, 3, 4]);
        assert_eq!(to_bytes(text, Offsets::Utf16, &[2, 3]), [None, Some(6)]);
        assert_eq!(to_bytes(text, Offsets::CodePoints, &[4, 1]), [None, Some(2)]);
    }

    proptest! {
        #[test]
        fn there_and_back(text in "\\PC{0,40}", picks in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
            let bounds: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
            let bytes: Vec<usize> = picks.iter().map(|p| bounds[p.index(bounds.len())]).collect();
            for unit in [Offsets::CodePoints, Offsets::Bytes, Offsets::Utf16] {
                let other = from_bytes(&text, unit, &bytes);
                for (b, o) in bytes.iter().zip(&other) {
                    prop_assert_eq!(unit.count(&text[..*b]), *o);
                }
                let back: Vec<_> = to_bytes(&text, unit, &other).into_iter().map(Option::unwrap).collect();
                prop_assert_eq!(&back, &bytes);
            }
        }
    }
}
