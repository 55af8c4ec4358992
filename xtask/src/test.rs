//! `cargo xtask test`: everything that must hold before a change lands.
//!
//! Formatting, lints with warnings refused, the fuzz targets, licences, then every test of the workspace, a seeded run of
//! the fuzz targets among them, and a review in a browser. Tools that are not there are installed under `target/tools`; a part
//! that cannot run for want of one says so, and fails where `TAIRE_CI` is set. The Python package has a chore of its own,
//! `python`, because it is built apart; here its code, its manifest and its licences are checked.

use std::path::{Path, PathBuf};
use std::process::Command;

const CARGO_DENY: &str = "0.20.2";
/// Of each target, about.
const FUZZ_SECONDS: &str = "20";

/// Runs every check; the first that fails ends the run.
pub(crate) fn run(_: &[String]) -> Result<(), String> {
    let root = root();
    step(&root, "formatting", cargo(&["fmt", "--all", "--check"]))?;
    step(
        &root,
        "lints",
        cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
    )?;
    step(&root, "fuzz targets", beside(&root, "fuzz/Cargo.toml"))?;
    step(&root, "the code of the Python package", beside(&root, "python/Cargo.toml"))?;
    licences(&root)?;
    ocr()?;
    let mut tests = cargo(&["test", "--workspace", "--quiet"]);
    tests.env("TAIRE_FUZZ_SECONDS", FUZZ_SECONDS);
    step(&root, "tests, a short run of every fuzz target among them", tests)?;
    browser(&root)?;
    eprintln!("xtask test: all checks passed");
    Ok(())
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}

/// `fuzz/` is no member of the workspace, so that its flags and its C++ stay out of it; `python/` neither, so that its
/// features do. No interpreter is looked for.
fn beside(root: &Path, manifest: &str) -> Command {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut check = cargo(&["check", "--quiet", "--manifest-path", manifest, "--target-dir"]);
    check.arg(target).env("PYO3_NO_PYTHON", "1").env("PYO3_BUILD_EXTENSION_MODULE", "1");
    check
}

fn step(root: &Path, what: &str, mut command: Command) -> Result<(), String> {
    eprintln!("xtask test: {what}");
    let status =
        command.current_dir(root).status().map_err(|e| format!("{what} could not be started: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{what} failed ({status})")) }
}

/// The program that reads scans. Tests of scans fail without it; where it cannot be installed, the run ends here and says so.
fn ocr() -> Result<(), String> {
    const PACKAGES: [&str; 3] = ["tesseract-ocr", "tesseract-ocr-fra", "tesseract-ocr-spa"];
    let languages = Command::new("tesseract").arg("--list-langs").output();
    let has = |name: &str| {
        languages
            .as_ref()
            .is_ok_and(|out| String::from_utf8_lossy(&out.stdout).lines().any(|line| line == name))
    };
    if has("fra") && has("spa") { Ok(()) } else { crate::debian::install("test", &PACKAGES) }
}

/// The review page in a browser. A machine that has none and cannot install one says so; under CI that is a failure.
fn browser(root: &Path) -> Result<(), String> {
    eprintln!("xtask test: the review page in a browser");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    match crate::browser::install(&target) {
        Ok(()) => crate::browser::review(&target, &target.join("debug/taire")),
        Err(why) if std::env::var_os("TAIRE_CI").is_some() => Err(why),
        Err(why) => {
            eprintln!("xtask test: NOT RUN, the review page was not tried in a browser: {why}");
            Ok(())
        }
    }
}

/// Licences of what ships. The advisory database lives outside the package registries, so it is not asked for here.
fn licences(root: &Path) -> Result<(), String> {
    let tools = root.join("target/tools");
    let deny = tools.join("bin/cargo-deny");
    if !deny.exists() {
        let mut install =
            cargo(&["install", "cargo-deny", "--locked", "--quiet", "--version", CARGO_DENY, "--root"]);
        install
            .arg(&tools)
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_RELEASE_LTO", "off");
        step(root, "installing cargo-deny, once", install)?;
    }
    for manifest in ["Cargo.toml", "python/Cargo.toml"] {
        let mut check = Command::new(&deny);
        check.args(["--log-level", "error", "--manifest-path", manifest, "--config", "deny.toml"]);
        check.args(["check", "licenses", "bans", "sources"]);
        step(root, &format!("licences of {manifest}"), check)?;
    }
    Ok(())
}
