//! Names and towns that a model or a list saw where medicine names a test, a stage or a sign by somebody.
//!
//! A mention counts as medicine only where nothing says that it is a person: no title before it, no other name beside
//! it, no certain mention of the same word in the note.

use std::sync::LazyLock;

use taire_text::{Kind, Label, Mention, Note, Shape, Source, Token, Verdict};

use super::Guard;
use crate::folded::{WordSet, title_before, token_hash};
use crate::words::WordClass;

static TERMS: LazyLock<WordSet> = LazyLock::new(|| {
    let lines: Vec<&str> = include_str!("terms.txt").lines().filter(|l| !l.starts_with('#')).collect();
    WordSet::new(&lines)
});

/// Whether a word is on the list of names that are medicine.
pub(super) fn is_term(token: &Token, text: &str) -> bool {
    token.kind == Kind::Word && TERMS.has(token_hash(token, text))
}

/// Words after a number that make it an age, a day or an address.
static TIMES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "ans an mois jours jour semaines anos ano meses mes dias dia semanas a rue avenue bd boulevard place allee chemin route calle h heures horas bis ter",
    ])
});

/// Words that a person or a town follows.
static PEOPLE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "nom noms prenom prenoms patient patiente ide sf iao interne externe infirmiere chirurgien anesthesiste operateur remplacante aide medecin ville commune presents presentes participants assistaient",
        "nombre nombres apellido apellidos paciente enfermera enfermero cirujano anestesista ayudante residente sargento firmado fdo poblacion localidad vive reside asistentes asisten presentes acuden participan",
    ])
});

static RESULTS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "negatif negative negatifs negativo negativa positif positive positivo positiva neg pos absent absents",
    ])
});

fn is_named(label: Label) -> bool {
    use Label::*;
    matches!(label, GivenName | FamilyName | Initials | City | Region | Country)
}

fn is_part(token: &Token) -> bool {
    token.kind == Kind::Word && token.end() - token.start() > 1
}

