//! Words that say what the number after them is, French and Spanish, folded.
//!
//! A phrase is found from its last word backwards; words such as "de" or "n°" inside it are stepped over, so the
//! tables leave them out ("numéro de sécurité sociale" is `securite sociale`).

use rustc_hash::FxHashMap;
use taire_text::fold_char;

/// What a keyword announces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeywordKind {
    Phone,
    Fax,
    /// An internal number: "poste 4512", "DECT".
    Extension,
    Ip,
    Mac,
    Nir,
    Nass,
    NationalId,
    Patient,
    Visit,
    Plan,
    Licence,
    Rpps,
    /// A practitioner's or an establishment's number of nine characters: ADELI, FINESS.
    Adeli,
    Finess,
    Employee,
    Account,
    Vehicle,
    Device,
    Other,
    /// A measurement: what follows counts cells, copies, units.
    Measure,
    /// A publication, a trial, a gene: public.
    Reference,
    /// A date of birth.
    Birth,
    /// A postal box or code: left to the address detectors.
    Postal,
}

/// How much a keyword needs beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Strength {
    /// Speaks for a number up to two words away.
    Strong,
    /// Speaks for the number right after it, or after a colon.
    Near,
    /// Also an ordinary word: needs a colon or "n°" beside it, or a number of six digits or more.
    Weak,
    /// An ordinary word that needs the colon or "n°" whatever the number.
    Marked,
}

use KeywordKind::*;
use Strength::*;

