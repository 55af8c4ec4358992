//! Whole notes through the rewriter: what must hold whatever the key and the text.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::date;
use proptest::prelude::*;
use taire_surrogate::{Rewriter, Rewritten, SecretKey, Settings};
use taire_text::{
    Entity, KnownIdentity, Label, Language, Note, Role, Score, Sex, SourceSet, Span, fold, marked,
};

fn entities(source: &str) -> (String, Vec<Entity>) {
    let marked = marked::parse(source);
    let entity = |(range, name): &(std::ops::Range<usize>, String)| Entity {
        span: Span::new(range.start, range.end),
        label: name.parse::<Label>().unwrap(),
        role: Role::Unknown,
        score: Score::CERTAIN,
        sources: SourceSet::default(),
        voices: Vec::new(),
    };
    let entities = marked.spans.iter().map(entity).collect();
    (marked.text, entities)
}

fn rewriter(seed: u8, settings: &str) -> Rewriter {
    Rewriter::new(SecretKey::from_bytes(&[seed; 32]).unwrap(), toml::from_str(settings).unwrap()).unwrap()
}

struct Case<'a> {
    source: &'a str,
    language: Language,
    known: KnownIdentity,
    date: Option<jiff::civil::Date>,
}

impl Case<'_> {
    fn run(&self, rewriter: &Rewriter) -> (String, Rewritten, Vec<(String, String)>) {
        let (text, entities) = entities(self.source);
        let note = Note::builder("n", &text)
            .patient(Some("p1".into()))
            .date(self.date)
            .language(Some(self.language))
            .known(Some(Arc::new(self.known.clone())))
            .build()
            .unwrap();
        let rewritten = rewriter.rewrite(&note, &entities).unwrap();
        let (new, spans) = rewritten.apply(&text);
        let pairs = rewritten.replacements.iter().zip(&spans);
        let pairs = pairs.map(|(r, s)| (r.span.of(&text).to_owned(), new[s.clone()].to_owned())).collect();
        (new, rewritten, pairs)
    }
}

const LETTER: &str = "Mme [LEFÈVRE](FamilyName) [Marie-Claude](GivenName), née le [02/03/1946](BirthDate), \
    [74 ans](Age), [12 bis rue Victor Hugo](Street), [33000](PostalCode) [Bordeaux](City), tél. [05 56 12 34 56](Phone), \
    [mc.lefevre@orange.fr](Email), NIR [2 46 03 33 063 123 45](SocialSecurity), IPP [8001234567](PatientId). \
    Vue le [12 mars 2020](Date) au [CHU de Bordeaux](Hospital) par le Dr [J.](Initials) [Morel](FamilyName), \
    opérée [en 2004](Date), suivie [depuis 12 ans](RelativeDate). Mme [L.](Initials) revient [le 3 mai](Date).";

fn letter() -> Case<'static> {
    Case {
        source: LETTER,
        language: Language::Fr,
        known: KnownIdentity {
            patient: Some("p1".into()),
            family_name: Some("Lefèvre".into()),
            given_names: vec!["Marie-Claude".into()],
            birth_date: Some(date(1946, 3, 2)),
            sex: Some(Sex::F),
            ids: BTreeMap::from([("ipp".into(), "8001234567".into())]),
            phones: vec!["0556123456".into()],
            ..KnownIdentity::default()
        },
        date: Some(date(2020, 3, 12)),
    }
}

#[test]
fn a_letter_comes_out_whole_and_without_its_identity() {
    for method in ["shift", "blur", "warp"] {
        for seed in 1..6 {
            let rewriter = rewriter(seed, &format!("dates = {{ method = \"{method}\" }}"));
            let (new, rewritten, pairs) = letter().run(&rewriter);
            assert_eq!(rewritten.fallbacks, [], "{method} {seed}: {new}");
            let folded = fold(&new);
            for gone in
                ["lefevre", "claude", "1946", "hugo", "33000", "bordeaux", "orange.fr", "8001234567", "morel"]
            {
                assert!(!folded.contains(gone), "{method} {seed}: {gone} in {new}");
            }
            let family = fold(&pairs[0].1);
            let initial = family.chars().next().unwrap().to_uppercase().to_string();
            assert!(pairs.last().unwrap().1.starts_with(|c: char| c.is_ascii_digit() || c == 'l'));
            assert!(new.contains(&format!("Mme {initial}. revient")), "{new}");
            assert!(pairs.iter().any(|(old, new)| old.contains('@') && new.contains(&family)), "{new}");
        }
    }
}

