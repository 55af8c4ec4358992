//! Initials, once names are known (Bigeard §3.2.2): a capital beside a found name is the other part of it, and
//! initials that are those of a person of the document stand for that person.

use rustc_hash::FxHashMap;
use taire_text::{Entity, Kind, Label, Language, Mention, Note, Role, Shape, Source, Span, fold, fold_char};

use crate::MAX_TOKENS;
use crate::words::WordClass;

/// Adds the initials next to the names already found.
pub fn initials(note: &Note, entities: &[Entity], out: &mut Vec<Mention>) {
    let named = |e: &&Entity| matches!(e.label, Label::GivenName | Label::FamilyName);
    for entity in entities.iter().filter(named) {
        let norm = note.to_norm(entity.span);
        let first = note.token_at(norm.start());
        let after = note.token_at(norm.end());
        if let Some((from, to)) = before(note, first, |at| is_given_initial(note, at, entity, entities)) {
            push(note, from, to, entity, out);
        }
        if let Some((from, to)) = following(note, after) {
            push(note, from, to, entity, out);
        }
        if let Some(at) = lower_initial(note, entity, first) {
            push(note, at, at + 1, entity, out);
        }
        of_given_names(note, first, after, out);
    }
    if note.language == Language::Fr {
        given_and_initial(note, entities, out);
        of_dictation(note, out);
    }
    of_known_people(note, entities, out);
}

/// `OB Morel`, `Morel OB`: letters in one piece beside a name, when they are those of a known person's given names.
fn of_given_names(note: &Note, first: usize, after: usize, out: &mut Vec<Mention>) {
    let (tokens, text) = (&note.tokens, note.norm());
    let sides = [first.checked_sub(1), Some(after)];
    let run = |at: &usize| {
        tokens.get(*at).is_some_and(|t| t.shape == Shape::Upper && t.of(text).chars().count() <= 3)
    };
    for at in sides.into_iter().flatten().filter(run) {
        let letters = |name: &str| -> String {
            let words = name.split(|c: char| !c.is_alphanumeric()).filter_map(|w| w.chars().next());
            words.map(|c| fold_char(c).0[0]).collect()
        };
        let written = fold(tokens[at].of(text));
        let is_of = |names: &[String]| letters(&names.join(" ")) == written;
        let known = &note.known;
        let others = known.caregivers.iter().map(|p| (&p.given_names, Role::Caregiver));
        let others = others.chain(known.relatives.iter().map(|p| (&p.given_names, Role::Relative)));
        let person = std::iter::once((&known.given_names, Role::Patient)).chain(others).find(|p| is_of(p.0));
        if let Some((_, role)) = person {
            let why = "initials of the given names of a known person";
            let span = note.raw_of_tokens(at, at);
            out.push(Mention::phi(span, Label::Initials, 0.9, Source::Initials, why).with_role(role));
        }
    }
}

/// `A.K.`, `A. K.`, `K.A.`: the initials of somebody known or named in the document stand for that person.
fn of_known_people(note: &Note, entities: &[Entity], out: &mut Vec<Mention>) {
    let people = people(note, entities);
    if people.is_empty() {
        return;
    }
    of_signatures(note, &people, out);
    let whole = whole_names(note, entities);
    let (tokens, text) = (&note.tokens, note.norm());
    let letter = |at: usize| {
        let token = tokens.get(at).filter(|t| t.shape == Shape::Single)?;
        let dotted = tokens.get(at + 1).is_some_and(|t| t.glued && t.of(text) == ".");
        dotted.then(|| fold_char(token.of(text).chars().next()?).0.first().copied()).flatten()
    };
    let mut at = 0;
    while at < tokens.len() {
        let run: Vec<char> = (at..).step_by(2).map_while(letter).take(MOST_INITIALS + 1).collect();
        if run.len() < 2 || run.len() > MOST_INITIALS || tokens[at].glued {
            at += (2 * run.len()).max(1);
            continue;
        }
        let mut sorted = run.clone();
        sorted.sort_unstable();
        let pair = if let [one, two] = run[..] { people.get(&letters(one, two)).copied() } else { None };
        if let Some(role) = pair.or_else(|| whole.get(&sorted).copied()) {
            let span = note.to_raw(Span::new(tokens[at].start(), tokens[at + 2 * run.len() - 1].end()));
            let why = "initials of a person of this document";
            out.push(Mention::phi(span, Label::Initials, 0.8, Source::Initials, why).with_role(role));
        }
        at += 2 * run.len();
    }
}

