//! Alerts fire: the condition of each is made, and a real Prometheus that reads `deploy/prometheus/rules.yml` as it is
//! takes notice. How long it then waits before it wakes somebody is `promtool`'s part (`rules.test.yml`).

use std::{
    collections::BTreeSet,
    fs,
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgConnection};
use stakeboard_server::role::Role;
use stakeboard_tests::{Client, Nats, Player, ServerProcess, Socket, TestCluster, server::start_match, webhook};
use tempfile::TempDir;

use crate::{SERVER, eventually, root};

/// A Prometheus that looks at one server every second.
struct Prometheus {
    process: Child,
    client: Client,
    _folder: TempDir,
}

impl Prometheus {
    async fn watching(server: &ServerProcess) -> Self {
        let folder = TempDir::new().unwrap();
        let config = folder.path().join("prometheus.yml");
        let text = format!(
            "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: [{}]\n\
             scrape_configs: [{{job_name: stakeboard, static_configs: [{{targets: [\"{}\"]}}]}}]\n",
            root().join("deploy/prometheus/rules.yml").display(),
            server.address
        );
        fs::write(&config, text).unwrap();
        // Free a moment ago; Prometheus does not tell which one it took.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let process = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()))
            .arg(format!("--web.listen-address={address}"))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let prometheus = Self { process, client: Client::new(address), _folder: folder };
        // Two looks at a counter, at least: growth is a difference.
        prometheus.until("count_over_time(stakeboard_ready[1m]) > 1").await;
        prometheus
    }

    async fn ask(&self, path: &str) -> Option<Value> {
        let request = self.client.request(reqwest::Method::GET, path);
        let answer = self.client.try_send(request).await.ok()?;
        (answer.status == 200).then(|| answer.body["data"].clone())
    }

    /// Waits until an expression is true.
    async fn until(&self, expression: &str) {
        let path = format!("/api/v1/query?query={}", expression.replace('+', "%2B").replace(' ', "+"));
        eventually(expression, || async {
            let data = self.ask(&path).await?;
            data["result"].as_array().is_some_and(|result| !result.is_empty()).then_some(())
        })
        .await;
    }

    /// The alerts that fire, or will unless their condition goes away again.
    async fn active(&self) -> BTreeSet<String> {
        let data = self.ask("/api/v1/alerts").await.unwrap();
        let alerts = data["alerts"].as_array().unwrap();
        alerts.iter().map(|alert| alert["labels"]["alertname"].as_str().unwrap().to_owned()).collect()
    }

    /// Demands that an alert is quiet, so that what comes next is what makes it fire.
    async fn quiet(&self, alert: &str) {
        let active = self.active().await;
        assert!(!active.contains(alert), "{alert} fires too early: {active:?}");
    }

    async fn fires(&self, alert: &str) {
        eventually(alert, || async { self.active().await.contains(alert).then_some(()) }).await;
    }

    async fn stops(&self, alert: &str) {
        eventually(alert, || async { (!self.active().await.contains(alert)).then_some(()) }).await;
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

async fn new_match(server: &ServerProcess) -> (String, [Player; 2]) {
    let [one, two] = [server.registrar.player(1_000).await, server.registrar.player(1_000).await];
    let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 100})).await;
    let snapshot = server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body;
    let opens = snapshot["players"]["first"]["id"] == one.id.to_string();
    (id, if opens { [one, two] } else { [two, one] })
}

/// Plays the next move; gives whether it was taken.
async fn play(server: &ServerProcess, id: &str, players: &[Player; 2]) -> bool {
    let now = server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body;
    let mover = &players[usize::from(now["to_move"] == "second")];
    let body = json!({"ply": now["ply"].as_u64().unwrap() + 1, "move": now["legal"][0]});
    server.client().of(mover).post(&format!("/v1/matches/{id}/moves"), &body).await.status == 200
}

