use super::*;
use jiff::civil::{Date, date};

/// Marked text: `[…]` around what must be found; everything else must not be.
fn check(language: Language, marked: &str, failures: &mut Vec<String>) {
    let (mut text, mut wanted) = (String::new(), Vec::new());
    let mut open = 0;
    for c in marked.chars() {
        match c {
            '[' => open = text.len(),
            ']' => wanted.push(text[open..].to_owned()),
            c => text.push(c),
        }
    }
    let mut found = Vec::new();
    find(&text, &tokenise(&text), language, &mut found);
    let got: Vec<_> = found.iter().map(|f| f.span.of(&text).to_owned()).collect();
    if got != wanted {
        failures.push(format!("{marked}\n    found {got:?}"));
    }
    for f in &found {
        assert_eq!(tokenise(&text)[f.first_token].start(), f.span.start(), "{marked}");
        assert_eq!(tokenise(&text)[f.last_token].end(), f.span.end(), "{marked}");
    }
}

const FRENCH: &[&str] = &[
    "Vu le [27/03/2020] à 10h42, revu le [3.4.2020] puis le [05-06-20].",
    "né le [22|8|1923], vu [2023/03/30] 16:30 et [2023-03-30]T10:00:00",
    "le [10 / 03 | 2020], le [12/04 /2011], le [20 12 2003] avant",
    "le [12/05], du [12/05] au [15/05], le [12/8]",
    "résecté en [07 2002], en [05/2010], depuis [03-2011]",
    "en [2003], depuis [1990], l'année [2004], en [2003] et [2005], entre [2003] et [2005], fini ([2022])",
    "depuis le [23022018], le [211017], [dec1993], le [05nov], le [12mars2010], le [23avr].",
    "[2 9 0 2 1 9 9 5]\n[1 2 . 0 6 . 1 9 8 1]\nX [9 0 3 2 0 1 5]",
    "[1 8 0 8 2 0 2 7]\n[1 3 0 9 1 9 7 7]\n2 7 7 0 6 2 7 7 6 3 0 9 2",
    "[08/12/28] [05/11/97] 1 9 7 1 1 2 3 1 5 1 8 9 3",
    "[0 9 0 3 2 0 1 5] puis 2 9 5 0 5 4 2 0 6 3 0 2 9",
    "le [3 mai 2010], [3 Mai 2010], le [3 MAI 2010], le [3 fevrier 2010], le [3 févr. 2010], le [12 sept 2011]",
    "le [3 janvir 2010], le [14 setpembre 2011], le [14 novenbre 2011]",
    "le [1er mai 2010], le [premier mai], le [vingt-six mars deux mille dix-sept]",
    "le [deux janvier mille neuf cent soixante dix huit]",
    "[Jeudi dix-sept Octobre deux mille dix huit]",
    "[début mars 2010], [mi-mars 2010], [fin mars], [fin 2010], [mi-2010], [été 2015], [hiver 2012]",
    "du [3] au [5 avril 2010], le [3] et le [5 mai], les [3], [5] et [7 mai 2010], du [18] au [29/03/2020]",
    "entre [mai] et [juillet 2005], [mai] à [juin 2029], jusqu'en [mars]-[avril 2005]",
    "[lundi 3 mai], le [mardi 12/05], autour du [08]-[09/08/07]",
    "en [mars] il va mieux, mais mars est rouge",
    "du [12/05/2010]-[15/05/2010] puis [12/05]-[15/05/2010]",
    "le [O5/1l/2O10], le [l2/O3/2011]",
    "loi du [18 août 2013], décret n° 2002-303 du [4 mars 2002], arrêté du [3/04/2011]",
    "C1 [3/4/19] C2 [1/7/19] C3 [2/8] C4 [16/09] C5 [19/09/19]",
    "le [18X2027], [28 mars 19]  DURAND, en [décembre 93];",
    "le [3 mai] 10h30, le [3 mai] 15 patients, le [3 mai] à 12 heures",
    "[0 8 0 5 2 0 1 8] 1 96 01 74 919 046\n289 0302 141531  [2 6 0 9 1 9 8 9] X  [3 0 0 3 2 0 2 2]  2 9 3 1 8 5 3 3 2 9 7 7 9",
    "S8 [12 / 05], S9 [29/ 06], S10 [01 / 07 | 1995], pause, S11 [28.01] deuxième",
    "Hôpital Nord le [01/05/2023], vu à l'hôpital le [3 mai 2010]",
    "En ([deux mille dix sept]), opéré",
    "né le [31/02/1950], le [12/25/2010]",
];

