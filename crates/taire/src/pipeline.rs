//! One document through every stage: annotate, detect, fuse, look again, fuse, rewrite.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::Date;
use taire_detect::{
    AllowList, AllowedSpans, Calibration, Detector, FusionRule, Guard, Lexical, LinkFacts, Metadata,
    OwnRules, Patterns, PeopleIndex, Sections, SpanIndex, Structure, TrustedRecord,
    attach_overruled_mentions, candidates_below_threshold, footer_values, foreign_language, fuse,
    header_values, initials, long_numbers, mask_titles, second_pass, settle, words,
};
use taire_formats::{Directory, FinalSpan};
use taire_lexicon::Annotator;
use taire_models::{Cascade, CrfDetector, ReadShare, StudentDetector, TransformerDetector};
use taire_surrogate::{Action, Fallback, IdKind, RecordNames, Release, Rewriter, ScopeKind, SecretKey};
use taire_text::{CancelFlag, Entity, Label, Language, Mention, Note, Phi, Source};

use crate::report::DirectoryCounts;
use crate::settled::{drop_allowed, kept_entities, settled_entities};
use crate::{Doubt, Error, Findings, Policy, Records, given};

/// The sources a policy may name.
pub(crate) const BUILT: &[Source] = &[
    Source::Metadata,
    Source::Structure,
    Source::Pattern,
    Source::Lexicon,
    Source::Initials,
    Source::Crf,
    Source::Student,
    Source::Transformer,
    Source::Trusted,
    Source::AllowList,
];

/// The policy's own model, else the one that ships.
fn model(policy: &Policy, language: Language) -> Result<CrfDetector, Error> {
    if let Some(path) = &policy.detect.model {
        let model_error =
            |e: &dyn std::fmt::Display| Error::policy(format!("detect.model {}: {e}", path.display()));
        let bytes = std::fs::read(path).map_err(|e| model_error(&e))?;
        let detector = CrfDetector::from_bytes(&bytes).map_err(|e| model_error(&e))?;
        return match detector.language() {
            of if of == language => Ok(detector),
            of => Err(model_error(&format!(
                "it was trained for language `{of}` and cannot read `{language}`; \
                 give the policy `language = \"{of}\"`"
            ))),
        };
    }
    let missing =
        || Error::policy(format!("detect.sources names `crf`, but no model ships for language `{language}`"));
    Ok(CrfDetector::shipped(language).ok_or_else(missing)??)
}

