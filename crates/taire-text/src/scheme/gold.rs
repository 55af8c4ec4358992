//! Gold read into our labels: what a scheme merges is separated again by the text around it.
//!
//! A joined name is cut into given and family names, a date of birth is known by its key, a postal code by its
//! digits, a role by the title before. Borders follow our own convention: a facility keeps its head word.

use super::Scheme;
use super::words::{
    facility_head, is_caregiver_title, is_civil_title, is_particle, line_start, previous_word, word_after,
};
use crate::{Error, Label, Raw, Role, Span, fold};

/// A span of gold in our vocabulary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GoldSpan {
    pub span: Span<Raw>,
    pub label: Label,
    pub role: Role,
}

/// Reads spans annotated under a scheme; spans must lie on character boundaries of `text`. Fails on a label
/// the scheme does not have.
pub fn read_gold(scheme: Scheme, text: &str, spans: &[(Span<Raw>, &str)]) -> Result<Vec<GoldSpan>, Error> {
    let mut spans: Vec<_> = spans.to_vec();
    spans.sort();
    let mut out = Vec::with_capacity(spans.len());
    let mut previous_end = 0;
    for (i, &(span, name)) in spans.iter().enumerate() {
        let Some((label, role)) = scheme.from_scheme(name) else {
            return Err(Error::unknown("label", name, scheme.labels()));
        };
        if span.end() > text.len()
            || !text.is_char_boundary(span.start())
            || !text.is_char_boundary(span.end())
        {
            return Err(Error::input(format!(
                "span {span:?} does not lie on the characters of a text of {} bytes",
                text.len()
            )));
        }
        let reader = Reader { text, span, previous_end };
        match scheme {
            Scheme::Taire | Scheme::Fasdim => out.push(GoldSpan { span, label, role }),
            Scheme::Hipaa | Scheme::Meddocan | Scheme::Hnfc if label == Label::FamilyName => {
                let role = if role == Role::Unknown { reader.role(span.start()) } else { role };
                reader.names(role, &mut out);
            }
            Scheme::Eds | Scheme::Bigeard if matches!(label, Label::FamilyName | Label::GivenName) => {
                let first = first_of_name(text, &spans, i);
                let label = if is_initials(span.of(text)) { Label::Initials } else { label };
                out.push(GoldSpan { span, label, role: reader.role(first) });
            }
            _ => out.push(reader.refine(scheme, label, role)),
        }
        previous_end = span.end();
    }
    Ok(out)
}

/// Where the name that holds span `i` begins: spans of names that only blanks separate are one name.
fn first_of_name(text: &str, spans: &[(Span<Raw>, &str)], mut i: usize) -> usize {
    let is_name =
        |name| matches!(name, "NOM" | "PRENOM" | "nom_famille" | "initiale") || name.starts_with("prenom");
    while i > 0 {
        let (before, name) = spans[i - 1];
        let gap = text.get(before.end()..spans[i].0.start()).unwrap_or("\n");
        if !is_name(name) || !gap.chars().all(|c| c == ' ' || c == '.') {
            break;
        }
        i -= 1;
    }
    spans[i].0.start()
}

/// `J`, `J.`, `J.-P.`: one capital, or up to three with a point or hyphen.
fn is_initials(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let plain = text.chars().all(|c| c.is_uppercase() || c == '.' || c == '-' || c == ' ');
    plain && (letters == 1 || (letters <= 3 && text.contains(['.', '-'])))
}

struct Reader<'a> {
    text: &'a str,
    span: Span<Raw>,
    /// The end of the span before.
    previous_end: usize,
}

