//! O-5: who may call what of `/v1/admin`. Deny by default.

use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_server::role::Role::{self, Admin, Auditor, Cashier};
use stakeboard_tests::{Client, TestServer};

/// Method, path as the document has it, and the roles that may call it.
const ROUTES: &[(&str, &str, &[Role])] = &[
    ("get", "/v1/admin/adjustments", &[Admin, Auditor]),
    ("post", "/v1/admin/adjustments/{id}/approve", &[Admin]),
    ("post", "/v1/admin/adjustments/{id}/reject", &[Admin]),
    ("get", "/v1/admin/audit", &[Admin, Auditor]),
    ("get", "/v1/admin/ledger/accounts", &[Admin, Auditor]),
    ("get", "/v1/admin/ledger/accounts/{id}", &[Admin, Auditor]),
    ("get", "/v1/admin/ledger/seal", &[Admin, Auditor]),
    ("get", "/v1/admin/ledger/transfers", &[Admin, Auditor]),
    ("post", "/v1/admin/ledger/transfers/{id}/assign", &[Admin]),
    ("post", "/v1/admin/ledger/transfers/{id}/reverse", &[Admin]),
    ("get", "/v1/admin/ledger/trial-balance", &[Admin, Auditor]),
    ("post", "/v1/admin/ledger/trial-balance/acknowledge", &[Admin]),
    ("get", "/v1/admin/matches", &[Admin, Auditor]),
    ("post", "/v1/admin/matches/{id}/void", &[Admin]),
    ("get", "/v1/admin/payments/events", &[Admin, Auditor]),
    ("get", "/v1/admin/payments/suspense", &[Admin, Auditor]),
    ("get", "/v1/admin/players", &[Admin, Auditor]),
    ("post", "/v1/admin/players/{id}/adjust", &[Admin]),
    ("post", "/v1/admin/players/{id}/freeze", &[Admin]),
    ("post", "/v1/admin/players/{id}/identity", &[Admin]),
    ("post", "/v1/admin/players/{id}/password/reset", &[Admin]),
    ("post", "/v1/admin/players/{id}/roles", &[Admin]),
    ("post", "/v1/admin/players/{id}/second-factor/reset", &[Admin]),
    ("post", "/v1/admin/players/{id}/unfreeze", &[Admin]),
    ("get", "/v1/admin/reports/complaints", &[Admin, Auditor]),
    ("get", "/v1/admin/reports/daily", &[Admin, Auditor]),
    ("get", "/v1/admin/reports/fair-play", &[Admin, Auditor]),
    ("get", "/v1/admin/reports/fair-play/matches", &[Admin, Auditor]),
    ("get", "/v1/admin/reports/pairs", &[Admin, Auditor]),
    ("get", "/v1/admin/switches", &[Admin, Auditor]),
    ("put", "/v1/admin/switches", &[Admin]),
    ("get", "/v1/admin/withdrawals", &[Admin, Auditor, Cashier]),
    ("post", "/v1/admin/withdrawals/{id}/approve", &[Admin, Cashier]),
    ("post", "/v1/admin/withdrawals/{id}/failed", &[Admin]),
    ("post", "/v1/admin/withdrawals/{id}/paid", &[Admin]),
    ("post", "/v1/admin/withdrawals/{id}/reject", &[Admin, Cashier]),
];

