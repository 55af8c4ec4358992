//! What clients send: one JSON object a document, and a few choices in the query string. Whatever is not known, stands
//! twice or has the wrong type is refused, in words that quote nothing.

use std::fmt;
use std::sync::Arc;

use jiff::civil::Date;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use taire_formats::{Offsets, known_from_json, read_date};
use taire_text::scheme::Scheme;
use taire_text::{KnownIdentity, Language};

use crate::keys::Scope;
use crate::problem::Problem;

/// What to do with documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    Detect,
    Deid,
}

impl Task {
    pub(crate) const ALL: &'static [Task] = &[Task::Detect, Task::Deid];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Task::Detect => "detect",
            Task::Deid => "deid",
        }
    }

    pub(crate) fn scope(self) -> Scope {
        match self {
            Task::Detect => Scope::Detect,
            Task::Deid => Scope::Deid,
        }
    }
}

/// The name of a unit of offsets, in queries and answers.
pub(crate) fn unit(offsets: Offsets) -> &'static str {
    match offsets {
        Offsets::CodePoints => "codepoints",
        Offsets::Bytes => "bytes",
        Offsets::Utf16 => "utf16",
    }
}

/// The choices of a request that hold for all its documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) task: Option<Task>,
    pub(crate) offsets: Offsets,
    pub(crate) scheme: Option<Scheme>,
    /// For documents of a batch that name none.
    pub(crate) policy: Option<String>,
    pub(crate) lang: Option<Language>,
}

impl Ask {
    /// Reads a query string; `keys` are those this path knows.
    pub(crate) fn parse(query: Option<&str>, keys: &[&str]) -> Result<Self, Problem> {
        let mut ask = Ask::default();
        let mut seen = Vec::new();
        for pair in query.unwrap_or_default().split('&').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let Some(&key) = keys.iter().find(|k| **k == key) else {
                let known = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
                return Err(Problem::BadQuery(format!("unknown query parameter; known: {known}")));
            };
            if seen.contains(&key) {
                return Err(Problem::BadQuery(format!("query parameter `{key}` stands twice")));
            }
            seen.push(key);
            let wrong = |known: &str| Problem::BadQuery(format!("query parameter `{key}` takes {known}"));
            match key {
                "task" => match Task::ALL.iter().find(|t| t.name() == value) {
                    Some(&task) => ask.task = Some(task),
                    None => return Err(wrong("detect or deid")),
                },
                "offsets" => {
                    let units = [Offsets::CodePoints, Offsets::Bytes, Offsets::Utf16];
                    let found = units.into_iter().find(|&u| unit(u) == value);
                    ask.offsets = found.ok_or_else(|| wrong("codepoints, bytes or utf16"))?;
                }
                "scheme" => {
                    let known = || Scheme::ALL.iter().map(|s| s.key()).collect::<Vec<_>>().join(", ");
                    let found = Scheme::ALL.iter().copied().find(|s| s.key() == value);
                    ask.scheme = Some(found.ok_or_else(|| wrong(&format!("one of {}", known())))?);
                }
                "policy" => ask.policy = Some(value.to_owned()),
                _ => ask.lang = language(value).ok_or_else(|| wrong("fr, es or auto"))?,
            }
        }
        Ok(ask)
    }
}

/// `None` for a name that is none; `Some(None)` for each document's own.
fn language(name: &str) -> Option<Option<Language>> {
    match name {
        "auto" => Some(None),
        name => name.parse().ok().map(Some),
    }
}

/// One document to treat.
#[derive(Default)]
pub(crate) struct Document {
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    pub(crate) lang: Option<Language>,
    pub(crate) policy: Option<String>,
    pub(crate) patient: Option<String>,
    pub(crate) date: Option<Date>,
    pub(crate) known: Option<Arc<KnownIdentity>>,
    /// Whether these were sent, if only as null.
    pub(crate) has_patient: bool,
    pub(crate) has_date: bool,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({} bytes)", self.text.len())
    }
}

const KEYS: &str = "text, id, lang, policy, patient, date, known";

impl Document {
    /// Reads one object.
    pub(crate) fn parse(json: &[u8]) -> Result<Self, Problem> {
        let object: Object = serde_json::from_slice(json).map_err(|error| {
            Problem::BadJson(match error.classify() {
                Category::Eof => "the JSON object is cut short".into(),
                Category::Data => "this is not a JSON object".into(),
                _ => format!("this is not valid JSON at line {}, column {}", error.line(), error.column()),
            })
        })?;
        let mut document = Document::default();
        let mut seen: Vec<&'static str> = Vec::new();
        for (key, value) in object.0 {
            let Some(key) = KEYS.split(", ").find(|k| *k == key) else {
                return Err(Problem::BadJson(format!("there is a key that is not known; known: {KEYS}")));
            };
            if seen.contains(&key) {
                return Err(Problem::BadJson(format!("key `{key}` stands twice")));
            }
            seen.push(key);
            document.set(key, value)?;
        }
        if !seen.contains(&"text") {
            return Err(Problem::BadJson("key `text` is missing".into()));
        }
        Ok(document)
    }

