//! What an operator watches is there: every metric that a rule or the dashboard names is told by a server that has
//! played, and every alert has its entry in the runbook and its condition in a test.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use stakeboard_server::role::Role;
use stakeboard_tests::{ServerProcess, Socket, play::seat_of, server::start_match};

use crate::{SERVER, read};

/// Everything in a text that is named like a metric of ours or of the process.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let ours = words.filter(|word| word.starts_with("stakeboard_") || word.starts_with("process_"));
    ours.map(str::to_owned).collect()
}

/// The kind of each metric that a server tells, by the name that its samples have.
fn told(text: &str) -> BTreeMap<String, String> {
    let mut samples = BTreeMap::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        let endings: &[&str] = if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
        for ending in endings {
            samples.insert(format!("{name}{ending}"), kind.to_owned());
        }
    }
    samples
}

/// The names of all alerts, in order.
fn alerts() -> Vec<String> {
    let rules = read("deploy/prometheus/rules.yml");
    let names = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
    names.map(str::to_owned).collect()
}

/// A server that has seen a bit of everything: a bus, a match, two who were paired by the queue, a trial balance.
async fn seasoned() -> ServerProcess {
    let server = ServerProcess::start(SERVER, &[("STAKEBOARD_BUS", "memory:seasoned")]).await;
    let [one, two] = [server.registrar.player(1_000).await, server.registrar.player(1_000).await];
    let id = start_match(&server.client(), &one, &two, &json!({"game": "mu_torere", "stake": 100})).await;
    let mut socket = Socket::open(server.address, &one.token).await;
    let snapshot = socket.watch(&id).await;
    if seat_of(&snapshot, &one) == "second" {
        socket = Socket::open(server.address, &two.token).await;
    }
    let answer = socket.play(&id, 1, snapshot["legal"][0].as_str().unwrap()).await;
    assert_eq!(answer["type"], "ok", "{answer}");
    let answer = socket.request(json!({"type": "resign", "match": id})).await;
    assert_eq!(answer["type"], "ok", "{answer}");
    let terms = json!({"game": "oware", "stake": 100});
    let mut sockets = Vec::new();
    for player in [&one, &two] {
        sockets.push(Socket::open(server.address, &player.token).await);
        server.client().of(player).post_once("/v1/lobby/queue", &terms).await;
    }
    sockets[0].until("match_started").await;
    let auditor = server.registrar.with_roles(0, vec![Role::Auditor]).await;
    server.client().of(&auditor).get("/v1/admin/ledger/trial-balance").await.expect(200);
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn every_metric_that_is_watched_is_told_and_named_as_prometheus_would_have_it() {
    let server = seasoned().await;
    let watched = named(&(read("deploy/prometheus/rules.yml") + &read("deploy/grafana/stakeboard.json")));
    assert!(watched.len() > 25, "{watched:?}");
    // What is read from the database comes a few seconds after what caused it.
    let samples = crate::eventually("every metric", || async {
        let samples = told(&server.client().get("/metrics").await.expect(200).text);
        let missing: Vec<&String> = watched.iter().filter(|name| !samples.contains_key(*name)).collect();
        println!("not told: {missing:?}");
        missing.is_empty().then_some(samples)
    })
    .await;
    for (name, kind) in &samples {
        assert_eq!(name.ends_with("_total"), kind == "counter", "{name} is a {kind}");
        assert!(!name.ends_with("_ms") && !name.contains("milliseconds"), "{name}: base units only");
    }
    let text = server.client().get("/metrics").await.expect(200).text;
    for name in samples.keys().filter(|name| name.starts_with("stakeboard_")) {
        let name = ["_bucket", "_sum", "_count"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
        assert!(text.contains(&format!("# HELP {name} ")), "{name} is not described");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_alert_watches_the_growth_of_is_there_before_it_grows() {
    let server = ServerProcess::start(SERVER, &[]).await;
    let text = server.client().get("/metrics").await.expect(200).text;
    let rules = read("deploy/prometheus/rules.yml");
    let grown: Vec<String> =
        rules.split("increase(").skip(1).map(|rest| rest.split(['{', '[']).next().unwrap().to_owned()).collect();
    assert!(grown.len() > 4, "{grown:?}");
    for name in grown {
        assert!(text.lines().any(|line| line.starts_with(&name) && line.ends_with(" 0")), "{name} begins at zero");
    }
    for code in ["internal", "overloaded", "bad_credentials", "rate_limited"] {
        let sample = format!("stakeboard_refusals_total{{code=\"{code}\",over=\"http\"}} 0");
        assert!(text.contains(&sample), "{sample}");
    }
}

#[test]
fn every_alert_is_in_the_runbook_and_nothing_else_is() {
    let text = read("docs/operations.md");
    let runbook = text.split("\n## ").find(|section| section.starts_with("Runbook")).unwrap();
    let entries: Vec<&str> = runbook.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert_eq!(entries, alerts());
    // The entry says how bad it is, as the rule does.
    let rules = read("deploy/prometheus/rules.yml");
    for alert in alerts() {
        let rule = rules.split("- alert: ").find(|rule| rule.starts_with(&alert)).unwrap();
        let severity = if rule.contains("severity: critical") { "critical" } else { "warning" };
        assert!(runbook.contains(&format!("### {alert}\n\n*{severity}.* ")), "{alert} is {severity}");
    }
}

#[test]
fn every_alert_has_its_condition_made_in_a_test() {
    let conditions = include_str!("alerts.rs");
    for alert in alerts() {
        assert!(conditions.contains(&format!("\"{alert}\"")), "tests/operator/alerts.rs never makes {alert} fire");
    }
}

/// Every expression of the dashboard.
fn expressions() -> Vec<String> {
    let dashboard: serde_json::Value = serde_json::from_str(&read("deploy/grafana/stakeboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().cloned().unwrap_or_default());
    targets.map(|target| target["expr"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_dashboard_asks_the_source_that_is_provided_and_no_two_panels_are_one() {
    let dashboard: serde_json::Value = serde_json::from_str(&read("deploy/grafana/stakeboard.json")).unwrap();
    let provided = read("deploy/grafana/provisioning/datasources/prometheus.yml");
    let (mut ids, mut places) = (BTreeSet::new(), BTreeSet::new());
    for panel in dashboard["panels"].as_array().unwrap() {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel}");
        assert!(places.insert((panel["gridPos"]["y"].as_u64(), panel["gridPos"]["x"].as_u64())), "{panel}");
        if panel["type"] != "row" {
            let source = panel["datasource"]["uid"].as_str().unwrap();
            assert!(provided.contains(&format!("uid: {source}\n")), "{source}");
        }
    }
    assert!(expressions().len() > 30);
}

#[test]
#[ignore = "needs prometheus"]
fn prometheus_understands_every_expression_of_the_dashboard() {
    let folder = tempfile::TempDir::new().unwrap();
    // As rules, since those are what `promtool` reads.
    let rules: Vec<serde_json::Value> = expressions()
        .iter()
        .enumerate()
        .map(|(number, expression)| {
            json!({"record": format!("panel:{number}"), "expr": expression.replace("$__rate_interval", "1m")})
        })
        .collect();
    let file = folder.path().join("rules.yml");
    // JSON is YAML too.
    std::fs::write(&file, json!({"groups": [{"name": "dashboard", "rules": rules}]}).to_string()).unwrap();
    let checked = std::process::Command::new("promtool").args(["check", "rules"]).arg(&file).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
