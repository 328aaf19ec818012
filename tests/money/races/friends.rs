//! Races between the ways to be paired: a seek accepted, a table joined, a rematch agreed to. Whatever meets, one match
//! comes of it, and the loser is told by name.

use serde_json::json;
use stakeboard_tests::{Answer, Client, Player, Registrar, TestServer, server::start_match};

use super::ROUNDS;
use crate::support::{accept, available, check_books, end_in_draw, lanes, open_table, post_seek, text, together};

const STAKE: i64 = 500;
const LANES: u64 = 4;

/// A way to be paired: what somebody posts, and somebody else takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Seek,
    Table,
    Rematch,
}

/// Something that can be taken: the path and the body that take it.
#[derive(Clone, Debug)]
struct Posting {
    way: Way,
    name: String,
}

impl Way {
    /// How whoever takes it is told that somebody was faster.
    fn lost(self) -> &'static str {
        match self {
            Self::Seek => "seek_gone",
            Self::Table => "host_playing",
            Self::Rematch => "rematch_gone",
        }
    }

    /// How a taker is told who is in a match by now themselves. A pairing has withdrawn what was proposed to them.
    fn busy(self) -> &'static str {
        match self {
            Self::Seek | Self::Table => "already_playing",
            Self::Rematch => "rematch_gone",
        }
    }

    /// What has to be there before: the match that is to be played again.
    async fn ground(self, client: &Client, poster: &(Player, Client), taker: &(Player, Client)) -> Option<String> {
        if self != Self::Rematch {
            return None;
        }
        let terms = json!({"game": "oware", "stake": STAKE});
        let id = start_match(client, &poster.0, &taker.0, &terms).await;
        end_in_draw(&id, &poster.1, &taker.1).await;
        Some(id)
    }

    async fn post(self, poster: &Client, ground: Option<String>) -> Posting {
        let name = match self {
            Self::Seek => post_seek(poster, STAKE).await,
            Self::Table => open_table(poster, STAKE).await,
            Self::Rematch => {
                let id = ground.unwrap();
                rematch(poster, &id, "propose").await.expect(200);
                id
            }
        };
        Posting { way: self, name }
    }
}

impl Posting {
    async fn take(self, taker: Client) -> Answer {
        match self.way {
            Way::Seek => accept(&taker, &self.name, STAKE).await,
            Way::Table => taker.post_once(&format!("/v1/tables/{}/join", self.name), &json!({"stake": STAKE})).await,
            Way::Rematch => rematch(&taker, &self.name, "accept").await,
        }
    }

    /// What a round leaves of it.
    async fn clear(&self, poster: &Client) {
        if self.way == Way::Table {
            poster.delete(&format!("/v1/tables/{}", self.name)).await;
        }
    }
}

async fn rematch(client: &Client, id: &str, action: &str) -> Answer {
    client.post(&format!("/v1/matches/{id}/rematch"), &json!({"action": action})).await
}

fn made(answer: &Answer) -> bool {
    (200..300).contains(&answer.status)
}

/// The live staked match of a player.
async fn live(registrar: &Registrar, player: &Player) -> Option<String> {
    sqlx::query_scalar("select match_id::text from live_stakes where player_id = $1")
        .bind(player.id.0)
        .fetch_optional(&registrar.pool)
        .await
        .unwrap()
}

/// Three players with one stake each: a match of two of them leaves the third with theirs.
async fn trios(server: &TestServer) -> Vec<[(Player, Client); 3]> {
    let mut trios = Vec::new();
    for _ in 0..LANES {
        trios.push([server.player(STAKE).await, server.player(STAKE).await, server.player(STAKE).await]);
    }
    trios
}

