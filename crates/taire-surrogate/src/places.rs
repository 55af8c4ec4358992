//! Towns, postal codes, departments, regions, countries and streets that still agree with each other.
//!
//! Within an area (a region, or several that have few departments each) the key permutes the departments; a town becomes a
//! town of its size in the new department, its postal code one of that town's. So town, postal code, department and
//! region agree without a table. A region that is an area of its own stays, as in the papers.
//!
//! A patient's town or department may come out as itself: drawn for each patient and never itself, the hospital's own
//! department would be the one that never appears. The towns of the institution are drawn once for the release
//! ([`Whose::Institution`]), and are never themselves: one draw tells what one town is not, and no more.
//!
//! That is `list`. Under `geo`, `health` and `health-strict` a mechanism draws a patient's new town from the region's, books
//! its loss, and the department follows the towns of the note.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use taire_lexicon::PlaceKind;
use taire_privacy::{Exponential, Loss, Mechanism, NearestExponential, PlanarLaplace};
use taire_text::{Entity, KnownIdentity, Label, Language, Note, fold};

use crate::account::{Account, Release};
use crate::areas;
use crate::gazetteer::{AnyTown, Gazetteer, department_of_postal, inhabitants, search_form};
use crate::key::{Purpose, Scope, Streams};
use crate::profiles::{Place, Profiles, distance, kilometres};
use crate::settings::Places;
use crate::shape::{Case, case_of, dress, has_accent, set_case, strip_accents};
use crate::wider::Size;

/// A postal code this near a town, in bytes, is that town's.
const NEAR: usize = 40;

pub(crate) struct Atlas<'a> {
    streams: &'a Streams,
    scope: Scope<'a>,
    language: Language,
    gazetteer: &'static Gazetteer,
    /// Postal codes of the note and of the known identity, and the first of them: they tell towns of one name apart.
    hints: BTreeSet<String>,
    first_hint: Option<String>,
    whose: Whose,
    /// Towns of the note with where they stand, in order.
    cities: Vec<(usize, usize, AnyTown)>,
    /// The first of them in each department and each region.
    by_department: BTreeMap<&'static str, AnyTown>,
    by_region: BTreeMap<&'static str, AnyTown>,
    chosen: Chosen<'a>,
    /// Towns that were drawn in this note: each is drawn, and paid for, once.
    drawn: RefCell<BTreeMap<usize, Option<AnyTown>>>,
}

/// Whose places an atlas moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Whose {
    Patient,
    Institution,
}

/// How towns are chosen, and what they cost.
#[derive(Clone, Copy)]
pub(crate) struct Chosen<'a> {
    pub(crate) method: Places,
    pub(crate) profiles: &'a Profiles,
    pub(crate) account: &'a Account,
}

