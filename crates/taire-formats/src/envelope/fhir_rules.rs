//! What the keys of FHIR R4 resources mean. A resource type or key that is not named here is refused or not written.

/// Types of resources that are treated.
#[rustfmt::skip]
pub(super) const RESOURCES: &[&str] = &[
    "AllergyIntolerance", "Binary", "Bundle", "CarePlan", "Composition", "Condition", "DiagnosticReport",
    "DocumentReference", "Encounter", "FamilyMemberHistory", "Immunization", "Location", "Medication",
    "MedicationAdministration", "MedicationRequest", "MedicationStatement", "Observation", "Organization", "Patient",
    "Practitioner", "PractitionerRole", "Procedure", "RelatedPerson", "ServiceRequest", "Specimen",
];

/// What an object is, which tells what its keys mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Resource,
    Name,
    Telecom,
    Address,
    Identifier,
    Reference,
    Attachment,
    Narrative,
    Other,
}

/// What becomes of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// A code, a number, a truth value.
    Code,
    /// The address of a public vocabulary.
    System,
    Text,
    Day,
    /// A date that must have a time.
    Instant,
    Birth,
    Id,
    FullUrl,
    /// An object with keys of its own.
    Inner(Kind),
    Resource,
    PersonName,
    Given,
    Family,
    WholeName,
    Title,
    Line,
    City,
    Region,
    PostalCode,
    Country,
    Value,
    Reference,
    Display,
    Data,
    ContentType,
    Html,
    /// Somebody beside the patient.
    Contact,
    Pictures,
    Links,
    Dropped,
    Refused(&'static str),
}

pub(super) fn rule(kind: Kind, resource: &str, key: &str) -> Rule {
    use Rule::*;
    match (kind, key) {
        (_, "modifierExtension") => return Refused("it holds an extension that may change its meaning"),
        (Kind::Name, _) => {
            return match key {
                "use" => Code,
                "given" => Given,
                "family" => Family,
                "text" => WholeName,
                "prefix" => Title,
                "period" => Inner(Kind::Other),
                _ => Dropped,
            };
        }
        (Kind::Telecom, _) => {
            return match key {
                "system" | "use" | "rank" => Code,
                "value" => Value,
                "period" => Inner(Kind::Other),
                _ => Dropped,
            };
        }
        (Kind::Address, _) => {
            return match key {
                "use" | "type" => Code,
                "line" => Line,
                "city" => City,
                "district" | "state" => Region,
                "postalCode" => PostalCode,
                "country" => Country,
                "period" => Inner(Kind::Other),
                _ => Dropped,
            };
        }
        (Kind::Identifier, _) => {
            return match key {
                "use" => Code,
                "type" | "period" => Inner(Kind::Other),
                "system" => System,
                "value" => Value,
                _ => Dropped,
            };
        }
        (Kind::Reference, _) => {
            return match key {
                "reference" => Reference,
                "type" => Code,
                "identifier" => Inner(Kind::Identifier),
                "display" => Display,
                _ => Dropped,
            };
        }
        (Kind::Attachment, _) => {
            return match key {
                "contentType" => ContentType,
                "language" => Code,
                "data" => Data,
                "url" => Links,
                "title" => Text,
                "creation" => Day,
                _ => Dropped,
            };
        }
        (Kind::Narrative, _) => {
            return match key {
                "status" => Code,
                "div" => Html,
                _ => Dropped,
            };
        }
        (Kind::Resource | Kind::Other, _) => {}
    }
    let person = matches!(resource, "Patient" | "Practitioner" | "RelatedPerson");
    match key {
        "id" if kind == Kind::Resource => Id,
        "resourceType" => Code,
        "contained" | "resource" => Resource,
        "entry" if resource == "Bundle" => Inner(Kind::Other),
        "fullUrl" => FullUrl,
        "photo" => Pictures,
        "data" if resource == "Binary" => Data,
        "contentType" if resource == "Binary" => ContentType,
        "name" if person => PersonName,
        "name" => Text,
        "contact" if resource == "Patient" => Contact,
        "telecom" => Inner(Kind::Telecom),
        "address" => Inner(Kind::Address),
        "identifier" | "masterIdentifier" | "groupIdentifier" => Inner(Kind::Identifier),
        "birthDate" => Birth,
        "attachment" => Inner(Kind::Attachment),
        "content" if resource == "DocumentReference" => Inner(Kind::Other),
        "content" | "presentedForm" => Inner(Kind::Attachment),
        "date" if resource == "DocumentReference" => Instant,
        "issued" | "timestamp" | "effectiveInstant" => Instant,
        "date" | "start" | "end" | "authoredOn" | "recordedDate" | "onsetDateTime" | "effectiveDateTime"
        | "abatementDateTime" | "performedDateTime" | "occurrenceDateTime" | "deceasedDateTime"
        | "recorded" | "dateAsserted" | "lastOccurrence" | "valueDateTime" | "time" | "created"
        | "expirationDate" | "deceasedDate" | "bornDate" | "collectedDateTime" | "receivedTime" => Day,
        "subject"
        | "patient"
        | "author"
        | "custodian"
        | "encounter"
        | "party"
        | "performer"
        | "actor"
        | "practitioner"
        | "organization"
        | "managingOrganization"
        | "generalPractitioner"
        | "serviceProvider"
        | "individual"
        | "participantActor"
        | "recorder"
        | "asserter"
        | "requester"
        | "location"
        | "partOf"
        | "basedOn"
        | "hasMember"
        | "derivedFrom"
        | "specimen"
        | "result"
        | "resultsInterpreter"
        | "focus"
        | "securityContext"
        | "informationSource"
        | "context"
        | "sourcePatientInfo"
        | "related"
        | "evidence"
        | "reasonReference"
        | "medicationReference"
        | "detail"
        | "authenticator"
        | "target"
        | "other" => Inner(Kind::Reference),
        "entry" => Inner(Kind::Reference),
        "system" => System,
        "title" | "description" | "display" | "comment" | "conclusion" | "valueString"
        | "patientInstruction" | "onsetString" | "abatementString" | "lotNumber" | "unit" => Text,
        "text" => Text,
        "status"
        | "docStatus"
        | "gender"
        | "mode"
        | "code"
        | "version"
        | "language"
        | "use"
        | "rank"
        | "value"
        | "comparator"
        | "intent"
        | "priority"
        | "active"
        | "deceasedBoolean"
        | "multipleBirthBoolean"
        | "multipleBirthInteger"
        | "valueBoolean"
        | "valueInteger"
        | "method"
        | "total"
        | "userSelected"
        | "criticality"
        | "clinicalStatus"
        | "verificationStatus"
        | "severity"
        | "category"
        | "type"
        | "kind"
        | "preferred"
        | "experimental"
        | "doNotPerform"
        | "asNeededBoolean"
        | "sequence"
        | "primarySource" => Code,
        "coding"
        | "class"
        | "confidentiality"
        | "securityLabel"
        | "format"
        | "facilityType"
        | "practiceSetting"
        | "relationship"
        | "maritalStatus"
        | "communication"
        | "qualification"
        | "specialty"
        | "bodySite"
        | "interpretation"
        | "dataAbsentReason"
        | "valueCodeableConcept"
        | "valueQuantity"
        | "valuePeriod"
        | "valueRange"
        | "valueRatio"
        | "numerator"
        | "denominator"
        | "low"
        | "high"
        | "referenceRange"
        | "component"
        | "section"
        | "event"
        | "period"
        | "effectivePeriod"
        | "onsetPeriod"
        | "onsetAge"
        | "abatementPeriod"
        | "performedPeriod"
        | "occurrencePeriod"
        | "participant"
        | "attester"
        | "note"
        | "reaction"
        | "substance"
        | "manifestation"
        | "stage"
        | "summary"
        | "dosage"
        | "dosageInstruction"
        | "doseAndRate"
        | "doseQuantity"
        | "route"
        | "timing"
        | "repeat"
        | "reasonCode"
        | "conclusionCode"
        | "medicationCodeableConcept"
        | "vaccineCode"
        | "orderedBy"
        | "emptyReason"
        | "relatesTo"
        | "hospitalization"
        | "dischargeDisposition"
        | "admitSource"
        | "length"
        | "diagnosis"
        | "condition"
        | "serviceType"
        | "site"
        | "role"
        | "physicalType"
        | "media"
        | "collection"
        | "outcome"
        | "complication" => Inner(Kind::Other),
        _ => Dropped,
    }
}

