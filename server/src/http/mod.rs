//! HTTP: routes, extractors, answers.

pub mod accounts;
mod admin;
mod analysis;
pub mod caller;
mod complaints;
pub mod cursor;
mod docs;
pub mod extract;
mod games;
pub mod limits;
mod lobby;
mod matches;
pub mod openapi;
mod page;
mod practice;
pub mod problem;
mod query;
mod receipts;
mod rematch;
pub mod router;
pub mod serve;
pub mod service;
mod socket;
pub mod staff;
mod tables;
mod wallet;
mod webhooks;
