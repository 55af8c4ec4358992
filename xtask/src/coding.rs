//! `cargo xtask coding [coder|utility]`: the coder and its baselines on `codiesp`, and what de-identification costs it in
//! Spanish and French, written to `scores/coding.md`, `scores/utility.md` and their JSON.
//!
//! Everything is measured through the program itself, which must have been built in release. What a run has measured is
//! kept under the target folder and not measured again: the chore may be stopped and started. Cases of MEDDOCAN's `train`
//! are learned from (one of five set aside to stop and for the threshold), those of its `dev` are tested on, and nothing
//! was chosen by them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::stamp::today;
use taire_corpus::hospital;

const USAGE: &str = "usage: coding [coder|utility]";
const PATIENTS: u64 = 900;
const SEED: u64 = 2023;
const SEEDS: &str = "3";

/// A coder that is trained: its name, and its options.
const CODERS: &[(&str, &[&str])] = &[
    ("bag of words", &["--method", "bag"]),
    ("label attention", &[]),
    ("label attention, no texts of codes", &["--no-labels"]),
    ("label attention, with a bag of words", &["--with-bag"]),
    ("label attention, first 512 words", &["--method", "first"]),
    ("mean pooling", &["--method", "mean"]),
    ("max pooling", &["--method", "max"]),
];

const TOPS: &[&str] = &["10", "50", "100", "200"];

struct Bench {
    program: PathBuf,
    work: PathBuf,
    corpora: PathBuf,
}

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let what = match args {
        [] => "all",
        [one] if one == "coder" || one == "utility" => one.as_str(),
        _ => return Err(USAGE.into()),
    };
    let bench = Bench::new()?;
    if what != "utility" {
        coder(&bench)?;
    }
    if what != "coder" {
        utility(&bench)?;
    }
    Ok(())
}

impl Bench {
    fn new() -> Result<Bench, String> {
        let me = std::env::current_exe().map_err(|e| e.to_string())?;
        let program = me.with_file_name("taire");
        if !program.exists() {
            return Err(format!("{} is not there; build the program first", program.display()));
        }
        let work = me.parent().and_then(Path::parent).ok_or("no target folder")?.join("coding");
        fs::create_dir_all(&work).map_err(|e| format!("{}: {e}", work.display()))?;
        let corpora = std::env::var_os("TAIRE_CORPORA").ok_or("TAIRE_CORPORA names no folder of corpora")?;
        Ok(Bench { program, work, corpora: PathBuf::from(corpora) })
    }

    /// What the program prints as JSON, kept by name.
    fn measured(&self, name: &str, args: &[&str]) -> Result<Value, String> {
        let kept = self.work.join(format!("{}.json", file_name(name)));
        if let Some(value) = fs::read(&kept).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return Ok(value);
        }
        eprintln!("{name}: taire {}", args.join(" "));
        let done = Command::new(&self.program).args(args).output().map_err(|e| e.to_string())?;
        let mut value: Value = serde_json::from_slice(&done.stdout)
            .map_err(|_| format!("{name} failed: {}", String::from_utf8_lossy(&done.stderr)))?;
        // Where a coder lies on this machine is nobody's business.
        for part in ["", "/against"] {
            value.pointer_mut(part).and_then(Value::as_object_mut).map(|o| o.remove("coder"));
        }
        fs::write(&kept, value.to_string()).map_err(|e| e.to_string())?;
        Ok(value)
    }

    fn path(&self, name: &str) -> String {
        self.work.join(name).display().to_string()
    }

    fn corpus(&self, name: &str) -> String {
        self.corpora.join(name).display().to_string()
    }

    /// The cases of a part of MEDDOCAN, in their form without identities.
    fn texts(&self, part: &str) -> Result<String, String> {
        let folder = self.work.join(part);
        fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let names = fs::read_dir(self.corpora.join("meddocan").join(part))
            .map_err(|e| format!("meddocan/{part}: {e}"))?;
        for name in names.flatten().map(|entry| entry.file_name()) {
            let from = self.corpora.join("codiesp/text").join(&name);
            if from.exists() {
                fs::copy(&from, folder.join(&name)).map_err(|e| e.to_string())?;
            }
        }
        Ok(folder.display().to_string())
    }
}

