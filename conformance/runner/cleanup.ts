import { createClient } from '../transport/client.ts';
import type { Send } from '../core/request.ts';
import { createAnswerBudget } from '../transport/answer-limits.ts';
import { areStartsFailing, createControlFaults } from '../transport/control.ts';
import { succeeded } from '../core/exchange.ts';
import { createPauseGate } from '../transport/pause-gate.ts';
import type { Ledger, LedgerEntry, ResourceKind, StopResult, Resources } from '../core/ledger.ts';
import { offeredEndpoint } from '../core/operations.ts';
import { pathWithId } from '../core/path-with-id.ts';
import { createBudget } from '../ledger/budget.ts';
import { NotRun } from '../core/outcome.ts';
import type { Recorder } from '../core/recorder.ts';
import { contractSchemas as schemas } from '../core/schemas.ts';
import { createRedact } from '../transport/redact.ts';
import { createObservedClock } from '../transport/observed-clock.ts';
import { createResources, isFault } from '../ledger/resources.ts';
import { createThrottle } from '../transport/throttle.ts';
import type { OperationTarget, Target } from '../core/target.ts';
import { requestPace } from './options.ts';
import type { RunSettings } from './settings.ts';
import { type OrphanCandidates, findOrphans } from '../ledger/orphans.ts';

/** Input of {@link cleanUp}. */
export interface CleanUpInput {
  settings: RunSettings;
  ledger: Ledger;
  recorder: Recorder;
  /** True after a run that may have been killed: injected faults may still be active. @defaultValue false */
  wasKilled?: boolean;
}

/** Time limit of the clean-up in ms: a base, and an addition for each resource. */
const retryLimits = { allMs: 60_000, eachMs: 2_000 } as const;

/**
 * Tries to end every live resource of the ledger, and deletes V2 and V3 sessions if the target supports that. Then
 * lists the resources of the target, and tries to end live resources that belong to the run but were not known to be
 * live. Never throws. Returns the live resources that may belong to a creation whose response was lost. The clean-up
 * does not end these.
 */
export async function cleanUp({
  settings,
  ledger,
  recorder,
  wasKilled = false,
}: CleanUpInput): Promise<OrphanCandidates> {
  const { target, otherApiKey, environment } = settings;
  const { elapsedMs, stamp, wait } = environment;
  // A separate signal, because an interrupted run must still clean up.
  const over = new AbortController();
  const timeout = AbortSignal.timeout(retryLimits.allMs + retryLimits.eachMs * ledger.entries().length);
  const signal = AbortSignal.any([timeout, over.signal]);
  const seen = createObservedClock(recorder);
  const pause = seen.paused((ms) => wait(ms, signal));
  const ways = { throttle: createThrottle(requestPace(settings)), pauseGate: createPauseGate(), pause, signal };
  // A separate budget: responses read by the run must not prevent the search for its resources.
  const end = (reason: string): void => over.abort(new NotRun(reason));
  const bounds = { answerBudget: createAnswerBudget(end), serviceWatch: undefined, onUnreachable: end };
  const client = {
    ...settings,
    ...ways,
    ...bounds,
    redact: createRedact(settings),
    schemas,
    recorder,
    stamp,
    elapsedMs,
  };
  const send = seen.through(createClient(client, 'clean-up'));
  const budget = createBudget({ ledger, limitUsd: undefined, onEmpty: () => undefined });
  const resources = createResources({ target, ledger, send, otherApiKey, budget, pause, nowMs: seen.nowMs });
  const parts: CleanUpParts = { settings, ledger, send, resources, signal };
  if (wasKilled || areStartsFailing(recorder.all())) await restoreStarts(settings, send);
  await finishAll(
    parts,
    ledger.entries().filter(({ state }) => state === 'live' || state === 'ended'),
  );
  const candidates = await found(() => findOrphans({ target, ledger, send, stamp }));
  await finishAll(
    parts,
    ledger.entries().filter(({ state }) => state === 'live'),
  );
  return candidates;
}

/** Objects that the steps of a clean-up share. */
interface CleanUpParts {
  settings: RunSettings;
  ledger: Ledger;
  send: Send;
  resources: Resources;
  signal: AbortSignal;
}

