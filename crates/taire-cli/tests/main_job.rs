//! The main job as a new user meets it: `taire deid examples -o out`.

mod common;

use std::path::{Path, PathBuf};

use common::{digits, documents, examples, files, searchable, taire, unpacked};
use serde_json::Value;

fn key(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    assert!(taire(&["key", "new", "-o", path.to_str().unwrap()]).status.success());
    path
}

fn run(out: &Path, key: &Path, jobs: &str) {
    let (examples, out, key) = (examples(), out.to_str().unwrap(), key.to_str().unwrap());
    let done = taire(&["deid", examples.to_str().unwrap(), "-o", out, "--key", key, "--jobs", jobs]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Strings of identity files that must not come out: words of names, and numbers as digits.
#[derive(Default)]
struct Secrets {
    words: Vec<String>,
    numbers: Vec<String>,
}

impl Secrets {
    fn collect(&mut self, key: &str, value: &Value) {
        match value {
            Value::Object(map) => {
                map.iter().for_each(|(k, v)| self.collect(if key == "ids" { key } else { k }, v))
            }
            Value::Array(items) => items.iter().for_each(|v| self.collect(key, v)),
            Value::String(text) => match key {
                "family_name" | "birth_name" | "given_names" | "birth_place" | "city" => {
                    let text = searchable(text);
                    self.words.extend(text.split(' ').filter(|w| w.len() > 2).map(str::to_owned));
                }
                "street" | "emails" => self.words.push(searchable(text).trim().to_owned()),
                "ids" | "phones" | "postal_code" => self.numbers.push(digits(text)),
                "birth_date" => {
                    let (y, rest) = text.split_once('-').unwrap();
                    let (m, d) = rest.split_once('-').unwrap();
                    self.numbers.push(format!("{d}{m}{y}"));
                }
                _ => {}
            },
            _ => {}
        }
    }
}

fn identities(folder: &Path) -> Vec<Value> {
    let mut found = Vec::new();
    for (path, bytes) in files(folder) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if path.ends_with("identity.json") {
            found.push(serde_json::from_str(&text).unwrap());
        } else if path.extension().is_some_and(|e| e == "jsonl") {
            let known = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["known"].clone());
            found.extend(known.filter(|k| !k.is_null()));
        }
    }
    found
}

#[test]
fn no_known_identity_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(&out, &key(folder.path(), "k"), "2");
    let mut secrets = Secrets::default();
    identities(&examples()).iter().for_each(|identity| secrets.collect("", identity));
    assert!(secrets.words.len() > 20 && secrets.numbers.len() > 10);
    let written = documents(&out);
    assert!(written.len() >= 15);
    let parts = written.into_iter().flat_map(|(path, bytes)| {
        unpacked(&bytes).into_iter().map(move |(part, bytes)| (path.join(part), bytes))
    });
    for (path, bytes) in parts {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (words, numbers) = (searchable(&text), digits(&text));
        for word in &secrets.words {
            assert!(
                !words.contains(&format!(" {word} ")),
                "a name of an identity file is in {}",
                path.display()
            );
        }
        for number in secrets.numbers.iter().filter(|n| n.len() > 4) {
            // Long numbers are searched across any separators; a short one would turn up there by chance.
            let found = match number.len() {
                7.. => numbers.contains(number.as_str()),
                _ => text.split(|c: char| !c.is_ascii_digit()).any(|run| run == number),
            };
            assert!(!found, "a number of an identity file is in {}", path.display());
        }
    }
}

#[test]
fn same_key_same_bytes_whatever_the_threads_and_another_key_others() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (key(folder.path(), "one"), key(folder.path(), "two"));
    let out = |name: &str| folder.path().join(name);
    run(&out("a"), &one, "1");
    run(&out("b"), &one, "4");
    run(&out("c"), &two, "4");
    let (a, b, c) = (documents(&out("a")), documents(&out("b")), documents(&out("c")));
    assert!(a == b);
    assert!(a.keys().eq(c.keys()) && a.iter().all(|(path, bytes)| c[path] != *bytes));
}

#[test]
fn one_person_stays_one_person_through_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(&out, &key(folder.path(), "k"), "2");
    let texts: Vec<String> = documents(&out.join("fr/dossier-0417"))
        .into_values()
        .map(|b| String::from_utf8(b).unwrap())
        .collect();
    assert_eq!(texts.len(), 5);
    // The first letter opens with "Je vous adresse Mme <given> <FAMILY>, née".
    let first = texts[0].split("Je vous adresse Mme ").nth(1).unwrap();
    let mut words = first.split([' ', ',']);
    let (given, family) = (words.next().unwrap(), words.next().unwrap());
    let (given, family) = (searchable(given), searchable(family));
    assert!(given.trim().len() > 1 && family.trim().len() > 1);
    for text in &texts {
        assert!(searchable(text).contains(&family), "the surrogate family name is not in every document");
    }
    let operation = &texts[2];
    assert!(searchable(operation).contains(&given));
    // The typing error of the stay is the same person; the initials agree with the names.
    let stay = searchable(&texts[1]);
    assert!(stay.matches(family.trim()).count() >= 3);
    let initial = family.trim().chars().next().unwrap();
    assert!(searchable(&texts[4]).contains(&format!(" madame {initial} ")));
}

#[test]
fn medicine_comes_through() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(&out, &key(folder.path(), "k"), "2");
    let all: String =
        documents(&out).into_values().map(|b| String::from_utf8_lossy(&b).into_owned()).collect();
    for kept in [
        "plaquettes 251 000/mm3",
        "maladie de Basedow",
        "ramipril 5 mg",
        "TA 14/8",
        "Score de Framingham",
        "Glasgow 15/15",
        "412 000 /mm3",
        "maladie de Charcot",
        "signe de Babinski",
        "MC BURNEY",
        "PLAQ 298000",
        "maladie de Willebrand",
        "enfermedad de Paget",
        "plaquetas 233.000/mm3",
        "Signo de Hoover",
        "BLUMBERG",
        "Fenómeno de Raynaud",
        "metotrexato 15 mg/semana",
        "pT3N1M0",
        "HbA1c 7,8 %",
        "Test de Tinetti 22/28",
        "score d'Epworth",
    ] {
        assert!(all.contains(kept), "lost: {kept}");
    }
}
