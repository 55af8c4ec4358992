//! `report`: a run's settings, scores, risk and kept content in one document for an ethics board.

use taire::Error;
use taire_assess::{BoardFiles, board_report};

use crate::Outcome;
use crate::args::ReportArgs;

pub(crate) fn board(args: &ReportArgs) -> Result<Outcome, Error> {
    let files = BoardFiles {
        run: args.run.clone(),
        risk: args.risk.clone(),
        retain: args.retain.clone(),
        scores: args.scores.clone(),
    };
    board_report(&files)?.save(&args.output, "board", None)?;
    Ok(Outcome::Done)
}
