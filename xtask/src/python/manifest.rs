//! `python/` is a workspace of its own, so that its features do not change the build of the program. Its profiles and
//! locked versions must equal those of the program, or the wheel would not be what was measured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub(super) fn check(root: &Path) -> Result<(), String> {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"));
    let (program, wheel) = (profiles(&read("Cargo.toml")?), profiles(&read("python/Cargo.toml")?));
    if let Some(line) = wheel.difference(&program).next() {
        return Err(format!("python/Cargo.toml: `{line}` is not in the profiles of Cargo.toml"));
    }
    let (program, wheel) = (versions(&read("Cargo.lock")?), versions(&read("python/Cargo.lock")?));
    for (name, locked) in &wheel {
        let other = program.get(name).filter(|known| !locked.is_subset(known));
        if let Some(known) = other {
            return Err(format!(
                "python/Cargo.lock has `{name}` {}, Cargo.lock has {}; copy Cargo.lock to python/ and run `cargo metadata` there",
                list(locked),
                list(known)
            ));
        }
    }
    Ok(())
}

fn list(versions: &BTreeSet<String>) -> String {
    versions.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Every setting of the profiles, with its section.
fn profiles(manifest: &str) -> BTreeSet<String> {
    let (mut section, mut out) = ("", BTreeSet::new());
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section.starts_with("[profile") && !line.is_empty() && !line.starts_with('#') {
            out.insert(format!("{section} {line}"));
        }
    }
    out
}

fn versions(lock: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut name = String::new();
    let value = |line: &str, key: &str| {
        Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned())
    };
    for line in lock.lines() {
        if let Some(found) = value(line, "name") {
            name = found;
        } else if let Some(version) = value(line, "version") {
            out.entry(name.clone()).or_default().insert(version);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_is_built_as_the_program_is() {
        check(&crate::test::root()).unwrap();
    }

    #[test]
    fn differences_are_seen() {
        let a = profiles("[profile.release]\nlto = \"off\"\n\n[lints]\nx = 1\n");
        assert_eq!(a.into_iter().collect::<Vec<_>>(), ["[profile.release] lto = \"off\""]);
        let b = versions(
            "[[package]]\nname = \"syn\"\nversion = \"2.0.1\"\n\n[[package]]\nname = \"syn\"\nversion = \"3.0.9\"\n",
        );
        assert_eq!(list(&b["syn"]), "2.0.1, 3.0.9");
    }
}
