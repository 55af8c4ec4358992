//! Identities by the million, in little memory: each is sealed in a nameless temporary file under a key that is
//! forgotten with the run, and found again by a hash of its patient.
//!
//! The index is another nameless file of (hash, place) pairs, sorted in runs and merged; of it, memory holds one hash
//! for each block. Hashes are keyed by the run too: the files tell nothing to who finds their remains on the disk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use taire_text::KnownIdentity;

/// Pairs sorted in memory at once: 16 MB.
const RUN: usize = 1 << 20;
/// Pairs in a block of the index: 4 KB.
const BLOCK: usize = 256;
const PAIR: usize = 16;

type Pair = (u64, u64);

struct Keys {
    hasher: RandomState,
    cipher: XChaCha20Poly1305,
}

impl Keys {
    fn new() -> io::Result<Self> {
        let mut key = [0u8; 32];
        getrandom::fill(&mut key).map_err(|_| io::ErrorKind::Unsupported)?;
        let cipher = XChaCha20Poly1305::new_from_slice(&key).map_err(|_| io::ErrorKind::Unsupported)?;
        Ok(Keys { hasher: RandomState::new(), cipher })
    }

    /// Every place is written once, so it makes a nonce.
    fn nonce(place: u64) -> XNonce {
        let mut nonce = [0u8; 24];
        nonce[..8].copy_from_slice(&place.to_le_bytes());
        XNonce::from(nonce)
    }
}

/// Takes identities in.
pub(crate) struct SpillWriter {
    keys: Keys,
    data: BufWriter<File>,
    at: u64,
    pairs: Vec<Pair>,
    runs: Vec<File>,
}

impl SpillWriter {
    pub(crate) fn new() -> io::Result<Self> {
        let data = BufWriter::with_capacity(1 << 18, tempfile::tempfile()?);
        Ok(SpillWriter { keys: Keys::new()?, data, at: 0, pairs: Vec::new(), runs: Vec::new() })
    }

    pub(crate) fn add(&mut self, patient: &str, known: &KnownIdentity) -> io::Result<()> {
        let plain = serde_json::to_vec(&(patient, known)).map_err(|_| io::ErrorKind::InvalidData)?;
        let sealed = self
            .keys
            .cipher
            .encrypt(&Keys::nonce(self.at), plain.as_slice())
            .map_err(|_| io::ErrorKind::InvalidData)?;
        let length = u32::try_from(sealed.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.data.write_all(&length.to_le_bytes())?;
        self.data.write_all(&sealed)?;
        self.pairs.push((self.keys.hasher.hash_one(patient), self.at));
        self.at += 4 + sealed.len() as u64;
        if self.pairs.len() == RUN { self.end_run() } else { Ok(()) }
    }

    fn end_run(&mut self) -> io::Result<()> {
        self.pairs.sort_unstable();
        let mut run = BufWriter::with_capacity(1 << 18, tempfile::tempfile()?);
        for pair in self.pairs.drain(..) {
            write_pair(&mut run, pair)?;
        }
        self.runs.push(run.into_inner().map_err(|e| e.into_error())?);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<Spill> {
        self.end_run()?;
        self.pairs = Vec::new();
        let mut runs = Vec::with_capacity(self.runs.len());
        let mut heads = BinaryHeap::new();
        for (i, mut run) in self.runs.into_iter().enumerate() {
            run.seek(SeekFrom::Start(0))?;
            let mut run = BufReader::with_capacity(1 << 16, run);
            if let Some(pair) = read_pair(&mut run)? {
                heads.push(Reverse((pair, i)));
            }
            runs.push(run);
        }
        let mut index = BufWriter::with_capacity(1 << 18, tempfile::tempfile()?);
        let (mut firsts, mut count) = (Vec::new(), 0usize);
        while let Some(Reverse((pair, i))) = heads.pop() {
            if count.is_multiple_of(BLOCK) {
                firsts.push(pair.0);
            }
            count += 1;
            write_pair(&mut index, pair)?;
            if let Some(next) = read_pair(&mut runs[i])? {
                heads.push(Reverse((next, i)));
            }
        }
        let file = |out: BufWriter<File>| out.into_inner().map_err(|e| e.into_error());
        Ok(Spill { keys: self.keys, files: Mutex::new((file(self.data)?, file(index)?)), firsts, count })
    }
}

fn write_pair(out: &mut impl Write, pair: Pair) -> io::Result<()> {
    out.write_all(&pair.0.to_le_bytes())?;
    out.write_all(&pair.1.to_le_bytes())
}

fn read_pair(input: &mut impl Read) -> io::Result<Option<Pair>> {
    let mut bytes = [0u8; PAIR];
    match input.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(pair(&bytes))),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(e) => Err(e),
    }
}

