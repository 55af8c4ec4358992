//! `taire serve` as an operator meets it: the same bytes as the command line, keys, TLS files, a stop by signal.

mod common;
#[path = "../../taire-server/tests/common/mod.rs"]
mod http;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{examples, files, taire};
use serde_json::{Value, json};

struct Service {
    child: Child,
    address: SocketAddr,
    /// What it said before it listened.
    said: Vec<String>,
}

impl Service {
    fn start(args: &[&str]) -> Service {
        let mut child = Command::new(env!("CARGO_BIN_EXE_taire"))
            .args(["serve", "--port", "0"])
            .args(args)
            .env_remove("TAIRE_KEY_FILE")
            .env_remove("TAIRE_API_KEYS")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut said = Vec::new();
        let address = lines.find_map(|line| {
            let address = line.split_once("://").map(|(_, a)| a.parse().unwrap());
            said.push(line);
            address
        });
        std::thread::spawn(move || lines.for_each(drop));
        Service { child, address: address.unwrap(), said }
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap().success());
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// The letters of the examples, each of a patient of its own.
fn letters() -> Vec<String> {
    let texts =
        files(&examples()).into_iter().filter(|(name, _)| name.extension().is_some_and(|e| e == "txt"));
    let line = |(i, (_, bytes)): (usize, (_, Vec<u8>))| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut line = json!({"id": format!("d{i}"), "text": text});
        if i % 3 > 0 {
            line["patient"] = json!(format!("p{i}"));
        }
        if i % 3 > 1 {
            line["date"] = json!("2020-02-12");
        }
        line.to_string()
    };
    texts.enumerate().map(line).collect()
}

#[test]
fn the_service_gives_the_bytes_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let (key, input) = (path(folder.path(), "key"), path(folder.path(), "in.jsonl"));
    assert!(taire(&["key", "new", "-o", &key]).status.success());
    let letters = letters();
    assert!(letters.len() > 8);
    fs::write(&input, letters.join("\n")).unwrap();
    let mut service = Service::start(&["--key", &key, "--shared-surrogates"]);
    let absent: Vec<_> = service.said.iter().filter(|l| l.contains("not offered: policy `")).collect();
    assert!(absent.len() == 4 && absent.iter().all(|l| l.contains("reads with a transformer")), "{absent:?}");
    let asked = http::batch(service.address, "/v1/batch?policy=fr-deep", "");
    assert_eq!((asked.status, asked.error().as_str()), (409, "missing_model"));
    // The service sees one document at a time: it joins no letters by what they say.
    for (task, keyed) in [("deid", &["--key", key.as_str(), "--no-link"][..]), ("detect", &[])] {
        let out = path(folder.path(), &format!("{task}.jsonl"));
        let args = [&[task, &input, "-o", &out, "--to", "jsonl"], keyed].concat();
        assert!(taire(&args).status.success());
        let expected = fs::read_to_string(&out).unwrap();
        let batch = http::batch(service.address, &format!("/v1/batch?task={task}"), &letters.join("\n"));
        assert!(batch.whole);
        let batch = batch.text();
        assert_eq!(batch.lines().count(), letters.len());
        for ((letter, expected), line) in letters.iter().zip(expected.lines()).zip(batch.lines()) {
            let expected = expected.strip_suffix('}').unwrap();
            let more =
                line.strip_prefix(expected).unwrap_or_else(|| panic!("{task} differs from the command line"));
            assert!(more.starts_with(",\"patient\"") || more == ",\"offsets\":\"codepoints\"}");
            assert_eq!(http::post(service.address, &format!("/v1/{task}"), letter).text(), line);
        }
    }
    service.signal("-TERM");
    assert_eq!(service.child.wait().unwrap().code(), Some(0));
}

