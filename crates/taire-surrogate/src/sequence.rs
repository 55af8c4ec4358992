//! The dates and ages of one document, each released by a mechanism (`ldp`, `metric`).
//!
//! There are two kinds of elements. An **event** is a number of units back from the document's date. The distinct ones are
//! put in order, the intervals between neighbours are released, never below 0, and added up again: so order is never
//! inverted, though two events may fall together. Events after the document's date make a second sequence, the other way. A
//! **life** is a birth date or an age, and is released by itself: its range is a life, not the interval to the last
//! event. The document's date itself moves by the scope's plain shift, which costs nothing and promises nothing.
//!
//! - `ldp` counts all in days, and ε is split evenly. An event is short, medium or long by its distance; between two events
//!   the nearer one's class gives Δ and the farther one's the range of the bounded Laplace mechanism (the smaller class wins:
//!   Tchouka 2022, §4.6). The loss of a sequence holds between documents whose events have the same order and classes and whose
//!   intervals differ by at most Δ each; the loss of a life between two that are at most `birth_days` apart.
//! - `metric` counts each element in its own unit and adds discrete Laplace noise at ε per unit. An event between two others
//!   that moves by one unit changes two intervals, so a sequence of several costs 2ε per unit; a single event and a life cost ε.
//!
//! What was released is then fitted to a plausible life, which costs nothing because it looks at nothing else: an event
//! keeps its class (thesis §8.2.2.1), and what happened in a life happens in it.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use taire_privacy::{Adjacency, BoundedLaplace, DiscreteLaplace, Loss, Mechanism, Rate, Unit};
use taire_text::Label;

use crate::account::Release;
use crate::calendar::number;
use crate::key::{Draw, Purpose, Scope, Streams};
use crate::settings::Dates;

/// What an element is a number of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Track {
    /// Units back from the document's date; negative after it.
    Event(Unit),
    /// Units of a life: from a birth to the document's date, or an age.
    Life(Unit),
}

impl Track {
    pub(crate) fn unit(self) -> Unit {
        match self {
            Track::Event(unit) | Track::Life(unit) => unit,
        }
    }
}

/// A place in the sequence of a document.
pub(crate) type Place = (Track, i64);

/// A place, and the label it was found under.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Element {
    pub(crate) place: Place,
    pub(crate) label: Label,
}

/// What the elements of a document are drawn with.
#[derive(Clone, Copy)]
pub(crate) struct Drawing<'a> {
    pub(crate) streams: &'a Streams,
    pub(crate) document: Scope<'a>,
    /// The person the birth date belongs to, where its draw is the same in all documents of that person.
    pub(crate) person: Option<Scope<'a>>,
    pub(crate) dates: Dates,
    /// The date of the document.
    pub(crate) reference: Date,
    /// The patient's own birth.
    pub(crate) birth: Option<Place>,
}

/// Where each element of a document went.
#[derive(Default)]
pub(crate) struct Sequence {
    moved: BTreeMap<Place, i64>,
    life: Option<Life>,
    releases: Vec<Release>,
}

/// How many days a unit has.
fn days_of(unit: Unit) -> f64 {
    match unit {
        Unit::Week => 7.0,
        Unit::Month => 30.436_875,
        Unit::Year => 365.2425,
        _ => 1.0,
    }
}

fn in_days(place: Place) -> f64 {
    place.1 as f64 * days_of(place.0.unit())
}

impl Sequence {
    /// How far back an element is now. `None` for what was not in the sequence: nothing was paid for it.
    pub(crate) fn get(&self, place: Place) -> Option<i64> {
        self.moved.get(&place).copied()
    }

    /// The furthest back that an event may come to lie, in its own unit, where it happened in the longest life of the document.
    pub(crate) fn limit(&self, event: Place) -> Option<i64> {
        self.life?.limit(event)
    }

    pub(crate) fn releases(&self) -> &[Release] {
        &self.releases
    }
}

