//! `cargo xtask fuzz`: the targets of `taire-fuzz` under libFuzzer, as many at once as there are cores.
//!
//! The program of `fuzz/` is built for coverage by flags that the stable compiler knows, so neither nightly nor `cargo
//! fuzz` is needed; there is no address sanitizer, and none is missed: `unsafe` is forbidden in this workspace. First
//! inputs are written to `target/fuzz/corpus`, where libFuzzer adds its own and goes on from; what fails is kept in
//! `target/fuzz/failures` and should become a test. A run of all targets of five minutes each that finds nothing writes
//! `scores/fuzz.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use taire_fuzz::{TARGETS, Target};

use crate::stamp::{commit, today};

const USAGE: &str = "fuzz [--seconds N] [--build] [TARGET]...";
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Ccodegen-units=16";
/// What is worth a table.
const LONG: u64 = 300;

struct Options {
    seconds: u64,
    build_only: bool,
    targets: Vec<&'static Target>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options { seconds: 10, build_only: false, targets: Vec::new() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--seconds" => {
                    let number = args.next().and_then(|n| n.parse().ok());
                    options.seconds =
                        number.ok_or(format!("--seconds needs a whole number; usage: {USAGE}"))?;
                }
                "--build" => options.build_only = true,
                name => options.targets.push(taire_fuzz::named(name).ok_or_else(|| {
                    let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                    format!("unknown target `{name}`; known: {}", known.join(", "))
                })?),
            }
        }
        if options.targets.is_empty() {
            options.targets = TARGETS.iter().collect();
        }
        Ok(options)
    }
}

/// Runs the chore.
pub(super) fn run(args: &[String]) -> Result<(), String> {
    let options = Options::parse(args)?;
    let root = crate::test::root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("fuzz");
    let program = build(&root, &folder)?;
    if options.build_only {
        return Ok(());
    }
    let done = all(&program, &folder, &options)?;
    let failed: Vec<&str> = done.iter().filter(|done| !done.passed).map(|done| done.name).collect();
    if !failed.is_empty() {
        return Err(format!("{} failed; see {}", failed.join(", "), folder.join("failures").display()));
    }
    if options.seconds >= LONG && done.len() == TARGETS.len() {
        let path = root.join("scores/fuzz.md");
        fs::write(&path, table(&root, options.seconds, &done))
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

struct Done {
    name: &'static str,
    inputs: String,
    passed: bool,
}

/// Every target, each core taking the next; in the order given.
fn all(program: &Path, folder: &Path, options: &Options) -> Result<Vec<Done>, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let queue = Mutex::new(options.targets.iter().enumerate());
    let done = Mutex::new(Vec::new());
    let worker = || -> Result<(), String> {
        loop {
            let next = queue.lock().map_err(|_| "a worker fell over")?.next();
            let Some((i, target)) = next else { return Ok(()) };
            let one = fuzz(program, folder, target, options.seconds)?;
            done.lock().map_err(|_| "a worker fell over")?.push((i, one));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|_| Err("a worker fell over".into())))
    })?;
    let mut done = done.into_inner().map_err(|_| "a worker fell over")?;
    done.sort_by_key(|(i, _)| *i);
    Ok(done.into_iter().map(|(_, done)| done).collect())
}

fn table(root: &Path, seconds: u64, done: &[Done]) -> String {
    let mut page = format!(
        "# Fuzzing\n\n`cargo xtask fuzz --seconds {seconds}` on {}, commit {}: libFuzzer, {seconds} seconds of the clock for each \
         target, a process for each core. `crates/taire-fuzz` says what must hold; what was found before is in its `tests/found`.\n\n\
         | target | inputs tried | found |\n|---|---:|---|\n",
        today(),
        commit(root),
    );
    for Done { name, inputs, .. } in done {
        page += &format!("| {name} | {inputs} | nothing |\n");
    }
    page
}

fn build(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    let about = Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let about = String::from_utf8_lossy(&about.stdout).into_owned();
    let host = about.lines().find_map(|l| l.strip_prefix("host: ")).ok_or("rustc does not tell its host")?;
    // With `--target`, the flags do not reach build scripts.
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--quiet", "--manifest-path", "fuzz/Cargo.toml", "--target", host])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", folder)
        .env("RUSTFLAGS", COVERAGE)
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if !status.success() {
        return Err("the fuzz targets do not build".into());
    }
    Ok(folder.join(host).join("release/taire"))
}

fn fuzz(program: &Path, folder: &Path, target: &'static Target, seconds: u64) -> Result<Done, String> {
    let corpus = folder.join("corpus").join(target.name);
    let failures = folder.join("failures");
    for folder in [&corpus, &failures] {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    for (i, seed) in (target.seeds)().iter().enumerate() {
        let path = corpus.join(format!("seed-{i}"));
        fs::write(&path, seed).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let log = folder.join(format!("{}.log", target.name));
    let out = fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
    let status = Command::new(program)
        .env("TAIRE_FUZZ", target.name)
        .arg(&corpus)
        .args(["-seed=1", "-timeout=30", "-rss_limit_mb=2048", "-max_len=65536", "-print_final_stats=1"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/{}-", failures.display(), target.name))
        .stdout(Stdio::null())
        .stderr(out)
        .status()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    let said = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
    let runs = said.lines().find_map(|l| l.strip_prefix("stat::number_of_executed_units:")).unwrap_or("?");
    let done = Done { name: target.name, inputs: runs.trim().to_owned(), passed: status.success() };
    let verdict = if done.passed { "nothing found" } else { "FAILED" };
    println!("{:<8} {verdict} in {seconds} s, {} inputs", done.name, done.inputs);
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_named_or_all() {
        let parse = |args: &[&str]| Options::parse(&args.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>());
        assert_eq!(parse(&[]).unwrap().targets.len(), TARGETS.len());
        let some = parse(&["--seconds", "60", "docx", "pdf"]).unwrap();
        assert!(some.seconds == 60 && some.targets.len() == 2);
        assert!(parse(&["dox"]).err().unwrap().contains("known: doc, pdf"));
    }
}
