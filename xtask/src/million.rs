//! `cargo xtask million`: a table of a million notes, its rate and memory beside those of a tenth of it, and the same table
//! killed at random and resumed; the two outputs must be the same bytes. Writes `scores/million.md`.
//!
//! The tenth is run before and after the whole, since an hour on a shared machine is not the same all along.

use std::collections::hash_map::RandomState;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::scale::{Used, timed};
use crate::stamp::{commit, today};

const USAGE: &str = "million [--notes N] [--kills N] [--light]";
const MEGABYTES: f64 = 1000.0;
/// The rate of the whole, at the least, as a part of the tenth's: what a busy machine may blur.
const SAME: f64 = 0.95;

struct Options {
    notes: usize,
    kills: usize,
    /// Rules only, each document alone.
    light: bool,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options { notes: 1_000_000, kills: 5, light: false };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut number = || {
                let number = args.next().and_then(|n| n.parse::<usize>().ok());
                number.ok_or_else(|| format!("`{arg}` needs a whole number; usage: {USAGE}"))
            };
            match arg.as_str() {
                "--notes" => options.notes = number()?.max(1000),
                "--kills" => options.kills = number()?,
                "--light" => options.light = true,
                other => return Err(format!("unknown option `{other}`; usage: {USAGE}")),
            }
        }
        Ok(options)
    }
}

/// Runs the chore.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let options = Options::parse(args)?;
    let root = crate::test::root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("million");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    crate::pages::build()?;
    let bench = Bench {
        binary: target.join("release/taire"),
        key: crate::pages::demo_key(&folder)?,
        policy: if options.light { light(&root, &folder)? } else { "fr".into() },
        folder,
    };
    let tenth = bench.notes(&root, &target, options.notes / 10)?;
    let whole = bench.notes(&root, &target, options.notes)?;
    let before = bench.clean(&tenth, "tenth")?;
    let all = bench.clean(&whole, "whole")?;
    let after = bench.clean(&tenth, "tenth")?;
    let killed_at = bench.killed(&whole, options.kills, all.elapsed)?;
    let same = same_bytes(&bench.output("whole", &whole), &bench.output("killed", &whole))?;

    let rate = |notes: usize, used: &Used| notes as f64 / used.seconds.max(1e-3);
    let few = (rate(options.notes / 10, &before) + rate(options.notes / 10, &after)) / 2.0;
    let ratio = rate(options.notes, &all) / few;
    let mut out = format!(
        "# A million notes\n\n`cargo xtask million{}` on {}, commit {}: invented French notes of 2.9 KB in Parquet, five of each \
         patient, policy `fr`{}, all cores. Seconds of processor time and of the clock, the greatest resident memory in MB. The \
         tenth was run before and after the whole.\n\n\
         | notes | processor s | clock s | MB | notes a second of processor time |\n|---:|---:|---:|---:|---:|\n",
        args.iter().fold(String::new(), |all, arg| all + " " + arg),
        today(),
        commit(&root),
        if options.light { " without its model, each document alone" } else { "" },
    );
    for (notes, used) in [(options.notes / 10, &before), (options.notes, &all), (options.notes / 10, &after)]
    {
        let _ = writeln!(
            out,
            "| {notes} | {:.0} | {:.0} | {:.0} | {:.0} |",
            used.seconds,
            used.elapsed,
            used.megabytes,
            rate(notes, used)
        );
    }
    let times: Vec<String> = killed_at.iter().map(|s| format!("{s:.0}")).collect();
    let _ = write!(
        out,
        "\n- The rate of the whole is {ratio:.2} of the tenth's.\n- Killed (`SIGKILL`) {} times, after {} seconds of its run each, and \
         resumed: the output is {} the uninterrupted one.\n",
        killed_at.len(),
        times.join(", "),
        if same { "byte for byte" } else { "NOT" },
    );
    print!("{out}");
    if !same || killed_at.len() < options.kills {
        return Err(
            "the resumed output differs, or the run ended before it was killed as often as asked".into()
        );
    }
    if all.megabytes > MEGABYTES || ratio < SAME {
        return Err(format!(
            "{:.0} MB, rate {ratio:.2}: the limits are {MEGABYTES} and {SAME}",
            all.megabytes
        ));
    }
    fs::write(root.join("scores/million.md"), &out).map_err(|e| format!("scores/million.md: {e}"))
}

