//! A service in this process, and a client that speaks HTTP by hand over a real socket.

#![allow(dead_code)] // each test file uses its part

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;
use taire::SecretKey;
use taire_server::{Config, Server, StopHandle};

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) stop: StopHandle,
    thread: Option<JoinHandle<bool>>,
}

impl Running {
    /// Stops it; whether every request was answered.
    pub(crate) fn stop(&mut self) -> bool {
        self.stop.stop();
        self.thread.take().is_none_or(|t| t.join().expect("the service does not panic"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// One policy of rules, two threads, short times.
pub(crate) fn config() -> Config {
    let mut config = Config::new(SecretKey::from_bytes(&[7; 32]).unwrap());
    config.policies = vec!["bigeard".into()];
    config.jobs = 2;
    config
}

pub(crate) fn start(config: &Config) -> Running {
    let server = Server::bind(config).unwrap();
    let (address, stop) = (server.address(), server.stop_handle());
    let thread = thread::spawn(move || server.run().unwrap());
    Running { address, stop, thread: Some(thread) }
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
    /// Whether the body came whole.
    pub(crate) whole: bool,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn error(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

pub(crate) fn head(method: &str, path: &str, headers: &[(&str, &str)], length: Option<usize>) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str("Host: localhost\r\n");
    }
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    if let Some(length) = length {
        head.push_str(&format!("Content-Length: {length}\r\n"));
    }
    head + "\r\n"
}

pub(crate) fn read(stream: &mut impl Read) -> Reply {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65536];
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..n]);
    }
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").expect("there is an answer");
    let text = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = text.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|l| l.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let raw = &bytes[end + 4..];
    let (body, whole) = if headers.get("transfer-encoding").is_some_and(|t| t == "chunked") {
        dechunk(raw)
    } else {
        let length = headers.get("content-length").map_or(0, |n| n.parse().unwrap());
        (raw.to_vec(), raw.len() == length)
    };
    Reply { status, headers, body, whole }
}

fn dechunk(mut raw: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(end) = raw.windows(2).position(|w| w == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&raw[..end]).unwrap(), 16).unwrap();
        raw = &raw[end + 2..];
        if size == 0 {
            return (body, true);
        }
        if raw.len() < size + 2 {
            break;
        }
        body.extend_from_slice(&raw[..size]);
        raw = &raw[size + 2..];
    }
    (body, false)
}

pub(crate) fn get(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Reply {
    send(address, "GET", path, headers, None)
}

pub(crate) fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
) -> Reply {
    let mut stream = connect(address);
    stream.write_all(head(method, path, headers, body.map(<[u8]>::len)).as_bytes()).unwrap();
    // An answer may come, and the connection end, before all was sent.
    let _ = stream.write_all(body.unwrap_or_default());
    read(&mut stream)
}

pub(crate) fn post(address: SocketAddr, path: &str, body: &str) -> Reply {
    send(address, "POST", path, &[("Content-Type", "application/json")], Some(body.as_bytes()))
}

pub(crate) fn batch(address: SocketAddr, path: &str, body: &str) -> Reply {
    send(address, "POST", path, &[("Content-Type", "application/x-ndjson")], Some(body.as_bytes()))
}

/// A letter of about 3 KB, another for each number.
pub(crate) fn letter(number: usize) -> String {
    let mut text = format!(
        "CENTRE HOSPITALIER DE LANDERNEAU\nCompte rendu du {:02}/03/2019\n\nMonsieur Alban KERVADEC, né le 03/05/19{:02} à \
         Quimperlé, demeurant {} rue des Ajoncs, est suivi pour une cardiopathie ischémique.\n",
        1 + number % 28,
        30 + number % 60,
        1 + number % 90
    );
    while text.len() < 2900 {
        text.push_str(
            "Il a été hospitalisé le 12/02/2018 pour une douleur thoracique. Plaquettes 251 000/mm3, hémoglobine 13,2 g/dL, \
             traitement par bisoprolol 2,5 mg. Le Dr Sosthène LE GOFF l'a revu en consultation, joignable au \
             02.98.11.22.33.\n",
        );
    }
    text
}
