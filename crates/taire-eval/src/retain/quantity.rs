//! Values with their units: `120 mg/l`, `7 200/mm3`, `38,5 °C`, `120/80 mmHg`.

use taire_text::{Kind, Token, fold_into};

/// Numbers of one value: `120/80`, `3 x 4 x 2`.
const PARTS: usize = 4;
/// Tokens between what is measured and its value.
const GAP: usize = 8;

const UNITS: &[&str] = &[
    "g",
    "mg",
    "ug",
    "µg",
    "μg",
    "mcg",
    "ng",
    "pg",
    "kg",
    "gr",
    "grammes",
    "gramos",
    "kilos",
    "l",
    "dl",
    "cl",
    "ml",
    "ul",
    "µl",
    "μl",
    "fl",
    "litres",
    "litros",
    "cc",
    "mm",
    "cm",
    "dm",
    "µm",
    "μm",
    "nm",
    "m",
    "mol",
    "mmol",
    "umol",
    "µmol",
    "μmol",
    "nmol",
    "pmol",
    "mosm",
    "meq",
    "eq",
    "ui",
    "mui",
    "uui",
    "µui",
    "iu",
    "u",
    "mu",
    "ku",
    "kui",
    "unites",
    "unidades",
    "mmhg",
    "cmhg",
    "kpa",
    "bpm",
    "lpm",
    "gy",
    "cgy",
    "mci",
    "mbq",
    "gbq",
    "kcal",
    "mm3",
    "cm2",
    "cm3",
    "m2",
    "copies",
    "copias",
    "log",
    "hz",
    "db",
    "dioptries",
    "dioptrias",
    "elements",
    "cellules",
    "celulas",
    "leucocytes",
    "leucocitos",
    "hematies",
    "ch",
    "mv",
    "ms",
    "ma",
    "joules",
    "j",
    "watts",
];
/// Units that are over something.
const UNDER: &[&str] = &[
    "l", "dl", "ml", "ul", "µl", "μl", "mm", "mm3", "kg", "j", "jour", "jours", "dia", "h", "heure", "hora",
    "min", "minute", "minuto", "mn", "s", "sec", "semaine", "semana", "sem", "champ", "campo", "m", "m2",
    "cm", "g", "mg", "mol", "mmol", "prise", "toma", "dose", "dosis", "an", "mois", "c",
];
const LABORATORY: &[&str] = &["l", "dl", "ml", "ul", "µl", "μl", "mm", "mm3"];
const MOLES: &[&str] =
    &["mol", "mmol", "umol", "µmol", "μmol", "nmol", "pmol", "mosm", "meq", "ui", "mui", "iu"];

const GAPS: &[&str] = &[
    "a",
    "au",
    "est",
    "etait",
    "de",
    "d",
    "un",
    "une",
    "environ",
    "inferieur",
    "inferieure",
    "superieur",
    "superieure",
    "eleve",
    "elevee",
    "eleves",
    "elevees",
    "basse",
    "bas",
    "mesure",
    "mesuree",
    "estime",
    "estimee",
    "serique",
    "plasmatique",
    "sanguine",
    "total",
    "totale",
    "initial",
    "initiale",
    "chiffre",
    "dose",
    "normale",
    "normal",
    "limite",
    "limitee",
    "augmente",
    "augmentee",
    "es",
    "era",
    "fue",
    "del",
    "unos",
    "mayor",
    "menor",
    "inicial",
    "elevada",
    "elevado",
    "serica",
    "que",
    "y",
    "egal",
    "egale",
    "jusqu",
    "autour",
    "des",
    "les",
    "ambiant",
    "air",
    "en",
    "l",
    "pic",
    "taux",
    "maximum",
    "minimum",
];

/// A value that was read.
pub(super) struct Quantity {
    /// The token after the number and after the unit.
    pub(super) value_end: usize,
    pub(super) end: usize,
    pub(super) laboratory: bool,
}

impl Quantity {
    pub(super) fn has_unit(&self) -> bool {
        self.end > self.value_end
    }
}

pub(super) struct Reading<'a> {
    pub(super) norm: &'a str,
    pub(super) tokens: &'a [Token],
}

