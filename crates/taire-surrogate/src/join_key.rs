//! Surrogates of ids that join tables: patients, stays, documents. They are permuted, not drawn.
//!
//! A drawn surrogate may be drawn twice, and then two patients become one. Here every id belongs to one class of ids of like
//! form, and a keyed permutation of that class gives its surrogate, so two ids never share one.
//!
//! | form of the id | class | surrogate |
//! |---|---|---|
//! | whole number of up to 7 digits | all of them | number of up to 7 digits |
//! | longer whole number, up to 28 digits | same length, same side of the limits of 32- and 64-bit integers | same |
//! | digits that begin with 0 | up to 8 digits: all of them; longer: same length | begins with 0 |
//! | UUID, or 32 hexadecimal digits | same layout | UUID or hexadecimal |
//! | other ASCII | same layout: digits, capitals, small letters and marks in place; the last run of up to 7 digits may grow to 7 | same layout |
//! | anything else: other letters, too few or too many values | all of them | `t` and 32 hexadecimal digits |
//!
//! Short runs of digits share one class with longer ones so that no permutation has fewer than a million values. The permutation is
//! FF1 (NIST SP 800-38G, revision 1) with AES-256 over the rank of the id in its class, walked until it falls into the class; for UUIDs it is one
//! block of AES-256. The last row is 128 bits of HMAC-SHA-512: a collision there has a chance of 2^-89 among a million ids, and
//! runs check for it.
//!
//! The fingerprint of the rewrite settings is part of each permutation's key: tables that shall join are written under one policy.
//!
//! A permutation may leave an id as it is. That happens to one id in the whole class on average, and excluding it would show
//! what an id is not.

use aes::Aes256;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use fpe::ff1::{FF1, FlexibleNumeralString};
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

use crate::fingerprint::SettingsFingerprint;
use crate::{Error, SecretKey};

/// What an id names. Ids of different kinds have independent permutations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IdKind {
    /// A person.
    Patient,
    /// A stay or an encounter.
    Visit,
    /// A document or a row.
    Document,
    /// A file or a folder.
    File,
}

impl IdKind {
    const ALL: [IdKind; 4] = [IdKind::Patient, IdKind::Visit, IdKind::Document, IdKind::File];

    fn purpose(self) -> &'static str {
        match self {
            IdKind::Patient => "patient id",
            IdKind::Visit => "visit id",
            IdKind::Document => "document id",
            IdKind::File => "file name",
        }
    }
}

/// How ids that join tables are replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdStyle {
    /// By another id of the same form.
    #[default]
    Permute,
    /// By `t` and 32 hexadecimal digits, whatever the form.
    Token,
}

/// Digits up to which runs of digits share one class.
const SHORT_DIGITS: usize = 7;
/// Ids with more values than this in their class become tokens: ranks must fit, with room for the walk.
const MAX_CLASS_BITS: u32 = 96;
/// FF1 asks for a million values.
const MIN_CLASS: u128 = 1_000_000;

/// The permutations of one key under one table of settings.
pub(crate) struct JoinKeys {
    style: IdStyle,
    permutations: [Permutation; 4],
}

struct Permutation {
    ff1: FF1<Aes256>,
    block: Aes256,
    token_key: Zeroizing<[u8; 32]>,
}

impl JoinKeys {
    pub(crate) fn new(
        key: &SecretKey,
        settings: &SettingsFingerprint,
        style: IdStyle,
    ) -> Result<JoinKeys, Error> {
        let permutation = |kind: IdKind| {
            // The fingerprint has a fixed length, so its end is known.
            let subkey = |part: &[u8]| key.subkey(kind.purpose(), &[settings.as_bytes(), part].concat());
            let unusable = |_| Error::new("the key cannot be used: make another");
            Ok(Permutation {
                ff1: FF1::new(subkey(b"ff1")?.as_slice(), 2).map_err(unusable)?,
                block: Aes256::new(&Array::from(*subkey(b"block")?)),
                token_key: subkey(b"token")?,
            })
        };
        let [patient, visit, document, file] = IdKind::ALL.map(permutation);
        Ok(JoinKeys { style, permutations: [patient?, visit?, document?, file?] })
    }

    /// The surrogate of an id. Different ids have different surrogates.
    pub(crate) fn surrogate(&self, kind: IdKind, id: &str) -> String {
        let permutation = &self.permutations[kind as usize];
        let permuted = match self.style {
            IdStyle::Token => None,
            IdStyle::Permute => permutation.uuid(id).or_else(|| permutation.ranked(id)),
        };
        permuted.unwrap_or_else(|| permutation.token(id))
    }
}