/// The student of a policy: its own model, else the one that ships.
fn student(policy: &Policy) -> Result<StudentDetector, Error> {
    let Some(path) = &policy.detect.student else {
        return Ok(StudentDetector::shipped()?);
    };
    let failed = |e: &dyn std::fmt::Display| Error::policy(format!("detect.student {}: {e}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| failed(&e))?;
    StudentDetector::from_bytes(&bytes).map_err(|e| failed(&e))
}

/// The transformer of a policy: its own model, else the one that ships.
fn transformer(policy: &Policy, language: Language) -> Result<TransformerDetector, Error> {
    let detector = match &policy.detect.transformer {
        None => TransformerDetector::shipped()?,
        Some(folder) => own_transformer(policy, folder, language)?,
    };
    match policy.detect.pool {
        None => Ok(detector),
        Some(share) => Ok(detector.beside(model(policy, language)?, share)),
    }
}

/// A transformer in a folder that the policy names.
fn own_transformer(policy: &Policy, folder: &Path, language: Language) -> Result<TransformerDetector, Error> {
    if let Some(missing) = policy.missing_model() {
        return Err(Error::policy(missing));
    }
    let failed = |e: &dyn std::fmt::Display| Error::policy(format!("detect.transformer: {e}"));
    let detector = TransformerDetector::read(folder).map_err(|e| failed(&e))?;
    if !detector.languages().contains(&language) {
        let languages: Vec<_> = detector.languages().iter().map(|l| l.key()).collect();
        let languages = languages.join("+");
        return Err(failed(&format!(
            "{} was trained for language `{languages}` and cannot read `{language}`",
            folder.display()
        )));
    }
    Ok(detector)
}

/// One policy, built: shared by all threads.
pub struct Pipeline {
    policy: Policy,
    language: Language,
    annotator: Arc<Annotator>,
    detectors: Arc<[Box<dyn Detector>]>,
    /// Rules that the policy brings with it.
    own: Arc<OwnRules>,
    rule: FusionRule,
    calibration: Calibration,
    rewriter: Option<Rewriter>,
    /// The institution's staff, sites and services, looked for in every note.
    directory: Option<Arc<PeopleIndex>>,
    /// How much the transformer of a cascade read.
    read_share: Option<Arc<ReadShare>>,
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline").field("policy", &self.policy.name).finish_non_exhaustive()
    }
}

/// A treated document.
#[derive(Clone)]
pub struct Deidentified {
    /// The new text, plain.
    pub text: String,
    /// The new text in the form the old one came in, where that is HTML, RTF or base64.
    pub in_form: Option<String>,
    /// What was found, in the original.
    pub entities: Vec<Entity>,
    /// What was written, in the new text.
    pub written: Vec<Written>,
    /// Indices of entities that came out as they were: the policy keeps them, or the right value is the same.
    pub kept: Vec<usize>,
    /// Where a tag was written because no surrogate could be made.
    pub fallbacks: Vec<Fallback>,
    /// What the mechanisms declared, release by release.
    pub releases: Vec<Release>,
    /// Words that place an event without a date and stay as they are, where dates are released by a mechanism.
    pub event_words: usize,
    /// What replaces the id of the document.
    pub id: String,
    /// What replaces the stay it belongs to, where the run knows one.
    pub visit: Option<String>,
    /// What replaces the patient id.
    pub patient: Option<String>,
    /// What replaces the date of the document.
    pub date: Option<Date>,
    /// How sure the worst decision is.
    pub doubt: Doubt,
}

impl Deidentified {
    /// A document that was searched and not rewritten.
    pub(crate) fn unchanged(note: &Note, findings: Findings) -> Deidentified {
        Deidentified {
            text: note.raw().to_owned(),
            in_form: None,
            id: note.id.clone(),
            visit: None,
            doubt: findings.doubt,
            entities: findings.entities,
            written: Vec::new(),
            kept: Vec::new(),
            fallbacks: Vec::new(),
            releases: Vec::new(),
            event_words: 0,
            patient: note.patient.clone().map(String::from),
            date: note.date,
        }
    }
}

/// Something that was written in place of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Bytes of the new text.
    pub range: Range<usize>,
    /// Index of the entity it replaces.
    pub entity: usize,
    /// Bytes of the original that went: the entity, and small words beside it that had to agree.
    pub original: Range<usize>,
    /// How many of them stand before the entity, and how many bytes were written before `range` in their place: `à `
    /// becomes `au ` before `Mans`.
    pub took: usize,
    /// How many bytes were written there.
    pub put: usize,
}

