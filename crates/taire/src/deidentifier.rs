//! The library's front door: a policy and a key, and documents through them one by one or together.

use std::convert::Infallible;
use std::path::PathBuf;

use taire_formats::{Document, OutSpan, Reason};
use taire_text::{Entity, Language};

use crate::run::Item;
use crate::{Deidentified, Engine, Error, Policy, Records, Run, SecretKey, Task, text_id};

/// Finds what identifies people in documents, and rewrites it.
///
/// ```
/// use taire::{Deidentifier, Document, SecretKey};
///
/// let deid = Deidentifier::builder().policy("fr").key(SecretKey::generate()?).build()?;
/// let out = deid.deidentify(Document::new("a", "Mme Aldegonde KERVADEC").patient("800417"))?;
/// assert!(!out.text().contains("KERVADEC"));
/// assert_eq!(out.spans().len(), out.entities().len());
/// # Ok::<(), taire::Error>(())
/// ```
#[derive(Debug)]
pub struct Deidentifier {
    engine: Engine,
    key: Option<SecretKey>,
    jobs: usize,
}

/// A policy by name, by path, or at hand.
#[derive(Clone, Debug)]
enum PolicyChoice {
    Named(String),
    Given(Box<Policy>),
}

/// A key, or the error of making or reading one, which [`DeidentifierBuilder::build`] then returns.
#[derive(Clone, Debug)]
pub struct KeyChoice(Result<SecretKey, Error>);

impl From<SecretKey> for KeyChoice {
    fn from(key: SecretKey) -> Self {
        KeyChoice(Ok(key))
    }
}

impl<E: Into<Error>> From<Result<SecretKey, E>> for KeyChoice {
    fn from(key: Result<SecretKey, E>) -> Self {
        KeyChoice(key.map_err(Into::into))
    }
}

/// Gathers the choices of a [`Deidentifier`].
#[derive(Clone, Debug, Default)]
pub struct DeidentifierBuilder {
    policy: Option<PolicyChoice>,
    words: Vec<PathBuf>,
    language: Option<Language>,
    key: Option<KeyChoice>,
    jobs: Option<usize>,
}

impl DeidentifierBuilder {
    /// A shipped policy by its name, or the path of a `.toml` file. Without one, each document is treated by the policy
    /// of its language.
    #[must_use]
    pub fn policy(mut self, name_or_path: impl Into<String>) -> Self {
        self.policy = Some(PolicyChoice::Named(name_or_path.into()));
        self
    }

    /// A policy that was built or changed in code.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = Some(PolicyChoice::Given(Box::new(policy)));
        self
    }

    /// The key that surrogates are drawn from, or what `SecretKey::read` and `SecretKey::generate` return. Without one,
    /// documents can be searched and not rewritten.
    #[must_use]
    pub fn key(mut self, key: impl Into<KeyChoice>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The language of all documents, which is otherwise guessed from each.
    #[must_use]
    pub fn language(mut self, language: Language) -> Self {
        self.language = Some(language);
        self
    }

    /// A list of judged words, beside those of the policy.
    #[must_use]
    pub fn word_list(mut self, path: impl Into<PathBuf>) -> Self {
        self.words.push(path.into());
        self
    }

    /// Threads for [`Deidentifier::deidentify_all`]; by default one for each core.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// Loads the detectors.
    pub fn build(self) -> Result<Deidentifier, Error> {
        let own = self.key.map(|KeyChoice(key)| key).transpose()?;
        let key = own.as_ref();
        let engine = match self.policy {
            None => Engine::with_words(None, &self.words, self.language, key)?,
            Some(PolicyChoice::Named(name)) => {
                Engine::with_words(Some(&name), &self.words, self.language, key)?
            }
            Some(PolicyChoice::Given(mut policy)) => {
                policy.add_allow_lists(&self.words)?;
                Engine::of_policy(&policy, self.language, key)?
            }
        };
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Deidentifier { engine, key: own, jobs: self.jobs.unwrap_or_else(cores) })
    }
}

impl Deidentifier {
    /// Begins with the choices that ship.
    pub fn builder() -> DeidentifierBuilder {
        DeidentifierBuilder::default()
    }

    /// Finds and rewrites one document by itself. Spans that come with it are final:
    ///
    /// ```
    /// use taire::{Deidentifier, Document, FinalSpan, Label, SecretKey};
    ///
    /// let deid = Deidentifier::builder().policy("fr").key(SecretKey::generate()?).build()?;
    /// let text = "Vu avec Ambre, à Brest.";
    /// let out = deid.deidentify(Document::new("a", text).spans([FinalSpan::new(8..13, Label::GivenName)]))?;
    /// assert!(!out.text().contains("Ambre") && out.text().contains("Brest"));
    /// # Ok::<(), taire::Error>(())
    /// ```
    pub fn deidentify(&self, document: Document) -> Result<Deidentified, Error> {
        let mut document = self.opened(self.named(document)?)?;
        let run = Run::new(&self.engine, Task::Deid { refuse_below: None });
        run.treat(&mut document, &Records::default())?.done.put_in_form(&document)
    }

