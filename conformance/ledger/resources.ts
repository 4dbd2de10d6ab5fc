import type { Resources, StopResult, Trial, Ledger, LedgerEntry, ResourceKind, Budget } from '../core/ledger.ts';
import { chargedHours, costBound } from './cost-bound.ts';
import type { RequestSpec, Send } from '../core/request.ts';
import {
  type CircuitBreaker,
  type Exchange,
  breakerReason,
  isNotServed,
  refused,
  succeeded,
  wasNotReceived,
  wasRejected,
} from '../core/exchange.ts';
import { identifier, memberAt, type JsonValue, isJsonObject } from '../core/json.ts';
import { NotRun, OwnRequestError } from '../core/outcome.ts';
import { pathWithId } from '../core/path-with-id.ts';
import { nameIn } from '../transport/stamp.ts';
import type { OperationTarget, Target } from '../core/target.ts';
import { type StatusReader, statusReaders } from './status-readers.ts';
import { idMember, stopName, stopOperations } from './stop-operations.ts';

/** Dependencies of {@link createResources}. */
export interface ResourcesOptions {
  target: Target;
  ledger: Ledger;
  send: Send;
  /** Name of the check or scenario that creates the resources. */
  by?: string;
  /**
   * Circuit breaker for the probes of a check: it stops them before they create too many resources. Absent for a
   * scenario, in which each law has a breaker of its own.
   */
  breaker?: CircuitBreaker;
  /** Key of another project, for resources that were created with it. */
  otherApiKey: string | undefined;
  /** Budget for created resources. */
  budget: Budget;
  /** Waits the given time in ms between two polls of a resource that is ending. */
  pause: (ms: number) => Promise<void>;
  /** Time of the last response in ms, by which deadlines are measured. */
  nowMs: () => number;
}

/** Creates the resource operations of one target. */
export function createResources(options: ResourcesOptions): Resources {
  const { target, ledger, send, budget, breaker } = options;
  const isOver = createWatch(options);

  async function create(kind: ResourceKind, spec: RequestSpec): Promise<{ exchange: Exchange; entry: LedgerEntry }> {
    if (spec.generation === 'other') throw new Error('a thing is created by an operation of a generation');
    const entry = ledger.request({
      kind,
      generation: spec.generation,
      createdBy: spec.operation,
      ...createMark(spec, options),
    });
    let isSent = false;
    try {
      await budget.reserve(entry, costBound(target, kind, kind === 'browser' ? chargedHours(spec.body) : 1));
      await ledger.kept(entry);
      isSent = true;
      const exchange = await send({ ...spec, creates: true });
      ledger.update(entry, afterAnswer(exchange, spec, idMember(target, kind, spec.generation)));
      recordCreatedAlong(options, spec, exchange);
      return { exchange, entry };
    } catch (error) {
      // Refused with 429, or not sent: because the ledger could not be written, the run had ended, or the request is
      // invalid.
      const isRefused = error instanceof NotRun || error instanceof OwnRequestError;
      if (!isSent || isRefused) ledger.update(entry, { state: 'refused' });
      throw error;
    }
  }

  async function tryEnd(entry: LedgerEntry): Promise<StopResult> {
    if (entry.state !== 'live') return entry.state === 'requested' ? 'left' : 'ended';
    // A mock stores nothing: the resource in its response does not exist.
    if (target.stateless) return settle(ledger, entry);
    const stop = stopOperations[entry.kind](target, entry.generation);
    const keys = keysFor(entry, options);
    if (entry.id === undefined || keys.length === 0) return 'left';
    if (stop === null) return endsWithRuns(entry) ? settle(ledger, entry) : 'left';
    return (await sendStops({ target, send, isOver }, { entry, stop, keys })) ?? settle(ledger, entry);
  }

  const end = async (entry: LedgerEntry): Promise<boolean> => (await tryEnd(entry)) === 'ended';

  async function trial(kind: ResourceKind, spec: RequestSpec): Promise<Trial> {
    const { exchange, entry } = await create(kind, spec);
    if (entry.state !== 'live' || (await end(entry))) return { exchange, ended: true };
    const endsItself = stopOperations[kind](target, entry.generation) === null && statusReaders[kind](target) !== null;
    const ended =
      endsItself && (await isOver(entry, { deadlineMs: target.polling.taskDeadlineMs, key: spec.key ?? 'right' }));
    if (ended) settle(ledger, entry);
    return { exchange, ended };
  }

  return {
    create: async (kind, spec) => (await create(kind, spec)).exchange,
    probe: async (kind, spec) => {
      if (breaker?.on() === true) throw new NotRun(breakerReason);
      const { exchange, entry } = await create(kind, { ...spec, invalid: true });
      if (entry.state !== 'refused') breaker?.note(exchange);
      if (entry.state === 'live') await end(entry);
      return exchange;
    },
    trial,
    end,
    tryEnd,
  };
}

/**
 * Returns true for a V4 session. The contract shows no operation that ends such a session; the suite ends each of its
 * runs instead.
 */
function endsWithRuns({ kind, generation }: LedgerEntry): boolean {
  return kind === 'session' && generation === 'v4';
}

