//! Check digits and letters of the numbers that carry them, and making a drawn number valid again.

/// A checked number a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// IBAN, ISO 13616: country kept, check digits by 97.
    Iban,
    /// Spanish DNI: eight digits and a letter by 23.
    Dni,
    /// Spanish NIE: X, Y or Z, seven digits and a letter by 23.
    Nie,
    /// Spanish social security: province, eight digits, two by 97.
    Nass,
    /// Luhn: RPPS, SIREN, SIRET, FINESS, cards.
    Luhn,
}

const DNI_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

impl Check {
    /// The check that a compact value passes.
    pub(crate) fn of(value: &str) -> Option<Check> {
        [Check::Iban, Check::Dni, Check::Nie, Check::Nass, Check::Luhn].into_iter().find(|c| c.passes(value))
    }

    fn passes(self, value: &str) -> bool {
        let digits = value.bytes().all(|b| b.is_ascii_digit());
        match self {
            Check::Iban => {
                (15..=34).contains(&value.len())
                    && value.bytes().take(2).all(|b| b.is_ascii_uppercase())
                    && value.bytes().skip(2).take(2).all(|b| b.is_ascii_digit())
                    && mod97(value.bytes().skip(4).chain(value.bytes().take(4))) == 1
            }
            Check::Dni => value.len() == 9 && dni_letter(value) == value.chars().last(),
            Check::Nie => value.len() == 9 && nie_letter(value) == value.chars().last(),
            Check::Nass => {
                value.len() == 12 && digits && nass_check(&value[..10]) == value[10..].parse().ok()
            }
            Check::Luhn => (9..=19).contains(&value.len()) && digits && luhn_sum(value).is_multiple_of(10),
        }
    }

    /// `drawn` with what this check fixes taken from `original`, and its check digits computed anew.
    pub(crate) fn repair(self, original: &str, drawn: &str) -> Option<String> {
        match self {
            Check::Iban => {
                let (country, rest) = (original.get(..2)?, drawn.get(4..)?);
                let sum = mod97(rest.bytes().chain(country.bytes()).chain(*b"00"));
                Some(format!("{country}{:02}{rest}", 98 - sum))
            }
            Check::Dni => {
                let body = drawn.get(..8)?;
                Some(format!("{body}{}", dni_letter(drawn)?))
            }
            Check::Nie => {
                let drawn = format!("{}{}", original.get(..1)?, drawn.get(1..)?);
                Some(format!("{}{}", drawn.get(..8)?, nie_letter(&drawn)?))
            }
            Check::Nass => {
                let number = drawn.get(2..10)?;
                let province = drawn.get(..2)?.parse::<u32>().ok()? % 52 + 1;
                let body = format!("{province:02}{number}");
                Some(format!("{body}{:02}", nass_check(&body)?))
            }
            Check::Luhn => {
                let body = drawn.get(..drawn.len().checked_sub(1)?)?;
                let sum = luhn_sum(&format!("{body}0"));
                Some(format!("{body}{}", (10 - sum % 10) % 10))
            }
        }
    }
}

fn mod97(chars: impl Iterator<Item = u8>) -> u32 {
    chars.fold(0, |sum, b| match b {
        b'0'..=b'9' => (sum * 10 + u32::from(b - b'0')) % 97,
        _ => (sum * 100 + u32::from(b.to_ascii_uppercase().wrapping_sub(b'A')) + 10) % 97,
    })
}

fn dni_letter(value: &str) -> Option<char> {
    let number: u32 = value.get(..8).filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()?;
    Some(char::from(DNI_LETTERS[(number % 23) as usize]))
}

fn nie_letter(value: &str) -> Option<char> {
    let first = match value.as_bytes().first()? {
        b'X' => '0',
        b'Y' => '1',
        b'Z' => '2',
        _ => return None,
    };
    dni_letter(&format!("{first}{}", value.get(1..8)?))
}

