//! Documents joined to patients by what they say, lists of known people, and directories of the institution.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use common::taire;
use serde_json::Value;

struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        let bench = Bench(tempfile::tempdir().unwrap());
        fs::create_dir(bench.path("in")).unwrap();
        assert!(taire(&["key", "new", "-o", &bench.path("key")]).status.success());
        bench
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, content: &str) -> String {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// `taire deid in -o out` with the key of the bench.
    fn deid(&self, more: &[&str]) -> i32 {
        let (input, out, key) = (self.path("in"), self.path("out"), self.path("key"));
        let mut args = vec!["deid", &input, "-o", &out, "--key", &key, "--quiet", "--keep-ids"];
        args.extend(more);
        taire(&args).status.code().unwrap()
    }

    fn report(&self) -> Value {
        serde_json::from_str(&self.read("out/report.json")).unwrap()
    }

    /// Record and reason by document.
    fn links(&self) -> BTreeMap<String, (String, String)> {
        let table = self.read("out.private/links.csv");
        assert!(table.starts_with("document,record,why\n"), "{table}");
        let row = |line: &str| {
            let cells: Vec<_> = line.splitn(3, ',').map(str::to_owned).collect();
            (cells[0].clone(), (cells[1].clone(), cells[2].clone()))
        };
        table.lines().skip(1).map(row).collect()
    }
}

fn letter(title: &str, name: &str, birth: &str, number: &str, day: &str) -> String {
    let born = if title == "Madame" { "née" } else { "né" };
    let number = if number.is_empty() { String::new() } else { format!("IPP : {number}\n") };
    format!("{title} {name}\n{born} le {birth}\n{number}\nConsultation du {day}. {title} {name} va mieux.\n")
}

/// The day of the consultation in a text that was rewritten, as year, month, day.
fn consultation(text: &str) -> (u32, u32, u32) {
    let day = text.split("Consultation du ").nth(1).unwrap().split('.').next().unwrap();
    let parts: Vec<u32> = day.split('/').map(|p| p.parse().unwrap()).collect();
    (parts[2], parts[1], parts[0])
}

/// Issue 19: a folder of loose letters of one patient came out as several people, a March stay after the April visit.
#[test]
fn loose_letters_of_one_patient_come_out_as_one_person_with_dates_in_order() {
    let bench = Bench::new();
    let kervadec =
        |number: &str, day: &str| letter("Madame", "Aldegonde KERVADEC", "17/02/1941", number, day);
    bench.write("in/a.txt", &kervadec("800417", "03/03/2019"));
    let page = kervadec("800417", "12/03/2019").replace('\n', "<br>\n");
    bench.write("in/b.html", &format!("<html><body><p>{page}</p></body></html>"));
    bench.write(
        "in/c.jsonl",
        &(serde_json::json!({"id": "c", "text": kervadec("", "04/04/2019")}).to_string() + "\n"),
    );
    bench.write("in/d.csv", &format!("id,text\nd,\"{}\"\n", kervadec("80 04 17", "20/04/2019")));
    let rtf = kervadec("800417", "02/05/2019").replace("née", "n\\'e9e").replace('\n', "\\par\n");
    bench.write("in/e.rtf", &format!("{{\\rtf1\\ansi {rtf}}}"));
    bench.write("in/f.md", &kervadec("", "09/05/2019"));
    bench.write("in/g.txt", &letter("Monsieur", "Yann LE GOFF", "03/05/1950", "900123", "01/04/2019"));
    assert_eq!(bench.deid(&[]), 0);
    let links = bench.links();
    let records: BTreeSet<_> = links.values().map(|(record, _)| record.as_str()).collect();
    assert_eq!(records, BTreeSet::from(["800417", "900123"]), "{links:?}");
    assert_eq!(links["a"].1, "number (IPP)");
    assert!(links["f"].1.starts_with("name and birth date"), "{links:?}");
    let texts: Vec<String> = ["a.txt", "b.html", "c.jsonl", "d.csv", "e.rtf", "f.md"]
        .iter()
        .map(|n| bench.read(&format!("out/{n}")))
        .collect();
    let days: Vec<_> = texts.iter().map(|text| consultation(text)).collect();
    assert!(days.windows(2).all(|pair| pair[0] < pair[1]), "{days:?}");
    let first: Vec<&str> = texts[0].lines().next().unwrap().split(' ').collect();
    assert!(
        texts.iter().all(|t| first[1..].iter().filter(|w| w.is_ascii()).all(|word| t.contains(word))),
        "{texts:?}"
    );
    let other = bench.read("out/g.txt");
    assert!(!other.contains(first[1]) || !other.contains(first[2]));
    assert_eq!(bench.report()["links"]["records"], 2);

    // A letter that comes a month later joins the same record with the same key.
    fs::remove_dir_all(bench.path("in")).unwrap();
    fs::create_dir(bench.path("in")).unwrap();
    bench.write("in/later.txt", &kervadec("800417", "01/06/2019"));
    fs::remove_dir_all(bench.path("out")).unwrap();
    assert_eq!(bench.deid(&[]), 0);
    let later = bench.read("out/later.txt");
    assert_eq!(later.lines().next(), texts[0].lines().next());
    assert!(consultation(&later) > days[5]);
}

