//! How sure the program is and whom it lets see: private files.

mod common;

use std::path::Path;

use common::{documents, taire};

fn run(args: &[&str]) -> Option<i32> {
    taire(args).status.code()
}

#[cfg(unix)]
#[test]
fn what_holds_names_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("a.txt"), "Madame Solenne Quintrec, revue ce jour.").unwrap();
    std::fs::write(path("b.jsonl"), "{\"id\":\"b\",\"text\":\"Madame Solenne Quintrec\"}\n").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (a, b) = (path("a.txt"), path("b.jsonl"));
    for to in ["jsonl", "brat", "xml", "html"] {
        let out = path(&format!("out-{to}"));
        assert_eq!(run(&["detect", &a, &b, "-o", &out, "--to", to, "--quiet"]), Some(0));
        for name in documents(Path::new(&out)).into_keys() {
            assert_eq!(mode(&Path::new(&out).join(&name)), 0o600, "{}", name.display());
        }
    }
    assert_eq!(run(&["words", "extract", &a, "-o", &path("words.tsv")]), Some(0));
    assert_eq!(mode(Path::new(&path("words.tsv"))), 0o600);
}
