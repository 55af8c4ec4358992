//! `taire review` as it is met: killed again and again while corrections are saved, none that was acknowledged is lost.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::taire;
use serde_json::{Value, json};

const KILLS: usize = 50;
const DOCUMENTS: usize = 8;
/// Words of each document, to be marked one after the other.
const WORDS: usize = 60;

struct Page {
    child: Child,
    host: String,
    token: String,
}

impl Page {
    fn start(corpus: &Path, state: &Path) -> Page {
        let mut child = Command::new(env!("CARGO_BIN_EXE_taire"))
            .args([
                "review",
                "--port",
                "0",
                "--reviewer",
                "ada",
                "--policy",
                "bigeard",
                "--jobs",
                "1",
                "--state",
            ])
            .args([state, corpus])
            .env_remove("TAIRE_KEY_FILE")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address =
            lines.find_map(|l| Some(l.split_once("http://")?.1.split(' ').next()?.to_owned())).unwrap();
        let (host, token) = address.split_once("/#token=").unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        Page { host: host.into(), token: token.into(), child }
    }

    /// The answer to a call, `None` if the program went before it was whole.
    fn call(&self, name: &str, body: &Value) -> Option<(u16, Value)> {
        let mut stream = TcpStream::connect(&self.host).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
        let (host, token, body) = (&self.host, &self.token, body.to_string());
        let head = format!(
            "POST /api/{name} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all([head.as_bytes(), body.as_bytes()].concat().as_slice()).ok()?;
        let mut got = String::new();
        stream.read_to_string(&mut got).ok()?;
        let (head, body) = got.split_once("\r\n\r\n")?;
        let length: usize = head.lines().find_map(|l| l.strip_prefix("content-length: "))?.parse().ok()?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, serde_json::from_str(body.get(..length)?).ok()?))
    }

    fn ask(&self, name: &str, body: &Value) -> Value {
        let (status, answer) = self.call(name, body).unwrap();
        assert_eq!(status, 200, "{name}: {answer}");
        answer
    }

    fn ready(&self) {
        let until = Instant::now() + Duration::from_secs(60);
        while self.ask("status", &json!({"reviewer": "ada"}))["stage"]["is"] != "ready" {
            assert!(Instant::now() < until, "the corpus is not read");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn document(&self, id: usize) -> Value {
        self.ask("document", &json!({"reviewer": "ada", "id": id}))["state"].clone()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn corpus(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("notes.jsonl");
    let text =
        (0..WORDS).map(|i| format!("mot{}", char::from(b'a' + (i % 26) as u8))).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> =
        (0..DOCUMENTS).map(|i| json!({"id": format!("d{i}"), "text": text}).to_string()).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    path
}

/// What a document was last acknowledged to hold.
#[derive(Clone, PartialEq, Debug, Default)]
struct Known {
    version: i64,
    marks: usize,
    accepted: bool,
}

impl Known {
    fn of(state: &Value) -> Known {
        Known {
            version: state["version"].as_i64().unwrap(),
            marks: state["spans"].as_array().unwrap().len(),
            accepted: state["accepted"].as_bool().unwrap(),
        }
    }
}

#[test]
fn fifty_kills_lose_no_acknowledged_correction() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, state) = (corpus(folder.path()), folder.path().join("state"));
    let mut page = Page::start(&corpus, &state);
    page.ready();
    let mut known: Vec<Known> = (1..=DOCUMENTS).map(|id| Known::of(&page.document(id))).collect();
    let mut acknowledged = 0;
    for kill in 0..KILLS {
        let stop = AtomicBool::new(false);
        let saved: Vec<Vec<(usize, Known)>> = std::thread::scope(|scope| {
            let (page, stop, known) = (&page, &stop, &known);
            let client = |part: usize| {
                scope.spawn(move || {
                    let mut saved = Vec::new();
                    let mut now = known.clone();
                    for turn in 0.. {
                        let at = (turn * 2 + part) % DOCUMENTS;
                        let Known { version, marks, accepted } = now[at];
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        let on = json!({"reviewer": "ada", "id": at + 1, "version": version});
                        let (name, mut body) = match (accepted, turn % 5) {
                            (false, 4) => ("accept", on),
                            _ if marks >= WORDS => ("undo", on),
                            _ => ("edit", on),
                        };
                        if name == "accept" {
                            body["accepted"] = json!(true);
                        }
                        if name == "edit" {
                            let start = 5 * marks;
                            body["edit"] = json!({"do": "add", "start": start, "end": start + 4, "label": "City", "role": "Unknown"});
                            body["reach"] = json!("here");
                        }
                        let Some((status, answer)) = page.call(name, &body) else { break };
                        assert_eq!(status, 200, "{name}: {answer}");
                        now[at] = Known::of(&answer["state"]);
                        saved.push((at, now[at].clone()));
                    }
                    saved
                })
            };
            // Two clients, each with documents of its own.
            let clients = [client(0), client(1)];
            std::thread::sleep(Duration::from_millis(15 + (kill as u64 * 7) % 40));
            assert!(
                Command::new("kill").args(["-9", &page.child.id().to_string()]).status().unwrap().success()
            );
            stop.store(true, Ordering::Relaxed);
            clients.into_iter().map(|c| c.join().unwrap()).collect()
        });
        for (at, last) in saved.into_iter().flatten() {
            known[at] = last;
            acknowledged += 1;
        }
        drop(page);
        page = Page::start(&corpus, &state);
        for (at, last) in known.iter_mut().enumerate() {
            let now = Known::of(&page.document(at + 1));
            // One change more may be on disk than was acknowledged, never one less.
            assert!(
                now == *last || now.version == last.version.max(0) + 1,
                "kill {kill}, document {at}: {now:?} after {last:?}"
            );
            *last = now;
        }
    }
    assert!(acknowledged > KILLS / 2, "only {acknowledged} changes were acknowledged");
    page.ready();
    let accepted = known.iter().filter(|k| k.accepted).count();
    drop(page);
    let out = folder.path().join("out");
    let args = [
        "review",
        corpus.to_str().unwrap(),
        "--state",
        state.to_str().unwrap(),
        "--export",
        out.to_str().unwrap(),
    ];
    assert!(taire(&args).status.success());
    let gold = std::fs::read_to_string(out.join("gold.jsonl")).unwrap();
    assert_eq!(gold.lines().count(), accepted);
}

#[test]
fn mistakes_are_reported_before_a_page_starts() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let corpus = corpus.to_str().unwrap();
    for (args, says) in [
        (&["review", corpus, "--policy", "fasdimm"][..], "unknown policy `fasdimm`"),
        (&["review", corpus, "--export", "/nowhere"][..], "there is no review in"),
        (&["review", "-"][..], "give --state FILE"),
    ] {
        let done = taire(args);
        let message = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(2) && message.contains(says), "{message}");
    }
}

