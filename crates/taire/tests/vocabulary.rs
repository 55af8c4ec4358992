//! One vocabulary for all: what one crate knows of a word, the others know too.
//!
//! Each test walks the words of `taire-lang` and asks the crates that read, find and write, so that a word that is known in
//! one place alone fails here.

use std::collections::BTreeSet;

use jiff::civil::date;
use taire::{Engine, SecretKey};
use taire_detect::{Detector, Lexical, Structure};
use taire_lang::{CalendarNames, Gender, NameRow, Vocabulary, WordRole, fold_hash};
use taire_lexicon::Annotator;
use taire_surrogate::{Rewriter, Settings};
use taire_text::date::{Weekday, find};
use taire_text::{Entity, Label, Language, Note, Role, Score, SourceSet, Span, fold, tokenise};

fn annotated(text: &str, language: Language) -> Note {
    let mut note = Note::builder("n", text).language(Some(language)).build().unwrap();
    Annotator::new(language, move |word| taire_detect::words::keyword(language, word)).annotate(&mut note);
    note
}

/// What a detector finds: the text of each span, with its label.
fn found(detector: &dyn Detector, note: Note) -> Vec<(String, Label)> {
    let mut out = [Vec::new()];
    detector.detect(std::slice::from_ref(&note), &mut out).unwrap();
    let spans = out[0].iter().filter_map(|m| Some((m.span.of(note.raw()).to_owned(), m.label()?)));
    spans.collect()
}

fn rewritten(name: &str, label: Label, language: Language) -> String {
    let note = Note::builder("n", name).language(Some(language)).build().unwrap();
    let entity = Entity {
        span: Span::new(0, name.len()),
        label,
        role: Role::Unknown,
        doubtful_value: false,
        score: Score::CERTAIN,
        sources: SourceSet::default(),
        mentions: Vec::new(),
    };
    let rewriter = Rewriter::new(SecretKey::from_bytes(&[7; 32]).unwrap(), Settings::default()).unwrap();
    rewriter.rewrite(&note, &[entity]).unwrap().apply(name).0
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn title_of(language: Language) -> &'static str {
    match language {
        Language::Fr => "M.",
        Language::Es => "Sr.",
    }
}

/// A family name behind a particle: `d'Arzubrac`, `von Arzubrac`.
fn behind(particle: &str) -> String {
    let between = if matches!(particle, "d" | "l") { "'" } else { " " };
    format!("{particle}{between}Arzubrac")
}

#[test]
fn particles_that_the_rewriter_keeps_are_crossed_by_the_detectors() {
    for &language in Language::ALL {
        for particle in Vocabulary::of(language).words_with(WordRole::KeptParticle) {
            let name = behind(particle);
            let text = format!("{} Tarvo {name}\n", title_of(language));
            for detector in [&Structure as &dyn Detector, &Lexical] {
                let spans = found(detector, annotated(&text, language));
                let crossed = spans.iter().any(|(span, _)| span.ends_with(&name));
                assert!(crossed, "{language}: {:?} stops at `{particle}`", detector.source());
            }
        }
    }
}

#[test]
fn particles_that_the_detectors_cross_are_kept_or_replaced_with_the_name() {
    for &language in Language::ALL {
        for particle in Vocabulary::of(language).words_with(WordRole::Particle) {
            let kept = Vocabulary::of(language).has(particle, WordRole::KeptParticle);
            let new = rewritten(&behind(particle), Label::FamilyName, language);
            assert!(!fold(&new).contains("arzubrac"), "{language}: {particle}");
            // An elided letter stays whatever it is, `de ` stands for `d'` before a consonant.
            let stays = new.starts_with(&format!("{particle} ")) || new.starts_with(&format!("{particle}'"));
            assert!(stays == kept || particle.len() == 1, "{language}: `{particle}` kept: {stays}");
        }
    }
}

