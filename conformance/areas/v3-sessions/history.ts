import type { CheckContext } from '../../core/check.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, identifier, memberAt } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';
import { sessionRecord } from '../../ledger/session-api.ts';
import type { Observation } from '../../common/observed-session.ts';

/** Everything that a run has seen of one V3 session, in the order of sending. */
export interface SessionHistory {
  readonly id: string;
  /** The request that has made it; undefined where the run has only met it. */
  readonly creation: { readonly exchange: Exchange; readonly body: JsonObject } | undefined;
  /** Every fetch that showed its record. */
  readonly fetches: readonly Observation[];
  /** Every request but a GET that names it, follow-ups included. */
  readonly changes: readonly Exchange[];
}

/** Every V3 session that the run has fetched; ends the check when there is none. */
export function sessionHistories(t: CheckContext): readonly SessionHistory[] {
  if (t.target.stateless) return t.notTestable('this target is stateless: its answers are examples');
  const histories = historiesOf(t);
  if (histories.length === 0) t.notTestable('no session record was seen');
  return histories;
}

const historiesOf = deriveOnce((t): readonly SessionHistory[] => {
  const all = t.recorder
    .all()
    .filter(({ generation }) => generation === 'v3')
    .toSorted((left, right) => left.atMs - right.atMs);
  const changes = all.filter(({ request }) => request.method !== 'GET');
  const creations = new Map(
    changes
      .filter((exchange) => exchange.operation === 'createSession' && succeeded(exchange) && !isFollowUp(exchange))
      .map((exchange) => [identifier(memberAt(exchange.json, t.target.v3?.idIn ?? 'id')), exchange]),
  );
  return [...Map.groupBy(fetchesIn(all), ({ exchange }) => fetchedId(exchange))].map(([id, fetches]) => {
    const exchange = creations.get(id);
    return {
      id,
      creation: exchange === undefined ? undefined : { exchange, body: requestObject(exchange) },
      fetches,
      changes: changes.filter(({ request }) => request.url.includes(id) || (request.body ?? '').includes(id)),
    };
  });
});

function fetchesIn(exchanges: readonly Exchange[]): Observation[] {
  return exchanges.flatMap((exchange) => {
    const record = exchange.operation === 'getSession' ? sessionRecord(exchange) : undefined;
    return record === undefined ? [] : [{ exchange, record }];
  });
}

function fetchedId({ request }: Exchange): string {
  return decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
}

/** The fetches of a session before its first follow-up was sent: afterwards its settings may be others. */
export function beforeFollowUps({ fetches, changes }: SessionHistory): readonly Observation[] {
  const first = changes.find((exchange) => isFollowUp(exchange))?.atMs ?? Infinity;
  return fetches.filter(({ exchange }) => endMs(exchange) <= first);
}

/** When the answer to a request had come, in ms of the run. */
export function endMs({ atMs, durationMs }: Exchange): number {
  return atMs + durationMs;
}
