//! The pattern engine and the rewriting of what it finds: places that lie in the text, the same answer twice, and nothing
//! left of an identity that was known.

use std::sync::{Arc, OnceLock};

use taire::{Engine, SecretKey};
use taire_formats::known_from_json;
use taire_text::{KnownIdentity, Language, Note, fold};

const LONGEST: usize = 4_000;
pub(crate) const KNOWN: &str = r#"{"patient":"7719046502","family_name":"Escoubès","given_names":["Philomène"],
    "birth_date":"1952-11-04","ids":{"ipp":"7719046502"},"phones":["05 62 98 41 77"],"emails":["ph.escoubes@orange.fr"]}"#;
/// As they are searched: whole words, folded.
const WORDS: [&str; 3] = ["escoubes", "philomene", "7719046502"];

struct Bench {
    engine: Engine,
    known: Arc<KnownIdentity>,
}

fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let key = SecretKey::from_bytes(&[7; 32]).expect("a key");
        let known = known_from_json(&serde_json::from_str(KNOWN).expect("an object")).expect("an identity");
        Bench {
            engine: Engine::new(None, None, Some(&key)).expect("the shipped policies"),
            known: Arc::new(known),
        }
    })
}

/// The first byte tells the language.
pub(crate) fn run(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let language = if first % 2 == 0 { Language::Fr } else { Language::Es };
    let text: String = String::from_utf8_lossy(&rest[..rest.len().min(LONGEST)]).into_owned();
    let Bench { engine, known } = bench();
    let note = || {
        Note::builder("a", text.clone())
            .language(Some(language))
            .patient(known.patient.clone())
            .known(Some(known.clone()))
            .build()
            .expect("a note of a few kilobytes")
    };
    let (_, found) = engine.find(note()).expect("any text is searched");
    let mut from = 0;
    for entity in &found.entities {
        let (start, end) = (entity.span.start(), entity.span.end());
        assert!(start >= from && start < end && text.get(start..end).is_some(), "a span is out of place");
        from = end;
    }
    let done = engine.run(note()).expect("any text is rewritten");
    let again = engine.run(note()).expect("any text is rewritten");
    assert!(
        done.text == again.text && done.entities == again.entities,
        "the same text was treated otherwise"
    );
    let mut from = 0;
    for written in &done.written {
        let range = written.range.clone();
        assert!(
            range.start >= from && done.text.get(range.clone()).is_some(),
            "what was written is out of place"
        );
        from = range.end;
    }
    let folded = fold(&done.text);
    let words: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).collect();
    for word in WORDS {
        assert!(!words.contains(&word), "a known identity is left");
    }
}
