//! Tables of invented notes, and what reading and writing them costs by itself.
//!
//! `notes make 100000 notes.parquet` (or `.jsonl`) writes notes of about 3 KB, the same for the same number.
//! `notes read notes.parquet` reads every note; `notes copy notes.parquet out/` writes it back too, with nothing between.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use taire_formats::{NewFields, OutputPlan, ReadOptions, Stage, WriteOptions, Writer, discover, open};

type Failure = Box<dyn std::error::Error>;

const FAMILY: [&str; 12] = [
    "KERVADEC",
    "LOISELEUR",
    "Trévidic",
    "LE GOFF",
    "Marchand",
    "BENALI",
    "Dos Santos",
    "PETIT",
    "Roussel",
    "NGUYEN",
    "Castagnet",
    "FABRE",
];
const GIVEN: [&str; 10] =
    ["Aldegonde", "Sosthène", "Marie", "Jean-Paul", "Nadia", "Paulette", "Yves", "Lucie", "Karim", "Odile"];
const TOWN: [&str; 8] =
    ["Quimperlé", "Saint-Brieuc", "Bordeaux", "Lannion", "Dijon", "Beaune", "Vannes", "Chalon-sur-Saône"];
const PROSE: [&str; 10] = [
    "Antécédents : HTA depuis 2004, maladie de Basedow traitée en 1989, appendicectomie dans l'enfance.",
    "Plaquettes 251 000/mm3, hémoglobine 12,4 g/dl, créatinine 78 µmol/l, CRP < 5 mg/l, TSH 1,8 mUI/l.",
    "Traitement à l'entrée : ramipril 5 mg le matin, bisoprolol 2,5 mg, atorvastatine 20 mg le soir.",
    "L'échographie cardiaque retrouve une fraction d'éjection à 60 %, sans anomalie de la cinétique segmentaire.",
    "L'examen neurologique est sans particularité, signe de Babinski absent, Glasgow 15/15.",
    "Devant la persistance des douleurs thoraciques à l'effort, une coronarographie est proposée et acceptée.",
    "Les suites sont simples, la marche est reprise au deuxième jour avec l'aide du kinésithérapeute.",
    "Le score de Framingham est intermédiaire ; les conseils d'hygiène de vie ont été rappelés longuement.",
    "Pas de fièvre, pas de frissons, transit conservé, abdomen souple et dépressible, TA 14/8, pouls 72.",
    "Une consultation de contrôle est prévue avec une prise de sang et un électrocardiogramme.",
];

fn note(i: usize) -> String {
    let mut seed = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut pick = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) as usize % n
    };
    let (family, given, town) = (FAMILY[pick(12)], GIVEN[pick(10)], TOWN[pick(8)]);
    let (day, month, year) = (1 + pick(28), 1 + pick(12), 1930 + pick(80));
    let mut text = format!(
        "Hôpital de {town}\nCompte rendu de consultation du {:02}/{:02}/20{:02}\n\nMme {given} {family}, née le \
         {day:02}/{month:02}/{year} à {}, demeurant {} rue des Ajoncs, {}000 {town}. IPP 80{:08}. Tél. 06.71.20.{:02}.{:02}.\n\n",
        1 + pick(28),
        1 + pick(12),
        10 + pick(15),
        TOWN[pick(8)],
        1 + pick(200),
        10 + pick(80),
        pick(100_000_000),
        pick(100),
        pick(100),
    );
    while text.len() < 2800 {
        text.push_str(PROSE[pick(10)]);
        text.push_str(if pick(3) == 0 { "\n" } else { " " });
        if pick(6) == 0 {
            let (doctor, other) = (FAMILY[pick(12)], GIVEN[pick(10)]);
            text.push_str(&format!(
                "Mme {family} est revue le {} mars 20{} par le Dr {other} {doctor}. ",
                1 + pick(28),
                10 + pick(15)
            ));
        }
    }
    text.push_str(&format!("\n\nDr {} {}\n", GIVEN[pick(10)], FAMILY[pick(12)]));
    text
}

fn make(count: usize, path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|e| e == "parquet") {
        let mut out: Option<ArrowWriter<File>> = None;
        for from in (0..count).step_by(5000) {
            let rows = from..count.min(from + 5000);
            let numbers = || rows.clone().map(|i| i as i64);
            let columns: [(&str, ArrayRef); 4] = [
                ("note_id", Arc::new(Int64Array::from_iter_values(numbers()))),
                ("person_id", Arc::new(Int64Array::from_iter_values(numbers().map(|i| 800_000 + i / 5)))),
                (
                    "note_date",
                    Arc::new(Date32Array::from_iter_values(rows.clone().map(|i| 16_000 + (i % 3000) as i32))),
                ),
                ("note_text", Arc::new(StringArray::from_iter_values(rows.clone().map(note)))),
            ];
            let batch = RecordBatch::try_from_iter(columns)?;
            let writer = match &mut out {
                Some(writer) => writer,
                None => out.insert(ArrowWriter::try_new(File::create(path)?, batch.schema(), None)?),
            };
            writer.write(&batch)?;
            writer.flush()?;
        }
        if let Some(writer) = out {
            writer.close()?;
        }
        return Ok(());
    }
    let mut out = BufWriter::new(File::create(path)?);
    for i in 0..count {
        let text = serde_json::to_string(&note(i))?;
        writeln!(out, "{{\"id\":{i},\"patient\":{},\"text\":{text}}}", 800_000 + i / 5)?;
    }
    Ok(out.flush()?)
}

fn read(path: &Path) -> Result<(), Failure> {
    let options = ReadOptions::default();
    let mut bytes = 0;
    for input in &discover(&[PathBuf::from(path)], &options).inputs {
        for document in open(input, &options)? {
            bytes += document.map_err(|refusal| refusal.to_string())?.text.len();
        }
    }
    println!("{bytes}");
    Ok(())
}

fn copy(path: &Path, out: &Path) -> Result<(), Failure> {
    let options = ReadOptions::default();
    let found = discover(&[PathBuf::from(path)], &options);
    let plan = OutputPlan::new(&found, out, taire_formats::To::InKind, None)?;
    let stage = Stage::open(&plan.stage)?;
    for (input, target) in found.inputs.iter().zip(&plan.targets) {
        let reader = open(input, &options)?;
        let mut writer = Writer::create(target, WriteOptions::default(), &reader.layout().clone(), &stage)?;
        for document in reader {
            let document = document.map_err(|refusal| refusal.to_string())?;
            writer.write(
                &document,
                &document.text,
                &[],
                &NewFields {
                    id: &document.id,
                    patient: document.patient.as_deref(),
                    visit: None,
                    date: document.date,
                },
            )?;
        }
        writer.finish()?;
    }
    Ok(stage.remove()?)
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", count, path] => make(count.parse()?, Path::new(path)),
        ["read", path] => read(Path::new(path)),
        ["copy", path, out] => copy(Path::new(path), Path::new(out)),
        _ => Err("usage: notes make COUNT FILE | notes read FILE | notes copy FILE FOLDER".into()),
    }
}
