//! The answer to a call that failed: a status, a code it has a sentence for in each language, and a
//! sentence for programs. Never a word of a document.

use crate::Error;

/// A call that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Problem {
    fn new(status: u16, code: &'static str, message: impl Into<String>) -> Problem {
        Problem { status, code, message: message.into() }
    }

    pub(crate) fn bad(message: impl Into<String>) -> Problem {
        Problem::new(400, "bad_request", message)
    }

    pub(crate) fn no_token() -> Problem {
        Problem::new(
            401,
            "no_token",
            "open the address that `taire review` printed; it holds the token of this run",
        )
    }

    pub(crate) fn elsewhere() -> Problem {
        Problem::new(403, "elsewhere", "this page answers to itself on this machine only")
    }

    pub(crate) fn nothing_there() -> Problem {
        Problem::new(404, "nothing_there", "there is no such document or call")
    }

    /// The document was changed since the caller saw it.
    pub(crate) fn stale() -> Problem {
        Problem::new(
            409,
            "stale",
            "this document was changed elsewhere since it was shown; nothing was changed now",
        )
    }

    pub(crate) fn unread() -> Problem {
        Problem::new(409, "unread", "this document has not been read yet; wait a moment")
    }

    pub(crate) fn too_large() -> Problem {
        Problem::new(413, "too_large", "this request is larger than a correction can be")
    }

    /// A correction that cannot be made, and why.
    pub(crate) fn cannot(code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(422, code, message)
    }

    pub(crate) fn busy(code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(503, code, message)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Problem::new(500, "fault", error.to_string())
    }
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        Error::from(error).into()
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Error::from(error).into()
    }
}
