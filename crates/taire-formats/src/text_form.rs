//! Text that is a document of another kind: HTML, RTF, a mail, an envelope (CDA, FHIR, HL7) or base64 of a file in a cell of a
//! table, a request or a string.
//!
//! It goes through the recognition that files go through: [`Document::open_text`] puts the text that can be read in its
//! place, [`Document::written_text`] gives the new text in the form the old one had, after reading it back. What is
//! recognised and cannot be opened there is refused.

use std::borrow::Cow;
use std::fmt;

use std::sync::Arc;

use crate::document::Spot;
use crate::encoded;
use crate::envelope::{self, Way, inside};
use crate::identity;
use crate::office::{self, Back};
use crate::sniff::{self, Carrier, HEAD};
use crate::{Document, Error, Format, Ocr, OutSpan, Reason};

/// The form that a text came in.
#[derive(Default)]
pub struct TextForm(Option<Box<Rich>>);

struct Rich {
    name: &'static str,
    back: WriteBack,
}

/// The way back into the form.
enum WriteBack {
    Markup(Back),
    /// A file in base64.
    Base64(Back),
    Envelope(Way),
}

impl fmt::Debug for TextForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TextForm {
    /// `plain`, `html`, `rtf`, `base64`, or the name of an envelope: `eml`, `cda`, `fhir`, `hl7`.
    pub fn name(&self) -> &'static str {
        self.0.as_ref().map_or("plain", |rich| rich.name)
    }

    pub fn is_plain(&self) -> bool {
        self.0.is_none()
    }

    /// Bytes held while the document is treated.
    pub(crate) fn weight(&self) -> usize {
        self.0.as_ref().map_or(0, |rich| match &rich.back {
            WriteBack::Markup(back) | WriteBack::Base64(back) => back.weight(),
            WriteBack::Envelope(way) => way.weight(),
        })
    }
}

impl Document {
    /// Opens the text where it is HTML, RTF, a mail, an envelope or base64 of a document: what it shows takes its place. Text
    /// that holds what is not opened is refused. Nothing is opened twice.
    pub fn open_text(&mut self) -> Result<(), Reason> {
        self.open_form(Envelopes::Open)
    }

    /// The same for a text inside an envelope: no envelope is opened in another, so that none nest without end.
    pub(crate) fn open_text_inside(&mut self) -> Result<(), Reason> {
        self.open_form(Envelopes::Refuse)
    }

    fn open_form(&mut self, envelopes: Envelopes) -> Result<(), Reason> {
        let read_from_its_file = matches!(self.place.0, Spot::Markup(_) | Spot::Envelope(_));
        // Final spans count in the text as it was given: it is not opened under them.
        if read_from_its_file || !self.form.is_plain() || self.final_spans.is_some() {
            return Ok(());
        }
        let opened = match recognise(&self.text)? {
            Kind::Plain => return encoded::check(&self.text),
            Kind::Html => office::open_fragment(&self.text)?.into_form("html"),
            Kind::Rtf => office::open(Format::Rtf, &ascii_rtf(&self.text)?, &Ocr::off())?.into_form("rtf"),
            Kind::Base64(bytes) => {
                let inside = inside::open(&bytes)?;
                self.given = inside.given;
                let rich = Rich { name: "base64", back: WriteBack::Base64(inside.back) };
                (inside.text, inside.left_out, rich)
            }
            Kind::Envelope(format) if envelopes == Envelopes::Open => self.open_envelope(format)?,
            Kind::Envelope(format) => {
                let why =
                    format!("the text is {}, which is not opened there; give it as a file", format.name());
                return Err(why.into());
            }
        };
        let (text, left_out, rich) = opened;
        encoded::check(&text)?;
        self.text = text;
        for (what, n) in left_out {
            *self.left_out.entry(what).or_default() += n;
        }
        self.form = TextForm(Some(Box::new(rich)));
        Ok(())
    }

    /// Opens an envelope, and takes over what its header says of the people in it.
    fn open_envelope(&mut self, format: Format) -> Result<(String, office::Counts, Rich), Reason> {
        let opened = envelope::open(format, self.text.as_bytes())?;
        self.given = opened.read.given;
        self.language = self.language.or(opened.read.language);
        if !opened.read.known.is_empty() {
            self.known = Some(Arc::new(match &self.known {
                Some(known) => identity::merge(known, &opened.read.known),
                None => opened.read.known,
            }));
        }
        let rich = Rich { name: format.name(), back: WriteBack::Envelope(opened.way) };
        Ok((opened.text, opened.left_out, rich))
    }

    /// The new text in the form the old one came in. An error concerns this document alone.
    pub fn written_text<'t>(&self, text: &'t str, spans: &[OutSpan]) -> Result<Cow<'t, str>, Error> {
        let Some(rich) = &self.form.0 else { return Ok(Cow::Borrowed(text)) };
        let bytes = match &rich.back {
            WriteBack::Markup(back) => back.write(text, spans),
            WriteBack::Base64(back) => {
                let written = inside::close(back, text, spans).map_err(Error::refused)?;
                return Ok(Cow::Owned(written));
            }
            WriteBack::Envelope(way) => way.write(text, spans),
        };
        let written = String::from_utf8(bytes.map_err(Error::refused)?);
        written.map(Cow::Owned).map_err(|_| Error::refused("its markup is damaged: it is no text any more"))
    }
}

