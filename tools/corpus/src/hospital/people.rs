//! Who the patients are.
//!
//! - Names: by rank in the lists, with the weight of Zipf's law, 1 / (rank + 20): a few names are borne by many.
//! - Towns: by population, two thirds within the hospital's region, since hospitals serve their surroundings.
//! - Age at first stay: the age bands of French public hospitals, in round numbers (children 12 %, 15–44 27 %, 45–64
//!   23 %, 65–79 22 %, 80 and over 16 %).
//! - Households: one patient in five lives with the patient before, and bears the same family name.

use std::sync::LazyLock;

use jiff::civil::Date;
use serde_json::{Value, json};
use taire_lexicon::{Lexicon, Town};
use taire_text::{Gender, Language};

use crate::Rng;

const REGION: &str = "Bourgogne-Franche-Comté";
const HOUSEHOLD_PERCENT: usize = 20;

#[derive(Clone, Debug)]
pub struct Identity {
    pub number: String,
    pub gender: Gender,
    pub given: &'static str,
    pub family: &'static str,
    pub birth: Date,
    pub street: String,
    pub postal: &'static str,
    pub city: &'static str,
    pub phone: String,
    /// Of the doctor who follows the patient: shared by many.
    pub doctor: (&'static str, &'static str),
    pub profession: &'static str,
}

impl Identity {
    pub fn to_json(&self) -> Value {
        json!({
            "patient": self.number, "family_name": self.family, "given_names": [self.given],
            "birth_date": self.birth.to_string(), "sex": if self.gender == Gender::Female { "F" } else { "M" },
            "address": {"street": self.street, "postal_code": self.postal, "city": self.city},
            "phones": [self.phone],
            "caregivers": [{"family_name": self.doctor.1, "given_names": [self.doctor.0]}],
        })
    }
}

/// Towns with the sum of the populations up to each.
struct Towns {
    towns: Vec<Town<'static>>,
    sums: Vec<u64>,
}

impl Towns {
    fn of(keep: impl Fn(&Town<'static>) -> bool) -> Towns {
        let lexicon = Lexicon::of(Language::Fr);
        let inhabited = |t: &Town<'static>| t.population() > 0 && t.postal_codes().next().is_some();
        let towns: Vec<_> = lexicon.towns().filter(|t| inhabited(t) && keep(t)).collect();
        let mut sum = 0;
        let sums = towns.iter().map(|t| {
            sum += u64::from(t.population());
            sum
        });
        Towns { sums: sums.collect(), towns }
    }

    fn draw(&self, rng: &mut Rng) -> Option<&Town<'static>> {
        let total = *self.sums.last()? as usize;
        let at = rng.below(total) as u64;
        self.towns.get(self.sums.partition_point(|&s| s <= at))
    }
}

static NEAR: LazyLock<Towns> = LazyLock::new(|| Towns::of(|t| t.region() == region_code()));
static ALL: LazyLock<Towns> = LazyLock::new(|| Towns::of(|_| true));

/// The region as towns name it: by name or by code.
fn region_code() -> &'static str {
    static CODE: LazyLock<&'static str> = LazyLock::new(|| {
        let mut dijon = Lexicon::of(Language::Fr).towns_named("dijon");
        dijon.next().map_or(REGION, |t| t.region())
    });
    *CODE
}

/// A place in a list by Zipf's law with a flat head.
fn zipf<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    let n = list.len().max(1) as f64;
    // The inverse of the cumulated 1 / (rank + 20).
    let u = rng.below(1 << 30) as f64 / f64::from(1 << 30);
    let rank = 20.0 * ((n + 20.0) / 20.0).powf(u) - 20.0;
    list.get(rank as usize).copied().unwrap_or(list[0])
}

const WAYS: &[&str] = &["rue", "avenue", "place", "chemin", "impasse", "allée"];
const PROFESSIONS: &[&str] = &[
    "agriculteur",
    "maçon",
    "infirmière",
    "enseignante",
    "comptable",
    "cuisinier",
    "chauffeur routier",
    "employée de bureau",
    "coiffeuse",
    "électricien",
    "menuisier",
    "secrétaire",
    "vendeuse",
    "ouvrier",
    "retraité",
    "retraitée",
    "étudiant",
    "sans profession",
    "aide-soignante",
    "notaire",
    "apiculteur",
    "luthier",
];

/// Who the patient `index` is. One in five lives with the one before.
pub fn identity(seed: u64, index: u64) -> Identity {
    let mut rng = Rng::of_document(seed, index * 4 + 1);
    let shares_home = index > 0 && rng.percent(HOUSEHOLD_PERCENT);
    let home = if shares_home { Some(home(seed, index - 1)) } else { None };
    let home = home.unwrap_or_else(|| home_of(seed, index));
    let gender = if rng.percent(53) { Gender::Female } else { Gender::Male };
    let lexicon = Lexicon::of(Language::Fr);
    let pools = lexicon.pools();
    let given = zipf(&mut rng, pools.given(gender));
    let age = match rng.below(100) {
        0..12 => rng.below(15),
        12..39 => rng.between(15, 44),
        39..62 => rng.between(45, 64),
        62..84 => rng.between(65, 79),
        _ => rng.between(80, 99),
    };
    let birth = Date::new(2013 - age as i16, rng.between(1, 12) as i8, rng.between(1, 28) as i8);
    let doctor_index = rng.below(120) as u64;
    let mut of_doctor = Rng::of_document(seed, (1 << 40) + doctor_index);
    let doctor_gender = if of_doctor.percent(50) { Gender::Female } else { Gender::Male };
    let doctor = (zipf(&mut of_doctor, pools.given(doctor_gender)), zipf(&mut of_doctor, pools.family()));
    Identity {
        number: format!("8{:08}", (index * 7 + 1_000_003) % 100_000_000),
        gender,
        given,
        family: home.family,
        birth: birth.unwrap_or(Date::ZERO),
        street: home.street,
        postal: home.postal,
        city: home.city,
        phone: format!("0{}{}", rng.between(1, 7), rng.digits(8)),
        doctor,
        profession: PROFESSIONS[rng.below(PROFESSIONS.len())],
    }
}

struct Home {
    family: &'static str,
    street: String,
    postal: &'static str,
    city: &'static str,
}

/// The home of a patient, following those who live with the one before to the first of the household.
fn home(seed: u64, index: u64) -> Home {
    let mut first = index;
    while first > 0 && Rng::of_document(seed, first * 4 + 1).percent(HOUSEHOLD_PERCENT) {
        first -= 1;
    }
    home_of(seed, first)
}

fn home_of(seed: u64, index: u64) -> Home {
    let mut rng = Rng::of_document(seed, index * 4 + 2);
    let lexicon = Lexicon::of(Language::Fr);
    let family = zipf(&mut rng, lexicon.pools().family());
    let towns: &Towns = if rng.percent(66) { &NEAR } else { &ALL };
    let (city, postal) = match towns.draw(&mut rng) {
        Some(town) => (town.name(), town.postal_codes().next().unwrap_or("21000")),
        None => ("Dijon", "21000"),
    };
    let way = lexicon.pools().streets();
    let street = match way.is_empty() {
        true => format!("{} {} du Moulin", rng.between(1, 120), WAYS[rng.below(WAYS.len())]),
        false => format!("{} {}", rng.between(1, 120), way[rng.below(way.len())]),
    };
    Home { family, street, postal, city }
}