/// One match was made, of the middle player and who was faster; it is ended so that everybody has their stake again.
async fn one_match(registrar: &Registrar, trio: &[(Player, Client); 3], with: usize) {
    let [(middle, client), ..] = trio;
    let id = live(registrar, middle).await.expect("the middle is in a match");
    assert_eq!(live(registrar, &trio[with].0).await.as_ref(), Some(&id));
    assert_eq!(live(registrar, &trio[3 - with].0).await, None, "nobody else is");
    let mut expected = [0, STAKE, STAKE];
    expected[with] = 0;
    let players = trio.each_ref().map(|(player, _)| player);
    assert_eq!(available(&registrar.pool, &players).await, expected);
    end_in_draw(&id, client, &trio[with].1).await;
    assert_eq!(available(&registrar.pool, &players).await, [STAKE; 3]);
}

/// Two takers at once for what one player has posted, in every other round; in the others that player takes something
/// at the moment at which somebody takes theirs.
async fn race(ways: [Way; 2]) {
    let server = TestServer::start().await;
    let trios = trios(&server).await;
    let deposited = STAKE * 3 * i64::try_from(LANES).unwrap();
    let anybody = server.client();
    lanes(LANES, |lane| {
        let (trio, registrar) = (trios[usize::try_from(lane).unwrap()].clone(), server.registrar.clone());
        let anybody = anybody.clone();
        async move {
            let [middle, one, two] = &trio;
            for round in 0..ROUNDS / LANES {
                // Which way is which side's changes from round to round.
                let [way, other] = if round % 4 < 2 { ways } else { [ways[1], ways[0]] };
                let takes = round % 2 == 1;
                let (poster, taker) = if takes { (one, middle) } else { (middle, one) };
                let ground = way.ground(&anybody, poster, taker).await;
                let other_ground = other.ground(&anybody, middle, two).await;
                let first = way.post(&poster.1, ground).await;
                let second = other.post(&middle.1, other_ground).await;
                let acts = vec![(first.clone(), taker.1.clone()), (second.clone(), two.1.clone())];
                let answers = together(acts.into_iter().map(|(posting, client)| posting.take(client)).collect()).await;
                let refused: Vec<&str> = answers.iter().map(Answer::code).collect();
                if made(&answers[0]) {
                    assert_eq!(refused, ["", other.lost()], "{ways:?}, round {round}");
                    one_match(&registrar, &trio, 1).await;
                } else {
                    assert!(made(&answers[1]), "one of them: {answers:?}");
                    let told = if takes { way.busy() } else { way.lost() };
                    assert_eq!(refused, [told, ""], "{ways:?}, round {round}");
                    one_match(&registrar, &trio, 2).await;
                }
                first.clear(&poster.1).await;
                second.clear(&middle.1).await;
                clear_seeks(&poster.1).await;
                if round % 10 == 9 {
                    check_books(&registrar, deposited).await;
                }
            }
        }
    })
    .await;
    server.stop().await;
}

