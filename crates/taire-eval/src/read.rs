//! Corpora read from JSONL (spans as arrays or objects) or from BRAT folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Corpus, Doc, Error, Tag};

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Option<Id>,
    #[serde(default)]
    text: Option<String>,
    spans: Vec<LineSpan>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(i64),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LineSpan {
    Array(usize, usize, String),
    Object { start: usize, end: usize, label: String },
}

impl Corpus {
    /// A `.jsonl` file, a BRAT `.ann` file, or a folder of either, walked.
    pub fn read(path: &Path) -> Result<Corpus, Error> {
        if !path.is_dir() {
            let docs = if path.extension().is_some_and(|e| e == "ann") {
                vec![brat(path, stem(path))?]
            } else {
                jsonl(path)?
            };
            return Corpus::new(docs);
        }
        let mut files = Vec::new();
        walk(path, &mut files)?;
        let annotated: Vec<_> = files.iter().filter(|f| f.extension().is_some_and(|e| e == "ann")).collect();
        if annotated.is_empty() {
            let mut docs = Vec::new();
            for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "jsonl")) {
                docs.extend(jsonl(file)?);
            }
            if docs.is_empty() {
                return Err(Error::new(format!(
                    "{}: no annotated document; a folder must hold .ann files (BRAT) or .jsonl files",
                    path.display()
                )));
            }
            return Corpus::new(docs);
        }
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for file in &annotated {
            *seen.entry(stem(file)).or_default() += 1;
        }
        let read = |file: &&PathBuf| {
            let name = stem(file);
            // Two trees may nest the same files differently: the file name is the id while it is unique.
            let id = if seen[&name] == 1 {
                name
            } else {
                file.strip_prefix(path).unwrap_or(file).with_extension("").display().to_string()
            };
            brat(file, id)
        };
        Corpus::new(annotated.iter().map(read).collect::<Result<Vec<_>, _>>()?)
    }

    /// Documents of JSONL text, one object a line. `origin` names it in errors.
    pub fn from_jsonl(origin: &str, content: &str) -> Result<Corpus, Error> {
        Corpus::new(parse_jsonl(origin, content)?)
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), Error> {
    let refuse = |e: std::io::Error| Error::new(format!("{}: {e}", folder.display()));
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(refuse)? {
        entries.push(entry.map_err(refuse)?.path());
    }
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            walk(&entry, out)?;
        } else {
            out.push(entry);
        }
    }
    Ok(())
}

fn load(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(|e| Error::new(format!("{}: {e}", path.display())))?;
    String::from_utf8(bytes).map_err(|e| {
        Error::new(format!("{}: not UTF-8 at byte {}", path.display(), e.utf8_error().valid_up_to()))
    })
}

fn jsonl(path: &Path) -> Result<Vec<Doc>, Error> {
    parse_jsonl(&path.display().to_string(), &load(path)?)
}

fn parse_jsonl(origin: &str, content: &str) -> Result<Vec<Doc>, Error> {
    let mut docs = Vec::new();
    for (i, line) in content.split('\n').enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        // The parser's own message may quote the document: only its column is told.
        let parsed: Line = serde_json::from_str(line).map_err(|e| {
            Error::new(format!(
                "{origin}: line {}, column {}: not an annotated document; \
                 expected {{\"id\", \"text\", \"spans\": [[start, end, label], …]}}",
                i + 1,
                e.column()
            ))
        })?;
        let id = match parsed.id {
            Some(Id::Text(id)) => id.strip_suffix(".txt").map(str::to_owned).unwrap_or(id),
            Some(Id::Number(n)) => n.to_string(),
            None => (i + 1).to_string(),
        };
        let spans = parsed.spans.into_iter().map(|span| match span {
            LineSpan::Array(start, end, label) | LineSpan::Object { start, end, label } => {
                Tag { start, end, label }
            }
        });
        docs.push(Doc { id, text: parsed.text, spans: spans.collect() });
    }
    Ok(docs)
}

/// Text-bound annotations of one `.ann`, with the `.txt` beside it if there is one.
fn brat(path: &Path, id: String) -> Result<Doc, Error> {
    let beside = path.with_extension("txt");
    let text = if beside.exists() { Some(load(&beside)?) } else { None };
    let mut spans = Vec::new();
    for (i, line) in load(path)?.split('\n').enumerate() {
        if line.starts_with('T') {
            let tags = text_bound(line).ok_or_else(|| {
                Error::new(format!(
                    "{}: line {}: not a text-bound annotation; expected `T1<tab>LABEL start end<tab>text`",
                    path.display(),
                    i + 1
                ))
            })?;
            spans.extend(tags);
        }
    }
    Ok(Doc { id, text, spans })
}

/// `T1⇥LABEL 0 4;8 10⇥text`: each fragment is a span.
fn text_bound(line: &str) -> Option<Vec<Tag>> {
    let middle = line.split('\t').nth(1)?;
    let (label, places) = middle.split_once(' ')?;
    let fragment = |place: &str| {
        let (start, end) = place.split_once(' ')?;
        Some(Tag::new(start.parse().ok()?, end.parse().ok()?, label))
    };
    places.trim().split(';').map(fragment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jsonl_spans_come_as_arrays_or_objects() {
        let corpus = Corpus::from_jsonl(
            "x",
            "{\"id\":\"b.txt\",\"text\":\"Ana\",\"spans\":[[0,3,\"PRENOM\"]]}\n\n\
             {\"id\":7,\"spans\":[{\"start\":1,\"end\":2,\"label\":\"NOM\",\"role\":\"Patient\",\"score\":0.5}]}\n",
        )
        .unwrap();
        assert_eq!(corpus.docs().map(|d| &*d.id).collect::<Vec<_>>(), ["7", "b"]);
        assert_eq!(corpus.get("b").unwrap().spans, [Tag::new(0, 3, "PRENOM")]);
        assert_eq!(corpus.get("7").unwrap().spans, [Tag::new(1, 2, "NOM")]);
    }

    #[test]
    fn errors_tell_the_place_and_not_the_text() {
        let error = Corpus::from_jsonl("x.jsonl", "{\"text\":\"Durand\",\"spans\":\"Durand\"}").unwrap_err();
        let error = error.to_string();
        assert!(error.contains("x.jsonl: line 1") && !error.contains("Durand"), "{error}");
    }

    #[test]
    fn brat_folders_are_walked_and_fragments_kept() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("deep");
        fs::create_dir(&deep).unwrap();
        fs::write(folder.path().join("a.txt"), "Ana y Luz").unwrap();
        fs::write(folder.path().join("a.ann"), "T1\tNOMBRE 0 3;6 9\tAna Luz\nA1\tx T1\n#1\tnote\n").unwrap();
        fs::write(deep.join("b.ann"), "").unwrap();
        let corpus = Corpus::read(folder.path()).unwrap();
        assert_eq!(corpus.len(), 2);
        assert_eq!(corpus.get("a").unwrap().spans, [Tag::new(0, 3, "NOMBRE"), Tag::new(6, 9, "NOMBRE")]);
        assert_eq!(corpus.get("b").unwrap().text, None);
        fs::write(deep.join("b.ann"), "T1\tNOMBRE zero 3\tAna").unwrap();
        let error = Corpus::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("b.ann: line 1") && !error.contains("Ana"), "{error}");
    }
}
