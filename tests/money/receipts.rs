//! Receipts: signed, and checked with their file and the published key alone (L-12).

use std::{path::Path, process::Command};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use stakeboard_server::matches::receipt::{CheckError, check};
use stakeboard_tests::{TestServer, play::play_side, server::start_match};

use crate::support::{end_in_draw, text};

const PUBLISHED: &str = "/.well-known/stakeboard-receipt-key";

/// A match played to its end on the board: its receipt and the published keys, both as texts.
async fn played(server: &TestServer, terms: &Value, seed: u64) -> (String, String) {
    let (one, two) = (server.registrar.player(1_000).await, server.registrar.player(1_000).await);
    let id = start_match(&server.client(), &one, &two, terms).await;
    let (address, second) = (server.address, id.clone());
    let rival = tokio::spawn(async move { play_side(address, &second, &two, seed + 1).await });
    play_side(server.address, &id, &one, seed).await;
    rival.await.unwrap();
    receipt(server, &id).await
}

async fn receipt(server: &TestServer, id: &str) -> (String, String) {
    let receipt = server.client().get(&format!("/v1/matches/{id}/receipt")).await.expect(200).text;
    (receipt, server.client().get(PUBLISHED).await.expect(200).text)
}

#[tokio::test(flavor = "multi_thread")]
async fn l12_every_ended_match_has_a_receipt_that_holds_without_the_server() {
    let server = TestServer::start().await;
    let mut receipts = Vec::new();
    for (seed, game) in (1..).zip(["oware", "mu_torere"]) {
        receipts.push(played(&server, &json!({"game": game, "stake": 50}), 10 * seed).await);
    }
    // Ends off the board: a resignation and an agreed draw.
    let (one, two) = (server.registrar.player(1_000).await, server.registrar.player(1_000).await);
    let (first, second) = (server.client().of(&one), server.client().of(&two));
    let terms = json!({"game": "oware", "stake": 105});
    let resigned = start_match(&first, &one, &two, &terms).await;
    server.client().get(&format!("/v1/matches/{resigned}/receipt")).await.refused(404, "not_found");
    first.post_empty(&format!("/v1/matches/{resigned}/resign")).await.expect(200);
    receipts.push(receipt(&server, &resigned).await);
    let drawn = start_match(&first, &one, &two, &terms).await;
    end_in_draw(&drawn, &first, &second).await;
    receipts.push(receipt(&server, &drawn).await);
    let unknown = uuid::Uuid::now_v7();
    server.client().get(&format!("/v1/matches/{unknown}/receipt")).await.refused(404, "not_found");

    for (file, keys) in &receipts {
        check(file, Some(keys)).unwrap();
        let checked = check(file, None).unwrap();
        let shown: Value = serde_json::from_str(file).unwrap();
        assert_eq!(serde_json::to_value(&checked.receipt).unwrap(), shown["receipt"]);
        assert_eq!(checked.moves, shown["record"]["plies"].as_array().unwrap().len());
    }
    let shown: Value = serde_json::from_str(&receipts[2].0).unwrap();
    let winner = if shown["record"]["players"]["first"]["id"] == two.id.to_string() { "first" } else { "second" };
    let figures = |receipt: &Value| ["stake", "pot", "fee", "payout"].map(|name| receipt[name].as_i64().unwrap());
    assert_eq!(figures(&shown["receipt"]), [105, 210, 21, 189]);
    assert_eq!(
        (text(&shown["receipt"]["winner"]), text(&shown["receipt"]["ending"])),
        (winner.into(), "resignation".into())
    );
    assert_eq!(shown["receipt"]["currency"], "BRL");
    let shown: Value = serde_json::from_str(&receipts[3].0).unwrap();
    assert_eq!((figures(&shown["receipt"]), &shown["receipt"]["winner"]), ([105, 210, 0, 0], &json!(null)));

    let config = server.client().get("/v1/config").await.expect(200).body;
    let published: Value = serde_json::from_str(&receipts[0].1).unwrap();
    assert_eq!(published["keys"], json!([config["receipt_key"]]));
    server.stop().await;
}

