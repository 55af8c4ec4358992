//! The transformer: an encoder, a head for labels, its training, and the detector made of them.

mod adam;
mod chain;
mod clues;
mod detector;
mod file;
mod judge;
mod learn;
mod lessons;
mod pool;
mod state;
mod tagger;
mod train;
mod windows;

pub use detector::TransformerDetector;
pub use lessons::{LessonOptions, Lessons, PackReport, pack_model};
pub use train::{TransformerOptions, TransformerProgress, TransformerReport, train_transformer};
