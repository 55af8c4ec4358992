//! The secret key, and the streams drawn from it.
//!
//! Every random choice of this crate comes from `HMAC-SHA-512(key, fingerprint of the rewrite settings ‖ purpose ‖ scope ‖
//! value)`, whose first 32 bytes seed a ChaCha20 generator. The parts are length-prefixed, so no two tuples give the same
//! message. Nothing is stored: the same value in the same scope under the same settings gives the same draw on any machine
//! that holds the key, and without the key the draws say nothing of each other, under the same settings or others.
//!
//! A key file is one line of text, `taire-key-1:` followed by the key in hexadecimal, readable by its owner only.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use sha2::Sha512;
use zeroize::{Zeroize, Zeroizing};

use crate::Error;
use crate::fingerprint::SettingsFingerprint;

const PREFIX: &str = "taire-key-1:";
const MIN_BYTES: usize = 32;
const MAX_BYTES: usize = 1024;

/// The secret all surrogates are drawn from. It is wiped from memory when dropped, and never printed.
#[derive(Clone)]
pub struct SecretKey {
    bytes: Zeroizing<Vec<u8>>,
}

impl SecretKey {
    /// A new key from the system's generator.
    pub fn generate() -> Result<Self, Error> {
        let mut bytes = Zeroizing::new(vec![0u8; MIN_BYTES]);
        getrandom::fill(&mut bytes).map_err(|_| {
            Error::new("the system gives no random bytes; a key needs 32: try again, or give a key file")
        })?;
        Ok(SecretKey { bytes })
    }

    /// A key from bytes held elsewhere. At least 32, and they should be random.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() < MIN_BYTES || bytes.len() > MAX_BYTES {
            return Err(Error::new(format!(
                "the key holds {} bytes; it takes {MIN_BYTES} to {MAX_BYTES}: make one with `taire key new`",
                bytes.len()
            )));
        }
        Ok(SecretKey { bytes: Zeroizing::new(bytes.to_vec()) })
    }

    /// Reads a key file. On Unix, refuses a file that others than its owner may read.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let shown = path.display();
        let file = File::open(path)
            .map_err(|e| Error::new(format!("cannot open key file {shown}: {}", e.kind())))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = file
                .metadata()
                .map_err(|e| Error::new(format!("cannot look at key file {shown}: {}", e.kind())))?
                .permissions()
                .mode();
            if mode & 0o077 != 0 {
                return Err(Error::new(format!(
                    "key file {shown} has mode {:03o}; others may read it: run `chmod 600 {shown}`",
                    mode & 0o777
                )));
            }
        }
        let mut text = Zeroizing::new(String::new());
        file.take(4 * MAX_BYTES as u64)
            .read_to_string(&mut text)
            .map_err(|e| Error::new(format!("cannot read key file {shown}: {}", e.kind())))?;
        let bytes = text.trim().strip_prefix(PREFIX).and_then(from_hex).ok_or_else(|| {
            Error::new(format!(
                "{shown} is not a key file; it should hold one line, `{PREFIX}` and hexadecimal digits: make one with `taire key new`"
            ))
        })?;
        SecretKey::from_bytes(&bytes)
    }

    /// Writes the key to a new file of mode 0600. Never overwrites.
    pub fn write_new(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let shown = path.display();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file = options.open(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Error::new(format!("{shown} exists; a key file is never overwritten: choose another name"))
            }
            kind => Error::new(format!("cannot make key file {shown}: {kind}")),
        })?;
        let mut line = Zeroizing::new(String::with_capacity(PREFIX.len() + 2 * self.bytes.len() + 1));
        line.push_str(PREFIX);
        for b in self.bytes.iter() {
            line.push(char::from(HEX[usize::from(b >> 4)]));
            line.push(char::from(HEX[usize::from(b & 15)]));
        }
        line.push('\n');
        file.write_all(line.as_bytes()).and_then(|()| file.sync_all()).map_err(|e| {
            let _ = fs::remove_file(path);
            Error::new(format!("cannot write key file {shown}: {}", e.kind()))
        })
    }
}

impl SecretKey {
    /// A key of its own for another use, which tells nothing of this one or of the surrogates drawn from it.
    pub fn subkey(&self, purpose: &str, context: &[u8]) -> Result<Zeroizing<[u8; 32]>, Error> {
        let mut mac = self.mac()?;
        for part in [b"taire-subkey-1".as_slice(), purpose.as_bytes(), context] {
            update(&mut mac, part);
        }
        let mut tag = mac.finalize().into_bytes();
        let mut subkey = Zeroizing::new([0u8; 32]);
        subkey.copy_from_slice(&tag[..32]);
        tag.zeroize();
        Ok(subkey)
    }

