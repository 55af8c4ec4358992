//! What training relies on: sound spans, the same bytes for the same seed, families kept apart.

use std::collections::BTreeSet;

use super::*;

const LANGUAGES: [Language; 2] = [Language::Fr, Language::Es];

fn generator(language: Language, held_out: bool, seed: u64) -> Generator {
    Generator::new(language, held_out, seed, None).unwrap()
}

fn lines(generator: &Generator, count: u64) -> String {
    let mut out = String::new();
    let add = |document: Document<'_>| {
        out += &serde_json::to_string(&document).unwrap();
        out.push('\n');
        Ok(())
    };
    generator.each(count, add).unwrap();
    out
}

#[test]
fn spans_are_trimmed_disjoint_and_sorted() {
    for language in LANGUAGES {
        let check = |document: Document<'_>| {
            let text: Vec<char> = document.text.chars().collect();
            let mut end = 0;
            for span in &document.spans {
                assert!(end <= span.start && span.start < span.end && span.end <= text.len());
                let slice = &text[span.start..span.end];
                assert!(!slice[0].is_whitespace() && !slice[slice.len() - 1].is_whitespace());
                end = span.end;
            }
            assert!(!document.text.trim().is_empty(), "{} writes nothing", document.family);
            assert!(!document.text.contains(['{', '}']), "{} leaves a slot", document.family);
            Ok(())
        };
        generator(language, false, 7).each(3000, check).unwrap();
        generator(language, true, 7).each(500, check).unwrap();
    }
}

#[test]
fn the_seed_decides_every_byte() {
    for language in LANGUAGES {
        let first = lines(&generator(language, false, 3), 60);
        assert_eq!(first, lines(&generator(language, false, 3), 60));
        assert_ne!(first, lines(&generator(language, false, 4), 60));
        assert!(lines(&generator(language, false, 3), 90).starts_with(&first));
    }
}

#[test]
fn every_label_occurs() {
    for language in LANGUAGES {
        let mut seen = BTreeSet::new();
        let take = |document: Document<'_>| {
            seen.extend(document.spans.iter().map(|s| s.mark.label));
            Ok(())
        };
        generator(language, false, 1).each(5000, take).unwrap();
        let missing: Vec<_> = taire_text::Label::ALL.iter().filter(|l| !seen.contains(l)).collect();
        assert!(missing.is_empty(), "{language:?} lacks {missing:?}");
    }
}

#[test]
fn held_out_families_are_never_mixed_in() {
    for language in LANGUAGES {
        let families = |held_out| {
            let mut names = BTreeSet::new();
            let take = |document: Document<'_>| {
                names.insert(document.family.to_owned());
                Ok(())
            };
            generator(language, held_out, 1).each(3000, take).unwrap();
            names
        };
        let (kept, out) = (families(false), families(true));
        assert!(kept.is_disjoint(&out));
        let (least, share) = if language == Language::Fr { (40, 8) } else { (25, 6) };
        assert!(kept.len() + out.len() >= least && out.len() >= share, "{} + {}", kept.len(), out.len());
    }
}

#[test]
fn templates_that_are_wrong_say_where() {
    let error = |text: &str| Library::read(&[("a.txt", text)]).unwrap_err();
    assert!(error("== f\nM. {patient.ful}\n").contains("unknown form `ful`; known: full"));
    assert!(error("== f\n[a|b\n").contains("`]` is missing"));
    assert!(error("== f\n{@nothing}\n").contains("list `nothing`"));
    assert!(error("== f\n{Sirname:x}\n").contains("unknown label"));
    assert!(error("== f heldout\n").contains("line 1: unknown word `heldout`"));
}

#[test]
fn prose_marks_its_own_ages_and_leaves_out_what_may_name() {
    let text = "Une femme de 54 ans est suivie pour une maladie de Crohn depuis trois ans. \
                Elle habite Marseille avec son mari Gérard Dupuis. \
                La patiente a été opérée le 3 mai 2010 sans incident. Les suites opératoires sont simples.";
    let prose = Prose::from_texts([text].into_iter(), Language::Fr).unwrap();
    let case = &prose.female[0];
    assert_eq!(case.len(), 3);
    let marked = |i: usize| -> Vec<_> {
        let sentence: &prose::Sentence = &case[i];
        sentence.spans.iter().map(|(r, m)| (&sentence.text[r.clone()], m.label.name())).collect()
    };
    assert_eq!(marked(0), [("femme", "Sex"), ("54 ans", "Age"), ("depuis trois ans", "RelativeDate")]);
    assert_eq!(marked(1), [("3 mai 2010", "Date")]);
    assert_eq!(&case[1].text[case[1].places[0].0.clone()], "La patiente");
}
