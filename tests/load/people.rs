//! Players with money and a session.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use stakeboard_tests::{Client, Registrar};

/// A player.
#[derive(Clone, Debug)]
pub struct Person {
    /// Who, as the interface names them.
    pub id: String,
    client: Client,
    refresh: Option<(String, Instant)>,
}

/// Where players come from.
#[derive(Clone)]
pub enum Source {
    /// Straight into the database of a server of our own: nobody hashes a password.
    Database(Box<Registrar>),
    /// By signing up, as everybody does.
    SignUp,
}

/// What a player has at first, or pays in at once where it ran out: some thousand stakes.
const MONEY: i64 = 1_000_000;

impl Person {
    /// A new player.
    pub async fn new(source: &Source, client: &Client) -> anyhow::Result<Self> {
        match source {
            Source::Database(registrar) => {
                let player = registrar.player(MONEY).await;
                Ok(Self { id: player.id.to_string(), client: client.of(&player), refresh: None })
            }
            Source::SignUp => Self::sign_up(client).await,
        }
    }

    async fn sign_up(client: &Client) -> anyhow::Result<Self> {
        let name = uuid::Uuid::now_v7().simple().to_string();
        let account = json!({
            "email": format!("load-{name}@test.example"),
            "password": format!("a password of {name}"),
            "display_name": format!("load {}", &name[12..]),
            "birth_date": "1990-01-01",
        });
        let answer = post(client, "/v1/auth/register", &account, 201).await?;
        let mut person = Self {
            id: answer["player"]["id"].as_str().context("a player without an id")?.to_owned(),
            client: client.clone(),
            refresh: None,
        };
        person.take_tokens(&answer)?;
        person.pay_in(client).await?;
        Ok(person)
    }

    /// Pays in as much as the server lets them.
    async fn pay_in(&self, client: &Client) -> anyhow::Result<()> {
        let config = client.get("/v1/config").await.body;
        let amount = config["deposit_max"].as_i64().unwrap_or(MONEY).min(MONEY);
        let answer = self.client.post_keyed("/v1/wallet/deposits", &key(), &json!({ "amount": amount })).await;
        anyhow::ensure!(answer.status == 201, "a deposit was refused: {}", answer.text);
        Ok(())
    }

    fn take_tokens(&mut self, answer: &Value) -> anyhow::Result<()> {
        let token = answer["access_token"].as_str().context("no access token")?;
        let refresh = answer["refresh_token"].as_str().context("no refresh token")?;
        let seconds = answer["expires_in"].as_u64().context("no expires_in")?;
        self.client = self.client.with_token(token);
        self.refresh = Some((refresh.to_owned(), Instant::now() + Duration::from_secs(seconds / 2)));
        Ok(())
    }

    /// A client with a token that is good for a while.
    pub async fn client(&mut self) -> anyhow::Result<&Client> {
        if let Some((refresh, due)) = &self.refresh
            && *due <= Instant::now()
        {
            let body = json!({ "refresh_token": refresh });
            let answer = post(&self.client, "/v1/auth/refresh", &body, 200).await?;
            self.take_tokens(&answer)?;
        }
        Ok(&self.client)
    }

    /// The access token.
    pub async fn token(&mut self) -> anyhow::Result<String> {
        Ok(self.client().await?.token().context("a client without a token")?.to_owned())
    }
}

/// An idempotency key that nobody has used.
pub fn key() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// Asks until the server's limits on rates let it through.
pub async fn post(client: &Client, path: &str, body: &Value, expected: u16) -> anyhow::Result<Value> {
    let key = key();
    loop {
        let answer = client.post_keyed(path, &key, body).await;
        if answer.status == 429 {
            let wait = answer.headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
            tokio::time::sleep(Duration::from_secs(wait.unwrap_or(1))).await;
            continue;
        }
        anyhow::ensure!(answer.status == expected, "{path}: {} {}", answer.status, answer.text);
        return Ok(answer.body);
    }
}
