use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::{OpenCorpus, noise};

fn parse(language: Language, body: &str) -> MarkedDocument {
    MarkedDocument::parse("x/x/01", language, &format!("<!-- kind: note -->\n{body}")).unwrap()
}

#[test]
fn only_spans_change_and_the_seed_decides_every_byte() {
    let corpus = OpenCorpus::shipped().unwrap();
    for document in &corpus.documents {
        let refiller = Refiller::new(document.language);
        for seed in [1, 2] {
            let new = refiller.refill(document, seed);
            assert_eq!(new.gaps(), document.gaps(), "{}", document.id);
            let labels = |d: &MarkedDocument| d.spans.iter().map(|s| s.label).collect::<Vec<_>>();
            assert_eq!(labels(&new), labels(document), "{}", document.id);
            for span in &new.spans {
                let text = span.of(&new.text);
                assert!(!text.is_empty() && text == text.trim(), "{} {:?}", document.id, span.label);
            }
            assert_eq!(new, refiller.refill(document, seed));
        }
        // One short span may be drawn alike twice.
        let first = refiller.refill(document, 1).text;
        let same = (2..10).all(|seed| refiller.refill(document, seed).text == first);
        let stays =
            |label: Label| matches!(label, Label::Profession | Label::OtherDetail | Label::RelativeDate);
        assert!(!same || document.spans.iter().all(|s| stays(s.label)), "{}", document.id);
    }
}

#[test]
fn one_value_becomes_one_value() {
    let corpus = OpenCorpus::shipped().unwrap();
    for document in &corpus.documents {
        let new = Refiller::new(document.language).refill(document, 3);
        let mut seen: BTreeMap<(Label, &str), &str> = BTreeMap::new();
        for (old, now) in document.spans.iter().zip(&new.spans) {
            use Label::*;
            if !matches!(old.label, GivenName | FamilyName | PatientId | Phone | Email | SocialSecurity) {
                continue;
            }
            let (old_text, text) = (old.of(&document.text), now.of(&new.text));
            let first = seen.entry((old.label, old_text)).or_insert(text);
            assert_eq!(*first, text, "{} {old_text}", document.id);
        }
    }
}

#[test]
fn most_direct_identifiers_are_other_ones() {
    let corpus = OpenCorpus::shipped().unwrap();
    let (mut changed, mut all): (BTreeMap<Label, usize>, BTreeMap<Label, usize>) = Default::default();
    let mut families = BTreeSet::new();
    for document in &corpus.documents {
        let new = Refiller::new(document.language).refill(document, 5);
        for (old, now) in document.spans.iter().zip(&new.spans) {
            *all.entry(old.label).or_default() += 1;
            *changed.entry(old.label).or_default() +=
                usize::from(old.of(&document.text) != now.of(&new.text));
            if now.label == Label::FamilyName {
                families.insert(fold(now.of(&new.text)));
            }
        }
    }
    use Label::*;
    for (label, least) in [
        (FamilyName, 97),
        (GivenName, 97),
        (City, 97),
        (Phone, 97),
        (PatientId, 97),
        (Date, 85),
        (Street, 90),
    ] {
        let share = 100 * changed[&label] / all[&label];
        assert!(share >= least, "{label}: {share} % changed");
    }
    assert!(families.len() > 2500, "{} family names", families.len());
}

#[test]
fn form_is_kept() {
    let body = "Mme [Odette](GivenName) [LE GALL](FamilyName), [12 bis rue des Lilas](Street) [29200](PostalCode) [BREST](City), \
                tél [02 98 44 11 02](Phone), née le [2 mars 1931](BirthDate), NIR [2 31 03 29 019 044 21](SocialSecurity), \
                [O.](Initials) [le gall](FamilyName), IBAN [FR76 3000 6000 0112 3456 7890 189](AccountNumber)";
    let document = parse(Language::Fr, body);
    for seed in 0..30 {
        let new = Refiller::new(Language::Fr).refill(&document, seed);
        let text = |i: usize| new.spans[i].of(&new.text);
        assert!(text(1).starts_with("LE ") && text(1) == text(1).to_uppercase(), "{}", text(1));
        assert!(text(2).contains(" bis rue "), "{}", text(2));
        assert!(text(3).len() == 5 && text(3).chars().all(|c| c.is_ascii_digit()));
        assert!(text(5).starts_with("02 ") && text(5).len() == 14, "{}", text(5));
        assert_eq!(text(7).chars().filter(|c| *c == ' ').count(), 6);
        assert!(text(7).starts_with("2 "));
        assert_eq!(fold(text(9)), fold(text(1)), "one name in two cases");
        assert_eq!(text(8).len(), 2);
        let (plain, account): (String, _) = (text(10).chars().filter(|c| *c != ' ').collect(), text(10));
        let number = format!("{}1527{}", &plain[4..], &plain[2..4]);
        let rest = number.chars().fold(0, |r, c| (r * 10 + u64::from(c.to_digit(10).unwrap())) % 97);
        assert_eq!(rest, 1, "{account}");
    }
}