/// Letters of dotted initials, at most.
const MOST_INITIALS: usize = 5;

/// The first letters of all words of given and family name side by side, sorted: `Y.V.D.Q.` is Ysoline VAN DER QUERLIN.
fn whole_names(note: &Note, entities: &[Entity]) -> FxHashMap<Vec<char>, Role> {
    let mut names = FxHashMap::default();
    for pair in entities.windows(2) {
        let named = |e: &Entity| matches!(e.label, Label::GivenName | Label::FamilyName);
        let beside = pair[1].span.start() - pair[0].span.end() <= 2;
        if !named(&pair[0]) || !named(&pair[1]) || pair[0].label == pair[1].label || !beside {
            continue;
        }
        let words = pair.iter().flat_map(|e| {
            let text = note.readable(e.span).into_owned();
            let words = text.split(|c: char| !c.is_alphanumeric()).filter_map(|w| w.chars().next());
            words.map(|c| fold_char(c).0[0]).collect::<Vec<char>>()
        });
        let mut letters: Vec<char> = words.collect();
        letters.sort_unstable();
        if (3..=MOST_INITIALS).contains(&letters.len()) {
            names.entry(letters).or_insert(pair[1].role);
        }
    }
    names
}

/// `TC` alone on its line, `(HVB)`: capitals where somebody signs, when they are those of a person of the document.
fn of_signatures(note: &Note, people: &FxHashMap<(char, char), Role>, out: &mut Vec<Mention>) {
    let (tokens, text) = (&note.tokens, note.norm());
    for (at, token) in tokens.iter().enumerate() {
        let letters = token.end() - token.start();
        if token.shape != Shape::Upper || !(2..=3).contains(&letters) || !is_signed_alone(note, at) {
            continue;
        }
        if token.facts.is_medical() || token.facts.is_drug() || token.facts.word_class() != 0 {
            continue;
        }
        let written: Vec<char> = fold(token.of(text)).chars().collect();
        let (Some(&one), Some(&two)) = (written.first(), written.last()) else { continue };
        if let Some(&role) = people.get(&self::letters(one, two)) {
            let why = "signed with the initials of a person of this document";
            let span = note.raw_of_tokens(at, at);
            out.push(Mention::phi(span, Label::Initials, 0.75, Source::Initials, why).with_role(role));
        }
    }
}

/// Whether a token is all there is on its line, or between two parentheses.
fn is_signed_alone(note: &Note, at: usize) -> bool {
    let (tokens, text) = (&note.tokens, note.norm());
    let before = at.checked_sub(1).map(|i| &tokens[i]);
    let after = tokens.get(at + 1);
    let line =
        before.is_none_or(|t| t.kind == Kind::Newline) && after.is_none_or(|t| t.kind == Kind::Newline);
    let between = before.is_some_and(|t| t.of(text) == "(") && after.is_some_and(|t| t.of(text) == ")");
    line || between
}

/// Two first letters, whichever comes first.
fn letters(one: char, two: char) -> (char, char) {
    (one.min(two), one.max(two))
}

