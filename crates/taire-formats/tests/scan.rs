//! Scans through OCR: pages as images and as PDFs, what is covered in them, and what is refused. These tests need `tesseract`
//! with French and Spanish; without it they fail.

use std::fs;
use std::io::Cursor;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use image::{DynamicImage, ExtendedColorType, GrayImage, ImageEncoder, ImageFormat, Luma};
use lopdf::{Dictionary, Object, Stream, dictionary};
use taire_formats::{
    Document, Format, InputFile, LeftOut, Ocr, OutSpan, ReadOptions, UnreadParts, discover, open, read_bytes,
};

/// What must not be readable any more; OCR takes an accent for another.
const SECRETS: [&str; 4] = ["escoub", "philom", "panier", "7719046502"];

fn is_secret(word: &str) -> bool {
    let word = word.to_lowercase();
    SECRETS.iter().any(|secret| word.contains(secret))
}

fn letter_png() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../taire-cli/tests/office/lettre.png")).unwrap()
}

fn letter() -> GrayImage {
    image::load_from_memory(&letter_png()).unwrap().into_luma8()
}

fn encoded(image: &GrayImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    DynamicImage::ImageLuma8(image.clone()).write_to(&mut out, format).unwrap();
    out.into_inner()
}

fn read(format: Format, bytes: &[u8], ocr: Ocr) -> Result<Document, String> {
    let options = ReadOptions { ocr, ..ReadOptions::default() };
    let input = InputFile::new("page", "page", format);
    let mut reader = read_bytes(&input, bytes.to_vec(), &options).map_err(|e| e.to_string())?;
    reader.next().expect("one document").map_err(|refusal| refusal.to_string())
}

fn read_all(format: Format, bytes: &[u8]) -> Document {
    read(format, bytes, Ocr::default()).expect("tesseract with fra and spa is installed")
}

/// The document with every secret replaced, as it is written.
fn treated(document: &Document) -> Result<Vec<u8>, String> {
    let (mut text, mut spans, mut from) = (String::new(), Vec::new(), 0);
    let place = |word: &str| word.as_ptr() as usize - document.text.as_ptr() as usize;
    let found = document.text.split_whitespace().filter(|word| is_secret(word));
    for (at, was) in found.map(|word| (place(word), word)) {
        text.push_str(&document.text[from..at]);
        let start = text.len();
        text.push('X');
        from = at + was.len();
        spans.push(OutSpan {
            start,
            end: text.len(),
            original: at..from,
            took: 0,
            put: 0,
            label: "FamilyName".into(),
            role: None,
            score: 1.0,
            sources: Default::default(),
        });
    }
    text.push_str(&document.text[from..]);
    document.rewritten(&text, &spans).expect("a way back").map_err(|e| e.to_string())
}

fn assert_gone(document: &Document) {
    assert!(!document.text.split_whitespace().any(is_secret), "still read:\n{}", document.text);
    for kept in ["méthotrexate", "Framingham", "Basedow"] {
        assert!(document.text.contains(kept), "{kept} is lost:\n{}", document.text);
    }
}

/// A PDF of pages that are one picture each, with text that is not shown.
fn scanned_pdf(pages: &[&GrayImage], layer: &str) -> Vec<u8> {
    let mut document = lopdf::Document::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding"
    });
    let mut kids: Vec<Object> = Vec::new();
    for image in pages {
        let (width, height) = image.dimensions();
        let mut picture = Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Image", "Width" => i64::from(width), "Height" => i64::from(height),
                "ColorSpace" => "DeviceGray", "BitsPerComponent" => 8
            },
            image.as_raw().clone(),
        );
        picture.compress().unwrap();
        let picture = document.add_object(picture);
        let text = match layer {
            "" => String::new(),
            text => format!("BT 3 Tr /F 12 Tf 50 700 Td ({text}) Tj ET "),
        };
        let content = format!("{text}q 595 0 0 842 0 0 cm /P Do Q");
        let content = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
        let page = dictionary! {
            "Type" => "Page", "Parent" => tree, "Contents" => content,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
            "Resources" => dictionary! { "XObject" => dictionary! { "P" => picture }, "Font" => dictionary! { "F" => font } }
        };
        kids.push(document.add_object(page).into());
    }
    let count = kids.len() as i64;
    document.set_object(tree, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count });
    let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    let info = document.add_object(dictionary! { "Author" => Object::string_literal("ESCOUBES") });
    document.trailer.set("Root", root);
    document.trailer.set("Info", info);
    let mut out = Vec::new();
    document.save_to(&mut out).unwrap();
    out
}

