//! Dates beside documents: read in the forms tables hold them, printed back in the same form.

use jiff::civil::Date;

/// How a date was written, so that a surrogate is written alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum DateShape {
    #[default]
    Iso,
    /// 12/02/2020 with its separator.
    DayFirst(char),
    /// 20200212
    Compact,
}

/// Reads a date in any of the forms that tables hold.
pub fn read(text: &str) -> Option<Date> {
    parse(text).map(|(date, _)| date)
}

/// Reads `2020-02-12` (a time may follow), `12/02/2020`, `12.02.2020`, `12-02-2020` or `20200212`.
pub(crate) fn parse(text: &str) -> Option<(Date, DateShape)> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let number = |part: &str| -> Option<i16> {
        (!part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse().ok())?
    };
    let date = |y: &str, m: &str, d: &str| {
        Date::new(number(y)?, i8::try_from(number(m)?).ok()?, i8::try_from(number(d)?).ok()?).ok()
    };
    if !text.is_ascii() {
        return None;
    }
    if bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-' {
        let rest = &bytes[10..];
        if rest.is_empty() || matches!(rest[0], b'T' | b' ') {
            return Some((date(&text[..4], &text[5..7], &text[8..10])?, DateShape::Iso));
        }
    }
    if bytes.len() >= 10
        && matches!(bytes[2], b'/' | b'.' | b'-')
        && bytes[5] == bytes[2]
        && (bytes.len() == 10 || bytes[10] == b' ')
    {
        let shape = DateShape::DayFirst(bytes[2] as char);
        return Some((date(&text[6..10], &text[3..5], &text[..2])?, shape));
    }
    if bytes.len() == 8 {
        return Some((date(&text[..4], &text[4..6], &text[6..])?, DateShape::Compact));
    }
    None
}

pub(crate) fn print(date: Date, shape: DateShape) -> String {
    let (y, m, d) = (date.year(), date.month(), date.day());
    match shape {
        DateShape::Iso => format!("{y:04}-{m:02}-{d:02}"),
        DateShape::DayFirst(sep) => format!("{d:02}{sep}{m:02}{sep}{y:04}"),
        DateShape::Compact => format!("{y:04}{m:02}{d:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_come_back() {
        for text in ["2020-02-12", "12/02/2020", "12.02.2020", "12-02-2020", "20200212"] {
            let (date, shape) = parse(text).unwrap();
            assert_eq!(date, Date::constant(2020, 2, 12));
            assert_eq!(print(date, shape), text);
        }
        assert_eq!(parse("2020-02-12T10:30:00Z").unwrap().0, Date::constant(2020, 2, 12));
        for text in ["", "2020", "31/02/2020", "2020-13-01", "12 mai 2020", "é020-02-12", "+1/02/2020"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
