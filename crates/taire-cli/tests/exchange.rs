//! Exports and exchanges of whole systems through `deid`: FHIR Bulk Data, batches of HL7, XDM, archives, spreadsheets,
//! Outlook mail. References agree from file to file, and nothing of the identity stays.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use common::{documents, searchable, taire, unpacked};
use serde_json::Value;

const WORDS: &[&str] = &["kervadec", "aldegonde", "trepanier", "hildegarde", "7719046502"];

struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().unwrap());
        fs::create_dir(bench.path("in")).unwrap();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path("in").join(name), bytes).unwrap();
    }

    /// Treats the folder; gives its files, none of which may hold a word of the identity.
    fn treat(&self, status: i32) -> Vec<(String, Vec<u8>)> {
        let (input, out) = (self.path("in"), self.path("out"));
        let done = taire(&["deid", input.to_str().unwrap(), "-o", out.to_str().unwrap()]);
        assert_eq!(done.status.code(), Some(status), "{}", String::from_utf8_lossy(&done.stderr));
        let found = documents(&out).into_iter();
        let files: Vec<_> = found.map(|(name, bytes)| (name.display().to_string(), bytes)).collect();
        for (name, bytes) in &files {
            for (part, bytes) in unpacked(bytes) {
                let text = searchable(&String::from_utf8_lossy(&bytes));
                for word in WORDS {
                    assert!(!text.contains(word), "{word} is left in {name} {part}");
                }
            }
        }
        files
    }
}

fn ids(lines: &[Value], pointer: &str) -> BTreeSet<String> {
    lines.iter().filter_map(|line| line.pointer(pointer)?.as_str().map(str::to_owned)).collect()
}

