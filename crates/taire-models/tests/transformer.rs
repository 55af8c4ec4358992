//! A tiny transformer learns invented letters, goes on after a kill, and is refused when its folder is not whole.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use taire_detect::Detector;
use taire_models::{
    CrfDetector, GoldDocument, GoldSpan, TrainOptions, TransformerDetector, TransformerOptions,
    TransformerProgress, train, train_transformer,
};
use taire_text::{Label, Language, Mention, Note, Source, Span};

fn encoder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../taire-encoder/tests/families/minilm")
}

fn gold(count: usize, from: usize) -> Vec<GoldDocument> {
    let given = ["Jean", "Marie", "Luc", "Anne", "Paul"];
    let family = ["Dupont", "Martin", "Petit", "Moreau", "Lefort", "Garnier"];
    let towns = ["Évreux", "Madrid", "Nantes", "Lille"];
    let document = |i: usize| {
        let parts = [
            ("Monsieur ", None),
            (given[i % 5], Some("GivenName")),
            (" ", None),
            (family[i % 6], Some("FamilyName")),
            (" habite à ", None),
            (towns[i % 4], Some("City")),
            (".\nLe patient a été vu dans le service des urgences.", None),
        ];
        let (mut text, mut spans) = (String::new(), Vec::new());
        for (part, class) in parts {
            let start = text.len();
            text.push_str(part);
            spans.extend(class.map(|c| GoldSpan { span: Span::new(start, text.len()), class: c.to_owned() }));
        }
        let note = Note::builder("n", &text).language(Some(Language::Fr)).build().unwrap();
        GoldDocument { note, mentions: Vec::new(), spans }
    };
    (from..from + count).map(document).collect()
}

fn options() -> TransformerOptions {
    TransformerOptions {
        epochs: 5,
        batch: 4,
        encoder_rate: 2e-3,
        head_rate: 2e-2,
        threads: 2,
        ..TransformerOptions::default()
    }
}

#[test]
fn learns_and_goes_on_after_a_kill() {
    let (gold, dev) = (gold(60, 0), gold(12, 60));
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let report = train_transformer(&encoder(), &gold, &dev, &options(), &whole, &mut |_| {}).unwrap();
    assert!(report.dev.is_some_and(|t| t.f1() > 0.9), "{report}");
    assert!(!whole.join("training.state").exists());

    let killed = folder.path().join("killed");
    let mut die = |p: TransformerProgress| assert!(p.epoch < 3, "killed");
    let run = || train_transformer(&encoder(), &gold, &dev, &options(), &killed, &mut die);
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    let mut first = None;
    train_transformer(&encoder(), &gold, &dev, &options(), &killed, &mut |p| {
        first.get_or_insert(p.epoch);
    })
    .unwrap();
    assert_eq!(first, Some(3));
    for name in ["model.safetensors", "tagger.safetensors", "tagger.json"] {
        assert!(
            fs::read(whole.join(name)).unwrap() == fs::read(killed.join(name)).unwrap(),
            "{name} differs"
        );
    }

    let detector = TransformerDetector::read(&whole).unwrap();
    assert_eq!(detector.languages(), [Language::Fr]);
    let text = "Madame Anne Garnier habite à Nantes.";
    let notes = [Note::builder("n", text).language(Some(Language::Fr)).build().unwrap()];
    let mut out = [Vec::new()];
    detector.detect(&notes, &mut out).unwrap();
    let said: Vec<(&str, Option<Label>)> =
        out[0].iter().map(|m: &Mention| (m.span.of(text), m.label())).collect();
    assert!(said.contains(&("Nantes", Some(Label::City))), "{said:?}");
    assert!(out[0].iter().all(|m| m.source == Source::Transformer && m.score.get() > 0.0));

    refuses(&whole);
    let state = folder.path().join("other");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("training.state"), "").unwrap();
    fs::write(
        state.join("training.json"),
        r#"{"print":"another","step":1,"epochs":0,"best_f1":0.0,"best_epoch":0}"#,
    )
    .unwrap();
    let message = train_transformer(&encoder(), &gold, &dev, &options(), &state, &mut |_| {}).unwrap_err();
    assert!(message.to_string().contains("other options or other gold"), "{message}");
}

