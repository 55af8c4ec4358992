//! Chores of the project: `cargo xtask test|lexicons|generate|score|...`.

mod bench;
mod browser;
mod calendars;
mod calibrate;
mod coding;
mod docs;
mod encoder;
mod fuzz;
mod generate;
mod hospital;
mod lexicons;
mod load;
mod million;
mod models;
mod office;
mod pages;
mod python;
mod risk;
mod scale;
mod schemathesis;
mod score;
mod stamp;
mod test;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};

/// Chores of the project.
#[derive(Parser)]
struct Xtask {
    #[arg(value_enum)]
    chore: Chore,
    /// What the chore takes.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Chore {
    Bench,
    Browser,
    Calendars,
    Calibrate,
    Coding,
    Docs,
    Encoder,
    Fuzz,
    Generate,
    Hospital,
    Icd10,
    Lexicons,
    Load,
    Million,
    Models,
    Office,
    Pages,
    Python,
    Risk,
    Scale,
    Schemathesis,
    Score,
    Test,
}

fn main() -> ExitCode {
    let Xtask { chore, args } = Xtask::parse();
    let run = match chore {
        Chore::Bench => bench::run,
        Chore::Browser => browser::run,
        Chore::Calendars => calendars::run,
        Chore::Calibrate => calibrate::run,
        Chore::Coding => coding::run,
        Chore::Docs => docs::run,
        Chore::Encoder => encoder::run,
        Chore::Fuzz => fuzz::run,
        Chore::Generate => generate::run,
        Chore::Hospital => hospital::run,
        Chore::Icd10 => lexicons::icd10::run,
        Chore::Lexicons => lexicons::run,
        Chore::Load => load::run,
        Chore::Million => million::run,
        Chore::Models => models::run,
        Chore::Office => office::run,
        Chore::Pages => pages::run,
        Chore::Python => python::run,
        Chore::Risk => risk::run,
        Chore::Scale => scale::run,
        Chore::Schemathesis => schemathesis::run,
        Chore::Score => score::run,
        Chore::Test => test::run,
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
