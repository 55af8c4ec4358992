//! Departments of France and provinces of Spain by code, their regions, and the countries drawn for foreign ones.

use taire_text::Language;

#[rustfmt::skip]
pub(crate) const DEPARTMENTS: &[(&str, &str)] = &[
    ("01", "Ain"), ("02", "Aisne"), ("03", "Allier"), ("04", "Alpes-de-Haute-Provence"), ("05", "Hautes-Alpes"),
    ("06", "Alpes-Maritimes"), ("07", "Ardèche"), ("08", "Ardennes"), ("09", "Ariège"), ("10", "Aube"), ("11", "Aude"),
    ("12", "Aveyron"), ("13", "Bouches-du-Rhône"), ("14", "Calvados"), ("15", "Cantal"), ("16", "Charente"),
    ("17", "Charente-Maritime"), ("18", "Cher"), ("19", "Corrèze"), ("21", "Côte-d'Or"), ("22", "Côtes-d'Armor"),
    ("23", "Creuse"), ("24", "Dordogne"), ("25", "Doubs"), ("26", "Drôme"), ("27", "Eure"), ("28", "Eure-et-Loir"),
    ("29", "Finistère"), ("2A", "Corse-du-Sud"), ("2B", "Haute-Corse"), ("30", "Gard"), ("31", "Haute-Garonne"),
    ("32", "Gers"), ("33", "Gironde"), ("34", "Hérault"), ("35", "Ille-et-Vilaine"), ("36", "Indre"),
    ("37", "Indre-et-Loire"), ("38", "Isère"), ("39", "Jura"), ("40", "Landes"), ("41", "Loir-et-Cher"), ("42", "Loire"),
    ("43", "Haute-Loire"), ("44", "Loire-Atlantique"), ("45", "Loiret"), ("46", "Lot"), ("47", "Lot-et-Garonne"),
    ("48", "Lozère"), ("49", "Maine-et-Loire"), ("50", "Manche"), ("51", "Marne"), ("52", "Haute-Marne"),
    ("53", "Mayenne"), ("54", "Meurthe-et-Moselle"), ("55", "Meuse"), ("56", "Morbihan"), ("57", "Moselle"),
    ("58", "Nièvre"), ("59", "Nord"), ("60", "Oise"), ("61", "Orne"), ("62", "Pas-de-Calais"), ("63", "Puy-de-Dôme"),
    ("64", "Pyrénées-Atlantiques"), ("65", "Hautes-Pyrénées"), ("66", "Pyrénées-Orientales"), ("67", "Bas-Rhin"),
    ("68", "Haut-Rhin"), ("69", "Rhône"), ("70", "Haute-Saône"), ("71", "Saône-et-Loire"), ("72", "Sarthe"),
    ("73", "Savoie"), ("74", "Haute-Savoie"), ("75", "Paris"), ("76", "Seine-Maritime"), ("77", "Seine-et-Marne"),
    ("78", "Yvelines"), ("79", "Deux-Sèvres"), ("80", "Somme"), ("81", "Tarn"), ("82", "Tarn-et-Garonne"), ("83", "Var"),
    ("84", "Vaucluse"), ("85", "Vendée"), ("86", "Vienne"), ("87", "Haute-Vienne"), ("88", "Vosges"), ("89", "Yonne"),
    ("90", "Territoire de Belfort"), ("91", "Essonne"), ("92", "Hauts-de-Seine"), ("93", "Seine-Saint-Denis"),
    ("94", "Val-de-Marne"), ("95", "Val-d'Oise"), ("971", "Guadeloupe"), ("972", "Martinique"), ("973", "Guyane"),
    ("974", "La Réunion"), ("976", "Mayotte"),
];

#[rustfmt::skip]
pub(crate) const PROVINCES: &[(&str, &str)] = &[
    ("01", "Álava"), ("02", "Albacete"), ("03", "Alicante"), ("04", "Almería"), ("05", "Ávila"), ("06", "Badajoz"),
    ("07", "Baleares"), ("08", "Barcelona"), ("09", "Burgos"), ("10", "Cáceres"), ("11", "Cádiz"), ("12", "Castellón"),
    ("13", "Ciudad Real"), ("14", "Córdoba"), ("15", "A Coruña"), ("16", "Cuenca"), ("17", "Girona"), ("18", "Granada"),
    ("19", "Guadalajara"), ("20", "Guipúzcoa"), ("21", "Huelva"), ("22", "Huesca"), ("23", "Jaén"), ("24", "León"),
    ("25", "Lleida"), ("26", "La Rioja"), ("27", "Lugo"), ("28", "Madrid"), ("29", "Málaga"), ("30", "Murcia"),
    ("31", "Navarra"), ("32", "Ourense"), ("33", "Asturias"), ("34", "Palencia"), ("35", "Las Palmas"),
    ("36", "Pontevedra"), ("37", "Salamanca"), ("38", "Santa Cruz de Tenerife"), ("39", "Cantabria"), ("40", "Segovia"),
    ("41", "Sevilla"), ("42", "Soria"), ("43", "Tarragona"), ("44", "Teruel"), ("45", "Toledo"), ("46", "Valencia"),
    ("47", "Valladolid"), ("48", "Vizcaya"), ("49", "Zamora"), ("50", "Zaragoza"), ("51", "Ceuta"), ("52", "Melilla"),
];

