//! Numbers of things in reports and messages.

use std::fmt::Display;

/// `1 document`, `2 documents`: the number with the words that agree with it.
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    format!("{number} {}", if number == N::from(1) { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn words_agree_with_their_number() {
        let said = [0u64, 1, 2].map(|n| counted(n, "file was", "files were"));
        assert_eq!(said, ["0 files were", "1 file was", "2 files were"]);
    }
}
