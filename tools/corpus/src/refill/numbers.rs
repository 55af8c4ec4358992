//! New numbers and codes in the old grouping; check digits that held still hold.

use taire_text::fold;

use super::Redraw;
use super::stock::KeptWords;
use super::words::{cased_like, pieces};

const SPOKEN: [&[&str]; 2] = [
    &["zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"],
    &["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"],
];

/// The digits of a text, letters left out.
fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Writes digits over the digits of a text.
fn overwrite(text: &str, digits: &str) -> String {
    let mut digits = digits.chars();
    text.chars().map(|c| if c.is_ascii_digit() { digits.next().unwrap_or(c) } else { c }).collect()
}

/// Letters that scanners read for digits.
fn is_misread(word: &str) -> bool {
    word.chars().all(|c| matches!(c, 'O' | 'o' | 'l' | 'I' | 'S' | 'B' | 'Z') || c.is_ascii_digit())
}

impl Redraw {
    /// Other digits, as many; a leading zero stays, a leading other digit stays one.
    pub(super) fn digits_like(&mut self, old: &str) -> String {
        let mut out = String::with_capacity(old.len());
        let mut first = true;
        for c in old.chars() {
            if !c.is_ascii_digit() {
                out.push(c);
                continue;
            }
            out.push(match (first, c) {
                (true, '0') => '0',
                (true, _) => char::from(b'1' + self.rng.below(9) as u8),
                _ => self.rng.digit(),
            });
            first = false;
        }
        out
    }

    /// Other letters: vowels for vowels, consonants for consonants.
    pub(super) fn letters_like(&mut self, old: &str) -> String {
        let letters = old.chars().map(|c| {
            let folded = fold(&c.to_string());
            let new = match folded.as_str() {
                "a" | "e" | "i" | "o" | "u" => self.rng.pick(&["A", "E", "I", "O", "U"]),
                f if f.chars().all(|c| c.is_ascii_alphabetic()) => {
                    self.rng.pick(&["B", "C", "D", "F", "G", "H", "L", "M", "N", "P", "R", "S", "T", "V"])
                }
                _ => return c.to_string(),
            };
            if c.is_lowercase() { new.to_lowercase() } else { new.to_owned() }
        });
        letters.collect()
    }

    /// Any number or code, name of a file, login.
    pub(super) fn identifier(&mut self, old: &str) -> String {
        if let Some(new) = self.checked(old) {
            return new;
        }
        let has_digits = old.chars().any(|c| c.is_ascii_digit());
        let mut out = String::with_capacity(old.len() + 8);
        for part in pieces(old) {
            if !part.is_word {
                out.push_str(part.text);
                continue;
            }
            out.push_str(&self.code_word(part.text, has_digits));
        }
        out
    }

    fn code_word(&mut self, word: &str, has_digits: bool) -> String {
        let folded = fold(word);
        if let Ok(year @ 1900..=2035) = word.parse::<i32>()
            && word.len() == 4
        {
            return (year + self.weeks / 52).clamp(1900, 2035).to_string();
        }
        if word.chars().all(|c| c.is_ascii_digit()) || (has_digits && is_misread(word)) {
            return self.digits_like(word);
        }
        if let Some(new) = self.address_word(&folded) {
            return cased_like(&new, word);
        }
        if let Some(spelt_out) = self.spelt_out(word, &folded) {
            return spelt_out;
        }
        if word.chars().any(|c| c.is_ascii_digit()) {
            let with_digits = self.digits_like(word);
            return if self.rng.percent(60) { self.code_letters(&with_digits) } else { with_digits };
        }
        let facts = self.stock.lexicon.facts(&folded);
        let word_like =
            facts.word_class() > 0 || facts.is_medical() || self.stock.is_kept(KeptWords::Contact, &folded);
        match word.chars().count() {
            1..=3 if self.rng.percent(65) => self.code_letters(word),
            1..=3 => word.to_owned(),
            _ if word_like => word.to_owned(),
            _ => self.letters_like(word),
        }
    }

    fn code_letters(&mut self, word: &str) -> String {
        let letters = word.chars().map(|c| match c {
            'A'..='Z' => self.rng.letter(),
            'a'..='z' => self.rng.letter().to_ascii_lowercase(),
            other => other,
        });
        letters.collect()
    }

    /// `six six un sept`: a number read aloud.
    fn spelt_out(&mut self, word: &str, folded: &str) -> Option<String> {
        let list = SPOKEN[usize::from(self.stock.language == taire_text::Language::Es)];
        list.iter().any(|w| fold(w) == folded).then(|| cased_like(self.rng.pick(list), word))
    }

