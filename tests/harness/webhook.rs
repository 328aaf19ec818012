//! The payment provider's side of signed callbacks. Signed here by hand, after the Standard Webhooks specification: `v1,`
//! and the base64 of an HMAC-SHA256 of `id.timestamp.body`.

use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{Answer, Client, TestServer};

/// Where callbacks are sent.
pub const PATH: &str = "/v1/webhooks/payments";
/// The example secret of the specification.
pub const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Seconds since 1970.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().try_into().unwrap()
}

/// A signature over a body.
pub fn sign(secret: &str, id: &str, timestamp: i64, body: &str) -> String {
    let key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let tag = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", BASE64_STANDARD.encode(tag.as_ref()))
}

/// Sends a body with this signature.
pub async fn send(client: &Client, id: &str, timestamp: i64, signature: &str, body: &str) -> Answer {
    let request = client
        .request(Method::POST, PATH)
        .header("webhook-id", id)
        .header("webhook-timestamp", timestamp)
        .header("webhook-signature", signature)
        .body(body.to_owned());
    client.send(request).await
}

/// Signs and sends a body, as of now.
pub async fn send_now(client: &Client, secret: &str, id: &str, body: &str) -> Answer {
    let at = now();
    send(client, id, at, &sign(secret, id, at, body), body).await
}

/// An event as the provider sends it now.
pub async fn event(client: &Client, id: &str, kind: &str, data: &Value) -> Answer {
    let body = json!({"type": kind, "timestamp": "2026-11-30T12:00:00Z", "data": data}).to_string();
    send_now(client, SECRET, id, &body).await
}

/// What came of it.
pub async fn outcome(client: &Client, id: &str, kind: &str, data: &Value) -> String {
    let answer = event(client, id, kind, data).await.expect(200);
    answer.body["outcome"].as_str().unwrap().to_owned()
}

/// What a succeeded payment says.
pub fn movement(payment: &str, reference: &str, amount: i64) -> Value {
    json!({"payment": payment, "reference": reference, "amount": amount, "currency": "BRL"})
}

/// A server with a provider that confirms by callbacks.
pub async fn server() -> TestServer {
    server_with(&[]).await
}

/// The same with further flags.
pub async fn server_with(flags: &[&str]) -> TestServer {
    let secrets = format!("--webhook-secrets={SECRET}");
    TestServer::with(&[&["--payments=webhook", secrets.as_str()], flags].concat()).await
}