/// Ids of many shapes, French and Spanish documents: the command line and the service give the same surrogates.
#[test]
fn ids_of_the_service_are_those_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let (key, input) = (path(folder.path(), "key"), path(folder.path(), "in.jsonl"));
    assert!(taire(&["key", "new", "-o", &key]).status.success());
    let french = "Madame Solenne QUINTREC est revue ce jour en consultation pour une toux.";
    let spanish = "La paciente Inés Zubizarreta acude hoy a la consulta por una tos persistente.";
    let ids = [
        "7",
        "0007",
        "800417",
        "80041702",
        "PAT-7",
        "pat-7",
        "Élodie 7",
        "6fa459ea-ee8a-3ca4-894e-db77e160355e",
    ];
    let mut rows = Vec::new();
    for id in ids {
        for text in [french, spanish] {
            rows.push(
                json!({"id": format!("{id}{}", &text[..2]), "patient": id, "visit": id, "text": text})
                    .to_string(),
            );
        }
    }
    fs::write(&input, rows.join("\n")).unwrap();
    let out = path(folder.path(), "out.jsonl");
    assert!(taire(&["deid", &input, "-o", &out, "--key", &key, "--quiet"]).status.success());
    let written: Vec<Value> =
        fs::read_to_string(&out).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let mut service = Service::start(&["--key", &key]);
    let mut patients = std::collections::BTreeSet::new();
    for (row, written) in rows.iter().zip(&written) {
        let answer: Value =
            serde_json::from_str(&http::post(service.address, "/v1/deid", row).text()).unwrap();
        for name in ["id", "patient", "visit"] {
            assert_eq!(answer[name], written[name], "{name} of {row}");
            assert!(!answer[name].is_null(), "{name} of {row}");
        }
        patients.insert(written["patient"].to_string());
    }
    assert_eq!(
        (written.len(), patients.len()),
        (2 * ids.len(), ids.len()),
        "one surrogate a patient in both languages"
    );
    service.signal("-TERM");
    assert_eq!(service.child.wait().unwrap().code(), Some(0));
}

#[test]
fn keys_are_made_shown_once_listed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let keys = path(folder.path(), "keys");
    let made = taire(&["serve", "key", "add", "ward-7", "--scope", "deid,metrics", "--api-keys", &keys]);
    assert!(made.status.success());
    let key = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    assert!(key.starts_with("taire_") && key.len() > 60);
    assert!(!fs::read_to_string(&keys).unwrap().contains(&key));
    let listed = taire(&["serve", "key", "list", "--api-keys", &keys]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("ward-7") && listed.contains("deid,metrics") && !listed.contains(&key));
    let service = Service::start(&["--api-keys", &keys, "--policy", "bigeard"]);
    let bearer = format!("Bearer {key}");
    let ask = |key: &str| http::get(service.address, "/v1/policies", &[("Authorization", key)]).status;
    assert_eq!((ask(&bearer), ask("Bearer taire_0")), (200, 401));
    assert!(taire(&["serve", "key", "remove", "ward-7", "--api-keys", &keys]).status.success());
    std::thread::sleep(std::time::Duration::from_millis(1200));
    assert_eq!(ask(&bearer), 401);
    let again = taire(&["serve", "key", "remove", "ward-7", "--api-keys", &keys]);
    assert_eq!(again.status.code(), Some(2));
}

#[test]
fn a_service_open_to_others_by_mistake_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let (keys, not_pem) = (path(folder.path(), "keys"), path(folder.path(), "pem"));
    assert!(taire(&["serve", "key", "add", "a", "--api-keys", &keys]).status.success());
    fs::write(&not_pem, "none").unwrap();
    for (args, says) in [
        (&["--host", "0.0.0.0"][..], "--api-keys"),
        (&["--host", "0.0.0.0", "--api-keys", &keys], "--tls-cert"),
        (&["--policy", "none"], "unknown policy"),
        (&["--policy", "fr", "--policy", "fr"], "two policies"),
        (&["--api-keys", &not_pem], "API key"),
    ] {
        let done = taire(&[&["serve", "--port", "0"], args].concat());
        let message = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{message}");
        assert!(message.contains(says), "{message}");
    }
}

/// With openssl and curl, where they are there: a certificate made for the test, and a client that checks it.
#[cfg(feature = "tls")]
#[test]
fn certificates_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let (cert, key) = (path(folder.path(), "cert.pem"), path(folder.path(), "key.pem"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args([
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-keyout",
            &key,
            "-out",
            &cert,
        ])
        .output();
    let there = Command::new("curl").arg("--version").output().is_ok();
    if !there || !made.is_ok_and(|m| m.status.success()) {
        eprintln!("skipped: this test needs openssl and curl");
        return;
    }
    let open = taire(&["serve", "--port", "0", "--tls-cert", &cert, "--tls-key", &cert]);
    assert_eq!(open.status.code(), Some(2));
    let service = Service::start(&["--policy", "bigeard", "--tls-cert", &cert, "--tls-key", &key]);
    let ask = |trust: &[&str], scheme: &str| {
        let url = format!("{scheme}://localhost:{}/healthz", service.address.port());
        let to = format!("localhost:{}:127.0.0.1", service.address.port());
        Command::new("curl")
            .args(["-s", "--max-time", "20", "--resolve", &to])
            .args(trust)
            .arg(url)
            .output()
            .unwrap()
    };
    let answered = ask(&["--cacert", &cert], "https");
    assert!(String::from_utf8(answered.stdout).unwrap().contains("\"ok\""));
    assert!(!ask(&[], "https").status.success());
    assert!(!ask(&[], "http").status.success());
}
