//! Workbooks (.xlsx): all sheets, shown or hidden, with their comments, headers, footers, drawings and charts as one text.
//!
//! Where a sheet has a row of titles, each cell below it is a line `title : value`, and what the title tells of the value
//! (a name, a number, a birth date) is given to the detectors; other rows are lines with tabs. Cells are shown as people
//! see them: a day is stored as a number. Strings that cells share become texts of their own, so that the same word may
//! become two things in two rows. Formulas are left out, and the values they showed are cells like others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use taire_text::Note;

use crate::Reason;
use crate::markup::{Flow, Name, Tag, Walk, decode, scan, unescape};
use crate::read::too_long;
use crate::splice::{CellCode, Code, Gatherer};

use super::cell_value::{NumberFormat, Shown, show, shows_words};
use super::drawing;
use super::markup_rule::Attr;
use super::opc::{Family, Kind, Package};
use super::xlsx_rules::{attribute, element, is_title, label, namespace};
use super::zipped::Zip;
use super::{Back, Counts, LeftOut, Opened, count};

const MOST_CELLS: usize = 1_000_000;
const DAMAGED: &str = "it is a workbook that is damaged";

pub(crate) fn open(bytes: &[u8]) -> Result<Opened, Reason> {
    let mut zip = Zip::open(bytes)?;
    let mut counts = Counts::new();
    let mut package = Package::follow(Family::Workbook, &mut zip, &mut counts)?;
    let mut book = Book::default();
    if let Some(path) = package.shared_strings() {
        let xml = decode(&zip.read(path)?.ok_or("a part it refers to is missing")?)?;
        book.strings = shared_strings(&xml)?;
    }
    let mut out = Gatherer::new();
    let parts: BTreeMap<usize, (Kind, String)> =
        package.readable().iter().map(|part| (part.index, (part.kind, part.path.to_owned()))).collect();
    let mut notes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut waiting: Vec<usize> = vec![0];
    waiting.extend(package.led_to(0, Kind::Styles).map(|(_, index)| index));
    let mut done = BTreeSet::new();
    let mut next = 0;
    while next < waiting.len() {
        let index = waiting[next];
        next += 1;
        let Some((kind, path)) = parts.get(&index).filter(|_| done.insert(index)) else { continue };
        let source = match kind {
            Kind::NoteShapes => {
                out.source(note_shapes(notes.get(&index).map(Vec::as_slice).unwrap_or_default()))
            }
            _ => {
                let bytes = zip.read(path)?.ok_or("a part it refers to is missing")?;
                let xml = decode(&bytes)?;
                let source = out.source(xml.clone().into_bytes());
                match kind {
                    Kind::Drawing | Kind::Chart | Kind::Theme => {
                        scan(&xml, &mut drawing::Walker::new(*kind, &mut counts), &mut out)?;
                    }
                    _ => {
                        let mut walk = Walker::new(*kind, &xml, &mut book, &mut counts);
                        scan(&xml, &mut walk, &mut out)?;
                        let commented = std::mem::take(&mut walk.commented);
                        let shapes = note_part(&package, &parts, index);
                        notes.extend(shapes.map(|shapes| (shapes, commented)));
                    }
                }
                source
            }
        };
        package.set_source(index, source);
        // Sheets in the order of the workbook, each with what hangs on it.
        let sheets = std::mem::take(&mut book.sheets);
        let by_id: BTreeMap<&str, usize> =
            package.led_to(0, Kind::Sheet).chain(package.led_to(0, Kind::Chartsheet)).collect();
        for sheet in sheets.iter().filter_map(|id| by_id.get(id.as_str())) {
            waiting.push(*sheet);
            waiting.extend(package.led_to(*sheet, Kind::Comments).map(|(_, index)| index));
        }
        if next == waiting.len() {
            waiting.extend(parts.keys().filter(|index| !done.contains(index)));
        }
    }
    let (text, places) = out.finish();
    Ok(Opened { text, back: Back::Package { places, package }, left_out: counts, pages: Vec::new() })
}

/// The part that draws the comments of the part `comments`, if that is what it is.
fn note_part(package: &Package, parts: &BTreeMap<usize, (Kind, String)>, comments: usize) -> Option<usize> {
    let sheets = parts.iter().filter(|(_, (kind, _))| *kind == Kind::Sheet);
    let mut sheets =
        sheets.filter(|(sheet, _)| package.led_to(**sheet, Kind::Comments).any(|(_, i)| i == comments));
    package.led_to(*sheets.next()?.0, Kind::NoteShapes).map(|(_, index)| index).next()
}

