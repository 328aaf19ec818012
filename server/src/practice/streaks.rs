//! Streaks of Mū tōrere against a computer that knows every position (PR-2 to PR-5). A run is a row: it survives a
//! restart, and a run left alone for a day ends as it stands.

use serde::Serialize;
use sqlx::PgPool;
use stakeboard_engine::{Game, Illegal, Move, Options, Play, Position, Seat, bot};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::{Clock, rfc3339_ms},
    ids::{PlayerId, StreakId},
    matches::{
        PlayerRef,
        events::{OutcomeView, SeatName},
    },
    practice::{
        GuardError, PlyAnalysis,
        analysis::analyse,
        refuse_play,
        sessions::{MadeMove, all_made, made},
    },
    rng,
};

/// The most that bonuses of a run come to (PR-4).
const BONUS_CAP: i32 = 999;
/// What a win in no moves would add to the bonus (PR-4).
const BONUS_BASE: i32 = 40;
/// How long a run may be left alone.
const LEFT_ALONE: time::Duration = time::Duration::days(1);

/// A move in a run.
#[derive(Clone, Debug)]
pub struct StreakMove {
    /// The number of the move in the game under way.
    pub ply: u32,
    /// The move in the game's text form.
    pub text: String,
    /// Whether a warning has been seen (PR-5).
    pub confirmed: bool,
}

/// Why a run refuses.
#[derive(Debug, thiserror::Error)]
pub enum StreakError {
    /// There is no such run of this player.
    #[error("there is no such run of this player")]
    NotFound,
    /// The run has ended.
    #[error("the run has ended")]
    Over,
    /// The move is for another position.
    #[error("the move is for another position; {0} have been made")]
    StalePly(u32),
    /// The text is no move of this game.
    #[error("the text is no move of Mū tōrere")]
    UnreadableMove,
    /// The rules of the game forbid it.
    #[error("the move is illegal")]
    Illegal(Illegal),
    /// The game is closed to the player for now.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// A game of a run that has just ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EndedGame {
    /// Its number in the run.
    pub game_no: i32,
    /// Whether the player won it.
    pub won: bool,
    /// How it ended.
    pub outcome: OutcomeView,
    /// The player's seat in it.
    #[schema(value_type = SeatName)]
    pub seat: Seat,
    /// Its moves.
    pub moves: Vec<String>,
    /// What each of them was worth.
    pub analysis: Vec<PlyAnalysis>,
}

/// A run at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StreakView {
    /// The run.
    pub id: StreakId,
    /// `mu_torere`.
    pub game: &'static str,
    /// `live` or `ended`.
    pub status: &'static str,
    /// The level of the computer: 1 at first, one more with each win.
    pub level: i32,
    /// Games won so far.
    pub wins: i32,
    /// Bonus so far, at most 999.
    pub bonus: i32,
    /// Wins times 1000, and the bonus.
    pub score: i32,
    /// The number of the game under way, or of the one that ended the run.
    pub game_no: i32,
    /// The player's seat in the game under way: `first` in odd games.
    #[schema(value_type = SeatName)]
    pub seat: Seat,
    /// The position in the game's text form.
    pub position: String,
    /// How many moves of the game have been made.
    pub ply: u32,
    /// Who is to move; null after the end.
    #[schema(value_type = Option<SeatName>)]
    pub to_move: Option<Seat>,
    /// What they may play, sorted.
    pub legal: Vec<String>,
    /// How often the position has occurred; the third time is a draw.
    pub occurrences: u32,
    /// The moves of the game so far.
    pub moves: Vec<String>,
    /// The moves that this request made, the player's and the computer's; all of the game's where the run is looked at.
    pub made: Vec<MadeMove>,
    /// The game that this request brought to its end.
    pub ended_game: Option<EndedGame>,
    /// `gives_forced_win`: the move was not played; sent again with `confirm` it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<&'static str>,
}