#[test]
fn link_prints_the_table_and_writes_nothing_and_no_link_turns_it_off() {
    let bench = Bench::new();
    let same = |day: &str| letter("Madame", "Aldegonde KERVADEC", "17/02/1941", "800417", day);
    bench.write("in/a.txt", &same("03/03/2019"));
    bench.write("in/b.txt", &same("04/05/2019"));
    let output = taire(&["link", &bench.path("in")]);
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed, "document,record,why\na,800417,number (IPP)\nb,800417,number (IPP)\n");
    assert_eq!(fs::read_dir(bench.0.path()).unwrap().count(), 2, "in and the key");
    for jobs in ["1", "3"] {
        assert_eq!(bench.deid(&["--jobs", jobs]), 0);
        assert_eq!(bench.read("out.private/links.csv"), printed);
    }
    let person = |name: &str| bench.read(name).lines().take(3).collect::<Vec<_>>().join("\n");
    assert_eq!(person("out/a.txt"), person("out/b.txt"));
    fs::remove_dir_all(bench.path("out.private")).unwrap();
    assert_eq!(bench.deid(&["--no-link"]), 0);
    assert_ne!(person("out/a.txt"), person("out/b.txt"));
    assert!(!fs::exists(bench.path("out.private/links.csv")).unwrap());
}

#[test]
fn contradictions_forbid_joins_and_twins_stay_two() {
    let bench = Bench::new();
    bench.write("in/a.txt", &letter("Madame", "Aldegonde KERVADEC", "17/02/1941", "800417", "03/03/2019"));
    bench.write("in/b.txt", &letter("Monsieur", "Yann LE GOFF", "03/05/1950", "800417", "03/03/2019"));
    bench.write("in/c.txt", &letter("Madame", "Berthe KERVADEC", "17/02/1941", "", "03/03/2019"));
    bench.write("in/d.txt", "IPP : 800417\nConsultation du 03/03/2019.\n");
    assert_eq!(bench.deid(&[]), 0);
    let links = bench.links();
    assert_ne!(links["a"].0, links["b"].0, "one number, two birth dates");
    assert_ne!(links["a"].0, links["c"].0, "twins");
    assert_eq!(links["d"].0, "", "nobody can tell whose it is: {links:?}");
    assert_eq!(bench.report()["links"]["contradicted"], 1);
}

#[test]
fn placeholder_ids_join_nobody() {
    let bench = Bench::new();
    let names =
        ["Aldegonde KERVADEC", "Berthe MORVAN", "Claudie ABGRALL", "Denise QUINTREC", "Edith LE BIHAN"];
    let ids = ["-", "N/A", "0", "inconnu", "desconocido"];
    let rows = names.iter().zip(ids).flat_map(|(name, id)| {
        ["x", "y"].map(|n| {
            let text = format!("Madame {name} va mieux. Vue le 03/03/2019.");
            serde_json::json!({"id": format!("{id}{n}"), "patient": id, "text": text, "lang": "fr"})
                .to_string()
                + "\n"
        })
    });
    bench.write("in/t.jsonl", &rows.collect::<String>());
    assert_eq!(bench.deid(&[]), 0);
    assert!(bench.links().values().all(|(record, _)| record.is_empty()));
    let out = bench.read("out/t.jsonl");
    let patients = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["patient"].clone());
    assert!(patients.into_iter().all(|patient| patient.is_null()));
}

