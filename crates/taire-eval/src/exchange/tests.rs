use std::fs;
use std::path::Path;

use super::*;
use crate::{Corpus, Tag};

/// Letters beyond the first plane, an accent in two characters, two lines, spans that touch.
fn docs() -> Vec<Doc> {
    let text = "Mme Aldegonde KERVADEC 😀, née le 17/02/1942\nà Quimperlé & <Brest>.\nRAS\n";
    let at = |what: &str, label: &str| {
        let start = text[..text.find(what).unwrap()].chars().count();
        Tag::new(start, start + what.chars().count(), label)
    };
    let spans = vec![
        at("Aldegonde", "GivenName"),
        at("KERVADEC", "FamilyName"),
        at("17/02/1942", "BirthDate"),
        at("Quimperlé", "City"),
        at("Brest", "City"),
    ];
    let one = Doc { id: "lettre 1".into(), text: Some(text.into()), spans };
    vec![one, Doc { id: "vide".into(), text: Some("Rien à signaler.\n".into()), spans: Vec::new() }]
}

fn written(format: Exchange, docs: &[Doc], folder: &Path) {
    let all = |line: fn(&Doc) -> Result<serde_json::Value, Error>| -> String {
        docs.iter().map(|doc| format!("{}\n", line(doc).unwrap())).collect()
    };
    let (name, content) = match format {
        Exchange::Jsonl => ("a.jsonl", all(|doc| jsonl(doc, |_| taire_text::Role::Unknown))),
        Exchange::Doccano => ("a.jsonl", all(doccano)),
        Exchange::Prodigy => ("a.jsonl", all(prodigy)),
        Exchange::Conll => ("a.conll", docs.iter().map(|doc| conll(doc).unwrap()).collect()),
        Exchange::LabelStudio => {
            let tasks: Vec<_> = docs.iter().map(|doc| label_studio(doc).unwrap()).collect();
            ("a.json", serde_json::to_string(&tasks).unwrap())
        }
        Exchange::Brat => {
            for doc in docs {
                fs::write(folder.join(format!("{}.txt", doc.id)), doc.text.as_deref().unwrap()).unwrap();
                fs::write(folder.join(format!("{}.ann", doc.id)), brat(doc).unwrap()).unwrap();
            }
            return;
        }
        Exchange::Xmi => {
            for doc in docs {
                fs::write(folder.join(format!("{}.xmi", doc.id)), write_xmi(doc).unwrap()).unwrap();
            }
            fs::write(folder.join("TypeSystem.xml"), type_system()).unwrap();
            return;
        }
    };
    fs::write(folder.join(name), content).unwrap();
}

#[test]
fn every_format_is_recognised_and_reads_back() {
    for format in Exchange::ALL {
        let folder = tempfile::tempdir().unwrap();
        written(format, &docs(), folder.path());
        assert_eq!(Exchange::recognise(folder.path()).unwrap(), format);
        let read = format.read(folder.path()).unwrap();
        assert_eq!((read.corpus.len(), read.passed_over, read.left_out), (2, 0, 0), "{}", format.name());
        for doc in docs() {
            let back = read.corpus.get(&doc.id).unwrap();
            match format {
                Exchange::Conll => assert_eq!(values(back), values(&doc)),
                _ => assert_eq!((&back.text, &back.spans), (&doc.text, &doc.spans), "{}", format.name()),
            }
        }
    }
}

/// Labels and texts of spans, blanks aside.
fn values(doc: &Doc) -> Vec<(String, String)> {
    let chars: Vec<char> = doc.text.as_deref().unwrap().chars().collect();
    let text = |tag: &Tag| chars[tag.start..tag.end].iter().filter(|c| !c.is_whitespace()).collect();
    doc.spans.iter().map(|tag| (tag.label.clone(), text(tag))).collect()
}

fn read(format: Exchange, name: &str, content: &str) -> Result<Reading, Error> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    format.read(&folder.path().join(name))
}

