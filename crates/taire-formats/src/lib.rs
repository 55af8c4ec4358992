//! Documents in and out, one file per format.
