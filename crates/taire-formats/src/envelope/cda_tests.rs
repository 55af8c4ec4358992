//! CDA read and written: what enters the text, what changes, what is refused.

use super::*;
use crate::office::Counts;
use crate::text_edit::tests::replace_all;

const HEAD: &str = r##"<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="dupont.xsl"?><!-- DUPONT -->
<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:x="urn:x" xmlns:y="http://dupont.fr/y"
 xsi:schemaLocation="urn:hl7-org:v3 file:///home/dupont/CDA.xsd">
<realmCode code="FR"/><typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>
<id root="1.2.250.1.999.1.77"/><code code="11488-4" codeSystem="2.16.840.1.113883.6.1" displayName="CR de consultation"/>
<title>Lettre pour Mme DUPONT</title><effectiveTime value="20210315093000+0100"/><languageCode code="fr-FR"/>
<recordTarget><patientRole><id root="1.2.250.1.213.1.4.8" extension="252116539900123" assigningAuthorityName="CH Dupont"/>
<id root="1.2.250.1.999.2" extension="7719046502"/>
<addr use="H"><houseNumber>3</houseNumber><streetName>rue des Lilas</streetName><postalCode>65300</postalCode><city>Lannemezan</city></addr>
<telecom value="tel:0562984177" use="H"/><telecom value="mailto:m.dupont@orange.fr"/>
<patient><name><prefix>Mme</prefix><given>Marthe</given><family qualifier="BR">DUPONT</family><suffix>dite Dupont</suffix></name>
<administrativeGenderCode code="F"/><birthTime value="19521104"/><x:extra>DUPONT</x:extra>
<birthplace><place><name>Tarbes</name></place></birthplace></patient></patientRole></recordTarget>
<author><time value="2021"/><assignedAuthor><id root="1.2.250.1.71.4.2.1" extension="810003427"/>
<assignedPerson><name><given>Anselme</given><family>TREPANIER</family></name></assignedPerson></assignedAuthor></author>
<custodian><assignedCustodian><representedCustodianOrganization><name>CH de Lannemezan</name>
</representedCustodianOrganization></assignedCustodian></custodian><secret>DUPONT</secret>"##;

fn document(body: &str) -> String {
    format!("{HEAD}<component>{body}</component></ClinicalDocument>")
}

fn narrative() -> String {
    document(
        "<structuredBody><component><section><title>Histoire</title><text><paragraph>Madame <content styleCode=\"Bold\" \
         ID=\"dupont1\">Du</content>pont\n  va bien.</paragraph><table><tr><td>Poids</td><td>62 kg</td></tr></table></text>\
         <entry><observation classCode=\"OBS\" moodCode=\"EVN\"><code code=\"29463-7\" codeSystem=\"2.16.840.1.113883.6.1\">\
         <originalText><reference value=\"#dupont1\"/></originalText></code><effectiveTime><low value=\"20210314\"/></effectiveTime>\
         <value xsi:type=\"PQ\" value=\"62\" unit=\"kg\"/></observation></entry>\
         <entry><observationMedia classCode=\"OBS\" moodCode=\"EVN\"><value representation=\"B64\">RHVwb250</value>\
         </observationMedia></entry></section></component></structuredBody>",
    )
}

const SWAPS: &[(&str, &str)] = &[
    ("DUPONT", "PETIT"),
    ("Dupont", "Petit"),
    ("Marthe", "Zoé"),
    ("15/03/2021", "02/01/2020"),
    ("04/11/1952", "07/08/1950"),
    ("14/03/2021", "01/01/2020"),
    ("252116539900123", "250086539900111"),
    ("7719046502", "5551112223"),
    ("122501999177", "998877665544"),
    ("3 rue des Lilas", "14 allée du Port"),
    ("0562984177", "0536490000"),
    ("m.dupont@orange.fr", "z.petit@example.org"),
    ("Tarbes", "Pau"),
    ("CH de Lannemezan", "CH d'Oloron"),
    ("Lannemezan", "Oloron"),
    ("65300", "64400"),
    ("TREPANIER", "ROUX"),
    ("Anselme", "Paul"),
    ("810003427", "810009999"),
];

