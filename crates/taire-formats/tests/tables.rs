//! Parquet tables, packed files, and outputs that are gone on with.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Date32Array, DictionaryArray, Float64Array, Int32Array, Int64Array,
    LargeStringArray, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use jiff::civil::Date;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use taire_formats::{
    Discovery, Identities, NewFields, OutputPlan, ReadOptions, Stage, To, WriteOptions, Writer, discover,
    open,
};

fn write_table(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
    let secret = KeyValue::new("note".to_owned(), "SECRETNAME".to_owned());
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(7))
        .set_key_value_metadata(Some(vec![secret]))
        .build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn read_table(path: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let batches: Vec<_> = reader.build().unwrap().map(Result::unwrap).collect();
    arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap()
}

/// An OMOP `note` table, with a null text and a column nobody named.
fn notes(rows: usize) -> Vec<(&'static str, ArrayRef)> {
    let n = rows as i64;
    let text = |i: usize| (i != 3).then(|| format!("SECRETNAME {i}: vu ce jour"));
    vec![
        ("note_id", Arc::new(Int64Array::from_iter_values(0..n))),
        ("person_id", Arc::new(Int32Array::from_iter((0..rows as i32).map(|i| (i != 2).then_some(100 + i))))),
        ("note_date", Arc::new(Date32Array::from_iter_values((0..rows as i32).map(|i| 18_000 + i)))),
        ("note_text", Arc::new(LargeStringArray::from_iter((0..rows).map(text)))),
        (
            "ward",
            Arc::new(
                (0..rows).map(|i| Some(["SECRETNAME", "B"][i % 2])).collect::<DictionaryArray<Int32Type>>(),
            ),
        ),
        ("score", Arc::new(Float64Array::from_iter_values((0..rows).map(|i| i as f64 / 2.0)))),
    ]
}

struct Bench {
    dir: tempfile::TempDir,
    options: ReadOptions,
    group_rows: usize,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        Bench { dir, options: ReadOptions::default(), group_rows: 10 }
    }

    fn input(&self, name: &str) -> PathBuf {
        self.dir.path().join("in").join(name)
    }

    fn found(&self) -> Discovery {
        discover(&[self.dir.path().join("in")], &self.options)
    }

    /// Writes everything anew, `stop` documents at most, and says what was refused.
    fn go(&self, out: &str) -> Vec<String> {
        let found = self.found();
        let plan = OutputPlan::new(&found, &self.dir.path().join(out), To::InKind, None).unwrap();
        let stage = Stage::open(&plan.stage).unwrap();
        let mut refused: Vec<String> = found.refused.iter().map(ToString::to_string).collect();
        for (input, target) in found.inputs.iter().zip(&plan.targets) {
            let mut reader = match open(input, &self.options) {
                Ok(reader) => reader,
                Err(error) => {
                    refused.push(error.to_string());
                    continue;
                }
            };
            let mut writer = Writer::create(target, self.write(), reader.layout(), &stage).unwrap();
            for document in &mut reader {
                match document {
                    Ok(document) => {
                        let patient = document.patient.as_ref().map(|p| format!("9{}", p.as_str()));
                        let date = document.date.map(|_| Date::constant(2000, 1, 2));
                        writer
                            .write(
                                &document,
                                "new text",
                                &[],
                                &NewFields {
                                    id: &document.id,
                                    patient: patient.as_deref(),
                                    visit: None,
                                    date,
                                },
                            )
                            .unwrap();
                    }
                    Err(refusal) => refused.push(refusal.to_string()),
                }
            }
            writer.finish().unwrap();
        }
        stage.remove().unwrap();
        refused
    }

    fn write(&self) -> WriteOptions {
        WriteOptions { group_rows: self.group_rows, ..Default::default() }
    }
}

