import type { RequestSpec, Send } from '../transport/client.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JobKind, type JobTarget, type Phase, jobTarget, jobPhase } from '../core/job-target.ts';
import { type JsonObject, type JsonValue, identifier, isJsonObject, memberAt } from '../core/json.ts';
import type { Ledger } from './ledger.ts';
import { NotTestable } from '../core/outcome.ts';
import { pathWithId } from '../core/path-with-id.ts';
import { idsIn } from './session-api.ts';
import type { OperationTarget, Target } from '../core/target/target.ts';
import type { Resources, Trial } from './resources.ts';

/** One look at a task or run. */
export interface JobSnapshot {
  exchange: Exchange;
  phase: Phase;
  /** The status as it is written; undefined when the answer carries none. */
  status: JsonValue | undefined;
  /** The outcome; undefined when the answer does not carry it. */
  result: JsonValue | undefined;
  /** Cost so far in US dollars, as it is written; undefined when the answer does not carry it. */
  cost: JsonValue | undefined;
}

/** How a look is taken. */
export interface SnapshotOptions {
  /** The whole record or the status alone; the other one where the target offers only that. @defaultValue `record` */
  view?: 'record' | 'status';
}

/** The operations on tasks or runs, the ones that the contract does not show taken from the target. */
export interface JobApi {
  /** What the target file says; throws NotTestable when the target does not offer the generation. */
  target(): JobTarget;
  create(body: JsonObject): Promise<Exchange>;
  /** Creates and ends at once. */
  trial(body: JsonObject): Promise<Trial>;
  /** Id of what was created; undefined when the answer carries none. */
  idOf(exchange: Exchange): string | undefined;
  /** Throws NotTestable when the target names no operation for it, or when the answer is no success with a JSON object. */
  look(id: string, options?: SnapshotOptions): Promise<JobSnapshot>;
  /** Throws NotTestable when the target names no operation that ends it. */
  stop(id: string): Promise<Exchange>;
  /** Requests with an id in them, for callers that send them in another way; undefined when not offered. */
  request(operation: keyof JobTarget['operations'], id: string): RequestSpec | undefined;
  /** Ids in the answer to the list operation; undefined when it carries no list. */
  idsOf(exchange: Exchange): readonly string[] | undefined;
}

/** What the operations need. */
export interface JobApiOptions {
  target: Target;
  send: Send;
  resources: Resources;
  ledger: Ledger;
}

/** The operations on the tasks or runs of one target. */
export function createJobApi(kind: JobKind, { target, send, resources, ledger }: JobApiOptions): JobApi {
  const job = (): JobTarget => {
    const found = jobTarget(target, kind);
    if (found === undefined) throw new NotTestable(`this target does not offer ${kind === 'task' ? 'V2' : 'V4'}`);
    return found;
  };
  const creation = (body: JsonObject): RequestSpec => {
    const { generation, creation: place } = job();
    return { generation, ...place, method: 'POST', body };
  };
  const request: JobApi['request'] = (operation, id) => {
    const { generation, operations, [operation]: place } = job();
    return place === null ? undefined : { generation, operation: operations[operation], ...call(place, id) };
  };
  return {
    target: job,
    create: (body) => resources.create(kind, creation(body)),
    trial: (body) => resources.trial(kind, creation(body)),
    idOf: (exchange) => identifier(memberAt(exchange.json, job().idIn)),
    look: async (id, { view = 'record' } = {}) => {
      const spec = request(view, id) ?? request(view === 'record' ? 'status' : 'record', id);
      if (spec === undefined)
        throw new NotTestable(`the target file names no way to look at a ${kind} (${job().names.record})`);
      return book(ledger, { kind, id, look: lookAt(job(), await send(spec)) });
    },
    stop: async (id) => {
      const spec = request('stop', id);
      if (spec === undefined)
        throw new NotTestable(`the target file names no operation that ends a ${kind} (${job().names.stop})`);
      return send(spec);
    },
    request,
    idsOf: (exchange) => idsIn(memberAt(exchange.json, job().list?.items ?? '')),
  };
}

function call({ method, path, body }: OperationTarget, id: string): Pick<RequestSpec, 'method' | 'path' | 'body'> {
  return { method, path: pathWithId(path, id), ...(body === undefined ? {} : { body }) };
}

function lookAt(job: JobTarget, exchange: Exchange): JobSnapshot {
  if (!succeeded(exchange) || !isJsonObject(exchange.json)) {
    throw new NotTestable(`a look at the ${job.kind} answered ${exchange.status} without a JSON object`);
  }
  const { json } = exchange;
  return {
    exchange,
    phase: jobPhase(job, json),
    status: memberAt(json, job.statusIn),
    result: job.resultIn === null ? undefined : memberAt(json, job.resultIn),
    cost: job.costIn === null ? undefined : memberAt(json, job.costIn),
  };
}

// Whatever shows a task or run also shows whether it still costs.
function book(ledger: Ledger, { kind, id, look }: { kind: JobKind; id: string; look: JobSnapshot }): JobSnapshot {
  const entry = ledger.find(kind, id);
  if (entry === undefined) return look;
  ledger.update(entry, {
    ...(look.phase === 'completed' || look.phase === 'ended' ? { state: 'ended' } : {}),
    ...(typeof look.cost === 'string' ? { costUsd: look.cost } : {}),
  });
  return look;
}
