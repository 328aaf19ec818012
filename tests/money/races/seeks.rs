//! Races for a seat.

use stakeboard_tests::{Client, Player, Registrar, TestServer};

use super::ROUNDS;
use crate::support::{accept, available, check_books, end_in_draw, lanes, post_seek, sort_answers, text, together};

const STAKE: i64 = 500;
const LANES: u64 = 4;

/// Players with a client each, all with the same money.
async fn crowd(server: &TestServer, count: usize, money: i64) -> Vec<(Player, Client)> {
    let mut players = Vec::with_capacity(count);
    for _ in 0..count {
        players.push(server.player(money).await);
    }
    players
}

async fn all_available(server: &sqlx::PgPool, players: &[(Player, Client)]) -> Vec<i64> {
    available(server, &players.iter().map(|(player, _)| player).collect::<Vec<_>>()).await
}

/// After every tenth round: what is once wrong in the books stays wrong.
async fn check_books_now_and_then(round: u64, registrar: &Registrar, deposited: i64) {
    if round % 10 == 9 {
        check_books(registrar, deposited).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn t41_of_twenty_who_accept_one_seek_at_once_one_gets_it_and_nobody_else_pays() {
    const ACCEPTERS: usize = 20;
    let server = TestServer::start().await;
    let mut crowds = Vec::new();
    for _ in 0..LANES {
        crowds.push(crowd(&server, ACCEPTERS + 1, STAKE).await);
    }
    let deposited = STAKE * i64::try_from(crowds.iter().map(Vec::len).sum::<usize>()).unwrap();
    lanes(LANES, |lane| {
        let (players, registrar) = (crowds[usize::try_from(lane).unwrap()].clone(), server.registrar.clone());
        async move {
            let (poster, accepters) = players.split_first().unwrap();
            for round in 0..ROUNDS / LANES {
                let seek = post_seek(&poster.1, STAKE).await;
                let acts = accepters.iter().map(|(_, client)| {
                    let (client, seek) = (client.clone(), seek.clone());
                    async move { accept(&client, &seek, STAKE).await }
                });
                let answers = together(acts.collect()).await;
                let winner = answers.iter().position(|answer| answer.status == 201).expect("somebody gets it");
                let (made, refused) = sort_answers(answers);
                assert_eq!(made.len(), 1, "one match of one seek");
                assert_eq!(refused, vec![(409, "seek_gone".to_owned()); ACCEPTERS - 1]);
                let mut expected = vec![STAKE; ACCEPTERS + 1];
                (expected[0], expected[winner + 1]) = (0, 0);
                assert_eq!(all_available(&registrar.pool, &players).await, expected);
                end_in_draw(&text(&made[0]["match_id"]), &poster.1, &accepters[winner].1).await;
                check_books_now_and_then(round, &registrar, deposited).await;
            }
        }
    })
    .await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b29_a_seek_accepted_and_withdrawn_at_once_is_one_of_the_two() {
    let server = TestServer::start().await;
    let mut pairs = Vec::new();
    for _ in 0..LANES {
        pairs.push(crowd(&server, 2, STAKE).await);
    }
    let deposited = STAKE * 2 * i64::try_from(LANES).unwrap();
    lanes(LANES, |lane| {
        let (players, registrar) = (pairs[usize::try_from(lane).unwrap()].clone(), server.registrar.clone());
        async move {
            let [(_, poster), (_, accepter)] = &players[..] else { unreachable!() };
            for round in 0..ROUNDS / LANES {
                let seek = post_seek(poster, STAKE).await;
                let acts = [false, true].map(|withdraws| {
                    let (poster, accepter, seek) = (poster.clone(), accepter.clone(), seek.clone());
                    async move {
                        if withdraws {
                            poster.delete(&format!("/v1/lobby/seeks/{seek}")).await
                        } else {
                            accept(&accepter, &seek, STAKE).await
                        }
                    }
                });
                // Who is let go first changes from round to round.
                let mut acts = acts.into_iter().collect::<Vec<_>>();
                if round % 2 == 1 {
                    acts.reverse();
                }
                let mut answers = together(acts).await;
                if round % 2 == 1 {
                    answers.reverse();
                }
                let told: Vec<_> = answers.iter().map(|answer| (answer.status, answer.code().to_owned())).collect();
                if told[0].0 == 201 {
                    assert_eq!(told[1], (404, "not_found".to_owned()));
                    assert_eq!(all_available(&registrar.pool, &players).await, [0, 0]);
                    end_in_draw(&text(&answers[0].body["match_id"]), poster, accepter).await;
                } else {
                    assert_eq!(told, [(409, "seek_gone".to_owned()), (204, String::new())]);
                    let live: i64 = sqlx::query_scalar("select count(*) from live_stakes where player_id = $1")
                        .bind(players[0].0.id.0)
                        .fetch_one(&registrar.pool)
                        .await
                        .unwrap();
                    assert_eq!(live, 0, "a withdrawn seek makes no match");
                }
                assert_eq!(all_available(&registrar.pool, &players).await, [STAKE, STAKE]);
                check_books_now_and_then(round, &registrar, deposited).await;
            }
        }
    })
    .await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b1_money_for_one_stake_is_taken_once_where_its_owner_accepts_two_seeks_at_once() {
    let server = TestServer::start().await;
    let mut trios = Vec::new();
    for _ in 0..LANES {
        trios.push(crowd(&server, 3, STAKE).await);
    }
    let deposited = STAKE * 3 * i64::try_from(LANES).unwrap();
    lanes(LANES, |lane| {
        let (players, registrar) = (trios[usize::try_from(lane).unwrap()].clone(), server.registrar.clone());
        async move {
            let [(_, twice), (_, left), (_, right)] = &players[..] else { unreachable!() };
            for round in 0..ROUNDS / LANES {
                let seeks = [post_seek(left, STAKE).await, post_seek(right, STAKE).await];
                let acts = seeks.clone().map(|seek| {
                    let twice = twice.clone();
                    async move { accept(&twice, &seek, STAKE).await }
                });
                let answers = together(acts.into_iter().collect()).await;
                let at = answers.iter().position(|answer| answer.status == 201).expect("one of them");
                let (made, refused) = sort_answers(answers);
                assert_eq!(refused, [(409, "already_playing".to_owned())]);
                let mut expected = [0, STAKE, STAKE];
                expected[at + 1] = 0;
                assert_eq!(all_available(&registrar.pool, &players).await, expected);
                // Whoever was not met still waits.
                let (rival, waiting) = if at == 0 { (left, right) } else { (right, left) };
                waiting.delete(&format!("/v1/lobby/seeks/{}", seeks[1 - at])).await.expect(204);
                end_in_draw(&text(&made[0]["match_id"]), twice, rival).await;
                check_books_now_and_then(round, &registrar, deposited).await;
            }
        }
    })
    .await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b1_money_for_one_stake_is_taken_once_where_two_accept_two_seeks_of_its_owner_at_once() {
    let server = TestServer::start().await;
    let mut trios = Vec::new();
    for _ in 0..LANES {
        trios.push(crowd(&server, 3, STAKE).await);
    }
    let deposited = STAKE * 3 * i64::try_from(LANES).unwrap();
    lanes(LANES, |lane| {
        let (players, registrar) = (trios[usize::try_from(lane).unwrap()].clone(), server.registrar.clone());
        async move {
            let [(_, poster), (_, left), (_, right)] = &players[..] else { unreachable!() };
            for round in 0..ROUNDS / LANES {
                let mut acts = Vec::new();
                for accepter in [left.clone(), right.clone()] {
                    let seek = post_seek(poster, STAKE).await;
                    acts.push(async move { accept(&accepter, &seek, STAKE).await });
                }
                let answers = together(acts).await;
                let at = answers.iter().position(|answer| answer.status == 201).expect("one of them");
                let (made, refused) = sort_answers(answers);
                assert_eq!(refused, [(409, "seek_gone".to_owned())]);
                let mut expected = [0, STAKE, STAKE];
                expected[at + 1] = 0;
                assert_eq!(all_available(&registrar.pool, &players).await, expected);
                end_in_draw(&text(&made[0]["match_id"]), poster, [left, right][at]).await;
                check_books_now_and_then(round, &registrar, deposited).await;
            }
        }
    })
    .await;
    server.stop().await;
}

/// Each of a ring accepts the seek of the next at the same moment: every lock is wanted by two, in every order.
#[tokio::test(flavor = "multi_thread")]
async fn l7_a_ring_of_players_who_accept_each_others_seeks_is_paired_without_a_deadlock() {
    const RING: usize = 5;
    let server = TestServer::start().await;
    let mut rings = Vec::new();
    for _ in 0..LANES {
        rings.push(crowd(&server, RING, STAKE).await);
    }
    let deposited = STAKE * i64::try_from(RING).unwrap() * i64::try_from(LANES).unwrap();
    lanes(LANES, |lane| {
        let (players, registrar) = (rings[usize::try_from(lane).unwrap()].clone(), server.registrar.clone());
        async move {
            for round in 0..ROUNDS / LANES {
                let mut seeks = Vec::new();
                for (_, client) in &players {
                    seeks.push(post_seek(client, STAKE).await);
                }
                let acts = (0..RING).map(|place| {
                    let (client, seek) = (players[place].1.clone(), seeks[(place + 1) % RING].clone());
                    async move { accept(&client, &seek, STAKE).await }
                });
                let answers = together(acts.collect()).await;
                let mut free = vec![STAKE; RING];
                let mut made = Vec::new();
                for (place, answer) in answers.iter().enumerate() {
                    let rival = (place + 1) % RING;
                    if answer.status == 201 {
                        assert_eq!((free[place], free[rival]), (STAKE, STAKE), "nobody is in two matches");
                        (free[place], free[rival]) = (0, 0);
                        made.push((text(&answer.body["match_id"]), place, rival));
                    } else {
                        assert_eq!(answer.status, 409, "{}", answer.text);
                        assert!(["already_playing", "seek_gone"].contains(&answer.code()), "{}", answer.text);
                    }
                }
                assert_eq!(made.len(), 2, "of five in a ring two pairs always find each other");
                assert_eq!(all_available(&registrar.pool, &players).await, free);
                for (match_id, one, two) in made {
                    end_in_draw(&match_id, &players[one].1, &players[two].1).await;
                }
                check_books_now_and_then(round, &registrar, deposited).await;
                let alone = free.iter().position(|money| *money > 0).unwrap();
                players[alone].1.delete(&format!("/v1/lobby/seeks/{}", seeks[alone])).await.expect(204);
            }
        }
    })
    .await;
    server.stop().await;
}

/// T42, T38: impatience, or two devices, each with a key of its own.
#[tokio::test(flavor = "multi_thread")]
async fn t42_one_player_who_accepts_one_seek_five_times_at_once_is_in_one_match_and_pays_once() {
    const MONEY: i64 = 5 * STAKE;
    let server = TestServer::start().await;
    let players = crowd(&server, 2, MONEY).await;
    let [(_, poster), (_, accepter)] = &players[..] else { unreachable!() };
    for _ in 0..ROUNDS / 4 {
        let seek = post_seek(poster, STAKE).await;
        let acts = (0..5).map(|_| {
            let (accepter, seek) = (accepter.clone(), seek.clone());
            async move { accept(&accepter, &seek, STAKE).await }
        });
        let (made, refused) = sort_answers(together(acts.collect()).await);
        assert_eq!(made.len(), 1);
        assert_eq!(refused, vec![(409, "seek_gone".to_owned()); 4]);
        assert_eq!(all_available(&server.registrar.pool, &players).await, [MONEY - STAKE; 2]);
        end_in_draw(&text(&made[0]["match_id"]), poster, accepter).await;
    }
    check_books(&server.registrar, 2 * MONEY).await;
    server.stop().await;
}
