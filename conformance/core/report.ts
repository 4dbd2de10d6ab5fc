import type { LedgerEntry } from './ledger.ts';

import type { OperationCoverage } from './coverage.ts';
import type { WalkedEdge } from './lifecycle.ts';
import type { SpendLevel, Profile } from './spend.ts';
import type { Generation } from './target.ts';
import type { Exchange } from './exchange.ts';

/** What a row of the report says. */
export type Verdict = 'pass' | 'violation' | 'warning' | 'note' | 'notTestable' | 'notRun' | 'error';

/** One failure of a requirement. */
export interface Failure {
  message: string;
  /** Smallest input that shows it; absent when the exchange says it all. */
  counterexample?: string;
  /** Shell line that sends the request again; the key stays `$SERVICE_API_KEY`. */
  curl?: string;
  /** Shell lines in order that lead to the breach, at most 12; an id of an earlier answer stands as `$ID1`. Of a client its requests with their times. */
  script?: string[];
  /** Word for `svc replay`. */
  replay: string;
  /** Index into `exchanges` of the report. */
  exchange?: number;
  /** JSON pointer of the offending member in the body of the answer (`/items/0/id`), when one is at fault. */
  member?: string;
  /** Matrix cell, and the covered requirement that it belongs to. */
  cell?: string;
  requirement?: string;
  /** The known failure that covers it (`--baseline`). */
  accepted?: Acceptance;
}

/** Why a failure is accepted, and until when. */
export interface Acceptance {
  reason: string;
  link?: string;
  /** Last day, `YYYY-MM-DD`, in UTC. */
  expires: string;
}

/** What was found of one matrix cell. */
export interface JudgedCell {
  cell: string;
  verdict: 'pass' | 'fail';
}

/** One requirement or law. */
export interface ReportRow {
  id: string;
  area: string;
  level: 'MUST' | 'SHOULD' | 'MAY';
  text: string;
  source: string;
  /** `documented`: the contract; `full`: beyond it, counted in `beyond` only. */
  profile: Profile;
  verdict: Verdict;
  /** How many cells the row has, how many were judged and how many failed; one cell for a plain requirement. */
  cells: { total: number; judged: number; failed: number };
  /** What was found of each cell that was judged, in the order of judging; absent for a plain requirement. */
  judgedCells?: JudgedCell[];
  /** Why it was not testable or not run, or what the suite's own fault was. */
  reason?: string;
  failures: Failure[];
  /** Present when every failure is a known one; the verdict stays what it is. */
  accepted?: Acceptance;
}

/** An entry of a baseline, with what there is to say of it. */
export interface NamedEntry {
  /** Id, with the cell in brackets. */
  name: string;
  why: string;
}

/** Result of the known failures of a baseline. */
export interface BaselineReport {
  file: string;
  /** Ids of the rows all of whose failures are accepted. */
  accepted: string[];
  /** Entries whose failure is gone: they fail the run. */
  stale: NamedEntry[];
  /** Entries whose failure is still there after their last day: it counts again. */
  expired: NamedEntry[];
  /** Entries that this run could not tell anything about: neither used nor stale. */
  notJudged: NamedEntry[];
  /** Entries for a cell that its row does not have: wrong usage. */
  unknownCells: NamedEntry[];
}

/** Why a run ended. */
export type RunEnd = 'complete' | 'interrupted' | 'timeLimit' | 'costLimit' | 'maxFailures';

/** How many rows have each verdict. */
export interface Totals {
  passed: number;
  violations: number;
  warnings: number;
  notes: number;
  notTestable: number;
  notRun: number;
  errors: number;
}

/** Which part of a plan a report is about. */
export interface ReportShard {
  /** From 1, included. */
  index: number;
  of: number;
  /** Fingerprint of the whole plan: only shards with the same one belong together. */
  plan: string;
  /** Ids that this shard had to judge. */
  rows: readonly string[];
}

/** A row that a certificate asks for and that this run has not shown. */
export interface MissingRow {
  id: string;
  verdict: Verdict;
  why: string;
}

/** What a run says of one frozen set of requirements (`--certify`). */
export interface Certificate {
  /** The generation that the set stands for. */
  set: Generation;
  /** Day on which the set was frozen, `YYYY-MM-DD`. */
  frozen: string;
  /** True when every MUST of the set that can be checked has passed in full. */
  certified: boolean;
  /** MUSTs of the set that have passed in full, of how many that can be checked. */
  passed: number;
  total: number;
  /** The other MUSTs: violated, or not shown. */
  missing: MissingRow[];
  /** Rows of the set without a check, with the reason. */
  excluded: { id: string; reason: string }[];
  /** SHOULDs and MAYs of the set that did not pass: they forbid no certificate. */
  advised: MissingRow[];
}

/** Format svc-report/1, a public interface. */
export interface Report {
  schema: 'svc-report/1';
  target: { url: string; profile: Profile; spend: SpendLevel };
  /** Present when a client was judged: its command stands for the address of the target. */
  client?: { command: string; trials: number };
  seed: number;
  /** Word of the run, which stands for `{run}` in goals. */
  stamp?: string;
  /** ISO 8601. */
  startedAt: string;
  durationMs: number;
  ended: RunEnd;
  /** True for a run with `--strict`, which fails for rows of the contract that were not judged. @defaultValue false */
  strict?: boolean;
  /** Rows of the contract. */
  totals: Totals;
  /** Rows that go beyond the contract. */
  beyond: Totals;
  requirements: ReportRow[];
  /** The exchanges that failures refer to. */
  exchanges: Exchange[];
  /** How many exchanges the run had. */
  exchangeCount: number;
  /** What the run has exercised of each operation of the documents. */
  coverage: OperationCoverage[];
  /** The steps between states that things of the run were seen to take. */
  walked?: WalkedEdge[];
  /** Everything that was created on the target. */
  created: LedgerEntry[];
  /** What could not be ended or may exist, each with the way to end it. */
  left: LeftEntry[];
  /** Sum of the costs as last seen, decimal string in US dollars. */
  spentUsd: string;
  /** Which part of a plan this is; absent for a whole run and for a merged report. */
  shard?: ReportShard;
  /** Result of the known failures, with `--baseline`. */
  baseline?: BaselineReport;
  /** One for each set that was asked for, with `--certify`. */
  certify?: Certificate[];
  /** What was expected before anything was sent, to be compared with `created` and `spentUsd`. */
  estimate?: Estimate;
}

/** What could not be ended, or may exist. */
export interface LeftEntry extends LedgerEntry {
  /** Shell line that ends it, or that lists where it may stand; absent where the target has nothing for it. */
  curl?: string;
  /** Ids of things that live, that the run does not know, and of which one may be it. */
  candidates?: string[];
}

/** What a run is expected to create and to cost; known before anything is sent. */
export interface Estimate {
  /** Tasks dispatched at most. */
  dispatches: number;
  /** Browsers without an agent that are started. */
  browsers: number;
  /** Minutes of them that are charged, at least one each. */
  browserMinutes: number;
  /** Profiles, workspaces and files are made. */
  storage: boolean;
  /** By the typical prices of the target file; null where one is unknown. Decimal string in US dollars. */
  expectedUsd: string | null;
  /** Every task at its ceiling, every browser at its price for an hour, within the limit. Decimal string in US dollars. */
  atMostUsd: string;
  /** The limit of `--max-cost-usd`; null without one. */
  limitUsd: string | null;
  /** Where a figure is a guess. */
  notes: string[];
}
