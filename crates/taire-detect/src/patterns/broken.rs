//! Numbers that go on after a line end: a French telephone in pairs, a NIR whose key holds.

use taire_text::{Kind as TokenKind, Label};

use super::{Scan, checks};

const PHONE: [usize; 5] = [2; 5];
const NIR: [usize; 7] = [1, 2, 2, 2, 3, 3, 2];

impl Scan<'_> {
    /// The token after a number that starts at `first`, if a line ends inside it.
    pub(super) fn broken(&mut self, first: usize) -> Option<usize> {
        let token = &self.tokens[first];
        let opens = token.of(self.text).as_bytes();
        let (groups, label, why): (&[usize], _, _) = match opens {
            [b'0', b'1'..=b'9'] => (&PHONE, Label::Phone, "French telephone, broken over a line"),
            [b'1' | b'2'] => {
                (&NIR, Label::SocialSecurity, "social security number with its key, broken over a line")
            }
            _ => return None,
        };
        let mark = |i: usize| matches!(self.text_of(i), "." | "-");
        let number = |i: usize| self.tokens.get(i).is_some_and(|t| t.kind == TokenKind::Number);
        if first > 0 && (number(first - 1) || mark(first - 1) && first > 1 && number(first - 2)) {
            return None;
        }
        let (mut at, mut lines) = (first, 0);
        let mut digits = [0; 15];
        let mut used = 0;
        for (n, &length) in groups.iter().enumerate() {
            if n > 0 {
                at += 1;
                at += usize::from(mark(at));
                if self.tokens.get(at)?.kind == TokenKind::Newline && n > 1 {
                    (at, lines) = (at + 1, lines + 1);
                }
            }
            let group = self.tokens.get(at)?.of(self.text).as_bytes();
            if !number(at) || group.len() != length {
                return None;
            }
            digits[used..used + length].copy_from_slice(group);
            used += length;
        }
        let goes_on = number(at + 1) || (mark(at + 1) || self.text_of(at + 1) == ",") && number(at + 2);
        let sound = label == Label::Phone || checks::nir(&digits);
        if lines != 1 || !sound || goes_on {
            return None;
        }
        self.say(self.tokens[first].start(), self.tokens[at].end(), label, 0.9, why);
        Some(at + 1)
    }
}

#[cfg(test)]
mod tests {
    use taire_text::{Label, Language, Note};

    use crate::{Detector, Patterns};

    #[test]
    fn numbers_go_on_after_a_line_end() {
        for (text, number, label) in [
            ("Tel 06 83 41\n77 29 ce jour", "06 83 41\n77 29", Label::Phone),
            ("joignable au 06.83.41.\n77.29.", "06.83.41.\n77.29", Label::Phone),
            ("assurée 2 50 05 29 232\n012 57", "2 50 05 29 232\n012 57", Label::SocialSecurity),
        ] {
            let notes = [Note::builder("a", text).language(Some(Language::Fr)).build().unwrap()];
            let mut out = [Vec::new()];
            Patterns::new().detect(&notes, &mut out).unwrap();
            let got: Vec<_> = out[0].iter().map(|m| (m.span.of(text), m.label())).collect();
            assert_eq!(got, [(number, Some(label))], "{text}");
        }
    }
}
