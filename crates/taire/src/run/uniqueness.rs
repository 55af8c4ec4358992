//! Checks that no two ids of a run share a surrogate.
//!
//! Permutations cannot collide and tokens hardly can, but a merged patient is found by nobody afterwards, so every run
//! checks. Pairs of digests are sorted in parts on disk and joined at the end: memory does not grow with the run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use taire_surrogate::IdKind;

use crate::Error;

/// Pairs held in memory, 32 bytes each.
const MOST_WAITING: usize = 1 << 18;

/// A digest of a surrogate, and one of its original.
type Pair = (u128, u64);

/// The pairs of a run.
#[derive(Debug)]
pub(super) struct SurrogateCheck {
    folder: PathBuf,
    waiting: Vec<Pair>,
    parts: Vec<PathBuf>,
    most: usize,
}

fn digest(kind: IdKind, text: &str) -> [u8; 32] {
    Sha256::new().chain_update([kind as u8]).chain_update(text).finalize().into()
}

/// Tells ids of all kinds apart.
pub(super) fn id_hash(kind: IdKind, id: &str) -> u64 {
    let bytes = digest(kind, id);
    bytes.first_chunk().map_or(0, |head| u64::from_le_bytes(*head))
}

impl SurrogateCheck {
    /// With parts in a folder that exists.
    pub(super) fn new(folder: PathBuf) -> Self {
        SurrogateCheck { folder, waiting: Vec::new(), parts: Vec::new(), most: MOST_WAITING }
    }

    pub(super) fn add(&mut self, kind: IdKind, original: &str, surrogate: &str) -> Result<(), Error> {
        let new = digest(kind, surrogate);
        let new = new.first_chunk().map_or(0, |head| u128::from_le_bytes(*head));
        self.waiting.push((new, id_hash(kind, original)));
        if self.waiting.len() >= self.most { self.spill().map_err(failed) } else { Ok(()) }
    }

    fn sort(&mut self) {
        self.waiting.sort_unstable();
        self.waiting.dedup();
    }

    fn spill(&mut self) -> std::io::Result<()> {
        self.sort();
        let path = self.folder.join(format!("ids-{:05}", self.parts.len()));
        let mut out = BufWriter::new(File::create(&path)?);
        for (new, original) in self.waiting.drain(..) {
            out.write_all(&new.to_le_bytes())?;
            out.write_all(&original.to_le_bytes())?;
        }
        out.flush()?;
        self.parts.push(path);
        Ok(())
    }

    /// Whether two different originals share a surrogate.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.sort();
        let mut sources: Vec<Box<dyn Iterator<Item = std::io::Result<Pair>>>> = Vec::new();
        for path in &self.parts {
            sources.push(Box::new(Part(BufReader::new(File::open(path).map_err(failed)?))));
        }
        sources.push(Box::new(self.waiting.into_iter().map(Ok)));
        let mut heap = BinaryHeap::new();
        for (i, source) in sources.iter_mut().enumerate() {
            if let Some(pair) = source.next() {
                heap.push(Reverse((pair.map_err(failed)?, i)));
            }
        }
        let mut last: Option<Pair> = None;
        while let Some(Reverse((pair, i))) = heap.pop() {
            if last.is_some_and(|(new, original)| new == pair.0 && original != pair.1) {
                return Err(Error::internal(
                    "two different ids got the same surrogate; what this run wrote was removed: use `ids = \"token\"` in the \
                     policy, or another key",
                ));
            }
            last = Some(pair);
            if let Some(next) = sources[i].next() {
                heap.push(Reverse((next.map_err(failed)?, i)));
            }
        }
        Ok(())
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::from(error).prefixed("the check of ids cannot use the private folder: ")
}

/// Pairs of one sorted part.
struct Part(BufReader<File>);

impl Iterator for Part {
    type Item = std::io::Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = [0; 24];
        match self.0.read_exact(&mut bytes) {
            Ok(()) => {
                let (new, original) = (bytes.first_chunk()?, bytes.last_chunk()?);
                Some(Ok((u128::from_le_bytes(*new), u64::from_le_bytes(*original))))
            }
            Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => None,
            Err(e) => Some(Err(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: impl Iterator<Item = (IdKind, String, String)>) -> Result<(), Error> {
        let folder = tempfile::tempdir().unwrap();
        let mut check = SurrogateCheck { most: 10, ..SurrogateCheck::new(folder.path().to_owned()) };
        for (kind, original, new) in pairs {
            check.add(kind, &original, &new)?;
        }
        check.finish()
    }

    #[test]
    fn two_originals_of_one_surrogate_are_found_across_parts() {
        let fine = |n: usize| (IdKind::Patient, format!("p{}", n % 40), format!("s{}", n % 40));
        assert!(check((0..200).map(fine)).is_ok(), "the same pair may come often");
        let other_kind = (IdKind::Document, "d".to_owned(), "s3".to_owned());
        assert!(check((0..200).map(fine).chain([other_kind])).is_ok(), "kinds have surrogates of their own");
        let merged = (IdKind::Patient, "P3".to_owned(), "s3".to_owned());
        let error = check((0..200).map(fine).chain([merged])).unwrap_err().to_string();
        assert!(error.contains("same surrogate") && !error.contains("p3"), "{error}");
    }
}
