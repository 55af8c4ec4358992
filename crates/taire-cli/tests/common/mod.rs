//! Running the binary and looking at what it wrote.

#![allow(dead_code)] // each test file uses its part

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use taire_text::fold;

pub(crate) fn taire(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_taire"))
        .args(args)
        .env_remove("TAIRE_KEY_FILE")
        .output()
        .expect("the binary starts")
}

/// A temporary folder, with paths as text.
pub(crate) struct Folder(pub(crate) tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// The same, with a secret key in the file `key`.
    pub(crate) fn with_key() -> Folder {
        let folder = Folder::new();
        assert!(taire(&["key", "new", "-o", &folder.path("key")]).status.success());
        folder
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file, with the folders above it, and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }
}

/// The text of a document, as `detect` reads it.
pub(crate) fn text_of(name: &str, bytes: &[u8]) -> String {
    let folder = Folder::new();
    folder.write(&format!("in/{name}"), bytes);
    let out = folder.path("out.jsonl");
    let done = taire(&["detect", &folder.path("in"), "-o", &out, "--to", "jsonl"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let line: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    line["text"].as_str().unwrap().to_owned()
}

pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Every file below a folder, by its path there.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).expect("the folder is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below the folder").to_owned();
                found.insert(name, std::fs::read(&path).expect("the file is there"));
            }
        }
    }
    found
}

/// The documents of an output folder, without the reports, which tell the time, and the manifest.
pub(crate) fn documents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = files(folder);
    all.retain(|path, _| !["report.", "manifest."].iter().any(|r| path.to_string_lossy().starts_with(r)));
    all
}

/// The rows of a file of the private folder beside an output, without the header.
pub(crate) fn private(out: &Path, name: &str) -> Vec<Vec<String>> {
    let mut folder = out.with_extension("").into_os_string();
    folder.push(".private");
    let mut rows = Vec::new();
    taire_formats::each_csv_row(&Path::new(&folder).join(name), |cells| rows.push(cells.to_vec()))
        .expect("the private file is there");
    rows
}

/// What replaces what in an output, by kind.
pub(crate) fn crosswalk(out: &Path, kind: &str) -> BTreeMap<String, String> {
    let rows = private(out, "crosswalk.csv").into_iter().filter(|row| row[0] == kind);
    rows.map(|row| (row[1].clone(), row[2].clone())).collect()
}

/// The name of an example in an output: the document itself, or a folder that documents lie in.
pub(crate) fn example(out: &Path, name: &str) -> PathBuf {
    let wanted = examples().join(name);
    let (path, new) = crosswalk(out, "file")
        .into_iter()
        .find(|(path, _)| Path::new(path).starts_with(&wanted))
        .expect("the example was written");
    let below = Path::new(&path).strip_prefix(&wanted).expect("below it").iter().count();
    out.join(Path::new(&new).ancestors().nth(below).expect("as deep"))
}

/// What can be searched of a file: its bytes, or the parts of a container by their names.
pub(crate) fn unpacked(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let Ok(mut archive) = zip::ZipArchive::new(std::io::Cursor::new(bytes)) else {
        return vec![(String::new(), bytes.to_vec())];
    };
    let parts = (0..archive.len()).map(|i| {
        let mut part = archive.by_index(i).expect("the part is there");
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut part, &mut bytes).expect("the part is whole");
        (part.name().expect("the part has a name").into_owned(), bytes)
    });
    parts.collect()
}

/// Folded, with everything but letters and digits as one blank: how a person searches.
pub(crate) fn searchable(text: &str) -> String {
    let mut out = String::from(" ");
    for c in fold(text).chars() {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.push(' ');
    out
}

pub(crate) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}
