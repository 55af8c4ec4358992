//! What other commands wrote, read as JSON. A file that is not what it should be is refused, not guessed at.

use std::path::Path;

use serde_json::Value;
use taire::Error;

use crate::page::percent;

/// One file of figures.
pub(super) struct Figures(Value);

impl Figures {
    pub(super) fn needed(path: &Path, made_by: &str, keys: &[&str]) -> Result<Figures, Error> {
        let refuse =
            |why: &str| Error::usage(format!("{}: {why}; give what `{made_by}` writes", path.display()));
        let text =
            std::fs::read_to_string(path).map_err(|e| refuse(&format!("cannot be read: {}", e.kind())))?;
        // The parser's own message may quote the file.
        let value: Value = serde_json::from_str(&text).map_err(|_| refuse("it is not JSON"))?;
        match keys.iter().find(|key| value.get(**key).is_none()) {
            Some(key) => Err(refuse(&format!("it has no `{key}`"))),
            None => Ok(Figures(value)),
        }
    }

    /// Nothing where there is no such file.
    pub(super) fn optional(path: &Path, made_by: &str, keys: &[&str]) -> Result<Option<Figures>, Error> {
        if path.exists() { Figures::needed(path, made_by, keys).map(Some) } else { Ok(None) }
    }

    pub(super) fn at(&self, pointer: &str) -> Option<&Value> {
        self.0.pointer(pointer).filter(|v| !v.is_null())
    }

    pub(super) fn count(&self, pointer: &str) -> u64 {
        self.at(pointer).and_then(Value::as_u64).unwrap_or_default()
    }

    pub(super) fn number(&self, pointer: &str) -> Option<f64> {
        self.at(pointer)?.as_f64()
    }

    pub(super) fn list(&self, pointer: &str) -> &[Value] {
        self.at(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// A table of counts, largest first.
    pub(super) fn counts(&self, pointer: &str) -> Vec<(String, u64)> {
        let table = self.at(pointer).and_then(Value::as_object);
        let mut out: Vec<_> =
            table.into_iter().flatten().filter_map(|(k, v)| Some((k.clone(), v.as_u64()?))).collect();
        out.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        out
    }

    /// A share of tries with its interval; nothing where there was nothing to try.
    pub(super) fn share(&self, pointer: &str) -> Option<String> {
        share(self.at(pointer)?)
    }
}

pub(super) fn share(value: &Value) -> Option<String> {
    let tries = value.get("tries")?.as_u64().filter(|&n| n > 0)?;
    let of = |key: &str| value.get(key).and_then(Value::as_f64).map(percent);
    Some(format!(
        "{} ({} of {tries}; 95 %: {} to {})",
        of("share")?,
        value.get("hits")?.as_u64()?,
        of("low")?,
        of("high")?
    ))
}

/// The categories of `retain.json`: name, recognised before, kept.
pub(super) fn categories(retain: &Figures) -> Vec<(String, u64, u64)> {
    let one = |(name, v): (&String, &Value)| {
        let n = |key: &str| v.get(key).and_then(Value::as_u64);
        Some((name.clone(), n("before")?, n("kept")?))
    };
    retain.at("/categories").and_then(Value::as_object).into_iter().flatten().filter_map(one).collect()
}

pub(super) fn kept_share(retain: &Figures) -> Option<f64> {
    let (before, kept) = categories(retain).iter().fold((0, 0), |sum, c| (sum.0 + c.1, sum.1 + c.2));
    (before > 0).then(|| kept as f64 / before as f64)
}
