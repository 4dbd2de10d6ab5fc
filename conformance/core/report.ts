import type { LedgerEntry } from './ledger.ts';

import type { OperationCoverage } from './coverage.ts';
import type { WalkedEdge } from './lifecycle.ts';
import type { SpendLevel, Profile } from './spend.ts';
import type { Generation } from './target.ts';
import type { Exchange } from './exchange.ts';

/** Verdict of one row of the report. */
export type Verdict = 'pass' | 'violation' | 'warning' | 'note' | 'notTestable' | 'notRun' | 'error';

/** One failure of a requirement. */
export interface Failure {
  message: string;
  /** Smallest failing input; absent if the exchange shows the whole input. */
  counterexample?: string;
  /** Shell line that repeats the request. It contains `$SERVICE_API_KEY` in place of the key. */
  curl?: string;
  /**
   * Shell lines that reproduce the violation, in order; `$ID1` is an id of an earlier response. In a report about a
   * client, the requests of the client with their times.
   */
  script?: string[];
  /** Token for `svc replay`. */
  replay: string;
  /** Index into `exchanges` of the report. */
  exchange?: number;
  /** JSON pointer of the offending member in the response body (`/items/0/id`), if one member is at fault. */
  member?: string;
  /** Key of the matrix cell, if the row is a matrix. */
  cell?: string;
  /** Requirement that the cell covers. */
  requirement?: string;
  /** The baseline entry (`--baseline`) that accepts this failure. */
  accepted?: Acceptance;
}

/** Reason and expiry of an accepted failure. */
export interface Acceptance {
  reason: string;
  link?: string;
  /** Last day on which the failure is accepted, `YYYY-MM-DD`, in UTC. */
  expires: string;
}

/** Verdict of one matrix cell. */
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
  /** Words of the contract that state the requirement; absent for a row from another source. */
  quote?: string;
  source: string;
  /**
   * `documented`: the contract states the rule; `full`: the rule is beyond the contract, and only `beyond` counts it.
   */
  profile: Profile;
  verdict: Verdict;
  /**
   * Number of all cells, of the judged cells, and of the cells that failed. A requirement without a table has one cell.
   */
  cells: { total: number; judged: number; failed: number };
  /** Verdict of each judged cell, in the order of judging; absent for a requirement without a table. */
  judgedCells?: JudgedCell[];
  /** Reason why the row was not testable or not run, or the fault of the suite. */
  reason?: string;
  /** True for a row that is not testable because a whole operation could not be judged. The run is then incomplete. */
  blocked?: true;
  failures: Failure[];
  /** Present if a baseline accepts every failure of the row. The verdict does not change. */
  accepted?: Acceptance;
}

/** An entry of a baseline, with a message for the user. */
export interface NamedEntry {
  /** Id of the requirement. For a baseline entry about one cell, the cell follows in brackets. */
  name: string;
  why: string;
}

/** Result of the known failures of a baseline. */
export interface BaselineReport {
  file: string;
  /** Ids of the rows whose failures are all accepted. */
  accepted: string[];
  /**
   * Baseline entries whose requirement or cell was judged completely in this run and did not fail. Each of these
   * entries fails the run.
   */
  stale: NamedEntry[];
  /** Baseline entries whose failure still exists after their last day. The failure then counts as without an entry. */
  expired: NamedEntry[];
  /** Baseline entries for which this run does not show whether their failure still exists. */
  notJudged: NamedEntry[];
  /** Baseline entries for a cell that their requirement does not have; a usage error. */
  unknownCells: NamedEntry[];
}

/** Reason of the end of a run. */
export type RunEnd =
  | 'complete'
  | 'interrupted'
  | 'timeLimit'
  | 'costLimit'
  | 'answerLimit'
  | 'unreachable'
  | 'maxFailures';

/**
 * Reason of a row that only the profile `full` judges; also the beginning of this reason if the row needs further
 * options.
 */
export const beyondReason = 'needs --profile full';

/**
 * Prefix of the reason of a row whose check would wait for minutes. Such a row needs `--patient`, or a target with a
 * control URL.
 */
export const waitReason = 'needs --patient';

/**
 * Words in the reason of a row without a verdict that show the cause: the limit of dispatched tasks
 * (`--max-dispatches`).
 */
export const dispatchReason = 'dispatched tasks leaves none';

/** Words in the reason of a row without a verdict that show the cause: the target limits requests or sessions. */
export const busyReason = 'the target answered 429';