/** A resource to stop, and the keys that may stop it. */
interface Stopping {
  entry: LedgerEntry;
  stop: OperationTarget;
  keys: readonly Key[];
}

/**
 * Sends the stop of a resource with each key until a stop is accepted. Returns undefined once the resource counts as
 * ended. Otherwise the resource may still exist: returns `again` after a server error or without a response, and `left`
 * after any other response.
 */
async function sendStops(
  { send, ...watched }: { target: Target; send: Send; isOver: Watch },
  { entry, stop, keys }: Stopping,
): Promise<StopResult | undefined> {
  for (const key of keys) {
    const exchange = await send({ ...stopRequest(entry, stop), key });
    if (endsWithRuns(entry) && isNotServed(exchange.status)) continue;
    if (!(await hasEnded(watched, entry, { exchange, key }))) return isFault(exchange) ? 'again' : 'left';
    if (isAccepted(exchange)) break;
  }
  return undefined;
}

// 409 means already ended or too early, so the resource is polled. After 404, a server error or a lost response, one
// poll is enough: the resource may have ended, or the operation may not exist.
async function hasEnded(
  { target, isOver }: { target: Target; isOver: Watch },
  entry: LedgerEntry,
  { exchange, key }: { exchange: Exchange; key: Key },
): Promise<boolean> {
  const accepted = isAccepted(exchange);
  const isStopped = succeeded(exchange);
  const believed = accepted || statusReaders[entry.kind](target) !== null || [404, 410].includes(exchange.status);
  return (
    believed && (await isOver(entry, { deadlineMs: accepted ? target.polling.settleDeadlineMs : 0, key, isStopped }))
  );
}

type Key = NonNullable<RequestSpec['key']>;

/** How a resource is polled until its end: the deadline, the key, and whether its stop has succeeded. */
interface EndWatch {
  deadlineMs: number;
  key: Key;
  /** True if a stop of the resource has succeeded. */
  isStopped?: boolean;
}

type Watch = (entry: LedgerEntry, watch: EndWatch) => Promise<boolean>;

/** A well-formed id that no resource has. */
const unknownId = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

/** Statuses that a target may return instead of 404 for a resource that does not exist. */
const hidden: readonly number[] = [400, 403, 422];

/**
 * Number of resources of a kind, one after another, that had not ended at their deadline. After so many, each further
 * resource of the kind is polled once: a target whose stops have no effect would need a deadline for each resource.
 */
const missedMax = 2;

/**
 * Creates a function that polls a resource until it has ended or a deadline in ms has passed, and returns whether it
 * has ended. After `missedMax` missed deadlines it polls only once. The function returns true without a request if the
 * target offers no status of the resource, or if the entry has no id. It records observed costs in the ledger.
 */
function createWatch({ target, ledger, send, pause, nowMs }: ResourcesOptions): Watch {
  const missed = new Map<LedgerEntry['kind'], number>();

  async function isOver(entry: LedgerEntry, { deadlineMs, key, isStopped = false }: EndWatch): Promise<boolean> {
    const reader = statusReaders[entry.kind](target);
    if (reader === null || entry.id === undefined) return true;
    const count = missed.get(entry.kind) ?? 0;
    const deadline = nowMs() + (count < missedMax ? deadlineMs : 0);
    while (!(await showsEnd(entry, reader, { key, isStopped }))) {
      if (nowMs() >= deadline) {
        if (deadlineMs > 0) missed.set(entry.kind, count + 1);
        return false;
      }
      await pause(target.polling.intervalMs);
    }
    missed.delete(entry.kind);
    return true;
  }

  async function showsEnd(
    entry: LedgerEntry,
    reader: StatusReader,
    { key, isStopped }: { key: Key; isStopped: boolean },
  ): Promise<boolean> {
    const { generation, id = '' } = entry;
    const look = ({ place: { method, path, body }, operation }: StatusReader, of: string): Promise<Exchange> => {
      const spec = { generation, operation, method, path: pathWithId(path, of), key, invalid: of === unknownId };
      return send(body === undefined ? spec : { ...spec, body });
    };
    const exchange = await look(reader, id);
    const costUsd = succeeded(exchange) ? reader.costIn?.(exchange.json) : undefined;
    if (costUsd !== undefined) ledger.update(entry, { costUsd });
    if (isEnd(exchange, reader, isStopped)) return true;
    // A target may refuse to read a missing resource with another status than 404.
    return hidden.includes(exchange.status) && (await look(reader, unknownId)).status === exchange.status;
  }

  return isOver;
}

/**
 * Returns true if a response about a resource means that the resource has ended: it was not found, or its status is
 * terminal. After a successful stop, a refused read and a status that is not in `pending` mean the end too.
 */
function isEnd(exchange: Exchange, { statusIn, ended, pending }: StatusReader, isStopped: boolean): boolean {
  // A resource that is not found has ended. After its stop, another refusal of the read means the same.
  if ([404, 410].includes(exchange.status) || (isStopped && hidden.includes(exchange.status))) return true;
  const status = memberAt(exchange.json, statusIn);
  if (!succeeded(exchange) || typeof status !== 'string') return false;
  // The target file may not list every status of a target. After a successful stop, an unlisted status means the end.
  return ended.includes(status) || (isStopped && pending?.includes(status) === false);
}

