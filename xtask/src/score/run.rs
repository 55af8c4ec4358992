//! Builds the release binary and runs it on a corpus.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

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
    /// Builds it, or takes the one named by `TAIRE_BIN`.
    pub(super) fn build(root: &Path) -> Result<Taire, String> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let given = std::env::var_os("TAIRE_BIN").map(PathBuf::from);
        if given.is_none() {
            build(root)?;
        }
        let out = target.join("score");
        if out.exists() {
            fs::remove_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        }
        fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        Ok(Taire { binary: given.unwrap_or_else(|| target.join("release/taire")), out })
    }

    /// A file of this run, for text made here.
    pub(super) fn scratch(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    /// `taire detect INPUT -o NAME OPTIONS`. Exit status 1 (some documents refused) is a failure here: every
    /// document of these corpora must be read.
    pub(super) fn detect(&self, input: &Path, name: &str, options: &[&str]) -> Result<Output, String> {
        let path = self.out.join(name);
        let shown = format!("taire detect {} -o {name} {}", tail(input), options.join(" "));
        let texts = self.out.join("texts").join(tail(input));
        blind(input, &texts)?;
        let clock = Instant::now();
        let status = Command::new(&self.binary)
            .arg("detect")
            .arg(&texts)
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

    /// The texts of a corpus without its annotations.
    pub(super) fn blinded(&self, input: &Path) -> Result<PathBuf, String> {
        let texts = self.out.join("texts").join(tail(input));
        blind(input, &texts)?;
        Ok(texts)
    }

    /// Runs a command that must end well, and gives what it printed.
    pub(super) fn command(
        &self,
        name: &[&str],
        paths: &[&Path],
        options: &[&str],
    ) -> Result<Vec<u8>, String> {
        let done = Command::new(&self.binary)
            .args(name)
            .args(paths)
            .args(options)
            .output()
            .map_err(|e| format!("{}: {e}", self.binary.display()))?;
        if done.status.success() {
            Ok(done.stdout)
        } else {
            Err(format!("`taire {}` ended with {}", name.join(" "), done.status))
        }
    }

    /// `taire words --report INPUT`, and the command as a person would type it.
    pub(super) fn words_report(&self, input: &Path, language: &str) -> Result<(String, Value), String> {
        let shown = format!("taire words --report {} --lang {language} --format json", tail(input));
        let texts = self.out.join("texts").join(tail(input));
        blind(input, &texts)?;
        let done = Command::new(&self.binary)
            .args(["words", "--report"])
            .arg(&texts)
            .args(["--lang", language, "--format", "json"])
            .output()
            .map_err(|e| format!("{}: {e}", self.binary.display()))?;
        if !done.status.success() {
            return Err(format!("`{shown}` ended with {}", done.status));
        }
        let report = serde_json::from_slice(&done.stdout).map_err(|e| format!("`{shown}`: {e}"))?;
        Ok((shown, report))
    }
}

fn build(root: &Path) -> Result<(), String> {
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--quiet", "--package", "taire-cli"])
        .current_dir(root)
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if !status.success() {
        return Err("the release binary does not build".into());
    }
    Ok(())
}

/// Copies the texts of a corpus without its annotations, so that no run can see the gold.
fn blind(corpus: &Path, to: &Path) -> Result<(), String> {
    let fail = |path: &Path, e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let folder = if corpus.is_dir() { to } else { to.parent().unwrap_or(to) };
    fs::create_dir_all(folder).map_err(|e| fail(folder, &e))?;
    if corpus.is_dir() {
        for entry in fs::read_dir(corpus).map_err(|e| fail(corpus, &e))? {
            let file = entry.map_err(|e| fail(corpus, &e))?;
            if file.path().extension().is_some_and(|e| e == "txt") {
                let bytes = fs::read(file.path()).map_err(|e| fail(&file.path(), &e))?;
                fs::write(to.join(file.file_name()), bytes).map_err(|e| fail(to, &e))?;
            }
        }
        return Ok(());
    }
    let mut lines = String::new();
    for line in fs::read_to_string(corpus).map_err(|e| fail(corpus, &e))?.lines() {
        let row: Value = serde_json::from_str(line).map_err(|_| fail(corpus, &"a line is not JSON"))?;
        lines.push_str(&serde_json::json!({ "id": row["id"], "text": row["text"] }).to_string());
        lines.push('\n');
    }
    fs::write(to, lines).map_err(|e| fail(to, &e))
}

/// The last two parts of a path.
pub(super) fn tail(path: &Path) -> String {
    let parts: Vec<_> = path.components().rev().take(2).collect();
    parts.iter().rev().collect::<PathBuf>().display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sees_texts_and_no_gold() {
        let folder = std::env::temp_dir().join(format!("taire-blind-{}", std::process::id()));
        fs::create_dir_all(folder.join("c")).unwrap();
        fs::write(folder.join("c/a.txt"), "Ana").unwrap();
        fs::write(folder.join("c/a.ann"), "T1\tX 0 3\tAna").unwrap();
        fs::write(folder.join("b.jsonl"), "{\"id\":\"b\",\"text\":\"Luz\",\"spans\":[[0,3,\"X\"]]}\n")
            .unwrap();
        blind(&folder.join("c"), &folder.join("out/c")).unwrap();
        blind(&folder.join("b.jsonl"), &folder.join("out/b.jsonl")).unwrap();
        let files: Vec<_> =
            fs::read_dir(folder.join("out/c")).unwrap().map(|f| f.unwrap().file_name()).collect();
        let row = fs::read_to_string(folder.join("out/b.jsonl")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(files, ["a.txt"]);
        assert_eq!(row, "{\"id\":\"b\",\"text\":\"Luz\"}\n");
    }
}
