//! Results as JSON.

use serde::Serialize;
use taire::Error;

/// A value as JSON, indented, with a line end.
pub(crate) fn to_json(value: &impl Serialize) -> Result<String, Error> {
    Ok(serde_json::to_string_pretty(value).map_err(json_error)? + "\n")
}

/// The text of the serializer's own error may quote values.
pub(crate) fn json_error(_: serde_json::Error) -> Error {
    Error::internal("a result cannot be written as JSON")
}
