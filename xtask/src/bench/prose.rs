//! Medical prose without end: sentences of notes whose terms, drugs and values are drawn, so that words come back as
//! seldom as they do in a hospital's.

use taire_lexicon::Lexicon;
use taire_text::Language;

use taire_corpus::Rng;

/// `{t}` is a term of medicine, `{d}` a drug, `{w}` any ordinary word, `{n}` a number.
const FRENCH: &[&str] = &[
    "L'examen clinique retrouve {t} et {t}, sans signe de {t}.",
    "Le bilan biologique montre une hémoglobine à {n} g/dl, des plaquettes à {n} 000/mm3 et une CRP à {n} mg/l.",
    "Un traitement par {d} est introduit à la dose de {n} mg par jour, en association avec {d}.",
    "On note dans les antécédents {t}, {t} et une allergie à {d}.",
    "L'échographie met en évidence {t} de {n} mm, évocateur de {t}.",
    "L'évolution est marquée par {t}, ce qui motive la réalisation d'un scanner.",
    "La tension artérielle est à {n}/{n} mmHg, la fréquence cardiaque à {n}/min et la température à {n} °C.",
    "Devant cette {t}, une {t} est réalisée sous anesthésie générale.",
    "Les suites sont simples, avec une reprise du transit au bout de {n} jours.",
    "Le scanner ne retrouve pas de {t} ni d'argument pour {t}.",
    "Il n'existe pas de {w} associé et le reste de l'examen est sans particularité.",
    "La prise en charge a consisté en {t} puis en l'administration de {d} pendant {n} semaines.",
    "Au total, {t} compliqué de {t}, actuellement traité par {d}.",
    "L'histologie confirme {t} avec {w} et {t} de bas grade.",
    "Une surveillance de {t} sera poursuivie en externe, avec contrôle du {w} dans {n} mois.",
    "Sur le plan cardiologique, pas de {t}, mais {t} ancienne et stable.",
    "La patiente décrit une {w} depuis {n} mois, majorée par l'effort et calmée par {d}.",
    "Le patient est autonome, vit à domicile et ne présente pas de {t}.",
    "Retour à domicile avec {d} {n} mg matin et soir, {d} si douleurs, et soins de {w}.",
    "Un avis spécialisé est demandé pour {t}, dont le caractère {w} reste à préciser.",
];

const SPANISH: &[&str] = &[
    "En la exploración física se aprecia {t} y {t}, sin signos de {t}.",
    "La analítica muestra hemoglobina de {n} g/dl, plaquetas de {n}.000/mm3 y PCR de {n} mg/l.",
    "Se inicia tratamiento con {d} a dosis de {n} mg al día, asociado a {d}.",
    "Entre sus antecedentes destacan {t}, {t} y alergia a {d}.",
    "La ecografía evidencia {t} de {n} mm, sugestiva de {t}.",
    "La evolución cursa con {t}, por lo que se solicita una tomografía.",
    "La tensión arterial es de {n}/{n} mmHg, la frecuencia cardiaca de {n} lpm y la temperatura de {n} °C.",
    "Ante esta {t} se realiza {t} bajo anestesia general.",
    "El postoperatorio transcurre sin incidencias, con tolerancia oral a los {n} días.",
    "La resonancia no muestra {t} ni datos de {t}.",
    "No se observa {w} asociado y el resto de la exploración es normal.",
    "El manejo consistió en {t} y administración de {d} durante {n} semanas.",
    "En resumen, {t} complicada con {t}, en tratamiento con {d}.",
    "La anatomía patológica confirma {t} con {w} y {t} de bajo grado.",
    "Se mantendrá el control de {t} en consulta, con revisión del {w} en {n} meses.",
    "Desde el punto de vista cardiológico no presenta {t}, aunque sí {t} antigua y estable.",
    "La paciente refiere {w} desde hace {n} meses, que aumenta con el esfuerzo y cede con {d}.",
    "El paciente es independiente, vive en su domicilio y no presenta {t}.",
    "Alta con {d} {n} mg cada doce horas, {d} si dolor y curas de {w}.",
    "Se solicita valoración por {t}, cuyo carácter {w} queda por aclarar.",
];

pub(super) struct Prose {
    frames: &'static [&'static str],
    terms: Vec<String>,
    drugs: Vec<String>,
    words: Vec<String>,
}

impl Prose {
    pub(super) fn of(language: Language) -> Prose {
        let frames = match language {
            Language::Fr => FRENCH,
            Language::Es => SPANISH,
        };
        let mut prose = Prose { frames, terms: Vec::new(), drugs: Vec::new(), words: Vec::new() };
        Lexicon::of(language).for_each_word(|word, facts| {
            if !(5..=14).contains(&word.len()) || facts.is_name() || facts.is_town() || facts.is_eponym() {
                return;
            }
            match () {
                _ if facts.is_drug() => prose.drugs.push(word.to_owned()),
                _ if facts.is_medical() => prose.terms.push(word.to_owned()),
                _ if facts.word_class() == 2 => prose.words.push(word.to_owned()),
                _ => {}
            }
        });
        prose
    }

    /// Adds one sentence.
    pub(super) fn sentence(&self, rng: &mut Rng, out: &mut String) {
        let mut rest = self.frames[rng.below(self.frames.len())];
        while let Some((head, tail)) = rest.split_once('{') {
            out.push_str(head);
            let (slot, tail) = tail.split_once('}').unwrap_or((tail, ""));
            match slot {
                "t" => out.push_str(drawn(rng, &self.terms)),
                "d" => out.push_str(drawn(rng, &self.drugs)),
                "w" => out.push_str(drawn(rng, &self.words)),
                _ => out.push_str(&rng.between(2, 150).to_string()),
            }
            rest = tail;
        }
        out.push_str(rest);
    }
}

/// Squares the draw, so that some words are frequent and most are rare.
fn drawn<'a>(rng: &mut Rng, words: &'a [String]) -> &'a str {
    let top = rng.below(words.len().max(1)) + 1;
    words.get(rng.below(top)).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_has_many_words_and_no_slot_left() {
        for &language in Language::ALL {
            let prose = Prose::of(language);
            let mut text = String::new();
            let mut rng = Rng::of_document(1, 1);
            (0..2_000).for_each(|_| {
                prose.sentence(&mut rng, &mut text);
                text.push(' ');
            });
            assert!(!text.contains(['{', '}']));
            let words: std::collections::BTreeSet<&str> = text.split_whitespace().collect();
            assert!(words.len() > 1_500, "{}", words.len());
        }
    }
}
