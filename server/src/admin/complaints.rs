//! O-4: what players say of a match they played.

use serde::Serialize;
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    admin::Office,
    audit::{self, Act, Action},
    clock::rfc3339_ms,
    db,
    ids::{MatchId, PlayerId},
};

/// What a player says of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Complaint {
    /// The complaint.
    pub id: Uuid,
    /// The match.
    pub match_id: MatchId,
    /// Who complains.
    pub player: PlayerId,
    /// Whom they played.
    pub rival: PlayerId,
    /// What they say.
    pub text: String,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub at: OffsetDateTime,
}

/// Why a complaint is not taken.
#[derive(Debug, thiserror::Error)]
pub enum ComplainError {
    /// There is no such match.
    #[error("there is no such match")]
    NotFound,
    /// Only its players can complain of it.
    #[error("the caller did not play it")]
    NotAPlayer,
    /// Once is enough.
    #[error("the caller has complained of it")]
    Again,
    /// The database's own.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl From<sqlx::Error> for ComplainError {
    fn from(error: sqlx::Error) -> Self {
        match db::constraint(&error) {
            Some("complaints_once") => Self::Again,
            _ => Self::Database(error),
        }
    }
}

/// Which complaints are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComplaintFilter {
    /// Only of this match.
    pub match_id: Option<MatchId>,
    /// Only by this player or of a match of theirs.
    pub player: Option<PlayerId>,
    /// Only those from before this one.
    pub before: Option<Uuid>,
    /// At most this many.
    pub limit: i64,
}

/// Takes down what a player says of a match. One statement: nothing to be cut in half.
pub async fn complain(
    pool: &PgPool,
    player: PlayerId,
    match_id: MatchId,
    text: &str,
) -> Result<Complaint, ComplainError> {
    let seats = sqlx::query!(
        r#"select first_player as "first: PlayerId", second_player as "second: PlayerId" from matches where id = $1"#,
        match_id.0
    )
    .fetch_optional(pool)
    .await?
    .ok_or(ComplainError::NotFound)?;
    let rival = if seats.first == player {
        seats.second
    } else if seats.second == player {
        seats.first
    } else {
        return Err(ComplainError::NotAPlayer);
    };
    let id = Uuid::now_v7();
    let at = sqlx::query_scalar!(
        "insert into complaints (id, match_id, player_id, text) values ($1, $2, $3, $4) returning at",
        id,
        match_id.0,
        player.0,
        text
    )
    .fetch_one(pool)
    .await?;
    Ok(Complaint { id, match_id, player, rival, text: text.to_owned(), at })
}

impl Office {
    /// Complaints, newest first. The look is in the audit log before the answer is given.
    pub async fn complaints(&self, actor: PlayerId, filter: &ComplaintFilter) -> Result<Vec<Complaint>, sqlx::Error> {
        let act = Act {
            actor: Some(actor),
            player: filter.player,
            subject: filter.match_id.map(|id| format!("match:{id}")),
            ..Act::new(Action::ComplaintsRead)
        };
        audit::record(&self.pool, act).await?;
        sqlx::query_as!(
            Complaint,
            r#"select c.id, c.match_id as "match_id: MatchId", c.player_id as "player: PlayerId",
                      case when m.first_player = c.player_id then m.second_player else m.first_player end
                          as "rival!: PlayerId",
                      c.text, c.at
               from complaints c join matches m on m.id = c.match_id
               where ($1::uuid is null or c.match_id = $1)
                   and ($2::uuid is null or m.first_player = $2 or m.second_player = $2)
                   and ($3::uuid is null or c.id < $3)
               order by c.id desc limit $4"#,
            filter.match_id.map(|id| id.0),
            filter.player.map(|id| id.0),
            filter.before,
            filter.limit
        )
        .fetch_all(&self.pool)
        .await
    }
}