#[test]
fn a_note_table_comes_back_row_by_row() {
    let mut bench = Bench::new();
    bench.options.keep_columns = vec!["score".into()];
    write_table(&bench.input("notes.parquet"), notes(45));
    assert_eq!(bench.go("out"), [""; 0]);
    let path = bench.dir.path().join("out/notes.parquet");
    let table = read_table(&path);
    let names: Vec<String> = table.schema().fields().iter().map(|f| f.name().clone()).collect();
    assert_eq!(names, ["note_id", "person_id", "note_date", "note_text", "score"]);
    assert_eq!(table.num_rows(), 45);
    let ids: Vec<i64> = table.column(0).as_primitive::<Int64Type>().values().to_vec();
    assert_eq!(ids, (0..45).collect::<Vec<_>>());
    let patients = table.column(1).as_primitive::<Int64Type>();
    assert_eq!((patients.value(0), patients.is_null(2), patients.value(44)), (9100, true, 9144));
    let dates = table.column(2).as_primitive::<Date32Type>();
    assert!(dates.iter().all(|d| d == Some(10_958)));
    let texts = table.column(3).as_string::<i32>();
    assert!(texts.is_null(3) && (0..45).filter(|i| *i != 3).all(|i| texts.value(i) == "new text"));
    assert_eq!(table.column(4).as_primitive::<arrow_array::types::Float64Type>().value(44), 22.0);
    let bytes = fs::read(&path).unwrap();
    assert!(
        memchr::memmem::find(&bytes, b"SECRET").is_none(),
        "the original's text or metadata is in the file"
    );
    let groups = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let sizes: Vec<i64> = groups.metadata().row_groups().iter().map(|g| g.num_rows()).collect();
    assert_eq!(sizes, [10, 10, 10, 10, 5]);
}

#[test]
fn columns_left_out_are_named_and_other_types_are_read() {
    let bench = Bench::new();
    write_table(
        &bench.input("a.parquet"),
        vec![
            ("text", Arc::new(BinaryArray::from_vec(vec![b"N\xe9e", "Née".as_bytes()]))),
            ("patient", Arc::new(Float64Array::from(vec![Some(12.0), None]))),
            ("date", Arc::new(TimestampMicrosecondArray::from(vec![Some(1_581_500_000_000_000), None]))),
            ("family_name", Arc::new(StringArray::from(vec!["Durand", ""]))),
            ("ward", Arc::new(StringArray::from(vec!["3B", "3C"]))),
        ],
    );
    let found = bench.found();
    let mut reader = open(&found.inputs[0], &bench.options).unwrap();
    let read: Vec<_> = (&mut reader).map(Result::unwrap).collect();
    assert_eq!((read[0].text.as_str(), read[1].text.as_str()), ("Née", "Née"));
    assert_eq!((read[0].patient.as_deref(), &read[1].patient), (Some("12"), &None));
    assert_eq!(read[0].date, Some(Date::constant(2020, 2, 12)));
    assert_eq!(read[0].known.as_ref().unwrap().family_name.as_deref(), Some("Durand"));
    assert_eq!(read[1].id, "a:2");
    assert!(reader.summary().dropped.iter().eq(["ward"]));
}

#[test]
fn tables_that_cannot_be_are_refused_and_the_rest_is_done() {
    let mut bench = Bench::new();
    bench.options.keep_columns = vec!["codes".into()];
    let mut codes = ListBuilder::new(Int64Builder::new());
    codes.append_value([Some(1)]);
    let text: ArrayRef = Arc::new(StringArray::from(vec!["SECRETNAME"]));
    let nested: ArrayRef = Arc::new(codes.finish());
    write_table(&bench.input("nested.parquet"), vec![("text", text.clone()), ("codes", nested.clone())]);
    write_table(&bench.input("unnamed.parquet"), vec![("body", text.clone())]);
    write_table(&bench.input("typed.parquet"), vec![("text", Arc::new(Int64Array::from(vec![1])))]);
    write_table(&bench.input("left-out.parquet"), vec![("text", text.clone()), ("other", nested)]);
    fs::write(bench.input("noise.parquet"), b"PAR1 SECRETNAME PAR1").unwrap();
    let whole = fs::read(bench.input("left-out.parquet")).unwrap();
    fs::write(bench.input("cut.parquet"), &whole[..whole.len() / 2]).unwrap();
    let refused = bench.go("out");
    let said = |name: &str| refused.iter().find(|r| r.contains(name)).unwrap();
    assert!(said("nested.parquet").contains("column `codes` is nested"));
    assert!(said("unnamed.parquet").contains("`text_column`"));
    assert!(said("typed.parquet").contains("holds numbers"));
    assert!(said("noise.parquet").contains("damaged") && said("cut.parquet").contains("damaged"));
    assert_eq!(refused.len(), 5);
    assert!(!refused.iter().any(|r| r.contains("SECRETNAME")));
    assert_eq!(read_table(&bench.dir.path().join("out/left-out.parquet")).num_rows(), 1);
}

