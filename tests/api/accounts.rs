//! Signing up, logging in, guests, and the player's own profile.

use serde_json::{Value, json};
use stakeboard_tests::{Answer, Client, Socket, TestServer};
use time::{Date, Duration, OffsetDateTime};
use tokio::task::JoinSet;

use crate::{PASSWORD, assert_id, assert_time, keys, registration, with};

const REGISTER: &str = "/v1/auth/register";
const LOGIN: &str = "/v1/auth/login";
const GUEST: &str = "/v1/auth/guest";

/// Demands the shape that every way in answers with; gives the access token.
#[track_caller]
fn signed_in(answer: &Answer) -> String {
    assert_eq!(keys(&answer.body), ["access_token", "expires_in", "player", "refresh_token"]);
    assert_eq!(answer.body["expires_in"], 900);
    assert_eq!(answer.headers["cache-control"], "no-store", "nobody between keeps tokens");
    let player = &answer.body["player"];
    let shown =
        ["created_at", "display_name", "email", "frozen", "guest", "id", "identity", "limits", "pause", "roles"];
    assert_eq!(keys(player), shown);
    assert_id(&player["id"]);
    assert_time(&player["created_at"]);
    answer.body["access_token"].as_str().unwrap().to_owned()
}

async fn log_in(client: &Client, email: &str, password: &str) -> Answer {
    client.post(LOGIN, &json!({"email": email, "password": password})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_up_gives_an_account_and_a_session_and_the_password_opens_another() {
    let server = TestServer::start().await;
    let client = server.client();
    let signed_up = client.post(REGISTER, &registration("Ana Lima")).await.expect(201);
    let token = signed_in(&signed_up);
    let player = &signed_up.body["player"];
    assert_eq!(player["display_name"], "Ana Lima");
    assert_eq!(player["email"], "ana.lima@test.example");
    assert_eq!((&player["guest"], &player["roles"]), (&json!(false), &json!([])));
    assert_eq!(&client.with_token(&token).get("/v1/me").await.expect(200).body, player);

    let logged_in = log_in(&client, "ANA.Lima@test.example", PASSWORD).await.expect(200);
    let other = signed_in(&logged_in);
    assert_eq!(&logged_in.body["player"], player);
    for token in [token, other] {
        client.with_token(&token).get("/v1/me").await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_or_a_name_that_is_taken_or_looks_like_one_is_refused() {
    let server = TestServer::start().await;
    let client = server.client();
    client.post(REGISTER, &registration("Ana Lima")).await.expect(201);
    let other = registration("Somebody Else");
    let same_address = with(other.clone(), "email", "Ana.LIMA@TEST.example");
    client.post(REGISTER, &same_address).await.refused(409, "email_taken");
    // The same, in capitals, with a Cyrillic letter, in full width, with the digit one for the letter i.
    for name in ["Ana Lima", "ANA LIMA", "\u{410}na Lima", "\u{ff21}na Lima", "Ana L1ma"] {
        let taken = with(other.clone(), "display_name", name);
        client.post(REGISTER, &taken).await.refused(409, "display_name_taken");
        client.post(GUEST, &json!({"display_name": name})).await.refused(409, "display_name_taken");
    }
    client.post(REGISTER, &other).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_sign_ups_with_one_address_at_once_one_succeeds() {
    let server = TestServer::start().await;
    let mut racing = JoinSet::new();
    for number in 0..20 {
        let client = server.client();
        let body = with(registration(&format!("racer {number}")), "email", "same@test.example");
        racing.spawn(async move { client.post(REGISTER, &body).await });
    }
    let answers = racing.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "email_taken"), "{answers:?}");
}

/// The day on which somebody was born who has this birthday this many years later.
fn born(birthday: Date, years: i32) -> String {
    let year = birthday.year() - years;
    // Whoever was born on 29 February comes of age on 1 March.
    let born =
        birthday.replace_year(year).unwrap_or_else(|_| Date::from_calendar_date(year, time::Month::March, 1).unwrap());
    born.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_their_eighteenth_birthday_today_may_come_in_and_not_a_day_before() {
    let server = TestServer::start().await;
    let client = server.client();
    let today = OffsetDateTime::now_utc().date();
    let sent = |name: &str, born: &str| {
        let body = with(registration(name), "birth_date", born);
        let client = client.clone();
        async move { client.post(REGISTER, &body).await }
    };
    sent("Tomorrow", &born(today + Duration::days(1), 18)).await.refused(422, "underage");
    sent("Today", &born(today, 18)).await.expect(201);
    sent("Newborn", &today.to_string()).await.refused(422, "underage");
    for nonsense in ["1990-02-30", "1990-13-01", "17.05.1990", "1990-5-17", "", "9999-01-01", "1990-05-17T00:00:00Z"] {
        let answer = sent("Nobody", nonsense).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [("birth_date".into(), "malformed".into())], "{nonsense}");
    }
    let unborn = sent("Nobody", &(today + Duration::days(2)).to_string()).await.refused(422, "invalid_request");
    assert_eq!(unborn.fields()[0].0, "birth_date");

    let strict = TestServer::with(&["--minimum-age=21"]).await;
    let body = with(registration("Twenty"), "birth_date", born(today, 20));
    strict.client().post(REGISTER, &body).await.refused(422, "underage");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_is_easy_to_guess_is_refused_with_the_rule_it_breaks() {
    let server = TestServer::start().await;
    let cases = [
        ("nine char", "length"),
        (&"x1y2 ".repeat(41), "length"),
        ("aaaaaaaaaaaa", "malformed"),
        ("1234567890", "malformed"),
        ("qwertyuiop", "malformed"),
        ("password123", "malformed"),
        ("maria.souza!", "malformed"),
        ("os gatos de MARIA SOUZA", "malformed"),
    ];
    for (password, rule) in cases {
        let body = with(registration("Maria Souza"), "password", password);
        let answer = server.client().post(REGISTER, &body).await.refused(422, "weak_password");
        assert_eq!(answer.fields(), [("password".into(), rule.into())], "{password}");
        assert!(!answer.text.contains(password), "a password is never repeated");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_of_a_sign_up_is_told_at_once_and_a_typo_is_no_default() {
    let server = TestServer::start().await;
    let client = server.client();
    let wrong = json!({"email": "nowhere", "password": PASSWORD, "display_name": "x", "birth_date": "soon"});
    let answer = client.post(REGISTER, &wrong).await.refused(422, "invalid_request");
    let named: Vec<String> = answer.fields().into_iter().map(|(field, _)| field).collect();
    assert_eq!(named, ["email", "display_name", "birth_date"]);

    let cases = [
        (with(registration("A B"), "birthdate", "1990-01-01"), "birthdate", "unknown_field"),
        (with(registration("A B"), "roles", json!(["admin"])), "roles", "unknown_field"),
        (with(registration("A B"), "password", json!(12_345_678_901_u64)), "password", "wrong_type"),
        (with(registration("A B"), "email", json!(["a@b.example"])), "email", "wrong_type"),
        (with(registration("A B"), "display_name", Value::Null), "display_name", "wrong_type"),
    ];
    for (body, field, rule) in cases {
        let answer = client.post(REGISTER, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [(field.to_owned(), rule.to_owned())]);
    }
    let alone = client.post(REGISTER, &json!({"email": "a@b.example"})).await.refused(422, "invalid_request");
    let missing =
        ["password", "display_name", "birth_date"].map(|field| (field.to_owned(), "missing_field".to_owned()));
    assert_eq!(alone.fields(), missing);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_in_tells_nothing_about_which_addresses_have_accounts() {
    let server = TestServer::start().await;
    let client = server.client();
    client.post(REGISTER, &registration("Ana Lima")).await.expect(201);
    let wrong = log_in(&client, "ana.lima@test.example", "another password").await.refused(401, "bad_credentials");
    for unknown in ["nobody@test.example", "no address", "", "a\0b@test.example"] {
        let answer = log_in(&client, unknown, PASSWORD).await.refused(401, "bad_credentials");
        assert_eq!(answer.body, wrong.body, "{unknown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn once_too_many_log_ins_to_an_account_have_failed_the_right_password_waits_too() {
    let server = TestServer::with(&["--login-failures=3"]).await;
    let client = server.client();
    client.post(REGISTER, &registration("Ana Lima")).await.expect(201);
    client.post(REGISTER, &registration("Rui Melo")).await.expect(201);
    // An address without an account is throttled alike: it would tell otherwise.
    for email in ["ana.lima@test.example", "nobody@test.example"] {
        for _ in 0..3 {
            log_in(&client, email, "another password").await.refused(401, "bad_credentials");
        }
        for password in [PASSWORD, "another password"] {
            let refused = log_in(&client, email, password).await.refused(429, "rate_limited");
            let wait: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
            assert!((1..=60).contains(&wait), "one more a minute: {wait}");
        }
    }
    log_in(&client, "ANA.lima@test.example", PASSWORD).await.refused(429, "rate_limited");
    log_in(&client, "rui.melo@test.example", PASSWORD).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_made_side_by_side_are_no_more_than_those_made_one_after_another() {
    let server = TestServer::with(&["--login-failures=3"]).await;
    let mut guessing = JoinSet::new();
    for _ in 0..20 {
        let client = server.client();
        guessing.spawn(async move { log_in(&client, "ana.lima@test.example", "another password").await });
    }
    let answers = guessing.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.code() == "bad_credentials").count(), 3);
    assert_eq!(answers.iter().filter(|answer| answer.code() == "rate_limited").count(), 17);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_by_address_hold_with_a_database_url_and_only_then() {
    let limits = ["--login-failures-by-address=2", "--sign-ups-by-address=2"];
    let private = TestServer::with(&limits).await;
    let client = private.client();
    for number in 0..5 {
        log_in(&client, &format!("{number}@test.example"), PASSWORD).await.refused(401, "bad_credentials");
        client.post(GUEST, &json!({})).await.expect(201);
    }

    // What the flag names is not connected to: the harness hands the database over.
    let public = TestServer::with(&[&limits[..], &["--database-url=postgres://somewhere/else"]].concat()).await;
    let client = public.client();
    for number in 0..2 {
        log_in(&client, &format!("{number}@test.example"), PASSWORD).await.refused(401, "bad_credentials");
        client.post(GUEST, &json!({})).await.expect(201);
    }
    let told_otherwise = |path: &str| {
        client
            .request(reqwest::Method::POST, path)
            .header("x-forwarded-for", "203.0.113.7")
            .header("forwarded", "for=203.0.113.8")
    };
    let login = told_otherwise(LOGIN).json(&json!({"email": "x@test.example", "password": PASSWORD}));
    let login = client.send(login).await.refused(429, "rate_limited");
    assert!(login.headers.contains_key("retry-after"));
    client.send(told_otherwise(GUEST).json(&json!({}))).await.refused(429, "rate_limited");
    client.post(REGISTER, &registration("Ana Lima")).await.refused(429, "rate_limited");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_comes_in_without_a_form_and_handles_no_money() {
    let server = TestServer::start().await;
    let client = server.client();
    let named = client.post(GUEST, &json!({"display_name": "Passante"})).await.expect(201);
    let token = signed_in(&named);
    assert_eq!(named.body["player"]["display_name"], "Passante");
    assert_eq!((&named.body["player"]["guest"], &named.body["player"]["email"]), (&json!(true), &Value::Null));
    let unnamed = [client.post(GUEST, &json!({})).await, client.post_empty(GUEST).await];
    let [one, two] = unnamed.map(|answer| answer.expect(201).body["player"]["display_name"].clone());
    assert_ne!(one, two, "made-up names differ");

    let guest = client.with_token(&token);
    guest.post_once("/v1/wallet/deposits", &json!({"amount": 100})).await.refused(403, "account_needed");
    guest.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.refused(403, "account_needed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_who_signs_up_keeps_the_identifier_and_loses_the_old_tokens_and_sockets() {
    let server = TestServer::start().await;
    let client = server.client();
    let guest = client.post(GUEST, &json!({})).await.expect(201);
    let old = signed_in(&guest);
    let mut socket = Socket::open(server.address, &old).await;
    let account = client.with_token(&old).post(REGISTER, &registration("Ana Lima")).await.expect(201);
    let new = signed_in(&account);
    let (frames, close) = tokio::time::timeout(std::time::Duration::from_secs(1), socket.closed()).await.unwrap();
    assert_eq!(frames.last().unwrap()["code"], "unauthenticated");
    assert_eq!(close.unwrap().reason.as_str(), "unauthenticated");

    assert_eq!(account.body["player"]["id"], guest.body["player"]["id"]);
    assert_eq!(account.body["player"]["guest"], false);
    assert_eq!(account.body["player"]["created_at"], guest.body["player"]["created_at"]);
    client.with_token(&old).get("/v1/me").await.refused(401, "unauthenticated");
    let refresh = json!({"refresh_token": guest.body["refresh_token"]});
    client.post("/v1/auth/refresh", &refresh).await.refused(401, "unauthenticated");
    let client = client.with_token(&new);
    client.post_once("/v1/wallet/deposits", &json!({"amount": 100})).await.expect(201);
    client.post(REGISTER, &registration("Ana Outra")).await.refused(409, "already_registered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_who_signs_up_twice_at_once_becomes_one_account() {
    let server = TestServer::start().await;
    for round in 0..5 {
        let guest = server.client().post(GUEST, &json!({})).await.expect(201);
        let client = server.client().with_token(guest.body["access_token"].as_str().unwrap());
        let (one, two) = (registration(&format!("one {round}")), registration(&format!("two {round}")));
        let (one, two) = tokio::join!(client.post(REGISTER, &one), client.post(REGISTER, &two));
        let (won, lost) = if one.status == 201 { (one, two) } else { (two, one) };
        assert_eq!(won.expect(201).body["player"]["id"], guest.body["player"]["id"]);
        assert!(["already_registered", "unauthenticated"].contains(&lost.code()), "{}", lost.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_changes_their_name_and_nothing_else_by_mistake() {
    let server = TestServer::start().await;
    let token = signed_in(&server.client().post(REGISTER, &registration("Ana Lima")).await.expect(201));
    server.client().post(REGISTER, &registration("Rui Melo")).await.expect(201);
    let client = server.client().with_token(&token);
    let patch = |body: Value| client.send(client.request(reqwest::Method::PATCH, "/v1/me").json(&body));
    let before = client.get("/v1/me").await.expect(200).body;
    assert_eq!(patch(json!({})).await.expect(200).body, before);
    let renamed = patch(json!({"display_name": "Ana Souza"})).await.expect(200).body;
    assert_eq!(renamed, with(before.clone(), "display_name", "Ana Souza"));
    patch(json!({"display_name": "RUI MELO"})).await.refused(409, "display_name_taken");
    patch(json!({"display_name": "ANA SOUZA"})).await.expect(200);
    for (body, field) in [
        (json!({"display_name": null}), "display_name"),
        (json!({"display_name": "x"}), "display_name"),
        (json!({"email": "new@test.example"}), "email"),
        (json!({"roles": ["admin"]}), "roles"),
        (json!({"guest": true}), "guest"),
    ] {
        let answer = patch(body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field);
    }
    // The old name is free again.
    server.client().post(GUEST, &json!({"display_name": "Ana Lima"})).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_display_name_is_kept_intact_or_refused_by_name() {
    let server = TestServer::start().await;
    let client = server.client();
    let guest = |name: &str| {
        let body = json!({"display_name": name});
        let client = client.clone();
        async move { client.post(GUEST, &body).await }
    };
    for name in ["João Ninguém", "D'Ávila", "Ольга", "محمد", "田中さくら", "Ana 🎲", "दीपिका", "x <b>y</b> & z"]
    {
        let answer = guest(name).await.expect(201);
        assert_eq!(answer.body["player"]["display_name"], name);
        let token = answer.body["access_token"].as_str().unwrap();
        let me = client.with_token(token).get("/v1/me").await.expect(200).body;
        assert_eq!(me["display_name"], name, "from the database too");
    }
    let refused = [
        "a\u{200b}na",
        "\u{202e}ana",
        "ana\u{2066}x\u{2069}",
        "ana\0",
        "ana\n",
        "🎲🎲",
        "x",
        "",
        " ana",
        "\u{2800}\u{2800}",
        "a\u{33f}\u{33f}\u{33f}\u{33f}b",
        &"n".repeat(41),
        &"n".repeat(50_000),
    ];
    for name in refused {
        let answer = guest(name).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, "display_name", "{}", name.escape_unicode());
    }
}
