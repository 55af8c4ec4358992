//! The transformer: an encoder, a head for labels, its training, and the detector made of them.

mod adam;
mod chain;
mod clues;
mod detector;
mod file;
mod judge;
mod learn;
mod pool;
mod state;
mod tagger;
mod train;

pub use detector::TransformerDetector;
pub use train::{TransformerOptions, TransformerProgress, TransformerReport, train_transformer};
