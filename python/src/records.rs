//! What is certain of each patient, sealed for the way between the processes that gather it and those that use it.
//!
//! Patients are identified by a keyed hash and their strings are encrypted under a subkey of the secret key, so what a cluster
//! writes to its temporary files tells nothing to who has not the key, the driver of the run included.

use std::collections::BTreeMap;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use taire::run::Fingerprint;
use taire::{Engine, Error, SecretKey, TrustedRecord};
use taire_text::PatientId;

use crate::{raise, raise_error};

/// As much as the command line keeps of all patients together.
const MOST_BYTES: usize = 256 << 20;
/// What an entry takes beside its strings.
const ENTRY_BYTES: usize = 64;
const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;

type Tag = [u8; TAG_BYTES];

/// Seals and opens records under one key, policy and language.
pub(crate) struct Sealer {
    key: SecretKey,
    cipher: XChaCha20Poly1305,
    /// Tells records of another key or policy.
    print: Tag,
}

impl Sealer {
    pub(crate) fn new(key: SecretKey, engine: &Engine) -> Result<Self, Error> {
        let settings = Fingerprint::of_engine(engine)?.hash().to_le_bytes();
        let cipher = XChaCha20Poly1305::new_from_slice(&*key.subkey("records", b"")?)
            .map_err(|_| Error::internal("a record cannot be sealed"))?;
        let print = first(&*key.subkey("settings of records", &settings)?);
        Ok(Sealer { key, cipher, print })
    }

    fn tag(&self, patient: &str) -> Result<Tag, Error> {
        Ok(first(&*self.key.subkey("patient of a record", patient.as_bytes())?))
    }

    fn seal(&self, tag: &Tag, record: &TrustedRecord) -> Result<Box<[u8]>, Error> {
        let failed = || Error::internal("a record cannot be sealed");
        let mut nonce = [0u8; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| failed())?;
        let payload = Payload { msg: &record.pack(), aad: tag };
        let mut sealed = nonce.to_vec();
        sealed.extend(self.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| failed())?);
        Ok(sealed.into())
    }

    fn open(&self, tag: &Tag, sealed: &[u8]) -> Result<TrustedRecord, Error> {
        let failed = || Error::input("a record was damaged on its way");
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or_else(failed)?;
        let payload = Payload { msg: sealed, aad: tag };
        let packed = self.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| failed())?;
        Ok(TrustedRecord::unpack(&packed))
    }
}

fn first(bytes: &[u8; 32]) -> Tag {
    let mut tag = Tag::default();
    tag.copy_from_slice(&bytes[..TAG_BYTES]);
    tag
}

/// What is certain of patients, sealed.
#[pyclass(module = "taire._taire", name = "Records", frozen)]
#[derive(Default)]
pub(crate) struct SealedRecords {
    /// None where nothing was gathered.
    print: Option<Tag>,
    patients: BTreeMap<Tag, Patient>,
    bytes: usize,
}

#[derive(Default)]
struct Patient {
    documents: u64,
    sealed: Vec<Box<[u8]>>,
}

impl SealedRecords {
    /// Seals what was gathered of patients, with the number of documents it comes from.
    pub(crate) fn seal(sealer: &Sealer, gathered: taire::Records) -> Result<SealedRecords, Error> {
        if gathered.left_out() > 0 {
            return Err(too_many());
        }
        let mut records = SealedRecords { print: Some(sealer.print), ..SealedRecords::default() };
        for (patient, documents, record) in gathered.into_patients() {
            let tag = sealer.tag(&patient)?;
            let sealed = if record.is_empty() { Vec::new() } else { vec![sealer.seal(&tag, &record)?] };
            records.add(tag, Patient { documents, sealed })?;
        }
        Ok(records)
    }

    fn add(&mut self, tag: Tag, patient: Patient) -> Result<(), Error> {
        self.bytes += patient.sealed.iter().map(|s| s.len()).sum::<usize>();
        let room = self.bytes + (self.patients.len() + 1) * ENTRY_BYTES;
        if room > MOST_BYTES {
            return Err(too_many());
        }
        let known = self.patients.entry(tag).or_default();
        known.documents += patient.documents;
        known.sealed.extend(patient.sealed);
        Ok(())
    }

