//! Calendars: how a day of the original becomes another day. Each is a function of the key, the scope and the day
//! alone, so a document that arrives later fits those already written.
//!
//! - `shift` takes the same number of days from every date.
//! - `blur` (Bigeard §3.3.2) then takes one day more for every so many days back from an anchor date. One-to-one and
//!   ordered; the drift grows with the age of a date.
//! - `warp` adds a bounded noise instead: `f(t) = t − s + round(N(t))`, with `N` a sum of keyed noises, one per scale,
//!   each linear between knots that lie `base · 2^j` days apart. Its slopes sum to less than one half, so order is
//!   never inverted, though two days that follow each other may fall together; drift never exceeds the sum of the
//!   amplitudes. An interval is blurred by the scales shorter than itself. It claims no ε.

use std::cell::RefCell;

use jiff::ToSpan;
use jiff::civil::{Date, date};

use crate::key::{Draw, Purpose, Scope, Streams};
use crate::settings::Dates;

/// Noise is counted in this fraction of a day.
const GRAIN: i64 = 1024;

pub(crate) struct Calendar {
    dates: Dates,
    offset: i64,
    knots: RefCell<Draw>,
}

impl Calendar {
    pub(crate) fn new(streams: &Streams, scope: Scope<'_>, dates: Dates) -> Calendar {
        let (min, max) = match dates {
            Dates::Shift { min_days, max_days }
            | Dates::Blur { min_days, max_days, .. }
            | Dates::Warp { min_days, max_days, .. }
            | Dates::Ldp { min_days, max_days, .. }
            | Dates::Metric { min_days, max_days, .. } => (i64::from(min_days), i64::from(max_days)),
            Dates::Year => (0, 0),
        };
        // Every offset is as likely, whole years too: leaving those near a whole year out, so that no day keeps its month,
        // would tell of each date which months it was not in.
        let offset = streams.draw(Purpose::Calendar, scope, "").within(min, max);
        let knots = RefCell::new(streams.draw(Purpose::CalendarNoise, scope, ""));
        Calendar { dates, offset, knots }
    }

    /// The new day. `None` beyond the years a calendar holds, or where a day would stay itself.
    pub(crate) fn map(&self, day: Date) -> Option<Date> {
        let t = number(day);
        let new = match self.dates {
            // The last two move the document's own date so; its sequence does the rest.
            Dates::Shift { .. } | Dates::Ldp { .. } | Dates::Metric { .. } => t - self.offset,
            Dates::Blur { every, anchor, .. } => {
                t - self.offset - (number(anchor) - t).div_euclid(i64::from(every.max(1)))
            }
            Dates::Warp { base_days, scales, slope, .. } => {
                t - self.offset + self.noise(t, i64::from(base_days.max(1)), scales, slope)
            }
            Dates::Year => return Some(date(day.year(), 1, 1)),
        };
        (new < t).then(|| day.checked_add((new - t).days()).ok()).flatten()
    }

    fn noise(&self, t: i64, base: i64, scales: u32, slope: f64) -> i64 {
        let total: i64 = (0..scales)
            .map(|j| {
                let width = base << j;
                let amplitude = amplitude(width, scales, slope);
                let (k, x) = (t.div_euclid(width), t.rem_euclid(width));
                let [left, right] = self.knots(j, k).map(|x| below(2 * amplitude + 1, x) - amplitude);
                (left * (width - x) + right * x).div_euclid(width)
            })
            .sum();
        (total + GRAIN / 2).div_euclid(GRAIN)
    }

    /// A knot and the next one of the same scale, each from its own place in one stream.
    fn knots(&self, scale: u32, index: i64) -> [u64; 2] {
        let place = (u64::from(scale) << 40).wrapping_add(index.wrapping_add(1 << 39) as u64);
        self.knots.borrow_mut().pair_at(place)
    }
}

/// A number under `n` from 64 random bits, always by the same bits, so that a knot is the same from both sides.
fn below(n: i64, bits: u64) -> i64 {
    ((u128::from(bits) * n as u128) >> 64) as i64
}

/// The greatest noise of one scale, so that its steepest slope is its share of `slope`.
fn amplitude(width: i64, scales: u32, slope: f64) -> i64 {
    (slope / f64::from(scales.max(1)) * width as f64 / 2.0 * GRAIN as f64) as i64
}

/// The furthest a day may drift from the plain shift under `warp`, in days.
pub(crate) fn max_drift(base_days: u32, scales: u32, slope: f64) -> i64 {
    let total: i64 = (0..scales).map(|j| amplitude(i64::from(base_days) << j, scales, slope)).sum();
    total / GRAIN + 1
}

pub(crate) fn number(day: Date) -> i64 {
    // Civil days between two dates of jiff's range always fit.
    date(1970, 1, 1).until(day).map_or(0, |span| i64::from(span.get_days()))
}

