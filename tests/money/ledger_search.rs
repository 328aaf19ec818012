//! The ledger as the staff searches it: against brute force, in pages under writes, as CSV, at a time (O-1).

use std::collections::HashSet;

use rand::{SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use sqlx::PgPool;
use stakeboard_server::{
    ledger::search::{ACCOUNT_KINDS, TRANSFER_KINDS},
    role::Role,
};
use stakeboard_tests::{Client, Player, TestServer, play::pick, server::start_match};
use uuid::Uuid;

use crate::support::{end_in_draw, text};

const TRANSFERS: &str = "/v1/admin/ledger/transfers";
const ACCOUNTS: &str = "/v1/admin/ledger/accounts";

async fn auditor(server: &TestServer) -> (Player, Client) {
    let player = server.registrar.with_roles(0, vec![Role::Auditor]).await;
    let client = server.client().of(&player);
    (player, client)
}

/// Three players who deposit, win, lose and draw.
async fn busy_ledger(server: &TestServer) -> Vec<Player> {
    let mut players = Vec::new();
    for money in [3_000, 2_000, 1_000] {
        players.push(server.player(money).await);
    }
    for round in 0..6 {
        let ((one, first), (two, second)) = (&players[round % 3], &players[(round + 1) % 3]);
        let stake = 50 * (i64::try_from(round).unwrap() + 1);
        let id = start_match(first, one, two, &json!({"game": "oware", "stake": stake})).await;
        if round % 3 == 2 {
            end_in_draw(&id, first, second).await;
        } else {
            first.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
        }
        server.registrar.deposit(one.id, 10 * stake).await;
    }
    players.into_iter().map(|(player, _)| player).collect()
}

/// Every page of a query, with how many pages it took.
async fn all_pages(client: &Client, query: &str, limit: usize) -> (Vec<Value>, usize) {
    let (mut items, mut pages, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let page = client.get(&format!("{TRANSFERS}?limit={limit}{query}{cursor}")).await.expect(200).body;
        let found = page["items"].as_array().unwrap();
        assert!(found.len() <= limit);
        items.extend(found.iter().cloned());
        pages += 1;
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return (items, pages),
        }
    }
}

/// A transfer as the tables have it, for brute force.
#[derive(Clone, sqlx::FromRow)]
struct Line {
    id: Uuid,
    kind: String,
    amount: i64,
    debit: Uuid,
    credit: Uuid,
    match_id: Option<Uuid>,
    /// In milliseconds since 1970, as times are shown.
    at: i64,
    debit_player: Option<Uuid>,
    credit_player: Option<Uuid>,
}

