//! One document through every stage: annotate, detect, fuse, look again, fuse, rewrite.

use std::sync::Arc;

use taire_detect::{
    AllowList, AllowedSpans, Calibration, Detector, FusionRule, Guard, Lexical, LinkFacts, Metadata,
    OwnRules, Patterns, PeopleIndex, Sections, SpanIndex, Structure, TrustedRecord,
    attach_overruled_mentions, candidates_below_threshold, footer_values, fuse, header_values, initials,
    long_numbers, mask_titles, second_pass, settle, words,
};
use taire_lexicon::Annotator;
use taire_models::{Cascade, ReadShare};
use taire_surrogate::{Action, IdKind, RecordNames, Rewriter, SecretKey};
use taire_text::{Entity, Label, Language, Mention, Note, Source};

use crate::models::{self, KNOWN_SOURCES};
use crate::settled::{drop_allowed, kept_entities};
use crate::{Deidentified, Doubt, Error, Findings, Policy, Records, Written, given};

/// One policy, built: shared by all threads.
pub struct Pipeline {
    policy: Policy,
    language: Language,
    pub(crate) annotator: Arc<Annotator>,
    detectors: Arc<[Box<dyn Detector>]>,
    /// Rules that the policy brings with it.
    own: Arc<OwnRules>,
    rule: FusionRule,
    calibration: Calibration,
    pub(crate) rewriter: Option<Rewriter>,
    /// The institution's staff, sites and services, looked for in every note.
    pub(crate) directory: Option<Arc<PeopleIndex>>,
    /// How much the transformer of a cascade read.
    read_share: Option<Arc<ReadShare>>,
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline").field("policy", &self.policy.name).finish_non_exhaustive()
    }
}

impl Pipeline {
    /// Builds the detectors of a policy. Without a key it can detect but not rewrite.
    pub fn from_policy(
        policy: &Policy,
        language: Language,
        key: Option<SecretKey>,
    ) -> Result<Pipeline, Error> {
        let mut detectors: Vec<Box<dyn Detector>> = Vec::new();
        let mut read_share = None;
        for &source in KNOWN_SOURCES.iter().filter(|&&s| policy.looks(s)) {
            match source {
                Source::Metadata => detectors.push(Box::new(Metadata)),
                Source::Structure => detectors.push(Box::new(Structure)),
                Source::Pattern => detectors.push(Box::new(Patterns::new())),
                Source::Lexicon => detectors.push(Box::new(Lexical)),
                Source::Crf if policy.detect.pool.is_some() => {}
                // It reads what the rules found, so it comes after them.
                Source::Crf => detectors.push(Box::new(models::crf(policy, language)?)),
                // It reads for the transformer too, which comes after it.
                Source::Student if policy.detect.cascade.is_some() => {}
                Source::Student => detectors.push(Box::new(models::student(policy)?)),
                Source::Transformer => match policy.detect.cascade {
                    Some(least) => {
                        let cascade = Cascade::new(
                            models::student(policy)?,
                            models::transformer(policy, language)?,
                            least,
                        );
                        read_share = Some(cascade.share());
                        detectors.push(Box::new(cascade));
                    }
                    None => detectors.push(Box::new(models::transformer(policy, language)?)),
                },
                Source::AllowList => {
                    let list = AllowList::new(policy.judgements()?);
                    detectors.push(Box::new(if policy.detect.starter {
                        list
                    } else {
                        list.without_starter()
                    }));
                }
                _ => {}
            }
        }
        let rewriter = match key {
            Some(key) => Some(Rewriter::new(key, policy.rewrite.clone())?),
            None => None,
        };
        Ok(Pipeline {
            annotator: Arc::new(Annotator::new(language, move |word| words::keyword(language, word))),
            rule: policy.fusion(),
            calibration: Calibration::shipped(language)?,
            policy: policy.clone(),
            language,
            detectors: detectors.into(),
            own: Arc::new(policy.own_rules()?),
            rewriter,
            directory: None,
            read_share,
        })
    }

    /// The same detectors with surrogates of another key. Ids that join tables are permuted by `join_key`.
    pub(crate) fn with_key(&self, key: &SecretKey, join_key: &SecretKey) -> Result<Pipeline, Error> {
        Ok(Pipeline {
            policy: self.policy.clone(),
            language: self.language,
            annotator: self.annotator.clone(),
            detectors: self.detectors.clone(),
            own: self.own.clone(),
            rule: self.rule.clone(),
            calibration: self.calibration.clone(),
            rewriter: Some(Rewriter::with_keys(key, join_key, self.policy.rewrite.clone())?),
            directory: self.directory.clone(),
            read_share: self.read_share.clone(),
        })
    }

    /// The policy it was built from.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The share of words that the transformer of a cascade has read so far, those read as context included.
    pub fn read_share(&self) -> Option<f64> {
        self.read_share.as_ref().and_then(|share| share.value())
    }

    /// What identifies somebody in these notes, note by note.
    pub fn detect(&self, notes: &mut [Note]) -> Result<Vec<Vec<Entity>>, Error> {
        let found = self.find(notes, &Records::default())?;
        Ok(found.into_iter().map(|findings| findings.entities).collect())
    }

