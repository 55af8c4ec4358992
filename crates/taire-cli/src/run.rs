//! `deid` and `detect`: arguments in, progress and words out. The work is [`taire::Run`]'s.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use taire::run::{Ended, Files, Finished, Listener};
use taire::{Deidentified, Error, Refusal, Run, SecretKey, Task};
use taire_formats::{Discovery, To};
use taire_text::{Note, counted};
use taire_vault::{Sealed, Vault};

use crate::args::{BatchArgs, DeidArgs, DetectArgs, InputArgs, OutputFormat, RunArgs};
use crate::standard_output::Output;
use crate::stop::Signalled;
use crate::{Outcome, option_name, stop};

pub(crate) fn deid(args: &DeidArgs) -> Result<Outcome, Error> {
    let (key, is_kept) = match &args.key {
        Some(path) => (SecretKey::read(path)?, true),
        None => (SecretKey::generate()?, false),
    };
    let (engine, directory) = args.run.engine(Some(&key))?;
    let output = Output::new(&args.output, &args.input.inputs)?;
    let vault = crate::reveal::vault(&args.vault, &key, output.path())?;
    let sealer = vault.as_ref().map(|v| v.sealer().clone());
    let seal = |note: &Note, done: &Deidentified| match &sealer {
        Some(sealer) => Ok(crate::reveal::seal(sealer, note, done)?),
        None => Ok(Vec::new()),
    };
    let mut screen = Screen::new(&args.run, vault);
    let reviewed = args.reviewed.as_deref().map(crate::reviewed::read).transpose()?;
    let mut files = files(&args.input, &args.batch, output.path())?;
    files.read.ocr.language = args.run.lang.0;
    files.rekey.clone_from(&args.rekey);
    files.reviewed = reviewed.as_ref().map(|reviewed| &reviewed.spans);
    files.reviewed_only = args.reviewed_only;
    files.remarks.extend(reviewed.as_ref().and_then(|reviewed| reviewed.remark.clone()));
    files.remarks.extend(directory);
    files.directory_file = args.run.directory.as_deref();
    files.write = args.batch.options(args.to.map_or(To::InKind, To::from), args.offsets.into());
    files.key = Some(&key).filter(|_| is_kept);
    files.keep_ids = args.keep_ids;
    if !is_kept {
        let remark = "no key was given: one was made for this run and forgotten, so other runs will not agree with it \
                      (`taire key new -o FILE` makes one to keep)";
        screen.say(remark);
        files.remarks.push(remark.into());
    }
    if screen.vault.is_some() {
        files.remarks.push("the originals are kept in a vault, sealed under a key of its own".into());
    }
    let run = Run::new(&engine, Task::Deid { refuse_below: args.refuse_below });
    run_files(run.jobs(args.run.jobs()).keeping(&seal), &mut files, &mut screen, &output)
}

pub(crate) fn detect(args: &DetectArgs) -> Result<Outcome, Error> {
    let (engine, directory) = args.run.engine(None)?;
    let mut screen = Screen::new(&args.run, None);
    let output = Output::new(&args.output, &args.input.inputs)?;
    let mut files = files(&args.input, &args.batch, output.path())?;
    files.read.ocr.language = args.run.lang.0;
    files.remarks.extend(directory);
    files.directory_file = args.run.directory.as_deref();
    files.write = args.batch.options(args.to.into(), args.offsets.into());
    let run = Run::new(&engine, Task::Detect { scheme: args.scheme });
    run_files(run.jobs(args.run.jobs()).keeping(&|_, _| Ok(Vec::new())), &mut files, &mut screen, &output)
}

fn files<'a>(input: &'a InputArgs, batch: &'a BatchArgs, output: &'a Path) -> Result<Files<'a>, Error> {
    Ok(Files {
        read: input.options()?,
        patients_file: input.patients.as_deref(),
        link: !batch.no_link,
        shard: batch.shard,
        resume: batch.resume,
        into_existing: batch.into_existing,
        checkpoint_every: Duration::from_secs_f64(batch.journal_every),
        words: option_name,
        ..Files::new(&input.inputs, output)
    })
}