impl office::Opened {
    fn into_form(self, name: &'static str) -> (String, office::Counts, Rich) {
        (self.text, self.left_out, Rich { name, back: WriteBack::Markup(self.back) })
    }
}

/// What becomes of a text that is an envelope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Envelopes {
    Open,
    Refuse,
}

enum Kind {
    Plain,
    Html,
    Rtf,
    Base64(Vec<u8>),
    Envelope(Format),
}

/// What a text is, or why it is refused.
fn recognise(text: &str) -> Result<Kind, Reason> {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
    if start.starts_with("{\\rtf") {
        return Ok(Kind::Rtf);
    }
    if text.contains("{\\rtf") {
        return Err("the text holds RTF after other text; give the RTF by itself".into());
    }
    let head = &start.as_bytes()[..start.len().min(HEAD)];
    match sniff::carrier(head) {
        Some(Carrier::Opened(format)) => return Ok(Kind::Envelope(format)),
        Some(Carrier::Refused(what)) => {
            return Err(format!("the text is {what}, which is not opened there; give it as a file").into());
        }
        None => {}
    }
    if let Some(what) = buried(text) {
        return Err(format!("the text holds {what} after other text; give that by itself").into());
    }
    if sniff::is_page(head) || office::has_tags(text) {
        return Ok(Kind::Html);
    }
    Ok(base64_file(start.trim_end()).map_or(Kind::Plain, Kind::Base64))
}

/// What begins a line inside a text and is no prose: its fields and encodings hide letters from detectors.
fn buried(text: &str) -> Option<&'static str> {
    const MARKS: [(&str, &str); 3] = [
        ("BEGIN:VCARD", "a vCard"),
        ("BEGIN:VCALENDAR", "a calendar"),
        ("Content-Transfer-Encoding:", "a mail"),
    ];
    let begins_line = |at: usize| text[..at].ends_with(['\n', '\r']);
    MARKS
        .iter()
        .find(|(mark, _)| text.match_indices(mark).any(|(at, _)| begins_line(at)))
        .map(|(_, what)| *what)
}

/// The bytes behind a text that is base64 from end to end, where they are a document or text.
fn base64_file(text: &str) -> Option<Vec<u8>> {
    const SHORTEST: usize = 24;
    let coded = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=' | b'\r' | b'\n');
    if text.len() < SHORTEST || !text.bytes().all(coded) {
        return None;
    }
    // Lines of one length, as programs cut it: words under each other are no code.
    let mut lines = text.lines().map(|line| line.trim_end().len());
    let first = lines.next()?;
    let rest: Vec<usize> = lines.collect();
    let even =
        rest.split_last().is_none_or(|(last, full)| *last <= first && full.iter().all(|n| *n == first));
    let bytes = even.then(|| inside::from_base64(text).ok())??;
    let words = encoded::check(text).is_err();
    (words || sniff::is_document(&bytes)).then_some(bytes)
}

