//! The licence texts of everything that is linked into the program, each text once.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::error::{Error, Result};
use crate::packages::Package;

const APACHE: &str = include_str!("../../../LICENSE");
const BSD: &str = include_str!("../licences/BSD-3-Clause.txt");
const MIT: &str = include_str!("../licences/MIT.txt");
/// The notice of the C library of the static program.
pub(crate) const MUSL: &str = include_str!("../licences/musl.txt");

/// How the names of licence files begin.
const NAMES: [&str; 6] = ["licence", "license", "notice", "copyright", "unlicense", "copying"];
/// Folders below a crate's own that may hold code of others with its licence.
const DEPTH: usize = 4;

/// One text file: every crate with its licence and the numbers of its texts, then the texts.
pub(crate) fn collect(packages: &[Package]) -> Result<String> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut texts: Vec<String> = Vec::new();
    let mut out = "Crates that are linked into this program, with their licences. The numbers are those of the texts below.\n\n"
        .to_owned();
    for package in packages.iter().filter(|p| !p.is_ours()) {
        let mut own = Vec::new();
        for text in texts_of(package)? {
            let next = texts.len() + 1;
            let number = *numbers.entry(text.clone()).or_insert(next);
            if number == next {
                texts.push(text);
            }
            own.push(number.to_string());
        }
        own.dedup();
        let _ = write!(out, "{} {}: {} [{}]", package.name, package.version, package.licence, own.join(", "));
        match &package.repository {
            Some(address) => writeln!(out, " {address}"),
            None => writeln!(out),
        }
        .ok();
    }
    for (i, text) in texts.iter().enumerate() {
        let _ = write!(out, "\n{}\n[{}]\n\n{text}\n", "=".repeat(80), i + 1);
    }
    Ok(out)
}

/// The texts that a crate brings, or the standard text of its licence with its authors.
fn texts_of(package: &Package) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for path in files(&package.folder) {
        let bytes = fs::read(&path).map_err(|e| Error::at(&path, e))?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim().to_owned();
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    if texts.is_empty() {
        texts.push(standard(package)?);
    }
    Ok(texts)
}

/// Licence files of a crate, by path. `COPYING` beside `LICENSE` is a second choice that is not taken.
fn files(folder: &Path) -> Vec<PathBuf> {
    let walk = WalkDir::new(folder).max_depth(DEPTH).sort_by_file_name();
    let is_text = |path: &Path| path.extension().is_none_or(|e| e != "rs" && e != "py" && e != "html");
    let found: Vec<PathBuf> = walk
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file() && is_text(entry.path()))
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            let above = entry.path().parent().and_then(Path::file_name);
            let in_folder = above.is_some_and(|name| {
                ["licenses", "licences"].contains(&name.to_string_lossy().to_lowercase().as_str())
            });
            in_folder || NAMES.iter().any(|start| name.starts_with(start))
        })
        .map(walkdir::DirEntry::into_path)
        .collect();
    let begins = |path: &Path, start: &str| {
        path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase().starts_with(start))
    };
    let has_license =
        |folder: Option<&Path>| found.iter().any(|path| path.parent() == folder && begins(path, "licen"));
    found.iter().filter(|path| !begins(path, "copying") || !has_license(path.parent())).cloned().collect()
}

fn standard(package: &Package) -> Result<String> {
    let choices: Vec<&str> = package.licence.split(" OR ").map(str::trim).collect();
    let text = match () {
        () if choices.contains(&"Apache-2.0") => APACHE,
        () if choices.contains(&"MIT") => MIT,
        () if choices.contains(&"BSD-3-Clause") => BSD,
        () => {
            return Err(Error::new(format!(
                "{} {} brings no text of its licence ({}): add it to tools/dist/licences",
                package.name, package.version, package.licence
            )));
        }
    };
    Ok(format!("Copyright {}\n\n{}", package.authors.join(", "), text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::tests::package;

    #[test]
    fn a_text_that_two_crates_share_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let folders = ["a", "b"].map(|name| folder.path().join(name));
        for folder in &folders {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("LICENSE-MIT"), "granted freely\r\n").unwrap();
            fs::write(folder.join("COPYING"), "a second choice").unwrap();
        }
        let text = collect(&[package("a", "MIT", &folders[0]), package("b", "MIT", &folders[1])]).unwrap();
        assert!(text.contains("a 1.0.0: MIT [1]\nb 1.0.0: MIT [1]\n"), "{text}");
        assert_eq!(text.matches("granted freely").count(), 1);
        assert!(!text.contains("a second choice"));
    }

    #[test]
    fn a_crate_without_a_text_has_the_standard_one_with_its_authors() {
        let folder = tempfile::tempdir().unwrap();
        let text = collect(&[package("a", "MIT", folder.path())]).unwrap();
        assert!(text.contains("Copyright A. Uthor\n\nPermission is hereby granted"), "{text}");
        let message = collect(&[package("a", "MPL-2.0", folder.path())]).unwrap_err().to_string();
        assert!(message.contains("a 1.0.0 brings no text of its licence (MPL-2.0)"), "{message}");
    }

    #[test]
    fn every_crate_of_the_program_has_a_text() {
        let packages = crate::packages::linked(&crate::root(), "x86_64-unknown-linux-gnu").unwrap();
        let text = collect(&packages).unwrap();
        let (crates, texts) = text.split_once(&"=".repeat(80)).unwrap();
        assert!(!crates.contains("[]"), "{crates}");
        assert!(
            crates.contains("\nring ") && texts.contains("Zstandard"),
            "bundled C code has its texts too"
        );
    }
}
