//! Players: accounts and guests, their names, what they see of themselves.

mod age;
pub mod bots;
pub mod deletion;
pub mod exclusion;
mod identity;
pub mod limits;
pub mod names;
pub mod profile;
mod sign_up;
pub mod standing;

pub use age::{BirthDate, age_on};
pub use identity::Identity;
pub use names::{DisplayName, Email, email_key};
pub use profile::Me;
pub use sign_up::{AccountError, NewAccount, create_account, create_guest, rename, upgrade_guest};
