//! Names and towns for invented documents: frequent and rare ones of the lexicons, and invented ones.

use taire_lexicon::Lexicon;
use taire_text::{Gender, Language};

use crate::rng::Rng;

#[derive(Debug)]
pub(crate) struct Town {
    pub(crate) name: &'static str,
    pub(crate) postal: Vec<&'static str>,
}

#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) language: Language,
    lexicon: &'static Lexicon,
    pub(crate) rare_given: [Vec<String>; 2],
    pub(crate) rare_family: Vec<String>,
    /// Family names that are also words: Petit, Marchand, Calle.
    pub(crate) word_family: Vec<String>,
    pub(crate) cities: Vec<Town>,
    pub(crate) villages: Vec<Town>,
}

const FRENCH_FOREIGN: &str = "Nguyen Tran Benali Bouzid Traoré Diallo Coulibaly Ndiaye Kowalski Nowak Ivanov \
    Petrović Yılmaz Öztürk Schmidt Müller Wagner Rossi Esposito Ferrari O'Connor MacDonald Okonkwo Haddad \
    Khoury Rakotomalala Andrianarisoa Ouedraogo Mbappé Ngo Pham Zhang Wang Liu Singh Kaur Patel Rahman Ahmed \
    Bensaïd Zerrouki Tchouamé Da\u{a0}Silva Dos\u{a0}Santos Ferreira Gonçalves Popescu Ionescu Szabó Horváth \
    Johansson Eriksen Papadopoulos Tanaka Kim Kouassi N'Guessan M'Barek Ait\u{a0}Ahmed Ould\u{a0}Sidi";
const SPANISH_FOREIGN: &str = "Benali El\u{a0}Amrani Bouzid Mohamed Popescu Ionescu Dumitru Ivanova Petrov Chen \
    Zhang Wang Smith Johnson Müller Schmidt Rossi Ferreira Da\u{a0}Silva Diallo Traoré Ndiaye Quispe Mamani \
    Huamán Chávez O'Connor Etxeberria Goikoetxea Agirre Zubizarreta Puig Ferrer Bosch Casals Feijóo Castiñeira \
    Singh Kaur Nguyen Kowalska Horvat Ait\u{a0}Ahmed Ben\u{a0}Salah";
const FRENCH_PARTICLES: &[&str] = &[
    "de", "de", "Le", "Le", "La", "De", "du", "Du", "de la", "De la", "des", "Van", "Van der", "Von", "Ben",
    "Ait", "El", "Mc", "Saint", "d'", "D'", "L'",
];
const SPANISH_PARTICLES: &[&str] =
    &["de", "De", "de la", "De la", "del", "Del", "de los", "San", "Van", "El", "Ben"];
const FRENCH_SECOND: &[&str] =
    &["Pierre", "Marc", "Luc", "Paul", "François", "Claude", "Michel", "Marie", "Louis"];
const SPANISH_SECOND: [&[&str]; 2] = [
    &[
        "del Carmen",
        "Teresa",
        "Isabel",
        "Dolores",
        "del Pilar",
        "José",
        "Luisa",
        "de los Ángeles",
        "Elena",
        "Jesús",
    ],
    &["Antonio", "Luis", "Manuel", "María", "Carlos", "Ramón", "Miguel", "Ángel", "Francisco", "Ignacio"],
];

pub(crate) fn gender_index(gender: Gender) -> usize {
    usize::from(gender == Gender::Male)
}

/// The first letter of each word in capitals, the rest in small letters.
pub(crate) fn capitalised(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut first = true;
    for c in word.chars() {
        if first {
            out.extend(c.to_uppercase());
        } else {
            out.extend(c.to_lowercase());
        }
        first = matches!(c, ' ' | '-' | '\'' | '’');
    }
    out
}

impl Names {
    pub(crate) fn of(language: Language) -> Names {
        let lexicon = Lexicon::of(language);
        let mut names = Names {
            language,
            lexicon,
            rare_given: Default::default(),
            rare_family: Vec::new(),
            word_family: Vec::new(),
            cities: Vec::new(),
            villages: Vec::new(),
        };
        lexicon.for_each_word(|word, facts| {
            let length = word.chars().count();
            if length < 3 || !word.chars().all(|c| c.is_alphabetic()) {
                return;
            }
            if facts.word_class() == 0 && !facts.is_drug() && !facts.is_medical() {
                if let (1..=4, Some(gender)) = (facts.given_tier(), facts.gender()) {
                    names.rare_given[gender_index(gender)].push(capitalised(word));
                }
                if matches!(facts.family_tier(), 1..=4) {
                    names.rare_family.push(capitalised(word));
                }
            } else if facts.family_tier() >= 4 && matches!(facts.word_class(), 1 | 2) {
                names.word_family.push(capitalised(word));
            }
        });
        for town in lexicon.towns() {
            let entry = Town { name: town.name(), postal: town.postal_codes().collect() };
            if entry.postal.is_empty() {
                continue;
            }
            let list = if town.population() > 8_000 { &mut names.cities } else { &mut names.villages };
            list.push(entry);
        }
        names
    }

