//! What the mechanisms of a run lost, as its report tells it: each figure with the inputs it holds between.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use taire_surrogate::{Loss, Release};

/// Losses of many documents: how many lost something, and how much each on average and at most.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Documents that lost something.
    pub documents: usize,
    #[serde(serialize_with = "bound", deserialize_with = "unbound")]
    /// The mean loss of these.
    pub mean: f64,
    #[serde(serialize_with = "bound", deserialize_with = "unbound")]
    /// The largest loss.
    pub max: f64,
}

impl Spent {
    pub(crate) fn add(&mut self, eps: f64) {
        let before = self.mean * self.documents as f64;
        self.documents += 1;
        self.mean = (before + eps) / self.documents as f64;
        self.max = self.max.max(eps);
    }
}

/// JSON has no infinity.
pub(crate) fn bound<S: Serializer>(eps: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if eps.is_finite() { serializer.serialize_f64(*eps) } else { serializer.serialize_str("no bound") }
}

pub(crate) fn unbound<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Bound {
        Number(f64),
        Word(serde::de::IgnoredAny),
    }
    Ok(match Bound::deserialize(deserializer)? {
        Bound::Number(eps) => eps,
        Bound::Word(_) => f64::INFINITY,
    })
}

/// Four digits, rounded upward.
pub(crate) fn shown(eps: f64) -> String {
    if eps.is_finite() { format!("{}", (eps * 1e4 - 1e-6).ceil() / 1e4) } else { "no bound".to_owned() }
}

/// The kind of the sum of all losses that have no unit.
pub(crate) const AT_ONCE: &str = "ε when all of these differ at once";

/// What holds for every loss of a report.
pub(crate) const CONDITIONS: &str = "A loss holds between two documents that say the same things at the same places: as many \
    different dates in the same order, each as exact and of the same class (short, medium, long), the same of them being the \
    document's own date. That date itself moves by a plain shift, which promises nothing: where the scope is the patient, all documents of \
    one patient share it, so that the days between them are true and one known date undoes the others. ε and ε per unit are different promises \
    and are never added together. They cover dates, ages, towns, and sex and kinship where those are answered at random; names and \
    numbers are drawn from the key and claim none.";

fn kind(loss: Loss) -> String {
    format!("ε {}", loss.adjacency())
}

/// `ε = 0.75 between two birth dates at most 366 days apart`.
pub(crate) fn in_words(kind: &str, eps: f64) -> String {
    let between = kind.strip_prefix("ε ").unwrap_or(kind);
    if eps.is_finite() { format!("ε = {} {between}", shown(eps)) } else { format!("no bound {between}") }
}

/// The losses of one document by kind and label.
pub(crate) fn sums(releases: &[Release]) -> BTreeMap<(String, &'static str), f64> {
    let mut sums = BTreeMap::new();
    for Release { label, loss, .. } in releases {
        for name in [label.name(), "all"] {
            *sums.entry((kind(*loss), name)).or_default() += loss.epsilon();
        }
        if loss.unit().is_none() {
            *sums.entry((AT_ONCE.to_owned(), "all")).or_default() += loss.epsilon();
        }
    }
    sums
}

/// Losses of many patients, each over all of their documents.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PatientSpent {
    /// Patients who lost something; a document without a patient counts as one.
    pub patients: usize,
    /// The mean loss of these.
    #[serde(serialize_with = "bound", deserialize_with = "unbound")]
    pub mean: f64,
    /// The largest loss of one patient.
    #[serde(serialize_with = "bound", deserialize_with = "unbound")]
    pub max: f64,
}

/// Most patients whose losses are added up; beyond, no sums are reported.
const MOST_PATIENTS: usize = 2_000_000;

/// What was lost of each patient over all documents of a run. A draw that comes back in another document is counted once.
/// Patients are held by a hash, in an order that is the same each time: so are the sums, to the last digit.
#[derive(Debug, Default)]
pub(crate) struct PatientAccounts {
    patients: BTreeMap<u64, PatientAccount>,
    /// Sums of documents that have no patient.
    alone: BTreeMap<String, PatientSpent>,
    /// Some documents were not added: the sums would be too small.
    incomplete: bool,
}

#[derive(Debug, Default)]
struct PatientAccount {
    draws: HashSet<u64>,
    sums: BTreeMap<String, f64>,
}

impl PatientSpent {
    fn add(&mut self, eps: f64) {
        let before = self.mean * self.patients as f64;
        self.patients += 1;
        self.mean = (before + eps) / self.patients as f64;
        self.max = self.max.max(eps);
    }
}

impl PatientAccounts {
    /// The accounts of a run that goes on from an earlier one, whose documents are not known any more.
    pub(crate) fn of_resumed_run() -> Self {
        PatientAccounts { incomplete: true, ..PatientAccounts::default() }
    }

    /// Adds the releases of one document.
    pub(crate) fn add(&mut self, patient: Option<&str>, releases: &[Release]) {
        if releases.is_empty() || self.incomplete {
            return;
        }
        let Some(patient) = patient else {
            let mut account = PatientAccount::default();
            account.add(releases);
            account.sums.into_iter().for_each(|(kind, eps)| self.alone.entry(kind).or_default().add(eps));
            return;
        };
        let mut hasher = DefaultHasher::new();
        patient.hash(&mut hasher);
        self.patients.entry(hasher.finish()).or_default().add(releases);
        if self.patients.len() > MOST_PATIENTS {
            self.patients = BTreeMap::new();
            self.incomplete = true;
        }
    }

    /// The sums by kind; `None` where documents are missing from them.
    pub(crate) fn sums(&self) -> Option<BTreeMap<String, PatientSpent>> {
        let mut sums = self.alone.clone();
        for (kind, eps) in self.patients.values().flat_map(|account| &account.sums) {
            sums.entry(kind.clone()).or_default().add(*eps);
        }
        (!self.incomplete).then_some(sums)
    }
}

impl PatientAccount {
    fn add(&mut self, releases: &[Release]) {
        for Release { loss, draw, .. } in releases {
            if draw.is_some_and(|draw| !self.draws.insert(draw.as_u64())) {
                continue;
            }
            *self.sums.entry(kind(*loss)).or_default() += loss.epsilon();
            if loss.unit().is_none() {
                *self.sums.entry(AT_ONCE.to_owned()).or_default() += loss.epsilon();
            }
        }
    }
}

/// Words that place an event without a date ("hier", "J+5", "depuis 48 heures") and stay as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct EventWords {
    /// Documents with such words.
    pub documents: usize,
    /// The words.
    pub words: usize,
}

impl EventWords {
    pub(crate) fn add(&mut self, words: usize) {
        self.documents += usize::from(words > 0);
        self.words += words;
    }

    pub(crate) fn in_words(self) -> String {
        let examples = "(\"hier\", \"mardi dernier\", \"J+5\", \"depuis 48 heures\")";
        if self.words == 0 {
            return format!(
                "Outside this account: words that place an event without a date {examples}. None was seen; one that is \
                 written otherwise may have been missed."
            );
        }
        format!(
            "Outside this account: {} of {} place an event without a date {examples}. They stay as they are, and \
             what they tell of the days between events is in none of the losses above.",
            taire_text::counted(self.words, "word", "words"),
            taire_text::counted(self.documents, "document", "documents")
        )
    }
}
