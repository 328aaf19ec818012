//! The model: what there is and what may happen to it, by the rules alone. It knows nothing of the server.

/// A player.
#[derive(Clone, Debug, Default)]
pub struct Purse {
    pub available: i64,
    pub held: i64,
    pub frozen: bool,
    /// P-3: nobody ends it within a run.
    pub on_break: bool,
    /// Deposits that turned out to be none: they count towards no limit.
    pub undone_deposits: i64,
    /// P-2: only the lower limit counts within the day that a run takes.
    pub deposit_day: Option<i64>,
    pub stake_match: Option<i64>,
    pub loss_day: Option<i64>,
    pub day: Day,
}

/// O-3: what a day did to a player's money; it began with nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Day {
    pub deposits: i64,
    pub staked: i64,
    pub won: i64,
    pub refunded: i64,
    pub withdrawn: i64,
    pub adjusted: i64,
}

#[derive(Clone, Debug)]
pub struct Deposit {
    pub id: String,
    pub player: usize,
    pub amount: i64,
    pub status: &'static str,
}

#[derive(Clone, Debug)]
pub struct Withdrawal {
    pub id: String,
    pub player: usize,
    pub amount: i64,
    pub status: &'static str,
    /// Whether the provider has told of its payment.
    pub heard: bool,
}

#[derive(Clone, Debug)]
pub struct Seek {
    pub id: String,
    pub player: usize,
    pub stake: i64,
}

#[derive(Clone, Debug)]
pub struct Match {
    pub id: String,
    pub players: [usize; 2],
    pub stake: i64,
    pub end: End,
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It has not.
    Open,
    /// This player won.
    Won(usize),
    /// A draw or a void.
    Shared,
}

/// Money that fits nothing.
#[derive(Clone, Debug)]
pub struct Suspended {
    pub direction: &'static str,
    pub payment: String,
    pub amount: i64,
    pub why: &'static str,
    /// The transfer that put it there, once it was seen.
    pub transfer: String,
    /// The adjustment that is to find a place for it, or has.
    pub adjustment: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Adjustment {
    pub id: String,
    pub kind: &'static str,
    pub player: Option<usize>,
    pub amount: i64,
    pub status: &'static str,
    pub transfer: Option<String>,
    /// The kind of the transfer that it corrects.
    pub of: &'static str,
    /// The adjustment that made that transfer.
    pub undoes: Option<String>,
}

impl Adjustment {
    pub fn new(
        kind: &'static str,
        player: Option<usize>,
        amount: i64,
        transfer: Option<String>,
        of: &'static str,
    ) -> Self {
        Self { id: String::new(), kind, player, amount, status: "waiting", transfer, of, undoes: None }
    }
}

/// Everything.
#[derive(Clone, Debug, Default)]
pub struct Books {
    pub purses: Vec<Purse>,
    pub deposits: Vec<Deposit>,
    pub withdrawals: Vec<Withdrawal>,
    pub seeks: Vec<Seek>,
    pub matches: Vec<Match>,
    pub suspended: Vec<Suspended>,
    pub adjustments: Vec<Adjustment>,
    /// O-5: what the administrator who asks has moved alone; a run is shorter than a day.
    pub moved_alone: i64,
    pub house: i64,
    pub external: i64,
    pub adjusting: i64,
    pub suspense: i64,
    /// O-2: new stakes of everybody.
    pub stopped: bool,
    /// O-2: new stakes of one player.
    pub stopped_player: Option<usize>,
    /// L-1: every transfer, by kind and amount.
    pub transfers: Vec<(&'static str, i64)>,
}

/// Codes that a refusal may have: none where it must be done.
pub type Reasons = Vec<&'static str>;

impl Books {
    pub fn playing(&self, player: usize) -> Option<usize> {
        self.matches.iter().position(|one| one.end == End::Open && one.players.contains(&player))
    }

