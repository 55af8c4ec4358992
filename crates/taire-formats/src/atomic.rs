//! Output files that appear under their name only when they are whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Stage};

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A hidden name beside `target`, unlike any other of this run.
pub(crate) fn temporary_name(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    let serial = NEXT.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{serial}.part", std::process::id()));
    target.with_file_name(name)
}

/// A file written under another name and renamed to its target by [`AtomicFile::finish`]. Dropped before that, it
/// leaves nothing, unless it lies in a stage: then it can be gone on with.
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    temporary: PathBuf,
    out: Option<BufWriter<File>>,
    staged: bool,
    length: u64,
}

/// From this size on, a file is pushed to the disk before it takes its name.
const LARGE: u64 = 1 << 20;

impl AtomicFile {
    /// Makes the folders above the target where they are missing.
    pub fn create(target: &Path) -> Result<Self, Error> {
        AtomicFile::open(target, false)
    }

    /// The same, in a file that only its owner may read: for what holds names.
    pub fn create_private(target: &Path) -> Result<Self, Error> {
        AtomicFile::open(target, true)
    }

    pub(crate) fn open(target: &Path, private: bool) -> Result<Self, Error> {
        make_parent(target)?;
        let temporary = temporary_name(target);
        let file = new_file(&temporary, private)
            .map_err(|e| crate::error::output_error(target, "write here", &e))?;
        Ok(AtomicFile::over(target, temporary, file, 0, false))
    }

    /// A file written in a stage; from `mark` bytes on where an earlier run stopped there.
    pub fn staged(
        stage: &Stage,
        name: &str,
        target: &Path,
        private: bool,
        mark: Option<u64>,
    ) -> Result<Self, Error> {
        make_parent(target)?;
        let fail = |e: io::Error| crate::error::output_error(target, "write here", &e);
        let Some(mark) = mark else {
            let (path, file) = stage.file(name, private).map_err(fail)?;
            return Ok(AtomicFile::over(target, path, file, 0, true));
        };
        let path = stage.path(name);
        let mut file = File::options().write(true).open(&path).map_err(fail)?;
        if file.metadata().map_err(fail)?.len() < mark {
            return Err(crate::error::usage_error(
                target,
                "what the unfinished run wrote is gone; start over",
            ));
        }
        file.set_len(mark).and_then(|()| file.seek(io::SeekFrom::End(0))).map_err(fail)?;
        Ok(AtomicFile::over(target, path, file, mark, true))
    }

    fn over(target: &Path, temporary: PathBuf, file: File, length: u64, staged: bool) -> Self {
        let out = Some(BufWriter::with_capacity(1 << 16, file));
        AtomicFile { target: target.into(), temporary, out, staged, length }
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Pushes what was written to the disk, and tells how much it is.
    pub fn mark(&mut self) -> Result<u64, Error> {
        if let Some(out) = &mut self.out {
            let pushed = out.flush().and_then(|()| out.get_ref().sync_data());
            pushed.map_err(|e| crate::error::output_error(&self.target, "write", &e))?;
        }
        Ok(self.length)
    }

    /// Hands what was written to the system: it outlives this process.
    pub fn flush(&mut self) -> Result<(), Error> {
        match &mut self.out {
            Some(out) => out.flush().map_err(|e| crate::error::output_error(&self.target, "write", &e)),
            None => Ok(()),
        }
    }

    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.length += bytes.len() as u64;
        let result = match &mut self.out {
            Some(out) => out.write_all(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        result.map_err(|e| crate::error::output_error(&self.target, "write", &e))
    }

    pub fn finish(mut self) -> Result<(), Error> {
        let fail = |e: &io::Error| crate::error::output_error(&self.target, "finish writing", e);
        if let Some(out) = self.out.take() {
            let file = out.into_inner().map_err(|e| fail(e.error()))?;
            if self.length >= LARGE {
                file.sync_data().map_err(|e| fail(&e))?;
            }
        }
        fs::rename(&self.temporary, &self.target).map_err(|e| fail(&e))?;
        self.temporary = PathBuf::new();
        Ok(())
    }
}

fn make_parent(target: &Path) -> Result<(), Error> {
    match target.parent().filter(|p| !p.as_os_str().is_empty()) {
        Some(parent) => {
            fs::create_dir_all(parent).map_err(|e| crate::error::output_error(parent, "make this folder", &e))
        }
        None => Ok(()),
    }
}

/// A new file; a private one has mode 0600 from its first byte.
pub(crate) fn new_file(path: &Path, private: bool) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.temporary.as_os_str().is_empty() {
            return;
        }
        if let Some(out) = self.out.take() {
            drop(out.into_parts());
        }
        if self.staged {
            return;
        }
        let _ = fs::remove_file(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_finished_file_appears() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("a/b.txt");
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"abc").unwrap();
        assert!(!target.exists());
        drop(file);
        assert_eq!(fs::read_dir(dir.path().join("a")).unwrap().count(), 0);
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"abc").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"abc");
        assert_eq!(fs::read_dir(dir.path().join("a")).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_its_owners_even_over_an_open_one() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("names.jsonl");
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
        AtomicFile::create_private(&target).unwrap().finish().unwrap();
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
