import { type Exchange, succeeded } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { RequestSpec } from '../../transport/client.ts';
import { type JobKind, phaseOf } from '../../core/job-target.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import type { Target, TargetProviderStub } from '../../core/target/target.ts';
import { type ProviderCall, markFor, noStub } from '../../provider-stub/index.ts';
import { watchJob } from '../common/scenarios-part-observed-job.ts';
import { fetchSession, hasEnded, poll } from '../common/scenarios-part-observed-session.ts';
import type { ProviderCell } from './cells.ts';
import { tryPatiently } from '../common/try-patiently.ts';

/** A task and what it made of its model. */
export interface ProviderSeen {
  cell: ProviderCell;
  /** Answer to the creation of the task. */
  created: Exchange;
  /** Answer of the stub; undefined when the task was refused. */
  told: Exchange | undefined;
  /** Requests that reached the stub for it, in order. */
  calls: readonly ProviderCall[];
}

/** Why nothing that reaches a provider is seen on a target; undefined when it is. */
export function unseen(target: Target): string | undefined {
  return target.providerStub === null ? noStub : undefined;
}

/** How one task is sent. */
export interface TaskSending {
  /** @defaultValue the key of the run */
  key?: RequestSpec['key'];
  /** Distance of the mark's number, for a cell that is sent more than once. @defaultValue 0 */
  shift?: number;
}

/** Creates the task of a cell, waits for its end and asks the stub what reached it. */
export async function sendProviderTask(
  drive: Drive,
  cell: ProviderCell,
  { key, shift = 0 }: TaskSending = {},
): Promise<ProviderSeen> {
  const { providerStub: reader } = drive;
  const { providerStub: stub } = drive.target;
  if (reader === undefined || stub === null) throw new NotTestable(unseen(drive.target) ?? '');
  const mark = markFor(drive.stamp, cell.generation, cell.index + shift);
  const body = bodyOf(drive.target, stub, { cell, mark });
  const created = await tryPatiently(drive, () => create(drive, cell, { body, key }));
  if (!succeeded(created)) return { cell, created, told: undefined, calls: [] };
  await watch(drive, cell, { created, key });
  const { exchange, calls } = await reader.reached(mark);
  return { cell, created, told: exchange, calls };
}

function bodyOf(
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

function create(drive: Drive, { generation }: ProviderCell, { body, key }: Wanted): Promise<Exchange> {
  const withKey = key === undefined ? {} : { key };
  if (generation === 'v3') return drive.sessions.create({ body });
  const kind = generation === 'v2' ? 'task' : 'run';
  const { creation } = drive.jobs[kind].target();
  return drive.things.create(kind, { generation, ...creation, method: 'POST', body, ...withKey });
}

async function watch(
  drive: Drive,
  { generation }: ProviderCell,
  { created, key }: { created: Exchange; key: RequestSpec['key'] },
): Promise<void> {
  if (generation === 'v3') return watchSession(drive, created);
  const kind = generation === 'v2' ? 'task' : 'run';
  const id = drive.jobs[kind].idOf(created);
  if (id === undefined)
    throw new NotTestable('the answer to a creation carries no id where the target file says it stands');
  if (key !== undefined) return watchAs(drive, kind, { id, key });
  const deadlineMs = drive.target.polling.taskDeadlineMs;
  await watchJob(drive, drive.jobs[kind], { id, until: () => false, deadlineMs });
}

async function watchSession(drive: Drive, dispatched: Exchange): Promise<void> {
  const id = drive.sessions.idOf(dispatched);
  const first = await fetchSession(drive, id);
  await poll(drive, { request: {}, dispatched, fetches: [first], end: first }, { id, until: hasEnded });
}

// What was made with the key of another project is seen with that key alone.
async function watchAs(
  drive: Drive,
  kind: JobKind,
  { id, key }: { id: string; key: NonNullable<RequestSpec['key']> },
): Promise<void> {
  const jobs = drive.jobs[kind];
  const spec = jobs.request('status', id) ?? jobs.request('record', id);
  if (spec === undefined) throw new NotTestable(`the target file names no way to look at a ${kind}`);
  const deadline = drive.nowMs() + drive.target.polling.taskDeadlineMs;
  for (;;) {
    const { json } = await drive.send({ ...spec, key });
    const entry = drive.ledger.find(kind, id);
    const isOver = ['completed', 'ended'].includes(phaseOf(jobs.target(), json));
    if (isOver && entry !== undefined) drive.ledger.update(entry, { state: 'ended' });
    if (isOver || drive.nowMs() > deadline) return;
    await drive.pause(drive.target.polling.intervalMs);
  }
}
