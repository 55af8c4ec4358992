//! Zip files as flat bytes that can be damaged inside: what is packed has check sums, so that damage done from outside
//! hardly ever gets past the unpacking. Each part is `\x01name\x02content`.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A zip file made of flat bytes; those that begin otherwise are taken for a file as they are.
pub(crate) fn pack(flat: &[u8]) -> Vec<u8> {
    if flat.first() != Some(&1) {
        return flat.to_vec();
    }
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for part in flat.split(|b| *b == 1).skip(1) {
        let (name, content) = part.split_at(part.iter().position(|b| *b == 2).unwrap_or(part.len()));
        let name = String::from_utf8_lossy(name);
        // Names twice in one zip cannot be written; real files have none.
        if zip.start_file(name, options).is_ok() {
            let _ = zip.write_all(content.get(1..).unwrap_or_default());
        }
    }
    zip.finish().map(Cursor::into_inner).unwrap_or_default()
}

/// The flat bytes of a zip file, its text parts only.
pub(crate) fn flatten(file: &[u8]) -> Vec<u8> {
    let mut flat = Vec::new();
    for (name, content) in unpack(file) {
        if content.contains(&1) || content.contains(&2) {
            continue;
        }
        flat.push(1);
        flat.extend_from_slice(name.as_bytes());
        flat.push(2);
        flat.extend_from_slice(&content);
    }
    flat
}

/// The parts of a container, or the bytes themselves.
pub(crate) fn unpack(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
        return vec![(String::new(), bytes.to_vec())];
    };
    let mut parts = Vec::new();
    for i in 0..archive.len() {
        let Ok(part) = archive.by_index(i) else { continue };
        let name = part.name().map(|n| n.into_owned()).unwrap_or_default();
        let mut content = Vec::new();
        let _ = part.take(64 << 20).read_to_end(&mut content);
        parts.push((name, content));
    }
    parts
}