/// Every file is needed, and what is wrong is said.
fn refuses(model: &Path) {
    let names = ["config.json", "tokenizer.json", "model.safetensors", "tagger.json", "tagger.safetensors"];
    let copy = |change: &dyn Fn(&Path)| {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            fs::copy(model.join(name), folder.path().join(name)).unwrap();
        }
        change(folder.path());
        TransformerDetector::read(folder.path()).unwrap_err().to_string()
    };
    for name in names {
        let message = copy(&|folder| fs::remove_file(folder.join(name)).unwrap());
        assert!(message.contains(name), "{message}");
    }
    let swap = |name: &'static str, from: &'static str, to: &'static str| {
        copy(&move |folder: &Path| {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            assert!(text.contains(from), "{from}");
            fs::write(folder.join(name), text.replacen(from, to, 1)).unwrap();
        })
    };
    for (from, to, says) in [
        ("taire-tagger 2", "taire-tagger 0", "another version of this program; train it again"),
        ("\"City\",", "", "asks for"),
        ("\"City\"", "\"Citty\"", "unknown label `Citty`"),
        ("\"fr\"", "\"de\"", "de"),
    ] {
        let message = swap("tagger.json", from, to);
        assert!(message.contains(says), "{message}");
    }
    // One pair of pieces changes places: every number still fits, and other words would be found.
    let message = swap("tokenizer.json", "\"a\"", "\"\u{e6}\u{e6}\"");
    assert!(message.contains("tokenizer.json is not the file that was written with this model"), "{message}");
    let message = copy(&|folder| {
        let other = encoder().join("../bert/tokenizer.json");
        fs::copy(other, folder.join("tokenizer.json")).unwrap();
    });
    assert!(
        message.contains("not of the same encoder") || message.contains("tokenizer.json is not"),
        "{message}"
    );
    for name in ["model.safetensors", "tagger.safetensors"] {
        let damage = |how: &dyn Fn(&mut Vec<u8>, usize)| {
            copy(&|folder| {
                let mut bytes = fs::read(folder.join(name)).unwrap();
                let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
                how(&mut bytes, header);
                fs::write(folder.join(name), bytes).unwrap();
            })
        };
        let none = damage(&|bytes, at| bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes()));
        assert!(none.contains("holds a number that is none (NaN or infinite)"), "{none}");
        let cut = damage(&|bytes, _| bytes.truncate(bytes.len() - 9));
        assert!(cut.contains(name) && cut.contains("cut short"), "{cut}");
        let other = damage(&|bytes, _| *bytes.last_mut().unwrap() ^= 1);
        assert!(other.contains(name) && other.contains("is not the file"), "{other}");
        let text = damage(&|bytes, _| *bytes = b"<html>not found</html>".to_vec());
        assert!(text.contains(name) && text.contains("not a safetensors file"), "{text}");
    }
}

#[test]
fn two_models_decide_together() {
    let gold = gold(60, 0);
    let folder = tempfile::tempdir().unwrap();
    let trained = |name: &str, options: &TransformerOptions| {
        let model = folder.path().join(name);
        train_transformer(&encoder(), &gold, &[], options, &model, &mut |_| {}).unwrap();
        TransformerDetector::read(&model).unwrap()
    };
    let crf = |without: &str| {
        let mut gold = gold.clone();
        gold.iter_mut().for_each(|d| d.spans.retain(|s| s.class != without));
        let options = TrainOptions { min_count: 1, max_iterations: 40, ..TrainOptions::default() };
        CrfDetector::from_bytes(&train(&gold, &[], &options, &mut |_| ()).unwrap().0).unwrap()
    };
    let text = "Madame Anne Garnier habite à Nantes.\nLe patient a été vu.";
    let city = |detector: &TransformerDetector| {
        let notes = [Note::builder("n", text).language(Some(Language::Fr)).build().unwrap()];
        let mut out = [Vec::new()];
        detector.detect(&notes, &mut out).unwrap();
        let city = |m: &&Mention| m.span.of(text) == "Nantes" && m.label() == Some(Label::City);
        out[0].iter().find(city).map_or(0.0, |m| m.score.get())
    };
    // One that learned nothing: the more the CRF has to say, the surer is what it knows.
    let none = TransformerOptions { epochs: 1, encoder_rate: 0.0, head_rate: 0.0, ..options() };
    let surer = [0.2, 0.6, 1.0].map(|share| city(&trained("none", &none).beside(crf(""), share)));
    assert!(surer[0] < surer[1] && surer[1] < surer[2] && surer[2] > 0.9, "{surer:?}");
    // A class that the CRF does not know is outside to it, which is no word against the transformer's.
    let all = city(&trained("all", &options()).beside(crf("City"), 0.5));
    assert!(all > 0.5, "{all}");
}

#[test]
fn a_note_without_words_has_no_mention() {
    let gold = gold(6, 0);
    let folder = tempfile::tempdir().unwrap();
    let options = TransformerOptions { epochs: 1, ..options() };
    train_transformer(&encoder(), &gold, &[], &options, folder.path(), &mut |_| {}).unwrap();
    let detector = TransformerDetector::read(folder.path()).unwrap();
    let long = "Le patient. ".repeat(500);
    let notes = ["", "\n \n", &long].map(|t| Note::builder("n", t).build().unwrap());
    let mut out = [Vec::new(), Vec::new(), Vec::new()];
    detector.detect(&notes, &mut out).unwrap();
    assert!(out[0].is_empty() && out[1].is_empty());
}
