import { measureCoverage } from './measure-coverage.ts';
import { answerSchemas } from '../core/answer-schemas.ts';
import { curlLine, leadingTo, scriptLines } from '../core/script-lines.ts';
import type { Finding } from '../core/check.ts';
import type { Exchange } from '../core/exchange.ts';
import { targetDigest, writeReplayToken } from '../core/replay-token.ts';
import { walkedEdges } from '../properties/lifecycle/walked-edges.ts';
import type { RunContext } from './run-context.ts';
import type { Judgement } from './judge.ts';
import type { RunSettings } from './settings.ts';
import type { Plan, PlannedRow } from './plan.ts';
import { type Requirement, sourceText } from '../core/requirement.ts';
import { spentUsd } from './watch.ts';
import type { OrphanCandidates } from '../ledger/orphans.ts';
import { listLeftEntries } from './left-entries.ts';
import type { Failure, Report, ReportRow, RunEnd } from '../core/report.ts';
import { countVerdicts } from './count-verdicts.ts';
import { isJsonObject, pointerTo, valueAtPointer } from '../core/json.ts';

/** Input of {@link buildReport}. */
export interface ReportInput {
  plan: Plan;
  settings: RunSettings;
  judgements: ReadonlyMap<string, Judgement>;
  runContext: RunContext;
  startedAt: Date;
  ended: RunEnd;
  /** Ids of live resources, by kind, one of which may belong to a creation whose response was lost. */
  candidates: OrphanCandidates;
}

/** Builds the report of a run. */
export function buildReport(input: ReportInput): Report {
  const { settings, runContext, startedAt } = input;
  const exchanges: Exchange[] = [];
  const rows = input.plan.rows.map((row) => buildRow(row, { input, exchanges }));
  return {
    schema: 'svc-report/1',
    target: { url: settings.target.url, profile: settings.profile, spend: settings.spend },
    seed: settings.seed,
    stamp: settings.environment.stamp,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(settings.environment.elapsedMs()),
    ended: input.ended,
    ...countVerdicts(rows),
    requirements: rows,
    exchanges,
    exchangeCount: runContext.recorder.all().length,
    coverage: measureCoverage({
      target: settings.target,
      exchanges: runContext.recorder.all(),
      answers: answerSchemas,
      judged: judgedBy(input),
    }),
    walked: walkedEdges(settings.target, runContext.recorder.all()),
    created: runContext.ledger.entries().filter((entry) => entry.state !== 'refused'),
    left: listLeftEntries(runContext.ledger.entries(), settings.target, input.candidates),
    spentUsd: spentUsd(runContext.ledger),
    ...pickShard(input.plan),
    estimate: input.plan.estimate,
  };
}

function pickShard({ shard }: Plan): Pick<Report, 'shard'> {
  if (shard === undefined) return {};
  const { index, of, plan, rows } = shard;
  return { shard: { index, of, plan, rows } };
}

// A check that sent a request under its own id has judged the response, even if the finding names no exchange.
function judgedBy({ judgements, runContext }: ReportInput): Map<string, Set<Exchange>> {
  const sent = Map.groupBy(runContext.recorder.all(), ({ sentBy }) => sentBy);
  return new Map([...judgements].map(([id, { exchanges }]) => [id, new Set([...exchanges, ...(sent.get(id) ?? [])])]));
}

/** Input of one row. */
export interface RowContext {
  input: ReportInput;
  /** Collects the exchanges of the failures of all rows. */
  exchanges: Exchange[];
}

/** Builds the report row of a planned row. */
export function buildRow({ requirement, skip }: PlannedRow, context: RowContext): ReportRow {
  const { id, area, level, text, quote, profile = 'documented' } = requirement;
  const source = sourceText(requirement);
  const judgement = context.input.judgements.get(id);
  const base = { id, area, level, text, ...(quote === undefined ? {} : { quote }), source, profile };
  if (judgement === undefined) {
    const { verdict, reason } = skip ?? { verdict: 'notRun' as const, reason: 'the run ended before it' };
    const total = Object.keys(requirement.covers ?? {}).length || 1;
    return { ...base, verdict, cells: { total, judged: 0, failed: 0 }, reason, failures: [] };
  }
  return {
    ...base,
    verdict: judgement.verdict,
    cells: judgement.cells,
    ...(judgement.judgedCells.length === 0 ? {} : { judgedCells: judgement.judgedCells }),
    ...(judgement.reason === undefined ? {} : { reason: judgement.reason }),
    ...(judgement.blocked === undefined ? {} : { blocked: judgement.blocked }),
    failures: judgement.findings.map((finding) => buildFailure(finding, requirement, context)),
  };
}

function buildFailure(finding: Finding, requirement: Requirement, { input, exchanges }: RowContext): Failure {
  const { message, exchange, counterexample, cell, path } = finding;
  const member = offendingMember(finding);
  const covered = cell === undefined ? undefined : coveredRequirement(requirement, cell);
  return {
    message,
    ...(counterexample === undefined ? {} : { counterexample }),
    ...(exchange === undefined ? {} : { curl: curlLine(exchange), exchange: keep(exchange, exchanges) }),
    ...(member === undefined ? {} : { member }),
    ...buildScript(finding, input),
    replay: writeReplayToken({
      id: requirement.id,
      seed: finding.seed ?? input.settings.seed,
      ...(path === undefined ? {} : { path }),
      ...(cell === undefined ? {} : { cell }),
      url: input.settings.target.url,
      spend: input.settings.spend,
      target: targetDigest(input.settings.target),
    }),
    ...(cell === undefined ? {} : { cell }),
    ...(covered === undefined ? {} : { requirement: covered }),
  };
}

// A script of one line would repeat `curl`.
function buildScript({ script, exchange }: Finding, { runContext }: ReportInput): Pick<Failure, 'script'> {
  const lines = script ?? (exchange === undefined ? [] : scriptLines(leadingTo(exchange, runContext.recorder.all())));
  return lines.length > 1 ? { script: lines } : {};
}

// A cell key begins with the table row of a covered requirement.
function coveredRequirement(requirement: Requirement, cell: string): string | undefined {
  const rows = Object.entries(requirement.covers ?? {});
  return rows.find(([, row]) => cell === row || cell.startsWith(`${row} `))?.[0];
}

function keep(exchange: Exchange, exchanges: Exchange[]): number {
  const known = exchanges.findIndex((kept) => kept.index === exchange.index);
  return known === -1 ? exchanges.push(exchange) - 1 : known;
}

/**
 * Returns the JSON pointer of the member that causes a finding: the check's own pointer, or a member that the finding's
 * message names if the response body confirms it. Returns undefined if neither names a member.
 */
export function offendingMember({ member, message, exchange }: Finding): string | undefined {
  if (member !== undefined) return member;
  const json = exchange?.json;
  if (json === undefined) return undefined;
  const named = bySchema(message) ?? atTheBeginning(message);
  if (named !== undefined && valueAtPointer(json, named) !== undefined) return named;
  const missing = /\bhas no (\w+)\b/.exec(message)?.[1];
  const isMissing = missing !== undefined && isJsonObject(json) && json[missing] === undefined;
  return isMissing ? pointerTo(missing) : undefined;
}

// A message of a schema begins with the location: "/items/0/id must be string".
function bySchema(message: string): string | undefined {
  return /(?:^|: )((?:\/[^/\s]+)+) must /.exec(message)?.[1];
}

function atTheBeginning(message: string): string | undefined {
  const path = /^(\w+(?:\.\w+)*) (?:is|of|has|shows|was)\b/.exec(message)?.[1];
  return path === undefined ? undefined : pointerTo(path);
}
