//! What an attacker can still do with documents that were de-identified.
//!
//! Both corpora are read and the program's own detectors look at them; documents are matched by their ids.

mod assess;
mod observe;
mod print;
mod simulate;
mod threats;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taire::{Crosswalk, Engine, Error, SecretKey};
use taire_formats::{Identities, ReadOptions};

pub(crate) use assess::days;
pub use assess::{
    AttackResults, IntervalResults, MissedResults, ObservedCorpora, RiskAssessment, RiskSettings, assess,
};
pub use observe::Observed;
pub(crate) use observe::{REPORTS, day_of, observe};
pub use threats::{Threat, ThreatAssessment, ThreatResult, ThreatResults};

/// How [`measure_risk`] looks at the documents.
#[derive(Clone, Debug)]
pub struct RiskOptions {
    /// Known identities (CSV, JSONL or Parquet), joined to the originals by patient id.
    pub patients: Option<PathBuf>,
    /// Annotations of a sample that a person has read: a JSONL file or a BRAT folder.
    pub reviewed: Option<PathBuf>,
    /// The secret key of the release, to show what it protects.
    pub key: Option<SecretKey>,
    /// A release of the same documents under the same key and another policy.
    pub same_key: Option<PathBuf>,
    /// Days by which a known interval may be off.
    pub tolerance: u32,
    /// Seed of the samples that are drawn.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
}

impl Default for RiskOptions {
    fn default() -> Self {
        RiskOptions {
            patients: None,
            reviewed: None,
            key: None,
            same_key: None,
            tolerance: 3,
            seed: 1,
            jobs: 1,
        }
    }
}

/// Runs the attacks on one or more releases of the documents in `original`. Averaging is tried over several releases, and the second is
/// joined with the first; all other attacks see the first. The engine should have the policy that made the releases.
pub fn measure_risk(
    engine: &Engine,
    original: &Path,
    releases: &[PathBuf],
    options: &RiskOptions,
) -> Result<RiskAssessment, Error> {
    let patients = match &options.patients {
        Some(path) => Some(Arc::new(Identities::load(path)?)),
        None => None,
    };
    let read = ReadOptions { patients, ..ReadOptions::default() };
    let (original, mut refused) = observe::corpus(engine, original, &read, options.jobs)?;
    let mut read_release = |path: &PathBuf| -> Result<Vec<Observed>, Error> {
        let (mut release, unread) = observe::corpus(engine, path, &ReadOptions::default(), options.jobs)?;
        let crosswalk = Crosswalk::beside(path)?;
        release.iter_mut().for_each(|o| o.id = crosswalk.original_id(std::mem::take(&mut o.id)));
        refused += unread;
        Ok(release)
    };
    let observed = releases.iter().map(&mut read_release).collect::<Result<Vec<_>, _>>()?;
    let same_key = options.same_key.as_ref().map(read_release).transpose()?;
    let settings = RiskSettings {
        tolerance: options.tolerance,
        seed: options.seed,
        policy: engine.policies().next().cloned(),
        key: options.key.clone(),
        reviewed: options.reviewed.as_deref().map(taire_eval::Corpus::read).transpose()?,
        refused,
    };
    let corpora = ObservedCorpora { original: &original, releases: &observed, same_key: same_key.as_deref() };
    assess(corpora, &settings)
}
