//! HL7 v2 read and written: what enters the text, what changes, what is refused.

use super::*;
use crate::office::Counts;
use crate::text_edit::tests::replace_all;

const MESSAGE: &str = "MSH|^~\\&|DPI|CH DUPONT|LABO|CH|20210315093000||ORU^R01^ORU_R01|MSG00012345|P|2.5|||||FRA|UNICODE UTF-8\r\
PID|1||7719046502^^^CH DUPONT&1.2.250.1.999.2&ISO^PI~252116539900123^^^ASIP-SANTE-INS-NIR&1.2.250.1.213.1.4.8&ISO^INS||\
DUPONT&de&DUPONT^Marthe^Anne^dite Dupont^Mme^^L~MARTIN^Marthe^^^^^M|ROUX^Berthe|19521104|F|||3 rue des Lilas^^Lannemezan^^65300^FRA^H||\
0562984177^PRN^PH~^NET^Internet^m.dupont@orange.fr|||M|||0123456789||||Tarbes\r\
NK1|1|DUPONT^Anselme|SPO^Conjoint^HL70063|3 rue des Lilas^^Lannemezan^^65300|0677412093\r\
PV1|1|I|RHUMATOLOGIE^12^B^CH DUPONT||||810003427^TREPANIER^Hildegarde^^^Dr^^^ASIP||||||||||||VN998877\r\
ZPI|DUPONT|secret\r\
OBR|1|CMD4455|RES6677|11488-4^CR de consultation^LN|||20210314101500\r\
OBX|1|TX|11488-4^CR de consultation^LN||Mme Dupont\\T\\fils vue \\.br\\le 14/03/2021 \\Zdupont\\~bonne tol\u{e9}rance||||||F\r\
OBX|2|NM|2345-7^Glucose^LN||5.4|mmol/L|3.9-6.1|N|||F\r\
NTE|1|L|Copie au Dr Trepanier\r";

const SWAPS: &[(&str, &str)] = &[
    ("DUPONT", "PETIT"),
    ("Dupont", "Petit"),
    ("MARTIN", "BLANC"),
    ("Marthe", "Zoé"),
    ("Anne", "Lise"),
    ("ROUX", "NOIR"),
    ("Berthe", "Odile"),
    ("Anselme", "Hugo"),
    ("14/03/2021", "01/01/2020"),
    ("15/03/2021", "02/01/2020"),
    ("04/11/1952", "07/08/1950"),
    ("252116539900123", "250086539900111"),
    ("7719046502", "5551112223"),
    ("3 rue des Lilas", "14 allée du Port"),
    ("Lannemezan", "Oloron"),
    ("65300", "64400"),
    ("0562984177", "0536490000"),
    ("0677412093", "0639980000"),
    ("0123456789", "9876543210"),
    ("m.dupont@orange.fr", "z.petit@example.org"),
    ("Tarbes", "Pau|x"),
    ("TREPANIER", "BRUN"),
    ("Trepanier", "Brun"),
    ("Hildegarde", "Irma"),
    ("810003427", "810009999"),
    ("VN998877", "VN112233"),
    ("MSG00012345", "MSG00054321"),
    ("CMD4455", "CMD1111"),
    ("RES6677", "RES2222"),
];

fn treat(bytes: &[u8]) -> (String, Vec<u8>, Counts) {
    let opened = open(bytes).unwrap();
    let (new, spans) = replace_all(&opened.text, SWAPS);
    (opened.text, opened.way.write(&new, &spans).unwrap(), opened.left_out)
}

#[test]
fn fields_and_observations_change_in_place() {
    let (text, back, left) = treat(MESSAGE.as_bytes());
    let back = String::from_utf8(back).unwrap();
    assert!(text.contains("Patient : DUPONT Marthe Anne\n"), "{text}");
    assert!(text.contains("Mme Dupont&fils vue \nle 14/03/2021 \nbonne tolérance"), "{text}");
    let expected = "MSH|^~\\&|||||20200102||ORU^R01^ORU_R01|MSG00054321|P|2.5|||||FRA|UNICODE UTF-8\r\
PID|1||5551112223^^^^PI~250086539900111^^^ASIP-SANTE-INS-NIR&1.2.250.1.213.1.4.8&ISO^INS||\
PETIT^Zoé^Lise^^Mme^^L~BLANC^Zoé^^^^^M|NOIR^Odile|19500807|F|||14 allée du Port^^Oloron^^64400^FRA^H||\
0536490000^PRN^PH~^NET^Internet^z.petit@example.org|||M|||9876543210||||Pau\\F\\x\r\
NK1|1|PETIT^Hugo|SPO^Conjoint^HL70063|14 allée du Port^^Oloron^^64400|0639980000\r\
PV1|1|I|RHUMATOLOGIE||||810009999^BRUN^Irma^^^Dr||||||||||||VN112233\r\
OBR|1|CMD1111|RES2222|11488-4^CR de consultation^LN|||20200101\r\
OBX|1|TX|11488-4^CR de consultation^LN||Mme Petit\\T\\fils vue \\.br\\le 01/01/2020 ~bonne tolérance||||||F\r\
OBX|2|NM|2345-7^Glucose^LN||5.4|mmol/L|3.9-6.1|N|||F\r\
NTE|1|L|Copie au Dr Brun\r";
    assert_eq!(back, expected);
    assert!(left[&LeftOut::UnknownFields] >= 1 && left.contains_key(&LeftOut::TimesOfDay));
}

