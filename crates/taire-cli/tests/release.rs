//! What an output folder may hold: treated documents under ids and names that tell nobody, and nothing else.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{crosswalk, documents, files, private, taire};
use serde_json::{Value, json};

const LETTER: &str = "Madame Solenne QUINTREC, née le 12/03/1961, est revue ce jour par le Dr Le Goff.";

struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        let bench = Bench(tempfile::tempdir().unwrap());
        assert!(taire(&["key", "new", "-o", &bench.path("key")]).status.success());
        fs::create_dir(bench.path("in")).unwrap();
        bench
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        self.path(name)
    }

    /// Runs `deid in -o out --key key`, and gives the exit status and what was said.
    fn deid(&self, more: &[&str]) -> (Option<i32>, String) {
        self.run("in", "out", more)
    }

    fn run(&self, input: &str, out: &str, more: &[&str]) -> (Option<i32>, String) {
        let (input, out, key) = (self.path(input), self.path(out), self.path("key"));
        let args = ["deid", &input, "-o", &out, "--key", &key, "--lang", "fr"];
        let done = taire(&[&args[..], more].concat());
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("out")
    }

    fn names(&self) -> BTreeSet<String> {
        documents(&self.out()).into_keys().map(|p| p.to_string_lossy().into_owned()).collect()
    }

    fn rows(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

#[test]
fn document_id_gives_away_the_patient() {
    let bench = Bench::new();
    bench.put(
        "in/notes.jsonl",
        lines(&[json!({"id": 800417, "patient": 800417, "visit": 800417, "text": LETTER})]),
    );
    assert_eq!(bench.deid(&[]).0, Some(0));
    let row = &bench.rows("out/notes.jsonl")[0];
    let ids: BTreeSet<u64> = ["id", "patient", "visit"].iter().map(|k| row[k].as_u64().unwrap()).collect();
    assert!(ids.len() == 3 && !ids.contains(&800_417), "{row}");
    for kind in ["document", "patient", "visit"] {
        let key = if kind == "document" { "id" } else { kind };
        assert_eq!(crosswalk(&bench.out(), kind)["800417"], row[key].to_string());
    }
}

#[test]
fn tables_of_all_kinds_have_the_same_ids() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    let bench = Bench::new();
    bench.put("in/a.jsonl", lines(&[json!({"id": 7, "patient": "P-12", "text": LETTER})]));
    bench.put("in/b.csv", format!("id,patient,visit_id,text\n7,P-12,33,\"{LETTER}\"\n"));
    let columns: [(&str, arrow_array::ArrayRef); 4] = [
        ("note_id", std::sync::Arc::new(arrow_array::Int32Array::from(vec![7]))),
        ("person_id", std::sync::Arc::new(arrow_array::StringArray::from(vec!["P-12"]))),
        ("visit_occurrence_id", std::sync::Arc::new(arrow_array::Int64Array::from(vec![33]))),
        ("note_text", std::sync::Arc::new(arrow_array::StringArray::from(vec![LETTER]))),
    ];
    let batch = arrow_array::RecordBatch::try_from_iter(columns).unwrap();
    let file = fs::File::create(bench.path("in/c.parquet")).unwrap();
    let mut out = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    out.write(&batch).unwrap();
    out.close().unwrap();
    assert_eq!(bench.deid(&[]).0, Some(0));
    let row = &bench.rows("out/a.jsonl")[0];
    let (id, patient) = (row["id"].to_string(), row["patient"].as_str().unwrap().to_owned());
    assert!(id != "7" && patient != "P-12");
    let csv = fs::read_to_string(bench.path("out/b.csv")).unwrap();
    let cells: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(cells[..2], [id.as_str(), patient.as_str()]);
    let file = fs::File::open(bench.path("out/c.parquet")).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let batch = reader.build().unwrap().next().unwrap().unwrap();
    let number = |i: usize| batch.column(i).as_primitive::<Int64Type>().value(0).to_string();
    assert_eq!((number(0), number(2)), (id, cells[2].to_owned()));
    assert_eq!(batch.column(1).as_string::<i32>().value(0), patient);
}