/// Whole years from one day to a later one; negative the other way.
pub(crate) fn years_between(from: Date, to: Date) -> i64 {
    let years = i64::from(to.year()) - i64::from(from.year());
    if (to.month(), to.day()) < (from.month(), from.day()) { years - 1 } else { years }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::test_streams;
    use proptest::prelude::*;

    fn all() -> [Dates; 3] {
        ["shift", "blur", "warp"].map(|m| toml::from_str(&format!("method = \"{m}\"")).unwrap())
    }

    proptest! {
        #[test]
        fn order_is_never_inverted_and_no_day_stays(seed: u8, start in -36_000i64..18_000, gaps in prop::collection::vec(0i64..900, 1..12)) {
            let streams = test_streams(seed);
            for dates in all() {
                let calendar = Calendar::new(&streams, Scope::Patient("p"), dates);
                let mut day = date(1970, 1, 1).checked_add(start.days()).unwrap();
                let mut last = calendar.map(day).unwrap();
                for &gap in &gaps {
                    let next = day.checked_add(gap.days()).unwrap();
                    let new = calendar.map(next).unwrap();
                    prop_assert!(new != next);
                    prop_assert!(new >= last);
                    if gap > 1 || (gap > 0 && !matches!(dates, Dates::Warp { .. })) {
                        prop_assert!(new > last, "{:?} let a gap of {} fall together", dates, gap);
                    }
                    (day, last) = (next, new);
                }
            }
        }
    }

    /// Of how many months of twelve the true month is, counted from the released one, and how often each.
    fn month_distances(dates: Dates) -> [f64; 12] {
        let mut counts = [0.0; 12];
        let patients = 4000;
        for patient in 0..patients {
            let streams = test_streams((patient % 250) as u8);
            let id = patient.to_string();
            let calendar = Calendar::new(&streams, Scope::Patient(&id), dates);
            let day = date(1940, 1, 1).checked_add((i64::from(patient) * 7919 % 28_000).days()).unwrap();
            let new = calendar.map(day).unwrap();
            counts[((day.month() - new.month()).rem_euclid(12)) as usize] += 1.0 / f64::from(patients);
        }
        counts
    }

    /// Attack: the offset kept clear of whole years by what `warp` drifts, so the true month was 2 to 10 months away.
    #[test]
    fn every_month_is_as_likely_to_be_the_true_one() {
        let even = |counts: [f64; 12]| counts.iter().all(|share| (share - 1.0 / 12.0).abs() < 0.02);
        for dates in all() {
            let counts = month_distances(dates);
            assert!(even(counts), "{dates:?}: {counts:.3?}");
        }
        // The weak setting: a range that keeps clear of whole years shows what the months are not.
        let clear = Dates::Warp { min_days: 470, max_days: 625, base_days: 30, scales: 7, slope: 0.2 };
        let counts = month_distances(clear);
        assert!(counts.iter().filter(|share| **share < 0.005).count() >= 3, "{counts:.3?}");
    }

    #[test]
    fn blur_takes_a_day_more_for_every_so_many() {
        let streams = test_streams(1);
        let dates = Dates::Blur { min_days: 360, max_days: 1080, every: 30, anchor: date(2020, 12, 31) };
        let calendar = Calendar::new(&streams, Scope::Corpus, dates);
        let at = |d| number(calendar.map(d).unwrap());
        let anchor = date(2020, 12, 31);
        assert_eq!(at(anchor), number(anchor) - calendar.offset);
        let back = anchor.checked_sub(300.days()).unwrap();
        assert_eq!(at(anchor) - at(back), 310);
    }

    /// The setting that ships: drift over 90 years under 300 days, three months blurred by about two days and five
    /// years by about three weeks.
    #[test]
    fn warp_blurs_as_much_as_it_says() {
        let warp = all()[2];
        let Dates::Warp { base_days, scales, slope, .. } = warp else { unreachable!() };
        assert!(max_drift(base_days, scales, slope) < 300);
        let mut blur = [0.0; 2];
        let mut worst = 0;
        let runs = 60;
        for seed in 0..runs {
            let streams = test_streams(seed);
            let calendar = Calendar::new(&streams, Scope::Corpus, warp);
            let at = |t: i64| number(calendar.map(date(1970, 1, 1).checked_add(t.days()).unwrap()).unwrap());
            for start in (-14_000i64..18_000).step_by(611) {
                worst = worst.max((at(start) - start + calendar.offset).abs());
                for (slot, length) in [90i64, 1826].into_iter().enumerate() {
                    blur[slot] += (at(start + length) - at(start) - length).abs() as f64;
                }
            }
        }
        let n = f64::from(runs) * (-14_000i64..18_000).step_by(611).count() as f64;
        let [months, years] = blur.map(|b| b / n);
        assert!((1.5..2.5).contains(&months), "three months blurred by {months:.2} days");
        assert!((16.0..26.0).contains(&years), "five years blurred by {years:.2} days");
        assert!(worst < 300, "drift {worst}");
    }

    #[test]
    fn whole_years() {
        assert_eq!(years_between(date(1950, 3, 2), date(2020, 3, 1)), 69);
        assert_eq!(years_between(date(1950, 3, 2), date(2020, 3, 2)), 70);
    }
}
