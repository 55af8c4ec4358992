//! `cargo xtask bench encoder FOLDER`: pieces a second through an encoder, beside PyTorch with the same weights and the
//! same pieces, where Python can import it, on one core and on two. On one core processor time counts, so that a busy
//! machine changes it little; on two the clock, so that only a quiet machine tells the truth. The least of a few runs
//! each. The vectors of both are compared too. Written to `scores/encoder.md` where both were measured.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::stamp::{commit, today};
use serde_json::{Value, json};
use taire_encoder::{Batch, Dropout, Encoder, Tape, read_folder};

const USAGE: &str = "bench encoder FOLDER [--python PYTHON] [--runs N]";
/// Sequences of so many pieces, and how many of them.
const CASES: [(usize, usize); 3] = [(32, 32), (128, 8), (512, 2)];

pub(super) fn run(root: &Path, args: &[String]) -> Result<(), String> {
    let (folder, rest) = args.split_first().ok_or_else(|| format!("usage: {USAGE}"))?;
    let (mut python, mut runs) = ("python3".to_owned(), 5usize);
    for pair in rest.chunks(2) {
        match pair {
            [key, value] if key == "--python" => python.clone_from(value),
            [key, value] if key == "--runs" => {
                runs = value.parse().map_err(|_| format!("`{value}` is no number of runs"))?;
            }
            _ => return Err(format!("unknown option `{}`; usage: {USAGE}", pair[0])),
        }
    }
    let (weights, _) = read_folder(Path::new(folder)).map_err(|e| e.to_string())?;
    let (vocabulary, width) = (weights.shape.vocabulary, weights.shape.width);
    let encoder = Encoder::new(weights);
    let mut mine = Vec::new();
    let mut spec = Vec::new();
    for (length, count) in CASES {
        let length = length.min(encoder.shape().longest());
        let piece = |i: usize| (5 + i * 7919 % (vocabulary - 5)) as u32;
        let pieces: Vec<u32> = (0..length * count).map(piece).collect();
        let sequences: Vec<_> = (0..count).map(|s| s * length..(s + 1) * length).collect();
        let batch = Batch { pieces: &pieces, sequences: &sequences, extra: &[] };
        let mut tapes = [Tape::default(), Tape::default()];
        let (mut one, mut two) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..=runs {
            let start = Instant::now();
            std::thread::scope(|scope| {
                for (half, tape) in pieces.chunks(pieces.len() / 2).zip(&mut tapes) {
                    let half = Batch { pieces: half, sequences: &sequences[..count / 2], extra: &[] };
                    let encoder = &encoder;
                    scope.spawn(move || encoder.run(half, Dropout::NONE, false, tape));
                }
            });
            two = two.min(start.elapsed().as_secs_f64());
        }
        let tape = &mut tapes[0];
        for _ in 0..=runs {
            let start = thread_time();
            encoder.run(batch, Dropout::NONE, false, tape);
            one = one.min(thread_time() - start);
        }
        mine.push((pieces.len(), [one, two], tape.output[(length - 1) * width..length * width].to_vec()));
        spec.push(json!({"pieces": pieces.chunks(length).collect::<Vec<_>>(), "runs": runs}));
    }
    let output = Command::new(&python)
        .args(["-c", include_str!("encoder.py"), folder, &Value::from(spec).to_string()])
        .output();
    let said = output.ok().and_then(|o| serde_json::from_slice::<Value>(&o.stdout).ok());
    let theirs = said.as_ref().and_then(|s| s["cases"].as_array());
    if theirs.is_none() {
        let why = said.as_ref().and_then(|s| s["why"].as_str()).unwrap_or("python does not run it");
        println!("PyTorch: not measured, {why}");
    }
    let mut table = String::new();
    for (i, ((length, _), (pieces, seconds, row))) in CASES.iter().zip(mine).enumerate() {
        let speeds = seconds.map(|s| pieces as f64 / s);
        let Some(case) = theirs.and_then(|t| t.get(i)) else {
            println!(
                "{length} pieces: {:.0} pieces a second of one core, {:.0} of two",
                speeds[0], speeds[1]
            );
            continue;
        };
        let reference = case["row"].as_array().map_or(&[][..], |r| r).iter().filter_map(Value::as_f64);
        let apart = row.iter().zip(reference).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
        for (cores, speed) in speeds.iter().enumerate() {
            let their = pieces as f64 / case["seconds"][cores].as_f64().unwrap_or(f64::NAN);
            let (cores, ratio) = (cores + 1, speed / their);
            let _ = writeln!(
                table,
                "| {length} | {cores} | {speed:.0} | {their:.0} | {ratio:.2} | {apart:.0e} |"
            );
        }
    }
    if table.is_empty() {
        return Ok(());
    }
    let shape = encoder.shape();
    let page = format!(
        "# Encoders: pieces a second\n\nWritten by `cargo xtask bench encoder FOLDER` on {} at {}: {} layers of \
         width {}, sequences of so many pieces, beside {} with the same weights and pieces, the best of {runs} runs. One core: \
         one thread each, seconds of processor time. Two cores: two threads each, seconds of the clock; Taire reads half of the \
         sequences on each, PyTorch divides its own work.\n\n\
         | pieces | cores | Taire | PyTorch | ratio | vectors differ by at most |\n|---:|---:|---:|---:|---:|---:|\n{table}",
        today(),
        commit(root),
        shape.layers,
        shape.width,
        said.as_ref().and_then(|s| s["with"].as_str()).unwrap_or("PyTorch"),
    );
    println!("{page}");
    std::fs::write(root.join("scores/encoder.md"), page).map_err(|e| format!("scores/encoder.md: {e}"))
}

fn thread_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
