//! Sex and kinship by randomised response, where a policy asks for it (`[rewrite.response]`).
//!
//! The truth is told with probability e^ε / (e^ε + k − 1), else any other of the k choices. One draw holds for its value
//! in the whole scope, and is paid for once a document. A relation keeps its gender, so that the words around it agree;
//! the grammar of a text still tells a sex that its `Sexe :` line hides, which the report says.

use std::cell::RefCell;
use std::collections::BTreeMap;

use taire_lang::Vocabulary;
use taire_privacy::{Mechanism, RandomisedResponse};
use taire_text::{Label, Language, fold};

use crate::account::{Account, Release};
use crate::key::{Purpose, Scope, Streams};
use crate::shape;

pub(crate) struct Responses<'a> {
    streams: &'a Streams,
    scope: Scope<'a>,
    language: Language,
    epsilons: &'a BTreeMap<Label, f64>,
    account: &'a Account,
    drawn: RefCell<BTreeMap<(Label, usize, usize), Option<usize>>>,
}

impl<'a> Responses<'a> {
    pub(crate) fn new(
        streams: &'a Streams,
        scope: Scope<'a>,
        language: Language,
        epsilons: &'a BTreeMap<Label, f64>,
        account: &'a Account,
    ) -> Responses<'a> {
        Responses { streams, scope, language, epsilons, account, drawn: RefCell::default() }
    }

    /// The response for one of `choices`; `None` when the policy asks for none or the budget refuses it. `group` keeps
    /// apart what is answered apart.
    fn respond(&self, label: Label, group: usize, truth: usize, choices: usize) -> Option<usize> {
        let eps = *self.epsilons.get(&label)?;
        let known = self.drawn.borrow().get(&(label, group, truth)).copied();
        known.unwrap_or_else(|| {
            let mechanism = RandomisedResponse::new(eps, choices).ok()?;
            let value = format!("{} {group} {truth} of {choices} at {eps}", label.name());
            let mut draw = self.streams.draw(Purpose::Response, self.scope, &value);
            let what = if label == Label::Sex { "sexes" } else { "relations of one gender" };
            let loss = mechanism.loss().about(what);
            let paid = self.account.spend(&[Release { label, loss, draw: self.scope.shared(draw.id()) }]);
            let said = paid.then(|| mechanism.release(&truth, draw.rng()));
            self.drawn.borrow_mut().insert((label, group, truth), said);
            said
        })
    }

    /// The first digit of a social security number, which tells the sex; as it was where no response is asked for.
    pub(crate) fn sex_digit(&self, digit: char) -> Option<char> {
        let truth = match digit {
            _ if !self.epsilons.contains_key(&Label::Sex) => return Some(digit),
            '1' => 1,
            '2' => 0,
            _ => return None,
        };
        self.respond(Label::Sex, 0, truth, 2).map(|said| if said == 1 { '1' } else { '2' })
    }

    /// `Sexe : F`, `varón`.
    pub(crate) fn sex(&self, text: &str) -> Option<String> {
        let folded = fold(text.trim());
        let pairs = Vocabulary::of(self.language).sexes();
        let (truth, pair) = pairs.iter().find_map(|pair| {
            let at = pair.iter().position(|w| fold(w) == folded)?;
            Some((at, pair))
        })?;
        let said = self.respond(Label::Sex, 0, truth, 2)?;
        Some(if said == truth { text.to_owned() } else { shape::dress(&pair[said], text) })
    }

    /// `sa sœur`, `sus hijos`: another relation of the same gender, or the same one.
    pub(crate) fn kinship(&self, text: &str) -> Option<String> {
        let folded = fold(text.trim());
        let table = Vocabulary::of(self.language).relations();
        let find = |word: &str| {
            let place = |gender: usize| {
                table
                    .iter()
                    .position(|row| row[gender].iter().any(|w| fold(w) == word))
                    .map(|at| (at, gender))
            };
            place(0).or_else(|| place(1))
        };
        let plural = |word: &str| word.strip_suffix('s').and_then(find);
        let (truth, gender, many) = match find(&folded) {
            Some((truth, gender)) => (truth, gender, false),
            None => plural(&folded).map(|(truth, gender)| (truth, gender, true))?,
        };
        let said = self.respond(Label::Kinship, gender, truth, table.len())?;
        if said == truth {
            return Some(text.to_owned());
        }
        let word = &table[said][gender][0];
        let ending = if many && !word.ends_with('s') { "s" } else { "" };
        Some(shape::dress(&format!("{word}{ending}"), text))
    }

    /// Whether a relation is a woman's, for the possessive before it.
    pub(crate) fn is_woman(word: &str, language: Language) -> bool {
        let folded = fold(word);
        let folded = folded.trim_end_matches('s');
        Vocabulary::of(language).relations().iter().any(|row| row[0].iter().any(|w| fold(w) == folded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::test_streams;
    use taire_privacy::Budget;

    fn with<T>(
        seed: u8,
        patient: &str,
        eps: f64,
        budget: Budget,
        run: impl Fn(&Responses<'_>) -> T,
    ) -> (T, Vec<Release>) {
        let streams = test_streams(seed);
        let account = Account::new(budget);
        let epsilons = BTreeMap::from([(Label::Sex, eps), (Label::Kinship, eps)]);
        let out = {
            let responses =
                Responses::new(&streams, Scope::Patient(patient), Language::Fr, &epsilons, &account);
            run(&responses)
        };
        (out, account.into_releases())
    }

    #[test]
    fn the_truth_comes_out_as_often_as_the_mechanism_says() {
        let patients: Vec<String> = (0..2000).map(|i| i.to_string()).collect();
        let honest = patients
            .iter()
            .filter(|p| {
                let (said, losses) = with(3, p, 1.0, Budget::default(), |r| {
                    let said = r.sex("F").unwrap();
                    assert_eq!(r.sex("femme").unwrap() == "femme", said == "F", "one draw for all mentions");
                    assert_eq!(r.sex_digit('2').unwrap() == '2', said == "F");
                    said
                });
                assert_eq!(losses.len(), 1, "paid once");
                assert!((losses[0].loss.epsilon() - 1.0).abs() < 1e-6);
                said == "F"
            })
            .count();
        // e / (e + 1) of 2000 is 1462; six standard deviations are 119.
        assert!((1343..1582).contains(&honest), "{honest}");
    }

    #[test]
    fn relations_keep_their_gender_number_and_case() {
        let mut changed = 0;
        for seed in 0..60 {
            let (words, _) = with(seed, "p", 0.5, Budget::default(), |r| {
                ["sœur", "SOEUR", "sœurs", "frère"].map(|w| r.kinship(w).unwrap())
            });
            assert!(
                Responses::is_woman(&words[0], Language::Fr) && !Responses::is_woman(&words[3], Language::Fr),
                "{words:?}"
            );
            assert_eq!(words[1], words[1].to_uppercase());
            assert!(words[2].ends_with('s'));
            changed += usize::from(words[0] != "sœur");
        }
        assert!(changed > 30, "{changed} of 60 changed");
    }

    #[test]
    fn a_spent_budget_gives_nothing() {
        let budget = Budget { pure: Some(0.5), ..Budget::default() };
        let (said, losses) = with(1, "p", 1.0, budget, |r| (r.sex("F"), r.sex_digit('2')));
        assert_eq!(said, (None, None));
        assert!(losses.is_empty());
        assert_eq!(with(1, "p", 1.0, Budget::default(), |r| r.kinship("voisine")).0, None);
    }
}
