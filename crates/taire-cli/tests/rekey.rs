//! Tables without text are re-keyed so that they still join with the de-identified notes, in CSV and Parquet.

mod common;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{
    Array, ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use common::taire;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

const PATIENTS: i64 = 40;
const DAY: i64 = 86_400_000_000;
/// 2014-03-12, in days from 1970.
const MARCH: i32 = 16_141;

struct Folder(tempfile::TempDir);

impl Folder {
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// A small OMOP set: a note, two visits and a condition for each person.
    fn new(extension: &str) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        assert!(taire(&["key", "new", "-o", &folder.path("key")]).status.success());
        let people = || (0..PATIENTS).map(|i| 800_000 + 7 * i);
        let twice = || people().flat_map(|p| [p, p]);
        let visits = || (0..2 * PATIENTS).map(|v| 5_000 + v);
        let days = || (0..2 * PATIENTS).map(|v| MARCH + 40 * (v % 2) as i32 + v as i32);
        let numbers = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
        let words = |values: Vec<String>| Arc::new(StringArray::from(values)) as ArrayRef;
        let dates = |values: Vec<i32>| Arc::new(Date32Array::from(values)) as ArrayRef;
        let start: Vec<i64> = days().map(|d| i64::from(d) * DAY + 37_800_000_000).collect();
        let tables: [(&str, Vec<(&str, ArrayRef)>); 4] = [
            (
                "person",
                vec![
                    ("person_id", numbers(people().collect())),
                    ("gender_concept_id", numbers(people().map(|_| 8532).collect())),
                    ("year_of_birth", numbers(people().map(|p| 1940 + p % 40).collect())),
                    ("month_of_birth", numbers(people().map(|_| 5).collect())),
                    ("day_of_birth", numbers(people().map(|_| 3).collect())),
                    ("person_name", words(people().map(|_| "KERVADEC".into()).collect())),
                ],
            ),
            (
                "visit_occurrence",
                vec![
                    ("visit_occurrence_id", numbers(visits().collect())),
                    ("person_id", numbers(twice().collect())),
                    ("visit_start_date", dates(days().collect())),
                    ("visit_start_datetime", Arc::new(TimestampMicrosecondArray::from(start))),
                ],
            ),
            (
                "condition_occurrence",
                vec![
                    ("condition_occurrence_id", numbers(visits().map(|v| 9 * v).collect())),
                    ("person_id", numbers(twice().collect())),
                    ("condition_concept_id", numbers(visits().map(|_| 4_329_847).collect())),
                    ("condition_start_date", dates(days().collect())),
                    ("visit_occurrence_id", numbers(visits().collect())),
                ],
            ),
            (
                "note",
                vec![
                    ("person_id", numbers(twice().collect())),
                    ("note_date", dates(days().collect())),
                    (
                        "note_text",
                        words(
                            twice()
                                .map(|_| "Madame KERVADEC revue ce jour en consultation.".into())
                                .collect(),
                        ),
                    ),
                ],
            ),
        ];
        fs::create_dir(folder.path("in")).unwrap();
        for (name, columns) in tables {
            folder.write(&format!("in/{name}.{extension}"), columns);
        }
        folder
    }

    fn write(&self, name: &str, columns: Vec<(&str, ArrayRef)>) {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let path = self.path(name);
        if name.ends_with(".parquet") {
            let mut out = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
            out.write(&batch).unwrap();
            out.close().unwrap();
            return;
        }
        let names: Vec<_> = batch.schema().fields().iter().map(|f| f.name().clone()).collect();
        let mut text = names.join(",") + "\n";
        for row in cells(&batch) {
            text += &(row.join(",") + "\n");
        }
        fs::write(path, text).unwrap();
    }

    /// The rows of a table, by the names of its columns.
    fn rows(&self, name: &str) -> Vec<BTreeMap<String, String>> {
        let path = self.path(name);
        let (names, rows): (Vec<String>, Vec<Vec<String>>) = match name.ends_with(".parquet") {
            true => {
                let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
                let names = reader.schema().fields().iter().map(|f| f.name().clone()).collect();
                (names, reader.build().unwrap().flat_map(|batch| cells(&batch.unwrap())).collect())
            }
            false => {
                let text = fs::read_to_string(path).unwrap();
                let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
                let mut lines = text.lines().map(split);
                (lines.next().unwrap(), lines.collect())
            }
        };
        rows.into_iter().map(|row| names.iter().cloned().zip(row).collect()).collect()
    }

