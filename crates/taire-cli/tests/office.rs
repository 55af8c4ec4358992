//! Letters of word processors, made by LibreOffice, through `deid`: nothing of the identity file stays in any part of
//! what is written, and what is medicine or layout does.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{digits, searchable, taire, text_of, unpacked};

// No town: one may fall on itself (DESIGN.md).
const WORDS: &[&str] =
    &["escoubes", "philomene", "trepanier", "hildegarde", "anselme", "arbizon", "escoubet"];
const NUMBERS: &[&str] = &["7719046502", "0562984177", "0677412093", "04111952", "65300"];
const KEPT: &[&str] =
    &["polyarthrite rhumatoïde", "méthotrexate 15 mg", "maladie de Basedow", "Score de Framingham"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/office").join(name)
}

fn assert_clean(name: &str, bytes: &[u8]) {
    for (part, bytes) in unpacked(bytes) {
        let text = String::from_utf8_lossy(&bytes).into_owned() + " " + &part;
        // Markup between the runs of a name must not hide it.
        let mut shown = String::new();
        let mut inside = false;
        for c in text.chars() {
            match c {
                '<' => inside = true,
                '>' => inside = false,
                c if !inside => shown.push(c),
                _ => {}
            }
        }
        for text in [&text, &shown] {
            let words = searchable(text);
            for word in WORDS {
                assert!(!words.contains(word), "a name of the identity file is in {name} {part}");
            }
        }
        let numbers = digits(&shown);
        for number in NUMBERS {
            let found = match number.len() {
                8.. => numbers.contains(number),
                _ => shown.split(|c: char| !c.is_ascii_digit()).any(|run| run == *number),
            };
            assert!(!found, "a number of the identity file is in {name} {part}");
        }
    }
}

/// Treats a fixture; gives what was written and the report.
fn treat(name: &str, written: &str) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("in")).unwrap();
    fs::copy(fixture(name), path("in").join(name)).unwrap();
    fs::copy(fixture("identity.json"), path("in/identity.json")).unwrap();
    // A key of its own: a town may be drawn for itself, and then its code would be found again.
    let key = path("key");
    fs::write(&key, format!("taire-key-1:{}\n", "5a".repeat(32))).unwrap();
    fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let [input, output] = [path("in"), path("out")].map(|p| p.to_str().unwrap().to_owned());
    let done = taire(&["deid", &input, "-o", &output, "--key", key.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let report = fs::read_to_string(path("out/report.md")).unwrap();
    (fs::read(path("out").join(written)).unwrap(), report)
}

/// A letter written back in its own format: clean, and the same person everywhere.
fn comes_back(name: &str) -> (Vec<u8>, String) {
    let (bytes, report) = treat(name, name);
    assert_clean(name, &bytes);
    let text = text_of(name, &bytes);
    for kept in KEPT {
        assert!(text.contains(kept), "{name} lost: {kept}");
    }
    let row = text
        .lines()
        .find_map(|l| l.strip_prefix("Nom\t"))
        .unwrap_or_else(|| panic!("no table row in {name}"));
    assert!(
        searchable(&text).matches(&searchable(row)).count() >= 4,
        "{name}: not the same surrogate everywhere"
    );
    (bytes, report)
}

#[test]
fn opendocument() {
    let (bytes, report) = comes_back("lettre.odt");
    let parts: Vec<String> = unpacked(&bytes).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        parts,
        ["mimetype", "styles.xml", "content.xml", "Pictures/empty.png", "META-INF/manifest.xml"]
    );
    assert!(bytes.windows(8).any(|w| w == b"mimetype"));
    assert!(report.contains("link targets (1)"), "{report}");
}

#[test]
fn rtf() {
    let (bytes, _) = comes_back("lettre.rtf");
    assert!(bytes.starts_with(b"{\\rtf1") && bytes.trim_ascii_end().ends_with(b"}"));
}

#[test]
fn html() {
    let (bytes, _) = comes_back("lettre.html");
    assert!(!bytes.windows(7).any(|w| w.eq_ignore_ascii_case(b"mailto:")));
}

#[test]
fn pdf() {
    let (bytes, report) = comes_back("lettre.pdf");
    assert!(bytes.starts_with(b"%PDF-"));
    for (part, content) in pdf_streams(&bytes) {
        assert_clean(&part, &content);
    }
    // Who made it, when and with what is gone.
    for trace in [&b"/Info"[..], b"/Metadata", b"/ID", b"LibreOffice", b"/FontFile"] {
        assert!(!bytes.windows(trace.len()).any(|w| w == trace), "{}", String::from_utf8_lossy(trace));
    }
    assert!(report.contains("document properties"), "{report}");
}

/// What the streams of a PDF unpack to.
fn pdf_streams(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let file = lopdf::Document::load_mem(bytes).unwrap();
    let streams = file.objects.iter().filter_map(|(id, object)| Some((id, object.as_stream().ok()?)));
    streams.map(|(id, stream)| (format!("stream {}", id.0), stream.get_plain_content().unwrap())).collect()
}

