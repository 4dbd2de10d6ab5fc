import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { type JsonObject, memberAt } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { listItems, listAllItems, findRepeated } from '../../common/followed-pages.ts';
import { runQueue } from './scenarios-queue.ts';
import { requestObject } from '../../core/request-json.ts';
import { viewed, type ViewedPair } from '../v4-runs/checks-views.ts';
import { givenTitle, runSession } from './scenarios.ts';
import { show } from '../../core/text.ts';
import { judged } from '../../common/judgement.ts';

/** Checks of views, titles and ends of V4 sessions. */
export const runSessionChecks: readonly Check[] = [
  viewed('V4-SES-01', (t, pair) => {
    const { sessionId, lists } = pair.views;
    judged(t, lists.session, 'a V4 session').member('sessionId', sessionId);
    for (const [member, value] of Object.entries(latest(pair)))
      judged(t, lists.session, 'a V4 session').member(member, value);
  }),
  viewed('V4-SES-02', (t, pair) => {
    const { sessionId, lists } = pair.views;
    const rows = listItems(lists.sessions, 'sessions').filter((row) => row['sessionId'] === sessionId);
    const message = `the list of V4 sessions shows a session with two runs ${rows.length} times; expected one row`;
    t.expect(rows.length === 1, { exchange: lists.sessions, message });
    for (const row of rows) showsLatest(t, lists.sessions, { row, want: latest(pair) });
  }),
  viewed('V4-SES-03', (t, { views }) => {
    const { sessionPages } = views.lists;
    const ids = listAllItems(sessionPages, 'sessions').map((row) => row['sessionId']);
    const twice = findRepeated(ids);
    const exchange = sessionPages.at(-1);
    t.expect(twice === undefined, {
      exchange,
      message: `pages of V4 sessions show ${show(twice)} twice; expected each session once`,
    });
    for (const page of sessionPages) {
      const count = listItems(page, 'sessions').length;
      t.expect(count <= 2, {
        exchange: page,
        message: `a page of two V4 sessions shows ${count}; expected at most two`,
      });
    }
  }),
  viewed(
    'V4-SES-04',
    (t, { views }) => {
      for (const exchange of Object.values(views.edits.titled))
        judged(t, exchange, 'a V4 session that was given a title').member('title', givenTitle);
      for (const exchange of takenAway(t))
        judged(t, exchange, 'a V4 session whose title was taken away').member('title', null);
    },
    { phase: 'last' },
  ),
  viewed('V4-SES-05', (t, { views }) => {
    const { answer, after } = views.edits.tooLong;
    judged(t, answer, 'a title of 256 characters').status(422);
    judged(t, after, 'a V4 session after a refused title').member('title', givenTitle);
  }),
  check('V4-SES-06', { needs: [runSession] }, async (t) => {
    const { sessionId, deleted } = await t.recording(runSession);
    judged(t, deleted.answer, 'DELETE of a V4 session').status(204);
    judged(t, deleted.fetched, 'GET of a deleted V4 session').status(404);
    judged(t, deleted.again, 'a second DELETE of a V4 session').status(204, 404);
    const listed = listItems(deleted.listed, 'sessions').some((row) => row['sessionId'] === sessionId);
    t.expect(!listed, {
      exchange: deleted.listed,
      message: 'the list of V4 sessions shows one that was deleted; expected that it does not',
    });
  }),
  check('V4-SES-07', { needs: [runQueue] }, async (t) => {
    const { run, message } = (await t.recording(runQueue)).deleted;
    hasEnded(t, run, 'the active run of a deleted V4 session');
    hasEnded(t, message, 'a pending message of a deleted V4 session');
  }),
  check('V4-SES-08', {}, async (t) => {
    const path = [randomUuid(createRandom(t.seed))];
    const answers = [
      await t.operations.call('v4.getSession', { path }),
      await t.operations.call('v4.updateSession', { path, body: { title: 'No session' } }),
      await t.operations.call('v4.listMessages', { path }),
      await t.operations.call('v4.createMessage', { path, body: { text: 'No session' } }),
    ];
    for (const exchange of answers)
      judged(t, exchange, `${exchange.operation} for a session that does not exist`).status(404);
  }),
  check('V4-SES-09', {}, async (t) => {
    for (const limit of [0, 101]) {
      const exchange = await t.operations.call('v4.listSessions', { query: { limit }, invalid: true });
      judged(t, exchange, `the list of V4 sessions with limit ${limit}`).status(422);
    }
  }),
];

/**
 * Returns the answers to all successful requests that remove the title of a V4 session, and the first fetch of the
 * session after each. Only the scenario `runSession` sends such a request.
 */
function takenAway(t: CheckContext): Exchange[] {
  const all = t.recorder.all().filter(({ generation }) => generation === 'v4');
  const isChange = (one: Exchange): boolean =>
    one.operation === 'updateSession' && succeeded(one) && requestObject(one)['title'] === null;
  return all.filter(isChange).flatMap((change) => {
    const isLater = ({ operation, request, atMs }: Exchange): boolean =>
      operation === 'getSession' && request.url === change.request.url && atMs > change.atMs;
    return [change, ...all.filter(isLater).slice(0, 1)];
  });
}

/**
 * Returns the members that a session must show for its latest run, the later run of the pair: its id, task and status.
 */
function latest({ later }: ViewedPair): JsonObject {
  const { id = '', dispatched, looks = [] } = later?.watched ?? {};
  const task = dispatched === undefined ? null : (requestObject(dispatched)['task'] ?? null);
  return { latestRunId: id, task, status: looks.at(-1)?.status ?? null };
}

function showsLatest(t: CheckContext, exchange: Exchange, { row, want }: { row: JsonObject; want: JsonObject }): void {
  for (const [member, value] of Object.entries(want)) {
    const message = `${member} of a V4 session in a list is ${show(row[member])}; expected ${show(value)}, of its latest run`;
    t.expect(row[member] === value, { exchange, message });
  }
}

function hasEnded(t: CheckContext, exchange: Exchange, what: string): void {
  const status = memberAt(exchange.json, 'status');
  const message = `${what} ${describeAnswer(exchange)} with the status ${show(status)}; expected cancelled, or 404`;
  t.expect(exchange.status === 404 || status === 'cancelled', { exchange, message });
}
