//! Reading annotated documents that other tools wrote.

use std::path::Path;

use serde_json::{Map, Value};

use super::Exchange;
use super::xmi::read_xmi;
use crate::corpus::{Offsets, boundaries};
use crate::read::{load, stem, walk};
use crate::{Corpus, Doc, Error, Tag};

/// The largest file that is read: it is held in memory.
const MOST_BYTES: u64 = 256 << 20;

/// What was read, and what was in the files and is not.
#[derive(Debug, Default)]
pub struct Reading {
    pub corpus: Corpus,
    /// Documents that their tool marks as rejected, ignored or without an answer.
    pub passed_over: usize,
    /// Annotations of another kind than labelled stretches: relations, other layers.
    pub left_out: usize,
}

impl Exchange {
    /// The format of a file or folder, by its content.
    pub fn recognise(path: &Path) -> Result<Exchange, Error> {
        if path.is_dir() {
            let mut files = Vec::new();
            walk(path, &mut files)?;
            let has = |extension: &str| files.iter().find(|f| f.extension().is_some_and(|e| e == extension));
            if has("ann").is_some() {
                return Ok(Exchange::Brat);
            }
            if has("xmi").is_some() {
                return Ok(Exchange::Xmi);
            }
            let one = ["jsonl", "json", "conll", "iob", "bio"].iter().find_map(|extension| has(extension));
            return match one {
                Some(file) => Exchange::recognise(file),
                // Marked documents are read as gold is.
                None => Ok(Exchange::Jsonl),
            };
        }
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "ann" => return Ok(Exchange::Brat),
            "md" => return Ok(Exchange::Jsonl),
            "conll" | "iob" | "iob2" | "bio" => return Ok(Exchange::Conll),
            _ => {}
        }
        let content = load_within(path)?;
        let start = content.trim_start_matches('\u{feff}').trim_start();
        if start.starts_with('<') && start.contains("XMI") {
            return Ok(Exchange::Xmi);
        }
        if start.starts_with('[') {
            return Ok(Exchange::LabelStudio);
        }
        if let Some(line) = start.lines().next().filter(|line| line.starts_with('{')) {
            let keys: Map<String, Value> = serde_json::from_str(line).unwrap_or_default();
            let has = |key: &str| keys.contains_key(key);
            return Ok(match () {
                _ if has("data") && (has("annotations") || has("predictions")) => Exchange::LabelStudio,
                _ if has("answer") || has("_task_hash") || has("tokens") => Exchange::Prodigy,
                _ if has("label") || has("labels") || has("entities") => Exchange::Doccano,
                _ => Exchange::Jsonl,
            });
        }
        if start.starts_with("-DOCSTART-") || start.lines().next().is_some_and(|line| tagged(line).is_some())
        {
            return Ok(Exchange::Conll);
        }
        Err(Error::input("its format is not known; name it with `--from`").in_file(path))
    }

    /// Reads a file or a folder of this format.
    pub fn read(self, path: &Path) -> Result<Reading, Error> {
        if matches!(self, Exchange::Jsonl | Exchange::Brat) {
            return Ok(Reading { corpus: Corpus::read(path)?, ..Reading::default() });
        }
        let mut files = Vec::new();
        match path.is_dir() {
            true => walk(path, &mut files)?,
            false => files.push(path.to_owned()),
        }
        if path.is_dir() {
            let endings: &[&str] = match self {
                Exchange::Xmi => &["xmi", "xml"],
                Exchange::Conll => &["conll", "iob", "iob2", "bio", "tsv", "txt"],
                _ => &["jsonl", "json"],
            };
            let ours = |file: &Path| {
                let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
                endings.contains(&extension) && file.file_name().is_none_or(|name| name != "TypeSystem.xml")
            };
            files.retain(|file| ours(file));
        }
        let mut docs = Docs::default();
        for file in &files {
            let content = load_within(file)?;
            let content = content.trim_start_matches('\u{feff}');
            let read = match self {
                Exchange::Xmi => docs.xmi(&stem(file), content),
                Exchange::Conll => docs.conll(&stem(file), content),
                Exchange::LabelStudio => docs.label_studio(content),
                _ => docs.lines(self, content),
            };
            read.map_err(|error| error.in_file(file))?;
        }
        if docs.docs.is_empty() && docs.passed_over == 0 {
            return Err(
                Error::input(format!("no annotated document in the format {}", self.name())).in_file(path)
            );
        }
        let Docs { docs, passed_over, left_out } = docs;
        Ok(Reading { corpus: Corpus::new(docs)?, passed_over, left_out })
    }
}

