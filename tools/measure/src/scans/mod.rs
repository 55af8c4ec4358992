//! Scans: letters of the corpus printed, scanned more or less badly, and read by OCR. `scores/scans.md`.
//!
//! The place of every character on the page is known, so what is counted is what a reader of the result can see: a character is
//! covered where the pixels of its place are a box.

mod print;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use taire::{Engine, SecretKey};
use taire_corpus::{MarkedDocument, OpenCorpus, Split, shipped_root};
use taire_formats::{Format, InputFile, Ocr, ReadOptions, UnreadParts, read_bytes};
use taire_text::{Language, Tier};

use self::print::{Page, SCANNERS, ScannedLetter, Scanner};
use crate::corpus::{Stop, commit, in_parallel};

#[derive(Args, Debug)]
pub(crate) struct ScansArgs {
    /// Letters of corpus dev in each language, spread over the split
    #[arg(long, default_value_t = 20)]
    letters: usize,
    /// Keep the pages before and after in this folder, to be looked at
    #[arg(long, value_name = "FOLDER")]
    pages: Option<PathBuf>,
    /// Where the table goes; `scores/` of the repository if not named
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Characters: how many, and how many of them are covered.
#[derive(Clone, Copy, Default)]
struct Covered {
    all: usize,
    covered: usize,
}

impl Covered {
    /// In percent; a dash where there are none.
    fn percent(self) -> String {
        match self.all {
            0 => "–".to_owned(),
            all => format!("{:.2}", 100.0 * self.covered as f64 / all as f64),
        }
    }

    fn add(&mut self, covered: bool) {
        self.all += 1;
        self.covered += usize::from(covered);
    }
}

/// What one way of scanning leaves.
#[derive(Clone, Copy, Default)]
struct Measured {
    letters: usize,
    refused: usize,
    direct: Covered,
    identifiers: Covered,
    other: Covered,
    /// Letters in which every character of a direct identifier is covered.
    clean: usize,
}

impl Measured {
    fn join(&mut self, one: Measured) {
        self.letters += one.letters;
        self.refused += one.refused;
        self.clean += one.clean;
        for (all, one) in [
            (&mut self.direct, one.direct),
            (&mut self.identifiers, one.identifiers),
            (&mut self.other, one.other),
        ] {
            all.all += one.all;
            all.covered += one.covered;
        }
    }
}

pub(crate) fn run(args: &ScansArgs) -> Result<(), Stop> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let corpus = OpenCorpus::open(&shipped_root())?;
    let date: String = jiff::Timestamp::now().to_string().chars().take(10).collect();
    let mut out = format!(
        "# Scans\n\nWritten by `cargo measure scans --letters {}` on {date} at {}: letters of corpus dev, the first page of each, set in \
         Courier, drawn, turned, blurred and overlaid with noise from a seed, read by tesseract (`fra+spa`) and treated with the policy \
         of their language. Percent of characters (letters and digits) whose place on the page is covered in the result, by the place they \
         were printed at: those of direct identifiers, of all identifiers, and of the rest, which is lost where it is covered. \
         *Clean* are written letters with every character of a direct identifier covered. *Unread parts* are words that OCR is not sure of and \
         regions in which it reads nothing; they are covered by default and stay with `--keep-unread`. Refused letters are not written \
         and count in no percentage.\n\n\
         | language | scan | unread parts | letters | refused | direct | identifiers | clean | other text covered |\n\
         |---|---|---|---:|---:|---:|---:|---:|---:|\n",
        args.letters,
        commit(&root),
    );
    for &language in Language::ALL {
        let key = SecretKey::from_bytes(&[7; 32])?;
        let engine = Engine::new(Some(language.key()), Some(language), Some(&key))?;
        let all: Vec<&MarkedDocument> = corpus.split(language, Split::Dev).collect();
        let step = (all.len() / args.letters.max(1)).max(1);
        let letters: Vec<&MarkedDocument> = all.into_iter().step_by(step).take(args.letters).collect();
        for scanner in &SCANNERS {
            eprintln!("taire-measure: {language}, {}", scanner.name);
            // One memory of words for both: a page is read once.
            let ocr = Ocr::default();
            let found = in_parallel(&letters, |letter| {
                measure(&engine, letter, scanner, &ocr, args.pages.as_deref())
            })?;
            for (i, name) in ["covered", "kept"].into_iter().enumerate() {
                let mut sum = Measured::default();
                found.iter().for_each(|both| sum.join(both[i]));
                let _ = writeln!(
                    out,
                    "| {} | {} | {name} | {} | {} | {} | {} | {} of {} | {} |",
                    language.key(),
                    scanner.name,
                    sum.letters,
                    sum.refused,
                    sum.direct.percent(),
                    sum.identifiers.percent(),
                    sum.clean,
                    sum.letters - sum.refused,
                    sum.other.percent(),
                );
            }
        }
    }
    print!("{out}");
    let folder = args.output.clone().unwrap_or_else(|| root.join("scores"));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("scans.md"), out)?;
    Ok(())
}

