//! `completions` and `man-pages`: the arguments in the form of shells and of `man`.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use taire::Error;

use crate::Outcome;
use crate::args::{Cli, CompletionsArgs, ManPagesArgs};

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Outcome, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "taire", &mut script);
    out!("{}", String::from_utf8_lossy(&script));
    Ok(Outcome::Done)
}

pub(crate) fn man_pages(args: &ManPagesArgs) -> Result<Outcome, Error> {
    let fault = |path: &Path, e: &std::io::Error| {
        Error::io(format!("{}: {}", path.display(), taire_text::io_reason(e)))
    };
    fs::create_dir_all(&args.output).map_err(|e| fault(&args.output, &e))?;
    clap_mangen::generate_to(Cli::command(), &args.output).map_err(|e| fault(&args.output, &e))?;
    Ok(Outcome::Done)
}
