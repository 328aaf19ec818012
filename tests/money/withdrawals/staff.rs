//! Who of the staff may see and decide on withdrawals, how they find them, and what is noted of it.

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::TestServer;

use super::{approve, cancel, cashier, reject, requested};
use crate::support::text;

#[tokio::test(flavor = "multi_thread")]
async fn o5_who_may_see_withdrawals_and_who_may_decide() {
    let server = TestServer::start().await;
    let (_, client) = server.player(10_000).await;
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let guest = server.client().with_token(guest["access_token"].as_str().unwrap());
    guest.post_once("/v1/wallet/withdrawals", &json!({"amount": 5})).await.refused(403, "account_needed");
    guest.get("/v1/wallet/withdrawals").await.refused(403, "account_needed");
    let mut callers = vec![("nobody", server.client()), ("guest", guest), ("player", server.player(0).await.1)];
    for (name, role) in [("auditor", Role::Auditor), ("cashier", Role::Cashier), ("admin", Role::Admin)] {
        callers.push((name, server.client().of(&server.registrar.with_roles(0, vec![role]).await)));
    }
    let expected = [
        ("nobody", 401, 401),
        ("guest", 403, 403),
        ("player", 403, 403),
        ("auditor", 200, 403),
        ("cashier", 200, 200),
        ("admin", 200, 200),
    ];
    for ((name, caller), (same, reads, decides)) in callers.into_iter().zip(expected) {
        assert_eq!(name, same);
        let listed = caller.get("/v1/admin/withdrawals").await;
        let one = requested(&client, 100).await;
        let rejected = reject(&caller, &one).await;
        if rejected.status != 200 {
            cancel(&client, &one).await.expect(204);
        }
        let other = requested(&client, 100).await;
        let approved = approve(&caller, &other).await;
        if approved.status != 200 {
            cancel(&client, &other).await.expect(204);
        }
        assert_eq!((listed.status, rejected.status, approved.status), (reads, decides, decides), "{name}");
    }
    // Nobody decides on their own, nor reaches into another player's.
    for role in [Role::Cashier, Role::Admin] {
        let own = server.client().of(&server.registrar.with_roles(500, vec![role]).await);
        let id = requested(&own, 500).await;
        approve(&own, &id).await.refused(422, "own_account");
        reject(&own, &id).await.refused(422, "own_account");
        cancel(&client, &id).await.refused(404, "not_found");
        approve(&own, uuid::Uuid::nil().to_string().as_str()).await.refused(404, "not_found");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o1_decisions_and_readings_are_in_the_audit_log_and_reasons_are_required() {
    let server = TestServer::start().await;
    let (player, client) = server.player(10_000).await;
    let staff = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let desk = server.client().of(&staff);
    let id = requested(&client, 100).await;
    let path = format!("/v1/admin/withdrawals/{id}/reject");
    for reason in ["", "   ", &"x".repeat(1_001), "nul \0"] {
        let answer = desk.post(&path, &json!({"reason": reason})).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, "reason");
    }
    desk.post(&path, &json!({})).await.refused(422, "invalid_request");
    desk.post(&path, &json!({"reason": "ação \u{202e}\u{1f9fe}"})).await.expect(200);
    let approved = requested(&client, 200).await;
    let path = format!("/v1/admin/withdrawals/{approved}/approve");
    for (body, field) in [(json!({"reason": " "}), "reason"), (json!({"note": "x"}), "note"), (json!([]), "body")] {
        let answer = desk.post(&path, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field);
    }
    approve(&desk, &approved).await.expect(200);
    let remarked = requested(&client, 300).await;
    let path = format!("/v1/admin/withdrawals/{remarked}/approve");
    desk.post(&path, &json!({"reason": "the bank was asked"})).await.expect(200);
    desk.get(&format!("/v1/admin/withdrawals?player={}", player.id)).await.expect(200);
    let log = desk.get(&format!("/v1/admin/audit?player={}", player.id)).await.expect(200).body;
    let lines: Vec<_> = log["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| text(&line["action"]).starts_with("withdrawal."))
        .map(|line| (text(&line["action"]), line["subject"].clone(), line["reason"].clone(), line["actor"].clone()))
        .collect();
    let actor = json!(staff.id);
    assert_eq!(
        lines,
        [
            ("withdrawal.read".to_owned(), Value::Null, Value::Null, actor.clone()),
            ("withdrawal.approve".to_owned(), json!(remarked), json!("the bank was asked"), actor.clone()),
            ("withdrawal.approve".to_owned(), json!(approved), Value::Null, actor.clone()),
            ("withdrawal.reject".to_owned(), json!(id), json!("ação \u{202e}\u{1f9fe}"), actor),
        ]
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_staff_finds_withdrawals_by_status_player_and_age_page_by_page() {
    let server = TestServer::start().await;
    let (_, desk) = cashier(&server).await;
    let mut asked = Vec::new();
    for _ in 0..5 {
        let (player, client) = server.player(100).await;
        asked.push((player, client.clone(), requested(&client, 100).await));
    }
    approve(&desk, &asked[0].2).await.expect(200);
    let ids = |body: &Value| -> Vec<String> {
        body["items"].as_array().unwrap().iter().map(|one| text(&one["id"])).collect()
    };
    let mut seen = Vec::new();
    let mut path = "/v1/admin/withdrawals?limit=2".to_owned();
    loop {
        let page = desk.get(&path).await.expect(200).body;
        seen.extend(ids(&page));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/admin/withdrawals?limit=2&cursor={cursor}");
    }
    let newest_first: Vec<String> = asked.iter().rev().map(|(.., id)| id.clone()).collect();
    assert_eq!(seen, newest_first);
    let open = desk.get("/v1/admin/withdrawals?status=requested").await.expect(200).body;
    assert_eq!(ids(&open), newest_first[..4]);
    let of_one = desk.get(&format!("/v1/admin/withdrawals?player={}", asked[2].0.id)).await.expect(200).body;
    assert_eq!(ids(&of_one), [asked[2].2.clone()]);
    assert_eq!(of_one["items"][0]["player"]["display_name"], asked[2].0.name);
    assert!(of_one["items"][0]["age_ms"].as_i64().unwrap() >= 0);
    let old = desk.get("/v1/admin/withdrawals?min_age_ms=3600000").await.expect(200).body;
    assert_eq!(ids(&old), Vec::<String>::new());
    for query in ["status=open", "min_age_ms=-1", "min_age_ms=x", "cursor=x", "limit=0", "player=x", "state=paid"] {
        desk.get(&format!("/v1/admin/withdrawals?{query}")).await.refused(422, "invalid_request");
    }
    server.stop().await;
}
