//! Which documents belong to one patient, by what they and the lists of known people say.
//!
//! A first reading puts each document under its strongest key: its patient id, else a certain number, else name with
//! birth date. Keys that other documents show to be one person's are then joined: numbers that equal a patient id,
//! social security numbers, names with a birth date. A birth date with two digits of the year joins a document to the one
//! record of that name and day, and to none where records of two centuries fit. A contradiction in birth date, number or sex forbids a join; where a
//! key fits several people, it joins none of them. The result does not depend on the order of the documents.
//!
//! Memory holds keyed hashes, the patient ids and numbers that name records, and what is certain of each patient as
//! [`Records`] packs it; no text.

mod join;

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use taire_detect::{LinkFacts, NumberKind, PeopleIndex, TrustedRecord};
use taire_formats::{Document, Identities, RowKey, SealedFile, SealedRecords, merge_known};
use taire_text::{KnownIdentity, PatientId, Sex};

use crate::run::{InputPosition, PatientRecords};
use crate::{Error, Records, SecretKey};

/// Room for the nodes of all patients together, beside [`Records`].
const MOST_BYTES: usize = 512 << 20;
/// What a node takes beside its strings.
const NODE_BYTES: usize = 96;

/// What a document is joined by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum KeyKind {
    Patient,
    Number(NumberKind),
    Name,
    /// Name and a birth date whose year has two digits. It comes last: a record has the name that full dates give it.
    NameShortYear,
}

impl KeyKind {
    fn why(self) -> String {
        match self {
            KeyKind::Patient => "patient id".to_owned(),
            KeyKind::Number(kind) => format!("number ({})", kind.name()),
            KeyKind::Name => "name and birth date".to_owned(),
            KeyKind::NameShortYear => "name and birth date with two digits of the year".to_owned(),
        }
    }
}

/// A fact of a node: its kind in the first byte, a value or its hash in the others.
///
/// Facts are sorted, and a node keeps the first of them: what may forbid a join comes before what may only join.
type Fact = u64;
const PATIENT: u8 = 1;
const BIRTH: u8 = 2;
const SEX: u8 = 3;
/// The day of birth without its century.
const SHORT_BIRTH: u8 = 4;
/// And the kinds of numbers after it.
const NUMBER: u8 = 8;
const GIVEN: u8 = 64;
const NAME: u8 = 65;
const SHORT_NAME: u8 = 66;

fn fact(kind: u8, value: u64) -> Fact {
    (u64::from(kind) << 56) | (value & ((1 << 56) - 1))
}

fn fact_kind(fact: Fact) -> u8 {
    (fact >> 56) as u8
}

/// Documents and rows that share their strongest key.
struct Node {
    kind: KeyKind,
    /// The patient id or the hospital's number; of others, a keyed hash.
    key: Box<str>,
    /// What tells it from others of the same key who are somebody else.
    apart: u32,
    /// Others of the same key are somebody else.
    split: bool,
    /// Sorted.
    facts: Vec<Fact>,
    packed: Box<[u8]>,
    documents: u32,
    /// The node of its record; itself where it is the first of one.
    root: u32,
    /// Of a root: the node that names the record.
    best: u32,
    /// Of a root: by what nodes of different keys were joined.
    via: Option<KeyKind>,
    /// Its key fits several people: its documents are treated each by itself.
    alone: bool,
}

impl Node {
    fn new(kind: KeyKind, key: String, apart: u32, number: u32) -> Node {
        Node {
            kind,
            key: key.into(),
            apart,
            split: false,
            facts: Vec::new(),
            packed: Box::default(),
            documents: 0,
            root: number,
            best: number,
            via: None,
            alone: false,
        }
    }
}