    /// The same with the candidates below the threshold, and with what is certain of the patients in their other documents.
    pub fn find(&self, notes: &mut [Note], records: &Records) -> Result<Vec<Findings>, Error> {
        let mentions = self.run_detectors(notes, None, |_| true)?;
        let decide = |(note, mentions): (&Note, _)| {
            self.decide(note, mentions, &records.record_of(note.patient.as_deref()))
        };
        Ok(notes.iter().zip(mentions).map(decide).collect())
    }

    /// One note, with what the caller holds for certain of its patient.
    pub(crate) fn find_one(
        &self,
        note: Note,
        others: &TrustedRecord,
        people: Option<&PeopleIndex>,
    ) -> Result<(Note, Findings), Error> {
        let mut notes = [note];
        let mentions = self.run_detectors(&mut notes, people, |_| true)?.pop().unwrap_or_default();
        let [note] = notes;
        note.check_cancelled()?;
        let findings = self.decide(&note, mentions, others);
        note.check_cancelled()?;
        Ok((note, findings))
    }

    /// What is certain in one note, to be looked for in the patient's others. The rules alone say it: a model's
    /// mistake must not spread over a record, and rules cost a tenth of a model.
    pub fn gather(&self, note: Note) -> Result<TrustedRecord, Error> {
        self.gather_linked(note).map(|(record, _)| record)
    }

    /// The same, with what joins the note to others of its patient.
    pub(crate) fn gather_linked(&self, note: Note) -> Result<(TrustedRecord, LinkFacts), Error> {
        let mut notes = [note];
        let mut mentions =
            self.run_detectors(&mut notes, None, |source| !source.is_learned())?.pop().unwrap_or_default();
        self.drop_sources_outside_parts(&notes[0], &mut mentions, 0);
        self.add_own(&notes[0], &mut mentions);
        given::insert_envelope_fields(&notes[0], &mut mentions);
        if self.policy.detect.guard {
            let guard = Guard::read(&notes[0], &mentions);
            guard.screen(&mut mentions, 0);
            mentions.extend(guard.mentions());
        }
        let entities = fuse(notes[0].raw(), &mentions, &self.rule);
        let mut record = TrustedRecord::default();
        record.add(&notes[0], &entities);
        let facts = LinkFacts::read(&notes[0], &entities).and_known(&notes[0].known);
        notes[0].check_cancelled()?;
        Ok((record, facts))
    }

    /// Runs the detectors whose source is in `wanted`.
    fn run_detectors(
        &self,
        notes: &mut [Note],
        people: Option<&PeopleIndex>,
        wanted: impl Fn(Source) -> bool,
    ) -> Result<Vec<Vec<Mention>>, Error> {
        for note in notes.iter_mut() {
            note.language = self.language;
            self.annotator.annotate(note);
        }
        let mut mentions: Vec<Vec<Mention>> = vec![Vec::new(); notes.len()];
        // Learned detectors read what the others found, so lists come first.
        for list in self.directory.as_deref().into_iter().chain(people).filter(|_| wanted(Source::Metadata)) {
            notes.iter().zip(&mut mentions).for_each(|(note, out)| list.find(note, out));
        }
        for detector in self.detectors.iter().filter(|d| wanted(d.source())) {
            notes.iter().try_for_each(Note::check_cancelled)?;
            detector.detect(notes, &mut mentions)?;
        }
        Ok(mentions)
    }

    /// Drops mentions, from index `from` on, of sources that the policy does not allow in that part of the note.
    fn drop_sources_outside_parts(&self, note: &Note, mentions: &mut Vec<Mention>, from: usize) {
        if let Some(parts) = &self.policy.detect.parts {
            let sections = Sections::of(note);
            let mut index = 0;
            mentions.retain(|m| {
                index += 1;
                index <= from || parts.allows(sections.at(m.span.start()), m.source)
            });
        }
    }

    /// How sure a mention of a label must be to count.
    fn threshold(&self, label: Label) -> f32 {
        self.policy.detect.thresholds.get(&label).copied().unwrap_or(self.policy.detect.threshold)
    }

