//! Identifiers: same shape, another value, valid again where the original was.
//!
//! A number is keyed by its letters and digits alone, so that it maps to the same surrogate in any layout and under
//! any label. Digits stay digits, letters stay letters, everything else is kept in place.

use crate::key::{Draw, Purpose, Scope, Streams};
use crate::national::Check;

/// The letters and digits of a text, letters in capitals.
pub(crate) fn compact(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_uppercase()).collect()
}

/// Puts the letters and digits of `filling` where `layout` has its own, with the case `layout` has.
/// `None` if `layout` asks for more characters than there are, or fewer.
pub(crate) fn lay_out(filling: &str, layout: &str) -> Option<String> {
    let mut filling = filling.chars();
    let mut out = String::with_capacity(layout.len());
    for c in layout.chars() {
        if c.is_ascii_alphanumeric() {
            let f = filling.next()?;
            out.push(if c.is_ascii_lowercase() { f.to_ascii_lowercase() } else { f });
        } else {
            out.push(c);
        }
    }
    filling.next().is_none().then_some(out)
}

/// Same classes of characters as `value`, drawn anew. A leading zero stays one.
pub(crate) fn like(value: &str, draw: &mut Draw) -> String {
    value
        .chars()
        .enumerate()
        .map(|(i, c)| match c {
            '0' if i == 0 && value.len() > 1 => '0',
            '1'..='9' if i == 0 && value.len() > 1 => char::from(b'1' + draw.below(9) as u8),
            '0'..='9' => draw.digit(),
            'A'..='Z' => draw.letter(),
            other => other,
        })
        .collect()
}

/// A surrogate of an identifier, in the layout of the original. `avoid` holds compact values that must not come out.
/// `None` when the text holds no letter or digit, or other letters than A to Z.
pub(crate) fn surrogate(streams: &Streams, scope: Scope<'_>, text: &str, avoid: &[String]) -> Option<String> {
    let value = compact(text);
    if value.is_empty() || text.chars().any(|c| c.is_alphanumeric() && !c.is_ascii()) {
        return None;
    }
    let check = Check::of(&value);
    let mut draw = streams.draw(Purpose::Number, scope, &value);
    for _ in 0..64 {
        let mut drawn = like(&value, &mut draw);
        if let Some(check) = check {
            drawn = check.repair(&value, &drawn)?;
        }
        if drawn != value && !avoid.contains(&drawn) {
            return lay_out(&drawn, text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::test_streams;

    fn make(text: &str) -> String {
        surrogate(&test_streams(3), Scope::Patient("p"), text, &[]).unwrap()
    }

    #[test]
    fn layout_is_kept_and_does_not_change_the_value() {
        let (a, b) = (make("80 12-345/678"), make("8012345678"));
        assert_eq!(compact(&a), compact(&b));
        assert_ne!(b, "8012345678");
        assert_eq!(a.as_bytes()[2], b' ');
        assert_eq!(a.as_bytes()[9], b'/');
        let plate = make("ab-123-CD");
        assert!(plate[..2].chars().all(|c| c.is_ascii_lowercase()), "{plate}");
        assert!(plate[7..].chars().all(|c| c.is_ascii_uppercase()), "{plate}");
    }

    #[test]
    fn what_was_valid_is_valid_again() {
        for valid in ["10003427878", "12345678Z", "X1234567L", "FR7630006000011234567890189", "280812345688"]
        {
            assert!(Check::of(valid).is_some(), "{valid}");
            let other = make(valid);
            assert!(Check::of(&other).is_some(), "{valid} gave {other}");
        }
    }

    #[test]
    fn values_to_avoid_do_not_come_out() {
        let streams = test_streams(3);
        let scope = Scope::Corpus;
        let avoid: Vec<_> = (0..10).filter(|d| *d != 4 && *d != 7).map(|d| d.to_string()).collect();
        assert_eq!(surrogate(&streams, scope, "7", &avoid).unwrap(), "4");
        assert_eq!(surrogate(&streams, scope, "Ж12", &[]), None);
    }
}
