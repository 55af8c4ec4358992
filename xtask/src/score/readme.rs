//! The README's table of scores, written with the others so that it cannot fall behind them.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::figures::{Scores, Set};

const OPENING: &str = "<!-- scores: written by `cargo xtask score` -->\n";
const CLOSING: &str = "<!-- end of scores -->\n";

pub(super) fn write(root: &Path, scores: &Scores) -> Result<(), String> {
    let path = root.join("README.md");
    let text = fs::read_to_string(&path).map_err(|e| format!("README.md: {e}"))?;
    fs::write(&path, put(&text, &table(scores)?)?).map_err(|e| format!("README.md: {e}"))
}

fn put(readme: &str, table: &str) -> Result<String, String> {
    let missing = || "README.md: the marks of the score table are missing".to_owned();
    let (before, rest) = readme.split_once(OPENING).ok_or_else(missing)?;
    let (_, after) = rest.split_once(CLOSING).ok_or_else(missing)?;
    Ok(format!("{before}{OPENING}{table}{CLOSING}{after}"))
}

fn table(scores: &Scores) -> Result<String, String> {
    let [french, spanish] = [set(scores, "eds-notes dev")?, set(scores, "MEDDOCAN dev, Spanish")?];
    let prose = set(scores, "E3C")?;
    let mut out = format!(
        "Measured on {}:\n\n| | French, `eds-notes` dev | Spanish, MEDDOCAN dev |\n|---|---:|---:|\n",
        scores.date
    );
    for (shown, name) in [
        ("identifying characters covered", "characters covered"),
        ("identifiers wholly covered", "identifiers wholly covered"),
        ("documents with nothing missed", "documents with nothing missed"),
        ("of what is hidden, characters that identify", "hidden characters that identify, any label"),
    ] {
        let percent = |set| figure(set, name).map(|value| format!("{:.1} %", 100.0 * value));
        let _ = writeln!(out, "| {shown} | {} | {} |", percent(french)?, percent(spanish)?);
    }
    let _ = writeln!(
        out,
        "| strict F1 in the corpus's own scheme | {:.3} | {:.3} |\n\nOn published French case reports, which are meant to \
         hold no identities, {:.1} words in 1,000 were taken for a name; {:.1} without the initials that the reports give \
         their patients.",
        figure(french, "strict f1")?,
        figure(spanish, "strict f1")?,
        figure(prose, "words taken for a name, per 1000")?,
        figure(prose, "the same without the initials that the reports give their patients, per 1000")?,
    );
    Ok(out)
}

fn set<'a>(scores: &'a Scores, name: &str) -> Result<&'a Set, String> {
    scores.sets.iter().find(|set| set.name.starts_with(name)).ok_or_else(|| format!("no scores of {name}"))
}

fn figure(set: &Set, name: &str) -> Result<f64, String> {
    let found = set.figures.iter().find(|figure| figure.name == name);
    found.map(|figure| figure.value).ok_or_else(|| format!("no figure `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_the_readme_is_the_committed_one() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let scores = Scores::load(&root.join("scores/detection.json")).unwrap();
        let readme = fs::read_to_string(root.join("README.md")).unwrap();
        assert!(
            put(&readme, &table(&scores).unwrap()).unwrap() == readme,
            "the README's scores are not those of scores/detection.json; run `cargo xtask score`"
        );
    }
}