fn load_within(path: &Path) -> Result<String, Error> {
    if std::fs::metadata(path).is_ok_and(|about| about.len() > MOST_BYTES) {
        return Err(Error::input(format!("it is over {} MB; split it", MOST_BYTES >> 20)).in_file(path));
    }
    load(path)
}

#[derive(Default)]
struct Docs {
    docs: Vec<Doc>,
    passed_over: usize,
    left_out: usize,
}

/// What a value says cannot be read. It names a place and quotes nothing.
fn unfit(place: &str) -> Error {
    Error::input(format!("{place}: not an annotated document of this format"))
}

fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn id_of(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

impl Docs {
    fn xmi(&mut self, id: &str, content: &str) -> Result<(), Error> {
        let (doc, left_out) = read_xmi(id, content)?;
        self.left_out += left_out;
        self.docs.push(doc);
        Ok(())
    }

    /// doccano and Prodigy: one object a line.
    fn lines(&mut self, format: Exchange, content: &str) -> Result<(), Error> {
        for (i, line) in content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let place = format!("line {}", i + 1);
            let object: Map<String, Value> = serde_json::from_str(line).map_err(|_| unfit(&place))?;
            let text = object.get("text").and_then(Value::as_str).ok_or_else(|| unfit(&place))?;
            let (id, spans) = match format {
                Exchange::Prodigy => {
                    if object.get("answer").is_some_and(|answer| answer != "accept") {
                        self.passed_over += 1;
                        continue;
                    }
                    self.left_out += object.get("relations").and_then(Value::as_array).map_or(0, Vec::len);
                    let meta = object.get("meta").and_then(Value::as_object);
                    let id = id_of(meta.and_then(|meta| meta.get("id")).or(object.get("id")));
                    (id, prodigy_spans(&object).ok_or_else(|| unfit(&place))?)
                }
                _ => {
                    self.left_out += object.get("relations").and_then(Value::as_array).map_or(0, Vec::len);
                    (id_of(object.get("id")), doccano_spans(&object).ok_or_else(|| unfit(&place))?)
                }
            };
            let id = id.unwrap_or_else(|| (i + 1).to_string());
            self.push(id, text, spans, Offsets::CodePoints)?;
        }
        Ok(())
    }

    /// Tasks in a list or one a line, as exported whole or in short (JSON_MIN).
    fn label_studio(&mut self, content: &str) -> Result<(), Error> {
        let broken = |_| unfit("the file");
        let tasks: Vec<Value> = match content.trim_start().starts_with('[') {
            true => serde_json::from_str(content).map_err(broken)?,
            false => {
                let lines = content.lines().filter(|line| !line.trim().is_empty());
                lines.map(serde_json::from_str).collect::<Result<_, _>>().map_err(broken)?
            }
        };
        for (i, task) in tasks.iter().enumerate() {
            let place = format!("task {}", i + 1);
            let short = task.get("data").is_none();
            let data = if short { Some(task) } else { task.get("data") };
            let data = data.and_then(Value::as_object).ok_or_else(|| unfit(&place))?;
            let text = data.get("text").and_then(Value::as_str).ok_or_else(|| {
                Error::input(format!("{place}: its data has no `text`; name the text so in Label Studio"))
            })?;
            let id = id_of(data.get("id"))
                .or_else(|| id_of(task.get("id")))
                .unwrap_or_else(|| (i + 1).to_string());
            let mut spans = Vec::new();
            if short {
                for value in task.get("label").and_then(Value::as_array).into_iter().flatten() {
                    spans.extend(studio_spans(value).ok_or_else(|| unfit(&place))?);
                }
                self.push_studio(id, text, spans)?;
                continue;
            }
            let list = |key: &str| task.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
            let mut answers = list("annotations");
            let all = answers.len();
            answers.retain(|answer| answer.get("was_cancelled") != Some(&Value::Bool(true)));
            if answers.is_empty() && all == 0 {
                answers = list("predictions");
            }
            match answers.as_slice() {
                [] => {
                    self.passed_over += 1;
                    continue;
                }
                [answer] => {
                    for item in answer.get("result").and_then(Value::as_array).into_iter().flatten() {
                        match item.get("value").filter(|value| value.get("labels").is_some()) {
                            Some(value) => spans.extend(studio_spans(value).ok_or_else(|| unfit(&place))?),
                            None => self.left_out += 1,
                        }
                    }
                }
                several => {
                    return Err(Error::input(format!(
                        "{place} has {} annotations; export the one that is final",
                        several.len()
                    )));
                }
            }
            self.push_studio(id, text, spans)?;
        }
        Ok(())
    }

    /// Label Studio counts as browsers do; other programs that write its format count characters.
    fn push_studio(
        &mut self,
        id: String,
        text: &str,
        spans: Vec<(Tag, Option<String>)>,
    ) -> Result<(), Error> {
        let fits = |offsets: Offsets| {
            let table = boundaries(text, offsets);
            let chars: Vec<char> = text.chars().collect();
            spans.iter().all(|(tag, said)| {
                let at = table.binary_search(&tag.start).ok().zip(table.binary_search(&tag.end).ok());
                let whole =
                    at.and_then(|(start, end)| Some(chars.get(start..end)?.iter().collect::<String>()));
                whole.is_some_and(|whole| said.as_ref().is_none_or(|said| *said == whole))
            })
        };
        let offsets = [Offsets::Utf16, Offsets::CodePoints].into_iter().find(|offsets| fits(*offsets));
        let offsets = offsets
            .ok_or_else(|| Error::input(format!("a span of document `{id}` is not where its text is")))?;
        self.push(id, text, spans.into_iter().map(|(tag, _)| tag).collect(), offsets)
    }

    fn push(&mut self, id: String, text: &str, spans: Vec<Tag>, offsets: Offsets) -> Result<(), Error> {
        let table = boundaries(text, offsets);
        let mut placed = Vec::with_capacity(spans.len());
        for tag in spans {
            let place = table.binary_search(&tag.start).ok().zip(table.binary_search(&tag.end).ok());
            let (start, end) = place.filter(|(start, end)| start < end).ok_or_else(|| {
                Error::input(format!(
                    "span {}..{} of document `{id}` does not lie in its text",
                    tag.start, tag.end
                ))
            })?;
            placed.push(Tag::new(start, end, tag.label));
        }
        placed.sort();
        self.docs.push(Doc { id, text: Some(text.to_owned()), spans: placed });
        Ok(())
    }

    /// A token first and its label last on each line, IOB or IOB2; a blank line ends a sentence.
    fn conll(&mut self, name: &str, content: &str) -> Result<(), Error> {
        let mut open: Option<Tokens> = None;
        let mut count = 0;
        for (i, line) in content.lines().enumerate() {
            if line.starts_with("-DOCSTART-") {
                self.docs.extend(open.take().map(Tokens::finish));
                count += 1;
                let id = line.trim_start_matches("-DOCSTART-").trim();
                let id = id.strip_suffix(" O").unwrap_or(id).trim();
                let id = if id.is_empty() || id.contains("-X-") {
                    format!("{name}:{count}")
                } else {
                    id.to_owned()
                };
                open = Some(Tokens::new(id));
                continue;
            }
            if line.trim().is_empty() {
                open.iter_mut().for_each(Tokens::end_sentence);
                continue;
            }
            let (token, tag) = tagged(line)
                .ok_or_else(|| Error::input(format!("line {}: expected a token and its IOB label", i + 1)))?;
            open.get_or_insert_with(|| Tokens::new(name.to_owned())).push(token, tag);
        }
        self.docs.extend(open.map(Tokens::finish));
        Ok(())
    }
}