/// First letters of given and family name of the people known beforehand or named side by side, and the role of the
/// first who has them.
fn people(note: &Note, entities: &[Entity]) -> FxHashMap<(char, char), Role> {
    let first = |name: &str| name.chars().next().map(|c| fold_char(c).0[0]);
    let mut people = FxHashMap::default();
    for family in note.known.family_name.iter().chain(&note.known.birth_name) {
        if let (Some(given), Some(family)) =
            (note.known.given_names.first().and_then(|g| first(g)), first(family))
        {
            people.entry(letters(given, family)).or_insert(Role::Patient);
        }
    }
    let others = note.known.caregivers.iter().map(|p| (p, Role::Caregiver));
    for (person, role) in others.chain(note.known.relatives.iter().map(|p| (p, Role::Relative))) {
        let given = person.given_names.first().and_then(|g| first(g));
        for family in person.family_name.iter().chain(&person.birth_name) {
            if let (Some(given), Some(family)) = (given, first(family)) {
                people.entry(letters(given, family)).or_insert(role);
            }
        }
    }
    for pair in entities.windows(2) {
        let (given, family) = match (pair[0].label, pair[1].label) {
            (Label::GivenName, Label::FamilyName) => (&pair[0], &pair[1]),
            (Label::FamilyName, Label::GivenName) => (&pair[1], &pair[0]),
            _ => continue,
        };
        let beside = pair[1].span.start() - pair[0].span.end() <= 2;
        if let (true, Some(g), Some(f)) =
            (beside, first(&note.readable(given.span)), first(&note.readable(family.span)))
        {
            people.entry(letters(g, f)).or_insert(family.role);
        }
    }
    // `Ysoline QUERLIN née TRESCARTES`: the name at birth has its initials too.
    for three in entities.windows(3) {
        let given = three[..2].iter().find(|e| e.label == Label::GivenName);
        let family = three[..2].iter().any(|e| e.label == Label::FamilyName);
        let gap = note.raw().get(three[1].span.end()..three[2].span.start()).unwrap_or_default();
        let born =
            gap.len() <= 12 && gap.split_whitespace().any(|w| matches!(fold(w).as_str(), "nee" | "ne"));
        if let (Some(given), true, true, Label::FamilyName) = (given, family, born, three[2].label)
            && let (Some(g), Some(f)) =
                (first(&note.readable(given.span)), first(&note.readable(three[2].span)))
        {
            people.entry(letters(g, f)).or_insert(three[2].role);
        }
    }
    people
}

fn push(note: &Note, from: usize, to: usize, beside: &Entity, out: &mut Vec<Mention>) {
    let span = note.to_raw(Span::new(note.tokens[from].start(), note.tokens[to].end()));
    let mention = Mention::phi(span, Label::Initials, 0.8, Source::Initials, "capital beside a name");
    out.push(mention.with_role(beside.role));
}

/// `J. DUPONT`, `J.-P. DUPONT`, `J DUPONT`: the run of initials that ends before token `first`.
/// `M` is a title unless `is_initial` says otherwise.
fn before(note: &Note, first: usize, is_initial: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let last = first.checked_sub(1)?;
    let mut i = last;
    let mut from = None;
    while last - i < MAX_TOKENS {
        let token = &tokens[i];
        match token.kind {
            Kind::Word if token.shape == Shape::Single => {
                let word = token.of(text);
                let dotted = tokens[i + 1].of(text) == ".";
                let titles: &[&str] = if note.language == Language::Es { &["M", "D"] } else { &["M"] };
                let title = titles.contains(&word) && !hyphen_before(note, i) && !is_initial(i);
                // "A TROUVILLE", "O Suso", a letter of another column.
                let article = !dotted && matches!(word, "A" | "O" | "E" | "Y");
                let apart = !dotted && i + 1 == first && tokens[first].start() - token.end() > 1;
                if title || article || apart || !dotted && i + 1 != first || is_elision(note, i) {
                    break;
                }
                from = Some(i);
            }
            Kind::Mark if matches!(token.of(text), "." | "-") => {}
            _ => break,
        }
        match i.checked_sub(1) {
            Some(previous) => i = previous,
            None => break,
        }
    }
    from.map(|from| (from, last))
}

/// Bigeard's second rule for `M`: without a dot before a family name, it is the initial of the given name that stands beside
/// that family name elsewhere in the document, when that begins with an M.
fn is_given_initial(note: &Note, at: usize, beside: &Entity, entities: &[Entity]) -> bool {
    // Her first rule: after a title it is an initial (`Dr M. ETCHEGARAY`).
    let before =
        at.checked_sub(1).filter(|&i| note.tokens[i].of(note.norm()) != ".").or_else(|| at.checked_sub(2));
    if before.is_some_and(|i| WordClass::of(&note.tokens[i]).is_some_and(WordClass::is_title)) {
        return true;
    }
    let dotted = note.tokens.get(at + 1).is_some_and(|t| t.of(note.norm()) == ".");
    if dotted || beside.label != Label::FamilyName || note.tokens[at].of(note.norm()) != "M" {
        return false;
    }
    let family = fold(&note.readable(beside.span));
    entities.windows(2).any(|pair| {
        let (given, other) = match (pair[0].label, pair[1].label) {
            (Label::GivenName, Label::FamilyName) => (&pair[0], &pair[1]),
            (Label::FamilyName, Label::GivenName) => (&pair[1], &pair[0]),
            _ => return false,
        };
        pair[1].span.start() - pair[0].span.end() <= 2
            && fold(&note.readable(other.span)) == family
            && fold(&note.readable(given.span)).starts_with('m')
    })
}

