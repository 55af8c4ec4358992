//! FHIR R4 in XML: read into the tree that JSON gives, treated in the same way, and printed as XML again.
//!
//! Elements of one name become a list, the `value` of a primitive its value; the order of elements stays. Ids and extensions
//! of elements are left out, as in JSON. A document type or an entity of its own refuses the file.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::Reason;
use crate::markup::{decode, unescape};
use crate::splice::escaped;

use super::Enveloped;
use super::fhir::{Out, PatientBy, Syntax, read};
use super::fhir_write::scalar;
use super::json::Node;
use super::sheet::Filled;

const DEEPEST: usize = 64;
const MOST: usize = 1_000_000;
const BROKEN: &str = "its XML is not well formed";
const NAMESPACE: &str = "http://hl7.org/fhir";

pub(super) fn open(bytes: &[u8]) -> Result<Enveloped, Reason> {
    let xml = decode(bytes)?;
    read(parse(&xml)?, Syntax::Xml, PatientBy::Number)
}

/// An element that is open.
struct Element {
    name: String,
    value: Option<String>,
    children: Vec<(String, Node)>,
}

impl Element {
    fn begin(start: &BytesStart<'_>) -> Result<Element, Reason> {
        let name = local(start)?;
        let mut value = None;
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|_| BROKEN)?;
            if attribute.key.as_ref() == "value" {
                value = Some(unescape(&attribute.value)?.into_owned());
            }
        }
        Ok(Element { name, value, children: Vec::new() })
    }

    /// Whether its name is one of a resource.
    fn is_resource(&self) -> bool {
        self.name.starts_with(|c: char| c.is_ascii_uppercase())
    }

    /// Adds what it is to the element around it.
    fn end(self, around: &mut Vec<(String, Node)>) {
        let Element { name, value, mut children } = self;
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            children.insert(0, ("resourceType".into(), Node::Text(name)));
            around.push((RESOURCE.into(), Node::Object(merged(children))));
            return;
        }
        // `contained` and `resource` hold a whole resource.
        if let Some(at) = children.iter().position(|(key, _)| key == RESOURCE) {
            around.push((name, children.swap_remove(at).1));
            return;
        }
        match value {
            Some(value) => {
                // As JSON names what hangs on a primitive.
                let beside =
                    (!children.is_empty()).then(|| (format!("_{name}"), Node::Object(merged(children))));
                around.push((name, Node::Text(value)));
                around.extend(beside);
            }
            None if children.is_empty() => {}
            None => around.push((name, Node::Object(merged(children)))),
        }
    }
}

/// The key of a resource that was read and has no place yet; no element is called so.
const RESOURCE: &str = "<";

/// Members of one name as one list, in the place of the first.
fn merged(children: Vec<(String, Node)>) -> Vec<(String, Node)> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut out: Vec<(String, Node)> = Vec::with_capacity(children.len());
    for (key, node) in children {
        match places.get(&key) {
            Some(&at) => match &mut out[at].1 {
                Node::Array(items) => items.push(node),
                first => {
                    let one = std::mem::replace(first, Node::Array(Vec::new()));
                    *first = Node::Array(vec![one, node]);
                }
            },
            None => {
                places.insert(key.clone(), out.len());
                out.push((key, node));
            }
        }
    }
    out
}

fn local(start: &BytesStart<'_>) -> Result<String, Reason> {
    let name = start.local_name().into_inner().to_owned();
    match !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric()) {
        true => Ok(name),
        false => Err("it holds an element that FHIR does not know".into()),
    }
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

