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
    "Vu le [24/05/2021] à 14h15, revu le [3.6.2021] puis le [05-07-21].",
    "né le [22|8|1923], vu [2023/03/30] 16:30 et [2023-03-30]T10:00:00",
    "le [10 / 03 | 2020], le [15/07 /2009], le [20 12 2003] avant",
    "le [12/05], du [12/05] au [15/05], le [12/8]",
    "résecté en [07 2002], en [05/2010], depuis [03-2011]",
    "en [2003], depuis [1990], l'année [2004], en [2003] et [2005], entre [2003] et [2005], fini ([2022])",
    "depuis le [23022018], le [211017], [dec1993], le [05nov], le [12mars2010], le [23avr].",
    "[1 4 0 7 1 9 8 8]\n[2 3 . 0 8 . 1 9 7 4]\nX [7 0 4 2 0 1 6]",
    "[1 5 0 6 2 0 2 5]\n[2 4 0 3 1 9 7 9]\n2 8 1 1 0 3 5 2 4 7 0 6 8",
    "[06/10/27] [12/03/94] 1 8 6 0 4 7 1 2 5 3 0 6 8",
    "[1 1 0 4 2 0 1 6] puis 2 8 9 0 7 3 5 1 2 4 6 0 8",
    "le [3 mai 2010], [3 Mai 2010], le [3 MAI 2010], le [3 fevrier 2010], le [3 févr. 2010], le [12 sept 2011]",
    "le [3 janvir 2010], le [14 setpembre 2011], le [14 novenbre 2011]",
    "le [1er mai 2010], le [premier mai], le [vingt-six mars deux mille dix-sept]",
    "le [trois février mille neuf cent soixante dix neuf]",
    "[Mardi seize Avril deux mille dix neuf]",
    "[début mars 2010], [mi-mars 2010], [fin mars], [fin 2010], [mi-2010], [été 2015], [hiver 2012]",
    "du [3] au [5 avril 2010], le [3] et le [5 mai], les [3], [5] et [7 mai 2010], du [13] au [24/05/2021]",
    "entre [mai] et [juillet 2005], [mai] à [juin 2029], jusqu'en [mars]-[avril 2005]",
    "[lundi 3 mai], le [mardi 12/05], autour du [14]-[15/06/09]",
    "en [mars] il va mieux, mais mars est rouge",
    "du [12/05/2010]-[15/05/2010] puis [12/05]-[15/05/2010]",
    "le [O5/1l/2O10], le [l2/O3/2011]",
    "loi du [18 août 2013], décret n° 2002-303 du [4 mars 2002], arrêté du [3/04/2011]",
    "C1 [5/2/18] C2 [3/5/18] C3 [4/6] C4 [22/07] C5 [25/07/18]",
    "le [18X2027], [28 mars 19]  DURAND, en [décembre 93];",
    "le [3 mai] 10h30, le [3 mai] 15 patients, le [3 mai] à 12 heures",
    "[1 6 0 4 2 0 1 9] 1 87 05 63 204 118\n274 0611 352046  [1 9 0 2 1 9 8 6] X  [2 2 0 5 2 0 2 1]  2 8 4 1 2 6 1 0 5 3 3 7 4",
    "S6 [14 / 03], S7 [27/ 04], S8 [02 / 05 | 1997], pause, S9 [26.02] deuxième",
    "Hôpital Sud le [04/06/2021], vu à l'hôpital le [3 mai 2010]",
    "En ([deux mille dix sept]), opéré",
    "né le [31/02/1950], le [12/25/2010]",
];

