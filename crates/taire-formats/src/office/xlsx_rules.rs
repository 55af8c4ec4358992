//! What becomes of the markup of workbooks. Of a sheet stays what is listed here: cells, widths, merged cells, the layout
//! of the page. Whatever may hold words and is no cell (formulas, conditions, validations, names of ranges, filters,
//! protections) is left out; cells keep the values that were shown.

use taire_text::Label;

use crate::markup::Name;
use crate::titles::{directory_key, person_key};

use super::LeftOut;
use super::markup_rule::{Attr, Element};
use super::opc::Kind;

pub(crate) fn namespace(uri: &str) -> Option<&'static str> {
    Some(match uri {
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        | "http://purl.oclc.org/ooxml/spreadsheetml/main" => "s",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        | "http://purl.oclc.org/ooxml/officeDocument/relationships" => "r",
        "http://schemas.openxmlformats.org/markup-compatibility/2006" => "mc",
        _ => return None,
    })
}

/// Children of the root of a part that stay.
const WORKBOOK: &[&str] = &["workbookPr", "bookViews", "sheets", "calcPr"];
const SHEET: &[&str] = &[
    "sheetPr",
    "dimension",
    "sheetViews",
    "sheetFormatPr",
    "cols",
    "sheetData",
    "mergeCells",
    "printOptions",
    "pageMargins",
    "pageSetup",
    "headerFooter",
    "rowBreaks",
    "colBreaks",
    "drawing",
    "legacyDrawing",
];
const STYLES: &[&str] =
    &["numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs", "colors"];
/// Left out without a word: they hold how things look, or what the program works out again.
const PLAIN: &[&str] = &[
    "fileVersion",
    "phoneticPr",
    "ignoredErrors",
    "tableParts",
    "autoFilter",
    "sortState",
    "extLst",
    "tableStyles",
    "hyperlinks",
    "legacyDrawingHF",
    "sheetCalcPr",
    "workbookProtection",
    "sheetProtection",
];

pub(crate) fn element(kind: Kind, name: Name<'_>, depth: usize) -> Element {
    use Element::*;
    let listed = match kind {
        Kind::Document => WORKBOOK,
        Kind::Sheet | Kind::Chartsheet => SHEET,
        Kind::Styles => STYLES,
        Kind::Comments => &["authors", "commentList"],
        _ => &[],
    };
    match (name.ns, name.local) {
        ("s", "oleObjects") => Refuse("it holds an embedded object, which is not treated; remove it"),
        ("s", local) if depth == 1 && !listed.contains(&local) => match PLAIN.contains(&local) {
            true => Drop,
            false => Count(LeftOut::AttachedData),
        },
        ("s", "f") => Count(LeftOut::Formulas),
        ("s", "extLst" | "rPh" | "phoneticPr") => Drop,
        ("s", _) => Keep,
        ("mc", "AlternateContent") if depth == 1 => Count(LeftOut::AttachedData),
        _ => Count(LeftOut::UnknownMarkup),
    }
}

pub(crate) fn attribute(element: Name<'_>, name: Name<'_>) -> Attr {
    use Attr::*;
    match (name.ns, name.local) {
        ("?" | "mc", _) => Remove,
        ("", "codeName" | "filterPrivacy" | "defaultThemeVersion" | "guid" | "published") => Remove,
        // Settings of a printer are not written.
        ("r", "id") if element.local == "pageSetup" => Remove,
        // Cells may carry metadata, which is not written.
        ("", "cm" | "vm" | "ph") if element.local == "c" => Remove,
        ("", "name") if element.local == "sheet" => Text,
        ("", "formatCode") => Text,
        ("", "name") => Named,
        ("", "val") if element.local == "name" || element.local == "rFont" => Named,
        _ => Keep,
    }
}

/// Whether a text is the title of a column in tables of people, places or documents.
pub(crate) fn is_title(text: &str) -> bool {
    text.len() <= 60
        && (person_key(text).is_some() || directory_key(text).is_some() || is_document_title(text))
}

fn is_document_title(text: &str) -> bool {
    let folded = taire_text::fold(text);
    const TITLES: &[&str] = &[
        "texte",
        "texto",
        "compte rendu",
        "compte-rendu",
        "conclusion",
        "observation",
        "observations",
        "commentaire",
        "commentaires",
        "comentario",
        "comentarios",
        "motif",
        "motivo",
        "diagnostic",
        "diagnostico",
        "date",
        "fecha",
        "age",
        "edad",
        "medecin",
        "medico",
        "medecin traitant",
        "traitement",
        "tratamiento",
        "note",
        "notes",
        "nota",
        "informe",
        "antecedents",
        "antecedentes",
        "resultat",
        "resultado",
    ];
    TITLES.contains(&folded.trim())
}

/// What the cells of a column are, where its title tells it and the cell looks like it.
pub(crate) fn label(title: &str, cell: &str) -> Option<Label> {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    let letters = cell.chars().filter(|c| c.is_alphabetic()).count();
    let named = |label| (letters > 1 && digits == 0).then_some(label);
    let numbered = |label, least: usize| (digits >= least && digits > letters).then_some(label);
    match person_key(title).or_else(|| directory_key(title))? {
        "patient" => numbered(Label::PatientId, 3),
        "family_name" | "second_family_name" | "birth_name" => named(Label::FamilyName),
        "given_names" => named(Label::GivenName),
        "birth_date" => numbered(Label::BirthDate, 4),
        "birth_place" | "address.city" => named(Label::City),
        "address.street" => (letters > 3).then_some(Label::Street),
        "address.postal_code" => numbered(Label::PostalCode, 4),
        "address.country" => named(Label::Country),
        "phones" => numbered(Label::Phone, 8),
        "emails" => cell.contains('@').then_some(Label::Email),
        "ids.NIR" | "ids.NSS" => numbered(Label::SocialSecurity, 7),
        "ids.DNI" => numbered(Label::OtherId, 6),
        "ids.CIP" => numbered(Label::HealthPlan, 4),
        "ids.NDA" => numbered(Label::VisitId, 4),
        "ids.RPPS" => numbered(Label::ProfessionalLicence, 5),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_tell_what_their_cells_are() {
        for (title, cell, expected) in [
            ("IPP", "800417", Some(Label::PatientId)),
            ("Patient", "KERVADEC Aldegonde", None),
            ("Nom", "KERVADEC", Some(Label::FamilyName)),
            ("Nombre", "12", None),
            ("Date de naissance", "17/02/1942", Some(Label::BirthDate)),
            ("Téléphone", "612345678", Some(Label::Phone)),
            ("CP", "2", None),
            ("Dose", "12", None),
        ] {
            assert_eq!(label(title, cell), expected, "{title}: {cell}");
        }
        assert!(is_title("N° IPP") && is_title("Compte rendu") && !is_title("KERVADEC"));
    }
}
