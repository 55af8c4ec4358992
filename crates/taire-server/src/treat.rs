//! The policies on offer, and one document through one of them. The way is the command line's: the same engine, the same
//! writer, the same bytes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use taire::{Engine, IdKind, Policy, SHIPPED, SecretKey, TrustedRecord, found_spans, text_id};
use taire_formats::{
    Document, ErrorKind, Request, RequestParser, push_annotation, push_string, push_text_in_form,
};
use taire_text::CancelFlag;
use taire_text::scheme::Scheme;
use taire_text::{Entity, Label, Language, Note};

use crate::Error;
use crate::names_asked::NamesAsked;
use crate::problem::Problem;
use crate::request::{Ask, Task, unit};
use crate::routes::Caller;

/// A policy that requests may name.
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) language: Option<Language>,
    engine: Arc<Engine>,
}

/// Whether callers may see the surrogates of `taire deid` under the same key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SurrogateTables {
    /// Each API key, and the callers without one, have surrogates of their own: a caller who tests names learns nothing of
    /// a release or of another caller's documents.
    #[default]
    PerCaller,
    /// The surrogates of `taire deid`, for everybody.
    Shared,
}

/// For whom a document is treated, and whether they still wait.
#[derive(Clone, Copy)]
pub(crate) struct JobContext<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) cancel: &'a CancelFlag,
}

/// All of them, and what is done for requests that name none.
pub(crate) struct Offers {
    offers: Vec<Offer>,
    /// Shipped policies whose model is not there, and what to do about it.
    absent: Vec<(String, String)>,
    /// By each document's language, where the operator named no policy.
    by_language: bool,
    key: SecretKey,
    tables: SurrogateTables,
    /// Engines with the surrogates of one API key, by policy and name of the key.
    keyed: Mutex<HashMap<(usize, String), Arc<Engine>>>,
    names_asked: NamesAsked,
    refuse_below: Option<f32>,
    parser: RequestParser,
}

/// One treated document, ready to send.
pub(crate) struct Answer {
    pub(crate) json: Vec<u8>,
    /// How many spans of each label, by [`Label::index`].
    pub(crate) spans: Vec<u32>,
    /// Which of the offers was used, if one was.
    pub(crate) policy: Option<usize>,
    /// Distinct names that the caller has sent with this patient so far; `None` without a patient.
    pub(crate) names_of_patient: Option<u64>,
}

/// Why a shipped policy is offered only to a service that names it.
fn only_by_name(policy: &Policy) -> Option<String> {
    policy.uses_transformer().then(|| {
        format!(
            "policy `{name}` reads with a transformer, which takes some 300 MB and is slower: name `{name}` when the \
             service is started to offer it",
            name = policy.name
        )
    })
}

impl Offers {
    /// Builds the policies named, or all that ship but those with a transformer. A named one that cannot be built keeps
    /// the service from starting.
    pub(crate) fn new(
        policies: &[String],
        key: SecretKey,
        tables: SurrogateTables,
        refuse_below: Option<f32>,
    ) -> Result<Self, Error> {
        let without_name = table_key(&key, tables, None)?;
        let shipped: Vec<String> = SHIPPED.iter().map(|(name, _)| (*name).to_owned()).collect();
        let by_language = policies.is_empty();
        let (mut offers, mut absent): (Vec<Offer>, _) = (Vec::new(), Vec::new());
        for given in if by_language { &shipped } else { policies } {
            let policy = Policy::load(given)?;
            if by_language && let Some(why) = only_by_name(&policy) {
                absent.push((policy.name, why));
                continue;
            }
            let Policy { name, description, language, .. } = policy;
            if offers.iter().any(|o| o.name == name) {
                return Err(Error::usage(format!(
                    "two policies are named `{name}`; give each a name of its own"
                )));
            }
            let engine = Engine::new(Some(given), None, Some(&key))?.with_key(&without_name, &key)?;
            let engine = Arc::new(engine);
            offers.push(Offer { name, description, language, engine });
        }
        Ok(Offers {
            offers,
            absent,
            by_language,
            key,
            tables,
            keyed: Mutex::default(),
            names_asked: NamesAsked::default(),
            refuse_below,
            parser: RequestParser::default(),
        })
    }

