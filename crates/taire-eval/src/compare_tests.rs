use super::*;
use crate::Doc;

type Row<'a> = (&'a str, &'a str, &'a [(usize, usize, &'a str)]);

fn corpus(docs: &[Row<'_>]) -> Corpus {
    let doc = |&(id, text, spans): &Row<'_>| Doc {
        id: id.into(),
        text: (!text.is_empty()).then(|| text.into()),
        spans: spans.iter().map(|&(s, e, l)| Tag::new(s, e, l)).collect(),
    };
    Corpus::new(docs.iter().map(doc)).unwrap()
}

//                    0         1         2         3
//                    0123456789012345678901234567890123456
const TEXT: &str = "Dr Léa Roux, Brest, le 3 mai 2010. Vu.";

fn gold() -> Corpus {
    corpus(&[
        ("a", TEXT, &[(3, 6, "PRENOM"), (7, 11, "NOM"), (13, 18, "VILLE"), (23, 33, "DATE")]),
        ("b", "Luz", &[(0, 3, "PRENOM")]),
        ("c", "rien", &[]),
    ])
}

fn scored(predicted: Corpus) -> Evaluation {
    evaluate(&gold(), &predicted, &Options::default()).unwrap()
}

fn by_hand() -> Evaluation {
    // PRENOM exact, NOM as PRENOM, VILLE missed, DATE with short borders; `b` has no prediction.
    scored(corpus(&[
        ("a", TEXT, &[(3, 6, "PRENOM"), (7, 11, "PRENOM"), (25, 33, "DATE")]),
        ("c", "rien", &[(0, 4, "NOM")]),
        ("z", "", &[(0, 1, "NOM")]),
    ]))
}

#[test]
fn strict_and_overlap_by_hand() {
    let e = by_hand();
    let counts = |m: &Measure| (m.micro.tp, m.micro.fp, m.micro.fn_);
    assert_eq!(counts(&e.strict), (1, 3, 4));
    assert_eq!((e.strict.micro.p, e.strict.micro.r), (0.25, 0.2));
    assert_eq!(counts(&e.overlap), (2, 2, 3));
    let prenom = &e.strict.labels["PRENOM"];
    assert_eq!((prenom.tp, prenom.fp, prenom.fn_), (1, 1, 1));
    // PRENOM 1/2, NOM 0, VILLE 0, DATE 0.
    assert!((e.strict.macro_.f1 - 0.125).abs() < 1e-12);
    assert_eq!((&*e.missing, &*e.unexpected), (&["b".to_owned()][..], &["z".to_owned()][..]));
}

#[test]
fn one_prediction_over_two_golds_of_its_label_counts_once() {
    let gold = corpus(&[("a", "", &[(0, 3, "NOM"), (4, 8, "NOM")])]);
    let e = evaluate(&gold, &corpus(&[("a", "", &[(0, 8, "NOM")])]), &Options::default()).unwrap();
    let s = &e.overlap.micro;
    assert_eq!((s.tp, s.fp, s.fn_), (1, 0, 1));
    assert!(e.token.is_none() && e.meddocan.leak.is_none());
}

#[test]
fn tokens_and_characters_by_hand() {
    let e = by_hand();
    let token = e.token.as_ref().unwrap();
    // Gold words: Léa | Roux | Brest | 3 mai 2010 | Luz. Found under their label: Léa, mai, 2010.
    assert_eq!((token.micro.tp, token.micro.fp, token.micro.fn_), (3, 2, 4));
    // Characters under their label: 3 of Léa, 8 of the date; wrong: Roux, rien; lost: Roux, Brest, `3 `, Luz.
    assert_eq!((e.chars.micro.tp, e.chars.micro.fp, e.chars.micro.fn_), (11, 8, 14));
}

#[test]
fn leak_is_blind_to_labels() {
    let e = by_hand();
    // Covered: Léa, Roux. Missed: Brest (5), `3 ` of the date (2), Luz (3).
    let leak = &e.leak;
    assert_eq!((leak.spans, leak.spans_missed), (5, 3));
    assert_eq!((leak.chars, leak.chars_missed), (25, 10));
    assert_eq!((leak.documents, leak.documents_clean), (3, 1));
    assert_eq!(leak.labels["VILLE"], 1);
    assert!(leak.documents_clean_interval.is_some());
}

#[test]
fn blanks_between_two_predictions_leak_nothing() {
    let gold = corpus(&[("a", "Léa Roux", &[(0, 8, "PER")])]);
    let predicted = corpus(&[("a", "Léa Roux", &[(0, 3, "PRENOM"), (4, 8, "NOM")])]);
    let leak = evaluate(&gold, &predicted, &Options::default()).unwrap().leak;
    assert_eq!((leak.spans_missed, leak.chars_missed, leak.documents_clean), (0, 0, 1));
}

#[test]
fn meddocan_tracks_by_hand() {
    let tracks = by_hand().meddocan;
    let counts = |s: &Scores| (s.tp, s.fp, s.fn_);
    assert_eq!(counts(&tracks.ner), (1, 3, 4));
    assert_eq!(counts(&tracks.spans), (2, 2, 3));
    // Gold merges Léa Roux, Brest into one; the prediction merges Léa Roux: no merged match.
    assert_eq!(counts(&tracks.merged), (2, 2, 3));
    // Two sentences in `a`, one in `b` and in `c`.
    assert_eq!(tracks.leak, Some(1.0));
}

#[test]
fn itself_is_perfect_and_the_json_has_the_promised_shape() {
    let e = scored(gold());
    for m in [&e.strict, &e.overlap, &e.chars, e.token.as_ref().unwrap()] {
        assert_eq!((m.micro.p, m.micro.r, m.micro.f1, m.macro_.f1), (1.0, 1.0, 1.0, 1.0));
    }
    assert_eq!((e.leak.spans_missed, e.leak.documents_clean), (0, 3));
    let json = serde_json::to_value(&e).unwrap();
    for path in [
        "/strict/micro/p",
        "/strict/micro/interval/f1/0",
        "/strict/macro/f1",
        "/strict/labels/NOM/f1",
        "/overlap/micro/r",
        "/token/micro/f1",
        "/chars/micro/f1",
        "/leak/spans_missed",
        "/leak/chars_missed",
        "/leak/documents_clean",
        "/meddocan/ner/f1",
        "/meddocan/spans/p",
        "/meddocan/merged/r",
        "/meddocan/leak",
    ] {
        assert!(json.pointer(path).is_some_and(serde_json::Value::is_number), "{path}");
    }
    assert_eq!(e.figure("strict.labels.NOM.f1"), Some(1.0));
    assert_eq!((e.figure("leak.documents_clean"), e.figure("strict.f2")), (Some(3.0), None));
    let table = e.table();
    assert!(table.contains("documents with nothing missed  3 of 3") && table.contains("PRENOM"), "{table}");
}

#[test]
fn texts_that_differ_are_refused() {
    let other = corpus(&[("b", "Léa", &[(0, 3, "PRENOM")])]);
    assert!(evaluate(&gold(), &other, &Options::default()).is_err());
}
