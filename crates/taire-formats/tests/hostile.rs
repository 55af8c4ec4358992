//! Files made to harm, locked, cut, misnamed or mixed up: refused with their reason and limit, in little time, or read as
//! what they are.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use taire_formats::{Document, Encoding, LeftOut, ReadOptions, discover, open};
use zip::write::SimpleFileOptions;

/// Far more than any of these takes on a slow machine; far less than a reader that does not stop.
const LONGEST: Duration = Duration::from_secs(60);

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../taire-cli/tests/office").join(name)).unwrap()
}

/// The documents of a file that a user gives, or why there is none.
fn read(name: &str, bytes: &[u8]) -> Result<Vec<Document>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let begun = Instant::now();
    let options = ReadOptions::default();
    let found = discover(&[path], &options);
    if let Some(refusal) = found.refused.first() {
        return Err(refusal.to_string());
    }
    let documents = open(&found.inputs[0], &options).map_err(|e| e.to_string())?;
    let documents: Result<Vec<_>, _> = documents.map(|d| d.map_err(|r| r.to_string())).collect();
    assert!(begun.elapsed() < LONGEST, "{name} takes too long");
    documents
}

fn text(name: &str, bytes: &[u8]) -> Result<String, String> {
    read(name, bytes).map(|mut documents| documents.remove(0).text)
}

fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A compound file of the given streams.
fn compound(streams: &[&str]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for name in streams {
        if let Some((folder, _)) = name.trim_start_matches('/').rsplit_once('/') {
            file.create_storage_all(format!("/{folder}")).unwrap();
        }
        file.create_stream(name).unwrap().write_all(b"SECRETNAME").unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

fn pdf(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut out = String::from("%PDF-1.4\n");
    let mut table = String::from("0000000000 65535 f \n");
    for (i, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", out.len());
        out += &format!("{} 0 obj\n{object}\nendobj\n", i + 1);
    }
    let (xref, size) = (out.len(), objects.len() + 1);
    out += &format!(
        "xref\n0 {size}\n{table}trailer\n<</Size {size}/Root 1 0 R{trailer}>>\nstartxref\n{xref}\n%%EOF\n"
    );
    out.into_bytes()
}

/// A page that asks for a password.
fn locked_pdf() -> Vec<u8> {
    let word = "00".repeat(32);
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".into(),
        "<</Type/Page/Parent 2 0 R>>".into(),
        format!("<</Filter/Standard/V 1/R 2/O<{word}>/U<{word}>/P -4>>"),
    ];
    pdf(&objects, "/Encrypt 4 0 R/ID[<00><00>]")
}

#[test]
fn what_is_locked_or_holds_more_than_text_is_refused_with_its_reason() {
    let mut locked = fixture("lettre.doc");
    let word = locked.windows(2).position(|w| w == [0xEC, 0xA5]).unwrap();
    locked[word + 11] |= 1;
    let mut archive = zip(&[("a.txt", b"SECRETNAME")]);
    // The flag of encryption, in the header of the file and in the directory.
    archive[6] |= 1;
    let directory = archive.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    archive[directory + 8] |= 1;
    let odt = zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", b"<m><encryption-data/></m>"),
        ("content.xml", b"\x90"),
    ]);
    let macros = zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", b"<m/>"),
        ("content.xml", b"<x/>"),
        ("Basic/Standard/Module1.xml", b"SECRETNAME"),
    ]);
    for (name, bytes, why) in [
        ("a.docx", compound(&["/EncryptionInfo", "/EncryptedPackage"]), "encrypted"),
        ("a.doc", locked, "encrypted"),
        ("b.doc", compound(&["/WordDocument", "/Macros/VBA"]), "macros"),
        ("c.doc", compound(&["/WordDocument", "/ObjectPool/_1"]), "embedded object"),
        ("a.xls", compound(&["/Workbook"]), "without a Word document"),
        ("a.pdf", locked_pdf(), "encrypted"),
        ("a.odt", odt, "encrypted"),
        ("b.odt", macros, "macros"),
        ("a.zip", archive, "encrypted"),
        ("a.rtf", b"{\\rtf1 SECRETNAME{\\object\\objemb{\\*\\objdata 00}}}".to_vec(), "embedded"),
        ("a.html", b"<html><object data=x>SECRETNAME</object></html>".to_vec(), "embedded"),
        ("scan.png", b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".to_vec(), "image"),
        ("scan.txt", b"\xFF\xD8\xFF\xE0\0\x10JFIF".to_vec(), "image"),
        ("scan.tif", b"II*\0\x08\0\0\0".to_vec(), "image"),
    ] {
        let said = read(name, &bytes).map(drop).expect_err(name);
        assert!(said.contains(why) && !said.contains("SECRETNAME"), "{name}: {said}");
    }
}