    pub fn in_play(&self, player: usize) -> i64 {
        self.playing(player).map_or(0, |at| self.matches[at].stake)
    }

    pub fn transfer(&mut self, kind: &'static str, amount: i64) {
        self.transfers.push((kind, amount));
    }

    pub fn why_no_deposit(&self, player: usize, amount: i64) -> Reasons {
        let purse = &self.purses[player];
        let mut reasons = Vec::new();
        if purse.frozen {
            reasons.push("frozen");
        }
        if purse.on_break {
            reasons.push("on_break");
        }
        let pending: i64 = self
            .deposits
            .iter()
            .filter(|one| one.player == player && one.status == "pending")
            .map(|one| one.amount)
            .sum();
        if purse.deposit_day.is_some_and(|most| purse.day.deposits - purse.undone_deposits + pending + amount > most) {
            reasons.push("limit_reached");
        }
        reasons
    }

    /// MA-1, L-8, P-2, P-3: why a player can't put up a stake.
    pub fn why_no_stake(&self, player: usize, stake: i64) -> Reasons {
        let purse = &self.purses[player];
        let mut reasons = Vec::new();
        if self.playing(player).is_some() {
            reasons.push("already_playing");
        }
        if purse.available < stake {
            reasons.push("insufficient_funds");
        }
        if purse.frozen {
            reasons.push("frozen");
        }
        if purse.on_break {
            reasons.push("on_break");
        }
        if self.stopped || self.stopped_player == Some(player) {
            reasons.push("stakes_closed");
        }
        let at_risk = self.lost(player).max(0) + self.in_play(player) + stake;
        if purse.stake_match.is_some_and(|most| stake > most) || purse.loss_day.is_some_and(|most| at_risk > most) {
            reasons.push("limit_reached");
        }
        reasons
    }

    /// What ended matches have cost a player in all.
    fn lost(&self, player: usize) -> i64 {
        let ended = self.matches.iter().filter(|one| one.players.contains(&player));
        ended
            .map(|one| match one.end {
                End::Won(winner) if winner == player => one.stake - one.stake * 18 / 10,
                End::Won(_) => one.stake,
                End::Shared | End::Open => 0,
            })
            .sum()
    }

    pub fn pair(&mut self, id: String, players: [usize; 2], stake: i64) {
        for player in players {
            self.purses[player].available -= stake;
            self.purses[player].day.staked += stake;
            self.transfer("stake", stake);
        }
        self.seeks.retain(|seek| !players.contains(&seek.player));
        self.matches.push(Match { id, players, stake, end: End::Open });
    }

    /// MA-2, MA-3.
    pub fn end(&mut self, at: usize, winner: Option<usize>) {
        let one = &mut self.matches[at];
        one.end = winner.map_or(End::Shared, End::Won);
        let (stake, players) = (one.stake, one.players);
        if let Some(winner) = winner {
            let (payout, fee) = (stake * 2 * 9 / 10, stake * 2 / 10);
            self.purses[winner].available += payout;
            self.purses[winner].day.won += payout;
            self.house += fee;
            self.transfer("payout", payout);
            self.transfer("fee", fee);
        } else {
            for player in players {
                self.purses[player].available += stake;
                self.purses[player].day.refunded += stake;
                self.transfer("refund", stake);
            }
        }
    }

    pub fn credit(&mut self, at: usize) {
        self.deposits[at].status = "completed";
        let Deposit { player, amount, .. } = self.deposits[at];
        self.purses[player].available += amount;
        self.purses[player].day.deposits += amount;
        self.external -= amount;
        self.transfer("deposit", amount);
    }

    pub fn suspend(&mut self, direction: &'static str, payment: String, amount: i64, why: &'static str) {
        let change = if direction == "in" { amount } else { -amount };
        self.suspense += change;
        self.external -= change;
        self.transfer("suspense", amount);
        self.suspended.push(Suspended { direction, payment, amount, why, transfer: String::new(), adjustment: None });
    }

