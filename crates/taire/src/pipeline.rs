//! One document through every stage: annotate, detect, fuse, look again, fuse, rewrite.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;

use jiff::civil::Date;
use taire_detect::{
    AllowList, Calibration, Detector, FusionRule, Lexical, Metadata, Patterns, Sections, Structure,
    TrustedRecord, fuse, hear_dissent, initials, second_pass, settle, spared, words,
};
use taire_lexicon::Annotator;
use taire_models::{CrfDetector, TransformerDetector};
use taire_surrogate::{Fallback, Loss, Rewriter, SecretKey};
use taire_text::{Entity, Label, Language, Mention, Note, Phi, Source, fold};

use crate::{Doubt, Error, Findings, Policy, Records, given};

/// The sources a policy may name.
pub(crate) const BUILT: &[Source] = &[
    Source::Metadata,
    Source::Structure,
    Source::Pattern,
    Source::Lexicon,
    Source::Initials,
    Source::Crf,
    Source::Transformer,
    Source::Trusted,
    Source::AllowList,
];

/// The policy's own model, else the one that ships.
fn model(policy: &Policy, language: Language) -> Result<CrfDetector, Error> {
    if let Some(path) = &policy.detect.model {
        let told = |e: &dyn std::fmt::Display| Error::new(format!("detect.model {}: {e}", path.display()));
        let bytes = std::fs::read(path).map_err(|e| told(&e))?;
        let detector = CrfDetector::from_bytes(&bytes).map_err(|e| told(&e))?;
        return match detector.language() {
            of if of == language => Ok(detector),
            of => Err(told(&format!(
                "it was trained for language `{of}` and cannot read `{language}`; \
                 give the policy `language = \"{of}\"`"
            ))),
        };
    }
    let missing =
        || Error::new(format!("detect.sources names `crf`, but no model ships for language `{language}`"));
    Ok(CrfDetector::shipped(language).ok_or_else(missing)??)
}

/// The transformer of a policy.
fn transformer(policy: &Policy, language: Language) -> Result<TransformerDetector, Error> {
    let missing = || Error::new("detect.sources names `transformer`, but detect.transformer names no model");
    let folder = policy.detect.transformer.as_ref().ok_or_else(missing)?;
    if let Some(told) = policy.missing_model() {
        return Err(Error::new(told));
    }
    let told = |e: &dyn std::fmt::Display| Error::new(format!("detect.transformer: {e}"));
    let detector = TransformerDetector::read(folder).map_err(|e| told(&e))?;
    match (detector.language(), policy.detect.pool) {
        (of, None) if of == language => Ok(detector),
        (of, Some(share)) if of == language => Ok(detector.beside(model(policy, language)?, share)),
        (of, _) => Err(told(&format!(
            "{} was trained for language `{of}` and cannot read `{language}`",
            folder.display()
        ))),
    }
}

/// One policy, built: shared by all threads.
pub struct Pipeline {
    policy: Policy,
    language: Language,
    annotator: Annotator,
    detectors: Vec<Box<dyn Detector>>,
    rule: FusionRule,
    calibration: Calibration,
    rewriter: Option<Rewriter>,
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline").field("policy", &self.policy.name).finish_non_exhaustive()
    }
}

/// A treated document.
#[derive(Clone)]
pub struct Deidentified {
    pub text: String,
    /// What was found, in the original.
    pub entities: Vec<Entity>,
    /// What was written, in the new text.
    pub written: Vec<Written>,
    pub fallbacks: Vec<Fallback>,
    /// What the mechanisms declared, release by release.
    pub losses: Vec<(Label, Loss)>,
    pub patient: Option<String>,
    pub date: Option<Date>,
    /// How sure the worst decision is.
    pub doubt: Doubt,
    /// The document's own id holds a name that was found in it.
    pub id_tells: bool,
}

