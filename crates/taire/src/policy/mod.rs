//! Policies: what to find, whom to believe, what to write. Data in TOML, checked before anything runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use taire_detect::{FusionRule, Judgements, Section, WordList};
use taire_surrogate::Settings;
use taire_text::{Label, Language, Score, Source};

use crate::Error;

mod check;
mod layers;
mod own;
mod reference;

pub use own::{AllowedWords, DenyList, PatternRule};
pub use reference::{POLICY_KEYS, PolicyKey, policy_reference};

/// The policies inside the binary: name and TOML.
pub const SHIPPED: &[(&str, &str)] = &[
    ("fr", include_str!("../../../../policies/fr.toml")),
    ("es", include_str!("../../../../policies/es.toml")),
    ("bigeard", include_str!("../../../../policies/bigeard.toml")),
    ("hybrid", include_str!("../../../../policies/hybrid.toml")),
    ("fr-deep", include_str!("../../../../policies/fr-deep.toml")),
    ("es-deep", include_str!("../../../../policies/es-deep.toml")),
    ("share-fr", include_str!("../../../../policies/share-fr.toml")),
    ("share-es", include_str!("../../../../policies/share-es.toml")),
    ("metric", include_str!("../../../../policies/metric.toml")),
    ("cordoba", include_str!("../../../../policies/cordoba.toml")),
    ("fasdim", include_str!("../../../../policies/fasdim.toml")),
];

/// A whole way of treating documents.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Its name; without one the name of its file, or of the policy it extends.
    #[serde(default)]
    pub name: String,
    /// The policy it begins from: a shipped name or a file. All that it does not say is as there. Empty once it is read,
    /// since everything is spelt out then.
    #[serde(default, skip_serializing)]
    pub extends: Option<String>,
    #[serde(default)]
    /// What it is for.
    pub description: String,
    /// The language it reads; without one it reads each document in its own.
    #[serde(default)]
    pub language: Option<Language>,
    /// Columns of tables and keys of objects passed through as they are; others that are not known are left out.
    #[serde(default)]
    pub keep_columns: Vec<String>,
    #[serde(default)]
    /// What is looked for, and by which detectors.
    pub detect: Detect,
    #[serde(default)]
    /// What is written in place of what was found.
    pub rewrite: Settings,
    /// Notes of its reading: keys under an old name.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// The `[detect]` table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Detect {
    /// The detectors that run.
    pub sources: Vec<SourceKey>,
    /// The score from which a mention counts.
    pub threshold: f32,
    /// The same, for one label.
    pub thresholds: BTreeMap<Label, f32>,
    /// Whom to believe when two disagree, most reliable first.
    pub order: Vec<SourceKey>,
    /// The same, for one label.
    pub labels: BTreeMap<Label, Vec<SourceKey>>,
    /// How far the source `trusted` looks.
    pub trusted: TrustedScope,
    /// Labels that are found but left alone and not reported.
    pub ignore: Vec<Label>,
    /// Which sources count in which part of a report; without it every source counts everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Parts>,
    /// Lists of judged words for the source `allow-list`. In a policy file, relative to that file.
    pub allow_lists: Vec<PathBuf>,
    /// A model of `taire train crf` for the source `crf`, instead of the one that ships. Relative like the lists.
    pub model: Option<PathBuf>,
    /// The folder of a model of `taire train transformer` for the source `transformer`, instead of the one that ships. Relative
    /// like the lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transformer: Option<PathBuf>,
    /// A model of the student for the source `student`, instead of the one that ships. Relative like the lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub student: Option<PathBuf>,
    /// Lets the sources `crf` and `transformer` decide together, as one source `transformer`: the CRF's share of the
    /// decision, from 0 to 1. Without it each decides alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<f32>,
    /// Lets the source `transformer` read only what the source `student` leaves in doubt: the chance of being part of an
    /// identifier, from 0 to 1, from which a word is in doubt. Without it the transformer reads everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cascade: Option<f32>,
    /// Whether the source `allow-list` starts from the words and patterns that ship; `false` allows only what was judged.
    #[serde(skip_serializing_if = "is_true")]
    pub starter: bool,
    /// Whether runs of more than five digits that nothing protects are identifiers, and boxes and flats parts of an address
    /// (Bigeard §3.2.4).
    #[serde(skip_serializing_if = "is_false")]
    pub long_numbers: bool,
    /// Whether the guard protects medicine: clinical values, form checks, eponyms. Off only to measure what it does.
    #[serde(skip_serializing_if = "is_true")]
    pub guard: bool,
    /// The score from which a mention of one source counts, beside the threshold of its label.
    #[serde(alias = "voices", skip_serializing_if = "BTreeMap::is_empty")]
    pub source_thresholds: BTreeMap<SourceKey, f32>,
    /// Regular expressions of one's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternRule>,
    /// Words that are always hidden.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<DenyList>,
    /// Words that stay where a detector would hide them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<AllowedWords>,
}

