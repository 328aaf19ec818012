//! Who of the staff may do what. Deny by default: a handler names the set of roles it is for (O-5), and where the operator
//! has it so a role counts only in a session that began with a second factor.

use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};

use crate::{
    auth::{Auth, Caller},
    code::Code,
    http::problem::Problem,
    role::Role,
};

macro_rules! staff {
    ($($(#[$doc:meta])* $name:ident = [$($role:ident),*];)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(pub Caller);

        impl<S: Send + Sync> FromRequestParts<S> for $name
        where
            Auth: FromRef<S>,
        {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
                let caller = Caller::from_request_parts(parts, state).await?;
                if ![$(Role::$role),*].iter().any(|role| caller.roles.contains(role)) {
                    return Err(Problem::new(Code::Forbidden));
                }
                if Auth::from_ref(state).settings().staff_second_factor && !caller.second_factor {
                    return Err(Problem::new(Code::SecondFactorNeeded));
                }
                Ok(Self(caller))
            }
        }
    )*};
}

staff! {
    /// Changes things.
    Admin = [Admin];
    /// Reads everything.
    Reader = [Admin, Auditor];
    /// Sees withdrawals.
    WithdrawalReader = [Admin, Auditor, Cashier];
    /// Decides on withdrawals.
    WithdrawalDecider = [Admin, Cashier];
}
