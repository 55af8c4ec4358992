//! How safe and how useful de-identified documents are: risk, kept medical content, policies side by side, the cost for
//! a coder, and the report for an ethics board.
//!
//! | question | function | result |
//! |---|---|---|
//! | What can an attacker still do? | [`measure_risk`], [`assess`] | [`RiskAssessment`] |
//! | What medical content was kept? | [`measure_retention`] | [`RetentionReport`] |
//! | Which policy suits this corpus? | [`compare_policies`] | [`Comparison`] |
//! | What does de-identification cost an ICD-10 coder? | [`measure_utility`] | [`UtilityReport`] |
//! | How often is something left, by a sample that a person read? | [`draw_sample`], [`estimate_misses`] | [`MissEstimate`] |
//! | What does an ethics board need to read? | [`board_report`] | [`Page`] |
//!
//! Results serialise to JSON and print as Markdown or as a [`Page`], which is also one HTML file. The measures under them
//! ([`uniqueness`], [`anonymity`], [`missed`], [`attacks`]) take plain data, so that text and generated hospitals feed the
//! same code. Each attack is run, not argued, and has a test in which it succeeds on a deliberately weak setting.
//!
//! ```
//! use taire_assess::{RiskOptions, measure_risk};
//!
//! # let folder = std::env::temp_dir().join(format!("taire-assess-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let original = folder.join("original.jsonl");
//! let released = folder.join("released.jsonl");
//! let line = |name: &str, day: &str| {
//!     format!("{{\"id\": \"a\", \"patient\": \"7\", \"text\": \"Mme {name}, vue le {day}/03/2019 et le 20/03/2019.\"}}\n")
//! };
//! std::fs::write(&original, line("Aldegonde KERVADEC", "12")).unwrap();
//! std::fs::write(&released, line("Odile BOSSUET", "12")).unwrap(); // the dates were forgotten
//!
//! let engine = taire::Engine::new(Some("fr"), None, None)?;
//! let risk = measure_risk(&engine, &original, &[released], &RiskOptions::default())?;
//! assert_eq!((risk.documents, risk.records), (1, 1));
//! assert_eq!(risk.attacks.known_date.attack.share, 1.0); // one true date gives away the other
//! assert!(risk.to_markdown().starts_with("# What an attacker can still do"));
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), taire::Error>(())
//! ```

#![deny(missing_docs)]

pub mod anonymity;
pub mod attacks;
mod board;
mod compare;
mod json;
pub mod missed;
pub mod page;
mod retain;
mod risk;
mod sample;
mod share;
pub mod uniqueness;
mod utility;

pub use board::{BoardFiles, board_report};
pub use compare::{
    CompareOptions, Comparison, DEFAULT_POLICY, DetectionScores, GoldSummary, IntervalHistogram,
    PolicyColumn, compare_policies,
};
pub use page::{Page, save_files};
pub use retain::{LostTerms, RetainOptions, RetentionReport, measure_retention};
pub use risk::{
    AttackResults, IntervalResults, MissedResults, Observed, ObservedCorpora, RiskAssessment, RiskOptions,
    RiskSettings, Threat, ThreatAssessment, ThreatResult, ThreatResults, assess, measure_risk,
};
pub use sample::{MissEstimate, MissesByTier, SampleFacts, SampleOptions, draw_sample, estimate_misses};
pub use share::Share;
pub use taire_text::SplitMix64;
pub use utility::{OnProgress, UtilityArm, UtilityOptions, UtilityReport, measure_utility};