    pub(crate) fn given(&self, rng: &mut Rng, gender: Gender) -> String {
        let pool = self.lexicon.pools().given(gender);
        let frequent = |rng: &mut Rng| {
            let bound = if rng.percent(50) { pool.len().min(250) } else { pool.len() };
            pool[rng.below(bound)]
        };
        let rare = &self.rare_given[gender_index(gender)];
        match (self.language, rng.below(100)) {
            (_, 0..22) if !rare.is_empty() => rare[rng.below(rare.len())].clone(),
            (Language::Fr, 22..34) => {
                let first =
                    if gender == Gender::Male { "Jean" } else { rng.pick(&["Marie", "Anne", "Marie"]) };
                let second = if rng.percent(50) { frequent(rng) } else { rng.pick(FRENCH_SECOND) };
                format!("{first}{}{second}", rng.pick(&["-", "-", "-", " "]))
            }
            (Language::Es, 22..50) => {
                format!("{} {}", frequent(rng), rng.pick(SPANISH_SECOND[gender_index(gender)]))
            }
            _ => frequent(rng).to_owned(),
        }
    }

    /// A family name; in Spanish, most often two.
    pub(crate) fn family(&self, rng: &mut Rng) -> String {
        let first = self.one_family(rng);
        match self.language {
            Language::Fr if rng.percent(7) => {
                format!("{first}{}{}", rng.pick(&["-", "-", " "]), self.one_family(rng))
            }
            Language::Es if rng.percent(82) => {
                let and = if rng.one_in(30) { " y " } else { " " };
                format!("{first}{and}{}", self.one_family(rng))
            }
            _ => first,
        }
    }

    fn one_family(&self, rng: &mut Rng) -> String {
        let (foreign, particles) = match self.language {
            Language::Fr => (FRENCH_FOREIGN, FRENCH_PARTICLES),
            Language::Es => (SPANISH_FOREIGN, SPANISH_PARTICLES),
        };
        let pool = self.lexicon.pools().family();
        // The Spanish lexicon's rare names come from all over Europe.
        let rare = if self.language == Language::Fr { 28 } else { 12 };
        match rng.below(100) {
            n if n < rare && !self.rare_family.is_empty() => self.rare(rng).to_owned(),
            28..38 if !self.word_family.is_empty() => {
                self.word_family[rng.below(self.word_family.len())].clone()
            }
            38..45 => {
                let list: Vec<&str> = foreign.split([' ', '\n']).filter(|w| !w.is_empty()).collect();
                rng.pick(&list).replace('\u{a0}', " ")
            }
            45..52 => {
                let particle = rng.pick(particles);
                let glue = if particle.ends_with('\'') || particle == "Mc" { "" } else { " " };
                let name = pool[rng.below(pool.len())];
                format!("{particle}{glue}{name}")
            }
            52..57 if self.rare_family.len() > 100 => self.invented_family(rng),
            60..80 => pool[rng.below(pool.len().min(600))].to_owned(),
            _ => pool[rng.below(pool.len())].to_owned(),
        }
    }

    fn rare(&self, rng: &mut Rng) -> &str {
        &self.rare_family[rng.below(self.rare_family.len())]
    }

    /// The head of one rare name and the tail of another.
    pub(crate) fn invented_family(&self, rng: &mut Rng) -> String {
        let (a, b) = (self.rare(rng).to_owned(), self.rare(rng).to_owned());
        let cut = a.chars().count().div_ceil(2);
        let tail = b.chars().count() / 2;
        a.chars().take(cut).chain(b.chars().skip(tail)).collect()
    }

    pub(crate) fn town(&self, rng: &mut Rng) -> &Town {
        let list = if rng.percent(60) { &self.cities } else { &self.villages };
        &list[rng.below(list.len())]
    }

    pub(crate) fn street(&self, rng: &mut Rng) -> String {
        let pool = self.lexicon.pools().streets();
        pool[rng.below(pool.len())].to_owned()
    }

    pub(crate) fn hospital(&self, rng: &mut Rng) -> &'static str {
        rng.pick(self.lexicon.pools().hospitals())
    }

    pub(crate) fn centre(&self, rng: &mut Rng) -> &'static str {
        rng.pick(self.lexicon.pools().health_centres())
    }

    pub(crate) fn institution(&self, rng: &mut Rng) -> &'static str {
        rng.pick(self.lexicon.pools().institutions())
    }
}
