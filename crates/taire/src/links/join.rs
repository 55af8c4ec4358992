//! Which nodes are one person's. Groups are taken in the order of their keys, never of the documents.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use taire_detect::{NumberKind, ShortBirth};
use taire_text::PatientId;

use super::{
    BIRTH, Fact, GIVEN, KeyKind, NAME, NUMBER, Node, PATIENT, SEX, SHORT_BIRTH, SHORT_NAME, fact_kind,
};

/// A day as a number.
pub(super) fn day_number(day: Date) -> u64 {
    (u64::from(day.year().unsigned_abs()) * 12 + day.month() as u64) * 31 + day.day() as u64
}

/// A day of a year without its century, as a number.
pub(super) fn short_day_number(birth: ShortBirth) -> u64 {
    (u64::from(birth.year) * 12 + u64::from(birth.month)) * 31 + u64::from(birth.day)
}

/// Adds sorted facts to sorted facts.
pub(super) fn add_facts(own: &mut Vec<Fact>, new: &[Fact]) {
    /// A patient with more facts than this is a register, not a person.
    const MOST: usize = 64;
    for fact in new {
        if let Err(at) = own.binary_search(fact) {
            own.insert(at, *fact);
        }
    }
    own.truncate(MOST);
}

fn of_kind(facts: &[Fact], kind: u8) -> &[Fact] {
    let from = facts.partition_point(|f| fact_kind(*f) < kind);
    let to = facts.partition_point(|f| fact_kind(*f) <= kind);
    &facts[from..to]
}

/// Whether a kind of fact says that two are not one person.
fn differ(a: &[Fact], b: &[Fact], kind: u8) -> bool {
    let (a, b) = (of_kind(a, kind), of_kind(b, kind));
    !a.is_empty() && !b.is_empty() && !a.iter().any(|fact| b.contains(fact))
}

/// Whether nothing forbids that two are one person. Social security numbers are shared in families, so that what they
/// join must not differ in given names.
fn compatible(a: &[Fact], b: &[Fact], social: bool) -> bool {
    let numbers = NumberKind::ALL.iter().map(|&kind| NUMBER + kind as u8);
    let given = social.then_some(GIVEN);
    [BIRTH, SHORT_BIRTH, SEX, PATIENT].into_iter().chain(given).chain(numbers).all(|kind| !differ(a, b, kind))
}

fn all_compatible(nodes: &[Node], members: &[u32], social: bool) -> bool {
    let facts = |i: u32| nodes[i as usize].facts.as_slice();
    let pairs = members.iter().enumerate().flat_map(|(i, &a)| members[i + 1..].iter().map(move |&b| (a, b)));
    pairs.into_iter().all(|(a, b)| compatible(facts(a), facts(b), social))
}

fn root(nodes: &[Node], mut at: u32) -> u32 {
    while nodes[at as usize].root != at {
        at = nodes[at as usize].root;
    }
    at
}

/// The name a record would have by this node: the strongest kind of key, then the smallest key.
fn rank(node: &Node) -> (KeyKind, &str, u32) {
    (node.kind, &node.key, node.apart)
}

/// Makes one record of several.
fn unite(nodes: &mut [Node], members: &[u32], via: Option<KeyKind>) {
    let roots: BTreeSet<u32> = members.iter().map(|&m| root(nodes, m)).collect();
    let Some(&first) = roots.first() else { return };
    for &other in roots.iter().skip(1) {
        let facts = std::mem::take(&mut nodes[other as usize].facts);
        add_facts(&mut nodes[first as usize].facts, &facts);
        let (a, b) = (nodes[first as usize].best, nodes[other as usize].best);
        if rank(&nodes[b as usize]) < rank(&nodes[a as usize]) {
            nodes[first as usize].best = b;
        }
        let older = nodes[other as usize].via;
        nodes[first as usize].via = nodes[first as usize].via.max(via).max(older);
        nodes[other as usize].root = first;
    }
}

/// Joins nodes that are one person's.
pub(super) fn join(nodes: &mut [Node]) {
    join_equal_keys(nodes);
    join_by_fact(nodes, NUMBER + NumberKind::Social as u8, KeyKind::Number(NumberKind::Social));
    join_by_fact(nodes, NUMBER + NumberKind::Card as u8, KeyKind::Number(NumberKind::Card));
    for kind in [NumberKind::Ipp, NumberKind::Nhc, NumberKind::Patient] {
        join_by_fact(nodes, NUMBER + kind as u8, KeyKind::Number(kind));
    }
    join_by_fact(nodes, NAME, KeyKind::Name);
    join_by_fact(nodes, SHORT_NAME, KeyKind::NameShortYear);
    for i in 0..nodes.len() {
        nodes[i].root = root(nodes, i as u32);
    }
}

