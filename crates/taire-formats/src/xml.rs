//! Tags in the text, as Bigeard writes them: `<nom_famille>…</nom_famille>`.

use std::borrow::Cow;

use taire_text::Label;

use crate::OutSpan;
use crate::offsets::floor;

/// The tag of a label. A label of another scheme is its own tag, made fit for XML.
pub(crate) fn tag(label: &str) -> Cow<'static, str> {
    use Label::*;
    let Ok(known) = label.parse::<Label>() else {
        let mut name: String =
            label.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert_str(0, "phi_");
        }
        if name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("xml")) {
            name.insert_str(0, "phi_");
        }
        return Cow::Owned(name);
    };
    Cow::Borrowed(match known {
        GivenName => "prenom",
        FamilyName => "nom_famille",
        Initials => "initiales",
        Date => "date",
        BirthDate => "date_naissance",
        Age => "age",
        RelativeDate => "date_relative",
        Street => "adresse",
        PostalCode => "code_postal",
        City => "ville",
        Region => "region",
        Country => "pays",
        Hospital => "hopital",
        HealthCentre => "centre_soins",
        Institution => "organisme",
        Phone => "telephone",
        Fax => "fax",
        Email => "mail",
        Url => "url",
        IpAddress => "adresse_ip",
        PatientId => "id_patient",
        VisitId => "id_sejour",
        SocialSecurity => "num_secu",
        HealthPlan => "id_assurance",
        ProfessionalLicence => "num_professionnel",
        EmployeeId => "id_employe",
        AccountNumber => "num_compte",
        VehicleId => "immatriculation",
        DeviceId => "num_appareil",
        OtherId => "id",
        Sex => "sexe",
        Kinship => "parente",
        Profession => "profession",
        OtherDetail => "autre",
    })
}

/// Adds text, escaped for element content and attributes. What XML cannot hold becomes U+FFFD.
pub(crate) fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let mut from = 0;
    for (i, c) in text.char_indices() {
        let with: &[u8] = match c {
            '&' => b"&amp;",
            '<' => b"&lt;",
            '>' => b"&gt;",
            '"' => b"&quot;",
            '\'' => b"&#39;",
            '\r' => b"&#13;",
            '\t' | '\n' => continue,
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => "\u{FFFD}".as_bytes(),
            _ => continue,
        };
        out.extend_from_slice(&text.as_bytes()[from..i]);
        out.extend_from_slice(with);
        from = i + c.len_utf8();
    }
    out.extend_from_slice(&text.as_bytes()[from..]);
}

/// Walks a text and its spans in order: `plain` for what lies between, `marked` for each span. A span that
/// overlaps the one before it or leaves the text is cut to what is left.
pub(crate) fn walk<'t, S>(
    state: &mut S,
    text: &'t str,
    spans: &[OutSpan],
    plain: impl Fn(&mut S, &'t str),
    marked: impl Fn(&mut S, &'t str, &OutSpan),
) {
    let mut at = 0;
    for span in spans {
        let start = floor(text, span.start).max(at);
        let end = floor(text, span.end);
        if end <= start {
            continue;
        }
        plain(state, &text[at..start]);
        marked(state, &text[start..end], span);
        at = end;
    }
    plain(state, &text[at..]);
}

pub(crate) const HEADER: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// Adds `<document id="…">…</document>`.
pub(crate) fn push_document(out: &mut Vec<u8>, id: &str, text: &str, spans: &[OutSpan]) {
    out.extend_from_slice(b"<document id=\"");
    push_escaped(out, id);
    out.extend_from_slice(b"\" xml:space=\"preserve\">");
    walk(out, text, spans, push_escaped_ref, |out, inside, span| {
        let tag = tag(&span.label);
        out.extend_from_slice(format!("<{tag}>").as_bytes());
        push_escaped(out, inside);
        out.extend_from_slice(format!("</{tag}>").as_bytes());
    });
    out.extend_from_slice(b"</document>\n");
}

fn push_escaped_ref(out: &mut Vec<u8>, text: &str) {
    push_escaped(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SourceSet;

    fn span(start: usize, end: usize, label: &'static str) -> OutSpan {
        OutSpan {
            start,
            end,
            original: start..end,
            took: 0,
            put: 0,
            label: label.into(),
            role: None,
            score: 1.0,
            sources: SourceSet::default(),
        }
    }

    #[test]
    fn tags_stand_around_escaped_text() {
        let text = "a<b Martin & Zoé";
        let spans = [span(4, 10, "FamilyName"), span(13, 17, "NOMBRE"), span(16, 900, "3 odd label")];
        let mut out = Vec::new();
        push_document(&mut out, "x\"y", text, &spans);
        let expected = "<document id=\"x&quot;y\" xml:space=\"preserve\">a&lt;b <nom_famille>Martin</nom_famille> \
                        &amp; <NOMBRE>Zoé</NOMBRE></document>\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        assert_eq!(tag("3 odd"), "phi_3_odd");
        assert_eq!(tag(""), "phi_");
        assert_eq!(tag("XmlId"), "phi_XmlId");
    }

    #[test]
    fn tags_are_distinct() {
        let tags: std::collections::BTreeSet<_> = Label::ALL.iter().map(|l| tag(l.name())).collect();
        assert_eq!(tags.len(), Label::ALL.len());
    }
}