    /// Adds what the policy's own rules find, and drops what it allows to stay.
    fn add_own(&self, note: &Note, mentions: &mut Vec<Mention>) -> AllowedSpans<'_> {
        let before = mentions.len();
        self.own.find(note, mentions);
        let own = mentions.split_off(before);
        // A rule of the policy itself outweighs what detectors found in the same text or in a part of it.
        let counts = |o: &Mention| o.label().is_some_and(|label| o.score.get() >= self.threshold(label));
        let index = SpanIndex::new(own.iter().map(|o| o.span));
        mentions.retain(|m| {
            let certain = matches!(m.source, Source::Metadata | Source::Reviewer);
            let outweighed = |i: usize| counts(&own[i]) && own[i].span.contains(m.span);
            certain || m.label().is_none() || !index.any_overlapping(m.span, outweighed)
        });
        mentions.extend(own);
        let allowed = self.own.allowed_spans(note);
        drop_allowed(&allowed, mentions, 0);
        allowed
    }

    fn decide(&self, note: &Note, mut mentions: Vec<Mention>, others: &TrustedRecord) -> Findings {
        self.drop_sources_outside_parts(note, &mut mentions, 0);
        // Each part of a report read in its own way (Córdoba): only where the policy names the parts.
        let sections = self.policy.detect.parts.is_some().then(|| Sections::of(note));
        if let Some(sections) = &sections {
            header_values(note, sections, &mut mentions);
        }
        let allowed = self.add_own(note, &mut mentions);
        given::insert_envelope_fields(note, &mut mentions);
        let guard = self.policy.detect.guard.then(|| Guard::read(note, &mentions));
        if let Some(guard) = &guard {
            guard.screen(&mut mentions, 0);
            mentions.extend(guard.mentions());
        }
        if note.is_cancelled() {
            return Findings::default();
        }
        let mut entities = fuse(note.raw(), &mentions, &self.rule);
        let before = mentions.len();
        if self.policy.looks(Source::Initials) {
            initials(note, &entities, &mut mentions);
        }
        if self.policy.looks(Source::Trusted) {
            second_pass(note, &entities, others, &mut mentions);
        }
        if let Some(sections) = &sections {
            footer_values(note, sections, &entities, &mut mentions);
        }
        if self.policy.detect.long_numbers {
            long_numbers(note, &entities, &mut mentions);
        }
        if mentions.len() > before {
            if let Some(guard) = &guard {
                guard.screen(&mut mentions, before);
            }
            self.drop_sources_outside_parts(note, &mut mentions, before);
            drop_allowed(&allowed, &mut mentions, before);
            entities = fuse(note.raw(), &mentions, &self.rule);
        }
        if note.is_cancelled() {
            return Findings::default();
        }
        entities = settle(note, entities);
        if let Some(guard) = &guard {
            entities = guard.clip(entities);
        }
        if self.policy.looks(Source::AllowList) {
            entities = mask_titles(note, entities);
        }
        let mut entities = given::restore_envelope_fields(note, entities);
        let mut below_threshold = candidates_below_threshold(note.raw(), &mentions, &entities, &self.rule);
        for all in [&mut entities, &mut below_threshold] {
            all.retain(|e| !self.policy.detect.ignore.contains(&e.label));
            attach_overruled_mentions(all, &mentions, &self.rule);
        }
        entities.iter_mut().for_each(|e| e.score = self.calibration.found(e));
        below_threshold.iter_mut().for_each(|e| e.score = self.calibration.below_threshold(e));
        if let Some(guard) = &guard {
            guard.mark_doubtful(&mut entities);
        }
        let changes = |label| self.policy.rewrite.action(label) != Action::Keep;
        let doubt = Doubt::of(note.raw(), &entities, &below_threshold, changes);
        Findings { entities, below_threshold, doubt, record_names: RecordNames::new(others.names()) }
    }

    /// Finds and rewrites one document.
    pub fn run(&self, note: Note) -> Result<Deidentified, Error> {
        self.run_with(note, &Records::default())
    }

    /// The same, with what is certain of the patient in their other documents.
    pub fn run_with(&self, note: Note, records: &Records) -> Result<Deidentified, Error> {
        let others = records.record_of(note.patient.as_deref());
        let (note, findings) = self.find_one(note, &others, None)?;
        let doubt = findings.doubt;
        Ok(Deidentified { doubt, ..self.rewrite_findings(&note, findings)? })
    }

    /// Rewrites a document whose entities are known.
    pub fn rewrite(&self, note: &Note, entities: Vec<Entity>) -> Result<Deidentified, Error> {
        self.rewrite_findings(note, Findings { entities, ..Findings::default() })
    }

    pub(crate) fn rewrite_findings(&self, note: &Note, findings: Findings) -> Result<Deidentified, Error> {
        let Findings { entities, record_names, .. } = findings;
        let rewriter = self.rewriter.as_ref().ok_or_else(|| Error::usage("rewriting needs a secret key"))?;
        let rewritten = rewriter.rewrite_in_record(note, &entities, &record_names)?;
        note.check_cancelled()?;
        let (text, ranges) = rewritten.apply(note.raw());
        let written = rewritten.replacements.iter().zip(ranges).filter_map(|(replacement, range)| {
            let entity = entities.binary_search_by_key(&replacement.span.start(), |e| e.span.start()).ok()?;
            let (span, mend) = (replacement.span, &replacement.mend);
            let original = span.start() - mend.before..span.end() + mend.after;
            Some(Written { range, entity, original, took: mend.before, put: mend.put.len() })
        });
        let written: Vec<Written> = written.collect();
        let kept = kept_entities(note, &entities, &written, &text);
        Ok(Deidentified {
            in_form: None,
            id: rewriter.join_key(IdKind::Document, &note.id),
            visit: None,
            kept,
            text,
            written,
            entities,
            fallbacks: rewritten.fallbacks,
            releases: rewritten.releases,
            event_words: rewritten.event_words,
            patient: rewriter.patient_column(note),
            date: rewriter.document_date(note),
            doubt: Doubt::default(),
        })
    }
}
