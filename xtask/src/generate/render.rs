//! One document: a template walked with a cast of people, a calendar and a style.

use jiff::ToSpan;
use jiff::civil::Date;
use taire_text::{Gender, Label, Language, Role};

use super::cells::{Cells, Mark};
use super::dates::{self, Surface};
use super::names::Names;
use super::people::{self, NameStyle, Person};
use super::prose::{Place, Prose};
use super::rng::Rng;
use super::slots::{Form, Slot, Value, role};
use super::template::{Library, Node};
use super::{noise, numbers};

/// What documents are made from.
#[derive(Debug)]
pub(super) struct Stock<'a> {
    pub(super) library: &'a Library,
    pub(super) names: &'a Names,
    pub(super) prose: &'a Prose,
    /// Lists the code draws from.
    pub(super) lists: Lists,
}

/// Lists that every language's templates must have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lists {
    hospital: usize,
    region: usize,
    country: usize,
    profession: usize,
    relative_date: usize,
    female_kin: usize,
    male_kin: usize,
    aside: usize,
}

impl Lists {
    pub(super) fn of(library: &Library) -> Result<Lists, String> {
        let list =
            |name: &str| library.list_named(name).ok_or(format!("the templates lack the list `{name}`"));
        Ok(Lists {
            hospital: list("hospital")?,
            region: list("region")?,
            country: list("country")?,
            profession: list("profession")?,
            relative_date: list("relative-date")?,
            female_kin: list("kin-female")?,
            male_kin: list("kin-male")?,
            aside: list("aside")?,
        })
    }
}

pub(super) struct Scene<'a> {
    stock: &'a Stock<'a>,
    language: Language,
    rng: Rng,
    out: Cells,
    people: Vec<(String, Person)>,
    today: Date,
    names: NameStyle,
    caregivers: NameStyle,
    date: Surface,
    birth: Surface,
    fields: bool,
}

/// Renders one variant of a family, with its noise.
pub(super) fn document(stock: &Stock<'_>, variant: &[Node], mut rng: Rng) -> Cells {
    let language = stock.names.language;
    let year = if rng.percent(85) { rng.between(2008, 2027) } else { rng.between(1988, 2035) } as i16;
    let today = Date::new(year, rng.between(1, 12) as i8, rng.between(1, 28) as i8).unwrap_or(Date::ZERO);
    let mut scene = Scene {
        stock,
        language,
        names: NameStyle::draw(&mut rng, language, Role::Patient),
        caregivers: NameStyle::draw(&mut rng, language, Role::Caregiver),
        date: dates::any(&mut rng),
        birth: dates::whole(&mut rng),
        fields: rng.one_in(50),
        rng,
        out: Cells::default(),
        people: Vec::new(),
        today,
    };
    scene.nodes(variant);
    let Scene { mut rng, mut out, .. } = scene;
    noise::apply(&mut rng, &mut out);
    out
}

