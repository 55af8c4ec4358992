//! Short texts that, repeated, ask the most of every stage: a rule that looks back, ahead or around without a bound takes
//! time with the square of their length.

/// A name and the text that is repeated.
#[derive(Clone, Copy, Debug)]
pub struct Pathological {
    pub name: &'static str,
    pub unit: &'static str,
}

impl Pathological {
    /// The text repeated to at least so many bytes. `#` and `@` in braces become other digits and other letters each time, so that
    /// no value comes twice.
    pub fn text(&self, bytes: usize) -> String {
        let mut out = String::with_capacity(bytes + self.unit.len());
        for n in 0.. {
            if out.len() >= bytes {
                break;
            }
            match self.unit.split_once('{') {
                None => out.push_str(self.unit),
                Some(_) => push_filled(self.unit, n, &mut out),
            }
        }
        out
    }
}

/// Writes a unit with `{######}` as the digits of a number and `{@@@@@@}` as its digits in letters.
fn push_filled(unit: &str, n: u64, out: &mut String) {
    let mut rest = n;
    let mut inside = false;
    for c in unit.chars() {
        match c {
            '{' => (inside, rest) = (true, n.wrapping_mul(48_271).wrapping_add(n)),
            '}' => inside = false,
            '#' if inside => {
                out.push(char::from(b'0' + (rest % 10) as u8));
                rest /= 10;
            }
            '@' if inside => {
                out.push(char::from(b'a' + (rest % 26) as u8));
                rest /= 26;
            }
            c => out.push(c),
        }
    }
}

const fn text(name: &'static str, unit: &'static str) -> Pathological {
    Pathological { name, unit }
}

