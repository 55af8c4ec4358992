//! The model file: magic, version, length and checksum, then language, classes, vocabulary, transitions, features and
//! weights.
//!
//! Numbers are little-endian; feature hashes are sorted and written as differences in groups of seven bits. Equal
//! models give equal bytes. A file that is cut, damaged or of another version is refused.

use super::data::Lattice;
use super::model::{Crf, HASH_BITS, ModelParts};
use crate::Error;
use crate::features::Entry;

const MAGIC: &[u8; 8] = b"TAIRECRF";
const VERSION: u32 = 2;
const MAX_CLASSES: usize = 127;

impl ModelParts {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.features.len() * 12 + 4096);
        let language = self.language.key();
        varint(&mut body, language.len() as u64);
        body.extend(language.as_bytes());
        varint(&mut body, self.settings.into());
        body.extend(self.unit.to_le_bytes());
        varint(&mut body, self.classes.len() as u64);
        for class in &self.classes {
            varint(&mut body, class.len() as u64);
            body.extend(class.as_bytes());
        }
        varint(&mut body, self.vocabulary.len() as u64);
        let mut last = 0;
        for entry in &self.vocabulary {
            varint(&mut body, entry.word - last);
            last = entry.word;
            varint(&mut body, u64::from(entry.cluster) << 1 | u64::from(entry.loud));
        }
        self.transitions.iter().for_each(|w| body.extend(w.to_le_bytes()));
        varint(&mut body, self.features.len() as u64);
        let mut last = 0;
        for feature in &self.features {
            varint(&mut body, feature.hash - last);
            last = feature.hash;
            body.push(feature.weights.len() as u8);
            for &(label, weight) in &feature.weights {
                body.push(label);
                varint(&mut body, zigzag(weight));
            }
        }
        let mut bytes = Vec::with_capacity(body.len() + 28);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    #[cfg(test)]
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<ModelParts, Error> {
        let (mut parts, reader) = open(bytes)?;
        let mut features = Vec::new();
        let keep = |hash, weights: &[(u8, i16)]| {
            features.push(super::model::Feature { hash, weights: weights.to_vec() });
        };
        reader.features(parts.labels(), keep)?;
        parts.features = features;
        Ok(parts)
    }

    fn labels(&self) -> usize {
        Lattice::bio(self.classes.len()).labels()
    }
}

/// All of a file but its features, which are next to be read.
fn open(bytes: &[u8]) -> Result<(ModelParts, Reader<'_>), Error> {
    let Some((head, body)) = bytes.split_at_checked(28).filter(|(head, _)| head.starts_with(MAGIC)) else {
        return Err(Error::new("this is not a CRF model; train one with `taire train crf`"));
    };
    let mut head = Reader { rest: &head[8..] };
    let version = u32::from_le_bytes(head.array()?);
    if version != VERSION {
        return Err(Error::new(format!(
            "the CRF model has format {version}; this program reads format {VERSION}: train the model again"
        )));
    }
    let length = u64::from_le_bytes(head.array()?);
    if length != body.len() as u64 {
        return Err(Error::new(format!(
            "the CRF model holds {} bytes where {length} were written; copy the file again",
            body.len()
        )));
    }
    if u64::from_le_bytes(head.array()?) != checksum(body) {
        return Err(Error::new("the CRF model is damaged (its checksum differs); copy the file again"));
    }
    let mut reader = Reader { rest: body };
    Ok((reader.frame()?, reader))
}

impl Crf {
    /// Reads a model file, embedded or from disk.
    pub fn from_bytes(bytes: &[u8]) -> Result<Crf, Error> {
        let (parts, reader) = open(bytes)?;
        let count = reader.clone().count(reader.rest.len())?;
        let mut crf = Crf::frame(&parts, count);
        reader.features(parts.labels(), |hash, weights| crf.add_feature(hash, weights))?;
        Ok(crf)
    }
}