/// Calls a route with an identifier that names nothing and a body without a field: whoever may call it gets beyond
/// the question who they are.
async fn call(client: &Client, method: &str, path: &str) -> (u16, String) {
    let path = path.replace("{id}", &uuid::Uuid::now_v7().to_string());
    let method: Method = method.to_uppercase().parse().unwrap();
    let request = client.request(method.clone(), &path).header("idempotency-key", "once");
    let request = if method == Method::GET { request } else { request.json(&json!({})) };
    let answer = client.send(request).await;
    (answer.status, answer.code().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_admin_route_by_nobody_a_guest_a_player_and_each_role() {
    let server = TestServer::start().await;
    let nobody = server.client();
    let guest = nobody.post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let guest = nobody.with_token(guest["access_token"].as_str().unwrap());
    let (_, player) = server.player(0).await;
    for (method, path, allowed) in ROUTES {
        assert_eq!(call(&nobody, method, path).await, (401, "unauthenticated".into()), "nobody: {method} {path}");
        for (who, client) in [("guest", &guest), ("player", &player)] {
            assert_eq!(call(client, method, path).await, (403, "forbidden".into()), "{who}: {method} {path}");
        }
        for role in Role::ALL {
            let client = nobody.of(&server.registrar.with_roles(0, vec![*role]).await);
            let (status, code) = call(&client, method, path).await;
            if allowed.contains(role) {
                assert!(
                    ![401, 403, 405].contains(&status) && status < 500,
                    "{role:?}: {method} {path}: {status} {code}"
                );
            } else {
                assert_eq!((status, code.as_str()), (403, "forbidden"), "{role:?}: {method} {path}");
            }
        }
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_above_has_every_admin_route_of_the_document() {
    let document = stakeboard_server::http::openapi::document();
    let document: Value = serde_json::to_value(document).unwrap();
    let paths = document["paths"].as_object().unwrap();
    for (path, methods) in paths.iter().filter(|(path, _)| path.starts_with("/v1/admin")) {
        for method in methods.as_object().unwrap().keys().filter(|name| name.len() <= 6) {
            let known = ROUTES.iter().any(|(known, at, _)| known == method && at == path);
            assert!(known, "{method} {path} is not in the table");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_works_from_the_next_call_and_ends_with_the_next_call() {
    let server = TestServer::start().await;
    let admin = server.client().of(&server.registrar.with_roles(0, vec![Admin]).await);
    let (player, client) = server.player(0).await;
    let path = format!("/v1/admin/players/{}/roles", player.id);

    client.get("/v1/admin/players").await.refused(403, "forbidden");
    let given = json!({"roles": ["auditor", "auditor"], "reason": " hired "});
    assert_eq!(admin.post(&path, &given).await.expect(200).body, json!({"roles": ["auditor"]}));
    client.get("/v1/admin/players").await.expect(200);
    admin.post(&path, &json!({"roles": [], "reason": "left"})).await.expect(200);
    client.get("/v1/admin/players").await.refused(403, "forbidden");

    let lines = admin.get(&format!("/v1/admin/audit?action=player.roles&player={}", player.id)).await.expect(200);
    let lines: Vec<_> = lines.body["items"].as_array().unwrap().clone();
    let told: Vec<_> = lines.iter().map(|line| (&line["reason"], &line["detail"])).collect();
    let (left, hired) = (json!("left"), json!("hired"));
    let (away, given) = (json!({"before": ["auditor"], "after": []}), json!({"before": [], "after": ["auditor"]}));
    assert_eq!(told, [(&left, &away), (&hired, &given)]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_are_refused_for_oneself_for_guests_and_without_a_reason() {
    let server = TestServer::start().await;
    let boss = server.registrar.with_roles(0, vec![Admin]).await;
    let admin = server.client().of(&boss);
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let (player, _) = server.player(0).await;
    let roles = |id: &str| format!("/v1/admin/players/{id}/roles");

    let own = json!({"roles": [], "reason": "tired"});
    admin.post(&roles(&boss.id.to_string()), &own).await.refused(422, "own_account");
    admin.post(&roles(guest["player"]["id"].as_str().unwrap()), &own).await.refused(403, "guest_account");
    admin.post(&roles(&uuid::Uuid::now_v7().to_string()), &own).await.refused(404, "not_found");
    let path = roles(&player.id.to_string());
    for (body, field, rule) in [
        (json!({"roles": ["admin"]}), "reason", "missing_field"),
        (json!({"roles": ["admin"], "reason": "  "}), "reason", "length"),
        (json!({"roles": ["admin"], "reason": "x".repeat(1_001)}), "reason", "length"),
        (json!({"roles": ["admin"], "reason": "a\u{0}b"}), "reason", "malformed"),
        // Zero-width spaces and joiners, a change of direction, a soft hyphen: nobody could read it later.
        (json!({"roles": ["admin"], "reason": "\u{200b}\u{200d}"}), "reason", "malformed"),
        (json!({"roles": ["admin"], "reason": "\u{202e} \u{ad}"}), "reason", "malformed"),
        (json!({"roles": ["owner"], "reason": "x"}), "roles[0]", "not_one_of"),
        (json!({"reason": "x"}), "roles", "missing_field"),
    ] {
        let answer = admin.post(&path, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [(field.to_owned(), rule.to_owned())], "{body}");
    }
    server.stop().await;
}