/// Something that was written in place of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Bytes of the new text.
    pub range: Range<usize>,
    /// Index of the entity it stands for.
    pub entity: usize,
    /// Bytes of the original that went: the entity, and small words beside it that had to agree.
    pub original: Range<usize>,
    /// How many of them stand before the entity, and how many bytes were written before `range` in their place: `à `
    /// becomes `au ` before `Mans`.
    pub took: usize,
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
        for &source in BUILT.iter().filter(|&&s| policy.looks(s)) {
            match source {
                Source::Metadata => detectors.push(Box::new(Metadata)),
                Source::Structure => detectors.push(Box::new(Structure)),
                Source::Pattern => detectors.push(Box::new(Patterns::new())),
                Source::Lexicon => detectors.push(Box::new(Lexical)),
                Source::Crf if policy.detect.pool.is_some() => {}
                // It hears the rules, so it comes after them.
                Source::Crf => detectors.push(Box::new(model(policy, language)?)),
                Source::Transformer => detectors.push(Box::new(transformer(policy, language)?)),
                Source::AllowList => detectors.push(Box::new(AllowList::new(policy.judgements()?))),
                _ => {}
            }
        }
        let rewriter = match key {
            Some(key) => Some(Rewriter::new(key, policy.rewrite.clone())?),
            None => None,
        };
        Ok(Pipeline {
            annotator: Annotator::new(language, move |word| words::keyword(language, word)),
            rule: policy.fusion(),
            calibration: Calibration::shipped(language)?,
            policy: policy.clone(),
            language,
            detectors,
            rewriter,
        })
    }

    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What identifies somebody in these notes, note by note.
    pub fn detect(&self, notes: &mut [Note]) -> Result<Vec<Vec<Entity>>, Error> {
        let found = self.find(notes, &Records::default())?;
        Ok(found.into_iter().map(|findings| findings.entities).collect())
    }

    /// The same with what was spared, and with what is certain of the patients in their other documents.
    pub fn find(&self, notes: &mut [Note], records: &Records) -> Result<Vec<Findings>, Error> {
        let mentions = self.listen(notes, |_| true)?;
        let decide =
            |(note, mentions): (&Note, _)| self.decide(note, mentions, &records.of(note.patient.as_deref()));
        Ok(notes.iter().zip(mentions).map(decide).collect())
    }

    /// One note, with what the caller holds for certain of its patient.
    fn find_one(&self, note: Note, others: &TrustedRecord) -> Result<(Note, Findings), Error> {
        let mut notes = [note];
        let mentions = self.listen(&mut notes, |_| true)?.pop().unwrap_or_default();
        let [note] = notes;
        let findings = self.decide(&note, mentions, others);
        Ok((note, findings))
    }

    /// What is certain in one note, to be looked for in the patient's others. The rules alone say it: a model's
    /// mistake must not spread over a record, and rules cost a tenth of a model.
    pub fn gather(&self, note: Note) -> Result<TrustedRecord, Error> {
        let mut notes = [note];
        let mut mentions = self.listen(&mut notes, |source| !source.is_learned())?.pop().unwrap_or_default();
        self.keep_heard(&notes[0], &mut mentions);
        given::speak(&notes[0], &mut mentions);
        let mut record = TrustedRecord::default();
        record.add(&notes[0], &fuse(notes[0].raw(), &mentions, &self.rule));
        Ok(record)
    }

    fn listen(&self, notes: &mut [Note], to: impl Fn(Source) -> bool) -> Result<Vec<Vec<Mention>>, Error> {
        for note in notes.iter_mut() {
            note.language = self.language;
            self.annotator.annotate(note);
        }
        let mut mentions: Vec<Vec<Mention>> = vec![Vec::new(); notes.len()];
        for detector in self.detectors.iter().filter(|d| to(d.source())) {
            detector.detect(notes, &mut mentions)?;
        }
        Ok(mentions)
    }

    /// Drops voices of sources that the policy does not hear in that part of the note.
    fn keep_heard(&self, note: &Note, mentions: &mut Vec<Mention>) {
        if let Some(parts) = &self.policy.detect.parts {
            let sections = Sections::of(note);
            mentions.retain(|m| parts.hears(sections.at(m.span.start()), m.source));
        }
    }

    fn decide(&self, note: &Note, mut mentions: Vec<Mention>, others: &TrustedRecord) -> Findings {
        self.keep_heard(note, &mut mentions);
        given::speak(note, &mut mentions);
        let mut entities = fuse(note.raw(), &mentions, &self.rule);
        let before = mentions.len();
        if self.policy.looks(Source::Initials) {
            initials(note, &entities, &mut mentions);
        }
        if self.policy.looks(Source::Trusted) {
            second_pass(note, &entities, others, &mut mentions);
        }
        if mentions.len() > before {
            self.keep_heard(note, &mut mentions);
            entities = fuse(note.raw(), &mentions, &self.rule);
        }
        let mut entities = given::restore(note, settle(note, entities));
        let mut spared = spared(note.raw(), &mentions, &entities, &self.rule);
        for all in [&mut entities, &mut spared] {
            all.retain(|e| !self.policy.detect.ignore.contains(&e.label));
            hear_dissent(all, &mentions, &self.rule);
        }
        entities.iter_mut().for_each(|e| e.score = self.calibration.found(e));
        spared.iter_mut().for_each(|e| e.score = self.calibration.spared(e));
        Findings { entities, spared }
    }

    /// Finds and rewrites one document.
    pub fn run(&self, note: Note) -> Result<Deidentified, Error> {
        self.run_with(note, &Records::default())
    }

    /// The same, with what is certain of the patient in their other documents.
    pub fn run_with(&self, note: Note, records: &Records) -> Result<Deidentified, Error> {
        let others = records.of(note.patient.as_deref());
        let (note, findings) = self.find_one(note, &others)?;
        let doubt = findings.doubt();
        Ok(Deidentified { doubt, ..self.rewrite(&note, findings.entities)? })
    }

    /// Rewrites a document whose entities are known.
    pub fn rewrite(&self, note: &Note, entities: Vec<Entity>) -> Result<Deidentified, Error> {
        let rewriter = self.rewriter.as_ref().ok_or_else(|| Error::new("rewriting needs a secret key"))?;
        let rewritten = rewriter.rewrite(note, &entities)?;
        let (text, ranges) = rewritten.apply(note.raw());
        let written = rewritten.replacements.iter().zip(ranges).filter_map(|(replacement, range)| {
            let entity = entities.binary_search_by_key(&replacement.span.start(), |e| e.span.start()).ok()?;
            let (span, mend) = (replacement.span, &replacement.mend);
            let original = span.start() - mend.before..span.end() + mend.after;
            Some(Written { range, entity, original, took: mend.before, put: mend.put.len() })
        });
        let written = written.collect();
        let id_tells = id_tells(note, &entities);
        Ok(Deidentified {
            id_tells,
            text,
            written,
            entities,
            fallbacks: rewritten.fallbacks,
            losses: rewritten.losses,
            patient: note.patient.as_deref().map(|p| rewriter.patient_id(p)),
            date: rewriter.document_date(note),
            doubt: Doubt::default(),
        })
    }
}

