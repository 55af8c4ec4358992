//! The folders of the corpus: `corpus/{fr,es}/FOLDER/NN.md`, `corpus/untouched/{fr,es}/FOLDER/NN.md`, `splits.toml`.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;
use taire_text::Language;

use crate::{Error, MarkedDocument};

pub const LANGUAGES: [Language; 2] = [Language::Fr, Language::Es];

/// What a folder is for. A folder is in one split only: hands are held out whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    Train,
    Dev,
    /// Looked at once a release.
    Test,
}

impl Split {
    pub const ALL: [Split; 3] = [Split::Train, Split::Dev, Split::Test];

    pub fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Dev => "dev",
            Split::Test => "test",
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Split {
    type Err = Error;

    fn from_str(name: &str) -> Result<Split, Error> {
        Split::ALL
            .into_iter()
            .find(|s| s.name() == name)
            .ok_or_else(|| Error::new(format!("unknown split `{name}`; known: train, dev, test")))
    }
}

/// The splits of folders, by language.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FolderSplits {
    #[serde(default)]
    fr: BTreeMap<String, Split>,
    #[serde(default)]
    es: BTreeMap<String, Split>,
}

impl FolderSplits {
    fn of_language(&self, language: Language) -> &BTreeMap<String, Split> {
        match language {
            Language::Fr => &self.fr,
            Language::Es => &self.es,
        }
    }
}

/// `splits.toml`: a table a language, `folder = "train" | "dev" | "test"`; `[untouched.LANGUAGE]` for the others.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Splits {
    #[serde(default)]
    fr: BTreeMap<String, Split>,
    #[serde(default)]
    es: BTreeMap<String, Split>,
    #[serde(default)]
    untouched: FolderSplits,
}

impl Splits {
    pub fn of_language(&self, language: Language) -> &BTreeMap<String, Split> {
        match language {
            Language::Fr => &self.fr,
            Language::Es => &self.es,
        }
    }

    /// The splits of folders of untouched documents.
    pub fn of_untouched(&self, language: Language) -> &BTreeMap<String, Split> {
        self.untouched.of_language(language)
    }

    pub fn get(&self, language: Language, folder: &str) -> Option<Split> {
        self.of_language(language).get(folder).copied()
    }
}

/// The corpus as it lies on disk.
#[derive(Clone, Debug)]
pub struct OpenCorpus {
    pub root: PathBuf,
    /// By language, folder and number.
    pub documents: Vec<MarkedDocument>,
    /// Documents without any identity, which must come out byte for byte.
    pub untouched: Vec<MarkedDocument>,
    pub splits: Splits,
}

impl OpenCorpus {
    /// Reads every document under a root; the first one that cannot be read fails.
    pub fn open(root: &Path) -> Result<OpenCorpus, Error> {
        let path = root.join("splits.toml");
        let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
        let splits =
            toml::from_str(&text).map_err(|e| Error::new(format!("{}: {}", path.display(), e.message())))?;
        let mut corpus =
            OpenCorpus { root: root.to_owned(), documents: Vec::new(), untouched: Vec::new(), splits };
        for language in LANGUAGES {
            let key = language.key();
            for folder in entries(&root.join(key))?.into_iter().filter(|p| p.is_dir()) {
                let id = format!("{key}/{}", file_name(&folder));
                corpus.documents.extend(read_folder(&folder, &id, language)?);
            }
            let untouched = root.join("untouched").join(key);
            if untouched.is_dir() {
                for folder in entries(&untouched)?.into_iter().filter(|p| p.is_dir()) {
                    let id = format!("untouched/{key}/{}", file_name(&folder));
                    corpus.untouched.extend(read_folder(&folder, &id, language)?);
                }
            }
        }
        Ok(corpus)
    }

    /// The corpus of this repository.
    pub fn shipped() -> Result<OpenCorpus, Error> {
        OpenCorpus::open(&shipped_root())
    }

    /// The documents of one split of one language.
    pub fn split(&self, language: Language, split: Split) -> impl Iterator<Item = &MarkedDocument> {
        self.documents
            .iter()
            .filter(move |d| d.language == language && self.splits.get(language, &d.folder) == Some(split))
    }

    /// The untouched documents of one language that nothing is trained on.
    pub fn untouched_held_out(&self, language: Language) -> impl Iterator<Item = &MarkedDocument> {
        let splits = self.splits.of_untouched(language);
        self.untouched(language).filter(|d| splits.get(&d.folder) != Some(&Split::Train))
    }

    /// The untouched documents of one language.
    pub fn untouched(&self, language: Language) -> impl Iterator<Item = &MarkedDocument> {
        self.untouched.iter().filter(move |d| d.language == language)
    }
}

/// `corpus/` of this repository.
pub fn shipped_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// The documents of one folder, by number.
pub fn read_folder(folder: &Path, id: &str, language: Language) -> Result<Vec<MarkedDocument>, Error> {
    let files = entries(folder)?.into_iter().filter(|p| p.extension().is_some_and(|e| e == "md"));
    files
        .map(|path| {
            let number = path.file_stem().unwrap_or_default().to_string_lossy();
            MarkedDocument::read(&path, &format!("{id}/{number}"), language)
        })
        .collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let fail = |e: std::io::Error| Error::io(folder, &e);
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        out.push(entry.map_err(fail)?.path());
    }
    out.sort();
    Ok(out)
}
