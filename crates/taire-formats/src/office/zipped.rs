//! Zip containers within limits: how many parts, how much they may grow, none of them encrypted.

use crate::Reason;
use std::collections::BTreeSet;
use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

const MOST_PARTS: usize = 4096;
/// How many bytes the parts that are read may unpack to, together.
const MOST_BYTES: u64 = 96 << 20;
/// How much larger than the file they may be.
const MOST_RATIO: u64 = 250;

pub(crate) struct Zip<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    names: BTreeSet<String>,
    left: u64,
}

impl<'a> Zip<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, Reason> {
        let mut archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|_| "it is a zip file that is damaged or cut short")?;
        if archive.len() > MOST_PARTS {
            return Err(format!("it has {} parts; the limit is {MOST_PARTS}", archive.len()).into());
        }
        let mut names = BTreeSet::new();
        for i in 0..archive.len() {
            let part = archive.by_index_raw(i).map_err(|_| "a part of it is damaged")?;
            if part.encrypted() {
                return Err("it is encrypted; remove its password first".into());
            }
            if part.is_file() {
                let name = part.name().map_err(|_| "the name of a part is not readable")?;
                names.insert(name.trim_start_matches('/').to_owned());
            }
        }
        let left = MOST_BYTES.min((bytes.len() as u64).saturating_mul(MOST_RATIO).max(1 << 20));
        Ok(Zip { archive, names, left })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The bytes of a part.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, Reason> {
        if !self.has(name) {
            return Ok(None);
        }
        let index =
            self.archive.index_for_name(name).or_else(|| self.archive.index_for_name(&format!("/{name}")));
        let Some(index) = index else { return Ok(None) };
        let part = self
            .archive
            .by_index(index)
            .map_err(|_| "a part of it is damaged or packed in an unknown way")?;
        let mut out = Vec::new();
        part.take(self.left + 1).read_to_end(&mut out).map_err(|_| "a part of it is damaged")?;
        let length = out.len() as u64;
        if length > self.left {
            return Err(format!(
                "it unpacks to more than {} MB or {MOST_RATIO} times its size; such a file is not opened",
                MOST_BYTES >> 20
            )
            .into());
        }
        self.left -= length;
        Ok(Some(out))
    }
}

/// One part to write.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) stored: bool,
}

impl Part {
    pub(crate) fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Part { name: name.into(), bytes: bytes.into(), stored: false }
    }
}

/// Packs parts in their order, always in the same way.
pub(crate) fn pack(parts: &[Part]) -> Result<Vec<u8>, &'static str> {
    const FAILED: &str = "it could not be packed again";
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for part in parts {
        let method = if part.stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        writer.start_file(part.name.as_str(), options).map_err(|_| FAILED)?;
        writer.write_all(&part.bytes).map_err(|_| FAILED)?;
    }
    Ok(writer.finish().map_err(|_| FAILED)?.into_inner())
}

/// A transparent picture of one pixel, in place of those that are not treated.
#[rustfmt::skip]
pub(crate) const EMPTY_PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
    0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00, 0x00, 0x00,
    0x0b, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0x00, 0x02, 0x00, 0x00, 0x05, 0x00, 0x01, 0xe9, 0xfa,
    0xdc, 0xd8, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];
