import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { type JsonObject, memberAt, toText } from '../../core/json.ts';
import { emptySession } from './scenarios-empty.ts';
import { listAllItems, listItems } from '../../common/followed-pages.ts';
import { keptSession } from './scenarios-kept.ts';
import { didRun, messageSession, screen, type SessionLists } from '../v3-messages/scenarios.ts';
import { hasEnded, oneShotSession, type TaskObservation } from '../../common/observed-session.ts';
import { sessionProbe } from '../../common/probe-bodies.ts';
import { saysNothing } from '../../common/refusals.ts';
import { show } from '../../core/text.ts';
import { expectPage, listIds, judged, required, wrongScreens } from '../../common/judgement.ts';

/**
 * Checks of V3 sessions in lists, after both stop strategies, without a task, and with valid and invalid screen sizes.
 */
export const sessionViewChecks: readonly Check[] = [
  check('V3-VIEW-01', { needs: [emptySession] }, async (t) => {
    const { lists } = await readLists(t);
    const place = { items: 'sessions', total: 'total' };
    expectPage(t, { ...place, exchange: lists.one, asked: { page: 1, pageSize: 1 }, most: 1 });
    expectPage(t, { ...place, exchange: lists.far, asked: { page: 1_000_000, pageSize: 1 }, most: 0 });
    for (const [index, exchange] of lists.pages.entries())
      expectPage(t, { ...place, exchange, asked: { page: index + 1, pageSize: 100 }, most: 100 });
  }),
  check('V3-VIEW-02', { needs: [emptySession] }, async (t) => {
    const { id, lists } = await readLists(t);
    const ids = listIds(listAllItems(lists.pages, 'sessions'));
    const message = `the list of V3 sessions shows ${ids.length}, without the created session; expected that it shows the session`;
    t.expect(ids.includes(id), { exchange: lists.pages.at(-1), message });
  }),
  check('V3-VIEW-03', { phase: 'last', reads: true, early: listsAreLean }, async (t) => {
    await t.operations.call('v3.listSessions', {});
    listsAreLean(t);
  }),
  check('V3-VIEW-04', { needs: [emptySession] }, async (t) => {
    t.operations.need('v3.listSessions', 'v3.deleteSession', 'v3.getSession');
    const recorded = await t.recording(emptySession);
    const deleted = required(t, recorded.deleted, 'no session was stopped that could be deleted');
    const id = toText(recorded.stopped?.session.id);
    judged(t, deleted.answer, 'DELETE of a V3 session').status(204);
    t.expect(refused(deleted.fetched), {
      exchange: deleted.fetched,
      message: `GET of a deleted V3 session ${describeAnswer(deleted.fetched)}; expected a refusal (4xx)`,
    });
    const { followUp } = deleted;
    t.expect(followUp === undefined || refused(followUp) || saysNothing(followUp), {
      exchange: followUp,
      message: `a follow-up to a deleted V3 session ${describeAnswer(followUp ?? deleted.fetched)}; expected a refusal (4xx)`,
    });
    const listed = listIds(listAllItems(deleted.pages, 'sessions')).includes(id);
    t.expect(!listed, {
      exchange: deleted.pages.at(-1),
      message: 'the list of V3 sessions shows one that was deleted; expected that it does not',
    });
  }),
  check('V3-VIEW-05', { needs: [messageSession] }, async (t) => {
    const { answer, after, next } = (await t.recording(messageSession)).stopped;
    judged(t, answer, 'a stop with the strategy task').status(200);
    judged(t, after, 'a V3 session whose task was stopped').member('status', 'idle');
    const message = `a task after the stop of another ${describeAnswer(next.dispatched)}, and the session is ${show(next.end.record['status'])}; expected that it runs to its end`;
    t.expect(didRun(next), { exchange: next.dispatched, message });
  }),
  check('V3-VIEW-06', { needs: [messageSession] }, async (t) => {
    const { answer, after, followUp } = (await t.recording(messageSession)).ended;
    judged(t, answer, 'a stop with the strategy session').status(200);
    judged(t, after, 'a V3 session that was stopped').member('status', 'stopped');
    if (saysNothing(followUp)) t.notTestable(`a task for a stopped V3 session ${describeAnswer(followUp)}`);
    const message = `a task for a stopped V3 session ${describeAnswer(followUp)}; expected a refusal (4xx)`;
    t.expect(refused(followUp), { exchange: followUp, message });
  }),
  check('V3-VIEW-07', { needs: [messageSession] }, async (t) => {
    const { answer, after } = (await t.recording(messageSession)).stopped.unknown;
    judged(t, answer, 'a stop with the strategy pause').status(422);
    judged(t, after, 'a V3 session after a refused stop').member('status', 'running');
  }),
  check('V3-VIEW-08', { needs: [emptySession] }, async (t) => {
    const session = await t.recording(emptySession);
    const { exchange, record } = session.end;
    judged(t, exchange, 'a V3 session without a task').member('status', 'idle');
    const ran = session.fetches.some((fetch) => fetch.record['status'] === 'running');
    const message = `a V3 session without a task shows ${show(record['stepCount'])} steps and the output ${show(record['output'])}${ran ? ', and was running' : ''}; expected no step and no output`;
    t.expect(!ran && (record['stepCount'] ?? 0) === 0 && (record['output'] ?? null) === null, { exchange, message });
  }),
  check('V3-VIEW-09', { needs: [messageSession] }, async (t) => {
    const { taskless, followUp } = await t.recording(messageSession);
    judged(t, taskless, 'a V3 creation with a session and no task').status(422);
    const status = followUp.before?.['status'];
    t.expect(status === 'idle', {
      exchange: taskless,
      message: `the session was ${show(status)} after a refused request without a task; expected idle`,
    });
  }),
  check('V3-VIEW-10', { needs: [messageSession] }, async (t) => {
    const { first } = await t.recording(messageSession);
    judged(t, first.end.exchange, 'a V3 session whose request names no model').member('model', 'claude-opus-4.7');
  }),
  check('V3-VIEW-11', {}, async (t) => {
    const halves: JsonObject[] = [{ browserScreenWidth: 1280 }, { browserScreenHeight: 720 }];
    for (const wrong of [...wrongScreens, ...halves]) {
      const body = { ...sessionProbe(t.target), ...wrong };
      const exchange = await t.operations.probe('session', 'v3.createSession', { body });
      judged(t, exchange, `a V3 session with the screen ${show(wrong)}`).status(422);
    }
  }),
  check('V3-VIEW-12', { needs: [messageSession] }, async (t) => {
    const { first } = await t.recording(messageSession);
    for (const [member, want] of Object.entries(screen))
      judged(t, first.end.exchange, 'a V3 session that asked for a screen').member(member, want);
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
      judged(t, exchange, `the list of V3 sessions with ${JSON.stringify(query)}`).status(422);
    }
  }),
];

