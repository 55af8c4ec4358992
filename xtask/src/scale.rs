//! `cargo xtask scale`: memory and time of many documents of one patient and of many patients, written to
//! `scores/scale.md`. Time is the processor's, memory the greatest resident size, both as `/usr/bin/time` tells them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FEW: usize = 1_000;
const MANY: usize = 10_000;
const TIME: &str = "/usr/bin/time";

/// What a command used.
pub(crate) struct Used {
    /// Of the processor.
    pub(crate) seconds: f64,
    /// By the clock.
    pub(crate) elapsed: f64,
    pub(crate) megabytes: f64,
}

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!("unknown option `{arg}`; scale takes none"));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    crate::pages::build()?;
    let binary = target.join("release/taire");
    let folder = target.join("scale");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let key = crate::pages::demo_key(&folder)?;
    let rules = rules_only(&folder)?;
    let texts = texts()?;
    let mean = texts.iter().map(String::len).sum::<usize>() / texts.len().max(1);
    let mut out = format!(
        "# Many documents, many patients\n\nMade by `cargo xtask scale`: the French letters of `examples/` over and over, \
         {mean} bytes on average, one thread. Seconds of processor time, and the greatest resident memory in MB.\n\n\
         | policy | documents | command | {FEW}: s | MB | {MANY}: s | MB | {MANY}: documents a second |\n\
         |---|---|---|---:|---:|---:|---:|---:|\n"
    );
    let mut verdict = String::new();
    for (policy, name) in [("fr", "`fr`"), (rules.as_str(), "`fr` without the model")] {
        for one_patient in [true, false] {
            let who = if one_patient { "of one patient" } else { "one of each patient" };
            let mut detect = 0.0;
            for command in ["detect", "deid"] {
                let few = measure(&binary, &folder, &key, command, policy, &texts, FEW, one_patient)?;
                let many = measure(&binary, &folder, &key, command, policy, &texts, MANY, one_patient)?;
                let _ = writeln!(
                    out,
                    "| {name} | {who} | `{command}` | {:.1} | {:.0} | {:.1} | {:.0} | {:.0} |",
                    few.seconds,
                    few.megabytes,
                    many.seconds,
                    many.megabytes,
                    MANY as f64 / many.seconds.max(1e-3)
                );
                if command == "detect" {
                    detect = many.seconds;
                } else {
                    let _ = writeln!(
                        verdict,
                        "- {name}, {who}: finding and rewriting take {:.2} times as long as finding alone; ten times the \
                         documents take {:+.0} MB.",
                        many.seconds / detect.max(1e-3),
                        many.megabytes - few.megabytes
                    );
                }
            }
        }
    }
    let _ = write!(out, "\n{verdict}");
    fs::create_dir_all("scores").map_err(|e| e.to_string())?;
    fs::write("scores/scale.md", &out).map_err(|e| format!("scores/scale.md: {e}"))?;
    print!("{out}");
    Ok(())
}

pub(crate) fn texts() -> Result<Vec<String>, String> {
    let mut paths = Vec::new();
    for folder in ["examples/fr", "examples/fr/dossier-0417"] {
        let entries = fs::read_dir(folder).map_err(|e| format!("{folder}: {e}"))?;
        paths.extend(
            entries
                .filter_map(Result::ok)
                .map(|e| e.path())
                .filter(|p| p.extension().is_some_and(|x| x == "txt")),
        );
    }
    paths.sort();
    let mut texts = Vec::new();
    for path in &paths {
        let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        // One example is Latin-1, to show that it can be read.
        texts.extend(String::from_utf8(bytes).ok());
    }
    Ok(texts)
}

/// The shipped policy with every source but the model.
fn rules_only(folder: &Path) -> Result<String, String> {
    let text = fs::read_to_string("policies/fr.toml").map_err(|e| format!("policies/fr.toml: {e}"))?;
    let path = folder.join("rules.toml");
    let text = text.replacen("\"initials\", \"crf\", ", "\"initials\", ", 1);
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path.display().to_string())
}

#[allow(clippy::too_many_arguments)]
fn measure(
    binary: &Path,
    folder: &Path,
    key: &Path,
    command: &str,
    policy: &str,
    texts: &[String],
    count: usize,
    one_patient: bool,
) -> Result<Used, String> {
    let input = folder.join(format!("in-{count}-{one_patient}.jsonl"));
    if !input.exists() {
        let mut rows = String::new();
        for i in 0..count {
            let patient = if one_patient { 0 } else { i };
            let text = if one_patient { &texts[i % texts.len()] } else { &texts[0] };
            let row = serde_json::json!({"id": format!("d{i}"), "patient": format!("{:08}", 41_000_000 + patient), "text": text});
            let _ = writeln!(rows, "{row}");
        }
        fs::write(&input, rows).map_err(|e| format!("{}: {e}", input.display()))?;
    }
    let output = folder.join("out");
    let _ = fs::remove_dir_all(&output);
    let mut args: Vec<PathBuf> = vec![command.into(), input, "-o".into(), output];
    args.extend(["--policy", policy, "--lang", "fr", "--jobs", "1", "--quiet"].map(PathBuf::from));
    match command {
        "detect" => args.extend(["--to", "jsonl"].map(PathBuf::from)),
        _ => args.extend(["--key".into(), key.to_owned()]),
    }
    timed(binary, &args, folder)
}

/// Runs a command that must succeed; notes go to `folder`.
pub(crate) fn timed(binary: &Path, args: &[PathBuf], folder: &Path) -> Result<Used, String> {
    let used = folder.join("used.txt");
    let mut run = Command::new(TIME);
    run.args(["-f", "%U %S %M %e", "-o"]).arg(&used).arg(binary).args(args);
    let status = run.stdout(Stdio::null()).status().map_err(|e| format!("{TIME}: {e}; install GNU time"))?;
    let what = args.first().map(|arg| arg.display().to_string()).unwrap_or_default();
    if !status.success() {
        return Err(format!("`taire {what}` ended with {status}"));
    }
    let text = fs::read_to_string(&used).map_err(|e| format!("{}: {e}", used.display()))?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    match numbers[..] {
        [user, system, kilobytes, elapsed] => {
            Ok(Used { seconds: user + system, elapsed, megabytes: kilobytes / 1024.0 })
        }
        _ => Err(format!("{TIME} measured nothing of `taire {what}`")),
    }
}
