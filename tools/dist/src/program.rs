//! Builds the static program, so that the paths of this machine are not in it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::packages::PROGRAM;

/// musl is linked in whole, so that the program needs nothing of the system but its kernel.
pub(crate) const TARGET: &str = "x86_64-unknown-linux-musl";
/// Not `dist`: Cargo would use the folder of the output for its own files.
const PROFILE: &str = "packaged";

/// Builds the program; its path.
pub(crate) fn build(root: &Path) -> Result<PathBuf> {
    let target_folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["build", "--locked", "--package", PROGRAM, "--profile", PROFILE, "--target", TARGET])
        .arg("--target-dir")
        .arg(&target_folder)
        .current_dir(root);
    let renames = renames(root)?;
    command.env("CARGO_ENCODED_RUSTFLAGS", joined(&renames, "--remap-path-prefix=", "\u{1f}"));
    command.env(format!("CFLAGS_{}", TARGET.replace('-', "_")), joined(&renames, "-ffile-prefix-map=", " "));
    command.env_remove("RUSTFLAGS");
    let status = command.status().map_err(|e| Error::new(format!("cargo could not be started: {e}")))?;
    if !status.success() {
        return Err(Error::new(format!(
            "the program could not be built. It needs `rustup target add {TARGET}` and a C compiler for musl \
             (`musl-gcc`, in Debian's package musl-tools)"
        )));
    }
    Ok(target_folder.join(TARGET).join(PROFILE).join("taire"))
}

/// Folders of this machine, and what they are called in the program.
fn renames(root: &Path) -> Result<Vec<(PathBuf, &'static str)>> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let home = home.ok_or_else(|| Error::new("neither CARGO_HOME nor HOME is set"))?;
    Ok(vec![(root.to_owned(), "/taire"), (home, "/cargo")])
}

fn joined(renames: &[(PathBuf, &str)], option: &str, between: &str) -> OsString {
    let mut flags = OsString::new();
    for (i, (from, to)) in renames.iter().enumerate() {
        flags.push(if i == 0 { "" } else { between });
        flags.push(option);
        flags.push(from);
        flags.push("=");
        flags.push(to);
    }
    flags
}

/// Refuses a program that asks for a dynamic linker, or that holds the path of a folder of this machine.
pub(crate) fn check(root: &Path, program: &Path) -> Result<()> {
    let bytes = fs::read(program).map_err(|e| Error::at(program, e))?;
    match needs_interpreter(&bytes) {
        None => return Err(Error::at(program, "is no ELF program of 64 bits")),
        Some(true) => return Err(Error::at(program, "is not static: it asks for a dynamic linker")),
        Some(false) => {}
    }
    for (folder, _) in renames(root)? {
        let path = format!("{}/", folder.display());
        if bytes.windows(path.len()).any(|window| window == path.as_bytes()) {
            return Err(Error::at(program, format!("names the folder {path} of this machine")));
        }
    }
    Ok(())
}

/// Whether an ELF file of 64 bits has a program header of type `PT_INTERP`.
fn needs_interpreter(bytes: &[u8]) -> Option<bool> {
    const INTERPRETER: u32 = 3;
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let number = |at: usize, length: usize| -> Option<u64> {
        let mut buffer = [0; 8];
        buffer[..length].copy_from_slice(bytes.get(at..at + length)?);
        Some(u64::from_le_bytes(buffer))
    };
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut found = false;
    for i in 0..count {
        let at = usize::try_from(table + i * size).ok()?;
        found |= number(at, 4)? == u64::from(INTERPRETER);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_a_dynamic_linker_is_told_apart() {
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(needs_interpreter(&own), Some(cfg!(not(target_feature = "crt-static"))));
        assert_eq!(needs_interpreter(b"#!/bin/sh\n"), None);
        assert_eq!(needs_interpreter(b"\x7fELF\x02\x01"), None);
    }

    #[test]
    fn flags_rename_the_folders_of_this_machine() {
        let flags = joined(&[("/a b".into(), "/taire"), ("/c".into(), "/cargo")], "--map=", "\u{1f}");
        assert_eq!(flags, "--map=/a b=/taire\u{1f}--map=/c=/cargo");
    }
}