/** Delays in ms before the tries to end a resource: a rate limit or a fault of the target may be temporary. */
const backOffMs = [0, 1_000, 2_000, 5_000, 10_000, 20_000];

/** Maximum number of tries after a server error; a rate limit allows more. */
const faultTries = 3;

/**
 * Order in which kinds of resources are ended: tasks, runs and browsers before sessions, because sessions contain tasks
 * and runs.
 */
const rounds: readonly (readonly ResourceKind[])[] = [
  ['task', 'run', 'browser'],
  ['session'],
  ['profile', 'workspace'],
];

async function finishAll(parts: CleanUpParts, entries: readonly LedgerEntry[]): Promise<void> {
  for (const kinds of rounds) {
    await finishRound(
      parts,
      entries.filter(({ kind }) => kinds.includes(kind)),
    );
  }
}

async function finishRound(parts: CleanUpParts, entries: readonly LedgerEntry[]): Promise<void> {
  let unfinished = entries;
  for (const [time, waitMs] of backOffMs.entries()) {
    if (unfinished.length === 0 || parts.signal.aborted) return;
    await parts.settings.environment.wait(waitMs);
    const outcomes = await Promise.all(unfinished.map((entry) => finish(parts, entry)));
    const again: (StopResult | 'limited')[] = time + 1 < faultTries ? ['limited', 'again'] : ['limited'];
    unfinished = unfinished.filter((_entry, index) => again.includes(outcomes[index] ?? 'left'));
  }
}

async function finish(
  { settings, ledger, send, resources }: CleanUpParts,
  entry: LedgerEntry,
): Promise<StopResult | 'limited'> {
  const ended = await runStep(() => resources.tryEnd(entry));
  const removed = await runStep(() => remove(entry, settings, send));
  if (removed === 'ended') ledger.update(entry, { state: 'ended' });
  if (entry.state === 'ended') return removed === 'limited' || removed === 'again' ? removed : 'ended';
  return [ended, removed].find((outcome) => outcome === 'limited' || outcome === 'again') ?? 'left';
}

/**
 * Returns the result of one attempt to end a resource; `limited` if the attempt rejected, for example after status 429.
 */
async function runStep(step: () => Promise<StopResult>): Promise<StopResult | 'limited'> {
  const [outcome] = await Promise.allSettled([step()]);
  return outcome?.status === 'fulfilled' ? outcome.value : 'limited';
}

// A failed listing leaves the ledger unchanged: entries without a known end are reported.
async function found(look: () => Promise<OrphanCandidates>): Promise<OrphanCandidates> {
  const [outcome] = await Promise.allSettled([look()]);
  return outcome?.status === 'fulfilled' ? outcome.value : new Map();
}

// Restores sandbox starts, in case the run ended while they were disabled.
async function restoreStarts({ target: { control } }: RunSettings, send: Send): Promise<void> {
  if (control === null) return;
  // A failure here is visible in the next run against the target; all other resources are still ended.
  await Promise.allSettled([createControlFaults(control, send).restoreStarts()]);
}

// Deletes a session, which ends it even if the stop failed.
async function remove(entry: LedgerEntry, settings: RunSettings, send: Send): Promise<StopResult> {
  const { target, otherApiKey } = settings;
  const operation = entry.kind === 'session' && !target.stateless ? deletion(target, entry) : null;
  if (entry.id === undefined || operation === null) return 'left';
  const exchange = await send({
    generation: entry.generation,
    operation: 'deleteSession',
    method: operation.method,
    path: pathWithId(operation.path, entry.id),
    ...(entry.key === 'other' && otherApiKey !== undefined ? { key: { other: otherApiKey } } : {}),
  });
  if (succeeded(exchange)) return 'ended';
  return isFault(exchange) ? 'again' : 'left';
}

function deletion(target: Target, { generation }: LedgerEntry): OperationTarget | null {
  // A V4 session ends by its deletion.
  if (generation === 'v4') return null;
  return generation === 'v2' ? offeredEndpoint(target, 'v2.deleteSession') : (target.v3?.delete ?? null);
}
