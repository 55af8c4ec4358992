//! The ICD-10 coder: from a clinical document to its codes, and what de-identification costs it.
//!
//! [`train`] makes a [`Coder`] from cases with codes: a bag of words with logistic regressions, or a network with label
//! attention that adds to it. [`Coder::predict`] gives codes with the words that drove them, [`measure`] scores them,
//! [`Table`] has the labels of ICD-10.

mod adam;
mod agreement;
mod bag;
mod cases;
mod coder;
mod documents;
mod error;
mod file;
mod icd;
mod measure;
mod net;
#[cfg(test)]
mod tests;
mod threads;
mod tokens;
mod train;
mod utility;
mod vectors;
mod words;

pub use agreement::{CodeAgreement, Codes, DocumentAgreement, compare_codes};
pub use bag::BagOptions;
pub use cases::{Case, Grain, Labels, OTHER, read_codes, set_aside};
pub use coder::{About, Coder, Predicted};
pub use documents::{CodedDocuments, short_id};
pub use error::Error;
pub use icd::Table;
pub use measure::{DEPTHS, Judged, Measured, Prf, difference, measure};
pub use net::Pooling;
pub use train::{Method, Options, Progress, train};
pub use utility::{Arm, ArmResult, utility};
