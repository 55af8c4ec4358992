//! Files in, files out: where outputs go, what an unfinished run left, and how a run ends.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use taire_formats::{
    AtomicFile, Discovery, Document, Format, InputFile, OutputPlan, ReadOptions, Reason, Setting, Stage,
    WriteOptions, discover, ids_of_files,
};

use taire_text::counted;

use super::feed::{Event, Feed, InputPosition, Reading, Step};
use super::manifest::{Earlier, WriteLog, check_private, withdraw, write_manifest};
use super::names::released_names;
use super::private::{PrivateFiles, make_private_folder};
use super::rekey::Companions;
use super::sink::{Done, Outputs, Sink};
use super::{Checkpoint, Fingerprint, Journal, Listener, PatientRecords, ReviewedSpans, Run, Task};
use crate::batch::{Shard, ordered};
use crate::losses::PatientAccounts;
use crate::{Error, Links, Records, Report, SecretKey};

/// What a run over files reads and writes.
#[derive(Clone, Debug)]
pub struct Files<'a> {
    /// Files and folders to read.
    pub inputs: &'a [PathBuf],
    /// How they are read.
    pub read: ReadOptions,
    /// The file of known identities in `read`, whose content is part of the fingerprint.
    pub patients_file: Option<&'a Path>,
    /// Spans that people have settled: their documents are written from them and not searched.
    pub reviewed: Option<&'a ReviewedSpans>,
    /// Write the documents of `reviewed` alone; the others are refused, so that the report counts them.
    pub reviewed_only: bool,
    /// Tables without text that are re-keyed, so that they still join with the documents.
    pub rekey: Vec<PathBuf>,
    /// The folder or file to write.
    pub output: &'a Path,
    /// How it is written.
    pub write: WriteOptions,
    /// Only this share of the documents.
    pub shard: Option<Shard>,
    /// The key of the surrogates, where a later run can have the same.
    pub key: Option<&'a SecretKey>,
    /// Continue an unfinished run.
    pub resume: bool,
    /// Ids of documents and names of files stay as they are.
    pub keep_ids: bool,
    /// Write into a folder that holds files of others, and leave those there.
    pub into_existing: bool,
    /// How often progress is written down.
    pub checkpoint_every: Duration,
    /// Holds the signal that asks the run to stop, 0 for none.
    pub stop: Option<&'a AtomicUsize>,
    /// Join documents to patients by what they say, where they have no patient id.
    pub link: bool,
    /// A directory of staff, sites and services that the engine uses, whose content is part of the fingerprint.
    pub directory_file: Option<&'a Path>,
    /// What the report says before all else.
    pub remarks: Vec<String>,
    /// The caller's names of options, for the report.
    pub words: fn(Setting) -> &'static str,
}

/// A run that was done to its end.
#[derive(Debug)]
pub struct Finished {
    /// What was done.
    pub report: Report,
    /// Where the report lies, for people.
    pub report_file: PathBuf,
    /// The folder with what must not be shared.
    pub private_folder: PathBuf,
}

/// How a run ended that had begun.
#[derive(Debug)]
pub enum Ended {
    /// All inputs were read.
    Done(Box<Finished>),
    /// By a signal.
    Stopped {
        /// Its number.
        signal: i32,
        /// How many documents were treated.
        documents: usize,
        /// Whether a later run can continue.
        can_resume: bool,
    },
    /// By an error that is no document's.
    Failed {
        /// Why.
        error: Error,
        /// Whether a later run can continue.
        can_resume: bool,
    },
}

impl<'a> Files<'a> {
    /// All documents of `inputs`, to be written to `output` in their own formats.
    pub fn new(inputs: &'a [PathBuf], output: &'a Path) -> Self {
        Files {
            inputs,
            read: ReadOptions::default(),
            patients_file: None,
            reviewed: None,
            reviewed_only: false,
            rekey: Vec::new(),
            output,
            write: WriteOptions::default(),
            shard: None,
            key: None,
            resume: false,
            keep_ids: false,
            into_existing: false,
            checkpoint_every: Duration::from_secs(10),
            stop: None,
            link: true,
            directory_file: None,
            remarks: Vec::new(),
            words: Setting::neutral_name,
        }
    }
}

