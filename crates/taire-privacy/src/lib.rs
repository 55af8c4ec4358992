//! Privacy mechanisms, their losses and the ledger; knows nothing of text.
//!
//! A [`Mechanism`] releases a noisy value and declares what that costs as a [`Loss`]: an ε with the [`Adjacency`] it holds
//! for. Losses of two adjacencies are different promises, and a [`Ledger`] keeps one sum for each. Whole numbers are released
//! by exact samplers (`exact`), never by rounding a floating-point draw, whose low bits reveal the input (Mironov, CCS
//! 2012). The module [`audit`] measures the loss of a mechanism from its distribution or from draws, and is how the
//! tests hold every declaration to account.

pub mod audit;
mod bounded;
mod error;
mod exact;
mod exponential;
mod laplace;
mod ledger;
mod loss;
mod planar;
mod response;

pub use bounded::BoundedLaplace;
pub use error::Error;
pub use exact::Rate;
pub use exponential::{Exponential, NearestExponential};
pub use laplace::DiscreteLaplace;
pub use ledger::{Budget, Ledger, Refused};
pub use loss::{Adjacency, Loss, Unit};
pub use planar::{PlanarLaplace, lambert_w_minus_1};
pub use rand_core::Rng;
pub use response::RandomisedResponse;

/// A randomised release of one value.
pub trait Mechanism<I: ?Sized, O> {
    /// One draw. The same generator state gives the same draw.
    fn release(&self, x: &I, rng: &mut dyn Rng) -> O;

    /// What one draw costs, never less than it really does.
    fn loss(&self) -> Loss;
}
