//! Where outputs go: a folder that mirrors the inputs, or one file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Discovery, Error, Format, To};

const REPORTS: [&str; 2] = ["report.json", "report.md"];
const MANIFEST: &str = "manifest.json";
const FILE_EXTENSIONS: [&str; 21] = [
    "txt", "jsonl", "ndjson", "json", "csv", "tsv", "parquet", "xml", "html", "ann", "docx", "odt", "htm",
    "rtf", "xlsx", "pptx", "hl7", "eml", "mbox", "pdf", "png",
];

/// One target for each input, and where the reports go.
#[derive(Clone, Debug)]
pub struct OutputPlan {
    /// In the order of the inputs. For several documents to BRAT it is a folder.
    pub targets: Vec<PathBuf>,
    /// All documents go to one JSONL file: `targets` are all the same.
    pub merged: bool,
    pub report_json: PathBuf,
    pub report_md: PathBuf,
    /// The list of what the run wrote: in the output folder, or in the private one where the output is a file.
    pub manifest: PathBuf,
    /// The folder for what is being written.
    pub stage: PathBuf,
    /// The folder beside the output for what must not be shared.
    pub private: PathBuf,
    /// Where outputs are: the folder the run fills, or the one that holds the output file.
    pub folder: PathBuf,
    /// The output is one file; others in its folder are not ours.
    pub is_file: bool,
    /// The share of the documents that this is the plan of.
    pub part: Option<String>,
}

impl OutputPlan {
    /// Plans the outputs of `discovery` under `out`. Nothing is made yet. A `part` names this run's share of the
    /// documents in the files that other runs write shares of.
    pub fn new(discovery: &Discovery, out: &Path, to: To, part: Option<&str>) -> Result<Self, Error> {
        let names: Vec<PathBuf> = discovery.inputs.iter().map(|input| input.relative.clone()).collect();
        OutputPlan::renamed(discovery, &names, out, to, part)
    }

    /// The same, with other names than those of the inputs: one for each, relative to the output.
    pub fn renamed(
        discovery: &Discovery,
        relative: &[PathBuf],
        out: &Path,
        to: To,
        part: Option<&str>,
    ) -> Result<Self, Error> {
        let inputs = &discovery.inputs;
        let extension = out.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        let looks_like_file = FILE_EXTENSIONS.contains(&extension.as_str()) && !out.is_dir();
        if !looks_like_file && out.is_file() {
            return Err(crate::error::usage_error(out, "this is a file; give a folder"));
        }
        let merged = looks_like_file && to == To::Jsonl && extension == "jsonl";
        let single = looks_like_file && inputs.len() == 1 && inputs[0].named;
        let targets: Vec<PathBuf> = if merged {
            vec![out.to_owned(); inputs.len()]
        } else if single {
            let wanted = output_name(inputs[0].format, &relative[0], to);
            let wanted = wanted.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
            if wanted != extension {
                let why = format!(
                    "this input is written as .{wanted}, not .{extension}; name the output so, or give a folder"
                );
                return Err(crate::error::usage_error(out, why));
            }
            vec![out.to_owned()]
        } else if looks_like_file && !inputs.is_empty() {
            return Err(crate::error::usage_error(out, "one file cannot hold these inputs; give a folder"));
        } else {
            let named = inputs.iter().zip(relative);
            let mut names: Vec<PathBuf> = named.map(|(i, name)| output_name(i.format, name, to)).collect();
            let mut often: BTreeMap<PathBuf, usize> = BTreeMap::new();
            names.iter().for_each(|name| *often.entry(name.clone()).or_default() += 1);
            for (relative, name) in relative.iter().zip(&mut names) {
                // A letter may lie beside its print: `a.docx`, `a.pdf`.
                if often.get(name).is_some_and(|n| *n > 1) && to != To::InKind {
                    let extension = name.extension().map(ToOwned::to_owned).unwrap_or_default();
                    let mut whole = relative.clone().into_os_string();
                    whole.push(".");
                    whole.push(extension);
                    *name = whole.into();
                }
            }
            let named = inputs.iter().zip(names);
            let shared =
                named.map(|(i, name)| if i.format.is_single() { name } else { with_part(name, part) });
            shared.map(|name| out.join(name)).collect()
        };
        let is_file = merged || single;
        let folder = if is_file { out.parent().unwrap_or(Path::new("")) } else { out };
        let private = private_folder(out, is_file)?;
        let report = |name: &str| with_part(folder.join(name), part);
        let mut stage = ".taire-run".to_owned();
        if is_file {
            let name = out.file_name().unwrap_or_default().to_string_lossy();
            stage = format!(".{name}{stage}");
        }
        if let Some(part) = part {
            stage = format!("{stage}.{part}");
        }
        let plan = OutputPlan {
            targets,
            merged,
            report_json: report(REPORTS[0]),
            report_md: report(REPORTS[1]),
            manifest: with_part(if is_file { &private } else { folder }.join(MANIFEST), part),
            stage: folder.join(stage),
            private,
            folder: folder.to_owned(),
            is_file,
            part: part.map(str::to_owned),
        };
        plan.check(discovery, to)?;
        Ok(plan)
    }

