//! One table per scheme. A row names a label of the scheme, the label of ours that it is read as, and
//! our labels that are written as it. The first row with a label wins.

use super::Scheme;
use crate::{Label, Role};
use Label::*;
use Role::{Caregiver, Patient, Relative, Unknown};

pub(super) struct Row {
    pub(super) name: &'static str,
    /// Other spellings that are read.
    pub(super) synonyms: &'static [&'static str],
    pub(super) label: Label,
    pub(super) role: Role,
    labels: &'static [Label],
    roles: &'static [Role],
}

impl Row {
    pub(super) fn takes(&self, label: Label, role: Role) -> bool {
        self.labels.contains(&label) && self.roles.contains(&role)
    }
}

const fn row(name: &'static str, labels: &'static [Label]) -> Row {
    Row { name, synonyms: &[], label: labels[0], role: Unknown, labels, roles: Role::ALL }
}

const fn row_for_roles(name: &'static str, roles: &'static [Role], labels: &'static [Label]) -> Row {
    Row { name, synonyms: &[], label: labels[0], role: roles[0], labels, roles }
}

const fn with_synonyms(row: Row, synonyms: &'static [&'static str]) -> Row {
    Row { synonyms, ..row }
}

pub(super) fn rows(scheme: Scheme) -> &'static [Row] {
    match scheme {
        Scheme::Taire => &[],
        Scheme::Hipaa => HIPAA,
        Scheme::Meddocan => MEDDOCAN,
        Scheme::Bigeard => BIGEARD,
        Scheme::Hnfc => HNFC,
        Scheme::Eds => EDS,
        Scheme::Fasdim => FASDIM,
    }
}

/// 45 CFR 164.514(b)(2)(i), letters A to R without P (biometric data) and Q (photographs). Ages count from 90
/// on, which `borders` checks.
const HIPAA: &[Row] = &[
    row("NAME", &[FamilyName, GivenName, Initials]),
    row("LOCATION", &[City, Street, PostalCode, Region, Hospital, HealthCentre, Institution]),
    row("DATE", &[Date, BirthDate, Age]),
    row("PHONE", &[Phone]),
    row("FAX", &[Fax]),
    row("EMAIL", &[Email]),
    row("SSN", &[SocialSecurity]),
    row("MRN", &[PatientId, VisitId]),
    row("HEALTH_PLAN", &[HealthPlan]),
    row("ACCOUNT", &[AccountNumber]),
    row("LICENSE", &[ProfessionalLicence]),
    row("VEHICLE", &[VehicleId]),
    row("DEVICE", &[DeviceId]),
    row("URL", &[Url]),
    row("IP", &[IpAddress]),
    row("OTHER", &[OtherId, EmployeeId]),
];

const FAMILY: &str = "FAMILIARES_SUJETO_ASISTENCIA";

