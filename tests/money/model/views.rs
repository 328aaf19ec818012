//! Compares what everybody can see with the model.

use std::collections::BTreeMap;

use serde_json::Value;
use stakeboard_tests::Client;

use super::{
    books::{Books, Day},
    drive::Run,
};
use crate::support::text;

async fn items(client: &Client, path: &str) -> Vec<Value> {
    let page = client.get(&format!("{path}limit=200")).await.expect(200).body;
    assert!(page["next_cursor"].is_null(), "a run is short enough for one page: {path}");
    page["items"].as_array().unwrap().clone()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("a number: {value}"))
}

/// Every balance and every list of the staff.
pub async fn compare(run: &mut Run) {
    let admin = run.admin();
    wallets(run).await;
    accounts(&admin, &run.books).await;
    transfers(&admin, &run.books).await;
    withdrawals(&admin, &run.books).await;
    matches(&admin, run).await;
    suspense(&admin, &mut run.books).await;
    adjustments(&admin, run).await;
    daily(&admin, run).await;
    seeks(run).await;
}

async fn wallets(run: &Run) {
    for (player, purse) in run.books.purses.iter().enumerate() {
        let wallet = run.client(player).get("/v1/wallet").await.expect(200).body;
        let seen = ["available", "in_play", "pending_withdrawal"].map(|name| number(&wallet[name]));
        assert_eq!(seen, [purse.available, run.books.in_play(player), purse.held], "the wallet of player {player}");
    }
}

/// L-10: the trial balance passes, and has the totals of the model.
async fn accounts(admin: &Client, books: &Books) {
    let trial = admin.get("/v1/admin/ledger/trial-balance").await.expect(200).body;
    assert_eq!(trial["passed"], true, "{}", trial["checks"]);
    let totals = trial["accounts"].as_array().unwrap();
    let total = |kind: &str| number(&totals.iter().find(|total| total["kind"] == kind).unwrap()["balance"]);
    let escrow: i64 = books.matches.iter().filter(|one| one.end.is_none()).map(|one| one.stake * 2).sum();
    assert_eq!(total("player"), books.purses.iter().map(|purse| purse.available).sum::<i64>());
    assert_eq!(total("withdrawal_hold"), books.purses.iter().map(|purse| purse.held).sum::<i64>());
    if !books.matches.is_empty() {
        assert_eq!(total("escrow"), escrow);
    }
    assert_eq!(
        [total("house_fee"), total("external"), total("adjustment"), total("suspense")],
        [books.house, books.external, books.adjusting, books.suspense]
    );
}

async fn transfers(admin: &Client, books: &Books) {
    let seen = items(admin, "/v1/admin/ledger/transfers?").await;
    let mut seen: Vec<_> = seen.iter().map(|one| (text(&one["kind"]), number(&one["amount"]))).collect();
    let mut known: Vec<_> = books.transfers.iter().map(|(kind, amount)| ((*kind).to_owned(), *amount)).collect();
    seen.sort();
    known.sort();
    assert_eq!(seen, known, "the transfers");
}

async fn withdrawals(admin: &Client, books: &Books) {
    let seen = items(admin, "/v1/admin/withdrawals?").await;
    let seen: BTreeMap<_, _> =
        seen.iter().map(|one| (text(&one["id"]), (text(&one["status"]), number(&one["amount"])))).collect();
    let known = books.withdrawals.iter().map(|one| (one.id.clone(), (one.status.to_owned(), one.amount)));
    assert_eq!(seen, known.collect(), "the withdrawals");
}

async fn matches(admin: &Client, run: &Run) {
    let seen = items(admin, "/v1/admin/matches?").await;
    let seen: BTreeMap<_, _> = seen
        .iter()
        .map(|one| {
            let winner = one["outcome"]["winner"].as_str().map(|seat| text(&one["players"][seat]["id"]));
            (text(&one["id"]), (text(&one["status"]), number(&one["payout"]), number(&one["fee"]), winner))
        })
        .collect();
    let known = run.books.matches.iter().map(|one| {
        let (pot, status) = (one.stake * 2, if one.end.is_none() { "live" } else { "ended" });
        // Before the end what a winner would receive is shown; a draw or a void pays nothing out.
        let decided = one.end != Some(None);
        let (payout, fee) = if decided { (pot * 9 / 10, pot / 10) } else { (0, 0) };
        let winner = one.end.flatten().map(|winner| run.players[winner].id.to_string());
        (one.id.clone(), (status.to_owned(), payout, fee, winner))
    });
    assert_eq!(seen, known.collect(), "the matches");
}

