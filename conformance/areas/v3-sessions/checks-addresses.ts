import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import { suiteLimit } from '../../core/bounds.ts';
import { type JsonValue, memberAt, toText } from '../../core/json.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { type SessionHistory, sessionHistories } from './history.ts';
import { emptySession } from './scenarios-empty.ts';
import { codeSession, structuredSession } from './scenarios-outputs.ts';
import { clockedSession, failingSession } from './scenarios.ts';
import { interruptedSession, keptSession } from './scenarios-kept.ts';
import { hasEnded, oneShotSession, type SessionObservation } from '../../common/observed-session.ts';
import { framingRefusal, isPageOrJson } from '../../common/judgement.ts';
import { carried, recordingIfAny } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';

/** Scenarios that open the page of a live view. */
const liveSessions = [oneShotSession, interruptedSession, keptSession, emptySession];

/** Checks of the URLs in a V3 session record. */
export const sessionAddressChecks: readonly Check[] = [
  check('V3-SESSION-24', { needs: liveSessions, phase: 'last' }, async (t) => {
    await recordingIfAny(t, oneShotSession);
    for (const history of sessionHistories(t)) alwaysLive(t, history);
    const { dispatched, fetches } = await t.recording(oneShotSession);
    const [first] = fetches;
    if (first === undefined) throw new NotTestable('the session was not fetched');
    const liveUrl = carried(t, first.record, 'liveUrl');
    const message = `liveUrl is ${show(liveUrl)} in the first fetch after creation; expected an address`;
    // A short task may end the session before the first fetch.
    const isLive = typeof liveUrl === 'string' || !isAlive(first.record);
    t.expect(isLive, { exchange: first.exchange, member: '/liveUrl', message });
    const created = memberAt(dispatched.json, 'liveUrl');
    t.expect(created === undefined || typeof created === 'string' || !isAlive(first.record), {
      exchange: dispatched,
      member: '/liveUrl',
      message: `liveUrl is ${show(created)} in the answer to the creation; expected an address from the creation on`,
    });
    const beside = (await recordingIfAny(t, keptSession))?.live;
    if (beside !== undefined) opensFor(t, 'the live page of a session beside a later session', beside);
    const early = (await recordingIfAny(t, emptySession))?.live;
    if (early !== undefined) opensFor(t, 'the live page of a session that waits for its first task', early);
    const { live } = await t.recording(interruptedSession);
    for (const page of live) opensFor(t, 'the live page', page);
  }),
  check('SVC-07', { needs: [oneShotSession] }, async (t) => {
    const { fetches, end } = await t.recording(oneShotSession);
    const alive = fetches.filter(({ record }) => isAlive(record));
    if (alive.length === 0) t.notTestable('the session had ended before its first fetch');
    const watched = alive.some(({ record }) => typeof record['liveUrl'] === 'string');
    t.expect(watched, {
      exchange: end.exchange,
      message: 'no fetch of the session had a liveUrl; expected an address to watch it',
    });
  }),
  check('V3-SESSION-25', { needs: [interruptedSession] }, async (t) => {
    const { live } = await t.recording(interruptedSession);
    if (live.length === 0) throw new NotTestable('no session had a liveUrl');
    for (const exchange of live) {
      if (!succeeded(exchange)) t.notTestable(`the live page ${describeAnswer(exchange)} (V3-SESSION-24)`);
      const refusal = framingRefusal(exchange);
      t.expect(refusal === undefined, {
        exchange,
        message: `the live page cannot be embedded: ${refusal}; expected no such header`,
      });
    }
  }),
  check('V3-SESSION-27', { needs: [oneShotSession, interruptedSession] }, async (t) => {
    const { fetches, after } = await t.recording(oneShotSession);
    for (const { record, exchange } of [...fetches, ...after]) {
      const message = `recordingUrls is ${show(record['recordingUrls'])} in a session without enableRecording; expected none`;
      t.expect(isEmpty(record['recordingUrls']), { exchange, message });
    }
    // A task that ends before the follow-up leaves its recording to a session that runs again.
    const { beforeFollowUp } = await t.recording(interruptedSession);
    for (const { record, exchange } of beforeFollowUp.filter((seen) => seen.record['status'] === 'running')) {
      const message = `recordingUrls is ${show(record['recordingUrls'])} while the task runs; expected none before it has completed`;
      t.expect(isEmpty(record['recordingUrls']), { exchange, message });
    }
  }),
  check('V3-SESSION-28', { needs: [structuredSession] }, async (t) => {
    assertRecordings(t);
    const { id, end } = await t.recording(structuredSession);
    const addresses = recordings(end.record['recordingUrls']);
    if (addresses.length === 0) t.notTestable('the session had no recording');
    for (const address of addresses) {
      const exchange = await openRecording(t, address);
      t.expect(succeeded(exchange), {
        exchange,
        message: `a recording ${describeAnswer(exchange)}; expected a download`,
      });
      const type = exchange.headers['content-type'] ?? '';
      t.expect(!isPageOrJson(exchange) && (exchange.body !== '' || exchange.exceeds !== undefined), {
        exchange,
        message: `a recording is ${exchange.body === '' ? 'empty' : `of the type ${type}`}; expected a recording`,
      });
    }
    await opensAgain(t, id, addresses);
  }),
  check('V3-CREATE-11', { needs: recordedSessions }, async (t) => {
    isRecorded(t, await t.recording(structuredSession));
    const failed = await recordingIfAny(t, failingSession);
    if (failed !== undefined && hasGivenUp(failed)) isRecorded(t, failed);
  }),
  check('V3-CREATE-18', { needs: [codeSession] }, async (t) => isRecorded(t, await t.recording(codeSession))),
  check('V3-SESSION-47', { needs: [interruptedSession], phase: 'last' }, async (t) => {
    const { screenshot, replacedScreenshot } = await t.recording(interruptedSession);
    if (screenshot === undefined) throw new NotTestable('the record of the stopped session showed no screenshotUrl');
    opensFor(t, 'the screenshot of a stopped session', screenshot);
    const earlier = 'the screenshot address that the fetch before gave, seconds ago,';
    if (replacedScreenshot !== undefined) opensFor(t, earlier, replacedScreenshot);
    await opensForMinutes(t);
  }),
  check('V3-SESSION-42', { needs: [oneShotSession], phase: 'last' }, async (t) => {
    await fresh(t);
    neverTwice(t);
  }),
  check('LIMIT-03', { needs: [oneShotSession] }, (t) => fresh(t)),
  check('V3-GET-05', { needs: [oneShotSession] }, (t) => fresh(t)),
  check('LIMIT-01', { needs: [clockedSession] }, async (t) => {
    const { screenshot } = await t.recording(clockedSession);
    if (screenshot === undefined) throw new NotTestable('the session had no screenshot');
    for (const exchange of [screenshot.fresh, screenshot.before]) {
      if (isElsewhere(t, exchange)) t.notTestable(`a screenshot on another host ${describeAnswer(exchange)}`);
      t.expect(succeeded(exchange), {
        exchange,
        message: `a screenshot within its 5 minutes ${describeAnswer(exchange)}; expected success`,
      });
    }
  }),
  check('LIMIT-02', { needs: [clockedSession] }, async (t) => {
    const { screenshot } = await t.recording(clockedSession);
    if (screenshot === undefined) throw new NotTestable('the session had no screenshot');
    const exchange = screenshot.after;
    if (exchange.status === 0) t.notTestable(`a screenshot after its 5 minutes ${describeAnswer(exchange)}`);
    const message = `a screenshot after its 5 minutes ${describeAnswer(exchange)}; expected a refusal`;
    t.expect(!succeeded(exchange), { exchange, message });
  }),
];

