//! First inputs: letters of the tests, and tables, archives and a PDF made here. All tell of one invented person.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::parts;

/// Names in the seeds, as they are spelled there.
pub(crate) const NAMES: [&str; 5] = ["ESCOUBÈS", "Escoubès", "Hildegarde", "Lannemezan", "LANNEMEZAN"];

macro_rules! office {
    ($name:literal) => {
        include_bytes!(concat!("../../taire-cli/tests/office/lettre.", $name)).as_slice()
    };
}

const CDA: &str = include_str!("../../taire-cli/tests/envelopes/lettre.xml");
const MESSAGE: &str = include_str!("../../taire-cli/tests/envelopes/resultat.hl7");
const BUNDLE: &str = include_str!("../../taire-cli/tests/envelopes/dossier.json");
const NOTE: &str = "Mme Philomène ESCOUBÈS, née le 04/11/1952, 3 impasse du Pic d'Arbizon, 65300 Lannemezan. IPP 7719046502, \
                    tél. 05 62 98 41 77, ph.escoubes@orange.fr.\nVue le 15 mars 2021 par le Dr Hildegarde TRÉPANIER : maladie de \
                    Basedow, méthotrexate 15 mg, TA 14/8, plaquettes 251 000/mm3.";
const NOTA: &str = "Paciente: Philomène Escoubès. NHC 7719046502, nacida el 4 de noviembre de 1952 en Lannemezan. Médico: Dra. \
                    Hildegarde Trepanier NºCol: 28 28 35489. Enfermedad de Paget, metotrexato 15 mg/semana, HbA1c 7,8 %.";

pub(crate) fn doc() -> Vec<Vec<u8>> {
    vec![office!("doc").to_vec()]
}

pub(crate) fn rtf() -> Vec<Vec<u8>> {
    let small = b"{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\info{\\author Hildegarde}}{\\header ESCOUB\\'c8S}\\uc1 \
        Mme \\b ESCOUB\\u200?S\\b0\\par{\\*\\bkmkstart a}\\trowd\\cellx100 Nom\\cell Lannemezan\\cell\\row{\\field{\\*\\fldinst \
        HYPERLINK \"x\"}{\\fldrslt Hildegarde}}{\\pict\\pngblip 00}{\\v cach}\\bin3 abc}";
    vec![office!("rtf").to_vec(), small.to_vec()]
}

pub(crate) fn html() -> Vec<Vec<u8>> {
    let small = "<!DOCTYPE html><html><head><title>Escoubès</title><style>p{}</style></head><body><!-- x --><p class=a>Mme \
        <b>ESCOU</b>B&Egrave;S &#76;annemezan<br><a href='mailto:a@b'>Hildegarde</a><table><tr><td>Nom<td>ESCOUB&#xC8;S</table>\
        <script>x</script><img src=a alt=Escoubès><input value=Lannemezan></body></html>";
    vec![office!("html").to_vec(), small.into()]
}

/// A message with two bodies and an attachment, and a plain one.
pub(crate) fn mail() -> Vec<Vec<u8>> {
    let attached = STANDARD.encode(rtf().remove(1));
    let whole = format!(
        "Date: Wed, 12 Feb 2020 09:30:00 +0100\nFrom: \"Dr Hildegarde\" <a@b.fr>\nTo: =?utf-8?Q?Escoub=C3=A8s?= <c@d.fr>\n\
         X-Id: ESCOUBÈS\nSubject: Lannemezan\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=m\n\n--m\n\
         Content-Type: multipart/alternative; boundary=n\n\n--n\nContent-Type: text/plain; charset=iso-8859-1\n\
         Content-Transfer-Encoding: quoted-printable\n\nMme ESCOUB=C8S\n--n\nContent-Type: text/html; charset=utf-8\n\n\
         <p>Mme <b>ESCOUB&Egrave;S</b></p>\n--n--\n--m\nContent-Type: application/rtf; name=Hildegarde.rtf\n\
         Content-Transfer-Encoding: base64\n\n{attached}\n--m\nContent-Type: message/rfc822\n\nFrom: a@b\n\nHildegarde\n--m--\n"
    );
    let plain =
        format!("From: Hildegarde <a@b.fr>\nSubject: a\nContent-Type: text/plain; charset=utf-8\n\n{NOTE}\n");
    vec![whole.into(), plain.into()]
}

