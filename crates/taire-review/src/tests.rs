//! The store and the calls as the page uses them, on invented documents.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use taire_formats::ReadOptions;

use crate::app::{App, Config, Stage};
use crate::calls::{Answer, call};
use crate::findings::StoredFindings;
use crate::mark::tests::read;
use crate::store::{Incoming, Outcome, Store, Taken};
use crate::{gold::Gold, pages, worker};

/// A review over documents in marked text: name, patient, text.
fn review(folder: &Path, documents: &[(&str, Option<&str>, &str)]) -> Arc<App> {
    let app = start(folder, &[]);
    add(&app, documents);
    app
}

fn start(folder: &Path, inputs: &[&Path]) -> Arc<App> {
    start_with(folder, inputs, "bigeard")
}

fn start_with(folder: &Path, inputs: &[&Path], policy: &str) -> Arc<App> {
    Arc::new(app(folder, inputs, policy))
}

fn app(folder: &Path, inputs: &[&Path], policy: &str) -> App {
    let state = folder.join("state");
    let store = Store::open(&state).unwrap();
    App {
        config: Config {
            inputs: inputs.iter().map(|p| p.to_path_buf()).collect(),
            options: ReadOptions::default(),
            state,
            reviewer: "ada".into(),
            policy: Some(policy.into()),
            words: Vec::new(),
            language: None,
            key: None,
            jobs: 2,
            output: None,
            blind: false,
        },
        store,
        engine: OnceLock::new(),
        stage: Mutex::new(Stage::Ready),
        queue: Mutex::default(),
        training: Mutex::default(),
        writing: Mutex::default(),
        token: "00ff".into(),
    }
}

fn incoming(name: &str, patient: Option<&str>, text: &str) -> Incoming {
    Incoming {
        name: name.into(),
        text: text.into(),
        patient: patient.and_then(taire_text::PatientId::parse),
        date: None,
        language: None,
        known: None,
        given: Vec::new(),
    }
}

fn add(app: &App, documents: &[(&str, Option<&str>, &str)]) {
    for (name, patient, marked) in documents {
        let (text, marks) = read(marked);
        app.store.take(&[incoming(name, *patient, &text)]).unwrap();
        let id = app.store.waiting(7).unwrap()[0];
        let span = |m: &crate::mark::Mark| {
            json!({"start": m.start, "end": m.end, "label": m.label, "role": m.role, "score": 0.9,
                   "sources": ["lexicon"], "mentions": []})
        };
        let found = json!({"spans": marks.iter().map(span).collect::<Vec<_>>(), "below_threshold": []});
        let found: StoredFindings = serde_json::from_value(found).unwrap();
        let outcome =
            Outcome { document: id, language: Some(taire_text::Language::Fr), found: Ok((found, 0.1)) };
        app.store.keep_found(7, &[outcome]).unwrap();
    }
}

fn ask(app: &Arc<App>, name: &str, body: Value) -> Result<Value, (u16, String)> {
    match call(app, name, body.to_string().as_bytes()) {
        Ok(Answer::Json(json)) => Ok(json),
        Ok(Answer::File(_, _, bytes)) => Ok(json!(String::from_utf8_lossy(&bytes))),
        Err(problem) => Err((problem.status, problem.code.to_owned())),
    }
}

/// The document as a reviewer sees it: version, and marks as `text label`.
fn see(app: &Arc<App>, reviewer: &str, id: i64) -> (i64, Vec<String>) {
    let document = ask(app, "document", json!({"reviewer": reviewer, "id": id})).unwrap();
    let text: Vec<u16> = document["text"].as_str().unwrap().encode_utf16().collect();
    let state = &document["state"];
    let mark = |m: &Value| {
        let range = m["start"].as_u64().unwrap() as usize..m["end"].as_u64().unwrap() as usize;
        format!("{} {}", String::from_utf16_lossy(&text[range]), m["label"].as_str().unwrap())
    };
    (state["version"].as_i64().unwrap(), state["spans"].as_array().unwrap().iter().map(mark).collect())
}

fn edit(app: &Arc<App>, reviewer: &str, id: i64, edit: Value, reach: &str) -> Result<Value, (u16, String)> {
    let version = see(app, reviewer, id).0;
    ask(
        app,
        "edit",
        json!({"reviewer": reviewer, "id": id, "version": version, "edit": edit, "reach": reach}),
    )
}

fn accept(app: &Arc<App>, reviewer: &str, id: i64) {
    let version = see(app, reviewer, id).0;
    ask(app, "accept", json!({"reviewer": reviewer, "id": id, "version": version, "accepted": true}))
        .unwrap();
}