const SPANISH: &[&str] = &[
    "el [3 de mayo de 2010], a [3 de mayo del 2010], [mayo/2010], [3-mayo-2010], [3-V-2010]",
    "el [lunes 3 de mayo], En [Enero del 2017], en [enero del año 2001], En el [año 2000], desde [2004]",
    "del [3] al [5 de abril de 2010], el [3] y el [5 de mayo], el [12/05], [otoño de 2012], a finales de [mayo]",
    "ley del [3 de mayo de 2010], real decreto de [4 de marzo de 2002]",
    "el [veintiséis de marzo de dos mil diecisiete], el [uno de enero de mil novecientos setenta y ocho]",
    "Fecha de nacimiento:[12/04 /2011].\nIngreso: [20/11//2014]. ([Junio 04])",
    "en [diciembre 06] decidimos",
];

const NOT_FRENCH: &[&str] = &[
    "Glasgow 15/15, douleur 4/10, MMS 17/21, score 4/5",
    "TA 12/8, TA : 120/80, TA: 13/07 mmHg, PA 12/08",
    "1/2 comprimé, 2/j, 10/12,5 mg, version 3.2.1, 12.05 g/l, 12.05",
    "au 1/3 moyen, le 2/3 inférieur",
    "L4/L5, L4-L5, T12/L1, C5-C6, 4/4/4",
    "01.02.03.04.05, 05.50.04.00.05/06, 05 50 04 00 05, 02-12-05-76-57",
    "1 85 05 75 112 345 67, 1850575112345",
    "10:30, 10h30, J18.9, T3N0M0, pT2N1, 192.168.1.12, 10.0.2.15",
    "2000 ml, 1990 patients, un total de 2010 euros, 2010",
    "il a été opéré, en hiver, les sept jours, dix-sept, vingt-sept, sept 12",
    "mai oui, mars rouge, plaquettes 150000, 8 5 0 4 8 4 2 3 9 8 6 2 5 4 2 5 0 2 0 0 8",
    "Apgar à 10/10/10",
    "posologie 1-0-1, 1-1-1, 2/0/2, 1.5.2",
    "2002-303, n° 12345678",
    "3 marches, 12 mardis, 5 avis",
];