/// What sheets need to know of their workbook.
#[derive(Default)]
struct Book {
    strings: Vec<String>,
    from_1904: bool,
    codes: BTreeMap<u32, NumberFormat>,
    /// The format of each style of a cell.
    styles: Vec<NumberFormat>,
    /// Relations of the sheets, in their order.
    sheets: Vec<String>,
    names: usize,
    cells: usize,
    bytes: usize,
}

/// The strings that cells refer to by number, without the reading aids of some scripts.
fn shared_strings(xml: &str) -> Result<Vec<String>, Reason> {
    #[derive(Default)]
    struct Strings {
        all: Vec<String>,
        shown: bool,
    }
    impl Walk for Strings {
        fn namespace(uri: &str) -> Option<&'static str> {
            namespace(uri)
        }
        fn open(&mut self, tag: &Tag<'_>, _: &mut Gatherer) -> Result<Flow, Reason> {
            match tag.name.local {
                "si" => self.all.push(String::new()),
                "rPh" | "extLst" => return Ok(Flow::Drop),
                _ => {}
            }
            self.shown = tag.name == Name { ns: "s", local: "t" };
            Ok(Flow::Into)
        }
        fn text(&mut self, text: &str, _: Range<usize>, _: &mut Gatherer) -> Result<(), Reason> {
            if let Some(last) = self.all.last_mut().filter(|_| self.shown) {
                last.push_str(text);
            }
            Ok(())
        }
        fn close(&mut self, _: Name<'_>, _: &mut Gatherer) -> Result<(), Reason> {
            self.shown = false;
            Ok(())
        }
    }
    let mut strings = Strings::default();
    let mut out = Gatherer::new();
    out.source(Vec::new());
    scan(xml, &mut strings, &mut out)?;
    Ok(strings.all.iter().map(|text| unescaped(text)).collect())
}

/// `_x000D_` stands for a character that XML cannot hold.
fn unescaped(text: &str) -> String {
    text.replace("_x000D_", "").replace("_x000d_", "").replace("_x000A_", "\n").replace("_x0009_", "\t")
}

/// What the text inside the element that is open is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Shown text; where its tag may get `xml:space`.
    Shown(Option<usize>),
    Value,
    HeaderFooter,
    Author,
    Nothing,
}

/// A cell with what it shows.
struct Cell {
    column: usize,
    /// Several where a text in the cell has several fonts.
    pieces: Vec<(Range<usize>, String, Code)>,
}

impl Cell {
    fn text(&self) -> String {
        self.pieces.iter().map(|(_, text, _)| text.as_str()).collect()
    }

    fn is_text(&self) -> bool {
        self.pieces.iter().all(|(_, _, code)| !matches!(code, Code::Cell(code) if code.shown != Shown::Text))
    }
}

/// The tag of the cell that is open.
struct OpenCell {
    /// Where attributes may be added, and the bytes of the attribute of its type.
    at: usize,
    kind_at: Option<(usize, usize)>,
    kind: String,
    style: usize,
    cell: Cell,
}

struct Walker<'a> {
    kind: Kind,
    xml: &'a str,
    book: &'a mut Book,
    counts: &'a mut Counts,
    inside: Inside,
    open: Option<OpenCell>,
    row: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
    /// Cells that have comments.
    commented: Vec<String>,
    in_cell_styles: bool,
}

impl<'a> Walker<'a> {
    fn new(kind: Kind, xml: &'a str, book: &'a mut Book, counts: &'a mut Counts) -> Self {
        Walker {
            kind,
            xml,
            book,
            counts,
            inside: Inside::Nothing,
            open: None,
            row: Vec::new(),
            rows: Vec::new(),
            commented: Vec::new(),
            in_cell_styles: false,
        }
    }

    fn attributes(&mut self, tag: &Tag<'_>, out: &mut Gatherer) {
        for attr in &tag.attributes {
            match attribute(tag.name, attr.name) {
                Attr::Text if tag.name.local == "sheet" => {
                    self.book.names += 1;
                    out.run(attr.at.clone(), attr.value.to_string(), Code::SheetName(self.book.names));
                    out.end_paragraph();
                }
                // A format of numbers may show words of its own.
                Attr::Text if shows_words(&attr.value) => {
                    out.run(attr.at.clone(), attr.value.to_string(), Code::Xml);
                    out.end_paragraph();
                }
                other => other.write(attr, out),
            }
        }
    }

