//! A commit that was made, and whose answer never came.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use serde_json::json;
use stakeboard_tests::{Client, TestDatabase, TestServer, postgres::open_to_all};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
};

use crate::support::{check_books, end_in_draw, eventually, open_table, post_seek, text};

/// A statement that is to be carried out without its answer.
#[derive(Clone, Copy)]
struct Lost {
    /// Bytes that the client sends for it.
    sent: &'static str,
    /// How many exchanges follow before the answer that is lost: a statement is first prepared.
    exchanges: u32,
}

/// A line to Postgres that can lose an answer and is then cut.
struct Line {
    folder: TempDir,
    lost: Arc<Mutex<Option<Lost>>>,
}

const SOCKET: &str = ".s.PGSQL.5432";

impl Line {
    /// Puts itself between a database and who connects to it from now on.
    fn before(database: &mut TestDatabase) -> Self {
        let (folder, lost) = (TempDir::new().unwrap(), Arc::new(Mutex::new(None)));
        open_to_all(folder.path()).unwrap();
        let behind = database.server.get_socket().unwrap().join(SOCKET);
        database.server = database.server.clone().socket(folder.path());
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let to_lose = Arc::clone(&lost);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, behind.clone(), Arc::clone(&to_lose)));
            }
        });
        Self { folder, lost }
    }

    /// Loses the answer to the next statement like this.
    fn lose(&self, sent: &'static str, exchanges: u32) {
        *self.lost.lock().unwrap() = Some(Lost { sent, exchanges });
    }

    /// Waits until an answer was lost.
    async fn has_lost(&self) {
        assert!(Path::exists(self.folder.path()));
        eventually("an answer is lost", async || self.lost.lock().unwrap().is_none()).await;
    }
}

/// Carries bytes both ways until either side is gone or an answer is lost.
async fn carry(mut client: UnixStream, behind: PathBuf, to_lose: Arc<Mutex<Option<Lost>>>) {
    let Ok(mut postgres) = UnixStream::connect(behind).await else { return };
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    // What is still to be exchanged before the answer that is lost.
    let mut losing: Option<u32> = None;
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                losing = match losing {
                    Some(exchanges) => exchanges.checked_sub(1),
                    None => to_lose.lock().unwrap().and_then(|lost| {
                        let sent = asked[..length].windows(lost.sent.len()).any(|part| part == lost.sent.as_bytes());
                        sent.then_some(lost.exchanges)
                    }),
                };
                if postgres.write_all(&asked[..length]).await.is_err() {
                    return;
                }
            }
            read = postgres.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return };
                if losing == Some(0) {
                    // It is answered, so it is done; nobody will hear of it.
                    *to_lose.lock().unwrap() = None;
                    return;
                }
                if client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// A server behind such a line.
async fn server() -> (TestServer, Line) {
    let mut database = TestDatabase::create().await;
    let line = Line::before(&mut database);
    (TestServer::on(database, &[]).await, line)
}

/// T27, and the promise that nobody's stake is stuck.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_whose_commit_was_not_heard_of_is_played_and_settled_all_the_same() {
    let (server, line) = server().await;
    let (one, first) = server.player(1_000).await;
    let (two, second) = server.player(1_000).await;
    let path = format!("/v1/lobby/seeks/{}/accept", post_seek(&first, 500).await);
    let stake = json!({"stake": 500});
    line.lose("COMMIT", 0);
    second.post_keyed(&path, "one", &stake).await.refused(503, "paused");
    line.has_lost().await;

    let id = served(&first).await;
    let repeated = second.post_keyed(&path, "one", &stake).await.expect(201).body;
    assert_eq!(repeated["match_id"], id.as_str());
    assert_eq!(first.get("/v1/lobby/seeks").await.expect(200).body["items"], json!([]));
    first.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    assert_eq!(server.registrar.available(one.id).await, 500);
    assert_eq!(server.registrar.available(two.id).await, 500 + 900);
    check_books(&server.registrar, 2_000).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_and_a_rematch_whose_commits_were_not_heard_of_are_matches_that_can_be_played() {
    let (server, line) = server().await;
    let (_, host) = server.player(1_000).await;
    let (_, friend) = server.player(1_000).await;
    let (path, stake) = (format!("/v1/tables/{}/join", open_table(&host, 500).await), json!({"stake": 500}));
    line.lose("COMMIT", 0);
    friend.post_keyed(&path, "one", &stake).await.refused(503, "paused");
    line.has_lost().await;
    let id = served(&host).await;
    assert_eq!(friend.post_keyed(&path, "one", &stake).await.expect(201).body["match_id"], id.as_str());
    end_in_draw(&id, &host, &friend).await;

    let path = format!("/v1/matches/{id}/rematch");
    host.post(&path, &json!({"action": "propose"})).await.expect(200);
    line.lose("COMMIT", 0);
    friend.post(&path, &json!({"action": "accept"})).await.refused(503, "paused");
    line.has_lost().await;
    let next = served(&host).await;
    friend.post(&path, &json!({"action": "accept"})).await.expect(200);
    let over = host.get(&format!("/v1/matches/{id}")).await.expect(200).body;
    assert_eq!(over["next_match"], next.as_str(), "a repeat meets in the same match");
    end_in_draw(&next, &host, &friend).await;
    check_books(&server.registrar, 2_000).await;
    server.stop().await;
}