    /// The engine of a policy with the surrogates of a caller.
    fn engine(&self, policy: usize, caller: &Caller) -> Result<Arc<Engine>, Problem> {
        let offer = self.offers.get(policy).ok_or(Problem::Fault)?;
        let Some(name) = caller.name.as_ref().filter(|_| self.tables == SurrogateTables::PerCaller) else {
            return Ok(offer.engine.clone());
        };
        let place = (policy, name.clone());
        if let Some(engine) = self.keyed.lock().unwrap_or_else(PoisonError::into_inner).get(&place) {
            return Ok(engine.clone());
        }
        let engine = offer.engine.with_key(&self.key_of(caller)?, &self.key).map_err(|_| Problem::Fault)?;
        let mut keyed = self.keyed.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(keyed.entry(place).or_insert_with(|| Arc::new(engine)).clone())
    }

    /// What a caller's surrogates are drawn from.
    pub(crate) fn key_of(&self, caller: &Caller) -> Result<SecretKey, Problem> {
        table_key(&self.key, self.tables, caller.name.as_deref()).map_err(|_| Problem::Fault)
    }

    /// What keeps shipped policies from being offered.
    pub(crate) fn absent(&self) -> impl Iterator<Item = &str> {
        self.absent.iter().map(|(_, why)| why.as_str())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Offer> {
        self.offers.iter()
    }

    /// What requests that name no policy get.
    pub(crate) fn default(&self) -> Option<&Offer> {
        self.offers.first().filter(|_| !self.by_language)
    }

    pub(crate) fn name(&self, policy: usize) -> &str {
        self.offers.get(policy).map_or("", |o| &o.name)
    }

    pub(crate) fn find(&self, name: &str) -> Result<usize, Problem> {
        self.offers.iter().position(|o| o.name == name).ok_or_else(|| {
            if let Some((_, why)) = self.absent.iter().find(|(absent, _)| absent == name) {
                return Problem::MissingModel(why.clone());
            }
            let known: Vec<_> = self.offers.iter().map(|o| o.name.as_str()).collect();
            Problem::UnknownPolicy(known.join(", "))
        })
    }

    /// Reads, treats and prints one document.
    pub(crate) fn treat(
        &self,
        json: &[u8],
        task: Task,
        ask: &Ask,
        context: JobContext<'_>,
    ) -> Result<Answer, Problem> {
        self.treat_document(self.parse(json)?, task, ask, context)
    }

    /// Reads the body of a request, or one line of a batch.
    pub(crate) fn parse(&self, json: &[u8]) -> Result<Request, Problem> {
        self.parser.parse(json).map_err(|error| match error.kind() {
            ErrorKind::Refused => Problem::Refused(error.to_string()),
            _ => Problem::BadJson(error.to_string()),
        })
    }

    /// What identifies people in a text, in bytes of it, and which of the offers was used.
    pub(crate) fn search(
        &self,
        text: &str,
        language: Language,
        cancel: &CancelFlag,
    ) -> Result<(Vec<Entity>, usize), Problem> {
        let policy = if self.by_language { self.find(language.key())? } else { 0 };
        let engine = &self.offers[policy].engine;
        if let Some(forced) = engine.language().filter(|forced| *forced != language) {
            return Err(Problem::OtherLanguage(forced));
        }
        if text.len() > Note::MAX_BYTES {
            return Err(Problem::TooLarge(Note::MAX_BYTES));
        }
        let id = text_id(&self.key, text).map_err(|_| Problem::Fault)?;
        let mut document = Document::new(id, text);
        document.open_text().map_err(|why| Problem::Refused(why.to_string()))?;
        if !document.form.is_plain() {
            let form = document.form.name();
            let why = format!(
                "the text is {form}, where offsets would not be yours; send plain text, or use /v1/deid"
            );
            return Err(Problem::Refused(why));
        }
        let note = document.into_note(Some(language)).map_err(|_| Problem::Fault)?;
        let (_, found) = engine.find_unless(note, cancel).map_err(failed)?;
        Ok((found.entities, policy))
    }

    /// What replaces the id of a document that is refused: its own is not in the answer.
    pub(crate) fn refused_id(&self, id: &str, caller: &Caller) -> Option<String> {
        self.engine(0, caller).ok()?.join_key(Language::Fr, IdKind::Document, id)
    }

    /// The same for a document that was read, whose id, if any, the caller may still want.
    pub(crate) fn treat_document(
        &self,
        request: Request,
        task: Task,
        ask: &Ask,
        context: JobContext<'_>,
    ) -> Result<Answer, Problem> {
        let JobContext { caller, cancel } = context;
        let Request { mut document, policy, has_patient, has_date, has_visit } = request;
        let named = policy.or_else(|| ask.policy.clone());
        let named = named.map(|name| self.find(&name)).transpose()?;
        let lang = document.language.or(ask.lang);
        let chosen = match named {
            Some(policy) => Some(policy),
            None if self.by_language => None,
            None => Some(0),
        };
        let forced = chosen.and_then(|policy| self.offers[policy].engine.language());
        if let (Some(forced), Some(lang)) = (forced, lang)
            && forced != lang
        {
            return Err(Problem::OtherLanguage(forced));
        }
        if document.text.len() > Note::MAX_BYTES {
            return Err(Problem::TooLarge(Note::MAX_BYTES));
        }
        let id = Some(document.id.clone()).filter(|id| !id.is_empty());
        if id.is_none() {
            // No two documents without a name may share their surrogates, unless they are the same.
            document.id = text_id(&self.key, &document.text).map_err(|_| Problem::Fault)?;
        }
        let visit = document.visit.take();
        let settled = document.final_spans.take();
        let note = document.take_note(forced.or(lang)).map_err(|_| Problem::Fault)?;
        let policy = match chosen {
            Some(policy) => policy,
            None => self.find(note.language.key())?,
        };
        let engine = self.engine(policy, caller)?;
        let id = id.as_deref();
        let mut names_of_patient = None;
        let mut json = Vec::with_capacity(note.raw().len() + note.raw().len() / 2 + 64);
        let mut spans = vec![0; Label::ALL.len()];
        match task {
            Task::Detect => {
                let found = match &settled {
                    Some(spans) => engine.settled(note, spans, &TrustedRecord::default()),
                    None => engine.find_unless(note, cancel),
                };
                let (note, found) = found.map_err(failed)?;
                let entities = found.entities;
                entities.iter().for_each(|e| spans[e.label.index()] += 1);
                let found = found_spans(ask.scheme.unwrap_or(Scheme::Taire), note.raw(), &entities);
                push_annotation(&mut json, id, note.raw(), &found, ask.offsets);
                if !document.form.is_plain() {
                    push_value(&mut json, "form", Some(document.form.name()));
                }
            }
            Task::Deid => {
                let join = |id: String| engine.join_key(note.language, IdKind::Visit, &id);
                let visit = visit.and_then(join);
                let found = match &settled {
                    Some(spans) => engine.settled(note, spans, &TrustedRecord::default()),
                    None => engine.find_unless(note, cancel),
                };
                let (note, findings) = found.map_err(failed)?;
                names_of_patient = note.patient.as_ref().map(|patient| {
                    let name = |e: &&Entity| matches!(e.label, Label::GivenName | Label::FamilyName);
                    let names = findings.entities.iter().filter(name);
                    let names = names.filter_map(|e| note.raw().get(e.span.start()..e.span.end()));
                    self.names_asked.add(&caller.share, patient, names)
                });
                let done = engine.rewrite_findings(&note, findings).map_err(failed)?;
                let floor = self.refuse_below.filter(|_| settled.is_none());
                if let Some(why) = floor.and_then(|below| done.doubt.refusal(below)) {
                    return Err(Problem::Refused(why));
                }
                done.entities.iter().for_each(|e| spans[e.label.index()] += 1);
                let id = id.map(|_| done.id.as_str());
                let new = done.written_spans();
                if document.form.is_plain() {
                    push_annotation(&mut json, id, &done.text, &new, ask.offsets);
                } else {
                    let text = document.written_text(&done.text, &new);
                    let text = text.map_err(|error| Problem::Refused(error.to_string()))?;
                    push_text_in_form(&mut json, id, &text, &done.text, &new, ask.offsets);
                    push_value(&mut json, "form", Some(document.form.name()));
                }
                if has_patient {
                    push_value(&mut json, "patient", done.patient.as_deref());
                }
                if has_visit {
                    push_value(&mut json, "visit", visit.as_deref());
                }
                if has_date {
                    push_value(&mut json, "date", done.date.map(|d| d.to_string()).as_deref());
                }
            }
        }
        push_value(&mut json, "offsets", Some(unit(ask.offsets)));
        json.push(b'}');
        Ok(Answer { json, spans, policy: Some(policy), names_of_patient })
    }
}

/// What the surrogates of a caller are drawn from: the service's key, or a subkey by the name of the API key. Ids that join
/// tables are those of the service's key for everybody. The name and
/// not the key itself, so that a key that is replaced under its name keeps its surrogates.
fn table_key(key: &SecretKey, tables: SurrogateTables, caller: Option<&str>) -> Result<SecretKey, Error> {
    if tables == SurrogateTables::Shared {
        return Ok(key.clone());
    }
    let purpose = if caller.is_some() { "service caller" } else { "service" };
    let subkey = key.subkey(purpose, caller.unwrap_or_default().as_bytes()).map_err(taire::Error::from)?;
    SecretKey::from_bytes(&*subkey).map_err(taire::Error::from)
}

/// A refused document is answered as refused; any other error is an internal fault.
fn failed(error: taire::Error) -> Problem {
    match error.kind() {
        ErrorKind::Refused => Problem::Refused(error.to_string()),
        _ => Problem::Fault,
    }
}

fn push_value(json: &mut Vec<u8>, key: &str, value: Option<&str>) {
    json.push(b',');
    push_string(json, key);
    json.push(b':');
    match value {
        Some(value) => push_string(json, value),
        None => json.extend_from_slice(b"null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn offers(policies: &[&str], refuse_below: Option<f32>) -> Offers {
        let policies: Vec<String> = policies.iter().map(|p| (*p).to_owned()).collect();
        let key = SecretKey::from_bytes(&[7; 32]).unwrap();
        Offers::new(&policies, key, SurrogateTables::PerCaller, refuse_below).unwrap()
    }

    fn caller(name: Option<&str>) -> Caller {
        Caller { name: name.map(str::to_owned), share: name.unwrap_or("127.0.0.1").to_owned() }
    }

    fn treat(offers: &Offers, body: &str, caller: &Caller) -> Result<Answer, Problem> {
        treat_as(offers, body.as_bytes(), Task::Deid, &Ask::default(), caller)
    }

    fn treat_as(
        offers: &Offers,
        body: &[u8],
        task: Task,
        ask: &Ask,
        caller: &Caller,
    ) -> Result<Answer, Problem> {
        offers.treat(body, task, ask, JobContext { caller, cancel: &CancelFlag::default() })
    }

    fn deid(offers: &Offers, body: &str) -> Value {
        let answer = treat(offers, body, &caller(None)).map_err(|p| p.message()).unwrap();
        serde_json::from_slice(&answer.json).unwrap()
    }

    #[test]
    fn spans_of_a_request_are_final() {
        let offers = offers(&["bigeard"], None);
        let text = "Mme KERVADEC, suivie à Brest avec Ambre";
        let body = |spans: &str| format!(r#"{{"lang":"fr","text":"{text}","spans":{spans}}}"#);
        let new = deid(&offers, &body(r#"[{"start":34,"end":39,"label":"GivenName","role":"Relative"}]"#));
        let new = new["text"].as_str().unwrap();
        assert!(new.contains("Mme KERVADEC, suivie à Brest") && !new.contains("Ambre"), "{new}");
        assert_eq!(deid(&offers, &body("[]"))["text"], text);
        assert_ne!(deid(&offers, &body("null"))["text"], text);
        for (spans, says) in [
            (r#"[[34,99,"City"]]"#, "span 1 lies outside the text"),
            (r#"[[0,3,"City"],[2,5,"City"]]"#, "overlap"),
            (r#"[[0,3,"Durand"]]"#, "span 1 has a label"),
            (r#"[[3,3,"City"]]"#, "span 1 is empty"),
        ] {
            let refused = treat(&offers, &body(spans), &caller(None));
            let message = refused.map(|_| ()).map_err(|p| p.message()).unwrap_err();
            assert!(message.contains(says) && !message.contains("Durand"), "{message}");
        }
    }

    /// The attack on the service: thirty requests with a known patient number, each with another name, and the names that
    /// come back are compared with a document of the same patient that somebody else sent or that was released.
    fn oracle_matches(guessing: &Offers, guesser: &Caller, releasing: &Offers, releaser: &Caller) -> usize {
        let families = [
            "KERVADEC",
            "QUEMENEUR",
            "LAGADEC",
            "TANGUY",
            "BOURHIS",
            "GUILLOU",
            "PRIGENT",
            "ABGRALL",
            "COADOU",
            "SALAUN",
            "CORRE",
            "MADEC",
            "NEDELEC",
            "RIOU",
            "LE GOFF",
            "JEZEQUEL",
            "KERJEAN",
            "MORVAN",
            "PERON",
            "QUERE",
            "ROUDAUT",
            "SEITE",
            "TROADEC",
            "URVOAS",
            "BODENES",
            "CADIOU",
            "DANTEC",
            "FLOCH",
            "GOURMELON",
            "HELIES",
        ];
        let surrogate = |offers: &Offers, caller: &Caller, family: &str| {
            let body = format!(
                r#"{{"lang":"fr","patient":"800417","text":"Monsieur Alban {family}, né le 03/05/1950, vu ce jour."}}"#
            );
            let answer = treat(offers, &body, caller).map_err(|p| p.message()).unwrap();
            let value: Value = serde_json::from_slice(&answer.json).unwrap();
            value["text"].as_str().unwrap().split(',').next().unwrap().to_owned()
        };
        families
            .iter()
            .filter(|family| surrogate(guessing, guesser, family) == surrogate(releasing, releaser, family))
            .count()
    }

    #[test]
    fn a_caller_cannot_test_names_against_a_release_or_another_caller() {
        let policies = ["fr".to_owned()];
        let key = SecretKey::from_bytes(&[7; 32]).unwrap();
        let open = |tables| Offers::new(&policies, key.clone(), tables, None).unwrap();
        let (own, shared) = (open(SurrogateTables::PerCaller), open(SurrogateTables::Shared));
        let (ward, lab, nobody) = (caller(Some("ward")), caller(Some("lab")), caller(None));
        // The weak setting: the surrogates of the release, by which every guess is confirmed.
        assert_eq!(oracle_matches(&shared, &ward, &shared, &lab), 30);
        assert!(oracle_matches(&own, &ward, &shared, &lab) <= 1);
        assert!(oracle_matches(&own, &nobody, &shared, &nobody) <= 1);
        assert!(oracle_matches(&own, &ward, &own, &lab) <= 1);
        assert!(oracle_matches(&own, &ward, &own, &nobody) <= 1);
        // One caller's documents agree with each other.
        assert_eq!(oracle_matches(&own, &ward, &own, &ward), 30);
        let body = r#"{"lang":"fr","patient":"800417","text":"Monsieur Alban KERVADEC, vu ce jour."}"#;
        let asked = treat(&own, body, &ward).ok().and_then(|answer| answer.names_of_patient);
        assert_eq!(asked, Some(31), "thirty families and a given name");
        assert_eq!(
            treat(&own, r#"{"text":"Monsieur Alban KERVADEC, vu ce jour."}"#, &ward)
                .ok()
                .unwrap()
                .names_of_patient,
            None
        );
    }

    #[test]
    fn documents_without_a_name_share_nothing_unless_they_are_the_same() {
        let offers = offers(&["bigeard"], None);
        let note = |rest: &str| {
            format!(r#"{{"lang":"fr","text":"Monsieur Alban KERVADEC, né le 03/05/1950. {rest}"}}"#)
        };
        let once = deid(&offers, &note("Revu."));
        assert_eq!(once, deid(&offers, &note("Revu.")));
        let name = |v: &Value| v["text"].as_str().unwrap().split(',').next().unwrap().to_owned();
        let others: Vec<String> =
            ["A", "B", "C", "D"].iter().map(|r| name(&deid(&offers, &note(r)))).collect();
        assert!(others.iter().any(|n| *n != name(&once)), "{others:?}");
        assert!(once.get("id").is_none() && once.get("patient").is_none());
        assert_eq!(once["offsets"], "codepoints");
    }

    /// Defect: a blank patient id was an id, and joined the documents of strangers.
    #[test]
    fn blank_patient_ids_do_not_join_strangers() {
        let offers = offers(&["fr"], None);
        let request = |id: &str, patient: &str| {
            let text =
                format!("Monsieur Alban KERVADEC, né le 03/05/1950. Revu {}.", "encore ".repeat(id.len()));
            deid(&offers, &format!(r#"{{"id":"{id}","lang":"fr","patient":"{patient}","text":"{text}"}}"#))
        };
        assert_eq!(request("a", "7")["text"], request("b", " 7 ")["text"], "one patient, two documents");
        let name = |v: &Value| v["text"].as_str().unwrap().split(',').next().unwrap().to_owned();
        let ids = ["a", "bb", "ccc", "dddd", "eeeee"];
        let strangers: BTreeSet<String> = ids.iter().map(|id| name(&request(id, " "))).collect();
        assert!(strangers.len() > 1, "documents without a patient share their surrogates");
        assert_eq!(request("a", " ")["text"], request("a", "")["text"]);
        assert!(request("a", " ")["patient"].is_null());
    }

    #[test]
    fn policies_and_languages_are_checked() {
        let offers = offers(&["fr", "bigeard"], None);
        let fail = |body: &str| {
            treat_as(&offers, body.as_bytes(), Task::Detect, &Ask::default(), &caller(None)).err().unwrap()
        };
        assert_eq!(fail(r#"{"text":"a","policy":"es"}"#).status(), 404);
        assert_eq!(fail(r#"{"text":"a","policy":"../fr.toml"}"#).status(), 404);
        assert_eq!(fail(r#"{"text":"a","lang":"es"}"#).status(), 409);
        let ask = Ask { policy: Some("none".into()), ..Ask::default() };
        assert!(matches!(
            treat_as(&offers, br#"{"text":"a"}"#, Task::Detect, &ask, &caller(None)),
            Err(Problem::UnknownPolicy(_))
        ));
        assert_eq!(offers.default().unwrap().name, "fr");
    }

    #[test]
    fn a_policy_with_a_transformer_is_offered_by_name_only() {
        let offers = offers(&[], None);
        assert_eq!(offers.absent().count(), 4);
        assert!(offers.iter().all(|o| !o.name.ends_with("-deep")) && offers.iter().any(|o| o.name == "fr"));
        let body = br#"{"text":"a","policy":"es-deep"}"#;
        let problem = treat_as(&offers, body, Task::Deid, &Ask::default(), &caller(None)).err().unwrap();
        assert_eq!((problem.status().as_u16(), problem.code()), (409, "missing_model"));
        assert!(problem.message().contains("name `es-deep` when the service is started"));
    }

    #[test]
    fn what_is_not_sure_enough_is_held_back() {
        let offers = offers(&["fr"], Some(1.0));
        let body = br#"{"text":"Vu ce jour M. Durand Alban, adress\u00e9 par le Dr Le Goff de Quimper."}"#;
        let refused = treat_as(&offers, body, Task::Deid, &Ask::default(), &caller(None)).err().unwrap();
        assert_eq!(refused.status(), 422);
        assert!(!refused.message().contains("Durand"));
    }
}