impl JoinKeys {
    /// A name for a file or a folder: 24 hexadecimal digits, drawn from its path.
    pub(crate) fn file_name(&self, path: &[u8]) -> String {
        let token = self.permutations[IdKind::File as usize].token(path);
        token[1..25].to_owned()
    }

    /// An id that nothing but one document has: always a token, since a permutation of pairs has no form to keep.
    pub(crate) fn unlinked(&self, kind: IdKind, document: &str) -> String {
        self.permutations[kind as usize].token(format!("unlinked {document}"))
    }
}

impl Permutation {
    /// A UUID or 32 hexadecimal digits of one case, as one block of the cipher.
    fn uuid(&self, id: &str) -> Option<String> {
        let hex: String = id.chars().filter(|&c| c != '-').collect();
        let hyphens: Vec<usize> =
            id.bytes().enumerate().filter(|(_, b)| *b == b'-').map(|(i, _)| i).collect();
        let upper = hex.contains(|c: char| c.is_ascii_uppercase());
        let one_case = !(upper && hex.contains(|c: char| c.is_ascii_lowercase()));
        if hex.len() != 32 || !one_case || !(hyphens.is_empty() || hyphens == [8, 13, 18, 23]) {
            return None;
        }
        let mut block = Array::from(u128::from_str_radix(&hex, 16).ok()?.to_be_bytes());
        loop {
            self.block.encrypt_block(&mut block);
            let value = u128::from_be_bytes(block.into());
            let lower = format!("{value:032x}");
            // Digits alone count as small letters: the class of capitals must not run into them.
            if upper && !lower.contains(|c: char| c.is_ascii_lowercase()) {
                continue;
            }
            let mut out = if upper { lower.to_ascii_uppercase() } else { lower };
            hyphens.iter().for_each(|&at| out.insert(at, '-'));
            return Some(out);
        }
    }

    fn ranked(&self, id: &str) -> Option<String> {
        let class = Class::of(id)?;
        let rank = class.rank(id)?;
        class.unrank(self.permute(&class.name, rank, class.size)?)
    }

    /// The keyed permutation of `0..size`, different for each `class`.
    fn permute(&self, class: &str, rank: u128, size: u128) -> Option<u128> {
        let bits = u128::BITS - (size - 1).leading_zeros();
        let mut value = rank;
        loop {
            let numerals: Vec<u16> = (0..bits).map(|bit| (value >> bit & 1) as u16).collect();
            let permuted = self.ff1.encrypt(class.as_bytes(), &FlexibleNumeralString::from(numerals)).ok()?;
            let numerals = Vec::<u16>::from(permuted);
            value = numerals.iter().enumerate().fold(0, |sum, (bit, &b)| sum | u128::from(b) << bit);
            if value < size {
                return Some(value);
            }
        }
    }

    fn token(&self, id: impl AsRef<[u8]>) -> String {
        // The key is of fixed length and secret, and SHA-512 is cut to a quarter: no length extension.
        let digest = Sha512::new().chain_update(self.token_key.as_slice()).chain_update(id).finalize();
        let hex: String = digest[..16].iter().map(|b| format!("{b:02x}")).collect();
        format!("t{hex}")
    }
}

/// Ids of like form, in an order of their own.
struct Class {
    /// Differs between classes.
    name: String,
    size: u128,
    form: Form,
}

enum Form {
    /// Whole numbers from this one on.
    NumbersFrom(u128),
    /// Digits that begin with a zero, from so many to so many.
    Zeros(usize, usize),
    /// One entry for each place.
    Layout(Vec<Place>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Digit,
    Upper,
    Lower,
    Mark(char),
    /// One to [`SHORT_DIGITS`] digits.
    ShortRun,
}

impl Place {
    fn values(self) -> u128 {
        match self {
            Place::Digit => 10,
            Place::Upper | Place::Lower => 26,
            Place::Mark(_) => 1,
            Place::ShortRun => short_runs(SHORT_DIGITS),
        }
    }
}

fn power(exponent: usize) -> u128 {
    10u128.pow(exponent as u32)
}

/// How many runs of one to `longest` digits there are.
fn short_runs(longest: usize) -> u128 {
    (1..=longest).map(power).sum()
}

impl Class {
    fn of(id: &str) -> Option<Class> {
        if id.is_empty() || !id.bytes().all(|b| (b' '..=b'~').contains(&b)) {
            return None;
        }
        let class = match id.bytes().all(|b| b.is_ascii_digit()) {
            true => Class::digits(id)?,
            false => Class::layout(id)?,
        };
        (class.size >= MIN_CLASS && class.size.ilog2() < MAX_CLASS_BITS).then_some(class)
    }

