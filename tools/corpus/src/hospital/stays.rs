//! When the patients come, and why.
//!
//! Six years from 2014 on. Who comes how often is a mixture, in round numbers like those of French activity reports:
//!
//! - 58 % come once;
//! - 14 % come now and then: 2 stays, and two thirds as many patients for each one more, gaps log-normal around four months,
//!   a day to three years;
//! - 10 % have cycles of chemotherapy: every 14 or 21 days, three in four on the day, the rest put off by 1 to 7 days;
//! - 4 % are seen at intervals: every 90 or 180 days, give or take a week;
//! - 14 % come for sessions: every 2 or 3 days, on fixed days of the week, one in eight put off or missed. Sessions are
//!   about half of all stays of French hospitals, and are here.
//!
//! So many share short regular intervals, and few an irregular sequence: the shape of Bigeard's table 0.1. A stay
//! lasts a day in sessions, cycles and visits, otherwise 1 to 20 days, most of them short.

use jiff::ToSpan;
use jiff::civil::{Date, date};

use crate::Rng;

#[derive(Clone, Debug)]
pub struct Stay {
    pub entry: Date,
    pub exit: Date,
    /// ICD-10, the main diagnosis first.
    pub codes: Vec<&'static str>,
    pub reason: usize,
}

/// Diagnoses with their codes, a word for the letter, and their weight.
pub const REASONS: &[(&str, &str, usize)] = &[
    ("I50.0", "insuffisance cardiaque congestive", 9),
    ("J44.1", "exacerbation de BPCO", 8),
    ("I10", "hypertension artérielle essentielle", 12),
    ("E11.9", "diabète de type 2", 12),
    ("N18.5", "insuffisance rénale chronique terminale", 5),
    ("C50.9", "carcinome du sein", 6),
    ("C18.7", "adénocarcinome du sigmoïde", 4),
    ("C34.1", "carcinome bronchique du lobe supérieur", 4),
    ("I63.9", "infarctus cérébral", 5),
    ("S72.0", "fracture du col du fémur", 6),
    ("K80.2", "lithiase vésiculaire", 6),
    ("J18.9", "pneumopathie", 8),
    ("N39.0", "infection urinaire", 7),
    ("M16.1", "coxarthrose", 6),
    ("I48.9", "fibrillation auriculaire", 8),
    ("F32.1", "épisode dépressif moyen", 4),
    ("G20", "maladie de Parkinson", 3),
    ("M32.1", "lupus érythémateux disséminé", 1),
    ("E84.0", "mucoviscidose avec manifestations pulmonaires", 1),
    ("G12.2", "sclérose latérale amyotrophique", 1),
];

fn reason(rng: &mut Rng, only: Option<&[usize]>) -> usize {
    match only {
        Some(list) => list[rng.below(list.len())],
        None => rng.weighted(REASONS.iter().map(|r| r.2)),
    }
}

/// A gap of days around a middle, log-normal with a spread of about a factor of three.
fn irregular(rng: &mut Rng) -> i64 {
    let normal: f64 = (0..12).map(|_| rng.below(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0;
    ((120f64.ln() + 1.1 * normal).exp().round() as i64).clamp(1, 1095)
}

fn length(rng: &mut Rng) -> i64 {
    let n = rng.below(20) as i64;
    (n * n / 20).max(1)
}

pub fn draw(seed: u64, index: u64, birth: Date) -> Vec<Stay> {
    let mut rng = Rng::of_document(seed, index * 4 + 3);
    let kind = rng.below(100);
    let count = match kind {
        0..58 => 1,
        58..72 => 2 + (0..10).take_while(|_| !rng.one_in(3)).count(),
        72..82 => rng.between(4, 12),
        82..86 => rng.between(3, 8),
        _ => rng.between(6, 12),
    };
    let cycle = [14, 21][rng.below(2)];
    let rhythm = [90, 180][rng.below(2)];
    // Monday, Wednesday, Friday or Tuesday, Thursday, Saturday.
    let mut session = rng.below(3);
    let mut day = date(2014, 1, 1).saturating_add((rng.below(1500) as i64).days());
    if day <= birth {
        day = birth.saturating_add(1.day());
    }
    let only: Option<&[usize]> = match kind {
        72..82 => Some(&[5, 6, 7]),
        86.. => Some(&[4]),
        _ => None,
    };
    let usual = reason(&mut rng, only);
    let mut out: Vec<Stay> = Vec::with_capacity(count);
    for _ in 0..count {
        let one_day = kind >= 72;
        let nights = if one_day { 0 } else { length(&mut rng) };
        let main = if only.is_some() || rng.percent(60) { usual } else { reason(&mut rng, None) };
        let other = reason(&mut rng, None);
        let mut codes = vec![REASONS[main].0];
        if other != main && rng.percent(50) {
            codes.push(REASONS[other].0);
        }
        let exit = day.saturating_add(nights.days());
        out.push(Stay { entry: day, exit, codes, reason: main });
        let gap = match kind {
            72..82 if rng.percent(75) => cycle,
            72..82 => cycle + rng.between(1, 7) as i64,
            82..86 => rhythm - 7 + rng.below(15) as i64,
            86.. => {
                session = (session + 1) % 3;
                let usual = if session == 0 { 3 } else { 2 };
                if rng.one_in(8) { usual + rng.between(1, 5) as i64 } else { usual }
            }
            _ => irregular(&mut rng),
        };
        day = exit.saturating_add(gap.max(1).days());
    }
    out
}
