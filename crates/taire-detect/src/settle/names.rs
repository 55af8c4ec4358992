//! Names: a title or a key that ran into one is given back, and a whole name that one detector called all given or all
//! family is divided.

use std::sync::LazyLock;

use taire_text::{Entity, Kind, Label, Mention, Note, Raw, Role, Shape, Source, Span, Token, fold};

use crate::folded::{PARTICLES, WordSet, word_hash};
use crate::words::WordClass;

/// Words of forms that follow a name and are none.
static AFTER: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "ne nee nes date dossier tel fax mail email courriel adresse naissance contact contacter ipp nda nip id dx rdv sexe",
        "fixe fixee prevu prevue profession telephone secu rpps adeli finess epouse epoux conjoint conjointe",
    ])
});

static GREETINGS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&["bonjour bonsoir merci"]));

/// Given names that begin compound ones.
static COMPOUND: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(&["jean marie anne pierre paul louis charles rose"]));

/// A word of a name, with what a hyphen, an apostrophe or a particle joins to it.
struct Part {
    first: usize,
    last: usize,
    given: u8,
    family: u8,
    upper: bool,
    single: bool,
    folded: String,
}

impl Part {
    fn lean(&self) -> i32 {
        i32::from(self.family) - i32::from(self.given)
    }

    fn is_given(&self) -> bool {
        self.given >= 5 && self.given > self.family + 1
    }
}

pub(super) fn settle(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    let mut out: Vec<Entity> = Vec::with_capacity(entities.len() + 4);
    let mut rest = entities.into_iter().peekable();
    while let Some(entity) = rest.next() {
        if !is_name(entity.label) || entity.sources.contains(Source::Reviewer) {
            out.push(entity);
            continue;
        }
        let norm = note.to_norm(entity.span);
        let first = note.token_at(norm.start());
        let end = note.token_at(norm.end());
        if first >= end {
            out.push(entity);
            continue;
        }
        let beside_name = rest.peek().is_some_and(|e| is_name(e.label) && beside(note, entity.span, e.span));
        if beside_name && entity.span.of(note.raw()) == "M." && is_monsieur(note, &entity, first) {
            continue;
        }
        let first = if entity.label == Label::Initials && !entity.sources.contains(Source::Metadata) {
            after_monsieur(note, first, end)
        } else {
            first
        };
        let Some((first, last)) = trimmed(note, first, end - 1) else {
            if entity.sources.contains(Source::Metadata) {
                out.push(entity);
            }
            continue;
        };
        if let Some(place) = origin(note, &entity, first, last) {
            out.extend(place);
            continue;
        }
        let before = out.last().filter(|e| beside(note, e.span, entity.span)).map(|e| e.label);
        let after = rest.peek().filter(|e| beside(note, entity.span, e.span)).map(|e| e.label);
        let whole = (first, last) == (note.token_at(norm.start()), end - 1);
        match divided(note, &entity, first, last, [before, after]) {
            Some((parts, why)) => {
                for (first, last, label) in parts {
                    out.push(part_of(&entity, note.raw_of_tokens(first, last), label, why));
                }
            }
            None if whole => out.push(entity),
            None => {
                let span = note.raw_of_tokens(first, last);
                let label = entity.label;
                out.push(part_of(&entity, span, label, "a title or a key beside the name is none of it"));
            }
        }
    }
    swap(note, &mut out);
    twins(note, out)
}

/// `ben` and `Youssef`, `Karim ibn` and `Windeck`: particles begin the family name behind them, whoever they were found
/// with. `María del` and `Carmen` stay given names.
pub(super) fn join_particles(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    const WHY: &str = "particles and the name behind them";
    let mut out: Vec<Entity> = Vec::with_capacity(entities.len());
    for mut entity in entities {
        if let Some(before) = out.last()
            && is_guessed_name(before)
            && is_guessed_name(&entity)
            && (before.label, entity.label) != (Label::GivenName, Label::GivenName)
            && note.raw().get(before.span.end()..entity.span.start()) == Some(" ")
            && let Some((first, particle)) = last_particles(note, before)
        {
            let before = before.clone();
            out.pop();
            // "la fille de Marie": without a name before it, what was taken for a particle is a preposition.
            let follows_name =
                out.last().is_some_and(|e| is_name(e.label) && beside(note, e.span, before.span));
            if particle == first && entity.label == Label::GivenName && !follows_name {
                out.push(entity);
                continue;
            }
            let span = Span::new(note.raw_of_tokens(particle, particle).start(), entity.span.end());
            if particle > first {
                let rest = note.raw_of_tokens(first, particle - 1);
                out.push(part_of(&before, rest, before.label, WHY));
            } else if entity.role == Role::Unknown {
                entity.role = before.role;
            }
            entity = part_of(&entity, span, Label::FamilyName, WHY);
        }
        out.push(entity);
    }
    out
}

