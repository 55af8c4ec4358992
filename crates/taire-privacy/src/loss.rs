//! What a release costs.

use std::fmt;

/// What a distance is counted in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unit {
    Day,
    Week,
    Month,
    Year,
    Kilometre,
    /// The distance between two profiles whose features each lie between 0 and 1.
    Profile,
}

impl Unit {
    pub const ALL: [Unit; 6] =
        [Unit::Day, Unit::Week, Unit::Month, Unit::Year, Unit::Kilometre, Unit::Profile];

    pub fn name(self) -> &'static str {
        match self {
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Year => "year",
            Unit::Kilometre => "kilometre",
            Unit::Profile => "profile",
        }
    }
}

/// The privacy loss of a release.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub enum Loss {
    /// No output is more than e^ε times as likely from one input as from another (Dwork et al., TCC 2006).
    Pure(f64),
    /// No output is more than e^(ε·d) times as likely from one input as from another at distance d
    /// (Chatzikokolakis et al., PETS 2013). Infinite where a mechanism has no such bound.
    Metric { eps: f64, per: Unit },
}

impl Loss {
    pub fn epsilon(self) -> f64 {
        match self {
            Loss::Pure(eps) | Loss::Metric { eps, .. } => eps,
        }
    }

    /// The unit of a metric loss.
    pub fn unit(self) -> Option<Unit> {
        match self {
            Loss::Pure(_) => None,
            Loss::Metric { per, .. } => Some(per),
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Metric { eps, per } if eps.is_infinite() => write!(f, "no bound per {}", per.name()),
            // Printed digits round upward too.
            Loss::Pure(eps) => write!(f, "ε = {}", (eps * 1e4).ceil() / 1e4),
            Loss::Metric { eps, per } => write!(f, "ε = {} per {}", (eps * 1e4).ceil() / 1e4, per.name()),
        }
    }
}

/// `a + b`, rounded upward where it is not exact.
pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    let part = sum - a;
    let lost = (a - (sum - part)) + (b - part);
    if lost > 0.0 { sum.next_up() } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_never_less_than_the_truth() {
        assert_eq!(add_up(0.25, 0.75), 1.0);
        let tiny = 1e-20;
        assert!(add_up(1.0, tiny) > 1.0);
        assert_eq!(add_up(1.0, f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn losses_print_with_their_unit() {
        assert_eq!(Loss::Pure(0.75).to_string(), "ε = 0.75");
        assert_eq!(Loss::Metric { eps: 1.0, per: Unit::Day }.to_string(), "ε = 1 per day");
        assert!(Loss::Metric { eps: f64::INFINITY, per: Unit::Profile }.to_string().contains("no bound"));
    }
}
