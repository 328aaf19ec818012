//! O-5, P-4: adjustments with a second approver, and the state of a player's identity.

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{Client, Player, TestServer};

use crate::support::{accept, post_seek, text, together};

async fn admin(server: &TestServer) -> (Player, Client) {
    let admin = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let client = server.client().of(&admin);
    (admin, client)
}

#[tokio::test(flavor = "multi_thread")]
async fn o_5_an_adjustment_is_a_transfer_like_any_other_and_the_floor_holds() {
    let server = TestServer::start().await;
    let (boss, admin) = admin(&server).await;
    let (player, client) = server.player(1_000).await;
    let path = format!("/v1/admin/players/{}/adjust", player.id);

    let given = json!({"amount": 250, "reason": "a prize"});
    let made = admin.post_keyed(&path, "one", &given).await.expect(201).body;
    assert_eq!((&made["status"], &made["amount"], &made["player"]), (&json!("done"), &json!(250), &json!(player.id)));
    // B15: the same key and body answers with the first result; another body is refused.
    assert_eq!(admin.post_keyed(&path, "one", &given).await.expect(201).body, made);
    let other = json!({"amount": 251, "reason": "a prize"});
    admin.post_keyed(&path, "one", &other).await.refused(422, "idempotency_key_reused");
    assert_eq!(server.registrar.available(player.id).await, 1_250);

    admin
        .post_once(&path, &json!({"amount": -1_251, "reason": "too much"}))
        .await
        .refused(409, "balance_out_of_bounds");
    admin.post_once(&path, &json!({"amount": -1_250, "reason": "all of it"})).await.expect(201);
    assert_eq!(server.registrar.available(player.id).await, 0);
    let lines = client.get("/v1/wallet/transfers").await.expect(200).body;
    let lines: Vec<_> =
        lines["items"].as_array().unwrap().iter().map(|line| (text(&line["kind"]), line["amount"].clone())).collect();
    assert_eq!(lines[..2], [("adjustment".into(), json!(-1_250)), ("adjustment".into(), json!(250))]);

    for (body, field, rule) in [
        (json!({"amount": 0, "reason": "x"}), "amount", "out_of_range"),
        (json!({"amount": "5", "reason": "x"}), "amount", "wrong_type"),
        (json!({"amount": 1.0, "reason": "x"}), "amount", "wrong_type"),
        (json!({"amount": 1_000_000_000_001_i64, "reason": "x"}), "amount", "out_of_range"),
        (json!({"amount": i64::MIN, "reason": "x"}), "amount", "out_of_range"),
        (json!({"amount": 5}), "reason", "missing_field"),
        (json!({"amount": 5, "reason": " "}), "reason", "length"),
        (json!({"amount": 5, "reason": "x", "kind": "gift"}), "kind", "unknown_field"),
    ] {
        let answer = admin.post_once(&path, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [(field.to_owned(), rule.to_owned())], "{body}");
    }
    for amount in [-1_000_000_000_001_i64, 0, 1_000_000_000_001] {
        let beyond = json!({"amount": amount, "reason": "x"});
        let told = admin.post_once(&path, &beyond).await.refused(422, "invalid_request").body;
        assert_eq!(told["errors"][0]["detail"], "A whole number from -1000000000000 to 1000000000000, but not 0.");
    }
    admin.post(&path, &given).await.refused(400, "idempotency_key_missing");
    let own = format!("/v1/admin/players/{}/adjust", boss.id);
    admin.post_once(&own, &given).await.refused(422, "own_account");
    let unknown = format!("/v1/admin/players/{}/adjust", uuid::Uuid::now_v7());
    admin.post_once(&unknown, &given).await.refused(404, "not_found");
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let guest = format!("/v1/admin/players/{}/adjust", text(&guest["player"]["id"]));
    admin.post_once(&guest, &given).await.refused(403, "guest_account");

    let noted = admin.get("/v1/admin/audit?action=player.adjust").await.expect(200).body;
    let noted = noted["items"].as_array().unwrap().clone();
    assert_eq!(noted.len(), 2, "a repeat and a refusal leave no line");
    assert_eq!((&noted[1]["reason"], &noted[1]["detail"]), (&json!("a prize"), &json!({"amount": 250})));
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o_5_above_the_set_amount_another_administrator_decides() {
    let server = TestServer::with(&["--adjust-alone-most=100"]).await;
    let ((_, one), (two_id, two)) = (admin(&server).await, admin(&server).await);
    let (player, _) = server.player(0).await;
    let ask = async |id: String, amount: i64| {
        one.post_once(&format!("/v1/admin/players/{id}/adjust"), &json!({"amount": amount, "reason": "a prize"})).await
    };
    let decide = |adjustment: &Value, what: &str| format!("/v1/admin/adjustments/{}/{what}", text(&adjustment["id"]));
    let because = json!({"reason": "looked at"});

    ask(player.id.to_string(), 60).await.expect(201);
    ask(player.id.to_string(), 40).await.expect(201);
    let large = ask(player.id.to_string(), 101).await.expect(202).body;
    assert_eq!((&large["status"], &large["decided_by"]), (&json!("waiting"), &Value::Null));
    assert_eq!(server.registrar.available(player.id).await, 100);
    one.post(&decide(&large, "approve"), &because).await.refused(403, "own_request");
    one.post(&decide(&large, "reject"), &because).await.refused(403, "own_request");
    two.post(&decide(&large, "approve"), &json!({})).await.refused(422, "invalid_request");
    let waiting = two.get("/v1/admin/adjustments?status=waiting").await.expect(200).body;
    assert_eq!(waiting["items"], json!([large]));

    let done = two.post(&decide(&large, "approve"), &because).await.expect(200).body;
    assert_eq!((&done["status"], &done["decided_by"]), (&json!("done"), &json!(two_id.id)));
    assert_eq!(server.registrar.available(player.id).await, 201);
    for what in ["approve", "reject"] {
        two.post(&decide(&large, what), &because).await.refused(409, "already_decided");
    }

    let refused = ask(player.id.to_string(), -101).await.expect(202).body;
    two.post(&decide(&refused, "reject"), &because).await.expect(200);
    two.post(&decide(&refused, "approve"), &because).await.refused(409, "already_decided");
    let too_much = ask(player.id.to_string(), -500).await.expect(202).body;
    two.post(&decide(&too_much, "approve"), &because).await.refused(409, "balance_out_of_bounds");
    assert_eq!(server.registrar.available(player.id).await, 201);
    // Whose balance it is does not decide either.
    let own = ask(two_id.id.to_string(), 500).await.expect(202).body;
    two.post(&decide(&own, "approve"), &because).await.refused(422, "own_account");
    two.post(&format!("/v1/admin/adjustments/{}/approve", uuid::Uuid::now_v7()), &because)
        .await
        .refused(404, "not_found");
    assert_eq!(two.get("/v1/admin/adjustments?limit=1").await.expect(200).body["items"], json!([own]));
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o_5_many_small_adjustments_of_a_day_are_one_large_one() {
    let server = TestServer::with(&["--adjust-alone-most=100"]).await;
    let ((boss, one), (_, two)) = (admin(&server).await, admin(&server).await);
    let ((player, _), (friend, _)) = (server.player(0).await, server.player(0).await);
    let ask = async |client: &Client, id, amount: i64| {
        client
            .post_once(&format!("/v1/admin/players/{id}/adjust"), &json!({"amount": amount, "reason": "a prize"}))
            .await
    };
    // Either way, on whatever account, side by side: of ten of 40, two are within 100.
    let asked = (0..10).map(|number| {
        let client = server.client().of(&boss);
        let id = if number % 2 == 0 { player.id } else { friend.id };
        async move { ask(&client, id, 40).await.status }
    });
    let answers = together(asked.collect::<Vec<_>>()).await;
    assert_eq!(answers.iter().filter(|status| **status == 201).count(), 2, "{answers:?}");
    assert_eq!(answers.iter().filter(|status| **status == 202).count(), 8, "{answers:?}");
    let (own, other) = (server.registrar.available(player.id).await, server.registrar.available(friend.id).await);
    assert_eq!(own + other, 80);
    // What is taken counts as what is given, and what waits counts for nothing.
    let rich = if own > 0 { player.id } else { friend.id };
    ask(&one, rich, -21).await.expect(202);
    ask(&one, rich, -20).await.expect(201);
    ask(&one, rich, 1).await.expect(202);
    // A reversal moves money too. What another has decided is not one's own, and each has a sum of their own.
    let lines = one.get(&format!("/v1/admin/ledger/transfers?player={rich}")).await.expect(200).body;
    let transfer = text(&lines["items"][0]["id"]);
    one.post_once(&format!("/v1/admin/ledger/transfers/{transfer}/reverse"), &json!({"reason": "x"})).await.expect(202);
    ask(&two, rich, 100).await.expect(201);
    ask(&two, rich, 1).await.expect(202);

    // A day later all of it is past. The rows are only added to, so their owner moves them there.
    let mut owner = server.database.as_owner().await;
    for statement in [
        "alter table adjustments disable trigger adjustments_steps",
        "update adjustments set asked_at = asked_at - interval '24 hours'",
        "alter table adjustments enable trigger adjustments_steps",
    ] {
        sqlx::query(statement).execute(&mut owner).await.unwrap();
    }
    ask(&one, rich, 100).await.expect(201);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o_5_what_somebody_asked_who_has_lost_the_role_is_not_approved_any_more() {
    let server = TestServer::with(&["--adjust-alone-most=0"]).await;
    let ((asker, one), (_, two)) = (admin(&server).await, admin(&server).await);
    let (player, _) = server.player(0).await;
    let path = format!("/v1/admin/players/{}/adjust", player.id);
    let mut asked = Vec::new();
    for amount in [1, 2] {
        asked.push(one.post_once(&path, &json!({"amount": amount, "reason": "x"})).await.expect(202).body);
    }
    let because = json!({"reason": "looked at"});
    let decide = async |number: usize, what: &str| {
        two.post(&format!("/v1/admin/adjustments/{}/{what}", text(&asked[number]["id"])), &because).await
    };
    let roles = async |roles: Value| {
        let path = format!("/v1/admin/players/{}/roles", asker.id);
        two.post(&path, &json!({"roles": roles, "reason": "left"})).await.expect(200);
    };
    roles(json!(["cashier"])).await;
    decide(0, "approve").await.refused(409, "asker_gone");
    assert_eq!(server.registrar.available(player.id).await, 0);
    decide(0, "reject").await.expect(200);
    // A frozen account has no roles either.
    roles(json!(["admin"])).await;
    two.post(&format!("/v1/admin/players/{}/freeze", asker.id), &because).await.expect(200);
    decide(1, "approve").await.refused(409, "asker_gone");
    two.post(&format!("/v1/admin/players/{}/unfreeze", asker.id), &because).await.expect(200);
    decide(1, "approve").await.expect(200);
    assert_eq!(server.registrar.available(player.id).await, 2);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o_5_an_adjustment_approved_by_many_at_once_is_made_once() {
    let server = TestServer::with(&["--adjust-alone-most=0"]).await;
    let (_, one) = admin(&server).await;
    let (player, _) = server.player(0).await;
    let asked = one
        .post_once(&format!("/v1/admin/players/{}/adjust", player.id), &json!({"amount": 7, "reason": "x"}))
        .await
        .expect(202)
        .body;
    let mut acts = Vec::new();
    for number in 0..8 {
        let (_, client) = admin(&server).await;
        let what = if number % 2 == 0 { "approve" } else { "reject" };
        let path = format!("/v1/admin/adjustments/{}/{what}", text(&asked["id"]));
        acts.push(async move { (what, client.post(&path, &json!({"reason": "race"})).await) });
    }
    let answers = together(acts).await;
    let done: Vec<_> = answers.iter().filter(|(_, answer)| answer.status == 200).collect();
    assert_eq!(done.len(), 1);
    assert!(answers.iter().all(|(_, answer)| answer.status == 200 || answer.code() == "already_decided"));
    let expected = if done[0].0 == "approve" { 7 } else { 0 };
    assert_eq!(server.registrar.available(player.id).await, expected);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_4_a_verified_identity_is_needed_for_stakes_where_the_operator_says_so() {
    let server = TestServer::with(&["--identity-for-stakes"]).await;
    let (_, admin) = admin(&server).await;
    let ((one, first), (two, second)) = (server.player(100).await, server.player(100).await);
    let state = async |player: &Player, state: &str| {
        let path = format!("/v1/admin/players/{}/identity", player.id);
        admin.post(&path, &json!({"state": state, "reason": "papers"})).await
    };
    let oware = json!({"game": "oware", "stake": 50});
    for before in ["none", "pending", "refused"] {
        if before != "none" {
            state(&one, before).await.expect(200);
        }
        assert_eq!(first.get("/v1/me").await.expect(200).body["identity"], before);
        first.post("/v1/lobby/seeks", &oware).await.refused(403, "identity_needed");
    }
    state(&one, "verified").await.expect(200);
    let seek = post_seek(&first, 50).await;
    accept(&second, &seek, 50).await.refused(403, "identity_needed");
    state(&two, "verified").await.expect(200);
    // Taken back, it counts for the poster at the accept.
    state(&one, "refused").await.expect(200);
    accept(&second, &seek, 50).await.refused(409, "seek_gone");
    state(&one, "seen").await.refused(422, "invalid_request");
    let lines = admin.get("/v1/admin/audit?action=player.identity").await.expect(200).body;
    assert_eq!(lines["items"][0]["detail"], json!({"before": "verified", "after": "refused"}));
    let found = admin.get(&format!("/v1/admin/players?id={}", two.id)).await.expect(200).body;
    assert_eq!((&found["items"][0]["identity"], &found["items"][0]["frozen"]), (&json!("verified"), &json!(false)));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_4_a_verified_identity_is_needed_for_withdrawals_where_the_operator_says_so() {
    let server = TestServer::with(&["--identity-for-withdrawals"]).await;
    let (_, admin) = admin(&server).await;
    let (player, client) = server.player(100).await;
    client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 50})).await.expect(201);
    let withdraw = async || client.post_once("/v1/wallet/withdrawals", &json!({"amount": 10})).await;
    withdraw().await.refused(403, "identity_needed");
    let verified = json!({"state": "verified", "reason": "papers"});
    admin.post(&format!("/v1/admin/players/{}/identity", player.id), &verified).await.expect(200);
    withdraw().await.expect(201);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_3_who_is_shut_out_is_still_paid_out() {
    let server = TestServer::start().await;
    let (_, admin) = admin(&server).await;
    let (player, _) = server.player(100).await;
    let freeze = json!({"reason": "x"});
    admin.post(&format!("/v1/admin/players/{}/freeze", player.id), &freeze).await.expect(200);
    let client = server.client().of(&server.registrar.session(player.id, player.name.clone()).await);
    client.post_once("/v1/wallet/withdrawals", &json!({"amount": 100})).await.expect(201);
    // P-6: what is held is still owed. The account stays.
    admin.post(&format!("/v1/admin/players/{}/unfreeze", player.id), &freeze).await.expect(200);
    client.delete("/v1/me").await.refused(409, "account_in_use");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_4_by_default_no_identity_is_needed() {
    let server = TestServer::start().await;
    let (_, client) = server.player(100).await;
    client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 50})).await.expect(201);
    server.stop().await;
}
