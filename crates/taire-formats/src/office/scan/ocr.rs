//! Text recognition by `tesseract`, a program of its own: pixels go to its standard input, words with their places come back.
//!
//! Nothing of a page is written to disk. The program has a time limit for each page; one that hangs is stopped and the
//! document refused. Words that were read once are remembered, because a run reads documents more than once.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use taire_text::Language;
use unicode_normalization::UnicodeNormalization;

use super::raster::{Area, PageImage};
use crate::Reason;

/// What to install where there is no OCR.
const PACKAGES: &str = "tesseract-ocr tesseract-ocr-fra tesseract-ocr-spa";
/// The most bytes that the program may answer for one page.
const LONGEST_ANSWER: u64 = 32 << 20;
/// The most words that are remembered in a process.
const MOST_REMEMBERED: usize = 2_000_000;

/// How scans are read, and what becomes of the parts that OCR does not read.
#[derive(Clone, Debug)]
pub struct Ocr {
    pub program: OcrProgram,
    /// The language of the documents; all of Taire's languages where it is not known.
    pub language: Option<Language>,
    /// For one page.
    pub time_limit: Duration,
    pub unread: UnreadParts,
    remembered: Arc<Remembered>,
}

impl Default for Ocr {
    fn default() -> Self {
        Ocr {
            program: OcrProgram::default(),
            language: None,
            time_limit: Duration::from_secs(120),
            unread: UnreadParts::default(),
            remembered: Arc::default(),
        }
    }
}

/// The program that reads pages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum OcrProgram {
    /// `tesseract`, where `PATH` has it.
    #[default]
    OnPath,
    At(PathBuf),
    /// Scans are refused.
    Off,
}

/// What becomes of words that OCR is not sure of and of regions in which it reads nothing: handwriting, stamps, barcodes, faces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnreadParts {
    /// They are covered, and counted in the report.
    #[default]
    Cover,
    /// They stay visible, and the report names them as not treated.
    Keep,
    /// The document is refused.
    Refuse,
}

/// A word on a page.
#[derive(Clone, PartialEq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) area: Area,
    /// 0 to 100.
    pub(super) confidence: f32,
    /// Numbers of its block, paragraph and line on the page.
    pub(super) line: [u32; 3],
}

impl std::fmt::Debug for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Word(<{} bytes> at {:?})", self.text.len(), self.area)
    }
}

#[derive(Default)]
struct Remembered {
    hasher: RandomState,
    pages: Mutex<RememberedPages>,
}

#[derive(Default)]
struct RememberedPages {
    words: HashMap<(u64, usize), Arc<[Word]>>,
    count: usize,
}

impl std::fmt::Debug for Remembered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Remembered")
    }
}

impl Ocr {
    /// No OCR: scans are refused.
    pub fn off() -> Self {
        Ocr { program: OcrProgram::Off, ..Ocr::default() }
    }

