//! `cargo xtask schemathesis`: thousands of made-up requests against the service, right and wrong ones, drawn from its own
//! description. Schemathesis is installed under `target/`.

use std::path::PathBuf;
use std::process::Command;

const HOOKS: &str = include_str!("schemathesis.py");
const VERSION: &str = "4.32.5";

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let venv = target.join("schemathesis");
    let tool = std::path::absolute(venv.join("bin/schemathesis")).map_err(|e| e.to_string())?;
    let step = |command: &mut Command| match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("schemathesis: {status}")),
        Err(error) => Err(format!("schemathesis could not be started: {error}")),
    };
    if !tool.exists() {
        step(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        let package = format!("schemathesis=={VERSION}");
        step(Command::new(venv.join("bin/pip")).args(["install", "--quiet", &package]))?;
    }
    let service = crate::load::Service::start()?;
    let description = format!("http://{}/v1/openapi.json", service.address);
    let mut command = Command::new(&tool);
    command.args(["run", &description, "--max-examples", "100", "--seed", "1", "--no-color"]).args(args);
    std::fs::write(venv.join("taire_hooks.py"), HOOKS).map_err(|e| format!("{}: {e}", venv.display()))?;
    // What it keeps between runs goes where it was installed.
    command.current_dir(&venv).env("SCHEMATHESIS_HOOKS", "taire_hooks").env("PYTHONPATH", ".");
    step(&mut command)
}
