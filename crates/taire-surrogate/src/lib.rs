//! Invented people, dates, places and numbers, drawn from a secret key.
//!
//! A [`Rewriter`] holds the key and the settings of a policy. For a note and its entities it gives [`Replacement`]s:
//! the same value in the same scope always becomes the same surrogate, on any machine, with nothing stored. Where no
//! surrogate can be made the tag of the label is written and a [`Fallback`] says so; the original is never let
//! through. What each kind of value becomes is told in its module: names and people, calendars, places,
//! identifiers, contacts.

mod account;
mod actions;
mod areas;
mod calendar;
mod contact;
mod counts;
mod error;
mod event_words;
mod facilities;
mod fingerprint;
mod gazetteer;
mod institution;
mod join_key;
mod key;
mod names;
mod national;
mod nir;
mod numbers;
mod old_age;
mod people;
mod person_index;
mod places;
mod pools;
mod profiles;
mod response;
mod rewrite;
mod sequence;
mod settings;
mod shape;
mod streets;
mod tags;
#[cfg(test)]
mod testing;
mod time;
mod wider;
mod words;
mod written;

pub use account::Release;
pub use actions::{DateWidth, DecidedBy, TownWidth, Widths};
pub use error::Error;
pub use join_key::{IdKind, IdStyle};
pub use key::{DrawId, SecretKey};
pub use people::RecordNames;
pub use rewrite::{Fallback, Mend, Replacement, Rewriter, Rewritten};
pub use settings::{Action, Dates, Limits, NumberStyle, Places, ScopeKind, Settings, TagNames};
pub use taire_privacy::{Adjacency, Loss, Unit};
