//! The allow-list work from the command line: extract, sort, merge, run, report.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{documents, examples, taire};

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn with_keys(args: &[&str], keys: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_taire"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(keys.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn words(list: &Path) -> Vec<(String, String)> {
    let line = |l: &str| {
        let mut fields = l.split('\t').map(str::to_owned);
        (fields.next().unwrap(), fields.next().unwrap())
    };
    text(list).lines().skip(1).map(line).collect()
}

#[test]
fn three_phases() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (letters, list, out) = (path("letters"), path("words.tsv"), path("out"));
    std::fs::create_dir(&letters).unwrap();
    std::fs::write(
        Path::new(&letters).join("a.txt"),
        "Madame Zwrkab a vu le qxtylaxe avec Plomk. Le qxtylaxe est stable, 12 mg par jour, salle 4512.\n",
    )
    .unwrap();

    let done = taire(&["words", "extract", &letters, "--lang", "fr", "-o", &list]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(
        text(Path::new(&list)),
        "word\tjudgement\tcount\tcontext\n\
         qxtylaxe\t\t2\t… @@@ a vu le [qxtylaxe] avec @@@. Le @@@ est stable …\n\
         plomk\t\t1\t… @@@ a vu le @@@ avec [Plomk]. Le @@@ est stable, @@@ …\n\
         salle #\t\t1\t… , @@@ mg par jour, salle [#]. …\n"
    );

    // Skip, come back, refuse by mistake, undo, accept, refuse.
    let done = with_keys(&["words", "sort", &list], "x\ns\nu\nr\nu\na\nr\nr\n");
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(
        words(Path::new(&list)),
        [
            ("qxtylaxe".into(), "accept".into()),
            ("plomk".into(), "refuse".into()),
            ("salle #".into(), "refuse".into())
        ]
    );

    let run = ["deid", &letters, "-o", &out, "--policy", "fasdim", "--lang", "fr", "--words", &list];
    assert_eq!(taire(&run).status.code(), Some(0));
    assert_eq!(
        text(&Path::new(&out).join("a.txt")),
        "@@@ a vu le qxtylaxe avec @@@. Le qxtylaxe est stable, 12 mg par jour, salle @@@.\n"
    );

    let done =
        taire(&["words", "extract", &letters, "--lang", "fr", "--lists", &list, "-o", &path("again.tsv")]);
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(words(Path::new(&path("again.tsv"))), []);
}

#[test]
fn a_policy_file_finds_its_lists_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("ours.tsv"), "word\tjudgement\nzwrk\taccept\n").unwrap();
    std::fs::write(path("a.txt"), "Le zwrk et le qxt.\n").unwrap();
    let policy = "name = \"ours\"\n[detect]\nsources = [\"allow-list\"]\nallow_lists = [\"ours.tsv\"]\n[rewrite]\nall = \"mask\"\n";
    std::fs::write(path("ours.toml"), policy).unwrap();
    let done =
        taire(&["deid", &path("a.txt"), "-o", &path("out"), "--policy", &path("ours.toml"), "--lang", "fr"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(text(Path::new(&path("out/a.txt"))), "Le zwrk et le @@@.\n");
}

#[test]
fn merged_lists_refuse_what_one_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("a.tsv"), "word\tjudgement\tcount\tcontext\nrose\taccept\t4\t\nscope\t\t2\t\n")
        .unwrap();
    std::fs::write(path("b.csv"), "word;judgement;count;context\r\nRose;refuse;1;\r\nscope;accept;2;\r\n")
        .unwrap();
    let done = taire(&["words", "merge", &path("a.tsv"), &path("b.csv"), "-o", &path("c.tsv")]);
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(
        words(Path::new(&path("c.tsv"))),
        [("rose".into(), "refuse".into()), ("scope".into(), "accept".into())]
    );
    assert!(String::from_utf8(done.stdout).unwrap().contains("\n  rose\n"));
}

#[test]
fn wrong_lists_are_refused_without_their_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("bad.tsv"), "word\tjudgement\nlefebvre\tperhaps\n").unwrap();
    std::fs::write(path("a.txt"), "Bonjour.\n").unwrap();
    let (bad, letter, out) = (path("bad.tsv"), path("a.txt"), path("out"));
    for args in [
        vec!["words", "sort", &bad],
        vec!["words", "merge", &bad, "-o", &out],
        vec!["words", "report", &letter, "--lists", &bad],
        vec!["deid", &letter, "-o", &out, "--policy", "fasdim", "--words", &bad],
    ] {
        let done = taire(&args);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains("bad.tsv: line 2: the second column takes"), "{said}");
        assert!(!said.contains("lefebvre"));
    }
    let done = taire(&["deid", &letter, "-o", &out, "--policy", "fr", "--words", &bad]);
    assert!(String::from_utf8(done.stderr).unwrap().contains("does not name `allow-list`"));
    assert!(!Path::new(&out).exists());
}

#[test]
fn same_list_and_same_letters_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let examples = examples().to_str().unwrap().to_owned();
    let key = path("key");
    assert!(taire(&["key", "new", "-o", &key]).status.success());
    let run = |jobs: &str| {
        let (list, out) = (path(&format!("{jobs}.tsv")), path(jobs));
        assert!(taire(&["words", "extract", &examples, "-o", &list, "--jobs", jobs]).status.success());
        assert!(
            taire(&["deid", &examples, "-o", &out, "--policy", "fasdim", "--key", &key, "--jobs", jobs])
                .status
                .success()
        );
        let report = taire(&["words", "report", &examples, "--format", "json", "--jobs", jobs]).stdout;
        (text(Path::new(&list)), documents(Path::new(&out)), report)
    };
    let (one, four) = (run("1"), run("4"));
    assert!(one == four);
    let report: serde_json::Value = serde_json::from_slice(&one.2).unwrap();
    assert_eq!(report["to_judge"].as_u64().unwrap(), one.0.lines().count() as u64 - 1);
    assert_eq!(report["curve"].as_array().unwrap().last().unwrap()["to_judge"], report["to_judge"]);
    let flag = taire(&["words", "--report", &examples, "--format", "json"]).stdout;
    assert!(flag == one.2, "`words --report` is `words report`");
}
