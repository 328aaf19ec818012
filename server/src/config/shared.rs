//! What servers on one database have to be set to alike.

use super::Settings;
use crate::{
    agreement::{Agreement, Bond},
    auth::Keys,
    matches::receipt::ReceiptKeys,
    money::Stake,
    wallet::WebhookKeys,
};

/// A setting by its name, how far it may differ, and what it is.
type Compared = (&'static str, Bond, fn(&Settings) -> String);

/// The settings that everybody has to be equal in, at least in the end.
pub(super) const SETTINGS: [Compared; 30] = [
    ("STAKEBOARD_PAYMENTS", Bond::Same, |own| format!("{:?}", own.payments).to_lowercase()),
    ("STAKEBOARD_CURRENCY", Bond::Same, |own| own.currency.clone()),
    ("STAKEBOARD_ORIGINS", Bond::Meanwhile, |own| own.origins.join(",")),
    ("STAKEBOARD_CLOCK_MS", Bond::Meanwhile, |own| own.clock_ms.to_string()),
    ("STAKEBOARD_STAKE_MIN", Bond::Meanwhile, |own| own.stake_min.cents().0.to_string()),
    ("STAKEBOARD_STAKE_MAX", Bond::Meanwhile, |own| own.stake_max.cents().0.to_string()),
    ("STAKEBOARD_DEPOSIT_MAX", Bond::Meanwhile, |own| own.deposit_max.to_string()),
    ("STAKEBOARD_WITHDRAWAL_CANCELLATION", Bond::Meanwhile, |own| own.withdrawal_cancellation.to_string()),
    ("STAKEBOARD_SEEKS_MOST", Bond::Meanwhile, |own| own.seeks_most.to_string()),
    ("STAKEBOARD_TABLES_MOST", Bond::Meanwhile, |own| own.tables_most.to_string()),
    ("STAKEBOARD_FRIENDLY_MOST", Bond::Meanwhile, |own| own.friendly_most.to_string()),
    ("STAKEBOARD_BOT_MATCHES_MOST", Bond::Meanwhile, |own| own.bot_matches_most.to_string()),
    ("STAKEBOARD_IDENTITY_FOR_STAKES", Bond::Meanwhile, |own| own.identity_for_stakes.to_string()),
    ("STAKEBOARD_IDENTITY_FOR_WITHDRAWALS", Bond::Meanwhile, |own| own.identity_for_withdrawals.to_string()),
    ("STAKEBOARD_ADJUST_ALONE_MOST", Bond::Meanwhile, |own| own.adjust_alone_most.to_string()),
    ("STAKEBOARD_MINIMUM_AGE", Bond::Meanwhile, |own| own.minimum_age.to_string()),
    ("STAKEBOARD_STAFF_SECOND_FACTOR", Bond::Meanwhile, |own| own.auth().staff_second_factor.to_string()),
    ("STAKEBOARD_ACCESS_TOKEN_SECONDS", Bond::Meanwhile, |own| own.access_token_seconds.to_string()),
    ("STAKEBOARD_REFRESH_TOKEN_DAYS", Bond::Meanwhile, |own| own.refresh_token_days.to_string()),
    ("STAKEBOARD_REFRESH_GRACE_MS", Bond::Meanwhile, |own| own.refresh_grace_ms.to_string()),
    ("STAKEBOARD_HEARTBEAT_MS", Bond::Meanwhile, |own| own.heartbeat_ms.to_string()),
    ("STAKEBOARD_SOCKET_FRAMES_PER_SECOND", Bond::Meanwhile, |own| own.socket_frames_per_second.to_string()),
    ("STAKEBOARD_SOCKET_FRAMES_BURST", Bond::Meanwhile, |own| own.socket_frames_burst.to_string()),
    ("STAKEBOARD_SOCKETS_MOST", Bond::Meanwhile, |own| own.sockets_most.to_string()),
    ("STAKEBOARD_HTTP_PER_SECOND", Bond::Meanwhile, |own| own.http_per_second.to_string()),
    ("STAKEBOARD_HTTP_BURST", Bond::Meanwhile, |own| own.http_burst.to_string()),
    ("STAKEBOARD_LOGIN_FAILURES", Bond::Meanwhile, |own| own.login_failures.to_string()),
    ("STAKEBOARD_LOGIN_FAILURES_BY_ADDRESS", Bond::Meanwhile, |own| own.login_failures_by_address.to_string()),
    ("STAKEBOARD_SIGN_UPS_BY_ADDRESS", Bond::Meanwhile, |own| own.sign_ups_by_address.to_string()),
    ("STAKEBOARD_LEASE_MS", Bond::Meanwhile, |own| own.lease_ms.to_string()),
];

impl Settings {
    /// How this server is set, with the keys and secrets that it works with.
    pub fn agreement(&self, keys: &Keys, receipt_keys: &ReceiptKeys, webhook_keys: &WebhookKeys) -> Agreement {
        let receipts = receipt_keys.public().keys.into_iter().map(|key| key.kid).collect();
        let others = [
            ("STAKEBOARD_SIGNING_KEYS", Bond::Keys, keys.names()),
            ("STAKEBOARD_RECEIPT_KEYS", Bond::Keys, receipts),
            ("STAKEBOARD_WEBHOOK_SECRETS", Bond::InCommon, webhook_keys.names()),
            // No setting, but what another version of the program could have otherwise.
            ("the house's fee", Bond::Same, vec![fee()]),
        ];
        Agreement::of(SETTINGS.iter().map(|(name, bond, of)| (*name, *bond, vec![of(self)])).chain(others))
    }
}

/// What the house takes of the smallest pot.
fn fee() -> String {
    Stake::new(Stake::GRID).map_or_else(String::new, |stake| format!("{} of {}", stake.fee().0, stake.pot().0))
}
