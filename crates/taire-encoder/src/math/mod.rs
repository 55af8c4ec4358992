//! The arithmetic: matrix products over packed panels, and what is done row by row.
//!
//! Everything here is plain loops over slices, compiled once for the machine's baseline and once for AVX2 with fused
//! multiply-add; [`fast`] picks at run time. One call runs on one thread: callers go parallel over sequences, so the
//! result does not depend on how many threads there are.

mod gemm;
mod int8;
mod rows;

pub use gemm::{Packed, Side, multiply, transpose};
pub use int8::{QuantisedMatrix, multiply_quantised};
pub use rows::{
    add_rows, add_small_rows, axpy, drop_out, gelu, gelu_back, layer_norm, layer_norm_back, log_sum_exp,
    softmax_rows, softmax_rows_back, sum_columns,
};

use pulp::{Arch, WithSimd};

/// Runs the work compiled for this machine.
pub(crate) fn fast<W: WithSimd>(work: W) -> W::Output {
    Arch::new().dispatch(work)
}

/// `a * b + c`, fused where that is one instruction.
#[inline(always)]
pub(crate) fn mul_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}
