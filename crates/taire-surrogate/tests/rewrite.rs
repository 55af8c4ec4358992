//! Whole notes through the rewriter: what must hold whatever the key and the text.

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{marked_entities, rewriter};
use jiff::civil::date;
use proptest::prelude::*;
use taire_surrogate::{IdKind, Rewriter, Rewritten, SecretKey, Settings};
use taire_text::{
    Entity, KnownIdentity, Label, Language, Note, PatientId, Role, Score, Sex, SourceSet, Span, fold,
};

struct Case<'a> {
    source: &'a str,
    language: Language,
    known: KnownIdentity,
    date: Option<jiff::civil::Date>,
}

impl Case<'_> {
    fn run(&self, rewriter: &Rewriter) -> (String, Rewritten, Vec<(String, String)>) {
        let (text, entities) = marked_entities(self.source);
        let note = Note::builder("n", &text)
            .patient(PatientId::parse("p1"))
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
            patient: PatientId::parse("p1"),
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
fn what_stays_is_written_as_it_was_read() {
    let case = Case {
        source: "opéré [du cœur](RelativeDate), suivi [depuis\u{a0}l’an dernier](RelativeDate), [4\u{a0}ans](Age)",
        language: Language::Fr,
        known: KnownIdentity::default(),
        date: None,
    };
    let new = case.run(&rewriter(5, "")).0;
    assert_eq!(new, "opéré du cœur, suivi depuis\u{a0}l’an dernier, 4\u{a0}ans");
}

#[test]
fn a_letter_comes_out_whole_and_without_its_identity() {
    for method in ["shift", "blur", "warp"] {
        for seed in 1..6 {
            let rewriter = rewriter(seed, &format!("dates = {{ method = \"{method}\" }}"));
            let (new, rewritten, pairs) = letter().run(&rewriter);
            assert_eq!(rewritten.fallbacks, [], "{method} {seed}: {new}");
            let words: Vec<String> =
                fold(&new).split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
            for gone in ["lefevre", "claude", "1946", "hugo", "orange", "8001234567", "morel"] {
                assert!(!words.iter().any(|word| word == gone), "{method} {seed}: {gone} in {new}");
            }
            assert!(!new.contains("CHU de Bordeaux"), "{method} {seed}: {new}");
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
    let (new, rewritten, _) = case.run(&rewriter(1, ""));
    assert_eq!(new, "le <Date>, <FamilyName>, <OtherDetail>");
    assert_eq!(rewritten.fallbacks.len(), 2);
}

#[test]
fn generalised_values_are_true_and_wider() {
    let run = |source: &str, on: Option<jiff::civil::Date>, settings: &str| {
        let source = source.to_owned();
        let known = KnownIdentity::default();
        let case = Case { source: &source, language: Language::Fr, known, date: on };
        case.run(&rewriter(7, settings)).0
    };
    let wide = "labels = { BirthDate = \"generalise\", Date = \"generalise\", Age = \"generalise\", City = \"generalise\" }";
    let letter = "né le [03/05/1950](BirthDate), vu le [12/03/2014](Date) à [63 ans](Age), [64100](PostalCode) [Pau](City)";
    assert_eq!(run(letter, None, wide), "né le 1950, vu le 2014 à 60-69 ans, 64000 Pyrénées-Atlantiques");
    let month = format!("{wide}\ngeneralise = {{ dates = \"month\", age_band = 5 }}");
    assert_eq!(
        run(letter, None, &month),
        "né le mai 1950, vu le mars 2014 à 60-64 ans, 64000 Pyrénées-Atlantiques"
    );
    // A department that bears the town's name would tell it.
    assert_eq!(run("[Paris](City)", None, wide), "Île-de-France");
    // A child's age in months is no decade of years, and the unit behind a number is not written twice.
    assert_eq!(run("[18 mois](Age), [74](Age) ans", None, wide), "0-9 ans, 70-79 ans");
    // The birth year of the very old would tell their age.
    let old = run("née le [03/05/1915](BirthDate)", Some(date(2014, 3, 12)), wide);
    assert_eq!(old, "née le 1924 ou avant");
    // Nothing tells the year: none is made up.
    assert_eq!(run("le [12 mars](Date)", None, wide), "le <Date>");
}

#[test]
fn kept_dates_leave_ages_and_durations_true() {
    let case = Case {
        source: "le [12/03/2014](Date), [63 ans](Age), [il y a 15 ans](RelativeDate)",
        language: Language::Fr,
        known: KnownIdentity::default(),
        date: Some(date(2014, 3, 12)),
    };
    for seed in 0..6 {
        let (new, _, _) = case.run(&rewriter(seed, "labels = { Date = \"keep\" }"));
        assert_eq!(new, "le 12/03/2014, 63 ans, il y a 15 ans");
    }
}

/// A value that may be medicine is tagged under every action that would write another in its place.
#[test]
fn a_doubtful_value_becomes_its_tag() {
    for settings in
        ["", "all = \"surrogate\"", "labels = { PostalCode = \"generalise\", Street = \"surrogate\" }"]
    {
        let (text, mut found) =
            marked_entities("leucocitosis ([13500](PostalCode)), [T3N1M0](Street), Sr. [Blanco](FamilyName)");
        found[..2].iter_mut().for_each(|e| e.doubtful_value = true);
        let note = Note::builder("n", &text).language(Some(Language::Es)).build().unwrap();
        let rewritten = rewriter(3, settings).rewrite(&note, &found).unwrap();
        let (new, _) = rewritten.apply(&text);
        assert!(new.starts_with("leucocitosis (<PostalCode>), <Street>, Sr. "), "{new}");
        assert_eq!(rewritten.fallbacks.len(), 2);
        assert!(rewritten.fallbacks.iter().all(|f| f.why.contains("clinical value")));
    }
}

#[test]
fn an_age_that_stays_keeps_its_digits() {
    let case = Case {
        source: "nourrisson de [03 mois](Age), fille de [04 ans](Age)",
        language: Language::Fr,
        known: KnownIdentity::default(),
        date: None,
    };
    assert_eq!(case.run(&rewriter(5, "")).0, "nourrisson de 03 mois, fille de 04 ans");
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
        let note = Note::builder("n", "x").patient(PatientId::parse("p1")).date(case.date).build().unwrap();
        let seen = rewriter.document_date(&note).unwrap().year();
        assert!((90..=91).contains(&(seen - born)), "{born} {seen}");
    }
}

#[test]
fn both_ends_of_a_range_move_and_keep_their_order() {
    let case = Case {
        source: "hospitalisé du [3 au 5 avril 2010](Date), amiante de [1966 à 1978](Date)",
        language: Language::Fr,
        known: KnownIdentity::default(),
        date: None,
    };
    for seed in 0..10 {
        let (new, rewritten, pairs) = case.run(&rewriter(seed, ""));
        assert_eq!(rewritten.fallbacks, [], "{new}");
        let years: Vec<i32> = pairs[1].1.split(" à ").map(|y| y.parse().unwrap()).collect();
        assert!((11..=13).contains(&(years[1] - years[0])), "{new}");
        assert!(pairs[0].1.contains(" au "), "{new}");
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
fn a_familiar_form_beside_the_whole_name_is_the_same_person() {
    let names = |source: &str, language, seed| {
        let case = Case { source, language, known: KnownIdentity::default(), date: None };
        let (_, _, pairs) = case.run(&rewriter(seed, ""));
        pairs.into_iter().map(|(_, new)| new).collect::<Vec<_>>()
    };
    for seed in 1..9 {
        let spanish = "[Trinidad](GivenName) [Pérez](FamilyName) ingresa. [Trini](GivenName) come bien.";
        let new = names(spanish, Language::Es, seed);
        assert_eq!(new[0], new[2]);
        let french = "[Emmanuelle](GivenName) [Morel](FamilyName) revient. [Manu](GivenName) va bien.";
        let new = names(french, Language::Fr, seed);
        assert_eq!(new[0], new[2]);
    }
    let two = "[Emmanuel](GivenName) [Morel](FamilyName), [Emmanuelle](GivenName) [Bihan](FamilyName) et [Manu](GivenName).";
    let differ = (1..9).filter(|&seed| {
        let new = names(two, Language::Fr, seed);
        new[4] != new[0] && new[4] != new[2]
    });
    assert!(differ.count() > 4, "nobody can tell which of the two it is");
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
        // A town may stay itself, and a street may be called after it.
        assert!(new.contains("España") && !new.contains("García"), "{new}");
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
                score: Score::CERTAIN, sources: SourceSet::default(), doubtful_value: false,
                mentions: Vec::new(),
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
            let original = replacement.span.of(&text);
            let letters = original.chars().filter(|c| c.is_alphabetic()).count();
            let stays = match replacement.label {
                Label::Age | Label::RelativeDate | Label::City | Label::PostalCode | Label::Region | Label::Country => true,
                Label::GivenName | Label::FamilyName | Label::Initials => letters <= 3,
                _ => false,
            };
            prop_assert!(stays || replacement.text != original);
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
    let id = rewriter.join_key(IdKind::Patient, "800-123");
    assert!(
        id != "800-123" && id.as_bytes()[3] == b'-' && id.bytes().filter(u8::is_ascii_digit).count() <= 10
    );
    assert_eq!(rewriter.settings(), &Settings::default());
    let bad: Settings = toml::from_str("dates = { method = \"warp\", slope = 0.6 }").unwrap();
    let key = SecretKey::from_bytes(&[1; 32]).unwrap();
    assert!(Rewriter::new(key, bad).unwrap_err().to_string().contains("less than 0.5"));
}
