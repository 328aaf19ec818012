//! HTTP: routes, extractors, answers.

pub mod accounts;
pub mod caller;
pub mod extract;
pub mod limits;
pub mod problem;
