//! Names that machines give: files, handles and logins inside a text.

use taire_text::{Kind as TokenKind, Label};

use super::Scan;

/// Endings of file names. Those that are also words or domains ask for a mark inside the name.
const ENDINGS: &[&str] = &[
    "pdf", "doc", "docx", "odt", "rtf", "txt", "xls", "xlsx", "csv", "jpg", "jpeg", "png", "tif", "tiff",
    "gif", "bmp", "heic", "wav", "mp3", "m4a", "mp4", "avi", "ds2", "dss", "dcm", "xml", "hl7", "hpr", "msg",
    "eml", "zip", "html", "htm", "pptx", "edf", "svs", "ndpi", "mov", "json", "log", "dat", "bak", "gz",
    "tar",
];

/// Words before a login.
const CUES: &[&str] = &[
    "par",
    "por",
    "user",
    "usuario",
    "usuaria",
    "utilisateur",
    "utilisatrice",
    "login",
    "connecte",
    "connectee",
    "identifiant",
    "session",
    "sesion",
    "poste",
    "operateur",
];

/// Tokens of a name, at most.
const LONGEST: usize = 24;

impl Scan<'_> {
    fn is_glued(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.glued && t.kind != TokenKind::Newline)
    }

    /// The first token of what is written without a space up to `last`.
    fn chunk_start(&self, last: usize) -> usize {
        let mut first = last;
        while first > 0 && last - first < LONGEST && self.is_glued(first) {
            let before = &self.tokens[first - 1];
            let joins =
                before.kind != TokenKind::Mark || matches!(self.text_of(first - 1), "-" | "_" | "." | "'");
            if !joins {
                break;
            }
            first -= 1;
        }
        while first < last && self.tokens[first].kind == TokenKind::Mark {
            first += 1;
        }
        first
    }

    /// `boisseau_dos_2109.jpg`: the name of a file, at the dot before its ending.
    pub(super) fn file_name(&mut self, dot: usize) -> Option<usize> {
        let last = dot + 1;
        let ending = self.tokens.get(last).filter(|t| t.glued)?.of(self.text).to_ascii_lowercase();
        if !ENDINGS.contains(&ending.as_str()) || self.is_glued(last + 1) && self.is_word_like(last + 1) {
            return None;
        }
        let first = self.chunk_start(dot);
        let name = &self.text[self.tokens[first].start()..self.tokens[dot].start()];
        if name.chars().filter(|c| c.is_alphanumeric()).count() < 3 || name.contains('@') {
            return None;
        }
        let (start, end) = (self.tokens[first].start(), self.tokens[last].end());
        self.say(start, end, Label::OtherId, 0.9, "name of a file");
        Some(last + 1)
    }

    fn is_word_like(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| matches!(t.kind, TokenKind::Word | TokenKind::Number))
            || matches!(self.text_of(i), "@" | "_")
    }

    /// `@noaenlanit`: the name of an account, at its at sign.
    pub(super) fn handle(&mut self, at: usize) -> Option<usize> {
        if self.tokens[at].glued || !self.is_glued(at + 1) {
            return None;
        }
        let mut last = at + 1;
        while last - at < LONGEST && self.is_glued(last + 1) && self.is_word_like(last + 1) {
            last += 1;
        }
        let name = &self.text[self.tokens[at + 1].start()..self.tokens[last].end()];
        if name.len() < 4 || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let (start, end) = (self.tokens[at].start(), self.tokens[last].end());
        self.say(start, end, Label::OtherId, 0.85, "name of an account");
        Some(last + 1)
    }

    /// `imprimé par quilis_ant`: a login, at its underscore.
    pub(super) fn login(&mut self, mark: usize) -> Option<usize> {
        if !self.is_glued(mark) || !self.is_glued(mark + 1) {
            return None;
        }
        let first = self.chunk_start(mark);
        let mut last = mark + 1;
        while last - mark < LONGEST && self.is_glued(last + 1) && self.is_word_like(last + 1) {
            last += 1;
        }
        let cue = (first.saturating_sub(3)..first).any(|i| {
            let word = taire_text::fold(self.text_of(i));
            CUES.contains(&word.as_str())
        });
        let (start, end) = (self.tokens[first].start(), self.tokens[last].end());
        let letters = self.text[start..end].bytes().filter(u8::is_ascii_lowercase).count();
        if !cue || letters < 3 || self.text_of(last + 1) == "." && self.is_glued(last + 2) {
            return None;
        }
        self.say(start, end, Label::OtherId, 0.85, "login");
        Some(last + 1)
    }
}