impl<K: Send> Run<'_, K> {
    /// Reads, treats and writes files. An error means that nothing was begun.
    pub fn files(&self, files: &Files<'_>, listener: &mut dyn Listener<K>) -> Result<Ended, Error> {
        check_output(files.inputs, files.output)?;
        check_present(files.inputs)?;
        let mut options = files.read.clone();
        options.exclude.push(files.output.to_owned());
        options.exclude.extend_from_slice(&files.rekey);
        for name in self.engine.policies().flat_map(|p| &p.keep_columns) {
            if !options.keep_columns.contains(name) {
                options.keep_columns.push(name.clone());
            }
        }
        let discovery = discover(files.inputs, &options);
        if discovery.inputs.is_empty() && discovery.refused.is_empty() {
            return Err(Error::usage(
                "there is no document in what was given; give files or folders that hold some",
            ));
        }
        let reading =
            Reading { inputs: &discovery.inputs, options: &options, shard: files.shard, stop: files.stop };
        let absent = files.reviewed.map(|reviewed| reviewed.check(&reading)).transpose()?.unwrap_or(0);
        let (plan, new_stems) = self.plan(files, &discovery)?;
        let companions = self.companions(files, &options.keep_columns, &plan)?;
        make_private_folder(&plan.private)?;
        let private = Stage::open(&plan.private_file(PRIVATE_STAGE))?;
        let stages = Stages { stage: Stage::open(&plan.stage)?, private };
        let work = Work {
            files,
            options: &options,
            discovery: &discovery,
            reading: &reading,
            plan: &plan,
            new_stems: &new_stems,
            companions: &companions,
            stages: &stages,
            absent,
        };
        self.staged(&work, listener).or_else(|error| stages.leave(&plan).and(Err(error)))
    }

    /// A run whose stages are open, from the first reading to the manifest. An error means that nothing was begun.
    fn staged(&self, work: &Work<'_>, listener: &mut dyn Listener<K>) -> Result<Ended, Error> {
        let Work { files, options, discovery, reading, plan, stages, .. } = *work;
        let Stages { stage, private: private_stage } = stages;
        let journal = match self.is_repeatable(files, discovery) {
            true => Some(Journal::new(stage.clone(), self.fingerprint(files, options, discovery)?)),
            false => None,
        };
        let resumed = match &journal {
            Some(journal) if files.resume => journal.resume()?,
            _ => None,
        };
        listener.started(discovery, resumed.as_ref().map(|c| c.report.documents.read));
        let mut private = match &resumed {
            Some(checkpoint) => PrivateFiles::open(plan, private_stage.clone(), Some(checkpoint.private))?,
            None => {
                clear_earlier(plan, stage, private_stage)?;
                PrivateFiles::open(plan, private_stage.clone(), None)?
            }
        };
        let mut checkpoint = match resumed {
            Some(checkpoint) => checkpoint,
            None => Checkpoint {
                report: self.new_report(files, discovery, &mut private, listener)?,
                ..Checkpoint::default()
            },
        };
        if work.absent > 0 {
            let absent = work.absent;
            let reviewed = counted(absent, "reviewed document is", "reviewed documents are");
            checkpoint.report.remark(format!("{reviewed} not among the inputs"));
        }
        let outputs = Outputs::new(&checkpoint);
        let Checkpoint { position, report, .. } = &mut checkpoint;
        let joined = self.read_first(files, discovery, reading, plan, report)?;
        let sink = Sink {
            inputs: &discovery.inputs,
            plan,
            files,
            is_for_owner: matches!(self.task, Task::Detect { .. }),
            new_stems: work.new_stems,
            outputs,
            private,
            log: WriteLog::open(stage, &plan.folder)?,
            accounts: match report.documents.read {
                0 => PatientAccounts::default(),
                _ => PatientAccounts::of_resumed_run(),
            },
            report,
            listener,
            stage: stage.clone(),
            journal,
            cancelled: false,
        };
        let ended = self.stream(reading.feed_after(*position), sink, &joined);
        let signal = files.stop.map_or(0, |stop| stop.load(Ordering::Relaxed)) as i32;
        let mut private = match ended {
            Err(error) => return Ok(Ended::Failed { error, can_resume: stages.leave(plan)? }),
            Ok(Some(private)) if signal == 0 => private,
            Ok(_) => {
                let documents = checkpoint.report.documents.read;
                return Ok(Ended::Stopped { signal, documents, can_resume: stages.leave(plan)? });
            }
        };
        let mut report = checkpoint.report;
        report.directory = self.engine.directory_counts();
        let finished = work
            .companions
            .write(stage, &mut private, report)
            .and_then(|report| finish(plan, stages, private, report));
        finished.map(Ended::Done).or_else(|error| {
            stages.withdraw(plan)?;
            Ok(Ended::Failed { error, can_resume: false })
        })
    }

    /// Where outputs go and what their documents are called, once it is clear that the run may write there.
    fn plan(&self, files: &Files<'_>, discovery: &Discovery) -> Result<(OutputPlan, Vec<String>), Error> {
        let names = self.released_names(files, discovery);
        let part = files.shard.map(|shard| shard.to_string());
        let plan = OutputPlan::renamed(discovery, &names, files.output, files.write.to, part.as_deref())?;
        check_inputs(files.inputs, &plan)?;
        check_private(&plan)?;
        if !plan.is_file && !files.into_existing {
            Earlier::read(&plan.folder)?.check_foreign(&plan.folder)?;
        }
        if files.resume && !self.is_repeatable(files, discovery) {
            return Err(not_repeatable());
        }
        let new_stems = new_stems(&plan, &names);
        Ok((plan, new_stems))
    }

    /// The names of the outputs: those of the inputs where they tell nobody who a document is about.
    fn released_names(&self, files: &Files<'_>, discovery: &Discovery) -> Vec<PathBuf> {
        let kept = || discovery.inputs.iter().map(|input| input.relative.clone()).collect();
        match self.task {
            Task::Deid { .. } if !files.keep_ids => {
                let token = |path: &[u8]| self.engine.file_name(path).unwrap_or_default();
                released_names(&discovery.inputs, token)
            }
            _ => kept(),
        }
    }

    /// The tables beside the documents, once it is clear that they can be re-keyed.
    fn companions<'c>(
        &'c self,
        files: &'c Files<'_>,
        kept: &'c [String],
        plan: &'c OutputPlan,
    ) -> Result<Companions<'c>, Error> {
        let names = |table: &Path| match files.keep_ids {
            true => table.file_name().map(PathBuf::from).unwrap_or_default(),
            false => {
                let input = InputFile::new(
                    table,
                    table.file_name().unwrap_or_default(),
                    Format::Csv { delimiter: b',' },
                );
                let token = |path: &[u8]| self.engine.file_name(path).unwrap_or_default();
                released_names(&[input], token).pop().unwrap_or_default()
            }
        };
        Companions::new(self.engine, &files.rekey, names, kept, plan)
    }

    /// The first reading. What it joined is listed in `links.csv` in the private folder of the output.
    fn read_first(
        &self,
        files: &Files<'_>,
        discovery: &Discovery,
        reading: &Reading<'_>,
        plan: &OutputPlan,
        report: &mut Report,
    ) -> Result<Joined, Error> {
        if !files.link {
            return Ok(Joined::ById(self.first_reading_of_files(reading, report)));
        }
        let tables = files.read.patients.iter().chain(&discovery.tables).cloned().collect();
        let links = self.link_files(reading, tables, files.key, report)?;
        if files.stop.is_none_or(|stop| stop.load(Ordering::Relaxed) == 0) {
            write_links(&plan.private, &links)?;
        }
        Ok(Joined::ByContent(Box::new(links)))
    }

    /// Whether a later run can do the same again: with the same key, from inputs that are still there.
    fn is_repeatable(&self, files: &Files<'_>, discovery: &Discovery) -> bool {
        let needs_key = matches!(self.task, Task::Deid { .. });
        let standard_input = discovery.inputs.iter().any(|i| i.path.as_os_str() == "-");
        (files.key.is_some() || !needs_key) && !standard_input
    }

    fn fingerprint(
        &self,
        files: &Files<'_>,
        options: &ReadOptions,
        discovery: &Discovery,
    ) -> Result<Fingerprint, Error> {
        let mut fingerprint = Fingerprint::of_engine(self.engine)?;
        fingerprint.add("command", &format!("{:?}", self.task));
        if let Some(key) = files.key {
            fingerprint.add_key(key)?;
        }
        fingerprint.add("link", &format!("{}", files.link));
        if let Some(path) = files.directory_file {
            fingerprint.add_content("directory", path)?;
        }
        if let Some(path) = files.patients_file {
            fingerprint.add_content("patients", path)?;
        }
        fingerprint.add_file_stamps("companion tables", files.rekey.iter().map(PathBuf::as_path));
        if let Some(reviewed) = files.reviewed {
            fingerprint.add_content("reviewed", reviewed.path())?;
            fingerprint.add("reviewed documents only", &files.reviewed_only.to_string());
        }
        for path in discovery.identities.iter().filter(|path| path.is_file()) {
            fingerprint.add_content("identities", path)?;
        }
        fingerprint.add_file_stamps("inputs", discovery.inputs.iter().map(|i| i.path.as_path()));
        let ReadOptions {
            text_column,
            id_column,
            patient_column,
            date_column,
            visit_column,
            keep_columns,
            ocr,
            ..
        } = options;
        let columns = [text_column, id_column, patient_column, date_column, visit_column];
        fingerprint.add("columns", &format!("{columns:?} {keep_columns:?}"));
        fingerprint
            .add("reading of scans", &format!("{:?} {:?} {:?}", ocr.program, ocr.language, ocr.unread));
        fingerprint.add("output options", &format!("{:?}", files.write));
        fingerprint.add("kept ids", &format!("{:?}", files.keep_ids));
        fingerprint.add("share", &format!("{:?}", files.shard));
        Ok(fingerprint)
    }

    fn new_report(
        &self,
        files: &Files<'_>,
        discovery: &Discovery,
        private: &mut PrivateFiles,
        listener: &mut dyn Listener<K>,
    ) -> Result<Report, Error> {
        let mut report = Report::new(self.task.name(), self.engine.policies().map(|p| p.name.clone()));
        report.settings(self.engine.policies());
        files.remarks.iter().for_each(|remark| report.remark(remark.as_str()));
        if matches!(self.task, Task::Deid { .. }) {
            let remarks = self.engine.policies().flat_map(|p| p.rewrite.remarks());
            remarks.for_each(|remark| report.remark(remark));
        }
        if let Some(shard) = files.shard {
            report.remark(format!("this is share {shard} of the documents, by patient, else by document id"));
        }
        if matches!(self.task, Task::Deid { .. }) && files.keep_ids {
            report.remark("document ids and file names are those of the originals, as was asked for");
        }
        for refusal in &discovery.refused {
            listener.refused(refusal);
            report.refuse(refusal, files.words);
            private.refuse(refusal, files.words)?;
        }
        let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
        for ignored in &discovery.ignored {
            let why = ignored.reason.in_words(files.words);
            private.remark(&ignored.document, &format!("skipped: {why}"))?;
            *skipped.entry(why).or_default() += 1;
        }
        for (why, count) in skipped {
            let files = counted(count, "file or folder was", "files or folders were");
            report.remark(format!("{files} skipped: {why}"));
        }
        for path in &discovery.identities {
            private.remark(&path.display().to_string(), "known identities, read and not written")?;
        }
        if !discovery.identities.is_empty() {
            let count = discovery.identities.len();
            let files = counted(count, "file of known identities was", "files of known identities were");
            report.remark(format!("{files} used and not written"));
        }
        Ok(report)
    }

    /// Reads, treats and writes, until the inputs end or a signal comes.
    /// Gives the private files back to be finished, unless the run was stopped.
    fn stream(
        &self,
        feed: Feed<'_>,
        mut sink: Sink<'_, K>,
        joined: &Joined,
    ) -> Result<Option<PrivateFiles>, Error> {
        let files = sink.files;
        let attach = |document: &mut Document| match files.reviewed {
            None => Ok(()),
            Some(reviewed) => match reviewed.attach(document)? || !files.reviewed_only {
                true => Ok(()),
                false => Err(Error::refused(reviewed.why_not_accepted(&document.id))),
            },
        };
        let work = |Step { event, after }: Step| match event {
            Event::Document(mut document) => {
                let bytes = document.text.len();
                let treated = attach(&mut document)
                    .and_then(|()| joined.apply(after, &mut document))
                    .and_then(|()| self.treat(&mut document, joined.records()));
                match self.is_cancelled() {
                    true => (Done::Cancelled, after),
                    false => (Done::Treated { document, bytes, treated: Box::new(treated) }, after),
                }
            }
            Event::Open(index, layout) => (Done::Open(index, layout), after),
            Event::Refused(refusal) => (Done::Refused(refusal), after),
            Event::Close(summary) => (Done::Close(summary), after),
        };
        ordered(self.jobs, feed, work, |(done, after)| sink.take(done, after))?;
        match sink.is_stopped() {
            true => sink.checkpoint().map(|()| None),
            false => sink.finish().map(Some),
        }
    }
}