pub(crate) fn mbox() -> Vec<Vec<u8>> {
    let mails = mail()
        .into_iter()
        .flat_map(|mail| [b"From a@b.fr Thu Jan  1 00:00:00 1970\n".to_vec(), mail, b"\n".to_vec()].concat());
    vec![mails.collect()]
}

/// Texts in every form that a cell may have.
pub(crate) fn cell() -> Vec<Vec<u8>> {
    let fragment =
        "Mme <b>ESCOUB&Egrave;S</b><br>Lannemezan &amp; Hildegarde <i>va</i>\n<img alt=\"Escoubès\">";
    let mut all: Vec<Vec<u8>> = rtf().into_iter().chain(html()).filter(|b| b.len() < 40_000).collect();
    let coded = |bytes: &Vec<u8>| STANDARD.encode(bytes).into_bytes();
    all.push(fragment.into());
    all.push(NOTE.into());
    all.extend(all.iter().map(coded).collect::<Vec<_>>());
    all
}

pub(crate) fn docx() -> Vec<Vec<u8>> {
    vec![parts::flatten(office!("docx"))]
}

pub(crate) fn xlsx() -> Vec<Vec<u8>> {
    let files = [
        include_bytes!("../../taire-cli/tests/office/lettre.xlsx").as_slice(),
        include_bytes!("../../taire-cli/tests/office/informe.xlsx").as_slice(),
    ];
    files.into_iter().map(parts::flatten).collect()
}

pub(crate) fn pptx() -> Vec<Vec<u8>> {
    vec![parts::flatten(include_bytes!("../../taire-cli/tests/office/lettre.pptx"))]
}

pub(crate) fn odt() -> Vec<Vec<u8>> {
    vec![parts::flatten(office!("odt"))]
}

