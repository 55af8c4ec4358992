use super::super::zipped::{Part, pack};
use super::*;
use crate::text_edit::tests::replace_all;

const MAIN: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
                    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn relations(list: &[(&str, &str, &str)]) -> String {
    let items = list.iter().map(|(id, kind, target)| {
        format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
    });
    format!("<Relationships>{}</Relationships>", items.collect::<String>())
}

/// A workbook of one sheet, with more parts.
fn book(sheet: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let strings = format!(
        "<sst {MAIN}><si><t>IPP</t></si><si><t>Nom</t></si><si><r><rPr><b/></rPr><t>ESCOU</t></r><r><t>BÈS</t></r></si>\
         <si><t>Date de naissance</t></si><si><t/></si><si><t>Motif</t></si></sst>"
    );
    let styles = format!(
        "<styleSheet {MAIN}><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd/mm/yyyy\"/></numFmts><cellXfs><xf numFmtId=\"0\"/>\
         <xf numFmtId=\"164\"/></cellXfs><cellStyles><cellStyle name=\"Escoubès\" xfId=\"0\"/></cellStyles></styleSheet>"
    );
    let workbook = format!(
        "<workbook {MAIN}><fileSharing userName=\"Escoubès\"/><workbookPr codeName=\"Escoubès\"/><sheets><sheet name=\"Mme Escoubès\" \
         sheetId=\"1\" r:id=\"rId1\"/></sheets><definedNames><definedName name=\"Escoubès\">A1</definedName></definedNames></workbook>"
    );
    let own = relations(&[
        ("rId1", "worksheet", "worksheets/sheet1.xml"),
        ("rId2", "sharedStrings", "sharedStrings.xml"),
        ("rId3", "styles", "styles.xml"),
    ]);
    let mut parts = vec![
        Part::new("_rels/.rels", relations(&[("rId1", "officeDocument", "xl/workbook.xml")])),
        Part::new("xl/workbook.xml", workbook),
        Part::new("xl/_rels/workbook.xml.rels", own),
        Part::new("xl/worksheets/sheet1.xml", format!("<worksheet {MAIN}>{sheet}</worksheet>")),
        Part::new("xl/sharedStrings.xml", strings),
        Part::new("xl/styles.xml", styles),
    ];
    parts.retain(|part| more.iter().all(|(name, _)| *name != part.name));
    parts.extend(more.iter().map(|(name, content)| Part::new(*name, *content)));
    pack(&parts).unwrap()
}

const SHEET: &str = "<sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c><c r=\"C1\" t=\"s\"><v>3</v>\
    </c><c r=\"D1\" t=\"s\"><v>5</v></c></row><row r=\"2\"><c r=\"A2\"><v>7719046502</v></c><c r=\"B2\" t=\"s\"><v>2</v></c><c r=\"C2\" \
    s=\"1\"><v>19302</v></c><c r=\"D2\" t=\"str\"><f>\"Escoubès\"</f><v>Mme Escoubès</v></c><c r=\"E2\" t=\"s\"><v>4</v></c></row></sheetData>\
    <conditionalFormatting><cfRule><formula>\"Escoubès\"</formula></cfRule></conditionalFormatting><headerFooter><oddHeader>\
    &amp;L&amp;\"Arial,Bold\"&amp;12Mme Escoubès&amp;RPage &amp;P</oddHeader></headerFooter>";

fn part(bytes: &[u8], name: &str) -> String {
    String::from_utf8(Zip::open(bytes).unwrap().read(name).unwrap().unwrap()).unwrap()
}

