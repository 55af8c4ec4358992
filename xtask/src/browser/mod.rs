//! `cargo xtask browser`: a whole review in Debian's Chromium, by the keyboard alone.
//!
//! Playwright and axe are installed under `target/browser` by their lock file, Chromium by the system. The page is served
//! by the program itself on an invented corpus; `review.mjs` tells what is done and what must come out. Screenshots are in
//! `target/browser/screenshots`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

const FILES: &[(&str, &str)] = &[
    ("package.json", include_str!("package.json")),
    ("package-lock.json", include_str!("package-lock.json")),
    ("kit.mjs", include_str!("kit.mjs")),
    ("review.mjs", include_str!("review.mjs")),
];

const CHROMIUM: &str = "/usr/bin/chromium";

/// Patterns alone: what they find in the letters does not change with models and lists.
const POLICY: &str = "name = \"patterns\"\n[detect]\nsources = [\"pattern\"]\n";

const LETTERS: &[(&str, &str, &str)] = &[
    (
        "lettre-1",
        "P-01",
        "Bonjour,\n\nJ'ai vu Mme Solange KERVADEC, née le 12/03/1951, pour une toux 😀 qui dure. Elle vit au manoir Zorglub, \
         à Kerbrumeux.\nTél. : 02 98 12 34 56, accueil@exemple.fr\n\nRetour à Kerbrumeux le 14 mai 2019.\n\nDr Paul LE GALL\n",
    ),
    (
        "lettre-2",
        "P-01",
        "Mme KERVADEC est revue de Kerbrumeux le 21 juin 2019 ; la toux a cédé. Dr LE GALL\n",
    ),
    ("lettre-3", "P-02", "M. Jean MORVAN, 64 ans, chauffeur à Kerbrumeux, consulte pour une lombalgie.\n"),
    ("lettre-4", "P-03", "Compte rendu : examen sans particularité, prochain contrôle dans six mois.\n"),
];

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let binary = match args {
        [] => {
            crate::pages::build()?;
            target.join("release/taire")
        }
        [option, path] if option == "--binary" => PathBuf::from(path),
        _ => return Err("browser takes --binary PATH, or nothing to build and try the program".into()),
    };
    install(&target)?;
    review(&target, &binary)
}

/// What the test needs and may not be there: Chromium, Node, two packages.
pub(crate) fn install(target: &Path) -> Result<(), String> {
    let mut missing: Vec<&str> = Vec::new();
    if !Path::new(CHROMIUM).exists() {
        missing.push("chromium");
    }
    if !Command::new("npm").arg("--version").output().is_ok_and(|o| o.status.success()) {
        missing.extend(["nodejs", "npm"]);
    }
    if !missing.is_empty() {
        crate::debian::install("browser", &missing)?;
        if !Path::new(CHROMIUM).exists() {
            return Err("chromium was installed and is not where it is looked for".into());
        }
    }
    let folder = target.join("browser");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let lock = folder.join("package-lock.json");
    let fresh = FILES.iter().any(|(name, text)| {
        *name == "package-lock.json" && fs::read_to_string(&lock).is_ok_and(|t| t == *text)
    }) && folder.join("node_modules/.package-lock.json").exists();
    for (name, text) in FILES {
        fs::write(folder.join(name), text).map_err(|e| format!("{name}: {e}"))?;
    }
    if fresh {
        return Ok(());
    }
    let done = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .status();
    match done {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("playwright-core and axe-core could not be installed by npm ({status})")),
        Err(error) => {
            Err(format!("npm could not be started: {error}; run `apt-get install nodejs npm` as root"))
        }
    }
}

/// The test itself, of a program that is built.
pub(crate) fn review(target: &Path, binary: &Path) -> Result<(), String> {
    let folder = std::path::absolute(target.join("browser")).map_err(|e| e.to_string())?;
    let page = Page::start(&folder, binary)?;
    let status = Command::new("node")
        .arg("review.mjs")
        .arg(&page.address)
        .arg(&folder)
        .arg(CHROMIUM)
        .current_dir(&folder)
        .status()
        .map_err(|e| format!("node could not be started: {e}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!(
            "the review in the browser failed ({status}); see {}",
            folder.join("screenshots").display()
        )),
    }
}

/// A page of its own process, ended with this value.
struct Page {
    child: Child,
    address: String,
}

impl Page {
    fn start(folder: &Path, binary: &Path) -> Result<Page, String> {
        let corpus = folder.join("corpus");
        let state = folder.join("state");
        for old in ["state", "state-wal", "state-shm"] {
            let _ = fs::remove_file(folder.join(old));
        }
        for old in ["out", "out.private"] {
            let _ = fs::remove_dir_all(folder.join(old));
        }
        fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
        let line = |(id, patient, text): &(&str, &str, &str)| {
            serde_json::json!({"id": id, "patient": patient, "text": text}).to_string()
        };
        let lines: Vec<String> = LETTERS.iter().map(line).collect();
        let put = |name: &str, bytes: &[u8]| {
            fs::write(corpus.join(name), bytes).map_err(|e| format!("{name}: {e}"))
        };
        put("letters.jsonl", lines.join("\n").as_bytes())?;
        let policy = folder.join("policy.toml");
        fs::write(&policy, POLICY).map_err(|e| format!("{}: {e}", policy.display()))?;
        // Something that cannot be read, so that it must be reported.
        put("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")?;
        let key = crate::pages::demo_key(folder)?;
        let mut child = Command::new(binary)
            .args(["review", "--port", "0", "--reviewer", "Dr Martin", "--lang", "fr", "--state"])
            .arg(&state)
            .arg("--policy")
            .arg(&policy)
            .arg("-o")
            .arg(folder.join("out"))
            .arg("--key")
            .arg(key)
            .arg(&corpus)
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("the page does not start: {e}"))?;
        let stderr = child.stderr.take().ok_or("the page has no standard error")?;
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let address =
            lines.find_map(|line| line.split(' ').find(|w| w.starts_with("http://")).map(str::to_owned));
        thread::spawn(move || lines.for_each(|line| eprintln!("{line}")));
        match address {
            Some(address) => Ok(Page { child, address }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                Err("the page did not say where it is".into())
            }
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
