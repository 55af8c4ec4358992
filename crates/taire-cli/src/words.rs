//! `words`: the allow-list work. `extract` lists what nobody has judged, `sort` lets a person judge, `merge` joins
//! lists, `report` tells how the work left shrinks as documents come in.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use console::Term;
use serde_json::json;
use taire::batch::ordered;
use taire::run::{Event, Reading};
use taire::{Engine, Error, Judgement, Judgements, Policy, Refusal, UnjudgedWords, WordList};
use taire_formats::{AtomicFile, discover};

use crate::args::{OutputFormat, WordsAction, WordsArgs, WordsReading, jobs};
use crate::{Outcome, print_refusal};

/// A terminal that closes loses at most this many judgements.
const SAVE_EVERY: usize = 10;

pub(crate) fn words(args: &WordsArgs) -> Result<Outcome, Error> {
    match &args.action {
        WordsAction::Extract { reading, output } => extract(reading, output),
        WordsAction::Sort { list } => sort(list),
        WordsAction::Merge { lists, output } => merge(lists, output),
        WordsAction::Report { reading, format } => report(reading, *format),
    }
}

fn load(path: &Path) -> Result<WordList, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::usage(format!("word list {} cannot be read: {e}", path.display())))?;
    WordList::parse(&text, &path.display().to_string()).map_err(|e| Error::usage(e.to_string()))
}

fn save(list: &WordList, path: &Path) -> Result<(), Error> {
    let mut file = AtomicFile::create_private(path)?;
    file.write_all(list.to_tsv().as_bytes())?;
    file.finish()
}

fn extract(reading: &WordsReading, output: &Path) -> Result<Outcome, Error> {
    let mut all = UnjudgedWords::default();
    let outcome = read(reading, Some(output), |words| all.add(words))?;
    let documents = all.documents;
    let list = all.into_list();
    save(&list, output)?;
    eprintln!(
        "taire: {} words to judge in {documents} documents; they may hold names, so keep {} where the documents are",
        list.entries.len(),
        output.display()
    );
    Ok(outcome)
}

/// Reads all documents on all threads and hands over the unjudged words of each, in order.
fn read(
    reading: &WordsReading,
    output: Option<&Path>,
    mut each: impl FnMut(UnjudgedWords),
) -> Result<Outcome, Error> {
    let mut options = reading.input.options()?;
    options.exclude.extend(output.map(Path::to_owned));
    let discovery = discover(&reading.input.inputs, &options);
    if discovery.inputs.is_empty() && discovery.refused.is_empty() {
        return Err(Error::usage(
            "there is no document in what was given; give files or folders that hold some",
        ));
    }
    let mut policy = Policy::load(&reading.policy)?;
    policy.add_allow_lists(&reading.lists)?;
    let judged = policy.judgements()?;
    let engine = Engine::with_words(Some(&reading.policy), &reading.lists, reading.lang.0, None)?;
    let mut outcome = Outcome::Done;
    let mut refuse = |refusal: &Refusal| {
        print_refusal(refusal);
        outcome = Outcome::SomeRefused;
    };
    discovery.refused.iter().for_each(&mut refuse);
    ordered(
        jobs(reading.jobs),
        Reading::new(&discovery.inputs, &options).feed(),
        |step| treat(step.event, &engine, &judged),
        |treated| {
            match treated {
                Some(Ok(words)) => each(words),
                Some(Err(why)) => refuse(&why),
                None => {}
            }
            Ok::<_, Error>(())
        },
    )?;
    Ok(outcome)
}

fn treat(event: Event, engine: &Engine, judged: &Judgements) -> Option<Result<UnjudgedWords, Refusal>> {
    let document = match event {
        Event::Document(document) => document,
        Event::Refused(refusal) => return Some(Err(refusal)),
        Event::Open(..) | Event::Close(_) => return None,
    };
    let id = document.id.clone();
    let read = || -> Result<UnjudgedWords, Error> {
        let note = document.into_note(engine.language())?;
        let (note, entities) = engine.detect(note)?;
        Ok(UnjudgedWords::of(&note, &entities, judged))
    };
    Some(read().map_err(|e| Refusal::of_document(id, e.reason().clone())))
}

fn merge(paths: &[PathBuf], output: &Path) -> Result<Outcome, Error> {
    let lists = paths.iter().map(|p| load(p)).collect::<Result<Vec<_>, _>>()?;
    let (merged, conflicts) = WordList::merge(&lists);
    save(&merged, output)?;
    // Words are what the person works on here, and they go to their own terminal only.
    if !conflicts.is_empty() {
        outln!("accepted in one list and refused in another; refused in {}:", output.display());
        conflicts.iter().for_each(|word| outln!("  {word}"));
    }
    let judged = merged.entries.iter().filter(|e| e.judgement.is_some()).count();
    eprintln!(
        "taire: {} words, {judged} of them judged, {} in conflict",
        merged.entries.len(),
        conflicts.len()
    );
    Ok(Outcome::Done)
}

/// What a key asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Judge(Judgement),
    Skip,
    Undo,
    Quit,
    Other,
}

