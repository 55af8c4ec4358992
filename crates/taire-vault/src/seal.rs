//! Sealing entries and opening them: subkeys, keyed hashes, the layout of the plaintext.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use taire_surrogate::SecretKey;
use taire_text::fold;
use zeroize::Zeroizing;

use crate::Error;

pub(crate) const VAULT_ID: usize = 16;
const ID: usize = 16;
const LOOKUP: usize = 32;
const NONCE: usize = 24;
/// Sealed lengths are multiples of this, so that they reveal little.
const BLOCK: usize = 64;

/// One surrogate and what it stands for.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub label: &'a str,
    pub surrogate: &'a str,
    pub original: &'a str,
    /// The patient as the source names them; entries of one patient are kept once, whatever the document.
    pub patient: Option<&'a str>,
    /// The patient as the output names them.
    pub patient_surrogate: Option<&'a str>,
    pub document: &'a str,
}

impl std::fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Entry({})", self.label)
    }
}

/// An entry ready to be stored; it shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed {
    pub(crate) id: [u8; ID],
    pub(crate) lookup: [u8; LOOKUP],
    pub(crate) nonce: [u8; NONCE],
    pub(crate) bytes: Vec<u8>,
}

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<sealed>")
    }
}

/// What an entry says once opened, in the order it was written: label, surrogate, original, patient, the patient's
/// surrogate, document.
pub(crate) struct Opened {
    fields: [Zeroizing<String>; 6],
}

impl Opened {
    pub(crate) fn field(&self, field: Field) -> &str {
        &self.fields[field as usize]
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Field {
    Label = 0,
    Original = 2,
    Patient = 3,
    PatientSurrogate = 4,
    Document = 5,
}

/// Seals and opens the entries of one vault. Threads share it.
#[derive(Clone)]
pub struct Sealer {
    vault: [u8; VAULT_ID],
    cipher: XChaCha20Poly1305,
    ids: Hmac<Sha256>,
    lookups: Hmac<Sha256>,
    audit: Hmac<Sha256>,
    check: [u8; 32],
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<Sealer>")
    }
}

impl Sealer {
    pub(crate) fn new(key: &SecretKey, vault: [u8; VAULT_ID]) -> Result<Self, Error> {
        let subkey = |purpose| key.subkey(purpose, &vault).map_err(Error::from);
        let unusable = |_| Error::usage("the vault key cannot be used: make another with `taire key new`");
        let mac = |purpose| Hmac::new_from_slice(subkey(purpose)?.as_slice()).map_err(unusable);
        Ok(Sealer {
            vault,
            cipher: XChaCha20Poly1305::new_from_slice(subkey("vault seal")?.as_slice()).map_err(unusable)?,
            ids: mac("vault id")?,
            lookups: mac("vault lookup")?,
            audit: mac("vault audit")?,
            check: hash(&mac("vault check")?, &[b"taire-vault-1"]),
        })
    }

    /// Shows whether a key is the right one.
    pub(crate) fn check(&self) -> &[u8; 32] {
        &self.check
    }

    pub(crate) fn audit_mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        hash(&self.audit, parts)
    }

    /// Where entries of a surrogate are found. Case and accents do not count.
    pub(crate) fn lookup(&self, surrogate: &str) -> [u8; LOOKUP] {
        hash(&self.lookups, &[fold(surrogate.trim()).as_bytes()])
    }

    pub fn seal(&self, entry: &Entry<'_>) -> Result<Sealed, Error> {
        let document = if entry.patient.is_some() { "" } else { entry.document };
        let fields = [
            entry.label,
            entry.surrogate,
            entry.original,
            entry.patient.unwrap_or_default(),
            entry.patient_surrogate.unwrap_or_default(),
            document,
        ];
        let mut id = [0; ID];
        id.copy_from_slice(&hash(&self.ids, &fields.map(str::as_bytes))[..ID]);
        let lookup = self.lookup(entry.surrogate);
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce)
            .map_err(|_| Error::io("the system gives no random bytes; an entry needs 24: try again"))?;
        let mut plain = Zeroizing::new(Vec::with_capacity(2 * BLOCK));
        for field in fields {
            let length = u32::try_from(field.len()).map_err(|_| Error::refused("an entry is over 4 GB"))?;
            plain.extend_from_slice(&length.to_le_bytes());
            plain.extend_from_slice(field.as_bytes());
        }
        let padded = plain.len().next_multiple_of(BLOCK);
        plain.resize(padded, 0);
        let bytes = self
            .cipher
            .encrypt(&XNonce::from(nonce), Payload { msg: &plain, aad: &self.bound(&id, &lookup) })
            .map_err(|_| Error::internal("an entry cannot be sealed"))?;
        Ok(Sealed { id, lookup, nonce, bytes })
    }

    /// What an entry is bound to: moved elsewhere, it does not open.
    fn bound(&self, id: &[u8], lookup: &[u8]) -> Vec<u8> {
        [b"taire-vault-1".as_slice(), &self.vault, id, lookup].concat()
    }

    pub(crate) fn open(&self, id: &[u8], lookup: &[u8], nonce: &[u8], bytes: &[u8]) -> Result<Opened, Error> {
        let changed = || {
            Error::usage(
                "an entry of the vault was changed and does not open: nothing is shown; restore the file",
            )
        };
        let nonce: [u8; NONCE] = nonce.try_into().map_err(|_| changed())?;
        let aad = self.bound(id, lookup);
        let plain = self
            .cipher
            .decrypt(&XNonce::from(nonce), Payload { msg: bytes, aad: &aad })
            .map_err(|_| changed())?;
        let plain = Zeroizing::new(plain);
        let mut rest = plain.as_slice();
        let mut next = || {
            let (length, after) = rest.split_at_checked(4)?;
            let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
            let (field, after) = after.split_at_checked(length)?;
            rest = after;
            Some(Zeroizing::new(std::str::from_utf8(field).ok()?.to_owned()))
        };
        let mut fields: [Zeroizing<String>; 6] = Default::default();
        for field in &mut fields {
            *field = next().ok_or_else(changed)?;
        }
        Ok(Opened { fields })
    }
}

/// A keyed hash of parts that do not run together.
fn hash(mac: &Hmac<Sha256>, parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = mac.clone();
    for part in parts {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}
