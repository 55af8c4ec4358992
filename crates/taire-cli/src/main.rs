//! The `taire` command: arguments here, one file per command.
//!
//! Exit status: 0 all done; 1 some documents refused, or a threshold missed; 2 wrong usage or policy;
//! 128 and the number of a signal that stopped the run.

mod args;
mod board;
mod code;
mod compare;
mod evaluate;
mod explain;
mod feed;
mod key;
mod page;
mod policy;
mod record;
mod retain;
mod reveal;
mod review;
mod risk;
mod run;
mod serve;
mod sink;
mod stop;
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
    /// By a signal.
    Stopped(i32),
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
        Command::Retain(args) => retain::retain(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Report(args) => board::board(&args),
        Command::Words(args) => words::words(&args),
        Command::Train(args) => train::train(&args),
        Command::Code(args) => code::code(&args),
        Command::Policy(args) => policy::policy(&args),
        Command::Key(args) => key::key(&args),
        Command::Reveal(args) => reveal::reveal(&args),
        Command::Review(args) => review::review(&args),
        Command::Serve(args) => serve::serve(&args),
    };
    match done {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::SomeRefused) => ExitCode::from(1),
        Ok(Outcome::Stopped(signal)) => ExitCode::from((128 + signal) as u8),
        Err(Usage(message)) => {
            eprintln!("taire: {message}");
            ExitCode::from(2)
        }
    }
}
