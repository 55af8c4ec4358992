//! FHIR read and written: what enters the text, what changes, what is refused.

use super::*;
use crate::office::Counts;
use crate::text_edit::tests::replace_all;

fn bundle() -> String {
    let letter =
        inside::to_base64(b"{\\rtf1 Madame Dupont Marthe, n\\'e9e le 04/11/1952, suivie \\'e0 Tarbes}");
    format!(
        r##"{{"resourceType":"Bundle","id":"b77","meta":{{"source":"CH Dupont"}},"type":"document","timestamp":"2021-03-15T09:30:00+01:00",
"entry":[
{{"fullUrl":"http://dpi.ch-dupont.fr/fhir/Patient/pat4711","resource":{{"resourceType":"Patient","id":"pat4711","language":"fr-FR",
"text":{{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>Marthe <b>Dupont</b></p></div>"}},
"extension":[{{"url":"x","valueString":"Dupont"}}],"identifier":[{{"system":"urn:oid:1.2.250.1.999.2","value":"7719046502"}}],
"name":[{{"use":"official","family":"DUPONT","given":["Marthe"],"prefix":["Mme"],"suffix":["Dupont"]}}],
"telecom":[{{"system":"phone","value":"0562984177"}}],"gender":"female","birthDate":"1952-11-04","_birthDate":{{"id":"Dupont"}},
"address":[{{"line":["3 rue des Lilas"],"city":"Lannemezan","postalCode":"65300","country":"FR","text":"Dupont, Lannemezan"}}],
"photo":[{{"data":"RHVwb250"}}],"contact":[{{"name":{{"family":"Dupont","given":["Anselme"]}},"telecom":[{{"value":"0677412093"}}]}}]}}}},
{{"resource":{{"resourceType":"Observation","id":"o1","status":"final","code":{{"coding":[{{"system":"http://loinc.org","code":"29463-7","display":"Poids"}}]}},
"subject":{{"reference":"Patient/pat4711","display":"Marthe Dupont"}},"effectiveDateTime":"2021-03-14","valueQuantity":{{"value":62.50,"unit":"kg"}},
"note":[{{"text":"Dupont pesée à Tarbes"}}],"performer":[{{"display":"Dupont"}}]}}}},
{{"resource":{{"resourceType":"DocumentReference","status":"current","subject":{{"reference":"http://dpi.ch-dupont.fr/fhir/Patient/pat4711"}},
"date":"2021-03-15T09:30:00Z","content":[{{"attachment":{{"contentType":"text/rtf","data":"{letter}","url":"http://ch-dupont/1","title":"Lettre Dupont"}}}}]}}}}]}}"##
    )
}

const SWAPS: &[(&str, &str)] = &[
    ("DUPONT", "PETIT"),
    ("Dupont", "Petit"),
    ("Marthe", "Zoé"),
    ("Anselme", "Hugo"),
    ("15/03/2021", "02/01/2020"),
    ("14/03/2021", "01/01/2020"),
    ("04/11/1952", "07/08/1950"),
    ("7719046502", "5551112223"),
    ("pat4711", "xyz1234"),
    ("b77", "c88"),
    ("o1", "q9"),
    ("3 rue des Lilas", "14 allée du Port"),
    ("Lannemezan", "Oloron"),
    ("65300", "64400"),
    ("0562984177", "0536490000"),
    ("0677412093", "0639980000"),
    ("Tarbes", "Pau"),
];

fn treat(json: &str) -> (String, String, Counts) {
    let opened = open(json.as_bytes()).unwrap();
    let (new, spans) = replace_all(&opened.text, SWAPS);
    (opened.text, String::from_utf8(opened.way.write(&new, &spans).unwrap()).unwrap(), opened.left_out)
}

