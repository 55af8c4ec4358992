//! API keys: a file of names, scopes and hashes. The keys themselves are shown once, when made, and kept nowhere.
//!
//! A key is 32 bytes of the system's generator, so a plain SHA-256 is enough to keep it from who reads the file. The
//! running service looks at the file again when it changed; a file that cannot be read then lets nobody in.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Error;

const PREFIX: &str = "taire_";
const LOOK_AGAIN: Duration = Duration::from_secs(1);
const MOST_FILE_BYTES: u64 = 16 << 20;

/// What a key may be used for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Annotations of the original text.
    Detect,
    /// Rewritten text.
    Deid,
    /// Counts of what was done.
    Metrics,
}

impl Scope {
    pub const ALL: &'static [Scope] = &[Scope::Detect, Scope::Deid, Scope::Metrics];

    pub fn name(self) -> &'static str {
        match self {
            Scope::Detect => "detect",
            Scope::Deid => "deid",
            Scope::Metrics => "metrics",
        }
    }
}

impl std::str::FromStr for Scope {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self, Error> {
        let known = || Scope::ALL.iter().map(|s| s.name()).collect::<Vec<_>>().join(", ");
        let found = Scope::ALL.iter().copied().find(|s| s.name() == name);
        found.ok_or_else(|| Error::usage(format!("unknown scope `{name}`; known: {}", known())))
    }
}

/// One line of a key file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    pub name: String,
    pub scopes: Vec<Scope>,
    /// The day it was made.
    pub made: jiff::civil::Date,
    sha256: String,
}

fn hash(key: &str) -> String {
    hex(&Sha256::digest(key.as_bytes()))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]]);
    digits.map(char::from).collect()
}

/// Compares without telling by its time how much was right.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |d, (a, b)| d | (a ^ b)) == 0
}

/// The keys of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ApiKeys {
    keys: Vec<ApiKey>,
}

impl ApiKeys {
    /// Reads a key file. On Unix, refuses one that others than its owner may read or write.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let shown = path.display();
        let fail = |e: std::io::Error| Error::usage(format!("cannot read API keys {shown}: {}", e.kind()));
        let file = File::open(path).map_err(fail)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = file.metadata().map_err(fail)?.permissions().mode();
            if mode & 0o077 != 0 {
                return Err(Error::usage(format!(
                    "API keys {shown} have mode {:03o}; others may read them: run `chmod 600 {shown}`",
                    mode & 0o777
                )));
            }
        }
        let mut text = String::new();
        file.take(MOST_FILE_BYTES).read_to_string(&mut text).map_err(fail)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let parse = |(i, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|_| {
                Error::usage(format!(
                    "line {} of {shown} is no API key; `taire serve key` writes them",
                    i + 1
                ))
            })
        };
        Ok(ApiKeys { keys: lines.map(parse).collect::<Result<_, _>>()? })
    }

    /// The same, or none where there is no file yet.
    pub fn read_or_new(path: &Path) -> Result<Self, Error> {
        if path.exists() { Self::read(path) } else { Ok(Self::default()) }
    }

    /// Writes the file whole, of mode 0600, in place of the one before.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let fresh = PathBuf::from(name);
        let fail = |e: std::io::Error| {
            Error::usage(format!("cannot write API keys {}: {}", path.display(), e.kind()))
        };
        let _ = fs::remove_file(&fresh);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file = options.open(&fresh).map_err(fail)?;
        let mut text = String::new();
        for key in &self.keys {
            text.push_str(&serde_json::to_string(key).map_err(|e| fail(e.into()))?);
            text.push('\n');
        }
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(fail)?;
        fs::rename(&fresh, path).map_err(fail)
    }

    /// Makes a key. What is returned is shown once and kept nowhere.
    pub fn add(&mut self, name: &str, scopes: &[Scope]) -> Result<String, Error> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Err(Error::usage("a key's name takes 1 to 64 letters, digits, `-`, `_` or `.`"));
        }
        if self.keys.iter().any(|k| k.name == name) {
            return Err(Error::usage(format!(
                "there is a key named {name}; remove it first, or choose another name"
            )));
        }
        let mut scopes = scopes.to_vec();
        scopes.sort();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(Error::usage("a key without scopes would open nothing; give --scope"));
        }
        let mut bytes = [0u8; 32];
        getrandom::fill(&mut bytes).map_err(|_| Error::io("the system gives no random bytes; try again"))?;
        let key = format!("{PREFIX}{}", hex(&bytes));
        let made = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
        self.keys.push(ApiKey { name: name.to_owned(), scopes, made, sha256: hash(&key) });
        Ok(key)
    }

    pub fn remove(&mut self, name: &str) -> Result<(), Error> {
        let before = self.keys.len();
        self.keys.retain(|k| k.name != name);
        if self.keys.len() == before {
            return Err(Error::usage(format!("there is no key named {name}")));
        }
        Ok(())
    }

    pub fn iter(&self) -> impl Iterator<Item = &ApiKey> {
        self.keys.iter()
    }

    /// Whose key this is.
    pub fn find(&self, key: &str) -> Option<&ApiKey> {
        let hash = hash(key);
        self.keys.iter().find(|k| same(&k.sha256, &hash))
    }
}

