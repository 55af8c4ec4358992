//! k-anonymity over what is left in released documents: how many share the same age, sex, town, year, profession and
//! rare disease (Sweeney, 2002). A value that a document does not hold is a value like another: its absence is seen too.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::share::Share;

/// What may single somebody out together with the rest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quasi {
    /// Age in years.
    Age,
    /// Sex.
    Sex,
    /// The first town that is named.
    Town,
    /// Year of the document.
    Year,
    /// Profession.
    Profession,
    /// Diseases that few documents name.
    RareDisease,
}

impl Quasi {
    /// All of them.
    pub const ALL: [Quasi; 6] =
        [Quasi::Age, Quasi::Sex, Quasi::Town, Quasi::Year, Quasi::Profession, Quasi::RareDisease];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Quasi::Age => "age",
            Quasi::Sex => "sex",
            Quasi::Town => "town",
            Quasi::Year => "year",
            Quasi::Profession => "profession",
            Quasi::RareDisease => "rare disease",
        }
    }
}

/// One document, or one patient, with its quasi-identifiers. The values never leave this crate.
#[derive(Clone, Default)]
pub struct Profile {
    /// The document.
    pub id: String,
    /// What it shows.
    pub values: BTreeMap<Quasi, String>,
}

impl std::fmt::Debug for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Profile").finish_non_exhaustive()
    }
}

/// How well profiles hide behind each other.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Anonymity {
    /// Documents.
    pub profiles: usize,
    /// Groups of documents that show the same.
    pub groups: usize,
    /// Size of the smallest group.
    pub k: usize,
    /// Documents that no other looks like.
    pub alone: Share,
    /// Documents in groups of fewer than five.
    pub in_groups_below_5: Share,
    /// Who is alone when one quasi-identifier is left out: what each gives away.
    pub alone_without: BTreeMap<&'static str, Share>,
    /// The smallest groups, by the ids of what they hold.
    pub smallest: Vec<Vec<String>>,
}

/// Groups listed for a person to look at.
const LISTED: usize = 20;

/// Groups documents that show the same.
pub fn anonymity(profiles: &[Profile]) -> Anonymity {
    let groups = groups(profiles, None);
    let mut smallest: Vec<&Vec<usize>> = groups.values().collect();
    smallest.sort_by_key(|g| (g.len(), g[0]));
    let listed = smallest.iter().take_while(|g| g.len() < 5).take(LISTED);
    Anonymity {
        profiles: profiles.len(),
        groups: groups.len(),
        k: smallest.first().map_or(0, |g| g.len()),
        alone: below(&groups, 2),
        in_groups_below_5: below(&groups, 5),
        alone_without: Quasi::ALL
            .map(|q| (q.name(), below(&self::groups(profiles, Some(q)), 2)))
            .into_iter()
            .collect(),
        smallest: listed.map(|g| g.iter().map(|&i| profiles[i].id.clone()).collect()).collect(),
    }
}

type Key<'a> = Vec<(Quasi, &'a str)>;

fn groups(profiles: &[Profile], without: Option<Quasi>) -> BTreeMap<Key<'_>, Vec<usize>> {
    let mut out: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    for (i, profile) in profiles.iter().enumerate() {
        let seen = profile.values.iter().filter(|(q, _)| Some(**q) != without);
        out.entry(seen.map(|(q, v)| (*q, v.as_str())).collect()).or_default().push(i);
    }
    out
}

fn below(groups: &BTreeMap<Key<'_>, Vec<usize>>, size: usize) -> Share {
    let count = |keep: &dyn Fn(usize) -> bool| -> u64 {
        groups.values().map(Vec::len).filter(|&n| keep(n)).map(|n| n as u64).sum()
    };
    Share::new(count(&|n| n < size), count(&|_| true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(id: &str, age: &str, town: &str) -> Profile {
        let values = [(Quasi::Age, age.to_owned()), (Quasi::Town, town.to_owned())];
        Profile { id: id.to_owned(), values: values.into_iter().collect() }
    }

    #[test]
    fn the_one_who_differs_is_alone_and_named_by_document() {
        let mut all: Vec<Profile> = (0..6).map(|i| profile(&format!("d{i}"), "70", "Lyon")).collect();
        all.push(profile("d6", "70", "Bermont"));
        let found = anonymity(&all);
        assert_eq!((found.k, found.groups, found.alone.hits), (1, 2, 1));
        assert_eq!(found.smallest, vec![vec!["d6".to_owned()]]);
        assert_eq!(found.alone_without["town"].hits, 0);
        assert_eq!(found.alone_without["age"].hits, 1);
    }
}