    fn deid(&self, extension: &str, policy: &str) -> std::process::Output {
        self.deid_with(extension, policy, &["person", "visit_occurrence", "condition_occurrence"])
    }

    fn deid_with(&self, extension: &str, policy: &str, tables: &[&str]) -> std::process::Output {
        let (input, out, key) = (self.path("in"), self.path("out"), self.path("key"));
        let tables: Vec<String> =
            tables.iter().map(|name| self.path(&format!("in/{name}.{extension}"))).collect();
        let mut args =
            vec!["deid", &input, "-o", &out, "--key", &key, "--policy", policy, "--lang", "fr", "--rekey"];
        args.extend(tables.iter().map(String::as_str));
        taire(&args)
    }
}

fn cells(batch: &RecordBatch) -> Vec<Vec<String>> {
    let day = |days: i64| {
        let span = jiff::Span::new().days(days);
        jiff::civil::date(1970, 1, 1).checked_add(span).unwrap().to_string()
    };
    let cell = |column: &ArrayRef, row: usize| match column.data_type().to_string().as_str() {
        "Int64" => column.as_primitive::<Int64Type>().value(row).to_string(),
        "Date32" => day(i64::from(column.as_primitive::<Date32Type>().value(row))),
        "Utf8" => column.as_string::<i32>().value(row).to_owned(),
        _ => {
            let ticks = column.as_primitive::<TimestampMicrosecondType>().value(row);
            assert_eq!(ticks.rem_euclid(DAY), 37_800_000_000, "the time of day stays");
            format!("{} 10:30:00", day(ticks.div_euclid(DAY)))
        }
    };
    (0..batch.num_rows()).map(|row| batch.columns().iter().map(|c| cell(c, row)).collect()).collect()
}

#[test]
fn omop_tables_join_to_the_last_row_after_rekeying() {
    for extension in ["csv", "parquet"] {
        let folder = Folder::new(extension);
        let done = folder.deid(extension, "fr");
        assert!(done.status.success(), "{extension}: {}", String::from_utf8_lossy(&done.stderr));
        let table = |name: &str| folder.rows(&format!("out/{name}.{extension}"));
        let original = |name: &str| folder.rows(&format!("in/{name}.{extension}"));
        let (person, visit, condition, note) =
            (table("person"), table("visit_occurrence"), table("condition_occurrence"), table("note"));
        let new: BTreeMap<&str, &str> = original("person")
            .iter()
            .zip(&person)
            .map(|(old, new)| (&*old["person_id"].clone().leak(), &*new["person_id"]))
            .collect();
        assert_eq!(new.len(), PATIENTS as usize);
        assert!(
            new.iter().filter(|(old, new)| old == new).count() <= 1,
            "{extension}: patients keep their ids"
        );
        assert_eq!((person.len(), visit.len(), condition.len()), (40, 80, 80));
        for ((old, v), (c, n)) in
            original("visit_occurrence").iter().zip(&visit).zip(condition.iter().zip(&note))
        {
            assert_eq!(v["person_id"], new[&*old["person_id"]]);
            assert_eq!((&v["person_id"], &v["person_id"]), (&c["person_id"], &n["person_id"]), "{extension}");
            assert_eq!(v["visit_occurrence_id"], c["visit_occurrence_id"]);
            assert_ne!(v["visit_start_date"], old["visit_start_date"]);
            // One calendar for the record: the day of the visit is that of the condition and of the note.
            assert_eq!(
                (&v["visit_start_date"], &v["visit_start_date"]),
                (&c["condition_start_date"], &n["note_date"])
            );
            assert_eq!(v["visit_start_datetime"], format!("{} 10:30:00", v["visit_start_date"]));
            assert_eq!(c["condition_concept_id"], "4329847");
        }
        assert!(person.iter().all(|p| !p.contains_key("person_name") && p["gender_concept_id"] == "8532"));
        let moved = original("person")
            .iter()
            .zip(&person)
            .filter(|(a, b)| a["year_of_birth"] != b["year_of_birth"])
            .count();
        assert!(moved > 0, "{extension}: births do not move");
        let report = fs::read_to_string(folder.path("out/report.md")).unwrap();
        assert!(
            report.contains("re-keyed, 40 rows; columns left out: 1") && !report.contains("person_name"),
            "{report}"
        );
    }
}

