//! A running review: its state, the engine once it is built, and what goes on in the background.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde::Serialize;
use taire::{Engine, SecretKey};
use taire_formats::ReadOptions;
use taire_text::Language;

use crate::problem::Problem;
use crate::retrain::Training;
use crate::store::Store;
use crate::write::Writing;

/// Everything a review is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// Files and folders to review.
    pub inputs: Vec<PathBuf>,
    pub options: ReadOptions,
    /// The file that keeps the review.
    pub state: PathBuf,
    /// Who reviews, unless the page says otherwise.
    pub reviewer: String,
    pub policy: Option<String>,
    /// Lists of judged words beside those of the policy.
    pub words: Vec<PathBuf>,
    pub language: Option<Language>,
    /// What surrogates are drawn from; one is made for the run where there is none.
    pub key: Option<SecretKey>,
    /// Threads for the search.
    pub jobs: usize,
    /// Where accepted documents are written when the page asks for it.
    pub output: Option<PathBuf>,
    /// Who reviews first reads blind.
    pub blind: bool,
}

/// What goes on with the documents.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub(crate) enum Stage {
    /// So many documents were read.
    Reading {
        documents: usize,
    },
    /// What is certain of each patient is gathered.
    Gathering,
    Searching,
    Ready,
    Failed {
        why: String,
    },
}

pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) store: Store,
    pub(crate) engine: OnceLock<Engine>,
    pub(crate) stage: Mutex<Stage>,
    /// Documents to search, the next first.
    pub(crate) queue: Mutex<VecDeque<i64>>,
    pub(crate) training: Mutex<Training>,
    pub(crate) writing: Mutex<Writing>,
    pub(crate) token: String,
}

/// A value that no panic spoils: each is replaced whole.
pub(crate) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl App {
    pub(crate) fn set(&self, stage: Stage) {
        *lock(&self.stage) = stage;
    }

    /// The engine, where it is built already.
    pub(crate) fn engine(&self) -> Result<&Engine, Problem> {
        if let Stage::Failed { why } = &*lock(&self.stage) {
            return Err(Problem::busy("failed", why.clone()));
        }
        self.engine
            .get()
            .ok_or_else(|| Problem::busy("starting", "the detectors are being loaded; try again"))
    }

    /// Searches this document next.
    pub(crate) fn hurry(&self, document: i64) {
        let mut queue = lock(&self.queue);
        if let Some(at) = queue.iter().position(|&d| d == document) {
            queue.remove(at);
            queue.push_front(document);
        }
    }
}