impl<'a> Atlas<'a> {
    pub(crate) fn new(
        streams: &'a Streams,
        scope: Scope<'a>,
        chosen: Chosen<'a>,
        note: &Note,
        entities: &[Entity],
    ) -> Atlas<'a> {
        Atlas::of(Whose::Patient, streams, scope, chosen, note, entities)
    }

    /// The places of the institution, drawn once for the release by `list`: they are no patient's to pay for.
    pub(crate) fn of_institution(
        streams: &'a Streams,
        chosen: Chosen<'a>,
        note: &Note,
        entities: &[Entity],
    ) -> Atlas<'a> {
        let chosen = Chosen { method: Places::List, ..chosen };
        Atlas::of(Whose::Institution, streams, Scope::Corpus, chosen, note, entities)
    }

    fn of(
        whose: Whose,
        streams: &'a Streams,
        scope: Scope<'a>,
        chosen: Chosen<'a>,
        note: &Note,
        entities: &[Entity],
    ) -> Atlas<'a> {
        let text = |e: &Entity| note.to_norm(e.span).of(note.norm());
        let mut hints: Vec<String> = entities
            .iter()
            .filter(|e| e.label == Label::PostalCode)
            .map(|e| text(e).chars().filter(char::is_ascii_digit).collect())
            .collect();
        hints.extend(known_addresses(&note.known).filter_map(|a| a.postal_code.clone()));
        let mut atlas = Atlas {
            streams,
            scope,
            language: note.language,
            gazetteer: Gazetteer::of(note.language),
            first_hint: hints.first().cloned(),
            hints: hints.into_iter().collect(),
            whose,
            cities: Vec::new(),
            by_department: BTreeMap::new(),
            by_region: BTreeMap::new(),
            chosen,
            drawn: RefCell::default(),
        };
        atlas.cities = entities
            .iter()
            .filter(|e| e.label == Label::City)
            .filter_map(|e| {
                let (name, _) = split_city(text(e));
                Some((e.span.start(), e.span.end(), atlas.find(name)?))
            })
            .collect();
        for (_, _, town) in &atlas.cities {
            atlas.by_department.entry(town.department()).or_insert(*town);
            atlas.by_region.entry(town.region()).or_insert(*town);
        }
        atlas
    }

    /// The town a name stands for: the one a postal code points to, else the largest.
    fn find(&self, name: &str) -> Option<AnyTown> {
        let towns = self.gazetteer.named(name);
        let hinted = towns.iter().find(|t| t.postal_codes().any(|c| self.hints.contains(c)));
        hinted
            .or_else(|| towns.iter().max_by_key(|t| (inhabitants(t), std::cmp::Reverse(t.index()))))
            .copied()
    }

    /// The department another moves to: that of a town of the note that has moved from it, else by a permutation of the
    /// area's.
    pub(crate) fn department(&self, code: &str) -> Option<&'static str> {
        let private = self.chosen.method.is_private();
        if private && let Some(&town) = self.by_department.get(code) {
            return Some(self.move_town(town)?.department());
        }
        // The mechanisms keep the region, so the permutation beside them does.
        let area = if private { self.gazetteer.siblings(code).to_vec() } else { self.gazetteer.area(code) };
        let at = area.iter().position(|d| *d == code)?;
        let moved = self.streams.draw(Purpose::Area, self.scope, area.first()?).shuffled(&area);
        match self.whose {
            Whose::Institution if moved[at] == code => Some(moved[(at + 1) % moved.len()]),
            _ => Some(moved[at]),
        }
    }

    /// A town drawn by the policy's mechanism. `None` when the budget refuses or nothing can be drawn.
    fn release(&self, town: AnyTown) -> Option<AnyTown> {
        let Chosen { method, profiles, account } = self.chosen;
        let places = profiles.region(town.region(), self.language)?;
        let here = profiles.place(town, self.language)?;
        let mut draw = self.streams.draw(Purpose::Town, self.scope, &format!("{method:?} {}", town.code()));
        let id = self.scope.shared(draw.id());
        let pay = |loss: Loss| {
            let loss = loss.about("towns of one region");
            account.spend(&[Release { label: Label::City, loss, draw: id }])
        };
        let index = match method {
            Places::List => return None,
            Places::Geo { epsilon } => {
                let mechanism = PlanarLaplace::new(epsilon).ok()?;
                if !pay(mechanism.loss()) {
                    return None;
                }
                let point = mechanism.release(&here.km, draw.rng());
                let far = |p: &Place| kilometres(&p.km, &point);
                (0..places.len()).min_by(|&a, &b| far(&places[a]).total_cmp(&far(&places[b])))?
            }
            Places::Health { epsilon, k, radius_km } => {
                let near = |a: &Place, b: &Place| kilometres(&a.km, &b.km) <= radius_km;
                let mechanism = NearestExponential::new(epsilon, k, places, distance, near).ok()?;
                if !pay(mechanism.loss()) {
                    return None;
                }
                mechanism.release(&here, draw.rng())?
            }
            Places::HealthStrict { epsilon } => {
                let mechanism = Exponential::new(epsilon, places, distance).ok()?;
                if !pay(mechanism.loss()) {
                    return None;
                }
                mechanism.release(&here, draw.rng())
            }
        };
        places.get(index).map(|p| p.town)
    }

    fn move_town(&self, town: AnyTown) -> Option<AnyTown> {
        let known = self.drawn.borrow().get(&town.index()).copied();
        known.unwrap_or_else(|| {
            let private = self.chosen.method.is_private();
            let new = if private { self.release(town) } else { self.listed(town) };
            self.drawn.borrow_mut().insert(town.index(), new);
            new
        })
    }

    /// A town of the same size in the department that the town's own moves to.
    fn listed(&self, town: AnyTown) -> Option<AnyTown> {
        let department = self.department(town.department())?;
        let name = town.folded();
        self.draw_town(town.code(), department, Size::of(inhabitants(&town)), |t| {
            // `Las Rozas de Madrid` would give Madrid away.
            t == town
                || names(&t.folded(), &name)
                || t.postal_codes().any(|c| town.postal_codes().any(|d| c == d))
        })
    }

    /// `gives_away` tells the towns that the institution's own may not become.
    fn draw_town(
        &self,
        value: &str,
        department: &str,
        size: Size,
        gives_away: impl Fn(AnyTown) -> bool,
    ) -> Option<AnyTown> {
        let mut draw = self.streams.draw(Purpose::Town, self.scope, value);
        for at_least in [1, 3, 20, usize::MAX] {
            let towns = self.gazetteer.alike(department, size, at_least);
            for _ in 0..32 {
                let town = *draw.pick(&towns)?;
                if self.whose == Whose::Patient || !gives_away(town) {
                    return Some(town);
                }
            }
        }
        None
    }

    /// A town nobody knows becomes a middling one of a department drawn for its name.
    fn move_unknown(&self, name: &str) -> Option<AnyTown> {
        let value = search_form(name);
        // A name no list knows has no distance to any town, and nothing of it is used but where its postal code is.
        let hinted = self.first_hint.as_deref().and_then(|h| department_of_postal(h, self.language));
        let departments: Vec<&str> = self.gazetteer.departments().collect();
        let department = match hinted.and_then(|d| self.department(d)) {
            Some(department) => department,
            None => self.streams.draw(Purpose::Area, self.scope, &value).pick(&departments).copied()?,
        };
        self.draw_town(&value, department, Size::Small, |t| t.folded() == value)
    }

    /// The surrogate of a town, as a name without `Cedex` or arrondissement.
    pub(crate) fn town_name(&self, name: &str) -> Option<String> {
        let found = self.find(name);
        let new = match found {
            Some(town) => self.move_town(town)?,
            None => self.move_unknown(name)?,
        };
        // Addresses often write `SAINT DENIS` for `Saint-Denis`.
        let spaced = found.is_some_and(|t| t.name().contains('-')) && !name.contains('-');
        let new = if spaced { new.name().replace('-', " ") } else { new.name().to_owned() };
        Some(dress_place(&new, name))
    }

    /// `Bordeaux` → `une grande ville (Nouvelle-Aquitaine)`: its size, with the department or else the region where it
    /// has company enough. `None` for a name that no list knows.
    pub(crate) fn wider(&self, text: &str) -> Option<String> {
        /// As many towns of that size must lie in the area that is told.
        const COMPANY: usize = 5;
        let (name, _) = split_city(text);
        let town = self.find(name)?;
        let size = Size::of(inhabitants(&town));
        let alike: Vec<AnyTown> = self
            .gazetteer
            .of_region(town.region())
            .into_iter()
            .filter(|t| Size::of(inhabitants(t)) == size)
            .collect();
        let near = alike.iter().filter(|t| t.department() == town.department()).count();
        let department = areas::names(self.language).iter().find(|(code, _)| *code == town.department());
        let area = match department {
            Some((_, name)) if near >= COMPANY => Some(*name),
            _ if alike.len() >= COMPANY => {
                areas::regions(self.language).iter().find(|(code, _)| *code == town.region()).map(|r| r.1)
            }
            _ => None,
        };
        let size = size.name(self.language);
        let new = area.map_or_else(|| size.to_owned(), |area| format!("{size} ({area})"));
        Some(if text.chars().any(char::is_lowercase) { new } else { dress_place(&new, text) })
    }

    /// `Pau` → `Pyrénées-Atlantiques`; the region where the department has the town's own name. `None` for a name that no
    /// list knows.
    pub(crate) fn department_of(&self, text: &str) -> Option<String> {
        let (name, _) = split_city(text);
        let town = self.find(name)?;
        let department = areas::names(self.language).iter().find(|(code, _)| *code == town.department());
        let tells_town = |area: &str| names(&search_form(area), &search_form(name));
        let area = department.map(|(_, name)| *name).filter(|area| !tells_town(area));
        let area = area.or_else(|| {
            areas::regions(self.language).iter().find(|(code, _)| *code == town.region()).map(|r| r.1)
        })?;
        (!tells_town(area)).then(|| dress_place(area, text))
    }

    /// Whether some town goes by this name.
    pub(crate) fn knows(&self, name: &str) -> bool {
        !self.gazetteer.named(name).is_empty()
    }

    /// `BORDEAUX CEDEX 9` → another town, `CEDEX` and another number; an arrondissement goes.
    pub(crate) fn city(&self, text: &str) -> Option<String> {
        let (name, cedex) = split_city(text);
        let mut new = self.town_name(name)?;
        if let Some(cedex) = cedex {
            let mut draw = self.streams.draw(Purpose::Town, self.scope, &fold(text));
            new.extend(
                cedex
                    .chars()
                    .map(|c| if c.is_ascii_digit() { char::from(b'1' + draw.below(9) as u8) } else { c }),
            );
        }
        Some(new)
    }

    /// The postal code of the surrogate of the town beside it, or of the town it serves.
    pub(crate) fn postal_code(&self, entity: &Entity, text: &str) -> Option<String> {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let (start, end) = (entity.span.start(), entity.span.end());
        // `(93)`: the department alone.
        if digits.len() == 2 {
            let moved = match self.department(&digits)? {
                "2A" | "2B" => "20",
                code => code,
            };
            return (moved.len() == 2).then(|| fill_digits(moved, text)).flatten();
        }
        let department = department_of_postal(&digits, self.language)?;
        let from = self.cities.partition_point(|&(_, to, _)| to + NEAR < start);
        let until = self.cities.partition_point(|&(from, ..)| from <= end + NEAR);
        let beside = self.cities[from.min(until)..until]
            .iter()
            .map(|&(from, to, town)| {
                (if from >= end { from - end } else { start.saturating_sub(to) }, from < start, town)
            })
            .filter(|&(gap, _, town)| gap <= NEAR && town.department() == department)
            .min_by_key(|&(gap, before, _)| (gap, before))
            .map(|(_, _, town)| town);
        let served = self.gazetteer.served_by(&digits);
        let code = match beside.or(served) {
            Some(town) => {
                let codes: Vec<_> = self.move_town(town)?.postal_codes().collect();
                *self.streams.draw(Purpose::Town, self.scope, &digits).pick(&codes)?
            }
            None => {
                let moved = self.department(department)?;
                self.draw_town(&digits, moved, Size::Middling, |_| false)?.postal_codes().next()?
            }
        };
        (digits.len() == 5).then(|| fill_digits(code, text)).flatten()
    }

    /// A department becomes its moved one. A region that is an area of its own stays; one that is joined with others goes
    /// where its town in the note goes, else where its first department goes.
    pub(crate) fn region(&self, text: &str) -> Option<String> {
        let folded = search_form(text);
        let names = areas::names(self.language);
        let is = |name: &str| search_form(name) == folded;
        if let Some((code, _)) = names.iter().find(|(_, name)| is(name)) {
            let moved = self.department(code)?;
            let name = names.iter().find(|(c, _)| *c == moved)?.1;
            return Some(dress_place(name, text));
        }
        let regions = areas::regions(self.language);
        let region = regions.iter().find(|(code, name)| is(name) && self.moves(code));
        if let Some((code, _)) = region {
            let here = self.by_region.get(code).map(|t| t.department());
            let from = here.or_else(|| self.gazetteer.departments_of(code).first().copied())?;
            let to = self.gazetteer.region_of(self.department(from)?)?;
            return regions.iter().find(|(c, _)| *c == to).map(|(_, name)| dress_place(name, text));
        }
        let known = taire_lexicon::Lexicon::of(self.language).place(&folded)?;
        (known.kind == PlaceKind::Region).then(|| text.to_owned())
    }

    /// Whether towns of a region may leave it.
    fn moves(&self, region: &str) -> bool {
        !self.chosen.method.is_private() && areas::joined(region, self.language).is_some()
    }

    /// The home country stays; another becomes any of the list, itself too.
    pub(crate) fn country(&self, text: &str) -> Option<String> {
        let folded = fold(text.trim());
        if areas::is_home(&folded, self.language) {
            return Some(text.to_owned());
        }
        let candidates = areas::countries(text, self.language);
        let mut draw = self.streams.draw(Purpose::Country, self.scope, &folded);
        Some(dress_place(draw.pick(&candidates)?, text))
    }
}

