//! What towns are like, for the mechanisms that compare them: where they lie, and a profile of features scaled to 0–1
//! over their region.
//!
//! The shipped profile has the logarithm of the population, that of the population around (some 30 km), and the place
//! in the region. A user's table (`indicators`) replaces it: a column `code` with the INSEE or INE code, then one
//! column of numbers per indicator. A town it does not name is no candidate and has no surrogate.
//!
//! Candidates and scales depend on the region alone, which stays as it is, and never on the town that is replaced.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use taire_lexicon::Lexicon;
use taire_text::Language;

use crate::Error;
use crate::gazetteer::{AnyTown, Gazetteer, inhabitants};

/// One town as the mechanisms see it.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) town: AnyTown,
    /// On the region's plane.
    pub(crate) km: [f64; 2],
    features: Vec<f64>,
}

/// The Euclidean distance between two profiles.
pub(crate) fn distance(a: &Place, b: &Place) -> f64 {
    a.features.iter().zip(&b.features).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

pub(crate) fn kilometres(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    f64::hypot(a[0] - b[0], a[1] - b[1])
}

/// A region: its candidates, and how its towns are projected and scaled.
struct Region {
    places: Vec<Place>,
    cosine: f64,
    /// Least and greatest of each feature.
    scales: Vec<(f64, f64)>,
}

type Regions = BTreeMap<&'static str, Region>;
/// Numbers by code of town.
type Table = BTreeMap<String, Vec<f64>>;

/// The regions of both countries, made when they are first asked for.
struct Countries {
    french: OnceLock<Regions>,
    spanish: OnceLock<Regions>,
}

impl Countries {
    const fn new() -> Countries {
        Countries { french: OnceLock::new(), spanish: OnceLock::new() }
    }

    fn get(&self, language: Language, table: Option<&Table>) -> &Regions {
        match language {
            Language::Fr => self.french.get_or_init(|| build(language, table)),
            Language::Es => self.spanish.get_or_init(|| build(language, table)),
        }
    }
}

static SHIPPED: Countries = Countries::new();

/// The towns of both countries, as shipped or as a user's table tells them.
pub(crate) struct Profiles {
    own: Option<(Table, Countries)>,
}

const KM_PER_DEGREE: f64 = 111.2;
/// The side of a cell of the population map, in degrees.
const CELL: f64 = 0.1;

impl Profiles {
    pub(crate) fn shipped() -> Profiles {
        Profiles { own: None }
    }

    /// Reads a user's table; also gives its content.
    pub(crate) fn read(path: &Path) -> Result<(Profiles, Vec<u8>), Error> {
        let shown = path.display();
        let content = std::fs::read(path)
            .map_err(|e| Error::new(format!("indicators {shown} cannot be read: {}", e.kind())))?;
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(content.as_slice());
        let header = reader
            .headers()
            .map_err(|e| Error::new(format!("indicators {shown} have no header: {e}")))?
            .clone();
        if header.len() < 2 || header.get(0) != Some("code") {
            return Err(Error::new(format!(
                "indicators {shown} have {} columns; they take `code` first, then one column of numbers or more",
                header.len()
            )));
        }
        let mut table = Table::new();
        for (row, record) in reader.records().enumerate() {
            let line = row + 2;
            let record = record.map_err(|e| Error::new(format!("indicators {shown}, line {line}: {e}")))?;
            let numbers: Option<Vec<f64>> =
                record.iter().skip(1).map(|n| n.parse().ok().filter(|v: &f64| v.is_finite())).collect();
            let numbers = numbers.ok_or_else(|| {
                Error::new(format!(
                    "indicators {shown}, line {line}: a value is no number; fill it or leave the town out"
                ))
            })?;
            table.insert(record.get(0).unwrap_or_default().to_owned(), numbers);
        }
        if table.is_empty() {
            return Err(Error::new(format!("indicators {shown} name no town: give one line a town")));
        }
        drop(reader);
        Ok((Profiles { own: Some((table, Countries::new())) }, content))
    }

    fn table(&self) -> Option<&Table> {
        self.own.as_ref().map(|(table, _)| table)
    }

    fn regions(&self, language: Language) -> &Regions {
        self.own.as_ref().map_or(&SHIPPED, |(_, countries)| countries).get(language, self.table())
    }

    /// The candidates of a region.
    pub(crate) fn region(&self, name: &str, language: Language) -> Option<&[Place]> {
        let region = self.regions(language).get(name)?;
        (!region.places.is_empty()).then_some(&region.places)
    }

    /// Any town of a region, candidate or not, on the region's scales.
    pub(crate) fn place(&self, town: AnyTown, language: Language) -> Option<Place> {
        let region = self.regions(language).get(town.region())?;
        if let Some(known) = region.places.iter().find(|p| p.town == town) {
            return Some(known.clone());
        }
        let around = population_map(language);
        let raw = features(town, self.table(), around)?;
        Some(place(town, &raw, region.cosine, &region.scales))
    }
}

fn build(language: Language, table: Option<&Table>) -> Regions {
    let gazetteer = Gazetteer::of(language);
    let around = population_map(language);
    let region = |name: &'static str| {
        let towns = gazetteer.of_region(name);
        // Eastings shrink towards the pole: the northernmost scale never makes two towns further apart than they
        // are, so a loss per kilometre is no more than declared.
        let north = towns.iter().map(AnyTown::latitude).fold(0.0, |a: f64, b| a.max(b.abs()));
        let cosine = north.to_radians().cos();
        let raw: Vec<(AnyTown, Vec<f64>)> =
            towns.into_iter().filter_map(|t| Some((t, features(t, table, around)?))).collect();
        let width = raw.first().map_or(0, |(_, f)| f.len());
        let scales: Vec<(f64, f64)> = (0..width)
            .map(|i| {
                let column = || raw.iter().map(|(_, f)| f[i]);
                (column().fold(f64::INFINITY, f64::min), column().fold(f64::NEG_INFINITY, f64::max))
            })
            .collect();
        let places = raw.into_iter().map(|(town, raw)| place(town, &raw, cosine, &scales)).collect();
        (name, Region { places, cosine, scales })
    };
    gazetteer.regions().map(region).collect()
}