/// `s. tixador` in notes without capitals: the token of a letter before a name that is in lower case too. `m.` is a title.
fn lower_initial(note: &Note, name: &Entity, first: usize) -> Option<usize> {
    let (tokens, text) = (&note.tokens, note.norm());
    let at = first.checked_sub(2)?;
    let letter =
        tokens[at].shape == Shape::Lower && tokens[at].end() - tokens[at].start() == 1 && !tokens[at].glued;
    let dot = tokens[at + 1].glued && tokens[at + 1].of(text) == ".";
    let lower = tokens.get(first).is_some_and(|t| t.shape == Shape::Lower);
    let title = tokens[at].of(text) == "m"
        && !at.checked_sub(1).is_some_and(|i| WordClass::of(&tokens[i]).is_some_and(WordClass::is_title));
    (letter && dot && lower && !title && name.label == Label::FamilyName).then_some(at)
}

/// `JRB/nb`, `PE/sg` on a line or after a dash: who dictated, in capitals, and who typed. A unit (`UI/kg`) has a number before
/// it and is none.
fn of_dictation(note: &Note, out: &mut Vec<Mention>) {
    let (tokens, text) = (&note.tokens, note.norm());
    let size = |at: usize| tokens[at].end() - tokens[at].start();
    for at in 0..tokens.len().saturating_sub(2) {
        let pair = tokens[at].shape == Shape::Upper
            && (2..=3).contains(&size(at))
            && tokens[at + 1].of(text) == "/"
            && tokens[at + 2].shape == Shape::Lower
            && (2..=3).contains(&size(at + 2));
        if !pair || tokens[at].facts.is_medical() || tokens[at + 2].facts.is_medical() {
            continue;
        }
        let before = at.checked_sub(1).map(|i| &tokens[i]);
        let opens =
            before.is_none_or(|t| t.kind == Kind::Newline || matches!(t.of(text), "-" | ":" | "/" | "."));
        let ends = tokens.get(at + 3).is_none_or(|t| t.kind == Kind::Newline);
        if opens
            && ends
            && !matches!(tokens[at + 2].of(text), "kg" | "ml" | "dl" | "min" | "jr" | "mm" | "mn")
        {
            let why = "who dictated and who typed, by their initials";
            let span = note.raw_of_tokens(at, at + 2);
            out.push(
                Mention::phi(span, Label::Initials, 0.7, Source::Initials, why).with_role(Role::Caregiver),
            );
        }
    }
}

/// A given name of the lists and a capital: `j'ai examiné Jeannette K.`
fn given_and_initial(note: &Note, entities: &[Entity], out: &mut Vec<Mention>) {
    let (tokens, text) = (&note.tokens, note.norm());
    for at in 0..tokens.len().saturating_sub(2) {
        let facts = tokens[at].facts;
        let given = tokens[at].shape == Shape::Title && facts.given_tier() >= 3 && facts.word_class() < 3;
        let medical = facts.is_medical() || facts.is_drug() || facts.is_town();
        let initial = tokens[at + 1].shape == Shape::Single
            && !tokens[at + 1].glued
            && tokens[at + 2].glued
            && tokens[at + 2].of(text) == ".";
        let span = note.raw_of_tokens(at, at);
        if !given || medical || !initial || entities.iter().any(|e| e.span.overlaps(span)) {
            continue;
        }
        let why = "a given name of the lists with an initial behind it";
        out.push(Mention::phi(span, Label::GivenName, 0.7, Source::Initials, why));
        let letter = note.raw_of_tokens(at + 1, at + 2);
        out.push(Mention::phi(letter, Label::Initials, 0.7, Source::Initials, why));
    }
}

fn hyphen_before(note: &Note, at: usize) -> bool {
    at > 0 && note.tokens[at].glued && note.tokens[at - 1].of(note.norm()) == "-"
}

fn is_elision(note: &Note, at: usize) -> bool {
    note.tokens.get(at + 1).is_some_and(|t| t.of(note.norm()) == "'")
}

