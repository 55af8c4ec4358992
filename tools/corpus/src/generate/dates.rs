//! Dates in every surface a hospital writes them.

use jiff::civil::Date;
use taire_lang::CalendarNames;
use taire_text::Language;

use crate::rng::Rng;

/// The surfaces of a date, with their weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Surface {
    /// 03/05/2019 with any separator.
    Numeric,
    /// 3/5/2019.
    Short,
    /// 03/05/19.
    TwoDigitYear,
    /// 2019-05-03.
    Iso,
    /// 03052019.
    Glued,
    /// 0 3 0 5 2 0 1 9.
    Spaced,
    /// 3 mai 2019.
    Named,
    /// 3 mai 19, 3 mai.
    NamedShort,
    /// 03-mai-19, 03 déc. 2019, 05nov.
    Abbreviated,
    /// mai 2019, 05/2019.
    MonthYear,
    /// 03/05.
    DayMonth,
    /// Lundi 3 mai 2019.
    Weekday,
    /// trois mai deux mille dix-neuf.
    Letters,
}

use Surface::*;

const ANY: &[(Surface, usize)] = &[
    (Numeric, 42),
    (Short, 4),
    (TwoDigitYear, 12),
    (Iso, 4),
    (Glued, 2),
    (Spaced, 8),
    (Named, 14),
    (NamedShort, 2),
    (Abbreviated, 4),
    (MonthYear, 3),
    (DayMonth, 3),
    (Weekday, 3),
    (Letters, 2),
];

const WHOLE: &[(Surface, usize)] = &[
    (Numeric, 50),
    (Short, 3),
    (TwoDigitYear, 12),
    (Iso, 4),
    (Glued, 2),
    (Spaced, 14),
    (Named, 14),
    (Abbreviated, 2),
    (Letters, 3),
];

fn draw(rng: &mut Rng, table: &[(Surface, usize)]) -> Surface {
    table[rng.weighted(table.iter().map(|s| s.1))].0
}

pub(crate) fn any(rng: &mut Rng) -> Surface {
    draw(rng, ANY)
}

pub(crate) fn whole(rng: &mut Rng) -> Surface {
    draw(rng, WHOLE)
}

pub(crate) fn print(rng: &mut Rng, surface: Surface, date: Date, language: Language) -> String {
    let (d, m, y) = (date.day(), date.month(), date.year());
    let yy = y.rem_euclid(100);
    let separator =
        |rng: &mut Rng| rng.pick(&["/", "/", "/", "/", "-", "-", ".", ".", " ", "|", " / ", " . "]);
    let name = month(language, m);
    match surface {
        Numeric => {
            let s = separator(rng);
            format!("{d:02}{s}{m:02}{s}{y}")
        }
        Short => {
            let s = rng.pick(&["/", "/", "-", "."]);
            format!("{d}{s}{m}{s}{y}")
        }
        TwoDigitYear => {
            let s = rng.pick(&["/", "/", "/", "-", "."]);
            format!("{d:02}{s}{m:02}{s}{yy:02}")
        }
        Iso => {
            let s = rng.pick(&["-", "-", "/", "."]);
            format!("{y}{s}{m:02}{s}{d:02}")
        }
        Glued => format!("{d:02}{m:02}{y}"),
        Spaced => {
            let digits = format!("{d:02}{m:02}{y}");
            let dotted = rng.one_in(6);
            let mut out = String::new();
            for (i, c) in digits.chars().enumerate() {
                if i > 0 {
                    out.push_str(if dotted && (i == 2 || i == 4) { " . " } else { " " });
                }
                out.push(c);
            }
            out
        }
        Named => named(rng, language, d, name, &y.to_string()),
        NamedShort => {
            let year = if rng.percent(60) { format!("{yy:02}") } else { String::new() };
            named(rng, language, d, name, &year)
        }
        Abbreviated => {
            let short: String = name.chars().take(if rng.percent(70) { 3 } else { 4 }).collect();
            match rng.below(4) {
                0 => format!("{d:02}{short}"),
                1 => format!("{d:02}-{short}-{yy:02}"),
                2 => format!("{d:02}{short}{y}"),
                _ => format!("{d} {short}. {y}"),
            }
        }
        MonthYear => match (rng.below(3), language) {
            (0, _) => format!("{m:02}/{y}"),
            (_, Language::Fr) => format!("{name} {y}"),
            (_, Language::Es) => format!("{name} de {y}"),
        },
        DayMonth => {
            let s = rng.pick(&["/", "/", "/", ".", "-"]);
            format!("{d:02}{s}{m:02}")
        }
        Weekday => {
            let day = weekday(language, date);
            let comma = if language == Language::Es && rng.percent(50) { "," } else { "" };
            format!("{day}{comma} {}", named(rng, language, d, name, &y.to_string()))
        }
        Letters => {
            let day = if d == 1 && language == Language::Fr {
                "premier".into()
            } else {
                number(language, i32::from(d))
            };
            let year = number(language, i32::from(y));
            match language {
                Language::Fr => format!("{day} {name} {year}"),
                Language::Es => format!("{day} de {name} de {year}"),
            }
        }
    }
}

