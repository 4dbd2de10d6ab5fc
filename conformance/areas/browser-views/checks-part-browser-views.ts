import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type JsonValue, isJsonObject, memberAt, textOf } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { itemsOf, itemsOfAll } from '../common/followed-pages.ts';
import { type ViewedBrowser, viewedBrowsers } from './scenarios-part-viewed-browser.ts';
import { show } from '../common/session-records.ts';
import { expectPage, idsOf, isSame, judged } from '../common/checks-part-seen.ts';
import { inOwnList, notFound, wrongScreens } from '../v2-sessions/checks.ts';

/** Standalone browsers as their records and lists show them. */
export const browserViewChecks: readonly Check[] = [
  check('BROWSER-VIEW-01', { needs: [viewedBrowsers] }, async (t) => {
    for (const { created, request } of await browsersOf(t)) {
      const [from, to] = ['startedAt', 'timeoutAt'].map((member) => Date.parse(textOf(memberAt(created.json, member))));
      const minutes = Math.round(((to ?? Number.NaN) - (from ?? Number.NaN)) / 60_000);
      const want = Number(request['timeout'] ?? 60);
      const message = `timeoutAt lies ${minutes} minutes behind startedAt; expected ${want}`;
      t.expect(minutes === want, { exchange: created, message });
    }
  }),
  check('BROWSER-VIEW-02', {}, async (t) => {
    for (const [timeout, status] of [
      [0, 422],
      [241, 403],
    ] as const) {
      const exchange = await t.operations.probe('browser', 'v4.createBrowser', { body: { timeout } });
      judged(t, exchange, `a browser for ${timeout} minutes`).status(status);
    }
  }),
  check('BROWSER-VIEW-03', { needs: [viewedBrowsers] }, async (t) => {
    for (const { id, whileActive, whileStopped } of await browsersOf(t)) {
      inOwnList(t, id, { lists: whileActive, own: 'active', other: 'stopped' });
      inOwnList(t, id, { lists: whileStopped, own: 'stopped', other: 'active' });
    }
  }),
  check('BROWSER-VIEW-04', { needs: [viewedBrowsers] }, async (t) => {
    const { pages, plain } = await t.recording(viewedBrowsers);
    const place = { items: 'items', total: 'totalItems' };
    expectPage(t, { ...place, exchange: pages.one, asked: { pageNumber: 1, pageSize: 1 }, most: 1 });
    expectPage(t, { ...place, exchange: pages.far, asked: { pageNumber: 1_000_000, pageSize: 1 }, most: 0 });
    for (const [index, exchange] of plain.whileStopped.stopped.entries())
      expectPage(t, { ...place, exchange, asked: { pageNumber: index + 1, pageSize: 100 }, most: 100 });
  }),
  check('BROWSER-VIEW-05', { needs: [viewedBrowsers] }, async (t) => {
    for (const browser of await browsersOf(t)) {
      const want: JsonValue = browser.request['metadata'] ?? {};
      for (const exchange of [browser.created, browser.active, browser.after])
        judged(t, exchange, 'a browser').member('metadata', want);
      for (const row of rowsOf(browser)) {
        const message = `metadata of a browser in a list is ${show(row['metadata'])}; expected ${show(want)}`;
        t.expect(isSame(row['metadata'], want), { exchange: browser.whileActive.active.at(-1), message });
      }
    }
  }),
  check('BROWSER-VIEW-06', {}, async (t) => {
    const metadata = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`label${index}`, 'svc']));
    const exchange = await t.operations.probe('browser', 'v4.createBrowser', { body: { metadata } });
    judged(t, exchange, 'a browser with eleven labels').status(422);
  }),
  check('BROWSER-VIEW-07', { needs: [viewedBrowsers] }, async (t) => {
    for (const { after, again, later } of await browsersOf(t)) {
      const changed = isJsonObject(after.json)
        ? Object.keys(after.json).filter(
            (member) => !isSame(memberAt(after.json, member), memberAt(later.json, member)),
          )
        : ['everything'];
      const message = `the record of a stopped browser shows other values of ${changed.join(', ')} after a second stop`;
      t.expect(changed.length === 0, { exchange: later, message });
      t.expect(again.status < 500 && again.status > 0, {
        exchange: again,
        message: `a second stop answered ${again.status}`,
      });
    }
  }),
  check('BROWSER-VIEW-08', { needs: [viewedBrowsers] }, async (t) => {
    for (const { created, active, after } of await browsersOf(t)) {
      for (const exchange of [created, active]) judged(t, exchange, 'an active browser').member('finishedAt', null);
      const finishedAt = memberAt(after.json, 'finishedAt');
      const message = `finishedAt of a stopped browser is ${show(finishedAt)}; expected a time`;
      t.expect(typeof finishedAt === 'string', { exchange: after, message });
      for (const member of ['cdpUrl', 'liveUrl']) {
        const value = memberAt(after.json, member) ?? null;
        t.expect(value === null, {
          exchange: after,
          message: `${member} of a stopped browser is ${show(value)}; expected null`,
        });
      }
    }
  }),
  check('BROWSER-VIEW-09', { needs: [viewedBrowsers] }, async (t) => {
    for (const browser of await browsersOf(t)) {
      const exchange = browser.whileActive.active.at(-1) ?? browser.active;
      for (const record of [...rowsOf(browser), browser.active.json]) {
        const owner = memberAt(record, 'agentSessionId') ?? null;
        t.expect(owner === null, { exchange, message: `agentSessionId of a standalone browser is ${show(owner)}` });
      }
      for (const row of rowsOf(browser)) {
        const recording = row['recordingUrl'] ?? null;
        t.expect(recording === null, {
          exchange,
          message: `recordingUrl of a browser in a list is ${show(recording)}`,
        });
      }
    }
  }),
  check('BROWSER-VIEW-10', {}, async (t) => {
    t.operations.need('v4.getBrowser', 'v4.stopBrowser');
    const path = [randomUuid(createRandom(t.seed))];
    notFound(t, await t.operations.call('v4.getBrowser', { path }), 'Session not found');
    notFound(t, await t.operations.call('v4.stopBrowser', { path, body: { action: 'stop' } }), 'Session not found');
  }),
  check('BROWSER-VIEW-11', {}, async (t) => {
    for (const body of wrongScreens) {
      const exchange = await t.operations.probe('browser', 'v4.createBrowser', { body });
      judged(t, exchange, `a browser with the screen ${show(body)}`).status(422);
    }
  }),
  check('BROWSER-VIEW-12', { needs: [viewedBrowsers] }, async (t) => {
    const { labelled, plain, byLabels } = await t.recording(viewedBrowsers);
    const shown = idsOf(itemsOf(byLabels.both, 'items'));
    const message = `the list of the browsers with two labels shows ${show(shown)}; expected ${labelled.id} and not ${plain.id}`;
    t.expect(shown.includes(labelled.id) && !shown.includes(plain.id), { exchange: byLabels.both, message });
    const foreign = idsOf(itemsOf(byLabels.foreign, 'items'));
    const told = `the list of the browsers with a label that nobody has given shows ${show(foreign)}`;
    t.expect(foreign.length === 0, { exchange: byLabels.foreign, message: told });
  }),
];

async function browsersOf(t: CheckContext): Promise<ViewedBrowser[]> {
  const { labelled, plain } = await t.recording(viewedBrowsers);
  return [labelled, plain];
}

/** The rows that lists show of a browser. */
function rowsOf({ id, whileActive, whileStopped }: ViewedBrowser): ReturnType<typeof itemsOfAll> {
  const pages = [...whileActive.active, ...whileStopped.stopped];
  return itemsOfAll(pages, 'items').filter((row) => row['id'] === id);
}
