import type { CheckContext } from '../../core/check.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import { type Exchange, refused, succeeded } from '../../core/exchange.ts';
import { type JsonObject, identifier, memberAt, toText } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';
import { sessionRecord } from '../../ledger/session-api.ts';
import type { Observation } from '../../common/observed-session.ts';

/** The creation, the fetches and the changes of one V3 session in a run, in the order of sending. */
export interface SessionHistory {
  readonly id: string;
  /** The creation request; undefined if the run did not create the session. */
  readonly creation: { readonly exchange: Exchange; readonly body: JsonObject } | undefined;
  /** Every fetch whose response showed the record of the session. */
  readonly fetches: readonly Observation[];
  /** Every request except GET that names the session, follow-ups included. */
  readonly changes: readonly Exchange[];
}

/**
 * Returns the history of every V3 session that the run has fetched. Ends the check as not testable for a stateless
 * target, and if no session was fetched.
 */
export function sessionHistories(t: CheckContext): readonly SessionHistory[] {
  if (t.target.stateless) return t.notTestable('this target is stateless: its answers are examples');
  const histories = deriveHistories(t);
  if (histories.length === 0) t.notTestable('no session record was seen');
  return histories;
}

const deriveHistories = deriveOnce((t): readonly SessionHistory[] => {
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
    return record === undefined || isRespelled(exchange, toText(record['id'])) ? [] : [{ exchange, record }];
  });
}

/**
 * Returns true for a fetch whose URL spells the UUID of the record in another letter case. The histories omit such
 * fetches, because they group fetches by the id in the URL.
 */
function isRespelled(exchange: Exchange, id: string): boolean {
  const asked = fetchedId(exchange);
  return asked !== id && asked.toLowerCase() === id.toLowerCase();
}

function fetchedId({ request }: Exchange): string {
  return decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
}

/** Returns true for a follow-up that was not refused: it may begin a task and change the settings of its session. */
export function mayBeginTask(exchange: Exchange): boolean {
  return isFollowUp(exchange) && !refused(exchange);
}

/** Returns the follow-ups of a session that were accepted. */
export function acceptedFollowUps({ changes }: Pick<SessionHistory, 'changes'>): Exchange[] {
  return changes.filter((change) => isFollowUp(change) && succeeded(change));
}

/** Returns true for a session that the run has created without a task. */
export function wasCreatedTaskless({ creation }: Pick<SessionHistory, 'creation'>): boolean {
  return creation !== undefined && (creation.body['task'] ?? null) === null;
}

/** Returns the fetches of a session that were answered before the first follow-up that may begin a task. */
export function beforeFollowUps({ fetches, changes }: SessionHistory): readonly Observation[] {
  const first = changes.find((exchange) => mayBeginTask(exchange))?.atMs ?? Infinity;
  return fetches.filter(({ exchange }) => endMs(exchange) <= first);
}

/** Returns the time at which the response arrived, in ms since the run began. */
export function endMs({ atMs, durationMs }: Exchange): number {
  return atMs + durationMs;
}