    fn open_cell(&mut self, tag: &Tag<'_>) {
        let column =
            tag.get("", "r").and_then(column_of).unwrap_or(self.row.last().map_or(0, |c| c.column + 1));
        let kind = tag.attributes.iter().find(|a| a.name == Name { ns: "", local: "t" });
        self.open = Some(OpenCell {
            at: tag.name_end,
            kind_at: kind.map(|a| (a.whole.start, a.whole.end)),
            kind: kind.map(|a| a.value.to_string()).unwrap_or_default(),
            style: tag.get("", "s").and_then(|s| s.parse().ok()).unwrap_or(0),
            cell: Cell { column, pieces: Vec::new() },
        });
    }

    /// The stored value of the cell that is open.
    fn value(&mut self, text: &str, at: Range<usize>, out: &mut Gatherer) -> Result<(), Reason> {
        let Some(open) = &mut self.open else { return Err(DAMAGED.into()) };
        let code = |shown, anew| Code::Cell(CellCode { cell: open.at, kind: open.kind_at, shown, anew });
        let (shown, code) = match open.kind.as_str() {
            "s" => {
                let number: usize = text.trim().parse().map_err(|_| DAMAGED)?;
                let string = self.book.strings.get(number).ok_or(DAMAGED)?.clone();
                if string.is_empty() {
                    out.cut(at, *b"");
                    open.kind_at.into_iter().for_each(|(start, end)| out.cut(start..end, *b""));
                    return Ok(());
                }
                (string, code(Shown::Text, true))
            }
            "b" if matches!(text.trim(), "0" | "1" | "true" | "false") => return Ok(()),
            "e" if text.starts_with('#') && text.len() <= 16 => return Ok(()),
            "" | "n" => {
                let format = self.book.styles.get(open.style).copied().unwrap_or_default();
                let (shown, form) = show(text, format, self.book.from_1904);
                (shown, code(form, false))
            }
            _ => (text.to_owned(), code(Shown::Text, false)),
        };
        self.book.bytes += shown.len();
        open.cell.pieces.push((at, shown, code));
        self.weigh()
    }

    /// A million cells may share one long string.
    fn weigh(&self) -> Result<(), Reason> {
        if self.book.cells > MOST_CELLS {
            return Err(format!("it has over {MOST_CELLS} cells; export its sheets as CSV").into());
        }
        match self.book.bytes > Note::MAX_BYTES {
            true => Err(too_long(self.book.bytes as u64).into()),
            false => Ok(()),
        }
    }

    /// `&LDr Martin&C&"Arial,Bold"Page &P`: the texts between the codes.
    fn header_footer(&mut self, at: Range<usize>, out: &mut Gatherer) -> Result<(), Reason> {
        let raw = self.xml.get(at.clone()).ok_or(DAMAGED)?;
        let mut rest: Vec<(Range<usize>, char)> = Vec::new();
        let mut from = 0;
        while from < raw.len() {
            let piece = &raw[from..];
            let length = match piece.starts_with('&') {
                true => piece.find(';').ok_or(DAMAGED)? + 1,
                false => piece.chars().next().map_or(1, char::len_utf8),
            };
            let character = unescape(&piece[..length])?.chars().next().ok_or(DAMAGED)?;
            if character == '<' && length == 1 {
                return Err(DAMAGED.into());
            }
            rest.push((at.start + from..at.start + from + length, character));
            from += length;
        }
        let (mut i, mut begun, mut shown) = (0, None::<usize>, String::new());
        let is_code = |i: usize| rest.get(i).is_some_and(|(_, c)| *c == '&');
        while i <= rest.len() {
            if i < rest.len() && !is_code(i) {
                begun.get_or_insert(rest[i].0.start);
                shown.push(rest[i].1);
                i += 1;
                continue;
            }
            if let Some(start) = begun.take() {
                out.run(start..rest[i - 1].0.end, std::mem::take(&mut shown), Code::Xml);
            }
            let Some((_, code)) = rest.get(i + 1) else { break };
            i += 2;
            match code {
                'L' | 'C' | 'R' => out.end_paragraph(),
                '"' => {
                    let start = i;
                    while rest.get(i).is_some_and(|(_, c)| *c != '"') {
                        i += 1;
                    }
                    let font: String = rest[start..i].iter().map(|(_, c)| *c).collect();
                    if let (Some(first), Some(last)) =
                        (rest.get(start), rest.get(i.wrapping_sub(1)).filter(|_| i > start))
                    {
                        out.watched(first.0.start..last.0.end, &font);
                    }
                    i += 1;
                }
                'K' => {
                    let color = rest[i..]
                        .iter()
                        .take(6)
                        .take_while(|(_, c)| c.is_ascii_hexdigit() || "+-".contains(*c));
                    i += color.count();
                }
                c if c.is_ascii_digit() => {
                    while rest.get(i).is_some_and(|(_, c)| c.is_ascii_digit()) {
                        i += 1;
                    }
                }
                'P' | 'N' | 'D' | 'T' | 'F' | 'A' | 'Z' | 'G' => out.brk(' '),
                _ => {}
            }
        }
        out.end_paragraph();
        Ok(())
    }

