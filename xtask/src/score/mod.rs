//! `cargo xtask score`: how well the shipped binary detects, on the development corpora.
//!
//! Runs the release `taire` as anybody would, scores what it wrote, and writes `scores/detection.md` and
//! `scores/detection.json` and the README's table. `--check` recomputes and fails when a headline figure fell under the committed one;
//! `--borders` shows, without the binary, what gold loses on its way through our labels; `--show-words` prints, on
//! the terminal only, the words behind the counts; `--ablation` measures what each detector adds; `--words` the words
//! that people would have to sort; `--retain` only what medicine is kept, which a plain run measures too. The corpora are not part of the project: without them nothing is measured, and that
//! is said.

mod ablation;
mod allow_list;
mod curve;
mod figures;
mod prose;
mod readme;
mod retain;
mod round_trip;
mod run;

use std::fs;
use std::path::{Path, PathBuf};

use crate::stamp;
use figures::{Scores, Set};
use run::Taire;
use taire_text::scheme::Scheme;

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut check, mut show_words, mut borders, mut ablation, mut words, mut retain) =
        (false, false, false, false, false, false);
    for arg in args {
        match arg.as_str() {
            "--check" => check = true,
            "--show-words" => show_words = true,
            "--borders" => borders = true,
            "--ablation" => ablation = true,
            "--retain" => retain = true,
            "--words" => words = true,
            other => {
                return Err(format!(
                    "unknown option `{other}`; known: --ablation, --borders, --check, --retain, --show-words, --words"
                ));
            }
        }
    }
    let root = root();
    let corpora =
        std::env::var_os("TAIRE_CORPORA").map_or_else(|| root.join("../shared/corpora"), PathBuf::from);
    if !corpora.is_dir() {
        let required = std::env::var_os("CI").is_some();
        let corpus_only = std::env::var_os("TAIRE_SCORES").is_some_and(|v| v == "corpus");
        return without_corpora(required && !corpus_only);
    }
    if ablation {
        return ablation::run(&root, &corpora);
    }
    if words {
        return curve::run(&root, &corpora);
    }
    if borders {
        round_trip::print(Scheme::Eds, &corpora.join("eds-notes/dev.jsonl"), show_words)?;
        return round_trip::print(Scheme::Meddocan, &corpora.join("meddocan/dev"), show_words);
    }
    let taire = Taire::build(&root)?;
    let committed = [root.join("scores/detection.json"), root.join("scores/retain.json")];
    if check {
        if !retain {
            figures::check(&Scores::load(&committed[0])?, &measure(&root, &taire, &corpora, show_words)?)?;
        }
        let before = Scores::load(&committed[1])?;
        return figures::check(&before, &retain::measure(&root, &taire, &corpora)?.0);
    }
    fs::create_dir_all(root.join("scores")).map_err(|e| format!("scores: {e}"))?;
    if !retain {
        let scores = measure(&root, &taire, &corpora, show_words)?;
        scores.store(&committed[0])?;
        let report = scores.markdown();
        fs::write(root.join("scores/detection.md"), &report)
            .map_err(|e| format!("scores/detection.md: {e}"))?;
        readme::write(&root, &scores)?;
        println!("{report}");
    }
    let (scores, page) = retain::measure(&root, &taire, &corpora)?;
    retain::write(&root, &scores, &page)?;
    println!("{page}");
    Ok(())
}

/// The development corpora are not public. In CI their absence is a failure, so that a check that measured nothing does not pass;
/// a public CI says that it checks the corpus in the repository alone (`TAIRE_SCORES=corpus`).
fn without_corpora(required: bool) -> Result<(), String> {
    let what = "no corpora at ../shared/corpora; set TAIRE_CORPORA to their folder";
    if required {
        return Err(format!("{what}, or TAIRE_SCORES=corpus to leave them out of the check on purpose"));
    }
    println!("score: skipped, {what}");
    Ok(())
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

fn measure(root: &Path, taire: &Taire, corpora: &Path, show_words: bool) -> Result<Scores, String> {
    let eds = corpora.join("eds-notes/dev.jsonl");
    let meddocan = corpora.join("meddocan/dev");
    let prose = corpora.join("e3c-fr/cases.jsonl");
    let mut sets = Vec::new();

    let predicted =
        taire.detect(&eds, "eds.jsonl", &["--to", "jsonl", "--scheme", "eds", "--policy", "fr"])?;
    let mut set = Set::scored("eds-notes dev, French, fictitious", &eds, &predicted)?;
    set.figures.push(round_trip::figure(Scheme::Eds, &eds)?);
    sets.push(set);

    let predicted =
        taire.detect(&meddocan, "meddocan", &["--to", "brat", "--scheme", "meddocan", "--policy", "es"])?;
    let mut set = Set::scored("MEDDOCAN dev, Spanish, injected identities", &meddocan, &predicted)?;
    set.figures.push(round_trip::figure(Scheme::Meddocan, &meddocan)?);
    sets.push(set);

    let predicted = taire.detect(
        &meddocan,
        "meddocan-cordoba",
        &["--to", "brat", "--scheme", "meddocan", "--policy", "cordoba"],
    )?;
    sets.push(Set::scored("MEDDOCAN dev, policy cordoba", &meddocan, &predicted)?);

    let predicted = taire.detect(&prose, "e3c.jsonl", &["--to", "jsonl", "--policy", "fr"])?;
    sets.push(prose::set("E3C French case reports, no identity inside", &predicted, show_words)?);

    for (name, held_out) in [
        ("Generated French letters, allow-list", false),
        ("Generated French letters of held-out families, allow-list", true),
    ] {
        sets.push(allow_list::set(taire, name, held_out, &prose)?);
    }

    Ok(Scores { date: stamp::today(), commit: stamp::commit(root), sets })
}

#[cfg(test)]
mod tests {
    use super::without_corpora;

    #[test]
    fn missing_corpora_fail_the_check_in_ci() {
        assert!(without_corpora(true).is_err());
        assert!(without_corpora(false).is_ok());
    }
}
