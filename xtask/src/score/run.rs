//! Builds the release binary and runs it on a corpus.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The release binary, and where its outputs go.
pub(super) struct Taire {
    binary: PathBuf,
    out: PathBuf,
}

/// What one run wrote.
pub(super) struct Output {
    pub(super) path: PathBuf,
    /// The command as a person would type it, without the paths of this machine.
    pub(super) command: String,
    pub(super) seconds: f64,
}

impl Taire {
    pub(super) fn build(root: &Path) -> Result<Taire, String> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--release", "--quiet", "--package", "taire-cli"])
            .current_dir(root)
            .status()
            .map_err(|e| format!("cargo: {e}"))?;
        if !status.success() {
            return Err("the release binary does not build".into());
        }
        let out = target.join("score");
        if out.exists() {
            fs::remove_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        }
        fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        Ok(Taire { binary: target.join("release/taire"), out })
    }

    /// `taire detect INPUT -o NAME OPTIONS`. Exit status 1 (some documents refused) is a failure here: every
    /// document of these corpora must be read.
    pub(super) fn detect(&self, input: &Path, name: &str, options: &[&str]) -> Result<Output, String> {
        let path = self.out.join(name);
        let shown = format!("taire detect {} -o {name} {}", tail(input), options.join(" "));
        let clock = Instant::now();
        let status = Command::new(&self.binary)
            .arg("detect")
            .arg(input)
            .arg("-o")
            .arg(&path)
            .args(options)
            .arg("--quiet")
            .status()
            .map_err(|e| format!("{}: {e}", self.binary.display()))?;
        if !status.success() {
            return Err(format!("`{shown}` ended with {status}"));
        }
        Ok(Output { path, command: shown, seconds: clock.elapsed().as_secs_f64() })
    }
}

/// The last two parts of a path.
pub(super) fn tail(path: &Path) -> String {
    let parts: Vec<_> = path.components().rev().take(2).collect();
    parts.iter().rev().collect::<PathBuf>().display().to_string()
}

pub(super) fn today() -> String {
    jiff::Timestamp::now().to_string().chars().take(10).collect()
}

pub(super) fn commit(root: &Path) -> String {
    let output = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root).output();
    output.ok().and_then(|o| String::from_utf8(o.stdout).ok()).unwrap_or_default().trim().to_owned()
}