    /// Where a file of the private folder goes, under a name of its share.
    pub fn private_file(&self, name: &str) -> PathBuf {
        with_part(self.private.join(name), self.part.as_deref())
    }

    fn check(&self, discovery: &Discovery, to: To) -> Result<(), Error> {
        let mut taken: BTreeMap<PathBuf, &Path> = BTreeMap::new();
        let mut claims = Vec::new();
        for (input, target) in discovery.inputs.iter().zip(&self.targets) {
            claims.push((input.path.as_path(), target.clone()));
            if writes_brat(input.format, to) && input.format.is_single() {
                claims.push((input.path.as_path(), target.with_extension("ann")));
            }
        }
        let ours: BTreeSet<PathBuf> = discovery
            .inputs
            .iter()
            .flat_map(|i| [Some(&i.path), i.ann.as_ref()])
            .flatten()
            .chain(&discovery.identities)
            .filter_map(|p| fs::canonicalize(p).ok())
            .collect();
        let reports = [&self.report_json, &self.report_md, &self.manifest];
        for target in claims.iter().map(|(_, t)| t).chain(reports) {
            if fs::canonicalize(target).is_ok_and(|p| ours.contains(&p)) {
                return Err(crate::error::usage_error(
                    target,
                    "writing here would replace an input; choose another output",
                ));
            }
        }
        for (input, target) in claims {
            if reports.contains(&&target) {
                let why = "its output would take the name of the report or of the manifest; rename it";
                return Err(crate::error::usage_error(input, why));
            }
            if self.merged {
                continue;
            }
            if let Some(other) = taken.insert(target, input) {
                let why =
                    format!("its output would have the name of that of {}; rename one", other.display());
                return Err(crate::error::usage_error(input, why));
            }
        }
        Ok(())
    }
}

pub(crate) fn writes_brat(format: Format, to: To) -> bool {
    to == To::Brat || (to == To::InKind && format == Format::Brat)
}

/// `out/` → `out.private/`, `out.jsonl` → `out.private/`.
fn private_folder(out: &Path, is_file: bool) -> Result<PathBuf, Error> {
    let named = match out.file_name() {
        Some(_) => out.to_owned(),
        None => fs::canonicalize(out).unwrap_or_default(),
    };
    let name = if is_file { named.file_stem() } else { named.file_name() };
    let Some(name) = name else {
        return Err(crate::error::usage_error(out, "this folder has no name; give one that has"));
    };
    let mut name = name.to_owned();
    name.push(".private");
    Ok(named.with_file_name(name))
}

/// `notes.jsonl` → `notes.1-of-4.jsonl`
fn with_part(path: PathBuf, part: Option<&str>) -> PathBuf {
    let Some(part) = part else { return path };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}.{part}.{}", extension.to_string_lossy()),
        None => format!("{stem}.{part}"),
    };
    path.with_file_name(name)
}

