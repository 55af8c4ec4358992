//! A program of another workspace uses the library as its documentation says.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of the documentation, with the lines that a function needs around it.
const PROGRAM: &str = r#"
use taire::{Deidentifier, Document, SecretKey};

fn main() -> Result<(), taire::Error> {
    let key = SecretKey::generate();                                  // or SecretKey::read("taire.key")?
    let deid = Deidentifier::builder().policy("fr").key(key).build()?;
    let out = deid.deidentify(Document::new("a", "Mme Aldegonde KERVADEC").patient("800417"))?;
    println!("{} ({} spans)", out.text(), out.spans().len());         // out.entities(): what was found, in the original
    let found = deid.detect(Document::new("b", "Dr Le Goff, Brest"))?; // entities with label, role, score, sources, reason
    assert_eq!(out.entities().len(), 2);
    assert!(found.iter().any(|e| e.label == taire::Label::City));
    let policy = taire::Policy::shipped("fr")?;
    assert_eq!(taire::Policy::from_toml(&policy.to_toml()?)?, policy);
    let error = taire::Policy::shipped("none").unwrap_err();
    assert_eq!(error.kind(), taire::ErrorKind::Policy);
    Ok(())
}
"#;

/// Where this build puts its files: the outside crate shares them, so that dependencies are not built again.
fn target_folder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors()
        .find(|folder| folder.ends_with("debug") || folder.ends_with("release"))
        .unwrap()
        .parent()
        .unwrap()
        .into()
}

#[test]
fn outside_crate_compiles_and_runs_the_documented_program() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let workspace = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    // The profiles of the workspace, without which everything would be built once more.
    let profiles = &workspace[workspace.find("[profile.").unwrap()..];
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\ntaire = {{ path = {:?} }}\n\n\
         [workspace]\n\n{profiles}",
        here.to_str().unwrap()
    );
    std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/main.rs"), PROGRAM).unwrap();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let done = Command::new(cargo)
        .args(["run", "--offline", "--quiet"])
        .current_dir(folder.path())
        .env("CARGO_TARGET_DIR", target_folder())
        .output()
        .unwrap();
    let (said, shown) = (String::from_utf8_lossy(&done.stderr), String::from_utf8_lossy(&done.stdout));
    assert!(done.status.success(), "{said}");
    assert!(shown.ends_with("(2 spans)\n") && !shown.contains("KERVADEC"), "{shown}");
}
