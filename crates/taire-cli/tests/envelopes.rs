//! Envelopes of hospital systems through `deid`: header and letter agree on one invented person, and nothing of the
//! real one stays in any part, documents in base64 opened.

mod common;

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::{digits, searchable, taire, text_of, unpacked};
use serde_json::Value;

// No town: one may fall on itself (DESIGN.md).
const WORDS: &[&str] =
    &["escoubes", "philomene", "trepanier", "hildegarde", "anselme", "arbizon", "escoubet"];
const NUMBERS: &[&str] = &[
    "7719046502",
    "252116525700183",
    "0562984177",
    "0677412093",
    "04111952",
    "19521104",
    "10003427878",
    "2021000457",
];

const CDA: &str = include_str!("envelopes/lettre.xml");
const MESSAGE: &str = include_str!("envelopes/resultat.hl7");
const BUNDLE: &str = include_str!("envelopes/dossier.json");

fn letter(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/office").join(name)).unwrap()
}

/// Treats one file; gives what was written and the report.
fn treat(name: &str, content: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("in")).unwrap();
    fs::write(path("in").join(name), content).unwrap();
    let done = taire(&["deid", path("in").to_str().unwrap(), "-o", path("out").to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let written = String::from_utf8(fs::read(path("out").join(name)).unwrap()).unwrap();
    (written, fs::read_to_string(path("out/report.md")).unwrap())
}

fn refused(name: &str, content: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("in")).unwrap();
    fs::write(path("in").join(name), content).unwrap();
    let done = taire(&["deid", path("in").to_str().unwrap(), "-o", path("out").to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(1));
    assert!(!path("out").join(name).exists());
    String::from_utf8(done.stderr).unwrap()
}

fn without_markup(text: &str) -> String {
    let mut inside = false;
    let shown = text.chars().filter(|c| {
        let was = inside;
        inside = match c {
            '<' => true,
            '>' => false,
            _ => inside,
        };
        !was && *c != '<'
    });
    shown.collect()
}

fn assert_clean(what: &str, bytes: &[u8]) {
    for (part, bytes) in unpacked(bytes) {
        let text = String::from_utf8_lossy(&bytes).into_owned() + " " + &part;
        for text in [&text, &without_markup(&text)] {
            let words = searchable(text);
            for word in WORDS {
                assert!(!words.contains(word), "a name is left in {what} {part}");
            }
            let runs: Vec<String> = text
                .split(|c: char| !(c.is_ascii_digit() || " .-/".contains(c)))
                .map(digits)
                .filter(|run| run.len() < 60)
                .collect();
            for number in NUMBERS {
                assert!(!runs.iter().any(|run| run.contains(number)), "a number is left in {what} {part}");
            }
        }
    }
}

/// What is between two marks.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let start = text.find(before).unwrap_or_else(|| panic!("no {before}")) + before.len();
    &text[start..start + text[start..].find(after).unwrap()]
}

/// The letter inside agrees with the header on name, birth date and number.
fn assert_agree(letter: &str, family: &str, birth: &str, number: &str) {
    let words = searchable(letter);
    let family = searchable(family);
    assert!(words.matches(family.trim()).count() >= 2, "the family name of the header is not in the letter");
    let day = format!("{}/{}/{}", &birth[6..8], &birth[4..6], &birth[..4]);
    assert!(letter.contains(&day), "the birth date of the header is not in the letter");
    assert!(letter.contains(number), "the patient number of the header is not in the letter");
    for kept in ["polyarthrite rhumatoïde", "méthotrexate 15 mg", "maladie de Basedow"] {
        assert!(letter.contains(kept), "lost: {kept}");
    }
}

fn header(xml: &str) -> (&str, &str, &str) {
    let patient = between(xml, "<recordTarget>", "</recordTarget>");
    let family = between(patient, "<family qualifier=\"SP\">", "<");
    let birth = between(patient, "<birthTime value=\"", "\"");
    let number = between(patient, "<id root=\"1.2.250.1.213.1.4.999\" extension=\"", "\"");
    (family, birth, number)
}

