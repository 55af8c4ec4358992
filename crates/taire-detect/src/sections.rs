//! The parts of a report (Córdoba §4.3): a header of keys and values, the body, a footer that says who sends it.

use std::sync::LazyLock;

use taire_text::{Note, fold};

use crate::folded::{WordSet, word_hash};

/// A part of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    Header,
    Body,
    Footer,
}

/// Where the body and the footer of a note start, in bytes of the text as read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sections {
    body: usize,
    footer: usize,
}

/// A line longer than this is prose.
const LONGEST_PAIR: usize = 160;
/// A heading has no more words than this.
const HEADING_WORDS: usize = 6;

/// First words of the line that opens a footer.
static FOOTERS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "remitido remite responsable correspondencia firmado fdo firma autor autora atentamente contacto",
        "signataire signe cordialement confraternellement redacteur correspondance",
    ])
});

impl Sections {
    pub fn of(note: &Note) -> Sections {
        let text = note.raw();
        let mut body = 0;
        let mut pairs = 0;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim();
            let chars = content.chars().count();
            let pair = chars <= LONGEST_PAIR && content.find(':').is_some_and(|colon| colon <= 40);
            let heading = !content.is_empty() && content.split_whitespace().count() <= HEADING_WORDS;
            if !(pair || heading || content.is_empty()) {
                break;
            }
            at += line.len();
            pairs += usize::from(pair);
            if pair {
                body = at;
            }
        }
        // One pair is a heading with a colon.
        if pairs < 2 {
            body = 0;
        }
        let mut footer = text.len();
        let mut start = text.len();
        for line in text.split_inclusive('\n').rev() {
            start -= line.len();
            if start < body || text.len() - start > 2000 {
                break;
            }
            let word: String = fold(line.trim_start()).chars().take_while(|c| c.is_alphanumeric()).collect();
            if FOOTERS.has(word_hash(&word)) {
                footer = start;
            }
        }
        Sections { body, footer }
    }

    /// The part a byte of the text lies in.
    pub fn at(&self, byte: usize) -> Section {
        if byte >= self.footer {
            Section::Footer
        } else if byte < self.body {
            Section::Header
        } else {
            Section::Body
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(Section, String)> {
        let note = Note::builder("a", text).build().unwrap();
        let sections = Sections::of(&note);
        let mut start = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let section = sections.at(start);
            start += line.len();
            (section, line.trim_end().to_owned())
        });
        lines.collect()
    }

    #[test]
    fn pairs_prose_and_signature() {
        let prose = "Paciente que acude por dolor torácico de dos horas de evolución, opresivo, con cortejo vegetativo. ".repeat(3);
        let text = format!(
            "Datos del paciente.\nNombre: Ana.\nNHC: 22.\nInforme clínico: {prose}\nSe cita en un mes.\nRemitido por: Dra. Sanz\nC/ Mayor 3"
        );
        let found: Vec<Section> = parts(&text).into_iter().map(|p| p.0).collect();
        use Section::*;
        assert_eq!(found, [Header, Header, Header, Body, Body, Footer, Footer]);
    }

    #[test]
    fn prose_alone_is_body() {
        let text = "Estimado compañero: te envío a este niño de tres años por tos de dos semanas, sin fiebre, con buen estado general\nUn saludo";
        assert!(parts(text).iter().all(|p| p.0 == Section::Body));
        assert!(parts("").is_empty());
    }
}
