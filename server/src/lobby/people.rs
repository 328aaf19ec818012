//! Who is there: players with a socket open, as others see them.

use std::collections::HashMap;

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    ids::PlayerId,
    lobby::Lobby,
    ratings::{self, GameRating},
};

/// Somebody who is there. What they do beyond playing is their own: what they watch, wait for or stake is not told.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OnlinePlayer {
    /// Who.
    pub id: PlayerId,
    /// What they are called.
    pub display_name: String,
    /// Whether this is a guest.
    pub guest: bool,
    /// Whether they are in a match now.
    pub playing: bool,
    /// How strong they are in each game they have played for a stake.
    pub ratings: Vec<GameRating>,
}

impl Lobby {
    /// Players with a socket open, in the order in which they first came; those after one of them where it is given.
    pub async fn online(&self, after: Option<PlayerId>, limit: usize) -> Result<Vec<OnlinePlayer>, sqlx::Error> {
        let online = self.0.connections.online();
        let page: Vec<PlayerId> =
            online.into_iter().filter(|player| after.is_none_or(|after| *player > after)).take(limit).collect();
        let ids: Vec<_> = page.iter().map(|player| player.0).collect();
        let rows = sqlx::query!(
            r#"select id as "id: PlayerId", display_name, guest, exists (
                   select from matches
                   where status = 'live' and (first_player = players.id or second_player = players.id)
               ) as "playing!"
               from players where id = any($1) and deleted_at is null order by id"#,
            &ids
        )
        .fetch_all(&self.0.pool)
        .await?;
        let mut ratings = self.ratings_of(&page, self.0.clock.wall()).await?;
        let players = rows.into_iter().map(|row| OnlinePlayer {
            id: row.id,
            display_name: row.display_name,
            guest: row.guest,
            playing: row.playing,
            ratings: ratings.remove(&row.id).unwrap_or_default(),
        });
        Ok(players.collect())
    }

    async fn ratings_of(
        &self,
        players: &[PlayerId],
        now: OffsetDateTime,
    ) -> Result<HashMap<PlayerId, Vec<GameRating>>, sqlx::Error> {
        let mut ratings: HashMap<PlayerId, Vec<GameRating>> = HashMap::new();
        for (player, rating) in ratings::of_all(&self.0.pool, players, now).await? {
            ratings.entry(player).or_default().push(rating);
        }
        Ok(ratings)
    }
}
