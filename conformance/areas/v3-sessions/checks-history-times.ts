import { type Check, type CheckContext, law } from '../../core/check.ts';
import { type JsonValue, textOf } from '../../core/json.ts';
import { withoutEnd } from '../../core/trim-end.ts';
import { compareSizes, type Size, sizeOf, timeOf } from '../../properties/laws/likeness.ts';
import type { Likeness } from '../../properties/laws/records.ts';
import type { Observation } from '../../common/observed-session.ts';
import { show, someRecord } from '../../common/session-records.ts';
import { endMs, type SessionHistory, sessionHistories } from './history.ts';

/** Checks of the times and costs of a V3 session, compared over every fetch of the run. */
export const sessionTimeChecks: readonly Check[] = [
  historyLaw('V3-HISTORY-01', (t, { fetches }) => {
    const [first] = fetches;
    for (const { record, exchange } of fetches) {
      const [was, is] = [first?.record['createdAt'], record['createdAt']];
      const message = `createdAt was ${show(was)} and is ${show(is)}; expected it never to change`;
      t.expect(timeOf(was) === timeOf(is), { exchange, member: '/createdAt', message });
    }
  }),
  historyLaw('V3-HISTORY-02', (t, { fetches }) => {
    for (const { record, exchange } of fetches) {
      const { createdAt, updatedAt } = record;
      const [created, updated] = [timeOf(createdAt), timeOf(updatedAt)];
      if (created === undefined || updated === undefined) continue;
      const unitMs = Math.max(shownUnitMs(createdAt), shownUnitMs(updatedAt));
      const message = `updatedAt ${show(updatedAt)} is before createdAt ${show(createdAt)}`;
      t.expect(created - updated < unitMs, { exchange, member: '/updatedAt', message });
    }
  }),
  historyLaw('V3-HISTORY-03', (t, history) => advances(t, history)),
  historyLaw('V3-HISTORY-04', (t, history) => {
    for (const [member, as] of consumed) neverFalls(t, history, [member, as]);
  }),
];

/** Creates a check of one law over the history of each session. */
export function historyLaw(id: Check['id'], judge: (t: CheckContext, history: SessionHistory) => void): Check {
  return law(
    id,
    async (t) => {
      const driven = someRecord(t.target).filter((scenario) => t.drives(scenario));
      await Promise.all(driven.map((scenario) => t.recording(scenario)));
      for (const history of sessionHistories(t)) judge(t, history);
    },
    { needs: someRecord },
  );
}

/** Assumed resolution of the target's clock in ms: two changes within this span may share one time. */
const leastUnitMs = 50;

/** Returns the unit in which a time is shown, in ms: a second for a time without fractional digits. */
function shownUnitMs(value: JsonValue | undefined): number {
  const digits = withoutEnd(/\.(\d+)/.exec(textOf(value))?.[1] ?? '', /0/);
  return Math.max(leastUnitMs, 1000 / 10 ** digits.length);
}

const progress = ['status', 'output', 'isTaskSuccessful'] as const;

// By the suite's clock, the shown time is before the response of `since`, and the change is after the request of
// `before`.
function advances(t: CheckContext, { fetches }: SessionHistory): void {
  let since: Observation | undefined;
  let before: Observation | undefined;
  for (const now of fetches) {
    if (since !== undefined && before !== undefined && hasMoved(before, now)) {
      const [was, is] = [timeOf(before.record['updatedAt']), timeOf(now.record['updatedAt'])];
      const hasStood = before.exchange.atMs - endMs(since.exchange) >= shownUnitMs(now.record['updatedAt']);
      const message = `the session went from ${progressText(before)} to ${progressText(now)} and updatedAt stayed ${show(now.record['updatedAt'])}; expected a later time`;
      const about = { exchange: now.exchange, member: '/updatedAt', message };
      t.expect(was === undefined || is === undefined || is !== was || !hasStood, about);
    }
    if (since === undefined || since.record['updatedAt'] !== now.record['updatedAt']) since = now;
    before = now;
  }
}

function hasMoved(before: Observation, now: Observation): boolean {
  if (now.exchange.atMs < endMs(before.exchange)) return false;
  return progress.some((member) => JSON.stringify(before.record[member]) !== JSON.stringify(now.record[member]));
}

function progressText({ record }: Observation): string {
  return progress.map((member) => show(record[member])).join(', ');
}

const consumed: readonly (readonly [string, Likeness])[] = [
  ['totalInputTokens', 'number'],
  ['totalOutputTokens', 'number'],
  ['llmCostUsd', 'decimal'],
  ['proxyCostUsd', 'decimal'],
  ['proxyUsedMb', 'decimal'],
];

function neverFalls(t: CheckContext, { fetches }: SessionHistory, [member, as]: (typeof consumed)[number]): void {
  let largest: { readonly size: Size; readonly seen: Observation } | undefined;
  for (const seen of fetches) {
    const size = sizeOf(as, seen.record[member] ?? null);
    if (size === undefined) continue;
    const isLess = largest !== undefined && compareSizes(largest.size, size) < 0;
    const isLater = largest !== undefined && seen.exchange.atMs >= endMs(largest.seen.exchange);
    const message = (): string =>
      `${member} was ${show(largest?.seen.record[member])} and is ${show(seen.record[member])}; expected it never to fall`;
    t.expect(!isLess || !isLater, { exchange: seen.exchange, member: `/${member}`, message });
    if (!isLess) largest = { size, seen };
  }
}
