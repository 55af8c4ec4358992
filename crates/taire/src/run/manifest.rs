//! The output folder mirrors the run: it holds what this run wrote, and nothing that an earlier one left.
//!
//! Every run lists what it wrote in `manifest.json`; while it is under way, in a log in its stage. So a later run knows which
//! files are ours: it removes those of the run it replaces, and does not touch, or refuses, all others. Shares of one output
//! have a manifest each and leave each other's files alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use taire_formats::{AtomicFile, OutputPlan, Reason, Setting, Stage};

use crate::Error;

const LOG: &str = "written";
const STAGE: &str = ".taire-run";
/// Files that systems put into folders by themselves.
const OF_SYSTEMS: [&str; 3] = [".DS_Store", "Thumbs.db", "desktop.ini"];

/// What one run wrote, by its new names.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// The version that wrote it.
    pub version: String,
    /// The files, by their paths in the output folder.
    pub files: Vec<ManifestFile>,
}

/// One file that was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ManifestFile {
    /// Its path in the output folder, `/` between its parts.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its content.
    pub sha256: String,
}

fn cannot(doing: &str, path: &Path) -> impl Fn(std::io::Error) -> Error {
    let (doing, path) = (format!("cannot {doing}: "), path.to_owned());
    move |e| Error::from(e).prefixed(&doing).in_file(&path)
}

/// A path in the output folder as manifests write it.
fn listed_name(folder: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// `manifest.2-of-3.json` → `2-of-3`; `manifest.json` → nothing. `None` for other files.
fn part_of<'n>(name: &'n str, stem: &str, end: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(stem)?.strip_suffix(end)?;
    if rest.is_empty() {
        return Some(rest);
    }
    let part = rest.strip_prefix('.')?;
    let (number, of) = part.split_once("-of-")?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(number) && digits(of)).then_some(part)
}

/// Whether two runs write shares of one output.
fn are_fellows(a: &str, b: &str) -> bool {
    let of = |part: &str| part.split_once("-of-").map(|(_, of)| of.to_owned());
    a != b && of(a).is_some() && of(a) == of(b)
}

/// What an output folder holds before a run.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// What each finished run wrote, by its share.
    finished: BTreeMap<String, Vec<String>>,
    /// The same of unfinished runs.
    unfinished: BTreeMap<String, Vec<String>>,
    /// Files that no run wrote.
    foreign: Vec<PathBuf>,
}

impl Earlier {
    /// Looks at the folder. Files are listed before stages and manifests are read, so that a share that ends meanwhile is known
    /// by its manifest.
    pub(super) fn read(folder: &Path) -> Result<Earlier, Error> {
        let mut earlier = Earlier::default();
        if !folder.is_dir() {
            return Ok(earlier);
        }
        let (mut files, mut stages, mut manifests) = (Vec::new(), Vec::new(), Vec::new());
        list(folder, &mut |path, is_dir| {
            let top = path.parent() == Some(folder);
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if top && is_dir && part_of(&name, STAGE, "").is_some() {
                stages.push((name, path));
                return false;
            }
            let report = [".json", ".md"].iter().any(|end| part_of(&name, "report", end).is_some());
            if top && part_of(&name, "manifest", ".json").is_some() {
                manifests.push((name, path));
            } else {
                let is_known = top && report || OF_SYSTEMS.contains(&name.as_str());
                files.extend((!is_dir && !is_known).then_some(path));
            }
            true
        })?;
        for (name, path) in stages {
            let part = part_of(&name, STAGE, "").unwrap_or_default().to_owned();
            earlier.unfinished.insert(part, read_log(&path)?);
        }
        for (name, path) in manifests {
            let part = part_of(&name, "manifest", ".json").unwrap_or_default().to_owned();
            earlier.finished.insert(part, read_manifest(&path)?);
        }
        let ours: BTreeSet<&String> =
            earlier.finished.values().chain(earlier.unfinished.values()).flatten().collect();
        files.retain(|path| !ours.contains(&listed_name(folder, path)));
        earlier.foreign = files;
        Ok(earlier)
    }

    /// Refuses a folder that holds files of others.
    pub(super) fn check_foreign(&self, folder: &Path) -> Result<(), Error> {
        let Some(first) = self.foreign.first() else { return Ok(()) };
        let why = format!(
            "this folder holds {} that no run listed in its manifest wrote, {} among them; give a new folder, or insist with ",
            taire_text::counted(self.foreign.len(), "file", "files"),
            listed_name(folder, first)
        );
        Err(Error::usage(Reason::naming(why, Setting::IntoExisting, "")).in_file(folder))
    }

