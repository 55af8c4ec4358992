//! Debian packages that a check needs and that may not be there.

use std::process::{Command, Stdio};

/// Installs packages, once; says which command does it where that fails.
pub(crate) fn install(chore: &str, packages: &[&str]) -> Result<(), String> {
    let names = packages.join(" ");
    eprintln!("xtask {chore}: installing {names}, once");
    let apt = |args: &[&str]| {
        Command::new("apt-get")
            .args(args)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    apt(&["update", "-qq"]);
    let install = ["install", "-y", "-qq", "--no-install-recommends"];
    match apt(&[&install[..], packages].concat()) {
        true => Ok(()),
        false => Err(format!("{names} could not be installed; run `apt-get install {names}` as root")),
    }
}
