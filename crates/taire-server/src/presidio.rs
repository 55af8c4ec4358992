//! Presidio's API, for gateways that use it: `/analyze`, `/anonymize`, `/supportedentities`.
//!
//! The shapes are those of presidio-analyzer and presidio-anonymizer 2.2. Offsets count code points. A request that
//! cannot be met in full is refused: a text whose offsets would not be those of the text that was sent, a
//! recogniser of the client's own, an operator that is not known, a span outside the text.

use std::ops::Range;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use taire::{SecretKey, text_id};
use taire_formats::{Offsets, from_bytes};
use taire_text::CancelFlag;
use taire_text::{Label, Language};

use crate::problem::Problem;
use crate::treat::{Answer, Offers};

/// Presidio's name for a label, or a name of the same form where it has none.
pub(crate) fn entity_type(label: Label) -> &'static str {
    use Label::*;
    match label {
        GivenName | FamilyName | Initials => "PERSON",
        Date | BirthDate | RelativeDate => "DATE_TIME",
        Age => "AGE",
        Street | PostalCode | City | Region | Country => "LOCATION",
        Hospital | HealthCentre | Institution => "ORGANIZATION",
        Phone | Fax => "PHONE_NUMBER",
        Email => "EMAIL_ADDRESS",
        Url => "URL",
        IpAddress => "IP_ADDRESS",
        ProfessionalLicence => "MEDICAL_LICENSE",
        PatientId | VisitId | SocialSecurity | HealthPlan | EmployeeId | AccountNumber | VehicleId
        | DeviceId | OtherId => "ID",
        Sex => "GENDER",
        Kinship => "KINSHIP",
        Profession => "PROFESSION",
        OtherDetail => "OTHER_DETAIL",
    }
}

/// Every entity type, once, by name.
pub(crate) fn supported() -> Vec<&'static str> {
    let mut names: Vec<_> = Label::ALL.iter().map(|label| entity_type(*label)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

/// A request to analyze. Keys that only widen what is reported or explain it may be passed over.
#[derive(Deserialize)]
struct Analyze {
    text: Texts,
    language: String,
    entities: Option<Vec<String>>,
    score_threshold: Option<f32>,
    ad_hoc_recognizers: Option<Vec<Value>>,
}

fn bad(what: &str) -> Problem {
    Problem::BadJson(what.to_owned())
}

/// What identifies people in a text, or in each of a list.
pub(crate) fn analyze(offers: &Offers, body: &[u8], cancel: &CancelFlag) -> Result<Answer, Problem> {
    let asked: Analyze = serde_json::from_slice(body).map_err(|_| {
        bad("this is not valid: send {\"text\": string or list, \"language\": \"fr\" or \"es\"}")
    })?;
    let language: Language =
        asked.language.parse().map_err(|_| bad("`language` must be fr or es: no other is searched"))?;
    if asked.ad_hoc_recognizers.is_some_and(|r| !r.is_empty()) {
        return Err(bad("`ad_hoc_recognizers` are not run here; leave them out and find these by yourself"));
    }
    let wanted = asked.entities.unwrap_or_default();
    if wanted.iter().any(|name| !supported().contains(&name.as_str())) {
        return Err(bad("`entities` names a type that is not searched for; see /supportedentities"));
    }
    let threshold = asked.score_threshold.unwrap_or(0.0);
    let mut answer =
        Answer { json: Vec::new(), spans: vec![0; Label::ALL.len()], policy: None, names_of_patient: None };
    let mut one = |text: &str| -> Result<Value, Problem> {
        let (found, policy) = offers.search(text, language, cancel)?;
        answer.policy = Some(policy);
        let mut out = Vec::new();
        for entity in &found {
            answer.spans[entity.label.index()] += 1;
        }
        let bytes: Vec<usize> = found.iter().flat_map(|e| [e.span.start(), e.span.end()]).collect();
        let points = from_bytes(text, Offsets::CodePoints, &bytes);
        for (entity, at) in found.iter().zip(points.chunks_exact(2)) {
            let (kind, score) = (entity_type(entity.label), entity.score.get());
            let asked_for = wanted.is_empty() || wanted.iter().any(|name| name == kind);
            if asked_for && score >= threshold {
                out.push(json!({
                    "entity_type": kind, "start": at[0], "end": at[1],
                    "score": f64::from((score * 1e4).round()) / 1e4,
                    "analysis_explanation": null,
                    "recognition_metadata": {"recognizer_name": "taire"},
                    "label": entity.label.name(), "role": entity.role.name(),
                }));
            }
        }
        Ok(Value::Array(out))
    };
    let found = match &asked.text {
        Texts::One(text) => one(text)?,
        Texts::Many(texts) => Value::Array(texts.iter().map(|text| one(text)).collect::<Result<_, _>>()?),
    };
    answer.json = found.to_string().into_bytes();
    Ok(answer)
}

#[derive(Deserialize)]
struct Anonymize {
    text: String,
    #[serde(default)]
    anonymizers: Map<String, Value>,
    analyzer_results: Vec<AnalyzerResult>,
}

/// A result of an analyzer, Taire's or another's.
#[derive(Deserialize, Clone)]
struct AnalyzerResult {
    start: usize,
    end: usize,
    #[serde(default)]
    score: f32,
    entity_type: String,
}

/// What is written in place of an entity.
enum Operator {
    Replace(Option<String>),
    Redact,
    Mask { with: char, count: usize, from_end: bool },
    Hash,
    Keep,
}

impl Operator {
    fn parse(value: &Value) -> Result<Operator, Problem> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        match text("type") {
            Some("replace") => Ok(Operator::Replace(text("new_value").map(str::to_owned))),
            Some("redact") => Ok(Operator::Redact),
            Some("keep") => Ok(Operator::Keep),
            Some("hash") => Ok(Operator::Hash),
            Some("mask") => {
                let mut with = text("masking_char").unwrap_or_default().chars();
                let count = value.get("chars_to_mask").and_then(Value::as_u64);
                match (with.next(), with.next(), count) {
                    (Some(with), None, Some(count)) => Ok(Operator::Mask {
                        with,
                        count: usize::try_from(count).unwrap_or(usize::MAX),
                        from_end: value.get("from_end").and_then(Value::as_bool).unwrap_or(false),
                    }),
                    _ => {
                        Err(bad("`mask` needs `masking_char`, one character, and `chars_to_mask`, a number"))
                    }
                }
            }
            _ => Err(bad("an anonymizer is not known; known: replace, redact, mask, hash, keep")),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Operator::Replace(_) => "replace",
            Operator::Redact => "redact",
            Operator::Mask { .. } => "mask",
            Operator::Hash => "hash",
            Operator::Keep => "keep",
        }
    }

    fn apply(&self, text: &str, entity_type: &str, key: &SecretKey) -> Result<String, Problem> {
        Ok(match self {
            Operator::Replace(Some(new)) => new.clone(),
            Operator::Replace(None) => format!("<{entity_type}>"),
            Operator::Redact => String::new(),
            Operator::Keep => text.to_owned(),
            // Under the key: a bare digest of a name can be guessed from a list of names.
            Operator::Hash => text_id(key, text).map_err(|_| Problem::Fault)?,
            Operator::Mask { with, count, from_end } => {
                let length = text.chars().count();
                let masked = |i: usize| if *from_end { i + count >= length } else { i < *count };
                text.chars().enumerate().map(|(i, c)| if masked(i) { *with } else { c }).collect()
            }
        })
    }
}

