//! How failures of accounts are told to a client.

use crate::{
    auth::{
        LoginError, RefreshError,
        passwords::{self, HashError, Weakness},
    },
    code::Code,
    http::{limits::rate_limited, problem::Problem},
    i18n::FieldRule,
    players::{
        AccountError,
        names::{LONGEST_NAME, NameError, SHORTEST_NAME},
    },
};

impl From<HashError> for Problem {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Overloaded => Self::new(Code::Overloaded),
            HashError::Hash(_) | HashError::Cut(_) => Self::internal(&error),
        }
    }
}

impl From<LoginError> for Problem {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::BadCredentials => Self::new(Code::BadCredentials),
            LoginError::CodeNeeded => Self::new(Code::CodeNeeded),
            LoginError::BadCode => Self::new(Code::BadCode),
            LoginError::NewPasswordNeeded => Self::new(Code::NewPasswordNeeded),
            LoginError::Weak(weakness) => {
                Self::new(Code::WeakPassword).with_field("new_password", password_rule(weakness))
            }
            LoginError::RateLimited(wait) => rate_limited(wait),
            LoginError::Hash(error) => error.into(),
            LoginError::Database(error) => error.into(),
        }
    }
}

impl From<RefreshError> for Problem {
    fn from(error: RefreshError) -> Self {
        match error {
            RefreshError::Unauthenticated => Self::new(Code::Unauthenticated),
            RefreshError::RateLimited(wait) => rate_limited(wait),
            RefreshError::Database(error) => error.into(),
        }
    }
}

impl From<AccountError> for Problem {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::EmailTaken => Self::new(Code::EmailTaken),
            AccountError::DisplayNameTaken => Self::new(Code::DisplayNameTaken),
            AccountError::AlreadyRegistered => Self::new(Code::AlreadyRegistered),
            AccountError::Database(error) => error.into(),
        }
    }
}

/// What a display name has to be instead.
pub fn name_rule(error: NameError) -> FieldRule {
    match error {
        NameError::Length => FieldRule::Length(SHORTEST_NAME, LONGEST_NAME),
        NameError::Spaces => FieldRule::Malformed(
            "um nome sem espaço no começo ou no fim e sem dois espaços seguidos",
            "a name without a space at either end or two in a row",
        ),
        NameError::Character => {
            FieldRule::Malformed("um nome só com caracteres visíveis", "a name of visible characters only")
        }
        NameError::Marks => FieldRule::Malformed(
            "um nome sem acúmulo de acentos e sinais sobre uma letra",
            "a name without piles of marks on a letter",
        ),
        NameError::Nothing => {
            FieldRule::Malformed("um nome com ao menos uma letra ou um número", "a name with a letter or a digit in it")
        }
        NameError::Reserved => FieldRule::Reserved,
    }
}

/// What a password has to be instead.
pub fn password_rule(weakness: Weakness) -> FieldRule {
    match weakness {
        Weakness::Length => FieldRule::Length(passwords::SHORTEST, passwords::LONGEST),
        Weakness::Personal => FieldRule::Malformed(
            "uma senha sem o seu nome e sem o seu e-mail",
            "a password without your name or address in it",
        ),
        Weakness::Pattern => FieldRule::Malformed(
            "uma senha que não seja uma sequência ou uma repetição",
            "a password that is not a run or a repetition",
        ),
        Weakness::Common => FieldRule::Malformed(
            "uma senha que não esteja entre as mais usadas",
            "a password that is not among the most common",
        ),
        Weakness::Same => FieldRule::Malformed(
            "uma senha diferente da que ela vai substituir",
            "another password than the one it is to replace",
        ),
    }
}

/// What an address has to be.
pub fn email_rule() -> FieldRule {
    FieldRule::Malformed("um endereço de e-mail, como ana@example.com", "an e-mail address, such as ana@example.com")
}

/// What a birth date has to be.
pub fn birth_date_rule() -> FieldRule {
    FieldRule::Malformed(
        "uma data real no formato AAAA-MM-DD, não futura",
        "a real date as YYYY-MM-DD, not in the future",
    )
}