/// The tree of a resource.
fn parse(xml: &str) -> Result<Node, Reason> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut open: Vec<Element> = Vec::new();
    let mut done: Vec<(String, Node)> = Vec::new();
    let mut count = 0;
    // Where the narrative that is open begins, and how deep it is.
    let mut page: Option<(usize, usize)> = None;
    loop {
        let start = position(&reader);
        let event = reader.read_event().map_err(|_| BROKEN)?;
        if let Some((from, depth)) = page {
            match event {
                Event::Start(_) => page = Some((from, depth + 1)),
                Event::End(_) if depth == 1 => {
                    let html = xml.get(from..position(&reader)).ok_or(BROKEN)?.to_owned();
                    let around = open.last_mut().ok_or(BROKEN)?;
                    around.children.push(("div".into(), Node::Text(html)));
                    page = None;
                }
                Event::End(_) => page = Some((from, depth - 1)),
                Event::DocType(_) => {
                    return Err("its XML has a document type (DTD), which is not read".into());
                }
                Event::Eof => return Err("its XML is cut short".into()),
                _ => {}
            }
            continue;
        }
        match event {
            Event::Start(ref tag) | Event::Empty(ref tag) => {
                count += 1;
                if open.len() >= DEEPEST || count > MOST {
                    return Err(format!(
                        "its XML nests deeper than {DEEPEST} levels or has over {MOST} elements"
                    )
                    .into());
                }
                let is_empty = matches!(event, Event::Empty(_));
                let element = Element::begin(tag)?;
                if open.is_empty() && (!done.is_empty() || !element.is_resource()) {
                    return Err("it holds something else than a resource".into());
                }
                if element.name == "div" {
                    if tag.name().as_ref() != "div" {
                        return Err("its narrative is written with a prefix, which is not read".into());
                    }
                    if !is_empty {
                        page = Some((start, 1));
                    }
                    continue;
                }
                match is_empty {
                    true => element.end(open.last_mut().map_or(&mut done, |around| &mut around.children)),
                    false => open.push(element),
                }
            }
            Event::End(_) => {
                let element = open.pop().ok_or(BROKEN)?;
                element.end(open.last_mut().map_or(&mut done, |around| &mut around.children));
            }
            Event::Text(_) if !xml.get(start..position(&reader)).unwrap_or_default().trim().is_empty() => {
                return Err("it holds text where FHIR has none".into());
            }
            Event::CData(_) | Event::GeneralRef(_) => return Err("it holds text where FHIR has none".into()),
            Event::DocType(_) => return Err("its XML has a document type (DTD), which is not read".into()),
            Event::Eof => break,
            _ => {}
        }
    }
    match (open.is_empty(), done.pop()) {
        (true, Some((_, root))) => Ok(root),
        (true, None) => Err("it holds something else than a resource".into()),
        (false, _) => Err("its XML is cut short".into()),
    }
}

/// The file with its new values.
pub(super) fn write(root: &Out, filled: &Filled) -> Result<Vec<u8>, &'static str> {
    let mut out = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_vec();
    match push_resource(&mut out, root, filled, Some(NAMESPACE))? {
        true => Ok(out),
        false => Err("nothing of it is left"),
    }
}

/// Adds a resource; `false` if nothing of it is left, and nothing was added.
fn push_resource(
    out: &mut Vec<u8>,
    resource: &Out,
    filled: &Filled,
    namespace: Option<&str>,
) -> Result<bool, &'static str> {
    let Out::Object(members) = resource else { return Ok(false) };
    let name = members.iter().find(|(key, _)| key == "resourceType");
    let Some((_, Out::Code(name))) = name else { return Ok(false) };
    out.push(b'<');
    out.extend_from_slice(name.as_bytes());
    if let Some(namespace) = namespace {
        out.extend_from_slice(format!(" xmlns=\"{namespace}\"").as_bytes());
    }
    out.push(b'>');
    push_members(out, members, filled)?;
    out.extend_from_slice(format!("</{name}>").as_bytes());
    Ok(true)
}

fn push_members(out: &mut Vec<u8>, members: &[(String, Out)], filled: &Filled) -> Result<bool, &'static str> {
    let mut any = false;
    for (key, value) in members.iter().filter(|(key, _)| key != "resourceType") {
        match value {
            Out::Array(items) => {
                for item in items {
                    any |= push_element(out, key, item, filled)?;
                }
            }
            value => any |= push_element(out, key, value, filled)?,
        }
    }
    Ok(any)
}

