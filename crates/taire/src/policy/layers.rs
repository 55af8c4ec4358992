//! A policy on top of another: `extends`, paths relative to the file that names them, renamed and unknown keys.

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

/// Keys that have a new name: their table, the old name, the new one. The old name is accepted, with a note.
const RENAMED: &[(&str, &str, &str)] = &[("detect", "voices", "source_thresholds")];

/// A policy in TOML that is no file: what it extends is a shipped one, or a path from the working directory.
pub(super) fn parse(text: &str, place: &str) -> Result<Policy, Error> {
    let mut notes = Vec::new();
    let table = layer(text, place, None, 0, &mut notes)?;
    finish(table, place, None, notes)
}

pub(super) fn load_file(path: &Path) -> Result<Policy, Error> {
    let place = path.display().to_string();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut notes = Vec::new();
    let table = file(path, 0, &mut notes)?;
    finish(table, &place, stem, notes)
}

fn finish(
    mut table: Table,
    place: &str,
    file_name: Option<String>,
    notes: Vec<String>,
) -> Result<Policy, Error> {
    if !table.contains_key("name") {
        let base = table.get("extends").and_then(Value::as_str).map(|base| format!("{base}, changed"));
        let name = file_name.or(base).unwrap_or_else(|| "unnamed".to_owned());
        table.insert("name".into(), Value::String(name));
    }
    table.remove("extends");
    let mut policy: Policy = Value::Table(table)
        .try_into()
        .map_err(|e: toml::de::Error| Error::policy(format!("policy {place}: {}", e.message())))?;
    policy.notes = notes;
    policy.check().map_err(|e| e.prefixed(&format!("policy {place}: ")))?;
    Ok(policy)
}

fn file(path: &Path, depth: usize, notes: &mut Vec<String>) -> Result<Table, Error> {
    let place = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::policy(format!("policy {place} cannot be read: {e}")))?;
    layer(&text, &place, path.parent(), depth, notes)
}

/// One policy with all that it extends below it. `extends` is left in it, to name it by.
fn layer(
    text: &str,
    place: &str,
    folder: Option<&Path>,
    depth: usize,
    notes: &mut Vec<String>,
) -> Result<Table, Error> {
    let refuse = |why: String| Error::policy(format!("policy {place}: {why}"));
    if depth > DEEPEST {
        return Err(refuse(format!(
            "it extends itself, or more than {DEEPEST} others; end with a shipped one"
        )));
    }
    let renamed = check_keys(text).map_err(refuse)?;
    notes.extend(renamed.into_iter().map(|what| format!("policy {place}: {what}")));
    // Types are checked here, where errors still know their lines.
    toml::from_str::<Policy>(text).map_err(|e| refuse(e.to_string().trim_end().to_owned()))?;
    let mut own: Table = text.parse().map_err(|e: toml::de::Error| refuse(e.message().to_owned()))?;
    RENAMED.iter().for_each(|(below, old, new)| {
        if let Some(Value::Table(table)) = own.get_mut(*below)
            && let Some(value) = table.remove(*old)
        {
            table.insert((*new).to_owned(), value);
        }
    });
    if let Some(folder) = folder {
        PATHS.iter().for_each(|path| resolve(&mut own, path, folder));
    }
    let Some(base) = own.get("extends").and_then(Value::as_str).map(str::to_owned) else {
        return Ok(own);
    };
    let mut table = match is_path(&base) {
        true => {
            file(&folder.map_or_else(|| PathBuf::from(&base), |folder| folder.join(&base)), depth + 1, notes)?
        }
        false => {
            let shipped = shipped_text(&base).map_err(|e| refuse(format!("extends: {e}")))?;
            layer(shipped, &base, None, depth + 1, notes)?
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

/// Refuses unknown keys, each with its line and the nearest known one. Returns a note for each renamed key.
fn check_keys(text: &str) -> Result<Vec<String>, String> {
    let table = DeTable::parse(text).map_err(|e| e.to_string().trim_end().to_owned())?;
    let (mut unknown, mut renamed) = (Vec::new(), Vec::new());
    walk(table.get_ref(), "", text, &mut unknown, &mut renamed);
    unknown.sort();
    let errors: Vec<String> = unknown.into_iter().map(|(_, what)| what).collect();
    if errors.is_empty() { Ok(renamed) } else { Err(errors.join("\n")) }
}

fn walk(
    table: &DeTable<'_>,
    below: &str,
    text: &str,
    unknown: &mut Vec<(usize, String)>,
    renamed: &mut Vec<String>,
) {
    for (key, value) in table {
        let full = |name: &str| if below.is_empty() { name.to_owned() } else { format!("{below}.{name}") };
        let line = text[..key.span().start].matches('\n').count() + 1;
        let written: &str = key.get_ref();
        let new_name = RENAMED.iter().find(|(table, old, _)| *table == below && *old == written);
        let name = new_name.map_or(written, |(_, _, new)| *new);
        let path = full(name);
        if name != written {
            renamed.push(format!("line {line}: key `{}` is now called `{path}`", full(written)));
        }
        let known = reference::children(below);
        if !known.contains(&name) {
            let near = reference::nearest(name, &known);
            let hint = near.map_or_else(
                || "the reference of the book lists all".to_owned(),
                |near| format!("did you mean `{}`?", full(near)),
            );
            unknown.push((line, format!("line {line}: unknown key `{path}`; {hint}")));
            continue;
        }
        match value.get_ref() {
            DeValue::Table(inner) => walk(inner, &path, text, unknown, renamed),
            DeValue::Array(items) => {
                for item in items.iter() {
                    if let DeValue::Table(inner) = item.get_ref() {
                        walk(inner, &path, text, unknown, renamed);
                    }
                }
            }
            _ => {}
        }
    }
}
