//! Tamper evidence: entries are sealed in order, batch by batch, each seal over the one before (L-11).
//!
//! **Order.** Entries have the order of `seq`, a number that the database counts up when an entry is written. Numbers
//! are drawn before their transaction commits, so a smaller one can appear after a larger one; a batch must not end
//! above a number that is still on its way. The horizon sees to that without a lock that a payment could feel:
//!
//! 1. Look at the largest number there is, and then take an identity for a transaction of our own. A number is drawn
//!    only after its transaction has an identity (it has locked balances and written the transfer by then), and numbers
//!    are drawn in their order: whoever drew one up to the largest has a smaller identity than ours.
//! 2. Later, look whether every transaction with a smaller identity has ended (`xmin` of the snapshot). From then on
//!    every number up to that one is written or never will be: what an undone transaction had drawn stays a gap.
//!
//! Nothing of this rests on clocks, and numbers survive a dump and a restore, as identities of transactions do not.
//! A batch holds every entry above the last number of the batch before, up to its own last number: gaps are covered
//! too, so that an entry put into one is found.
//!
//! **Seal.** SHA-256 over fields, each as its length in bytes (four bytes, the most significant first) followed by its
//! bytes, a null as the length `ffffffff` alone. The fields are the text `stakeboard ledger seal 1`, the seal of the
//! batch before (32 zero bytes for the first), the number of the batch, the numbers of its first and last entry, how
//! many they are, the sum of their changes (sixteen bytes), and the SHA-256 of its entries. That is over these fields of
//! each entry, in order: number, account, version, transfer, change, balance after, time; and of its transfer:
//! reference, position, kind, debit, credit, amount, match, the transfer it reverses, time. Numbers are eight bytes, the
//! most significant first; times are such numbers, of microseconds since 1970; identifiers are their sixteen bytes;
//! texts are UTF-8.

use std::{str::FromStr, time::Duration};

use futures_util::TryStreamExt as _;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{clock::rfc3339_ms, db, ledger::Check};

/// How many entries a batch has at most.
const BATCH: i64 = 5_000;
/// What a seal begins with: the form of what follows.
const FORM: &str = "stakeboard ledger seal 1";

/// A batch of entries and its seal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Seal {
    /// Which batch: 1 for the first.
    pub number: i64,
    /// The number of its first entry.
    pub first_entry: i64,
    /// The number of its last entry.
    pub last_entry: i64,
    /// How many entries it has.
    pub entries: i64,
    /// The sum of their changes.
    pub sum: i64,
    /// SHA-256 in hexadecimal.
    pub seal: String,
    /// When it was sealed.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub sealed_at: OffsetDateTime,
}

/// An entry with its transfer.
struct Entry {
    seq: i64,
    account_id: Uuid,
    version: i64,
    transfer_id: Uuid,
    change: i64,
    balance_after: i64,
    created_at: OffsetDateTime,
    reference: Option<String>,
    position: Option<i16>,
    kind: Option<String>,
    debit: Option<Uuid>,
    credit: Option<Uuid>,
    amount: Option<i64>,
    match_id: Option<Uuid>,
    reverses: Option<Uuid>,
    made_at: Option<OffsetDateTime>,
}

/// Length-prefixed fields on their way into a hash.
#[derive(Clone, Default)]
struct Fields(Sha256);

impl Fields {
    fn bytes(&mut self, bytes: &[u8]) {
        // A field is a text of the ledger or a number: far below four gigabytes.
        self.0.update(u32::try_from(bytes.len()).unwrap_or(u32::MAX - 1).to_be_bytes());
        self.0.update(bytes);
    }

    fn null(&mut self) {
        self.0.update(u32::MAX.to_be_bytes());
    }

    fn number(&mut self, number: impl Into<i64>) {
        self.bytes(&number.into().to_be_bytes());
    }