/// The rule that says a mention is medicine, if one does.
pub(super) fn medical_name(guard: &Guard<'_>, mention: &Mention, learned: bool) -> Option<&'static str> {
    let label = mention.label().filter(|&l| is_named(l))?;
    let note = guard.note;
    let (first, end) = guard.tokens_of(mention.span)?;
    let tokens = &note.tokens[first..end];
    if !tokens.iter().any(|t| t.kind == Kind::Word) {
        // "Montauban (82)" names a department.
        return (learned && label != Label::Region).then_some("name.no-letters");
    }
    // `2020-05-03T10:12:33Z.`: the end of a stamp.
    if learned && label == Label::Initials && is_glued_to_number(note, first) {
        return Some("name.glued-to-a-number");
    }
    if guard.is_person(first, end, mention) {
        return None;
    }
    let rare = |t: &Token| t.facts.given_tier() < 3 && t.facts.family_tier() < 3 && !t.facts.is_town();
    let is_term_alone =
        |t: &Token| rare(t) && t.shape != Shape::Lower && TERMS.has(token_hash(t, note.norm()));
    let mut words = tokens.iter().filter(|t| is_part(t)).peekable();
    // However sure a model is, `Bobath` without a title or a given name is the method.
    if learned && words.peek().is_some() && words.all(is_term_alone) {
        return Some("name.eponym");
    }
    // "Bowie-Dick", "Hamou, Bettocchi": two names of medicine joined or listed, one of which nobody bears.
    let parts = || tokens.iter().filter(|t| is_part(t));
    let term = |t: &Token| t.shape != Shape::Lower && TERMS.has(token_hash(t, note.norm()));
    let joined = parts().count() > 1 && tokens.iter().any(|t| t.of(note.norm()) == "-") && parts().any(rare);
    let listed = || parts().count() == 1 && guard.is_listed_with_eponym(first, end);
    if learned && parts().all(term) && (joined || listed()) {
        return Some("name.eponym");
    }
    if super::is_sure(mention) {
        return None;
    }
    let mut words = tokens.iter().filter(|t| is_part(t)).peekable();
    if words.peek().is_some() {
        let listed = |t: &Token| {
            t.facts.is_eponym()
                || TERMS.has(token_hash(t, note.norm()))
                || WordClass::of(t) == Some(WordClass::Particle)
        };
        let graded = is_graded(note, tokens, end);
        let eponym = |t: &Token| listed(t) && (rare(t) || graded) && t.shape != Shape::Lower;
        // "Harris-Benedict", "LLOYD-DAVIES": two of them joined are no surname.
        let joined = tokens.iter().filter(|t| is_part(t)).count() > 1
            && tokens.iter().any(|t| t.of(note.norm()) == "-");
        let all = |test: &dyn Fn(&Token) -> bool| tokens.iter().filter(|t| is_part(t)).all(test);
        if learned && (all(&eponym) || joined && all(&listed)) {
            return Some("name.eponym");
        }
    }
    if learned && label != Label::Initials {
        let (mut medical, mut lower, mut unknown) = (true, true, true);
        for token in tokens.iter().filter(|t| t.kind == Kind::Word) {
            let shouted = token.facts.word_class() > 0 && matches!(token.shape, Shape::Upper | Shape::Lower);
            let ordinary = token.facts.is_medical() || token.facts.is_drug() || shouted;
            medical &= ordinary && rare(token);
            lower &= token.shape == Shape::Lower;
            unknown &= rare(token) && (token.shape == Shape::Lower || !token.facts.is_name());
        }
        if medical {
            return Some("name.medical-word");
        }
        if lower && unknown && guard.writes_capitals() {
            return Some("name.lower-case");
        }
        let acronym = tokens.len() == 1
            && matches!(tokens[0].shape, Shape::Upper | Shape::Mixed)
            && tokens[0].end() - tokens[0].start() <= 5
            && unknown
            && guard.line_has_lower_case(first);
        if acronym {
            return Some("name.acronym");
        }
    }
    let place = matches!(label, Label::City | Label::Region | Label::Country);
    let listed = mention.source == Source::Lexicon && (place || mention.score.get() < 0.75);
    let named = |t: &Token| t.facts.given_tier() >= 3 || t.shape == Shape::Lower;
    let parts = tokens.iter().filter(|t| is_part(t)).count();
    if (learned || listed) && parts > 0 && !tokens.iter().any(named) && is_graded(note, tokens, end) {
        return Some("name.with-a-grade");
    }
    None
}

fn is_glued_to_number(note: &Note, first: usize) -> bool {
    first > 0 && note.tokens[first].glued && note.tokens[first - 1].kind == Kind::Number
}

/// "Pfirrmann III", "Sokal 0,72", "Lang +", "Coombs négatif".
fn is_graded(note: &Note, tokens: &[Token], end: usize) -> bool {
    let text = note.norm();
    let at = |i: usize| note.tokens.get(i).filter(|t| t.kind != Kind::Newline);
    let Some(next) = at(end) else { return false };
    let gap = next.start() - note.tokens[end - 1].end();
    if gap > 2 {
        return false;
    }
    let after = |i: usize| at(i).map_or("", |t| t.of(text));
    match next.kind {
        Kind::Number => {
            let digits = next.end() - next.start();
            let mut follow = end + 1;
            let decimals = matches!(after(follow), "," | ".")
                && at(follow).is_some_and(|t| t.glued)
                && at(follow + 1).is_some_and(|t| t.kind == Kind::Number && t.glued);
            if decimals {
                follow += 2;
            }
            let dated = matches!(after(follow), "/" | "-")
                && at(follow + 1).is_some_and(|t| t.kind == Kind::Number)
                && matches!(after(follow + 2), "/" | "-");
            let series = at(follow).is_some_and(|t| t.kind == Kind::Number);
            let timed = after(follow) == ":"
                || at(follow).is_some_and(|t| t.kind == Kind::Word && TIMES.has(token_hash(t, text)));
            let month =
                at(follow).is_some_and(|t| t.kind == Kind::Word && t.calendar == taire_text::Calendar::Yes);
            digits <= 3 && !dated && !series && !timed && !month
        }
        Kind::Word => {
            let word = next.of(text);
            let numeral = word.trim_end_matches(['S', 'L', 'a', 'b', 'c', 'i', 's']);
            let roman = !numeral.is_empty()
                && numeral.bytes().all(|b| matches!(b, b'I' | b'V' | b'X'))
                && word.len() <= 5;
            let listed =
                tokens.iter().any(|t| t.facts.is_eponym() || !t.facts.is_name() || t.facts.is_town());
            let dotted = after(end + 1) == ".";
            roman && (word.len() > 1 || listed && !dotted) || RESULTS.has(token_hash(next, text))
        }
        Kind::Mark => {
            let word = next.of(text);
            let ends = at(end + 1).is_none_or(|t| !t.glued || matches!(t.of(text), "," | ";" | "."));
            let known = tokens.iter().any(|t| t.facts.is_eponym() || TERMS.has(token_hash(t, text)));
            known && matches!(word, "+") && ends
                || known && word == "-" && !next.glued && ends && after(end + 1) == ","
        }
        Kind::Newline => false,
    }
}

impl Guard<'_> {
    /// Whether something beside a mention says that it is a person or a place after all.
    fn is_person(&self, first: usize, end: usize, mention: &Mention) -> bool {
        self.is_announced(first)
            || self.follows_code(first)
            || self.is_beside_name(mention, true)
            || self.is_certain_name(first, end, mention)
    }

    /// "29200 BREST"
    fn follows_code(&self, first: usize) -> bool {
        let before = first.checked_sub(1).map(|i| &self.note.tokens[i]);
        before.is_some_and(|t| t.kind == Kind::Number && matches!(t.end() - t.start(), 4 | 5))
    }

    /// Whether a title, a word for a person, a verb of living somewhere or an initial stands before a token.
    pub(super) fn is_announced(&self, first: usize) -> bool {
        let note = self.note;
        let titled = |at: usize| {
            title_before(note, at).is_some_and(|t| !t.loose)
                || at > 0
                    && WordClass::of(&note.tokens[at - 1]).is_some_and(|c| {
                        c.is_title() && note.tokens[at - 1].shape != Shape::Single
                            || matches!(c, WordClass::Kinship | WordClass::PlaceVerb | WordClass::Born)
                    })
        };
        if titled(first) || first > 1 && note.tokens[first - 1].kind == Kind::Mark && titled(first - 1) {
            return true;
        }
        // "C. Peyrot", "vive en Arrayanes", "Nom SHILAN".
        let at = |back: usize| first.checked_sub(back).map(|i| &note.tokens[i]);
        let text = note.norm();
        let single = |t: Option<&Token>| t.is_some_and(|t| t.shape == Shape::Single);
        let initial = single(at(1)) && at(1).is_some_and(|t| t.of(text) != "A")
            || at(1).is_some_and(|t| t.of(text) == ".")
                && single(at(2))
                && !at(3).is_some_and(|t| t.kind == Kind::Number);
        let says = |t: Option<&Token>| {
            t.is_some_and(|t| {
                PEOPLE.has(token_hash(t, text))
                    || matches!(
                        WordClass::of(t),
                        Some(WordClass::PlaceVerb | WordClass::RoleWord | WordClass::Born)
                    )
            })
        };
        initial || says(at(1)) || says(at(2))
    }

    /// Whether another name stands beside a mention; a comma between them counts or not.
    pub(super) fn is_beside_name(&self, mention: &Mention, commas: bool) -> bool {
        let raw = self.note.raw();
        let beside = |m: &&(taire_text::Span<taire_text::Raw>, Label)| {
            let gap = |a: usize, b: usize| {
                b >= a
                    && b - a <= 2
                    && (commas || raw.get(a..b).is_some_and(|g| g.chars().all(|c| matches!(c, ' ' | '-'))))
            };
            matches!(m.1, Label::GivenName | Label::FamilyName)
                && (gap(m.0.end(), mention.span.start()) || gap(mention.span.end(), m.0.start()))
                && !(commas && self.is_eponym_apart(m.0, mention.span))
        };
        let near = self.named.partition_point(|m| m.0.start() + 80 < mention.span.start());
        self.named[near..].iter().take_while(|m| m.0.start() <= mention.span.end() + 2).any(|m| beside(&m))
    }

    /// Whether a comma and an eponym that hardly anybody bears stand beside tokens.
    fn is_listed_with_eponym(&self, first: usize, end: usize) -> bool {
        let (tokens, text) = (&self.note.tokens, self.note.norm());
        let comma = |i: usize| tokens.get(i).is_some_and(|t| t.of(text) == ",");
        let rare = |t: &Token| t.facts.given_tier() < 3 && t.facts.family_tier() < 3 && !t.facts.is_town();
        let eponym =
            |i: usize| tokens.get(i).is_some_and(|t| rare(t) && t.is_capitalised() && is_term(t, text));
        comma(end) && eponym(end + 1) || first >= 2 && comma(first - 1) && eponym(first - 2)
    }

    /// `Bettocchi` of "Hamou, Bettocchi": an eponym behind a comma is no neighbour that makes a person of another.
    fn is_eponym_apart(
        &self,
        neighbour: taire_text::Span<taire_text::Raw>,
        own: taire_text::Span<taire_text::Raw>,
    ) -> bool {
        let (from, to) = (neighbour.end().min(own.end()), neighbour.start().max(own.start()));
        let apart = self.note.raw().get(from..to).is_some_and(|gap| gap.contains(','));
        let Some((first, end)) = self.tokens_of(neighbour).filter(|_| apart) else { return false };
        let rare = |t: &Token| t.facts.given_tier() < 3 && t.facts.family_tier() < 3 && !t.facts.is_town();
        let mut words = self.note.tokens[first..end].iter().filter(|t| is_part(t)).peekable();
        words.peek().is_some() && words.all(|t| rare(t) && is_term(t, self.note.norm()))
    }

    /// Whether rules are sure that the same words are somebody's elsewhere in the note.
    pub(super) fn is_certain_name(&self, first: usize, end: usize, mention: &Mention) -> bool {
        let note = self.note;
        let words = note.readable(mention.span);
        self.certain_in_any_case.contains(&words.to_ascii_lowercase())
            || note.tokens[first..end].iter().any(|t| self.certain.contains(t.of(note.norm())))
    }

    /// Whether the note is written with capitals, so that a word in small letters is no name.
    pub(super) fn writes_capitals(&self) -> bool {
        *self.capitals.get_or_init(|| {
            let words = self.note.tokens.iter().filter(|t| t.kind == Kind::Word);
            let (mut all, mut capital) = (0usize, 0usize);
            for token in words {
                all += 1;
                capital += usize::from(token.is_capitalised());
            }
            capital * 25 >= all
        })
    }

    pub(super) fn line_has_lower_case(&self, at: usize) -> bool {
        let note = self.note;
        self.lower_line.ask(note.line_at(note.tokens[at].start()), |line| {
            let line = note.line(line);
            let first = note.token_at(line.start());
            let words = note.tokens[first..].iter().take_while(|t| t.start() < line.end());
            let (mut lower, mut upper) = (0, 0);
            for token in words.filter(|t| is_part(t)) {
                match token.shape {
                    Shape::Lower | Shape::Title => lower += 1,
                    Shape::Upper => upper += 1,
                    _ => {}
                }
            }
            lower > 0 && lower >= upper
        })
    }
}