/// A letter with its streams unpacked and a form, and one as a word processor prints it.
pub(crate) fn pdf() -> Vec<Vec<u8>> {
    let page = "0.5 w 60 650 m 500 650 l S 60 600 440 0.7 re f 0 0 1 rg BT /F1 12 Tf 70 700 Td (Mme ESCOUB\\310S, Lannemezan) Tj 0 -14 Td [(Hilde) -20 (garde)] TJ T* <4E6F6D> Tj ET /X1 Do";
    let form = "BT /F1 9 Tf 70 40 Td (Lannemezan) ' ET";
    let objects = [
        "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[7 0 R 8 0 R]>>>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".into(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Rotate 90/Annots[7 0 R 8 0 R]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</X1 6 0 R>>>>>>".into(),
        format!("<</Length {}>>\nstream\n{page}\nendstream", page.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".into(),
        format!("<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Length {}>>\nstream\n{form}\nendstream", form.len()),
        "<</Subtype/Widget/FT/Tx/V(Hildegarde)/Rect[60 500 200 520]>>".into(),
        "<</Subtype/Widget/FT/Btn/AS/Yes/Rect[60 460 70 470]>>".into(),
    ];
    vec![pdf_file(&objects), office!("pdf").to_vec(), scan()]
}

/// A file of these objects, the first of them its root.
fn pdf_file(objects: &[String]) -> Vec<u8> {
    let mut out = String::from("%PDF-1.4\n");
    let mut table = String::from("0000000000 65535 f \n");
    for (i, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", out.len());
        out += &format!("{} 0 obj\n{object}\nendobj\n", i + 1);
    }
    let xref = out.len();
    let size = objects.len() + 1;
    out +=
        &format!("xref\n0 {size}\n{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{xref}\n%%EOF\n");
    out.into_bytes()
}

/// A page that is a picture, with the text of a scanner behind it.
fn scan() -> Vec<u8> {
    let page = "BT 3 Tr /F1 12 Tf 70 700 Td (Lannemezan) Tj ET q 200 0 0 300 0 0 cm /P Do Q";
    let picture = "00FF00FF80FF00FF00FF80FF00FF00FF>";
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".into(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</P 6 0 R>>>>>>".into(),
        format!("<</Length {}>>\nstream\n{page}\nendstream", page.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".into(),
        format!("<</Type/XObject/Subtype/Image/Width 4/Height 4/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/ASCIIHexDecode/Length {}>>\nstream\n{picture}\nendstream", picture.len()),
    ];
    pdf_file(&objects)
}

/// A small page as scanners write it.
pub(crate) fn image() -> Vec<Vec<u8>> {
    use image::{DynamicImage, GrayImage, ImageFormat, Luma, RgbaImage};
    let grey = GrayImage::from_fn(40, 30, |x, y| Luma([if (x / 3 + y / 5) % 2 == 0 { 250 } else { 20 }]));
    let colour = RgbaImage::from_fn(12, 9, |x, y| image::Rgba([x as u8 * 20, y as u8 * 20, 90, 200]));
    let files = [
        (DynamicImage::ImageLuma8(grey.clone()), ImageFormat::Png),
        (DynamicImage::ImageRgba8(colour), ImageFormat::Png),
        (DynamicImage::ImageLuma8(grey.clone()), ImageFormat::Jpeg),
        (DynamicImage::ImageLuma8(grey), ImageFormat::Tiff),
    ];
    let encoded = files.into_iter().map(|(page, format)| {
        let mut out = std::io::Cursor::new(Vec::new());
        page.write_to(&mut out, format).expect("an image");
        out.into_inner()
    });
    encoded.collect()
}

pub(crate) fn parquet() -> Vec<Vec<u8>> {
    let text = |i: i64| if i % 2 == 0 { NOTE } else { NOTA };
    let columns: [(&str, ArrayRef); 4] = [
        ("note_id", Arc::new(Int64Array::from_iter_values(0..6))),
        ("person_id", Arc::new(Int64Array::from_iter((0..6).map(|i| (i % 3 != 1).then_some(7700 + i / 2))))),
        ("note_date", Arc::new(Date32Array::from_iter_values(18_000..18_006))),
        ("note_text", Arc::new(StringArray::from_iter((0..6).map(|i| (i != 4).then(|| text(i)))))),
    ];
    let Ok(batch) = RecordBatch::try_from_iter(columns) else { return Vec::new() };
    let write = |dictionary: bool| {
        let mut bytes = Vec::new();
        let properties = WriterProperties::builder().set_dictionary_enabled(dictionary).build();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties))?;
        writer.write(&batch)?;
        writer.close()?;
        Ok::<_, parquet::errors::ParquetError>(bytes)
    };
    [true, false].into_iter().flat_map(write).collect()
}

fn letter() -> String {
    STANDARD.encode(rtf().pop().unwrap_or_default())
}

pub(crate) fn cda() -> Vec<Vec<u8>> {
    let inside = format!(
        "<nonXMLBody><text mediaType=\"text/rtf\" representation=\"B64\">{}</text></nonXMLBody>",
        letter()
    );
    let narrative = "<structuredBody><component><section><title>Mme Escoubès</title><text><paragraph>Mme <content \
        styleCode=\"Bold\">ESCOU</content>BÈS, IPP 7719046502, née le 04/11/1952 à Lannemezan.</paragraph><table><tr><td>Dr \
        Hildegarde</td></tr></table></text></section></component></structuredBody>";
    [inside.as_str(), narrative].map(|body| CDA.replace("<!--BODY-->", body).into_bytes()).into()
}

