//! Arguments of the commands about policies, keys and lists of words.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::input::{InputArgs, Lang, OutputFormat, parse_language};

#[derive(Args, Debug)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) action: PolicyAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum PolicyAction {
    /// The policies inside this program
    List,
    /// The effective policy, every choice spelt out, with what is done with each label
    Show {
        /// A shipped name or a TOML file
        #[arg(value_name = "NAME|FILE")]
        policy: String,
    },
    /// Whether a policy is sound: unknown keys, choices that cannot work, files that cannot be read
    Check {
        /// A shipped name or a TOML file
        #[arg(value_name = "NAME|FILE")]
        policy: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) action: KeyAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum KeyAction {
    /// Make a new secret key, in a file only you can read
    New {
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}

#[derive(Args, Debug)]
pub(crate) struct WordsArgs {
    #[command(subcommand)]
    pub(crate) action: WordsAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum WordsAction {
    /// List the words nobody has judged yet, most frequent first, each with a masked context
    Extract {
        #[command(flatten)]
        reading: WordsReading,
        /// The list to write; it may hold names, so keep it where the documents are
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Accept or refuse the words of a list, one key each; the list can as well be edited in a spreadsheet
    Sort {
        /// The list, saved as you go
        list: PathBuf,
    },
    /// Join the judgements of several lists; where they differ, the refusal wins
    Merge {
        #[arg(required = true)]
        lists: Vec<PathBuf>,
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// How many words are left to judge as documents come in (also `taire words --report`)
    #[command(long_flag = "report")]
    Report {
        #[command(flatten)]
        reading: WordsReading,
        #[arg(long, value_enum)]
        format: Option<OutputFormat>,
    },
}

/// What the word commands read, and with which lists.
#[derive(Args, Debug)]
pub(crate) struct WordsReading {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Lists of words judged so far
    #[arg(long, value_name = "FILE", num_args = 1.., action = clap::ArgAction::Append)]
    pub(crate) lists: Vec<PathBuf>,
    /// Policy with an allow-list: a shipped name or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "fasdim")]
    pub(crate) policy: String,
    /// Language of the documents
    #[arg(long, value_name = "fr|es|auto", default_value = "auto", value_parser = parse_language)]
    pub(crate) lang: Lang,
    /// Threads; by default one for each core
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
}
