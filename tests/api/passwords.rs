//! Another password: chosen by who knows the present one, or given by the operator to who has lost it.

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{Answer, Client, Socket, TestServer};

use crate::{
    PASSWORD, registration,
    second_factor::{Person, with_token},
    with,
};

const CHANGE: &str = "/v1/auth/password";
const NEW: &str = "pedras de outro rio 7";

fn change(password: &str, new: &str) -> Value {
    json!({"password": password, "new_password": new})
}

async fn log_in(server: &TestServer, email: &str, password: &str) -> Answer {
    server.client().post("/v1/auth/login", &json!({"email": email, "password": password})).await
}

fn reset(id: &str) -> String {
    format!("/v1/admin/players/{id}/password/reset")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_changed_by_who_knows_it_and_every_other_session_ends() {
    let server = TestServer::start().await;
    let ana = Person::register(&server, "Ana", None).await;
    let elsewhere = ana.log_in(&server, None).await.expect(200);
    let mut socket = Socket::open(server.address, elsewhere.body["access_token"].as_str().unwrap()).await;

    ana.client.post(CHANGE, &change("not the password", NEW)).await.refused(401, "bad_credentials");
    log_in(&server, &ana.email, PASSWORD).await.expect(200);
    ana.client.post(CHANGE, &change(PASSWORD, NEW)).await.expect(204);

    ana.client.get("/v1/me").await.expect(200);
    with_token(&server, &elsewhere).get("/v1/me").await.refused(401, "unauthenticated");
    let refresh = json!({"refresh_token": elsewhere.body["refresh_token"]});
    server.client().post("/v1/auth/refresh", &refresh).await.refused(401, "unauthenticated");
    let (_, close) = socket.closed().await;
    assert_eq!(close.unwrap().reason, "unauthenticated");
    log_in(&server, &ana.email, PASSWORD).await.refused(401, "bad_credentials");
    log_in(&server, &ana.email, NEW).await.expect(200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_has_to_be_hard_to_guess_and_another_and_guests_have_none() {
    let server = TestServer::start().await;
    let ana = Person::register(&server, "Ana Lima Souza", None).await;
    for (new, rule) in [
        ("short", "length"),
        ("ana lima souza", "malformed"),
        ("1234567890", "malformed"),
        ("password123", "malformed"),
        (PASSWORD, "malformed"),
    ] {
        let answer = ana.client.post(CHANGE, &change(PASSWORD, new)).await.refused(422, "weak_password");
        assert_eq!(answer.fields(), [("new_password".to_owned(), rule.to_owned())], "{new}");
    }
    for (body, field, rule) in [
        (json!({"password": PASSWORD}), "new_password", "missing_field"),
        (json!({"new_password": NEW}), "password", "missing_field"),
        (with(change(PASSWORD, NEW), "passwort", "x"), "passwort", "unknown_field"),
    ] {
        let answer = ana.client.post(CHANGE, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [(field.to_owned(), rule.to_owned())], "{body}");
    }
    log_in(&server, &ana.email, PASSWORD).await.expect(200);

    let guest = server.client().post_empty("/v1/auth/guest").await.expect(201);
    with_token(&server, &guest).post(CHANGE, &change(PASSWORD, NEW)).await.refused(403, "account_needed");
    server.client().post(CHANGE, &change(PASSWORD, NEW)).await.refused(401, "unauthenticated");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_second_factor_a_password_is_changed_with_a_code_too() {
    let server = TestServer::start().await;
    let ana = Person::register(&server, "Ana", Some(Role::Cashier)).await;
    let (authenticator, _) = ana.turn_on().await;
    ana.client.post(CHANGE, &change(PASSWORD, NEW)).await.refused(401, "code_needed");
    let coded = |code: &str| with(change(PASSWORD, NEW), "code", code);
    ana.client.post(CHANGE, &coded("000000")).await.refused(401, "bad_code");
    // Without the password a code is worth nothing, and is not used up.
    let guess = with(change("not the password", NEW), "code", authenticator.code(1));
    ana.client.post(CHANGE, &guess).await.refused(401, "bad_credentials");
    ana.client.post(CHANGE, &coded(&authenticator.code(1))).await.expect(204);
    ana.client.post(CHANGE, &with(change(NEW, PASSWORD), "code", authenticator.code(1))).await.refused(401, "bad_code");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_at_the_present_password_count_as_failed_log_ins() {
    let server = TestServer::with(&["--login-failures=3"]).await;
    let ana = Person::register(&server, "Ana", None).await;
    for _ in 0..3 {
        ana.client.post(CHANGE, &change("not the password", NEW)).await.refused(401, "bad_credentials");
    }
    ana.client.post(CHANGE, &change(PASSWORD, NEW)).await.refused(429, "rate_limited");
    log_in(&server, &ana.email, PASSWORD).await.refused(429, "rate_limited");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_changes_and_log_ins_at_once_one_change_holds_and_no_session_of_the_old_password_stays() {
    let server = TestServer::with(&["--login-failures=1000"]).await;
    let ana = Person::register(&server, "Ana", None).await;
    let changes = (0..4).map(|number| {
        let (client, body) = (ana.client.clone(), change(PASSWORD, &format!("{NEW} {number}")));
        async move { client.post(CHANGE, &body).await }
    });
    let log_ins = (0..4).map(|_| log_in(&server, &ana.email, PASSWORD));
    let (changed, entered) =
        tokio::join!(futures_util::future::join_all(changes), futures_util::future::join_all(log_ins));
    let held: Vec<usize> = (0..4).filter(|number| changed[*number].status == 204).collect();
    assert_eq!(held.len(), 1, "{changed:?}");
    for answer in entered.iter().filter(|answer| answer.status == 200) {
        with_token(&server, answer).get("/v1/me").await.refused(401, "unauthenticated");
    }
    log_in(&server, &ana.email, &format!("{NEW} {}", held[0])).await.expect(200);
    server.stop().await;
}

/// Who has lost the password, an administrator, and the password that the one gives the other.
async fn given(server: &TestServer) -> (Person, Client, String) {
    let boss = Person::register(server, "Boss", Some(Role::Admin)).await;
    let lost = Person::register(server, "Lost", None).await;
    let answer = boss.client.post(&reset(&lost.id), &json!({"reason": "seen in person"})).await.expect(200);
    assert_eq!(answer.headers["cache-control"], "no-store", "nobody between keeps it");
    let password = answer.body["password"].as_str().unwrap().to_owned();
    (lost, boss.client, password)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_lost_the_password_is_given_one_that_lets_them_in_once_to_choose_another() {
    let server = TestServer::start().await;
    let (lost, admin, password) = given(&server).await;
    lost.client.get("/v1/me").await.refused(401, "unauthenticated");
    log_in(&server, &lost.email, PASSWORD).await.refused(401, "bad_credentials");
    log_in(&server, &lost.email, &password).await.refused(401, "new_password_needed");

    let with_new = |password: &str, new: &str| {
        let body = with(change(password, new), "email", lost.email.clone());
        let client = server.client();
        async move { client.post("/v1/auth/login", &body).await }
    };
    // Whether a new one would do is not told to who does not have the one that was given.
    with_new("not the password", "short").await.refused(401, "bad_credentials");
    with_new(&password, "short").await.refused(422, "weak_password");
    with_new(&password, &password).await.refused(422, "weak_password");
    let inside = with_new(&password, NEW).await.expect(200);
    with_token(&server, &inside).get("/v1/me").await.expect(200);
    with_new(&password, "another one of my own").await.refused(401, "bad_credentials");
    log_in(&server, &lost.email, NEW).await.expect(200);

    let log = admin.get("/v1/admin/audit?action=player.password_reset").await.expect(200);
    assert!(!log.text.contains(&password), "the log holds the password");
    let lines = log.body["items"].as_array().unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!((&lines[0]["player"], &lines[0]["reason"]), (&json!(lost.id), &json!("seen in person")));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_password_is_good_for_three_days_and_no_way_around_the_second_factor() {
    let server = TestServer::start().await;
    let boss = Person::register(&server, "Boss", Some(Role::Admin)).await;
    let lost = Person::register(&server, "Lost", None).await;
    let (authenticator, _) = lost.turn_on().await;
    let because = json!({"reason": "seen in person"});
    let given = boss.client.post(&reset(&lost.id), &because).await.expect(200).body;
    let mut body = json!({"email": lost.email, "password": given["password"], "new_password": NEW});
    server.client().post("/v1/auth/login", &body).await.refused(401, "code_needed");
    body["code"] = json!("000000");
    server.client().post("/v1/auth/login", &body).await.refused(401, "bad_code");
    log_in(&server, &lost.email, NEW).await.refused(401, "bad_credentials");

    // Three days, less and more than a minute.
    body["code"] = json!(authenticator.code(1));
    let mut owner = server.database.as_owner().await;
    let mut pass = async |interval: &str| {
        let pass =
            "update players set password_expires_at = password_expires_at - $1::text::interval where id::text = $2";
        sqlx::query(pass).bind(interval).bind(&lost.id).execute(&mut owner).await.unwrap();
    };
    pass("72 hours").await;
    server.client().post("/v1/auth/login", &body).await.refused(401, "bad_credentials");
    pass("-1 minute").await;
    server.client().post("/v1/auth/login", &body).await.expect(200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_given_to_players_only_with_a_reason_and_by_another() {
    let server = TestServer::start().await;
    let boss = Person::register(&server, "Boss", Some(Role::Admin)).await;
    let cashier = Person::register(&server, "Cashier", Some(Role::Cashier)).await;
    let guest = server.client().post_empty("/v1/auth/guest").await.expect(201).body;
    let because = json!({"reason": "asked on the phone"});
    boss.client.post(&reset(&boss.id), &because).await.refused(422, "own_account");
    boss.client.post(&reset(&cashier.id), &because).await.refused(403, "staff_account");
    boss.client.post(&reset(guest["player"]["id"].as_str().unwrap()), &because).await.refused(403, "guest_account");
    boss.client.post(&reset(&uuid::Uuid::now_v7().to_string()), &because).await.refused(404, "not_found");
    boss.client.post(&reset(&cashier.id), &json!({})).await.refused(422, "invalid_request");
    cashier.client.post(&reset(&boss.id), &because).await.refused(403, "forbidden");
    cashier.client.get("/v1/me").await.expect(200);
    // What was refused took nothing away.
    server.client().post("/v1/auth/register", &registration("Cashier")).await.refused(409, "email_taken");
    log_in(&server, &cashier.email, PASSWORD).await.expect(200);
    server.stop().await;
}
