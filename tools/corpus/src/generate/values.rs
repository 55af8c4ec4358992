//! Values that belong to nobody in particular: dates, places, numbers, facilities.

use jiff::ToSpan;
use jiff::civil::Date;
use taire_text::{Label, Language, Role};

use super::dates::{self, Surface};
use super::numbers;
use super::people::{self, Person};
use super::render::Scene;
use super::slots::Value;
use crate::cells::{Cells, Mark};
use crate::noise;
use crate::rng::Rng;

impl Scene<'_> {
    /// A day of the stay, most often soon after the one before.
    fn near(&mut self) -> Date {
        if let (Some(last), true) = (self.last, self.rng.percent(60)) {
            let on = self.rng.below(15) as i64;
            let date = last.checked_add(on.days()).unwrap_or(last);
            self.last = Some(date);
            return date;
        }
        let back = if self.rng.percent(75) { self.rng.below(60) } else { self.rng.below(4000) } as i64;
        let back = if self.rng.one_in(6) { -back } else { back };
        let date = self.today.checked_sub(back.days()).unwrap_or(self.today);
        self.last = Some(date);
        date
    }

    fn mark(&mut self, label: Label, text: &str) {
        self.out.mark(Mark::of(label), text);
    }

    pub(crate) fn value(&mut self, value: Value) {
        let language = self.language;
        let names = self.stock.names;
        match value {
            Value::Date | Value::FullDate | Value::When => {
                let near = self.near();
                let surface = match value {
                    Value::FullDate if !matches!(self.date, Surface::MonthYear | Surface::DayMonth) => {
                        self.date
                    }
                    Value::FullDate => dates::whole(&mut self.rng),
                    _ if self.rng.percent(70) => self.date,
                    _ => dates::any(&mut self.rng),
                };
                let text = dates::print(&mut self.rng, surface, near, language);
                self.mark(Label::Date, &text);
            }
            Value::Month => {
                let text = dates::month(language, self.rng.between(1, 12) as i8);
                self.mark(Label::Date, text);
            }
            Value::Year => {
                let year = self.today.year() - self.rng.below(35) as i16;
                self.mark(Label::Date, &year.to_string());
            }
            Value::Ago => self.marked_list(Label::RelativeDate, self.stock.lists.ago),
            Value::Since => self.marked_list(Label::RelativeDate, self.stock.lists.since),
            Value::Soon => self.marked_list(Label::RelativeDate, self.stock.lists.soon),
            Value::Time => {
                let h = if self.rng.percent(85) { self.rng.between(8, 19) } else { self.rng.below(24) };
                let m = self.rng.below(12) * 5;
                let text = match self.rng.below(4) {
                    0 => format!("{h}h"),
                    1 => format!("{h:02}:{m:02}"),
                    2 => format!("{h}h{m:02}"),
                    _ => format!("{h:02}h{m:02}"),
                };
                self.out.push(&text);
            }
            Value::Phone | Value::Fax => {
                let label = if value == Value::Fax { Label::Fax } else { Label::Phone };
                let text = numbers::phone(&mut self.rng, language);
                self.mark(label, &text);
            }
            Value::Email => {
                let person = Person::new(&mut self.rng, names, Role::Unknown, self.today.year());
                let mut text = people::email(&mut self.rng, &person, language);
                if self.rng.percent(25) {
                    let users =
                        ["secretariat", "consult", "labo", "accueil", "urgencias", "admision", "cardio"];
                    let user = self.rng.pick(&users);
                    text = format!(
                        "{user}@{}",
                        text.split_once('@').map_or("example.org", |(_, domain)| domain)
                    );
                }
                self.mark(Label::Email, &text);
            }
            Value::Url => {
                let town = plain_word(names.town(&mut self.rng).name);
                let hosts = ["www.ch-", "https://www.hopital-", "http://", "www.", "https://portal."];
                let end = if language == Language::Fr { ".fr" } else { ".es" };
                let text = format!("{}{town}{end}", self.rng.pick(&hosts));
                self.mark(Label::Url, &text);
            }
            Value::Ip => {
                let text = numbers::ip(&mut self.rng);
                self.mark(Label::IpAddress, &text);
            }
            Value::Hospital => {
                if self.rng.percent(45) {
                    let name = names.hospital(&mut self.rng);
                    let text = match self.rng.below(10) {
                        0 => name.to_uppercase(),
                        1 => name.replacen("Hôpital", "hôpital", 1).replacen(
                            "Hospital Universitario",
                            "H.U.",
                            1,
                        ),
                        2 => name.replacen("Hôpital", "Hop.", 1).replacen("Hospital", "Hosp.", 1),
                        3 => name.replacen("Hôpital", "HOP", 1).replacen("Hospital", "H.", 1),
                        4 => name.replace('-', " "),
                        _ => name.to_owned(),
                    };
                    self.mark(Label::Hospital, &text);
                } else {
                    self.marked_list(Label::Hospital, self.stock.lists.hospital);
                }
            }
            Value::Centre => {
                let text = names.centre(&mut self.rng);
                self.mark(Label::HealthCentre, text);
            }
            Value::Institution => {
                let text = names.institution(&mut self.rng);
                self.mark(Label::Institution, text);
            }
            Value::Street => {
                let text = people::street(&mut self.rng, names);
                self.mark(Label::Street, &text);
            }
            Value::PostalCode | Value::City | Value::Address => {
                let town = names.town(&mut self.rng);
                let code = self.rng.pick(&town.postal);
                match value {
                    Value::PostalCode => {
                        let text = postal(&mut self.rng, code, language);
                        self.mark(Label::PostalCode, &text);
                    }
                    Value::City => {
                        let text = city(&mut self.rng, town.name, language);
                        self.mark(Label::City, &text);
                    }
                    _ => {
                        let street = people::street(&mut self.rng, names);
                        address(&mut self.rng, &mut self.out, &street, code, town.name, language);
                    }
                }
            }
            Value::Region => self.marked_list(Label::Region, self.stock.lists.region),
            Value::Country => self.marked_list(Label::Country, self.stock.lists.country),
            Value::Visit => {
                let text = numbers::visit(&mut self.rng, language);
                self.mark(Label::VisitId, &text);
            }
            Value::Employee => {
                let text = format!("{}{}", self.rng.letter(), self.rng.digits(5));
                self.mark(Label::EmployeeId, &text);
            }
            Value::Iban => {
                let text = numbers::iban(&mut self.rng, language);
                self.mark(Label::AccountNumber, &text);
            }
            Value::Plate => {
                let text = numbers::plate(&mut self.rng, language);
                self.mark(Label::VehicleId, &text);
            }
            Value::Device => {
                let text = numbers::device(&mut self.rng);
                self.mark(Label::DeviceId, &text);
            }
            Value::HealthPlan => {
                let text = self.rng.digits(9);
                self.mark(Label::HealthPlan, &text);
            }
            Value::OtherId => {
                let (year, digits) = (self.today.year() % 100, self.rng.digits(6));
                let text = if self.rng.percent(50) { format!("{year:02}-{digits}") } else { digits };
                self.mark(Label::OtherId, &text);
            }
            Value::Finess => {
                let text = format!("{:02}0{}", self.rng.between(1, 95), self.rng.digits(6));
                self.mark(Label::ProfessionalLicence, &text);
            }
            Value::Noise => {
                for i in 0..self.rng.between(5, 16) {
                    if i > 0 {
                        self.out.push(" ");
                    }
                    let n = self.rng.between(1, 4);
                    let digits = self.rng.digits(n);
                    self.out.push(&digits);
                }
            }
            Value::Rule => {
                let (mark, n) = (self.rng.pick(&["-", "_", "=", "*", "."]), self.rng.between(8, 50));
                self.out.push(&mark.repeat(n));
            }
        }
    }
}

