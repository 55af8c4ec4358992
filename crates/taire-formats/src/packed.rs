//! Packed files: `.gz`, read as the file inside it, `.zip`, `.tar` and `.tar.gz`, read as a folder, and any of them in
//! another. Nothing is unpacked to the disk, and what unpacks to too much is refused.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
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
/// How deep packed files may lie in packed files.
const DEEPEST: usize = 4;
/// How many bytes packed files inside packed files may unpack to, together: they are held in memory.
const NESTED_BYTES: u64 = 256 << 20;

/// How the bytes of a document lie in their file.
#[derive(Clone, Default)]
pub(crate) enum Packing {
    #[default]
    Plain,
    Gzip,
    /// In a zip.
    Member {
        archive: ZipArchive<Shared>,
        index: usize,
    },
    /// In a tar, as it is.
    Region {
        file: Shared,
        at: u64,
        length: u64,
    },
    /// In something that was packed again, unpacked.
    Memory {
        bytes: Arc<[u8]>,
        at: Range<usize>,
    },
}

impl Packing {
    /// The bytes of a file inside another, at most `most` of them.
    pub(crate) fn bytes(&self, most: u64) -> io::Result<Vec<u8>> {
        let most = most.min(MEMBER_BYTES + 1);
        let mut bytes = Vec::new();
        match self {
            Packing::Plain | Packing::Gzip => return Err(io::ErrorKind::InvalidInput.into()),
            Packing::Member { archive, index } => {
                let mut archive = archive.clone();
                let member = archive.by_index(*index).map_err(|_| io::ErrorKind::InvalidData)?;
                member.take(most).read_to_end(&mut bytes)?;
            }
            Packing::Region { file, at, length } => {
                let file = Shared { at: *at, ..file.clone() };
                file.take(most.min(*length)).read_to_end(&mut bytes)?;
                if (bytes.len() as u64) < most.min(*length) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Packing::Memory { bytes: all, at } => {
                let whole = all.get(at.clone()).ok_or(io::ErrorKind::UnexpectedEof)?;
                bytes.extend_from_slice(
                    &whole[..whole.len().min(usize::try_from(most).unwrap_or(usize::MAX))],
                );
            }
        }
        match bytes.len() as u64 > MEMBER_BYTES {
            true => Err(io::ErrorKind::FileTooLarge.into()),
            false => Ok(bytes),
        }
    }
}

impl std::fmt::Debug for Packing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Packing::Plain => f.write_str("Plain"),
            Packing::Gzip => f.write_str("Gzip"),
            Packing::Member { index, .. } => write!(f, "Member({index})"),
            Packing::Region { length, .. } => write!(f, "Region({length} bytes)"),
            Packing::Memory { at, .. } => write!(f, "Memory({} bytes)", at.len()),
        }
    }
}

pub(crate) fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(b"\x1F\x8B")
}

/// A tar since POSIX; older ones have no mark.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

/// What may still be unpacked of what lies in other packed files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    depth: usize,
    bytes: u64,
}

impl Default for Room {
    fn default() -> Self {
        Room { depth: 0, bytes: NESTED_BYTES }
    }
}

impl Room {
    /// One level deeper.
    pub(crate) fn enter(&mut self) -> Result<(), Reason> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => {
                Err(format!("packed files lie over {DEEPEST} deep in each other; unpack them first").into())
            }
            false => Ok(()),
        }
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    fn take(&mut self, bytes: usize) -> Result<(), Reason> {
        self.bytes = self.bytes.checked_sub(bytes as u64).ok_or_else(|| {
            Reason::from(format!(
                "what is packed again in it unpacks to more than {} MB; unpack it first",
                NESTED_BYTES >> 20
            ))
        })?;
        Ok(())
    }

    /// The bytes of a stream that unpacks what has `packed` bytes.
    fn unpack(&mut self, stream: impl Read, packed: u64) -> Result<Vec<u8>, Reason> {
        let most = packed.saturating_mul(MOST_TIMES).max(FREE_BYTES).min(self.bytes);
        let mut bytes = Vec::new();
        let read = stream.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|e| format!("cannot unpack it: {}", reason(&e)))?;
        if bytes.len() as u64 > most && most < self.bytes {
            return Err(
                format!("it unpacks to more than {MOST_TIMES} times its size; unpack it first").into()
            );
        }
        self.take(bytes.len())?;
        Ok(bytes)
    }

    /// What a `.gz` on the disk holds.
    pub(crate) fn gunzip_file(&mut self, path: &Path) -> Result<Packing, Reason> {
        let unreadable = |e: io::Error| Reason::from(format!("cannot read it: {}", reason(&e)));
        let file = File::open(path).map_err(unreadable)?;
        let packed = file.metadata().map_err(unreadable)?.len();
        let bytes = self.unpack(MultiGzDecoder::new(BufReader::new(file)), packed)?;
        Ok(memory(bytes))
    }

    /// What a `.gz` inside another file holds.
    pub(crate) fn gunzip(&mut self, packing: &Packing) -> Result<Packing, Reason> {
        let packed = self.hold(packing)?;
        let bytes = self.unpack(MultiGzDecoder::new(packed.as_slice()), packed.len() as u64)?;
        Ok(memory(bytes))
    }

    fn hold(&mut self, packing: &Packing) -> Result<Vec<u8>, Reason> {
        let bytes = packing.bytes(u64::MAX).map_err(|e| format!("cannot unpack it: {}", reason(&e)))?;
        self.take(bytes.len())?;
        Ok(bytes)
    }

    /// The files of a zip inside another file; `None` where it is a document of another program.
    pub(crate) fn zip_inside(&mut self, packing: &Packing) -> Result<Option<Vec<Member>>, Reason> {
        let bytes = self.hold(packing)?;
        let archive = ZipArchive::new(Cursor::new(bytes.as_slice())).map_err(|_| DAMAGED)?;
        let packing = |index: usize, size: u64| {
            let mut archive = archive.clone();
            let member = archive.by_index(index).map_err(|_| DAMAGED)?;
            let bytes = self.unpack(member, size)?;
            Ok(memory(bytes))
        };
        listed(archive.clone(), packing)
    }

    /// The files of a tar inside another file.
    pub(crate) fn tar_inside(&mut self, packing: &Packing) -> Result<Vec<Member>, Reason> {
        let all: Arc<[u8]> = match packing {
            Packing::Memory { bytes, at } if *at == (0..bytes.len()) => bytes.clone(),
            other => self.hold(other)?.into(),
        };
        let inside = |at: u64, length: u64| {
            let start = usize::try_from(at).unwrap_or(usize::MAX);
            let end = start.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
            Packing::Memory { bytes: all.clone(), at: start..end }
        };
        tar_entries(Cursor::new(all.as_ref()), all.len() as u64, inside)
    }
}