pub(crate) fn fhir() -> Vec<Vec<u8>> {
    vec![BUNDLE.replace("LETTER", &letter()).into_bytes()]
}

pub(crate) fn fhir_xml() -> Vec<Vec<u8>> {
    let bundle = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Bundle xmlns=\"http://hl7.org/fhir\"><id value=\"b7\"/><type value=\"document\"/>\
         <entry><fullUrl value=\"http://a.fr/fhir/Patient/p1\"/><resource><Patient><id value=\"p1\"/><text><status value=\"generated\"/>\
         <div xmlns=\"http://www.w3.org/1999/xhtml\"><p>Mme <b>Escoubès</b><br/>Lannemezan</p></div></text><name><family \
         value=\"ESCOUBÈS\"/><given value=\"Philomène\"/></name><birthDate value=\"1952-11-04\"/><address><city \
         value=\"Lannemezan\"/></address></Patient></resource></entry><entry><resource><Observation><contained><Practitioner><name>\
         <text value=\"Dr Hildegarde\"/></name></Practitioner></contained><status value=\"final\"/><subject><reference \
         value=\"Patient/p1\"/><display value=\"Escoubès\"/></subject><note><text value=\"Mme ESCOUB&#200;S\"/></note>\
         </Observation></resource></entry><entry><resource><Binary><contentType value=\"text/rtf\"/><data value=\"{}\"/></Binary>\
         </resource></entry></Bundle>",
        letter()
    );
    vec![bundle.into()]
}

/// The resources of the bundle, one a line.
pub(crate) fn fhir_lines() -> Vec<Vec<u8>> {
    let bundle = BUNDLE.replace("LETTER", &letter());
    let bundle: serde_json::Value = serde_json::from_str(&bundle).unwrap_or_default();
    let entries = bundle["entry"].as_array().map(Vec::as_slice).unwrap_or_default();
    vec![entries.iter().flat_map(|entry| format!("{}\n", entry["resource"]).into_bytes()).collect()]
}

pub(crate) fn hl7_batch() -> Vec<Vec<u8>> {
    let message = hl7().concat();
    let parts: [&[u8]; 5] =
        [b"FHS|^~\\&|Hildegarde\rBHS|^~\\&\r", &message, &message, b"BTS|2|Lannemezan\r", b"FTS|1\r"];
    vec![parts.concat()]
}

pub(crate) fn hl7() -> Vec<Vec<u8>> {
    vec![MESSAGE.replace("LETTER", &letter()).replace('\n', "\r").into_bytes()]
}

pub(crate) fn csv() -> Vec<Vec<u8>> {
    let quoted = NOTE.replace('"', "\"\"");
    vec![
        format!("id,patient,date,text\n1,77,2021-03-15,\"{quoted}\"\n2,,15/03/2021,RAS\n3,78,,\"a \"\"b\"\"\nc\"\n").into_bytes(),
    ]
}

pub(crate) fn jsonl() -> Vec<Vec<u8>> {
    let note = NOTE.replace('\n', "\\n");
    vec![
        format!(
            "{{\"id\":1,\"patient\":\"77\",\"date\":\"2021-03-15\",\"text\":\"{note}\",\"known\":{}}}\n\n{{\"text\":\"\\u0045scoub\\u00e8s\",\"ward\":[1]}}\n",
            crate::engine::KNOWN.replace('\n', " ")
        )
        .into_bytes(),
    ]
}

pub(crate) fn zip() -> Vec<Vec<u8>> {
    let mut flat = Vec::new();
    let csv = csv().pop().unwrap_or_default();
    let rtf = rtf().pop().unwrap_or_default();
    for (name, content) in [
        ("a/notes.csv", csv.as_slice()),
        ("a/lettre.rtf", rtf.as_slice()),
        ("a/identity.json", crate::engine::KNOWN.as_bytes()),
        ("lettre.txt", NOTE.as_bytes()),
    ] {
        flat.push(1);
        flat.extend_from_slice(name.as_bytes());
        flat.push(2);
        flat.extend_from_slice(content);
    }
    vec![parts::pack(&flat), flat]
}

