//! The same weights give the same vectors as the reference implementation, and the same text the same pieces, for
//! each family in `families/`, which `parity.py` made. Folders that are not whole are refused.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use taire_encoder::{Batch, Dropout, Encoder, Tape, read_folder, write_folder};

fn families() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/families");
    let mut all: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    assert!(all.len() >= 5, "{all:?}");
    all
}

fn expected(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("expected.json")).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as u32).collect()
}

#[test]
fn vectors_are_those_of_the_reference() {
    for folder in families() {
        let (weights, tokeniser) = read_folder(&folder).unwrap();
        let width = weights.shape.width;
        let encoder = Encoder::new(weights);
        let expected = expected(&folder);
        let every = expected["every"].as_u64().unwrap() as usize;
        for case in expected["cases"].as_array().unwrap() {
            let pieces = numbers(&case["ids"]);
            assert_eq!([pieces[0], pieces[pieces.len() - 1]], tokeniser.borders());
            let mut tape = Tape::default();
            let whole = 0..pieces.len();
            let sequences = std::slice::from_ref(&whole);
            let batch = Batch { pieces: &pieces, sequences, extra: &[] };
            encoder.run(batch, Dropout::NONE, false, &mut tape);
            for (row, expected) in case["rows"].as_array().unwrap().iter().enumerate() {
                let mine = &tape.output[row * every * width..][..width];
                for (a, b) in mine.iter().zip(expected.as_array().unwrap()) {
                    let b = b.as_f64().unwrap() as f32;
                    assert!((a - b).abs() < 1e-4, "{}: row {row}: {a} {b}", folder.display());
                }
            }
        }
    }
}

#[test]
fn pieces_and_offsets_are_those_of_the_reference() {
    for folder in families() {
        let (_, tokeniser) = read_folder(&folder).unwrap();
        for case in expected(&folder)["cases"].as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            let ids = numbers(&case["ids"]);
            let pieces = tokeniser.encode(text);
            let mine: Vec<u32> = pieces.iter().map(|p| p.id).collect();
            assert_eq!(mine, ids[1..ids.len() - 1], "{}: {text:?}", folder.display());
            for (piece, offsets) in pieces.iter().zip(case["offsets"].as_array().unwrap()) {
                // Whether the blank before a word belongs to it differs from one model to the next.
                let (from, to) =
                    (offsets[0].as_u64().unwrap() as usize, offsets[1].as_u64().unwrap() as usize);
                let (mine, reference) = (text[piece.start..piece.end].trim(), text[from..to].trim());
                // An accent that was taken off belongs to its letter.
                let mine =
                    if reference.contains('\u{301}') { mine } else { mine.trim_end_matches('\u{301}') };
                assert_eq!(mine, reference, "{}: {text:?}", folder.display());
            }
        }
    }
}

#[test]
fn a_word_of_ours_is_never_without_a_piece() {
    for folder in families() {
        let (_, tokeniser) = read_folder(&folder).unwrap();
        let long = "Ab".repeat(100_000);
        for word in ["Dupont", "é", "12", "/", "😀", "\u{200b}", "\u{301}", &long] {
            for glued in [false, true] {
                let mut pieces = Vec::new();
                tokeniser.encode_word(word, glued, &mut pieces);
                assert!(!pieces.is_empty(), "{}: {word:?}", folder.display());
                assert!(pieces.iter().all(|&p| (p as usize) < tokeniser.pieces()));
            }
        }
    }
}

fn copied(from: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

fn refusal(folder: &Path) -> String {
    read_folder(folder).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn folders_that_are_not_whole_are_refused() {
    let family = families().into_iter().find(|f| f.ends_with("bert")).unwrap();
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = copied(&family);
        fs::remove_file(folder.path().join(name)).unwrap();
        assert!(refusal(folder.path()).contains(name), "{name}");
    }
    let swap = |name: &str, from: &str, to: &str| {
        let folder = copied(&family);
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        refusal(folder.path())
    };
    for (name, from, to, says) in [
        ("config.json", "\"bert\"", "\"gpt2\"", "unknown model_type `gpt2`; known: bert"),
        ("config.json", "\"hidden_size\": 16", "\"hidden_size\": 18", "asks for"),
        ("config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "encoder.layer.2"),
        ("config.json", "\"num_attention_heads\": 2", "\"num_attention_heads\": 3", "no multiple"),
        ("config.json", "\"gelu\"", "\"silu\"", "only the activation `gelu`"),
        ("config.json", "\"vocab_size\": 1", "\"vocab_size\": ", "not of the same encoder"),
        ("tokenizer.json", "\"WordPiece\"", "\"Words\"", "unknown model `Words`"),
        ("tokenizer.json", "\"BertPreTokenizer\"", "\"ByteLevel\"", "a pair that is not known"),
        ("tokenizer.json", "\"BertNormalizer\"", "\"Nmt\"", "unknown normalizer `Nmt`"),
        ("tokenizer.json", "{", "", "tokenizer.json"),
    ] {
        let message = swap(name, from, to);
        assert!(message.contains(says), "{message}");
    }
    let folder = copied(&family);
    let path = folder.path().join("model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    let (end, header) = (bytes.len(), 8 + usize::from(u16::from_le_bytes([bytes[0], bytes[1]])));
    bytes[header..header + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    assert!(refusal(folder.path()).contains("(NaN or infinite)"));
    fs::write(&path, &bytes[..end - 100]).unwrap();
    assert!(refusal(folder.path()).contains("cut short"));
    assert!(refusal(&folder.path().join("nowhere")).contains("no such folder"));
}

#[test]
fn what_is_written_reads_back() {
    for family in families() {
        let (weights, _) = read_folder(&family).unwrap();
        let text = fs::read_to_string(family.join("tokenizer.json")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        write_folder(folder.path(), &weights, &text, false).unwrap();
        assert_eq!(read_folder(folder.path()).unwrap().0, weights);
        write_folder(folder.path(), &weights, &text, true).unwrap();
        let (small, _) = read_folder(folder.path()).unwrap();
        assert!(small.flat.iter().zip(&weights.flat).all(|(a, b)| (a - b).abs() < 0.02));
    }
}