async fn suspense(admin: &Client, books: &mut Books) {
    let seen = items(admin, "/v1/admin/payments/suspense?").await;
    assert_eq!(seen.len(), books.suspended.len(), "what was in suspense");
    for (line, known) in seen.iter().rev().zip(&mut books.suspended) {
        assert_eq!(
            [text(&line["direction"]), text(&line["payment"]), text(&line["why"])],
            [known.direction.to_owned(), known.payment.clone(), known.why.to_owned()]
        );
        known.transfer = text(&line["transfer"]);
        let adjustment = known.adjustment.map(|at| &books.adjustments[at]);
        assert_eq!(line["adjustment"].as_str(), adjustment.map(|one| one.id.as_str()), "{line}");
        assert_eq!(line["resolved"], adjustment.is_some_and(|one| one.status == "done"), "{line}");
        assert_eq!(number(&line["amount"]), known.amount);
    }
}

async fn adjustments(admin: &Client, run: &Run) {
    let seen = items(admin, "/v1/admin/adjustments?").await;
    let seen: BTreeMap<_, _> = seen
        .iter()
        .map(|one| {
            let player = one["player"].as_str().map(str::to_owned);
            (text(&one["id"]), (text(&one["kind"]), text(&one["status"]), number(&one["amount"]), player))
        })
        .collect();
    let known = run.books.adjustments.iter().map(|one| {
        let player = one.player.map(|player| run.players[player].id.to_string());
        (one.id.clone(), (one.kind.to_owned(), one.status.to_owned(), one.amount, player))
    });
    assert_eq!(seen, known.collect(), "the adjustments");
}

/// O-3: a line for each player with money or movement, and totals that tie to the trial balance.
async fn daily(admin: &Client, run: &Run) {
    let report = admin.get("/v1/admin/reports/daily?limit=200").await.expect(200).body;
    assert_eq!(number(&report["totals"]["difference"]), 0);
    if number(&report["totals"]["opening"]) != 0 {
        // A run over midnight: what was before is another day's.
        return;
    }
    let lines = report["items"].as_array().unwrap();
    let (mut closing, mut all) = (0, Day::default());
    for (player, purse) in run.players.iter().zip(&run.books.purses) {
        closing += purse.available + purse.held;
        let Day { deposits, staked, won, refunded, withdrawn, adjusted } = purse.day;
        all.deposits += deposits;
        all.staked += staked;
        all.won += won;
        all.refunded += refunded;
        all.withdrawn += withdrawn;
        all.adjusted += adjusted;
        let line = lines.iter().find(|line| line["player"] == player.id.to_string());
        let seen = line.map_or([0; 7], figures);
        assert_eq!(seen, [deposits, staked, won, refunded, withdrawn, adjusted, purse.available + purse.held]);
    }
    let Day { deposits, staked, won, refunded, withdrawn, adjusted } = all;
    assert_eq!(figures(&report["totals"]), [deposits, staked, won, refunded, withdrawn, adjusted, closing]);
}

fn figures(line: &Value) -> [i64; 7] {
    ["deposits", "staked", "won", "refunded", "withdrawn", "adjusted", "closing"].map(|name| number(&line[name]))
}

async fn seeks(run: &Run) {
    let seen = items(&run.client(0), "/v1/lobby/seeks?").await;
    let mut seen: Vec<String> = seen.iter().map(|seek| text(&seek["id"])).collect();
    let mut known: Vec<String> = run.books.seeks.iter().map(|seek| seek.id.clone()).collect();
    seen.sort();
    known.sort();
    assert_eq!(seen, known, "the seeks");
}