fn run_files<'a>(
    run: Run<'_, Vec<Sealed>>,
    files: &mut Files<'a>,
    screen: &mut Screen<'_>,
    output: &Output,
) -> Result<Outcome, Error> {
    const CONTINUE: &str = "the same command with --resume continues from there";
    let Signalled { stop, cancel } = stop::listen()?;
    let files = Files { stop: Some(&stop), ..files.clone() };
    let ended = run.cancelled_by(cancel).files(&files, screen)?;
    screen.progress.finish_and_clear();
    match ended {
        Ended::Done(finished) => {
            output.print()?;
            screen.summary(&finished, output)?;
            let refused = finished.report.documents.refused > 0;
            Ok(if refused { Outcome::SomeRefused } else { Outcome::Done })
        }
        Ended::Stopped { signal, documents, can_resume } => {
            match can_resume {
                true => {
                    let documents = counted(documents, "document", "documents");
                    eprintln!("taire: stopped by signal {signal} after {documents}; {CONTINUE}");
                }
                false => {
                    eprintln!(
                        "taire: stopped by signal {signal}; nothing is left of the output being written"
                    );
                }
            }
            Ok(Outcome::Stopped(signal))
        }
        Ended::Failed { error, can_resume: true } => {
            eprintln!("taire: what was done before is kept: {CONTINUE}");
            Err(error)
        }
        Ended::Failed { error, can_resume: false } => {
            eprintln!("taire: the run failed, and what it had written was removed");
            Err(error)
        }
    }
}

/// Shows what goes on, and adds to the vault what is written.
struct Screen<'a> {
    run: &'a RunArgs,
    progress: ProgressBar,
    vault: Option<Vault>,
}

impl<'a> Screen<'a> {
    fn new(run: &'a RunArgs, vault: Option<Vault>) -> Self {
        Screen { run, progress: ProgressBar::hidden(), vault }
    }

    fn say(&self, what: &str) {
        if !self.run.quiet {
            eprintln!("taire: {what}");
        }
    }

    fn summary(&self, finished: &Finished, output: &Output) -> Result<(), Error> {
        let Finished { report, report_file: file, private_folder } = finished;
        if self.run.format == Some(OutputFormat::Json) {
            out!("{}", report.to_json());
        }
        let d = &report.documents;
        let places = match output.is_standard() {
            true => "reports and crosswalk are written with `-o FOLDER`".to_owned(),
            false => {
                let (file, private) = (file.display(), private_folder.display());
                format!("see {file}; what must not be shared is in {private}")
            }
        };
        self.say(&format!(
            "{} written, {} refused, {} found, {:.1} s; {places}",
            counted(d.written, "document", "documents"),
            d.refused,
            counted(report.spans(), "span", "spans"),
            report.seconds
        ));
        Ok(())
    }
}

impl Listener<Vec<Sealed>> for Screen<'_> {
    fn started(&mut self, inputs: &Discovery, resumed: Option<usize>) {
        if let Some(documents) = resumed {
            let documents = counted(documents, "document", "documents");
            self.say(&format!("continuing after {documents}"));
        }
        if self.run.quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let sizes = inputs.inputs.iter().filter_map(|i| std::fs::metadata(&i.path).ok());
        self.progress = ProgressBar::new(sizes.map(|m| m.len()).sum());
        let template = "{bar:32} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.progress.set_style(style);
        }
        self.progress.enable_steady_tick(Duration::from_millis(200));
    }

    fn refused(&mut self, refusal: &Refusal) {
        crate::print_refusal(refusal);
    }

    fn treated(&mut self, bytes: usize) {
        self.progress.inc(bytes as u64);
    }

    fn written(&mut self, sealed: Vec<Sealed>) -> Result<(), Error> {
        match &mut self.vault {
            Some(vault) => Ok(vault.add(sealed)?),
            None => Ok(()),
        }
    }

    fn checkpoint(&mut self) -> Result<(), Error> {
        match &mut self.vault {
            Some(vault) => Ok(vault.commit()?),
            None => Ok(()),
        }
    }
}
