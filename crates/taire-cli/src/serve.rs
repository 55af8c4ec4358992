//! `serve`: the HTTP API, and the keys of those who may use it.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use taire::Error;
use taire::SecretKey;
use taire_server::{ApiKeys, Config, Limits, Scope, Server, SurrogateTables, TlsFiles};

use crate::args::{jobs, parse_share};
use crate::{Outcome, stop};

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ServeArgs {
    #[command(subcommand)]
    action: Option<ServeAction>,
    #[command(flatten)]
    listen: ListenArgs,
}

#[derive(Subcommand, Debug)]
enum ServeAction {
    /// API keys: make, list and remove them; a running service takes the change up within a second
    Key {
        #[command(subcommand)]
        action: KeyAction,
    },
}

#[derive(Subcommand, Debug)]
enum KeyAction {
    /// Make a key, print it once, keep its hash
    Add {
        /// Who it is for; it stands in the audit log
        name: String,
        /// What it opens: detect, deid, metrics
        #[arg(long, value_name = "SCOPES", value_delimiter = ',', default_values = ["deid"])]
        scope: Vec<Scope>,
        /// The file of API keys, made if absent
        #[arg(long, value_name = "FILE", env = "TAIRE_API_KEYS")]
        api_keys: PathBuf,
    },
    /// Names, scopes and days
    List {
        /// The file of API keys
        #[arg(long, value_name = "FILE", env = "TAIRE_API_KEYS")]
        api_keys: PathBuf,
    },
    /// Take a key back
    Remove {
        name: String,
        /// The file of API keys
        #[arg(long, value_name = "FILE", env = "TAIRE_API_KEYS")]
        api_keys: PathBuf,
    },
}

#[derive(Args, Debug)]
struct ListenArgs {
    /// Address to listen at; other than this machine's own it takes keys and TLS
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Port; 0 for any that is free
    #[arg(long, default_value_t = 8047)]
    port: u16,
    /// Policies on offer, shipped names or TOML files, the first for requests that name none; by default all that ship,
    /// and each document by the one of its language
    #[arg(long, value_name = "NAME|FILE")]
    policy: Vec<String>,
    /// Secret key of the surrogates; without one, a key is made and forgotten when the service ends
    #[arg(long, value_name = "FILE", env = "TAIRE_KEY_FILE")]
    key: Option<PathBuf>,
    /// Draw the surrogates of `taire deid` under the same key, for every caller; by default each API key has its own. Whoever
    /// may ask can then test guesses against everything that was released under that key
    #[arg(long)]
    shared_surrogates: bool,
    /// Refuse documents that are not sure enough, 0 to 1, as `deid --refuse-below`
    #[arg(long, value_name = "X", value_parser = parse_share)]
    refuse_below: Option<f32>,
    /// API keys of those who may use it, from `taire serve key add`
    #[arg(long, value_name = "FILE", env = "TAIRE_API_KEYS")]
    api_keys: Option<PathBuf>,
    /// Certificate chain, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Append who asked for what, and when, without any content, to this file
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Threads for ordinary notes; by default one for each core
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Most megabytes of a request, or of a line of a batch
    #[arg(long, value_name = "MB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=200))]
    max_size: u64,
    /// Most documents a second of one key, or of one address where there are no keys
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Seconds to send a request, and as many to treat each megabyte begun of it
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Seconds from a stop to the end of the service; requests under way have four fifths of them
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    grace: u64,
    /// Most connections at once
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_connections: u32,
    /// Most batches at once
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_batches: u32,
    /// Listen beyond this machine without TLS: something before it encrypts
    #[arg(long)]
    plain_http: bool,
    /// Listen beyond this machine without API keys: all who reach it may use it
    #[arg(long)]
    no_keys: bool,
    /// Print errors only
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn serve(args: &ServeArgs) -> Result<Outcome, Error> {
    match &args.action {
        Some(ServeAction::Key { action }) => keys(action),
        None => listen(&args.listen),
    }
}

fn listen(args: &ListenArgs) -> Result<Outcome, Error> {
    let say = |what: &str| {
        if !args.quiet {
            eprintln!("taire: {what}");
        }
    };
    let key = match &args.key {
        Some(path) => SecretKey::read(path)?,
        None => {
            say(
                "no key was given: one was made for this service and is forgotten when it ends, so nothing else will \
                 agree with it (`taire key new -o FILE` makes one to keep)",
            );
            SecretKey::generate()?
        }
    };
    let tls = args.tls_cert.clone().zip(args.tls_key.clone());
    let config = Config {
        host: args.host,
        port: args.port,
        policies: args.policy.clone(),
        key,
        tables: match args.shared_surrogates {
            true => SurrogateTables::Shared,
            false => SurrogateTables::PerCaller,
        },
        refuse_below: args.refuse_below,
        api_keys: args.api_keys.clone(),
        tls: tls.map(|(certificates, key)| TlsFiles { certificates, key }),
        audit: args.audit.clone(),
        jobs: jobs(args.jobs),
        limits: Limits {
            document_bytes: (args.max_size as usize) << 20,
            rate: args.rate,
            timeout: Duration::from_secs(args.timeout),
            grace: Duration::from_secs(args.grace),
            connections: args.max_connections as usize,
            batches: args.max_batches as usize,
        },
        plain_http: args.plain_http,
        no_keys: args.no_keys,
    };
    if args.shared_surrogates {
        say(
            "every caller sees the surrogates of `taire deid` under this key: who knows a patient's number can test names \
             against what was released; the audit log counts them (names_of_patient)",
        );
    }
    let server = Server::bind(&config)?;
    server.not_offered().for_each(|why| say(&format!("not offered: {why}")));
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    say(&format!("listening at {scheme}://{}", server.address()));
    stop::server(server.stop_handle())?;
    match server.run()? {
        true => say("stopped; every request under way was answered"),
        false => eprintln!("taire: stopped; requests that were not done in time were cut"),
    }
    Ok(Outcome::Done)
}

fn keys(action: &KeyAction) -> Result<Outcome, Error> {
    match action {
        KeyAction::Add { name, scope, api_keys } => {
            let mut keys = ApiKeys::read_or_new(api_keys)?;
            let key = keys.add(name, scope)?;
            keys.write(api_keys)?;
            eprintln!("taire: this key is shown now and never again; its hash is in {}", api_keys.display());
            outln!("{key}");
        }
        KeyAction::List { api_keys } => {
            for key in ApiKeys::read(api_keys)?.iter() {
                let scopes: Vec<_> = key.scopes.iter().map(|s| s.name()).collect();
                outln!("{:20} {:24} {}", key.name, scopes.join(","), key.made);
            }
        }
        KeyAction::Remove { name, api_keys } => {
            let mut keys = ApiKeys::read(api_keys)?;
            keys.remove(name)?;
            keys.write(api_keys)?;
        }
    }
    Ok(Outcome::Done)
}
