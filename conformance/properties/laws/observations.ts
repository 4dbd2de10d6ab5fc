import type { CheckContext } from '../../core/check.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, identifier, isJsonObject, memberAt, toText } from '../../core/json.ts';
import { type OperationKey, findOperation, pathValues } from '../../core/operations.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import { type RecordRule, recordRules } from './records.ts';

/** One observation of a record. */
export interface Observation {
  readonly operation: OperationKey;
  readonly exchange: Exchange;
  readonly record: JsonObject;
  /**
   * Time at which the request of the observation was sent, in ms since the run began. `to` is the time at which its
   * response ended.
   */
  readonly from: number;
  readonly to: number;
}

/** All observations of one resource, in the order in which the requests were sent. */
export interface TrackedRecord {
  readonly rule: RecordRule;
  readonly id: string;
  readonly observations: readonly Observation[];
}

/** An exchange with the operation that it called. */
export interface Called {
  readonly operation: OperationKey;
  readonly exchange: Exchange;
}

/** All documented calls and tracked records of a run. */
export interface History {
  /** Every exchange of a documented operation, in the order of sending. */
  readonly calls: readonly Called[];
  readonly resources: readonly TrackedRecord[];
  /** Returns the calls whose first path parameter is the id of a resource, in the order of sending. */
  readonly callsOn: (id: string) => readonly Called[];
}

/** Returns every exchange that called a documented operation, in the order of sending. */
export const deriveCalls: (t: CheckContext) => readonly Called[] = deriveOnce((t) =>
  t.recorder
    .all()
    .flatMap((exchange) => {
      // A target file can give follow-ups another path; they are then not found in the documents.
      const operation =
        exchange.operation === 'followUpSession' ? 'v3.createSession' : findOperation(t.target, exchange)?.key;
      return operation === undefined ? [] : [{ operation, exchange }];
    })
    .toSorted((left, right) => left.exchange.atMs - right.exchange.atMs),
);

/**
 * Returns the observations and calls of the run. Throws NotTestable for a stateless target, whose responses describe no
 * stored resource, and if `operations` of the target file is null.
 */
export function getHistory(t: CheckContext): History {
  t.operations.need();
  if (t.target.stateless) t.notTestable('this target is stateless: its answers are examples');
  return deriveHistory(t);
}

const deriveHistory = deriveOnce((t): History => {
  const calls = deriveCalls(t);
  const erased = erasures(t, calls);
  const byRule = new Map(recordRules.map((rule) => [rule, new Map<string, Observation[]>()]));
  for (const call of calls) {
    for (const { rule, id, observation } of observationsIn(t, call)) {
      if (isErased(erased, observation)) continue;
      const known = byRule.get(rule);
      const observations = known?.get(id);
      if (observations === undefined) known?.set(id, [observation]);
      else observations.push(observation);
    }
  }
  const resources = [...byRule].flatMap(([rule, byId]) =>
    [...byId].map(([id, observations]) => ({ rule, id, observations })),
  );
  const byPlace = Map.groupBy(calls, ({ exchange }) => pathValues(t.target, exchange)[0] ?? '');
  return { calls, resources, callsOn: (id) => byPlace.get(id) ?? [] };
});

/** Record rules by the operation that shows the record. */
const shownBy = Map.groupBy(
  recordRules.flatMap((rule) => rule.shownBy.map((shown) => ({ rule, shown }))),
  ({ shown }) => shown.operation,
);

function observationsIn(
  t: CheckContext,
  { operation, exchange }: Called,
): { rule: RecordRule; id: string; observation: Observation }[] {
  const { json } = exchange;
  if (!succeeded(exchange) || !isJsonObject(json)) return [];
  const span = { from: exchange.atMs, to: exchange.atMs + exchange.durationMs };
  return (shownBy.get(operation) ?? []).flatMap(({ rule, shown }) => {
    const items = shown.items === undefined ? json : memberAt(json, shown.items);
    return (Array.isArray(items) ? items : [items]).filter(isJsonObject).flatMap((record) => {
      const id =
        readRecordId(rule, record) ?? (shown.items === undefined ? pathValues(t.target, exchange)[0] : undefined);
      return id === undefined ? [] : [{ rule, id, observation: { operation, exchange, record, ...span } }];
    });
  });
}

/**
 * Returns the id of a record; undefined if the record has no id. A numeric id is unique only within its session, so the
 * session id precedes it.
 */
export function readRecordId({ id }: RecordRule, record: JsonObject): string | undefined {
  const found = record[id];
  return typeof found === 'number' ? `${toText(record['sessionId'])}/${found}` : identifier(found);
}

const purges: readonly string[] = ['v2.purgeSession', 'v4.purgeSession'];

/** Returns the ids of sessions whose content was erased, with the time of the first erasure request. */
function erasures(t: CheckContext, calls: readonly Called[]): Map<string, number> {
  const done = calls.filter(({ operation, exchange }) => purges.includes(operation) && succeeded(exchange));
  return new Map(done.toReversed().map(({ exchange }) => [pathValues(t.target, exchange)[0] ?? '', exchange.atMs]));
}

/**
 * Returns true for an observation that was answered after the request to erase its session. An erased session may have
 * any content.
 */
function isErased(erased: ReadonlyMap<string, number>, { record, to }: Observation): boolean {
  return ['id', 'sessionId'].some((member) => to > (erased.get(identifier(record[member]) ?? '') ?? Infinity));
}

/**
 * Returns true if `later` was requested after the response of `earlier` had arrived. Overlapping observations have no
 * order.
 */
export function isAfter(later: Pick<Observation, 'from'>, earlier: Pick<Observation, 'to'>): boolean {
  return later.from >= earlier.to;
}

/**
 * Returns a function that finds the first of `looks` whose response had arrived before a given observation was
 * requested. The function never returns the given observation itself; it returns undefined if there is no such
 * observation. To save time, it first compares with the earliest response of all `looks`.
 */
export function firstBefore<T>(
  looks: readonly T[],
  observationIn: (look: T) => Observation,
): (observation: Observation) => T | undefined {
  const earliest = looks.reduce((least, look) => Math.min(least, observationIn(look).to), Number.POSITIVE_INFINITY);
  return (observation) => {
    if (!isAfter(observation, { to: earliest })) return undefined;
    return looks.find((look) => observationIn(look) !== observation && isAfter(observation, observationIn(look)));
  };
}
