import type { CheckContext } from '../../core/check.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, identifier, isJsonObject, memberAt, textOf } from '../../core/json.ts';
import { type OperationKey, findOperation, pathValues } from '../../core/operations.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import { type RecordRule, recordRules } from './records.ts';

/** One look at a record. */
export interface Observation {
  readonly operation: OperationKey;
  readonly exchange: Exchange;
  readonly record: JsonObject;
  /** When its request was sent and when its answer had come, in ms of the run. */
  readonly from: number;
  readonly to: number;
}

/** Everything that the run has seen of one thing, in the order in which the requests were sent. */
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

/** What a run has seen. */
export interface History {
  /** Every exchange of an operation of the documents, in the order of sending. */
  readonly calls: readonly Called[];
  readonly resources: readonly TrackedRecord[];
  /** The calls whose path names a thing first, in the order of sending. */
  readonly callsOn: (id: string) => readonly Called[];
}

/** Every exchange of an operation of the documents, in the order of sending. */
export const callsOf: (t: CheckContext) => readonly Called[] = deriveOnce((t) =>
  t.recorder
    .all()
    .flatMap((exchange) => {
      // A target file can give follow-ups a place of their own: they are the requests that the documents know elsewhere.
      const operation =
        exchange.operation === 'followUpSession' ? 'v3.createSession' : findOperation(t.target, exchange)?.key;
      return operation === undefined ? [] : [{ operation, exchange }];
    })
    .toSorted((left, right) => left.exchange.atMs - right.exchange.atMs),
);

/** What the run has seen. A mock answers from its documents: what it shows is no thing, and the check ends. */
export function historyOf(t: CheckContext): History {
  t.operations.need();
  if (t.target.stateless) t.notTestable('this target is stateless: its answers are examples');
  return wholeHistoryOf(t);
}

const wholeHistoryOf = deriveOnce((t): History => {
  const calls = callsOf(t);
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

/** What each operation shows, and where. */
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
      const id = idOf(rule, record) ?? (shown.items === undefined ? pathValues(t.target, exchange)[0] : undefined);
      return id === undefined ? [] : [{ rule, id, observation: { operation, exchange, record, ...span } }];
    });
  });
}

/** The id of a record; a number counts within its session alone. */
export function idOf({ id }: RecordRule, record: JsonObject): string | undefined {
  const found = record[id];
  return typeof found === 'number' ? `${textOf(record['sessionId'])}/${found}` : identifier(found);
}

const purges: readonly string[] = ['v2.purgeSession', 'v4.purgeSession'];

/** Ids of sessions whose content was erased, and when that was asked for first. */
function erasures(t: CheckContext, calls: readonly Called[]): Map<string, number> {
  const done = calls.filter(({ operation, exchange }) => purges.includes(operation) && succeeded(exchange));
  return new Map(done.toReversed().map(({ exchange }) => [pathValues(t.target, exchange)[0] ?? '', exchange.atMs]));
}

// What was erased on demand may look like anything.
function isErased(erased: ReadonlyMap<string, number>, { record, to }: Observation): boolean {
  return ['id', 'sessionId'].some((member) => to > (erased.get(identifier(record[member]) ?? '') ?? Infinity));
}

/** Returns true if an observation was requested after the other one was answered; overlapping observations have no order. */
export function isAfter(later: Pick<Observation, 'from'>, earlier: Pick<Observation, 'to'>): boolean {
  return later.from >= earlier.to;
}

/**
 * Of some looks the first in their order that was answered before another one was asked for; undefined where none was. Most looks at a
 * thing come before all of them, which is known without going through them.
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
