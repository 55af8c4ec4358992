//! Spanish words that tell about a person without naming them: relatives, origin, marital status, occupation.
//!
//! Each reader starts at a word of a class of [`crate::words`] and gives the tokens it covers. A word that medicine
//! uses too ("célula madre", "lactancia materna", "antecedentes familiares") is left alone.

use std::sync::LazyLock;

use taire_text::{Kind, Label, Note, Shape};

use crate::folded::{WordSet, token_hash};

/// Tokens that say something of a person.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) label: Label,
    pub(crate) score: f32,
    pub(crate) why: &'static str,
}

/// What follows a relative and says which: "tío materno", "hermana mayor".
static WHICH: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "materno materna maternos maternas paterno paterna paternos paternas mayor mayores menor menores mediano mediana",
        "gemelo gemela gemelos gemelas mellizo melliza mellizos mellizas varon varones politico politica politicos adoptivo adoptiva adoptivos",
    ])
});
static COUNTS: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(&["dos tres cuatro cinco seis siete ocho nueve diez once doce"]));
/// Before these a relative is a figure of speech.
static NO_RELATIVE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "celula celulas vesicula vesiculas quiste quistes lesion placa materia lengua solucion tintura hermanas",
        "hospital calle c avda avenida plaza paseo colegio residencia parque centro fundacion san padre",
    ])
});
static SIDE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&["rama linea familia lado antecedente antecedentes tratamiento parte progenitor"])
});
static BEFORE_RELATIVES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "los sus su un el la las varios varias otros otro dos tres cuatro algun algunos ningun por con dichos dicho referido demas",
    ])
});

impl<'a> Reading<'a> {
    fn hash(&self, at: usize) -> u64 {
        self.note.tokens.get(at).map_or(0, |t| token_hash(t, self.note.norm()))
    }

    fn text(&self, at: usize) -> &'a str {
        self.note.tokens.get(at).map_or("", |t| t.of(self.note.norm()))
    }

    fn is_lower(&self, at: usize) -> bool {
        self.note.tokens.get(at).is_some_and(|t| t.kind == Kind::Word && t.shape == Shape::Lower)
    }

    /// In lower case, or with the capital of a sentence's first word.
    fn is_plain(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|i| &self.note.tokens[i]);
        match self.note.tokens[at].shape {
            Shape::Lower => true,
            Shape::Title => before.is_none_or(|t| t.kind != Kind::Word && t.kind != Kind::Number),
            _ => false,
        }
    }
}

/// One note, read at one word.
pub(crate) struct Reading<'a> {
    pub(crate) note: &'a Note,
}

