//! Hospitals, health centres and institutions. One named after a town moves with the town ("CHU de Bordeaux" is a CHU
//! of the surrogate town); another takes the name of another facility of its kind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, OnceLock};

use taire_lexicon::Lexicon;
use taire_text::{Label, Language, fold};

use crate::gazetteer::search_form;
use crate::key::{Purpose, Scope, Streams};
use crate::places::{Atlas, dress_place};
use crate::words;

/// Words that say what a facility is, and tell nothing of which.
const KINDS: &str = "a ambulatorio ap assistance au cabinet centre centro ch chg chr chru chu clinica clinico \
     clinique cmp colegio college complejo consultorio d de del des dispensaire du ecole ehpad el en \
     espic et farmacia foyer fundacion general geriatrique gh ght ghu groupe hemodialyse hia hl \
     hopital hopitaux hospices hospital hospitalario hospitalier hospitaliere institut instituto l la \
     laboratoire laboratorio le les los lycee maison maternite medical medico national pharmacie \
     policlinica polyclinica polyclinique prive privee provincial public publics regional residence \
     residencia salud sanitario sante service servicio ssr unite universidad universitaire \
     universitario universitat universite usld y";

fn is_kind(word: &str) -> bool {
    static KNOWN: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| KINDS.split(' ').collect());
    KNOWN.contains(fold(word).as_str())
}

/// A facility of the pools, and its name as names are compared.
#[derive(Clone)]
struct Candidate {
    name: &'static str,
    form: String,
}

/// Facilities of one kind, read once.
#[derive(Default)]
struct Pool {
    all: Vec<Candidate>,
    by_first_word: BTreeMap<String, Vec<Candidate>>,
}

impl Pool {
    fn of(language: Language, label: Label) -> &'static Pool {
        type Kinds = [OnceLock<Pool>; 3];
        static POOLS: [Kinds; Language::ALL.len()] =
            [const { [const { OnceLock::new() }; 3] }; Language::ALL.len()];
        let pools = Lexicon::of(language).pools();
        let (kind, names) = match label {
            Label::Hospital => (0, pools.hospitals()),
            Label::HealthCentre => (1, pools.health_centres()),
            _ => (2, pools.institutions()),
        };
        POOLS[language as usize][kind].get_or_init(|| {
            let mut pool = Pool::default();
            for &name in names {
                let candidate = Candidate { name, form: search_form(name) };
                let first = fold(name.split(' ').next().unwrap_or_default());
                pool.by_first_word.entry(first).or_default().push(candidate.clone());
                pool.all.push(candidate);
            }
            pool
        })
    }
}

/// The words that say what a facility is: `CHU` of `CHU de Bordeaux`. `None` for a name alone.
pub(crate) fn kind(text: &str) -> Option<&str> {
    const JOINTS: &str = "a au d de del des du el en et l la le les los y";
    let pieces = words::pieces(text);
    let own = pieces.iter().position(|p| !is_kind(&text[p.range.clone()])).unwrap_or(pieces.len());
    let joint = |word: &str| JOINTS.split(' ').any(|j| j == fold(word));
    let last = pieces[..own].iter().rposition(|p| !joint(&text[p.range.clone()]))?;
    text.get(..pieces[last].range.end)
}

/// The facility's surrogate; `None` when nothing in the pools fits.
pub(crate) fn surrogate(
    streams: &Streams,
    scope: Scope<'_>,
    language: Language,
    atlas: &Atlas<'_>,
    label: Label,
    text: &str,
) -> Option<String> {
    let pieces = words::pieces(text);
    let own = pieces.iter().position(|p| !is_kind(&text[p.range.clone()]))?;
    let name = &text[pieces[own].range.start..];
    let head = &text[..pieces[own].range.start];
    if own > 0 && leads_to_town(head) && atlas.knows(name.trim_end()) {
        let town = atlas.town_name(name.trim_end())?;
        return Some(elide(head, &town, language));
    }
    let pool = Pool::of(language, label);
    let first = fold(&text[pieces.first()?.range.clone()]);
    let same = pool.by_first_word.get(&first).filter(|same| own > 0 && same.len() >= 3);
    let candidates = same.unwrap_or(&pool.all);
    let original = search_form(text);
    let bare = search_form(name);
    let mut draw = streams.draw(Purpose::Facility, scope, &bare);
    let new = (0..64).find_map(|_| {
        let form = draw.pick(candidates)?.form.as_str();
        let clear = form != original && !form.ends_with(&bare) && !original.ends_with(form);
        clear.then(|| candidates.iter().find(|c| c.form == form)).flatten().map(|c| c.name)
    })?;
    if own > 0 {
        let new = dress_place(new, name);
        let mut letters = new.chars();
        return match letters.next() {
            Some(first) if text.starts_with(char::is_lowercase) => {
                Some(first.to_lowercase().chain(letters).collect())
            }
            _ => Some(new),
        };
    }
    // The original was the name alone, as in "à Bichat".
    let new_pieces = words::pieces(new);
    let named = new_pieces.iter().find(|p| !is_kind(&new[p.range.clone()]))?;
    Some(dress_place(&new[named.range.start..], text))
}

