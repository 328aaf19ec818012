/** What the service sends to the staff. */

import type { MatchSummary, Me, PlayerRef, Withdrawal } from "./types.d.ts";

export type Role = Me["roles"][number];

export interface Account {
  id: string;
  kind: string;
  currency: string;
  player_id?: string | null;
  match_id?: string | null;
  stripe?: number | null;
  opened_at: string;
  balance: number;
  version: number;
}

export interface Side {
  account: string;
  kind: string;
  player_id?: string | null;
}

export interface Transfer {
  id: string;
  kind: string;
  amount: number;
  debit: Side;
  credit: Side;
  match_id?: string | null;
  reference: string;
  position: number;
  reverses?: string | null;
  created_at: string;
}

export interface TrialBalance {
  id?: string | null;
  at: string;
  passed: boolean;
  sum: number;
  accounts: { kind: string; currency: string; accounts: number; balance: number }[];
  checks: { name: string; passed: boolean; figure: string }[];
  stakes_closed: boolean;
}

export interface Seal {
  number: number;
  first_entry: number;
  last_entry: number;
  entries: number;
  sum: number;
  seal: string;
  sealed_at: string;
}

export interface PlayerLine extends PlayerRef {
  email?: string | null;
  guest: boolean;
  roles: Role[];
  frozen: boolean;
  break_until?: string | null;
  identity: "none" | "pending" | "verified" | "refused";
  created_at: string;
}

export type MatchLine = Omit<MatchSummary, "seat">;

export interface Adjustment {
  id: string;
  player: string;
  amount: number;
  reason: string;
  status: "waiting" | "done" | "rejected";
  asked_by: string;
  asked_at: string;
  decided_by?: string | null;
}

export interface StaffWithdrawal extends Withdrawal {
  player: PlayerRef;
  age_ms: number;
  decided_by?: string | null;
  decided_at?: string | null;
  reason?: string | null;
  submitted_at?: string | null;
  failure?: string | null;
}

export interface Switches {
  stopped: { all: boolean; games: string[]; players: string[] };
  stops: {
    game?: string | null;
    player?: string | null;
    stopped_at: string;
    stopped_by?: string | null;
    reason: string;
  }[];
}

export interface DailyFigures {
  opening: number;
  deposits: number;
  staked: number;
  won: number;
  refunded: number;
  withdrawn: number;
  adjusted: number;
  closing: number;
}

export interface DailyReport {
  date: string;
  from: string;
  to: string;
  totals: DailyFigures & { players: number; difference: number };
  items: (DailyFigures & { player: string })[];
  next_cursor?: string | null;
}

export interface FairPlaySum {
  player: string;
  rival: string | null;
  game: string;
  matches: number;
  moves: number;
  choices: number;
  best: number;
  best_permille: number;
  mean_ms: number;
  spread_ms: number;
}

export interface FairPlayMatch {
  match_id: string;
  player: string;
  rival: string;
  game: string;
  settled_at: string;
  moves: number;
  choices: number;
  best: number;
  mean_ms: number;
  spread_ms: number;
}

export interface PairLine {
  one: string;
  two: string;
  matches: number;
  won_by_one: number;
  won_by_two: number;
  undecided: number;
  resignations: number;
  timeouts: number;
  staked: number;
  flow: number;
  played_ms: number;
  shortest_ms: number;
}

export interface Complaint {
  id: string;
  match_id: string;
  player: string;
  rival: string;
  text: string;
  at: string;
}

export interface AuditLine {
  id: string;
  at: string;
  actor?: string | null;
  action: string;
  player?: string | null;
  subject?: string | null;
  reason?: string | null;
  detail?: object | null;
}

export interface SuspensePayment {
  direction: string;
  payment: string;
  amount: number;
  currency: string;
  reference: string;
  why: string;
  event: string;
  received_at: string;
}
