//! Spanish organisations known by their name alone: makers of drugs and devices, health services, courts,
//! acronyms of hospitals.

use std::sync::LazyLock;

use taire_text::{Kind, Label, Mention, Note, Shape, Source};

use crate::folded::{Filter, WordSet, token_hash, word_hash};

/// Makers whose name is nothing else.
static MAKERS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "allergan alcon pfizer merck novartis bayer medtronic roche sanofi glaxosmithkline gsk abbott boehringer astrazeneca",
        "schering septodont zeiss nidek topcon olympus straumann dentsply medartis biogen amgen janssen genzyme wyeth",
        "grifols almirall fresenius gambro baxter siemens stryker synthes ethicon covidien coloplast convatec smithkline",
        "gilead novo-nordisk chiesi angelini servier lundbeck otsuka takeda ipsen msd bausch baush drager nestle kci mcghan",
        "diaverum geistlich keramat galimplant medelec septodont polytech bedfont zimmer biomet storz edwards",
    ])
});
/// Makers that bear a person's name: what follows must be theirs.
static NAMED: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&["johnson boston lilly bristol glaxo hewlett philips ohio carl smith cook novo nobel"])
});
static TAIL: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "scientific cusi instruments instrument medical healthcare corporation corp inc gmbh ltd co sa sl s clinic spain iberica pharma",
        "pharmaceuticals farmaceutica aventis plough kline myers squibb meditec johnson nordisk ingelheim zeiss humphrey dohme sharp nutrition",
        "packard biocare nephew dista lomb synergy healthand aesthetics medizintechnik diagnostics espana systems laboratories vision surgical",
    ])
});
/// Acronyms of hospitals.
static HOSPITALS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "chuac chuvi huca hcuv hrys huvr huvm hgugm chuo chuf chop hucva hufa hutv humv chn huc hurs",
    ])
});
/// Regional health services, insurers and public bodies, by acronym or single name.
static BODIES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "sacyl sescam sermas sespa osakidetza osasunbidea catsalut sergas muface isfas mugeju adeslas asisa fremap asepeyo ibermutua samur summa imserso intcf",
    ])
});
static OPENERS: LazyLock<Filter> = LazyLock::new(|| {
    Filter::new(MAKERS.hashes().chain(NAMED.hashes()).chain(HOSPITALS.hashes()).chain(BODIES.hashes()).chain(
        ["servicio", "ciudad", "palacio", "juzgado", "audiencia", "cruz", "guardia", "once"].map(word_hash),
    ))
});

fn text_at(note: &Note, at: usize) -> &str {
    note.tokens.get(at).map_or("", |t| t.of(note.norm()))
}

/// An organisation that starts at token `at`, with the index of the token after it.
pub(crate) fn organisation(note: &Note, at: usize) -> Option<(Mention, usize)> {
    let token = &note.tokens[at];
    let hash = token_hash(token, note.norm());
    if !OPENERS.may_have(hash) {
        return None;
    }
    let say = |last: usize, label, score, why| {
        Some((Mention::phi(note.raw_of_tokens(at, last), label, score, Source::Lexicon, why), last + 1))
    };
    let upper = token.shape == Shape::Upper;
    if upper && HOSPITALS.has(hash) {
        return say(at, Label::Hospital, 0.75, "acronym of a hospital");
    }
    if BODIES.has(hash) {
        return say(at, Label::Institution, 0.75, "name of a public body or insurer");
    }
    if MAKERS.has(hash) && in_brackets(note, at) {
        return say(tail(note, at), Label::Institution, 0.7, "maker of a drug or device, in brackets");
    }
    if NAMED.has(hash) {
        let last = tail(note, at);
        if last > at && in_brackets(note, at) {
            return say(last, Label::Institution, 0.7, "maker of a drug or device, in brackets");
        }
    }
    let (last, why) = body(note, at)?;
    say(last, Label::Institution, 0.75, why)
}

/// Public bodies of several words.
fn body(note: &Note, at: usize) -> Option<(usize, &'static str)> {
    let word = |i: usize| text_at(note, i);
    let is = |i: usize, wanted: &[&str]| wanted.iter().any(|w| word_hash(w) == word_hash(word(i)));
    if is(at, &["servicio"]) {
        // "Servicio Andaluz de Salud", "Servicio Castellano-Leonés de Salud".
        let mut i = at + 1;
        while i <= at + 4
            && note.tokens.get(i).is_some_and(|t| t.is_capitalised() || t.of(note.norm()) == "-")
        {
            i += 1;
        }
        if i > at + 1 && is(i, &["de"]) && is(i + 1, &["salud"]) {
            return Some((i + 1, "regional health service"));
        }
        if is(at + 1, &["de"]) && is(at + 2, &["salud"]) && is(at + 3, &["de", "del"]) {
            let last = (at + 4..at + 8).take_while(|&i| {
                note.tokens.get(i).is_some_and(|t| {
                    t.kind == Kind::Word && (t.is_capitalised() || matches!(word(i), "de" | "la" | "las"))
                })
            });
            return last.last().map(|last| (last, "regional health service"));
        }
    }
    if is(at, &["ciudad", "palacio"]) && is(at + 1, &["de"]) {
        let last = if is(at + 2, &["la"]) { at + 3 } else { at + 2 };
        return is(last, &["justicia"]).then_some((last, "court"));
    }
    if is(at, &["juzgado"]) && is(at + 1, &["de"]) {
        let last = (at + 2..at + 7).take_while(|&i| {
            note.tokens.get(i).is_some_and(|t| {
                t.kind == Kind::Word
                    && (t.is_capitalised() || matches!(word(i), "de" | "instrucción" | "guardia"))
            })
        });
        return last.last().map(|last| (last, "court"));
    }
    if is(at, &["cruz"]) && word(at) != "cruz" && is(at + 1, &["roja"]) {
        return Some((at + 1, "name of a public body or insurer"));
    }
    if is(at, &["guardia"]) && word(at) == "Guardia" && is(at + 1, &["civil"]) {
        return Some((at + 1, "name of a public body or insurer"));
    }
    if word(at) == "ONCE" && at > 0 && is(at - 1, &["la"]) {
        return Some((at, "name of a public body or insurer"));
    }
    None
}

/// Whether a bracket opened at most 14 tokens before, on this line, holds a token.
fn in_brackets(note: &Note, at: usize) -> bool {
    note.tokens[at.saturating_sub(14)..at]
        .iter()
        .rev()
        .take_while(|t| t.kind != Kind::Newline && t.of(note.norm()) != ")")
        .any(|t| t.of(note.norm()) == "(")
}

/// The last word of a maker's name.
fn tail(note: &Note, at: usize) -> usize {
    let mut last = at;
    let mut i = at + 1;
    while i <= at + 7 {
        let word = text_at(note, i);
        match note.tokens.get(i).map(|t| t.kind) {
            Some(Kind::Word) if TAIL.has(word_hash(word)) && note.tokens[i].is_capitalised() => last = i,
            Some(Kind::Word) if word == "y" || word == "and" => {}
            Some(Kind::Mark) if matches!(word, "®" | "™" | "&" | "-") => {}
            Some(Kind::Mark) if word == "." && i == last + 1 && text_at(note, last).len() == 1 => {}
            _ => break,
        }
        i += 1;
    }
    last
}
