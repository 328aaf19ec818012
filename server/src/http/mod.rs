//! HTTP: routes, extractors, answers.

pub mod extract;
pub mod problem;
