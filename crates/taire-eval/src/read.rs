//! Corpora read from JSONL (spans as arrays or objects), BRAT folders, marked documents (`.md`), CoNLL files and letters
//! with an element around each identifier (`.xml`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use taire_text::{Position, Role, marked};

use crate::exchange::Exchange;
use crate::{Corpus, Doc, Error, Tag, inline_xml};

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
    Object {
        start: usize,
        end: usize,
        label: String,
        #[serde(default)]
        role: Option<Role>,
    },
}

impl Corpus {
    /// A `.jsonl` file, a BRAT `.ann` file, a marked `.md` file, or a folder of one of these, walked; a CoNLL file of tokens
    /// and IOB labels (`.conll`, `.iob`, `.bio`); an `.xml` file or a folder of them with an element around each identifier.
    ///
    /// Ids of marked documents are their paths without extension below the folder that holds `splits.toml` (the
    /// corpus: `fr/a/01`), else their file names.
    pub fn read(path: &Path) -> Result<Corpus, Error> {
        let has = |file: &Path, extension: &str| file.extension().is_some_and(|e| e == extension);
        if !path.is_dir() {
            return match path {
                _ if has(path, "ann") => Corpus::new([brat(path, stem(path))?]),
                _ if has(path, "md") => marked_documents(&[path.to_owned()], path),
                _ if has(path, "xml") => inline_xml_documents(&[path]),
                _ if ["conll", "iob", "iob2", "bio"].iter().any(|e| has(path, e)) => {
                    Ok(Exchange::Conll.read(path)?.corpus)
                }
                _ => jsonl([path]),
            };
        }
        let mut files = Vec::new();
        walk(path, &mut files)?;
        let annotated: Vec<_> = files.iter().filter(|f| has(f, "ann")).collect();
        let elements: Vec<&Path> = files.iter().map(PathBuf::as_path).filter(|f| has(f, "xml")).collect();
        if annotated.is_empty() && !elements.is_empty() && elements.len() == files.len() {
            return inline_xml_documents(&elements);
        }
        if annotated.is_empty() {
            let lines: Vec<&Path> = files.iter().map(PathBuf::as_path).filter(|f| has(f, "jsonl")).collect();
            let corpus = if lines.is_empty() { marked_documents(&files, path)? } else { jsonl(lines)? };
            if corpus.is_empty() {
                let why = "no annotated document; a folder must hold .ann files (BRAT), .jsonl files or marked .md files";
                return Err(Error::input(why).in_file(path));
            }
            return Ok(corpus);
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
        let mut roles = Vec::new();
        let docs = parse_jsonl(origin, content, &mut roles)?;
        with_roles(docs, roles)
    }
}

/// A span's document, start, end and role.
type SpanRole = (String, usize, usize, Role);

fn with_roles(docs: Vec<Doc>, roles: Vec<SpanRole>) -> Result<Corpus, Error> {
    let mut corpus = Corpus::new(docs)?;
    for (id, start, end, role) in roles {
        corpus.set_role(&id, start, end, role);
    }
    Ok(corpus)
}

/// Marked documents among files: those whose first line is a comment (`<!-- kind: … -->`).
fn marked_documents(files: &[PathBuf], below: &Path) -> Result<Corpus, Error> {
    let mut sources = Vec::new();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "md")) {
        let source = load(file)?;
        if marked::split_header(&source).is_some() {
            sources.push((file, source));
        }
    }
    let whole = below.canonicalize().unwrap_or_else(|_| below.to_owned());
    let root = whole.ancestors().find(|folder| folder.join("splits.toml").exists());
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (file, _) in &sources {
        *seen.entry(stem(file)).or_default() += 1;
    }
    let docs = sources.iter().map(|(file, source)| {
        let path = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        let relative =
            |from: &Path| path.strip_prefix(from).unwrap_or(&path).with_extension("").display().to_string();
        let id = match root {
            Some(root) => relative(root),
            None if seen[&stem(file)] == 1 => stem(file),
            None => relative(&whole),
        };
        let (_, body) = marked::split_header(source).unwrap_or_default();
        let marked = marked::parse_document(body);
        let point = |byte: usize| marked.text[..byte].chars().count();
        let spans =
            marked.spans.iter().map(|(range, label)| Tag::new(point(range.start), point(range.end), label));
        let spans = spans.collect();
        Doc { id, text: Some(marked.text.clone()), spans }
    });
    Corpus::new(docs.collect::<Vec<_>>())
}