#[test]
fn values_agree_with_the_word_before() {
    let document = parse(
        Language::Fr,
        "le frère d'[Odile](GivenName) et celui de [Bernard](GivenName), maire d'[Auray](City), né au [Mans](City), en fin d'[avril](Date)",
    );
    for seed in 0..60 {
        let new = Refiller::new(Language::Fr).refill(&document, seed);
        let first = |i: usize| fold(new.spans[i].of(&new.text)).chars().next().unwrap();
        for vowel in [0, 2, 4] {
            assert!("aeiou".contains(first(vowel)), "{}", new.text);
        }
        assert!(!"aeiouh".contains(first(1)), "{}", new.text);
        assert!(!new.text.contains("au Le "), "{}", new.text);
    }
}

#[test]
fn addresses_follow_the_names() {
    let document = parse(
        Language::Fr,
        "[Jean](GivenName) [Quillivéré](FamilyName) [j.quillivere@ch-brest.example.fr](Email) [jquillivere](OtherId)",
    );
    for seed in 0..20 {
        let new = Refiller::new(Language::Fr).refill(&document, seed);
        let text = |i: usize| new.spans[i].of(&new.text);
        let family: String = fold(text(1)).chars().filter(char::is_ascii_alphanumeric).collect();
        assert!(text(2).contains(&format!(".{family}@ch-")), "{}", new.text);
        assert!(text(3).ends_with(&family), "{}", new.text);
    }
}

#[test]
fn a_cut_word_is_cut_again() {
    let document = parse(Language::Fr, "Madame [Skrzyp-\n   czak](FamilyName) et [Skrzypczak](FamilyName)");
    let new = Refiller::new(Language::Fr).refill(&document, 4);
    let (cut, whole) = (new.spans[0].of(&new.text), new.spans[1].of(&new.text));
    assert!(cut.contains("-\n   "), "{cut}");
    assert_eq!(cut.replace("-\n   ", ""), whole);
}

#[test]
fn noise_keeps_every_span() {
    let corpus = OpenCorpus::shipped().unwrap();
    let letters = |text: &str| fold(text).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    for document in &corpus.documents {
        for kind in crate::NoiseKind::ALL {
            let new = noise::apply(document, kind, 9);
            assert_eq!(new.spans.len(), document.spans.len(), "{} {kind:?}", document.id);
            assert_eq!(new, noise::apply(document, kind, 9));
            for (old, now) in document.spans.iter().zip(&new.spans) {
                assert_eq!(old.label, now.label);
                let (old, now) = (old.of(&document.text), now.of(&new.text));
                assert_eq!(now, now.trim());
                use crate::NoiseKind::{Entities, Ocr};
                if !matches!(kind, Ocr | Entities) {
                    assert_eq!(letters(old), letters(now), "{} {kind:?}", document.id);
                }
            }
        }
        assert_eq!(noise::mixed(document, 11).spans.len(), document.spans.len());
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(300))]

    /// For any document and seed: the text is the gaps and the spans in turn, the gaps are the old ones, and noise on top
    /// loses no span.
    #[test]
    fn spans_are_carried_exactly(index in 0_usize..10_000, seed: u64) {
        let corpus = CORPUS.get_or_init(|| OpenCorpus::shipped().unwrap());
        let document = &corpus.documents[index % corpus.documents.len()];
        let new = Refiller::new(document.language).refill(document, seed);
        let mut text = String::new();
        for (i, gap) in document.gaps().iter().enumerate() {
            text.push_str(gap);
            text.push_str(new.spans.get(i).map_or("", |s| s.of(&new.text)));
        }
        proptest::prop_assert_eq!(&text, &new.text);
        proptest::prop_assert_eq!(noise::mixed(&new, seed).spans.len(), document.spans.len());
    }
}

static CORPUS: std::sync::OnceLock<OpenCorpus> = std::sync::OnceLock::new();
