//! The `taire` command: arguments here, one file per command.
//!
//! Exit status: 0 all done; 1 some documents refused, or a threshold missed; 2 wrong usage or policy.

mod args;
mod evaluate;
mod explain;
mod feed;
mod key;
mod policy;
mod record;
mod risk;
mod run;
mod train;
mod words;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// How a command ended, other than by a wrong use of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    SomeRefused,
}

/// Something the person at the keyboard must change.
struct Usage(String);

impl<E: std::error::Error> From<E> for Usage {
    fn from(error: E) -> Self {
        Usage(error.to_string())
    }
}

fn main() -> ExitCode {
    // A panic message may quote what was being read: only its place is told.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        eprintln!("taire: internal fault at {place}");
    }));
    let done = match Cli::parse().command {
        Command::Deid(args) => run::deid(&args),
        Command::Detect(args) => run::detect(&args),
        Command::Evaluate(args) => evaluate::evaluate(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Risk(args) => risk::risk(&args),
        Command::Words(args) => words::words(&args),
        Command::Train(args) => train::train(&args),
        Command::Policy(args) => policy::policy(&args),
        Command::Key(args) => key::key(&args),
    };
    match done {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::SomeRefused) => ExitCode::from(1),
        Err(Usage(message)) => {
            eprintln!("taire: {message}");
            ExitCode::from(2)
        }
    }
}
