//! Races around the queue: whatever meets it ends as one thing or the other.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use stakeboard_tests::{Answer, Client, Player, TestServer};

use super::{
    ROUNDS,
    friends::{Posting, Way},
};
use crate::support::{PATIENCE, accept, available, check_books, end_in_draw, lanes, post_seek, text, together};

const STAKE: i64 = 500;
const LANES: u64 = 4;
const QUEUE: &str = "/v1/lobby/queue";

/// What one device of one player does.
#[derive(Clone)]
enum Act {
    Join(Client, i64),
    Leave(Client),
    Accept(Client, String),
    Withdraw(Client, String),
    Take(Posting, Client),
}

impl Act {
    async fn done(self) -> Answer {
        match self {
            Self::Join(client, stake) => client.post_once(QUEUE, &json!({"game": "oware", "stake": stake})).await,
            Self::Leave(client) => client.delete(QUEUE).await,
            Self::Accept(client, seek) => accept(&client, &seek, STAKE).await,
            Self::Withdraw(client, seek) => client.delete(&format!("/v1/lobby/seeks/{seek}")).await,
            Self::Take(posting, client) => posting.take(client).await,
        }
    }
}

/// All at once; who is let go first changes from round to round. The answers in the order of the acts.
async fn at_once(round: u64, mut acts: Vec<Act>) -> Vec<Answer> {
    if round % 2 == 1 {
        acts.reverse();
    }
    let mut answers = together(acts.into_iter().map(Act::done).collect()).await;
    if round % 2 == 1 {
        answers.reverse();
    }
    answers
}

/// Some players of a lane, each with money for one stake. No two lanes play for the same, so that their queues are apart.
struct Lane {
    server: Arc<TestServer>,
    players: Vec<(Player, Client)>,
    stake: i64,
}

impl Lane {
    fn client(&self, place: usize) -> Client {
        self.players[place].1.clone()
    }

    fn id(&self, place: usize) -> uuid::Uuid {
        self.players[place].0.id.0
    }

    /// The live match of a player, if they are in one.
    async fn live(&self, place: usize) -> Option<String> {
        sqlx::query_scalar("select match_id::text from live_stakes where player_id = $1")
            .bind(self.id(place))
            .fetch_optional(&self.server.registrar.pool)
            .await
            .unwrap()
    }

