//! Does each action to the server and to the model, and demands that both say the same.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{
    Answer, Client, Player, Socket, TestServer,
    webhook::{SECRET, event, movement, now, send, sign},
};
use tokio::task::JoinHandle;

use super::{
    actions::{Action, What},
    books::{Adjustment, Books, Deposit, End, Purse, Reasons, Seek},
};
use crate::support::{accept, end_in_draw, eventually, text};

/// What an administrator moves alone in a day, at most.
pub const ALONE: i64 = 2_000;
pub(super) const PLAYERS: usize = 4;
/// What each player deposits before anything else.
const BEGIN_WITH: i64 = 6_000;

/// One of so many: of four tries three go for those where it can be done.
pub(super) fn pick(which: usize, all: usize, able: impl Fn(usize) -> bool) -> usize {
    let able: Vec<usize> = (0..all).filter(|at| able(*at)).collect();
    if which.is_multiple_of(4) || able.is_empty() { which % all } else { able[which % able.len()] }
}

/// A server and the model of it.
pub struct Run {
    /// Taken only while it restarts.
    server: Option<TestServer>,
    pub books: Books,
    pub players: Vec<Player>,
    sockets: Vec<JoinHandle<()>>,
    /// Asks, and decides on what the other has asked for.
    staff: [Player; 2],
    /// The last callback: its kind and what it says.
    last_callback: Option<(String, &'static str, Value)>,
    callbacks: usize,
}

fn flags(clock: &str) -> Vec<String> {
    ["--payments=webhook", &format!("--webhook-secrets={SECRET}"), &format!("--adjust-alone-most={ALONE}"), clock]
        .map(str::to_owned)
        .to_vec()
}

impl Run {
    pub async fn start() -> Self {
        let all = flags("--clock-ms=600000");
        let server = TestServer::with(&all.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let (mut players, mut staff) = (Vec::new(), Vec::new());
        for _ in 0..PLAYERS {
            players.push(server.registrar.player(0).await);
        }
        for _ in 0..2 {
            staff.push(server.registrar.with_roles(0, vec![Role::Admin]).await);
        }
        let books = Books { purses: vec![Purse::default(); PLAYERS], ..Books::default() };
        let staff = staff.try_into().unwrap();
        let (server, sockets) = (Some(server), Vec::new());
        let mut run = Self { server, books, players, sockets, staff, last_callback: None, callbacks: 0 };
        run.open_sockets().await;
        for player in 0..PLAYERS {
            run.deposit(player, BEGIN_WITH).await;
            run.payment(player, 0, false, true).await;
        }
        run
    }

    pub fn server(&self) -> &TestServer {
        self.server.as_ref().unwrap()
    }

    pub async fn stop(mut self) {
        self.server.take().unwrap().stop().await;
    }

    pub fn client(&self, player: usize) -> Client {
        self.server().client().of(&self.players[player])
    }

    pub fn admin(&self) -> Client {
        self.server().client().of(&self.staff[0])
    }

    /// Everybody is there: a pairing needs a poster who is.
    pub(super) async fn open_sockets(&mut self) {
        self.sockets.drain(..).for_each(|socket| socket.abort());
        for player in &self.players {
            let mut socket = Socket::open(self.server().address, &player.token).await;
            self.sockets.push(tokio::spawn(async move { while socket.try_next().await.is_ok() {} }));
        }
    }

    async fn restart(&mut self, clock: &str) {
        self.server = Some(self.server.take().unwrap().restart_with(flags(clock)).await);
        self.open_sockets().await;
    }

    /// Both say that it is done, or the server refuses for a reason that the model has. Tells which.
    #[track_caller]
    fn agree(answer: &Answer, status: u16, reasons: &Reasons) -> bool {
        if reasons.is_empty() {
            assert_eq!(answer.status, status, "the model has no reason to refuse: {}", answer.text);
            return true;
        }
        assert!(
            reasons.contains(&answer.code()),
            "the model refuses for {reasons:?}: {} {}",
            answer.status,
            answer.text
        );
        false
    }

    /// Does one action. What there is nothing for is left out.
    pub async fn act(&mut self, Action { what, who, other, amount }: Action) {
        let player = who % PLAYERS;
        match what {
            What::Deposit => self.deposit(player, amount).await,
            What::PaymentSucceeded => self.payment(who, amount, other.is_multiple_of(4), true).await,
            What::PaymentFailed => self.payment(who, amount, false, false).await,
            What::PayoutSucceeded => self.payout(who, true).await,
            What::PayoutFailed => self.payout(who, false).await,
            What::CallbackRepeated => self.repeat(other.is_multiple_of(2)).await,
            What::CallbackForged => self.forge(who).await,
            What::Seek => self.seek(player, amount).await,
            What::Unseek => self.unseek(player).await,
            What::Accept => self.accept(player, other, amount).await,
            What::Move | What::Resign | What::Draw | What::Void => self.play(what, who, other).await,
            What::Flag => self.flag(player, (player + 1 + other % (PLAYERS - 1)) % PLAYERS, amount).await,
            What::Withdraw => self.withdraw(player, amount).await,
            What::Cancel => self.decide_withdrawal(What::Cancel, who, other).await,
            What::Approve | What::Reject | What::Close => self.decide_withdrawal(what, who, other).await,
            What::Limit => self.limit(player, other, amount).await,
            What::Freeze => self.freeze(player, other.is_multiple_of(2)).await,
            What::Unfreeze => self.unfreeze(who).await,
            What::Break => self.take_a_break(player, other.is_multiple_of(3)).await,
            What::Switch => self.switch(player, other % 4).await,
            What::Adjust => self.adjust(player, if other.is_multiple_of(2) { amount } else { -amount }).await,
            What::Reverse => self.reverse(who).await,
            What::Assign => self.assign(who, other % PLAYERS).await,
            What::Decide => self.decide(who, other % 3 > 0).await,
            What::Restart => self.restart("--clock-ms=600000").await,
        }
    }

    async fn deposit(&mut self, player: usize, amount: i64) {
        let answer = self.client(player).post_once("/v1/wallet/deposits", &json!({"amount": amount})).await;
        if Self::agree(&answer, 201, &self.books.why_no_deposit(player, amount)) {
            let id = text(&answer.body["id"]);
            self.books.deposits.push(Deposit { id, player, amount, status: "pending" });
        }
    }

    /// Tells the server of something and gives what came of it.
    async fn callback(&mut self, kind: &'static str, data: Value) -> String {
        self.callbacks += 1;
        let id = format!("msg_{}", self.callbacks);
        let answer = event(&self.server().client(), &id, kind, &data).await.expect(200);
        self.last_callback = Some((id, kind, data));
        text(&answer.body["outcome"])
    }

    async fn payment(&mut self, which: usize, amount: i64, wrong: bool, succeeded: bool) {
        if self.books.deposits.is_empty() {
            return;
        }
        let deposits = &self.books.deposits;
        let at = pick(which, deposits.len(), |at| deposits[at].status == "pending");
        let Deposit { id, amount: asked, status, .. } = self.books.deposits[at].clone();
        if !succeeded {
            let outcome = self.callback("payment.failed", json!({"reference": id, "reason": "given up"})).await;
            assert_eq!(outcome, if status == "pending" { "failed" } else { "ignored" }, "W-3");
            if status == "pending" {
                self.books.deposits[at].status = "failed";
            }
            return;
        }
        let amount = if wrong { amount + 1 } else { asked };
        let payment = format!("pay_{}", self.callbacks);
        let outcome = self.callback("payment.succeeded", movement(&payment, &id, amount)).await;
        let why = if wrong { Some("wrong_amount") } else { (status == "completed").then_some("already_paid") };
        assert_eq!(outcome, if why.is_some() { "suspense" } else { "credited" });
        match why {
            Some(why) => self.books.suspend("in", payment, amount, why),
            None => self.books.credit(at),
        }
    }

    async fn payout(&mut self, which: usize, succeeded: bool) {
        if self.books.withdrawals.is_empty() {
            return;
        }
        let withdrawals = &self.books.withdrawals;
        let at = pick(which, withdrawals.len(), |at| withdrawals[at].status == "submitted");
        let one = withdrawals[at].clone();
        let submitted = one.status == "submitted";
        if !succeeded {
            let outcome = self.callback("payout.failed", json!({"reference": one.id, "reason": "closed"})).await;
            assert_eq!(outcome, if submitted { "returned" } else { "ignored" }, "W-3");
            if submitted {
                self.books.end_withdrawal(at, "failed");
            }
            return;
        }
        let payment = format!("out_{}", self.callbacks);
        let outcome = self.callback("payout.succeeded", movement(&payment, &one.id, one.amount)).await;
        let late = one.status == "paid" && !one.heard;
        assert_eq!(outcome, if submitted || late { "paid" } else { "suspense" });
        if submitted {
            self.books.end_withdrawal(at, "paid");
        }
        if submitted || late {
            self.books.withdrawals[at].heard = true;
        } else {
            let why = if one.status == "paid" { "already_paid" } else { "not_submitted" };
            self.books.suspend("out", payment, one.amount, why);
        }
    }

    /// W-2: the same event again, or the same payment under another event's name. Neither does anything.
    async fn repeat(&mut self, same_event: bool) {
        let Some((id, kind, data)) = self.last_callback.clone() else { return };
        if same_event {
            let answer = event(&self.server().client(), &id, kind, &data).await.expect(200);
            assert_eq!(answer.body["outcome"], "repeated");
        } else if kind.ends_with("succeeded") {
            assert_eq!(self.callback(kind, data).await, "repeated");
        }
    }

    async fn forge(&self, which: usize) {
        let reference = self.books.deposits.get(which).map_or("x", |deposit| deposit.id.as_str());
        let body = json!({"type": "payment.succeeded", "data": movement("forged", reference, 5_000)}).to_string();
        let other = SECRET.replace("MfKQ", "MfKR");
        let client = self.server().client();
        send(&client, "forged", now(), &sign(&other, "forged", now(), &body), &body)
            .await
            .refused(401, "bad_signature");
    }

    async fn seek(&mut self, player: usize, stake: i64) {
        if self.books.seeks.iter().filter(|seek| seek.player == player).count() == 3 {
            return;
        }
        let answer = self.client(player).post("/v1/lobby/seeks", &json!({"game": "mu_torere", "stake": stake})).await;
        if Self::agree(&answer, 201, &self.books.why_no_stake(player, stake)) {
            self.books.seeks.push(Seek { id: text(&answer.body["id"]), player, stake });
        }
    }

    async fn unseek(&mut self, player: usize) {
        let Some(at) = self.books.seeks.iter().position(|seek| seek.player == player) else { return };
        let seek = self.books.seeks.remove(at);
        self.client(player).delete(&format!("/v1/lobby/seeks/{}", seek.id)).await.expect(204);
    }

    async fn accept(&mut self, player: usize, which: usize, amount: i64) {
        if self.books.seeks.is_empty() {
            return;
        }
        let seeks = &self.books.seeks;
        let at = pick(which, seeks.len(), |at| seeks[at].player != player);
        let Seek { id, player: poster, stake } = seeks[at].clone();
        // Now and then another stake than that of the seek.
        let said = if amount == 5 { stake + 5 } else { stake };
        let answer = accept(&self.client(player), &id, said).await;
        let mut reasons = if said == stake { Vec::new() } else { vec!["stake_changed"] };
        if poster == player {
            reasons.push("own_seek");
        } else {
            reasons.extend(self.books.why_no_stake(player, stake));
            if !self.books.why_no_stake(poster, stake).is_empty() {
                reasons.push("seek_gone");
            }
        }
        if Self::agree(&answer, 201, &reasons) {
            self.books.pair(text(&answer.body["match_id"]), [poster, player], stake);
        } else if answer.code() == "seek_gone" {
            self.books.seeks.retain(|seek| seek.id != id);
        }
    }

    /// Something that happens in one of the live matches.
    async fn play(&mut self, what: What, which: usize, side: usize) {
        let live: Vec<usize> =
            (0..self.books.matches.len()).filter(|at| self.books.matches[*at].end == End::Open).collect();
        if live.is_empty() {
            return;
        }
        let at = live[which % live.len()];
        let one = self.books.matches[at].clone();
        let [first, second] = one.players.map(|player| self.client(player));
        let path = format!("/v1/matches/{}", one.id);
        match what {
            What::Move => {
                let before = first.get(&path).await.expect(200).body;
                let to_move = text(&before["to_move"]);
                let mover = text(&before["players"][&to_move]["id"]);
                let player = one.players.iter().position(|at| self.players[*at].id.to_string() == mover).unwrap();
                let legal = before["legal"].as_array().unwrap();
                let body = json!({"ply": before["ply"].as_u64().unwrap() + 1, "move": legal[side % legal.len()]});
                [first, second][player].post(&format!("{path}/moves"), &body).await.expect(200);
                self.look(at).await;
            }
            What::Resign => {
                [first, second][side % 2].post_empty(&format!("{path}/resign")).await.expect(200);
                self.books.end(at, Some(one.players[1 - side % 2]));
            }
            What::Draw => {
                end_in_draw(&one.id, &first, &second).await;
                self.books.end(at, None);
            }
            _ => {
                let void = format!("/v1/admin/matches/{}/void", one.id);
                self.admin().post(&void, &json!({"reason": "x"})).await.expect(200);
                self.books.end(at, None);
            }
        }
    }

    /// A match that may have ended by its own rules.
    async fn look(&mut self, at: usize) {
        let now = self.client(0).get(&format!("/v1/matches/{}", self.books.matches[at].id)).await.expect(200).body;
        if now["status"] == "ended" {
            let winner = now["outcome"]["winner"].as_str().map(|seat| text(&now["players"][seat]["id"]));
            let winner = winner.map(|id| self.players.iter().position(|player| player.id.to_string() == id).unwrap());
            self.books.end(at, winner);
        }
    }

    /// MA-4: on a clock of a second, whoever opens loses by doing nothing.
    async fn flag(&mut self, poster: usize, other: usize, stake: i64) {
        let reasons = [poster, other].map(|player| self.books.why_no_stake(player, stake));
        if reasons.iter().any(|reasons| !reasons.is_empty()) {
            return;
        }
        self.restart("--clock-ms=1000").await;
        let terms = json!({"game": "mu_torere", "stake": stake});
        let seek = text(&self.client(poster).post("/v1/lobby/seeks", &terms).await.expect(201).body["id"]);
        let id = text(&accept(&self.client(other), &seek, stake).await.expect(201).body["match_id"]);
        self.books.pair(id.clone(), [poster, other], stake);
        let (client, path) = (self.client(poster), format!("/v1/matches/{id}"));
        eventually("a flag", async || client.get(&path).await.expect(200).body["status"] == "ended").await;
        let end = client.get(&path).await.expect(200).body;
        assert_eq!((&end["outcome"]["ending"], &end["outcome"]["winner"]), (&json!("timeout"), &json!("second")));
        self.look(self.books.matches.len() - 1).await;
        self.restart("--clock-ms=600000").await;
    }

    async fn withdraw(&mut self, player: usize, amount: i64) {
        let answer = self.client(player).post_once("/v1/wallet/withdrawals", &json!({"amount": amount})).await;
        let mut reasons = Vec::new();
        if self.books.open_withdrawal(player) {
            reasons.push("withdrawal_open");
        }
        if self.books.purses[player].available < amount {
            reasons.push("insufficient_funds");
        }
        if Self::agree(&answer, 201, &reasons) {
            self.books.request(text(&answer.body["id"]), player, amount);
        }
    }

    async fn decide_withdrawal(&mut self, what: What, which: usize, other: usize) {
        if self.books.withdrawals.is_empty() {
            return;
        }
        let from = if what == What::Close { "submitted" } else { "requested" };
        let withdrawals = &self.books.withdrawals;
        let at = pick(which, withdrawals.len(), |at| withdrawals[at].status == from);
        let one = withdrawals[at].clone();
        let path = |what: &str| format!("/v1/admin/withdrawals/{}/{what}", one.id);
        let because = json!({"reason": "looked at"});
        let (code, to) = match what {
            What::Approve => ("withdrawal_decided", "submitted"),
            What::Reject => ("withdrawal_decided", "rejected"),
            What::Cancel => ("withdrawal_decided", "cancelled"),
            _ => ("not_submitted", if other.is_multiple_of(2) { "paid" } else { "failed" }),
        };
        let (answer, status) = match what {
            What::Approve => (self.admin().post_empty(&path("approve")).await, 200),
            What::Reject => (self.admin().post(&path("reject"), &because).await, 200),
            What::Cancel => (self.client(one.player).delete(&format!("/v1/wallet/withdrawals/{}", one.id)).await, 204),
            _ => (self.admin().post(&path(to), &because).await, 200),
        };
        let reasons = if one.status == from { Vec::new() } else { vec![code] };
        if Self::agree(&answer, status, &reasons) {
            if to == "submitted" {
                self.books.withdrawals[at].status = to;
            } else {
                self.books.end_withdrawal(at, to);
            }
        }
    }

    /// P-2: a lower limit counts at once, a higher one not today.
    async fn limit(&mut self, player: usize, which: usize, amount: i64) {
        let (name, amount) = match which % 3 {
            0 => ("deposit_day", BEGIN_WITH + amount),
            1 => ("stake_match", amount),
            _ => ("loss_day", amount * 4),
        };
        let client = self.client(player);
        client.send(client.request(Method::PUT, "/v1/me/limits").json(&json!({name: amount}))).await.expect(200);
        let purse = &mut self.books.purses[player];
        let limit = match which % 3 {
            0 => &mut purse.deposit_day,
            1 => &mut purse.stake_match,
            _ => &mut purse.loss_day,
        };
        *limit = Some(limit.map_or(amount, |most| most.min(amount)));
    }

    /// An adjustment was asked for: what the model makes of it.
    fn asked(&mut self, answer: &Answer, new: Adjustment, of: &'static str, mut reasons: Reasons) {
        let sum = self.books.moved_alone + new.amount.abs();
        let alone = sum <= ALONE;
        if alone && !self.books.fits(new.player, new.amount) {
            reasons.push("balance_out_of_bounds");
        }
        if Self::agree(answer, if alone { 201 } else { 202 }, &reasons) {
            let id = text(&answer.body["id"]);
            self.books.adjustments.push(Adjustment { id, ..new });
            let at = self.books.adjustments.len() - 1;
            if let Some(transfer) = self.books.adjustments[at].transfer.clone()
                && of == "suspense"
            {
                self.books.suspended_by(&transfer).adjustment = Some(at);
            }
            if alone {
                self.books.moved_alone = sum;
                self.books.make(at, of);
            }
        }
    }

    async fn adjust(&mut self, player: usize, amount: i64) {
        let path = format!("/v1/admin/players/{}/adjust", self.players[player].id);
        let answer = self.admin().post_once(&path, &json!({"amount": amount, "reason": "x"})).await;
        let new = Adjustment::new("adjustment", Some(player), amount, None, "adjustment");
        self.asked(&answer, new, "adjustment", Vec::new());
    }

    /// Any transfer: of those there are, the ones that stand by themselves can be reversed, once.
    async fn reverse(&mut self, which: usize) {
        let all = self.admin().get("/v1/admin/ledger/transfers?limit=200").await.expect(200).body;
        let all = all["items"].as_array().unwrap();
        // Half of the tries at what can be.
        let alone: Vec<_> = all
            .iter()
            .filter(|one| {
                which.is_multiple_of(2)
                    || ["adjustment", "deposit", "suspense", "withdrawal"].contains(&one["kind"].as_str().unwrap())
            })
            .collect();
        let Some(one) = alone.get(which % alone.len().max(1)) else { return };
        let (kind, amount, id) = (text(&one["kind"]), one["amount"].as_i64().unwrap(), text(&one["id"]));
        let side = |side: &str| one[side]["player_id"].as_str().map(str::to_owned);
        let player = side("credit").or(side("debit"));
        let player = player.map(|id| self.players.iter().position(|one| one.id.to_string() == id).unwrap());
        let gave = one["debit"]["kind"] != "player"
            && ["player", "suspense"].contains(&one["credit"]["kind"].as_str().unwrap());
        let path = format!("/v1/admin/ledger/transfers/{id}/reverse");
        let answer = self.admin().post_once(&path, &json!({"reason": "x"})).await;
        let of = match kind.as_str() {
            "adjustment" => "adjustment",
            "suspense" => "suspense",
            "deposit" if one["debit"]["kind"] == "external" => "deposit",
            "deposit" => "assignment",
            "withdrawal" if one["credit"]["kind"] == "suspense" => "assignment",
            _ => "",
        };
        let mut reasons = Vec::new();
        if of.is_empty() {
            reasons.push("not_correctable");
        } else if self.books.is_corrected(&id) {
            reasons.push("already_corrected");
        }
        let mut new = Adjustment::new("reversal", player, if gave { -amount } else { amount }, Some(id), of);
        new.undoes = one["reference"].as_str().unwrap().strip_prefix("adjustment:").map(str::to_owned);
        self.asked(&answer, new, of, reasons);
    }

    async fn assign(&mut self, which: usize, player: usize) {
        let all = self.admin().get("/v1/admin/payments/suspense?limit=200").await.expect(200).body;
        let all = all["items"].as_array().unwrap();
        let Some(one) = all.get(which % all.len().max(1)) else { return };
        let (id, amount) = (text(&one["transfer"]), one["amount"].as_i64().unwrap());
        let amount = if one["direction"] == "in" { amount } else { -amount };
        let path = format!("/v1/admin/ledger/transfers/{id}/assign");
        let body = json!({"player": self.players[player].id, "reason": "x"});
        let answer = self.admin().post_once(&path, &body).await;
        let reasons = if self.books.is_corrected(&id) { vec!["already_corrected"] } else { Vec::new() };
        self.asked(
            &answer,
            Adjustment::new("assignment", Some(player), amount, Some(id), "suspense"),
            "suspense",
            reasons,
        );
    }

    async fn decide(&mut self, which: usize, approve: bool) {
        let waiting: Vec<usize> =
            (0..self.books.adjustments.len()).filter(|at| self.books.adjustments[*at].status == "waiting").collect();
        if waiting.is_empty() {
            return;
        }
        let at = waiting[which % waiting.len()];
        let one = self.books.adjustments[at].clone();
        let path = format!("/v1/admin/adjustments/{}/{}", one.id, if approve { "approve" } else { "reject" });
        self.admin().post(&path, &json!({"reason": "x"})).await.refused(403, "own_request");
        let second = self.server().client().of(&self.staff[1]);
        let answer = second.post(&path, &json!({"reason": "x"})).await;
        let fits = !approve || self.books.fits(one.player, one.amount);
        let reasons = if fits { Vec::new() } else { vec!["balance_out_of_bounds"] };
        if Self::agree(&answer, 200, &reasons) {
            if approve {
                self.books.make(at, one.of);
            } else {
                self.books.reject(at);
            }
        }
    }
}

/// How long a whole run may take.
pub const PATIENCE: Duration = Duration::from_mins(5);