/// `DUPONT J.`, `DUPONT J.-P.`, `GENOT A`: initials right after a name, not a clause that begins there.
fn following(note: &Note, first: usize) -> Option<(usize, usize)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let token = tokens.get(first).filter(|t| t.shape == Shape::Single && !is_elision(note, first))?;
    let gap = &text[first.checked_sub(1).map_or(0, |i| tokens[i].end())..token.start()];
    let next = tokens.get(first + 1);
    let numero = next.is_some_and(|t| t.glued && matches!(t.of(text), "º" | "°" | "ª" | "/"));
    // "Antía R3" is a resident of the third year, "FRANCE N 54.1107" a number.
    let counted = next.is_some_and(|t| t.kind == Kind::Number);
    if gap != " " || numero || counted {
        return None;
    }
    let mut last = first;
    loop {
        if tokens.get(last + 1).is_some_and(|t| t.glued && t.of(text) == ".") {
            last += 1;
        }
        let more = tokens.get(last + 1).is_some_and(|t| t.of(text) == "-" && t.glued)
            && tokens.get(last + 2).is_some_and(|t| t.glued && t.shape == Shape::Single);
        if !more {
            break;
        }
        last += 2;
    }
    let word = token.of(text);
    let dotted = last > first;
    let next = tokens.get(last + 1);
    let ends = next.is_none_or(|t| t.kind != Kind::Word || !t.of(text).starts_with(char::is_lowercase));
    // `A` and `Y` begin clauses, and `A` stands before a town.
    let goes_on = next.is_some_and(|t| t.kind == Kind::Word);
    (dotted || ends && !matches!(word, "Y" | "À") && !(word == "A" && goes_on)).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use taire_lexicon::Annotator;
    use taire_text::KnownIdentity;

    use super::*;
    use crate::{FusionRule, fuse};

    fn found(text: &str) -> Vec<String> {
        let known = KnownIdentity {
            family_name: Some("Morel".into()),
            given_names: vec!["Odilard-Bénezet".into()],
            ..KnownIdentity::default()
        };
        let builder = Note::builder("n", text).language(Some(Language::Fr)).known(Some(Arc::new(known)));
        let mut note = builder.build().unwrap();
        Annotator::new(Language::Fr, |w| crate::words::keyword(Language::Fr, w)).annotate(&mut note);
        let at = text.find("Morel").unwrap();
        let name = Span::new(at, at + "Morel".len());
        let name = Mention::phi(name, Label::FamilyName, 1.0, Source::Metadata, "known");
        let entities = fuse(text, &[name], &FusionRule::default());
        let mut out = Vec::new();
        initials(&note, &entities, &mut out);
        out.iter().map(|m| m.span.of(text).to_owned()).collect()
    }

    #[test]
    fn dotted_initials_of_all_parts_of_a_name() {
        let text =
            "Mme Ysoline VAN DER QUERLIN née TRESCARTES. Y.V.D.Q. va bien, Y.T. aussi, A.B.C. est un test.";
        let mut note = Note::builder("n", text).language(Some(Language::Fr)).build().unwrap();
        Annotator::new(Language::Fr, |_| 0).annotate(&mut note);
        let name = |words: &str, label: Label| {
            let at = text.find(words).unwrap();
            Mention::phi(Span::new(at, at + words.len()), label, 1.0, Source::Metadata, "known")
        };
        let names = [
            name("Ysoline", Label::GivenName),
            name("VAN DER QUERLIN", Label::FamilyName),
            name("TRESCARTES", Label::FamilyName),
        ];
        let mut out = Vec::new();
        initials(&note, &fuse(text, &names, &FusionRule::default()), &mut out);
        let found: Vec<_> = out.iter().map(|m| m.span.of(text)).collect();
        assert_eq!(found, ["Y.V.D.Q.", "Y.T."]);
    }

    #[test]
    fn who_dictated_and_lower_case_initials() {
        assert_eq!(found("Dr Morel\nJRB/nb\n"), ["JRB/nb"]);
        assert!(found("Morel, héparine 18 UI/kg\n").is_empty());
        assert_eq!(found("Dr M. Morel"), ["M."]);
        assert!(found("vu M. Morel").is_empty());
    }

    #[test]
    fn letters_in_one_piece_beside_a_known_name() {
        assert_eq!(found("OB Morel va bien"), ["OB"]);
        assert_eq!(found("Vu ce jour Morel OB, scanner normal"), ["OB"]);
        assert!(found("IRM Morel faite ce jour").is_empty());
        assert!(found("revu par Morel RAS").is_empty());
    }
}
