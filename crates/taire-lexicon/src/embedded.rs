//! The files of `data/`, in the binary.

use taire_text::Language;

pub(crate) struct Data {
    pub(crate) words: &'static [u8],
    pub(crate) town_names: &'static [u8],
    pub(crate) town_index: &'static [u8],
    pub(crate) towns: &'static [u8],
    pub(crate) places: &'static [u8],
    pub(crate) facilities: &'static [u8],
    pub(crate) medicine: &'static [u8],
    pub(crate) pools: &'static str,
}

macro_rules! data {
    ($key:literal) => {
        Data {
            words: include_bytes!(concat!("../data/words-", $key, ".fst")),
            town_names: include_bytes!(concat!("../data/town-names-", $key, ".fst")),
            town_index: include_bytes!(concat!("../data/town-index-", $key, ".bin")),
            towns: include_bytes!(concat!("../data/towns-", $key, ".bin")),
            places: include_bytes!(concat!("../data/places-", $key, ".fst")),
            facilities: include_bytes!(concat!("../data/facilities-", $key, ".fst")),
            medicine: include_bytes!(concat!("../data/medicine-", $key, ".fst")),
            pools: include_str!(concat!("../data/pools-", $key, ".txt")),
        }
    };
}

pub(crate) fn data_of_language(language: Language) -> &'static Data {
    static FR: Data = data!("fr");
    static ES: Data = data!("es");
    match language {
        Language::Fr => &FR,
        Language::Es => &ES,
    }
}
