//! The second factor: begun, confirmed, asked for, fallen back from, and taken away.

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{Answer, Client, TestServer};
use totp_rs::{Builder, Secret};

use crate::{PASSWORD, registration};

/// An account with a log-in, and what its authenticator knows once there is one.
pub struct Person {
    pub client: Client,
    pub email: String,
    pub id: String,
}

impl Person {
    pub async fn register(server: &TestServer, name: &str, role: Option<Role>) -> Self {
        let made = server.client().post("/v1/auth/register", &registration(name)).await.expect(201).body;
        let id = made["player"]["id"].as_str().unwrap().to_owned();
        if let Some(role) = role {
            let mut owner = server.database.as_owner().await;
            let hire = "update players set roles = array[$1] where id::text = $2";
            sqlx::query(hire).bind(role.as_str()).bind(&id).execute(&mut owner).await.unwrap();
        }
        let email = made["player"]["email"].as_str().unwrap().to_owned();
        Self { client: server.client().with_token(made["access_token"].as_str().unwrap()), email, id }
    }

    pub async fn log_in(&self, server: &TestServer, code: Option<&str>) -> Answer {
        let mut body = json!({"email": self.email, "password": PASSWORD});
        if let Some(code) = code {
            body["code"] = json!(code);
        }
        server.client().post("/v1/auth/login", &body).await
    }

    /// Begins a second factor, without confirming it.
    async fn begin(&self) -> Authenticator {
        let begun = self.client.post("/v1/me/second-factor", &json!({"password": PASSWORD})).await.expect(201).body;
        let secret = text(&begun["secret"]);
        Authenticator { secret, began: time::OffsetDateTime::now_utc().unix_timestamp() }
    }

    /// Turns the second factor on with the code of the present step. Gives the codes to fall back on too.
    pub async fn turn_on(&self) -> (Authenticator, Vec<String>) {
        let authenticator = self.begin().await;
        let code = json!({"code": authenticator.code(0)});
        let confirmed = self.client.post("/v1/me/second-factor/confirm", &code).await.expect(200).body;
        let codes = confirmed["recovery_codes"].as_array().unwrap().iter().map(text).collect();
        (authenticator, codes)
    }
}

/// What holds a secret, and shows codes.
pub struct Authenticator {
    secret: String,
    /// Steps are counted from here, so that a test that takes long speaks of the same ones.
    began: i64,
}