impl std::fmt::Debug for Deidentified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deidentified({}, {} entities)", Phi::new(&self.text), self.entities.len())
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
        for &source in BUILT.iter().filter(|&&s| policy.looks(s)) {
            match source {
                Source::Metadata => detectors.push(Box::new(Metadata)),
                Source::Structure => detectors.push(Box::new(Structure)),
                Source::Pattern => detectors.push(Box::new(Patterns::new())),
                Source::Lexicon => detectors.push(Box::new(Lexical)),
                Source::Crf if policy.detect.pool.is_some() => {}
                // It reads what the rules found, so it comes after them.
                Source::Crf => detectors.push(Box::new(model(policy, language)?)),
                // It reads for the transformer too, which comes after it.
                Source::Student if policy.detect.cascade.is_some() => {}
                Source::Student => detectors.push(Box::new(student(policy)?)),
                Source::Transformer => match policy.detect.cascade {
                    Some(least) => {
                        let cascade = Cascade::new(student(policy)?, transformer(policy, language)?, least);
                        read_share = Some(cascade.share());
                        detectors.push(Box::new(cascade));
                    }
                    None => detectors.push(Box::new(transformer(policy, language)?)),
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
    fn with_key(&self, key: &SecretKey, join_key: &SecretKey) -> Result<Pipeline, Error> {
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
    fn find_one(
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
    fn gather_linked(&self, note: Note) -> Result<(TrustedRecord, LinkFacts), Error> {
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

    fn rewrite_findings(&self, note: &Note, findings: Findings) -> Result<Deidentified, Error> {
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

/// The pipelines of a run: one policy for all documents, or one by language.
#[derive(Debug)]
pub struct Engine {
    pipelines: Vec<(Language, Pipeline)>,
    forced: Option<Language>,
    /// The caller named the language: documents are not asked for theirs.
    insists: bool,
}

impl Engine {
    /// `policy` as given by the user, or each language's own; `language` forces one.
    pub fn new(
        policy: Option<&str>,
        language: Option<Language>,
        key: Option<&SecretKey>,
    ) -> Result<Engine, Error> {
        Engine::with_words(policy, &[], language, key)
    }

    /// The same, with lists of judged words beside those of the policy.
    pub fn with_words(
        policy: Option<&str>,
        words: &[PathBuf],
        language: Option<Language>,
        key: Option<&SecretKey>,
    ) -> Result<Engine, Error> {
        let chosen = policy.map(Policy::load).transpose()?;
        Engine::build(chosen.as_ref(), words, language, key)
    }

    /// One policy that is at hand.
    pub fn of_policy(
        policy: &Policy,
        language: Option<Language>,
        key: Option<&SecretKey>,
    ) -> Result<Engine, Error> {
        Engine::build(Some(policy), &[], language, key)
    }

    fn build(
        chosen: Option<&Policy>,
        words: &[PathBuf],
        language: Option<Language>,
        key: Option<&SecretKey>,
    ) -> Result<Engine, Error> {
        let forced = language.or(chosen.and_then(|p| p.language));
        let mut pipelines = Vec::new();
        for &language in Language::ALL.iter().filter(|&&l| forced.is_none_or(|f| f == l)) {
            let mut policy = match chosen {
                Some(policy) => policy.clone(),
                None => Policy::shipped(language.key())?,
            };
            policy.add_allow_lists(words)?;
            pipelines.push((language, Pipeline::from_policy(&policy, language, key.cloned())?));
        }
        Ok(Engine { pipelines, forced, insists: language.is_some() })
    }

    /// Has the people and places of a directory looked for in every document. Returns how many values were no names and
    /// are ignored (`ne plus écrire`, `interne4`).
    pub fn use_directory(&mut self, directory: &Directory) -> usize {
        let mut index = PeopleIndex::of_staff();
        for entry in &directory.entries {
            index.begin_row();
            let families: Vec<&str> = [entry.family_name.as_str(), &entry.birth_name]
                .into_iter()
                .filter(|n| !n.is_empty())
                .collect();
            if !families.is_empty() || !entry.given_name.is_empty() {
                index.add_person(&families, &entry.given_name);
            }
            if !entry.full_name.is_empty() {
                index.add_full_name(&entry.full_name);
            }
            entry.facilities.iter().for_each(|name| index.add_facility(name));
            index.add_city(&entry.city);
            entry.phones.iter().for_each(|phone| index.add_phone(phone));
            entry.emails.iter().for_each(|mail| index.add_code(mail, Label::Email));
            entry.ids.iter().for_each(|id| index.add_code(id, Label::ProfessionalLicence));
        }
        let junk = index.junk() + directory.placeholders;
        let index = Arc::new(index);
        self.pipelines.iter_mut().for_each(|(_, pipeline)| pipeline.directory = Some(index.clone()));
        junk
    }

    /// How many rows of the directory there are, and of how many something was found in a document so far.
    pub fn directory_counts(&self) -> Option<DirectoryCounts> {
        let index = self.pipelines.iter().find_map(|(_, pipeline)| pipeline.directory.as_deref())?;
        let (rows, joined) = (index.rows(), index.found_rows());
        Some(DirectoryCounts { rows, joined, unjoined: rows - joined })
    }

    /// The language every document is read in, if it is not told by the document.
    pub fn language(&self) -> Option<Language> {
        self.forced
    }

    /// The policies, one for each language that is read.
    pub fn policies(&self) -> impl Iterator<Item = &Policy> {
        self.pipelines.iter().map(|(_, p)| p.policy())
    }

    /// The policy of documents in a language.
    pub fn policy_of(&self, language: Language) -> Result<&Policy, Error> {
        self.pipeline(language).map(Pipeline::policy)
    }

    fn pipeline(&self, language: Language) -> Result<&Pipeline, Error> {
        self.pipelines
            .iter()
            .find(|(l, _)| *l == language)
            .map(|(_, p)| p)
            .ok_or_else(|| Error::usage(format!("no pipeline was built for language `{language}`")))
    }

    /// Refuses a document that is neither French nor Spanish, unless the caller insists on a language or the document
    /// brought its own.
    fn check_language(&self, note: &Note) -> Result<(), Error> {
        if self.insists || note.language_given && self.forced.is_none() {
            return Ok(());
        }
        match foreign_language(note) {
            None => Ok(()),
            Some(name) => Err(Error::refused(format!(
                "the document seems to be in {name}; Taire reads French and Spanish: `--lang fr` or `--lang es` insists"
            ))),
        }
    }

    /// Whether a first reading of all documents is of use: see [`Engine::gather`].
    pub fn trusts_records(&self) -> bool {
        self.policies().any(Policy::trusts_record)
    }

    /// What is certain in one note, for [`Records`]; nothing where the policy of its language does not ask.
    pub fn gather(&self, note: Note) -> Result<TrustedRecord, Error> {
        guarded(|| {
            self.check_language(&note)?;
            let pipeline = self.pipeline(note.language)?;
            if pipeline.policy().trusts_record() {
                pipeline.gather(note)
            } else {
                Ok(TrustedRecord::default())
            }
        })
    }

    /// What joins a note to others of its patient, and, where the policy of its language trusts records, what is certain in
    /// it.
    pub fn gather_linked(&self, note: Note) -> Result<(TrustedRecord, LinkFacts), Error> {
        guarded(|| {
            self.check_language(&note)?;
            let pipeline = self.pipeline(note.language)?;
            let (record, facts) = pipeline.gather_linked(note)?;
            let record = if pipeline.policy().trusts_record() { record } else { TrustedRecord::default() };
            Ok((record, facts))
        })
    }

    /// What identifies somebody in one note. A fault inside a stage is an error of this document only.
    pub fn detect(&self, note: Note) -> Result<(Note, Vec<Entity>), Error> {
        self.find(note).map(|(note, findings)| (note, findings.entities))
    }

    /// The same, with what was left in the text although it may identify.
    pub fn find(&self, note: Note) -> Result<(Note, Findings), Error> {
        self.find_with(note, &TrustedRecord::default())
    }

    /// The same, with what the caller holds for certain of the note's patient; it counts where the policy trusts records.
    pub fn find_with(&self, note: Note, others: &TrustedRecord) -> Result<(Note, Findings), Error> {
        self.find_among(note, others, None)
    }

    /// The same, with known people who may be anywhere.
    pub fn find_among(
        &self,
        note: Note,
        others: &TrustedRecord,
        people: Option<&PeopleIndex>,
    ) -> Result<(Note, Findings), Error> {
        guarded(|| {
            self.check_language(&note)?;
            let pipeline = self.pipeline(note.language)?;
            match pipeline.policy().trusts_record() {
                true => pipeline.find_one(note, others, people),
                false => pipeline.find_one(note, &TrustedRecord::default(), people),
            }
        })
    }

    /// Like [`Engine::find`], and gives up once `cancel` is set; so does the rewriting of the note.
    pub fn find_unless(&self, mut note: Note, cancel: &CancelFlag) -> Result<(Note, Findings), Error> {
        note.cancel = Some(cancel.clone());
        guarded(|| {
            self.check_language(&note)?;
            let pipeline = self.pipeline(note.language)?;
            pipeline.find_one(note, &TrustedRecord::default(), None)
        })
    }

    /// The same detectors, shared, with surrogates of another key. Ids that join tables are permuted by `join_key`.
    pub fn with_key(&self, key: &SecretKey, join_key: &SecretKey) -> Result<Engine, Error> {
        let keyed = |(language, pipeline): &(Language, Pipeline)| {
            pipeline.with_key(key, join_key).map(|pipeline| (*language, pipeline))
        };
        let pipelines = self.pipelines.iter().map(keyed).collect::<Result<_, _>>()?;
        Ok(Engine { pipelines, forced: self.forced, insists: self.insists })
    }

    /// What re-keys tables beside the documents: all policies must treat ids and dates alike, by patient.
    pub(crate) fn companion_rewriter(&self) -> Result<&Rewriter, Error> {
        let mut rewriters = self.pipelines.iter().filter_map(|(_, p)| p.rewriter.as_ref());
        let first = rewriters.next().ok_or_else(|| Error::usage("rewriting needs a secret key"))?;
        let settings = first.settings();
        if settings.scope == ScopeKind::Document || settings.dates.by_document() {
            return Err(Error::policy(
                "tables are re-keyed by patient: rewrite.scope must be `patient` or `corpus`, and the method of rewrite.dates \
                 shift, blur, warp or year",
            ));
        }
        let alike = |r: &Rewriter| r.settings() == settings;
        match rewriters.all(alike) {
            true => Ok(first),
            false => {
                Err(Error::policy("the policies of the languages move dates differently; give one policy"))
            }
        }
    }

    /// A note whose spans are final, as if they had been found in it. `others` is what the caller holds for certain of its
    /// patient.
    pub fn settled(
        &self,
        mut note: Note,
        spans: &[FinalSpan],
        others: &TrustedRecord,
    ) -> Result<(Note, Findings), Error> {
        guarded(|| {
            let pipeline = self.pipeline(note.language)?;
            pipeline.annotator.annotate(&mut note);
            let entities = settled_entities(&note, spans)?;
            let record_names = RecordNames::new(others.names());
            Ok((
                note,
                Findings { entities, below_threshold: Vec::new(), doubt: Doubt::default(), record_names },
            ))
        })
    }

    /// Rewrites one note whose entities a person has settled. A fault inside a stage is an error of this document only.
    pub fn rewrite(&self, mut note: Note, entities: Vec<Entity>) -> Result<Deidentified, Error> {
        guarded(|| {
            let pipeline = self.pipeline(note.language)?;
            pipeline.annotator.annotate(&mut note);
            pipeline.rewrite(&note, entities)
        })
    }

    /// Finds and rewrites one note. A fault inside a stage is an error of this document only.
    pub fn run(&self, note: Note) -> Result<Deidentified, Error> {
        self.run_with(note, &TrustedRecord::default())
    }

    /// The same, with what the caller holds for certain of the note's patient.
    pub fn run_with(&self, note: Note, others: &TrustedRecord) -> Result<Deidentified, Error> {
        let (note, findings) = self.find_with(note, others)?;
        self.rewrite_findings(&note, findings)
    }

    /// The surrogate of an id that joins tables, as documents of a language have it. Without a key there is none.
    pub fn join_key(&self, language: Language, kind: IdKind, id: &str) -> Option<String> {
        let rewriter = self.pipeline(language).ok().and_then(|p| p.rewriter.as_ref());
        rewriter.or_else(|| self.rewriter()).map(|rewriter| rewriter.join_key(kind, id))
    }

    fn rewriter(&self) -> Option<&Rewriter> {
        self.pipelines.first().and_then(|(_, pipeline)| pipeline.rewriter.as_ref())
    }

    /// A name for a file or folder that may tell whom it is about. Without a key there is none.
    pub(crate) fn file_name(&self, path: &[u8]) -> Option<String> {
        self.rewriter().map(|rewriter| rewriter.file_name(path))
    }

    /// Rewrites a note in which [`Engine::find_with`] looked.
    pub fn rewrite_findings(&self, note: &Note, findings: Findings) -> Result<Deidentified, Error> {
        guarded(|| {
            let doubt = findings.doubt;
            let pipeline = self.pipeline(note.language)?;
            Ok(Deidentified { doubt, ..pipeline.rewrite_findings(note, findings)? })
        })
    }
}

/// An id for a document that has none: two of them share their surrogates only if they are the same text.
pub fn text_id(key: &SecretKey, text: &str) -> Result<String, Error> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let tag = key.subkey("document", text.as_bytes())?;
    let digits = tag.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]]);
    Ok(digits.map(char::from).collect())
}

fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::internal("an internal fault stopped this document; please report its format and size"))
    })
}