#[test]
fn tables_that_cannot_be_rekeyed_are_refused_before_anything_is_written() {
    let folder = Folder::new("csv");
    let done = folder.deid("csv", "hybrid");
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("rewrite.scope"), "{said}");
    fs::write(folder.path("in/person.csv"), "gender_concept_id\n8532\n").unwrap();
    let done = folder.deid("csv", "fr");
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(!done.status.success() && said.contains("no column names the patient"), "{said}");
    assert!(!fs::exists(folder.path("out/person.csv")).unwrap());
}

/// Text after a date and in a column of codes passed through, the calendar was that of whichever patient column came first, and the
/// crosswalk did not know the companion tables.
#[test]
fn cells_that_are_not_what_their_column_says_do_not_pass_and_the_crosswalk_names_all_patients() {
    let folder = Folder(tempfile::tempdir().unwrap());
    assert!(taire(&["key", "new", "-o", &folder.path("key")]).status.success());
    fs::create_dir(folder.path("in")).unwrap();
    let put = |name: &str, content: &str| fs::write(folder.path(&format!("in/{name}")), content).unwrap();
    put(
        "note.csv",
        "note_id,person_id,visit_occurrence_id,note_date,note_text\n1,800417,55,2019-03-12,\"Madame Solenne QUINTREC est vue le \
         12/03/2019.\"\n",
    );
    put(
        "person.csv",
        "person_source_value,person_id,gender_concept_id,race_concept_id,year_of_birth,birth_datetime\n\
         IPP800417,800417,8532,QUINTREC,1961,1961-03-12 par le Dr QUINTREC\nIPP777,777,8507,0,dix-neuf,1950-05-03T10:30:00Z\n",
    );
    put(
        "visit_occurrence.csv",
        "visit_occurrence_id,person_id,visit_start_date,visit_end_date\n55,800417,2019-03-12,2019-03-12 QUINTREC\n \
         55,777,2019-03-12,\n",
    );
    let done = folder.deid_with("csv", "fr", &["person", "visit_occurrence"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let (note, person, visit) =
        (folder.rows("out/note.csv"), folder.rows("out/person.csv"), folder.rows("out/visit_occurrence.csv"));
    for (name, bytes) in common::files(folder.0.path().join("out").as_path()) {
        assert!(!String::from_utf8_lossy(&bytes).contains("QUINTREC"), "{}", name.display());
    }
    assert_eq!(visit[0]["visit_start_date"], note[0]["note_date"], "one calendar");
    assert_eq!(visit[0]["visit_occurrence_id"], note[0]["visit_occurrence_id"]);
    assert_ne!(visit[0]["visit_occurrence_id"], visit[1]["visit_occurrence_id"], "a blank makes another id");
    assert_eq!(
        (person[0]["gender_concept_id"].as_str(), person[0]["race_concept_id"].as_str()),
        ("8532", "")
    );
    assert!(person[1]["birth_datetime"].ends_with("T10:30:00Z"), "{person:?}");
    let out = folder.0.path().join("out");
    let patients = common::crosswalk(&out, "patient");
    for (old, new) in [("800417", &person[0]), ("777", &person[1])] {
        assert_eq!(patients[old], new["person_id"]);
    }
    assert_eq!(common::crosswalk(&out, "visit").len(), 2);
    assert_eq!(common::crosswalk(&out, "file").len(), 3);
    let report = fs::read_to_string(folder.path("out/report.md")).unwrap();
    for note in ["1 code was no whole number", "1 time of day stays", "1 date could not be read"] {
        assert!(report.contains(note), "{note}: {report}");
    }
}