fn features(town: AnyTown, table: Option<&Table>, around: &PopulationMap) -> Option<Vec<f64>> {
    match table {
        Some(table) => table.get(town.code()).cloned(),
        None => {
            let log = |n: f64| (1.0 + n).ln();
            let (lat, lon) = (town.latitude(), town.longitude());
            Some(vec![log(f64::from(inhabitants(&town))), log(around.near(lat, lon)), lat, lon])
        }
    }
}

fn place(town: AnyTown, raw: &[f64], cosine: f64, scales: &[(f64, f64)]) -> Place {
    let scaled = |(v, &(low, high)): (&f64, &(f64, f64))| {
        if high > low { ((v - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
    };
    Place {
        town,
        km: [town.longitude() * KM_PER_DEGREE * cosine, town.latitude() * KM_PER_DEGREE],
        features: raw.iter().zip(scales).map(scaled).collect(),
    }
}

/// Inhabitants by cell.
struct PopulationMap(BTreeMap<(i32, i32), f64>);

fn population_map(language: Language) -> &'static PopulationMap {
    static FRENCH: OnceLock<PopulationMap> = OnceLock::new();
    static SPANISH: OnceLock<PopulationMap> = OnceLock::new();
    let cell = match language {
        Language::Fr => &FRENCH,
        Language::Es => &SPANISH,
    };
    cell.get_or_init(|| {
        let mut map = BTreeMap::new();
        for town in Lexicon::of(language).towns().filter(|t| t.kind() == taire_lexicon::TownKind::Town) {
            *map.entry(PopulationMap::key(town.latitude(), town.longitude())).or_insert(0.0) +=
                f64::from(inhabitants(&town));
        }
        PopulationMap(map)
    })
}

impl PopulationMap {
    fn key(lat: f64, lon: f64) -> (i32, i32) {
        ((lat / CELL).floor() as i32, (lon / CELL).floor() as i32)
    }

    /// Inhabitants of the cell and of those around it.
    fn near(&self, lat: f64, lon: f64) -> f64 {
        let (a, b) = PopulationMap::key(lat, lon);
        let cells = (a - 1..=a + 1).flat_map(|a| (b - 1..=b + 1).map(move |b| (a, b)));
        cells.filter_map(|c| self.0.get(&c)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn town(name: &str) -> AnyTown {
        let towns = Gazetteer::of(Language::Fr).named(name);
        towns.into_iter().max_by_key(inhabitants).unwrap()
    }

    #[test]
    fn profiles_lie_between_0_and_1_and_great_towns_are_alike() {
        let profiles = Profiles::shipped();
        let dijon = profiles.place(town("Dijon"), Language::Fr).unwrap();
        let places = profiles.region(dijon.town.region(), Language::Fr).unwrap();
        assert!(places.len() > 100);
        assert!(places.iter().flat_map(|p| &p.features).all(|f| (0.0..=1.0).contains(f)));
        let to = |name: &str| distance(&dijon, &profiles.place(town(name), Language::Fr).unwrap());
        assert!(to("Besançon") < to("Clamecy"), "{} {}", to("Besançon"), to("Clamecy"));
        let besancon = profiles.place(town("Besançon"), Language::Fr).unwrap();
        let km = kilometres(&dijon.km, &besancon.km);
        assert!((70.0..80.0).contains(&km), "{km}");
    }

    #[test]
    fn a_users_table_is_read_or_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("indicators.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Profiles::read(&path).map(|(profiles, _)| profiles)
        };
        let profiles = read("code,cancer,stroke\n21231,182.2,273.1\n25056,134.1,218.3\n").unwrap();
        let region = town("Dijon").region();
        assert_eq!(profiles.region(region, Language::Fr).unwrap().len(), 2);
        assert!(profiles.place(town("Beaune"), Language::Fr).is_none());
        for (text, says) in [
            ("town,cancer\nDijon,3\n", "`code` first"),
            ("code,cancer\n21231,many\n", "line 2"),
            ("code,cancer\n", "no town"),
        ] {
            let message = read(text).err().unwrap().to_string();
            assert!(message.contains(says), "{message}");
        }
    }
}
