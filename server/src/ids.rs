//! Identifiers: newtypes over UUIDs of version 7, so that one kind is never taken for another.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type, ToSchema,
        )]
        #[serde(transparent)]
        #[sqlx(transparent)]
        #[schema(value_type = Uuid)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new identifier; later ones sort after earlier ones, to the millisecond.
            pub fn generate() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

identifier!(
    /// A player: account or guest.
    PlayerId
);
identifier!(
    /// One log-in and all the tokens that descend from it.
    SessionId
);
identifier!(
    /// A match between two players.
    MatchId
);
identifier!(
    /// An open offer to play, in the lobby.
    SeekId
);
identifier!(
    /// One server process, from its start to its end.
    NodeId
);
identifier!(
    /// A player's request to put money in.
    DepositId
);
identifier!(
    /// A player's request to be paid out.
    WithdrawalId
);
identifier!(
    /// An account of the ledger.
    AccountId
);
identifier!(
    /// One movement of money between two accounts.
    TransferId
);
identifier!(
    /// A practice session against a bot.
    PracticeId
);
identifier!(
    /// A run of games of Mū tōrere.
    StreakId
);

/// How many bytes of a node's identifier are in that of what only this node has.
const TAG: usize = 4;

impl NodeId {
    /// The last bytes of it, which are chance.
    pub fn tag(&self) -> [u8; TAG] {
        let [.., a, b, c, d] = self.0.into_bytes();
        [a, b, c, d]
    }
}

impl PracticeId {
    /// A new identifier that says which node has the session.
    pub fn generate_at(node: NodeId) -> Self {
        let mut bytes = Uuid::now_v7().into_bytes();
        bytes[16 - TAG..].copy_from_slice(&node.tag());
        Self(Uuid::from_bytes(bytes))
    }

    /// Whether this node has the session, if any has.
    pub fn is_at(&self, node: &NodeId) -> bool {
        self.0.as_bytes().ends_with(&node.tag())
    }
}