/// How many documents and rows were joined, and by what.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkCounts {
    /// Documents by what joins them to their record.
    pub by_patient_id: usize,
    /// Documents that a number in their text joins.
    pub by_number: usize,
    /// Documents that name and birth date join.
    pub by_name_and_birth_date: usize,
    /// Documents that say nothing certain of their patient: each is treated by itself.
    pub alone: usize,
    /// Documents whose number or name belongs to people who contradict each other: each is treated by itself.
    pub contradicted: usize,
    /// Records these documents form.
    pub records: usize,
    /// Rows of known people that a document was joined to.
    pub known_joined: usize,
    /// Rows of known people that no document was joined to; they are looked for in every document.
    pub known_unjoined: usize,
}

/// Gathers what documents and rows say.
pub struct Linker {
    salt: [u8; 32],
    nodes: Vec<Node>,
    by_key: HashMap<u64, u32>,
    bytes: usize,
    left_out: usize,
    /// Documents without a key.
    unkeyed: usize,
    /// By input and item: the node of the document, from 1.
    places: Vec<Vec<u32>>,
    /// The ids of the documents in their order, each with its node.
    names: SealedFile,
}

impl std::fmt::Debug for Linker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Linker({} nodes)", self.nodes.len())
    }
}

impl Linker {
    /// For one run. With the same key, records have the same names in every run.
    pub fn new(key: Option<&SecretKey>) -> Result<Linker, Error> {
        let salt = match key {
            Some(key) => *key.subkey("links", b"")?,
            None => [0; 32],
        };
        let names = SealedFile::new().map_err(|e| no_room(&e))?;
        Ok(Linker {
            salt,
            nodes: Vec::new(),
            by_key: HashMap::new(),
            bytes: 0,
            left_out: 0,
            unkeyed: 0,
            places: Vec::new(),
            names,
        })
    }

