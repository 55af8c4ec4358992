//! `deid` and `detect`: read, treat on all threads, write in order, report.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use taire::batch::{ordered, stable_hash};
use taire::journal::{Checkpoint, Journal, Place};
use taire::{Deidentified, Engine, Error, Report, SecretKey, found_spans};
use taire_formats::{
    AtomicFile, Discovery, Document, OutSpan, OutputPlan, Stage, To, WriteOptions, discover,
};
use taire_text::{Language, Note};
use taire_vault::{Sealed, Vault};

use crate::args::{BatchArgs, DeidArgs, DetectArgs, InputArgs, OutputFormat, RunArgs};
use crate::feed::{Event, Feed, Step};
use crate::reveal::Original;
use crate::sink::{Outputs, Sink};
use crate::{Outcome, Usage, record, stop};

pub(crate) fn deid(args: &DeidArgs) -> Result<Outcome, Usage> {
    let (key, remark) = match &args.key {
        Some(path) => (SecretKey::read(path)?, None),
        None => {
            let remark = "no key was given: one was made for this run and forgotten, so other runs will not agree with it \
                          (`taire key new -o FILE` makes one to keep)";
            (SecretKey::generate()?, Some(remark))
        }
    };
    let engine =
        Engine::with_words(args.run.policy.as_deref(), &args.run.words, args.run.lang.0, Some(&key))?;
    let vault = crate::reveal::vault(&args.vault, &key, &args.output)?;
    let sealer = vault.as_ref().map(|v| v.sealer().clone());
    let job = Job {
        command: "deid",
        engine: &engine,
        options: args.batch.options(args.to.map_or(To::InKind, To::from), args.offsets.into()),
        run: &args.run,
        batch: &args.batch,
        asked: match &args.key {
            Some(_) => Some(format!("{:016x} {:?}", key_print(&key)?, args.refuse_below)),
            None => None,
        },
        treat: &|note| {
            let original = sealer.as_ref().map(|sealer| Original::new(sealer, &note));
            let done = engine.run(note)?;
            if let Some(why) = args.refuse_below.and_then(|below| done.doubt.refusal(below)) {
                return Err(Error::new(why));
            }
            let sealed = match original.map(|original| original.seal(&done)) {
                Some(sealed) => sealed.map_err(|e| Error::new(e.to_string()))?,
                None => Vec::new(),
            };
            Ok(Treated { spans: done.written_spans(), done, sealed })
        },
    };
    job.go(&args.input, &args.output, remark, vault)
}

pub(crate) fn detect(args: &DetectArgs) -> Result<Outcome, Usage> {
    let engine = Engine::with_words(args.run.policy.as_deref(), &args.run.words, args.run.lang.0, None)?;
    let job = Job {
        command: "detect",
        engine: &engine,
        options: args.batch.options(args.to.into(), args.offsets.into()),
        run: &args.run,
        batch: &args.batch,
        asked: Some(format!("{:?}", args.scheme)),
        treat: &|note| {
            let (note, findings) = engine.find(note)?;
            let (doubt, entities) = (findings.doubt(), findings.entities);
            let spans = found_spans(args.scheme, note.raw(), &entities);
            let patient = note.patient.clone();
            let date = note.date;
            let done = Deidentified {
                text: note.into_raw(),
                id_tells: false,
                entities,
                written: Vec::new(),
                fallbacks: Vec::new(),
                losses: Vec::new(),
                patient,
                date,
                doubt,
            };
            Ok(Treated { spans, done, sealed: Vec::new() })
        },
    };
    job.go(&args.input, &args.output, None, None)
}

/// Tells keys apart without telling anything of them.
fn key_print(key: &SecretKey) -> Result<u64, Usage> {
    Ok(stable_hash([key.subkey("journal", b"")?.as_slice()].into_iter()))
}

/// A treated document: what was done, and the spans to write with it.
pub(crate) struct Treated {
    pub(crate) spans: Vec<OutSpan>,
    pub(crate) done: Deidentified,
    /// For the vault.
    pub(crate) sealed: Vec<Sealed>,
}

struct Job<'a> {
    command: &'static str,
    engine: &'a Engine,
    options: WriteOptions,
    run: &'a RunArgs,
    batch: &'a BatchArgs,
    /// What this command alone was asked; `None` where nobody could ask the same again.
    asked: Option<String>,
    treat: &'a (dyn Fn(Note) -> Result<Treated, Error> + Sync),
}

pub(crate) enum Treatment {
    Pass(Event),
    Done { document: Box<Document>, language: Language, bytes: usize, treated: Result<Treated, Error> },
}

