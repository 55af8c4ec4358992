//! The dates and ages of one document as a sequence of intervals, each released by a mechanism (`ldp`, `metric`).
//!
//! Every temporal element is a number of units back from the document's date. The distinct ones are put in order, the
//! intervals between neighbours are released, never below 0, and added up again: so order is never inverted, though
//! two elements may fall together. Elements after the document's date make a second sequence, the other way. The
//! document's date itself moves by the scope's plain shift, which costs nothing and promises nothing.
//!
//! - `ldp` counts all in days. An element is short, medium or long by its distance; between two elements the nearer
//!   one's class gives Δ and the farther one's the range of the bounded Laplace mechanism. ε is split evenly. It holds
//!   between documents whose elements have the same classes and whose intervals are at most Δ apart.
//! - `metric` counts each element in its own unit and adds discrete Laplace noise at ε per unit. It holds per unit of
//!   the sum of the differences of the intervals, so a sequence costs ε per unit once.

use std::collections::BTreeMap;

use taire_privacy::{BoundedLaplace, DiscreteLaplace, Loss, Mechanism, Rate, Unit};
use taire_text::Label;

use crate::key::{Purpose, Scope, Streams};
use crate::settings::Dates;

/// How far back from the document's date, in a unit; the label it was found under.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Element {
    pub(crate) unit: Unit,
    pub(crate) back: i64,
    pub(crate) label: Label,
}

/// Where each element of a document went.
#[derive(Default)]
pub(crate) struct Sequence {
    moved: BTreeMap<(Unit, i64), i64>,
    losses: Vec<(Label, Loss)>,
}

impl Sequence {
    /// `None` if a mechanism cannot be made from the settings.
    pub(crate) fn draw(
        streams: &Streams,
        scope: Scope<'_>,
        dates: Dates,
        elements: &[Element],
    ) -> Option<Sequence> {
        let mut labels: BTreeMap<(Unit, i64), Label> = BTreeMap::new();
        for e in elements.iter().filter(|e| e.back != 0) {
            labels.entry((e.unit, e.back)).or_insert(e.label);
        }
        // Many long intervals may add up to centuries; cutting what was released costs nothing.
        let furthest = match dates {
            Dates::Ldp { classes, .. } => i64::from(classes[2]),
            _ => i64::MAX,
        };
        let mut sequence = Sequence::default();
        for unit in Unit::ALL {
            sequence.moved.insert((unit, 0), 0);
            let later = labels.range((unit, i64::MIN)..(unit, 0)).rev();
            let earlier = labels.range((unit, 1)..=(unit, i64::MAX));
            for side in [earlier.collect::<Vec<_>>(), later.collect()] {
                let mut from = 0i64;
                let mut total = 0i64;
                for (&(_, back), &label) in side {
                    let sign = back.signum();
                    let gap = (back - from).abs();
                    // Noise of two scales from one stream would solve for the interval, so what changes the scale is part of
                    // the value; nothing else is, so that a corrected letter is no second sample.
                    let shares = if dates_cost_once(dates) { 1 } else { labels.len() };
                    let value = format!("{unit:?} {from} {back} {shares}");
                    let mut draw = streams.draw(Purpose::Interval, scope, &value);
                    let (new, loss) = match dates {
                        Dates::Ldp { epsilon, classes, .. } => {
                            let share = Rate::at_most(epsilon / labels.len() as f64).ok()?.value();
                            let class = |at: i64| {
                                let reach = classes.iter().find(|c| at.abs() <= i64::from(**c));
                                i64::from(*reach.unwrap_or(&classes[2]))
                            };
                            let mechanism = BoundedLaplace::new(share, class(from), 0, class(back)).ok()?;
                            (mechanism.release(&gap, draw.rng()), mechanism.loss())
                        }
                        Dates::Metric { epsilon, .. } => {
                            let mechanism = DiscreteLaplace::new(epsilon, unit).ok()?;
                            (mechanism.release(&gap, draw.rng()).max(0), mechanism.loss())
                        }
                        _ => return None,
                    };
                    let once = dates_cost_once(dates);
                    if !(once && sequence.losses.iter().any(|(_, l)| *l == loss)) {
                        sequence.losses.push((label, loss));
                    }
                    total = total.saturating_add(new).min(furthest);
                    from = back;
                    sequence.moved.insert((unit, back), sign * total);
                }
            }
        }
        Some(sequence)
    }

    /// How far back an element stands now. `None` for what was not in the sequence: nothing was paid for it.
    pub(crate) fn get(&self, unit: Unit, back: i64) -> Option<i64> {
        self.moved.get(&(unit, back)).copied()
    }

    pub(crate) fn losses(&self) -> &[(Label, Loss)] {
        &self.losses
    }
}

fn dates_cost_once(dates: Dates) -> bool {
    matches!(dates, Dates::Metric { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::test_streams;
    use proptest::prelude::*;

    fn settings(method: &str) -> Dates {
        toml::from_str(&format!("method = \"{method}\"")).unwrap()
    }

    fn days(backs: &[i64]) -> Vec<Element> {
        backs.iter().map(|&back| Element { unit: Unit::Day, back, label: Label::Date }).collect()
    }

    proptest! {
        #[test]
        fn order_is_never_inverted(seed: u8, backs in prop::collection::vec(-900i64..34_000, 1..12)) {
            let streams = test_streams(seed);
            for dates in [settings("ldp"), settings("metric")] {
                let sequence = Sequence::draw(&streams, Scope::Document("d"), dates, &days(&backs)).unwrap();
                let mut sorted = backs.clone();
                sorted.sort_unstable();
                for pair in sorted.windows(2) {
                    let [a, b] = [pair[0], pair[1]].map(|x| sequence.get(Unit::Day, x).unwrap());
                    prop_assert!(a <= b, "{:?}: {} {}", dates, a, b);
                }
            }
        }
    }

    #[test]
    fn ldp_spends_no_more_than_epsilon_and_metric_epsilon_per_unit() {
        let streams = test_streams(1);
        let backs: Vec<i64> = (1..=7).map(|i| i * i * 40).collect();
        let ldp = Sequence::draw(&streams, Scope::Document("d"), settings("ldp"), &days(&backs)).unwrap();
        let total: f64 = ldp.losses().iter().map(|(_, l)| l.epsilon()).sum();
        assert!(total <= 0.75 && total > 0.7499, "{total}");
        let mut elements = days(&backs);
        elements.push(Element { unit: Unit::Year, back: 40, label: Label::Age });
        let metric = Sequence::draw(&streams, Scope::Document("d"), settings("metric"), &elements).unwrap();
        assert_eq!(
            metric.losses(),
            [
                (Label::Date, Loss::Metric { eps: 0.75, per: Unit::Day }),
                (Label::Age, Loss::Metric { eps: 0.75, per: Unit::Year }),
            ]
        );
        assert_eq!(metric.get(Unit::Day, 41), None);
    }
}