impl Reader<'_> {
    fn surface(&self) -> &str {
        self.span.of(self.text)
    }

    /// The line up to the span, folded, at most 40 characters of it.
    fn before(&self) -> String {
        let line = &self.text[line_start(self.text, self.span.start())..self.span.start()];
        let from = line.char_indices().rev().nth(39).map_or(0, |(i, _)| i);
        fold(&line[from..])
    }

    /// Who is named, from the title before the name.
    fn role(&self, start: usize) -> Role {
        let (_, word) = previous_word(self.text, start);
        if is_caregiver_title(&word) {
            Role::Caregiver
        } else if is_civil_title(&word) {
            Role::Patient
        } else {
            Role::Unknown
        }
    }

    fn gold_span(&self, label: Label, role: Role) -> GoldSpan {
        GoldSpan { span: self.span, label, role }
    }

    fn refine(&self, scheme: Scheme, label: Label, role: Role) -> GoldSpan {
        let text = self.surface();
        let digits = text.chars().filter(char::is_ascii_digit).count();
        let starts_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
        let label = match label {
            Label::City if matches!(scheme, Scheme::Hnfc | Scheme::Hipaa) && is_street(text) => Label::Street,
            Label::City if digits >= 4 && digits * 2 > text.chars().count() => Label::PostalCode,
            Label::City if is_region(&fold(text)) => Label::Region,
            Label::Date if scheme == Scheme::Hipaa && is_age(text) => Label::Age,
            Label::Date if scheme != Scheme::Eds && self.is_birth() => Label::BirthDate,
            Label::Phone if self.before().contains("fax") && !self.phone_after_fax() => Label::Fax,
            Label::PatientId if digits == 0 => Label::OtherDetail,
            Label::Kinship if starts_with_digit && is_age(text) => Label::Age,
            Label::OtherId if scheme == Scheme::Hnfc && text.contains('@') => Label::Email,
            Label::OtherId if scheme == Scheme::Hnfc && (text.contains("://") || text.starts_with("www")) => {
                Label::Url
            }
            Label::Hospital if scheme == Scheme::Hnfc && facility_head(&word_after(text, 0).1).is_none() => {
                Label::Institution
            }
            other => other,
        };
        match label {
            Label::Kinship => self.gold_span(label, Role::Relative),
            Label::Age if scheme == Scheme::Meddocan && role == Role::Unknown => {
                self.gold_span(label, Role::Relative)
            }
            Label::BirthDate
            | Label::PatientId
            | Label::VisitId
            | Label::SocialSecurity
            | Label::HealthPlan => self.gold_span(label, Role::Patient),
            Label::ProfessionalLicence | Label::EmployeeId => self.gold_span(label, Role::Caregiver),
            Label::Hospital if scheme == Scheme::Eds => GoldSpan { span: self.with_head(), label, role },
            _ => self.gold_span(label, role),
        }
    }

    fn is_birth(&self) -> bool {
        let before = self.before();
        let near = before.rsplit([';', ',', '.', '|']).next().unwrap_or_default();
        ["nacimiento", "nacio ", "nacido", "nacida", "naissance", "ne le", "nee le", "ne(e) le", "ddn"]
            .iter()
            .any(|key| near.contains(key))
    }

    /// A `tel` between the word `fax` and the number.
    fn phone_after_fax(&self) -> bool {
        let before = self.before();
        match (before.rfind("fax"), before.rfind("tel").max(before.rfind("tfno")).max(before.rfind("mobile")))
        {
            (Some(fax), Some(phone)) => phone > fax,
            _ => false,
        }
    }

    /// `Bichat` in `Hôpital Bichat` becomes the whole.
    fn with_head(&self) -> Span<Raw> {
        let (start, word) = previous_word(self.text, self.span.start());
        let gap = &self.text[start..self.span.start()];
        if start >= self.previous_end && facility_head(&word).is_some() && !gap.contains(['.', ':']) {
            return Span::new(start, self.span.end());
        }
        self.span
    }

    /// Cuts a joined name. `Apellidos:` and `Nombre:` say what follows; else the words are counted: the last two
    /// of three or more are family names, particles go with the word after them.
    fn names(&self, role: Role, out: &mut Vec<GoldSpan>) {
        let before = self.before();
        let key = before.trim_end_matches([' ', ':', '\u{a0}']);
        let whole =
            [("apellidos", Label::FamilyName), ("apellido", Label::FamilyName), ("nombre", Label::GivenName)]
                .iter()
                .find(|(word, _)| key.ends_with(word));
        if let Some(&(_, label)) = whole {
            out.push(self.gold_span(label, role));
            return;
        }
        let words = units(self.surface());
        let reversed = words.len() > 1 && self.surface()[..words[1].0].contains(',');
        let family_from = match words.len() {
            0 => return,
            1 => {
                let lone_family =
                    role == Role::Caregiver || is_civil_title(&previous_word(self.text, self.span.start()).1);
                usize::from(!lone_family)
            }
            2 => 1,
            3 => 1 + usize::from(self.is_second_given(words[1], words[2])),
            n => n - 2,
        };
        let cut = words.get(family_from).map_or(self.surface().len(), |w| w.0);
        if reversed {
            let comma = self.surface().find(',').unwrap_or(0);
            self.part(0, comma, Label::FamilyName, role, out);
            self.part(comma + 1, self.surface().len(), Label::GivenName, role, out);
        } else {
            self.part(0, cut, Label::GivenName, role, out);
            self.part(cut, self.surface().len(), Label::FamilyName, role, out);
        }
    }

    /// Of three words, whether the second is a given name too (`José Luis Prado`, `Ana Prado y Cano`).
    fn is_second_given(&self, second: (usize, usize), third: (usize, usize)) -> bool {
        let third = &self.surface()[third.0..third.1];
        third.contains(" y ")
            || matches!(
                &*fold(&self.surface()[second.0..second.1]),
                "luis"
                    | "jose"
                    | "maria"
                    | "carlos"
                    | "antonio"
                    | "manuel"
                    | "javier"
                    | "jesus"
                    | "angel"
                    | "ignacio"
                    | "miguel"
                    | "isabel"
                    | "carmen"
                    | "del carmen"
                    | "del mar"
                    | "del pilar"
                    | "pilar"
                    | "teresa"
                    | "francisco"
                    | "ramon"
                    | "pablo"
                    | "eduardo"
                    | "enrique"
                    | "alberto"
                    | "andres"
                    | "fernando"
            )
    }

    fn part(&self, from: usize, to: usize, label: Label, role: Role, out: &mut Vec<GoldSpan>) {
        let piece = &self.surface()[from..to];
        let lead = piece.len() - piece.trim_start().len();
        let kept = piece.trim();
        if kept.is_empty() {
            return;
        }
        let start = self.span.start() + from + lead;
        let label = if is_initials(kept) { Label::Initials } else { label };
        out.push(GoldSpan { span: Span::new(start, start + kept.len()), label, role });
    }
}