/// Replaces what an analyzer found.
pub(crate) fn anonymize(key: &SecretKey, body: &[u8]) -> Result<Answer, Problem> {
    let asked: Anonymize = serde_json::from_slice(body)
        .map_err(|_| bad("this is not valid: send {\"text\", \"analyzer_results\", \"anonymizers\"?}"))?;
    let mut operators = Vec::new();
    for (name, value) in &asked.anonymizers {
        operators.push((name.as_str(), Operator::parse(value)?));
    }
    let default = Operator::Replace(None);
    let operator = |kind: &str| {
        let named = |name: &str| operators.iter().find(|(n, _)| *n == name).map(|(_, operator)| operator);
        named(kind).or_else(|| named("DEFAULT")).unwrap_or(&default)
    };
    let spans = merged(&asked.text, asked.analyzer_results)?;
    let (mut text, mut items, mut from) = (String::new(), Vec::new(), 0);
    for (range, kind) in spans {
        text.push_str(&asked.text[from..range.start]);
        let start = text.chars().count();
        let operator = operator(&kind);
        let new = operator.apply(&asked.text[range.clone()], &kind, key)?;
        text.push_str(&new);
        let end = start + new.chars().count();
        items.push(json!({
            "start": start, "end": end, "entity_type": kind, "text": new, "operator": operator.name(),
        }));
        from = range.end;
    }
    text.push_str(&asked.text[from..]);
    // Presidio gives them from the end of the text.
    items.reverse();
    let spans = vec![0; Label::ALL.len()];
    let json = json!({"text": text, "items": items}).to_string().into_bytes();
    Ok(Answer { json, spans, policy: None, names_of_patient: None })
}