function settle(ledger: Ledger, entry: LedgerEntry): 'ended' {
  ledger.update(entry, { state: 'ended' });
  return 'ended';
}

function stopRequest({ kind, generation, id = '' }: LedgerEntry, { method, path, body }: OperationTarget): RequestSpec {
  const spec = { generation, operation: stopName(kind, generation), method, path: pathWithId(path, id) };
  return body === undefined ? spec : { ...spec, body };
}

/**
 * Returns true for a missing response and for a status 5xx. Such a response does not show whether the request took
 * effect.
 */
export function isFault({ status }: Exchange): boolean {
  return status === 0 || status >= 500;
}

function recordCreatedAlong(options: ResourcesOptions, spec: RequestSpec, exchange: Exchange): void {
  const { target, ledger } = options;
  for (const { id, ...made } of target.stateless ? [] : createdAlong(spec, exchange)) {
    if (ledger.find(made.kind, id) !== undefined) continue;
    const { name: _ofTheRun, ...mark } = createMark(spec, options);
    ledger.update(ledger.request({ ...made, createdBy: spec.operation, ...mark }), { id, state: 'live' });
  }
}

/**
 * Returns members of a new ledger entry: its name (at most 200 characters), the check or scenario that creates it, and
 * a mark for the key of the other project. If the response with the id is lost, the name identifies the resource.
 */
function createMark(
  { body, key }: RequestSpec,
  { otherApiKey, by }: ResourcesOptions,
): Pick<LedgerEntry, 'name' | 'by' | 'key'> {
  const name = nameIn(body)?.slice(0, 200);
  const other = typeof key === 'object' && key.other === otherApiKey;
  return {
    ...(name === undefined ? {} : { name }),
    ...(by === undefined ? {} : { by }),
    ...(other ? { key: 'other' } : {}),
  };
}

// A resource created with the other project's key belongs to that project; a faulty target may have assigned it to the
// first project.
function keysFor({ key }: LedgerEntry, { otherApiKey }: ResourcesOptions): Key[] {
  if (key !== 'other') return ['right'];
  return otherApiKey === undefined ? [] : [{ other: otherApiKey }, 'right'];
}

// 409 can mean that the resource has already ended.
function isAccepted(exchange: Exchange): boolean {
  return succeeded(exchange) || exchange.status === 409;
}

function afterAnswer(exchange: Exchange, spec: RequestSpec, place: string): Partial<LedgerEntry> {
  const id = identifier(memberAt(exchange.json, place));
  if (succeeded(exchange)) return { state: 'live', ...(id === undefined ? {} : { id }) };
  if (wasNotReceived(exchange)) return { state: 'refused' };
  // With a valid key a redirect may mean that a resource was created; without a key it leads to a sign-in page.
  const nothingMade = (spec.key ?? 'right') === 'right' ? refused(exchange) : wasRejected(exchange);
  return nothingMade ? { state: 'refused' } : { lost: true };
}

/** A resource that was created as a side effect. */
type CreatedAlong = Pick<LedgerEntry, 'kind' | 'generation'> & { id: string };

/**
 * Returns the resources that a run creation has also created: a session if the request names no session, and a
 * workspace if the request names neither a session nor a workspace (companion 8, R1).
 */
function createdAlong({ generation, operation, body }: RequestSpec, exchange: Exchange): CreatedAlong[] {
  if (generation !== 'v4' || operation !== 'createRun' || !succeeded(exchange) || named(body, 'sessionId')) return [];
  const [session, workspace] = ['sessionId', 'workspaceId'].map((name) => identifier(memberAt(exchange.json, name)));
  return [
    ...(session === undefined ? [] : [{ kind: 'session', generation, id: session } as const]),
    ...(workspace === undefined || named(body, 'workspaceId')
      ? []
      : [{ kind: 'workspace', generation, id: workspace } as const]),
  ];
}

function named(body: JsonValue | undefined, member: string): boolean {
  const value = isJsonObject(body) ? body[member] : undefined;
  return value !== undefined && value !== null;
}

/**
 * Wraps `send` so that an invalid creation request is sent as a probe: if a faulty target accepts it, the resource is
 * entered in the ledger and ended. Other requests are passed on unchanged.
 */
export function createLedgerSend(send: Send, resources: Resources): Send {
  return (spec) => {
    const kind = spec.method === 'POST' && spec.generation !== 'other' ? createdKinds[spec.operation] : undefined;
    return kind === undefined || spec.invalid !== true ? send(spec) : resources.probe(kind, spec);
  };
}

/**
 * For each operation that creates a resource, the kind of this resource. The key is the operation id, which means the
 * same in every generation.
 */
export const createdKinds: Readonly<Record<string, ResourceKind>> = {
  createTask: 'task',
  createSession: 'session',
  createRun: 'run',
  createBrowser: 'browser',
  createProfile: 'profile',
  createWorkspace: 'workspace',
};
