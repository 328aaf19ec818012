//! O-2, P-3: what keeps players from new stakes, done to the server and to the model.

use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_tests::Player;

use super::drive::{PLAYERS, Run, pick};

impl Run {
    /// P-3: seeks go, sessions end, and the running match is played on or voided.
    pub(super) async fn freeze(&mut self, player: usize, void: bool) {
        let path = format!("/v1/admin/players/{}/freeze", self.players[player].id);
        let running = if void { "void" } else { "play_on" };
        let done = self.admin().post(&path, &json!({"reason": "x", "running": running})).await.expect(200).body;
        let playing = self.books.playing(player).filter(|_| void);
        let voided = playing.map(|at| self.books.matches[at].id.clone());
        assert_eq!(done["voided"].as_str().map(str::to_owned), voided);
        if let Some(at) = playing {
            self.books.end(at, None);
        }
        self.books.purses[player].frozen = true;
        self.books.seeks.retain(|seek| seek.player != player);
        self.sign_in_again(player).await;
    }

    pub(super) async fn unfreeze(&mut self, which: usize) {
        let player = pick(which, PLAYERS, |player| self.books.purses[player].frozen);
        let path = format!("/v1/admin/players/{}/unfreeze", self.players[player].id);
        self.admin().post(&path, &json!({"reason": "x"})).await.expect(200);
        self.books.purses[player].frozen = false;
    }

    /// P-3: a break, or an exclusion: as a freeze, but by the player, and nobody ends it within the time that a run takes.
    /// Two players go on.
    pub(super) async fn take_a_break(&mut self, player: usize, exclusion: bool) {
        if self.books.purses.iter().filter(|purse| purse.on_break).count() + 2 >= PLAYERS {
            return;
        }
        let (path, body) =
            if exclusion { ("/v1/me/exclusion", json!({"months": 6})) } else { ("/v1/me/break", json!({"days": 1})) };
        self.client(player).post(path, &body).await.expect(200);
        self.books.purses[player].on_break = true;
        self.books.seeks.retain(|seek| seek.player != player);
        self.sign_in_again(player).await;
    }

    /// O-2: everything is stopped, or one player, or nothing. Seeks stay.
    pub(super) async fn switch(&mut self, player: usize, which: usize) {
        self.books.stopped = which == 0;
        self.books.stopped_player = (which == 1).then_some(player);
        let players: Vec<Value> =
            self.books.stopped_player.iter().map(|player| json!(self.players[*player].id)).collect();
        let body = json!({"all": self.books.stopped, "games": [], "players": players, "reason": "x"});
        let admin = self.admin();
        admin.send(admin.request(Method::PUT, "/v1/admin/switches").json(&body)).await.expect(200);
    }

    /// All of a player's sessions have ended.
    async fn sign_in_again(&mut self, player: usize) {
        self.client(player).get("/v1/me").await.refused(401, "unauthenticated");
        let Player { id, name, .. } = self.players[player].clone();
        self.players[player] = self.server().registrar.session(id, name).await;
        self.open_sockets().await;
    }
}
