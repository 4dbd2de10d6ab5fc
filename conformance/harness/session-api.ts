import { type Exchange, succeeded } from './exchange.ts';
import type { Send } from './client.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt } from './json.ts';
import type { Ledger } from './ledger.ts';
import { NotTestable } from './outcome.ts';
import { pathWithId } from './path-with-id.ts';
import type { Target, TargetV3 } from './target/target.ts';
import type { Things } from './things.ts';

/** A request body of session creation or of a follow-up task. */
export interface SessionRequest {
  body: JsonObject;
  /** True when the body breaks the contract on purpose. */
  invalid?: boolean;
}

/** The V3 operations, the ones that the contract does not show taken from the target. */
export interface SessionApi {
  create(request: SessionRequest): Promise<Exchange>;
  /** Sends a creation that must be refused; a session that it makes all the same is stopped at once. */
  probe(body: JsonObject): Promise<Exchange>;
  get(id: string): Promise<Exchange>;
  /** Throws NotTestable when the target names no follow-up operation. */
  followUp(id: string, request: SessionRequest): Promise<Exchange>;
  /** Throws NotTestable when the target names no stop operation. */
  stop(id: string): Promise<Exchange>;
  /** Ids of the first page of the list, or undefined when the target offers none. */
  listIds(): Promise<readonly string[] | undefined>;
  /** Id of a created session; throws NotTestable when the answer carries none. */
  idOf(exchange: Exchange): string;
}

/** What the V3 operations need. */
export interface SessionApiOptions {
  target: Target;
  send: Send;
  things: Things;
  ledger: Ledger;
}

const ended = ['stopped', 'timed_out', 'error'];

/** The V3 operations on one target. */
export function createSessionApi({ target, send, things, ledger }: SessionApiOptions): SessionApi {
  function v3(): TargetV3 {
    if (target.v3 === null) throw new NotTestable('this target does not offer V3');
    return target.v3;
  }

  // Whatever shows a session also shows whether it still costs.
  function book(exchange: Exchange): Exchange {
    const record = sessionRecord(exchange);
    const entry = record === undefined ? undefined : ledger.find('session', String(record['id']));
    if (record === undefined || entry === undefined) return exchange;
    const cost = record['totalCostUsd'];
    ledger.update(entry, {
      ...(ended.includes(String(record['status'])) ? { state: 'ended' } : {}),
      ...(typeof cost === 'string' ? { costUsd: cost } : {}),
    });
    return exchange;
  }

  return {
    create: async ({ body, invalid = false }) => {
      const spec = { generation: 'v3', operation: 'createSession', method: 'POST', path: '/sessions' } as const;
      return book(await things.create('session', { ...spec, body, invalid }));
    },
    probe: (body) =>
      things.probe('session', {
        generation: 'v3',
        operation: 'createSession',
        method: 'POST',
        path: '/sessions',
        body,
      }),
    get: async (id) =>
      book(
        await send({
          generation: 'v3',
          operation: 'getSession',
          method: 'GET',
          path: pathWithId('/sessions/{session_id}', id),
        }),
      ),
    followUp: async (id, { body, invalid = false }) => {
      const operation = v3().followUp;
      if (operation === null) throw new NotTestable('the target file names no follow-up operation (v3.followUp)');
      const member = operation.idMember === null ? {} : { [operation.idMember]: id };
      return book(
        await send({
          generation: 'v3',
          operation: 'followUpSession',
          method: operation.method,
          path: pathWithId(operation.path, id),
          body: { ...operation.body, ...member, ...body },
          invalid,
        }),
      );
    },
    stop: async (id) => {
      const operation = v3().stop;
      if (operation === null) throw new NotTestable('the target file names no stop operation (v3.stop)');
      return book(
        await send({
          generation: 'v3',
          operation: 'stopSession',
          method: operation.method,
          path: pathWithId(operation.path, id),
          ...(operation.body === undefined ? {} : { body: operation.body }),
        }),
      );
    },
    listIds: async () => {
      const operation = v3().list;
      if (operation === null) return undefined;
      const exchange = await send({ generation: 'v3', operation: 'listSessions', ...operation });
      return succeeded(exchange) ? idsIn(memberAt(exchange.json, operation.items)) : undefined;
    },
    idOf: (exchange) => {
      const id = memberAt(exchange.json, v3().idIn);
      if (typeof id === 'string') return id;
      throw new NotTestable(
        `the creation response carries no session id at "${v3().idIn}" (v3.idIn of the target file)`,
      );
    },
  };
}

/** The session record of a 2xx answer, or undefined when the body is not an object. */
export function sessionRecord(exchange: Exchange): JsonObject | undefined {
  return succeeded(exchange) && isJsonObject(exchange.json) ? exchange.json : undefined;
}

/** Ids of a list's items; undefined when it is not a list. */
export function idsIn(items: JsonValue | undefined): string[] | undefined {
  if (!Array.isArray(items)) return undefined;
  return items.map((item) => memberAt(item, 'id')).filter((id) => typeof id === 'string');
}
