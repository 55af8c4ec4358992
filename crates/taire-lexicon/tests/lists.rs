//! What the embedded lists must say of words that detectors depend on.

use taire_lexicon::{Annotator, Facility, Lexicon, PlaceKind, TownKind};
use taire_text::{Facts, Gender, Language, Note, fold, tokenise};

use Language::{Es, Fr};

fn facts(language: Language, word: &str) -> Facts {
    Lexicon::of(language).facts(&fold(word))
}

#[test]
fn frequent_given_names_have_their_tier_and_sex() {
    for (language, name, tier, gender) in [
        (Fr, "Marie", 7, Gender::Female),
        (Fr, "Jean", 7, Gender::Male),
        (Fr, "Françoise", 6, Gender::Female),
        (Fr, "Mohamed", 5, Gender::Male),
        (Fr, "Fatima", 5, Gender::Female),
        (Fr, "Carmen", 4, Gender::Female),
        (Es, "Antonio", 7, Gender::Male),
        (Es, "María", 7, Gender::Female),
        (Es, "Josefa", 6, Gender::Female),
        (Es, "Íñigo", 3, Gender::Male),
        (Es, "Jean", 5, Gender::Male),
    ] {
        let facts = facts(language, name);
        assert!(facts.given_tier() >= tier, "{name}: {facts:?}");
        assert_eq!(facts.gender(), Some(gender), "{name}: {facts:?}");
    }
}

#[test]
fn frequent_family_names_have_their_tier() {
    for (language, name, tier) in [
        (Fr, "Martin", 7),
        (Fr, "Durand", 7),
        (Fr, "Lefebvre", 7),
        (Fr, "Nguyen", 5),
        (Fr, "Benali", 3),
        (Fr, "Diallo", 4),
        (Fr, "Garcia", 7),
        (Fr, "Etxeberria", 2),
        (Es, "García", 7),
        (Es, "Fernández", 7),
        (Es, "Etxeberria", 4),
        (Es, "Puig", 5),
        (Es, "Castiñeira", 3),
        (Es, "Dupont", 4),
    ] {
        let facts = facts(language, name);
        assert!(facts.family_tier() >= tier, "{name}: {facts:?}");
    }
}

#[test]
fn names_that_are_words_are_marked_as_such_and_rare_words_do_not_hide_names() {
    for word in ["rose", "pierre", "blanche", "petit", "marchand", "patient", "fontaine", "été"] {
        assert!(facts(Fr, word).word_class() >= 2, "{word}: {:?}", facts(Fr, word));
    }
    for word in ["rubio", "dolores", "rosa", "campos", "paciente", "cruz"] {
        assert!(facts(Es, word).word_class() >= 2, "{word}: {:?}", facts(Es, word));
    }
    for name in ["martin", "bernard", "thomas", "durand", "nicolas", "lefevre", "moreau", "marie"] {
        assert!(facts(Fr, name).word_class() < 2, "{name}: {:?}", facts(Fr, name));
    }
    for name in ["garcia", "fernandez", "antonio", "carmen", "lopez", "maria"] {
        assert!(facts(Es, name).word_class() < 2, "{name}: {:?}", facts(Es, name));
    }
    for word in ["de", "le", "avec", "est"] {
        assert_eq!(facts(Fr, word).word_class(), 3, "{word}");
        assert!(!facts(Fr, word).is_name(), "{word}: {:?}", facts(Fr, word));
    }
    for word in ["de", "el", "con", "que", "los"] {
        assert_eq!(facts(Es, word).word_class(), 3, "{word}");
        assert!(!facts(Es, word).is_name(), "{word}: {:?}", facts(Es, word));
    }
}

#[test]
fn medicine_is_known() {
    for word in ["metformine", "Doliprane", "amoxicilline", "Lovenox"] {
        assert!(facts(Fr, word).is_drug(), "{word}");
    }
    for word in ["metformina", "omeprazol", "Nolotil", "enoxaparina", "cefalexina"] {
        assert!(facts(Es, word).is_drug(), "{word}");
    }
    for word in
        ["Alzheimer", "Charcot", "Crohn", "Glasgow", "Doppler", "Gleason", "Foley", "Fallot", "Sjögren"]
    {
        assert!(facts(Fr, word).is_eponym() && facts(Es, word).is_eponym(), "{word}");
    }
    for word in ["pneumopathie", "thorax", "créatinine", "hypertension"] {
        assert!(facts(Fr, word).is_medical(), "{word}");
    }
    for word in ["nefrectomía", "creatinina", "tórax", "urología"] {
        assert!(facts(Es, word).is_medical(), "{word}");
    }
    for name in ["Marie", "Jean", "Dupont", "Sophie"] {
        assert!(!facts(Fr, name).is_eponym() && !facts(Fr, name).is_drug(), "{name}");
    }
}

