//! `cargo xtask load`: the service under many clients at once, written to `scores/serve.md`.
//!
//! Four measures against one running `taire serve`: one client alone; clients that each post a note now and then, timed from
//! the moment each note was due; the same beside a 10 MB note and a client that sends byte by byte; and clients that post
//! without pause, which tells how much the machine can do and how long one waits when it has more than that to do.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const NOTE_BYTES: usize = 3000;
const LARGE_BYTES: usize = 10 << 20;
const ALONE: usize = 200;
const MOST_TIMES: f64 = 20.0;

struct Options {
    seconds: u64,
    clients: usize,
    pause: f64,
}

impl Options {
    fn parse(args: &[String]) -> Result<Options, String> {
        let mut options = Options { seconds: 60, clients: 200, pause: 4.0 };
        for pair in args.chunks(2) {
            let wrong = || format!("`{}` takes a number; load takes --seconds, --clients, --pause", pair[0]);
            let value = pair.get(1).ok_or_else(wrong)?;
            match pair[0].as_str() {
                "--seconds" => options.seconds = value.parse().map_err(|_| wrong())?,
                "--clients" => options.clients = value.parse().map_err(|_| wrong())?,
                "--pause" => options.pause = value.parse().map_err(|_| wrong())?,
                _ => return Err(wrong()),
            }
        }
        Ok(options)
    }
}

/// A service of its own process, ended with this value.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Service {
    pub(crate) fn start() -> Result<Service, String> {
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
        crate::pages::build()?;
        let folder = target.join("serve");
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let key = crate::pages::demo_key(&folder)?;
        let mut child = Command::new(target.join("release/taire"))
            .args(["serve", "--port", "0", "--key"])
            .arg(key)
            .env_remove("TAIRE_API_KEYS")
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("the service does not start: {e}"))?;
        let stderr = child.stderr.take().ok_or("the service has no standard error")?;
        let mut lines = BufReader::new(stderr).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.split_once("http://").and_then(|(_, address)| address.trim().parse().ok()));
        thread::spawn(move || lines.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
        let address = address.ok_or("the service did not say where it listens")?;
        Ok(Service { child, address })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Posts a note over an open connection; whether it was answered with 200 and a whole body.
fn post(stream: &mut TcpStream, body: &str) -> bool {
    let head = format!(
        "POST /v1/deid HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    if stream.write_all([head.as_bytes(), body.as_bytes()].concat().as_slice()).is_err() {
        return false;
    }
    let mut got = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        match stream.read(&mut buffer) {
            Ok(n @ 1..) => got.extend_from_slice(&buffer[..n]),
            _ => return false,
        }
        let Some(end) = got.windows(4).position(|w| w == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&got[..end]);
        let length = head.lines().find_map(|l| l.strip_prefix("content-length: ")?.parse::<usize>().ok());
        let Some(length) = length else { return false };
        if got.len() >= end + 4 + length {
            return head.starts_with("HTTP/1.1 200");
        }
    }
}

fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let stream = TcpStream::connect(address).map_err(|e| format!("no connection: {e}"))?;
    stream.set_read_timeout(Some(Duration::from_secs(120))).map_err(|e| e.to_string())?;
    stream.set_nodelay(true).map_err(|e| e.to_string())?;
    Ok(stream)
}

