//! Somebody holds a register of people with what is known of them, and looks for each in the shared text.
//!
//! The register has an age band, sex, department, profession, rare disease and year of stay: what a neighbour, an employer or an
//! insurer knows. The attacker also knows what the policy changes: attributes that it invents anew are left out, and
//! values that it widens (a trade to its group, a town to its department) are widened in the register too. A value that is
//! hidden matches everybody. The attack succeeds when exactly one released letter matches, and it is the person's.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Success;
use taire_text::SplitMix64;

use crate::Share;

/// What the register holds of a person.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attribute {
    /// Age in bands of ten years.
    AgeBand,
    /// Sex.
    Sex,
    /// Department or province.
    Department,
    /// Profession.
    Profession,
    /// Families of diseases that few records name.
    RareDisease,
    /// Year of the stay.
    Year,
}

impl Attribute {
    /// All of them.
    pub const ALL: [Attribute; 6] = [
        Attribute::AgeBand,
        Attribute::Sex,
        Attribute::Department,
        Attribute::Profession,
        Attribute::RareDisease,
        Attribute::Year,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Attribute::AgeBand => "age band",
            Attribute::Sex => "sex",
            Attribute::Department => "department",
            Attribute::Profession => "profession",
            Attribute::RareDisease => "rare disease",
            Attribute::Year => "year of stay",
        }
    }
}

/// What one source shows of an attribute.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum AttributeValue {
    /// The document does not mention it.
    #[default]
    Absent,
    /// Something that was made unreadable.
    Hidden,
    /// A value.
    Shown(String),
}

impl std::fmt::Debug for AttributeValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            AttributeValue::Absent => "Absent",
            AttributeValue::Hidden => "Hidden",
            AttributeValue::Shown(_) => "Shown(..)",
        })
    }
}

/// A person of the register, and the letter that was shared.
#[derive(Clone, Default)]
pub struct RegisterPerson {
    /// In the register.
    pub truth: BTreeMap<Attribute, AttributeValue>,
    /// In the release.
    pub released: BTreeMap<Attribute, AttributeValue>,
}

impl std::fmt::Debug for RegisterPerson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegisterPerson").finish_non_exhaustive()
    }
}

/// How many people are singled out by the register.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Inference {
    /// In the originals: no other person of the register is alike in all attributes.
    pub before: Share,
    /// In the release.
    #[serde(flatten)]
    pub after: Success,
    /// The attributes that the release leaves usable.
    pub usable: Vec<&'static str>,
}

/// People searched for.
const SAMPLE: usize = 500;
/// A value must have so many holders to show what it is widened to.
const LEAST_HOLDERS: usize = 3;
/// The policy keeps an attribute when it matches for at least this share of people.
const KEPT: f64 = 0.5;

/// Looks for every person of the register in the release.
pub fn inference(people: &[RegisterPerson], seed: u64) -> Inference {
    let mut alike: BTreeMap<Vec<&AttributeValue>, usize> = BTreeMap::new();
    let whole = |p: &'_ RegisterPerson| -> Vec<AttributeValue> {
        Attribute::ALL.map(|t| value(&p.truth, t)).to_vec()
    };
    let rows: Vec<Vec<AttributeValue>> = people.iter().map(whole).collect();
    rows.iter().for_each(|row| *alike.entry(row.iter().collect()).or_default() += 1);
    let before = Share::of(rows.iter().map(|row| alike[&row.iter().collect::<Vec<_>>()] == 1));

    let usable: Vec<(Attribute, Widening)> = Attribute::ALL
        .into_iter()
        .map(|t| (t, Widening::learn(people, t)))
        .filter(|(t, widening)| widening.is_kept(people, *t))
        .collect();
    let widened_truth = |person: &RegisterPerson| -> Vec<AttributeValue> {
        usable.iter().map(|(t, widening)| widening.widen(&value(&person.truth, *t))).collect()
    };
    let shown: Vec<Vec<AttributeValue>> =
        people.iter().map(|p| usable.iter().map(|(t, _)| value(&p.released, *t)).collect()).collect();
    let sample = SplitMix64::new(seed).sample(people.len(), SAMPLE);
    let found = sample.into_iter().map(|at| {
        let sought = widened_truth(&people[at]);
        let fits = |row: &Vec<AttributeValue>| {
            row.iter().zip(&sought).all(|(shown, sought)| *shown == AttributeValue::Hidden || shown == sought)
        };
        let mut fitting = shown.iter().enumerate().filter(|(_, row)| fits(row)).map(|(i, _)| i);
        fitting.next() == Some(at) && fitting.next().is_none()
    });
    let attack = Share::of(found);
    Inference {
        before,
        after: Success { attack, blind: (!people.is_empty()).then(|| 1.0 / people.len() as f64) },
        usable: usable.iter().map(|(t, _)| t.name()).collect(),
    }
}