fn is_true(value: &bool) -> bool {
    *value
}

fn is_false(value: &bool) -> bool {
    !*value
}

impl Default for Detect {
    fn default() -> Self {
        use Source::*;
        Detect {
            // Those of `fr` and `es`: a short policy of one's own finds what they find.
            sources: [Metadata, Structure, Pattern, Lexicon, Initials, Student, Trusted]
                .map(SourceKey)
                .to_vec(),
            threshold: 0.4,
            thresholds: BTreeMap::new(),
            order: [
                Reviewer,
                Metadata,
                Student,
                Crf,
                Structure,
                Transformer,
                Pattern,
                Initials,
                Lexicon,
                Trusted,
                AllowList,
            ]
            .map(SourceKey)
            .to_vec(),
            labels: BTreeMap::new(),
            trusted: TrustedScope::default(),
            ignore: Vec::new(),
            parts: None,
            allow_lists: Vec::new(),
            model: None,
            transformer: None,
            student: None,
            cascade: None,
            pool: None,
            guard: true,
            long_numbers: false,
            starter: true,
            source_thresholds: BTreeMap::new(),
            patterns: Vec::new(),
            deny: Vec::new(),
            allow: Vec::new(),
        }
    }
}

/// The `[detect.parts]` table: the sources that count in each part of a report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    pub header: Vec<SourceKey>,
    pub body: Vec<SourceKey>,
    pub footer: Vec<SourceKey>,
}

impl Parts {
    pub(crate) fn allows(&self, section: Section, source: Source) -> bool {
        let sources = match section {
            Section::Header => &self.header,
            Section::Body => &self.body,
            Section::Footer => &self.footer,
        };
        source == Source::Guard || sources.contains(&SourceKey(source))
    }
}

/// Where what is certain is looked for again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustedScope {
    /// In the document it was found in.
    Document,
    /// In all documents of the patient, where documents carry patient ids and can be read twice.
    #[default]
    Record,
}

/// A source by the name it has in policies and annotations: `allow-list`, `crf`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SourceKey(pub Source);

impl Serialize for SourceKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.key())
    }
}

impl<'de> Deserialize<'de> for SourceKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Source::from_key(&name).map(SourceKey).map_err(serde::de::Error::custom)
    }
}

fn shipped_text(name: &str) -> Result<&'static str, Error> {
    SHIPPED.iter().find(|(n, _)| *n == name).map(|(_, text)| *text).ok_or_else(|| {
        let known: Vec<_> = SHIPPED.iter().map(|(n, _)| *n).collect();
        Error::policy(format!(
            "unknown policy `{name}`; known: {}, or the path of a .toml file",
            known.join(", ")
        ))
    })
}

/// Whether a policy is named by its file.
fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".toml")
}

impl Policy {
    /// A shipped policy by its name.
    pub fn shipped(name: &str) -> Result<Policy, Error> {
        Policy::parse(shipped_text(name)?, name)
    }

    /// A shipped policy by name, or a file.
    pub fn load(name_or_path: &str) -> Result<Policy, Error> {
        if !is_path(name_or_path) {
            return Policy::shipped(name_or_path);
        }
        layers::load_file(Path::new(name_or_path))
    }

    /// Adds lists of judged words to a policy that has an allow-list.
    pub fn add_allow_lists(&mut self, lists: &[PathBuf]) -> Result<(), Error> {
        self.detect.allow_lists.extend_from_slice(lists);
        self.check().map_err(|e| e.prefixed(&format!("policy {}: ", self.name)))
    }

