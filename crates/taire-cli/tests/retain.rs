//! `taire retain`: counts that must come out, and lists that only their owner may read.

mod common;

use std::fs;

use common::{examples, taire};
use serde_json::Value;

const BEFORE: &str = "{\"id\":\"a\",\"text\":\"Maladie de Crohn, CRP à 112 mg/l, amiodarone 200 mg/j. TDM le 3 mai 2019.\"}\n\
                      {\"id\":\"b\",\"text\":\"Patient asthmatique, coloscopie normale.\"}\n{\"id\":\"c\",\"text\":\"Angor.\"}\n";
const AFTER: &str = "{\"id\":\"b\",\"text\":\"Patient asthmatique, coloscopie normale.\"}\n\
                     {\"id\":\"a\",\"text\":\"Maladie de Morel, CRP à 112 mg/l, amiodarone @@@ mg/j. TDM le 8 juin 2017.\"}\n";

#[test]
fn losses_are_counted_and_named_in_a_private_list_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let (before, after, out) =
        (folder.path().join("before.jsonl"), folder.path().join("after.jsonl"), folder.path().join("out"));
    fs::write(&before, BEFORE).expect("written");
    fs::write(&after, AFTER).expect("written");
    let paths = [&before, &after, &out].map(|p| p.display().to_string());
    let args = ["retain", &paths[0], &paths[1], "--lang", "fr", "-o", &paths[2], "--format", "json"];
    let run = taire(&args);
    assert_eq!(run.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let of = |category: &str, key: &str| report["categories"][category][key].as_u64();
    assert_eq!((report["documents"].as_u64(), report["not_released"].as_u64()), (Some(2), Some(1)));
    assert_eq!(
        (of("disease", "before"), of("disease", "kept"), of("disease", "lost")),
        (Some(2), Some(1), Some(1))
    );
    assert_eq!((of("measure", "before"), of("measure", "lost")), (Some(1), Some(1)));
    assert_eq!((of("result", "kept"), of("drug", "kept"), of("act", "kept")), (Some(1), Some(1), Some(2)));
    assert!(report["categories"]["code"]["share"].is_null());
    let read = |name: &str| fs::read_to_string(out.join(name)).expect(name);
    assert_eq!(
        read("retain-lost.csv"),
        "document,category,term,times\n\"a\",disease,\"maladie de crohn\",1\n\"a\",measure,\"200 mg/j\",1\n"
    );
    for public in [read("retain.md"), read("retain.json"), String::from_utf8_lossy(&run.stdout).into_owned()]
    {
        assert!(!public.to_lowercase().contains("crohn"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(out.join("retain-lost.csv")).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let strict = taire(&["retain", &paths[0], &paths[1], "--lang", "fr", "--at-least", "0.9"]);
    assert_eq!(strict.status.code(), Some(1));
    let asked = taire(&["retain", &paths[0], &paths[1], "--lang", "fr", "--show-lost"]);
    assert!(String::from_utf8_lossy(&asked.stdout).contains("maladie de crohn"));
}

#[test]
fn nothing_is_lost_between_a_corpus_and_itself_and_strangers_are_refused() {
    let examples = examples().display().to_string();
    let same = taire(&["retain", &examples, &examples, "--format", "json", "--at-least", "1"]);
    assert_eq!(same.status.code(), Some(0), "{}", String::from_utf8_lossy(&same.stderr));
    let report: Value = serde_json::from_slice(&same.stdout).expect("JSON");
    assert_eq!(report["all"]["lost"].as_u64(), Some(0));
    assert!(report["all"]["before"].as_u64().is_some_and(|n| n > 100));
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("x.jsonl");
    fs::write(&other, "{\"id\":\"nobody\",\"text\":\"Angor.\"}\n").expect("written");
    let strangers = taire(&["retain", &examples, &other.display().to_string()]);
    assert_eq!(strangers.status.code(), Some(2));
}
