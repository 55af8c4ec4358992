//! Choices of a policy that cannot work, each with its key and what to do.

use taire_surrogate::{Action, SecretKey};
use taire_text::{Label, Source};

use super::{Detect, Parts, Policy, SourceKey};
use crate::{Engine, Error};

impl Policy {
    pub(super) fn check(&self) -> Result<(), Error> {
        self.check_thresholds()?;
        self.check_sources()?;
        self.check_models()?;
        self.own_rules_without_files()?;
        self.rewrite.check()?;
        Ok(())
    }

    fn check_thresholds(&self) -> Result<(), Error> {
        let Detect { threshold, thresholds, source_thresholds, patterns, .. } = &self.detect;
        let scores = patterns.iter().map(|p| &p.score);
        for threshold in
            thresholds.values().chain(source_thresholds.values()).chain([threshold]).chain(scores)
        {
            if !(0.0..=1.0).contains(threshold) {
                return Err(Error::policy(format!(
                    "threshold {threshold} of detect must be between 0 and 1"
                )));
            }
        }
        if let Some(share) = self.detect.pool {
            if !(0.0..=1.0).contains(&share) {
                return Err(Error::policy(format!("detect.pool is {share}; it must be between 0 and 1")));
            }
            if !self.looks(Source::Crf) || !self.looks(Source::Transformer) {
                return Err(Error::policy(
                    "detect.pool lets `crf` and `transformer` decide together, but detect.sources does not name both",
                ));
            }
        }
        if let Some(least) = self.detect.cascade {
            if !(0.0..=1.0).contains(&least) {
                return Err(Error::policy(format!("detect.cascade is {least}; it must be between 0 and 1")));
            }
            if !self.looks(Source::Student) || !self.looks(Source::Transformer) {
                return Err(Error::policy(
                    "detect.cascade lets `transformer` read what `student` leaves in doubt, but detect.sources does \
                     not name both",
                ));
            }
            if self.detect.pool.is_some() {
                return Err(Error::policy(
                    "detect.cascade and detect.pool exclude each other: with a pool the transformer reads everything",
                ));
            }
        }
        Ok(())
    }

    fn check_sources(&self) -> Result<(), Error> {
        let Detect { sources, allow_lists, .. } = &self.detect;
        if sources.is_empty() {
            return Err(Error::policy(
                "detect.sources is empty: nothing would be found and every document would pass as it is",
            ));
        }
        if !allow_lists.is_empty() && !self.looks(Source::AllowList) {
            return Err(Error::policy(
                "there are lists of words, but detect.sources does not name `allow-list`: nothing would read them",
            ));
        }
        for SourceKey(source) in sources {
            if !crate::models::KNOWN_SOURCES.contains(source) {
                let known: Vec<_> = crate::models::KNOWN_SOURCES.iter().map(|s| s.key()).collect();
                return Err(Error::policy(format!(
                    "detect.sources names `{}`, which is no detector; known: {}",
                    source.key(),
                    known.join(", ")
                )));
            }
        }
        let Some(Parts { header, body, footer }) = &self.detect.parts else { return Ok(()) };
        for (name, part) in [("header", header), ("body", body), ("footer", footer)] {
            if part.is_empty() {
                return Err(Error::policy(format!("detect.parts.{name} is empty: it would pass as it is")));
            }
            if let Some(SourceKey(source)) = part.iter().find(|s| !sources.contains(s)) {
                return Err(Error::policy(format!(
                    "detect.parts.{name} names `{}`, which detect.sources does not",
                    source.key()
                )));
            }
        }
        Ok(())
    }

    fn check_models(&self) -> Result<(), Error> {
        for (key, named, source) in [
            ("detect.model", self.detect.model.is_some(), Source::Crf),
            ("detect.student", self.detect.student.is_some(), Source::Student),
            ("detect.transformer", self.detect.transformer.is_some(), Source::Transformer),
        ] {
            if named && !self.looks(source) {
                return Err(Error::policy(format!(
                    "{key} names a model, but detect.sources does not name `{}`: nothing would read it",
                    source.key()
                )));
            }
        }
        Ok(())
    }

    /// Opens every file that the policy names and builds every detector. An error names the file.
    pub fn check_files(&self) -> Result<(), Error> {
        let key = SecretKey::generate()?;
        Engine::of_policy(self, None, Some(&key)).map(drop)
    }

    /// What is done with a label in the end.
    pub fn effective_action(&self, label: Label) -> Action {
        match self.detect.ignore.contains(&label) {
            true => Action::Keep,
            false => self.rewrite.action(label),
        }
    }

    /// What is done with each label in the end, and why, as comments of TOML.
    pub fn actions_as_comments(&self) -> String {
        let mut out = String::from("# What is done with each label, and what decides it:\n");
        for &label in Label::ALL {
            let by = match self.detect.ignore.contains(&label) {
                true => "detect.ignore: left alone and not counted".to_owned(),
                false => self.rewrite.decide(label).1.explain(),
            };
            let action = self.effective_action(label).key();
            out.push_str(&format!("#   {:<20} {action:<13} ({by})\n", label.name()));
        }
        out
    }
}