#[test]
fn same_key_same_bytes_other_key_other_bytes() {
    let run = |seed| letter().run(&rewriter(seed, "")).0;
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn actions_write_what_they_say() {
    let case = Case {
        source: "[Jean](GivenName) [Dupont](FamilyName) vu par [J. Dupont](FamilyName), [Paul](GivenName)",
        language: Language::Fr,
        known: KnownIdentity::default(),
        date: None,
    };
    let run = |settings: &str| case.run(&rewriter(1, settings)).0;
    assert_eq!(run("all = \"mask\""), "@@@ @@@ vu par @@@, @@@");
    assert_eq!(run("all = \"tag\""), "<GivenName> <FamilyName> vu par <FamilyName>, <GivenName>");
    assert_eq!(run("all = \"tag\"\ntags = \"category\""), "<PER> <PER> vu par <PER>, <PER>");
    assert_eq!(run("all = \"numbered-tag\""), "[PRENOM_1] [NOM_1] vu par [NOM_1], [PRENOM_2]");
    assert_eq!(run("all = \"remove\""), "  vu par , ");
    assert_eq!(run("all = \"keep\""), "Jean Dupont vu par J. Dupont, Paul");
}

#[test]
fn what_cannot_be_read_becomes_its_tag_and_is_told() {
    let case = Case {
        source: "le [zyx](Date), [Dupont2](FamilyName), [un détail](OtherDetail)",
        language: Language::Fr,
        known: KnownIdentity::default(),
        date: None,
    };
    let (new, rewritten, _) = case.run(&rewriter(1, "[labels]\nOtherDetail = \"surrogate\""));
    assert_eq!(new, "le <Date>, <FamilyName>, <OtherDetail>");
    assert_eq!(rewritten.fallbacks.len(), 3);
}

#[test]
fn the_very_old_are_pooled_with_their_birth_date() {
    let case = Case {
        source: "né le [01/05/1920](BirthDate), âgé de [95 ans](Age)",
        language: Language::Fr,
        known: KnownIdentity::default(),
        date: Some(date(2015, 6, 1)),
    };
    for seed in 0..10 {
        let rewriter = rewriter(seed, "");
        let (new, _, pairs) = case.run(&rewriter);
        assert_eq!(pairs[1].1, "90 ans ou plus", "{new}");
        let born: i16 = pairs[0].1[6..].parse().unwrap();
        let note = Note::builder("n", "x").patient(Some("p1".into())).date(case.date).build().unwrap();
        let seen = rewriter.document_date(&note).unwrap().year();
        assert!((90..=91).contains(&(seen - born)), "{born} {seen}");
    }
}

#[test]
fn ages_in_letters_are_read_too() {
    let case = Case {
        source: "âgé de [soixante-quatorze ans](Age), sa mère de [quatre-vingt-quinze ans](Age)",
        language: Language::Fr,
        known: KnownIdentity::default(),
        date: None,
    };
    let (new, rewritten, _) = case.run(&rewriter(1, "dates = { method = \"shift\" }"));
    assert_eq!(rewritten.fallbacks, []);
    assert_eq!(new, "âgé de soixante-quatorze ans, sa mère de 90 ans ou plus");
}

#[test]
fn a_social_security_number_tells_the_moved_birth() {
    let (_, _, pairs) = letter().run(&rewriter(3, ""));
    let find = |part: &str| pairs.iter().find(|(old, _)| old.contains(part)).unwrap().1.clone();
    let (birth, nir) = (find("02/03/1946"), find("2 46 03"));
    let (month, year) = (&birth[3..5], &birth[8..10]);
    assert!(nir.starts_with(&format!("2 {year} {month} ")), "{birth} {nir}");
}

#[test]
fn spanish_letters_too() {
    let case = Case {
        source: "Paciente: D. [José](GivenName) [García López](FamilyName), NIE [X1234567L](OtherId), \
                 [calle Mayor 25](Street), [28001](PostalCode) [Madrid](City), [España](Country). \
                 Ingresado el [3 de mayo de 2010](Date) en el [Hospital Rey Juan Carlos](Hospital), tel. [91 123 45 67](Phone)",
        language: Language::Es,
        known: KnownIdentity::default(),
        date: None,
    };
    for seed in 0..5 {
        let (new, rewritten, pairs) = case.run(&rewriter(seed, ""));
        assert_eq!(rewritten.fallbacks, [], "{new}");
        assert!(pairs[7].1.contains(" de ") && !pairs[7].1.contains("2010"), "{new}");
        assert!(new.contains("España") && !new.contains("Madrid") && !new.contains("García"), "{new}");
    }
}

fn any_label() -> impl Strategy<Value = Label> {
    prop::sample::select(Label::ALL)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever stands in an entity, of whatever label: replacements are sorted, disjoint and in bounds, and no
    /// surrogate equals its original.
    #[test]
    fn any_text_under_any_label(
        parts in prop::collection::vec(("[ a-z,\n]{0,6}", "\\PC{1,12}|[A-Z]{1,9}|[0-9 ./-]{1,12}|[A-Z][a-zé]{2,9}", any_label()), 0..8),
        seed: u8, french: bool,
    ) {
        let mut text = String::new();
        let mut entities = Vec::new();
        for (gap, inside, label) in &parts {
            text.push_str(gap);
            let start = text.len();
            text.push_str(inside);
            entities.push(Entity {
                span: Span::new(start, text.len()), label: *label, role: Role::Unknown,
                score: Score::CERTAIN, sources: SourceSet::default(), voices: Vec::new(),
            });
        }
        let language = if french { Language::Fr } else { Language::Es };
        let note = Note::builder("n", &text).language(Some(language)).build().unwrap();
        let rewriter = rewriter(seed, "");
        let rewritten = rewriter.rewrite(&note, &entities).unwrap();
        let (new, spans) = rewritten.apply(&text);
        let mut end = 0;
        for (replacement, span) in rewritten.replacements.iter().zip(&spans) {
            prop_assert!(span.start >= end && span.end <= new.len());
            end = span.end;
            let stays = matches!(replacement.label, Label::Age | Label::RelativeDate | Label::Region | Label::Country);
            prop_assert!(stays || replacement.text != replacement.span.of(&text));
        }
        prop_assert_eq!(rewriter.rewrite(&note, &[]).unwrap().apply(&text).0, text);
    }

    /// Initials agree with the names they stand for.
    #[test]
    fn initials_agree(name in "[A-Z][a-z]{3,9}", seed: u8) {
        let source = format!("M. [{name}](FamilyName) et M. [{}.](Initials)", &name[..1]);
        let case = Case { source: &source, language: Language::Fr, known: KnownIdentity::default(), date: None };
        let (_, _, pairs) = case.run(&rewriter(seed, ""));
        prop_assert_eq!(fold(&pairs[0].1).chars().next(), fold(&pairs[1].1).chars().next());
    }

    /// No known name comes out, and no name stays.
    #[test]
    fn known_names_stay_away(family in "[A-Z][a-z]{2,9}", given in prop::sample::select(vec!["Marie", "Jean", "Anne", "Paul"]), seed: u8) {
        let source = format!("[{given}](GivenName) [{family}](FamilyName), Dr [Bernard](FamilyName)");
        let known = KnownIdentity { family_name: Some(family.clone()), given_names: vec![given.into()], ..KnownIdentity::default() };
        let case = Case { source: &source, language: Language::Fr, known, date: None };
        let (_, _, pairs) = case.run(&rewriter(seed, ""));
        for (_, new) in &pairs {
            prop_assert!(fold(new) != fold(&family) && fold(new) != fold(given));
        }
        prop_assert!(fold(&pairs[2].1) != "bernard");
    }

    /// Dates of a note keep their order, in their own surface.
    #[test]
    fn dates_keep_their_order(days in prop::collection::btree_set(0i64..30_000, 2..6), seed: u8, method in 0usize..3) {
        use jiff::ToSpan;
        let written: Vec<String> = days.iter()
            .map(|d| date(1935, 1, 1).checked_add(d.days()).unwrap().strftime("[%d/%m/%Y](Date)").to_string()).collect();
        let source = written.join(" puis ");
        let case = Case { source: &source, language: Language::Fr, known: KnownIdentity::default(), date: None };
        let method = ["shift", "blur", "warp"][method];
        let (_, rewritten, pairs) = case.run(&rewriter(seed, &format!("dates = {{ method = \"{method}\" }}")));
        prop_assert_eq!(rewritten.fallbacks.len(), 0);
        let iso: Vec<String> = pairs.iter().map(|(_, n)| format!("{}-{}-{}", &n[6..], &n[3..5], &n[..2])).collect();
        prop_assert!(iso.is_sorted(), "{:?}", iso);
    }

    /// One number in two layouts and under two labels is one number.
    #[test]
    fn layouts_do_not_matter(digits in "[1-9][0-9]{7}", seed: u8) {
        let source = format!("[{digits}](PatientId) [{}-{} {}](OtherId)", &digits[..2], &digits[2..5], &digits[5..]);
        let case = Case { source: &source, language: Language::Fr, known: KnownIdentity::default(), date: None };
        let (_, _, pairs) = case.run(&rewriter(seed, ""));
        let only = |t: &str| t.chars().filter(char::is_ascii_digit).collect::<String>();
        prop_assert_eq!(only(&pairs[0].1), only(&pairs[1].1));
        prop_assert_ne!(only(&pairs[0].1), digits);
    }
}

#[test]
fn settings_and_columns() {
    let rewriter = rewriter(1, "scope = \"patient\"");
    let id = rewriter.patient_id("800-123");
    assert!(id != "800-123" && id.len() == 7 && id.as_bytes()[3] == b'-');
    assert_eq!(rewriter.settings(), &Settings::default());
    let bad: Settings = toml::from_str("dates = { method = \"warp\", slope = 0.6 }").unwrap();
    let key = SecretKey::from_bytes(&[1; 32]).unwrap();
    assert!(Rewriter::new(key, bad).unwrap_err().to_string().contains("less than 0.5"));
}
