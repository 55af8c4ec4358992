//! Batches of HL7 v2 messages: `FHS`, `BHS`, messages, `BTS`, `FTS`, or messages one after the other without these.
//!
//! What a batch says of itself (who sent it, its name, its number of messages) is not kept: a new header is written.

use std::io::{self, BufRead};

use crate::read::too_long;
use crate::{LIMIT, Reason};

/// What a batch begins with: separators and nothing else.
pub(crate) const HEADER: &[u8] = b"FHS|^~\\&\rBHS|^~\\&\r";
pub(crate) const TRAILER: &[u8] = b"BTS\rFTS\r";

/// The messages of a batch, one in memory at a time.
pub(crate) struct Messages {
    input: Box<dyn BufRead + Send>,
    /// The first segment of the next message.
    begun: Vec<u8>,
    count: u64,
    ended: bool,
}

impl Messages {
    pub(crate) fn new(input: Box<dyn BufRead + Send>) -> Self {
        Messages { input, begun: Vec::new(), count: 0, ended: false }
    }

    /// Messages given so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The next message, or why it is refused; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Result<Vec<u8>, Reason>> {
        let mut message = std::mem::take(&mut self.begun);
        let mut size = message.len();
        while !self.ended {
            let segment = match self.segment() {
                Ok(Some(segment)) => segment,
                Ok(None) => {
                    self.ended = true;
                    break;
                }
                Err(_) => {
                    self.ended = true;
                    self.count += 1;
                    let why = "reading stopped inside this message; what follows was not read";
                    return Some(Err(why.into()));
                }
            };
            let bare = segment.bytes.trim_ascii();
            let bare = bare.strip_prefix(b"\x0B").unwrap_or(bare);
            let bare = bare.strip_suffix(b"\x1C").unwrap_or(bare);
            let bare = bare.strip_prefix(b"\xEF\xBB\xBF").filter(|_| size == 0).unwrap_or(bare);
            let is = |name: &[u8]| bare.starts_with(name) && bare.get(3).is_none_or(u8::is_ascii_punctuation);
            if bare.is_empty() || [b"FHS", b"BHS", b"BTS", b"FTS"].iter().any(|name| is(*name)) {
                continue;
            }
            if is(b"MSH") && size > 0 {
                self.begun = [bare, b"\r"].concat();
                break;
            }
            size = size.saturating_add(segment.length);
            if size <= LIMIT {
                message.extend_from_slice(bare);
                message.push(b'\r');
            }
        }
        if size == 0 {
            return None;
        }
        self.count += 1;
        Some(match size > LIMIT {
            true => Err(too_long(size as u64).into()),
            false if !message.starts_with(b"MSH") => {
                Err("segments that belong to no message come before the first one".into())
            }
            false => Ok(message),
        })
    }

    /// Bytes up to the end of a segment, however that is written.
    fn segment(&mut self) -> io::Result<Option<Segment>> {
        let mut segment = Segment { bytes: Vec::new(), length: 0 };
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if available.is_empty() {
                return Ok((segment.length > 0).then_some(segment));
            }
            let end = memchr::memchr2(b'\r', b'\n', available);
            let part = &available[..end.map_or(available.len(), |at| at + 1)];
            segment.length += part.len();
            if segment.length <= LIMIT {
                segment.bytes.extend_from_slice(part);
            }
            let used = part.len();
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(segment));
            }
        }
    }
}

struct Segment {
    bytes: Vec<u8>,
    /// What it has, beyond the limit too.
    length: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(bytes: &[u8]) -> Vec<Result<String, String>> {
        let mut all = Messages::new(Box::new(io::Cursor::new(bytes.to_vec())));
        std::iter::from_fn(|| all.next())
            .map(|m| m.map(|m| String::from_utf8(m).unwrap()).map_err(|why| why.to_string()))
            .collect()
    }

    #[test]
    fn messages_are_told_apart_however_they_are_packed() {
        let expected = [Ok("MSH|^~\\&|A\rPID|1\r".to_owned()), Ok("MSH|^~\\&|B\rPID|2\r".to_owned())];
        for batch in [
            "FHS|^~\\&|Dupont\rBHS|^~\\&|Dupont\rMSH|^~\\&|A\rPID|1\rMSH|^~\\&|B\rPID|2\rBTS|2|Dupont\rFTS|1\r",
            "BHS|^~\\&\r\nMSH|^~\\&|A\r\nPID|1\r\nBTS|1\r\nBHS|^~\\&\r\nMSH|^~\\&|B\r\nPID|2",
            "\u{b}MSH|^~\\&|A\rPID|1\r\u{1c}\r\u{b}MSH|^~\\&|B\rPID|2\r\u{1c}\r",
        ] {
            assert_eq!(messages(batch.as_bytes()), expected, "{batch}");
        }
        assert!(messages(b"FHS|^~\\&\rFTS\r").is_empty() && messages(b"").is_empty());
        let stray = messages(b"FHS|^~\\&\rPID|Dupont\rMSH|^~\\&|A\r");
        assert!(stray[0].as_ref().is_err_and(|why| !why.contains("Dupont")) && stray[1].is_ok());
    }
}
