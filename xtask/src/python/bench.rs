//! What Python costs beside the program, and the large run on Spark.
//!
//! `bench` treats one JSONL file of notes on one thread by the program and from Python, and compares user
//! time; it writes `scores/python.md`. `spark` compares PySpark on two local workers with the program on a Parquet
//! table of notes, in several partitionings; `--rules` takes policy `fr` without its model.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Kit;

/// Throughput from Python must be at least this share of the program's.
const LEAST: f64 = 0.9;

fn options(args: &[String], allowed: &[&str]) -> Result<Vec<Option<usize>>, String> {
    let mut values = vec![None; allowed.len()];
    for pair in args.chunks(2) {
        let known = allowed.iter().position(|name| *name == pair[0]);
        let value = pair.get(1).and_then(|v| v.parse().ok()).filter(|n| *n > 0);
        match (known, value) {
            (Some(i), Some(value)) => values[i] = Some(value),
            _ => {
                return Err(format!(
                    "`{}` is no option with a whole number; known: {}",
                    pair[0],
                    allowed.join(", ")
                ));
            }
        }
    }
    Ok(values)
}

/// Invented notes, in the format its name says; the same for the same number, so they are made once.
fn notes(kit: &Kit, count: usize, extension: &str) -> Result<PathBuf, String> {
    kit.build_program("release")?;
    let folder = kit.folder().join("bench");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = folder.join(format!("notes-{count}.{extension}"));
    if path.exists() {
        return Ok(path);
    }
    let mut build = kit.cargo();
    build.args(["build", "--release", "--quiet", "--package", "taire-formats", "--example", "notes"]);
    kit.step("what makes notes", &mut build)?;
    let part = folder.join(format!("part.{extension}"));
    let mut make = Command::new(kit.target.join("release/examples/notes"));
    kit.step("notes", make.args(["make", &count.to_string()]).arg(&part))?;
    std::fs::rename(&part, &path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

/// User seconds of a command, as the shell accounts them, and the seconds it prints of itself.
fn user_time(command: &[&std::ffi::OsStr]) -> Result<(f64, Option<f64>), String> {
    let mut shell = Command::new("bash");
    shell.args(["-c", "TIMEFORMAT=%U; time \"$@\"", "bash"]).args(command);
    let output = shell.output().map_err(|e| format!("bash: {e}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("a measured run failed: {errors}"));
    }
    let last = errors.lines().next_back().and_then(|line| line.trim().replace(',', ".").parse().ok());
    let whole = last.ok_or_else(|| format!("no time was printed: {errors}"))?;
    Ok((whole, String::from_utf8_lossy(&output.stdout).trim().parse().ok()))
}

pub(super) fn throughput(kit: &Kit, args: &[String]) -> Result<(), String> {
    let given = options(args, &["--notes", "--runs"])?;
    let (count, runs) = (given[0].unwrap_or(3500), given[1].unwrap_or(3));
    let source = notes(kit, count, "jsonl")?;
    let python = kit.installed("release")?;
    let megabytes =
        std::fs::metadata(&source).map_err(|e| format!("{}: {e}", source.display()))?.len() as f64 / 1e6;
    let key = crate::pages::demo_key(&kit.folder().join("bench"))?;
    let (program, script) = (kit.program("release"), kit.root.join("python/bench/throughput.py"));
    let outs =
        ["program", "list", "table"].map(|name| kit.folder().join("bench").join(format!("{name}.jsonl")));
    let word = std::ffi::OsStr::new;
    let commands: [Vec<&std::ffi::OsStr>; 3] = [
        vec![
            program.as_os_str(),
            word("deid"),
            source.as_os_str(),
            word("-o"),
            outs[0].as_os_str(),
            word("--key"),
            key.as_os_str(),
            word("--policy"),
            word("fr"),
            word("--jobs"),
            word("1"),
            word("--quiet"),
        ],
        vec![
            python.as_os_str(),
            script.as_os_str(),
            word("list"),
            source.as_os_str(),
            outs[1].as_os_str(),
            key.as_os_str(),
        ],
        vec![
            python.as_os_str(),
            script.as_os_str(),
            word("table"),
            source.as_os_str(),
            outs[2].as_os_str(),
            key.as_os_str(),
        ],
    ];
    let (mut least, mut whole) = ([f64::INFINITY; 3], [f64::INFINITY; 3]);
    for _ in 0..runs {
        for (i, command) in commands.iter().enumerate() {
            let (all, own) = user_time(command)?;
            whole[i] = whole[i].min(all);
            least[i] = least[i].min(own.unwrap_or(all));
        }
    }
    let read = |path: &PathBuf| std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
    let expected = read(&outs[0])?;
    for out in &outs[1..] {
        if read(out)? != expected {
            return Err(format!("{} is not what the program wrote", out.display()));
        }
    }
    let share = |i: usize| least[0] / least[i];
    let mut page = String::from("# Throughput from Python\n\n");
    let _ = writeln!(
        page,
        "Made by `cargo xtask python bench --notes {count} --runs {runs}`: {megabytes:.1} MB of JSONL, notes of 3 KB, five of a \
         patient, policy `fr`, one thread. User time, the least of {runs} runs: of the program from start to end, of Python \
         from the making of the pipeline to the treated documents, which lie in its memory before and after; beside it the \
         whole script, with the start of Python, its imports and its own reading and writing of JSON. All three wrote the \
         same bytes. Other work on the machine moves such figures by a tenth.\n\n\
         | | user seconds | MB/s | of the program | whole script |\n|---|---:|---:|---:|---:|"
    );
    for (i, what) in ["`taire deid`", "`Pipeline.deid` of lists", "`Pipeline.deid_table` of an Arrow table"]
        .iter()
        .enumerate()
    {
        let _ = writeln!(
            page,
            "| {what} | {:.2} | {:.2} | {:.2} | {:.2} |",
            least[i],
            megabytes / least[i],
            share(i),
            whole[0] / whole[i]
        );
    }
    print!("{page}");
    if share(1).min(share(2)) < LEAST {
        return Err(format!("throughput from Python is below {LEAST} of the program's"));
    }
    std::fs::write(kit.root.join("scores/python.md"), page).map_err(|e| format!("scores/python.md: {e}"))
}

pub(super) fn spark(kit: &Kit, args: &[String]) -> Result<(), String> {
    let rules = args.first().is_some_and(|arg| arg == "--rules");
    let count = options(&args[usize::from(rules)..], &["--notes"])?[0].unwrap_or(100_000);
    let source = notes(kit, count, "parquet")?;
    let python = kit.installed("release")?;
    let folder = kit.folder().join("bench");
    let policy = match rules {
        true => without_model(kit, &folder)?,
        false => "fr".to_owned(),
    };
    let (out, key) = (folder.join("spark-program.parquet"), crate::pages::demo_key(&folder)?);
    let mut deid = Command::new(kit.program("release"));
    deid.arg("deid")
        .arg(&source)
        .arg("-o")
        .arg(&out)
        .args(["--policy", &policy, "--quiet", "--key"])
        .arg(&key);
    kit.step("the program on the table", &mut deid)?;
    let mut compare = Command::new(&python);
    compare.arg(kit.root.join("python/bench/spark_notes.py")).args([&source, &out, &key]).arg(&policy);
    kit.step("PySpark on two local workers", &mut compare)
}

/// Policy `fr` by its rules alone, which is several times as fast.
fn without_model(kit: &Kit, folder: &Path) -> Result<String, String> {
    let (from, to) = (kit.root.join("policies/fr.toml"), folder.join("fr-rules.toml"));
    let policy = std::fs::read_to_string(&from).map_err(|e| format!("{}: {e}", from.display()))?;
    let policy = policy.replacen("\"crf\", ", "", 1).replacen("name = \"fr\"", "name = \"fr-rules\"", 1);
    std::fs::write(&to, policy).map_err(|e| format!("{}: {e}", to.display()))?;
    Ok(to.display().to_string())
}
