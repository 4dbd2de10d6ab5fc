import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import type { JobApi, JobLook } from '../../ledger/job-api.ts';
import type { JobKind } from '../../core/job-target.ts';
import type { JsonObject } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { Drive } from '../../core/scenario.ts';

/** A task or run from its request to its end. */
export interface ObservedJob {
  id: string;
  /** Answer to the request. */
  dispatched: Exchange;
  /** What polling showed, in order; never empty. */
  looks: JobLook[];
  /** Looks at the record after polling had ended, in order; never empty. */
  after: JobLook[];
}

/** Thrown when the task or run of a scenario was not created. */
export class JobRefused extends NotTestable {
  readonly exchange: Exchange;

  constructor(kind: JobKind, exchange: Exchange) {
    super(
      `creation of a ${kind} ${describeAnswer(exchange)}${exchange.body === '' ? '' : `: ${exchange.body.slice(0, 160)}`}`,
    );
    this.exchange = exchange;
  }
}

/** Thrown when the answer to a creation that succeeded carries no id: nobody can look at what was made. */
export class JobWithoutId extends NotTestable {
  readonly exchange: Exchange;

  constructor(kind: JobKind, exchange: Exchange) {
    super(`the answer to the creation of a ${kind} carries no id where the target file says it stands`);
    this.exchange = exchange;
  }
}

/** Creates a task or run. Throws JobRefused and JobWithoutId. */
export async function createJob(jobs: JobApi, body: JsonObject): Promise<{ id: string; dispatched: Exchange }> {
  const dispatched = await jobs.create(body);
  const { kind } = jobs.target();
  if (!succeeded(dispatched)) throw new JobRefused(kind, dispatched);
  const id = jobs.idOf(dispatched);
  if (id === undefined) throw new JobWithoutId(kind, dispatched);
  return { id, dispatched };
}

/** How to watch. */
export interface WatchOptions {
  id: string;
  until(look: JobLook): boolean;
  deadlineMs: number;
  /** Called after every look, for what is read beside it. */
  beside?: () => Promise<void>;
}

/** Looks at the status until a condition holds, the end is seen or the deadline has passed. */
export async function watchJob(drive: Drive, jobs: JobApi, options: WatchOptions): Promise<JobLook[]> {
  const deadline = drive.nowMs() + options.deadlineMs;
  const looks: JobLook[] = [];
  for (;;) {
    const look = await jobs.look(options.id, { view: 'status' });
    looks.push(look);
    await options.beside?.();
    if (options.until(look) || isOver(look) || drive.nowMs() > deadline) return looks;
    await drive.pause(drive.target.polling.intervalMs);
  }
}

/** Three looks at the record. */
export async function lookAfter(jobs: JobApi, id: string): Promise<JobLook[]> {
  return [await jobs.look(id), await jobs.look(id), await jobs.look(id)];
}

/** True when a look shows an end. */
export function isOver({ phase }: JobLook): boolean {
  return phase === 'completed' || phase === 'ended';
}
