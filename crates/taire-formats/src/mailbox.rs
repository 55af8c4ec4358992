//! Mailboxes (`.mbox`): mails one after the other, each behind a line `From …`.

use std::io::BufRead;

use crate::envelope::mail::open;
use crate::lines::{Line, read_line};
use crate::read::too_long;
use crate::sniff::is_mbox_line;
use crate::{LIMIT, Reason};

/// The mails of a mailbox, one in memory at a time.
pub(crate) struct Mailbox {
    input: Box<dyn BufRead + Send>,
    line: Vec<u8>,
    count: u64,
    /// A line `From …` was read and its mail was not.
    begun: bool,
    ended: bool,
}

impl Mailbox {
    pub(crate) fn new(input: Box<dyn BufRead + Send>) -> Self {
        Mailbox { input, line: Vec::new(), count: 0, begun: false, ended: false }
    }

    /// Mails given so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The next mail, or why it is refused; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Result<Vec<u8>, Reason>> {
        let (mut mail, mut size, mut blank) = (Vec::new(), 0usize, true);
        loop {
            if self.ended {
                break;
            }
            let length = match read_line(&mut self.input, &mut self.line, LIMIT) {
                Ok(Line::Whole) => self.line.len(),
                Ok(Line::TooLong(n)) => n as usize,
                Ok(Line::End) => {
                    self.ended = true;
                    break;
                }
                Err(_) => {
                    self.ended = true;
                    self.count += 1;
                    return Some(Err("reading stopped inside this mail; what follows was not read".into()));
                }
            };
            let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
            if blank && is_mbox_line(line) {
                if std::mem::replace(&mut self.begun, true) {
                    break;
                }
                continue;
            }
            blank = line.is_empty();
            size = size.saturating_add(length + 1);
            if size <= LIMIT {
                mail.extend_from_slice(unquoted(line));
                mail.push(b'\n');
            }
        }
        if mail.is_empty() && self.ended && !std::mem::take(&mut self.begun) {
            return None;
        }
        self.begun &= !self.ended;
        self.count += 1;
        match size > LIMIT {
            true => Some(Err(too_long(size as u64).into())),
            false => Some(Ok(mail)),
        }
    }
}

/// `>From` in a mail is written with one more `>`.
fn unquoted(line: &[u8]) -> &[u8] {
    match line.iter().position(|b| *b != b'>') {
        Some(at) if at > 0 && line[at..].starts_with(b"From ") => &line[1..],
        _ => line,
    }
}

/// Adds a mail behind its own line; who sent it and when is not said there.
pub(crate) fn push(out: &mut Vec<u8>, mail: &[u8]) {
    out.extend_from_slice(b"From - Thu Jan  1 00:00:00 1970\n");
    for line in mail.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let quoted = line.iter().position(|b| *b != b'>').is_some_and(|at| line[at..].starts_with(b"From "));
        out.extend(quoted.then_some(b'>'));
        out.extend_from_slice(line);
        out.push(b'\n');
    }
}

/// Whether a piece of a mailbox is one mail with this text. Mail ends its lines in its own way.
pub(crate) fn reads_as(piece: &[u8], text: &str) -> bool {
    let mut mailbox = Mailbox::new(Box::new(std::io::Cursor::new(piece.to_vec())));
    let (Some(Ok(mail)), None) = (mailbox.next(), mailbox.next()) else { return false };
    let shown = |c: &char| !c.is_whitespace() && !c.is_control();
    open(&mail).is_ok_and(|read| read.text.chars().filter(shown).eq(text.chars().filter(shown)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mails(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut mailbox = Mailbox::new(Box::new(std::io::Cursor::new(bytes.to_vec())));
        std::iter::from_fn(|| mailbox.next()).map(Result::unwrap).collect()
    }

    #[test]
    fn mails_are_split_and_joined_again() {
        let mut out = Vec::new();
        let first = b"Subject: a\r\n\r\nFrom here on\r\n>From there\r\n";
        push(&mut out, first);
        push(&mut out, b"Subject: b\n\nb\n");
        let back = mails(&out);
        assert_eq!(back.len(), 2);
        assert_eq!(String::from_utf8_lossy(&back[0]), "Subject: a\n\nFrom here on\n>From there\n\n");
        assert_eq!(back[1], b"Subject: b\n\nb\n\n");
        assert!(mails(b"").is_empty());
    }
}