fn treat(xml: &str) -> (String, String, Counts) {
    let opened = open(xml.as_bytes()).unwrap();
    let (new, spans) = replace_all(&opened.text, SWAPS);
    let back = opened.way.write(&new, &spans).unwrap();
    (opened.text, String::from_utf8(back).unwrap(), opened.left_out)
}

#[test]
fn header_and_narrative_change_in_place() {
    let (text, back, left) = treat(&narrative());
    assert!(text.contains("Patient : Marthe DUPONT\nDate de naissance : 04/11/1952\n"), "{text}");
    assert!(text.contains("Madame Dupont va bien.\nPoids\t62 kg"), "{text}");
    for kept in [
        "<realmCode code=\"FR\"/><typeId root=\"2.16.840.1.113883.1.3\" extension=\"POCD_HD000040\"/>",
        "<id root=\"2.25.998877665544\"/>",
        "<title>Lettre pour Mme PETIT</title><effectiveTime value=\"20200102\"/>",
        "<id root=\"1.2.250.1.213.1.4.8\" extension=\"250086539900111\"/>",
        "extension=\"5551112223\"/>",
        "<houseNumber>14</houseNumber><streetName>allée du Port</streetName>",
        "value=\"tel:0536490000\" use=\"H\"",
        "value=\"mailto:z.petit@example.org\"",
        "<prefix>Mme</prefix><given>Zoé</given><family qualifier=\"BR\">PETIT</family><suffix></suffix>",
        "<birthTime value=\"19500807\"/>",
        "<place><name>Pau</name></place>",
        "<time value=\"2021\"/>",
        "<name>CH d&#39;Oloron</name>",
        "<paragraph>Madame <content styleCode=\"Bold\" ID=\"masked1\">Petit</content> va bien.</paragraph>",
        "<reference value=\"#masked1\"/>",
        "<low value=\"20200101\"/>",
        "<value xsi:type=\"PQ\" value=\"62\" unit=\"kg\"/>",
    ] {
        assert!(back.contains(kept), "{kept}\n{back}");
    }
    let lower = back.to_lowercase();
    for gone in
        ["dupont", "extra", "secret", "schemalocation", "rhvwb250", "stylesheet", "lannemezan", "093000"]
    {
        assert!(!lower.contains(gone), "{gone}\n{back}");
    }
    assert!(left.contains_key(&LeftOut::UnknownMarkup) && left.contains_key(&LeftOut::TimesOfDay));
    assert!(left.contains_key(&LeftOut::Pictures));
}

#[test]
fn the_header_is_known() {
    let opened = open(narrative().as_bytes()).unwrap();
    let known = opened.read.known;
    assert_eq!(known.birth_name.as_deref(), Some("DUPONT"));
    assert_eq!(known.given_names, ["Marthe"]);
    assert_eq!(known.patient.as_deref(), Some("7719046502"));
    assert_eq!(known.birth_date, Some(jiff::civil::date(1952, 11, 4)));
    assert_eq!(known.birth_place.as_deref(), Some("Tarbes"));
    assert_eq!(known.sex, Some(Sex::F));
    let address = known.address.unwrap();
    assert_eq!(address.street.as_deref(), Some("3 rue des Lilas"));
    assert_eq!(known.caregivers[0].family_name.as_deref(), Some("TREPANIER"));
    assert_eq!(opened.read.date, Some(jiff::civil::date(2021, 3, 15)));
    let text = &opened.text;
    let phi = opened.read.given.iter().filter_map(|g| Some((g.label?, g.span.of(text))));
    assert!(phi.clone().any(|p| p == (Label::FamilyName, "DUPONT")));
    assert!(phi.clone().any(|p| p == (Label::SocialSecurity, "252116539900123")));
    assert!(phi.clone().any(|p| p == (Label::ProfessionalLicence, "810003427")));
    let mut from = 0;
    for given in &opened.read.given {
        assert!(given.span.start() >= from);
        from = given.span.end();
    }
}

fn carrying(media: &str, content: &[u8]) -> String {
    let packed = inside::to_base64(content);
    document(&format!(
        "<nonXMLBody><text mediaType=\"{media}\" representation=\"B64\">{packed}</text></nonXMLBody>"
    ))
}

fn carried(xml: &str) -> String {
    String::from_utf8(carried_bytes(xml)).unwrap()
}

