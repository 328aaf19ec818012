//! P-6: an account with money, a hold or a live match stays; otherwise the person goes and the ledger stays.

use reqwest::{
    Method,
    header::{ACCEPT_LANGUAGE, HeaderMap},
};
use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{Socket, TestServer};

use crate::support::{check_books, post_seek, text, together};

#[tokio::test(flavor = "multi_thread")]
async fn p_6_an_account_with_money_or_a_live_match_is_not_deleted() {
    let server = TestServer::start().await;
    let (_, rich) = server.player(5).await;
    rich.delete("/v1/me").await.refused(409, "account_in_use");
    let (id, [first, second]) = server.start_match(50).await;
    let (one, two) = (server.client().of(&first), server.client().of(&second));
    for client in [&one, &two] {
        client.delete("/v1/me").await.refused(409, "account_in_use");
        client.get("/v1/me").await.expect(200);
    }
    one.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    two.delete("/v1/me").await.refused(409, "account_in_use");
    assert_eq!(one.delete("/v1/me").await.status, 204);
    // The match is still there, with a name that says nothing.
    let snapshot = server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body;
    assert!(text(&snapshot["players"]["first"]["display_name"]).starts_with("deleted "), "{snapshot}");
    check_books(&server.registrar, 105).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_6_nothing_personal_is_left_and_the_address_is_free_again() {
    let server = TestServer::start().await;
    let sign_up = json!({
        "email": "ana@example.com", "password": "correct horse staple", "display_name": "Ana Maria",
        "birth_date": "1990-05-17"
    });
    let made = server.client().post("/v1/auth/register", &sign_up).await.expect(201).body;
    let client = server.client().with_token(&text(&made["access_token"]));
    let mut socket = Socket::open(server.address, &text(&made["access_token"])).await;
    assert_eq!(client.delete("/v1/me").await.status, 204);
    client.get("/v1/me").await.refused(401, "unauthenticated");
    assert!(socket.closed().await.1.is_some());
    let refresh = json!({"refresh_token": made["refresh_token"]});
    server.client().post("/v1/auth/refresh", &refresh).await.refused(401, "unauthenticated");
    let credentials = json!({"email": "ana@example.com", "password": "correct horse staple"});
    server.client().post("/v1/auth/login", &credentials).await.refused(401, "bad_credentials");

    let row: Value = sqlx::query_scalar("select to_jsonb(p) from players p where id = $1::uuid")
        .bind(text(&made["player"]["id"]))
        .fetch_one(&server.registrar.pool)
        .await
        .unwrap();
    for personal in ["ana", "maria", "1990"] {
        assert!(!row.to_string().to_lowercase().contains(personal), "{personal}: {row}");
    }
    // Not even by the pseudonym does anybody log in.
    let pseudonym = json!({"email": row["email"], "password": "correct horse staple"});
    server.client().post("/v1/auth/login", &pseudonym).await.refused(401, "bad_credentials");
    server.client().post("/v1/auth/register", &sign_up).await.expect(201);

    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let guest = server.client().with_token(&text(&guest["access_token"]));
    assert_eq!(guest.delete("/v1/me").await.status, 204);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_6_a_break_and_a_freeze_are_not_got_around() {
    let server = TestServer::start().await;
    let admin = server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await);
    let (player, client) = server.player(0).await;
    client.post("/v1/me/exclusion", &json!({"months": 6})).await.expect(200);
    let client = server.client().of(&server.registrar.session(player.id, player.name.clone()).await);
    client.delete("/v1/me").await.refused(403, "on_break");
    let (player, _) = server.player(0).await;
    admin.post(&format!("/v1/admin/players/{}/freeze", player.id), &json!({"reason": "x"})).await.expect(200);
    let client = server.client().of(&server.registrar.session(player.id, player.name.clone()).await);
    client.delete("/v1/me").await.refused(403, "frozen");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b36_a_deposit_and_a_deletion_at_once_lose_no_money() {
    let server = TestServer::start().await;
    for _ in 0..10 {
        let (player, client) = server.player(0).await;
        let mut acts: Vec<futures_util::future::BoxFuture<'static, u16>> = Vec::new();
        let (one, two) = (client.clone(), client.clone());
        acts.push(Box::pin(async move { one.delete("/v1/me").await.status }));
        acts.push(Box::pin(async move { two.post_once("/v1/wallet/deposits", &json!({"amount": 5})).await.status }));
        let done = together(acts).await;
        assert!(matches!(done[..], [204, 401] | [409, 201]), "{done:?}");
        let deleted: bool = sqlx::query_scalar("select deleted_at is not null from players where id = $1")
            .bind(player.id.0)
            .fetch_one(&server.registrar.pool)
            .await
            .unwrap();
        if deleted {
            assert_eq!(server.registrar.available(player.id).await, 0, "nobody is left to own it");
        }
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_6_open_seeks_go_with_their_poster() {
    let server = TestServer::start().await;
    let (player, client) = server.player(50).await;
    post_seek(&client, 50).await;
    let admin = server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await);
    let path = format!("/v1/admin/players/{}/adjust", player.id);
    admin.post_once(&path, &json!({"amount": -50, "reason": "all of it"})).await.expect(201);
    assert_eq!(client.delete("/v1/me").await.status, 204);
    let seeks = server.client().get("/v1/lobby/seeks").await.expect(200).body;
    assert_eq!(seeks["items"], json!([]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_6_an_account_that_expects_a_deposit_stays() {
    let secret = "--webhook-secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let server = TestServer::with(&["--payments=webhook", secret]).await;
    let (_, client) = server.player(0).await;
    client.post_once("/v1/wallet/deposits", &json!({"amount": 5})).await.expect(201);
    client.delete("/v1/me").await.refused(409, "account_in_use");
    // With nothing but that, the player has to be told of it.
    for (language, expected) in [("pt-BR", "depósito pendente"), ("en", "a pending deposit")] {
        let asked = HeaderMap::from_iter([(ACCEPT_LANGUAGE, language.parse().unwrap())]);
        let answer = client.send(client.request(Method::DELETE, "/v1/me").headers(asked)).await;
        let detail = text(&answer.refused(409, "account_in_use").body["detail"]);
        assert!(detail.contains(expected), "{language}: {detail}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_6_nothing_can_be_done_to_an_account_that_was_deleted() {
    let server = TestServer::start().await;
    let (player, client) = server.player(0).await;
    assert_eq!(client.delete("/v1/me").await.status, 204);
    let admin = server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await);
    for (act, body) in [
        ("adjust", json!({"amount": 500, "reason": "late"})),
        ("freeze", json!({"reason": "late"})),
        ("unfreeze", json!({"reason": "late"})),
        ("roles", json!({"roles": ["admin"], "reason": "late"})),
        ("identity", json!({"state": "verified", "reason": "late"})),
    ] {
        let path = format!("/v1/admin/players/{}/{act}", player.id);
        admin.post_once(&path, &body).await.refused(404, "not_found");
    }
    assert_eq!(server.registrar.available(player.id).await, 0);
    server.stop().await;
}

/// P-3: whoever is frozen keeps what is owed to a player, and nothing else: no office, and no way to unfreeze oneself.
#[tokio::test(flavor = "multi_thread")]
async fn p_3_a_frozen_administrator_is_of_the_staff_no_longer() {
    let server = TestServer::start().await;
    let admin = server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await);
    let rogue = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let path = format!("/v1/admin/players/{}", rogue.id);
    let again = server.client().of(&rogue);
    again.post(&format!("{path}/unfreeze"), &json!({"reason": "myself"})).await.refused(422, "own_account");
    admin.post(&format!("{path}/freeze"), &json!({"reason": "suspected"})).await.expect(200);
    let again = server.client().of(&server.registrar.session(rogue.id, rogue.name.clone()).await);
    again.get("/v1/wallet").await.expect(200);
    again.get("/v1/admin/players").await.refused(403, "forbidden");
    again.post(&format!("{path}/unfreeze"), &json!({"reason": "myself"})).await.refused(403, "forbidden");
    admin.post(&format!("{path}/unfreeze"), &json!({"reason": "cleared"})).await.expect(200);
    again.get("/v1/admin/players").await.expect(200);
    server.stop().await;
}

/// Nobody on the staff goes unseen.
#[tokio::test(flavor = "multi_thread")]
async fn o1_a_member_of_the_staff_who_deletes_their_account_is_in_the_audit_log() {
    let server = TestServer::start().await;
    let staff = server.registrar.with_roles(0, vec![Role::Admin, Role::Cashier]).await;
    let auditor = server.client().of(&server.registrar.with_roles(0, vec![Role::Auditor]).await);
    let (_, plain) = server.player(0).await;
    assert_eq!(plain.delete("/v1/me").await.status, 204);
    assert_eq!(server.client().of(&staff).delete("/v1/me").await.status, 204);
    let log = auditor.get("/v1/admin/audit?action=account.delete").await.expect(200).body;
    let [line] = &log["items"].as_array().unwrap()[..] else { panic!("one line: {log}") };
    assert_eq!((&line["actor"], &line["player"]), (&json!(staff.id), &json!(staff.id)));
    assert_eq!(line["detail"], json!({"roles": ["admin", "cashier"]}));
    server.stop().await;
}