/// `CHU de`, `Hôpital d'`, `CH`: a town follows. After `Hôpital` alone, `Saint-Louis` is a saint.
fn leads_to_town(head: &str) -> bool {
    let folded = fold(head);
    [" de ", " d'", " del ", " du ", " en "].iter().any(|joint| folded.ends_with(joint))
        || matches!(folded.trim_end(), "ch" | "chg" | "chr" | "chru" | "chu")
}

/// French writes `d'` before a vowel and `de` before a consonant, as the new town asks.
fn elide(head: &str, town: &str, language: Language) -> String {
    let vowel = town.chars().next().is_some_and(|c| "aeiouy".contains(taire_text::fold_char(c).0[0]));
    let swapped = match (language, vowel) {
        (Language::Fr, true) => [(" de ", " d'"), (" DE ", " D'")],
        (Language::Fr, false) => [(" d'", " de "), (" D'", " DE ")],
        (Language::Es, _) => return format!("{head}{town}"),
    };
    let found = swapped.into_iter().find_map(|(old, new)| Some((head.strip_suffix(old)?, new)));
    let (head, joint) = found.unwrap_or((head, ""));
    format!("{head}{joint}{town}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::key::test_streams;
    use crate::testing::note;

    fn make(text: &str, label: Label, language: Language) -> String {
        let streams = test_streams(2);
        let note = note(text, language, Arc::default());
        let account = crate::account::Account::new(taire_privacy::Budget::default());
        let profiles = crate::profiles::Profiles::shipped();
        let method = crate::settings::Places::List;
        let chosen = crate::places::Chosen { method, profiles: &profiles, account: &account };
        let atlas = Atlas::new(&streams, Scope::Patient("p"), chosen, &note, &[]);
        if label == Label::City {
            return atlas.city(text).unwrap();
        }
        surrogate(&streams, Scope::Patient("p"), language, &atlas, label, text).unwrap()
    }

    #[test]
    fn a_hospital_named_after_a_town_moves_with_it() {
        let town = make("Bordeaux", Label::City, Language::Fr);
        let hospital = make("CHU de Bordeaux", Label::Hospital, Language::Fr);
        assert!(hospital.starts_with("CHU d") && hospital.ends_with(&town), "{hospital} {town}");
    }

    #[test]
    fn others_take_the_name_of_one_of_their_kind() {
        let french = make("Hôpital Bichat", Label::Hospital, Language::Fr);
        assert!(french.starts_with("Hôpital ") && french != "Hôpital Bichat", "{french}");
        let saint = make("Hôpital Saint-Louis", Label::Hospital, Language::Fr);
        assert!(saint.starts_with("Hôpital ") && saint != "Hôpital Saint-Louis", "{saint}");
        let lower = make("hôpital Saint-Louis", Label::Hospital, Language::Fr);
        assert!(lower.starts_with("hôpital ") && lower.chars().any(char::is_uppercase), "{lower}");
        let bare = make("Bichat", Label::Hospital, Language::Fr);
        assert!(!bare.starts_with("Hôpital") && bare != "Bichat", "{bare}");
        let spanish = make("Hospital Rey Juan Carlos", Label::Hospital, Language::Es);
        assert!(spanish.starts_with("Hospital ") && !spanish.contains("Rey Juan"), "{spanish}");
    }
}