/// The key file of a running service.
#[derive(Debug)]
pub(crate) struct KeyRing {
    path: PathBuf,
    state: Mutex<Ring>,
}

#[derive(Debug)]
struct Ring {
    keys: Arc<ApiKeys>,
    looked: Instant,
    stamp: Option<(SystemTime, u64)>,
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

impl KeyRing {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let stamp = stamp(path);
        let keys = ApiKeys::read(path)?;
        if keys.keys.is_empty() {
            return Err(Error::usage(format!(
                "there is no key in {}; make one with `taire serve key add`",
                path.display()
            )));
        }
        let state = Ring { keys: Arc::new(keys), looked: Instant::now(), stamp };
        Ok(KeyRing { path: path.to_owned(), state: Mutex::new(state) })
    }

    /// The keys as the file has them, to within a second.
    pub(crate) fn keys(&self) -> Arc<ApiKeys> {
        let mut ring = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if ring.looked.elapsed() >= LOOK_AGAIN {
            ring.looked = Instant::now();
            let now = stamp(&self.path);
            if now != ring.stamp || now.is_none() {
                ring.stamp = now;
                ring.keys = Arc::new(ApiKeys::read(&self.path).unwrap_or_else(|e| {
                    eprintln!("taire: {e}; no key is accepted until this is mended");
                    ApiKeys::default()
                }));
            }
        }
        ring.keys.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_by_their_hash_and_never_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let mut keys = ApiKeys::read_or_new(&path).unwrap();
        let ward = keys.add("ward-7", &[Scope::Deid, Scope::Deid]).unwrap();
        let lab = keys.add("lab", &[Scope::Detect, Scope::Metrics]).unwrap();
        keys.write(&path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains(&ward) && !text.contains(ward.trim_start_matches(PREFIX)));
        let again = ApiKeys::read(&path).unwrap();
        assert_eq!(again, keys);
        assert_eq!(again.find(&ward).unwrap().scopes, [Scope::Deid]);
        assert_eq!(again.find(&lab).unwrap().name, "lab");
        assert!(again.find(&ward[..ward.len() - 1]).is_none() && again.find("").is_none());
        keys.remove("lab").unwrap();
        keys.write(&path).unwrap();
        assert!(ApiKeys::read(&path).unwrap().find(&lab).is_none());
        assert!(keys.remove("lab").is_err() && keys.add("ward-7", &[Scope::Deid]).is_err());
        assert!(keys.add("a b", &[Scope::Deid]).is_err() && keys.add("x", &[]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn files_are_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let mut keys = ApiKeys::default();
        keys.add("a", &[Scope::Deid]).unwrap();
        keys.write(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(ApiKeys::read(&path).unwrap_err().to_string().contains("chmod 600"));
    }

    #[test]
    fn a_damaged_file_names_its_line_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        ApiKeys::default().write(&path).unwrap();
        assert!(KeyRing::open(&path).unwrap_err().to_string().contains("serve key add"));
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"\nsecret words\n").unwrap();
        let message = ApiKeys::read(&path).unwrap_err().to_string();
        assert!(message.contains("line 2") && !message.contains("secret"), "{message}");
    }
}
