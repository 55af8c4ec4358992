//! A seeded run of every target: the same inputs each time, so that a failure here is a failure everywhere.
//! `TAIRE_FUZZ_SECONDS` makes it longer: `cargo xtask test` runs about a minute of each.

use std::panic::{AssertUnwindSafe, catch_unwind};

use taire_fuzz::{Dice, TARGETS, named};

/// A round is one damaged input; so many as take about a second on one core, and as many times that as asked.
fn rounds(a_second: usize) -> usize {
    let seconds = std::env::var("TAIRE_FUZZ_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    a_second * seconds
}

fn run(name: &str, a_second: usize) {
    let target = named(name).expect("a target of this name");
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty());
    seeds.iter().for_each(|seed| (target.run)(seed));
    for round in 0..rounds(a_second) {
        let mut dice = Dice::new(round as u64 + 1);
        let mut bytes = seeds[dice.below(seeds.len())].clone();
        let other = &seeds[dice.below(seeds.len())];
        dice.spoil(&mut bytes, other);
        if catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes))).is_err() {
            let kept = format!("{}/{name}-{round}", env!("CARGO_TARGET_TMPDIR"));
            let _ = std::fs::write(&kept, &bytes);
            panic!("{name} fails at round {round}; its input is in {kept}");
        }
    }
}

macro_rules! seeded {
    ($($name:ident $a_second:literal)*) => {
        $(#[test] fn $name() { run(stringify!($name), $a_second); })*

        #[test]
        fn every_target_is_run() {
            let run = [$(stringify!($name)),*];
            assert!(TARGETS.iter().all(|target| run.contains(&target.name)) && run.len() == TARGETS.len());
        }
    };
}

seeded! {
    doc 6000 pdf 60 image 60 rtf 1000 docx 700 xlsx 500 pptx 60 odt 500 parquet 3000 cda 7000 fhir 15000 hl7 9000 html 1600 zip 6000 tar 1000 gz 12000 csv 6000
    cell 3000 mail 1500 msg 1000 mbox 500 fhir_xml 4000 fhir_lines 3000 hl7_batch 1500
    jsonl 12000 engine 300
}

/// Inputs of `tests/found`, each under the name of its target.
#[test]
fn what_was_found_before_holds() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/found");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the inputs that were found") {
        let path = entry.expect("an input").path();
        let name = path.file_name().and_then(|n| n.to_str()).and_then(|n| n.split('-').next());
        let target = name.and_then(named).expect("its target");
        let bytes = std::fs::read(&path).expect("an input");
        assert!(
            catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes))).is_ok(),
            "{} fails again",
            path.display()
        );
        count += 1;
    }
    assert!(count >= 5);
}