    /// What the lists of judged words say, together.
    pub fn judgements(&self) -> Result<Judgements, Error> {
        let read = |path: &PathBuf| {
            let place = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|e| Error::policy(format!("word list {place} cannot be read: {e}")))?;
            Ok(WordList::parse(&text, &place)?)
        };
        let lists = self.detect.allow_lists.iter().map(read).collect::<Result<Vec<_>, Error>>()?;
        Ok(WordList::judgements(&lists))
    }

    /// Reads and checks a policy in TOML. Files that it names are relative to the working directory.
    ///
    /// ```
    /// let policy = taire::Policy::from_toml("extends = \"fr\"\n[rewrite.labels]\nCity = \"keep\"")?;
    /// assert!(policy.to_toml()?.contains("student"));
    /// let wrong = taire::Policy::from_toml("name = \"mine\"\n[detect]\nthreshold = 4").unwrap_err();
    /// assert_eq!(wrong.kind(), taire::ErrorKind::Policy);
    /// # Ok::<(), taire::Error>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Policy, Error> {
        Policy::parse(text, "in TOML")
    }

    /// Reads and checks a policy; `place` names it in messages.
    pub fn parse(text: &str, place: &str) -> Result<Policy, Error> {
        layers::parse(text, place)
    }

    /// The effective policy, every choice spelt out.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string_pretty(self)
            .map_err(|e| Error::policy(format!("policy {} cannot be printed: {e}", self.name)))
    }

    pub(crate) fn fusion(&self) -> FusionRule {
        let keys = |keys: &[SourceKey]| keys.iter().map(|k| k.0).collect::<Vec<_>>();
        let mut rule = FusionRule::new(Score::new(self.detect.threshold), &keys(&self.detect.order));
        for (label, threshold) in &self.detect.thresholds {
            rule.set_threshold(*label, Score::new(*threshold));
        }
        for (source, threshold) in &self.detect.source_thresholds {
            rule.set_source_threshold(source.0, Score::new(*threshold));
        }
        for (label, order) in &self.detect.labels {
            rule.set(*label, &keys(order));
        }
        rule
    }

    /// Where the policy wants a model that is not there: what is missing, and what to do.
    pub fn missing_model(&self) -> Option<String> {
        let folder = self.detect.transformer.as_ref()?;
        // A folder that may not be looked into is no missing one: reading it tells why.
        let absent = self.looks(Source::Transformer) && matches!(folder.try_exists(), Ok(false));
        absent.then(|| {
            format!(
                "policy `{name}` names a transformer, and there is no folder {} with its model; `taire train transformer` \
                 makes one; without the key detect.transformer the model that ships is used",
                folder.display(),
                name = self.name
            )
        })
    }

    /// Whether a transformer takes part in finding: slower, and some 300 MB of memory.
    pub fn uses_transformer(&self) -> bool {
        self.looks(Source::Transformer)
    }

    /// Whether documents of a patient are searched for what is certain in the others.
    pub fn trusts_record(&self) -> bool {
        self.looks(Source::Trusted) && self.detect.trusted == TrustedScope::Record
    }

    pub(crate) fn looks(&self, source: Source) -> bool {
        self.detect.sources.contains(&SourceKey(source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Mention, Span};

    #[test]
    fn shipped_policies_are_sound_and_print_back() {
        for (name, _) in SHIPPED {
            let policy = Policy::shipped(name).unwrap();
            assert_eq!(policy.name, *name);
            assert_eq!(Policy::parse(&policy.to_toml().unwrap(), "again").unwrap(), policy);
        }
    }

    /// The rewrite settings are part of every surrogate: a patient with letters in both languages must stay one.
    #[test]
    fn the_default_policies_rewrite_alike() {
        assert_eq!(Policy::shipped("fr").unwrap().rewrite, Policy::shipped("es").unwrap().rewrite);
    }

    /// Tchouka 2022, §3.4.3: its three cases on its example, with one of our rules in the place of MEDINA.
    #[test]
    fn hybrid_decides_as_published() {
        let text = "M. Jean habite à Bermont 90400";
        let says = |word: &str, label, source| {
            let start = text.find(word).unwrap();
            Mention::phi(Span::new(start, start + word.len()), label, 0.9, source, "test")
        };
        let mentions = [
            says("Jean", Label::GivenName, Source::Lexicon),
            says("Jean", Label::GivenName, Source::Transformer),
            says("Bermont", Label::FamilyName, Source::Lexicon),
            says("Bermont", Label::City, Source::Transformer),
            says("90400", Label::PostalCode, Source::Pattern),
        ];
        let rule = Policy::shipped("hybrid").unwrap().fusion();
        let decided: Vec<_> =
            taire_detect::fuse(text, &mentions, &rule).iter().map(|e| (e.span.of(text), e.label)).collect();
        let city = ("Bermont", Label::City);
        assert_eq!(decided, [("Jean", Label::GivenName), city, ("90400", Label::PostalCode)]);
    }

    #[test]
    fn a_policy_that_extends_another_says_only_what_differs() {
        let fr = Policy::shipped("fr").unwrap();
        let own = Policy::from_toml(
            "extends = \"fr\"\n[detect.thresholds]\nCity = 0.7\n[rewrite]\ndates = { method = \"shift\" }\n\
             [rewrite.labels]\nCity = \"keep\"",
        )
        .unwrap();
        assert_eq!(own.detect.sources, fr.detect.sources);
        assert_eq!(own.detect.thresholds.len(), fr.detect.thresholds.len() + 1);
        assert_eq!((own.language, own.detect.labels), (fr.language, fr.detect.labels));
        assert_eq!(own.rewrite.dates, taire_surrogate::Dates::Shift { min_days: 360, max_days: 1090 });
        assert_ne!(own.name, "fr");
        // Without it, the defaults have the model as well.
        let alone = Policy::from_toml("name = \"mine\"").unwrap();
        assert_eq!((alone.detect.sources, alone.detect.threshold), (fr.detect.sources, fr.detect.threshold));
    }

    #[test]
    fn extended_files_are_found_beside_the_file_that_names_them() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        put(
            "site/base.toml",
            "extends = \"es\"\n[[detect.deny]]\nlabel = \"Hospital\"\nfile = \"sites.txt\"",
        );
        put("site/sites.txt", "Los Olmos\n");
        let own = "extends = \"site/base.toml\"\n[[detect.deny]]\nlabel = \"City\"\nwords = [\"Villar\"]";
        let policy = Policy::load(&put("own.toml", own)).unwrap();
        assert_eq!((policy.name.as_str(), policy.language), ("own", Some(Language::Es)));
        assert_eq!(policy.detect.deny.len(), 2);
        assert_eq!(policy.detect.deny[0].file, Some(folder.path().join("site/sites.txt")));
        put("site/base.toml", "extends = \"../own.toml\"");
        let message = Policy::load(folder.path().join("own.toml").to_str().unwrap()).unwrap_err().to_string();
        assert!(message.contains("extends itself"), "{message}");
    }

    #[test]
    fn a_renamed_key_is_accepted_with_a_note() {
        let old = Policy::parse("name = \"x\"\n[detect.voices]\nlexicon = 0.6", "x").unwrap();
        let new = Policy::parse("name = \"x\"\n[detect.source_thresholds]\nlexicon = 0.6", "x").unwrap();
        assert_eq!(old.to_toml().unwrap(), new.to_toml().unwrap());
        let note = "policy x: line 2: key `detect.voices` is now called `detect.source_thresholds`";
        assert_eq!(old.notes, [note]);
        assert!(new.notes.is_empty());
        let both = "name = \"x\"\ndetect.voices.crf = 0.5\ndetect.source_thresholds.lexicon = 0.6";
        assert!(Policy::parse(both, "x").unwrap_err().to_string().contains("duplicate field"));
    }

    #[test]
    fn a_missing_model_is_named() {
        assert_eq!(Policy::shipped("es-deep").unwrap().missing_model(), None);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.toml");
        let text = "name = \"p\"\n[detect]\nsources = [\"transformer\"]\ntransformer = \"m\"";
        std::fs::write(&path, text).unwrap();
        let policy = Policy::load(path.to_str().unwrap()).unwrap();
        assert!(policy.missing_model().unwrap().contains("taire train transformer"));
        std::fs::create_dir(folder.path().join("m")).unwrap();
        assert_eq!(policy.missing_model(), None);
    }

    #[test]
    fn mistakes_name_the_known_choices() {
        for (text, says) in [
            (
                "name = \"x\"\n[detect]\nsources = [\"crff\"]",
                "unknown source `crff`; known: metadata, structure",
            ),
            ("name = \"x\"\n[detect]\nthreshold = 2.0", "must be between 0 and 1"),
            ("name = \"x\"\n[detect]\nsources = []", "every document would pass"),
            ("name = \"x\"\n[detect]\nallow_lists = [\"w.tsv\"]", "nothing would read them"),
            ("name = \"x\"\n[detect]\nmodel = \"m.crf\"", "nothing would read it"),
            ("name = \"x\"\n[detect]\ntransformer = \"m\"", "nothing would read it"),
            ("name = \"x\"\n[detect.source_thresholds]\ntransformer = 2.0", "must be between 0 and 1"),
            ("name = \"x\"\n[detect]\npool = 0.5", "does not name both"),
            ("name = \"x\"\n[detect]\npool = 1.5", "must be between 0 and 1"),
            ("name = \"x\"\nlangage = \"fr\"", "line 2: unknown key `langage`; did you mean `language`?"),
            ("name = \"x\"\n[detect.labels]\nFamilyNam = []", "did you mean `detect.labels.FamilyName`?"),
            (
                "[rewrite.lables]\nCity = \"keep\"\n[detect]\nthreshhold = 1",
                "line 4: unknown key `detect.threshhold`",
            ),
            ("[rewrite.lables]\nCity = \"keep\"", "did you mean `rewrite.labels`?"),
            ("[[detect.patterns]]\nregexp = \"x\"", "did you mean `detect.patterns.regex`?"),
            ("[rewrite.labels]\nFamilyName = \"generalise\"", "no wider value"),
            ("extends = \"frr\"", "unknown policy `frr`"),
            ("[[detect.patterns]]\nname = \"a\"\nlabel = \"OtherId\"\nregex = \"(\"", "pattern `a`"),
            (
                "[[detect.patterns]]\nname = \"a\"\nlabel = \"OtherId\"\nregex = \"x*\"",
                "matches the empty text",
            ),
        ] {
            let message = Policy::parse(text, "x").unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
        assert!(Policy::shipped("de").unwrap_err().to_string().contains("known: fr, es"));
    }
}
