//! `cargo data …`: makes the data that ship with the product.

mod calibrate;
mod curve;
mod encoder;
mod error;
mod letters;
mod lexicons;
mod measure;
mod models;
mod prose;
mod student;
mod teacher;
mod variants;
mod word_vectors;

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use error::Error;

#[derive(Parser)]
#[command(name = "taire-data", about = "Makes the data that ship with Taire")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The student: the small network that policies `fr` and `es` use
    #[command(subcommand)]
    Student(Box<student::Command>),
    /// The teacher: the transformer that policies `fr-deep` and `es-deep` use, trained by PyTorch; a killed run goes on from
    /// its last state
    Teacher(teacher::TeacherArgs),
    /// Trains a model on ever more letters and adds its rows to `scores/learning.md`
    Curve(curve::CurveArgs),
    /// The word lists that `taire-lexicon` embeds
    Lexicons(OwnArguments),
    /// The tables of ICD-10 that `taire-coding` embeds
    Icd10(OwnArguments),
    /// The CRF models that ship
    Models(OwnArguments),
    /// How sure a decision is: fits and measures the calibration
    Calibrate(OwnArguments),
    /// A pre-trained multilingual encoder in the published format
    Encoder(OwnArguments),
}

/// What a command parses by itself.
#[derive(Args)]
struct OwnArguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

/// The root of the workspace.
fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}

fn run(command: &Command) -> Result<(), Error> {
    match command {
        Command::Student(command) => student::run(command),
        Command::Teacher(args) => teacher::run(args),
        Command::Curve(args) => curve::run(args),
        Command::Lexicons(own) => Ok(lexicons::run(&own.args)?),
        Command::Icd10(own) => Ok(lexicons::icd10::run(&own.args)?),
        Command::Models(own) => Ok(models::run(&own.args)?),
        Command::Calibrate(own) => Ok(calibrate::run(&own.args)?),
        Command::Encoder(own) => Ok(encoder::run(&own.args)?),
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("taire-data: {e}");
            ExitCode::FAILURE
        }
    }
}