    /// Removes what the runs wrote that the run of `part` replaces, with their manifests and reports.
    pub(super) fn clear(&self, folder: &Path, part: &str) -> Result<(), Error> {
        let fellows: BTreeSet<&String> =
            self.finished.iter().filter(|(other, _)| are_fellows(other, part)).flat_map(|(_, f)| f).collect();
        let own_unfinished = self.unfinished.iter().filter(|(other, _)| *other == part || part.is_empty());
        let replaced = self.finished.iter().filter(|(other, _)| !are_fellows(other, part));
        for (other, files) in replaced.clone().chain(own_unfinished) {
            for name in files.iter().filter(|name| !fellows.contains(name)) {
                remove(folder, &folder.join(name))?;
            }
            let dot = if other.is_empty() { "" } else { "." };
            for (stem, end) in [("manifest", "json"), ("report", "json"), ("report", "md")] {
                remove(folder, &folder.join(format!("{stem}{dot}{other}.{end}")))?;
            }
        }
        if part.is_empty() {
            for other in self.unfinished.keys().filter(|other| !other.is_empty()) {
                // Another run holds it: `open` says so.
                Stage::open(&folder.join(format!("{STAGE}.{other}")))?.remove()?;
            }
        }
        Ok(())
    }
}

/// Gives every file and folder below `folder`; `false` keeps it from being walked into. Links are not followed.
fn list(folder: &Path, each: &mut impl FnMut(PathBuf, bool) -> bool) -> Result<(), Error> {
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).map_err(cannot("list", &at))? {
            let entry = entry.map_err(cannot("list", &at))?;
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if each(entry.path(), is_dir) && is_dir {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}

/// Removes a file of ours, and the folders above it that are empty then.
fn remove(folder: &Path, path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        // A folder of others has the name: the file never came to be.
        Err(_) if path.is_dir() => return Ok(()),
        Err(e) => return Err(cannot("remove what an earlier run wrote", path)(e)),
    }
    for above in path.ancestors().skip(1).take_while(|above| *above != folder && above.starts_with(folder)) {
        if fs::remove_dir(above).is_err() {
            break;
        }
    }
    Ok(())
}

fn read_manifest(path: &Path) -> Result<Vec<String>, Error> {
    let text = fs::read(path).map_err(cannot("read", path))?;
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|_| {
        Error::usage("this manifest cannot be read; give a new folder, or remove this one").in_file(path)
    })?;
    let safe = |file: ManifestFile| Some(file.path).filter(|name| is_below(name));
    Ok(manifest.files.into_iter().filter_map(safe).collect())
}