#[test]
fn a_word_letter_inside_cda_agrees_with_its_header() {
    for (name, back, media) in [
        ("lettre.docx", "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("lettre.rtf", "a.rtf", "text/rtf"),
        ("lettre.doc", "a.txt", "application/msword"),
    ] {
        let body = format!(
            "<nonXMLBody><text mediaType=\"{media}\" representation=\"B64\">{}</text></nonXMLBody>",
            STANDARD.encode(letter(name))
        );
        let (xml, report) = treat("lettre.xml", &CDA.replace("<!--BODY-->", &body));
        assert_clean(name, xml.as_bytes());
        let data = STANDARD.decode(between(&xml, "representation=\"B64\">", "<")).unwrap();
        assert_clean(name, &data);
        let (family, birth, number) = header(&xml);
        assert_agree(&text_of(back, &data), family, birth, number);
        let written = between(&xml, "<text mediaType=\"", "\"");
        assert_eq!(written, if name == "lettre.doc" { "text/plain" } else { media });
        assert!(report.contains("times of day"), "{report}");
        assert!(
            xml.contains("xmlns=\"urn:hl7-org:v3\"")
                && xml.contains("<templateId root=\"1.2.250.1.213.1.1.1.1\"/>")
        );
    }
}

#[test]
fn a_narrative_in_cda_agrees_with_its_header() {
    let body = "<structuredBody><component><section><title>Consultation de Mme Escoubès</title><text><paragraph>Mme \
                <content styleCode=\"Bold\">Philomène ESCOU</content>BÈS, IPP 7719046502, née le 04/11/1952, suivie pour une \
                polyarthrite rhumatoïde sous méthotrexate 15 mg.</paragraph><paragraph>Madame Escoubès, maladie de Basedow, \
                sera revue par le Dr Trépanier.</paragraph></text></section></component></structuredBody>";
    let (xml, _) = treat("lettre.xml", &CDA.replace("<!--BODY-->", body));
    assert_clean("narrative", xml.as_bytes());
    let (family, birth, number) = header(&xml);
    let shown = without_markup(between(&xml, "<structuredBody>", "</structuredBody>"));
    assert_agree(&shown, family, birth, number);
    assert!(xml.contains("<content styleCode=\"Bold\">"));
}

#[test]
fn a_bundle_agrees_with_itself() {
    let (json, report) =
        treat("dossier.json", &BUNDLE.replace("LETTER", &STANDARD.encode(letter("lettre.docx"))));
    assert_clean("bundle", json.as_bytes());
    let value: Value = serde_json::from_str(&json).unwrap();
    let at = |path: &str| {
        value.pointer(path).and_then(Value::as_str).unwrap_or_else(|| panic!("{path}")).to_owned()
    };
    let data = STANDARD.decode(at("/entry/2/resource/content/0/attachment/data")).unwrap();
    assert_clean("letter of the bundle", &data);
    let (family, birth) = (at("/entry/0/resource/name/0/family"), at("/entry/0/resource/birthDate"));
    let number = at("/entry/0/resource/identifier/0/value");
    assert_agree(&text_of("a.docx", &data), &family, &birth.replace('-', ""), &number);
    let id = at("/entry/0/resource/id");
    assert_eq!(at("/entry/1/resource/subject/reference"), format!("Patient/{id}"));
    assert!(searchable(&at("/entry/0/resource/text/div")).contains(searchable(&family).trim()));
    assert!(report.contains("pictures (1)"), "{report}");
}

#[test]
fn a_message_agrees_with_itself() {
    let (message, report) = treat(
        "resultat.hl7",
        &MESSAGE.replace('\n', "\r").replace("LETTER", &STANDARD.encode(letter("lettre.rtf"))),
    );
    assert_clean("message", message.as_bytes());
    let data = STANDARD.decode(between(&message, "^Base64^", "|")).unwrap();
    assert_clean("letter of the message", &data);
    let fields: Vec<&str> = between(&message, "PID|", "\r").split('|').collect();
    let (number, family, birth) =
        (fields[2].split('^').next().unwrap(), fields[4].split('^').next().unwrap(), fields[6]);
    assert_agree(&text_of("a.rtf", &data), family, birth, number);
    assert!(searchable(between(&message, "NTE|1||", "\r")).contains(searchable(family).trim()));
    assert!(!message.contains("ZPI|") && report.contains("unknown segments and fields"), "{report}");
}

#[test]
fn what_cannot_be_treated_is_refused() {
    let picture = STANDARD.encode(b"\x89PNG\r\n\x1a\nescoubes");
    let body = format!(
        "<nonXMLBody><text mediaType=\"image/png\" representation=\"B64\">{picture}</text></nonXMLBody>"
    );
    let dtd = CDA.replace("<ClinicalDocument", "<!DOCTYPE a [<!ENTITY e \"escoubes\">]><ClinicalDocument");
    for (name, content) in [
        ("a.xml", CDA.replace("<!--BODY-->", &body)),
        ("a.xml", dtd),
        ("a.xml", CDA.split_once("<custodian>").unwrap().0.to_owned()),
        ("a.hl7", format!("{MESSAGE}PID|2\r").replace('\n', "\r")),
        ("a.json", BUNDLE.replace("LETTER", "ZXNjb3ViZX")),
        ("a.json", BUNDLE.replace("\"Observation\"", "\"Escoubes\"")),
    ] {
        let said = refused(name, &content);
        assert!(!searchable(&said).contains("escoubes"), "{said}");
    }
}