/// `Jean-Louis` and `Chabreloche` of "Jean-Louis de Chabreloche", `vos` of "mme de vos": particles between a given name, a
/// title or the word for a birth name and a family name are part of it.
pub(super) fn begin_with_particles(note: &Note, mut entities: Vec<Entity>) -> Vec<Entity> {
    for i in 0..entities.len() {
        if entities[i].label != Label::FamilyName || !is_guessed_name(&entities[i]) {
            continue;
        }
        let floor = i.checked_sub(1).map(|before| &entities[before]);
        if let Some(span) = with_particles(note, &entities[i], floor) {
            entities[i].span = span;
        }
    }
    entities
}

/// A family name with the particles before it, where what stands before them says that they are no preposition.
fn with_particles(note: &Note, entity: &Entity, before: Option<&Entity>) -> Option<Span<Raw>> {
    const MOST: usize = 3;
    let (tokens, text) = (&note.tokens, note.norm());
    let norm = note.to_norm(entity.span);
    let (name, end) = (note.token_at(norm.start()), note.token_at(norm.end()));
    let joins = |i: usize| {
        let token = &tokens[i];
        match token.kind {
            Kind::Word => {
                PARTICLES.has(word_hash(token.of(text))) && !matches!(token.of(text), "y" | "Y" | "e" | "i")
            }
            Kind::Mark => matches!(token.of(text), "'" | "’"),
            _ => false,
        }
    };
    let count = (name.saturating_sub(MOST)..name).rev().take_while(|&i| joins(i)).count();
    let first = name - count;
    if count == 0 || name >= end || tokens[first].kind != Kind::Word || tokens[first].glued && first > 0 {
        return None;
    }
    let span = note.raw_of_tokens(first, end - 1);
    let gap = |from: usize| note.raw().get(from..span.start()).is_some_and(|g| g.chars().all(|c| c == ' '));
    let named = before.is_some_and(|e| {
        e.span.end() <= span.start()
            && matches!(e.label, Label::GivenName | Label::Initials)
            && gap(e.span.end())
    });
    if before.is_some_and(|e| e.span.end() > span.start()) {
        return None;
    }
    let stop = usize::from(first > 0 && tokens[first - 1].of(text) == ".");
    let word = first.checked_sub(1 + stop).map(|i| &tokens[i]).filter(|t| t.kind == Kind::Word);
    // "m." is metres and months as well; what is not capitalised is asked of the titles themselves.
    let titled = word.is_some_and(|t| {
        is_born(t) && tokens[first].shape != Shape::Upper
            || t.shape != Shape::Single
                && t.end() - t.start() > 1
                && crate::folded::title(word_hash(t.of(text))).is_some_and(|title| !title.loose)
    });
    (named || titled).then_some(span)
}

/// A name that neither the record nor a reviewer vouches for.
fn is_guessed_name(entity: &Entity) -> bool {
    let certain = entity.sources.contains(Source::Metadata) || entity.sources.contains(Source::Reviewer);
    matches!(entity.label, Label::GivenName | Label::FamilyName) && !certain
}

/// The first token of a name, and the first of the particles in lower case that end it.
fn last_particles(note: &Note, entity: &Entity) -> Option<(usize, usize)> {
    let norm = note.to_norm(entity.span);
    let (first, end) = (note.token_at(norm.start()), note.token_at(norm.end()));
    let is_particle = |t: &&Token| t.shape == Shape::Lower && PARTICLES.has(word_hash(t.of(note.norm())));
    let count = note.tokens.get(first..end)?.iter().rev().take_while(is_particle).count();
    (count > 0).then_some((first, end - count))
}