pub(crate) fn names(language: Language) -> &'static [(&'static str, &'static str)] {
    match language {
        Language::Fr => DEPARTMENTS,
        Language::Es => PROVINCES,
    }
}

/// Regions of France by the code of INSEE.
#[rustfmt::skip]
const FRENCH_REGIONS: &[(&str, &str)] = &[
    ("01", "Guadeloupe"), ("02", "Martinique"), ("03", "Guyane"), ("04", "La Réunion"), ("06", "Mayotte"),
    ("11", "Île-de-France"), ("24", "Centre-Val de Loire"), ("27", "Bourgogne-Franche-Comté"), ("28", "Normandie"),
    ("32", "Hauts-de-France"), ("44", "Grand Est"), ("52", "Pays de la Loire"), ("53", "Bretagne"),
    ("75", "Nouvelle-Aquitaine"), ("76", "Occitanie"), ("84", "Auvergne-Rhône-Alpes"),
    ("93", "Provence-Alpes-Côte d'Azur"), ("94", "Corse"),
];

/// Autonomous communities of Spain by the code of INE.
#[rustfmt::skip]
const SPANISH_REGIONS: &[(&str, &str)] = &[
    ("01", "Andalucía"), ("02", "Aragón"), ("03", "Asturias"), ("04", "Baleares"), ("05", "Canarias"), ("06", "Cantabria"),
    ("07", "Castilla y León"), ("08", "Castilla-La Mancha"), ("09", "Cataluña"), ("10", "Comunidad Valenciana"),
    ("11", "Extremadura"), ("12", "Galicia"), ("13", "Comunidad de Madrid"), ("14", "Región de Murcia"), ("15", "Navarra"),
    ("16", "País Vasco"), ("17", "La Rioja"), ("18", "Ceuta"), ("19", "Melilla"),
];

pub(crate) fn regions(language: Language) -> &'static [(&'static str, &'static str)] {
    match language {
        Language::Fr => FRENCH_REGIONS,
        Language::Es => SPANISH_REGIONS,
    }
}

/// Regions that are one area for drawing, because alone they have too few departments to hide in: with two, each could only
/// be itself or the other. Every other region is an area of its own.
const FRENCH_AREAS: &[&[&str]] =
    &[&["93", "94"], &["01", "02", "03", "04", "06", "975", "977", "978", "986", "987", "988", "989"]];
const SPANISH_AREAS: &[&[&str]] = &[
    &["03", "06", "15", "16", "17"],
    &["04", "10", "14"],
    &["02", "09"],
    &["08", "11", "13"],
    &["01", "05", "18", "19"],
];

/// The regions of the area a region belongs to, if there are several.
pub(crate) fn joined(region: &str, language: Language) -> Option<&'static [&'static str]> {
    let areas = match language {
        Language::Fr => FRENCH_AREAS,
        Language::Es => SPANISH_AREAS,
    };
    areas.iter().copied().find(|area| area.contains(&region))
}

/// Feminine ones end in `e`: "en Italie", "au Maroc".
#[rustfmt::skip]
const FRENCH_COUNTRIES: &[&str] = &[
    "Allemagne", "Algérie", "Argentine", "Belgique", "Bulgarie", "Espagne", "Grèce", "Hongrie", "Inde", "Irlande",
    "Italie", "Pologne", "Roumanie", "Suisse", "Tunisie", "Turquie", "Brésil", "Cameroun", "Canada", "Chili", "Gabon",
    "Japon", "Liban", "Mali", "Maroc", "Pérou", "Portugal", "Sénégal", "Togo", "Vietnam",
];
#[rustfmt::skip]
const SPANISH_COUNTRIES: &[&str] = &[
    "Alemania", "Argentina", "Bélgica", "Bolivia", "Bulgaria", "Chile", "Colombia", "Cuba", "Ecuador", "Francia", "Grecia",
    "Honduras", "Hungría", "Irlanda", "Italia", "Marruecos", "Paraguay", "Perú", "Polonia", "Portugal", "Rumanía",
    "Senegal", "Suiza", "Uruguay", "Venezuela",
];

/// Countries a foreign one may become, those of its grammar only.
pub(crate) fn countries(original: &str, language: Language) -> Vec<&'static str> {
    match language {
        Language::Es => SPANISH_COUNTRIES.to_vec(),
        Language::Fr => {
            let feminine = original.trim_end().to_lowercase().ends_with('e');
            FRENCH_COUNTRIES.iter().copied().filter(|c| c.ends_with('e') == feminine).collect()
        }
    }
}

/// The country documents of a language are written in: naming it tells nothing.
pub(crate) fn is_home(folded: &str, language: Language) -> bool {
    match language {
        Language::Fr => folded == "france",
        Language::Es => folded == "espana",
    }
}
