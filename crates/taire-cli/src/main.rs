//! The `taire` command: arguments here, one file per command.
//!
//! Exit status: 0 all done; 1 some documents refused, a threshold missed, or an output that cannot be written; 2 wrong
//! usage or policy; 128 and the number of a signal that stopped the run.

#![deny(clippy::print_stdout)]

#[macro_use]
mod output;

mod args;
mod board;
mod code;
mod compare;
mod convert;
mod evaluate;
mod explain;
mod key;
mod link;
mod manual;
mod policy;
mod retain;
mod reveal;
mod review;
mod reviewed;
mod risk;
mod run;
mod sample;
mod serve;
mod standard_output;
mod stop;
mod train;
mod words;

use std::process::ExitCode;

use clap::Parser;
use taire::{Error, ErrorKind, Refusal};
use taire_text::Setting;

use args::{Cli, Command};

/// The allocator of musl is slow with several threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended, other than by an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    SomeRefused,
    /// By a signal.
    Stopped(i32),
}

/// The names of options on the command line.
fn option_name(setting: Setting) -> &'static str {
    match setting {
        Setting::TextColumn => "--text-column",
        Setting::IdColumn => "--id-column",
        Setting::PatientColumn => "--patient-column",
        Setting::DateColumn => "--date-column",
        Setting::KeepColumns => "--keep-columns",
        Setting::VisitColumn => "--visit-column",
        Setting::Resume => "--resume",
        Setting::IntoExisting => "--into-existing",
        other => other.neutral_name(),
    }
}

/// Wrong usage or policy is 2; what the documents or the system refuse is 1.
fn exit_status(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Usage | ErrorKind::Policy | ErrorKind::Input => 2,
        _ => 1,
    }
}

/// Says that a document is not treated.
fn print_refusal(refusal: &Refusal) {
    eprintln!("taire: refused {}: {}", refusal.document, refusal.why(option_name));
}

/// A value as JSON, indented, with a line end.
fn to_json(value: &impl serde::Serialize) -> Result<String, Error> {
    Ok(serde_json::to_string_pretty(value).map_err(json_error)? + "\n")
}

/// The text of the serializer's own error may quote values.
fn json_error(_: serde_json::Error) -> Error {
    Error::internal("a result cannot be written as JSON")
}

fn main() -> ExitCode {
    // A panic message may quote what was being read: only its place is printed.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        eprintln!("taire: internal fault at {place}");
    }));
    let done = match Cli::parse().command {
        Command::Deid(args) => run::deid(&args),
        Command::Detect(args) => run::detect(&args),
        Command::Link(args) => link::link(&args),
        Command::Evaluate(args) => evaluate::evaluate(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Risk(args) => risk::risk(&args),
        Command::Sample(args) => sample::sample(&args),
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
        Command::Completions(args) => manual::completions(&args),
        Command::ManPages(args) => manual::man_pages(&args),
    };
    match done {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::SomeRefused) => ExitCode::from(1),
        Ok(Outcome::Stopped(signal)) => ExitCode::from((128 + signal) as u8),
        Err(error) => {
            eprintln!("taire: {}", error.in_words(option_name));
            ExitCode::from(exit_status(error.kind()))
        }
    }
}