impl Scene<'_> {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Text(text) => self.out.push(text),
            Node::OneOf(options) => {
                let at = self.rng.below(options.len());
                self.nodes(&options[at]);
            }
            Node::Repeat { low, high, body } => {
                for _ in 0..self.rng.between(*low, *high) {
                    self.nodes(body);
                }
            }
            Node::BySex { person, female, male } => {
                let at = self.person(person, false);
                match self.people[at].1.gender {
                    Gender::Female => self.nodes(female),
                    Gender::Male => self.nodes(male),
                }
            }
            Node::List(list) => self.list(*list),
            Node::Marked { label, body } => {
                let opened = self.out.open(Mark::of(*label));
                self.nodes(body);
                if opened {
                    self.out.close();
                }
            }
            Node::Slot(slot) => self.slot(slot),
        }
    }

    fn list(&mut self, list: usize) {
        let entries = &self.stock.library.lists[list];
        let at = self.rng.below(entries.len());
        self.nodes(&entries[at]);
    }

    fn marked_list(&mut self, label: Label, list: usize) {
        let opened = self.out.open(Mark::of(label));
        self.list(list);
        if opened {
            self.out.close();
        }
    }

    fn person(&mut self, key: &str, fresh: bool) -> usize {
        let at = self.people.iter().position(|(k, _)| k == key);
        if let (Some(at), false) = (at, fresh) {
            return at;
        }
        let mut person = Person::new(&mut self.rng, self.stock.names, role(key), self.today.year());
        let patient = self.people.iter().find(|(k, _)| k == "patient");
        if let (Role::Relative, Some((_, patient))) = (person.role, patient)
            && self.rng.percent(40)
        {
            person.family.clone_from(&patient.family);
        }
        match at {
            Some(at) => {
                self.people[at].1 = person;
                at
            }
            None => {
                self.people.push((key.to_owned(), person));
                self.people.len() - 1
            }
        }
    }

    fn slot(&mut self, slot: &Slot) {
        match slot {
            Slot::Person { key, fresh, form } => self.written_person(key, *fresh, *form),
            Slot::Value(value) => self.value(*value),
            Slot::Number(low, high) => {
                let n = self.rng.between(*low, *high);
                self.out.push(&n.to_string());
            }
            Slot::Decimal(low, high) => {
                let (whole, tenth) = (self.rng.between(*low, *high), self.rng.below(10));
                let mark = if self.rng.percent(75) { ',' } else { '.' };
                self.out.push(&format!("{whole}{mark}{tenth}"));
            }
            Slot::Digits(low, high) => {
                let n = self.rng.between(*low, *high);
                let digits = self.rng.digits(n);
                self.out.push(&digits);
            }
            Slot::Prose(low, high) => self.prose(*low, *high, false),
            Slot::Story(low, high) => self.prose(*low, *high, true),
        }
    }

    fn style(&mut self, role: Role) -> NameStyle {
        if self.rng.percent(20) {
            return NameStyle::draw(&mut self.rng, self.language, role);
        }
        if role == Role::Caregiver { self.caregivers } else { self.names }
    }

    fn written_person(&mut self, key: &str, fresh: bool, form: Form) {
        let at = self.person(key, fresh);
        let style = self.style(self.people[at].1.role);
        let Scene { people, rng, out, language, stock, .. } = self;
        let person = &people[at].1;
        let is_name = matches!(form, Form::Full | Form::Family | Form::FamilyFirst | Form::GivenFirst);
        if self.fields && is_name {
            let field =
                rng.pick(&["DOCVARIABLE NOM", "DOCVARIABLE NOMPATIENT \\? 1001/000.0", "MERGEFIELD Nom"]);
            out.push(&format!("{field} \\* MERGEFORMAT "));
        }
        match form {
            Form::Full => style.write(rng, person, out),
            Form::FamilyFirst => style.ordered(true).write(rng, person, out),
            Form::GivenFirst => style.ordered(false).write(rng, person, out),
            Form::Titled => {
                let title = people::title(rng, person, *language);
                out.push(&title);
                style.write(rng, person, out);
            }
            Form::Civil => {
                let title = people::title(rng, person, *language);
                out.push(&title);
                if rng.percent(75) {
                    let family = style.family(rng, &person.family);
                    out.mark(person.mark(Label::FamilyName), &family);
                } else {
                    style.write(rng, person, out);
                }
            }
            Form::Title => {
                let title = people::title(rng, person, *language);
                out.push(title.trim_end());
            }
            Form::Family => {
                let family = style.family(rng, &person.family);
                out.mark(person.mark(Label::FamilyName), &family);
            }
            Form::BirthName => {
                let family = style.family(rng, &person.birth_name);
                out.mark(person.mark(Label::FamilyName), &family);
            }
            Form::Given => style.write_givens(rng, person, false, out),
            Form::Givens => style.write_givens(rng, person, true, out),
            Form::Short if rng.percent(50) => style.write_givens(rng, person, false, out),
            Form::Short => {
                let family = style.family(rng, &person.family);
                out.mark(person.mark(Label::FamilyName), &family);
            }
            Form::Initials => {
                let text = people::both_initials(rng, person);
                out.mark(person.mark(Label::Initials), &text);
            }
            Form::BirthDate => {
                let surface = if rng.percent(85) { self.birth } else { dates::whole(rng) };
                let text = dates::print(rng, surface, person.birth, *language);
                out.mark(person.mark(Label::BirthDate), &text);
            }
            Form::Age => {
                let age = (self.today.year() - person.birth.year()).max(0);
                let text = match (*language, age) {
                    (Language::Fr, 0..2) => format!("{} mois", rng.between(1, 23)),
                    (Language::Fr, _) => {
                        format!("{age}{}", rng.pick(&[" ans", " ans", " ans", "ans", " ANS"]))
                    }
                    (Language::Es, 0..2) => format!("{} meses", rng.between(1, 23)),
                    (Language::Es, _) => {
                        format!("{age}{}", rng.pick(&[" años", " años", " años", " a", "a"]))
                    }
                };
                out.mark(person.mark(Label::Age), &text);
            }
            Form::Sex => {
                let female = person.gender == Gender::Female;
                let texts: &[&str] = match (*language, female) {
                    (Language::Fr, true) => &["F", "F", "Féminin", "féminin", "Femme"],
                    (Language::Fr, false) => &["M", "M", "H", "Masculin", "masculin", "Homme"],
                    (Language::Es, true) => &["M", "M", "F", "Mujer", "Femenino", "femenino"],
                    (Language::Es, false) => &["H", "H", "V", "Hombre", "Varón", "Masculino"],
                };
                let text = rng.pick(texts);
                out.mark(person.mark(Label::Sex), text);
            }
            Form::SexWord => {
                let text = match (*language, person.gender) {
                    (Language::Fr, Gender::Female) => "femme",
                    (Language::Fr, Gender::Male) => "homme",
                    (Language::Es, Gender::Female) => "mujer",
                    (Language::Es, Gender::Male) => rng.pick(&["varón", "varón", "hombre"]),
                };
                out.mark(person.mark(Label::Sex), text);
            }
            Form::BirthPlace => {
                let town = stock.names.town(rng).name;
                let text = city(rng, town, *language);
                out.mark(Mark::of(Label::City), &text);
            }
            Form::Street => out.mark(Mark::of(Label::Street), &person.street),
            Form::PostalCode => {
                let text = postal(rng, person.postal, *language);
                out.mark(Mark::of(Label::PostalCode), &text);
            }
            Form::City => {
                let text = city(rng, person.city, *language);
                out.mark(Mark::of(Label::City), &text);
            }
            Form::Address => {
                let (street, code, town) = (person.street.clone(), person.postal, person.city);
                address(rng, out, &street, code, town, *language);
            }
            Form::Phone => out.mark(Mark::of(Label::Phone), &person.phone),
            Form::Email => {
                let text = people::email(rng, person, *language);
                out.mark(Mark::of(Label::Email), &text);
            }
            Form::SocialSecurity => out.mark(Mark::of(Label::SocialSecurity), &person.social),
            Form::PatientId => out.mark(Mark::of(Label::PatientId), &person.patient_id),
            Form::NationalId => out.mark(Mark::of(Label::PatientId), &person.national),
            Form::Licence => out.mark(Mark::of(Label::ProfessionalLicence), &person.licence),
            Form::Kinship => {
                let lists = stock.lists;
                let list = if person.gender == Gender::Female { lists.female_kin } else { lists.male_kin };
                self.marked_list(Label::Kinship, list);
            }
            Form::Profession => {
                let list = stock.lists.profession;
                self.marked_list(Label::Profession, list);
            }
        }
    }

    fn near(&mut self) -> Date {
        let back = if self.rng.percent(75) { self.rng.below(60) } else { self.rng.below(4000) } as i64;
        let back = if self.rng.one_in(6) { -back } else { back };
        self.today.checked_sub(back.days()).unwrap_or(self.today)
    }

    fn mark(&mut self, label: Label, text: &str) {
        self.out.mark(Mark::of(label), text);
    }

    fn value(&mut self, value: Value) {
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
            Value::RelativeDate => self.marked_list(Label::RelativeDate, self.stock.lists.relative_date),
            Value::Time => {
                let (h, m) = (self.rng.below(24), self.rng.below(12) * 5);
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
                let hosts = ["www.ch-", "https://www.hopital-", "http://", "www.", "https://portail."];
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
                self.mark(Label::OtherId, &text);
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

    /// Consecutive sentences of a case that fits the patient; in a story, people and dates are put in.
    fn prose(&mut self, low: usize, high: usize, story: bool) {
        let gender = if story || self.people.iter().any(|(k, _)| k == "patient") {
            let at = self.person("patient", false);
            self.people[at].1.gender
        } else if self.rng.percent(50) {
            Gender::Female
        } else {
            Gender::Male
        };
        let cases = self.stock.prose.cases(gender);
        let case = &cases[self.rng.below(cases.len())];
        let count = self.rng.between(low, high).min(case.len());
        let first = self.rng.below(case.len() - count + 1);
        for (i, sentence) in case[first..first + count].iter().enumerate() {
            if i > 0 {
                self.out.push(" ");
            }
            if story && self.rng.percent(22) {
                self.list(self.stock.lists.aside);
                self.out.push(" ");
            }
            let mut at = 0;
            let mut spans = sentence.spans.iter().peekable();
            let mut places = sentence.places.iter().filter(|_| story).peekable();
            loop {
                let span = spans.peek().map_or(usize::MAX, |s| s.0.start);
                let place = places.peek().map_or(usize::MAX, |p| p.0.start);
                if span == usize::MAX && place == usize::MAX {
                    break;
                }
                if span < place {
                    let Some((range, mark)) = spans.next() else { break };
                    self.out.push(&sentence.text[at..range.start]);
                    self.out.mark(*mark, &sentence.text[range.clone()]);
                    at = range.end;
                } else {
                    let Some((range, place)) = places.next() else { break };
                    if self.rng.percent(45) {
                        self.out.push(&sentence.text[at..range.start]);
                        self.name_patient(*place);
                        at = range.end;
                    }
                }
            }
            self.out.push(&sentence.text[at..]);
        }
    }

    fn name_patient(&mut self, place: Place) {
        match place {
            Place::Subject => {
                let form = if self.rng.percent(80) { Form::Civil } else { Form::Titled };
                self.written_person("patient", false, form);
            }
            Place::Genitive => {
                self.out.push("de ");
                self.written_person("patient", false, Form::Titled);
                self.out.push(",");
            }
        }
    }
}

fn plain_word(name: &str) -> String {
    let letters = name.chars().map(noise::without_accents).filter(|c| c.is_ascii_alphanumeric() || *c == '-');
    letters.collect::<String>().to_ascii_lowercase()
}

fn postal(rng: &mut Rng, code: &str, language: Language) -> String {
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

fn city(rng: &mut Rng, name: &str, language: Language) -> String {
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

fn address(rng: &mut Rng, out: &mut Cells, street: &str, code: &str, town: &str, language: Language) {
    out.mark(Mark::of(Label::Street), street);
    out.push(rng.pick(&[", ", ", ", " ", "\n", " - ", ". "]));
    let code = postal(rng, code, language);
    let town = city(rng, town, language);
    if language == Language::Es && rng.percent(30) {
        out.mark(Mark::of(Label::City), &town);
        out.push(rng.pick(&[" ", ", ", " ("]));
        out.mark(Mark::of(Label::PostalCode), &code);
    } else {
        out.mark(Mark::of(Label::PostalCode), &code);
        out.push(rng.pick(&[" ", " ", " ", ", "]));
        out.mark(Mark::of(Label::City), &town);
    }
}
