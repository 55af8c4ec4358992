//! Corrections: one made at its place, and the same again wherever the text is identical.
//!
//! A new border wins over older marks, which keep what is left of them: no correction but a removal takes protection
//! away from text. What is repeated elsewhere is the same text, letter by letter and not inside a longer word; marks of
//! another label, and text inside other marks, are left alone there.

use std::ops::Range;

use taire_text::{Label, Role};

use crate::mark::{By, Mark};
use crate::problem::Problem;

/// One correction, at its place in one text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Edit {
    Add { at: Range<usize>, label: Label, role: Role },
    Change { from: Range<usize>, to: Range<usize>, label: Label, role: Role },
    Remove { at: Range<usize> },
}

/// The same correction, to be repeated wherever the same text occurs.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum RepeatedEdit {
    Add {
        text: String,
        label: Label,
        role: Role,
    },
    Change {
        text: String,
        was: Label,
        /// Where the new text begins, from the start of the old one.
        shift: isize,
        new: String,
        label: Label,
        role: Role,
    },
    Remove {
        text: String,
        was: Label,
    },
}

impl RepeatedEdit {
    /// The text that a document must contain for the correction to apply.
    pub(crate) fn needle(&self) -> &str {
        match self {
            RepeatedEdit::Add { text, .. }
            | RepeatedEdit::Remove { text, .. }
            | RepeatedEdit::Change { text, .. } => text,
        }
    }
}

/// Applies a correction. Returns the new marks, and the correction for other places.
pub(crate) fn apply_edit(
    text: &str,
    marks: &[Mark],
    edit: &Edit,
) -> Result<(Vec<Mark>, RepeatedEdit), Problem> {
    let slice = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default().to_owned();
    let index_of = |range: &Range<usize>| {
        let found = marks.iter().position(|m| m.range() == *range);
        found.ok_or_else(|| Problem::cannot("no_mark", "there is no mark with these borders"))
    };
    match edit {
        Edit::Add { at, label, role } => {
            let again = RepeatedEdit::Add { text: slice(at), label: *label, role: *role };
            let exists = marks.iter().any(|m| m.range() == *at && m.label == *label && m.role == *role);
            // What is marked here already may still be wanted elsewhere.
            let made =
                if exists { marks.to_vec() } else { set_mark(text, marks.to_vec(), at, *label, *role) };
            Ok((made, again))
        }
        Edit::Change { from, to, label, role } => {
            let mut left = marks.to_vec();
            let old = left.remove(index_of(from)?);
            if old.range() == *to && old.label == *label && old.role == *role {
                return Err(Problem::cannot("same", "this is marked so already"));
            }
            let again = RepeatedEdit::Change {
                text: slice(from),
                was: old.label,
                shift: to.start as isize - from.start as isize,
                new: slice(to),
                label: *label,
                role: *role,
            };
            Ok((set_mark(text, left, to, *label, *role), again))
        }
        Edit::Remove { at } => {
            let mut left = marks.to_vec();
            let old = left.remove(index_of(at)?);
            Ok((left, RepeatedEdit::Remove { text: slice(at), was: old.label }))
        }
    }
}

/// Repeats a correction wherever it applies. Returns the new marks, and how many places changed.
pub(crate) fn repeat_edit(text: &str, marks: &[Mark], again: &RepeatedEdit) -> (Vec<Mark>, usize) {
    let mut out = marks.to_vec();
    let mut count = 0;
    match again {
        RepeatedEdit::Remove { text: old, was } => {
            out.retain(|m| m.label != *was || text.get(m.range()) != Some(old));
            count = marks.len() - out.len();
        }
        RepeatedEdit::Add { text: new, label, role } => count += add_all(text, &mut out, new, *label, *role),
        RepeatedEdit::Change { text: old, was, shift, new, label, role } => {
            for mark in marks.iter().filter(|m| m.label == *was && text.get(m.range()) == Some(old)) {
                let Some(start) = mark.start.checked_add_signed(*shift) else { continue };
                let to = start..start + new.len();
                let free = out.iter().all(|m| m.range() == mark.range() || !m.overlaps(&to));
                let same = to == mark.range() && *label == mark.label && *role == mark.role;
                if text.get(to.clone()) != Some(new) || !free || same || !is_whole_word(text, &to) {
                    continue;
                }
                out.retain(|m| m.range() != mark.range());
                out = set_mark(text, out, &to, *label, *role);
                count += 1;
            }
            count += add_all(text, &mut out, new, *label, *role);
        }
    }
    (out, count)
}

/// Marks every free occurrence.
fn add_all(text: &str, marks: &mut Vec<Mark>, new: &str, label: Label, role: Role) -> usize {
    let mut count = 0;
    if !new.chars().any(char::is_alphanumeric) {
        return 0;
    }
    for (start, _) in text.match_indices(new) {
        let at = start..start + new.len();
        if is_whole_word(text, &at) && !marks.iter().any(|m| m.overlaps(&at)) {
            let place = marks.partition_point(|m| m.start < at.start);
            marks.insert(place, Mark { start, end: at.end, label, role, by: By::Reviewer });
            count += 1;
        }
    }
    count
}

/// Not a part of a longer word or number.
fn is_whole_word(text: &str, at: &Range<usize>) -> bool {
    let inside = |a: Option<char>, b: Option<char>| {
        a.is_some_and(char::is_alphanumeric) && b.is_some_and(char::is_alphanumeric)
    };
    let (before, after) = (text[..at.start].chars().next_back(), text[at.end..].chars().next());
    let own = &text[at.clone()];
    !inside(before, own.chars().next()) && !inside(own.chars().next_back(), after)
}