    fn digits(id: &str) -> Option<Class> {
        let length = id.len();
        if length > 28 {
            return None;
        }
        if id.starts_with('0') && length > 1 {
            let (from, to) =
                if length <= SHORT_DIGITS + 1 { (2, SHORT_DIGITS + 1) } else { (length, length) };
            let size = (from..=to).map(|n| power(n - 1)).sum();
            return Some(Class { name: format!("zeros {from} {to}"), size, form: Form::Zeros(from, to) });
        }
        if length <= SHORT_DIGITS {
            let end = power(SHORT_DIGITS);
            return Some(Class { name: "short numbers".to_owned(), size: end, form: Form::NumbersFrom(0) });
        }
        let value: u128 = id.parse().ok()?;
        let (mut from, mut end) = (power(length - 1), power(length));
        for limit in [1u128 << 31, 1 << 32, 1 << 63, 1 << 64] {
            if (from..end).contains(&limit) {
                (from, end) = if value < limit { (from, limit) } else { (limit, end) };
            }
        }
        Some(Class {
            name: format!("numbers from {from} to {end}"),
            size: end - from,
            form: Form::NumbersFrom(from),
        })
    }

    fn layout(id: &str) -> Option<Class> {
        let bytes = id.as_bytes();
        // The last run of digits, if it is short.
        let run_end = bytes.iter().rposition(u8::is_ascii_digit).map(|at| at + 1);
        let run = run_end.map(|end| {
            let start = bytes[..end].iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |at| at + 1);
            start..end
        });
        let run = run.filter(|run| run.len() <= SHORT_DIGITS);
        let mut places = Vec::with_capacity(bytes.len());
        let mut name = String::from("layout ");
        let mut size = 1u128;
        for (at, &byte) in bytes.iter().enumerate() {
            let place = match &run {
                Some(run) if run.start == at => Place::ShortRun,
                Some(run) if run.contains(&at) => continue,
                _ => match byte {
                    b'0'..=b'9' => Place::Digit,
                    b'A'..=b'Z' => Place::Upper,
                    b'a'..=b'z' => Place::Lower,
                    other => Place::Mark(char::from(other)),
                },
            };
            match place {
                Place::Digit => name.push('9'),
                Place::Upper => name.push('A'),
                Place::Lower => name.push('a'),
                Place::ShortRun => name.push('1'),
                Place::Mark(mark) => name.extend(['\\', mark]),
            }
            size = size.checked_mul(place.values())?;
            places.push(place);
        }
        Some(Class { name, size, form: Form::Layout(places) })
    }

    fn rank(&self, id: &str) -> Option<u128> {
        match &self.form {
            Form::NumbersFrom(from) => Some(id.parse::<u128>().ok()? - from),
            Form::Zeros(shortest, _) => {
                let shorter: u128 = (*shortest..id.len()).map(|n| power(n - 1)).sum();
                Some(shorter + id[1..].parse::<u128>().ok()?)
            }
            Form::Layout(places) => {
                let mut rest = id;
                let mut rank = 0;
                for &place in places {
                    let width = match place {
                        Place::ShortRun => rest.bytes().take_while(u8::is_ascii_digit).count(),
                        _ => 1,
                    };
                    let (piece, after) = rest.split_at_checked(width)?;
                    let value = match place {
                        Place::Digit => u128::from(piece.as_bytes()[0] - b'0'),
                        Place::Upper => u128::from(piece.as_bytes()[0] - b'A'),
                        Place::Lower => u128::from(piece.as_bytes()[0] - b'a'),
                        Place::Mark(_) => 0,
                        Place::ShortRun => short_runs(width - 1) + piece.parse::<u128>().ok()?,
                    };
                    rank = rank * place.values() + value;
                    rest = after;
                }
                Some(rank)
            }
        }
    }