/// The state of a review goes to `deid --reviewed`: what was accepted is written, in the corpus' own format.
#[test]
fn what_was_accepted_is_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, state) = (corpus(folder.path()), folder.path().join("state"));
    let page = Page::start(&corpus, &state);
    page.ready();
    let on = |version: &Value| json!({"reviewer": "ada", "id": 1, "version": version});
    let mut edit = on(&page.document(1)["version"]);
    edit["edit"] = json!({"do": "add", "start": 5, "end": 9, "label": "OtherDetail", "role": "Unknown"});
    edit["reach"] = json!("here");
    let edited = page.ask("edit", &edit);
    let mut accept = on(&edited["state"]["version"]);
    accept["accepted"] = json!(true);
    page.ask("accept", &accept);
    drop(page);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let done = taire(&[
        "deid",
        corpus.to_str().unwrap(),
        "-o",
        &path("out.jsonl"),
        "--reviewed",
        state.to_str().unwrap(),
        "--policy",
        "bigeard",
        "--lang",
        "fr",
        "--format",
        "json",
        "--quiet",
    ]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let report: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(report["documents"]["from_reviewed_spans"], 1);
    let out = std::fs::read_to_string(path("out.jsonl")).unwrap();
    let first: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert!(first["text"].as_str().unwrap().starts_with("mota <OtherDetail> motc"), "{first}");
}
