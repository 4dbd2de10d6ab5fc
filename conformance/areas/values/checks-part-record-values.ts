import { type Check, type CheckContext, law } from '../../core/check.ts';
import type { JsonValue } from '../../core/json.ts';
import { type Size, alike, compareSizes, sizeOf, timeOf } from '../../properties/laws/likeness.ts';
import { type RecordMember, type RecordRule, recordRules } from '../../properties/laws/records.ts';
import { type Sight, type Thing, firstBefore, historyOf, isAfter } from '../../properties/laws/sights.ts';
import { show } from '../common/session-records.ts';

/** What holds of the values of every record that the run has seen more than once, whoever has asked for it. */
export const recordValueChecks: readonly Check[] = [
  law('VALUE-CONSTANT', (t) => each(t, 'constant', constant)),
  law('VALUE-SETTLED', (t) => each(t, 'settled', settled)),
  law('VALUE-GROWING', (t) => each(t, 'growing', growing)),
  law('V3-VIEW-15', (t) => mailboxesApart(t)),
  law('VALUE-ORDER', (t) => {
    const { things } = historyOf(t);
    t.cellTotal(recordRules.filter(({ order }) => order.length > 0).length, unseen);
    for (const { rule, sights } of things) for (const sight of sights) ordered(t, rule, sight);
  }),
];

/** One session may be shown by several generations, and is the same session by its id. */
function mailboxesApart(t: CheckContext): void {
  const owners = new Map<string, string>();
  const withOne = new Set<string>();
  for (const thing of historyOf(t).things) {
    for (const { sight, value } of valuesOf(thing, 'inboxEmail')) {
      if (typeof value !== 'string') continue;
      withOne.add(thing.id);
      const owner = owners.get(value) ?? thing.id;
      owners.set(value, owner);
      const message = (): string =>
        `the sessions ${owner} and ${thing.id} both have the mailbox ${show(value)}; expected one each`;
      t.expect(owner === thing.id, { exchange: sight.exchange, message });
    }
  }
  if (withOne.size < 2) t.notRun('fewer than two sessions with a mailbox were seen');
}

const unseen = 'the others were not seen, or not twice';

/** A value of a member, and the sight that showed it. */
interface Shown {
  readonly sight: Sight;
  readonly value: JsonValue;
}

type Law = (t: CheckContext, cell: string, given: { as: RecordMember['as']; shown: readonly Shown[] }) => void;

function each(t: CheckContext, kind: 'constant' | 'settled' | 'growing', judge: Law): void {
  const { things } = historyOf(t);
  const rows = recordRules.flatMap((rule) => rule[kind]);
  t.cellTotal(rows.length, unseen);
  for (const thing of things) {
    for (const { member, as } of thing.rule[kind]) {
      const shown = thing.sights.length > 1 ? valuesOf(thing, member) : [];
      if (shown.length > 1) judge(t, `${thing.rule.record} ${member}`, { as, shown });
    }
  }
}

function valuesOf({ sights }: Thing, member: string): Shown[] {
  const shown: Shown[] = [];
  for (const sight of sights) {
    const value = sight.record[member];
    if (value !== undefined) shown.push({ sight, value });
  }
  return shown;
}

const constant: Law = (t, cell, { as, shown: [first, ...others] }) => {
  for (const { sight, value } of others) {
    if (first === undefined) return;
    const message = (): string =>
      `${cell} was ${show(first.value)} in ${first.sight.operation} and is ${show(value)} in ${sight.operation}; expected it never to change`;
    t.expect(alike(as, first.value, value), { cell, exchange: sight.exchange, message });
  }
};

const settled: Law = (t, cell, { as, shown }) => {
  const known = shown.filter(({ value }) => value !== null);
  constant(t, cell, { as, shown: known });
  const knownBefore = firstBefore(known, ({ sight }) => sight);
  for (const { sight } of shown.filter(({ value }) => value === null)) {
    const before = knownBefore(sight);
    const message = (): string =>
      `${cell} was ${show(before?.value)} and is null in ${sight.operation}; expected it to stay`;
    t.expect(before === undefined, { cell, exchange: sight.exchange, message });
  }
};

const growing: Law = (t, cell, { as, shown }) => {
  const sized = shown.map(({ sight, value }) => ({ sight, value, size: sizeOf(as, value) }));
  const fallBefore = fallsOf(sized);
  for (const one of sized) {
    const { sight, value } = one;
    const fallen = fallBefore(one);
    const message = (): string =>
      `${cell} was ${show(fallen?.value)} and is ${show(value)} in ${sight.operation}; expected it never to fall`;
    t.expect(fallen === undefined, { cell, exchange: sight.exchange, message });
  }
};

/** A value that was shown, and how much it is; undefined where it has no order. */
interface Sized extends Shown {
  readonly size: Size | undefined;
}

/**
 * The first larger value that was answered before a value was asked for. To be asked in the order of sending: then the largest value so
 * far is known, and only for what is below it the others are gone through.
 */
function fallsOf(shown: readonly Sized[]): (one: Sized) => Shown | undefined {
  const answered = shown.toSorted((one, other) => one.sight.to - other.sight.to);
  let next = 0;
  let largest: Size | undefined;
  return ({ sight, size }) => {
    for (let one = answered[next]; one !== undefined && isAfter(sight, one.sight); one = answered[(next += 1)])
      if (one.size !== undefined && (largest === undefined || compareSizes(largest, one.size) > 0)) largest = one.size;
    if (!isBelow(size, largest)) return undefined;
    return shown.find((earlier) => isAfter(sight, earlier.sight) && isBelow(size, earlier.size));
  };
}

function isBelow(size: Size | undefined, other: Size | undefined): boolean {
  return size !== undefined && other !== undefined && compareSizes(other, size) < 0;
}

function ordered(t: CheckContext, { record: cell, order }: RecordRule, { record, exchange, operation }: Sight): void {
  let before: { readonly member: string; readonly time: number } | undefined;
  for (const member of order) {
    const time = timeOf(record[member]);
    if (time === undefined) continue;
    if (before !== undefined) {
      const earlier = before.member;
      const message = (): string =>
        `${member} ${show(record[member])} of ${operation} is before ${earlier} ${show(record[earlier])}`;
      t.expect(time >= before.time, { cell, exchange, message });
    }
    before = { member, time };
  }
}
