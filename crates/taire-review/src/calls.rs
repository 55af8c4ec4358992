//! What the page asks for: JSON in, JSON out, one function a call. Offsets count UTF-16 units, as JavaScript does.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use taire::Judgement;
use taire_text::{Label, Language, Role, Source};

use crate::agreement::{Agreement, Take, differences, settle_all};
use crate::app::{App, lock};
use crate::edit::Edit;
use crate::gold::Gold;
use crate::mark::{By, Mark, Ruler, shown};
use crate::problem::Problem;
use crate::retrain;
use crate::store::{Doc, Filter, Reach, Reviewed, Settlement, Sort, Version};
use crate::{after, words, write};

/// What a call answers with.
pub(crate) enum Answer {
    Json(Value),
    /// A file to keep: its name, kind and content.
    File(String, &'static str, Vec<u8>),
}

/// The longest name of a reviewer, in characters.
const LONGEST_NAME: usize = 60;
/// Words of the list that are shown.
const MOST_WORDS: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Empty {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Who {
    reviewer: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    reviewer: String,
    filter: Filter,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    reviewer: String,
    id: i64,
}

/// A change names the version it was made on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct On {
    reviewer: String,
    id: i64,
    version: Version,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Accept {
    reviewer: String,
    id: i64,
    version: Version,
    accepted: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Correct {
    reviewer: String,
    id: i64,
    version: Version,
    edit: Asked,
    reach: Reach,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase", tag = "do")]
enum Asked {
    Add { start: usize, end: usize, label: Label, role: Role },
    Change { start: usize, end: usize, to: (usize, usize), label: Label, role: Role },
    Remove { start: usize, end: usize },
}

impl Asked {
    fn edit(&self, text: &str) -> Result<Edit, Problem> {
        let ruler = Ruler(text);
        Ok(match *self {
            Asked::Add { start, end, label, role } => Edit::Add { at: ruler.range(start, end)?, label, role },
            Asked::Change { start, end, to, label, role } => {
                Edit::Change { from: ruler.range(start, end)?, to: ruler.range(to.0, to.1)?, label, role }
            }
            Asked::Remove { start, end } => Edit::Remove { at: ruler.range(start, end)? },
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    reviewer: String,
    a: String,
    b: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairOn {
    reviewer: String,
    a: String,
    b: String,
    id: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settle {
    reviewer: String,
    a: String,
    b: String,
    id: i64,
    versions: (Version, Version),
    spans: Vec<Given>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettleAll {
    reviewer: String,
    a: String,
    b: String,
    take: Take,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    start: usize,
    end: usize,
    label: Label,
    role: Role,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judge {
    reviewer: String,
    word: String,
    judgement: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Train {
    language: Language,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum What {
    Jsonl,
    Brat,
    Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Export {
    reviewer: String,
    what: What,
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    // The parser's own words may quote what it read.
    serde_json::from_slice(body).map_err(|e| {
        Problem::bad(format!("this call cannot be read, at line {} column {}", e.line(), e.column()))
    })
}

/// Answers one call.
pub(crate) fn call(app: &Arc<App>, name: &str, body: &[u8]) -> Result<Answer, Problem> {
    let json = match name {
        "hello" => parse::<Empty>(body).and_then(|_| hello(app))?,
        "status" => parse::<Who>(body).and_then(|who| status(app, &who.reviewer))?,
        "list" => parse::<Page>(body).and_then(|page| list(app, &page))?,
        "refused" => {
            parse::<Empty>(body)?;
            let rows = app.store.refused()?;
            json!(rows.iter().map(|(name, why)| json!({"name": name, "why": why})).collect::<Vec<_>>())
        }
        "document" => parse::<One>(body).and_then(|one| document(app, &one))?,
        "edit" => parse::<Correct>(body).and_then(|correct| edit(app, &correct))?,
        "undo" => parse::<On>(body).and_then(|on| undo(app, &on, false))?,
        "redo" => parse::<On>(body).and_then(|on| undo(app, &on, true))?,
        "accept" => parse::<Accept>(body).and_then(|accept| accepted(app, &accept))?,
        "after" => parse::<One>(body).and_then(|one| after::after(app, one.id, who(app, &one.reviewer)?))?,
        "record" => {
            parse::<One>(body).and_then(|one| after::record(app, one.id, who(app, &one.reviewer)?))?
        }
        "agreement" => parse::<Pair>(body).and_then(|pair| agreement(app, &pair))?,
        "difference" => parse::<PairOn>(body).and_then(|pair| difference(app, &pair))?,
        "settle" => parse::<Settle>(body).and_then(|settle| settled(app, &settle))?,
        "settle_all" => parse::<SettleAll>(body).and_then(|all| settled_all(app, &all))?,
        "blind" => {
            let reviewer = who(app, &parse::<Who>(body)?.reviewer)?;
            app.store.make_blind(reviewer)?;
            json!({})
        }
        "write" => {
            parse::<Empty>(body)?;
            write::start(app)?;
            json!({})
        }
        "gold" => {
            parse::<Empty>(body)?;
            let gold = Gold::of(&app.store)?;
            json!({"documents": gold.documents.len(), "unsettled": gold.unsettled})
        }
        "words" => {
            parse::<Empty>(body)?;
            word_list(app)?
        }
        "judge" => parse::<Judge>(body).and_then(|judge| judged(app, &judge))?,
        "train" => {
            retrain::start(app, parse::<Train>(body)?.language)?;
            json!({})
        }
        "model" => return model(app, parse::<Train>(body)?.language),
        "export" => return export(app, &parse::<Export>(body)?),
        _ => return Err(Problem::nothing_there()),
    };
    Ok(Answer::Json(json))
}

/// A name as reviewers have them, without blanks around it.
pub(crate) fn reviewer_name(name: &str) -> Result<&str, Problem> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        let why = format!("a reviewer has a name of 1 to {LONGEST_NAME} characters");
        return Err(Problem::cannot("bad_name", why));
    }
    Ok(name)
}

fn who(app: &App, name: &str) -> Result<i64, Problem> {
    Ok(app.store.reviewer(reviewer_name(name)?)?)
}

/// Who may see what others marked: everybody who does not read blind.
fn sighted(app: &App, name: &str) -> Result<(), Problem> {
    match app.store.is_blind(who(app, name)?)? {
        false => Ok(()),
        true => {
            Err(Problem::cannot("blind", "this reviewer reads blind and does not see what others marked"))
        }
    }
}

fn hello(app: &App) -> Result<Value, Problem> {
    let labels: Vec<Value> =
        Label::ALL.iter().map(|l| json!({"name": l.name(), "group": l.group().name()})).collect();
    let reviewers: Vec<String> = app.store.reviewers()?.into_iter().map(|(_, name)| name).collect();
    let sources: Vec<&str> = Source::ALL.iter().map(|s| s.key()).collect();
    let roles: Vec<&str> = Role::ALL.iter().map(|r| r.name()).collect();
    let languages: Vec<&str> = Language::ALL.iter().map(|l| l.key()).collect();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"), "reviewer": app.config.reviewer, "reviewers": reviewers,
        "labels": labels, "sources": sources, "roles": roles, "languages": languages,
        "policy": app.config.policy, "own_key": app.config.key.is_some(), "state": app.config.state,
        "fewest": retrain::FEWEST, "output": app.config.output,
    }))
}

fn status(app: &App, reviewer: &str) -> Result<Value, Problem> {
    let reviewer = who(app, reviewer)?;
    let progress = app.store.progress(reviewer)?;
    let names = app.store.reviewers()?;
    let accepted = app.store.accepted_by()?;
    let by = |id: i64| accepted.iter().find(|(r, _)| *r == id).map_or(0, |(_, n)| *n);
    let reviewers: Vec<Value> =
        names.iter().map(|(id, name)| json!({"name": name, "accepted": by(*id)})).collect();
    Ok(json!({
        "stage": &*lock(&app.stage), "progress": progress, "reviewers": reviewers, "training": &*lock(&app.training),
        "writing": &*lock(&app.writing), "blind": app.store.is_blind(reviewer)?,
    }))
}

fn list(app: &App, page: &Page) -> Result<Value, Problem> {
    let reviewer = who(app, &page.reviewer)?;
    if !app.store.is_blind(reviewer)? {
        let (total, rows) = app.store.list(reviewer, &page.filter)?;
        return Ok(json!({"total": total, "rows": rows}));
    }
    let mut filter = Filter { source: None, below: None, ..page.filter.clone() };
    if filter.sort == Sort::Doubt {
        filter.sort = Sort::Random;
    }
    let (total, mut rows) = app.store.list(reviewer, &filter)?;
    rows.iter_mut().for_each(|row| row.doubt = None);
    Ok(json!({"total": total, "rows": rows}))
}

/// What the policy does with each label, once the detectors are loaded.
fn actions(app: &App, language: Option<Language>) -> Value {
    let policy = language.and_then(|language| app.engine.get()?.policy_of(language).ok());
    let action = |policy: &taire::Policy, label: Label| policy.effective_action(label).key();
    let all = |policy: &taire::Policy| {
        json!(Label::ALL.iter().map(|&l| (l.name(), action(policy, l))).collect::<BTreeMap<_, _>>())
    };
    policy.map_or(Value::Null, all)
}

/// Marks as the page takes them, with what the detectors said of those with the same borders.
fn marks(text: &str, marks: &[Mark]) -> Vec<Value> {
    let places = shown(text, marks.iter().map(Mark::range));
    let one = |(m, (start, end)): (&Mark, (usize, usize))| json!({"start": start, "end": end, "label": m.label, "role": m.role, "by": m.by});
    marks.iter().zip(places).map(one).collect()
}

fn state(text: &str, reviewed: &Reviewed) -> Value {
    json!({
        "version": reviewed.version, "accepted": reviewed.accepted, "undo": reviewed.undo, "redo": reviewed.redo,
        "spans": marks(text, &reviewed.marks),
    })
}

fn document(app: &App, one: &One) -> Result<Value, Problem> {
    let reviewer = who(app, &one.reviewer)?;
    let document = app.store.document(one.id)?;
    if let Some(why) = &document.failed {
        return Err(Problem::cannot("refused", why.clone()));
    }
    let reviewed = match app.store.reviewed(one.id, reviewer) {
        Err(problem) if problem.code == "unread" => {
            app.hurry(one.id);
            return Err(problem);
        }
        reviewed => reviewed?,
    };
    let found = document.found()?;
    let is_blind = app.store.is_blind(reviewer)?;
    let said = |spans: &[crate::findings::FoundSpan]| -> Vec<Value> {
        let places = shown(&document.text, spans.iter().map(|s| s.start..s.end));
        let one = |(s, (start, end)): (&crate::findings::FoundSpan, (usize, usize))| {
            let mentions: Vec<Value> = s
                .mentions
                .iter()
                .map(|v| {
                    json!({"source": v.source, "label": v.label, "score": v.score, "why": v.why,
                           "overruled": v.label != Some(s.label)})
                })
                .collect();
            json!({"start": start, "end": end, "label": s.label, "role": s.role, "score": s.score,
                   "sources": s.sources, "mentions": mentions})
        };
        spans.iter().zip(places).map(one).collect()
    };
    let (found, below_threshold) = match is_blind {
        true => (Vec::new(), Vec::new()),
        false => (said(&found.spans), said(&found.below_threshold)),
    };
    let language = document.read_as.or(document.language);
    Ok(json!({
        "id": document.id, "name": document.name, "patient": document.patient, "text": document.text,
        "date": document.date.map(|d| d.to_string()), "language": language, "actions": actions(app, language),
        "found": found, "below_threshold": below_threshold, "state": state(&document.text, &reviewed),
    }))
}

/// What a change did, and the document after it.
fn changed(app: &App, document: &Doc, reviewer: i64, done: Value) -> Result<Value, Problem> {
    let reviewed = app.store.reviewed(document.id, reviewer)?;
    Ok(json!({"done": done, "state": state(&document.text, &reviewed)}))
}

fn edit(app: &App, correct: &Correct) -> Result<Value, Problem> {
    let reviewer = who(app, &correct.reviewer)?;
    let document = app.store.document(correct.id)?;
    let edit = correct.edit.edit(&document.text)?;
    let done = app.store.edit(correct.id, reviewer, correct.version, &edit, correct.reach)?;
    changed(app, &document, reviewer, json!(done))
}

fn undo(app: &App, on: &On, again: bool) -> Result<Value, Problem> {
    let reviewer = who(app, &on.reviewer)?;
    let document = app.store.document(on.id)?;
    let done = app.store.undo(on.id, reviewer, on.version, again)?;
    changed(app, &document, reviewer, json!(done))
}

fn accepted(app: &App, accept: &Accept) -> Result<Value, Problem> {
    let reviewer = who(app, &accept.reviewer)?;
    let document = app.store.document(accept.id)?;
    app.store.accept(accept.id, reviewer, accept.version, accept.accepted)?;
    changed(app, &document, reviewer, json!({}))
}

/// Two reviewers who are not one.
fn two(app: &App, a: &str, b: &str) -> Result<(i64, i64), Problem> {
    match (who(app, a)?, who(app, b)?) {
        (a, b) if a == b => Err(Problem::cannot("same_reviewer", "agreement takes two reviewers")),
        pair => Ok(pair),
    }
}

fn agreement(app: &App, pair: &Pair) -> Result<Value, Problem> {
    sighted(app, &pair.reviewer)?;
    let (a, b) = two(app, &pair.a, &pair.b)?;
    let mut all = Agreement::default();
    let mut differ = Vec::new();
    app.store.verdicts(|verdict| {
        if let (Some((_, x)), Some((_, y))) = (verdict.accepted.get(&a), verdict.accepted.get(&b)) {
            all.add(&verdict.text, x, y);
            let (_, places) = differences(x, y);
            if !places.is_empty() {
                differ.push(json!({"id": verdict.document, "name": verdict.name, "places": places.len(),
                                   "settled": verdict.settled.is_some()}));
            }
        }
        Ok(())
    })?;
    let labels: Vec<Value> = all
        .labels
        .iter()
        .map(|(label, t)| json!({"label": label, "a": t.a, "b": t.b, "both": t.both, "f1": t.f1()}))
        .collect();
    Ok(json!({
        "documents": all.documents, "alike": all.alike, "spans_f1": all.spans.f1(), "tokens_f1": all.tokens.f1(),
        "kappa": all.kappa(), "labels": labels, "differ": differ,
    }))
}

fn difference(app: &App, pair: &PairOn) -> Result<Value, Problem> {
    sighted(app, &pair.reviewer)?;
    let (a, b) = two(app, &pair.a, &pair.b)?;
    let verdict = app.store.verdict(pair.id)?.ok_or_else(Problem::nothing_there)?;
    let of = |r| verdict.accepted.get(&r).ok_or_else(Problem::stale);
    let ((va, x), (vb, y)) = (of(a)?, of(b)?);
    let (shared, places) = differences(x, y);
    let places: Vec<Value> = places
        .iter()
        .map(|d| json!({"a": marks(&verdict.text, &d.a), "b": marks(&verdict.text, &d.b)}))
        .collect();
    Ok(json!({
        "id": pair.id, "name": verdict.name, "text": verdict.text, "versions": [va, vb],
        "shared": marks(&verdict.text, &shared), "places": places,
        "settled": verdict.settled.as_deref().map(|m| marks(&verdict.text, m)),
    }))
}

fn settled(app: &App, settle: &Settle) -> Result<Value, Problem> {
    sighted(app, &settle.reviewer)?;
    let (a, b) = two(app, &settle.a, &settle.b)?;
    let document = app.store.document(settle.id)?;
    let ruler = Ruler(&document.text);
    let mut marks = Vec::with_capacity(settle.spans.len());
    for span in &settle.spans {
        let at = ruler.range(span.start, span.end)?;
        let (label, role) = (span.label, span.role);
        marks.push(Mark { start: at.start, end: at.end, label, role, by: By::Reviewer });
    }
    marks.sort_by_key(|m| m.start);
    // What everybody else who accepted it has said counts too, or it would never be settled.
    let verdict = app.store.verdict(settle.id)?.ok_or_else(Problem::nothing_there)?;
    let mut versions = vec![(a, settle.versions.0), (b, settle.versions.1)];
    let others = verdict.accepted.iter().filter(|(r, _)| **r != a && **r != b);
    versions.extend(others.map(|(r, (version, _))| (*r, *version)));
    app.store.settle(&Settlement { document: settle.id, versions, marks })?;
    Ok(json!({}))
}

/// Settles every document that two see differently and nobody has settled, in one way.
fn settled_all(app: &App, all: &SettleAll) -> Result<Value, Problem> {
    sighted(app, &all.reviewer)?;
    let (a, b) = two(app, &all.a, &all.b)?;
    let mut settlements = Vec::new();
    app.store.verdicts(|verdict| {
        let (Some((_, x)), Some((_, y))) = (verdict.accepted.get(&a), verdict.accepted.get(&b)) else {
            return Ok(());
        };
        if verdict.settled.is_none() && !differences(x, y).1.is_empty() {
            settlements.push(Settlement {
                document: verdict.document,
                versions: verdict.accepted.iter().map(|(&r, &(version, _))| (r, version)).collect(),
                marks: settle_all(&verdict.text, x, y, all.take),
            });
        }
        Ok(())
    })?;
    let (mut settled, mut changed_since) = (0, 0);
    for settlement in &settlements {
        match app.store.settle(settlement) {
            Ok(()) => settled += 1,
            Err(problem) if problem.code == "stale" => changed_since += 1,
            Err(problem) => return Err(problem),
        }
    }
    Ok(json!({"settled": settled, "changed_since": changed_since}))
}

fn word_list(app: &App) -> Result<Value, Problem> {
    let judged = app.store.judged()?;
    let list = words::list(&Gold::of(&app.store)?, &judged);
    let rows: Vec<Value> = list
        .entries
        .iter()
        .take(MOST_WORDS)
        .map(|e| {
            json!({"word": e.word, "judgement": e.judgement.map(Judgement::key), "count": e.count,
                   "by_hand": judged.contains_key(&e.word)})
        })
        .collect();
    Ok(json!({"total": list.entries.len(), "rows": rows}))
}

fn judged(app: &App, judge: &Judge) -> Result<Value, Problem> {
    let reviewer = who(app, &judge.reviewer)?;
    let word = words::one_word(&judge.word)
        .ok_or_else(|| Problem::cannot("no_word", "a list holds single words, without digits or marks"))?;
    let judgement = match judge.judgement.as_deref() {
        None => None,
        Some("accept") => Some(Judgement::Accept),
        Some("refuse") => Some(Judgement::Refuse),
        Some(_) => return Err(Problem::bad("a word is accepted or refused")),
    };
    app.store.judge(reviewer, &word, judgement)?;
    word_list(app)
}

fn export(app: &App, export: &Export) -> Result<Answer, Problem> {
    sighted(app, &export.reviewer)?;
    let gold = Gold::of(&app.store)?;
    Ok(match export.what {
        What::Jsonl => Answer::File("gold.jsonl".into(), "application/x-ndjson", gold.jsonl()),
        What::Brat => Answer::File("gold-brat.zip".into(), "application/zip", gold.brat_zip()?),
        What::Words => {
            let list = words::list(&gold, &app.store.judged()?).to_tsv();
            Answer::File("words.tsv".into(), "text/tab-separated-values; charset=utf-8", list.into_bytes())
        }
    })
}

fn model(app: &App, language: Language) -> Result<Answer, Problem> {
    let path = retrain::model_path(&app.config.state, language);
    let bytes = std::fs::read(path).map_err(|_| Problem::nothing_there())?;
    Ok(Answer::File(format!("review.{language}.crf"), "application/octet-stream", bytes))
}
