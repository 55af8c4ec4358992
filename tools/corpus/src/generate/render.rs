//! One document: a template walked with a cast of people, a calendar and a style.

use jiff::civil::Date;
use taire_text::{Gender, Label, Language, Role};

use super::dates::{self, Surface};
use super::names::Names;
use super::people::{self, NameStyle, Person};
use super::prose::{PatientPlace, Prose};
use super::slots::{Form, Slot, is_doctor, role};
use super::template::{Library, Node};
use super::values::{address, city, postal};
use crate::cells::{Cells, Mark};
use crate::noise;
use crate::rng::Rng;

/// What documents are made from.
#[derive(Debug)]
pub(crate) struct Stock<'a> {
    pub(crate) library: &'a Library,
    pub(crate) names: &'a Names,
    pub(crate) prose: &'a Prose,
    /// Lists the code draws from.
    pub(crate) lists: Lists,
}

/// Lists that every language's templates must have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lists {
    pub(crate) hospital: usize,
    pub(crate) region: usize,
    pub(crate) country: usize,
    profession: usize,
    pub(crate) ago: usize,
    pub(crate) since: usize,
    pub(crate) soon: usize,
    female_kin: usize,
    male_kin: usize,
    aside: usize,
}

impl Lists {
    pub(crate) fn of(library: &Library) -> Result<Lists, String> {
        let list =
            |name: &str| library.list_named(name).ok_or(format!("the templates lack the list `{name}`"));
        Ok(Lists {
            hospital: list("hospital")?,
            region: list("region")?,
            country: list("country")?,
            profession: list("profession")?,
            ago: list("ago")?,
            since: list("since")?,
            soon: list("soon")?,
            female_kin: list("kin-female")?,
            male_kin: list("kin-male")?,
            aside: list("aside")?,
        })
    }
}

pub(crate) struct Scene<'a> {
    pub(crate) stock: &'a Stock<'a>,
    pub(crate) language: Language,
    pub(crate) rng: Rng,
    pub(crate) out: Cells,
    people: Vec<(String, Person)>,
    pub(crate) today: Date,
    /// The date written last.
    pub(crate) last: Option<Date>,
    names: NameStyle,
    caregivers: NameStyle,
    pub(crate) date: Surface,
    birth: Surface,
    fields: bool,
}

/// Renders one variant of a family, with its noise.
pub(crate) fn document(stock: &Stock<'_>, variant: &[Node], mut rng: Rng) -> Cells {
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
        last: None,
    };
    scene.nodes(variant);
    let Scene { mut rng, mut out, .. } = scene;
    noise::mix(&mut rng, &mut out);
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
            Node::Marked { mark, body } => {
                let opened = self.out.open(*mark);
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

    pub(crate) fn marked_list(&mut self, label: Label, list: usize) {
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
        person.doctor = is_doctor(key);
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

    fn name_patient(&mut self, place: PatientPlace) {
        match place {
            PatientPlace::Subject => {
                let form = if self.rng.percent(80) { Form::Civil } else { Form::Titled };
                self.written_person("patient", false, form);
            }
            PatientPlace::Genitive => {
                self.out.push("de ");
                self.written_person("patient", false, Form::Titled);
                self.out.push(",");
            }
        }
    }
}
