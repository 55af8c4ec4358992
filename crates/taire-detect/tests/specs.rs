//! Runs the literate specs under `specs/`: each bullet is a marked text, each block fenced as `marked` a document, and
//! exactly the marks must be found. Lines without marks are must-not-hits. `⏎` stands for a line end, `⇥` for a tab.

use std::fmt::Write as _;
use std::path::Path;

use taire_detect::{
    Detector, FusionRule, Guard, Lexical, Patterns, Structure, fuse, initials, settle, words,
};
use taire_lexicon::Annotator;
use taire_text::{Label, Language, Mention, Note, Source, Span, marked};

struct Bench<'a> {
    language: Language,
    annotator: Annotator,
    detectors: Vec<&'a dyn Detector>,
    /// Whether what is decided is settled too.
    settles: bool,
    /// Whether initials beside the names found are looked for.
    initials: bool,
    /// Whether the guard has the last word.
    guarded: bool,
}

impl<'a> Bench<'a> {
    fn new(language: Language, detector: &'a dyn Detector) -> Self {
        let annotator = Annotator::new(language, move |word| words::keyword(language, word));
        Bench {
            language,
            annotator,
            detectors: vec![detector],
            settles: false,
            initials: false,
            guarded: false,
        }
    }

    /// All rules together, as in a policy without a model.
    fn all(language: Language, detectors: &[&'a dyn Detector]) -> Self {
        let mut bench = Bench::new(language, detectors[0]).with_initials();
        bench.detectors = detectors.to_vec();
        bench.settles = true;
        bench
    }

    fn with_initials(mut self) -> Self {
        self.initials = true;
        self
    }

    fn found(&self, text: &str) -> Vec<(String, String)> {
        self.found_beside(text, None)
    }

    /// What is found beside a model that claims the whole text as `claim`.
    fn found_beside(&self, text: &str, claim: Option<Label>) -> Vec<(String, String)> {
        let mut note = Note::builder("spec", text).language(Some(self.language)).build().expect("short text");
        self.annotator.annotate(&mut note);
        let mut out = vec![Vec::new()];
        for detector in &self.detectors {
            detector.detect(std::slice::from_ref(&note), &mut out).expect("detectors read any text");
        }
        let mut mentions = out.pop().unwrap_or_default();
        let rule = FusionRule::default();
        mentions.extend(claim.map(|label| {
            Mention::phi(Span::new(0, note.raw().len()), label, 0.95, Source::Crf, "a model that is wrong")
        }));
        let guard = self.guarded.then(|| Guard::read(&note, &mentions));
        if let Some(guard) = &guard {
            guard.screen(&mut mentions, 0);
            mentions.extend(guard.mentions());
        }
        if self.initials {
            let entities = fuse(note.raw(), &mentions, &rule);
            initials(&note, &entities, &mut mentions);
        }
        let mut entities = fuse(note.raw(), &mentions, &rule);
        if self.settles {
            entities = settle(&note, entities);
        }
        if let Some(guard) = &guard {
            entities = guard.clip(entities);
        }
        entities.iter().map(|e| (e.span.of(note.raw()).to_owned(), e.label.name().to_owned())).collect()
    }

    /// What a spec says of one text, against what was found; empty if they agree.
    fn compare(&self, source: &str) -> String {
        let wanted = marked::parse(&source.replace('⏎', "\n").replace('⇥', "\t"));
        let found = self.found(&wanted.text);
        let plain = wanted.text.clone();
        let wanted: Vec<_> =
            wanted.spans.iter().map(|(r, l)| (wanted.text[r.clone()].to_owned(), l.clone())).collect();
        let mut report = String::new();
        if self.guarded && wanted.is_empty() {
            for label in [Label::Street, Label::Phone, Label::Date, Label::PostalCode, Label::PatientId] {
                for (text, found) in self.found_beside(&plain, Some(label)) {
                    let _ = write!(report, "\n      claimed as {label}: found [{text}]({found})");
                }
            }
        }
        for (text, label) in wanted.iter().filter(|w| !found.contains(w)) {
            let _ = write!(report, "\n      missed [{text}]({label})");
        }
        for (text, label) in found.iter().filter(|f| !wanted.contains(f)) {
            let _ = write!(report, "\n      found  [{text}]({label})");
        }
        report
    }

    /// Runs every case of `specs/<name>` and shows all that fail.
    fn run(&self, name: &str, at_least: usize) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(name);
        let source = std::fs::read_to_string(path).expect("the spec file is in the repository");
        let (mut lines, mut failures, mut block): (usize, String, Option<String>) = (0, String::new(), None);
        for (number, line) in source.lines().enumerate() {
            let case = match (&mut block, line) {
                (None, "```marked") => {
                    block = Some(String::new());
                    continue;
                }
                (Some(_), "```") => block.take().unwrap_or_default(),
                (Some(text), line) => {
                    text.push_str(line);
                    text.push('\n');
                    lines += 1;
                    continue;
                }
                (None, line) => match line.strip_prefix("- ") {
                    Some(text) => text.to_owned(),
                    None => continue,
                },
            };
            lines += 1;
            let report = self.compare(&case);
            if !report.is_empty() {
                let _ = write!(
                    failures,
                    "\n  {name}:{}: {}{report}",
                    number + 1,
                    case.lines().next().unwrap_or("")
                );
            }
        }
        assert!(lines >= at_least, "{name} holds {lines} lines, expected {at_least} or more");
        assert!(failures.is_empty(), "some lines fail:{failures}");
    }
}

#[test]
fn patterns_in_french() {
    Bench::new(Language::Fr, &Patterns::new()).run("patterns-fr.md", 350);
}

#[test]
fn patterns_in_spanish() {
    Bench::new(Language::Es, &Patterns::new()).run("patterns-es.md", 300);
}

#[test]
fn structure_in_french() {
    Bench::new(Language::Fr, &Structure).run("structure-fr.md", 200);
}

#[test]
fn structure_in_spanish() {
    Bench::new(Language::Es, &Structure).run("structure-es.md", 200);
}

#[test]
fn names_and_places_in_french() {
    Bench::new(Language::Fr, &Lexical).with_initials().run("lexicon-fr.md", 45);
}

#[test]
fn names_and_places_in_spanish() {
    Bench::new(Language::Es, &Lexical).with_initials().run("lexicon-es.md", 140);
}

#[test]
fn all_rules_settled_in_french() {
    let detectors: [&dyn Detector; 3] = [&Structure, &Patterns::new(), &Lexical];
    Bench::all(Language::Fr, &detectors).run("settled-fr.md", 30);
}

/// Rules and guard, and for lines without marks a model that claims the whole line as one thing or another.
fn guarded(language: Language, name: &str) {
    let detectors: [&dyn Detector; 3] = [&Structure, &Patterns::new(), &Lexical];
    let mut bench = Bench::all(language, &detectors);
    bench.guarded = true;
    bench.run(name, 60);
}

#[test]
fn medicine_is_guarded_in_french() {
    guarded(Language::Fr, "guard-fr.md");
}

#[test]
fn medicine_is_guarded_in_spanish() {
    guarded(Language::Es, "guard-es.md");
}