fn write(name: &str, text: &str, json: &Value) -> Result<(), String> {
    let json = serde_json::to_string_pretty(json).map_err(|e| e.to_string())? + "\n";
    for (extension, content) in [("md", text), ("json", &json)] {
        let path = format!("scores/{name}.{extension}");
        fs::write(&path, content).map_err(|e| format!("{path}: {e}"))?;
    }
    eprintln!("scores/{name}.md and .json written");
    Ok(())
}

fn coder(bench: &Bench) -> Result<(), String> {
    let (train, test) = (bench.texts("train")?, bench.texts("dev")?);
    let codes = bench.corpus("codiesp/codes-D.tsv");
    let background = bench.corpus("codiesp/background");
    let intro = format!(
        "# The ICD-10 coder on CodiEsp\n\nMade on {} by `cargo xtask coding coder` (`taire code train` and `taire code evaluate`). \
         CodiEsp diagnoses (D), texts without identities: 500 cases of MEDDOCAN's `train` to learn from, 100 of them set aside by \
         hash to stop and for the threshold; 250 cases of its `dev` to test on, which nothing was chosen by. Networks learn word \
         vectors from the 2,751 cases without codes too, and start from the Spanish texts of the codes. Intervals are of 95 %, \
         test documents drawn again; the gain is over the bag of words on the same draws.\n",
        today()
    );
    let measure = |name: &str, options: &[&str], against: Option<&str>| -> Result<Value, String> {
        let file = bench.path(&format!("{}.coder", file_name(name)));
        let quiet = ["--quiet", "--format", "json"];
        let mut args = vec!["code", "train", &train, "--codes", &codes, "--lang", "es", "-o", &file];
        if !options.contains(&"bag") {
            args.extend(["--unlabelled", &background]);
        }
        let trained = bench.measured(&format!("train {name}"), &[&args, options, &quiet].concat())?;
        let mut args = vec!["code", "evaluate", &file, &test, "--codes", &codes, "--format", "json"];
        let other = against.map(|a| bench.path(&format!("{}.coder", file_name(a))));
        if let Some(other) = &other {
            args.extend(["--against", other]);
        }
        let scores = bench.measured(&format!("scores {name}"), &args)?;
        Ok(json!({"trained": trained, "measured": scores}))
    };
    let mut rows: BTreeMap<String, Value> = BTreeMap::new();
    let mut tables = [String::new(), String::new()];
    // What is measured so far is written after every coder: all of them take an hour.
    let mut tell = |table: usize, name: &str, both: Value| {
        row(&mut tables[table], name, &both);
        rows.insert(name.to_owned(), both);
        let mut text = intro.clone();
        for (title, table) in
            ["Three-character families", "The K most frequent families, and other"].iter().zip(&tables)
        {
            if !table.is_empty() {
                let _ = write!(text, "\n## {title}\n\n{HEAD}{table}");
            }
        }
        text += THESIS;
        write(
            "coding",
            &text,
            &json!({"command": "cargo xtask coding coder", "date": today(), "coders": rows}),
        )
    };
    for (name, options) in CODERS {
        let against = (*name != CODERS[0].0).then_some(CODERS[0].0);
        tell(0, name, measure(name, options, against)?)?;
    }
    for k in TOPS {
        let (bag, laat) = (format!("bag of words, {k}"), format!("label attention, {k}"));
        tell(1, &bag, measure(&bag, &["--method", "bag", "--top", k], None)?)?;
        tell(1, &laat, measure(&laat, &["--top", k], Some(&bag))?)?;
    }
    Ok(())
}

fn file_name(name: &str) -> String {
    name.replace([' ', ','], "-")
}

const HEAD: &str = "| coder | labels | precision | recall | micro F1 | interval | macro F1 | P@5 | gain | interval of the gain |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
const THESIS: &str = "\nThesis (Tchouka 2023, tables 9.2 and 9.3), another corpus a hundred times as large: 0.55 for 1,564 families; \
                      0.82, 0.71, 0.67 and 0.61 for the 10, 50, 100 and 200 most frequent codes.\n";

fn row(text: &mut String, name: &str, both: &Value) {
    let (m, trained) = (&both["measured"]["scores"], &both["trained"]);
    let number = |v: &Value| v.as_f64().map_or(String::new(), |x| format!("{x:.4}"));
    let bounds = |v: &Value| match v.as_array().map(Vec::as_slice) {
        Some([a, b]) => format!("{} to {}", number(a), number(b)),
        _ => String::new(),
    };
    let against = &both["measured"]["against"];
    let _ = writeln!(
        text,
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        trained["labels"],
        number(&m["micro"]["p"]),
        number(&m["micro"]["r"]),
        number(&m["micro"]["f1"]),
        bounds(&m["micro_f1_interval"]),
        number(&m["macro"]["f1"]),
        number(&m["precision_at"]["5"]),
        number(&against["difference"]),
        bounds(&against["difference_interval"]),
    );
}

