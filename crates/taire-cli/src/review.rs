//! `review`: the local page to check, correct and accept.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use taire::Error;
use taire::SecretKey;
use taire_review::{Config, Review};

use crate::args::{InputArgs, Lang, jobs, parse_language};
use crate::{Outcome, stop};

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    action: Option<ReviewAction>,
    #[command(flatten)]
    input: InputArgs,
    /// Folder that the page's button writes the accepted documents to, in their own formats
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// File that keeps the review, made if absent; it holds the documents' text. By default beside the corpus,
    /// NAME.taire-review
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Who reviews; the page can change it
    #[arg(long, value_name = "NAME", env = "USER", default_value = "reviewer", hide_env_values = true)]
    reviewer: String,
    /// The reviewer sees neither scores nor what others marked, and documents in random order; it holds for good
    #[arg(long)]
    blind: bool,
    /// Port of this machine to listen at; 0 for any that is free
    #[arg(long, default_value_t = 8048)]
    port: u16,
    /// Policy: a shipped name or a TOML file; by default the one of each document's language
    #[arg(long, value_name = "NAME|FILE")]
    policy: Option<String>,
    /// Lists of judged words, for a policy with an allow-list
    #[arg(long, value_name = "FILE")]
    words: Vec<PathBuf>,
    /// Language of the documents
    #[arg(long, value_name = "fr|es|auto", default_value = "auto", value_parser = parse_language)]
    lang: Lang,
    /// Secret key of the surrogates shown; without one, a key is made and forgotten when the page ends
    #[arg(long, value_name = "FILE", env = "TAIRE_KEY_FILE")]
    key: Option<PathBuf>,
    /// Threads for the search; by default one for each core
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Start no page: write what was accepted as gold.jsonl, brat/ and words.tsv into this folder
    #[arg(long, value_name = "FOLDER")]
    export: Option<PathBuf>,
    /// Print errors and the address only
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Subcommand, Debug)]
enum ReviewAction {
    /// Put two reviews of the same documents into a third file, with everybody's marks (a corpus of that name: `./merge`)
    Merge {
        first: PathBuf,
        second: PathBuf,
        /// The new state; it must not exist
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}

fn merge(first: &Path, second: &Path, into: &Path) -> Result<Outcome, Error> {
    let merged = taire_review::merge(first, second, into)?;
    eprintln!(
        "taire: {} documents in {}, {} of them from {} alone; it holds their text",
        merged.documents,
        into.display(),
        merged.added,
        second.display()
    );
    for name in &merged.split {
        eprintln!(
            "taire: {name} marked documents differently in each file: the second file's marks are under another name"
        );
    }
    if merged.words_refused > 0 {
        eprintln!("taire: {} words were judged differently: they are refused", merged.words_refused);
    }
    Ok(Outcome::Done)
}

pub(crate) fn review(args: &ReviewArgs) -> Result<Outcome, Error> {
    if let Some(ReviewAction::Merge { first, second, output }) = &args.action {
        return merge(first, second, output);
    }
    let state = match &args.state {
        Some(state) => state.clone(),
        None => state_beside(&args.input.inputs)?,
    };
    let say = |what: &str| {
        if !args.quiet {
            eprintln!("taire: {what}");
        }
    };
    if let Some(folder) = &args.export {
        let done = taire_review::export(&state, folder)?;
        say(&format!(
            "{} accepted documents and {} words written to {}; they hold identifying text",
            done.documents,
            done.words,
            folder.display()
        ));
        for name in &done.unsettled {
            eprintln!("taire: left out {name}: two reviewers see it differently; settle it on the page");
        }
        return Ok(if done.unsettled.is_empty() { Outcome::Done } else { Outcome::SomeRefused });
    }
    let mut options = args.input.options()?;
    for end in ["", "-wal", "-shm", ".fr.crf", ".es.crf"] {
        let mut own = state.clone().into_os_string();
        own.push(end);
        options.exclude.push(own.into());
    }
    options.exclude.extend(args.output.clone());
    let config = Config {
        inputs: args.input.inputs.clone(),
        options,
        state: state.clone(),
        reviewer: if args.reviewer.is_empty() { "reviewer".into() } else { args.reviewer.clone() },
        policy: args.policy.clone(),
        words: args.words.clone(),
        language: args.lang.0,
        key: args.key.as_deref().map(SecretKey::read).transpose()?,
        jobs: jobs(args.jobs),
        output: args.output.clone(),
        blind: args.blind,
    };
    if config.key.is_none() {
        say("no key was given: surrogates are shown by one that is forgotten when the page ends");
    }
    let review = Review::bind(config, args.port)?;
    say(&format!(
        "the review is kept in {}, which holds the documents' text; only you may read it",
        state.display()
    ));
    eprintln!("taire: open {} in a browser on this machine", review.address());
    stop::server(review.stop_handle())?;
    review.run()?;
    say("stopped; every correction that was acknowledged is kept");
    Ok(Outcome::Done)
}

/// The default state file: beside the first input.
fn state_beside(inputs: &[PathBuf]) -> Result<PathBuf, Error> {
    let first = inputs.first().map(PathBuf::as_path).unwrap_or(Path::new("-"));
    let real = std::fs::canonicalize(first).ok().filter(|_| first != Path::new("-"));
    let name = real.as_ref().and_then(|p| p.file_name());
    let (Some(real), Some(name)) = (&real, name) else {
        return Err(Error::usage(
            "there is no place beside this input to keep the review in; give --state FILE",
        ));
    };
    let mut name = name.to_owned();
    name.push(".taire-review");
    Ok(real.with_file_name(name))
}