#[test]
fn a_change_of_an_old_version_is_refused_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let app = review(folder.path(), &[("a", None, "Mme [Kerzu](FamilyName) à Brest, 😀 Lyon")]);
    let (version, _) = see(&app, "ada", 1);
    let city = |start: usize, end: usize| json!({"do": "add", "start": start, "end": end, "label": "City", "role": "Unknown"});
    let body =
        |edit: Value| json!({"reviewer": "ada", "id": 1, "version": version, "edit": edit, "reach": "here"});
    ask(&app, "edit", body(city(12, 17))).unwrap();
    // A second browser that still shows the first version.
    assert_eq!(ask(&app, "edit", body(city(22, 26))).unwrap_err(), (409, "stale".into()));
    let stale = json!({"reviewer": "ada", "id": 1, "version": version, "accepted": true});
    assert_eq!(ask(&app, "accept", stale).unwrap_err().0, 409);
    let (again, marks) = see(&app, "ada", 1);
    assert_eq!((again, marks), (1, vec!["Kerzu FamilyName".into(), "Brest City".into()]));
    edit(&app, "ada", 1, city(22, 26), "here").unwrap();
    assert_eq!(see(&app, "ada", 1).1[2], "Lyon City");
    // Another reviewer starts from what was found.
    assert_eq!(see(&app, "bob", 1).1, ["Kerzu FamilyName"]);
}

#[test]
fn of_many_browsers_at_once_one_wins_each_round() {
    let folder = tempfile::tempdir().unwrap();
    let app = review(folder.path(), &[("a", None, "un deux trois quatre cinq six")]);
    for round in 0..5 {
        let (version, before) = see(&app, "ada", 1);
        let won: usize = std::thread::scope(|scope| {
            let race = |i: usize| {
                let app = &app;
                scope.spawn(move || {
                    let start = [0, 3, 8, 14, 21][(round + i) % 5];
                    let edit = json!({"do": "add", "start": start, "end": start + 2, "label": "City", "role": "Unknown"});
                    let body = json!({"reviewer": "ada", "id": 1, "version": version, "edit": edit, "reach": "here"});
                    ask(app, "edit", body)
                })
            };
            let all: Vec<_> = (0..4).map(race).collect();
            all.into_iter().map(|t| t.join().unwrap()).filter(Result::is_ok).count()
        });
        assert!(won <= 1);
        assert_eq!(see(&app, "ada", 1).1.len(), before.len() + won);
    }
}

#[test]
fn identical_text_follows_in_the_document_the_patient_or_the_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let app = review(
        folder.path(),
        &[
            ("a", Some("p"), "Mme Kerzu. Kerzu va bien."),
            ("b", Some("p"), "Revu Kerzu, Kerzulo."),
            ("c", Some("q"), "Kerzu et [Kerzu](City)"),
            ("d", None, "rien"),
        ],
    );
    accept(&app, "ada", 2);
    let kerzu = json!({"do": "add", "start": 4, "end": 9, "label": "FamilyName", "role": "Patient"});
    let all = |app: &Arc<App>| (1..=4).map(|id| see(app, "ada", id).1.len()).collect::<Vec<_>>();
    edit(&app, "ada", 1, kerzu.clone(), "here").unwrap();
    assert_eq!(all(&app), [1, 0, 1, 0]);
    // What is marked here already can still be wanted elsewhere.
    let done = edit(&app, "ada", 1, kerzu.clone(), "patient").unwrap()["done"].clone();
    assert_eq!(all(&app), [2, 1, 1, 0]);
    assert_eq!(done, json!({"places": 2, "documents": 2, "reopened": 1, "unread": 0, "left": 0}));
    edit(&app, "ada", 1, kerzu.clone(), "corpus").unwrap();
    assert_eq!(all(&app), [2, 1, 2, 0]);
    // Taken back from where it was asked for, though nothing changed there.
    let version = see(&app, "ada", 1).0;
    ask(&app, "undo", json!({"reviewer": "ada", "id": 1, "version": version})).unwrap();
    assert_eq!(all(&app), [2, 1, 1, 0]);
    edit(&app, "ada", 1, kerzu.clone(), "corpus").unwrap();
    assert_eq!(all(&app), [2, 1, 2, 0]);
    assert_eq!(edit(&app, "ada", 1, kerzu, "corpus").unwrap_err(), (422, "same".into()));
    assert_eq!(see(&app, "bob", 2).1.len(), 0, "another reviewer's marks are their own");
}