/// A program that stands for tesseract.
fn program(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("ocr");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn words_of_an_image_are_read_and_covered() {
    let document = read_all(Format::Image, &letter_png());
    assert!(document.text.contains("adressé Mme Philom"), "{}", document.text);
    assert!(document.text.contains("IPP 7719046502"), "{}", document.text);
    let written = treated(&document).unwrap();
    assert!(written.starts_with(b"\x89PNG"));
    for chunk in [&b"tEXt"[..], b"iTXt", b"eXIf", b"ESCOUB"] {
        assert!(!written.windows(chunk.len()).any(|w| w == chunk), "something else than pixels is in it");
    }
    assert_gone(&read_all(Format::Image, &written));
}

#[test]
fn jpeg_and_tiff_are_read_as_png_is() {
    let document = read_all(Format::Image, &letter_png());
    for format in [ImageFormat::Jpeg, ImageFormat::Tiff] {
        let other = read_all(Format::Image, &encoded(&letter(), format));
        assert!(other.text.contains("adressé Mme Philom"), "{}", other.text);
        assert_eq!(other.text.len() / 100, document.text.len() / 100);
    }
}

#[test]
fn pdf_of_pictures_comes_back_without_its_text_layer() {
    let (page, blank) = (letter(), GrayImage::from_pixel(400, 600, Luma([255])));
    let bytes = scanned_pdf(&[&page, &blank, &page], "Mme ESCOUBES Philomene, texte du scanner");
    let document = read_all(Format::Pdf, &bytes);
    assert_eq!(document.pages.len(), 3);
    assert_eq!(document.text.matches("IPP 7719046502").count(), 2, "{}", document.text);
    assert!(!document.text.contains("texte du scanner"));
    assert!(document.left_out.contains_key(&LeftOut::TextLayers), "{:?}", document.left_out);
    let written = treated(&document).unwrap();
    let pdf = lopdf::Document::load_mem(&written).unwrap();
    assert!(pdf.trailer.get(b"Info").is_err() && pdf.get_pages().len() == 3);
    let pictures = pdf.objects.values().filter(|o| o.as_stream().is_ok_and(|s| s.dict.has(b"Width")));
    assert_eq!(pictures.count(), 3, "no picture of the old file is in the new one");
    assert_gone(&read_all(Format::Pdf, &written));
    // Without OCR the text that the scanner wrote is all there is.
    let layer = read(Format::Pdf, &bytes, Ocr::off()).unwrap();
    assert!(layer.text.contains("texte du scanner"));
    let why = read(Format::Pdf, &scanned_pdf(&[&page], ""), Ocr::off()).unwrap_err();
    assert!(why.contains("it is a scan"), "{why}");
}

#[test]
fn parts_that_are_not_read_are_covered_kept_or_refused() {
    let mut page = letter();
    // A signature below the letter.
    for step in 0..4000u32 {
        let t = step as f32 / 300.0;
        let (x, y) = (300.0 + step as f32 / 12.0, 1750.0 + 60.0 * (t * 2.7).sin() * (t * 0.9).cos());
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2)] {
            page.put_pixel(x as u32 + dx, y as u32 + dy, Luma([30]));
        }
    }
    let bytes = encoded(&page, ImageFormat::Png);
    let ink = |written: &[u8]| {
        let page = image::load_from_memory(written).unwrap().into_luma8();
        let dark = |(x, y, p): &(u32, u32, &Luma<u8>)| {
            (290..660).contains(x) && (1680..1830).contains(y) && p.0[0] < 100
        };
        page.enumerate_pixels().filter(dark).count()
    };
    assert!(ink(&bytes) > 3000);
    let covered = read_all(Format::Image, &bytes);
    assert!(covered.left_out[&LeftOut::UnreadRegions] >= 1, "{:?}", covered.left_out);
    assert_eq!(ink(&treated(&covered).unwrap()), 0);
    let kept = read(Format::Image, &bytes, Ocr::default().with_unread(UnreadParts::Keep)).unwrap();
    assert!(kept.left_out.keys().any(|what| what.is_shown()), "{:?}", kept.left_out);
    assert!(ink(&treated(&kept).unwrap()) > 3000);
    let refuse = Ocr::default().with_unread(UnreadParts::Refuse);
    let why = read(Format::Image, &bytes, refuse).unwrap_err();
    assert!(why.contains("handwriting") && why.contains("refused"), "{why}");
}

