//! `cargo xtask dist`: the files that are installed, in `target/dist`.
//!
//! A static program, an archive with completions, manual pages, licences and bill of materials, a Debian package, a container
//! image, and checksums. The same sources and compiler give the same bytes.

#[cfg(test)]
mod cards;
mod deb;
mod digest;
mod empty_root;
mod error;
mod image;
mod licences;
mod packages;
mod program;
mod release;
mod sbom;
mod size;
mod tree;
mod version;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;

use error::{Error, Result};
use release::{PLATFORM, Release, checksums};

/// Makes the files that are installed: a static program, archive, Debian package, container image, checksums.
#[derive(Parser, Debug)]
#[command(name = "taire-dist")]
struct Args {
    /// Pack this static program instead of building one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Where the files go; what is there is removed [default: target/dist]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// A wheel of the same version to put beside them; `cargo xtask python --release` makes one under `target/python/wheels`
    #[arg(long, value_name = "FILE")]
    wheel: Option<PathBuf>,
    /// Make nothing; write what these programs are made of, and what a small run of each costs, to `scores/size.md`
    #[arg(long, value_name = "NAME=FILE", num_args = 1..)]
    measure: Vec<String>,
}

/// The root of the workspace.
fn root() -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    tools.and_then(Path::parent).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("taire-dist: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    let root = root();
    let version = version::version(&root)?;
    let time = source_date(&root)?;
    let folder = args.output.clone().unwrap_or_else(|| root.join("target/dist"));
    if !args.measure.is_empty() {
        let stamp = format!("with the sources of {}", timestamp(time)?);
        return size::measure(&root, &programs(&args.measure)?, &folder, &stamp);
    }
    let program = match &args.program {
        Some(path) => std::path::absolute(path).map_err(|e| Error::at(path, e))?,
        None => program::build(&root)?,
    };
    program::check(&root, &program)?;
    let count = empty_root::check(&root, &program)?;
    println!("in an empty root the program wrote {count} files of the examples, the same as outside");
    let release = Release::gather(&root, &program, program::TARGET, &version, time)?;
    let wheel = args.wheel.as_deref().map(|path| wheel(path, &version)).transpose()?;
    write(&folder, &files(&release, wheel)?)?;
    check_package(&folder.join(deb::file_name(&release)), &version)
}

/// The programs that `NAME=FILE` name.
fn programs(named: &[String]) -> Result<Vec<(String, PathBuf)>> {
    let program = |words: &String| {
        let (name, path) = words
            .split_once('=')
            .ok_or_else(|| Error::new(format!("`{words}`: a name, `=` and a program are expected")))?;
        let path = std::path::absolute(path).map_err(|e| Error::at(Path::new(path), e))?;
        Ok((name.to_owned(), path))
    };
    named.iter().map(program).collect()
}

/// A time in seconds since 1970 as RFC 3339 writes it.
fn timestamp(time: u64) -> Result<String> {
    let seconds = i64::try_from(time).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_second(seconds);
    Ok(time.map_err(|e| Error::new(format!("SOURCE_DATE_EPOCH: {e}")))?.to_string())
}

/// The time of all files: SOURCE_DATE_EPOCH where it is set, else that of the last commit.
fn source_date(root: &Path) -> Result<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => {
            let output = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root).output();
            let output = output.map_err(|e| Error::new(format!("git could not be started: {e}")))?;
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
    };
    text.trim().parse().map_err(|_| {
        Error::new("the time of the sources is unknown: set SOURCE_DATE_EPOCH to seconds since 1970")
    })
}

/// A file and its name.
type Named = (String, Vec<u8>);

/// A wheel, if it is one of this version.
fn wheel(path: &Path, version: &str) -> Result<Named> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.starts_with(&format!("taire-{version}-")) || !name.ends_with(".whl") {
        return Err(Error::at(path, format!("is no wheel of version {version}")));
    }
    Ok((name, fs::read(path).map_err(|e| Error::at(path, e))?))
}

/// What is written.
fn files(release: &Release, wheel: Option<Named>) -> Result<Vec<Named>> {
    let bill = release.documents.files().find(|(name, _)| name.ends_with(".cdx.json"));
    let bill = bill.map(|(_, bytes)| bytes.to_vec()).unwrap_or_default();
    let mut files = vec![
        (format!("taire-{}-{PLATFORM}", release.version), release.program.clone()),
        (format!("{}.tar.gz", release.archive_name()), release.archive()?),
        (image::file_name(release), image::archive(release)?),
        (format!("taire-{}.cdx.json", release.version), bill),
        (deb::file_name(release), deb::package(release)?),
    ];
    files.extend(wheel);
    files.sort();
    let sums = checksums(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
    files.push(("SHA256SUMS".to_owned(), sums.into_bytes()));
    Ok(files)
}

fn write(folder: &Path, files: &[Named]) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| Error::at(folder, e))?;
    }
    fs::create_dir_all(folder).map_err(|e| Error::at(folder, e))?;
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|e| Error::at(&path, e))?;
        println!("{:>12} {}", bytes.len(), path.display());
    }
    Ok(())
}

/// Where `dpkg` is at hand and may change owners, the package is installed into an empty root and its program runs there.
fn check_package(package: &Path, version: &str) -> Result<()> {
    if !Path::new("/usr/bin/dpkg").exists() || !rustix::process::geteuid().is_root() {
        println!("NOT RUN: the Debian package was not installed; that needs dpkg and root");
        return Ok(());
    }
    let folder = tempfile::tempdir().map_err(|e| Error::new(format!("no temporary folder: {e}")))?;
    deb::install(package, folder.path())?;
    let output = Command::new("chroot").arg(folder.path()).args(["/usr/bin/taire", "--version"]).output();
    let output = output.map_err(|e| Error::new(format!("chroot could not be started: {e}")))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if said.trim() != format!("taire {version}") {
        return Err(Error::at(package, "was installed, but its program does not tell its version"));
    }
    println!("dpkg installed the package into an empty root, and its program runs there");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_are_named_with_their_version_and_summed() {
        let release = release::tests::stand_in();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taire-1.2.3-cp310-abi3-linux_x86_64.whl");
        fs::write(&path, "a wheel").unwrap();
        let files = files(&release, Some(wheel(&path, "1.2.3").unwrap())).unwrap();
        assert!(files.iter().any(|(name, _)| name.ends_with(".whl")));
        assert!(wheel(&path, "1.2.4").is_err(), "a wheel of another version");
        let (name, sums) = files.last().unwrap();
        assert_eq!(name, "SHA256SUMS");
        let sums = String::from_utf8(sums.clone()).unwrap();
        for (name, bytes) in &files[..files.len() - 1] {
            assert!(name.contains("1.2.3"), "{name}");
            assert!(sums.contains(&format!("{}  {name}\n", digest::sha256(bytes))), "{name}");
        }
    }

    #[test]
    fn programs_to_measure_have_a_name_and_a_path() {
        let programs = |words: &str| programs(&[words.to_owned()]);
        assert_eq!(programs("a b=/c=d").unwrap(), [("a b".to_owned(), PathBuf::from("/c=d"))]);
        assert!(programs("target/release/taire").is_err());
    }

    #[test]
    fn an_output_folder_holds_the_new_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("dist");
        fs::create_dir(&out).unwrap();
        fs::write(out.join("old"), "").unwrap();
        write(&out, &[("new".to_owned(), b"1".to_vec())]).unwrap();
        let names: Vec<_> = fs::read_dir(&out).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(names, ["new"]);
    }
}
