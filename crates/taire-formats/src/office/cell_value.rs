//! Values of cells of a workbook as they are shown, and back: a day is stored as a count of days, a telephone number as a
//! number without its first zero. Detectors read what people see.

use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime, Time};

/// The form in which a cell shows its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shown {
    Text,
    Number,
    /// A number filled up with zeros to so many digits.
    Padded(u8),
    /// A day, counted from 1900 or from 1904.
    Day {
        from_1904: bool,
    },
}

/// A format of numbers, as far as it matters for reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum NumberFormat {
    #[default]
    Plain,
    Padded(u8),
    Day,
}

impl NumberFormat {
    /// Of the formats that have a number and no code.
    pub(crate) fn built_in(id: u32) -> NumberFormat {
        match id {
            14..=17 | 22 | 27..=31 | 34..=36 | 50..=54 | 57..=58 => NumberFormat::Day,
            _ => NumberFormat::Plain,
        }
    }

    /// Of a code: `dd/mm/yyyy`, `00000`, `0#" "##" "##" "##" "##`.
    pub(crate) fn of_code(code: &str) -> NumberFormat {
        let first = code.split(';').next().unwrap_or_default();
        let (mut letters, mut digits, mut others) = (String::new(), 0u32, false);
        let mut chars = first.chars();
        while let Some(c) = chars.next() {
            match c {
                '"' => {
                    let _ = chars.by_ref().find(|c| *c == '"');
                }
                '[' => {
                    let _ = chars.by_ref().find(|c| *c == ']');
                }
                '\\' | '_' | '*' => {
                    let _ = chars.next();
                }
                '0' | '#' => digits += 1,
                ' ' | '-' | '/' | ':' => {}
                c if c.is_ascii_alphabetic() => letters.push(c.to_ascii_lowercase()),
                _ => others = true,
            }
        }
        let has = |c: char| letters.contains(c);
        let general = letters.starts_with("general") || letters.starts_with("standard");
        // `[h]:mm` and `hh:mm` are lengths and times of a day.
        if !general && (has('y') || has('a') || has('d') || has('j') || (has('m') && !has('h') && !has('s')))
        {
            return NumberFormat::Day;
        }
        match u8::try_from(digits) {
            Ok(digits @ 4..=18) if letters.is_empty() && !others && first.starts_with('0') => {
                NumberFormat::Padded(digits)
            }
            _ => NumberFormat::Plain,
        }
    }
}

/// Whether a format of numbers shows a word.
pub(crate) fn shows_words(code: &str) -> bool {
    code.split('"').skip(1).step_by(2).any(|quoted| quoted.chars().filter(|c| c.is_alphabetic()).count() >= 3)
}

/// What a cell of numbers shows, and in which form.
pub(crate) fn show(raw: &str, format: NumberFormat, from_1904: bool) -> (String, Shown) {
    let raw = raw.trim();
    match format {
        NumberFormat::Day => {
            if let Some(text) = raw.parse().ok().and_then(|value| show_day(value, from_1904)) {
                return (text, Shown::Day { from_1904 });
            }
        }
        NumberFormat::Padded(width) => {
            if let Some(number) = whole(raw) {
                return (format!("{number:0width$}", width = usize::from(width)), Shown::Padded(width));
            }
        }
        NumberFormat::Plain => {}
    }
    (show_number(raw), Shown::Number)
}

/// A number without a fraction, which doubles hold exactly.
fn whole(raw: &str) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value: f64 = raw.parse().ok()?;
    ((0.0..=EXACT).contains(&value) && value.fract() == 0.0).then_some(value as u64)
}

/// `2.42027505612345E+14` is shown with all its digits.
fn show_number(raw: &str) -> String {
    match whole(raw) {
        Some(number) => number.to_string(),
        None => raw.to_owned(),
    }
}

impl Shown {
    /// The value that a cell of this form stores to show `text`, if it can.
    pub(crate) fn raw(self, text: &str) -> Option<String> {
        let raw = match self {
            Shown::Text => return None,
            Shown::Number => {
                let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
                return number.filter(|_| show_number(text) == text).map(|_| text.to_owned());
            }
            Shown::Padded(_) => text.parse::<u64>().ok()?.to_string(),
            Shown::Day { from_1904 } => stored_day(text, from_1904)?,
        };
        let again = match self {
            Shown::Padded(width) => show(&raw, NumberFormat::Padded(width), false),
            Shown::Day { from_1904 } => show(&raw, NumberFormat::Day, from_1904),
            _ => return None,
        };
        (again.0 == text).then_some(raw)
    }
}

const SECONDS: f64 = 86_400.0;

fn epoch(from_1904: bool, days: i64) -> Option<Date> {
    let start = match (from_1904, days) {
        (true, _) => Date::new(1904, 1, 1),
        // The 29th of February 1900, which did not exist, has the number 60.
        (false, 60) => return None,
        (false, ..60) => Date::new(1899, 12, 31),
        (false, _) => Date::new(1899, 12, 30),
    };
    start.ok()
}

