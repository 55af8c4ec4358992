//! Pages for people: one list of blocks that prints as Markdown and as a single HTML file that needs no network and no
//! script.
//!
//! Text may hold `code` between back-ticks; everything else is plain and is escaped.

pub mod plot;

use std::fmt::Write as _;
use std::path::Path;

use taire::Error;
use taire_formats::AtomicFile;

/// What a page is made of.
#[derive(Debug)]
pub enum Block {
    /// A title of level 2 or 3.
    Heading(u8, String),
    /// A paragraph.
    Text(String),
    /// Something the reader must not overlook.
    Notice(String),
    /// Items with a bullet each.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// Drawings side by side; left out of Markdown.
    Figures(Vec<plot::Plot>),
}

/// A table whose first column names the rows.
#[derive(Debug, Default)]
pub struct Table {
    /// What the table shows; may be empty.
    pub caption: String,
    /// Titles of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Cells are sentences, not figures.
    pub prose: bool,
}

/// A row of a [`Table`].
#[derive(Debug)]
pub enum Row {
    /// A title over the rows that follow.
    Group(String),
    /// One cell for each column.
    Cells(Vec<String>),
}

impl Table {
    /// A table of figures without rows.
    pub fn new(caption: impl Into<String>, head: &[&str]) -> Table {
        Table {
            caption: caption.into(),
            head: head.iter().map(|&h| h.to_owned()).collect(),
            ..Table::default()
        }
    }

    /// A table of sentences without rows.
    pub fn of_prose(caption: impl Into<String>, head: &[&str]) -> Table {
        Table { prose: true, ..Table::new(caption, head) }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(Row::Cells(cells.into()));
    }
}

/// A report that a person reads.
#[derive(Debug)]
pub struct Page {
    /// The title at its top.
    pub title: String,
    /// What follows, in order.
    pub blocks: Vec<Block>,
}

impl Page {
    /// A page without blocks.
    pub fn new(title: impl Into<String>) -> Page {
        Page { title: title.into(), blocks: Vec::new() }
    }

    /// Adds a title of level 2.
    pub fn heading(&mut self, title: &str) {
        self.blocks.push(Block::Heading(2, title.to_owned()));
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds something the reader must not overlook.
    pub fn notice(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Notice(text.into()));
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Writes `name.md`, `name.html` and, where given, `name.json` into a folder, made if absent.
    pub fn save(&self, folder: &Path, name: &str, json: Option<&str>) -> Result<(), Error> {
        let named = |extension: &str| format!("{name}.{extension}");
        let (markdown, html) = (self.markdown(), self.html());
        let (as_markdown, as_html, as_json) = (named("md"), named("html"), named("json"));
        let mut files = vec![(as_markdown.as_str(), markdown.as_str()), (as_html.as_str(), html.as_str())];
        files.extend(json.map(|json| (as_json.as_str(), json)));
        save_files(folder, &files)
    }

    /// The page as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n", self.title);
        for block in &self.blocks {
            // Writing to a string cannot fail.
            let _ = match block {
                Block::Heading(level, title) => {
                    writeln!(out, "\n{} {title}", "#".repeat(usize::from(*level)))
                }
                Block::Text(text) => writeln!(out, "\n{text}"),
                Block::Notice(text) => writeln!(out, "\n> {text}"),
                Block::List(items) => writeln!(out, "\n- {}", items.join("\n- ")),
                Block::Table(table) => writeln!(out, "\n{}", table.markdown()),
                Block::Figures(_) => Ok(()),
            };
        }
        out
    }