/// Word 97-2003 is read to text.
#[test]
fn word_97_becomes_text() {
    let (bytes, _) = treat("lettre.doc", "lettre.doc.txt");
    assert_clean("lettre.doc", &bytes);
    let text = String::from_utf8(bytes).unwrap();
    for kept in KEPT {
        assert!(text.contains(kept), "lost: {kept}");
    }
    let row = text.lines().find_map(|l| l.strip_prefix("Nom\t")).expect("no table row");
    assert!(searchable(&text).matches(&searchable(row)).count() >= 4, "not the same surrogate everywhere");
}

#[test]
fn word() {
    let (bytes, report) = treat("lettre.docx", "lettre.docx");
    assert_clean("lettre.docx", &bytes);
    let text = text_of("lettre.docx", &bytes);
    for kept in KEPT {
        assert!(text.contains(kept), "lost: {kept}");
    }
    let parts: Vec<String> = unpacked(&bytes).into_iter().map(|(name, _)| name).collect();
    for part in
        ["word/header1.xml", "word/footer1.xml", "word/comments.xml", "word/footnotes.xml", "word/styles.xml"]
    {
        assert!(parts.iter().any(|p| p == part), "{part} of {parts:?}");
    }
    assert!(!parts.iter().any(|p| p.starts_with("docProps") || p.contains("custom")), "{parts:?}");
    let body = unpacked(&bytes).into_iter().find(|(name, _)| name == "word/document.xml").unwrap().1;
    let body = String::from_utf8(body).unwrap();
    for markup in
        ["<w:b/>", "w:val=\"AA0000\"", "<w:tbl>", "<w:ins ", "<w:del ", "<w:hyperlink ", "w:txbxContent"]
    {
        assert!(body.contains(markup), "lost: {markup}");
    }
    // One person through header, table, runs, box, note and comment.
    let row = text.lines().find_map(|l| l.strip_prefix("Nom\t")).unwrap();
    assert!(
        searchable(&text).matches(&searchable(row)).count() >= 5,
        "the surrogate is not the same everywhere"
    );
    assert!(
        report.contains("passages marked as deleted (1)") && report.contains("link targets (1)"),
        "{report}"
    );
}

/// One by openpyxl, with inline strings; one by XlsxWriter, with shared strings, rich text and a copy of values in its chart.
#[test]
fn workbooks() {
    for name in ["lettre.xlsx", "informe.xlsx"] {
        let (bytes, report) = treat(name, name);
        assert_clean(name, &bytes);
        let parts: Vec<String> = unpacked(&bytes).into_iter().map(|(name, _)| name).collect();
        for part in
            ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/comments1.xml", "xl/charts/chart1.xml"]
        {
            assert!(parts.iter().any(|p| p == part), "{part} of {parts:?}");
        }
        for gone in ["docProps", "sharedStrings", "tables", "embeddings"] {
            assert!(!parts.iter().any(|p| p.contains(gone)), "{gone} in {parts:?}");
        }
        assert!(report.contains("formulas (1)"), "{report}");
        // Days and numbers that were stored as numbers are other ones.
        let sheet =
            unpacked(&bytes).into_iter().find(|(name, _)| name == "xl/worksheets/sheet1.xml").unwrap().1;
        let sheet = String::from_utf8(sheet).unwrap();
        for stored in ["<v>19302</v>", "<v>15389", "<v>562984177</v>", "<v>677412093</v>", "<v>771904650"] {
            assert!(!sheet.contains(stored), "{name}: {stored}");
        }
    }
    let (bytes, _) = treat("lettre.xlsx", "lettre.xlsx");
    let text = text_of("lettre.xlsx", &bytes);
    for kept in [
        "maladie de Basedow, méthotrexate 15 mg",
        "plaquettes 251 000/mm3",
        "Dose (mg) : 7.5",
        "Polyarthrite rhumatoïde",
    ] {
        assert!(text.contains(kept), "lost: {kept}");
    }
    let line = |title: &str| text.lines().find_map(|l| l.strip_prefix(title)).unwrap().to_owned();
    assert!(text.contains(&format!("Nom\t{}", line("Nom : "))), "one person has two names in two sheets");
    assert!(text.contains(&format!("IPP\t{}", line("IPP : "))), "one patient has two numbers in two sheets");
}

#[test]
fn slides() {
    let (bytes, report) = treat("lettre.pptx", "lettre.pptx");
    assert_clean("lettre.pptx", &bytes);
    let text = text_of("lettre.pptx", &bytes);
    assert!(text.contains("Diagnostic\tmaladie de Basedow, méthotrexate 15 mg"), "{text}");
    let row = text.lines().find_map(|l| l.strip_prefix("Nom\t")).unwrap();
    assert!(searchable(&text).matches(&searchable(row)).count() >= 4, "not the same surrogate everywhere");
    let parts: Vec<String> = unpacked(&bytes).into_iter().map(|(name, _)| name).collect();
    for part in ["ppt/slides/slide3.xml", "ppt/notesSlides/notesSlide1.xml", "ppt/charts/chart1.xml"] {
        assert!(parts.iter().any(|p| p == part), "{part} of {parts:?}");
    }
    assert!(!parts.iter().any(|p| p.contains("embeddings") || p.contains("docProps")), "{parts:?}");
    assert!(report.contains("link targets (1)"), "{report}");
}