/// `17/02/1942`, and `17/02/1942 09:30` where the value has a time.
fn show_day(value: f64, from_1904: bool) -> Option<String> {
    const LAST: f64 = 2_958_466.0;
    if !(1.0..LAST).contains(&value) {
        return None;
    }
    let (days, seconds) = (value.floor() as i64, (value.fract() * SECONDS).round() as i64);
    let (days, seconds) = if seconds >= SECONDS as i64 { (days + 1, 0) } else { (days, seconds) };
    let day = epoch(from_1904, days)?.checked_add(days.days()).ok()?;
    let text = format!("{:02}/{:02}/{:04}", day.day(), day.month(), day.year());
    Some(match seconds {
        0 => text,
        _ => format!("{text} {:02}:{:02}", seconds / 3600, seconds / 60 % 60),
    })
}

fn stored_day(text: &str, from_1904: bool) -> Option<String> {
    let (day, time) = text.split_once(' ').map_or((text, None), |(day, time)| (day, Some(time)));
    let mut parts = day.split('/');
    let (d, m, y) = (parts.next()?, parts.next()?, parts.next()?);
    let day = Date::new(y.parse().ok()?, m.parse().ok()?, d.parse().ok()?).ok()?;
    let since = |start: Date| day.since((jiff::Unit::Day, start)).ok().map(|span| i64::from(span.get_days()));
    let days = match from_1904 {
        true => since(Date::new(1904, 1, 1).ok()?)?,
        false => since(Date::new(1899, 12, 30).ok()?)
            .filter(|days| *days > 60)
            .or_else(|| since(Date::new(1899, 12, 31).ok()?))?,
    };
    if days < 1 {
        return None;
    }
    let Some(time) = time else { return Some(days.to_string()) };
    let (hours, minutes) = time.split_once(':')?;
    let time = Time::new(hours.parse().ok()?, minutes.parse().ok()?, 0, 0).ok()?;
    let at = DateTime::from_parts(day, time);
    let seconds = i64::from(at.hour()) * 3600 + i64::from(at.minute()) * 60;
    Some(format!("{}", days as f64 + seconds as f64 / SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_and_written_as_people_see_them() {
        for (raw, text, from_1904) in [
            ("15389", "17/02/1942", false),
            ("1", "01/01/1900", false),
            ("61", "01/03/1900", false),
            ("13927", "17/02/1942", true),
            ("45000.395833333336", "15/03/2023 09:30", false),
        ] {
            let (shown, form) = show(raw, NumberFormat::Day, from_1904);
            assert_eq!(shown, text);
            assert_eq!(form.raw(&shown).as_deref(), Some(raw), "{text}");
        }
        let form = Shown::Day { from_1904: false };
        for text in ["1942", "[DATE]", "30/02/1942", "17/2/1942", "17/02/1842", "février 1942"] {
            assert_eq!(form.raw(text), None, "{text}");
        }
        assert_eq!(show("0.5", NumberFormat::Day, false).0, "0.5");
        assert_eq!(show("60", NumberFormat::Day, false).0, "60");
    }

    #[test]
    fn numbers_have_all_their_digits() {
        assert_eq!(show("2.42027505612345E+14", NumberFormat::Plain, false).0, "242027505612345");
        assert_eq!(show("800417.0", NumberFormat::Plain, false).0, "800417");
        assert_eq!(show("612345678", NumberFormat::Padded(10), false).0, "0612345678");
        assert_eq!(Shown::Padded(10).raw("0712345678").as_deref(), Some("712345678"));
        assert_eq!(Shown::Padded(10).raw("07 12 34 56 78"), None);
        assert_eq!(Shown::Number.raw("12.5").as_deref(), Some("12.5"));
        for text in ["007", "[IPP]", "1e3", "inf", "NaN", "", "12,5"] {
            assert_eq!(Shown::Number.raw(text), None, "{text}");
        }
    }

    #[test]
    fn formats_are_told_by_their_codes() {
        use NumberFormat::*;
        for (code, format) in [
            ("dd/mm/yyyy", Day),
            ("[$-40C]d mmmm yyyy;@", Day),
            ("jj/mm/aaaa", Day),
            ("yyyy\\-mm\\-dd hh:mm", Day),
            ("mmm", Day),
            ("hh:mm", Plain),
            ("[h]:mm:ss", Plain),
            ("00000", Padded(5)),
            ("0#\" \"##\" \"##\" \"##\" \"##", Padded(10)),
            ("0.00", Plain),
            ("#,##0.00\" mg\"", Plain),
            ("General", Plain),
            ("0", Plain),
        ] {
            assert_eq!(NumberFormat::of_code(code), format, "{code}");
        }
    }
}