/// How the documents of a run are joined to records.
enum Joined {
    /// By their patient ids.
    ById(Records),
    /// By their patient ids and by what they say.
    ByContent(Box<Links>),
}

impl Joined {
    fn records(&self) -> &dyn PatientRecords {
        match self {
            Joined::ById(records) => records,
            Joined::ByContent(links) => &**links,
        }
    }

    /// Tells a document its record.
    fn apply(&self, after: InputPosition, document: &mut Document) -> Result<(), Error> {
        match self {
            Joined::ById(_) => Ok(()),
            Joined::ByContent(links) => links.apply(after, document),
        }
    }
}

const PRIVATE_STAGE: &str = ".taire-run";

/// A run over files, once it is clear what it reads and where it writes.
struct Work<'a> {
    files: &'a Files<'a>,
    options: &'a ReadOptions,
    discovery: &'a Discovery,
    reading: &'a Reading<'a>,
    plan: &'a OutputPlan,
    new_stems: &'a [String],
    companions: &'a Companions<'a>,
    stages: &'a Stages,
    /// Reviewed documents that are not among the inputs.
    absent: usize,
}

/// The hidden folders of a run under way.
struct Stages {
    stage: Stage,
    private: Stage,
}

impl Stages {
    /// Leaves them where a later run can continue from them, and tells whether it can. Where it cannot, nothing of the run stays: what
    /// it wrote would lie in the output without manifest, report and crosswalk.
    fn leave(&self, plan: &OutputPlan) -> Result<bool, Error> {
        let can_resume = self.stage.note()?.is_some();
        if !can_resume {
            self.withdraw(plan)?;
        }
        Ok(can_resume)
    }