#[test]
fn what_tools_export_is_understood() {
    let doccano = "{\"id\":7,\"text\":\"Léa va\",\"entities\":[{\"id\":1,\"label\":\"P\",\"start_offset\":0,\"end_offset\":3}],\"relations\":[{}]}\n";
    let read_back = read(Exchange::Doccano, "a.jsonl", doccano).unwrap();
    assert_eq!(
        (read_back.corpus.get("7").unwrap().spans.clone(), read_back.left_out),
        (vec![Tag::new(0, 3, "P")], 1)
    );
    let short = "[{\"id\":3,\"text\":\"😀 Léa\",\"label\":[{\"start\":3,\"end\":6,\"text\":\"Léa\",\"labels\":[\"P\"]}]}]";
    assert_eq!(
        read(Exchange::LabelStudio, "a.json", short).unwrap().corpus.get("3").unwrap().spans,
        [Tag::new(2, 5, "P")]
    );
    let points = short.replace("\"start\":3,\"end\":6", "\"start\":2,\"end\":5");
    assert_eq!(
        read(Exchange::LabelStudio, "a.json", &points).unwrap().corpus.get("3").unwrap().spans,
        [Tag::new(2, 5, "P")]
    );
    let prodigy = "{\"text\":\"Léa\",\"spans\":[{\"start\":0,\"end\":3,\"label\":\"P\"}],\"answer\":\"accept\"}\n{\"text\":\"x\",\"answer\":\"reject\"}\n";
    let read_back = read(Exchange::Prodigy, "a.jsonl", prodigy).unwrap();
    assert_eq!((read_back.corpus.len(), read_back.passed_over), (1, 1));
    let iob = "Mme O\nLéa I-P\nRoux I-N\nLe B-N\nGoff I-N\n\nva\tNN\tO\n";
    let doc = read(Exchange::Conll, "a.conll", iob).unwrap().corpus.get("a").unwrap().clone();
    assert_eq!(doc.text.as_deref(), Some("Mme Léa Roux Le Goff\nva\n"));
    assert_eq!(doc.spans, [Tag::new(4, 7, "P"), Tag::new(8, 12, "N"), Tag::new(13, 20, "N")]);
    let xmi = "<xmi:XMI xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:c=\"c\"><c:Token begin=\"0\" end=\"3\"/><c:PHI begin=\"0\" end=\"3\" \
        label=\"P\"/><c:Chunk begin=\"0\" end=\"3\"/><c:Sofa sofaString=\"L&#233;a&#10;\"/></xmi:XMI>";
    let read_back = read(Exchange::Xmi, "a.xmi", xmi).unwrap();
    assert_eq!(
        (read_back.corpus.get("a").unwrap().spans.clone(), read_back.left_out),
        (vec![Tag::new(0, 3, "P")], 1)
    );
}

#[test]
fn what_cannot_be_held_or_read_is_an_error_without_the_text() {
    let overlap = Doc { spans: vec![Tag::new(0, 5, "A"), Tag::new(3, 9, "B")], ..docs().remove(0) };
    let outside = Doc { spans: vec![Tag::new(0, 5000, "A")], ..docs().remove(0) };
    let mut errors =
        vec![conll(&overlap).unwrap_err(), prodigy(&overlap).unwrap_err(), doccano(&outside).unwrap_err()];
    assert!(doccano(&overlap).is_ok() && write_xmi(&overlap).is_ok());
    let control = Doc { text: Some("Kervadec\u{1}".into()), spans: Vec::new(), ..docs().remove(0) };
    errors.push(write_xmi(&control).unwrap_err());
    for (format, content) in [
        (Exchange::Doccano, "{\"text\":\"Kervadec\",\"label\":[[0,99,\"P\"]]}"),
        (Exchange::Doccano, "{\"text\":\"Kervadec\",\"label\":\"Kervadec\"}"),
        (Exchange::Prodigy, "Kervadec"),
        (Exchange::LabelStudio, "[{\"data\":{\"texte\":\"Kervadec\"},\"annotations\":[]}]"),
        (
            Exchange::LabelStudio,
            "[{\"data\":{\"text\":\"Kervadec\"},\"annotations\":[{\"result\":[]},{\"result\":[]}]}]",
        ),
        (
            Exchange::LabelStudio,
            "[{\"text\":\"Kervadec\",\"label\":[{\"start\":0,\"end\":3,\"text\":\"Roux\",\"labels\":[\"P\"]}]}]",
        ),
        (Exchange::Conll, "Kervadec"),
        (Exchange::Xmi, "<!DOCTYPE a [<!ENTITY b \"Kervadec\">]><XMI><Sofa sofaString=\"&b;\"/></XMI>"),
        (Exchange::Xmi, "<XMI><Sofa sofaString=\"Kervadec &b;\"/></XMI>"),
        (Exchange::Xmi, "<XMI>"),
    ] {
        errors.push(read(format, "a.x", content).unwrap_err());
    }
    for error in errors {
        assert!(!error.to_string().contains("Kervadec") && !error.to_string().contains("Roux"), "{error}");
    }
    assert!(Corpus::new(docs()).is_ok());
}
