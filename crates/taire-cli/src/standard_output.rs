//! `-o -`: the output of one text or one table goes to standard output.
//!
//! The run writes to a folder that only its owner can read, as any other run; what may be shared is printed from there, and
//! the folder is removed. Nothing is printed before the run has ended well.

use std::io::Write;
use std::path::{Path, PathBuf};

use taire::Error;
use tempfile::TempDir;

/// Files of a run that are not its documents.
const OWN: [&str; 3] = ["report.json", "report.md", "manifest.json"];

/// Where a run writes.
pub(crate) struct Output {
    path: PathBuf,
    folder: Option<TempDir>,
}

impl Output {
    pub(crate) fn new(path: &Path, inputs: &[PathBuf]) -> Result<Output, Error> {
        if path.as_os_str() != "-" {
            return Ok(Output { path: path.to_owned(), folder: None });
        }
        if inputs.len() != 1 || inputs[0].is_dir() {
            return Err(Error::usage("`-o -` takes one file or standard input; name a folder for more"));
        }
        let folder = tempfile::tempdir().map_err(|e| Error::io(format!("no temporary folder: {e}")))?;
        Ok(Output { path: folder.path().join("out"), folder: Some(folder) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_standard(&self) -> bool {
        self.folder.is_some()
    }

    /// Prints what the run wrote, where it goes to standard output.
    pub(crate) fn print(&self) -> Result<(), Error> {
        if self.folder.is_none() {
            return Ok(());
        }
        let failed = |e: std::io::Error| Error::io(format!("standard output: {e}"));
        let mut files: Vec<PathBuf> = std::fs::read_dir(&self.path)
            .map_err(failed)?
            .map(|entry| entry.map(|e| e.path()))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        files.retain(|f| f.is_file() && !OWN.iter().any(|own| f.ends_with(own)));
        match files.as_slice() {
            [] => Ok(()),
            [file] => {
                let bytes = std::fs::read(file).map_err(failed)?;
                let mut out = std::io::stdout().lock();
                match out.write_all(&bytes).and_then(|()| out.flush()) {
                    Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(failed(e)),
                    _ => Ok(()),
                }
            }
            _ => Err(Error::usage("this input makes several files; name a folder with `-o`")),
        }
    }
}
