//! The API over a real socket: right answers, and every refusal with its status and a plain message.

mod common;

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use common::{batch, config, connect, get, head, letter, post, read, send, start};
use serde_json::{Value, json};
use taire_server::{ApiKeys, OPENAPI, Scope};

const SECRET: &str = "KERVADEC";

fn note() -> String {
    json!({"text": letter(1), "lang": "fr", "patient": "800417", "date": "2019-03-12"}).to_string()
}

#[test]
fn documents_are_found_and_rewritten_in_the_offset_unit_asked_for() {
    let running = start(&config());
    let reply = post(running.address, "/v1/deid", &note());
    assert_eq!((reply.status, reply.whole), (200, true));
    assert_eq!(reply.headers["taire-offsets"], "codepoints");
    let answer = reply.json();
    assert!(!reply.text().contains(SECRET) && answer["spans"].as_array().unwrap().len() > 5);
    assert!(
        answer["patient"] != "800417" && answer["date"] != "2019-03-12" && answer["offsets"] == "codepoints"
    );
    for unit in ["codepoints", "bytes", "utf16"] {
        let reply = post(
            running.address,
            &format!("/v1/detect?offsets={unit}"),
            r#"{"text":"😀 né à Quimperlé, M. KERVADEC"}"#,
        );
        let answer = reply.json();
        assert_eq!((reply.status, answer["offsets"].as_str()), (200, Some(unit)));
        let text = answer["text"].as_str().unwrap();
        let slice = |span: &Value| {
            let (start, end) =
                (span["start"].as_u64().unwrap() as usize, span["end"].as_u64().unwrap() as usize);
            match unit {
                "bytes" => text[start..end].to_owned(),
                "utf16" => String::from_utf16(&text.encode_utf16().collect::<Vec<_>>()[start..end]).unwrap(),
                _ => text.chars().skip(start).take(end - start).collect(),
            }
        };
        let spans: Vec<String> = answer["spans"].as_array().unwrap().iter().map(slice).collect();
        assert!(spans.iter().any(|s| s == SECRET), "{spans:?}");
    }
    let policies = get(running.address, "/v1/policies", &[]).json();
    assert_eq!(
        (policies["default"].as_str(), policies["policies"].as_array().unwrap().len()),
        (Some("bigeard"), 1)
    );
}