#[test]
fn damage_in_the_middle_never_crashes() {
    let bench = Bench::new();
    let path = bench.input("a.parquet");
    write_table(&path, notes(60));
    let whole = fs::read(&path).unwrap();
    for i in (4..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[i] ^= 0xA5;
        bytes[i / 2] = 0xFF;
        fs::write(&path, &bytes).unwrap();
        let found = bench.found();
        for input in &found.inputs {
            if let Ok(reader) = open(input, &bench.options) {
                reader.for_each(drop);
            }
        }
    }
}

/// What a run writes when it stops after `at` documents of each try, at marks only, and goes on.
fn in_pieces(bench: &Bench, out: &str, every: usize) {
    let found = bench.found();
    let plan = OutputPlan::new(&found, &bench.dir.path().join(out), To::InKind, None).unwrap();
    let (input, target) = (&found.inputs[0], &plan.targets[0]);
    let (mut done, mut mark) = (0, None);
    loop {
        let stage = Stage::open(&plan.stage).unwrap();
        let mut reader = open(input, &bench.options).unwrap();
        let mut writer = match mark {
            None => Writer::create(target, bench.write(), reader.layout(), &stage).unwrap(),
            Some(mark) => Writer::resume(target, bench.write(), reader.layout(), &stage, mark).unwrap(),
        };
        (0..done).for_each(|_| drop(reader.next()));
        let mut since = 0;
        let mut ended = true;
        for (i, document) in (&mut reader).enumerate() {
            let document = document.unwrap();
            let patient = document.patient.as_ref().map(|p| format!("9{}", p.as_str()));
            let date = document.date.map(|_| Date::constant(2000, 1, 2));
            writer
                .write(
                    &document,
                    "new text",
                    &[],
                    &NewFields { id: &document.id, patient: patient.as_deref(), visit: None, date },
                )
                .unwrap();
            since += 1;
            if let Some(reached) = writer.mark().unwrap() {
                (mark, done, since) = (Some(reached), done + since, 0);
            }
            if i + 1 == every {
                ended = false;
                break;
            }
        }
        if ended {
            writer.finish().unwrap();
            stage.remove().unwrap();
            return;
        }
        assert!(!target.exists(), "nothing has its name before it is whole");
    }
}

#[test]
fn outputs_in_pieces_are_the_same_bytes() {
    for (name, content) in [
        (
            "t.jsonl",
            (0..40).map(|i| format!("{{\"id\":{i},\"text\":\"x\",\"patient\":{i}}}\n")).collect::<String>(),
        ),
        (
            "t.csv",
            std::iter::once("id,text\n".to_owned()).chain((0..40).map(|i| format!("{i},x\n"))).collect(),
        ),
        ("t.json", format!("[{}]", vec!["{\"text\":\"x\"}"; 40].join(","))),
        ("t.parquet", String::new()),
    ] {
        let bench = Bench::new();
        if content.is_empty() {
            write_table(&bench.input(name), notes(40));
        } else {
            fs::write(bench.input(name), content).unwrap();
        }
        bench.go("whole");
        in_pieces(&bench, "pieces", 13);
        let read = |out: &str| fs::read(bench.dir.path().join(out).join(name)).unwrap();
        assert!(read("whole") == read("pieces"), "{name} differs");
    }
}

