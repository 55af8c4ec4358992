//! The linear-chain CRF: training data and objective, descent, the compact model, decoding.

mod data;
mod decode;
mod file;
mod math;
mod memory;
mod model;
mod objective;
mod optimise;
mod rows;

pub use data::{Dataset, Lattice};
pub use decode::{DecodedSpan, Scratch, Sequence};
pub(crate) use file::checksum;
pub(crate) use math::ln;
pub(crate) use memory::VIEWS;
pub use model::Crf;
pub(crate) use model::{Feature, ModelParts};
pub use objective::{Objective, Parameters};
pub use optimise::{Descent, Ending, Step, minimise};
