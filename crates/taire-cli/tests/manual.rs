//! `completions` and `man-pages`: what packages ship beside the program.

use std::path::Path;
use std::process::{Command, Output};

fn taire(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_taire")).args(args).output().unwrap()
}

#[test]
fn completions_know_commands_and_options() {
    for shell in ["bash", "fish", "zsh"] {
        let output = taire(&["completions", shell]);
        assert!(output.status.success(), "{shell}");
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("deid") && script.contains("refuse-below"), "{shell}");
    }
    assert_eq!(taire(&["completions", "cobol"]).status.code(), Some(2));
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man-pages");
    let _ = std::fs::remove_dir_all(&folder);
    assert!(taire(&["man-pages", "-o", folder.to_str().unwrap()]).status.success());
    for name in ["taire.1", "taire-deid.1", "taire-key-new.1", "taire-serve.1"] {
        let page = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(!folder.join("taire-man-pages.1").exists(), "a command for packages only");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-folder");
    std::fs::write(&file, "").unwrap();
    let output = taire(&["man-pages", "-o", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-folder"));
}