#[test]
fn ids_that_differ_in_case_or_spaces_are_never_merged() {
    let bench = Bench::new();
    let ids = ["ab-1", "AB-1", "Ab-1", "ab-1 ", " ab-1", "ab -1", "ab-01", "áb-1", "a\u{301}b-1"];
    let rows: Vec<Value> = ids
        .iter()
        .enumerate()
        .map(|(i, id)| json!({"id": id, "visit": id, "patient": i, "text": "RAS."}))
        .collect();
    bench.put("in/notes.jsonl", lines(&rows));
    assert_eq!(bench.deid(&[]).0, Some(0));
    for key in ["id", "visit"] {
        let new: BTreeSet<String> =
            bench.rows("out/notes.jsonl").iter().map(|row| row[key].to_string()).collect();
        assert_eq!(new.len(), ids.len(), "{key}");
    }
}

/// Blanks around a patient id do not count, and the report says so; case and blanks inside it do.
#[test]
fn patients_that_differ_in_case_stay_apart_and_blanks_around_ids_are_reported() {
    let bench = Bench::new();
    let row = |(i, patient): (usize, &str)| json!({"id": i, "patient": patient, "text": LETTER});
    let patients = ["ab-1", "AB-1", "ab -1", "ab1", "a\u{301}b-1", "áb-1"];
    bench.put("in/notes.jsonl", lines(&patients.into_iter().enumerate().map(row).collect::<Vec<_>>()));
    bench.put("in/more.csv", format!("id,patient,text\n17, ab-1,\"{LETTER}\"\n18,ab-1 ,\"{LETTER}\"\n"));
    assert_eq!(bench.deid(&[]).0, Some(0));
    let new: BTreeSet<String> =
        bench.rows("out/notes.jsonl").iter().map(|row| row["patient"].to_string()).collect();
    assert_eq!(new.len(), patients.len());
    assert_eq!(crosswalk(&bench.out(), "patient").len(), patients.len());
    let report = fs::read_to_string(bench.path("out/report.md")).unwrap();
    assert!(report.contains("2 patient ids had blanks around them"), "{report}");
}

#[test]
fn file_names_that_tell_are_kept() {
    let bench = Bench::new();
    for name in
        ["KERVADEC_19410217.docx.txt", "lettre-neurologie.txt", "QUINTREC Solenne/lettre.txt", "in.jsonl"]
    {
        let content = if name.ends_with("jsonl") { lines(&[json!({"text": LETTER})]) } else { LETTER.into() };
        bench.put(&format!("in/{name}"), content);
    }
    assert_eq!(bench.deid(&[]).0, Some(0));
    let names = bench.names();
    assert_eq!(names.len(), 4);
    assert!(names.contains("lettre-neurologie.txt") && names.contains("in.jsonl"), "{names:?}");
    for (path, bytes) in files(&bench.out()) {
        let all = format!("{} {}", path.display(), String::from_utf8_lossy(&bytes)).to_lowercase();
        assert!(
            ["kervadec", "quintrec", "19410217"].iter().all(|identifier| !all.contains(identifier)),
            "{}",
            path.display()
        );
    }
    let hex = names.iter().find(|n| n.ends_with(".txt") && !n.contains('-') && !n.contains('/')).unwrap();
    assert!(hex.trim_end_matches(".txt").chars().all(|c| c.is_ascii_hexdigit()), "{hex}");
    let first = crosswalk(&bench.out(), "file");
    assert_eq!(bench.run("in", "again", &[]).0, Some(0));
    assert_eq!(first, crosswalk(&bench.0.path().join("again"), "file"), "the same key gives the same names");
    // A page to look at and annotations are named anew as well.
    for to in ["html", "jsonl", "xml", "brat"] {
        assert_eq!(bench.run("in", to, &["--to", to]).0, Some(0));
        for (path, bytes) in files(&bench.0.path().join(to)) {
            let all = format!("{} {}", path.display(), String::from_utf8_lossy(&bytes)).to_lowercase();
            assert!(!all.contains("kervadec") && !all.contains("quintrec"), "{}", path.display());
        }
    }
}

#[test]
fn keep_ids_is_a_choice_that_the_report_states() {
    let bench = Bench::new();
    bench.put("in/KERVADEC.jsonl", lines(&[json!({"id": 800417, "patient": 800417, "text": LETTER})]));
    assert_eq!(bench.deid(&["--keep-ids"]).0, Some(0));
    let row = &bench.rows("out/KERVADEC.jsonl")[0];
    assert!(row["id"] == 800_417 && row["patient"] != 800_417, "{row}");
    assert!(fs::read_to_string(bench.path("out/report.md")).unwrap().contains("those of the originals"));
    let mut detect = vec!["detect".to_owned(), bench.path("in"), "-o".into(), bench.path("found")];
    detect.push("--quiet".into());
    assert!(taire(&detect.iter().map(String::as_str).collect::<Vec<_>>()).status.success());
    assert_eq!(bench.rows("found/KERVADEC.jsonl")[0]["id"], "800417", "annotations are for the owner");
}