fn gzip(path: &Path, bytes: &[u8]) {
    let mut out = flate2::write::GzEncoder::new(File::create(path).unwrap(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap();
}

#[test]
fn packed_files_are_read_as_what_they_hold() {
    let bench = Bench::new();
    gzip(&bench.input("n.jsonl.gz"), b"{\"id\":\"a\",\"text\":\"x\"}\n");
    gzip(&bench.input("l.txt.gz"), "Née".as_bytes());
    let mut zip = zip::ZipWriter::new(File::create(bench.input("letters.zip")).unwrap());
    let mut inner = Vec::new();
    let mut table =
        ArrowWriter::try_new(&mut inner, RecordBatch::try_from_iter(notes(3)).unwrap().schema(), None)
            .unwrap();
    table.write(&RecordBatch::try_from_iter(notes(3)).unwrap()).unwrap();
    table.close().unwrap();
    for (name, bytes) in [
        ("b/x.txt", b"x".as_slice()),
        ("b/identity.json", b"{\"family_name\":\"Durand\"}"),
        ("notes.parquet", &inner),
        ("c/scan.txt", b"\x89PNG\0"),
        (".hidden", b"x"),
        ("__MACOSX/b/x.txt", b"x"),
    ] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    let found = bench.found();
    let names: Vec<_> = found.inputs.iter().map(|i| i.relative.to_str().unwrap()).collect();
    assert_eq!(names, ["l.txt", "letters/b/x.txt", "letters/notes.parquet", "n.jsonl"]);
    assert_eq!((found.ignored.len(), found.identities.len()), (2, 1));
    let letter = open(&found.inputs[1], &bench.options).unwrap().next().unwrap().unwrap();
    assert_eq!(letter.known.unwrap().family_name.as_deref(), Some("Durand"));
    assert_eq!(bench.go("out").len(), 1);
    assert_eq!(read_table(&bench.dir.path().join("out/letters/notes.parquet")).num_rows(), 3);
    assert_eq!(fs::read(bench.dir.path().join("out/l.txt")).unwrap(), b"new text");
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    let bench = Bench::new();
    let mut bomb = b"{\"text\":\"x\"}\n".to_vec();
    bomb.resize(80 << 20, b'\n');
    gzip(&bench.input("bomb.jsonl.gz"), &bomb);
    gzip(&bench.input("bomb.txt.gz"), &bomb);
    fs::write(bench.input("cut.txt.gz"), &fs::read(bench.input("bomb.txt.gz")).unwrap()[..9]).unwrap();
    let mut zip = zip::ZipWriter::new(File::create(bench.input("bomb.zip")).unwrap());
    zip.start_file("a.txt", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&bomb).unwrap();
    zip.finish().unwrap();
    let found = bench.found();
    assert_eq!(found.refused.len(), 2);
    assert!(found.refused.iter().any(|r| r.to_string().contains("times its size")));
    for input in &found.inputs {
        let last = open(input, &bench.options).unwrap().last().unwrap();
        let why = last.unwrap_err().to_string();
        assert!(why.contains("far more than such files do") || why.contains("MB"), "{why}");
    }
}

#[test]
fn identities_by_the_many_and_from_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("patients.csv");
    let mut out = std::io::BufWriter::new(File::create(&path).unwrap());
    writeln!(out, "patient,family_name,given_names").unwrap();
    for i in 1..=50_000 {
        writeln!(out, "{i},Nom{i},\"Zoé;Anne\"").unwrap();
    }
    drop(out);
    let table = Identities::load(&path).unwrap();
    assert_eq!(table.len(), 50_000);
    let name = |p: &str| table.get(p).unwrap().unwrap().family_name.clone().unwrap();
    assert!((1..=50_000).step_by(997).all(|i| name(&i.to_string()) == format!("Nom{i}")));
    let mut rows = 0;
    table.each(|_, known| rows += usize::from(known.patient.is_some())).unwrap();
    assert_eq!(rows, 50_000, "a table on the disk can be read through");
    assert!(table.get("50001").unwrap().is_none());

    let path = dir.path().join("patients.parquet");
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let names: ArrayRef = Arc::new(StringArray::from(vec![Some("Durand"), None]));
    let born: ArrayRef = Arc::new(Date32Array::from(vec![Some(-7183), None]));
    write_table(&path, vec![("patient", number.clone()), ("family_name", names), ("birth_date", born)]);
    let table = Identities::load(&path).unwrap();
    let known = table.get("1").unwrap().unwrap();
    assert_eq!(known.birth_date, Some(Date::constant(1950, 5, 3)));
    write_table(&path, vec![("patient", number.clone()), ("SECRETNAME", number)]);
    assert!(Identities::load(&path).is_err());
}