/// Issue 19: one line was applied to every letter, two joined nothing, and French headings were refused.
#[test]
fn rows_of_patients_join_by_content_and_the_others_are_looked_for_everywhere() {
    let bench = Bench::new();
    bench.write(
        "in/patients.csv",
        "IPP;Nom;Prénom;Date de naissance;Téléphone\n\
        800417;KERVADEC;Aldegonde;17/02/1941;0298000000\n900123;QUINTREC;Yann;03/05/1950;0298111111\n",
    );
    bench.write(
        "in/a.txt",
        "Madame Aldegonde KERVADEC\nnée le 17/02/1941\n\nRappeler au 02 98 00 00 00. kervadec va mieux.\n",
    );
    bench.write("in/b.txt", "IPP : 555123\nVisite le 03/03/2019. Ami de Quintrec, du 02 98 11 11 11.\n");
    assert_eq!(bench.deid(&[]), 0);
    let links = bench.links();
    assert_eq!(links["a"], ("800417".into(), "name and birth date".into()), "{links:?}");
    let (a, b) = (bench.read("out/a.txt"), bench.read("out/b.txt"));
    assert!(!a.to_lowercase().contains("kervadec") && !a.contains("98 00 00"), "{a}");
    assert!(!b.contains("Quintrec") && !b.contains("98 11 11"), "{b}");
    assert_eq!(links["b"].0, "555123", "a row that joined nothing is not this letter's patient");
    let report = bench.report();
    assert_eq!(
        (&report["links"]["known_joined"], &report["links"]["known_unjoined"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn spanish_titles_and_rows_joined_by_number() {
    let bench = Bench::new();
    let patients = bench.write(
        "p.csv",
        "NHC;Apellidos;Nombre;Fecha de nacimiento\n4437812;Zubizarreta Etxeberria;Inés;03/05/1950\n",
    );
    bench.write("in/a.txt", "NHC: 4437812\nInforme de alta. Ingresa por disnea el 12/03/2019. zubizarreta mejora con el tratamiento.\n");
    assert_eq!(bench.deid(&["--patients", &patients]), 0);
    assert_eq!(bench.links()["a"].0, "4437812");
    assert!(!bench.read("out/a.txt").to_lowercase().contains("zubizarreta"));
    assert_eq!(bench.report()["links"]["known_joined"], 1);
}

#[test]
fn two_rows_with_one_id_and_different_names_are_an_error_with_both_lines() {
    let bench = Bench::new();
    bench.write("in/a.txt", "Madame Aldegonde KERVADEC va mieux.\n");
    let patients =
        bench.write("p.csv", "IPP;Nom;Prénom\n7;KERVADEC;Aldegonde\n8;MORVAN;Zoé\n7;LE GOFF;Yann\n");
    let (input, out) = (bench.path("in"), bench.path("out"));
    let output = taire(&["deid", &input, "-o", &out, "--patients", &patients]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("line 4") && error.contains("line 2") && !error.contains("KERVADEC"), "{error}");
    assert!(!fs::exists(out).unwrap());
}

#[test]
fn a_directory_is_looked_for_and_its_junk_is_not() {
    let bench = Bench::new();
    let mut rows = "Nom;Prénom;Fonction;Service;Ville\nZARQUAOUI;Yvain;PH;Pavillon des Ormes;Plouvara\n\
        PETIT;Zoé;IDE;;\nne plus écrire;;;;\ninterne4;;;;\n-;N/A;;;\nPARKINSON;Alan;PH;;\n"
        .to_owned();
    for i in 0..200_000u32 {
        let name: String = (0..6).map(|n| char::from(b'a' + (i / 26u32.pow(n) % 26) as u8)).collect();
        rows += &format!("Xw{name};Yann;PH;;\n");
    }
    let directory = bench.write("staff.csv", &rows);
    bench.write(
        "in/a.txt",
        "Lettre. Un petit foyer, maladie de Parkinson. Ne plus écrire ici. Avis de zarquaoui yvain puis de Zarquaoui au \
         pavillon des Ormes, et de Xwabcaaa ce jour.\n",
    );
    assert_eq!(bench.deid(&["--directory", &directory]), 0);
    let text = bench.read("out/a.txt");
    assert!(text.contains("petit foyer, maladie de Parkinson. Ne plus écrire ici"), "{text}");
    assert!(!text.contains("Zarquaoui") && !text.contains("Ormes") && !text.contains("Xwabcaaa"), "{text}");
    let report = bench.read("out/report.md");
    assert!(
        report.contains("directory: 200005 rows") && report.contains("4 values were no names"),
        "{report}"
    );
}