/// The token and the tag of a line.
fn tagged(line: &str) -> Option<(&str, &str)> {
    let (rest, tag) = line.trim_end().rsplit_once([' ', '\t'])?;
    let is_tag = tag == "O"
        || tag.starts_with("B-")
        || tag.starts_with("I-")
        || tag.starts_with("E-")
        || tag.starts_with("S-");
    // Columns between them are of other layers.
    let token = match rest.contains('\t') {
        true => rest.split('\t').next(),
        false => rest.split(' ').find(|part| !part.is_empty()),
    };
    token.filter(|token| is_tag && !token.is_empty()).map(|token| (token, tag))
}

/// A document as its tokens come.
struct Tokens {
    doc: Doc,
    text: String,
    length: usize,
    sentence_ended: bool,
    inside: bool,
}

impl Tokens {
    fn new(id: String) -> Tokens {
        let doc = Doc { id, ..Doc::default() };
        Tokens { doc, text: String::new(), length: 0, sentence_ended: false, inside: false }
    }

    fn end_sentence(&mut self) {
        self.sentence_ended = self.length > 0;
    }

    fn push(&mut self, token: &str, tag: &str) {
        if self.length > 0 {
            self.text.push(if self.sentence_ended { '\n' } else { ' ' });
            self.length += 1;
        }
        self.sentence_ended = false;
        let start = self.length;
        self.text.push_str(token);
        self.length += token.chars().count();
        let Some((mark, label)) = tag.split_once('-') else {
            self.inside = false;
            return;
        };
        let last = self
            .doc
            .spans
            .last_mut()
            .filter(|last| self.inside && matches!(mark, "I" | "E") && last.label == label);
        match last {
            Some(last) => last.end = self.length,
            None => self.doc.spans.push(Tag::new(start, self.length, label)),
        }
        self.inside = matches!(mark, "B" | "I");
    }

