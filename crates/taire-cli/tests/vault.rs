//! The reversible vault as its keeper meets it.

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{documents, examples, taire};

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        for name in ["key", "vault-key", "other-key"] {
            assert!(taire(&["key", "new", "-o", &bench.path(name)]).status.success());
        }
        bench
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn deid(&self, input: &str, out: &str, jobs: &str) -> Output {
        let (key, vault, vault_key) = (self.path("key"), self.path("vault"), self.path("vault-key"));
        let args = ["deid", input, "-o", out, "--key", &key, "--jobs", jobs];
        taire(&[&args[..], &["--vault", &vault, "--vault-key", &vault_key]].concat())
    }

    fn reveal(&self, key: &str, surrogate: &str, more: &[&str]) -> (Option<i32>, String, String) {
        let (vault, key) = (self.path("vault"), self.path(key));
        let args =
            ["reveal", surrogate, "--vault", &vault, "--vault-key", &key, "--reason", "rappel d'implant"];
        let done = taire(&[&args[..], more].concat());
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (done.status.code(), text(&done.stdout), text(&done.stderr))
    }
}

/// The two words after a phrase.
fn after(text: &str, phrase: &str) -> (String, String) {
    let mut words = text.split(phrase).nth(1).unwrap().split([' ', ',']);
    (words.next().unwrap().to_owned(), words.next().unwrap().to_owned())
}

#[test]
fn the_keeper_finds_the_way_back_and_the_output_is_the_same() {
    let bench = Bench::new();
    let (examples, out) = (examples(), bench.path("out"));
    let examples = examples.to_str().unwrap();
    assert_eq!(bench.deid(examples, &out, "4").status.code(), Some(0));
    let plain = bench.path("plain");
    assert!(taire(&["deid", examples, "-o", &plain, "--key", &bench.path("key")]).status.success());
    assert!(documents(Path::new(&out)) == documents(Path::new(&plain)));

    let letters = documents(&common::example(Path::new(&bench.path("out")), "fr/dossier-0417"));
    let first = String::from_utf8(letters.into_values().next().unwrap()).unwrap();
    let (given, family) = after(&first, "Je vous adresse Mme ");
    let (code, said, _) = bench.reveal("vault-key", &family, &[]);
    assert_eq!(code, Some(0));
    assert!(said.contains("KERVADEC\tFamilyName\tpatient 8004170236"), "{said}");
    let (_, said, _) = bench.reveal("vault-key", &given, &["--patient", "8004170236", "--format", "json"]);
    assert!(said.contains("\"original\":\"Aldegonde\""), "{said}");

    let (code, said, error) = bench.reveal("other-key", &family, &[]);
    assert!(code == Some(2) && said.is_empty() && error.contains("does not open this vault"), "{error}");
    let (code, said, _) = bench.reveal("vault-key", "Zzyzx", &[]);
    assert!(code == Some(1) && said.is_empty());

    let (vault, key) = (bench.path("vault"), bench.path("vault-key"));
    let log = taire(&["reveal", "--log", "--vault", &vault, "--vault-key", &key]);
    let log = String::from_utf8(log.stdout).unwrap();
    assert_eq!(log.lines().count(), 3);
    assert!(!log.contains(&family) && !log.contains("KERVADEC") && log.contains("rappel d'implant"), "{log}");
}

#[test]
fn a_refused_document_leaves_no_entry() {
    let bench = Bench::new();
    let rows = "{\"id\":\"a\",\"text\":\"Vue le 3 mai 2010\"}\n{\"id\":\"b\",\"text\":\"Mme Zoé KERVADEC\n";
    fs::write(bench.path("in.jsonl"), rows).unwrap();
    assert_eq!(bench.deid(&bench.path("in.jsonl"), &bench.path("out"), "2").status.code(), Some(1));
    let key = taire::SecretKey::read(bench.path("vault-key")).unwrap();
    let vault = taire_vault::Vault::open(Path::new(&bench.path("vault")), &key).unwrap();
    assert_eq!(vault.len().unwrap(), 1);
}

#[test]
fn what_would_undo_the_vault_is_refused() {
    let bench = Bench::new();
    fs::write(bench.path("in.txt"), "RAS").unwrap();
    let (input, out, key, vault) =
        (bench.path("in.txt"), bench.path("out"), bench.path("key"), bench.path("vault"));
    let copy = bench.path("copy");
    fs::copy(&key, &copy).unwrap();
    let deid = |more: &[&str]| {
        let done = taire(&[&["deid", &input, "-o", &out, "--key", &key][..], more].concat());
        assert_eq!(done.status.code(), Some(2));
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    assert!(deid(&["--vault", &vault, "--vault-key", &copy]).contains("is the key of the surrogates"));
    assert!(deid(&["--vault", &vault]).contains("--vault-key"));
    let inside = bench.path("out/vault");
    assert!(deid(&["--vault", &inside, "--vault-key", &bench.path("vault-key")]).contains("to be shared"));
    assert!(!Path::new(&vault).exists() && !Path::new(&out).exists());
    let reveal = taire(&["reveal", "x", "--vault", &vault, "--vault-key", &key]);
    assert!(reveal.status.code() == Some(2) && String::from_utf8_lossy(&reveal.stderr).contains("--reason"));
}
