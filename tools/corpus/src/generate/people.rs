//! Invented people, and the ways their names are written.

use jiff::civil::Date;
use taire_text::{Gender, Label, Language, Role};

use super::names::{Names, capitalised};
use super::{dates, numbers};
use crate::cells::{Cells, Mark};
use crate::noise::without_accents;
use crate::rng::Rng;

#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub(crate) role: Role,
    pub(crate) gender: Gender,
    pub(crate) doctor: bool,
    pub(crate) givens: Vec<String>,
    pub(crate) family: String,
    pub(crate) birth_name: String,
    pub(crate) birth: Date,
    pub(crate) street: String,
    pub(crate) postal: &'static str,
    pub(crate) city: &'static str,
    pub(crate) phone: String,
    pub(crate) patient_id: String,
    pub(crate) social: String,
    pub(crate) national: String,
    pub(crate) licence: String,
}

impl Person {
    pub(crate) fn new(rng: &mut Rng, names: &Names, role: Role, year: i16) -> Person {
        let language = names.language;
        let gender = if rng.percent(50) { Gender::Female } else { Gender::Male };
        // In real forms the sex of the given name is sometimes wrong.
        let given_name_gender = match gender {
            Gender::Female if rng.one_in(25) => Gender::Male,
            other => other,
        };
        let count = 1 + rng.weighted([72, 16, 12].into_iter());
        let givens = match language {
            Language::Fr => (0..count).map(|_| names.given(rng, given_name_gender)).collect(),
            Language::Es => vec![names.given(rng, given_name_gender)],
        };
        let age = match role {
            Role::Patient => {
                rng.weighted([8, 6, 8, 10, 12, 14, 16, 16, 12, 4].into_iter()) * 10 + rng.below(10)
            }
            _ => rng.between(25, 66),
        };
        let birth = Date::new(year - age as i16, rng.between(1, 12) as i8, rng.between(1, 28) as i8)
            .unwrap_or(Date::ZERO);
        let town = names.town(rng);
        Person {
            role,
            gender,
            doctor: role == Role::Caregiver,
            givens,
            family: names.family(rng),
            birth_name: names.family(rng),
            birth,
            street: street(rng, names),
            postal: rng.pick(&town.postal),
            city: town.name,
            phone: numbers::phone(rng, language),
            patient_id: numbers::patient_id(rng, language),
            social: match language {
                Language::Fr => numbers::nir(rng, gender == Gender::Female, birth.year(), birth.month()),
                Language::Es => numbers::nass(rng),
            },
            national: numbers::dni(rng),
            licence: numbers::licence(rng, language),
        }
    }

    pub(crate) fn mark(&self, label: Label) -> Mark {
        match label {
            Label::Age | Label::GivenName | Label::FamilyName | Label::Initials => {
                Mark { label, role: self.role }
            }
            Label::BirthDate if self.role == Role::Relative => Mark { label, role: self.role },
            _ => Mark::of(label),
        }
    }
}

