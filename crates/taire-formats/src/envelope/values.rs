//! Values of envelopes in a form that detectors and surrogates read, and back: dates as days, object identifiers as
//! numbers, lines of an address.

/// How a date is written in an envelope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stamp {
    /// `20210315`, as HL7 writes it.
    Digits,
    /// `2021-03-15`, as FHIR writes it.
    Iso,
    /// `2021-03-15T00:00:00Z`: the time may not be left out.
    Instant,
}

/// A date as it is shown in the text, and whether it had a time of day, which is not kept.
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) had_time: bool,
}

/// Shows `20210315093000+0100` or `2021-03-15T09:30:00Z` as `15/03/2021`; `None` if it is no date.
pub(crate) fn show_date(value: &str) -> Option<Shown> {
    let value = value.trim();
    let digits =
        |at: std::ops::Range<usize>| value.get(at).filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
    let iso = value.as_bytes().get(4) == Some(&b'-');
    let year = digits(0..4)?;
    let (month_at, day_at, end) = if iso { (5..7, 8..10, 10) } else { (4..6, 6..8, 8) };
    let rest = |from: usize| value.get(from..).unwrap_or_default();
    if rest(4).is_empty() {
        return Some(Shown { text: year.into(), had_time: false });
    }
    let month = digits(month_at.clone()).filter(|m| ("01"..="12").contains(m))?;
    if rest(month_at.end).is_empty() {
        return Some(Shown { text: format!("{month}/{year}"), had_time: false });
    }
    if iso && value.as_bytes().get(7) != Some(&b'-') {
        return None;
    }
    let day = digits(day_at).filter(|d| ("01"..="31").contains(d))?;
    jiff::civil::Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()?;
    let time = rest(end);
    let sound = time.is_empty() || (time.is_ascii() && time.len() <= 24);
    sound.then(|| Shown { text: format!("{day}/{month}/{year}"), had_time: !time.is_empty() })
}

/// The day a shown date stands for.
pub(crate) fn day_of(value: &str) -> Option<jiff::civil::Date> {
    let shown = show_date(value)?.text;
    let mut parts = shown.split('/').rev();
    let date = (parts.next()?, parts.next()?, parts.next()?);
    jiff::civil::Date::new(date.0.parse().ok()?, date.1.parse().ok()?, date.2.parse().ok()?).ok()
}

/// Writes a shown date back; `None` if what replaced it is no date.
pub(crate) fn write_date(shown: &str, stamp: Stamp) -> Option<String> {
    let parts: Vec<&str> = shown.trim().split('/').collect();
    let number = |part: &str, len: usize| part.len() == len && part.bytes().all(|b| b.is_ascii_digit());
    let sound = match parts.as_slice() {
        [year] => number(year, 4),
        [month, year] => number(month, 2) && number(year, 4),
        [day, month, year] => number(day, 2) && number(month, 2) && number(year, 4),
        _ => false,
    };
    if !sound || (stamp == Stamp::Instant && parts.len() < 3) {
        return None;
    }
    let parts: Vec<&str> = parts.into_iter().rev().collect();
    Some(match stamp {
        Stamp::Digits => parts.concat(),
        Stamp::Iso => parts.join("-"),
        Stamp::Instant => format!("{}T00:00:00Z", parts.join("-")),
    })
}

/// How an identifier of an object is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectId {
    Uuid,
    Oid,
}

/// The digits of a UUID or an OID, to be replaced as a number.
pub(crate) fn show_object(value: &str) -> Option<(String, ObjectId)> {
    const MOST: usize = 36;
    let hex: String = value.chars().filter(|c| *c != '-').collect();
    if hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        let number = u128::from_str_radix(&hex, 16).ok()?;
        return Some((tail(&format!("{number:039}"), MOST).to_owned(), ObjectId::Uuid));
    }
    let oid = value.contains('.') && value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if !oid || value.len() > 256 {
        return None;
    }
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    (!digits.is_empty()).then(|| (tail(&digits, MOST).to_owned(), ObjectId::Oid))
}

fn tail(text: &str, most: usize) -> &str {
    &text[text.len().saturating_sub(most)..]
}

/// A UUID or OID made of the digits that stand for it; `None` if these are no digits.
pub(crate) fn write_object(shown: &str, kind: ObjectId) -> Option<String> {
    let number: u128 = shown.trim().parse().ok()?;
    Some(match kind {
        // The arc of identifiers that need no registration.
        ObjectId::Oid => format!("2.25.{number}"),
        ObjectId::Uuid => {
            let hex = format!("{number:032x}");
            format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
        }
    })
}

/// Splits a street into its number and its name.
pub(crate) fn split_street(street: &str) -> (&str, &str) {
    match street.trim().split_once(' ') {
        Some((number, name)) if number.starts_with(|c: char| c.is_ascii_digit()) => (number, name),
        _ => ("", street.trim()),
    }
}

/// Whether a value is a code: short, of the characters codes are made of.
pub(crate) fn is_code(value: &str) -> bool {
    value.len() <= 100
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b" .-_/:;+^*%{}[]()<>=,~".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_go_and_come_back_as_days() {
        for (value, shown, back) in [
            ("19521104", "04/11/1952", "19521104"),
            ("20210315093000+0100", "15/03/2021", "20210315"),
            ("195211", "11/1952", "195211"),
            ("1952", "1952", "1952"),
        ] {
            let read = show_date(value).unwrap();
            assert_eq!(read.text, shown);
            assert_eq!(write_date(&read.text, Stamp::Digits).unwrap(), back);
        }
        assert_eq!(show_date("2021-03-15T09:30:00Z").unwrap().text, "15/03/2021");
        assert_eq!(write_date("15/03/2021", Stamp::Instant).unwrap(), "2021-03-15T00:00:00Z");
        for bad in ["", "Dupont", "20211301", "2021-3-1", "20210230", "19é2"] {
            assert!(show_date(bad).is_none(), "{bad}");
        }
        for bad in ["[DATE]", "", "5/3/2021", "1952/11"] {
            assert!(write_date(bad, Stamp::Iso).is_none(), "{bad}");
        }
        assert!(write_date("2021", Stamp::Instant).is_none());
    }

    #[test]
    fn object_identifiers_become_others_of_their_kind() {
        let (digits, kind) = show_object("1.2.250.1.213.1.1.9.4567").unwrap();
        assert_eq!((digits.as_str(), kind), ("1225012131194567", ObjectId::Oid));
        assert_eq!(write_object("0099", kind).unwrap(), "2.25.99");
        let (digits, kind) = show_object("6f9619ff-8b86-d011-b42d-00cf4fc964ff").unwrap();
        assert_eq!(digits.len(), 36);
        let uuid = write_object(&digits.replace('1', "7"), kind).unwrap();
        assert!(show_object(&uuid).is_some_and(|(_, kind)| kind == ObjectId::Uuid), "{uuid}");
        assert!(show_object("Dupont").is_none() && write_object("[ID]", kind).is_none());
    }

    #[test]
    fn streets_split_at_their_number() {
        assert_eq!(split_street("12bis rue des Lilas"), ("12bis", "rue des Lilas"));
        assert_eq!(split_street("Le Bourg"), ("", "Le Bourg"));
    }
}