#[test]
fn people_and_places_are_known() {
    assert!(facts(Fr, "boulangère").is_profession() && facts(Es, "albañil").is_profession());
    assert!(facts(Fr, "algérienne").is_demonym() && facts(Es, "marroquíes").is_demonym());
    assert!(facts(Fr, "Portugal").is_country() && facts(Es, "Francia").is_country());
    assert!(facts(Fr, "Bretagne").is_region() && facts(Es, "Asturias").is_region());
    assert!(facts(Fr, "rue").is_way() && facts(Es, "calle").is_way() && facts(Es, "avda").is_way());
    assert!(facts(Fr, "Paris").is_town() && facts(Fr, "Aix").starts_town() && facts(Es, "Madrid").is_town());
    assert!(facts(Fr, "Bichat").starts_facility());
}

#[test]
fn the_longest_town_name_wins_however_it_is_typed() {
    for (language, text, taken) in [
        (Fr, "Aix-en-Provence, le", "Aix-en-Provence"),
        (Fr, "AIX EN PROVENCE", "AIX EN PROVENCE"),
        (Fr, "St-Denis", "St-Denis"),
        (Fr, "St. Étienne du Rouvray (76)", "St. Étienne du Rouvray"),
        (Fr, "L'Isle-d'Abeau", "L'Isle-d'Abeau"),
        (Fr, "Paris 13e", "Paris 13e"),
        (Fr, "Paris le 3 mai", "Paris"),
        (Fr, "Alger en 1960", "Alger"),
        (Es, "San Sebastián de los Reyes", "San Sebastián de los Reyes"),
        (Es, "San Sebastián (Guipúzcoa)", "San Sebastián"),
        (Es, "Vitoria, 3 de mayo", "Vitoria"),
        (Es, "L'Hospitalet de Llobregat", "L'Hospitalet de Llobregat"),
        (Es, "La Coruña", "La Coruña"),
        (Es, "Valencia", "Valencia"),
    ] {
        let tokens = tokenise(text);
        let length = Lexicon::of(language).longest_town(text, &tokens, 0).unwrap_or(0);
        assert!(length > 0, "{text}");
        assert_eq!(&text[..tokens[length - 1].end()], taken);
    }
    let tokens = tokenise("Xyzabc");
    assert_eq!(Lexicon::of(Fr).longest_town("Xyzabc", &tokens, 0), None);
}

#[test]
fn towns_are_found_by_name_code_and_postal_code() {
    let fr = Lexicon::of(Fr);
    let aix = fr.towns_named("aix en provence").next().unwrap();
    assert_eq!(
        (aix.name(), aix.code(), aix.department(), aix.region()),
        ("Aix-en-Provence", "13001", "13", "93")
    );
    assert!((aix.latitude() - 43.53).abs() < 0.1 && (aix.longitude() - 5.45).abs() < 0.1);
    assert!(aix.population() > 100_000 && aix.postal_codes().any(|c| c == "13100"));
    assert!(fr.towns_by_postal("13100").any(|t| t == aix));
    assert_eq!(fr.town_by_code("13001"), Some(aix));
    assert_eq!(fr.town(aix.index()), Some(aix));
    assert_eq!(fr.town_by_code("75113").map(|t| t.kind()), Some(TownKind::Arrondissement));
    assert!(fr.towns_named("saint denis").count() > 2);
    assert_eq!(fr.towns_by_postal("00000").count() + fr.towns_by_postal("é").count(), 0);
    assert!(fr.town_count() > 37_000);

    let es = Lexicon::of(Es);
    let madrid = es.town_by_code("28079").unwrap();
    assert_eq!((madrid.name(), madrid.department()), ("Madrid", "28"));
    assert!(madrid.population() > 3_000_000 && madrid.postal_codes().len() > 40);
    assert!((madrid.latitude() - 40.45).abs() < 0.2);
    assert!(es.towns_named("donostia").next().is_some_and(|t| t.code() == "20069"));
    assert!(es.towns().all(|t| (27.0..44.5).contains(&t.latitude()) && !t.name().is_empty()));
    for language in [Fr, Es] {
        for town in Lexicon::of(language).towns() {
            let found = Lexicon::of(language).towns_named(&town.folded()).any(|t| t == town);
            assert!(found, "{} {}", town.code(), town.folded());
        }
    }
}

