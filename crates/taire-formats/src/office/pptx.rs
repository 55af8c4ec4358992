//! Presentations (.pptx): slides with their tables and charts, notes, comments, layouts and masters as one text, and
//! written back with their formatting.

use crate::Reason;
use crate::markup::scan;
use crate::splice::Gatherer;

use super::drawing::Walker;
use super::opc::{Family, Package};
use super::zipped::Zip;
use super::{Back, Counts, Opened};

pub(crate) fn open(bytes: &[u8]) -> Result<Opened, Reason> {
    let mut zip = Zip::open(bytes)?;
    let mut counts = Counts::new();
    let mut package = Package::follow(Family::Presentation, &mut zip, &mut counts)?;
    let mut out = Gatherer::new();
    package.read_parts(&mut zip, &mut out, |kind, xml, out| {
        scan(xml, &mut Walker::new(kind, &mut counts), out)
    })?;
    let (text, places) = out.finish();
    Ok(Opened { text, back: Back::Package { places, package }, left_out: counts, pages: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::super::zipped::{Part, pack};
    use super::*;
    use crate::text_edit::tests::replace_all;

    const SPACES: &str = "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
        xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" \
        xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\" \
        xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";

    fn relations(list: &[(&str, &str)]) -> String {
        let base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let items = list.iter().enumerate().map(|(i, (kind, target))| {
            format!("<Relationship Id=\"rId{}\" Type=\"{base}/{kind}\" Target=\"{target}\"/>", i + 1)
        });
        format!("<Relationships>{}</Relationships>", items.collect::<String>())
    }

    fn deck(of_slide: &[(&str, &str)], body: &str) -> Vec<u8> {
        let main = format!(
            "<p:presentation {SPACES}><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId1\"/></p:sldIdLst><p:custShowLst>\
            <p:custShow name=\"Escoubès\"/></p:custShowLst></p:presentation>"
        );
        let slide = format!("<p:sld {SPACES}><p:cSld><p:spTree>{body}</p:spTree></p:cSld></p:sld>");
        let chart = format!(
            "<c:chartSpace {SPACES}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Mme Escoubès</a:t></a:r></a:p></c:rich></c:tx>\
             </c:title><c:ser><c:cat><c:strRef><c:f>'Mme Escoubès'!A1</c:f><c:strCache><c:pt><c:v>ESCOUBÈS</c:v></c:pt></c:strCache>\
             </c:strRef></c:cat><c:val><c:numRef><c:f>A2</c:f><c:numCache><c:formatCode>dd/mm/yyyy</c:formatCode><c:pt><c:v>19302\
             </c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:chart><c:externalData r:id=\"rId1\"/></c:chartSpace>"
        );
        let notes = format!(
            "<p:notes {SPACES}><p:cSld><p:sp><p:txBody><a:p><a:r><a:t>Escou</a:t></a:r><a:r><a:t>bès</a:t></a:r></a:p></p:txBody>\
             </p:sp></p:cSld></p:notes>"
        );
        let comments = format!(
            "<p:cmLst {SPACES}><p:cm authorId=\"0\" dt=\"2021-03-15T09:30:00\"><p:text>Mme Escoubès</p:text></p:cm></p:cmLst>"
        );
        pack(&[
            Part::new("_rels/.rels", relations(&[("officeDocument", "ppt/presentation.xml")])),
            Part::new("ppt/presentation.xml", main),
            Part::new("ppt/_rels/presentation.xml.rels", relations(&[("slide", "slides/slide1.xml")])),
            Part::new("ppt/slides/slide1.xml", slide),
            Part::new("ppt/slides/_rels/slide1.xml.rels", relations(of_slide)),
            Part::new("ppt/charts/chart1.xml", chart),
            Part::new(
                "ppt/charts/_rels/chart1.xml.rels",
                relations(&[("package", "../embeddings/Escoubès.xlsx")]),
            ),
            Part::new("ppt/embeddings/Escoubès.xlsx", *b"Escoub"),
            Part::new("ppt/notesSlides/notesSlide1.xml", notes),
            Part::new("ppt/comments/comment1.xml", comments),
        ])
        .unwrap()
    }

    const PARTS: &[(&str, &str)] = &[
        ("chart", "../charts/chart1.xml"),
        ("notesSlide", "../notesSlides/notesSlide1.xml"),
        ("comments", "../comments/comment1.xml"),
    ];
    const BODY: &str = "<p:sp><p:nvSpPr><p:cNvPr id=\"2\" name=\"Escoubès\" descr=\"Escoubès\"/></p:nvSpPr><p:txBody><a:p><a:r>\
        <a:t>Mme Escoubès</a:t></a:r></a:p></p:txBody></p:sp><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Nom</a:t></a:r></a:p>\
        </a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>ESCOUBÈS</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl>";

    #[test]
    fn slides_notes_comments_tables_and_charts_are_one_text() {
        let opened = open(&deck(PARTS, BODY)).unwrap();
        for line in ["Mme Escoubès\n", "Nom\tESCOUBÈS\n", "Escoubès\n", "ESCOUBÈS\n", "04/11/1952\n"] {
            assert!(opened.text.contains(line), "{line} in {}", opened.text);
        }
        let (new, spans) = replace_all(
            &opened.text,
            &[("ESCOUBÈS", "PETIT"), ("Escoubès", "Petit"), ("04/11/1952", "09/01/1953")],
        );
        let written = opened.back.write(&new, &spans).unwrap();
        let mut zip = Zip::open(&written).unwrap();
        let names: Vec<String> = zip.names().map(str::to_owned).collect();
        assert!(!names.iter().any(|name| name.contains("embeddings")), "{names:?}");
        for name in names {
            let content = String::from_utf8_lossy(&zip.read(&name).unwrap().unwrap()).to_lowercase();
            assert!(!content.contains("escoub") && !content.contains("2021-03"), "{name}: {content}");
            assert!(!content.contains("19302"), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_treated_is_refused_without_a_word_of_it() {
        for bytes in [
            deck(&[("oleObject", "../embeddings/Escoubès.xlsx")], BODY),
            deck(&[("video", "Escoubès.mp4")], BODY),
            deck(&[("escoubes", "x.xml")], BODY),
            deck(PARTS, "<p:oleObj name=\"Escoubès\"/>"),
            deck(PARTS, "<a:t>Escoubès"),
        ] {
            let why = open(&bytes).unwrap_err().to_string();
            assert!(!why.to_lowercase().contains("escoub"), "{why}");
        }
    }
}
