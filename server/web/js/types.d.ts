/** What the service sends and what the modules of the page hand to each other. */

import type { TemplateResult } from "../vendor/lit-html/lit-html.js";

export type Locale = "pt-BR" | "en";
export type SeatName = "first" | "second";
export type GameName = "oware" | "morris" | "mu_torere";

// ---- of the service ---------------------------------------------------------------------------------------------

export interface PlayerRef {
  id: string;
  display_name: string;
}

export interface Limits {
  deposit_day?: number | null;
  deposit_week?: number | null;
  deposit_month?: number | null;
  loss_day?: number | null;
  stake_match?: number | null;
  pending: { limit: string; amount?: number | null; at: string }[];
}

export interface Me extends PlayerRef {
  email: string | null;
  roles: ("admin" | "cashier" | "auditor")[];
  guest: boolean;
  limits: Limits;
  pause: { kind: string; until: string } | null;
  identity: string;
  frozen: boolean;
  created_at: string;
}

export interface SignedIn {
  player: Me;
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

export interface Wallet {
  available: number;
  in_play: number;
  pending_withdrawal: number;
}

export interface OwnTransfer {
  id: string;
  kind: string;
  amount: number;
  balance_after: number;
  match_id?: string | null;
  created_at: string;
}

export interface Config {
  currency: string;
  fee_percent: number;
  clock_ms: number;
  stake_min: number;
  stake_max: number;
  stake_step: number;
  deposit_min: number;
  deposit_max: number;
  withdrawal_cancellation: boolean;
  identity_for_stakes: boolean;
  identity_for_withdrawals: boolean;
  minimum_age: number;
  heartbeat_ms: number;
  away_ms: number;
  receipt_key: { kty: string; crv: string; kid: string; x: string };
  limits: Record<string, number>;
}

export type Options = Record<string, string | number | boolean>;

export interface GameInfo {
  game: GameName;
  name: string;
  options: { name: string; allowed: (string | number | boolean)[]; default: string | number | boolean }[];
  presets: { name: string; options: Options }[];
  constants: Record<string, number>;
  rules: string;
}

export interface Terms {
  game: GameName;
  options: Options;
  stake: number;
  payout: number;
  fee: number;
}

export interface Seek extends Terms {
  id: string;
  player: PlayerRef & { rating?: number | null };
  created_at: string;
}

/** A place in the queue. */
export interface Waiting extends Terms {
  joined_at: string;
  /** How many wait on the same terms, this player among them. */
  waiting: number;
}

/** A table by link: terms that never change, and two seats, the host's first. */
export interface Table extends Terms {
  code: string;
  link: string;
  seats: (PlayerRef | "free")[];
  match_id?: string | null;
  created_at: string;
  expires_at?: string | null;
}

export interface Clocks {
  first_ms: number;
  second_ms: number;
  running: SeatName | null;
  at: string;
}

export interface Outcome {
  winner?: SeatName | null;
  ending: string;
  first?: number | null;
  second?: number | null;
}

export interface Match extends Terms {
  id: string;
  status: "live" | "ended";
  players: { first: PlayerRef; second: PlayerRef };
  position: string;
  ply: number;
  seq: number;
  to_move?: SeatName | null;
  legal: string[];
  occurrences: number;
  quiet: number;
  clocks: Clocks;
  draw_offer?: { by: SeatName; offer: number } | null;
  outcome?: Outcome | null;
  moves: string[];
  /** After the end: a proposal that is open, and the match it led to. */
  rematch?: { by: SeatName; expires_at: string } | null;
  next_match?: string | null;
}

export interface MatchSummary extends Terms {
  id: string;
  status: "live" | "ended";
  players: { first: PlayerRef; second: PlayerRef };
  seat: SeatName;
  outcome?: Outcome | null;
  started_at: string;
  ended_at?: string | null;
}

/** What a move did, so that the page need not know the rules. */
export interface MoveEffects {
  sown?: string[] | null;
  captured?: { house: string; seeds: number }[] | null;
  mill?: string[] | null;
  taken?: string[] | null;
}

export interface MovedEvent extends MoveEffects {
  type: "moved";
  match: string;
  seq: number;
  ply: number;
  by: SeatName;
  move: string;
  position: string;
  to_move?: SeatName | null;
  legal: string[];
  occurrences: number;
  quiet: number;
  clocks: Clocks;
}

export type MatchEvent =
  | MovedEvent
  | { type: "draw_offered" | "draw_declined"; match: string; seq: number; by: SeatName }
  | {
      type: "clock_credited";
      match: string;
      seq: number;
      first_ms: number;
      second_ms: number;
      reason: string;
      clocks: Clocks;
    }
  | { type: "ended"; match: string; seq: number; outcome: Outcome; payout: number; fee: number; clocks: Clocks }
  | { type: "rematch_proposed" | "rematch_declined"; match: string; seq: number; by?: SeatName }
  | { type: "rematch_started"; match: string; seq: number; next_match: string };

/** News of a match that is no part of its record. */
export type MatchNotice =
  | { type: "presence"; match: string; seat: SeatName; online: boolean }
  | { type: "paused" | "resumed"; match: string; clocks: Clocks };

export interface MadeMove extends MoveEffects {
  ply: number;
  by: SeatName;
  move: string;
  position: string;
}

export interface Practice {
  id: string;
  game: GameName;
  options: Options;
  level: "easy" | "medium" | "hard";
  seat: SeatName;
  status: "live" | "ended";
  position: string;
  ply: number;
  to_move?: SeatName | null;
  legal: string[];
  occurrences: number;
  quiet: number;
  outcome?: Outcome | null;
  moves: string[];
  made: MadeMove[];
}

export interface Streak {
  id: string;
  game: GameName;
  status: "live" | "ended";
  level: number;
  wins: number;
  bonus: number;
  score: number;
  game_no: number;
  seat: SeatName;
  position: string;
  ply: number;
  to_move?: SeatName | null;
  legal: string[];
  occurrences: number;
  moves: string[];
  made: MadeMove[];
  ended_game?: {
    game_no: number;
    won: boolean;
    outcome: Outcome;
    seat: SeatName;
    moves: string[];
    analysis: PlyAnalysis[];
  } | null;
  warning?: string | null;
}

/** What a move of a finished game of Mū tōrere was worth to who made it. */
export interface PlyAnalysis {
  ply: number;
  by: SeatName;
  move: string;
  before: Worth;
  after: Worth;
  best: string[];
}

export type Worth = "won" | "drawn" | "lost";

/** The record of a match: every ply with what it did. */
export interface MatchRecord {
  game: GameName;
  options: Options;
  start: string;
  plies: (MoveEffects & { by: SeatName; move: string; after: string; legal: string[] })[];
  outcome?: Outcome | null;
}

export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

export interface FieldProblem {
  field: string;
  code: string;
  detail: string;
}

// ---- of the page ------------------------------------------------------------------------------------------------

/** Signed in as somebody: tokens, and when the access token ends by this machine's clock. */
export interface Session {
  access: string;
  refresh: string;
  expires_at: number;
  player: string;
}

/** The line to the service: `since` is when it was lost, `paused` that the service itself can't write. */
export interface Line {
  up: boolean;
  since: number | null;
}

/** Something that happened elsewhere, shown for a while without moving anything. */
export interface Notification {
  id: number;
  text: string;
  link?: { path: string; label: string };
  tone?: "plain" | "good" | "bad";
  /** Stays until it is dismissed. */
  sticky?: boolean;
}

export interface State {
  me: Me | null;
  wallet: Wallet | null;
  config: Config | null;
  games: GameInfo[] | null;
  line: Line;
  /** The service says that it can't write: clocks stand. */
  paused: boolean;
  notifications: Notification[];
  /** The player's own live matches, staked or friendly. */
  live: MatchSummary[];
  /** Since when this sitting lasts, and what stakes have come to in it. */
  sitting: { since: number; net: number } | null;
}

export interface Settings {
  language: Locale | "auto";
  theme: "auto" | "light" | "dark";
  sounds: boolean;
  /** Whether a move is confirmed before it is sent: `auto` is yes for stakes on touch. */
  confirm_moves: "auto" | "always" | "never";
  /** Minutes between reminders of the time; 0 for none. */
  reminder: 0 | 15 | 30 | 60;
  motion: "auto" | "reduced";
}

/** What the router hands to a view. */
export interface ViewContext {
  params: Record<string, string>;
  query: URLSearchParams;
  /** Asks for a new rendering in the next frame. */
  redraw(): void;
}

export interface View {
  /** The title of the document, without the name of the site. */
  title(): string;
  render(): TemplateResult;
  /** Called once, when another view takes its place. */
  leave?(): void;
  /** A view that needs all the room there is, such as a board on a phone. */
  compact?: boolean;
}

export interface ViewModule {
  default(context: ViewContext): View;
}

// ---- the wallet, other players ------------------------------------------------------------------------------------

export interface Withdrawal {
  id: string;
  status: "requested" | "approved" | "submitted" | "paid" | "rejected" | "cancelled" | "failed";
  amount: number;
  currency: string;
  requested_at: string;
  ended_at?: string | null;
}

export interface RatingView {
  rating: number;
  deviation: number;
  provisional: boolean;
}

export interface RatedPlayer extends PlayerRef {
  rating?: number | null;
  deviation?: number | null;
}

export interface GameResults extends RatingView {
  game: GameName;
  matches: number;
  won: number;
  drawn: number;
  lost: number;
  rated_at: string;
}

export interface Profile extends PlayerRef {
  guest: boolean;
  since: string;
  games: GameResults[];
}

export interface RatingChange {
  match_id: string;
  game: GameName;
  opponent: RatedPlayer;
  result: "won" | "drawn" | "lost";
  before: RatingView;
  after: RatingView;
  rated_at: string;
}

export interface Leader {
  rank: number;
  player: RatedPlayer;
  matches: number;
  won: number;
  drawn: number;
  lost: number;
}