fn carried_bytes(xml: &str) -> Vec<u8> {
    let start = xml.find("representation=\"B64\">").unwrap() + 21;
    let end = start + xml[start..].find('<').unwrap();
    inside::from_base64(&xml[start..end]).unwrap()
}

#[test]
fn a_pdf_inside_comes_back_as_a_pdf() {
    let letter = include_bytes!("../../../taire-cli/tests/office/lettre.pdf");
    let xml = carrying("application/pdf", letter);
    let opened = open(xml.as_bytes()).unwrap();
    let (new, spans) = replace_all(&opened.text, &[("ESCOUBÈS", "PETIT"), ("Philomène", "Zoé")]);
    let back = String::from_utf8(opened.way.write(&new, &spans).unwrap()).unwrap();
    assert!(
        back.contains("mediaType=\"application/pdf\"") && !opened.left_out.contains_key(&LeftOut::Layout)
    );
    let pdf = carried_bytes(&back);
    assert!(pdf.starts_with(b"%PDF-"));
    let read = inside::open(&pdf).unwrap();
    assert!(
        read.text.contains("PETIT") && !read.text.contains("ESCOUBÈS") && read.media == "application/pdf"
    );
}

#[test]
fn the_letter_inside_is_opened_and_closed() {
    let rtf = b"{\\rtf1\\ansi Madame {\\b Dupont} Marthe, n\\'e9e le 04/11/1952, IPP 7719046502.\\par}";
    let (text, back, _) = treat(&carrying("text/rtf", rtf));
    assert!(text.contains("Madame Dupont Marthe, née le 04/11/1952, IPP 7719046502."), "{text}");
    let letter = carried(&back);
    assert!(
        letter.contains("Petit") && letter.contains("07/08/1950") && letter.contains("5551112223"),
        "{letter}"
    );
    assert!(letter.starts_with("{\\rtf1") && !letter.contains("Dupont"), "{letter}");
    assert!(back.contains("mediaType=\"text/rtf\""));
    let (_, back, left) = treat(&carrying("application/msword", "Mme Dupont à Tarbes".as_bytes()));
    assert_eq!(carried(&back), "Mme Petit à Pau");
    assert!(back.contains("mediaType=\"text/plain\"") && left.contains_key(&LeftOut::Layout));
}

#[test]
fn dates_and_identifiers_without_a_surrogate_are_masked() {
    let opened = open(narrative().as_bytes()).unwrap();
    let swaps = [("15/03/2021", "[DATE]"), ("122501999177", "[ID]"), ("04/11/1952", "1952")];
    let (new, spans) = replace_all(&opened.text, &swaps);
    let back = String::from_utf8(opened.way.write(&new, &spans).unwrap()).unwrap();
    assert!(back.contains("<effectiveTime nullFlavor=\"MSK\"/>"), "{back}");
    assert!(
        back.contains("<id nullFlavor=\"MSK\"/>") && back.contains("<birthTime value=\"1952\"/>"),
        "{back}"
    );
}

#[test]
fn bad_documents_are_refused_without_a_word_of_them() {
    let bomb = "<!DOCTYPE a [<!ENTITY dupont \"dupont\">]>".to_owned() + HEAD.split_once("?>").unwrap().1;
    let deep = document(&format!("{}{}", "<section>".repeat(5000), "</section>".repeat(5000)));
    for xml in [
        bomb,
        document("&dupont;"),
        deep,
        HEAD.to_owned(),
        narrative().replace("urn:hl7-org:v3\"", "urn:other\""),
        carrying("image/png", b"\x89PNG\r\n\x1a\ndupont"),
        carrying("text/rtf", b"{\\rtf1 dupont {\\object x}}"),
        carrying("text/plain", b"dupont").replace("</text>", "!</text>"),
        carrying("text/plain", b"dupont1").replace("==</text>", "</text>"),
        document(
            "<nonXMLBody><text mediaType=\"application/pdf\"><reference value=\"dupont.pdf\"/></text></nonXMLBody>",
        ),
    ] {
        let why = open(xml.as_bytes()).err().unwrap_or_else(|| panic!("read: {xml:.300}"));
        assert!(!why.to_string().to_lowercase().contains("dupont"), "{why}");
    }
}
