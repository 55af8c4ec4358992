use super::*;
use taire_eval::Corpus;

/// Labels and texts of a document's spans, blanks aside.
type Values = Vec<(String, String)>;

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn values(document: &MarkedDocument) -> Values {
    document.spans.iter().map(|s| (s.label.name().to_owned(), squeezed(s.of(&document.text)))).collect()
}

fn exported(format: ExportFormat) -> (OpenCorpus, tempfile::TempDir) {
    let corpus = OpenCorpus::shipped().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let count = export(&corpus, format, folder.path()).unwrap();
    assert_eq!(count, corpus.documents.len() + corpus.untouched.len());
    (corpus, folder)
}

fn lines(folder: &Path, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn jsonl_reads_back_as_the_marked_documents_do() {
    let (corpus, folder) = exported(ExportFormat::Jsonl);
    let (read, marked) = (Corpus::read(folder.path()).unwrap(), Corpus::read(&corpus.root).unwrap());
    assert_eq!(read.docs().collect::<Vec<_>>(), marked.docs().collect::<Vec<_>>());
    assert_eq!(read.len(), corpus.documents.len() + corpus.untouched.len());
}

#[test]
fn brat_reads_back() {
    let (corpus, folder) = exported(ExportFormat::Brat);
    let read = Corpus::read(&folder.path().join("train/fr")).unwrap();
    for document in corpus.split(Language::Fr, Split::Train) {
        let id = format!("{}-{}", document.folder, document.number);
        let doc = read.get(&id).unwrap();
        assert_eq!(doc.text.as_ref(), Some(&document.text));
        let chars: Vec<char> = document.text.chars().collect();
        let whole = |tag: &Tag| chars[tag.start..tag.end].iter().collect::<String>();
        let text: String = doc.spans.iter().map(whole).collect();
        let wanted: String = document.spans.iter().map(|s| s.of(&document.text)).collect();
        assert_eq!(squeezed(&text), squeezed(&wanted), "{id}");
    }
}

#[test]
fn conll_reads_back() {
    let (corpus, folder) = exported(ExportFormat::Conll);
    let text = fs::read_to_string(folder.path().join("dev-es.conll")).unwrap();
    let mut read: Vec<(String, Values)> = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty()) {
        if let Some(id) = line.strip_prefix("-DOCSTART- ") {
            read.push((id.trim_end_matches(" O").to_owned(), Vec::new()));
            continue;
        }
        let (token, tag) = line.rsplit_once(' ').unwrap();
        let spans = &mut read.last_mut().unwrap().1;
        match tag.split_once('-') {
            Some(("B", label)) => spans.push((label.to_owned(), squeezed(token))),
            Some((_, label)) => {
                let last = spans.last_mut().unwrap();
                assert_eq!(last.0, label);
                last.1.push_str(&squeezed(token));
            }
            None => assert_eq!(tag, "O"),
        }
    }
    let wanted: Vec<_> = corpus.split(Language::Es, Split::Dev).map(|d| (d.id.clone(), values(d))).collect();
    assert_eq!(read, wanted);
}

#[test]
fn doccano_reads_back() {
    let (corpus, folder) = exported(ExportFormat::Doccano);
    let read = lines(folder.path(), "dev-fr.jsonl");
    for (line, document) in read.iter().zip(corpus.split(Language::Fr, Split::Dev)) {
        let chars: Vec<char> = line["text"].as_str().unwrap().chars().collect();
        let spans = line["label"].as_array().unwrap().iter().map(|s| {
            let at = |i: usize| s[i].as_u64().unwrap() as usize;
            (s[2].as_str().unwrap().to_owned(), squeezed(&chars[at(0)..at(1)].iter().collect::<String>()))
        });
        assert_eq!(spans.collect::<Values>(), values(document));
    }
    assert_eq!(read.len(), corpus.split(Language::Fr, Split::Dev).count());
}

#[test]
fn label_studio_reads_back_in_utf16() {
    let (corpus, folder) = exported(ExportFormat::LabelStudio);
    let text = fs::read_to_string(folder.path().join("train-es.json")).unwrap();
    let tasks: Vec<Value> = serde_json::from_str(&text).unwrap();
    for (task, document) in tasks.iter().zip(corpus.split(Language::Es, Split::Train)) {
        let units: Vec<u16> = task["data"]["text"].as_str().unwrap().encode_utf16().collect();
        let spans = task["annotations"][0]["result"].as_array().unwrap().iter().map(|r| {
            let at = |key: &str| r["value"][key].as_u64().unwrap() as usize;
            let slice = String::from_utf16(&units[at("start")..at("end")]).unwrap();
            assert_eq!(r["value"]["text"], slice);
            (r["value"]["labels"][0].as_str().unwrap().to_owned(), squeezed(&slice))
        });
        assert_eq!(spans.collect::<Values>(), values(document));
    }
    assert_eq!(tasks.len(), corpus.split(Language::Es, Split::Train).count());
    assert!(fs::read_to_string(folder.path().join("config.xml")).unwrap().contains("FamilyName"));
}
