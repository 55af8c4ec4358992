//! Where outputs go: a folder that mirrors the inputs, or one file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Discovery, Error, Format, InputFile, To};

const REPORTS: [&str; 2] = ["report.json", "report.md"];
const FILE_EXTENSIONS: [&str; 15] = [
    "txt", "jsonl", "ndjson", "json", "csv", "tsv", "parquet", "xml", "html", "ann", "docx", "odt", "htm",
    "rtf", "hl7",
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
    /// The folder for what is being written.
    pub stage: PathBuf,
}

impl OutputPlan {
    /// Plans the outputs of `discovery` under `out`. Nothing is made yet. A `part` names this run's share of the
    /// documents in the files that other runs write shares of.
    pub fn new(discovery: &Discovery, out: &Path, to: To, part: Option<&str>) -> Result<Self, Error> {
        let inputs = &discovery.inputs;
        let extension = out.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        let looks_like_file = FILE_EXTENSIONS.contains(&extension.as_str()) && !out.is_dir();
        if !looks_like_file && out.is_file() {
            return Err(Error::usage_at(out, "this is a file; give a folder"));
        }
        let merged = looks_like_file && to == To::Jsonl && extension == "jsonl";
        let single = looks_like_file && inputs.len() == 1 && inputs[0].named;
        let targets: Vec<PathBuf> = if merged {
            vec![out.to_owned(); inputs.len()]
        } else if single {
            let wanted = output_name(&inputs[0], to);
            let wanted = wanted.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
            if wanted != extension {
                let why = format!(
                    "this input is written as .{wanted}, not .{extension}; name the output so, or give a folder"
                );
                return Err(Error::usage_at(out, why));
            }
            vec![out.to_owned()]
        } else if looks_like_file && !inputs.is_empty() {
            return Err(Error::usage_at(out, "one file cannot hold these inputs; give a folder"));
        } else {
            let mut names: Vec<PathBuf> = inputs.iter().map(|input| output_name(input, to)).collect();
            let mut often: BTreeMap<PathBuf, usize> = BTreeMap::new();
            names.iter().for_each(|name| *often.entry(name.clone()).or_default() += 1);
            for (input, name) in inputs.iter().zip(&mut names) {
                // A letter may lie beside its print: `a.docx`, `a.pdf`.
                if often.get(name).is_some_and(|n| *n > 1) && to != To::InKind {
                    let extension = name.extension().map(ToOwned::to_owned).unwrap_or_default();
                    let mut whole = input.relative.clone().into_os_string();
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
        let folder = if merged || single { out.parent().unwrap_or(Path::new("")) } else { out };
        let report = |name: &str| with_part(folder.join(name), part);
        let mut stage = ".taire-run".to_owned();
        if merged || single {
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
            stage: folder.join(stage),
        };
        plan.check(discovery, to)?;
        Ok(plan)
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
        let reports = [&self.report_json, &self.report_md];
        for target in claims.iter().map(|(_, t)| t).chain(reports) {
            if fs::canonicalize(target).is_ok_and(|p| ours.contains(&p)) {
                return Err(Error::usage_at(
                    target,
                    "writing here would replace an input; choose another output",
                ));
            }
        }
        for (input, target) in claims {
            if reports.contains(&&target) {
                let why = "its output would take the name of the report; rename it";
                return Err(Error::usage_at(input, why));
            }
            if self.merged {
                continue;
            }
            if let Some(other) = taken.insert(target, input) {
                let why =
                    format!("its output would have the name of that of {}; rename one", other.display());
                return Err(Error::usage_at(input, why));
            }
        }
        Ok(())
    }
}

pub(crate) fn writes_brat(format: Format, to: To) -> bool {
    to == To::Brat || (to == To::InKind && format == Format::Brat)
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

fn output_name(input: &InputFile, to: To) -> PathBuf {
    match to {
        To::InKind if input.format.becomes_text() => {
            let mut name = input.relative.clone().into_os_string();
            name.push(".txt");
            name.into()
        }
        To::InKind => input.relative.clone(),
        To::Jsonl => input.relative.with_extension("jsonl"),
        To::Brat if input.format.is_single() => input.relative.with_extension("txt"),
        To::Brat => input.relative.with_extension(""),
        To::Xml => input.relative.with_extension("xml"),
        To::Html => input.relative.with_extension("html"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_cannot_be_is_refused() {
        assert!(plan(&["a.txt", "a.txt"], "/o", To::Xml).unwrap_err().contains("rename one"));
        assert!(plan(&["a.txt", "b.txt"], "/o/x.txt", To::InKind).unwrap_err().contains("give a folder"));
        assert!(plan(&["a.txt"], "/o/x.jsonl", To::InKind).unwrap_err().contains(".txt, not .jsonl"));
        assert!(plan(&["report.json"], "/o", To::InKind).unwrap_err().contains("name of the report"));
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
