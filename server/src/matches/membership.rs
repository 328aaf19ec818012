//! The rows of servers on one database: how one joins those that serve it, and when rows are of no use any more.

use std::{collections::HashMap, time::Duration};

use sqlx::{Connection as _, PgConnection, PgPool};
use time::OffsetDateTime;

use crate::{
    agreement::{Agreement, Difference, Shown},
    clock::Clock,
    ids::NodeId,
    matches::{HealthError, recovery},
};

/// Held by a server while it joins: of two that join at once the second sees the first. An arbitrary number, the same in
/// every version.
const JOINING: i64 = 0x7374_616b_656a_6f69;
/// How soon a server that may not join looks again whether the others live.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A server that is to get a lease.
pub(super) struct Newcomer<'a> {
    pub node: NodeId,
    pub clock: Clock,
    /// How long another may be silent before it counts as gone.
    pub lease: Duration,
    pub agreement: &'a Agreement,
}

/// Another server that holds a lease, and in what it differs.
struct Other {
    id: NodeId,
    beats: i64,
    differences: Vec<Difference>,
}

impl Other {
    fn forbids(&self) -> bool {
        self.differences.iter().any(|difference| difference.forbids)
    }
}

/// Begins the first lease of a server, unless one that lives is set so that the two can't serve together. One that died
/// without a word may hold a lease still: it is waited for until that is known. Gives the others that hold a lease.
pub(super) async fn join(connection: &mut PgConnection, newcomer: &Newcomer<'_>) -> Result<Vec<NodeId>, HealthError> {
    let patience = newcomer.clock.now() + newcomer.lease;
    let mut seen = HashMap::new();
    loop {
        let mut tx = connection.begin().await?;
        sqlx::query!("select pg_advisory_xact_lock($1)", JOINING).fetch_one(&mut *tx).await?;
        let others = others(&mut tx, newcomer.node, newcomer.agreement).await?;
        let forbidding: Vec<&Other> = others.iter().filter(|other| other.forbids()).collect();
        if forbidding.is_empty() || newcomer.clock.now() > patience {
            begin_lease(&mut tx, newcomer.node, newcomer.clock.wall(), newcomer.agreement).await?;
            tx.commit().await?;
            others.iter().for_each(tell);
            return Ok(others.iter().map(|other| other.id).collect());
        }
        for other in forbidding {
            if *seen.entry(other.id).or_insert(other.beats) != other.beats {
                return Err(HealthError::Differs(list(&other.differences)));
            }
        }
        tx.rollback().await?;
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Begins another lease of a server that has lost one and let go of all its matches. Where nobody has taken them over
/// meanwhile they go on here, and the time between the leases is on nobody's clock.
pub(super) async fn begin_again(
    connection: &mut PgConnection,
    node: NodeId,
    at: OffsetDateTime,
    agreement: &Agreement,
) -> Result<(), sqlx::Error> {
    let mut tx = connection.begin().await?;
    recovery::keep_last_signs_of_life(&mut tx, node).await?;
    begin_lease(&mut tx, node, at, agreement).await?;
    tx.commit().await
}

/// Begins a lease, the first one of a server or a later one.
async fn begin_lease(
    connection: &mut PgConnection,
    node: NodeId,
    at: OffsetDateTime,
    agreement: &Agreement,
) -> Result<(), sqlx::Error> {
    // The row of an earlier one may have been removed: nothing is known of a server that slept for long enough.
    sqlx::query!(
        "insert into nodes (id, started_at, heartbeat_at, settings) values ($1, $2, $2, $3)
         on conflict (id) do update
         set stopped_at = null, silenced = false, beats = nodes.beats + 1, heartbeat_at = $2, on_bus = true",
        node.0,
        at,
        serde_json::to_value(agreement.shown()).unwrap_or_default()
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn others(connection: &mut PgConnection, own: NodeId, agreement: &Agreement) -> Result<Vec<Other>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select id as "id: NodeId", beats, settings as "settings: sqlx::types::Json<Shown>"
           from nodes where stopped_at is null and id <> $1"#,
        own.0
    )
    .fetch_all(connection)
    .await?;
    let others = rows.into_iter().map(|row| Other {
        id: row.id,
        beats: row.beats,
        differences: agreement.differences(&row.settings),
    });
    Ok(others.collect())
}

fn list(differences: &[Difference]) -> String {
    let told = differences.iter().map(|Difference { name, what, .. }| format!("{name} ({what})"));
    told.collect::<Vec<String>>().join(", ")
}

fn tell(other: &Other) {
    if !other.differences.is_empty() {
        tracing::warn!(node = %other.id, differences = list(&other.differences), "another server is set differently");
    }
}

/// The settings in which a server that holds a lease differs from this one.
pub async fn differing(pool: &PgPool, own: NodeId, agreement: &Agreement) -> Result<Vec<&'static str>, sqlx::Error> {
    let mut connection = pool.acquire().await?;
    let others = others(&mut connection, own, agreement).await?;
    Ok(others.iter().flat_map(|other| &other.differences).map(|difference| difference.name).collect())
}

/// Removes the rows of servers that stopped more than a day ago, and left no match behind that nobody has taken over.
pub async fn forget_nodes(pool: &PgPool) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from nodes n where stopped_at < clock_timestamp() - interval '1 day'
             and not exists (select from matches where owner = n.id and status = 'live')"
    )
    .execute(pool)
    .await?;
    Ok(())
}
