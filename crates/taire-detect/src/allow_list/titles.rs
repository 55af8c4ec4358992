//! FASDIM's third step: a title and the name after it become one mask.

use taire_text::{Entity, Kind, Label, Mention, Note, Role, Source};

use crate::fuse::{FusionRule, fuse};
use crate::words::WordClass;

/// Joins each title with the name after it. A capitalised word after a title is a name, whatever else it may be.
pub fn mask_titles(note: &Note, entities: Vec<Entity>) -> Vec<Entity> {
    let mut covered = vec![None; note.tokens.len()];
    for (i, entity) in entities.iter().enumerate() {
        let norm = note.to_norm(entity.span);
        let (first, end) = (note.token_at(norm.start()), note.token_at(norm.end()));
        covered[first.min(end)..end].fill(Some(i));
    }
    let mut joined: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < note.tokens.len() {
        match titled(note, &covered, &entities, at) {
            Some(last) => {
                joined.push((at, last));
                at = last + 1;
            }
            None => at += 1,
        }
    }
    let spans: Vec<_> = joined.iter().map(|&(first, last)| note.raw_of_tokens(first, last)).collect();
    let mut out: Vec<Entity> =
        entities.into_iter().filter(|e| !spans.iter().any(|s| s.overlaps(e.span))).collect();
    // Not the allow-list's word: a name after a title needs nobody's judgement.
    let why = "a title and the name after it";
    let names: Vec<Mention> = spans
        .iter()
        .map(|&s| Mention::phi(s, Label::FamilyName, 0.95, Source::Structure, why).with_role(Role::Unknown))
        .collect();
    out.extend(fuse(note.raw(), &names, &FusionRule::default()));
    out.sort_by_key(|e| e.span);
    out
}

/// The last token of the name after a title at `at`.
fn titled(note: &Note, covered: &[Option<usize>], entities: &[Entity], at: usize) -> Option<usize> {
    let (tokens, text) = (&note.tokens, note.norm());
    WordClass::of(&tokens[at]).filter(|class| class.is_title())?;
    let dot = tokens.get(at + 1).is_some_and(|t| t.glued && t.of(text) == ".");
    let first = at + 1 + usize::from(dot);
    let named = |i: usize| {
        let name = |e: &Entity| {
            matches!(e.label, Label::GivenName | Label::FamilyName | Label::Initials | Label::OtherDetail)
        };
        tokens.get(i).is_some_and(|t| t.kind == Kind::Word)
            && covered.get(i).copied().flatten().is_some_and(|e| name(&entities[e]))
    };
    let capital = tokens.get(first).is_some_and(|t| t.kind == Kind::Word && t.is_capitalised());
    // `Professeur Dr Martin`: the last title is the one joined.
    let title = tokens.get(first).and_then(WordClass::of).is_some_and(|class| class.is_title());
    if title && !named(first) || !named(first) && !capital {
        return None;
    }
    let mut last = first;
    loop {
        let marks = (last + 1..last + 3)
            .take_while(|&i| tokens.get(i).is_some_and(|t| matches!(t.of(text), "." | "-")))
            .count();
        let next = last + 1 + marks;
        if !named(next) {
            return Some(last);
        }
        last = next;
    }
}
