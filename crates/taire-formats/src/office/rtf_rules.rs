//! What becomes of the destinations of RTF, and which code page a font has: tables, no code that reads a file.

use encoding_rs::Encoding;

use super::LeftOut;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Destination {
    /// Not a destination: the group goes on as what it was.
    Same,
    /// Text that is read after the paragraph it stands in.
    Nested,
    /// Definitions of fonts, styles and lists: kept, their names watched.
    Table,
    Fonts,
    Instruction,
    ShapeProperty,
    Revisers,
    Drop(Option<LeftOut>),
    Refuse(&'static str),
}

/// The destination that a control word opens. `starred` words that are not known are left out with their group.
pub(crate) fn destination(word: &str, starred: bool) -> Destination {
    use Destination::*;
    match word {
        "header" | "headerl" | "headerr" | "headerf" | "footer" | "footerl" | "footerr" | "footerf"
        | "footnote" | "annotation" | "shptxt" | "dptxbxtext" => Nested,
        "fonttbl" => Fonts,
        "colortbl" | "stylesheet" | "listtable" | "listoverridetable" | "listpicture" => Table,
        "fldinst" => Instruction,
        "sp" => ShapeProperty,
        "revtbl" => Revisers,
        "object" | "objdata" | "objemb" | "objclass" => {
            Refuse("it holds an embedded object, which is not treated; remove it")
        }
        "pict" | "nonshppict" | "background" => Drop(Some(LeftOut::Pictures)),
        "info" | "userprops" | "template" | "filetbl" => Drop(Some(LeftOut::Properties)),
        "upr" | "xe" | "tc" | "tcn" | "rxe" | "txe" | "private1" | "linkval" => {
            Drop(Some(LeftOut::UnknownMarkup))
        }
        "datafield" | "formfield" | "datastore" | "xmlnstbl" | "mmath" => Drop(Some(LeftOut::AttachedData)),
        "shppict" | "shpinst" | "do" | "ftnsep" | "ftnsepc" | "aftnsep" | "aftnsepc" | "nesttableprops"
        | "shprslt" => Same,
        _ if starred => Drop(None),
        _ => Same,
    }
}

/// Whether this can be a control word: those have small letters, but for these, and 32 at most.
pub(crate) fn is_control_word(word: &str) -> bool {
    const MIXED: [&str; 15] = [
        "ApplyBrkRules",
        "clFitText",
        "clNoWrap",
        "clftsWidth",
        "clwWidth",
        "trftsWidth",
        "trftsWidthA",
        "trftsWidthB",
        "trwWidth",
        "trwWidthA",
        "trwWidthB",
        "clHide",
        "mmathFont",
        "mdefJc",
        "mdispDef",
    ];
    word.len() <= 32 && (word.bytes().all(|b| b.is_ascii_lowercase()) || MIXED.contains(&word))
}

/// A control word that stands for a character.
pub(crate) fn character(word: &str) -> Option<char> {
    Some(match word {
        "emdash" => '—',
        "endash" => '–',
        "lquote" => '‘',
        "rquote" => '’',
        "ldblquote" => '“',
        "rdblquote" => '”',
        "bullet" => '•',
        "emspace" | "enspace" | "qmspace" => '\u{2002}',
        _ => return None,
    })
}

/// The encoding of a Windows code page. DOS pages are not known.
pub(crate) fn code_page(number: i32) -> Option<&'static Encoding> {
    use encoding_rs::*;
    Some(match number {
        1252 | 0 | 28591 => WINDOWS_1252,
        874 => WINDOWS_874,
        932 => SHIFT_JIS,
        936 => GBK,
        949 => EUC_KR,
        950 => BIG5,
        1250 => WINDOWS_1250,
        1251 => WINDOWS_1251,
        1253 => WINDOWS_1253,
        1254 => WINDOWS_1254,
        1255 => WINDOWS_1255,
        1256 => WINDOWS_1256,
        1257 => WINDOWS_1257,
        1258 => WINDOWS_1258,
        10000 => MACINTOSH,
        65001 => UTF_8,
        _ => return None,
    })
}

/// The code page of a font's character set; `None` where the document's own counts.
pub(crate) fn charset_page(charset: i32) -> Option<i32> {
    Some(match charset {
        77 => 10000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}