    fn hash(&self, parts: &[&str]) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.salt);
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hash.finalize().into()
    }

    fn short(&self, parts: &[&str]) -> u64 {
        let hash = self.hash(parts);
        hash[..8].iter().fold(0, |n, b| n << 8 | u64::from(*b))
    }

    fn facts(&self, facts: &LinkFacts) -> Vec<Fact> {
        let mut out = Vec::new();
        out.extend(facts.births.iter().map(|day| fact(BIRTH, join::day_number(*day))));
        out.extend(facts.all_short_births().map(|birth| fact(SHORT_BIRTH, join::short_day_number(birth))));
        out.extend(facts.sex.map(|sex| fact(SEX, u64::from(sex == Sex::F))));
        out.extend(facts.given.as_deref().map(|given| fact(GIVEN, self.short(&["given", given]))));
        for (birth, given, family) in facts.names_with_birth() {
            out.push(fact(NAME, self.short(&["name", &birth.to_string(), given, family])));
        }
        for (birth, given, family) in facts.names_with_short_birth() {
            let birth = join::short_day_number(birth).to_string();
            out.push(fact(SHORT_NAME, self.short(&["name, short year", &birth, given, family])));
        }
        for (&kind, number) in &facts.numbers {
            out.push(fact(NUMBER + kind as u8, self.short(&[kind.name(), number])));
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The strongest key of a document or a row, and what tells it from others of the same key.
    fn key(&self, patient: Option<&PatientId>, facts: &LinkFacts) -> Option<(KeyKind, String, String)> {
        let token =
            |parts: &[&str]| self.hash(parts)[..12].iter().map(|b| format!("{b:02x}")).collect::<String>();
        if let Some(patient) = patient {
            return Some((KeyKind::Patient, patient.as_str().to_owned(), String::new()));
        }
        if let Some((&kind, number)) = facts.numbers.first_key_value() {
            let given = facts.given.as_deref().filter(|_| kind == NumberKind::Social).unwrap_or_default();
            let short: Vec<u64> = facts.short_births.iter().map(|b| join::short_day_number(*b)).collect();
            let apart = match (facts.births.is_empty(), short.is_empty(), facts.sex, given) {
                (true, true, None, "") => String::new(),
                (_, true, sex, given) => format!("{:?} {sex:?} {given}", facts.births),
                (_, false, sex, given) => format!("{:?} {short:?} {sex:?} {given}", facts.births),
            };
            let key = if kind.is_local() { number.clone() } else { token(&[kind.name(), number]) };
            return Some((KeyKind::Number(kind), key, apart));
        }
        let apart = facts.sex.map(|sex| format!("{sex:?}")).unwrap_or_default();
        if let Some((birth, given, family)) = facts.names_with_birth().next() {
            let key = token(&["record of a name", &birth.to_string(), given, family]);
            return Some((KeyKind::Name, key, apart));
        }
        let (birth, given, family) = facts.names_with_short_birth().next()?;
        let birth = join::short_day_number(birth).to_string();
        let key = token(&["record of a name, short year", &birth, given, family]);
        Some((KeyKind::NameShortYear, key, apart))
    }

    /// The node of a key, if there is one.
    fn find(&self, patient: Option<&PatientId>, facts: &LinkFacts) -> Option<u32> {
        let (kind, key, apart) = self.key(patient, facts)?;
        self.by_key.get(&self.short(&[&kind.why(), &key, &apart])).copied()
    }

    /// The node of a key; `None` where there is none or no room for it.
    fn node(&mut self, patient: Option<&PatientId>, facts: &LinkFacts) -> Option<u32> {
        let (kind, key, apart) = self.key(patient, facts)?;
        let hash = self.short(&[&kind.why(), &key, &apart]);
        if let Some(&node) = self.by_key.get(&hash) {
            return Some(node);
        }
        let size = NODE_BYTES + key.len();
        if self.bytes + size > MOST_BYTES {
            self.left_out += 1;
            return None;
        }
        self.bytes += size;
        let number = u32::try_from(self.nodes.len()).ok()?;
        let apart = if apart.is_empty() { 0 } else { self.short(&["apart", &apart]) as u32 | 1 };
        let mut node = Node::new(kind, key, apart, number);
        if let Some(patient) = patient {
            node.facts.push(fact(PATIENT, self.short(&["patient", patient])));
        }
        self.nodes.push(node);
        self.by_key.insert(hash, number);
        Some(number)
    }

    fn add_facts(&mut self, node: u32, facts: &LinkFacts) {
        let new = self.facts(facts);
        let before = self.nodes[node as usize].facts.len();
        let own = &mut self.nodes[node as usize].facts;
        join::add_facts(own, &new);
        self.bytes += (own.len() - before) * size_of::<Fact>();
    }

    /// Adds the rows of a table of known people.
    pub fn add_table(&mut self, identities: &Identities) -> Result<(), Error> {
        identities.each(|_, known| {
            let facts = LinkFacts::of_identity(known);
            if let Some(node) = self.node(known.patient.as_ref(), &facts) {
                self.add_facts(node, &facts);
            }
        })
    }

    /// Adds a document that was read at a place of the inputs.
    pub fn add_document(
        &mut self,
        at: InputPosition,
        document: &str,
        learned: &Learned,
    ) -> Result<(), Error> {
        let node = self.node(learned.patient.as_ref(), &learned.facts);
        self.unkeyed += usize::from(node.is_none());
        if let Some(node) = node {
            self.add_facts(node, &learned.facts);
            let known = &mut self.nodes[node as usize];
            known.documents += 1;
            if !learned.record.is_empty() {
                let mut all = TrustedRecord::unpack(&known.packed);
                all.merge(&learned.record);
                let packed = all.pack();
                self.bytes = self.bytes + packed.len() - known.packed.len();
                known.packed = packed.into();
            }
        }
        let places = &mut self.places;
        if places.len() <= at.input {
            places.resize_with(at.input + 1, Vec::new);
        }
        let item = at.items as usize;
        if places[at.input].len() <= item {
            places[at.input].resize(item + 1, 0);
        }
        places[at.input][item] = node.map_or(0, |node| node + 1);
        let mut line = node.map_or(0, |node| node + 1).to_le_bytes().to_vec();
        line.extend_from_slice(document.as_bytes());
        self.names.append(&line).map(drop).map_err(|e| no_room(&e))
    }

    /// Joins what belongs together. `tables` are those of [`Linker::add_table`].
    pub fn finish(mut self, tables: Vec<Arc<Identities>>) -> Result<Links, Error> {
        join::join(&mut self.nodes);
        let documents = join::documents_by_root(&self.nodes);
        let mut counts = LinkCounts { alone: self.unkeyed, ..LinkCounts::default() };
        let mut rows: HashMap<u32, Vec<(usize, RowKey)>> = HashMap::new();
        let mut people = PeopleIndex::of_patients();
        for (at, table) in tables.iter().enumerate() {
            table.each(|key, known| {
                let node = self.find(known.patient.as_ref(), &LinkFacts::of_identity(known));
                let node = node.map(|node| &self.nodes[node as usize]);
                match node.filter(|node| !node.alone && documents[node.root as usize] > 0) {
                    None => {
                        counts.known_unjoined += 1;
                        people.add_patient(known);
                    }
                    Some(node) => {
                        counts.known_joined += 1;
                        if key != RowKey::Patient {
                            rows.entry(node.root).or_default().push((at, key));
                        }
                    }
                }
            })?;
        }
        rows.values_mut().for_each(|rows| rows.sort_by_key(|(table, key)| (*table, key.number())));
        let records = self.pack_records(&documents);
        self.count(&mut counts);
        let names = self.names.finish().map_err(|e| no_room(&e))?;
        Ok(Links {
            nodes: self.nodes,
            places: self.places,
            rows,
            tables,
            records,
            people: Some(people).filter(|people| !people.is_empty()),
            counts,
            left_out: self.left_out,
            names: Mutex::new(names),
        })
    }

    /// Moves what is certain of patients with several documents into [`Records`], by the name of their record.
    fn pack_records(&mut self, documents: &[u32]) -> Records {
        let mut records = Records::default();
        let scopes: Vec<Option<PatientId>> =
            (0..self.nodes.len()).map(|i| join::scope(&self.nodes, i)).collect();
        for (i, scope) in scopes.iter().enumerate() {
            let packed = std::mem::take(&mut self.nodes[i].packed);
            let count = documents[self.nodes[i].root as usize];
            if let Some(scope) = scope.as_ref().filter(|_| count > 1 && self.nodes[i].documents > 0) {
                records.add_documents(scope, &TrustedRecord::unpack(&packed), self.nodes[i].documents);
            }
        }
        records.close();
        records
    }

    fn count(&self, counts: &mut LinkCounts) {
        let mut roots = std::collections::HashSet::new();
        for &place in self.places.iter().flatten() {
            if place > 0 {
                let node = &self.nodes[place as usize - 1];
                match node.kind {
                    _ if node.alone => counts.contradicted += 1,
                    KeyKind::Patient => counts.by_patient_id += 1,
                    KeyKind::Number(_) => counts.by_number += 1,
                    KeyKind::Name | KeyKind::NameShortYear => counts.by_name_and_birth_date += 1,
                }
                if !node.alone {
                    roots.insert(node.root);
                }
            }
        }
        counts.records = roots.len();
    }
}

fn no_room(error: &io::Error) -> Error {
    Error::io(format!("no room in the folder for temporary files: {}", taire_text::io_reason(error)))
}

/// What one document says, before it is joined.
#[derive(Debug, Default)]
pub struct Learned {
    /// Its own patient id.
    pub patient: Option<PatientId>,
    /// What is certain of who the patient is.
    pub facts: LinkFacts,
    /// What is certain in it, to be looked for in the patient's others.
    pub record: TrustedRecord,
}

/// What joins the documents of a run, once all were read.
pub struct Links {
    nodes: Vec<Node>,
    places: Vec<Vec<u32>>,
    /// Rows without a patient id, by the root of their record.
    rows: HashMap<u32, Vec<(usize, RowKey)>>,
    tables: Vec<Arc<Identities>>,
    records: Records,
    people: Option<PeopleIndex>,
    counts: LinkCounts,
    left_out: usize,
    names: Mutex<SealedRecords>,
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Links({:?})", self.counts)
    }
}

