//! `cargo xtask bench`: how many megabytes of text a second of one core takes.
//!
//! Generated French and Spanish notes, and published cases where `TAIRE_CORPORA` has them, go through the release binary
//! with one thread: detection and rewriting, by rules only and by the shipped policies. What counts is user time as the system accounts it, the least of a few
//! runs, so that a busy machine does not change it much. The same run measures a plain scan by a few regular
//! expressions, to compare machines by, and Presidio where Python can import it; nothing is ever installed. Writes
//! `scores/speed.md` and `scores/speed.json`. `cargo xtask bench io` tells what reading and writing cost ([`io`]),
//! `cargo xtask bench encoder` what a transformer does ([`encoder`]).

mod corpus;
mod encoder;
mod io;
mod prose;
mod scan;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use taire_text::Language;

use corpus::Corpus;
use table::{Row, Table};

const USAGE: &str = "bench [--megabytes N] [--seed S] [--runs N] | bench io [--notes N] [--runs N] | \
                     bench encoder FOLDER";

struct Options {
    megabytes: usize,
    seed: u64,
    runs: usize,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options { megabytes: 12, seed: 11, runs: 3 };
        for pair in args.chunks(2) {
            let [option, value] = pair else {
                return Err(format!("`{}` lacks its value; usage: {USAGE}", pair[0]));
            };
            let number: u64 = value.parse().map_err(|_| format!("`{option} {value}` is no whole number"))?;
            match option.as_str() {
                "--megabytes" => options.megabytes = number.clamp(1, 1000) as usize,
                "--seed" => options.seed = number,
                "--runs" => options.runs = number.clamp(1, 100) as usize,
                other => return Err(format!("unknown option `{other}`; usage: {USAGE}")),
            }
        }
        Ok(options)
    }
}

/// Runs the chore.
pub(super) fn run(args: &[String]) -> Result<(), String> {
    // The scan runs in a process of its own, so that its time is taken like the others'.
    if let [scan, path] = args
        && scan == "--scan"
    {
        return scan::run(Path::new(path));
    }
    if let Some(("io", rest)) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return io::run(rest);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no parent folder")?;
    if let Some(("encoder", rest)) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return encoder::run(root, rest);
    }
    let options = Options::parse(args)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let binary = match std::env::var_os("TAIRE_BIN") {
        Some(given) => PathBuf::from(given),
        None => {
            build(root)?;
            target.join("release/taire")
        }
    };
    let folder = target.join("bench");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut table = Table::new(root, &options);
    for &language in Language::ALL {
        let rules = rules_only(root, &folder, language)?;
        let generated = Corpus::generated(language, options.megabytes << 20, options.seed, &folder)?;
        let corpora = std::env::var_os("TAIRE_CORPORA").map(PathBuf::from);
        let published = match &corpora {
            Some(corpora) => Corpus::published(language, corpora, options.megabytes << 20, &folder)?,
            None => None,
        };
        for corpus in [Some(generated), published].iter().flatten() {
            let bench = Bench { binary: &binary, folder: &folder, corpus, runs: options.runs };
            bench.rows(&rules, &mut table)?;
            table.say(corpus);
        }
    }
    table.write(root)
}

fn build(root: &Path) -> Result<(), String> {
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--quiet", "--package", "taire-cli"])
        .current_dir(root)
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    status.success().then_some(()).ok_or_else(|| "the release binary does not build".into())
}

/// The program that makes tables of notes, built.
pub(crate) fn note_maker(root: &Path, target: &Path) -> Result<PathBuf, String> {
    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--quiet", "--package", "taire-formats", "--example", "notes"])
        .current_dir(root)
        .status();
    match built.is_ok_and(|status| status.success()) {
        true => Ok(target.join("release/examples/notes")),
        false => Err("the example `notes` does not build".into()),
    }
}

/// The shipped policy of a language without its model.
pub(crate) fn rules_only(root: &Path, folder: &Path, language: Language) -> Result<PathBuf, String> {
    let shipped = root.join(format!("policies/{language}.toml"));
    let text = std::fs::read_to_string(&shipped).map_err(|e| format!("{}: {e}", shipped.display()))?;
    let rules: String = text
        .lines()
        .map(|line| if line.starts_with("sources") { line.replace("\"crf\", ", "").replace("\"student\", ", "") } else { line.to_owned() } + "\n")
        .collect();
    if rules.lines().any(|l| l.starts_with("sources") && (l.contains("\"crf\"") || l.contains("\"student\"")))
        || rules.len() == text.len()
    {
        return Err(format!("{}: its sources do not name a model as expected", shipped.display()));
    }
    let path = folder.join(format!("{language}-rules.toml"));
    std::fs::write(&path, rules).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

struct Bench<'a> {
    binary: &'a Path,
    folder: &'a Path,
    corpus: &'a Corpus,
    runs: usize,
}

