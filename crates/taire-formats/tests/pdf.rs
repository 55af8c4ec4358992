//! PDFs written anew: what of them comes back, what does not, and files made to harm.

use std::path::Path;

use lopdf::{EncryptionState, EncryptionVersion, Permissions};
use taire_formats::{Document, Format, InputFile, LeftOut, Ocr, OutSpan, ReadOptions, read_bytes};

fn pdf(objects: &[String]) -> Vec<u8> {
    let mut out = String::from("%PDF-1.4\n");
    let mut table = String::from("0000000000 65535 f \n");
    for (i, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", out.len());
        out += &format!("{} 0 obj\n{object}\nendobj\n", i + 1);
    }
    let (xref, size) = (out.len(), objects.len() + 1);
    out += &format!("xref\n0 {size}\n{table}trailer\n<</Size {size}/Root 1 0 R/ID[<00><00>]>>\n");
    out += &format!("startxref\n{xref}\n%%EOF\n");
    out.into_bytes()
}

/// A file of one page: its content, more keys of the page and of the catalogue, more objects (from 6 on).
fn one_page(content: &str, page: &str, catalogue: &str, more: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        format!("<</Type/Catalog/Pages 2 0 R{catalogue}>>"),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".into(),
        format!("<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>{page}>>"),
        format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Times-Bold/Encoding/WinAnsiEncoding>>".into(),
    ];
    objects.extend(more.iter().map(|object| (*object).to_owned()));
    pdf(&objects)
}

fn read(bytes: &[u8]) -> Result<Document, String> {
    let input = InputFile::new(Path::new("a.pdf").to_owned(), "a.pdf", Format::Pdf);
    let options = ReadOptions { ocr: Ocr::off(), ..ReadOptions::default() };
    let mut reader = read_bytes(&input, bytes.to_vec(), &options).map_err(|e| e.to_string())?;
    reader.next().unwrap().map_err(|refusal| refusal.to_string())
}

/// The file with words replaced, or why it is not written.
fn rewrite(document: &Document, swaps: &[(&str, &str)]) -> Result<Vec<u8>, String> {
    let text = &document.text;
    let (mut new, mut spans, mut at) = (String::new(), Vec::new(), 0);
    while at < text.len() {
        let Some((was, with)) = swaps.iter().find(|(was, _)| text[at..].starts_with(was)) else {
            let c = text[at..].chars().next().unwrap();
            new.push(c);
            at += c.len_utf8();
            continue;
        };
        let start = new.len();
        new.push_str(with);
        spans.push(OutSpan {
            start,
            end: new.len(),
            original: at..at + was.len(),
            took: 0,
            put: 0,
            label: "X".into(),
            role: None,
            score: 1.0,
            sources: Default::default(),
        });
        at += was.len();
    }
    document.rewritten(&new, &spans).unwrap().map_err(|e| e.to_string())
}

/// The bytes of a file and of its streams, as one.
fn all_bytes(file: &[u8]) -> Vec<u8> {
    let document = lopdf::Document::load_mem(file).unwrap();
    let mut out = file.to_vec();
    for object in document.objects.values() {
        if let Ok(stream) = object.as_stream() {
            out.extend(stream.get_plain_content().unwrap());
        }
    }
    out
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|w| w == word.as_bytes())
}

const LETTER: &str =
    "BT /F1 12 Tf 60 700 Td (Mme Kervadec, vue ce jour) Tj 0 -20 Td (pour une polyarthrite.) Tj ET";

#[test]
fn values_of_forms_are_text_and_what_is_attached_is_left_out() {
    let file = one_page(
        LETTER,
        "/Annots[6 0 R 7 0 R 8 0 R]",
        "/AcroForm<</Fields[6 0 R 7 0 R]>>/Names<</JavaScript<</Names[(a) 9 0 R]>>/EmbeddedFiles<</Names[(Kervadec.txt) 9 0 R]>>>>\
         /Outlines<</Title(Kervadec)>>",
        &[
            "<</Subtype/Widget/FT/Tx/T(nom)/V(Aldegonde Kervadec)/Rect[60 600 200 620]>>",
            "<</Subtype/Widget/FT/Btn/T(oui)/AS/Yes/Rect[60 560 70 570]>>",
            "<</Subtype/Stamp/Contents(Kervadec)/Rect[60 500 70 510]>>",
            "<</S/JavaScript/JS(app.alert\\('Kervadec'\\))>>",
        ],
    );
    let document = read(&file).unwrap();
    assert!(
        document.text.contains("Mme Kervadec, vue ce jour\npour une polyarthrite.\n"),
        "{}",
        document.text
    );
    assert!(
        document.text.contains("\nAldegonde Kervadec\n") && document.text.contains("\nX\n"),
        "{}",
        document.text
    );
    for (what, n) in [(LeftOut::Scripts, 1), (LeftOut::AttachedData, 4), (LeftOut::Properties, 1)] {
        assert_eq!(document.left_out.get(&what), Some(&n), "{}", what.name());
    }
    let new = rewrite(&document, &[("Kervadec", "Petit"), ("Aldegonde", "Luce")]).unwrap();
    let all = all_bytes(&new);
    for gone in
        ["Kervadec", "Aldegonde", "AcroForm", "JavaScript", "EmbeddedFiles", "Annots", "Outlines", "/ID"]
    {
        assert!(!holds(&all, gone), "{gone}");
    }
    let again = read(&new).unwrap();
    assert_eq!(
        again.text.split_whitespace().collect::<Vec<_>>().join(" "),
        "Mme Petit, vue ce jour pour une polyarthrite. Luce Petit X"
    );
    assert!(holds(&all, "Times-Bold") && holds(&all, "60.00 700.00 Tm"));
}

