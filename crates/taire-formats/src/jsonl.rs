//! Reading JSON documents: one object per line, one file with an object or an array of objects, or the body of a
//! request. Writing them is `json_write`'s.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use jiff::civil::Date;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use taire_text::{KnownIdentity, Language, PatientId, Role};

use crate::Reason;
use crate::date::{self, DateShape};
use crate::document::{Slot, Spot, is_trimmed};
use crate::offsets::to_bytes;
use crate::{Document, Error, FinalSpan, GoldSpan, Offsets, Place, ReadOptions, identity};

/// Which keys of an object mean what.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub(crate) text: String,
    pub(crate) id: String,
    pub(crate) patient: String,
    pub(crate) date: String,
    pub(crate) visit: Option<String>,
    pub(crate) kept: Vec<String>,
    gold: bool,
    patients_only: bool,
    /// Whatever is not known is an error, and messages name no key of the input.
    strict: bool,
}

impl Keys {
    pub(crate) fn new(options: &ReadOptions) -> Result<Self, Error> {
        let name = |given: &Option<String>, usual: &str| given.clone().unwrap_or_else(|| usual.to_owned());
        if let Some(key) = options.keep_columns.iter().find(|k| matches!(k.as_str(), "known" | "spans")) {
            return Err(Error::usage(format!("`{key}` describes the original text and cannot be kept")));
        }
        Ok(Keys {
            text: name(&options.text_column, "text"),
            id: name(&options.id_column, "id"),
            patient: name(&options.patient_column, "patient"),
            date: name(&options.date_column, "date"),
            visit: options.visit_column.clone().or_else(|| {
                let passed = options.keep_columns.iter().any(|k| k == "visit");
                (!passed).then(|| "visit".to_owned())
            }),
            kept: options.keep_columns.clone(),
            gold: options.gold,
            patients_only: options.patients_only && options.patients.is_none(),
            strict: false,
        })
    }

    /// Whether only documents of a patient are asked for and this line surely has none: neither a key that tells one
    /// is written in it, nor an escape that could spell such a key.
    pub(crate) fn passes_over(&self, line: &[u8]) -> bool {
        let holds = |what: &[u8]| memchr::memmem::find(line, what).is_some();
        self.patients_only
            && !holds(format!("\"{}\"", self.patient).as_bytes())
            && !holds(b"\"known\"")
            && !holds(b"\\u")
    }