const TABLE: &[(KeywordKind, Strength, &str)] = &[
    (
        Phone,
        Strong,
        "tel|tels|telephone|telephones|telef|telefono|telefonos|teléf|tlf|tlfs|tlfno|tfno|tfnos|tfn|tlfn|tno|movil|\
         mobile|gsm|portable|cellulaire|standard|secretariat|secretaria|joignable|rappeler|appeler|whatsapp|\
         telephonique|telefonico|centralita|phone|numero vert|urgences medicales",
    ),
    (
        Phone,
        Marked,
        "mob|port|telf|rdv|contact|contacto|rendez vous|fijo|fixe|domicile|bureau|cita previa|casa|trabajo",
    ),
    (Fax, Strong, "fax|telecopie|telecopieur|telefax|fex"),
    (Extension, Near, "poste|dect|bip|beep|ext|ligne directe|busca|buscapersonas|bip interne"),
    (Extension, Marked, "extension|extensions|interno"),
    (Ip, Strong, "ip|ipv4|ipv6|adresse ip|direccion ip|adresses ip"),
    (Mac, Strong, "mac|adresse mac|direccion mac"),
    (
        Nir,
        Strong,
        "nir|insee|securite sociale|secu|secu sociale|nss|nir ins|ins|ins nir|ins nia|nia|matricule ins|num secu|\
         immatriculation securite sociale|assure social|nirpp|nir assure|immatriculation assure|carte vitale|vitale",
    ),
    (Nir, Marked, "ss|assure|assuree|immatriculation ss"),
    (
        Nass,
        Strong,
        "nass|naf|nuss|seguridad social|afiliacion|seg social|num afiliacion|numero ss|afiliacion seguridad social",
    ),
    (
        NationalId,
        Strong,
        "dni|nif|nie|documento identidad|documento nacional identidad|pasaporte|passeport|cni|carte identite|\
         carte nationale identite|titre sejour|tarjeta residencia|permis conduire|permiso conducir",
    ),
    (
        Patient,
        Strong,
        "ipp|ippn|iep patient|nip|nhc|nh|cipa|cip|autcip|cips|historia clinica|h clinica|num historia|hc|hce|nhce|id patient|idpat|\
         patient id|identifiant patient|numero patient|identifiant permanent|ippr|ipp local|pid|nro historia|\
         identificacion paciente|id paciente|numero identificacion|identifiant|identificador|nuhsa|sip|cite",
    ),
    (Patient, Weak, "patient|patiente|paciente|historia|id|ident|expediente|identite"),
    (
        Visit,
        Strong,
        "nda|ndan|iep|num sejour|venue|num venue|numero venue|episodio|num episodio|icu|accession|accession number|\
         numero visite|numero dossier administratif|dossier administratif|numero admission|num dossier|num passage",
    ),
    (
        Visit,
        Weak,
        "dossier|dossiers|sejour|visite|admission|hospitalisation|passage|examen|demande|prelevement|bon|ingreso|\
         visita|peticion|muestra|solicitud|estudio|biopsia|compte rendu|cr|informe|asistencia|registro|laboratoire",
    ),
    (
        Plan,
        Strong,
        "mutuelle|amc|num adherent|adherent|cmu|ame|css|tarjeta sanitaria|tsi|ts|sns|cp sns|cpsns|poliza|mutua|\
         aseguradora|contrat|num contrat|complementaire|tarjeta individual|tarjeta sanitaria individual|muface|isfas|\
         mugeju|organisme|caisse|cobertura",
    ),
    (Plan, Near, "adh|societaire|ehic|tis|nam"),
    (Plan, Weak, "beneficiaire|asegurado|afiliado|tarjeta"),
    (
        Licence,
        Strong,
        "colegiado|colegiada|col num|numcol|ncol|num colegiado|cnp|licencia|cnom|num ordre|conseil ordre|ordre medecins|\
         cias|col medico|colegiacion|colegiat|inscription ordre|am prescripteur|prescripteur",
    ),
    (Licence, Near, "inami|gln|rcc|cmp"),
    (Licence, Marked, "col|cod|colg|coleg|licence|ordre"),
    (Rpps, Strong, "rpps|num rpps|id rpps"),
    (Adeli, Strong, "adeli"),
    (Finess, Strong, "finess|et finess|finess juridique|finess geographique|siret|siren|cif|nicf"),
    (Employee, Near, "badge|tip|agente"),
    (Employee, Strong, "matricule|matricule agent|num empleado|empleado|num agent|agent|cpe"),
    (
        Account,
        Strong,
        "iban|rib|bic|cuenta|ccc|compte bancaire|num compte|cuenta bancaria|cuenta corriente|carte bancaire|bancaire",
    ),
    (Account, Weak, "compte|facture|factura|client|cliente"),
    (
        Vehicle,
        Strong,
        "immatriculation|immatricule|immatriculee|plaque immatriculation|matricula|matriculas|vehicule|vehiculo|\
         bastidor|permis|carte grise",
    ),
    (Vehicle, Near, "immat|veh|voiture|coche|ambulance|ambulancia|camion|moto"),
    (
        Device,
        Strong,
        "num serie|serial|serial number|sn|udi|imei|num lote|num lot|reference implant|num implant|\
         num implante",
    ),
    (Device, Near, "inv|inventaire|inventario|boitier|emetteur|transmisor|lots|lotes"),
    (Device, Marked, "serie|ns"),
    (
        Device,
        Weak,
        "lot|lote|pacemaker|stimulateur|marcapasos|implant|implante|defibrillateur|prothese|protesis|dai|ref",
    ),
    (Other, Strong, "numero inscription|num inscription|ticket|num ticket|nº ref|identification"),
    // Courts, police, insurers, pharmacies and laboratories: what they number stands right behind its word.
    (
        Other,
        Near,
        "rg|minute|parquet|pv|recours|requisition|scelle|ecrou|agdref|affaire|sinistre|recepisse|bordereau|ordonnancier|\
         agrement|allocataire|mdph|digicode|portail|recommande|lrar|fei|fiche|tube|echantillon|echant|etiquette|bracelet|\
         cliche|image|devis|dossard|\
         exp|expte|siniestro|atestado|diligencias|diligencias previas|autos|causa|sentencia|precinto|presupuesto|recibo|\
         folio|acta|pulsera|etiqueta|bolsa|bolsas|receta|rut|run|cuil|curp|remision|registro entrada",
    ),
    (
        Other,
        Weak,
        "reference|referencia|ref|code|codigo|clave|registre|acte|commande|inclusion|protocole|protocolo",
    ),
    (
        Measure,
        Strong,
        "plaquettes|plaquette|plq|plaq|pqt|plt|plaquetas|leucocytes|leuco|gb|gr|globules|hematies|leucocitos|\
         hematies|hemates|pnn|neutrophiles|neutrofilos|lymphocytes|linfocitos|eosinophiles|eosinofilos|reticulocytes|\
         reticulocitos|monocytes|monocitos|crp|pcr|bnp|probnp|ntprobnp|ferritine|ferritina|virale|viral|hcg|bhcg|\
         betahcg|leucocytose|hyperleucocytose|leucocitosis|thrombopenie|trombopenia|thrombocytose|trombocitosis|\
         leucopenie|leucopenia|thrombocytopenie|trombocitopenia|blancs|rouges|blancos|rojos|troponine|troponina|cpk|\
         ck|ldh|cd4|cd|alphafoetoproteine|afp|psa|ca|dimeres|dimeros|ddimeres|ggt|asat|alat|alt|ast|got|gpt|amilasa|\
         lipase|lipasa|dose|dosis|ige|igg|iga|igm|cellules|celulas|elements|elementos|taux|tasa|cifra|cifras|chiffre|\
         numeration|recuento|hemogramme|hemograma|creatinine|creatinina|prolactine|prolactina|insuline|testosterone|\
         debit|volume|volumen|poids|peso|energie|kcal|adn|adnvha|arn|rna|dna|colonies|colonias|germes|germenes|ecbu|\
         leucocyturie|hematurie|polynucleaires|prevalence|incidence|incidencia|prevalencia|population|poblacion|\
         trombocitos|thrombocytes|hemoglobine|myoglobine|procalcitonine|dilution|\
         habitants|habitantes|cout|coste|precio|prix|montant|heparine|heparina|penicilline|penicilina|vitamine|\
         vitamina|hta|ta|pression|tension|adrenaline|adrenalina|lidocaine|trypsine|aprotinine|urokinase|uroquinasa|\
         streptokinase|estreptoquinasa|tryptase|catecholamines|hematocrite|hematocrito|vgm|tsh|fsh|lh|acth|cortisol|\
         pth|fibrinogene|fibrinogeno|haptoglobine|transaminases|transaminasas|bilirubine|bilirrubina|uree|urea|\
         glycemie|glucemia|cholesterol|colesterol|triglycerides|trigliceridos|granulocytes|granulocitos|blastes|blastos|\
         nacimientos|naissances|grossissement|aumentos|mielocitos|hematias|segmentados|polimorfonucleares",
    ),
    (
        Reference,
        Near,
        "pmid|pmcid|pmc|doi|isbn|issn|eudract|nct|clinicaltrials|clinical trials|cim|cie|ccam|omim|uniprot|genbank|\
         accession genbank|amm|loinc|snomed|atc|orpha|orphanet|mim",
    ),
    (
        Birth,
        Strong,
        "ne|nee|nes|naissance|naiss|ddn|nacido|nacida|nacidos|nacimiento|nac|fnac|f nac|fn|dn|dob|natif|native|nacio|\
         naquit|nato|nata",
    ),
    (Postal, Near, "bp|cs|cedex|cp|apartado|apdo|codigo postal|code postal|tsa|cidex"),
];