    /// Removes all that the run wrote, and the stages.
    fn withdraw(&self, plan: &OutputPlan) -> Result<(), Error> {
        withdraw(plan, &self.stage)?;
        self.remove()?;
        remove_bare_folders(plan);
        Ok(())
    }

    fn remove(&self) -> Result<(), Error> {
        self.stage.clone().remove()?;
        self.private.clone().remove()
    }
}

/// Removes the folders of an output that hold nothing but what a run leaves while it works. Others stay as they are.
fn remove_bare_folders(plan: &OutputPlan) {
    let own = [".lock", "links.csv"];
    let names = |folder: &Path| -> Option<Vec<std::ffi::OsString>> {
        std::fs::read_dir(folder).ok()?.map(|entry| entry.map(|e| e.file_name()).ok()).collect()
    };
    if names(&plan.private).is_some_and(|all| all.iter().all(|name| own.iter().any(|o| name == o))) {
        own.iter().for_each(|name| drop(std::fs::remove_file(plan.private.join(name))));
        drop(std::fs::remove_dir(&plan.private));
    }
    if !plan.is_file {
        // Not removed where anything is in it.
        drop(std::fs::remove_dir(&plan.folder));
    }
}

/// Puts the private files, the manifest and the reports under their names.
fn finish(
    plan: &OutputPlan,
    stages: &Stages,
    private: PrivateFiles,
    report: Report,
) -> Result<Box<Finished>, Error> {
    private.finish(plan)?;
    write_manifest(plan, &stages.stage)?;
    save(&plan.report_json, &report.to_json())?;
    save(&plan.report_md, &report.to_markdown())?;
    stages.remove()?;
    let (report_file, private_folder) = (plan.report_md.clone(), plan.private.clone());
    Ok(Box::new(Finished { report, report_file, private_folder }))
}