/// RTF is ASCII: letters that came as such are written as RTF writes them.
fn ascii_rtf(text: &str) -> Result<Cow<'_, [u8]>, Reason> {
    if text.is_ascii() {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let one = |at: usize| !text[at + 3..].starts_with(|c: char| c.is_ascii_digit() && c != '1');
    if !text.match_indices("\\uc").all(|(at, _)| one(at)) {
        return Err(
            "its RTF holds letters that are not ASCII and counts their stand-ins; save it anew".into()
        );
    }
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut units = [0; 2];
    for c in text.trim_start_matches('\u{FEFF}').chars() {
        match c.is_ascii() {
            true => out.push(c as u8),
            false => c
                .encode_utf16(&mut units)
                .iter()
                .for_each(|u| out.extend(format!("\\u{}?", *u as i16).bytes())),
        }
    }
    Ok(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_edit::tests::replace_all;

    fn opened(text: &str) -> Result<Document, Reason> {
        let mut document = Document::new("a", text);
        document.open_text().map(|()| document)
    }

    /// What comes out when a name is replaced.
    fn through(text: &str) -> (&'static str, String, String) {
        let document = opened(text).unwrap();
        let (new, spans) = replace_all(&document.text, &[("Lefèvre", "Noël"), ("Lefevre", "Noel")]);
        let written = document.written_text(&new, &spans).unwrap().into_owned();
        (document.form.name(), document.text.clone(), written)
    }

    #[test]
    fn html_and_rtf_come_back_in_their_own_form() {
        for (text, form, read, written) in [
            ("Mme Lefèvre < 5", "plain", "Mme Lefèvre < 5", "Mme Noël < 5"),
            ("<p>Mme Lef&egrave;vre</p>", "html", "Mme Lefèvre", "<p>Mme Noël</p>"),
            (
                "Mme <b>Lef&#232;vre</b>\nva <i>bien</i>",
                "html",
                "Mme Lefèvre\nva bien",
                "Mme <b>Noël</b>\nva <i>bien</i>",
            ),
            ("Vu.<br>Mme Lefèvre<br/>", "html", "Vu.\nMme Lefèvre", "Vu.<br>Mme Noël<br/>"),
            ("{\\rtf1\\ansi Mme Lef\\'e8vre}", "rtf", "Mme Lefèvre", "{\\rtf1\\ansi Mme No\\u235?l}"),
            ("{\\rtf1 Mme Lefèvre}", "rtf", "Mme Lefèvre", "{\\rtf1 Mme No\\u235?l}"),
        ] {
            assert_eq!(through(text), (form, read.to_owned(), written.to_owned()), "{text}");
        }
    }

    #[test]
    fn base64_of_a_document_comes_back_as_base64() {
        for (inside, read) in [
            ("Mme Aldegonde Lefèvre va bien.", "Mme Aldegonde Noël va bien."),
            ("{\\rtf1\\ansi Mme Lef\\'e8vre}", "{\\rtf1\\ansi Mme No\\u235?l}"),
            ("<html><body>Mme Lef&egrave;vre</body></html>", "Mme Noël</body></html>"),
        ] {
            let (form, _, written) = through(&inside::to_base64(inside.as_bytes()));
            let bytes = inside::from_base64(&written).unwrap();
            assert_eq!(form, "base64");
            assert!(String::from_utf8(bytes).unwrap().ends_with(read), "{inside}");
        }
        let picture =
            inside::to_base64(b"\x89PNG\r\n\x1a\n0123456789abcdefghijklmnopqrstuvwxyz\0\0\x01\xFF\xFE");
        assert!(opened(&picture).is_err());
    }

    #[test]
    fn mails_and_envelopes_come_back_in_their_own_form() {
        let mail = "From: Dr Lefevre <lefevre@exemple.fr>\nSubject: =?utf-8?Q?Mme_Lef=C3=A8vre?=\nMIME-Version: 1.0\n\
            Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nMme Lef=E8vre va bien.\n";
        let message =
            "MSH|^~\\&|A|B|||20210315||ORU^R01|1|P|2.5\rPID|1||77||Lefevre^Anne\rOBX|1|TX|||Mme Lefèvre\r";
        let patient = "{\"resourceType\":\"Patient\",\"id\":\"77\",\"name\":[{\"family\":\"Lefevre\",\"text\":\"Mme Lefèvre\"}]}";
        for (text, name) in [(mail, "eml"), (message, "hl7"), (patient, "fhir")] {
            let document = opened(text).unwrap();
            assert!(document.given.iter().any(|g| g.label.is_some()), "{name}: no field is known");
            let swaps =
                [("lefevre@exemple.fr", "a@b.fr"), ("Lefèvre", "Noël"), ("Lefevre", "Noel"), ("77", "88")];
            let (new, spans) = replace_all(&document.text, &swaps);
            let written = document.written_text(&new, &spans).unwrap().into_owned();
            let back = opened(&written).unwrap();
            assert_eq!(document.form.name(), name);
            assert!(
                !written.to_lowercase().contains("lef") && !back.text.to_lowercase().contains("lef"),
                "{written}"
            );
            assert_eq!(back.form.name(), name);
            assert!(back.text.contains("Noël"), "{}", back.text);
        }
    }

    #[test]
    fn what_is_not_opened_in_a_text_is_refused_without_a_word_of_it() {
        for text in [
            "Voir la fiche :\nBEGIN:VCARD\nFN:Lefevre\nEND:VCARD",
            "Message transféré\r\nContent-Transfer-Encoding: base64\r\n\r\nTGVmZXZyZQ==",
            "<?xml version=\"1.0\"?><a>Lefevre</a>",
            "{\"resourceType\":\"Basic\",\"id\":\"Lefevre\"}",
            "Compte rendu : {\\rtf1 Lefevre}",
            "%PDF-1.7 Lefevre",
            "BEGIN:VCARD\nFN:Lefevre\nEND:VCARD",
            "From lefevre@exemple.fr Thu Jan  1 00:00:00 1970\nSubject: Lefevre",
            "Subject: Lefevre\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\nUEsDBExlZmV2cmU=",
            "<p>Mme Lef=C3=A8vre</p>",
            "{\\rtf1\\uc0 Lefèvre}",
        ] {
            let why = opened(text).unwrap_err().to_string();
            assert!(!why.to_lowercase().contains("lef"), "{why}");
        }
    }

    #[test]
    fn notes_stay_plain() {
        for text in [
            "PA <140/90>, a<b et b>c, groupe <a>",
            "Cher confrère,\nCordialement,\nDr Lefèvre <lefevre@exemple.fr>",
            "De : Lefèvre\nObjet : compte rendu\n\nBonjour",
            "CHOLECYSTECTOMIE",
            "<nom_famille>Lefèvre</nom_famille>",
            "<recordTarget><title>Lettre</title><family qualifier=\"BR\">Lefèvre</family></recordTarget>",
            "MSH rappelé, {sic}",
            "",
        ] {
            let document = opened(text).unwrap();
            assert!(document.form.is_plain() && document.text == text, "{text}");
        }
    }
}
