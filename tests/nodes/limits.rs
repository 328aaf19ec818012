//! Limits on guessing are one, however many servers there are.

use serde_json::{Value, json};
use stakeboard_tests::{Answer, Client, Nats, ServerProcess};

use crate::{SERVER, support::on_both};

const EMAIL: &str = "iracema@test.example";
const PASSWORD: &str = "vento norte 81 pedras";

fn account(number: usize) -> Value {
    let email = if number == 0 { EMAIL.to_owned() } else { format!("{number}{EMAIL}") };
    json!({"email": email, "password": PASSWORD, "display_name": format!("Iracema{number}"), "birth_date": "1990-05-17"})
}

async fn log_in(client: &Client, password: &str) -> Answer {
    client.post("/v1/auth/login", &json!({"email": EMAIL, "password": password})).await
}

async fn guess(client: &Client, times: usize) {
    for _ in 0..times {
        log_in(client, "vento sul 18 pedras").await.refused(401, "bad_credentials");
    }
}

/// How often something is taken before it is refused for its frequency: once or twice, where word is still on its way.
async fn taken_before_the_limit(mut ask: impl AsyncFnMut(usize) -> Answer) -> usize {
    let mut taken = 0;
    loop {
        let answer = ask(taken).await;
        if answer.status == 429 {
            return taken;
        }
        taken += 1;
    }
}

on_both! {
    async fn who_guesses_at_one_node_has_no_more_guesses_at_the_next(nodes: Nodes) {
        nodes.one.client().post("/v1/auth/register", &account(0)).await.expect(201);
        guess(&nodes.one.client(), 10).await;
        let client = nodes.two.client();
        let taken = taken_before_the_limit(async |_| log_in(&client, "vento sul 18 pedras").await).await;
        assert!(taken < 5, "ten would be a limit of its own: {taken}");
    }

    async fn who_knows_the_password_begins_anew_at_every_node(nodes: Nodes) {
        nodes.one.client().post("/v1/auth/register", &account(0)).await.expect(201);
        for _ in 0..2 {
            guess(&nodes.one.client(), 9).await;
            log_in(&nodes.two.client(), PASSWORD).await.expect(200);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn who_signs_up_again_and_again_is_held_up_at_every_node() {
    let nats = Nats::start().await;
    let environment = [("STAKEBOARD_BUS", &*nats.url()), ("STAKEBOARD_SIGN_UPS_BY_ADDRESS", "8")];
    let one = ServerProcess::start(SERVER, &environment).await;
    let two = one.another().await;
    let sign_up =
        async |server: &ServerProcess, number| server.client().post("/v1/auth/register", &account(number)).await;
    for number in 0..8 {
        sign_up(&one, number).await.expect(201);
    }
    let taken = taken_before_the_limit(async |taken| sign_up(&two, 8 + taken).await).await;
    assert!(taken < 4, "eight would be a limit of its own: {taken}");
}