impl Key {
    fn of(c: char) -> Key {
        match c.to_ascii_lowercase() {
            'a' => Key::Judge(Judgement::Accept),
            'r' => Key::Judge(Judgement::Refuse),
            's' => Key::Skip,
            'u' => Key::Undo,
            'q' => Key::Quit,
            _ => Key::Other,
        }
    }
}

/// Where keys come from: a terminal, key by key, or lines of a pipe.
enum Keyboard {
    Terminal(Term),
    Lines(std::io::StdinLock<'static>),
}

impl Keyboard {
    fn open() -> Keyboard {
        if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            Keyboard::Terminal(Term::stdout())
        } else {
            Keyboard::Lines(std::io::stdin().lock())
        }
    }

    /// The next key; the end of the input quits.
    fn next(&mut self) -> Result<Key, Error> {
        match self {
            Keyboard::Terminal(term) => match term.read_key()? {
                console::Key::Char(c) => Ok(Key::of(c)),
                console::Key::Escape | console::Key::CtrlC => Ok(Key::Quit),
                console::Key::Backspace => Ok(Key::Undo),
                _ => Ok(Key::Other),
            },
            Keyboard::Lines(lines) => {
                let mut line = String::new();
                if lines.read_line(&mut line)? == 0 {
                    return Ok(Key::Quit);
                }
                Ok(line.trim().chars().next().map_or(Key::Other, Key::of))
            }
        }
    }
}

fn sort(path: &Path) -> Result<Outcome, Error> {
    let mut list = load(path)?;
    let waiting: Vec<usize> =
        (0..list.entries.len()).filter(|&i| list.entries[i].judgement.is_none()).collect();
    let mut keyboard = Keyboard::open();
    let mut at = 0;
    let mut unsaved = 0;
    while let Some(&index) = waiting.get(at) {
        let entry = &list.entries[index];
        outln!("\n{} of {}   {}   seen {} times", at + 1, waiting.len(), entry.word, entry.count);
        outln!("    {}", entry.context);
        out!("    a accept · r refuse · s skip · u undo · q quit > ");
        let key = keyboard.next()?;
        outln!();
        match key {
            Key::Judge(judgement) => {
                list.entries[index].judgement = Some(judgement);
                at += 1;
                unsaved += 1;
            }
            Key::Skip => at += 1,
            Key::Undo if at > 0 => {
                at -= 1;
                list.entries[waiting[at]].judgement = None;
                unsaved += 1;
            }
            Key::Quit => break,
            Key::Undo | Key::Other => {}
        }
        if unsaved >= SAVE_EVERY {
            save(&list, path)?;
            unsaved = 0;
        }
    }
    save(&list, path)?;
    let left = list.entries.iter().filter(|e| e.judgement.is_none()).count();
    eprintln!("taire: saved {}; {left} words left to judge", path.display());
    Ok(Outcome::Done)
}

/// Points of the curve: after 1, 2, 5, 10, 20, 50 … documents.
fn is_milestone(documents: usize) -> bool {
    let mut n = documents;
    while n >= 10 && n.is_multiple_of(10) {
        n /= 10;
    }
    matches!(n, 1 | 2 | 5)
}

struct Milestone {
    documents: usize,
    words: u64,
    to_judge: usize,
}

fn report(reading: &WordsReading, format: Option<OutputFormat>) -> Result<Outcome, Error> {
    let mut all = UnjudgedWords::default();
    let mut curve: Vec<Milestone> = Vec::new();
    let point =
        |all: &UnjudgedWords| Milestone { documents: all.documents, words: all.words, to_judge: all.len() };
    let outcome = read(reading, None, |words| {
        all.add(words);
        if is_milestone(all.documents) {
            curve.push(point(&all));
        }
    })?;
    if curve.last().is_none_or(|last| last.documents != all.documents) {
        curve.push(point(&all));
    }
    if format == Some(OutputFormat::Json) {
        let curve: Vec<_> = curve
            .iter()
            .map(|m| json!({"documents": m.documents, "words": m.words, "to_judge": m.to_judge}))
            .collect();
        let report = json!({
            "documents": all.documents,
            "words": {"read": all.words, "masked": all.words_masked},
            "numbers": {"read": all.numbers, "masked": all.numbers_masked},
            "to_judge": all.len(),
            "curve": curve,
        });
        out!("{}", crate::to_json(&report)?);
        return Ok(outcome);
    }
    outln!("| documents | words read | words to judge | new ones a document |\n|---:|---:|---:|---:|");
    let mut before = (0, 0);
    for m in &curve {
        let new = (m.to_judge - before.1) as f64 / (m.documents - before.0).max(1) as f64;
        outln!("| {} | {} | {} | {new:.1} |", m.documents, m.words, m.to_judge);
        before = (m.documents, m.to_judge);
    }
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    outln!(
        "\nMasked: {:.1} % of {} words, {:.1} % of {} numbers.",
        share(all.words_masked, all.words),
        all.words,
        share(all.numbers_masked, all.numbers),
        all.numbers
    );
    Ok(outcome)
}
