//! What a table of markup rules may say of an element or an attribute, and carrying it out. Shared by the formats of
//! Office Open XML.

use crate::Reason;
use crate::markup::Attribute;
use crate::splice::{Code, Gatherer};

use super::{Counts, LeftOut, count, label};

/// What becomes of an element.
pub(crate) enum Element {
    Keep,
    Drop,
    Count(LeftOut),
    Refuse(&'static str),
}

impl Element {
    /// Whether the walk goes into it; what is left out is counted.
    pub(crate) fn keeps(self, counts: &mut Counts) -> Result<bool, Reason> {
        match self {
            Element::Keep => Ok(true),
            Element::Drop => Ok(false),
            Element::Count(what) => {
                count(counts, what);
                Ok(false)
            }
            Element::Refuse(why) => Err(why.into()),
        }
    }
}

/// What becomes of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attr {
    Keep,
    Remove,
    Set(&'static str),
    /// A name the author could choose and other places refer to.
    Named,
    /// The text before or after the numbers of a list.
    Label,
    /// Text that is shown.
    Text,
    /// The instruction of a field.
    Instruction,
}

impl Attr {
    /// Keeps, removes or replaces an attribute that shows no text; text and instructions are watched.
    pub(crate) fn write(self, attribute: &Attribute<'_>, out: &mut Gatherer) {
        match self {
            Attr::Keep | Attr::Text | Attr::Instruction => {
                out.watched(attribute.at.clone(), &attribute.value);
            }
            Attr::Remove => out.cut(attribute.whole.clone(), *b""),
            Attr::Set(value) => out.cut(attribute.at.clone(), value),
            Attr::Named => out.named(attribute.at.clone(), &attribute.value),
            Attr::Label => label(attribute, out),
        }
    }
}

/// Text that an attribute shows, apart from the text around it.
pub(crate) fn shown_text(attribute: &Attribute<'_>, out: &mut Gatherer) {
    out.nest();
    out.run(attribute.at.clone(), attribute.value.to_string(), Code::Xml);
    out.unnest();
}