/// Words of a name with the particles before them, as (start, end) offsets.
fn units(name: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut open: Option<usize> = None;
    let mut linked = false;
    let mut at = 0;
    for piece in name.split_inclusive(char::is_whitespace) {
        let word = piece.trim();
        let start = at;
        at += piece.len();
        if word.is_empty() {
            continue;
        }
        let folded = fold(word.trim_matches([',', '.']));
        if is_particle(&folded) && word.starts_with(|c: char| c.is_lowercase()) {
            // `y` ties what follows to the family name before it.
            linked |= matches!(&*folded, "y" | "e" | "i");
            open.get_or_insert(start);
            continue;
        }
        let end = start + word.len();
        match out.last_mut() {
            Some((_, last)) if linked => *last = end,
            _ => out.push((open.unwrap_or(start), end)),
        }
        open = None;
        linked = false;
    }
    out
}

fn is_street(text: &str) -> bool {
    let folded = fold(text);
    let folded = folded.trim_start_matches(|c: char| c.is_ascii_digit() || " ,-".contains(c));
    [
        "rue",
        "avenue",
        "av ",
        "av.",
        "bd",
        "boulevard",
        "place",
        "chemin",
        "allee",
        "calle",
        "c/",
        "avda",
        "paseo",
    ]
    .iter()
    .any(|way| folded.starts_with(way))
}

fn is_age(text: &str) -> bool {
    fold(text).split(|c: char| !c.is_alphabetic()).any(super::words::is_age_unit)
}