fn value(attributes: &BTreeMap<Attribute, AttributeValue>, which: Attribute) -> AttributeValue {
    attributes.get(&which).cloned().unwrap_or_default()
}

/// What the policy turns each value of an attribute into, where it is the same for all holders: known to an attacker who
/// knows the policy.
struct Widening(BTreeMap<AttributeValue, AttributeValue>);

impl Widening {
    fn learn(people: &[RegisterPerson], which: Attribute) -> Widening {
        let mut seen: BTreeMap<AttributeValue, BTreeMap<AttributeValue, usize>> = BTreeMap::new();
        for person in people {
            let (truth, released) = (value(&person.truth, which), value(&person.released, which));
            *seen.entry(truth).or_default().entry(released).or_default() += 1;
        }
        let widened = seen.into_iter().filter_map(|(truth, released)| {
            let holders: usize = released.values().sum();
            let (to, n) = released.into_iter().max_by_key(|(_, n)| *n)?;
            (holders >= LEAST_HOLDERS && 5 * n >= 4 * holders).then_some((truth, to))
        });
        Widening(widened.collect())
    }

    fn widen(&self, truth: &AttributeValue) -> AttributeValue {
        self.0.get(truth).unwrap_or(truth).clone()
    }

    fn is_kept(&self, people: &[RegisterPerson], which: Attribute) -> bool {
        let pairs = people.iter().map(|p| (value(&p.truth, which), value(&p.released, which)));
        let present = pairs.filter(|(truth, _)| *truth != AttributeValue::Absent);
        let kept = Share::of(present.map(|(t, r)| r == AttributeValue::Hidden || self.widen(&t) == r));
        kept.tries > 0 && kept.share >= KEPT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(released: impl Fn(Attribute, usize) -> AttributeValue) -> Vec<RegisterPerson> {
        let mut draw = SplitMix64::new(6);
        (0..400)
            .map(|_| {
                let values: Vec<(Attribute, usize)> = [
                    (Attribute::AgeBand, 9),
                    (Attribute::Sex, 2),
                    (Attribute::Profession, 20),
                    (Attribute::Department, 8),
                ]
                .map(|(t, n)| (t, draw.below(n)))
                .to_vec();
                RegisterPerson {
                    truth: values.iter().map(|(t, v)| (*t, AttributeValue::Shown(v.to_string()))).collect(),
                    released: values.iter().map(|(t, v)| (*t, released(*t, *v))).collect(),
                }
            })
            .collect()
    }

    #[test]
    fn what_is_kept_singles_people_out() {
        let found = inference(&people(|_, v| AttributeValue::Shown(v.to_string())), 1);
        assert!(found.before.share > 0.7 && found.after.attack.share > 0.7, "{}", found.after);
        assert_eq!(found.usable, ["age band", "sex", "department", "profession"]);
    }

    #[test]
    fn wide_and_hidden_values_single_out_few() {
        let found = inference(
            &people(|t, v| match t {
                Attribute::Profession if v > 10 => AttributeValue::Hidden,
                Attribute::Profession => AttributeValue::Shown("worker".into()),
                Attribute::Department => AttributeValue::Shown(format!("invented {}", v * 7919 % 13)),
                _ => AttributeValue::Shown((v / 4).to_string()),
            }),
            1,
        );
        assert!(found.after.attack.share < 0.25, "{}", found.after);
    }
}