impl Reading<'_> {
    fn at(&self, i: usize) -> &str {
        self.tokens.get(i).map_or("", |t| t.of(self.norm))
    }

    fn is_number(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == Kind::Number)
    }

    fn glued(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.glued)
    }

    fn digits(&self, i: usize) -> usize {
        self.tokens.get(i).map_or(0, |t| t.end() - t.start())
    }

    /// Whether the folded word at `i` is one of `list`.
    fn is(&self, i: usize, list: &[&str], folded: &mut String) -> bool {
        folded.clear();
        if self.tokens.get(i).is_none_or(|t| t.kind != Kind::Word) {
            return false;
        }
        fold_into(self.at(i), folded);
        list.contains(&folded.as_str())
    }

    /// One number with its thousands and decimals.
    fn one(&self, at: usize) -> Option<usize> {
        if !self.is_number(at) {
            return None;
        }
        let mut end = at + 1;
        let near = |i: usize| self.tokens[i].start() - self.tokens[i - 1].end() <= 2;
        while self.digits(at) <= 3
            && self.is_number(end)
            && self.digits(end) == 3
            && !self.glued(end)
            && near(end)
        {
            end += 1;
        }
        while matches!(self.at(end), "." | ",")
            && self.glued(end)
            && self.is_number(end + 1)
            && self.glued(end + 1)
        {
            end += 2;
        }
        Some(end)
    }

    /// The value that starts at `at`, with its unit if one follows.
    pub(super) fn quantity(&self, at: usize, folded: &mut String) -> Option<Quantity> {
        let mut value_end = self.one(at)?;
        for _ in 1..PARTS {
            let joins = matches!(self.at(value_end), "/" | "-" | "x" | "X" | "×" | "à" | "±" | "^" | "*");
            let Some(next) = self.one(value_end + 1).filter(|_| joins) else { break };
            value_end = next;
        }
        let (end, laboratory) = self.unit(value_end, folded);
        Some(Quantity { value_end, end, laboratory })
    }

    fn unit(&self, at: usize, folded: &mut String) -> (usize, bool) {
        let mut end = at;
        let mut laboratory = false;
        match self.at(at) {
            "%" | "‰" => return (at + 1, false),
            sign @ ("°" | "º") => {
                let celsius = matches!(self.at(at + 1), "C" | "c") && self.glued(at + 1);
                // `3º` is a floor.
                let ordinal = sign == "º" && !celsius;
                return (if ordinal { at } else { at + 1 + usize::from(celsius) }, false);
            }
            // A flat, `5 G`, and an elision, `08907 L'Hospitalet`.
            "G" | "M" | "J" => return (at, false),
            "L" | "l" if self.at(at + 1) == "'" => return (at, false),
            "/" => {}
            _ if self.is(at, UNITS, folded) => {
                laboratory |= MOLES.contains(&folded.as_str());
                end = at + 1;
                // `mm3`, `m2`
                end += usize::from(self.is_number(end) && self.glued(end) && self.digits(end) == 1);
            }
            _ => return (at, false),
        }
        while self.at(end) == "/" {
            let number = usize::from(self.is_number(end + 1));
            if !self.is(end + 1 + number, UNDER, folded) {
                break;
            }
            laboratory |= LABORATORY.contains(&folded.as_str());
            end += 2 + number;
            end += usize::from(self.is_number(end) && self.glued(end) && self.digits(end) == 1);
        }
        (end, laboratory)
    }

    /// The value of the quantity whose name ends before `at`.
    pub(super) fn value_after(&self, at: usize, folded: &mut String) -> Option<(usize, Quantity)> {
        let mut i = at;
        while i < at + GAP && !self.is_number(i) {
            let token = self.tokens.get(i)?;
            let steps = match token.kind {
                Kind::Mark => {
                    matches!(self.at(i), ":" | "=" | "<" | ">" | "≤" | "≥" | "~" | "'" | "≈" | "+" | "-")
                }
                Kind::Word => self.is(i, GAPS, folded),
                Kind::Number | Kind::Newline => false,
            };
            if !steps {
                return None;
            }
            i += 1;
        }
        let quantity = self.quantity(i, folded)?;
        let year =
            self.digits(i) == 4 && matches!(&self.at(i)[..2], "19" | "20") && quantity.value_end == i + 1;
        let date = quantity.value_end >= i + 5 && self.at(i + 1) == "/" && self.at(i + 3) == "/";
        (quantity.has_unit() || !year && !date).then_some((i, quantity))
    }
}