#[test]
fn an_owners_password_alone_locks_no_reader_out() {
    for (user, opens) in [("", true), ("secret", false)] {
        let mut file = lopdf::Document::load_mem(&one_page(LETTER, "", "", &[])).unwrap();
        let version = EncryptionVersion::V2 {
            document: &file,
            owner_password: "owner",
            user_password: user,
            key_length: 128,
            permissions: Permissions::PRINTABLE,
        };
        let state = EncryptionState::try_from(version).unwrap();
        file.encrypt(&state).unwrap();
        let mut bytes = Vec::new();
        file.save_to(&mut bytes).unwrap();
        match (read(&bytes), opens) {
            (Ok(document), true) => {
                assert!(document.text.starts_with("Mme Kervadec, vue ce jour"), "{}", document.text);
                let new = rewrite(&document, &[("Kervadec", "Petit")]).unwrap();
                assert!(!holds(&new, "/Encrypt"));
            }
            (Err(said), false) => assert!(said.contains("password"), "{said}"),
            (other, _) => panic!("{user:?}: {:?}", other.map(|d| d.text)),
        }
    }
}

#[test]
fn absurd_places_and_sizes_are_refused_or_written_within_limits() {
    for (content, page) in [
        ("BT /F1 12 Tf 100000000000000000 100000000000000000 Td (Kervadec est loin) Tj ET", ""),
        ("BT /F1 1000000000 Tf 10 10 Td (Kervadec est grande) Tj ET", ""),
        ("BT /F1 0 Tf 10 10 Td (Kervadec est petite) Tj ET", ""),
        ("BT /F1 12 Tf 0 0 0 0 0 0 Tm (Kervadec est nulle part) Tj ET", ""),
        ("BT /F1 12 Tf -1000000000 Tz 1000000000 Tc 10 10 Td (Kervadec va ailleurs) Tj ET", ""),
        (
            "100000000000000000 0 0 100000000000000000 0 0 cm 100000000000000000 0 0 100000000000000000 0 0 cm 100000000000000000 0 0 100000000000000000 0 0 cm BT /F1 12 Tf 10 10 Td (Kervadec) Tj ET",
            "",
        ),
        (LETTER, "/MediaBox[0 0 1000000000 1000000000]"),
        (LETTER, "/MediaBox[0 0 0 0]/Rotate 45"),
        (LETTER, "/MediaBox[600 800 0 0]/Rotate -90"),
        (LETTER, "/CropBox[(a) 0 0 1]/MediaBox 3 0 R"),
    ] {
        let document = match read(&one_page(content, page, "", &[])) {
            Ok(document) => document,
            Err(said) => {
                assert!(said.contains("no number") && !said.contains("Kervadec"), "{content}: {said}");
                continue;
            }
        };
        // Letters may be so far apart that each is a word.
        assert!(document.text.contains('K'), "{content}");
        let new = rewrite(&document, &[("Kervadec", "Petit")]).unwrap();
        assert!(!holds(&all_bytes(&new), "Kervadec"), "{content}");
        let file = lopdf::Document::load_mem(&new).unwrap();
        let page = file.get_dictionary(file.page_iter().next().unwrap()).unwrap();
        let sides = page.get(b"MediaBox").unwrap().as_array().unwrap();
        assert!(sides[2..].iter().all(|side| (1.0..=14_400.0).contains(&side.as_float().unwrap())));
    }
}

#[test]
fn lines_drawn_as_letters_and_codes_are_not_drawn_again() {
    let bars: String = (0..60).map(|i| format!("{} 100 1.5 40 re f ", 100 + i * 3 + i % 3)).collect();
    let rules = "0.5 w 60 650 m 500 650 l S 60 630 440 0.7 re f 60 630 m 60 650 l S";
    let signature = "60 200 m 90 240 120 160 150 200 c S 60 300 m 100 340 l S";
    let document = read(&one_page(&format!("{LETTER} {bars} {rules} {signature}"), "", "", &[])).unwrap();
    assert_eq!(document.left_out.get(&LeftOut::Drawings), Some(&1));
    let all = all_bytes(&rewrite(&document, &[]).unwrap());
    assert_eq!(all.windows(3).filter(|w| w == b"l S").count(), 3, "{}", String::from_utf8_lossy(&all));
    assert!(read(&one_page(signature, "", "", &[])).unwrap_err().contains("drawings and no text"));
}

#[test]
fn a_broken_table_of_objects_is_read_or_refused_and_never_half_written() {
    let whole = one_page(LETTER, "", "", &[]);
    let at = whole.windows(9).position(|w| w == b"startxref").unwrap();
    let mut lost = whole.clone();
    lost[at + 10..at + 12].copy_from_slice(b"99");
    let mut shifted = whole.clone();
    shifted.splice(9..9, *b"%a comment that moves every object\n");
    for (name, bytes) in [("lost", lost), ("shifted", shifted), ("cut", whole[..at].to_vec())] {
        match read(&bytes) {
            Ok(document) => {
                assert!(document.text.contains("Kervadec"), "{name}");
                rewrite(&document, &[("Kervadec", "Petit")]).unwrap();
            }
            Err(said) => assert!(said.contains("PDF") && !said.contains("fault"), "{name}: {said}"),
        }
    }
}
