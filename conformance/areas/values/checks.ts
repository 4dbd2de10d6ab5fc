import { type Check, type CheckContext, law } from '../../core/check.ts';
import { identifier, isJsonObject, type JsonValue, memberAt } from '../../core/json.ts';
import { compareTimes, parseTime } from '../../core/times.ts';
import { isEquivalent, isFiner, compareSizes, larger, type Size, toSize } from '../../properties/laws/likeness.ts';
import {
  type ListRule,
  listRules,
  type RecordMember,
  type RecordRule,
  recordRules,
} from '../../properties/laws/records.ts';
import {
  firstBefore,
  getHistory,
  isAfter,
  type Observation,
  type TrackedRecord,
} from '../../properties/laws/observations.ts';
import { show } from '../../core/text.ts';
import { findRequests, type Write, writeRules, findWrites, type WrittenMember } from '../../properties/laws/writes.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type OperationKey, operationRow } from '../../core/operations.ts';

/**
 * Checks of the values of records: changes of records that the run has seen more than once, and the order of the times
 * in each record.
 */
export const recordValueChecks: readonly Check[] = [
  law('VALUE-CONSTANT', (t) => each(t, 'constant', constant)),
  law('VALUE-SETTLED', (t) => each(t, 'settled', settled)),
  law('VALUE-GROWING', (t) => each(t, 'growing', growing)),
  law('VALUE-ORDER', (t) => {
    const { resources } = getHistory(t);
    t.cellTotal(recordRules.filter(({ order }) => order.length > 0).length, unseen);
    for (const { rule, observations } of resources)
      for (const observation of observations) ordered(t, rule, observation);
  }),
];

const unseen = 'the others were not seen, or not twice';

/** A value of a member, and the observation that showed it. */
interface Shown {
  readonly observation: Observation;
  readonly value: JsonValue;
}

type Law = (t: CheckContext, cell: string, given: { as: RecordMember['as']; shown: readonly Shown[] }) => void;

function each(t: CheckContext, kind: 'constant' | 'settled' | 'growing', judge: Law): void {
  const { resources } = getHistory(t);
  const rows = recordRules.flatMap((rule) => rule[kind]);
  t.cellTotal(rows.length, unseen);
  for (const resource of resources) {
    for (const { member, as } of resource.rule[kind]) {
      const shown = resource.observations.length > 1 ? listValues(resource, member) : [];
      if (shown.length > 1) judge(t, `${resource.rule.record} ${member}`, { as, shown });
    }
  }
}

function listValues({ observations }: TrackedRecord, member: string): Shown[] {
  const shown: Shown[] = [];
  for (const observation of observations) {
    const value = observation.record[member];
    if (value !== undefined) shown.push({ observation, value });
  }
  return shown;
}

const constant: Law = (t, cell, { as, shown: [first, ...others] }) => {
  let known = first;
  for (const one of others) {
    if (known === undefined) return;
    const { observation, value } = one;
    const was = known;
    const message = (): string =>
      `${cell} was ${show(was.value)} in ${was.observation.operation} and is ${show(value)} in ${observation.operation}; expected it never to change`;
    t.expect(isEquivalent(as, was.value, value), { cell, exchange: observation.exchange, message });
    // A value in a coarse notation would hide small changes between finer values.
    if (isFiner(toSize(as, was.value), toSize(as, value))) known = one;
  }
};

const settled: Law = (t, cell, { as, shown }) => {
  const known = shown.filter(({ value }) => value !== null);
  constant(t, cell, { as, shown: known });
  const knownBefore = firstBefore(known, ({ observation }) => observation);
  for (const { observation } of shown.filter(({ value }) => value === null)) {
    const before = knownBefore(observation);
    const message = (): string =>
      `${cell} was ${show(before?.value)} and is null in ${observation.operation}; expected it to stay`;
    t.expect(before === undefined, { cell, exchange: observation.exchange, message });
  }
};

