//! What the program is made of, and what a small run costs: `scores/size.md`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::release::MODELS;
use crate::tree::gzip;

/// GNU's, which prints the memory of a command.
const TIME: &str = "/usr/bin/time";
const RUNS: usize = 9;
const LETTER: &str = "examples/fr/lettre-neurologie.txt";

/// Sections of an ELF file, by what they are for; the first name that a section begins with decides.
const GROUPS: [(&str, &[&str]); 5] = [
    ("code", &[".text", ".plt", ".init", ".fini"]),
    ("tables for unwinding after a panic", &[".eh_frame", ".gcc_except_table"]),
    ("constants, models and lexicons among them", &[".rodata", ".data", ".tdata"]),
    ("symbols and debug information", &[".symtab", ".strtab", ".debug"]),
    ("relocations", &[".rela", ".relr"]),
];

/// Names and sizes of the sections that take room in an ELF file of 64 bits.
fn sections(bytes: &[u8]) -> Option<Vec<(String, u64)>> {
    /// A section without bytes in the file.
    const NOBITS: u64 = 8;
    let number = |at: u64, length: usize| -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        let mut buffer = [0; 8];
        buffer[..length].copy_from_slice(bytes.get(at..at.checked_add(length)?)?);
        Some(u64::from_le_bytes(buffer))
    };
    let (table, width, count, names) = (number(40, 8)?, number(58, 2)?, number(60, 2)?, number(62, 2)?);
    let header = |i: u64| table + i * width;
    let names = number(header(names) + 24, 8)?;
    let mut found = Vec::new();
    for i in 0..count {
        let start = usize::try_from(names + number(header(i), 4)?).ok()?;
        let name = bytes.get(start..)?.split(|b| *b == 0).next()?;
        if number(header(i) + 4, 4)? != NOBITS {
            found.push((String::from_utf8_lossy(name).into_owned(), number(header(i) + 32, 8)?));
        }
    }
    Some(found)
}

/// Bytes of each group of a program, and of the rest.
fn by_group(path: &Path) -> Result<Vec<u64>> {
    let bytes = fs::read(path).map_err(|e| Error::at(path, e))?;
    let sections = sections(&bytes).ok_or_else(|| Error::at(path, "is no ELF program of 64 bits"))?;
    let mut sizes = vec![0; GROUPS.len() + 1];
    for (name, size) in sections {
        let group = GROUPS.iter().position(|(_, starts)| starts.iter().any(|start| name.starts_with(start)));
        sizes[group.unwrap_or(GROUPS.len())] += size;
    }
    sizes[GROUPS.len()] = bytes.len() as u64 - sizes[..GROUPS.len()].iter().sum::<u64>();
    Ok(sizes)
}

/// Seconds of processor time and megabytes of memory of one letter, the least of some runs.
fn cost(root: &Path, program: &Path) -> Result<(f64, f64)> {
    let folder = tempfile::tempdir().map_err(|e| Error::new(format!("no temporary folder: {e}")))?;
    let (mut seconds, mut memory) = (f64::INFINITY, f64::INFINITY);
    for run in 0..RUNS {
        let mut command = Command::new(TIME);
        command.args(["-f", "%U %S %M"]).arg(program).args(["deid", LETTER, "-o"]);
        command.arg(folder.path().join(run.to_string())).current_dir(root);
        let output = command.output().map_err(|e| Error::at(Path::new(TIME), e))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = said.lines().last().unwrap_or_default();
        let numbers: Vec<f64> = last.split(' ').filter_map(|word| word.parse().ok()).collect();
        let ([user, system, kilobytes], true) = (&numbers[..], output.status.success()) else {
            return Err(Error::at(program, format!("could not be measured: {said}")));
        };
        seconds = seconds.min(user + system);
        memory = memory.min(kilobytes / 1000.0);
    }
    Ok((seconds, memory))
}

