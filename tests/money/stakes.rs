//! What is staked is there, is taken once, and only as far as it goes.

use serde_json::json;
use stakeboard_server::money::Stake;
use stakeboard_tests::{TestServer, server::start_match};

use crate::support::{
    accept, available, check_books, end_in_draw, eventually, post_seek, settlements, sort_answers, text, together,
    transfers_of,
};

/// T55, as L-8 has it: the balance is good for three stakes, but one live match at a time is allowed.
#[tokio::test(flavor = "multi_thread")]
async fn t55_two_hundred_parallel_stakes_of_one_player_are_one_match_and_one_debit() {
    const POSTERS: usize = 200;
    const STAKE: i64 = 1_000;
    let server = TestServer::start().await;
    let (rich, client) = server.player(3 * STAKE).await;
    let mut acts = Vec::new();
    for _ in 0..POSTERS {
        let (_, poster) = server.player(STAKE).await;
        let (seek, client) = (post_seek(&poster, STAKE).await, client.clone());
        acts.push(async move { accept(&client, &seek, STAKE).await });
    }
    let (made, refused) = sort_answers(together(acts).await);
    assert_eq!(made.len(), 1);
    assert_eq!(refused, vec![(409, "already_playing".to_owned()); POSTERS - 1]);
    assert_eq!(server.registrar.available(rich.id).await, 2 * STAKE);
    let debits: i64 = sqlx::query_scalar("select count(*) from transfers where kind = 'stake'")
        .fetch_one(&server.registrar.pool)
        .await
        .unwrap();
    assert_eq!(debits, 2, "one stake of each player of the one match");
    check_books(&server.registrar, STAKE * 203).await;
    server.stop().await;
}

