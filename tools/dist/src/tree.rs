//! The files of a package, and tar and gzip files that depend on them alone: sorted, owned by root, with one time for all.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::error::{Error, Result};

/// Mode of a file that everybody reads.
pub(crate) const READABLE: u32 = 0o644;
/// Mode of a program and of a folder.
pub(crate) const RUNNABLE: u32 = 0o755;

#[derive(Clone, Debug)]
enum Node {
    Folder,
    File(Vec<u8>),
}

/// Files and folders by their paths, which are relative and have no `.` or `..`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: BTreeMap<String, (u32, Node)>,
}

impl Tree {
    /// Adds a file, and the folders above it.
    pub(crate) fn file(&mut self, path: &str, mode: u32, bytes: impl Into<Vec<u8>>) {
        for (end, _) in path.match_indices('/') {
            self.nodes.entry(path[..end].to_owned()).or_insert((RUNNABLE, Node::Folder));
        }
        self.nodes.insert(path.to_owned(), (mode, Node::File(bytes.into())));
    }

    /// Adds a folder that may be empty.
    pub(crate) fn folder(&mut self, path: &str, mode: u32) {
        self.nodes.insert(path.to_owned(), (mode, Node::Folder));
    }

    /// Adds the files of another tree under a folder.
    pub(crate) fn join(&mut self, folder: &str, other: &Tree) {
        for (path, (mode, node)) in &other.nodes {
            if let Node::File(bytes) = node {
                self.file(&format!("{folder}/{path}"), *mode, bytes.clone());
            }
        }
    }

    /// The files, by path.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.nodes.iter().filter_map(|(path, (_, node))| match node {
            Node::File(bytes) => Some((path.as_str(), bytes.as_slice())),
            Node::Folder => None,
        })
    }

    /// The tree as a tar file; `prefix` goes before every path, and all times are `time`, in seconds since 1970.
    pub(crate) fn to_tar(&self, prefix: &str, time: u64) -> Result<Vec<u8>> {
        let fault = |e: std::io::Error| Error::new(format!("a tar file cannot be written: {e}"));
        let mut tar = Builder::new(Vec::new());
        for (path, (mode, node)) in &self.nodes {
            let mut header = Header::new_ustar();
            header.set_mode(*mode);
            header.set_mtime(time);
            header.set_uid(0);
            header.set_gid(0);
            let (name, bytes): (String, &[u8]) = match node {
                Node::Folder => (format!("{prefix}{path}/"), &[]),
                Node::File(bytes) => (format!("{prefix}{path}"), bytes),
            };
            header.set_entry_type(if matches!(node, Node::Folder) {
                EntryType::Directory
            } else {
                EntryType::Regular
            });
            header.set_size(bytes.len() as u64);
            tar.append_data(&mut header, name, bytes).map_err(fault)?;
        }
        tar.into_inner().map_err(fault)
    }
}

/// Gzip without a name or a time.
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let fault = |e: std::io::Error| Error::new(format!("gzip failed: {e}"));
    let mut out = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    out.write_all(bytes).map_err(fault)?;
    out.finish().map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn entries_are_sorted_owned_by_root_and_have_one_time() {
        let mut tree = Tree::default();
        tree.file("usr/bin/b", RUNNABLE, *b"b");
        tree.file("etc/a", READABLE, *b"a");
        let tar = tree.to_tar("./", 86_400).unwrap();
        let mut paths = Vec::new();
        for entry in tar::Archive::new(tar.as_slice()).entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!(
                (header.mtime().unwrap(), header.uid().unwrap(), header.gid().unwrap()),
                (86_400, 0, 0)
            );
            paths.push(entry.path().unwrap().to_string_lossy().into_owned());
        }
        let wanted = ["etc", "etc/a", "usr", "usr/bin", "usr/bin/b"];
        let paths: Vec<&str> =
            paths.iter().map(|p| p.trim_start_matches("./").trim_end_matches('/')).collect();
        assert_eq!(paths, wanted);
    }

    #[test]
    fn gzip_gives_the_bytes_back_and_the_same_bytes_twice() {
        let bytes = b"abc".repeat(1000);
        let packed = gzip(&bytes).unwrap();
        assert_eq!(packed, gzip(&bytes).unwrap());
        assert_eq!(packed[4..8], [0; 4], "no time");
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut back).unwrap();
        assert_eq!(back, bytes);
    }
}
