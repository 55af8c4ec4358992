//! Measuring: scores against gold.
