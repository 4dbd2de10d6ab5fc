import { type Check, type CheckContext, check } from '../harness/check.ts';
import { describeAnswer, refused, succeeded } from '../harness/exchange.ts';
import { type JsonObject, memberAt, textOf } from '../harness/json.ts';
import { emptySession } from '../scenarios/empty-session.ts';
import { itemsOfAll } from '../scenarios/followed-pages.ts';
import { keptSession } from '../scenarios/kept-session.ts';
import { didRun, messageSession, screen } from '../scenarios/message-session.ts';
import { type TaskObservation, hasEnded } from '../scenarios/observed-session.ts';
import { oneShotSession } from '../scenarios/one-shot-session.ts';
import { sessionProbe } from '../scenarios/probe-bodies.ts';
import { show } from './records.ts';
import { expectMember, expectPage, expectStatus, idsOf } from './seen.ts';
import { wrongScreens } from './task-sessions.ts';

/** V3 sessions in lists, by both stop strategies, and without a task. */
export const sessionViewChecks: readonly Check[] = [
  check('V3-VIEW-01', { needs: [messageSession] }, async (t) => {
    const { lists } = await t.recording(messageSession);
    const place = { items: 'sessions', total: 'total' };
    expectPage(t, { ...place, exchange: lists.one, asked: { page: 1, pageSize: 1 }, most: 1 });
    expectPage(t, { ...place, exchange: lists.far, asked: { page: 1_000_000, pageSize: 1 }, most: 0 });
    for (const [index, exchange] of lists.pages.entries())
      expectPage(t, { ...place, exchange, asked: { page: index + 1, pageSize: 100 }, most: 100 });
  }),
  check('V3-VIEW-02', { needs: [messageSession] }, async (t) => {
    const { first, lists } = await t.recording(messageSession);
    const ids = idsOf(itemsOfAll(lists.pages, 'sessions'));
    const message = `the list of V3 sessions shows ${ids.length}, and not the one that was created`;
    t.expect(ids.includes(first.id), { exchange: lists.pages.at(-1), message });
  }),
  check('V3-VIEW-03', { needs: [messageSession] }, async (t) => {
    const { lists } = await t.recording(messageSession);
    for (const exchange of lists.pages) {
      for (const session of itemsOfAll([exchange], 'sessions')) {
        const { recordingUrls = [], screenshotUrl = null } = session;
        const message = `a V3 session in a list has the recordings ${show(recordingUrls)} and the screenshot ${show(screenshotUrl)}`;
        t.expect(Array.isArray(recordingUrls) && recordingUrls.length === 0 && screenshotUrl === null, {
          exchange,
          message,
        });
      }
    }
  }),
  check('V3-VIEW-04', { needs: [messageSession] }, async (t) => {
    const { first, deleted } = await t.recording(messageSession);
    expectStatus(t, deleted.answer, [204], 'DELETE of a V3 session');
    t.expect(refused(deleted.fetched), {
      exchange: deleted.fetched,
      message: `GET of a deleted V3 session ${describeAnswer(deleted.fetched)}; expected a refusal (4xx)`,
    });
    const listed = idsOf(itemsOfAll(deleted.pages, 'sessions')).includes(first.id);
    t.expect(!listed, {
      exchange: deleted.pages.at(-1),
      message: 'the list of V3 sessions shows one that was deleted',
    });
  }),
  check('V3-VIEW-05', { needs: [messageSession] }, async (t) => {
    const { answer, after, next } = (await t.recording(messageSession)).stopped;
    expectStatus(t, answer, [200], 'a stop with the strategy task');
    expectMember(t, after, ['status', 'idle'], 'a V3 session whose task was stopped');
    const message = `a task after the stop of another ${describeAnswer(next.dispatched)}, and the session is ${show(next.end.record['status'])}; expected that it runs to its end`;
    t.expect(didRun(next), { exchange: next.dispatched, message });
  }),
  check('V3-VIEW-06', { needs: [messageSession] }, async (t) => {
    const { answer, after, followUp } = (await t.recording(messageSession)).ended;
    expectStatus(t, answer, [200], 'a stop with the strategy session');
    expectMember(t, after, ['status', 'stopped'], 'a V3 session that was stopped');
    const message = `a task for a stopped V3 session ${describeAnswer(followUp)}; expected a refusal (4xx)`;
    t.expect(refused(followUp), { exchange: followUp, message });
  }),
  check('V3-VIEW-07', { needs: [messageSession] }, async (t) => {
    const { answer, after } = (await t.recording(messageSession)).stopped.unknown;
    expectStatus(t, answer, [422], 'a stop with the strategy pause');
    expectMember(t, after, ['status', 'running'], 'a V3 session after a refused stop');
  }),
  check('V3-VIEW-08', { needs: [emptySession] }, async (t) => {
    const session = await t.recording(emptySession);
    const { exchange, record } = session.end;
    expectMember(t, exchange, ['status', 'idle'], 'a V3 session without a task');
    const ran = session.fetches.some((fetch) => fetch.record['status'] === 'running');
    const message = `a V3 session without a task shows ${show(record['stepCount'])} steps and the output ${show(record['output'])}`;
    t.expect(!ran && (record['stepCount'] ?? 0) === 0 && (record['output'] ?? null) === null, { exchange, message });
  }),
  check('V3-VIEW-09', { needs: [messageSession] }, async (t) => {
    const { taskless, followUp } = await t.recording(messageSession);
    expectStatus(t, taskless, [422], 'a V3 creation with a session and no task');
    const status = followUp.before?.['status'];
    t.expect(status === 'idle', {
      exchange: taskless,
      message: `the session was ${show(status)} after it; expected idle`,
    });
  }),
  check('V3-VIEW-10', { needs: [messageSession] }, async (t) => {
    const { first } = await t.recording(messageSession);
    expectMember(t, first.end.exchange, ['model', 'claude-opus-4.7'], 'a V3 session whose request names none');
  }),
  check('V3-VIEW-11', {}, async (t) => {
    const halves: JsonObject[] = [{ browserScreenWidth: 1280 }, { browserScreenHeight: 720 }];
    for (const wrong of [...wrongScreens, ...halves]) {
      const body = { ...sessionProbe(t.target), ...wrong };
      const exchange = await t.operations.probe('session', 'v3.createSession', { body });
      expectStatus(t, exchange, [422], `a V3 session with the screen ${show(wrong)}`);
    }
  }),
  check('V3-VIEW-12', { needs: [messageSession] }, async (t) => {
    const { first } = await t.recording(messageSession);
    for (const [member, want] of Object.entries(screen))
      expectMember(t, first.end.exchange, [member, want], 'a V3 session that asked for a screen');
  }),
  check('V3-VIEW-13', { needs: [messageSession, oneShotSession, keptSession] }, async (t) => {
    const { first, followUp, stopped } = await t.recording(messageSession);
    const kept = await t.recording(keptSession);
    const tasks = [first, followUp, stopped.next, await t.recording(oneShotSession), kept.first, ...kept.followUps];
    for (const task of tasks) neverIdle(t, task);
  }),
  check('V3-VIEW-14', {}, async (t) => {
    for (const query of [{ page: 0 }, { page_size: 0 }, { page_size: 101 }, { page: 'first' }]) {
      const exchange = await t.operations.call('v3.listSessions', { query, invalid: true });
      expectStatus(t, exchange, [422], `the list of V3 sessions with ${JSON.stringify(query)}`);
    }
  }),
];

// A public client takes the first idle for the end of the task: there must be an outcome behind it.
function neverIdle(t: CheckContext, task: TaskObservation): void {
  if (!succeeded(task.dispatched) || !hasEnded(task)) return;
  const looks = [
    { exchange: task.dispatched, status: textOf(memberAt(task.dispatched.json, 'status')), told: false },
  ].concat(
    task.fetches.map(({ exchange, record }) => ({
      exchange,
      status: textOf(record['status']),
      told: typeof record['isTaskSuccessful'] === 'boolean',
    })),
  );
  const firstRest = looks.find(({ status }) => status === 'idle');
  const message =
    'a V3 session was idle after a request with a task, without an outcome; expected created or running until the task has ended';
  t.expect(firstRest === undefined || firstRest.told, { exchange: firstRest?.exchange ?? task.dispatched, message });
}
