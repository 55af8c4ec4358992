//! What is known of the patient before reading, found again in the text (Bigeard §3.2.1–3.2.2).
//!
//! Names, towns and streets compare without case and accents, space and hyphen alike, with one typing error from
//! six letters on; numbers compare with separators removed. A name that is also a word, or has two letters, needs
//! a capital and a title or a neighbour that belongs to the same people. Names that are broken over a line,
//! letter-spaced or glued are found by [`crate::broken_names`].

use std::sync::Arc;

use jiff::civil::Date;
use taire_text::{Identity, KnownIdentity, Label, Mention, Note, Role, Shape, Source, date, fold};

use crate::broken_names::BrokenNameMatcher;
use crate::folded::title_before;
use crate::phrases::{Hit, Known, Match, Phrases};
use crate::{Detector, Error};

/// Finds the strings of [`Note::known`].
#[derive(Debug, Default, Clone, Copy)]
pub struct Metadata;

struct Matcher {
    phrases: Phrases,
    broken_names: BrokenNameMatcher,
    births: Vec<(Date, Role)>,
}

impl Detector for Metadata {
    fn source(&self) -> Source {
        Source::Metadata
    }

    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), Error> {
        let mut last: Option<(Arc<KnownIdentity>, Matcher)> = None;
        for (note, out) in notes.iter().zip(out) {
            if note.known.is_empty() {
                continue;
            }
            // Documents of one patient follow each other and share their identity.
            if !last.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, &note.known)) {
                last = Some((note.known.clone(), Matcher::new(&note.known)));
            }
            if let Some((_, matcher)) = &last {
                matcher.find(note, out);
            }
        }
        Ok(())
    }
}

impl Matcher {
    fn new(known: &KnownIdentity) -> Self {
        let mut matcher = Matcher {
            phrases: Phrases::tolerant(),
            broken_names: BrokenNameMatcher::default(),
            births: Vec::new(),
        };
        let patient = known.person();
        matcher.add_person(&patient, Role::Patient);
        if let Some(id) = &known.patient {
            matcher.phrases.add_code(id, Known::new(Label::PatientId, Role::Patient));
        }
        known.relatives.iter().for_each(|p| matcher.add_person(p, Role::Relative));
        known.caregivers.iter().for_each(|p| matcher.add_person(p, Role::Caregiver));
        matcher.phrases.build();
        matcher.broken_names.build();
        matcher
    }

    fn add_person(&mut self, person: &Identity, role: Role) {
        let known = |label| Known::new(label, role);
        for name in person.family_name.iter().chain(&person.birth_name) {
            self.add_name(name, known(Label::FamilyName));
        }
        for name in &person.given_names {
            self.add_name(name, known(Label::GivenName));
        }
        let phrases = &mut self.phrases;
        for (name, value) in &person.ids {
            let label = id_label(name);
            phrases.add_code(value, known(label));
            let digits: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
            if label == Label::SocialSecurity && digits.len() == 15 {
                phrases.add_code(&digits[..13], known(label));
            }
        }
        for phone in &person.phones {
            phone_forms(phone, |form| phrases.add_code(form, known(Label::Phone)));
        }
        for email in &person.emails {
            phrases.add_code(email, known(Label::Email));
        }
        if let Some(address) = &person.address {
            if let Some(street) = &address.street {
                phrases.add_phrase(street, known(Label::Street));
                self.broken_names.add(street, known(Label::Street));
                let way = street.trim_start_matches(|c: char| !c.is_alphabetic());
                let way = ["bis", "ter", "quater"].iter().fold(way, |w, s| {
                    w.strip_prefix(s)
                        .filter(|w| w.starts_with([' ', ',']))
                        .map_or(w, |w| w.trim_start_matches([' ', ',']))
                });
                let way = way.trim_end_matches(|c: char| !c.is_alphabetic());
                if way.contains(' ') {
                    phrases.add_phrase(way, known(Label::Street));
                    self.broken_names.add(way, known(Label::Street));
                }
            }
            if let Some(code) = &address.postal_code {
                phrases.add_code(code, known(Label::PostalCode));
            }
            if let Some(city) = address.city.as_deref().filter(|c| c.chars().count() >= 3) {
                phrases.add_phrase(city, known(Label::City));
                self.broken_names.add(city, known(Label::City));
            }
            if let Some(country) = address.country.as_deref().filter(|c| c.chars().count() >= 4) {
                phrases.add_phrase(country, known(Label::Country));
            }
        }
        if let Some(place) = person.birth_place.as_deref().filter(|c| c.chars().count() >= 3) {
            phrases.add_phrase(place, known(Label::City));
            self.broken_names.add(place, known(Label::City));
        }
        if let Some(date) = person.birth_date {
            self.births.push((date, role));
        }
    }

