//! Many at once: order, back-pressure, slow clients, large notes beside small ones, a stop in the middle.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use common::{batch, config, connect, head, letter, post, read, start};
use serde_json::{Value, json};

const JSON: [(&str, &str); 1] = [("Content-Type", "application/json")];

fn body(number: usize) -> String {
    json!({"id": format!("n{number}"), "text": letter(number)}).to_string()
}

#[test]
fn a_batch_answers_every_line_in_order_as_one_by_one() {
    let running = start(&config());
    let mut lines: Vec<String> = (0..60).map(body).collect();
    lines[7] = "no json".into();
    lines[9] = String::new();
    lines[11] = json!({"id": "n11", "text": "a", "policy": "none"}).to_string();
    let reply = batch(running.address, "/v1/batch", &lines.join("\n"));
    assert!(reply.whole && reply.status == 200);
    let text = reply.text();
    let answers: Vec<&str> = text.lines().collect();
    assert_eq!(answers.len(), 59);
    // The ids of `deid` are surrogates: those of the same documents one by one tell the order.
    let new_id = |i: usize| {
        let alone =
            post(running.address, "/v1/deid", &json!({"id": format!("n{i}"), "text": "RAS."}).to_string());
        serde_json::from_str::<Value>(&alone.text()).unwrap()["id"].clone()
    };
    for (answer, (i, line)) in answers.iter().zip(lines.iter().enumerate().filter(|(i, _)| *i != 9)) {
        let value: Value = serde_json::from_str(answer).unwrap();
        match i {
            7 => assert_eq!((&value["line"], &value["error"]["code"]), (&json!(8), &json!("bad_json"))),
            11 => {
                assert_eq!((&value["id"], &value["error"]["code"]), (&new_id(11), &json!("unknown_policy")))
            }
            _ if i % 10 == 0 => assert_eq!(post(running.address, "/v1/deid", line).text(), *answer),
            _ => assert_eq!(value["id"], new_id(i)),
        }
    }
}

#[test]
fn a_line_too_long_loses_itself_only() {
    let mut config = config();
    config.limits.document_bytes = 5_000;
    let running = start(&config);
    let long = json!({"text": "a ".repeat(20_000)}).to_string();
    let reply = batch(running.address, "/v1/batch?task=detect", &format!("{}\n{long}\n{}", body(1), body(2)));
    let text = reply.text();
    let codes: Vec<Value> =
        text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["error"]["code"].clone()).collect();
    assert_eq!(codes, [Value::Null, json!("too_large"), Value::Null]);
}

#[test]
fn a_client_that_does_not_read_is_held_back_and_stops_nobody() {
    let mut config = config();
    config.limits.timeout = Duration::from_secs(2);
    let running = start(&config);
    let mut stream = connect(running.address);
    let headers = [("Content-Type", "application/x-ndjson"), ("Transfer-Encoding", "chunked")];
    stream.write_all(head("POST", "/v1/batch?task=detect", &headers, None).as_bytes()).unwrap();
    stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    // Large plain lines cost little to treat and fill what may be held.
    let line = json!({"text": "a ".repeat(100_000)}).to_string() + "\n";
    let chunk = format!("{:x}\r\n{line}\r\n", line.len());
    let sent = (0..1000).take_while(|_| stream.write_all(chunk.as_bytes()).is_ok()).count();
    assert!(sent < 400, "{sent} lines of 200 KB were taken from a client that reads nothing");
    assert_eq!(post(running.address, "/v1/deid", &body(1)).status, 200);
    // Its connection ends, and what was made for it goes.
    thread::sleep(Duration::from_secs(3));
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(!rest.ends_with(b"0\r\n\r\n"));
    assert_eq!(batch(running.address, "/v1/batch", &body(1)).status, 200);
}

#[test]
fn slow_clients_are_refused_and_block_nobody() {
    let mut config = config();
    config.limits.timeout = Duration::from_secs(3);
    let running = start(&config);
    let mut slow: Vec<_> = (0..20).map(|_| connect(running.address)).collect();
    for (i, stream) in slow.iter_mut().enumerate() {
        let whole = head("POST", "/v1/deid", &JSON, Some(100));
        let part = if i % 2 == 0 { whole.as_str() } else { &whole[..20] };
        stream.write_all(part.as_bytes()).unwrap();
    }
    let mut stalled = connect(running.address);
    let lines = [("Content-Type", "application/x-ndjson")];
    stalled.write_all(head("POST", "/v1/batch", &lines, Some(100)).as_bytes()).unwrap();
    stalled.write_all(b"{\"text\":\"a\"}\n").unwrap();
    assert_eq!(post(running.address, "/v1/deid", &body(1)).status, 200);
    for (i, stream) in slow.iter_mut().enumerate() {
        if i % 2 == 0 {
            assert_eq!(read(stream).status, 408);
        } else {
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"));
        }
    }
    let cut = read(&mut stalled);
    assert!(!cut.whole && cut.text().contains("\"spans\"") && cut.text().contains("slow_client"));
}

#[test]
fn a_request_that_takes_too_long_times_out() {
    let mut config = config();
    config.jobs = 1;
    config.limits.timeout = Duration::from_millis(20);
    let running = start(&config);
    let large = json!({"text": (0..1200).map(letter).collect::<String>()}).to_string();
    let mut stream = connect(running.address);
    stream.write_all(head("POST", "/v1/deid", &JSON, Some(large.len())).as_bytes()).unwrap();
    let _ = stream.write_all(large.as_bytes());
    let reply = read(&mut stream);
    assert!(matches!(reply.status, 408 | 504), "{}", reply.status);
    assert!(!reply.text().contains("KERVADEC"));
}

