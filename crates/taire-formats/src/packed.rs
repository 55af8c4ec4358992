//! Packed files: `.gz`, read as the file inside it, and `.zip`, read as a folder. Nothing is unpacked to the disk, and
//! what unpacks to too much is refused.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::bufread::MultiGzDecoder;
use zip::ZipArchive;

use crate::Reason;
use crate::error::reason;

/// Text packs ten to one; what unpacks to more than this many times its size is made to harm.
const MOST_TIMES: u64 = 250;
/// Below this, no ratio harms.
const FREE_BYTES: u64 = 64 << 20;
/// The most bytes a file inside a zip may have: it is read in memory.
const MEMBER_BYTES: u64 = 256 << 20;
const MEMBERS: usize = 1_000_000;

/// How the bytes of a document lie in their file.
#[derive(Clone, Default)]
pub(crate) enum Packing {
    #[default]
    Plain,
    Gzip,
    Member {
        archive: ZipArchive<Shared>,
        index: usize,
    },
}

impl std::fmt::Debug for Packing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Packing::Plain => f.write_str("Plain"),
            Packing::Gzip => f.write_str("Gzip"),
            Packing::Member { index, .. } => write!(f, "Member({index})"),
        }
    }
}

pub(crate) fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(b"\x1F\x8B")
}

/// A file that was packed, as a stream that stops where it grows beyond all measure.
pub(crate) fn gunzip(file: File) -> io::Result<impl Read + Send> {
    let packed = file.metadata()?.len();
    let most = packed.saturating_mul(MOST_TIMES).max(FREE_BYTES);
    Ok(Measured { inner: MultiGzDecoder::new(BufReader::with_capacity(1 << 16, file)), left: most })
}

struct Measured<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Measured<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(n as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(n)
    }
}

/// One open file behind many readers, each with a place of its own.
#[derive(Clone)]
pub(crate) struct Shared {
    file: Arc<Mutex<File>>,
    at: u64,
    length: u64,
}

impl Shared {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Shared { file: Arc::new(Mutex::new(file)), at: 0, length })
    }
}

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let n = file.read(buffer)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// A file in a zip, or why it is not read.
pub(crate) struct Member {
    pub(crate) path: PathBuf,
    pub(crate) packing: Result<Packing, Reason>,
}

/// The files of a zip by name, or `None` where it is a document of another program (.docx, .odt, …).
pub(crate) fn members(path: &Path) -> Result<Option<Vec<Member>>, Reason> {
    let damaged = "this zip file is damaged or of a kind that is not known";
    let shared = Shared::open(path).map_err(|e| format!("cannot read it: {}", reason(&e)))?;
    let mut archive = ZipArchive::new(io::BufReader::new(shared.clone())).map_err(|_| damaged)?;
    if archive.len() > MEMBERS {
        return Err(format!("this zip holds {} files; the limit is {MEMBERS}", archive.len()).into());
    }
    let document = ["[Content_Types].xml", "mimetype", "META-INF/manifest.xml"];
    if archive.file_names().any(|n| n.is_ok_and(|n| document.contains(&&*n))) {
        return Ok(None);
    }
    let archived = ZipArchive::new(shared).map_err(|_| damaged)?;
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let refused = |why: &str| Err(Reason::from(why));
        let Ok(member) = archive.by_index_raw(index) else {
            found.push(Member { path: format!("file-{}", index + 1).into(), packing: refused(damaged) });
            continue;
        };
        if member.is_dir() {
            continue;
        }
        let Some(name) = member.enclosed_name() else {
            let packing = refused("its path in the zip leads out of it");
            found.push(Member { path: format!("file-{}", index + 1).into(), packing });
            continue;
        };
        let (size, packed) = (member.size(), member.compressed_size());
        let packing = if member.encrypted() {
            refused("it is encrypted; unpack the zip first")
        } else if member.is_symlink() {
            refused("it is a link")
        } else if size > MEMBER_BYTES {
            Err(format!("it is over {} MB; unpack the zip first", MEMBER_BYTES >> 20).into())
        } else if size > FREE_BYTES / 8 && size / MOST_TIMES > packed {
            Err(format!("it unpacks to more than {MOST_TIMES} times its size; unpack the zip first").into())
        } else {
            Ok(Packing::Member { archive: archived.clone(), index })
        };
        found.push(Member { path: name, packing });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    for i in 1..found.len() {
        // `a//b` is `a/b`.
        if found[i].path == found[i - 1].path {
            found[i].packing = Err("another file of the zip has the same path".into());
        }
    }
    Ok(Some(found))
}

/// The bytes of a file in a zip, at most `most` of them.
pub(crate) fn member_bytes(archive: &ZipArchive<Shared>, index: usize, most: u64) -> io::Result<Vec<u8>> {
    let mut archive = archive.clone();
    let member = archive.by_index(index).map_err(|_| io::ErrorKind::InvalidData)?;
    let most = most.min(MEMBER_BYTES + 1);
    let mut bytes = Vec::new();
    member.take(most).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MEMBER_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}
