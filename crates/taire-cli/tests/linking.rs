//! Documents joined to patients by what they say, lists of known people, and directories of the institution.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;

use common::{crosswalk, documents, taire};
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

/// A container of a word processor with these parts.
fn zipped(parts: &[(&str, String)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        let stored =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(*name, stored).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn docx(text: &str) -> Vec<u8> {
    let paragraphs: String =
        text.lines().map(|line| format!("<w:p><w:r><w:t>{line}</w:t></w:r></w:p>")).collect();
    let schema = "http://schemas.openxmlformats.org";
    let word = format!("{schema}/wordprocessingml/2006/main");
    let kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
    zipped(&[
        (
            "[Content_Types].xml",
            format!(
                "<Types xmlns=\"{schema}/package/2006/content-types\"><Default Extension=\"rels\" \
                 ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
                 <Override PartName=\"/word/document.xml\" ContentType=\"{kind}\"/></Types>"
            ),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{schema}/package/2006/relationships\"><Relationship Id=\"r1\" \
                 Type=\"{schema}/officeDocument/2006/relationships/officeDocument\" Target=\"word/document.xml\"/></Relationships>"
            ),
        ),
        (
            "word/document.xml",
            format!("<w:document xmlns:w=\"{word}\"><w:body>{paragraphs}</w:body></w:document>"),
        ),
    ])
}

fn odt(text: &str) -> Vec<u8> {
    let paragraphs: String = text.lines().map(|line| format!("<text:p>{line}</text:p>")).collect();
    let name = "urn:oasis:names:tc:opendocument:xmlns";
    let kind = "application/vnd.oasis.opendocument.text";
    zipped(&[
        ("mimetype", kind.to_owned()),
        (
            "content.xml",
            format!(
                "<office:document-content xmlns:office=\"{name}:office:1.0\" xmlns:text=\"{name}:text:1.0\" \
                 office:version=\"1.2\"><office:body><office:text>{paragraphs}</office:text></office:body>\
                 </office:document-content>"
            ),
        ),
        (
            "META-INF/manifest.xml",
            format!(
                "<manifest:manifest xmlns:manifest=\"{name}:manifest:1.0\" manifest:version=\"1.2\">\
                 <manifest:file-entry manifest:full-path=\"/\" manifest:media-type=\"{kind}\"/>\
                 <manifest:file-entry manifest:full-path=\"content.xml\" manifest:media-type=\"text/xml\"/></manifest:manifest>"
            ),
        ),
    ])
}

/// One page for each text.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut objects = vec!["<</Type/Catalog/Pages 2 0 R>>".to_owned(), String::new()];
    objects.push("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".into());
    let mut kids = String::new();
    for text in pages {
        let lines = text.lines().map(|line| format!("({}) Tj T*\n", line.replace('é', "\\351")));
        let content = format!("BT /F1 12 Tf 14 TL 70 700 Td\n{}ET", lines.collect::<String>());
        let number = objects.len() + 1;
        kids += &format!("{number} 0 R ");
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {} 0 R/Resources<</Font<</F1 3 0 R>>>>>>",
            number + 1
        ));
        objects.push(format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()));
    }
    objects[1] = format!("<</Type/Pages/Count {}/Kids[{kids}]>>", pages.len());
    let mut out = String::from("%PDF-1.4\n");
    let mut table = String::from("0000000000 65535 f \n");
    for (i, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", out.len());
        out += &format!("{} 0 obj\n{object}\nendobj\n", i + 1);
    }
    let (at, size) = (out.len(), objects.len() + 1);
    out += &format!("xref\n0 {size}\n{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF\n");
    out.into_bytes()
}

/// A letter in one of the six formats of a department.
fn in_format(extension: &str, text: &str) -> Vec<u8> {
    match extension {
        "txt" => text.as_bytes().to_vec(),
        "html" => format!("<html><body><p>{}</p></body></html>", text.replace('\n', "<br>\n")).into_bytes(),
        "rtf" => {
            format!("{{\\rtf1\\ansi {}}}", text.replace('é', "\\'e9").replace('\n', "\\par\n")).into_bytes()
        }
        "docx" => docx(text),
        "odt" => odt(text),
        _ => pdf(&[text]),
    }
}

