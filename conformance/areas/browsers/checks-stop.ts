import { isBrowserCreation } from './checks-creation.ts';
import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, refused, succeeded, isCapacity, isNotServed } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { encodePart } from '../../core/path-with-id.ts';
import { countryBrowsers } from './scenarios-countries.ts';
import { drivenBrowser, type StopObservation } from './scenarios.ts';
import { expectWorks, runScenarios } from '../../common/working-operations.ts';
import { saysNothing } from '../../common/refusals.ts';
import { show } from '../../core/text.ts';
import { readSettled, settleWait } from '../../common/target-facts.ts';
import { requestObject } from '../../core/request-json.ts';
import { withOwnKey } from '../values/created-records.ts';

/** Checks of the stop operation of standalone browsers. */
export const browserStopChecks: readonly Check[] = [
  check('V4-BROWSER-05', { needs: [drivenBrowser] }, async (t) => {
    await idTaken(t);
  }),
  check('V4-BROWSER-20', { needs: [drivenBrowser], phase: 'last' }, async (t) => {
    await idTaken(t);
    answersOwnBrowser(t);
  }),
  check('V4-BROWSER-18', { needs: [drivenBrowser, countryBrowsers], phase: 'last' }, async (t) => {
    await runScenarios(t, drivenBrowser);
    expectWorks(t, 'v4.stopBrowser');
    const { exchange, driven, after, ended, respelled } = await idTaken(t);
    const other = `the stop with the body ${show(respelled.request.body)} ${describeAnswer(respelled)}, and with ${show(exchange.request.body)} ${describeAnswer(exchange)}; expected success for the same JSON`;
    const isOtherRefused = refused(respelled) && !isCapacity(respelled.status) && !isNotServed(respelled.status);
    t.expect(!isOtherRefused || !succeeded(exchange), { exchange: respelled, message: other });
    await listsEnds(t);
    endsAfterStop(t);
    await staysEnded(t);
    const { stops, revivals } = await t.recording(countryBrowsers);
    for (const { name, record } of revivals) {
      const message = `after ${name} the record of a stopped browser says that it is active; expected that it stays stopped`;
      t.expect(t.browsers.hasEnded(record) !== false, { cell: name, exchange: record, message });
    }
    for (const stop of stops) {
      if (stop.ended || isStopLost(t, stop.created)) continue;
      const unended = `a browser that was created with ${stop.created.request.body} had not ended after its stop; expected its end${settleWait(t)}`;
      t.expect(false, { exchange: stop.created, message: unended });
    }
    t.expect(driven !== true, {
      exchange,
      message: `a client that was attached still drives the browser after its stop; expected that it cannot${settleWait(t)}`,
    });
    t.expect(ended !== false, {
      exchange: after ?? exchange,
      message: `the record does not say after the stop that the browser has ended; expected a final status${settleWait(t)}`,
    });
  }),
  check('V4-BROWSER-19', { needs: [drivenBrowser, countryBrowsers] }, async (t) => {
    for (const { created, isReached, isReused } of (await t.recording(countryBrowsers)).stops) {
      const reused = `the CDP address of a stopped browser that was created with ${created.request.body} leads to a browser that was created later; expected no browser`;
      if (isReused !== undefined) t.expect(!isReused, { exchange: created, message: reused });
      const message = `the CDP address of a stopped browser that was created with ${created.request.body} gives a working browser; expected none${settleWait(t)}`;
      if (isReached !== undefined) t.expect(!isReached, { exchange: created, message });
    }
    const { exchange, works, driven } = await stopOrEnd(t);
    if (!works && driven === undefined) t.notTestable('no client could use the browser before its stop');
    if (!succeeded(exchange)) t.notTestable(`the stop operation ${describeAnswer(exchange)}`);
    t.expect(!works, {
      exchange,
      message: `the CDP address still gives a working browser after the stop; expected none${settleWait(t)}`,
    });
  }),
];

/**
 * Judges that no stop of a browser answers with the record of another browser. A body with `id` and `cdpUrl` is the
 * record of a browser; any other body counts only if its id is that of a browser of the run.
 */
function answersOwnBrowser(t: CheckContext): void {
  const all = t.recorder.all();
  const owned = new Set(all.filter(isBrowserCreation).map(({ json }) => identifier(memberAt(json, 'id'))));
  for (const exchange of all.filter((one) => one.operation === 'stopBrowser' && succeeded(one))) {
    const shown = identifier(memberAt(exchange.json, 'id'));
    const isRecord = memberAt(exchange.json, 'cdpUrl') !== undefined;
    if (shown === undefined || !(isRecord || owned.has(shown))) continue;
    const named = decodeURIComponent(new URL(exchange.request.url).pathname.split('/').at(-1) ?? '');
    const message = `the stop of the browser ${named} answers with the browser ${shown}; expected the browser of the path`;
    t.expect(shown.toLowerCase() === named.toLowerCase(), { exchange, member: '/id', message });
  }
}

