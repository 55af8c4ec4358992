//! `cargo xtask calendars`: `warp` against `blur`, written to `scores/calendars.md`.
//!
//! Invented records, a fixed seed. Measured: how far the calendars drift over 90 years, how much they blur intervals,
//! and how often somebody who knows a few intervals of a patient, and how the calendar works, finds the patient's
//! record again among all. `blur` takes the step that gives it the mean blur of `warp` on the same intervals.

use std::fmt::Write as _;
use std::fs;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use taire_surrogate::{Dates, Rewriter, SecretKey, Settings};
use taire_text::SplitMix64;

const SEED: u64 = 2015;
const PATIENTS: usize = 1500;
const LONGEST: usize = 5;
/// How many intervals of a patient's record lie in it, the known ones among them.
const INTERVALS: usize = 8;

fn below(random: &mut SplitMix64, n: usize) -> usize {
    (random.unit() * n as f64) as usize
}

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!("unknown option `{arg}`; calendars takes none"));
    }
    let text = measure()?;
    fs::create_dir_all("scores").map_err(|e| e.to_string())?;
    fs::write("scores/calendars.md", &text).map_err(|e| format!("scores/calendars.md: {e}"))?;
    print!("{text}");
    Ok(())
}

fn measure() -> Result<String, String> {
    let warp = calendar("warp", None)?;
    let records = records();
    let moved = |rewriter: &Rewriter| -> Result<Vec<Vec<i64>>, String> {
        records.iter().enumerate().map(|(i, days)| intervals(&after(rewriter, i, days)?)).collect()
    };
    let original: Vec<Vec<i64>> = records.iter().map(|days| intervals(days)).collect::<Result<_, _>>()?;
    let by_warp = moved(&warp)?;
    let mean_blur = mean_difference(&original, &by_warp);

    // The step of `blur` with the mean blur nearest to warp's.
    let total: i64 = original.iter().flatten().sum();
    let mean = total as f64 / (PATIENTS * INTERVALS) as f64;
    let guess = (mean / mean_blur) as u32;
    let mut best = (f64::INFINITY, 2);
    for step in guess.saturating_sub(6).max(2)..guess + 7 {
        let off = (mean_difference(&original, &moved(&calendar("blur", Some(step))?)?) - mean_blur).abs();
        if off < best.0 {
            best = (off, step);
        }
    }
    let blur = calendar("blur", Some(best.1))?;
    let by_blur = moved(&blur)?;

    let mut out = String::from(
        "# Calendars: `warp` against `blur`\n\nMade by `cargo xtask calendars`; invented records, seed ",
    );
    let _ = writeln!(
        out,
        "{SEED}.\n\n{PATIENTS} patients with {INTERVALS} intervals each, from a day to four years, as many short as long ones \
         (log-uniform). `blur` adds a day every {} days: the step with the mean blur of `warp` on these intervals.\n",
        best.1
    );
    let _ = writeln!(out, "| | `blur` | `warp` |\n|---|---:|---:|");
    let mut row = |name: &str, digits: usize, a: f64, b: f64| {
        let _ = writeln!(out, "| {name} | {a:.digits$} | {b:.digits$} |");
    };
    row("mean blur of the records' intervals, days", 2, mean_difference(&original, &by_blur), mean_blur);
    let (a, b) = (spread(&blur)?, spread(&warp)?);
    row("mean blur of 3 months, days", 2, a.months, b.months);
    row("mean blur of 5 years, days", 1, a.years, b.years);
    row("what is left of it when the mean is taken off, 3 months", 2, a.months_left, b.months_left);
    row("what is left of it when the mean is taken off, 5 years", 1, a.years_left, b.years_left);
    row(
        "drift over 90 years (greatest difference between two moves of one record), days",
        0,
        a.drift,
        b.drift,
    );

    let _ = writeln!(
        out,
        "\n## Finding a record again by its intervals\n\nThe attacker knows consecutive intervals of a patient, to the day, and how \
         the calendar works, not the key. *Tolerance*: records with as many consecutive intervals, each within what holds \
         nineteen in twenty true ones of its length; success is one over the number of records that fit, if the true one \
         does. *Nearest*: the record that fits best, each difference weighed by how much its length is blurred.\n\n\
         | known intervals | tolerance, `blur` | tolerance, `warp` | nearest, `blur` | nearest, `warp` |\n|---:|---:|---:|---:|---:|"
    );
    let (model_blur, model_warp) = (Model::learn(&original, &by_blur), Model::learn(&original, &by_warp));
    for known in 1..=LONGEST {
        let a = attack(&original, &by_blur, &model_blur, known);
        let b = attack(&original, &by_warp, &model_warp, known);
        let percent = |x: f64| format!("{:.1} %", 100.0 * x);
        let _ = writeln!(
            out,
            "| {known} | {} | {} | {} | {} |",
            percent(a.tolerance),
            percent(b.tolerance),
            percent(a.nearest),
            percent(b.nearest)
        );
    }
    let _ = writeln!(
        out,
        "\n`blur` moves every interval of one length by the same, to a day: who knows the step takes it off again. `warp` moves \
         each by its own. From three known intervals on neither hides a record among these."
    );
    Ok(out)
}

