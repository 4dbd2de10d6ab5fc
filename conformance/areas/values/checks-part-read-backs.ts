import { type Check, type CheckContext, law } from '../../core/check.ts';
import { alike } from '../../properties/laws/likeness.ts';
import { type Sight, historyOf, isAfter } from '../../properties/laws/sights.ts';
import { type Write, type WrittenMember, requestsOf, writeRules, writesOf } from '../../properties/laws/writes.ts';
import { show } from '../common/session-records.ts';

/** What was sent is what is shown, in every answer of the run that shows the thing. */
export const readBackChecks: readonly Check[] = [
  law('VALUE-READBACK', (t) => readBacks(t, false)),
  law('VALUE-DEFAULTS', (t) => readBacks(t, true)),
];

function readBacks(t: CheckContext, omitted: boolean): void {
  const { calls, things } = historyOf(t);
  t.cellTotal(cellCount(omitted), omitted ? 'every request has named the others' : 'no request has set the others');
  for (const rule of writeRules) {
    for (const { id, sights } of things.filter((thing) => thing.rule.record === rule.record)) {
      const requests = requestsOf(calls, rule, id);
      for (const row of rule.members) {
        const shown = sights.filter(({ record }) => record[row.shows] !== undefined);
        const writes = shown.length === 0 ? [] : writesOf(t, requests, { rule, row });
        // Most requests say nothing of most members, and what they say is judged by one of the two laws alone.
        if (!writes.some((write) => write.value !== undefined && write.omitted === omitted)) continue;
        for (const sight of shown) judge(t, row, { sight, last: lastWrite(writes, sight), omitted });
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

/** The write that a sight has to show; undefined where none, or more than one, may have come last. */
function lastWrite(writes: readonly Write[], sight: Sight): Write | undefined {
  const own = writes.find(({ exchange }) => exchange === sight.exchange);
  const begun = writes.filter((write) => write.from < sight.to);
  const last = own ?? begun.at(-1);
  if (last === undefined || (last !== own && !isAfter(sight, last))) return undefined;
  // Of two that overlap, either may have come last.
  const alone = begun.every((write) => write === last || isAfter(last, write));
  return alone ? last : undefined;
}

function judge(
  t: CheckContext,
  { member, shows, as, clears }: WrittenMember,
  { sight, last, omitted }: { sight: Sight; last: Write | undefined; omitted: boolean },
): void {
  const found = sight.record[shows];
  if (last?.value === undefined || found === undefined || last.omitted !== omitted) return;
  if (last.value === null && clears !== true) return;
  const cell = `${last.operation} ${member}`;
  const set = (): string =>
    `${last.operation} ${omitted ? `without ${member}, which stands for` : `with ${member}`} ${show(last.value)}`;
  const message = (): string => `${set()} is shown as ${show(found)} by ${sight.operation}; expected it as it was sent`;
  t.expect(alike(as, last.value, found), { cell, exchange: sight.exchange, message });
}