/// Removes what the runs left that this one replaces. Shares of one output do it one after the other.
fn clear_earlier(plan: &OutputPlan, stage: &Stage, private_stage: &Stage) -> Result<(), Error> {
    let path = plan.private.join(".lock");
    let lock = lock_file(&path).map_err(|e| Error::from(e).prefixed("cannot write: ").in_file(&path))?;
    lock.lock().map_err(|e| Error::from(e).prefixed("cannot lock: ").in_file(&path))?;
    if !plan.is_file {
        Earlier::read(&plan.folder)?.clear(&plan.folder, plan.part.as_deref().unwrap_or_default())?;
    }
    stage.clear()?;
    private_stage.clear()
}

fn lock_file(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// What documents without an id are called when the output is read: its file names, or those of the inputs where all
/// documents go to one file.
fn new_stems(plan: &OutputPlan, names: &[PathBuf]) -> Vec<String> {
    if plan.merged {
        return ids_of_files(names);
    }
    let relative = |target: &PathBuf| target.strip_prefix(&plan.folder).unwrap_or(target).to_owned();
    ids_of_files(&plan.targets.iter().map(relative).collect::<Vec<_>>())
}

/// Refuses inputs that are not there: most often a typing error, and nothing is written for it.
fn check_present(inputs: &[PathBuf]) -> Result<(), Error> {
    let is_missing = |input: &&PathBuf| {
        let missing = |e: std::io::Error| e.kind() == std::io::ErrorKind::NotFound;
        input.as_os_str() != "-" && std::fs::metadata(input).is_err_and(missing)
    };
    match inputs.iter().find(is_missing) {
        None => Ok(()),
        Some(input) => {
            Err(Error::usage("there is no such file or folder; nothing was written").in_file(input))
        }
    }
}

/// Refuses an output inside an input: a later run would read what this one writes.
pub fn check_output(inputs: &[PathBuf], output: &Path) -> Result<(), Error> {
    let out = resolved(output);
    let holds = |input: &&PathBuf| {
        std::fs::canonicalize(input).is_ok_and(|given| given.is_dir() && out.starts_with(&given))
    };
    match inputs.iter().find(holds) {
        None => Ok(()),
        Some(input) => {
            let why = "the output lies inside this input; choose a folder beside it";
            Err(Error::usage(why).in_file(input))
        }
    }
}

/// Refuses an input inside the output, or inside its private folder.
fn check_inputs(inputs: &[PathBuf], plan: &OutputPlan) -> Result<(), Error> {
    let private = resolved(&plan.private);
    let out = (!plan.is_file).then(|| resolved(&plan.folder));
    let is_inside = |input: &&PathBuf| {
        let inside = |given: PathBuf| {
            given.starts_with(&private) || out.as_ref().is_some_and(|out| given.starts_with(out))
        };
        input.as_os_str() != "-" && std::fs::canonicalize(input).is_ok_and(inside)
    };
    match inputs.iter().find(is_inside) {
        None => Ok(()),
        Some(input) => {
            let why = "this input lies inside the output; move it out, or choose another output";
            Err(Error::usage(why).in_file(input))
        }
    }
}

/// Where a path leads, the part of it that is not there yet included.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for above in path.ancestors() {
        if let Ok(found) = std::fs::canonicalize(above) {
            return found.join(path.strip_prefix(above).unwrap_or(Path::new("")));
        }
    }
    path
}

/// Writes `links.csv` into the private folder of an output, for its owner alone.
fn write_links(private: &Path, links: &Links) -> Result<(), Error> {
    let failed = |e: &std::io::Error| {
        Error::io(format!("cannot write links.csv: {}", taire_text::io_reason(e))).in_file(private)
    };
    let mut file = tempfile::NamedTempFile::new_in(private).map_err(|e| failed(&e))?;
    let written = links.write_csv(&mut std::io::BufWriter::new(file.as_file_mut()));
    written.map_err(|e| e.in_file(private.join("links.csv")))?;
    file.persist(private.join("links.csv")).map_err(|e| failed(&e.error))?;
    Ok(())
}

fn not_repeatable() -> Error {
    let needs = " needs the key of the run it continues, and inputs that can be read again: give the key, and files \
                 instead of standard input";
    Error::usage(Reason::naming("", Setting::Resume, needs))
}

fn save(path: &Path, content: &str) -> Result<(), Error> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(content.as_bytes())?;
    file.finish()
}