impl Links {
    /// How many were joined.
    pub fn counts(&self) -> &LinkCounts {
        &self.counts
    }

    /// How many documents found no room: each of these is treated by itself.
    pub fn left_out(&self) -> usize {
        self.left_out + self.records.left_out()
    }

    /// How many patients have several documents.
    pub fn patients(&self) -> usize {
        self.records.patients()
    }

    /// Tells a document its record and what is known of its patient.
    pub fn apply(&self, at: InputPosition, document: &mut Document) -> Result<(), Error> {
        let place = self.places.get(at.input).and_then(|items| items.get(at.items as usize)).copied();
        let Some(node) = place.and_then(|place| place.checked_sub(1)) else { return Ok(()) };
        let Some(scope) = join::scope(&self.nodes, node as usize) else { return Ok(()) };
        let root = self.nodes[node as usize].root;
        let best = &self.nodes[self.nodes[root as usize].best as usize];
        let mut known: Vec<Arc<KnownIdentity>> = Vec::new();
        if best.kind == KeyKind::Patient && document.patient_id().is_none() {
            for table in &self.tables {
                known.extend(table.get(&scope)?);
            }
        }
        for (table, row) in self.rows.get(&root).into_iter().flatten() {
            known.extend(self.tables[*table].get_row(row, None)?);
        }
        for more in known {
            document.known = Some(match &document.known {
                None => more,
                Some(first) => Arc::new(merge_known(first, &more)),
            });
        }
        if document.patient_id().is_none() {
            document.record = Some(scope);
        }
        Ok(())
    }