/// A seek whose taker was in another match by then is still open.
async fn clear_seeks(poster: &Client) {
    let seeks = poster.get("/v1/lobby/seeks?limit=200").await.expect(200).body;
    for seek in seeks["items"].as_array().unwrap() {
        poster.delete(&format!("/v1/lobby/seeks/{}", text(&seek["id"]))).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn l8_a_seek_accepted_and_a_table_joined_at_once_are_one_match() {
    race([Way::Seek, Way::Table]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l8_a_seek_accepted_and_a_rematch_agreed_to_at_once_are_one_match() {
    race([Way::Seek, Way::Rematch]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l8_a_table_joined_and_a_rematch_agreed_to_at_once_are_one_match() {
    race([Way::Table, Way::Rematch]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l8_two_tables_of_one_host_joined_at_once_are_one_match() {
    race([Way::Table, Way::Table]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l8_two_rematches_of_one_player_agreed_to_at_once_are_one_match() {
    race([Way::Rematch, Way::Rematch]).await;
}

/// Runs acts of two players on one posting, and hands their answers with the match, where there is one, to `check`.
async fn duel(
    way: Way,
    acts: fn(Posting, [Client; 2]) -> Vec<futures_util::future::BoxFuture<'static, Answer>>,
    check: fn(&[Answer], Option<&str>),
) {
    let server = TestServer::start().await;
    let mut pairs = Vec::new();
    for _ in 0..LANES {
        pairs.push([server.player(STAKE).await, server.player(STAKE).await]);
    }
    let deposited = STAKE * 2 * i64::try_from(LANES).unwrap();
    let anybody = server.client();
    lanes(LANES, |lane| {
        let (pair, registrar) = (pairs[usize::try_from(lane).unwrap()].clone(), server.registrar.clone());
        let anybody = anybody.clone();
        async move {
            let [one, two] = &pair;
            for round in 0..ROUNDS / LANES {
                let ground = way.ground(&anybody, one, two).await;
                let posting = way.post(&one.1, ground).await;
                let mut acts = acts(posting, [one.1.clone(), two.1.clone()]);
                let count = acts.len();
                // Who is let go first changes from round to round.
                let shift = usize::try_from(round).unwrap() % count;
                acts.rotate_left(shift);
                let mut answers = together(acts).await;
                answers.rotate_right(shift);
                let (first, second) = (live(&registrar, &one.0).await, live(&registrar, &two.0).await);
                assert_eq!(first, second, "both or neither");
                check(&answers, first.as_deref());
                let left = if first.is_some() { 0 } else { STAKE };
                assert_eq!(available(&registrar.pool, &[&one.0, &two.0]).await, [left, left]);
                if let Some(id) = first {
                    end_in_draw(&id, &one.1, &two.1).await;
                }
                if round % 10 == 9 {
                    check_books(&registrar, deposited).await;
                }
            }
        }
    })
    .await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b29_a_table_joined_and_closed_at_once_is_one_of_the_two() {
    duel(
        Way::Table,
        |posting, [host, friend]| {
            let path = format!("/v1/tables/{}", posting.name);
            vec![Box::pin(async move { host.delete(&path).await }), Box::pin(posting.take(friend))]
        },
        |answers, made| match made {
            Some(_) => assert_eq!((answers[0].code(), answers[1].status), ("not_found", 201)),
            None => assert_eq!((answers[0].status, answers[1].code()), (204, "table_gone")),
        },
    )
    .await;
}

/// T42: one link, opened on several devices.
#[tokio::test(flavor = "multi_thread")]
async fn t42_a_table_joined_five_times_at_once_is_one_match_and_paid_for_once() {
    duel(
        Way::Table,
        |posting, [_, friend]| (0..5).map(|_| Box::pin(posting.clone().take(friend.clone())) as _).collect(),
        |answers, made| {
            assert!(made.is_some());
            let mut told: Vec<_> = answers.iter().map(|answer| (answer.status, answer.code())).collect();
            told.sort_unstable();
            let gone = (409, "table_gone");
            assert_eq!(told, [(201, ""), gone, gone, gone, gone]);
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_9_a_rematch_agreed_to_and_declined_at_once_is_one_of_the_two() {
    duel(
        Way::Rematch,
        |posting, [one, two]| {
            let id = posting.name.clone();
            vec![Box::pin(async move { rematch(&one, &id, "decline").await }), Box::pin(posting.take(two))]
        },
        |answers, made| match made {
            Some(_) => assert_eq!((answers[0].code(), answers[1].status), ("rematch_gone", 200)),
            None => assert_eq!((answers[0].status, answers[1].code()), (200, "rematch_gone")),
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_9_a_rematch_agreed_to_by_both_in_every_way_at_once_is_one_match() {
    duel(
        Way::Rematch,
        |posting, [one, two]| {
            let acts = [(&one, "propose"), (&two, "propose"), (&two, "accept"), (&two, "accept"), (&one, "propose")];
            acts.map(|(client, action)| {
                let (client, id) = (client.clone(), posting.name.clone());
                Box::pin(async move { rematch(&client, &id, action).await }) as _
            })
            .into()
        },
        |answers, made| {
            assert!(made.is_some());
            // The rival's three mean the match; the proposer's two the proposal or the match, as they came.
            let seqs: Vec<_> =
                answers.iter().map(|answer| answer.clone().expect(200).body["seq"].as_u64().unwrap()).collect();
            let started = seqs[1];
            assert_eq!((seqs[2], seqs[3]), (started, started), "{seqs:?}");
            assert!([seqs[0], seqs[4]].iter().all(|seq| [started - 1, started].contains(seq)), "{seqs:?}");
        },
    )
    .await;
}

/// MA-10: guests have no balance to lock; what keeps two at once apart is the lock on the players themselves.
#[tokio::test(flavor = "multi_thread")]
async fn ma_10_a_friendly_table_joined_by_five_at_once_seats_one_and_the_bound_holds() {
    let server = TestServer::with(&["--friendly-most=1"]).await;
    lanes(LANES, |lane| {
        let (anybody, pool) = (server.client(), server.registrar.pool.clone());
        async move {
            let mut guests = Vec::new();
            for _ in 0..6 {
                let entered = anybody.post_empty("/v1/auth/guest").await.expect(201).body;
                guests.push((text(&entered["player"]["id"]), anybody.with_token(&text(&entered["access_token"]))));
            }
            let (host, friends) = guests.split_first().unwrap();
            for round in 0..ROUNDS / LANES {
                // Five for one seat, or each for a table of their own at a host who can play one match only.
                let mut tables = vec![open_table(&host.1, 0).await];
                if round % 2 == 1 {
                    for _ in 1..friends.len() {
                        tables.push(open_table(&host.1, 0).await);
                    }
                }
                let acts = friends.iter().enumerate().map(|(place, (_, client))| {
                    let (client, code) = (client.clone(), tables[place % tables.len()].clone());
                    async move { client.post_once(&format!("/v1/tables/{code}/join"), &json!({"stake": 0})).await }
                });
                let answers = together(acts.collect()).await;
                let (mut joined, mut refused) = (Vec::new(), Vec::new());
                for answer in &answers {
                    if made(answer) { joined.push(text(&answer.body["match_id"])) } else { refused.push(answer.code()) }
                }
                let told = if round % 2 == 1 { "host_playing" } else { "table_gone" };
                assert_eq!((joined.len(), refused), (1, vec![told; 4]), "lane {lane}, round {round}");
                host.1.post_empty(&format!("/v1/matches/{}/resign", joined[0])).await.expect(200);
                for code in &tables {
                    host.1.delete(&format!("/v1/tables/{code}")).await;
                }
            }
            let moved: i64 = sqlx::query_scalar("select count(*) from transfers").fetch_one(&pool).await.unwrap();
            assert_eq!(moved, 0);
        }
    })
    .await;
    server.registrar.verify_ledger().await;
    server.stop().await;
}

/// P-6: a player with a live match can't be deleted, and a deleted one can't be in a match.
#[tokio::test(flavor = "multi_thread")]
async fn p_6_a_guest_who_is_deleted_while_their_table_is_joined_is_one_of_the_two() {
    let server = TestServer::start().await;
    lanes(LANES, |_| {
        let anybody = server.client();
        async move {
            let enter = async || {
                let entered = anybody.post_empty("/v1/auth/guest").await.expect(201).body;
                anybody.with_token(&text(&entered["access_token"]))
            };
            let friend = enter().await;
            for round in 0..ROUNDS / LANES {
                let host = enter().await;
                let code = open_table(&host, 0).await;
                let (leaving, joining) = (host.clone(), friend.clone());
                let path = format!("/v1/tables/{code}/join");
                let mut acts: Vec<futures_util::future::BoxFuture<'static, Answer>> = vec![
                    Box::pin(async move { leaving.delete("/v1/me").await }),
                    Box::pin(async move { joining.post_once(&path, &json!({"stake": 0})).await }),
                ];
                let shift = usize::try_from(round % 2).unwrap();
                acts.rotate_left(shift);
                let mut answers = together(acts).await;
                answers.rotate_right(shift);
                if answers[0].status == 204 {
                    answers[1].clone().refused(409, "table_gone");
                } else {
                    answers[0].clone().refused(409, "account_in_use");
                    let id = text(&answers[1].clone().expect(201).body["match_id"]);
                    host.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
                }
            }
        }
    })
    .await;
    server.stop().await;
}
