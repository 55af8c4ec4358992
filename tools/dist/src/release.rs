//! What goes into every package, and the archive, which is the program with all of it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::digest::sha256;
use crate::error::{Error, Result};
use crate::sbom::Model;
use crate::tree::{READABLE, RUNNABLE, Tree, gzip};
use crate::{licences, packages, sbom};

/// The processor and system that the program is for, as file names say it.
pub(crate) const PLATFORM: &str = "x86_64-linux";

/// The shells that have completions, and the names under which they look for them.
pub(crate) const SHELLS: [(&str, &str); 3] =
    [("bash", "taire.bash"), ("fish", "taire.fish"), ("zsh", "_taire")];

/// The parts of one version.
#[derive(Clone, Debug)]
pub(crate) struct Release {
    pub(crate) version: String,
    /// The time of all files, in seconds since 1970.
    pub(crate) time: u64,
    pub(crate) program: Vec<u8>,
    /// Completions, by the names of [`SHELLS`].
    pub(crate) completions: Tree,
    /// Manual pages of section 1.
    pub(crate) man: Tree,
    /// Licences, sources, changelog, bill of materials.
    pub(crate) documents: Tree,
}

impl Release {
    /// Asks the program for its completions and manual pages, and gathers the rest from the sources.
    pub(crate) fn gather(
        root: &Path,
        program: &Path,
        target: &str,
        version: &str,
        time: u64,
    ) -> Result<Release> {
        let mut completions = Tree::default();
        for (shell, name) in SHELLS {
            completions.file(name, READABLE, output(Command::new(program).args(["completions", shell]))?);
        }
        let packages = packages::linked(root, target)?;
        let mut documents = Tree::default();
        for (name, path) in [
            ("CHANGELOG.md", "CHANGELOG.md"),
            ("LICENSE", "LICENSE"),
            ("README.md", "README.md"),
            ("SOURCES.md", "SOURCES.md"),
            ("SOURCES-lexicons.md", "crates/taire-lexicon/data/SOURCES.md"),
            ("SOURCES-models.md", "crates/taire-models/data/SOURCES.md"),
            ("MODELS.md", "docs/book/src/models.md"),
        ] {
            documents.file(name, READABLE, read(&root.join(path))?);
        }
        documents.file("licences/crates.txt", READABLE, licences::collect(&packages)?);
        documents.file("licences/musl.txt", READABLE, licences::MUSL);
        documents.file("licences/rust-standard-library.html", READABLE, read(&standard_library_notice()?)?);
        documents.file(
            "taire.cdx.json",
            READABLE,
            sbom::bill(&packages, &shipped_models(root)?, version, time)?,
        );
        Ok(Release {
            version: version.to_owned(),
            time,
            program: read(program)?,
            completions,
            man: man_pages(program)?,
            documents,
        })
    }

    /// The name of the archive, without `.tar.gz`, and of the folder in it.
    pub(crate) fn archive_name(&self) -> String {
        format!("taire-{}-{PLATFORM}", self.version)
    }

    /// The archive: one folder, with the checksums of its files.
    pub(crate) fn archive(&self) -> Result<Vec<u8>> {
        let mut tree = self.documents.clone();
        tree.file("taire", RUNNABLE, self.program.clone());
        tree.join("completions", &self.completions);
        tree.join("man", &self.man);
        let sums = checksums(tree.files());
        tree.file("SHA256SUMS", READABLE, sums);
        let mut whole = Tree::default();
        whole.join(&self.archive_name(), &tree);
        gzip(&whole.to_tar("", self.time)?)
    }
}

/// Lines as `sha256sum` writes them.
pub(crate) fn checksums<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    files.map(|(name, bytes)| format!("{}  {name}\n", sha256(bytes))).collect()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|e| Error::at(path, e))
}

fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output =
        command.output().map_err(|e| Error::new(format!("{command:?} could not be started: {e}")))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(Error::new(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)))),
    }
}

fn man_pages(program: &Path) -> Result<Tree> {
    let folder = tempfile::tempdir().map_err(|e| Error::new(format!("no temporary folder: {e}")))?;
    output(Command::new(program).args(["man-pages", "-o"]).arg(folder.path()))?;
    let mut pages = Tree::default();
    let entries = fs::read_dir(folder.path()).map_err(|e| Error::at(folder.path(), e))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        pages.file(&name, READABLE, read(&path)?);
    }
    Ok(pages)
}

