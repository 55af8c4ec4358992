//! Chores of the project: `cargo xtask test|lexicons|generate|score|...`.

mod bench;
mod calendars;
mod calibrate;
mod generate;
mod hospital;
mod lexicons;
mod models;
mod pages;
mod risk;
mod scale;
mod score;
mod test;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = args.split_first().map_or(("", &args[..]), |(c, rest)| (c.as_str(), rest));
    let done = match command {
        "bench" => bench::run(rest),
        "calendars" => calendars::run(rest),
        "calibrate" => calibrate::run(rest),
        "generate" => generate::run(rest),
        "hospital" => hospital::run(rest),
        "lexicons" => lexicons::run(rest),
        "models" => models::run(rest),
        "pages" => pages::run(rest),
        "risk" => risk::run(rest),
        "scale" => scale::run(rest),
        "score" => score::run(rest),
        "test" => test::run(),
        _ => Err(format!(
            "unknown chore `{command}`; known: bench, calendars, calibrate, generate, hospital, lexicons, models, pages, \
             risk, scale, score, test"
        )),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