    /// Waits until two of them are in one match: where those who join at once do not see each other, the next look at the
    /// queue pairs them.
    async fn until_two_play(&self) {
        let paired = tokio::time::timeout(PATIENCE, async {
            loop {
                let mut live = Vec::new();
                for place in 0..self.players.len() {
                    live.extend(self.live(place).await);
                }
                if let [one, other] = &live[..] {
                    assert_eq!(one, other, "one match");
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        paired.await.expect("two are paired in good time");
    }

    async fn waits(&self, place: usize) -> bool {
        sqlx::query_scalar("select exists (select from queue_entries where player_id = $1)")
            .bind(self.id(place))
            .fetch_one(&self.server.registrar.pool)
            .await
            .unwrap()
    }

    async fn seeks(&self, place: usize) -> Vec<String> {
        sqlx::query_scalar("select id::text from seeks where player_id = $1")
            .bind(self.id(place))
            .fetch_all(&self.server.registrar.pool)
            .await
            .unwrap()
    }

    /// Ends what goes on, empties queue and lobby, and demands that all the money is back.
    async fn clear(&self) {
        for place in 0..self.players.len() {
            if self.waits(place).await {
                Act::Leave(self.client(place)).done().await.expect(204);
            }
            for seek in self.seeks(place).await {
                Act::Withdraw(self.client(place), seek).done().await.expect(204);
            }
        }
        for place in 0..self.players.len() {
            let Some(id) = self.live(place).await else { continue };
            for rival in place + 1..self.players.len() {
                if self.live(rival).await.as_ref() == Some(&id) {
                    end_in_draw(&id, &self.client(place), &self.client(rival)).await;
                    break;
                }
            }
        }
        let players: Vec<_> = self.players.iter().map(|(player, _)| player).collect();
        assert_eq!(available(&self.server.registrar.pool, &players).await, vec![STAKE * 2; self.players.len()]);
    }
}

/// Plays `ROUNDS` rounds of a race, each with as many players as it needs.
async fn race<F>(count: usize, round: impl Fn(Arc<Lane>, u64) -> F + Clone + Send + Sync + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    let server = Arc::new(TestServer::start().await);
    let mut all = Vec::new();
    for lane in 0..LANES {
        let mut players = Vec::new();
        for _ in 0..count {
            players.push(server.player(STAKE * 2).await);
        }
        let stake = STAKE - 5 * i64::try_from(lane).unwrap();
        all.push(Arc::new(Lane { server: server.clone(), players, stake }));
    }
    let deposited = STAKE * 2 * i64::try_from(count).unwrap() * i64::try_from(LANES).unwrap();
    lanes(LANES, |number| {
        let (lane, round) = (all[usize::try_from(number).unwrap()].clone(), round.clone());
        async move {
            for number in 0..ROUNDS / LANES {
                round(lane.clone(), number).await;
                lane.clear().await;
                if number % 10 == 9 {
                    check_books(&lane.server.registrar, deposited).await;
                }
            }
        }
    })
    .await;
    check_books(&server.registrar, deposited).await;
    drop(all);
    Arc::into_inner(server).expect("nobody else has it").stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_who_join_the_queue_at_once_are_one_match_and_one_who_waits() {
    race(3, |lane, round| async move {
        let joins = (0..3).map(|place| Act::Join(lane.client(place), lane.stake)).collect();
        for answer in at_once(round, joins).await {
            assert!([200, 201].contains(&answer.status), "{}", answer.text);
        }
        lane.until_two_play().await;
        let mut waiting = 0;
        for place in 0..3 {
            let (waits, plays) = (lane.waits(place).await, lane.live(place).await.is_some());
            assert_ne!(waits, plays, "each of them waits or plays, and not both");
            waiting += u32::from(waits);
        }
        assert_eq!(waiting, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_player_who_joins_from_five_devices_at_once_waits_once_and_is_in_one_match() {
    race(2, |lane, round| async move {
        let joins =
            (0..5).map(|_| Act::Join(lane.client(0), lane.stake)).chain([Act::Join(lane.client(1), lane.stake)]);
        for answer in at_once(round, joins.collect()).await {
            let refused = (answer.status, answer.code()) == (409, "already_playing");
            assert!([200, 201].contains(&answer.status) || refused, "{}", answer.text);
        }
        lane.until_two_play().await;
        assert!(!lane.waits(0).await && !lane.waits(1).await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_and_being_paired_at_the_same_instant_end_as_one_or_the_other() {
    race(2, |lane, round| async move {
        Act::Join(lane.client(0), lane.stake).done().await.expect(200);
        let acts = vec![Act::Leave(lane.client(0)), Act::Join(lane.client(1), lane.stake)];
        let answers = at_once(round, acts).await;
        let told: Vec<_> = answers.iter().map(|answer| (answer.status, answer.code())).collect();
        match told[..] {
            [(204, _), (200, _)] => {
                assert_eq!((lane.live(0).await, lane.live(1).await), (None, None));
                assert!(!lane.waits(0).await && lane.waits(1).await);
            }
            [(404, "not_found"), (201, _)] => {
                let match_id = text(&answers[1].body["match_id"]);
                assert_eq!((lane.live(0).await, lane.live(1).await), (Some(match_id.clone()), Some(match_id)));
            }
            _ => panic!("{told:?}"),
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_who_is_met_in_the_queue_and_at_their_table_at_once_plays_one_of_the_two() {
    met_twice(Way::Table).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_who_is_met_in_the_queue_and_in_a_rematch_at_once_plays_one_of_the_two() {
    met_twice(Way::Rematch).await;
}

/// One joins the queue in which a player waits, another takes what that player has posted.
async fn met_twice(way: Way) {
    race(3, move |lane, round| async move {
        let ground = way.ground(&lane.server.client(), &lane.players[0], &lane.players[2]).await;
        let posting = way.post(&lane.client(0), ground).await;
        Act::Join(lane.client(0), lane.stake).done().await.expect(200);
        let acts = vec![Act::Join(lane.client(1), lane.stake), Act::Take(posting.clone(), lane.client(2))];
        let answers = at_once(round, acts).await;
        let live = lane.live(0).await.expect("met in one way or the other");
        let [one, two] = [lane.live(1).await, lane.live(2).await];
        if one.is_some() {
            assert_eq!((one, two), (Some(live), None));
            assert_eq!((answers[1].status, answers[1].code()), (409, way.lost()), "{}", answers[0].text);
        } else {
            assert_eq!(two, Some(live));
            assert_eq!((answers[0].status, answers[1].code()), (200, ""), "{}", answers[1].text);
            assert!(lane.waits(1).await, "whoever was not met waits on");
        }
        assert!(!lane.waits(0).await);
        posting.clear(&lane.client(0)).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_who_is_met_in_the_queue_and_by_their_seek_at_once_plays_one_of_the_two() {
    race(3, |lane, round| async move {
        let seek = post_seek(&lane.client(0), STAKE).await;
        Act::Join(lane.client(0), lane.stake).done().await.expect(200);
        let acts = vec![Act::Join(lane.client(1), lane.stake), Act::Accept(lane.client(2), seek)];
        let answers = at_once(round, acts).await;
        let told: Vec<_> = answers.iter().map(|answer| (answer.status, answer.code())).collect();
        let live = lane.live(0).await;
        match told[..] {
            [(201, _), (409, "seek_gone")] => {
                assert_eq!(live, Some(text(&answers[0].body["match_id"])));
                assert_eq!((lane.live(1).await, lane.live(2).await), (live, None));
            }
            [(200, _), (201, _)] => {
                assert_eq!(live, Some(text(&answers[1].body["match_id"])));
                assert_eq!((lane.live(1).await, lane.live(2).await), (None, live));
                assert!(lane.waits(1).await, "whoever was not met waits on");
            }
            _ => panic!("{told:?}"),
        }
        assert!(!lane.waits(0).await);
    })
    .await;
}

/// The same player on two devices.
#[tokio::test(flavor = "multi_thread")]
async fn one_player_who_joins_the_queue_and_accepts_a_seek_at_once_is_in_one_match() {
    race(3, |lane, round| async move {
        let seek = post_seek(&lane.client(1), STAKE).await;
        Act::Join(lane.client(2), lane.stake).done().await.expect(200);
        let acts = vec![Act::Join(lane.client(0), lane.stake), Act::Accept(lane.client(0), seek)];
        let answers = at_once(round, acts).await;
        let told: Vec<_> = answers.iter().map(|answer| (answer.status, answer.code())).collect();
        let live = lane.live(0).await.expect("one of the two");
        match told[..] {
            [(201, _), (409, "already_playing")] => {
                assert_eq!(lane.live(2).await, Some(live));
                assert_eq!(lane.live(1).await, None);
            }
            // Their join was refused, or, where it came first and found nobody free, ended with the pairing.
            [(409, "already_playing") | (200, _), (201, _)] => {
                assert_eq!(lane.live(1).await, Some(live));
                assert_eq!(lane.live(2).await, None);
                assert!(lane.waits(2).await);
            }
            _ => panic!("{told:?}"),
        }
        assert!(!lane.waits(0).await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seek_that_is_withdrawn_while_its_owner_is_paired_in_the_queue_is_gone_either_way() {
    race(2, |lane, round| async move {
        let seek = post_seek(&lane.client(0), STAKE).await;
        Act::Join(lane.client(0), lane.stake).done().await.expect(200);
        let acts = vec![Act::Join(lane.client(1), lane.stake), Act::Withdraw(lane.client(0), seek.clone())];
        let answers = at_once(round, acts).await;
        let match_id = text(&answers[0].clone().expect(201).body["match_id"]);
        assert!([204, 404].contains(&answers[1].status), "{}", answers[1].text);
        assert_eq!((lane.live(0).await, lane.live(1).await), (Some(match_id.clone()), Some(match_id)));
        accept(&lane.client(1), &seek, STAKE).await.refused(409, "seek_gone");
    })
    .await;
}