/// The particles of names from abroad that letters of either country hold.
#[test]
fn particles_of_names_from_abroad_are_known() {
    let abroad = "de del de la los las y e i da das do dos di della dello van der den ter ten von vom zu zum zur ben bin \
                  ibn bint al el ould ait abd mac mc o";
    for &language in Language::ALL {
        let known = |word: &&str| Vocabulary::of(language).has(word, WordRole::Particle);
        let missing: Vec<_> = abroad.split(' ').filter(|w| !known(w)).collect();
        assert_eq!(missing, [""; 0], "{language}");
    }
    for word in "bel bou lo saint".split(' ') {
        assert!(Vocabulary::of(Language::Fr).has(word, WordRole::Particle), "{word}");
    }
}

#[test]
fn titles_of_the_structure_detector_are_titles_of_the_lexicon_detector() {
    for &language in Language::ALL {
        for title in Vocabulary::of(language).words_with(WordRole::TitleAnywhere) {
            let text = format!("Avec {} Arzubrac\n", capitalised(title));
            for detector in [&Structure as &dyn Detector, &Lexical] {
                let named =
                    |(span, label): &(String, Label)| span == "Arzubrac" && *label == Label::FamilyName;
                let spans = found(detector, annotated(&text, language));
                assert!(
                    spans.iter().any(named),
                    "{language}: {:?} does not know `{title}`",
                    detector.source()
                );
            }
        }
    }
}

#[test]
fn titles_that_the_rewriter_keeps_are_known_to_the_detectors() {
    for &language in Language::ALL {
        for title in Vocabulary::of(language).words_with(WordRole::KeptTitle) {
            let roles = Vocabulary::of(language).roles(fold_hash(title));
            assert!(roles.is_title() || roles.has(WordRole::Born), "{language}: `{title}`");
            let new = rewritten(&format!("{} Arzubrac", capitalised(title)), Label::FamilyName, language);
            assert!(
                new.starts_with(&capitalised(title)) && !new.contains("Arzubrac"),
                "{language}: `{title}`"
            );
        }
    }
}

/// The names a row of the calendar may print for an index, when another index was read as `typed`.
fn fitting<const N: usize>(
    rows: &[NameRow<N>],
    language: Language,
    typed: &str,
    read: usize,
    index: usize,
) -> BTreeSet<String> {
    let own = rows.iter().filter(|row| row.language.is_none_or(|l| l == language));
    own.filter(|row| fold(&row.names[read]) == fold(typed)).map(|row| fold(&row.names[index])).collect()
}

#[test]
fn months_that_the_date_grammar_reads_are_written_back() {
    for &language in Language::ALL {
        let rows = CalendarNames::get().months();
        for row in rows.iter().filter(|row| row.language.is_none_or(|l| l == language)) {
            for (month, name) in row.names.iter().enumerate() {
                let text = format!("12 {name} 2015");
                let mut dates = Vec::new();
                find(&text, &tokenise(&text), language, &mut dates);
                let [one] = &dates[..] else { panic!("{language}: `{name}` is not read") };
                assert_eq!(one.value.month, Some(month as u8 + 1), "{language}: {name}");
                for other in 0..12 {
                    let new = one.surface.print(date(2015, other as i8 + 1, 12));
                    let word = new.split(' ').nth(1).unwrap();
                    let fitting = fitting(rows, language, name, month, other);
                    assert!(
                        fitting.contains(&fold(word)),
                        "{language}: `{name}` gives `{word}`, not one of {fitting:?}"
                    );
                }
            }
        }
        for (word, _) in Vocabulary::of(language).words() {
            let month = CalendarNames::get().word(fold_hash(word)).month;
            let text = format!("12 {word} 2015");
            let new = rewritten(&text, Label::Date, language);
            assert!(month.is_none() || new.ends_with(|c: char| c.is_ascii_digit()) && new != text, "{word}");
        }
    }
}