/**
 * Returns true if the last stop of a browser got no answer, or an answer that does not depend on the request
 * (`saysNothing`).
 */
function isStopLost(t: CheckContext, created: Exchange): boolean {
  const id = identifier(memberAt(created.json, 'id')) ?? '';
  const last = t.recorder.all().findLast((one) => one.operation === 'stopBrowser' && one.request.url.includes(id));
  return last !== undefined && (last.status === 0 || saysNothing(last));
}

/**
 * Judges that the list does not show a browser as active more than `settleDeadlineMs` after a fetch has shown its end.
 * Judges nothing in a read-only run, and if the target offers no list.
 */
async function listsEnds(t: CheckContext): Promise<void> {
  const list = t.readOnly ? undefined : await t.browsers.list();
  if (list === undefined) return;
  const settled = list.atMs - t.target.polling.settleDeadlineMs;
  const ended = t.recorder.all().filter((one) => one.atMs < settled && isEndedFetch(t, one));
  const ids = new Set(ended.map(({ json }) => identifier(memberAt(json, 'id'))));
  const active = t.browsers.listed(list)?.filter((record) => t.browsers.isEndedRecord(record) === false) ?? [];
  for (const id of active.flatMap((record) => identifier(record['id']) ?? [])) {
    const message = `the list shows the browser ${id} as active, and its record said before that it has ended; expected one status`;
    t.expect(!ids.has(id), { cell: 'the list', exchange: list, message });
  }
}

/**
 * Judges over all exchanges that the record of a browser does not say that the browser is active more than
 * `settleDeadlineMs` after a successful stop with the usual body.
 */
function endsAfterStop(t: CheckContext): void {
  const all = t.recorder.all().filter((one) => one.generation === 'v4' && withOwnKey(t, one));
  const stops = new Map<string, number>();
  for (const exchange of all) {
    const { operation, request } = exchange;
    const endMs = exchange.atMs + exchange.durationMs;
    const isStop = operation === 'stopBrowser' && succeeded(exchange) && requestObject(exchange)['action'] === 'stop';
    if (isStop && !stops.has(request.url)) stops.set(request.url, endMs);
    const stoppedMs = operation === 'getBrowser' ? stops.get(request.url) : undefined;
    if (stoppedMs === undefined || endMs < stoppedMs + t.target.polling.settleDeadlineMs) continue;
    const message = `a browser was stopped with success, and its record says ${Math.round(endMs - stoppedMs)} ms later that it is active; expected that it has ended${settleWait(t)}`;
    t.expect(t.browsers.hasEnded(exchange) !== false, { exchange, message });
  }
}

/** Maximum number of ended browsers that are fetched again at the end of the run. */
const lastingMax = 8;

/**
 * Judges that browsers whose record has shown their end, at most `lastingMax`, are not active at the end of the run. A
 * record that is active is fetched again until the settle deadline, because the target may answer from an old copy of
 * its records.
 */
async function staysEnded(t: CheckContext): Promise<void> {
  const ends = t.recorder.all().filter((one) => isEndedFetch(t, one));
  const ids = t.ledger.entries().flatMap(({ kind, id }) => (kind === 'browser' && id !== undefined ? [id] : []));
  const ended = ids.filter((id) => ends.some(({ request }) => request.url.includes(encodePart(id))));
  for (const id of ended.slice(0, lastingMax)) {
    const seen = await readSettled(
      t,
      () => t.browsers.get(id),
      (record) => record === undefined || t.browsers.hasEnded(record) !== false,
    );
    if (seen === undefined) return;
    const message = `the record of the browser ${id} has shown its end, and says at the end of the run that it is active; expected that it stays stopped`;
    t.expect(t.browsers.hasEnded(seen) !== false, { cell: 'at the end of the run', exchange: seen, message });
  }
}

function isEndedFetch(t: CheckContext, exchange: Exchange): boolean {
  return exchange.operation === 'getBrowser' && succeeded(exchange) && t.browsers.hasEnded(exchange) === true;
}

async function idTaken(t: CheckContext): Promise<StopObservation> {
  const seen = await stopOrEnd(t);
  const { exchange } = seen;
  if (exchange.status !== 409 && isCapacity(exchange.status))
    t.notTestable(`the stop operation ${describeAnswer(exchange)}`);
  const message = `the stop operation with the id from creation ${describeAnswer(exchange)}; expected success`;
  t.expect(succeeded(exchange), { exchange, message });
  return seen;
}

async function stopOrEnd(t: CheckContext): Promise<StopObservation> {
  const recording = await t.recording(drivenBrowser);
  return recording.stopped ?? t.notTestable('no browser was created, or its answer lacks id or cdpUrl');
}
