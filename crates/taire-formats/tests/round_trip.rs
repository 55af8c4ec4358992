//! Files through reading and writing: what comes back, what is left out, what is refused.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taire_formats::{
    Discovery, Document, Encoding, Format, Identities, InputFile, NewFields, OutSpan, OutputPlan, Position,
    ReadOptions, Stage, To, WriteOptions, Writer, discover, open, read_from,
};
use taire_text::{Role, Source};

fn put(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path
}

/// Reads everything and writes it back unchanged; gives the refusals as text.
fn copy(found: &Discovery, out: &Path, to: To, options: &ReadOptions) -> Vec<String> {
    let plan = OutputPlan::new(found, out, to, None).unwrap();
    let stage = Stage::open(&plan.stage).unwrap();
    let mut refused: Vec<String> = found.refused.iter().map(ToString::to_string).collect();
    for (input, target) in found.inputs.iter().zip(&plan.targets) {
        let mut reader = match open(input, options) {
            Ok(reader) => reader,
            Err(error) => {
                refused.push(error.to_string());
                continue;
            }
        };
        let mut writer =
            Writer::create(target, WriteOptions { to, ..Default::default() }, reader.layout(), &stage)
                .unwrap();
        let mut any = !input.format.is_single();
        for document in &mut reader {
            match document {
                Ok(document) => {
                    any = true;
                    let patient = document.patient.as_ref().map(|_| "SURROGATE");
                    writer
                        .write(
                            &document,
                            &document.text,
                            &[],
                            &NewFields { id: &document.id, patient, visit: None, date: document.date },
                        )
                        .unwrap();
                }
                Err(refusal) => refused.push(refusal.to_string()),
            }
        }
        if any {
            writer.finish().unwrap();
        }
    }
    stage.remove().unwrap();
    refused
}

fn files(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                names.push(path.strip_prefix(dir).unwrap().display().to_string());
            }
        }
    }
    names.sort();
    names
}

#[test]
fn texts_come_back_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let (root, out) = (dir.path().join("in"), dir.path().join("out"));
    let texts: &[(&str, &[u8])] = &[
        ("crlf.txt", b"Cher confr\xC3\xA8re,\r\n\r\nMerci.\r\n"),
        ("bom.txt", b"\xEF\xBB\xBFBonjour\n"),
        ("empty.txt", b""),
        ("deep/er/no_end.md", "œuvre \u{7}\u{c} 😀".as_bytes()),
    ];
    for (name, bytes) in texts {
        put(&root, name, bytes);
    }
    put(&root, "old.txt", b"Lef\xE8vre");
    put(&root, "noise.bin", [0u8, 1, 2, 255, 254]);
    let options = ReadOptions::default();
    let found = discover(&[root], &options);
    let refused = copy(&found, &out, To::InKind, &options);
    assert_eq!(refused.len(), 1);
    assert!(refused[0].contains("noise.bin") && refused[0].contains("binary"));
    for (name, bytes) in texts {
        assert_eq!(&fs::read(out.join(name)).unwrap(), bytes, "{name}");
    }
    assert_eq!(fs::read_to_string(out.join("old.txt")).unwrap(), "Lefèvre");
    assert_eq!(files(&out).len(), 5);
    let old = found.inputs.iter().find(|f| f.relative == Path::new("old.txt")).unwrap();
    let document = open(old, &options).unwrap().next().unwrap().unwrap();
    assert_eq!((document.encoding, document.id.as_str()), (Encoding::Windows1252, "old"));
}

#[test]
fn tables_keep_their_shape_and_lose_what_nobody_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    let table = "note_id;person_id;note_date;note_text;ward;phone;known.family_name;sex\r\n\
                 1;P7;12/02/2020;\"Bonjour; \"\"Zoé\"\"\r\nfin\";A1;0601;Durand;F\r\n\
                 2;P8;;x;B2;0602;;\r\n\
                 3;P8;bad row\r\n\
                 4;P9;hier;y;C3;0603;Petit;M\r\n";
    let path = put(dir.path(), "in.csv", table);
    let options = ReadOptions { keep_columns: vec!["ward".into()], ..Default::default() };
    let found = discover(&[path], &options);
    let out = dir.path().join("out.csv");
    let refused = copy(&found, &out, To::InKind, &options);
    assert_eq!(refused.len(), 1);
    assert!(refused[0].contains("line 5") && refused[0].contains("3 fields"), "{refused:?}");
    assert_eq!(
        fs::read_to_string(&out).unwrap(),
        "note_id;person_id;note_date;note_text;ward\r\n\
         1;SURROGATE;12/02/2020;\"Bonjour; \"\"Zoé\"\"\r\nfin\";A1\r\n\
         2;SURROGATE;;x;B2\r\n\
         4;SURROGATE;;y;C3\r\n"
    );
    let mut reader = open(&found.inputs[0], &options).unwrap();
    let documents: Vec<Document> = (&mut reader).filter_map(Result::ok).collect();
    assert_eq!(documents[0].known.as_ref().unwrap().family_name.as_deref(), Some("Durand"));
    assert!(documents[1].known.is_none());
    let summary = reader.summary();
    assert_eq!((summary.documents, summary.refused, summary.unread_dates), (3, 1, 1));
    assert_eq!(summary.dropped.iter().collect::<Vec<_>>(), ["phone"]);
}

