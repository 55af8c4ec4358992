//! JSON as a tree that keeps the order of keys and the digits of numbers.

use crate::Reason;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

const DEEPEST: usize = 64;
const MOST: usize = 1_000_000;

#[derive(Debug)]
pub(super) enum Node {
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    Text(String),
    /// A number, `true`, `false` or `null`, as written.
    Literal(String),
}

struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(pair) = map.next_entry::<String, &RawValue>()? {
                    members.push(pair);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// Reads a whole JSON text.
pub(super) fn parse(json: &str) -> Result<Node, Reason> {
    let raw: &RawValue = serde_json::from_str(json).map_err(|_| BAD)?;
    let mut left = MOST;
    node(raw.get(), 0, &mut left)
}

const BAD: &str = "it is not valid JSON, or it is cut short";

fn node(json: &str, depth: usize, left: &mut usize) -> Result<Node, Reason> {
    if depth > DEEPEST {
        return Err(format!("its JSON nests deeper than {DEEPEST} levels").into());
    }
    *left = left.checked_sub(1).ok_or_else(|| format!("its JSON has over {MOST} values"))?;
    Ok(match json.as_bytes().first() {
        Some(b'{') => {
            let Members(members) = serde_json::from_str(json).map_err(|_| BAD)?;
            let mut out: Vec<(String, Node)> = Vec::with_capacity(members.len());
            let mut keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
            keys.sort_unstable();
            if keys.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err("its JSON has a key twice in one object".into());
            }
            for (key, value) in members {
                out.push((key, node(value.get(), depth + 1, left)?));
            }
            Node::Object(out)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| BAD)?;
            let items = items.into_iter().map(|item| node(item.get(), depth + 1, left));
            Node::Array(items.collect::<Result<_, _>>()?)
        }
        Some(b'"') => Node::Text(serde_json::from_str(json).map_err(|_| BAD)?),
        _ => Node::Literal(json.to_owned()),
    })
}

/// Adds a string in quotes.
pub(super) fn push_text(out: &mut String, text: &str) {
    out.push_str(&serde_json::Value::from(text).to_string());
}