struct Bench {
    binary: PathBuf,
    key: PathBuf,
    policy: PathBuf,
    folder: PathBuf,
}

/// The shipped policy without its model, each document alone.
fn light(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    let path = crate::bench::rules_only(root, folder, taire_text::Language::Fr)?;
    let alone = |text: String| text.replacen("[detect]", "[detect]\ntrusted = \"document\"", 1);
    let text = fs::read_to_string(&path).map(alone);
    text.and_then(|text| fs::write(&path, text)).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

impl Bench {
    /// The table of so many notes, made once.
    fn notes(&self, root: &Path, target: &Path, count: usize) -> Result<PathBuf, String> {
        // The number is in the folder: a file name that holds one is not kept in the output.
        let folder = self.folder.join(format!("in-{count}"));
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let path = folder.join("notes.parquet");
        if !path.exists() {
            let maker = crate::bench::note_maker(root, target)?;
            let made = Command::new(maker).args(["make", &count.to_string()]).arg(&path).status();
            if !made.is_ok_and(|status| status.success()) {
                return Err("the notes could not be made".into());
            }
        }
        Ok(path)
    }

    fn output(&self, name: &str, input: &Path) -> PathBuf {
        self.folder.join(name).join(input.file_name().unwrap_or_default())
    }

    fn args(&self, input: &Path, name: &str) -> Vec<PathBuf> {
        let mut args: Vec<PathBuf> = vec!["deid".into(), input.into(), "-o".into(), self.folder.join(name)];
        args.extend(["--key".into(), self.key.clone(), "--policy".into(), self.policy.clone()]);
        args.extend(["--quiet".into(), "--resume".into()]);
        args
    }

    fn clean(&self, input: &Path, name: &str) -> Result<Used, String> {
        let _ = fs::remove_dir_all(self.folder.join(name));
        eprintln!("xtask million: {name}");
        timed(&self.binary, &self.args(input, name), &self.folder)
    }

    /// Runs to the end through `kills` kills; gives how long each run that was killed had lasted.
    fn killed(&self, input: &Path, kills: usize, whole: f64) -> Result<Vec<f64>, String> {
        let _ = fs::remove_dir_all(self.folder.join("killed"));
        let mut lasted = Vec::new();
        loop {
            let mut child = Command::new(&self.binary)
                .args(self.args(input, "killed"))
                .stdout(Stdio::null())
                .spawn()
                .map_err(|e| format!("{}: {e}", self.binary.display()))?;
            let started = Instant::now();
            let most = whole / (kills as f64 + 1.0);
            let until = Duration::from_secs_f64(most * (0.2 + 0.6 * random()));
            loop {
                if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
                    return if status.success() {
                        Ok(lasted)
                    } else {
                        Err(format!("it ended with {status}"))
                    };
                }
                if lasted.len() < kills && started.elapsed() >= until {
                    child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
                    lasted.push(started.elapsed().as_secs_f64());
                    eprintln!("xtask million: killed after {:.0} s", started.elapsed().as_secs_f64());
                    break;
                }
                sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Between 0 and 1, another one each time.
fn random() -> f64 {
    (RandomState::new().build_hasher().finish() >> 11) as f64 / (1u64 << 53) as f64
}

fn same_bytes(one: &Path, other: &Path) -> Result<bool, String> {
    let open = |path: &Path| File::open(path).map_err(|e| format!("{}: {e}", path.display()));
    let (mut a, mut b) = (open(one)?, open(other)?);
    let length = |file: &File| file.metadata().map(|m| m.len()).map_err(|e| e.to_string());
    if length(&a)? != length(&b)? {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    loop {
        let n = a.read(&mut left).map_err(|e| e.to_string())?;
        if n == 0 {
            return Ok(true);
        }
        b.read_exact(&mut right[..n]).map_err(|e| e.to_string())?;
        if left[..n] != right[..n] {
            return Ok(false);
        }
    }
}