#[test]
fn dates_are_found_with_their_borders() {
    let mut failures = Vec::new();
    for marked in FRENCH.iter().chain(NOT_FRENCH) {
        check(Language::Fr, marked, &mut failures);
    }
    for marked in SPANISH {
        check(Language::Es, marked, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn laws_streets_and_bare_months_are_flagged() {
    let text = "loi du 18 août 2013, vu le 3 mai 2014 rue du 8 mai 1945 en mars";
    let mut found = Vec::new();
    find(text, &tokenise(text), Language::Fr, &mut found);
    let flags: Vec<_> = found.iter().map(|f| (f.law, f.bare_month, f.confidence <= 0.3)).collect();
    assert_eq!(
        flags,
        [(true, false, false), (false, false, false), (false, false, true), (false, true, true)]
    );
}

#[test]
fn another_day_prints_in_the_same_shape() {
    let day = date(1987, 7, 9);
    for (language, surface, wanted) in [
        (Language::Fr, "27/03/2020", "09/07/1987"),
        (Language::Fr, "2/5/20", "9/7/87"),
        (Language::Fr, "10 / 03 | 2020", "09 / 07 | 1987"),
        (Language::Fr, "2 9 0 2 1 9 9 5", "0 9 0 7 1 9 8 7"),
        (Language::Fr, "1 2 . 0 6 . 1 9 8 1", "0 9 . 0 7 . 1 9 8 7"),
        (Language::Fr, "23022018", "09071987"),
        (Language::Fr, "2020-03-27", "1987-07-09"),
        (Language::Fr, "dec1993", "juil1987"),
        (Language::Fr, "05nov", "09juil"),
        (Language::Fr, "1er FEVRIER 2010", "9 JUILLET 1987"),
        (Language::Fr, "3 janvir 2010", "9 juillet 1987"),
        (
            Language::Fr,
            "le vingt-six mars deux mille dix-sept",
            "le neuf juillet mille neuf cent quatre-vingt-sept",
        ),
        (
            Language::Fr,
            "deux janvier mille neuf cent soixante dix huit",
            "neuf juillet mille neuf cent quatre vingt sept",
        ),
        (Language::Fr, "Lundi 3 mai 2010", "Jeudi 9 juillet 1987"),
        (Language::Fr, "05/2010", "07/1987"),
        (Language::Fr, "2010", "1987"),
        (Language::Fr, "18", "09"),
        (Language::Fr, "fin mars 2010", "début juillet 1987"),
        (Language::Fr, "hiver 2010", "été 1987"),
        (Language::Fr, "18X2027", "9VII1987"),
        (Language::Es, "3 de mayo del 2010", "9 de julio del 1987"),
        (Language::Es, "Lunes, 3-MAY-10", "Jueves, 9-JUL-87"),
        (Language::Es, "año 2000", "año 1987"),
        (
            Language::Es,
            "veintiséis de marzo de dos mil diecisiete",
            "nueve de julio de mil novecientos ochenta y siete",
        ),
    ] {
        let (_, shape) = parse(surface, language).unwrap_or_else(|| panic!("{surface} is not read"));
        assert_eq!(shape.print(day), wanted, "{surface}");
    }
}

#[test]
fn debug_shows_no_value() {
    let (value, surface) = parse("le 27/03/2020", Language::Fr).unwrap();
    assert_eq!(format!("{value:?} {surface:?}"), "Partial(Day) Surface( … d/m/yyyy)");
}

fn resolved(text: &str, document: Option<Date>) -> Vec<String> {
    let mut found = Vec::new();
    find(text, &tokenise(text), Language::Fr, &mut found);
    let slots: Vec<_> = found
        .iter()
        .map(|f| Slot {
            value: f.value,
            start: f.span.start(),
            end: f.span.end(),
            birth: text[..f.span.start()].ends_with("né le "),
        })
        .collect();
    resolve(&slots, document).iter().map(|d| d.map_or("-".into(), |d| d.to_string())).collect()
}

#[test]
fn missing_parts_come_from_coordinates_neighbours_and_document() {
    let document = Some(date(2015, 2, 10));
    for (text, document, wanted) in [
        ("du 3 au 5 avril 2010", None, &["2010-04-03", "2010-04-05"][..]),
        ("le 28 et le 2 mai 2010", None, &["2010-04-28", "2010-05-02"]),
        ("entre mai et juillet 2005", None, &["2005-05-15", "2005-07-15"]),
        ("du 28 décembre au 3 janvier 2010", None, &["2009-12-28", "2010-01-03"]),
        ("le 12/05", None, &["-"]),
        ("le 12/12 et en mars 2014", None, &["2013-12-12", "2014-03-15"]),
        ("le 12/12", document, &["2014-12-12"]),
        (
            "vu le 3/04/2012 puis, après bien des semaines sans nouvelles, le 7/06",
            document,
            &["2012-04-03", "2012-06-07"],
        ),
        ("né le 12/03/21, vu le 4/05/14", document, &["1921-03-12", "2014-05-04"]),
        ("début mars 2010, fin 2011, le 31/02/2012", None, &["2010-03-01", "2011-12-15", "2012-02-29"]),
    ] {
        assert_eq!(resolved(text, document), wanted, "{text}");
    }
}

mod shapes {
    use super::*;
    use proptest::prelude::*;

    /// A surface for every shape; each is a valid date by itself.
    const SHAPES: &[(Language, &str)] = &[
        (Language::Fr, "27/03/2020"),
        (Language::Fr, "7/3/2020"),
        (Language::Fr, "07.03.20"),
        (Language::Fr, "07-03-2020"),
        (Language::Fr, "07|03|2020"),
        (Language::Fr, "07 03 2020"),
        (Language::Fr, "07/03-2020"),
        (Language::Fr, "07 / 03 | 2020"),
        (Language::Fr, "2020/03/07"),
        (Language::Fr, "2020-03-07"),
        (Language::Fr, "20200307"),
        (Language::Fr, "07032020"),
        (Language::Fr, "070320"),
        (Language::Fr, "0 7 0 3 2 0 2 0"),
        (Language::Fr, "0 7 . 0 3 . 2 0 2 0"),
        (Language::Fr, "7 février 2020"),
        (Language::Fr, "07 FÉVRIER 2020"),
        (Language::Fr, "7 fevrier 2020"),
        (Language::Fr, "1er Mars 2020"),
        (Language::Fr, "7 févr. 2020"),
        (Language::Fr, "7 fév 20"),
        (Language::Fr, "07feb2020"),
        (Language::Fr, "07nov2020"),
        (Language::Fr, "lundi 7 février 2020"),
        (Language::Fr, "LUNDI 7 FÉVRIER 2020"),
        (Language::Fr, "le Lundi 7 février"),
        (Language::Fr, "vingt-six mars deux mille dix-sept"),
        (Language::Fr, "vingt six mars deux mille dix sept"),
        (Language::Fr, "vingt-six mars deux-mille-dix-sept"),
        (Language::Fr, "premier mars mil neuf cent quatre-vingt-un"),
        (Language::Fr, "7 mars deux mille dix-sept"),
        (Language::Fr, "7/3"),
        (Language::Fr, "07/03"),
        (Language::Fr, "03/2020"),
        (Language::Fr, "mars 2020"),
        (Language::Fr, "déc1993"),
        (Language::Fr, "7X2020"),
        (Language::Fr, "2020"),
        (Language::Fr, "07"),
        (Language::Fr, "deux mille dix-sept"),
        (Language::Es, "7 de marzo de 2020"),
        (Language::Es, "7 de Marzo del 2020"),
        (Language::Es, "lunes, 7 de marzo de 2020"),
        (Language::Es, "SÁBADO 7 de marzo"),
        (Language::Es, "7-marzo-2020"),
        (Language::Es, "07-MAR-20"),
        (Language::Es, "7-V-2020"),
        (Language::Es, "marzo/2020"),
        (Language::Es, "año 2020"),
        (Language::Es, "enero del año 2020"),
        (Language::Es, "veintiséis de marzo de dos mil diecisiete"),
        (Language::Es, "veintiseis de marzo de dos mil diecisiete"),
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn print_then_parse_gives_the_value_and_the_shape(
            shape in 0..SHAPES.len(), year in 1900i16..2100, month in 1i8..=12, day in 1i8..=31,
        ) {
            let Ok(value) = Date::new(year, month, day) else { return Ok(()) };
            let (language, seed) = SHAPES[shape];
            let (seed_value, surface) = parse(seed, language).expect(seed);
            let printed = surface.print(value);
            let (read, again) = parse(&printed, language).ok_or_else(|| TestCaseError::fail(format!("{seed} -> {printed}")))?;
            prop_assert!(again.fits(&surface), "{seed} -> {printed}: {surface:?} {again:?}");
            prop_assert_eq!(again.print(value), printed.clone());
            prop_assert_eq!(read.precision(), seed_value.precision());
            prop_assert_eq!(read.two_digit_year, seed_value.two_digit_year);
            let wanted_year = if read.two_digit_year { year % 100 } else { year };
            prop_assert_eq!(read.year, seed_value.year.map(|_| wanted_year), "{} -> {}", seed, printed);
            prop_assert_eq!(read.month, seed_value.month.map(|_| month as u8), "{} -> {}", seed, printed);
            prop_assert_eq!(read.day, seed_value.day.map(|_| day as u8), "{} -> {}", seed, printed);
            prop_assert_eq!(read.weekday, seed_value.weekday.map(|_| Weekday::of(value)));
        }

        #[test]
        fn any_text_is_read_without_panic(
            text in "[0-9OlIVX /.\\-|,:'maijunoctdex\n]{0,40}|[0-2]( [0-9. ]){6,30}( [0-9]{2})?|(le |en )?[0-3]?[0-9] [0-9]{1,4} [0-9]{1,4}",
        ) {
            for language in [Language::Fr, Language::Es] {
                let mut found = Vec::new();
                find(&text, &tokenise(&text), language, &mut found);
                parse(&text, language);
                for pair in found.windows(2) {
                    prop_assert!(pair[0].span.end() <= pair[1].span.start());
                }
            }
        }
    }

    #[test]
    fn every_seed_prints_itself() {
        for &(language, seed) in SHAPES {
            let (value, surface) = parse(seed, language).expect(seed);
            let year = value.year.map_or(2020, |y| if value.two_digit_year { y + 2000 } else { y });
            let weekday = |d: &Date| value.weekday.is_none_or(|w| Weekday::of(*d) == w);
            let day =
                Date::new(year, value.month.unwrap_or(1) as i8, value.day.unwrap_or(1) as i8).expect(seed);
            if weekday(&day) {
                assert_eq!(surface.print(day), seed);
            }
        }
    }
}