#[test]
fn a_large_note_does_not_hold_up_small_ones() {
    let mut config = config();
    config.jobs = 1;
    let running = start(&config);
    let address = running.address;
    let large = json!({"text": (0..900).map(letter).collect::<String>()}).to_string();
    let big = thread::spawn(move || {
        let reply = post(address, "/v1/deid", &large);
        (reply.status, reply.whole, Instant::now())
    });
    thread::sleep(Duration::from_millis(50));
    let small = (0..10).map(|i| post(address, "/v1/deid", &body(i)).status).filter(|s| *s == 200).count();
    let small_done = Instant::now();
    let (status, whole, big_done) = big.join().unwrap();
    assert_eq!((small, status, whole), (10, 200, true));
    assert!(small_done < big_done, "ten small notes waited for one of 2.6 MB");
}

/// A request that the service has begun to read: it was asked whether to send the body, and said yes.
fn begun(address: SocketAddr, path: &str, kind: &str, length: usize) -> TcpStream {
    let mut stream = connect(address);
    let headers = [("Content-Type", kind), ("Expect", "100-continue")];
    stream.write_all(head("POST", path, &headers, Some(length)).as_bytes()).unwrap();
    let mut yes = [0; 25];
    stream.read_exact(&mut yes).unwrap();
    assert_eq!(&yes, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

#[test]
fn a_stop_answers_what_is_under_way_and_takes_nothing_new() {
    let mut config = config();
    config.limits.grace = Duration::from_secs(300);
    let mut running = start(&config);
    let address = running.address;
    let large = json!({"text": (0..100).map(letter).collect::<String>()}).to_string();
    let lines = (0..40).map(body).collect::<Vec<_>>().join("\n");
    let mut under_way: Vec<_> = (0..3)
        .map(|_| (begun(address, "/v1/deid", "application/json", large.len()), large.clone()))
        .collect();
    under_way.push((begun(address, "/v1/batch", "application/x-ndjson", lines.len()), lines));
    let idle = connect(address);
    running.stop.stop();
    let clients: Vec<_> = under_way
        .into_iter()
        .map(|(mut stream, body)| {
            thread::spawn(move || {
                stream.write_all(body.as_bytes()).unwrap();
                read(&mut stream)
            })
        })
        .collect();
    let replies: Vec<_> = clients.into_iter().map(|c| c.join().unwrap()).collect();
    assert!(replies.iter().all(|r| r.status == 200 && r.whole));
    assert_eq!(replies[3].text().lines().count(), 40);
    assert!(running.stop());
    assert!(TcpStream::connect(address).is_err());
    drop(idle);
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let mut config = config();
    config.limits.grace = Duration::from_millis(200);
    let mut running = start(&config);
    let _stream = begun(running.address, "/v1/deid", "application/json", 100);
    let begun = Instant::now();
    assert!(!running.stop());
    assert!(begun.elapsed() < Duration::from_secs(10));
}

/// Lines of the audit log, once there are so many.
fn audit_lines(path: &std::path::Path, count: usize) -> Vec<Value> {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        if lines.len() >= count || Instant::now() > until {
            return lines;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Defect: the handler of a client that had hung up was dropped before it wrote its line, and its work went on.
#[test]
fn a_client_that_hangs_up_is_in_the_audit_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config();
    config.jobs = 1;
    config.audit = Some(folder.path().join("audit"));
    let running = start(&config);
    let large = json!({"text": (0..1500).map(letter).collect::<String>()}).to_string();
    let mut stream = connect(running.address);
    stream.write_all(head("POST", "/v1/deid", &JSON, Some(large.len())).as_bytes()).unwrap();
    stream.write_all(large.as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(100));
    drop(stream);
    let mut waiting = connect(running.address);
    waiting.write_all(head("POST", "/v1/deid", &JSON, Some(100)).as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(100));
    drop(waiting);
    let lines = audit_lines(&folder.path().join("audit"), 2);
    assert_eq!(lines.len(), 2, "{lines:?}");
    for line in &lines {
        assert!(line["status"] == 499 && line["error"] == "cut" || line["status"] == 400, "{line}");
    }
    assert!(lines.iter().any(|line| line["status"] == 499));
    assert_eq!(post(running.address, "/v1/deid", &body(1)).status, 200);
}

/// Defect: a stop waited for the document under way, however long that took.
#[test]
fn a_stop_ends_within_its_grace_time_beside_heavy_work() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config();
    config.jobs = 1;
    config.audit = Some(folder.path().join("audit"));
    config.limits.grace = Duration::from_secs(1);
    config.limits.timeout = Duration::from_secs(600);
    let mut running = start(&config);
    let large = json!({"text": (0..6000).map(letter).collect::<String>()}).to_string();
    let mut stream = connect(running.address);
    stream.write_all(head("POST", "/v1/deid", &JSON, Some(large.len())).as_bytes()).unwrap();
    stream.write_all(large.as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(200));
    let stopped = Instant::now();
    let answered = running.stop();
    assert!(stopped.elapsed() < Duration::from_millis(1500), "{:?}", stopped.elapsed());
    let lines = audit_lines(&folder.path().join("audit"), 1);
    assert_eq!(lines.len(), 1);
    assert!(answered || lines[0]["error"] == "cut", "{}", lines[0]);
}

#[test]
fn many_clients_get_each_their_own() {
    let running = start(&config());
    let address = running.address;
    let expected: Vec<String> = (0..10).map(|i| post(address, "/v1/deid", &body(i)).text()).collect();
    let clients: Vec<_> = (0..50)
        .map(|i| {
            let expected = expected[i % 10].clone();
            thread::spawn(move || (0..2).all(|_| post(address, "/v1/deid", &body(i % 10)).text() == expected))
        })
        .collect();
    assert!(clients.into_iter().all(|c| c.join().unwrap()));
}
