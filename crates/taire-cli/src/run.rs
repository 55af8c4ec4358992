//! `deid` and `detect`: read, treat on all threads, write in order, report.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use taire::batch::ordered;
use taire::{Deidentified, Engine, Error, Report, SecretKey};
use taire_formats::{
    AtomicFile, Discovery, Document, Encoding, ErrorKind, Layout, Offsets, OutSpan, OutputPlan, ReadOptions,
    ReadSummary, To, Writer, discover,
};
use taire_text::scheme::{self, Scheme};
use taire_text::{Entity, Language, Note};

use crate::args::{DeidArgs, DetectArgs, InputArgs, OutputFormat, RunArgs};
use crate::feed::{Event, Feed};
use crate::{Outcome, Usage, record};

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
    let job = Job {
        command: "deid",
        engine: &engine,
        to: args.to.map_or(To::InKind, To::from),
        offsets: args.offsets.into(),
        run: &args.run,
        treat: &|note| {
            let done = engine.run(note)?;
            if let Some(why) = args.refuse_below.and_then(|below| done.doubt.refusal(below)) {
                return Err(Error::new(why));
            }
            let spans = written_spans(&done);
            Ok(Treated { spans, done })
        },
    };
    job.go(&args.input, &args.output, remark)
}

pub(crate) fn detect(args: &DetectArgs) -> Result<Outcome, Usage> {
    let engine = Engine::with_words(args.run.policy.as_deref(), &args.run.words, args.run.lang.0, None)?;
    let job = Job {
        command: "detect",
        engine: &engine,
        to: args.to.into(),
        offsets: args.offsets.into(),
        run: &args.run,
        treat: &|note| {
            let (note, findings) = engine.find(note)?;
            let (doubt, entities) = (findings.doubt(), findings.entities);
            let spans = scheme_spans(args.scheme, note.raw(), &entities);
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
            Ok(Treated { spans, done })
        },
    };
    job.go(&args.input, &args.output, None)
}

/// A treated document: what was done, and the spans to write with it.
struct Treated {
    spans: Vec<OutSpan>,
    done: Deidentified,
}

fn written_spans(done: &Deidentified) -> Vec<OutSpan> {
    let spans = done.written.iter().map(|written| {
        let entity = &done.entities[written.entity];
        OutSpan {
            start: written.range.start,
            end: written.range.end,
            original: entity.span.start()..entity.span.end(),
            label: Cow::Borrowed(entity.label.name()),
            role: Some(entity.role),
            score: entity.score.get(),
            sources: entity.sources,
        }
    });
    spans.collect()
}

fn scheme_spans(scheme: Scheme, text: &str, entities: &[Entity]) -> Vec<OutSpan> {
    let spans = scheme::project(scheme, text, entities).into_iter().map(|s| OutSpan {
        start: s.span.start(),
        end: s.span.end(),
        original: s.span.start()..s.span.end(),
        label: Cow::Borrowed(s.label),
        role: Some(s.role),
        score: s.score.get(),
        sources: s.sources,
    });
    spans.collect()
}

struct Job<'a> {
    command: &'static str,
    engine: &'a Engine,
    to: To,
    offsets: Offsets,
    run: &'a RunArgs,
    treat: &'a (dyn Fn(Note) -> Result<Treated, Error> + Sync),
}

enum Treatment {
    Pass(Event),
    Done { document: Box<Document>, language: Language, bytes: usize, treated: Result<Treated, Error> },
}

impl Job<'_> {
    fn go(&self, input: &InputArgs, output: &Path, remark: Option<&str>) -> Result<Outcome, Usage> {
        let begun = Instant::now();
        let mut options = input.options()?;
        options.exclude.push(output.to_owned());
        let discovery = discover(&input.inputs, &options);
        if discovery.inputs.is_empty() && discovery.refused.is_empty() {
            return Err(Usage(
                "there is no document in what was given; give files or folders that hold some".into(),
            ));
        }
        let plan = OutputPlan::new(&discovery, output, self.to)?;
        let mut report = Report::new(self.command, self.engine.policies().map(|p| p.name.clone()));
        self.tell(remark, &mut report);
        if self.command == "deid" {
            let remarks = self.engine.policies().flat_map(|p| p.rewrite.remarks());
            remarks.for_each(|remark| report.remark(remark));
        }
        self.tell_discovery(&discovery, &mut report);
        record::gather(self.engine, &discovery, &options, self.run.jobs(), &mut report)?;
        self.stream(&discovery, &options, &plan, &mut report)?;
        report.sort_doubts();
        report.seconds = begun.elapsed().as_secs_f64();
        save(&plan.report_json, &report.to_json())?;
        save(&plan.report_md, &report.to_markdown())?;
        if self.run.format == Some(OutputFormat::Json) {
            print!("{}", report.to_json());
        }
        self.say(&report, &plan);
        Ok(if report.documents.refused > 0 { Outcome::SomeRefused } else { Outcome::Done })
    }

    fn tell(&self, remark: Option<&str>, report: &mut Report) {
        if let Some(remark) = remark {
            report.remark(remark);
            if !self.run.quiet {
                eprintln!("taire: {remark}");
            }
        }
    }

    fn tell_discovery(&self, discovery: &Discovery, report: &mut Report) {
        for refusal in &discovery.refused {
            self.refuse(report, String::new(), &refusal.to_string());
        }
        for ignored in &discovery.ignored {
            report.remark(format!("not a document: {ignored}"));
        }
        for path in &discovery.identities {
            report.remark(format!("{}: known identities, used and not written", path.display()));
        }
    }

    fn refuse(&self, report: &mut Report, document: String, why: &str) {
        eprintln!("taire: refused {document}{}{why}", if document.is_empty() { "" } else { ": " });
        let (document, why) = if document.is_empty() {
            why.split_once(": ")
                .map_or((why.to_owned(), String::new()), |(d, w)| (d.to_owned(), w.to_owned()))
        } else {
            (document, why.to_owned())
        };
        report.refuse(document, why);
    }

    fn stream(
        &self,
        discovery: &Discovery,
        options: &ReadOptions,
        plan: &OutputPlan,
        report: &mut Report,
    ) -> Result<(), Usage> {
        let progress = self.progress(discovery);
        let mut sink =
            Sink { job: self, plan, report, progress: &progress, writer: None, merged: None, layout: None };
        ordered(
            self.run.jobs(),
            Feed::new(&discovery.inputs, options),
            |event| self.work(event),
            |r| sink.take(r),
        )?;
        sink.close_merged()?;
        progress.finish_and_clear();
        Ok(())
    }

    fn work(&self, event: Event) -> Treatment {
        let Event::Document(mut document) = event else { return Treatment::Pass(event) };
        let bytes = document.text.len();
        let forced = self.engine.language().or(document.language);
        let note = Note::builder(document.id.clone(), std::mem::take(&mut document.text))
            .patient(document.patient.clone())
            .date(document.date)
            .language(forced)
            .known(document.known.clone())
            .build();
        let (language, treated) = match note {
            Ok(note) => (note.language, (self.treat)(note)),
            Err(error) => (Language::Fr, Err(error.into())),
        };
        Treatment::Done { document, language, bytes, treated }
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

/// Receives results in order and writes them.
struct Sink<'a> {
    job: &'a Job<'a>,
    plan: &'a OutputPlan,
    report: &'a mut Report,
    progress: &'a ProgressBar,
    /// The output of the input being read, made at its first document.
    writer: Option<Writer>,
    /// The one output of all inputs.
    merged: Option<Writer>,
    layout: Option<(usize, Layout)>,
}

