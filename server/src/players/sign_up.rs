//! New players, and changes to who they are. That an address or a name is free is never asked beforehand:
//! the constraints of the table say so when the row is written.

use sqlx::PgExecutor;

use crate::{
    db::{self, AsDatabaseError, Tx},
    ids::PlayerId,
    players::{BirthDate, DisplayName, Email},
    role::Role,
};

/// Everything an account begins with. All of it has been checked.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// The address to log in with.
    pub email: Email,
    /// What others see.
    pub display_name: DisplayName,
    /// The PHC text of the password's hash.
    pub password_hash: String,
    /// Old enough.
    pub birth_date: BirthDate,
    /// Roles of the staff.
    pub roles: Vec<Role>,
}

/// Why a player's row can't be written.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// Another account has the address.
    #[error("the address is taken")]
    EmailTaken,
    /// Another player has the name, or one that looks like it.
    #[error("the display name is taken")]
    DisplayNameTaken,
    /// The player to turn into an account is one already.
    #[error("the player has an account")]
    AlreadyRegistered,
    /// The database's own.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl From<sqlx::Error> for AccountError {
    fn from(error: sqlx::Error) -> Self {
        match db::constraint(&error) {
            Some("players_email_taken") => Self::EmailTaken,
            Some("players_display_name_taken" | "players_display_name_looks_taken") => Self::DisplayNameTaken,
            _ => Self::Database(error),
        }
    }
}

impl AsDatabaseError for AccountError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::EmailTaken | Self::DisplayNameTaken | Self::AlreadyRegistered => None,
        }
    }
}

/// Writes a new account.
pub async fn create_account(tx: &mut Tx, account: &NewAccount) -> Result<PlayerId, AccountError> {
    let player = PlayerId::generate();
    sqlx::query!(
        "insert into players
             (id, guest, email, email_key, display_name, display_name_key, display_name_skeleton, password_hash,
              birth_date, roles)
         values ($1, false, $2, $3, $4, $5, $6, $7, $8, $9)",
        player.0,
        account.email.as_str(),
        account.email.key(),
        account.display_name.as_str(),
        account.display_name.key(),
        account.display_name.skeleton(),
        account.password_hash,
        account.birth_date.0,
        &role_texts(&account.roles)
    )
    .execute(&mut **tx)
    .await?;
    Ok(player)
}

/// Turns a guest into an account: the same player, with everything played so far.
pub async fn upgrade_guest(tx: &mut Tx, guest: PlayerId, account: &NewAccount) -> Result<(), AccountError> {
    let done = sqlx::query!(
        "update players
         set guest = false, email = $2, email_key = $3, display_name = $4, display_name_key = $5,
             display_name_skeleton = $6, password_hash = $7, birth_date = $8, roles = $9
         where id = $1 and guest",
        guest.0,
        account.email.as_str(),
        account.email.key(),
        account.display_name.as_str(),
        account.display_name.key(),
        account.display_name.skeleton(),
        account.password_hash,
        account.birth_date.0,
        &role_texts(&account.roles)
    )
    .execute(&mut **tx)
    .await?;
    // Of two upgrades at once the second finds no guest any more.
    if done.rows_affected() == 0 { Err(AccountError::AlreadyRegistered) } else { Ok(()) }
}

/// Writes a new guest.
pub async fn create_guest(tx: &mut Tx, display_name: &DisplayName) -> Result<PlayerId, AccountError> {
    let player = PlayerId::generate();
    sqlx::query!(
        "insert into players (id, guest, display_name, display_name_key, display_name_skeleton)
         values ($1, true, $2, $3, $4)",
        player.0,
        display_name.as_str(),
        display_name.key(),
        display_name.skeleton()
    )
    .execute(&mut **tx)
    .await?;
    Ok(player)
}

/// Gives a player another display name.
pub async fn rename(
    executor: impl PgExecutor<'_>,
    player: PlayerId,
    display_name: &DisplayName,
) -> Result<(), AccountError> {
    sqlx::query!(
        "update players set display_name = $2, display_name_key = $3, display_name_skeleton = $4 where id = $1",
        player.0,
        display_name.as_str(),
        display_name.key(),
        display_name.skeleton()
    )
    .execute(executor)
    .await?;
    Ok(())
}

fn role_texts(roles: &[Role]) -> Vec<String> {
    roles.iter().map(|role| role.as_str().to_owned()).collect()
}