impl Bench<'_> {
    fn rows(&self, rules: &Path, table: &mut Table) -> Result<(), String> {
        let language = self.corpus.language;
        let itself = std::env::current_exe().map_err(|e| e.to_string())?;
        let scan = self
            .seconds(&itself, &["bench".into(), "--scan".into(), self.corpus.path.display().to_string()])?;
        table.push(Row::of(self.corpus, "plain scan", "xtask bench --scan", scan, scan));
        for command in ["detect", "deid"] {
            for (what, policy) in [("rules only", Some(rules)), ("default policy", None)] {
                let output = self.folder.join(format!("{language}-{command}.jsonl"));
                let mut args = vec![command.to_owned(), self.corpus.path.display().to_string()];
                args.extend(["--lang", language.key(), "--jobs", "1", "--quiet", "-o"].map(String::from));
                args.push(output.display().to_string());
                let file = self.corpus.path.file_name().unwrap_or_default().to_string_lossy();
                let mut shown = format!("taire {command} {file} --lang {language} --jobs 1");
                if let Some(policy) = policy {
                    args.extend(["--policy".to_owned(), policy.display().to_string()]);
                    shown += &format!(" --policy {language}-rules.toml");
                }
                let seconds = self.seconds(self.binary, &args)?;
                table.push(Row::of(self.corpus, &format!("{command}, {what}"), &shown, seconds, scan));
            }
        }
        self.presidio(scan, table);
        Ok(())
    }

    fn seconds(&self, program: &Path, args: &[String]) -> Result<f64, String> {
        least_seconds(program, args, self.runs, children_time)
    }

    /// Presidio is slow: a part of the corpus is enough.
    fn presidio(&self, scan: f64, table: &mut Table) {
        const PART: usize = 200_000;
        let name = format!("Presidio, {}", self.corpus.language);
        let output = Command::new("python3")
            .args(["-c", include_str!("presidio.py")])
            .arg(&self.corpus.path)
            .args([self.corpus.language.key(), &PART.to_string()])
            .output();
        let said = output.ok().and_then(|o| serde_json::from_slice::<serde_json::Value>(&o.stdout).ok());
        let number = |key: &str| said.as_ref().and_then(|s| s[key].as_f64());
        match (number("bytes"), number("seconds")) {
            (Some(bytes), Some(seconds)) => {
                let whole = seconds * self.corpus.bytes as f64 / bytes;
                let model = said.as_ref().and_then(|s| s["with"].as_str()).unwrap_or("spaCy").to_owned();
                table.push(Row::of(
                    self.corpus,
                    &format!("Presidio with {model}"),
                    "presidio.py",
                    whole,
                    scan,
                ));
            }
            _ => {
                let why = said.as_ref().and_then(|s| s["why"].as_str()).unwrap_or("python3 does not run it");
                table.remark(format!("{name}: not measured, {why}."));
            }
        }
    }
}

/// The least time of a command over some runs, as `read` takes it from what the shell's `times` prints.
fn least_seconds<A: AsRef<str>>(
    program: &Path,
    args: &[A],
    runs: usize,
    read: fn(&str) -> Option<f64>,
) -> Result<f64, String> {
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let output = Command::new("sh")
            .args(["-c", "\"$0\" \"$@\" >&2 || exit 1; times"])
            .arg(program)
            .args(&args)
            .output()
            .map_err(|e| format!("sh: {e}"))?;
        if !output.status.success() {
            return Err(format!("`{} {}` failed", program.display(), args.join(" ")));
        }
        let times = String::from_utf8_lossy(&output.stdout);
        least = least.min(read(&times).ok_or("`times` of the shell cannot be read")?);
    }
    Ok(least)
}

/// The user time of the children, first on the second line of the shell's `times`: `0m1.250000s 0m0.010000s`.
fn children_time(times: &str) -> Option<f64> {
    let (minutes, seconds) =
        times.lines().nth(1)?.split_whitespace().next()?.strip_suffix('s')?.split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.replace(',', ".").parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_shell_are_read() {
        assert_eq!(children_time("0m0.00s 0m0.00s\n1m2.50s 0m0.10s\n"), Some(62.5));
        assert_eq!(children_time("0m0.00s 0m0.00s\n"), None);
    }

    #[test]
    fn the_rules_policy_is_the_shipped_one_without_its_model() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folder = std::env::temp_dir().join(format!("taire-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for &language in Language::ALL {
            let path = rules_only(root, &folder, language).unwrap();
            let text = std::fs::read_to_string(path).unwrap();
            let sources = text.lines().find(|l| l.starts_with("sources")).unwrap();
            assert!(
                !sources.contains("crf") && !sources.contains("student") && sources.contains("\"pattern\""),
                "{sources}"
            );
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