fn calendar(method: &str, every: Option<u32>) -> Result<Rewriter, String> {
    let dates = match (method, Settings::default().dates) {
        ("warp", warp @ Dates::Warp { .. }) => warp,
        _ => Dates::Blur {
            min_days: 360,
            max_days: 1090,
            every: every.unwrap_or(30),
            anchor: date(2020, 12, 31),
        },
    };
    let key = SecretKey::from_bytes(&[SEED as u8; 32]).map_err(|e| e.to_string())?;
    Rewriter::new(key, Settings { dates, ..Settings::default() }).map_err(|e| e.to_string())
}

/// Days of invented records, in order.
fn records() -> Vec<Vec<Date>> {
    let mut random = SplitMix64::new(SEED);
    let mut record = || {
        let mut day = date(2004, 1, 1).saturating_add((below(&mut random, 4000) as i64).days());
        let mut days = vec![day];
        for _ in 0..INTERVALS {
            let length = (random.unit() * 1461f64.ln()).exp().round() as i64;
            day = day.saturating_add(length.max(1).days());
            days.push(day);
        }
        days
    };
    (0..PATIENTS).map(|_| record()).collect()
}

fn after(rewriter: &Rewriter, patient: usize, days: &[Date]) -> Result<Vec<Date>, String> {
    let moved = rewriter.move_days(&patient.to_string(), days);
    moved.into_iter().map(|d| d.ok_or_else(|| "a day has no surrogate".to_owned())).collect()
}

fn intervals(days: &[Date]) -> Result<Vec<i64>, String> {
    days.windows(2).map(|pair| gap(pair[0], pair[1])).collect()
}

fn gap(from: Date, to: Date) -> Result<i64, String> {
    Ok(i64::from(from.until(to).map_err(|e| e.to_string())?.get_days()))
}

fn mean_difference(a: &[Vec<i64>], b: &[Vec<i64>]) -> f64 {
    let differences = a.iter().flatten().zip(b.iter().flatten()).map(|(x, y)| (x - y).abs());
    differences.sum::<i64>() as f64 / (PATIENTS * INTERVALS) as f64
}

struct Spread {
    months: f64,
    years: f64,
    months_left: f64,
    years_left: f64,
    drift: f64,
}

/// Blur of fixed lengths, and the greatest difference between two days' moves in one record.
fn spread(rewriter: &Rewriter) -> Result<Spread, String> {
    let anchor = date(2020, 12, 31);
    let mut changes: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    let mut drift: f64 = 0.0;
    for patient in 0..120 {
        let starts: Vec<Date> =
            (0..54).map(|i| date(1930, 12, 31).saturating_add((i * 611).days())).collect();
        let mut days = vec![anchor];
        for &start in &starts {
            days.extend([start, start.saturating_add(90.days()), start.saturating_add(1826.days())]);
        }
        let new = after(rewriter, patient, &days)?;
        let moves: Vec<f64> =
            days.iter().zip(&new).map(|(&d, &n)| gap(n, d).map(|g| g as f64)).collect::<Result<_, _>>()?;
        let (least, most) = moves.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &m| (a.min(m), b.max(m)));
        drift = drift.max(most - least);
        for at in (1..days.len()).step_by(3) {
            changes[0].push(moves[at] - moves[at + 1]);
            changes[1].push(moves[at] - moves[at + 2]);
        }
    }
    let size = |values: &[f64], middle: f64| {
        values.iter().map(|v| (v - middle).abs()).sum::<f64>() / values.len() as f64
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    Ok(Spread {
        months: size(&changes[0], 0.0),
        years: size(&changes[1], 0.0),
        months_left: size(&changes[0], mean(&changes[0])),
        years_left: size(&changes[1], mean(&changes[1])),
        drift,
    })
}

