//! Keys of French headers, letterheads and signature blocks. Folded: no capitals, no accents.

use Label::*;
use Place::{Colon, Free, Line};
use Role::{Caregiver, Patient, Relative, Unknown};
use taire_text::{Label, Role};

use super::keys::{Group, Place, Value, group};

pub(super) const TABLE: &[Group] = &[
    group(
        Value::Family,
        Patient,
        Line,
        "nom|nom patient|nom du patient|nom de la patiente|nom de famille|nom de naissance|nom naissance|nom d'usage|\
         nom usuel|nom usage|nom utilise|nom marital|nom d'epouse|nom d'epoux|nom de jeune fille|nom jeune fille|\
         nom patronymique|nom officiel|nom legal|nom jf|nom de l'enfant|nom du malade|nom de l'assure(e)",
    ),
    group(Value::Family, Patient, Free, "nee|epouse|ep.|veuve|vve|ne(e)|divorcee"),
    group(
        Value::FamilyFirst,
        Patient,
        Line,
        "nom prenom(s)|nom et prenom(s)|nom, prenom(s)|nom/prenom(s)|nom - prenom(s)|nom-prenom|nom & prenom|\
         nom prenom du patient|nom et prenom(s) du patient|nom et prenom(s) de la patiente|identite|identite patient|\
         identite du patient|etiquette patient|nom complet",
    ),
    group(
        Value::Given,
        Patient,
        Line,
        "prenom(s)|prenom(s) du patient|prenom(s) de naissance|premier prenom|1er prenom|1er prenom de naissance|\
         premier prenom de naissance|prenom usuel|prenom utilise|prenom(s) de l'enfant|prenom de la patiente|autres prenoms|\
         liste des prenoms|prenom legal",
    ),
    group(
        Value::People,
        Patient,
        Line,
        "patient(e)|patient(e) concerne(e)|concerne|concernant|concernant le patient|concernant la patiente|malade|\
         assure(e)|beneficiaire|usager|resident(e)|nouveau-ne|prenom nom|prenom et nom|prenom(s)/nom|objet|\
         patient(e) hospitalise(e)|dossier de|dossier du patient",
    ),
    group(
        Value::People,
        Caregiver,
        Line,
        "medecin|medecin(s) traitant(s)|medecin traitant declare|medecin referent|medecin(s) responsable(s)|medecin senior|medecin prescripteur|\
         medecin adresseur|medecin correspondant|medecin(s) correspondant(s)|medecin destinataire|medecin signataire|medecin validateur|\
         medecin coordonnateur|medecin generaliste|medecin demandeur|medecin du service|medecin anesthesiste|medecin operateur|\
         medecin radiologue|medecin interpretant|medecin de famille|medecin hospitalier|medecin consulte|med. traitant|\
         adresse(e) par|adresse(e) a|adresse(e) au|destinataire(s)|correspondant(s)|copie(s)|copie(s) a|copie pour|cc|\
         envoye a|envoye par|transmis a|transmis au|double(s) a|double|copie a adresser a|a l'attention de|a l'attention du|attn|\
         signe par|signe|signature|signataire|signature electronique|signe electroniquement par|signe electroniquement le|valide par|valide electroniquement par|\
         validation|redige par|redacteur|redactrice|redigee par|auteur(s)|dicte par|saisi par|tape par|frappe par|relu par|\
         vu par|vu(e) par|examine(e) par|realise(e) par|effectue(e) par|pratique(e) par|interprete(e) par|prescrit par|\
         prescripteur|prescriptrice|demandeur|demande par|demande par le|consultant|consultation de|consultation du|\
         chirurgien(s)|chirurgienne|1er chirurgien|anesthesiste(s)|anesthesie par|iade|ibode|operateur(s)|operatrice|operateur principal|\
         aide(s)|aide(s) operatoire(s)|aide operateur|instrumentiste|panseuse|panseur|interne(s)|externe(s)|senior|chef de clinique|\
         chef(s) de service|chef de pole|chef de departement|chef d'unite|chef de centre|responsable|responsable medical|responsable de service|\
         responsable d'unite|responsable du service|praticien(s)|praticien(s) hospitalier(s)|praticien(s) attache(s)|praticien responsable|\
         attache(s)|assistant(s)|assistant(e)|chefs de clinique|chefs de clinique assistants|adjoint(s)|\
         cadre de sante|cadre|cadre infirmier|infirmier|infirmiere|ide|ide referente|infirmiere coordinatrice|idec|sage-femme|sage femme|\
         kinesitherapeute|kine|dieteticienne|psychologue|psychiatre|orthophoniste|ergotherapeute|assistante sociale|assistant social|\
         pharmacien|pharmacienne|biologiste(s)|biologiste responsable|radiologue|radiologues|pathologiste|anatomopathologiste|\
         manipulateur|manipulatrice|technicien|secretaire(s)|secretaire medicale|secretaire medical|secretariat|secretariat medical|\
         cardiologue|neurologue|pneumologue|gynecologue|pediatre|geriatre|nephrologue|urologue|oncologue|oncologue referent|\
         endocrinologue|dermatologue|rhumatologue|ophtalmologue|gastro-enterologue|hematologue|medecin du travail|dentiste|ostheopathe|\
         professeur(s)|docteur(s)|investigateur|investigateur principal|equipe medicale|rdv avec|contact|intervenant(s)|unite du dr|directeur|directrice",
    ),
    group(
        Value::People,
        Relative,
        Colon,
        "personne de confiance|personne a prevenir|personne a contacter|personne(s) a prevenir en cas d'urgence|contact d'urgence|\
         tuteur|tutrice|curateur|curatrice|mandataire|representant legal|responsable legal|conjoint|conjointe|epoux|mari|femme|\
         compagnon|compagne|concubin|concubine|pere|mere|fils|fille|frere|soeur|parent|parents|nom du pere|nom de la mere|\
         entourage|aidant|aidant principal|famille|accompagnant|accompagne par|nom du conjoint|petit-fils|petite-fille|gendre|belle-fille",
    ),
    group(
        Value::BirthDate,
        Patient,
        Free,
        "ne(e) le|ne/nee le|ne ou nee le|nee ou ne le|date de naissance|date naissance|date de naiss|date de naiss.|date naiss|date naiss.|\
         ddn|d.d.n.|ddn patient|dn|date de naissance du patient|naissance|naissance le|naiss.|ne(e)|ne(e) en|jour de naissance|\
         ne(e) ce|date nais|date nais.|dt naissance|dte naissance|n(e) le",
    ),
    group(
        Value::Date,
        Unknown,
        Line,
        "date|date du jour|date de consultation|date consultation|date de l'examen|date d'examen|date examen|date d'entree|date entree|\
         entree le|entre(e) le|date de sortie|date sortie|sortie le|sorti(e) le|date d'admission|admission le|date d'hospitalisation|\
         hospitalise(e) le|date d'intervention|date de l'intervention|date intervention|date operatoire|opere(e) le|date du prelevement|\
         date de prelevement|preleve le|prelevement du|prelevement le|date de reception|recu le|date d'edition|edite le|imprime le|date d'impression|\
         date de validation|valide le|date de signature|signe le|date de creation|date creation|cree le|date de redaction|redige le|dicte le|\
         tape le|frappe le|date de deces|decede(e) le|date du deces|date de l'acte|date de realisation|realise le|date de mise a jour|mis a jour le|\
         date de cloture|date de resultat|date du compte rendu|date du courrier|rdv le|rendez-vous le|prochain rdv|prochain rendez-vous|\
         consultation du|hospitalisation du|examen du|compte rendu du|compte-rendu du|courrier du|fait le|le|en date du|vu(e) le|date de debut|date de fin",
    ),
    group(Value::Age, Patient, Line, "age|age du patient|age de la patiente|age a l'entree|age actuel"),
    group(Value::Sex, Patient, Line, "sexe|genre|sexe du patient|sexe/age|civilite"),
    group(
        Value::Id(PatientId),
        Patient,
        Free,
        "# ipp|# nip|# i.p.p.|# ipp patient|# npp|# identifiant patient|## patient|# identifiant permanent|# identifiant permanent du patient|\
         ref patient|id patient|code patient|# ipp/nip|# iep patient|## permanent|identifiant du patient|identification du patient|id|# d'identification|nip patient",
    ),
    group(
        Value::Id(PatientId),
        Patient,
        Line,
        "# dossier|# dossier patient|# dossier medical|## identifiant|# dossier hospitalier|# du dossier|dossier n°|dossier no|dossier numero|\
         ## archive|## archives|# d'anonymat|# d'inclusion|# d'examen patient|patient n°|patient no|patient numero|dossier medical n°",
    ),
    group(
        Value::Id(VisitId),
        Patient,
        Free,
        "# nda|# iep|## sejour|## de sejour|## venue|## administratif|# dossier administratif|## d'hospitalisation|## passage|## visite|\
         ## episode|## admission|## d'admission|## d'entree|nda patient|## hospitalisation|## du sejour|## consultation|sejour n°|venue n°",
    ),
    group(
        Value::Id(SocialSecurity),
        Patient,
        Free,
        "## ss|# securite sociale|# secu|# secu sociale|# nir|## insee|## immatriculation|## d'immatriculation|## ins|# ins-nir|ins nir|\
         matricule ins|ins-c|ins-nia|nia|## assure|## d'assure|## assure social|# d'assure social|# d'assurance maladie|secu|n° ss|nss|\
         immatriculation ss|# securite sociale du patient|securite sociale n°|securite sociale|numero de ss|# de ss",
    ),
    group(Value::Id(SocialSecurity), Patient, Colon, "ins|ss|assure|immatriculation|insee|assure social"),
    group(Value::Address, Patient, Colon, "rue|voie|residence"),
    group(
        Value::Id(HealthPlan),
        Patient,
        Line,
        "## mutuelle|## adherent|## d'adherent|## contrat|# amc|# carte vitale|# carte mutuelle|## police|## beneficiaire|## cmu|## ame",
    ),
    group(
        Value::Id(ProfessionalLicence),
        Caregiver,
        Free,
        "# rpps|# adeli|## am|rpps n°|adeli n°|## ordre|## d'ordre|# cnom|# inscription a l'ordre|## praticien|rpps/adeli|# rpps/adeli|ordre n°",
    ),
    group(
        Value::Id(ProfessionalLicence),
        Unknown,
        Free,
        "# finess|# finess et|# finess ej|finess juridique|finess geographique|# siret|# siren|# siret/siren",
    ),
    group(
        Value::Id(OtherId),
        Unknown,
        Line,
        "## examen|## d'examen|## demande|## de demande|## prelevement|## de prelevement|## echantillon|## compte rendu|## cr|## document|## d'ordonnance|\
         ## ordonnance|# accession|accession number|# enregistrement|# d'enregistrement|ref|ref.|references|reference|nos ref|nos references|vos ref|\
         v/ref|n/ref|# cni|# passeport|# carte d'identite|# titre de sejour|## fiche|## lame|## bloc|# anapath|## labo|## poche|## etude|code barre|## protocole|## interne",
    ),
    group(
        Value::Id(EmployeeId),
        Caregiver,
        Line,
        "# matricule|## agent|## employe|## salarie|matricule agent",
    ),
    group(Value::Id(AccountNumber), Patient, Free, "# iban|# rib|## compte|# compte bancaire|## de compte"),
    group(
        Value::Id(VehicleId),
        Patient,
        Line,
        "## plaque|plaque d'immatriculation|immatriculation vehicule|# immatriculation vehicule",
    ),
    group(
        Value::Id(DeviceId),
        Patient,
        Line,
        "## serie|## de serie|## lot|sn|s/n|# serie prothese|## implant|## prothese|# udi|numero serie",
    ),
    group(
        Value::Address,
        Patient,
        Line,
        "adresse(s)|adresse du patient|adresse de la patiente|adresse patient|adresse postale|adresse complete|adresse personnelle|domicile|\
         adresse domicile|adresse du domicile|domicilie(e)|domicilie(e) a|domicilie(e) au|demeurant|demeurant a|demeurant au|habite|habite a|habitant|\
         residant|residant au|residant a|lieu de residence|adr|adr.|adresse 1|adresse de residence|adresse fiscale",
    ),
    group(
        Value::PostalCode,
        Patient,
        Line,
        "code postal|cp|c.p.|code postal du patient|cp/ville|code postal/ville|code postal et ville|cp ville|code postal ville",
    ),
    group(
        Value::City,
        Patient,
        Line,
        "ville|commune|localite|lieu|ville/commune|ville de residence|commune de residence|ville d'origine|lieu de naissance|ne(e) a|\
         lieu naissance|commune de naissance|ville de naissance|lieu de naiss|lieu de naiss.|naissance a|cp naissance|bureau distributeur",
    ),
    group(Value::Region, Patient, Line, "region|departement de naissance|departement de residence|canton"),
    group(
        Value::Country,
        Patient,
        Line,
        "pays|pays de naissance|pays d'origine|pays de residence|nationalite|originaire de",
    ),
    group(
        Value::Phone,
        Unknown,
        Free,
        "tel(s)|tel.|# tel|# tel.|# telephone|# de tel|# de telephone|telephone|telephones|telephone fixe|telephone domicile|telephone portable|telephone mobile|\
         tel fixe|tel portable|tel. portable|tel mobile|tel. mobile|tel port|tel dom|tel domicile|tel. domicile|tel. dom.|tel pro|tel travail|tel bureau|tel secretariat|tel. secretariat|\
         telephone secretariat|portable|port.|port|mobile|mob|gsm|tph|tel direct|ligne directe|poste|standard|joindre au|joignable au|telephone patient|\
         telephone du patient|secretariat tel|rdv au|prise de rdv|prise de rendez-vous|accueil|urgences|bip|dect|rendez-vous|rdv|consultations|hospitalisation|tlp|tel/fax|tel. / fax|tel & fax",
    ),
    group(
        Value::Fax,
        Unknown,
        Free,
        "fax|# fax|# de fax|telecopie|telecopieur|tel/telecopie|fax secretariat",
    ),
    group(
        Value::Email,
        Unknown,
        Free,
        "mail|e-mail|email|courriel|mel|adresse mail|adresse e-mail|adresse email|adresse electronique|messagerie|mssante|ms sante|mail secretariat|\
         messagerie securisee|mail patient|contact mail",
    ),
    group(Value::Url, Unknown, Line, "site|site web|site internet|web|url"),
    group(
        Value::Facility(Hospital),
        Unknown,
        Colon,
        "hopital|etablissement|etablissement de sante|clinique|site hospitalier|centre hospitalier|chu|ch|hopital de|lieu d'hospitalisation|provenance|\
         etablissement d'origine|etablissement de provenance|transfere de|transfere a|transfere vers|lieu d'exercice|etablissement adresseur|groupe hospitalier|hopital d'origine",
    ),
    group(
        Value::Facility(HealthCentre),
        Unknown,
        Colon,
        "maison de sante|centre de sante|ehpad|laboratoire|pharmacie|cabinet|cabinet medical|cmp|ssiad|structure|centre",
    ),
    group(
        Value::Facility(Institution),
        Unknown,
        Colon,
        "employeur|entreprise|ecole|lycee|college|mutuelle|caisse|organisme|organisme payeur|complementaire|cpam|assurance|societe|universite|association|creche|etablissement scolaire",
    ),
    group(
        Value::Profession,
        Patient,
        Colon,
        "profession|metier|activite professionnelle|profession actuelle|ancienne profession|profession anterieure|situation professionnelle|\
         emploi|profession du pere|profession de la mere|profession du patient|travail|csp|poste occupe|fonction",
    ),
    group(
        Value::Nothing,
        Unknown,
        Line,
        "service|service de|unite|uf|uh|ua|pole|departement|unite fonctionnelle|unite de soins|specialite|chambre|lit|secteur|etage|batiment|discipline|\
         motif|motif d'hospitalisation|motif de consultation|antecedents|atcd|allergies|allergie|traitement|diagnostic|diagnostics|conclusion|indication|\
         histoire de la maladie|examen clinique|poids|taille|imc|ta|fc|resultat|resultats|type|statut|titre|qualite|\
         mode de vie|heure|duree|renseignements cliniques|technique|compte rendu|compte-rendu|situation familiale|situation maritale|etat civil|page|\
         mode d'entree|mode de sortie|destination|regime|groupe sanguin|rhesus|nombre d'enfants|commentaire|commentaires|observation|remarque|fait a",
    ),
];