/// Letters of `examples/`, cut and joined to the size wanted, as bodies of requests.
fn notes(bytes: usize, count: usize) -> Result<Vec<String>, String> {
    let texts = crate::scale::texts()?;
    let note = |number: usize| {
        let mut text = format!("Lettre {number}\n");
        for letter in texts.iter().cycle().skip(number % texts.len().max(1)) {
            if text.len() >= bytes {
                break;
            }
            text.push_str(letter);
        }
        let end = (0..=bytes.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        serde_json::json!({"id": format!("n{number}"), "text": &text[..end], "lang": "fr"}).to_string()
    };
    Ok((0..count).map(note).collect())
}

/// What clients saw.
#[derive(Default)]
struct Seen {
    times: Vec<f64>,
    errors: usize,
}

impl Seen {
    fn at(&self, share: f64) -> f64 {
        let last = self.times.len().saturating_sub(1);
        self.times.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
    }
}

/// Lets `clients` post for a time, each with `pause` between two notes; times count from when a note was due.
fn crowd(
    address: SocketAddr,
    notes: &Arc<Vec<String>>,
    clients: usize,
    seconds: f64,
    pause: f64,
) -> Result<Seen, String> {
    let begin = Instant::now() + Duration::from_millis(500);
    let end = begin + Duration::from_secs_f64(seconds);
    let mut threads = Vec::new();
    for client in 0..clients {
        let notes = notes.clone();
        let work = move || {
            let mut seen = Seen::default();
            let Ok(mut stream) = connect(address) else { return Seen { errors: 1, ..seen } };
            let mut due = begin + Duration::from_secs_f64(pause * client as f64 / clients as f64);
            let mut number = client;
            while due < end {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                number += 1;
                if post(&mut stream, &notes[number % notes.len()]) {
                    seen.times.push(due.elapsed().as_secs_f64());
                } else {
                    seen.errors += 1;
                    match connect(address) {
                        Ok(again) => stream = again,
                        Err(_) => break,
                    }
                }
                due = if pause > 0.0 { due + Duration::from_secs_f64(pause) } else { Instant::now() };
            }
            seen
        };
        let thread = thread::Builder::new().stack_size(256 << 10).spawn(work);
        threads.push(thread.map_err(|e| format!("cannot start a client: {e}"))?);
    }
    let mut all = Seen::default();
    for thread in threads {
        let seen = thread.join().map_err(|_| "a client failed")?;
        all.times.extend(seen.times);
        all.errors += seen.errors;
    }
    all.times.sort_by(f64::total_cmp);
    Ok(all)
}

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let options = Options::parse(args)?;
    let others = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let others = others.split(' ').next().unwrap_or_default().to_owned();
    let service = Service::start()?;
    let address = service.address;
    let notes = Arc::new(notes(NOTE_BYTES, 500)?);
    let mut stream = connect(address)?;
    let mut alone = Seen::default();
    for note in notes.iter().cycle().take(ALONE + 20) {
        let started = Instant::now();
        if !post(&mut stream, note) {
            return Err("a single request failed".into());
        }
        alone.times.push(started.elapsed().as_secs_f64());
    }
    // The first ones fill caches.
    alone.times.drain(..20);
    alone.times.sort_by(f64::total_cmp);
    let (clients, seconds) = (options.clients, options.seconds as f64);
    eprintln!("xtask load: {clients} clients for {seconds} s");
    let paced = crowd(address, &notes, clients, seconds, options.pause)?;
    eprintln!("xtask load: the same beside a large note and a slow client");
    let large = self::notes(LARGE_BYTES, 1)?;
    let heavy = thread::spawn(move || {
        thread::sleep(Duration::from_secs(2));
        let started = Instant::now();
        let done = connect(address).is_ok_and(|mut stream| post(&mut stream, &large[0]));
        (done, started.elapsed().as_secs_f64())
    });
    thread::spawn(move || {
        let Ok(mut stream) = connect(address) else { return };
        let head = b"POST /v1/deid HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{";
        let _ = stream.write_all(head);
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(100));
        }
    });
    let beside = crowd(address, &notes, clients, seconds / 2.0, options.pause)?;
    let (heavy_done, heavy_took) = heavy.join().map_err(|_| "the large note failed")?;
    eprintln!("xtask load: without pause");
    let full_seconds = (seconds / 4.0).max(1.0);
    let full = crowd(address, &notes, clients, full_seconds, 0.0)?;
    drop(service);

    let single = alone.at(0.5);
    let mut out = format!(
        "# The service under load\n\nMade by `cargo xtask load --seconds {} --clients {clients} --pause {}`: notes of {NOTE_BYTES} \
         bytes to `/v1/deid`, policy `fr`, over open connections, clients on the same machine ({} cores, load average {others} from other work before it began). Milliseconds from \
         when a note was due to its whole answer.\n\n\
         | | notes | errors | notes a second | median | p99 | p99, times one alone |\n|---|---:|---:|---:|---:|---:|---:|\n",
        options.seconds,
        options.pause,
        thread::available_parallelism().map_or(1, usize::from),
    );
    let mut row = |name: &str, seen: &Seen, seconds: f64| {
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {:.0} | {:.1} | {:.1} | {:.1} |",
            seen.times.len(),
            seen.errors,
            seen.times.len() as f64 / seconds,
            1e3 * seen.at(0.5),
            1e3 * seen.at(0.99),
            seen.at(0.99) / single
        );
    };
    row("one client alone", &alone, alone.times.iter().sum());
    let every = format!("{clients} clients, each a note every {} s", options.pause);
    row(&every, &paced, seconds);
    row("the same, beside a 10 MB note and a slow client", &beside, seconds / 2.0);
    row(&format!("{clients} clients without pause"), &full, full_seconds);
    let _ = write!(
        out,
        "\nThe 10 MB note was {} after {heavy_took:.1} s. Clients without pause wait for each other: with more of them than \
         cores, one waits about as many times longer as there are clients for each core, whatever the service does.\n",
        if heavy_done { "answered" } else { "not answered" }
    );
    fs::create_dir_all("scores").map_err(|e| e.to_string())?;
    fs::write("scores/serve.md", &out).map_err(|e| format!("scores/serve.md: {e}"))?;
    print!("{out}");
    let errors = paced.errors + beside.errors + full.errors;
    if errors > 0 || !heavy_done {
        return Err(format!("{errors} requests failed"));
    }
    let times = paced.at(0.99) / single;
    if times > MOST_TIMES {
        return Err(format!("p99 is {times:.1} times a single request; at most {MOST_TIMES}"));
    }
    Ok(())
}