#[test]
fn resources_change_in_place_and_hang_together() {
    let (text, back, left) = treat(&bundle());
    assert!(text.contains("Patient : DUPONT Marthe\n"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&back).unwrap();
    let at =
        |path: &str| value.pointer(path).and_then(|v| v.as_str()).unwrap_or_else(|| panic!("{path}\n{back}"));
    assert_eq!(at("/timestamp"), "2020-01-02T00:00:00Z");
    assert_eq!(at("/entry/0/fullUrl"), "https://example.org/fhir/Patient/xyz1234");
    assert_eq!(at("/entry/0/resource/id"), "xyz1234");
    assert_eq!(at("/entry/0/resource/name/0/family"), "PETIT");
    assert_eq!(at("/entry/0/resource/birthDate"), "1950-08-07");
    assert_eq!(at("/entry/0/resource/identifier/0/value"), "5551112223");
    assert_eq!(at("/entry/0/resource/address/0/line/0"), "14 allée du Port");
    assert_eq!(at("/entry/0/resource/contact/0/name/given/0"), "Hugo");
    assert_eq!(
        at("/entry/0/resource/text/div"),
        "<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>Zoé <b>Petit</b></p></div>"
    );
    assert_eq!(at("/entry/1/resource/subject/reference"), "Patient/xyz1234");
    assert_eq!(at("/entry/1/resource/subject/display"), "Zoé Petit");
    assert_eq!(at("/entry/1/resource/note/0/text"), "Petit pesée à Pau");
    assert_eq!(at("/entry/2/resource/subject/reference"), "https://example.org/fhir/Patient/xyz1234");
    assert!(back.contains("62.50"), "{back}");
    let data = inside::from_base64(at("/entry/2/resource/content/0/attachment/data")).unwrap();
    let data = String::from_utf8(data).unwrap();
    assert!(data.starts_with("{\\rtf1") && data.contains("Petit") && data.contains("07/08/1950"), "{data}");
    let lower = back.to_lowercase();
    for gone in ["dupont", "rhvwb250", "lannemezan", "extension", "photo", "1.2.250.1.999", "pat4711"] {
        assert!(!lower.contains(gone), "{gone}\n{back}");
    }
    for what in [LeftOut::Pictures, LeftOut::UnknownFields, LeftOut::TimesOfDay, LeftOut::LinkTargets] {
        assert!(left.contains_key(&what), "{what:?}");
    }
}

#[test]
fn plain_text_says_so() {
    let data = inside::to_base64("Mme Dupont à Tarbes".as_bytes());
    for (said, left) in [("text/plain; charset=UTF-8", false), ("application/pdf", true)] {
        let json = format!("{{\"resourceType\":\"Binary\",\"contentType\":\"{said}\",\"data\":\"{data}\"}}");
        let (_, back, counts) = treat(&json);
        let value: serde_json::Value = serde_json::from_str(&back).unwrap();
        assert_eq!(value["contentType"], "text/plain; charset=UTF-8");
        assert_eq!(
            inside::from_base64(value["data"].as_str().unwrap()).unwrap(),
            "Mme Petit à Pau".as_bytes()
        );
        assert_eq!(counts.contains_key(&LeftOut::Layout), left);
    }
}

#[test]
fn the_patient_is_known() {
    let known = open(bundle().as_bytes()).unwrap().read.known;
    assert_eq!(known.patient.as_deref(), Some("7719046502"));
    assert_eq!(known.family_name.as_deref(), Some("DUPONT"));
    assert_eq!(known.birth_date, Some(jiff::civil::date(1952, 11, 4)));
    assert_eq!(known.sex, Some(Sex::F));
    assert_eq!(known.relatives[0].given_names, ["Anselme"]);
}

#[test]
fn bad_resources_are_refused_without_a_word_of_them() {
    let deep = format!("{{\"resourceType\":\"Bundle\",\"entry\":{}{}}}", "[".repeat(500), "]".repeat(500));
    for json in [
        deep.as_str(),
        "{\"resourceType\":\"Dupont\"}",
        "{\"resourceType\":\"Bundle\",\"entry\":[{\"resource\":{\"resourceType\":\"Dupont\"}}]}",
        "{\"resourceType\":\"Patient\",\"modifierExtension\":[{\"url\":\"dupont\"}]}",
        "{\"resourceType\":\"Patient\",\"id\":\"dupont\",\"id\":\"b\"}",
        "{\"resourceType\":\"Patient\",\"id\":\"dupont\"",
        "[{\"resourceType\":\"Patient\",\"id\":\"dupont\"}]",
        "{\"resourceType\":\"Binary\",\"contentType\":\"text/plain\",\"data\":\"ZHVwb25\"}",
        "{\"resourceType\":\"Binary\",\"contentType\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}",
        "{\"resourceType\":\"Bundle\",\"entry\":[{\"resource\":{\"resourceType\":\"Patient\",\"id\":\"dupont\"}},\
         {\"resource\":{\"resourceType\":\"Observation\",\"subject\":{\"reference\":\"Patient/b\"}}}]}",
    ] {
        let why = open(json.as_bytes()).err().unwrap_or_else(|| panic!("read: {json:.200}"));
        assert!(!why.to_string().to_lowercase().contains("dupont"), "{why}");
    }
}

#[test]
fn names_in_one_piece_are_told_apart_and_people_without_reference_stay() {
    let json = r#"{"resourceType":"Composition","status":"final","subject":{"display":"DUPONT Marthe"},
        "author":[{"display":"Dr \u00c9variste Le Goff"}],"custodian":{"display":"CH de Tarbes"}}"#;
    let opened = open(json.as_bytes()).unwrap();
    let named = |label| {
        let given = opened.read.given.iter().filter(move |g| g.label == Some(label));
        given.map(|g| g.span.of(&opened.text)).collect::<Vec<_>>()
    };
    assert_eq!(named(Label::GivenName), ["Marthe", "\u{c9}variste"]);
    assert_eq!(named(Label::FamilyName), ["DUPONT", "Le Goff"]);
    let (new, spans) =
        replace_all(&opened.text, &[("\u{c9}variste", "Luc"), ("Le Goff", "Petit"), ("DUPONT", "ROY")]);
    let back = String::from_utf8(opened.way.write(&new, &spans).unwrap()).unwrap();
    assert!(
        back.contains("Dr Luc Petit") && back.contains("ROY Marthe") && back.contains("custodian"),
        "{back}"
    );
}