    /// Whether these records belong to a pipeline.
    pub(crate) fn check(&self, sealer: &Sealer) -> Result<(), Error> {
        match self.print {
            Some(print) if print != sealer.print => Err(Error::usage(
                "these records were gathered with another key, policy or language; gather them anew",
            )),
            _ => Ok(()),
        }
    }

    /// What is certain of a patient over all documents; nothing where there is but one, which learns nothing from others.
    pub(crate) fn record_of(&self, sealer: &Sealer, patient: Option<&PatientId>) -> Result<TrustedRecord, Error> {
        let mut all = TrustedRecord::default();
        let Some(patient) = patient.filter(|_| !self.patients.is_empty()) else { return Ok(all) };
        let tag = sealer.tag(patient)?;
        if let Some(known) = self.patients.get(&tag).filter(|p| p.documents > 1) {
            for sealed in &known.sealed {
                all.merge(&sealer.open(&tag, sealed)?);
            }
        }
        Ok(all)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes + self.patients.len() * ENTRY_BYTES);
        let Some(print) = self.print else { return out };
        out.extend(print);
        for (tag, patient) in &self.patients {
            out.extend(tag);
            out.extend(patient.documents.to_le_bytes());
            out.extend((patient.sealed.len() as u32).to_le_bytes());
            for sealed in &patient.sealed {
                out.extend((sealed.len() as u32).to_le_bytes());
                out.extend_from_slice(sealed);
            }
        }
        out
    }

    fn parse(mut bytes: &[u8]) -> Option<SealedRecords> {
        fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
            let (head, rest) = bytes.split_first_chunk::<N>()?;
            *bytes = rest;
            Some(*head)
        }
        let mut records = SealedRecords::default();
        if bytes.is_empty() {
            return Some(records);
        }
        records.print = Some(take(&mut bytes)?);
        while !bytes.is_empty() {
            let tag = take(&mut bytes)?;
            let mut patient =
                Patient { documents: u64::from_le_bytes(take(&mut bytes)?), sealed: Vec::new() };
            for _ in 0..u32::from_le_bytes(take(&mut bytes)?) {
                let length = u32::from_le_bytes(take(&mut bytes)?) as usize;
                let (sealed, rest) = bytes.split_at_checked(length)?;
                patient.sealed.push(sealed.into());
                bytes = rest;
            }
            records.add(tag, patient).ok()?;
        }
        Some(records)
    }
}

/// The error of records that take too much room.
pub(crate) fn too_many() -> Error {
    Error::usage(format!(
        "what is certain of the patients takes more than {} MB; give fewer patients at a time, or treat each \
         document alone (`records=taire.Records()`; in Spark `records=False`)",
        MOST_BYTES >> 20
    ))
}

#[pymethods]
impl SealedRecords {
    #[new]
    fn new() -> SealedRecords {
        SealedRecords::default()
    }

    /// All of them as one.
    #[staticmethod]
    fn join(parts: Vec<PyRef<'_, SealedRecords>>) -> PyResult<SealedRecords> {
        let mut all = SealedRecords::default();
        for part in &parts {
            match (all.print, part.print) {
                (Some(a), Some(b)) if a != b => {
                    return Err(raise(
                        "these records were gathered with different keys, policies or languages",
                    ));
                }
                (None, print) => all.print = print,
                _ => {}
            }
            for (tag, patient) in &part.patients {
                let patient = Patient { documents: patient.documents, sealed: patient.sealed.clone() };
                all.add(*tag, patient).map_err(raise_error)?;
            }
        }
        Ok(all)
    }

    #[staticmethod]
    fn from_bytes(sealed: &[u8]) -> PyResult<SealedRecords> {
        SealedRecords::parse(sealed).ok_or_else(|| raise("these bytes are no records"))
    }

    #[pyo3(name = "to_bytes")]
    fn py_to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.to_bytes())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = py.get_type::<SealedRecords>().getattr("from_bytes")?;
        Ok((make, (self.py_to_bytes(py),)))
    }

    fn __len__(&self) -> usize {
        self.patients.len()
    }

    fn __repr__(&self) -> String {
        format!("Records({} patients, {} bytes)", self.patients.len(), self.bytes)
    }
}
