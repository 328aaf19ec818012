//! What an account may do beyond playing.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A role of the staff. Players have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything.
    Admin,
    /// Reviews withdrawals.
    Cashier,
    /// Reads, changes nothing.
    Auditor,
}

impl Role {
    /// Every role.
    pub const ALL: &[Self] = &[Self::Admin, Self::Cashier, Self::Auditor];

    /// The role as it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Cashier => "cashier",
            Self::Auditor => "auditor",
        }
    }

    /// The roles of a row. A text that is none of ours grants nothing.
    pub fn from_texts(texts: &[String]) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|role| texts.iter().any(|text| text == role.as_str())).collect()
    }
}
