//! Rules that a policy brings with it: patterns, deny-lists, allowed words.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use taire_detect::OwnRules;
use taire_text::{Label, Role};

use super::Policy;
use crate::Error;

/// One of `[[detect.patterns]]`: a regular expression of one's own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternRule {
    /// Named in the reasons of what it finds.
    pub name: String,
    /// What it finds.
    pub label: Label,
    /// In the syntax of the `regex` crate; where it has a group, the first group is what is found.
    pub regex: String,
    /// How sure it is, from 0 to 1.
    #[serde(default = "sure")]
    pub score: f32,
    /// Whose it is.
    #[serde(default = "nobody")]
    pub role: Role,
}

fn sure() -> f32 {
    0.9
}

fn nobody() -> Role {
    Role::Unknown
}

/// One of `[[detect.deny]]`: words that are always hidden.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DenyList {
    /// What they are.
    pub label: Label,
    /// The words themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// A file of them, one a line; `#` begins a comment. Relative to the policy's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Whose they are.
    #[serde(default = "nobody")]
    pub role: Role,
}

/// One of `[[detect.allow]]`: words that stay where a detector would hide them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedWords {
    /// The words themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// A file of them, as in `deny`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Only where they were found under one of these labels; without any, under all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
}

impl Policy {
    /// The rules that the policy brings, with the files that it names.
    pub(crate) fn own_rules(&self) -> Result<OwnRules, Error> {
        self.build_own_rules(read_words)
    }

    /// The same without opening files, to check the rest.
    pub(super) fn own_rules_without_files(&self) -> Result<OwnRules, Error> {
        self.build_own_rules(|_| Ok(vec![]))
    }

    fn build_own_rules(&self, read: impl Fn(&Path) -> Result<Vec<String>, Error>) -> Result<OwnRules, Error> {
        let all = |key: &str, words: &[String], file: &Option<PathBuf>| {
            if words.is_empty() && file.is_none() {
                return Err(Error::policy(format!("a list of {key} is empty: give it `words` or a `file`")));
            }
            let mut all = words.to_vec();
            if let Some(file) = file {
                all.extend(read(file)?);
            }
            Ok(all)
        };
        let mut rules = OwnRules::default();
        for PatternRule { name, label, regex, score, role } in &self.detect.patterns {
            rules.add_pattern(name, regex, *label, *role, *score)?;
        }
        for DenyList { label, words, file, role } in &self.detect.deny {
            let words = all("detect.deny", words, file)?;
            rules.deny(words.iter().map(String::as_str), *label, *role);
        }
        for AllowedWords { words, file, labels } in &self.detect.allow {
            let words = all("detect.allow", words, file)?;
            rules.allow(words.iter().map(String::as_str), labels);
        }
        Ok(rules.built())
    }

    /// Files of words that the policy names.
    pub(crate) fn word_files(&self) -> impl Iterator<Item = &PathBuf> {
        let denied = self.detect.deny.iter().filter_map(|list| list.file.as_ref());
        denied.chain(self.detect.allow.iter().filter_map(|list| list.file.as_ref()))
    }
}

/// One entry a line; blank lines and `#` comments do not count.
fn read_words(path: &Path) -> Result<Vec<String>, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::policy(format!("list of words {} cannot be read: {e}", path.display())))?;
    let entries = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(entries.map(str::to_owned).collect())
}
