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

use taire_text::KnownIdentity;

use crate::sealed_file::{SealedFile, SealedRecords};

/// Pairs sorted in memory at once: 16 MB.
const RUN: usize = 1 << 20;
/// Pairs in a block of the index: 4 KB.
const BLOCK: usize = 256;
const PAIR: usize = 16;

type Pair = (u64, u64);

/// Takes identities in.
pub(crate) struct SpillWriter {
    hasher: RandomState,
    data: SealedFile,
    pairs: Vec<Pair>,
    runs: Vec<File>,
}

impl SpillWriter {
    pub(crate) fn new() -> io::Result<Self> {
        let (hasher, data) = (RandomState::new(), SealedFile::new()?);
        Ok(SpillWriter { hasher, data, pairs: Vec::new(), runs: Vec::new() })
    }

    pub(crate) fn add(&mut self, patient: &str, known: &KnownIdentity) -> io::Result<()> {
        let plain = serde_json::to_vec(&(patient, known)).map_err(|_| io::ErrorKind::InvalidData)?;
        let place = self.data.append(&plain)?;
        self.pairs.push((self.hasher.hash_one(patient), place));
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
        let index = index.into_inner().map_err(|e| e.into_error())?;
        Ok(Spill { hasher: self.hasher, files: Mutex::new((self.data.finish()?, index)), firsts, count })
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
    hasher: RandomState,
    /// The sealed identities and their index.
    files: Mutex<(SealedRecords, File)>,
    /// The first hash of each block.
    firsts: Vec<u64>,
    count: usize,
}

impl Spill {
    /// The identities of a patient, in the order they came in. Others with the same hash are left out by the caller's
    /// own look at `patient`, which each of them holds.
    pub(crate) fn get(&self, patient: &str) -> io::Result<Vec<KnownIdentity>> {
        let hash = self.hasher.hash_one(patient);
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
                let (_, known) = parse(&data.read(place)?)?;
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
        files.0.each(|plain| {
            let (key, known) = parse(plain)?;
            take(&key, &known);
            Ok(())
        })
    }
}

fn parse(plain: &[u8]) -> io::Result<(String, KnownIdentity)> {
    serde_json::from_slice(plain).map_err(|_| io::ErrorKind::InvalidData.into())
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
    }
}
