//! P-4: what is known of a player's identity.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is known of a player's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Identity {
    /// Nothing.
    None,
    /// It is being looked at.
    Pending,
    /// It has been shown.
    Verified,
    /// It could not be shown.
    Refused,
}

impl Identity {
    /// The state as it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Pending => "pending",
            Self::Verified => "verified",
            Self::Refused => "refused",
        }
    }
}
