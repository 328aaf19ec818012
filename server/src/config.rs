//! Settings: one list, given as flags, as environment variables or in a file, in that order of precedence.

mod shared;
mod unknown;

use std::{
    ffi::OsString,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{
    ArgMatches, Args, Command, FromArgMatches as _,
    builder::{OsStringValueParser, TypedValueParser as _},
};
use ipnet::IpNet;

pub use unknown::check_variables;

use crate::{
    admin::OfficeSettings,
    auth::AuthSettings,
    lobby::LobbySettings,
    matches::MatchesSettings,
    money::{Cents, Stake},
    practice::SandboxSettings,
    rate::Limit,
    realtime::RealtimeSettings,
    wallet::{Provider, WalletSettings, WebhookKeys},
};

/// Every setting of the server.
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own, as the operator sees them")]
pub struct Settings {
    /// Where to listen: address:port.
    #[arg(long, env = "STAKEBOARD_LISTEN", default_value = "127.0.0.1:8080", global = true)]
    pub listen: SocketAddr,
    /// Postgres, as the server's own role. Without it the server runs a private Postgres under .stakeboard/ of the
    /// working directory.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<String>,
    /// Postgres, as the owner of the schema, who runs the migrations at the start. Without it the schema must be up to
    /// date already (in development the server's own role is tried).
    #[arg(long, env = "STAKEBOARD_OWNER_DATABASE_URL", hide_env_values = true, global = true)]
    pub owner_database_url: Option<String>,
    /// A file that holds what `DATABASE_URL` would say, so that its password stands in no environment.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url", global = true)]
    pub database_url_file: Option<PathBuf>,
    /// A file that holds what `STAKEBOARD_OWNER_DATABASE_URL` would say.
    #[arg(long, env = "STAKEBOARD_OWNER_DATABASE_URL_FILE", conflicts_with = "owner_database_url", global = true)]
    pub owner_database_url_file: Option<PathBuf>,
    /// Origins of pages that may open a socket, such as `https://play.example`, separated by commas. Without it a page has
    /// to be of the host that the request names; what is no browser names no origin and is not asked.
    #[arg(long, env = "STAKEBOARD_ORIGINS", value_delimiter = ',', global = true)]
    pub origins: Vec<String>,
    /// Allows with `DATABASE_URL`, or beyond loopback, what is meant for development only: secrets made up at the first
    /// start, and the sandbox payment provider.
    #[arg(
        long,
        env = "STAKEBOARD_DEVELOPMENT",
        default_value = "false",
        default_missing_value = "true",
        num_args = 0..=1,
        global = true
    )]
    pub development: bool,
    /// PEM files with Ed25519 private keys for access tokens, separated by commas: the first signs, all verify.
    /// Without it, in development, a key is made and kept under .stakeboard/.
    #[arg(long, env = "STAKEBOARD_SIGNING_KEYS", value_delimiter = ',', global = true)]
    pub signing_keys: Vec<PathBuf>,
    /// PEM files with Ed25519 private keys for receipts, separated by commas: the first signs, all are published. Without
    /// it, in development, a key is made and kept under .stakeboard/.
    #[arg(long, env = "STAKEBOARD_RECEIPT_KEYS", value_delimiter = ',', global = true)]
    pub receipt_keys: Vec<PathBuf>,
    /// The payment provider.
    #[arg(long, env = "STAKEBOARD_PAYMENTS", value_enum, default_value = "sandbox", global = true)]
    pub payments: Provider,
    /// The secrets that the payment provider signs its callbacks with, separated by commas, each as `whsec_…` or as a
    /// file with it: one, or two while one is being replaced. Needed with the provider `webhook`.
    #[arg(long, env = "STAKEBOARD_WEBHOOK_SECRETS", value_delimiter = ',', hide_env_values = true, global = true)]
    pub webhook_secrets: Vec<String>,
    /// The currency of the deployment, an ISO 4217 code. It can't be changed once there are accounts.
    #[arg(long, env = "STAKEBOARD_CURRENCY", default_value = "BRL", value_parser = currency, global = true)]
    pub currency: String,
    /// Each player's time for a match, in milliseconds: 1000 to 86400000.
    #[arg(long, env = "STAKEBOARD_CLOCK_MS", default_value = "600000", value_parser = clap::value_parser!(u32).range(1_000..=86_400_000), global = true)]
    pub clock_ms: u32,
    /// The smallest stake, in minor units: a multiple of 5.
    #[arg(long, env = "STAKEBOARD_STAKE_MIN", default_value = "5", value_parser = stake, global = true)]
    pub stake_min: Stake,
    /// The largest stake, in minor units: a multiple of 5.
    #[arg(long, env = "STAKEBOARD_STAKE_MAX", default_value = "1000000", value_parser = stake, global = true)]
    pub stake_max: Stake,
    /// The largest deposit, in minor units.
    #[arg(long, env = "STAKEBOARD_DEPOSIT_MAX", default_value = "1000000", value_parser = clap::value_parser!(i64).range(1..=1_000_000_000_000), global = true)]
    pub deposit_max: i64,
    /// Whether a player can take back a withdrawal that nobody has decided on.
    #[arg(
        long,
        env = "STAKEBOARD_WITHDRAWAL_CANCELLATION",
        default_value = "true",
        default_missing_value = "true",
        action = clap::ArgAction::Set,
        num_args = 0..=1,
        global = true
    )]
    pub withdrawal_cancellation: bool,
    /// How many seeks a player can have open.
    #[arg(long, env = "STAKEBOARD_SEEKS_MOST", default_value = "20", value_parser = clap::value_parser!(i64).range(1..=1_000), global = true)]
    pub seeks_most: i64,
    /// How many tables by link a player can have open.
    #[arg(long, env = "STAKEBOARD_TABLES_MOST", default_value = "10", value_parser = clap::value_parser!(i64).range(1..=1_000), global = true)]
    pub tables_most: i64,
    /// How many friendly matches a player can be in at once.
    #[arg(long, env = "STAKEBOARD_FRIENDLY_MOST", default_value = "20", value_parser = clap::value_parser!(i64).range(1..=1_000), global = true)]
    pub friendly_most: i64,
    /// How many friendly matches each of the bots, one a level, can be in at once.
    #[arg(long, env = "STAKEBOARD_BOT_MATCHES_MOST", default_value = "200", value_parser = clap::value_parser!(i64).range(0..=10_000), global = true)]
    pub bot_matches_most: i64,
    /// Whether new stakes need a player whose identity has been verified.
    #[arg(
        long,
        env = "STAKEBOARD_IDENTITY_FOR_STAKES",
        default_value = "false",
        default_missing_value = "true",
        action = clap::ArgAction::Set,
        num_args = 0..=1,
        global = true
    )]
    pub identity_for_stakes: bool,
    /// Whether a withdrawal needs a player whose identity has been verified.
    #[arg(
        long,
        env = "STAKEBOARD_IDENTITY_FOR_WITHDRAWALS",
        default_value = "false",
        default_missing_value = "true",
        action = clap::ArgAction::Set,
        num_args = 0..=1,
        global = true
    )]
    pub identity_for_withdrawals: bool,
    /// What one administrator moves alone by adjustments in 24 hours, in minor units, at most; above it a second one has
    /// to approve.
    #[arg(long, env = "STAKEBOARD_ADJUST_ALONE_MOST", default_value = "10000", value_parser = clap::value_parser!(i64).range(0..=1_000_000_000_000), global = true)]
    pub adjust_alone_most: i64,
    /// The youngest a player may be, in years.
    #[arg(long, env = "STAKEBOARD_MINIMUM_AGE", default_value = "18", value_parser = clap::value_parser!(u8).range(1..=120), global = true)]
    pub minimum_age: u8,
    /// Whether the staff's work needs a session that began with a second factor. Without this setting it does with
    /// `DATABASE_URL`, except in development.
    #[arg(
        long,
        env = "STAKEBOARD_STAFF_SECOND_FACTOR",
        default_missing_value = "true",
        action = clap::ArgAction::Set,
        num_args = 0..=1,
        global = true
    )]
    pub staff_second_factor: Option<bool>,
    /// How long an access token is good for, in seconds.
    #[arg(long, env = "STAKEBOARD_ACCESS_TOKEN_SECONDS", default_value = "900", value_parser = clap::value_parser!(u32).range(10..=86_400), global = true)]
    pub access_token_seconds: u32,
    /// How long a refresh token is good for, in days.
    #[arg(long, env = "STAKEBOARD_REFRESH_TOKEN_DAYS", default_value = "30", value_parser = clap::value_parser!(u32).range(1..=365), global = true)]
    pub refresh_token_days: u32,
    /// How long after its first use a refresh token still gets a successor, in milliseconds. Later use ends its session.
    #[arg(long, env = "STAKEBOARD_REFRESH_GRACE_MS", default_value = "10000", value_parser = clap::value_parser!(u32).range(0..=600_000), global = true)]
    pub refresh_grace_ms: u32,
    /// How often a socket is sent a protocol ping, in milliseconds; three without an answer close it.
    #[arg(long, env = "STAKEBOARD_HEARTBEAT_MS", default_value = "5000", value_parser = clap::value_parser!(u32).range(100..=60_000), global = true)]
    pub heartbeat_ms: u32,
    /// How many frames a second a socket may send, sustained.
    #[arg(long, env = "STAKEBOARD_SOCKET_FRAMES_PER_SECOND", default_value = "50", value_parser = clap::value_parser!(u32).range(1..=1_000_000), global = true)]
    pub socket_frames_per_second: u32,
    /// How many frames a socket may send at once.
    #[arg(long, env = "STAKEBOARD_SOCKET_FRAMES_BURST", default_value = "200", value_parser = clap::value_parser!(u32).range(1..=1_000_000), global = true)]
    pub socket_frames_burst: u32,
    /// How many sockets a player can have open; one more closes the oldest.
    #[arg(long, env = "STAKEBOARD_SOCKETS_MOST", default_value = "10", value_parser = clap::value_parser!(u16).range(1..=1_000), global = true)]
    pub sockets_most: u16,
    /// How many HTTP requests a second a player may make, sustained.
    #[arg(long, env = "STAKEBOARD_HTTP_PER_SECOND", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=1_000_000), global = true)]
    pub http_per_second: u32,
    /// How many HTTP requests a player may make at once.
    #[arg(long, env = "STAKEBOARD_HTTP_BURST", default_value = "200", value_parser = clap::value_parser!(u32).range(1..=1_000_000), global = true)]
    pub http_burst: u32,
    /// How many log-ins to one account may fail at once; after that one a minute.
    #[arg(long, env = "STAKEBOARD_LOGIN_FAILURES", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=1_000_000), global = true)]
    pub login_failures: u32,
    /// How many log-ins from one address may fail at once; after that one every ten seconds. With `DATABASE_URL` only.
    #[arg(long, env = "STAKEBOARD_LOGIN_FAILURES_BY_ADDRESS", default_value = "50", value_parser = clap::value_parser!(u32).range(1..=1_000_000), global = true)]
    pub login_failures_by_address: u32,
    /// How many players may sign up from one address at once; after that one a minute. With `DATABASE_URL` only.
    #[arg(long, env = "STAKEBOARD_SIGN_UPS_BY_ADDRESS", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=1_000_000), global = true)]
    pub sign_ups_by_address: u32,
    /// The proxies in front of the server, as addresses or networks such as 10.0.0.0/8, separated by commas. Their
    /// `X-Forwarded-For` says where a request comes from; anybody else's is ignored.
    #[arg(long, env = "STAKEBOARD_TRUSTED_PROXIES", value_delimiter = ',', value_parser = network, global = true)]
    pub trusted_proxies: Vec<IpNet>,
    /// How often the ledger's new entries are sealed, in seconds.
    #[arg(long, env = "STAKEBOARD_SEAL_SECONDS", default_value = "60", value_parser = clap::value_parser!(u32).range(1..=86_400), global = true)]
    pub seal_seconds: u32,
    /// How often staked matches that have ended are looked for, to see how they were played, in seconds.
    #[arg(long, env = "STAKEBOARD_FAIR_PLAY_SECONDS", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=86_400), global = true)]
    pub fair_play_seconds: u32,
    /// How many connections to Postgres requests share; the journal, the heartbeat and settlements have their own.
    #[arg(long, env = "STAKEBOARD_DATABASE_CONNECTIONS", default_value = "12", value_parser = clap::value_parser!(u32).range(1..=500), global = true)]
    pub database_connections: u32,
    /// How many threads serve requests and matches. One costs the least and serves some ten thousand moves a second;
    /// password hashes, bots and Postgres run elsewhere.
    #[arg(long, env = "STAKEBOARD_THREADS", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=256), global = true)]
    pub threads: u16,
    /// The bus between several servers on one database: `nats://host:port`, with a user and password where the NATS
    /// server asks for them, or `tls://…`. Who can write to it can act for any player: keep it to the servers.
    #[arg(long, env = "STAKEBOARD_BUS", hide_env_values = true, global = true)]
    pub bus: Option<String>,
    /// A file that holds what `STAKEBOARD_BUS` would say, so that its password stands in no environment.
    #[arg(long, env = "STAKEBOARD_BUS_FILE", value_parser = OsStringValueParser::new().map(PathBuf::from), conflicts_with = "bus", global = true)]
    pub bus_file: Option<PathBuf>,
    /// How long one of several servers may be silent before the others take over its matches, in milliseconds.
    #[arg(long, env = "STAKEBOARD_LEASE_MS", default_value = "3000", value_parser = clap::value_parser!(u32).range(1_000..=60_000), global = true)]
    pub lease_ms: u32,
    /// A folder for endgame tables, which the strongest bot looks into: 35 MB in all, each worked out at first need in
    /// the background (in a release build in some ten seconds, one of them in a minute). Without it that bot searches
    /// only; a release build with a private Postgres keeps them under .stakeboard/.
    #[arg(long, env = "STAKEBOARD_ENDGAME_TABLES", global = true)]
    pub endgame_tables: Option<PathBuf>,
    /// What is logged, as a filter of `tracing`: `info`, `stakeboard_server=debug,info` …
    #[arg(long, env = "STAKEBOARD_LOG", default_value = "info", global = true)]
    pub log: String,
    /// How it is logged: for people or for programs.
    #[arg(long, env = "STAKEBOARD_LOG_FORMAT", value_enum, default_value = "text", global = true)]
    pub log_format: LogFormat,
    /// Where to send traces: the base of an OpenTelemetry collector that takes OTLP over HTTP as JSON, such as
    /// <http://127.0.0.1:4318>. Without it there are none.
    #[arg(long, env = "STAKEBOARD_OTLP_ENDPOINT", value_parser = endpoint, global = true)]
    pub otlp_endpoint: Option<String>,
    /// A TOML file with any of these settings, named as the flags, with underscores. Flags and variables come first.
    #[arg(long, env = "STAKEBOARD_SETTINGS", global = true)]
    pub settings: Option<PathBuf>,
}

