/**
 * The creations and fetches of sessions, tasks and runs among the exchanges of a run. The checks of identity judge
 * these exchanges.
 */
import type { CheckContext } from '../../core/check.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import { type Exchange, keyOf, refused, succeeded } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';
import type { Generation } from '../../core/target.ts';
import { keyPlaceholders } from '../../transport/redact.ts';

/**
 * For each generation: the kind of resource that a request for work creates, and the operations that create and fetch
 * this resource.
 */
export const kinds = {
  v2: { what: 'task', creation: 'createTask', fetch: 'getTask' },
  v3: { what: 'session', creation: 'createSession', fetch: 'getSession' },
  v4: { what: 'run', creation: 'createRun', fetch: 'getRun' },
} as const;

/** A fetch of a session, task or run, with the id in its path. */
export interface Fetch {
  readonly exchange: Exchange;
  readonly generation: Generation;
  readonly asked: string;
}

/** An accepted creation of a session, task or run, with the id in its answer. */
export interface Creation {
  readonly exchange: Exchange;
  readonly generation: Generation;
  readonly id: string;
}

/**
 * Returns every fetch of a session, task or run with the key of the run. Ends the check as not testable on a stateless
 * target.
 */
export const fetchesSeen = deriveOnce((t): readonly Fetch[] => {
  if (t.target.stateless) return t.notTestable('this target is stateless: its answers are examples');
  return t.recorder.all().flatMap((exchange) => {
    const { generation, operation } = exchange;
    if (generation === 'other' || operation !== kinds[generation].fetch || !withOwnKey(t, exchange)) return [];
    return [{ exchange, generation, asked: lastPart(exchange) }];
  });
});

/**
 * Returns every accepted creation of a session, task or run whose answer contains an id; follow-ups are omitted. Ends
 * the check as not testable on a stateless target.
 */
export const creationsSeen = deriveOnce((t): readonly Creation[] => {
  if (t.target.stateless) return t.notTestable('this target is stateless: its answers are examples');
  return t.recorder.all().flatMap((exchange) => {
    const { generation, operation } = exchange;
    if (generation === 'other' || operation !== kinds[generation].creation) return [];
    if (!succeeded(exchange) || isFollowUp(exchange)) return [];
    const id = identifier(memberAt(exchange.json, idPlace(t, generation)));
    return id === undefined ? [] : [{ exchange, generation, id }];
  });
});

/**
 * Returns true if the response shows whether the id exists. An exhausted budget, a limited rate or a server error does
 * not show that.
 */
export function isFinal(exchange: Exchange): boolean {
  return succeeded(exchange) || (refused(exchange) && ![401, 402, 408, 429].includes(exchange.status));
}

/** Returns true if a request carried the key of the run. */
export function withOwnKey({ target }: CheckContext, exchange: Exchange): boolean {
  return keyOf(exchange, target.keyHeader) === keyPlaceholders.apiKey;
}

/** Returns the path of the id in a record and in the answer to a creation. */
export function idPlace({ target }: CheckContext, generation: Generation): string {
  return generation === 'v4' ? 'id' : (target[generation]?.idIn ?? 'id');
}

function lastPart({ request }: Exchange): string {
  return decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
}

/**
 * Returns true if the target serves the fetch of a generation at the path that the suite uses. Always true for V3,
 * whose path the contract states. For V2 and V4, at least one fetch must get a final answer or a server error, other
 * than 404, 405, 410 and 501; otherwise the operation may be served at another path.
 */
export function isOffered(t: CheckContext, generation: Generation): boolean {
  const sent = fetchesSeen(t).filter((fetch) => fetch.generation === generation);
  const isServed = ({ exchange }: Fetch): boolean =>
    (isFinal(exchange) || exchange.status >= 500) && ![404, 405, 410, 501].includes(exchange.status);
  return generation === 'v3' || sent.some(isServed);
}
