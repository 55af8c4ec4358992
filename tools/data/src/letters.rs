//! The marked letters of `corpus/`, and which folders are for training.

use std::fs;
use std::path::Path;

use taire_corpus::{LANGUAGES, MarkedDocument, Split, Splits, read_folder};

use crate::error::Error;

/// Folders held out where there is no `corpus/splits.toml`.
const DEV: &str = "fr = { e = \"dev\", h = \"dev\" }\nes = { d = \"dev\" }\n";

fn splits(corpus: &Path) -> Result<Splits, Error> {
    let path = corpus.join("splits.toml");
    let text = match path.exists() {
        true => fs::read_to_string(&path).map_err(|e| Error::at(&path, e))?,
        false => DEV.to_owned(),
    };
    toml::from_str(&text).map_err(|e| Error::at(&path, e))
}

/// The letters of one split, by folder and name. Folders that no split names are for training.
pub(crate) fn read(corpus: &Path, split: Split) -> Result<Vec<MarkedDocument>, Error> {
    let splits = splits(corpus)?;
    let mut out = Vec::new();
    for language in LANGUAGES {
        let folder = corpus.join(language.key());
        for name in folders(&folder)? {
            if splits.get(language, &name).unwrap_or(Split::Train) == split {
                out.extend(read_folder(
                    &folder.join(&name),
                    &format!("{}/{name}", language.key()),
                    language,
                )?);
            }
        }
    }
    Ok(out)
}

/// Documents of one split without any identity.
pub(crate) fn read_untouched(corpus: &Path, split: Split) -> Result<Vec<MarkedDocument>, Error> {
    let splits = splits(corpus)?;
    let mut out = Vec::new();
    for language in LANGUAGES {
        let folder = corpus.join("untouched").join(language.key());
        if !folder.is_dir() {
            continue;
        }
        let id = format!("untouched/{}", language.key());
        for name in folders(&folder)? {
            if splits.of_untouched(language).get(&name).copied().unwrap_or(Split::Train) == split {
                out.extend(read_folder(&folder.join(&name), &format!("{id}/{name}"), language)?);
            }
        }
    }
    Ok(out)
}

/// Names of the folders in a folder, sorted.
fn folders(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| Error::at(folder, e))? {
        let path = entry.map_err(|e| Error::at(folder, e))?.path();
        if path.is_dir() {
            names.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
