//! What a release costs, and between which inputs.

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
            Unit::Profile => "unit of profile",
        }
    }
}

/// Which inputs are neighbours. Losses are added only where this is the same.
///
/// The words name what is protected in the plural ("towns", "birth dates"), but for `Moved`, which names one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Adjacency {
    /// Any two values.
    AnyTwo(&'static str),
    /// Two values at most so far apart.
    Within { what: &'static str, most: u32, unit: Unit },
    /// Two documents in which each of these values differs by at most so much.
    EachWithin { what: &'static str, most: u32, unit: Unit },
    /// Any two values: the loss counts for each unit of the distance between them.
    PerUnit { what: &'static str, unit: Unit },
    /// Two documents in which one value lies elsewhere: the loss counts for each unit that it moved.
    Moved { what: &'static str, unit: Unit },
}

impl Adjacency {
    /// The unit of a loss that grows with the distance of its inputs.
    pub fn unit(self) -> Option<Unit> {
        match self {
            Adjacency::AnyTwo(_) | Adjacency::Within { .. } | Adjacency::EachWithin { .. } => None,
            Adjacency::PerUnit { unit, .. } | Adjacency::Moved { unit, .. } => Some(unit),
        }
    }

    /// The same relation between other values.
    fn about(self, values: &'static str) -> Adjacency {
        match self {
            Adjacency::AnyTwo(_) => Adjacency::AnyTwo(values),
            Adjacency::Within { most, unit, .. } => Adjacency::Within { what: values, most, unit },
            Adjacency::EachWithin { most, unit, .. } => Adjacency::EachWithin { what: values, most, unit },
            Adjacency::PerUnit { unit, .. } => Adjacency::PerUnit { what: values, unit },
            Adjacency::Moved { unit, .. } => Adjacency::Moved { what: values, unit },
        }
    }
}

/// What follows "ε = 0.75" in a report.
impl fmt::Display for Adjacency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Adjacency::AnyTwo(what) => write!(f, "between any two {what}"),
            Adjacency::Within { what, most, unit } => {
                write!(f, "between two {what} at most {most} {} apart", plural(unit, most))
            }
            Adjacency::EachWithin { what, most, unit } => {
                let unit = plural(unit, most);
                write!(f, "between two documents whose {what} differ by at most {most} {unit} each")
            }
            Adjacency::PerUnit { what, unit } => write!(f, "per {} between two {what}", unit.name()),
            Adjacency::Moved { what, unit } => write!(f, "per {} that one {what} moves", unit.name()),
        }
    }
}

fn plural(unit: Unit, count: u32) -> String {
    let ending = if count == 1 { "" } else { "s" };
    match unit {
        Unit::Profile => format!("unit{ending} of profile"),
        _ => format!("{}{ending}", unit.name()),
    }
}

/// The privacy loss of a release: no output is more than e^ε times as likely from one input as from a neighbour (Dwork et
/// al., TCC 2006), or e^(ε·d) times for neighbours at distance d where the adjacency has a unit (Chatzikokolakis et al., PETS
/// 2013). Infinite where a mechanism has no such bound.
///
/// A number without its neighbour relation says nothing, so there is no loss without one:
///
/// ```
/// use taire_privacy::{Adjacency, Loss, Unit};
///
/// let loss = Loss::new(0.75, Adjacency::Within { what: "birth dates", most: 61, unit: Unit::Day });
/// assert_eq!(loss.to_string(), "ε = 0.75 between two birth dates at most 61 days apart");
/// ```
///
/// ```compile_fail
/// let loss = taire_privacy::Loss { epsilon: 0.75 };
/// ```
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Loss {
    epsilon: f64,
    adjacency: Adjacency,
}

impl Loss {
    pub fn new(epsilon: f64, adjacency: Adjacency) -> Loss {
        Loss { epsilon, adjacency }
    }

    pub fn epsilon(self) -> f64 {
        self.epsilon
    }

    pub fn adjacency(self) -> Adjacency {
        self.adjacency
    }

    /// The unit of a loss that grows with the distance of its inputs.
    pub fn unit(self) -> Option<Unit> {
        self.adjacency.unit()
    }

    /// The same loss, with the values named that the caller gave the mechanism.
    pub fn about(self, values: &'static str) -> Loss {
        Loss { adjacency: self.adjacency.about(values), ..self }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.epsilon.is_infinite() {
            return write!(f, "no bound {}", self.adjacency);
        }
        // Printed digits round upward too.
        write!(f, "ε = {} {}", (self.epsilon * 1e4 - 1e-6).ceil() / 1e4, self.adjacency)
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
    fn losses_print_with_their_neighbours() {
        let (what, unit) = ("birth dates", Unit::Day);
        for (adjacency, words) in [
            (Adjacency::AnyTwo("answers"), "ε = 0.75 between any two answers"),
            (
                Adjacency::Within { what, most: 61, unit },
                "ε = 0.75 between two birth dates at most 61 days apart",
            ),
            (
                Adjacency::EachWithin { what: "intervals", most: 1, unit },
                "ε = 0.75 between two documents whose intervals differ by at most 1 day each",
            ),
            (
                Adjacency::PerUnit { what: "towns", unit: Unit::Kilometre },
                "ε = 0.75 per kilometre between two towns",
            ),
            (Adjacency::Moved { what: "date", unit }, "ε = 0.75 per day that one date moves"),
        ] {
            assert_eq!(Loss::new(0.75, adjacency).to_string(), words);
        }
        let towns = Adjacency::PerUnit { what: "towns", unit: Unit::Profile };
        let none = Loss::new(f64::INFINITY, towns).to_string();
        assert_eq!(none, "no bound per unit of profile between two towns");
        assert_eq!(Loss::new(0.750_000_1, towns).to_string()[..11].to_owned(), "ε = 0.7501");
    }
}