async function fresh(t: CheckContext): Promise<void> {
  const { fetches, after } = await t.recording(oneShotSession);
  const withAddress = [...fetches, ...after].filter(({ record }) => typeof record['screenshotUrl'] === 'string');
  if (withAddress.length < 2) t.notTestable('fewer than two fetches of the session had a screenshotUrl');
  withAddress.forEach(({ record, exchange }, index) => {
    const before = withAddress[index - 1];
    if (before === undefined) return;
    const message = `two fetches gave the screenshotUrl ${show(record['screenshotUrl'])}; expected a fresh one`;
    const isFresh = requestedUrl(record['screenshotUrl']) !== requestedUrl(before.record['screenshotUrl']);
    t.expect(isFresh, { exchange, message });
  });
}

/** Returns the part of a URL that a client requests: a fragment never reaches a server. */
function requestedUrl(url: JsonValue | undefined): string {
  return toText(url).split('#', 1)[0] ?? '';
}

/**
 * Judges that no two fetches of the run show the same screenshot URL, neither fetches of one session nor of two
 * sessions.
 */
function neverTwice(t: CheckContext): void {
  const known = new Map<string, string>();
  for (const { id, fetches } of sessionHistories(t)) {
    for (const { record, exchange } of fetches) {
      if (typeof record['screenshotUrl'] !== 'string') continue;
      const url = requestedUrl(record['screenshotUrl']);
      const message = `a fetch of the session ${id} gave the screenshotUrl of an earlier fetch of ${known.get(url) ?? ''}; expected a fresh one`;
      t.expect(!known.has(url), { exchange, member: '/screenshotUrl', message });
      known.set(url, id);
    }
  }
}

/** Returns true for a record of a session that has not ended. */
function isAlive({ status }: { readonly status?: JsonValue | undefined }): boolean {
  return status === 'created' || status === 'idle' || status === 'running';
}