/// `COLLIN, COLLIN Yves`: a name written twice is the family name, at birth and in use.
fn twins(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    const WHY: &str = "the same name twice: at birth and in use";
    let mut out: Vec<Entity> = Vec::with_capacity(entities.len() + 2);
    for entity in entities {
        let twin = out.last().filter(|e| is_name(e.label) && is_name(entity.label)).is_some_and(|before| {
            let (a, b) = (before.span.of(note.raw()), entity.span.of(note.raw()));
            let gap = note.raw().get(before.span.end()..entity.span.start()).unwrap_or("");
            matches!(gap, ", " | "," | " ")
                && a.chars().count() >= 3
                && b.strip_prefix(a).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
        if !twin {
            out.push(entity);
            continue;
        }
        if let Some(before) = out.last_mut() {
            *before = part_of(before, before.span, Label::FamilyName, WHY);
            let cut = entity.span.start() + before.span.len();
            let first = Span::new(entity.span.start(), cut);
            out.push(part_of(&entity, first, Label::FamilyName, WHY));
            let rest = &note.raw()[cut..entity.span.end()];
            if let Some(blank) = rest.find(|c: char| !c.is_whitespace()) {
                let label = if entity.label == Label::FamilyName { Label::GivenName } else { entity.label };
                out.push(part_of(&entity, Span::new(cut + blank, entity.span.end()), label, WHY));
            }
        }
    }
    out
}

fn is_name(label: Label) -> bool {
    matches!(label, Label::GivenName | Label::FamilyName | Label::Initials)
}

fn beside(note: &Note, a: Span<Raw>, b: Span<Raw>) -> bool {
    let gap = note.raw().get(a.end()..b.start()).unwrap_or("\n");
    gap.len() <= 2 && gap.chars().all(|c| matches!(c, ' ' | ',' | '.' | '\u{a0}' | '-'))
}

fn part_of(entity: &Entity, span: Span<Raw>, label: Label, why: &'static str) -> Entity {
    let mut part = Entity { span, label, ..entity.clone() };
    part.mentions
        .push(Mention::phi(span, label, entity.score.get(), Source::Lexicon, why).with_role(entity.role));
    part.sources.insert(Source::Lexicon);
    part
}

/// `M. Berthou de Plouider`: what a particle begins is no given name, and a word for a relative is none either.
/// `Some(None)` gives the words back.
fn origin(note: &Note, entity: &Entity, first: usize, last: usize) -> Option<Option<Entity>> {
    if entity.label != Label::GivenName || entity.sources.contains(Source::Metadata) {
        return None;
    }
    let token = &note.tokens[first];
    if token.shape != Shape::Lower {
        return None;
    }
    if first == last && matches!(WordClass::of(token), Some(WordClass::Kinship | WordClass::Particle)) {
        return Some(None);
    }
    let next = note.tokens.get(first + 1).filter(|t| first < last && t.kind == Kind::Word)?;
    if !matches!(token.of(note.norm()), "de" | "du") || !next.is_capitalised() {
        return None;
    }
    let label = if next.facts.is_town() { Label::City } else { Label::FamilyName };
    let span = note.raw_of_tokens(first + 1, last);
    Some(Some(part_of(entity, span, label, "what a particle begins is no given name")))
}

/// `Aide : M. Berthou`: a title, unless another comes before it (`Dr M. Berthou`) or the detectors are sure.
fn is_monsieur(note: &Note, entity: &Entity, first: usize) -> bool {
    const SURE: f32 = 0.8;
    let before = note.tokens[..first].iter().rev().find(|t| t.kind != Kind::Mark);
    let titled = before.and_then(WordClass::of).is_some_and(|c| c.is_title() || c == WordClass::RoleWord);
    let text = note.norm();
    let at = |back: usize| first.checked_sub(back).map(|i| &note.tokens[i]);
    // `Mme KERFOURN, M. Berthou`, `Bonjour M. Berthou`, but `Berthou J., M. Rolland` and `C. Houdayer, M. Rolland`.
    let listed = at(3).is_some_and(|t| t.of(text) == ".")
        && at(4).is_some_and(|t| t.shape == Shape::Single && t.of(text) != "M");
    let another = at(1).is_some_and(|t| t.of(text) == ",")
        && at(2).is_some_and(|t| t.kind == Kind::Word && t.shape != Shape::Single)
        && !listed;
    let greeted = at(1).is_some_and(|t| t.kind == Kind::Word && GREETINGS.has(word_hash(t.of(text))));
    !titled && (another || greeted || entity.score.get() < SURE)
}

/// `M. P. C.`: a title before two initials. `M.P.C.` in one piece is three.
fn after_monsieur(note: &Note, first: usize, end: usize) -> usize {
    let tokens = &note.tokens[first..end];
    let words = || tokens.iter().filter(|t| t.kind == Kind::Word);
    let is_title = tokens.len() > 2
        && tokens[0].of(note.norm()) == "M"
        && tokens[1].of(note.norm()) == "."
        && tokens[2].kind == Kind::Word
        && !tokens[2].glued
        && words().count() == 3
        && words().all(|t| t.shape == Shape::Single);
    if is_title { first + 2 } else { first }
}

/// The tokens of a name without the title before it and the key after it; none if nothing else is there.
fn trimmed(note: &Note, first: usize, last: usize) -> Option<(usize, usize)> {
    let (tokens, text) = (&note.tokens, note.norm());
    let is_title = |i: usize| {
        WordClass::of(&tokens[i]).is_some_and(WordClass::is_title)
            && tokens[i].shape != Shape::Single
            && tokens[i].end() - tokens[i].start() > 1
            && tokens[i].facts.family_tier() < 3
    };
    let (mut a, mut b) = (first, last);
    loop {
        let article =
            a + 2 <= b && matches!(tokens[a].of(text), "Le" | "le" | "La" | "la") && is_title(a + 1);
        if a < b && is_title(a) || article {
            a += 1;
            while a < b && tokens[a].kind == Kind::Mark {
                a += 1;
            }
        } else {
            break;
        }
    }
    loop {
        let token = &tokens[b];
        let numero = matches!(token.of(text), "N" | "n")
            && tokens.get(b + 1).is_some_and(|t| matches!(t.of(text), "°" | "º"));
        let key = token.kind == Kind::Word
            && (key_goes_on(note, b) || b > a && (token.facts.family_tier() < 4 || is_born(token)))
            && AFTER.has(word_hash(token.of(text)));
        if !(numero || key) {
            return Some((a, b));
        }
        if b == a {
            return None;
        }
        b -= 1;
        while b > a && tokens[b].kind == Kind::Mark && tokens[b].of(text) != "." {
            b -= 1;
        }
    }
}

/// A word alone is a key only if what a key says goes on: `Date de`, `Née le`, `Dossier n°`.
fn key_goes_on(note: &Note, at: usize) -> bool {
    let Some(next) = note.tokens.get(at + 1) else { return false };
    // "MME DUPONT MARIE NEE MARTIN", but no name is missed in "MME NEE MARIE".
    let maiden = || {
        let before = at.checked_sub(1).map(|before| &note.tokens[before]);
        let named =
            before.is_some_and(|t| t.is_capitalised() && !WordClass::of(t).is_some_and(WordClass::is_title));
        is_born(&note.tokens[at]) && next.is_capitalised() && named
    };
    let said = next.of(note.norm());
    matches!(said, "de" | "DE" | "le" | "LE" | "d" | "D" | ":" | "N" | "n" | "en" | "EN" | "antidopage")
        || next.kind == Kind::Number
        || maiden()
}

fn is_born(token: &Token) -> bool {
    WordClass::of(token) == Some(WordClass::Born)
}

fn parts(note: &Note, first: usize, last: usize) -> Vec<Part> {
    let text = note.norm();
    let mut parts: Vec<Part> = Vec::new();
    let mut open = false;
    for i in first..=last {
        let token = &note.tokens[i];
        match token.kind {
            Kind::Word => {
                let joined = i > first && token.glued && matches!(note.tokens[i - 1].of(text), "-" | "'");
                let particle =
                    WordClass::of(token) == Some(WordClass::Particle) && token.shape != Shape::Single;
                if (joined || open)
                    && let Some(part) = parts.last_mut()
                {
                    part.last = i;
                    part.given = part.given.max(token.facts.given_tier());
                    part.family = part.family.max(token.facts.family_tier());
                    part.single &= token.shape == Shape::Single;
                    part.upper |= token.shape == Shape::Upper;
                    part.folded.push_str(&fold(token.of(text)));
                } else {
                    parts.push(Part {
                        first: i,
                        last: i,
                        given: if particle { 0 } else { token.facts.given_tier() },
                        family: if particle { 3 } else { token.facts.family_tier() },
                        upper: token.shape == Shape::Upper,
                        single: token.shape == Shape::Single,
                        folded: fold(token.of(text)),
                    });
                }
                open = particle;
            }
            Kind::Mark if token.of(text) == "." => {
                if let Some(part) = parts.last_mut() {
                    part.last = i;
                }
            }
            _ => {}
        }
    }
    parts
}

type Division = (Vec<(usize, usize, Label)>, &'static str);

fn divided(
    note: &Note,
    entity: &Entity,
    first: usize,
    last: usize,
    neighbours: [Option<Label>; 2],
) -> Option<Division> {
    use Label::{FamilyName, GivenName, Initials};
    let beside = |label| neighbours.contains(&Some(label));
    let parts = parts(note, first, last);
    let n = parts.len();
    if n < 2 {
        return None;
    }
    let run = |from: usize, to: usize, label| (parts[from].first, parts[to - 1].last, label);
    // A key such as "Prénoms :" or "Nom :" spoke of the whole.
    let keyed = entity.mentions.iter().any(|v| v.source == Source::Structure && v.span == entity.span);
    let full = |p: &Part| !p.single;
    if n == 2 && parts[0].single && full(&parts[1]) && parts[1].lean() >= 0 && !beside(Initials) {
        let family = !beside(FamilyName) || entity.label == FamilyName;
        let label = if family { FamilyName } else { entity.label };
        return Some((vec![run(0, 1, Initials), run(1, 2, label)], "an initial before a name"));
    }
    match entity.label {
        GivenName if !beside(FamilyName) && !keyed && parts.iter().all(full) => {
            let (a, b) = (&parts[0], &parts[n - 1]);
            let family_first = if a.upper != b.upper {
                a.upper
            } else if n == 2 && COMPOUND.has(word_hash(&a.folded)) && b.is_given() && b.family < 5 {
                return None;
            } else {
                a.lean() > b.lean()
            };
            let why = "a whole name: one of its parts is the family name";
            if family_first {
                let cut = if a.upper != b.upper { parts.iter().take_while(|p| p.upper).count() } else { 1 };
                Some((vec![run(0, cut, FamilyName), run(cut, n, GivenName)], why))
            } else {
                let cut = if a.upper != b.upper {
                    n - parts.iter().rev().take_while(|p| p.upper).count()
                } else {
                    n - 1
                };
                Some((vec![run(0, cut, GivenName), run(cut, n, FamilyName)], why))
            }
        }
        FamilyName => {
            if n == 2 && parts[0].folded == parts[1].folded && full(&parts[0]) {
                let why = "the same name twice: at birth and in use";
                return Some((vec![run(0, 1, FamilyName), run(1, 2, FamilyName)], why));
            }
            if beside(GivenName) || beside(Initials) {
                return None;
            }
            if parts[0].single && parts[1..].iter().all(full) {
                return Some((vec![run(0, 1, Initials), run(1, n, FamilyName)], "an initial before a name"));
            }
            if keyed || !parts.iter().all(full) {
                return None;
            }
            let why = "a whole name: one of its parts is a frequent given name";
            if parts[0].is_given() && !parts[n - 1].is_given() && !parts[0].upper | parts[n - 1].upper {
                Some((vec![run(0, 1, GivenName), run(1, n, FamilyName)], why))
            } else if parts[n - 1].is_given() && !parts[0].is_given() && !parts[n - 1].upper | parts[0].upper
            {
                Some((vec![run(0, n - 1, FamilyName), run(n - 1, n, GivenName)], why))
            } else {
                None
            }
        }
        _ => None,
    }
}

/// `RENE Kerdraon`: capitals do not make a family name of a frequent given name beside a word that is none.
fn swap(note: &Note, entities: &mut [Entity]) {
    for i in 1..entities.len() {
        let (a, b) = (&entities[i - 1], &entities[i]);
        if a.label != Label::FamilyName || b.label != Label::GivenName || !beside(note, a.span, b.span) {
            continue;
        }
        let of = |e: &Entity| {
            let norm = note.to_norm(e.span);
            parts(note, note.token_at(norm.start()), note.token_at(norm.end()).max(1) - 1)
        };
        let (one, two) = (of(a), of(b));
        if let ([family], [given]) = (&one[..], &two[..])
            && family.given >= 6
            && family.is_given()
            && given.given == 0
            && !given.single
            && !given.upper
        {
            let why = "a frequent given name before a word that is none";
            entities[i - 1] = part_of(&entities[i - 1], entities[i - 1].span, Label::GivenName, why);
            entities[i] = part_of(&entities[i], entities[i].span, Label::FamilyName, why);
        }
    }
}