/// Sets a mark. The rest of the marks that it overlaps stays, where it has a letter or digit.
fn set_mark(text: &str, marks: Vec<Mark>, at: &Range<usize>, label: Label, role: Role) -> Vec<Mark> {
    let mut out = Vec::with_capacity(marks.len() + 1);
    for mark in marks {
        if !mark.overlaps(at) {
            out.push(mark);
            continue;
        }
        for piece in [mark.start..at.start, at.end..mark.end] {
            let Some(left) = text.get(piece.clone()) else { continue };
            let trimmed = left.trim_matches(|c: char| !c.is_alphanumeric());
            if piece.start < piece.end && !trimmed.is_empty() {
                let start = piece.start + left.find(trimmed).unwrap_or(0);
                out.push(Mark { start, end: start + trimmed.len(), ..mark.clone() });
            }
        }
    }
    out.push(Mark { start: at.start, end: at.end, label, role, by: By::Reviewer });
    out.sort_by_key(|m| m.start);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mark::check;
    use crate::mark::tests::read;

    fn print(text: &str, marks: &[Mark]) -> Vec<String> {
        check(text, marks).unwrap();
        marks.iter().map(|m| format!("{} {}", &text[m.range()], m.label)).collect()
    }

    fn at(text: &str, part: &str) -> Range<usize> {
        let start = text.find(part).unwrap();
        start..start + part.len()
    }

    #[test]
    fn a_new_mark_wins_and_what_is_left_of_others_stays() {
        let (text, marks) = read("M. [Jean Durand, Lyon](FamilyName) vu [hier](RelativeDate)");
        let add = |part, label| {
            let edit = Edit::Add { at: at(&text, part), label, role: Role::Patient };
            print(&text, &apply_edit(&text, &marks, &edit).unwrap().0)
        };
        assert_eq!(
            add("Durand", Label::FamilyName),
            ["Jean FamilyName", "Durand FamilyName", "Lyon FamilyName", "hier RelativeDate"]
        );
        assert_eq!(add("Lyon vu hier", Label::City), ["Jean Durand FamilyName", "Lyon vu hier City"]);
        let again = Edit::Add { at: at(&text, "hier"), label: Label::RelativeDate, role: Role::Unknown };
        assert_eq!(apply_edit(&text, &marks, &again).ok().unwrap().0, marks);
    }

    #[test]
    fn what_is_not_marked_cannot_be_changed_or_removed() {
        let (text, marks) = read("[Durand](FamilyName) et Durand");
        let remove = Edit::Remove { at: 10..16 };
        assert_eq!(apply_edit(&text, &marks, &remove).err().unwrap().code, "no_mark");
    }

    #[test]
    fn identical_text_follows_but_not_parts_of_words_or_other_marks() {
        let (text, marks) =
            read("Mme Ker. Vue : Ker, Kerlo, le [CHU Ker](Hospital), Mme KER, aKer, [Ker](City) ; Ker");
        let edit = Edit::Add { at: at(&text, "Ker"), label: Label::FamilyName, role: Role::Patient };
        let (marks, again) = apply_edit(&text, &marks, &edit).unwrap();
        let (marks, count) = repeat_edit(&text, &marks, &again);
        assert_eq!(count, 2);
        assert_eq!(
            print(&text, &marks),
            ["Ker FamilyName", "Ker FamilyName", "CHU Ker Hospital", "Ker City", "Ker FamilyName"]
        );
        let (_, none) = repeat_edit(&text, &marks, &again);
        assert_eq!(none, 0, "a second time changes nothing");
    }

    #[test]
    fn borders_move_alike_elsewhere() {
        let (text, marks) = read(
            "[LE](FamilyName) GALL, puis [LE](FamilyName) GALL et [LE](FamilyName) [GALL](City), LE GALL",
        );
        let edit = Edit::Change { from: 0..2, to: 0..7, label: Label::FamilyName, role: Role::Patient };
        let (marks, again) = apply_edit(&text, &marks, &edit).unwrap();
        let (marks, count) = repeat_edit(&text, &marks, &again);
        assert_eq!(count, 2);
        assert_eq!(
            print(&text, &marks),
            ["LE GALL FamilyName", "LE GALL FamilyName", "LE FamilyName", "GALL City", "LE GALL FamilyName"]
        );
        let (text, marks) = read("[de Nantes](City) ou [de Nantes](City)");
        let edit = Edit::Change { from: 0..9, to: 3..9, label: Label::City, role: Role::Unknown };
        let (marks, again) = apply_edit(&text, &marks, &edit).unwrap();
        assert_eq!(print(&text, &repeat_edit(&text, &marks, &again).0), ["Nantes City", "Nantes City"]);
    }

    #[test]
    fn removal_takes_the_same_text_of_the_same_label_only() {
        let (text, marks) = read("[Rose](GivenName) rouge, [Rose](GivenName), [Rose](City)");
        let (marks, again) = apply_edit(&text, &marks, &Edit::Remove { at: 0..4 }).unwrap();
        let (marks, count) = repeat_edit(&text, &marks, &again);
        assert_eq!((count, print(&text, &marks)), (1, vec!["Rose City".to_owned()]));
    }
}