/// A line of the table of best runs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BestRun {
    /// The run.
    pub id: StreakId,
    /// Whose.
    pub player: PlayerRef,
    /// Games won.
    pub wins: i32,
    /// Bonus.
    pub bonus: i32,
    /// Wins times 1000, and the bonus.
    pub score: i32,
    /// When it ended.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub ended_at: OffsetDateTime,
}

/// All runs. Copies share everything.
#[derive(Clone)]
pub struct Streaks {
    pool: PgPool,
    clock: Clock,
}

/// A run as its row has it, with the game under way played out.
#[derive(Clone)]
struct Run {
    id: StreakId,
    wins: i32,
    bonus: i32,
    version: i32,
    ended: bool,
    moves: Vec<Move>,
    play: Play,
}

impl Streaks {
    /// With everything it needs. Starts nothing.
    pub fn new(pool: PgPool, clock: Clock) -> Self {
        Self { pool, clock }
    }

    /// Begins a run, or gives the one that the player has under way (true: it is new).
    pub async fn begin(&self, player: PlayerId) -> Result<(StreakView, bool), StreakError> {
        refuse_play(&self.pool, player, Game::MuTorere).await?;
        self.end_left_alone(Some(player)).await?;
        let now = self.clock.wall();
        let new = sqlx::query_scalar!(
            r#"insert into streaks (id, player_id, started_at, changed_at) values ($1, $2, $3, $3)
             on conflict (player_id) where ended_at is null do nothing
             returning id as "id: StreakId""#,
            StreakId::generate().0,
            player.0,
            now
        )
        .fetch_optional(&self.pool)
        .await?;
        let id = match new {
            Some(id) => id,
            None => sqlx::query_scalar!(
                r#"select id as "id: StreakId" from streaks where player_id = $1 and ended_at is null"#,
                player.0
            )
            .fetch_optional(&self.pool)
            .await?
            .ok_or(StreakError::Over)?,
        };
        let run = self.load(player, id).await?;
        Ok((run.view(run.all_made(), None), new.is_some()))
    }

    /// A run as it stands.
    pub async fn look(&self, player: PlayerId, id: StreakId) -> Result<StreakView, StreakError> {
        self.end_left_alone(Some(player)).await?;
        let run = self.load(player, id).await?;
        Ok(run.view(run.all_made(), None))
    }

    /// Plays a move and lets the computer answer; a win begins the next game.
    pub async fn play(&self, player: PlayerId, id: StreakId, request: StreakMove) -> Result<StreakView, StreakError> {
        refuse_play(&self.pool, player, Game::MuTorere).await?;
        self.end_left_alone(Some(player)).await?;
        let the_move = Move::parse(Game::MuTorere, &request.text).map_err(|_| StreakError::UnreadableMove)?;
        let run = self.load(player, id).await?;
        let recorded = request.ply.checked_sub(1).and_then(|before| run.moves.get(before as usize));
        if recorded == Some(&the_move) && Run::mover(request.ply) == run.seat() {
            return Ok(run.view(Vec::new(), None));
        }
        if run.ended {
            return Err(StreakError::Over);
        }
        if request.ply != run.play.ply() + 1 {
            return Err(StreakError::StalePly(run.play.ply()));
        }
        run.play.judge(the_move).map_err(StreakError::Illegal)?;
        if !request.confirmed && run.is_warned_of(the_move) {
            let warning = Some("gives_forced_win");
            return Ok(StreakView { warning, ..run.view(Vec::new(), None) });
        }
        let mut after = run.clone();
        let (made, ended_game) = after.advance(the_move)?;
        if !self.save(&run, &after).await? {
            // Another request of the same player was faster.
            let made = self.load(player, id).await?.play.ply();
            return Err(StreakError::StalePly(made));
        }
        Ok(after.view(made, ended_game))
    }

