//! The plain scan that everything is compared to: JSONL in, a few regular expressions over each text, a count out.

use std::path::Path;

use regex::Regex;
use serde_json::Value;

/// What a quick script would look for: mail, telephone, dates, long numbers, postal code and town, title and name,
/// two capitalised words.
const PATTERNS: [&str; 7] = [
    r"[\w.+-]+@[\w-]+\.[\w.-]+",
    r"(?:\+\d{2} ?|0)\d(?:[ .-]?\d{2}){4}",
    r"\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b",
    r"\b\d{6,15}\b",
    r"\b\d{5} \p{Lu}[\p{L}-]+",
    r"\b(?:M|Mme|Mlle|Dr|Pr|Sr|Sra|Dra|D|Dña)\.? \p{Lu}[\p{L}-]+",
    r"\b\p{Lu}\p{Ll}+ \p{Lu}{2,}\b",
];

/// Scans a file and prints how much it found.
pub(super) fn run(path: &Path) -> Result<(), String> {
    let fail = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let patterns: Vec<Regex> =
        PATTERNS.iter().map(|p| Regex::new(p)).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let mut found = 0;
    for line in std::fs::read_to_string(path).map_err(|e| fail(&e))?.lines() {
        let row: Value = serde_json::from_str(line).map_err(|_| fail(&"a line is not JSON"))?;
        let text = row["text"].as_str().unwrap_or_default();
        found += patterns.iter().map(|p| p.find_iter(text).count()).sum::<usize>();
    }
    println!("{found}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_sound_and_finds_its_kind() {
        let text = "Mme Rose MARTIN, 21000 Dijon, 03 80 11 22 33, 12/05/1960, rose@exemple.fr, 123456789";
        for pattern in PATTERNS {
            assert!(Regex::new(pattern).unwrap().is_match(text), "{pattern}");
        }
    }
}