const growing: Law = (t, cell, { as, shown }) => {
  const sized = shown.map(({ observation, value }) => ({ observation, value, size: toSize(as, value) }));
  const fallBefore = createFallFinder(sized);
  for (const one of sized) {
    const { observation, value } = one;
    const fallen = fallBefore(one);
    const message = (): string =>
      `${cell} was ${show(fallen?.value)} and is ${show(value)} in ${observation.operation}; expected it never to fall`;
    t.expect(fallen === undefined, { cell, exchange: observation.exchange, message });
  }
};

/** A shown value with its size, by which values are compared. The size is undefined if the values have no order. */
interface Sized extends Shown {
  readonly size: Size | undefined;
}

/**
 * Returns a function that finds a fall: for a value, it returns the first larger value whose response arrived before
 * the request of the given value; undefined without such a value. Pass the values in the order of sending: a running
 * maximum avoids a search for most values.
 */
function createFallFinder(shown: readonly Sized[]): (one: Sized) => Shown | undefined {
  const answered = shown.toSorted((one, other) => one.observation.to - other.observation.to);
  let next = 0;
  let largest: Size | undefined;
  return ({ observation, size }) => {
    for (
      let one = answered[next];
      one !== undefined && isAfter(observation, one.observation);
      one = answered[(next += 1)]
    )
      if (one.size !== undefined) largest = largest === undefined ? one.size : larger(largest, one.size);
    if (size === undefined || largest === undefined || larger(size, largest) === size) return undefined;
    return shown.find((earlier) => isAfter(observation, earlier.observation) && isBelow(size, earlier.size));
  };
}

function isBelow(size: Size | undefined, other: Size | undefined): boolean {
  return size !== undefined && other !== undefined && compareSizes(other, size) < 0;
}

function ordered(
  t: CheckContext,
  { record: cell, order }: RecordRule,
  { record, exchange, operation }: Observation,
): void {
  const members = order.filter((member) => parseTime(record[member]) !== undefined);
  for (const [index, member] of members.entries()) {
    const earlier = members[index - 1];
    if (earlier === undefined) continue;
    const message = (): string =>
      `${member} ${show(record[member])} of ${operation} is before ${earlier} ${show(record[earlier])}; expected the same time or a later one`;
    t.expect((compareTimes(record[earlier], record[member]) ?? 0) >= 0, { cell, exchange, message });
  }
}

/**
 * Checks that every response shows the values that requests have set, and the documented defaults of the members that
 * requests have omitted.
 */
export const readBackChecks: readonly Check[] = [
  law('VALUE-READBACK', (t) => readBacks(t, false)),
  law('VALUE-DEFAULTS', (t) => readBacks(t, true)),
];

function readBacks(t: CheckContext, omitted: boolean): void {
  const { calls, resources } = getHistory(t);
  t.cellTotal(cellCount(omitted), omitted ? 'every request has named the others' : 'no request has set the others');
  for (const rule of writeRules) {
    for (const { id, observations } of resources.filter((resource) => resource.rule.record === rule.record)) {
      const requests = findRequests(calls, rule, id);
      for (const row of rule.members) {
        const shown = observations.filter(({ record }) => record[row.shows] !== undefined);
        const writes = shown.length === 0 ? [] : findWrites(t, requests, { rule, row });
        // Most requests do not set most members, and each case is judged by only one of the two laws.
        if (!writes.some((write) => write.value !== undefined && write.omitted === omitted)) continue;
        for (const observation of shown)
          judgeReadBack(t, row, { observation, last: lastWrite(writes, observation), omitted });
      }
    }
  }
}

function cellCount(omitted: boolean): number {
  return writeRules
    .map(({ creates, updates, members }) =>
      omitted
        ? creates.length * members.filter((row) => row.omitted !== undefined).length
        : (creates.length + updates.length) * members.length,
    )
    .reduce((sum, count) => sum + count, 0);
}

/**
 * Returns the write whose value an observation must show. Returns undefined without a write, and if overlapping
 * requests leave open which write was the last.
 */
function lastWrite(writes: readonly Write[], observation: Observation): Write | undefined {
  const own = writes.find(({ exchange }) => exchange === observation.exchange);
  const begun = writes.filter((write) => write.from < observation.to);
  const last = own ?? begun.at(-1);
  if (last === undefined || (last !== own && !isAfter(observation, last))) return undefined;
  // Of two overlapping writes, either may be the last.
  const alone = begun.every((write) => write === last || isAfter(last, write));
  return alone ? last : undefined;
}