/// A letter with its unread parts covered, and with them kept.
fn measure(
    engine: &Engine,
    letter: &MarkedDocument,
    scanner: &Scanner,
    ocr: &Ocr,
    pages: Option<&Path>,
) -> Result<[Measured; 2], Stop> {
    let page = Page::set(&letter.text);
    let scanned = scanner.scan(&page, seed(&letter.id))?;
    let mut both = [Measured::default(); 2];
    for (unread, measured) in [UnreadParts::Cover, UnreadParts::Keep].into_iter().zip(&mut both) {
        measured.letters = 1;
        let ocr = ocr.clone().with_unread(unread);
        let Some(png) = treat(engine, &scanned, &ocr)? else {
            measured.refused = 1;
            continue;
        };
        if let Some(folder) = pages {
            let name = format!("{}-{}", letter.id, scanner.name).replace(['/', ' '], "-");
            std::fs::create_dir_all(folder)?;
            std::fs::write(folder.join(format!("{name}-before.png")), &scanned.png)?;
            std::fs::write(folder.join(format!("{name}-{unread:?}.png").to_lowercase()), &png)?;
        }
        count(measured, letter, &page, &scanned, &png)?;
    }
    Ok(both)
}

/// The page after treatment; none where it is refused.
fn treat(engine: &Engine, scanned: &ScannedLetter, ocr: &Ocr) -> Result<Option<Vec<u8>>, Stop> {
    let options = ReadOptions { ocr: ocr.clone(), ..ReadOptions::default() };
    let input = InputFile::new("page.png", "page.png", Format::Image);
    let mut reader = read_bytes(&input, scanned.png.clone(), &options)?;
    let mut document = match reader.next() {
        Some(Ok(document)) => document,
        Some(Err(refusal)) if refusal.to_string().contains("not on PATH") => {
            return Err(Stop(refusal.to_string()));
        }
        _ => return Ok(None),
    };
    let note = document.take_note(engine.language())?;
    let (note, findings) = engine.find(note)?;
    let done = engine.rewrite_findings(&note, findings)?;
    Ok(document.rewritten(&done.text, &done.written_spans()).and_then(Result::ok))
}

fn count(
    measured: &mut Measured,
    letter: &MarkedDocument,
    page: &Page,
    scanned: &ScannedLetter,
    png: &[u8],
) -> Result<(), Stop> {
    let image = image::load_from_memory(png)?.into_luma8();
    let mut clean = true;
    for &(at, row, column) in &page.places {
        if !letter.text[at..].starts_with(char::is_alphanumeric) {
            continue;
        }
        let covered = Page::samples((row, column)).all(|point| {
            let (x, y) = scanned.pixel(point);
            // The two shades of boxes; no character fills its place with one.
            image.get_pixel_checked(x, y).is_some_and(|pixel| matches!(pixel.0[0], 0 | 160))
        });
        let span = letter.spans.iter().find(|span| (span.start..span.end).contains(&at));
        let tier = span.and_then(|span| Tier::of_span(span.label, Some(span.of(&letter.text))));
        match tier {
            Some(tier) => {
                measured.identifiers.add(covered);
                if tier == Tier::Direct {
                    measured.direct.add(covered);
                    clean &= covered;
                }
            }
            None => measured.other.add(covered),
        }
    }
    measured.clean = usize::from(clean);
    Ok(())
}

/// The same for the same letter.
fn seed(id: &str) -> u64 {
    id.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}
