//! The lists written by hand, in `xtask/lexicons`: words separated by spaces or line ends, `#` starts a remark.

use taire_text::Language;

macro_rules! lists {
    ($($name:ident = $fr:literal, $es:literal;)+) => {
        $(pub(crate) fn $name(language: Language) -> &'static str {
            match language {
                Language::Fr => include_str!(concat!("../../../../xtask/lexicons/", $fr)),
                Language::Es => include_str!(concat!("../../../../xtask/lexicons/", $es)),
            }
        })+
    };
}

lists! {
    function = "function-fr.txt", "function-es.txt";
    ordinary = "ordinary-fr.txt", "ordinary-es.txt";
    medical = "medical-fr.txt", "medical-es.txt";
    drugs = "drugs.txt", "drugs.txt";
    drug_names = "drugs-fr.txt", "drugs-es.txt";
    eponyms = "eponyms.txt", "eponyms.txt";
    professions = "professions-fr.txt", "professions-es.txt";
    demonyms = "demonyms-fr.txt", "demonyms-es.txt";
    facilities = "facilities-fr.txt", "facilities-es.txt";
    streets = "streets-fr.txt", "streets-es.txt";
    cities = "cities.txt", "cities.txt";
    ways = "ways-fr.txt", "ways-es.txt";
    places = "places-fr.txt", "places-es.txt";
    aliases = "aliases-fr.txt", "aliases-es.txt";
    diseases = "diseases-fr.txt", "diseases-es.txt";
    acts = "acts-fr.txt", "acts-es.txt";
    analytes = "analytes-fr.txt", "analytes-es.txt";
    families = "families-fr.txt", "families-es.txt";
}

/// Lines without remarks.
pub(crate) fn lines(list: &str) -> impl Iterator<Item = &str> {
    list.lines().map(|l| l.split('#').next().unwrap_or("").trim()).filter(|l| !l.is_empty())
}

/// Words of the lines.
pub(crate) fn items(list: &str) -> impl Iterator<Item = &str> {
    lines(list).flat_map(str::split_whitespace)
}
