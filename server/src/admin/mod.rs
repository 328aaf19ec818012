//! What the staff does: each act is written to the audit log in the transaction that carries it out.

pub mod audit;
pub mod withdrawals;
