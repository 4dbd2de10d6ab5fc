import type { OperationCoverage, Share } from '../core/coverage.ts';
import { formatDecimal, parseDecimal, sumDecimals } from '../core/decimal.ts';
import type { Exchange } from '../core/exchange.ts';
import { SuiteError } from '../core/suite-error.ts';
import { countVerdicts } from '../runner/count-verdicts.ts';
import type { Failure, JudgedCell, NamedEntry, Report, ReportRow, RunEnd, Verdict } from '../core/report.ts';
import { isFinding } from './words.ts';

/** A report of one shard. */
type ShardReport = Report & Required<Pick<Report, 'shard'>>;

/**
 * Merges the reports of all shards of a plan into the report of an undivided run. Throws SuiteError `usage` unless each
 * shard of one plan is given exactly once.
 */
export function mergeReports(reports: readonly Report[]): Report {
  const shards = asShards(reports).toSorted((left, right) => left.shard.index - right.shard.index);
  const [first] = shards;
  if (first === undefined) throw wrong('no report', 'the reports of all shards', 'name their files');
  const requirements = mergeRows(shards);
  const begun = shards.map(({ startedAt }) => Date.parse(startedAt));
  const ended = shards.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs);
  return {
    schema: first.schema,
    target: first.target,
    seed: first.seed,
    startedAt: new Date(Math.min(...begun)).toISOString(),
    durationMs: Math.max(...ended) - Math.min(...begun),
    ended: worstEnd(shards),
    ...countVerdicts(requirements),
    requirements,
    exchanges: shards.flatMap((shard, at) => renumbered(shard, requestsBefore(shards, at))),
    exchangeCount: requestsBefore(shards, shards.length),
    coverage: mergeCoverage(shards),
    ...mergeWalked(shards),
    ...mergeBaselines(shards, requirements),
    created: shards.flatMap(({ created }) => created),
    left: shards.flatMap(({ left }) => left),
    spentUsd: formatDecimal(sumDecimals(shards.flatMap(({ spentUsd }) => parseDecimal(spentUsd) ?? []))),
  };
}

/**
 * Merges the results of the baseline, which all shards have or none. An entry is stale if a shard has found it stale and
 * its failure exists in no other shard.
 */
export function mergeBaselines(
  shards: readonly Pick<Report, 'baseline'>[],
  requirements: readonly ReportRow[],
): Pick<Report, 'baseline'> {
  const parts = shards.flatMap(({ baseline }) => baseline ?? []);
  const [first] = parts;
  if (first === undefined) return {};
  const unite = (list: 'stale' | 'expired' | 'notJudged' | 'unknownCells'): NamedEntry[] => [
    ...new Map(parts.flatMap((part) => part[list]).map((entry) => [entry.name, entry])).values(),
  ];
  const isIn = (entries: readonly NamedEntry[], { name }: NamedEntry): boolean =>
    entries.some((entry) => entry.name === name);
  return {
    baseline: {
      file: first.file,
      accepted: requirements.flatMap(({ id, accepted }) => (accepted === undefined ? [] : [id])),
      stale: unite('stale').filter((entry) => parts.every((part) => isIn([...part.stale, ...part.notJudged], entry))),
      expired: unite('expired'),
      notJudged: unite('notJudged').filter((entry) => parts.every((part) => isIn(part.notJudged, entry))),
      unknownCells: unite('unknownCells'),
    },
  };
}