fn output_name(format: Format, relative: &Path, to: To) -> PathBuf {
    match to {
        To::InKind if format.becomes_text() => {
            let mut name = relative.to_owned().into_os_string();
            name.push(".txt");
            name.into()
        }
        To::InKind if format == Format::Msg => {
            let mut name = relative.to_owned().into_os_string();
            name.push(".eml");
            name.into()
        }
        To::InKind if format == Format::Image => {
            let is_png = relative.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
            let mut name = relative.to_owned().into_os_string();
            name.push(if is_png { "" } else { ".png" });
            name.into()
        }
        To::InKind => relative.to_owned(),
        To::Jsonl => relative.with_extension("jsonl"),
        To::Brat if format.is_single() => relative.with_extension("txt"),
        To::Brat => relative.with_extension(""),
        To::Xml => relative.with_extension("xml"),
        To::Html => relative.with_extension("html"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InputFile;

    fn found(names: &[&str]) -> Discovery {
        let input = |name: &&str| {
            let format = if name.ends_with("jsonl") { Format::Jsonl } else { Format::Text };
            InputFile::new(Path::new("/in").join(name), name, format)
        };
        Discovery { inputs: names.iter().map(input).collect(), ..Default::default() }
    }

    fn plan(names: &[&str], out: &str, to: To) -> Result<Vec<String>, String> {
        let plan = OutputPlan::new(&found(names), Path::new(out), to, None).map_err(|e| e.to_string())?;
        let all = plan.targets.iter().chain([&plan.report_json]);
        Ok(all.map(|p| p.display().to_string()).collect())
    }

    #[test]
    fn folders_mirror_and_files_are_files() {
        for (names, out, to, expected) in [
            (&["in.jsonl"][..], "/o", To::InKind, &["/o/in.jsonl", "/o/report.json"][..]),
            (&["in.jsonl"], "/o/x.jsonl", To::InKind, &["/o/x.jsonl", "/o/report.json"]),
            (&["in.jsonl"], "/o", To::Brat, &["/o/in", "/o/report.json"]),
            (&["a/b.txt", "c.txt"], "/o", To::InKind, &["/o/a/b.txt", "/o/c.txt", "/o/report.json"]),
            (&["a/b.txt"], "/o", To::Html, &["/o/a/b.html", "/o/report.json"]),
            (&["a.txt", "a.md"], "/o", To::Xml, &["/o/a.txt.xml", "/o/a.md.xml", "/o/report.json"]),
            (&["a.txt", "b.txt"], "x.jsonl", To::Jsonl, &["x.jsonl", "x.jsonl", "report.json"]),
            (&["a.txt"], "v1.2", To::InKind, &["v1.2/a.txt", "v1.2/report.json"]),
        ] {
            assert_eq!(plan(names, out, to).unwrap(), expected);
        }
    }

    #[test]
    fn shares_have_names_of_their_own() {
        let found = found(&["a.txt", "in.jsonl"]);
        let plan = OutputPlan::new(&found, Path::new("/o"), To::InKind, Some("2-of-3")).unwrap();
        assert_eq!(plan.targets, ["/o/a.txt", "/o/in.2-of-3.jsonl"].map(PathBuf::from));
        assert_eq!(plan.report_md, Path::new("/o/report.2-of-3.md"));
        assert_eq!(plan.stage, Path::new("/o/.taire-run.2-of-3"));
    }

    #[test]
    fn what_must_not_be_shared_lies_beside_the_output() {
        let found = found(&["in.jsonl"]);
        for (out, private) in
            [("/o/out", "/o/out.private"), ("/o/out.jsonl", "/o/out.private"), ("/o/v1.2", "/o/v1.2.private")]
        {
            let plan = OutputPlan::new(&found, Path::new(out), To::InKind, None).unwrap();
            assert_eq!(plan.private, Path::new(private));
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(plan(&["a.txt", "a.txt"], "/o", To::Xml).unwrap_err().contains("rename one"));
        assert!(plan(&["a.txt", "b.txt"], "/o/x.txt", To::InKind).unwrap_err().contains("give a folder"));
        assert!(plan(&["a.txt"], "/o/x.jsonl", To::InKind).unwrap_err().contains(".txt, not .jsonl"));
        assert!(plan(&["report.json"], "/o", To::InKind).unwrap_err().contains("name of the report"));
        assert!(plan(&["manifest.json"], "/o", To::InKind).unwrap_err().contains("of the manifest"));
    }

    #[test]
    fn inputs_are_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.txt"), "x").unwrap();
        let found = crate::discover(&[dir.path().to_owned()], &Default::default());
        let error = OutputPlan::new(&found, dir.path(), To::InKind, None).unwrap_err();
        assert!(error.to_string().contains("replace an input"));
        assert!(OutputPlan::new(&found, &dir.path().join("out"), To::InKind, None).is_ok());
    }
}
