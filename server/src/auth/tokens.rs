//! Access tokens: short-lived JWTs that name a player and a session.

use std::time::Duration;

use jsonwebtoken::{Algorithm, Header, Validation};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    auth::keys::Keys,
    ids::{PlayerId, SessionId},
};

const ISSUER: &str = "stakeboard";
const AUDIENCE: &str = "stakeboard-api";
/// RFC 9068: what tells an access token from every other JWT.
const TYPE: &str = "at+jwt";
/// How far the clocks of two nodes may be apart.
const LEEWAY_SECONDS: i64 = 5;
/// Ours take some 400 bytes; more is not worth reading.
const LONGEST: usize = 2_048;

/// What a token says. Every claim is required and of exactly this type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    iss: String,
    aud: String,
    /// The player.
    pub sub: PlayerId,
    /// The session it was issued in.
    pub sid: SessionId,
    /// Whether the player was a guest then.
    pub guest: bool,
    iat: i64,
    exp: i64,
}

/// The token is not one of ours, or no longer good. Why is nobody's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the token is not valid")]
pub struct InvalidToken;

/// Signs a token for a player's session, good from `now` for `lifetime`.
pub fn issue(
    keys: &Keys,
    (player, session, guest): (PlayerId, SessionId, bool),
    now: OffsetDateTime,
    lifetime: Duration,
) -> Result<String, jsonwebtoken::errors::Error> {
    let (id, key) = keys.signing();
    let header = Header { typ: Some(TYPE.into()), kid: Some(id.0.clone()), ..Header::new(Algorithm::EdDSA) };
    let claims = Claims {
        iss: ISSUER.into(),
        aud: AUDIENCE.into(),
        sub: player,
        sid: session,
        guest,
        iat: now.unix_timestamp(),
        exp: (now + lifetime).unix_timestamp(),
    };
    jsonwebtoken::encode(&header, &claims, key)
}

