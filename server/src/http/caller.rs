//! Who is calling, as handlers ask for it.

use axum::{
    extract::{FromRef, FromRequestParts, OptionalFromRequestParts},
    http::{HeaderMap, header, request::Parts},
};

pub use crate::auth::Caller;
use crate::{
    auth::{Auth, IdentifyError, tokens::Claims},
    code::Code,
    http::problem::Problem,
};

impl From<IdentifyError> for Problem {
    fn from(error: IdentifyError) -> Self {
        match error {
            IdentifyError::Unauthenticated => Self::new(Code::Unauthenticated),
            IdentifyError::Database(error) => error.into(),
        }
    }
}

/// What the token of a request says, where it is one of ours. Left by the limits, which read it first.
#[derive(Clone, Debug)]
pub(super) struct ReadToken(pub Claims);

/// The token in `Authorization: Bearer …`, or nothing. Two such headers are none.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '))
}

async fn identify(parts: &Parts, auth: &Auth) -> Result<Caller, Problem> {
    if let Some(ReadToken(claims)) = parts.extensions.get() {
        return Ok(auth.caller(claims).await?);
    }
    let token = bearer(&parts.headers).ok_or(Code::Unauthenticated)?;
    Ok(auth.identify(token).await?)
}

impl<S> FromRequestParts<S> for Caller
where
    S: Send + Sync,
    Auth: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        identify(parts, &Auth::from_ref(state)).await
    }
}

/// Nobody, where the request carries no token at all. A token that is not valid is refused here too: its client
/// believes to be somebody.
impl<S> OptionalFromRequestParts<S> for Caller
where
    S: Send + Sync,
    Auth: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Option<Self>, Problem> {
        if parts.headers.contains_key(header::AUTHORIZATION) {
            identify(parts, &Auth::from_ref(state)).await.map(Some)
        } else {
            Ok(None)
        }
    }
}

/// A caller with an account. Guests are refused with `account_needed`.
#[derive(Clone, Debug)]
pub struct Account(pub Caller);

impl<S> FromRequestParts<S> for Account
where
    S: Send + Sync,
    Auth: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let caller = identify(parts, &Auth::from_ref(state)).await?;
        if caller.guest { Err(Problem::new(Code::AccountNeeded)) } else { Ok(Self(caller)) }
    }
}

/// The caller of a request that needs no token.
#[derive(Clone, Debug)]
pub struct MaybeCaller(pub Option<Caller>);

impl<S> FromRequestParts<S> for MaybeCaller
where
    S: Send + Sync,
    Auth: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        <Caller as OptionalFromRequestParts<S>>::from_request_parts(parts, state).await.map(Self)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn one_bearer_token_or_none() {
        let cases = [
            (vec![], None),
            (vec!["Bearer abc"], Some("abc")),
            (vec!["bearer abc"], Some("abc")),
            (vec!["BEARER  abc"], Some("abc")),
            (vec!["Bearer"], None),
            (vec!["Basic abc"], None),
            (vec!["abc"], None),
            (vec!["Bearer abc", "Bearer abc"], None),
        ];
        for (values, token) in cases {
            let mut headers = HeaderMap::new();
            for value in &values {
                headers.append(header::AUTHORIZATION, HeaderValue::from_static(value));
            }
            assert_eq!(bearer(&headers), token, "{values:?}");
        }
    }
}