/// A document that is not written: said at once, and in the report.
pub(crate) fn refuse(report: &mut Report, document: String, why: &str) {
    eprintln!("taire: refused {document}{}{why}", if document.is_empty() { "" } else { ": " });
    let (document, why) = if document.is_empty() {
        why.split_once(": ").map_or((why.to_owned(), String::new()), |(d, w)| (d.to_owned(), w.to_owned()))
    } else {
        (document, why.to_owned())
    };
    report.refuse(document, why);
}

impl Job<'_> {
    fn go(
        &self,
        input: &InputArgs,
        output: &Path,
        remark: Option<&str>,
        vault: Option<Vault>,
    ) -> Result<Outcome, Usage> {
        let mut options = input.options()?;
        options.exclude.push(output.to_owned());
        for name in self.engine.policies().flat_map(|p| &p.keep_columns) {
            if !options.keep_columns.contains(name) {
                options.keep_columns.push(name.clone());
            }
        }
        let discovery = discover(&input.inputs, &options);
        if discovery.inputs.is_empty() && discovery.refused.is_empty() {
            return Err(Usage(
                "there is no document in what was given; give files or folders that hold some".into(),
            ));
        }
        let part = self.batch.shard.map(|shard| shard.to_string());
        let plan = OutputPlan::new(&discovery, output, self.options.to, part.as_deref())?;
        let stage = Stage::open(&plan.stage)?;
        let journal = self.journal(&stage, input, &discovery)?;
        let resumed = match (&journal, self.batch.resume) {
            (Some(journal), true) => journal.resume()?,
            (None, true) => {
                return Err(Usage(
                    "--resume needs the key of the run it goes on with, and inputs that can be read again: give \
                     --key, and files instead of `-`"
                        .into(),
                ));
            }
            _ => None,
        };
        let Checkpoint { place, mark, mut report } = match resumed {
            Some(checkpoint) => {
                self.note(&format!("going on after {} documents", checkpoint.report.documents.read));
                checkpoint
            }
            None => {
                stage.clear()?;
                let report = self.report(remark, &discovery, vault.is_some());
                Checkpoint { place: Place::default(), mark: None, report }
            }
        };
        let stop = stop::flag()?;
        let at = Outputs::new(place, mark, report.seconds);
        let reading = Feed::new(&discovery.inputs, &options).share(self.batch.shard).until(&stop);
        record::gather(self.engine, &reading, self.run.jobs(), &mut report)?;
        let done = {
            let progress = self.progress(&discovery);
            let sink = Sink {
                inputs: &discovery.inputs,
                plan: &plan,
                options: self.options,
                private: self.command == "detect",
                report: &mut report,
                progress: &progress,
                stage: stage.clone(),
                journal,
                every: Duration::from_secs_f64(self.batch.journal_every),
                vault,
                at,
            };
            self.stream(reading.after(place), sink)
        };
        let kept = stage.note()?.is_some();
        let go_on = "the same command with --resume goes on from there";
        match done {
            Ok(None) => {}
            Ok(Some(signal)) => {
                let n = report.documents.read;
                if kept {
                    eprintln!("taire: stopped by signal {signal} after {n} documents; {go_on}");
                } else {
                    stage.remove()?;
                    eprintln!(
                        "taire: stopped by signal {signal}; nothing is left of the output being written"
                    );
                }
                return Ok(Outcome::Stopped(signal));
            }
            Err(Usage(why)) if kept => {
                return Err(Usage(format!("{why}; what was done before is kept: {go_on}")));
            }
            Err(error) => {
                let _ = stage.remove();
                return Err(error);
            }
        }
        report.sort_doubts();
        save(&plan.report_json, &report.to_json())?;
        save(&plan.report_md, &report.to_markdown())?;
        stage.remove()?;
        if self.run.format == Some(OutputFormat::Json) {
            print!("{}", report.to_json());
        }
        self.say(&report, &plan);
        Ok(if report.documents.refused > 0 { Outcome::SomeRefused } else { Outcome::Done })
    }

    /// The journal of this run, if a later one can do the same again.
    fn journal(
        &self,
        stage: &Stage,
        input: &InputArgs,
        discovery: &Discovery,
    ) -> Result<Option<Journal>, Usage> {
        let standard_input = discovery.inputs.iter().any(|i| i.path.as_os_str() == "-");
        let Some(asked) = self.asked.clone().filter(|_| !standard_input) else { return Ok(None) };
        let mut policies = Vec::new();
        for policy in self.engine.policies() {
            policies.push(policy.to_toml()?);
        }
        let print = |texts: &[String]| format!("{:016x}", stable_hash(texts.iter().map(String::as_bytes)));
        let file = |path: &Path| {
            let about = std::fs::metadata(path).ok();
            let written = about.as_ref().and_then(|m| m.modified().ok());
            format!("{} {:?} {written:?}", path.display(), about.as_ref().map(|m| m.len()))
        };
        let files: Vec<String> = discovery.inputs.iter().map(|i| file(&i.path)).collect();
        let beside: Vec<String> = discovery.identities.iter().map(|p| file(p)).collect();
        let patients = input.patients.as_deref().map(file).unwrap_or_default();
        let words: Vec<String> = self.run.words.iter().map(|p| file(p)).collect();
        let asked = [
            ("command", self.command.to_owned()),
            ("key or scheme", asked),
            ("policy", print(&policies)),
            ("word lists", print(&words)),
            ("language", format!("{:?}", self.engine.language())),
            ("inputs", print(&files)),
            ("identities", print(&beside)),
            ("--patients", patients),
            ("columns", input.columns()),
            ("output options", format!("{:?}", self.options)),
            ("--shard", format!("{:?}", self.batch.shard)),
        ];
        let asked: BTreeMap<String, String> = asked.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        Ok(Some(Journal::new(stage.clone(), asked)))
    }

    fn report(&self, remark: Option<&str>, discovery: &Discovery, vault: bool) -> Report {
        let mut report = Report::new(self.command, self.engine.policies().map(|p| p.name.clone()));
        report.settings(self.engine.policies());
        if let Some(remark) = remark {
            report.remark(remark);
            self.note(remark);
        }
        if self.command == "deid" {
            let remarks = self.engine.policies().flat_map(|p| p.rewrite.remarks());
            remarks.for_each(|remark| report.remark(remark));
        }
        if vault {
            report.remark("the originals are kept in a vault, sealed under a key of its own");
        }
        if let Some(shard) = self.batch.shard {
            report.remark(format!("this is share {shard} of the documents, by patient, else by document id"));
        }
        for refusal in &discovery.refused {
            refuse(&mut report, String::new(), &refusal.to_string());
        }
        for ignored in &discovery.ignored {
            report.remark(format!("not a document: {ignored}"));
        }
        for path in &discovery.identities {
            report.remark(format!("{}: known identities, used and not written", path.display()));
        }
        report
    }

    fn note(&self, what: &str) {
        if !self.run.quiet {
            eprintln!("taire: {what}");
        }
    }

    /// Reads, treats and writes; the signal that stopped it, if one did.
    fn stream(&self, feed: Feed<'_>, mut sink: Sink<'_>) -> Result<Option<i32>, Usage> {
        let stop = feed.signal();
        ordered(self.run.jobs(), feed, |step| self.work(step), |treated| sink.take(treated))?;
        sink.progress.finish_and_clear();
        match stop.map_or(0, |stop| stop.load(Ordering::Relaxed)) {
            0 => sink.finish().map(|()| None),
            signal => {
                sink.checkpoint()?;
                Ok(Some(signal as i32))
            }
        }
    }

    fn work(&self, Step { event, after }: Step) -> (Treatment, Place) {
        let Event::Document(mut document) = event else { return (Treatment::Pass(event), after) };
        let bytes = document.text.len();
        let forced = self.engine.language().or(document.language);
        let note = Note::builder(document.id.clone(), std::mem::take(&mut document.text))
            .patient(document.patient.clone())
            .date(document.date)
            .language(forced)
            .known(document.known.clone())
            .given(std::mem::take(&mut document.given))
            .build();
        let (language, treated) = match note {
            Ok(note) => (note.language, (self.treat)(note)),
            Err(error) => (Language::Fr, Err(error.into())),
        };
        (Treatment::Done { document, language, bytes, treated }, after)
    }

    fn progress(&self, discovery: &Discovery) -> ProgressBar {
        if self.run.quiet || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bytes =
            discovery.inputs.iter().filter_map(|i| std::fs::metadata(&i.path).ok()).map(|m| m.len()).sum();
        let bar = ProgressBar::new(bytes);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:32} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left {msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    fn say(&self, report: &Report, plan: &OutputPlan) {
        if self.run.quiet {
            return;
        }
        let d = &report.documents;
        eprintln!(
            "taire: {} documents written, {} refused, {} spans found, {:.1} s; see {}",
            d.written,
            d.refused,
            report.spans(),
            report.seconds,
            plan.report_md.display()
        );
    }
}

fn save(path: &Path, content: &str) -> Result<(), Usage> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(content.as_bytes())?;
    Ok(file.finish()?)
}
