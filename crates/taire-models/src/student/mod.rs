//! The student: a small, fast convolution network that tags tokens.
//!
//! Every token is the sum of rows of one table ([`features`]): hashed word, affixes and shape, what the lexicons know of
//! it, and what the rules said. Residual dilated convolutions ([`net`]) mix neighbours, and a constrained Viterbi
//! search ([`decode`]) reads spans from begin/inside/outside scores. [`train`](train_student) learns the weights;
//! [`file`] stores them as int8.

mod backward;
mod decode;
mod detector;
mod features;
mod file;
mod gold;
mod net;
mod optimiser;
mod small;
mod state;
mod train;

pub use detector::StudentDetector;
pub use gold::{LabelSet, StudentDocument};
pub use train::{StudentCorpus, StudentJudge, StudentOptions, StudentProgress, train_student};