    /// The best runs: by wins, then by bonus, then the earlier one.
    pub async fn best(&self, limit: i64) -> Result<Vec<BestRun>, sqlx::Error> {
        let rows = sqlx::query!(
            r#"select s.id as "id: StreakId", s.player_id as "player_id: PlayerId", p.display_name, s.wins, s.bonus,
                      s.ended_at as "ended_at!"
               from streaks s join players p on p.id = s.player_id
               where s.ended_at is not null and s.wins > 0
               order by s.wins desc, s.bonus desc, s.ended_at limit $1"#,
            limit
        )
        .fetch_all(&self.pool)
        .await?;
        let runs = rows.into_iter().map(|row| BestRun {
            id: row.id,
            player: PlayerRef { id: row.player_id, display_name: row.display_name },
            wins: row.wins,
            bonus: row.bonus,
            score: score(row.wins, row.bonus),
            ended_at: row.ended_at,
        });
        Ok(runs.collect())
    }

    /// Ends runs that nobody has touched for a day, as they stand: a player's, or everybody's.
    pub async fn end_left_alone(&self, player: Option<PlayerId>) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "update streaks set ended_at = changed_at + interval '1 day', version = version + 1
             where ended_at is null and changed_at < $1 and ($2::uuid is null or player_id = $2)",
            self.clock.wall() - LEFT_ALONE,
            player.map(|player| player.0)
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn load(&self, player: PlayerId, id: StreakId) -> Result<Run, StreakError> {
        let row = sqlx::query!(
            "select wins, bonus, version, moves, ended_at from streaks where id = $1 and player_id = $2",
            id.0,
            player.0
        )
        .fetch_optional(&self.pool)
        .await?
        .ok_or(StreakError::NotFound)?;
        let mut run = Run::new(id, row.wins, row.bonus, row.version, row.ended_at.is_some());
        for text in &row.moves {
            let unreadable = |error: String| sqlx::Error::Decode(error.into());
            let the_move = Move::parse(Game::MuTorere, text).map_err(|error| unreadable(error.to_string()))?;
            run.make(the_move).map_err(|illegal| unreadable(illegal.to_string()))?;
        }
        Ok(run)
    }

    /// Saves a run unless it has changed meanwhile.
    async fn save(&self, before: &Run, after: &Run) -> Result<bool, sqlx::Error> {
        let moves: Vec<String> = after.moves.iter().map(ToString::to_string).collect();
        let now = self.clock.wall();
        let done = sqlx::query!(
            "update streaks set wins = $3, level = $3 + 1, bonus = $4, moves = $5, changed_at = $6, ended_at = $7,
                 version = version + 1
             where id = $1 and version = $2 and ended_at is null",
            before.id.0,
            before.version,
            after.wins,
            after.bonus,
            &moves,
            now,
            after.ended.then_some(now)
        )
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() == 1)
    }
}

impl Run {
    fn new(id: StreakId, wins: i32, bonus: i32, version: i32, ended: bool) -> Self {
        let play = Play::new(Options::MuTorere);
        Self { id, wins, bonus, version, ended, moves: Vec::new(), play }
    }

    fn level(&self) -> i32 {
        self.wins + 1
    }

    /// PR-2: the player opens the first game; the opening alternates from game to game.
    fn seat(&self) -> Seat {
        if self.level() % 2 == 1 { Seat::First } else { Seat::Second }
    }

    /// Who made the move of this number: there are no extra moves in this game.
    fn mover(ply: u32) -> Seat {
        if ply % 2 == 1 { Seat::First } else { Seat::Second }
    }

    /// What each move of the game under way did.
    fn all_made(&self) -> Vec<MadeMove> {
        all_made(Options::MuTorere, self.moves.iter().copied())
    }

    fn make(&mut self, the_move: Move) -> Result<MadeMove, Illegal> {
        let made = made(&mut self.play, the_move)?;
        self.moves.push(the_move);
        Ok(made)
    }

    /// PR-5: at level 1, a move that hands the computer a forced win.
    fn is_warned_of(&self, the_move: Move) -> bool {
        let (Position::MuTorere(position), Move::MuTorere(the_move)) = (*self.play.position(), the_move) else {
            return false;
        };
        self.level() == 1 && bot::gives_forced_win(position, the_move)
    }

