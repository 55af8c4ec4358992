//! Packed files on the disk, found as the program finds them.

use std::fs;

use taire_formats::{ReadOptions, discover, open};

use crate::formats::with_folder;
use crate::parts::pack;

pub(crate) fn zip(flat: &[u8]) {
    found("input.zip", &pack(flat));
}

pub(crate) fn tar(bytes: &[u8]) {
    found("input.tar", bytes);
}

pub(crate) fn gz(bytes: &[u8]) {
    found("input.jsonl.gz", bytes);
}

/// Everything inside is read or refused; nothing is read twice.
fn found(name: &str, bytes: &[u8]) {
    with_folder(|folder| {
        let path = folder.join(name);
        fs::write(&path, bytes).expect("the input");
        let options = ReadOptions::default();
        let discovery = discover(&[path], &options);
        let mut said: Vec<String> =
            discovery.refused.iter().chain(&discovery.ignored).map(ToString::to_string).collect();
        for input in discovery.inputs.iter().take(50) {
            match open(input, &options) {
                Err(error) => said.push(error.to_string()),
                Ok(reader) => {
                    for item in reader.take(50) {
                        if let Err(refusal) = item {
                            said.push(refusal.to_string());
                        }
                    }
                }
            }
        }
        assert!(!said.iter().any(|s| s.contains("internal fault")), "a reader fell over: {said:?}");
        let names: std::collections::BTreeSet<_> = discovery.inputs.iter().map(|i| &i.relative).collect();
        assert!(names.len() == discovery.inputs.len(), "two inputs have one name");
    });
}
