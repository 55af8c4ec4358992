//! De-identification of clinical documents in French and Spanish, as a library.
//!
//! A [`Deidentifier`] holds a [`Policy`] and a [`SecretKey`]. It finds what identifies people in a [`Document`] and
//! rewrites it with invented identities, the same for all documents of a patient. [`Run`] does it to files, with order,
//! checkpoints and a [`Report`]; the command line, the service and the bindings all call it.
//!
//! ```
//! use taire::{Deidentifier, Document, SecretKey};
//!
//! let key = SecretKey::generate();                                  // or SecretKey::read("taire.key")?
//! let deid = Deidentifier::builder().policy("fr").key(key).build()?;
//! let out = deid.deidentify(Document::new("a", "Mme Aldegonde KERVADEC").patient("800417"))?;
//! println!("{} ({} spans)", out.text(), out.spans().len());         // out.entities(): what was found, in the original
//! let found = deid.detect(Document::new("b", "Dr Le Goff, Brest"))?; // entities with label, role, score, sources, reason
//! # assert!(!found.is_empty());
//! # Ok::<(), taire::Error>(())
//! ```
//!
//! Errors have a [`kind`](Error::kind) and never quote a document. Nothing is sent over a network.

#![deny(missing_docs)]

pub mod batch;
mod crosswalk;
mod deidentified;
mod deidentifier;
mod doubt;
mod engine;
mod error;
mod given;
pub mod links;
mod losses;
mod models;
mod pipeline;
mod policy;
mod records;
mod report;
pub mod run;
mod settled;
mod spans;
pub mod training;
mod words;

pub use crosswalk::Crosswalk;
pub use deidentified::{Deidentified, Written};
pub use deidentifier::{Deidentifier, DeidentifierBuilder, KeyChoice};
pub use doubt::{Doubt, Findings};
pub use engine::{Engine, text_id};
pub use error::{Error, ErrorKind};
pub use links::{LinkCounts, Links};
pub use losses::{EventWords, PatientSpent, Spent};
pub use pipeline::Pipeline;
pub use policy::{
    AllowedWords, DenyList, POLICY_KEYS, PatternRule, Policy, PolicyKey, SHIPPED, TrustedScope,
    policy_reference,
};
pub use records::Records;
pub use report::{DirectoryCounts, Doubtful, Refused, Report};
pub use run::{Refusal, Run, Task, Treated};
pub use spans::found_spans;
pub use taire_detect::{Judgement, Judgements, PeopleIndex, Sections, TrustedRecord, WordEntry, WordList};
pub use taire_formats::{Document, FinalSpan, OutSpan};
pub use taire_surrogate::{Adjacency, IdKind, Loss, Release, SecretKey, Unit};
pub use taire_text::{
    Entity, KnownIdentity, Label, Language, PatientId, Position, Reason, Role, Score, Setting, Source,
    SourceSet, Span,
};
pub use words::UnjudgedWords;
