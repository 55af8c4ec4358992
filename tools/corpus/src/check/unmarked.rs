//! What looks identifying and is not marked.

use std::sync::LazyLock;

use regex::Regex;

use super::{Allowances, Finding, Problem, around};
use crate::MarkedDocument;

static PATTERNS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let patterns = [
        ("telephone", r"\b0[1-9](?:[ .-]?\d\d){4}\b"),
        ("telephone", r"\+\d{2,3}[ .]?\d(?:[ .]?\d{2,3}){3,4}\b"),
        ("telephone", r"\b[679]\d{2}[ .-]\d{2,3}[ .-]\d{2,3}(?:[ .-]\d{2})?\b"),
        ("mail address", r"[\w.+-]+@[\w-]+\.[A-Za-z]+"),
        ("web address", r"(?i)\b(?:https?://|www\.)\S+"),
        ("date", r"\b\d{1,2}[/.-]\d{1,2}[/.-](?:19|20)\d\d\b"),
        ("date", r"\b(?:0[1-9]|[12]\d|3[01])/(?:0[1-9]|1[0-2])/\d\d\b"),
        (
            "date",
            r"(?i)\b\d{1,2}(?:er)? (?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)\b",
        ),
        (
            "date",
            r"(?i)\b\d{1,2} de (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b",
        ),
        ("social security number", r"\b[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?\d\d ?\d{3} ?\d{3}(?: ?\d\d)?\b"),
        ("identity number", r"\b\d{8}-?[A-HJ-NP-TV-Z]\b"),
    ];
    patterns.into_iter().map(|(what, p)| (what, Regex::new(p).expect("a fixed pattern"))).collect()
});

/// Laws and decrees are dated and identify nobody.
static LAW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(loi|d[ée]cret|arr[êe]t[ée]|circulaire|ordonnance n|directive|ley|l\.?o\.?|decreto|r\.? ?d\.?(?: leg\.?)?|orden)\b[^\n]{0,45}$")
        .expect("a fixed pattern")
});

fn follows_a_law(before: &str) -> bool {
    let from = before.char_indices().rev().nth(59).map_or(0, |(i, _)| i);
    LAW.is_match(&before[from..])
}

pub(super) fn check(document: &MarkedDocument, allowances: &mut Allowances, findings: &mut Vec<Finding>) {
    for (what, pattern) in PATTERNS.iter() {
        for found in pattern.find_iter(&document.text) {
            let (start, end) = (found.start(), found.end());
            let inside = document.spans.iter().any(|s| s.start < end && start < s.end);
            if inside
                || (*what == "date" && follows_a_law(&document.text[..start]))
                || allowances.allows(&document.id, found.as_str())
            {
                continue;
            }
            let detail = format!("{what} `{}`: {}", found.as_str(), around(&document.text, start, end));
            findings.push(Finding::new(&document.id, Problem::Unmarked, detail));
        }
    }
}