fn plain_word(name: &str) -> String {
    let letters = name.chars().map(noise::without_accents).filter(|c| c.is_ascii_alphanumeric() || *c == '-');
    letters.collect::<String>().to_ascii_lowercase()
}

pub(crate) fn postal(rng: &mut Rng, code: &str, language: Language) -> String {
    match (language, rng.below(40)) {
        (Language::Fr, 0) => format!("{} {}", &code[..2], &code[2..]),
        (Language::Fr, 1) => {
            format!("{}{}{}", rng.pick(&["2A", "2B"]), rng.pick(&["", "", " "]), rng.digits(3))
        }
        (Language::Fr, 2) => format!("F-{code}"),
        (Language::Es, 0) => format!("E-{code}"),
        _ => code.to_owned(),
    }
}

pub(crate) fn city(rng: &mut Rng, name: &str, language: Language) -> String {
    let name = match (name.strip_suffix(" Arrondissement"), rng.below(3)) {
        (Some(part), 0) => part,
        (Some(part), 1) => part.trim_end_matches(['e', 'r']),
        (Some(part), _) => part.split(' ').next().unwrap_or(part),
        (None, _) => name,
    };
    let mut text = match rng.below(10) {
        0..4 => name.to_uppercase(),
        4 if language == Language::Fr => name.replacen("Saint-", "St ", 1).replacen("Sainte-", "Ste ", 1),
        5 => name.replace('-', " "),
        _ => name.to_owned(),
    };
    if rng.percent(25) {
        text = text.chars().map(noise::without_accents).collect();
    }
    if language == Language::Fr && rng.one_in(16) {
        text.push_str(rng.pick(&[" CEDEX", " Cedex", " CEDEX 2", " cedex 09"]));
    }
    text
}

pub(crate) fn address(
    rng: &mut Rng,
    out: &mut Cells,
    street: &str,
    code: &str,
    town: &str,
    language: Language,
) {
    out.mark(Mark::of(Label::Street), street);
    out.push(rng.pick(&[", ", ", ", " ", "\n", " - ", ". "]));
    let code = postal(rng, code, language);
    let town = city(rng, town, language);
    if language == Language::Es && rng.percent(30) {
        out.mark(Mark::of(Label::City), &town);
        let (open, close) = [(" ", ""), (", ", ""), (" (", ")")][rng.below(3)];
        out.push(open);
        out.mark(Mark::of(Label::PostalCode), &code);
        out.push(close);
    } else {
        out.mark(Mark::of(Label::PostalCode), &code);
        out.push(rng.pick(&[" ", " ", " ", ", "]));
        out.mark(Mark::of(Label::City), &town);
    }
}