/// The pipelines of a run: one policy for all documents, or one by language.
#[derive(Debug)]
pub struct Engine {
    pipelines: Vec<(Language, Pipeline)>,
    records: OnceLock<Records>,
    forced: Option<Language>,
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
        Ok(Engine { pipelines, records: OnceLock::new(), forced })
    }

    /// The language every document is read in, if it is not told by the document.
    pub fn language(&self) -> Option<Language> {
        self.forced
    }

    pub fn policies(&self) -> impl Iterator<Item = &Policy> {
        self.pipelines.iter().map(|(_, p)| p.policy())
    }

    fn pipeline(&self, language: Language) -> Result<&Pipeline, Error> {
        self.pipelines
            .iter()
            .find(|(l, _)| *l == language)
            .map(|(_, p)| p)
            .ok_or_else(|| Error::new(format!("no pipeline was built for language `{language}`")))
    }

    /// Whether a first reading of all documents is of use: see [`Engine::gather`].
    pub fn trusts_records(&self) -> bool {
        self.policies().any(Policy::trusts_record)
    }

    /// What is certain in one note, for [`Records`]; nothing where the policy of its language does not ask.
    pub fn gather(&self, note: Note) -> Result<TrustedRecord, Error> {
        guarded(|| {
            let pipeline = self.pipeline(note.language)?;
            if pipeline.policy().trusts_record() {
                pipeline.gather(note)
            } else {
                Ok(TrustedRecord::default())
            }
        })
    }

    /// What was gathered, to be looked for in every document from now on. The first call counts.
    pub fn remember(&self, records: Records) {
        let _ = self.records.set(records);
    }

    /// What is certain of the note's patient, of what was remembered.
    fn remembered(&self, note: &Note) -> TrustedRecord {
        self.records.get().map(|records| records.of(note.patient.as_deref())).unwrap_or_default()
    }

    /// What identifies somebody in one note. A fault inside a stage is an error of this document only.
    pub fn detect(&self, note: Note) -> Result<(Note, Vec<Entity>), Error> {
        self.find(note).map(|(note, findings)| (note, findings.entities))
    }

    /// The same, with what was spared.
    pub fn find(&self, note: Note) -> Result<(Note, Findings), Error> {
        let others = self.remembered(&note);
        self.find_with(note, &others)
    }

    /// The same, with what the caller holds for certain of the note's patient; it counts where the policy trusts records.
    pub fn find_with(&self, note: Note, others: &TrustedRecord) -> Result<(Note, Findings), Error> {
        guarded(|| {
            let pipeline = self.pipeline(note.language)?;
            match pipeline.policy().trusts_record() {
                true => pipeline.find_one(note, others),
                false => pipeline.find_one(note, &TrustedRecord::default()),
            }
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
        let others = self.remembered(&note);
        self.run_with(note, &others)
    }

    /// The same, with what the caller holds for certain of the note's patient.
    pub fn run_with(&self, note: Note, others: &TrustedRecord) -> Result<Deidentified, Error> {
        let (note, findings) = self.find_with(note, others)?;
        guarded(|| {
            let doubt = findings.doubt();
            let pipeline = self.pipeline(note.language)?;
            Ok(Deidentified { doubt, ..pipeline.rewrite(&note, findings.entities)? })
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

fn id_tells(note: &Note, entities: &[Entity]) -> bool {
    const SHORTEST: usize = 4;
    let id = fold(&note.id);
    if id.bytes().filter(u8::is_ascii_alphabetic).count() < SHORTEST {
        return false;
    }
    let named =
        |e: &&Entity| matches!(e.label, Label::GivenName | Label::FamilyName) && e.span.len() >= SHORTEST;
    entities.iter().filter(named).any(|e| id.contains(&fold(e.span.of(note.raw()))))
}

fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::new("an internal fault stopped this document; please report its format and size"))
    })
}
