//! Chores of the project: `cargo xtask test|score|bench|...`. Those that make data are in `tools/data`.

mod attacks;
mod bench;
mod browser;
mod calendars;
mod coding;
mod debian;
mod docs;
mod fuzz;
mod load;
mod million;
mod office;
mod pages;
mod python;
mod risk;
mod scale;
mod schemathesis;
mod score;
mod stamp;
mod test;

use std::process::{Command, ExitCode};

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
    Attacks,
    Bench,
    Browser,
    Calendars,
    Calibrate,
    Coding,
    Dist,
    Docs,
    Encoder,
    Fuzz,
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
    let run: fn(&[String]) -> Result<(), String> = match chore {
        Chore::Attacks => attacks::run,
        Chore::Bench => bench::run,
        Chore::Browser => browser::run,
        Chore::Calendars => calendars::run,
        Chore::Calibrate => |args| tool("taire-data", &["calibrate"], args),
        Chore::Coding => coding::run,
        Chore::Dist => |args| tool("taire-dist", &[], args),
        Chore::Docs => docs::run,
        Chore::Encoder => |args| tool("taire-data", &["encoder"], args),
        Chore::Fuzz => fuzz::run,
        Chore::Icd10 => |args| tool("taire-data", &["icd10"], args),
        Chore::Lexicons => |args| tool("taire-data", &["lexicons"], args),
        Chore::Load => load::run,
        Chore::Million => million::run,
        Chore::Models => |args| tool("taire-data", &["models"], args),
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

/// A program of `tools/`, under its name here too.
fn tool(package: &str, name: &[&str], args: &[String]) -> Result<(), String> {
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--quiet", "--package", package, "--"])
        .args(name)
        .args(args)
        .current_dir(test::root())
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("`{package} {}` failed", name.join(" "))),
    }
}