    fn optional<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) => put(self, value),
            None => self.null(),
        }
    }

    fn id(&mut self, id: Uuid) {
        self.bytes(id.as_bytes());
    }

    fn time(&mut self, time: OffsetDateTime) {
        self.number(i64::try_from(time.unix_timestamp_nanos() / 1_000).unwrap_or(i64::MAX));
    }

    fn entry(&mut self, entry: Entry) {
        self.number(entry.seq);
        self.id(entry.account_id);
        self.number(entry.version);
        self.id(entry.transfer_id);
        self.number(entry.change);
        self.number(entry.balance_after);
        self.time(entry.created_at);
        self.optional(entry.reference, |fields, text| fields.bytes(text.as_bytes()));
        self.optional(entry.position, Self::number);
        self.optional(entry.kind, |fields, text| fields.bytes(text.as_bytes()));
        self.optional(entry.debit, Self::id);
        self.optional(entry.credit, Self::id);
        self.optional(entry.amount, Self::number);
        self.optional(entry.match_id, Self::id);
        self.optional(entry.reverses, Self::id);
        self.optional(entry.made_at, Self::time);
    }
}

/// What is found between two numbers.
#[derive(Clone, PartialEq, Eq)]
struct Batch {
    first_entry: i64,
    last_entry: i64,
    entries: i64,
    /// Wider than a change, so that rows in disorder can be summed too.
    sum: i128,
    contents: Vec<u8>,
}

impl Batch {
    /// The seal of this batch behind that of another.
    fn seal(&self, number: i64, previous: &[u8]) -> Vec<u8> {
        let mut fields = Fields::default();
        fields.bytes(FORM.as_bytes());
        fields.bytes(previous);
        for number in [number, self.first_entry, self.last_entry, self.entries] {
            fields.number(number);
        }
        fields.bytes(&self.sum.to_be_bytes());
        fields.bytes(&self.contents);
        fields.0.finalize().to_vec()
    }
}

/// Reads every entry above a number up to another, at most so many, in their order.
async fn read(connection: &mut PgConnection, above: i64, up_to: i64, most: i64) -> Result<Option<Batch>, sqlx::Error> {
    let mut rows = sqlx::query_as!(
        Entry,
        r#"select e.seq, e.account_id, e.version, e.transfer_id, e.change, e.balance_after, e.created_at,
                  t.reference as "reference?", t.position as "position?", t.kind as "kind?", t.debit as "debit?",
                  t.credit as "credit?", t.amount as "amount?", t.match_id, t.reverses, t.created_at as "made_at?"
           from entries e left join transfers t on t.id = e.transfer_id
           where e.seq > $1 and e.seq <= $2 order by e.seq limit $3"#,
        above,
        up_to,
        most
    )
    .fetch(connection);
    let mut contents = Fields::default();
    let mut batch: Option<Batch> = None;
    while let Some(entry) = rows.try_next().await? {
        let batch = batch.get_or_insert(Batch {
            first_entry: entry.seq,
            last_entry: entry.seq,
            entries: 0,
            sum: 0,
            contents: Vec::new(),
        });
        batch.last_entry = entry.seq;
        batch.entries += 1;
        batch.sum += i128::from(entry.change);
        contents.entry(entry);
    }
    Ok(batch.map(|batch| Batch { contents: contents.0.finalize().to_vec(), ..batch }))
}

/// A number up to which every entry is written, once all transactions with a smaller identity have ended.
#[derive(Clone, Copy, Debug)]
struct Horizon {
    entry: i64,
    transaction: i64,
}

/// Seals what is beyond doubt, again and again.
#[derive(Debug)]
pub struct Sealer {
    pool: PgPool,
    horizon: Option<Horizon>,
}

impl Sealer {
    /// For a ledger of which it knows nothing yet.
    pub fn new(pool: PgPool) -> Self {
        Self { pool, horizon: None }
    }

    /// Seals for as long as the process lives.
    pub async fn run(mut self, every: Duration) {
        let mut ticks = tokio::time::interval(every);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut sealing = db::Lasting::new("the ledger can't be sealed", "the ledger is sealed again");
        loop {
            ticks.tick().await;
            sealing.tried(&self.round().await);
        }
    }