async fn run(owner: &mut PgConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(owner).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs prometheus"]
async fn a_server_that_dies_and_comes_back() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let prometheus = Prometheus::watching(&server).await;
    let (id, players) = new_match(&server).await;
    assert!(play(&server, &id, &players).await);
    prometheus.quiet("StakeboardDown").await;
    server.kill();
    prometheus.fires("StakeboardDown").await;
    server.restart().await;
    prometheus.stops("StakeboardDown").await;
    // The counter began anew with the process, and at zero only for as long as it takes to recover a match: what
    // Prometheus sees of it is its value.
    prometheus.until("stakeboard_clock_credits_total{reason=\"restart\"} == 1").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs prometheus"]
async fn a_database_that_stands_still() {
    let cluster = TestCluster::start().await;
    let server = ServerProcess::on(cluster.database(), SERVER, &[]).await;
    let prometheus = Prometheus::watching(&server).await;
    let (id, players) = new_match(&server).await;
    let alerts =
        ["StakeboardNotReady", "StakeboardHeartbeatLate", "StakeboardJournalUnsure", "StakeboardClocksCredited"];
    for alert in alerts {
        prometheus.quiet(alert).await;
    }
    // Over a socket, which knows who asks: the journal is the first to need the database.
    let mut socket = Socket::open(server.address, &players[0].token).await;
    socket.watch(&id).await;
    cluster.freeze();
    // At once, before the heartbeat has noticed: its commit gets no answer.
    let refused = socket.play(&id, 1, "C").await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("error"), &json!("paused")), "{refused}");
    for alert in &alerts[..3] {
        prometheus.fires(alert).await;
    }
    cluster.thaw();
    prometheus.fires("StakeboardClocksCredited").await;
    prometheus.stops("StakeboardNotReady").await;
    prometheus.stops("StakeboardHeartbeatLate").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs prometheus"]
async fn an_archive_that_takes_nothing() {
    let folder = TempDir::new().unwrap();
    let full = folder.path().join("full");
    stakeboard_tests::postgres::open_to_all(folder.path()).unwrap();
    fs::write(&full, "").unwrap();
    let command = format!("test ! -e {}", full.display());
    let settings = [("archive_mode", "on"), ("archive_command", command.as_str())];
    let cluster = TestCluster::start_in(TempDir::new().unwrap(), &settings).await;
    let server = ServerProcess::on(cluster.database(), SERVER, &[]).await;
    let prometheus = Prometheus::watching(&server).await;
    prometheus.quiet("StakeboardArchiveFails").await;
    let mut owner = cluster.database().as_owner().await;
    run(&mut owner, "select pg_switch_wal()").await;
    prometheus.fires("StakeboardArchiveFails").await;
    fs::remove_file(full).unwrap();
    prometheus.stops("StakeboardArchiveFails").await;
}