#[test]
fn bombs_and_depth_end_at_their_limit() {
    let doctype = "<!DOCTYPE a [<!ENTITY a \"SECRETNAME\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    let cda =
        format!("{doctype}<ClinicalDocument xmlns=\"urn:hl7-org:v3\"><title>&b;</title></ClinicalDocument>");
    let content = format!("{doctype}<office:document-content/>");
    let odt = zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", b"<m/>"),
        ("content.xml", content.as_bytes()),
    ]);
    let deep_cda = format!(
        "<ClinicalDocument xmlns=\"urn:hl7-org:v3\">{}{}</ClinicalDocument>",
        "<component>".repeat(50_000),
        "</component>".repeat(50_000)
    );
    let fhir =
        format!("{{\"resourceType\":\"Bundle\",\"entry\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let jsonl = format!("{{\"text\":\"a\",\"known\":{}{}}}\n", "[".repeat(50_000), "]".repeat(50_000));
    let many = zip(&(0..5000)
        .map(|i| format!("word/document.xml/{i}"))
        .collect::<Vec<_>>()
        .iter()
        .map(|n| (n.as_str(), &b""[..]))
        .collect::<Vec<_>>());
    let kids: String = (0..100_000).map(|i| format!("{} 0 R ", i + 3)).collect();
    let mut pages = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count 100000/Kids[{kids}]>>"),
    ];
    pages.resize(100_002, "<</Type/Page/Parent 2 0 R>>".into());
    // A form that draws itself, and a page tree that holds itself.
    let form = "/X1 Do ".repeat(1000);
    let forms = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".into(),
        "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</XObject<</X1 4 0 R>>>>>>".into(),
        format!(
            "<</Subtype/Form/Resources<</XObject<</X1 4 0 R>>>>/Length {}>>\nstream\n{form}\nendstream",
            form.len()
        ),
    ];
    for (name, bytes, why) in [
        ("a.xml", cda.into_bytes(), "document type"),
        ("a.odt", odt, "document type"),
        ("b.xml", deep_cda.into_bytes(), "nest"),
        ("a.json", fhir.into_bytes(), ""),
        ("a.jsonl", jsonl.into_bytes(), ""),
        ("a.rtf", [&b"{\\rtf1 "[..], &b"{".repeat(2000), b"SECRETNAME", &b"}".repeat(2001)].concat(), "nest"),
        ("b.rtf", [&b"{\\rtf1"[..], &b"{".repeat(4 << 20)].concat(), "nest"),
        ("a.docx", many, "5000 parts; the limit is 4096"),
        ("a.pdf", pdf(&pages, ""), "more than 3000 pages"),
    ] {
        let said = read(name, &bytes).map(drop).expect_err(name);
        assert!(
            said.contains(why) && !said.contains("SECRETNAME") && !said.contains("fault"),
            "{name}: {said}"
        );
    }
    // Tags that are never closed are a page all the same.
    let page = format!("<html><body>{}mal de tête", "<div><b>".repeat(100_000));
    let _ = read("a.html", page.as_bytes()).map_err(|said| assert!(!said.contains("fault"), "{said}"));
    let _ = read("b.pdf", &pdf(&forms, "")).map_err(|said| assert!(!said.contains("fault"), "{said}"));
}

