//! `taire review`: a page on this machine where people check what was found, correct it and accept it.
//!
//! The corpus is read and searched in the background (`worker`) into one SQLite file (`store`), which keeps every
//! correction (`edit`) with its version and how to undo it. The page (`assets/`, plain HTML, CSS and JavaScript) asks for
//! everything by `calls`; `pages` decides who is answered. What was accepted comes out as `gold` and as a list of judged
//! `words`, and as documents in their own formats (`write`); `agreement` compares two reviewers; `retrain` trains a model and measures what it changes; `after` shows what
//! a document becomes.
//!
//! The state holds the documents' text and is its owner's alone. Nothing of it goes to a log or an error.

mod after;
mod agreement;
mod app;
mod calls;
mod edit;
mod error;
mod findings;
mod gold;
mod mark;
mod pages;
mod problem;
mod retrain;
mod store;
#[cfg(test)]
mod tests;
mod words;
mod worker;
mod write;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use taire::Policy;
use taire_http::{Limits, Listener, StopHandle};

pub use app::Config;
pub use error::Error;
pub use gold::{Accepted, AcceptedDocument, Exported};
pub use store::Merged;

use app::{App, Stage};
use gold::Gold;
use store::Store;

/// A review with its listener.
pub struct Review {
    app: Arc<App>,
    listener: Listener,
}

impl std::fmt::Debug for Review {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Review").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl Review {
    /// Opens the state and takes a port of this machine; 0 for any that is free. Nothing is answered before
    /// [`Review::run`].
    pub fn bind(config: Config, port: u16) -> Result<Review, Error> {
        let app = open(config)?;
        let limits = Limits { connections: 64, grace: Duration::from_secs(5), ..Limits::default() };
        let listener = Listener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)), None, limits)?;
        Ok(Review { app, listener })
    }

    /// Where the page is, with the token that opens it.
    pub fn address(&self) -> String {
        format!("http://{}/#token={}", self.listener.address(), self.app.token)
    }

    pub fn stop_handle(&self) -> StopHandle {
        self.listener.stop_handle()
    }

    /// Reads and searches in the background and answers the page until it is stopped.
    pub fn run(self) -> Result<(), Error> {
        let app = self.app.clone();
        thread::spawn(move || worker::run(&app));
        self.listener.run(pages::router(self.app))?;
        Ok(())
    }
}

/// Writes what was accepted as `gold.jsonl`, `brat/` and `words.tsv`, without a page.
pub fn export(state: &Path, folder: &Path) -> Result<Exported, Error> {
    if !state.exists() {
        return Err(Error::new(format!("there is no review in {}; review something first", state.display())));
    }
    let store = Store::open(state)?;
    Gold::of(&store)?.write(folder, &store)
}

/// What was accepted, to write documents from.
pub fn accepted(state: &Path) -> Result<Accepted, Error> {
    if !state.exists() {
        return Err(Error::new(format!("there is no review in {}; review something first", state.display())));
    }
    Ok(Gold::of(&Store::open(state)?)?.into_accepted())
}

/// Puts two reviews of the same documents into a third file, with everybody's marks. Nothing is written where a document
/// has another text in each.
pub fn merge(first: &Path, second: &Path, into: &Path) -> Result<Merged, Error> {
    for state in [first, second] {
        if !state.exists() {
            return Err(Error::new(format!("there is no review in {}", state.display())));
        }
    }
    Store::merge(first, second, into)
}

fn open(config: Config) -> Result<Arc<App>, Error> {
    // Mistakes in a policy are reported before anything starts.
    if let Some(policy) = &config.policy {
        let mut policy = Policy::load(policy)?;
        policy.add_allow_lists(&config.words)?;
        policy.judgements()?;
    }
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)
        .map_err(|_| taire::Error::io("the system gives no random bytes; try again"))?;
    let name = calls::reviewer_name(&config.reviewer)
        .map_err(|p| Error::new(format!("--reviewer: {}", p.message)))?;
    let store = Store::open(&config.state)?;
    let reviewer = store.reviewer(name)?;
    if config.blind {
        store.make_blind(reviewer).map_err(|p| Error::new(format!("--blind: {}", p.message)))?;
    }
    Ok(Arc::new(App {
        store,
        engine: OnceLock::new(),
        stage: Mutex::new(Stage::Reading { documents: 0 }),
        queue: Mutex::default(),
        training: Mutex::default(),
        writing: Mutex::default(),
        token: bytes.iter().map(|b| format!("{b:02x}")).collect(),
        config,
    }))
}
