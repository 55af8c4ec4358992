//! Kinds of documents, so that scores and coverage can be given by kind although headers are free text.

use std::fmt;

use taire_text::fold;

use crate::document::Header;

macro_rules! kinds {
    ($($variant:ident $name:literal: $($word:literal)*;)+) => {
        /// What a document is, by the words of its header. The first kind of the list whose words occur decides.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum DocumentKind { $($variant,)+ Other }

        impl DocumentKind {
            pub const ALL: &'static [DocumentKind] = &[$(DocumentKind::$variant,)+ DocumentKind::Other];

            pub fn name(self) -> &'static str {
                match self { $(DocumentKind::$variant => $name,)+ DocumentKind::Other => "other" }
            }
        }

        const WORDS: &[(DocumentKind, &[&str])] = &[$((DocumentKind::$variant, &[$($word),*])),+];
    };
}

// Folded; a word matches where a word of the header begins with it; up to three letters must be the whole word.
kinds! {
    Hl7 "HL7, CDA, database export": "hl7" "cda" "fhir" "export" "segment copied" "oru" "base de datos" "database";
    Email "e-mail, thread, message": "mail" "e-mail" "courriel" "correo" "thread" "fil de" "hilo" "message" "mensaje"
        "messagerie" "sms" "chat" "portal" "telex" "whatsapp";
    Ocr "scan, OCR": "ocr" "scanned" "escane" "numeris";
    Dictation "dictation without punctuation": "transcription" "transcripcion" "dictee sans" "sans ponctuation"
        "sin puntuacion" "memo vocal" "dictado sin";
    List "list of many patients": "liste" "list" "listado" "roster" "planning" "planilla" "tableau de" "agenda"
        "operating list" "register" "registre" "tournee" "lines" "many patients" "muchos pacientes";
    Operating "operating report": "operating" "operatoire" "operatori" "quirurgic" "anaesthe" "anesthe" "anestesi" "implant";
    Imaging "imaging": "imaging" "radiolog" "scanner" "tdm" "irm" "mri" "tc" "ct" "echogra" "ecogra" "ultrasound" "coronary"
        "coronaro" "imagerie" "doppler" "polygraph" "eeg" "ecg" "film";
    Laboratory "laboratory": "laborat" "biolog" "analys" "microbiol" "myelogramme" "toxicolog" "resultats" "specimen";
    Pathology "pathology": "patholog" "anatomi" "anatomo" "autops" "biopsi" "cytolog";
    Board "tumour board, meeting": "rcp" "tumour" "tumor board" "meeting" "reunion" "minutes" "comite" "heart team" "pluridisciplinaire";
    Social "social, court, insurer": "social" "judiciai" "judicial" "court" "juge" "juez" "juzgado" "expert" "peric" "forens" "legal" "lawyer"
        "avocat" "abogad" "requisition" "insurer" "assureur" "police" "prison" "penitenci" "custody" "prefect" "asyl" "asil"
        "tutelle" "signalement" "commission" "mutua" "mdph" "dependencia" "reclama" "complaint" "plainte";
    Work "occupational medicine": "occupational" "travail" "trabajo" "laboral" "work accident" "militar" "aptitude";
    Prescription "prescription, certificate": "prescription" "ordonnance" "receta" "certifica" "bon de" "parte de baja" "voucher"
        "arret" "aptitud" "justificant";
    PatientLetter "patient's or family's letter": "patient's own" "lettre du patient" "lettre d'un" "carta del paciente" "carta de la"
        "carta manuscrita" "own letter" "famille" "familia" "manuscrit" "handwritten";
    Emergency "emergency, dispatch": "emergency" "urgenc" "triage" "triaje" "samu" "smur" "regulation" "dispatch" "ambulanc" "prehospital"
        "rescue" "sauvetage" "112" "radio" "medevac" "evasan" "pompier" "poison";
    Nursing "nursing, handover": "nurs" "infirmi" "enfermer" "transmission" "releve" "relevo" "handover" "soignant" "aide-soign" "ide"
        "cuidados" "turno" "hand-over";
    HomeCare "home care, care home": "home" "domicil" "had" "ehpad" "residenci" "care home" "retirement" "maison de retraite" "ssiad";
    Psychiatry "psychiatry": "psych" "psiq" "psic" "salud mental" "addict";
    Maternity "maternity, paediatrics": "matern" "obstet" "parto" "matron" "sage-femme" "midwi" "pediatr" "paediatr" "neonat" "accouch"
        "birth" "naissance" "school" "ecole" "colegio" "pmi";
    Phone "phone note": "phone" "telepho" "telefon" "appel" "llamada" "recado" "call" "teleconsult";
    Form "form, table": "form" "formulaire" "formulario" "fiche" "ficha" "feuille" "hoja" "grille" "table" "tabla" "questionnaire"
        "cuestionario" "sheet" "label" "etiquet" "parte";
    Letter "letter": "letter" "lettre" "courrier" "carta" "discharge" "sortie" "informe" "alta" "epicrisis" "consultation letter" "report"
        "compte rendu" "rapport" "compte-rendu" "referral";
    Note "short note": "note" "nota" "evoluti" "evolucion" "observation" "observacion" "progress" "remark" "comment" "motivo" "field" "suivi"
        "conclusion" "comentario" "motif" "consult" "reason";
}

impl DocumentKind {
    /// By the kind alone; where that says nothing, by specialty and style.
    pub fn of(header: &Header) -> DocumentKind {
        let words = format!(" {} {}", fold(&header.specialty), fold(&header.style));
        of_words(&format!(" {}", fold(&header.kind)))
            .or_else(|| of_words(&words))
            .unwrap_or(DocumentKind::Other)
    }
}

fn of_words(folded: &str) -> Option<DocumentKind> {
    let begins = |word: &str| {
        folded.match_indices(word).any(|(i, _)| {
            let inside = folded[..i].chars().next_back().is_some_and(char::is_alphanumeric);
            // Short words are whole words: `tc`, `ide`.
            let whole = !folded[i + word.len()..].starts_with(char::is_alphanumeric);
            !inside && (whole || word.len() > 3)
        })
    };
    WORDS.iter().find(|(_, words)| words.iter().any(|w| begins(w))).map(|(kind, _)| *kind)
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_headers_in_three_languages() {
        let kind = |text: &str| DocumentKind::of(&Header { kind: text.into(), ..Header::default() });
        assert_eq!(kind("discharge letter"), DocumentKind::Letter);
        assert_eq!(kind("hilo de correos entre clínicos"), DocumentKind::Email);
        assert_eq!(kind("compte rendu opératoire"), DocumentKind::Operating);
        assert_eq!(kind("transmissions infirmières EHPAD"), DocumentKind::Nursing);
        assert_eq!(kind("nota de triaje"), DocumentKind::Emergency);
        assert_eq!(kind("informe de anatomía patológica"), DocumentKind::Pathology);
        assert_eq!(kind("zzz"), DocumentKind::Other);
    }
}
