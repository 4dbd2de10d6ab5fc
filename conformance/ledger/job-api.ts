import type { JobApi, JobSnapshot } from '../core/apis.ts';
import type { RequestSpec, Send } from '../core/request.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import type { Ledger, Resources } from '../core/ledger.ts';
import { NotTestable } from '../core/outcome.ts';
import { pathWithId } from '../core/path-with-id.ts';
import type { OperationTarget, Target } from '../core/target.ts';
import { type JobKind, type JobTarget, jobPhase, jobTarget } from '../core/job-target.ts';
import { type JsonObject, identifier, isJsonObject, memberAt } from '../core/json.ts';
import { idsIn } from './session-api.ts';

/** Dependencies of the job operations. */
interface JobApiOptions {
  target: Target;
  send: Send;
  resources: Resources;
  ledger: Ledger;
}

/** Creates the operations on the tasks or runs of one target. */
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
    return place === null ? undefined : { generation, operation: operations[operation], ...jobRequest(place, id) };
  };
  return {
    target: job,
    create: (body) => resources.create(kind, creation(body)),
    trial: (body) => resources.trial(kind, creation(body)),
    readId: (exchange) => identifier(memberAt(exchange.json, job().idIn)),
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
    readIds: (exchange) => idsIn(memberAt(exchange.json, job().list?.items ?? '')),
  };
}

function jobRequest(
  { method, path, body }: OperationTarget,
  id: string,
): Pick<RequestSpec, 'method' | 'path' | 'body'> {
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

// Every response with a task or run also shows whether this task or run may still cost.
function book(ledger: Ledger, { kind, id, look }: { kind: JobKind; id: string; look: JobSnapshot }): JobSnapshot {
  const entry = ledger.find(kind, id);
  if (entry === undefined) return look;
  ledger.update(entry, {
    ...(look.phase === 'completed' || look.phase === 'ended' ? { state: 'ended' } : {}),
    ...(typeof look.cost === 'string' ? { costUsd: look.cost } : {}),
  });
  return look;
}