/// Letters with an element around each identifier, one a file.
fn inline_xml_documents(files: &[&Path]) -> Result<Corpus, Error> {
    let read = |file: &&Path| inline_xml::parse(stem(file), &load(file)?).map_err(|e| e.in_file(file));
    Corpus::new(files.iter().map(read).collect::<Result<Vec<_>, Error>>()?)
}

pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

pub(crate) fn walk(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), Error> {
    let refuse = |e: std::io::Error| unreadable(folder, e);
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

pub(crate) fn load(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(|e| unreadable(path, e))?;
    String::from_utf8(bytes).map_err(|e| {
        Error::input(format!("not UTF-8 at byte {}", e.utf8_error().valid_up_to())).in_file(path)
    })
}

fn unreadable(path: &Path, error: std::io::Error) -> Error {
    Error::input(error.to_string()).in_file(path).caused_by(error)
}

fn jsonl<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Corpus, Error> {
    let (mut docs, mut roles) = (Vec::new(), Vec::new());
    for path in paths {
        docs.extend(parse_jsonl(&path.display().to_string(), &load(path)?, &mut roles)?);
    }
    with_roles(docs, roles)
}

fn parse_jsonl(origin: &str, content: &str, roles: &mut Vec<SpanRole>) -> Result<Vec<Doc>, Error> {
    let mut docs = Vec::new();
    for (i, line) in content.split('\n').enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        // The parser's own message may quote the document: only its column is given.
        let parsed: Line = serde_json::from_str(line).map_err(|e| {
            Error::input(format!(
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
            LineSpan::Array(start, end, label) => Tag { start, end, label },
            LineSpan::Object { start, end, label, role } => {
                roles.extend(role.map(|role| (id.clone(), start, end, role)));
                Tag { start, end, label }
            }
        });
        let spans = spans.collect();
        docs.push(Doc { id, text: parsed.text, spans });
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
                Error::input("not a text-bound annotation; expected `T1<tab>LABEL start end<tab>text`")
                    .in_file(path)
                    .at(Position::Line(i as u64 + 1))
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
    fn marked_documents_are_gold_and_their_ids_are_those_of_the_corpus() {
        let folder = tempfile::tempdir().unwrap();
        let hand = folder.path().join("fr/a");
        fs::create_dir_all(&hand).unwrap();
        fs::write(hand.join("01.md"), "<!-- kind: note -->\nÀ [Léa](GivenName), S:\\[Roux](FamilyName)\n")
            .unwrap();
        fs::write(folder.path().join("README.md"), "# [no](Gold)\n").unwrap();
        let corpus = Corpus::read(folder.path()).unwrap();
        assert_eq!(corpus.docs().map(|d| &*d.id).collect::<Vec<_>>(), ["01"]);
        fs::write(folder.path().join("splits.toml"), "").unwrap();
        for place in [folder.path(), &hand, &hand.join("01.md")] {
            let corpus = Corpus::read(place).unwrap();
            let doc = corpus.get("fr/a/01").unwrap();
            assert_eq!(doc.text.as_deref(), Some("À Léa, S:\\Roux\n"));
            assert_eq!(doc.spans, [Tag::new(2, 5, "GivenName"), Tag::new(10, 14, "FamilyName")]);
        }
    }

    #[test]
    fn errors_give_the_place_and_not_the_text() {
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