#[test]
fn undo_takes_a_whole_correction_back_but_no_accepted_document() {
    let folder = tempfile::tempdir().unwrap();
    let app = review(folder.path(), &[("a", None, "Kerzu"), ("b", None, "Kerzu"), ("c", None, "Kerzu")]);
    let kerzu = json!({"do": "add", "start": 0, "end": 5, "label": "FamilyName", "role": "Patient"});
    edit(&app, "ada", 1, kerzu, "corpus").unwrap();
    accept(&app, "ada", 3);
    let step = |name: &str| {
        let version = see(&app, "ada", 1).0;
        ask(&app, name, json!({"reviewer": "ada", "id": 1, "version": version}))
    };
    let all = || (1..=3).map(|id| see(&app, "ada", id).1.len()).collect::<Vec<_>>();
    let done = step("undo").unwrap()["done"].clone();
    assert_eq!((done["documents"].as_i64(), done["left"].as_i64()), (Some(2), Some(1)));
    assert_eq!(all(), [0, 0, 1]);
    assert_eq!(step("undo").unwrap_err(), (422, "no_change".into()));
    step("redo").unwrap();
    assert_eq!(all(), [1, 1, 1]);
    assert_eq!(step("redo").unwrap_err().0, 422);
    // A new correction ends what could be done again.
    step("undo").unwrap();
    edit(
        &app,
        "ada",
        1,
        json!({"do": "add", "start": 0, "end": 5, "label": "City", "role": "Unknown"}),
        "here",
    )
    .unwrap();
    assert_eq!(step("redo").unwrap_err().0, 422);
}

#[test]
fn gold_is_what_was_accepted_and_what_two_see_differently_waits() {
    let folder = tempfile::tempdir().unwrap();
    let app = review(
        folder.path(),
        &[
            ("d/a", None, "Mme [Kerzu](FamilyName:Patient) à Évreux"),
            ("b", None, "le [3 mai](Date)"),
            ("c", None, "x"),
        ],
    );
    edit(
        &app,
        "ada",
        1,
        json!({"do": "add", "start": 12, "end": 18, "label": "City", "role": "Unknown"}),
        "here",
    )
    .unwrap();
    accept(&app, "ada", 1);
    accept(&app, "ada", 2);
    accept(&app, "bob", 2);
    let export = |what: &str| {
        ask(&app, "export", json!({"reviewer": "ada", "what": what})).unwrap().as_str().unwrap().to_owned()
    };
    let lines: Vec<Value> = export("jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["id"], "d/a");
    assert_eq!(
        lines[0]["spans"][1],
        json!({"start": 12, "end": 18, "label": "City", "role": "Unknown", "score": 1.0, "sources": ["reviewer"]})
    );
    accept(&app, "bob", 1);
    assert_eq!(export("jsonl").lines().count(), 1, "ada and bob differ");
    assert_eq!(ask(&app, "gold", json!({})).unwrap(), json!({"documents": 1, "unsettled": ["d/a"]}));
    let pair = json!({"reviewer": "ada", "a": "ada", "b": "bob"});
    let agreement = ask(&app, "agreement", pair).unwrap();
    assert_eq!((agreement["documents"].as_i64(), agreement["alike"].as_i64()), (Some(2), Some(1)));
    assert!(agreement["kappa"].as_f64().unwrap() < 1.0);
    let on = json!({"reviewer": "ada", "a": "ada", "b": "bob", "id": 1});
    let difference = ask(&app, "difference", on).unwrap();
    assert_eq!(difference["places"].as_array().unwrap().len(), 1);
    let mut spans: Vec<Value> = difference["shared"].as_array().unwrap().clone();
    spans.extend(difference["places"][0]["a"].as_array().unwrap().iter().cloned());
    spans.iter_mut().for_each(|s| drop(s.as_object_mut().unwrap().remove("by")));
    let settle = json!({"reviewer": "ada", "a": "ada", "b": "bob", "id": 1, "versions": difference["versions"], "spans": spans});
    ask(&app, "settle", settle.clone()).unwrap();
    assert_eq!(export("jsonl").lines().count(), 2);
    // Somebody changes their mind: it is to be settled again, and the old answer no longer fits.
    edit(&app, "bob", 1, json!({"do": "remove", "start": 4, "end": 9}), "here").unwrap();
    accept(&app, "bob", 1);
    assert_eq!(export("jsonl").lines().count(), 1);
    assert_eq!(ask(&app, "settle", settle).unwrap_err(), (409, "stale".into()));
}

#[test]
fn exported_files_are_private_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let app = review(folder.path(), &[("d/a", None, "Mme [Ana Peña](FamilyName:Patient)\nà [Évreux](City)")]);
    accept(&app, "ada", 1);
    let out = folder.path().join("out");
    let done = crate::export(&app.config.state, &out).unwrap();
    assert_eq!((done.documents, done.unsettled.len()), (1, 0));
    let ann = std::fs::read_to_string(out.join("brat/d_a.ann")).unwrap();
    assert_eq!(ann, "T1\tFamilyName 4 12\tAna Peña\nT2\tCity 15 21\tÉvreux\n");
    assert!(out.join("words.tsv").exists());
    #[cfg(unix)]
    for file in [&app.config.state, &out.join("gold.jsonl"), &out.join("brat/d_a.txt")] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let zip = Gold::of(&app.store).unwrap().brat_zip().unwrap();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(zip)).unwrap();
    assert_eq!(std::io::read_to_string(zip.by_name("d_a.ann").unwrap()).unwrap(), ann);
}

