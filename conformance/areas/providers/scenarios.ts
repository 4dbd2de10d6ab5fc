import { type JobKind, jobPhase, unwatchableReason } from '../../core/job-target.ts';
import { sample } from '../../core/random.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Generation, Target, TargetProviderStub } from '../../core/target.ts';
import { selectedCells } from '../../common/probe-cells.ts';
import { isServed, type ProviderCell, providerCells } from './cells.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { NotTestable, settleAll } from '../../core/outcome.ts';
import type { RequestSpec } from '../../core/request.ts';
import type { JsonObject } from '../../core/json.ts';
import { markFor, noStub } from '../../provider-stub/index.ts';
import type { ProviderCall } from '../../core/provider-call.ts';
import { watchJob } from '../../common/observed-job.ts';
import { fetchSession, hasEnded, poll } from '../../common/observed-session.ts';
import { retryWhileBusy } from '../../common/retry-while-busy.ts';

/** Requests that reached the model providers for one generation. */
export interface ProviderCalls {
  tasks: ProviderSeen[];
}

/** Creates V2 tasks. Records their requests to the model providers. */
export const providerTasks: Scenario<ProviderCalls> = {
  ...sendsTasks('v2'),
  name: 'provider-tasks',
  creates: 'one V2 task per cell of the mapping drawn, each until its end',
};

/** Creates V3 sessions. Records their requests to the model providers. */
export const providerSessions: Scenario<ProviderCalls> = {
  ...sendsTasks('v3'),
  name: 'provider-sessions',
  creates: 'one V3 session per cell of the mapping drawn, each until its end',
};

/** Creates V4 runs. Records their requests to the model providers. */
export const providerRuns: Scenario<ProviderCalls> = {
  ...sendsTasks('v4'),
  name: 'provider-runs',
  creates: 'one V4 run per modelParams value, default and empty object drawn, each until its end',
};

function sendsTasks(generation: Generation): Omit<Scenario<ProviderCalls>, 'name' | 'creates'> {
  return {
    spend: 'task',
    dispatches: 'cells',
    cells: providerCells[generation].length,
    stateful: true,
    unavailable: (target) =>
      unseen(target) ?? (generation === 'v3' ? undefined : unwatchableReason(target, kinds[generation])),
    run: (context) => sendAll(context, drawProviderCells(context, generation)),
  };
}

const kinds = { v2: 'task', v4: 'run' } as const;

/**
 * Returns the cells that a run sends, in table order: the leading cells and cells drawn by the seed, up to the task
 * budget. For a run of one cell, returns this cell and, in V2, the cells that it is compared with.
 */
function drawProviderCells(
  { target, taskBudget, seed, onlyCell }: ScenarioContext,
  generation: Generation,
): ProviderCell[] {
  const possible = possibleCells(target, generation);
  const one = selectedCells(possible, onlyCell);
  if (one.length < possible.length) return withPartners(one, possible);
  const leading = possible.filter(({ leads }) => leads).slice(0, taskBudget);
  const others = possible.filter((cell) => !leading.includes(cell));
  const drawn = new Set([...leading, ...sample(others, taskBudget - leading.length, seed)]);
  return possible.filter((cell) => drawn.has(cell));
}

/** Returns the cells of a generation for which the target has the required provider key or route. */
export function possibleCells(target: Target, generation: Generation): ProviderCell[] {
  return providerCells[generation].filter((cell) => isServed(cell, target));
}

/** Returns the wanted cells, and in V2 also the cells of the same model with which they are compared. */
function withPartners(wanted: readonly ProviderCell[], all: readonly ProviderCell[]): ProviderCell[] {
  const models = wanted.filter(({ generation }) => generation === 'v2').map(({ model }) => model);
  return all.filter((cell) => wanted.includes(cell) || (models.includes(cell.model) && cell.option !== 'level'));
}

async function sendAll(context: ScenarioContext, cells: readonly ProviderCell[]): Promise<ProviderCalls> {
  return { tasks: await settleAll(cells.map((cell) => context.live(() => sendProviderTask(context, cell)))) };
}

/** Pairs of identical V4 runs, one run with the caller's own provider key and one with the key of the service. */
export interface ProviderKeys {
  pairs: { own: ProviderSeen; service: ProviderSeen }[];
}

/**
 * Creates V4 runs in two projects, of which only the first has stored a provider key. Records their provider requests.
 */
export const providerKeys: Scenario<ProviderKeys> = {
  name: 'provider-keys',
  creates: 'three V4 runs with each of two keys, each until its end',
  spend: 'task',
  dispatches: 6,
  stateful: true,
  needsOtherKey: true,
  unavailable: (target) => unseen(target) ?? keyless(target),
  run: (context) => context.live(() => sendPairs(context)),
};

function keyless(target: Target): string | undefined {
  if (comparedCells(target).length > 0) return undefined;
  return 'the target file names no stored provider key of a V4 model with its last characters (ownKeys, providerStub.ownKeyEndings)';
}

/**
 * Returns cells of one model whose provider has a stored key: a run with a value, a run without modelParams and a run
 * with an empty object.
 */
function comparedCells({ ownKeys, providerStub }: Target): ProviderCell[] {
  const known = ownKeys.filter((provider) => providerStub?.ownKeyEndings[provider] !== undefined);
  const cells = providerCells.v4.filter(({ provider }) => known.includes(provider));
  const absent = cells.find(({ option }) => option === 'absent');
  const same = cells.filter(({ model }) => model === absent?.model);
  return (['param', 'absent', 'empty'] as const)
    .map((option) => same.find((cell) => cell.option === option))
    .filter((cell) => cell !== undefined);
}

