//! `cargo xtask office`: letters as LibreOffice writes them, through `taire deid`, and nothing of the identity left.
//!
//! One letter with everything word processors hide names in (`letter.fodt`: header, footer, nested tables, comments,
//! tracked changes, a text box, hidden text, notes, fields, bookmarks, links, properties, names of styles) is converted to
//! each format and treated with its identity file. Every part of every output is searched for every string of that file,
//! as bytes, as UTF-16, without markup and with escapes undone; LibreOffice then opens the outputs again, and what it
//! reads is searched too. `target/office` keeps the letters and the Word file printed before and after, to be looked at.

mod search;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LETTER: &str = include_str!("letter.fodt");
const IDENTITY: &str = include_str!("identity.json");
const FORMATS: [&str; 6] = ["doc", "docx", "rtf", "odt", "pdf", "html"];
/// What must come through.
const KEPT: [&str; 6] = [
    "maladie de Basedow",
    "furosémide 40 mg le matin",
    "signe de Babinski absent",
    "Score de Framingham",
    "FEVG 35 %",
    "plaquettes 251 000/mm3",
];

/// Runs the chore.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!("unknown option `{arg}`; office takes none"));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let folder = std::path::absolute(target.join("office")).map_err(|e| e.to_string())?;
    let binary = match std::env::var_os("TAIRE_BIN") {
        Some(given) => PathBuf::from(given),
        None => {
            crate::pages::build()?;
            target.join("release/taire")
        }
    };
    let _ = fs::remove_dir_all(&folder);
    let put = |path: PathBuf, content: &str| {
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, content))
            .map_err(|e| format!("{}: {e}", path.display()))
    };
    put(folder.join("letter.fodt"), LETTER)?;
    put(folder.join("in/identity.json"), IDENTITY)?;
    let key = crate::pages::demo_key(&folder)?;
    for format in FORMATS {
        convert(&folder.join("letter.fodt"), format, &folder.join("in").join(format))?;
    }
    // A page is saved with its drawings as pictures beside it, which are not documents.
    let _ =
        Command::new("sh").args(["-c", "rm -f in/html/*.gif in/html/*.png"]).current_dir(&folder).status();
    let secrets = search::Secrets::of(IDENTITY)?;
    for format in FORMATS {
        let path = folder.join("in").join(format).join(format!("letter.{format}"));
        if format != "pdf" && secrets.found(&read(&path)?).is_empty() {
            return Err(format!(
                "the search finds nothing in the original .{format}: it would find nothing anywhere"
            ));
        }
    }
    deid(&binary, &folder, &key)?;
    for format in FORMATS {
        let name = if matches!(format, "doc" | "pdf") {
            format!("letter.{format}.txt")
        } else {
            format!("letter.{format}")
        };
        let path = folder.join("out").join(format).join(name);
        let again = folder.join("again").join(format);
        convert(&path, "txt:Text (encoded):UTF8", &again)?;
        let shown = read(&again.join(path.with_extension("txt").file_name().unwrap_or_default()))?;
        for (what, bytes) in [("what was written", read(&path)?), ("what LibreOffice reads", shown.clone())] {
            let found = secrets.found(&bytes);
            if !found.is_empty() {
                return Err(format!(".{format}: {} left in {what}", found.join(", ")));
            }
        }
        // As plain text LibreOffice leaves out notes, and what follows a nested table of its own RTF; the file has them.
        let shown = String::from_utf8_lossy(&shown).into_owned() + &search::text(&read(&path)?);
        if let Some(lost) = KEPT.iter().find(|kept| !shown.contains(**kept)) {
            return Err(format!(".{format}: `{lost}` is lost"));
        }
        println!(
            ".{format}: {} parts searched, nothing left, all medicine kept",
            search::parts(&read(&path)?).len()
        );
    }
    convert(&folder.join("in/docx/letter.docx"), "pdf", &folder.join("before"))?;
    convert(&folder.join("out/docx/letter.docx"), "pdf", &folder.join("after"))?;
    println!("to be looked at: {0}/before/letter.pdf, {0}/after/letter.pdf", folder.display());
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn convert(path: &Path, to: &str, folder: &Path) -> Result<(), String> {
    let status = Command::new("soffice")
        .args(["--headless", "--convert-to", to, "--outdir"])
        .arg(folder)
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|e| format!("soffice: {e}; install LibreOffice Writer"))?;
    status.success().then_some(()).ok_or(format!("{} is not converted to {to}", path.display()))
}

fn deid(binary: &Path, folder: &Path, key: &Path) -> Result<(), String> {
    let status = Command::new(binary)
        .arg("deid")
        .arg(folder.join("in"))
        .arg("-o")
        .arg(folder.join("out"))
        .arg("--key")
        .arg(key)
        .args(["--quiet", "--keep-ids"])
        .status()
        .map_err(|e| format!("{}: {e}", binary.display()))?;
    status.success().then_some(()).ok_or("a letter was refused".into())
}