/// The results as disjoint byte ranges, in order. Those that overlap are replaced as one, under the type with the highest score;
/// so are those of one type with only blanks between them, as Presidio does.
fn merged(text: &str, mut found: Vec<AnalyzerResult>) -> Result<Vec<(Range<usize>, String)>, Problem> {
    let length = text.chars().count();
    if found.iter().any(|f| f.start > f.end || f.end > length) {
        return Err(Problem::Refused(
            "an analyzer result lies outside the text; nothing was anonymized".into(),
        ));
    }
    found.retain(|f| f.start < f.end);
    found.sort_by(|a, b| (a.start, b.end).cmp(&(b.start, a.end)));
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let bytes: Vec<usize> = found.iter().flat_map(|f| [starts[f.start], starts[f.end]]).collect();
    let mut out: Vec<(Range<usize>, AnalyzerResult)> = Vec::new();
    for (next, at) in found.into_iter().zip(bytes.chunks_exact(2)) {
        if let Some((range, last)) = out.last_mut() {
            let overlaps = at[0] < range.end;
            let between = text.get(range.end..at[0]).unwrap_or_default();
            let joined = last.entity_type == next.entity_type && between.chars().all(char::is_whitespace);
            if overlaps || joined {
                range.end = range.end.max(at[1]);
                if next.score > last.score {
                    *last = next;
                }
                continue;
            }
        }
        out.push((at[0]..at[1], next));
    }
    Ok(out.into_iter().map(|(range, found)| (range, found.entity_type)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> SecretKey {
        SecretKey::from_bytes(&[7; 32]).unwrap()
    }

    fn anonymized(body: Value) -> Value {
        let answer = anonymize(&key(), body.to_string().as_bytes()).map_err(|p| p.message()).unwrap();
        serde_json::from_slice(&answer.json).unwrap()
    }

    /// The example of Presidio's own documentation, in its shapes.
    #[test]
    fn operators_write_what_presidio_writes() {
        let body = json!({
            "text": "hello world, my name is Zoé Doe. My number is: 034453334",
            "anonymizers": {
                "DEFAULT": {"type": "replace", "new_value": "ANONYMIZED"},
                "PHONE_NUMBER": {"type": "mask", "masking_char": "*", "chars_to_mask": 4, "from_end": true}
            },
            "analyzer_results": [
                {"start": 24, "end": 31, "score": 0.8, "entity_type": "NAME"},
                {"start": 24, "end": 27, "score": 0.8, "entity_type": "FIRST_NAME"},
                {"start": 47, "end": 56, "score": 0.95, "entity_type": "PHONE_NUMBER"}
            ]
        });
        let answer = anonymized(body);
        assert_eq!(answer["text"], "hello world, my name is ANONYMIZED. My number is: 03445****");
        assert_eq!(answer["items"][0]["entity_type"], "PHONE_NUMBER");
        assert_eq!(
            answer["items"][1],
            json!({"start": 24, "end": 34, "entity_type": "NAME", "text": "ANONYMIZED", "operator": "replace"})
        );
    }

    #[test]
    fn without_anonymizers_types_stand_for_names_and_neighbours_join() {
        let found = |start, end| json!({"start": start, "end": end, "score": 0.9, "entity_type": "PERSON"});
        let answer =
            anonymized(json!({"text": "Mme Zoé DURAND va", "analyzer_results": [found(4, 7), found(8, 14)]}));
        assert_eq!(answer["text"], "Mme <PERSON> va");
        let hashed = |text: &str| {
            let end = text.chars().count();
            anonymized(
                json!({"text": text, "anonymizers": {"DEFAULT": {"type": "hash"}}, "analyzer_results": [found(0, end)]}),
            )
        };
        assert_eq!(hashed("Zoé")["text"], hashed("Zoé")["text"]);
        assert_ne!(hashed("Zoé")["text"], hashed("Zoe")["text"]);
    }

    #[test]
    fn what_cannot_be_done_as_asked_is_refused() {
        let found = json!([{"start": 0, "end": 6, "score": 1.0, "entity_type": "PERSON"}]);
        let beyond = json!([{"start": 0, "end": 7, "score": 1.0, "entity_type": "PERSON"}]);
        for (body, status) in [
            (json!({"text": "Durand"}), 400),
            (json!({"text": "Durand", "analyzer_results": null}), 400),
            (
                json!({"text": "Durand", "analyzer_results": [{"start": -1, "end": 6, "entity_type": "A"}]}),
                400,
            ),
            (json!({"text": "Durand", "analyzer_results": beyond}), 422),
            (
                json!({"text": "Durand", "analyzer_results": found, "anonymizers": {"DEFAULT": {"type": "encrypt"}}}),
                400,
            ),
            (
                json!({"text": "Durand", "analyzer_results": found, "anonymizers": {"DEFAULT": {"type": "mask"}}}),
                400,
            ),
        ] {
            let problem = anonymize(&key(), body.to_string().as_bytes()).err().expect("refused");
            assert_eq!(problem.status(), status, "{body}");
            assert!(!problem.message().contains("Durand"));
        }
    }
}
