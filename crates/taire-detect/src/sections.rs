//! The parts of a report (Córdoba §4.3): a header of keys and values, the body, a footer that says who sends it.

use std::sync::LazyLock;

use taire_text::{Note, fold};

use crate::folded::{WordSet, word_hash};
use crate::structure::is_header_key;

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
/// A key has no more bytes than this.
const LONGEST_KEY: usize = 50;
/// A heading has no more words than this.
const HEADING_WORDS: usize = 6;

/// First words of the line that opens a footer.
static FOOTERS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "remitido remite responsable correspondencia firmado fdo firma autor autora atentamente contacto",
        "signataire signe cordialement confraternellement redacteur correspondance",
    ])
});

/// What a line says of where the header ends.
enum Line {
    /// A key of a header with its value.
    Pair,
    /// A heading or nothing: the lines after it decide.
    Open,
    /// The key of a section, or prose.
    Body,
}

fn read_line(line: &str) -> Line {
    let content = line.trim();
    let key = content.find(':').map(|colon| &content[..colon]);
    let pair = key.is_some_and(|k| k.len() <= LONGEST_KEY && is_header_key(k));
    if pair && content.chars().count() <= LONGEST_PAIR {
        Line::Pair
    } else if key.is_none() && content.split_whitespace().count() <= HEADING_WORDS {
        Line::Open
    } else {
        Line::Body
    }
}

/// Where the header ends: after the last pair before the first line whose key is no header key. One pair is a heading
/// with a colon.
fn header_end(text: &str) -> usize {
    let (mut end, mut at, mut pairs) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        at += line.len();
        match read_line(line) {
            Line::Pair => (end, pairs) = (at, pairs + 1),
            Line::Open => {}
            Line::Body => break,
        }
    }
    if pairs < 2 { 0 } else { end }
}

impl Sections {
    pub fn of(note: &Note) -> Sections {
        Sections::of_text(note.raw())
    }

    /// The same, of a text that is no note.
    pub fn of_text(text: &str) -> Sections {
        let body = header_end(text);
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

    pub(crate) fn body_start(&self) -> usize {
        self.body
    }

    pub(crate) fn footer_start(&self) -> usize {
        self.footer
    }

    /// Where the parts that are not empty start, with their names.
    pub fn starts(&self) -> Vec<(usize, &'static str)> {
        let starts = [(0, "header"), (self.body, "body"), (self.footer, "footer")];
        let mut out: Vec<(usize, &'static str)> = Vec::new();
        for (start, name) in starts {
            out.retain(|part| part.0 < start);
            out.push((start, name));
        }
        out
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
    fn a_short_line_with_the_key_of_a_section_is_body() {
        // Córdoba, figure 4.2: the report starts on the line of its key.
        let text = "Nombre: Ana.\nEdad: 17 años Sexo: H.\nServicio: Urología.\nInforme clínico del paciente: Varón de 17 años.\n";
        let found: Vec<Section> = parts(text).into_iter().map(|p| p.0).collect();
        use Section::*;
        assert_eq!(found, [Header, Header, Header, Body]);
        let starts = Sections::of_text(text).starts();
        assert_eq!(starts.iter().map(|s| s.1).collect::<Vec<_>>(), ["header", "body", "footer"]);
        assert_eq!(starts[1].0, text.find("Informe").unwrap());
    }

    #[test]
    fn prose_alone_is_body() {
        let text = "Estimado compañero: te envío a este niño de tres años por tos de dos semanas, sin fiebre, con buen estado general\nUn saludo";
        assert!(parts(text).iter().all(|p| p.0 == Section::Body));
        assert!(parts("").is_empty());
    }
}
