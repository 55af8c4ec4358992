//! `cargo xtask lexicons [--check]`: builds what `taire-lexicon` embeds.
//!
//! Lists are fetched once, by package name and pinned version, into a cache under the target folder
//! ([`fetch`]), read ([`read`]), joined into word facts ([`words`], [`names`]), terms of medicine ([`medicine`]), towns ([`towns`]) and pools of
//! surrogates ([`pools`]), and written beside a SOURCES.md ([`sources`]). Lists written by hand are in
//! `xtask/lexicons`. The same inputs give the same bytes; `--check` builds again and compares.

mod fetch;
mod hand;
pub(crate) mod icd10;
mod medicine;
mod names;
mod pools;
mod read;
mod sources;
mod towns;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use taire_text::{Kind, Language, fold, tokenise};

pub(crate) type Result<T> = std::result::Result<T, String>;
/// File name to content, of what the crate embeds.
type Output = BTreeMap<String, Vec<u8>>;

pub(crate) fn run(args: &[String]) -> Result<()> {
    let check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("usage: cargo xtask lexicons [--check]".into()),
    };
    let root = crate::root();
    let data = root.join("crates/taire-lexicon/data");
    let output = build(&cache(root))?;
    if check { compare(&data, &output) } else { write(&data, &output) }
}

fn cache(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("lexicons")
}

fn build(cache: &Path) -> Result<Output> {
    let lists = fetch::Lists::fetch(cache)?;
    let mut counts = sources::Counts::default();
    let mut output = Output::new();
    let names = names::Names::read(&lists, &mut counts)?;
    for &language in Language::ALL {
        let towns = towns::Towns::read(&lists, language, &mut counts)?;
        let words = words::Words::build(&lists, language, &names, &towns, &mut counts)?;
        towns.write(&mut output)?;
        medicine::write(&lists, language, &words, &mut counts, &mut output)?;
        pools::write(&lists, language, &names, &words, &towns, &mut output)?;
        words.write(&mut output)?;
    }
    let report = sources::report(&counts, &output);
    output.insert("SOURCES.md".into(), report.into_bytes());
    Ok(output)
}

fn write(data: &Path, output: &Output) -> Result<()> {
    fs::create_dir_all(data).map_err(|e| format!("cannot make the data folder: {e}"))?;
    for (name, bytes) in output {
        fs::write(data.join(name), bytes).map_err(|e| format!("cannot write {name}: {e}"))?;
        println!("{:>9} {name}", bytes.len());
    }
    Ok(())
}

fn compare(data: &Path, output: &Output) -> Result<()> {
    let differing: Vec<&str> = output
        .iter()
        .filter(|(name, bytes)| fs::read(data.join(name)).ok().as_ref() != Some(*bytes))
        .map(|(name, _)| name.as_str())
        .collect();
    if differing.is_empty() {
        println!("{} files are what the lists give", output.len());
        Ok(())
    } else {
        Err(format!("these files differ from what the lists give: {}", differing.join(", ")))
    }
}

/// The folded words and numbers of a name, cut as documents are cut.
pub(crate) fn parts(name: &str) -> Vec<String> {
    let name = name.replace(['\u{2019}', '\u{2bc}'], "'");
    tokenise(&name)
        .iter()
        .filter(|t| matches!(t.kind, Kind::Word | Kind::Number))
        .map(|t| fold(t.of(&name)))
        .collect()
}

/// An FST of the map.
pub(crate) fn fst_bytes(map: &BTreeMap<String, u64>) -> Result<Vec<u8>> {
    let mut builder = fst::MapBuilder::memory();
    for (key, value) in map {
        builder.insert(key, *value).map_err(|e| e.to_string())?;
    }
    builder.into_inner().map_err(|e| e.to_string())
}
