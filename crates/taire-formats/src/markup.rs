//! XML as a stream of tags and text with the bytes they stand in, for formats that are changed in place.
//!
//! [`scan`] reads a part and asks a [`Walk`] about every element and every stretch of text; namespaces are resolved,
//! so the prefixes of a file do not matter. Comments and processing instructions are always left out. A document
//! type, an entity that is not one of the five, or markup that does not close is refused: no entity is ever expanded.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::Reason;
use crate::splice::Gatherer;

/// How deep elements may nest.
const DEEPEST: usize = 400;
/// How many attributes one element may have.
const MOST_ATTRIBUTES: usize = 512;

/// A name with its namespace, by the short name a format gives to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Name<'a> {
    /// `""` without a namespace, `"?"` in one the format does not know.
    pub(crate) ns: &'static str,
    pub(crate) local: &'a str,
}

pub(crate) struct Attribute<'a> {
    pub(crate) name: Name<'a>,
    pub(crate) value: Cow<'a, str>,
    /// Bytes of the value, without quotes.
    pub(crate) at: Range<usize>,
    /// Bytes of the whole attribute and the blanks before it.
    pub(crate) whole: Range<usize>,
}

pub(crate) struct Tag<'a> {
    pub(crate) name: Name<'a>,
    pub(crate) attributes: Vec<Attribute<'a>>,
    /// Where attributes may be added.
    pub(crate) name_end: usize,
    /// Bytes of the whole element, where it is empty.
    pub(crate) whole: Option<Range<usize>>,
    pub(crate) depth: usize,
    /// Namespaces that the format does not know, by the bytes of their addresses.
    strangers: Vec<Range<usize>>,
}

impl Tag<'_> {
    pub(crate) fn get(&self, ns: &str, local: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|a| a.name.local == local && (a.name.ns == ns || a.name.ns.is_empty()))
            .map(|a| a.value.as_ref())
    }
}

/// What becomes of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// Read what is in it.
    Into,
    /// Leave it out with all that is in it.
    Drop,
    /// Leave its tags out, keep what is in it.
    Unwrap,
}

