//! Titles of columns in tables of people, as French and Spanish hospitals write them, and the key each stands for.

use taire_text::fold;

/// Words of a title that say nothing of what its column holds.
const FILLERS: &[&str] = &[
    "n",
    "no",
    "num",
    "numero",
    "number",
    "nro",
    "de",
    "du",
    "d",
    "des",
    "la",
    "le",
    "les",
    "del",
    "el",
    "los",
    "l",
    "of",
    "y",
    "et",
    "principal",
    "principale",
];

/// The key of a known identity, and titles for it: folded, without marks and fillers.
const PEOPLE: &[(&str, &[&str])] = &[
    (
        "patient",
        &[
            "ipp",
            "nip",
            "nhc",
            "nhce",
            "hc",
            "patient",
            "patient id",
            "id patient",
            "ipp patient",
            "identifiant patient",
            "identifiant permanent",
            "identifiant permanent patient",
            "identifiant",
            "paciente",
            "id paciente",
            "identificador paciente",
            "historia clinica",
            "historia",
            "mrn",
            "person id",
        ],
    ),
    (
        "family_name",
        &[
            "nom",
            "nom usuel",
            "nom usage",
            "nom famille",
            "nom patient",
            "nom marital",
            "nom epouse",
            "apellidos",
            "apellido",
            "primer apellido",
            "apellido 1",
            "apellido1",
            "apellidos paciente",
            "family name",
            "last name",
            "surname",
        ],
    ),
    ("second_family_name", &["segundo apellido", "apellido 2", "apellido2"]),
    (
        "birth_name",
        &[
            "nom naissance",
            "nom jeune fille",
            "nom patronymique",
            "nom naiss",
            "apellido soltera",
            "apellidos soltera",
            "apellido nacimiento",
            "birth name",
            "maiden name",
        ],
    ),
    (
        "given_names",
        &[
            "prenom",
            "prenoms",
            "prenom s",
            "prenom usuel",
            "prenom utilise",
            "prenom patient",
            "premier prenom",
            "prenom naissance",
            "prenoms naissance",
            "nombre",
            "nombres",
            "nombre pila",
            "nombre paciente",
            "given name",
            "first name",
        ],
    ),
    (
        "birth_date",
        &[
            "date naissance",
            "ddn",
            "dn",
            "ne",
            "nee",
            "ne e",
            "date naiss",
            "naissance",
            "fecha nacimiento",
            "f nacimiento",
            "f nac",
            "fnac",
            "fecha nac",
            "fec nac",
            "nacimiento",
            "birthdate",
            "date birth",
            "dob",
        ],
    ),
    (
        "birth_place",
        &[
            "lieu naissance",
            "ville naissance",
            "commune naissance",
            "lugar nacimiento",
            "municipio nacimiento",
            "birthplace",
        ],
    ),
    ("sex", &["sexe", "genre", "gender"]),
    ("sexo", &["sexo", "genero"]),
    (
        "address.street",
        &["adresse", "adresse 1", "rue", "voie", "domicile", "direccion", "calle", "domicilio"],
    ),
    ("address.postal_code", &["code postal", "cp", "codigo postal", "cod postal", "postal code"]),
    (
        "address.city",
        &["ville", "commune", "localite", "ciudad", "municipio", "poblacion", "localidad", "city"],
    ),
    ("address.country", &["pays", "pais", "country"]),
    (
        "phones",
        &[
            "telephone",
            "telephones",
            "tel",
            "portable",
            "mobile",
            "tel portable",
            "tel fixe",
            "telephone portable",
            "telephone fixe",
            "telephone domicile",
            "telephone mobile",
            "telefono",
            "telefonos",
            "tlf",
            "tfno",
            "movil",
            "telefono movil",
            "telefono fijo",
            "phone",
        ],
    ),
    (
        "emails",
        &[
            "mail",
            "email",
            "e mail",
            "courriel",
            "adresse mail",
            "adresse email",
            "adresse electronique",
            "correo",
            "correo electronico",
        ],
    ),
    (
        "ids.NIR",
        &["nir", "securite sociale", "secu", "ins", "matricule ins", "ins nir", "nir ins", "nir patient"],
    ),
    ("ids.NSS", &["nss", "nass", "nuss", "seguridad social", "afiliacion"]),
    ("ids.DNI", &["dni", "nie", "nif", "dni nie"]),
    ("ids.CIP", &["cip", "cipa", "nuhsa", "sip", "tarjeta sanitaria"]),
    ("ids.NDA", &["nda", "iep", "venue", "sejour", "dossier", "episodio"]),
];

/// The key of a directory, and titles for it beside those of people.
const PLACES: &[(&str, &[&str])] = &[
    (
        "full_name",
        &[
            "nom complet",
            "nom prenom",
            "prenom nom",
            "nombre completo",
            "nombre apellidos",
            "apellidos nombre",
        ],
    ),
    (
        "role",
        &[
            "role",
            "fonction",
            "metier",
            "titre",
            "grade",
            "qualite",
            "specialite",
            "profession",
            "cargo",
            "categoria",
            "puesto",
            "especialidad",
            "profesion",
            "civilite",
            "statut",
        ],
    ),
    (
        "facility",
        &[
            "facility",
            "etablissement",
            "hopital",
            "site",
            "structure",
            "clinique",
            "centre",
            "centro",
            "hospital",
            "service",
            "services",
            "servicio",
            "unite",
            "unidad",
            "pole",
            "uf",
            "libelle",
            "libelle uf",
            "nom service",
            "nom site",
            "nom etablissement",
            "departement",
            "departamento",
            "institution",
        ],
    ),
    ("ids.RPPS", &["rpps", "adeli", "finess", "matricule", "colegiado", "numcol", "ncol"]),
];

fn look_up(table: &[(&'static str, &[&str])], title: &str) -> Option<&'static str> {
    let folded = fold(title);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let plain: Vec<&str> = words.filter(|w| !FILLERS.contains(w)).collect();
    let plain = plain.join(" ");
    table.iter().find(|(_, titles)| titles.contains(&plain.as_str())).map(|(key, _)| *key)
}

/// The key of a known identity that a French or Spanish title stands for.
pub(crate) fn person_key(title: &str) -> Option<&'static str> {
    look_up(PEOPLE, title)
}

/// The key of a directory of staff, sites and services that a title stands for.
pub(crate) fn directory_key(title: &str) -> Option<&'static str> {
    look_up(PLACES, title).or_else(|| match person_key(title)? {
        key @ ("family_name" | "second_family_name" | "birth_name" | "given_names" | "address.city"
        | "phones" | "emails") => Some(key),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn french_and_spanish_titles_are_understood() {
        for (title, key) in [
            ("IPP", "patient"),
            ("N° IPP", "patient"),
            ("Nom", "family_name"),
            ("NOM D'USAGE", "family_name"),
            ("Nom de naissance", "birth_name"),
            ("Prénom(s)", "given_names"),
            ("Date de naissance", "birth_date"),
            ("Né(e) le", "birth_date"),
            ("NHC", "patient"),
            ("Nº historia clínica", "patient"),
            ("Apellidos", "family_name"),
            ("Segundo apellido", "second_family_name"),
            ("Fecha de nacimiento", "birth_date"),
            ("Numéro de sécurité sociale", "ids.NIR"),
        ] {
            assert_eq!(person_key(title), Some(key), "{title}");
        }
        assert_eq!(person_key("Durand"), None);
        assert_eq!(directory_key("Établissement"), Some("facility"));
        assert_eq!(directory_key("given_name"), Some("given_names"));
        assert_eq!(directory_key("Date de naissance"), None);
    }
}