    /// Writes which document belongs to which record, and why, as a table.
    pub fn write_csv(&self, out: &mut dyn Write) -> Result<(), Error> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let failed =
            |e: io::Error| Error::io(format!("cannot write the links: {}", taire_text::io_reason(&e)));
        writeln!(out, "document,record,why").map_err(failed)?;
        names.each(|line| {
            let damaged = || Error::internal("the list of documents was damaged");
            let (place, document) = line.split_first_chunk().ok_or_else(damaged)?;
            let document = std::str::from_utf8(document).map_err(|_| damaged())?;
            let (record, why) = self.explain(u32::from_le_bytes(*place));
            writeln!(out, "{},{},{}", quoted(document), quoted(&record), quoted(&why)).map_err(failed)
        })?;
        out.flush().map_err(failed)
    }

    fn explain(&self, place: u32) -> (String, String) {
        let Some(node) = place.checked_sub(1) else {
            return (String::new(), "nothing certain of the patient: treated by itself".to_owned());
        };
        let own = &self.nodes[node as usize];
        let why = own.kind.why();
        let Some(scope) = join::scope(&self.nodes, node as usize) else {
            return (
                String::new(),
                format!("{why} fits people who contradict each other: treated by itself"),
            );
        };
        let root = &self.nodes[own.root as usize];
        let best = &self.nodes[root.best as usize];
        let by = root.via.filter(|via| *via != own.kind && (best.kind, &best.key) != (own.kind, &own.key));
        let why = match by {
            Some(via) => format!("{why}, then {}", via.why()),
            None if own.split => format!("{why}, apart from others of that number who contradict it"),
            None => why,
        };
        (scope.as_str().to_owned(), why)
    }
}

/// A cell of a CSV file.
fn quoted(cell: &str) -> String {
    match cell.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

impl PatientRecords for Links {
    fn trusted(&self, patient: Option<&PatientId>) -> Result<TrustedRecord, Error> {
        self.records.trusted(patient)
    }

    fn people(&self) -> Option<&PeopleIndex> {
        self.people.as_ref()
    }
}

#[cfg(test)]
mod tests;
