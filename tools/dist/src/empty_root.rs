//! The program in a root that holds nothing but itself and the examples: it de-identifies them as it does outside.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use walkdir::WalkDir;

use crate::error::{Error, Result};

/// Files of a run that name its duration.
const REPORTS: [&str; 2] = ["report.json", "report.md"];
const DEID: [&str; 6] = ["deid", "examples", "--key", "key", "-o", "inside"];

/// Runs the check; the number of files that were written.
pub(crate) fn check(root: &Path, program: &Path) -> Result<usize> {
    let folder = tempfile::tempdir().map_err(|e| Error::new(format!("no temporary folder: {e}")))?;
    let folder = folder.path();
    copy(&root.join("examples"), &folder.join("examples"))?;
    fs::copy(program, folder.join("taire")).map_err(|e| Error::at(program, e))?;
    run(inside(folder).args(["key", "new", "-o", "key"]))?;
    run(inside(folder).args(DEID))?;
    let mut outside = Command::new(folder.join("taire"));
    outside.args(&DEID[..DEID.len() - 1]).arg("outside");
    run(outside.current_dir(folder))?;
    let [inside, outside] = ["inside", "outside"].map(|name| outputs(&folder.join(name)));
    let (inside, outside) = (inside?, outside?);
    if inside.is_empty() || inside != outside {
        return Err(Error::new("the program writes other documents in an empty root than outside of it"));
    }
    Ok(inside.len())
}

/// The program in `folder` as its root. Who is not root becomes it in a name space of their own.
fn inside(folder: &Path) -> Command {
    let mut command = if rustix::process::geteuid().is_root() {
        Command::new("chroot")
    } else {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "chroot"]);
        command
    };
    // There is no `/tmp`, and a run needs a place for its nameless files.
    command.arg(folder).arg("/taire").env_clear().env("TMPDIR", "/");
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

fn run(command: &mut Command) -> Result<()> {
    let output =
        command.output().map_err(|e| Error::new(format!("{command:?} could not be started: {e}")))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::new(format!(
            "{command:?} failed ({}): {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ))),
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in WalkDir::new(from) {
        let entry = entry.map_err(|e| Error::at(from, e))?;
        let place = to.join(entry.path().strip_prefix(from).unwrap_or(entry.path()));
        let done = match entry.file_type().is_dir() {
            true => fs::create_dir_all(&place),
            false => fs::copy(entry.path(), &place).map(|_| ()),
        };
        done.map_err(|e| Error::at(&place, e))?;
    }
    Ok(())
}

/// The files of an output folder, without the reports.
fn outputs(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in WalkDir::new(folder) {
        let entry = entry.map_err(|e| Error::at(folder, e))?;
        let name = entry.path().strip_prefix(folder).unwrap_or(entry.path()).to_string_lossy().into_owned();
        if entry.file_type().is_file() && !REPORTS.contains(&name.as_str()) {
            files.insert(name, fs::read(entry.path()).map_err(|e| Error::at(entry.path(), e))?);
        }
    }
    Ok(files)
}