/// The live match of a player, once its clock runs.
async fn served(client: &Client) -> String {
    let mut id = String::new();
    eventually("the match is served", async || {
        let live = client.get("/v1/matches?status=live").await.expect(200).body;
        let Some(found) = live["items"].get(0) else { return false };
        id = text(&found["id"]);
        client.get(&format!("/v1/matches/{id}")).await.body["clocks"]["running"] == "first"
    })
    .await;
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deposit_whose_commit_was_not_heard_of_is_there_once_when_it_is_repeated() {
    let (server, line) = server().await;
    let (player, client) = server.player(0).await;
    let (path, body) = ("/v1/wallet/deposits", json!({"amount": 700}));
    line.lose("COMMIT", 0);
    let told = client.post_keyed(path, "one", &body).await.refused(503, "paused").body;
    assert!(text(&told["detail"]).contains("may have been done"), "it must not be told as if nothing was: {told}");
    line.has_lost().await;
    assert_eq!(server.registrar.available(player.id).await, 700, "it was made");
    let first = client.post_keyed(path, "one", &body).await.expect(201).body;
    assert_eq!(client.post_keyed(path, "one", &body).await.expect(201).body, first);
    assert_eq!(server.registrar.available(player.id).await, 700);
    check_books(&server.registrar, 700).await;
    server.stop().await;
}

/// What `docs/reliability.md` (5) tells to do for calls without a key.
#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_and_a_new_password_whose_commits_were_not_heard_of_are_found_by_logging_in() {
    let (server, line) = server().await;
    let client = server.client();
    let (email, old, new) = ("iracema@test.example", "vento norte 81 pedras", "pedras de outro rio 7");
    let account = json!({"email": email, "password": old, "display_name": "Iracema", "birth_date": "1990-05-17"});
    line.lose("COMMIT", 0);
    client.post("/v1/auth/register", &account).await.refused(503, "paused");
    line.has_lost().await;
    client.post("/v1/auth/register", &account).await.refused(409, "email_taken");
    let login =
        async |password: &str| client.post("/v1/auth/login", &json!({"email": email, "password": password})).await;
    let session = login(old).await.expect(200).body;

    let own = client.with_token(&text(&session["access_token"]));
    line.lose("COMMIT", 0);
    own.post("/v1/auth/password", &json!({"password": old, "new_password": new})).await.refused(503, "paused");
    line.has_lost().await;
    login(old).await.refused(401, "bad_credentials");
    login(new).await.expect(200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_whose_commit_was_not_heard_of_is_shown_and_paid_once() {
    let (server, line) = server().await;
    let (id, [first, second]) = server.start_match(500).await;
    let client = server.client().of(&first);
    let resign = format!("/v1/matches/{id}/resign");
    // Prepared, then carried out.
    line.lose("settle_stakes", 1);
    client.post_empty(&resign).await.refused(503, "paused");
    line.has_lost().await;
    eventually("the end is found in the journal", async || {
        let shown = client.get(&format!("/v1/matches/{id}")).await.expect(200).body;
        shown["outcome"]["ending"] == "resignation"
    })
    .await;
    client.post_empty(&resign).await.refused(409, "match_over");
    assert_eq!(server.registrar.available(first.id).await, 0);
    assert_eq!(server.registrar.available(second.id).await, 900);
    let rated = client.get(&format!("/v1/players/{}/ratings", first.id)).await.expect(200).body;
    assert_eq!(rated["items"].as_array().unwrap().len(), 1, "rated once: {rated}");
    check_books(&server.registrar, 1_000).await;
    server.stop().await;
}