    /// Seals up to the horizon of the round before, where everything up to it has come to its end, and sets the next
    /// one. Gives the seals that were added.
    pub async fn round(&mut self) -> Result<Vec<Seal>, sqlx::Error> {
        let mut added = Vec::new();
        let mut connection = self.pool.acquire().await?;
        if let Some(horizon) = self.horizon {
            let oldest =
                sqlx::query_scalar!(r#"select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "oldest!""#)
                    .fetch_one(&mut *connection)
                    .await?;
            if oldest < horizon.transaction {
                // Somebody of then still writes: the horizon stands until the next round.
                return Ok(added);
            }
            while let Some(seal) = seal_next(&mut connection, horizon.entry).await? {
                tracing::info!(
                    batch = seal.number,
                    last_entry = seal.last_entry,
                    entries = seal.entries,
                    seal = seal.seal,
                    "sealed"
                );
                added.push(seal);
            }
        }
        self.horizon = Some(horizon(&mut connection).await?);
        Ok(added)
    }
}

/// Two statements, in this order: whoever drew a number up to the first one's answer has an identity by the second.
async fn horizon(connection: &mut PgConnection) -> Result<Horizon, sqlx::Error> {
    let entry = sqlx::query_scalar!(r#"select coalesce(max(seq), 0) as "last!" from entries"#)
        .fetch_one(&mut *connection)
        .await?;
    let transaction = sqlx::query_scalar!(r#"select pg_current_xact_id()::text::bigint as "transaction!""#)
        .fetch_one(connection)
        .await?;
    Ok(Horizon { entry, transaction })
}

/// Seals the next batch. The number of a batch is its key: of two servers that seal at once, one does.
async fn seal_next(connection: &mut PgConnection, up_to: i64) -> Result<Option<Seal>, sqlx::Error> {
    let last = sqlx::query!("select number, last_entry, seal from seals order by number desc limit 1")
        .fetch_optional(&mut *connection)
        .await?;
    let (number, above, previous) =
        last.map_or_else(|| (1, 0, vec![0; 32]), |last| (last.number + 1, last.last_entry, last.seal));
    let Some(batch) = read(connection, above, up_to, BATCH).await? else { return Ok(None) };
    let sealed_at = sqlx::query_scalar!(
        "insert into seals (number, first_entry, last_entry, entries, sum, seal) values ($1, $2, $3, $4, $5, $6)
         on conflict (number) do nothing returning sealed_at",
        number,
        batch.first_entry,
        batch.last_entry,
        batch.entries,
        i64::try_from(batch.sum).map_err(|error| sqlx::Error::Encode(error.into()))?,
        batch.seal(number, &previous)
    )
    .fetch_optional(&mut *connection)
    .await?;
    if sealed_at.is_none() { Ok(None) } else { latest(connection).await }
}

/// The seal of the last batch.
pub async fn latest(executor: impl PgExecutor<'_>) -> Result<Option<Seal>, sqlx::Error> {
    sqlx::query_as!(
        Seal,
        r#"select number, first_entry, last_entry, entries, sum, encode(seal, 'hex') as "seal!", sealed_at
           from seals order by number desc limit 1"#
    )
    .fetch_optional(executor)
    .await
}

/// Recomputes every seal and names the first batch that does not fit.
pub(super) async fn check(connection: &mut PgConnection) -> Result<Check, sqlx::Error> {
    let name = "every sealed batch of entries is as it was sealed";
    let seals = sqlx::query!("select number, first_entry, last_entry, entries, sum, seal from seals order by number")
        .fetch_all(&mut *connection)
        .await?;
    let (mut above, mut previous) = (0, vec![0; 32]);
    for (place, sealed) in (1..).zip(&seals) {
        let found = read(connection, above, sealed.last_entry, i64::MAX).await?;
        let fits = sealed.number == place
            && found.is_some_and(|found| {
                found.first_entry == sealed.first_entry
                    && found.last_entry == sealed.last_entry
                    && found.entries == sealed.entries
                    && found.sum == i128::from(sealed.sum)
                    && found.seal(place, &previous) == sealed.seal
            });
        if !fits {
            let figure = format!(
                "batch {place} does not fit: {} entries from {} to {} were sealed",
                sealed.entries, sealed.first_entry, sealed.last_entry
            );
            return Ok(Check { name, passed: false, figure });
        }
        above = sealed.last_entry;
        previous.clone_from(&sealed.seal);
    }
    let figure = match seals.last() {
        Some(last) => format!("{} batches, the last seal is {}:{}", seals.len(), last.number, hex(&last.seal)),
        None => "0 batches".to_owned(),
    };
    Ok(Check { name, passed: true, figure })
}

/// A seal that was kept elsewhere, with the number of its batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSeal {
    number: i64,
    /// In hexadecimal, in small letters.
    seal: String,
}

impl FromStr for KeptSeal {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, seal) = text.split_once(':').unwrap_or_default();
        let number = number.parse().ok().filter(|number| *number > 0);
        let is_seal = seal.len() == 64 && seal.bytes().all(|byte| byte.is_ascii_hexdigit());
        let kept = number.filter(|_| is_seal).map(|number| Self { number, seal: seal.to_ascii_lowercase() });
        kept.ok_or("the number of a batch, a colon and its seal of 64 hexadecimal digits are needed")
    }
}

