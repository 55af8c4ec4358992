//! CDA documents written again: every slot in the syntax of its place.

use std::ops::Range;

use crate::OutSpan;
use crate::office::Back;
use crate::splice::{Places, escaped};

use super::inside;
use super::sheet::{Sheet, SlotId};
use super::values::{ObjectId, Stamp, split_street, write_date, write_object};

/// A place in the file and how its slot is written there.
#[derive(Debug)]
pub(super) enum Put {
    Text { slot: SlotId, at: Range<usize> },
    Date { slot: SlotId, at: Range<usize>, whole: Range<usize>, masked: bool },
    Object { slot: SlotId, kind: ObjectId, at: Range<usize>, whole: Range<usize>, masked: bool },
    Street { slot: SlotId, number: Range<usize>, name: Range<usize> },
    Inside { slot: SlotId, at: Range<usize>, back: Back, media: Option<(Range<usize>, &'static str)> },
}

/// The way back into a CDA document.
#[derive(Debug)]
pub(crate) struct Cda {
    pub(super) sheet: Sheet,
    pub(super) places: Places,
    pub(super) puts: Vec<Put>,
    /// Values that stay unless a word in them identifies somebody.
    pub(super) codes: Vec<(Range<usize>, String)>,
}

impl Cda {
    pub(crate) fn weight(&self) -> usize {
        self.sheet.text().len() + self.places.weight()
    }

    pub(crate) fn write(&self, text: &str, spans: &[OutSpan]) -> Result<Vec<u8>, &'static str> {
        const MASK: &[u8] = b" nullFlavor=\"MSK\"";
        let mask = |masked: bool| if masked { Vec::new() } else { MASK.to_vec() };
        let filled = self.sheet.fill(text, spans)?;
        let mut changes: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
        for put in &self.puts {
            match put {
                Put::Text { slot, at } => {
                    let value = filled.value(*slot);
                    if value.changed {
                        changes.push((at.clone(), escaped(&value.text)));
                    }
                }
                Put::Date { slot, at, whole, masked } => {
                    changes.push(match write_date(&filled.value(*slot).text, Stamp::Digits) {
                        Some(date) => (at.clone(), date.into_bytes()),
                        None => (whole.clone(), mask(*masked)),
                    });
                }
                Put::Object { slot, kind, at, whole, masked } => {
                    let value = filled.value(*slot);
                    if value.changed {
                        changes.push(match write_object(&value.text, *kind) {
                            Some(id) => (at.clone(), id.into_bytes()),
                            None => (whole.clone(), mask(*masked)),
                        });
                    }
                }
                Put::Street { slot, number, name } => {
                    let value = filled.value(*slot);
                    if value.changed {
                        let (first, rest) = split_street(&value.text);
                        changes.push((number.clone(), escaped(first)));
                        changes.push((name.clone(), escaped(rest)));
                    }
                }
                Put::Inside { slot, at, back, media } => {
                    let value = filled.value(*slot);
                    changes.push((at.clone(), inside::close(back, &value.text, &value.spans)?.into_bytes()));
                    if let Some((at, media)) = media {
                        changes.push((at.clone(), media.as_bytes().to_vec()));
                    }
                }
            }
        }
        let mut masks: Vec<&str> = Vec::new();
        for (at, value) in self.codes.iter().filter(|(_, value)| filled.gives_away(value)) {
            // A target and its references keep their tie.
            let (sign, name) = value.strip_prefix('#').map_or(("", value.as_str()), |name| ("#", name));
            let number = masks.iter().position(|m| *m == name).unwrap_or_else(|| {
                masks.push(name);
                masks.len() - 1
            });
            changes.push((at.clone(), format!("{sign}masked{}", number + 1).into_bytes()));
        }
        self.places.rewrite_with(changes)
    }
}