/// A known name that is an eponym is the disease, unless a title, another name or its own form says otherwise.
pub(super) fn known_eponym(guard: &Guard<'_>, mention: &Mention) -> bool {
    let is_name = matches!(mention.verdict, Verdict::Phi(Label::FamilyName | Label::GivenName));
    if !is_name || !matches!(mention.source, Source::Metadata | Source::Trusted) {
        return false;
    }
    let note = guard.note;
    let Some((first, end)) = guard.tokens_of(mention.span) else { return false };
    let tokens = &note.tokens[first..end];
    if !tokens.iter().filter(|t| is_part(t)).all(|t| t.facts.is_eponym()) || first == 0 {
        return false;
    }
    let text = note.norm();
    if title_before(note, first).is_some() {
        return false;
    }
    let given = |i: usize| {
        note.tokens.get(i).is_some_and(|t| {
            t.is_capitalised()
                && (t.facts.given_tier() >= 4 || t.shape == Shape::Single)
                && t.kind == Kind::Word
        })
    };
    // "CROHN Paul", "Paul Crohn", "P. Crohn"
    let initial = first > 1 && note.tokens[first - 1].of(text) == "." && given(first - 2);
    if given(first - 1) || given(end) || initial {
        return false;
    }
    // Capitals among small letters are how letters write a surname.
    let shouts = tokens.iter().all(|t| t.shape == Shape::Upper) && guard.line_has_lower_case(first);
    let mut head = first - 1;
    let before = &note.tokens[head];
    if matches!(WordClass::of(before), Some(WordClass::Particle)) || before.of(text) == "'" {
        head = head.saturating_sub(if before.of(text) == "'" { 2 } else { 1 });
    }
    let medical = |t: &Token| {
        t.kind == Kind::Word
            && (WordClass::of(t) == Some(WordClass::EponymHead)
                || t.facts.is_medical() && t.shape == Shape::Lower)
    };
    let headed = head < first - 1 && medical(&note.tokens[head])
        || medical(before)
        || head < first - 1
            && head > 0
            && note.tokens[head].shape == Shape::Lower
            && medical(&note.tokens[head - 1]);
    if headed {
        return true;
    }
    static ARTICLES: LazyLock<WordSet> =
        LazyLock::new(|| WordSet::new(&["un une le du son sa ce cet l el del un su la"]));
    let article = before.shape == Shape::Lower && ARTICLES.has(token_hash(before, text));
    article && !shouts
}