/// How it is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

fn currency(text: &str) -> Result<String, String> {
    let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    is_code.then(|| text.to_owned()).ok_or_else(|| "three capital letters are needed, such as BRL".into())
}

fn stake(text: &str) -> Result<Stake, String> {
    let cents: i64 = text.parse().map_err(|_| "a whole number of minor units is needed".to_owned())?;
    Stake::new(cents)
        .ok_or_else(|| format!("a multiple of {} from {} to {} is needed", Stake::GRID, Stake::GRID, Stake::LARGEST))
}

fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let alone = || text.parse().map(|address: IpAddr| IpNet::from(address)).ok();
    let network = text.parse().ok().or_else(alone);
    network.ok_or_else(|| "an address or a network is needed, such as 10.0.0.1 or 10.0.0.0/8".to_owned())
}

fn endpoint(text: &str) -> Result<String, String> {
    let is_plain = text.strip_prefix("http://").is_some_and(|rest| !rest.is_empty());
    is_plain.then(|| text.to_owned()).ok_or_else(|| {
        "a URL that begins with http:// is needed: that of a collector beside the server, who speaks TLS onwards".into()
    })
}

/// Why the settings can't be used: a sentence that names the setting.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A flag or a variable.
    #[error(transparent)]
    Command(#[from] clap::Error),
    /// The settings file can't be read.
    #[error("the settings file {0} can't be read: {1}")]
    File(PathBuf, std::io::Error),
    /// The settings file is no TOML.
    #[error("the settings file {0} can't be understood: {1}")]
    Format(PathBuf, toml::de::Error),
    /// The settings file names something else.
    #[error("the settings file {0} has {1}, which is no setting")]
    Unknown(PathBuf, String),
    /// The environment names something else.
    #[error("no setting is called {0}")]
    Variables(String),
    /// Settings that do not go together.
    #[error("{0}")]
    Combination(String),
}

