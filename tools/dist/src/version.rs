//! The version: the newest one of the changelog, which every manifest must name.

use std::fs;
use std::path::Path;

use crate::error::{Error, Result};

/// Where else the version is written, and how its line begins.
const COPIES: [(&str, &str); 3] =
    [("Cargo.toml", "version = "), ("python/Cargo.toml", "version = "), ("CITATION.cff", "version: ")];

/// The newest version of a changelog: the first heading of the second level that begins with a digit.
fn newest_heading(changelog: &str) -> Option<&str> {
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    headings
        .filter_map(|heading| heading.split_whitespace().next())
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// The version of the sources under `root`.
pub(crate) fn version(root: &Path) -> Result<String> {
    let read = |name: &str| fs::read_to_string(root.join(name)).map_err(|e| Error::at(&root.join(name), e));
    let changelog = read("CHANGELOG.md")?;
    let version = newest_heading(&changelog)
        .ok_or_else(|| Error::new("CHANGELOG.md has no heading with a version, such as `## 0.1.0`"))?;
    for (name, key) in COPIES {
        let text = read(name)?;
        let copy = text.lines().find_map(|line| line.strip_prefix(key)).map(|v| v.trim_matches('"'));
        if copy != Some(version) {
            return Err(Error::new(format!(
                "the newest version of CHANGELOG.md is {version}, {name} says {}: make them equal",
                copy.unwrap_or("none")
            )));
        }
    }
    Ok(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_heading_is_the_first_with_a_digit() {
        assert_eq!(
            newest_heading("# Changelog\n\n## Unreleased\n- a\n\n## 0.2.0 (2026-11-18)\n## 0.1.0\n"),
            Some("0.2.0")
        );
        assert_eq!(newest_heading("# Changelog\n\n## Unreleased\n"), None);
    }

    #[test]
    fn changelog_and_manifests_name_one_version() {
        let version = version(&crate::root()).unwrap();
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn a_manifest_with_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("python")).unwrap();
        fs::write(folder.path().join("CHANGELOG.md"), "## 0.2.0\n").unwrap();
        fs::write(folder.path().join("Cargo.toml"), "version = \"0.1.0\"\n").unwrap();
        let message = version(folder.path()).unwrap_err().to_string();
        assert!(message.contains("CHANGELOG.md is 0.2.0, Cargo.toml says 0.1.0"), "{message}");
    }
}
