//! The section "Walks" of ARCHITECTURE.md: every function is where the page says and is called on the way there.

use std::fs;
use std::path::{Path, PathBuf};

const MOST_STEPS: usize = 12;

/// One step of a walk: a function in a file.
struct WalkStep {
    function: String,
    file: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The walks by their titles.
fn walks(page: &str) -> Vec<(String, Vec<WalkStep>)> {
    let section =
        page.split("\n## ").find(|section| section.starts_with("Walks\n")).expect("a section on walks");
    let mut walks = Vec::new();
    for part in section.split("\n### ").skip(1) {
        let (title, steps) = part.split_once('\n').expect("steps below the title");
        let steps = steps.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        walks.push((title.to_owned(), steps.map(step).collect()));
    }
    walks
}

/// ``3. `Run::stream` in `crates/taire/src/run/files.rs`: …``
fn step(line: &str) -> WalkStep {
    let mut quoted = line.split('`').skip(1).step_by(2);
    let mut next = || quoted.next().unwrap_or_else(|| panic!("no function and file in `{line}`")).to_owned();
    WalkStep { function: next(), file: next() }
}

fn defines(source: &str, step: &WalkStep) -> bool {
    let (owner, name) = match step.function.rsplit_once("::") {
        Some((owner, name)) => (Some(owner), name),
        None => (None, step.function.as_str()),
    };
    let word = |text: &str| text.starts_with(['(', '<']);
    let keyword = if step.file.ends_with(".py") { "def " } else { "fn " };
    let defined = source.split(&format!("{keyword}{name}")).skip(1).any(word);
    // The type's own `impl` or an `impl Trait for Type`.
    let owned = owner.is_none_or(|owner| {
        source
            .lines()
            .filter(|line| line.starts_with("impl"))
            .any(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == owner))
    });
    defined && owned
}

/// Whether a file calls a function: its name with a bracket, other than where it is defined.
fn calls(source: &str, function: &str) -> bool {
    let name = function.rsplit("::").next().unwrap_or(function);
    source.match_indices(&format!("{name}(")).any(|(at, _)| {
        let before = &source[..at];
        !before.ends_with("fn ")
            && !before.ends_with("def ")
            && !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

#[test]
fn walks_in_the_architecture_page_follow_the_code() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let walks = walks(&page);
    assert_eq!(walks.len(), 5, ".txt, CDA with a .docx, Parquet row, HTTP request, Python call");
    for (title, steps) in &walks {
        assert!(!steps.is_empty() && steps.len() <= MOST_STEPS, "{title}: {} steps", steps.len());
        let sources: Vec<String> = steps
            .iter()
            .map(|step| {
                fs::read_to_string(root().join(&step.file)).unwrap_or_else(|e| panic!("{}: {e}", step.file))
            })
            .collect();
        for (i, step) in steps.iter().enumerate() {
            let WalkStep { function, file } = step;
            assert!(defines(&sources[i], step), "{title}: `{function}` is not in {file}");
            let called = i == 0 || sources[..=i].iter().any(|source| calls(source, function));
            assert!(called, "{title}: no earlier step's file calls `{function}`");
        }
    }
}

#[test]
fn a_function_that_moved_or_is_not_called_is_noticed() {
    let step = |function: &str| WalkStep { function: function.into(), file: "a.rs".into() };
    let source = "impl Run {\n    fn treat(&self) { self.find(1) }\n}\n";
    assert!(defines(source, &step("Run::treat")) && defines(source, &step("treat")));
    assert!(!defines(source, &step("Run::treated")) && !defines(source, &step("Sink::treat")));
    assert!(calls(source, "Engine::find") && !calls(source, "Run::treat"));
}
