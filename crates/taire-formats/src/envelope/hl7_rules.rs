//! What the fields of HL7 v2 segments are. A segment or field that is not named here is not written.

/// How a field is treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    /// Codes and numbers of the standard.
    Keep,
    /// A coded element: code, text, system, twice.
    Coded,
    Text,
    Day,
    Birth,
    PersonName,
    /// A name of a relative: the mother's.
    RelativeName,
    /// A professional: number and name.
    Professional,
    Address,
    Phone,
    Institution,
    Location,
    /// A number of the patient.
    PatientNumber,
    VisitNumber,
    SocialSecurity,
    /// A number of an order, a document or somebody else.
    Number,
    BirthPlace,
    /// The value of an observation, by its type.
    Observed,
    Dropped,
}

/// Fields of a segment, from 1; `None` if the segment is not known.
pub(super) fn field(segment: &str, number: usize) -> Option<Field> {
    use Field::*;
    Some(match segment {
        "MSH" => match number {
            7 => Day,
            9 | 11..=13 | 15..=20 => Keep,
            10 => Number,
            21 => Keep,
            _ => Dropped,
        },
        "EVN" => match number {
            1 => Keep,
            2 | 3 | 6 => Day,
            4 => Coded,
            5 => Professional,
            _ => Dropped,
        },
        "PID" => match number {
            1 | 8 | 24 | 25 | 30..=32 => Keep,
            2..=4 => PatientNumber,
            5 | 9 => PersonName,
            6 => RelativeName,
            7 => Birth,
            10 | 12 | 15..=17 | 22 | 26..=28 => Coded,
            11 => Address,
            13 | 14 => Phone,
            18 => VisitNumber,
            19 => SocialSecurity,
            21 => Number,
            23 => BirthPlace,
            29 | 33 => Day,
            _ => Dropped,
        },
        "PD1" => match number {
            1 | 2 | 5..=8 | 11 | 12 | 15..=17 => Coded,
            3 | 14 => Institution,
            4 => Professional,
            13 | 18 => Day,
            _ => Dropped,
        },
        "NK1" => match number {
            1 | 15 => Keep,
            2 | 30 => PersonName,
            3 | 7 | 14 => Coded,
            4 | 32 => Address,
            5 | 6 | 31 => Phone,
            8 | 9 => Day,
            12 | 33 => Number,
            13 => Institution,
            16 => Birth,
            _ => Dropped,
        },
        "PV1" => match number {
            1 | 2 => Keep,
            3 | 6 | 11 | 42 | 43 => Location,
            4 | 10 | 12..=16 | 18 | 21..=24 | 36 | 38 | 40 | 41 | 51 => Coded,
            5 | 19 | 50 => VisitNumber,
            7..=9 | 17 | 52 => Professional,
            44 | 45 => Day,
            _ => Dropped,
        },
        "PV2" => match number {
            1 => Location,
            2..=4 | 7 | 18 | 21 => Coded,
            8 | 9 => Day,
            10..=12 => Keep,
            13 => Professional,
            _ => Dropped,
        },
        "ORC" => match number {
            1 | 6 => Keep,
            2..=4 => Number,
            5 | 16 | 17 | 20 | 25 => Coded,
            9 | 15 => Day,
            10..=12 | 19 => Professional,
            13 => Location,
            14 | 23 => Phone,
            21 => Institution,
            22 | 24 => Address,
            _ => Dropped,
        },
        "OBR" => match number {
            1 | 5 | 9 | 11 | 24 | 25 | 30 | 37 => Keep,
            2 | 3 => Number,
            4 | 12 | 15 | 31 | 38 | 44 | 45 => Coded,
            6..=8 | 14 | 22 | 36 => Day,
            10 | 16 | 28 => Professional,
            13 | 39 => Text,
            17 => Phone,
            _ => Dropped,
        },
        "OBX" => match number {
            1 | 2 | 4 | 8..=11 => Keep,
            3 | 6 | 17 | 20 => Coded,
            5 => Observed,
            7 => Text,
            12 | 14 | 19 => Day,
            16 | 25 => Professional,
            23 => Institution,
            24 => Address,
            _ => Dropped,
        },
        "TXA" => match number {
            1 => Keep,
            2 | 3 | 17..=21 => Coded,
            4 | 6..=8 => Day,
            5 | 9..=11 | 22 | 23 => Professional,
            12..=15 => Number,
            _ => Dropped,
        },
        "NTE" => match number {
            1 | 2 => Keep,
            3 => Text,
            4 => Coded,
            _ => Dropped,
        },
        "AL1" => match number {
            1 => Keep,
            2..=4 => Coded,
            5 => Text,
            6 => Day,
            _ => Dropped,
        },
        "DG1" => match number {
            1 | 15 | 17 => Keep,
            2 | 3 | 6 => Coded,
            4 => Text,
            5 | 19 => Day,
            16 => Professional,
            _ => Dropped,
        },
        _ => return None,
    })
}

/// How the value of an observation is treated, by its type; `None` if the type is not known.
pub(super) fn observed(kind: &str) -> Option<Field> {
    Some(match kind {
        "TX" | "FT" | "ST" => Field::Text,
        "NM" | "SN" | "ID" | "IS" => Field::Keep,
        "CE" | "CWE" | "CNE" | "CF" => Field::Coded,
        "DT" | "TS" | "DTM" => Field::Day,
        "XPN" => Field::PersonName,
        "XCN" => Field::Professional,
        "XAD" => Field::Address,
        "XTN" => Field::Phone,
        "XON" => Field::Institution,
        "CX" | "EI" => Field::Number,
        "RP" | "TM" => Field::Dropped,
        _ => return None,
    })
}