    fn add_name(&mut self, name: &str, known: Known) {
        self.phrases.add_name(name, known);
        self.broken_names.add_name(name, known);
    }

    fn find(&self, note: &Note, out: &mut Vec<Mention>) {
        self.find_births(note, out);
        if self.phrases.is_empty() {
            return;
        }
        self.broken_names.search(note, |span, known, why| {
            let span = note.to_raw(span);
            out.push(Mention::phi(span, known.label, 1.0, Source::Metadata, why).with_role(known.role));
        });
        let annotated = note.tokens.iter().any(|t| t.facts.bits() != 0);
        let mut hits: Vec<(Hit, Strength)> = Vec::new();
        self.phrases.search(note, |hit| {
            if let Some(strength) = strength(note, &hit, annotated) {
                hits.push((hit, strength));
            }
        });
        for (i, &(hit, strength)) in hits.iter().enumerate() {
            let beside = |other: Option<&(Hit, Strength)>| {
                other.is_some_and(|(o, _)| {
                    is_person(o.known.label)
                        && (near(note, o.last, hit.first) || near(note, hit.last, o.first))
                })
            };
            let neighbour = beside(i.checked_sub(1).and_then(|i| hits.get(i))) || beside(hits.get(i + 1));
            let titled = is_person(hit.known.label) && title_before(note, hit.first).is_some();
            let score = match (strength, hit.how) {
                (Strength::Weak, _) if !(neighbour || titled) => continue,
                (Strength::Weak, _) => 0.95,
                (Strength::Middling, _) if !(neighbour || titled) => 0.8,
                (_, Match::Typo) if !(neighbour || titled) => 0.85,
                (_, Match::Typo) => 0.95,
                _ => 1.0,
            };
            let why = match hit.how {
                Match::Exact => "known string of this patient",
                Match::Typo => "known string of this patient, one typing error",
                Match::Code => "known number of this patient",
            };
            let span = note.raw_of_tokens(hit.first, hit.last);
            out.push(
                Mention::phi(span, hit.known.label, score, Source::Metadata, why).with_role(hit.known.role),
            );
        }
    }

    fn find_births(&self, note: &Note, out: &mut Vec<Mention>) {
        if self.births.is_empty() {
            return;
        }
        let mut dates = Vec::new();
        date::find(note.norm(), &note.tokens, note.language, &mut dates);
        for found in dates {
            if let Some(&(_, role)) = self.births.iter().find(|b| is_day(&found.value, b.0)) {
                let span = note.to_raw(found.span);
                let why = "known birth date";
                out.push(Mention::phi(span, Label::BirthDate, 1.0, Source::Metadata, why).with_role(role));
            }
        }
    }
}

/// The same day; a year of two digits may stand for any century.
fn is_day(value: &date::Partial, day: Date) -> bool {
    let year = value.year.is_some_and(|y| {
        y == day.year() || value.two_digit_year && y.rem_euclid(100) == day.year().rem_euclid(100)
    });
    year && value.month.map(i32::from) == Some(i32::from(day.month()))
        && value.day.map(i32::from) == Some(i32::from(day.day()))
}

fn is_person(label: Label) -> bool {
    matches!(label, Label::GivenName | Label::FamilyName)
}

/// Nothing but a blank, a comma, a hyphen or a full stop between the end of one token run and the next.
fn near(note: &Note, last: usize, first: usize) -> bool {
    if first <= last {
        return false;
    }
    let between = note.norm()[note.tokens[last].end()..note.tokens[first].start()].trim_matches(' ');
    between.len() <= 1 && matches!(between, "" | "," | "-" | "." | "\t" | "\n")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    Strong,
    /// Likely by its capital alone.
    Middling,
    /// Needs a neighbour or a title.
    Weak,
}

