//! O-1, O-5: the staff looks for players and matches, and each look is written down; the first administrator.

use std::process::Command;

use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{TestDatabase, TestServer};

use crate::support::text;

fn ids(page: &Value) -> Vec<String> {
    page["items"].as_array().unwrap().iter().map(|item| text(&item["id"])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn players_are_found_by_id_address_and_name_in_pages_and_the_look_is_written_down() {
    let server = TestServer::start().await;
    let auditor = server.client().of(&server.registrar.with_roles(0, vec![Role::Auditor]).await);
    let mut players = Vec::new();
    for _ in 0..5 {
        players.push(server.registrar.player(0).await);
    }
    let newest_first: Vec<String> = players.iter().rev().map(|player| player.id.to_string()).collect();

    let one = &players[2];
    let address = format!("{}@TEST.example", one.name.replace(' ', "-"));
    for query in [format!("id={}", one.id), format!("email={address}"), format!("name={}", one.name.to_uppercase())] {
        let page = auditor.get(&format!("/v1/admin/players?{query}")).await.expect(200).body;
        assert!(ids(&page).contains(&one.id.to_string()), "{query}: {page}");
    }
    let by_id = auditor.get(&format!("/v1/admin/players?id={}", one.id)).await.expect(200).body;
    assert_eq!(by_id["items"][0]["email"], address.to_lowercase());
    assert_eq!(by_id["items"][0]["roles"], json!([]));

    let mut found = Vec::new();
    let mut path = "/v1/admin/players?limit=2&name=player".to_owned();
    loop {
        let page = auditor.get(&path).await.expect(200).body;
        found.extend(ids(&page));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/admin/players?limit=2&name=player&cursor={cursor}");
    }
    assert_eq!(&found[..5], newest_first, "newest first, none twice, none left out");

    let lines = auditor.get("/v1/admin/audit?action=players.read&limit=200").await.expect(200).body;
    assert!(lines["items"].as_array().unwrap().iter().any(|line| line["player"] == one.id.to_string()));

    for (query, field) in [("nick=x", "nick"), ("limit=0", "limit"), ("cursor=x", "cursor"), ("email=a%00b", "email")] {
        let answer = auditor.get(&format!("/v1/admin/players?{query}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{query}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_are_found_by_any_combination_of_filters() {
    let server = TestServer::start().await;
    let admin = server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await);
    let (small, [loser, _]) = server.start_match(50).await;
    let (large, [player, _]) = server.start_match(500).await;
    server.client().of(&loser).post_empty(&format!("/v1/matches/{small}/resign")).await.expect(200);

    for (query, expected) in [
        ("", vec![&large, &small]),
        ("status=live", vec![&large]),
        ("status=ended", vec![&small]),
        ("ending=resignation", vec![&small]),
        ("ending=timeout", vec![]),
        ("stake_min=51", vec![&large]),
        ("game=oware", vec![&large, &small]),
        ("game=morris", vec![]),
        (&format!("player={}", player.id), vec![&large]),
        (&format!("player={}&status=ended", player.id), vec![]),
        ("from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z", vec![]),
        ("from=2020-01-01T00:00:00Z", vec![&large, &small]),
    ] {
        let page = admin.get(&format!("/v1/admin/matches?{query}")).await.expect(200).body;
        assert_eq!(ids(&page), expected.into_iter().cloned().collect::<Vec<_>>(), "{query}");
    }
    let first = admin.get("/v1/admin/matches?limit=1").await.expect(200).body;
    let next = admin.get(&format!("/v1/admin/matches?limit=1&cursor={}", text(&first["next_cursor"]))).await;
    let next = next.expect(200).body;
    assert_eq!((ids(&next), &next["next_cursor"]), (vec![small], &Value::Null));
    assert_eq!(next["items"][0]["payout"], 90);
    for (query, field) in [
        ("game=chess", "game"),
        ("status=open", "status"),
        ("ending=x", "ending"),
        ("from=today", "from"),
        ("stake_min=-1", "stake_min"),
        ("x=1", "x"),
    ] {
        let answer = admin.get(&format!("/v1/admin/matches?{query}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{query}");
    }
    // A range that ends before it begins is a mistake, not an empty list; both of its ends are named.
    let backwards = "from=2020-01-02T00:00:00Z&to=2020-01-01T23:59:59.999Z";
    for list in ["matches", "ledger/transfers", "reports/pairs", "reports/fair-play"] {
        let answer = admin.get(&format!("/v1/admin/{list}?{backwards}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), ["from", "to"].map(|field| (field.to_owned(), "malformed".to_owned())), "{list}");
    }
    admin.get("/v1/admin/matches?from=2020-01-02T00:00:00Z&to=2020-01-02T00:00:00Z").await.expect(200);
    let no_act = admin.get("/v1/admin/audit?action=player.froze").await.refused(422, "invalid_request");
    assert_eq!(no_act.fields(), [("action".to_owned(), "not_one_of".to_owned())]);
    server.stop().await;
}

/// Runs `admin create` against a database; its exit and what it printed.
fn create_admin(database: &TestDatabase, arguments: &[&str]) -> (bool, String, String) {
    on_the_command_line(database, &[&["create"], arguments].concat())
}

/// The same for `admin` and whatever follows it.
fn on_the_command_line(database: &TestDatabase, arguments: &[&str]) -> (bool, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_server-under-test"))
        .arg("admin")
        .args(arguments)
        .env_clear()
        .env("DATABASE_URL", database.url())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (done.status.success(), text(done.stdout), text(done.stderr))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_administrator_is_made_on_the_command_line() {
    let server = TestServer::start().await;
    let log_in = async |email: &str, password: &str| {
        server.client().post("/v1/auth/login", &json!({"email": email, "password": password})).await
    };

    let (made, out, error) = create_admin(&server.database, &["boss@example.com"]);
    assert!(made, "{error}");
    let password = out.lines().find_map(|line| line.strip_prefix("password: ")).unwrap();
    let boss = log_in("boss@example.com", password).await.expect(200).body;
    assert_eq!(boss["player"]["roles"], json!(["admin"]));
    let admin = server.client().with_token(boss["access_token"].as_str().unwrap());
    let lines = admin.get("/v1/admin/audit?action=admin.create").await.expect(200).body;
    assert_eq!((&lines["items"][0]["actor"], &lines["items"][0]["player"]), (&Value::Null, &boss["player"]["id"]));

    // Again: the account keeps its password and is not made a second time.
    let (again, out, _) = create_admin(&server.database, &["BOSS@example.com"]);
    assert!(again && !out.contains("password:"), "{out}");
    log_in("boss@example.com", password).await.expect(200);

    // A player who is there already is promoted, and keeps every other role.
    let cashier = server.registrar.with_roles(0, vec![Role::Cashier]).await;
    let address = format!("{}@test.example", cashier.name.replace(' ', "-"));
    assert!(create_admin(&server.database, &[&address]).0);
    let me = server.client().of(&cashier).get("/v1/me").await.expect(200).body;
    assert_eq!(me["roles"], json!(["admin", "cashier"]));

    // A password from a file is not printed; a weak one makes nobody.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "correct horse staple\n").unwrap();
    let from_file = format!("--password-file={}", file.display());
    let (made, out, error) = create_admin(&server.database, &["two@example.com", &from_file, "--name=Second Boss"]);
    assert!(made && !out.contains("horse"), "{out} {error}");
    let two = log_in("two@example.com", "correct horse staple").await.expect(200).body;
    assert_eq!(two["player"]["display_name"], "Second Boss");
    std::fs::write(&file, "1234567890").unwrap();
    assert!(!create_admin(&server.database, &["three@example.com", &from_file]).0);
    assert!(!create_admin(&server.database, &["no address"]).0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_runs_the_machine_gives_a_password_for_one_log_in_to_anybody() {
    let server = TestServer::start().await;
    let (made, out, error) = create_admin(&server.database, &["boss@example.com"]);
    assert!(made, "{error}");
    let first = out.lines().find_map(|line| line.strip_prefix("password: ")).unwrap().to_owned();

    let (given, out, error) = on_the_command_line(&server.database, &["reset-password", "boss@example.com"]);
    assert!(given && out.contains("until 20"), "{out} {error}");
    let password = out.lines().find_map(|line| line.strip_prefix("password: ")).unwrap();
    let log_in = async |body: Value| server.client().post("/v1/auth/login", &body).await;
    log_in(json!({"email": "boss@example.com", "password": first})).await.refused(401, "bad_credentials");
    log_in(json!({"email": "boss@example.com", "password": password})).await.refused(401, "new_password_needed");
    let chosen = json!({"email": "boss@example.com", "password": password, "new_password": "correct horse staple"});
    let boss = log_in(chosen).await.expect(200).body;
    let admin = server.client().with_token(boss["access_token"].as_str().unwrap());
    let lines = admin.get("/v1/admin/audit?action=player.password_reset").await.expect(200).body;
    assert_eq!((&lines["items"][0]["actor"], &lines["items"][0]["player"]), (&Value::Null, &boss["player"]["id"]));

    assert_eq!(lines["items"][0]["reason"], "on the command line of the server's machine");

    let (given, _, error) = on_the_command_line(&server.database, &["reset-password", "nobody@example.com"]);
    assert!(!given && error.contains("no account"), "{error}");
    server.stop().await;
}

/// No time that a client names, however far out, is a fault of ours.
#[tokio::test(flavor = "multi_thread")]
async fn times_that_cannot_be_told_in_utc_are_refused_by_name() {
    let server = TestServer::start().await;
    let admin = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let client = server.client().of(&admin);
    for (path, field) in [
        ("/v1/wallet/totals", "to"),
        ("/v1/wallet/transfers", "to"),
        ("/v1/matches", "to"),
        ("/v1/admin/ledger/transfers", "to"),
        ("/v1/admin/ledger/trial-balance", "at"),
        ("/v1/admin/matches", "to"),
        ("/v1/admin/reports/pairs", "to"),
    ] {
        for time in ["9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00%2B01:00"] {
            let answer = client.get(&format!("{path}?{field}={time}")).await.refused(422, "invalid_request");
            assert_eq!(answer.fields()[0].0, field, "{path}: {time}");
        }
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_alone_could_let_others_in_is_let_in_on_the_command_line() {
    let server = TestServer::start().await;
    let boss = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let address = format!("{}@test.example", boss.name.replace(' ', "-"));
    let mut owner = server.database.as_owner().await;
    let lost = "insert into second_factors (player_id, secret, confirmed_at) values ($1, '\\x00', now())";
    sqlx::query(lost).bind(boss.id.0).execute(&mut owner).await.unwrap();

    let (done, out, error) = on_the_command_line(&server.database, &["forget-second-factor", &address]);
    assert!(done && out.contains(&address), "{out} {error}");
    server.client().of(&boss).get("/v1/me").await.refused(401, "unauthenticated");
    let left: i64 = sqlx::query_scalar("select count(*) from second_factors").fetch_one(&mut owner).await.unwrap();
    assert_eq!(left, 0);
    let other = server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await);
    let log = other.get("/v1/admin/audit?action=player.second_factor_reset").await.expect(200).body;
    assert_eq!((&log["items"][0]["actor"], &log["items"][0]["player"]), (&Value::Null, &json!(boss.id)));
    assert_eq!(log["items"][0]["reason"], "on the command line of the server's machine");
    assert!(!on_the_command_line(&server.database, &["forget-second-factor", "nobody@test.example"]).0);
    server.stop().await;
}
