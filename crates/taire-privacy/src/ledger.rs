//! The account of one scope: what was spent, and a refusal of what would exceed the budget.

use std::collections::BTreeMap;
use std::fmt;

use crate::loss::add_up;
use crate::{Loss, Unit};

/// How much a scope may lose. What is not named is not limited.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Budget {
    pub pure: Option<f64>,
    pub metric: BTreeMap<Unit, f64>,
}

/// The losses of one scope. Pure losses add up, and metric losses add up unit by unit; one kind never counts for the
/// other, because ε and ε per day are not the same promise.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ledger {
    budget: Budget,
    pure: f64,
    metric: BTreeMap<Unit, f64>,
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
        let (spent, limit) = match loss {
            Loss::Pure(_) => (self.pure, self.budget.pure),
            Loss::Metric { per, .. } => {
                (self.metric.get(&per).copied().unwrap_or(0.0), self.budget.metric.get(&per).copied())
            }
        };
        let after = add_up(spent, loss.epsilon());
        if after.is_nan() || loss.epsilon() < 0.0 || limit.is_some_and(|limit| after > limit) {
            let left = limit.map_or(f64::INFINITY, |limit| (limit - spent).max(0.0));
            return Err(Refused { asked: loss, left });
        }
        match loss {
            Loss::Pure(_) => self.pure = after,
            Loss::Metric { per, .. } => {
                self.metric.insert(per, after);
            }
        }
        Ok(())
    }

    /// What was spent: the pure loss if any, then one metric loss a unit.
    pub fn spent(&self) -> Vec<Loss> {
        let pure = (self.pure > 0.0).then_some(Loss::Pure(self.pure));
        pure.into_iter().chain(self.metric.iter().map(|(&per, &eps)| Loss::Metric { eps, per })).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(eps: f64) -> Loss {
        Loss::Metric { eps, per: Unit::Day }
    }

    #[test]
    fn kinds_are_counted_apart_and_the_budget_holds() {
        let budget = Budget { pure: Some(1.0), metric: BTreeMap::from([(Unit::Day, 2.0)]) };
        let mut ledger = Ledger::new(budget);
        for _ in 0..4 {
            ledger.spend(Loss::Pure(0.25)).unwrap();
        }
        let refused = ledger.spend(Loss::Pure(1e-300)).unwrap_err();
        assert_eq!(refused.left, 0.0);
        ledger.spend(day(2.0)).unwrap();
        assert!(ledger.spend(day(0.1)).is_err());
        ledger.spend(Loss::Metric { eps: f64::INFINITY, per: Unit::Profile }).unwrap();
        assert!(ledger.spend(Loss::Pure(f64::NAN)).is_err());
        assert!(ledger.spend(Loss::Pure(-1.0)).is_err());
        let spent = ledger.spent();
        assert_eq!(spent[..2], [Loss::Pure(1.0), day(2.0)]);
        assert_eq!(spent.len(), 3);
    }

    #[test]
    fn an_unbounded_loss_exceeds_any_budget() {
        let mut ledger = Ledger::new(Budget { pure: None, metric: BTreeMap::from([(Unit::Profile, 1e9)]) });
        assert!(ledger.spend(Loss::Metric { eps: f64::INFINITY, per: Unit::Profile }).is_err());
    }
}