impl Drawing<'_> {
    /// `None` if a mechanism cannot be made from the settings.
    pub(crate) fn sequence(&self, elements: &[Element]) -> Option<Sequence> {
        let mut labels: BTreeMap<Place, Label> = BTreeMap::new();
        // What happened on the document's own date stays on it.
        for e in elements.iter().filter(|e| e.place.1 != 0 || matches!(e.place.0, Track::Life(_))) {
            labels.entry(e.place).or_insert(e.label);
        }
        let mut sequence = Sequence::default();
        self.draw_lives(&labels, &mut sequence)?;
        let oldest = labels.keys().filter(|p| matches!(p.0, Track::Life(_))).copied();
        let oldest = self
            .birth
            .filter(|b| labels.contains_key(b))
            .or_else(|| oldest.max_by(|a, b| in_days(*a).total_cmp(&in_days(*b))));
        sequence.life = oldest.and_then(|place| {
            let released = sequence.get(place)?;
            Some(Life { before: in_days(place), after: in_days((place.0, released)) })
        });
        for unit in Unit::ALL {
            sequence.moved.insert((Track::Event(unit), 0), 0);
            let at = |back| (Track::Event(unit), back);
            let later = labels.range(at(i64::MIN)..at(0)).rev();
            let earlier = labels.range(at(1)..=at(i64::MAX));
            let sides = [earlier.collect::<Vec<_>>(), later.collect()];
            match self.dates {
                Dates::Ldp { .. } => {
                    for side in sides {
                        self.draw_classes(&side, labels.len(), &mut sequence)?;
                    }
                }
                Dates::Metric { epsilon, .. } => {
                    let longest = sides.iter().map(Vec::len).max().unwrap_or(0);
                    for side in &sides {
                        self.draw_intervals(side, epsilon, &mut sequence)?;
                    }
                    let first = sides.iter().flatten().next();
                    if let Some((_, label)) = first {
                        // An inner event belongs to two intervals.
                        let rate = Rate::at_most(epsilon).ok()?.value();
                        let epsilon = if longest > 1 { 2.0 * rate } else { rate };
                        let loss = Loss::new(epsilon, Adjacency::Moved { what: "date", unit });
                        sequence.releases.push(Release { label: **label, loss, draw: None });
                    }
                }
                _ => return None,
            }
        }
        Some(sequence)
    }

    fn events(&self, unit: Unit, value: &str) -> Draw {
        self.streams.draw(Purpose::Interval, self.document, &format!("{unit:?} {value}"))
    }

    /// The part of ε that an element takes under `ldp`. A birth date that is drawn once for its person takes half of it,
    /// whatever else a document holds: another part would be another draw.
    fn part(&self, epsilon: f64, place: Place, elements: usize) -> f64 {
        match (self.person, self.birth) {
            (Some(_), Some(birth)) if birth == place => epsilon / 2.0,
            (Some(_), Some(_)) => epsilon / 2.0 / (elements.max(2) - 1) as f64,
            _ => epsilon / elements.max(1) as f64,
        }
    }

    fn draw_lives(&self, labels: &BTreeMap<Place, Label>, out: &mut Sequence) -> Option<()> {
        let lives: Vec<(Place, Label)> = (labels.iter())
            .filter(|(place, _)| matches!(place.0, Track::Life(_)))
            .map(|(place, label)| (*place, *label))
            .collect();
        for &(place, label) in &lives {
            let person = self.person.filter(|_| self.birth == Some(place));
            let (new, release) = self.draw_life(place, label, labels.len(), person)?;
            // Under `metric` what is of one kind and unit costs once, because the distance is the sum of the moves.
            let paid = |r: &Release| r.loss == release.loss && matches!(self.dates, Dates::Metric { .. });
            if !out.releases.iter().any(paid) {
                out.releases.push(release);
            }
            out.moved.insert(place, new);
        }
        self.order_lives(&lives, out);
        Some(())
    }

    fn draw_life(
        &self,
        place: Place,
        label: Label,
        elements: usize,
        person: Option<Scope<'_>>,
    ) -> Option<(i64, Release)> {
        let (unit, length) = (place.0.unit(), place.1);
        let (what, one) =
            if label == Label::BirthDate { ("birth dates", "birth date") } else { ("ages", "age") };
        match self.dates {
            Dates::Ldp { epsilon, classes, birth_days, .. } => {
                let part = Rate::at_most(self.part(epsilon, place, elements)).ok()?.value();
                let mechanism =
                    BoundedLaplace::new(part, birth_days, Unit::Day, 0..=i64::from(classes[2])).ok()?;
                let loss = mechanism.loss().about(what);
                let Some(person) = person else {
                    // Noise of two scales from one stream would solve for the value, so what changes the scale is part of the
                    // stream; nothing else is, so that a corrected letter is no second sample.
                    let value = format!("{unit:?} {length} {elements}");
                    let mut draw = self.streams.draw(Purpose::Life, self.document, &value);
                    let new = mechanism.release(&length, draw.rng());
                    return Some((new, Release { label, loss, draw: None }));
                };
                // The range must not depend on the document, so it ends with the decade.
                let end = decade_end(self.reference);
                let lead = number(end) - number(self.reference);
                let value = format!("birth {} {}", number(self.reference) - length, end.year());
                let mut draw = self.streams.draw(Purpose::Life, person, &value);
                let new = mechanism.release(&(length + lead), draw.rng()) - lead;
                Some((new.max(0), Release { label, loss, draw: person.shared(draw.id()) }))
            }
            Dates::Metric { epsilon, .. } => {
                let mechanism = DiscreteLaplace::new(epsilon, unit).ok()?;
                let mut draw = match person {
                    None => self.streams.draw(Purpose::Life, self.document, &format!("{unit:?} {length}")),
                    Some(person) => {
                        let value = format!("birth {}", number(self.reference) - length);
                        self.streams.draw(Purpose::Life, person, &value)
                    }
                };
                let loss = Loss::new(mechanism.loss().epsilon(), Adjacency::Moved { what: one, unit });
                let new = mechanism.release(&length, draw.rng()).max(0);
                let shared = person.and_then(|person| person.shared(draw.id()));
                Some((new, Release { label, loss, draw: shared }))
            }
            _ => None,
        }
    }

    /// Lives keep their order, and the patient's own birth stays where it is.
    fn order_lives(&self, lives: &[(Place, Label)], out: &mut Sequence) {
        let own = self.birth.and_then(|place| Some((place, out.get(place)?)));
        for unit in Unit::ALL {
            let places: Vec<Place> = (lives.iter())
                .map(|(place, _)| *place)
                .filter(|place| place.0 == Track::Life(unit) && own.is_none_or(|own| own.0 != *place))
                .collect();
            let mut drawn: Vec<i64> = places.iter().filter_map(|place| out.get(*place)).collect();
            drawn.sort_unstable();
            for (place, new) in places.into_iter().zip(drawn) {
                let limit = own.map(|(own, released)| {
                    let limit = (in_days((own.0, released)) / days_of(unit)).floor() as i64;
                    (in_days(place) <= in_days(own), limit)
                });
                let new = match limit {
                    Some((true, limit)) => new.min(limit),
                    Some((false, limit)) => new.max(limit),
                    None => new,
                };
                out.moved.insert(place, new);
            }
        }
    }

    /// The intervals of one side under `metric`.
    fn draw_intervals(&self, side: &[(&Place, &Label)], epsilon: f64, out: &mut Sequence) -> Option<()> {
        let (mut from, mut total) = (0i64, 0i64);
        for &(&(track, back), _) in side {
            let mut draw = self.events(track.unit(), &format!("{from} {back}"));
            let mechanism = DiscreteLaplace::new(epsilon, track.unit()).ok()?;
            total = total.saturating_add(mechanism.release(&(back - from).abs(), draw.rng()).max(0));
            let most = out.limit((track, back));
            from = back;
            out.moved.insert((track, back), back.signum() * most.map_or(total, |most| total.min(most)));
        }
        Some(())
    }

    /// The intervals of one side under `ldp`, and each class brought back to its range.
    fn draw_classes(&self, side: &[(&Place, &Label)], elements: usize, out: &mut Sequence) -> Option<()> {
        let Dates::Ldp { epsilon, classes, .. } = self.dates else { return None };
        let reach =
            |at: i64| *classes.iter().find(|c| at.unsigned_abs() <= u64::from(**c)).unwrap_or(&classes[2]);
        let (mut from, mut total) = (0i64, 0i64);
        for group in side.chunk_by(|a, b| reach(a.0.1) == reach(b.0.1)) {
            let mut fitted = Vec::with_capacity(group.len());
            for &(&(track, back), &label) in group {
                let part = Rate::at_most(self.part(epsilon, (track, back), elements)).ok()?.value();
                let high = i64::from(reach(back));
                let mechanism = BoundedLaplace::new(part, reach(from), Unit::Day, 0..=high).ok()?;
                let mut draw = self.events(Unit::Day, &format!("{from} {back} {elements}"));
                total += mechanism.release(&(back - from).abs(), draw.rng());
                let loss = Loss::new(
                    mechanism.loss().epsilon(),
                    Adjacency::EachWithin {
                        what: "intervals between dates",
                        most: reach(from),
                        unit: Unit::Day,
                    },
                );
                out.releases.push(Release { label, loss, draw: None });
                fitted.push(total);
                from = back;
            }
            let Some(&(&(_, last), _)) = group.last() else { continue };
            let low = classes.iter().rev().find(|c| **c < reach(last)).map_or(0, |c| i64::from(*c));
            fit(&mut fitted, low + 1, i64::from(reach(last)));
            total = fitted.last().copied().unwrap_or(total);
            for (&(&(track, back), _), &new) in group.iter().zip(&fitted) {
                let most = out.limit((track, back));
                out.moved.insert((track, back), back.signum() * most.map_or(new, |most| new.min(most)));
            }
        }
        Some(())
    }
}