/// Whether a folded name holds another as whole words.
fn names(longer: &str, name: &str) -> bool {
    !name.is_empty() && format!(" {longer} ").contains(&format!(" {name} "))
}

fn known_addresses(known: &KnownIdentity) -> impl Iterator<Item = &taire_text::Address> {
    let others = known.caregivers.iter().chain(&known.relatives).filter_map(|p| p.address.as_ref());
    known.address.iter().chain(others)
}

/// A town's name, without arrondissement, and its ` CEDEX 9` if it has one.
fn split_city(text: &str) -> (&str, Option<&str>) {
    let folded = text.to_ascii_lowercase();
    if let Some(at) = folded.find("cedex").filter(|&at| at > 0) {
        let name = text[..at].trim_end();
        return (name, Some(&text[name.len()..]));
    }
    let digit = text.find(|c: char| c.is_ascii_digit()).filter(|&at| at > 0);
    (digit.map_or(text, |at| text[..at].trim_end()), None)
}

/// Puts the digits of a code where a text has its own.
fn fill_digits(code: &str, text: &str) -> Option<String> {
    let mut digits = code.chars();
    text.chars().map(|c| if c.is_ascii_digit() { digits.next() } else { Some(c) }).collect()
}

/// Gives a place name the case of another; small words inside keep theirs unless all is capitals.
pub(crate) fn dress_place(name: &str, model: &str) -> String {
    match case_of(model) {
        Case::Upper if !has_accent(model) => set_case(&strip_accents(name), Case::Upper),
        Case::Title => name.to_owned(),
        Case::Lower if model.chars().any(char::is_uppercase) => name.to_owned(),
        _ => dress(name, model),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use taire_privacy::Budget;

    use super::*;
    use crate::key::test_streams;
    use crate::testing::{entities, note};

    fn with<T>(
        source: &str,
        language: Language,
        seed: u8,
        run: impl Fn(&Atlas<'_>, &[Entity], &str) -> T,
    ) -> T {
        let streams = test_streams(seed);
        let (text, entities) = entities(source);
        let note = note(&text, language, Arc::default());
        let (account, profiles) = (Account::new(Budget::default()), Profiles::shipped());
        let chosen = Chosen { method: Places::List, profiles: &profiles, account: &account };
        run(&Atlas::new(&streams, Scope::Patient("p"), chosen, &note, &entities), &entities, &text)
    }

    #[test]
    fn town_and_postal_code_move_together() {
        for seed in 0..8 {
            with(
                "[33000](PostalCode) [Bordeaux](City) ([33](PostalCode))",
                Language::Fr,
                seed,
                |atlas, entities, _| {
                    assert_eq!(atlas.postal_code(&entities[2], "33").as_deref(), atlas.department("33"));
                    let town = atlas.city("Bordeaux").unwrap();
                    let code = atlas.postal_code(&entities[0], "33000").unwrap();
                    let new = atlas.find(&town).unwrap();
                    assert!(new.postal_codes().any(|c| c == code), "seed {seed}");
                    assert_eq!(Some(new.department()), atlas.department("33"));
                    assert_eq!(new.region(), atlas.find("Bordeaux").unwrap().region());
                },
            );
        }
    }

    #[test]
    fn a_town_widens_to_its_size_where_it_has_company() {
        with("x", Language::Fr, 3, |atlas, _, _| {
            let wide = atlas.wider("Bermont").unwrap();
            assert_eq!(wide, "un village (Territoire de Belfort)");
            let great = atlas.wider("BORDEAUX").unwrap();
            assert!(great.starts_with("UNE GRANDE VILLE") && !great.contains("GIRONDE"), "{great}");
            assert_eq!(atlas.wider("Zyxwville"), None);
        });
    }

    #[test]
    fn case_cedex_and_hyphens_follow_the_original() {
        with("x", Language::Fr, 3, |atlas, _, _| {
            let plain = atlas.city("Bordeaux").unwrap();
            let upper = atlas.city("BORDEAUX CEDEX 9").unwrap();
            assert!(upper.starts_with(&strip_accents(&plain).to_uppercase()), "{plain} {upper}");
            assert!(upper.contains(" CEDEX "), "{upper}");
            assert_eq!(atlas.city("Paris 12e"), atlas.city("Paris"));
            assert!(atlas.city("Zyxwville").is_some());
            let size = |name: &str| inhabitants(&atlas.find(name).unwrap());
            assert!(size(&plain) > 20_000, "a great town became {plain}");
        });
    }

    #[test]
    fn departments_move_within_their_region_and_regions_stay() {
        with("x", Language::Fr, 3, |atlas, _, _| {
            let new = atlas.region("Gironde").unwrap();
            assert_ne!(new, "Gironde");
            assert_eq!(atlas.region("GIRONDE").unwrap(), strip_accents(&new).to_uppercase());
            assert_eq!(atlas.region("Nouvelle-Aquitaine").as_deref(), Some("Nouvelle-Aquitaine"));
            assert_eq!(atlas.region("Zyxw"), None);
            assert_eq!(atlas.country("France").as_deref(), Some("France"));
            assert!(atlas.country("Italie").unwrap().ends_with('e'));
        });
        with("x", Language::Es, 3, |atlas, _, _| {
            assert_ne!(atlas.region("Sevilla").unwrap(), "Sevilla");
            assert_ne!(atlas.city("Sevilla").unwrap(), "Sevilla");
            assert_eq!(atlas.department_of("Sevilla").as_deref(), Some("Andalucía"));
            assert_eq!(atlas.department_of("Dos Hermanas").as_deref(), Some("Sevilla"));
            assert_eq!(atlas.department_of("Madrid"), None);
        });
    }
}
