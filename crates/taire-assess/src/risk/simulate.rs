//! What a policy makes of documents that an attacker asks for again: rewritten here, with a key of this program's own.
//!
//! Documents are rebuilt from their dates and ages alone, which is all that these attacks look at.

use taire_surrogate::Rewriter;
use taire_text::{Entity, Label, Note, PatientId, Role};

use super::observe::{Observed, certain, day_of};
use super::threats::interval;
use crate::attacks::{Moved, SharedName};
use taire_text::SplitMix64;

/// Letters that are corrected.
const LETTERS: usize = 200;
/// How often each is corrected.
const CORRECTIONS: usize = 8;
/// Pairs of letters with one file name.
const PAIRS: usize = 200;

/// A document of some dates and ages.
struct Rebuilt {
    note: Note,
    entities: Vec<Entity>,
}

/// A date or an age, and its day before and after, where it is one.
struct RebuiltDay {
    label: Label,
    before: Option<i32>,
    after: Option<i32>,
}

impl Rebuilt {
    fn new(observed: &Observed, id: &str, patient: Option<&str>, added: &[String]) -> Option<Rebuilt> {
        let mut text = String::new();
        let mut entities = Vec::new();
        let own = observed.found.iter().map(|f| (f.label, f.role, f.text.as_str()));
        let added = added.iter().map(|date| (Label::Date, Role::Unknown, date.as_str()));
        for (label, role, value) in own.chain(added) {
            if matches!(label, Label::Date | Label::BirthDate | Label::Age) {
                let start = text.len();
                text += value;
                entities.push(certain(label, role, start, text.len()));
                text += ".\n";
            }
        }
        let note = Note::builder(id, text)
            .patient(patient.and_then(PatientId::parse))
            .date(observed.date)
            .language(Some(observed.language));
        Some(Rebuilt { note: note.build().ok()?, entities })
    }

    fn rewrite(&self, rewriter: &Rewriter) -> Option<Vec<RebuiltDay>> {
        let rewritten = rewriter.rewrite(&self.note, &self.entities).ok()?;
        let day = |text: &str| day_of(text, self.note.language);
        let value = |e: &Entity| {
            let own = e.span.of(self.note.raw());
            let new = rewritten.replacements.iter().find(|r| r.span == e.span).map_or(own, |r| &r.text);
            RebuiltDay { label: e.label, before: day(own), after: day(new) }
        };
        Some(self.entities.iter().map(value).collect())
    }
}

/// By how many days each version of a letter is wrong about its interval, the uncorrected version first.
pub(super) fn corrections(rewriter: &Rewriter, originals: &[&Observed], seed: u64) -> Vec<Vec<i32>> {
    let able: Vec<&Observed> = originals.iter().copied().filter(|o| has_interval(o)).collect();
    let mut out = Vec::new();
    for at in SplitMix64::new(seed).sample(able.len(), LETTERS) {
        let letter = able[at];
        let error = |corrections: usize| {
            let added: Vec<String> =
                (0..corrections).map(|i| format!("{:02}/03/{}", i + 1, 1961 + 3 * i)).collect();
            let version = Rebuilt::new(letter, &letter.id, letter.patient.as_deref(), &added)?;
            let days = version.rewrite(rewriter)?;
            let before = interval(days.iter().map(|d| (d.label, d.before)))?;
            Some(interval(days.iter().map(|d| (d.label, d.after)))? - before)
        };
        out.push((0..=CORRECTIONS).filter_map(error).collect());
    }
    out
}

fn has_interval(observed: &Observed) -> bool {
    interval(observed.found.iter().map(|f| (f.label, f.day)).collect::<Vec<_>>().into_iter()).is_some()
}

/// Documents of different records under one file name and without a patient, then under names of their own.
pub(super) fn shared_names(
    rewriter: &Rewriter,
    originals: &[&Observed],
    seed: u64,
) -> (Vec<SharedName>, Vec<SharedName>) {
    let able: Vec<&Observed> =
        originals.iter().copied().filter(|o| o.spans_of(Label::Date).any(|f| f.day.is_some())).collect();
    let first_date = |observed: &Observed, id: &str| -> Option<Moved> {
        let days = Rebuilt::new(observed, id, None, &[])?.rewrite(rewriter)?;
        let mut dates = days.into_iter().filter(|d| d.label == Label::Date);
        dates.find_map(|d| Some(Moved { true_day: d.before?, released: d.after? }))
    };
    let (mut same, mut strangers) = (Vec::new(), Vec::new());
    let sample: Vec<&Observed> =
        SplitMix64::new(seed).sample(able.len(), 2 * PAIRS).into_iter().map(|i| able[i]).collect();
    for pair in sample.windows(2).filter(|w| w[0].record() != w[1].record()) {
        let both = |a: &str, b: &str| {
            Some(SharedName { known: first_date(pair[0], a)?, sought: first_date(pair[1], b)? })
        };
        same.extend(both("lettre.txt", "lettre.txt"));
        strangers.extend(both("a.txt", "b.txt"));
    }
    (same, strangers)
}