fn utility(bench: &Bench) -> Result<(), String> {
    let hospital = bench.work.join("hospital");
    hospital::write_coded(&hospital, PATIENTS, SEED).map_err(|e| e.to_string())?;
    let key = bench.path("key");
    if !Path::new(&key).exists() {
        let made = Command::new(&bench.program).args(["key", "new", "-o", &key]).status();
        made.map_err(|e| e.to_string())?;
    }
    let (train, dev) = (bench.corpus("meddocan/train"), bench.corpus("meddocan/dev"));
    let codes = bench.corpus("codiesp/codes-D.tsv");
    let (letters, letter_codes) = (bench.path("hospital/documents.jsonl"), bench.path("hospital/codes.tsv"));
    let common = ["--seeds", SEEDS, "--key", &key, "--quiet", "--format", "json"];
    let french = ["code", "utility", &letters, "--codes", &letter_codes, "--lang", "fr", "--whole-codes"];
    let spanish = ["code", "utility", &train, &dev, "--codes", &codes, "--lang", "es", "--test", &dev];
    let (hospital, cases) = (
        "French: an invented hospital (`cargo corpus hospital --coded`), 900 letters, a third to test on, whole codes, policy `fr`",
        "Spanish: MEDDOCAN's text with CodiEsp's diagnoses, three-character families, 500 to learn from, 250 to test on, policy `es`",
    );
    let none: &[&str] = &[];
    let runs = [
        ("utility fr", hospital, "label attention", &french[..], none),
        ("utility es bag", cases, "bag of words", &spanish[..], &["--method", "bag"][..]),
        ("utility es", cases, "label attention", &spanish[..], none),
    ];
    let mut text = format!(
        "# What de-identification costs the coder\n\nMade on {} by `cargo xtask coding utility` (`taire code utility`). The same coder \
         is trained on the same documents as they are, with surrogates and with tags, with {SEEDS} seeds, and tested on others in the \
         same form. F1 is micro F1, the mean over seeds; the loss is the share of the original's F1 that is gone, and a loss below \
         zero is a gain. Intervals are of 95 %, test documents drawn again.\n\nThesis (Tchouka 2023, table 9.5), a hospital's 56,014 \
         documents and 6,160 codes: 0.47, 0.44 (6.8 % lost) and 0.42 (12 % lost).\n",
        today()
    );
    let mut all = json!({"command": "cargo xtask coding utility", "date": today()});
    for (name, title, method, args, more) in runs {
        let measured = bench.measured(name, &[args, &common, more].concat())?;
        let _ = write!(
            text,
            "\n## {title}: {method}\n\n| form | labels | words changed | precision | recall | F1 | interval | F1 by seed | loss | interval of the loss |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        );
        measured["arms"].as_array().into_iter().flatten().for_each(|arm| utility_row(&mut text, arm));
        all[name] = measured;
        write("utility", &text, &all)?;
    }
    Ok(())
}

fn utility_row(text: &mut String, arm: &Value) {
    let r = &arm["result"];
    let number = |v: &Value| v.as_f64().map_or(String::new(), |x| format!("{x:.4}"));
    let percent = |v: &Value| v.as_f64().map_or(String::new(), |x| format!("{:.2}", 100.0 * x));
    let pair = |v: &Value, f: &dyn Fn(&Value) -> String| format!("{} to {}", f(&v[0]), f(&v[1]));
    let seeds: Vec<String> = r["f1_by_seed"].as_array().into_iter().flatten().map(number).collect();
    let _ = writeln!(
        text,
        "| {} | {} | {} % | {} | {} | {} | {} | {} | {} % | {} |",
        r["name"].as_str().unwrap_or_default(),
        r["labels"],
        percent(&arm["words_changed"]),
        number(&r["micro"]["p"]),
        number(&r["micro"]["r"]),
        number(&r["micro"]["f1"]),
        pair(&r["f1_interval"], &number),
        seeds.join(", "),
        percent(&r["loss"]),
        pair(&r["loss_interval"], &percent),
    );
}
