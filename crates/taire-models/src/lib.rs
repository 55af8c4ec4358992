//! Learned detectors: features, the linear-chain CRF and its training.
//!
//! [`train`] turns gold documents into a model file; [`CrfDetector`] reads notes with one. Both see tokens through
//! the same features, which take in what the lexicons and the other detectors know.

pub mod crf;

mod cascade;
mod classes;
mod detector;
mod error;
mod features;
mod shipped;
mod student;
mod train;
mod transformer;

pub use cascade::{Cascade, ReadShare};
pub use classes::{Category, Class};
pub use detector::CrfDetector;
pub use error::Error;
pub use shipped::shipped;
pub use student::{
    LabelSet, StudentCorpus, StudentDetector, StudentDocument, StudentJudge, StudentOptions, StudentProgress,
    train_student,
};
pub use train::{Clusters, GoldDocument, GoldSpan, Progress, Tally, TrainOptions, TrainReport, train};
pub use transformer::{
    LessonOptions, Lessons, PackReport, TransformerDetector, TransformerOptions, TransformerProgress,
    TransformerReport, pack_model, train_transformer,
};
