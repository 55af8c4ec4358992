//! What de-identification costs a coder: the same training on the original and on each release, with several seeds
//! (Tchouka 2023, §9.4 and table 9.5).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use taire_eval::{Counts, Interval, interval};

use crate::Error;
use crate::cases::{Case, set_aside};
use crate::icd::Table;
use crate::measure::{Judged, Prf};
use crate::train::{Options, Progress, train};

const RESAMPLES: usize = 2000;
const SEED: u64 = 11;
/// One training case of so many is looked at.
const DEV_SHARE: usize = 5;

/// The same cases, treated in one way.
#[derive(Clone, Debug)]
pub struct Arm {
    pub name: String,
    pub cases: Vec<Case>,
}

/// What a coder reached on one arm.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArmResult {
    pub name: String,
    /// Means over the seeds.
    pub micro: Prf,
    pub f1_interval: Option<Interval>,
    pub f1_by_seed: Vec<f64>,
    /// Share of F1 lost against the first arm.
    pub loss: f64,
    pub loss_interval: Option<Interval>,
    pub labels: usize,
}

fn f1(judged: &[Counts], draw: &[usize]) -> f64 {
    let mut total = Counts::default();
    draw.iter().for_each(|&i| total += judged[i]);
    total.f1()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let all: Vec<f64> = values.collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

/// Trains on every arm with every seed and tests on the cases named in `test`. The first arm is what the others are
/// compared with.
pub fn utility(
    arms: &[Arm],
    test: &BTreeSet<String>,
    table: Option<&Table>,
    options: &Options,
    seeds: u64,
    progress: &mut dyn FnMut(&str, u64, Progress),
) -> Result<Vec<ArmResult>, Error> {
    let mut counted: Vec<(usize, Vec<Vec<Counts>>)> = Vec::new();
    for arm in arms {
        let (held, learned): (Vec<&Case>, Vec<&Case>) = arm.cases.iter().partition(|c| test.contains(&c.id));
        if held.is_empty() || learned.len() < 2 {
            return Err(Error::usage(format!(
                "{} cases to test on and {} to learn from are too few",
                held.len(),
                learned.len()
            )));
        }
        let learned: Vec<Case> = learned.into_iter().cloned().collect();
        let mut by_seed = Vec::new();
        let mut labels = 0;
        for seed in 1..=seeds.max(1) {
            let options = Options { seed: options.seed + seed - 1, ..options.clone() };
            let [fit, dev] = set_aside(&learned, DEV_SHARE, options.seed);
            let coder = train(&fit, &dev, &[], table, &options, &mut |p| progress(&arm.name, seed, p))?;
            labels = coder.labels.len();
            by_seed.push(coder.judge(&held, options.threads).iter().map(Judged::counts).collect());
        }
        counted.push((labels, by_seed));
    }
    let documents = counted[0].1[0].len();
    let all: Vec<usize> = (0..documents).collect();
    let of = |arm: usize, draw: &[usize]| mean(counted[arm].1.iter().map(|seed| f1(seed, draw)));
    let result = |(at, arm): (usize, &Arm)| {
        let totals = counted[at].1.iter().map(|seed| {
            let mut total = Counts::default();
            seed.iter().for_each(|&c| total += c);
            total
        });
        let totals: Vec<Counts> = totals.collect();
        let lost = |draw: &[usize]| {
            let whole = of(0, draw);
            if whole > 0.0 { (whole - of(at, draw)) / whole } else { 0.0 }
        };
        ArmResult {
            name: arm.name.clone(),
            micro: Prf {
                p: mean(totals.iter().map(|c| c.precision())),
                r: mean(totals.iter().map(|c| c.recall())),
                f1: of(at, &all),
            },
            f1_interval: interval(documents, RESAMPLES, SEED, |draw| of(at, draw)),
            f1_by_seed: totals.iter().map(|c| c.f1()).collect(),
            loss: lost(&all),
            loss_interval: interval(documents, RESAMPLES, SEED, lost),
            labels: counted[at].0,
        }
    };
    Ok(arms.iter().enumerate().map(result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;
    use crate::tests::cases;

    #[test]
    fn an_arm_without_its_words_loses_and_one_like_the_first_does_not() {
        let original = cases(150, 9);
        let same = original.clone();
        let mut blind = original.clone();
        for case in &mut blind {
            case.text = case
                .text
                .replace("diabète", "<Mot>")
                .replace("DNID", "<Mot>")
                .replace("infection urinaire", "<Mot>");
        }
        let test: BTreeSet<String> = original.iter().skip(100).map(|c| c.id.clone()).collect();
        let arm = |name: &str, cases| Arm { name: name.into(), cases };
        let arms = [arm("original", original), arm("same", same), arm("blind", blind)];
        let options = Options { method: Method::Bag, ..Options::default() };
        let results = utility(&arms, &test, None, &options, 2, &mut |_, _, _| {}).unwrap();
        assert_eq!((results[1].loss, results[1].micro), (0.0, results[0].micro));
        assert!(results[2].loss > 0.02, "{results:?}");
        assert_eq!(results[0].f1_by_seed.len(), 2);
        assert!(utility(&arms, &BTreeSet::new(), None, &options, 1, &mut |_, _, _| {}).is_err());
    }
}