#[test]
fn week_days_that_the_date_grammar_reads_are_written_back() {
    for &language in Language::ALL {
        let rows = CalendarNames::get().weekdays();
        for row in rows.iter().filter(|row| row.language == Some(language)) {
            for (day, name) in row.names.iter().enumerate() {
                let month = CalendarNames::get().full_months(language).unwrap().names[5].clone();
                let text = format!("{name} 12 {month} 2015");
                let mut dates = Vec::new();
                find(&text, &tokenise(&text), language, &mut dates);
                let [one] = &dates[..] else { panic!("{language}: `{name}` is not read") };
                assert_eq!(one.span.start(), 0, "{language}: `{name}` is no part of the date");
                let new = one.surface.print(date(2015, 6, 14));
                let sunday = Weekday::of(date(2015, 6, 14)) as usize;
                let fitting = fitting(rows, language, name, day, sunday);
                assert!(
                    fitting.contains(&fold(new.split(' ').next().unwrap())),
                    "{language}: {name} gives {new}"
                );
            }
        }
    }
}

#[test]
fn relatives_that_the_rewriter_writes_are_found_and_their_sex_is_known() {
    for &language in Language::ALL {
        let vocabulary = Vocabulary::of(language);
        for (relation, gender) in
            vocabulary.relations().iter().flat_map(|r| r.iter().zip([Gender::Female, Gender::Male]))
        {
            for (i, word) in relation.iter().enumerate() {
                let last = word.rsplit(['-', ' ']).next().unwrap();
                let known = vocabulary.word(fold_hash(last)).and_then(|w| w.gender);
                assert_eq!(known, Some(gender), "{language}: the sex of `{word}`");
                if i > 0 {
                    continue;
                }
                let possessive = if language == Language::Fr { "Vit avec sa" } else { "Vive con su" };
                let spans = found(&Lexical, annotated(&format!("{possessive} {word}.\n"), language));
                let relative = |(span, label): &(String, Label)| {
                    word.ends_with(&**span) && matches!(label, Label::Kinship | Label::Sex)
                };
                assert!(spans.iter().any(relative), "{language}: `{word}` is no relative");
            }
        }
    }
}

#[test]
fn words_for_a_sex_are_known_to_the_rewriter_and_the_detector() {
    for &language in Language::ALL {
        let vocabulary = Vocabulary::of(language);
        for word in vocabulary.words_with(WordRole::SexWord).filter(|w| !w.ends_with('s')) {
            let paired = vocabulary.sexes().iter().flatten().any(|w| fold(w) == word);
            assert!(paired, "{language}: `{word}` has no word for the other sex");
        }
    }
}

/// Another language is a data file: the detectors find its titles and cross its particles by the same code.
#[test]
fn a_third_language_is_a_data_file() {
    const TOY: &str = "# A language of one page.\n\
        !months\tfull\tuni bini trini kvari kvini sesi sepi oki navi deci ondi dozi\n\
        !weekdays\tfull\tluna marda merka jova vena sata suna\n\
        !seasons\tverno somero auno vintro\n\
        sinjo\ttitle-male title-anywhere m\tsir\n\
        damo\ttitle-female title-anywhere f\tlady\n\
        kuracisto\ttitle-caregiver caregiver-title\tdoctor\n\
        fratino\tkinship f\tsister\n\
        zel\tparticle kept-particle\tof\n";
    let toy = Vocabulary::parse(TOY).unwrap();
    assert_eq!(toy.calendar().word(fold_hash("Kvari")).month, Some(4));
    assert_eq!(toy.calendar().word(fold_hash("merka")).weekday, Some(2));
    assert_eq!(toy.calendar().word(fold_hash("VINTRO")).season, Some(3));
    assert_eq!(toy.word(fold_hash("damo")).unwrap().gender, Some(Gender::Female));
    assert!(toy.has("von", WordRole::KeptParticle), "what all languages share is there");
    assert!(!toy.has("monsieur", WordRole::TitleMale), "what is French alone is not");

    let annotator = Annotator::new(Language::Fr, move |word| toy.class(fold_hash(word)));
    let names = |text: &str| {
        let mut note = Note::builder("n", text).language(Some(Language::Fr)).build().unwrap();
        annotator.annotate(&mut note);
        found(&Lexical, note)
    };
    let family = |name: &str| (name.to_owned(), Label::FamilyName);
    assert_eq!(names("Sinjo Arzubrac\n"), [family("Arzubrac")]);
    assert!(names("Kuracisto Tarvo zel Arzubrac\n").contains(&family("zel Arzubrac")));
    assert!(names("Sia fratino\n").contains(&("fratino".to_owned(), Label::Kinship)));
    assert_eq!(names("Monsieur arzubrac\n"), []);
}

