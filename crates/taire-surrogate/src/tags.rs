//! What stands where no surrogate does: tags, numbered tags, masks, bars.

use taire_text::{Group, Label, Language};

use crate::TagNames;

pub(crate) const MASK: &str = "@@@";

/// `<FamilyName>` or `<PER>`.
pub(crate) fn tag(label: Label, names: TagNames) -> String {
    match names {
        TagNames::Label => format!("<{label}>"),
        TagNames::Category => format!("<{}>", category(label)),
    }
}

fn category(label: Label) -> &'static str {
    match (label, label.group()) {
        (Label::Age | Label::RelativeDate, _) => "AGE",
        (Label::Phone | Label::Fax, _) => "TEL",
        (_, Group::Person) => "PER",
        (_, Group::Time) => "DATE",
        (_, Group::Place) => "LOC",
        (_, Group::Organisation) => "ORG",
        (_, Group::Contact | Group::Identifier) => "REF",
        (_, Group::QuasiIdentifier) => "QID",
    }
}

/// `[NOM_1]`, in the language of the document.
pub(crate) fn numbered(label: Label, number: usize, language: Language) -> String {
    let (french, spanish) = match label {
        Label::GivenName => ("PRENOM", "NOMBRE"),
        Label::FamilyName => ("NOM", "APELLIDO"),
        Label::Initials => ("INITIALES", "INICIALES"),
        Label::Date => ("DATE", "FECHA"),
        Label::BirthDate => ("NAISSANCE", "NACIMIENTO"),
        Label::Age => ("AGE", "EDAD"),
        Label::RelativeDate => ("DUREE", "DURACION"),
        Label::Street => ("RUE", "CALLE"),
        Label::PostalCode => ("CODE_POSTAL", "CODIGO_POSTAL"),
        Label::City => ("VILLE", "CIUDAD"),
        Label::Region => ("REGION", "REGION"),
        Label::Country => ("PAYS", "PAIS"),
        Label::Hospital => ("HOPITAL", "HOSPITAL"),
        Label::HealthCentre => ("CENTRE_DE_SANTE", "CENTRO_DE_SALUD"),
        Label::Institution => ("INSTITUTION", "INSTITUCION"),
        Label::Phone => ("TELEPHONE", "TELEFONO"),
        Label::Fax => ("FAX", "FAX"),
        Label::Email => ("MAIL", "CORREO"),
        Label::Url => ("URL", "URL"),
        Label::IpAddress => ("IP", "IP"),
        Label::PatientId => ("IPP", "NHC"),
        Label::VisitId => ("SEJOUR", "EPISODIO"),
        Label::SocialSecurity => ("NIR", "NASS"),
        Label::HealthPlan => ("ASSURANCE", "SEGURO"),
        Label::ProfessionalLicence => ("RPPS", "COLEGIADO"),
        Label::EmployeeId => ("EMPLOYE", "EMPLEADO"),
        Label::AccountNumber => ("COMPTE", "CUENTA"),
        Label::VehicleId => ("VEHICULE", "VEHICULO"),
        Label::DeviceId => ("APPAREIL", "DISPOSITIVO"),
        Label::OtherId => ("NUMERO", "NUMERO"),
        Label::Sex => ("SEXE", "SEXO"),
        Label::Kinship => ("PARENTE", "PARENTESCO"),
        Label::Profession => ("PROFESSION", "PROFESION"),
        Label::OtherDetail => ("DETAIL", "DETALLE"),
    };
    let name = match language {
        Language::Fr => french,
        Language::Es => spanish,
    };
    format!("[{name}_{number}]")
}

/// Blocks whose number tells the class of length only.
pub(crate) fn bar(original: &str) -> String {
    let blocks = match original.chars().count() {
        ..=4 => 4,
        5..=8 => 8,
        9..=16 => 12,
        _ => 16,
    };
    "█".repeat(blocks)
}