#[test]
fn refused_file_names_lie_in_the_shared_folder() {
    let bench = Bench::new();
    bench.put("in/QUINTREC_Solenne.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    bench.put("in/lettre.txt", LETTER);
    bench.put("in/.cache-quintrec", "x");
    assert_eq!(bench.deid(&[]).0, Some(1));
    for (path, bytes) in files(&bench.out()) {
        let all = format!("{} {}", path.display(), String::from_utf8_lossy(&bytes)).to_lowercase();
        assert!(!all.contains("quintrec") && !all.contains(&bench.path("in")), "{}", path.display());
    }
    let refused = private(&bench.out(), "refused.csv");
    assert_eq!(refused.len(), 1);
    assert!(
        refused[0][0].ends_with("QUINTREC_Solenne.png") && refused[0][2].contains("image"),
        "{refused:?}"
    );
    let report: Value = serde_json::from_slice(&fs::read(bench.path("out/report.json")).unwrap()).unwrap();
    assert_eq!(report["refused"][0]["documents"], 1);
    assert!(report["remarks"].to_string().contains("hidden"), "hidden files are reported: {report}");
    assert!(private(&bench.out(), "remarks.csv").iter().any(|row| row[0].contains(".cache-quintrec")));
}

#[cfg(unix)]
#[test]
fn private_files_are_their_owners_and_fail_before_anything_is_released() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.put("in/notes.jsonl", lines(&[json!({"id": 1, "text": LETTER})]));
    let mode = |path: &str| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(bench.deid(&[]).0, Some(0));
    assert_eq!(bench.run("in/notes.jsonl", "one.jsonl", &[]).0, Some(0));
    for folder in ["out.private", "one.private"] {
        assert_eq!(mode(&bench.path(folder)), 0o700);
        for name in files(Path::new(&bench.path(folder))).keys() {
            assert_eq!(
                mode(&bench.path(&format!("{folder}/{}", name.display()))),
                0o600,
                "{}",
                name.display()
            );
        }
    }
    assert!(Path::new(&bench.path("one.jsonl")).exists());
    bench.put("blocked.private", "a file where the folder should be");
    let (code, said) = bench.run("in", "blocked", &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("blocked.private") && said.contains("nothing is written"), "{said}");
    assert!(!Path::new(&bench.path("blocked")).exists());
}

/// Defect: a run that failed half-way left the documents it had written, without manifest, report and crosswalk.
#[test]
fn run_that_fails_half_way_leaves_nothing_unless_it_can_be_continued() {
    let bench = Bench::new();
    for name in ["lettre.txt", "note.txt"] {
        bench.put(&format!("in/{name}"), LETTER);
    }
    // The second output cannot be written: a folder has its name.
    bench.put("out/note.txt/mine.txt", "mine");
    let (code, said) = bench.deid(&["--into-existing", "--journal-every", "86400"]);
    assert!(code == Some(1) && said.contains("note.txt") && said.contains("was removed"), "{said}");
    assert_eq!(files(&bench.out()).len(), 1, "only what was there before: {:?}", files(&bench.out()).keys());
    assert!(!Path::new(&bench.path("out.private/.taire-run")).exists());
    // With a checkpoint, what was done is kept and continued.
    let (code, said) = bench.deid(&["--into-existing", "--journal-every", "0"]);
    assert!(code == Some(1) && said.contains("--resume"), "{said}");
    fs::remove_dir_all(bench.path("out/note.txt")).unwrap();
    assert_eq!(bench.deid(&["--resume"]).0, Some(0));
    assert_eq!(bench.names(), BTreeSet::from(["lettre.txt".to_owned(), "note.txt".to_owned()]));
    // The crosswalk is the last to be written: without it nothing is released.
    fs::create_dir_all(bench.path("lost.private/crosswalk.csv")).unwrap();
    let (code, said) = bench.run("in", "lost", &[]);
    assert!(code == Some(1) && said.contains("crosswalk.csv") && said.contains("was removed"), "{said}");
    assert!(!Path::new(&bench.path("lost")).exists());
}