impl Bench {
    /// The texts of an output folder, as a reader of these formats sees them, by the names of the originals.
    fn texts(&self, out: &str) -> BTreeMap<String, String> {
        let (read, found) = (self.path(&format!("{out}-read")), self.path(&format!("{out}-found.jsonl")));
        fs::create_dir(&read).unwrap();
        for (name, bytes) in documents(&self.0.path().join(out)) {
            fs::write(Path::new(&read).join(name), bytes).unwrap();
        }
        let done = taire(&["detect", &read, "-o", &found, "--to", "jsonl", "--quiet", "--lang", "fr"]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let rows = fs::read_to_string(found).unwrap();
        let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let text = |(original, new): (String, String)| {
            let stem = Path::new(&new).with_extension("");
            let row = rows.iter().find(|row| row["id"].as_str() == stem.to_str()).unwrap();
            let original = Path::new(&original).file_name().unwrap().to_string_lossy().into_owned();
            (original, row["text"].as_str().unwrap().to_owned())
        };
        crosswalk(&self.0.path().join(out), "file").into_iter().map(text).collect()
    }
}

#[test]
fn letters_in_six_formats_are_two_people_and_a_later_letter_joins_them() {
    const FORMATS: [&str; 6] = ["txt", "docx", "odt", "pdf", "rtf", "html"];
    let bench = Bench::new();
    let run = |input: &str, out: &str| {
        let (input, out, key) = (bench.path(input), bench.path(out), bench.path("key"));
        let done = taire(&["deid", &input, "-o", &out, "--key", &key, "--quiet", "--lang", "fr"]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    let kervadec = |day: &str| letter("Madame", "Aldegonde KERVADEC", "17/02/1941", "800417", day);
    let le_goff = |day: &str| letter("Monsieur", "Yann LE GOFF", "03/05/1950", "900123", day);
    for (i, extension) in FORMATS.iter().enumerate() {
        // The file names follow neither the patients nor the days.
        let first = kervadec(&format!("{:02}/0{}/2019", 28 - i, 1 + i));
        let second = le_goff(&format!("{:02}/0{}/2019", 3 + i, 6 - i));
        fs::write(bench.path(&format!("in/KERVADEC_{}.{extension}", 6 - i)), in_format(extension, &first))
            .unwrap();
        fs::write(bench.path(&format!("in/LE GOFF {i}.{extension}")), in_format(extension, &second)).unwrap();
    }
    run("in", "out");
    let texts = bench.texts("out");
    assert_eq!(texts.len(), 12);
    let head = |text: &str| -> String {
        text.lines().filter(|line| !line.trim().is_empty()).take(3).collect::<Vec<_>>().join("|")
    };
    let mut days: BTreeMap<String, Vec<(u32, u32, u32)>> = BTreeMap::new();
    for (name, text) in &texts {
        let is_kervadec = name.starts_with("KERVADEC");
        let own = match is_kervadec {
            true => ["KERVADEC", "Aldegonde", "800417", "17/02/1941"],
            false => ["GOFF", "Yann", "900123", "03/05/1950"],
        };
        assert!(own.iter().all(|left| !text.contains(left)), "{text}");
        assert_eq!(head(text), head(&texts[if is_kervadec { "KERVADEC_6.txt" } else { "LE GOFF 0.txt" }]));
        days.entry(head(text)).or_default().push(consultation(text));
    }
    assert_eq!(days.len(), 2, "{days:?}");
    // The numbers in the names of the files run against the days of the letters.
    assert!(days.values().all(|days| days.windows(2).all(|pair| pair[0] > pair[1])), "{days:?}");
    let links = bench.links();
    let of = |name: &str| {
        links
            .iter()
            .filter(|(id, _)| id.contains(name))
            .map(|(_, link)| link.0.clone())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(of("KERVADEC"), BTreeSet::from(["800417".to_owned()]));
    assert_eq!(of("LE GOFF"), BTreeSet::from(["900123".to_owned()]));

    // A month later: one more letter, in a folder of its own, under the same key.
    fs::create_dir(bench.path("later")).unwrap();
    fs::write(bench.path("later/KERVADEC.docx"), docx(&kervadec("15/07/2019"))).unwrap();
    run("later", "out-later");
    let later = &bench.texts("out-later")["KERVADEC.docx"];
    let before = days.get(&head(later)).unwrap_or_else(|| panic!("the later letter is somebody else's"));
    assert!(before.iter().all(|day| *day < consultation(later)), "{before:?}");
}

#[test]
fn doubtful_list_names_the_page_of_a_pdf() {
    let bench = Bench::new();
    let first = "Compte rendu de consultation.\nLe patient va bien.\nExamen sans particularité.";
    let second = "Suite du compte rendu.\nRadio par Colin, avis Zwrkab demandé.";
    fs::write(bench.path("in/note.pdf"), pdf(&[first, second])).unwrap();
    bench.write("in/autre.txt", &format!("{first}\n{second}\n"));
    assert_eq!(bench.deid(&["--lang", "fr"]), 0);
    let table = bench.read("out.private/doubtful.csv");
    let head: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let cell = |document: &str, name: &str| {
        let row = table.lines().find(|line| line.starts_with(document)).unwrap();
        let at = head.iter().position(|title| *title == name).unwrap();
        row.split(',').nth(at).unwrap().to_owned()
    };
    assert_eq!((cell("note", "page"), cell("note", "line")), ("2".into(), "2".into()), "{table}");
    assert_eq!((cell("autre", "page"), cell("autre", "line")), (String::new(), "5".into()), "{table}");
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
        report.contains("services: 200005 rows") && report.contains("4 values were no names"),
        "{report}"
    );
}

/// Defect: a letter with `née NOM` and two digits of the birth year was never joined to its record.
#[test]
fn a_two_digit_birth_year_joins_its_record_and_no_other() {
    let bench = Bench::new();
    let short = "Madame Aldegonde KERVADEC née LE BIHAN\nnée le 17/02/12\n\nConsultation du 12/04/2019.\n";
    bench.write("in/full.txt", &letter("Madame", "Aldegonde KERVADEC", "17/02/1912", "800417", "03/03/2019"));
    bench.write("in/short.txt", short);
    bench.write("in/other.txt", &short.replace("17/02/12", "18/02/12"));
    assert_eq!(bench.deid(&[]), 0);
    let links = bench.links();
    assert_eq!(links["short"].0, links["full"].0, "{links:?}");
    assert_ne!(links["other"].0, links["full"].0);
    assert!(links["short"].1.contains("two digits"), "{links:?}");
    bench.write("in/child.txt", &letter("Madame", "Aldegonde KERVADEC", "17/02/2012", "", "03/03/2019"));
    assert_eq!(bench.deid(&[]), 0);
    let links = bench.links();
    assert!(links["short"].0.is_empty() && !links["full"].0.is_empty(), "two people fit: {links:?}");
}

/// Defect: the report gave the rows of the directory, and not how many of them were found.
#[test]
fn the_report_counts_the_rows_of_the_directory_that_were_found() {
    let bench = Bench::new();
    bench.write(
        "in/a.txt",
        &format!(
            "{}\nDr LE GOUALHER, poste 02 98 41 77 05",
            letter("Madame", "Aldegonde KERVADEC", "17/02/1941", "", "03/03/2019")
        ),
    );
    let rows = "nom;prénom;téléphone\nLE GOUALHER;Yann;\nPLOUZENNEC;Soizic;02 98 41 77 05\nTREGUIER;Maël;\n";
    let directory = bench.write("staff.csv", rows);
    assert_eq!(bench.deid(&["--directory", &directory]), 0);
    let counts = &bench.report()["directory"];
    assert_eq!((&counts["rows"], &counts["joined"], &counts["unjoined"]), (&3.into(), &2.into(), &1.into()));
    assert!(
        bench
            .read("out/report.md")
            .contains("3 rows, looked for in every document; 2 found in some document, 1 in none.")
    );
}
