import { check, type Check, type CheckContext } from '../../core/check.ts';
import { type JsonObject, type JsonValue, memberAt, isSame } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { parseTime } from '../../core/times.ts';
import { listItems } from '../../common/followed-pages.ts';
import { type LiveLook, type ViewedBrowser, viewedBrowsers } from './scenarios.ts';
import { show } from '../../core/text.ts';
import {
  expectPage,
  framingRefusal,
  listIds,
  judged,
  required,
  inOwnList,
  notFound,
  unchanged,
  wrongScreens,
} from '../../common/judgement.ts';
import { wrongProxies } from '../v4-runs/checks-members.ts';
import { accepts, expectForm } from '../v2-files/checks.ts';
import { describeAnswer, type Exchange, refused, succeeded } from '../../core/exchange.ts';

/**
 * Checks of the records and the lists of standalone browsers, and of values that the creation of a browser must refuse.
 */
export const browserViewChecks: readonly Check[] = [
  check('BROWSER-VIEW-01', { needs: [viewedBrowsers] }, async (t) => {
    for (const { created, request } of await listViewedBrowsers(t)) {
      const minutes = minutesBetween(created, 'startedAt', 'timeoutAt');
      const want = Number(request['timeout'] ?? 60);
      const [from, to] = ['startedAt', 'timeoutAt'].map((member) => show(memberAt(created.json, member)));
      const message = `timeoutAt is ${to} and startedAt ${from}; expected ${want} minutes between them`;
      t.expect(minutes !== undefined && Math.round(minutes) === want, { exchange: created, message });
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
    for (const { id, whileActive, whileStopped } of await listViewedBrowsers(t)) {
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
    for (const browser of await listViewedBrowsers(t)) {
      const want: JsonValue = browser.request['metadata'] ?? {};
      for (const exchange of [browser.created, browser.active, browser.after])
        judged(t, exchange, 'a browser').member('metadata', want);
      for (const { exchange, item } of listBrowserItems(browser)) {
        const message = `metadata of a browser in a list is ${show(item['metadata'])}; expected ${show(want)}`;
        t.expect(isSame(item['metadata'], want), { exchange, message });
      }
    }
  }),
  check('BROWSER-VIEW-06', {}, async (t) => {
    const metadata = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`label${index}`, 'svc']));
    const exchange = await t.operations.probe('browser', 'v4.createBrowser', { body: { metadata } });
    judged(t, exchange, 'a browser with eleven labels').status(422);
  }),
  check('BROWSER-VIEW-07', { needs: [viewedBrowsers] }, async (t) => {
    for (const { after, again, later } of await listViewedBrowsers(t)) {
      unchanged(t, { before: after, after: later, what: 'a stopped browser, after a second stop,' });
      t.expect(again.status < 500 && again.status > 0, {
        exchange: again,
        message: `a second stop ${describeAnswer(again)}; expected an answer below 500`,
      });
    }
  }),
  check('BROWSER-VIEW-08', { needs: [viewedBrowsers] }, async (t) => {
    for (const { created, active, after } of await listViewedBrowsers(t)) {
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
    for (const browser of await listViewedBrowsers(t)) {
      judged(t, browser.active, 'a standalone browser').member('agentSessionId', null);
      for (const { exchange, item } of listBrowserItems(browser)) {
        for (const member of ['agentSessionId', 'recordingUrl']) {
          const found = item[member] ?? null;
          const message = `${member} of a standalone browser in a list is ${show(found)}; expected null`;
          t.expect(found === null, { exchange, message });
        }
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
    const shown = listIds(listItems(byLabels.both, 'items'));
    const message = `the list of the browsers with two labels shows ${show(shown)}; expected ${labelled.id} and not ${plain.id}`;
    t.expect(shown.includes(labelled.id) && !shown.includes(plain.id), { exchange: byLabels.both, message });
    judged(t, byLabels.both, 'the list of the stopped browsers with two labels').member('totalItems', shown.length);
    const foreign = judged(t, byLabels.foreign, 'the list of the browsers with a label that no browser has');
    foreign.status(200);
    foreign.ids({ shown: listIds(listItems(byLabels.foreign, 'items')), want: [] });
  }),
];

async function listViewedBrowsers(t: CheckContext): Promise<ViewedBrowser[]> {
  const { labelled, plain } = await t.recording(viewedBrowsers);
  return [labelled, plain];
}

/**
 * Returns the items of a browser in the list of active browsers, and after its stop in the list of stopped ones, each
 * with the page that shows it.
 */
function listBrowserItems({
  id,
  whileActive,
  whileStopped,
}: ViewedBrowser): { exchange: Exchange; item: JsonObject }[] {
  return [...whileActive.active, ...whileStopped.stopped].flatMap((exchange) =>
    listItems(exchange, 'items').flatMap((item) => (item['id'] === id ? [{ exchange, item }] : [])),
  );
}

/**
 * Returns the minutes that a stopped browser lived, rounded up and at least 1; undefined for a record without both
 * times.
 */
function livedMinutes(record: Exchange): number | undefined {
  const minutes = minutesBetween(record, 'startedAt', 'finishedAt');
  return minutes === undefined ? undefined : Math.max(1, Math.ceil(minutes));
}

/** Returns the minutes between two times of a record; undefined if one of them is not a time. */
function minutesBetween({ json }: Exchange, from: string, to: string): number | undefined {
  const [start, end] = [from, to].map((member) => parseTime(memberAt(json, member)));
  return start === undefined || end === undefined ? undefined : (end - start) / 60_000;
}

/**
 * Checks of the cost, the filter by agent session, the downloads, the custom proxies and the upload forms of standalone
 * browsers.
 */
export const browserFilterChecks: readonly Check[] = [
  check('BROWSER-VIEW-18', { needs: [viewedBrowsers] }, async (t) => {
    const { labelled, plain } = await t.recording(viewedBrowsers);
    for (const { active } of [labelled, plain]) {
      const cost = memberAt(active.json, 'browserCost');
      if (cost === undefined) continue;
      const message = `browserCost of an active browser is ${show(cost)}; expected the cost of its timeout, which is charged up front`;
      t.expect(Number(cost) > 0, { exchange: active, message });
    }
    const [short, long] = [labelled.later, plain.later];
    if (livedMinutes(short) === undefined || livedMinutes(short) !== livedMinutes(long))
      return t.notTestable('the two browsers did not live for the same number of minutes');
    const [one, other] = [short, long].map(({ json }) => memberAt(json, 'browserCost'));
    if (one === undefined && other === undefined)
      return t.notTestable('the records of the stopped browsers show no browserCost');
    const message = `a browser for ${show(labelled.request['timeout'] ?? null)} minutes costs ${show(one)} after its stop, and one for 60 minutes ${show(other)}; expected the same for the same time`;
    return t.expect(Number(one ?? 0) === Number(other ?? 0), { exchange: short, message });
  }),
  check('BROWSER-VIEW-13', { needs: [viewedBrowsers] }, async (t) => {
    const exchange = (await t.recording(viewedBrowsers)).ofSession;
    judged(t, exchange, 'the list of the browsers of an agent session').status(200);
    judged(t, exchange, 'the list of the browsers of an agent session that does not exist').member('items', []);
  }),
  check('BROWSER-VIEW-14', { needs: [viewedBrowsers] }, async (t) => {
    const { labelled, plain } = await t.recording(viewedBrowsers);
    for (const { downloads } of [labelled, plain]) {
      for (const exchange of [downloads.active, downloads.stopped]) {
        judged(t, exchange, 'the downloads of a browser').status(200);
        judged(t, exchange, 'the downloads of a browser that has downloaded nothing').member('files', []);
        const more = memberAt(exchange.json, 'hasMore') ?? false;
        t.expect(more === false, {
          exchange,
          message: `an empty list of downloads says hasMore ${show(more)}; expected false`,
        });
      }
    }
  }),
  check('BROWSER-VIEW-15', { needs: [viewedBrowsers] }, async (t) => {
    const { wrongLimits } = await t.recording(viewedBrowsers);
    for (const exchange of wrongLimits) judged(t, exchange, 'downloads with a limit of 0 or 101').status(422);
    const path = [randomUuid(createRandom(t.seed))];
    notFound(t, await t.operations.call('v4.listBrowserDownloads', { path }), 'Session not found');
  }),
  check('BROWSER-VIEW-16', {}, async (t) => {
    for (const customProxy of wrongProxies) {
      const exchange = await t.operations.probe('browser', 'v4.createBrowser', { body: { customProxy } });
      judged(t, exchange, `a browser with the proxy ${show(customProxy)}`).status(422);
    }
  }),
  check('BROWSER-VIEW-17', { needs: [viewedBrowsers] }, async (t) => {
    const reason = 'this target does not offer v2.createBrowserUpload (target file)';
    const upload = required(t, (await t.recording(viewedBrowsers)).upload, reason);
    expectForm(t, upload.form.asked);
    accepts(t, upload.stored);
    judged(t, upload.unknown, 'a form for a browser that does not exist').status(404);
  }),
];

/** Checks of the live views of standalone browsers. */
export const liveViewChecks: readonly Check[] = [
  live('LIVE-VIEW-01', (t, { opened }) => {
    if (opened.status === 0) t.notTestable(`the address for watching a browser ${describeAnswer(opened)}`);
    const message = `the address for watching a browser ${describeAnswer(opened)} without a key; expected a page`;
    t.expect(succeeded(opened) && isPage(opened), { exchange: opened, message });
  }),
  live('LIVE-VIEW-02', (t, { opened }) => {
    if (!succeeded(opened)) t.notTestable(`the address for watching a browser ${describeAnswer(opened)}`);
    const refusal = framingRefusal(opened);
    t.expect(refusal === undefined, {
      exchange: opened,
      message: `the live view cannot be embedded: ${refusal}; expected no such header`,
    });
  }),
  live('LIVE-VIEW-03', (t, { opened, altered }) => {
    if (altered === undefined)
      return t.notTestable('the path of the address for watching a browser has nothing to guess');
    return elsewhere(t, altered, { opened, what: 'an address for watching that was never handed out' });
  }),
  live('LIVE-VIEW-04', (t, { opened, stopped }) => {
    elsewhere(t, stopped, { opened, what: 'the address for watching a browser that was stopped' });
  }),
];

type StoppedLook = LiveLook & { readonly stopped: Exchange };

function live(id: Check['id'], judge: (t: CheckContext, seen: StoppedLook) => void): Check {
  return check(id, { needs: [viewedBrowsers] }, async (t) => {
    const { labelled, plain } = await t.recording(viewedBrowsers);
    const looks = [labelled, plain].flatMap(({ live: look }) => look ?? []);
    if (looks.length === 0) t.notTestable('no record of an active browser shows an address for watching it');
    for (const look of looks) judge(t, look);
  });
}

/**
 * Judges that the request to an altered or outdated URL of a live view was refused. Ends the check as not testable if
 * the original URL did not open, the request got no response, or its response is the page of the original URL.
 */
function elsewhere(t: CheckContext, exchange: Exchange, { opened, what }: { opened: Exchange; what: string }): void {
  if (!succeeded(opened)) t.notTestable(`the address for watching a browser ${describeAnswer(opened)}`);
  if (exchange.status === 0) t.notTestable(`${what} ${describeAnswer(exchange)}`);
  if (succeeded(exchange) && exchange.body === opened.body) t.notTestable('every address gives the same page');
  t.expect(refused(exchange), { exchange, message: `${what} ${describeAnswer(exchange)}; expected a refusal` });
}

function isPage({ headers }: Exchange): boolean {
  return (headers['content-type'] ?? '').startsWith('text/html');
}
