//! Who may call what of the ledger: every route by every role (O-5).

use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::TestServer;

/// Nobody, a guest, a player, an auditor, a cashier, an admin: the status that each gets.
type Row = (Method, &'static str, Value, [u16; 6]);

const ACCOUNT: &str = "018f0000-0000-7000-8000-000000000000";

fn table() -> Vec<Row> {
    let readers = [401, 403, 403, 200, 403, 200];
    let get = |path| (Method::GET, path, Value::Null, readers);
    vec![
        get("/v1/admin/ledger/transfers"),
        get("/v1/admin/ledger/transfers?format=csv"),
        get("/v1/admin/ledger/accounts"),
        // The id of no account: who may look is told so, who may not is not.
        (Method::GET, "/v1/admin/ledger/accounts/{id}", Value::Null, [401, 403, 403, 404, 403, 404]),
        get("/v1/admin/ledger/trial-balance"),
        get("/v1/admin/ledger/trial-balance?at=2026-01-01T00:00:00Z"),
        (
            Method::POST,
            "/v1/admin/ledger/trial-balance/acknowledge",
            json!({"reason": "seen"}),
            [401, 403, 403, 403, 403, 200],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn o5_every_route_of_the_ledger_by_every_role() {
    let server = TestServer::start().await;
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let mut clients = vec![
        ("nobody", server.client()),
        ("guest", server.client().with_token(guest["access_token"].as_str().unwrap())),
        ("player", server.player(1_000).await.1),
    ];
    for (name, role) in [("auditor", Role::Auditor), ("cashier", Role::Cashier), ("admin", Role::Admin)] {
        clients.push((name, server.client().of(&server.registrar.with_roles(0, vec![role]).await)));
    }
    for (method, path, body, expected) in table() {
        let path = path.replace("{id}", ACCOUNT);
        for ((name, client), expected) in clients.iter().zip(expected) {
            let request = client.request(method.clone(), &path);
            let request = if body.is_null() { request } else { request.json(&body) };
            let answer = client.send(request).await;
            assert_eq!(answer.status, expected, "{name}: {method} {path}: {}", answer.text);
        }
    }
    server.stop().await;
}
