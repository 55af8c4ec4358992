//! The CRF reaches the same objective value as CRFsuite on a small synthetic task, and every part of it agrees with
//! a slow, plain computation. `oracle/make.py` made the expected values.

use taire_models::crf::{Dataset, Descent, Lattice, Objective, Parameters, minimise};

struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }
}

/// The task of `oracle/make.py`: 30 words, 7 suffixes and a bias.
fn data() -> Dataset {
    let mut draw = Draw(12345);
    let mut data = Dataset::default();
    for _ in 0..60 {
        let mut last = 0;
        for _ in 0..4 + draw.next() % 9 {
            let word = draw.next() % 30;
            let carry = if draw.next().is_multiple_of(3) { last } else { 0 };
            let mut label = (word / 8 + carry) % 4;
            if draw.next().is_multiple_of(10) {
                label = draw.next() % 4;
            }
            data.push_token(&[word as u32, 30 + (word % 7) as u32, 37], label as u8);
            last = label;
        }
        data.end_sequence();
    }
    data
}

fn reach(data: &Dataset, l1: f64, l2: f64, threads: usize) -> (Vec<f64>, f64) {
    let mut objective = Objective::new(data, Lattice::free(4), Parameters::Observed, l2, threads);
    let descent = Descent { l1, max_iterations: 2000, epsilon: 1e-7, delta: 1e-12 };
    let (weights, value, _) = minimise(&mut objective, &descent, |_| true);
    (weights, value)
}

#[test]
fn reaches_the_value_of_crfsuite() {
    let data = data();
    for line in include_str!("oracle/expected.txt").lines() {
        let numbers: Vec<f64> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        let [l1, l2, expected] = numbers[..] else { panic!("three numbers a line") };
        let (_, value) = reach(&data, l1, l2, 2);
        assert!((value - expected).abs() < 2e-5 * expected, "l1 {l1}, l2 {l2}: {value} for {expected}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let data = data();
    let one = reach(&data, 0.01, 0.1, 1);
    for threads in [2, 3, 8] {
        assert_eq!(reach(&data, 0.01, 0.1, threads), one);
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_value() {
    let mut data = Dataset::default();
    // Begin/inside/outside over two classes: labels O, B0, B1, I0, I1.
    for (i, labels) in [[0, 1, 3, 3, 0], [2, 4, 1, 3, 0], [0, 0, 2, 1, 3]].iter().enumerate() {
        for (t, &label) in labels.iter().enumerate() {
            data.push_token(&[(i * 2 + t) as u32 % 5, 5 + t as u32 % 3], label);
        }
        data.end_sequence();
    }
    let mut objective = Objective::new(&data, Lattice::bio(2), Parameters::AllTransitions, 0.3, 1);
    let n = objective.parameters();
    let mut draw = Draw(7);
    let mut weights: Vec<f64> = (0..n).map(|_| (draw.next() % 1000) as f64 / 500.0 - 1.0).collect();
    let (mut gradient, mut unused) = (vec![0.0; n], vec![0.0; n]);
    objective.evaluate(&weights, &mut gradient);
    for i in 0..n {
        let middle = weights[i];
        let h = 1e-5;
        weights[i] = middle + h;
        let above = objective.evaluate(&weights, &mut unused);
        weights[i] = middle - h;
        let below = objective.evaluate(&weights, &mut unused);
        weights[i] = middle;
        let slope = (above - below) / (2.0 * h);
        assert!((slope - gradient[i]).abs() < 1e-6, "parameter {i}: {slope} {}", gradient[i]);
    }
}

#[test]
fn l1_empties_most_weights() {
    let data = data();
    let count = |weights: &[f64]| weights.iter().filter(|w| **w != 0.0).count();
    let (few, _) = reach(&data, 2.0, 0.5, 2);
    let (all, _) = reach(&data, 0.0, 0.5, 2);
    assert!(count(&few) * 2 < count(&all), "{} of {}", count(&few), count(&all));
}