    /// The page as one HTML file that needs no network and no script.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
             <body>\n<main>\n<h1>{title}</h1>\n"
        );
        let mut figures = 0;
        for block in &self.blocks {
            let _ = match block {
                Block::Heading(level, title) => writeln!(out, "<h{level}>{}</h{level}>", inline(title)),
                Block::Text(text) => writeln!(out, "<p>{}</p>", inline(text)),
                Block::Notice(text) => writeln!(out, "<p class=\"notice\">{}</p>", inline(text)),
                Block::List(items) => {
                    let items: String = items.iter().map(|i| format!("<li>{}</li>\n", inline(i))).collect();
                    writeln!(out, "<ul>\n{items}</ul>")
                }
                Block::Table(table) => writeln!(out, "{}", table.html()),
                Block::Figures(plots) => {
                    out += "<div class=\"figures\">\n";
                    for plot in plots {
                        figures += 1;
                        let _ = writeln!(out, "<figure>{}</figure>", plot.svg(figures));
                    }
                    writeln!(out, "</div>")
                }
            };
        }
        out += "</main>\n</body>\n</html>\n";
        out
    }
}

impl Table {
    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<_> = cells.iter().map(|c| c.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut out = if self.caption.is_empty() { String::new() } else { format!("{}\n\n", self.caption) };
        out += &line(&self.head);
        out += "|---|";
        out += &if self.prose { "---|" } else { "---:|" }.repeat(self.head.len().saturating_sub(1));
        out.push('\n');
        for row in &self.rows {
            match row {
                Row::Group(name) => {
                    let mut cells = vec![format!("**{name}**")];
                    cells.resize(self.head.len(), String::new());
                    out += &line(&cells);
                }
                Row::Cells(cells) => out += &line(cells),
            }
        }
        out.truncate(out.trim_end().len());
        out
    }

    fn html(&self) -> String {
        let mut out =
            format!("<div class=\"scroll\"><table{}>\n", if self.prose { " class=\"prose\"" } else { "" });
        if !self.caption.is_empty() {
            let _ = writeln!(out, "<caption>{}</caption>", inline(&self.caption));
        }
        let head: String =
            self.head.iter().map(|h| format!("<th scope=\"col\">{}</th>", inline(h))).collect();
        let _ = writeln!(out, "<thead><tr>{head}</tr></thead>\n<tbody>");
        for row in &self.rows {
            let _ = match row {
                Row::Group(name) => writeln!(
                    out,
                    "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\"><span>{}</span></th></tr>",
                    self.head.len(),
                    inline(name)
                ),
                Row::Cells(cells) => {
                    let cell = |(i, c): (usize, &String)| match i {
                        0 => format!("<th scope=\"row\">{}</th>", inline(c)),
                        _ => format!("<td>{}</td>", inline(c)),
                    };
                    let cells: String = cells.iter().enumerate().map(cell).collect();
                    writeln!(out, "<tr>{cells}</tr>")
                }
            };
        }
        out += "</tbody></table></div>";
        out
    }
}

/// Writes reports (file name and content) into a folder, made if absent. Each file is complete or absent.
pub fn save_files(folder: &Path, files: &[(&str, &str)]) -> Result<(), Error> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Error::usage(format!("{}: cannot be made: {}", folder.display(), e.kind())))?;
    for (name, content) in files {
        let mut file = AtomicFile::create(&folder.join(name))?;
        file.write_all(content.as_bytes())?;
        file.finish()?;
    }
    Ok(())
}

/// A share as a percentage with one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Text from outside (a name, an id) as Markdown that shows it and does nothing else.
pub fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            // Invisible characters may turn what follows around or hide it.
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => {
                out.push('?')
            }
            c if c.is_control() || c.is_whitespace() => out.push(' '),
            ',' | '/' | ' ' => out.push(c),
            // At the start they would begin a list.
            '-' if !out.is_empty() => out.push(c),
            '.' if out.bytes().any(|b| !b.is_ascii_digit()) => out.push(c),
            c if c.is_ascii_punctuation() => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}

fn inline(text: &str) -> String {
    let mut out = String::new();
    for (i, part) in text.split('`').enumerate() {
        match i % 2 {
            0 => out += &escape(part),
            _ => {
                let _ = write!(out, "<code>{}</code>", escape(part));
            }
        }
    }
    out
}

