//! Repeated texts take time with their length. `cargo measure pathological` measures them at 1 to 8 MB.

use std::time::Duration;

use taire::{Engine, Language, Policy, SecretKey};
use taire_fuzz::{PATHOLOGICAL, Pathological};
use taire_text::Note;

const SHORT: usize = 16 << 10;
/// How many times longer the second text is: linear time grows as much, quadratic time by its square.
const TIMES: usize = 4;
const MOST_GROWTH: f64 = 9.0;
/// What takes less at the longer length is not judged: noise is as large.
const NOISE: Duration = Duration::from_millis(250);

/// Processor time of this thread, so that other tests on the machine do not count.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

fn time(engine: &Engine, text: &Pathological, bytes: usize) -> Duration {
    let note =
        Note::builder("a", text.text(bytes)).language(engine.language()).build().expect("a short note");
    let start = cpu_time();
    let (note, found) = engine.find(note).expect("any text is searched");
    engine.rewrite_findings(&note, found).expect("any text is rewritten");
    cpu_time() - start
}

#[test]
fn time_grows_with_the_length() {
    let key = SecretKey::from_bytes(&[7; 32]).expect("a key");
    let mut policy = Policy::shipped("fr").expect("a shipped policy");
    policy.detect.sources.retain(|source| !source.0.is_learned());
    let engine = Engine::of_policy(&policy, Some(Language::Fr), Some(&key)).expect("the rules of a policy");
    // Lists are read when they are first asked for.
    time(&engine, &PATHOLOGICAL[0], SHORT);
    let mut slow = Vec::new();
    for text in PATHOLOGICAL {
        // A text is slow when it is so twice.
        let is_slow = || {
            let long = time(&engine, text, TIMES * SHORT);
            long > NOISE && long.as_secs_f64() > MOST_GROWTH * time(&engine, text, SHORT).as_secs_f64()
        };
        if is_slow() && is_slow() {
            slow.push(text.name);
        }
    }
    assert!(slow.is_empty(), "time grows faster than the length of: {slow:?}");
}

/// Defect: what the student said of dates and of streets was compared with all that rules had said, or with all that followed.
#[test]
fn time_with_the_student_grows_with_the_length() {
    let key = SecretKey::from_bytes(&[7; 32]).expect("a key");
    let engine = Engine::new(Some("fr"), Some(Language::Fr), Some(&key)).expect("a shipped policy");
    for name in ["ways without a name", "dates"] {
        let text = PATHOLOGICAL.iter().find(|text| text.name == name).expect("a listed text");
        let is_slow = || {
            let (short, long) = (time(&engine, text, 16 * SHORT), time(&engine, text, 64 * SHORT));
            long.as_secs_f64() > 6.5 * short.as_secs_f64()
        };
        assert!(!is_slow() || !is_slow(), "time grows faster than the length of {name}");
    }
}

#[test]
fn a_ruler_of_a_megabyte_before_a_key_is_no_deep_recursion() {
    let key = SecretKey::from_bytes(&[7; 32]).expect("a key");
    let engine = Engine::new(Some("fr"), Some(Language::Fr), Some(&key)).expect("a shipped policy");
    let text = format!("{}Nom : KERVADEC", "*".repeat(1 << 20));
    let note = Note::builder("a", text).language(Some(Language::Fr)).build().expect("a short note");
    let done = engine.run(note).expect("any text is rewritten");
    assert!(!done.text.contains("KERVADEC"));
}
