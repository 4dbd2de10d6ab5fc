import { type Check, check } from '../../core/check.ts';
import type { Exchange } from '../../core/exchange.ts';
import { memberAt, textOf } from '../../core/json.ts';
import { itemsOf, itemsOfAll } from '../common/followed-pages.ts';
import type { EventPages } from '../v4-sessions/scenarios-part-run-event-pages.ts';
import { runSession } from '../v4-sessions/scenarios-part-run-session.ts';
import { show } from '../common/session-records.ts';
import { idsOf, isSame, judged } from '../common/checks-part-seen.ts';

/** The pages of events of a V4 run that has ended. */
export const runEventPageChecks: readonly Check[] = [
  check('EVT-10', { needs: [runSession] }, async (t) => {
    const { events } = await t.recording(runSession);
    for (const page of pagesOf(events)) {
      const ids = numbersOf(page);
      const rising = ids.every((id, index) => Number.isInteger(id) && (index === 0 || id > (ids[index - 1] ?? id)));
      t.expect(rising, {
        exchange: page,
        message: `the ids of a page of events are ${ids.join(', ')}; expected that they rise`,
      });
    }
  }),
  check('EVT-11', { needs: [runSession] }, async (t) => {
    const { all, behindSecond } = (await t.recording(runSession)).events;
    const [, , ...want] = idsOf(itemsOf(all, 'events'));
    judged(t, behindSecond, 'the page behind the second event').ids({
      shown: idsOf(itemsOf(behindSecond, 'events')),
      want,
    });
  }),
  check('EVT-12', { needs: [runSession] }, async (t) => {
    const { events } = await t.recording(runSession);
    for (const page of pagesOf(events)) {
      const highest = numbersOf(page).at(-1);
      if (highest !== undefined) judged(t, page, 'a page of events').member('nextAfter', highest);
    }
  }),
  check('EVT-13', { needs: [runSession] }, async (t) => {
    const { all, single, behindSecond } = (await t.recording(runSession)).events;
    const count = itemsOf(all, 'events').length;
    for (const page of [all, behindSecond])
      judged(t, page, 'a page that holds the last event').member('hasMore', false);
    for (const [index, page] of single.entries())
      judged(t, page, `page ${index + 1} of ${count} events`).member('hasMore', index + 1 < count);
  }),
  check('EVT-14', { needs: [runSession] }, async (t) => {
    const { all, single } = (await t.recording(runSession)).events;
    const [shown, want] = [idsOf(itemsOfAll(single, 'events')), idsOf(itemsOf(all, 'events'))];
    judged(t, single[0] ?? all, 'page after page of events').ids({ shown, want });
    for (const page of single) {
      const held = itemsOf(page, 'events').length;
      t.expect(held <= 1, { exchange: page, message: `a page of one event holds ${held}` });
    }
  }),
  check('EVT-15', { needs: [runSession] }, async (t) => {
    const { events, first } = await t.recording(runSession);
    const types = itemsOf(events.all, 'events').map(({ type }) => textOf(type));
    const ends = types.filter((type) => terminal.includes(type));
    const want = `run.${textOf(memberAt(first.atEnd.json, 'status'))}`;
    const holds = types[0] === 'run.created' && isSame(ends, [want]);
    const message = `a run that is ${want.slice(4)} has the events ${show(types)}; expected run.created first and ${want} once`;
    t.expect(holds, { exchange: events.all, message });
  }),
  check('EVT-16', { needs: [runSession] }, async (t) => {
    const { events } = await t.recording(runSession);
    const wrong = itemsOf(events.all, 'events').find(({ runId }) => runId !== events.runId);
    const message = `an event of the run ${events.runId} names the run ${show(wrong?.['runId'])}`;
    t.expect(wrong === undefined, { exchange: events.all, message });
  }),
];

const terminal = ['run.completed', 'run.failed', 'run.cancelled', 'run.dispatch_failed'];

function pagesOf({ all, single, behindSecond }: EventPages): Exchange[] {
  return [all, behindSecond, ...single];
}

function numbersOf(page: Exchange): number[] {
  return itemsOf(page, 'events').map(({ id }) => Number(id));
}
