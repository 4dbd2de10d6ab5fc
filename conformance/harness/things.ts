import { lifecycle } from '#generated/rules.ts';
import { browserCost } from './browser-cost.ts';
import type { RequestSpec, Send } from './client.ts';
import { type Exchange, refused, succeeded, turnedAway } from './exchange.ts';
import { type JobKind, jobTarget } from './job-target.ts';
import { type JsonValue, identifier, memberAt } from './json.ts';
import type { Ledger, LedgerEntry, ThingKind } from './ledger.ts';
import { NotRun } from './outcome.ts';
import { pathWithId } from './path-with-id.ts';
import type { OperationTarget, Target } from './target/target.ts';
import { idIn, stopNames, stops } from './thing-ends.ts';

/** Creates and ends things so that the ledger always knows what is alive. */
export interface Things {
  /** Sends a request that creates something, or that must be refused but could create something. */
  create(kind: ThingKind, spec: RequestSpec): Promise<Exchange>;
  /** Sends what must be refused; a thing that it makes all the same is ended at once. */
  probe(kind: ThingKind, spec: RequestSpec): Promise<Exchange>;
  /** Sends what must be accepted and ends what it makes; where nothing ends it, waits until it has ended by itself. */
  trial(kind: ThingKind, spec: RequestSpec): Promise<Trial>;
  /** Ends one thing; true when it was seen to have ended, or when the target says so and shows no status to look at. */
  end(entry: LedgerEntry): Promise<boolean>;
}

/** What came of a request that had to be accepted. */
export interface Trial {
  exchange: Exchange;
  /** False when it made something that still lives. */
  ended: boolean;
}

/** What things are made from. */
export interface ThingsOptions {
  target: Target;
  ledger: Ledger;
  send: Send;
  /** Waits between two looks at a thing that is ending; in ms. */
  pause: (ms: number) => Promise<void>;
  /** Time of the last answer, in ms: deadlines are counted in what was seen. */
  nowMs: () => number;
}

/** How a thing is looked at. */
interface Reader {
  operation: string;
  place: OperationTarget;
  /** Dotted path of the status in the answer. */
  statusIn: string;
  /** Words of a status after which nothing follows. */
  ended: readonly string[];
  /** What the answer says of its cost, decimal string in US dollars. */
  costIn?(json: JsonValue | undefined): string | undefined;
}

const sessionMachine = lifecycle.machines.find((machine) => machine.machine === 'session');
const endStates = (sessionMachine?.states ?? []).filter(({ kind }) => kind === 'end').map(({ name }): string => name);

const readers: Record<ThingKind, (target: Target) => Reader | null> = {
  session: () => ({
    operation: 'getSession',
    place: { method: 'GET', path: '/sessions/{session_id}' },
    statusIn: 'status',
    // The words of V2 are among those of V3.
    ended: endStates,
    costIn: (json) => costAt(json, 'totalCostUsd'),
  }),
  task: (target) => jobReader(target, 'task'),
  run: (target) => jobReader(target, 'run'),
  browser: (target) => browserReader(target),
  // A deletion that succeeded is believed: an archived workspace can still be read.
  profile: () => null,
  workspace: () => null,
};

function jobReader(target: Target, kind: JobKind): Reader | null {
  const job = jobTarget(target, kind);
  // The record shows the cost too.
  const place = job?.record ?? job?.status ?? null;
  if (job === undefined || place === null) return null;
  const { states, statusIn, operations } = job;
  const operation = place === job.record ? operations.record : operations.status;
  const ended = [...states.completed, ...states.ended];
  return { operation, place, statusIn, ended, costIn: (json) => costAt(json, job.costIn) };
}

function costAt(json: JsonValue | undefined, path: string | null): string | undefined {
  const cost = path === null ? undefined : memberAt(json, path);
  return typeof cost === 'string' ? cost : undefined;
}

// Where the target file names no state to look at, a stop has to be believed.
function browserReader({ v4 }: Target): Reader | null {
  const browsers = v4?.browsers ?? null;
  if (browsers === null || browsers.get === null || browsers.statusIn === null) return null;
  const { get: place, statusIn, ended } = browsers;
  return { operation: 'getBrowser', place, statusIn, ended, costIn: (json) => browserCost(json, browsers) };
}