/** Returns the lists of sessions, and the id of a session that was created before the lists were read. */
async function readLists(t: CheckContext): Promise<{ id: string; lists: SessionLists }> {
  t.operations.need('v3.listSessions');
  const { lists, unkept } = await t.recording(emptySession);
  const without = 'no session was created before the list was read';
  return { id: required(t, unkept?.id, without), lists: required(t, lists, without) };
}

/** Judges every list of sessions in the run: its items have no recordings and no screenshot. */
function listsAreLean(t: CheckContext): void {
  const lists = t.recorder.all().filter(({ generation, operation, status }) => {
    return generation === 'v3' && operation === 'listSessions' && status === 200;
  });
  const rows = lists.flatMap((exchange) => listItems(exchange, 'sessions').map((session) => ({ exchange, session })));
  if (rows.length === 0) t.notTestable('no list of V3 sessions had a session');
  for (const { exchange, session } of rows) {
    const { recordingUrls = [], screenshotUrl = null } = session;
    const hasNone = Array.isArray(recordingUrls) && recordingUrls.length === 0;
    const shown = [...(hasNone ? [] : ['recordingUrls']), ...(screenshotUrl === null ? [] : ['screenshotUrl'])];
    const message = `a V3 session in a list has ${shown.join(' and ')}; expected no recordings and no screenshot`;
    t.expect(shown.length === 0, { exchange, message });
  }
}

/**
 * Judges that the first idle status of a task that has ended comes with an outcome, and that no work follows. A public
 * client takes this status as the end of the task.
 */
function neverIdle(t: CheckContext, task: TaskObservation): void {
  if (!succeeded(task.dispatched) || !hasEnded(task)) return;
  const looks = [task.dispatched, ...task.fetches.map(({ exchange }) => exchange)];
  const first = looks.findIndex((look) => readStatus(look) === 'idle');
  const rest = looks[first];
  const isEnd = !looks.slice(first + 1).some((look) => ['created', 'running'].includes(readStatus(look)));
  const isTold = typeof memberAt(rest?.json, 'isTaskSuccessful') === 'boolean';
  const message =
    'a V3 session was idle after a request with a task and before its end; expected created or running until then';
  t.expect(rest === undefined || (isEnd && isTold), { exchange: rest ?? task.dispatched, message });
}

function readStatus({ json }: Exchange): string {
  return toText(memberAt(json, 'status'));
}