/// What is embedded, with its files.
fn embedded(root: &Path) -> Result<Vec<(&'static str, Vec<PathBuf>)>> {
    let models = root.join("crates/taire-models/data");
    let mut groups: Vec<(&'static str, Vec<PathBuf>)> = MODELS
        .iter()
        .map(|(name, _, files)| (*name, files.iter().map(|file| models.join(file)).collect()))
        .collect();
    let lexicons = root.join("crates/taire-lexicon/data");
    let entries = fs::read_dir(&lexicons).map_err(|e| Error::at(&lexicons, e))?;
    let paths = entries.flatten().map(|entry| entry.path());
    groups.push(("lexicons", paths.filter(|p| p.extension().is_some_and(|e| e != "md")).collect()));
    Ok(groups)
}

/// Bytes of files, and how many they would be as gzip.
fn plain_and_packed(paths: &[PathBuf]) -> Result<(u64, u64)> {
    let (mut plain, mut packed) = (0, 0);
    for path in paths {
        let content = fs::read(path).map_err(|e| Error::at(path, e))?;
        plain += content.len() as u64;
        packed += gzip(&content)?.len() as u64;
    }
    Ok((plain, packed))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// Writes `scores/size.md` about some programs, each with a name, and about the files in the folder of `cargo xtask dist`.
pub(crate) fn measure(root: &Path, programs: &[(String, PathBuf)], folder: &Path, stamp: &str) -> Result<()> {
    let mut out = format!(
        "# Size of the program\n\nWritten by `cargo xtask dist --measure` {stamp}. Megabytes by section. Time and memory: \
         `taire deid {LETTER}`, processor time and greatest resident size, the least of {RUNS} runs.\n\n| |"
    );
    for (name, _) in programs {
        let _ = write!(out, " {name} |");
    }
    let _ = write!(out, "\n|---|{}", "---:|".repeat(programs.len()));
    let sizes: Result<Vec<Vec<u64>>> = programs.iter().map(|(_, path)| by_group(path)).collect();
    let sizes = sizes?;
    let mut row = |title: &str, cells: Vec<String>| {
        let _ = write!(out, "\n| {title} | {} |", cells.join(" | "));
    };
    for (i, title) in GROUPS.iter().map(|(title, _)| *title).chain(["the rest"]).enumerate() {
        row(title, sizes.iter().map(|sizes| megabytes(sizes[i])).collect());
    }
    row("**file**", sizes.iter().map(|sizes| format!("**{}**", megabytes(sizes.iter().sum()))).collect());
    let costs: Result<Vec<(f64, f64)>> = programs.iter().map(|(_, path)| cost(root, path)).collect();
    let costs = costs?;
    row("seconds for one letter", costs.iter().map(|(seconds, _)| format!("{seconds:.2}")).collect());
    row("megabytes of memory", costs.iter().map(|(_, memory)| format!("{memory:.0}")).collect());
    out.push_str("\n\nAmong the constants, and how long they would be packed by gzip:\n\n| what | megabytes | packed |\n|---|---:|---:|");
    for (name, paths) in embedded(root)? {
        let (plain, packed) = plain_and_packed(&paths)?;
        let _ = write!(out, "\n| {name} | {} | {} |", megabytes(plain), megabytes(packed));
    }
    let mut files: Vec<(String, u64)> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let length = entry.metadata().map_err(|e| Error::at(&entry.path(), e))?.len();
        files.push((entry.file_name().to_string_lossy().into_owned(), length));
    }
    files.sort();
    if !files.is_empty() {
        out.push_str("\n\nThe files of `cargo xtask dist`:\n\n| file | megabytes |\n|---|---:|");
    }
    for (name, bytes) in files {
        let _ = write!(out, "\n| `{name}` | {} |", megabytes(bytes));
    }
    out.push('\n');
    let path = root.join("scores/size.md");
    fs::write(&path, out).map_err(|e| Error::at(&path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_add_up_to_the_file() {
        let own = std::env::current_exe().unwrap();
        let sizes = by_group(&own).unwrap();
        assert_eq!(sizes.iter().sum::<u64>(), fs::metadata(&own).unwrap().len());
        assert!(sizes[0] > 0 && sizes[2] > 0, "code and constants");
        assert!(by_group(&crate::root().join("LICENSE")).is_err());
    }

    #[test]
    fn models_and_lexicons_are_counted() {
        let found = embedded(&crate::root()).unwrap();
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|(_, paths)| !paths.is_empty() && paths.iter().all(|path| path.is_file())));
        let lists = found[4].1.iter().filter(|path| path.extension().is_some_and(|e| e == "txt"));
        let (plain, packed) = plain_and_packed(&lists.cloned().collect::<Vec<_>>()).unwrap();
        assert!(0 < packed && packed < plain);
    }
}