#[test]
fn the_patient_is_known() {
    let opened = open(MESSAGE.as_bytes()).unwrap();
    let known = opened.read.known;
    assert_eq!(known.patient.as_deref(), Some("7719046502"));
    assert_eq!((known.family_name.as_deref(), known.birth_name.as_deref()), (Some("DUPONT"), Some("MARTIN")));
    assert_eq!(known.given_names, ["Marthe", "Anne"]);
    assert_eq!(known.birth_date, Some(jiff::civil::date(1952, 11, 4)));
    assert_eq!(known.caregivers[0].given_names, ["Hildegarde"]);
    assert!(known.relatives.iter().any(|r| r.given_names == ["Anselme"]));
    assert_eq!(opened.read.date, Some(jiff::civil::date(2021, 3, 14)));
}

#[test]
fn encodings_frames_and_documents_inside_are_kept() {
    let letter = inside::to_base64(b"{\\rtf1 Mme Dupont, n\\'e9e le 04/11/1952}");
    let message = format!(
        "\u{b}MSH|^~\\&|A|B|C|D|20210315||MDM^T02|1|P|2.5\rPID|1||7719046502||DUPONT^Marthe\r\
         OBX|1|ED|LET^Lettre \u{e9}crite^L||^AP^RTF^Base64^{letter}||||||F\r\u{1c}\r"
    );
    let (latin, _, _) = WINDOWS_1252.encode(&message);
    let (text, back, _) = treat(&latin);
    assert!(text.contains("Mme Dupont, née le"), "{text}");
    assert!(back.starts_with(b"\x0bMSH") && back.ends_with(b"\r\x1c\r"));
    assert!(back.windows(7).any(|w| w == b"\xe9crite^"));
    let back = String::from_utf8_lossy(&back).into_owned();
    let data = back.split("Base64^").nth(1).unwrap().split('|').next().unwrap();
    let letter = String::from_utf8(inside::from_base64(data).unwrap()).unwrap();
    assert!(
        letter.starts_with("{\\rtf1") && letter.contains("Petit") && letter.contains("07/08/1950"),
        "{letter}"
    );
}

#[test]
fn bad_messages_are_refused_without_a_word_of_them() {
    let with = |line: &str| format!("MSH|^~\\&|A|B|C|D|20210315||ORU^R01|1|P|2.5\r{line}\r");
    for message in [
        "MSH|^^^^|dupont".to_owned(),
        "MSH|".to_owned(),
        with("PID|1||1||DUPONT\rPID|2||2||DUPONT"),
        with("MSH|^~\\&|dupont"),
        with("OBX|1|QQ|c||dupont"),
        with("OBX|1||c||dupont"),
        with("OBX|1|ED|c||^AP^PDF^Base64^ZHVwb25"),
        with("OBX|1|ED|c||^IM^PNG^Base64^iVBORw0KGgo="),
        with("OBX|1|ED|c||^IM^PNG^Hex^6475706f6e74"),
        with("suite du texte de dupont"),
    ] {
        let why = open(message.as_bytes()).err().unwrap_or_else(|| panic!("read: {message}"));
        assert!(!why.to_string().to_lowercase().contains("dupont"), "{why}");
    }
    let mixed =
        "MSH|^~\\&|A|B|C|D|20210315||ORU^R01|1|P|2.5||||||UNICODE UTF-8\rPID|1||1||DUPR\u{c9}\rNTE|1||Dupr";
    assert!(open(mixed.as_bytes()).is_ok());
    assert!(
        open(&[mixed.as_bytes(), b"\xE9\xE9\xE9\r"].concat()).err().unwrap().to_string().contains("encoding")
    );
}
