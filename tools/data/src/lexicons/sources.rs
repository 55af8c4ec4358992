//! SOURCES.md: where the embedded data come from, under which licence, and how much of it was kept.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Output;
use super::fetch::{PACKAGES, Package, Registry};

/// The day the pinned versions were chosen; a constant, so that the same lists give the same bytes.
const CHOSEN: &str = "2026-11-15";

#[derive(Default)]
pub(crate) struct Counts(BTreeMap<&'static str, Vec<(String, usize)>>);

impl Counts {
    pub(crate) fn add(&mut self, package: &Package, what: impl Into<String>, rows: usize) {
        self.0.entry(package.name).or_default().push((what.into(), rows));
    }

    fn describe(&self, package: &Package) -> String {
        let kept = self.0.get(package.name).map(Vec::as_slice).unwrap_or_default();
        kept.iter().map(|(what, rows)| format!("{rows} {what}")).collect::<Vec<_>>().join("; ")
    }
}

pub(crate) fn report(counts: &Counts, output: &Output) -> String {
    let mut out = String::from("# Where this data comes from\n\n");
    let _ = writeln!(
        out,
        "Written by `cargo xtask lexicons` from the packages below (versions chosen on {CHOSEN}) and from the lists\n\
         written by hand in `xtask/lexicons`. `cargo xtask lexicons --check` builds it again and compares. Do not edit.\n"
    );
    out.push_str("| package | version | licence | used for | rows kept |\n|---|---|---|---|---|\n");
    for package in PACKAGES {
        let registry = match package.registry {
            Registry::Npm => "npm",
            Registry::PyPi => "PyPI",
            Registry::Debian => "Debian",
        };
        let _ = writeln!(
            out,
            "| {registry} `{}` | {} | {} | {} | {} |",
            package.name,
            package.version,
            package.licence,
            package.used_for,
            counts.describe(package)
        );
    }
    out.push_str(
        "\nWord frequencies contain information from OpenSubtitles 2024, made available by OPUS under the Open Data\n\
         Commons Attribution License (ODC-BY). Communes: IGN and INSEE, Licence Ouverte. Names: INSEE, INE.\n\n",
    );
    out.push_str("| file | bytes |\n|---|---|\n");
    for (name, bytes) in output {
        let _ = writeln!(out, "| `{name}` | {} |", bytes.len());
    }
    out
}
