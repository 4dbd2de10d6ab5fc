import type { SessionApi } from '../core/apis.ts';
import { followUpCostBound } from './cost-bound.ts';
import { withCeiling } from '../transport/ceilings.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import type { RequestSpec, Send } from '../core/request.ts';
import { type JsonObject, type JsonValue, identifier, isJsonObject, memberAt, toText } from '../core/json.ts';
import type { Ledger, Budget, Resources } from '../core/ledger.ts';
import { NotTestable } from '../core/outcome.ts';
import { pathWithId } from '../core/path-with-id.ts';
import type { OperationTarget, Target, TargetV3 } from '../core/target.ts';

/** Dependencies of the V3 operations. */
export interface SessionApiOptions {
  target: Target;
  send: Send;
  resources: Resources;
  ledger: Ledger;
  budget: Budget;
}

const ended = ['stopped', 'timed_out', 'error'];
const creation = { generation: 'v3', operation: 'createSession', method: 'POST', path: '/sessions' } as const;

/** Creates the V3 operations on one target. */
export function createSessionApi(options: SessionApiOptions): SessionApi {
  const { target, send, resources } = options;
  const book = (exchange: Exchange): Exchange => bookRecord(exchange, options.ledger);
  /**
   * Ids of sessions that have accepted a follow-up only after `keepAlive` and the cost ceiling were removed. Later
   * follow-ups to them are sent without these members.
   */
  const plain = new Set<string>();
  return {
    create: async ({ body, invalid = false }) =>
      book(await resources.create('session', { ...creation, body, invalid })),
    probe: (body) => resources.probe('session', { ...creation, body }),
    get: async (id) => book(await send(getRequest(id))),
    followUp: async (id, { body, invalid = false }) => {
      const operation = named(v3(target).followUp, 'follow-up', 'followUp');
      const entry = options.ledger.find('session', id);
      const boundUsd = followUpCostBound(target, entry?.costUsd);
      if (entry !== undefined) await options.budget.reserve(entry, boundUsd);
      const spec = withCeiling({ ...followUpRequest(operation, id, body), invalid }, target, boundUsd);
      const bare = withoutUnshown(spec, target);
      const exchange = book(await send(plain.has(id) ? bare : spec));
      if (invalid || bare === spec || plain.has(id) || ![400, 422].includes(exchange.status)) return exchange;
      const again = book(await send(bare));
      if (succeeded(again)) plain.add(id);
      return again;
    },
    stop: async (id) => book(await send(call('stopSession', named(v3(target).stop, 'stop', 'stop'), id))),
    request: (operation, id) => {
      if (operation === 'get') return getRequest(id);
      const place = v3(target).stop;
      return place === null ? undefined : call('stopSession', place, id);
    },
    followUpRequest: (id, body) => {
      const place = v3(target).followUp;
      if (place === null) return undefined;
      const boundUsd = followUpCostBound(target, options.ledger.find('session', id)?.costUsd);
      return withCeiling(followUpRequest(place, id, body), target, boundUsd);
    },
    listIds: async () => {
      const operation = v3(target).list;
      if (operation === null) return undefined;
      const exchange = await send(call('listSessions', operation, ''));
      return succeeded(exchange) ? idsIn(memberAt(exchange.json, operation.items)) : undefined;
    },
    readId: (exchange) => {
      const { idIn } = v3(target);
      const id = memberAt(exchange.json, idIn);
      if (typeof id === 'string') return id;
      throw new NotTestable(`the creation response carries no session id at "${idIn}" (v3.idIn of the target file)`);
    },
  };
}

function v3(target: Target): TargetV3 {
  if (target.v3 === null) throw new NotTestable('this target does not offer V3');
  return target.v3;
}

function getRequest(id: string): RequestSpec {
  const path = pathWithId('/sessions/{session_id}', id);
  return { generation: 'v3', operation: 'getSession', method: 'GET', path };
}

function named<T extends OperationTarget>(operation: T | null, what: string, member: string): T {
  if (operation === null) throw new NotTestable(`the target file names no ${what} operation (v3.${member})`);
  return operation;
}

function call(operation: string, { method, path, body }: OperationTarget, id: string): RequestSpec {
  const spec = { generation: 'v3', operation, method, path: pathWithId(path, id) } as const;
  return body === undefined ? spec : { ...spec, body };
}

function followUpRequest(operation: NonNullable<TargetV3['followUp']>, id: string, body: JsonObject): RequestSpec {
  const member = operation.idMember === null ? {} : { [operation.idMember]: id };
  return { ...call('followUpSession', operation, id), body: { ...operation.body, ...member, ...body } };
}

/**
 * Removes `keepAlive` and the cost ceiling from a follow-up, except where `followUp.body` of the target file contains
 * them. Applies only if follow-ups have their own path, because the contract does not show these members there. Returns
 * `spec` itself if nothing is removed.
 */
function withoutUnshown(spec: RequestSpec, target: Target): RequestSpec {
  const { followUp, members } = v3(target);
  if (followUp === null || followUp.path === creation.path || !isJsonObject(spec.body)) return spec;
  const unshown = ['keepAlive', members.maxCostUsd].filter((name) => !(toText(name) in (followUp.body ?? {})));
  const shown = Object.entries(spec.body).filter(([name]) => !unshown.includes(name));
  return shown.length === Object.keys(spec.body).length
    ? spec
    : { ...spec, ceiling: 'own', body: Object.fromEntries(shown) };
}

// Every response with a session also shows whether the session may still cause costs.
function bookRecord(exchange: Exchange, ledger: Ledger): Exchange {
  const record = sessionRecord(exchange);
  const entry = record === undefined ? undefined : ledger.find('session', toText(record['id']));
  if (record === undefined || entry === undefined) return exchange;
  const cost = record['totalCostUsd'];
  ledger.update(entry, {
    ...(ended.includes(toText(record['status'])) ? { state: 'ended' } : {}),
    ...(typeof cost === 'string' ? { costUsd: cost } : {}),
  });
  return exchange;
}

/** Returns the session record of a 2xx response; undefined for any other response and for a body that is no object. */
export function sessionRecord(exchange: Exchange): JsonObject | undefined {
  return succeeded(exchange) && isJsonObject(exchange.json) ? exchange.json : undefined;
}

/** Returns the ids of a list's items, without items that have no valid id; undefined if `items` is not an array. */
export function idsIn(items: JsonValue | undefined): string[] | undefined {
  if (!Array.isArray(items)) return undefined;
  return items.map((item) => identifier(memberAt(item, 'id'))).filter((id) => id !== undefined);
}