/// Reads the command line, the environment and the settings file they name.
pub fn parse(
    command: Command,
    arguments: impl IntoIterator<Item = OsString> + Clone,
) -> Result<(ArgMatches, Settings), SettingsError> {
    let first = command.clone().try_get_matches_from(arguments.clone())?;
    let matches = match Settings::from_arg_matches(&first)?.settings {
        Some(path) => with_file(command, &path)?.try_get_matches_from(arguments)?,
        None => first,
    };
    let mut settings = Settings::from_arg_matches(&matches)?;
    // Empty is none: a file of containers can't leave a variable out.
    settings.bus = settings.bus.filter(|bus| !bus.is_empty());
    settings.bus_file = settings.bus_file.filter(|file| !file.as_os_str().is_empty());
    settings.read_secrets()?;
    settings.check()?;
    Ok((matches, settings))
}

/// What the file says becomes the default of the setting, which flags and variables override.
fn with_file(mut command: Command, path: &Path) -> Result<Command, SettingsError> {
    let text = std::fs::read_to_string(path).map_err(|error| SettingsError::File(path.into(), error))?;
    let table: toml::Table = toml::from_str(&text).map_err(|error| SettingsError::Format(path.into(), error))?;
    for (name, value) in table {
        let settings =
            || command.get_arguments().map(|argument| argument.get_id().as_str()).filter(|id| *id != "settings");
        if !settings().any(|setting| setting == name) {
            let meant = unknown::nearest(&name, settings());
            let named = meant.map_or(format!("`{name}`"), |meant| format!("`{name}` (is `{meant}` meant?)"));
            return Err(SettingsError::Unknown(path.into(), named));
        }
        let texts: Vec<OsString> = match value {
            toml::Value::Array(items) => items.into_iter().map(as_text).collect(),
            value => vec![as_text(value)],
        };
        command = command
            .mut_arg(name, |argument| argument.default_values(texts.into_iter().map(clap::builder::OsStr::from)));
    }
    Ok(command)
}

