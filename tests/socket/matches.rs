//! Whole matches.

use serde_json::json;
use stakeboard_engine::Game;
use stakeboard_tests::{
    TestServer,
    play::{play_side, replay, seat_of},
    server::start_match,
};

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_staked_matches_at_once_are_played_to_the_end_and_paid() {
    const MATCHES: u64 = 200;
    const MONEY: i64 = 1_000;
    const STAKE: i64 = 250;
    let server = TestServer::start().await;
    let rulesets: Vec<(&str, &str)> =
        Game::ALL.iter().flat_map(|game| game.presets().iter().map(|(preset, _)| (game.code(), *preset))).collect();
    let mut running = Vec::new();
    for number in 0..MATCHES {
        let (one, _) = server.player(MONEY).await;
        let (two, _) = server.player(MONEY).await;
        let (game, preset) = rulesets[usize::try_from(number).unwrap() % rulesets.len()];
        let terms = json!({"game": game, "preset": preset, "stake": STAKE});
        let id = start_match(&server.client(), &one, &two, &terms).await;
        let address = server.address;
        running.push(tokio::spawn(async move {
            let ((end, seen), (same_end, _)) =
                tokio::join!(play_side(address, &id, &one, number * 2), play_side(address, &id, &two, number * 2 + 1));
            assert_eq!(end["outcome"], same_end["outcome"]);
            assert!(seen.windows(2).all(|pair| pair[1] == pair[0] + 1), "no gap and no repeat: {seen:?}");
            (id, one, two, end)
        }));
    }
    let mut decided = 0;
    for playing in running {
        let (id, one, two, end) = playing.await.unwrap();
        let record = server.client().get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
        replay(&record);
        assert_eq!(record["outcome"], end["outcome"]);
        let snapshot = server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body;
        let winner = end["outcome"]["winner"].as_str();
        let (payout, fee) = if winner.is_some() { (STAKE * 2 * 9 / 10, STAKE * 2 / 10) } else { (0, 0) };
        decided += i64::from(winner.is_some());
        for told in [&record, &snapshot, &end] {
            assert_eq!((told["payout"].as_i64(), told["fee"].as_i64()), (Some(payout), Some(fee)), "{told}");
        }
        for player in [one, two] {
            let expected = match winner {
                None => MONEY,
                Some(seat) if seat == seat_of(&snapshot, &player) => MONEY - STAKE + payout,
                Some(_) => MONEY - STAKE,
            };
            assert_eq!(server.registrar.available(player.id).await, expected);
        }
    }
    assert!(decided > 0, "random play decides most matches");
    server.registrar.verify_ledger().await;
    server.stop().await;
}