function asShards(reports: readonly Report[]): ShardReport[] {
  const shards = reports.filter((report): report is ShardReport => report.shard !== undefined);
  const [first] = shards;
  if (first === undefined || shards.length < reports.length) {
    throw wrong('a report without `shard`', 'reports of `svc check --shard i/n`', 'merge those alone');
  }
  const { of } = first.shard;
  const facts: [string, (report: ShardReport) => string | number][] = [
    ['target', ({ target }) => target.url],
    ['seed', ({ seed }) => seed],
    ['number of shards', ({ shard }) => shard.of],
    ['plan', ({ shard }) => shard.plan],
  ];
  for (const [what, read] of facts) {
    const values = [...new Set(shards.map((report) => read(report)))];
    if (values.length === 1) continue;
    const next = 'run every shard with the same options, target file and version of svc';
    throw wrong(`shards with a different ${what}: ${values.join(', ')}`, 'shards of one plan', next);
  }
  const indices = shards.map(({ shard }) => shard.index);
  const doubled = indices.find((index, at) => indices.indexOf(index) !== at);
  if (doubled !== undefined) throw wrong(`shard ${doubled} of ${of} twice`, 'each shard once', 'leave one out');
  const missing = Array.from({ length: of }, (_none, at) => at + 1).filter((index) => !indices.includes(index));
  if (missing.length === 0) return shards;
  throw wrong(`no shard ${missing.join(', ')} of ${of}`, `all ${of} shards`, 'add the missing reports');
}

function wrong(found: string, expected: string, next: string): SuiteError {
  return new SuiteError('usage', { found, expected, next });
}

function mergeRows(shards: readonly ShardReport[]): ReportRow[] {
  const begins = shards.map((_shard, at) =>
    shards.slice(0, at).reduce((sum, { exchanges }) => sum + exchanges.length, 0),
  );
  return (shards[0]?.requirements ?? []).map(({ id }) => {
    const parts = shards.flatMap((shard, at) => {
      const row = shard.requirements.find((item) => item.id === id);
      return row === undefined ? [] : [{ row: moved(row, begins[at] ?? 0), isOwn: shard.shard.rows.includes(id) }];
    });
    return mergeRow(parts);
  });
}

// The merged report concatenates the exchanges of the shards, so the position of an exchange moves.
function moved(row: ReportRow, by: number): ReportRow {
  const failures = row.failures.map((failure) =>
    failure.exchange === undefined ? failure : { ...failure, exchange: failure.exchange + by },
  );
  return { ...row, failures };
}

function requestsBefore(shards: readonly Report[], at: number): number {
  return shards.slice(0, at).reduce((sum, { exchangeCount }) => sum + exchangeCount, 0);
}

function renumbered({ exchanges }: Report, by: number): Exchange[] {
  return exchanges.map((exchange) => ({ ...exchange, index: exchange.index + by }));
}

/**
 * Reasons for the end of a run. If shards ended for different reasons, the merged report names the first of them in
 * this order, which explains most of the missing rows.
 */
const ends: readonly RunEnd[] = [
  'interrupted',
  'costLimit',
  'answerLimit',
  'unreachable',
  'timeLimit',
  'maxFailures',
  'complete',
];

function worstEnd(shards: readonly Report[]): RunEnd {
  return ends.find((end) => shards.some(({ ended }) => ended === end)) ?? 'complete';
}

function mergeCoverage(shards: readonly Report[]): OperationCoverage[] {
  return (shards[0]?.coverage ?? []).map((row) => {
    const all = shards.flatMap(({ coverage }) => coverage.filter(({ operation }) => operation === row.operation));
    return {
      operation: row.operation,
      offered: row.offered,
      requests: all.reduce((sum, { requests }) => sum + requests, 0),
      statuses: mergeShare(all.map(({ statuses }) => statuses)),
      sent: mergeShare(all.map(({ sent }) => sent)),
      received: mergeShare(all.map(({ received }) => received)),
      requirements: [...new Set(all.flatMap(({ requirements }) => requirements))],
    };
  });
}

function mergeShare<T>(shares: readonly Share<T>[]): Share<T> {
  const seen = [...new Set(shares.flatMap((share) => share.seen))];
  return { seen, unseen: (shares[0]?.unseen ?? []).filter((item) => !seen.includes(item)) };
}

function mergeWalked(shards: readonly Report[]): Pick<Report, 'walked'> {
  if (shards.every(({ walked }) => walked === undefined)) return {};
  const steps = shards.flatMap(({ walked = [] }) => walked);
  const edges = Map.groupBy(steps, ({ machine, from, to }) => JSON.stringify([machine, from, to]));
  const walked = [...edges.values()].flatMap((seen) =>
    seen.slice(0, 1).map((edge) => ({ ...edge, count: seen.reduce((sum, { count }) => sum + count, 0) })),
  );
  return { walked };
}

