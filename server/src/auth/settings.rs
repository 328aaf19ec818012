//! What an operator can set.

use std::time::Duration;

use crate::rate::Limit;

/// The settings of accounts and sessions.
#[derive(Clone, Debug)]
pub struct AuthSettings {
    /// How long an access token is good for. 15 minutes.
    pub access_token_lifetime: Duration,
    /// How long a refresh token is good for. 30 days.
    pub refresh_lifetime: Duration,
    /// How long after its first use a refresh token still gets a successor, for requests that ran side by side or
    /// whose answer was lost. Later, its use ends the session. 10 seconds.
    pub refresh_grace: Duration,
    /// The youngest a player may be, in years. 18.
    pub minimum_age: u8,
    /// The currency of new accounts. `BRL`.
    pub currency: String,
    /// Whether the staff's work needs a session that began with a second factor. No.
    pub staff_second_factor: bool,
    /// Whether the limits by address apply. Off: behind one address there may be many players.
    pub limits_by_address: bool,
    /// Failed log-ins to one account: after these, every log-in to it waits. 10 at once, then one a minute.
    pub login_failures: Limit,
    /// Failed log-ins from one address, whatever the account. 50 at once, then one in ten seconds.
    pub login_failures_by_address: Limit,
    /// Sign-ups and guests from one address. 20 at once, then one a minute.
    pub sign_ups: Limit,
    /// Exchanges of refresh tokens in one session. 100 at once, then one a second.
    pub refreshes: Limit,
    /// How many passwords are hashed at once, each in 19 MiB. 2.
    pub hashes_at_once: usize,
    /// How many more may wait for it; beyond, `overloaded`. 256.
    pub hashes_waiting: usize,
}

impl Default for AuthSettings {
    fn default() -> Self {
        Self {
            access_token_lifetime: Duration::from_mins(15),
            refresh_lifetime: Duration::from_hours(30 * 24),
            refresh_grace: Duration::from_secs(10),
            minimum_age: 18,
            currency: "BRL".into(),
            staff_second_factor: false,
            limits_by_address: false,
            login_failures: Limit::new(10, Duration::from_mins(1)),
            login_failures_by_address: Limit::new(50, Duration::from_secs(10)),
            sign_ups: Limit::new(20, Duration::from_mins(1)),
            refreshes: Limit::new(100, Duration::from_secs(1)),
            hashes_at_once: 2,
            hashes_waiting: 256,
        }
    }
}