/** Things on one target. */
export function createThings(options: ThingsOptions): Things {
  const { target, ledger, send } = options;
  const isOver = createWatch(options);

  async function create(kind: ThingKind, spec: RequestSpec): Promise<{ exchange: Exchange; entry: LedgerEntry }> {
    if (spec.generation === 'other') throw new Error('a thing is created by an operation of a generation');
    const entry = ledger.request({ kind, generation: spec.generation, createdBy: spec.operation });
    try {
      const exchange = await send({ ...spec, creates: true });
      ledger.update(entry, afterAnswer(exchange, spec, idIn(target, kind, spec.generation)));
      return { exchange, entry };
    } catch (error) {
      // Refused with 429, or never sent because the run had ended.
      if (error instanceof NotRun) ledger.update(entry, { state: 'refused' });
      throw error;
    }
  }

  async function end(entry: LedgerEntry): Promise<boolean> {
    if (entry.state !== 'live') return entry.state !== 'requested';
    // A mock keeps nothing: what it answers with does not exist.
    if (target.stateless) return settle(ledger, entry);
    const stop = stops[entry.kind](target, entry.generation);
    if (stop === null || entry.id === undefined) return false;
    const exchange = await send({
      generation: entry.generation,
      operation: stopNames[entry.kind],
      method: stop.method,
      path: pathWithId(stop.path, entry.id),
      ...(stop.body === undefined ? {} : { body: stop.body }),
    });
    // 409 can say that there is nothing left to stop, or that it is too early; 404 may also mean that there is no such operation.
    if (!succeeded(exchange) && exchange.status !== 409) return false;
    return (await isOver(entry, target.polling.settleDeadlineMs)) ? settle(ledger, entry) : false;
  }

  async function trial(kind: ThingKind, spec: RequestSpec): Promise<Trial> {
    const { exchange, entry } = await create(kind, spec);
    if (entry.state !== 'live' || (await end(entry))) return { exchange, ended: true };
    const endsItself = stops[kind](target, entry.generation) === null && readers[kind](target) !== null;
    const ended = endsItself && (await isOver(entry, target.polling.taskDeadlineMs));
    if (ended) settle(ledger, entry);
    return { exchange, ended };
  }

  return {
    create: async (kind, spec) => (await create(kind, spec)).exchange,
    probe: async (kind, spec) => {
      const { exchange, entry } = await create(kind, { ...spec, invalid: true });
      if (entry.state === 'live') await end(entry);
      return exchange;
    },
    trial,
    end,
  };
}

/** Tells whether a thing shows an end state within a time in ms; true where the target offers no look at it. */
function createWatch({
  target,
  ledger,
  send,
  pause,
  nowMs,
}: ThingsOptions): (entry: LedgerEntry, deadlineMs: number) => Promise<boolean> {
  async function isOver(entry: LedgerEntry, deadlineMs: number): Promise<boolean> {
    const reader = readers[entry.kind](target);
    if (reader === null || entry.id === undefined) return true;
    const deadline = nowMs() + deadlineMs;
    while (!(await showsEnd(entry, reader))) {
      if (nowMs() > deadline) return false;
      await pause(target.polling.intervalMs);
    }
    return true;
  }

  async function showsEnd(entry: LedgerEntry, reader: Reader): Promise<boolean> {
    const { generation, id = '' } = entry;
    const { method, path, body } = reader.place;
    const spec = { generation, operation: reader.operation, method, path: pathWithId(path, id) };
    const exchange = await send(body === undefined ? spec : { ...spec, body });
    const costUsd = succeeded(exchange) ? reader.costIn?.(exchange.json) : undefined;
    if (costUsd !== undefined) ledger.update(entry, { costUsd });
    // What is gone has ended.
    if ([404, 410].includes(exchange.status)) return true;
    const status = memberAt(exchange.json, reader.statusIn);
    return succeeded(exchange) && typeof status === 'string' && reader.ended.includes(status);
  }

  return isOver;
}

function settle(ledger: Ledger, entry: LedgerEntry): boolean {
  ledger.update(entry, { state: 'ended' });
  return true;
}

function afterAnswer(exchange: Exchange, spec: RequestSpec, place: string): Partial<LedgerEntry> {
  const id = identifier(memberAt(exchange.json, place));
  if (succeeded(exchange)) return { state: 'live', ...(id === undefined ? {} : { id }) };
  // To whoever has the key a redirect may stand for a thing that was made; without the key it leads to a page to sign in at.
  const nothingMade = (spec.key ?? 'right') === 'right' ? refused(exchange) : turnedAway(exchange);
  return nothingMade ? { state: 'refused' } : {};
}