/** Judges that a session with the member `liveUrl` shows an absolute URL in this member until the session ends. */
function alwaysLive(t: CheckContext, { creation, fetches }: SessionHistory): void {
  const created = creation === undefined ? [] : [creation.exchange];
  for (const exchange of [...created, ...fetches.map((seen) => seen.exchange)]) {
    const [status, url] = [memberAt(exchange.json, 'status'), memberAt(exchange.json, 'liveUrl')];
    const message = `liveUrl is ${show(url)} in a session that is ${show(status)}; expected an address from the creation on`;
    t.expect(!isAlive({ status }) || url === undefined || typeof url === 'string', {
      exchange,
      member: '/liveUrl',
      message,
    });
    if (typeof url !== 'string') continue;
    const partial = `liveUrl is ${show(url)}; expected an absolute address, which a page of the client can embed`;
    t.expect(URL.canParse(url), { exchange, member: '/liveUrl', message: partial });
  }
}

/** Returns true if a URL on another host gave no answer: the network of the suite may not reach that host. */
function isElsewhere({ target }: CheckContext, { status, request }: Exchange): boolean {
  return status === 0 && !request.url.startsWith(target.url);
}

/** Judges that a URL opens without the key header. An unreachable URL on another host is not judged. */
function opensFor(t: CheckContext, what: string, exchange: Exchange): void {
  if (isElsewhere(t, exchange)) return;
  const opened = exchange.status >= 200 && exchange.status < 400;
  t.expect(opened, { exchange, message: `${what} ${describeAnswer(exchange)} without a key; expected that it opens` });
}

/** Returns the scenarios of sessions with a recording that end by themselves or are stopped after their task. */
function recordedSessions({ tasks }: Target): readonly AnyScenario[] {
  return tasks.fail === null ? [structuredSession] : [structuredSession, failingSession];
}

/** Returns true for a session with a recording that has ended after its agent had worked and failed. */
function hasGivenUp({ request, end: { record } }: SessionObservation): boolean {
  const hasWorked = record['isTaskSuccessful'] === false && Number(record['stepCount'] ?? 0) > 0;
  return request['enableRecording'] === true && record['status'] === 'stopped' && hasWorked;
}

/** Age in ms up to which a screenshot URL is opened again: well below the lifetime that the contract states. */
const reopenedMs = suiteLimit('screenshotUrlLifetime') / 2;

/**
 * Opens a screenshot URL again: the first one of the run that has opened and is not older than `reopenedMs`. Does
 * nothing for a target whose clock the suite may have moved.
 */
async function opensForMinutes(t: CheckContext): Promise<void> {
  if (t.target.control !== null) return;
  const fetches = sessionHistories(t).flatMap((history) => history.fetches);
  const shownMs = new Map(fetches.map(({ record, exchange }) => [toText(record['screenshotUrl']), exchange.atMs]));
  const isYoung = ({ request: { url } }: Exchange): boolean => t.nowMs() - (shownMs.get(url) ?? -Infinity) < reopenedMs;
  const opened = t.recorder.all().find((exchange) => succeeded(exchange) && isYoung(exchange));
  if (opened === undefined || isElsewhere(t, opened)) return;
  const { url } = opened.request;
  const again = await t.send({ generation: 'other', operation: 'screenshot', method: 'GET', path: url, key: 'none' });
  if ([429, 503].includes(again.status)) return;
  opensFor(t, `a screenshot address that opened ${Math.round((again.atMs - opened.atMs) / 1000)} s before`, again);
}

function openRecording(t: CheckContext, address: string): Promise<Exchange> {
  return t.send({ generation: 'other', operation: 'recording', method: 'GET', path: address, key: 'none' });
}

/** Judges that a session shows a recording after its last task. */
function isRecorded(t: CheckContext, session: SessionObservation): void {
  assertRecordings(t);
  if (!hasEnded(session)) t.notTestable('the task had not ended');
  const status = toText(session.end.record['status']);
  // "Populated only when the task has completed": a failure of the sandbox or a time-out completes no task.
  if (status === 'error' || status === 'timed_out') t.notTestable(`the session ended as ${status}`);
  const { end } = session;
  const urls = carried(t, end.record, 'recordingUrls');
  const message = `recordingUrls is ${show(urls)} ${t.target.polling.settleDeadlineMs} ms after a task with enableRecording; expected a recording`;
  t.expect(recordings(urls).length > 0, { exchange: end.exchange, message });
}

/**
 * Fetches a session whose recordings were opened. Judges that each of these addresses can be opened again if the
 * session still shows it.
 */
async function opensAgain(t: CheckContext, id: string, opened: readonly string[]): Promise<void> {
  const shown = recordings(memberAt((await t.sessions.get(id)).json, 'recordingUrls'));
  for (const address of shown.filter((one) => opened.includes(one))) {
    const exchange = await openRecording(t, address);
    const message = `a recording that was opened before ${describeAnswer(exchange)}, and the session still shows its address; expected a download`;
    t.expect(succeeded(exchange) || [429, 503].includes(exchange.status), { exchange, message });
  }
}

function assertRecordings(t: CheckContext): void {
  if (t.target.v3?.recordings === false)
    t.notTestable('the target file says that this target makes no recordings (v3.recordings)');
}

function recordings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((url) => typeof url === 'string') : [];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