fn named(rng: &mut Rng, language: Language, day: i8, month: &str, year: &str) -> String {
    let mut month = month.to_owned();
    if rng.one_in(8) {
        month = super::names::capitalised(&month);
    } else if rng.one_in(14) {
        month = month.to_uppercase();
    }
    let day = match language {
        Language::Fr if day == 1 && rng.percent(80) => "1er".to_owned(),
        _ if rng.one_in(8) => format!("{day:02}"),
        _ => day.to_string(),
    };
    let text = match language {
        Language::Fr => format!("{day} {month} {year}"),
        Language::Es if year.is_empty() => format!("{day} de {month}"),
        Language::Es if rng.one_in(6) => format!("{day} {month} {year}"),
        Language::Es => format!("{day} de {month} {} {year}", rng.pick(&["de", "de", "de", "del"])),
    };
    text.trim_end().to_owned()
}

pub(crate) fn month(language: Language, month: i8) -> &'static str {
    let names = CalendarNames::get().full_months(language);
    names.map_or("", |row| &*row.names[(month - 1).clamp(0, 11) as usize])
}

fn weekday(language: Language, date: Date) -> &'static str {
    let day = date.weekday().to_monday_zero_offset() as usize % 7;
    let mut rows = CalendarNames::get().weekdays().iter();
    rows.find(|row| row.full && row.language == Some(language)).map_or("", |row| &*row.names[day])
}

/// A number from 1 to 2099 in letters.
pub(crate) fn number(language: Language, n: i32) -> String {
    match language {
        Language::Fr => french(n),
        Language::Es => spanish(n),
    }
}

fn french(n: i32) -> String {
    const SMALL: [&str; 20] = [
        "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze",
        "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf",
    ];
    const TENS: [&str; 7] = ["", "", "vingt", "trente", "quarante", "cinquante", "soixante"];
    match n {
        0..20 => SMALL[n as usize].to_owned(),
        20..70 => {
            let tens = TENS[n as usize / 10];
            match n % 10 {
                0 => tens.to_owned(),
                1 => format!("{tens} et un"),
                unit => format!("{tens}-{}", SMALL[unit as usize]),
            }
        }
        71 => "soixante et onze".to_owned(),
        70..80 => format!("soixante-{}", SMALL[n as usize - 60]),
        80 => "quatre-vingts".to_owned(),
        81..100 => format!("quatre-vingt-{}", SMALL[n as usize - 80]),
        100..1000 => {
            joined(if n < 200 { "cent".into() } else { format!("{} cent", french(n / 100)) }, n % 100, french)
        }
        _ => joined(
            if n < 2000 { "mille".into() } else { format!("{} mille", french(n / 1000)) },
            n % 1000,
            french,
        ),
    }
}

fn spanish(n: i32) -> String {
    const SMALL: [&str; 30] = [
        "cero",
        "uno",
        "dos",
        "tres",
        "cuatro",
        "cinco",
        "seis",
        "siete",
        "ocho",
        "nueve",
        "diez",
        "once",
        "doce",
        "trece",
        "catorce",
        "quince",
        "dieciséis",
        "diecisiete",
        "dieciocho",
        "diecinueve",
        "veinte",
        "veintiuno",
        "veintidós",
        "veintitrés",
        "veinticuatro",
        "veinticinco",
        "veintiséis",
        "veintisiete",
        "veintiocho",
        "veintinueve",
    ];
    const TENS: [&str; 10] =
        ["", "", "", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"];
    match n {
        0..30 => SMALL[n as usize].to_owned(),
        30..100 if n % 10 == 0 => TENS[n as usize / 10].to_owned(),
        30..100 => format!("{} y {}", TENS[n as usize / 10], SMALL[n as usize % 10]),
        900..1000 => joined("novecientos".into(), n % 100, spanish),
        100..1000 => joined("ciento".into(), n % 100, spanish),
        _ => joined(if n < 2000 { "mil".into() } else { "dos mil".into() }, n % 1000, spanish),
    }
}

fn joined(head: String, rest: i32, print: fn(i32) -> String) -> String {
    if rest == 0 { head } else { format!("{head} {}", print(rest)) }
}