    pub fn request(&mut self, id: String, player: usize, amount: i64) {
        self.purses[player].available -= amount;
        self.purses[player].held += amount;
        self.transfer("hold", amount);
        self.withdrawals.push(Withdrawal { id, player, amount, status: "requested", heard: false });
    }

    /// W-4: the money that the end of a withdrawal moves.
    pub fn end_withdrawal(&mut self, at: usize, status: &'static str) {
        self.withdrawals[at].status = status;
        let Withdrawal { player, amount, .. } = self.withdrawals[at];
        self.purses[player].held -= amount;
        if status == "paid" {
            self.purses[player].day.withdrawn += amount;
            self.external += amount;
            self.transfer("withdrawal", amount);
        } else {
            self.purses[player].available += amount;
            self.transfer("release", amount);
        }
    }

    pub fn open_withdrawal(&self, player: usize) -> bool {
        let open = ["requested", "approved", "submitted"];
        self.withdrawals.iter().any(|one| one.player == player && open.contains(&one.status))
    }

    /// Whether the money of an adjustment can move now.
    pub fn fits(&self, player: Option<usize>, amount: i64) -> bool {
        player.is_none_or(|player| self.purses[player].available + amount >= 0)
    }

    pub fn suspended_by(&mut self, transfer: &str) -> &mut Suspended {
        self.suspended.iter_mut().find(|one| one.transfer == transfer).unwrap()
    }

    /// Each transfer is corrected once, and a correction that waits counts.
    pub fn is_corrected(&self, transfer: &str) -> bool {
        self.adjustments
            .iter()
            .any(|one| ["waiting", "done"].contains(&one.status) && one.transfer.as_deref() == Some(transfer))
    }

    pub fn reject(&mut self, at: usize) {
        self.adjustments[at].status = "rejected";
        self.suspended.iter_mut().filter(|one| one.adjustment == Some(at)).for_each(|one| one.adjustment = None);
    }

    /// W-2: money in suspense that had found a player, by mistake, looks for another.
    fn undo(&mut self, reversal: usize) {
        let undone = self.adjustments[reversal].undoes.clone();
        let assignment = self.adjustments.iter().position(|one| Some(&one.id) == undone.as_ref()).unwrap();
        self.adjustments[assignment].status = "undone";
        let found = self.suspended.iter_mut().find(|one| one.adjustment == Some(assignment)).unwrap();
        found.adjustment = None;
    }

    /// L-5, O-5: an adjustment moves its money.
    pub fn make(&mut self, at: usize, of: &'static str) {
        self.adjustments[at].status = "done";
        let Adjustment { kind, player, amount, .. } = self.adjustments[at];
        if let Some(player) = player {
            self.purses[player].available += amount;
            let day = &mut self.purses[player].day;
            match (kind, of, amount > 0) {
                ("assignment", _, true) | ("reversal", "deposit", _) | ("reversal", "assignment", false) => {
                    day.deposits += amount;
                }
                ("assignment", _, false) | ("reversal", "assignment", true) => day.withdrawn -= amount,
                _ => day.adjusted += amount,
            }
            if kind == "reversal" && amount < 0 && ["deposit", "assignment"].contains(&of) {
                self.purses[player].undone_deposits -= amount;
            }
        }
        match (kind, of) {
            ("assignment", _) => self.suspense -= amount,
            (_, "deposit") => self.external -= amount,
            (_, "suspense") => {
                self.suspense += amount;
                self.external -= amount;
            }
            (_, "assignment") => {
                self.suspense -= amount;
                self.undo(at);
            }
            _ => self.adjusting -= amount,
        }
        let transfer = match (kind, amount > 0) {
            ("assignment", true) => "deposit",
            ("assignment", false) => "withdrawal",
            (kind, _) => kind,
        };
        self.transfer(transfer, amount.abs());
    }
}
