//! What a policy changes in documents that identify nobody, and which clinical values it alters in any document.
//!
//! `cargo run -p taire --example guard -- [--lang fr|es] [--policy NAME|FILE] [--edits FILE] [--spans FILE] INPUT…` reads folders of `.md` or `.txt` files and
//! JSONL files with `id` and `text`. `--spans FILE` writes what was found as JSONL, for `taire evaluate`. A clinical value is what the expressions below match: they are written apart from
//! the guard's own rules, so that the guard is not measured by itself.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use taire::{Engine, SecretKey};
use taire_text::{Label, Language, Note, Source, marked};

const CLINICAL: &[&str] = &[
    // TNM
    r"\b(?:y?[pcr])?T(?:[0-4][a-d]?|is|x|X)[ ]?N[0-3xX][a-c]?(?:[ ]?M[01xX])?\b",
    r"\b[pc]T[0-4][a-d]?\b",
    // vertebrae, leads
    r"\b[CDTLS]\d{1,2}[-/][CDTLS]\d{1,2}\b",
    r"\bV[1-6][ ]?[-à][ ]?V?[1-6]\b",
    // schedules
    r"\b(?:1/[24]|\d)[ ]?-[ ]?(?:1/[24]|\d)[ ]?-[ ]?(?:1/[24]|\d)\b",
    r"\b\d[ ]?(?:fois|cp|comp|veces)?[ ]?/[ ]?(?:j|jour|día|dia)\b",
    // a number with its unit
    r"(?i)\b\d+(?:[.,]\d+)?(?:[ ]?[-/x][ ]?\d+(?:[.,]\d+)?)*[ ]?(?:mg|µg|mcg|kg|g|ml|dl|cl|mm|cm|mmhg|mmol|µmol|umol|nmol|ui|meq|mEq|bpm|lpm|gy|cgy|kcal|mm3|%|ng|pg|fl)\b",
    r"(?i)\b\d+(?:[.,]\d+)?[ ]?(?:g|mg|µg|ng|pg|ui|u|mmol|meq|copies|cel|cell)/\w+",
    r"\b\d+(?:[.,]\d+)?[ ]?%",
    // a laboratory word and its bare count
    r"(?i)\b(?:plaquettes|plaquetas|leucocytes|leucocitos|leucocitosis|hyperleucocytose|neutrophiles|neutrófilos|h[ée]moglobin[ea]|crp|pcr|cr[ée]atinin[ea]|sodium|sodio|potassium|potasio|ldh|cpk|got|gpt|asat|alat|ast|alt|ggt|tsh|inr|ferritin[ea]|hb|vgm|vcm)[ ]*(?:[:=àa(]|de|était à|est à)?[ ]*\d[\d.,  ]*",
    // blood pressure, scores, titres
    r"(?i)\b(?:ta|pa|tas?|tension|glasgow|gcs|eva|apgar|mmse|ecog|karnofsky)[ ]*(?:[:=àa]|de)?[ ]*\d+(?:/\d+)*",
    r"\b1[/:](?:40|80|160|320|640|1280|2560)\b",
    // protocols, obstetrics
    r"\bJ\d{1,2}(?:[ ]?[-=à][ ]?J?\d{1,2})?\b",
    r"\bG\d{1,2}[ ]?P\d{1,2}(?:[ ]?A\d)?\b",
    r"(?i)\b\d{1,2}[ ]?(?:SA|semanas de gestación|semaines d'aménorrhée)\b",
    // variants
    r"\b[cp]\.[\w*>+-]+",
    r"\b\d{1,2}[ ]?(?:Fr|French|Ch|G)\b",
];

struct Counts {
    documents: usize,
    unchanged: usize,
    exchanged: usize,
    tagged: usize,
    clinical: usize,
    clinical_documents: usize,
    refused: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (mut language, mut policy, mut edits, mut spans, mut inputs) = (None, None, None, None, Vec::new());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--lang" => language = args.next().map(|l| l.parse::<Language>()).transpose()?,
            "--policy" => policy = args.next(),
            "--edits" => edits = args.next().map(PathBuf::from),
            "--spans" => spans = args.next().map(PathBuf::from),
            _ => inputs.push(PathBuf::from(arg)),
        }
    }
    let key = SecretKey::from_bytes(&[7; 32])?;
    let engine = Engine::new(policy.as_deref(), language, Some(&key))?;
    let clinical: Vec<Regex> = CLINICAL.iter().map(|r| Regex::new(r)).collect::<Result<_, _>>()?;
    let (mut listing, mut found) = (String::new(), String::new());
    for input in &inputs {
        let mut counts = Counts {
            documents: 0,
            unchanged: 0,
            exchanged: 0,
            tagged: 0,
            clinical: 0,
            clinical_documents: 0,
            refused: 0,
        };
        for (id, text) in documents(input)? {
            if spans.is_some() {
                writeln!(found, "{}", spans_of(&engine, &id, &text)?)?;
            }
            measure(&engine, &clinical, (&id, &text), &mut counts, &mut listing)?;
        }
        println!(
            "{}: {} documents, {} unchanged, {} refused; {} values exchanged, {} tagged; {} clinical values altered in {} documents",
            input.display(),
            counts.documents,
            counts.unchanged,
            counts.refused,
            counts.exchanged,
            counts.tagged,
            counts.clinical,
            counts.clinical_documents
        );
    }
    if let Some(path) = edits {
        fs::write(path, listing)?;
    }
    if let Some(path) = spans {
        fs::write(path, found)?;
    }
    Ok(())
}

