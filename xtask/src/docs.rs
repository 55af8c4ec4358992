//! `cargo xtask docs`: the book of `docs/book` as a site in `target/book`.
//!
//! The pages that the program and `scores/` tell are written first (by the tests that compare them), then mdBook builds the site; it
//! is installed under `target/` where it is not on the path.

use std::path::PathBuf;
use std::process::Command;

const VERSION: &str = "0.5.4";

/// Runs the chore.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!("unknown option `{arg}`; docs takes none"));
    }
    let root = crate::test::root();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for (args, what) in [
        (["-p", "taire-cli", "--test", "docs"], "the pages that the program tells"),
        (["-p", "taire-dist", "--bins", "cards"], "the model cards"),
    ] {
        let mut pages = Command::new(&cargo);
        pages.args(["test", "--quiet"]).args(args).env("TAIRE_BLESS", "1");
        done(pages.current_dir(&root), what)?;
    }
    let mdbook = match Command::new("mdbook").arg("--version").output() {
        Ok(output) if output.status.success() => PathBuf::from("mdbook"),
        _ => {
            let tools = root.join("target/tools");
            let program = tools.join("bin/mdbook");
            if !program.is_file() {
                let mut install = Command::new(&cargo);
                install.args([
                    "install",
                    "mdbook",
                    "--version",
                    VERSION,
                    "--locked",
                    "--no-default-features",
                    "--features",
                    "search",
                    "--root",
                ]);
                done(install.arg(&tools), "installing mdBook")?;
            }
            program
        }
    };
    done(Command::new(mdbook).arg("build").arg(root.join("docs/book")), "mdBook")?;
    println!("the book is in target/book");
    Ok(())
}

fn done(command: &mut Command, what: &str) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{what}: {e}"))?;
    status.success().then_some(()).ok_or(format!("{what} failed"))
}
