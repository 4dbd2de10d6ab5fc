import { toText } from '../core/json.ts';
import type { ClientRuleId } from '#generated/requirements.ts';
import type { ClientRule } from './client-rules.ts';
import type { TrialRun } from './recording.ts';
import { type Judged, isFinished, judges } from './rules/index.ts';
import { ofKind, open, printedObject } from './rules/judged.ts';
import { isTerminal } from './states.ts';
import { always, endMs } from './trial.ts';

/** A violation of a rule, with the trial that shows it. */
export interface ClientFinding {
  readonly run: TrialRun;
  readonly judged: Extract<Judged, { verdict: 'broken' }>;
}

/** Verdict of all trials together on one rule. */
export interface RuleJudgement {
  readonly rule: ClientRule;
  readonly verdict: 'pass' | 'violation' | 'warning' | 'notTestable';
  /** Number of trials that have a verdict on the rule. */
  readonly judged: number;
  readonly findings: readonly ClientFinding[];
  /** Reason why no trial has a verdict on the rule; undefined if at least one trial has a verdict. */
  readonly reason: string | undefined;
}

/** Judges every rule by the trials of a run. */
export function judgeTrials(rules: readonly ClientRule[], runs: readonly TrialRun[]): RuleJudgement[] {
  const byName = new Map(runs.map((run) => [run.trial.name, run]));
  return rules.map((rule) => judgeRule(rule, byName));
}

function judgeRule(rule: ClientRule, runs: ReadonlyMap<string, TrialRun>): RuleJudgement {
  const concerned = [...runs.values()].filter(
    ({ trial }) => always.includes(rule.id) || trial.judges.includes(rule.id),
  );
  return combineJudgements(
    rule,
    concerned.map((run) => ({ run, judged: judgeOne(rule.id, run, runs) })),
  );
}

/** Result of one rule in one trial. */
interface FoundInRun {
  readonly run: TrialRun;
  readonly judged: Judged;
}

/**
 * Combines the results of a rule over all trials. If no trial has a verdict, the reason of a trial that the program
 * performed takes precedence.
 */
export function combineJudgements(rule: ClientRule, found: readonly FoundInRun[]): RuleJudgement {
  const findings = found.flatMap(({ run, judged }) => (judged.verdict === 'broken' ? [{ run, judged }] : []));
  const judged = found.filter((one) => one.judged.verdict !== 'open').length;
  const reasons = found.flatMap((one) => (one.judged.verdict === 'open' ? [one.judged.reason] : []));
  const openReason = reasons.find((reason) => !reason.startsWith(notDone)) ?? reasons[0];
  const base = { rule, judged, findings, reason: undefined };
  if (findings.length > 0) return { ...base, verdict: rule.level === 'MUST' ? 'violation' : 'warning' };
  if (judged > 0) return { ...base, verdict: 'pass' };
  return { ...base, verdict: 'notTestable', reason: openReason ?? 'no trial of the run judges it' };
}

/** Prefix of the reason for a trial that the program does not support. */
const notDone = 'the program does not do this:';

function judgeOne(id: ClientRuleId, run: TrialRun, runs: ReadonlyMap<string, TrialRun>): Judged {
  const unsupported = printedObject(run)?.['unsupported'];
  if (unsupported !== undefined) return open(`${notDone} ${toText(unsupported)}`);
  const control = run.trial.control === undefined ? undefined : runs.get(run.trial.control);
  if (!always.includes(id) && control !== undefined && !isSound(control)) {
    return open(`the program does not finish ${control.trial.name} either`);
  }
  const judged = judges[id](run);
  const busy = judged.verdict === 'broken' ? busyReason(run) : undefined;
  return busy === undefined ? judged : open(`the machine was too busy: ${busy}; lower --concurrency`);
}

/**
 * Only the first requests of a trial, up to this number, can show that the machine was busy. Further requests take time
 * because the program sends so many.
 */
const requestsMax = 40;
/** A response that takes at least this fraction of the request timeout may be too late for the program. */
const nearTimeout = 0.8;
/** Slow responses may explain why a program was killed if they take at least this fraction of its time limit. */
const slowShare = 0.5;
/** Stalls of the machine may explain why a program was killed if they take at least this fraction of its time limit. */
const stalledShare = 0.25;

/**
 * Returns a description of a delay on a busy machine that can explain why a request timed out or the program was
 * killed. Undefined if no delay was long enough.
 */
function busyReason({ exchanges, input, end }: TrialRun): string | undefined {
  const prompt = exchanges.filter(({ fault }) => fault?.do !== 'delay' && fault?.do !== 'hang');
  const waits = prompt
    .slice(0, requestsMax)
    .map(({ atMs, endedMs, abandonedMs }) => (endedMs ?? abandonedMs ?? atMs) - atMs);
  const slowestMs = Math.max(0, ...waits);
  const allMs = (exchanges[0]?.atMs ?? 0) + waits.reduce((sum, ms) => sum + ms, 0);
  if (slowestMs >= Number(input['timeoutMs']) * nearTimeout)
    return `the mock took ${inSeconds(slowestMs)} for an answer`;
  if (end.killed === 'late' && allMs >= endMs * slowShare)
    return `the start of the program and the answers of the mock took ${inSeconds(allMs)}`;
  if (end.killed === 'late' && end.stalledMs >= endMs * stalledShare)
    return `nothing ran for ${inSeconds(end.stalledMs)}`;
  return undefined;
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Returns true if the program finished the control trial without a violation. If the program polled, a poll must have
 * shown a terminal state.
 */
function isSound(control: TrialRun): boolean {
  const polls = ofKind(control, 'poll');
  const hasSeenEnd = polls.length === 0 || polls.some(isTerminal);
  return (
    isFinished(control) && hasSeenEnd && control.trial.judges.every((id) => judges[id](control).verdict !== 'broken')
  );
}