/// Every insert into a table fails with this state, until it is mended.
fn broken(table: &str, state: &str) -> String {
    format!(
        "create function broken() returns trigger language plpgsql as
             $$ begin raise exception 'broken by a test' using errcode = '{state}'; end $$;
         create trigger broken before insert on {table} for each row execute function broken()"
    )
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs prometheus"]
async fn a_database_that_gets_in_the_way() {
    let server = ServerProcess::start(SERVER, &[("STAKEBOARD_DATABASE_CONNECTIONS", "2")]).await;
    let prometheus = Prometheus::watching(&server).await;
    let mut owner = server.database.as_owner().await;
    let (id, players) = new_match(&server).await;
    assert!(play(&server, &id, &players).await);

    prometheus.quiet("StakeboardCommitsSlow").await;
    prometheus.until("count_over_time(stakeboard_commit_seconds_count[1m]) > 1").await;
    run(&mut owner, "begin; lock table match_events in exclusive mode").await;
    let unlock = async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        run(&mut owner, "commit").await;
    };
    let (taken, ()) = tokio::join!(play(&server, &id, &players), unlock);
    assert!(taken);
    prometheus.fires("StakeboardCommitsSlow").await;

    prometheus.quiet("StakeboardSettlementsFail").await;
    run(&mut owner, &broken("settlements", "check_violation")).await;
    let resigned = server.client().of(&players[0]).post_empty(&format!("/v1/matches/{id}/resign")).await;
    assert_eq!(resigned.status, 503, "{}", resigned.text);
    prometheus.fires("StakeboardSettlementsFail").await;
    run(&mut owner, "drop function broken cascade").await;

    prometheus.quiet("StakeboardFaults").await;
    run(&mut owner, "alter table streaks rename to gone").await;
    server.client().get("/v1/streaks/best").await.refused(500, "internal");
    prometheus.fires("StakeboardFaults").await;
    run(&mut owner, "alter table gone rename to streaks").await;

    prometheus.quiet("StakeboardOverloaded").await;
    run(&mut owner, &broken("seeks", "serialization_failure")).await;
    let poster = server.registrar.player(1_000).await;
    let terms = json!({"game": "oware", "stake": 100});
    server.client().of(&poster).post("/v1/lobby/seeks", &terms).await.refused(503, "overloaded");
    prometheus.fires("StakeboardOverloaded").await;
    run(&mut owner, "drop function broken cascade").await;

    prometheus.quiet("StakeboardConnectionsUsedUp").await;
    run(&mut owner, "begin; lock table players in access exclusive mode").await;
    let (client, path) = (server.client().of(&poster), format!("/v1/players/{}", poster.id));
    let asking: Vec<_> = (0..4)
        .map(|_| {
            let (client, path) = (client.clone(), path.clone());
            tokio::spawn(
                async move { while client.try_send(client.request(reqwest::Method::GET, &path)).await.is_ok() {} },
            )
        })
        .collect();
    prometheus.fires("StakeboardConnectionsUsedUp").await;
    run(&mut owner, "rollback").await;
    prometheus.stops("StakeboardConnectionsUsedUp").await;
    asking.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs prometheus"]
async fn players_who_ask_too_much() {
    let server = ServerProcess::start(SERVER, &[]).await;
    let prometheus = Prometheus::watching(&server).await;
    prometheus.quiet("StakeboardGuessing").await;
    let guess = json!({"email": "ana@test.example", "password": "vento norte 82 pedras"});
    for _ in 0..260 {
        let answer = server.client().post("/v1/auth/login", &guess).await;
        assert!([401, 429].contains(&answer.status), "{}", answer.text);
    }
    prometheus.fires("StakeboardGuessing").await;

    prometheus.quiet("StakeboardFilesRunOut").await;
    let open = fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count();
    let limit = Command::new("prlimit")
        .arg(format!("--pid={}", server.pid()))
        .arg(format!("--nofile={}", open + 2))
        .status()
        .unwrap();
    assert!(limit.success());
    prometheus.fires("StakeboardFilesRunOut").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs prometheus"]
async fn books_that_do_not_stand_as_they_should() {
    let server = ServerProcess::start(SERVER, &[("STAKEBOARD_SEAL_SECONDS", "86400")]).await;
    let prometheus = Prometheus::watching(&server).await;
    let mut owner = server.database.as_owner().await;
    run(&mut owner, "set session_replication_role = replica").await;
    let admin = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let admin = server.client().of(&admin);
    let player = server.registrar.player(10_000).await;
    let trial = "/v1/admin/ledger/trial-balance";
    admin.get(trial).await.expect(200);

    prometheus.quiet("StakeboardTrialMissing").await;
    run(&mut owner, "update trial_balances set taken_at = taken_at - interval '27 hours'").await;
    prometheus.fires("StakeboardTrialMissing").await;

    prometheus.quiet("StakeboardSealsLate").await;
    run(&mut owner, "update entries set created_at = created_at - interval '1 hour'").await;
    prometheus.fires("StakeboardSealsLate").await;
    run(&mut owner, "update entries set created_at = created_at + interval '1 hour'").await;

    for alert in ["StakeboardLedgerBroken", "StakeboardStakesClosed"] {
        prometheus.quiet(alert).await;
    }
    run(&mut owner, "update entries set change = change + 5 where change = 10000").await;
    assert_eq!(admin.get(trial).await.expect(200).body["passed"], false);
    prometheus.fires("StakeboardLedgerBroken").await;
    prometheus.fires("StakeboardStakesClosed").await;
    run(&mut owner, "update entries set change = change - 5 where change = 10005").await;
    assert_eq!(admin.get(trial).await.expect(200).body["passed"], true);
    prometheus.stops("StakeboardLedgerBroken").await;
    assert!(prometheus.active().await.contains("StakeboardStakesClosed"), "until it has been seen");
    admin.post(&format!("{trial}/acknowledge"), &json!({"reason": "a row was changed by a test"})).await.expect(200);
    prometheus.stops("StakeboardStakesClosed").await;

    prometheus.quiet("StakeboardWithdrawalsWait").await;
    server.client().of(&player).post_once("/v1/wallet/withdrawals", &json!({"amount": 1_000})).await.expect(201);
    run(&mut owner, "update withdrawals set requested_at = requested_at - interval '25 hours'").await;
    prometheus.fires("StakeboardWithdrawalsWait").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs prometheus"]
async fn a_payment_provider_that_tells_of_what_fits_nothing() {
    let environment = [("STAKEBOARD_PAYMENTS", "webhook"), ("STAKEBOARD_WEBHOOK_SECRETS", webhook::SECRET)];
    let server = ServerProcess::start(SERVER, &environment).await;
    let prometheus = Prometheus::watching(&server).await;
    let client = server.client();
    prometheus.quiet("StakeboardPaymentsUnreadable").await;
    let told = webhook::outcome(&client, "e1", "payment.succeeded", &json!({"payment": "p1"})).await;
    assert_eq!(told, "unreadable");
    prometheus.fires("StakeboardPaymentsUnreadable").await;

    prometheus.quiet("StakeboardSuspense").await;
    for (event, kind) in [("e2", "payment.succeeded"), ("e3", "payout.succeeded")] {
        let nobodys = webhook::movement(event, "nothing-we-know", 700);
        assert_eq!(webhook::outcome(&client, event, kind, &nobodys).await, "suspense");
    }
    // As much came in as went out: what the account holds says nothing.
    prometheus.fires("StakeboardSuspense").await;
    prometheus.until("stakeboard_suspense_payments == 2 and stakeboard_suspense_minor_units == 0").await;
    let admin = client.of(&server.registrar.with_roles(0, vec![Role::Admin]).await);
    let open = admin.get("/v1/admin/payments/suspense").await.expect(200).body;
    for payment in open["items"].as_array().unwrap() {
        let path = format!("/v1/admin/ledger/transfers/{}/reverse", payment["transfer"].as_str().unwrap());
        admin.post_once(&path, &json!({"reason": "sent back by a test"})).await.expect(201);
    }
    prometheus.stops("StakeboardSuspense").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs prometheus and nats-server"]
async fn a_bus_that_goes_and_servers_that_fall_silent() {
    let mut nats = Nats::start().await;
    let (url, lease) = (nats.url(), ("STAKEBOARD_LEASE_MS", "1000"));
    let server = ServerProcess::start(SERVER, &[("STAKEBOARD_BUS", &url), lease]).await;
    let other = server.another_with(&[("STAKEBOARD_CLOCK_MS", "5000")]).await;
    let prometheus = Prometheus::watching(&server).await;
    prometheus.until("stakeboard_nodes == 2").await;
    prometheus.fires("StakeboardSettingsDiffer").await;
    prometheus.until("stakeboard_settings_differ{setting=\"STAKEBOARD_CLOCK_MS\"} == 1").await;

    // The other one owns a match and stands still: whoever asks it has no answer.
    prometheus.quiet("StakeboardForwardsUnanswered").await;
    let (id, players) = new_match(&other).await;
    other.signal(Signal::SIGSTOP);
    let acting = server.client().of(&players[0]);
    acting.post_empty(&format!("/v1/matches/{id}/resign")).await.refused(503, "paused");
    prometheus.fires("StakeboardForwardsUnanswered").await;
    prometheus.until("stakeboard_leases_ended_total == 1").await;
    prometheus.until("stakeboard_matches_taken_over_total{after=\"silence\"} == 1").await;
    // Who is gone differs in nothing.
    prometheus.stops("StakeboardSettingsDiffer").await;
    other.signal(Signal::SIGCONT);
    prometheus.until("stakeboard_nodes == 2").await;

    prometheus.quiet("StakeboardLeaseLost").await;
    server.signal(Signal::SIGSTOP);
    eventually("the other one ends the lease", || async {
        let told = other.client().get("/metrics").await.expect(200).text;
        told.lines().any(|line| line == "stakeboard_leases_ended_total 1").then_some(())
    })
    .await;
    server.signal(Signal::SIGCONT);
    prometheus.fires("StakeboardLeaseLost").await;
    prometheus.until("stakeboard_node_leased == 1").await;

    for alert in ["StakeboardBusGone", "StakeboardBusUnsteady"] {
        prometheus.quiet(alert).await;
    }
    for lost in 1..=3 {
        nats.kill();
        prometheus.fires("StakeboardBusGone").await;
        prometheus.until(&format!("stakeboard_bus_disconnections_total == {lost} and stakeboard_ready == 0")).await;
        nats.restart().await;
        prometheus.stops("StakeboardBusGone").await;
    }
    prometheus.fires("StakeboardBusUnsteady").await;
    prometheus.until("stakeboard_ready == 1").await;
}
