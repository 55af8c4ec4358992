//! Names of files and folders in the output. A name that may identify a patient is not kept.
//!
//! Kept are names made of ordinary and medical words of the lexicons, without a number of four digits or more. All others
//! become hexadecimal digits drawn from the key and the path, so the same file has the same name in every run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use taire_formats::{Format, InputFile};
use taire_lexicon::Lexicon;
use taire_text::{Language, fold};

/// Words of computers and of English that the lexicons of French and Spanish do not hold.
const FILE_WORDS: &str = include_str!("file_words.txt");

/// Endings that are kept: they say what a file is. Others are read as words of the name.
const EXTENSIONS: [&str; 28] = [
    "txt", "text", "jsonl", "ndjson", "json", "csv", "tsv", "parquet", "xml", "html", "htm", "ann", "docx",
    "odt", "rtf", "doc", "pdf", "hl7", "md", "dot", "docm", "xhtml", "eml", "mbox", "mht", "msg", "xlsx",
    "pptx",
];

/// Tables of the OMOP model, whose names are words of English and, some, names of people too.
const OMOP_TABLES: [&str; 14] = [
    "person",
    "death",
    "location",
    "care_site",
    "provider",
    "visit_detail",
    "drug_exposure",
    "drug_era",
    "procedure_occurrence",
    "device_exposure",
    "measurement",
    "observation",
    "specimen",
    "note_nlp",
];

/// The name each input has in the output, relative to it. `token` draws a name from a path.
pub(super) fn released_names(inputs: &[InputFile], token: impl Fn(&[u8]) -> String) -> Vec<PathBuf> {
    inputs.iter().map(|input| released_name(&input.relative, input.format, &token)).collect()
}

fn released_name(relative: &Path, format: Format, token: &impl Fn(&[u8]) -> String) -> PathBuf {
    let mut out = PathBuf::new();
    let mut path = Vec::new();
    let last = relative.iter().count();
    for (i, part) in relative.iter().enumerate() {
        path.extend_from_slice(part.as_encoded_bytes());
        let (stem, extension) = if i + 1 == last { split(part) } else { (part, None) };
        match stem.to_str() {
            Some(stem) if is_plain(stem) => out.push(part),
            _ if i + 1 == last => {
                let extension = extension.unwrap_or(format.extension());
                out.push(format!("{}.{extension}", token(&path)));
            }
            _ => out.push(token(&path)),
        }
        path.push(b'/');
    }
    out
}

/// A file name and its ending, if that is a known one.
fn split(name: &OsStr) -> (&OsStr, Option<&str>) {
    let path = Path::new(name);
    let known = |e: &&str| EXTENSIONS.contains(&e.to_lowercase().as_str());
    match (path.file_stem(), path.extension().and_then(OsStr::to_str).filter(known)) {
        (Some(stem), Some(extension)) => (stem, Some(extension)),
        _ => (name, None),
    }
}

/// Whether a name, without its ending, identifies nobody.
fn is_plain(name: &str) -> bool {
    /// A date or a telephone number may be written in groups of two.
    const MOST_DIGITS: usize = 5;
    const LONGEST_NUMBER: usize = 3;
    if OMOP_TABLES.contains(&name) {
        return true;
    }
    let (mut groups, mut digits, mut singles) = (0, 0, 0);
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let same =
            |c: char| (c.is_alphabetic(), c.is_numeric()) == (first.is_alphabetic(), first.is_numeric());
        let end = rest.find(|c| !same(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        if first.is_alphabetic() {
            digits = 0;
            groups += 1;
            let is_single = run.chars().nth(1).is_none();
            singles += usize::from(is_single);
            if !is_single && !is_ordinary(&fold(run)) {
                return false;
            }
        } else if first.is_numeric() {
            let length = run.chars().count();
            digits += length;
            groups += 1;
            if length > LONGEST_NUMBER || digits > MOST_DIGITS {
                return false;
            }
        } else if first.is_control() || first == char::REPLACEMENT_CHARACTER {
            return false;
        }
    }
    // Two letters alone may be the initials of a person.
    groups > 0 && singles < 2
}

/// An ordinary or medical word that is no usual name of a person.
fn is_ordinary(word: &str) -> bool {
    /// A frequent word counts as a word if its frequency as a name (0 to 7) is at most this.
    const RARE_BESIDE_FREQUENT: u8 = 4;
    /// The same for other words.
    const RARE_BESIDE_OTHER: u8 = 2;
    let facts = || Language::ALL.iter().filter_map(|&language| Lexicon::of(language).listed(word));
    let name = facts().map(|f| f.given_tier().max(f.family_tier())).max().unwrap_or(0);
    let class = facts().map(|f| f.word_class()).max().unwrap_or(0);
    let is_medical = facts().any(|f| f.is_medical() || f.is_drug());
    match class {
        2.. => name <= RARE_BESIDE_FREQUENT,
        1 => name <= RARE_BESIDE_OTHER,
        _ if is_medical => name <= RARE_BESIDE_OTHER,
        _ => name <= RARE_BESIDE_FREQUENT && FILE_WORDS.split_whitespace().any(|known| known == word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(name: &str) -> String {
        let token = |path: &[u8]| format!("<{}>", String::from_utf8_lossy(path));
        released_name(Path::new(name), Format::Text, &token).to_string_lossy().into_owned()
    }

    #[test]
    fn ordinary_and_medical_words_are_kept() {
        for name in [
            "lettre-neurologie.docx",
            "in.jsonl",
            "a.csv",
            "notes.jsonl",
            "fr/consultation-pediatrie.txt",
            "02-cr-hospitalisation.txt",
            "compte rendu opératoire 12.PDF",
            "carta-pediatria.txt",
            "historia/informe-alta.odt",
            "letters/07.txt",
            "visit_occurrence.parquet",
            "person.csv",
            "note_part_003.csv",
            "IRM cérébrale.pdf",
            "hl7/cda.xml",
        ] {
            assert_eq!(renamed(name), name);
        }
    }

    #[test]
    fn names_numbers_and_unknown_words_are_not() {
        for (name, new) in [
            ("KERVADEC_19410217.docx", "<KERVADEC_19410217.docx>.docx"),
            ("lettre Kervadec.txt", "<lettre Kervadec.txt>.txt"),
            ("dossier-0417/lettre.txt", "<dossier-0417>/lettre.txt"),
            ("lettre-17-02-41.txt", "<lettre-17-02-41.txt>.txt"),
            ("petit.txt", "<petit.txt>.txt"),
            ("Martin Rose.txt", "<Martin Rose.txt>.txt"),
            ("a.k.txt", "<a.k.txt>.txt"),
            ("lettre.kervadec", "<lettre.kervadec>.txt"),
            ("zwrkab.json", "<zwrkab.json>.json"),
            ("---.txt", "<---.txt>.txt"),
        ] {
            assert_eq!(renamed(name), new);
        }
        assert_ne!(renamed("b/KERVADEC.txt"), renamed("c/KERVADEC.txt"), "folders count");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_stay_apart() {
        use std::os::unix::ffi::OsStrExt;
        let token = |path: &[u8]| format!("{path:?}");
        let name = |bytes: &[u8]| released_name(Path::new(OsStr::from_bytes(bytes)), Format::Text, &token);
        assert_ne!(name(b"l\xe9.txt"), name(b"l\xe8.txt"));
    }
}
