//! Towns, regions and countries of one language: who they are, under which names, and their tables.
//!
//! `towns-*.bin` holds three length-prefixed sections (records, postal codes, names) and the pairs postal code →
//! town; `town-names-*.fst` maps a folded name to a run of `town-index-*.bin`; `places-*.fst` maps folded names of
//! regions and countries to a code. `taire_lexicon::towns` reads them in place.

mod spain;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use taire_text::Language;

use super::fetch::{self, Lists};
use super::sources::Counts;
use super::{Output, Result, fst_bytes, hand, parts};

#[derive(Clone, Default)]
pub(super) struct Town {
    pub(super) name: String,
    pub(super) code: String,
    pub(super) department: String,
    pub(super) region: String,
    pub(super) lat: f64,
    pub(super) lon: f64,
    pub(super) population: u32,
    pub(super) postal: BTreeSet<String>,
    /// 0 a town of today, 1 an arrondissement, 2 a former town.
    pub(super) kind: u8,
    /// Other names it goes by.
    pub(super) aliases: BTreeSet<String>,
}

pub(crate) struct Towns {
    language: Language,
    list: Vec<Town>,
    /// Folded full name to towns; empty for a foreign city.
    pub(crate) names: BTreeMap<String, Vec<u32>>,
    /// Folded full name of a region, department, province (`true` country) to its code.
    pub(crate) places: BTreeMap<String, (bool, String)>,
}