    /// OCR by the program at `path`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Ocr { program: OcrProgram::At(path.into()), ..Ocr::default() }
    }

    /// What becomes of parts that are not read.
    #[must_use]
    pub fn with_unread(self, unread: UnreadParts) -> Self {
        Ocr { unread, ..self }
    }

    /// How long one page may take.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Self {
        Ocr { time_limit, ..self }
    }

    /// The program, or the reason that there is none.
    pub fn find_program(&self) -> Result<PathBuf, Reason> {
        match &self.program {
            OcrProgram::Off => {
                Err("it is a scan, and scans are not read there; give it as a file of its own".into())
            }
            OcrProgram::At(path) => Ok(path.clone()),
            OcrProgram::OnPath => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                let mut places = std::env::split_paths(&path).map(|folder| folder.join("tesseract"));
                places.find(|place| place.is_file()).ok_or_else(|| {
                    format!(
                        "it is a scan, and the program `tesseract` that reads scans is not on PATH; install it \
                         (`apt-get install {PACKAGES}`)"
                    )
                    .into()
                })
            }
        }
    }

    fn languages(&self) -> &'static str {
        match self.language {
            Some(Language::Fr) => "fra",
            Some(Language::Es) => "spa",
            None => "fra+spa",
        }
    }

    /// The words of a page, in reading order. `dpi` is given where it is known.
    pub(super) fn read(&self, page: &PageImage, dpi: Option<u32>) -> Result<Arc<[Word]>, Reason> {
        let program = self.find_program()?;
        let pixels = page.to_pnm();
        let key = (self.remembered.hasher.hash_one((&pixels, self.languages(), &program)), pixels.len());
        if let Ok(pages) = self.remembered.pages.lock()
            && let Some(words) = pages.words.get(&key)
        {
            return Ok(words.clone());
        }
        let answer = self.run(&program, pixels, dpi)?;
        let words: Arc<[Word]> = parse_words(&answer, page.size())?.into();
        if let Ok(mut pages) = self.remembered.pages.lock() {
            if pages.count + words.len() > MOST_REMEMBERED {
                *pages = RememberedPages::default();
            }
            pages.count += words.len();
            pages.words.insert(key, words.clone());
        }
        Ok(words)
    }

    fn run(&self, program: &Path, pixels: Vec<u8>, dpi: Option<u32>) -> Result<String, Reason> {
        let mut command = Command::new(program);
        command.args(["stdin", "stdout", "-l", self.languages(), "--psm", "1"]);
        if let Some(dpi) = dpi {
            command.arg("--dpi").arg(dpi.to_string());
        }
        // One thread: Taire runs as many documents beside each other as there are cores.
        command.arg("tsv").env_clear().env("OMP_THREAD_LIMIT", "1").env("LC_ALL", "C");
        for name in ["PATH", "TESSDATA_PREFIX", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|_| "it is a scan, and the OCR program could not be started; check its path")?;
        let answer = self.answer(&mut child, pixels);
        if answer.is_err() {
            let _ = child.kill();
        }
        let _ = child.wait();
        answer
    }

    /// Sends the page and takes the answer, each on a thread, so that neither side waits for the other without end.
    fn answer(&self, child: &mut Child, pixels: Vec<u8>) -> Result<String, Reason> {
        const BROKEN: &str = "the OCR program could not be spoken to";
        let (Some(mut input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(BROKEN.into());
        };
        thread::spawn(move || drop(input.write_all(&pixels)));
        let (send, receive) = mpsc::channel();
        for (stream, source) in
            [(Stream::Output, Box::new(output) as Box<dyn Read + Send>), (Stream::Errors, Box::new(errors))]
        {
            let send = send.clone();
            thread::spawn(move || {
                let mut bytes = Vec::new();
                let read = source.take(LONGEST_ANSWER + 1).read_to_end(&mut bytes);
                let _ = send.send((stream, read.map(|_| bytes)));
            });
        }
        let started = Instant::now();
        let late = || {
            Reason::from(format!(
                "OCR did not finish a page of it within {} seconds",
                self.time_limit.as_secs()
            ))
        };
        let (mut answer, mut complaints) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            let left = self.time_limit.checked_sub(started.elapsed()).ok_or_else(late)?;
            let (stream, bytes) = receive.recv_timeout(left).map_err(|_| late())?;
            let bytes = bytes.map_err(|_| BROKEN)?;
            match stream {
                Stream::Output => answer = bytes,
                Stream::Errors => complaints = bytes,
            }
        }
        loop {
            match child.try_wait().map_err(|_| BROKEN)? {
                Some(status) if !status.success() => {
                    return Err(format!("OCR failed on a page of it; check that it has its languages (`apt-get install {PACKAGES}`)").into());
                }
                Some(_) => break,
                None if started.elapsed() >= self.time_limit => return Err(late()),
                None => thread::sleep(Duration::from_millis(2)),
            }
        }
        // With one language of two it goes on, and reads the other one badly.
        if memchr::memmem::find(&complaints, b"Failed loading language").is_some() {
            return Err(format!("OCR lacks a language; install it (`apt-get install {PACKAGES}`)").into());
        }
        if answer.len() as u64 > LONGEST_ANSWER {
            return Err("OCR answered more than a page can hold".into());
        }
        String::from_utf8(answer).map_err(|_| "OCR answered something that is no text".into())
    }
}

#[derive(Clone, Copy)]
enum Stream {
    Output,
    Errors,
}

/// Reads the table that `tesseract … tsv` prints: a row for each page, block, paragraph, line and word.
pub(super) fn parse_words(table: &str, size: [u32; 2]) -> Result<Vec<Word>, Reason> {
    const BAD: &str = "OCR answered no table of words; is it tesseract 4 or later?";
    const WORD: u32 = 5;
    let mut lines = table.lines();
    if !lines.next().is_some_and(|header| header.starts_with("level\tpage_num\t")) {
        return Err(BAD.into());
    }
    let mut words = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.splitn(12, '\t').collect();
        let number = |i: usize| cells.get(i).and_then(|cell| cell.trim().parse::<u32>().ok()).ok_or(BAD);
        if number(0)? != WORD {
            continue;
        }
        let confidence = cells.get(10).and_then(|cell| cell.parse::<f32>().ok()).filter(|c| c.is_finite());
        let area = Area::clipped([number(6)?, number(7)?, number(8)?, number(9)?], size);
        let shown = |c: &char| !c.is_control() && !c.is_whitespace();
        let text: String = cells.get(11).ok_or(BAD)?.nfc().filter(shown).collect();
        if !text.is_empty() && !area.is_empty() {
            let line = [number(2)?, number(3)?, number(4)?];
            words.push(Word { text, area, confidence: confidence.ok_or(BAD)?, line });
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_words_is_read_and_anything_else_refused() {
        let header =
            "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n";
        let table = format!(
            "{header}1\t1\t0\t0\t0\t0\t0\t0\t100\t80\t-1\t\n5\t1\t1\t1\t2\t1\t90\t10\t40\t12\t91.5\tLe\u{301}a\n5\t1\t1\t1\t2\t2\t1\t1\t2\t2\t95\t \n"
        );
        let words = parse_words(&table, [100, 80]).unwrap();
        assert_eq!(words.len(), 1);
        assert_eq!((words[0].text.as_str(), words[0].line), ("Léa", [1, 1, 2]));
        assert_eq!(words[0].area, Area { left: 90, top: 10, right: 100, bottom: 22 });
        for bad in [
            "",
            "Cher confrère",
            &format!("{header}5\t1\t1"),
            &format!("{header}5\t1\t1\t1\t1\t1\t-3\t0\t1\t1\t95\tx"),
        ] {
            let why = parse_words(bad, [100, 80]).unwrap_err();
            assert!(!why.to_string().contains("confrère"), "{why}");
        }
    }
}