/// Words and marks that may come between a keyword and its number, or inside a phrase.
const CONNECTORS: &[&str] = &[
    "n",
    "no",
    "nr",
    "nro",
    "num",
    "nums",
    "numero",
    "numeros",
    "number",
    "de",
    "del",
    "d",
    "du",
    "des",
    "la",
    "le",
    "les",
    "l",
    "el",
    "los",
    "las",
    "au",
    "aux",
    "a",
    "al",
    "est",
    "es",
    "sa",
    "son",
    "su",
    "en",
    "entre",
    "environ",
    "unos",
    "unas",
    "un",
    "une",
    "una",
    "suivant",
    "siguiente",
    "unique",
    "total",
    "the",
];

/// Connectors that say "number".
const NUMBER_WORDS: &[&str] = &["n", "no", "nr", "nro", "num", "nums", "numero", "numeros", "number"];

const LONGEST_UNIT: usize = 24;

const UNITS: &str = "mm|mm3|mmc|mmol|mosm|nmol|pmol|umol|µmol|μmol|micromol|ui|uui|µui|μui|mui|iu|mg|ug|µg|μg|mcg|ng|pg|kg|gr|ml|\
    cl|dl|ul|µl|μl|kcal|cal|kj|cc|cm|cm3|cm2|km|nm|euro|euros|eur|dollars|francs|copies|copias|copie|copia|elements|element|\
    elementos|elemento|elts|elt|cellules|cellule|celulas|celula|cels|cel|cells|cell|leucocytes|leucocitos|leuc|leuco|\
    plaquettes|plaquetas|hematies|gb|globules|pnn|germes|germenes|ufc|cfu|gy|cgy|mci|mbq|gbq|bpm|fois|veces|unites|unidades|unite|uds|\
    voltios|volts|habitants|habitantes|hab|polynucleaires|neutrophiles|\
    neutrofilos|polimorfonucleares|lymphocytes|linfocitos|eosinophiles|reticulocytes|reticulocitos|grs|mgr|litro|litros|litre|litres|mililitros|millilitres|\
    gramos|gramme|grammes|milligramme|milligrammes|microgramme|microgrammes|giga|gigas|meq|hz|khz|mhz|rpm|heures|horas|metros|metres|grados|degres|log|logs|ufp|\
    uel|u|mu|mun|naissances|nacimientos|g|l|m|x|spores|colonies|colonias|particules|hematias|lux|dpm|fl";