/// A door and its street: `12 bis rue des Lilas`, `C/ Mayor, 4, 2º B`.
pub(crate) fn street(rng: &mut Rng, names: &Names) -> String {
    let way = names.street(rng);
    let number = if rng.percent(80) { rng.between(1, 130) } else { rng.between(131, 999) };
    match names.language {
        Language::Fr => {
            let way = match rng.below(12) {
                0 => way.to_uppercase(),
                1 => way.replacen("avenue", "av.", 1).replacen("boulevard", "bd", 1).replacen("rue", "r.", 1),
                2 => capitalised(&way),
                3 => way
                    .replacen("rue", "Rue", 1)
                    .replacen("avenue", "Avenue", 1)
                    .replacen("allée", "Allée", 1),
                _ => way,
            };
            let after = if rng.one_in(5) { "," } else { "" };
            match rng.below(20) {
                0 => format!("{number} {} {way}", rng.pick(&["bis", "ter", "B", "A"])),
                1 => format!("{number}-{}{after} {way}", number + 2),
                2 => format!(
                    "{number}{after} {way}, {} {}",
                    rng.pick(&["appt", "Apt", "APPT", "bât."]),
                    rng.between(1, 190)
                ),
                3 => format!(
                    "Résidence {}, {number}{after} {way}",
                    rng.pick(&["Les Pins", "Bellevue", "du Lac"])
                ),
                4 => format!("{} {way}", dates::number(Language::Fr, number.min(80) as i32)),
                5 => way,
                _ => format!("{number}{after} {way}"),
            }
        }
        Language::Es => {
            let way = match rng.below(6) {
                0 => way
                    .replacen("calle", "C/", 1)
                    .replacen("avenida", "Avda.", 1)
                    .replacen("plaza", "Pza.", 1),
                1 => way.replacen("calle", "c/", 1).replacen("avenida", "Av.", 1),
                2 => way.to_uppercase(),
                _ => {
                    let mut chars = way.chars();
                    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
                }
            };
            let comma = if rng.percent(60) { "," } else { "" };
            let door = match rng.below(7) {
                0 => format!(", {}º {}", rng.between(1, 9), rng.pick(&["A", "B", "C", "izq", "dcha", "D"])),
                1 => format!(" {}-{}", rng.between(1, 9), rng.pick(&["A", "B", "C", "2"])),
                2 => format!(", piso {}, puerta {}", rng.between(1, 9), rng.between(1, 6)),
                _ => String::new(),
            };
            let number = if rng.one_in(20) {
                rng.pick(&["s/n", "S/N", "nº 4", "núm. 15"]).to_owned()
            } else {
                number.to_string()
            };
            format!("{way}{comma} {number}{door}")
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Case {
    Upper,
    Title,
    Lower,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Givens {
    First,
    All,
    Initials,
}

/// How one document writes the names of one kind of people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameStyle {
    family_first: bool,
    family: Case,
    given: Case,
    givens: Givens,
    comma: bool,
    without_accents: bool,
}

impl NameStyle {
    pub(crate) fn draw(rng: &mut Rng, language: Language, role: Role) -> NameStyle {
        let family = match rng.below(20) {
            0..10 => Case::Upper,
            10..19 => Case::Title,
            _ => Case::Lower,
        };
        let given = match (family, rng.below(10)) {
            (Case::Upper, 0..5) => Case::Upper,
            (Case::Lower, _) => Case::Lower,
            _ => Case::Title,
        };
        let initials = if role == Role::Caregiver { 30 } else { 8 };
        let givens = match rng.below(100) {
            n if n < initials => Givens::Initials,
            n if n < initials + 40 => Givens::First,
            _ => Givens::All,
        };
        let family_first = rng.percent(if language == Language::Fr { 52 } else { 25 });
        NameStyle {
            family_first,
            family,
            given,
            givens,
            comma: family_first && rng.percent(if language == Language::Fr { 4 } else { 55 }),
            without_accents: rng.percent(35),
        }
    }

    pub(crate) fn ordered(self, family_first: bool) -> NameStyle {
        NameStyle { family_first, ..self }
    }

    pub(crate) fn family(&self, rng: &mut Rng, name: &str) -> String {
        self.cased(rng, self.family, name)
    }

    fn cased(&self, rng: &mut Rng, case: Case, name: &str) -> String {
        let name = match case {
            Case::Upper => name.to_uppercase(),
            Case::Title => name.to_owned(),
            Case::Lower => name.to_lowercase(),
        };
        let strip = self.without_accents || (case == Case::Upper && rng.percent(45));
        if strip { name.chars().map(without_accents).collect() } else { name }
    }

    /// Writes the given part: names or initials.
    fn write_given(&self, rng: &mut Rng, person: &Person, out: &mut Cells) {
        match self.givens {
            Givens::Initials => {
                let text = initials(rng, &person.givens);
                out.mark(person.mark(Label::Initials), &text);
            }
            Givens::First => {
                let text = self.cased(rng, self.given, &person.givens[0]);
                out.mark(person.mark(Label::GivenName), &text);
            }
            Givens::All => {
                let text = self.cased(rng, self.given, &person.givens.join(" "));
                out.mark(person.mark(Label::GivenName), &text);
            }
        }
    }

    pub(crate) fn write(&self, rng: &mut Rng, person: &Person, out: &mut Cells) {
        let family = self.family(rng, &person.family);
        if self.family_first {
            out.mark(person.mark(Label::FamilyName), &family);
            out.push(if self.comma { ", " } else { " " });
            self.write_given(rng, person, out);
        } else {
            self.write_given(rng, person, out);
            out.push(if self.givens == Givens::Initials && rng.one_in(14) { "" } else { " " });
            out.mark(person.mark(Label::FamilyName), &family);
        }
    }

    pub(crate) fn write_givens(&self, rng: &mut Rng, person: &Person, all: bool, out: &mut Cells) {
        let text = if all { person.givens.join(" ") } else { person.givens[0].clone() };
        let text = self.cased(rng, self.given, &text);
        out.mark(person.mark(Label::GivenName), &text);
    }
}

/// `J.`, `J.-P.`, `JP`, `J-P.`: the initials of the first given name, or of all.
fn initials(rng: &mut Rng, givens: &[String]) -> String {
    let all = givens.join(" ");
    let source = if rng.percent(75) { &givens[0] } else { &all };
    let letters: Vec<char> = source
        .split([' ', '-', '\''])
        .filter(|w| !matches!(*w, "del" | "de" | "los"))
        .filter_map(|w| w.chars().next())
        .map(|c| without_accents(c).to_ascii_uppercase())
        .take(3)
        .collect();
    let join =
        |glue: &str, end: &str| letters.iter().map(char::to_string).collect::<Vec<_>>().join(glue) + end;
    match rng.below(10) {
        0..6 if letters.len() == 1 => join("", "."),
        _ if letters.len() == 1 => join("", if rng.percent(60) { "." } else { "" }),
        0..4 => join(".-", "."),
        4 | 5 => join(".", "."),
        6 => join("-", "."),
        7 => join(". ", "."),
        8 => join("-", ""),
        _ => join("", "."),
    }
}

/// Both initials of a person who is not named further: `J.D.`, `JD`.
pub(crate) fn both_initials(rng: &mut Rng, person: &Person) -> String {
    let first = |text: &str| {
        text.chars().find(|c| c.is_alphabetic()).map_or('X', |c| without_accents(c).to_ascii_uppercase())
    };
    let (g, f) = (first(&person.givens[0]), first(&person.family));
    match rng.below(4) {
        0 => format!("{g}.{f}."),
        1 => format!("{f}. {g}."),
        2 => format!("{g}{f}"),
        _ => format!("{g}. {f}."),
    }
}

/// The title and what is between it and the name.
pub(crate) fn title(rng: &mut Rng, person: &Person, language: Language) -> String {
    use Gender::{Female, Male};
    let titles: &[&str] = match (language, person.doctor, person.gender) {
        (Language::Fr, true, _) => &[
            "Dr ",
            "Dr ",
            "Dr ",
            "Dr ",
            "Docteur ",
            "Docteur ",
            "DR ",
            "Dr. ",
            "Dr.",
            "Pr ",
            "Pr ",
            "Professeur ",
            "Pr. ",
            "DOCTEUR ",
            "dr ",
        ],
        (Language::Fr, _, Female) => &[
            "Mme ",
            "Mme ",
            "Mme ",
            "Madame ",
            "Madame ",
            "MME ",
            "Mme.",
            "Mme. ",
            "MADAME ",
            "Mlle ",
            "Mademoiselle ",
            "mme ",
        ],
        (Language::Fr, _, Male) => &[
            "M. ",
            "M. ",
            "M. ",
            "Mr ",
            "Mr ",
            "Monsieur ",
            "Monsieur ",
            "MR ",
            "M.",
            "Mr. ",
            "MONSIEUR ",
            "M ",
            "mr ",
        ],
        (Language::Es, true, Female) => {
            &["Dra. ", "Dra. ", "Dra. ", "Dra ", "DRA. ", "Doctora ", "Dra.", "la doctora "]
        }
        (Language::Es, true, Male) => {
            &["Dr. ", "Dr. ", "Dr. ", "Dr ", "DR. ", "Doctor ", "Dr.", "el doctor "]
        }
        (Language::Es, _, Female) => {
            &["Dña. ", "Dña. ", "Sra. ", "Sra. ", "Doña ", "Sra ", "D.ª ", "SRA. ", "la señora ", "Srta. "]
        }
        (Language::Es, _, Male) => &["D. ", "D. ", "Sr. ", "Sr. ", "Don ", "Sr ", "D.", "SR. ", "el señor "],
    };
    rng.pick(titles).to_owned()
}

pub(crate) fn email(rng: &mut Rng, person: &Person, language: Language) -> String {
    let plain = |text: &str| -> String {
        text.chars()
            .map(without_accents)
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase()
    };
    let given = plain(person.givens[0].split([' ', '-']).next().unwrap_or_default());
    let family = plain(person.family.split(' ').next_back().unwrap_or_default());
    let initial = given.chars().next().unwrap_or('x');
    let user = match rng.below(7) {
        0 => format!("{initial}.{family}"),
        1 => format!("{initial}{family}"),
        2 => format!("{family}.{given}"),
        3 => format!("{given}_{family}"),
        4 => format!("{family}{}", rng.between(1, 99)),
        5 => format!("{given}-{family}"),
        _ => format!("{given}.{family}"),
    };
    let domains: &[&str] = match language {
        Language::Fr => &[
            "aphp.fr",
            "chu-nord.fr",
            "ch-littoral.fr",
            "gmail.com",
            "orange.fr",
            "wanadoo.fr",
            "free.fr",
            "hotmail.fr",
            "laposte.net",
            "chru-est.fr",
            "hopital-prive.com",
            "medecin.mssante.fr",
            "yahoo.fr",
            "clinique-parc.fr",
            "univ-hopital.org",
            "AP-HP.fr",
        ],
        Language::Es => &[
            "salud.es",
            "gmail.com",
            "hotmail.com",
            "yahoo.es",
            "hospitalsur.es",
            "sanidadnorte.org",
            "telefonica.net",
            "hotmail.es",
            "clinicaparque.com",
            "csanitari.cat",
            "osakidetza.example.eus",
            "outlook.es",
        ],
    };
    format!("{user}@{}", rng.pick(domains))
}