fn nass_check(body: &str) -> Option<u64> {
    let province: u64 = body.get(..2)?.parse().ok()?;
    let number: u64 = body.get(2..10)?.parse().ok()?;
    let joined =
        if number < 10_000_000 { province * 10_000_000 + number } else { province * 100_000_000 + number };
    Some(joined % 97)
}

fn luhn_sum(digits: &str) -> u32 {
    digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, b)| {
            let d = u32::from(b - b'0');
            match i % 2 {
                0 => d,
                _ if d > 4 => 2 * d - 9,
                _ => 2 * d,
            }
        })
        .sum()
}

/// The French social security number (NIR): sex, year, month, department, commune, order, and a key by 97.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Nir<'a> {
    pub(crate) value: &'a str,
    /// It came with its key, and the key was right.
    pub(crate) key: NirKey,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NirKey {
    Absent,
    Right,
    Wrong,
}

impl<'a> Nir<'a> {
    /// Reads a compact value of 13 or 15 characters.
    pub(crate) fn of(value: &'a str) -> Option<Nir<'a>> {
        if !matches!(value.len(), 13 | 15) || !value.is_ascii() {
            return None;
        }
        let letters = value.bytes().enumerate().filter(|(_, b)| !b.is_ascii_digit());
        if letters.clone().any(|(i, b)| i != 6 || !matches!(b, b'A' | b'B'))
            || !matches!(value.as_bytes()[0], b'1'..=b'4' | b'7' | b'8')
        {
            return None;
        }
        let month: u32 = value[3..5].parse().ok()?;
        if !(1..=12).contains(&month) && month < 20 {
            return None;
        }
        let key = match value.get(13..15) {
            None => NirKey::Absent,
            Some(key) if key.parse() == Ok(nir_key(&value[..13])?) => NirKey::Right,
            Some(_) => NirKey::Wrong,
        };
        Some(Nir { value, key })
    }

    /// Year within its century, and month when it is a true one.
    pub(crate) fn born(&self) -> (i16, Option<i8>) {
        let year = self.value[1..3].parse().unwrap_or(0);
        let month = self.value[3..5].parse().ok().filter(|m| (1..=12).contains(m));
        (year, month)
    }

    /// Department as written: two characters, `2A`, `97`.
    pub(crate) fn department(&self) -> &'a str {
        &self.value[5..7]
    }
}

/// The key of the first 13 characters of a NIR.
pub(crate) fn nir_key(body: &str) -> Option<u32> {
    let number: u64 = match body.as_bytes().get(6)? {
        b'A' => format!("{}0{}", &body[..6], &body[7..]).parse::<u64>().ok()?.checked_sub(1_000_000)?,
        b'B' => format!("{}0{}", &body[..6], &body[7..]).parse::<u64>().ok()?.checked_sub(2_000_000)?,
        _ => body.parse().ok()?,
    };
    Some(97 - (number % 97) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_numbers_pass_and_their_neighbours_do_not() {
        for (value, check) in [
            ("ES9121000418450200051332", Check::Iban),
            ("12345678Z", Check::Dni),
            ("X1234567L", Check::Nie),
            ("280812345688", Check::Nass),
        ] {
            assert_eq!(Check::of(value), Some(check), "{value}");
        }
        assert_eq!(Check::of("12345678A"), None);
        assert_eq!(Check::of("ES9121000418450200051333"), None);
    }

    #[test]
    fn nir_keys() {
        assert_eq!(Nir::of("255081416802538").unwrap().key, NirKey::Right);
        assert_eq!(Nir::of("255081416802539").unwrap().key, NirKey::Wrong);
        assert_eq!(Nir::of("2550814168025").unwrap().key, NirKey::Absent);
        // Corsica: A stands for 0 less a million, B for 0 less two.
        assert_eq!(nir_key("1850520041025").map(|k| k > 0), Some(true));
        let body = "185052A004102";
        let as_number = 1_850_520_004_102u64 - 1_000_000;
        assert_eq!(nir_key(body), Some(97 - (as_number % 97) as u32));
        assert!(Nir::of("995081416802538").is_none());
    }
}
