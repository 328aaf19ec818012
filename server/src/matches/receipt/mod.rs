//! Receipts: what a match came to, signed, so that its players can check it without trust in the server (L-12).

mod check;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use stakeboard_engine::{Record, Seat};
use utoipa::ToSchema;

pub use check::{CheckError, Checked, check};

use crate::{
    ids::{MatchId, PlayerId},
    ledger::{self, Settled},
    matches::{LoadError, events::SeatName, queries},
    money::Cents,
    signing::{self, KeyError, SigningKey},
};

/// Both players of a match, by identifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiptPlayers {
    /// Made the opening move.
    pub first: PlayerId,
    /// The other one.
    pub second: PlayerId,
}

/// What a match came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The match.
    pub match_id: MatchId,
    /// SHA-256 in hexadecimal of the game record: the line that the engine's `replay` prints for it, without the line's
    /// end.
    pub record_sha256: String,
    /// Who played.
    pub players: ReceiptPlayers,
    /// Who won; null for a draw and for a void.
    #[schema(value_type = Option<SeatName>)]
    pub winner: Option<Seat>,
    /// The stable code of the ending.
    pub ending: String,
    /// ISO 4217.
    pub currency: String,
    /// What each player put up.
    pub stake: Cents,
    /// Both stakes together.
    pub pot: Cents,
    /// What the house took: a tenth of a decided pot.
    pub fee: Cents,
    /// What the winner was paid. Both are 0 after a draw or a void, where each stake went back.
    pub payout: Cents,
    /// When it ended.
    pub ended_at: String,
}

/// A public key, as a JSON Web Key (RFC 8037).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublicKey {
    /// `OKP`.
    pub kty: String,
    /// `Ed25519`.
    pub crv: String,
    /// Its name, as signatures give it.
    pub kid: String,
    /// The key in base64url.
    pub x: String,
}

/// The public keys that receipts are checked with. The first signs; the others signed earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublicKeys {
    /// The keys.
    pub keys: Vec<PublicKey>,
}

/// A receipt with its signature and with everything that it takes to check it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SignedReceipt {
    /// The receipt, for reading.
    pub receipt: Receipt,
    /// The same, signed: a JSON Web Signature (RFC 7515, compact, `EdDSA`) whose payload is the receipt.
    pub jws: String,
    /// The key that signed it. Compare it with the published one.
    pub key: PublicKey,
    /// The record of the match, as `/record` gives it.
    #[schema(value_type = Object)]
    pub record: Value,
}

/// The name of the key that is made in development.
const OWN_KEY: &str = "receipt-key.pem";

/// The keys that sign receipts: the first signs, all are published.
#[derive(Clone)]
pub struct ReceiptKeys(Arc<[SigningKey]>);

impl ReceiptKeys {
    /// The keys of these files, in this order.
    pub fn load(paths: &[PathBuf]) -> Result<Self, KeyError> {
        Ok(Self(signing::load(paths)?.into()))
    }

    /// The key kept in this folder, made where there is none. For development.
    pub fn load_or_create(folder: &Path) -> Result<Self, KeyError> {
        Ok(Self(signing::load_or_create(folder, OWN_KEY)?.into()))
    }

    /// What is published.
    pub fn public(&self) -> PublicKeys {
        PublicKeys { keys: self.0.iter().map(PublicKey::from).collect() }
    }

    /// The public half of the key that signs.
    pub fn current(&self) -> PublicKey {
        // Never empty: both ways to make one see to it.
        PublicKey::from(&self.0[0])
    }

    fn sign(&self, receipt: &Receipt) -> serde_json::Result<String> {
        let key = &self.0[0];
        let header = serde_json::json!({"alg": "EdDSA", "kid": key.id}).to_string();
        let encode = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        let signed = format!("{}.{}", encode(&header), encode(&serde_json::to_string(receipt)?));
        let signature = BASE64_URL_SAFE_NO_PAD.encode(key.pair.sign(signed.as_bytes()));
        Ok(format!("{signed}.{signature}"))
    }
}

impl From<&SigningKey> for PublicKey {
    fn from(key: &SigningKey) -> Self {
        let x = BASE64_URL_SAFE_NO_PAD.encode(key.public());
        Self { kty: "OKP".into(), crv: "Ed25519".into(), kid: key.id.clone(), x }
    }
}

/// Why there is no receipt.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// There is no such match, or it has not ended.
    #[error("there is no such match, or it has not ended")]
    NotFound,
    /// It is a friendly match: nobody paid and nobody was paid.
    #[error("a friendly match has no receipt")]
    Friendly,
    /// It can't be read.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Hands out receipts. Copies share everything.
#[derive(Clone)]
pub struct Receipts {
    pool: PgPool,
    keys: ReceiptKeys,
    currency: String,
}

impl Receipts {
    /// For the matches of this database, whose stakes are in this currency.
    pub fn new(pool: PgPool, keys: ReceiptKeys, currency: String) -> Self {
        Self { pool, keys, currency }
    }

    /// The keys that receipts are checked with.
    pub fn keys(&self) -> &ReceiptKeys {
        &self.keys
    }

    /// The receipt of a match that was played for a stake and has ended.
    pub async fn of(&self, id: MatchId) -> Result<SignedReceipt, ReceiptError> {
        let record = queries::record(&self.pool, id).await?.ok_or(ReceiptError::NotFound)?;
        if record["stake"] == 0 {
            return Err(ReceiptError::Friendly);
        }
        if record["ended_at"].is_null() {
            return Err(ReceiptError::NotFound);
        }
        let unreadable = |error: String| LoadError::Unreadable(error);
        let game = Record::read(&record.to_string()).map_err(|error| unreadable(error.to_string()))?;
        let receipt =
            self.write(id, &game, &record).ok_or_else(|| unreadable("a record without its figures".into()))?;
        if !self.was_settled_so(&receipt).await? {
            return Err(unreadable("a record that does not end as the match was settled".into()).into());
        }
        let jws = self.keys.sign(&receipt).map_err(|error| unreadable(error.to_string()))?;
        Ok(SignedReceipt { receipt, jws, key: self.keys.current(), record })
    }

    /// Whether the ledger knows of it what the record says.
    async fn was_settled_so(&self, receipt: &Receipt) -> Result<bool, LoadError> {
        let winner = receipt.winner.map(|seat| match seat {
            Seat::First => receipt.players.first,
            Seat::Second => receipt.players.second,
        });
        let told = Settled { winner, payout: receipt.payout, fee: receipt.fee };
        Ok(ledger::settled(&self.pool, receipt.match_id).await? == Some(told))
    }

    fn write(&self, match_id: MatchId, game: &Record, record: &Value) -> Option<Receipt> {
        let player = |seat: &str| record["players"][seat]["id"].as_str()?.parse().ok();
        let amount = |name: &str| record[name].as_i64().map(Cents);
        let outcome = game.outcome?;
        let stake = amount("stake")?;
        Some(Receipt {
            match_id,
            record_sha256: hash(game)?,
            players: ReceiptPlayers { first: player("first")?, second: player("second")? },
            winner: outcome.winner,
            ending: outcome.ending.code().to_owned(),
            currency: self.currency.clone(),
            stake,
            pot: stake.checked_add(stake)?,
            fee: amount("fee")?,
            payout: amount("payout")?,
            ended_at: record["ended_at"].as_str()?.to_owned(),
        })
    }
}

/// The hash of a game record: of the line that the engine prints for it.
fn hash(game: &Record) -> Option<String> {
    let line = serde_json::to_string(game).ok()?;
    Some(Sha256::digest(line).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}")))
}
