//! Hospitals, health centres and institutions. One named after a town moves with the town ("CHU de Bordeaux" is a CHU
//! of the surrogate town); another takes the name of another facility of its kind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, OnceLock};

use taire_lexicon::Lexicon;
use taire_text::joint::{self, Follows};
use taire_text::{Label, Language, fold};

use crate::gazetteer::search_form;
use crate::key::{Purpose, Scope, Streams};
use crate::places::{Atlas, dress_place};
use crate::shape::{Case, case_of, set_case};
use crate::words;

/// Words that say what a facility is, and tell nothing of which.
const KINDS: &str = "a ambulatorio ap assistance au c cabinet centre centro ch chg chr chru chu clinica clinico \
     clinique cmp colegio college comarcal complejo consultorio d de del des dispensaire du ecole ehpad el en \
     espic et farmacia foyer fundacion general geriatrique gh ght ghu groupe hemodialyse hia hl \
     hopital hopitaux hospices hospital hospitalario hospitalier hospitaliere institut instituto l la \
     laboratoire laboratorio le les los lycee maison maternite medical medico national pharmacie \
     policlinica polyclinica polyclinique prive privee provincial public publics regional residence s \
     residencia salud sanitario sante service servicio ssr unite universidad universitaire \
     universitario universitat universite usld y";

/// Short forms of kinds: a hospital is one hospital, written either way.
const SHORT_KINDS: &[(&str, &str)] =
    &[("ch", "centre"), ("chg", "centre"), ("chr", "centre"), ("chru", "centre"), ("chu", "centre")];

/// A letter alone is one of `H.C.U.`.
fn is_kind(word: &str) -> bool {
    static KNOWN: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| KINDS.split(' ').collect());
    word.chars().count() == 1 || KNOWN.contains(fold(word).as_str())
}

/// A name of the pools without the words that say what it is.
fn own_name(name: &str) -> Option<&str> {
    let pieces = words::pieces(name);
    let own = pieces.iter().find(|p| !is_kind(&name[p.range.clone()]))?;
    Some(&name[own.range.start..])
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

/// The facility's surrogate; `None` when nothing in the pools fits. `before` is the text in front of it.
pub(crate) fn surrogate(
    streams: &Streams,
    scope: Scope<'_>,
    language: Language,
    atlas: &Atlas<'_>,
    label: Label,
    before: &str,
    text: &str,
) -> Option<String> {
    let pieces = words::pieces(text);
    // "Hospital Clínico" is made of such words alone: it is known by them.
    let own = pieces.iter().position(|p| !is_kind(&text[p.range.clone()]));
    let own_start = own.map_or(0, |own| pieces[own].range.start);
    let (head, name) = text.split_at(own_start);
    if let Some(town) = leads_to_town(head).then(|| town_of(atlas, head, name.trim_end())).flatten() {
        let mut out = head.to_owned();
        joint::push(&mut out, &town, Follows::Town, language);
        return Some(out);
    }
    let pool = Pool::of(language, label);
    let first = match own {
        Some(0) => kind_after_article(before, language).map(str::to_owned),
        _ => Some(fold(&text[pieces.first()?.range.clone()])),
    };
    let short = first.as_deref().and_then(|first| SHORT_KINDS.iter().find(|(short, _)| *short == first));
    let first = short.map(|(_, long)| (*long).to_owned()).or(first);
    let same = first.as_ref().and_then(|first| pool.by_first_word.get(first)).filter(|same| same.len() >= 3);
    let candidates = same.unwrap_or(&pool.all);
    let original = search_form(text);
    let bare = search_form(name);
    let mut draw = streams.draw(Purpose::Facility, scope, &bare);
    let new = (0..64).find_map(|_| {
        let form = draw.pick(candidates)?.form.as_str();
        let clear = form != original && !form.ends_with(&bare) && !original.ends_with(form);
        clear.then(|| candidates.iter().find(|c| c.form == form)).flatten().map(|c| c.name)
    })?;
    if own == Some(0) && same.is_none() {
        // The original was the name alone, as in "à Bichat".
        return Some(dress_place(own_name(new)?, text));
    }
    // A short form stays before the new name, and so does a kind that the pools have none of: a laboratory does not become a home.
    if let Some(kind) = kind(text).filter(|_| own.is_some() && (short.is_some() || same.is_none())) {
        let dot = if text[kind.len()..].starts_with('.') { "." } else { "" };
        let rest = match short {
            Some(_) => new.get(self::kind(new).map_or(0, str::len)..)?.trim_start(),
            None => own_name(new)?,
        };
        return Some(format!("{kind}{dot} {}", dress_place(rest, name)));
    }
    let small = own == Some(0) || text.starts_with(char::is_lowercase);
    let new = dress_place(new, name);
    let mut letters = new.chars();
    match letters.next() {
        Some(first) if small && letters.clone().any(char::is_lowercase) => {
            Some(first.to_lowercase().chain(letters).collect())
        }
        _ => Some(new),
    }
}

/// Where the town that a facility is named after has gone: `Mans` behind `CHU du` is Le Mans.
fn town_of(atlas: &Atlas<'_>, head: &str, name: &str) -> Option<String> {
    let folded = fold(head);
    let forms = match folded.trim_end().rsplit(' ').next() {
        Some("du") => vec![format!("Le {name}"), name.to_owned()],
        Some("des") => vec![format!("Les {name}")],
        _ => vec![name.to_owned()],
    };
    forms.iter().find_map(|town| {
        atlas.knows(town).then(|| atlas.town_name(town)).flatten().map(|new| match case_of(name) {
            Case::Upper => set_case(&new, Case::Upper),
            _ => new,
        })
    })
}

/// A name alone behind an article, as in "à la Pitié-Salpêtrière": the word of that gender that can stand there.
fn kind_after_article(before: &str, language: Language) -> Option<&'static str> {
    let folded = fold(before);
    let ends = |words: &[&str]| {
        words.iter().any(|word| {
            folded.strip_suffix(word).is_some_and(|head| !head.ends_with(|c: char| c.is_alphanumeric()))
        })
    };
    match language {
        Language::Fr if ends(&["la "]) => Some("clinique"),
        Language::Fr if ends(&["l'"]) => Some("hopital"),
        Language::Fr if ends(&["au ", "le ", "du "]) => Some("centre"),
        Language::Es if ends(&["la "]) => Some("clinica"),
        Language::Es if ends(&["el ", "al ", "del "]) => Some("hospital"),
        _ => None,
    }
}

