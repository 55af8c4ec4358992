//! placeholder
use crate::args::ReportArgs;
use crate::{Outcome, Usage};
pub(crate) fn board(_: &ReportArgs) -> Result<Outcome, Usage> { Ok(Outcome::Done) }
