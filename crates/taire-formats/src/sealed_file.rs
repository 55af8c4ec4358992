//! A nameless temporary file of records, each sealed under a key that is forgotten with the run: who finds its remains on the
//! disk reads nothing.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

/// What stands before each record: its length.
const HEAD: u64 = 4;

/// Every place is written once, so it makes a nonce.
fn nonce(place: u64) -> XNonce {
    let mut nonce = [0u8; 24];
    nonce[..8].copy_from_slice(&place.to_le_bytes());
    XNonce::from(nonce)
}

/// Takes records in.
pub struct SealedFile {
    cipher: XChaCha20Poly1305,
    file: BufWriter<File>,
    end: u64,
}

impl std::fmt::Debug for SealedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SealedFile({} bytes)", self.end)
    }
}

impl SealedFile {
    /// An empty file in the folder for temporary files, with a new key.
    pub fn new() -> io::Result<SealedFile> {
        let mut key = [0u8; 32];
        getrandom::fill(&mut key).map_err(|_| io::ErrorKind::Unsupported)?;
        let cipher = XChaCha20Poly1305::new_from_slice(&key).map_err(|_| io::ErrorKind::Unsupported)?;
        let file = BufWriter::with_capacity(1 << 18, tempfile::tempfile()?);
        Ok(SealedFile { cipher, file, end: 0 })
    }

    /// Adds a record and gives its place.
    pub fn append(&mut self, plain: &[u8]) -> io::Result<u64> {
        let place = self.end;
        let sealed = self.cipher.encrypt(&nonce(place), plain).map_err(|_| io::ErrorKind::InvalidData)?;
        let length = u32::try_from(sealed.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&sealed)?;
        self.end += HEAD + u64::from(length);
        Ok(place)
    }

    /// The records, to be read.
    pub fn finish(self) -> io::Result<SealedRecords> {
        let file = self.file.into_inner().map_err(|e| e.into_error())?;
        Ok(SealedRecords { cipher: self.cipher, file, end: self.end })
    }
}

/// Gives records back.
pub struct SealedRecords {
    cipher: XChaCha20Poly1305,
    file: File,
    end: u64,
}

impl std::fmt::Debug for SealedRecords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SealedRecords({} bytes)", self.end)
    }
}

impl SealedRecords {
    /// The record at a place that [`SealedFile::append`] gave.
    pub fn read(&mut self, place: u64) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(place))?;
        read_at(&self.cipher, &mut self.file, place).map(|(plain, _)| plain)
    }

    /// Calls `take` for every record, in the order they came in; its first error ends the reading.
    pub fn each<E: From<io::Error>>(
        &mut self,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut file = BufReader::with_capacity(1 << 16, &mut self.file);
        let mut place = 0;
        while place < self.end {
            let (plain, next) = read_at(&self.cipher, &mut file, place)?;
            take(&plain)?;
            place = next;
        }
        Ok(())
    }
}

/// The record that a file stands at, and where the next one begins.
fn read_at(cipher: &XChaCha20Poly1305, file: &mut impl Read, place: u64) -> io::Result<(Vec<u8>, u64)> {
    let mut length = [0u8; HEAD as usize];
    file.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    let mut sealed = vec![0u8; length as usize];
    file.read_exact(&mut sealed)?;
    let plain = cipher.decrypt(&nonce(place), sealed.as_slice()).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok((plain, place + HEAD + u64::from(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_and_the_file_shows_none_of_them() {
        let mut file = SealedFile::new().unwrap();
        let places: Vec<u64> =
            (0..1000).map(|i| file.append(format!("KERVADEC-{i}").as_bytes()).unwrap()).collect();
        let mut records = file.finish().unwrap();
        assert_eq!(records.read(places[417]).unwrap(), b"KERVADEC-417");
        let mut all = Vec::new();
        let mut keep = |plain: &[u8]| -> io::Result<()> {
            all.push(plain.to_vec());
            Ok(())
        };
        records.each(&mut keep).unwrap();
        assert!(all.len() == 1000 && all[999] == b"KERVADEC-999");
        let mut bytes = Vec::new();
        records.file.seek(SeekFrom::Start(0)).unwrap();
        records.file.read_to_end(&mut bytes).unwrap();
        assert!(memchr::memmem::find(&bytes, b"KERVADEC").is_none());
        assert!(records.read(1).is_err(), "no record begins there");
    }
}
