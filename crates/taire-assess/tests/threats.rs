//! The attacks of the threat model on what the shipped policies make of an invented hospital, and on settings that are weak on
//! purpose. Identifying spans are known, so what is measured is rewriting.

use std::sync::LazyLock;

use taire::{Policy, SecretKey};
use taire_assess::{Observed, ObservedCorpora, RiskAssessment, RiskSettings, Threat, ThreatResult, assess};
use taire_corpus::hospital::notes::notes;
use taire_surrogate::Rewriter;
use taire_text::{Entity, Note};

type Record = Vec<(Note, Vec<Entity>)>;

const PATIENTS: u64 = 400;

static HOSPITAL: LazyLock<Vec<Record>> =
    LazyLock::new(|| (0..PATIENTS).map(|i| notes(2015, i).expect("notes")).collect());

fn originals(records: &[Record]) -> Vec<Observed> {
    records.iter().flatten().map(|(note, entities)| Observed::read(note, entities)).collect()
}

fn release(policy: &Policy, key: u8, records: &[Record]) -> Vec<Observed> {
    let key = SecretKey::from_bytes(&[key; 32]).expect("a key");
    let rewriter = Rewriter::new(key, policy.rewrite.clone()).expect("a rewriter");
    records.iter().flat_map(|record| Observed::read_release(&rewriter, record).expect("rewritten")).collect()
}

fn policy(toml: &str) -> Policy {
    Policy::from_toml(toml).expect("a policy")
}

fn measure(policy: &Policy) -> RiskAssessment {
    let original = originals(&HOSPITAL);
    let releases = [release(policy, 1, &HOSPITAL), release(policy, 2, &HOSPITAL)];
    let other = Policy::load("bigeard").expect("a shipped policy");
    let same_key = release(&other, 1, &HOSPITAL);
    let corpora = ObservedCorpora { original: &original, releases: &releases, same_key: Some(&same_key) };
    let settings = RiskSettings { policy: Some(policy.clone()), ..RiskSettings::default() };
    assess(corpora, &settings).expect("measured")
}

fn result(risk: &RiskAssessment, threat: Threat) -> &ThreatResult {
    risk.attacks.threats.results.get(threat).expect("every attack has a result")
}

fn share(risk: &RiskAssessment, threat: Threat) -> f64 {
    result(risk, threat).success.map_or(0.0, |s| s.attack.share)
}

/// What surrogates can withstand; season and intervals a calendar cannot.
const WITHSTOOD: [Threat; 9] = [
    Threat::ExclusionPlace,
    Threat::ExclusionInitial,
    Threat::AveragingBirth,
    Threat::AveragingTown,
    Threat::SameKey,
    Threat::Correction,
    Threat::OldAge,
    Threat::FileName,
    Threat::RealName,
];

#[test]
fn shipped_policies_withstand_what_surrogates_can() {
    for name in ["fr", "hybrid", "metric"] {
        let risk = measure(&Policy::load(name).expect("a shipped policy"));
        for threat in WITHSTOOD {
            let found = result(&risk, threat);
            assert!(!found.better_than_chance, "{name}: {threat:?} {found:?}");
        }
        let run = WITHSTOOD.iter().filter(|t| result(&risk, **t).success.is_some()).count();
        assert!(run >= 7, "{name}: {run} of the attacks were run");
    }
}

#[test]
fn a_calendar_that_keeps_intervals_is_joined() {
    let risk = measure(&Policy::load("fr").expect("a shipped policy"));
    assert!(share(&risk, Threat::JoinedReleases) > 0.3, "{}", risk.to_markdown());
    assert!(share(&risk, Threat::JoinedRegister) > 0.3);
    let shift = measure(&policy("extends = \"fr\"\n[rewrite]\ndates = { method = \"shift\" }"));
    assert!(share(&shift, Threat::JoinedRegister) > share(&risk, Threat::JoinedRegister));
}

/// Twenty letters of a patient, each with fresh noise, which a patient column joins.
#[test]
fn letters_that_a_column_joins_are_averaged() {
    let twenty = |record: &Record| -> Record {
        let (first, entities) = &record[0];
        let copy = |i: usize| {
            let note = Note::builder(format!("{}-{i}", first.id), first.raw())
                .patient(first.patient.clone())
                .date(first.date)
                .language(Some(first.language));
            (note.build().expect("a note"), entities.clone())
        };
        (0..20).map(copy).collect()
    };
    let records: Vec<Record> = HOSPITAL.iter().take(100).map(twenty).collect();
    let metric = policy("extends = \"metric\"\n[rewrite]\nplaces = { method = \"geo\", epsilon = 1.0 }");
    let original = originals(&records);
    let fresh = release(&metric, 1, &records);
    let run = |release: Vec<Observed>| {
        let corpora = ObservedCorpora { original: &original, releases: &[release], same_key: None };
        assess(corpora, &RiskSettings::default()).expect("measured")
    };
    let patients = records.iter().flatten().map(|(note, _)| note.patient.as_deref().unwrap_or_default());
    let linked = fresh.into_iter().zip(patients).map(|(o, p)| o.link_to_patient(p)).collect();
    let risk = run(linked);
    for threat in [Threat::AveragingBirth, Threat::AveragingTown] {
        assert!(result(&risk, threat).better_than_chance, "{threat:?} {:?}", result(&risk, threat));
    }
    assert!(result(&risk, Threat::SameKey).not_run.is_some_and(|why| why.contains("--same-key")));
    assert!(result(&risk, Threat::Correction).not_run.is_some());
    // The policy as it ships gives each letter an id of its own.
    let shipped = run(release(&metric, 1, &records));
    for threat in [Threat::AveragingBirth, Threat::AveragingTown] {
        assert!(result(&shipped, threat).not_run.is_some_and(|why| why.contains("patient id in common")));
    }
}

/// One key and one policy twice: what a derivation without the policy would give.
#[test]
fn one_key_opens_a_release_of_the_same_derivation() {
    let fr = Policy::load("fr").expect("a shipped policy");
    let original = originals(&HOSPITAL);
    let releases = [release(&fr, 1, &HOSPITAL)];
    let again = release(&fr, 1, &HOSPITAL);
    let corpora = ObservedCorpora { original: &original, releases: &releases, same_key: Some(&again) };
    let risk = assess(corpora, &RiskSettings::default()).expect("measured");
    assert_eq!(share(&risk, Threat::SameKey), 1.0);
    assert!(result(&risk, Threat::SameKey).better_than_chance);
}

/// Birth dates and ages that are kept, whole years, towns and professions in place.
#[test]
fn what_a_weak_policy_keeps_is_found() {
    let kept = policy(
        "extends = \"fr\"\n[rewrite]\nold_age = 130\n[rewrite.labels]\nBirthDate = \"keep\"\nDate = \"keep\"\nAge = \"keep\"\n\
         City = \"keep\"\n",
    );
    let original = originals(&HOSPITAL);
    let releases = [release(&kept, 1, &HOSPITAL)];
    let corpora = ObservedCorpora { original: &original, releases: &releases, same_key: None };
    let risk = assess(corpora, &RiskSettings::default()).expect("measured");
    for threat in [Threat::OldAge, Threat::Season, Threat::JoinedRegister, Threat::Inference] {
        assert!(result(&risk, threat).better_than_chance, "{threat:?} {:?}", result(&risk, threat));
    }
    assert!(share(&risk, Threat::OldAge) > 0.9 && share(&risk, Threat::Season) == 1.0);
    let inference = &risk.attacks.threats.inference;
    assert!(inference.before.share > 0.5 && inference.after.attack.share > 0.5, "{inference:?}");
}