#[test]
fn places_and_facilities_are_found_by_name() {
    let fr = Lexicon::of(Fr);
    assert_eq!(
        fr.place("cotes d armor").map(|p| (p.kind, p.code().to_owned())),
        Some((PlaceKind::Region, "22".into()))
    );
    let text = "États-Unis d'Amérique";
    assert_eq!(
        fr.longest_place(text, &tokenise(text), 0).map(|(n, p)| (n, p.kind)),
        Some((6, PlaceKind::Country))
    );
    let text = "Pitié-Salpêtrière";
    assert_eq!(fr.longest_facility(text, &tokenise(text), 0), Some((3, Facility::Hospital)));
    assert_eq!(Lexicon::of(Es).facility("hospital rey juan carlos"), Some(Facility::Hospital));
    assert_eq!(Lexicon::of(Es).place("alemania").map(|p| p.code().to_owned()), Some("DE".into()));
}

#[test]
fn pools_are_large_clean_and_in_writing_case() {
    for (language, families) in [(Fr, 6_000), (Es, 1_150)] {
        let lexicon = Lexicon::of(language);
        let pools = lexicon.pools();
        for gender in [Gender::Female, Gender::Male] {
            assert!(
                pools.given(gender).len() >= 1_500,
                "{language} {gender:?} {}",
                pools.given(gender).len()
            );
            for name in pools.given(gender) {
                let facts = lexicon.facts(&fold(name));
                assert_eq!(facts.gender(), Some(gender), "{name}");
                assert!(name.starts_with(char::is_uppercase) && facts.word_class() < 2, "{name}");
            }
        }
        assert!(pools.family().len() >= families, "{language} {}", pools.family().len());
        for name in pools.family() {
            assert!(name.starts_with(char::is_uppercase), "{name}");
        }
        assert!(pools.streets().len() >= 200 && pools.hospitals().len() >= 150);
    }
    let has = |language, name: &str| Lexicon::of(language).pools().family().contains(&name);
    assert!(has(Fr, "Le Gall") && has(Fr, "De Oliveira") && has(Es, "González") && has(Es, "Muñoz"));
    assert!(Lexicon::of(Fr).pools().given(Gender::Female).contains(&"Hélène"));
    assert!(Lexicon::of(Es).pools().given(Gender::Male).contains(&"José"));
}

#[test]
fn an_annotator_fills_facts_and_keywords_and_its_cache_never_lies() {
    let annotator = Annotator::new(Fr, |word| if word == "docteur" { 7 } else { 0 });
    let plain = Annotator::new(Fr, |_| 0);
    let mut note =
        Note::builder("a", "Le docteur Hélène MARTIN, à Aix le 3").language(Some(Fr)).build().unwrap();
    for _ in 0..2 {
        annotator.annotate(&mut note);
        assert_eq!(note.tokens[1].facts.keyword(), 7);
        assert_eq!(note.tokens[2].facts.gender(), Some(Gender::Female));
        assert_eq!(note.tokens[3].facts.family_tier(), 7);
        plain.annotate(&mut note);
        assert_eq!(note.tokens[1].facts.keyword(), 0);
    }
    let mut words = String::new();
    let lexicon = Lexicon::of(Fr);
    let mut count = 0;
    lexicon.for_each_word(|word, _| {
        count += 1;
        if count % 7 == 0 {
            words.push_str(word);
            words.push(' ');
        }
    });
    let mut tokens = tokenise(&words);
    plain.annotate_tokens(&words, &mut tokens);
    for token in &tokens {
        assert_eq!(token.facts, lexicon.facts(token.of(&words)));
    }
}
