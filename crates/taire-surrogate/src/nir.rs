//! The French social security number: its surrogate tells the same sex, the moved month of birth and the moved
//! department.

use jiff::civil::Date;
use taire_text::Label;

use crate::key::{Purpose, Scope, Streams};
use crate::national::{Nir, NirKey, nir_key};
use crate::numbers;
use crate::places::Atlas;
use crate::response::Responses;
use crate::time::Frame;

/// `None` if the text is no NIR; `Some(None)` if it is one and no surrogate can be made.
pub(crate) fn surrogate(
    streams: &Streams,
    scope: Scope<'_>,
    frame: &Frame,
    atlas: &Atlas<'_>,
    responses: &Responses<'_>,
    label: Label,
    text: &str,
) -> Option<Option<String>> {
    let value = numbers::compact(text);
    let nir = Nir::of(&value).filter(|n| n.key == NirKey::Right || label == Label::SocialSecurity)?;
    Some(make(streams, scope, frame, atlas, responses, &nir).and_then(|new| numbers::lay_out(&new, text)))
}

fn make(
    streams: &Streams,
    scope: Scope<'_>,
    frame: &Frame,
    atlas: &Atlas<'_>,
    responses: &Responses<'_>,
    nir: &Nir<'_>,
) -> Option<String> {
    let (year, month) = nir.born();
    let birth = frame
        .birth()
        .filter(|b| b.year() % 100 == year && month.is_none_or(|m| m == b.month()))
        .or_else(|| Date::new(century(year, frame) + year, month.unwrap_or(7), 15).ok())?;
    let new = frame.map_birth(birth)?;
    let month = match month {
        Some(_) => format!("{:02}", new.month()),
        // 20 and above: the month was not known.
        None => nir.value[3..5].to_owned(),
    };
    // Births overseas and abroad (97 to 99) stay so; Corsica and the mainland move with the towns.
    let department = atlas.department(nir.department()).unwrap_or(nir.department());
    let sex = responses.sex_digit(nir.value.chars().next()?)?;
    let mut draw = streams.draw(Purpose::Number, scope, &nir.value[..13]);
    for _ in 0..64 {
        let commune = draw.within(1, 399);
        let order = draw.within(1, 999);
        let body =
            format!("{}{:02}{month}{department}{commune:03}{order:03}", sex, new.year().rem_euclid(100));
        if body == nir.value[..13] {
            continue;
        }
        return Some(match nir.key {
            NirKey::Absent => body,
            NirKey::Right => format!("{body}{:02}", nir_key(&body)?),
            NirKey::Wrong => format!("{body}{}", draw.digits(2)),
        });
    }
    None
}

/// The century that makes a birth year lie before the document; for the very old the last one that makes them so.
fn century(year: i16, frame: &Frame) -> i16 {
    let now = frame.reference().map_or(2020, Date::year);
    let this = now / 100 * 100;
    if this + year <= now && !frame.is_patient_old() { this } else { this - 100 }
}
