//! The pipelines of a run: which one reads a document, and what is refused before it is read.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use taire_detect::{LinkFacts, PeopleIndex, TrustedRecord, foreign_language};
use taire_formats::{Directory, FinalSpan};
use taire_surrogate::{IdKind, RecordNames, Rewriter, ScopeKind, SecretKey};
use taire_text::{CancelFlag, Entity, Label, Language, Note};

use crate::report::DirectoryCounts;
use crate::settled::settled_entities;
use crate::{Deidentified, Doubt, Error, Findings, Pipeline, Policy};

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
