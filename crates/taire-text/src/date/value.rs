//! What a date says: the parts that were written, with their precision.

use std::fmt;

use jiff::civil::Date;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Precision {
    Year,
    Month,
    Day,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Season {
    Spring,
    Summer,
    Autumn,
    Winter,
}

impl Season {
    /// From 0, spring first.
    pub(super) fn from_index(index: u8) -> Season {
        match index {
            0 => Season::Spring,
            1 => Season::Summer,
            2 => Season::Autumn,
            _ => Season::Winter,
        }
    }

    /// By the month alone: winter is December to February.
    pub fn of_month(month: u8) -> Season {
        match month {
            3..=5 => Season::Spring,
            6..=8 => Season::Summer,
            9..=11 => Season::Autumn,
            _ => Season::Winter,
        }
    }

    /// The month that stands for a season without more.
    pub fn middle_month(self) -> u8 {
        match self {
            Season::Spring => 4,
            Season::Summer => 7,
            Season::Autumn => 10,
            Season::Winter => 1,
        }
    }
}

/// `début`, `mi-`, `fin` of a month or a year.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Third {
    Start,
    Middle,
    End,
}

impl Third {
    pub fn of_day(day: u8) -> Third {
        match day {
            0..=10 => Third::Start,
            11..=20 => Third::Middle,
            _ => Third::End,
        }
    }

    pub fn of_month(month: u8) -> Third {
        match month {
            0..=4 => Third::Start,
            5..=8 => Third::Middle,
            _ => Third::End,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl Weekday {
    pub(super) fn from_index(index: usize) -> Weekday {
        use Weekday::*;
        [Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday][index % 7]
    }

    pub fn of(date: Date) -> Weekday {
        Weekday::from_index(date.weekday().to_monday_zero_offset() as usize)
    }
}

/// The parts of a date that were written. A two-digit year is kept as written (0 to 99).
///
/// A written part may be out of range of the calendar only as a day too great for its month (`31/02`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Partial {
    pub year: Option<i16>,
    pub month: Option<u8>,
    pub day: Option<u8>,
    pub weekday: Option<Weekday>,
    pub third: Option<Third>,
    pub season: Option<Season>,
    pub two_digit_year: bool,
}

impl Partial {
    pub fn precision(&self) -> Precision {
        if self.day.is_some() {
            Precision::Day
        } else if self.month.is_some() || self.season.is_some() {
            Precision::Month
        } else {
            Precision::Year
        }
    }

    /// Day, month and a four-digit year were all written.
    pub fn is_complete(&self) -> bool {
        self.day.is_some() && self.month.is_some() && self.year.is_some() && !self.two_digit_year
    }
}

/// Shows the precision, not the value: a date may identify somebody.
impl fmt::Debug for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Partial({:?})", self.precision())
    }
}