const SPANISH: &[&str] = &[
    "el [3 de mayo de 2010], a [3 de mayo del 2010], [mayo/2010], [3-mayo-2010], [3-V-2010]",
    "el [lunes 3 de mayo], En [Enero del 2017], en [enero del año 2001], En el [año 2000], desde [2004]",
    "del [3] al [5 de abril de 2010], el [3] y el [5 de mayo], el [12/05], [otoño de 2012], a finales de [mayo]",
    "ley del [3 de mayo de 2010], real decreto de [4 de marzo de 2002]",
    "el [veintiséis de marzo de dos mil diecisiete], el [uno de enero de mil novecientos setenta y ocho]",
    "Fecha de nacimiento:[15/07 /2009].\nIngreso: [20/11//2014]. ([Junio 04])",
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
    "mai oui, mars rouge, plaquettes 150000, 7 3 0 6 1 9 4 2 8 5 0 3 6 1 4 7 0 5 0 9 2",
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
    // The corpus marks a month after `en` or `depuis` as a date; her table 4.2 counts it too.
    assert_eq!(
        flags,
        [(true, false, false), (false, false, false), (false, false, true), (false, true, false)]
    );
    let text = "la Ley 1/2000, de 7 de enero, vista el 3 de mayo";
    let mut found = Vec::new();
    find(text, &tokenise(text), Language::Es, &mut found);
    assert_eq!(found.iter().map(|f| f.law).collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn another_day_prints_in_the_same_shape() {
    let day = date(1987, 7, 9);
    for (language, surface, wanted) in [
        (Language::Fr, "27/03/2020", "09/07/1987"),
        (Language::Fr, "2/5/20", "9/7/87"),
        (Language::Fr, "10 / 03 | 2020", "09 / 07 | 1987"),
        (Language::Fr, "1 4 0 7 1 9 8 8", "0 9 0 7 1 9 8 7"),
        (Language::Fr, "2 3 . 0 8 . 1 9 7 4", "0 9 . 0 7 . 1 9 8 7"),
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
            "trois février mille neuf cent soixante dix neuf",
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

fn resolved(text: &str, language: Language, document: Option<Date>) -> Vec<String> {
    let mut found = Vec::new();
    find(text, &tokenise(text), language, &mut found);
    let born = |before: &str| before.ends_with("né le ") || before.ends_with("nacido el ");
    let slots: Vec<_> = found
        .iter()
        .map(|f| Slot {
            value: f.value,
            start: f.span.start(),
            end: f.span.end(),
            birth: born(&text[..f.span.start()]),
        })
        .collect();
    resolve(text, &slots, document).iter().map(|d| d.map_or("-".into(), |d| d.to_string())).collect()
}

#[test]
fn missing_parts_come_from_coordinates_and_stories() {
    let document = Some(date(2015, 2, 10));
    let mut failures = Vec::new();
    for (text, document, wanted) in [
        ("du 3 au 5 avril 2010", None, &["2010-04-03", "2010-04-05"][..]),
        ("le 28 et le 2 mai 2010", None, &["2010-04-28", "2010-05-02"]),
        ("entre mai et juillet 2005", None, &["2005-05-15", "2005-07-15"]),
        ("du 28 décembre au 3 janvier 2010", None, &["2009-12-28", "2010-01-03"]),
        ("le 12/05", None, &["-"]),
        ("le 12/12 et en mars 2014", None, &["2013-12-12", "2014-03-15"]),
        (
            "vu le 3/04/2012 puis, après bien des semaines sans nouvelles, le 7/06",
            document,
            &["2012-04-03", "2012-06-07"],
        ),
        (
            "Opéré le 28/12/2011. Sorti le 4/01. Drain enlevé le 9/01.",
            document,
            &["2011-12-28", "2012-01-04", "2012-01-09"],
        ),
        // The story is over: the letter speaks of itself.
        ("Opéré le 12/03/2012. Dernière numération le 10/12.", document, &["2012-03-12", "2014-12-10"]),
        ("Opéré le 12/03/2012.\n\nNumération le 15/03.", document, &["2012-03-12", "2014-03-15"]),
        ("Cholécystectomie en 2003, vu le 10/12", document, &["2003-07-15", "2014-12-10"]),
        ("Vu le 20/12, puis opéré le 12/01/2012 à froid", document, &["2011-12-20", "2012-01-12"]),
        ("né le 12/03/21, vu le 4/05/14", document, &["1921-03-12", "2014-05-04"]),
        ("début mars 2010, fin 2011, le 31/02/2012", None, &["2010-03-01", "2011-12-15", "2012-02-29"]),
    ] {
        let got = resolved(text, Language::Fr, document);
        if got != wanted {
            failures.push(format!("{text}: {got:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A letter of Tuesday 10 February 2015.
#[test]
fn a_date_without_year_lies_before_its_letter_unless_words_say_otherwise() {
    let letter = Some(date(2015, 2, 10));
    let mut failures = Vec::new();
    for (language, text, wanted) in [
        (Language::Fr, "le 12/12", "2014-12-12"),
        (Language::Fr, "le 10/02", "2015-02-10"),
        (Language::Fr, "le 11/02", "2014-02-11"),
        (Language::Fr, "Dernière numération du 10/12 : Hb 12", "2014-12-10"),
        (Language::Fr, "PTH droite le 14 novembre dernier", "2014-11-14"),
        (Language::Fr, "vu le 3 janvier dernier", "2015-01-03"),
        (Language::Fr, "à revoir le 15 mars", "2015-03-15"),
        (Language::Fr, "Je la reverrai le 15/03 avec un écho", "2015-03-15"),
        (Language::Fr, "IRM prévue le 2 avril", "2015-04-02"),
        (Language::Fr, "bloc programmé le 2 avril prochain", "2015-04-02"),
        (Language::Fr, "le 2 avril prochain", "2015-04-02"),
        (Language::Fr, "rendez-vous le 12/03 à 9h", "2015-03-12"),
        (Language::Fr, "RDV le 28/01", "2015-01-28"),
        (Language::Fr, "vu en rendez-vous le 28/12", "2014-12-28"),
        (Language::Fr, "Programmée en ambulatoire, opérée le 12/03", "2014-03-12"),
        (Language::Fr, "Prochain contrôle le 03/03.", "2015-03-03"),
        (Language::Fr, "arrêt jusqu'au 28/02", "2015-02-28"),
        // The week day tells the year.
        (Language::Fr, "lundi 9 février", "2015-02-09"),
        (Language::Fr, "mardi 17 février", "2015-02-17"),
        (Language::Fr, "vu le mercredi 11 décembre", "2013-12-11"),
        (Language::Fr, "lundi 3 mars", "2014-03-03"),
        (Language::Fr, "le 29 février", "2012-02-29"),
        (Language::Fr, "fin janvier", "2015-01-28"),
        (Language::Fr, "début mars", "2014-03-01"),
        (Language::Es, "el pasado 12 de mayo", "2014-05-12"),
        (Language::Es, "el próximo 12 de mayo", "2015-05-12"),
        (Language::Es, "próxima revisión el 3 de marzo", "2015-03-03"),
        (Language::Es, "Próximo control el 20/03", "2015-03-20"),
        (Language::Es, "acudirá a consulta el 20/03", "2015-03-20"),
        (Language::Es, "cita el 20/03", "2015-03-20"),
        (Language::Es, "cirugía prevista el 20 de abril", "2015-04-20"),
        (Language::Es, "ingresó el 20 de abril", "2014-04-20"),
        (Language::Es, "Dr. Rey, el 29 de enero", "2015-01-29"),
        (Language::Es, "el lunes 3 de marzo", "2014-03-03"),
        (Language::Es, "el 12 de mayo pasado", "2014-05-12"),
    ] {
        let got = resolved(text, language, letter);
        if got != [wanted] {
            failures.push(format!("{text}: {got:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_letter_tells_its_own_date() {
    let mut failures = Vec::new();
    for (language, text, wanted) in [
        (Language::Fr, "Besançon, le 12 mars 2019\n\nVu le 10/12.", &["2019-03-12", "2018-12-10"][..]),
        (
            Language::Fr,
            "                Quimperlé, le 3 mars 2017\nOpéré le 5 mai 2016. À revoir le 15/04. Bilan le 20/02.",
            &["2017-03-03", "2016-05-05", "2017-04-15", "2017-02-20"],
        ),
        (
            Language::Fr,
            "Date : 03/02/2018\nConsultation le 12/03/2018 à venir, radio le 15/12",
            &["2018-02-03", "2018-03-12", "2017-12-15"],
        ),
        (Language::Fr, "Le 4 janvier 2016\nScanner le 20/12", &["2016-01-04", "2015-12-20"]),
        (
            Language::Fr,
            "Concarneau, le quatorze décembre deux mille dix-huit\nPTH le 14 novembre dernier. Bilan du 10/12 : Hb.              Revoir vers le 15 janvier 2019.",
            &["2018-12-14", "2018-11-14", "2018-12-10", "2019-01-15"],
        ),
        (
            Language::Es,
            "Centro de Salud\nA 3 de mayo de 2019\n\nFondo de ojo (Dr. Rey, 29 de abril).",
            &["2019-05-03", "2019-04-29"],
        ),
        (
            Language::Es,
            "Fecha del informe: 19/01/2020. Revisión el 20/02. Ingresó el 28/12.",
            &["2020-01-19", "2020-02-20", "2019-12-28"],
        ),
        // No line tells: the last date that is not one to come.
        (
            Language::Fr,
            "Vu le 12/01/2016. Bilan le 20/12. À revoir le 3/03/2016.",
            &["2016-01-12", "2015-12-20", "2016-03-03"],
        ),
    ] {
        let got = resolved(text, language, None);
        if got != wanted {
            failures.push(format!("{text}: {got:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn shapes_keep_their_grammar() {
    for (language, surface, day, wanted) in [
        (Language::Fr, "12 oct. 2015", date(2013, 6, 3), "3 juin 2013"),
        (Language::Fr, "12 oct. 2015", date(2013, 9, 3), "3 sept. 2013"),
        (Language::Fr, "12 oct 2015", date(2013, 8, 3), "3 août 2013"),
        (Language::Fr, "3 juin 2013", date(2015, 10, 12), "12 octobre 2015"),
        (Language::Fr, "2 avril 2015", date(2013, 6, 1), "1er juin 2013"),
        (Language::Fr, "02 avril 2015", date(2013, 6, 1), "01 juin 2013"),
        (Language::Fr, "2 AVRIL 2015", date(2013, 6, 1), "1ER JUIN 2013"),
        (Language::Fr, "1er avril 2015", date(2013, 6, 2), "2 juin 2013"),
        (Language::Fr, "1er avril 2015", date(2013, 6, 1), "1er juin 2013"),
        (Language::Fr, "LE 3 MARS 2015", date(2013, 8, 1), "LE 1ER AOÛT 2013"),
        (Language::Fr, "premier avril 2015", date(2013, 6, 2), "deux juin 2013"),
        (Language::Fr, "fin d'octobre 2015", date(2013, 3, 28), "fin de mars 2013"),
        (Language::Fr, "au printemps 2016", date(2013, 7, 2), "à l'été 2013"),
        (Language::Fr, "l'été 2016", date(2013, 4, 2), "le printemps 2013"),
        (Language::Es, "1º de mayo de 2015", date(2013, 6, 2), "2 de junio de 2013"),
        (Language::Es, "1º de mayo de 2015", date(2013, 6, 1), "1º de junio de 2013"),
        (Language::Es, "2 de mayo de 2015", date(2013, 6, 1), "1 de junio de 2013"),
        (Language::Es, "la primavera de 2016", date(2013, 7, 2), "el verano de 2013"),
        (Language::Es, "12-OCT-2015", date(2013, 6, 3), "3-JUN-2013"),
    ] {
        let (_, shape) = parse(surface, language).unwrap_or_else(|| panic!("{surface} is not read"));
        assert_eq!(shape.print(day), wanted, "{surface}");
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

/// Bigeard 2015, §3.2.3 and annex C: forms of dates that her expressions read.
#[test]
fn forms_of_bigeards_annex() {
    let found = |text: &str| -> Vec<String> {
        let mut out = Vec::new();
        find(text, &tokenise(text), Language::Fr, &mut out);
        out.iter().filter(|f| f.confidence > 0.5).map(|f| f.span.of(text).to_owned()).collect()
    };
    for (text, dates) in [
        ("opéré en janvier", vec!["janvier"]),
        ("revu en 98.", vec!["98"]),
        ("vu le 3, le 5 et le 8 avril", vec!["3", "5", "8 avril"]),
        ("né un 2nd mars", vec!["2nd mars"]),
        ("vu 1er janv pour bilan", vec!["1er janv"]),
        ("IRM 22 11 03 et le 11 06 03", vec!["22 11 03", "11 06 03"]),
        ("vu le 12.août.2004", vec!["12.août.2004"]),
        // No years: a measurement, a duration, a score.
        ("saturation passée de 92 en 98 %", vec![]),
        ("en 72 heures", vec![]),
        ("TA en 98/60", vec![]),
    ] {
        assert_eq!(found(text), dates, "{text}");
    }
}

#[test]
fn the_dots_of_a_date_stay() {
    let (_, surface) = parse("12.août.2004", Language::Fr).unwrap();
    assert_eq!(surface.print(date(2002, 6, 20)), "20.juin.2002");
    let (_, surface) = parse("oct. 2015", Language::Fr).unwrap();
    assert_eq!(surface.print(date(2014, 6, 1)), "juin 2014");
    let (_, surface) = parse("2nd mars", Language::Fr).unwrap();
    assert_eq!(surface.print(date(2014, 6, 1)), "1er juin");
    assert_eq!(surface.print(date(2014, 6, 14)), "14 juin");
}