    fn role(&self, key: &str) -> Key {
        if key == self.text {
            Key::Text
        } else if key == self.id {
            Key::Id
        } else if key == self.patient {
            Key::Patient
        } else if key == self.date {
            Key::Date
        } else if self.visit.as_deref() == Some(key) {
            Key::Visit
        } else if key == "known" {
            Key::Known
        } else if self.strict {
            match key {
                "lang" => Key::Language,
                "policy" => Key::Policy,
                "spans" => Key::Spans,
                _ => Key::Unknown,
            }
        } else if key == "spans" {
            Key::Spans
        } else if let Some(i) = self.kept.iter().position(|k| k == key) {
            Key::Kept(i)
        } else if matches!(key, "lang" | "language") {
            Key::Language
        } else {
            Key::Unknown
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Text,
    Id,
    Patient,
    Visit,
    Date,
    Known,
    Spans,
    Language,
    /// Requests name their policy; files do not.
    Policy,
    Kept(usize),
    Unknown,
}

/// What one object said.
#[derive(Default)]
pub(crate) struct Parsed {
    pub(crate) id: Option<String>,
    text: Option<String>,
    patient: Option<PatientId>,
    visit: Option<String>,
    date: Option<Date>,
    language: Option<Language>,
    policy: Option<String>,
    pub(crate) known: Option<KnownIdentity>,
    gold: Vec<GoldSpan>,
    /// It had a list of spans, if only an empty one.
    has_spans: bool,
    slots: Vec<Slot>,
    pub(crate) unread_date: bool,
    /// Its patient id had blanks around it.
    pub(crate) trimmed_patient: bool,
}

impl Parsed {
    /// The document, with `id` for one that names itself not.
    pub(crate) fn into_document(self, id: impl FnOnce() -> String) -> Document {
        Document {
            named_by_place: self.id.is_none(),
            patient: self.patient,
            visit: self.visit,
            date: self.date,
            language: self.language,
            gold: self.gold,
            final_spans: None,
            place: Place(Spot::Json(self.slots)),
            ..Document::new(self.id.unwrap_or_else(id), self.text.unwrap_or_default())
        }
    }
}

/// Reads the JSON object of a request as a document, by the parser that reads the lines of a file. Unlike in a file,
/// whatever is not known, comes twice or has the wrong type is refused.
#[derive(Clone, Debug)]
pub struct RequestParser(Keys);

/// The keys of a request.
const REQUEST_KEYS: &str = "text, id, lang, policy, patient, visit, date, known, spans";

/// A document that came in a request.
#[derive(Debug)]
pub struct Request {
    /// Its id is empty where the request gave none.
    pub document: Document,
    /// The policy it asks for.
    pub policy: Option<String>,
    /// Whether the request has a `patient`, if only a null one.
    pub has_patient: bool,
    /// The same for `date`.
    pub has_date: bool,
    /// The same for `visit`.
    pub has_visit: bool,
}

impl Default for RequestParser {
    fn default() -> Self {
        RequestParser(Keys {
            text: "text".into(),
            id: "id".into(),
            patient: "patient".into(),
            date: "date".into(),
            visit: Some("visit".into()),
            kept: Vec::new(),
            gold: true,
            patients_only: false,
            strict: true,
        })
    }
}

impl RequestParser {
    /// Reads one object. The error quotes nothing of it.
    pub fn parse(&self, json: &[u8]) -> Result<Request, Error> {
        let json = simdutf8::basic::from_utf8(json)
            .map_err(|_| Error::usage("this is not valid JSON: it is not UTF-8"))?;
        let mut parsed = parse(json, &self.0, &mut BTreeSet::new()).map_err(Error::usage)?;
        let known = parsed.known.take().filter(|k| !k.is_empty());
        let policy = parsed.policy.take();
        let has = |wanted: fn(&Slot) -> bool| parsed.slots.iter().any(wanted);
        let has_patient = has(|slot| matches!(slot, Slot::Patient { .. }));
        let has_date = has(|slot| matches!(slot, Slot::Date(_)));
        let has_visit = has(|slot| matches!(slot, Slot::Visit { .. }));
        let settled = parsed.has_spans;
        let mut document = parsed.into_document(String::new);
        document.known = known.map(Arc::new);
        let gold = std::mem::take(&mut document.gold);
        document.final_spans = settled.then(|| final_spans(gold)).transpose()?;
        document.open_text().map_err(Error::refused)?;
        Ok(Request { document, policy, has_patient, has_date, has_visit })
    }
}

/// Names of keys that were left out, bounded in number and length.
pub(crate) fn note_dropped(dropped: &mut BTreeSet<String>, key: &str) {
    const MOST: usize = 200;
    const LONGEST: usize = 64;
    if !dropped.contains(key) && dropped.len() < MOST {
        dropped.insert(key.chars().take(LONGEST).collect());
    }
}

const A_DATE: &str = "must be a date such as 2020-02-12";

/// Reads one object. The error says what is wrong in words of its own: those of the parser quote the input.
pub(crate) fn parse(json: &str, keys: &Keys, dropped: &mut BTreeSet<String>) -> Result<Parsed, Reason> {
    let mut row = Row { keys, dropped, parsed: Parsed::default(), spans: None, problem: None };
    let mut parser = serde_json::Deserializer::from_str(json);
    let result = (&mut row).deserialize(&mut parser).and_then(|()| parser.end());
    if let Some(problem) = row.problem {
        return Err(problem.into());
    }
    if let Err(error) = result {
        return Err(match error.classify() {
            serde_json::error::Category::Eof => "the JSON object is cut short".into(),
            serde_json::error::Category::Data => "this is not a JSON object".into(),
            _ if keys.strict => {
                format!("this is not valid JSON at line {}, column {}", error.line(), error.column()).into()
            }
            _ => format!("this is not valid JSON at column {}", error.column()).into(),
        });
    }
    let Row { mut parsed, spans, .. } = row;
    let Some(text) = &parsed.text else {
        return Err(format!("key `{}` is missing", keys.text).into());
    };
    if let Some(spans) = spans {
        parsed.gold = gold(text, &spans)?;
        parsed.has_spans = !spans.is_null();
    }
    Ok(parsed)
}

struct Row<'a> {
    keys: &'a Keys,
    dropped: &'a mut BTreeSet<String>,
    parsed: Parsed,
    spans: Option<Value>,
    problem: Option<String>,
}

impl<'de> DeserializeSeed<'de> for &mut Row<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let stop = || de::Error::custom("refused");
        let mut seen = 0u32;
        while let Some(key) = map.next_key_seed(KeySeed { keys: self.keys, dropped: self.dropped })? {
            let (bit, name) = match key {
                Key::Text => (1, self.keys.text.as_str()),
                Key::Id => (2, self.keys.id.as_str()),
                Key::Patient => (4, self.keys.patient.as_str()),
                Key::Date => (8, self.keys.date.as_str()),
                Key::Visit => (256, self.keys.visit.as_deref().unwrap_or_default()),
                Key::Known => (16, "known"),
                Key::Spans => (32, "spans"),
                Key::Language => (u32::from(self.keys.strict) * 64, "lang"),
                Key::Policy => (128, "policy"),
                Key::Unknown if self.keys.strict => {
                    self.problem = Some(format!("there is a key that is not known; known: {REQUEST_KEYS}"));
                    return Err(stop());
                }
                Key::Kept(_) | Key::Unknown => (0, ""),
            };
            if seen & bit != 0 {
                self.problem = Some(format!("duplicate key `{name}`"));
                return Err(stop());
            }
            seen |= bit;
            let row = &mut self.parsed;
            match key {
                Key::Text => match map.next_value::<Scalar>()? {
                    Scalar::Text(text) => {
                        row.text = Some(text);
                        row.slots.push(Slot::Text);
                    }
                    _ => {
                        self.problem = Some(format!("key `{name}` must hold a string"));
                        return Err(stop());
                    }
                },
                Key::Id | Key::Patient | Key::Visit => {
                    let (value, quoted) = match map.next_value::<Scalar>()? {
                        Scalar::Text(text) => (Some(text), true),
                        Scalar::Integer(n) => (Some(n.to_string()), false),
                        Scalar::Null => (None, true),
                        Scalar::Other => {
                            self.problem = Some(format!("key `{name}` must hold a string or a whole number"));
                            return Err(stop());
                        }
                    };
                    match key {
                        Key::Id => {
                            row.slots.push(Slot::Id { quoted });
                            row.id = value.filter(|v| !v.is_empty());
                        }
                        Key::Visit => {
                            row.slots.push(Slot::Visit { quoted });
                            row.visit = value.filter(|v| !v.is_empty());
                        }
                        _ => {
                            row.slots.push(Slot::Patient { quoted });
                            row.patient = value.as_deref().and_then(PatientId::parse);
                            row.trimmed_patient = is_trimmed(row.patient.as_ref(), value.as_deref());
                        }
                    }
                }
                Key::Date => {
                    let shape = match map.next_value::<Scalar>()? {
                        Scalar::Text(text) if self.keys.strict && date::parse(&text).is_none() => {
                            self.problem = Some(format!("key `{name}` {A_DATE}"));
                            return Err(stop());
                        }
                        Scalar::Text(text) => {
                            let found = date::parse(&text);
                            row.unread_date = found.is_none() && !text.trim().is_empty();
                            row.date = found.map(|(date, _)| date);
                            found.map(|(_, shape)| shape).unwrap_or_default()
                        }
                        Scalar::Null => DateShape::Iso,
                        _ if self.keys.strict => {
                            self.problem = Some(format!("key `{name}` {A_DATE}"));
                            return Err(stop());
                        }
                        _ => {
                            row.unread_date = true;
                            DateShape::Iso
                        }
                    };
                    row.slots.push(Slot::Date(shape));
                }
                Key::Language if self.keys.strict => match map.next_value::<Scalar>()? {
                    Scalar::Null => {}
                    Scalar::Text(text) if text == "auto" => {}
                    Scalar::Text(text) if text.parse::<Language>().is_ok() => {
                        row.language = text.parse().ok();
                    }
                    _ => {
                        self.problem = Some("key `lang` must be fr, es or auto".into());
                        return Err(stop());
                    }
                },
                Key::Policy => match map.next_value::<Scalar>()? {
                    Scalar::Null => {}
                    Scalar::Text(policy) => row.policy = Some(policy),
                    _ => {
                        self.problem = Some(format!("key `{name}` must hold a string"));
                        return Err(stop());
                    }
                },
                Key::Language => {
                    if let Scalar::Text(text) = map.next_value::<Scalar>()? {
                        row.language = text.to_lowercase().parse().ok();
                        row.slots.push(Slot::Language);
                    }
                }
                Key::Known => match map.next_value::<Value>()? {
                    Value::Null => {}
                    value => match identity::known_from_json(&value) {
                        Ok(known) => row.known = Some(known),
                        Err(problem) => {
                            let why = match self.keys.strict {
                                true => problem.without_key(),
                                false => problem.to_string(),
                            };
                            self.problem = Some(format!("known identity: {why}"));
                            return Err(stop());
                        }
                    },
                },
                Key::Spans if self.keys.gold => self.spans = Some(map.next_value()?),
                Key::Kept(i) => {
                    let value: Box<RawValue> = map.next_value()?;
                    row.slots.push(Slot::Kept(i, value));
                }
                Key::Spans | Key::Unknown => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct KeySeed<'a> {
    keys: &'a Keys,
    dropped: &'a mut BTreeSet<String>,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Key;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        let role = self.keys.role(key);
        if role == Key::Unknown {
            note_dropped(self.dropped, key);
        }
        Ok(role)
    }
}

enum Scalar {
    Text(String),
    Integer(i128),
    Null,
    Other,
}

impl<'de> de::Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a number")
    }

    fn visit_str<E>(self, v: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(v.to_owned()))
    }

    fn visit_string<E>(self, v: String) -> Result<Scalar, E> {
        Ok(Scalar::Text(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(v.into()))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Scalar, E> {
        Ok(Scalar::Integer(v.into()))
    }

    /// 843.0 is a whole number too: tables with empty cells are often exported so.
    fn visit_f64<E>(self, v: f64) -> Result<Scalar, E> {
        let whole = v.fract() == 0.0 && v.abs() < 2f64.powi(53);
        Ok(if whole { Scalar::Integer(v as i128) } else { Scalar::Other })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Null)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

/// `[start, end, "LABEL"]` or `{"start", "end", "label", "role"?}`, in code points.
fn gold(text: &str, spans: &Value) -> Result<Vec<GoldSpan>, Reason> {
    let items = match spans {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) => items,
        _ => return Err("key `spans` must hold a list".into()),
    };
    let mut offsets = Vec::with_capacity(items.len() * 2);
    let mut labels = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let (start, end, label, role) = match item {
            Value::Array(parts) => (parts.first(), parts.get(1), parts.get(2), None),
            Value::Object(map) => (map.get("start"), map.get("end"), map.get("label"), map.get("role")),
            _ => (None, None, None, None),
        };
        let number = |v: Option<&Value>| v.and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let (Some(start), Some(end), Some(label)) =
            (number(start), number(end), label.and_then(Value::as_str))
        else {
            return Err(format!("span {} has no start, end and label", i + 1).into());
        };
        offsets.extend([start, end]);
        let role = role.and_then(Value::as_str).and_then(|r| r.parse::<Role>().ok());
        labels.push((label.to_owned(), role));
    }
    let bytes = to_bytes(text, Offsets::CodePoints, &offsets);
    let spans =
        labels.into_iter().enumerate().map(|(i, (label, role))| match (bytes[2 * i], bytes[2 * i + 1]) {
            (Some(start), Some(end)) if start <= end => Ok(GoldSpan { start, end, label, role }),
            _ => Err(Reason::from(format!("span {} lies outside the text", i + 1))),
        });
    spans.collect()
}