#[test]
fn a_state_that_others_may_read_or_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, "not a database at all, but long enough to be taken for a header of one").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(Store::open(&path).unwrap_err().to_string().contains("chmod 600"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let message = Store::open(&path).unwrap_err().to_string();
    assert!(message.contains("no state of a review"), "{message}");
}

#[test]
fn text_that_changed_after_its_review_does_not_replace_it() {
    let folder = tempfile::tempdir().unwrap();
    let app =
        review(folder.path(), &[("a", None, "[Kerzu](FamilyName)"), ("b", None, "[Kerzu](FamilyName)")]);
    accept(&app, "ada", 1);
    let taken = app.store.take(&[
        incoming("a", None, "Kerzu"),
        incoming("b", None, "Autre"),
        incoming("a", None, "Autre"),
    ]);
    assert_eq!(taken.unwrap(), [Taken::Known, Taken::New, Taken::Changed]);
    assert_eq!(see(&app, "ada", 1).1, ["Kerzu FamilyName"]);
    // The other is searched again, and until then nobody can work on it.
    assert_eq!(
        ask(&app, "document", json!({"reviewer": "ada", "id": 2})).unwrap_err(),
        (409, "unread".into())
    );
}

#[test]
fn a_corpus_is_read_searched_and_what_cannot_be_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus");
    std::fs::create_dir(&corpus).unwrap();
    let line = |id: &str, text: &str| json!({"id": id, "text": text, "patient": "p1"}).to_string();
    let rows = [
        line("a", "Docteur Paul MARTIN, tél. 02 98 12 34 56"),
        line("b", "Consultation de M. Jean Kerzu le 12/03/2019."),
        line("a", "encore"),
        "{\"text\": 3}".to_owned(),
    ];
    std::fs::write(corpus.join("notes.jsonl"), rows.join("\n")).unwrap();
    std::fs::write(corpus.join("image.png"), b"\x89PNG\r\n\x1a\n\0\0\0\0").unwrap();
    let app = start(folder.path(), &[&corpus]);
    worker::run(&app);
    assert_eq!(*crate::app::lock(&app.stage), Stage::Ready);
    let status = ask(&app, "status", json!({"reviewer": "ada"})).unwrap();
    assert_eq!(
        (status["progress"]["documents"].as_i64(), status["progress"]["searched"].as_i64()),
        (Some(2), Some(2))
    );
    let refused = ask(&app, "refused", json!({})).unwrap();
    assert_eq!(refused.as_array().unwrap().len(), 3, "{refused}");
    assert!(see(&app, "ada", 1).1.contains(&"02 98 12 34 56 Phone".to_owned()));
    let list = |filter: Value| {
        let answer = ask(&app, "list", json!({"reviewer": "ada", "filter": filter})).unwrap();
        answer["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(list(json!({"label": "Phone", "limit": 10})), ["a"]);
    assert_eq!(list(json!({"source": "pattern", "label": "Date", "limit": 10})), ["b"]);
    assert_eq!(list(json!({"label": "Phone", "below": 0.0, "limit": 10})), Vec::<String>::new());
    assert_eq!(list(json!({"search": "B", "limit": 10})), ["b"]);
    accept(&app, "ada", 1);
    assert_eq!(list(json!({"status": "open", "limit": 10})), ["b"]);
    let after = ask(&app, "after", json!({"reviewer": "ada", "id": 1})).unwrap();
    assert!(!after["text"].as_str().unwrap().contains("MARTIN"), "{after}");
    let record = ask(&app, "record", json!({"reviewer": "ada", "id": 1})).unwrap();
    assert_eq!(record["documents"].as_array().unwrap().len(), 2);
    assert!(record["rows"].as_array().unwrap().iter().any(|r| r["text"] == "MARTIN"));
    // Starting again changes nothing of it.
    let again = start(folder.path(), &[&corpus]);
    worker::run(&again);
    assert_eq!(list(json!({"status": "accepted", "limit": 10})), ["a"]);
    assert_eq!(ask(&again, "status", json!({"reviewer": "ada"})).unwrap()["progress"], {
        let mut before = status["progress"].clone();
        before["accepted"] = json!(1);
        before["accepted_by_all"] = json!(1);
        before
    });
}

#[test]
fn only_the_page_of_this_run_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let app = review(folder.path(), &[("a", None, "x")]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let send = |method: &str, path: &str, headers: &[(&str, &str)]| {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from("{}")).unwrap();
        let app = app.clone();
        runtime.block_on(async move {
            use tower_service::Service as _;
            let response = pages::router(app).call(request).await.unwrap();
            let (parts, body) = response.into_parts();
            let policy = parts.headers["content-security-policy"].to_str().unwrap().to_owned();
            assert!(policy.starts_with("default-src 'self';"), "{policy}");
            (
                parts.status.as_u16(),
                String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap(),
            )
        })
    };
    let (host, token) = (("host", "127.0.0.1:8048"), ("authorization", "Bearer 00ff"));
    assert_eq!(send("POST", "/api/hello", &[host, token]).0, 200);
    assert_eq!(send("POST", "/api/hello", &[host, token, ("origin", "http://127.0.0.1:8048")]).0, 200);
    assert_eq!(send("POST", "/api/hello", &[host]).0, 401);
    assert_eq!(send("POST", "/api/hello", &[host, ("authorization", "Bearer 00fe")]).0, 401);
    assert_eq!(send("POST", "/api/hello", &[host, ("authorization", "Bearer ")]).0, 401);
    assert_eq!(send("GET", "/api/hello", &[host, token]).0, 400);
    for other in [
        [("host", "taire.example"), token, ("x", "y")],
        [host, token, ("origin", "http://127.0.0.1:9000")],
        [host, token, ("origin", "null")],
        [host, token, ("sec-fetch-site", "same-site")],
        [host, token, ("sec-fetch-site", "cross-site")],
    ] {
        assert_eq!(send("POST", "/api/hello", &other).0, 403);
        assert_eq!(send("GET", "/", &other).0, 403);
    }
    let (status, page) = send("GET", "/", &[host]);
    assert!(status == 200 && page.contains("/app.js") && !page.contains("style="));
    assert_eq!(send("GET", "/../Cargo.toml", &[host]).0, 404);
    assert_eq!(send("POST", "/api/nothing", &[host, token]).0, 404);
}

#[test]
fn calls_that_make_no_sense_change_nothing_and_quote_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let app = review(folder.path(), &[("a", None, "Mme [Kerzu](FamilyName)")]);
    let version = see(&app, "ada", 1).0;
    for (name, body) in [
        (
            "edit",
            json!({"reviewer": "ada", "id": 1, "version": version, "edit": {"do": "Kerzu"}, "reach": "here"}),
        ),
        ("document", json!({"reviewer": "ada", "id": "Kerzu"})),
        ("document", json!({"reviewer": "", "id": 1})),
        ("document", json!({"reviewer": "ada", "id": 99})),
        ("list", json!({"reviewer": "ada", "filter": {"label": "Kerzu"}})),
        ("agreement", json!({"reviewer": "ada", "a": "ada", "b": "ada"})),
        ("judge", json!({"reviewer": "ada", "word": "Kerzu et cie", "judgement": "refuse"})),
    ] {
        let Err(problem) = call(&app, name, body.to_string().as_bytes()) else {
            panic!("{name} was answered")
        };
        assert!((400..500).contains(&problem.status) && !problem.message.contains("Kerzu"), "{problem:?}");
    }
    assert_eq!(see(&app, "ada", 1), (version, vec!["Kerzu FamilyName".into()]));
}