#[test]
fn second_run_leaves_what_it_refused_as_the_first_wrote_it() {
    let bench = Bench::new();
    for name in ["lettre.txt", "note.txt", "sub/page.txt"] {
        bench.put(&format!("in/{name}"), LETTER);
    }
    assert_eq!(bench.deid(&[]).0, Some(0));
    assert_eq!(bench.names().len(), 3);
    let noise: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    bench.put("in/lettre.txt", noise);
    fs::remove_dir_all(bench.path("in/sub")).unwrap();
    assert_eq!(bench.deid(&[]).0, Some(1));
    assert_eq!(bench.names(), BTreeSet::from(["note.txt".to_owned()]));
    assert!(!Path::new(&bench.path("out/sub")).exists());
    let manifest: Value =
        serde_json::from_slice(&fs::read(bench.path("out/manifest.json")).unwrap()).unwrap();
    let listed: Vec<&str> =
        manifest["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert_eq!(listed, ["note.txt"]);
    // The same where the output is one file.
    let input = bench.put("rows.jsonl", lines(&[json!({"id": 1, "text": LETTER})]));
    assert_eq!(bench.run("rows.jsonl", "rows-out.jsonl", &[]).0, Some(0));
    fs::write(input, "{\n").unwrap();
    assert_eq!(bench.run("rows.jsonl", "rows-out.jsonl", &[]).0, Some(1));
    assert!(!Path::new(&bench.path("rows-out.jsonl")).exists(), "the first run's version is still there");
}

#[test]
fn folder_with_files_of_others_is_refused_unless_asked_for() {
    let bench = Bench::new();
    bench.put("in/lettre.txt", LETTER);
    bench.put("out/mine.txt", "mine");
    let (code, said) = bench.deid(&[]);
    assert!(code == Some(2) && said.contains("--into-existing") && said.contains("mine.txt"), "{said}");
    assert_eq!(files(&bench.out()).len(), 1);
    assert!(!Path::new(&bench.path("out.private")).exists());
    assert_eq!(bench.deid(&["--into-existing"]).0, Some(0));
    assert_eq!(fs::read_to_string(bench.path("out/mine.txt")).unwrap(), "mine");
    assert_eq!(bench.names().len(), 2);
}

/// Defect: a second output of the same stem replaced the crosswalk of the first.
#[test]
fn crosswalk_of_another_output_is_not_replaced() {
    let bench = Bench::new();
    let rows = |id: &str| lines(&[json!({"id": id, "text": LETTER})]);
    bench.put("a.jsonl", rows("a-1"));
    bench.put("b.jsonl", rows("b-1"));
    bench.put("b.csv", format!("id,text\nb-1,\"{LETTER}\"\n"));
    assert_eq!(bench.run("a.jsonl", "out.jsonl", &[]).0, Some(0));
    let before = fs::read(bench.path("out.private/crosswalk.csv")).unwrap();
    for (input, out) in [("b.csv", "out.csv"), ("b.jsonl", "out"), ("in", "out")] {
        bench.put("in/lettre.txt", LETTER);
        let (code, said) = bench.run(input, out, &[]);
        assert!(
            code == Some(2) && said.contains("out.jsonl") && said.contains("another name"),
            "{out}: {said}"
        );
        assert_eq!(fs::read(bench.path("out.private/crosswalk.csv")).unwrap(), before, "{out}");
    }
    assert_eq!(bench.run("b.jsonl", "out.jsonl", &[]).0, Some(0), "the same output may be written again");
    fs::remove_file(bench.path("out.jsonl")).unwrap();
    assert_eq!(bench.run("in", "out", &[]).0, Some(0), "the other output is gone");
    assert_eq!(bench.run("a.jsonl", "out.jsonl", &[]).0, Some(2), "the folder has the private folder now");
}

#[test]
fn output_inside_an_input_is_refused_and_so_is_the_reverse() {
    let bench = Bench::new();
    bench.put("in/lettre.txt", LETTER);
    for (input, out) in [("in", "in/out"), ("in", "in"), ("in/../in", "in/a/b"), ("in", "in/x.jsonl")] {
        let (code, said) = bench.run(input, out, &[]);
        assert!(code == Some(2) && said.contains("inside this input"), "{input} {out}: {said}");
    }
    bench.put("big/sub/lettre.txt", LETTER);
    let (code, said) = bench.run("big/sub", "big", &["--into-existing"]);
    assert!(code == Some(2) && said.contains("inside the output"), "{said}");
    assert_eq!(files(Path::new(&bench.path("in"))).len(), 1);
}

#[test]
fn shares_do_not_remove_each_others_files_and_a_new_division_replaces_them() {
    let bench = Bench::new();
    for i in 0..12 {
        bench.put(&format!("in/lettre-{i}.txt"), LETTER);
    }
    for _ in 0..2 {
        for share in ["1/2", "2/2"] {
            assert_eq!(bench.deid(&["--shard", share]).0, Some(0));
        }
        assert_eq!(bench.names().len(), 12);
    }
    fs::remove_file(bench.path("in/lettre-3.txt")).unwrap();
    assert_eq!(bench.deid(&[]).0, Some(0));
    assert_eq!(bench.names().len(), 11);
    let left: BTreeMap<_, _> = files(&bench.out());
    assert!(left.keys().all(|path| !path.to_string_lossy().contains("of-2")), "{:?}", left.keys());
    assert_eq!(bench.deid(&["--shard", "1/3"]).0, Some(0));
    assert!(bench.names().len() < 11, "the whole run's documents are gone");
}

#[cfg(unix)]
#[test]
fn pipes_and_links_in_circles_are_not_opened() {
    let bench = Bench::new();
    bench.put("in/lettre.txt", LETTER);
    assert!(Command::new("mkfifo").arg(bench.path("in/pipe.txt")).status().unwrap().success());
    assert!(Command::new("mkfifo").arg(bench.path("in/patients.csv")).status().unwrap().success());
    fs::create_dir(bench.path("in/sub")).unwrap();
    std::os::unix::fs::symlink("..", bench.path("in/sub/loop")).unwrap();
    std::os::unix::fs::symlink("self", bench.path("in/self")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", bench.path("in/zero")).unwrap();
    assert_eq!(bench.deid(&[]).0, Some(1));
    assert_eq!(bench.names(), BTreeSet::from(["lettre.txt".to_owned()]));
    let refused = private(&bench.out(), "refused.csv");
    assert_eq!(refused.len(), 5, "{refused:?}");
    assert_eq!(refused.iter().filter(|row| row[2].contains("not a regular file")).count(), 2);
    assert_eq!(refused.iter().filter(|row| row[2].contains("leads out of the input folder")).count(), 1);
    let (code, said) = bench.run("in/pipe.txt", "named", &[]);
    assert!(code == Some(1) && said.contains("not a regular file"), "{said}");
}

#[test]
fn doubt_list_is_led_by_the_sex_field() {
    let bench = Bench::new();
    let form =
        "Nom : QUINTREC\nPrénom : Solenne\nSexe : F\nNée le 12/03/1961\nMadame Solenne QUINTREC est revue.";
    let unsure = "Le patient va bien. Échographie par Colin,\ncontrôle à Bellevue, avis Zwrkab demandé.";
    bench.put(
        "in/notes.jsonl",
        lines(&[json!({"id": "form", "text": form}), json!({"id": "unsure", "text": unsure})]),
    );
    assert_eq!(bench.deid(&[]).0, Some(0));
    let listed = private(&bench.out(), "doubtful.csv");
    assert_eq!(listed[0][0], "unsure", "{listed:?}");
    assert!(listed[1][4].parse::<f32>().unwrap() > 0.8, "the sex stays and is not in doubt: {listed:?}");
}

#[test]
fn measures_find_the_originals_by_the_crosswalk() {
    let bench = Bench::new();
    let text = format!("{LETTER} Plaquettes 251 000/mm3. Traitement par ramipril 5 mg.");
    bench.put("in/notes.jsonl", lines(&[json!({"id": 17, "text": text}), json!({"text": text})]));
    bench.put("in/QUINTREC.txt", &text);
    assert_eq!(bench.deid(&[]).0, Some(0));
    let done = taire(&["retain", &bench.path("in"), &bench.path("out"), "--lang", "fr", "--format", "json"]);
    let kept: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&kept["documents"], &kept["not_released"]), (&json!(3), &json!(0)), "{kept}");
}