impl Sink<'_> {
    fn take(&mut self, result: Treatment) -> Result<(), Usage> {
        match result {
            Treatment::Pass(Event::Open(index, layout)) => {
                // Annotations hold the text as it was.
                let layout = if self.job.command == "detect" { layout.private() } else { layout };
                self.layout = Some((index, layout));
                Ok(())
            }
            Treatment::Pass(Event::Refused(refusal)) => {
                self.job.refuse(self.report, String::new(), &refusal.to_string());
                if refusal.rest_lost {
                    self.writer = None;
                    self.layout = None;
                }
                Ok(())
            }
            Treatment::Pass(Event::Close(summary)) => self.close(&summary),
            Treatment::Pass(Event::Document(_)) => Ok(()),
            Treatment::Done { document, language, bytes, treated } => {
                self.document(&document, language, bytes, treated)
            }
        }
    }

    fn writer(&mut self) -> Result<Option<&mut Writer>, Usage> {
        let Some((index, layout)) = &self.layout else { return Ok(None) };
        let slot = if self.plan.merged { &mut self.merged } else { &mut self.writer };
        if slot.is_none() {
            *slot = Some(Writer::create(&self.plan.targets[*index], self.job.to, layout, self.job.offsets)?);
        }
        Ok(slot.as_mut())
    }

    fn document(
        &mut self,
        document: &Document,
        language: Language,
        bytes: usize,
        treated: Result<Treated, Error>,
    ) -> Result<(), Usage> {
        self.progress.inc(bytes as u64);
        let Treated { spans, done } = match treated {
            Ok(treated) => treated,
            Err(error) => {
                self.job.refuse(self.report, document.id.clone(), &error.to_string());
                return Ok(());
            }
        };
        if let Some(writer) = self.writer()? {
            match writer.write(document, &done.text, &spans, done.patient.as_deref(), done.date) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Input => {
                    self.writer = None;
                    self.job.refuse(self.report, document.id.clone(), &error.to_string());
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
        }
        if !document.left_out.is_empty() {
            let what: Vec<_> =
                document.left_out.iter().map(|(what, n)| format!("{} ({n})", what.name())).collect();
            self.report.leave_out(document.id.clone(), what.join(", "));
        }
        if document.encoding != Encoding::Utf8 {
            self.report.remark(format!("{}: read as {}", document.id, document.encoding.name()));
        }
        if done.id_tells {
            self.report.remark(
                "some file names or document ids hold a name found in the document; they are kept as they are: rename them \
                 before you share",
            );
        }
        self.report.count_rewritten(language, bytes, &done);
        self.report.doubt(&document.id, done.doubt);
        Ok(())
    }

    fn close(&mut self, summary: &ReadSummary) -> Result<(), Usage> {
        if let Some((index, _)) = &self.layout
            && !summary.dropped.is_empty()
        {
            let names: Vec<_> = summary.dropped.iter().map(String::as_str).collect();
            self.report.remark(format!(
                "{}: left out of the output: {} (--keep-columns passes them through)",
                self.plan.targets[*index].display(),
                names.join(", ")
            ));
        }
        if summary.unread_dates > 0 {
            self.report.remark(format!(
                "{} dates beside documents could not be read and are written empty",
                summary.unread_dates
            ));
        }
        self.layout = None;
        match self.writer.take() {
            Some(writer) => Ok(writer.finish()?),
            None => Ok(()),
        }
    }

    fn close_merged(&mut self) -> Result<(), Usage> {
        match self.merged.take() {
            Some(writer) => Ok(writer.finish()?),
            None => Ok(()),
        }
    }
}

fn save(path: &Path, content: &str) -> Result<(), Usage> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(content.as_bytes())?;
    Ok(file.finish()?)
}
