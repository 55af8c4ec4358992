//! The account of one scope: what was spent, and a refusal of what would exceed the budget.

use std::collections::BTreeMap;
use std::fmt;

use crate::loss::add_up;
use crate::{Adjacency, Loss, Unit};

/// How much a scope may lose. What is not named is not limited.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Budget {
    /// The most that losses without a unit may add up to, whatever they are about: it holds when all that was released differs
    /// at once.
    pub pure: Option<f64>,
    /// The most that losses of one adjacency may add up to, by unit. Losses of two adjacencies are not added: the distance
    /// of two records is the sum of what lies between their values, and each value pays for its own part of it.
    pub metric: BTreeMap<Unit, f64>,
}

/// The losses of one scope. Losses add up where their adjacency is the same; ε and ε per day are not the same promise and are
/// never added.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ledger {
    budget: Budget,
    spent: BTreeMap<Adjacency, f64>,
}

/// A loss that would have exceeded the budget. Nothing was spent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Refused {
    pub asked: Loss,
    pub left: f64,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a release asks for {}; {} is left of the budget", self.asked, self.left)
    }
}

impl std::error::Error for Refused {}

impl Ledger {
    pub fn new(budget: Budget) -> Ledger {
        Ledger { budget, ..Ledger::default() }
    }

    /// Books a loss, or refuses it and books nothing. A loss that is no number is refused.
    pub fn spend(&mut self, loss: Loss) -> Result<(), Refused> {
        let own = self.spent.get(&loss.adjacency()).copied().unwrap_or(0.0);
        let (spent, limit) = match loss.unit() {
            None => (self.all_pure(), self.budget.pure),
            Some(unit) => (own, self.budget.metric.get(&unit).copied()),
        };
        let after = add_up(spent, loss.epsilon());
        if after.is_nan() || loss.epsilon() < 0.0 || limit.is_some_and(|limit| after > limit) {
            let left = limit.map_or(f64::INFINITY, |limit| (limit - spent).max(0.0));
            return Err(Refused { asked: loss, left });
        }
        self.spent.insert(loss.adjacency(), add_up(own, loss.epsilon()));
        Ok(())
    }

    /// What was spent, one loss for each adjacency.
    pub fn spent(&self) -> Vec<Loss> {
        self.spent.iter().map(|(&adjacency, &epsilon)| Loss::new(epsilon, adjacency)).collect()
    }

    /// The sum of the losses without a unit: what holds when all that was released differs at once.
    pub fn all_pure(&self) -> f64 {
        let pure = self.spent.iter().filter(|(adjacency, _)| adjacency.unit().is_none());
        pure.fold(0.0, |all, (_, &epsilon)| add_up(all, epsilon))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(epsilon: f64) -> Loss {
        Loss::new(epsilon, Adjacency::Moved { what: "date", unit: Unit::Day })
    }

    fn births(epsilon: f64) -> Loss {
        Loss::new(epsilon, Adjacency::Moved { what: "birth date", unit: Unit::Day })
    }

    fn answers(epsilon: f64) -> Loss {
        Loss::new(epsilon, Adjacency::AnyTwo("answers"))
    }

    fn intervals(epsilon: f64) -> Loss {
        Loss::new(epsilon, Adjacency::EachWithin { what: "intervals", most: 61, unit: Unit::Day })
    }

    #[test]
    fn kinds_are_counted_apart_and_the_budget_holds() {
        let budget = Budget { pure: Some(1.0), metric: BTreeMap::from([(Unit::Day, 2.0)]) };
        let mut ledger = Ledger::new(budget);
        for _ in 0..2 {
            ledger.spend(answers(0.25)).unwrap();
            ledger.spend(intervals(0.25)).unwrap();
        }
        assert_eq!(ledger.all_pure(), 1.0, "what differs at once adds up");
        let refused = ledger.spend(answers(1e-300)).unwrap_err();
        assert_eq!(refused.left, 0.0);
        ledger.spend(dates(2.0)).unwrap();
        assert!(ledger.spend(dates(0.1)).is_err());
        ledger.spend(births(2.0)).unwrap();
        let profile = Adjacency::PerUnit { what: "towns", unit: Unit::Profile };
        ledger.spend(Loss::new(f64::INFINITY, profile)).unwrap();
        assert!(ledger.spend(answers(f64::NAN)).is_err());
        assert!(ledger.spend(answers(-1.0)).is_err());
        let spent = ledger.spent();
        assert!([answers(0.5), intervals(0.5), dates(2.0), births(2.0)].iter().all(|l| spent.contains(l)));
        assert_eq!(spent.len(), 5);
    }

    #[test]
    fn an_unbounded_loss_exceeds_any_budget() {
        let mut ledger = Ledger::new(Budget { pure: None, metric: BTreeMap::from([(Unit::Profile, 1e9)]) });
        let profile = Adjacency::PerUnit { what: "towns", unit: Unit::Profile };
        assert!(ledger.spend(Loss::new(f64::INFINITY, profile)).is_err());
    }
}
