//! Ratings and the settlement that changes them.

use serde_json::{Value, json};
use sqlx::PgPool;
use stakeboard_server::ids::PlayerId;
use stakeboard_tests::{Client, Player, TestServer, server::start_match};

use crate::support::{check_books, end_in_draw, eventually, lanes, together};

const STAKE: i64 = 100;

/// Plays a match of a game that `loser` resigns.
async fn lose(client: &Client, loser: &Player, winner: &Player, game: &str) -> String {
    let id = start_match(client, loser, winner, &json!({"game": game, "stake": STAKE})).await;
    client.of(loser).post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    id
}

/// What a profile says of a player's game; null where it says nothing.
async fn game_of(client: &Client, player: PlayerId, game: &str) -> Value {
    let profile = client.get(&format!("/v1/players/{player}")).await.expect(200).body;
    let games = profile["games"].as_array().unwrap().clone();
    games.into_iter().find(|line| line["game"] == game).unwrap_or_default()
}

async fn count(pool: &PgPool, query: &'static str) -> i64 {
    sqlx::query_scalar(query).fetch_one(pool).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decided_match_moves_both_ratings_by_what_glicko_2_says_and_only_those_of_its_game() {
    let server = TestServer::start().await;
    let ((winner, client), (loser, _)) = (server.player(1_000).await, server.player(1_000).await);
    lose(&server.client(), &loser, &winner, "oware").await;
    // Two newcomers, 1500 with 350 each: v = 1/(g² / 4) with g = 0.6690, so 8.937; phi*² = 2.0148² + 0.06²;
    // phi'² = 1/(1/4.0630 + 1/8.937) = 2.7932, that is 290.3; mu' = 2.7932 × 0.6690 / 2 = 0.9343, that is 162.3 points.
    let won = game_of(&client, winner.id, "oware").await;
    let lost = game_of(&client, loser.id, "oware").await;
    for (line, rating, result) in [(&won, 1662, "won"), (&lost, 1338, "lost")] {
        assert_eq!(
            (&line["rating"], &line["deviation"], &line["provisional"]),
            (&json!(rating), &json!(290), &json!(true))
        );
        assert_eq!((&line["matches"], &line[result]), (&json!(1), &json!(1)), "{line}");
    }
    assert_eq!(game_of(&client, winner.id, "morris").await, Value::Null);
    lose(&server.client(), &winner, &loser, "morris").await;
    assert_eq!(game_of(&client, winner.id, "oware").await["rating"], 1662);
    assert_eq!(game_of(&client, winner.id, "morris").await["rating"], 1338);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draw_between_equals_moves_no_rating_and_makes_both_better_known() {
    let server = TestServer::start().await;
    let ((one, first), (two, second)) = (server.player(1_000).await, server.player(1_000).await);
    let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": STAKE})).await;
    end_in_draw(&id, &first, &second).await;
    for player in [&one, &two] {
        let line = game_of(&first, player.id, "oware").await;
        assert_eq!(
            (&line["rating"], &line["deviation"], &line["drawn"]),
            (&json!(1500), &json!(290), &json!(1)),
            "{line}"
        );
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_void_moves_no_rating_and_counts_as_no_result() {
    use stakeboard_server::role::Role;
    let server = TestServer::start().await;
    let ((one, client), (two, _)) = (server.player(1_000).await, server.player(1_000).await);
    let admin = server.registrar.with_roles(0, vec![Role::Admin]).await;
    lose(&server.client(), &one, &two, "oware").await;
    let before = [game_of(&client, one.id, "oware").await, game_of(&client, two.id, "oware").await];
    let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": STAKE})).await;
    let void = format!("/v1/admin/matches/{id}/void");
    server.client().of(&admin).post(&void, &json!({"reason": "the hall burns"})).await.expect(200);
    let after = [game_of(&client, one.id, "oware").await, game_of(&client, two.id, "oware").await];
    assert_eq!(before, after);
    assert_eq!(count(&server.registrar.pool, "select count(*) from rating_changes").await, 2);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_ends_at_once_rate_a_match_once() {
    let server = TestServer::start().await;
    for _ in 0..20 {
        let (id, players) = server.start_match(STAKE).await;
        let resign = format!("/v1/matches/{id}/resign");
        let clients = players.each_ref().map(|player| server.client().of(player));
        let acts = clients.map(|client| {
            let resign = resign.clone();
            async move { client.post_empty(&resign).await.status }
        });
        let mut told = together(acts.into_iter().collect()).await;
        told.sort_unstable();
        assert_eq!(told, [200, 409]);
    }
    assert_eq!(count(&server.registrar.pool, "select count(*) from rating_changes").await, 40);
    assert_eq!(count(&server.registrar.pool, "select count(*) from ratings where won + drawn + lost = 1").await, 40);
    server.stop().await;
}

/// A round of matches among a few players, decided and drawn, in all games, many at once.
#[tokio::test(flavor = "multi_thread")]
async fn results_and_changes_add_up_to_the_settled_matches_whatever_goes_on_at_once() {
    const ROUNDS: usize = 12;
    let server = TestServer::start().await;
    let mut pairs = Vec::new();
    for _ in 0..4 {
        pairs.push([server.registrar.player(10_000).await, server.registrar.player(10_000).await]);
    }
    lanes(4, |lane| {
        let [one, two] = pairs[usize::try_from(lane).unwrap()].clone();
        let client = server.client();
        async move {
            for round in 0..ROUNDS {
                let game = ["oware", "morris", "mu_torere"][round % 3];
                if round % 4 == 0 {
                    let terms = json!({"game": game, "stake": STAKE});
                    let id = start_match(&client, &one, &two, &terms).await;
                    end_in_draw(&id, &client.of(&one), &client.of(&two)).await;
                } else {
                    lose(&client, &one, &two, game).await;
                }
            }
        }
    })
    .await;

    let pool = &server.registrar.pool;
    let settled = count(pool, "select count(*) from settlements where outcome <> 'void'").await;
    assert_eq!(settled, i64::try_from(4 * ROUNDS).unwrap());
    assert_eq!(count(pool, "select count(*) from rating_changes").await, 2 * settled);
    assert_eq!(count(pool, "select coalesce(sum(won + drawn + lost), 0)::bigint from ratings").await, 2 * settled);
    assert_eq!(count(pool, "select (sum(won) - sum(lost))::bigint from ratings").await, 0);
    // Each change begins where the one before it ended, and the last one is what counts.
    let broken = count(
        pool,
        "select count(*) from rating_changes c
         left join rating_changes b on b.player_id = c.player_id and b.game = c.game and b.number = c.number - 1
         where c.rating_before <> coalesce(b.rating, 1500) or c.deviation_before < coalesce(b.deviation, 350)
             or (b.player_id is null) <> (c.number = 1)",
    )
    .await;
    assert_eq!(broken, 0);
    let stale = count(
        pool,
        "select count(*) from ratings r where not exists (
             select from rating_changes c where c.player_id = r.player_id and c.game = r.game
                 and c.number = r.won + r.drawn + r.lost and c.rating = r.rating and c.rated_at = r.rated_at)",
    )
    .await;
    assert_eq!(stale, 0);
    check_books(&server.registrar, 8 * 10_000).await;
    server.stop().await;
}

/// Another settlement of the same player's is under way: this one waits, and starts from what it led to.
#[tokio::test(flavor = "multi_thread")]
async fn a_rating_that_changed_since_it_was_read_is_read_again() {
    let server = TestServer::start().await;
    let ((one, client), (two, _)) = (server.player(1_000).await, server.player(1_000).await);
    let elsewhere = lose(&server.client(), &one, &two, "morris").await;
    sqlx::query("truncate ratings").execute(&mut server.database.as_owner().await).await.unwrap();
    let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": STAKE})).await;

    let mut other = server.database.as_owner().await;
    let mut other = sqlx::Connection::begin(&mut other).await.unwrap();
    sqlx::query("alter table rating_changes disable trigger rating_changes_append_only")
        .execute(&mut *other)
        .await
        .unwrap();
    sqlx::query(
        "update rating_changes set game = 'oware', number = 1, rating = 2000, deviation = 50
         where player_id = $1 and match_id = $2::uuid",
    )
    .bind(one.id.0)
    .bind(&elsewhere)
    .execute(&mut *other)
    .await
    .unwrap();
    sqlx::query(
        "insert into ratings (player_id, game, rating, deviation, volatility, won, rated_at)
         values ($1, 'oware', 2000, 50, 0.06, 1, now())",
    )
    .bind(one.id.0)
    .execute(&mut *other)
    .await
    .unwrap();
    let resigned = tokio::spawn({
        let client = client.clone();
        async move { client.post_empty(&format!("/v1/matches/{id}/resign")).await }
    });
    eventually("the settlement waits for the other", async || {
        count(&server.registrar.pool, "select count(*) from pg_stat_activity where wait_event_type = 'Lock'").await > 0
    })
    .await;
    other.commit().await.unwrap();
    resigned.await.unwrap().expect(200);

    let line = game_of(&client, one.id, "oware").await;
    assert_eq!((&line["matches"], &line["won"], &line["lost"]), (&json!(2), &json!(1), &json!(1)));
    // From 2000, known within 50, a loss to a newcomer costs some points and no more.
    let rating = line["rating"].as_i64().unwrap();
    assert!((1950..2000).contains(&rating), "{line}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_role_can_not_rewrite_how_a_rating_came_about() {
    let server = TestServer::start().await;
    let ((one, _), (two, _)) = (server.player(1_000).await, server.player(1_000).await);
    lose(&server.client(), &one, &two, "oware").await;
    for attempt in ["update rating_changes set rating = 3000", "delete from rating_changes", "delete from ratings"] {
        let refused = sqlx::query(attempt).execute(&server.registrar.pool).await.unwrap_err();
        let code = refused.as_database_error().and_then(|error| error.code().map(std::borrow::Cow::into_owned));
        assert_eq!(code.as_deref(), Some("42501"), "{attempt}");
    }
    let mut owner = server.database.as_owner().await;
    sqlx::query("update rating_changes set rating = 3000").execute(&mut owner).await.unwrap_err();
    server.stop().await;
}
