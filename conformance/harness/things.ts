import { lifecycle } from '#generated/rules.ts';
import type { RequestSpec, Send } from './client.ts';
import { type Exchange, refused, succeeded } from './exchange.ts';
import { memberAt } from './json.ts';
import type { Ledger, LedgerEntry, ThingKind } from './ledger.ts';
import { NotRun } from './outcome.ts';
import { pathWithId } from './path-with-id.ts';
import type { OperationTarget, Target } from './target/target.ts';

/** Creates and ends things so that the ledger always knows what is alive. */
export interface Things {
  /** Sends a request that creates something, or that must be refused but could create something. */
  create(kind: ThingKind, spec: RequestSpec): Promise<Exchange>;
  /** Sends what must be refused; a thing that it makes all the same is ended at once. */
  probe(kind: ThingKind, spec: RequestSpec): Promise<Exchange>;
  /** Ends one thing; true when the target says that it has ended. */
  end(entry: LedgerEntry): Promise<boolean>;
}

const ids: Record<ThingKind, (target: Target) => string> = {
  session: (target) => target.v3?.idIn ?? 'id',
  task: (target) => target.v2?.idIn ?? 'id',
  run: () => 'id',
  browser: () => 'id',
};

const stops: Record<ThingKind, (target: Target) => OperationTarget | null> = {
  session: (target) => target.v3?.stop ?? null,
  task: (target) => target.v2?.stopTask ?? null,
  run: (target) => target.v4?.cancelRun ?? null,
  browser: () => ({ method: 'PATCH', path: '/browsers/{id}', body: { action: 'stop' } }),
};

/** Things on one target. */
export function createThings(target: Target, ledger: Ledger, send: Send): Things {
  async function create(kind: ThingKind, spec: RequestSpec): Promise<{ exchange: Exchange; entry: LedgerEntry }> {
    if (spec.generation === 'other') throw new Error('a thing is created by an operation of a generation');
    const entry = ledger.request({ kind, generation: spec.generation, createdBy: spec.operation });
    try {
      const exchange = await send({ ...spec, creates: true });
      ledger.update(entry, afterAnswer(exchange, ids[kind](target)));
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
    const stop = stops[entry.kind](target);
    if (stop === null || entry.id === undefined) return false;
    const exchange = await send({
      generation: entry.generation,
      operation: `stop${entry.kind[0]?.toUpperCase()}${entry.kind.slice(1)}`,
      method: stop.method,
      path: pathWithId(stop.path, entry.id),
      ...(stop.body === undefined ? {} : { body: stop.body }),
    });
    // 409 can say that there is nothing left to stop, or that it is too early; 404 may also mean that there is no such operation.
    const over = succeeded(exchange) || (exchange.status === 409 && (await isOver(entry)));
    return over ? settle(ledger, entry) : false;
  }

  /** Whether a session shows an end state; other things show no status in the contract, so that a 409 has to be believed. */
  async function isOver(entry: LedgerEntry): Promise<boolean> {
    if (entry.kind !== 'session' || entry.id === undefined) return true;
    const path = pathWithId('/sessions/{session_id}', entry.id);
    const exchange = await send({ generation: 'v3', operation: 'getSession', method: 'GET', path });
    const status = memberAt(exchange.json, 'status');
    return typeof status === 'string' && endStates.includes(status);
  }

  return {
    create: async (kind, spec) => (await create(kind, spec)).exchange,
    probe: async (kind, spec) => {
      const { exchange, entry } = await create(kind, { ...spec, invalid: true });
      if (entry.state === 'live') await end(entry);
      return exchange;
    },
    end,
  };
}

const sessionMachine = lifecycle.machines.find((machine) => machine.machine === 'session');
const endStates = (sessionMachine?.states ?? []).filter(({ kind }) => kind === 'end').map(({ name }): string => name);

function settle(ledger: Ledger, entry: LedgerEntry): boolean {
  ledger.update(entry, { state: 'ended' });
  return true;
}

function afterAnswer(exchange: Exchange, idIn: string): Partial<LedgerEntry> {
  const id = memberAt(exchange.json, idIn);
  if (succeeded(exchange)) return { state: 'live', ...(typeof id === 'string' ? { id } : {}) };
  return refused(exchange) ? { state: 'refused' } : {};
}