#[test]
fn missing_hanging_and_failing_programs_refuse() {
    let folder = tempfile::tempdir().unwrap();
    let hangs = Ocr::at(program(folder.path(), "sleep 60")).with_time_limit(Duration::from_millis(300));
    let started = Instant::now();
    let why = read(Format::Image, &letter_png(), hangs).unwrap_err();
    assert!(why.contains("did not finish") && started.elapsed() < Duration::from_secs(30), "{why}");
    for (script, expected) in [
        ("cat >/dev/null; exit 1", "OCR failed"),
        ("cat >/dev/null; echo 'Mme ESCOUBES'", "no table"),
        (
            "cat >/dev/null; echo 'Failed loading language' >&2; printf 'level\\tpage_num\\t\\n'",
            "tesseract-ocr-spa",
        ),
        ("cat >/dev/null; printf 'level\\tpage_num\\tblock_num\\n'", "no text"),
        ("exec </dev/null; yes", "OCR"),
    ] {
        let ocr = Ocr::at(program(folder.path(), script)).with_time_limit(Duration::from_secs(20));
        let why = read(Format::Image, &letter_png(), ocr).unwrap_err();
        assert!(why.contains(expected) && !why.contains("ESCOUBES"), "{script}: {why}");
    }
    let why = read(Format::Image, &letter_png(), Ocr::at("/nowhere/tesseract")).unwrap_err();
    assert!(why.contains("could not be started"), "{why}");
}

/// Defect guarded against: a cover that misses the word. The program reads a covered word again, so nothing is written.
#[test]
fn a_word_that_can_still_be_read_refuses_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let table = "level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n\
                 5\\t1\\t1\\t1\\t1\\t1\\t10\\t10\\t80\\t20\\t95\\tESCOUBES\\n";
    let ocr = Ocr::at(program(folder.path(), &format!("cat >/dev/null; printf '{table}'")));
    let document = read(Format::Image, &letter_png(), ocr).unwrap();
    assert_eq!(document.text, "ESCOUBES");
    let why = treated(&document).unwrap_err();
    assert!(why.contains("still reads a word"), "{why}");
}

#[test]
fn large_and_damaged_images_are_refused() {
    let mut huge = Vec::new();
    image::codecs::png::PngEncoder::new(&mut huge).write_image(&[0; 4], 2, 2, ExtendedColorType::L8).unwrap();
    huge[16..24].copy_from_slice(&[0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20]);
    // The checksum of the header follows it.
    let sum = crc32(&huge[12..29]);
    huge[29..33].copy_from_slice(&sum.to_be_bytes());
    let why = read(Format::Image, &huge, Ocr::default()).unwrap_err();
    assert!(why.contains("20000 × 20000"), "{why}");
    let whole = letter_png();
    for bytes in [&whole[..whole.len() / 2], b"\x89PNG\r\n\x1A\n", b"\xFF\xD8\xFF\xE0", b"II*\0\x08\0\0\0"] {
        let why = read(Format::Image, bytes, Ocr::default()).unwrap_err();
        assert!(why.contains("damaged"), "{why}");
    }
    let small = GrayImage::from_pixel(4, 4, Luma([255]));
    let mut pdf = lopdf::Document::load_mem(&scanned_pdf(&[&small], "")).unwrap();
    for object in pdf.objects.values_mut() {
        if let Object::Stream(stream) = object
            && stream.dict.has(b"Width")
        {
            stream.dict.set("Width", 30_000);
        }
    }
    let mut bytes = Vec::new();
    pdf.save_to(&mut bytes).unwrap();
    let why = read(Format::Pdf, &bytes, Ocr::default()).unwrap_err();
    assert!(why.contains("30000 × 4"), "{why}");
    let white = GrayImage::from_pixel(300, 400, Luma([255]));
    let why = read(Format::Image, &encoded(&white, ImageFormat::Png), Ocr::default()).unwrap_err();
    assert!(why.contains("no text"), "{why}");
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| sum >> 1 ^ (0xEDB8_8320 & (sum & 1).wrapping_neg()))
    })
}

#[test]
fn images_are_found_by_their_content() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.jpg"), encoded(&letter(), ImageFormat::Jpeg)).unwrap();
    fs::write(folder.path().join("b.dat"), letter_png()).unwrap();
    let options = ReadOptions::default();
    let found = discover(&[folder.path().to_owned()], &options);
    assert!(found.inputs.iter().all(|input| input.format == Format::Image) && found.inputs.len() == 2);
    let document = open(&found.inputs[1], &options).unwrap().next().unwrap().unwrap();
    assert!(document.text.contains("polyarthrite"), "{}", document.text);
}
