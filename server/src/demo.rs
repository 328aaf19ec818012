//! Demo accounts with play money, for whoever tries the server on their own machine. Where money is real there are none:
//! an administrator whose password lies in a file, and two players who never showed who they are.

use std::{net::SocketAddr, path::Path};

use anyhow::Context as _;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use crate::{
    auth::{Auth, Password},
    http::accounts,
    idempotency::Key,
    ids::PlayerId,
    ledger::OwnFilter,
    money::Cents,
    players::{BirthDate, DisplayName, Email, NewAccount},
    rng,
    role::Role,
    wallet::Wallet,
};

/// The demo accounts' file, beside the private Postgres.
const FILE: &str = "demo-accounts.json";
/// What each begins with, in minor units.
const MONEY: i64 = 100_000;
/// Who they are.
const NAMES: [&str; 2] = ["ana", "bia"];
/// Who looks after them.
const ADMIN: &str = "admin";

/// A demo account, as the file has it.
#[derive(Debug, Deserialize, Serialize)]
#[expect(
    clippy::unsafe_derive_deserialize,
    reason = "`sqlx::query!` in its methods expands to safe code that looks otherwise"
)]
struct DemoAccount {
    email: String,
    password: String,
}

/// Makes the demo accounts where they are missing, and tells how to play a match with them.
pub async fn prepare(auth: &Auth, wallet: &Wallet, folder: &Path, address: SocketAddr) -> anyhow::Result<Vec<String>> {
    let file = folder.join(FILE);
    let mut accounts: Vec<DemoAccount> = match std::fs::read(&file) {
        Ok(text) => serde_json::from_slice(&text).with_context(|| format!("{} can't be understood", file.display()))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).with_context(|| format!("{} can't be read", file.display())),
    };
    let all = NAMES.into_iter().chain([ADMIN]);
    if accounts.len() < all.clone().count() {
        // Also where an earlier version kept fewer of them.
        accounts.extend(all.clone().skip(accounts.len()).map(DemoAccount::new));
        // Written first: an account whose password nobody knows would be in the way for good.
        keep(&file, &accounts)?;
    }
    for (account, name) in accounts.iter().zip(all) {
        account.open(auth, wallet, name).await?;
    }
    let mut lines =
        vec![format!("demo accounts, two with play money and an administrator, kept in {}:", file.display())];
    lines.extend(accounts.iter().map(|account| format!("  {} {}", account.email, account.password)));
    lines.push("one match with them, to copy and paste:".into());
    lines.extend(walk(&accounts, address));
    Ok(lines)
}

impl DemoAccount {
    fn new(name: &str) -> Self {
        let secret: [u8; 12] = rng::secret();
        let password = BASE64_URL_SAFE_NO_PAD.encode(secret);
        Self { email: format!("{name}@demo.example"), password }
    }

    async fn open(&self, auth: &Auth, wallet: &Wallet, name: &str) -> anyhow::Result<()> {
        let email = Email::parse(&self.email).context("a demo account's address")?;
        let known =
            sqlx::query_scalar!(r#"select id as "id: PlayerId" from players where email_key = $1"#, email.key())
                .fetch_optional(auth.pool())
                .await?;
        let is_admin = name == ADMIN;
        let player = if let Some(player) = known {
            player
        } else {
            let account = NewAccount {
                email,
                display_name: DisplayName::parse(name).ok().context("a demo account's name")?,
                password_hash: auth.passwords().hash(Password::new(&self.password)).await?,
                birth_date: BirthDate(time::macros::date!(1990 - 01 - 01)),
                roles: if is_admin { vec![Role::Admin] } else { Vec::new() },
            };
            accounts::create_account(auth, account).await?
        };
        // The key makes it once for good, also where an earlier start was cut off before it.
        let key = Key { method: "DEMO".into(), path: "demo".into(), key: "first".into(), body_hash: Vec::new() };
        if !is_admin && wallet.transfers(player, &OwnFilter::default(), None, 1).await?.is_empty() {
            wallet.deposit(player, Cents(MONEY), key).await?;
        }
        Ok(())
    }
}

/// Only the user who runs the server can read it.
fn keep(file: &Path, accounts: &[DemoAccount]) -> anyhow::Result<()> {
    use std::{io::Write as _, os::unix::fs::OpenOptionsExt as _};
    let draft = file.with_extension("new");
    let mut out = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)
        .with_context(|| format!("{} can't be written", draft.display()))?;
    out.write_all(&serde_json::to_vec_pretty(accounts)?)?;
    out.sync_all()?;
    std::fs::rename(&draft, file).with_context(|| format!("{} can't be written", file.display()))
}

/// A match by `curl`, from log-in to resignation.
fn walk(accounts: &[DemoAccount], address: SocketAddr) -> Vec<String> {
    let [ana, bia, ..] = accounts else { return Vec::new() };
    let login = |variable: &str, account: &DemoAccount| {
        format!(
            "  {variable}=$(curl -s $S/v1/auth/login -H 'content-type: application/json' \
             -d '{{\"email\":\"{}\",\"password\":\"{}\"}}' | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')",
            account.email, account.password
        )
    };
    let id = r#"sed 's/.*"\(match_id\|id\)":"\([0-9a-f-]\{36\}\)".*/\2/'"#;
    let first = r#"sed 's/^{"id":"\([0-9a-f-]\{36\}\)".*/\1/'"#;
    vec![
        format!("  S=http://{address}; J='content-type: application/json'"),
        login("ANA", ana),
        login("BIA", bia),
        format!(
            "  SEEK=$(curl -s $S/v1/lobby/seeks -H \"authorization: Bearer $ANA\" -H \"$J\" \
             -d '{{\"game\":\"oware\",\"stake\":500}}' | {first}); echo seek $SEEK"
        ),
        format!(
            "  MATCH=$(curl -s $S/v1/lobby/seeks/$SEEK/accept -H \"authorization: Bearer $BIA\" -H \"$J\" \
             -H \"idempotency-key: $SEEK\" -d '{{\"stake\":500}}' | {id}); echo match $MATCH"
        ),
        "  for T in $ANA $BIA; do curl -s $S/v1/matches/$MATCH/moves -H \"authorization: Bearer $T\" -H \"$J\" \
         -d '{\"ply\":1,\"move\":\"C\"}'; echo; done   # one of them opens, the other is told why not"
            .into(),
        "  curl -s $S/v1/matches/$MATCH; echo".into(),
        "  curl -s -X POST $S/v1/matches/$MATCH/resign -H \"authorization: Bearer $ANA\"; echo".into(),
        "  curl -s $S/v1/wallet -H \"authorization: Bearer $BIA\"; echo   # 400 more than before: 90 % of the pot, less the stake".into(),
    ]
}
