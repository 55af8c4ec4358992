//! What a word may be, and sets of such roles.

/// The sex a given name or a title points to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Gender {
    Female,
    Male,
}

/// A word of a number in letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// Adds its value.
    Value(u16),
    Hundred,
    Thousand,
    And,
}

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident $key:literal),+ $(,)?) => {
        /// What a word says of itself or of the words beside it. The data files write each role by its [`key`](WordRole::key).
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum WordRole { $($(#[$doc])* $name),+ }

        impl WordRole {
            pub const ALL: &'static [WordRole] = &[$(WordRole::$name),+];

            /// The name of the role in the data files.
            pub fn key(self) -> &'static str {
                match self { $(WordRole::$name => $key),+ }
            }
        }
    };
}

roles! {
    // The classes that are written into the facts of a token, in the order that trained models know them by. A word has one
    // of them: the first of its row.
    /// Madame, Sra.: a woman's name follows.
    TitleFemale "title-female",
    /// Monsieur, Sr.: a man's name follows.
    TitleMale "title-male",
    /// Docteur, Professeur, Dr: a caregiver's name follows.
    TitleCaregiver "title-caregiver",
    /// Doctora, professeure: a woman who cares.
    TitleCaregiverFemale "title-caregiver-female",
    /// interne, chirurgien: a name may follow.
    RoleWord "role-word",
    /// patient, enfant: the patient's name may follow.
    PatientWord "patient-word",
    /// père, épouse, hijo.
    Kinship "kinship",
    /// femme, homme, varón.
    SexWord "sex-word",
    /// de, le, van, del: detectors cross it inside a name.
    Particle "particle",
    /// hôpital, clinique, CHU.
    HospitalHead "hospital-head",
    /// cabinet, EHPAD, ambulatorio.
    HealthCentreHead "health-centre-head",
    /// centre, maison, centro: a facility if the next word says which.
    CentreHead "centre-head",
    /// université, société, colegio.
    InstitutionHead "institution-head",
    /// maladie, syndrome, score: an eponym follows.
    EponymHead "eponym-head",
    /// habite, domicilié, natural: a town follows.
    PlaceVerb "place-verb",
    /// à, en, vers: a place may follow.
    PlacePreposition "place-preposition",
    /// né, née, nacido: a birth date or place follows.
    Born "born",
    /// raza, nacionalidad, profesión: a detail of the person follows.
    DetailHead "detail-head",
    /// soltera, homosexual: a detail by itself.
    DetailWord "detail-word",

    /// A particle that surrogates keep as it is: `von` of `von Windeck`. The others (`Saint`, `Mac`) go with their name.
    KeptParticle "kept-particle",
    /// Announces a name wherever it occurs.
    TitleAnywhere "title-anywhere",
    /// Announces a name, but may be an initial or an ordinary word: `M`, `interne`.
    TitleLoose "title-loose",
    /// The person so called cares for the patient.
    CaregiverTitle "caregiver-title",
    /// The person so called may be the patient.
    CivilTitle "civil-title",
    /// Stays as it is where it ran into a name that is replaced.
    KeptTitle "kept-title",
    /// Passed over when the sex of a person is looked for before the name: `Madame le Docteur`.
    SexSkip "sex-skip",
    /// A frequent word of this language alone, which tells a text's language.
    FunctionWord "function-word",
    /// An office after "Monsieur le": Président, Directrice.
    Office "office",
    /// A short form of a given name that no register lists.
    Nickname "nickname",
    /// Stands after a name, or where one is expected, and is none.
    NoName "no-name",

    /// May come before a day: `le`, `du`, `el`, `né`.
    CueDay "cue-day",
    /// Names a year: `année`, `año`.
    CueYear "cue-year",
    /// May come before a month or a year: `en`, `depuis`, `desde`.
    CuePeriod "cue-period",
    /// The start of a month or a year: `début`.
    ThirdStart "third-start",
    ThirdMiddle "third-middle",
    ThirdEnd "third-end",
    /// Begins a year in letters: `mille`, `mil`.
    Thousand "thousand",
    /// The date behind is that of a text of law.
    Law "law",
    /// The date behind belongs to the name of a street or a building.
    DatePlace "date-place",
    /// A unit or a measure, without one plural `s`: the number before is no part of a date.
    Unit "unit",

    /// Somebody whose age may follow.
    Person "person",
    /// `âgé`, `edad`.
    Aged "aged",
    /// `hace`.
    Ago "ago",
    /// `depuis`, `desde`.
    Since "since",
    /// `dans`, `dentro`.
    InTime "in-time",
    /// `pendant`, `durante`: a duration follows.
    During "during",
    Of "of",
    At "at",
    /// `tiene`, `avait`.
    Has "has",
    /// An article before a number.
    DateArticle "date-article",
    /// `environ`, `unos`.
    About "about",

    /// What somebody did to a document: initials or a login follow (`saisi par`, `revisado por`).
    SignedKey "signed-key",
    /// `par`, `por` between such a word and who did it.
    SignedBy "signed-by",
    /// The name of an account follows.
    AccountKey "account-key",
    /// A measure, an act or a profession that rows of a log begin with: no initials.
    RowMeasure "row-measure",
    /// Zero as it is dictated.
    SpokenZero "spoken-zero",
    /// The at sign as it is dictated.
    SpokenAt "spoken-at",
    /// A point or a dash of an address as it is dictated.
    SpokenPoint "spoken-point",
}

impl WordRole {
    /// How many roles are classes written into the facts of a token.
    pub const CLASSES: usize = WordRole::DetailWord as usize + 1;

    /// The role of a key of the data files.
    pub(crate) fn from_key(key: &str) -> Option<WordRole> {
        WordRole::ALL.iter().copied().find(|role| role.key() == key)
    }

    pub(crate) fn is_class(self) -> bool {
        (self as usize) < WordRole::CLASSES
    }
}

const _: () = assert!(WordRole::ALL.len() <= 64, "roles are bits of 64");

/// A set of roles.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WordRoles(u64);

impl WordRoles {
    #[inline]
    pub fn has(self, role: WordRole) -> bool {
        self.0 & (1 << role as u32) != 0
    }

    /// Whether the word is a title of one of the four classes.
    #[inline]
    pub fn is_title(self) -> bool {
        use WordRole::*;
        [TitleFemale, TitleMale, TitleCaregiver, TitleCaregiverFemale].into_iter().any(|role| self.has(role))
    }

    pub fn iter(self) -> impl Iterator<Item = WordRole> {
        WordRole::ALL.iter().copied().filter(move |&role| self.has(role))
    }

    pub(crate) fn insert(&mut self, role: WordRole) {
        self.0 |= 1 << role as u32;
    }

    pub(crate) fn union(self, other: WordRoles) -> WordRoles {
        WordRoles(self.0 | other.0)
    }
}