fn strength(note: &Note, hit: &Hit, annotated: bool) -> Option<Strength> {
    if hit.how == Match::Code || hit.last > hit.first {
        return Some(Strength::Strong);
    }
    let token = &note.tokens[hit.first];
    let capital = token.is_capitalised();
    let letters = token.of(note.norm()).chars().count();
    if hit.how == Match::Typo {
        // A word of the language is that word, unless somebody wrote it where a name goes.
        let ordinary = token.facts.careful().is_some();
        return match (capital, ordinary, annotated) {
            (true, false, _) => Some(Strength::Strong),
            (true, true, _) => Some(Strength::Weak),
            (false, false, true) => Some(Strength::Strong),
            _ => None,
        };
    }
    let common = token.facts.careful().is_some();
    // An eponym or a rare word that the patient is known to bear is the patient.
    let bears = capital && token.facts.word_class() < 2 && !token.facts.is_drug();
    if letters > 2 && (!common || bears) {
        return (capital || letters >= 4).then_some(Strength::Strong);
    }
    if !capital {
        return None;
    }
    let stands_out = token.shape == Shape::Upper && letters > 2 && !beside_capitals(note, hit.first);
    let inside = token.shape == Shape::Title && letters > 2 && after_lower(note, hit.first);
    Some(match (stands_out, inside) {
        (true, _) => Strength::Strong,
        (_, true) => Strength::Middling,
        _ => Strength::Weak,
    })
}

fn beside_capitals(note: &Note, at: usize) -> bool {
    let upper =
        |i: Option<usize>| i.and_then(|i| note.tokens.get(i)).is_some_and(|t| t.shape == Shape::Upper);
    upper(at.checked_sub(1)) || upper(Some(at + 1))
}

fn after_lower(note: &Note, at: usize) -> bool {
    at.checked_sub(1).is_some_and(|i| note.tokens[i].shape == Shape::Lower)
}

/// The label of an identifier, from the name its source gives it.
pub(crate) fn id_label(name: &str) -> Label {
    let name = fold(name);
    let is = |words: &[&str]| {
        name.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part))
            || words.iter().any(|w| w.len() > 5 && name.contains(w))
    };
    if is(&["nda", "visit", "iep", "episode", "episodio", "sejour", "stay", "encounter", "venue", "dossier"])
    {
        Label::VisitId
    } else if is(&[
        "nir",
        "nss",
        "secu",
        "nass",
        "ss",
        "ins",
        "ssn",
        "naf",
        "securite",
        "seguridad",
        "social",
    ]) {
        Label::SocialSecurity
    } else if is(&["rpps", "adeli", "colegiado", "finess", "ncol", "licence", "license", "numcol"]) {
        Label::ProfessionalLicence
    } else if is(&["mutuelle", "tsi", "tarjeta", "sip", "plan", "insurance", "poliza", "mutua"]) {
        Label::HealthPlan
    } else if is(&["employee", "matricule", "empleado", "staff"]) {
        Label::EmployeeId
    } else if is(&["iban", "account", "compte", "cuenta", "rib"]) {
        Label::AccountNumber
    } else if is(&["plate", "immatriculation", "matricula", "vehicle", "vin"]) {
        Label::VehicleId
    } else if is(&["device", "serial", "implant", "serie"]) {
        Label::DeviceId
    } else if is(&["ipp", "nip", "nhc", "mrn", "patient", "paciente", "historia", "pid", "hc", "cip", "cipa"])
    {
        Label::PatientId
    } else {
        Label::OtherId
    }
}