fn memory(bytes: Vec<u8>) -> Packing {
    Packing::Memory { at: 0..bytes.len(), bytes: bytes.into() }
}

/// The files of a tar on the disk.
pub(crate) fn tar_members(path: &Path) -> Result<Vec<Member>, Reason> {
    let shared = Shared::open(path).map_err(|e| format!("cannot read it: {}", reason(&e)))?;
    let inside = |at, length| Packing::Region { file: shared.clone(), at, length };
    tar_entries(BufReader::new(shared.clone()), shared.length, inside)
}

const CUT_SHORT: &str = "this tar file is damaged or cut short";

fn tar_entries(
    source: impl Read + Seek,
    total: u64,
    inside: impl Fn(u64, u64) -> Packing,
) -> Result<Vec<Member>, Reason> {
    let mut archive = tar::Archive::new(source);
    let mut found = Vec::new();
    for (index, entry) in archive.entries_with_seek().map_err(|_| CUT_SHORT)?.enumerate() {
        // What follows a damaged entry cannot be found: nothing of such a file is read.
        let entry = entry.map_err(|_| CUT_SHORT)?;
        if index >= MEMBERS {
            return Err(format!("this tar holds over {MEMBERS} files").into());
        }
        let kind = entry.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() {
            continue;
        }
        let (at, size) = (entry.raw_file_position(), entry.size());
        let path = entry.path().ok().and_then(|path| enclosed(&path));
        let packing = if !(kind.is_file() || kind.is_contiguous()) {
            Err("it is a link or no regular file".into())
        } else if path.is_none() {
            Err("its path in the tar leads out of it".into())
        } else if size > MEMBER_BYTES {
            Err(format!("it is over {} MB; unpack the tar first", MEMBER_BYTES >> 20).into())
        } else if at.checked_add(size).is_none_or(|end| end > total) {
            return Err(CUT_SHORT.into());
        } else {
            Ok(inside(at, size))
        };
        found.push(Member { path: path.unwrap_or_else(|| numbered(index)), packing });
    }
    Ok(sorted(found, "another file of the tar has the same path"))
}

/// A path below the folder that it is unpacked to.
fn enclosed(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => out.push(part),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!out.as_os_str().is_empty()).then_some(out)
}