/**
 * Offsets that are added to the index of a cell in task markers. They are larger than any index, so that each marker is
 * unique.
 */
const shifts = { own: 5000, service: 6000 } as const;

async function sendPairs(context: ScenarioContext): Promise<ProviderKeys> {
  const pairs: ProviderKeys['pairs'] = [];
  const key = { other: context.otherApiKey ?? '' };
  for (const cell of comparedCells(context.target)) {
    const own = await sendProviderTask(context, cell, { shift: shifts.own });
    pairs.push({ own, service: await sendProviderTask(context, cell, { key, shift: shifts.service }) });
  }
  return { pairs };
}

/** A task and the provider requests that it caused. */
export interface ProviderSeen {
  cell: ProviderCell;
  /** Answer to the creation of the task. */
  created: Exchange;
  /** Response of the stub that lists the requests of `calls`; undefined when the task was refused. */
  record: Exchange | undefined;
  /** Requests that reached the stub for this task, in order. */
  calls: readonly ProviderCall[];
}

/** Returns the reason why the provider requests of a target cannot be observed; undefined when they can. */
function unseen(target: Target): string | undefined {
  return target.providerStub === null ? noStub : undefined;
}

/** Options for sending a task. */
export interface TaskSending {
  /** API key of the request. @defaultValue the key of the run */
  key?: RequestSpec['key'];
  /** Offset of the number in the task's marker, for a cell that is sent more than once. @defaultValue 0 */
  shift?: number;
}

/**
 * Creates the task of a cell, waits for its end and reads its requests from the stub. Throws NotTestable if the
 * target's requests cannot be observed.
 */
async function sendProviderTask(
  context: ScenarioContext,
  cell: ProviderCell,
  { key, shift = 0 }: TaskSending = {},
): Promise<ProviderSeen> {
  const { providerStub: reader } = context;
  const { providerStub: stub } = context.target;
  if (reader === undefined || stub === null) throw new NotTestable(unseen(context.target) ?? '');
  const mark = markFor(context.stamp, cell.generation, cell.index + shift);
  const body = buildBody(context.target, stub, { cell, mark });
  const created = await retryWhileBusy(context, () => create(context, cell, { body, key }));
  if (!succeeded(created)) return { cell, created, record: undefined, calls: [] };
  await watch(context, cell, { created, key });
  const { exchange, calls } = await reader.reached(mark);
  return { cell, created, record: exchange, calls };
}

function buildBody(
  { v3, v4 }: Target,
  { task, ceilingUsd }: TargetProviderStub,
  { cell, mark }: { cell: ProviderCell; mark: string },
): JsonObject {
  const member = { v2: null, v3: v3?.members.maxCostUsd ?? null, v4: v4?.maxCostUsd ?? null }[cell.generation];
  const ceiling = member === null ? {} : { [member]: ceilingUsd };
  const stays = cell.generation === 'v3' ? { keepAlive: false } : {};
  return { task: task.replaceAll('{mark}', mark), ...stays, ...ceiling, ...cell.members };
}

interface Wanted {
  body: JsonObject;
  key: RequestSpec['key'];
}

function create(context: ScenarioContext, { generation }: ProviderCell, { body, key }: Wanted): Promise<Exchange> {
  const withKey = key === undefined ? {} : { key };
  if (generation === 'v3') return context.sessions.create({ body });
  const kind = generation === 'v2' ? 'task' : 'run';
  const { creation } = context.jobs[kind].target();
  return context.resources.create(kind, { generation, ...creation, method: 'POST', body, ...withKey });
}

async function watch(
  context: ScenarioContext,
  { generation }: ProviderCell,
  { created, key }: { created: Exchange; key: RequestSpec['key'] },
): Promise<void> {
  if (generation === 'v3') return watchSession(context, created);
  const kind = generation === 'v2' ? 'task' : 'run';
  const id = context.jobs[kind].readId(created);
  if (id === undefined)
    throw new NotTestable('the answer to a creation carries no id where the target file says it stands');
  if (key !== undefined) return watchAs(context, kind, { id, key });
  const deadlineMs = context.target.polling.taskDeadlineMs;
  await watchJob(context, context.jobs[kind], { id, until: () => false, deadlineMs });
}

async function watchSession(context: ScenarioContext, dispatched: Exchange): Promise<void> {
  const id = context.sessions.readId(dispatched);
  const first = await fetchSession(context, id);
  await poll(context, { request: {}, dispatched, fetches: [first], end: first }, { id, until: hasEnded });
}

/** Polls a job with the key of another project until its end or the task deadline. Only this key can read the job. */
async function watchAs(
  context: ScenarioContext,
  kind: JobKind,
  { id, key }: { id: string; key: NonNullable<RequestSpec['key']> },
): Promise<void> {
  const jobs = context.jobs[kind];
  const spec = jobs.request('status', id) ?? jobs.request('record', id);
  if (spec === undefined) throw new NotTestable(`the target file names no way to look at a ${kind}`);
  const deadline = context.nowMs() + context.target.polling.taskDeadlineMs;
  for (;;) {
    const { json } = await context.send({ ...spec, key });
    const entry = context.ledger.find(kind, id);
    const isOver = ['completed', 'ended'].includes(jobPhase(jobs.target(), json));
    if (isOver && entry !== undefined) context.ledger.update(entry, { state: 'ended' });
    if (isOver || context.nowMs() > deadline) return;
    await context.pause(context.target.polling.intervalMs);
  }
}
