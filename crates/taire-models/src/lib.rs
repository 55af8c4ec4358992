//! Learned detectors: features, the linear-chain CRF and its training.