/// The ways one number of the two countries is dialled.
pub(crate) fn phone_forms(phone: &str, mut add: impl FnMut(&str)) {
    let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
    if digits.len() < 8 {
        return;
    }
    add(&digits);
    let strip = |prefix: &str| digits.strip_prefix(prefix).map(str::to_owned);
    let french = strip("0033").or_else(|| strip("33")).or_else(|| strip("0").map(|d| format!("0{d}")));
    if let Some(rest) = french.map(|d| d.trim_start_matches('0').to_owned()).filter(|d| d.len() == 9) {
        for prefix in ["0", "33", "330", "0033", "00330"] {
            add(&format!("{prefix}{rest}"));
        }
    }
    let spanish =
        strip("0034").or_else(|| strip("34").filter(|d| d.len() == 9)).unwrap_or_else(|| digits.clone());
    if spanish.len() == 9 && !spanish.starts_with('0') {
        for prefix in ["", "34", "0034"] {
            add(&format!("{prefix}{spanish}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Address, Facts};

    fn known() -> Arc<KnownIdentity> {
        Arc::new(KnownIdentity {
            patient: taire_text::PatientId::parse("8001234567"),
            family_name: Some("Lefebvre".into()),
            birth_name: Some("Le Gall".into()),
            given_names: vec!["Rose".into(), "Marie-Ange".into()],
            birth_date: "1950-05-03".parse().ok(),
            birth_place: Some("Quimper".into()),
            address: Some(Address {
                street: Some("12 bis rue des Lilas".into()),
                postal_code: Some("75012".into()),
                city: Some("Paris".into()),
                country: None,
            }),
            ids: [("nir".to_owned(), "2 50 05 29 232 012 21".to_owned()), ("nda".into(), "AB-776655".into())]
                .into(),
            phones: vec!["06 12 34 56 78".into()],
            emails: vec!["rose.lefebvre@example.org".into()],
            caregivers: vec![Identity { family_name: Some("Ly".into()), ..Identity::default() }],
            relatives: vec![Identity { given_names: vec!["Éloïse".into()], ..Identity::default() }],
            ..KnownIdentity::default()
        })
    }

    fn found(text: &str, common: &[&str]) -> Vec<(String, Label, Role)> {
        let mut note = Note::builder("a", text).known(Some(known())).build().unwrap();
        for i in 0..note.tokens.len() {
            if common.contains(&note.tokens[i].of(note.norm())) {
                note.tokens[i].facts = Facts::default().with_word_class(2);
            }
        }
        let notes = [note];
        let mut out = [Vec::new()];
        Metadata.detect(&notes, &mut out).unwrap();
        let mut got: Vec<_> = out[0]
            .iter()
            .map(|m| (m.span.of(notes[0].raw()).to_owned(), m.label().unwrap(), m.role))
            .collect();
        got.sort_by_key(|g| text.find(&g.0));
        got.dedup();
        got
    }

    fn strings(text: &str, common: &[&str]) -> Vec<String> {
        found(text, common).into_iter().map(|g| g.0).collect()
    }

    #[test]
    fn names_in_any_case_with_one_error() {
        assert_eq!(
            found("Mme LEFEBRE Rose née LE-GALL, fille Eloise, Dr LY", &["Rose"]),
            [
                ("LEFEBRE".into(), Label::FamilyName, Role::Patient),
                ("Rose".into(), Label::GivenName, Role::Patient),
                ("LE-GALL".into(), Label::FamilyName, Role::Patient),
                ("Eloise".into(), Label::GivenName, Role::Relative),
                ("LY".into(), Label::FamilyName, Role::Caregiver),
            ]
        );
        assert_eq!(strings("lefèvbre marie ange", &[]), ["marie ange"]);
        assert_eq!(strings("lefèvbre marie ange", &["marie"]), ["lefèvbre", "marie ange"]);
    }

    #[test]
    fn words_that_are_names_need_company() {
        assert_eq!(strings("Rose pâle des joues. ly. Urine rose.", &["Rose", "rose"]), [""; 0]);
        assert_eq!(strings("Madame Rose va mieux", &["Rose"]), ["Rose"]);
        assert_eq!(strings("urine rose ROSE va", &["rose", "ROSE"]), ["ROSE"]);
    }

    #[test]
    fn names_glued_to_others() {
        assert_eq!(strings("LEFEBVRERose née", &[]), ["LEFEBVRE", "Rose"]);
        assert_eq!(strings("LefebvreRose, MmeLefebvre", &[]), ["Lefebvre", "Rose"]);
        assert_eq!(strings("lefebvrerose va, ajoutéLEFEBVRE", &["va"]), ["lefebvre", "rose", "LEFEBVRE"]);
        assert_eq!(strings("Lefebvreajouté va bien", &["va"]), ["Lefebvre"]);
        assert_eq!(strings("LefebvreAugustine", &[]), ["Lefebvre"]);
        assert_eq!(strings("QuimperCentre", &[]), ["Quimper"]);
        assert_eq!(strings("QUIMPERLEROSE roséole Parisien PARISIEN parisienne", &[]), [""; 0]);
        let words = ["Quimperlé", "Roseline", "Lefebvrien", "parisien"];
        assert_eq!(strings("Quimperlé, Roseline, Lefebvrien, parisien", &words), [""; 0]);
    }

    #[test]
    fn names_broken_over_a_line() {
        assert_eq!(
            found("M. Lefeb-\nvre de Quim-\r\n  per, née LE GALL, marie-\nange, LE-\nFEBVRE", &[]),
            [
                ("Lefeb-\nvre".into(), Label::FamilyName, Role::Patient),
                ("Quim-\r\n  per".into(), Label::City, Role::Patient),
                ("LE GALL".into(), Label::FamilyName, Role::Patient),
                ("marie-\nange".into(), Label::GivenName, Role::Patient),
                ("LE-\nFEBVRE".into(), Label::FamilyName, Role::Patient),
            ]
        );
        assert_eq!(strings("Lefeb\u{ad}\nvre", &[]), ["Lefeb\u{ad}\nvre"]);
        assert!(strings("12 bis rue des Li-\nlas", &[]).contains(&"12 bis rue des Li-\nlas".to_owned()));
        assert_eq!(strings("quim\nper quim- per quim-\n\nper quim-\nperois", &[]), [""; 0]);
    }

    #[test]
    fn names_letter_by_letter() {
        assert_eq!(
            strings("L E F E B V R E   R o s e, Q.U.I.M.P.E.R, M A R I E   A N G E", &[]),
            ["L E F E B V R E", "Q.U.I.M.P.E.R", "M A R I E   A N G E"]
        );
        assert_eq!(strings("L E F E  valeurs L, E, F, E, B, V, R, E", &[]), [""; 0]);
    }

    #[test]
    fn numbers_broken_over_a_line() {
        assert_eq!(
            strings("06 12 34\n56 78, 2 50 05 29\n232 012 21, IPP 80012-\n34567", &[]),
            ["06 12 34\n56 78", "2 50 05 29\n232 012 21", "80012-\n34567"]
        );
        assert_eq!(strings("06 12 34\n\n56 78, 7501\n2, 06 12\n34 56\n78", &[]), [""; 0]);
    }

    #[test]
    fn numbers_in_any_grouping() {
        assert_eq!(
            strings(
                "IPP 80.01.23.45.67, NIR 2500529232012, 250052923201221, ab776655, +33 6 12 34 56 78",
                &[]
            ),
            ["80.01.23.45.67", "2500529232012", "250052923201221", "ab776655", "33 6 12 34 56 78"]
        );
        assert_eq!(strings("plaquettes 800123 et 75012,5", &[]), [""; 0]);
        assert_eq!(strings("rose.lefebvre@example.org", &[]), ["rose.lefebvre@example.org"]);
    }

    #[test]
    fn dates_and_places() {
        assert_eq!(
            found(
                "née le 3 mai 1950 à QUIMPER, 03/05/50, 12 BIS, RUE DES LILAS 75012 PARIS, rue des Lilas",
                &[]
            ),
            [
                ("3 mai 1950".into(), Label::BirthDate, Role::Patient),
                ("QUIMPER".into(), Label::City, Role::Patient),
                ("03/05/50".into(), Label::BirthDate, Role::Patient),
                ("12 BIS, RUE DES LILAS".into(), Label::Street, Role::Patient),
                ("75012".into(), Label::PostalCode, Role::Patient),
                ("PARIS".into(), Label::City, Role::Patient),
                ("rue des Lilas".into(), Label::Street, Role::Patient),
            ]
        );
    }

    #[test]
    fn the_birth_date_in_letters() {
        assert_eq!(
            strings("La patiente est née le trois mai mille neuf cent cinquante à la maison.", &[]),
            ["trois mai mille neuf cent cinquante"]
        );
        assert_eq!(strings("La patiente est née le trois mai mille neuf cent soixante.", &[]), [""; 0]);
    }

    #[test]
    fn identifiers_by_name() {
        for (name, label) in [
            ("IPP", Label::PatientId),
            ("num_nda", Label::VisitId),
            ("N° Sécu", Label::SocialSecurity),
            ("rpps", Label::ProfessionalLicence),
            ("nº colegiado", Label::ProfessionalLicence),
            ("dni", Label::OtherId),
            ("cipa", Label::PatientId),
        ] {
            assert_eq!(id_label(name), label, "{name}");
        }
    }
}
