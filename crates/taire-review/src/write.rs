//! One button: the accepted documents, written in their own formats by the run of `taire deid`, from the spans that were
//! accepted. The others are refused, so that the report counts them.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use taire::run::{Ended, Files};
use taire::{Run, Task};

use crate::Error;
use crate::app::{App, lock};
use crate::gold::Gold;
use crate::problem::Problem;

/// Where the writing is.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub(crate) enum Writing {
    #[default]
    Idle,
    Running,
    Done(Written),
    Failed {
        why: String,
    },
}

/// What was written and what was not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Written {
    folder: PathBuf,
    private: PathBuf,
    written: usize,
    /// Each reason why documents were not written, and how many.
    refused: Vec<(String, usize)>,
}

/// Begins, unless it is under way.
pub(crate) fn start(app: &Arc<App>) -> Result<(), Problem> {
    if app.config.output.is_none() {
        let why = "no folder was given to write to; start `taire review` with -o FOLDER";
        return Err(Problem::cannot("no_output", why));
    }
    app.engine()?;
    {
        let mut writing = lock(&app.writing);
        if *writing == Writing::Running {
            return Err(Problem::busy("writing", "the documents are being written already"));
        }
        *writing = Writing::Running;
    }
    let app = app.clone();
    std::thread::spawn(move || {
        let work = std::panic::AssertUnwindSafe(|| write(&app));
        let done = std::panic::catch_unwind(work)
            .unwrap_or_else(|_| Err(Error::internal("an internal fault stopped the writing")));
        *lock(&app.writing) = match done {
            Ok(written) => Writing::Done(written),
            Err(error) => Writing::Failed { why: error.to_string() },
        };
    });
    Ok(())
}

fn write(app: &App) -> Result<Written, Error> {
    let config = &app.config;
    let (Some(output), Some(engine)) = (&config.output, app.engine.get()) else {
        return Err(Error::internal("the writing began before it could"));
    };
    let accepted = Gold::of(&app.store)?.into_accepted();
    if accepted.documents.is_empty() {
        return Err(Error::new("no document is accepted yet; nothing was written"));
    }
    let reviewed = accepted.into_reviewed_spans(&config.state);
    let mut files = Files::new(&config.inputs, output);
    files.read = config.options.clone();
    files.reviewed = Some(&reviewed);
    files.reviewed_only = true;
    files.key = config.key.as_ref();
    if config.key.is_none() {
        let remark = "no key was given: one was made for this review and forgotten, so other runs will not agree with it";
        files.remarks.push(remark.to_owned());
    }
    let run = Run::new(engine, Task::Deid { refuse_below: None }).jobs(config.jobs);
    match run.files(&files, &mut ())? {
        Ended::Done(finished) => Ok(Written {
            folder: output.clone(),
            private: finished.private_folder,
            written: finished.report.documents.written,
            refused: finished.report.refused.into_iter().map(|r| (r.why, r.documents)).collect(),
        }),
        Ended::Failed { error, .. } => Err(error.into()),
        Ended::Stopped { .. } => Err(Error::internal("the writing was stopped")),
    }
}