fn as_text(value: toml::Value) -> OsString {
    match value {
        toml::Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

impl Settings {
    /// From here on a URL out of a file is one like any other.
    fn read_secrets(&mut self) -> Result<(), SettingsError> {
        let urls = [
            ("DATABASE_URL_FILE", &self.database_url_file, &mut self.database_url),
            ("STAKEBOARD_OWNER_DATABASE_URL_FILE", &self.owner_database_url_file, &mut self.owner_database_url),
            ("STAKEBOARD_BUS_FILE", &self.bus_file, &mut self.bus),
        ];
        for (name, file, url) in urls {
            let Some(path) = file else { continue };
            let unread =
                |error| SettingsError::Combination(format!("{name}: {} can't be read: {error}", path.display()));
            *url = Some(std::fs::read_to_string(path).map_err(unread)?.trim().to_owned());
        }
        Ok(())
    }

    fn check(&self) -> Result<(), SettingsError> {
        let refuse = |sentence: &str| Err(SettingsError::Combination(sentence.to_owned()));
        if self.stake_min > self.stake_max {
            return refuse("STAKEBOARD_STAKE_MIN is above STAKEBOARD_STAKE_MAX");
        }
        if self.owner_database_url.is_some() && self.database_url.is_none() {
            return refuse("STAKEBOARD_OWNER_DATABASE_URL needs DATABASE_URL beside it");
        }
        Ok(())
    }

    /// Refuses to serve real players with what is meant for development, unless told so by name.
    pub fn check_serving(&self) -> Result<(), SettingsError> {
        self.webhook_keys()?;
        let refuse = |sentence: String| Err(SettingsError::Combination(sentence));
        if self.bus.is_some() && self.database_url.is_none() {
            let sentence = "STAKEBOARD_BUS needs DATABASE_URL beside it: a private Postgres has one server";
            return refuse(sentence.to_owned());
        }
        if self.development {
            return Ok(());
        }
        let (exposed, because) = if self.database_url.is_some() {
            (true, "DATABASE_URL is set".to_owned())
        } else {
            (!self.is_loopback(), format!("STAKEBOARD_LISTEN is {}, beyond loopback", self.listen))
        };
        if exposed && self.payments == Provider::Sandbox {
            return refuse(format!(
                "{because} and STAKEBOARD_PAYMENTS is sandbox, which gives money away: \
                 set STAKEBOARD_DEVELOPMENT=true if that is meant"
            ));
        }
        for (name, keys) in
            [("STAKEBOARD_SIGNING_KEYS", &self.signing_keys), ("STAKEBOARD_RECEIPT_KEYS", &self.receipt_keys)]
        {
            if exposed && keys.is_empty() {
                return refuse(format!(
                    "{because} and {name} is not: name the PEM file of an Ed25519 key, \
                     or set STAKEBOARD_DEVELOPMENT=true to use one made up at the first start"
                ));
            }
        }
        Ok(())
    }

    /// The secrets of the payment provider's callbacks, which the provider `webhook` can't do without.
    pub fn webhook_keys(&self) -> Result<WebhookKeys, SettingsError> {
        let keys = WebhookKeys::read(&self.webhook_secrets)
            .map_err(|error| SettingsError::Combination(format!("STAKEBOARD_WEBHOOK_SECRETS: {error}")))?;
        if self.payments == Provider::Webhook && keys.is_empty() {
            let sentence = "STAKEBOARD_PAYMENTS is webhook and STAKEBOARD_WEBHOOK_SECRETS is not set: \
                            without a secret no callback could be believed";
            return Err(SettingsError::Combination(sentence.to_owned()));
        }
        Ok(keys)
    }

    /// Whether only this machine can connect.
    pub fn is_loopback(&self) -> bool {
        match self.listen.ip() {
            IpAddr::V4(address) => address.is_loopback(),
            IpAddr::V6(address) => address.is_loopback(),
        }
    }

    /// The settings of accounts and sessions.
    pub fn auth(&self) -> AuthSettings {
        let defaults = AuthSettings::default();
        AuthSettings {
            access_token_lifetime: Duration::from_secs(self.access_token_seconds.into()),
            refresh_lifetime: Duration::from_hours(24 * u64::from(self.refresh_token_days)),
            refresh_grace: Duration::from_millis(self.refresh_grace_ms.into()),
            minimum_age: self.minimum_age,
            currency: self.currency.clone(),
            staff_second_factor: self.staff_second_factor.unwrap_or(self.database_url.is_some() && !self.development),
            limits_by_address: self.database_url.is_some(),
            login_failures: Limit::new(self.login_failures, defaults.login_failures.every()),
            login_failures_by_address: Limit::new(
                self.login_failures_by_address,
                defaults.login_failures_by_address.every(),
            ),
            sign_ups: Limit::new(self.sign_ups_by_address, defaults.sign_ups.every()),
            ..defaults
        }
    }

    /// The settings of the lobby.
    pub fn lobby(&self) -> LobbySettings {
        LobbySettings {
            stake_min: self.stake_min,
            stake_max: self.stake_max,
            seeks_most: self.seeks_most,
            tables_most: self.tables_most,
            friendly_most: self.friendly_most,
            identity_needed: self.identity_for_stakes,
        }
    }

    /// The settings of friendly matches against bots.
    pub fn sandbox(&self) -> SandboxSettings {
        SandboxSettings { friendly_most: self.friendly_most, bot_matches_most: self.bot_matches_most }
    }

    /// The settings of the staff's work.
    pub fn office(&self) -> OfficeSettings {
        OfficeSettings { adjust_alone_most: Cents(self.adjust_alone_most) }
    }

    /// The settings of matches.
    pub fn matches(&self) -> MatchesSettings {
        MatchesSettings { clock_ms: self.clock_ms }
    }

    /// The settings of players' money.
    pub fn wallet(&self, webhook_keys: WebhookKeys) -> WalletSettings {
        WalletSettings {
            currency: self.currency.clone(),
            deposit_max: Cents(self.deposit_max),
            withdrawal_cancellation: self.withdrawal_cancellation,
            identity_for_withdrawals: self.identity_for_withdrawals,
            webhook_keys,
        }
    }

    /// The settings of sockets.
    pub fn realtime(&self) -> RealtimeSettings {
        RealtimeSettings {
            heartbeat: Duration::from_millis(self.heartbeat_ms.into()),
            frames: Limit::per_second(self.socket_frames_per_second, self.socket_frames_burst),
        }
    }

    /// The limit on HTTP requests of one player.
    pub fn http_limit(&self) -> Limit {
        Limit::per_second(self.http_per_second, self.http_burst)
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
