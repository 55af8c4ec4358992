//! The student reads everything, the transformer only what the student leaves in doubt.
//!
//! What either finds is found, so the transformer can add something only where the student found nothing. It reads the
//! words to which the student gives some chance of being part of an identifier, and the words of rules' mentions that the
//! student does not confirm, with the words around them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use taire_detect::Detector;
use taire_text::{Mention, Note, Source};

use crate::detector::append_found;
use crate::{StudentDetector, TransformerDetector};

/// Two detectors of which the second reads what the first leaves in doubt. Their mentions are those of either.
#[derive(Debug)]
pub struct Cascade {
    student: StudentDetector,
    transformer: TransformerDetector,
    /// The chance of being part of an identifier from which a word is in doubt.
    least: f32,
    share: Arc<ReadShare>,
}

/// A word with this chance of being part of an identifier is found by the student without doubt.
const SURE: f32 = 0.98;
/// A rule's mention without a word of this chance is not confirmed.
const CONFIRMED: f32 = 0.5;

/// How much of the text the transformer read.
#[derive(Default, Debug)]
pub struct ReadShare {
    read: AtomicU64,
    all: AtomicU64,
}

impl ReadShare {
    pub(crate) fn add(&self, read: usize, all: usize) {
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        self.all.fetch_add(all as u64, Ordering::Relaxed);
    }

    /// Words that the transformer read, those read as context included, over all words; `None` before the first.
    pub fn value(&self) -> Option<f64> {
        let (read, all) = (self.read.load(Ordering::Relaxed), self.all.load(Ordering::Relaxed));
        (all > 0).then(|| read as f64 / all as f64)
    }
}

impl Cascade {
    /// `least` is the chance, by the student, from which a word is in doubt.
    pub fn new(student: StudentDetector, transformer: TransformerDetector, least: f32) -> Cascade {
        Cascade { student, transformer, least, share: Arc::default() }
    }

    /// Counts while the detector is used.
    pub fn share(&self) -> Arc<ReadShare> {
        Arc::clone(&self.share)
    }

    /// Whether each token is in doubt.
    fn doubts(&self, note: &Note, rules: &[Mention], chances: &[f32]) -> Vec<bool> {
        let mut doubts: Vec<bool> = chances.iter().map(|p| (self.least..SURE).contains(p)).collect();
        for mention in rules.iter().filter(|m| m.label().is_some()) {
            let span = note.to_norm(mention.span);
            let from = note.tokens.partition_point(|t| t.end() <= span.start());
            let to = note.tokens.partition_point(|t| t.start() < span.end());
            if chances[from..to].iter().all(|&p| p < CONFIRMED) {
                doubts[from..to].fill(true);
            }
        }
        doubts
    }
}

impl Detector for Cascade {
    fn source(&self) -> Source {
        Source::Transformer
    }

    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), taire_detect::Error> {
        let mut chances = Vec::new();
        append_found(notes, out, |note, before, found| {
            self.student.find(note, before, Some(&mut chances), found);
            let doubts = self.doubts(note, before, &chances);
            self.transformer.find(note, before, Some((&doubts, &self.share)), found);
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::Language;

    fn cascade(least: f32) -> Cascade {
        let (student, teacher) = (StudentDetector::shipped(), TransformerDetector::shipped());
        Cascade::new(student.unwrap(), teacher.unwrap(), least)
    }

    fn mentions(detector: &dyn Detector, note: &Note) -> Vec<Mention> {
        let mut out = vec![Vec::new()];
        detector.detect(std::slice::from_ref(note), &mut out).unwrap();
        out.remove(0)
    }

    #[test]
    fn what_the_student_finds_stays_and_quiet_text_is_not_read() {
        let mut text =
            String::from("Cher confrère,\nj'ai revu Madame Odile BRANCHEREAU, née le 02/07/1951.\n");
        for _ in 0..60 {
            text.push_str("L'abdomen est souple, dépressible et indolore, sans masse palpable ni défense.\n");
        }
        let note = Note::builder("a", &text).language(Some(Language::Fr)).build().unwrap();
        let cascade = cascade(0.5);
        let found = mentions(&cascade, &note);
        let student = mentions(&cascade.student, &note);
        assert!(!student.is_empty() && student.iter().all(|m| found.contains(m)));
        let share = cascade.share().value().unwrap();
        assert!(share < 0.5, "{share}");
        assert_eq!(found, mentions(&cascade, &note));
    }

    #[test]
    fn a_rules_mention_that_the_student_does_not_confirm_is_in_doubt() {
        let text = "Adressé par Tilleul ce jour.";
        let note = Note::builder("a", text).language(Some(Language::Fr)).build().unwrap();
        let at = text.find("Tilleul").unwrap();
        let span = taire_text::Span::new(at, at + "Tilleul".len());
        let rule = Mention::phi(span, taire_text::Label::FamilyName, 0.6, Source::Lexicon, "a name");
        let chances = vec![0.001; note.tokens.len()];
        let cascade = cascade(0.1);
        assert!(cascade.doubts(&note, &[], &chances).iter().all(|d| !d));
        let doubts = cascade.doubts(&note, &[rule], &chances);
        assert_eq!(doubts.iter().filter(|d| **d).count(), 1);
    }
}