#[test]
fn a_table_in_windows_1252_and_one_without_its_column() {
    let dir = tempfile::tempdir().unwrap();
    let path = put(dir.path(), "a.csv", b"id,texte\n1,Lef\xE8vre\n2,ok\n");
    let found = discover(&[path], &ReadOptions::default());
    let documents: Vec<_> =
        open(&found.inputs[0], &ReadOptions::default()).unwrap().map(Result::unwrap).collect();
    assert_eq!((documents[0].text.as_str(), documents[0].encoding), ("Lefèvre", Encoding::Windows1252));
    assert_eq!(documents[1].encoding, Encoding::Utf8);

    let options = ReadOptions { text_column: Some("body".into()), ..Default::default() };
    let error = open(&found.inputs[0], &options).unwrap_err();
    assert!(error.to_string().contains("`id`, `texte`"), "{error}");
    assert_eq!(error.kind(), taire_formats::ErrorKind::Usage);
}

#[test]
fn a_broken_line_does_not_stop_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let mut lines =
        b"{\"text\":\"one\"}\n{\"text\":\"Dur\n\n{\"text\":\"\xE8\"}\n[1]\n{\"id\":\"z\",\"text\":\"last\"}"
            .to_vec();
    lines.splice(0..0, *b"\xEF\xBB\xBF");
    let path = put(dir.path(), "in.jsonl", lines);
    let found = discover(&[path], &ReadOptions::default());
    let items: Vec<_> = open(&found.inputs[0], &ReadOptions::default()).unwrap().collect();
    let ids: Vec<_> = items.iter().filter_map(|i| i.as_ref().ok()).map(|d| d.id.as_str()).collect();
    assert_eq!(ids, ["in:1", "z"]);
    let places: Vec<_> = items.iter().filter_map(|i| i.as_ref().err()).map(|r| r.place.unwrap()).collect();
    assert_eq!(places, [Position::Line(2), Position::Line(4), Position::Line(5)]);
    assert!(items.iter().filter_map(|i| i.as_ref().err()).all(|r| !r.to_string().contains("Dur")));
}

/// A stream of `count` documents made as it is read, with one line of 200 MB in the middle.
struct Endless {
    count: usize,
    made: usize,
    pending: Vec<u8>,
    filler: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.filler > 0 {
            let n = self.filler.min(buffer.len());
            buffer[..n].fill(b'x');
            self.filler -= n;
            if self.filler == 0 {
                self.pending = b"\"}\n".to_vec();
            }
            return Ok(n);
        }
        if self.pending.is_empty() {
            if self.made == self.count {
                return Ok(0);
            }
            self.made += 1;
            if self.made == self.count / 2 {
                self.filler = 200 << 20;
                self.pending = b"{\"text\":\"".to_vec();
                let n = self.pending.len();
                buffer[..n].copy_from_slice(&self.pending);
                self.pending.clear();
                return Ok(n);
            }
            self.pending = format!("{{\"text\":\"{}\"}}\n", "é ".repeat(500)).into_bytes();
        }
        let n = self.pending.len().min(buffer.len());
        buffer[..n].copy_from_slice(&self.pending[..n]);
        self.pending.drain(..n);
        Ok(n)
    }
}

#[test]
fn a_line_without_end_is_refused_and_the_stream_goes_on() {
    let file = InputFile::new("in.jsonl", "in.jsonl", Format::Jsonl);
    let source = Endless { count: 2_000, made: 0, pending: Vec::new(), filler: 0 };
    let mut reader = read_from(&file, Box::new(source), &ReadOptions::default()).unwrap();
    let (mut good, mut bad) = (0, Vec::new());
    for item in &mut reader {
        match item {
            Ok(document) => good += usize::from(document.text.len() == 1_500),
            Err(refusal) => bad.push(refusal),
        }
    }
    assert_eq!((good, bad.len()), (1_999, 1));
    assert_eq!(bad[0].place, Some(Position::Line(1_000)));
    assert!(
        bad[0].reason.to_string().contains("200.1 MB") && bad[0].reason.to_string().contains("32 MB"),
        "{}",
        bad[0].reason.to_string()
    );
}