    fn computer_move(&self) -> Option<Move> {
        let Position::MuTorere(position) = *self.play.position() else { return None };
        bot::streak_move(position, self.level().unsigned_abs(), &mut rng::dice()).map(Move::MuTorere)
    }

    /// The player's move, the computer's answer, and what comes of it.
    fn advance(&mut self, the_move: Move) -> Result<(Vec<MadeMove>, Option<EndedGame>), StreakError> {
        let mut made = vec![self.make(the_move).map_err(StreakError::Illegal)?];
        if self.play.outcome().is_none()
            && let Some(answer) = self.computer_move()
        {
            made.push(self.make(answer).map_err(StreakError::Illegal)?);
        }
        let Some(outcome) = self.play.outcome() else { return Ok((made, None)) };
        let seat = self.seat();
        let ended = EndedGame {
            game_no: self.level(),
            won: outcome.winner == Some(seat),
            outcome: outcome.into(),
            seat,
            moves: self.moves.iter().map(ToString::to_string).collect(),
            analysis: analyse(self.moves.iter().copied()),
        };
        if ended.won {
            let own = (1..=self.play.ply()).filter(|ply| Self::mover(*ply) == seat).count();
            self.bonus = (self.bonus + bonus(own)).min(BONUS_CAP);
            self.wins += 1;
            self.moves.clear();
            self.play = Play::new(Options::MuTorere);
            self.open_if_second()?;
        } else {
            self.ended = true;
        }
        Ok((made, Some(ended)))
    }

    /// Where the computer opens, it does so at once.
    fn open_if_second(&mut self) -> Result<(), StreakError> {
        if self.seat() == Seat::Second
            && let Some(opening) = self.computer_move()
        {
            self.make(opening).map_err(StreakError::Illegal)?;
        }
        Ok(())
    }

    fn view(&self, made: Vec<MadeMove>, ended_game: Option<EndedGame>) -> StreakView {
        let over = self.ended || self.play.outcome().is_some();
        StreakView {
            id: self.id,
            game: Game::MuTorere.code(),
            status: if over { "ended" } else { "live" },
            level: self.level(),
            wins: self.wins,
            bonus: self.bonus,
            score: score(self.wins, self.bonus),
            game_no: self.level(),
            seat: self.seat(),
            position: self.play.position().to_string(),
            ply: self.play.ply(),
            to_move: if over { None } else { Some(self.play.to_move()) },
            legal: if over { Vec::new() } else { self.play.legal().iter().map(ToString::to_string).collect() },
            occurrences: self.play.occurrences(),
            moves: self.moves.iter().map(ToString::to_string).collect(),
            made,
            ended_game,
            warning: None,
        }
    }
}

/// PR-4: what a win in so many moves of the player's own adds to the bonus.
fn bonus(own_moves: usize) -> i32 {
    (BONUS_BASE - i32::try_from(own_moves).unwrap_or(i32::MAX)).max(1)
}

/// PR-4.
fn score(wins: i32, bonus: i32) -> i32 {
    wins * 1_000 + bonus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pr_4_a_quick_win_adds_more_and_every_win_adds_one_at_least() {
        for (own_moves, added) in [(0, 40), (1, 39), (5, 35), (38, 2), (39, 1), (40, 1), (41, 1), (500, 1)] {
            assert_eq!(bonus(own_moves), added, "{own_moves} moves");
        }
        for (wins, bonus, total) in [(0, 0, 0), (1, 35, 1_035), (3, 999, 3_999), (40, 999, 40_999)] {
            assert_eq!(score(wins, bonus), total);
        }
    }

    #[test]
    fn pr_2_the_opening_alternates_from_game_to_game() {
        for (wins, seat) in [(0, Seat::First), (1, Seat::Second), (2, Seat::First), (7, Seat::Second)] {
            assert_eq!(Run::new(StreakId::generate(), wins, 0, 0, false).seat(), seat);
        }
    }
}