    fn finish(mut self) -> Doc {
        self.doc.text = Some(self.text + "\n");
        self.doc
    }
}

fn prodigy_spans(object: &Map<String, Value>) -> Option<Vec<Tag>> {
    let Some(spans) = object.get("spans") else { return Some(Vec::new()) };
    let span = |span: &Value| {
        Some(Tag::new(number(&span["start"])?, number(&span["end"])?, span["label"].as_str()?))
    };
    spans.as_array()?.iter().map(span).collect()
}

/// `label` or `labels` as lists, or `entities` as objects.
fn doccano_spans(object: &Map<String, Value>) -> Option<Vec<Tag>> {
    let list =
        |span: &Value| Some(Tag::new(number(span.get(0)?)?, number(span.get(1)?)?, span.get(2)?.as_str()?));
    let entity = |span: &Value| {
        Some(Tag::new(number(&span["start_offset"])?, number(&span["end_offset"])?, span["label"].as_str()?))
    };
    match object.get("label").or(object.get("labels")) {
        Some(spans) => spans.as_array()?.iter().map(list).collect(),
        None => object.get("entities")?.as_array()?.iter().map(entity).collect(),
    }
}

/// Each label of a stretch with the text it says it covers.
fn studio_spans(value: &Value) -> Option<Vec<(Tag, Option<String>)>> {
    let (start, end) = (number(&value["start"])?, number(&value["end"])?);
    let said = value.get("text").and_then(Value::as_str).map(str::to_owned);
    let labels = value.get("labels")?.as_array()?.iter().map(Value::as_str);
    labels.map(|label| Some((Tag::new(start, end, label?), said.clone()))).collect()
}