/// What the attacker knows of a calendar: by length, the usual change, its spread, and what holds 95 % of it.
struct Model {
    bands: Vec<(f64, f64, f64)>,
    slope: f64,
}

fn band(length: i64) -> usize {
    ((length.max(1) as f64).log2() * 1.5) as usize
}

impl Model {
    fn learn(original: &[Vec<i64>], moved: &[Vec<i64>]) -> Model {
        let pairs = || original.iter().flatten().zip(moved.iter().flatten());
        let (xy, xx) = pairs()
            .fold((0.0, 0.0), |(xy, xx), (&x, &y)| (xy + x as f64 * (y - x) as f64, xx + (x * x) as f64));
        let slope = xy / xx;
        let mut left: Vec<Vec<f64>> = vec![Vec::new(); 20];
        for (&x, &y) in pairs() {
            left[band(x)].push((y - x) as f64 - slope * x as f64);
        }
        let bands = left.into_iter().map(|mut values| {
            if values.is_empty() {
                return (0.0, 1.0, 1.0);
            }
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt().max(0.3);
            values.iter_mut().for_each(|v| *v = (*v - mean).abs());
            values.sort_by(f64::total_cmp);
            (mean, spread, values[(values.len() - 1) * 95 / 100].max(0.5))
        });
        Model { bands: bands.collect(), slope }
    }

    /// How far a moved interval lies from where an original one should be: weighed, and whether it is tolerable.
    fn off(&self, original: i64, moved: i64) -> (f64, bool) {
        let (mean, spread, tolerance) = self.bands[band(original)];
        let off = (moved - original) as f64 - self.slope * original as f64 - mean;
        (2.0 * spread.ln() + (off / spread).powi(2), off.abs() <= tolerance)
    }
}

struct Success {
    tolerance: f64,
    nearest: f64,
}

fn attack(original: &[Vec<i64>], moved: &[Vec<i64>], model: &Model, known: usize) -> Success {
    let mut random = SplitMix64::new(SEED + known as u64);
    let tries = 300;
    let mut success = Success { tolerance: 0.0, nearest: 0.0 };
    for _ in 0..tries {
        let victim = below(&mut random, PATIENTS);
        let start = below(&mut random, INTERVALS - known + 1);
        let sought = &original[victim][start..start + known];
        let mut fitting = 0;
        let mut victim_fits = false;
        let mut best = (f64::INFINITY, 0, 0);
        for (patient, record) in moved.iter().enumerate() {
            let mut fits = false;
            let mut nearest = f64::INFINITY;
            for window in record.windows(known) {
                let offs = sought.iter().zip(window).map(|(&o, &m)| model.off(o, m));
                let (sum, all) = offs.fold((0.0, true), |(s, a), (off, ok)| (s + off, a && ok));
                fits |= all;
                nearest = nearest.min(sum);
            }
            fitting += usize::from(fits);
            victim_fits |= fits && patient == victim;
            if nearest < best.0 - 1e-12 {
                best = (nearest, 1, usize::from(patient == victim));
            } else if nearest < best.0 + 1e-12 {
                best = (best.0, best.1 + 1, best.2 + usize::from(patient == victim));
            }
        }
        if victim_fits {
            success.tolerance += 1.0 / fitting as f64;
        }
        success.nearest += best.2 as f64 / best.1.max(1) as f64;
    }
    Success { tolerance: success.tolerance / f64::from(tries), nearest: success.nearest / f64::from(tries) }
}