/// Every such text. Those without a line end are one line.
pub const PATHOLOGICAL: &[Pathological] = &[
    text("initials", "A.B. "),
    text("titles", "M. "),
    text("dates", "12/03/2019 "),
    text("hyphens", "Jean-"),
    text("capitals", "ABC DEF "),
    text("doctors", "Dr "),
    text("doctors named", "Dr Martin "),
    text("maiden names", "née "),
    text("maiden names named", "née Martin "),
    text("dots", ". . ."),
    text("digits", "7"),
    text("days", "le 3 et le "),
    text("brackets", "((("),
    text("mail", "a@a@a@"),
    text("mail dots", "a.a.a"),
    text("schedules", "1-0-1 "),
    text("spaces", " "),
    text("line ends", "\n"),
    text("one letter", "a"),
    text("one capital", "A"),
    text("letters", "J "),
    text("given names", "Jean "),
    text("full names", "Jean DURAND "),
    text("family names", "DURAND "),
    text("doctors of a list", "Dr A. Martin, "),
    text("particles", "de la "),
    text("particles named", "DE LA "),
    text("apostrophes", "d'"),
    text("capital apostrophes", "D'"),
    text("colons", "Nom : "),
    text("keys", "Nom : Martin Prénom : Jean "),
    text("keys in lines", "Nom : Martin\n"),
    text("open keys in lines", "Nom :\n"),
    text("phones", "05 62 98 41 77 "),
    text("pairs of digits", "05 "),
    text("numbers", "123456789 "),
    text("dashes", "---"),
    text("underscores", "___"),
    text("slashes", "1/"),
    text("points", "1."),
    text("addresses", "12 rue de la Paix 75002 Paris "),
    text("streets", "rue "),
    text("house numbers", "12 rue "),
    text("postcodes", "75002 "),
    text("towns", "Paris "),
    text("towns in lines", "Paris\n"),
    text("hospitals", "CHU de "),
    text("hospitals named", "Hôpital Saint-Louis "),
    text("saints", "Saint-"),
    text("services", "Service de "),
    text("links", "http://"),
    text("references", "&eacute;"),
    text("ampersands", "&"),
    text("ages", "45 ans "),
    text("birth dates", "née le 12/03/1950 "),
    text("months", "mars "),
    text("years", "2019 "),
    text("days of the week", "lundi "),
    text("relative dates", "il y a 3 jours "),
    text("ordinals", "1er "),
    text("doses", "10 mg "),
    text("values", "CRP 12 "),
    text("stages", "T1N0 "),
    text("commas", "Martin, "),
    text("semicolons", "Martin; Jean; "),
    text("tabs", "Martin\tJean\t"),
    text("pipes", "Martin|Jean|"),
    text("quotes", "\"Jean\" "),
    text("patients", "la patiente "),
    text("madam", "Mme Martin "),
    text("conjunctions", "Jean et Marie et "),
    text("mail addresses", "jean.martin@chu.fr "),
    text("torn names", "D U R A N D "),
    text("torn lines", "Mar-\ntin "),
    text("letters in lines", "A\n"),
    text("words in lines", "Martin\n"),
    text("words", "abdomen souple "),
    text("accents", "é"),
    text("combining accents", "e\u{301}"),
    text("capitals in one word", "AbC"),
    text("letters and digits", "A1"),
    text("social security", "1 84 12 76 451 089 46 "),
    text("license plates", "AB-123-CD "),
    text("files", "/home/jean/lettre.docx "),
    text("folders", "/a"),
    text("ranges of dates", "du 3 au 5 mars et "),
    text("lists of days", "3, "),
    text("hours", "12h30 "),
    text("professions", "infirmière "),
    text("letters of one sentence", "Le Dr Martin a vu M. Durand le 12/03/2019 au CHU de Brest. "),
    text(
        "letters of one line",
        "Mme Kervadec, née le 04/11/1952, 12 rue des Lices 29200 Brest, tél 02 98 41 77 05\n",
    ),
    text("citations", "Martin et al. "),
    text("roman numbers", "IV "),
    text("stars", "*"),
    text("hashes", "#"),
    text("no-break spaces", "\u{a0}"),
    text("full stops", "."),
    text("percent", "100 % "),
    text("other numbers", "{######} "),
    text("other dates", "{##}/0{#}/20{##} "),
    text("other phones", "06{########} "),
    text("other names after a title", "Mme B{@@@@@@} "),
    text("other full names", "Dr Jean B{@@@@@@} "),
    text("other given names", "Dr B{@@@@@@} DURAND "),
    text("other capitals", "B{@@@@@@} "),
    text("other initials", "Jean DURAND C.{@}. "),
    text("other mails", "b{@@@@@@}@chu.fr "),
    text("other names and mails", "Mme B{@@@@@@} b{@@@@@@}@chu.fr "),
    text("other keys", "Nom : B{@@@@@@} IPP : {########}\n"),
    text("other addresses", "{##} rue B{@@@@@@} 75{###} Paris "),
    text("other hospitals", "CHU de B{@@@@@@} "),
    text("other ages", "âgée de {##} ans "),
    text("social security and dates", "née le 12/03/1950 1 84 12 76 451 089 46 "),
    text("days without a year", "vu le 3 mars, "),
    text("towns and dates", "Paris, le 12/03/2019 "),
    text("towns and regions", "Paris (Bretagne) "),
    text("stars before keys", "*- "),
    text("colons and digits", "1:"),
    text("rows of a table", "12\t13\t14\t"),
    text("table in lines", "FC\t112\t118\t104\n"),
    text("fractions", "26/5 "),
    text("doses and names", "Martin 10 mg "),
    text("eponyms", "maladie de Charcot "),
    text("letters with dots", "a. "),
    text("years and months", "mars 2019 et "),
    text("questions", "?!"),
    text("zero width", "\u{200b}"),
    text("soft hyphens", "a\u{ad}"),
    text("ligatures", "œ"),
    text("Word quotes", "l’"),
    text("carriage returns", "a\r\n"),
    text("long words", "anticonstitutionnellement"),
    text("references of papers", "[12] Martin J, Durand K. "),
    text("semicolons and years", "2012;88(2):113 "),
    text("slashes of folders", "a/b/"),
    text("equal signs", "x=y "),
    text("plus signs", "+33 "),
    text("hexadecimal", "a1:b2:"),
    text("floors", "apt 3 bat B "),
    text("ways without a name", "rue de la "),
    text("Spanish names", "D. Juan García de la "),
    text("kinship", "sa fille "),
    text("nicknames", "dit "),
    text("weights", "3,5 kg/j "),
    text("schedules in a row", "1-0-"),
    text("plural patients", "M. et Mme "),
];
