//! Transformer encoders in pure Rust.
//!
//! [`Encoder`] turns pieces of text into vectors, [`Backward`] is the backward pass for training, [`Tokeniser`] cuts text
//! into pieces as the encoder's makers did. All are read from a local folder in the published format by
//! [`read_folder`]. This crate knows nothing of clinical text.

pub mod math;
pub mod safetensors;

mod backward;
mod encoder;
mod error;
mod folder;
mod tokeniser;
mod weights;

pub use backward::{Backward, Workspace};
pub use encoder::{Batch, Dropout, Encoder, Tape};
pub use error::{Error, ErrorKind};
pub use folder::{ModelFiles, read_encoder, read_folder, write_folder};
pub use tokeniser::{Piece, Tokeniser};
pub use weights::{Shape, Tensor, Weights};