/// A file with one thing changed.
fn changed(file: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(file).unwrap();
    change(&mut value);
    value.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn l12_whatever_is_changed_in_a_receipt_or_its_record_is_found() {
    let server = TestServer::start().await;
    let (file, keys) = played(&server, &json!({"game": "oware", "stake": 50}), 7).await;
    let (other, _) = played(&server, &json!({"game": "oware", "stake": 50}), 77).await;
    server.stop().await;
    let other: Value = serde_json::from_str(&other).unwrap();
    let error = |file: &str| check(file, Some(&keys)).unwrap_err();

    assert!(matches!(error(&changed(&file, |it| it["receipt"]["payout"] = json!(1_000))), CheckError::Shown));
    assert!(matches!(error(&changed(&file, |it| it["receipt"]["tip"] = json!(1))), CheckError::Shown));
    assert!(matches!(error(&changed(&file, |it| it["jws"] = other["jws"].clone())), CheckError::Shown));
    assert!(matches!(error(&changed(&file, |it| it["record"] = other["record"].clone())), CheckError::Hash { .. }));
    let last = |it: &mut Value| it["record"]["plies"].as_array_mut().unwrap().pop();
    assert!(matches!(
        error(&changed(&file, |it| {
            last(it);
        })),
        CheckError::Hash { .. } | CheckError::Contradiction("outcome")
    ));
    assert!(matches!(
        error(&changed(&file, |it| it["record"]["plies"][3]["after"] = it["record"]["plies"][4]["after"].clone())),
        CheckError::Ply(4)
    ));
    assert!(matches!(
        error(&changed(&file, |it| it["record"]["plies"][0]["legal"].as_array_mut().unwrap().truncate(1))),
        CheckError::Ply(1)
    ));
    assert!(matches!(
        error(&changed(&file, |it| it["record"]["plies"][0]["move"] = json!("q"))),
        CheckError::Replay(_)
    ));
    for (field, value) in [("stake", json!(500)), ("fee", json!(0)), ("payout", json!(1)), ("id", json!("x"))] {
        assert!(
            matches!(error(&changed(&file, |it| it["record"][field] = value)), CheckError::Contradiction(name) if name == field)
        );
    }
    let players =
        changed(&file, |it| it["record"]["players"]["first"]["id"] = it["record"]["players"]["second"]["id"].clone());
    assert!(matches!(error(&players), CheckError::Contradiction("players.first")));
}

#[tokio::test(flavor = "multi_thread")]
async fn l12_a_signature_that_was_changed_or_made_by_others_is_found() {
    let server = TestServer::start().await;
    let (file, keys) = played(&server, &json!({"game": "mu_torere", "stake": 50}), 8).await;
    let foreign = TestServer::start().await;
    let foreign_keys = foreign.client().get(PUBLISHED).await.expect(200).text;
    foreign.stop().await;
    server.stop().await;
    let error = |file: &str| check(file, Some(&keys)).unwrap_err();
    assert!(matches!(check(&file, Some(&foreign_keys)), Err(CheckError::UnknownKey(_))), "another server's key");

    // The signature: every part of it, and other ways to say nothing.
    let whole: Value = serde_json::from_str(&file).unwrap();
    let jws = text(&whole["jws"]);
    let parts: Vec<&str> = jws.split('.').collect();
    let (header, payload, signature) = (parts[0], parts[1], parts[2]);
    let flipped = |part: &str| format!("{}{}", if part.starts_with('A') { 'B' } else { 'A' }, &part[1..]);
    let none = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"none","kid":"x"}"#);
    for forged in [
        format!("{header}.{}.{signature}", flipped(payload)),
        format!("{header}.{payload}.{}", flipped(signature)),
        format!("{header}.{payload}."),
        format!("{header}.{payload}"),
        format!("{none}.{payload}."),
        format!("{none}.{payload}.{signature}"),
        String::new(),
    ] {
        let error = error(&changed(&file, |it| it["jws"] = json!(forged)));
        assert!(
            matches!(error, CheckError::Form | CheckError::Signature | CheckError::UnknownKey(_)),
            "{forged}: {error}"
        );
    }
    assert!(matches!(error("[]"), CheckError::File(_)));
    assert!(matches!(check(&file, Some("{}")), Err(CheckError::KeyFile(_))));
    // Who brings a key of their own in the file convinces nobody who has the published one.
    let own = changed(&file, |it| it["key"] = serde_json::from_str::<Value>(&foreign_keys).unwrap()["keys"][0].clone());
    assert!(check(&own, Some(&keys)).is_ok());
    assert!(matches!(check(&own, None), Err(CheckError::UnknownKey(_))));
}

