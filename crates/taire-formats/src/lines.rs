//! Lines of a stream, one at a time, none longer than a limit.

use std::io::{self, BufRead};

pub(crate) enum Line {
    /// A line, without its end, in the caller's buffer.
    Whole,
    /// A line beyond the limit: skipped up to its end, its length in bytes.
    TooLong(u64),
    End,
}

/// Reads one line into `buffer` (cleared first). Memory stays under the limit whatever the line's length.
pub(crate) fn read_line(input: &mut dyn BufRead, buffer: &mut Vec<u8>, limit: usize) -> io::Result<Line> {
    const KEEP: usize = 1 << 20;
    buffer.clear();
    if buffer.capacity() > KEEP {
        buffer.shrink_to(KEEP);
    }
    let mut length = 0u64;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        if available.is_empty() {
            return Ok(match length {
                0 => Line::End,
                n if n > limit as u64 => Line::TooLong(n),
                _ => Line::Whole,
            });
        }
        let end = memchr::memchr(b'\n', available);
        let part = &available[..end.unwrap_or(available.len())];
        length += part.len() as u64;
        if length <= limit as u64 {
            buffer.extend_from_slice(part);
        } else if buffer.capacity() > KEEP {
            *buffer = Vec::new();
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            if length > limit as u64 {
                return Ok(Line::TooLong(length));
            }
            if buffer.last() == Some(&b'\r') {
                buffer.pop();
            }
            return Ok(Line::Whole);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_skipped_and_the_next_one_read() {
        let text = format!("one\r\n\n{}\nfour", "x".repeat(5000));
        let mut input = io::BufReader::with_capacity(64, text.as_bytes());
        let mut buffer = Vec::new();
        let mut seen = Vec::new();
        loop {
            match read_line(&mut input, &mut buffer, 100).unwrap() {
                Line::Whole => seen.push(String::from_utf8(buffer.clone()).unwrap()),
                Line::TooLong(n) => {
                    assert!(buffer.capacity() < 1000);
                    seen.push(format!("too long: {n}"));
                }
                Line::End => break,
            }
        }
        assert_eq!(seen, ["one", "", "too long: 5000", "four"]);
    }
}
