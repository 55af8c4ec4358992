//! What surrogates are drawn from: names that many people bear, streets that many towns have.

use taire_text::Gender;

/// Lists in the spelling they are written with; names most frequent first.
#[derive(Debug, Default)]
pub struct Pools {
    female: Vec<&'static str>,
    male: Vec<&'static str>,
    family: Vec<&'static str>,
    streets: Vec<&'static str>,
    hospitals: Vec<&'static str>,
    centres: Vec<&'static str>,
    institutions: Vec<&'static str>,
}

impl Pools {
    pub(crate) fn parse(text: &'static str) -> Pools {
        let mut pools = Pools::default();
        let mut nowhere = Vec::new();
        let mut list = &mut nowhere;
        for line in text.lines() {
            match line {
                "[female]" => list = &mut pools.female,
                "[male]" => list = &mut pools.male,
                "[family]" => list = &mut pools.family,
                "[streets]" => list = &mut pools.streets,
                "[hospitals]" => list = &mut pools.hospitals,
                "[centres]" => list = &mut pools.centres,
                "[institutions]" => list = &mut pools.institutions,
                entry => list.push(entry),
            }
        }
        pools
    }

    /// Given names of one sex, most frequent first.
    pub fn given(&self, gender: Gender) -> &[&'static str] {
        match gender {
            Gender::Female => &self.female,
            Gender::Male => &self.male,
        }
    }

    /// Family names, most frequent first.
    pub fn family(&self) -> &[&'static str] {
        &self.family
    }

    /// Streets with their type: `rue des Lilas`, `calle Mayor`.
    pub fn streets(&self) -> &[&'static str] {
        &self.streets
    }

    pub fn hospitals(&self) -> &[&'static str] {
        &self.hospitals
    }

    pub fn health_centres(&self) -> &[&'static str] {
        &self.centres
    }

    pub fn institutions(&self) -> &[&'static str] {
        &self.institutions
    }
}