/// Nodes of one number or one name that differ in birth date or sex, and the patient whose id is that number.
fn join_equal_keys(nodes: &mut [Node]) {
    let plain = |key: &str| -> String {
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
    };
    let mut groups: BTreeMap<(u8, String), Vec<u32>> = BTreeMap::new();
    for (i, node) in nodes.iter().enumerate() {
        let group = match node.kind {
            KeyKind::Patient => (0, plain(&node.key)),
            KeyKind::Number(kind) if kind.is_local() => (0, plain(&node.key)),
            KeyKind::Number(kind) => (1 + kind as u8, node.key.to_string()),
            KeyKind::Name | KeyKind::NameShortYear => (u8::MAX, node.key.to_string()),
        };
        groups.entry(group).or_default().push(i as u32);
    }
    for ((class, _), members) in groups {
        let social = class == 1 + NumberKind::Social as u8;
        if members.len() < 2 {
            continue;
        }
        if all_compatible(nodes, &members, social) {
            unite(nodes, &members, None);
            continue;
        }
        split(nodes, &members);
    }
}

/// One number or name of people who are not one: each keeps apart, and who cannot be told is alone. Where one is the
/// patient of that id, those who were born on the same day are that patient.
fn split(nodes: &mut [Node], members: &[u32]) {
    let patients: Vec<u32> =
        members.iter().copied().filter(|&m| nodes[m as usize].kind == KeyKind::Patient).collect();
    for &member in members {
        let node = &nodes[member as usize];
        if node.kind == KeyKind::Patient {
            continue;
        }
        let shares_birth = |patient: &u32| {
            let other = &nodes[*patient as usize].facts;
            let births = of_kind(&node.facts, BIRTH);
            births.iter().any(|birth| of_kind(other, BIRTH).contains(birth))
                && compatible(&node.facts, other, false)
        };
        match (patients.as_slice(), patients.first().is_some_and(shares_birth)) {
            ([patient], true) => unite(nodes, &[*patient, member], None),
            _ => {
                let node = &mut nodes[member as usize];
                node.split = true;
                node.alone = node.apart == 0;
            }
        }
    }
}

/// Records that share a fact are one, unless two of them contradict each other: then none is joined by it, and who is known
/// by that fact alone is alone.
fn join_by_fact(nodes: &mut [Node], kind: u8, via: KeyKind) {
    let social = kind == NUMBER + NumberKind::Social as u8;
    let mut shared: Vec<(Fact, u32)> = Vec::new();
    for (i, node) in nodes.iter().enumerate().filter(|(i, node)| node.root == *i as u32 && !node.alone) {
        shared.extend(of_kind(&node.facts, kind).iter().map(|&fact| (fact, i as u32)));
    }
    shared.sort_unstable();
    for group in shared.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        let roots: BTreeSet<u32> = group.iter().map(|&(_, node)| root(nodes, node)).collect();
        let roots: Vec<u32> = roots.into_iter().collect();
        if all_compatible(nodes, &roots, social) {
            unite(nodes, &roots, Some(via));
            continue;
        }
        for &(_, node) in group {
            let own = &mut nodes[node as usize];
            // Those whom their sex tells apart stay records of their own.
            let by_name = matches!(via, KeyKind::Name | KeyKind::NameShortYear);
            if own.kind == via && own.root == node && by_name && !own.split {
                own.alone = true;
            }
        }
    }
}

/// Documents of each record, by its root.
pub(super) fn documents_by_root(nodes: &[Node]) -> Vec<u32> {
    let mut all = vec![0; nodes.len()];
    nodes.iter().filter(|node| !node.alone).for_each(|node| all[node.root as usize] += node.documents);
    all
}

/// The name of a node's record: the patient id, or what follows from the strongest number or name in it, so that letters
/// that come in a later run have the same.
pub(super) fn scope(nodes: &[Node], node: usize) -> Option<PatientId> {
    if nodes[node].alone {
        return None;
    }
    let best = &nodes[nodes[nodes[node].root as usize].best as usize];
    match best.split {
        true => PatientId::parse(&format!("{} {:08x}", best.key, best.apart)),
        false => PatientId::parse(&best.key),
    }
}