#[test]
fn wrong_requests_are_refused() {
    let mut config = config();
    config.limits.document_bytes = 100_000;
    let running = start(&config);
    let at = running.address;
    let json = [("Content-Type", "application/json")];
    let long = json!({"text": "Mme KERVADEC ".repeat(20_000)}).to_string();
    let cases = [
        (post(at, "/v1/deid", "{\"text\": KERVADEC"), 400, "bad_json"),
        (post(at, "/v1/deid", r#"{"text":"a","KERVADEC":1}"#), 400, "bad_json"),
        (post(at, "/v1/deid", ""), 400, "bad_json"),
        (post(at, "/v1/deid?offsets=KERVADEC", &note()), 400, "bad_query"),
        (post(at, "/v1/deid", r#"{"text":"a","policy":"KERVADEC"}"#), 404, "unknown_policy"),
        (batch(at, "/v1/batch?policy=KERVADEC", ""), 404, "unknown_policy"),
        (post(at, "/v1/KERVADEC", "{}"), 404, "unknown_path"),
        (get(at, "/v1/deid", &[]), 405, "unknown_method"),
        (send(at, "DELETE", "/v1/policies", &[], None), 405, "unknown_method"),
        (post(at, "/v1/deid", &long), 413, "too_large"),
        (send(at, "POST", "/v1/deid", &[], Some(b"{}")), 415, "media_type"),
        (send(at, "POST", "/v1/batch", &json, Some(b"{}")), 415, "media_type"),
        (get(at, "/v1/policies", &[("Host", "evil.example:80")]), 421, "wrong_host"),
    ];
    for (reply, status, code) in cases {
        assert_eq!((reply.status, reply.error().as_str()), (status, code));
        assert!(!reply.text().contains(SECRET) && reply.headers.contains_key("x-request-id"));
        assert_eq!(reply.headers["content-type"], "application/json");
        if status == 405 {
            assert!(!reply.headers["allow"].is_empty());
        }
    }
    assert_eq!(get(at, "/healthz", &[("Host", "[::1]:80")]).status, 200);
}

#[test]
fn a_body_too_large_is_refused_also_when_its_length_is_not_announced() {
    let mut config = config();
    config.limits.document_bytes = 10_000;
    let running = start(&config);
    let mut stream = connect(running.address);
    let headers = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")];
    stream.write_all(head("POST", "/v1/deid", &headers, None).as_bytes()).unwrap();
    for _ in 0..5 {
        stream.write_all(format!("{:x}\r\n{}\r\n", 4000, "a".repeat(4000)).as_bytes()).unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    assert_eq!(read(&mut stream).status, 413);
}

#[test]
fn keys_open_what_their_scopes_say_and_changes_are_taken_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    let mut keys = ApiKeys::default();
    let ward = keys.add("ward", &[Scope::Deid]).unwrap();
    let boss = keys.add("boss", Scope::ALL).unwrap();
    keys.write(&path).unwrap();
    let mut config = config();
    config.api_keys = Some(path.clone());
    config.audit = Some(folder.path().join("audit"));
    let running = start(&config);
    let ask = |path: &str, key: &str| {
        let bearer = format!("Bearer {key}");
        let headers = [("Content-Type", "application/json"), ("Authorization", bearer.as_str())];
        let body = note();
        let (method, body) = if path == "/metrics" { ("GET", None) } else { ("POST", Some(body.as_bytes())) };
        send(running.address, method, path, &headers, body)
    };
    assert_eq!(ask("/v1/deid", &ward).status, 200);
    for wrong in ["", "taire_0", &ward[1..], &format!("{ward}0")] {
        let reply = ask("/v1/deid", wrong);
        assert_eq!((reply.status, reply.error().as_str()), (401, "unknown_key"));
        assert_eq!(reply.headers["www-authenticate"], "Bearer");
    }
    assert_eq!(post(running.address, "/v1/deid", &note()).status, 401);
    assert_eq!(get(running.address, "/v1/policies", &[]).status, 401);
    assert_eq!(get(running.address, "/healthz", &[]).status, 200);
    assert_eq!((ask("/v1/detect", &ward).status, ask("/v1/detect", &boss).status), (403, 200));
    assert_eq!((ask("/metrics", &ward).status, ask("/metrics", &boss).status), (403, 200));
    keys.remove("ward").unwrap();
    keys.write(&path).unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!((ask("/v1/deid", &ward).status, ask("/v1/deid", &boss).status), (401, 200));
    fs::remove_file(&path).unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(ask("/v1/deid", &boss).status, 401);
    let audit = fs::read_to_string(folder.path().join("audit")).unwrap();
    assert!(audit.contains(r#""caller":"ward""#) && audit.contains(r#""error":"unknown_key""#));
    assert!(!audit.contains(&ward) && !audit.contains(&boss));
}

#[test]
fn neither_audit_nor_metrics_hold_content() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit");
    let mut config = config();
    config.audit = Some(path.clone());
    let running = start(&config);
    let body = json!({"text": letter(3), "id": "note-KERVADEC", "patient": "800417"}).to_string();
    assert_eq!(post(running.address, "/v1/deid", &body).status, 200);
    assert_eq!(post(running.address, "/v1/detect", "{\"KERVADEC\":1}").status, 400);
    assert_eq!(batch(running.address, "/v1/batch", &format!("{body}\nKERVADEC\n")).status, 200);
    let metrics = get(running.address, "/metrics", &[]).text();
    for line in [
        "taire_requests_total{route=\"/v1/deid\",status=\"200\"} 1",
        "taire_requests_total{route=\"/v1/detect\",status=\"400\"} 1",
        "taire_documents_total{task=\"deid\",outcome=\"done\"} 2",
        "taire_documents_total{task=\"deid\",outcome=\"refused\"} 1",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    let audit = fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = audit.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines[0]["documents"], 1);
    assert_eq!(lines[0]["policy"], "bigeard");
    let end = lines.iter().find(|l| l["batch"] == "end").unwrap();
    assert_eq!((&end["documents"], &end["refused"]), (&json!(2), &json!(1)));
    for text in [&metrics, &audit] {
        assert!(!text.contains(SECRET) && !text.contains("800417") && !text.contains("Alban"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_audited_is_not_answered() {
    let mut config = config();
    config.audit = Some("/dev/full".into());
    let running = start(&config);
    let reply = post(running.address, "/v1/deid", &note());
    assert_eq!((reply.status, reply.error().as_str()), (500, "no_audit"));
}

#[test]
fn a_rate_is_kept_by_refusing_one_and_pacing_many() {
    let mut config = config();
    config.limits.rate = Some(5);
    let running = start(&config);
    let statuses: Vec<u16> =
        (0..12).map(|_| post(running.address, "/v1/detect", r#"{"text":"a"}"#).status).collect();
    assert!(statuses[..5].iter().all(|s| *s == 200) && statuses.contains(&429), "{statuses:?}");
    let begun = Instant::now();
    let reply = batch(running.address, "/v1/batch", &"{\"text\":\"a\"}\n".repeat(10));
    assert_eq!(reply.text().lines().filter(|l| l.contains("\"spans\"")).count(), 10);
    assert!(begun.elapsed() > Duration::from_millis(900));
}

#[test]
fn other_addresses_need_keys_and_tls_or_explicit_consent() {
    let mut config = config();
    config.host = [0, 0, 0, 0].into();
    let message = |c: &taire_server::Config| {
        taire_server::Server::bind(c).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(message(&config).contains("--api-keys"));
    config.no_keys = true;
    assert!(message(&config).contains("--tls-cert"));
    config.plain_http = true;
    assert_eq!(message(&config), "");
}

#[test]
fn the_description_names_every_route_and_nothing_else() {
    let running = start(&config());
    let reply = get(running.address, "/v1/openapi.json", &[]);
    assert_eq!(reply.text(), OPENAPI);
    let document = reply.json();
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let paths = document["paths"].as_object().unwrap();
    for (path, methods) in paths {
        let methods: Vec<&String> = methods.as_object().unwrap().keys().collect();
        assert_eq!(methods.len(), 1);
        let described = &paths[path][methods[0].as_str()];
        for (method, other) in [("GET", "post"), ("POST", "get")] {
            let reply = send(running.address, method, path, &[], None);
            let known = methods[0] != other;
            assert_eq!(reply.status == 405, !known, "{method} {path}");
            let status = reply.status.to_string();
            assert!(described["responses"].get(&status).is_some(), "{method} {path} answers {status}");
        }
        let query: Vec<String> = described["parameters"]
            .as_array()
            .map(|all| all.iter().map(|p| p["name"].as_str().unwrap().to_owned()).collect())
            .unwrap_or_default();
        for parameter in ["task", "offsets", "scheme", "policy", "lang"] {
            let reply = send(
                running.address,
                &methods[0].to_uppercase(),
                &format!("{path}?{parameter}=?"),
                &[],
                None,
            );
            let refused = reply.status == 400 && reply.text().contains("unknown query parameter");
            assert_eq!(refused, !query.iter().any(|q| q == parameter), "{path}?{parameter}");
        }
    }
    for path in ["/", "/v1", "/v1/review", "/v1/deid/", "/metrics/x"] {
        assert!(!paths.contains_key(path) && get(running.address, path, &[]).status == 404);
    }
    let keys = document["components"]["schemas"]["Document"]["properties"].as_object().unwrap();
    let all: Vec<&String> = keys.keys().collect();
    assert_eq!(all, ["text", "id", "lang", "policy", "patient", "visit", "date", "known", "spans"]);
}

/// A gateway made for Presidio: analyzer results are passed on to the anonymizer.
#[test]
fn presidio_clients_are_answered_in_their_shapes() {
    let running = start(&config());
    let at = running.address;
    let text = "😀 Monsieur Alban KERVADEC, né le 03/05/1950 à Quimperlé, tél. 02 98 41 77 12.";
    let reply =
        post(at, "/analyze", &json!({"text": text, "language": "fr", "score_threshold": 0.1}).to_string());
    assert_eq!(reply.status, 200, "{}", reply.text());
    let found = reply.json();
    let slice = |span: &Value| -> String {
        let at = |key: &str| span[key].as_u64().unwrap() as usize;
        text.chars().skip(at("start")).take(at("end") - at("start")).collect()
    };
    let named = found.as_array().unwrap().iter().find(|f| slice(f) == SECRET).expect("the name");
    assert_eq!(
        (named["entity_type"].as_str(), named["label"].as_str()),
        (Some("PERSON"), Some("FamilyName"))
    );
    assert!(named["score"].as_f64().unwrap() > 0.1);
    let asked =
        json!({"text": text, "analyzer_results": found, "anonymizers": {"DEFAULT": {"type": "replace"}}});
    let reply = post(at, "/anonymize", &asked.to_string());
    let answer = reply.json();
    let new = answer["text"].as_str().unwrap();
    assert!(new.contains("<PERSON>") && new.contains("<DATE_TIME>") && !new.contains(SECRET), "{new}");
    assert!(answer["items"].as_array().unwrap().iter().all(|item| item["operator"] == "replace"));

    let both = json!({"text": [text, "Rien."], "language": "fr", "entities": ["PHONE_NUMBER"]}).to_string();
    let lists = post(at, "/analyze", &both).json();
    assert_eq!(lists.as_array().unwrap().len(), 2);
    assert!(lists[0].as_array().unwrap().iter().all(|f| f["entity_type"] == "PHONE_NUMBER"));

    let types = get(at, "/supportedentities?language=fr", &[]).json();
    for name in ["PERSON", "LOCATION", "DATE_TIME", "PHONE_NUMBER", "EMAIL_ADDRESS"] {
        assert!(types.as_array().unwrap().iter().any(|t| t == name), "{name}");
    }
    let health = get(at, "/health", &[]);
    assert_eq!((health.status, health.text().as_str()), (200, "Taire is up"));

    for (body, status) in [
        (json!({"text": "M. KERVADEC", "language": "en"}), 400),
        (json!({"text": "M. KERVADEC"}), 400),
        (json!({"text": "<p>M. KERVADEC</p>", "language": "fr"}), 422),
        (json!({"text": "M. KERVADEC =?utf-8?Q?x?=", "language": "fr"}), 422),
        (json!({"text": "M. KERVADEC", "language": "fr", "entities": ["KERVADEC"]}), 400),
        (json!({"text": "a", "language": "fr", "ad_hoc_recognizers": [{"name": "KERVADEC"}]}), 400),
    ] {
        let reply = post(at, "/analyze", &body.to_string());
        assert_eq!(reply.status, status, "{body}");
        assert!(!reply.text().contains(SECRET));
    }
}

/// HTML, RTF and base64 in a request come back in their form; what is not opened is refused.
#[test]
fn texts_come_back_in_the_form_they_came_in() {
    let running = start(&config());
    let sent =
        json!({"lang": "fr", "text": "<p>Monsieur Alban <b>K&eacute;RVADEC</b>,<br>né le 03/05/1950</p>"});
    let answer = post(running.address, "/v1/deid", &sent.to_string()).json();
    let (text, plain) = (answer["text"].as_str().unwrap(), answer["plain"].as_str().unwrap());
    assert!(answer["form"] == "html" && text.starts_with("<p>Monsieur ") && text.ends_with("</p>"), "{text}");
    assert!(!text.contains("RVADEC") && !plain.contains("RVADEC") && !plain.contains('<'));
    let refused = json!({"lang": "fr", "text": "PJ\nTW1lIEFsZGVnb25kZSBLRVJWQURFQyB2YSBiaWVu"}).to_string();
    let refused = post(running.address, "/v1/deid", &refused);
    assert_eq!((refused.status, refused.error().as_str()), (422, "refused"));
    assert!(refused.text().contains("line 2 of the text, column 1"), "{}", refused.text());
}
