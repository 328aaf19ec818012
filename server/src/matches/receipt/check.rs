//! Checking a receipt: with its file and the published key alone, no server and no database.

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use stakeboard_engine::{Record, RecordError};

use super::{PublicKey, PublicKeys, Receipt, hash};
use crate::money::Cents;

/// Why a receipt is not good. Each says what was found.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The file is something else.
    #[error("the file is no answer of /v1/matches/{{id}}/receipt: {0}")]
    File(serde_json::Error),
    /// The file with the keys is something else.
    #[error("the key file is no answer of /.well-known/stakeboard-receipt-key: {0}")]
    KeyFile(serde_json::Error),
    /// The signature is not of the documented form.
    #[error("`jws` is not a compact JSON Web Signature of the algorithm EdDSA")]
    Form,
    /// The key that signed is not among those given.
    #[error("the receipt was signed with the key {0:?}, which is not among the published ones")]
    UnknownKey(String),
    /// The signature does not fit.
    #[error("the signature does not fit the receipt: it was changed, or another key signed it")]
    Signature,
    /// What is shown is not what was signed.
    #[error("`receipt` is not what was signed")]
    Shown,
    /// The moves can't be replayed.
    #[error("the record can't be replayed: {0}")]
    Replay(RecordError),
    /// The record says something that the engine does not find.
    #[error("the record says of move {0} what the engine does not find")]
    Ply(usize),
    /// The hash differs.
    #[error("the record is not the one that was signed: its SHA-256 is {found}, the receipt has {signed}")]
    Hash {
        /// Of the record in the file.
        found: String,
        /// In the receipt.
        signed: String,
    },
    /// Record and receipt contradict each other.
    #[error("the record and the receipt do not agree on `{0}`")]
    Contradiction(&'static str),
    /// The money does not follow from the outcome.
    #[error("the money does not follow from stake and outcome: `{0}`")]
    Money(&'static str),
}

/// A receipt that is good.
#[derive(Debug)]
pub struct Checked {
    /// What was signed.
    pub receipt: Receipt,
    /// The thumbprint (RFC 7638) of the key that signed it: of the key itself, since its name is what the file says it is.
    pub thumbprint: String,
    /// How many moves were replayed.
    pub moves: usize,
}

#[derive(Deserialize)]
struct File {
    receipt: Value,
    jws: String,
    key: PublicKey,
    record: Value,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: String,
}

/// Checks the text of a receipt's file: the signature with the published keys (or, without them, with the one in the
/// file), the record by replaying it, the money by the rules.
pub fn check(file: &str, published: Option<&str>) -> Result<Checked, CheckError> {
    let file: File = serde_json::from_str(file).map_err(CheckError::File)?;
    let keys = match published {
        Some(text) => serde_json::from_str::<PublicKeys>(text).map_err(CheckError::KeyFile)?.keys,
        None => vec![file.key],
    };
    let (payload, thumbprint) = open(&file.jws, &keys)?;
    let receipt: Receipt = serde_json::from_slice(&payload).map_err(CheckError::File)?;
    if serde_json::from_value::<Receipt>(file.receipt).ok().as_ref() != Some(&receipt) {
        return Err(CheckError::Shown);
    }
    let game = Record::read(&file.record.to_string()).map_err(CheckError::Replay)?;
    compare_moves(&game, &file.record)?;
    let found = hash(&game).unwrap_or_default();
    if found != receipt.record_sha256 {
        return Err(CheckError::Hash { found, signed: receipt.record_sha256 });
    }
    compare(&receipt, &game, &file.record)?;
    check_money(&receipt)?;
    Ok(Checked { receipt, thumbprint, moves: game.plies.len() })
}

/// The payload of a signature and the thumbprint of its key, where one of the keys made it.
fn open(jws: &str, keys: &[PublicKey]) -> Result<(Vec<u8>, String), CheckError> {
    let decode = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| CheckError::Form);
    let (signed, signature) = jws.rsplit_once('.').ok_or(CheckError::Form)?;
    let (header, payload) = signed.split_once('.').ok_or(CheckError::Form)?;
    let header: Header = serde_json::from_slice(&decode(header)?).map_err(|_| CheckError::Form)?;
    if header.alg != "EdDSA" {
        return Err(CheckError::Form);
    }
    let known = keys.iter().find(|key| key.kid == header.kid && key.kty == "OKP" && key.crv == "Ed25519");
    let key = known.ok_or_else(|| CheckError::UnknownKey(header.kid.clone()))?;
    UnparsedPublicKey::new(&ED25519, decode(&key.x)?)
        .verify(signed.as_bytes(), &decode(signature)?)
        .map_err(|_| CheckError::Signature)?;
    Ok((decode(payload)?, thumbprint(&key.x)))
}

/// RFC 7638: SHA-256 over the members that make the key, in the order of their names.
fn thumbprint(x: &str) -> String {
    let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(members))
}

/// Legal moves and positions of the record, which the hash takes from the engine, are what the engine finds.
fn compare_moves(game: &Record, record: &Value) -> Result<(), CheckError> {
    let given = record["plies"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (number, (ply, given)) in (1..).zip(game.plies.iter().zip(given)) {
        if given["legal"] != json!(ply.legal) || given["after"] != json!(ply.after) {
            return Err(CheckError::Ply(number));
        }
    }
    Ok(())
}

/// What both the record and the receipt say is the same.
fn compare(receipt: &Receipt, game: &Record, record: &Value) -> Result<(), CheckError> {
    let outcome = game.outcome.ok_or(CheckError::Contradiction("outcome"))?;
    let shown = serde_json::to_value(outcome).unwrap_or_default();
    for (same, name) in [
        (record["id"] == json!(receipt.match_id), "id"),
        (record["players"]["first"]["id"] == json!(receipt.players.first), "players.first"),
        (record["players"]["second"]["id"] == json!(receipt.players.second), "players.second"),
        (outcome.winner == receipt.winner && outcome.ending.code() == receipt.ending, "outcome"),
        (record["outcome"] == shown, "outcome"),
        (record["stake"] == json!(receipt.stake), "stake"),
        (record["fee"] == json!(receipt.fee), "fee"),
        (record["payout"] == json!(receipt.payout), "payout"),
        (record["ended_at"] == json!(receipt.ended_at), "ended_at"),
    ] {
        if !same {
            return Err(CheckError::Contradiction(name));
        }
    }
    Ok(())
}

/// A tenth of a decided pot is the house's, the rest the winner's; otherwise each stake went back (MA-2, MA-3).
fn check_money(receipt: &Receipt) -> Result<(), CheckError> {
    let tenfold = receipt.fee.0.checked_mul(10).map(Cents);
    let split = receipt.fee.checked_add(receipt.payout);
    let decided = receipt.winner.is_some();
    for (right, name) in [
        (receipt.stake.0 >= 0 && receipt.stake.checked_add(receipt.stake) == Some(receipt.pot), "pot"),
        (if decided { tenfold == Some(receipt.pot) } else { receipt.fee.0 == 0 }, "fee"),
        (if decided { split == Some(receipt.pot) } else { receipt.payout.0 == 0 }, "payout"),
    ] {
        if !right {
            return Err(CheckError::Money(name));
        }
    }
    Ok(())
}