/// Whether a vocabulary or register is public: its address tells no hospital.
pub(super) fn is_public_system(uri: &str) -> bool {
    const HOSTS: &[&str] = &[
        "hl7.org",
        "terminology.hl7.org",
        "loinc.org",
        "snomed.info",
        "unitsofmeasure.org",
        "www.whocc.no",
        "www.who.int",
        "www.nlm.nih.gov",
        "mos.esante.gouv.fr",
        "smt.esante.gouv.fr",
        "interopsante.org",
        "rpps.esante.gouv.fr",
        "dicom.nema.org",
    ];
    if let Some(oid) = uri.strip_prefix("urn:oid:") {
        return super::cda_rules::is_public_root(oid);
    }
    let host = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"));
    let host = host.and_then(|rest| rest.split('/').next()).unwrap_or(uri);
    HOSTS.contains(&host) || uri == "urn:ietf:bcp:47" || uri == "urn:ietf:rfc:3986"
}

/// What a reference that does not tell leads to, by the key it stands under.
pub(super) fn usual_target(key: &str) -> &'static str {
    match key {
        "subject" | "patient" | "sourcePatientInfo" => "Patient",
        "custodian" | "organization" | "managingOrganization" | "serviceProvider" | "location" => {
            "Organization"
        }
        "encounter"
        | "specimen"
        | "partOf"
        | "basedOn"
        | "hasMember"
        | "derivedFrom"
        | "result"
        | "focus"
        | "evidence"
        | "reasonReference"
        | "medicationReference"
        | "context"
        | "entry"
        | "detail"
        | "target" => "Observation",
        _ => "Practitioner",
    }
}