/// A player is in one live match at a time, so the stakes that are truly held follow each other: two hundred tasks go for
/// one at once, again as soon as a match is over, and the player loses each.
#[tokio::test(flavor = "multi_thread")]
async fn b1_two_hundred_stakes_at_once_on_a_balance_good_for_three_are_exactly_three() {
    const STAKE: i64 = 100;
    const RIVALS: i64 = 10;
    let server = TestServer::start().await;
    let (player, client) = server.player(3 * STAKE + 99).await;
    let mut seeks = Vec::new();
    for _ in 0..RIVALS {
        let (_, rival) = server.player(STAKE).await;
        for _ in 0..20 {
            seeks.push(post_seek(&rival, STAKE).await);
        }
    }
    let acts = seeks.into_iter().map(|seek| {
        let client = client.clone();
        async move {
            loop {
                let answer = accept(&client, &seek, STAKE).await;
                match (answer.status, answer.code()) {
                    (201, _) => {
                        let id = text(&answer.body["match_id"]);
                        client.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
                        return true;
                    }
                    (409, "already_playing") => {}
                    // A rival's other seeks go with a pairing.
                    (409, "insufficient_funds" | "seek_gone") => return false,
                    _ => panic!("{}", answer.text),
                }
            }
        }
    });
    let held = together(acts.collect()).await.into_iter().filter(|held| *held).count();
    assert_eq!(held, 3);
    assert_eq!(server.registrar.available(player.id).await, 99);
    assert_eq!(transfers_of(&server.registrar.pool, &player, "stake").await, 3);
    check_books(&server.registrar, (3 + RIVALS) * STAKE + 99).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b1_without_the_stake_no_match_begins_however_often_it_is_tried() {
    const STAKE: i64 = 1_000;
    let server = TestServer::start().await;
    let (poor, client) = server.player(STAKE - 1).await;
    let (_, poster) = server.player(STAKE).await;
    let seek = post_seek(&poster, STAKE).await;
    let terms = json!({"game": "oware", "stake": STAKE});
    client.post("/v1/lobby/seeks", &terms).await.refused(409, "insufficient_funds");
    for _ in 0..2 {
        accept(&client, &seek, STAKE).await.refused(409, "insufficient_funds");
    }
    let acts = (0..20).map(|_| {
        let (client, seek) = (client.clone(), seek.clone());
        async move { accept(&client, &seek, STAKE).await }
    });
    let (made, refused) = sort_answers(together(acts.collect()).await);
    assert!(made.is_empty());
    assert_eq!(refused, vec![(409, "insufficient_funds".to_owned()); 20]);
    assert_eq!(server.registrar.available(poor.id).await, STAKE - 1);
    let rows: i64 = sqlx::query_scalar(
        "select (select count(*) from matches) + (select count(*) from accounts where kind = 'escrow')
             + (select count(*) from transfers where kind <> 'deposit')",
    )
    .fetch_one(&server.registrar.pool)
    .await
    .unwrap();
    assert_eq!(rows, 0, "no match, no escrow, no transfer is left of what was refused");
    // The seek is still there for somebody who can pay.
    let (_, other) = server.player(STAKE).await;
    accept(&other, &seek, STAKE).await.expect(201);
    check_books(&server.registrar, STAKE * 3 - 1).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b3_what_is_in_play_is_not_available_for_a_second_stake() {
    const STAKE: i64 = 1_000;
    let server = TestServer::start().await;
    let (one, client) = server.player(5 * STAKE).await;
    let (two, rival) = server.player(5 * STAKE).await;
    let id = start_match(&client, &one, &two, &json!({"game": "oware", "stake": 4 * STAKE})).await;
    let wallet = client.get("/v1/wallet").await.expect(200).body;
    assert_eq!(wallet, json!({"currency": "BRL", "available": STAKE, "in_play": 4 * STAKE, "pending_withdrawal": 0}));
    let terms = json!({"game": "oware", "stake": STAKE});
    client.post("/v1/lobby/seeks", &terms).await.refused(409, "already_playing");
    end_in_draw(&id, &client, &rival).await;
    let wallet = client.get("/v1/wallet").await.expect(200).body;
    assert_eq!((wallet["available"].as_i64(), wallet["in_play"].as_i64()), (Some(5 * STAKE), Some(0)));
    check_books(&server.registrar, 10 * STAKE).await;
    server.stop().await;
}

/// L-8: what a poster could pay when posting can be gone when somebody accepts.
#[tokio::test(flavor = "multi_thread")]
async fn l8_a_seek_whose_poster_can_no_longer_pay_goes_and_the_accepter_keeps_everything() {
    const STAKE: i64 = 1_000;
    let server = TestServer::start().await;
    let (poster, posting) = server.player(STAKE).await;
    let (rival, rivals) = server.player(STAKE).await;
    let (accepter, accepting) = server.player(STAKE).await;
    let kept = json!({"game": "oware", "stake": STAKE});
    // A pairing withdraws all seeks, so the money goes another way: the poster loses it to a rival while the seek is
    // put back as it was, as a posting of another route would be.
    let seek = post_seek(&posting, STAKE).await;
    let mut owner = server.database.as_owner().await;
    sqlx::query("create table kept as select * from seeks").execute(&mut owner).await.unwrap();
    let id = start_match(&posting, &rival, &poster, &kept).await;
    posting.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    sqlx::query("insert into seeks select * from kept").execute(&mut owner).await.unwrap();
    accept(&accepting, &seek, STAKE).await.refused(409, "seek_gone");
    accept(&accepting, &seek, STAKE).await.refused(409, "seek_gone");
    assert_eq!(available(&server.registrar.pool, &[&poster, &accepter]).await, [0, STAKE]);
    let open = rivals.get("/v1/lobby/seeks").await.expect(200).body;
    assert_eq!(open["items"], json!([]), "it is withdrawn");
    check_books(&server.registrar, 3 * STAKE).await;
    server.stop().await;
}

/// B32 over the whole range of stakes: every one of them, not a sample of them.
#[test]
fn b32_every_stake_of_the_range_splits_without_a_remainder() {
    let mut stakes = 0;
    for cents in 1..=1_000_000_i64 {
        let Some(stake) = Stake::new(cents) else {
            assert_ne!(cents % 5, 0, "{cents} is on the grid");
            continue;
        };
        assert_eq!(cents % 5, 0, "{cents} is off the grid");
        stakes += 1;
        let (pot, fee, payout) = (stake.pot().0, stake.fee().0, stake.payout().0);
        assert_eq!(pot, cents + cents);
        assert_eq!(fee * 10, pot, "the house has exactly a tenth at {cents}");
        assert_eq!(payout + fee, pot, "nothing is made or lost at {cents}");
        assert_eq!(payout, cents / 5 * 9, "nine tenths of the pot at {cents}");
    }
    assert_eq!(stakes, 200_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn b32_odd_stakes_through_the_ledger_pay_nine_tenths_of_the_pot_and_the_house_one() {
    let server = TestServer::start().await;
    let (mut total, mut house) = (0, 0);
    for stake in [5, 10, 15, 35, 95, 105, 1_005, 33_335, 99_995, 999_995, 1_000_000] {
        let (winner, _) = server.player(stake).await;
        let (loser, losing) = server.player(stake).await;
        let id = start_match(&losing, &winner, &loser, &json!({"game": "oware", "stake": stake})).await;
        losing.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
        let shown = losing.get(&format!("/v1/matches/{id}")).await.expect(200).body;
        assert_eq!((shown["payout"].as_i64(), shown["fee"].as_i64()), (Some(stake / 5 * 9), Some(stake / 5)));
        assert_eq!(available(&server.registrar.pool, &[&winner, &loser]).await, [stake / 5 * 9, 0]);
        total += 2 * stake;
        house += stake / 5;
        let fees: i64 = sqlx::query_scalar(
            "select sum(b.balance)::bigint from balances b join accounts a on a.id = b.account_id where kind = 'house_fee'",
        )
        .fetch_one(&server.registrar.pool)
        .await
        .unwrap();
        assert_eq!(fees, house);
    }
    check_books(&server.registrar, total).await;
    server.stop().await;
}

/// T39, B9, B34.
#[tokio::test(flavor = "multi_thread")]
async fn t39_nobody_is_paired_with_themselves_from_whatever_device() {
    let server = TestServer::start().await;
    let (player, client) = server.player(1_000).await;
    let other_device = server.client().of(&server.registrar.session(player.id, player.name.clone()).await);
    let seek = post_seek(&client, 500).await;
    for device in [&client, &other_device] {
        accept(device, &seek, 500).await.refused(422, "own_seek");
    }
    let mine = client.get("/v1/matches").await.expect(200).body;
    assert_eq!(mine["items"], json!([]), "no row is left of it");
    assert_eq!(server.registrar.available(player.id).await, 1_000);
    server.stop().await;
}

/// T43, L-8.
#[tokio::test(flavor = "multi_thread")]
async fn t43_a_pairing_takes_every_other_seek_of_both_and_no_second_one_begins() {
    let server = TestServer::start().await;
    let (_, one) = server.player(10_000).await;
    let (_, two) = server.player(10_000).await;
    let (_, third) = server.player(10_000).await;
    let mut seeks = Vec::new();
    for client in [&one, &two] {
        for stake in [100, 200, 300] {
            seeks.push(post_seek(client, stake).await);
        }
    }
    let waiting = post_seek(&third, 100).await;
    let match_id = text(&accept(&two, &seeks[0], 100).await.expect(201).body["match_id"]);
    let open = third.get("/v1/lobby/seeks").await.expect(200).body;
    let left: Vec<String> = open["items"].as_array().unwrap().iter().map(|seek| text(&seek["id"])).collect();
    assert_eq!(left, [waiting.as_str()], "only the seek of who is not paired is left");
    for seek in &seeks[1..] {
        accept(&third, seek, 200).await.refused(409, "seek_gone");
    }
    for client in [&one, &two] {
        accept(client, &waiting, 100).await.refused(409, "already_playing");
        client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.refused(409, "already_playing");
    }
    end_in_draw(&match_id, &one, &two).await;
    accept(&one, &waiting, 100).await.expect(201);
    check_books(&server.registrar, 30_000).await;
    server.stop().await;
}

/// T63, T08: nobody is connected, and nobody comes back.
#[tokio::test(flavor = "multi_thread")]
async fn t63_a_match_left_by_both_runs_to_its_flag_and_is_settled_once() {
    let server = TestServer::with(&["--clock-ms=1000"]).await;
    let (id, [first, second]) = server.start_match(500).await;
    eventually("the flag falls", async || {
        let shown = server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body;
        shown["outcome"]["ending"] == "timeout" && shown["outcome"]["winner"] == "second"
    })
    .await;
    assert_eq!(settlements(&server.registrar.pool, &id).await, ["win"]);
    assert_eq!(available(&server.registrar.pool, &[&first, &second]).await, [0, 900]);
    check_books(&server.registrar, 1_000).await;
    server.stop().await;
}