impl Reading<'_> {
    /// A relative at token `at`: the word, its number before and which one after.
    pub(crate) fn relative(&self, at: usize) -> Option<Detail> {
        let word = taire_text::fold(self.text(at));
        let before = at.checked_sub(1).map_or(0, |i| self.hash(i));
        let say = |first, last, score| {
            Some(Detail { first, last, label: Label::Kinship, score, why: "word for a relative" })
        };
        if NO_RELATIVE.has(before) {
            return None;
        }
        match word.as_str() {
            "mujer" => {
                let own = at > 0 && matches!(self.text(at - 1), "su" | "Su" | "mi" | "SU");
                if own {
                    return say(at, at, 0.85);
                }
                return Some(Detail {
                    first: at,
                    last: at,
                    label: Label::Sex,
                    score: 0.6,
                    why: "word for a sex",
                });
            }
            "familiar" | "familiares" => {
                let person = self.is_lower(at) && BEFORE_RELATIVES.has(before);
                return say(at, at, if person { 0.75 } else { 0.45 });
            }
            "materno" | "materna" | "paterno" | "paterna" => {
                let side = self.is_lower(at) && SIDE.has(before) && self.text(at + 1) != "-";
                return if side { say(at, at, 0.75) } else { None };
            }
            "viudo" | "viuda" => return self.status(at),
            _ => {}
        }
        if !self.is_plain(at) {
            return say(at, at, 0.6);
        }
        let mut last = at;
        while last < at + 2 && self.is_lower(last + 1) && WHICH.has(self.hash(last + 1)) {
            last += 1;
        }
        let counted = at > 0
            && (COUNTS.has(before)
                || self.note.tokens[at - 1].kind == Kind::Number
                    && self.note.tokens[at - 1].end() - self.note.tokens[at - 1].start() == 1)
            && self.text(at).ends_with('s');
        say(at - usize::from(counted), last, 0.8)
    }

    /// The age of a relative where no unit follows: "padre de 39", "padres de 71 y 66 años".
    pub(crate) fn relatives_ages(&self, last: usize) -> Vec<Detail> {
        let tokens = &self.note.tokens;
        let two_digits = |i: usize| {
            tokens.get(i).is_some_and(|t| t.kind == Kind::Number && matches!(t.end() - t.start(), 1 | 2))
        };
        if self.text(last + 1) != "de" || !two_digits(last + 2) {
            return Vec::new();
        }
        let say =
            |at| Detail { first: at, last: at, label: Label::Age, score: 0.7, why: "age of a relative" };
        let joined = matches!(self.text(last + 3), "y" | "e") && two_digits(last + 4);
        let unit = |i: usize| matches!(self.text(i), "años" | "anos" | "meses" | "días" | "semanas");
        let ends = tokens.get(last + 3).is_none_or(|t| t.kind != Kind::Word) && self.text(last + 3) != "%";
        if joined && unit(last + 5) {
            vec![say(last + 2), Detail { last: last + 5, ..say(last + 4) }]
        } else if unit(last + 3) || ends && !matches!(self.text(last + 3), "/" | "-" | ":") {
            vec![say(last + 2)]
        } else {
            Vec::new()
        }
    }

    /// "raza negra", "de nacionalidad alemana", "de profesión soldador": what the head announces.
    pub(crate) fn announced(&self, at: usize) -> Option<Detail> {
        let tokens = &self.note.tokens;
        let next = tokens.get(at + 1).filter(|t| t.kind == Kind::Word)?;
        let after_de = at > 0 && matches!(self.text(at - 1), "de" | "DE" | "De");
        match taire_text::fold(self.text(at)).as_str() {
            "raza" | "etnia" if after_de && !matches!(next.shape, Shape::Title) => Some(Detail {
                first: at,
                last: at + 1,
                label: Label::OtherDetail,
                score: 0.75,
                why: "race or ethnic origin",
            }),
            "nacionalidad" | "origen" | "procedencia"
                if next.facts.is_demonym() || self.is_origin(at + 1) =>
            {
                Some(Detail {
                    first: at + 1,
                    last: at + 1,
                    label: Label::OtherDetail,
                    score: 0.75,
                    why: "nationality or origin",
                })
            }
            "profesion" | "oficio" | "ocupacion" => self.occupation(at),
            _ => None,
        }
    }

    fn is_origin(&self, at: usize) -> bool {
        static ORIGINS: LazyLock<WordSet> = LazyLock::new(|| {
            WordSet::new(&[
                "subsahariana subsahariano magrebi magrebies latina latino latinoamericana latinoamericano sudamericana sudamericano",
                "centroamericana centroamericano gitana gitano caribena caribeno asiatica asiatico africana africano eslava eslavo",
            ])
        });
        ORIGINS.has(self.hash(at))
    }

    /// "de profesión auxiliar de enfermería", "Profesión: soldador".
    fn occupation(&self, at: usize) -> Option<Detail> {
        let tokens = &self.note.tokens;
        let after_de = at > 0 && matches!(self.text(at - 1), "de" | "DE" | "De");
        let colon = self.text(at + 1) == ":";
        if !after_de && !colon {
            return None;
        }
        let first = at + 1 + usize::from(colon);
        let mut last = None;
        for (i, token) in tokens.iter().enumerate().skip(first).take(6) {
            if token.kind != Kind::Word {
                break;
            }
            let small = matches!(self.text(i), "de" | "del" | "en" | "la" | "el" | "y");
            if !small {
                if i > first + 1 && !matches!(self.text(i - 1), "de" | "del" | "en" | "la" | "el" | "y") {
                    break;
                }
                last = Some(i);
            } else if i == first {
                return None;
            }
        }
        Some(Detail {
            first,
            last: last?,
            label: Label::Profession,
            score: 0.8,
            why: "occupation after its key",
        })
    }

    /// "homosexual". A civil status is nothing that the corpus marks, and half of what is said of one is no patient's.
    pub(crate) fn status(&self, at: usize) -> Option<Detail> {
        let orientation = taire_text::fold(self.text(at)).ends_with("sexual");
        (self.is_plain(at) && orientation).then_some(Detail {
            first: at,
            last: at,
            label: Label::OtherDetail,
            score: 0.7,
            why: "orientation",
        })
    }

    /// An origin or an occupation right after who has it: "paciente colombiana", "78 años, carpintero,", "ama de
    /// casa".
    pub(crate) fn bare(&self, at: usize) -> Option<Detail> {
        let tokens = &self.note.tokens;
        let token = &tokens[at];
        if self.text(at) == "ama" && self.text(at + 1) == "de" && self.text(at + 2) == "casa" {
            return Some(Detail {
                first: at,
                last: at + 2,
                label: Label::Profession,
                score: 0.8,
                why: "name of an occupation",
            });
        }
        let before = at.checked_sub(1)?;
        if (token.facts.is_demonym() || self.is_origin(at)) && !token.facts.is_medical() {
            let who = matches!(
                taire_text::fold(self.text(before)).as_str(),
                "paciente" | "varon" | "mujer" | "hombre" | "nino" | "nina" | "ciudadano" | "ciudadana"
            );
            return who.then_some(Detail {
                first: at,
                last: at,
                label: Label::OtherDetail,
                score: 0.7,
                why: "nationality or origin",
            });
        }
        if token.facts.is_profession()
            && !self.text(at).starts_with("jubilad")
            && self.text(before) == ","
            && matches!(self.text(at + 1), "," | "." | ";" | "jubilado" | "jubilada")
            && before >= 1
            && matches!(
                self.text(before - 1),
                "años" | "anos" | "edad" | "casado" | "casada" | "soltero" | "soltera"
            )
        {
            return Some(Detail {
                first: at,
                last: at,
                label: Label::Profession,
                score: 0.75,
                why: "occupation after the age",
            });
        }
        None
    }
}
