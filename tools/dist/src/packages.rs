//! The crates that are linked into the program, as Cargo resolves them for its target.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::error::{Error, Result};

/// The crate whose program ships.
pub(crate) const PROGRAM: &str = "taire-cli";

/// A crate of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its licence as an SPDX expression.
    pub(crate) licence: String,
    pub(crate) authors: Vec<String>,
    pub(crate) description: Option<String>,
    pub(crate) repository: Option<String>,
    /// The folder of its sources.
    pub(crate) folder: PathBuf,
    /// SHA-256 of the package in the registry; none for crates of the workspace.
    pub(crate) checksum: Option<String>,
    /// Names and versions of the crates of the program that it depends on.
    pub(crate) depends_on: BTreeSet<(String, String)>,
}

impl Package {
    pub(crate) fn is_ours(&self) -> bool {
        self.checksum.is_none()
    }

    /// Its package URL, which names it in bills of materials.
    pub(crate) fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version.replace('+', "%2B"))
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<MetadataPackage>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct MetadataPackage {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    authors: Vec<String>,
    description: Option<String>,
    repository: Option<String>,
    manifest_path: PathBuf,
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    dependencies: Vec<String>,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    checksum: Option<String>,
}

type Key = (String, String);

/// The crates of the program for a target, by name and version. Crates that only run during the build are none of them.
pub(crate) fn linked(root: &Path, target: &str) -> Result<Vec<Package>> {
    let tree = cargo(
        root,
        &["tree", "--locked", "--package", PROGRAM, "--target", target, "--edges", "normal,no-proc-macro"],
        &["--prefix", "none", "--format", "{p}"],
    )?;
    let metadata =
        cargo(root, &["metadata", "--locked", "--format-version", "1"], &["--filter-platform", target])?;
    let path = root.join("Cargo.lock");
    let lock = fs::read_to_string(&path).map_err(|e| Error::at(&path, e))?;
    join(&keys_of_tree(&tree), &metadata, &lock)
}

fn cargo(root: &Path, args: &[&str], more: &[&str]) -> Result<String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let output = command.args(args).args(more).current_dir(root).output();
    let output = output.map_err(|e| Error::new(format!("cargo could not be started: {e}")))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(format!("`cargo {}` failed: {why}", args[0])));
    }
    String::from_utf8(output.stdout).map_err(|_| Error::new(format!("`cargo {}` printed no UTF-8", args[0])))
}

/// Lines such as `aes v0.9.4` and `taire v0.1.0 (/folder) (*)`.
fn keys_of_tree(tree: &str) -> BTreeSet<Key> {
    let keys = tree.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    });
    keys.collect()
}

fn join(keys: &BTreeSet<Key>, metadata: &str, lock: &str) -> Result<Vec<Package>> {
    let metadata: Metadata =
        serde_json::from_str(metadata).map_err(|e| Error::new(format!("cargo metadata: {e}")))?;
    let lock: Lock = toml::from_str(lock).map_err(|e| Error::new(format!("Cargo.lock: {e}")))?;
    let checksums: HashMap<Key, Option<String>> =
        lock.package.into_iter().map(|p| ((p.name, p.version), p.checksum)).collect();
    let names: HashMap<&str, Key> =
        metadata.packages.iter().map(|p| (p.id.as_str(), (p.name.clone(), p.version.clone()))).collect();
    let below: HashMap<&str, &[String]> =
        metadata.resolve.nodes.iter().map(|n| (n.id.as_str(), n.dependencies.as_slice())).collect();
    let mut found: BTreeMap<Key, Package> = BTreeMap::new();
    for package in &metadata.packages {
        let key = (package.name.clone(), package.version.clone());
        if !keys.contains(&key) {
            continue;
        }
        let place = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref().map(spdx);
        let checksum = checksums.get(&key).cloned().flatten();
        if package.source.is_some() && checksum.is_none() {
            return Err(Error::new(format!("{place}: Cargo.lock has no checksum of it")));
        }
        let dependencies = below.get(package.id.as_str()).copied().unwrap_or_default();
        let depends_on =
            dependencies.iter().filter_map(|id| names.get(id.as_str())).filter(|key| keys.contains(key));
        let package = Package {
            licence: licence.ok_or_else(|| Error::new(format!("{place}: its manifest names no licence")))?,
            name: package.name.clone(),
            version: package.version.clone(),
            authors: package.authors.clone(),
            description: package.description.as_deref().map(one_line),
            repository: package.repository.clone(),
            folder: package.manifest_path.parent().map(Path::to_path_buf).unwrap_or_default(),
            checksum,
            depends_on: depends_on.cloned().collect(),
        };
        found.insert(key, package);
    }
    match keys.iter().find(|key| !found.contains_key(*key)) {
        Some((name, version)) => Err(Error::new(format!("cargo metadata does not tell of {name} {version}"))),
        None => Ok(found.into_values().collect()),
    }
}

/// Old manifests write `MIT/Apache-2.0` for a choice.
fn spdx(licence: &str) -> String {
    licence.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An invented crate, for tests.
    pub(crate) fn package(name: &str, licence: &str, folder: &Path) -> Package {
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.to_owned(),
            authors: vec!["A. Uthor".to_owned()],
            description: None,
            repository: None,
            folder: folder.to_owned(),
            checksum: Some("0".repeat(64)),
            depends_on: BTreeSet::new(),
        }
    }

    #[test]
    fn reads_the_lines_of_cargo_tree() {
        let keys = keys_of_tree("taire-cli v0.1.0 (/a b/c)\naes v0.9.4\naes v0.9.4 (*)\n\n");
        let keys: Vec<_> = keys.iter().map(|(name, version)| format!("{name} {version}")).collect();
        assert_eq!(keys, ["aes 0.9.4", "taire-cli 0.1.0"]);
    }

    #[test]
    fn old_licence_expressions_become_spdx() {
        assert_eq!(spdx("Apache-2.0 / MIT"), "Apache-2.0 OR MIT");
        assert_eq!(spdx("Unlicense/MIT"), "Unlicense OR MIT");
        assert_eq!(spdx("(MIT OR Apache-2.0) AND Unicode-3.0"), "(MIT OR Apache-2.0) AND Unicode-3.0");
    }

    #[test]
    fn crates_of_the_program_are_found_with_licence_and_checksum() {
        let packages = linked(&crate::root(), "x86_64-unknown-linux-gnu").unwrap();
        let find = |name: &str| packages.iter().find(|p| p.name == name);
        let program = find(PROGRAM).unwrap();
        assert!(program.is_ours() && program.depends_on.iter().any(|(name, _)| name == "taire"));
        assert_eq!(find("regex").unwrap().checksum.as_ref().unwrap().len(), 64);
        assert!(find("syn").is_none(), "a crate that only runs during the build");
        assert!(find("proptest").is_none(), "a crate for tests");
    }
}