    fn mac(&self) -> Result<Hmac<Sha512>, Error> {
        Hmac::new_from_slice(&self.bytes).map_err(|_| Error::new("the key cannot be used: make another"))
    }

    /// Whether two keys are one, compared in constant time.
    pub fn is_same(&self, other: &SecretKey) -> bool {
        let differ = self.bytes.iter().zip(other.bytes.iter()).fold(0, |all, (a, b)| all | (a ^ b));
        self.bytes.len() == other.bytes.len() && differ == 0
    }
}

/// Adds one part of a message, preceded by its length.
fn update(mac: &mut Hmac<Sha512>, part: &[u8]) {
    mac.update(&(part.len() as u64).to_le_bytes());
    mac.update(part);
}

const HEX: &[u8; 16] = b"0123456789abcdef";

fn from_hex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let mut out = Zeroizing::new(Vec::with_capacity(digits.len() / 2));
    for pair in digits.chunks_exact(2) {
        let (high, low) = (char::from(pair[0]).to_digit(16)?, char::from(pair[1]).to_digit(16)?);
        out.push((high << 4 | low) as u8);
    }
    Some(out)
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<SecretKey>")
    }
}

/// What a stream is for. Streams of different purposes tell nothing of each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    FamilyName,
    FemaleName,
    MaleName,
    FamilyLetters,
    FemaleLetters,
    MaleLetters,
    Number,
    Phone,
    Mail,
    Link,
    Calendar,
    CalendarNoise,
    Interval,
    Life,
    BirthDay,
    Area,
    Town,
    Street,
    Country,
    Facility,
    Response,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Purpose::FamilyName => "family name",
            Purpose::FemaleName => "female name",
            Purpose::MaleName => "male name",
            Purpose::FamilyLetters => "family letters",
            Purpose::FemaleLetters => "female letters",
            Purpose::MaleLetters => "male letters",
            Purpose::Number => "number",
            Purpose::Phone => "phone",
            Purpose::Mail => "mail",
            Purpose::Link => "link",
            Purpose::Calendar => "calendar",
            Purpose::CalendarNoise => "calendar noise",
            Purpose::Interval => "interval",
            Purpose::Life => "life",
            Purpose::BirthDay => "birth day",
            Purpose::Area => "area",
            Purpose::Town => "town",
            Purpose::Street => "street",
            Purpose::Country => "country",
            Purpose::Facility => "facility",
            Purpose::Response => "response",
        }
    }
}

/// The documents that share one set of surrogates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope<'a> {
    Document(&'a str),
    Patient(&'a str),
    Corpus,
}

impl Scope<'_> {
    /// The id of a draw that other documents may repeat.
    pub(crate) fn shared(&self, id: DrawId) -> Option<DrawId> {
        (!matches!(self, Scope::Document(_))).then_some(id)
    }

    fn parts(&self) -> [&[u8]; 2] {
        match self {
            Scope::Document(id) => [b"document", id.as_bytes()],
            Scope::Patient(id) => [b"patient", id.as_bytes()],
            Scope::Corpus => [b"corpus", b""],
        }
    }
}

/// The key under one table of settings, ready to open streams.
pub(crate) struct Streams {
    /// Has read the fingerprint of the settings.
    mac: Hmac<Sha512>,
}

impl Streams {
    pub(crate) fn new(key: &SecretKey, settings: &SettingsFingerprint) -> Result<Self, Error> {
        let mut mac = key.mac()?;
        update(&mut mac, b"taire-2");
        update(&mut mac, settings.as_bytes());
        Ok(Streams { mac })
    }

    pub(crate) fn draw(&self, purpose: Purpose, scope: Scope<'_>, value: &str) -> Draw {
        let mut mac = self.mac.clone();
        let [kind, id] = scope.parts();
        for part in [purpose.name().as_bytes(), kind, id, value.as_bytes()] {
            update(&mut mac, part);
        }
        let mut tag = mac.finalize().into_bytes();
        let mut seed = [0u8; 32];
        seed.copy_from_slice(&tag[..32]);
        let rng = ChaCha20Rng::from_seed(seed);
        let mut id = [0u8; 8];
        id.copy_from_slice(&tag[32..40]);
        seed.zeroize();
        tag.zeroize();
        Draw { rng, id: DrawId(u64::from_le_bytes(id)) }
    }
}

/// Which draw it was: the same for the same value, purpose and scope under one key and one table of settings. It comes from
/// a part of the HMAC that seeds nothing, and tells nothing of what was drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DrawId(u64);