/// A tar with a letter, a zip and a packed table in it.
pub(crate) fn tar() -> Vec<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let zipped = zip().remove(0);
    for (name, content) in [
        ("a/lettre.txt", NOTE.as_bytes()),
        ("a/identity.json", crate::engine::KNOWN.as_bytes()),
        ("b.zip", &zipped),
        ("notes.jsonl.gz", &gz().concat()),
    ] {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let _ = archive.append_data(&mut header, name, content);
    }
    archive.into_inner().into_iter().collect()
}

/// A message of Outlook with a copy to the patient, two bodies and two attachments.
pub(crate) fn msg() -> Vec<Vec<u8>> {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let properties = |header: usize, list: &[(u16, u64)]| {
        let mut out = vec![0; header];
        for (tag, value) in list {
            out.extend([3, 0]);
            out.extend(tag.to_le_bytes());
            out.extend([6, 0, 0, 0]);
            out.extend(value.to_le_bytes());
        }
        out
    };
    let (recipient, first, second) =
        ("/__recip_version1.0_#00000000", "/__attach_version1.0_#00000000", "/__attach_version1.0_#00000001");
    let inner = format!("{second}/__substg1.0_3701000D");
    let rtf = rtf().remove(1);
    let streams = [
        (
            "/__properties_version1.0".to_owned(),
            properties(32, &[(0x0039, 132_259_410_000_000_000), (0x3FFD, 1252)]),
        ),
        ("/__substg1.0_0037001F".into(), wide("Mme Escoubès")),
        ("/__substg1.0_0C1A001F".into(), wide("Dr Hildegarde")),
        ("/__substg1.0_1000001E".into(), b"Mme ESCOUB\xC8S".to_vec()),
        ("/__substg1.0_10130102".into(), b"<p>Mme <b>ESCOUB&Egrave;S</b></p>".to_vec()),
        (format!("{recipient}/__properties_version1.0"), properties(8, &[(0x0C15, 2)])),
        (format!("{recipient}/__substg1.0_3001001F"), wide("Philomène Escoubès")),
        (format!("{first}/__properties_version1.0"), properties(8, &[(0x3705, 1)])),
        (format!("{first}/__substg1.0_3707001F"), wide("Hildegarde.rtf")),
        (format!("{first}/__substg1.0_37010102"), rtf),
        (format!("{second}/__properties_version1.0"), properties(8, &[(0x3705, 5)])),
        (format!("{inner}/__properties_version1.0"), properties(24, &[])),
        (format!("{inner}/__substg1.0_1000001F"), wide("Lannemezan")),
    ];
    let write = || -> std::io::Result<Vec<u8>> {
        let mut file = cfb::CompoundFile::create(std::io::Cursor::new(Vec::new()))?;
        for folder in [recipient, first, second, &inner] {
            file.create_storage(folder)?;
        }
        for (name, content) in &streams {
            file.create_stream(name)?.write_all(content)?;
        }
        Ok(file.into_inner().into_inner())
    };
    write().into_iter().collect()
}

pub(crate) fn gz() -> Vec<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::none());
    let _ = packed.write_all(&jsonl().concat());
    packed.finish().into_iter().collect()
}

pub(crate) fn engine() -> Vec<Vec<u8>> {
    let text = |first: u8, text: &str| [&[first], text.as_bytes()].concat();
    vec![
        text(0, NOTE),
        text(1, NOTA),
        text(0, include_str!("../../../examples/fr/lettre-neurologie.txt")),
        text(1, include_str!("../../../examples/es/informe-alta.txt")),
    ]
}
