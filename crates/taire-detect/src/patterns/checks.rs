//! Check digits and letters of the identifiers both countries issue.
//!
//! Each function takes the characters of the number without separators and says whether its control agrees.

fn digits(s: &[u8]) -> Option<u64> {
    s.iter().try_fold(0u64, |n, b| {
        b.is_ascii_digit().then(|| n.checked_mul(10)?.checked_add(u64::from(b - b'0'))).flatten()
    })
}

/// Whether 13 characters have the layout of a French NIR: sex, year, month (with the codes 20–42 and 50–99 given
/// when the month is unknown), department (Corsica `2A`/`2B`, overseas), commune, rank.
pub(super) fn nir_layout(s: &[u8]) -> bool {
    let [sex, rest @ ..] = s else { return false };
    if rest.len() < 12 || !matches!(sex, b'1'..=b'4' | b'7' | b'8') {
        return false;
    }
    let number = |a: usize, b: usize| digits(&s[a..b]);
    let month = number(3, 5).is_some_and(|m| matches!(m, 1..=12 | 20..=42 | 50..=99));
    let department = matches!(&s[5..7], b"2A" | b"2B") || number(5, 7).is_some_and(|d| d != 0);
    number(1, 3).is_some() && month && department && number(7, 13).is_some()
}

/// The key of a French NIR of 15 characters.
pub(super) fn nir(s: &[u8]) -> bool {
    if s.len() != 15 || !nir_layout(s) {
        return false;
    }
    let (mut body, mut corsica) = ([0u8; 13], 0);
    body.copy_from_slice(&s[..13]);
    match body[6] {
        b'A' => (body[6], corsica) = (b'0', 1_000_000),
        b'B' => (body[6], corsica) = (b'0', 2_000_000),
        _ => {}
    }
    match (digits(&body), digits(&s[13..])) {
        (Some(n), Some(key)) => 97 - (n - corsica) % 97 == key,
        _ => false,
    }
}

/// Luhn's sum, as RPPS numbers and bank cards use it.
pub(super) fn luhn(s: &[u8]) -> bool {
    let mut sum = 0;
    for (i, b) in s.iter().rev().enumerate() {
        if !b.is_ascii_digit() {
            return false;
        }
        let d = u32::from(b - b'0') * if i % 2 == 1 { 2 } else { 1 };
        sum += d / 10 + d % 10;
    }
    !s.is_empty() && sum % 10 == 0
}

/// A Spanish social security number (NASS) of 12 digits: province, number, remainder by 97.
pub(super) fn nass(s: &[u8]) -> bool {
    if s.len() != 12 {
        return false;
    }
    let (Some(province), Some(number), Some(key)) = (digits(&s[..2]), digits(&s[2..10]), digits(&s[10..]))
    else {
        return false;
    };
    let whole =
        if number < 10_000_000 { number + province * 10_000_000 } else { number + province * 100_000_000 };
    (1..=66).contains(&province) && whole % 97 == key
}

const DNI_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// A Spanish DNI (8 digits and a letter) or NIE (X, Y or Z, 7 digits and a letter).
pub(super) fn dni(s: &[u8]) -> bool {
    if s.len() != 9 {
        return false;
    }
    let mut body = [0u8; 8];
    body.copy_from_slice(&s[..8]);
    match body[0].to_ascii_uppercase() {
        b'X' => body[0] = b'0',
        b'Y' => body[0] = b'1',
        b'Z' => body[0] = b'2',
        _ => {}
    }
    digits(&body).is_some_and(|n| DNI_LETTERS[(n % 23) as usize] == s[8].to_ascii_uppercase())
}

/// A Spanish CIF: letter, 7 digits, control digit or letter.
pub(super) fn cif(s: &[u8]) -> bool {
    if s.len() != 9 || !b"ABCDEFGHJNPQRSUVW".contains(&s[0].to_ascii_uppercase()) {
        return false;
    }
    let mut sum = 0;
    for (i, b) in s[1..8].iter().enumerate() {
        if !b.is_ascii_digit() {
            return false;
        }
        let d = u32::from(b - b'0');
        sum += if i % 2 == 0 { d * 2 / 10 + d * 2 % 10 } else { d };
    }
    let control = (10 - sum % 10) % 10;
    match s[8] {
        b @ b'0'..=b'9' => u32::from(b - b'0') == control,
        b => b"JABCDEFGHI"[control as usize] == b.to_ascii_uppercase(),
    }
}

/// An IBAN: ISO 7064 mod 97-10 over country, check digits and account.
pub(super) fn iban(s: &[u8]) -> bool {
    if !(15..=34).contains(&s.len()) || !s[..2].iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    let mut rest = 0u32;
    for b in s[4..].iter().chain(&s[..4]) {
        rest = match b.to_ascii_uppercase() {
            d @ b'0'..=b'9' => rest * 10 + u32::from(d - b'0'),
            l @ b'A'..=b'Z' => rest * 100 + u32::from(l - b'A') + 10,
            _ => return false,
        } % 97;
    }
    rest == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_good_numbers_pass_and_a_changed_digit_fails() {
        // Numbers worked out by hand from the published rules, none of a real person.
        type Check = fn(&[u8]) -> bool;
        let good: &[(Check, &str)] = &[
            (nir, "255081416802538"),
            (nir, "185052A00412356"),
            (luhn, "10003456786"),
            (luhn, "4539578763621486"),
            (nass, "280000000192"),
            (dni, "12345678Z"),
            (dni, "X1234567L"),
            (cif, "A58818501"),
            (iban, "FR1420041010050500013M02606"),
            (iban, "ES9121000418450200051332"),
        ];
        for &(check, number) in good {
            assert!(check(number.as_bytes()), "{number} should pass");
            let mut bad = number.as_bytes().to_vec();
            bad[7] = if bad[7] == b'9' { b'0' } else { bad[7] + 1 };
            assert!(!check(&bad), "{number} with one digit changed should fail");
        }
    }

    #[test]
    fn a_nir_needs_a_month_and_a_department() {
        assert!(nir_layout(b"1791067919538"));
        assert!(nir_layout(b"2857899123456"));
        assert!(!nir_layout(b"1791367919538"));
        assert!(!nir_layout(b"1791000919538"));
        assert!(!nir_layout(b"9791067919538"));
    }
}
