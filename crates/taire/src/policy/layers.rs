//! A policy on top of another: `extends`, paths beside the file that names them, and keys nobody knows.

use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::{Policy, is_path, reference, shipped_text};
use crate::Error;

/// Policies that extend each other, at most.
const DEEPEST: usize = 8;

/// Keys of files, relative to the policy that names them.
const PATHS: &[&[&str]] = &[
    &["detect", "allow_lists"],
    &["detect", "model"],
    &["detect", "transformer"],
    &["detect", "student"],
    &["detect", "deny", "file"],
    &["detect", "allow", "file"],
    &["rewrite", "indicators"],
];

/// Lists that add to those of the policy below instead of replacing them.
const ADDED: &[&str] = &["patterns", "deny", "allow"];

/// A policy in TOML that is no file: what it extends is a shipped one, or a path from the working directory.
pub(super) fn parse(text: &str, place: &str) -> Result<Policy, Error> {
    finish(layer(text, place, None, 0)?, place, None)
}

pub(super) fn load_file(path: &Path) -> Result<Policy, Error> {
    let place = path.display().to_string();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    finish(file(path, 0)?, &place, stem)
}

fn finish(mut table: Table, place: &str, file_name: Option<String>) -> Result<Policy, Error> {
    if !table.contains_key("name") {
        let base = table.get("extends").and_then(Value::as_str).map(|base| format!("{base}, changed"));
        let name = file_name.or(base).unwrap_or_else(|| "unnamed".to_owned());
        table.insert("name".into(), Value::String(name));
    }
    table.remove("extends");
    let policy: Policy = Value::Table(table)
        .try_into()
        .map_err(|e: toml::de::Error| Error::policy(format!("policy {place}: {}", e.message())))?;
    policy.check().map_err(|e| e.prefixed(&format!("policy {place}: ")))?;
    Ok(policy)
}

fn file(path: &Path, depth: usize) -> Result<Table, Error> {
    let place = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::policy(format!("policy {place} cannot be read: {e}")))?;
    layer(&text, &place, path.parent(), depth)
}

/// One policy with all that it extends below it. `extends` is left in it, to name it by.
fn layer(text: &str, place: &str, folder: Option<&Path>, depth: usize) -> Result<Table, Error> {
    let refuse = |why: String| Error::policy(format!("policy {place}: {why}"));
    if depth > DEEPEST {
        return Err(refuse(format!(
            "it extends itself, or more than {DEEPEST} others; end with a shipped one"
        )));
    }
    check_keys(text).map_err(refuse)?;
    // Types are checked here, where errors still know their lines.
    toml::from_str::<Policy>(text).map_err(|e| refuse(e.to_string().trim_end().to_owned()))?;
    let mut own: Table = text.parse().map_err(|e: toml::de::Error| refuse(e.message().to_owned()))?;
    if let Some(folder) = folder {
        PATHS.iter().for_each(|path| resolve(&mut own, path, folder));
    }
    let Some(base) = own.get("extends").and_then(Value::as_str).map(str::to_owned) else {
        return Ok(own);
    };
    let mut table = match is_path(&base) {
        true => file(&folder.map_or_else(|| PathBuf::from(&base), |folder| folder.join(&base)), depth + 1)?,
        false => {
            layer(shipped_text(&base).map_err(|e| refuse(format!("extends: {e}")))?, &base, None, depth + 1)?
        }
    };
    // The name and the purpose of another policy are not this one's.
    table.remove("name");
    table.remove("description");
    merge(&mut table, own);
    Ok(table)
}

fn resolve(table: &mut Table, path: &[&str], folder: &Path) {
    let Some((first, rest)) = path.split_first() else { return };
    match table.get_mut(*first) {
        Some(Value::Table(inner)) => resolve(inner, rest, folder),
        Some(Value::Array(items)) if rest.is_empty() => items.iter_mut().for_each(|v| join(v, folder)),
        Some(Value::Array(items)) => {
            items.iter_mut().filter_map(Value::as_table_mut).for_each(|t| resolve(t, rest, folder));
        }
        Some(value) if rest.is_empty() => join(value, folder),
        _ => {}
    }
}

fn join(value: &mut Value, folder: &Path) {
    if let Value::String(path) = value {
        *path = folder.join(&*path).to_string_lossy().into_owned();
    }
}

/// Puts a policy on top of another: tables key by key, a choice of method whole, own rules beside those below.
fn merge(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) if !new.contains_key("method") => merge(old, new),
            (Some(Value::Array(old)), Value::Array(new)) if ADDED.contains(&key.as_str()) => old.extend(new),
            (_, value) => drop(below.insert(key, value)),
        }
    }
}

/// All keys that no policy has, each with its line and the nearest that there is.
fn check_keys(text: &str) -> Result<(), String> {
    let table = DeTable::parse(text).map_err(|e| e.to_string().trim_end().to_owned())?;
    let mut unknown = Vec::new();
    walk(table.get_ref(), "", text, &mut unknown);
    unknown.sort();
    let told: Vec<String> = unknown.into_iter().map(|(_, what)| what).collect();
    if told.is_empty() { Ok(()) } else { Err(told.join("\n")) }
}

fn walk(table: &DeTable<'_>, below: &str, text: &str, unknown: &mut Vec<(usize, String)>) {
    for (key, value) in table {
        let path = match below {
            "" => key.get_ref().to_string(),
            below => format!("{below}.{}", key.get_ref()),
        };
        let known = reference::children(below);
        if !known.contains(&&**key.get_ref()) {
            let line = text[..key.span().start].matches('\n').count() + 1;
            let near = reference::nearest(key.get_ref(), &known);
            let full =
                |near: &str| if below.is_empty() { near.to_owned() } else { format!("{below}.{near}") };
            let hint = near.map_or_else(
                || "the reference of the book lists all".to_owned(),
                |near| format!("did you mean `{}`?", full(near)),
            );
            unknown.push((line, format!("line {line}: unknown key `{path}`; {hint}")));
            continue;
        }
        match value.get_ref() {
            DeValue::Table(inner) => walk(inner, &path, text, unknown),
            DeValue::Array(items) => {
                for item in items.iter() {
                    if let DeValue::Table(inner) = item.get_ref() {
                        walk(inner, &path, text, unknown);
                    }
                }
            }
            _ => {}
        }
    }
}