impl DrawId {
    pub fn as_u64(self) -> u64 {
        self.0
    }
}

/// One stream of random numbers.
pub(crate) struct Draw {
    rng: ChaCha20Rng,
    id: DrawId,
}

impl Draw {
    pub(crate) fn id(&self) -> DrawId {
        self.id
    }

    /// The generator itself, for mechanisms.
    pub(crate) fn rng(&mut self) -> &mut dyn Rng {
        &mut self.rng
    }

    /// The numbers at a place of the stream and at the next.
    pub(crate) fn pair_at(&mut self, place: u64) -> [u64; 2] {
        self.rng.set_word_pos(2 * u128::from(place));
        [self.rng.next_u64(), self.rng.next_u64()]
    }

    /// A whole number from 0 to `n - 1`, each as likely; 0 when `n` is 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        if n < 2 {
            return 0;
        }
        let zone = u64::MAX - u64::MAX % n;
        loop {
            let x = self.rng.next_u64();
            if x < zone {
                return x % n;
            }
        }
    }

    /// A whole number from `low` to `high`, both included.
    pub(crate) fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low).max(0) as u64 + 1) as i64
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len() as u64) as usize)
    }

    /// The items in any order, all orders as likely.
    pub(crate) fn shuffled<T: Copy>(&mut self, items: &[T]) -> Vec<T> {
        let mut out = items.to_vec();
        for i in (1..out.len()).rev() {
            out.swap(i, self.below(i as u64 + 1) as usize);
        }
        out
    }

    pub(crate) fn digit(&mut self) -> char {
        char::from(b'0' + self.below(10) as u8)
    }

    pub(crate) fn digits(&mut self, n: usize) -> String {
        (0..n).map(|_| self.digit()).collect()
    }

    pub(crate) fn letter(&mut self) -> char {
        char::from(b'A' + self.below(26) as u8)
    }
}

#[cfg(test)]
pub(crate) fn test_streams(seed: u8) -> Streams {
    let settings = SettingsFingerprint::for_tests();
    Streams::new(&SecretKey::from_bytes(&[seed; 32]).unwrap(), &settings).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_files_come_back_and_are_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let key = SecretKey::generate().unwrap();
        key.write_new(&path).unwrap();
        assert_eq!(*SecretKey::read(&path).unwrap().bytes, *key.bytes);
        assert!(key.write_new(&path).unwrap_err().to_string().contains("never overwritten"));
        assert_eq!(format!("{key:?}"), "<SecretKey>");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            assert!(SecretKey::read(&path).unwrap_err().to_string().contains("chmod 600"));
        }
    }

    #[test]
    fn subkeys_depend_on_purpose_and_context() {
        let key = |seed| SecretKey::from_bytes(&[seed; 32]).unwrap();
        let sub = |seed, purpose, context: &[u8]| *key(seed).subkey(purpose, context).unwrap();
        assert_eq!(sub(1, "a", b"b"), sub(1, "a", b"b"));
        assert_ne!(sub(1, "a", b"b"), sub(1, "ab", b""));
        assert_ne!(sub(1, "a", b"b"), sub(2, "a", b"b"));
        assert!(key(1).is_same(&key(1)) && !key(1).is_same(&key(2)));
        assert!(!key(1).is_same(&SecretKey::from_bytes(&[1; 33]).unwrap()));
    }

    #[test]
    fn a_short_key_or_another_file_is_refused() {
        assert!(SecretKey::from_bytes(&[7; 31]).unwrap_err().to_string().contains("31 bytes"));
        assert_eq!(from_hex("0aFf").as_deref(), Some(&vec![10, 255]));
        assert!(from_hex("0aF").is_none() && from_hex("zz").is_none());
    }

    #[test]
    fn streams_depend_on_every_part_and_parts_do_not_run_together() {
        let streams = test_streams(1);
        let first = |p, s, v| streams.draw(p, s, v).below(u64::MAX);
        let a = first(Purpose::Number, Scope::Patient("1"), "23");
        assert_eq!(a, first(Purpose::Number, Scope::Patient("1"), "23"));
        assert_ne!(a, first(Purpose::Number, Scope::Patient("12"), "3"));
        assert_ne!(a, first(Purpose::Phone, Scope::Patient("1"), "23"));
        assert_ne!(a, first(Purpose::Number, Scope::Document("1"), "23"));
        assert_ne!(a, test_streams(2).draw(Purpose::Number, Scope::Patient("1"), "23").below(u64::MAX));
    }
}
