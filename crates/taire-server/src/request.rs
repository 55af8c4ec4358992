//! What clients choose in the query string. What is unknown or comes twice is refused, in words that quote nothing.
//! Bodies are read by [`taire_formats::RequestParser`].

use taire_formats::Offsets;
use taire_text::Language;
use taire_text::scheme::Scheme;

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
            let (key, value) = (percent_decoded(key)?, percent_decoded(value)?);
            let value = value.as_str();
            let Some(&key) = keys.iter().find(|k| **k == key) else {
                let known = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
                return Err(Problem::BadQuery(format!("unknown query parameter; known: {known}")));
            };
            if seen.contains(&key) {
                return Err(Problem::BadQuery(format!("duplicate query parameter `{key}`")));
            }
            seen.push(key);
            let wrong = |known: &str| Problem::BadQuery(format!("query parameter `{key}` must be {known}"));
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

/// A key or value of a query string as it was before it was escaped: `%66r` is `fr`, `+` is a space.
fn percent_decoded(text: &str) -> Result<String, Problem> {
    let wrong = || Problem::BadQuery("the query string is not percent-encoded UTF-8".into());
    let digit = |byte: Option<u8>| byte.and_then(|b| char::from(b).to_digit(16)).ok_or_else(wrong);
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => (digit(bytes.next())? * 16 + digit(bytes.next())?) as u8,
            byte => byte,
        });
    }
    String::from_utf8(decoded).map_err(|_| wrong())
}

/// `None` for a name that is none; `Some(None)` for each document's own.
fn language(name: &str) -> Option<Option<Language>> {
    match name {
        "auto" => Some(None),
        name => name.parse().ok().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_formats::RequestParser;

    #[test]
    fn errors_in_request_bodies_quote_nothing() {
        let parse = |body: &[u8]| RequestParser::default().parse(body);
        for (body, says) in [
            (r#"{"text":"Durand""#, "cut short"),
            (r#"{"text":"Durand"} Durand"#, "line 1, column"),
            (r#"["Durand"]"#, "not a JSON object"),
            (r#"{"text":["Durand"]}"#, "`text` must hold a string"),
            (r#"{"txt":"Durand"}"#, "known: text, id"),
            (r#"{"text":"Durand","Durand":1}"#, "known: text, id"),
            (r#"{"text":"Durand","text":"a"}"#, "duplicate key `text`"),
            (r#"{"id":"a"}"#, "`text` is missing"),
            (r#"{"text":"a","lang":"Durand"}"#, "fr, es or auto"),
            (r#"{"text":"a","date":"Durand"}"#, "a date such as"),
            (r#"{"text":"a","patient":1.5}"#, "a whole number"),
            (r#"{"text":"a","known":{"Durand":"a"}}"#, "known identity"),
            (r#"{"text":"a","known":{"sex":"Durand"}}"#, "`sex` must be F or M"),
            (r#"{"text":"\ud800"}"#, "not valid JSON"),
        ] {
            let message = parse(body.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(says) && !message.contains("Durand"), "{message}");
        }
        assert!(parse(b"{\"text\":\"\xff\"}").is_err());
        assert_eq!(parse(br#"{"text":"","id":843.0}"#).unwrap().document.id, "843");
        assert!(!format!("{:?}", parse(br#"{"text":"Durand"}"#).unwrap()).contains("Durand"));
    }

    #[test]
    fn query_strings_are_percent_decoded() {
        let ask = Ask::parse(Some("polic%79=%66r&lang=%65s"), &["policy", "lang"]).unwrap();
        assert_eq!((ask.policy.as_deref(), ask.lang), (Some("fr"), Some(Language::Es)));
        for query in ["policy=%6", "policy=%zz", "policy=%ff", "policy=fr&%70olicy=fr"] {
            assert!(Ask::parse(Some(query), &["policy"]).is_err(), "{query}");
        }
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