    fn unrank(&self, rank: u128) -> Option<String> {
        match &self.form {
            Form::NumbersFrom(from) => Some((from + rank).to_string()),
            Form::Zeros(shortest, longest) => {
                let mut rank = rank;
                for length in *shortest..=*longest {
                    let of_length = power(length - 1);
                    if rank < of_length {
                        return Some(format!("0{rank:0width$}", width = length - 1));
                    }
                    rank -= of_length;
                }
                None
            }
            Form::Layout(places) => {
                let mut rank = rank;
                let mut pieces: Vec<String> = Vec::with_capacity(places.len());
                for &place in places.iter().rev() {
                    let value = rank % place.values();
                    rank /= place.values();
                    pieces.push(match place {
                        Place::Digit => char::from(b'0' + value as u8).to_string(),
                        Place::Upper => char::from(b'A' + value as u8).to_string(),
                        Place::Lower => char::from(b'a' + value as u8).to_string(),
                        Place::Mark(mark) => mark.to_string(),
                        Place::ShortRun => {
                            let width = (1..=SHORT_DIGITS).find(|&w| value < short_runs(w))?;
                            format!("{:0width$}", value - short_runs(width - 1))
                        }
                    });
                }
                pieces.reverse();
                Some(pieces.concat())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn keys(seed: u8) -> JoinKeys {
        let settings = SettingsFingerprint::for_tests();
        JoinKeys::new(&SecretKey::from_bytes(&[seed; 32]).unwrap(), &settings, IdStyle::Permute).unwrap()
    }

    fn patient(id: &str) -> String {
        keys(7).surrogate(IdKind::Patient, id)
    }

    #[test]
    fn numbers_stay_numbers_that_fit_their_column() {
        for id in ["0", "7", "800417", "9999999"] {
            let new: u32 = patient(id).parse().unwrap();
            assert!(new < 10_000_000 && patient(id) == new.to_string(), "{id}");
        }
        for id in ["80041702", "1999999999", "8004170236"] {
            assert_eq!(patient(id).len(), id.len());
            assert!(!patient(id).starts_with('0'));
        }
        assert!(patient("1999999999").parse::<i32>().is_ok(), "a 32-bit column must hold it");
        assert!(patient(&i64::MAX.to_string()).parse::<i64>().is_ok(), "a 64-bit column must hold it");
        assert!(patient("007").starts_with('0') && patient("0012345678").len() == 10);
    }

    #[test]
    fn layouts_and_uuids_are_kept() {
        let id = patient("ab-123/X 4567");
        let shape = |id: &str| -> String {
            id.chars()
                .map(|c| match c {
                    '0'..='9' => '9',
                    'A'..='Z' => 'A',
                    'a'..='z' => 'a',
                    c => c,
                })
                .collect()
        };
        assert!(shape(&id).starts_with("aa-999/A 9"), "{id}");
        let uuid = "6fa459ea-ee8a-3ca4-894e-db77e160355e";
        assert_eq!(shape(&patient(uuid)).replace('a', "9"), "99999999-9999-9999-9999-999999999999");
        assert_ne!(patient(uuid), uuid);
        assert!(patient("6FA459EAEE8A3CA4894EDB77E160355E").chars().all(|c| !c.is_ascii_lowercase()));
    }

    #[test]
    fn other_letters_and_small_classes_become_tokens() {
        for id in ["Élodie-12", "患者7", "AB", "x", &"9".repeat(40)] {
            let token = patient(id);
            assert!(token.len() == 33 && token.starts_with('t'), "{id}: {token}");
        }
        assert_ne!(patient("Élodie-12"), patient("Elodie-12"));
    }

    #[test]
    fn kinds_and_keys_are_independent_and_draws_repeat() {
        assert_eq!(patient("800417"), patient("800417"));
        assert_ne!(patient("800417"), keys(8).surrogate(IdKind::Patient, "800417"));
        assert_ne!(patient("800417"), keys(7).surrogate(IdKind::Visit, "800417"));
    }

    #[test]
    fn ids_of_mixed_shapes_never_share_a_surrogate() {
        let keys = keys(3);
        let mut seen = HashSet::new();
        let mut count = 0;
        for n in 0..12_000u32 {
            for id in [
                n.to_string(),
                format!("{n:07}"),
                format!("{n:05}"),
                format!("8{n:09}"),
                format!("PAT-{n}"),
                format!("pat-{n}"),
                format!("{n}-A"),
                format!("É{n}"),
            ] {
                count += usize::from(
                    seen.insert(id.clone())
                        && seen.insert(format!(">{}", keys.surrogate(IdKind::Patient, &id))),
                );
            }
        }
        let originals = seen.iter().filter(|s| !s.starts_with('>')).count();
        assert_eq!((count, seen.len()), (originals, 2 * originals));
    }

    proptest! {
        #[test]
        fn ranks_come_back(id in "[0-9]{1,28}|[A-Za-z]{1,3}[-/ ]?[0-9]{1,12}[A-Z]?|0[0-9]{1,11}|[ -~]{1,14}") {
            if let Some(class) = Class::of(&id) {
                let rank = class.rank(&id).unwrap();
                prop_assert!(rank < class.size);
                prop_assert_eq!(class.unrank(rank).unwrap(), id);
            }
        }

        #[test]
        fn a_surrogate_is_of_the_class_of_its_id(id in "[0-9]{1,28}|[A-Za-z]{1,3}[-/ ]?[0-9]{1,12}[A-Z]?|[ -~]{1,14}") {
            let new = patient(&id);
            match Class::of(&id) {
                Some(class) => prop_assert_eq!(Class::of(&new).unwrap().name, class.name),
                None => prop_assert_eq!(new.len(), 33),
            }
        }
    }
}
