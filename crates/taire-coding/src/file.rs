//! The file of a coder: a mark and a version, a header in JSON, the numbers, and a sum over all of it.
//!
//! Everything a prediction rests on is checked when the file is read; what does not hold is refused.

use std::path::Path;

use serde::{Deserialize, Serialize};
use taire::batch::stable_hash;

use crate::Error;
use crate::bag::{Bag, Features};
use crate::cases::{Labels, OTHER};
use crate::coder::{About, Coder, Deep, Member, Reader};
use crate::net::{Net, Shape};
use crate::tokens::FrozenEncoder;
use crate::words::Vocabulary;

const MARK: &[u8; 8] = b"TAIRECOD";
const VERSION: u32 = 1;
/// More in a file is no coder's.
const MOST: usize = 1 << 30;

#[derive(Serialize, Deserialize)]
struct Header {
    about: About,
    labels: Labels,
    threshold: f32,
    features: Vec<String>,
    /// Weights of the bag; absent without one.
    bag: Option<usize>,
    deep: Option<DeepHeader>,
}

#[derive(Serialize, Deserialize)]
struct DeepHeader {
    shape: Shape,
    members: usize,
    first_only: bool,
    vocabulary: Option<VocabularyHeader>,
    encoder: Option<EncoderHeader>,
}

#[derive(Serialize, Deserialize)]
struct VocabularyHeader {
    words: usize,
    entries: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct EncoderHeader {
    folder: String,
    fingerprint: u64,
}

impl Coder {
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let deep = self.deep.as_ref().and_then(|deep| {
            let shape = deep.members.first()?.net.shape;
            let (vocabulary, encoder) = match &deep.reader {
                Reader::Own(v) => {
                    (Some(VocabularyHeader { words: v.words, entries: v.entries.clone() }), None)
                }
                Reader::Frozen { encoder, .. } => {
                    let folder = encoder.folder.display().to_string();
                    (None, Some(EncoderHeader { folder, fingerprint: encoder.fingerprint }))
                }
            };
            Some(DeepHeader {
                shape,
                members: deep.members.len(),
                first_only: deep.first_only,
                vocabulary,
                encoder,
            })
        });
        let header = Header {
            about: self.about.clone(),
            labels: self.labels.clone(),
            threshold: self.threshold,
            features: self.features.names.clone(),
            bag: self.bag.as_ref().map(|bag| bag.weights.len()),
            deep,
        };
        let header = serde_json::to_vec(&header)
            .map_err(|e| Error::internal(format!("the header cannot be written: {e}")))?;
        let mut out = Vec::new();
        out.extend_from_slice(MARK);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&(header.len() as u32).to_le_bytes());
        out.extend_from_slice(&header);
        let put = |numbers: &[f32], out: &mut Vec<u8>| {
            numbers.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()))
        };
        put(&self.features.rarity, &mut out);
        if let Some(bag) = &self.bag {
            bag.starts.iter().chain(&bag.labels).for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
            put(&bag.weights, &mut out);
            put(&bag.bias, &mut out);
        }
        if let Some(deep) = &self.deep {
            if let Reader::Frozen { mean, spread, .. } = &deep.reader {
                put(mean, &mut out);
                put(spread, &mut out);
            }
            for member in &deep.members {
                put(&member.table, &mut out);
                put(&member.net.numbers, &mut out);
            }
        }
        let sum = stable_hash([out.as_slice()].into_iter());
        out.extend_from_slice(&sum.to_le_bytes());
        Ok(out)
    }

    /// Reads what [`Coder::to_bytes`] wrote. `encoder` is where its transformer is now, if it has moved.
    pub fn from_bytes(bytes: &[u8], encoder: Option<&Path>) -> Result<Coder, Error> {
        let mut cursor = Cursor { bytes, at: 0 };
        if cursor.take(MARK.len()).ok() != Some(MARK.as_slice()) {
            return Err(Error::usage("it is no coder; `taire code train` makes one"));
        }
        let version = cursor.number()?;
        if version != VERSION {
            return Err(Error::usage(format!(
                "it is a coder of version {version}, and this program reads version {VERSION}; train it again"
            )));
        }
        let (body, sum) = bytes.split_at(bytes.len().saturating_sub(8));
        if sum != stable_hash([body].into_iter()).to_le_bytes() {
            return Err(Error::usage(
                "it is cut short or was changed: its sum does not hold; train it again",
            ));
        }
        cursor.bytes = body;
        let length = cursor.number()? as usize;
        let header: Header = serde_json::from_slice(cursor.take(length)?)
            .map_err(|e| Error::usage(format!("its header cannot be read (column {})", e.column())))?;
        let Header { about, labels, threshold, features, bag, deep } = header;
        check_labels(&labels)?;
        let rarity = cursor.floats(features.len())?;
        let bag =
            bag.map(|weights| read_bag(&mut cursor, features.len(), labels.len(), weights)).transpose()?;
        let features = Features::new(features, rarity);
        let deep = deep.map(|deep| read_deep(&mut cursor, deep, labels.len(), encoder)).transpose()?;
        if cursor.at != body.len() || !threshold.is_finite() {
            return Err(wrong("more numbers, or others, than its header says"));
        }
        if bag.is_none() && deep.is_none() {
            return Err(wrong("neither a bag of words nor a network"));
        }
        Ok(Coder { about, labels, features, bag, deep, threshold })
    }
}