const STYLE: &str = "
:root{color-scheme:light;--ink:#1d2733;--soft:#566272;--line:#d5dbe2;--band:#f3f5f8;--one:#1f5fa8}
*{box-sizing:border-box}
body{margin:0;background:#fff;color:var(--ink);font:16px/1.5 system-ui,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}
main{max-width:72rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 1rem}
h2{font-size:1.25rem;margin:2.2rem 0 .6rem;padding-bottom:.2rem;border-bottom:2px solid var(--line)}
h3{font-size:1.05rem;margin:1.5rem 0 .4rem}
p,ul{max-width:46rem}
code{background:var(--band);padding:.05em .3em;border-radius:.2em;font-size:.92em;overflow-wrap:anywhere}
.notice{border-left:.3rem solid #b3541e;background:#fdf3ec;padding:.6rem .9rem}
.scroll{overflow-x:auto;margin:.8rem 0}
table{border-collapse:collapse;font-size:.92rem;min-width:min(34rem,100%)}
caption{text-align:left;color:var(--soft);padding-bottom:.4rem;max-width:46rem}
th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
td{text-align:right;font-variant-numeric:tabular-nums}
thead th{vertical-align:bottom;border-bottom:2px solid var(--soft);white-space:nowrap}
thead th:not(:first-child){text-align:right}
tbody th{font-weight:400;min-width:13rem;position:sticky;left:0;background:#fff}
.prose td,.prose thead th:not(:first-child){text-align:left}
tr.group th{font-weight:600;background:var(--band)}
tr.group span{position:sticky;left:.7rem;display:inline-block;max-width:calc(100vw - 4rem)}
@media (max-width:40rem){tbody th{min-width:9.5rem;max-width:9.5rem}th,td{padding:.3rem .45rem}main{padding:1.2rem .8rem 3rem}
.figures{grid-template-columns:1fr}}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr));gap:1.2rem;margin:1rem 0}
figure{margin:0;border:1px solid var(--line);border-radius:.3rem;padding:.5rem;break-inside:avoid}
svg{display:block;width:100%;height:auto}
@media print{main{max-width:none;padding:0}body{font-size:10.5pt}.scroll{overflow:visible}tr,figure{break-inside:avoid}
h2{break-after:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.figures{grid-template-columns:repeat(2,1fr)}table{font-size:8.5pt}th,td{padding:.15rem .35rem}tbody th{min-width:0}}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_outside_are_shown_and_do_nothing() {
        assert_eq!(escape_markdown("lettre-3.txt"), "lettre-3.txt");
        assert_eq!((escape_markdown("- x"), escape_markdown("1. x")), ("\\- x".into(), "1\\. x".into()));
        assert_eq!(escape_markdown("a|b\n# x"), "a\\|b \\# x");
        assert_eq!(escape_markdown("[x](javascript:y)"), "\\[x\\]\\(javascript\\:y\\)");
        assert_eq!(escape_markdown("<img src=x>&`*_"), "&lt;img src\\=x&gt;&amp;\\`\\*\\_");
        assert_eq!(escape_markdown("a\u{202e}b"), "a?b");
    }

    #[test]
    fn markdown_and_html_agree_and_html_is_escaped() {
        let mut page = Page::new("A < B");
        page.text("run `taire <x>` & see");
        let mut table = Table::new("what", &["name", "`fr`"]);
        table.rows.push(Row::Group("first".into()));
        table.row(["a|b".into(), "1 %".into()]);
        page.table(table);
        let (markdown, html) = (page.markdown(), page.html());
        assert!(markdown.contains("| **first** |  |\n| a\\|b | 1 % |"), "{markdown}");
        assert!(html.contains("<title>A &lt; B</title>"));
        assert!(html.contains("run <code>taire &lt;x&gt;</code> &amp; see"));
        assert!(html.contains("<th scope=\"row\">a|b</th><td>1 %</td>"));
        assert!(!html.contains("<script") && !html.contains("http"));
    }
}
