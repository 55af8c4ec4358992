//! Random numbers that are always the same, and damage done with them.

/// A generator that gives the same numbers for the same seed.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }

    /// Changes bytes in a few places: flipped, cut, repeated, moved, numbers at their limits, pieces of another input.
    pub fn spoil(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..1 + self.below(5) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            let most = 1 << self.below(9);
            let length = 1 + self.below(most);
            let end = (at + length).min(bytes.len());
            match self.below(9) {
                0 => bytes[at] = self.below(256) as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => {
                    bytes[at] =
                        [0, 0xFF, 0x7F, 0x80, b'<', b'{', b'"', b'\\', b'|', b'&', 0xC3][self.below(11)]
                }
                3 if self.below(4) == 0 => bytes.truncate(at),
                3 => drop(bytes.drain(at..end)),
                4 => {
                    let copy = bytes[at..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
                5 => {
                    let copy = bytes[at..end].repeat(1 + self.below(20));
                    bytes.splice(at..at, copy);
                }
                6 => {
                    let number = [0, u32::MAX, i32::MAX as u32, 1 << 31, bytes.len() as u32][self.below(5)];
                    let wide = number.to_le_bytes();
                    let n = wide.len().min(bytes.len() - at);
                    bytes[at..at + n].copy_from_slice(&wide[..n]);
                }
                7 => bytes[at..end].fill(0),
                _ => {
                    let from = self.below(other.len());
                    let piece = &other[from..(from + length).min(other.len())];
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
        }
    }
}
