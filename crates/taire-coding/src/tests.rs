//! The coder from end to end, on a small hospital of invented lines.

use taire_text::Language;

use crate::{Case, Coder, Grain, Method, Options, Pooling, Table, measure, train};
use taire_text::SplitMix64;

const DISEASES: &[(&str, &[&str])] = &[
    ("I10", &["hypertension artérielle", "HTA connue", "tension élevée sous bêta-bloquant"]),
    ("E11.9", &["diabète de type 2", "DNID", "diabète non insulinodépendant"]),
    ("J18.9", &["pneumopathie", "foyer pulmonaire droit", "pneumonie franche"]),
    ("N39.0", &["infection urinaire", "ECBU positif", "pyurie"]),
    ("S72.0", &["fracture du col du fémur", "fracture cervicale vraie"]),
];

pub(crate) fn cases(count: usize, seed: u64) -> Vec<Case> {
    let mut dice = SplitMix64::new(seed);
    let filler = [
        "le patient va bien",
        "sortie prévue demain",
        "auscultation libre",
        "pas de fièvre",
        "repos conseillé",
    ];
    (0..count)
        .map(|i| {
            let mut lines: Vec<String> =
                (0..4).map(|_| filler[dice.below(filler.len())].to_owned()).collect();
            let mut codes = Vec::new();
            for (code, ways) in DISEASES {
                if dice.below(3) == 0 {
                    lines.push(format!("On retient : {}.", ways[dice.below(ways.len())]));
                    codes.push(code.to_string());
                }
            }
            dice.shuffle(&mut lines);
            Case { id: format!("case-{i:03}"), text: lines.join("\n"), codes }
        })
        .collect()
}

fn options(threads: usize) -> Options {
    Options { width: 16, epochs: 14, patience: 5, rate: 1e-2, threads, ..Options::default() }
}

fn trained(options: &Options, cases: &[Case]) -> Coder {
    let refs: Vec<&Case> = cases.iter().collect();
    let table = Table::embedded(Language::Fr).unwrap();
    train(&refs[..100], &refs[100..], &[], Some(&table), options, &mut |_| {}).unwrap()
}

pub(crate) fn small(threads: usize) -> (Coder, Vec<Case>) {
    let cases = cases(140, 5);
    (trained(&Options { with_bag: true, ..options(threads) }, &cases), cases)
}

#[test]
fn every_method_learns_and_threads_change_no_bit() {
    let all = cases(140, 5);
    let fresh = cases(60, 6);
    let fresh: Vec<&Case> = fresh.iter().collect();
    let net = |pooling, first_only| Method::Net { pooling, first_only };
    let methods = [
        Method::Bag,
        net(Pooling::Laat, false),
        net(Pooling::Laat, true),
        net(Pooling::Mean, false),
        net(Pooling::Max, false),
    ];
    for method in methods {
        for with_bag in [true, false] {
            let of = |threads| trained(&Options { method, with_bag, ..options(threads) }, &all);
            let coder = of(1);
            assert!(coder.to_bytes().unwrap() == of(2).to_bytes().unwrap(), "{method:?}");
            let measured = measure(&coder.judge(&fresh, 2));
            let pooled = matches!(method, Method::Net { pooling: Pooling::Mean | Pooling::Max, .. });
            let least = if pooled && !with_bag { 0.6 } else { 0.85 };
            assert!(measured.micro.f1 > least, "{method:?} {with_bag}: {measured:?}");
        }
    }
}

#[test]
fn a_code_comes_with_the_words_that_drove_it() {
    let (coder, _) = small(1);
    let text = "Auscultation libre.\nOn retient : DNID.\nLe patient va bien, sortie prévue demain.";
    let found = coder.predict(text, 0);
    let diabetes = found
        .iter()
        .find(|p| p.label == "E11")
        .unwrap_or_else(|| panic!("{found:?} {:?}", coder.predict(text, 5)));
    assert_eq!(&text[diabetes.words[0].0.clone()], "DNID");
    assert!(diabetes.score >= coder.threshold() && diabetes.words.len() <= 6);
    // Asked for more than are given, the next best follow.
    let more = coder.predict(text, 4);
    assert_eq!(more.len(), 4);
    assert!(more.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert!(coder.predict("", 2).len() >= 2);
}

#[test]
fn the_most_frequent_codes_and_other() {
    let all = cases(140, 5);
    let grain = Grain { families: false, top: Some(2) };
    let coder = trained(&Options { grain, members: 2, ..options(1) }, &all);
    assert_eq!(coder.labels.len(), 3);
    assert_eq!(coder.labels.names[2], "other");
}

#[test]
fn a_frozen_encoder_is_read_and_must_be_the_same_again() {
    let all = cases(140, 5);
    let family = |name: &str| {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../taire-encoder/tests/families").join(name)
    };
    let coder = trained(&Options { encoder: Some(family("minilm")), ..options(2) }, &all);
    let bytes = coder.to_bytes().unwrap();
    let again = Coder::from_bytes(&bytes, None).unwrap();
    assert_eq!(again.predict(&all[0].text, 2), coder.predict(&all[0].text, 2));
    let message = Coder::from_bytes(&bytes, Some(&family("camembert"))).unwrap_err().to_string();
    assert!(message.contains("not the one it was trained with"), "{message}");
}

#[test]
fn too_few_cases_are_refused() {
    let all = cases(3, 1);
    let refs: Vec<&Case> = all.iter().collect();
    assert!(train(&refs, &[], &[], None, &options(1), &mut |_| {}).is_err());
}