/// Lines of an export refer to each other by logical ids: one patient for all, staff and places drawn for the release.
#[test]
fn lines_of_an_export_are_joined_by_logical_ids() {
    let lines = [
        r#"{"resourceType":"Patient","id":"12","identifier":[{"value":"7719046502"}],"generalPractitioner":[{"reference":"Practitioner/12"}]}"#,
        r#"{"resourceType":"Observation","id":"12","status":"final","subject":{"reference":"Patient/12"},"encounter":{"reference":"Encounter/12"}}"#,
        r#"{"resourceType":"Practitioner","id":"12","name":[{"family":"Dupont"}]}"#,
    ];
    for (line, expected) in lines.iter().zip([
        &[("12", Label::PatientId), ("12", Label::EmployeeId), ("7719046502", Label::PatientId)][..],
        &[("12", Label::OtherId), ("12", Label::PatientId)],
        &[("12", Label::EmployeeId), ("Dupont", Label::FamilyName)],
    ]) {
        let opened = open_line(line.as_bytes()).unwrap();
        let mut found: Vec<_> =
            opened.read.given.iter().filter_map(|g| Some((g.span.of(&opened.text), g.label?))).collect();
        found.sort_by_key(|(text, label)| (text.to_string(), label.name()));
        let mut expected = expected.to_vec();
        expected.sort_by_key(|(text, label)| (text.to_string(), label.name()));
        assert_eq!(found, expected, "{line}");
        let patient = opened.read.known.patient.as_deref();
        assert_eq!(patient, line.contains("Patient").then_some("12"), "{line}");
        let written = String::from_utf8(opened.way.write(&opened.text, &[]).unwrap()).unwrap();
        assert_eq!(written.trim_end_matches('\n').lines().count(), 1);
    }
}
