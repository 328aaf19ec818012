//! Signing up: what is checked before, and what happens in the one transaction.

use std::sync::Arc;

use time::Date;

use crate::{
    auth::{Auth, Opened, Password, passwords, sessions},
    code::Code,
    db::{Tx, in_transaction},
    http::{
        accounts::{Registration, answers},
        problem::Problem,
    },
    ids::{PlayerId, SessionId},
    ledger,
    players::{self, AccountError, BirthDate, DisplayName, Email, Me, NewAccount, profile},
};

/// A registration that has been checked.
pub(super) struct SignUp {
    email: Email,
    display_name: DisplayName,
    password: Password,
    birth_date: BirthDate,
}

/// A player who has just come, with a session.
pub(super) struct Entered {
    pub opened: Opened,
    pub player: Me,
}

impl SignUp {
    /// Checks everything that needs no database. All fields of a wrong form are told at once; age and password
    /// are judged once the form is right.
    pub(super) fn check(registration: Registration, today: Date, minimum_age: u8) -> Result<Self, Problem> {
        let Registration { email, password, display_name, birth_date } = registration;
        let email = Email::parse(&email).ok_or(("email", answers::email_rule()));
        let display_name =
            DisplayName::of_player(&display_name).map_err(|error| ("display_name", answers::name_rule(error)));
        let birth_date = BirthDate::parse(&birth_date, today).ok_or(("birth_date", answers::birth_date_rule()));
        let (email, display_name, birth_date) = match (email, display_name, birth_date) {
            (Ok(email), Ok(display_name), Ok(birth_date)) => (email, display_name, birth_date),
            (email, display_name, birth_date) => {
                let wrong = [email.err(), display_name.err(), birth_date.err()];
                return Err(wrong
                    .into_iter()
                    .flatten()
                    .fold(Problem::new(Code::InvalidRequest), |problem, (field, rule)| {
                        problem.with_field(field, rule)
                    }));
            }
        };
        if players::age_on(birth_date, today) < i32::from(minimum_age) {
            return Err(Problem::new(Code::Underage));
        }
        match passwords::weakness(&password, email.as_str(), display_name.as_str()) {
            Some(weakness) => {
                Err(Problem::new(Code::WeakPassword).with_field("password", answers::password_rule(weakness)))
            }
            None => Ok(Self { email, display_name, password, birth_date }),
        }
    }

    /// The account as it is stored.
    pub(super) async fn hashed(self, auth: &Auth) -> Result<NewAccount, Problem> {
        let password_hash = auth.passwords().hash(self.password).await?;
        Ok(NewAccount {
            email: self.email,
            display_name: self.display_name,
            password_hash,
            birth_date: self.birth_date,
            roles: Vec::new(),
        })
    }
}

/// Creates an account with its ledger accounts, without a session.
pub async fn create_account(auth: &Auth, account: NewAccount) -> Result<PlayerId, AccountError> {
    let account = Arc::new(account);
    let currency: Arc<str> = auth.settings().currency.as_str().into();
    in_transaction(auth.pool(), |tx| {
        let (account, currency) = (Arc::clone(&account), Arc::clone(&currency));
        Box::pin(async move { write_account(tx, None, &account, &currency).await })
    })
    .await
}

/// Creates an account, or turns a guest into one, and opens its first session; all or nothing.
pub(super) async fn register(
    auth: &Auth,
    guest: Option<PlayerId>,
    account: NewAccount,
) -> Result<Entered, AccountError> {
    let account = Arc::new(account);
    let currency: Arc<str> = auth.settings().currency.as_str().into();
    let lifetime = auth.settings().refresh_lifetime;
    let (entered, ended) = in_transaction(auth.pool(), |tx| {
        let (account, currency) = (Arc::clone(&account), Arc::clone(&currency));
        Box::pin(async move {
            let player = write_account(tx, guest, &account, &currency).await?;
            let ended: Vec<SessionId> = sessions::end_all(tx, player).await?;
            let opened = sessions::open(tx, player, false, lifetime).await?;
            let player = profile::load(tx, player).await?;
            Ok::<_, AccountError>((Entered { opened, player }, ended))
        })
    })
    .await?;
    auth.announce(ended);
    Ok(entered)
}

async fn write_account(
    tx: &mut Tx,
    guest: Option<PlayerId>,
    account: &NewAccount,
    currency: &str,
) -> Result<PlayerId, AccountError> {
    let player = match guest {
        Some(guest) => {
            players::upgrade_guest(tx, guest, account).await?;
            guest
        }
        None => players::create_account(tx, account).await?,
    };
    ledger::open_player(tx, player, currency).await?;
    Ok(player)
}

/// How often a name is made up before giving in: of a thousand million names even one repeat is unlikely.
const NAMES_TRIED: u32 = 5;

/// Creates a guest with a session, under this name or one that is made up.
pub(super) async fn guest(auth: &Auth, display_name: Option<DisplayName>) -> Result<Entered, AccountError> {
    if let Some(name) = display_name {
        return enter_guest(auth, name).await;
    }
    let mut tried = 1;
    loop {
        match enter_guest(auth, DisplayName::of_guest()).await {
            Err(AccountError::DisplayNameTaken) if tried < NAMES_TRIED => tried += 1,
            done => return done,
        }
    }
}

async fn enter_guest(auth: &Auth, display_name: DisplayName) -> Result<Entered, AccountError> {
    let lifetime = auth.settings().refresh_lifetime;
    in_transaction(auth.pool(), |tx| {
        let display_name = display_name.clone();
        Box::pin(async move {
            let player = players::create_guest(tx, &display_name).await?;
            let opened = sessions::open(tx, player, true, lifetime).await?;
            let player = profile::load(tx, player).await?;
            Ok(Entered { opened, player })
        })
    })
    .await
}
