//! The seeded generator of samples, bootstraps and tests: the same seed gives the same numbers everywhere.

/// SplitMix64 (Steele, Lea & Flood, 2014). Not for secrets.
///
/// ```
/// use taire_text::SplitMix64;
///
/// let mut random = SplitMix64::new(1);
/// assert!(random.below(6) < 6);
/// assert_eq!(SplitMix64::new(1).next_u64(), SplitMix64::new(1).next_u64());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that gives the same numbers for the same seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// A number from 0 to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from -1 to 1, without 1.
    pub fn symmetric(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Puts the items in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// A uniform sample of at most `most` numbers of `0..n`, in order.
    pub fn sample(&mut self, n: usize, most: usize) -> Vec<usize> {
        let mut out = Vec::with_capacity(n.min(most));
        let mut wanted = most.min(n);
        for i in 0..n {
            if wanted == 0 {
                break;
            }
            if self.below(n - i) < wanted {
                out.push(i);
                wanted -= 1;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_the_size_asked_for_and_no_doubles() {
        let sample = SplitMix64::new(7).sample(1000, 50);
        assert_eq!(sample.len(), 50);
        assert!(sample.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(SplitMix64::new(7).sample(3, 50), vec![0, 1, 2]);
    }

    /// The first numbers of the reference implementation (Vigna, `splitmix64.c`) for seed 1234567.
    #[test]
    fn numbers_are_those_of_the_reference() {
        let mut random = SplitMix64::new(1_234_567);
        let numbers = [(); 3].map(|()| random.next_u64());
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }
}
