//! What surrogates are drawn from, and the known facilities: `pools-*.txt` and `facilities-*.fst`.
//!
//! Names that are also ordinary words, eponyms, drugs or towns are left out: a surrogate should read as a name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use taire_text::{Facts, Gender, Language, fold};

use super::fetch::Lists;
use super::names::{FAKER_ES, Names};
use super::towns::Towns;
use super::words::Words;
use super::{Output, Result, fst_bytes, hand, parts, read};

const GIVEN: usize = 2_000;
const FAMILY_FR: usize = 6_000;
const FAMILY_ES: usize = 1_800;
/// A name borne by fewer people could point to somebody.
const BEARERS: f64 = 10.0;

pub(crate) fn write(
    lists: &Lists,
    language: Language,
    names: &Names,
    words: &Words,
    towns: &Towns,
    output: &mut Output,
) -> Result<()> {
    let mut out = String::new();
    for female in [true, false] {
        let _ = writeln!(out, "[{}]", if female { "female" } else { "male" });
        for name in given(language, names, words, female) {
            let _ = writeln!(out, "{name}");
        }
    }
    out.push_str("[family]\n");
    for name in family(lists, language, names, words, towns)? {
        let _ = writeln!(out, "{name}");
    }
    out.push_str("[streets]\n");
    for street in hand::lines(hand::streets(language)).collect::<BTreeSet<_>>() {
        let _ = writeln!(out, "{street}");
    }
    let mut known = BTreeMap::new();
    for (section, kind) in [("hospitals", "h"), ("centres", "c"), ("institutions", "i")] {
        let _ = writeln!(out, "[{section}]");
        for line in hand::lines(hand::facilities(language)) {
            let Some((_, names)) = line.split_once(' ').filter(|(k, _)| *k == kind) else { continue };
            for (i, name) in names.split('|').enumerate() {
                if i == 0 {
                    let _ = writeln!(out, "{name}");
                }
                known.insert(parts(name).join(" "), u64::from(kind.as_bytes()[0]));
            }
        }
    }
    output.insert(format!("pools-{}.txt", language.key()), out.into_bytes());
    output.insert(format!("facilities-{}.fst", language.key()), fst_bytes(&known)?);
    Ok(())
}

fn reads_as_name(facts: Facts) -> bool {
    facts.word_class() < 2
        && !facts.is_drug()
        && !facts.is_eponym()
        && !facts.is_country()
        && !facts.is_demonym()
        && !facts.is_region()
        && !facts.is_way()
}

fn given(language: Language, names: &Names, words: &Words, female: bool) -> Vec<String> {
    let mut ranked: Vec<(&String, f64)> = Vec::new();
    for (name, bearers) in &names.country(language).given {
        let (own, other) =
            if female { (bearers.female, bearers.male) } else { (bearers.male, bearers.female) };
        let facts = words.get(name);
        let gender = if female { Gender::Female } else { Gender::Male };
        let sure = own >= BEARERS && own >= 9.0 * other && facts.gender() == Some(gender);
        // A rare dictionary word (`marie` from `marier`) does not spoil a very frequent name.
        let plain = facts.word_class() == 0 || own >= 20_000.0;
        if !name.contains(' ') && name.len() >= 3 && sure && plain && reads_as_name(facts) {
            ranked.push((name, own));
        }
    }
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    ranked
        .into_iter()
        .take(GIVEN)
        .map(|(name, _)| names.display_given(name, &names.country(language).given[name], language))
        .collect()
}

fn family(
    lists: &Lists,
    language: Language,
    names: &Names,
    words: &Words,
    towns: &Towns,
) -> Result<Vec<String>> {
    let limit = if language == Language::Fr { FAMILY_FR } else { FAMILY_ES };
    let big = |folded: &str| {
        towns
            .names
            .get(folded)
            .is_some_and(|t| t.is_empty() || t.iter().any(|&i| towns.population(i) > 20_000))
    };
    // The Spanish list mixes all residents: accents and spelling are only sure for names of these lists.
    let spanish: BTreeSet<String> = if language == Language::Es {
        let mut listed = Vec::new();
        for locale in FAKER_ES {
            listed.extend(read::faker(lists, &format!("person/{locale}"), "last_names")?);
        }
        let written = hand::items(hand::families(language)).map(str::to_owned);
        listed.into_iter().chain(written).map(|n| fold(&n)).collect()
    } else {
        BTreeSet::new()
    };
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    let written = hand::items(hand::families(language)).filter(|_| language == Language::Es);
    for name in names.country(language).family.iter().map(String::as_str).chain(written) {
        let pieces = parts(name);
        let folded = pieces.join(" ");
        let Some(last) = pieces.last() else { continue };
        let facts = words.get(last);
        let known = language == Language::Fr || spanish.contains(&folded) || folded.ends_with("ez");
        let clean = name.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '-' || c == '\'');
        // Given names used as family names would read as given names.
        // The French list is long enough to leave every dictionary word out.
        let wordless = language == Language::Es || facts.word_class() == 0;
        let plain = facts.given_tier() < 5 && reads_as_name(facts) && wordless && !facts.is_medical();
        if known && clean && last.len() >= 3 && plain && !big(&folded) && seen.insert(folded) {
            out.push(names.display(name, language));
        }
        if out.len() == limit {
            break;
        }
    }
    Ok(out)
}