fn wrong(what: &str) -> Error {
    Error::usage(format!("it holds {what}; train it again"))
}

fn check_labels(labels: &Labels) -> Result<(), Error> {
    let names = match labels.names.last() {
        Some(last) if last == OTHER => &labels.names[..labels.names.len() - 1],
        _ => &labels.names[..],
    };
    if labels.is_empty() || names.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(wrong("labels that are not in order"));
    }
    Ok(())
}

fn read_bag(cursor: &mut Cursor<'_>, features: usize, labels: usize, weights: usize) -> Result<Bag, Error> {
    let starts = cursor.numbers(features + 1)?;
    let of_labels = cursor.numbers(weights)?;
    let sound = starts.first() == Some(&0)
        && starts.last() == Some(&(weights as u32))
        && starts.windows(2).all(|pair| pair[0] <= pair[1])
        && of_labels.iter().all(|&l| (l as usize) < labels);
    if !sound {
        return Err(wrong("a bag of words that does not belong to its labels"));
    }
    Ok(Bag { starts, labels: of_labels, weights: cursor.floats(weights)?, bias: cursor.floats(labels)? })
}

fn read_deep(
    cursor: &mut Cursor<'_>,
    deep: DeepHeader,
    labels: usize,
    moved: Option<&Path>,
) -> Result<Deep, Error> {
    let DeepHeader { shape, members, first_only, vocabulary, encoder } = deep;
    let size = |n: usize| (1..=1 << 16).contains(&n);
    if shape.labels != labels || !size(shape.input) || !size(shape.width) || !(1..=1000).contains(&members) {
        return Err(wrong("a network that does not belong to its labels"));
    }
    let (reader, rows) = match (vocabulary, encoder) {
        (Some(v), None) if v.words <= v.entries.len() => {
            let vocabulary = Vocabulary::new(v.entries, v.words);
            let rows = vocabulary.rows();
            (Reader::Own(vocabulary), rows)
        }
        (None, Some(of)) => {
            let encoder = FrozenEncoder::read(moved.unwrap_or(Path::new(&of.folder)))?;
            if encoder.fingerprint != of.fingerprint || encoder.width() != shape.input {
                return Err(Error::usage(format!(
                    "the encoder in {} is not the one it was trained with; name that one's folder",
                    encoder.folder.display()
                )));
            }
            let (mean, spread) = (cursor.floats(shape.input)?, cursor.floats(shape.input)?);
            if spread.iter().any(|&s| s <= 0.0) {
                return Err(wrong("a spread that is not above zero"));
            }
            (Reader::Frozen { encoder: Box::new(encoder), mean, spread }, 0)
        }
        _ => return Err(wrong("no words, or two kinds of them")),
    };
    let whole = (rows * shape.input).saturating_add(shape.numbers()).saturating_mul(members);
    if cursor.bytes.len() - cursor.at != 4 * whole {
        return Err(wrong("vectors that do not belong to its vocabulary and its labels"));
    }
    let member = |_| -> Result<Member, Error> {
        let table = cursor.floats(rows * shape.input)?;
        Ok(Member { table, net: Net::new(shape, cursor.floats(shape.numbers())?) })
    };
    let members = (0..members).map(member).collect::<Result<_, _>>()?;
    Ok(Deep { reader, members, first_only })
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| Error::usage("it is cut short; train it again"))?;
        let out = &self.bytes[self.at..end];
        self.at = end;
        Ok(out)
    }

    fn number(&mut self) -> Result<u32, Error> {
        Ok(self.numbers(1)?[0])
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<u32>, Error> {
        if count > MOST {
            return Err(wrong("more numbers than any coder has"));
        }
        let (words, _) = self.take(4 * count)?.as_chunks::<4>();
        Ok(words.iter().map(|&w| u32::from_le_bytes(w)).collect())
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, Error> {
        let out: Vec<f32> = self.numbers(count)?.into_iter().map(f32::from_bits).collect();
        match out.iter().all(|x| x.is_finite()) {
            true => Ok(out),
            false => Err(wrong("a value that is no number")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::small;

    fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let end = bytes.len() - 8;
        let sum = stable_hash([&bytes[..end]].into_iter());
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn with_header(bytes: &[u8], change: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
        let length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
        let mut header: serde_json::Value = serde_json::from_slice(&bytes[16..16 + length]).unwrap();
        change(&mut header);
        let header = serde_json::to_vec(&header).unwrap();
        let mut out = bytes[..12].to_vec();
        out.extend_from_slice(&(header.len() as u32).to_le_bytes());
        out.extend_from_slice(&header);
        out.extend_from_slice(&bytes[16 + length..]);
        resealed(out)
    }

    #[test]
    fn a_coder_comes_back_and_what_is_wrong_is_refused() {
        let (coder, cases) = small(1);
        let bytes = coder.to_bytes().unwrap();
        let again = Coder::from_bytes(&bytes, None).unwrap();
        assert_eq!(again.predict(&cases[0].text, 3), coder.predict(&cases[0].text, 3));
        assert_eq!(again.labels, coder.labels);

        let mut version = bytes.clone();
        version[8] = 9;
        let mut nan = bytes.clone();
        let at = nan.len() - 12;
        nan[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 1;
        let fewer = |h: &mut serde_json::Value| {
            h["deep"]["vocabulary"]["entries"].as_array_mut().unwrap().push("zzz".into());
        };
        let shuffled = |h: &mut serde_json::Value| h["labels"]["names"].as_array_mut().unwrap().reverse();
        let label =
            |h: &mut serde_json::Value| h["labels"]["names"].as_array_mut().unwrap().push("Z99".into());
        let refused: [(Vec<u8>, &str); 9] = [
            (Vec::new(), "no coder"),
            (b"%PDF-1.4 and so on".to_vec(), "no coder"),
            (version, "version 9"),
            (bytes[..bytes.len() - 100].to_vec(), "cut short"),
            (flipped, "cut short or was changed"),
            (resealed(nan), "no number"),
            (with_header(&bytes, fewer), "vocabulary"),
            (with_header(&bytes, shuffled), "not in order"),
            (with_header(&bytes, label), "train it again"),
        ];
        for (bytes, says) in refused {
            let message = Coder::from_bytes(&bytes, None).unwrap_err().to_string();
            assert!(message.contains(says), "{says}: {message}");
        }
        for end in 0..200.min(bytes.len()) {
            assert!(Coder::from_bytes(&bytes[..end], None).is_err());
        }
    }
}