/// What goes with a name is replaced with it, even where it is a name by itself.
#[test]
fn particles_that_are_names_too_do_not_stay() {
    for name in ["Karim Bel Windeck", "Karim Bou Windeck", "Fergus Mac Windeck", "Paolo Lo Windeck"] {
        let new = deidentified(&format!("M. {name} est venu en consultation.\n"), Language::Fr);
        let left: Vec<_> = name.split(' ').filter(|word| new.split(' ').any(|w| w == *word)).collect();
        assert_eq!(left, [""; 0], "{name} gives {new}");
    }
    let new = deidentified("D. Hans zu Windeck acude a consulta.\n", Language::Es);
    assert!(!new.contains("Windeck") && !new.contains("Hans") && new.contains(" zu "), "{new}");
}

fn deidentified(text: &str, language: Language) -> String {
    let key = SecretKey::from_bytes(&[3; 32]).unwrap();
    let engine = Engine::new(Some(language.key()), Some(language), Some(&key)).unwrap();
    let note = Note::builder("n", text).language(Some(language)).build().unwrap();
    engine.run(note).unwrap().text
}

/// A name is replaced whole and keeps its shape: given name, particles, family name.
#[test]
fn names_with_particles_are_replaced_whole_and_keep_their_shape() {
    for (before, name, kept) in [
        ("M. ", "Joao das Neves", "das"),
        ("Dr ", "Rui das Neves", "das"),
        ("Vu ce jour : M. ", "Hans zu Windeck", "zu"),
        ("M. ", "Hans vom Windeck", "vom"),
        ("Dr ", "Hans von Windeck", "von"),
        ("Dr ", "Karl zur Windeck", "zur"),
        ("Patient : ", "Ahmed ben Youssef", "ben"),
        ("Monsieur ", "Ahmed ben Youssef", "ben"),
        ("M. ", "Ahmed Ben Youssef", "Ben"),
        ("Mme ", "Johanna van der Windeck", "van der"),
        ("Mme ", "Carmen de los Heros", "de los"),
        ("Mme ", "Fatima El Windeck", "El"),
        ("M. ", "Said Aït Windeck", "Aït"),
        ("M. ", "Mohamed Ould Windeck", "Ould"),
        ("M. ", "Pietro della Windeck", "della"),
        ("M. ", "Pedro do Windeck", "do"),
        ("M. ", "Karim ibn Windeck", "ibn"),
        ("M. ", "Willem ter Windeck", "ter"),
        ("Mme ", "Greta zum Windeck", "zum"),
        ("Dr ", "Bianca di Windeck", "di"),
    ] {
        let text = format!("{before}{name} est venu en consultation.\n");
        let new = deidentified(&text, Language::Fr);
        let words: Vec<&str> = name.split(' ').collect();
        let (given, family) = (words[0], words[words.len() - 1]);
        assert!(!new.contains(given) && !new.contains(family), "{text} gives {new}");
        let middle = new.trim_start_matches(before).trim_end_matches(" est venu en consultation.\n");
        let shape: Vec<&str> = middle.split(' ').collect();
        assert_eq!(shape.len(), words.len(), "{text} gives {new}");
        assert_eq!(shape[1..shape.len() - 1].join(" "), kept, "{text} gives {new}");
        assert!(
            shape.iter().all(|w| !w.is_empty() && (kept.contains(w) || w.starts_with(char::is_uppercase))),
            "{new}"
        );
    }
}