#[test]
fn a_model_is_trained_on_gold_and_measured_on_what_it_never_saw() {
    let folder = tempfile::tempdir().unwrap();
    let app = start_with(folder.path(), &[], "fr");
    let train = |app: &Arc<App>| {
        ask(app, "train", json!({"language": "fr"})).unwrap();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(120);
        loop {
            let now = ask(app, "status", json!({"reviewer": "ada"})).unwrap()["training"].clone();
            if now["is"] == "done" || now["is"] == "failed" {
                return now;
            }
            assert!(std::time::Instant::now() < until, "{now}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    let names = [
        "Kerzu", "Abgrall", "Morvan", "Quintrec", "Tanguy", "Riou", "Guivarch", "Le Bris", "Cozic", "Pennec",
    ];
    for (i, name) in names.iter().enumerate() {
        let text = format!(
            "Mme [{name}](FamilyName) vient de [Brest](City) pour une toux. Revue le [1{} mai 2019](Date).",
            i % 9
        );
        add(&app, &[(name, None, &text)]);
        if i == 4 {
            assert_eq!(train(&app)["code"], "too_few");
        }
        accept(&app, "ada", i as i64 + 1);
    }
    let done = train(&app);
    assert_eq!(done["is"], "done", "{done}");
    assert_eq!(
        (done["learned"].as_i64(), done["chosen_by"].as_i64(), done["held_out"].as_i64()),
        (Some(6), Some(2), Some(2))
    );
    assert!(done["before"]["words"].as_i64().unwrap() >= 6 && done["after"]["f1"].is_number());
    let Ok(Answer::File(name, _, bytes)) = call(&app, "model", br#"{"language": "fr"}"#) else {
        panic!("no model")
    };
    assert_eq!(name, "review.fr.crf");
    assert!(taire::training::CrfDetector::from_bytes(&bytes).is_ok());
}

#[test]
fn nobody_reviews_without_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let config = start(folder.path(), &[]).config.clone();
    for name in ["", "  ", "a\nb"] {
        let config = Config { reviewer: name.into(), ..config.clone() };
        assert!(crate::Review::bind(config, 0).unwrap_err().to_string().contains("1 to 60 characters"));
    }
}

#[test]
fn accepted_documents_are_written_in_their_own_format_and_the_others_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus");
    std::fs::create_dir(&corpus).unwrap();
    let line = |id: &str| json!({"id": id, "text": "Mme Kerzu vient de Brest ce jour."}).to_string() + "\n";
    std::fs::write(corpus.join("notes.jsonl"), ["a", "b", "c"].map(line).concat()).unwrap();
    std::fs::write(corpus.join("lettre.html"), "<html><body><p>Mme Kerzu de Brest.</p></body></html>")
        .unwrap();
    let mut app = app(folder.path(), &[&corpus], "fr");
    assert_eq!(ask(&start(folder.path(), &[]), "write", json!({})).unwrap_err().1, "no_output");
    app.config.output = Some(folder.path().join("out"));
    let app = Arc::new(app);
    assert_eq!(ask(&app, "write", json!({})).unwrap_err(), (503, "starting".into()));
    worker::run(&app);
    let write = || {
        ask(&app, "write", json!({})).unwrap();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
        loop {
            let now = ask(&app, "status", json!({"reviewer": "ada"})).unwrap()["writing"].clone();
            if now["is"] != "running" {
                return now;
            }
            assert!(std::time::Instant::now() < until);
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    assert!(write()["why"].as_str().unwrap().contains("no document is accepted"));
    assert!(!folder.path().join("out").exists());
    let list = ask(&app, "list", json!({"reviewer": "ada", "filter": {"limit": 9}})).unwrap();
    let id = |name: &str| {
        let rows = list["rows"].as_array().unwrap();
        rows.iter().find(|r| r["name"] == name).unwrap()["id"].as_i64().unwrap()
    };
    // What the reviewer marked is hidden, and nothing else is.
    let html =
        list["rows"].as_array().unwrap().iter().find(|r| r["name"].as_str().unwrap().contains("lettre"));
    let html = html.unwrap()["id"].as_i64().unwrap();
    for id in [id("a"), html] {
        let document = ask(&app, "document", json!({"reviewer": "ada", "id": id})).unwrap();
        for mark in document["state"]["spans"].as_array().unwrap() {
            let remove = json!({"do": "remove", "start": mark["start"], "end": mark["end"]});
            edit(&app, "ada", id, remove, "here").unwrap();
        }
        edit(
            &app,
            "ada",
            id,
            json!({"do": "add", "start": 4, "end": 9, "label": "OtherDetail", "role": "Unknown"}),
            "here",
        )
        .unwrap();
        accept(&app, "ada", id);
    }
    accept(&app, "ada", id("b"));
    edit(
        &app,
        "bob",
        id("b"),
        json!({"do": "add", "start": 10, "end": 15, "label": "City", "role": "Unknown"}),
        "here",
    )
    .unwrap();
    accept(&app, "bob", id("b"));
    let done = write();
    assert_eq!((&done["is"], &done["written"]), (&json!("done"), &json!(2)), "{done}");
    assert_eq!(
        done["refused"],
        json!([
            ["two reviewers see it differently, and nobody has settled it", 1],
            ["not accepted in the review", 1]
        ])
    );
    let out = folder.path().join("out");
    let rows = std::fs::read_to_string(out.join("notes.jsonl")).unwrap();
    let row: Value = serde_json::from_str(&rows).unwrap();
    assert_eq!(row["text"], "Mme <OtherDetail> vient de Brest ce jour.");
    let page = std::fs::read_to_string(out.join("lettre.html")).unwrap();
    assert!(page.contains("<p>Mme &lt;OtherDetail&gt; de Brest.</p>"), "{page}");
    let report = std::fs::read_to_string(out.join("report.md")).unwrap();
    assert!(
        report.contains("written from reviewed spans | 2") && report.contains("not accepted"),
        "{report}"
    );
    let refused = std::fs::read_to_string(folder.path().join("out.private/refused.csv")).unwrap();
    assert!(refused.contains("c,,not accepted in the review"), "{refused}");
}

#[test]
fn a_blind_reviewer_sees_neither_scores_nor_others() {
    let folder = tempfile::tempdir().unwrap();
    let app =
        review(folder.path(), &[("a", None, "Mme [Kerzu](FamilyName)"), ("b", None, "[Kerzu](FamilyName)")]);
    ask(&app, "blind", json!({"reviewer": "bob"})).unwrap();
    edit(&app, "ada", 1, json!({"do": "remove", "start": 4, "end": 9}), "here").unwrap();
    accept(&app, "ada", 1);
    accept(&app, "bob", 1);
    let seen = ask(&app, "document", json!({"reviewer": "bob", "id": 1})).unwrap();
    assert_eq!((&seen["found"], &seen["below_threshold"]), (&json!([]), &json!([])));
    assert_eq!(see(&app, "bob", 1).1, ["Kerzu FamilyName"]);
    let filter = json!({"sort": "doubt", "below": 0.5, "source": "crf", "limit": 9});
    let list = ask(&app, "list", json!({"reviewer": "bob", "filter": filter})).unwrap();
    assert_eq!(list["total"], 2, "a filter by score would tell scores");
    assert!(list["rows"].as_array().unwrap().iter().all(|r| r["doubt"].is_null() && r["searched"] == true));
    assert!(!list.to_string().contains("0.1"));
    let pair = |who: &str| json!({"reviewer": who, "a": "ada", "b": "bob"});
    for (name, body) in [
        ("agreement", pair("bob")),
        ("difference", json!({"reviewer": "bob", "a": "ada", "b": "bob", "id": 1})),
        ("settle_all", json!({"reviewer": "bob", "a": "ada", "b": "bob", "take": "a"})),
        ("export", json!({"reviewer": "bob", "what": "jsonl"})),
    ] {
        assert_eq!(ask(&app, name, body).unwrap_err(), (422, "blind".into()), "{name}");
    }
    assert!(ask(&app, "agreement", pair("ada")).is_ok());
    assert_eq!(ask(&app, "status", json!({"reviewer": "bob"})).unwrap()["blind"], true);
    assert_eq!(ask(&app, "blind", json!({"reviewer": "ada"})).unwrap_err().1, "begun");
    ask(&app, "blind", json!({"reviewer": "bob"})).unwrap();
}

#[test]
fn random_order_is_that_of_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..40).map(|i| format!("d{i:02}")).collect();
    let app = review(folder.path(), &names.iter().map(|n| (n.as_str(), None, "x")).collect::<Vec<_>>());
    let order = |seed: i64, offset: usize| {
        let filter = json!({"sort": "random", "seed": seed, "offset": offset, "limit": 40});
        let list = ask(&app, "list", json!({"reviewer": "ada", "filter": filter})).unwrap();
        list["rows"].as_array().unwrap().iter().map(|r| r["name"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(order(7, 0), order(7, 0));
    assert_ne!(order(7, 0), order(8, 0));
    assert_eq!(order(7, 10), order(7, 0)[10..]);
    let mut sorted = order(7, 0);
    assert_ne!(sorted, order(7, 0).iter().rev().cloned().collect::<Vec<_>>());
    sorted.sort();
    assert_eq!(sorted.len(), 40);
    assert_ne!(order(7, 0), sorted);
}

#[test]
fn differences_are_settled_in_bulk_and_settled_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let app = review(folder.path(), &[("a", None, "Kerzu"), ("b", None, "Kerzu"), ("c", None, "Kerzu")]);
    let kerzu = json!({"do": "add", "start": 0, "end": 5, "label": "FamilyName", "role": "Patient"});
    for id in 1..=3 {
        accept(&app, "ada", id);
        if id < 3 {
            edit(&app, "bob", id, kerzu.clone(), "here").unwrap();
        }
        accept(&app, "bob", id);
    }
    let settle = json!({"reviewer": "ada", "a": "ada", "b": "bob", "id": 1, "versions": [1, 2], "spans": []});
    ask(&app, "settle", settle).unwrap();
    let all = json!({"reviewer": "ada", "a": "ada", "b": "bob", "take": "either"});
    assert_eq!(ask(&app, "settle_all", all.clone()).unwrap(), json!({"settled": 1, "changed_since": 0}));
    assert_eq!(ask(&app, "settle_all", all).unwrap()["settled"], 0);
    let gold = Gold::of(&app.store).unwrap();
    assert_eq!(gold.documents.iter().map(|d| d.marks.len()).collect::<Vec<_>>(), [0, 1, 0]);
}

#[test]
fn two_states_merge_with_everybodys_marks() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let shared = [("a", None, "Mme [Kerzu](FamilyName)"), ("b", None, "le [3 mai](Date)")];
    let first = review(one.path(), &shared);
    accept(&first, "ada", 1);
    edit(&first, "eve", 1, json!({"do": "remove", "start": 4, "end": 9}), "here").unwrap();
    first.store.judge(1, "kerzu", Some(taire::Judgement::Accept)).unwrap();
    let second = review(two.path(), &[&[("z", None, "seul")][..], &shared[..]].concat());
    ask(&second, "blind", json!({"reviewer": "bob"})).unwrap();
    accept(&second, "bob", 2);
    accept(&second, "bob", 1);
    edit(&second, "ada", 2, json!({"do": "remove", "start": 4, "end": 9}), "here").unwrap();
    accept(&second, "ada", 2);
    accept(&second, "ada", 3);
    second.store.judge(1, "kerzu", Some(taire::Judgement::Refuse)).unwrap();
    let into = one.path().join("merged");
    let merged = crate::merge(&first.config.state, &second.config.state, &into).unwrap();
    assert_eq!((merged.documents, merged.added, merged.words_refused), (3, 1, 1));
    assert_eq!(merged.split, ["ada"], "ada marked document a differently in each");
    let mut app = app(two.path(), &[], "bigeard");
    app.store = Store::open(&into).unwrap();
    let app = Arc::new(app);
    assert_eq!(see(&app, "ada", 1).1, ["Kerzu FamilyName"]);
    assert_eq!(see(&app, "ada (2)", 1).1, Vec::<String>::new());
    assert_eq!(see(&app, "eve", 1).1, Vec::<String>::new());
    let status = ask(&app, "status", json!({"reviewer": "bob"})).unwrap();
    assert_eq!((&status["blind"], &status["progress"]["accepted"]), (&json!(true), &json!(2)));
    // History came with the marks: the second file's correction can be taken back.
    let (version, _) = see(&app, "ada (2)", 1);
    ask(&app, "undo", json!({"reviewer": "ada (2)", "id": 1, "version": version})).unwrap();
    assert_eq!(see(&app, "ada (2)", 1).1, ["Kerzu FamilyName"]);
    assert!(
        crate::merge(&first.config.state, &second.config.state, &into)
            .unwrap_err()
            .to_string()
            .contains("exists")
    );
    // Another text under the same name: nothing is merged.
    let three = tempfile::tempdir().unwrap();
    let third = review(three.path(), &[("a", None, "M. [Autre](FamilyName)")]);
    let into = three.path().join("merged");
    let error = crate::merge(&first.config.state, &third.config.state, &into).unwrap_err().to_string();
    assert!(error.contains("1 documents have another text") && !error.contains("Kerzu"), "{error}");
    assert!(!into.exists());
}

#[test]
fn the_page_receives_what_stays_and_what_is_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("notes.jsonl");
    std::fs::write(&corpus, json!({"id": "a", "text": "Mme Kerzu vient de Brest ce jour."}).to_string())
        .unwrap();
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, "extends = \"fr\"\n[rewrite.labels]\nCity = \"keep\"\n").unwrap();
    let app = start_with(folder.path(), &[&corpus], policy.to_str().unwrap());
    worker::run(&app);
    let actions = ask(&app, "document", json!({"reviewer": "ada", "id": 1})).unwrap()["actions"].clone();
    assert_eq!(
        (&actions["City"], &actions["FamilyName"]),
        (&json!("keep"), &json!("surrogate")),
        "{actions}"
    );
    assert_eq!(actions.as_object().unwrap().len(), taire_text::Label::ALL.len());
}