impl Towns {
    pub(crate) fn read(lists: &Lists, language: Language, counts: &mut Counts) -> Result<Towns> {
        let mut list = match language {
            Language::Fr => france(lists, counts)?,
            Language::Es => spain::towns(lists, counts)?,
        };
        list.sort_by(|a, b| (a.kind, &a.code, &a.name).cmp(&(b.kind, &b.code, &b.name)));
        for line in hand::lines(hand::aliases(language)) {
            if let Some((code, alias)) = line.split_once(' ')
                && let Some(town) = list.iter_mut().find(|t| t.code == code && t.kind == 0)
            {
                town.aliases.insert(alias.to_owned());
            }
        }
        let mut names: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (index, town) in list.iter().enumerate() {
            for name in std::iter::once(&town.name).chain(&town.aliases) {
                for key in variants(name) {
                    let towns = names.entry(key).or_default();
                    if towns.last() != Some(&(index as u32)) {
                        towns.push(index as u32);
                    }
                }
            }
        }
        for city in hand::lines(hand::cities(language)) {
            for key in variants(city) {
                names.entry(key).or_default();
            }
        }
        let places = places(lists, language, counts)?;
        Ok(Towns { language, list, names, places })
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<()> {
        let key = self.language.key();
        output.insert(format!("towns-{key}.bin"), self.table());
        let (mut fst, mut index) = (BTreeMap::new(), Vec::new());
        for (name, towns) in &self.names {
            fst.insert(name.clone(), ((index.len() / 4) as u64) << 12 | towns.len() as u64);
            index.extend(towns.iter().flat_map(|t| t.to_le_bytes()));
        }
        output.insert(format!("town-names-{key}.fst"), fst_bytes(&fst)?);
        output.insert(format!("town-index-{key}.bin"), index);
        let places = self.places.iter().map(|(name, (country, code))| {
            let code = code.bytes().fold(0, |sum, b| sum << 8 | u64::from(b));
            (name.clone(), u64::from(*country) << 32 | code)
        });
        output.insert(format!("places-{key}.fst"), fst_bytes(&places.collect())?);
        Ok(())
    }

    fn table(&self) -> Vec<u8> {
        let (mut records, mut postal, mut names, mut pairs) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (index, town) in self.list.iter().enumerate() {
            for value in [names.len() as u32, postal.len() as u32 / 5] {
                records.extend(value.to_le_bytes());
            }
            for degrees in [town.lat, town.lon] {
                records.extend(((degrees * 1e5).round() as i32).to_le_bytes());
            }
            records.extend(town.population.to_le_bytes());
            records.extend([town.name.len() as u8, town.postal.len().min(255) as u8, town.kind]);
            for (code, width) in [(&town.code, 5), (&town.department, 3), (&town.region, 3)] {
                records.extend(code.bytes().chain(std::iter::repeat(0)).take(width));
            }
            names.extend(town.name.bytes());
            for code in town.postal.iter().take(255) {
                postal.extend(code.bytes());
                pairs.push((code.clone(), index as u32));
            }
        }
        pairs.sort();
        let pairs: Vec<u8> = pairs.iter().flat_map(|(c, t)| c.bytes().chain(t.to_le_bytes())).collect();
        let mut out = Vec::new();
        for section in [&records, &postal, &names, &pairs] {
            out.extend((section.len() as u32).to_le_bytes());
        }
        [records, postal, names, pairs].iter().for_each(|section| out.extend(section));
        out
    }

    pub(crate) fn population(&self, index: u32) -> u32 {
        self.list[index as usize].population
    }
}

/// The folded forms of a name: as it is, and with `saint` shortened.
fn variants(name: &str) -> BTreeSet<String> {
    let parts = parts(name);
    let mut forms = BTreeSet::new();
    if parts.is_empty() {
        return forms;
    }
    forms.insert(parts.join(" "));
    if parts.iter().any(|p| p == "saint" || p == "sainte") {
        let short = parts.iter().map(|p| match p.as_str() {
            "saint" => "st",
            "sainte" => "ste",
            other => other,
        });
        forms.insert(short.collect::<Vec<_>>().join(" "));
    }
    forms
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// Centres of the overseas lands that the coordinates list lacks.
const OVERSEAS: &[(&str, f64, f64)] = &[
    ("975", 46.83, -56.31),
    ("977", 17.90, -62.83),
    ("978", 18.07, -63.05),
    ("984", -49.35, 69.35),
    ("986", -13.28, -176.18),
    ("987", -17.65, -149.46),
    ("988", -21.30, 165.50),
    ("989", 10.30, -109.22),
    ("976", -12.83, 45.15),
];

fn france(lists: &Lists, counts: &mut Counts) -> Result<Vec<Town>> {
    let mut centres: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for commune in lists.json(fetch::FR_COORDINATES, "communes.json")?.as_array().into_iter().flatten() {
        let point = &commune["centre"]["coordinates"];
        if let (Some(lon), Some(lat)) = (point[0].as_f64(), point[1].as_f64()) {
            centres.insert(text(commune, "code"), (lat, lon));
        }
    }
    let communes = lists.json(fetch::FR_COMMUNES, "data/communes.json")?;
    let communes = communes.as_array().ok_or("communes.json is not an array")?;
    let mut towns = Vec::new();
    let mut located = 0;
    let mut codes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for commune in communes {
        let mut town = Town {
            name: text(commune, "nom"),
            code: text(commune, "code"),
            department: text(commune, "departement"),
            region: text(commune, "region"),
            population: commune["population"].as_u64().unwrap_or(0) as u32,
            ..Town::default()
        };
        town.kind = match commune["type"].as_str() {
            Some("commune-actuelle") => 0,
            Some("arrondissement-municipal") => 1,
            _ => 2,
        };
        let postal = commune["codesPostaux"].as_array().into_iter().flatten();
        town.postal = postal.filter_map(|c| c.as_str().map(str::to_owned)).collect();
        let parent = [text(commune, "commune"), text(commune, "chefLieu")].concat();
        let centre = centres.get(&town.code).or_else(|| centres.get(&parent));
        located += usize::from(centre.is_some());
        let overseas = || OVERSEAS.iter().find(|o| town.department == o.0).map(|o| (o.1, o.2));
        (town.lat, town.lon) = centre.copied().or_else(overseas).unwrap_or((46.6, 2.4));
        if town.kind == 0 {
            codes.insert(town.code.clone(), town.postal.clone());
        } else if town.postal.is_empty() {
            town.postal = codes.get(&parent).cloned().unwrap_or_default();
        }
        if town.kind == 1 {
            let parts = parts(&town.name);
            town.aliases.insert(parts[..2].join(" "));
            town.aliases.insert(parts[..3].join(" "));
            town.aliases.insert(format!("{} eme", parts[..2].join(" ")));
        }
        towns.push(town);
    }
    counts.add(fetch::FR_COMMUNES, "communes, arrondissements and former communes", towns.len());
    counts.add(fetch::FR_COORDINATES, "communes located", located);
    Ok(towns)
}

fn places(
    lists: &Lists,
    language: Language,
    counts: &mut Counts,
) -> Result<BTreeMap<String, (bool, String)>> {
    let key = language.key();
    let mut places = BTreeMap::new();
    let territories = lists.json(fetch::CLDR, &format!("main/{key}/territories.json"))?;
    let territories = &territories["main"][key]["localeDisplayNames"]["territories"];
    let mut countries = 0;
    for (code, name) in territories.as_object().into_iter().flatten() {
        let code = code.split('-').next().unwrap_or(code);
        if code.len() == 2 && !matches!(code, "EU" | "EZ" | "UN" | "XA" | "XB" | "ZZ" | "QO") {
            countries += 1;
            let name = name.as_str().unwrap_or_default();
            let short = name.split(" (").next().unwrap_or(name);
            for name in [name, short] {
                places.insert(parts(name).join(" "), (true, code.to_owned()));
            }
        }
    }
    counts.add(fetch::CLDR, format!("country names ({key})"), countries);
    if language == Language::Fr {
        for file in ["data/departements.json", "data/regions.json"] {
            let rows = lists.json(fetch::FR_COMMUNES, file)?;
            for row in rows.as_array().into_iter().flatten() {
                places.insert(parts(&text(row, "nom")).join(" "), (false, text(row, "code")));
            }
        }
    }
    // `CODE name` for a region, `=CODE name` for a country.
    for line in hand::lines(hand::places(language)) {
        if let Some((code, name)) = line.split_once(' ') {
            let country = code.starts_with('=');
            places.insert(parts(name).join(" "), (country, code.trim_start_matches('=').to_owned()));
        }
    }
    Ok(places)
}