#[test]
fn columns_are_given_and_numbers_and_days_are_replaced() {
    let mut opened = open(&book(SHEET, &[])).unwrap();
    let text = opened.text.clone();
    assert!(
        text.contains(
            "IPP : 7719046502\nNom : ESCOUBÈS\nDate de naissance : 04/11/1952\nMotif : Mme Escoubès\n"
        ),
        "{text}"
    );
    let given: Vec<_> = opened.back.take_given();
    let labels: Vec<_> = given.iter().filter_map(|g| Some((g.span.of(&text), g.label?.name()))).collect();
    assert_eq!(
        labels,
        [("7719046502", "PatientId"), ("ESCOUBÈS", "FamilyName"), ("04/11/1952", "BirthDate")]
    );
    let (new, spans) = replace_all(
        &text,
        &[
            ("ESCOUBÈS", "PETIT"),
            ("Escoubès", "Petit"),
            ("7719046502", "8820157613"),
            ("04/11/1952", "09/01/1953"),
        ],
    );
    let written = opened.back.write(&new, &spans).unwrap();
    let sheet = part(&written, "xl/worksheets/sheet1.xml");
    for expected in [
        "<c r=\"A2\"><v>8820157613</v></c>",
        "<c t=\"str\" r=\"B2\"><v>PETIT</v></c>",
        "s=\"1\"><v>19368</v></c>",
        "<v>Mme Petit</v>",
        "&amp;L&amp;\"Arial,Bold\"&amp;12Mme Petit&amp;RPage &amp;P",
    ] {
        assert!(sheet.contains(expected), "{expected} in {sheet}");
    }
    let mut zip = Zip::open(&written).unwrap();
    let names: Vec<String> = zip.names().map(str::to_owned).collect();
    assert!(!names.iter().any(|name| name.contains("sharedStrings")), "{names:?}");
    for name in names {
        let content = zip.read(&name).unwrap().unwrap();
        assert!(!String::from_utf8(content).unwrap().to_lowercase().contains("escoub"), "{name}");
    }
    assert!(part(&written, "xl/workbook.xml").contains("name=\"Mme Petit\""));
    assert_eq!(opened.left_out[&LeftOut::Formulas], 1);
}

#[test]
fn a_number_that_becomes_a_word_is_written_as_text() {
    let opened = open(&book(SHEET, &[])).unwrap();
    let (new, spans) = replace_all(
        &opened.text,
        &[("7719046502", "[ID]"), ("04/11/1952", "1952"), ("Mme Escoubès", "[NOM]"), ("ESCOUBÈS", "[NOM]")],
    );
    let written = opened.back.write(&new, &spans).unwrap();
    let sheet = part(&written, "xl/worksheets/sheet1.xml");
    assert!(
        part(&written, "xl/workbook.xml").contains("name=\"renamed1\""),
        "no name of a sheet has brackets"
    );
    assert!(sheet.contains("<c t=\"str\" r=\"A2\"><v>[ID]</v></c>"), "{sheet}");
    assert!(sheet.contains("<c t=\"str\" r=\"C2\" s=\"1\"><v>1952</v></c>"), "{sheet}");
}

#[test]
fn a_form_is_read_line_by_line() {
    let cell = |at: &str, text: &str| format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let sheet = format!(
        "<sheetData><row>{}{}{}{}</row><row>{}{}</row></sheetData>",
        cell("A1", "Nom"),
        cell("B1", "ESCOUBÈS"),
        cell("C1", "Prénom"),
        cell("D1", "Philomène"),
        cell("A2", "Adresse"),
        cell("B2", "Lannemezan")
    );
    let opened = open(&book(&sheet, &[])).unwrap();
    assert!(
        opened.text.contains("Nom\tESCOUBÈS\tPrénom\tPhilomène\nAdresse\tLannemezan\n"),
        "{}",
        opened.text
    );
}

#[test]
fn what_cannot_be_treated_is_refused_without_a_word_of_it() {
    let with = |kind: &str, target: &str| {
        relations(&[("rId1", "worksheet", "worksheets/sheet1.xml"), ("rId2", kind, target)])
    };
    let many = format!("<sheetData><row>{}</row></sheetData>", "<c><v>1</v></c>".repeat(MOST_CELLS + 1));
    let cases = [
        book(SHEET, &[("xl/vbaProject.bin", "Escoubès")]),
        book("<oleObjects/>", &[]),
        book(SHEET, &[("xl/_rels/workbook.xml.rels", &with("xlMacrosheet", "m.xml"))]),
        book(SHEET, &[("xl/_rels/workbook.xml.rels", &with("escoubes", "m.xml"))]),
        book("<sheetData><row><c t=\"s\"><v>99</v></c></row></sheetData>", &[]),
        book("<sheetData><row><c t=\"s\"><v>Escoubès</v></c></row></sheetData>", &[]),
        book(&many, &[]),
        b"PK\x03\x04Escoub".to_vec(),
    ];
    for bytes in cases {
        let why = open(&bytes).unwrap_err().to_string();
        assert!(!why.to_lowercase().contains("escoub"), "{why}");
    }
}

#[test]
fn a_long_string_shared_by_many_cells_is_not_unfolded() {
    let strings = format!("<sst {MAIN}><si><t>{}</t></si></sst>", "a ".repeat(1 << 19));
    let cells = "<c t=\"s\"><v>0</v></c>".repeat(100);
    let sheet = format!("<sheetData><row>{cells}</row></sheetData>");
    let why = open(&book(&sheet, &[("xl/sharedStrings.xml", &strings)])).unwrap_err();
    assert!(why.to_string().contains("the limit is"), "{why}");
}
