//! Other forms of a letter to learn from: other identities, other ways of writing.

use taire_corpus::{MarkedDocument, NoiseKind, Refiller, Rng, noise};
use taire_text::Language;

/// How often a letter is changed, in percent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// New identities.
    pub(crate) refilled: usize,
    /// All in small letters, all in capitals, without accents.
    pub(crate) case: usize,
    /// Scanning, typing, broken lines.
    pub(crate) noise: usize,
}

pub(crate) struct Variants {
    refillers: Vec<(Language, Refiller)>,
    shares: Shares,
}

impl Variants {
    pub(crate) fn new(shares: Shares) -> Variants {
        let refillers = taire_corpus::LANGUAGES.into_iter().map(|l| (l, Refiller::new(l))).collect();
        Variants { refillers, shares }
    }

    /// One form of a letter. The same number gives the same form.
    pub(crate) fn make(&self, letter: &MarkedDocument, number: u64) -> MarkedDocument {
        let mut rng = Rng::of_document(number, 7);
        let refiller = self.refillers.iter().find(|(l, _)| *l == letter.language);
        let mut out = match refiller {
            Some((_, refiller)) if rng.percent(self.shares.refilled) => refiller.refill(letter, number),
            _ => letter.clone(),
        };
        if rng.percent(self.shares.noise) {
            out = noise::mixed(&out, number);
        }
        if rng.percent(self.shares.case) {
            let kinds: &[NoiseKind] = match rng.below(100) {
                0..=31 => &[NoiseKind::LowerCase],
                32..=55 => &[NoiseKind::LowerCase, NoiseKind::NoAccents],
                56..=81 => &[NoiseKind::NoAccents],
                82..=91 => &[NoiseKind::Capitals],
                _ => &[NoiseKind::PlainCapitals],
            };
            out = kinds.iter().fold(out, |document, &kind| noise::apply(&document, kind, number));
        }
        out
    }
}