/** The row of a requirement in the report of one shard. */
interface RowPart {
  row: ReportRow;
  /** True if the row belongs to the shard. */
  isOwn: boolean;
}

/**
 * Precedence of the verdicts of one row in several shards, the strongest first. A finding of any shard counts, so
 * findings (violation, error, warning, note) come first. A row that a shard left undone is a gap, so notRun precedes
 * pass. A row that a shard could not test is no gap if another shard judged it, so notTestable is last.
 */
const order: readonly Verdict[] = ['violation', 'error', 'warning', 'note', 'notRun', 'pass', 'notTestable'];

/** Merges the rows of one requirement in all shards into one row. Throws for an empty list. */
export function mergeRow(parts: readonly RowPart[]): ReportRow {
  const said = parts.filter(({ row, isOwn }) => isOwn || wasJudged(row)).map(({ row }) => row);
  const rows = said.length === 0 ? parts.map(({ row }) => row).slice(0, 1) : said;
  const [worst] = rows.toSorted((left, right) => order.indexOf(left.verdict) - order.indexOf(right.verdict));
  if (worst === undefined) throw new Error('a row is merged from at least one shard');
  if (rows.length === 1) return worst;
  const { reason: _reason, accepted, ...rest } = worst;
  const cells = mergeCells(rows);
  const reason = mergeReasons(worst, rows, cells);
  // A baseline that accepts the finding of one shard need not accept the finding of another.
  const isKnown = rows.every((row) => row.accepted !== undefined || !isFinding(row));
  return {
    ...rest,
    ...(accepted === undefined || !isKnown ? {} : { accepted }),
    cells,
    ...(reason === undefined ? {} : { reason }),
    ...mergeJudgedCells(rows),
    failures: mergeFailures(rows),
  };
}

// A row over all exchanges has a verdict in every shard with a relevant exchange.
function wasJudged({ verdict }: ReportRow): boolean {
  return verdict !== 'notRun' && verdict !== 'notTestable';
}

function mergeFailures(rows: readonly ReportRow[]): Failure[] {
  const distinct = new Map<string, Failure>();
  for (const failure of rows.flatMap(({ failures }) => failures)) {
    const key = JSON.stringify([failure.cell, failure.message]);
    if (!distinct.has(key)) distinct.set(key, failure);
  }
  return [...distinct.values()];
}

// A report may omit passed cells, so the maximum of one shard is the minimum of the merged row.
function mergeCells(rows: readonly ReportRow[]): ReportRow['cells'] {
  const failed = new Set(rows.flatMap(({ failures }) => failures.map(({ cell }) => cell))).size;
  const named = new Set(rows.flatMap((row) => getJudgedCells(row).map(({ cell }) => cell))).size;
  const judged = Math.max(named, failed, ...rows.map(({ cells }) => cells.judged));
  return { total: Math.max(judged, ...rows.map(({ cells }) => cells.total)), judged, failed };
}

function mergeReasons(worst: ReportRow, rows: readonly ReportRow[], cells: ReportRow['cells']): string | undefined {
  // A fault of the suite is never hidden by a verdict that precedes it.
  const errors = rows.filter(({ verdict }) => verdict === 'error');
  const same = rows.filter(({ verdict }) => verdict === worst.verdict);
  const isWhole = worst.verdict === 'pass' && cells.judged === cells.total;
  const reasons = [...(isWhole ? [] : same), ...errors].flatMap(({ reason = '' }) => (reason === '' ? [] : [reason]));
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join('; ');
}

function getJudgedCells({ judgedCells = [] }: ReportRow): readonly JudgedCell[] {
  return judgedCells;
}

function mergeJudgedCells(rows: readonly ReportRow[]): Pick<ReportRow, 'judgedCells'> {
  const judged = Map.groupBy(rows.flatMap(getJudgedCells), ({ cell }) => cell);
  const judgedCells = [...judged].map(([cell, seen]) => ({
    cell,
    verdict: seen.some(({ verdict }) => verdict === 'fail') ? ('fail' as const) : ('pass' as const),
  }));
  return judgedCells.length === 0 ? {} : { judgedCells };
}
