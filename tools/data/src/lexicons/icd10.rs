//! `cargo xtask icd10 [--check]`: the tables of codes and labels that `taire-coding` embeds, from two packages.
//!
//! Codes of three and four characters, sorted, one a line with its label, packed with gzip. `--check` builds them
//! again and compares what is inside.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::fetch::{self, Lists};
use super::{Result, cache, read};

pub(crate) fn run(args: &[String]) -> Result<()> {
    let check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("usage: cargo xtask icd10 [--check]".into()),
    };
    let root = crate::root();
    let data = root.join("crates/taire-coding/data");
    let lists = Lists::of(&cache(root), &[fetch::EDSNLP, fetch::CIE10])?;
    for (language, table) in [("fr", table(read::icd10(&lists)?)), ("es", table(spanish(&lists)?))] {
        let path = data.join(format!("icd10-{language}.tsv.gz"));
        if check {
            let inside = gzip(&["-dc"], &fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?)?;
            if inside != table.as_bytes() {
                return Err(format!(
                    "{} is not what the packages give; `cargo xtask icd10` writes it",
                    path.display()
                ));
            }
            println!("{} is what its package gives", path.display());
        } else {
            let packed = gzip(&["-9nc"], table.as_bytes())?;
            fs::write(&path, &packed).map_err(|e| format!("{}: {e}", path.display()))?;
            println!("{:>8} codes, {} bytes in {}", table.lines().count(), packed.len(), path.display());
        }
    }
    Ok(())
}

fn spanish(lists: &Lists) -> Result<Vec<(String, String)>> {
    let value = lists.json(fetch::CIE10, "cie10-obj.json")?;
    let table = value.as_object().ok_or("cie10-obj.json is no table")?;
    Ok(table.iter().filter_map(|(code, label)| Some((code.clone(), label.as_str()?.to_owned()))).collect())
}

/// The first label of each code.
fn table(rows: Vec<(String, String)>) -> String {
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    for (code, label) in rows {
        let code = code.trim().to_uppercase().replace('.', "");
        let sound = matches!(code.as_bytes(), [a, b, c, rest @ ..]
            if a.is_ascii_alphabetic() && b.is_ascii_digit() && c.is_ascii_digit() && rest.len() < 2);
        if sound {
            let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
            out.entry(code).or_insert(label);
        }
    }
    out.iter().map(|(code, label)| format!("{code}\t{label}\n")).collect()
}

fn gzip(args: &[&str], input: &[u8]) -> Result<Vec<u8>> {
    let fail = |e: std::io::Error| format!("cannot run gzip: {e}");
    let mut child =
        Command::new("gzip").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(fail)?;
    let mut stdin = child.stdin.take().ok_or("gzip takes no input")?;
    let input = input.to_vec();
    let feeding = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().map_err(fail)?;
    feeding.join().map_err(|_| "gzip stopped".to_owned())?.map_err(fail)?;
    Ok(output.stdout)
}
