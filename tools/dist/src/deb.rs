//! The Debian package: an `ar` file of `debian-binary`, `control.tar.gz` and `data.tar.gz`.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::digest::md5;
use crate::error::{Error, Result};
use crate::release::Release;
use crate::tree::{READABLE, RUNNABLE, Tree, gzip};

const DESCRIPTION: &str = "de-identify clinical documents in French and Spanish\n \
    Taire finds what could identify a person in clinical documents and rewrites\n \
    it, so that the text still reads and still serves medicine. It works offline;\n \
    lexicons and models are inside the program.\n";

/// Debian's tool for checking packages warns of static programs; this one is meant to be.
const LINTIAN: &str = "taire: statically-linked-binary [usr/bin/taire]\n";

const MAINTAINER: &str = "The Taire developers <taire@taire.invalid>";

const COPYRIGHT: &str = "Copyright 2026 The Taire developers\n\n\
    Taire is licensed under the Apache License, version 2.0, which is in\n\
    /usr/share/common-licenses/Apache-2.0 on Debian systems, and in LICENSE.gz here.\n\n\
    Licences of the crates linked into the program: licences/crates.txt.gz. Of its C library: licences/musl.txt.gz. Of Rust's\n\
    standard library: licences/rust-standard-library.html.gz. Of lexicons and models: SOURCES-lexicons.md.gz and\n\
    SOURCES-models.md.gz.\n";

/// The name of the package's file.
pub(crate) fn file_name(release: &Release) -> String {
    format!("taire_{}_amd64.deb", release.version)
}

/// The package.
pub(crate) fn package(release: &Release) -> Result<Vec<u8>> {
    let data = data(release)?;
    let mut control = Tree::default();
    control.file("control", READABLE, control_file(release, &data));
    let sums = data.files().fold(String::new(), |mut out, (path, bytes)| {
        let _ = writeln!(out, "{}  {path}", md5(bytes));
        out
    });
    control.file("md5sums", READABLE, sums);
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", gzip(&control.to_tar("./", release.time)?)?),
        ("data.tar.gz", gzip(&data.to_tar("./", release.time)?)?),
    ];
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        out.extend(ar_header(name, release.time, bytes.len()).bytes());
        out.extend(&bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    Ok(out)
}

