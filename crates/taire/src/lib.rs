//! The facade: policy, pipeline, report.