fn numbered(index: usize) -> PathBuf {
    format!("file-{}", index + 1).into()
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

const DAMAGED: &str = "this zip file is damaged or of a kind that is not known";

/// The files of a zip by name, or `None` where it is a document of another program (.docx, .odt, …).
pub(crate) fn members(path: &Path) -> Result<Option<Vec<Member>>, Reason> {
    let shared = Shared::open(path).map_err(|e| format!("cannot read it: {}", reason(&e)))?;
    let archive = ZipArchive::new(io::BufReader::new(shared.clone())).map_err(|_| DAMAGED)?;
    let archived = ZipArchive::new(shared).map_err(|_| DAMAGED)?;
    listed(archive, |index, _| Ok(Packing::Member { archive: archived.clone(), index }))
}

/// The files of a zip, each with what `packing` makes of its number and its packed size.
fn listed<R: Read + Seek>(
    mut archive: ZipArchive<R>,
    mut packing: impl FnMut(usize, u64) -> Result<Packing, Reason>,
) -> Result<Option<Vec<Member>>, Reason> {
    if archive.len() > MEMBERS {
        return Err(format!("this zip holds {} files; the limit is {MEMBERS}", archive.len()).into());
    }
    let document = ["[Content_Types].xml", "mimetype", "META-INF/manifest.xml"];
    if archive.file_names().any(|n| n.is_ok_and(|n| document.contains(&&*n))) {
        return Ok(None);
    }
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let refused = |why: &str| Err(Reason::from(why));
        let Ok(member) = archive.by_index_raw(index) else {
            found.push(Member { path: numbered(index), packing: refused(DAMAGED) });
            continue;
        };
        if member.is_dir() {
            continue;
        }
        let Some(name) = member.enclosed_name() else {
            let packing = refused("its path in the zip leads out of it");
            found.push(Member { path: numbered(index), packing });
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
            drop(member);
            packing(index, packed)
        };
        found.push(Member { path: name, packing });
    }
    Ok(Some(sorted(found, "another file of the zip has the same path")))
}

fn sorted(mut found: Vec<Member>, same: &'static str) -> Vec<Member> {
    found.sort_by(|a, b| a.path.cmp(&b.path));
    for i in 1..found.len() {
        // `a//b` is `a/b`.
        if found[i].path == found[i - 1].path {
            found[i].packing = Err(same.into());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::{ReadOptions, discover, open};

    fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, *content).unwrap();
        }
        archive.into_inner().unwrap()
    }

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(content).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    /// Names in the output with their texts, and the reasons of refusals.
    fn found(name: &str, bytes: &[u8]) -> (Vec<(String, String)>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let options = ReadOptions::default();
        let discovery = discover(&[path], &options);
        let read = discovery.inputs.iter().map(|input| {
            let texts: Vec<String> = open(input, &options).unwrap().map(|d| d.unwrap().text).collect();
            (input.relative.display().to_string(), texts.concat())
        });
        (read.collect(), discovery.refused.iter().map(ToString::to_string).collect())
    }

    fn file(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn tars_are_folders_packed_or_not() {
        let long = format!("{}/lettre.txt", "dossier".repeat(20));
        let files: &[(&str, &[u8])] =
            &[("a/lettre.txt", b"un"), (&long, b"deux"), (".hidden", b"x"), ("vide.txt", b"")];
        let all =
            [file("in/a/lettre.txt", "un"), file(&format!("in/{long}"), "deux"), file("in/vide.txt", "")];
        assert_eq!(found("in.tar", &tar(files)), (all.to_vec(), Vec::new()));
        for name in ["in.tar.gz", "in.tgz", "in.gz"] {
            assert_eq!(found(name, &gz(&tar(files))).0, all, "{name}");
        }
    }

    #[test]
    fn packed_files_in_packed_files_are_read() {
        let inner = zip(&[("b.txt", b"deux"), ("c.txt.gz", &gz(b"trois"))]);
        let outer = tar(&[
            ("a.txt", b"un"),
            ("dans.zip", &inner),
            ("encore.tgz", &gz(&tar(&[("d.txt", b"quatre")]))),
        ]);
        let all = [
            file("in/a.txt", "un"),
            file("in/dans/b.txt", "deux"),
            file("in/dans/c.txt", "trois"),
            file("in/encore/d.txt", "quatre"),
        ];
        assert_eq!(found("in.tar.gz", &gz(&outer)), (all.to_vec(), Vec::new()));
        assert_eq!(found("in.zip", &zip(&[("x.tar", &outer)])).0.len(), 4);
        assert_eq!(found("in.zip.gz", &gz(&inner)).0.len(), 2);
    }

    #[test]
    fn what_harms_is_refused_with_its_place() {
        let mut deep = b"x".to_vec();
        for _ in 0..8 {
            deep = tar(&[("a.tar", &deep)]);
        }
        let (read, refused) = found("in.tar", &deep);
        assert!(read.is_empty() && refused.len() == 1 && refused[0].contains("deep"), "{refused:?}");
        let bomb = gz(&tar(&[("a.txt", &vec![b'a'; 80 << 20])]));
        let (read, refused) = found("in.tar.gz", &bomb);
        assert!(read.is_empty() && refused[0].contains("times its size"), "{refused:?}");
        let whole = tar(&[("a.txt", &[b'a'; 5000]), ("b.txt", b"b")]);
        for end in [600, 3000, 5700] {
            let (read, refused) = found("in.tar", &whole[..end]);
            assert!(read.is_empty() && refused[0].contains("cut short"), "{end}: {refused:?}");
        }
        let mut links = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        links.append_link(&mut header, "lien.txt", "/etc/passwd").unwrap();
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..9].copy_from_slice(b"../x.txt\0");
        header.set_size(1);
        header.set_cksum();
        links.append(&header, &b"x"[..]).unwrap();
        let (read, refused) = found("in.tar", &links.into_inner().unwrap());
        assert!(read.is_empty() && refused.len() == 2, "{refused:?}");
    }
}
