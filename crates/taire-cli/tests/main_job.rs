//! The main job as a new user meets it: `taire deid examples -o out`.

mod common;

use std::path::{Path, PathBuf};

use common::{crosswalk, digits, documents, example, examples, searchable, taire, unpacked};
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
                "family_name" | "birth_name" | "given_names" => {
                    let text = searchable(text);
                    self.words.extend(text.split(' ').filter(|w| w.len() > 2).map(str::to_owned));
                }
                "street" | "emails" => self.words.push(searchable(text).trim().to_owned()),
                "ids" | "phones" => self.numbers.push(digits(text)),
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

    /// None of them is in these bytes.
    fn assert_gone(&self, path: &Path, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (words, numbers) = (searchable(&text), digits(&text));
        for word in &self.words {
            assert!(
                !words.contains(&format!(" {word} ")),
                "a name of an identity file is in {}",
                path.display()
            );
        }
        for number in self.numbers.iter().filter(|n| n.len() > 4) {
            // Long numbers are searched across any separators; a short one would turn up there by chance.
            let found = match number.len() {
                7.. => numbers.contains(number.as_str()),
                _ => text.split(|c: char| !c.is_ascii_digit()).any(|run| run == number),
            };
            assert!(!found, "a number of an identity file is in {}", path.display());
        }
    }
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// In every part of a document nothing is left of its own identity file, or of what its line knew. An invented name may
/// be the true one of a patient elsewhere.
#[test]
fn no_known_identity_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(&out, &key(folder.path(), "k"), "2");
    let (mut words, mut numbers) = (0, 0);
    let written = documents(&out);
    assert!(written.len() >= 15);
    let originals: std::collections::BTreeMap<PathBuf, PathBuf> =
        crosswalk(&out, "file").into_iter().map(|(path, new)| (new.into(), path.into())).collect();
    for (path, bytes) in &written {
        let original = &originals[path];
        let mut secrets = Secrets::default();
        for above in original.ancestors().skip(1).take_while(|above| above.starts_with(examples())) {
            if let Ok(identity) = std::fs::read(above.join("identity.json")) {
                secrets.collect("", &serde_json::from_slice(&identity).unwrap());
            }
        }
        for (part, bytes) in unpacked(bytes) {
            secrets.assert_gone(&path.join(part), &bytes);
        }
        words += secrets.words.len();
        numbers += secrets.numbers.len();
        if path.extension().is_some_and(|e| e == "jsonl") {
            let original = std::fs::read(original).unwrap();
            for (was, is) in lines(&original).iter().zip(lines(bytes)) {
                let mut secrets = Secrets::default();
                secrets.collect("", &was["known"]);
                secrets.assert_gone(path, is["text"].as_str().unwrap().as_bytes());
                words += secrets.words.len();
                numbers += secrets.numbers.len();
            }
        }
    }
    assert!(words > 100 && numbers > 50, "{words} {numbers}");
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
    let (old, new) = (crosswalk(&out("a"), "file"), crosswalk(&out("c"), "file"));
    assert!(old.len() == a.len() && old.keys().eq(new.keys()));
    assert!(old.iter().all(|(path, name)| a[Path::new(name)] != c[Path::new(&new[path])]));
}

#[test]
fn one_person_stays_one_person_through_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(&out, &key(folder.path(), "k"), "2");
    let texts: Vec<String> = documents(&example(&out, "fr/dossier-0417"))
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