/// Final spans of a text in JSON, `[start, end, "LABEL"]` or `{"start", "end", "label", "role"?}`, in code points. The error
/// quotes nothing.
pub fn final_spans_from_json(text: &str, spans: &Value) -> Result<Vec<FinalSpan>, Error> {
    final_spans(gold(text, spans).map_err(Error::usage)?)
}

/// Spans of a request are final: they must be ours, hold something and not overlap. The error quotes nothing.
fn final_spans(gold: Vec<GoldSpan>) -> Result<Vec<FinalSpan>, Error> {
    let mut spans = Vec::with_capacity(gold.len());
    for (i, span) in gold.into_iter().enumerate() {
        let unknown = |_| Error::usage(format!("span {} has a label that is not one of Taire's", i + 1));
        let span = FinalSpan::try_from(span).map_err(unknown)?;
        if span.range.is_empty() {
            return Err(Error::usage(format!("span {} is empty", i + 1)));
        }
        spans.push(span);
    }
    spans.sort_by_key(|span| (span.range.start, span.range.end));
    match spans.windows(2).any(|pair| pair[1].range.start < pair[0].range.end) {
        true => Err(Error::usage("two spans overlap; spans are final and must be disjoint")),
        false => Ok(spans),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_write::push_in_kind;

    fn keys(options: &ReadOptions) -> Keys {
        Keys::new(options).unwrap()
    }

    #[test]
    fn lines_without_a_patient_are_passed_over_if_asked() {
        let plain = keys(&ReadOptions::default());
        let asked = keys(&ReadOptions { patients_only: true, ..Default::default() });
        let nobody = br#"{"id":"1","text":"le patient est connu (known)"}"#;
        assert!(asked.passes_over(nobody) && !plain.passes_over(nobody));
        for line in [
            &br#"{"id":"1","patient":"7","text":"a"}"#[..],
            br#"{"id":"1","text":"a","known":{"patient":"7"}}"#,
            br#"{"id":"1","\u0070atient":"7","text":"a"}"#,
        ] {
            assert!(!asked.passes_over(line));
        }
        let renamed =
            ReadOptions { patients_only: true, patient_column: Some("ipp".into()), ..Default::default() };
        assert!(!keys(&renamed).passes_over(br#"{"id":"1","ipp":"7","text":"a"}"#));
    }

    #[test]
    fn in_kind_replaces_and_leaves_out() {
        let options = ReadOptions { keep_columns: vec!["ward".into()], ..Default::default() };
        let keys = keys(&options);
        let mut dropped = BTreeSet::new();
        let line = r#"{"date":"12/02/2020","id":7,"phone":"06","text":"a\né","ward": {"n":1.50},"patient":12,"known":{"family_name":"X"},"spans":[[0,99,"A"]]}"#;
        let parsed = parse(line, &keys, &mut dropped).unwrap();
        assert!(parsed.known.is_some());
        let document = parsed.into_document(String::new);
        assert_eq!((document.id.as_str(), document.text.as_str()), ("7", "a\né"));
        let mut out = Vec::new();
        let date = Some(Date::constant(2019, 1, 2));
        let new = crate::NewFields { id: &document.id, patient: Some("99"), visit: None, date };
        push_in_kind(&mut out, &keys, &document, "b\"\u{1}", &new);
        let expected = r#"{"date":"02/01/2019","id":7,"text":"b\"\u0001","ward":{"n":1.50},"patient":99}"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        assert_eq!(dropped.into_iter().collect::<Vec<_>>(), ["phone"]);
    }

    #[test]
    fn a_value_without_surrogate_is_null() {
        let keys = keys(&ReadOptions::default());
        let line = r#"{"text":"t","patient":"P1","date":"2020-01-01"}"#;
        let document = parse(line, &keys, &mut BTreeSet::new()).unwrap().into_document(|| "f:1".into());
        let mut out = Vec::new();
        push_in_kind(
            &mut out,
            &keys,
            &document,
            "t",
            &crate::NewFields { id: &document.id, ..Default::default() },
        );
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"text":"t","patient":null,"date":null}"#);
    }

    #[test]
    fn bad_objects_are_told_without_quoting() {
        let keys = keys(&ReadOptions { gold: true, ..Default::default() });
        for (line, part) in [
            (r#"{"text": "Durand"#, "cut short"),
            (r#"{"text": "Durand"} Durand"#, "not valid JSON"),
            (r#"["Durand"]"#, "not a JSON object"),
            (r#""Durand""#, "not a JSON object"),
            (r#"{"text": ["Durand"]}"#, "`text` must hold a string"),
            (r#"{"txt": "Durand"}"#, "`text` is missing"),
            (r#"{"text": "a", "text": "Durand"}"#, "duplicate key `text`"),
            (r#"{"text": "Durand", "known": {"name": "Durand"}}"#, "`name`"),
            (r#"{"text": "Durand", "spans": [[0, 7, "A"]]}"#, "span 1 lies outside"),
            (r#"{"text": "Durand", "spans": [[4, 2, "A"]]}"#, "span 1 lies outside"),
            (r#"{"text": "Durand", "spans": [["Durand"]]}"#, "span 1 has no"),
        ] {
            let why = parse(line, &keys, &mut BTreeSet::new()).err().unwrap();
            assert!(why.to_string().contains(part) && !why.to_string().contains("Durand"), "{why}");
        }
    }

    #[test]
    fn gold_is_read_in_both_shapes() {
        let keys = keys(&ReadOptions { gold: true, ..Default::default() });
        let line = r#"{"text":"é Zoé","spans":[{"start":2,"end":5,"label":"GivenName","role":"Patient"},[0,1,"X"]]}"#;
        let document = parse(line, &keys, &mut BTreeSet::new()).unwrap().into_document(String::new);
        let slices: Vec<_> = document.gold.iter().map(|g| &document.text[g.start..g.end]).collect();
        assert_eq!(slices, ["Zoé", "é"]);
        assert_eq!(document.gold[0].role, Some(Role::Patient));
    }
}