/// The receipt, signed anew by a forger who gives their own key the name of the house's.
fn forged(file: &str) -> String {
    let encode = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    changed(file, |it| {
        let jws = text(&it["jws"]);
        let signed = jws.rsplit_once('.').unwrap().0;
        it["jws"] = json!(format!("{signed}.{}", encode(pair.sign(signed.as_bytes()).as_ref())));
        it["key"]["x"] = json!(encode(pair.public_key().as_ref()));
    })
}

/// RFC 7638, of the key of a receipt.
fn thumbprint(file: &str) -> String {
    let file: Value = serde_json::from_str(file).unwrap();
    let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":{}}}"#, file["key"]["x"]);
    BASE64_URL_SAFE_NO_PAD.encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, members.as_bytes()))
}

fn run(arguments: &[&Path]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_server-under-test"))
        .args(["receipt", "verify"])
        .args(arguments)
        .env_clear()
        .output()
        .unwrap();
    (
        output.status.code(),
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn l12_the_command_checks_a_file_with_nothing_else_running() {
    let server = TestServer::start().await;
    let (file, keys) = played(&server, &json!({"game": "mu_torere", "stake": 50}), 5).await;
    server.stop().await;
    let folder = tempfile::TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (good, key) = (write("receipt.json", &file), write("key.json", &keys));
    let bad = write("bad.json", &changed(&file, |it| it["record"]["stake"] = json!(5)));
    let option = Path::new("--key");
    let (code, said) = run(&[&good, option, &key]);
    assert!(code == Some(0) && said.contains("the receipt is good"), "{said}");
    assert!(said.contains(&format!("thumbprint {}", thumbprint(&file))), "{said}");
    // With the key that came with it alone, what was looked at is said, and that this establishes no trust.
    let (code, said) = run(&[&good]);
    assert!(code == Some(2) && said.contains("the signature fits") && said.contains("moves replayed"), "{said}");
    assert!(said.contains("not checked: whether that key is the house's"), "{said}");
    assert!(said.contains("fetch /.well-known/stakeboard-receipt-key") && said.contains("--key"), "{said}");
    assert!(!said.contains("good"), "{said}");
    let (code, said) = run(&[&bad, option, &key]);
    assert!(code == Some(1) && said.contains("do not agree on `stake`"), "{said}");
    let (code, said) = run(&[&bad]);
    assert!(code == Some(1) && said.contains("do not agree on `stake`"), "{said}");
    let (code, said) = run(&[&folder.path().join("missing.json")]);
    assert!(code == Some(1) && said.contains("missing.json"), "{said}");

    // A forger's key under the name of the house's: its own thumbprint is told, not the name, and it is never enough.
    let forgery = forged(&file);
    let path = write("forged.json", &forgery);
    let (code, said) = run(&[&path]);
    assert!(code == Some(2) && said.contains(&format!("thumbprint {}", thumbprint(&forgery))), "{said}");
    let house: Value = serde_json::from_str(&file).unwrap();
    assert!(!said.contains(&text(&house["key"]["kid"])) && !said.contains(&thumbprint(&file)), "{said}");
    let (code, said) = run(&[&path, option, &key]);
    assert!(code == Some(1) && said.contains("the signature does not fit"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn l12_a_receipt_outlives_a_restart_word_for_word() {
    let server = TestServer::start().await;
    let (one, two) = (server.registrar.player(1_000).await, server.registrar.player(1_000).await);
    let client = server.client().of(&one);
    let id = start_match(&client, &one, &two, &json!({"game": "oware", "stake": 5})).await;
    client.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    let before = receipt(&server, &id).await;
    let server = server.restart().await;
    assert_eq!(receipt(&server, &id).await, before);
    server.stop().await;
}