#[derive(Clone)]
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Error> {
        let (head, rest) = self.rest.split_at_checked(n).ok_or_else(malformed)?;
        self.rest = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        self.take(N)?.try_into().map_err(|_| malformed())
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, Error> {
        let (&byte, rest) = self.rest.split_first().ok_or_else(malformed)?;
        self.rest = rest;
        Ok(byte)
    }

    #[inline]
    fn varint(&mut self) -> Result<u64, Error> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(malformed())
    }

    fn count(&mut self, limit: usize) -> Result<usize, Error> {
        usize::try_from(self.varint()?).ok().filter(|&n| n <= limit).ok_or_else(malformed)
    }

    fn text(&mut self, limit: usize) -> Result<String, Error> {
        let length = self.count(limit)?;
        String::from_utf8(self.take(length)?.to_vec()).map_err(|_| malformed())
    }

    fn frame(&mut self) -> Result<ModelParts, Error> {
        let language = self
            .text(16)?
            .parse()
            .map_err(|e: taire_text::UnknownLanguage| Error::new(format!("the CRF model: {e}")))?;
        let settings = u32::try_from(self.varint()?).map_err(|_| malformed())?;
        let unit = f32::from_le_bytes(self.array()?);
        if !unit.is_finite() || unit <= 0.0 {
            return Err(malformed());
        }
        let classes =
            (0..self.count(MAX_CLASSES)?).map(|_| self.text(256)).collect::<Result<Vec<_>, Error>>()?;
        let words = self.count(self.rest.len())?;
        let mut vocabulary: Vec<Entry> = Vec::with_capacity(words);
        let mut word = 0u64;
        for _ in 0..words {
            word = word.checked_add(self.varint()?).filter(|h| h >> HASH_BITS == 0).ok_or_else(malformed)?;
            let what = self.varint()?;
            let cluster = u16::try_from(what >> 1).map_err(|_| malformed())?;
            vocabulary.push(Entry { word, cluster, loud: what & 1 == 1 });
        }
        let lattice = Lattice::bio(classes.len());
        let transitions = (0..lattice.transitions())
            .map(|_| self.array().map(i16::from_le_bytes))
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(ModelParts { language, vocabulary, classes, settings, unit, transitions, features: Vec::new() })
    }

    /// The features, one after the other, to the end of the file.
    fn features(mut self, labels: usize, mut each: impl FnMut(u64, &[(u8, i16)])) -> Result<(), Error> {
        let mut hash = 0u64;
        let mut weights = Vec::new();
        for _ in 0..self.count(self.rest.len())? {
            hash = hash.checked_add(self.varint()?).filter(|h| h >> HASH_BITS == 0).ok_or_else(malformed)?;
            weights.clear();
            for _ in 0..self.byte()? {
                let label = self.byte()?;
                if usize::from(label) >= labels {
                    return Err(malformed());
                }
                weights.push((label, unzigzag(self.varint()?)?));
            }
            each(hash, &weights);
        }
        if self.rest.is_empty() { Ok(()) } else { Err(malformed()) }
    }
}

fn malformed() -> Error {
    Error::new("the CRF model is malformed inside; train it again")
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i16) -> u64 {
    u64::from(((value << 1) ^ (value >> 15)) as u16)
}

fn unzigzag(value: u64) -> Result<i16, Error> {
    let value = u16::try_from(value).map_err(|_| malformed())?;
    Ok((value >> 1) as i16 ^ -((value & 1) as i16))
}

/// FNV-1a, 64 bits.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::super::model::Feature;
    use super::*;
    use taire_text::Language;

    fn parts() -> ModelParts {
        let classes = vec!["Date".to_owned(), "Name:Patient".to_owned()];
        let transitions = (0..Lattice::bio(2).transitions()).map(|i| i as i16 * 7 - 50).collect();
        let features = vec![
            Feature { hash: 5, weights: vec![(0, -300), (1, 20), (4, i16::MIN)] },
            Feature { hash: (1 << 48) - 1, weights: vec![(3, i16::MAX)] },
        ];
        let vocabulary = vec![
            Entry { word: 3, cluster: 0, loud: true },
            Entry { word: (1 << 48) - 2, cluster: 700, loud: false },
        ];
        ModelParts {
            language: Language::Fr,
            vocabulary,
            classes,
            settings: 3,
            unit: 0.001,
            transitions,
            features,
        }
    }

    #[test]
    fn bytes_come_back_as_the_same_model() {
        let parts = parts();
        let bytes = parts.to_bytes();
        assert_eq!(ModelParts::from_bytes(&bytes).unwrap(), parts);
        let model = Crf::from_bytes(&bytes).unwrap();
        let mut scores = [0; 256];
        model.add(5, &mut scores);
        model.add((1 << 48) - 1, &mut scores);
        model.add(6, &mut scores);
        assert_eq!(scores[..5], [-300, 20, 0, 32767, -32768]);
    }

    #[test]
    fn a_cut_or_damaged_file_is_refused() {
        let bytes = parts().to_bytes();
        for cut in 0..bytes.len() {
            assert!(Crf::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(Crf::from_bytes(&damaged).is_err(), "byte {at}");
        }
    }
}