/// Córdoba, annex A.1. A name whose bearer is unknown is most often a caregiver's: patients are named in the
/// header, where the role is known.
const MEDDOCAN: &[Row] = &[
    row_for_roles("NOMBRE_SUJETO_ASISTENCIA", &[Patient], &[FamilyName, GivenName, Initials]),
    row_for_roles("EDAD_SUJETO_ASISTENCIA", &[Patient, Caregiver, Unknown], &[Age]),
    row_for_roles("SEXO_SUJETO_ASISTENCIA", &[Patient, Caregiver, Unknown], &[Sex]),
    row(FAMILY, &[Kinship]),
    row_for_roles(FAMILY, &[Relative], &[FamilyName, GivenName, Initials, Age, Sex]),
    row_for_roles("NOMBRE_PERSONAL_SANITARIO", &[Caregiver, Unknown], &[FamilyName, GivenName, Initials]),
    row("FECHAS", &[Date, BirthDate]),
    row("PROFESION", &[Profession]),
    row("CENTRO_SALUD", &[HealthCentre]),
    row("HOSPITAL", &[Hospital]),
    row("INSTITUCION", &[Institution]),
    row("ID_TITULACION_PERSONAL_SANITARIO", &[ProfessionalLicence]),
    row("ID_EMPLEO_PERSONAL_SANITARIO", &[EmployeeId]),
    row("IDENTIF_VEHICULOS_NRSERIE_PLACAS", &[VehicleId]),
    row("IDENTIF_DISPOSITIVOS_NRSERIE", &[DeviceId]),
    row("CALLE", &[Street]),
    row("TERRITORIO", &[City, PostalCode, Region]),
    row("PAIS", &[Country]),
    row("NUMERO_TELEFONO", &[Phone]),
    row("NUMERO_FAX", &[Fax]),
    row("CORREO_ELECTRONICO", &[Email]),
    row("ID_SUJETO_ASISTENCIA", &[PatientId]),
    row("ID_CONTACTO_ASISTENCIAL", &[VisitId]),
    row("NUMERO_BENEF_PLAN_SALUD", &[HealthPlan]),
    row("ID_ASEGURAMIENTO", &[SocialSecurity]),
    row("URL_WEB", &[Url]),
    row("DIREC_PROT_INTERNET", &[IpAddress]),
    row("OTRO_NUMERO_IDENTIF", &[OtherId, AccountNumber]),
    row("OTROS_SUJETO_ASISTENCIA", &[OtherDetail]),
];

/// Bigeard §3.2, with the initials she counts apart (§4). Ages count from 90 on and France does not.
const BIGEARD: &[Row] = &[
    row("nom_famille", &[FamilyName]),
    with_synonyms(row("prenom", &[GivenName]), &["prenomf", "prenomm", "prenomn"]),
    row("initiale", &[Initials]),
    row("code_postal", &[PostalCode]),
    row("ville", &[City]),
    row("pays", &[Country]),
    row("adresse", &[Street]),
    row("age", &[Age]),
    row("telephone", &[Phone, Fax]),
    row("mail", &[Email]),
    row("date", &[Date, BirthDate]),
    row(
        "id",
        &[
            OtherId,
            PatientId,
            VisitId,
            SocialSecurity,
            HealthPlan,
            ProfessionalLicence,
            EmployeeId,
            AccountNumber,
            VehicleId,
            DeviceId,
        ],
    ),
];

/// Metric, table 7.1.
const HNFC: &[Row] = &[
    row("PER", &[FamilyName, GivenName, Initials]),
    row("ORG", &[Hospital, HealthCentre, Institution]),
    row("LOC", &[City, Street, PostalCode, Region, Country]),
    row("DATE", &[Date, BirthDate, RelativeDate]),
    row("AGE", &[Age]),
    row("TEL", &[Phone, Fax]),
    row(
        "REF",
        &[
            OtherId,
            PatientId,
            VisitId,
            SocialSecurity,
            HealthPlan,
            ProfessionalLicence,
            EmployeeId,
            AccountNumber,
            VehicleId,
            DeviceId,
            Email,
            Url,
            IpAddress,
        ],
    ),
    row("QID", &[OtherDetail, Sex, Kinship, Profession]),
];

/// The labels of the EDS corpus. It has no ages, countries, institutions, professions, and leaves numbers that
/// are neither IPP, NDA nor NIR alone.
const EDS: &[Row] = &[
    row("NOM", &[FamilyName]),
    row("PRENOM", &[GivenName, Initials]),
    row("DATE", &[Date]),
    row("DATE_NAISSANCE", &[BirthDate]),
    row("HOPITAL", &[Hospital, HealthCentre]),
    row("VILLE", &[City]),
    row("ZIP", &[PostalCode]),
    row("ADRESSE", &[Street]),
    row("TEL", &[Phone, Fax]),
    row("MAIL", &[Email]),
    row("IPP", &[PatientId]),
    row("NDA", &[VisitId]),
    row("SECU", &[SocialSecurity]),
];

const FASDIM: &[Row] = &[Row {
    name: "PHI",
    synonyms: &[],
    label: OtherDetail,
    role: Unknown,
    labels: Label::ALL,
    roles: Role::ALL,
}];