/// Reads a token that we signed and that is still good at `now`. Whether its session still runs is another question.
pub fn verify(keys: &Keys, token: &str, now: OffsetDateTime) -> Result<Claims, InvalidToken> {
    if token.len() > LONGEST {
        return Err(InvalidToken);
    }
    let header = jsonwebtoken::decode_header(token).map_err(|_| InvalidToken)?;
    if header.typ.as_deref() != Some(TYPE) || header.alg != Algorithm::EdDSA {
        return Err(InvalidToken);
    }
    let key = header.kid.as_deref().and_then(|id| keys.verifying(id)).ok_or(InvalidToken)?;
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    validation.set_issuer(&[ISSUER]);
    validation.set_audience(&[AUDIENCE]);
    // The library asks the machine for the time; ours is handed in and compared below.
    validation.validate_exp = false;
    let claims = jsonwebtoken::decode::<Claims>(token, key, &validation).map_err(|_| InvalidToken)?.claims;
    if claims.exp.saturating_add(LEEWAY_SECONDS) <= now.unix_timestamp() {
        return Err(InvalidToken);
    }
    Ok(claims)
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    use jsonwebtoken::EncodingKey;
    use serde_json::{Value, json};
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);
    const LIFETIME: Duration = Duration::from_mins(15);

    struct Bench {
        folder: std::path::PathBuf,
        keys: Keys,
        player: PlayerId,
        session: SessionId,
    }

    impl Bench {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("stakeboard-tokens-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).expect("a folder");
            let keys = Keys::load_or_create(&folder).expect("a key");
            Self { folder, keys, player: PlayerId::generate(), session: SessionId::generate() }
        }

        fn token(&self) -> String {
            issue(&self.keys, (self.player, self.session, false), NOW, LIFETIME).expect("signed")
        }

        fn claims(&self) -> Value {
            json!({
                "iss": ISSUER, "aud": AUDIENCE, "sub": self.player, "sid": self.session, "guest": false,
                "iat": NOW.unix_timestamp(), "exp": NOW.unix_timestamp() + 900,
            })
        }

        fn header(&self) -> Header {
            Header {
                typ: Some(TYPE.into()),
                kid: Some(self.keys.signing().0.0.clone()),
                ..Header::new(Algorithm::EdDSA)
            }
        }

        /// Signed with our own key, whatever it says.
        fn signed(&self, header: &Header, claims: &Value) -> String {
            jsonwebtoken::encode(header, claims, self.keys.signing().1).expect("signed")
        }

        fn refused(&self, token: &str) -> bool {
            verify(&self.keys, token, NOW) == Err(InvalidToken)
        }
    }

    impl Drop for Bench {
        fn drop(&mut self) {
            drop(std::fs::remove_dir_all(&self.folder));
        }
    }

    fn part(value: &Value) -> String {
        URL_SAFE_NO_PAD.encode(value.to_string())
    }

    #[test]
    fn a_token_of_ours_names_its_player_and_session_until_it_expires() {
        let bench = Bench::new("ours");
        let token = bench.token();
        let claims = verify(&bench.keys, &token, NOW).expect("valid");
        assert_eq!((claims.sub, claims.sid, claims.guest), (bench.player, bench.session, false));
        assert_eq!(verify(&bench.keys, &bench.signed(&bench.header(), &bench.claims()), NOW), Ok(claims));
        assert!(verify(&bench.keys, &token, NOW + LIFETIME).is_ok(), "within the leeway");
        assert!(verify(&bench.keys, &token, NOW + LIFETIME + Duration::from_secs(5)).is_err());
    }

    #[test]
    fn each_claim_is_required_and_of_its_type() {
        let bench = Bench::new("claims");
        for name in ["iss", "aud", "sub", "sid", "guest", "iat", "exp"] {
            let mut claims = bench.claims();
            claims.as_object_mut().expect("an object").remove(name);
            assert!(bench.refused(&bench.signed(&bench.header(), &claims)), "without {name}");
        }
        let wrong = [
            ("exp", json!((NOW.unix_timestamp() + 900).to_string())),
            ("exp", json!(null)),
            ("exp", json!(1.0e300)),
            ("exp", json!([NOW.unix_timestamp() + 900])),
            ("exp", json!(NOW.unix_timestamp() - 60)),
            ("exp", json!(i64::MIN)),
            ("iss", json!("somebody")),
            ("iss", json!([ISSUER])),
            ("aud", json!("another-api")),
            ("aud", json!([AUDIENCE, "another-api"])),
            ("sub", json!("not an identifier")),
            ("guest", json!("false")),
        ];
        for (name, value) in wrong {
            let mut claims = bench.claims();
            claims[name] = value.clone();
            assert!(bench.refused(&bench.signed(&bench.header(), &claims)), "{name} = {value}");
        }
    }

    #[test]
    fn the_header_is_ours_to_the_letter() {
        let bench = Bench::new("header");
        for typ in [None, Some("JWT".to_owned()), Some("rt+jwt".into()), Some("AT+JWT".into())] {
            let header = Header { typ: typ.clone(), ..bench.header() };
            assert!(bench.refused(&bench.signed(&header, &bench.claims())), "{typ:?}");
        }
        for kid in [None, Some("another".to_owned()), Some(String::new())] {
            let header = Header { kid: kid.clone(), ..bench.header() };
            assert!(bench.refused(&bench.signed(&header, &bench.claims())), "{kid:?}");
        }
    }

    #[test]
    fn no_other_algorithm_and_no_other_key() {
        let bench = Bench::new("algorithm");
        let kid = bench.keys.signing().0.0.clone();
        let claims = part(&bench.claims());
        for alg in ["none", "None", "NONE", ""] {
            let header = part(&json!({"alg": alg, "typ": TYPE, "kid": kid}));
            assert!(bench.refused(&format!("{header}.{claims}.")), "{alg}");
        }
        let unsigned = part(&json!({"alg": "EdDSA", "typ": TYPE, "kid": kid}));
        assert!(bench.refused(&format!("{unsigned}.{claims}.")));
        assert!(bench.refused(&format!("{unsigned}.{claims}")));

        // The public key taken for a shared secret.
        let public = bench.keys.verifying(&kid).expect("known").try_get_as_bytes().expect("bytes").to_vec();
        let header = Header { alg: Algorithm::HS256, ..bench.header() };
        let secret = EncodingKey::from_secret(&public).expect("a secret");
        assert!(bench.refused(&jsonwebtoken::encode(&header, &bench.claims(), &secret).expect("signed")));

        let other = Bench::new("algorithm-other");
        let foreign = other.signed(&bench.header(), &bench.claims());
        assert!(bench.refused(&foreign), "another key under our key's name");
        assert!(bench.refused(&other.token()), "another key under its own name");
    }

    #[test]
    fn what_is_not_a_token_is_refused() {
        let bench = Bench::new("garbage");
        let token = bench.token();
        let refresh = URL_SAFE_NO_PAD.encode([7; 32]);
        let mut changed = token.clone().into_bytes();
        let middle = changed.len() / 2;
        changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).expect("text");
        let long = format!("{token}{}", "A".repeat(LONGEST));
        for text in ["", ".", "..", "a.b.c", "null", &refresh, &changed, &long, &format!("{token} "), &token[1..]] {
            assert!(bench.refused(text), "{text}");
        }
    }
}