    /// Telephone numbers keep what says where they ring: the country, the area, mobile or not.
    pub(super) fn phone(&mut self, old: &str) -> String {
        let digits = digits_of(old);
        let kept = match digits.len() {
            0 => return self.identifier(old),
            _ if old.trim_start().starts_with('+') || old.starts_with("(+") => 3,
            13.. if digits.starts_with("00") => 5,
            10 if digits.starts_with('0') => 2,
            9 => 1,
            _ => 0,
        };
        let mut new: String = digits[..kept].to_owned();
        while new.len() < digits.len() {
            let digit = self.rng.digit();
            if !(new.is_empty() && digit == '0' && !digits.starts_with('0')) {
                new.push(digit);
            }
        }
        overwrite(old, &new)
    }

    pub(super) fn ip(&mut self, old: &str) -> String {
        let octets: Vec<&str> = old.split('.').collect();
        if octets.len() != 4 || octets.iter().any(|o| o.parse::<u8>().is_err()) {
            return self.identifier(old);
        }
        let head = if matches!(octets[0], "10" | "172" | "192" | "127") { 2 } else { 0 };
        let new: Vec<String> = octets
            .iter()
            .enumerate()
            .map(|(i, o)| if i < head { (*o).to_owned() } else { self.rng.between(1, 254).to_string() })
            .collect();
        new.join(".")
    }

    /// A French number keeps its sex and stays a possible birth; other numbers are numbers.
    pub(super) fn social_security(&mut self, old: &str) -> String {
        let digits = digits_of(old);
        let french = matches!(digits.len(), 13 | 15)
            && digits.starts_with(['1', '2'])
            && !old.contains(['A', 'B', '/']);
        if !french {
            return self.identifier(old);
        }
        let body = format!(
            "{}{:02}{:02}{:02}{:03}{:03}",
            &digits[..1],
            self.rng.below(100),
            self.rng.between(1, 12),
            if self.rng.one_in(12) { 99 } else { self.rng.between(1, 95) },
            self.rng.between(1, 480),
            self.rng.between(1, 600)
        );
        let key = |body: &str| format!("{:02}", 97 - body.parse::<u64>().unwrap_or(0) % 97);
        let end = match digits.get(13..) {
            Some("") | None => String::new(),
            Some(end) if end == key(&digits[..13]) => key(&body),
            Some(_) => self.rng.digits(2),
        };
        overwrite(old, &format!("{body}{end}"))
    }

    /// A Spanish identity number or an account number with its check digits; `None` if it is neither.
    fn checked(&mut self, old: &str) -> Option<String> {
        const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
        let plain: String = old.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        let bytes = plain.as_bytes();
        if bytes.len() == 9 && bytes[..8].iter().all(u8::is_ascii_digit) {
            let value: usize = plain[..8].parse().ok()?;
            if LETTERS[value % 23] == bytes[8] {
                let value = self.rng.between(1_000_000, 79_999_999);
                let with_digits = overwrite(old, &format!("{value:08}"));
                let at = with_digits.rfind(char::is_alphabetic)?;
                let letter = char::from(LETTERS[value % 23]).to_string();
                return Some(format!("{}{letter}{}", &with_digits[..at], &with_digits[at + 1..]));
            }
        }
        let iban = bytes.len() >= 15
            && bytes[..2].iter().all(u8::is_ascii_uppercase)
            && bytes[2..].iter().all(u8::is_ascii_digit);
        if iban {
            let mut body = self.rng.digits(bytes.len() - 4);
            if bytes[4] != b'0' && body.starts_with('0') {
                body.replace_range(..1, "1");
            }
            let check = if iban_remainder(&plain[..2], &plain[2..4], &plain[4..]) == 1 {
                format!("{:02}", 98 - iban_remainder(&plain[..2], "00", &body))
            } else {
                self.rng.digits(2)
            };
            return Some(overwrite(old, &format!("{check}{body}")));
        }
        None
    }
}

/// ISO 13616: the account number moved before the country and check digits, letters as numbers, modulo 97.
fn iban_remainder(country: &str, check: &str, body: &str) -> u64 {
    let digits = format!("{body}{country}{check}");
    digits.chars().fold(0, |rest, c| match c.to_digit(36) {
        Some(n @ 10..) => (rest * 100 + u64::from(n)) % 97,
        Some(n) => (rest * 10 + u64::from(n)) % 97,
        None => rest,
    })
}