    fn set(&mut self, key: &'static str, value: Value) -> Result<(), Problem> {
        let wrong = |takes: &str| Problem::BadJson(format!("key `{key}` takes {takes}"));
        match key {
            "patient" => self.has_patient = true,
            "date" => self.has_date = true,
            _ => {}
        }
        match (key, value) {
            ("text", Value::String(text)) => self.text = text,
            ("text", _) => return Err(wrong("a string")),
            (_, Value::Null) => {}
            ("id" | "patient", value) => {
                let text = match value {
                    Value::String(text) => text,
                    Value::Number(n) if !n.is_f64() => n.to_string(),
                    // 843.0 is a whole number too, as JSON sees it.
                    Value::Number(n) => {
                        match n.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 2f64.powi(53)) {
                            Some(whole) => (whole as i64).to_string(),
                            None => return Err(wrong("a string or a whole number")),
                        }
                    }
                    _ => return Err(wrong("a string or a whole number")),
                };
                let text = Some(text).filter(|t| !t.is_empty());
                if key == "id" { self.id = text } else { self.patient = text }
            }
            ("policy", Value::String(name)) => self.policy = Some(name),
            ("policy", _) => return Err(wrong("a string")),
            ("lang", Value::String(name)) => {
                self.lang = language(&name).ok_or_else(|| wrong("fr, es or auto"))?;
            }
            ("lang", _) => return Err(wrong("fr, es or auto")),
            ("date", Value::String(text)) => {
                self.date = Some(read_date(&text).ok_or_else(|| wrong("a date such as 2020-02-12"))?);
            }
            ("date", _) => return Err(wrong("a date such as 2020-02-12")),
            (_, value) => match known_from_json(&value) {
                Ok(known) => self.known = (!known.is_empty()).then(|| Arc::new(known)),
                Err(problem) if problem.why.starts_with("is not a key") => {
                    return Err(Problem::BadJson("known identity: there is a key that is not known".into()));
                }
                Err(problem) => return Err(Problem::BadJson(format!("known identity: {problem}"))),
            },
        }
        Ok(())
    }
}

/// The pairs of an object, in order, repeated keys too.
struct Object(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Object;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Object(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_bodies_are_told_without_quoting() {
        for (body, says) in [
            (r#"{"text":"Durand""#, "cut short"),
            (r#"{"text":"Durand"} Durand"#, "line 1, column"),
            (r#"["Durand"]"#, "not a JSON object"),
            (r#"{"text":["Durand"]}"#, "`text` takes a string"),
            (r#"{"txt":"Durand"}"#, "known: text, id"),
            (r#"{"text":"Durand","Durand":1}"#, "known: text, id"),
            (r#"{"text":"Durand","text":"a"}"#, "`text` stands twice"),
            (r#"{"id":"a"}"#, "`text` is missing"),
            (r#"{"text":"a","lang":"Durand"}"#, "fr, es or auto"),
            (r#"{"text":"a","date":"Durand"}"#, "a date such as"),
            (r#"{"text":"a","patient":1.5}"#, "a whole number"),
            (r#"{"text":"a","known":{"Durand":"a"}}"#, "known identity"),
            (r#"{"text":"a","known":{"sex":"Durand"}}"#, "`sex` must be F or M"),
            (r#"{"text":"\ud800"}"#, "not valid JSON"),
        ] {
            let problem = Document::parse(body.as_bytes()).unwrap_err();
            let told = problem.message();
            assert!(told.contains(says) && !told.contains("Durand"), "{told}");
            assert_eq!(problem.status(), 400);
        }
        assert!(Document::parse(b"{\"text\":\"\xff\"}").is_err());
        assert_eq!(Document::parse(br#"{"text":"","id":843.0}"#).unwrap().id.as_deref(), Some("843"));
        assert!(!format!("{:?}", Document::parse(br#"{"text":"Durand"}"#).unwrap()).contains("Durand"));
    }

    #[test]
    fn queries_know_their_keys() {
        let keys = ["task", "offsets", "scheme", "policy", "lang"];
        let ask = Ask::parse(Some("task=detect&offsets=utf16&scheme=meddocan&lang=es"), &keys).unwrap();
        assert_eq!((ask.task, ask.offsets), (Some(Task::Detect), Offsets::Utf16));
        assert_eq!((ask.scheme, ask.lang), (Some(Scheme::Meddocan), Some(Language::Es)));
        assert_eq!(Ask::parse(None, &[]).unwrap(), Ask::default());
        for query in ["offsets=x", "ofsets=bytes", "offsets=bytes&offsets=bytes", "task", "lang=de"] {
            assert!(Ask::parse(Some(query), &keys).is_err(), "{query}");
        }
    }
}