/// The licences of the standard library and of what is in it come with the compiler.
fn standard_library_notice() -> Result<std::path::PathBuf> {
    let root = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let root = String::from_utf8_lossy(&root).trim().to_owned();
    let path = Path::new(&root).join("share/doc/rust/COPYRIGHT-library.html");
    match path.is_file() {
        true => Ok(path),
        false => Err(Error::at(&path, "is missing; install Rust 1.89 or later with rustup, which brings it")),
    }
}

/// Files of models under `crates/taire-models/data`, with what they are.
pub(crate) const MODELS: [(&str, &str, &[&str]); 4] = [
    ("student", "convolution network for French and Spanish, in policies fr and es", &["student.bin"]),
    (
        "teacher",
        "transformer for French and Spanish, in policies fr-deep and es-deep",
        &[
            "teacher/config.json",
            "teacher/model.safetensors",
            "teacher/tagger.json",
            "teacher/tagger.safetensors",
            "teacher/tokenizer.json",
        ],
    ),
    ("crf-fr", "linear-chain CRF for French", &["fr.crf"]),
    ("crf-es", "linear-chain CRF for Spanish", &["es.crf"]),
];

/// A model of several files has the digest of its files one after the other.
fn shipped_models(root: &Path) -> Result<Vec<Model>> {
    let folder = root.join("crates/taire-models/data");
    let models = MODELS.iter().map(|(name, description, files)| {
        let mut bytes = Vec::new();
        for file in *files {
            bytes.extend(read(&folder.join(file))?);
        }
        Ok(Model { name, description, sha256: sha256(&bytes) })
    });
    models.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::collections::BTreeMap;
    use std::io::Read;

    /// A small release whose program is a few bytes.
    pub(crate) fn stand_in() -> Release {
        let tree = |name: &str| {
            let mut tree = Tree::default();
            tree.file(name, READABLE, format!("content of {name}\n"));
            tree
        };
        let mut documents = tree("licences/crates.txt");
        documents.file("LICENSE", READABLE, "terms\n");
        documents.file("CHANGELOG.md", READABLE, "## 1.2.3\n");
        let mut completions = Tree::default();
        for (_, name) in SHELLS {
            completions.file(name, READABLE, "complete\n");
        }
        Release {
            version: "1.2.3".to_owned(),
            time: 1_700_000_000,
            program: b"#!/bin/sh\necho taire 1.2.3\n".to_vec(),
            completions,
            man: tree("taire.1"),
            documents,
        }
    }

    /// The files of a tar.gz.
    pub(crate) fn unpack(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
        let mut archive = tar::Archive::new(GzDecoder::new(bytes));
        let mut files = BTreeMap::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().to_string_lossy().trim_start_matches("./").to_owned();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            if entry.header().entry_type().is_file() {
                files.insert(path, content);
            }
        }
        files
    }

    #[test]
    fn the_archive_holds_the_program_and_true_checksums() {
        let release = stand_in();
        let files = unpack(&release.archive().unwrap());
        let folder = "taire-1.2.3-x86_64-linux/";
        assert_eq!(files[&format!("{folder}taire")], release.program);
        let sums = String::from_utf8(files[&format!("{folder}SHA256SUMS")].clone()).unwrap();
        assert_eq!(sums.lines().count(), files.len() - 1);
        for line in sums.lines() {
            let (sum, name) = line.split_once("  ").unwrap();
            assert_eq!(sha256(&files[&format!("{folder}{name}")]), sum, "{name}");
        }
    }

    #[test]
    fn the_archive_is_the_same_twice() {
        assert_eq!(stand_in().archive().unwrap(), stand_in().archive().unwrap());
    }

    #[test]
    fn every_shipped_model_is_named() {
        let names: Vec<_> = shipped_models(&crate::root()).unwrap().into_iter().map(|m| m.name).collect();
        assert_eq!(names, ["student", "teacher", "crf-fr", "crf-es"]);
        let listed: Vec<&str> = MODELS.iter().flat_map(|(_, _, files)| files.iter().copied()).collect();
        let source = include_str!("../../../crates/taire-models/src/shipped.rs");
        for part in source.split("include_bytes!(\"../data/").skip(1) {
            let file = part.split('"').next().unwrap();
            assert!(listed.contains(&file), "{file} is embedded but not in the bill of materials");
        }
    }
}