/// The longest life a document tells of, in days, before and after.
#[derive(Clone, Copy)]
struct Life {
    before: f64,
    after: f64,
}

impl Life {
    /// The furthest back that an event of this life may come to lie; `None` for what was not in it.
    fn limit(self, event: Place) -> Option<i64> {
        (event.1 > 0 && in_days(event) <= self.before)
            .then(|| (self.after / days_of(event.0.unit())).floor().max(0.0) as i64)
    }
}

/// Brings rising numbers into a range, in their order: what is below it to its beginning, and all of them closer together where
/// the last is beyond its end.
fn fit(numbers: &mut [i64], low: i64, high: i64) {
    numbers.iter_mut().for_each(|n| *n = (*n).max(low));
    let last = numbers.last().copied().unwrap_or(low);
    if last > high {
        numbers.iter_mut().for_each(|n| *n = low + (*n - low) * (high - low) / (last - low));
    }
}

/// The first day of the next decade.
fn decade_end(day: Date) -> Date {
    date((day.year() / 10 + 1) * 10, 1, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::test_streams;
    use proptest::prelude::*;

    fn settings(method: &str) -> Dates {
        toml::from_str(&format!("method = \"{method}\"")).unwrap()
    }

    fn days(backs: &[i64]) -> Vec<Element> {
        let event = |&back| Element { place: (Track::Event(Unit::Day), back), label: Label::Date };
        backs.iter().map(event).collect()
    }

    fn birth(length: i64) -> Element {
        Element { place: (Track::Life(Unit::Day), length), label: Label::BirthDate }
    }

    fn drawing<'a>(streams: &'a Streams, method: &str) -> Drawing<'a> {
        Drawing {
            streams,
            document: Scope::Document("d"),
            person: None,
            dates: settings(method),
            reference: date(2020, 3, 1),
            birth: None,
        }
    }

    proptest! {
        #[test]
        fn order_is_never_inverted(seed: u8, life in 0i64..34_000, backs in prop::collection::vec(-900i64..34_000, 1..12)) {
            let streams = test_streams(seed);
            for method in ["ldp", "metric"] {
                let mut elements = days(&backs);
                elements.push(birth(life));
                let drawing = Drawing { birth: Some(birth(life).place), ..drawing(&streams, method) };
                let sequence = drawing.sequence(&elements).unwrap();
                let at = |back| sequence.get((Track::Event(Unit::Day), back)).unwrap();
                let mut sorted: Vec<i64> = backs.iter().copied().filter(|b| *b <= life).collect();
                sorted.sort_unstable();
                for pair in sorted.windows(2) {
                    let [a, b] = [at(pair[0]), at(pair[1])];
                    prop_assert!(a <= b, "{}: {} {}", method, a, b);
                }
                let life = sequence.get(birth(life).place).unwrap();
                prop_assert!(sorted.iter().all(|b| at(*b) <= life), "{} before the birth", method);
            }
        }

        #[test]
        fn numbers_fit_their_range_in_their_order(mut numbers in prop::collection::vec(0i64..5000, 1..9)) {
            numbers.sort_unstable();
            fit(&mut numbers, 62, 660);
            prop_assert!(numbers.is_sorted() && numbers.iter().all(|n| (62..=660).contains(n)), "{:?}", numbers);
        }
    }

    fn total(sequence: &Sequence) -> f64 {
        sequence.releases().iter().map(|r| r.loss.epsilon()).sum()
    }

    #[test]
    fn ldp_spends_epsilon_and_every_event_keeps_its_class() {
        let streams = test_streams(1);
        let backs: Vec<i64> = (1..=7).map(|i| i * i * 40).collect();
        let mut elements = days(&backs);
        elements.push(birth(20_000));
        let ldp = drawing(&streams, "ldp").sequence(&elements).unwrap();
        assert!(total(&ldp) <= 0.75 && total(&ldp) > 0.7499, "{}", total(&ldp));
        let words: Vec<String> = ldp.releases().iter().map(|r| r.loss.adjacency().to_string()).collect();
        assert_eq!(words[0], "between two birth dates at most 366 days apart");
        assert_eq!(
            words[1],
            "between two documents whose intervals between dates differ by at most 61 days each"
        );
        for back in backs {
            let new = ldp.get((Track::Event(Unit::Day), back)).unwrap();
            let class = |n: i64| [61, 660, 36_000].iter().position(|c| n <= *c);
            assert_eq!(class(new), class(back), "{back} became {new}");
        }
    }

    #[test]
    fn metric_costs_twice_epsilon_where_an_event_lies_between_two() {
        let streams = test_streams(1);
        let day = |epsilon, what| Loss::new(epsilon, Adjacency::Moved { what, unit: Unit::Day });
        let losses = |elements: &[Element]| -> Vec<Loss> {
            let sequence = drawing(&streams, "metric").sequence(elements).unwrap();
            sequence.releases().iter().map(|r| r.loss).collect()
        };
        assert_eq!(losses(&days(&[40])), [day(0.75, "date")]);
        assert_eq!(losses(&days(&[40, 160, 360])), [day(1.5, "date")]);
        assert_eq!(
            losses(&[&days(&[40]), &[birth(9000)][..]].concat()),
            [day(0.75, "birth date"), day(0.75, "date")]
        );
        let age = Element { place: (Track::Life(Unit::Year), 40), label: Label::Age };
        let year = Loss::new(0.75, Adjacency::Moved { what: "age", unit: Unit::Year });
        assert_eq!(losses(&[age]), [year]);
    }

    /// One draw in all documents of the person, whatever else they hold.
    #[test]
    fn a_birth_of_one_person_is_drawn_once() {
        let streams = test_streams(1);
        for method in ["ldp", "metric"] {
            let one = |reference: Date, backs: &[i64], id: &'static str| {
                let length = number(reference) - number(date(1960, 5, 4));
                let drawing = Drawing {
                    document: Scope::Document(id),
                    person: Some(Scope::Patient("p")),
                    reference,
                    birth: Some(birth(length).place),
                    ..drawing(&streams, method)
                };
                let mut elements = days(backs);
                elements.push(birth(length));
                let sequence = drawing.sequence(&elements).unwrap();
                let new = sequence.get(birth(length).place).unwrap();
                (number(reference) - new, sequence.releases()[0])
            };
            let first = one(date(2012, 3, 1), &[4, 90], "a");
            assert_eq!(first, one(date(2019, 9, 9), &[1, 2, 3, 700], "b"), "{method}");
        }
    }
}