#[test]
fn references_of_an_export_agree_from_file_to_file() {
    let bench = Bench::new();
    let patients = concat!(
        r#"{"resourceType":"Patient","id":"pat-4711","identifier":[{"system":"urn:oid:1.2.250.1.999.2","value":"7719046502"}],"#,
        r#""name":[{"family":"KERVADEC","given":["Aldegonde"]}],"birthDate":"1952-11-04","generalPractitioner":[{"reference":"Practitioner/prat-77"}]}"#,
        "\n",
        r#"{"resourceType":"Patient","id":"pat-4712","name":[{"family":"Kervadec","given":["Hildegarde"]}],"birthDate":"1949-02-17"}"#,
        "\n"
    );
    let observations = concat!(
        r#"{"resourceType":"Observation","id":"obs-1","status":"final","code":{"text":"Poids"},"subject":{"reference":"Patient/pat-4711"},"#,
        r#""encounter":{"reference":"Encounter/enc-55"},"performer":[{"reference":"Practitioner/prat-77"}],"note":[{"text":"Mme Aldegonde Kervadec pesée par le Dr Trépanier."}]}"#,
        "\n",
        r#"{"resourceType":"Observation","id":"obs-2","status":"final","code":{"text":"Poids"},"subject":{"reference":"Patient/pat-4712"},"performer":[{"reference":"Practitioner/prat-77"}]}"#,
        "\n"
    );
    let encounters = "{\"resourceType\":\"Encounter\",\"id\":\"enc-55\",\"status\":\"finished\",\"subject\":{\"reference\":\"Patient/pat-4711\"}}\n\
         {\"resourceType\":\"Encounter\",\"id\":\"enc-56\",\"status\":\"finished\",\"subject\":{\"reference\":\"Patient/pat-4712\"}}\n";
    let staff = "{\"resourceType\":\"Practitioner\",\"id\":\"prat-77\",\"name\":[{\"family\":\"TRÉPANIER\"}]}\n\
                 {\"resourceType\":\"Practitioner\",\"id\":\"prat-78\",\"name\":[{\"family\":\"TRÉPANIER\"}]}\n";
    bench.put("patient.ndjson", patients);
    bench.put("observation.ndjson", observations);
    bench.put("encounter.ndjson", encounters);
    bench.put("practitioner.ndjson", staff);
    let files = bench.treat(0);
    let lines: Vec<Value> = files
        .iter()
        .flat_map(|(_, bytes)| {
            String::from_utf8(bytes.clone()).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    assert_eq!(lines.len(), 8);
    let of = |kind: &str| -> Vec<Value> {
        lines.iter().filter(|line| line["resourceType"] == kind).cloned().collect()
    };
    let with = |kind: &str, ids: BTreeSet<String>| -> BTreeSet<String> {
        ids.into_iter().map(|id| format!("{kind}/{id}")).collect()
    };
    let (patients, observations) = (of("Patient"), of("Observation"));
    let patient_ids = with("Patient", ids(&patients, "/id"));
    assert_eq!(patient_ids.len(), 2);
    assert!(!patient_ids.contains("Patient/pat-4711") && !patient_ids.contains("Patient/pat-4712"));
    assert_eq!(ids(&observations, "/subject/reference"), patient_ids);
    assert_eq!(ids(&of("Encounter"), "/subject/reference"), patient_ids);
    let encounter = ids(&observations, "/encounter/reference");
    assert!(with("Encounter", ids(&of("Encounter"), "/id")).is_superset(&encounter) && encounter.len() == 1);
    let performers = ids(&observations, "/performer/0/reference");
    assert_eq!(performers.len(), 1, "one practitioner became two");
    assert!(with("Practitioner", ids(&of("Practitioner"), "/id")).is_superset(&performers));
    assert_eq!(ids(&patients, "/generalPractitioner/0/reference"), performers);
}

#[test]
fn a_batch_of_messages_stays_a_batch() {
    let bench = Bench::new();
    let message = |number: u32, name: &str| {
        format!(
            "MSH|^~\\&|LAB|CHU KERVADEC|DPI|CH|20210315||ORU^R01|{number}|P|2.5\rPID|1||7719046502||{name}^ALDEGONDE||19521104|F\r\
             OBX|1|TX|||Mme Aldegonde Kervadec va bien.\r"
        )
    };
    let batch = format!(
        "FHS|^~\\&|LAB|KERVADEC\rBHS|^~\\&|LAB|KERVADEC\r{}{}BTS|2|Kervadec\rFTS|1\r",
        message(1, "KERVADEC"),
        message(2, "KERVADEC")
    );
    bench.put("lot.hl7", batch);
    let files = bench.treat(0);
    let text = String::from_utf8(files[0].1.clone()).unwrap();
    assert!(text.starts_with("FHS|^~\\&\rBHS|^~\\&\rMSH|") && text.ends_with("BTS\rFTS\r"), "{text:?}");
    let people: BTreeSet<&str> = text.split('\r').filter(|l| l.starts_with("PID")).collect();
    assert_eq!(text.matches("MSH|").count(), 2);
    assert_eq!(people.len(), 1, "one patient became two");
}

#[test]
fn an_exchange_gives_its_documents_without_its_metadata() {
    let bench = Bench::new();
    let cda = include_str!("envelopes/lettre.xml").replace(
        "<!--BODY-->",
        "<structuredBody><component><section><text>Mme Aldegonde Kervadec va bien.</text></section></component></structuredBody>",
    );
    let metadata = "<?xml version=\"1.0\"?><lcm:SubmitObjectsRequest xmlns:lcm=\"urn:oasis:names:tc:ebxml-regrep:xsd:lcm:3.0\">\
                    <Value>PID-5|KERVADEC^ALDEGONDE</Value></lcm:SubmitObjectsRequest>";
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, content) in [
        ("IHE_XDM/SUBSET01/METADATA.XML", metadata),
        ("IHE_XDM/SUBSET01/DOC001.XML", cda.as_str()),
        ("README.TXT", "Envoi de documents de santé."),
    ] {
        zip.start_file(name, options).unwrap();
        std::io::Write::write_all(&mut zip, content.as_bytes()).unwrap();
    }
    bench.put("envoi.zip", zip.finish().unwrap().into_inner());
    let files = bench.treat(0);
    assert_eq!(files.len(), 2, "{:?}", files.iter().map(|(name, _)| name).collect::<Vec<_>>());
    assert!(files.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("<ClinicalDocument")));
    let private = fs::read_dir(bench.path("out.private")).unwrap().map(|e| e.unwrap().path());
    let noted = private
        .filter_map(|path| fs::read_to_string(path).ok())
        .any(|text| text.contains("metadata of an exchange"));
    assert!(noted, "the metadata is passed over in silence");
}