/** Number of rows with each verdict. */
export interface Totals {
  passed: number;
  violations: number;
  warnings: number;
  notes: number;
  notTestable: number;
  notRun: number;
  errors: number;
}

/** The shard of a plan that a report covers. */
export interface ReportShard {
  /** Index of the shard, from 1. */
  index: number;
  of: number;
  /** Fingerprint of the whole plan: only shards with an equal fingerprint can be merged. */
  plan: string;
  /** Ids of the rows of this shard. */
  rows: readonly string[];
}

/**
 * A requirement of the frozen set that did not pass with all its cells. A MUST prevents the certificate; a SHOULD or
 * MAY does not.
 */
export interface MissingRow {
  id: string;
  verdict: Verdict;
  why: string;
}

/** Certification result for one frozen set of requirements (`--certify`). */
export interface Certificate {
  /** The generation of the set. */
  set: Generation;
  /** Day of the freeze, `YYYY-MM-DD`. */
  frozen: string;
  /** True if every checkable MUST of the set has passed with all its cells. */
  certified: boolean;
  /** Number of MUSTs that have passed with all their cells; `total` is the number of all checkable MUSTs of the set. */
  passed: number;
  total: number;
  /** The checkable MUSTs that are violated, or of which not all cells were judged. */
  missing: MissingRow[];
  /** Rows of the set without a check, with the reason. */
  excluded: { id: string; reason: string }[];
  /** SHOULDs and MAYs of the set that have not passed with all their cells; they do not prevent certification. */
  advised: MissingRow[];
}

/** A report in the format svc-report/1, a public interface. */
export interface Report {
  schema: 'svc-report/1';
  target: { url: string; profile: Profile; spend: SpendLevel };
  /** Present if a client was judged: its command replaces the URL of the target. */
  client?: { command: string; trials: number };
  seed: number;
  /** Unique tag of the run, which replaces `{run}` in tasks. */
  stamp?: string;
  /** Start time in ISO 8601. */
  startedAt: string;
  durationMs: number;
  ended: RunEnd;
  /** True for a run with `--strict`, which fails if rows of the contract were not judged. @defaultValue false */
  strict?: boolean;
  /** Verdict totals of the rows of the contract. */
  totals: Totals;
  /** Verdict totals of the rows beyond the contract. */
  beyond: Totals;
  requirements: ReportRow[];
  /** The exchanges to which failures refer. */
  exchanges: Exchange[];
  /** Number of all exchanges of the run. */
  exchangeCount: number;
  /** Coverage of each operation of the documents. */
  coverage: OperationCoverage[];
  /** State transitions of resources that were observed in the run. */
  walked?: WalkedEdge[];
  /** Every resource that the run created, or may have created, on the target. */
  created: LedgerEntry[];
  /** Resources that could not be ended or that may exist, each with a command to end it. */
  left: LeftEntry[];
  /** Sum of the last known costs, decimal string in US dollars. */
  spentUsd: string;
  /** The shard of a plan; absent for an undivided run and for a merged report. */
  shard?: ReportShard;
  /** Result of the baseline, with `--baseline`. */
  baseline?: BaselineReport;
  /** One certificate for each requested set, with `--certify`. */
  certify?: Certificate[];
  /** Estimate that was computed before the first request, for comparison with `created` and `spentUsd`. */
  estimate?: Estimate;
}

/** A resource that could not be ended, or that may exist. */
export interface LeftEntry extends LedgerEntry {
  /** Shell line that ends the resource, or lists its candidates; absent if the target offers no such operation. */
  curl?: string;
  /**
   * For a resource without an id: ids of live resources on the target that are not in the ledger. One of them may be
   * this resource.
   */
  candidates?: string[];
}

/** Expected resources and cost of a run, computed before the first request. */
export interface Estimate {
  /** Maximum number of dispatched tasks. */
  dispatches: number;
  /** Number of started browsers without an agent. */
  browsers: number;
  /** Charged minutes of the browsers without an agent, at least one for each. */
  browserMinutes: number;
  /** True if the run creates profiles, workspaces or files. */
  storage: boolean;
  /** Cost at the typical prices of the target file, decimal string in US dollars; null if a price is unknown. */
  expectedUsd: string | null;
  /**
   * Highest possible cost: every task at its ceiling and every browser at its hourly price, but not more than
   * `limitUsd`. Decimal string in US dollars.
   */
  atMostUsd: string;
  /** The limit of `--max-cost-usd`, decimal string in US dollars; null without a limit. */
  limitUsd: string | null;
  /** Notes on figures that are approximate. */
  notes: string[];
}
