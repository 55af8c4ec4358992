//! Telephones, identifiers and other numbers, in the groupings people type.

use taire_text::Language;

use crate::rng::Rng;

/// Digits cut into groups: `grouped("0123456789", &[2, 2, 2, 2, 2], ".")`.
fn grouped(digits: &str, groups: &[usize], separator: &str) -> String {
    let mut out = String::new();
    let mut rest = digits;
    for &size in groups {
        let (group, after) = rest.split_at(size.min(rest.len()));
        if !out.is_empty() && !group.is_empty() {
            out.push_str(separator);
        }
        out.push_str(group);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn spread(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().filter(|c| *c != ' ') {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

pub(crate) fn phone(rng: &mut Rng, language: Language) -> String {
    match language {
        Language::Fr => french_phone(rng),
        Language::Es => spanish_phone(rng),
    }
}

fn french_phone(rng: &mut Rng) -> String {
    let area = rng.pick(&["1", "1", "2", "3", "4", "5", "6", "6", "7", "9"]);
    let rest = rng.digits(8);
    let national = format!("0{area}{rest}");
    let pairs = &[2, 2, 2, 2, 2];
    match rng.below(100) {
        0..26 => grouped(&national, pairs, " "),
        26..44 => grouped(&national, pairs, "."),
        44..52 => grouped(&national, pairs, "-"),
        52..54 => grouped(&national, pairs, "/"),
        54..70 => national,
        70..74 => format!("+33 {}", grouped(&national[1..], &[1, 2, 2, 2, 2], " ")),
        74..78 => format!("+33{}", &national[1..]),
        78..80 => format!("+33 (0){}", grouped(&national[1..], &[1, 2, 2, 2, 2], rng.pick(&[" ", ".", ""]))),
        80..82 => format!("+33{national}"),
        82..84 => format!("0033{}", grouped(&national[1..], &[1, 2, 2, 2, 2], rng.pick(&[" ", ""]))),
        84..86 => {
            format!("(33){}{}", rng.pick(&[" ", ""]), grouped(&national, pairs, rng.pick(&[" ", ".", ""])))
        }
        86..88 => format!("(33){}", &national[1..]),
        88..90 => {
            let groups: &[usize] = if rng.percent(50) { &[2, 4, 4] } else { &[4, 2, 2, 2] };
            grouped(&national, groups, rng.pick(&[" ", "."]))
        }
        90..94 => spread(&national),
        94..96 => spread(&grouped(&national, pairs, rng.pick(&["-", "."]))),
        96 => spread(&format!("+33{}", &national[1..])),
        97 => spread(&format!("(33){}", &national[1..])),
        98 => format!("{}/{}", grouped(&national, pairs, rng.pick(&[".", " "])), rng.digits(2)),
        _ => grouped(&national, &[2, 2, 2, 4], " "),
    }
}

fn spanish_phone(rng: &mut Rng) -> String {
    let head = rng.pick(&["91", "93", "95", "96", "98", "6", "6", "6", "7", "8"]);
    let number = format!("{head}{}", rng.digits(9 - head.len()));
    match rng.below(100) {
        0..34 => number,
        34..56 => grouped(&number, &[3, 2, 2, 2], " "),
        56..72 => grouped(&number, &[3, 3, 3], " "),
        72..78 => grouped(&number, &[3, 2, 2, 2], rng.pick(&[".", "-"])),
        78..82 => grouped(&number, &[3, 6], rng.pick(&["-", " "])),
        82..88 => format!("+34 {}", grouped(&number, &[3, 3, 3], rng.pick(&[" ", ""]))),
        88..91 => format!("(+34) {}", grouped(&number, &[3, 2, 2, 2], " ")),
        91..93 => format!("0034{number}"),
        93..95 => grouped(&number, &[2, 3, 2, 2], " "),
        95..97 => format!("({}) {}", &number[..2], grouped(&number[2..], &[3, 2, 2], " ")),
        _ => spread(&number),
    }
}

/// A French social security number of 13 digits, or 15 with its key.
pub(crate) fn nir(rng: &mut Rng, female: bool, year: i16, month: i8) -> String {
    let department = match rng.below(40) {
        0 => "2A".to_owned(),
        1 => "2B".to_owned(),
        2 => "99".to_owned(),
        _ => format!("{:02}", rng.between(1, 95)),
    };
    let body = format!(
        "{}{:02}{month:02}{department}{:03}{:03}",
        if female { 2 } else { 1 },
        year.rem_euclid(100),
        rng.between(1, 480),
        rng.between(1, 600)
    );
    let key = rng.percent(35).then(|| key_of(&body));
    let whole = format!("{body}{}", key.as_deref().unwrap_or_default());
    match rng.below(100) {
        0..22 => whole,
        22..42 => grouped(&whole, &[1, 2, 2, 2, 3, 3, 2], " "),
        42..46 => grouped(&whole, &[1, 2, 2, 2, 3, 3, 2], rng.pick(&["-", "."])),
        46..70 => spread(&whole),
        70..74 => match key {
            Some(key) => format!("{body}{}{key}", rng.pick(&["/", " / ", " clé "])),
            None => grouped(&whole, &[1, 2, 2, 2, 3, 3], " "),
        },
        _ => {
            let mut groups = vec![rng.pick(&[&[1][..], &[3], &[5], &[7]])[0]];
            while groups.iter().sum::<usize>() < whole.len() {
                groups.push(rng.between(2, 5));
            }
            grouped(&whole, &groups, " ")
        }
    }
}

fn key_of(body: &str) -> String {
    let plain = body.replace("2A", "19").replace("2B", "18");
    let value: u64 = plain.parse().unwrap_or_default();
    format!("{:02}", 97 - value % 97)
}

/// The Spanish number of affiliation to social security.
pub(crate) fn nass(rng: &mut Rng) -> String {
    let number = format!("{:02}{}", rng.between(1, 52), rng.digits(10));
    match rng.below(5) {
        0 => grouped(&number, &[2, 8, 2], " "),
        1 => grouped(&number, &[2, 8, 2], "/"),
        2 => grouped(&number, &[2, 10], rng.pick(&["-", " ", "/"])),
        _ => number,
    }
}

pub(crate) fn dni(rng: &mut Rng) -> String {
    const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let letter = |value: usize| char::from(LETTERS[value % 23]);
    if rng.one_in(8) {
        let first = rng.below(3);
        let digits = rng.digits(7);
        let value = format!("{first}{digits}").parse().unwrap_or(0);
        let separator = rng.pick(&["", "", "-"]);
        return format!("{}{separator}{digits}{separator}{}", ["X", "Y", "Z"][first], letter(value));
    }
    let value = rng.between(1_000_000, 79_999_999);
    let digits = format!("{value:08}");
    match rng.below(5) {
        0 => format!("{digits}-{}", letter(value)),
        1 => format!("{}.{}.{}-{}", &digits[..2], &digits[2..5], &digits[5..], letter(value)),
        2 => format!("{digits} {}", letter(value)),
        _ => format!("{digits}{}", letter(value)),
    }
}

pub(crate) fn patient_id(rng: &mut Rng, language: Language) -> String {
    match (language, rng.below(20)) {
        (Language::Fr, 0) => format!("N{}", rng.digits(8)),
        (Language::Fr, 1) => grouped(&rng.digits(10), &[1, 3, 3, 3], " "),
        (Language::Fr, 2..5) => rng.digits(8),
        (Language::Fr, 5..8) => rng.digits(9),
        (Language::Fr, 8) => rng.digits(7),
        (Language::Fr, _) => format!("8{}", rng.digits(9)),
        (Language::Es, 0) => format!("{}-{}", rng.digits(4), rng.digits(4)),
        (Language::Es, 1) => format!("{}{}", rng.letter(), rng.digits(7)),
        (Language::Es, 2..9) => rng.digits(6),
        (Language::Es, 9..14) => rng.digits(7),
        (Language::Es, _) => rng.digits(8),
    }
}

pub(crate) fn visit(rng: &mut Rng, language: Language) -> String {
    match (language, rng.below(10)) {
        (Language::Fr, 0) => format!("{}H{}", rng.digits(4), rng.digits(6)),
        (Language::Fr, 1) => format!("{}{}{}{}", rng.digits(2), rng.letter(), rng.letter(), rng.digits(5)),
        (Language::Fr, 2) => format!("{}-{}", rng.digits(3), rng.digits(6)),
        (Language::Fr, 3..6) => rng.digits(9),
        (Language::Fr, 6) => rng.digits(11),
        (Language::Fr, 7) => {
            let letters: String = (0..3).map(|_| rng.letter()).collect();
            format!("{}{letters}{}", rng.digits(4), rng.digits(3))
        }
        (Language::Fr, _) => rng.digits(10),
        (Language::Es, 0..3) => format!("{}/{}", rng.between(2008, 2026), rng.digits(6)),
        (Language::Es, 3) => format!("E{}", rng.digits(8)),
        (Language::Es, _) => rng.digits(8),
    }
}

pub(crate) fn licence(rng: &mut Rng, language: Language) -> String {
    match (language, rng.below(6)) {
        (Language::Fr, 0) => grouped(&format!("10{}", rng.digits(9)), &[3, 2, 3, 3], " "),
        (Language::Fr, 1) => grouped(&rng.digits(9), &[2, 1, 5, 1], rng.pick(&[" ", ""])),
        (Language::Fr, _) => format!("10{}", rng.digits(9)),
        (Language::Es, 0..3) => {
            let province = rng.between(1, 50);
            let separator = rng.pick(&[" ", "-", "/"]);
            format!("{province:02}{separator}{province:02}{separator}{}", rng.digits(5))
        }
        (Language::Es, 3) => format!("{}/{}", rng.between(1, 50), rng.digits(5)),
        (Language::Es, _) => rng.digits(9),
    }
}

pub(crate) fn iban(rng: &mut Rng, language: Language) -> String {
    let (country, length) = if language == Language::Fr { ("FR", 23) } else { ("ES", 20) };
    let whole = format!("{country}{}{}", rng.digits(2), rng.digits(length));
    if rng.percent(60) { grouped(&whole, &[4; 6], " ") } else { whole }
}

pub(crate) fn plate(rng: &mut Rng, language: Language) -> String {
    let letters = |rng: &mut Rng, n: usize| (0..n).map(|_| rng.letter()).collect::<String>();
    let s = rng.pick(&["-", " ", "-", ""]);
    match (language, rng.below(4)) {
        (Language::Fr, 0) => format!("{} {} {:02}", rng.digits(4), letters(rng, 2), rng.between(1, 95)),
        (Language::Fr, _) => format!("{}{s}{}{s}{}", letters(rng, 2), rng.digits(3), letters(rng, 2)),
        (Language::Es, 0) => format!("{}{s}{}{s}{}", letters(rng, 1), rng.digits(4), letters(rng, 2)),
        (Language::Es, _) => format!("{}{s}{}", rng.digits(4), letters(rng, 3)),
    }
}

pub(crate) fn device(rng: &mut Rng) -> String {
    match rng.below(4) {
        0 => format!("SN{}", rng.digits(8)),
        1 => format!("{}{}{}", rng.letter(), rng.letter(), rng.digits(6)),
        2 => format!("{}-{}-{}", rng.digits(3), rng.digits(4), rng.letter()),
        _ => format!("{}{}{}", rng.letter(), rng.digits(7), rng.letter()),
    }
}

pub(crate) fn ip(rng: &mut Rng) -> String {
    format!("10.{}.{}.{}", rng.below(256), rng.below(256), rng.between(1, 254))
}