    /// The rows of a sheet as text.
    fn emit(&mut self, out: &mut Gatherer) {
        let rows = std::mem::take(&mut self.rows);
        let mut titles: BTreeMap<usize, String> = BTreeMap::new();
        for (i, row) in rows.iter().enumerate() {
            if is_header(row)
                && !rows.get(i + 1).is_some_and(|next| next.iter().any(|c| is_title(c.text().trim())))
            {
                titles = row.iter().map(|cell| (cell.column, one_line(&cell.text()))).collect();
                emit_line(row, out);
                continue;
            }
            if titles.is_empty() {
                emit_line(row, out);
                continue;
            }
            for cell in row {
                let title = titles.get(&cell.column).map(String::as_str).unwrap_or_default();
                if !title.is_empty() {
                    out.say(&format!("{title} : "), is_title(title));
                }
                emit_cell(cell, title, out);
                out.end_paragraph();
            }
            out.end_paragraph();
        }
        out.end_paragraph();
    }
}

/// A row of texts among which are two known titles of columns.
fn is_header(row: &[Cell]) -> bool {
    let known = row.iter().filter(|cell| is_title(cell.text().trim())).count();
    known >= 2 && row.iter().all(|cell| cell.is_text() && cell.text().len() <= 120)
}

fn emit_line(row: &[Cell], out: &mut Gatherer) {
    for (i, cell) in row.iter().enumerate() {
        if i > 0 {
            out.brk('\t');
        }
        emit_cell(cell, "", out);
    }
    out.end_paragraph();
}