/// One line of JSONL, offsets in code points.
fn spans_of(engine: &Engine, id: &str, text: &str) -> Result<serde_json::Value, Box<dyn std::error::Error>> {
    let note = Note::builder(id, text).language(engine.language()).build()?;
    let count = |end: usize| text[..end].chars().count();
    let (entities, below_threshold) =
        engine.find(note).map(|(_, found)| (found.entities, found.below_threshold)).unwrap_or_default();
    let mentions = entities.iter().chain(&below_threshold).flat_map(|e| &e.mentions);
    let overruled: Vec<_> = mentions
        .filter(|v| v.why.to_string().contains("guard") || v.source == Source::Guard)
        .map(|v| {
            serde_json::json!([count(v.span.start()), count(v.span.end()), v.source.key(), v.why.to_string()])
        })
        .collect();
    let spans: Vec<_> = entities
        .iter()
        .map(|e| serde_json::json!([count(e.span.start()), count(e.span.end()), e.label.name()]))
        .collect();
    Ok(serde_json::json!({ "id": id, "text": text, "spans": spans, "overruled": overruled }))
}

fn measure(
    engine: &Engine,
    clinical: &[Regex],
    (id, text): (&str, &str),
    counts: &mut Counts,
    listing: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    counts.documents += 1;
    let note = Note::builder(id, text).language(engine.language()).build()?;
    let done = match engine.run(note) {
        Ok(done) => done,
        Err(why) => {
            counts.refused += 1;
            writeln!(listing, "{id}\tREFUSED\t{why}")?;
            return Ok(());
        }
    };
    counts.unchanged += usize::from(done.text == text);
    let values: Vec<_> = clinical.iter().flat_map(|r| r.find_iter(text)).map(|m| m.range()).collect();
    let mut hit = false;
    for written in &done.written {
        let (old, new) = (&text[written.original.clone()], &done.text[written.range.clone()]);
        if old == new {
            continue;
        }
        let entity = &done.entities[written.entity];
        let tag = new.starts_with('<') && new.ends_with('>');
        let digits = old.bytes().any(|b| b.is_ascii_digit());
        counts.exchanged += usize::from(digits && !tag);
        counts.tagged += usize::from(tag);
        let time = matches!(entity.label, Label::Date | Label::BirthDate | Label::Age | Label::RelativeDate);
        let span = entity.span;
        let altered = values.iter().any(|v| {
            let inside = text
                [v.start.max(span.start())..v.end.min(span.end()).max(v.start.max(span.start()))]
                .bytes()
                .any(|b| b.is_ascii_digit());
            // A whole date or age that looks like a value is the date's own affair.
            v.start < span.end() && span.start() < v.end && inside && !(time && tag)
        });
        hit |= altered;
        counts.clinical += usize::from(altered);
        let from = (0..=written.original.start.saturating_sub(30))
            .rev()
            .find(|&i| text.is_char_boundary(i))
            .unwrap_or(0);
        let to =
            (written.original.end + 25..text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len());
        let keys: Vec<_> = entity.sources.iter().map(|s| s.key()).collect();
        let line = format!(
            "{id}\t{}\t{:.2}\t{}\t{}\t{} → {}\t…{}…",
            entity.label,
            entity.score.get(),
            keys.join("+"),
            if altered {
                "CLINICAL"
            } else if digits && !tag {
                "exchanged"
            } else {
                ""
            },
            old,
            new,
            &text[from..to]
        );
        writeln!(listing, "{}", line.replace(['\n', '\r'], "⏎"))?;
    }
    counts.clinical_documents += usize::from(hit);
    Ok(())
}

fn documents(input: &Path) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
    let mut all = Vec::new();
    if input.is_dir() {
        let mut paths: Vec<_> =
            fs::read_dir(input)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
        paths.sort();
        for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "md" || e == "txt")) {
            let source = fs::read_to_string(path)?;
            let body =
                source.strip_prefix("<!--").and_then(|s| s.split_once("-->\n")).map_or(&*source, |s| s.1);
            all.push((path.display().to_string(), marked::parse(body).text));
        }
    } else {
        for line in fs::read_to_string(input)?.lines().filter(|l| !l.trim().is_empty()) {
            let row: serde_json::Value = serde_json::from_str(line)?;
            let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            all.push((field("id"), field("text")));
        }
    }
    Ok(all)
}
