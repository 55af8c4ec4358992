//! When, and of which commit, a table of `scores/` was made.

use std::path::Path;
use std::process::Command;

pub(crate) fn today() -> String {
    jiff::Timestamp::now().to_string().chars().take(10).collect()
}

pub(crate) fn commit(root: &Path) -> String {
    let output = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root).output();
    output.ok().and_then(|o| String::from_utf8(o.stdout).ok()).unwrap_or_default().trim().to_owned()
}