fn emit_cell(cell: &Cell, title: &str, out: &mut Gatherer) {
    for (at, text, code) in &cell.pieces {
        let measured =
            matches!(code, Code::Cell(CellCode { shown: Shown::Number, .. })) && text.contains('.');
        match label(title, text).filter(|_| cell.pieces.len() == 1) {
            Some(label) => out.field(at.clone(), text.clone(), *code, Some(label)),
            // A number with a fraction measures something; alone in its cell it may look like a day.
            None if measured => out.field(at.clone(), text.clone(), *code, None),
            None => out.run(at.clone(), text.clone(), *code),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The column of `BC17`, from 0.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_uppercase).count();
    let column = |all: usize, b: u8| all * 26 + usize::from(b - b'A') + 1;
    (1..=3).contains(&letters).then(|| reference.bytes().take(letters).fold(0, column) - 1)
}

impl Walk for Walker<'_> {
    fn namespace(uri: &str) -> Option<&'static str> {
        namespace(uri)
    }

    fn open(&mut self, tag: &Tag<'_>, out: &mut Gatherer) -> Result<Flow, Reason> {
        if !element(self.kind, tag.name, tag.depth).keeps(self.counts)? {
            return Ok(Flow::Drop);
        }
        self.attributes(tag, out);
        self.inside = Inside::Nothing;
        let number = |key: &str| tag.get("", key).and_then(|n| n.parse::<u32>().ok());
        match tag.name.local {
            "workbookPr" => {
                self.book.from_1904 = tag.get("", "date1904").is_some_and(|v| matches!(v, "1" | "true"));
            }
            "sheet" if self.kind == Kind::Document => {
                self.book.sheets.extend(tag.get("r", "id").map(str::to_owned));
            }
            "numFmt" => {
                if let (Some(id), Some(code)) = (number("numFmtId"), tag.get("", "formatCode")) {
                    self.book.codes.insert(id, NumberFormat::of_code(code));
                }
            }
            "cellXfs" => self.in_cell_styles = true,
            "xf" if self.in_cell_styles => {
                let id = number("numFmtId").unwrap_or(0);
                let format = self.book.codes.get(&id).copied();
                self.book.styles.push(format.unwrap_or_else(|| NumberFormat::built_in(id)));
            }
            "c" if self.kind == Kind::Sheet => {
                self.book.cells += 1;
                self.weigh()?;
                self.open_cell(tag);
            }
            "v" => self.inside = Inside::Value,
            "t" => {
                let has_space = tag.attributes.iter().any(|a| a.name == Name { ns: "xml", local: "space" });
                self.inside = Inside::Shown((!has_space).then_some(tag.name_end));
            }
            "oddHeader" | "oddFooter" | "evenHeader" | "evenFooter" | "firstHeader" | "firstFooter" => {
                self.inside = Inside::HeaderFooter;
            }
            "author" => self.inside = Inside::Author,
            "comment" => self.commented.extend(tag.get("", "ref").map(str::to_owned)),
            _ => {}
        }
        Ok(Flow::Into)
    }

    fn text(&mut self, text: &str, at: Range<usize>, out: &mut Gatherer) -> Result<(), Reason> {
        match self.inside {
            Inside::Shown(space) => {
                let code = space.map_or(Code::Xml, Code::XmlSpace);
                match &mut self.open {
                    Some(open) => {
                        self.book.bytes += text.len();
                        open.cell.pieces.push((at, text.to_owned(), code));
                        self.weigh()?;
                    }
                    None => out.run(at, text.to_owned(), code),
                }
            }
            Inside::Value => self.value(text, at, out)?,
            Inside::HeaderFooter => self.header_footer(at, out)?,
            Inside::Author => out.cut(at, *b"author"),
            Inside::Nothing if text.trim().is_empty() => {}
            Inside::Nothing => {
                count(self.counts, LeftOut::UnknownMarkup);
                out.cut(at, *b"");
            }
        }
        Ok(())
    }

    fn close(&mut self, name: Name<'_>, out: &mut Gatherer) -> Result<(), Reason> {
        self.inside = Inside::Nothing;
        match name.local {
            "c" => {
                let cell = self.open.take().map(|open| open.cell);
                self.row.extend(cell.filter(|cell| !cell.pieces.is_empty()));
            }
            "row" => {
                let row = std::mem::take(&mut self.row);
                if !row.is_empty() {
                    self.rows.push(row);
                }
            }
            "sheetData" => self.emit(out),
            "cellXfs" => self.in_cell_styles = false,
            "comment" => out.end_paragraph(),
            _ => {}
        }
        Ok(())
    }
}

/// Where comments are drawn, made anew from the cells that have one.
fn note_shapes(cells: &[String]) -> Vec<u8> {
    let mut out = String::from(concat!(
        "<xml xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:o=\"urn:schemas-microsoft-com:office:office\" ",
        "xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><o:shapelayout v:ext=\"edit\"><o:idmap v:ext=\"edit\" data=\"1\"/>",
        "</o:shapelayout><v:shapetype id=\"_x0000_t202\" coordsize=\"21600,21600\" o:spt=\"202\" ",
        "path=\"m,l,21600r21600,l21600,xe\"><v:stroke joinstyle=\"miter\"/><v:path gradientshapeok=\"t\" ",
        "o:connecttype=\"rect\"/></v:shapetype>",
    ));
    for (i, cell) in cells.iter().enumerate() {
        let row = cell.trim_start_matches(|c: char| c.is_ascii_uppercase()).parse::<usize>();
        let (Some(column), Ok(row)) = (column_of(cell), row) else { continue };
        let _ = write!(
            out,
            "<v:shape id=\"_x0000_s{}\" type=\"#_x0000_t202\" style=\"position:absolute;visibility:hidden\" \
             fillcolor=\"#ffffe1\" o:insetmode=\"auto\"><v:fill color2=\"#ffffe1\"/><v:textbox/><x:ClientData \
             ObjectType=\"Note\"><x:MoveWithCells/><x:SizeWithCells/><x:AutoFill>False</x:AutoFill><x:Row>{}</x:Row>\
             <x:Column>{column}</x:Column></x:ClientData></v:shape>",
            1025 + i,
            row.saturating_sub(1),
        );
    }
    out.push_str("</xml>");
    out.into_bytes()
}

#[cfg(test)]
#[path = "xlsx_tests.rs"]
mod tests;