/// A manifest may have been changed by others: it cannot make us remove what lies elsewhere.
fn is_below(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// Refuses a private folder that belongs to another output, which is still there: `out.jsonl`, `out.csv` and `out/` have one private
/// folder, and this run would replace the other's crosswalk.
pub(super) fn check_private(plan: &OutputPlan) -> Result<(), Error> {
    let manifest = plan.private.join("manifest.json");
    let listed = if manifest.is_file() { read_manifest(&manifest)? } else { Vec::new() };
    let beside = plan.private.parent().unwrap_or(Path::new(""));
    let is_own = |name: &String| {
        plan.is_file && plan.targets.iter().any(|target| target.file_name() == Some(name.as_ref()))
    };
    let file =
        listed.iter().filter(|name| !is_own(name)).map(|name| beside.join(name)).find(|path| path.is_file());
    let folder = plan.private.with_extension("");
    let folder = Some(folder).filter(|folder| plan.is_file && folder.join("manifest.json").is_file());
    match file.or(folder) {
        None => Ok(()),
        Some(other) => {
            let why = format!(
                "this private folder holds the crosswalk of {}, which this run would replace; give the output another name",
                other.display()
            );
            Err(Error::usage(why).in_file(&plan.private))
        }
    }
}

fn read_log(stage: &Path) -> Result<Vec<String>, Error> {
    let path = stage.join(LOG);
    match fs::read_to_string(&path) {
        Ok(log) => Ok(log
            .lines()
            .filter_map(|l| serde_json::from_str(l).ok())
            .filter(|n: &String| is_below(n))
            .collect()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(cannot("read", &path)(e)),
    }
}

/// Lists what this run writes, each file before it appears under its name.
#[derive(Debug)]
pub(super) struct WriteLog {
    file: File,
    path: PathBuf,
    folder: PathBuf,
}

impl WriteLog {
    /// Goes on with the log of the stage, if there is one.
    pub(super) fn open(stage: &Stage, folder: &Path) -> Result<WriteLog, Error> {
        let path = stage.path(LOG);
        let file = File::options().create(true).append(true).open(&path).map_err(cannot("write", &path))?;
        Ok(WriteLog { file, path, folder: folder.to_owned() })
    }

    pub(super) fn add(&mut self, outputs: &[PathBuf]) -> Result<(), Error> {
        let mut lines = String::new();
        for path in outputs {
            lines += &serde_json::to_string(&listed_name(&self.folder, path)).unwrap_or_default();
            lines.push('\n');
        }
        self.file.write_all(lines.as_bytes()).map_err(cannot("write", &self.path))
    }
}

/// What the run of this stage wrote and is still there.
fn written(stage: &Stage, folder: &Path) -> Result<Vec<ManifestFile>, Error> {
    let names: BTreeSet<String> = read_log(&stage.path(""))?.into_iter().collect();
    let mut files = Vec::with_capacity(names.len());
    for path in names {
        let at = folder.join(&path);
        match digest(&at) {
            Ok((bytes, sha256)) => files.push(ManifestFile { path, bytes, sha256 }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(cannot("read again", &at)(e)),
        }
    }
    Ok(files)
}

fn digest(path: &Path) -> std::io::Result<(u64, String)> {
    let (mut file, mut hasher, mut length) = (File::open(path)?, Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            n => {
                length += n as u64;
                hasher.update(&buffer[..n]);
            }
        }
    }
    Ok((length, hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// Writes the manifest of a run that is done. Where the output is one file, what an earlier run wrote there and this one did
/// not is removed.
pub(super) fn write_manifest(plan: &OutputPlan, stage: &Stage) -> Result<(), Error> {
    let files = written(stage, &plan.folder)?;
    if plan.is_file && plan.manifest.is_file() {
        for name in
            read_manifest(&plan.manifest)?.iter().filter(|name| !files.iter().any(|f| f.path == **name))
        {
            let path = plan.folder.join(name);
            if plan.targets.contains(&path) {
                remove(&plan.folder, &path)?;
            }
        }
    }
    let manifest = Manifest { version: env!("CARGO_PKG_VERSION").to_owned(), files };
    let json = serde_json::to_string_pretty(&manifest)
        .map_err(|_| Error::internal("the manifest cannot be written"))?;
    let mut file = if plan.is_file {
        AtomicFile::create_private(&plan.manifest)?
    } else {
        AtomicFile::create(&plan.manifest)?
    };
    file.write_all(json.as_bytes())?;
    file.write_all(b"\n")?;
    file.finish()
}

/// Removes all that this run has written: it must not be used.
pub(super) fn withdraw(plan: &OutputPlan, stage: &Stage) -> Result<(), Error> {
    for name in read_log(&stage.path(""))? {
        remove(&plan.folder, &plan.folder.join(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_recognised_by_their_names() {
        assert_eq!(part_of("manifest.json", "manifest", ".json"), Some(""));
        assert_eq!(part_of("report.2-of-3.md", "report", ".md"), Some("2-of-3"));
        assert_eq!(part_of("report.final.md", "report", ".md"), None);
        assert!(are_fellows("1-of-3", "2-of-3"));
        assert!(!are_fellows("1-of-3", "1-of-2") && !are_fellows("1-of-3", "1-of-3") && !are_fellows("", ""));
    }

    #[test]
    fn a_manifest_cannot_make_us_remove_what_lies_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        fs::create_dir(&out).unwrap();
        fs::write(folder.path().join("precious"), "x").unwrap();
        let file = |path: &str| ManifestFile { path: path.into(), bytes: 1, sha256: String::new() };
        let files = vec![file("../precious"), file("/etc/passwd"), file("a/b.txt")];
        let manifest = Manifest { version: String::new(), files };
        fs::write(out.join("manifest.json"), serde_json::to_vec(&manifest).unwrap()).unwrap();
        fs::create_dir(out.join("a")).unwrap();
        fs::write(out.join("a/b.txt"), "x").unwrap();
        let earlier = Earlier::read(&out).unwrap();
        assert_eq!(earlier.finished[""], ["a/b.txt"]);
        earlier.check_foreign(&out).unwrap();
        earlier.clear(&out, "").unwrap();
        assert!(folder.path().join("precious").exists() && !out.join("a").exists());
        assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
    }
}