impl Authenticator {
    /// What it shows so many steps of thirty seconds after its beginning.
    pub fn code(&self, steps: i64) -> String {
        let secret = Secret::try_from_base32(&self.secret).unwrap();
        let totp = Builder::new().with_secret(secret).build().unwrap();
        totp.generate(u64::try_from(self.began + steps * 30).unwrap()).to_string()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

pub fn with_token(server: &TestServer, signed_in: &Answer) -> Client {
    server.client().with_token(signed_in.body["access_token"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_operator_has_it_so_a_role_counts_only_with_a_second_factor() {
    let server = TestServer::with(&["--staff-second-factor=true"]).await;
    let boss = Person::register(&server, "Boss", Some(Role::Admin)).await;
    let elsewhere = boss.log_in(&server, None).await.expect(200);
    let player = Person::register(&server, "Player", None).await;

    boss.client.get("/v1/admin/switches").await.refused(403, "second_factor_needed");
    player.client.get("/v1/admin/switches").await.refused(403, "forbidden");
    let status = boss.client.get("/v1/me/second-factor").await.expect(200).body;
    assert_eq!(status, json!({"on": false, "session": false, "required": true, "recovery_codes": 0}));
    assert_eq!(player.client.get("/v1/me/second-factor").await.expect(200).body["required"], false);

    let (authenticator, codes) = boss.turn_on().await;
    assert_eq!(codes.len(), 10);
    boss.client.get("/v1/admin/switches").await.expect(200);
    with_token(&server, &elsewhere).get("/v1/me").await.refused(401, "unauthenticated");

    boss.log_in(&server, None).await.refused(401, "code_needed");
    let wrong_password = json!({"email": boss.email, "password": "not the password", "code": authenticator.code(1)});
    server.client().post("/v1/auth/login", &wrong_password).await.refused(401, "bad_credentials");
    let again = boss.log_in(&server, Some(&authenticator.code(1))).await.expect(200);
    with_token(&server, &again).get("/v1/admin/switches").await.expect(200);
    let refreshed = json!({"refresh_token": again.body["refresh_token"]});
    let refreshed = server.client().post("/v1/auth/refresh", &refreshed).await.expect(200);
    with_token(&server, &refreshed).get("/v1/admin/switches").await.expect(200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_code_is_good_once() {
    let server = TestServer::start().await;
    let person = Person::register(&server, "Ana", None).await;
    let (authenticator, codes) = person.turn_on().await;
    person.log_in(&server, Some(&authenticator.code(0))).await.refused(401, "bad_code");
    person.log_in(&server, Some(&authenticator.code(1))).await.expect(200);
    person.log_in(&server, Some(&authenticator.code(1))).await.refused(401, "bad_code");
    // An earlier one than the last that was taken is no better, though its time is not over.
    person.log_in(&server, Some(&authenticator.code(0))).await.refused(401, "bad_code");
    person.log_in(&server, Some(&authenticator.code(20))).await.refused(401, "bad_code");

    person.log_in(&server, Some(&codes[0])).await.expect(200);
    person.log_in(&server, Some(&codes[0])).await.refused(401, "bad_code");
    person.log_in(&server, Some(&codes[1].to_uppercase().replace('-', " "))).await.expect(200);
    assert_eq!(person.client.get("/v1/me/second-factor").await.expect(200).body["recovery_codes"], 8);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_log_ins_at_once_with_one_code_one_gets_in() {
    let server = TestServer::with(&["--login-failures=100"]).await;
    let person = Person::register(&server, "Ana", None).await;
    let (authenticator, codes) = person.turn_on().await;
    for one in [authenticator.code(1), codes[0].clone()] {
        let answers = futures_util::future::join_all((0..8).map(|_| person.log_in(&server, Some(&one)))).await;
        let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 401, 401, 401, 401, 401, 401, 401]);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_are_not_guessed_faster_than_passwords() {
    let server = TestServer::with(&["--login-failures=3"]).await;
    let person = Person::register(&server, "Ana", None).await;
    let (authenticator, _) = person.turn_on().await;
    for guess in ["000000", "abcdef", ""] {
        person.log_in(&server, Some(guess)).await.refused(401, "bad_code");
    }
    person.log_in(&server, Some(&authenticator.code(1))).await.refused(429, "rate_limited");

    let other = Person::register(&server, "Bia", None).await;
    let authenticator = other.begin().await;
    for _ in 0..3 {
        other.client.post("/v1/me/second-factor/confirm", &json!({"code": "000000"})).await.refused(401, "bad_code");
    }
    let right = json!({"code": authenticator.code(0)});
    other.client.post("/v1/me/second-factor/confirm", &right).await.refused(429, "rate_limited");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_begun_with_the_password_and_removed_with_a_code() {
    let server = TestServer::start().await;
    let person = Person::register(&server, "Ana", None).await;
    let path = "/v1/me/second-factor";
    person.client.post(path, &json!({"password": "not the password"})).await.refused(401, "bad_credentials");
    let confirm = "/v1/me/second-factor/confirm";
    person.client.post(confirm, &json!({"code": "000000"})).await.refused(409, "second_factor_settled");
    let first = person.client.post(path, &json!({"password": PASSWORD})).await.expect(201).body;
    let uri = first["uri"].as_str().unwrap();
    assert!(uri.starts_with("otpauth://totp/Stakeboard:"), "{uri}");
    assert!(uri.contains(&format!("secret={}", text(&first["secret"]))), "{uri}");
    // Begun again, the first secret is good for nothing. Until a code was seen a log-in needs none.
    person.log_in(&server, None).await.expect(200);
    let (authenticator, codes) = person.turn_on().await;
    assert_ne!(first["secret"], authenticator.secret.as_str());
    person.client.post(path, &json!({"password": PASSWORD})).await.refused(409, "second_factor_settled");

    let remove = "/v1/me/second-factor/remove";
    person.client.post(remove, &json!({"code": "000000"})).await.refused(401, "bad_code");
    person.client.post(remove, &json!({"code": codes[0]})).await.expect(204);
    person.client.post(remove, &json!({"code": codes[1]})).await.refused(409, "second_factor_settled");
    person.log_in(&server, None).await.expect(200);
    assert_eq!(person.client.get(path).await.expect(200).body["session"], false);

    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201);
    with_token(&server, &guest).post(path, &json!({"password": PASSWORD})).await.refused(403, "account_needed");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_lost_it_is_let_in_again_by_another_administrator_and_the_log_says_why() {
    let server = TestServer::start().await;
    let (boss, lost) = (
        Person::register(&server, "Boss", Some(Role::Admin)).await,
        Person::register(&server, "Lost", Some(Role::Admin)).await,
    );
    lost.turn_on().await;
    let path = |id: &str| format!("/v1/admin/players/{id}/second-factor/reset");
    let because = json!({"reason": "phone in the river, seen in person"});
    boss.client.post(&path(&boss.id), &because).await.refused(422, "own_account");
    boss.client.post(&path(&lost.id), &json!({})).await.refused(422, "invalid_request");
    boss.client.post(&path(&uuid::Uuid::now_v7().to_string()), &because).await.refused(404, "not_found");
    boss.client.post(&path(&lost.id), &because).await.expect(204);

    lost.client.get("/v1/me").await.refused(401, "unauthenticated");
    lost.log_in(&server, None).await.expect(200);
    let log = boss.client.get("/v1/admin/audit?action=player.second_factor_reset").await.expect(200).body;
    let lines: Vec<_> = log["items"].as_array().unwrap().iter().collect();
    assert_eq!(lines.len(), 1);
    let (actor, player, reason) = (&lines[0]["actor"], &lines[0]["player"], &lines[0]["reason"]);
    assert_eq!((actor, player, reason), (&json!(boss.id), &json!(lost.id), &because["reason"]));
    server.stop().await;
}
