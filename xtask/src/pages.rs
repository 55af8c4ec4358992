//! `cargo xtask pages`: documents of `examples/` before and after, one page a policy in `docs/before-after/`, under a
//! published key.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Published, so it protects nobody.
const DEMO_KEY: &str = "74616972653a207075626c6973686564206b65792c2068696465206e6f6e6521";

const FRENCH: &[&str] = &[
    "lettre-neurologie.txt",
    "dossier-0417/01-courrier-adressage.txt",
    "dossier-0417/02-cr-hospitalisation.txt",
    "dossier-0417/05-lettre-sortie.txt",
    "consultation-pediatrie.txt",
    "urgences-capitales.txt",
];
const SPANISH: &[&str] = &[
    "carta-pediatria.txt",
    "informe-alta.txt",
    "historia-3021/consulta-2018.txt",
    "historia-3021/revision-2019.txt",
    "urgencias.txt",
];

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!("unknown option `{arg}`; pages takes none"));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    build()?;
    let binary = target.join("release/taire");
    let folder = target.join("pages");
    let key = demo_key(&folder)?;
    let pages = Path::new("docs/before-after");
    fs::create_dir_all(pages).map_err(|e| format!("{}: {e}", pages.display()))?;
    let mut policies: Vec<String> = fs::read_dir("policies")
        .map_err(|e| format!("policies: {e}"))?
        .filter_map(|e| Some(e.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    // The policies with a transformer are left out: they are slow, and differ from the others only in what they find.
    policies.retain(|policy| !policy.ends_with("-deep"));
    policies.sort();
    for policy in &policies {
        let spanish = matches!(policy.as_str(), "es" | "cordoba");
        let (language, documents) = if spanish { ("es", SPANISH) } else { ("fr", FRENCH) };
        let out = folder.join(policy);
        let _ = fs::remove_dir_all(&out);
        let status = Command::new(&binary)
            .arg("deid")
            .arg(Path::new("examples").join(language))
            .arg("-o")
            .arg(&out)
            .args(["--policy", policy, "--quiet", "--keep-ids", "--key"])
            .arg(&key)
            .stdout(Stdio::null())
            .status()
            .map_err(|e| format!("{}: {e}", binary.display()))?;
        if !status.success() {
            return Err(format!("`taire deid --policy {policy}` ended with {status}"));
        }
        let page = page(policy, language, documents, &out)?;
        let path = pages.join(format!("{policy}.md"));
        fs::write(&path, page).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Builds the program that is shown and measured.
pub(crate) fn build() -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "taire-cli"])
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err("the program does not build".to_owned()) }
}

/// A file with the published key.
pub(crate) fn demo_key(folder: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = folder.join("demo.key");
    let _ = fs::remove_file(&path);
    let digits: String = DEMO_KEY.chars().filter(char::is_ascii_hexdigit).collect();
    let bytes: Vec<u8> = (0..digits.len() / 2)
        .filter_map(|i| u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok())
        .collect();
    let key = taire_surrogate::SecretKey::from_bytes(&bytes).map_err(|e| e.to_string())?;
    key.write_new(&path).map_err(|e| e.to_string())?;
    Ok(path)
}

fn page(policy: &str, language: &str, documents: &[&str], out: &Path) -> Result<String, String> {
    let mut text = format!(
        "# Policy `{policy}`, before and after\n\nMade by `cargo xtask pages` from `examples/{language}/`, whose people are \
         invented, under a published key. Your key gives other people.\n"
    );
    for document in documents {
        let read = |path: PathBuf| fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()));
        let before = read(Path::new("examples").join(language).join(document))?;
        let after = read(out.join(document))?;
        let _ = writeln!(text, "\n## {document}\n\n| before | after |\n|---|---|");
        let cell = |line: &str| line.trim().replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*");
        let (mut a, mut b) = (before.lines(), after.lines());
        loop {
            match (a.next(), b.next()) {
                (None, None) => break,
                (before, after) => {
                    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
                    if !(before.trim().is_empty() && after.trim().is_empty()) {
                        let _ = writeln!(text, "| {} | {} |", cell(before), cell(after));
                    }
                }
            }
        }
    }
    Ok(text)
}