/// What a format does with its markup. Errors are reasons to refuse the document.
pub(crate) trait Walk {
    /// The short name of a namespace, if the format knows it.
    fn namespace(uri: &str) -> Option<&'static str>;
    fn open(&mut self, tag: &Tag<'_>, out: &mut Gatherer) -> Result<Flow, Reason>;
    fn text(&mut self, text: &str, at: Range<usize>, out: &mut Gatherer) -> Result<(), Reason>;
    fn close(&mut self, name: Name<'_>, out: &mut Gatherer) -> Result<(), Reason>;

    /// The address of a namespace that the format does not know, which stays.
    fn stranger(&mut self, address: &str, at: Range<usize>, out: &mut Gatherer) {
        out.watched(at, address);
    }
}

/// Bytes of an XML part as text, whatever its encoding.
pub(crate) fn decode(bytes: &[u8]) -> Result<String, Reason> {
    let declared = || {
        let head = &bytes[..bytes.len().min(200)];
        let at = memchr::memmem::find(head, b"encoding=")? + 9;
        let quote = *head.get(at)?;
        let end = memchr::memchr(quote, head.get(at + 1..)?)?;
        encoding_rs::Encoding::for_label(&head[at + 1..at + 1 + end])
    };
    let encoding = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None => declared().unwrap_or(encoding_rs::UTF_8),
    };
    let (text, _, bad) = encoding.decode(bytes);
    if bad {
        return Err("its XML is not in the encoding it declares".into());
    }
    // The parser would leave out a second mark and count from behind it.
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

struct Open<'a> {
    name: Name<'a>,
    /// Namespaces declared before this element.
    scope: usize,
    unwrap: bool,
}

/// Reads `xml`, which is the source that `out` has begun.
pub(crate) fn scan<W: Walk>(xml: &str, walk: &mut W, out: &mut Gatherer) -> Result<(), Reason> {
    const BROKEN: &str = "its XML is not well formed";
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut scopes: Vec<(&str, &'static str)> = vec![("xml", "xml")];
    let mut open: Vec<Open<'_>> = Vec::new();
    // Start of the element that is left out, and how deep it stands.
    let mut dropping: Option<(usize, usize)> = None;
    let mut text = String::new();
    let mut text_at = 0..0;
    let mut start = position(&reader);
    loop {
        let event = reader.read_event().map_err(|_| BROKEN.to_owned())?;
        let end = position(&reader);
        let piece: Option<Cow<'_, str>> = match &event {
            Event::Text(_) => Some(Cow::Borrowed(xml.get(start..end).unwrap_or_default())),
            Event::CData(_) => {
                let inner =
                    xml.get(start..end).and_then(|t| t.strip_prefix("<![CDATA[")?.strip_suffix("]]>"));
                Some(Cow::Borrowed(inner.unwrap_or_default()))
            }
            Event::GeneralRef(_) => {
                Some(Cow::Owned(unescape(xml.get(start..end).unwrap_or_default())?.into_owned()))
            }
            _ => None,
        };
        if let Some(piece) = piece {
            if text.is_empty() {
                text_at = start..end;
            }
            text_at.end = end;
            text.push_str(&piece);
            start = end;
            continue;
        }
        if !text.is_empty() {
            if open.is_empty() && !text.trim().is_empty() {
                return Err(BROKEN.into());
            }
            if dropping.is_none() && !open.is_empty() {
                walk.text(&text, text_at.clone(), out)?;
            }
            text.clear();
        }
        match event {
            Event::Start(_) | Event::Empty(_) => {
                if open.len() >= DEEPEST {
                    return Err(format!("its elements nest more than {DEEPEST} deep").into());
                }
                let empty = matches!(event, Event::Empty(_));
                let scope = scopes.len();
                let tag = parse_tag::<W>(xml, start..end, open.len(), &mut scopes)?;
                let name = tag.name;
                let flow = if dropping.is_none() { walk.open(&tag, out)? } else { Flow::Into };
                if flow != Flow::Into && open.is_empty() {
                    return Err("its XML is of an unknown kind".into());
                }
                if flow == Flow::Into && dropping.is_none() {
                    tag.strangers.iter().for_each(|at| walk.stranger(&xml[at.clone()], at.clone(), out));
                }
                if flow == Flow::Drop {
                    dropping = Some((start, open.len()));
                }
                if flow == Flow::Unwrap {
                    out.cut(start..end, *b"");
                }
                open.push(Open { name, scope, unwrap: flow == Flow::Unwrap });
                if empty {
                    close(&mut open, &mut scopes, &mut dropping, end..end, walk, out)?;
                }
            }
            Event::End(_) => close(&mut open, &mut scopes, &mut dropping, start..end, walk, out)?,
            Event::Comment(_) | Event::PI(_) => {
                if dropping.is_none() {
                    out.cut(start..end, *b"");
                }
            }
            Event::Decl(_) => {
                out.cut(start..end, *b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>")
            }
            Event::DocType(_) => return Err("its XML has a document type (DTD), which is not read".into()),
            Event::Eof => break,
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {}
        }
        start = end;
    }
    if open.is_empty() { Ok(()) } else { Err("its XML is cut short".into()) }
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

fn close<W: Walk>(
    open: &mut Vec<Open<'_>>,
    scopes: &mut Vec<(&str, &'static str)>,
    dropping: &mut Option<(usize, usize)>,
    at: Range<usize>,
    walk: &mut W,
    out: &mut Gatherer,
) -> Result<(), Reason> {
    let Some(Open { name, scope, unwrap }) = open.pop() else { return Ok(()) };
    scopes.truncate(scope);
    match *dropping {
        Some((start, depth)) if depth == open.len() => {
            out.cut(start..at.end, *b"");
            *dropping = None;
        }
        Some(_) => {}
        None => {
            if unwrap {
                out.cut(at, *b"");
            }
            walk.close(name, out)?;
        }
    }
    Ok(())
}

/// Character references and the five entities, nothing else.
pub(crate) fn unescape(text: &str) -> Result<Cow<'_, str>, Reason> {
    quick_xml::escape::unescape_with(text, quick_xml::escape::resolve_xml_entity)
        .map_err(|_| Reason::from("its XML uses an entity of its own, which is not expanded"))
}

/// Splits a start tag. Its bytes are known to lie between `<` and `>`.
fn parse_tag<'a, W: Walk>(
    xml: &'a str,
    at: Range<usize>,
    depth: usize,
    scopes: &mut Vec<(&'a str, &'static str)>,
) -> Result<Tag<'a>, Reason> {
    const BAD: &str = "an XML tag of it is not well formed";
    let bytes = xml.as_bytes();
    let inner_end = at.end - if xml[at.clone()].ends_with("/>") { 2 } else { 1 };
    let is_blank = |i: usize| bytes[i].is_ascii_whitespace();
    let mut i = at.start + 1;
    while i < inner_end && !is_blank(i) {
        i += 1;
    }
    let name_end = i;
    let raw_name = &xml[at.start + 1..name_end];
    let mut raw: Vec<(&'a str, Range<usize>, Range<usize>)> = Vec::new();
    loop {
        let whole = i;
        while i < inner_end && is_blank(i) {
            i += 1;
        }
        if i >= inner_end {
            break;
        }
        let key = i;
        while i < inner_end && !is_blank(i) && bytes[i] != b'=' {
            i += 1;
        }
        let key = &xml[key..i];
        while i < inner_end && is_blank(i) {
            i += 1;
        }
        if i >= inner_end || bytes[i] != b'=' {
            return Err(BAD.into());
        }
        i += 1;
        while i < inner_end && is_blank(i) {
            i += 1;
        }
        let quote = *bytes.get(i).filter(|q| matches!(q, b'"' | b'\'') && i < inner_end).ok_or(BAD)?;
        let length = memchr::memchr(quote, &bytes[i + 1..inner_end]).ok_or(BAD)?;
        let value = i + 1..i + 1 + length;
        i = value.end + 1;
        if key.is_empty() || raw.len() >= MOST_ATTRIBUTES {
            return Err(BAD.into());
        }
        raw.push((key, value, whole..i));
    }
    const LONGEST: usize = 120;
    let mut strangers = Vec::new();
    for (key, value, _) in &raw {
        let prefix = if *key == "xmlns" { Some("") } else { key.strip_prefix("xmlns:") };
        if let Some(prefix) = prefix {
            let uri = unescape(&xml[value.clone()])?;
            let known = if uri.is_empty() { Some("") } else { W::namespace(&uri) };
            if known.is_none() {
                if uri.len() > LONGEST || uri.bytes().any(|b| !b.is_ascii_graphic() || b"<>\"'&".contains(&b))
                {
                    return Err("it declares a namespace that is no address".into());
                }
                strangers.push(value.clone());
            }
            scopes.push((prefix, known.unwrap_or("?")));
        }
    }
    let resolve = |qualified: &'a str, element: bool| -> Name<'a> {
        let (prefix, local) = qualified.split_once(':').unwrap_or(("", qualified));
        if prefix.is_empty() && !element {
            return Name { ns: "", local };
        }
        let unknown = if prefix.is_empty() { "" } else { "?" };
        let ns = scopes.iter().rev().find(|(p, _)| *p == prefix).map_or(unknown, |(_, ns)| *ns);
        Name { ns, local }
    };
    let name = resolve(raw_name, true);
    let mut attributes = Vec::with_capacity(raw.len());
    for (key, value, whole) in raw {
        if key == "xmlns" || key.starts_with("xmlns:") {
            continue;
        }
        let attribute =
            Attribute { name: resolve(key, false), value: unescape(&xml[value.clone()])?, at: value, whole };
        attributes.push(attribute);
    }
    let whole = (inner_end + 2 == at.end).then_some(at);
    Ok(Tag { name, attributes, name_end, whole, depth, strangers })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splice::Code;

    struct Plain;

    impl Walk for Plain {
        fn namespace(uri: &str) -> Option<&'static str> {
            (uri == "urn:a").then_some("a")
        }
        fn open(&mut self, tag: &Tag<'_>, out: &mut Gatherer) -> Result<Flow, Reason> {
            for attribute in &tag.attributes {
                match attribute.name.local {
                    "alt" => out.run(attribute.at.clone(), attribute.value.to_string(), Code::Xml),
                    "gone" => out.cut(attribute.whole.clone(), *b""),
                    _ => {}
                }
            }
            Ok(if tag.name == (Name { ns: "a", local: "drop" }) { Flow::Drop } else { Flow::Into })
        }
        fn text(&mut self, text: &str, at: Range<usize>, out: &mut Gatherer) -> Result<(), Reason> {
            out.run(at, text.to_owned(), Code::Xml);
            Ok(())
        }
        fn close(&mut self, _: Name<'_>, _: &mut Gatherer) -> Result<(), Reason> {
            Ok(())
        }
    }

    fn read(xml: &str) -> Result<(String, String), Reason> {
        let mut out = Gatherer::new();
        out.source(xml.as_bytes().to_vec());
        scan(xml, &mut Plain, &mut out)?;
        let (text, places) = out.finish();
        let back = places.rewrite(&text, &[])?.remove(0);
        Ok((text, String::from_utf8(back).unwrap()))
    }

    #[test]
    fn text_is_whole_and_what_is_dropped_is_gone() {
        let xml = "<?xml version='1.0'?><!-- c --><r xmlns:b='urn:a'><p alt = \"x &lt;\" gone='1'>A &amp; &#233;<![CDATA[<z>]]></p>\
                   <b:drop><b:drop>no</b:drop>no</b:drop><drop/><?pi x?></r>";
        let (text, back) = read(xml).unwrap();
        assert_eq!(text, "x <A & é<z>");
        assert_eq!(
            back,
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><r xmlns:b='urn:a'><p alt = \"x &lt;\">\
             A &amp; &#233;<![CDATA[<z>]]></p><drop/></r>"
        );
    }

    #[test]
    fn marks_of_the_encoding_are_left_out_however_many() {
        assert_eq!(decode("\u{feff}\u{feff}<a>é</a>".as_bytes()).as_deref(), Ok("<a>é</a>"));
        assert_eq!(decode(b"\xff\xfe<\0a\0/\0>\0").as_deref(), Ok("<a/>"));
    }

    #[test]
    fn bombs_and_broken_markup_are_refused() {
        let deep = "<a>".repeat(5000) + &"</a>".repeat(5000);
        for xml in [
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
            "<a>&b;</a>",
            "<a alt='&b;'/>",
            "<a><b></a></b>",
            "<a><b>",
            "<a b></a>",
            "<a b=c></a>",
            "<a b='></a>",
            deep.as_str(),
        ] {
            assert!(read(xml).is_err(), "{xml:.40}");
        }
    }
}