/// `CHU de`, `Hôpital d'`, `CH`: a town follows. After `Hôpital` alone, `Saint-Louis` is a saint.
fn leads_to_town(head: &str) -> bool {
    let folded = fold(head);
    [" de ", " d'", " del ", " des ", " du ", " en "].iter().any(|joint| folded.ends_with(joint))
        || matches!(folded.trim_end(), "ch" | "chg" | "chr" | "chru" | "chu")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::key::test_streams;
    use crate::testing::note;

    fn make(text: &str, label: Label, language: Language) -> String {
        make_behind("", text, label, language)
    }

    fn make_behind(before: &str, text: &str, label: Label, language: Language) -> String {
        let streams = test_streams(2);
        let note = note(text, language, Arc::default());
        let account = crate::account::Account::new(taire_privacy::Budget::default());
        let profiles = crate::profiles::Profiles::shipped();
        let method = crate::settings::Places::List;
        let chosen = crate::places::Chosen { method, profiles: &profiles, account: &account };
        let atlas = Atlas::of_institution(&streams, chosen, &note, &[]);
        if label == Label::City {
            return atlas.city(text).unwrap();
        }
        surrogate(&streams, Scope::Corpus, language, &atlas, label, before, text).unwrap()
    }

    /// Defects: "CENTRE HOSPITALIER DE CORNOUAILLE" and "CH de Cornouaille" were two hospitals, a laboratory became a nursing home.
    #[test]
    fn a_hospital_is_one_by_its_short_form_and_keeps_its_kind() {
        let long = make("CENTRE HOSPITALIER DE CORNOUAILLE", Label::Hospital, Language::Fr);
        let short = make("CH de Cornouaille", Label::Hospital, Language::Fr);
        assert!(short.starts_with("CH ") && !fold(&short).contains("cornouaille"), "{short}");
        let last = |name: &str| fold(name.rsplit(' ').next().unwrap());
        assert_eq!(last(&long), last(&short), "{long} {short}");
        let laboratory = make("LABORATOIRE DES DEUX RIVIERES", Label::HealthCentre, Language::Fr);
        assert!(laboratory.starts_with("LABORATOIRE ") && !laboratory.contains("RIVIERES"), "{laboratory}");
        let letters = make("H.C.U. LOZANO BLESA", Label::Hospital, Language::Es);
        assert!(letters.starts_with("H.C.U. ") && !letters.contains("LOZANO"), "{letters}");
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

    #[test]
    fn a_town_with_an_article_is_joined_as_french_does() {
        let mans = make("CHU du Mans", Label::Hospital, Language::Fr);
        assert!(mans.starts_with("CHU d") && !mans.contains("Mans"), "{mans}");
        for town in ["Moulins", "Brest", "Rodez", "Nantes", "Saint-Lô", "Poitiers"] {
            let new = make(&format!("CH de {town}"), Label::Hospital, Language::Fr);
            assert!(!new.contains(" de Le"), "{new}");
            let upper = make(&format!("CH DE {}", town.to_uppercase()), Label::Hospital, Language::Fr);
            assert!(!upper.contains(" DE LE ") && !upper.contains(char::is_lowercase), "{upper}");
        }
    }

    #[test]
    fn a_name_alone_agrees_with_its_article() {
        let la = make_behind("vu à la ", "Pitié-Salpêtrière", Label::Hospital, Language::Fr);
        assert!(la.starts_with("clinique "), "{la}");
        let au = make_behind("transféré au ", "Kremlin", Label::Hospital, Language::Fr);
        assert!(au.starts_with("centre "), "{au}");
        let el = make_behind("ingresó en el ", "Clínico", Label::Hospital, Language::Es);
        assert!(el.to_lowercase().starts_with("hospital "), "{el}");
    }

    #[test]
    fn a_name_made_of_common_words_is_replaced() {
        let new = make("Hospital Clínico", Label::Hospital, Language::Es);
        assert!(new.starts_with("Hospital ") && new != "Hospital Clínico", "{new}");
    }
}
