//! What is certain of each patient, gathered in a first reading of all their documents.
//!
//! Each patient's strings are kept folded and packed, a few hundred bytes, bounded for one patient and for all. What is
//! kept does not depend on the order of the documents, unless the bound for all is reached: then patients that come
//! later are known by each document alone, and [`Records::left_out`] counts them.

use std::collections::HashMap;

use taire_detect::TrustedRecord;
use taire_text::PatientId;

/// Room for the packed strings of all patients together.
const MOST_BYTES: usize = 256 << 20;
/// What an entry takes beside its strings.
const ENTRY_BYTES: usize = 64;

/// Trusted strings by patient. Prints counts only.
pub struct Records {
    patients: HashMap<Box<str>, Patient>,
    bytes: usize,
    most: usize,
    left_out: usize,
}

struct Patient {
    packed: Box<[u8]>,
    documents: u32,
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Records({} patients, {} bytes)", self.patients.len(), self.bytes)
    }
}

impl Default for Records {
    fn default() -> Self {
        Records { patients: HashMap::new(), bytes: 0, most: MOST_BYTES, left_out: 0 }
    }
}

impl Records {
    /// Adds what is certain in one document of a patient.
    pub fn add(&mut self, patient: &PatientId, record: &TrustedRecord) {
        self.add_documents(patient, record, 1);
    }

    /// The same, of several documents at once.
    pub(crate) fn add_documents(&mut self, patient: &PatientId, record: &TrustedRecord, documents: u32) {
        let patient = patient.as_str();
        if let Some(known) = self.patients.get_mut(patient) {
            let mut all = TrustedRecord::unpack(&known.packed);
            all.merge(record);
            let packed = all.pack();
            self.bytes = self.bytes + packed.len() - known.packed.len();
            known.packed = packed.into();
            known.documents += documents;
            return;
        }
        let packed = record.pack();
        let size = packed.len() + patient.len() + ENTRY_BYTES;
        if self.bytes + size > self.most {
            self.left_out += 1;
            return;
        }
        self.bytes += size;
        self.patients.insert(patient.into(), Patient { packed: packed.into(), documents });
    }

    /// To be called once after the last document: who has one document learns nothing from others.
    pub fn close(&mut self) {
        self.patients.retain(|_, p| p.documents > 1);
        self.patients.shrink_to_fit();
    }

    /// What is certain of a patient over all their documents.
    pub fn record_of(&self, patient: Option<&str>) -> TrustedRecord {
        let known = patient.and_then(|p| self.patients.get(p));
        known.map_or_else(TrustedRecord::default, |p| TrustedRecord::unpack(&p.packed))
    }

    /// Each patient with the number of documents and what is certain in them, in no order.
    pub fn into_patients(self) -> impl Iterator<Item = (String, u64, TrustedRecord)> {
        let unpacked = |p: Patient| (u64::from(p.documents), TrustedRecord::unpack(&p.packed));
        self.patients.into_iter().map(move |(patient, packed)| {
            let (documents, record) = unpacked(packed);
            (patient.into(), documents, record)
        })
    }

    /// How many patients have several documents.
    pub fn patients(&self) -> usize {
        self.patients.len()
    }

    /// How many documents found no room: each of these is treated by itself.
    pub fn left_out(&self) -> usize {
        self.left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Entity, Label, Note, Role, Score, Source, SourceSet, Span};

    fn record(name: &str, role: Role) -> TrustedRecord {
        let note = Note::builder("a", name).build().unwrap();
        let entity = Entity {
            span: Span::new(0, name.len()),
            label: Label::FamilyName,
            role,
            score: Score::CERTAIN,
            sources: SourceSet::from_iter([Source::Metadata]),
            doubtful_value: false,
            mentions: Vec::new(),
        };
        let mut record = TrustedRecord::default();
        record.add(&note, &[entity]);
        record
    }

    #[test]
    fn any_order_gives_the_same_record_and_patients_stay_apart() {
        let parts = [
            record("Quintrec", Role::Unknown),
            record("Quintrec", Role::Patient),
            record("Abgrall", Role::Caregiver),
        ];
        let gather = |order: [usize; 3]| {
            let mut all = Records::default();
            let id = |text: &str| PatientId::parse(text).unwrap();
            order.iter().for_each(|&i| all.add(&id("p"), &parts[i]));
            all.add(&id("q"), &record("Morvan", Role::Patient));
            all.close();
            assert!(all.record_of(Some("q")).is_empty() && all.record_of(None).is_empty());
            all.record_of(Some("p")).pack()
        };
        assert_eq!(gather([0, 1, 2]), gather([2, 1, 0]));
        assert_eq!(gather([0, 1, 2]), gather([1, 2, 0]));
        assert!(!gather([0, 1, 2]).is_empty());
    }

    #[test]
    fn a_full_store_says_so() {
        let mut all = Records { most: 200, ..Records::default() };
        let id = |i: usize| PatientId::parse(&format!("patient {i}")).unwrap();
        (0..10).for_each(|i| all.add(&id(i), &record("Quintrec", Role::Patient)));
        assert!(all.left_out() > 5 && all.bytes <= 200);
        assert_eq!(format!("{all:?}"), format!("Records({} patients, {} bytes)", all.patients(), all.bytes));
    }
}