#[test]
fn a_file_cut_anywhere_is_refused_or_read_without_a_fault() {
    for name in ["lettre.docx", "lettre.odt", "lettre.rtf", "lettre.html", "lettre.doc", "lettre.pdf"] {
        let whole = fixture(name);
        let mut refused = 0;
        for part in 1..12 {
            match read(name, &whole[..whole.len() * part / 12]) {
                Ok(_) => {}
                Err(said) => {
                    assert!(!said.contains("fault") && !said.contains("ESCOUB"), "{name}: {said}");
                    refused += 1;
                }
            }
        }
        // What a browser shows of half a page can be treated; half of anything else is not a letter.
        assert!(refused >= 9 || name == "lettre.html", "{name}: {refused}");
    }
}

#[test]
fn the_content_tells_the_format_and_not_the_name() {
    for (name, wrong) in [
        ("lettre.docx", "lettre.doc"),
        ("lettre.doc", "lettre.docx"),
        ("lettre.rtf", "lettre.doc"),
        ("lettre.pdf", "lettre.txt"),
        ("lettre.odt", "lettre.docx"),
        ("lettre.html", "lettre.doc"),
        ("lettre.doc", "lettre.csv"),
        ("lettre.rtf", "lettre.jsonl"),
    ] {
        let bytes = fixture(name);
        assert_eq!(text(wrong, &bytes).unwrap(), text(name, &bytes).unwrap(), "{name} called {wrong}");
    }
    // Plain text under the name of something else is not taken for it.
    for name in ["a.docx", "a.doc", "a.pdf", "a.parquet", "a.rtf"] {
        match read(name, "Mme Durand, vue ce jour.".as_bytes()) {
            Ok(documents) => assert_eq!(documents[0].text, "Mme Durand, vue ce jour.", "{name}"),
            Err(said) => assert!(!said.contains("Durand"), "{said}"),
        }
    }
}

#[test]
fn encodings_may_be_mixed() {
    let letter = "Né à Besançon, œdème, 37 °C.\n";
    let old: Vec<u8> = encoding_rs::WINDOWS_1252.encode(letter).0.into_owned();
    let long = letter.repeat(3);
    let wide = |text: &str| {
        [&[0xFF, 0xFE][..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat()
    };
    for (bytes, expected, encoding) in [
        (letter.as_bytes().to_vec(), letter.to_owned(), Encoding::Utf8),
        (old.clone(), letter.to_owned(), Encoding::Windows1252),
        ([long.as_bytes(), &old].concat(), letter.repeat(4), Encoding::Mixed),
        ([letter.as_bytes(), &old.repeat(3)].concat(), letter.repeat(4), Encoding::Mixed),
        (wide(letter), letter.to_owned(), Encoding::Utf16),
    ] {
        let document = read("a.txt", &bytes).unwrap().remove(0);
        assert_eq!((document.text.as_str(), document.encoding), (expected.as_str(), encoding));
    }
    // Row by row in one table.
    let table =
        [b"id,text\n1,\"", letter.trim_end().as_bytes(), b"\"\n2,\"", old.trim_ascii_end(), b"\"\n"].concat();
    let rows = read("a.csv", &table).unwrap();
    assert!(rows.iter().all(|row| row.text == letter.trim_end()), "{:?}", rows.len());
    let broken = [&[0xFF, 0xFE], &[0, 0xD8, b'a', 0, 1][..]].concat();
    assert!(read("a.txt", &broken).map(drop).unwrap_err().contains("UTF-16"));
}

#[test]
fn a_picture_is_reported_and_not_passed_on() {
    for name in ["lettre.html", "lettre.pdf", "lettre.odt"] {
        let document = read(name, &fixture(name)).unwrap().remove(0);
        let reported =
            document.left_out.keys().any(|what| matches!(what, LeftOut::Pictures | LeftOut::Properties));
        assert!(reported, "{name}: {:?}", document.left_out);
    }
}