/// Adds an element; `false` if it has nothing left, and nothing was added.
fn push_element(out: &mut Vec<u8>, key: &str, value: &Out, filled: &Filled) -> Result<bool, &'static str> {
    let before = out.len();
    match value {
        Out::Object(members) => {
            out.extend_from_slice(format!("<{key}>").as_bytes());
            let any = match members.iter().any(|(key, _)| key == "resourceType") {
                true => push_resource(out, value, filled, None)?,
                false => push_members(out, members, filled)?,
            };
            if !any {
                out.truncate(before);
                return Ok(false);
            }
            out.extend_from_slice(format!("</{key}>").as_bytes());
        }
        Out::Html(..) => match scalar(value, filled)? {
            Some(html) => out.extend_from_slice(html.as_bytes()),
            None => return Ok(false),
        },
        value => match scalar(value, filled)? {
            Some(text) => {
                out.extend_from_slice(format!("<{key} value=\"").as_bytes());
                // A line end in an attribute would be read as a blank.
                let text = String::from_utf8(escaped(&text)).map_err(|_| "it is no text any more")?;
                let text = text.replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;");
                out.extend_from_slice(text.as_bytes());
                out.extend_from_slice(b"\"/>");
            }
            None => return Ok(false),
        },
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::super::inside;
    use super::*;
    use crate::text_edit::tests::replace_all;

    /// A bundle as servers write it, with a name in every corner.
    fn bundle() -> String {
        let letter = inside::to_base64(b"{\\rtf1 Mme Kervadec}");
        format!(
            r##"<?xml version="1.0" encoding="UTF-8"?><!-- Kervadec -->
<Bundle xmlns="http://hl7.org/fhir" id="Kervadec"><id value="b77"/><type value="collection"/>
 <entry><fullUrl value="http://chu-kervadec.fr/fhir/Patient/pat4711"/><resource><Patient>
  <id value="pat4711"/><text><status value="generated"/><div xmlns="http://www.w3.org/1999/xhtml"><p>Aldegonde <b>Kervadec</b><br/>vue</p></div></text>
  <extension url="http://x/Kervadec"><valueString value="Kervadec"/></extension>
  <identifier><system value="urn:oid:1.2.250.1.999.2"/><value value="7719046502"/></identifier>
  <name><family value="KERVADEC"/><given value="Aldegonde"/><given value="Marie"/></name><gender value="female"/>
  <birthDate value="1952-11-04"><extension url="Kervadec"><valueString value="Kervadec"/></extension></birthDate>
 </Patient></resource></entry>
 <entry><resource><Observation><id value="o1"/><status value="final"/>
  <code><coding><system value="http://loinc.org"/><code value="29463-7"/></coding></code>
  <subject><reference value="Patient/pat4711"/></subject><valueQuantity><value value="62.50"/><unit value="kg"/></valueQuantity>
  <note><text value="Mme Kervadec &quot;pesée&quot;&#10;ce jour"/></note></Observation></resource></entry>
 <entry><resource><DocumentReference><status value="current"/><content><attachment><contentType value="text/rtf"/>
  <data value="{letter}"/></attachment></content></DocumentReference></resource></entry></Bundle>"##
        )
    }

    #[test]
    fn no_name_survives_and_the_rest_stays_in_its_place() {
        let opened = open(bundle().as_bytes()).unwrap();
        let swaps = [
            ("KERVADEC", "PETIT"),
            ("Kervadec", "Petit"),
            ("Aldegonde", "Zoé"),
            ("Marie", "Luz"),
            ("7719046502", "5551112223"),
            ("pat4711", "xyz1234"),
            ("b77", "c88"),
            ("04/11/1952", "07/08/1950"),
        ];
        let (new, spans) = replace_all(&opened.text, &swaps);
        let written = opened.way.write(&new, &spans).unwrap();
        let shown = String::from_utf8(written.clone()).unwrap();
        let lower = shown.to_lowercase();
        for name in ["kervadec", "aldegonde", "7719046502", "pat4711", "1952-11"] {
            assert!(!lower.contains(name), "{name}: {shown}");
        }
        for kept in [
            "<family value=\"PETIT\"/><given value=\"Zoé\"/><given value=\"Luz\"/>",
            "<reference value=\"Patient/xyz1234\"/>",
            "<fullUrl value=\"https://example.org/fhir/Patient/xyz1234\"/>",
            "<value value=\"62.50\"/><unit value=\"kg\"/>",
            "<birthDate value=\"1950-08-07\"/>",
            "Mme Petit &quot;pesée&quot;&#10;ce jour",
            "<resource><Patient><id value=\"xyz1234\"/>",
            "<b>Petit</b><br/>vue",
        ] {
            assert!(shown.contains(kept), "{kept}: {shown}");
        }
        assert!(open(&written).is_ok_and(|back| back.text.contains("Mme Petit")));
    }

    #[test]
    fn bombs_and_damage_are_refused_without_a_word_of_it() {
        let deep = format!("<Patient>{}", "<contact>".repeat(100));
        for xml in [
            "<!DOCTYPE a [<!ENTITY b \"Kervadec\">]><Patient xmlns=\"http://hl7.org/fhir\"/>",
            "<Patient><name><family value=\"&Kervadec;\"/></name></Patient>",
            "<Patient>Kervadec</Patient>",
            "<Patient/><Patient/>",
            "<note><text value=\"Kervadec\"/></note>",
            "<Patient><text><div>Kervadec",
            "<Kervadec/>",
            deep.as_str(),
        ] {
            let why = open(xml.as_bytes()).err().map(|why| why.to_string());
            assert!(why.as_ref().is_some_and(|why| !why.contains("Kervadec")), "{why:?}");
        }
        let whole = bundle();
        for at in (0..whole.len()).step_by(13).filter(|at| whole.is_char_boundary(*at)) {
            if let Ok(opened) = open(&whole.as_bytes()[..at]) {
                let _ = opened.way.write(&opened.text, &[]);
            }
        }
    }
}
