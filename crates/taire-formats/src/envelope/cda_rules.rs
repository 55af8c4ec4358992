//! What the elements and attributes of CDA mean. An element that is not named here is not written.

use super::form::AddressPart;

pub(super) fn namespace(uri: &str) -> Option<&'static str> {
    Some(match uri {
        "urn:hl7-org:v3" => "v3",
        "http://www.w3.org/2001/XMLSchema-instance" => "xsi",
        "http://www.w3.org/XML/1998/namespace" => "xml",
        _ => return None,
    })
}

/// Elements that only hold others, codes or quantities.
#[rustfmt::skip]
const STRUCTURE: &[&str] = &[
    "ClinicalDocument", "Section", "Observation", "accommodationCode", "act", "administrationUnitCode",
    "administrativeGenderCode", "approachSiteCode", "asEntityIdentifier", "asOrganizationPartOf",
    "assignedAuthor", "assignedAuthoringDevice", "assignedCustodian", "assignedEntity", "assignedPerson",
    "associatedEntity", "associatedPerson", "authenticator", "author", "authorization", "authoringDevice",
    "awarenessCode", "birthplace", "code", "component", "componentOf", "confidentialityCode", "consent",
    "consumable", "criterion", "custodian", "dataEnterer", "denominator", "dischargeDispositionCode",
    "documentationOf", "doseCheckQuantity", "doseQuantity", "encompassingEncounter", "encounter",
    "encounterParticipant", "entry", "entryRelationship", "ethnicGroupCode", "event", "expectedUseTime",
    "externalAct", "externalDocument", "externalObservation", "externalProcedure", "functionCode", "guardian",
    "guardianOrganization", "guardianPerson", "healthCareFacility", "inFulfillmentOf", "independentInd", "informant",
    "informationRecipient", "intendedRecipient", "interpretationCode", "languageCode", "languageCommunication",
    "legalAuthenticator", "location", "maintainedEntity", "maintainingPerson", "manufacturedLabeledDrug",
    "manufacturedMaterial", "manufacturedProduct", "manufacturerOrganization", "maritalStatusCode",
    "maxDoseQuantity", "methodCode", "modeCode", "negationInd", "nonXMLBody", "numerator", "observation",
    "observationMedia", "observationRange", "order", "organizer", "parentDocument", "participant",
    "participantRole", "patient", "patientRole", "performer", "period", "phase", "place", "playingDevice",
    "playingEntity", "precondition", "preferenceInd", "priorityCode", "procedure", "product", "proficiencyLevelCode",
    "providerOrganization", "quantity", "raceCode", "rateQuantity", "realmCode", "receivedOrganization", "recordTarget",
    "reference", "referenceRange", "regionOfInterest", "relatedDocument", "relatedEntity", "relatedPerson",
    "relatedSubject", "relationshipHolder", "religiousAffiliationCode", "repeatNumber",
    "representedCustodianOrganization", "representedOrganization", "responsibleParty", "routeCode",
    "scopingEntity", "scopingOrganization", "section", "seperatableInd", "sequenceNumber", "serviceEvent",
    "serviceProviderOrganization", "signatureCode", "specimen", "specimenPlayingEntity", "specimenRole",
    "standardIndustryClassCode", "statusCode", "structuredBody", "subject", "substanceAdministration", "supply",
    "targetSiteCode", "templateId", "timeUnit", "translation", "typeId", "value", "versionNumber",
    "wholeOrganization", "qualifier", "width", "height", "modalityCode", "dischargeDisposition",
];

/// Elements of the narrative.
#[rustfmt::skip]
const NARRATIVE: &[&str] = &[
    "br", "caption", "col", "colgroup", "content", "footnote", "footnoteRef", "item", "linkHtml", "list",
    "paragraph", "renderMultiMedia", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
];

/// What an element is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    Structure,
    /// A name of a person, an institution or a place.
    Name,
    Given,
    Family,
    Prefix,
    /// Part of a name or an address that is emptied.
    Emptied,
    Address,
    Part(AddressPart),
    HouseNumber,
    StreetName,
    Contact,
    Id,
    Time,
    /// Text that detectors read.
    Text,
    Narrative,
    Unknown,
}