async fn lines(pool: &PgPool) -> Vec<Line> {
    sqlx::query_as(
        "select t.id, t.kind, t.amount, t.debit, t.credit, t.match_id,
                floor(extract(epoch from t.created_at) * 1000)::bigint as at,
                d.player_id as debit_player, c.player_id as credit_player
         from transfers t join accounts d on d.id = t.debit join accounts c on c.id = t.credit
         order by t.created_at desc, t.id desc",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

fn time_text(at: i64) -> String {
    let time = time::OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1_000_000).unwrap();
    time.format(&time::format_description::well_known::Rfc3339).unwrap()
}

/// A query by chance, with what fits it.
fn chance(dice: &mut SmallRng, lines: &[Line]) -> (String, Vec<Uuid>) {
    let mut query = String::new();
    let mut fits: Vec<&Line> = lines.iter().collect();
    let mut since = None;
    for filter in ["account", "player", "match", "kind", "from", "to", "min_amount"] {
        if pick(dice, 3) > 0 {
            continue;
        }
        let model = &lines[pick(dice, lines.len())];
        let value = match filter {
            "account" => {
                let wanted = if pick(dice, 2) == 0 { model.debit } else { model.credit };
                fits.retain(|line| line.debit == wanted || line.credit == wanted);
                wanted.to_string()
            }
            "player" => {
                let wanted = model.credit_player.or(model.debit_player);
                fits.retain(|line| line.debit_player == wanted || line.credit_player == wanted);
                // A payment to the house by a match has no player on either side.
                let Some(wanted) = wanted else { continue };
                wanted.to_string()
            }
            "match" => {
                let wanted = model.match_id.unwrap_or_default();
                fits.retain(|line| line.match_id == Some(wanted));
                wanted.to_string()
            }
            "kind" => {
                fits.retain(|line| line.kind == model.kind);
                model.kind.clone()
            }
            "from" => {
                fits.retain(|line| line.at >= model.at);
                since = Some(model.at);
                time_text(model.at)
            }
            "to" => {
                // One that ends before it begins is refused.
                let until = since.map_or(model.at, |since| since.max(model.at));
                fits.retain(|line| line.at <= until);
                time_text(until)
            }
            _ => {
                fits.retain(|line| line.amount >= model.amount);
                model.amount.to_string()
            }
        };
        query.extend(["&", filter, "=", &value]);
    }
    (query, fits.iter().map(|line| line.id).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn o1_any_combination_of_filters_finds_what_brute_force_finds_page_by_page() {
    let server = TestServer::start().await;
    let (_, client) = auditor(&server).await;
    busy_ledger(&server).await;
    let lines = lines(&server.registrar.pool).await;
    assert_eq!(lines.len(), 3 + 6 * 4 + 6);
    let mut dice = SmallRng::seed_from_u64(20_261_130);
    for round in 0..250 {
        let (query, expected) = chance(&mut dice, &lines);
        if query.contains("player") || !query.is_empty() || round == 0 {
            let (items, pages) = all_pages(&client, &query, 1 + pick(&mut dice, 9)).await;
            let found: Vec<Uuid> = items.iter().map(|item| text(&item["id"]).parse().unwrap()).collect();
            assert_eq!(found, expected, "{query} in {pages} pages");
        }
    }
    let (items, _) = all_pages(&client, "&kind=fee", 200).await;
    let fee = &items[0];
    assert_eq!((&fee["debit"]["kind"], &fee["credit"]["kind"]), (&json!("escrow"), &json!("house_fee")));
    assert_eq!(fee["reference"], format!("match:{}:settle", text(&fee["match_id"])));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o1_pages_neither_skip_nor_repeat_while_transfers_are_made() {
    let server = TestServer::start().await;
    let (_, client) = auditor(&server).await;
    let player = server.registrar.player(1).await;
    for _ in 0..60 {
        server.registrar.deposit(player.id, 1).await;
    }
    let before: HashSet<String> = lines(&server.registrar.pool).await.iter().map(|line| line.id.to_string()).collect();
    let (registrar, id) = (server.registrar.clone(), player.id);
    let writer = tokio::spawn(async move {
        for _ in 0..200 {
            registrar.deposit(id, 1).await;
        }
    });
    for query in ["", &format!("&player={}", player.id), "&kind=deposit", "&min_amount=1"] {
        let (items, pages) = all_pages(&client, query, 7).await;
        assert!(pages > 8);
        let ids: Vec<String> = items.iter().map(|item| text(&item["id"])).collect();
        let distinct: HashSet<String> = ids.iter().cloned().collect();
        assert_eq!(ids.len(), distinct.len(), "none twice: {query}");
        assert!(distinct.is_superset(&before), "none left out: {query}");
    }
    writer.await.unwrap();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o1_what_is_unknown_or_of_another_query_is_refused() {
    let server = TestServer::start().await;
    let (_, client) = auditor(&server).await;
    let players = busy_ledger(&server).await;
    let get = async |path: &str| client.get(path).await.expect(200).body;
    let cursor = text(&get(&format!("{TRANSFERS}?limit=2&kind=stake")).await["next_cursor"]);
    get(&format!("{TRANSFERS}?limit=5&kind=stake&cursor={cursor}")).await;
    let accounts = text(&get(&format!("{ACCOUNTS}?limit=2")).await["next_cursor"]);
    get(&format!("{ACCOUNTS}?limit=3&cursor={accounts}")).await;
    let id = players[0].id;
    for (query, field) in [
        (format!("cursor={cursor}"), "cursor"),
        (format!("kind=payout&cursor={cursor}"), "cursor"),
        (format!("kind=stake&player={id}&cursor={cursor}"), "cursor"),
        (format!("cursor={accounts}"), "cursor"),
        (format!("cursor={}", players[0].id), "cursor"),
        ("cursor=".into(), "cursor"),
        ("kinds=stake".into(), "kinds"),
        ("kind=steak".into(), "kind"),
        ("kind=".into(), "kind"),
        ("kind=stake&kind=fee".into(), "kind"),
        ("account=5".into(), "account"),
        ("player=me".into(), "player"),
        ("match=".into(), "match"),
        ("from=yesterday".into(), "from"),
        ("to=2026-13-01T00:00:00Z".into(), "to"),
        ("min_amount=0".into(), "min_amount"),
        ("min_amount=-5".into(), "min_amount"),
        ("min_amount=5.0".into(), "min_amount"),
        ("min_amount=5e1".into(), "min_amount"),
        ("min_amount=9223372036854775808".into(), "min_amount"),
        ("limit=0".into(), "limit"),
        ("limit=201".into(), "limit"),
        ("format=xml".into(), "format"),
        ("format=csv&limit=5".into(), "limit"),
        (format!("format=csv&kind=stake&cursor={cursor}"), "cursor"),
    ] {
        let fields = client.get(&format!("{TRANSFERS}?{query}")).await.refused(422, "invalid_request").fields();
        assert_eq!(fields[0].0, field, "{query}");
    }
    for (query, field) in [
        (format!("kind=player&cursor={accounts}"), "cursor"),
        (format!("cursor={cursor}"), "cursor"),
        ("kind=purse".into(), "kind"),
        ("at=2026-01-01T00:00:00Z".into(), "at"),
    ] {
        let fields = client.get(&format!("{ACCOUNTS}?{query}")).await.refused(422, "invalid_request").fields();
        assert_eq!(fields[0].0, field, "{query}");
    }
    client.get(&format!("{ACCOUNTS}/{id}")).await.refused(404, "not_found");
    client.get(&format!("{ACCOUNTS}/house")).await.refused(404, "not_found");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o1_csv_has_every_line_of_the_query_and_the_looks_are_in_the_audit_log() {
    let server = TestServer::start().await;
    let (who, client) = auditor(&server).await;
    let players = busy_ledger(&server).await;
    let id = players[1].id;
    let (items, _) = all_pages(&client, &format!("&player={id}"), 200).await;
    let csv = client.get(&format!("{TRANSFERS}?format=csv&player={id}")).await.expect(200);
    assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8; header=present");
    let mut rows = csv.text.split("\r\n");
    assert_eq!(
        rows.next().unwrap(),
        "id,created_at,kind,amount,debit,debit_kind,debit_player,credit,credit_kind,credit_player,match_id,reference,\
         position,reverses"
    );
    for item in &items {
        let cell = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let side = |side: &Value| [cell(&side["account"]), cell(&side["kind"]), cell(&side["player_id"])];
        let mut expected = vec![cell(&item["id"]), cell(&item["created_at"]), cell(&item["kind"])];
        expected.push(item["amount"].to_string());
        expected.extend(side(&item["debit"]));
        expected.extend(side(&item["credit"]));
        expected.extend([
            cell(&item["match_id"]),
            cell(&item["reference"]),
            item["position"].to_string(),
            String::new(),
        ]);
        assert_eq!(rows.next().unwrap(), expected.join(","));
    }
    assert_eq!((rows.next(), rows.next()), (Some(""), None), "each line is ended, and there are no more");
    let none = client.get(&format!("{TRANSFERS}?format=csv&player={}", Uuid::now_v7())).await.expect(200);
    assert_eq!(none.text.lines().count(), 1, "only the heading");

    let account = client.get(&format!("{ACCOUNTS}?player={id}&kind=player")).await.expect(200).body;
    let account = text(&account["items"][0]["id"]);
    client.get(&format!("{ACCOUNTS}/{account}")).await.expect(200);
    client.get(&format!("{TRANSFERS}?account={account}&limit=1")).await.expect(200);
    let log = client.get(&format!("/v1/admin/audit?player={id}")).await.expect(200).body;
    let acts: Vec<_> = log["items"].as_array().unwrap().iter().filter(|act| act["action"] != "audit.read").collect();
    let expected = ["ledger.transfers", "ledger.account", "ledger.accounts", "ledger.export", "ledger.transfers"];
    assert_eq!(acts.iter().map(|act| text(&act["action"])).collect::<Vec<_>>(), expected);
    assert!(acts.iter().all(|act| text(&act["actor"]) == who.id.to_string()));
    assert_eq!(acts[3]["detail"]["player"], id.to_string());
    server.stop().await;
}

/// More than one chunk of the stream.
#[tokio::test(flavor = "multi_thread")]
async fn o1_csv_goes_on_over_chunks_without_a_gap() {
    let server = TestServer::start().await;
    let (_, client) = auditor(&server).await;
    let player = server.registrar.player(1).await;
    let (pool, id) = (server.registrar.pool.clone(), player.id);
    // Groups of 500 share their time: a chunk ends within one.
    for group in 0..10 {
        let ids: Vec<Uuid> = (0..500).map(|_| Uuid::now_v7()).collect();
        sqlx::query(
            "select post_transfers('deposit:' || $1, null, $2, array_fill('deposit'::text, array[500]),
                 array_fill((select id from accounts where kind = 'external'), array[500]),
                 array_fill((select id from accounts where kind = 'player' and player_id = $3), array[500]),
                 array_fill(1::bigint, array[500]))",
        )
        .bind(group.to_string())
        .bind(ids)
        .bind(id.0)
        .execute(&pool)
        .await
        .unwrap();
    }
    for query in ["", &format!("&player={id}")] {
        let csv = client.get(&format!("{TRANSFERS}?format=csv{query}")).await.expect(200).text;
        let found: Vec<&str> = csv.lines().skip(1).map(|line| &line[..36]).collect();
        let expected: Vec<String> = lines(&pool).await.iter().map(|line| line.id.to_string()).collect();
        assert_eq!(found.len(), 5_001);
        assert_eq!(found, expected);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l3_a_balance_at_a_time_is_that_of_the_last_entry_up_to_then() {
    let server = TestServer::start().await;
    let (_, client) = auditor(&server).await;
    busy_ledger(&server).await;
    let pool = &server.registrar.pool;
    let entries: Vec<(Uuid, i64, i64, i64)> = sqlx::query_as(
        "select account_id, version, balance_after, floor(extract(epoch from created_at) * 1000)::bigint
         from entries order by account_id, version",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let at = async |account: Uuid, at: i64| {
        let body = client.get(&format!("{ACCOUNTS}/{account}?at={}", time_text(at))).await.expect(200).body;
        (body["version"].as_i64().unwrap(), body["balance"].as_i64().unwrap())
    };
    for (account, _, _, time) in &entries {
        for time in [time - 1, *time, time + 1] {
            let up_to = entries.iter().rfind(|(other, _, _, entry)| other == account && *entry <= time);
            let expected = up_to.map_or((0, 0), |(_, version, balance, _)| (*version, *balance));
            assert_eq!(at(*account, time).await, expected, "{account} at {time}");
        }
    }
    let (account, version, balance, _) = entries.last().unwrap();
    let now = client.get(&format!("{ACCOUNTS}/{account}")).await.expect(200).body;
    assert_eq!((&now["at"], &now["version"], &now["balance"]), (&json!(null), &json!(version), &json!(balance)));
    server.stop().await;
}

/// Identifier, kind, player, match, balance.
type AccountRow = (Uuid, String, Option<Uuid>, Option<Uuid>, i64);

#[tokio::test(flavor = "multi_thread")]
async fn o1_accounts_are_found_by_kind_player_and_match() {
    let server = TestServer::start().await;
    let (_, client) = auditor(&server).await;
    let players = busy_ledger(&server).await;
    let pool = &server.registrar.pool;
    let all: Vec<AccountRow> = sqlx::query_as(
        "select a.id, a.kind, a.player_id, a.match_id, b.balance
         from accounts a join balances b on b.account_id = a.id order by a.id desc",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let a_match = all.iter().find_map(|(_, _, _, match_id, _)| *match_id).unwrap();
    let player = players[0].id.0;
    for kind in [None, Some("player"), Some("escrow"), Some("house_fee"), Some("suspense")] {
        for (player, a_match) in
            [(None, None), (Some(player), None), (None, Some(a_match)), (Some(player), Some(a_match))]
        {
            let mut query = format!("{ACCOUNTS}?limit=3");
            let filters = [("kind", kind.map(str::to_owned)), ("player", player.map(|it| it.to_string()))];
            for (name, value) in filters.into_iter().chain([("match", a_match.map(|it| it.to_string()))]) {
                query.push_str(&value.map(|value| format!("&{name}={value}")).unwrap_or_default());
            }
            let mut found = Vec::new();
            let mut cursor = String::new();
            loop {
                let page = client.get(&format!("{query}{cursor}")).await.expect(200).body;
                for item in page["items"].as_array().unwrap() {
                    found.push((text(&item["id"]).parse::<Uuid>().unwrap(), item["balance"].as_i64().unwrap()));
                }
                let Some(next) = page["next_cursor"].as_str() else { break };
                cursor = format!("&cursor={next}");
            }
            let fits = all.iter().filter(|(_, its_kind, its_player, its_match, _)| {
                kind.is_none_or(|kind| kind == its_kind)
                    && player.is_none_or(|player| Some(player) == *its_player)
                    && a_match.is_none_or(|a_match| Some(a_match) == *its_match)
            });
            assert_eq!(found, fits.map(|(id, .., balance)| (*id, *balance)).collect::<Vec<_>>(), "{query}");
        }
    }
    server.stop().await;
}

/// The lists of kinds that a query can name are those that the tables can hold.
#[tokio::test(flavor = "multi_thread")]
async fn o1_every_kind_of_the_tables_can_be_asked_for() {
    let server = TestServer::start().await;
    for (constraint, kinds) in [("transfers_kind_known", &TRANSFER_KINDS[..]), ("accounts_kind_known", &ACCOUNT_KINDS)]
    {
        let definition: String =
            sqlx::query_scalar("select pg_get_constraintdef(oid) from pg_constraint where conname = $1")
                .bind(constraint)
                .fetch_one(&server.registrar.pool)
                .await
                .unwrap();
        let held: HashSet<&str> = definition.split('\'').skip(1).step_by(2).collect();
        assert_eq!(held, kinds.iter().copied().collect(), "{constraint}");
    }
    server.stop().await;
}
