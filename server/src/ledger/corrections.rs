//! Corrections by the staff: adjustments, transfers that name the one they reverse (L-5), and money in suspense that
//! finds its player.

use crate::{
    db::Tx,
    ids::{PlayerId, TransferId},
    money::Cents,
};

/// Gives a player an amount, or takes it where it is below zero. The floor of the account holds.
pub async fn adjust(tx: &mut Tx, player: PlayerId, reference: &str, amount: Cents) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with theirs as (select id from accounts where kind = 'player' and player_id = $3),
              ours as (select id from accounts where kind = 'adjustment')
         select post_transfers($1, null, array[$2::uuid], array['adjustment'],
             array[case when $4::bigint > 0 then ours.id else theirs.id end],
             array[case when $4::bigint > 0 then theirs.id else ours.id end],
             array[abs($4::bigint)])
         from theirs, ours",
        reference,
        TransferId::generate().0,
        player.0,
        amount.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}

/// What a transfer was made for; `None` where there is none.
pub async fn reference(tx: &mut Tx, id: TransferId) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!("select reference from transfers where id = $1", id.0).fetch_optional(&mut **tx).await
}

/// A transfer, as far as it matters to who wants to correct it.
#[derive(Clone, Debug)]
pub struct Booked {
    /// Whose balance it changed.
    pub player: Option<PlayerId>,
    /// What it changed for the player or, where it is about none, in suspense.
    pub change: Cents,
    /// ISO 4217.
    pub currency: String,
    /// Whether it stands by itself: an adjustment, a deposit, money in suspense or found a player. What belongs to a match
    /// or a withdrawal is one step of several, none of which can be undone alone.
    pub reversible: bool,
    /// Whether it is of money in suspense.
    pub suspended: bool,
}

/// Finds a transfer that is to be corrected.
pub async fn booked(tx: &mut Tx, id: TransferId) -> Result<Option<Booked>, sqlx::Error> {
    sqlx::query_as!(
        Booked,
        r#"select coalesce(d.player_id, c.player_id) as "player: PlayerId",
                  case when d.kind <> 'player' and c.kind in ('player', 'suspense') then t.amount else -t.amount end
                      as "change!: Cents",
                  d.currency,
                  t.kind in ('adjustment', 'suspense')
                      or (t.kind = 'deposit' and d.kind in ('external', 'suspense'))
                      or (t.kind = 'withdrawal' and c.kind = 'suspense') as "reversible!",
                  t.kind = 'suspense' as "suspended!"
           from transfers t join accounts d on d.id = t.debit join accounts c on c.id = t.credit
           where t.id = $1"#,
        id.0
    )
    .fetch_optional(&mut **tx)
    .await
}

/// Moves back what a transfer moved, by a new one that names it. A second one meets the constraint.
pub async fn reverse(tx: &mut Tx, reference: &str, transfer: TransferId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select post_transfers($1, null, array[$2::uuid], array['reversal'], array[t.credit], array[t.debit],
             array[t.amount], t.id)
         from transfers t where t.id = $3",
        reference,
        TransferId::generate().0,
        transfer.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}

/// Moves to a player what a transfer moved into suspense: their deposit, after all. What went out and fitted nothing is
/// taken from them: their withdrawal.
pub async fn assign(tx: &mut Tx, player: PlayerId, reference: &str, transfer: TransferId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select post_transfers($1, null, array[$2::uuid],
             array[case when c.kind = 'suspense' then 'deposit' else 'withdrawal' end],
             array[case when c.kind = 'suspense' then t.credit else p.id end],
             array[case when c.kind = 'suspense' then p.id else t.debit end],
             array[t.amount])
         from transfers t join accounts c on c.id = t.credit, accounts p
         where t.id = $3 and t.kind = 'suspense' and p.kind = 'player' and p.player_id = $4",
        reference,
        TransferId::generate().0,
        transfer.0,
        player.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}