function judgeReadBack(
  t: CheckContext,
  { member, shows, as, clears, mayBeNull }: WrittenMember,
  { observation, last, omitted }: { observation: Observation; last: Write | undefined; omitted: boolean },
): void {
  const found = observation.record[shows];
  if (last?.value === undefined || found === undefined || last.omitted !== omitted) return;
  if ((last.value === null && clears !== true) || (found === null && mayBeNull === true)) return;
  const cell = `${last.operation} ${member}`;
  const set = (): string =>
    `${last.operation} ${omitted ? `without ${member}, which stands for` : `with ${member}`} ${show(last.value)}`;
  const message = (): string =>
    `${set()} is shown as ${show(found)} by ${observation.operation}; expected it as it was sent`;
  t.expect(isEquivalent(as, last.value, found), { cell, exchange: observation.exchange, message });
}

/** Checks of every page of every list that the run has read. */
export const listPageChecks: readonly Check[] = [
  law('VALUE-LISTS', (t) => {
    t.cellTotal(listRules.length, 'the other lists were not read');
    for (const { operation, exchange } of getHistory(t).calls) {
      const rule = listRules.find((row) => row.operation === operation);
      if (rule !== undefined && succeeded(exchange)) page(t, rule, exchange);
    }
  }),
];

function page(t: CheckContext, rule: ListRule, exchange: Exchange): void {
  const list = memberAt(exchange.json, rule.items);
  if (!Array.isArray(list)) return;
  const query = new URL(exchange.request.url).searchParams;
  const size = Number(query.get(rule.size) ?? whenOmitted(t, rule.operation, rule.size));
  const say = (holds: boolean, what: string): void =>
    t.expect(holds, { cell: rule.operation, exchange, message: `${rule.operation} ${what}` });
  if (Number.isInteger(size)) say(list.length <= size, `shows ${list.length} items; expected at most ${size}`);
  const ids = list.filter(isJsonObject).map((item) => identifier(item[rule.id]));
  say(new Set(ids).size === ids.length, `shows ${show(ids.map(String))}; expected each once`);
  if (rule.number === undefined) return more(exchange, say);
  const number = Number(query.get(rule.number) ?? 1);
  echoes(exchange, { rule, size, number }, say);
  if (!rule.ours.some((member) => query.has(member))) return;
  const total = memberAt(exchange.json, rule.total ?? '');
  const least = list.length === 0 ? 0 : (number - 1) * size + list.length;
  say(typeof total === 'number' && total >= least, `counts ${show(total)}; expected at least ${least}`);
  // A page that is not full is the last page.
  if (list.length > 0 && list.length < size) say(total === least, `counts ${show(total)}; expected ${least}`);
}

type Say = (holds: boolean, what: string) => void;

function echoes(
  { json }: Exchange,
  { rule, size, number }: { rule: ListRule; size: number; number: number },
  say: Say,
): void {
  const names = rule.shows ?? { size: rule.size, number: rule.number ?? '' };
  const [shownSize, shownNumber] = [memberAt(json, names.size), memberAt(json, names.number)];
  say(shownSize === size, `says ${names.size} ${show(shownSize)}; expected ${size}`);
  say(shownNumber === number, `says ${names.number} ${show(shownNumber)}; expected ${number}`);
}

/** Judges that a page with further items and the member `nextCursor` has a text as cursor. */
function more({ json }: Exchange, say: Say): void {
  const [hasMore, cursor] = [memberAt(json, 'hasMore'), memberAt(json, 'nextCursor')];
  if (hasMore === true && cursor !== undefined)
    say(typeof cursor === 'string', `has more and the cursor ${show(cursor)}; expected one that leads on`);
}

function whenOmitted(t: CheckContext, key: OperationKey, name: string): JsonValue | undefined {
  return t.answers.getQuerySchema(operationRow(key), name)?.['default'];
}