fn ar_header(name: &str, time: u64, size: usize) -> String {
    format!("{name:<16}{time:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, "100644")
}

fn control_file(release: &Release, data: &Tree) -> String {
    let kilobytes: usize = data.files().map(|(_, bytes)| bytes.len().div_ceil(1024)).sum();
    format!(
        "Package: taire\nVersion: {}\nSection: science\nPriority: optional\nArchitecture: amd64\n\
         Maintainer: {MAINTAINER}\nInstalled-Size: {kilobytes}\nDescription: {DESCRIPTION}",
        release.version
    )
}

/// What is installed, at Debian's places.
fn data(release: &Release) -> Result<Tree> {
    let mut tree = Tree::default();
    tree.file("usr/bin/taire", RUNNABLE, release.program.clone());
    for (name, bytes) in release.man.files() {
        tree.file(&format!("usr/share/man/man1/{name}.gz"), READABLE, gzip(bytes)?);
    }
    for (name, bytes) in release.completions.files() {
        let place = match name {
            "taire.bash" => "bash-completion/completions/taire",
            "taire.fish" => "fish/vendor_completions.d/taire.fish",
            _ => "zsh/vendor-completions/_taire",
        };
        tree.file(&format!("usr/share/{place}"), READABLE, bytes);
    }
    for (name, bytes) in release.documents.files() {
        tree.file(&format!("usr/share/doc/taire/{name}.gz"), READABLE, gzip(bytes)?);
    }
    tree.file("usr/share/doc/taire/changelog.gz", READABLE, gzip(changelog(release)?.as_bytes())?);
    tree.file("usr/share/doc/taire/copyright", READABLE, COPYRIGHT);
    tree.file("usr/share/lintian/overrides/taire", READABLE, LINTIAN);
    Ok(tree)
}

/// The changelog in Debian's form, which points to the other.
fn changelog(release: &Release) -> Result<String> {
    let seconds = i64::try_from(release.time).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_second(seconds);
    let time = time.map_err(|e| Error::new(format!("SOURCE_DATE_EPOCH: {e}")))?;
    let date = time.strftime("%a, %d %b %Y %H:%M:%S +0000");
    Ok(format!(
        "taire ({}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- {MAINTAINER}  {date}\n",
        release.version
    ))
}

/// Installs a package with `dpkg` into a root that holds nothing else.
pub(crate) fn install(package: &Path, root: &Path) -> Result<()> {
    for folder in ["var/lib/dpkg/updates", "var/lib/dpkg/info"] {
        fs::create_dir_all(root.join(folder)).map_err(|e| Error::at(root, e))?;
    }
    for file in ["status", "available"] {
        let path = root.join("var/lib/dpkg").join(file);
        fs::write(&path, "").map_err(|e| Error::at(&path, e))?;
    }
    let mut dpkg = Command::new("dpkg");
    dpkg.arg(format!("--root={}", root.display())).args(["--force-not-root", "--install"]).arg(package);
    let output = dpkg.output().map_err(|e| Error::new(format!("dpkg could not be started: {e}")))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::new(format!("dpkg failed: {}", String::from_utf8_lossy(&output.stderr)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::tests::{stand_in, unpack};

    /// The members of an `ar` file.
    fn members(mut bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
        bytes = bytes.strip_prefix(b"!<arch>\n").unwrap();
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let header = std::str::from_utf8(&bytes[..60]).unwrap();
            assert!(header.ends_with("`\n"));
            let size: usize = header[48..58].trim().parse().unwrap();
            found.push((header[..16].trim().to_owned(), bytes[60..60 + size].to_vec()));
            bytes = &bytes[60 + size + size % 2..];
        }
        found
    }

    #[test]
    fn has_the_members_and_sums_that_dpkg_expects() {
        let release = stand_in();
        let package = package(&release).unwrap();
        let members = members(&package);
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["debian-binary", "control.tar.gz", "data.tar.gz"]);
        let (control, data) = (unpack(&members[1].1), unpack(&members[2].1));
        assert!(control["control"].starts_with(b"Package: taire\nVersion: 1.2.3\n"));
        assert_eq!(data["usr/bin/taire"], release.program);
        let sums = String::from_utf8(control["md5sums"].clone()).unwrap();
        assert_eq!(sums.lines().count(), data.len());
        for line in sums.lines() {
            let (sum, path) = line.split_once("  ").unwrap();
            assert_eq!(md5(&data[path]), sum, "{path}");
        }
    }

    #[test]
    fn the_changelog_has_the_form_of_debian() {
        let text = changelog(&stand_in()).unwrap();
        assert!(text.starts_with("taire (1.2.3) unstable; "));
        assert!(
            text.ends_with(
                " -- The Taire developers <taire@taire.invalid>  Tue, 14 Nov 2023 22:13:20 +0000\n"
            )
        );
    }

    #[test]
    fn the_package_is_the_same_twice() {
        assert_eq!(package(&stand_in()).unwrap(), package(&stand_in()).unwrap());
    }

    /// Where `dpkg` is at hand and may change owners, it installs the package into a root of its own.
    #[test]
    fn dpkg_installs_it_into_another_root() {
        if !Path::new("/usr/bin/dpkg").exists() || !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("taire.deb");
        std::fs::write(&file, package(&stand_in()).unwrap()).unwrap();
        let root = folder.path().join("root");
        install(&file, &root).unwrap();
        let run = Command::new(root.join("usr/bin/taire")).output().unwrap();
        assert_eq!(run.stdout, b"taire 1.2.3\n");
    }
}
