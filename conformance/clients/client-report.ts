import type { Exchange } from '../core/exchange.ts';
import { parseJson, isJsonObject } from '../core/json.ts';
import type { Report, ReportRow } from '../core/report.ts';
import { countVerdicts } from '../runner/count-verdicts.ts';
import type { ClientRuleId } from '#generated/requirements.ts';
import { ruleTrials } from './client-rules.ts';
import type { ClientFinding, RuleJudgement } from './judge-trials.ts';
import type { ClientExchange, TrialRun } from './recording.ts';
import { shownState } from './states.ts';

/** Trial name in the report of observed traffic (`--observe`). No other trial has this name. */
export const observedName = 'observed';

/** Input of {@link buildClientReport}. */
export interface ClientReportInput {
  /** Program and arguments, quoted for a shell; for observed traffic, a description of the client. */
  readonly command: string;
  readonly seed: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly judgements: readonly RuleJudgement[];
  readonly runs: readonly TrialRun[];
}

/** Builds the report of a client run, in the format of the reports on servers. */
export function buildClientReport(input: ClientReportInput): Report {
  const exchanges: Exchange[] = [];
  const rows = input.judgements.map((judgement) => buildRow(judgement, { input, exchanges }));
  return {
    schema: 'svc-report/1',
    target: { url: input.command, profile: 'documented', spend: 'none' },
    client: { command: input.command, trials: input.runs.length },
    seed: input.seed,
    startedAt: input.startedAt.toISOString(),
    durationMs: Math.round(input.durationMs),
    ended: 'complete',
    ...countVerdicts(rows),
    requirements: rows,
    exchanges,
    exchangeCount: input.runs.reduce((sum, run) => sum + run.exchanges.length, 0),
    coverage: [],
    created: [],
    left: [],
    spentUsd: '0',
  };
}

interface RowContext {
  readonly input: ClientReportInput;
  /** Collects the exchanges that findings refer to. */
  readonly exchanges: Exchange[];
}

function buildRow({ rule, verdict, judged, findings, reason }: RuleJudgement, context: RowContext): ReportRow {
  const { id, area, level, text, quote, source } = rule;
  return {
    id,
    area,
    level,
    text,
    ...(quote === undefined ? {} : { quote }),
    source,
    profile: 'documented',
    verdict,
    cells: { total: Math.max(judged, 1), judged, failed: findings.length },
    ...(reason === undefined ? {} : { reason }),
    failures: findings.map((finding) => buildFailure(id, finding, context)),
  };
}

function buildFailure(
  id: ClientRuleId,
  { run, judged }: ClientFinding,
  { input, exchanges }: RowContext,
): ReportRow['failures'][number] {
  const { message, exchange } = judged;
  return {
    message: hidden(message, run),
    ...(exchange === undefined ? {} : { exchange: exchanges.push(shownExchange(exchange, run)) - 1 }),
    cell: run.trial.name,
    script: timeline(run),
    replay: replayText(id, run, input),
  };
}

/**
 * Returns the arguments of `svc replay` as one text. Observed traffic has no trial; its token names the first trial
 * that judges the rule, and the text has `COMMAND` in place of a command.
 */
function replayText(id: ClientRuleId, { trial }: TrialRun, { seed, command }: ClientReportInput): string {
  if (trial.name !== observedName) return `${writeClientToken({ trial: trial.name, seed })} -- ${command}`;
  return `${writeClientToken({ trial: ruleTrials(id)[0] ?? '', seed: 1 })} -- COMMAND`;
}

const linesShown = 40;

/**
 * Lists the requests of the program with their times, one on each line. After `linesShown` lines, one line states the
 * number of further requests.
 */
function timeline(run: TrialRun): string[] {
  const lines = run.exchanges.map((exchange) => hidden(timelineEntry(exchange), run));
  const folded = lines.length - linesShown;
  return folded > 0 ? [...lines.slice(0, linesShown), `and ${folded} more`] : lines;
}

function timelineEntry(exchange: ClientExchange): string {
  const { atMs, host, method, target, status, fault } = exchange;
  const state = shownState(exchange);
  const what = [
    `+${(atMs / 1000).toFixed(3)} s`,
    ...(host === 'elsewhere' ? ['(other host)'] : []),
    `${method} ${target}`,
    status === 0 ? '-> no answer' : `-> ${status}`,
    ...(state === undefined ? [] : [state]),
    ...(fault === undefined
      ? []
      : [`(put in: ${[fault.do, fault.as].filter((word) => word !== undefined).join(' ')})`]),
  ];
  return what.join(' ');
}

const bodyMax = 20_000;

function shownExchange(exchange: ClientExchange, run: TrialRun): Exchange {
  const { index, atMs, endedMs, method, target, headers, body, status, answerHeaders, answer, operation, failure } =
    exchange;
  const text = hidden(answer.toString().slice(0, bodyMax), run);
  return {
    index,
    generation: operation?.version ?? 'other',
    operation: operation?.id ?? 'none',
    sentBy: run.trial.name,
    atMs: Math.round(atMs),
    durationMs: Math.round((endedMs ?? atMs) - atMs),
    request: {
      method,
      url: hidden(target, run),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hidden(value, run)])),
      ...(body.length === 0 ? {} : { body: hidden(body.toString().slice(0, bodyMax), run) }),
    },
    status,
    headers: { ...answerHeaders },
    body: text,
    json: parseJson(text),
    ...(status === 0 ? { fault: failure ?? 'no answer was sent' } : {}),
  };
}

/** Replaces the API key by `$SERVICE_API_KEY`, because an observed client sends a real key. */
function hidden(text: string, { key }: TrialRun): string {
  return key === undefined ? text : text.replaceAll(key, '$SERVICE_API_KEY');
}

/** Trial and seed of a replay. */
export interface ClientToken {
  readonly trial: string;
  readonly seed: number;
}

const prefix = 'svc-client1.';

/** Encodes a token as one word for a shell. */
function writeClientToken({ trial, seed }: ClientToken): string {
  return prefix + Buffer.from(JSON.stringify({ trial, seed })).toString('base64url');
}

/** Decodes a replay token, which may contain line breaks. Returns undefined for any other text. */
export function readClientToken(given: string): ClientToken | undefined {
  const text = given.replaceAll(/\s/g, '');
  if (!text.startsWith(prefix)) return undefined;
  const value = parseJson(Buffer.from(text.slice(prefix.length), 'base64url').toString());
  if (!isJsonObject(value) || typeof value['trial'] !== 'string' || typeof value['seed'] !== 'number') return undefined;
  return { trial: value['trial'], seed: value['seed'] };
}
