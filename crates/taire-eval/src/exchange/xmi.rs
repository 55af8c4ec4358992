//! UIMA CAS in XMI, as INCEpTION exports and imports it: one file a document, offsets in UTF-16.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::Placed;
use super::write::Utf16;
use crate::corpus::{Offsets, boundaries};
use crate::{Doc, Error, Tag};

/// Layers of INCEpTION that are no annotations of people's.
const LAYOUT: &[&str] = &[
    "Sentence",
    "Token",
    "Lemma",
    "POS",
    "DocumentMetaData",
    "DocumentAnnotation",
    "Paragraph",
    "Div",
    "Heading",
];

/// A text fit for an attribute, line ends included.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// One document.
pub fn write_xmi(doc: &Doc) -> Result<String, Error> {
    let placed = Placed::new(doc)?;
    let unfit = |c: char| matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}');
    if placed.text.contains(unfit) {
        return Err(Error::input(format!(
            "document `{}` holds control characters, which XML cannot hold",
            doc.id
        )));
    }
    let mut units = Utf16::new(placed.text);
    let id = escaped(&doc.id);
    let mut out = String::from(concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xmi:XMI xmlns:xmi=\"http://www.omg.org/XMI\" ",
        "xmlns:cas=\"http:///uima/cas.ecore\" ",
        "xmlns:meta=\"http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore\" ",
        "xmlns:ner=\"http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore\" xmi:version=\"2.0\">\n",
        "<cas:NULL xmi:id=\"0\"/>\n",
    ));
    let length = units.at(placed.text.len());
    let _ = writeln!(
        out,
        "<meta:DocumentMetaData xmi:id=\"2\" sofa=\"1\" begin=\"0\" end=\"{length}\" language=\"x-unspecified\" documentTitle=\"{id}\" \
         documentId=\"{id}\" isLastSegment=\"false\"/>"
    );
    let mut members = String::from("2");
    for (i, span) in placed.spans.iter().enumerate() {
        let (start, end) = (units.at(span.bytes.start), units.at(span.bytes.end));
        let label = escaped(span.label);
        let _ = writeln!(
            out,
            "<ner:NamedEntity xmi:id=\"{}\" sofa=\"1\" begin=\"{start}\" end=\"{end}\" value=\"{label}\"/>",
            i + 3
        );
        let _ = write!(members, " {}", i + 3);
    }
    let _ = writeln!(
        out,
        "<cas:Sofa xmi:id=\"1\" sofaNum=\"1\" sofaID=\"_InitialView\" mimeType=\"text/plain\" sofaString=\"{}\"/>",
        escaped(placed.text)
    );
    let _ = writeln!(out, "<cas:View sofa=\"1\" members=\"{members}\"/>\n</xmi:XMI>");
    Ok(out)
}

/// The types that [`write_xmi`] uses.
pub fn type_system() -> String {
    let feature = |name: &str, range: &str| {
        format!(
            "        <featureDescription><name>{name}</name><description/><rangeTypeName>uima.cas.{range}</rangeTypeName>\
             </featureDescription>\n"
        )
    };
    let described = |name: &str, above: &str, features: &[(&str, &str)]| {
        let features: String = features.iter().map(|(name, range)| feature(name, range)).collect();
        format!(
            "    <typeDescription>\n      <name>{name}</name>\n      <description/>\n      <supertypeName>{above}</supertypeName>\n      \
             <features>\n{features}      </features>\n    </typeDescription>\n"
        )
    };
    let text = "String";
    let meta = described(
        "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
        "uima.tcas.DocumentAnnotation",
        &[("documentTitle", text), ("documentId", text), ("isLastSegment", "Boolean")],
    );
    let entity = described(
        "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity",
        "uima.tcas.Annotation",
        &[("value", text)],
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<typeSystemDescription xmlns=\"http://uima.apache.org/resourceSpecifier\">\n  \
         <types>\n{meta}{entity}  </types>\n</typeSystemDescription>\n"
    )
}

/// Reads one document, and counts the annotations of other layers, which are left out.
pub(crate) fn read_xmi(id: &str, xml: &str) -> Result<(Doc, usize), Error> {
    let broken = || Error::input(format!("document `{id}` is no CAS in XMI that can be read"));
    let mut reader = Reader::from_str(xml);
    let (mut text, mut own_id) = (None, None);
    let (mut found, mut left_out, mut root) = (Vec::new(), 0, false);
    loop {
        match reader.read_event().map_err(|_| broken())? {
            Event::Eof => break,
            Event::DocType(_) => return Err(broken()),
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.local_name();
                let local = name.as_ref().to_owned();
                let attributes = attributes(&tag).ok_or_else(broken)?;
                let get = |key: &str| attributes.get(key).map(String::as_str);
                root |= local == "XMI";
                match local.as_str() {
                    "Sofa" => {
                        if text.replace(get("sofaString").unwrap_or_default().to_owned()).is_some() {
                            return Err(Error::input(format!("document `{id}` has several views; give one")));
                        }
                    }
                    "DocumentMetaData" => {
                        own_id = get("documentId").or(get("documentTitle")).map(str::to_owned);
                    }
                    layer if LAYOUT.contains(&layer) => {}
                    _ => {
                        let place = get("begin")
                            .and_then(|n| n.parse().ok())
                            .zip(get("end").and_then(|n| n.parse().ok()));
                        let label = get("value").or(get("label")).filter(|label| !label.is_empty());
                        match (place, label) {
                            (Some((start, end)), Some(label)) => found.push(Tag::new(start, end, label)),
                            (Some(_), None) => left_out += 1,
                            _ => {}
                        }
                    }
                }
            }
            _ => {}
        }
    }
    let text = text.filter(|_| root).ok_or_else(broken)?;
    let table = boundaries(&text, Offsets::Utf16);
    let mut spans = Vec::with_capacity(found.len());
    for tag in found {
        let (Ok(start), Ok(end)) = (table.binary_search(&tag.start), table.binary_search(&tag.end)) else {
            return Err(Error::input(format!(
                "span {}..{} of document `{id}` does not lie in its text",
                tag.start, tag.end
            )));
        };
        spans.push(Tag::new(start, end, tag.label));
    }
    spans.sort();
    let own_id = own_id.filter(|own| !own.is_empty()).unwrap_or_else(|| id.to_owned());
    Ok((Doc { id: own_id, text: Some(text), spans }, left_out))
}

fn attributes(tag: &BytesStart<'_>) -> Option<BTreeMap<String, String>> {
    let mut out = BTreeMap::new();
    for attribute in tag.attributes() {
        let attribute = attribute.ok()?;
        let key = attribute.key.local_name().as_ref().to_owned();
        let raw: &str = &attribute.value;
        // No entity but the five is expanded.
        let value = quick_xml::escape::unescape_with(raw, quick_xml::escape::resolve_xml_entity).ok()?;
        out.insert(key, value.into_owned());
    }
    Some(out)
}
