//! `cargo xtask python`: the wheel, its types and its tests, beside the program.
//!
//! Builds the wheel of `pyproject.toml` with maturin, installs it alone in a clean environment and uses it there once, then
//! beside the libraries of `python/requirements.txt`, where its types are checked and pytest compares it with the program,
//! PySpark included. All of it lives under `target/python`. The wheel is built as tests are; `--release` builds it, and
//! the program beside it, as they ship. `cargo xtask python bench` and `cargo xtask python spark` measure.

mod bench;
mod manifest;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const USAGE: &str =
    "python [--release] | python bench [--notes N] [--runs N] | python spark [--rules] [--notes N]";
const MATURIN: &str = "1.16.0";
/// The oldest Python that the wheel is for.
const OLDEST: (u32, u32) = (3, 10);
/// What a clean environment must be able to do.
const FIRST_USE: &str = "import taire\n\
    done = taire.Pipeline('fr', key=bytes(32)).deid('Mme Aldegonde KERVADEC', patient='1')\n\
    assert done.spans and 'KERVADEC' not in done.text";

/// Runs the chore.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let kit = Kit::new()?;
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => kit.test("dev"),
        ["--release"] => kit.test("release"),
        ["bench", ..] => bench::throughput(&kit, &args[1..]),
        ["spark", ..] => bench::spark(&kit, &args[1..]),
        _ => Err(format!("usage: {USAGE}")),
    }
}

/// Where things are.
struct Kit {
    root: PathBuf,
    target: PathBuf,
    python: PathBuf,
}

impl Kit {
    fn new() -> Result<Kit, String> {
        let root = std::path::absolute(crate::test::root()).map_err(|e| e.to_string())?;
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let target = std::path::absolute(target).map_err(|e| e.to_string())?;
        let python = std::env::var_os("PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
        let (major, minor) = OLDEST;
        let asks = format!("import sys, venv; sys.exit(sys.version_info < ({major}, {minor}))");
        let found = Command::new(&python).args(["-c", &asks]).stderr(Stdio::null()).status();
        match found {
            Ok(status) if status.success() => Ok(Kit { root, target, python }),
            _ => Err(format!(
                "there is no Python {major}.{minor} or later (`python3`, or what PYTHON names): the wheel was not built or tested"
            )),
        }
    }

    fn folder(&self) -> PathBuf {
        self.target.join("python")
    }

    /// The program of a profile.
    fn program(&self, profile: &str) -> PathBuf {
        self.target.join(if profile == "dev" { "debug" } else { profile }).join("taire")
    }

    fn step(&self, what: &str, command: &mut Command) -> Result<(), String> {
        eprintln!("xtask python: {what}");
        match command.current_dir(&self.root).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{what} failed ({status})")),
            Err(error) => Err(format!("{what} could not be started: {error}")),
        }
    }

    fn cargo(&self) -> Command {
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// An environment under `target/python` with packages in it, made once for the same list of them.
    fn environment(&self, name: &str, packages: &[&str]) -> Result<PathBuf, String> {
        let folder = self.folder().join(name);
        let (python, stamp) = (folder.join("bin/python"), folder.join("packages.txt"));
        let requirements = std::fs::read_to_string(self.root.join("python/requirements.txt"))
            .map_err(|e| format!("python/requirements.txt: {e}"))?;
        let wanted = format!("{packages:?}\n{requirements}");
        if std::fs::read_to_string(&stamp).is_ok_and(|had| had == wanted) {
            return Ok(python);
        }
        let mut make = Command::new(&self.python);
        self.step(&format!("environment `{name}`"), make.args(["-m", "venv", "--clear"]).arg(&folder))?;
        if !packages.is_empty() {
            let mut install = pip(&python);
            self.step(&format!("packages of `{name}`, once"), install.args(packages))?;
        }
        std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
        Ok(python)
    }

    /// Builds the wheel; `profile` is one of Cargo's.
    fn wheel(&self, profile: &str) -> Result<PathBuf, String> {
        let python = self.environment("tools", &[&format!("maturin=={MATURIN}")])?;
        let folder = self.folder().join("wheels").join(profile);
        let _ = std::fs::remove_dir_all(&folder);
        let mut build = Command::new(&python);
        build
            .args(["-m", "maturin", "build", "--quiet", "--profile", profile, "--interpreter"])
            .arg(&self.python);
        build.args(["--compatibility", "linux", "--out"]).arg(&folder).arg("--target-dir").arg(&self.target);
        self.step("wheel", &mut build)?;
        let wheels = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let wheel = wheels.flatten().map(|e| e.path()).find(|p| p.extension().is_some_and(|e| e == "whl"));
        wheel.ok_or_else(|| "maturin made no wheel".to_owned())
    }

    /// The wheel beside what it is tested with.
    fn installed(&self, profile: &str) -> Result<PathBuf, String> {
        let wheel = self.wheel(profile)?;
        let python = self.environment("tests", &["-r", "python/requirements.txt"])?;
        let mut install = pip(&python);
        self.step("installing the wheel", install.args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
        let clean = self.environment("clean", &[])?;
        let mut install = pip(&clean);
        self.step("the wheel alone", install.args(["--force-reinstall", "--no-index"]).arg(&wheel))?;
        self.step("its first use", Command::new(&clean).args(["-I", "-c", FIRST_USE]))?;
        Ok(python)
    }

    fn build_program(&self, profile: &str) -> Result<(), String> {
        let mut build = self.cargo();
        build.args(["build", "--quiet", "--workspace", "--bins", "--profile", profile]);
        self.step("the program", &mut build)
    }

    fn test(&self, profile: &str) -> Result<(), String> {
        manifest::check(&self.root)?;
        let manifest = ["--manifest-path", "python/Cargo.toml"];
        self.step("formatting", self.cargo().arg("fmt").args(manifest).arg("--check"))?;
        let mut lints = self.cargo();
        lints
            .args(["clippy", "--quiet", "--profile", profile])
            .args(manifest)
            .arg("--target-dir")
            .arg(&self.target);
        self.step("lints", lints.args(["--", "-D", "warnings"]))?;
        self.build_program(profile)?;
        let python = self.installed(profile)?;
        let mut types = Command::new(&python);
        types
            .args(["-m", "mypy", "--config-file", "pyproject.toml", "--cache-dir"])
            .arg(self.folder().join("mypy"));
        self.step("types", &mut types)?;
        let mut tests = Command::new(&python);
        tests.args(["-m", "pytest", "--quiet", "-rs", "-p", "no:cacheprovider"]);
        tests.env("TAIRE_BINARY", self.program(profile)).env("PYTHONDONTWRITEBYTECODE", "1");
        self.step("pytest", &mut tests)
    }
}

fn pip(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    command
}