fn pair(bytes: &[u8]) -> Pair {
    let number = |part: &[u8]| part.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
    (number(&bytes[..8]), number(&bytes[8..16]))
}

/// Gives identities back.
pub(crate) struct Spill {
    keys: Keys,
    /// The sealed identities and their index.
    files: Mutex<(File, File)>,
    /// The first hash of each block.
    firsts: Vec<u64>,
    count: usize,
}

impl Spill {
    /// The identities of a patient, in the order they came in. Others with the same hash are left out by the caller's
    /// own look at `patient`, which each of them holds.
    pub(crate) fn get(&self, patient: &str) -> io::Result<Vec<KnownIdentity>> {
        let hash = self.keys.hasher.hash_one(patient);
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let (data, index) = &mut *files;
        let mut block = self.firsts.partition_point(|first| *first < hash).saturating_sub(1);
        let mut found = Vec::new();
        let mut bytes = Vec::new();
        while block < self.firsts.len() && self.firsts[block] <= hash {
            let pairs = BLOCK.min(self.count - block * BLOCK);
            bytes.resize(pairs * PAIR, 0);
            index.seek(SeekFrom::Start((block * BLOCK * PAIR) as u64))?;
            index.read_exact(&mut bytes)?;
            for (_, place) in bytes.chunks_exact(PAIR).map(pair).filter(|(h, _)| *h == hash) {
                let known = self.read(data, place)?;
                if known.patient.as_deref().is_none_or(|own| own == patient) {
                    found.push(known);
                }
            }
            block += 1;
        }
        Ok(found)
    }

    /// Calls `take` for every identity, with the key it was added under, in the order they came in.
    pub(crate) fn each(&self, mut take: impl FnMut(&str, &KnownIdentity)) -> io::Result<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let data = &mut files.0;
        let end = data.seek(SeekFrom::End(0))?;
        let mut place = 0;
        while place < end {
            let (key, known) = self.read_keyed(data, place)?;
            take(&key, &known);
            place = data.stream_position()?;
        }
        Ok(())
    }

    fn read(&self, data: &mut File, place: u64) -> io::Result<KnownIdentity> {
        self.read_keyed(data, place).map(|(_, known)| known)
    }

    fn read_keyed(&self, data: &mut File, place: u64) -> io::Result<(String, KnownIdentity)> {
        let mut length = [0u8; 4];
        data.seek(SeekFrom::Start(place))?;
        data.read_exact(&mut length)?;
        let mut sealed = vec![0u8; u32::from_le_bytes(length) as usize];
        data.read_exact(&mut sealed)?;
        let plain = self
            .keys
            .cipher
            .decrypt(&Keys::nonce(place), sealed.as_slice())
            .map_err(|_| io::ErrorKind::InvalidData)?;
        serde_json::from_slice(&plain).map_err(|_| io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::PatientId;

    #[test]
    fn what_went_in_comes_out_by_patient() {
        let mut writer = SpillWriter::new().unwrap();
        let known = |patient: usize, name: &str| KnownIdentity {
            patient: PatientId::parse(&patient.to_string()),
            family_name: Some(format!("{name}{patient}")),
            ..Default::default()
        };
        for i in 0..5000 {
            writer.add(&i.to_string(), &known(i, "A")).unwrap();
            if i == 1234 || i == 2345 {
                writer.end_run().unwrap();
            }
        }
        writer.add("77", &known(77, "B")).unwrap();
        let spill = writer.finish().unwrap();
        for i in 0..5000usize {
            let found = spill.get(&i.to_string()).unwrap();
            assert_eq!(found.len(), 1 + usize::from(i == 77), "{i}");
            assert_eq!(found[0].family_name.as_deref(), Some(format!("A{i}").as_str()));
        }
        assert!(spill.get("5000").unwrap().is_empty());
        let (data, _) = &mut *spill.files.lock().unwrap();
        let mut bytes = Vec::new();
        data.seek(SeekFrom::Start(0)).unwrap();
        data.read_to_end(&mut bytes).unwrap();
        assert!(memchr::memmem::find(&bytes, b"family_name").is_none());
    }
}
