//! What a run was asked to do, piece by piece, so that another run can tell whether it would do the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use taire_text::Error;

use crate::batch::stable_hash;
use crate::{Engine, Policy, SecretKey};

/// A digest of every choice that decides what a run writes: the policy and the content of every file it names, the key,
/// the version, and whatever else the caller adds. Each piece has a name, so that a difference can be named.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Fingerprint(BTreeMap<String, String>);

impl Fingerprint {
    /// The version, the language and the policies of an engine, with the content of the files the policies name.
    pub fn of_engine(engine: &Engine) -> Result<Self, Error> {
        let mut fingerprint = Fingerprint::default();
        fingerprint.add("version", env!("CARGO_PKG_VERSION"));
        fingerprint.add("language", &format!("{:?}", engine.language()));
        for policy in engine.policies() {
            fingerprint.add_policy(policy)?;
        }
        Ok(fingerprint)
    }

    fn add_policy(&mut self, policy: &Policy) -> Result<(), Error> {
        self.add(&format!("policy {}", policy.name), &policy.to_toml()?);
        let detect = &policy.detect;
        for path in detect.allow_lists.iter().chain(policy.word_files()) {
            self.add_content("word list", path)?;
        }
        for (what, path) in [
            ("model", &detect.model),
            ("student", &detect.student),
            ("transformer", &detect.transformer),
            ("indicators", &policy.rewrite.indicators),
        ] {
            if let Some(path) = path {
                self.add_content(what, path)?;
            }
        }
        Ok(())
    }

    /// Adds a choice by its name. A name that comes twice holds both values.
    pub fn add(&mut self, name: &str, value: &str) {
        let hash = stable_hash([value.as_bytes()].into_iter());
        let entry = self.0.entry(name.to_owned()).or_default();
        let _ = write!(entry, "{hash:016x}");
    }

    /// Adds a key, which tells keys apart and nothing of them.
    pub fn add_key(&mut self, key: &SecretKey) -> Result<(), Error> {
        let id = stable_hash([key.subkey("journal", b"")?.as_slice()].into_iter());
        self.add("key", &format!("{id:016x}"));
        Ok(())
    }

    /// Adds the content of a file, or of every file in a folder.
    pub fn add_content(&mut self, what: &str, path: &Path) -> Result<(), Error> {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let digest = content_digest(path)
            .map_err(|e| Error::from(e).prefixed(&format!("{what}: cannot read it: ")).in_file(path))?;
        self.add(&format!("{what} {name}"), &digest);
        Ok(())
    }

    /// Adds what a file looks like from outside: its path, length and time. For inputs, which are too large to be read
    /// once more.
    pub fn add_file_stamps<'p>(&mut self, what: &str, paths: impl Iterator<Item = &'p Path>) {
        let stamp = |path: &Path| {
            let about = std::fs::metadata(path).ok();
            let written = about.as_ref().and_then(|m| m.modified().ok());
            format!("{} {:?} {written:?}\n", path.display(), about.as_ref().map(|m| m.len()))
        };
        let stamps: String = paths.map(stamp).collect();
        self.add(what, &stamps);
    }

    /// The names of the pieces in which two fingerprints differ.
    pub fn differences<'f>(&'f self, other: &'f Fingerprint) -> Vec<&'f str> {
        let names: BTreeSet<&str> = self.0.keys().chain(other.0.keys()).map(String::as_str).collect();
        names.into_iter().filter(|name| self.0.get(*name) != other.0.get(*name)).collect()
    }

    /// All of it in 64 bits.
    pub fn hash(&self) -> u64 {
        stable_hash(self.0.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]))
    }
}

/// SHA-256 of a file, or of the names and contents of the files below a folder.
fn content_digest(path: &Path) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    if path.is_dir() {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        files.sort();
        for file in files {
            let inner = content_digest(&file)?;
            hasher.update(file.file_name().unwrap_or_default().as_encoded_bytes());
            hasher.update(inner.as_bytes());
        }
    } else {
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match std::io::Read::read(&mut file, &mut buffer)? {
                0 => break,
                n => hasher.update(&buffer[..n]),
            }
        }
    }
    Ok(hasher.finalize().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_counts_and_times_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("words.tsv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let mut fingerprint = Fingerprint::default();
            fingerprint.add_content("word list", &path).unwrap();
            fingerprint
        };
        let first = read("a\tyes\n");
        assert_eq!(first.differences(&read("a\tyes\n")), Vec::<&str>::new());
        assert_eq!(first.differences(&read("b\tyes\n")), ["word list words.tsv"]);
        let folder = content_digest(dir.path()).unwrap();
        std::fs::write(dir.path().join("more"), "x").unwrap();
        assert_ne!(folder, content_digest(dir.path()).unwrap());
        assert!(Fingerprint::default().add_content("model", Path::new("/nowhere/m")).is_err());
    }
}
