//! HTTP: routes, extractors, answers.

pub mod accounts;
pub mod caller;
mod docs;
pub mod extract;
mod games;
pub mod limits;
mod lobby;
mod matches;
pub mod openapi;
mod page;
pub mod problem;
mod query;
pub mod router;
pub mod serve;
pub mod service;
mod socket;
mod wallet;
