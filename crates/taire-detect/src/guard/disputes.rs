//! What says that a clinical value is none: a sounder identifier of a rule, or the words beside it.

use taire_text::{Kind, Label, Language, Mention, Note, Shape, Source};

use super::clinical::ClinicalMatch;
use super::{ClinicalValue, Guard};
use crate::patterns::keywords::KeywordKind as Key;

impl Guard<'_> {
    /// Whether the words beside a value say that it is none: each rule has its own trap.
    pub(super) fn is_contradicted(&self, found: &ClinicalMatch, value: ClinicalValue) -> bool {
        let note = self.note;
        match found.rule {
            // "M. Niger" is a man, "A. niger" a mould.
            "species" => {
                let text = &note.norm()[found.range.clone()];
                let words = &note.tokens[note.token_at(found.range.start)..];
                !words.iter().skip(1).find(|t| t.kind == Kind::Word).is_some_and(|t| match t.shape {
                    Shape::Lower => true,
                    Shape::Upper => !text.starts_with(['M', 'D']),
                    _ => false,
                })
            }
            "mayo" => note.language != Language::Fr,
            // "déclaration n° 59/84/212"
            "pressures" => {
                self.keyed(value.span, |k| !matches!(k, Key::Measure | Key::Reference | Key::Birth))
            }
            _ => false,
        }
    }
}

/// Whether a mention of a rule is a better reading of the text than a clinical value.
pub(super) fn disputes(mention: &Mention, value: ClinicalValue, note: &Note) -> bool {
    use Label::*;
    let Some(label) = mention.label() else { return false };
    let formed = mention.source == Source::Pattern && mention.score.get() >= 0.7;
    match label {
        Phone | Fax | Email | Url | IpAddress | SocialSecurity | AccountNumber => {
            // The key of a telephone does not stand before a unit.
            formed && !matches!(value.rule, "table" | "reference-range" | "schedule" | "score" | "pacing")
        }
        Date | BirthDate => {
            let text = note.readable(mention.span);
            let named = text.chars().any(char::is_alphabetic);
            let three = text.split(|c: char| !c.is_ascii_digit()).filter(|g| !g.is_empty()).count() >= 3;
            let plain = !text.contains(['|', '\t']);
            formed
                && plain
                && (named || three)
                && !matches!(
                    value.rule,
                    "score"
                        | "classification"
                        | "hour"
                        | "gene"
                        | "imaging"
                        | "alternation"
                        | "mayo"
                        | "drain"
                )
        }
        PatientId | VisitId | HealthPlan | ProfessionalLicence | EmployeeId | VehicleId | DeviceId
        | OtherId => {
            let measured = matches!(
                value.rule,
                "measure"
                    | "reference-range"
                    | "gestation"
                    | "radiotherapy"
                    | "tnm"
                    | "schedule"
                    | "public-code"
                    | "gene"
                    | "gene-point"
                    | "table"
                    | "titre"
                    | "classification"
                    | "frequency"
                    | "size"
                    | "hour"
                    | "ppi"
                    | "teeth"
            );
            !mention.source.is_learned()
                && mention.score.get() >= 0.6
                && !(measured && label != SocialSecurity)
        }
        // "depuis 14 h", "hace 20 min"
        RelativeDate | Age => {
            mention.span.contains(value.span)
                && matches!(value.rule, "hour" | "measure" | "measure-letter" | "frequency")
        }
        Street => value.rule == "measure-letter" && mention.source == Source::Structure,
        GivenName | FamilyName => {
            let sure = matches!(mention.source, Source::Structure | Source::Metadata)
                || mention.source == Source::Lexicon && mention.score.get() >= 0.95;
            sure && !matches!(
                value.rule,
                "heading" | "named-test" | "measure" | "hour" | "table" | "tnm" | "antigens" | "species"
            )
        }
        Hospital | HealthCentre | Institution => {
            mention.source == Source::Lexicon && matches!(value.rule, "score" | "stage" | "named-test")
        }
        _ => false,
    }
}