/// The keyword tables, indexed by the last word of each phrase.
#[derive(Debug)]
pub(crate) struct Keywords {
    phrases: FxHashMap<&'static str, Vec<Phrase>>,
    connectors: FxHashMap<&'static str, bool>,
    units: FxHashMap<&'static str, ()>,
    longest: usize,
}

#[derive(Debug)]
pub(crate) struct Phrase {
    /// The words before the last one, nearest first.
    pub(crate) before: Vec<&'static str>,
    pub(crate) kind: KeywordKind,
    pub(crate) strength: Strength,
}

impl Keywords {
    pub(crate) fn new() -> Self {
        let mut phrases: FxHashMap<&'static str, Vec<Phrase>> = FxHashMap::default();
        let mut longest = 0;
        for &(kind, strength, list) in TABLE {
            for phrase in list.split('|') {
                let mut words = phrase.rsplit(' ');
                let Some(last) = words.next() else { continue };
                longest = longest.max(last.len());
                phrases.entry(last).or_default().push(Phrase { before: words.collect(), kind, strength });
            }
        }
        for list in phrases.values_mut() {
            list.sort_by_key(|p| std::cmp::Reverse(p.before.len()));
        }
        let connectors = CONNECTORS.iter().map(|&w| (w, NUMBER_WORDS.contains(&w))).collect();
        Keywords { phrases, connectors, units: UNITS.split('|').map(|w| (w, ())).collect(), longest }
    }

    /// The phrases that end with a folded word, longest first.
    pub(crate) fn ending_with(&self, word: &str) -> &[Phrase] {
        if word.len() > self.longest {
            return &[];
        }
        self.phrases.get(word).map_or(&[], Vec::as_slice)
    }

    /// Whether a folded word may come between keyword and number; `Some(true)` if it means "number".
    pub(crate) fn connector(&self, word: &str) -> Option<bool> {
        self.connectors.get(word).copied()
    }

    /// Whether a word, in any case and with or without accents, is a unit of measurement.
    pub(crate) fn is_unit(&self, word: &str) -> bool {
        let mut folded = [0u8; LONGEST_UNIT];
        let mut len = 0;
        for c in word.chars() {
            let (chars, n) = fold_char(c);
            for c in &chars[..n] {
                let Some(room) = folded.get_mut(len..len + c.len_utf8()) else { return false };
                c.encode_utf8(room);
                len += c.len_utf8();
            }
        }
        std::str::from_utf8(&folded[..len]).is_ok_and(|w| self.units.contains_key(w))
    }
}
