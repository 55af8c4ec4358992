//! Time on repeated texts, which must grow with their length and not with its square.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use taire::{Engine, Language, Policy, SecretKey};
use taire_fuzz::{PATHOLOGICAL, Pathological};
use taire_text::Note;

use crate::corpus::{Stop, commit};

/// The most that time may grow when the length doubles, and the most that the longest text may take.
const GROWTH: f64 = 2.3;
const LONGEST: Duration = Duration::from_secs(20);
/// Shorter times are left out of the growth: the noise of the machine is as large.
const NOISE: Duration = Duration::from_millis(50);

#[derive(Args, Debug)]
pub(crate) struct PathologicalArgs {
    /// The policy whose detectors are measured
    #[arg(long, value_name = "NAME|FILE", default_value = "fr")]
    policy: String,
    /// The language the texts are read in
    #[arg(long, default_value = "fr")]
    lang: Language,
    /// With the student too; without it the rules alone
    #[arg(long)]
    student: bool,
    /// Lengths in KB
    #[arg(long, value_delimiter = ',', default_value = "1024,2048,4096,8192")]
    sizes: Vec<usize>,
    /// Only texts of these names
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Where the table goes; `scores/` of the repository if not named, and if every text is measured
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// One text, with its time at each length.
struct Measured {
    text: Pathological,
    times: Vec<Duration>,
}

impl Measured {
    /// The largest growth between two lengths, scaled to a doubling.
    fn growth(&self) -> f64 {
        let pairs = self.times.windows(2).filter(|pair| pair[0] >= NOISE);
        pairs.map(|pair| pair[1].as_secs_f64() / pair[0].as_secs_f64()).fold(0.0, f64::max)
    }

    fn passes(&self) -> bool {
        self.growth() < GROWTH && self.times.iter().all(|time| *time < LONGEST)
    }
}

pub(crate) fn run(args: &PathologicalArgs) -> Result<(), Stop> {
    let engine = engine(args)?;
    let chosen = |text: &&Pathological| args.only.is_empty() || args.only.iter().any(|n| n == text.name);
    let mut all = Vec::new();
    for &text in PATHOLOGICAL.iter().filter(chosen) {
        let mut times: Vec<Duration> = Vec::new();
        eprint!("{:26}", text.name);
        for size in &args.sizes {
            let (detect, rewrite) = time(&engine, text.text(size << 10), args.lang)?;
            eprint!(" {:8.3}+{:<7.3}", detect.as_secs_f64(), rewrite.as_secs_f64());
            times.push(detect + rewrite);
            // A text that failed already is not measured for hours.
            if detect + rewrite > LONGEST {
                break;
            }
        }
        let measured = Measured { text, times };
        eprintln!(" {:6.2} {}", measured.growth(), if measured.passes() { "" } else { "FAILS" });
        all.push(measured);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    if let Some(folder) = args.output.clone().or(args.only.is_empty().then(|| root.join("scores"))) {
        let name = if args.student { "pathological-student.md" } else { "pathological.md" };
        std::fs::write(folder.join(name), markdown(args, &all, &commit(&root)))?;
    }
    match all.iter().filter(|m| !m.passes()).count() {
        0 => Ok(()),
        n => Err(Stop(format!("{n} texts grow by {GROWTH} or more a doubling, or take over {LONGEST:?}"))),
    }
}

fn engine(args: &PathologicalArgs) -> Result<Engine, Stop> {
    let key = SecretKey::from_bytes(&[7; 32])?;
    let mut policy = Policy::load(&args.policy)?;
    if !args.student {
        policy.detect.sources.retain(|source| !source.0.is_learned());
    }
    Ok(Engine::of_policy(&policy, Some(args.lang), Some(&key))?)
}

fn time(engine: &Engine, text: String, language: Language) -> Result<(Duration, Duration), Stop> {
    let start = cpu_time();
    let note = Note::builder("a", text).language(Some(language)).build()?;
    let (note, findings) = engine.find(note)?;
    let found = cpu_time();
    engine.rewrite_findings(&note, findings)?;
    Ok((found - start, cpu_time() - found))
}

/// The processor time of this thread: other work on the machine does not count.
pub(crate) fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

fn markdown(args: &PathologicalArgs, all: &[Measured], commit: &str) -> String {
    let date: String = jiff::Timestamp::now().to_string().chars().take(10).collect();
    let student = if args.student { " --student" } else { "" };
    let detectors = if args.student { "rules and the student" } else { "rules" };
    let failed = all.iter().filter(|m| !m.passes()).count();
    let mut out = format!(
        "# Repeated texts\n\n\
         `cargo measure pathological --policy {}{student}`, {date}, commit {commit}. Seconds of processor time on one thread to find ({detectors} of \
         the policy) and to rewrite one text, repeated to each length. *Growth* is the largest between two lengths; shorter times \
         than {} ms are left out of it. A text passes below {GROWTH} a doubling and below {} s: {} of {} pass.\n\n| text | repeated |",
        args.policy,
        NOISE.as_millis(),
        LONGEST.as_secs(),
        all.len() - failed,
        all.len()
    );
    for size in &args.sizes {
        let _ = write!(out, " {} KB |", size);
    }
    let _ = writeln!(out, " growth |\n|---|---|{}---:|", "---:|".repeat(args.sizes.len()));
    for measured in all {
        let unit = format!("{:?}", measured.text.unit).replace('|', "\\|");
        let _ = write!(out, "| {} | `{}` |", measured.text.name, unit.trim_matches('"'));
        for i in 0..args.sizes.len() {
            let _ = match measured.times.get(i) {
                Some(time) => write!(out, " {:.2} |", time.as_secs_f64()),
                None => write!(out, " |"),
            };
        }
        let mark = if measured.passes() { "" } else { " (fails)" };
        let _ = match measured.growth() {
            growth if growth > 0.0 => writeln!(out, " {growth:.2}{mark} |"),
            _ => writeln!(out, "{mark} |"),
        };
    }
    out
}