#[test]
fn an_open_quote_swallows_no_memory() {
    let file = InputFile::new("in.csv", "in.csv", Format::Csv { delimiter: b',' });
    let start = std::io::Cursor::new(b"id,text\n1,a\n2,\"".to_vec());
    let source = start.chain(std::io::repeat(b'x').take(100 << 20));
    let items: Vec<_> = read_from(&file, Box::new(source), &ReadOptions::default()).unwrap().collect();
    assert_eq!(items.len(), 2);
    assert!(items[0].is_ok());
    let why = &items[1].as_ref().unwrap_err().to_string();
    assert!(why.contains("line 3") && why.contains("a quote may be open"), "{why}");
}

#[test]
fn identities_join_from_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("in");
    put(&root, "record/identity.json", r#"{"patient": "P1", "family_name": "Durand"}"#);
    put(&root, "record/one.txt", "x");
    put(&root, "record/below/two.txt", "x");
    put(&root, "many/patients.csv", "document,patient,family_name\na.txt,P2,Petit\n,P3,Morel\n");
    put(&root, "many/a.txt", "x");
    put(&root, "many/b.txt", "x");
    put(&root, "many/rows.jsonl", r#"{"text":"x","patient":"P3","known":{"given_names":["Zoé"]}}"#);
    let patients = put(dir.path(), "all.jsonl", r#"{"patient": "P3", "phones": ["01"]}"#);
    let options =
        ReadOptions { patients: Some(Arc::new(Identities::load(&patients).unwrap())), ..Default::default() };
    let found = discover(std::slice::from_ref(&root), &options);
    assert_eq!(found.identities.len(), 2);
    let mut seen = Vec::new();
    for input in &found.inputs {
        for document in open(input, &options).unwrap() {
            let document = document.unwrap();
            let name = document.known.as_ref().and_then(|k| k.family_name.clone());
            let more = document.known.map_or(0, |k| k.given_names.len() + k.phones.len());
            seen.push((
                document.id,
                name.unwrap_or_default(),
                document.patient.map(String::from).unwrap_or_default(),
                more,
            ));
        }
    }
    let seen: Vec<_> = seen.iter().map(|(a, b, c, d)| (a.as_str(), b.as_str(), c.as_str(), *d)).collect();
    assert_eq!(
        seen,
        [
            ("many/a", "Petit", "P2", 0),
            ("many/b", "", "", 0),
            ("many/rows:1", "Morel", "P3", 2),
            ("record/below/two", "Durand", "P1", 0),
            ("record/one", "Durand", "P1", 0),
        ]
    );
    copy(&found, &dir.path().join("out"), To::InKind, &options);
    assert!(
        files(&dir.path().join("out")).iter().all(|f| !f.contains("identity") && !f.contains("patients"))
    );
    let rows = fs::read_to_string(dir.path().join("out/many/rows.jsonl")).unwrap();
    assert_eq!(rows, "{\"text\":\"x\",\"patient\":\"SURROGATE\"}\n");
}

fn spans(text: &str) -> Vec<OutSpan> {
    let start = text.find("Zoé").unwrap();
    let sources = [Source::Lexicon, Source::Crf].into_iter().collect();
    let role = Some(Role::Patient);
    vec![OutSpan {
        start,
        end: start + "Zoé".len(),
        original: 0..0,
        took: 0,
        put: 0,
        label: "GivenName".into(),
        role,
        score: 0.98,
        sources,
    }]
}

#[test]
fn annotations_read_back_as_gold() {
    let dir = tempfile::tempdir().unwrap();
    let text = "Née é\r\nZoé 😀";
    put(&dir.path().join("in"), "a.txt", text);
    put(&dir.path().join("in"), "a.ann", "T1\tOLD 0 3\tNée\n");
    let options = ReadOptions { gold: true, ..Default::default() };
    let found = discover(&[dir.path().join("in")], &options);
    for to in [To::InKind, To::Brat, To::Jsonl] {
        let out = dir.path().join(format!("{to:?}"));
        let plan = OutputPlan::new(&found, &out, to, None).unwrap();
        let stage = Stage::open(&plan.stage).unwrap();
        let reader = open(&found.inputs[0], &options).unwrap();
        let mut writer = Writer::create(
            &plan.targets[0],
            WriteOptions { to, ..Default::default() },
            reader.layout(),
            &stage,
        )
        .unwrap();
        for document in reader {
            let document = document.unwrap();
            assert_eq!(document.gold[0].label, "OLD");
            writer
                .write(
                    &document,
                    text,
                    &spans(text),
                    &NewFields { id: &document.id, patient: None, visit: None, date: None },
                )
                .unwrap();
        }
        writer.finish().unwrap();
        let again = discover(&[out], &options);
        let document = open(&again.inputs[0], &options).unwrap().next().unwrap().unwrap();
        assert_eq!((document.id.as_str(), document.text.as_str()), ("a", text));
        assert_eq!(document.gold.len(), 1);
        assert_eq!(&document.text[document.gold[0].start..document.gold[0].end], "Zoé");
        assert_eq!(document.gold[0].label, "GivenName");
    }
    let line = fs::read_to_string(dir.path().join("Jsonl/a.jsonl")).unwrap();
    assert_eq!(
        line,
        "{\"id\":\"a\",\"text\":\"Née é\\r\\nZoé 😀\",\"spans\":[{\"start\":7,\"end\":10,\"label\":\"GivenName\",\
         \"role\":\"Patient\",\"score\":0.98,\"sources\":[\"lexicon\",\"crf\"]}]}\n"
    );
}

#[test]
fn rows_become_brat_files_with_safe_names() {
    let dir = tempfile::tempdir().unwrap();
    let lines = "{\"id\":\"../a b\",\"text\":\"1\"}\n{\"id\":\"../a b\",\"text\":\"2\"}\n{\"text\":\"3\"}\n";
    let path = put(dir.path(), "in.jsonl", lines);
    let options = ReadOptions::default();
    let found = discover(&[path], &options);
    for _ in 0..2 {
        copy(&found, &dir.path().join("out"), To::Brat, &options);
        let names = files(&dir.path().join("out"));
        let texts: Vec<_> = names.iter().filter(|n| n.ends_with("txt")).collect();
        assert_eq!(texts, ["in/_.._a_b-2.txt", "in/_.._a_b.txt", "in/in_3.txt"]);
        assert_eq!(names.len(), 6);
    }
}

#[test]
fn pages_and_tags_hold_several_documents() {
    let dir = tempfile::tempdir().unwrap();
    let path = put(dir.path(), "in.json", "[\n{\"text\":\"<1>\"},\n{\"text\":2},\n{\"text\":\"3\"}]");
    let options = ReadOptions::default();
    let found = discover(&[path], &options);
    let out = dir.path().join("out");
    let refused = copy(&found, &out, To::Xml, &options);
    assert!(refused.len() == 1 && refused[0].contains("item 2"), "{refused:?}");
    let xml = fs::read_to_string(out.join("in.xml")).unwrap();
    assert!(
        xml.ends_with("<document id=\"in:3\" xml:space=\"preserve\">3</document>\n</documents>\n"),
        "{xml}"
    );
    copy(&found, &out, To::Html, &options);
    assert_eq!(fs::read_to_string(out.join("in.html")).unwrap().matches("<article>").count(), 2);
    copy(&found, &out, To::InKind, &options);
    assert_eq!(
        fs::read_to_string(out.join("in.json")).unwrap(),
        "[\n{\"text\":\"<1>\"},\n{\"text\":\"3\"}\n]\n"
    );
}

#[test]
fn an_unfinished_writer_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = put(dir.path(), "in.jsonl", "{\"text\":\"1\"}\n");
    let options = ReadOptions::default();
    let found = discover(&[path], &options);
    for to in [To::InKind, To::Jsonl, To::Brat, To::Xml, To::Html] {
        let out = dir.path().join("out");
        let plan = OutputPlan::new(&found, &out, to, None).unwrap();
        let stage = Stage::open(&plan.stage).unwrap();
        let mut reader = open(&found.inputs[0], &options).unwrap();
        let mut writer = Writer::create(
            &plan.targets[0],
            WriteOptions { to, ..Default::default() },
            reader.layout(),
            &stage,
        )
        .unwrap();
        let document = reader.next().unwrap().unwrap();
        writer
            .write(
                &document,
                "new",
                &[],
                &NewFields { id: &document.id, patient: None, visit: None, date: None },
            )
            .unwrap();
        drop(writer);
        assert!(!plan.targets[0].exists());
        stage.remove().unwrap();
        assert_eq!(files(&out), [] as [&str; 0], "{to:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("in");
    let closed = put(&root, "closed/a.txt", "x").parent().unwrap().to_owned();
    put(&root, "b.txt", "x");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let readable = fs::read_dir(&closed).is_ok();
    let found = discover(std::slice::from_ref(&root), &ReadOptions::default());
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    if !readable {
        assert_eq!(found.inputs.len(), 1);
        assert!(found.refused[0].reason.to_string().contains("permission denied"));
    }
}