/// Looks whether a seal that was kept elsewhere is still that of its batch. Who rewrites entries and every seal after
/// them is found by it.
pub async fn check_kept(connection: &mut PgConnection, kept: &KeptSeal) -> Result<Check, sqlx::Error> {
    let found =
        sqlx::query_scalar!("select seal from seals where number = $1", kept.number).fetch_optional(connection).await?;
    let found = found.map(|seal| hex(&seal));
    let figure = match &found {
        Some(seal) => format!("batch {} has the seal {seal}", kept.number),
        None => format!("there is no batch {}", kept.number),
    };
    let passed = found.is_some_and(|seal| seal == kept.seal);
    Ok(Check { name: "the seal kept elsewhere is that of its batch", passed, figure })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(put: impl FnOnce(&mut Fields)) -> Vec<u8> {
        let mut fields = Fields::default();
        put(&mut fields);
        fields.0.finalize().to_vec()
    }

    #[test]
    fn l11_fields_can_not_be_shifted_into_one_another() {
        let texts =
            |texts: &'static [&'static str]| hash(|fields| texts.iter().for_each(|text| fields.bytes(text.as_bytes())));
        assert_ne!(texts(&["ab", "c"]), texts(&["a", "bc"]));
        assert_ne!(texts(&["", "a"]), texts(&["a", ""]));
        assert_ne!(texts(&["a"]), texts(&["a", ""]));
        let missing = hash(|fields| fields.optional(None::<i64>, Fields::number));
        assert_ne!(missing, texts(&[""]), "null is not the empty text");
        let prefixed = Sha256::digest(b"\x00\x00\x00\x02ab\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x05");
        assert_eq!(
            hash(|fields| {
                fields.bytes(b"ab");
                fields.number(5_i64);
            }),
            prefixed.to_vec()
        );
    }

    #[test]
    fn l11_a_seal_depends_on_the_one_before_and_on_every_figure() {
        let batch = Batch { first_entry: 1, last_entry: 9, entries: 8, sum: 0, contents: vec![7; 32] };
        let seal = batch.seal(1, &[0; 32]);
        assert_ne!(seal, batch.seal(2, &[0; 32]));
        assert_ne!(seal, batch.seal(1, &[1; 32]));
        for other in [
            Batch { first_entry: 2, ..batch.clone() },
            Batch { last_entry: 10, ..batch.clone() },
            Batch { entries: 9, ..batch.clone() },
            Batch { sum: 1, ..batch.clone() },
            Batch { contents: vec![8; 32], ..batch.clone() },
        ] {
            assert_ne!(seal, other.seal(1, &[0; 32]));
        }
    }
}
