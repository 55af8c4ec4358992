//! Wrappers of identifying text whose `Debug` and `Display` are redacted.

use std::fmt;

/// Borrowed text that may identify somebody. `Debug` and `Display` show its length only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Phi<'a>(&'a str);

impl<'a> Phi<'a> {
    pub fn new(text: &'a str) -> Self {
        Phi(text)
    }

    /// The text itself. Whoever calls this answers for where it goes.
    pub fn reveal(self) -> &'a str {
        self.0
    }
}

impl fmt::Debug for Phi<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} characters>", self.0.chars().count())
    }
}

impl fmt::Display for Phi<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_hides_the_text() {
        let phi = Phi::new("Lefèvre");
        assert_eq!(format!("{phi} {phi:?}"), "<7 characters> <7 characters>");
    }
}