    /// Finds and rewrites documents, and looks for what is certain in one document of a patient in the others. The
    /// results are in the order of the documents; one that is refused does not keep the others from being treated.
    ///
    /// ```
    /// use taire::{Deidentifier, Document, SecretKey};
    ///
    /// let deid = Deidentifier::builder().policy("fr").key(SecretKey::generate()?).build()?;
    /// let letter = |id: &str, text: &str| Document::new(id, text).patient("800417");
    /// let letters = vec![letter("a", "Nom : KERVADEC\nPrénom : Aldegonde"), letter("b", "Kervadec va bien.")];
    /// for out in deid.deidentify_all(letters)? {
    ///     assert!(!out?.text().to_lowercase().contains("kervadec"));
    /// }
    /// # Ok::<(), taire::Error>(())
    /// ```
    pub fn deidentify_all(
        &self,
        documents: Vec<Document>,
    ) -> Result<Vec<Result<Deidentified, Error>>, Error> {
        if self.key.is_none() {
            return Err(needs_key());
        }
        let documents = documents.into_iter().map(|d| self.named(d)).collect::<Result<Vec<_>, _>>()?;
        let opened: Vec<_> = documents.into_iter().map(open_text).collect();
        let items = || {
            opened.iter().map(|(document, refused)| Item {
                refused: refused.clone(),
                ..Item::from(document.detached())
            })
        };
        let run = Run::new(&self.engine, Task::Deid { refuse_below: None }).jobs(self.jobs);
        let records = run.first_reading(items);
        let mut out = Vec::with_capacity(opened.len());
        let Ok(()) = run.each(items(), &records, |_, treated| {
            let (document, _) = &opened[out.len()];
            out.push(treated.and_then(|treated| treated.done.put_in_form(document)));
            Ok::<_, Infallible>(())
        });
        Ok(out)
    }

    /// Finds what identifies people in one document: entities with their label, role, score, sources and reasons.
    ///
    /// ```
    /// use taire::{Deidentifier, Document, Label};
    ///
    /// let deid = Deidentifier::builder().policy("fr").build()?;
    /// let text = "Dr Le Goff, Brest";
    /// let found = deid.detect(Document::new("b", text))?;
    /// assert!(found.iter().any(|entity| entity.label == Label::FamilyName));
    /// # Ok::<(), taire::Error>(())
    /// ```
    pub fn detect(&self, document: Document) -> Result<Vec<Entity>, Error> {
        let note = self.opened(document)?.into_note(self.engine.language())?;
        self.engine.detect(note).map(|(_, entities)| entities)
    }

    /// The engine, for runs over files: see [`Run`].
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    fn opened(&self, document: Document) -> Result<Document, Error> {
        match open_text(document) {
            (document, None) => Ok(document),
            (_, Some(reason)) => Err(Error::refused(reason)),
        }
    }

    /// A document without an id is named after its text: two of them share their surrogates only if they are the same.
    fn named(&self, mut document: Document) -> Result<Document, Error> {
        let key = self.key.as_ref().ok_or_else(needs_key)?;
        if document.id.is_empty() {
            document.id = text_id(key, &document.text)?;
        }
        Ok(document)
    }
}

/// Opens a text that is HTML, RTF or base64; or says why it cannot be treated.
fn open_text(mut document: Document) -> (Document, Option<Reason>) {
    let refused = document.open_text().err();
    (document, refused)
}

fn needs_key() -> Error {
    Error::usage("rewriting needs a secret key")
}

impl Deidentified {
    /// The new text, in the form the old one came in: HTML stays HTML.
    pub fn text(&self) -> &str {
        self.in_form.as_deref().unwrap_or(&self.text)
    }

    /// The new text without its markup, the same as [`Deidentified::text`] where there was none.
    pub fn plain_text(&self) -> &str {
        &self.text
    }

    fn put_in_form(mut self, document: &Document) -> Result<Self, Error> {
        if !document.form.is_plain() {
            self.in_form = Some(document.written_text(&self.text, &self.written_spans())?.into_owned());
        }
        Ok(self)
    }

    /// What was written, in bytes of [`Deidentified::plain_text`].
    pub fn spans(&self) -> Vec<OutSpan> {
        self.written_spans()
    }

    /// What was found, in bytes of the original as it was read.
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// What replaces the patient id.
    pub fn patient(&self) -> Option<&str> {
        self.patient.as_deref()
    }
}
