//! O-3, O-4: the daily report, pairs, complaints.

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{Client, Player, TestServer, server::start_match};

use crate::support::{end_in_draw, text};

async fn staff(server: &TestServer, role: Role) -> Client {
    server.client().of(&server.registrar.with_roles(0, vec![role]).await)
}

/// A match that the second of these loses.
async fn won(server: &TestServer, winner: &Player, loser: &Player, stake: i64) -> String {
    let id = start_match(&server.client(), winner, loser, &json!({"game": "oware", "stake": stake})).await;
    server.client().of(loser).post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn o_3_the_daily_report_says_what_the_day_did_and_ties_to_the_trial_balance() {
    let server = TestServer::start().await;
    let (admin, auditor) = (staff(&server, Role::Admin).await, staff(&server, Role::Auditor).await);
    let (one, two) = (server.registrar.player(1_000).await, server.registrar.player(500).await);
    let idle = server.registrar.player(0).await;
    won(&server, &one, &two, 100).await;
    won(&server, &two, &one, 50).await;
    let drawn = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 25})).await;
    end_in_draw(&drawn, &server.client().of(&one), &server.client().of(&two)).await;
    let path = format!("/v1/admin/players/{}/adjust", two.id);
    admin.post_once(&path, &json!({"amount": -30, "reason": "a correction"})).await.expect(201);
    // One more is under way.
    start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 200})).await;

    let report = auditor.get("/v1/admin/reports/daily").await.expect(200).body;
    let line = |player: &Player, figures: [i64; 7]| {
        let [deposits, staked, won, refunded, withdrawn, adjusted, closing] = figures;
        json!({
            "player": player.id, "opening": 0, "deposits": deposits, "staked": staked, "won": won,
            "refunded": refunded, "withdrawn": withdrawn, "adjusted": adjusted, "closing": closing
        })
    };
    let expected = [line(&two, [500, 375, 90, 25, 0, -30, 210]), line(&one, [1_000, 375, 180, 25, 0, 0, 830])];
    assert_eq!(report["items"], json!(expected), "{} has neither money nor movement", idle.id);
    assert_eq!(
        report["totals"],
        json!({
            "players": 2, "opening": 0, "deposits": 1_500, "staked": 750, "won": 270, "refunded": 50, "withdrawn": 0,
            "adjusted": -30, "closing": 1_040, "difference": 0
        })
    );
    let trial = auditor.get("/v1/admin/ledger/trial-balance").await.expect(200).body;
    let of = |kind: &str| {
        let kinds = trial["accounts"].as_array().unwrap();
        kinds.iter().find(|line| line["kind"] == kind).and_then(|line| line["balance"].as_i64()).unwrap_or(0)
    };
    assert_eq!(report["totals"]["closing"], of("player") + of("withdrawal_hold"));
    assert_eq!(
        report["totals"]["deposits"].as_i64().unwrap() - report["totals"]["withdrawn"].as_i64().unwrap(),
        -of("external")
    );
    assert_eq!(report["totals"]["adjusted"].as_i64().unwrap(), -of("adjustment"));
    assert_eq!(1_500 - 30 - 1_040, of("escrow") + of("house_fee"));

    // In pages, with the same totals; and the day before, on which there was nothing.
    let first = auditor.get("/v1/admin/reports/daily?limit=1").await.expect(200).body;
    let next = auditor.get(&format!("/v1/admin/reports/daily?limit=1&cursor={}", text(&first["next_cursor"]))).await;
    let next = next.expect(200).body;
    assert_eq!((&first["items"][0], &next["items"][0]), (&expected[0], &expected[1]));
    assert_eq!((&next["totals"], &next["next_cursor"]), (&report["totals"], &Value::Null));
    let before = auditor.get("/v1/admin/reports/daily?date=2020-02-29").await.expect(200).body;
    assert_eq!((&before["items"], &before["totals"]["closing"]), (&json!([]), &json!(0)));
    assert_eq!(
        (&before["from"], &before["to"]),
        (&json!("2020-02-29T00:00:00.000Z"), &json!("2020-03-01T00:00:00.000Z"))
    );
    for query in ["date=2021-02-29", "date=today", "date=9999-12-31", "date=20200229", "day=2020-02-29", "limit=x"] {
        auditor.get(&format!("/v1/admin/reports/daily?{query}")).await.refused(422, "invalid_request");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o_3_one_day_closes_with_what_the_next_one_opens_with() {
    let server = TestServer::start().await;
    let auditor = staff(&server, Role::Auditor).await;
    let player = server.registrar.player(700).await;
    let mut owner = server.database.as_owner().await;
    sqlx::raw_sql(
        "set session_replication_role = replica;
         update entries set created_at = created_at - interval '1 day';
         update transfers set created_at = created_at - interval '1 day'",
    )
    .execute(&mut owner)
    .await
    .unwrap();
    server.registrar.deposit(player.id, 11).await;
    let today = auditor.get("/v1/admin/reports/daily").await.expect(200).body;
    let yesterday =
        time::Date::parse(today["date"].as_str().unwrap(), time::macros::format_description!("[year]-[month]-[day]"));
    let yesterday = yesterday.unwrap().previous_day().unwrap();
    let yesterday = auditor.get(&format!("/v1/admin/reports/daily?date={yesterday}")).await.expect(200).body;
    let figures =
        |report: &Value| ["opening", "deposits", "closing"].map(|name| report["items"][0][name].as_i64().unwrap());
    assert_eq!((figures(&yesterday), figures(&today)), ([0, 700, 700], [700, 11, 711]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o_4_pairs_are_listed_by_what_flowed_between_them() {
    let server = TestServer::start().await;
    let auditor = staff(&server, Role::Auditor).await;
    let mut players = Vec::new();
    for _ in 0..4 {
        players.push(server.registrar.player(1_000).await);
    }
    let [one, two, three, four] = &players[..] else { unreachable!() };
    for _ in 0..3 {
        won(&server, two, one, 100).await;
    }
    won(&server, one, two, 50).await;
    won(&server, three, four, 10).await;
    let drawn = start_match(&server.client(), one, three, &json!({"game": "oware", "stake": 500})).await;
    end_in_draw(&drawn, &server.client().of(one), &server.client().of(three)).await;

    let page = auditor.get("/v1/admin/reports/pairs").await.expect(200).body;
    let of = |line: &Value| (line["one"].clone(), line["two"].clone(), line["matches"].clone(), line["flow"].clone());
    let lines: Vec<_> = page["items"].as_array().unwrap().iter().map(of).collect();
    assert_eq!(
        lines,
        [
            (json!(one.id), json!(two.id), json!(4), json!(-250)),
            (json!(three.id), json!(four.id), json!(1), json!(10)),
            (json!(one.id), json!(three.id), json!(1), json!(0)),
        ]
    );
    let most = &page["items"][0];
    let counts =
        ["won_by_one", "won_by_two", "undecided", "resignations", "timeouts", "staked"].map(|name| most[name].clone());
    assert_eq!(counts, [1, 3, 0, 4, 0, 350].map(|number| json!(number)));
    assert!(most["shortest_ms"].as_i64().unwrap() <= most["played_ms"].as_i64().unwrap());

    let window = "from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z";
    let mut found = Vec::new();
    let mut path = format!("/v1/admin/reports/pairs?{window}&limit=1");
    loop {
        let page = auditor.get(&path).await.expect(200).body;
        found.extend(page["items"].as_array().unwrap().iter().map(of));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/admin/reports/pairs?{window}&limit=1&cursor={cursor}");
    }
    assert_eq!(found, lines, "pages neither skip nor repeat");
    for (query, count) in [
        (format!("player={}", three.id), 2),
        (format!("player={}&matches_min=2", one.id), 1),
        ("matches_min=5".into(), 0),
        ("to=2020-01-01T00:00:00Z".into(), 0),
    ] {
        let page = auditor.get(&format!("/v1/admin/reports/pairs?{query}")).await.expect(200).body;
        assert_eq!(page["items"].as_array().unwrap().len(), count, "{query}");
    }
    for query in ["cursor=1.2", "cursor=x", "matches_min=0", "from=x", "pair=x"] {
        auditor.get(&format!("/v1/admin/reports/pairs?{query}")).await.refused(422, "invalid_request");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o_4_the_players_of_a_match_report_it_once_each_and_the_staff_reads_it() {
    let server = TestServer::start().await;
    let auditor = staff(&server, Role::Auditor).await;
    let (id, [first, second]) = server.start_match(50).await;
    let (_, stranger) = server.player(0).await;
    let path = format!("/v1/matches/{id}/report");
    let (one, two) = (server.client().of(&first), server.client().of(&second));
    let words = json!({"text": "  perdeu de propósito 🙁 \u{202e}x "});

    server.client().post(&path, &words).await.refused(401, "unauthenticated");
    stranger.post(&path, &words).await.refused(403, "not_a_player");
    one.post(&format!("/v1/matches/{}/report", uuid::Uuid::now_v7()), &words).await.refused(404, "not_found");
    for (body, field) in [
        (json!({"text": ""}), "text"),
        (json!({"text": "a\u{0}"}), "text"),
        (json!({}), "text"),
        (json!({"text": "x", "a": 1}), "a"),
    ] {
        assert_eq!(one.post(&path, &body).await.refused(422, "invalid_request").fields()[0].0, field);
    }
    let made = one.post(&path, &words).await.expect(201).body;
    assert_eq!((&made["rival"], &made["text"]), (&json!(second.id), &json!("perdeu de propósito 🙁 \u{202e}x")));
    one.post(&path, &words).await.refused(409, "already_reported");
    one.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    let other = two.post(&path, &json!({"text": "nada"})).await.expect(201).body;

    let read = auditor.get("/v1/admin/reports/complaints").await.expect(200).body;
    assert_eq!(read["items"], json!([other, made]));
    for (query, count) in [
        (format!("match={id}"), 2),
        (format!("player={}", first.id), 2),
        (format!("player={}", uuid::Uuid::now_v7()), 0),
        ("limit=1".into(), 1),
    ] {
        let page = auditor.get(&format!("/v1/admin/reports/complaints?{query}")).await.expect(200).body;
        assert_eq!(page["items"].as_array().unwrap().len(), count, "{query}");
    }
    server.stop().await;
}