fn is_region(folded: &str) -> bool {
    matches!(
        folded,
        "andalucia"
            | "aragon"
            | "asturias"
            | "cantabria"
            | "cataluna"
            | "catalunya"
            | "castilla y leon"
            | "castilla-la mancha"
            | "castilla la mancha"
            | "comunidad valenciana"
            | "comunitat valenciana"
            | "extremadura"
            | "galicia"
            | "islas baleares"
            | "illes balears"
            | "canarias"
            | "islas canarias"
            | "pais vasco"
            | "euskadi"
            | "comunidad de madrid"
            | "bretagne"
            | "normandie"
            | "occitanie"
            | "ile-de-france"
            | "auvergne"
            | "bourgogne"
            | "alsace"
            | "lorraine"
            | "provence"
            | "corse"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marked;

    fn read(scheme: Scheme, source: &str) -> Vec<String> {
        let m = marked::parse(source);
        let spans: Vec<_> = m.spans.iter().map(|(r, n)| (Span::new(r.start, r.end), n.as_str())).collect();
        read_gold(scheme, &m.text, &spans)
            .unwrap()
            .iter()
            .map(|g| format!("{} {} {}", g.span.of(&m.text), g.label, g.role))
            .collect()
    }

    #[test]
    fn meddocan_names_are_cut_and_dates_separated() {
        let got = read(
            Scheme::Meddocan,
            "Nombre: [Ana Belén](NOMBRE_SUJETO_ASISTENCIA).\nApellidos: [de la Fuente Ortiz](NOMBRE_SUJETO_ASISTENCIA).\n\
             Fecha de nacimiento: [1/2/1950](FECHAS). Ingreso: [3/4/2010](FECHAS)\n\
             Médico: [José Luis Prado y Cano](NOMBRE_PERSONAL_SANITARIO), [28001](TERRITORIO) [Soria](TERRITORIO)",
        );
        assert_eq!(
            got,
            [
                "Ana Belén GivenName Patient",
                "de la Fuente Ortiz FamilyName Patient",
                "1/2/1950 BirthDate Patient",
                "3/4/2010 Date Unknown",
                "José Luis GivenName Caregiver",
                "Prado y Cano FamilyName Caregiver",
                "28001 PostalCode Unknown",
                "Soria City Unknown",
            ]
        );
        let got = read(
            Scheme::Meddocan,
            "Dra. [María del Mar Ruiz Gil](NOMBRE_PERSONAL_SANITARIO) [Gil, Eva](NOMBRE_PERSONAL_SANITARIO)",
        );
        assert_eq!(got[0], "María del Mar GivenName Caregiver");
        assert_eq!(got[1], "Ruiz Gil FamilyName Caregiver");
        assert_eq!(got[2..], ["Gil FamilyName Caregiver", "Eva GivenName Caregiver"]);
    }

    #[test]
    fn eds_roles_initials_and_facilities() {
        let got = read(
            Scheme::Eds,
            "Dr [P.](PRENOM) [Martin](NOM) a vu Mme [LEROY](NOM) [Rose](PRENOM) à l'Hôpital [Bichat](HOPITAL). Fax : [0102030405](TEL)",
        );
        assert_eq!(
            got,
            [
                "P. Initials Caregiver",
                "Martin FamilyName Caregiver",
                "LEROY FamilyName Patient",
                "Rose GivenName Patient",
                "Hôpital Bichat Hospital Unknown",
                "0102030405 Fax Unknown",
            ]
        );
    }

    #[test]
    fn a_label_of_another_scheme_is_refused() {
        let error = read_gold(Scheme::Eds, "abc", &[(Span::new(0, 1), "NOMBRE")]).unwrap_err().to_string();
        assert!(error.contains("unknown label `NOMBRE`") && error.contains("DATE_NAISSANCE"), "{error}");
        assert!(read_gold(Scheme::Eds, "é", &[(Span::new(0, 1), "NOM")]).is_err());
    }
}
