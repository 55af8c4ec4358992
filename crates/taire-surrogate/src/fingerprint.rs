//! The fingerprint of the rewrite settings, which is part of every derivation from the key.
//!
//! One key under two policies must give unrelated surrogates: otherwise the release of a weak policy opens that of a strong
//! one. A key file remembers nothing, so the derivation alone keeps them apart.

use sha2::{Digest, Sha512};

use crate::Error;
use crate::settings::Settings;

/// Raised when the pools or the way surrogates are drawn from them change: a test compares a digest of the lists.
const DRAWING: &str = "taire-2";

/// A digest of everything that changes what is written in place of a value: scope, methods and their parameters, actions,
/// the table of indicators by its content, the revision of the pools. Names and descriptions of policies and what concerns
/// detection are no part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct SettingsFingerprint([u8; 32]);

impl SettingsFingerprint {
    /// `indicators` is the content of the table that `settings` names.
    pub(crate) fn new(settings: &Settings, indicators: Option<&[u8]>) -> Result<Self, Error> {
        let plain = Settings { indicators: None, ..settings.clone() };
        let written = serde_json::to_vec(&plain)
            .map_err(|e| Error::new(format!("the rewrite settings cannot be written down: {e}")))?;
        let table = indicators.map(Sha512::digest);
        let mut hash = Sha512::new();
        for part in [DRAWING.as_bytes(), &written, table.as_ref().map_or(&[][..], |t| t.as_slice())] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let mut out = [0; 32];
        out.copy_from_slice(&hash.finalize()[..32]);
        Ok(SettingsFingerprint(out))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        SettingsFingerprint([0; 32])
    }
}

#[cfg(test)]
mod tests {
    use taire_lexicon::Lexicon;
    use taire_text::{Gender, Language};

    use super::*;

    fn of(settings: &str) -> SettingsFingerprint {
        SettingsFingerprint::new(&toml::from_str(settings).unwrap(), None).unwrap()
    }

    #[test]
    fn every_choice_counts_and_spelling_out_a_default_does_not() {
        let default = of("");
        assert!(default == of("scope = \"patient\"\nold_age = 90\ndates = { method = \"warp\" }"));
        for other in [
            "scope = \"corpus\"",
            "old_age = 89",
            "dates = { method = \"shift\" }",
            "dates = { method = \"warp\", slope = 0.19 }",
            "places = { method = \"geo\", epsilon = 0.25 }",
            "ids = \"token\"",
            "[labels]\nCity = \"keep\"",
            "[budget]\npure = 1.0",
        ] {
            assert!(default != of(other), "{other}");
        }
    }

    #[test]
    fn a_table_counts_by_its_content_and_not_by_its_path() {
        let settings = |path: &str| Settings { indicators: Some(path.into()), ..Settings::default() };
        let print = |path, content: &[u8]| SettingsFingerprint::new(&settings(path), Some(content)).unwrap();
        assert!(print("a.csv", b"code,x") == print("b/c.csv", b"code,x"));
        assert!(print("a.csv", b"code,x") != print("a.csv", b"code,y"));
    }

    /// Streams of one seed over two lists give related surrogates: other pools need another revision.
    #[test]
    fn other_pools_need_another_revision() {
        let mut hash = Sha512::new();
        for &language in Language::ALL {
            let pools = Lexicon::of(language).pools();
            let lists = [
                pools.family(),
                pools.given(Gender::Female),
                pools.given(Gender::Male),
                pools.hospitals(),
                pools.health_centres(),
                pools.institutions(),
            ];
            lists.iter().flat_map(|list| list.iter()).for_each(|name| {
                hash.update(name.as_bytes());
                hash.update([0]);
            });
        }
        let digest: String = hash.finalize()[..8].iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(
            (DRAWING, digest.as_str()),
            ("taire-2", "99f452ccee8d07bc"),
            "the pools changed: raise DRAWING in this file and write the new pair here"
        );
    }
}
