//! Borders of spans.

use std::sync::LazyLock;

use regex::Regex;
use taire_text::Label;

use super::{Allowances, Finding, Problem};
use crate::MarkedDocument;

static TITLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(dr|pr|mme|mlle|mr|sr|sra|dra|dña|docteur|monsieur|madame|doctora?|don|doña)\.? ")
        .expect("a fixed pattern")
});
static KEY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(t[ée]l|tel[eé]fono|tfno|fax|ipp|nip|nhc|nir|n°|nº|dni|iep|rpps|iban|nass|cip|sip)\b[ .:]",
    )
    .expect("a fixed pattern")
});
static ENTITY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"&#?\w+;$").expect("a fixed pattern"));
static ARTICLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(le|du|au|en|el|del|al|dès le|jusqu'au|desde|hasta|d'|l')[ ]?\d")
        .expect("a fixed pattern")
});

/// Labels whose values may end in the point of an abbreviation.
fn may_end_in_point(label: Label) -> bool {
    use Label::*;
    matches!(
        label,
        Initials
            | GivenName
            | FamilyName
            | Date
            | BirthDate
            | Street
            | Hospital
            | HealthCentre
            | Institution
            | Region
            | City
            | Country
            | Age
            | RelativeDate
            | Profession
            | OtherDetail
            | Sex
    )
}

pub(super) fn check(document: &MarkedDocument, allowances: &mut Allowances, findings: &mut Vec<Finding>) {
    for span in &document.spans {
        let text = span.of(&document.text);
        let wrong = wrong_edge(text, span.label);
        if let Some(why) = wrong
            && !allowances.allows(&document.id, text)
        {
            findings.push(Finding::new(
                &document.id,
                Problem::Edge,
                format!("{why}: `{text}` ({})", span.label),
            ));
        }
    }
}

fn wrong_edge(text: &str, label: Label) -> Option<&'static str> {
    let (first, last) = (text.chars().next()?, text.chars().next_back()?);
    let is_name = matches!(label, Label::GivenName | Label::FamilyName);
    if first.is_whitespace() || last.is_whitespace() {
        Some("blank at the edge")
    } else if (matches!(last, ',' | ';' | ':') && !ENTITY.is_match(text)) || matches!(first, ',' | ';' | ':')
    {
        Some("mark at the edge")
    } else if last == '.' && !may_end_in_point(label) {
        Some("point at the end")
    } else if is_name && TITLE.is_match(text) {
        Some("title inside")
    } else if KEY.is_match(text) {
        Some("key inside")
    } else if matches!(label, Label::Date | Label::BirthDate) && ARTICLE.is_match(text) {
        Some("article inside")
    } else if text.matches('(').count() != text.matches(')').count() {
        Some("half a pair of brackets")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_keys_articles_and_marks_stay_outside() {
        for (text, label) in [
            ("Dr Le Gall", Label::FamilyName),
            ("Dupont ", Label::FamilyName),
            ("Dupont,", Label::FamilyName),
            ("Tél 02 98 44 11 02", Label::Phone),
            ("le 12 mars", Label::Date),
            ("8004417.", Label::PatientId),
        ] {
            assert!(wrong_edge(text, label).is_some(), "{text}");
        }
        for (text, label) in [
            ("J.-P.", Label::Initials),
            ("12 mars", Label::Date),
            ("Drouet", Label::FamilyName),
            ("Madame de Sévigné-Petit", Label::Institution),
            ("bd. du Port, bât. C", Label::Street),
        ] {
            assert_eq!(wrong_edge(text, label), None, "{text}");
        }
    }
}
