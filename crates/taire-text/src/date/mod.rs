//! Dates as values that keep their surface.
//!
//! [`find`] walks the tokens of a note once and stops only at digits and at the few words a date can hang on;
//! [`parse`] reads one isolated surface with the same grammar, which is what rewriting gets back from an entity.
//! A date found is a [`Partial`] (what was written) and a [`Surface`] (how), which prints any other day in the
//! same shape. [`resolve`] completes partial dates from their neighbours. Ages and
//! durations have their own module, [`lapse`].

mod blank;
mod context;
pub mod lapse;
mod letters;
mod named;
mod numeric;
mod range;
mod resolve;
mod scan;
mod sense;
mod spaced;
mod surface;
mod value;
mod words;

#[cfg(test)]
mod tests;

pub use range::{links, parse_range};
pub use resolve::{Slot, letter_date, resolve};
pub use surface::Surface;
pub use value::{Partial, Precision, Season, Third, Weekday};

use crate::{Calendar, Kind, Language, Norm, Span, Token, normalise, tokenise};
use scan::Scan;
use surface::Part;

/// A date in a text.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub span: Span<Norm>,
    pub first_token: usize,
    /// Included.
    pub last_token: usize,
    pub value: Partial,
    pub surface: Surface,
    /// From 0 to 1. At 0.3 and below, only a policy that wants every trace of time should act on it.
    pub confidence: f32,
    /// The date of a law, a decree, an order: it identifies nobody.
    pub law: bool,
    /// A month alone in running text ("en mars").
    pub bare_month: bool,
}

/// Appends the dates of a text to `out`, in order and disjoint.
pub fn find(text: &str, tokens: &[Token], language: Language, out: &mut Vec<Found>) {
    Scan::new(text, tokens, language, false, out).run();
}

/// What is written into [`Token::calendar`]: whether [`find`] or [`lapse::find_durations`] stop at a word.
pub fn calendar(word: &str) -> Calendar {
    let date = words::trigger(word).is_some();
    let other = || words::is_noise(word) || words::is_misspelt_month(word);
    if date || lapse::is_time_word(word) || other() { Calendar::Yes } else { Calendar::No }
}

/// Reads one isolated date: the text of an entity, with or without its article.
///
/// `None` if the text holds no date, several, or digits beside the date.
pub fn parse(surface_text: &str, language: Language) -> Option<(Partial, Surface)> {
    let view = normalise(surface_text);
    let text = view.text.as_deref().unwrap_or(surface_text);
    let tokens = tokenise(text);
    let mut found = Vec::new();
    Scan::new(text, &tokens, language, true, &mut found).run();
    let one = match found.len() {
        1 => found.pop()?,
        _ => return None,
    };
    let around = tokens[..one.first_token].iter().chain(&tokens[one.last_token + 1..]);
    let (mut count, mut digits) = (0, false);
    for token in around {
        count += 1;
        digits |= token.kind == Kind::Number;
    }
    if digits || count > 4 {
        return None;
    }
    let mut surface = one.surface;
    let (before, after) = (&text[..one.span.start()], &text[one.span.end()..]);
    if !before.is_empty() {
        surface.parts.insert(0, Part::Text(before.into()));
    }
    if !after.is_empty() {
        surface.parts.push(Part::Text(after.into()));
    }
    Some((one.value, surface))
}