pub(super) fn element(local: &str, in_narrative: bool) -> Element {
    use AddressPart::*;
    if in_narrative {
        return if NARRATIVE.contains(&local) { Element::Narrative } else { Element::Unknown };
    }
    match local {
        "name" => Element::Name,
        "given" => Element::Given,
        "family" => Element::Family,
        "prefix" => Element::Prefix,
        "suffix" | "delimiter" => Element::Emptied,
        "addr" => Element::Address,
        "houseNumber" | "houseNumberNumeric" => Element::HouseNumber,
        "streetName" | "streetNameBase" => Element::StreetName,
        "streetAddressLine"
        | "deliveryAddressLine"
        | "postBox"
        | "careOf"
        | "unitID"
        | "additionalLocator" => Element::Part(Street),
        "streetNameType"
        | "direction"
        | "unitType"
        | "buildingNumberSuffix"
        | "censusTract"
        | "deliveryInstallationArea"
        | "deliveryInstallationQualifier"
        | "deliveryInstallationType"
        | "deliveryMode"
        | "deliveryModeIdentifier" => Element::Emptied,
        "postalCode" => Element::Part(PostalCode),
        "city" | "precinct" => Element::Part(City),
        "state" | "county" => Element::Part(Region),
        "country" => Element::Part(Country),
        "telecom" => Element::Contact,
        "id" | "setId" => Element::Id,
        "effectiveTime" | "time" | "birthTime" | "low" | "high" | "center" | "activityTime"
        | "availabilityTime" | "copyTime" | "useablePeriod" => Element::Time,
        "title"
        | "text"
        | "desc"
        | "originalText"
        | "softwareName"
        | "manufacturerModelName"
        | "lotNumberText"
        | "derivationExpr" => Element::Text,
        _ if STRUCTURE.contains(&local) => Element::Structure,
        _ => Element::Unknown,
    }
}

/// What becomes of an attribute that no element treats by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attr {
    /// Kept if it looks like a code.
    Code,
    /// Text that detectors read.
    Text,
    /// A number, a truth value, or text.
    Value,
    Cut,
}

pub(super) fn attribute(ns: &str, local: &str) -> Attr {
    match (ns, local) {
        ("xsi", "type" | "nil") | ("xml", "space" | "lang") => Attr::Code,
        ("", "displayName") => Attr::Text,
        ("", "value") => Attr::Value,
        (
            "",
            "classCode"
            | "moodCode"
            | "typeCode"
            | "determinerCode"
            | "contextConductionInd"
            | "contextControlCode"
            | "negationInd"
            | "nullFlavor"
            | "inversionInd"
            | "independentInd"
            | "ID"
            | "IDREF"
            | "mediaType"
            | "representation"
            | "use"
            | "qualifier"
            | "unit"
            | "operator"
            | "code"
            | "codeSystem"
            | "codeSystemVersion"
            | "codeSystemName"
            | "institutionSpecified"
            | "isCriterionInd"
            | "inclusive"
            | "root"
            | "extension"
            | "displayable"
            | "language"
            | "styleCode"
            | "border"
            | "width"
            | "align"
            | "char"
            | "charoff"
            | "valign"
            | "rowspan"
            | "colspan"
            | "span"
            | "headers"
            | "scope"
            | "cellpadding"
            | "cellspacing"
            | "rules"
            | "frame"
            | "listType"
            | "referencedObject"
            | "revised"
            | "partType"
            | "alignment"
            | "unsorted",
        ) => Attr::Code,
        _ => Attr::Cut,
    }
}

/// Roots of national registers: they tell no hospital.
pub(super) fn is_public_root(root: &str) -> bool {
    const PUBLIC: &[&str] = &["1.2.250.1.71.4.2", "1.2.250.1.213.1.4", "2.16.840.1.113883", "2.16.724.4"];
    root.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && PUBLIC
            .iter()
            .any(|public| root.strip_prefix(public).is_some_and(|r| r.is_empty() || r.starts_with('.')))
}

/// Roots of the French national health identity, whose value is the social security number.
pub(super) fn is_social_security(root: &str) -> bool {
    matches!(
        root,
        "1.2.250.1.213.1.4.8" | "1.2.250.1.213.1.4.9" | "1.2.250.1.213.1.4.10" | "1.2.250.1.213.1.4.11"
    )
}

/// Titles that may stay.
pub(super) fn is_title(text: &str) -> bool {
    #[rustfmt::skip]
    const TITLES: &[&str] = &[
        "M", "MR", "MME", "MLLE", "MLE", "DR", "PR", "DOCTEUR", "PROFESSEUR", "MONSIEUR", "MADAME", "D", "DÑA",
        "DNA", "DON", "DOÑA", "DRA", "SR", "SRA", "PROF", "DOCTOR", "DOCTORA",
    ];
    TITLES.contains(&text.trim().trim_end_matches('.').to_uppercase().as_str())
}
